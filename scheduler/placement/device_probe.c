/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: runs on the device, which measure what loops take there, within limits. */
#include "device_probe.h"

#include "device.h"
#include "loop_device.h"
#include "mesh.h"
#include "model.h"

/* ---- time that a probe may cost -------------------------------------------------------------- */

/* Seconds that may still be spent on probes, as a share of the time that programs run. The share is
 * larger for a device that is not the host's own processors, which can gain more. The time of
 * nested queues counts together with that of the outer one. */
static double seconds_left(const struct op2i_sched *sched, double about_to_run) {
  double share = sched->ctx->device->limits.on_host ? 1.0 / 64 : 1.0 / 4;
  double running = about_to_run, probing = 0;
  for (const struct op2i_sched *queue = sched; queue; queue = queue->outer) {
    running += queue->stats.spent.running;
    probing += queue->costs.probe_seconds;
  }
  return share * running - probing;
}

/* Estimated seconds for copies: to the device of all that the operation reads, or back from it of
 * all that it modifies. */
static double copies(struct op2i_sched *sched, const struct op2i_op *op, bool there) {
  struct op2i_copy_cost each;
  double ns = 0;
  op2i_copy_cost(sched, &each);
  for (int d = 0; d < op->ndats; d++)
    if (there ? !op2i_overwrites(op->dat_access[d]) : op2i_modifies(op->dat_access[d]))
      ns += each.copy_ns + each.byte_ns * (double)op->dats[d]->values.owned_bytes;
  return 1e-9 * ns;
}

/* Estimated seconds to build the tables on the device: the maps that it does not have yet, and what
 * its launches need to traverse them backwards. */
static double tables(const struct op2i_loop *loop) {
  static const double entry_ns = 4;
  double entries = 0;
  for (int m = 0; m < loop->nmaps; m++)
    if (!loop->maps[m]->entries.at[OP2I_DEVICE])
      entries += (double)loop->maps[m]->from->ends[OP2I_OWNED] * loop->maps[m]->arity;
  return 1e-9 * entry_ns * entries;
}

/* Seconds that compiling a loop is estimated to take before one was measured: what PoCL needs for a
 * loop of an application. */
static const double first_compilation = 0.25;

static double compilation(const struct op2i_sched *sched, const struct op2i_loop *loop) {
  if (!op2i_probe_waits(loop)) return 0;
  return sched->costs.compile_seconds > 0 ? sched->costs.compile_seconds : first_compilation;
}

/* Estimated seconds of a run on the device: as long as on the host, plus copies and tables. */
static double estimate(struct op2i_sched *sched, const struct op2i_loop *loop) {
  double ns = op2i_loop_ns(loop) * (double)loop->set->ends[OP2I_OWNED] / sched->ctx->workers;
  return 1e-9 * ns + copies(sched, &loop->op, true) + copies(sched, &loop->op, false) +
         tables(loop);
}

/* ---- running a probe ------------------------------------------------------------------------- */

bool op2i_probe_defers_compile(const struct op2i_loop *loop) {
  op2_context ctx = loop->op.ctx;
  return ctx->device && ctx->device->limits.on_host && !ctx->config.place_costs &&
         op2i_loop_rule(loop).kind == OP2I_RULE_FREE;
}

static bool has_code(const struct op2i_loop *loop) {
  enum op2i_variant wish = op2i_device_variant(loop->op.ctx->device->kind);
  return !loop->form.not_on_device && loop->code.function[wish];
}

bool op2i_probe_waits(const struct op2i_loop *loop) {
  return loop->form.device_compile_deferred && !loop->form.not_on_device && !has_code(loop);
}

static bool is_due(struct op2i_sched *sched, const struct op2i_step *step, double left) {
  const struct op2i_loop_data *data = step->loop->attached.sched_data;
  return data->probes < OP2I_DEVICE_RUNS_FIRST &&
         estimate(sched, step->loop) + compilation(sched, step->loop) <= left;
}

struct op2i_loop *op2i_probe_next_to_compile(struct op2i_sched *sched,
                                             const struct op2i_step *steps, int64_t n) {
  double about_to_run = op2i_program_seconds(steps, n) / sched->ctx->workers;
  for (int64_t s = 0; s < n; s++) {
    const struct op2i_loop *loop = steps[s].loop;
    if (!loop || steps[s].where.device_half || steps[s].lo >= steps[s].hi) continue;
    if (op2i_probe_waits(loop) && op2i_loop_cost(loop, false) >= 0 &&
        is_due(sched, &steps[s], seconds_left(sched, about_to_run)))
      return steps[s].loop;
  }
  return NULL;
}

void op2i_probe_has_code(struct op2i_sched *sched, struct op2i_loop *loop, double seconds) {
  struct op2i_loop_data *data = loop->attached.sched_data;
  sched->costs.compile_seconds =
      sched->costs.compile_seconds > 0 ? (sched->costs.compile_seconds + seconds) / 2 : seconds;
  sched->costs.probe_seconds += seconds;
  if (!has_code(loop)) data->probes = OP2I_DEVICE_RUNS_FIRST;
}

static bool begin_probe(struct op2i_sched *sched, struct op2i_step *step, double left) {
  struct op2i_loop_data *data = step->loop->attached.sched_data;
  if (op2i_probe_waits(step->loop) || !is_due(sched, step, left)) return false;
  data->probes++;
  step->probe.active = true;
  step->probe.estimated_seconds = estimate(sched, step->loop);
  step->probe.overhead_seconds = 0;
  sched->costs.probe_seconds += step->probe.estimated_seconds;
  return true;
}

bool op2i_probes_begin(struct op2i_sched *sched, struct op2i_step *steps, int64_t n, bool *free,
                       unsigned char *where) {
  double about_to_run = op2i_program_seconds(steps, n) / sched->ctx->workers;
  bool any = false;
  for (int64_t s = 0; s < n; s++) {
    steps[s].probe.active = false;
    if (!free[s]) continue;
    bool host = op2i_loop_cost(steps[s].loop, false) >= 0;
    if (host && op2i_loop_cost(steps[s].loop, true) >= 0) continue;
    free[s] = false;
    where[s] = OP2I_ON_HOST;
    if (!host || !begin_probe(sched, &steps[s], seconds_left(sched, about_to_run))) continue;
    where[s] = OP2I_ON_DEVICE;
    any = true;
  }
  return any;
}

/* ---- measured times -------------------------------------------------------------------------- */

/* Copies of values give a better estimate of the time per byte than those that were
 * made to measure it. */
void op2i_probe_add_copy_time(struct op2i_step *step, double seconds, size_t bytes) {
  enum { MANY = 1 << 16 };
  struct op2i_sched *sched = step->loop->op.ctx->sched;
  double ns = 1e9 * seconds - sched->costs.copy_ns;
  step->probe.overhead_seconds += seconds;
  if (bytes >= MANY && ns > 0)
    sched->costs.byte_ns = (sched->costs.byte_ns + ns / (double)bytes) / 2;
}

void op2i_probe_end(const struct op2i_step *step) {
  struct op2i_sched *sched = step->loop->op.ctx->sched;
  double more = step->time.seconds + step->probe.overhead_seconds - step->probe.estimated_seconds +
                copies(sched, &step->loop->op, false);
  if (step->probe.active && more > 0) sched->costs.probe_seconds += more;
}

/* ---- number of steps that run together ------------------------------------------------------- */

/* True if a run of the step would contribute to a cost that is still unknown. */
static bool is_informative(const struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  if (!loop || step->where.device_half || step->lo >= step->hi || loop->form.not_on_device)
    return false;
  const struct op2i_loop_data *data = loop->attached.sched_data;
  bool known = op2i_loop_cost(loop, false) >= 0 && op2i_loop_cost(loop, true) >= 0;
  return !known && data->probes < OP2I_DEVICE_RUNS_FIRST &&
         op2i_loop_rule(loop).kind == OP2I_RULE_FREE;
}

/* Estimated seconds of the cheapest probe; -1: no probe is left to make. */
static double cheapest_probe(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n) {
  double least = -1;
  for (int64_t s = 0; s < n; s++) {
    if (!is_informative(&steps[s])) continue;
    double seconds = estimate(sched, steps[s].loop) + compilation(sched, steps[s].loop);
    if (least < 0 || seconds < least) least = seconds;
  }
  return least;
}

int64_t op2i_steps_together(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n) {
  enum { PIECE = 64 };
  if (!sched->ctx->device || n <= PIECE) return n;
  double least = cheapest_probe(sched, steps, n), about_to_run = 0;
  int64_t together = 0;
  if (least < 0) return n;
  do {
    int64_t piece = n - together < PIECE ? n - together : PIECE;
    about_to_run += op2i_program_seconds(&steps[together], piece) / sched->ctx->workers;
    together += piece;
  } while (together < n && seconds_left(sched, about_to_run) < least);
  return together < n && steps[together - 1].where.device_half ? together + 1 : together;
}

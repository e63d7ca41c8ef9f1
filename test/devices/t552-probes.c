/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of trying loops on a device is fully accounted for. The times that decide are given
 * here, none is measured. Needs StarPU and a device (PoCL will do). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "device.h"
#include "device_probe.h"
#include "jit_state.h"
#include "loop_device.h"
#include "loopdata.h"
#include "mem.h"
#include "mesh.h"
#include "rank_case.h"
#include "row_case.h"
#include "sched_state.h"
#include "support.h"

enum { NODES = 500, EDGES = 2 * NODES, RUNS = 5 };

OP2_KERNEL(gather, (const double *x1, const double *x2, double *y), { y[0] += x1[0] - x2[0]; });

static op2_context ctx;
static op2_set nodes, edges;
static op2_map ends;
static op2_dat x, y;
static op2_kernel kernel;

static void run(int times) {
  for (int t = 0; t < times; t++) {
    CHECK(op2_par_loop(kernel, edges, op2_arg_dat(x, 0, ends, OP2_READ),
                       op2_arg_dat(x, 1, ends, OP2_READ), op2_arg_direct(y, OP2_RW)));
    CHECK(op2_flush(ctx));
  }
}

static bool begin(const char *cache) {
  static int32_t idx[2 * EDGES];
  op2_options options = {.backend = "starpu", .eager = -1, .cache_dir = cache};
  for (int e = 0; e < 2 * EDGES; e++) idx[e] = (7 * e) % NODES;
  if (!CHECK(op2_init(&options, &ctx))) return false;
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_set_create(ctx, EDGES, "edges", &edges));
  CHECK(op2_map_create(edges, nodes, 2, idx, "ends", &ends));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "x", &x));
  CHECK(op2_dat_create(edges, 1, OP2_F64, NULL, "y", &y));
  CHECK(op2_kernel_create(ctx, &gather_kernel, &kernel));
  ctx->sched->costs.probe_seconds = 1e9; /* the budget for tries is exhausted */
  run(RUNS);
  return true;
}

static void end(void) {
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_kernel_destroy(&kernel);
  op2_map_destroy(&ends);
  op2_set_destroy(&nodes);
  op2_set_destroy(&edges);
  CHECK(op2_finalize(&ctx));
}

/* ---- probes with prescribed times ------------------------------------------------------------ */

static const double copy_ns = 1e6, byte_ns = 10, element_ns = 1000, entry_ns = 4;
static double share, run_s, there_s, back_s, tables_s;

/* A step of the loop, of which only the time on the host is known. */
static struct op2i_step given(void) {
  struct op2i_sched *sched = ctx->sched;
  struct op2i_step step = {.loop = ctx->loops->first, .hi = EDGES, .where.place = OP2I_HOST};
  struct op2i_loop_data *data = step.loop->attached.sched_data;
  share = ctx->device->limits.on_host ? 1.0 / 64 : 1.0 / 4;
  sched->costs.copy_ns = copy_ns;
  sched->costs.byte_ns = byte_ns;
  sched->costs.compile_seconds = sched->costs.probe_seconds = 0;
  data->ns_per_element = element_ns;
  data->placed[0] = RUNS;
  step.loop->form.device_compile_deferred = false;
  data->probes = 0;
  run_s = 1e-9 * element_ns * EDGES / ctx->workers;
  there_s = 1e-9 * (2 * copy_ns + byte_ns * 8 * (NODES + EDGES));
  back_s = 1e-9 * (copy_ns + byte_ns * 8 * EDGES);
  tables_s = 1e-9 * entry_ns * 2 * EDGES;
  return step;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b) + 1e-15; }

/* Set the running time so that, with `about` seconds of work pending, `seconds` may be spent on
 * tries. */
static void afford(double seconds, double about) {
  ctx->sched->stats.spent.running = seconds / share - about;
}

static bool tries(struct op2i_step *step) {
  bool is_free = true;
  unsigned char where = 0;
  return op2i_probes_begin(ctx->sched, step, 1, &is_free, &where);
}

static void budget(void) {
  struct op2i_step step = given();
  const struct op2i_loop_data *data = step.loop->attached.sched_data;
  double whole = run_s + there_s + back_s + tables_s;
  afford(0.999 * whole, run_s);
  ok(!tries(&step) && data->probes == 0 && ctx->sched->costs.probe_seconds == 0,
     "no try without the time for its run, its copies and its tables");
  afford(1.001 * whole, run_s);
  ok(tries(&step) && data->probes == 1 && step.probe.active, "one with it");
  ok(near(ctx->sched->costs.probe_seconds, whole) && near(step.probe.estimated_seconds, whole),
     "which counts at once");
  ok(!tries(&step), "there is not enough for two");
}

static void counted(void) {
  enum { FEW = 100, MANY = 1 << 20 };
  struct op2i_step step = given();
  struct op2i_sched *sched = ctx->sched;
  step.probe.active = true;
  step.probe.estimated_seconds = 0.25;
  step.probe.overhead_seconds = 0;
  op2i_probe_add_copy_time(&step, 0.5, FEW);
  ok(sched->costs.byte_ns == byte_ns, "few bytes do not tell what bytes take");
  op2i_probe_add_copy_time(&step, 1, MANY);
  ok(near(sched->costs.byte_ns, (byte_ns + (1e9 - copy_ns) / MANY) / 2) &&
         step.probe.overhead_seconds == 1.5,
     "many do; both copies count");
  sched->costs.byte_ns = byte_ns;
  step.time.seconds = 2;
  op2i_probe_end(&step);
  ok(near(sched->costs.probe_seconds, 2 + 1.5 - 0.25 + back_s),
     "launch, copies and tables count, but what was counted before, and the way back");
  step.probe.estimated_seconds = 10;
  double before = sched->costs.probe_seconds;
  op2i_probe_end(&step);
  ok(sched->costs.probe_seconds == before, "what took less than was held gives nothing back");
}

static void compilation(void) {
  struct op2i_step step = given();
  struct op2i_sched *sched = ctx->sched;
  struct op2i_loop_data *data = step.loop->attached.sched_data;
  double whole = run_s + there_s + back_s + tables_s;
  step.loop->form.device_compile_deferred = true;
  afford(0.999 * (whole + 0.25), run_s);
  ok(!op2i_probe_next_to_compile(sched, &step, 1), "code is not wanted that cannot be paid for");
  afford(1.001 * (whole + 0.25), run_s);
  ok(op2i_probe_next_to_compile(sched, &step, 1) == step.loop, "what can is");
  ok(!tries(&step), "no try without code");
  sched->costs.compile_seconds = 3;
  ok(!op2i_probe_next_to_compile(sched, &step, 1), "what the last one took counts for the next");
  op2i_probe_has_code(sched, step.loop, 5);
  ok(sched->costs.probe_seconds == 5 && sched->costs.compile_seconds == 4, "what it took counts");
  ok(!tries(&step), "and leaves nothing for a try");
  afford(1e3, run_s);
  ok(data->probes == OP2I_DEVICE_RUNS_FIRST && !op2i_probe_next_to_compile(sched, &step, 1),
     "what has failed is not wanted again");
}

/* A try inside an operation is paid for by the time that ran outside it, and counts there. */
static void inside(void) {
  struct op2i_step step = given();
  struct op2i_sched outer = {.ctx = ctx}, *sched = ctx->sched, *before = sched->outer;
  afford(0, run_s);
  sched->outer = &outer;
  ok(!tries(&step), "no try inside, where nothing has run");
  outer.stats.spent.running = 1e3;
  outer.costs.probe_seconds = 1e9;
  ok(!tries(&step), "nor where those outside have taken it all");
  outer.costs.probe_seconds = 0;
  ok(tries(&step), "but by what ran outside");
  sched->outer = before;
}

static void pieces(void) {
  enum { PIECE = 64, N = 200 };
  static struct op2i_step steps[N];
  struct op2i_sched *sched = ctx->sched;
  steps[0] = given();
  struct op2i_loop_data *data = steps[0].loop->attached.sched_data;
  for (int s = 1; s < N; s++) steps[s] = steps[0];
  double whole = run_s + there_s + back_s + tables_s;
  afford(0, N * run_s);
  is_int(op2i_steps_together(sched, steps, N), N, "steps stay together that cannot pay for a try");
  afford(whole, 100 * run_s);
  is_int(op2i_steps_together(sched, steps, N), 2 * PIECE, "they end where they can");
  afford(whole, 0);
  is_int(op2i_steps_together(sched, steps, N), PIECE, "at once if that has run before");
  is_int(op2i_steps_together(sched, steps, PIECE), PIECE, "a piece is a piece");
  steps[0].loop->form.device_compile_deferred = true;
  afford(whole + 0.249, N * run_s);
  is_int(op2i_steps_together(sched, steps, N), N, "code that is to be compiled counts");
  steps[0].loop->form.device_compile_deferred = false;
  data->probes = OP2I_DEVICE_RUNS_FIRST;
  afford(1e3, 0);
  is_int(op2i_steps_together(sched, steps, N), N, "nothing is cut where there is nothing to try");
}

/* ---- compilers ------------------------------------------------------------------------------- */

static void cold(const char *cache) {
  if (!begin(cache)) return;
  const struct op2i_loop *loop = ctx->loops->first;
  const struct op2i_loop_data *data = loop->attached.sched_data;
  enum op2i_variant wish = op2i_device_variant(ctx->device->kind);
  ok(op2i_probe_waits(loop) && !ctx->jit->units &&
         !loop->code.function[op2i_loop_variant(loop, wish)],
     "without anything to pay with, no code for the device");
  ctx->sched->costs.probe_seconds = -1e9;
  run(RUNS);
  ok(!op2i_probe_waits(loop) && ctx->jit->units &&
         loop->code.function[op2i_loop_variant(loop, wish)],
     "with it, there is");
  ok(data->probes == OP2I_DEVICE_RUNS_FIRST && ctx->sched->costs.compile_seconds > 0,
     "and it is tried");
  end();
  if (!begin(cache)) return;
  data = ctx->loops->first->attached.sched_data;
  ok(!op2i_probe_waits(ctx->loops->first) && ctx->jit->units && data->placed[1] == 0,
     "from the cache it is had for nothing, but not tried");
  end();
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Rank 0 tries a loop, and the Nth allocation for its code fails. Whichever it was, no rank
 * compiles alone in the programs that follow. */
struct late {
  struct row row;
  op2_kernel kernel;
  int64_t n;
  bool failed; /* the last try had no code */
};

static op2_status run_late(struct late *l, int times) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < times && !status; i++)
    status = op2_par_loop(l->kernel, l->row.cells, op2_arg_direct(l->row.a, OP2_RW));
  return status ? status : op2_flush(l->row.ctx);
}

static op2_status declare_late(struct late *l) {
  char name[40], source[100];
  snprintf(name, sizeof name, "late%d", (int)l->n);
  snprintf(source, sizeof source, "void %s(int64_t *a) { *a += %d; }", name, (int)l->n);
  op2_status status =
      op2_kernel_create(l->row.ctx, &(op2_kernel_desc){.name = name, .source = source}, &l->kernel);
  if (!status) status = row_put(&l->row, l->row.a);
  for (int i = 0; i < RUNS && !status; i++) status = run_late(l, 1);
  return status;
}

/* The loop is the last one that was created. */
static op2_status try_late(struct late *l) {
  struct op2i_sched *sched = l->row.ctx->sched;
  const struct op2i_loop *loop = l->row.ctx->loops->last;
  sched->costs.probe_seconds = -1e9;
  (void)op2i_mem_fail_here_at(l->n);
  op2_status status = run_late(l, 1);
  (void)op2i_mem_fail_here_at(0);
  sched->costs.probe_seconds = 1e9;
  l->failed = op2i_probe_waits(loop);
  return status;
}

static op2_status one_late(struct late *l, int *wrong) {
  int64_t a[ROW_CELLS] = {0};
  op2_status status = declare_late(l);
  if (!status) status = l->row.comm->rank == 0 ? try_late(l) : run_late(l, 1);
  if (!status) status = run_late(l, 2);
  if (!status) status = op2_dat_get(l->row.a, a);
  for (int i = 0; i < ROW_CELLS / 2 && !status; i++) *wrong += a[i] != 5 + (RUNS + 3) * l->n;
  op2_kernel_destroy(&l->kernel);
  return status;
}

static int late_rank(struct op2i_comm *comm, void *failed) {
  struct late l = {0};
  int wrong = 0;
  op2_status status = row_begin(&l.row, comm, "starpu");
  if (!status) l.row.ctx->sched->costs.probe_seconds = 1e9;
  if (!status) l.row.ctx->config.verify = false; /* without memory for it the program ends */
  if (!status) l.row.ctx->config.fuse = 0;       /* all programs have the same loops */
  int64_t go_on = 1;
  for (l.n = 1; go_on && !status; l.n += quick() ? 4 : 1) {
    status = one_late(&l, &wrong);
    go_on = comm->rank == 0 && l.failed;
    if (go_on) ++*(int *)failed;
    if (!status) status = op2i_comm_sum(comm, 1, &go_on);
  }
  if (status) fprintf(stderr, "# rank %d, %d: %s\n", comm->rank, (int)l.n, op2_error_message());
  return wrong + (status != OP2_SUCCESS) + (row_end(&l.row) != OP2_SUCCESS);
}

static void late(void) {
  int failed = 0;
  alarm(120); /* a rank that hangs is killed */
  is_int(run_contexts(2, late_rank, &failed), 0,
         "a try on one rank that lacks memory keeps no other waiting");
  alarm(0);
  ok(failed > 1, "%d tries had no code", failed);
}

int main(void) {
  char cache[4096];
  test_environment();
  setenv("OP2_PLACE", "*:free", 1);
  const char *why = backend_unfit("starpu");
  if (!why && backend_unfit("opencl") && backend_unfit("cuda")) why = backend_unfit("opencl");
  if (why) {
    skip("tries on a device: %s", why);
    return done();
  }
  snprintf(cache, sizeof cache, "%.4000s/cold", test_scratch());
  if (begin(test_cache())) {
    budget();
    counted();
    compilation();
    inside();
    pieces();
    bool on_host = ctx->device->limits.on_host;
    end();
    if (on_host)
      cold(cache), late();
    else
      skip("code that waits: the device is not the host's own processors");
  }
  return done();
}

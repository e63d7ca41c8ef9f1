/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that run side by side on the host's processors and on a device: values are the same
 * wherever the loops run, and there are no copies but the necessary ones. Needs StarPU and a device
 * (PoCL will do). */
#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "context.h"
#include "device.h"
#include "passes.h"
#include "place_rule.h"
#include "sched_state.h"
#include "support.h"
#include "tasks.h"

enum { NODES = 3000, EDGES = 2 * NODES, STEPS = 12 };

/* The values are whole numbers, so that sums are the same in any order. */
OP2_KERNEL(spread, (const double *x1, const double *x2, double *r1, double *r2), {
  double f = x1[0] - 2 * x2[0] + x2[1];
  r1[0] += f;
  r2[1] -= f;
});
OP2_KERNEL(settle, (double *x, double *r, double *sum, double *most), {
  for (int i = 0; i < 2; i++) {
    x[i] = x[i] + r[i] - 100 * (double)(long)((x[i] + r[i]) / 100);
    *sum += x[i];
    if (x[i] > *most) *most = x[i];
    r[i] = 0;
  }
});
OP2_KERNEL(beside, (const double *a, double *b), { b[0] = b[0] + a[0]; });

struct mesh {
  op2_context ctx;
  op2_set nodes, edges;
  op2_map ends;
  op2_dat x, r, a, b;
  op2_gbl sum, most;
  op2_kernel spread, settle, beside;
};

struct values {
  double x[2 * NODES], b[EDGES], sums[STEPS], mosts[STEPS];
};

static void build(struct mesh *m) {
  static int32_t idx[2 * EDGES];
  static double x[2 * NODES], a[EDGES];
  uint64_t seed = 5;
  for (int e = 0; e < 2 * EDGES; e++) idx[e] = draw_below(&seed, NODES);
  for (int e = 0; e < EDGES; e++) a[e] = draw_below(&seed, 9);
  for (int n = 0; n < 2 * NODES; n++) x[n] = draw_below(&seed, 50);
  CHECK(op2_set_create(m->ctx, NODES, "nodes", &m->nodes));
  CHECK(op2_set_create(m->ctx, EDGES, "edges", &m->edges));
  CHECK(op2_map_create(m->edges, m->nodes, 2, idx, "ends", &m->ends));
  CHECK(op2_dat_create(m->nodes, 2, OP2_F64, x, "x", &m->x));
  CHECK(op2_dat_create(m->nodes, 2, OP2_F64, NULL, "r", &m->r));
  CHECK(op2_dat_create(m->edges, 1, OP2_F64, a, "a", &m->a));
  CHECK(op2_dat_create(m->edges, 1, OP2_F64, NULL, "b", &m->b));
  CHECK(op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "sum", &m->sum));
  CHECK(op2_gbl_create(m->ctx, 1, OP2_F64, NULL, "most", &m->most));
  CHECK(op2_kernel_create(m->ctx, &spread_kernel, &m->spread));
  CHECK(op2_kernel_create(m->ctx, &settle_kernel, &m->settle));
  CHECK(op2_kernel_create(m->ctx, &beside_kernel, &m->beside));
}

static void close_mesh(struct mesh *m) {
  op2_dat *const dats[] = {&m->x, &m->r, &m->a, &m->b};
  op2_kernel *const kernels[] = {&m->spread, &m->settle, &m->beside};
  for (int d = 0; d < 4; d++) op2_dat_destroy(dats[d]);
  for (int k = 0; k < 3; k++) op2_kernel_destroy(kernels[k]);
  op2_gbl_destroy(&m->sum);
  op2_gbl_destroy(&m->most);
  op2_map_destroy(&m->ends);
  op2_set_destroy(&m->nodes);
  op2_set_destroy(&m->edges);
  CHECK(op2_finalize(&m->ctx));
}

static bool open_mesh(struct mesh *m, const char *backend, const char *place, bool eager) {
  op2_options options = {.backend = backend, .eager = eager ? 1 : -1, .block_size = 64};
  *m = (struct mesh){0};
  if (place)
    setenv("OP2_PLACE", place, 1);
  else
    unsetenv("OP2_PLACE");
  if (!CHECK(op2_init(&options, &m->ctx))) return false;
  build(m);
  return true;
}

static void queue_step(struct mesh *m) {
  const double zero = 0;
  CHECK(op2_gbl_set(m->sum, &zero));
  CHECK(op2_par_loop(m->spread, m->edges, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
                     op2_arg_dat(m->x, 1, m->ends, OP2_READ),
                     op2_arg_dat(m->r, 0, m->ends, OP2_INC),
                     op2_arg_dat(m->r, 1, m->ends, OP2_INC)));
  CHECK(op2_par_loop(m->beside, m->edges, op2_arg_direct(m->a, OP2_READ),
                     op2_arg_direct(m->b, OP2_RW)));
  CHECK(op2_par_loop(m->settle, m->nodes, op2_arg_direct(m->x, OP2_RW),
                     op2_arg_direct(m->r, OP2_RW), op2_arg_gbl(m->sum, OP2_INC),
                     op2_arg_gbl(m->most, OP2_MAX)));
}

/* The host reads values, and changes some, between steps. */
static void run_steps(struct mesh *m, struct values *out) {
  for (int s = 0; s < STEPS; s++) {
    void *at;
    queue_step(m);
    if (s % 3 == 2) {
      CHECK(op2_dat_write_begin(m->x, &at));
      for (int n = 0; n < NODES; n += 7) ((double *)at)[2 * n] = n % 13;
      CHECK(op2_dat_write_end(m->x, &at));
    }
    CHECK(op2_gbl_get(m->sum, &out->sums[s]));
    CHECK(op2_gbl_get(m->most, &out->mosts[s]));
  }
  CHECK(op2_dat_get(m->x, out->x));
  CHECK(op2_dat_get(m->b, out->b));
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct values wanted;

static void want_values(void) {
  struct mesh m;
  if (!open_mesh(&m, "sequential", NULL, true)) return;
  run_steps(&m, &wanted);
  close_mesh(&m);
}

static const char *const everywhere[] = {
    "*:cpu",
    "*:device",
    "spread:device,*:cpu",
    "settle:device,*:cpu",
    "spread:cpu,*:device",
    "beside:cpu,*:free",
    "*:alternate",
    "*:random",
    "*:random=2",
    "*:random=3",
    "*:free",
    "*:split=3:1",
    "*:split=1:2",
    "spread:split=3:1,*:cpu",
    "spread:split=3:1,*:device",
    "settle:split=1:1,*:cpu",
    "spread:split=1:9,settle:split=3:1,*:alternate",
};
enum { EVERYWHERE = sizeof everywhere / sizeof *everywhere };

static void values_of(const char *backend, const char *place, bool eager) {
  static struct values got;
  struct mesh m;
  if (!open_mesh(&m, backend, place, eager)) return;
  memset(&got, 0, sizeof got);
  run_steps(&m, &got);
  ok(!memcmp(&got, &wanted, sizeof got), "%s, %s, %s: the values of sequential", backend, place,
     eager ? "eager" : "lazy");
  close_mesh(&m);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies of one time step, counted after the first steps have brought all values where they are
 * used. */
static void copies_of(const char *place, int64_t puts, int64_t gets, int64_t put_bytes,
                      int64_t get_bytes) {
  enum { TIMES = 5 };
  struct mesh m;
  if (!open_mesh(&m, "starpu", place, false)) return;
  for (int s = 0; s < 3; s++) queue_step(&m);
  CHECK(op2_flush(m.ctx));
  const struct op2i_device_counts before = m.ctx->device->counts;
  for (int s = 0; s < TIMES; s++) {
    queue_step(&m);
    CHECK(op2_flush(m.ctx));
  }
  const struct op2i_device_counts *now = &m.ctx->device->counts;
  is_int(now->puts - before.puts, TIMES * puts, "%s: copies to the device", place);
  is_int(now->put_bytes - before.put_bytes, TIMES * put_bytes, "%s: bytes", place);
  is_int(now->gets - before.gets, TIMES * gets, "%s: copies back", place);
  is_int(now->get_bytes - before.get_bytes, TIMES * get_bytes, "%s: bytes", place);
  close_mesh(&m);
}

static void copies(void) {
  const int64_t dat = 2 * NODES * 8, results = 2 * 8;
  copies_of("*:cpu,none:device", 0, 0, 0, 0);
  /* MAX starts from the global's value, which is copied only if the kernel reads it; this one
   * cannot. */
  copies_of("*:device", 0, 1, 0, results);
  copies_of("beside:device,*:cpu", 0, 0, 0, 0);
  copies_of("spread:device,*:cpu", 2, 1, 2 * dat, dat);
  copies_of("settle:device,*:cpu", 1, 3, dat, 2 * dat + results);
}

/* ---- costs of loops -------------------------------------------------------------------------- */

static const struct op2i_loop_data *data_of(const struct mesh *m, const char *name) {
  const struct op2i_loop *loop = m->ctx->loops->first;
  while (loop && strcmp(op2i_loop_name(loop), name) != 0) loop = loop->entry.next;
  return loop ? loop->attached.sched_data : NULL;
}

/* Check where loops run at these costs: 0 is the host, 1 the device. */
static void chosen(const char *costs, const char *place, int spread_on, int settle_on,
                   int beside_on) {
  static const char *const names[] = {"spread", "settle", "beside"};
  const int wants[] = {spread_on, settle_on, beside_on};
  static char text[1 << 15];
  enum { TIMES = 6 };
  struct mesh m;
  setenv("OP2_PLACE_COSTS", costs, 1);
  if (!open_mesh(&m, "starpu", place, false)) return;
  for (int s = 0; s < TIMES; s++) {
    queue_step(&m);
    CHECK(op2_flush(m.ctx));
  }
  for (int k = 0; k < 3; k++) {
    const struct op2i_loop_data *data = data_of(&m, names[k]);
    ok(data && data->placed[wants[k]] == TIMES && data->placed[!wants[k]] == 0,
       "%s, %s: %s runs on the %s", place, costs, names[k], wants[k] ? "device" : "host");
  }
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream) CHECK(op2_explain(m.ctx, stream));
  if (stream) fclose(stream);
  ok(strstr(text, spread_on ? "0 times on the host, 6 on the device"
                            : "6 times on the host, 0 on the device"),
     "op2_explain() says so");
  close_mesh(&m);
  unsetenv("OP2_PLACE_COSTS");
}

static void models(void) {
  static const char slow[] = "*:cpu=100,*:device=1,copy=0,byte=0",
                    fast[] = "*:cpu=1,*:device=100,copy=0,byte=0",
                    both[] = "*:cpu=1,*:device=100,spread:cpu=100,spread:device=1,copy=0,byte=0",
                    dear[] =
                        "*:cpu=1,*:device=2,spread:cpu=100,spread:device=1,copy=10000000,byte=0",
                    bytes[] = "*:cpu=4,*:device=1,copy=0,byte=10";
  chosen(slow, "*:free", 1, 1, 1);
  chosen(fast, "*:free", 0, 0, 0);
  chosen(both, "*:free", 1, 0, 0);
  /* The copies of each time step would take 30 ms, the loops less than one. */
  chosen(dear, "*:free", 0, 0, 0);
  chosen(bytes, "*:free", 0, 0, 0);
  /* A rule for one loop changes the choice for the others. */
  chosen(slow, "spread:cpu,*:free", 0, 1, 1);
  chosen("*:cpu=5,*:device=4,copy=10000000,byte=0", "spread:device", 1, 1, 0);
}

/* Places are chosen by measured times: single steps are tried on the device as long as that takes a
 * small share of the time, and then a choice changes only for a reason. */
static void measured(void) {
  enum { BEFORE = 5, TIMES = 40 };
  static const char *const names[] = {"spread", "settle", "beside"};
  struct mesh m;
  if (!open_mesh(&m, "starpu", "*:free", false)) return;
  m.ctx->sched->costs.probe_seconds = 1e9;
  for (int s = 0; s < TIMES; s++) {
    if (s == BEFORE) {
      for (int k = 0; k < 3; k++)
        ok(data_of(&m, names[k])->placed[1] == 0, "%s is not tried while that is too dear",
           names[k]);
      m.ctx->sched->costs.probe_seconds = -1e9;
    }
    queue_step(&m);
    CHECK(op2_flush(m.ctx));
  }
  for (int k = 0; k < 3; k++) {
    const struct op2i_loop_data *data = data_of(&m, names[k]);
    ok(data->probes == OP2I_DEVICE_RUNS_FIRST && data->placed[1] >= data->probes &&
           data->placed[0] >= BEFORE && data->ns_per_element > 0 && data->device_ns > 0 &&
           data->placed[0] + data->placed[1] + data->placed[2] == TIMES,
       "%s ran %d times on the host, %d on the device, and is known there", names[k],
       (int)data->placed[0], (int)data->placed[1]);
  }
  ok(m.ctx->sched->costs.copy_ns > 0 && m.ctx->sched->costs.byte_ns > 0,
     "a copy takes %.0f ns, and %.3f a byte", m.ctx->sched->costs.copy_ns,
     m.ctx->sched->costs.byte_ns);
  close_mesh(&m);
}

/* ---- dependences ----------------------------------------------------------------------------- */

/* A loop that shares no data with a device's loop waits neither for it nor for copies. */
static void dependences(void) {
  struct mesh m;
  setenv("OP2_CHUNK_US", "0", 1);
  if (!open_mesh(&m, "starpu", "spread:device,*:cpu", false)) return;
  queue_step(&m);
  CHECK(op2_flush(m.ctx));
  const struct op2i_program *program = m.ctx->sched->caches.programs;
  const struct op2i_task_list *list = program ? program->steps->bundle->tasks : NULL;
  int64_t kinds[OP2I_TASK_DEVICE + 1] = {0}, alone = 0, waiting = 0;
  for (int64_t t = 0; list && t < list->ntasks; t++) {
    const struct op2i_task *task = &list->tasks[t];
    bool other = task->kind == OP2I_TASK_CHUNK &&
                 !strcmp(op2i_loop_name(program->steps[task->step].loop), "beside");
    kinds[task->kind]++;
    alone += other && !task->ndeps;
    waiting += other && task->ndeps;
  }
  ok(kinds[OP2I_TASK_DEVICE] == 1 && kinds[OP2I_TASK_MOVE] == 2 && kinds[OP2I_TASK_CHUNK] > 10,
     "tasks: %d for the device, %d copies, %d chunks", (int)kinds[OP2I_TASK_DEVICE],
     (int)kinds[OP2I_TASK_MOVE], (int)kinds[OP2I_TASK_CHUNK]);
  ok(alone > 10 && !waiting, "a loop of the host that has nothing to do with them waits for none");
  close_mesh(&m);
  unsetenv("OP2_CHUNK_US");
}

/* ---- values of OP2_PLACE --------------------------------------------------------------------- */

static void rules(void) {
  static const char *const bad[] = {
      "cpu",       "a:",         ":cpu",        "a:cpu,,b:cpu",   "a:gpu",
      "*:random=", "*:random=x", "a:cpu b:cpu", "a:cuda,b:opencl"};
  const char *kind;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ok(op2i_rules_check(bad[i]) == OP2_ERR_OPTION, "'%s' is refused: %s", bad[i],
       op2_error_message());
  const char *good = "*:device,flux:cpu,move:random=77,flux:device";
  ok(!op2i_rules_check(good) && !op2i_rules_check(NULL) && !op2i_rules_check(""), "others are not");
  is_int(op2i_rule_of(good, "flux").kind, OP2I_RULE_HOST, "a name counts before *, the first one");
  is_int(op2i_rule_of(good, "flu").kind, OP2I_RULE_DEVICE, "and as a whole");
  is_int(op2i_rule_of(good, "move").seed, 77, "with its seed");
  is_int(op2i_rule_of("a:cpu", "b").kind, OP2I_RULE_NONE, "of others nothing is said");
  ok(op2i_rules_want_device("a:cpu,b:cuda", &kind) && kind && !strcmp(kind, "cuda") &&
         !op2i_rules_want_device("*:cpu", &kind) && !op2i_rules_want_device(NULL, &kind),
     "a device is wanted where some loop may run on one");
}

static void costs(void) {
  static const char *const bad[] = {"a",     "a:cpu", "a:cpu=",  "a:cpu=x",
                                    "cpu=1", "copy=", "a:gpu=1", "copy=1,"};
  for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; i++)
    ok(op2i_costs_check(bad[i]) == OP2_ERR_OPTION, "costs '%s' are refused: %s", bad[i],
       op2_error_message());
  const char *good = "a:cpu=1.5,*:cpu=2,a:device=0.25,copy=1000,byte=0.5,a:cpu=7";
  ok(!op2i_costs_check(good) && !op2i_costs_check(NULL), "others are not");
  ok(op2i_cost_of(good, "a", false) == 1.5 && op2i_cost_of(good, "b", false) == 2 &&
         op2i_cost_of(good, "a", true) == 0.25 && op2i_cost_of(good, "b", true) == -1 &&
         op2i_cost_of_copy(good) == 1000 && op2i_cost_of_byte(good) == 0.5 &&
         op2i_cost_of_byte("a:cpu=1") == -1 && op2i_cost_of_copy(NULL) == -1,
     "and are read");
}

/* A backend without a device runs everything on the host. */
static void without_device(void) {
  op2_context ctx;
  op2_options options = {.backend = "sequential"};
  setenv("OP2_PLACE", "*:device", 1);
  if (CHECK(op2_init(&options, &ctx))) {
    ok(!ctx->device, "sequential has no device, whatever OP2_PLACE says");
    CHECK(op2_finalize(&ctx));
  }
  setenv("OP2_PLACE", "flux", 1);
  FAILS(op2_init(&options, &ctx), OP2_ERR_OPTION);
  unsetenv("OP2_PLACE");
}

static const char *unfit(void) {
  const char *why = backend_unfit("starpu");
  return why || !backend_unfit("opencl") || !backend_unfit("cuda") ? why : backend_unfit("opencl");
}

int main(void) {
  test_environment();
  rules();
  costs();
  without_device();
  const char *why = unfit();
  if (why) {
    skip("loops beside a device: %s", why);
    return done();
  }
  want_values();
  for (int p = 0; p < EVERYWHERE; p++)
    for (int eager = 0; eager < 2; eager++) values_of("starpu", everywhere[p], eager);
  setenv("OP2_SHADOW", "1", 1);
  values_of("starpu", "*:alternate", false);
  unsetenv("OP2_SHADOW");
  if (!backend_unfit("opencl")) values_of("opencl", "*:alternate", false);
  copies();
  models();
  measured();
  dependences();
  return done();
}

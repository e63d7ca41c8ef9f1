/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "emulation_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "support.h"

struct mesh {
  op2_context ctx;
  op2_set nodes, edges;
  op2_map ends, one;
  op2_dat x, q, r, w; /* on nodes, with 1, 2, 2 and 4 values */
  op2_dat e;          /* on edges, with 1 value */
  op2_gbl sum, low, high;
};
/* ---- programs -------------------------------------------------------------------------------- */

OP2_KERNEL(wide, (const double *w, double *v), {
  for (int i = 0; i < 4; i++) v[i] = 2 * w[i] + i;
});
OP2_KERNEL(two_rows, (const double *w, double *v), {
  for (int i = 0; i < 3; i++) v[i] += w[i + 1];
});
OP2_KERNEL(parts, (const double *x, const double *u, double *v, double *sum), {
  for (int i = 0; i < 24; i++) v[i] = v[i] + x[0] * u[i % 8];
  sum[0] += v[3] + u[7];
});
OP2_KERNEL(narrow, (const double *a, double *b), { b[0] = a[0] * a[0] - 1; });
OP2_KERNEL(increment,
           (const double *xa, const double *xb, const double *qa, double *ra, double *rb), {
             double f = (xa[0] - xb[0]) * qa[1];
             ra[0] += f;
             rb[0] -= f;
             ra[1] += 1;
             rb[1] += 2;
           });
OP2_KERNEL(in_turn, (const double *e, double *x), { x[0] = x[0] + e[0]; });
OP2_KERNEL(gather_all, (const double **q, double **r), {
  r[0][0] += q[1][0];
  r[1][1] += q[0][1];
});
OP2_KERNEL(highest, (const double *e, double *x), {
  if (e[0] > x[0]) x[0] = e[0];
});
OP2_KERNEL(besides, (const double *xa, double *ra, double *e, double *sum), {
  ra[0] += xa[0];
  e[0] = 2 * xa[0];
  sum[0] += xa[0];
});
OP2_KERNEL(reduce, (const double *v, double *sum, double *low, double *high), {
  sum[0] += v[0];
  sum[1] += 2;
  if (v[0] < low[0]) low[0] = v[0];
  if (v[0] > high[0]) high[0] = v[0];
});
OP2_KERNEL(locate, (const double *v, double *sum, double *low, double *which, double *at, int i), {
  sum[0] += v[0];
  sum[1] += 1;
  if (v[0] < low[0]) {
    low[0] = v[0];
    which[0] = i;
    at[0] = 2 * i;
    at[1] = v[0] + 1;
  }
});
static double scale;
static int table[3];
OP2_KERNEL(constants, (const double *x, double *q, const double *sum, const double *step), {
  q[0] = scale * x[0] + table[1] + step[0];
  q[1] = sum[0] + sum[1];
});

static op2_kernel kernel_of(struct mesh *m, const op2_kernel_desc *desc) {
  op2_kernel kernel = NULL;
  if (op2_kernel_create(m->ctx, desc, &kernel)) diag("%s: %s", desc->name, op2_error_message());
  return kernel;
}

/* A loop with a kernel of its own; the first failure stays. */
#define LOOP(desc_, set_, ...)                                                                     \
  do {                                                                                             \
    op2_kernel kernel_ = kernel_of(m, &desc_##_kernel);                                            \
    op2_status status_ = op2_par_loop(kernel_, set_, __VA_ARGS__);                                 \
    if (!out->status) out->status = status_;                                                       \
    op2_kernel_destroy(&kernel_);                                                                  \
  } while (0)

static void keep(struct outcome *out, op2_dat dat, int n) {
  if (!out->status) out->status = op2_dat_get(dat, out->values + out->n);
  out->n += n;
}

static void keep_global(struct outcome *out, op2_gbl gbl, int n) {
  if (!out->status) out->status = op2_gbl_get(gbl, out->values + out->n);
  out->n += n;
}

static void run_wide(struct mesh *m, struct outcome *out) {
  op2_dat v = NULL;
  if (op2_dat_create(m->nodes, 4, OP2_F64, NULL, "v", &v)) return;
  LOOP(wide, m->nodes, op2_arg_direct(m->w, OP2_READ), op2_arg_direct(v, OP2_WRITE));
  keep(out, v, 4 * NODES);
  op2_dat_destroy(&v);
}

static void run_two(struct mesh *m, struct outcome *out) {
  op2_dat v = NULL;
  if (op2_dat_create(m->nodes, 3, OP2_F64, NULL, "v", &v)) return;
  LOOP(two_rows, m->nodes, op2_arg_direct(m->w, OP2_READ), op2_arg_direct(v, OP2_RW));
  keep(out, v, 3 * NODES);
  op2_dat_destroy(&v);
}

static void run_parts(struct mesh *m, struct outcome *out) {
  static double start[24 * NODES];
  op2_dat u = NULL, v = NULL;
  for (int i = 0; i < 24 * NODES; i++) start[i] = (i * 7) % 61 - 30;
  if (!op2_dat_create(m->nodes, 8, OP2_F64, start, "u", &u) &&
      !op2_dat_create(m->nodes, 24, OP2_F64, start, "v", &v))
    LOOP(parts, m->nodes, op2_arg_direct(m->x, OP2_READ), op2_arg_direct(u, OP2_READ),
         op2_arg_direct(v, OP2_RW), op2_arg_gbl(m->low, OP2_INC));
  keep(out, v, 24 * NODES);
  keep_global(out, m->low, 1);
  op2_dat_destroy(&u);
  op2_dat_destroy(&v);
}

static void run_narrow(struct mesh *m, struct outcome *out) {
  LOOP(narrow, m->nodes, op2_arg_direct(m->x, OP2_READ), op2_arg_direct(m->x, OP2_WRITE));
  keep(out, m->x, NODES);
}

static void run_fused(struct mesh *m, struct outcome *out) {
  op2_dat v = NULL;
  if (op2_dat_create(m->nodes, 4, OP2_F64, NULL, "v", &v)) return;
  LOOP(wide, m->nodes, op2_arg_direct(m->w, OP2_READ), op2_arg_direct(v, OP2_WRITE));
  LOOP(wide, m->nodes, op2_arg_direct(v, OP2_READ), op2_arg_direct(m->w, OP2_WRITE));
  op2_dat_destroy(&v);
  keep(out, m->w, 4 * NODES);
}

static void run_increment(struct mesh *m, struct outcome *out) {
  LOOP(increment, m->edges, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
       op2_arg_dat(m->x, 1, m->ends, OP2_READ), op2_arg_dat(m->q, 0, m->ends, OP2_READ),
       op2_arg_dat(m->r, 0, m->ends, OP2_INC), op2_arg_dat(m->r, 1, m->ends, OP2_INC));
  keep(out, m->r, 2 * NODES);
}

static void run_vector(struct mesh *m, struct outcome *out) {
  LOOP(gather_all, m->edges, op2_arg_dat(m->q, OP2_ALL, m->ends, OP2_READ),
       op2_arg_dat(m->r, OP2_ALL, m->ends, OP2_INC));
  keep(out, m->r, 2 * NODES);
}

static void run_highest(struct mesh *m, struct outcome *out) {
  LOOP(highest, m->edges, op2_arg_direct(m->e, OP2_READ), op2_arg_dat(m->x, 1, m->ends, OP2_MAX));
  keep(out, m->x, NODES);
}

static void run_besides(struct mesh *m, struct outcome *out) {
  LOOP(besides, m->edges, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
       op2_arg_dat(m->r, 1, m->ends, OP2_INC), op2_arg_direct(m->e, OP2_WRITE),
       op2_arg_gbl(m->low, OP2_INC));
  keep(out, m->r, 2 * NODES);
  keep(out, m->e, EDGES);
  keep_global(out, m->low, 1);
}

static void run_in_turn(struct mesh *m, struct outcome *out) {
  LOOP(in_turn, m->edges, op2_arg_direct(m->e, OP2_READ), op2_arg_dat(m->x, 0, m->one, OP2_RW));
  keep(out, m->x, NODES);
}

static bool have_many(struct mesh *m, op2_set *many, op2_dat *v) {
  double *start = malloc(MANY * sizeof *start);
  for (int i = 0; i < MANY; i++) start[i] = (i * 8 + 5) % 1001 - 500;
  bool have = !op2_set_create(m->ctx, MANY, "many", many) &&
              !op2_dat_create(*many, 1, OP2_F64, start, "v", v);
  free(start);
  return have;
}

static void run_reduce(struct mesh *m, struct outcome *out) {
  op2_set many = NULL;
  op2_dat v = NULL;
  if (have_many(m, &many, &v))
    LOOP(reduce, many, op2_arg_direct(v, OP2_READ), op2_arg_gbl(m->sum, OP2_INC),
         op2_arg_gbl(m->low, OP2_MIN), op2_arg_gbl(m->high, OP2_MAX));
  keep_global(out, m->sum, 2);
  keep_global(out, m->low, 1);
  keep_global(out, m->high, 1);
  op2_dat_destroy(&v);
  op2_set_destroy(&many);
}

static void run_locate(struct mesh *m, struct outcome *out) {
  op2_set many = NULL;
  op2_dat v = NULL;
  op2_gbl at = NULL;
  if (!op2_gbl_create(m->ctx, 2, OP2_F64, NULL, "at", &at) && have_many(m, &many, &v))
    LOOP(locate, many, op2_arg_direct(v, OP2_READ), op2_arg_gbl(m->sum, OP2_INC),
         op2_arg_gbl(m->low, OP2_MIN), op2_arg_info(m->high, 2), op2_arg_info(at, 2),
         op2_arg_idx());
  keep_global(out, m->sum, 2);
  keep_global(out, m->low, 1);
  keep_global(out, m->high, 1);
  keep_global(out, at, 2);
  op2_gbl_destroy(&at);
  op2_dat_destroy(&v);
  op2_set_destroy(&many);
}

static void run_subset(struct mesh *m, struct outcome *out) {
  op2_set some = NULL;
  int64_t idx[300];
  for (int i = 0; i < 300; i++) idx[i] = 6 * i + 3;
  if (op2_subset_create(m->edges, 300, idx, "some", &some)) return;
  LOOP(increment, some, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
       op2_arg_dat(m->x, 1, m->ends, OP2_READ), op2_arg_dat(m->q, 0, m->ends, OP2_READ),
       op2_arg_dat(m->r, 0, m->ends, OP2_INC), op2_arg_dat(m->r, 1, m->ends, OP2_INC));
  keep(out, m->r, 2 * NODES);
  op2_set_destroy(&some);
}

static void run_constants(struct mesh *m, struct outcome *out) {
  op2_const a = NULL, b = NULL;
  const double step = 0.25, three = 3;
  if (op2_const_create(m->ctx, 1, OP2_F64, &three, "scale", &a) ||
      op2_const_create(m->ctx, 3, OP2_I32, (const int32_t[]){4, 5, 6}, "table", &b))
    return;
  LOOP(constants, m->nodes, op2_arg_direct(m->x, OP2_READ), op2_arg_direct(m->q, OP2_WRITE),
       op2_arg_gbl(m->sum, OP2_READ), op2_arg_val(&step, 1, OP2_F64));
  keep(out, m->q, 2 * NODES);
  op2_const_destroy(&a);
  op2_const_destroy(&b);
}

typedef void program_fn(struct mesh *m, struct outcome *out);
static const struct {
  const char *name;
  program_fn *run;
} programs[PROGRAMS] = {
    [WIDE] = {"rows by way of shared memory", run_wide},
    [TWO] = {"rows of two dats", run_two},
    [PARTS] = {"parts of rows and a sum", run_parts},
    [NARROW] = {"an item for each element", run_narrow},
    [FUSED] = {"loops made one", run_fused},
    [INCREMENT] = {"an item for each target", run_increment},
    [VECTOR] = {"all slots of a map", run_vector},
    [HIGHEST] = {"maxima of targets", run_highest},
    [BESIDES] = {"targets, elements and a sum", run_besides},
    [IN_TURN] = {"colours", run_in_turn},
    [REDUCE] = {"reductions", run_reduce},
    [LOCATE] = {"a minimum and whose it is", run_locate},
    [SUBSET] = {"a subset", run_subset},
    [CONSTANTS] = {"constants and globals", run_constants},
};

const char *emulation_name(enum emulation_program program) { return programs[program].name; }

/* ---- a program on a backend ------------------------------------------------------------------ */

static op2_status make_mesh(struct mesh *m) {
  static int32_t ends[2 * EDGES], one[EDGES];
  static double start[4 * NODES + EDGES];
  const double zeros[2] = {0, 0};
  op2_status status;
  for (int i = 0; i < 4 * NODES + EDGES; i++) start[i] = (i * 13) % 64 - 20;
  for (int e = 0; e < EDGES; e++) {
    ends[2 * e] = e % NODES;
    ends[2 * e + 1] = (e * 5 + 1) % NODES;
    one[e] = (e / 3) % NODES;
  }
  if ((status = op2_set_create(m->ctx, NODES, "nodes", &m->nodes)) ||
      (status = op2_set_create(m->ctx, EDGES, "edges", &m->edges)) ||
      (status = op2_map_create(m->edges, m->nodes, 2, ends, "ends", &m->ends)) ||
      (status = op2_map_create(m->edges, m->nodes, 1, one, "one", &m->one)) ||
      (status = op2_dat_create(m->nodes, 1, OP2_F64, start, "x", &m->x)) ||
      (status = op2_dat_create(m->nodes, 2, OP2_F64, start + 1, "q", &m->q)) ||
      (status = op2_dat_create(m->nodes, 2, OP2_F64, start + 2, "r", &m->r)) ||
      (status = op2_dat_create(m->nodes, 4, OP2_F64, start, "w", &m->w)) ||
      (status = op2_dat_create(m->edges, 1, OP2_F64, start, "e", &m->e)) ||
      (status = op2_gbl_create(m->ctx, 2, OP2_F64, zeros, "sum", &m->sum)) ||
      (status = op2_gbl_create(m->ctx, 1, OP2_F64, zeros, "low", &m->low)))
    return status;
  return op2_gbl_create(m->ctx, 1, OP2_F64, zeros, "high", &m->high);
}

static void free_mesh(struct mesh *m) {
  op2_gbl_destroy(&m->sum);
  op2_gbl_destroy(&m->low);
  op2_gbl_destroy(&m->high);
  op2_dat *const dats[] = {&m->x, &m->q, &m->r, &m->w, &m->e};
  for (int d = 0; d < 5; d++) op2_dat_destroy(dats[d]);
  op2_map_destroy(&m->ends);
  op2_map_destroy(&m->one);
  op2_set_destroy(&m->nodes);
  op2_set_destroy(&m->edges);
}

void emulation_run(const char *backend, enum emulation_program program, const char *cache,
                   struct outcome *out) {
  struct mesh m = {0};
  op2_options options = {.backend = backend, .cache_dir = cache, .log_level = 1, .threads = 2};
  memset(out, 0, sizeof *out);
  out->status = op2_init(&options, &m.ctx);
  if (!out->status) out->status = make_mesh(&m);
  if (!out->status) programs[program].run(&m, out);
  if (out->status) snprintf(out->message, sizeof out->message, "%s", op2_error_message());
  if (m.ctx && m.ctx->device) {
    out->launches = m.ctx->device->counts.launches;
    out->host_runs = m.ctx->device->counts.host_runs;
  }
  free_mesh(&m);
  (void)!op2_finalize(&m.ctx);
}

bool emulation_same(const struct outcome *a, const struct outcome *b) {
  return !a->status && !b->status && a->n > 0 && a->n == b->n &&
         memcmp(a->values, b->values, (size_t)a->n * sizeof *a->values) == 0;
}

const struct outcome *emulation_expected(enum emulation_program program) {
  static struct outcome expected[PROGRAMS];
  struct outcome *out = &expected[program];
  if (out->n > 0) return out;
  emulation_run("sequential", program, test_cache(), out);
  ok(!out->status && out->n > 0, "%s: on the host", programs[program].name);
  return out;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void *compiler;
static int (*planted)(void); /* number of planted faults since the last call */

bool emulation_begin(void) {
  const bool hip = emulation_is_hip();
  test_environment();
  setenv("OP2_LOG", "0", 1);
  compiler = dlopen(hip ? "libhiprtc.so.7" : "libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  if (compiler) *(void **)&planted = dlsym(compiler, "op2_emulation_planted");
  if (!planted) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
    return false;
  }
  ok(!op2_backend_unavailable(emulation_backend()), "the backend has a device");
  return true;
}

void emulation_end(void) {
  if (compiler) dlclose(compiler);
  compiler = NULL;
}

static int count_lines(const char *plant) {
  int n = 0;
  while (plant && *plant == 's') {
    n++;
    plant = strchr(strchr(strchr(plant + 2, plant[1]) + 1, plant[1]), '\n');
    if (plant) plant++;
  }
  return n;
}

void emulation_find(const struct emulation_fault *fault, const char *strategy, const char *device) {
  static struct outcome got;
  static int number;
  const struct outcome *expected = emulation_expected(fault->program);
  char cache[4200];
  /* Cached binaries were compiled without the fault. */
  snprintf(cache, sizeof cache, "%.4000s/fault%d", test_scratch(), number++);
  setenv("OP2_TEST_PLANT", fault->plant, 1);
  setenv("OP2_TEST_EMULATION", device, 1);
  setenv("OP2_DEVICE_STRATEGY", strategy, 1);
  (void)planted();
  emulation_run(emulation_backend(), fault->program, cache, &got);
  unsetenv("OP2_TEST_PLANT");
  unsetenv("OP2_TEST_EMULATION");
  unsetenv("OP2_DEVICE_STRATEGY");
  is_int(planted(), count_lines(fault->plant), "planted: %s", fault->name);
  const char *report = strstr(got.message, "block");
  const bool reported = got.status == OP2_ERR_FATAL && report && got.launches > 0 && fault->says &&
                        strstr(got.message, fault->says);
  const bool wrong = !got.status && got.launches > 0 && !emulation_same(&got, expected);
  if (!ok(fault->says ? reported : wrong, "%s%sfound by %s", strategy, *strategy ? ": " : "",
          reported ? report : "its result"))
    diag("%s: %s", op2_status_name(got.status), got.message);
}

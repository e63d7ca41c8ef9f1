/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend `cuda` as it is, on the emulation of a device (test/emulation): programs of all ways to run a
 * loop give what `sequential` gives, in whatever order threads and blocks come; and of faults that are
 * planted in their text each is found. Needs a C++ compiler for the device's code. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "support.h"

/* Neither is a multiple of what runs together; reductions have more tiles than a fold has positions. */
enum { NODES = 1003, EDGES = 2009, MANY = 256 * 257 + 5, VALUES = 4 * NODES + EDGES + 64 };

struct mesh {
  op2_context ctx;
  op2_set nodes, edges;
  op2_map ends, one;
  op2_dat x, q, r, w; /* of nodes: 1, 2, 2 and 4 values */
  op2_dat e;          /* of edges: 1 */
  op2_gbl sum, low, high;
};

struct outcome {
  op2_status status;
  char message[1024];
  int64_t launches;
  int n;
  double values[VALUES];
};

/* ---- programs -------------------------------------------------------------------------------- */

OP2_KERNEL(wide, (const double *w, double *v), {
  for (int i = 0; i < 4; i++) v[i] = 2 * w[i] + i;
});
OP2_KERNEL(two_rows, (const double *w, double *v), {
  for (int i = 0; i < 3; i++) v[i] += w[i + 1];
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

static void run_reduce(struct mesh *m, struct outcome *out) {
  op2_set many = NULL;
  op2_dat v = NULL;
  double *start = malloc(MANY * sizeof *start);
  for (int i = 0; i < MANY; i++) start[i] = (i * 7) % 1001 - 500;
  if (!op2_set_create(m->ctx, MANY, "many", &many) &&
      !op2_dat_create(many, 1, OP2_F64, start, "v", &v))
    LOOP(reduce, many, op2_arg_direct(v, OP2_READ), op2_arg_gbl(m->sum, OP2_INC),
         op2_arg_gbl(m->low, OP2_MIN), op2_arg_gbl(m->high, OP2_MAX));
  keep_global(out, m->sum, 2);
  keep_global(out, m->low, 1);
  keep_global(out, m->high, 1);
  op2_dat_destroy(&v);
  op2_set_destroy(&many);
  free(start);
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
static const struct program {
  const char *name;
  program_fn *run;
} programs[] = {
    {"rows by way of shared memory", run_wide},
    {"rows of two dats", run_two},
    {"an item for each element", run_narrow},
    {"loops made one", run_fused},
    {"an item for each target", run_increment},
    {"all slots of a map", run_vector},
    {"maxima of targets", run_highest},
    {"targets, elements and a sum", run_besides},
    {"colours", run_in_turn},
    {"reductions", run_reduce},
    {"a subset", run_subset},
    {"constants and globals", run_constants},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

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

static void run_on(const char *backend, const struct program *program, const char *cache,
                   struct outcome *out) {
  struct mesh m = {0};
  op2_options options = {.backend = backend, .cache_dir = cache, .log_level = 1, .threads = 2};
  memset(out, 0, sizeof *out);
  out->status = op2_init(&options, &m.ctx);
  if (!out->status) out->status = make_mesh(&m);
  if (!out->status) program->run(&m, out);
  if (out->status) snprintf(out->message, sizeof out->message, "%s", op2_error_message());
  if (m.ctx && m.ctx->device) out->launches = m.ctx->device->counts.launches;
  free_mesh(&m);
  (void)!op2_finalize(&m.ctx);
}

static bool same(const struct outcome *a, const struct outcome *b) {
  return !a->status && !b->status && a->n > 0 && a->n == b->n &&
         memcmp(a->values, b->values, (size_t)a->n * sizeof *a->values) == 0;
}

enum { INCREMENT = 4 }; /* of these */
static struct outcome expected[PROGRAMS], got;

/* ---- what is right --------------------------------------------------------------------------- */

static const char *const devices[] = {
    "order=1", "order=2", "order=3", "threads=32", "threads=64", "sm=90", "check=0", "pinned=0",
};

/* Ways to add through maps; what a loop does not fit runs in another. */
static const char *const strategies[] = {"repeat", "staged", "unstaged", "gather", "atomics"};

static void strategies_agree(int p) {
  for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
    setenv("OP2_DEVICE_STRATEGY", strategies[s], 1);
    run_on("cuda", &programs[p], test_cache(), &got);
    if (!ok(same(&got, &expected[p]) && got.launches > 0, "%s: the same bits, %s", programs[p].name,
            strategies[s]))
      diag("%s, %lld launches", got.message, (long long)got.launches);
  }
  unsetenv("OP2_DEVICE_STRATEGY");
}

static void all_agree(void) {
  for (int p = 0; p < PROGRAMS; p++) {
    run_on("sequential", &programs[p], test_cache(), &expected[p]);
    ok(!expected[p].status && expected[p].n > 0, "%s: on the host", programs[p].name);
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
      setenv("OP2_TEST_EMULATION", devices[d], 1);
      run_on("cuda", &programs[p], test_cache(), &got);
      if (!ok(same(&got, &expected[p]) && got.launches > 0, "%s: the same bits, %s",
              programs[p].name, devices[d]))
        diag("%s, %lld launches", got.message, (long long)got.launches);
    }
    unsetenv("OP2_TEST_EMULATION");
    strategies_agree(p);
  }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* `says`: what the report says among other things; null where it is the result that tells. */
static const struct fault {
  const char *name;
  program_fn *run;
  const char *plant, *says;
} faults[] = {
    {"no barrier before rows are taken from shared memory", run_wide,
     "s~    op2_wait();\n    if (op2_item() < op2_live) {~    if (op2_item() < op2_live) {~", ""},
    {"no barrier before shared memory is used again", run_two, "s~    }\n    op2_wait();~    }\n~",
     "barrier"},
    {"no barrier before rows go out", run_wide,
     "s~= op2_row1[3];\n    op2_wait();~= op2_row1[3];\n~", "barrier"},
    {"a barrier that not all reach", run_wide,
     "s~    op2_wait();\n    if (op2_item() <~    if (op2_item() < op2_live) op2_wait();\n    if "
     "(op2_item() <~",
     "is at the barrier"},
    {"a row's index in shared memory, taken", run_wide,
     "s~op2_shared)[4 * op2_item() + 0];~op2_shared)[4 * op2_item() + 1];~", NULL},
    {"a row's index in shared memory, put", run_wide,
     "s~op2_shared)[4 * op2_item() + 3] =~op2_shared)[4 * op2_item() + 4] =~", "writes"},
    {"a row's index in memory", run_wide,
     "s~op2_dat1[4 * op2_base + op2_i] =~op2_dat1[4 * op2_base + op2_i + 1] =~", "writes"},
    {"all blocks at the first one's place", run_wide,
     "s~op2_base = op2_lo + op2_group() * op2_items()~op2_base = op2_lo~", "another block"},
    {"an element too many", run_narrow, "s~if (op2_position < op2_hi)~if (op2_position <= op2_hi)~",
     "outside"},
    {"a target too many", run_increment, "s~if (op2_at >= op2_n0)~if (op2_at > op2_n0)~",
     "outside"},
    {"a target's number", run_increment, "s~: op2_at;~: op2_at + 1;~", ""},
    {"two items for a target", run_increment, "s~: op2_at;~: op2_at / 2;~", "barrier"},
    {"an index of a table", run_increment, "s~op2_t2[op2_i]~op2_t2[op2_i + 1]~", ""},
    {"an entry too many", run_increment,
     "s~op2_i < op2_t1[op2_at + 1]~op2_i <= op2_t1[op2_at + 1]~", ""},
    {"the wrong column", run_increment, "s~op2_column == 0~op2_column == 1~", NULL},
    {"an address that is not aligned", run_increment,
     "s~op2_load2(double, op2_dat1 + 2 *~op2_load2(double, op2_dat1 + 1 + 2 *~", "aligned"},
    {"all colours at once", run_in_turn, "s~!= op2_turn) continue~< 0) continue~", ""},
    {"colours that are not told apart", run_in_turn,
     "s~op2_t2[op2_position - op2_lo] != op2_turn~op2_turn != 0~", "barrier"},
    {"no barrier between colours", run_in_turn, "s~    }\n    op2_wait();\n  }\n~    }\n  }\n~",
     ""},
    {"the block after", run_in_turn,
     "s~op2_t0[op2_n1 + op2_group()]~op2_t0[op2_n1 + op2_group() + 1]~", ""},
    {"no barrier before a tree", run_reduce,
     "s~  op2_wait();\n  for (int op2_width~  for (int op2_width~", ""},
    {"no barrier between a tree's levels", run_reduce,
     "s~    op2_wait();\n  }\n  if (op2_item() == 0)~  }\n  if (op2_item() == 0)~", "barrier"},
    {"values that nobody set", run_reduce, "s~op2_lane < 256;~op2_lane < 128;~", "never written"},
    {"the stride of partial results", run_reduce,
     "s~(op2_partial + 1 * op2_n0))[op2_group()]~(op2_partial + 0 * op2_n0))[op2_group()]~", ""},
    {"partial results of one place", run_reduce, "s~[op2_group()] =~[0] =~", "another block"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static int (*planted)(void);

static void find_fault(int f) {
  const struct program program = {faults[f].name, faults[f].run};
  char cache[4200];
  int p = 0;
  while (programs[p].run != faults[f].run) p++;
  snprintf(cache, sizeof cache, "%.4000s/fault%d", test_scratch(), f);
  setenv("OP2_TEST_PLANT", faults[f].plant, 1);
  (void)planted();
  run_on("cuda", &program, cache, &got);
  unsetenv("OP2_TEST_PLANT");
  ok(planted() > 0, "planted: %s", faults[f].name);
  const char *report = strstr(got.message, "block");
  const bool reported = got.status == OP2_ERR_FATAL && report && got.launches > 0 &&
                        faults[f].says && strstr(got.message, faults[f].says);
  const bool wrong = !got.status && got.launches > 0 && !same(&got, &expected[p]);
  if (!ok(faults[f].says ? reported : wrong, "found by %s", reported ? report : "its result"))
    diag("%s: %s", op2_status_name(got.status), got.message);
}

/* ---- a device that ends, or has too little --------------------------------------------------- */

static void lost(void) {
  char setting[32];
  int failed = 0, right = 0, other = 0;
  for (int n = 1; n <= 60; n++) {
    snprintf(setting, sizeof setting, "lost=%d", n);
    setenv("OP2_TEST_EMULATION", setting, 1);
    run_on("cuda", &programs[INCREMENT], test_cache(), &got);
    failed += got.status == OP2_ERR_FATAL && strstr(got.message, "lost");
    right += same(&got, &expected[INCREMENT]);
    other += got.status && got.status != OP2_ERR_FATAL;
  }
  ok(failed > 0 && other == 0, "a device that is lost is told: %d times", failed);
  ok(failed + right == 60, "and else results are right: %d times", right);
  unsetenv("OP2_TEST_EMULATION");
  run_on("cuda", &programs[INCREMENT], test_cache(), &got);
  ok(same(&got, &expected[INCREMENT]), "the next context has it again");
}

static void little_memory(void) {
  int failed = 0, right = 0, other = 0;
  char setting[32];
  for (int kib = 1; kib <= 256; kib *= 2) {
    snprintf(setting, sizeof setting, "memory=%d", kib * 1024);
    setenv("OP2_TEST_EMULATION", setting, 1);
    run_on("cuda", &programs[INCREMENT], test_cache(), &got);
    failed += got.status == OP2_ERR_NOMEM;
    right += same(&got, &expected[INCREMENT]);
    other += got.status && got.status != OP2_ERR_NOMEM;
  }
  ok(right > 0 && other == 0, "a device of little memory: %d times too little, %d times enough",
     failed, right);
  unsetenv("OP2_TEST_EMULATION");
}

int main(void) {
  test_environment();
  setenv("OP2_LOG", "0", 1);
  void *nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  if (nvrtc) *(void **)&planted = dlsym(nvrtc, "op2_emulation_planted");
  if (!planted) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
    return done();
  }
  ok(!op2_backend_unavailable("cuda"), "the backend has a device");
  all_agree();
  for (int f = 0; f < FAULTS; f++) find_fault(f);
  lost();
  little_memory();
  dlclose(nvrtc);
  return done();
}

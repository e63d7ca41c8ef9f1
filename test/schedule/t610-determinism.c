/* SPDX-License-Identifier: BSD-3-Clause */
/* Results have the same bits for any number of workers, lazy and eager, run after run, in scalar
 * code and in vectors of any width. The program adds floating-point numbers through maps and into
 * globals on a shuffled triangulation, where any change of order shows in the last digits. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum {
  SIDE = 61,
  NODES = SIDE * SIDE,
  CELLS = 2 * (SIDE - 1) * (SIDE - 1),
  STEPS = 4,
  REPEATS = 5,
  WORKERS = 4
};

/* The results of one run. */
struct result {
  double u[NODES], history[STEPS][2], over_cells[2], over_some;
  float single, squares[2];
};

OP2_KERNEL(flux,
           (const double *a, const double *b, const double *c, double *ra, double *rb, double *rc),
           {
             const double mean = (a[0] + b[0] + c[0]) / 3.0;
             ra[0] += sin(mean - a[0]) / 7.0;
             rb[0] += sin(mean - b[0]) / 7.0;
             rc[0] += sin(mean - c[0]) / 7.0;
           });
OP2_KERNEL(advance, (double *u, double *r, double *sum, double *top), {
  u[0] += 0.3 * r[0];
  sum[0] += r[0] * r[0];
  if (r[0] > *top) *top = r[0];
  r[0] = 0;
});
OP2_KERNEL(add_all, (const double *u, float *s), { *s += (float)u[0]; });
/* The kernel adds to one sum twice, the second time for some elements only. */
OP2_KERNEL(add_cells, (const double *a, const double *b, double *s), {
  s[0] += a[0] * b[0];
  if (a[0] > b[0]) s[0] += 1 / (1 + a[0]);
  s[1] -= a[0] / 3;
});
OP2_KERNEL(add_some, (const double *u, double *s), { *s += u[0] / 7; });
OP2_KERNEL(add_squares, (const float *w, float *s), {
  s[0] += *w * *w;
  s[1] += *w;
});

static int32_t corner[3 * CELLS];
static double start[NODES];
static float start_single[NODES];
static int64_t some[NODES / 3];

static void shuffle(uint64_t *random, int n, int32_t *order) {
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    const int j = draw_below(random, i + 1);
    const int32_t swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
}

static void make_mesh(void) {
  static int32_t node[NODES], cell[CELLS];
  uint64_t random = 2024;
  int n = 0;
  shuffle(&random, NODES, node);
  shuffle(&random, CELLS, cell);
  for (int j = 0; j + 1 < SIDE; j++)
    for (int i = 0; i + 1 < SIDE; i++) {
      const int at = j * SIDE + i;
      const int triangles[2][3] = {{at, at + 1, at + SIDE}, {at + 1, at + SIDE + 1, at + SIDE}};
      for (int t = 0; t < 2; t++, n++)
        for (int k = 0; k < 3; k++) corner[3 * cell[n] + k] = node[triangles[t][k]];
    }
  for (int i = 0; i < NODES; i++) start[i] = (double)draw_below(&random, 1000003) / 977.0;
  for (int i = 0; i < NODES; i++) start_single[i] = (float)start[i] / 3;
  for (int i = 0; i < NODES / 3; i++) some[i] = 3 * i + draw_below(&random, 3);
}

struct objects {
  op2_set cells, nodes, some;
  op2_map c2n;
  op2_dat u, r, w;
  op2_gbl sum[STEPS], top[STEPS], single, over_cells, over_some, squares;
  op2_kernel flux, advance, add_all, add_cells, add_some, add_squares;
};

#define DO(call)                                                                                   \
  if ((status = (call)) != OP2_SUCCESS) return status

static op2_status declare(op2_context ctx, struct objects *o) {
  op2_status status;
  DO(op2_set_create(ctx, CELLS, "cells", &o->cells));
  DO(op2_set_create(ctx, NODES, "nodes", &o->nodes));
  DO(op2_map_create(o->cells, o->nodes, 3, corner, "c2n", &o->c2n));
  DO(op2_dat_create(o->nodes, 1, OP2_F64, start, "u", &o->u));
  DO(op2_dat_create(o->nodes, 1, OP2_F64, NULL, "r", &o->r));
  DO(op2_subset_create(o->nodes, NODES / 3, some, "some", &o->some));
  DO(op2_dat_create(o->nodes, 1, OP2_F32, start_single, "w", &o->w));
  DO(op2_gbl_create(ctx, 1, OP2_F32, NULL, "single", &o->single));
  DO(op2_gbl_create(ctx, 2, OP2_F64, NULL, "over_cells", &o->over_cells));
  DO(op2_gbl_create(ctx, 1, OP2_F64, NULL, "over_some", &o->over_some));
  DO(op2_gbl_create(ctx, 2, OP2_F32, NULL, "squares", &o->squares));
  for (int s = 0; s < STEPS; s++) {
    DO(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &o->sum[s]));
    DO(op2_gbl_create(ctx, 1, OP2_F64, (double[]){-1e9}, "top", &o->top[s]));
  }
  DO(op2_kernel_create(ctx, &flux_kernel, &o->flux));
  DO(op2_kernel_create(ctx, &advance_kernel, &o->advance));
  DO(op2_kernel_create(ctx, &add_cells_kernel, &o->add_cells));
  DO(op2_kernel_create(ctx, &add_some_kernel, &o->add_some));
  DO(op2_kernel_create(ctx, &add_squares_kernel, &o->add_squares));
  return op2_kernel_create(ctx, &add_all_kernel, &o->add_all);
}

/* Sum through a map, over a subset, and in single precision, alone and, if the loops are fused,
 * together with double precision. */
static op2_status add_up(struct objects *o) {
  op2_status status;
  DO(op2_par_loop(o->add_cells, o->cells, op2_arg_dat(o->u, 0, o->c2n, OP2_READ),
                  op2_arg_dat(o->u, 2, o->c2n, OP2_READ), op2_arg_gbl(o->over_cells, OP2_INC)));
  DO(op2_par_loop(o->add_some, o->some, op2_arg_direct(o->u, OP2_READ),
                  op2_arg_gbl(o->over_some, OP2_INC)));
  DO(op2_par_loop(o->add_squares, o->nodes, op2_arg_direct(o->w, OP2_READ),
                  op2_arg_gbl(o->squares, OP2_INC)));
  return op2_par_loop(o->add_all, o->nodes, op2_arg_direct(o->u, OP2_READ),
                      op2_arg_gbl(o->single, OP2_INC));
}

static op2_status steps(struct objects *o, struct result *out) {
  op2_status status;
  for (int s = 0; s < STEPS; s++) {
    DO(op2_par_loop(o->flux, o->cells, op2_arg_dat(o->u, 0, o->c2n, OP2_READ),
                    op2_arg_dat(o->u, 1, o->c2n, OP2_READ), op2_arg_dat(o->u, 2, o->c2n, OP2_READ),
                    op2_arg_dat(o->r, 0, o->c2n, OP2_INC), op2_arg_dat(o->r, 1, o->c2n, OP2_INC),
                    op2_arg_dat(o->r, 2, o->c2n, OP2_INC)));
    DO(op2_par_loop(o->advance, o->nodes, op2_arg_direct(o->u, OP2_RW),
                    op2_arg_direct(o->r, OP2_RW), op2_arg_gbl(o->sum[s], OP2_INC),
                    op2_arg_gbl(o->top[s], OP2_MAX)));
  }
  DO(add_up(o));
  DO(op2_dat_get(o->u, out->u));
  DO(op2_gbl_get(o->single, &out->single));
  DO(op2_gbl_get(o->over_cells, out->over_cells));
  DO(op2_gbl_get(o->over_some, &out->over_some));
  DO(op2_gbl_get(o->squares, out->squares));
  for (int s = 0; s < STEPS; s++) {
    DO(op2_gbl_get(o->sum[s], &out->history[s][0]));
    DO(op2_gbl_get(o->top[s], &out->history[s][1]));
  }
  return OP2_SUCCESS;
}
#undef DO

static void destroy(struct objects *o) {
  for (int s = 0; s < STEPS; s++) {
    op2_gbl_destroy(&o->sum[s]);
    op2_gbl_destroy(&o->top[s]);
  }
  op2_gbl_destroy(&o->single);
  op2_gbl_destroy(&o->over_cells);
  op2_gbl_destroy(&o->over_some);
  op2_gbl_destroy(&o->squares);
  op2_kernel_destroy(&o->add_cells);
  op2_kernel_destroy(&o->add_some);
  op2_kernel_destroy(&o->add_squares);
  op2_dat_destroy(&o->w);
  op2_set_destroy(&o->some);
  op2_kernel_destroy(&o->flux);
  op2_kernel_destroy(&o->advance);
  op2_kernel_destroy(&o->add_all);
  op2_dat_destroy(&o->u);
  op2_dat_destroy(&o->r);
  op2_map_destroy(&o->c2n);
  op2_set_destroy(&o->cells);
  op2_set_destroy(&o->nodes);
}

static bool run(const char *backend, int workers, bool eager, int block_size, struct result *out) {
  const struct config config = {backend, eager, block_size};
  op2_options options = config_options(&config);
  op2_context ctx = NULL;
  struct objects objects = {0};
  memset(out, 0, sizeof *out);
  options.threads = workers;
  bool good = op2_init(&options, &ctx) == OP2_SUCCESS && declare(ctx, &objects) == OP2_SUCCESS &&
              steps(&objects, out) == OP2_SUCCESS;
  if (!good) diag("%s", op2_error_message());
  destroy(&objects);
  return op2_finalize(&ctx) == OP2_SUCCESS && good;
}

/* The same mesh in plain C and double, summed cell by cell: this shows that the results are right,
 * not only reproducible. */
static void reference(struct result *out) {
  static double r[NODES];
  memcpy(out->u, start, sizeof start);
  for (int s = 0; s < STEPS; s++) {
    out->history[s][0] = 0, out->history[s][1] = -1e9;
    for (int c = 0; c < CELLS; c++) {
      const int32_t *k = corner + 3 * c;
      const double mean = (out->u[k[0]] + out->u[k[1]] + out->u[k[2]]) / 3.0;
      for (int i = 0; i < 3; i++) r[k[i]] += sin(mean - out->u[k[i]]) / 7.0;
    }
    for (int i = 0; i < NODES; i++) {
      out->u[i] += 0.3 * r[i];
      out->history[s][0] += r[i] * r[i];
      out->history[s][1] = fmax(out->history[s][1], r[i]);
      r[i] = 0;
    }
  }
}

static double distance(const struct result *a, const struct result *b) {
  double worst = 0;
  for (int i = 0; i < NODES; i++)
    worst = fmax(worst, fabs(a->u[i] - b->u[i]) / (1 + fabs(b->u[i])));
  for (int s = 0; s < STEPS; s++)
    for (int h = 0; h < 2; h++)
      worst = fmax(worst, fabs(a->history[s][h] - b->history[s][h]) / (1 + fabs(b->history[s][h])));
  return worst;
}

/* Every run of one backend and block size is compared with the first. */
static void same_bits(const char *backend, int block_size, const struct result *plain) {
  static struct result first, other;
  bool have = false;
  for (int workers = 1; workers <= WORKERS; workers++)
    for (int eager = 0; eager < 2; eager++) {
      int differ = 0, failed = 0;
      for (int repeat = 0; repeat < REPEATS; repeat++) {
        struct result *to = have ? &other : &first;
        setenv("OP2_TEAM", repeat % 2 ? "1" : "0", 1); /* workers run tasks, or blocks in turn */
        failed += !run(backend, workers, eager == 1, block_size, to);
        differ += have && memcmp(&first, &other, sizeof first) != 0;
        have = true;
      }
      ok(differ == 0 && failed == 0,
         "%s, blocks of %d, %d workers, %s: %d of %d runs differ, %d fail", backend, block_size,
         workers, eager ? "eager" : "lazy", differ, REPEATS, failed);
    }
  const double error = distance(&first, plain);
  ok(error < 1e-11, "%s, blocks of %d: right to rounding (%.3g)", backend, block_size, error);
}

/* Backends that follow the same plan, or none, also give the same bits. */
static void same_on(const char *a, const char *b) {
  static struct result one, two;
  if (op2_backend_unavailable(a) || op2_backend_unavailable(b)) {
    skip("%s or %s is not there", a, b);
    return;
  }
  bool good = run(a, 2, false, 64, &one) && run(b, 2, false, 64, &two);
  ok(good && memcmp(&one, &two, sizeof one) == 0, "%s and %s agree in every bit", a, b);
}

/* Vectors of all widths, scalar code, and the processor's best width. */
static void same_in_any_width(const char *backend) {
  static const char *const widths[] = {"64", "32", "16", "0", ""};
  static struct result first, other;
  for (int eager = 1; eager >= 0; eager--)
    for (int w = 0; w < 5; w++) {
      struct result *to = w ? &other : &first;
      setenv("OP2_SIMD", widths[w], 1);
      bool good = run(backend, 2, eager, 128, to);
      ok(good && !memcmp(&first, to, sizeof first), "%s, %s, OP2_SIMD=%s: the same bits", backend,
         eager ? "eager" : "lazy", widths[w]);
    }
  unsetenv("OP2_SIMD");
}

int main(void) {
  static const char *const backends[] = {"openmp", "starpu"};
  static struct result plain;
  test_environment();
  /* Many small tasks make the workers alternate. */
  setenv("OP2_CHUNK_US", "0", 1);
  make_mesh();
  reference(&plain);
  for (int b = 0; b < 2; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why) {
      skip("%s: %s", backends[b], why);
      continue;
    }
    same_bits(backends[b], 64, &plain);
    same_bits(backends[b], 500, &plain);
    same_in_any_width(backends[b]);
  }
  same_bits("sequential", 64, &plain);
  same_on("openmp", "starpu");
  same_on("sequential", "check");
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* With OP2_NAN=1 the first loop that makes a NaN or an infinity fails on every backend, and the
 * message names element, argument, component and what the element read. What was there before is
 * not reported, and good programs are as without it. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { EDGES = 6, NODES = 5 };

OP2_KERNEL(root, (const double *x, double *y), {
  y[0] = x[0];
  y[1] = sqrt(x[0]);
});
OP2_KERNEL(spread, (const double *w, double *a, double *b), {
  *a += *w;
  *b += 1 / *w;
});
OP2_KERNEL(add, (const double *x, double *sum), { *sum += sqrt(*x); });
OP2_KERNEL(keep, (const double *x, double *y), { *y = *x; });
OP2_KERNEL(bottom, (const double *x, double *low), { *low = *x < *low ? *x : *low; });

OP2_KERNEL(block, (const double *w, double *a), {
  for (int i = 0; i < 4; i++) a[i] += 1 / *w;
});

static op2_context ctx;
static op2_set edges, nodes, some;
static op2_map ends;
static op2_dat x, y, w, sums;
static op2_kernel kernels[6];
static double values[NODES] = {1, 4, 9, 16, 25}, weights[EDGES] = {1, 2, 4, 8, 16, 32};

static bool set_up(const char *backend, const char *wish) {
  static const op2_kernel_desc *const desc[] = {&root_kernel, &spread_kernel, &add_kernel,
                                                &keep_kernel, &bottom_kernel, &block_kernel};
  static const int32_t end[EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 2}};
  static const int64_t odd[] = {1, 3, 4};
  const op2_options options = {.backend = backend, .threads = 2, .cache_dir = test_cache()};
  setenv("OP2_NAN", wish, 1);
  const char *why = backend_unfit(backend);
  if (why) return skip("%s: %s", backend, why), false;
  MUST(op2_init(&options, &ctx));
  MUST(op2_set_create(ctx, EDGES, "edges", &edges));
  MUST(op2_set_create(ctx, NODES, "nodes", &nodes));
  MUST(op2_subset_create(nodes, 3, odd, "some nodes", &some));
  MUST(op2_map_create(edges, nodes, 2, end[0], "ends", &ends));
  MUST(op2_dat_create(nodes, 1, OP2_F64, values, "x", &x));
  MUST(op2_dat_create(nodes, 2, OP2_F64, NULL, "y", &y));
  MUST(op2_dat_create(edges, 1, OP2_F64, weights, "w", &w));
  MUST(op2_dat_create(nodes, 1, OP2_F64, NULL, "sums", &sums));
  for (int k = 0; k < 6; k++) MUST(op2_kernel_create(ctx, desc[k], &kernels[k]));
  return true;
}

static void tear_down(void) {
  for (int k = 0; k < 6; k++) op2_kernel_destroy(&kernels[k]);
  op2_dat_destroy(&sums);
  op2_dat_destroy(&w);
  op2_dat_destroy(&y);
  op2_dat_destroy(&x);
  op2_map_destroy(&ends);
  op2_set_destroy(&some);
  op2_set_destroy(&nodes);
  op2_set_destroy(&edges);
  CHECK(op2_finalize(&ctx));
  unsetenv("OP2_NAN");
}

static void put(op2_dat dat, const double *from, int n, int at, double value) {
  double changed[2 * NODES];
  memcpy(changed, from, (size_t)n * sizeof *changed);
  if (at >= 0) changed[at] = value;
  MUST(op2_dat_set(dat, changed));
}

static void queue_root(op2_set set) {
  MUST(op2_par_loop(kernels[0], set, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
}

static void queue_spread(void) {
  MUST(op2_par_loop(kernels[1], edges, op2_arg_direct(w, OP2_READ),
                    op2_arg_dat(sums, 0, ends, OP2_INC), op2_arg_dat(sums, 1, ends, OP2_INC)));
}

/* Run what is queued, which fails with these words, or not at all if they are null. */
static void ends_with(const char *backend, const char *words) {
  const op2_status status = op2_flush(ctx);
  if (!words) {
    ok(!status, "%s: nothing is reported", backend);
    return;
  }
  ok(status == OP2_ERR_KERNEL && strstr(op2_error_message(), words), "%s: %s", backend,
     op2_error_message());
}

static void direct(const char *backend) {
  queue_root(nodes);
  ends_with(backend, NULL);
  put(x, values, NODES, 3, -1);
  queue_spread();
  queue_root(nodes);
  ends_with(backend, "loop 'root' over 'nodes' (loop 3): element 3 of 'nodes' makes argument 1, "
                     "component 1 of dat 'y' at 3 of 'nodes', NaN (OP2_NAN)");
  put(x, values, NODES, 4, -1);
  put(y, (double[2 * NODES]){0}, 2 * NODES, -1, 0);
  queue_root(some);
  ends_with(backend, "element 4 of 'nodes' makes argument 1, component 1");
  put(x, values, NODES, -1, 0);
}

static void through_maps(const char *backend) {
  put(sums, (double[EDGES]){0}, NODES, -1, 0);
  put(w, weights, EDGES, 2, 0);
  queue_spread();
  ends_with(backend, "element 2 of 'edges', or another one that leads there, makes argument 2, "
                     "component 0 of dat 'sums' at 3 of "
                     "'nodes', infinite (OP2_NAN)");
  put(sums, (double[EDGES]){0}, NODES, -1, 0);
  put(w, weights, EDGES, 5, NAN);
  queue_spread();
  ends_with(backend, "element 5 of 'edges' makes argument 1, component 0 of dat 'sums' at 0 of "
                     "'nodes', NaN (OP2_NAN); no loop has made the one that it reads: argument 0, "
                     "component 0 of 'w' at 5 of 'edges' is NaN");
  put(w, weights, EDGES, -1, 0);
  put(sums, (double[EDGES]){0}, NODES, 0, NAN);
  queue_spread();
  ends_with(backend, NULL);
}

static void of_globals(const char *backend) {
  const double none = 0, high = INFINITY;
  op2_gbl total = NULL, low = NULL;
  MUST(op2_gbl_create(ctx, 1, OP2_F64, &none, "total", &total));
  MUST(op2_gbl_create(ctx, 1, OP2_F64, &high, "low", &low));
  put(x, values, NODES, -1, 0);
  MUST(op2_par_loop(kernels[4], nodes, op2_arg_direct(x, OP2_READ), op2_arg_gbl(low, OP2_MIN)));
  MUST(op2_par_loop(kernels[2], nodes, op2_arg_direct(x, OP2_READ), op2_arg_gbl(total, OP2_INC)));
  ends_with(backend, NULL);
  put(x, values, NODES, 1, -1);
  MUST(op2_par_loop(kernels[2], nodes, op2_arg_direct(x, OP2_READ), op2_arg_gbl(total, OP2_INC)));
  ends_with(backend,
            !strcmp(backend, "opencl") ? NULL : "its sum in global 'total', argument 1, is NaN");
  put(x, values, NODES, -1, 0);
  MUST(op2_gbl_set(total, &high));
  MUST(op2_par_loop(kernels[2], nodes, op2_arg_direct(x, OP2_READ), op2_arg_gbl(total, OP2_INC)));
  ends_with(backend, NULL);
  MUST(op2_gbl_set(total, &none));
  put(x, values, NODES, 2, INFINITY);
  MUST(op2_par_loop(kernels[2], nodes, op2_arg_direct(x, OP2_READ), op2_arg_gbl(total, OP2_INC)));
  ends_with(backend, !strcmp(backend, "opencl")
                         ? NULL
                         : "is infinite (OP2_NAN), and element 2 of 'nodes' reads one; no loop has "
                           "made the one that it reads: argument 0, component 0 of 'x' at 2 of "
                           "'nodes' is infinite");
  op2_gbl_destroy(&low);
  op2_gbl_destroy(&total);
}

/* The library's norm of values whose squares overflow is finite, though one of its sums is not. */
static void of_norms(const char *backend) {
  double norm = 0;
  op2_gbl result = NULL;
  put(x, values, NODES, 1, 1e200);
  MUST(op2_gbl_create(ctx, 1, OP2_F64, &norm, "norm", &result));
  MUST(op2_dat_norm(x, OP2_NORM_2, result));
  ends_with(backend, NULL);
  MUST(op2_gbl_get(result, &norm));
  ok(norm == 1e200, "%s: the norm is %g", backend, norm);
  op2_gbl_destroy(&result);
  put(x, values, NODES, -1, 0);
}

/* Values that a matrix drops, as rows lead nowhere, are not reported. */
static void of_matrices(const char *backend) {
  static const int32_t end[EDGES][2] = {{0, 1}, {1, -1}, {2, 3}, {-1, -1}, {4, 0}, {-1, 2}};
  op2_map part = NULL;
  op2_sparsity pattern = NULL;
  op2_mat mat = NULL;
  MUST(op2_map_create_partial(edges, nodes, 2, end[0], "part", &part));
  MUST(op2_sparsity_create(1, &(op2_map_pair){part, part}, "pattern", &pattern));
  MUST(op2_mat_create(pattern, 1, 1, OP2_F64, "A", &mat));
  put(w, weights, EDGES, 3, 0);
  MUST(op2_par_loop(kernels[5], edges, op2_arg_direct(w, OP2_READ),
                    op2_arg_mat(mat, part, part, OP2_INC)));
  ends_with(backend, NULL);
  put(w, weights, EDGES, 4, 0);
  MUST(op2_par_loop(kernels[5], edges, op2_arg_direct(w, OP2_READ),
                    op2_arg_mat(mat, part, part, OP2_INC)));
  ends_with(backend, "makes argument 1, component 0 of a nonzero of matrix 'A', infinite");
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&pattern);
  op2_map_destroy(&part);
}

/* Infinities are none of the search's business with OP2_NAN=2, and nothing is with 0. */
static void wishes(const char *backend) {
  for (int wish = 0; wish <= 2; wish++) {
    char text[2] = {(char)('0' + wish), '\0'};
    if (!set_up(backend, text)) return;
    put(w, weights, EDGES, 2, 0);
    queue_spread();
    ends_with(backend, wish == 1 ? "infinite" : NULL);
    put(x, values, NODES, 1, -1);
    queue_root(nodes);
    ends_with(backend, wish ? "NaN" : NULL);
    tear_down();
  }
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check", "opencl"};
  test_environment();
  for (int b = 0; b < 5; b++) {
    if (!set_up(backends[b], "1")) continue;
    direct(backends[b]);
    through_maps(backends[b]);
    of_globals(backends[b]);
    of_norms(backends[b]);
    of_matrices(backends[b]);
    tear_down();
    wishes(backends[b]);
  }
  return done();
}

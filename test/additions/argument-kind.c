/* SPDX-License-Identifier: BSD-3-Clause */
#include "addition.h"
/* Uses the kind of argument that argument-kind.patch adds, an array of zeros: each edge adds the
 * values of its two nodes and its own there, sorts them, and adds the middle one to both nodes, on
 * every backend of the host. */

enum { N = 500 };

OP2_KERNEL(middle,
           (const double *a, const double *w, double *work, const double *b, double *ra, double *rb,
            double *least),
           {
             work[0] += *a;
             work[1] += *w;
             work[2] += *b;
             for (int i = 0; i < 2; i++)
               for (int k = 0; k < 2 - i; k++)
                 if (work[k] > work[k + 1]) {
                   const double larger = work[k];
                   work[k] = work[k + 1];
                   work[k + 1] = larger;
                 }
             *ra += work[1];
             *rb += work[1];
             if (work[0] < *least) *least = work[0];
           });

static double middle_of(double a, double b, double c) {
  const double low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

static int sort_on(const char *backend) {
  static double x[N], w[N], want[N], got[N];
  static int32_t ends[2 * N];
  double least = 1000, found = 0;
  op2_context ctx;
  op2_set edges, nodes;
  op2_map map;
  op2_dat values, weights, sums;
  op2_gbl lowest;
  op2_kernel kernel;
  for (int i = 0; i < N; i++)
    x[i] = (i * 37) % 101, w[i] = (i * 53) % 97, ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % N;
  for (int i = 0; i < N; i++) want[i] = 0;
  for (int i = 0; i < N; i++) {
    const double m = middle_of(x[i], w[i], x[(i + 1) % N]);
    want[i] += m, want[(i + 1) % N] += m;
  }
  DO(op2_init(&(op2_options){.backend = backend, .threads = 2, .block_size = 64}, &ctx));
  DO(op2_set_create(ctx, N, "edges", &edges));
  DO(op2_set_create(ctx, N, "nodes", &nodes));
  DO(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  DO(op2_dat_create(nodes, 1, OP2_F64, x, "x", &values));
  DO(op2_dat_create(edges, 1, OP2_F64, w, "w", &weights));
  DO(op2_dat_create(nodes, 1, OP2_F64, NULL, "sums", &sums));
  DO(op2_gbl_create(ctx, 1, OP2_F64, &least, "lowest", &lowest));
  DO(op2_kernel_create(ctx, &middle_kernel, &kernel));
  DO(op2_par_loop(kernel, edges, op2_arg_dat(values, 0, map, OP2_READ),
                  op2_arg_direct(weights, OP2_READ), op2_arg_zeros(3, OP2_F64),
                  op2_arg_dat(values, 1, map, OP2_READ), op2_arg_dat(sums, 0, map, OP2_INC),
                  op2_arg_dat(sums, 1, map, OP2_INC), op2_arg_gbl(lowest, OP2_MIN)));
  DO(op2_dat_get(sums, got));
  DO(op2_gbl_get(lowest, &found));
  /* An array that the kernel's parameter does not fit, and one without values. */
  if (op2_par_loop(kernel, edges, op2_arg_dat(values, 0, map, OP2_READ),
                   op2_arg_direct(weights, OP2_READ), op2_arg_zeros(3, OP2_F32),
                   op2_arg_dat(values, 1, map, OP2_READ), op2_arg_dat(sums, 0, map, OP2_INC),
                   op2_arg_dat(sums, 1, map, OP2_INC),
                   op2_arg_gbl(lowest, OP2_MIN)) != OP2_ERR_TYPE)
    return 1;
  DO(op2_finalize(&ctx));
  int wrong = found != 0;
  for (int i = 0; i < N; i++) wrong += got[i] != want[i];
  if (wrong) fprintf(stderr, "%s: %d wrong\n", backend, wrong);
  return wrong;
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  for (int b = 0; b < 4; b++)
    if (!op2_backend_unavailable(backends[b]) && sort_on(backends[b])) return 1;
  return 0;
}

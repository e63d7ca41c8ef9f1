/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes products with the access mode that access-mode.patch adds: of a global over all elements,
 * and of the elements that meet in a node, in a ring of nodes and edges, on every host backend. */
#include <math.h>

#include "addition.h"

enum { N = 1000 };

OP2_KERNEL(meet, (const double *w, double *a, double *b, int *sign, double *all), {
  *a *= *w;
  *b *= 2;
  if (*w < 0) *sign *= -1;
  *all *= fabs(*w);
});

static double weight(int e) { return e % 3 == 0 ? -2 : e % 3 == 1 ? 0.5 : 1; }

static int products(const char *backend) {
  static double w[N], x[N], values[N];
  static int32_t ends[2 * N];
  const int32_t positive = 1;
  const double start = 3;
  int32_t sign = 0;
  double all = 0;
  op2_context ctx;
  op2_set edges, nodes;
  op2_map map;
  op2_dat weights, dat;
  op2_gbl of_sign, of_all;
  op2_kernel kernel;
  for (int i = 0; i < N; i++)
    w[i] = weight(i), x[i] = 1 + i % 5, ends[2 * i] = i, ends[2 * i + 1] = (i + 1) % N;
  DO(op2_init(&(op2_options){.backend = backend, .threads = 2, .block_size = 64}, &ctx));
  DO(op2_set_create(ctx, N, "edges", &edges));
  DO(op2_set_create(ctx, N, "nodes", &nodes));
  DO(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  DO(op2_dat_create(edges, 1, OP2_F64, w, "w", &weights));
  DO(op2_dat_create(nodes, 1, OP2_F64, x, "x", &dat));
  DO(op2_gbl_create(ctx, 1, OP2_I32, &positive, "sign", &of_sign));
  DO(op2_gbl_create(ctx, 1, OP2_F64, &start, "all", &of_all));
  DO(op2_kernel_create(ctx, &meet_kernel, &kernel));
  DO(op2_par_loop(kernel, edges, op2_arg_direct(weights, OP2_READ),
                  op2_arg_dat(dat, 0, map, OP2_MUL), op2_arg_dat(dat, 1, map, OP2_MUL),
                  op2_arg_gbl(of_sign, OP2_MUL), op2_arg_gbl(of_all, OP2_MUL)));
  DO(op2_dat_get(dat, values));
  DO(op2_gbl_get(of_sign, &sign));
  DO(op2_gbl_get(of_all, &all));
  DO(op2_finalize(&ctx));
  /* There are 334 weights of -2 and 333 of 0.5. */
  int wrong = sign != 1 || all != 3 * 2;
  for (int i = 0; i < N; i++) wrong += values[i] != x[i] * weight(i) * 2;
  if (wrong) fprintf(stderr, "%s: %d wrong, sign %d, all %g\n", backend, wrong, (int)sign, all);
  return wrong;
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  for (int b = 0; b < 4; b++)
    if (!op2_backend_unavailable(backends[b]) && products(backends[b])) return 1;
  return 0;
}

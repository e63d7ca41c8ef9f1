/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time goes: sections [nodes [steps]]
 *
 * The loops of two sections, and the table of them. The same program writes a timeline for Perfetto
 * if OP2_TRACE names a file, and the library says what became of the loops. */
#include <op2.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

OP2_KERNEL(flux, (const double *l, const double *r, double *a, double *b), {
  const double f = 0.5 * (*l + *r);
  *a -= f;
  *b += f;
});
OP2_KERNEL(update, (double dt, double *r, double *q), {
  *q += dt * *r;
  *r = 0;
});
OP2_KERNEL(norm, (const double *q, double *sum), { *sum += *q * *q; });

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100000, steps = argc > 2 ? atoi(argv[2]) : 50;
  const double dt = 1e-3;
  double sum;
  int32_t *ends = malloc(2 * sizeof *ends * (size_t)n);
  double *start = malloc(sizeof *start * (size_t)n);
  op2_context ctx;
  op2_set nodes, edges;
  op2_map to_nodes;
  op2_dat q, r;
  op2_gbl total;
  op2_kernel fluxes, updates, norms;
  if (!ends || !start || n < 2) return 1;
  for (int i = 0; i < n; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = (i + 1) % n;
    start[i] = i < n / 2;
  }
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_set_create(ctx, n, "nodes", &nodes));
  CHECK(op2_set_create(ctx, n, "edges", &edges));
  CHECK(op2_map_create(edges, nodes, 2, ends, "to_nodes", &to_nodes));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, start, "q", &q));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "r", &r));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "total", &total));
  CHECK(op2_kernel_create(ctx, &flux_kernel, &fluxes));
  CHECK(op2_kernel_create(ctx, &update_kernel, &updates));
  CHECK(op2_kernel_create(ctx, &norm_kernel, &norms));
  free(ends);
  free(start);

  for (int step = 0; step < steps; step++) {
    CHECK(op2_section_begin(ctx, "step"));
    CHECK(op2_par_loop(fluxes, edges, op2_arg_dat(q, 0, to_nodes, OP2_READ),
                       op2_arg_dat(q, 1, to_nodes, OP2_READ), op2_arg_dat(r, 0, to_nodes, OP2_INC),
                       op2_arg_dat(r, 1, to_nodes, OP2_INC)));
    CHECK(op2_par_loop(updates, nodes, op2_arg_val(&dt, 1, OP2_F64), op2_arg_direct(r, OP2_RW),
                       op2_arg_direct(q, OP2_RW)));
    CHECK(op2_section_end(ctx, "step"));
    if (step % 10 != 9) continue;
    CHECK(op2_section_begin(ctx, "norm"));
    CHECK(op2_gbl_set(total, &(double){0}));
    CHECK(op2_par_loop(norms, nodes, op2_arg_direct(q, OP2_READ), op2_arg_gbl(total, OP2_INC)));
    CHECK(op2_section_end(ctx, "norm"));
  }
  CHECK(op2_gbl_get(total, &sum));
  printf("%d steps, |q|^2 = %.6e\n", steps, sum);
  CHECK(op2_report(ctx, stdout));
  CHECK(op2_explain(ctx, stdout));
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

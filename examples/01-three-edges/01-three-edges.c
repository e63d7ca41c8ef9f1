/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 1 of doc/tutorial.md: each edge of a triangle adds its length to both of its ends. */
#include <op2.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

OP2_KERNEL(spread, (const double *length, double *a, double *b), {
  *a += length[0];
  *b += length[0];
});

int main(void) {
  const int32_t ends[] = {0, 1, 1, 2, 2, 0};
  const double lengths[] = {1, 10, 100};
  double sums[3];
  op2_context ctx;
  op2_set edges, nodes;
  op2_map to_nodes;
  op2_dat length, sum;
  op2_kernel kernel;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_set_create(ctx, 3, "edges", &edges));
  CHECK(op2_set_create(ctx, 3, "nodes", &nodes));
  CHECK(op2_map_create(edges, nodes, 2, ends, "to_nodes", &to_nodes));
  CHECK(op2_dat_create(edges, 1, OP2_F64, lengths, "length", &length));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_kernel_create(ctx, &spread_kernel, &kernel));

  CHECK(op2_par_loop(kernel, edges, op2_arg_direct(length, OP2_READ),
                     op2_arg_dat(sum, 0, to_nodes, OP2_INC),
                     op2_arg_dat(sum, 1, to_nodes, OP2_INC)));
  printf("loops that wait: %d\n", (int)op2_queued(ctx));
  CHECK(op2_dat_get(sum, sums));
  printf("loops that wait: %d\n", (int)op2_queued(ctx));
  printf("sums: %g %g %g\n", sums[0], sums[1], sums[2]);
  fprintf(stderr, "backend %s, %d workers\n", op2_backend_name(ctx), op2_workers(ctx));
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Subsets, and the graph of what waits: subsets [FILE.dot]
 *
 * A chain of 1,000 nodes has a hot half and a fixed end. The graph of the queue is written before
 * and after it has run: `dot -Tsvg FILE.dot` draws it. */
#include <op2.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

enum { NODES = 1000 };

OP2_KERNEL(warm, (double *u), { *u += 1; });
OP2_KERNEL(hold, (double *u), { *u = 0; });
OP2_KERNEL(add, (const double *u, double *total), { *total += *u; });

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "subsets.dot";
  int64_t half[NODES / 2], last[] = {NODES - 1};
  double totals[2];
  op2_context ctx;
  op2_set nodes, hot, fixed, loose, cold;
  op2_dat u;
  op2_gbl all, outside;
  op2_kernel warms, holds, adds;
  for (int i = 0; i < NODES / 2; i++) half[i] = NODES / 2 + i;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_subset_create(nodes, NODES / 2, half, "hot", &hot));
  CHECK(op2_subset_create(nodes, 1, last, "fixed", &fixed));
  CHECK(op2_subset_create_difference(hot, fixed, "loose", &loose)); /* hot and not fixed */
  CHECK(op2_subset_create_difference(nodes, hot, "cold", &cold));   /* all that is not hot */
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "u", &u));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "all", &all));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "outside", &outside));
  CHECK(op2_kernel_create(ctx, &warm_kernel, &warms));
  CHECK(op2_kernel_create(ctx, &hold_kernel, &holds));
  CHECK(op2_kernel_create(ctx, &add_kernel, &adds));

  for (int step = 0; step < 3; step++) CHECK(op2_par_loop(warms, loose, op2_arg_direct(u, OP2_RW)));
  CHECK(op2_par_loop(holds, fixed, op2_arg_direct(u, OP2_WRITE)));
  CHECK(op2_par_loop(adds, nodes, op2_arg_direct(u, OP2_READ), op2_arg_gbl(all, OP2_INC)));
  CHECK(op2_par_loop(adds, cold, op2_arg_direct(u, OP2_READ), op2_arg_gbl(outside, OP2_INC)));

  FILE *dot = fopen(path, "w");
  if (!dot) return perror(path), 1;
  CHECK(op2_graph_write_dot(ctx, dot));
  if (fclose(dot)) return perror(path), 1;
  CHECK(op2_gbl_get(all, &totals[0]));
  CHECK(op2_gbl_get(outside, &totals[1]));
  printf("%d hot, %d loose, %d cold\n", (int)op2_set_size(hot), (int)op2_set_size(loose),
         (int)op2_set_size(cold));
  printf("all: %g, cold: %g\n", totals[0], totals[1]);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

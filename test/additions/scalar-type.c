/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs loops over truth values, the type that scalar-type.patch adds: nodes are marked through a
 * map, by a kernel that says _Bool and by one that says bool, and counted. */
#include <stdbool.h>

#include "addition.h"

enum { N = 1000 };

OP2_KERNEL(mark, (const double *x, _Bool *left, _Bool *right), {
  if (*x > 0.5) *left = *right = 1;
});

static int run(const char *backend) {
  int32_t ends[2 * N], number[1];
  double x[N];
  bool marked[N + 1], expected[N + 1] = {0};
  int count = 0;
  op2_context ctx;
  op2_set edges, nodes;
  op2_map map;
  op2_dat value, marks;
  op2_gbl sum;
  op2_kernel marker, counter;
  const op2_kernel_desc count_desc = {.name = "count",
                                      .source = "#include <stdbool.h>\n#include <stdint.h>\n"
                                                "void count(const bool *m, int32_t *n) {\n"
                                                "  if (*m) *n += 1;\n}\n"};
  for (int i = 0; i < N; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = i + 1;
    x[i] = i * 7 % 31 / 30.0;
    if (x[i] > 0.5) expected[i] = expected[i + 1] = true;
  }
  for (int i = 0; i <= N; i++) count += expected[i];
  DO(op2_init(&(op2_options){.backend = backend}, &ctx));
  DO(op2_set_create(ctx, N, "edges", &edges));
  DO(op2_set_create(ctx, N + 1, "nodes", &nodes));
  DO(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  DO(op2_dat_create(edges, 1, OP2_F64, x, "x", &value));
  DO(op2_dat_create(nodes, 1, OP2_BOOL, NULL, "marks", &marks));
  DO(op2_gbl_create(ctx, 1, OP2_I32, NULL, "sum", &sum));
  DO(op2_kernel_create(ctx, &mark_kernel, &marker));
  DO(op2_kernel_create(ctx, &count_desc, &counter));
  DO(op2_par_loop(marker, edges, op2_arg_direct(value, OP2_READ),
                  op2_arg_dat(marks, 0, map, OP2_RW), op2_arg_dat(marks, 1, map, OP2_RW)));
  DO(op2_par_loop(counter, nodes, op2_arg_direct(marks, OP2_READ), op2_arg_gbl(sum, OP2_INC)));
  DO(op2_dat_get(marks, marked));
  DO(op2_gbl_get(sum, number));
  for (int i = 0; i <= N; i++)
    if (marked[i] != expected[i]) return 2;
  if (number[0] != count) return 3;
  /* Truth values are not added. */
  if (!op2_par_loop(marker, edges, op2_arg_direct(value, OP2_READ),
                    op2_arg_dat(marks, 0, map, OP2_INC), op2_arg_dat(marks, 1, map, OP2_INC)))
    return 4;
  return op2_finalize(&ctx) ? 5 : 0;
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "check"};
  for (int k = 0; k < 3; k++) {
    int bad = run(backends[k]);
    if (bad) fprintf(stderr, "%s: %d\n", backends[k], bad);
    if (bad) return bad;
  }
  return 0;
}

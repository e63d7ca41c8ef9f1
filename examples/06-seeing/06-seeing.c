/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 6 of doc/tutorial.md: a look at the loops: 06-seeing [wrong|nan] */
#include <math.h>
#include <op2.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

OP2_KERNEL(halve, (double *x), { *x = 0.5 * *x - 1; });
OP2_KERNEL(square, (const double *x, double *y), { *y = *x * *x; });
OP2_KERNEL(root, (const double *x, double *y), { *y = sqrt(*x); });
/* This kernel adds to y, though its loop says OP2_WRITE. */
OP2_KERNEL(wrong, (const double *x, double *y), { *y += *x; });

int main(int argc, char **argv) {
  const char *choice = argc > 1 ? argv[1] : "";
  const double start[] = {1, 2, 3, 4, 5};
  double values[5];
  op2_context ctx;
  op2_set nodes;
  op2_dat x, y;
  op2_kernel halves, second;
  const op2_kernel_desc *text = &square_kernel;
  if (!strcmp(choice, "nan")) text = &root_kernel;
  if (!strcmp(choice, "wrong")) text = &wrong_kernel;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_set_create(ctx, 5, "nodes", &nodes));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, start, "x", &x));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "y", &y));
  CHECK(op2_kernel_create(ctx, &halve_kernel, &halves));
  CHECK(op2_kernel_create(ctx, text, &second));

  CHECK(op2_section_begin(ctx, "steps"));
  for (int step = 0; step < 10; step++) {
    CHECK(op2_par_loop(halves, nodes, op2_arg_direct(x, OP2_RW)));
    CHECK(op2_par_loop(second, nodes, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
  }
  CHECK(op2_section_end(ctx, "steps"));
  CHECK(op2_flush(ctx));
  CHECK(op2_dat_get(y, values));
  for (int i = 0; i < 5; i++) printf("%.6f%c", values[i], i < 4 ? ' ' : '\n');
  CHECK(op2_explain(ctx, stderr));
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

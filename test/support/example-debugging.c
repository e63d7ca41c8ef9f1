/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of doc/debugging.md: one kernel is made by OP2_KERNEL, the other one prints. */
#include <op2.h>
#include <stdio.h>

OP2_KERNEL(twice, (double *x), {
  double y = *x;
  *x = y + y;
});

/* The line on which the source begins, for messages and debuggers. */
enum { SOURCE_LINE = __LINE__ + 2 };
static const char *const headers[] = {"<stdio.h>", NULL};
static const char source[] = "void shout(const double *x) {\n"
                             "  printf(\"x is %g\\n\", *x);\n"
                             "}\n";

int main(void) {
  const op2_kernel_desc loud = {
      .name = "shout", .source = source, .headers = headers, .file = __FILE__, .line = SOURCE_LINE};
  const double start[] = {1, 2, 3};
  double x[3];
  op2_context ctx;
  op2_set set;
  op2_dat dat;
  op2_kernel first, second;
  if (op2_init(NULL, &ctx) || op2_set_create(ctx, 3, "cells", &set) ||
      op2_dat_create(set, 1, OP2_F64, start, "x", &dat) ||
      op2_kernel_create(ctx, &twice_kernel, &first) || op2_kernel_create(ctx, &loud, &second) ||
      op2_par_loop(first, set, op2_arg_direct(dat, OP2_RW)) ||
      op2_par_loop(second, set, op2_arg_direct(dat, OP2_READ)) || op2_dat_get(dat, x)) {
    fprintf(stderr, "%s\n", op2_error_message());
    return 1;
  }
  printf("%g %g %g\n", x[0], x[1], x[2]);
  op2_kernel_destroy(&first);
  op2_kernel_destroy(&second);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

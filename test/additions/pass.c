/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for what the pass that pass.patch adds says of a program of three loops, of which two are
 * fused when they come the second time. */
#include <stdlib.h>
#include <string.h>

#include "addition.h"

int main(void) {
  static char told[1 << 20];
  op2_context ctx;
  op2_set set, other;
  op2_dat x, y;
  op2_kernel one;
  const op2_kernel_desc desc = {.name = "one", .source = "void one(double *x) { *x += 1; }"};
  setenv("OP2_CENSUS", "1", 1);
  DO(op2_init(&(op2_options){.backend = "openmp"}, &ctx));
  DO(op2_set_create(ctx, 9, "set", &set));
  DO(op2_set_create(ctx, 5, "other", &other));
  DO(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  DO(op2_dat_create(other, 1, OP2_F64, NULL, "y", &y));
  DO(op2_kernel_create(ctx, &desc, &one));
  for (int i = 0; i < 3; i++) {
    DO(op2_par_loop(one, set, op2_arg_direct(x, OP2_RW)));
    DO(op2_par_loop(one, set, op2_arg_direct(x, OP2_RW)));
    DO(op2_par_loop(one, other, op2_arg_direct(y, OP2_RW)));
    DO(op2_flush(ctx));
  }
  FILE *stream = fmemopen(told, sizeof told, "w");
  if (!stream) return 2;
  DO(op2_explain(ctx, stream));
  if (fclose(stream)) return 3;
  if (!strstr(told, "  census: 2 of 2 steps run loops\n")) return 4;
  return op2_finalize(&ctx) ? 5 : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 2 of doc/tutorial.md: heat in a rod of eight pieces, with a constant and reductions. */
#include <math.h>
#include <op2.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

/* Kernels see the constant under its name. This variable has the same name, type and value. */
static const double conductivity = 0.5;

OP2_KERNEL(exchange, (const double *l, const double *r, double *dl, double *dr), {
  const double heat = conductivity * (*r - *l);
  *dl += heat;
  *dr -= heat;
});
OP2_KERNEL(advance, (double dt, double *change, double *t), {
  *t += dt * *change;
  *change = 0;
});
OP2_KERNEL(measure, (const double *t, double *sum, double *least, double *most), {
  *sum += *t;
  *least = fmin(*least, *t);
  *most = fmax(*most, *t);
});

int main(void) {
  enum { PIECES = 8 };
  const double start[PIECES] = {8}, zero = 0, large = 1e30, small = -1e30, dt = 0.5;
  int32_t neighbours[2 * (PIECES - 1)];
  for (int i = 0; i < PIECES - 1; i++) neighbours[2 * i] = i, neighbours[2 * i + 1] = i + 1;

  op2_context ctx;
  op2_set pieces, joints;
  op2_map sides;
  op2_dat t, change;
  op2_gbl sum, least, most;
  op2_const constant;
  op2_kernel exchanges, advances, measures;
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_set_create(ctx, PIECES, "pieces", &pieces));
  CHECK(op2_set_create(ctx, PIECES - 1, "joints", &joints));
  CHECK(op2_map_create(joints, pieces, 2, neighbours, "sides", &sides));
  CHECK(op2_dat_create(pieces, 1, OP2_F64, start, "t", &t));
  CHECK(op2_dat_create(pieces, 1, OP2_F64, NULL, "change", &change));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "least", &least));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "most", &most));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &conductivity, "conductivity", &constant));
  CHECK(op2_kernel_create(ctx, &exchange_kernel, &exchanges));
  CHECK(op2_kernel_create(ctx, &advance_kernel, &advances));
  CHECK(op2_kernel_create(ctx, &measure_kernel, &measures));

  for (int step = 1; step <= 100; step++) {
    CHECK(op2_par_loop(exchanges, joints, op2_arg_dat(t, 0, sides, OP2_READ),
                       op2_arg_dat(t, 1, sides, OP2_READ), op2_arg_dat(change, 0, sides, OP2_INC),
                       op2_arg_dat(change, 1, sides, OP2_INC)));
    CHECK(op2_par_loop(advances, pieces, op2_arg_val(&dt, 1, OP2_F64),
                       op2_arg_direct(change, OP2_RW), op2_arg_direct(t, OP2_RW)));
    if (step != 10 && step != 100) continue;
    CHECK(op2_gbl_set(sum, &zero));
    CHECK(op2_gbl_set(least, &large));
    CHECK(op2_gbl_set(most, &small));
    CHECK(op2_par_loop(measures, pieces, op2_arg_direct(t, OP2_READ), op2_arg_gbl(sum, OP2_INC),
                       op2_arg_gbl(least, OP2_MIN), op2_arg_gbl(most, OP2_MAX)));
    double found[3];
    CHECK(op2_gbl_get(sum, &found[0]));
    CHECK(op2_gbl_get(least, &found[1]));
    CHECK(op2_gbl_get(most, &found[2]));
    printf("step %d: sum %.6f, from %.6f to %.6f\n", step, found[0], found[1], found[2]);
  }
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

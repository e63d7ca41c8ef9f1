/* SPDX-License-Identifier: BSD-3-Clause */
/* Staging: contents worked out by hand, shared columns, and the width of local indices. */
#include <stdlib.h>

#include "plan.h"
#include "tap.h"

static struct op2i_plan *make(const struct op2i_plan_desc *desc, const char *what) {
  struct op2i_plan *plan = NULL;
  op2_status status = op2i_plan_create(desc, &plan);
  if (status == OP2_SUCCESS) status = op2i_plan_verify(plan, desc);
  if (!ok(status == OP2_SUCCESS, "%s: made and verified", what)) {
    diag("%s", op2_error_message());
    exit(1);
  }
  return plan;
}

/* Four edges over five nodes, blocks of two; x is read at both ends, y incremented at the second
 * end only. */
static void by_hand(void) {
  static const int32_t ends[8] = {4, 1, 1, 3, 0, 2, 2, 2};
  struct op2i_plan_arg args[2] = {{.dat = 0,
                                   .map = 0,
                                   .idx = ends,
                                   .arity = 2,
                                   .slot = -1,
                                   .access = OP2_READ,
                                   .target_size = 5,
                                   .row_bytes = 24},
                                  {.dat = 1,
                                   .map = 0,
                                   .idx = ends,
                                   .arity = 2,
                                   .slot = 1,
                                   .access = OP2_INC,
                                   .target_size = 5,
                                   .row_bytes = 4}};
  struct op2i_plan_desc desc = {
      .hi = 4, .block_size = 2, .nargs = 2, .args = args, .parts = OP2I_PLAN_STAGE};
  struct op2i_plan *plan = make(&desc, "four edges");
  static const int32_t x_rows[5] = {1, 3, 4, 0, 2}, y_rows[3] = {1, 3, 2};
  static const int x_first[4] = {2, 0, 0, 1}, x_second[4] = {0, 1, 1, 1},
                   y_second[4] = {0, 1, 0, 0};
  is_int(plan->nstages, 2, "two stages");
  is_int(plan->nloc, 3, "three columns");
  const struct op2i_plan_stage *x = &plan->stages[plan->arg_stage[0]],
                               *y = &plan->stages[plan->arg_stage[1]];
  is_int(x->ind_total, 5, "rows of x");
  is_int(y->ind_total, 3, "rows of y");
  for (int i = 0; i < 5; i++) is_int(x->ind_map[i], x_rows[i], "row %d of x", i);
  for (int i = 0; i < 3; i++) is_int(y->ind_map[i], y_rows[i], "row %d of y", i);
  is_int(x->ind_offs[1], 3, "second block of x");
  is_int(x->ind_sizes[1], 2, "its size");
  is_int(y->ind_offs[1], 2, "second block of y");
  is_int(y->ind_sizes[1], 1, "its size");
  ok(!plan->loc_wide && plan->loc_map16 && !plan->loc_map32, "narrow local indices");
  for (int p = 0; p < 4; p++) {
    is_int(plan->loc_map16[plan->arg_loc[0]][p], x_first[p], "edge %d, first end in x", p);
    is_int(plan->loc_map16[plan->arg_loc[0] + 1][p], x_second[p], "edge %d, second end in x", p);
    is_int(plan->loc_map16[plan->arg_loc[1]][p], y_second[p], "edge %d, second end in y", p);
  }
  /* 3 rows of 24 bytes make 80, 2 rows of 4 bytes 16 */
  is_int(plan->shared_bytes, 96, "staging area, each stage in multiples of 16");
  op2i_plan_free(plan);
}

/* Slots used by several arguments have one column; the columns of a whole row are adjacent whatever
 * comes first. */
static void columns(void) {
  enum { N = 20 };
  int32_t idx[3 * N];
  for (int i = 0; i < 3 * N; i++) idx[i] = (5 * i + i / 7) % 11;
  struct op2i_plan_arg args[5];
  static const int32_t slots[5] = {2, 0, -1, 1, 2};
  for (int a = 0; a < 5; a++)
    args[a] = (struct op2i_plan_arg){.dat = a == 3,
                                     .map = 0,
                                     .idx = idx,
                                     .arity = 3,
                                     .slot = slots[a],
                                     .access = OP2_INC,
                                     .target_size = 11,
                                     .row_bytes = 8};
  struct op2i_plan_desc desc = {
      .hi = N, .block_size = 6, .nargs = 5, .args = args, .parts = OP2I_PLAN_STAGE};
  struct op2i_plan *plan = make(&desc, "shared columns");
  is_int(plan->nstages, 2, "two dats, two stages");
  is_int(plan->nloc, 4, "three columns of one, one of the other");
  int32_t row = plan->arg_loc[2];
  is_int(plan->arg_loc[0], row + 2, "slot 2 is the row's third column");
  is_int(plan->arg_loc[1], row, "slot 0 its first");
  is_int(plan->arg_loc[4], row + 2, "slot 2 again");
  op2i_plan_free(plan);

  desc.parts = 0;
  plan = make(&desc, "no staging asked for");
  ok(!plan->stages && !plan->arg_stage && !plan->arg_loc && !plan->loc_map16 && !plan->loc_map32,
     "there is none");
  op2i_plan_free(plan);
}

/* A block may stage 65536 rows before local indices need 32 bits; the rows are a permutation, so
 * lists are sorted. */
static void width(void) {
  enum { N = 65537 };
  int32_t *idx = malloc(2 * N * sizeof *idx);
  for (int32_t i = 0; i < 2 * N; i++) idx[i] = (int32_t)((int64_t)i * 40503 % (2 * N));
  struct op2i_plan_arg arg = {
      .idx = idx, .arity = 1, .access = OP2_READ, .target_size = 2 * N, .row_bytes = 8};
  struct op2i_plan_desc desc = {.hi = 2 * N, .nargs = 1, .args = &arg, .parts = OP2I_PLAN_STAGE};
  for (int32_t rows = N - 1; rows <= N; rows++) {
    desc.block_size = rows;
    struct op2i_plan *plan = make(&desc, "wide blocks");
    is_int(plan->stages[0].ind_sizes[0], rows, "%d rows staged", (int)rows);
    is_int(plan->loc_wide, rows > 65536, "local indices have %d bits", rows > 65536 ? 32 : 16);
    is_int(plan->shared_bytes, rows % 2 ? 8 * (rows + 1) : 8 * rows, "bytes");
    op2i_plan_free(plan);
  }
  free(idx);
}

int main(void) {
  by_hand();
  columns();
  width();
  return done();
}

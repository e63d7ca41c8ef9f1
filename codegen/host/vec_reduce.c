/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits reductions: strands of partial results in vectors, which are put together at the end. */
#include "vec_reduce.h"

#include <string.h>

/* The number of vectors that hold all strands of an argument's component. */
static int turns(const struct op2i_vec *v, int a) {
  int strands = op2i_arg_strands(op2i_emit_arg(v->e, a));
  return strands > v->lanes ? strands / v->lanes : 1;
}

/* Fill the lanes with the value that each element's minimum or maximum starts from. */
static void begin_starts(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_text_add(v->out, "  const ");
  op2i_vec_add_type(v, arg->type);
  op2i_text_add(v->out, " op2_start%d[%d] = {", a, (int)arg->dim);
  for (int j = 0; j < arg->dim; j++) {
    op2i_text_add(v->out, j ? ", {" : "{");
    for (int lane = 0; lane < v->lanes; lane++)
      op2i_text_add(v->out, "%sop2_gbl%d[%d]", lane ? ", " : "", (int)arg->gbl, j);
    op2i_text_add(v->out, "}");
  }
  op2i_text_add(v->out, "};\n");
}

/* Each lane has a result of its own: the sum of its increments, or its minimum or maximum so
 * far. */
void op2i_vec_begin_reduction(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  if (op2i_arg_located(arg)) op2i_emit_winner_begin(v->e, a);
  if (op2i_arg_located(arg) || op2i_arg_informs(arg)) return;
  op2i_text_add(v->out, "  ");
  op2i_vec_add_type(v, arg->type);
  op2i_text_add(v->out, " op2_arg%d[%d];\n", a, turns(v, a) * (int)arg->dim);
  for (int j = 0; j < turns(v, a) * arg->dim; j++) {
    op2i_text_add(v->out, "  op2_arg%d[%d] = %s", a, j, op2i_sums(arg->access) ? "-(" : "(");
    op2i_vec_add_type(v, arg->type);
    op2i_text_add(v->out, "){");
    for (int lane = 0; lane < v->lanes; lane++)
      if (op2i_sums(arg->access))
        op2i_text_add(v->out, lane ? "" : "0");
      else
        op2i_text_add(v->out, "%s((const %s *)(op2_partial + %d))[%d]", lane ? ", " : "",
                      op2i_type_c(arg->type), (int)arg->offset, j);
    op2i_text_add(v->out, "};\n");
  }
  if (op2i_arg_bounds(arg)) begin_starts(v, a);
}

/* Take the result of a lane if it is less (greater) than that of the others, or if theirs is NaN.
 * The library decides the sign of a zero when it combines partial results. */
static void fold_bound(const struct op2i_vec *v, int a, int j, int lane) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_text_add(v->out, "    if (op2_arg%d[%d][%d] %c op2_to[%d]", a, j, lane,
                op2i_better(arg->access), j);
  if (op2i_type_real(arg->type)) op2i_text_add(v->out, " || op2_to[%d] != op2_to[%d]", j, j);
  op2i_text_add(v->out, ") op2_to[%d] = op2_arg%d[%d][%d];\n", j, a, j, lane);
}

/* Rotate the vectors of strands: `last`, the vector of each component that was used last, goes
 * after those that come next. */
void op2i_vec_next_turn(const struct op2i_vec *v, int a, const char *last, const char *indent) {
  int dim = (int)op2i_emit_arg(v->e, a)->dim, n = turns(v, a) * dim;
  for (int i = 0; i < n - dim; i++)
    op2i_text_add(v->out, "%sop2_arg%d[%d] = op2_arg%d[%d];\n", indent, a, i, a, i + dim);
  for (int j = 0; j < dim; j++)
    op2i_text_add(v->out, "%sop2_arg%d[%d] = op2_%s%d[%d];\n", indent, a, n - dim + j, last, a, j);
}

/* Bring strands back into order: the batches that are missing to a full cycle of all vectors add
 * nothing. */
static void end_turns(const struct op2i_vec *v, int a) {
  int dim = (int)op2i_emit_arg(v->e, a)->dim;
  if (turns(v, a) == 1) return;
  op2i_text_add(v->out,
                "    for (int64_t op2_turn = (op2_hi - op2_lo + %d) / %d%s; op2_turn %% %d; ",
                v->round - 1, v->round, v->round > v->lanes ? " * 2" : "", turns(v, a));
  op2i_text_add(v->out, "op2_turn++) {\n      const ");
  op2i_vec_add_type(v, op2i_emit_arg(v->e, a)->type);
  op2i_text_add(v->out, " op2_own%d[%d] = {", a, dim);
  for (int j = 0; j < dim; j++)
    op2i_text_add(v->out, j ? ", op2_arg%d[%d]" : "op2_arg%d[%d]", a, j);
  op2i_text_add(v->out, "};\n");
  op2i_vec_next_turn(v, a, "own", "      ");
  op2i_text_add(v->out, "    }\n");
}

static void end_sum(const struct op2i_vec *v, int a, int j) {
  op2i_text_add(v->out, "    op2_to[%d] += ", j);
  if (op2i_arg_strands(op2i_emit_arg(v->e, a)) > 1) op2i_emit_strands(v->e, a, j, v->lanes);
  for (int lane = 0; lane < v->lanes && op2i_arg_strands(op2i_emit_arg(v->e, a)) == 1; lane++)
    op2i_text_add(v->out, "%sop2_arg%d[%d][%d]", lane ? " + " : "", a, j, lane);
  op2i_text_add(v->out, ";\n");
}

void op2i_vec_end_reduction(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  if (op2i_arg_located(arg)) op2i_emit_winner_finish(v->e, a);
  if (op2i_arg_located(arg) || op2i_arg_informs(arg)) return;
  op2i_text_add(v->out, "  {\n");
  end_turns(v, a);
  op2i_text_add(v->out, "    %s *op2_to = (%s *)(op2_partial + %d);\n", op2i_type_c(arg->type),
                op2i_type_c(arg->type), (int)arg->offset);
  for (int j = 0; j < arg->dim; j++) {
    if (op2i_sums(arg->access)) end_sum(v, a, j);
    for (int lane = 0; lane < v->lanes && !op2i_sums(arg->access); lane++)
      fold_bound(v, a, j, lane);
  }
  op2i_text_add(v->out, "  }\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits the calls of kernels for the lanes of a batch, and what their arguments need before and after. */
#include "vec_call.h"

#include <stdio.h>

#include "vec_view.h"
#include "vec_walk.h"

/* The user's numbers of the lanes' own elements, or of those that one slot leads to. */
static void numbers_in(const struct op2i_vec *v, int a, int slot, op2_type type) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  char rows[32] = "op2_element", number[24] = "op2_number";
  bool own = arg->map < 0 && op2i_vec_in_steps(v);
  if (arg->map >= 0) snprintf(rows, sizeof rows, "op2_map%d_%d", (int)arg->map, slot);
  if (arg->map >= 0) snprintf(number, sizeof number, "op2_number%d", (int)arg->map);
  if (own) op2i_text_add(v->out, "op2_number ? (op2_%sx%d)", op2i_type_stem(type), v->lanes);
  for (int lane = 0; lane < v->lanes; lane++) {
    op2i_text_add(v->out, lane ? ", " : "{");
    if (own)
      op2i_text_add(v->out, "(%s)op2_number[op2_element[%d]]", op2i_type_c(type), lane);
    else
      op2i_text_add(v->out, "(%s)(%s ? %s[%s[%d]] : %s[%d])", op2i_type_c(type), number, number,
                    rows, lane, rows, lane);
  }
  op2i_text_add(v->out, "}");
  if (own)
    op2i_text_add(v->out, " : __builtin_convertvector(op2_element, op2_%sx%d)",
                  op2i_type_stem(type), v->lanes);
}

static void numbers_of_elements(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2_type type = op2i_emit_param(v->e, a)->type;
  if (type == 0) type = OP2_I32;
  op2i_text_add(v->out, "      const ");
  op2i_vec_add_type(v, type);
  op2i_text_add(v->out, " op2_arg%d[%d] = {", a, (int)arg->arity);
  for (int slot = 0; slot < arg->arity; slot++) {
    if (slot) op2i_text_add(v->out, ", ");
    numbers_in(v, a, arg->slot >= 0 ? arg->slot : slot, type);
  }
  op2i_text_add(v->out, "};\n");
}

/* The vectors that the kernel works on for slot `slot` of those that it sees. */
static void add_vectors(const struct op2i_vec *v, int a, int slot) {
  const struct op2i_vec_arg *at = &v->args[a];
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  int first = (at->own ? 0 : at->first) + slot * (int)arg->dim + op2i_arg_shift(arg);
  op2i_text_add(v->out, "op2_%s%d", at->own ? "own" : "view", at->own ? a : at->view);
  if (first) op2i_text_add(v->out, " + %d", first);
}

static void pointers(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_text_add(v->out, "      %s", op2i_emit_param(v->e, a)->readonly ? "const " : "");
  op2i_vec_add_type(v, arg->type);
  op2i_text_add(v->out, " *op2_arg%d[%d] = {", a, (int)arg->arity);
  for (int slot = 0; slot < arg->arity; slot++) {
    if (slot) op2i_text_add(v->out, ", ");
    add_vectors(v, a, slot);
  }
  op2i_text_add(v->out, "};\n");
}

/* Declare the values from which lanes start in a located reduction, or in an argument beside it. */
static void begin_lanes(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_text_add(v->out, "      ");
  op2i_vec_add_type(v, arg->type);
  op2i_text_add(v->out, " op2_arg%d[%d] = {{", a, (int)arg->dim);
  for (int lane = 0; lane < v->lanes && op2i_arg_located(arg); lane++)
    op2i_text_add(v->out, lane ? ", op2_start%d" : "op2_start%d", a);
  op2i_text_add(v->out, op2i_arg_informs(arg) ? "0}};\n" : "}};\n");
}

/* Select lanes first to first + n - 1 of op2_halves<2n>. */
static void add_half(const struct op2i_vec *v, int n, int first) {
  op2i_text_add(v->out, "__builtin_shufflevector(op2_halves%d, op2_halves%d", 2 * n, 2 * n);
  for (int lane = first; lane < first + n; lane++) op2i_text_add(v->out, ", %d", lane);
  op2i_text_add(v->out, ")");
}

static void fold_halves(const struct op2i_vec *v, int n) {
  op2i_text_add(v->out, "        const __typeof__(");
  add_half(v, n, 0);
  op2i_text_add(v->out, ") op2_halves%d = ", n);
  add_half(v, n, 0);
  op2i_text_add(v->out, " | ");
  add_half(v, n, n);
  op2i_text_add(v->out, ";\n");
}

/* A lane hardly ever improves the result. So all lanes are tested at once, by combining halves;
 * otherwise compilers would test them one by one. Padding lanes repeat an element with its number,
 * which changes nothing. */
static void find_winner(const struct op2i_vec *v, int a) {
  char before = op2i_lowers(op2i_emit_arg(v->e, a)->access) ? '>' : '<';
  op2i_text_add(v->out, "      {\n        const ");
  op2i_vec_add_type(v, op2i_emit_arg(v->e, a)->type);
  op2i_text_add(v->out, " op2_bound = op2_best%d - (", a);
  op2i_vec_add_type(v, op2i_emit_arg(v->e, a)->type);
  op2i_text_add(v->out,
                "){0};\n        const __typeof__(op2_arg%d[0] %c op2_bound) op2_halves%d = "
                "~(op2_arg%d[0] %c op2_bound);\n",
                a, before, v->lanes, a, before);
  for (int n = v->lanes / 2; n > 1; n /= 2) fold_halves(v, n);
  op2i_text_add(v->out, "        if (op2_halves2[0] | op2_halves2[1])\n");
  op2i_text_add(v->out, "          for (int op2_lane = 0; op2_lane < %d; op2_lane++) {\n",
                v->lanes);
  op2i_emit_winner_settle(v->e, a, "            ", "[op2_lane]");
  op2i_text_add(v->out, "          }\n      }\n");
}

static void prepare_arg(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_vec_copy(v, a);
  if (op2i_arg_located(arg) || op2i_arg_informs(arg)) begin_lanes(v, a);
  if (arg->kind == OP2I_ARG_IDX) numbers_of_elements(v, a);
  if (arg->kind == OP2I_ARG_ALL) pointers(v, a);
}

static void actual(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  if (op2i_emit_needs_cast(op2i_emit_param(v->e, a))) op2i_text_add(v->out, "(void *)");
  if (arg->kind == OP2I_ARG_ABSENT)
    op2i_text_add(v->out, "0");
  else if (arg->kind == OP2I_ARG_IDX)
    op2i_text_add(v->out, op2i_emit_param(v->e, a)->depth ? "op2_arg%d" : "op2_arg%d[0]", a);
  else if (arg->kind == OP2I_ARG_GBL && !op2i_arg_reduces(arg))
    op2i_text_add(v->out, "op2_gbl%d", (int)arg->gbl);
  else if (arg->kind == OP2I_ARG_VAL || arg->kind == OP2I_ARG_ALL)
    op2i_text_add(v->out, "op2_arg%d", a);
  else if (op2i_arg_located(arg) || op2i_arg_informs(arg))
    op2i_text_add(v->out, "op2_arg%d", a);
  else
    add_vectors(v, a, 0);
}

void op2i_vec_call(const struct op2i_vec *v, int m) {
  const struct op2i_rewrite *r = &v->e->rewrites[m];
  int first = r->member.first_arg, end = first + r->member.nargs;
  for (int a = first; a < end; a++) prepare_arg(v, a);
  op2i_text_add(v->out, "      OP2_NAME(%sop2_vec_%s)(", r->prefix, r->member.kernel->obj.name);
  if (op2i_rewrite_kernel_needs(r))
    op2i_text_add(v->out, "&%s, ", op2i_emit_consts_name(v->e, m).text);
  for (int a = first; a < end; a++) {
    if (a > first) op2i_text_add(v->out, ", ");
    actual(v, a);
  }
  op2i_text_add(v->out, ");\n");
  for (int a = first; a < end; a++) op2i_vec_settle(v, a);
  for (int a = first; a < end; a++)
    if (op2i_arg_located(op2i_emit_arg(v->e, a))) find_winner(v, a);
}

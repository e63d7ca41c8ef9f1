/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions into globals in code for devices: by a tree over positions, whatever the size of groups. */
#include <stdio.h>
#include <string.h>

#include "devgen.h"

static const char *sum_type(const struct op2i_loop_arg *arg) {
  return op2i_type_real(arg->type) ? op2i_type_c(arg->type) : "uint64_t";
}

/* Values of reductions are kept in eight bytes each, one array for each component. */
static void value(struct op2i_text *out, const struct op2i_devgen *g, int a, const char *base,
                  int v, const char *stride, const char *at) {
  bool local = strcmp(base, "op2_values") == 0;
  op2i_text_add(out, "((%s %s *)(%s + %d * %s))[%s]", local ? "OP2_LOCAL" : "OP2_GLOBAL",
                op2i_emit_type(&g->e, a), base, v, stride, at);
}

/* op2_x and op2_y are two values: the first becomes what they are together. */
static void combine(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[a];
  if (arg->access == OP2_INC)
    op2i_text_add(g->e.out, "op2_x = (%s)((%s)op2_x + (%s)op2_y);\n", op2i_emit_type(&g->e, a),
                  sum_type(arg), sum_type(arg));
  else
    op2i_text_add(g->e.out, "if (op2_y %c op2_x || op2_x != op2_x) op2_x = op2_y + 0;\n",
                  arg->access == OP2_MIN ? '<' : '>');
}

typedef void component_fn(const struct op2i_devgen *g, int a, int j, int v);

static void each_value(const struct op2i_devgen *g, component_fn *write) {
  int v = 0;
  for (int a = 0; a < g->e.loop->nargs; a++)
    if (op2i_arg_reduces(&g->e.loop->args[a]))
      for (int j = 0; j < g->e.loop->args[a].dim; j++) write(g, a, j, v++);
}

/* Where there is no element. */
static void nothing(const struct op2i_devgen *g, int a, int j, int v) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[a];
  const char *type = op2i_emit_type(&g->e, a);
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  if (arg->access == OP2_INC)
    op2i_text_add(g->e.out, " = %s;\n", op2i_type_real(arg->type) ? "-0.0" : "0");
  else
    op2i_text_add(g->e.out, " = ((OP2_GLOBAL const %s *)op2_gbl%d)[%d];\n", type, (int)arg->gbl, j);
}

static void put_value(const struct op2i_devgen *g, int a, int j, int v) {
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = op2_own%d[%d];\n", a, j);
}

static void halve(const struct op2i_devgen *g, int a, int j, int v) {
  const char *type = op2i_emit_type(&g->e, a);
  (void)j;
  op2i_text_add(g->e.out, "      {\n        %s op2_x = ", type);
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, ", op2_y = ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane + op2_width");
  op2i_text_add(g->e.out, ";\n        ");
  combine(g, a);
  op2i_text_add(g->e.out, "        ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = op2_x;\n      }\n");
}

/* The 256 values of a group become one: a tree whose shape knows nothing of the group's size. */
static void tree(const struct op2i_devgen *g) {
  op2i_text_add(
      g->e.out,
      "  op2_wait();\n"
      "  for (int op2_width = 128; op2_width > 0; op2_width /= 2) {\n"
      "    for (int op2_lane = op2_item(); op2_lane < op2_width; op2_lane += op2_items()) {\n");
  each_value(g, halve);
  op2i_text_add(g->e.out, "    }\n    op2_wait();\n  }\n");
}

static void put_partial(const struct op2i_devgen *g, int a, int j, int v) {
  (void)j;
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_partial", v, "op2_n0", "op2_group()");
  op2i_text_add(g->e.out, " = ");
  value(g->e.out, g, a, "op2_values", v, "256", "0");
  op2i_text_add(g->e.out, ";\n");
}

static void kept(const struct op2i_devgen *g, int a, int v, char *there, size_t room) {
  char number[16];
  snprintf(number, sizeof number, "%d", v);
  op2i_devgen_kept(g, a, number, there, room);
}

static void take_kept(const struct op2i_devgen *g, int a, int j, int v) {
  char there[256];
  (void)j;
  kept(g, a, v, there, sizeof there);
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = %s;\n", there);
}

static void keep(const struct op2i_devgen *g, int a, int j, int v) {
  char there[256];
  kept(g, a, v, there, sizeof there);
  op2i_text_add(g->e.out, "    %s = op2_own%d[%d];\n", there, a, j);
}

void op2i_devgen_keep_reduced(const struct op2i_devgen *g) { each_value(g, keep); }

/* The values of a position: of its element, or those that it has left when its turn was. */
static void values(const struct op2i_devgen *g) {
  bool left = g->form.nkept > 0 && g->form.strategy != OP2I_DEVICE_GATHER;
  if (!left) op2i_devgen_stage_in(g);
  op2i_text_add(g->e.out, "    if (op2_position >= op2_hi) {\n");
  each_value(g, nothing);
  op2i_text_add(g->e.out, "    } else {\n");
  if (!left) op2i_devgen_element(g);
  each_value(g, left ? take_kept : put_value);
  op2i_text_add(g->e.out, "    }\n");
  if (!left) op2i_devgen_stage_out(g);
}

/* n0: how many groups there are, for each of which a value of each component comes out; n1: doubles of
 * shared memory that rows take. */
static void tiles(const struct op2i_devgen *g) {
  op2i_devgen_entry(g, "op2_reduce", -1);
  op2i_text_add(
      g->e.out,
      "  OP2_SHARED\n"
      "  OP2_LOCAL op2_eight *op2_values = op2_shared + op2_n1;\n"
      "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n"
      "    const int64_t op2_base = op2_lo + op2_group() * 256 + (op2_lane - op2_item());\n"
      "    const int64_t op2_position = op2_base + op2_item();\n");
  op2i_devgen_live(g);
  values(g);
  op2i_text_add(g->e.out, "  }\n");
  tree(g);
  op2i_text_add(g->e.out, "  if (op2_item() == 0) {\n");
  each_value(g, put_partial);
  op2i_text_add(g->e.out, "  }\n}\n");
}

static void fold_lane(const struct op2i_devgen *g, int a, int j, int v) {
  const char *type = op2i_emit_type(&g->e, a);
  (void)j;
  op2i_text_add(g->e.out, "    if (op2_lane < op2_n0) {\n      %s op2_x = ", type);
  value(g->e.out, g, a, "op2_partial", v, "op2_n0", "op2_lane");
  op2i_text_add(g->e.out,
                ";\n      for (int64_t op2_i = op2_lane + 256; op2_i < op2_n0; op2_i += 256) {\n"
                "        const %s op2_y = ",
                type);
  value(g->e.out, g, a, "op2_partial", v, "op2_n0", "op2_i");
  op2i_text_add(g->e.out, ";\n        ");
  combine(g, a);
  op2i_text_add(g->e.out, "      }\n      ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = op2_x;\n    } else {\n  ");
  nothing(g, a, j, v);
  op2i_text_add(g->e.out, "    }\n");
}

static void put_result(const struct op2i_devgen *g, int a, int j, int v) {
  (void)j;
  op2i_text_add(g->e.out, "    *(OP2_GLOBAL %s *)(op2_partial + %d * op2_n0 + %d) = ",
                op2i_emit_type(&g->e, a), g->form.nvalues, v);
  value(g->e.out, g, a, "op2_values", v, "256", "0");
  op2i_text_add(g->e.out, ";\n");
}

static void put_global(const struct op2i_devgen *g, int a, int j, int v) {
  const char *type = op2i_emit_type(&g->e, a);
  int gbl = (int)g->e.loop->args[a].gbl;
  op2i_text_add(g->e.out, "    {\n      %s op2_x = ((OP2_GLOBAL %s *)op2_gbl%d)[%d];\n", type, type,
                gbl, j);
  op2i_text_add(g->e.out, "      const %s op2_y = ", type);
  value(g->e.out, g, a, "op2_values", v, "256", "0");
  op2i_text_add(g->e.out, ";\n      ");
  combine(g, a);
  op2i_text_add(g->e.out, "      ((OP2_GLOBAL %s *)op2_gbl%d)[%d] = op2_x;\n    }\n", type, gbl, j);
}

/* One group. n0: how many values of each component there are; n1: 1: what they come to goes into the
 * globals, 0: it stands behind them, for the host. */
static void fold(const struct op2i_devgen *g) {
  op2i_devgen_entry(g, "op2_fold", -1);
  op2i_text_add(g->e.out,
                "  OP2_SHARED\n"
                "  OP2_LOCAL op2_eight *op2_values = op2_shared;\n"
                "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n");
  each_value(g, fold_lane);
  op2i_text_add(g->e.out, "  }\n");
  tree(g);
  op2i_text_add(g->e.out, "  if (op2_item() == 0 && op2_n1) {\n");
  each_value(g, put_global);
  op2i_text_add(g->e.out, "  } else if (op2_item() == 0) {\n");
  each_value(g, put_result);
  op2i_text_add(g->e.out, "  }\n}\n");
}

void op2i_devgen_reduce(const struct op2i_devgen *g) {
  tiles(g);
  fold(g);
}

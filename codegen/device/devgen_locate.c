/* SPDX-License-Identifier: BSD-3-Clause */
/* Located minima and maxima in code for devices. Of equal values the one whose element has the
 * lower number wins, so that the order in which they are combined does not matter. The information
 * beside a minimum or maximum is copied only when the winner is known. */
#include <stdio.h>

#include "devgen.h"
#include "devgen_block.h"
#include "devgen_row.h"

enum { NAME = 96, STATEMENT = 512 };

static const char *type_of(const struct op2i_devgen *g, int a) { return op2i_emit_type(&g->e, a); }

int op2i_devgen_first_value(const struct op2i_devgen *g, int a) {
  int v = 0;
  for (int b = 0; b < a; b++) v += op2i_device_reduced(op2i_emit_arg(&g->e, b));
  return v;
}

/* The next argument from b on that holds information beside argument a, or nargs. */
static int next_info(const struct op2i_devgen *g, int a, int b) {
  int nargs = g->e.loop->nargs;
  while (b < nargs &&
         !(op2i_arg_informs(op2i_emit_arg(&g->e, b)) && op2i_emit_arg(&g->e, b)->info_of == a))
    b++;
  return b;
}

static char sign(const struct op2i_devgen *g, int a) {
  return op2i_better(op2i_emit_arg(&g->e, a)->access);
}

/* ---- values that elements keep --------------------------------------------------------------- */

/* The lvalue of component %s of an argument, as the element at op2_position has kept it. */
static void kept(const struct op2i_devgen *g, int a, char there[STATEMENT]) {
  char value[NAME];
  snprintf(value, sizeof value, "(%d + %%s)", g->form.reduced_at + op2i_devgen_first_value(g, a));
  op2i_devgen_kept(g, a, value, there, STATEMENT);
}

/* The number of the element, which is kept after its value. */
static void kept_number(const struct op2i_devgen *g, int a, const char *before,
                        const char *behind) {
  op2i_text_add(g->e.out,
                "%s((OP2_GLOBAL int64_t *)(op2_kept + %d * (op2_hi - op2_lo)))[op2_position - "
                "op2_lo]%s",
                before, g->form.reduced_at + op2i_devgen_first_value(g, a) + 1, behind);
}

static void keep_winner(const struct op2i_devgen *g, int a) {
  char there[STATEMENT], statement[STATEMENT + NAME];
  kept(g, a, there);
  snprintf(statement, sizeof statement, "%s = op2_own%d[%%s];", there, a);
  op2i_devgen_each(g, op2i_emit_arg(&g->e, a)->dim, "    ", statement);
}

/* A value that is no better than the global's gets the element number -1. */
static void keep_located(const struct op2i_devgen *g, int a) {
  op2i_text_add(
      g->e.out,
      "    const int64_t op2_winner%d = op2_own%d[0] %c *op2_gbl%d || (*op2_gbl%d != *op2_gbl%d "
      "&& op2_own%d[0] == op2_own%d[0]) ?\n"
      "        (op2_number ? op2_number[op2_element] : op2_element) : -1;\n"
      "    op2_own%d[0] = op2_winner%d < 0 ? *op2_gbl%d : op2_own%d[0] + 0;\n",
      a, a, sign(g, a), (int)op2i_emit_arg(&g->e, a)->gbl, (int)op2i_emit_arg(&g->e, a)->gbl,
      (int)op2i_emit_arg(&g->e, a)->gbl, a, a, a, a, (int)op2i_emit_arg(&g->e, a)->gbl, a);
  keep_winner(g, a);
  kept_number(g, a, "    ", "");
  op2i_text_add(g->e.out, " = op2_winner%d;\n", a);
}

void op2i_devgen_keep_apart(const struct op2i_devgen *g) {
  for (int a = 0; a < g->e.loop->nargs; a++) {
    if (op2i_arg_located(op2i_emit_arg(&g->e, a)))
      keep_located(g, a);
    else if (op2i_arg_reduces(op2i_emit_arg(&g->e, a)))
      keep_winner(g, a);
  }
}

/* ---- comparison of (value, element number) pairs --------------------------------------------- */

/* Declare arrays over lanes: values, numbers of their elements, and positions where the information
 * beside them is kept. */
static void lanes_begin(const struct op2i_devgen *g, int a) {
  op2i_text_add(g->e.out,
                "  {\n"
                "  OP2_LOCAL %s *op2_best = (OP2_LOCAL %s *)op2_values;\n"
                "  OP2_LOCAL int64_t *op2_winner = (OP2_LOCAL int64_t *)(op2_values + 256);\n"
                "  OP2_LOCAL int64_t *op2_where = (OP2_LOCAL int64_t *)(op2_values + 512);\n"
                "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n"
                "    %s op2_x = *op2_gbl%d;\n"
                "    int64_t op2_m = -1, op2_at = op2_lo;\n",
                type_of(g, a), type_of(g, a), type_of(g, a), (int)op2i_emit_arg(&g->e, a)->gbl);
}

/* The condition for (op2_y, op2_n) to replace (op2_x, op2_m), each a value and an element number. A
 * number >= 0 implies that the value is not NaN. */
static void meet(const struct op2i_devgen *g, int a) {
  op2i_text_add(g->e.out,
                "if (op2_n >= 0 && (op2_y %c op2_x || op2_x != op2_x || (op2_y == op2_x && op2_n < "
                "op2_m)))",
                sign(g, a));
}

static void lanes_end(const struct op2i_devgen *g, int a) {
  op2i_text_add(
      g->e.out,
      "    op2_best[op2_lane] = op2_x;\n"
      "    op2_winner[op2_lane] = op2_m;\n"
      "    op2_where[op2_lane] = op2_at;\n"
      "  }\n"
      "  op2_wait();\n"
      "  for (int op2_width = 128; op2_width > 0; op2_width /= 2) {\n"
      "    for (int op2_lane = op2_item(); op2_lane < op2_width; op2_lane += op2_items()) {\n"
      "      const int op2_other = op2_lane + op2_width;\n"
      "      const %s op2_x = op2_best[op2_lane], op2_y = op2_best[op2_other];\n"
      "      const int64_t op2_m = op2_winner[op2_lane], op2_n = op2_winner[op2_other];\n"
      "      ",
      type_of(g, a));
  meet(g, a);
  op2i_text_add(g->e.out, " {\n"
                          "        op2_best[op2_lane] = op2_y;\n"
                          "        op2_winner[op2_lane] = op2_n;\n"
                          "        op2_where[op2_lane] = op2_where[op2_other];\n"
                          "      }\n    }\n    op2_wait();\n  }\n");
}

/* The lvalue of component %s of an argument in the partial result of group `at`. */
static void partial(const struct op2i_devgen *g, int a, const char *at, char there[STATEMENT]) {
  snprintf(there, STATEMENT, "((OP2_GLOBAL %s *)(op2_partial + (%d + %%s) * op2_n0))[%s]",
           type_of(g, a), op2i_devgen_first_value(g, a), at);
}

static void partial_number(const struct op2i_devgen *g, int a, const char *before, const char *at,
                           const char *behind) {
  op2i_text_add(g->e.out, "%s((OP2_GLOBAL int64_t *)(op2_partial + %d * op2_n0))[%s]%s", before,
                op2i_devgen_first_value(g, a) + 1, at, behind);
}

/* Assign the components of an argument, one after the other. */
static void assign(const struct op2i_devgen *g, int a, const char *to, const char *from) {
  char statement[2 * (STATEMENT + NAME)];
  snprintf(statement, sizeof statement, "%s = %s;", to, from);
  op2i_devgen_each(g, op2i_arg_located(op2i_emit_arg(&g->e, a)) ? 1 : op2i_emit_arg(&g->e, a)->dim,
                   "      ", statement);
}

void op2i_devgen_locate_tile(const struct op2i_devgen *g, int a) {
  char there[STATEMENT], from[STATEMENT];
  lanes_begin(g, a);
  op2i_text_add(g->e.out,
                "    const int64_t op2_position = op2_lo + op2_group() * 256 + op2_lane;\n"
                "    if (op2_position < op2_hi) {\n");
  kept(g, a, from);
  assign(g, a, "op2_x", from);
  kept_number(g, a, "      op2_m = ", ";\n      op2_at = op2_position;\n    }\n");
  lanes_end(g, a);
  op2i_text_add(g->e.out, "  if (op2_item() == 0) {\n"
                          "    const int64_t op2_position = op2_where[0];\n");
  partial(g, a, "op2_group()", there);
  assign(g, a, there, "op2_best[0]");
  partial_number(g, a, "      ", "op2_group()",
                 " = op2_winner[0];\n    if (op2_winner[0] >= 0) {\n");
  for (int b = next_info(g, a, 0); b < g->e.loop->nargs; b = next_info(g, a, b + 1)) {
    partial(g, b, "op2_group()", there);
    kept(g, b, from);
    assign(g, b, there, from);
  }
  op2i_text_add(g->e.out, "    }\n  }\n  op2_wait();\n  }\n");
}

/* ---- combination over all groups ------------------------------------------------------------- */

/* Update the global as if a fused loop's member combined its result with those of earlier
 * members. */
static void put_global(const struct op2i_devgen *g, int a) {
  char there[NAME], from[STATEMENT];
  op2i_text_add(g->e.out,
                "    if (op2_n1 && op2_winner[0] >= 0 && (op2_y %c op2_x || op2_x != op2_x)) {\n"
                "      *op2_gbl%d = op2_y;\n",
                sign(g, a), (int)op2i_emit_arg(&g->e, a)->gbl);
  for (int b = next_info(g, a, 0); b < g->e.loop->nargs; b = next_info(g, a, b + 1)) {
    snprintf(there, sizeof there, "op2_gbl%d[%%s]", (int)op2i_emit_arg(&g->e, b)->gbl);
    partial(g, b, "op2_i", from);
    assign(g, b, there, from);
  }
  op2i_text_add(g->e.out, "    }\n");
}

/* The lvalue of component %s of an argument's final result. */
static void result(const struct op2i_devgen *g, int a, char there[STATEMENT]) {
  snprintf(there, STATEMENT, "*(OP2_GLOBAL %s *)(op2_partial + %d * op2_n0 + (%d + %%s))",
           type_of(g, a), g->form.nvalues, op2i_devgen_first_value(g, a));
}

static void put_result(const struct op2i_devgen *g, int a) {
  char there[STATEMENT], from[STATEMENT], found[STATEMENT + NAME];
  op2i_text_add(g->e.out, "    if (!op2_n1) {\n");
  result(g, a, there);
  assign(g, a, there, "op2_y");
  op2i_text_add(g->e.out,
                "      *(OP2_GLOBAL int64_t *)(op2_partial + %d * op2_n0 + %d) = op2_winner[0];\n",
                g->form.nvalues, op2i_devgen_first_value(g, a) + 1);
  for (int b = next_info(g, a, 0); b < g->e.loop->nargs; b = next_info(g, a, b + 1)) {
    result(g, b, there);
    partial(g, b, "op2_i", from);
    snprintf(found, sizeof found, "op2_winner[0] >= 0 ? %s : 0", from);
    assign(g, b, there, found);
  }
  op2i_text_add(g->e.out, "    }\n");
}

void op2i_devgen_locate_all(const struct op2i_devgen *g, int a) {
  char from[STATEMENT];
  lanes_begin(g, a);
  op2i_text_add(g->e.out,
                "    for (int64_t op2_i = op2_lane; op2_i < op2_n0; op2_i += 256) {\n"
                "      %s op2_y;\n",
                type_of(g, a));
  partial(g, a, "op2_i", from);
  assign(g, a, "op2_y", from);
  partial_number(g, a, "      const int64_t op2_n = ", "op2_i", ";\n      ");
  meet(g, a);
  op2i_text_add(g->e.out, " {\n        op2_x = op2_y;\n        op2_m = op2_n;\n"
                          "        op2_at = op2_i;\n      }\n    }\n");
  lanes_end(g, a);
  op2i_text_add(g->e.out,
                "  if (op2_item() == 0) {\n"
                "    const int64_t op2_i = op2_where[0];\n"
                "    const %s op2_x = *op2_gbl%d, op2_y = op2_best[0];\n",
                type_of(g, a), (int)op2i_emit_arg(&g->e, a)->gbl);
  put_global(g, a);
  put_result(g, a);
  op2i_text_add(g->e.out, "  }\n  op2_wait();\n  }\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions into globals in code for devices, by a tree over positions that does not depend on the
 * size of groups. */
#include <stdio.h>
#include <string.h>

#include "devgen.h"
#include "devgen_block.h"
#include "devgen_target.h"

static const char *sum_type(const struct op2i_loop_arg *arg) {
  return op2i_type_real(arg->type) ? op2i_type_c(arg->type) : "uint64_t";
}

/* A value that is reduced: its argument, and as text its component, its index among all values, and
 * its index among those in shared memory. */
struct part {
  int a;
  const char *j, *v, *local;
};

/* Values of reductions take eight bytes each, with one array for each component. */
static void here(const struct op2i_devgen *g, const struct part *p, const char *at) {
  op2i_text_add(g->e.out, "((OP2_LOCAL %s *)(op2_values + %s * 256))[%s]",
                op2i_emit_type(&g->e, p->a), p->local, at);
}

/* The compiler must not keep what other groups of a launch have stored. */
static void partial(const struct op2i_devgen *g, const struct part *p, const char *at) {
  op2i_text_add(g->e.out, "((OP2_GLOBAL %s%s *)(op2_partial + %s * op2_n0))[%s]",
                g->form.finishes ? "volatile " : "", op2i_emit_type(&g->e, p->a), p->v, at);
}

/* Combine the values op2_x and op2_y into op2_x. */
static void combine(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[a];
  if (op2i_sums(arg->access))
    op2i_text_add(g->e.out, "op2_x = (%s)((%s)op2_x + (%s)op2_y);\n", op2i_emit_type(&g->e, a),
                  sum_type(arg), sum_type(arg));
  else
    op2i_text_add(g->e.out, "if (op2_y %c op2_x || op2_x != op2_x) op2_x = op2_y + 0;\n",
                  op2i_better(arg->access));
}

typedef void part_fn(const struct op2i_devgen *g, const struct part *p);

static void each_value(const struct op2i_devgen *g, part_fn *write) {
  char component[16], number[16];
  int v = 0;
  for (int a = 0; a < g->e.loop->nargs; a++)
    for (int j = 0; j < op2i_device_reduced(&g->e.loop->args[a]); j++) {
      snprintf(component, sizeof component, "%d", j);
      snprintf(number, sizeof number, "%d", v++);
      write(g, &(struct part){a, component, number, number});
    }
}

/* Emit the neutral value, for a lane without an element. */
static void nothing(const struct op2i_devgen *g, const struct part *p) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[p->a];
  const char *type = op2i_emit_type(&g->e, p->a);
  op2i_text_add(g->e.out, "    ");
  here(g, p, "op2_lane");
  if (op2i_sums(arg->access))
    op2i_text_add(g->e.out, " = %s;\n", op2i_type_real(arg->type) ? "-0.0" : "0");
  else
    op2i_text_add(g->e.out, " = ((OP2_GLOBAL const %s *)op2_gbl%d)[%s];\n", type, (int)arg->gbl,
                  p->j);
}

static void put_value(const struct op2i_devgen *g, const struct part *p) {
  op2i_text_add(g->e.out, "    ");
  here(g, p, "op2_lane");
  op2i_text_add(g->e.out, " = op2_own%d[%s];\n", p->a, p->j);
}

static void halve(const struct op2i_devgen *g, const struct part *p) {
  op2i_text_add(g->e.out, "      {\n        %s op2_x = ", op2i_emit_type(&g->e, p->a));
  here(g, p, "op2_lane");
  op2i_text_add(g->e.out, ", op2_y = ");
  here(g, p, "op2_lane + op2_width");
  op2i_text_add(g->e.out, ";\n        ");
  combine(g, p->a);
  op2i_text_add(g->e.out, "        ");
  here(g, p, "op2_lane");
  op2i_text_add(g->e.out, " = op2_x;\n      }\n");
}

/* Reduce the 256 values of a group to one, by a tree whose shape does not depend on the group's
 * size. */
static void tree_begin(const struct op2i_devgen *g) {
  op2i_text_add(
      g->e.out,
      "  op2_wait();\n"
      "  for (int op2_width = 128; op2_width > 0; op2_width /= 2) {\n"
      "    for (int op2_lane = op2_item(); op2_lane < op2_width; op2_lane += op2_items()) {\n");
}

static void tree_end(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out, "    }\n    op2_wait();\n  }\n");
}

static void put_partial(const struct op2i_devgen *g, const struct part *p) {
  op2i_text_add(g->e.out, "    ");
  partial(g, p, "op2_group()");
  op2i_text_add(g->e.out, " = ");
  here(g, p, "0");
  op2i_text_add(g->e.out, ";\n");
}

/* ---- values that elements keep --------------------------------------------------------------- */

enum { NAME = 96, STATEMENT = 512 };

static void take_kept(const struct op2i_devgen *g, const struct part *p) {
  char there[STATEMENT], number[NAME];
  snprintf(number, sizeof number, "(%d + %s)", g->form.reduced_at, p->v);
  op2i_devgen_kept(g, p->a, g->form.reduced_at ? number : p->v, there, sizeof there);
  op2i_text_add(g->e.out, "    ");
  here(g, p, "op2_lane");
  op2i_text_add(g->e.out, " = %s;\n", there);
}

static void keep_part(const struct op2i_devgen *g, const struct part *p) {
  char there[STATEMENT];
  op2i_devgen_kept(g, p->a, p->v, there, sizeof there);
  op2i_text_add(g->e.out, "    %s = op2_own%d[%s];\n", there, p->a, p->j);
}

void op2i_devgen_keep_reduced(const struct op2i_devgen *g) {
  if (g->form.apart)
    op2i_devgen_keep_apart(g);
  else
    each_value(g, keep_part);
}

/* The values of a position: computed from its element, or kept by it in an earlier launch. */
static void values(const struct op2i_devgen *g) {
  bool left = op2i_device_leaves(&g->form);
  if (!left) op2i_devgen_stage_in(g);
  op2i_text_add(g->e.out, "    if (op2_position >= op2_hi) {\n");
  each_value(g, nothing);
  op2i_text_add(g->e.out, "    } else {\n");
  if (!left) op2i_devgen_element(g);
  each_value(g, left ? take_kept : put_value);
  op2i_text_add(g->e.out, "    }\n");
  if (!left) op2i_devgen_stage_out(g);
  if (!left && op2i_devgen_early(g)) op2i_text_add(g->e.out, "    op2_wait();\n");
}

static void fold_lane(const struct op2i_devgen *g, const struct part *p) {
  const char *type = op2i_emit_type(&g->e, p->a);
  op2i_text_add(g->e.out, "    if (op2_lane < op2_n0) {\n      %s op2_x = ", type);
  partial(g, p, "op2_lane");
  op2i_text_add(g->e.out,
                ";\n      for (int64_t op2_i = op2_lane + 256; op2_i < op2_n0; op2_i += 256) {\n"
                "        const %s op2_y = ",
                type);
  partial(g, p, "op2_i");
  op2i_text_add(g->e.out, ";\n        ");
  combine(g, p->a);
  op2i_text_add(g->e.out, "      }\n      ");
  here(g, p, "op2_lane");
  op2i_text_add(g->e.out, " = op2_x;\n    } else {\n  ");
  nothing(g, p);
  op2i_text_add(g->e.out, "    }\n");
}

static void put_result(const struct op2i_devgen *g, const struct part *p) {
  op2i_text_add(g->e.out, "    *(OP2_GLOBAL %s *)(op2_partial + %d * op2_n0 + %s) = ",
                op2i_emit_type(&g->e, p->a), g->form.nvalues, p->v);
  here(g, p, "0");
  op2i_text_add(g->e.out, ";\n");
}

static void put_global(const struct op2i_devgen *g, const struct part *p) {
  const char *type = op2i_emit_type(&g->e, p->a);
  int gbl = (int)g->e.loop->args[p->a].gbl;
  op2i_text_add(g->e.out, "    {\n      %s op2_x = ((OP2_GLOBAL %s *)op2_gbl%d)[%s];\n", type, type,
                gbl, p->j);
  op2i_text_add(g->e.out, "      const %s op2_y = ", type);
  here(g, p, "0");
  op2i_text_add(g->e.out, ";\n      ");
  combine(g, p->a);
  op2i_text_add(g->e.out, "      ((OP2_GLOBAL %s *)op2_gbl%d)[%s] = op2_x;\n    }\n", type, gbl,
                p->j);
}

/* Reduce the values of all groups. */
static void fold_groups(const struct op2i_devgen *g, const char *to_globals) {
  op2i_text_add(g->e.out,
                "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n");
  each_value(g, fold_lane);
  op2i_text_add(g->e.out, "  }\n");
  tree_begin(g);
  each_value(g, halve);
  tree_end(g);
  op2i_text_add(g->e.out, "  if (op2_item() == 0 && %s) {\n", to_globals);
  each_value(g, put_global);
  op2i_text_add(g->e.out, "  } else if (op2_item() == 0) {\n");
  each_value(g, put_result);
  op2i_text_add(g->e.out, "  }\n");
}

/* The group whose arrival is the last one sees what all others have stored. The tree's second value
 * is not used any more, and tells all work items. */
static void finish(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out,
                "  if (op2_n1 %% 4 == %d) return;\n"
                "  if (op2_item() == 0)\n"
                "    *(OP2_LOCAL int *)(op2_values + 1) = op2_arrives_last(op2_partial, op2_n0);\n"
                "  op2_wait();\n"
                "  const int op2_last = *(OP2_LOCAL int *)(op2_values + 1);\n"
                "  op2_wait();\n"
                "  if (!op2_last) return;\n",
                OP2I_DEVICE_LEAVE);
  fold_groups(g, "op2_n1 % 4 == 1");
}

/* One group runs this. n0: number of values of each component; n1: 1 if the results go into the
 * globals, 0 if they are stored after the partial results, for the host. */
static void fold(const struct op2i_devgen *g) {
  op2i_devgen_entry(g, "op2_fold", -1);
  op2i_text_add(g->e.out, "  OP2_SHARED\n"
                          "  OP2_LOCAL op2_eight *op2_values = op2_shared;\n");
  fold_groups(g, "op2_n1");
  op2i_text_add(g->e.out, "}\n");
}

/* n0: number of groups, each of which produces one value for each component; n1: doubles of shared
 * memory that rows take. If the last group reduces these values as well, n1 / 4, and n1 % 4 says
 * whether it does so, and where the results go. */
static void tiles(const struct op2i_devgen *g) {
  op2i_devgen_entry(g, "op2_reduce", -1);
  op2i_text_add(
      g->e.out,
      "  OP2_SHARED\n"
      "  OP2_LOCAL op2_eight *op2_values = op2_shared + op2_n1%s;\n"
      "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n"
      "    const int64_t op2_base = op2_lo + op2_group() * 256 + (op2_lane - op2_item());\n"
      "    const int64_t op2_position = op2_base + op2_item();\n",
      g->form.finishes ? " / 4" : "");
  op2i_devgen_live(g);
  values(g);
  op2i_text_add(g->e.out, "  }\n");
  tree_begin(g);
  each_value(g, halve);
  tree_end(g);
  op2i_text_add(g->e.out, "  if (op2_item() == 0) {\n");
  each_value(g, put_partial);
  op2i_text_add(g->e.out, "  }\n");
  if (g->form.finishes) finish(g);
  op2i_text_add(g->e.out, "}\n");
}

/* ---- reduction component by component -------------------------------------------------------- */

/* Reduce all components of an argument, which share the same shared memory. */
static void each_component(const struct op2i_devgen *g, int a, part_fn *write) {
  char number[NAME];
  snprintf(number, sizeof number, "(%d + op2_component)", op2i_devgen_first_value(g, a));
  const struct part p = {a, "op2_component", number, "0"};
  op2i_text_add(g->e.out,
                "  for (int op2_component = 0; op2_component < %d; op2_component++) {\n"
                "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n",
                (int)g->e.loop->args[a].dim);
  write(g, &p);
  op2i_text_add(g->e.out, "  op2_wait();\n  }\n");
}

static void tree(const struct op2i_devgen *g, const struct part *p) {
  op2i_text_add(g->e.out, "  }\n");
  tree_begin(g);
  halve(g, p);
  tree_end(g);
}

static void tile_apart(const struct op2i_devgen *g, const struct part *p) {
  op2i_text_add(g->e.out,
                "    const int64_t op2_position = op2_lo + op2_group() * 256 + op2_lane;\n"
                "    if (op2_position >= op2_hi) {\n");
  nothing(g, p);
  op2i_text_add(g->e.out, "    } else {\n");
  take_kept(g, p);
  op2i_text_add(g->e.out, "    }\n");
  tree(g, p);
  op2i_text_add(g->e.out, "  if (op2_item() == 0) {\n");
  put_partial(g, p);
  op2i_text_add(g->e.out, "  }\n");
}

static void fold_apart(const struct op2i_devgen *g, const struct part *p) {
  fold_lane(g, p);
  tree(g, p);
  op2i_text_add(g->e.out, "  if (op2_item() == 0 && op2_n1) {\n");
  put_global(g, p);
  op2i_text_add(g->e.out, "  } else if (op2_item() == 0) {\n");
  put_result(g, p);
  op2i_text_add(g->e.out, "  }\n");
}

/* Emit entries like those above, for values that elements have kept. */
static void apart(const struct op2i_devgen *g, const char *name, part_fn *write,
                  void (*locate)(const struct op2i_devgen *g, int a)) {
  op2i_devgen_entry(g, name, -1);
  op2i_text_add(g->e.out, "  OP2_SHARED\n"
                          "  OP2_LOCAL op2_eight *op2_values = op2_shared;\n");
  for (int a = 0; a < g->e.loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &g->e.loop->args[a];
    if (op2i_arg_located(arg))
      locate(g, a);
    else if (op2i_arg_reduces(arg) && !op2i_arg_informs(arg))
      each_component(g, a, write);
  }
  op2i_text_add(g->e.out, "}\n");
}

void op2i_devgen_reduce(const struct op2i_devgen *g) {
  if (!g->form.apart) {
    tiles(g);
    if (!g->form.finishes) fold(g);
    return;
  }
  apart(g, "op2_reduce", tile_apart, op2i_devgen_locate_tile);
  apart(g, "op2_fold", fold_apart, op2i_devgen_locate_all);
}

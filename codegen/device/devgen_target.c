/* SPDX-License-Identifier: BSD-3-Clause */
/* A work item for each target, in code for devices: it computes its elements anew, or adds what they have
 * left. */
#include <stdio.h>

#include "devgen.h"

enum { NAME = 96, STATEMENT = 1024 };

static const struct op2i_loop_arg *arg_of(const struct op2i_devgen *g, int a) {
  return &g->e.loop->args[a];
}

static int dim_of(const struct op2i_devgen *g, int d) {
  return (int)arg_of(g, op2i_emit_first_of_dat(&g->e, d))->dim;
}

static bool shared(const struct op2i_devgen *g, int a) {
  return op2i_device_shared(g->e.loop, arg_of(g, a));
}

bool op2i_devgen_of_target(const struct op2i_devgen *g, int a) {
  return g->pass && shared(g, a) && g->e.loop->maps[arg_of(g, a)->map]->to == g->pass->target;
}

static bool taken(const struct op2i_devgen *g, int d) {
  return op2i_devgen_of_target(g, op2i_emit_first_of_dat(&g->e, d));
}

static void target_load(const struct op2i_devgen *g) {
  char sum[NAME];
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    if (!taken(g, d)) continue;
    op2i_text_add(g->e.out, "  %s op2_sum%d[%d];\n", op2i_devgen_dat_type(g, d), d, dim_of(g, d));
    snprintf(sum, sizeof sum, "op2_sum%d", d);
    op2i_devgen_load_row(g, d, "op2_target", sum, "  ");
  }
}

static void target_store(const struct op2i_devgen *g) {
  char sum[NAME];
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    if (!taken(g, d)) continue;
    snprintf(sum, sizeof sum, "op2_sum%d", d);
    op2i_devgen_store_row(g, d, "op2_target", sum, "  ");
  }
}

/* What comes before and after an entry of a target. n0: targets; t0: which, or null where all of them are; t1: where each one's entries begin; t2: the
 * entries, the number of a position counted from lo times columns, plus the column. */
static void begin(const struct op2i_devgen *g, const char *name, int p) {
  op2i_devgen_entry(g, name, p);
  op2i_text_add(g->e.out, "  const int64_t op2_at = op2_group() * op2_items() + op2_item();\n"
                          "  if (op2_at >= op2_n0) return;\n"
                          "  const int64_t op2_target = op2_t0 ? op2_t0[op2_at] : op2_at;\n");
  target_load(g);
  op2i_text_add(g->e.out,
                "  for (int op2_i = op2_t1[op2_at]; op2_i < op2_t1[op2_at + 1]; op2_i++) {\n"
                "    const uint32_t op2_entry = (uint32_t)op2_t2[op2_i];\n"
                "    const int op2_column = (int)(op2_entry %% %du);\n"
                "    const int64_t op2_position = op2_lo + op2_entry / %du;\n",
                g->pass->ncolumns, g->pass->ncolumns);
}

static void end(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out, "  }\n");
  target_store(g);
  op2i_text_add(g->e.out, "}\n");
}

/* ---- elements anew --------------------------------------------------------------------------- */

void op2i_devgen_to_target(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char there[NAME], ours[NAME], statement[STATEMENT];
  int first, n = op2i_device_slots(arg, &first);
  for (int k = 0; k < n; k++) {
    int column = op2i_device_column(g->pass, arg->map, first + k);
    if (column < 0) continue;
    snprintf(there, sizeof there, "op2_sum%d[%%s]", (int)arg->dat);
    snprintf(ours, sizeof ours, "op2_own%d[%d + %%s]", a, k * (int)arg->dim);
    op2i_devgen_add_text(arg, there, ours, statement, sizeof statement);
    op2i_text_add(g->e.out, "    if (op2_column == %d) {\n", column);
    op2i_devgen_each(g, arg->dim, "      ", statement);
    op2i_text_add(g->e.out, "    }\n");
  }
}

void op2i_devgen_repeat(const struct op2i_devgen *g, int p) {
  begin(g, "op2_repeat", p);
  op2i_devgen_element(g);
  end(g);
}

/* ---- what elements have left ----------------------------------------------------------------- */

/* Each component of what elements have for others is an array over positions. */
static int kept_at(const struct op2i_devgen *g, int a) {
  int at = 0, first;
  for (int b = 0; b < a; b++)
    if (shared(g, b)) at += op2i_device_slots(arg_of(g, b), &first) * (int)arg_of(g, b)->dim;
  return at;
}

static void kept(const struct op2i_devgen *g, int a, int at, char *there, size_t room) {
  char value[32];
  snprintf(value, sizeof value, "(%d + %%s)", at);
  op2i_devgen_kept(g, a, value, there, room);
}

void op2i_devgen_keep(const struct op2i_devgen *g, int a) {
  char there[STATEMENT / 2], statement[STATEMENT];
  int first, n = op2i_device_slots(arg_of(g, a), &first) * (int)arg_of(g, a)->dim;
  if (!shared(g, a)) return;
  kept(g, a, kept_at(g, a), there, sizeof there);
  snprintf(statement, sizeof statement, "%s = op2_own%d[%%s];", there, a);
  op2i_devgen_each(g, n, "    ", statement);
}

/* In the order of arguments, as an element that is computed anew would. */
static void add_kept(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char sum[NAME], left[STATEMENT / 2], statement[2 * STATEMENT];
  int first, n = op2i_device_slots(arg, &first);
  for (int k = 0; k < n; k++) {
    int column = op2i_device_column(g->pass, arg->map, first + k);
    if (column < 0) continue;
    snprintf(sum, sizeof sum, "op2_sum%d[%%s]", (int)arg->dat);
    kept(g, a, kept_at(g, a) + k * (int)arg->dim, left, sizeof left);
    op2i_devgen_add_text(arg, sum, left, statement, sizeof statement);
    op2i_text_add(g->e.out, "    if (op2_column == %d) {\n", column);
    op2i_devgen_each(g, arg->dim, "      ", statement);
    op2i_text_add(g->e.out, "    }\n");
  }
}

/* As op2_repeat<p>, but for the elements. */
void op2i_devgen_sum(const struct op2i_devgen *g, int p) {
  begin(g, "op2_sum", p);
  for (int a = 0; a < g->e.loop->nargs; a++)
    if (op2i_devgen_of_target(g, a)) add_kept(g, a);
  end(g);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A work item for each target, in code for devices: it recomputes its elements, or adds the
 * contributions that they have kept. */
#include <stdio.h>

#include "devgen.h"
#include "devgen_row.h"
#include "devgen_target.h"

enum { NAME = 96, STATEMENT = 1024 };

static int dim_of(const struct op2i_devgen *g, int d) {
  return (int)op2i_emit_arg(&g->e, op2i_emit_first_of_dat(&g->e, d))->dim;
}

bool op2i_devgen_of_target(const struct op2i_devgen *g, int a) {
  return g->pass && op2i_devgen_shared(g, a) &&
         g->e.loop->maps[op2i_emit_arg(&g->e, a)->map]->to == g->pass->target;
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

/* Emit the code before and after an entry of a target. t0: the targets, or null if all are
 * included; t1: where the entries of each target begin; t2: the entries, each the number of an
 * element times the number of columns, plus the column. */
static void entries_begin(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out, "  const int64_t op2_target = op2_t0 ? op2_t0[op2_at] : op2_at;\n");
  target_load(g);
  op2i_text_add(g->e.out,
                "  for (int op2_i = op2_t1[op2_at]; op2_i < op2_t1[op2_at + 1]; op2_i++) {\n"
                "    const uint32_t op2_entry = (uint32_t)op2_t2[op2_i];\n"
                "    const int op2_column = (int)(op2_entry %% %du);\n",
                g->pass->ncolumns);
}

static void entries_end(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out, "  }\n");
  target_store(g);
  op2i_text_add(g->e.out, "}\n");
}

/* n0: number of targets. Elements are numbered by their positions, from lo. */
static void begin_targets(const struct op2i_devgen *g, const char *name, int p) {
  op2i_devgen_entry(g, name, p);
  op2i_text_add(g->e.out, "  const int64_t op2_at = op2_group() * op2_items() + op2_item();\n"
                          "  if (op2_at >= op2_n0) return;\n");
  entries_begin(g);
  op2i_text_add(g->e.out, "    const int64_t op2_position = op2_lo + op2_entry / %du;\n",
                g->pass->ncolumns);
}

/* ---- recomputed elements --------------------------------------------------------------------- */

void op2i_devgen_to_target(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
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

void op2i_devgen_repeat(struct op2i_devgen *g, int p) {
  begin_targets(g, "op2_repeat", p);
  op2i_devgen_element(g);
  entries_end(g);
}

/* ---- contributions that elements keep -------------------------------------------------------- */

/* True if an argument's contributions are kept. Each component of them is an array over positions,
 * or over the elements of a block in shared memory, where only those of the pass are kept. */
static bool is_kept(const struct op2i_devgen *g, int a) {
  return g->owns ? op2i_devgen_of_target(g, a) : op2i_devgen_shared(g, a);
}

static int kept_at(const struct op2i_devgen *g, int a) {
  int at = 0, first;
  for (int b = 0; b < a; b++)
    if (is_kept(g, b))
      at += op2i_device_slots(op2i_emit_arg(&g->e, b), &first) * (int)op2i_emit_arg(&g->e, b)->dim;
  return at;
}

static void kept(const struct op2i_devgen *g, int a, int at, char *there, size_t room) {
  char value[32];
  snprintf(value, sizeof value, "(%d + %%s)", at);
  if (g->owns)
    snprintf(there, room, "((OP2_LOCAL %s *)(op2_shared + %s * op2_count))[op2_left]",
             op2i_emit_type(&g->e, a), value);
  else
    op2i_devgen_kept(g, a, value, there, room);
}

void op2i_devgen_keep(const struct op2i_devgen *g, int a) {
  char there[STATEMENT / 2], statement[STATEMENT];
  int first,
      n = op2i_device_slots(op2i_emit_arg(&g->e, a), &first) * (int)op2i_emit_arg(&g->e, a)->dim;
  if (!is_kept(g, a)) return;
  kept(g, a, kept_at(g, a), there, sizeof there);
  snprintf(statement, sizeof statement, "%s = op2_own%d[%%s];", there, a);
  op2i_devgen_each(g, n, "    ", statement);
}

/* Contributions are added in the order of arguments, as by an element that is recomputed. */
static void add_kept(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
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

static void add_all_kept(const struct op2i_devgen *g) {
  for (int a = 0; a < g->e.loop->nargs; a++)
    if (op2i_devgen_of_target(g, a)) add_kept(g, a);
}

/* Like op2_repeat<p>, but elements are not recomputed. */
void op2i_devgen_sum(struct op2i_devgen *g, int p) {
  begin_targets(g, "op2_sum", p);
  add_all_kept(g);
  entries_end(g);
}

/* ---- blocks of targets ----------------------------------------------------------------------- */

/* n0: number of targets; n1: targets of a block; t3: elements that reach each block, as positions
 * from lo; t4: where those of each block begin in t3. Entries number elements within their
 * block. */
void op2i_devgen_owner(struct op2i_devgen *g, int p) {
  op2i_devgen_entry(g, "op2_owner", p);
  g->owns = true;
  op2i_text_add(
      g->e.out,
      "  OP2_SHARED\n"
      "  const int op2_first = op2_t4[op2_group()], op2_count = op2_t4[op2_group() + 1] - "
      "op2_first;\n"
      "  for (int op2_left = op2_item(); op2_left < op2_count; op2_left += op2_items()) {\n"
      "    const int64_t op2_position = op2_lo + op2_t3[op2_first + op2_left];\n");
  op2i_devgen_element(g);
  for (int a = 0; a < g->e.loop->nargs; a++) op2i_devgen_keep(g, a);
  op2i_text_add(
      g->e.out,
      "  }\n  op2_wait();\n"
      "  const int64_t op2_begin = op2_group() * op2_n1;\n"
      "  const int64_t op2_end = op2_begin + op2_n1 < op2_n0 ? op2_begin + op2_n1 : op2_n0;\n"
      "  for (int64_t op2_at = op2_begin + op2_item(); op2_at < op2_end; op2_at += "
      "op2_items()) {\n");
  entries_begin(g);
  op2i_text_add(g->e.out, "    const int op2_left = (int)(op2_entry / %du);\n", g->pass->ncolumns);
  add_all_kept(g);
  entries_end(g);
  op2i_text_add(g->e.out, "}\n");
  g->owns = false;
}

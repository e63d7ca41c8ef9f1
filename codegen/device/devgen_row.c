/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows in code for devices: transfers between memory and an element's own copies, directly or
 * through shared memory. */
#include <stdio.h>

#include "devgen.h"
#include "devgen_row.h"
#include "devgen_target.h"

/* Up to this many values are written out one by one. */
enum { UNROLL_MAX = 32, NAME = 96, STATEMENT = 1024 };

static int dim_of(const struct op2i_devgen *g, int d) {
  return (int)op2i_emit_arg(&g->e, op2i_emit_first_of_dat(&g->e, d))->dim;
}

const char *op2i_devgen_dat_type(const struct op2i_devgen *g, int d) {
  return op2i_emit_type(&g->e, op2i_emit_first_of_dat(&g->e, d));
}

/* Few values are written out one by one, which keeps copies in registers whatever a compiler does
 * about loops. */
void op2i_devgen_each(const struct op2i_devgen *g, int64_t n, const char *indent,
                      const char *statement) {
  char number[24];
  bool listed = n <= UNROLL_MAX;
  struct op2i_text *out = g->e.out;
  if (!listed)
    op2i_text_add(out, "%sfor (int op2_component = 0; op2_component < %d; op2_component++) {\n",
                  indent, (int)n);
  for (int64_t j = 0; j < (listed ? n : 1); j++) {
    snprintf(number, sizeof number, listed ? "%d" : "op2_component", (int)j);
    op2i_text_add(out, "%s%s", indent, listed ? "" : "  ");
    for (const char *at = statement; *at; at++) {
      if (at[0] == '%' && at[1] == 's')
        op2i_text_add(out, "%s", number), at++;
      else
        op2i_text_bytes(out, at, 1);
    }
    op2i_text_add(out, "\n");
  }
  if (!listed) op2i_text_add(out, "%s}\n", indent);
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Rows are moved in pieces of 16 or 8 bytes if they consist of such: memory is aligned to 64. */
int op2i_devgen_pieces(op2_type type, int dim, const char **name) {
  int width = type == OP2_F64 ? 2 : type == OP2_F32 || type == OP2_I32 ? 4 : 1;
  *name = type == OP2_F64 ? "double" : type == OP2_F32 ? "float" : "int";
  if (width == 4 && dim % 4 != 0) width = 2;
  return dim % width == 0 ? width : 1;
}

/* Load `ours`[0..n-1] from n values at `place`, which is an address, `width` of them at once. */
void op2i_devgen_load_pieces(const struct op2i_devgen *g, op2_type type, int n, int width,
                             const char *place, const char *ours, const char *indent) {
  static const char members[] = "xyzw";
  const char *name;
  op2i_devgen_pieces(type, n, &name);
  for (int j = 0; j < n; j += width) {
    op2i_text_add(g->e.out, "%s{ const %s%d op2_v = op2_load%d(%s, %s + %d);", indent, name, width,
                  width, name, place, j);
    for (int k = 0; k < width; k++)
      op2i_text_add(g->e.out, " %s[%d] = op2_v.%c;", ours, j + k, members[k]);
    op2i_text_add(g->e.out, " }\n");
  }
}

void op2i_devgen_store_pieces(const struct op2i_devgen *g, op2_type type, int n, int width,
                              const char *place, const char *ours, const char *indent) {
  const char *name;
  op2i_devgen_pieces(type, n, &name);
  for (int j = 0; j < n; j += width) {
    op2i_text_add(g->e.out, "%sop2_store%d(%s, %s + %d", indent, width, name, place, j);
    for (int k = 0; k < width; k++) op2i_text_add(g->e.out, ", %s[%d]", ours, j + k);
    op2i_text_add(g->e.out, ");\n");
  }
}

/* The number of values of a row that are moved at once, or 1 if the row is not moved in pieces. */
static int width_of(op2_type type, int dim) {
  const char *name;
  return dim <= UNROLL_MAX ? op2i_devgen_pieces(type, dim, &name) : 1;
}

void op2i_devgen_load_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                          const char *indent) {
  char text[STATEMENT];
  int a = op2i_emit_first_of_dat(&g->e, d), dim = (int)op2i_emit_arg(&g->e, a)->dim;
  int width = width_of(op2i_emit_arg(&g->e, a)->type, dim);
  snprintf(text, sizeof text, "op2_dat%d + %d * %s", d, dim, at);
  if (width > 1) {
    op2i_devgen_load_pieces(g, op2i_emit_arg(&g->e, a)->type, dim, width, text, ours, indent);
    return;
  }
  snprintf(text, sizeof text, "%s[%%s] = op2_dat%d[%d * %s + %%s];", ours, d, dim, at);
  op2i_devgen_each(g, dim, indent, text);
}

void op2i_devgen_store_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                           const char *indent) {
  char text[STATEMENT];
  int a = op2i_emit_first_of_dat(&g->e, d), dim = (int)op2i_emit_arg(&g->e, a)->dim;
  int width = width_of(op2i_emit_arg(&g->e, a)->type, dim);
  snprintf(text, sizeof text, "op2_dat%d + %d * %s", d, dim, at);
  if (width > 1) {
    op2i_devgen_store_pieces(g, op2i_emit_arg(&g->e, a)->type, dim, width, text, ours, indent);
    return;
  }
  snprintf(text, sizeof text, "op2_dat%d[%d * %s + %%s] = %s[%%s];", d, dim, at, ours);
  op2i_devgen_each(g, dim, indent, text);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* True if the number of the row that this slot leads to is needed. Rows of dats that a block has
 * staged are found by op2_local<l> instead. */
static bool column_used(const struct op2i_devgen *g, int m, int slot) {
  bool used = false;
  for (int a = 0; a < g->e.loop->nargs; a++)
    used |= op2i_arg_uses_slot(op2i_emit_arg(&g->e, a), m, slot) &&
            !(g->form.nstages && op2i_emit_arg(&g->e, a)->dat >= 0);
  return used;
}

static bool any_used(const struct op2i_devgen *g, int m) {
  bool used = false;
  for (int slot = 0; slot < g->e.loop->maps[m]->arity; slot++) used |= column_used(g, m, slot);
  return used;
}

void op2i_devgen_hoist_columns(const struct op2i_devgen *g) {
  for (int l = 0; l < g->form.nlocals; l++) op2i_text_add(g->e.out, "  int op2_local%d = 0;\n", l);
  for (int m = 0; m < g->e.loop->nmaps; m++)
    for (int slot = 0; slot < g->e.loop->maps[m]->arity; slot++)
      if (column_used(g, m, slot))
        op2i_text_add(g->e.out, "  int64_t op2_map%d_%d = 0;\n", m, slot);
}

/* Sixteen bits are enough for the rows of a block. */
static void locals(const struct op2i_devgen *g) {
  for (int l = 0; l < g->form.nlocals; l++)
    op2i_text_add(
        g->e.out,
        "    %sop2_local%d = ((OP2_GLOBAL const uint16_t *)op2_t5)[%d * (op2_hi - op2_lo) "
        "+ op2_position - op2_lo];\n",
        g->hoists ? "" : "const int ", l, l);
}

/* True if an element's entries of a map are loaded at once. */
static bool in_one_piece(const struct op2i_devgen *g, int m) {
  int arity = (int)g->e.loop->maps[m]->arity;
  return (arity == 2 || arity == 4) && any_used(g, m);
}

static void columns(const struct op2i_devgen *g) {
  const char *declared = g->hoists ? "" : "const int64_t ";
  const struct op2i_loop *loop = g->e.loop;
  for (int m = 0; m < loop->nmaps; m++) {
    int arity = (int)loop->maps[m]->arity;
    bool whole = in_one_piece(g, m);
    if (whole && !op2i_devgen_early(g))
      op2i_text_add(
          g->e.out,
          "    const int%d op2_slots%d = op2_load%d(int, op2_map%d + %d * op2_element);\n", arity,
          m, arity, m, arity);
    for (int slot = 0; slot < arity; slot++) {
      if (!column_used(g, m, slot)) continue;
      if (whole)
        op2i_text_add(g->e.out, "    %sop2_map%d_%d = op2_slots%d.%c;\n", declared, m, slot, m,
                      "xyzw"[slot]);
      else
        op2i_text_add(g->e.out, "    %sop2_map%d_%d = op2_map%d[%d * op2_element + %d];\n",
                      declared, m, slot, m, arity, slot);
    }
  }
}

/* True if a row is loaded before a group's wide rows have come. */
static bool narrow(const struct op2i_devgen *g, int d) {
  bool loaded, stored;
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, op2i_emit_first_of_dat(&g->e, d));
  return op2i_devgen_early(g) && op2i_device_row(g->e.loop, d, &loaded, &stored) && loaded &&
         (int64_t)arg->dim * (int64_t)op2i_type_size(arg->type) <= OP2I_DEVICE_NARROW;
}

static bool declare_early(const struct op2i_devgen *g) {
  bool any = false;
  for (int m = 0; m < g->e.loop->nmaps; m++) {
    if (!in_one_piece(g, m)) continue;
    op2i_text_add(g->e.out, "    int%d op2_slots%d;\n", (int)g->e.loop->maps[m]->arity, m);
    any = true;
  }
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    if (!narrow(g, d)) continue;
    op2i_text_add(g->e.out, "    %s op2_row%d[%d];\n", op2i_devgen_dat_type(g, d), d, dim_of(g, d));
    any = true;
  }
  return any;
}

void op2i_devgen_load_early(const struct op2i_devgen *g) {
  char row[NAME];
  struct op2i_text *out = g->e.out;
  if (!declare_early(g)) return;
  op2i_text_add(out, "    if (op2_item() < op2_live) {\n");
  for (int m = 0; m < g->e.loop->nmaps; m++) {
    int arity = (int)g->e.loop->maps[m]->arity;
    if (in_one_piece(g, m))
      op2i_text_add(out, "      op2_slots%d = op2_load%d(int, op2_map%d + %d * op2_position);\n", m,
                    arity, m, arity);
  }
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    snprintf(row, sizeof row, "op2_row%d", d);
    if (narrow(g, d)) op2i_devgen_load_row(g, d, "op2_position", row, "      ");
  }
  op2i_text_add(out, "    }\n");
}

void op2i_devgen_load(const struct op2i_devgen *g) {
  char row[NAME];
  bool loaded, stored;
  columns(g);
  locals(g);
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    int dim = dim_of(g, d);
    if (!op2i_device_row(g->e.loop, d, &loaded, &stored)) continue;
    if (op2i_devgen_staged(g, d) || narrow(g, d)) continue;
    op2i_text_add(g->e.out, "    %s op2_row%d[%d];\n", op2i_devgen_dat_type(g, d), d, dim);
    snprintf(row, sizeof row, "op2_row%d", d);
    if (loaded) op2i_devgen_load_row(g, d, "op2_element", row, "    ");
  }
}

void op2i_devgen_store(const struct op2i_devgen *g) {
  char row[NAME];
  bool loaded, stored;
  for (int d = 0; d < g->e.loop->op.ndats && g->stores; d++) {
    op2i_device_row(g->e.loop, d, &loaded, &stored);
    if (!stored || op2i_devgen_staged(g, d)) continue;
    snprintf(row, sizeof row, "op2_row%d", d);
    op2i_devgen_store_row(g, d, "op2_element", row, "    ");
  }
}

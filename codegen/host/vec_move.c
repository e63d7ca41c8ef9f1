/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers of rows between memory and vectors. */
#include <stdio.h>
#include <string.h>

#include "vec.h"
#include "vec_order.h"
#include "vec_rows.h"
#include "vec_view.h"

/* A pointer to a dat's first row, or to the batch's first row where rows are counted from there. */
static void add_base(const struct op2i_vec *v, int dat, bool batch) {
  const char *type = op2i_type_c(op2i_vec_row(v, dat)->type);
  const char *spelled = op2i_emit_type(v->e, op2i_emit_first_of_dat(v->e, dat));
  if (batch)
    op2i_text_add(v->out, "op2_rows%d", dat);
  else if (strcmp(type, spelled) != 0)
    op2i_text_add(v->out, "(%s *)op2_dat%d", type, dat);
  else
    op2i_text_add(v->out, "op2_dat%d", dat);
}

struct numbers {
  char text[32];
};

/* The array of the lanes' rows, counted from the base. */
static struct numbers rows_at(const char *stem, int map, int slot, bool batch) {
  struct numbers name;
  if (map >= 0)
    snprintf(name.text, sizeof name.text, "op2_%s%d_%d", stem, map, slot);
  else
    snprintf(name.text, sizeof name.text, batch ? "op2_each" : "op2_element");
  return name;
}

static void add_offset(struct op2i_text *out, int offset) {
  if (offset) op2i_text_add(out, " + %d", offset);
}

/* A transfer between memory and vectors. */
struct transfer {
  int dat, map, slot;
  bool batch;         /* rows are counted from the batch's first */
  const char *stem;   /* stem of the array of vectors: op2_<stem><number> */
  int number, vector; /* its number, and the vector to begin with */
};

static void move_dat(const struct op2i_vec *v, const struct transfer *p, bool to_memory) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, p->dat);
  const char *stem = op2i_type_stem(row->type);
  for (int at = 0, width; at < row->dim; at += width) {
    width = op2i_vec_piece(v, row->dim - at);
    op2i_text_add(v->out, "      op2_%s%d_%sx%d(", to_memory ? "put" : "get", width, stem,
                  v->lanes);
    if (!to_memory) {
      op2i_text_add(v->out, "op2_%s%d", p->stem, p->number);
      add_offset(v->out, p->vector + at);
      op2i_text_add(v->out, ", ");
    }
    add_base(v, p->dat, p->batch);
    add_offset(v->out, at);
    op2i_text_add(v->out, ", %d, %s", (int)row->dim,
                  rows_at("map", p->map, p->slot, p->batch).text);
    if (to_memory) {
      op2i_text_add(v->out, ", op2_%s%d", p->stem, p->number);
      add_offset(v->out, p->vector + at);
    }
    op2i_text_add(v->out, ");\n");
  }
}

/* ---- views ----------------------------------------------------------------------------------- */

static bool in_batch(const struct op2i_vec *v, int map) { return map < 0 && !v->e->listed; }

/* True if neighbours in memory are neighbours in a vector. */
static bool contiguous(const struct op2i_vec *v, const struct op2i_vec_view *view) {
  return in_batch(v, view->map) && op2i_vec_row(v, view->dat)->dim == 1;
}

/* True if rows of several values lie one behind the other, and are loaded and stored as such. */
static bool ordered(const struct op2i_vec *v, const struct op2i_vec_view *view) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, view->dat);
  return in_batch(v, view->map) && op2i_vec_ordered(v, row->type, (int)row->dim);
}

static struct transfer view_transfer(const struct op2i_vec *v, int n, int slot) {
  const struct op2i_vec_view *view = &v->views[n];
  return (struct transfer){.dat = view->dat,
                           .map = view->map,
                           .slot = view->slot + slot,
                           .batch = in_batch(v, view->map),
                           .stem = "view",
                           .number = n,
                           .vector = slot * (int)op2i_vec_row(v, view->dat)->dim};
}

/* Only kernels whose additions are written read these: they start at -0.0, as increments do. Else zeros
 * keep compilers from warning about values that are not initialised. */
static void begin_view(const struct op2i_vec *v, const struct op2i_vec_view *view) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, view->dat);
  const int count = view->nslots * (int)row->dim;
  bool adds = false;
  for (int a = 0; a < v->e->loop->nargs; a++)
    adds |= op2i_emit_arg(v->e, a)->dat == view->dat && op2i_emit_arg(v->e, a)->row_sum;
  if (!adds || v->e->loop->traits.per_nonzero || !op2i_type_real(row->type)) {
    op2i_text_add(v->out, " = {{0}}");
    return;
  }
  for (int i = 0; i < count; i++) {
    op2i_text_add(v->out, i ? ", -(" : " = {-(");
    op2i_vec_add_type(v, row->type);
    op2i_text_add(v->out, "){0}");
  }
  op2i_text_add(v->out, "}");
}

void op2i_vec_load(const struct op2i_vec *v, int n) {
  const struct op2i_vec_view *view = &v->views[n];
  const struct op2i_loop_arg *row = op2i_vec_row(v, view->dat);
  op2i_text_add(v->out, "      ");
  op2i_vec_add_type(v, row->type);
  op2i_text_add(v->out, " op2_view%d[%d]", n, view->nslots * (int)row->dim);
  if (!view->loaded) begin_view(v, view);
  op2i_text_add(v->out, ";\n");
  if (!view->loaded) return;
  if (contiguous(v, view)) {
    op2i_text_add(v->out, "      op2_view%d[0] = *(const op2_%smem%d *)op2_rows%d;\n", n,
                  op2i_type_stem(row->type), v->lanes, view->dat);
    return;
  }
  if (ordered(v, view)) {
    op2i_text_add(v->out, "      op2_load%d_%sx%d(op2_view%d, op2_rows%d);\n", (int)row->dim,
                  op2i_type_stem(row->type), v->lanes, n, view->dat);
    return;
  }
  for (int slot = 0; slot < view->nslots; slot++) {
    struct transfer transfer = view_transfer(v, n, slot);
    move_dat(v, &transfer, false);
  }
}

void op2i_vec_get(const struct op2i_vec *v, int a, const char *base, const char *rows) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  for (int at = 0, width; at < arg->dim; at += width) {
    width = op2i_vec_piece(v, arg->dim - at);
    op2i_text_add(v->out, "      op2_get%d_%sx%d(op2_view%d", width, op2i_type_stem(arg->type),
                  v->lanes, v->args[a].view);
    add_offset(v->out, at);
    op2i_text_add(v->out, ", ");
    add_base(v, (int)arg->dat, false);
    op2i_text_add(v->out, " + %s", base);
    add_offset(v->out, at);
    op2i_text_add(v->out, ", %d, %s);\n", (int)arg->dim, rows);
  }
}

/* True if some argument modifies the values that a slot of a view leads to. */
static bool modified(const struct op2i_vec *v, const struct op2i_vec_view *view, int slot) {
  bool any = false;
  for (int a = 0; a < v->e->loop->nargs; a++) {
    const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
    if (arg->dat != view->dat || arg->map != view->map || !op2i_modifies(arg->access)) continue;
    any = any || arg->kind != OP2I_ARG_SLOT || arg->slot == view->slot + slot;
  }
  return any;
}

static int vector_bytes(const struct op2i_vec *v, const struct op2i_vec_view *view) {
  return v->lanes * (int)op2i_type_size(op2i_vec_row(v, view->dat)->type);
}

bool op2i_vec_passes(const struct op2i_vec *v, int n) {
  const struct op2i_vec_view *view = &v->views[n];
  int bytes = vector_bytes(v, view);
  return view->stored && !view->loaded && contiguous(v, view) &&
         (bytes == 16 || bytes == 32 || bytes == 64);
}

void op2i_vec_store(const struct op2i_vec *v, int n) {
  const struct op2i_vec_view *view = &v->views[n];
  if (!view->stored) return;
  if (v->past && op2i_vec_passes(v, n)) {
    op2i_text_add(v->out, "      OP2_PAST%d(op2_rows%d, op2_view%d[0]);\n", vector_bytes(v, view),
                  view->dat, n);
    return;
  }
  if (contiguous(v, view)) {
    op2i_text_add(v->out, "      *(op2_%smem%d *)op2_rows%d = op2_view%d[0];\n",
                  op2i_type_stem(op2i_vec_row(v, view->dat)->type), v->lanes, view->dat, n);
    return;
  }
  if (ordered(v, view)) {
    const struct op2i_loop_arg *row = op2i_vec_row(v, view->dat);
    op2i_text_add(v->out, "      op2_store%d_%sx%d(op2_view%d, op2_rows%d);\n", (int)row->dim,
                  op2i_type_stem(row->type), v->lanes, n, view->dat);
    return;
  }
  for (int slot = 0; slot < view->nslots; slot++) {
    if (!modified(v, view, slot)) continue;
    struct transfer transfer = view_transfer(v, n, slot);
    move_dat(v, &transfer, true);
  }
}

/* ---- private copies -------------------------------------------------------------------------- */

/* The transfer for slot `slot` of those that an argument sees. */
static struct transfer copy_transfer(const struct op2i_vec *v, int a, int slot) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  return (struct transfer){.dat = arg->dat,
                           .map = arg->map,
                           .slot = arg->kind == OP2I_ARG_SLOT ? (int)arg->slot : slot,
                           .stem = "own",
                           .number = a,
                           .vector = slot * (int)arg->dim};
}

/* The number of additions that an argument makes in the text if each has a line. */
static int additions(const struct op2i_vec *v, const struct op2i_loop_arg *arg) {
  int pieces = 0;
  for (int at = 0; at < arg->dim; at += op2i_vec_piece(v, (int)arg->dim - at)) pieces++;
  return v->lanes * (int)arg->arity * pieces;
}

bool op2i_vec_rolled(const struct op2i_vec *v, int dat) {
  const struct op2i_loop *loop = v->e->loop;
  const struct op2i_loop_arg *row = op2i_vec_row(v, dat);
  int lines = 0;
  if (!v->args[row - loop->args].accumulates || !op2i_sums(row->access)) return false;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat == dat) lines += additions(v, &loop->args[a]);
  return lines > OP2I_VEC_LINES_MAX;
}

static bool rolled_copy(const struct op2i_vec *v, int a) {
  return op2i_emit_arg(v->e, a)->dat >= 0 && op2i_vec_rolled(v, (int)op2i_emit_arg(v->e, a)->dat);
}

/* Increments of floating type start at -0.0, since adding it changes no value. Sums into globals
 * continue from their strands. */
void op2i_vec_copy(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const struct op2i_vec_arg *at = &v->args[a];
  int count = (int)(arg->arity * arg->dim);
  if (!at->own) return;
  op2i_text_add(v->out, "      ");
  op2i_vec_add_type(v, arg->type);
  op2i_text_add(v->out, " op2_own%d[%d]", a, count);
  if (arg->kind == OP2I_ARG_WORK) {
    op2i_text_add(v->out, ";\n");
    return;
  }
  if (rolled_copy(v, a)) {
    op2i_text_add(v->out,
                  ";\n      for (int op2_value = 0; op2_value < %d; op2_value++) "
                  "op2_own%d[op2_value] = -(",
                  count, a);
    op2i_vec_add_type(v, arg->type);
    op2i_text_add(v->out, "){0};\n");
    return;
  }
  bool gathered = !op2i_sums(arg->access) && at->accumulates;
  for (int i = 0; i < count && !gathered; i++) {
    op2i_text_add(v->out, i ? ", " : " = {");
    if (!op2i_sums(arg->access) || arg->gbl >= 0) {
      const char *from = op2i_arg_bounds(arg) ? "start" : arg->gbl >= 0 ? "arg" : "view";
      op2i_text_add(v->out, "op2_%s%d[%d]", from, arg->gbl >= 0 ? a : at->view, at->first + i);
      continue;
    }
    op2i_text_add(v->out, "-(");
    op2i_vec_add_type(v, arg->type);
    op2i_text_add(v->out, "){0}");
  }
  op2i_text_add(v->out, gathered ? ";\n" : "};\n");
  for (int slot = 0; slot < arg->arity && gathered; slot++) {
    struct transfer transfer = copy_transfer(v, a, slot);
    move_dat(v, &transfer, false);
  }
}

/* Permute the dense block of a matrix into the order of slots, which all other copies have. */
static void put_in_order(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  int count = (int)(arg->arity * arg->dim), dim = (int)arg->dim;
  if (op2i_arg_in_order(arg) || !v->args[a].own || rolled_copy(v, a)) return;
  op2i_text_add(v->out, "      {\n        const ");
  op2i_vec_add_type(v, arg->type);
  op2i_text_add(v->out, " op2_block[%d] = {", count);
  for (int i = 0; i < count; i++)
    op2i_text_add(v->out, "%sop2_own%d[%d]", i ? ", " : "", a,
                  op2i_arg_place(arg, i / dim, i % dim));
  op2i_text_add(v->out, "};\n");
  for (int i = 0; i < count; i++)
    op2i_text_add(v->out, "        op2_own%d[%d] = op2_block[%d];\n", a, i, i);
  op2i_text_add(v->out, "      }\n");
}

void op2i_vec_settle(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const struct op2i_vec_arg *at = &v->args[a];
  int count = (int)(arg->arity * arg->dim);
  put_in_order(v, a);
  if (!at->own || (at->view < 0 && !op2i_arg_bounds(arg))) return;
  if (op2i_arg_bounds(arg)) {
    op2i_text_add(v->out, "      op2_%s_%sx%d(op2_arg%d, op2_own%d, %d);\n",
                  op2i_lowers(arg->access) ? "least" : "most", op2i_type_stem(arg->type), v->lanes,
                  a, a, count);
    return;
  }
  if (!op2i_sums(arg->access)) {
    op2i_text_add(v->out, "      op2_%s_%sx%d(op2_view%d",
                  op2i_lowers(arg->access) ? "lower" : "raise", op2i_type_stem(arg->type), v->lanes,
                  at->view);
    add_offset(v->out, at->first);
    op2i_text_add(v->out, ", op2_own%d, %d);\n", a, count);
    return;
  }
  for (int j = 0; j < count; j++)
    op2i_text_add(v->out, "      op2_view%d[%d] += op2_own%d[%d];\n", at->view, at->first + j, a,
                  j);
}

/* ---- storing to memory, element by element --------------------------------------------------- */

static void add_part_type(const struct op2i_vec *v, op2_type type, int width) {
  if (width > 1)
    op2i_text_add(v->out, "      op2_%srow%d", op2i_type_stem(type), width);
  else
    op2i_text_add(v->out, "      %s", op2i_type_c(type));
}

void op2i_vec_add_parts(const struct op2i_vec *v, int a, const char *copy) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const char *stem = op2i_type_stem(arg->type);
  for (int slot = 0; slot < arg->arity; slot++)
    for (int at = 0, width; at < arg->dim; at += width) {
      int vector = slot * (int)arg->dim + at;
      width = op2i_vec_piece(v, arg->dim - at);
      add_part_type(v, arg->type, width);
      op2i_text_add(v->out,
                    " op2_parts%d_%d[%d];\n      op2_parts%d_%sx%d(op2_parts%d_%d, op2_%s%d", a,
                    vector, v->lanes, width, stem, v->lanes, a, vector, copy, a);
      add_offset(v->out, vector);
      op2i_text_add(v->out, ");\n");
    }
}

/* The row of one lane, from component `at` on. Row numbers are multiplied as unsigned integers: gcc
 * can postpone that until they are needed, although signed integers wrap. */
static void add_row(const struct op2i_vec *v, const struct transfer *p, const char *lane, int at) {
  int dim = (int)op2i_vec_row(v, p->dat)->dim;
  struct numbers rows = rows_at("again", p->map, p->slot, false);
  add_base(v, p->dat, false);
  if (dim == 1)
    op2i_text_add(v->out, " + %s[%s]", rows.text, lane);
  else
    op2i_text_add(v->out, " + %d * (size_t)%s[%s]", dim, rows.text, lane);
  add_offset(v->out, at);
}

void op2i_vec_add_slot(const struct op2i_vec *v, int a, int slot, int lane) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const struct transfer transfer = copy_transfer(v, a, slot);
  char number[16];
  snprintf(number, sizeof number, "%d", lane);
  for (int at = 0, width; at < arg->dim; at += width) {
    width = op2i_vec_piece(v, arg->dim - at);
    op2i_text_add(v->out, "      op2_add%d_%s(", width, op2i_type_stem(arg->type));
    add_row(v, &transfer, number, at);
    op2i_text_add(v->out, ", op2_parts%d_%d + %d);\n", a, transfer.vector + at, lane);
  }
}

/* Combine an argument's minimum or maximum with memory by the rule of emit_arg.c. This is seldom
 * needed, so the text is short rather than fast. */
static void add_bounds(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  bool real = op2i_type_real(arg->type);
  for (int slot = 0; slot < arg->arity; slot++) {
    struct transfer transfer = copy_transfer(v, a, slot);
    op2i_text_add(v->out,
                  "        for (int op2_component = 0; op2_component < %d; op2_component++) {\n    "
                  "      %s *op2_to = ",
                  (int)arg->dim, op2i_type_c(arg->type));
    add_row(v, &transfer, "op2_lane", 0);
    op2i_text_add(v->out,
                  " + op2_component;\n          if (op2_own%d[%d + op2_component][op2_lane] %c "
                  "*op2_to%s) *op2_to = "
                  "op2_own%d[%d + op2_component][op2_lane]%s;\n        }\n",
                  a, transfer.vector, op2i_better(arg->access),
                  real ? " || *op2_to != *op2_to" : "", a, transfer.vector, real ? " + 0" : "");
  }
}

/* ---- storing to memory in loops -------------------------------------------------------------- */

/* Declare op2_row, the vectors of the slot op2_slot. */
static void roll_row(const struct op2i_vec *v, int a, const char *copy) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  int columns = (int)arg->columns;
  op2i_text_add(v->out, "        const ");
  op2i_vec_add_type(v, arg->type);
  if (op2i_arg_in_order(arg)) {
    op2i_text_add(v->out, " *op2_row = op2_%s%d + %d * op2_slot;\n", copy, a, (int)arg->dim);
    return;
  }
  op2i_text_add(v->out, " *op2_block = op2_%s%d + op2_slot / %d * %d + op2_slot %% %d * %d, ", copy,
                a, columns, op2i_arg_place(arg, columns, 0), columns, (int)arg->column_dim);
  op2i_text_add(v->out, "op2_row[%d] = {", (int)arg->dim);
  for (int i = 0; i < arg->dim; i++)
    op2i_text_add(v->out, i ? ", op2_block[%d]" : "op2_block[%d]", op2i_arg_place(arg, 0, i));
  op2i_text_add(v->out, "};\n");
}

/* Declare the pieces of all rows of all lanes: op2_parts<n>_<component>[slot][lane]. Single values
 * are read from the copy instead. */
static void roll_parts(const struct op2i_vec *v, int a, const char *copy) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  int dim = (int)arg->dim;
  if (dim == 1) return;
  for (int at = 0, width; at < dim; at += width) {
    width = op2i_vec_piece(v, dim - at);
    add_part_type(v, arg->type, width);
    op2i_text_add(v->out, " op2_parts%d_%d[%d];\n", a, at, (int)arg->arity * v->lanes);
  }
  op2i_text_add(v->out, "      for (int op2_slot = 0; op2_slot < %d; op2_slot++) {\n",
                (int)arg->arity);
  roll_row(v, a, copy);
  for (int at = 0, width; at < dim; at += width) {
    width = op2i_vec_piece(v, dim - at);
    op2i_text_add(v->out,
                  "        op2_parts%d_%sx%d(op2_parts%d_%d + %d * op2_slot, op2_row + %d);\n",
                  width, op2i_type_stem(arg->type), v->lanes, a, at, v->lanes, at);
  }
  op2i_text_add(v->out, "      }\n");
}

/* Declare op2_to, the row of the lane op2_lane and the slot op2_slot. */
static void roll_to(const struct op2i_vec *v, const struct op2i_loop_arg *arg) {
  op2i_text_add(v->out, "          %s *op2_to = ", op2i_type_c(arg->type));
  add_base(v, (int)arg->dat, false);
  op2i_text_add(v->out, " + %d * (size_t)op2_", (int)arg->dim);
  if (arg->map < 0) {
    op2i_text_add(v->out, "element[op2_lane];\n");
    return;
  }
  op2i_text_add(v->out, "again%d[%d * op2_%s + op2_slot", (int)arg->map,
                (int)v->e->loop->maps[arg->map]->arity,
                v->e->listed ? "element[op2_lane]" : "lane");
  add_offset(v->out, arg->kind == OP2I_ARG_SLOT ? (int)arg->slot : 0);
  op2i_text_add(v->out, "];\n");
}

/* Add all rows of the lane op2_lane to memory. */
static void roll_increments(const struct op2i_vec *v, int a, const char *copy) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  int dim = (int)arg->dim;
  op2i_text_add(v->out, "        for (int op2_slot = 0; op2_slot < %d; op2_slot++) {\n",
                (int)arg->arity);
  roll_to(v, arg);
  if (dim == 1)
    op2i_text_add(v->out, "          *op2_to += op2_%s%d[op2_slot][op2_lane];\n", copy, a);
  for (int at = 0, width; at < dim && dim > 1; at += width) {
    width = op2i_vec_piece(v, dim - at);
    op2i_text_add(
        v->out, "          op2_add%d_%s(op2_to + %d, op2_parts%d_%d + %d * op2_slot + op2_lane);\n",
        width, op2i_type_stem(arg->type), at, a, at, v->lanes);
  }
  op2i_text_add(v->out, "        }\n");
}

static void roll(const struct op2i_vec *v, int dat, const char *copy) {
  const struct op2i_loop *loop = v->e->loop;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat == dat) roll_parts(v, a, copy);
  op2i_text_add(v->out, "      for (int op2_lane = 0; op2_lane < %d; op2_lane++) {\n", v->lanes);
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat == dat) roll_increments(v, a, copy);
  op2i_text_add(v->out, "      }\n");
}

void op2i_vec_accumulate(const struct op2i_vec *v, int dat, const char *copy) {
  const struct op2i_loop *loop = v->e->loop;
  const struct op2i_loop_arg *row = op2i_vec_row(v, dat);
  if (!v->args[row - loop->args].accumulates) return;
  if (op2i_vec_rolled(v, dat)) {
    roll(v, dat, copy);
    return;
  }
  if (op2i_sums(row->access)) return;
  op2i_text_add(v->out, "      for (int op2_lane = 0; op2_lane < %d; op2_lane++) {\n", v->lanes);
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat == dat) add_bounds(v, a);
  op2i_text_add(v->out, "      }\n");
}

/* ---- helper functions ------------------------------------------------------------------------ */

static void need_pieces(struct op2i_vec *v, enum op2i_vec_help help,
                        const struct op2i_loop_arg *row) {
  for (int at = 0, width; at < row->dim; at += width) {
    width = op2i_vec_piece(v, row->dim - at);
    op2i_vec_need(v, help, row->type, width);
  }
}

static void need_view(struct op2i_vec *v, const struct op2i_vec_view *view) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, view->dat);
  if (contiguous(v, view)) {
    op2i_vec_need(v, OP2I_VEC_ROW, row->type, v->lanes);
    return;
  }
  if (ordered(v, view)) {
    if (view->loaded) op2i_vec_need(v, OP2I_VEC_LOAD, row->type, (int)row->dim);
    if (view->stored) op2i_vec_need(v, OP2I_VEC_STORE, row->type, (int)row->dim);
    return;
  }
  if (view->loaded) need_pieces(v, OP2I_VEC_GET, row);
  if (view->stored) need_pieces(v, OP2I_VEC_PUT, row);
  if (view->slot < 0) op2i_vec_need(v, OP2I_VEC_ROW, row->type, v->lanes);
}

static void need_arg(struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const struct op2i_vec_arg *at = &v->args[a];
  if (!at->own || arg->kind == OP2I_ARG_WORK) return;
  if (op2i_arg_bounds(arg)) {
    op2i_vec_need(v, op2i_lowers(arg->access) ? OP2I_VEC_LEAST : OP2I_VEC_MOST, arg->type, 1);
    return;
  }
  if (!op2i_sums(arg->access)) {
    if (at->accumulates)
      need_pieces(v, OP2I_VEC_GET, arg);
    else
      op2i_vec_need(v, op2i_lowers(arg->access) ? OP2I_VEC_LOWER : OP2I_VEC_RAISE, arg->type, 1);
    return;
  }
  if (arg->gbl >= 0) op2i_vec_need(v, OP2I_VEC_KEEP, arg->type, 1);
  if (arg->dat >= 0 && at->view < 0) op2i_vec_need(v, OP2I_VEC_LIMIT, arg->type, 1);
  if (!at->accumulates) return;
  need_pieces(v, OP2I_VEC_PARTS, arg);
  need_pieces(v, OP2I_VEC_ADD, arg);
}

void op2i_vec_move_helps(struct op2i_vec *v) {
  if (v->e->loop->traits.per_nonzero) op2i_vec_need(v, OP2I_VEC_ROW, OP2_U8, v->lanes);
  for (int n = 0; n < v->nviews; n++) need_view(v, &v->views[n]);
  for (int a = 0; a < v->e->loop->nargs; a++) need_arg(v, a);
}

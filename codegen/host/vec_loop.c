/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits the function over positions: batches of as many elements as there are lanes, one or two at
 * a time, and at the end the same with padded copies of the remaining elements. */
#include <stdio.h>
#include <string.h>

#include "vec.h"
#include "vec_rows.h"
#include "vec_view.h"

/* The number of vectors that hold all strands of an argument's component. */
static int turns(const struct op2i_vec *v, int a) {
  int strands = op2i_arg_strands(op2i_emit_arg(v->e, a));
  return strands > v->lanes ? strands / v->lanes : 1;
}

static void add_type(const struct op2i_vec *v, op2_type type) {
  op2i_text_add(v->out, "op2_%sx%d", op2i_type_stem(type), v->lanes);
}

/* ---- pointers that advance with the batches -------------------------------------------------- */

enum walk { BEGIN, AHEAD, ADVANCE, LAST, END };

/* True if a dat has views of the elements' own rows that advance with the batches. */
static bool walks(const struct op2i_vec *v, int dat, bool *loaded, bool *stored) {
  *loaded = *stored = false;
  for (int n = 0; n < v->nviews; n++) {
    const struct op2i_vec_view *view = &v->views[n];
    if (view->dat != dat || view->map >= 0) continue;
    *loaded = view->loaded;
    *stored = view->stored;
  }
  return !v->e->listed && (*loaded || *stored);
}

/* Advance along elements' own rows: op2_rows<n>, and op2_rows_left<n> for the remainder at the
 * end. */
static void walk_dat(const struct op2i_vec *v, int dat, enum walk walk) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, dat);
  const char *type = op2i_type_c(row->type);
  bool loaded, stored;
  int dim = (int)row->dim;
  if (!walks(v, dat, &loaded, &stored)) return;
  switch (walk) {
  case BEGIN:
    op2i_text_add(
        v->out,
        "  %s%s *op2_rows%d = (%s%s *)op2_dat%d + %d * op2_lo;\n  %s op2_rows_left%d[%d];\n",
        stored ? "" : "const ", type, dat, stored ? "" : "const ", type, dat, dim, type, dat,
        v->round * dim);
    break;
  case AHEAD:
    op2i_text_add(v->out, "      op2_ahead(op2_rows%d, %d);\n", dat,
                  v->lanes * dim * (int)op2i_type_size(row->type));
    break;
  case ADVANCE: op2i_text_add(v->out, "      op2_rows%d += %d;\n", dat, v->lanes * dim); break;
  case LAST:
    if (loaded)
      op2i_text_add(v->out, "    op2_pad(op2_rows_left%d, op2_rows%d, %d, op2_count, %d);\n", dat,
                    dat, dim * (int)op2i_type_size(row->type), v->round);
    op2i_text_add(v->out, "    op2_rows%d = op2_rows_left%d;\n", dat, dat);
    break;
  case END:
    if (stored)
      op2i_text_add(
          v->out,
          "    __builtin_memcpy((%s *)op2_dat%d + %d * (op2_hi - op2_count), op2_rows_left%d, %d * "
          "(size_t)op2_count);\n",
          type, dat, dim, dat, dim * (int)op2i_type_size(row->type));
    break;
  }
}

static void walk_map(const struct op2i_vec *v, int map, enum walk walk) {
  int arity = (int)v->e->loop->maps[map]->arity;
  /* Maps of a matrix's rows do not advance with the batches. */
  if (v->e->loop->maps[map]->rows_per_slice || v->e->loop->maps[map]->first) return;
  switch (walk) {
  case BEGIN:
    op2i_text_add(v->out,
                  "  const int32_t *op2_targets%d = op2_map%d + %d * op2_lo;\n  int32_t "
                  "op2_targets_left%d[%d];\n",
                  map, map, arity, map, v->round * arity);
    break;
  case AHEAD: break;
  case ADVANCE: op2i_text_add(v->out, "      op2_targets%d += %d;\n", map, v->lanes * arity); break;
  case LAST:
    op2i_text_add(v->out,
                  "    op2_pad(op2_targets_left%d, op2_targets%d, %d, op2_count, %d);\n    "
                  "op2_targets%d = op2_targets_left%d;\n",
                  map, map, arity * (int)sizeof(int32_t), v->round, map, map);
    break;
  case END: break;
  }
}

static void walk_list(const struct op2i_vec *v, enum walk walk) {
  switch (walk) {
  case BEGIN:
    op2i_text_add(
        v->out, "  const int64_t *op2_list = op2_subset + op2_lo;\n  int64_t op2_list_left[%d];\n",
        v->lanes);
    break;
  case AHEAD: break;
  case ADVANCE: op2i_text_add(v->out, "      op2_list += %d;\n", v->lanes); break;
  case LAST:
    op2i_text_add(
        v->out,
        "    op2_pad(op2_list_left, op2_list, 8, op2_count, %d);\n    op2_list = op2_list_left;\n",
        v->lanes);
    break;
  case END: break;
  }
}

/* True if the lanes' elements are kept in a vector: in ranges, if the text needs no array of
 * them. */
static bool in_steps(const struct op2i_vec *v) {
  return v->numbered && !v->e->listed && !v->pointed &&
         v->lanes * (int)sizeof(int64_t) <= v->widest;
}

/* Padding lanes have the element of the last lane that counts. */
static void walk_steps(const struct op2i_vec *v, enum walk walk) {
  if (walk != BEGIN && walk != LAST) return;
  op2i_text_add(v->out,
                walk == BEGIN ? "  op2_i64x%d op2_steps = {" : "    op2_steps = (op2_i64x%d){",
                v->lanes);
  for (int lane = 0; lane < v->lanes; lane++) {
    op2i_text_add(v->out, lane ? ", " : "");
    if (walk == BEGIN)
      op2i_text_add(v->out, "%d", lane);
    else
      op2i_text_add(v->out, "%d < op2_count ? %d : op2_count - 1", lane, lane);
  }
  op2i_text_add(v->out, "};\n");
}

static void walk_all(const struct op2i_vec *v, enum walk walk) {
  for (int d = 0; d < v->e->loop->op.ndats; d++) walk_dat(v, d, walk);
  if (v->e->listed) {
    walk_list(v, walk);
    return;
  }
  for (int m = 0; m < v->e->loop->nmaps; m++) walk_map(v, m, walk);
  if (in_steps(v)) walk_steps(v, walk);
  if (v->numbered && walk == BEGIN) op2i_text_add(v->out, "  int64_t op2_first = op2_lo;\n");
  if (v->numbered && walk == ADVANCE) op2i_text_add(v->out, "      op2_first += %d;\n", v->lanes);
}

static bool copies_back(const struct op2i_vec *v) {
  bool any = false;
  for (int n = 0; n < v->nviews; n++)
    any = any || (v->views[n].stored && v->views[n].map < 0 && !v->e->listed);
  return any;
}

/* ---- numbers of elements and rows ------------------------------------------------------------ */

static void elements(const struct op2i_vec *v) {
  if (!v->e->listed && !v->numbered) return;
  if (in_steps(v)) {
    op2i_text_add(v->out, "      const op2_i64x%d op2_element = op2_first + op2_steps;\n",
                  v->lanes);
    return;
  }
  op2i_text_add(v->out, "      const int64_t op2_element[%d] = {", v->lanes);
  for (int lane = 0; lane < v->lanes; lane++)
    if (v->e->listed)
      op2i_text_add(v->out, "%sop2_list[%d]", lane ? ", " : "", lane);
    else if (lane == 0)
      op2i_text_add(v->out, "op2_first");
    else
      op2i_text_add(v->out, ", op2_first + (%d < op2_count ? %d : op2_count - 1)", lane, lane);
  op2i_text_add(v->out, "};\n      (void)op2_element;\n");
}

static bool uses_slot(const struct op2i_vec *v, int a, int map, int slot) {
  return op2i_arg_uses_slot(op2i_emit_arg(v->e, a), map, slot);
}

/* The first member that reads through this slot of a map, or nmembers if none does. */
static int first_to_read(const struct op2i_vec *v, int map, int slot) {
  for (int a = 0; a < v->e->loop->nargs; a++)
    if (uses_slot(v, a, map, slot) &&
        (v->args[a].view >= 0 || !op2i_sums(op2i_emit_arg(v->e, a)->access)))
      return op2i_loop_member_of(v->e->loop, a);
  return v->e->nmembers;
}

/* True if increments go through this slot of a map, to dats that are `rolled` or to others. */
static bool accumulates(const struct op2i_vec *v, int map, int slot, bool rolled) {
  bool any = false;
  for (int a = 0; a < v->e->loop->nargs; a++)
    any = any || (uses_slot(v, a, map, slot) && v->args[a].accumulates &&
                  op2i_vec_rolled(v, (int)op2i_emit_arg(v->e, a)->dat) == rolled);
  return any;
}

/* Declare the rows that a slot leads to: op2_map<n>_<s> from the map, or op2_again<n>_<s> from
 * op2_again<n>. */
static void slot_rows(const struct op2i_vec *v, int map, int slot, const char *stem) {
  int arity = (int)v->e->loop->maps[map]->arity;
  const char *from = !strcmp(stem, "map") && !v->e->listed ? "targets" : stem;
  op2i_text_add(v->out, "      const int64_t op2_%s%d_%d[%d] = {", stem, map, slot, v->lanes);
  for (int lane = 0; lane < v->lanes; lane++) {
    if (lane) op2i_text_add(v->out, ", ");
    if (v->e->listed)
      op2i_text_add(v->out, "op2_%s%d[%d * op2_element[%d] + %d]", from, map, arity, lane, slot);
    else
      op2i_text_add(v->out, "op2_%s%d[%d]", from, map, arity * lane + slot);
  }
  op2i_text_add(v->out, "};\n");
}

/* Read row numbers from the map once more, for increments to memory. Compilers that know them to be
 * the same as before would keep them across the kernel, where they have no registers for them. The
 * walk is `ahead` elements further than the batch. */
static void rows_again(const struct op2i_vec *v, int map, int ahead) {
  bool any = false;
  for (int slot = 0; slot < v->e->loop->maps[map]->arity; slot++) {
    bool alone = accumulates(v, map, slot, false);
    if (!alone && !accumulates(v, map, slot, true)) continue;
    if (!any) {
      op2i_text_add(v->out, "      const int32_t *op2_again%d = op2_%s%d", map,
                    v->e->listed ? "map" : "targets", map);
      if (ahead) op2i_text_add(v->out, " - %d", ahead * (int)v->e->loop->maps[map]->arity);
      op2i_text_add(v->out, ";\n      __asm__(\"\" : \"+r\"(op2_again%d));\n", map);
    }
    if (alone) slot_rows(v, map, slot, "again");
    any = true;
  }
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Fill the lanes with the value that each element's minimum or maximum starts from. */
static void begin_starts(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_text_add(v->out, "  const ");
  add_type(v, arg->type);
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
static void begin_reduction(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  if (op2i_arg_located(arg)) op2i_emit_winner_begin(v->e, a);
  if (op2i_arg_located(arg) || op2i_arg_informs(arg)) return;
  op2i_text_add(v->out, "  ");
  add_type(v, arg->type);
  op2i_text_add(v->out, " op2_arg%d[%d];\n", a, turns(v, a) * (int)arg->dim);
  for (int j = 0; j < turns(v, a) * arg->dim; j++) {
    op2i_text_add(v->out, "  op2_arg%d[%d] = %s", a, j, op2i_sums(arg->access) ? "-(" : "(");
    add_type(v, arg->type);
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
static void next_turn(const struct op2i_vec *v, int a, const char *last, const char *indent) {
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
  add_type(v, op2i_emit_arg(v->e, a)->type);
  op2i_text_add(v->out, " op2_own%d[%d] = {", a, dim);
  for (int j = 0; j < dim; j++)
    op2i_text_add(v->out, j ? ", op2_arg%d[%d]" : "op2_arg%d[%d]", a, j);
  op2i_text_add(v->out, "};\n");
  next_turn(v, a, "own", "      ");
  op2i_text_add(v->out, "    }\n");
}

static void end_sum(const struct op2i_vec *v, int a, int j) {
  op2i_text_add(v->out, "    op2_to[%d] += ", j);
  if (op2i_arg_strands(op2i_emit_arg(v->e, a)) > 1) op2i_emit_strands(v->e, a, j, v->lanes);
  for (int lane = 0; lane < v->lanes && op2i_arg_strands(op2i_emit_arg(v->e, a)) == 1; lane++)
    op2i_text_add(v->out, "%sop2_arg%d[%d][%d]", lane ? " + " : "", a, j, lane);
  op2i_text_add(v->out, ";\n");
}

static void end_reduction(const struct op2i_vec *v, int a) {
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

/* ---- calls ----------------------------------------------------------------------------------- */

/* The user's numbers of the lanes' own elements, or of those that one slot leads to. */
static void numbers_in(const struct op2i_vec *v, int a, int slot, op2_type type) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  char rows[32] = "op2_element", number[24] = "op2_number";
  bool own = arg->map < 0 && in_steps(v);
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
  add_type(v, type);
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
  add_type(v, arg->type);
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
  add_type(v, arg->type);
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
  add_type(v, op2i_emit_arg(v->e, a)->type);
  op2i_text_add(v->out, " op2_bound = op2_best%d - (", a);
  add_type(v, op2i_emit_arg(v->e, a)->type);
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

static void call(const struct op2i_vec *v, int m) {
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

/* ---- a batch --------------------------------------------------------------------------------- */

/* Padding lanes add nothing, and leave strands as they were. `before` is the number of elements of
 * the round in the batch before. */
static void limit(const struct op2i_vec *v, int before) {
  char count[32] = "op2_count";
  bool any = false;
  if (before) snprintf(count, sizeof count, "op2_count - %d", before);
  for (int a = 0; a < v->e->loop->nargs; a++) {
    const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
    if (!v->args[a].own || v->args[a].view >= 0 || !op2i_sums(arg->access)) continue;
    if (!any) op2i_text_add(v->out, "      if (op2_count < %d) {\n", before + v->lanes);
    op2i_text_add(v->out, "        op2_%s_%sx%d(op2_own%d, ", arg->gbl < 0 ? "limit" : "keep",
                  op2i_type_stem(arg->type), v->lanes, a);
    if (arg->gbl >= 0) op2i_text_add(v->out, "op2_arg%d, ", a);
    op2i_text_add(v->out, "%d, %s);\n", (int)(arg->arity * arg->dim), count);
    any = true;
  }
  if (any) op2i_text_add(v->out, "      }\n");
}

/* Load the views through one slot that this member is the first to use. */
static void load_views(const struct op2i_vec *v, int m, int map, int slot) {
  for (int n = 0; n < v->nviews; n++) {
    const struct op2i_vec_view *view = &v->views[n];
    if (view->begin == m && view->map == map && view->slot + view->nslots - 1 == slot)
      op2i_vec_load(v, n);
  }
}

/* Loads through one slot stand together, so that the row numbers are needed for a short time only.
 * A view of all slots is loaded with the last slot. */
static void load(const struct op2i_vec *v, int m) {
  load_views(v, m, -1, 0);
  for (int map = 0; map < v->e->loop->nmaps; map++) {
    int arity = (int)v->e->loop->maps[map]->arity;
    for (int slot = 0; slot < arity; slot++) {
      if (first_to_read(v, map, slot) == m) slot_rows(v, map, slot, "map");
      load_views(v, m, map, slot);
    }
  }
}

static void begin_batch(const struct op2i_vec *v) {
  elements(v);
  walk_all(v, AHEAD);
  load(v, 0);
}

/* Compute everything but the increments that go to memory element by element, which wait in the
 * copies of arguments; `before` is as in limit(). */
static void compute(const struct op2i_vec *v, int before) {
  for (int m = 0; m < v->e->nmembers; m++) {
    if (m) load(v, m);
    bool entries = op2i_vec_entries_begin(v, m);
    call(v, m);
    if (entries) op2i_vec_entries_end(v, m);
    for (int n = 0; n < v->nviews; n++)
      if (v->views[n].end == m) op2i_vec_store(v, n);
  }
  limit(v, before);
  for (int a = 0; a < v->e->loop->nargs; a++)
    if (op2i_arg_reduces(op2i_emit_arg(v->e, a)) && op2i_sums(op2i_emit_arg(v->e, a)->access))
      next_turn(v, a, "own", "      ");
}

static void add_to_memory(const struct op2i_vec *v, int ahead, const char *copy) {
  for (int m = 0; m < v->e->loop->nmaps; m++) rows_again(v, m, ahead);
  for (int d = 0; d < v->e->loop->op.ndats; d++) op2i_vec_accumulate(v, d, copy);
}

/* ---- two batches at a time ------------------------------------------------------------------- */

/* Increments wait for a kernel's divisions and roots, and a processor in which many of them wait
 * accepts no further instructions. So two batches are loaded and computed before the increments of
 * either, which keep their order. This is not done if the second batch would be loaded too early
 * (views of later members, minima and maxima in memory), if the walk has already left the first
 * batch when it is needed (stores, numbers of elements and of their targets), or if registers are
 * short anyway. */
static bool by_twos(const struct op2i_vec *v) {
  bool any = false;
  if (!v->divides || v->e->nmembers > 1 || v->e->listed || v->numbered) return false;
  if (v->state > OP2I_VEC_TWOS_MAX) return false;
  for (int n = 0; n < v->nviews; n++)
    if (v->views[n].stored) return false;
  for (int a = 0; a < v->e->loop->nargs; a++) {
    if (op2i_emit_arg(v->e, a)->kind == OP2I_ARG_IDX) return false;
    if (!v->args[a].accumulates) continue;
    if (!op2i_sums(op2i_emit_arg(v->e, a)->access)) return false;
    any = true;
  }
  return any;
}

static int view_size(const struct op2i_vec *v, int n) {
  return v->views[n].nslots * (int)op2i_vec_row(v, v->views[n].dat)->dim;
}

static int copies(const struct op2i_vec *v, int a) {
  return v->args[a].accumulates ? (int)(op2i_emit_arg(v->e, a)->arity * op2i_emit_arg(v->e, a)->dim)
                                : 0;
}

static void declare(const struct op2i_vec *v, op2_type type, const char *stem, int number,
                    int size) {
  op2i_text_add(v->out, "      ");
  add_type(v, type);
  op2i_text_add(v->out, " op2_%s%d[%d];\n", stem, number, size);
}

static void assign(const struct op2i_vec *v, const char *to, const char *from, int number,
                   int size) {
  for (int i = 0; i < size; i++)
    op2i_text_add(v->out, "      op2_%s%d[%d] = op2_%s%d[%d];\n", to, number, i, from, number, i);
}

/* Keep the first batch's views under other names while the second batch's views are loaded. */
static void load_both(const struct op2i_vec *v) {
  for (int n = 0; n < v->nviews; n++)
    declare(v, op2i_vec_row(v, v->views[n].dat)->type, "early_view", n, view_size(v, n));
  op2i_text_add(v->out, "      {\n");
  begin_batch(v);
  for (int n = 0; n < v->nviews; n++) assign(v, "early_view", "view", n, view_size(v, n));
  walk_all(v, ADVANCE);
  op2i_text_add(v->out, "      }\n");
  begin_batch(v);
}

/* Compute the first batch under the names of the second batch's views, which it hides in its own
 * block; its increments are kept. */
static void compute_first(const struct op2i_vec *v) {
  for (int a = 0; a < v->e->loop->nargs; a++)
    if (copies(v, a)) declare(v, op2i_emit_arg(v->e, a)->type, "early_own", a, copies(v, a));
  op2i_text_add(v->out, "      {\n");
  for (int n = 0; n < v->nviews; n++) {
    declare(v, op2i_vec_row(v, v->views[n].dat)->type, "view", n, view_size(v, n));
    assign(v, "view", "early_view", n, view_size(v, n));
  }
  compute(v, 0);
  for (int a = 0; a < v->e->loop->nargs; a++) assign(v, "early_own", "own", a, copies(v, a));
  op2i_text_add(v->out, "      }\n");
}

static void batches(const struct op2i_vec *v) {
  if (v->round == v->lanes) {
    begin_batch(v);
    compute(v, 0);
  } else {
    load_both(v);
    compute_first(v);
    compute(v, v->lanes);
    op2i_text_add(v->out, "      {\n");
    add_to_memory(v, v->lanes, "early_own");
    op2i_text_add(v->out, "      }\n");
  }
  add_to_memory(v, 0, "own");
  walk_all(v, ADVANCE);
}

/* Dropped dats leave parameters unused. */
static void mark_unused(const struct op2i_vec *v) {
  for (int d = 0; d < v->e->loop->op.ndats; d++)
    if (v->e->loop->fused.dropped && v->e->loop->fused.dropped[d])
      op2i_text_add(v->out, "  (void)op2_dat%d;\n", d);
}

void op2i_vec_body(struct op2i_vec *v) {
  const struct op2i_emitter *e = v->e;
  v->round = by_twos(v) ? 2 * v->lanes : v->lanes;
  op2i_text_add(v->out, "%svoid OP2_NAME(op2_body)(", e->dialect->body_prefix);
  op2i_emit_parameters(e);
  op2i_text_add(v->out, ") {\n");
  mark_unused(v);
  op2i_emit_load_consts(e);
  for (int a = 0; a < e->loop->nargs; a++) {
    if (op2i_emit_arg(v->e, a)->kind == OP2I_ARG_VAL) op2i_emit_setup(e, a);
    if (op2i_arg_reduces(op2i_emit_arg(v->e, a))) begin_reduction(v, a);
  }
  walk_all(v, BEGIN);
  op2i_text_add(v->out,
                "  int64_t op2_left = op2_hi - op2_lo, op2_count = %d;\n  for (;;) {\n"
                "    for (; op2_left >= op2_count; op2_left -= op2_count) {\n",
                v->round);
  batches(v);
  op2i_text_add(v->out, "    }\n    if (op2_left <= 0) break;\n    op2_count = op2_left;\n");
  walk_all(v, LAST);
  op2i_text_add(v->out, "  }\n");
  if (copies_back(v)) {
    op2i_text_add(v->out, "  if (op2_count < %d) {\n", v->round);
    walk_all(v, END);
    op2i_text_add(v->out, "  }\n");
  }
  for (int a = 0; a < e->loop->nargs; a++)
    if (op2i_arg_reduces(op2i_emit_arg(v->e, a))) end_reduction(v, a);
  op2i_text_add(v->out, "}\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits what advances with the batches: pointers to rows, numbers of elements, and the rows that maps
 * lead to. */
#include "vec_walk.h"

#include <string.h>

#include "vec_view.h"

/* ---- pointers that advance with the batches -------------------------------------------------- */

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
static void walk_dat(const struct op2i_vec *v, int dat, enum op2i_vec_walk walk) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, dat);
  const char *type = op2i_type_c(row->type);
  bool loaded, stored;
  int dim = (int)row->dim;
  if (!walks(v, dat, &loaded, &stored)) return;
  switch (walk) {
  case OP2I_WALK_BEGIN:
    op2i_text_add(
        v->out,
        "  %s%s *op2_rows%d = (%s%s *)op2_dat%d + %d * op2_lo;\n  %s op2_rows_left%d[%d];\n",
        stored ? "" : "const ", type, dat, stored ? "" : "const ", type, dat, dim, type, dat,
        v->round * dim);
    break;
  case OP2I_WALK_AHEAD:
    op2i_text_add(v->out, "        op2_ahead(op2_rows%d, op2_distance, %d);\n", dat,
                  v->lanes * dim * (int)op2i_type_size(row->type));
    break;
  case OP2I_WALK_ADVANCE:
    op2i_text_add(v->out, "      op2_rows%d += %d;\n", dat, v->lanes * dim);
    break;
  case OP2I_WALK_LAST:
    if (loaded)
      op2i_text_add(v->out, "    op2_pad(op2_rows_left%d, op2_rows%d, %d, op2_count, %d);\n", dat,
                    dat, dim * (int)op2i_type_size(row->type), v->round);
    op2i_text_add(v->out, "    op2_rows%d = op2_rows_left%d;\n", dat, dat);
    break;
  case OP2I_WALK_END:
    if (stored)
      op2i_text_add(
          v->out,
          "    __builtin_memcpy((%s *)op2_dat%d + %d * (op2_hi - op2_count), op2_rows_left%d, %d * "
          "(size_t)op2_count);\n",
          type, dat, dim, dat, dim * (int)op2i_type_size(row->type));
    break;
  }
}

static void walk_map(const struct op2i_vec *v, int map, enum op2i_vec_walk walk) {
  int arity = (int)v->e->loop->maps[map]->arity;
  /* Maps of a matrix's rows do not advance with the batches. */
  if (v->e->loop->maps[map]->rows_per_slice || v->e->loop->maps[map]->first) return;
  switch (walk) {
  case OP2I_WALK_BEGIN:
    op2i_text_add(v->out,
                  "  const int32_t *op2_targets%d = op2_map%d + %d * op2_lo;\n  int32_t "
                  "op2_targets_left%d[%d];\n",
                  map, map, arity, map, v->round * arity);
    break;
  case OP2I_WALK_AHEAD: break;
  case OP2I_WALK_ADVANCE:
    op2i_text_add(v->out, "      op2_targets%d += %d;\n", map, v->lanes * arity);
    break;
  case OP2I_WALK_LAST:
    op2i_text_add(v->out,
                  "    op2_pad(op2_targets_left%d, op2_targets%d, %d, op2_count, %d);\n    "
                  "op2_targets%d = op2_targets_left%d;\n",
                  map, map, arity * (int)sizeof(int32_t), v->round, map, map);
    break;
  case OP2I_WALK_END: break;
  }
}

static void walk_list(const struct op2i_vec *v, enum op2i_vec_walk walk) {
  switch (walk) {
  case OP2I_WALK_BEGIN:
    op2i_text_add(
        v->out, "  const int64_t *op2_list = op2_subset + op2_lo;\n  int64_t op2_list_left[%d];\n",
        v->lanes);
    break;
  case OP2I_WALK_AHEAD: break;
  case OP2I_WALK_ADVANCE: op2i_text_add(v->out, "      op2_list += %d;\n", v->lanes); break;
  case OP2I_WALK_LAST:
    op2i_text_add(
        v->out,
        "    op2_pad(op2_list_left, op2_list, 8, op2_count, %d);\n    op2_list = op2_list_left;\n",
        v->lanes);
    break;
  case OP2I_WALK_END: break;
  }
}

/* True if the lanes' elements are kept in a vector: in ranges, if the text needs no array of
 * them. */
bool op2i_vec_in_steps(const struct op2i_vec *v) {
  return v->numbered && !v->e->listed && !v->pointed &&
         v->lanes * (int)sizeof(int64_t) <= v->widest;
}

/* Padding lanes have the element of the last lane that counts. */
static void walk_steps(const struct op2i_vec *v, enum op2i_vec_walk walk) {
  if (walk != OP2I_WALK_BEGIN && walk != OP2I_WALK_LAST) return;
  op2i_text_add(v->out,
                walk == OP2I_WALK_BEGIN ? "  op2_i64x%d op2_steps = {"
                                        : "    op2_steps = (op2_i64x%d){",
                v->lanes);
  for (int lane = 0; lane < v->lanes; lane++) {
    op2i_text_add(v->out, lane ? ", " : "");
    if (walk == OP2I_WALK_BEGIN)
      op2i_text_add(v->out, "%d", lane);
    else
      op2i_text_add(v->out, "%d < op2_count ? %d : op2_count - 1", lane, lane);
  }
  op2i_text_add(v->out, "};\n");
}

void op2i_vec_walk(const struct op2i_vec *v, enum op2i_vec_walk walk) {
  for (int d = 0; d < v->e->loop->op.ndats; d++) walk_dat(v, d, walk);
  if (v->e->listed) {
    walk_list(v, walk);
    return;
  }
  for (int m = 0; m < v->e->loop->nmaps; m++) walk_map(v, m, walk);
  if (op2i_vec_in_steps(v)) walk_steps(v, walk);
  if (v->numbered && walk == OP2I_WALK_BEGIN)
    op2i_text_add(v->out, "  int64_t op2_first = op2_lo;\n");
  if (v->numbered && walk == OP2I_WALK_ADVANCE)
    op2i_text_add(v->out, "      op2_first += %d;\n", v->lanes);
}

bool op2i_vec_walks(const struct op2i_vec *v) {
  bool any = false, loaded, stored;
  for (int d = 0; d < v->e->loop->op.ndats; d++) any = any || walks(v, d, &loaded, &stored);
  return any;
}

bool op2i_vec_copies_back(const struct op2i_vec *v) {
  bool any = false;
  for (int n = 0; n < v->nviews; n++)
    any = any || (v->views[n].stored && v->views[n].map < 0 && !v->e->listed);
  return any;
}

/* ---- numbers of elements and rows ------------------------------------------------------------ */

void op2i_vec_elements(const struct op2i_vec *v) {
  if (!v->e->listed && !v->numbered) return;
  if (op2i_vec_in_steps(v)) {
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
int op2i_vec_first_to_read(const struct op2i_vec *v, int map, int slot) {
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
void op2i_vec_slot_rows(const struct op2i_vec *v, int map, int slot, const char *stem) {
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
void op2i_vec_rows_again(const struct op2i_vec *v, int map, int ahead) {
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
    if (alone) op2i_vec_slot_rows(v, map, slot, "again");
    any = true;
  }
}

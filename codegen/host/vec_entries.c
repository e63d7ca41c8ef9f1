/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector code for the entries of matrix rows in slices. A batch of rows lies in one slice, and
 * handles one entry of each row at a time. Rows without further entries add nothing: the matrix
 * value there is zero, and so is the value that is loaded for the column. */
#include <stdio.h>
#include <string.h>

#include "vec.h"
#include "vec_rows.h"
#include "vec_view.h"

/* The stem of a signed integer type as wide as values of the type. */
static const char *mask_stem(op2_type type) {
  return op2i_type_size(type) == sizeof(int64_t) ? "i64" : "i32";
}

/* The sum that calls add to starts at zero, even if an earlier member has left a value there. */
static void begin_sum(const struct op2i_vec *v, int a) {
  const struct op2i_vec_arg *at = &v->args[a];
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  for (int i = 0; i < arg->dim; i++)
    op2i_text_add(v->out, "      op2_view%d[%d] = (op2_%sx%d){0};\n", at->view, at->first + i,
                  op2i_type_stem(arg->type), v->lanes);
}

/* Declare the record of the slice, and the number of entries of each row as integers as wide as the
 * values that they mask. */
static void begin_rows(const struct op2i_vec *v, const struct op2i_loop_arg *each) {
  const char *stem = mask_stem(each->type);
  op2i_text_add(v->out,
                "      {\n      const int32_t *op2_record = op2_map%d + op2_first / %d * %d;\n"
                "      const int64_t op2_side = op2_first %% %d;\n",
                (int)each->first, OP2I_SLICE, OP2I_SLICE_RECORD, OP2I_SLICE);
  op2i_text_add(v->out,
                "      const op2_%sx%d op2_length = __builtin_convertvector(*(const op2_u8mem%d "
                "*)((const unsigned char *)(op2_record + 1) + op2_side), op2_%sx%d);\n",
                stem, v->lanes, v->lanes, stem, v->lanes);
  op2i_text_add(v->out,
                "      const int64_t op2_end = op2_record[%d];\n"
                "      int op2_turn = 0;\n"
                "      for (int64_t op2_entry = op2_record[0] + op2_side; op2_entry < op2_end; "
                "op2_entry += %d, op2_turn++) {\n",
                OP2I_SLICE_RECORD, OP2I_SLICE);
}

static void declare(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  op2i_text_add(v->out, "      op2_%sx%d op2_view%d[%d];\n", op2i_type_stem(arg->type), v->lanes,
                v->args[a].view, (int)arg->dim);
}

/* True if the argument's values are those of columns, and not of the entries themselves. */
static bool goes_across(const struct op2i_vec *v, int a) {
  return v->e->loop->maps[op2i_emit_arg(v->e, a)->map]->idx;
}

/* Emit prefetches of the values or columns of later entries. */
static void prefetch(const struct op2i_vec *v, int first, int end) {
  op2i_text_add(v->out, "      if (op2_distance) {\n");
  for (int a = first; a < end; a++) {
    const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
    if (arg->kind != OP2I_ARG_ROW_ENTRIES) continue;
    if (goes_across(v, a))
      op2i_text_add(v->out, "        op2_ahead(op2_map%d + op2_entry, op2_distance, %d);\n",
                    (int)arg->map, v->lanes * (int)sizeof(int32_t));
    else
      op2i_text_add(v->out, "        op2_ahead(op2_dat%d + %d * op2_entry, op2_distance, %d);\n",
                    (int)arg->dat, (int)arg->dim,
                    v->lanes * (int)arg->dim * (int)op2i_type_size(arg->type));
  }
  op2i_text_add(v->out, "      }\n");
}

/* Emit the load of a matrix argument's values for as many entries as there are lanes. The values of
 * neighbouring entries lie side by side. */
static void load_entries(const struct op2i_vec *v, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  char base[64];
  declare(v, a);
  if (arg->dim == 1) {
    op2i_text_add(v->out, "      op2_view%d[0] = *(const op2_%smem%d *)(op2_dat%d + op2_entry);\n",
                  v->args[a].view, op2i_type_stem(arg->type), v->lanes, (int)arg->dat);
    return;
  }
  snprintf(base, sizeof base, "%d * op2_entry", (int)arg->dim);
  op2i_vec_get(v, a, base, "op2_each");
}

/* Load the values that the entries' columns lead to, and zero where a row has no further entry: -0.0 if
 * values are added to what rows were before, which may be -0.0. `lengths` is the stem of the type that
 * the numbers of entries have. */
static void load_across(const struct op2i_vec *v, int a, const char *lengths, bool from_zero) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const char *stem = op2i_type_stem(arg->type), *mask = mask_stem(arg->type);
  char columns[32], more[96] = "op2_length > op2_turn";
  if (strcmp(mask, lengths) != 0)
    snprintf(more, sizeof more, "__builtin_convertvector(op2_length > op2_turn, op2_%sx%d)", mask,
             v->lanes);
  snprintf(columns, sizeof columns, "op2_columns%d", v->args[a].view);
  op2i_text_add(v->out, "      const int64_t %s[%d] = {", columns, v->lanes);
  for (int lane = 0; lane < v->lanes; lane++)
    op2i_text_add(v->out, "%sop2_map%d[op2_entry + %d]", lane ? ", " : "", (int)arg->map, lane);
  op2i_text_add(v->out, "};\n");
  declare(v, a);
  op2i_vec_get(v, a, "0", columns);
  for (int i = 0; i < arg->dim; i++) {
    op2i_text_add(v->out, "      op2_view%d[%d] = (op2_%sx%d)((op2_%sx%d)op2_view%d[%d] & (%s)",
                  v->args[a].view, i, stem, v->lanes, mask, v->lanes, v->args[a].view, i, more);
    if (!from_zero)
      op2i_text_add(v->out, " | ~(%s) & (op2_%sx%d)-(op2_%sx%d){0}", more, mask, v->lanes, stem,
                    v->lanes);
    op2i_text_add(v->out, ");\n");
  }
}

bool op2i_vec_entries_begin(const struct op2i_vec *v, int m) {
  const struct op2i_member *member = &v->e->rewrites[m].member;
  int end = member->first_arg + member->nargs, first = -1;
  bool from_zero = false;
  for (int a = end - 1; a >= member->first_arg; a--)
    if (op2i_emit_arg(v->e, a)->kind == OP2I_ARG_ROW_ENTRIES) first = a;
  if (first < 0) return false;
  for (int a = member->first_arg; a < end; a++) {
    if (!op2i_emit_arg(v->e, a)->row_sum) continue;
    begin_sum(v, a);
    from_zero = true;
  }
  const struct op2i_loop_arg *each = op2i_emit_arg(v->e, first);
  begin_rows(v, each);
  prefetch(v, first, end);
  for (int a = first; a < end; a++) {
    if (op2i_emit_arg(v->e, a)->kind != OP2I_ARG_ROW_ENTRIES) continue;
    if (goes_across(v, a))
      load_across(v, a, mask_stem(each->type),
                  from_zero || !op2i_type_real(op2i_emit_arg(v->e, a)->type));
    else
      load_entries(v, a);
  }
  return true;
}

/* Padding lanes have no row of their own, or another row. They get the sum of the last row that
 * counts, since all their other values are those of that row. */
static void end_sum(const struct op2i_vec *v, int a) {
  const struct op2i_vec_arg *at = &v->args[a];
  const struct op2i_loop_arg *arg = op2i_emit_arg(v->e, a);
  const char *type = op2i_type_c(arg->type), *stem = op2i_type_stem(arg->type);
  op2i_text_add(v->out, "      if (op2_count < %d) {\n        %s op2_sums[2][%d];\n", v->lanes,
                type, v->lanes);
  for (int i = 0; i < arg->dim; i++) {
    op2i_text_add(v->out,
                  "        *(op2_%smem%d *)op2_sums[0] = op2_view%d[%d];\n"
                  "        op2_pad(op2_sums[1], op2_sums[0], sizeof(%s), op2_count, %d);\n",
                  stem, v->lanes, at->view, at->first + i, type, v->lanes);
    op2i_text_add(v->out, "        op2_view%d[%d] = *(const op2_%smem%d *)op2_sums[1];\n", at->view,
                  at->first + i, stem, v->lanes);
  }
  op2i_text_add(v->out, "      }\n");
}

void op2i_vec_entries_end(const struct op2i_vec *v, int m) {
  const struct op2i_member *member = &v->e->rewrites[m].member;
  op2i_text_add(v->out, "      }\n      }\n");
  for (int a = member->first_arg; a < member->first_arg + member->nargs; a++)
    if (op2i_emit_arg(v->e, a)->row_sum) end_sum(v, a);
}

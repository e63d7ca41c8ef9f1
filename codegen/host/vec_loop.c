/* SPDX-License-Identifier: BSD-3-Clause */
/* Emits the function over positions: batches of as many elements as there are lanes, one or two at
 * a time, and at the end the same with padded copies of the remaining elements. */
#include <stdio.h>
#include <string.h>

#include "vec_call.h"
#include "vec_reduce.h"
#include "vec_rows.h"
#include "vec_view.h"
#include "vec_walk.h"

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
      if (op2i_vec_first_to_read(v, map, slot) == m) op2i_vec_slot_rows(v, map, slot, "map");
      load_views(v, m, map, slot);
    }
  }
}

static void begin_batch(const struct op2i_vec *v) {
  op2i_vec_elements(v);
  if (!v->streams && op2i_vec_walks(v)) {
    op2i_text_add(v->out, "      if (op2_distance) {\n");
    op2i_vec_walk(v, OP2I_WALK_AHEAD);
    op2i_text_add(v->out, "      }\n");
  }
  load(v, 0);
}

/* Compute everything but the increments that go to memory element by element, which wait in the
 * copies of arguments; `before` is as in limit(). */
static void compute(const struct op2i_vec *v, int before) {
  for (int m = 0; m < v->e->nmembers; m++) {
    if (m) load(v, m);
    bool entries = op2i_vec_entries_begin(v, m);
    op2i_vec_call(v, m);
    if (entries) op2i_vec_entries_end(v, m);
    for (int n = 0; n < v->nviews; n++)
      if (v->views[n].end == m) op2i_vec_store(v, n);
  }
  limit(v, before);
  for (int a = 0; a < v->e->loop->nargs; a++)
    if (op2i_arg_reduces(op2i_emit_arg(v->e, a)) && op2i_sums(op2i_emit_arg(v->e, a)->access))
      op2i_vec_next_turn(v, a, "own", "      ");
}

static void add_to_memory(const struct op2i_vec *v, int ahead, const char *copy) {
  for (int m = 0; m < v->e->loop->nmaps; m++) op2i_vec_rows_again(v, m, ahead);
  for (int d = 0; d < v->e->loop->op.ndats; d++) op2i_vec_accumulate(v, d, copy);
  op2i_vec_add_lines(v, copy);
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
  op2i_vec_add_type(v, type);
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
  op2i_vec_walk(v, OP2I_WALK_ADVANCE);
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
  op2i_vec_walk(v, OP2I_WALK_ADVANCE);
}

/* Dropped dats leave parameters unused. */
static void mark_unused(const struct op2i_vec *v) {
  for (int d = 0; d < v->e->loop->op.ndats; d++)
    if (v->e->loop->fused.dropped && v->e->loop->fused.dropped[d])
      op2i_text_add(v->out, "  (void)op2_dat%d;\n", d);
}

/* ---- loops that stream ----------------------------------------------------------------------- */

/* OP2_PAST<bytes> stores a vector past the caches, where there is an instruction for that, to an
 * address that is a multiple of its size. OP2_PAST_END() waits until others see such stores. */
static const char past[] =
    "#ifndef OP2_PAST64\n"
    "#define OP2_PLAIN(to, value) ((void)__builtin_memcpy(to, &(value), sizeof(value)))\n"
    "#ifdef __SSE2__\n"
    "#define OP2_PAST_END() __builtin_ia32_sfence()\n"
    "typedef long long op2_past16 __attribute__((vector_size(16), may_alias));\n"
    "typedef long long op2_past32 __attribute__((vector_size(32), may_alias));\n"
    "typedef long long op2_past64 __attribute__((vector_size(64), may_alias));\n"
    "#else\n"
    "#define OP2_PAST_END() ((void)0)\n"
    "#endif\n"
    "#if defined __SSE2__ && defined __clang__\n"
    "#define OP2_PAST(type, to, value) __builtin_nontemporal_store((type)(value), (type *)(to))\n"
    "#define OP2_PAST16(to, value) OP2_PAST(op2_past16, to, value)\n"
    "#define OP2_PAST32(to, value) OP2_PAST(op2_past32, to, value)\n"
    "#define OP2_PAST64(to, value) OP2_PAST(op2_past64, to, value)\n"
    "#else\n"
    "#ifdef __SSE2__\n"
    "#define OP2_PAST16(to, value) __builtin_ia32_movntdq((op2_past16 *)(to), "
    "(op2_past16)(value))\n"
    "#else\n"
    "#define OP2_PAST16 OP2_PLAIN\n"
    "#endif\n"
    "#ifdef __AVX__\n"
    "#define OP2_PAST32(to, value) __builtin_ia32_movntdq256((op2_past32 *)(to), "
    "(op2_past32)(value))\n"
    "#else\n"
    "#define OP2_PAST32 OP2_PLAIN\n"
    "#endif\n"
    "#ifdef __AVX512F__\n"
    "#define OP2_PAST64(to, value) __builtin_ia32_movntdq512((op2_past64 *)(to), "
    "(op2_past64)(value))\n"
    "#else\n"
    "#define OP2_PAST64 OP2_PLAIN\n"
    "#endif\n"
    "#endif\n"
    "#endif\n";

/* True if the loop does little but go through a few arrays in order. Processors load these ahead by
 * themselves, and what counts is the number of instructions around each vector. */
static bool streams(const struct op2i_vec *v) {
  if (v->e->listed || v->e->loop->nmaps || v->state > OP2I_VEC_STREAM_STATE) return false;
  for (int n = 0; n < v->nviews; n++) {
    const struct op2i_loop_arg *row = op2i_vec_row(v, v->views[n].dat);
    if (row->dim * (int64_t)op2i_type_size(row->type) > OP2I_VEC_STREAM_ROW) return false;
  }
  return v->nviews > 0;
}

/* True if the loop overwrites dats that are too large for the caches, by whole vectors. */
static bool stores_past(const struct op2i_vec *v) {
  bool any = false;
  for (int n = 0; n < v->nviews; n++) any = any || op2i_vec_passes(v, n);
  return any && v->streams && v->e->loop->form.past_caches;
}

/* Emit all rounds by one text, in which the remainder is a last, incomplete round. */
static void rounds(const struct op2i_vec *v) {
  op2i_text_add(v->out,
                "  int64_t op2_left = op2_hi - op2_lo, op2_count = %d;\n  for (;;) {\n"
                "    for (; op2_left >= op2_count; op2_left -= op2_count) {\n",
                v->round);
  batches(v);
  op2i_text_add(v->out, "    }\n    if (op2_left <= 0) break;\n    op2_count = op2_left;\n");
  op2i_vec_walk(v, OP2I_WALK_LAST);
  op2i_text_add(v->out, "  }\n");
  if (!op2i_vec_copies_back(v)) return;
  op2i_text_add(v->out, "  if (op2_count < %d) {\n", v->round);
  op2i_vec_walk(v, OP2I_WALK_END);
  op2i_text_add(v->out, "  }\n");
}

/* Emit complete rounds with a step that the compiler knows, so that it unrolls them. */
static void known_rounds(const struct op2i_vec *v) {
  const int times = OP2I_VEC_STREAM_BYTES / (v->lanes * (int)sizeof(double));
  op2i_text_add(v->out,
                "    const int64_t op2_count = %d;\n"
                "    OP2_UNROLL(%d)\n    for (; op2_left >= op2_count; op2_left -= op2_count) {\n",
                v->round, times < 1 ? 1 : times);
  batches(v);
  op2i_text_add(v->out, "    }\n");
}

/* Emit complete rounds whose stores go past the caches, for rows that begin at a cache line. They
 * are over when the function returns: other threads and devices may read then. */
static void past_rounds(struct op2i_vec *v) {
  const char *before = "  if (((";
  for (int n = 0; n < v->nviews; n++) {
    if (!op2i_vec_passes(v, n)) continue;
    op2i_text_add(v->out, "%s(uintptr_t)op2_rows%d", before, v->views[n].dat);
    before = " | ";
  }
  op2i_text_add(v->out, ") & 63) == 0) {\n");
  v->past = true;
  known_rounds(v);
  v->past = false;
  op2i_text_add(v->out, "    OP2_PAST_END();\n  }\n");
}

/* Emit complete rounds, and the remainder apart. */
static void stream_rounds(struct op2i_vec *v) {
  op2i_text_add(v->out, "  int64_t op2_left = op2_hi - op2_lo;\n");
  if (stores_past(v)) past_rounds(v);
  op2i_text_add(v->out, "  {\n");
  known_rounds(v);
  op2i_text_add(v->out, "  }\n  if (op2_left > 0) {\n    const int64_t op2_count = op2_left;\n");
  op2i_vec_walk(v, OP2I_WALK_LAST);
  batches(v);
  op2i_vec_walk(v, OP2I_WALK_END);
  op2i_text_add(v->out, "  }\n");
}

bool op2i_vec_prefetches(const struct op2i_vec *v) {
  bool any = op2i_vec_walks(v);
  for (int a = 0; a < v->e->loop->nargs; a++)
    any = any || op2i_emit_arg(v->e, a)->kind == OP2I_ARG_ROW_ENTRIES;
  return any && !streams(v);
}

void op2i_vec_body(struct op2i_vec *v) {
  const struct op2i_emitter *e = v->e;
  v->round = by_twos(v) ? 2 * v->lanes : v->lanes;
  v->streams = streams(v);
  if (stores_past(v)) op2i_text_add(v->out, "%s", past);
  op2i_text_add(v->out, "%svoid OP2_NAME(op2_body)(", e->dialect->body_prefix);
  op2i_emit_parameters(e);
  op2i_text_add(v->out, ") {\n");
  mark_unused(v);
  op2i_emit_load_consts(e);
  for (int a = 0; a < e->loop->nargs; a++) {
    if (op2i_emit_arg(v->e, a)->kind == OP2I_ARG_VAL) op2i_emit_setup(e, a);
    if (op2i_arg_reduces(op2i_emit_arg(v->e, a))) op2i_vec_begin_reduction(v, a);
  }
  op2i_vec_walk(v, OP2I_WALK_BEGIN);
  if (v->streams)
    stream_rounds(v);
  else
    rounds(v);
  for (int a = 0; a < e->loop->nargs; a++)
    if (op2i_arg_reduces(op2i_emit_arg(v->e, a))) op2i_vec_end_reduction(v, a);
  op2i_text_add(v->out, "}\n");
}

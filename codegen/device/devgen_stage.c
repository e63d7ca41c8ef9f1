/* SPDX-License-Identifier: BSD-3-Clause */
/* Wide rows that a group moves through shared memory in code for devices. If neighbouring elements
 * have wide rows, loads by each work item would touch parts of many cache lines at a time. So a
 * group loads all of its rows together, line by line, and each work item takes its own from shared
 * memory. In a group all of whose work items have an element, these have equal numbers of pieces,
 * and each loads all of its own before it stores the first. */
#include <stdio.h>

#include "devgen.h"
#include "devgen_row.h"
#include "devgen_target.h"

enum { NAME = 96, STATEMENT = 256 };
/* A work item keeps up to this many pieces of a part in registers. */
enum { KEPT_MAX = 32 };

static const struct op2i_loop_arg *arg_of_dat(const struct op2i_devgen *g, int d) {
  return &g->e.loop->args[op2i_emit_first_of_dat(&g->e, d)];
}

static bool stages(const struct op2i_devgen *g) {
  return g->dialect->stages && g->stages && !g->e.listed;
}

bool op2i_devgen_early(const struct op2i_devgen *g) {
  return stages(g) && g->form.parts.nparts > 0;
}

bool op2i_devgen_staged(const struct op2i_devgen *g, int d) {
  const struct op2i_device_parts *parts = &g->form.parts;
  bool staged = false;
  for (int p = 0; p < parts->nparts; p++) staged |= parts->part[p].dat == d;
  return staged && stages(g);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Pieces of a group's rows are numbered through. Write where a piece of a part is in memory, or in
 * shared memory; `nth` is its number among those of the part. */
static void there(const struct op2i_devgen *g, int p, const char *nth) {
  const struct op2i_device_part *part = &g->form.parts.part[p];
  op2i_text_add(g->e.out, "((OP2_GLOBAL op2_unit%d *)(op2_dat%d + %d * op2_base))[", part->piece,
                part->dat, (int)arg_of_dat(g, part->dat)->dim);
  if (part->pieces == part->of)
    op2i_text_add(g->e.out, "%s]", nth);
  else
    op2i_text_add(g->e.out, "%s / %d * %d + %s %% %d + %d]", nth, part->pieces, part->of, nth,
                  part->pieces, part->first);
}

static void here(const struct op2i_devgen *g, int p, const char *nth) {
  const struct op2i_device_part *part = &g->form.parts.part[p];
  op2i_text_add(g->e.out, "((OP2_LOCAL op2_unit%d *)op2_wide%d)[", part->piece, p);
  if (part->pieces == part->stride)
    op2i_text_add(g->e.out, "%s]", nth);
  else
    op2i_text_add(g->e.out, "%s / %d * %d + %s %% %d]", nth, part->pieces, part->stride, nth,
                  part->pieces);
}

static bool moves(const struct op2i_devgen *g, int p, int round, bool in) {
  const struct op2i_device_part *part = &g->form.parts.part[p];
  return part->round == round && (in ? part->loaded : part->stored);
}

/* True if a work item moves its pieces of part p by statements written out one by one, without a
 * loop. */
static bool written_out(const struct op2i_devgen *g, int p) {
  return g->form.parts.part[p].pieces <= KEPT_MAX;
}

static void load_piece(const struct op2i_devgen *g, int p, int k) {
  char nth[NAME];
  snprintf(nth, sizeof nth, "op2_nth%d", k);
  op2i_text_add(g->e.out, "      const op2_unit%d op2_piece%d_%d = ", g->form.parts.part[p].piece,
                p, k);
  there(g, p, nth);
  op2i_text_add(g->e.out, ";\n");
}

static void put_piece(const struct op2i_devgen *g, int p, int k) {
  char nth[NAME];
  snprintf(nth, sizeof nth, "op2_nth%d", k);
  op2i_text_add(g->e.out, "      ");
  here(g, p, nth);
  op2i_text_add(g->e.out, " = op2_piece%d_%d;\n", p, k);
}

static void store_piece(const struct op2i_devgen *g, int p, int k) {
  char nth[NAME];
  snprintf(nth, sizeof nth, "op2_nth%d", k);
  op2i_text_add(g->e.out, "      ");
  there(g, p, nth);
  op2i_text_add(g->e.out, " = ");
  here(g, p, nth);
  op2i_text_add(g->e.out, ";\n");
}

typedef void piece_fn(const struct op2i_devgen *g, int p, int k);

static void each_piece(const struct op2i_devgen *g, int round, bool in, piece_fn *write) {
  for (int p = 0; p < g->form.parts.nparts; p++)
    for (int k = 0; k < g->form.parts.part[p].pieces; k++)
      if (moves(g, p, round, in) && written_out(g, p)) write(g, p, k);
}

/* The numbers of the pieces that a work item of a full group moves. */
static void numbers(const struct op2i_devgen *g, int round, bool in) {
  int most = 0;
  for (int p = 0; p < g->form.parts.nparts; p++)
    if (moves(g, p, round, in) && written_out(g, p) && g->form.parts.part[p].pieces > most)
      most = g->form.parts.part[p].pieces;
  for (int k = 0; k < most; k++)
    op2i_text_add(g->e.out, "      const unsigned op2_nth%d = op2_item() + %d * op2_items();\n", k,
                  k);
}

static void move_in_turn(const struct op2i_devgen *g, int p, bool in) {
  op2i_text_add(g->e.out,
                "      for (int op2_i = op2_item(); op2_i < %d * op2_live; op2_i += op2_items())\n"
                "        ",
                g->form.parts.part[p].pieces);
  (in ? here : there)(g, p, "op2_i");
  op2i_text_add(g->e.out, " = ");
  (in ? there : here)(g, p, "op2_i");
  op2i_text_add(g->e.out, ";\n");
}

/* Move the parts of a round between memory and shared memory. */
static void move_parts(const struct op2i_devgen *g, int round, bool in) {
  struct op2i_text *out = g->e.out;
  op2i_text_add(out, "    if (op2_live == op2_items()) {\n");
  numbers(g, round, in);
  if (in) {
    each_piece(g, round, in, load_piece);
    op2i_text_add(out, "      op2_in_order();\n");
  }
  each_piece(g, round, in, in ? put_piece : store_piece);
  for (int p = 0; p < g->form.parts.nparts; p++)
    if (moves(g, p, round, in) && !written_out(g, p)) move_in_turn(g, p, in);
  op2i_text_add(out, "    } else {\n");
  for (int p = 0; p < g->form.parts.nparts; p++)
    if (moves(g, p, round, in)) move_in_turn(g, p, in);
  op2i_text_add(out, "    }\n");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Values of 4 and 8 bytes are taken in pieces of vectors. */
static int width_of(const struct op2i_loop_arg *arg, int piece) {
  bool vector = arg->type == OP2_F64 || arg->type == OP2_F32 || arg->type == OP2_I32;
  return vector ? piece / (int)op2i_type_size(arg->type) : 1;
}

/* A work item takes its own row from shared memory, or puts it there. */
static void own_row(const struct op2i_devgen *g, int p, bool in) {
  const struct op2i_device_part *part = &g->form.parts.part[p];
  const struct op2i_loop_arg *arg = arg_of_dat(g, part->dat);
  char place[NAME], ours[NAME], text[STATEMENT];
  int size = (int)op2i_type_size(arg->type), n = part->pieces * part->piece / size;
  int width = width_of(arg, part->piece);
  snprintf(place, sizeof place, "op2_wide%d + %d * op2_item()", p,
           part->stride * part->piece / size);
  snprintf(ours, sizeof ours, part->first ? "(op2_row%d + %d)" : "op2_row%d", part->dat,
           part->first * part->piece / size);
  if (width > 1) {
    (in ? op2i_devgen_load_pieces : op2i_devgen_store_pieces)(g, arg->type, n, width, place, ours,
                                                              "      ");
    return;
  }
  if (in)
    snprintf(text, sizeof text, "%s[%%s] = (%s)[%%s];", ours, place);
  else
    snprintf(text, sizeof text, "(%s)[%%s] = %s[%%s];", place, ours);
  op2i_devgen_each(g, n, "      ", text);
}

static void own_rows(const struct op2i_devgen *g, int round, bool in) {
  op2i_text_add(g->e.out, "    if (op2_item() < op2_live) {\n");
  for (int p = 0; p < g->form.parts.nparts; p++)
    if (moves(g, p, round, in)) own_row(g, p, in);
  op2i_text_add(g->e.out, "    }\n");
}

static bool any_moves(const struct op2i_devgen *g, int round, bool in) {
  bool any = false;
  for (int p = 0; p < g->form.parts.nparts; p++) any |= moves(g, p, round, in);
  return any;
}

static void declare(const struct op2i_devgen *g) {
  const struct op2i_device_parts *parts = &g->form.parts;
  for (int p = 0; p < parts->nparts; p++) {
    const struct op2i_device_part *part = &parts->part[p];
    const char *type = op2i_devgen_dat_type(g, part->dat);
    op2i_text_add(g->e.out,
                  "    OP2_LOCAL %s *op2_wide%d = (OP2_LOCAL %s *)((OP2_LOCAL char *)op2_shared + "
                  "%d * op2_items());\n",
                  type, p, type, part->at);
    if (part->first == 0)
      op2i_text_add(g->e.out, "    %s op2_row%d[%d];\n", type, part->dat,
                    (int)arg_of_dat(g, part->dat)->dim);
  }
}

void op2i_devgen_stage_in(const struct op2i_devgen *g) {
  bool before = false;
  if (!op2i_devgen_early(g)) return;
  declare(g);
  op2i_devgen_load_early(g);
  for (int round = 0; round < g->form.parts.nrounds; round++) {
    if (!any_moves(g, round, true)) continue;
    if (before) op2i_text_add(g->e.out, "    op2_wait();\n");
    before = true;
    move_parts(g, round, true);
    op2i_text_add(g->e.out, "    op2_wait();\n");
    own_rows(g, round, true);
  }
}

/* With one round, a work item puts its row where only it has taken something. */
void op2i_devgen_stage_out(const struct op2i_devgen *g) {
  if (!op2i_devgen_early(g)) return;
  for (int round = 0; round < g->form.parts.nrounds; round++) {
    if (!any_moves(g, round, false)) continue;
    if (g->form.parts.nrounds > 1) op2i_text_add(g->e.out, "    op2_wait();\n");
    own_rows(g, round, false);
    op2i_text_add(g->e.out, "    op2_wait();\n");
    move_parts(g, round, false);
  }
}

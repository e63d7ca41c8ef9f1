/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one colour at a time, in code for devices: the elements of a block add colour by
 * colour, to memory or to the rows that the block has staged in shared memory. */
#include <stdio.h>

#include "devgen.h"
#include "devgen_block.h"
#include "devgen_row.h"

/* Up to this many pieces of a row are written out one by one. */
enum { UNROLL_MAX = 32, NAME = 96 };

/* ---- shared memory of a block ---------------------------------------------------------------- */

static const struct op2i_loop_arg *arg_of_stage(const struct op2i_devgen *g, int s) {
  return op2i_emit_arg(&g->e, op2i_emit_first_of_dat(&g->e, g->form.stages[s].dat));
}

/* Declare where the stages of a block lie. t3 has the row numbers of all stages; t4 tells where
 * those of each block's stages begin in t3. */
static void areas(const struct op2i_devgen *g) {
  int n = g->form.nstages;
  if (n > 0)
    op2i_text_add(g->e.out, "  OP2_LOCAL char *op2_room = (OP2_LOCAL char *)op2_shared;\n");
  for (int s = 0; s < n; s++) {
    const char *type = op2i_devgen_dat_type(g, g->form.stages[s].dat);
    op2i_text_add(g->e.out,
                  "  const int64_t op2_first%d = op2_t4[%d * op2_block + %d];\n"
                  "  const int op2_rows%d = (int)(op2_t4[%d * op2_block + %d] - op2_first%d);\n"
                  "  OP2_LOCAL %s *op2_stage%d = (OP2_LOCAL %s *)op2_room;\n",
                  s, n, s, s, n, s + 1, s, type, s, type);
    if (s + 1 < n)
      op2i_text_add(g->e.out, "  op2_room += (op2_rows%d * %d * (int)sizeof(%s) + 15) / 16 * 16;\n",
                    s, g->form.stages[s].stride, type);
  }
}

/* Rows of a block follow one another in shared memory, so that neighbouring work items move
 * neighbouring values. */
static void move_values(const struct op2i_devgen *g, int s, bool in) {
  int dim = (int)arg_of_stage(g, s)->dim, d = g->form.stages[s].dat;
  char here[NAME];
  if (g->form.stages[s].stride == dim)
    snprintf(here, sizeof here, "op2_stage%d[op2_i]", s);
  else
    snprintf(here, sizeof here, "op2_stage%d[op2_i / %d * %d + op2_i %% %d]", s, dim,
             g->form.stages[s].stride, dim);
  op2i_text_add(g->e.out,
                "  for (int op2_i = op2_item(); op2_i < %d * op2_rows%d; op2_i += op2_items())\n",
                dim, s);
  if (in) op2i_text_add(g->e.out, "    %s = ", here);
  op2i_text_add(g->e.out,
                "%sop2_dat%d[(int64_t)%d * op2_t3[op2_first%d + op2_i / %d] + op2_i %% %d]",
                in ? "" : "    ", d, dim, s, dim, dim);
  if (!in) op2i_text_add(g->e.out, " = %s", here);
  op2i_text_add(g->e.out, ";\n");
}

/* Each work item moves a row, in wide pieces, where groups are loops on a processor: there a loop
 * over rows is fast, while one over values would consist of gathers. */
static void move_rows(const struct op2i_devgen *g, int s, bool in) {
  const struct op2i_loop_arg *arg = arg_of_stage(g, s);
  const char *name;
  int dim = (int)arg->dim, width = op2i_devgen_pieces(arg->type, dim, &name);
  char there[NAME], here[NAME];
  snprintf(there, sizeof there, "op2_dat%d + op2_from", g->form.stages[s].dat);
  snprintf(here, sizeof here, "op2_stage%d + %d * op2_i", s, g->form.stages[s].stride);
  op2i_text_add(g->e.out,
                "  for (int op2_i = op2_item(); op2_i < op2_rows%d; op2_i += op2_items()) {\n"
                "    const int64_t op2_from = (int64_t)%d * op2_t3[op2_first%d + op2_i];\n",
                s, dim, s);
  if (dim / width > UNROLL_MAX)
    op2i_text_add(g->e.out,
                  "    for (int op2_j = 0; op2_j < %d; op2_j += %d)\n"
                  "      op2_move%d(%s + op2_j, %s + op2_j);\n",
                  dim, width, width, in ? there : here, in ? here : there);
  for (int j = 0; j < dim && dim / width <= UNROLL_MAX; j += width)
    op2i_text_add(g->e.out, "    op2_move%d(%s + %d, %s + %d);\n", width, in ? there : here, j,
                  in ? here : there, j);
  op2i_text_add(g->e.out, "  }\n");
}

static void move_stage(const struct op2i_devgen *g, int s, bool in) {
  if (g->dialect->stages)
    move_values(g, s, in);
  else
    move_rows(g, s, in);
}

static bool modified(const struct op2i_devgen *g, int s) {
  bool any = false;
  for (int a = 0; a < g->e.loop->nargs; a++)
    any |= op2i_emit_arg(&g->e, a)->dat == g->form.stages[s].dat &&
           op2i_emit_arg(&g->e, a)->map == g->form.stages[s].map &&
           op2i_modifies(op2i_emit_arg(&g->e, a)->access);
  return any;
}

static void stage_in(const struct op2i_devgen *g) {
  areas(g);
  for (int s = 0; s < g->form.nstages; s++) move_stage(g, s, true);
  if (g->form.nstages) op2i_text_add(g->e.out, "  op2_wait();\n");
}

static void stage_out(const struct op2i_devgen *g) {
  for (int s = 0; s < g->form.nstages; s++)
    if (modified(g, s)) move_stage(g, s, false);
}

/* ---- elements -------------------------------------------------------------------------------- */

static void begin_blocks(const struct op2i_devgen *g, const char *name) {
  op2i_devgen_entry(g, name, -1);
  op2i_text_add(
      g->e.out,
      "%s  const int64_t op2_block = op2_t0[op2_n1 + op2_group()];\n"
      "  const int64_t op2_begin = op2_lo + op2_block * op2_n0;\n"
      "  const int64_t op2_end = op2_begin + op2_n0 < op2_hi ? op2_begin + op2_n0 : op2_hi;\n",
      g->form.nstages ? "  OP2_SHARED\n" : "");
  stage_in(g);
}

static void end(const struct op2i_devgen *g) {
  stage_out(g);
  op2i_text_add(g->e.out, "}\n");
}

/* Add the increments of an element, and store its other values. */
static void turn(const struct op2i_devgen *g) {
  for (int a = 0; a < g->e.loop->nargs; a++) op2i_devgen_add(g, a);
}

/* True if minima or maxima of an element start from values in memory, which other elements must not
 * have changed yet. */
static bool starts_there(const struct op2i_devgen *g) {
  bool any = false;
  for (int a = 0; a < g->e.loop->nargs; a++)
    any |= op2i_device_shared(g->e.loop, op2i_emit_arg(&g->e, a)) &&
           !op2i_sums(op2i_emit_arg(&g->e, a)->access);
  return any;
}

/* n0: elements of a block; n1: index in t0 of the first block of the colour; t0: blocks by colour;
 * t1: number of element colours of each block; t2: colour of each element. A group handles one
 * block, which has no more elements than the group has work items: all elements are computed first,
 * and then add in turn. */
static void at_once(struct op2i_devgen *g) {
  begin_blocks(g, "op2_block_at_once");
  g->hoists = true;
  op2i_text_add(g->e.out,
                "  const int64_t op2_position = op2_begin + op2_item();\n"
                "  const int op2_colour = op2_position < op2_end ? op2_t2[op2_position - op2_lo] : "
                "-1;\n");
  op2i_devgen_hoist_columns(g);
  op2i_devgen_hoist(g);
  op2i_text_add(g->e.out, "  if (op2_colour >= 0) {\n");
  op2i_devgen_element(g);
  op2i_text_add(g->e.out,
                "  }\n%s  for (int op2_turn = 0; op2_turn < op2_t1[op2_block]; op2_turn++) {\n"
                "    if (op2_turn == op2_colour) {\n",
                starts_there(g) ? "  op2_wait();\n" : "");
  turn(g);
  op2i_text_add(g->e.out, "    }\n    op2_wait();\n  }\n");
  g->hoists = false;
  end(g);
}

/* Groups of any size can run this, in strides: elements are computed when it is their colour's
 * turn. The launch has the same tables and numbers. */
static void in_turn(const struct op2i_devgen *g) {
  begin_blocks(g, "op2_block_in_turn");
  op2i_text_add(g->e.out,
                "  for (int op2_turn = 0; op2_turn < op2_t1[op2_block]; op2_turn++) {\n"
                "    for (int64_t op2_position = op2_begin + op2_item(); op2_position < op2_end;\n"
                "         op2_position += op2_items()) {\n"
                "    if (op2_t2[op2_position - op2_lo] != op2_turn) continue;\n");
  op2i_devgen_element(g);
  turn(g);
  op2i_text_add(g->e.out, "    }\n    op2_wait();\n  }\n");
  end(g);
}

/* Each group is one work item, which has a block; t1 and t2 are not there. */
static void serial(const struct op2i_devgen *g) {
  begin_blocks(g, "op2_block_serial");
  op2i_text_add(
      g->e.out,
      "  for (int64_t op2_position = op2_begin; op2_position < op2_end; op2_position++) {\n");
  op2i_devgen_element(g);
  turn(g);
  op2i_text_add(g->e.out, "  }\n");
  end(g);
}

void op2i_devgen_blocks(struct op2i_devgen *g) {
  if (g->form.strategy == OP2I_DEVICE_SERIAL) {
    serial(g);
    return;
  }
  if (!g->form.in_turn) at_once(g);
  in_turn(g);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Located MIN and MAX: the element that wins is kept beside its value, with the information that
 * the kernel gave for it. For each element the kernel starts from the global's value before the
 * loop. Of equal values the one with the lower element number wins, so that neither the order of
 * elements nor the form of the code matters. The same text serves scalar and vector code: `lane`
 * selects the values of a lane, and is empty or "[op2_lane]". */
#include <stddef.h>

#include "emit.h"

/* The next argument from b on that holds information beside argument a, or nargs. */
static int next_info(const struct op2i_emitter *e, int a, int b) {
  while (b < e->loop->nargs &&
         !(op2i_arg_informs(op2i_emit_arg(e, b)) && op2i_emit_arg(e, b)->info_of == a))
    b++;
  return b;
}

static void copy_values(const struct op2i_emitter *e, int b, bool store) {
  struct op2i_text *out = e->out;
  op2i_text_add(out, "  for (int op2_component = 0; op2_component < %d; op2_component++) ",
                (int)op2i_emit_arg(e, b)->dim);
  if (!store) op2i_text_add(out, "op2_best%d[op2_component] = ", b);
  op2i_text_add(out, "((%s%s *)(op2_partial + %d))[op2_component]", e->dialect->global,
                op2i_emit_type(e, b), (int)op2i_emit_arg(e, b)->offset);
  if (store) op2i_text_add(out, " = op2_best%d[op2_component]", b);
  op2i_text_add(out, ";\n");
}

void op2i_emit_winner_begin(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const char *type = op2i_emit_type(e, a), *space = e->dialect->global;
  op2i_text_add(e->out, "  const %s op2_start%d = *(%sconst %s *)(op2_partial + %d);\n", type, a,
                space, type, (int)(arg->found_at + (int)offsetof(struct op2i_found, start)));
  op2i_text_add(e->out, "  int64_t op2_winner%d = *(%sconst int64_t *)(op2_partial + %d);\n", a,
                space, (int)(arg->found_at + (int)offsetof(struct op2i_found, number)));
  op2i_text_add(e->out, "  %s op2_best%d = *(%sconst %s *)(op2_partial + %d);\n", type, a, space,
                type, (int)arg->offset);
  for (int b = next_info(e, a, 0); b < e->loop->nargs; b = next_info(e, a, b + 1)) {
    op2i_text_add(e->out, "  %s op2_best%d[%d];\n", op2i_emit_type(e, b), b,
                  (int)op2i_emit_arg(e, b)->dim);
    copy_values(e, b, false);
  }
}

void op2i_emit_winner_settle(const struct op2i_emitter *e, int a, const char *indent,
                             const char *lane) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  bool real = op2i_type_real(arg->type);
  op2i_text_add(e->out, "%sconst %s op2_value%d = op2_arg%d[0]%s;\n", indent, op2i_emit_type(e, a),
                a, a, lane);
  op2i_text_add(e->out,
                "%sconst int64_t op2_who%d = op2_number ? op2_number[op2_element%s] : "
                "op2_element%s;\n",
                indent, a, lane, lane);
  op2i_text_add(e->out, "%sif (op2_value%d %c op2_best%d", indent, a, op2i_better(arg->access), a);
  if (real)
    op2i_text_add(e->out, " || (op2_best%d != op2_best%d && op2_value%d == op2_value%d)", a, a, a,
                  a);
  op2i_text_add(e->out, " || (op2_value%d == op2_best%d && op2_who%d < op2_winner%d)) {\n", a, a, a,
                a);
  op2i_text_add(e->out, "%s  op2_best%d = op2_value%d%s;\n%s  op2_winner%d = op2_who%d;\n", indent,
                a, a, real ? " + 0" : "", indent, a, a);
  for (int b = next_info(e, a, 0); b < e->loop->nargs; b = next_info(e, a, b + 1))
    op2i_text_add(e->out,
                  "%s  for (int op2_component = 0; op2_component < %d; op2_component++) "
                  "op2_best%d[op2_component] = op2_arg%d[op2_component]%s;\n",
                  indent, (int)op2i_emit_arg(e, b)->dim, b, b, lane);
  op2i_text_add(e->out, "%s}\n", indent);
}

void op2i_emit_winner_finish(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const char *space = e->dialect->global;
  op2i_text_add(e->out, "  *(%s%s *)(op2_partial + %d) = op2_best%d;\n", space,
                op2i_emit_type(e, a), (int)arg->offset, a);
  op2i_text_add(e->out, "  *(%sint64_t *)(op2_partial + %d) = op2_winner%d;\n", space,
                (int)(arg->found_at + (int)offsetof(struct op2i_found, number)), a);
  for (int b = next_info(e, a, 0); b < e->loop->nargs; b = next_info(e, a, b + 1))
    copy_values(e, b, true);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of a loop for devices: its kernels, and a function for each launch that it takes. */
#include "devgen.h"

#include <string.h>

#include "error.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static int first_of_gbl(const struct op2i_devgen *g, int gbl) {
  int a = 0;
  while (a < g->e.loop->nargs && g->e.loop->args[a].gbl != gbl) a++;
  return a;
}

/* The same for all entries of a loop, in the order in which launches have them. */
static void parameters(const struct op2i_devgen *g) {
  const struct op2i_loop *loop = g->e.loop;
  const char *only = g->dialect->c.restricted;
  struct op2i_text *out = g->e.out;
  op2i_text_add(
      out,
      "(int64_t op2_lo, int64_t op2_hi, int64_t op2_n0, int64_t op2_n1,\n"
      "    OP2_GLOBAL const int64_t *%s op2_subset, OP2_GLOBAL const int64_t *%s op2_number",
      only, only);
  for (int d = 0; d < loop->op.ndats; d++)
    op2i_text_add(out, ",\n    OP2_GLOBAL %s%s *%s op2_dat%d",
                  op2i_emit_dat_writable(&g->e, d) ? "" : "const ",
                  op2i_emit_type(&g->e, op2i_emit_first_of_dat(&g->e, d)), only, d);
  for (int m = 0; m < loop->nmaps; m++)
    op2i_text_add(out, ",\n    OP2_GLOBAL const int32_t *%s op2_map%d", only, m);
  for (int m = 0; m < loop->nmaps; m++)
    op2i_text_add(out, ",\n    OP2_GLOBAL const int64_t *%s op2_number%d", only, m);
  for (int v = 0; v < loop->op.ngbls; v++) {
    int a = first_of_gbl(g, v);
    op2i_text_add(out, ",\n    OP2_GLOBAL %s%s *%s op2_gbl%d",
                  op2i_arg_reduces(&loop->args[a]) ? "" : "const ", op2i_emit_type(&g->e, a), only,
                  v);
  }
  op2i_text_add(out, ",\n    OP2_GLOBAL const unsigned char *%s op2_given", only);
  for (int t = 0; t < OP2I_LAUNCH_TABLES; t++)
    op2i_text_add(out, ",\n    OP2_GLOBAL const int32_t *%s op2_t%d", only, t);
  op2i_text_add(out, ",\n    OP2_GLOBAL double *%s op2_partial OP2_SHARED_PARAMETER) {\n", only);
}

static void entry(const struct op2i_devgen *g, const char *name, int number) {
  op2i_text_add(g->e.out, "OP2_ENTRY %s", name);
  if (number >= 0) op2i_text_add(g->e.out, "%d", number);
  parameters(g);
}

/* ---- an element ------------------------------------------------------------------------------ */

static void consts(const struct op2i_devgen *g) {
  for (int m = 0; m < g->e.nmembers; m++) {
    const struct op2i_rewrite *r = &g->e.rewrites[m];
    struct op2i_emit_name into = op2i_emit_consts_name(&g->e, m);
    if (!op2i_rewrite_kernel_needs(r)) continue;
    op2i_text_add(g->e.out, "    struct OP2_NAME(%sop2_consts) %s;\n", r->prefix, into.text);
    for (const struct op2i_loop_const *c = r->consts; c < r->consts + r->member.nconsts; c++) {
      const char *type = op2i_type_c(c->type);
      if (c->in_place)
        op2i_text_add(g->e.out, "    %s.%s = OP2_AS(op2_given + %d);\n", into.text, c->name,
                      (int)c->offset);
      else if (c->dim == 1)
        op2i_text_add(g->e.out, "    %s.%s = *(OP2_GLOBAL const %s *)(op2_given + %d);\n",
                      into.text, c->name, type, (int)c->offset);
      else
        op2i_text_add(g->e.out,
                      "    for (int op2_component = 0; op2_component < %d; op2_component++)\n"
                      "      %s.%s[op2_component] = ((OP2_GLOBAL const %s *)(op2_given + "
                      "%d))[op2_component];\n",
                      (int)c->dim, into.text, c->name, type, (int)c->offset);
    }
  }
}

static void call(const struct op2i_devgen *g, int m) {
  const struct op2i_rewrite *r = &g->e.rewrites[m];
  const struct op2i_member *member = &r->member;
  bool needs = op2i_rewrite_kernel_needs(r);
  const char *name = member->kernel->obj.name;
  if (r->mergeable)
    op2i_text_add(g->e.out, "    OP2_NAME(%s%s)(", r->prefix, name);
  else
    op2i_text_add(g->e.out, "    %s(", name);
  if (needs) op2i_text_add(g->e.out, "&%s", op2i_emit_consts_name(&g->e, m).text);
  for (int a = member->first_arg; a < member->first_arg + member->nargs; a++) {
    op2i_text_add(g->e.out, a > member->first_arg || needs ? ", " : "");
    op2i_devgen_actual(g, a);
  }
  op2i_text_add(g->e.out, ");\n");
}

/* Reductions of one member are seen by none of the others: their copies live to the end. */
static void element(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out, "    const int64_t op2_element = %s;\n",
                g->e.listed ? "op2_subset[op2_position]" : "op2_position");
  consts(g);
  op2i_devgen_load(g);
  for (int m = 0; m < g->e.nmembers; m++) {
    const struct op2i_member *member = &g->e.rewrites[m].member;
    int end = member->first_arg + member->nargs;
    for (int a = member->first_arg; a < end; a++) op2i_devgen_prepare(g, a);
    call(g, m);
    for (int a = member->first_arg; a < end; a++) op2i_devgen_settle(g, a);
  }
  op2i_devgen_store(g);
}

/* How many of a group's work items have an element. */
static void live(const struct op2i_devgen *g) {
  op2i_text_add(
      g->e.out,
      "    const int op2_live = op2_hi - op2_base < op2_items() ? (int)(op2_hi - op2_base) "
      ": op2_items();\n");
}

/* ---- an item for each element ---------------------------------------------------------------- */

static void once(const struct op2i_devgen *g) {
  entry(g, "op2_once", -1);
  op2i_text_add(g->e.out, "  OP2_SHARED\n"
                          "  const int64_t op2_base = op2_lo + op2_group() * op2_items();\n"
                          "  const int64_t op2_position = op2_base + op2_item();\n");
  live(g);
  op2i_devgen_stage_in(g);
  op2i_text_add(g->e.out, "  if (op2_position < op2_hi) {\n");
  element(g);
  op2i_text_add(g->e.out, "  }\n");
  op2i_devgen_stage_out(g);
  op2i_text_add(g->e.out, "}\n");
}

/* ---- reductions ------------------------------------------------------------------------------ */

static const char *sum_type(const struct op2i_loop_arg *arg) {
  return op2i_type_real(arg->type) ? op2i_type_c(arg->type) : "uint64_t";
}

/* Values of reductions are kept in doubles' room, one array for each component. */
static void value(struct op2i_text *out, const struct op2i_devgen *g, int a, const char *base,
                  int v, const char *stride, const char *at) {
  bool local = strcmp(base, "op2_values") == 0;
  op2i_text_add(out, "((%s %s *)(%s + %d * %s))[%s]", local ? "OP2_LOCAL" : "OP2_GLOBAL",
                op2i_emit_type(&g->e, a), base, v, stride, at);
}

/* op2_x and op2_y are two values: the first becomes what they are together. */
static void combine(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[a];
  if (arg->access == OP2_INC)
    op2i_text_add(g->e.out, "op2_x = (%s)((%s)op2_x + (%s)op2_y);\n", op2i_emit_type(&g->e, a),
                  sum_type(arg), sum_type(arg));
  else
    op2i_text_add(g->e.out, "if (op2_y %c op2_x || op2_x != op2_x) op2_x = op2_y + 0;\n",
                  arg->access == OP2_MIN ? '<' : '>');
}

typedef void component_fn(const struct op2i_devgen *g, int a, int j, int v);

static void each_value(const struct op2i_devgen *g, component_fn *write) {
  int v = 0;
  for (int a = 0; a < g->e.loop->nargs; a++)
    if (op2i_arg_reduces(&g->e.loop->args[a]))
      for (int j = 0; j < g->e.loop->args[a].dim; j++) write(g, a, j, v++);
}

/* Where there is no element. */
static void nothing(const struct op2i_devgen *g, int a, int j, int v) {
  const struct op2i_loop_arg *arg = &g->e.loop->args[a];
  const char *type = op2i_emit_type(&g->e, a);
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  if (arg->access == OP2_INC)
    op2i_text_add(g->e.out, " = %s;\n", op2i_type_real(arg->type) ? "-0.0" : "0");
  else
    op2i_text_add(g->e.out, " = ((OP2_GLOBAL const %s *)op2_gbl%d)[%d];\n", type, (int)arg->gbl, j);
}

static void put_value(const struct op2i_devgen *g, int a, int j, int v) {
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = op2_own%d[%d];\n", a, j);
}

static void halve(const struct op2i_devgen *g, int a, int j, int v) {
  const char *type = op2i_emit_type(&g->e, a);
  (void)j;
  op2i_text_add(g->e.out, "      {\n        %s op2_x = ", type);
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, ", op2_y = ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane + op2_width");
  op2i_text_add(g->e.out, ";\n        ");
  combine(g, a);
  op2i_text_add(g->e.out, "        ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = op2_x;\n      }\n");
}

/* The 256 values of a group become one: a tree whose shape knows nothing of the group's size. */
static void tree(const struct op2i_devgen *g) {
  op2i_text_add(
      g->e.out,
      "  op2_wait();\n"
      "  for (int op2_width = 128; op2_width > 0; op2_width /= 2) {\n"
      "    for (int op2_lane = op2_item(); op2_lane < op2_width; op2_lane += op2_items()) {\n");
  each_value(g, halve);
  op2i_text_add(g->e.out, "    }\n    op2_wait();\n  }\n");
}

static void put_partial(const struct op2i_devgen *g, int a, int j, int v) {
  (void)j;
  op2i_text_add(g->e.out, "    ");
  value(g->e.out, g, a, "op2_partial", v, "op2_n0", "op2_group()");
  op2i_text_add(g->e.out, " = ");
  value(g->e.out, g, a, "op2_values", v, "256", "0");
  op2i_text_add(g->e.out, ";\n");
}

/* n0: how many groups there are, for each of which a value of each component comes out; n1: doubles of
 * shared memory that rows take. */
static void reduce(const struct op2i_devgen *g) {
  entry(g, "op2_reduce", -1);
  op2i_text_add(
      g->e.out,
      "  OP2_SHARED\n"
      "  OP2_LOCAL double *op2_values = op2_shared + op2_n1;\n"
      "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n"
      "    const int64_t op2_base = op2_lo + op2_group() * 256 + (op2_lane - op2_item());\n"
      "    const int64_t op2_position = op2_base + op2_item();\n");
  live(g);
  op2i_devgen_stage_in(g);
  op2i_text_add(g->e.out, "    if (op2_position >= op2_hi) {\n");
  each_value(g, nothing);
  op2i_text_add(g->e.out, "    } else {\n");
  element(g);
  each_value(g, put_value);
  op2i_text_add(g->e.out, "    }\n");
  op2i_devgen_stage_out(g);
  op2i_text_add(g->e.out, "  }\n");
  tree(g);
  op2i_text_add(g->e.out, "  if (op2_item() == 0) {\n");
  each_value(g, put_partial);
  op2i_text_add(g->e.out, "  }\n}\n");
}

static void fold_lane(const struct op2i_devgen *g, int a, int j, int v) {
  const char *type = op2i_emit_type(&g->e, a);
  (void)j;
  op2i_text_add(g->e.out, "    if (op2_lane < op2_n0) {\n      %s op2_x = ", type);
  value(g->e.out, g, a, "op2_partial", v, "op2_n0", "op2_lane");
  op2i_text_add(g->e.out,
                ";\n      for (int64_t op2_i = op2_lane + 256; op2_i < op2_n0; op2_i += 256) {\n"
                "        const %s op2_y = ",
                type);
  value(g->e.out, g, a, "op2_partial", v, "op2_n0", "op2_i");
  op2i_text_add(g->e.out, ";\n        ");
  combine(g, a);
  op2i_text_add(g->e.out, "      }\n      ");
  value(g->e.out, g, a, "op2_values", v, "256", "op2_lane");
  op2i_text_add(g->e.out, " = op2_x;\n    } else {\n  ");
  nothing(g, a, j, v);
  op2i_text_add(g->e.out, "    }\n");
}

static void put_result(const struct op2i_devgen *g, int a, int j, int v) {
  (void)j;
  op2i_text_add(g->e.out, "    *(OP2_GLOBAL %s *)(op2_partial + %d * op2_n0 + %d) = ",
                op2i_emit_type(&g->e, a), g->form.nvalues, v);
  value(g->e.out, g, a, "op2_values", v, "256", "0");
  op2i_text_add(g->e.out, ";\n");
}

static void put_global(const struct op2i_devgen *g, int a, int j, int v) {
  const char *type = op2i_emit_type(&g->e, a);
  int gbl = (int)g->e.loop->args[a].gbl;
  op2i_text_add(g->e.out, "    {\n      %s op2_x = ((OP2_GLOBAL %s *)op2_gbl%d)[%d];\n", type, type,
                gbl, j);
  op2i_text_add(g->e.out, "      const %s op2_y = ", type);
  value(g->e.out, g, a, "op2_values", v, "256", "0");
  op2i_text_add(g->e.out, ";\n      ");
  combine(g, a);
  op2i_text_add(g->e.out, "      ((OP2_GLOBAL %s *)op2_gbl%d)[%d] = op2_x;\n    }\n", type, gbl, j);
}

/* One group. n0: how many values of each component there are; n1: 1: what they come to goes into the
 * globals, 0: it stands behind them, for the host. */
static void fold(const struct op2i_devgen *g) {
  entry(g, "op2_fold", -1);
  op2i_text_add(g->e.out,
                "  OP2_SHARED\n"
                "  OP2_LOCAL double *op2_values = op2_shared;\n"
                "  for (int op2_lane = op2_item(); op2_lane < 256; op2_lane += op2_items()) {\n");
  each_value(g, fold_lane);
  op2i_text_add(g->e.out, "  }\n");
  tree(g);
  op2i_text_add(g->e.out, "  if (op2_item() == 0 && op2_n1) {\n");
  each_value(g, put_global);
  op2i_text_add(g->e.out, "  } else if (op2_item() == 0) {\n");
  each_value(g, put_result);
  op2i_text_add(g->e.out, "  }\n}\n");
}

/* ---- an item for each target ----------------------------------------------------------------- */

/* n0: targets; t0: which, or null where all of them are; t1: where each one's entries begin; t2: the
 * entries, the number of a position counted from lo times columns, plus the column. */
static void repeat(const struct op2i_devgen *g, int p) {
  entry(g, "op2_repeat", p);
  op2i_text_add(g->e.out, "  const int64_t op2_at = op2_group() * op2_items() + op2_item();\n"
                          "  if (op2_at >= op2_n0) return;\n"
                          "  const int64_t op2_target = op2_t0 ? op2_t0[op2_at] : op2_at;\n");
  op2i_devgen_target_load(g);
  op2i_text_add(g->e.out,
                "  for (int op2_i = op2_t1[op2_at]; op2_i < op2_t1[op2_at + 1]; op2_i++) {\n"
                "    const uint32_t op2_entry = (uint32_t)op2_t2[op2_i];\n"
                "    const int op2_column = (int)(op2_entry %% %du);\n"
                "    const int64_t op2_position = op2_lo + op2_entry / %du;\n",
                g->pass->ncolumns, g->pass->ncolumns);
  element(g);
  op2i_text_add(g->e.out, "  }\n");
  op2i_devgen_target_store(g);
  op2i_text_add(g->e.out, "}\n");
}

/* ---- blocks of a colour ---------------------------------------------------------------------- */

/* The increments of an element, and what it stores besides. */
static void turn(const struct op2i_devgen *g) {
  for (int a = 0; a < g->e.loop->nargs; a++) op2i_devgen_add(g, a);
}

/* n0: elements of a block; n1: the first block in t0, which has those of the colour; t1: how many
 * colours each block's elements have; t2: the colour of each. A group takes a block, in stretches. */
static void coloured(const struct op2i_devgen *g) {
  struct op2i_text *out = g->e.out;
  entry(g, "op2_coloured", -1);
  op2i_text_add(
      out, "  const int64_t op2_block = op2_t0[op2_n1 + op2_group()];\n"
           "  const int64_t op2_begin = op2_lo + op2_block * op2_n0;\n"
           "  const int64_t op2_end = op2_begin + op2_n0 < op2_hi ? op2_begin + op2_n0 : op2_hi;\n"
           "  for (int op2_colour = 0; op2_colour < op2_t1[op2_block]; op2_colour++) {\n"
           "    for (int64_t op2_position = op2_begin + op2_item(); op2_position < op2_end;\n"
           "         op2_position += op2_items()) {\n"
           "    if (op2_t2[op2_position - op2_lo] != op2_colour) continue;\n");
  element(g);
  turn(g);
  op2i_text_add(out, "    }\n    op2_wait();\n  }\n}\n");
}

/* ---- the text -------------------------------------------------------------------------------- */

static void entries(struct op2i_devgen *g) {
  bool reduces = g->form.nvalues > 0;
  if (g->form.strategy == OP2I_DEVICE_COLOURED) {
    g->stores = true;
    coloured(g);
    return;
  }
  for (int p = 0; p < g->form.npasses; p++) {
    g->pass = &g->form.passes[p];
    repeat(g, p);
  }
  g->pass = NULL;
  g->stores = g->stages = true;
  if (g->form.npasses > 0 && !g->form.rest) return;
  if (!reduces) once(g);
  if (!reduces) return;
  reduce(g);
  fold(g);
}

static void text(struct op2i_devgen *g) {
  op2i_text_add(g->e.out,
                "/* Kernel %s on a device, %s */\n#define OP2_NAME(name) op2_user_##name\n",
                op2i_loop_name(g->e.loop), OP2I_ABI);
  op2i_text_add(g->e.out, "%s", g->dialect->prelude);
  op2i_text_add(g->e.out, "%s", g->e.loop->kernel->headers ? g->e.loop->kernel->headers : "");
  op2i_emit_kernels(&g->e);
  entries(g);
}

op2_status op2i_device_generate(const struct op2i_loop *loop,
                                const struct op2i_device_dialect *dialect, struct op2i_text *out) {
  struct op2i_devgen g = {.dialect = dialect};
  op2i_loop_device_form(loop, dialect->generic, &g.form);
  if (g.form.why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", g.form.why);
  op2_status status = op2i_emitter_begin(&g.e, loop, &dialect->c, out);
  if (!status) text(&g);
  if (!status && out->failed) status = op2i_error_nomem("generated code");
  op2i_emitter_end(&g.e);
  return status;
}

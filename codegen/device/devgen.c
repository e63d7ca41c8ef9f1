/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of a loop for devices: its kernels, and a function for each launch that it needs. */
#include "devgen.h"
#include "devgen_block.h"
#include "devgen_row.h"
#include "devgen_target.h"

#include <stdio.h>

#include "error.h"
#include "portable.h"
#include "rename.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static int first_of_gbl(const struct op2i_devgen *g, int gbl) {
  int a = 0;
  while (a < g->e.loop->nargs && g->e.loop->args[a].gbl != gbl) a++;
  return a;
}

/* All entries of a loop have the same parameters, in the order in which launches pass them. */
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
  op2i_text_add(out,
                ",\n    OP2_GLOBAL op2_eight *%s op2_kept"
                ",\n    OP2_GLOBAL op2_eight *%s op2_partial OP2_SHARED_PARAMETER) {\n",
                only, only);
}

void op2i_devgen_entry(const struct op2i_devgen *g, const char *name, int number) {
  op2i_text_add(g->e.out, "OP2_ENTRY %s", name);
  if (number >= 0) op2i_text_add(g->e.out, "%d", number);
  parameters(g);
}

void op2i_devgen_kept(const struct op2i_devgen *g, int a, const char *value, char *there,
                      size_t room) {
  snprintf(there, room,
           "((OP2_GLOBAL %s *)(op2_kept + %s * (op2_hi - op2_lo)))[op2_position - op2_lo]",
           op2i_emit_type(&g->e, a), value);
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
  op2i_text_add(g->e.out, "    ");
  op2i_rewrite_kernel_name(r, g->e.out);
  op2i_text_add(g->e.out, "(");
  if (needs) op2i_text_add(g->e.out, "&%s", op2i_emit_consts_name(&g->e, m).text);
  for (int a = member->first_arg; a < member->first_arg + member->nargs; a++) {
    op2i_text_add(g->e.out, a > member->first_arg || needs ? ", " : "");
    op2i_devgen_actual(g, a);
  }
  op2i_text_add(g->e.out, ");\n");
}

/* Keep an element's contributions to other rows for a later launch, or add them by atomics, if the
 * strategy is one of these two. Contributions that are added colour by colour are handled
 * elsewhere. */
static void leave(const struct op2i_devgen *g) {
  enum op2i_device_strategy strategy = g->form.strategy;
  for (int a = 0; a < g->e.loop->nargs && !g->pass; a++) {
    if (strategy == OP2I_DEVICE_GATHER) op2i_devgen_keep(g, a);
    if (strategy == OP2I_DEVICE_ATOMICS) op2i_devgen_atomic(g, a);
  }
  if (op2i_device_leaves(&g->form) && !g->pass) op2i_devgen_keep_reduced(g);
}

/* Members do not read each other's reductions, so the copies of these live to the end. */
void op2i_devgen_element(const struct op2i_devgen *g) {
  op2i_text_add(g->e.out, "    const int64_t op2_element = %s;\n",
                g->e.listed ? "op2_subset[op2_position]" : "op2_position");
  consts(g);
  op2i_devgen_load(g);
  for (int m = 0; m < g->e.nmembers; m++) {
    const struct op2i_member *member = &g->e.rewrites[m].member;
    int end = member->first_arg + member->nargs;
    for (int a = member->first_arg; a < end; a++) op2i_devgen_prepare(g, a);
    bool each = op2i_devgen_entries(g, member);
    call(g, m);
    op2i_text_add(g->e.out, each ? "    }\n" : "");
    for (int a = member->first_arg; a < end; a++) op2i_devgen_put_in_order(g, a);
    for (int a = member->first_arg; a < end; a++) op2i_devgen_settle(g, a);
  }
  op2i_devgen_store(g);
  leave(g);
}

/* Declare op2_live, the number of work items of a group that have an element. */
void op2i_devgen_live(const struct op2i_devgen *g) {
  op2i_text_add(
      g->e.out,
      "    const int op2_live = op2_hi - op2_base < op2_items() ? (int)(op2_hi - op2_base) "
      ": op2_items();\n");
}

/* ---- one work item per element --------------------------------------------------------------- */

static void once(const struct op2i_devgen *g) {
  op2i_devgen_entry(g, "op2_once", -1);
  op2i_text_add(g->e.out, "  OP2_SHARED\n"
                          "  const int64_t op2_base = op2_lo + op2_group() * op2_items();\n"
                          "  const int64_t op2_position = op2_base + op2_item();\n");
  op2i_devgen_live(g);
  op2i_devgen_stage_in(g);
  op2i_text_add(g->e.out, "  if (op2_position < op2_hi) {\n");
  op2i_devgen_element(g);
  op2i_text_add(g->e.out, "  }\n");
  op2i_devgen_stage_out(g);
  op2i_text_add(g->e.out, "}\n");
}

/* ---- the text -------------------------------------------------------------------------------- */

static void each_pass(struct op2i_devgen *g, void (*write)(struct op2i_devgen *g, int p)) {
  for (int p = 0; p < g->form.npasses; p++) {
    g->pass = &g->form.passes[p];
    write(g, p);
  }
  g->pass = NULL;
}

static void entries(struct op2i_devgen *g) {
  enum op2i_device_strategy strategy = g->form.strategy;
  bool repeats = strategy == OP2I_DEVICE_REPEAT || strategy == OP2I_DEVICE_OWNER;
  if (repeats) each_pass(g, op2i_devgen_repeat);
  if (strategy == OP2I_DEVICE_OWNER) each_pass(g, op2i_devgen_owner);
  if (strategy == OP2I_DEVICE_GATHER) each_pass(g, op2i_devgen_sum);
  g->stores = true;
  if (op2i_device_turns(&g->form)) {
    op2i_devgen_blocks(g);
    if (g->form.nvalues > 0) op2i_devgen_reduce(g);
    return;
  }
  g->stages = true;
  if (repeats && !g->form.rest) return;
  if (g->form.nvalues == 0 || g->form.apart) once(g);
  if (g->form.nvalues > 0) op2i_devgen_reduce(g);
}

static void text(struct op2i_devgen *g) {
  op2i_text_add(g->e.out,
                "/* Kernel %s on a device, %s */\n"
                "#define OP2_NAME(name) " OP2I_FUNCTION_PREFIX "##name\n",
                op2i_loop_name(g->e.loop), OP2I_ABI);
  if (g->dialect->opening) op2i_text_add(g->e.out, "%s", g->dialect->opening);
  op2i_text_add(g->e.out, "%s", g->dialect->prelude);
  if (op2i_emit_contracts(&g->e))
    op2i_text_add(g->e.out, "#define op2_fused_f64(a, b, c) fma(a, b, c)\n"
                            "#define op2_fused_minus_f64(a, b, c) fma(-(a), b, c)\n");
  if (g->form.strategy == OP2I_DEVICE_ATOMICS) op2i_devgen_define_atomics(g);
  for (int m = 0; m < g->e.nmembers; m++) op2i_rewrite_define(&g->e.rewrites[m], g->e.out);
  op2i_text_add(g->e.out, "%s", g->e.loop->kernel->headers ? g->e.loop->kernel->headers : "");
  op2i_emit_kernels(&g->e);
  for (int m = 0; m < g->e.nmembers; m++) op2i_rewrite_undefine(&g->e.rewrites[m], g->e.out);
  entries(g);
}

/* Write the kernels' sources anew where they have forms that the language lacks. */
static op2_status make_portable(struct op2i_devgen *g, const struct op2i_loop *loop) {
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < g->e.nmembers && !status; m++) {
    struct op2i_rewrite *r = &g->e.rewrites[m], made = *r;
    struct op2i_text source = {0};
    status = op2i_portable(r, g->dialect->c.operators, !g->dialect->wraps, &source);
    if (status) status = op2i_error_nomem("generated code");
    if (!status && source.length) {
      const bool contracted = r->source.length > 0;
      status = op2i_rewrite_replace(loop, m, &source, r);
      if (status == OP2_ERR_SYNTAX && !contracted) {
        op2i_rewrite_end(r);
        status = op2i_rewrite_begin(loop, m, r); /* the device's compiler decides */
      }
      r->tables = made.tables;
      r->variables = made.variables;
      r->longs = made.longs;
      r->renames = made.renames;
      r->operators = made.operators;
    }
    op2i_text_free(&source);
  }
  return status;
}

static op2_status generate(struct op2i_devgen *g, const struct op2i_loop *loop,
                           struct op2i_text *out) {
  if (g->form.why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", g->form.why);
  op2_status status = op2i_emitter_begin(&g->e, loop, &g->dialect->c, out);
  if (!status) status = make_portable(g, loop);
  if (!status) text(g);
  if (!status && out->failed) status = op2i_error_nomem("generated code");
  op2i_emitter_end(&g->e);
  return status;
}

op2_status op2i_device_generate(const struct op2i_loop *loop,
                                const struct op2i_device_dialect *dialect, struct op2i_text *out) {
  struct op2i_devgen g = {.dialect = dialect};
  op2i_loop_device_form(loop, dialect->generic, &g.form);
  return generate(&g, loop, out);
}

op2_status op2i_device_generate_by(const struct op2i_loop *loop,
                                   const struct op2i_device_dialect *dialect,
                                   enum op2i_device_strategy strategy, struct op2i_text *out) {
  struct op2i_devgen g = {.dialect = dialect};
  op2i_loop_device_form_by(loop, dialect->generic, strategy, &g.form);
  if (!g.form.why && g.form.unfit)
    return op2i_error(OP2_ERR_UNAVAILABLE, "strategy %s does not fit loop '%s': %s",
                      op2i_strategy_name(strategy), op2i_loop_name(loop), g.form.unfit);
  return generate(&g, loop, out);
}

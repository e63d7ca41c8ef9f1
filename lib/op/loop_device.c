/* SPDX-License-Identifier: BSD-3-Clause */
/* Which launches a loop takes on a device. */
#include "loop_device.h"

#include "codegen.h"
#include "context.h"

/* An element has so many values of its own at most, and what it is given as a whole so many bytes where
 * that has to be copied: beyond, the host is as good. */
enum { VALUES_MAX = 4096, COPY_MAX = 2048 };
/* What each element has for others is computed once for each column through which it reaches them. */
enum { REPEATS_MAX = 10 };

bool op2i_device_shared(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  return arg->dat >= 0 && op2i_loop_contended(loop, arg->dat);
}

/* All that elements meet in only accumulates, through maps. */
static bool accumulates_only(const struct op2i_loop *loop) {
  bool only = !loop->ordered;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (op2i_device_shared(loop, arg)) only &= arg->map >= 0 && op2i_accumulates(arg->access);
  return only;
}

/* ---- passes ---------------------------------------------------------------------------------- */

int op2i_device_column(const struct op2i_device_pass *pass, int map, int slot) {
  for (int c = 0; c < pass->ncolumns; c++)
    if (pass->columns[c].map == map && pass->columns[c].slot == slot) return c;
  return -1;
}

static struct op2i_device_pass *pass_of(struct op2i_device_form *form, op2_set target) {
  for (int p = 0; p < form->npasses; p++)
    if (form->passes[p].target == target) return &form->passes[p];
  if (form->npasses == OP2I_DEVICE_PASSES) return NULL;
  form->passes[form->npasses] = (struct op2i_device_pass){.target = target};
  return &form->passes[form->npasses++];
}

static bool add_columns(const struct op2i_loop *loop, const struct op2i_loop_arg *arg,
                        struct op2i_device_form *form) {
  struct op2i_device_pass *pass = pass_of(form, loop->maps[arg->map]->to);
  int first = arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  int end = arg->kind == OP2I_ARG_SLOT ? arg->slot + 1 : arg->arity;
  if (!pass) return false;
  for (int slot = first; slot < end; slot++) {
    if (op2i_device_column(pass, arg->map, slot) >= 0) continue;
    if (pass->ncolumns == OP2I_DEVICE_COLUMNS) return false;
    pass->columns[pass->ncolumns++] = (struct op2i_device_column){arg->map, slot};
  }
  return true;
}

static bool few_repeats(const struct op2i_device_form *form) {
  int columns = 0;
  for (int p = 0; p < form->npasses; p++) columns += form->passes[p].ncolumns;
  return columns <= REPEATS_MAX;
}

static bool can_repeat(const struct op2i_loop *loop, struct op2i_device_form *form) {
  bool can = accumulates_only(loop);
  for (int a = 0; a < loop->nargs && can; a++)
    if (op2i_device_shared(loop, &loop->args[a])) can = add_columns(loop, &loop->args[a], form);
  return can && few_repeats(form);
}

/* ---- what will not do ------------------------------------------------------------------------ */

static int64_t values_of(const struct op2i_loop *loop) {
  int64_t values = 0;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (arg->dat >= 0) values += (int64_t)arg->arity * arg->dim;
  return values;
}

static bool large_values(const struct op2i_loop *loop) {
  bool large = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    bool given = arg->kind == OP2I_ARG_VAL || (arg->kind == OP2I_ARG_GBL && !op2i_arg_reduces(arg));
    large |= given && (int64_t)arg->dim * (int64_t)op2i_type_size(arg->type) > COPY_MAX;
  }
  for (int c = 0; c < loop->nconsts; c++) large |= loop->consts[c].in_place;
  return large;
}

/* Values that are set in place have one name in each element: its copies know nothing of each other. */
static bool two_names(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  if (arg->dat < 0 || arg->map < 0 || !op2i_keeps_order(arg->access)) return false;
  bool two = arg->arity > 1;
  for (const struct op2i_loop_arg *other = loop->args; other < loop->args + loop->nargs; other++)
    two |= other->dat == arg->dat && (other->map != arg->map || other->slot != arg->slot);
  return two;
}

static const char *refusal(const struct op2i_loop *loop, bool generic, int nvalues) {
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (op2i_arg_located(arg) || op2i_arg_informs(arg))
      return "it asks which element has the minimum or maximum";
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    if (two_names(loop, arg)) return "it sets values through several slots, that may be one value";
  const struct op2i_config *config = loop->op.ctx ? &loop->op.ctx->config : NULL;
  if (config && op2i_codegen.given(config->cc, config->cflags, NULL))
    return "the host compiler's flags may define what it uses";
  if (nvalues > 16) return "it reduces into more than 16 values";
  if (values_of(loop) > VALUES_MAX) return "an element has more than 4096 values";
  if (!generic && large_values(loop)) return "it is given constants or globals of more than 2 KiB";
  return NULL;
}

static bool stores_besides(const struct op2i_loop *loop) {
  bool stores = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++)
    stores |= op2i_arg_reduces(arg) ||
              (arg->dat >= 0 && op2i_modifies(arg->access) && !op2i_device_shared(loop, arg));
  return stores;
}

void op2i_loop_device_form(const struct op2i_loop *loop, bool generic,
                           struct op2i_device_form *form) {
  *form = (struct op2i_device_form){.strategy = OP2I_DEVICE_ONCE};
  bool meets = false;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    meets |= op2i_device_shared(loop, arg);
    if (op2i_arg_reduces(arg)) form->nvalues += arg->dim > 64 ? 64 : arg->dim;
  }
  form->why = refusal(loop, generic, form->nvalues);
  if (form->why || !meets) return;
  form->rest = stores_besides(loop);
  form->strategy = can_repeat(loop, form) ? OP2I_DEVICE_REPEAT : OP2I_DEVICE_COLOURED;
  if (form->strategy == OP2I_DEVICE_COLOURED) form->npasses = 0;
  if (form->strategy == OP2I_DEVICE_COLOURED && form->nvalues > 0)
    form->why = "it reduces, and its elements have to take turns";
}

int64_t op2i_device_stage_bytes(const struct op2i_loop *loop, int64_t group) {
  int64_t widest = 0;
  for (const struct op2i_loop_arg *arg = loop->args; arg < loop->args + loop->nargs; arg++) {
    int64_t bytes = (int64_t)arg->dim * (int64_t)op2i_type_size(arg->type);
    if (arg->kind == OP2I_ARG_DIRECT && bytes > 16 && bytes <= 128 && bytes > widest)
      widest = bytes;
  }
  return (widest * group + 7) / 8 * 8;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments in code for devices. Kernels work on private copies throughout, so that all their
 * pointers lead to one kind of memory; compilers keep the copies in registers. */
#include <stdio.h>
#include <string.h>

#include "devgen.h"
#include "devgen_row.h"
#include "devgen_target.h"

enum { NAME = 96, STATEMENT = 1024 };

static const char *type_of(const struct op2i_devgen *g, int a) { return op2i_emit_type(&g->e, a); }

/* True if the kernel works in the element's own row. */
static bool in_row(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  return arg->kind == OP2I_ARG_DIRECT && !op2i_devgen_shared(g, a) &&
         !op2i_accumulates(arg->access);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Actions on component %s of a row in memory and of its copy. */
enum action { GATHER, ADD, STORE };

void op2i_devgen_add_text(const struct op2i_loop_arg *arg, const char *there, const char *ours,
                          char *statement, size_t room) {
  if (op2i_sums(arg->access))
    snprintf(statement, room, "%s += %s;", there, ours);
  else /* equal values stay, zeros that are taken become positive, NaN gives way */
    snprintf(statement, room, "if (%s %c %s || %s != %s) %s = %s + 0;", ours,
             op2i_better(arg->access), there, there, there, there, ours);
}

static void move_text(const struct op2i_loop_arg *arg, enum action action, const char *there,
                      const char *ours, char statement[STATEMENT]) {
  if (action == GATHER)
    snprintf(statement, STATEMENT, "%s = %s;", ours, there);
  else if (action == STORE)
    snprintf(statement, STATEMENT, "%s = %s;", there, ours);
  else
    op2i_devgen_add_text(arg, there, ours, statement, STATEMENT);
}

void op2i_devgen_place(const struct op2i_devgen *g, int a, int slot, char *there, size_t room) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  int dim = (int)arg->dim, stage = op2i_device_stage(&g->form, arg->dat, arg->map);
  if (arg->kind == OP2I_ARG_DIRECT && !op2i_devgen_shared(g, a))
    snprintf(there, room, "op2_row%d[%%s]", (int)arg->dat);
  else if (arg->kind == OP2I_ARG_DIRECT)
    snprintf(there, room, "op2_dat%d[%d * op2_element + %%s]", (int)arg->dat, dim);
  else if (stage >= 0)
    snprintf(there, room, "op2_stage%d[%d * op2_local%d + %%s]", stage,
             g->form.stages[stage].stride, op2i_device_local(&g->form, stage, slot));
  else
    snprintf(there, room, "op2_dat%d[%d * op2_map%d_%d + %%s]", (int)arg->dat, dim, (int)arg->map,
             slot);
}

/* Move whole rows of memory in pieces. */
static void move_row(const struct op2i_devgen *g, int a, enum action action, int k, int slot,
                     const char *indent) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char there[NAME], ours[NAME];
  /* In a pass all slots use the target's row: other work items may be writing the other rows, and
   * the results for those are discarded here. */
  if (op2i_devgen_of_target(g, a))
    snprintf(there, sizeof there, "op2_target");
  else
    snprintf(there, sizeof there, "op2_map%d_%d", (int)arg->map, slot);
  snprintf(ours, sizeof ours, "(op2_own%d + %d)", a, k * (int)arg->dim);
  if (action == GATHER)
    op2i_devgen_load_row(g, arg->dat, there, ours, indent);
  else
    op2i_devgen_store_row(g, arg->dat, there, ours, indent);
}

static void move_slot(const struct op2i_devgen *g, int a, enum action action, int k, int slot,
                      const char *indent) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char there[NAME], ours[NAME], statement[STATEMENT];
  if (arg->map >= 0 && action != ADD && !g->form.nstages) {
    move_row(g, a, action, k, slot, indent);
    return;
  }
  op2i_devgen_place(g, a, slot, there, sizeof there);
  snprintf(ours, sizeof ours, "op2_own%d[%d + %%s]", a, k * (int)arg->dim);
  move_text(arg, action, there, ours, statement);
  op2i_devgen_each(g, arg->dim, indent, statement);
}

static void move_slots(const struct op2i_devgen *g, int a, enum action action) {
  int first, n = op2i_device_slots(op2i_emit_arg(&g->e, a), &first);
  for (int k = 0; k < n; k++) move_slot(g, a, action, k, first + k, "    ");
}

/* True if the copy is declared outside the element's own braces. */
static bool hoisted(const struct op2i_devgen *g, int a) {
  return g->hoists && op2i_devgen_shared(g, a);
}

static void declare(const struct op2i_devgen *g, int a, const char *indent) {
  int first,
      n = op2i_device_slots(op2i_emit_arg(&g->e, a), &first) * (int)op2i_emit_arg(&g->e, a)->dim;
  op2i_text_add(g->e.out, "%s%s op2_own%d[%d];\n", indent, type_of(g, a), a, n);
}

void op2i_devgen_hoist(const struct op2i_devgen *g) {
  for (int a = 0; a < g->e.loop->nargs; a++)
    if (hoisted(g, a)) declare(g, a, "  ");
}

static void copy(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char statement[NAME];
  int first, n = op2i_device_slots(arg, &first) * (int)arg->dim;
  if (!hoisted(g, a)) declare(g, a, "    ");
  snprintf(statement, sizeof statement, "op2_own%d[%%s] = %s;", a,
           op2i_type_real(arg->type) ? "-0.0" : "0");
  if (op2i_sums(arg->access))
    op2i_devgen_each(g, n, "    ", statement);
  else if (!op2i_overwrites(arg->access))
    move_slots(g, a, GATHER);
}

static void pointers(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  op2i_text_add(g->e.out, "    %s%s *op2_arg%d[%d] = {",
                op2i_emit_param(&g->e, a)->readonly ? "const " : "", type_of(g, a), a,
                (int)arg->arity);
  for (int k = 0; k < arg->arity; k++)
    op2i_text_add(g->e.out, "%sop2_own%d + %d", k ? ", " : "", a,
                  k * (int)arg->dim + op2i_arg_shift(arg));
  op2i_text_add(g->e.out, "};\n");
}

/* ---- values that are passed with the launch -------------------------------------------------- */

/* Values that all elements share, those of a global or in the payload. They are copied unless a
 * pointer may point to any kind of memory. */
static void given(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  const char *type = type_of(g, a);
  char statement[STATEMENT], from[NAME];
  if (arg->kind == OP2I_ARG_GBL)
    snprintf(from, sizeof from, "op2_gbl%d", (int)arg->gbl);
  else
    snprintf(from, sizeof from, "(op2_given + %d)", (int)arg->offset);
  if (g->dialect->generic && !op2i_arg_reduces(arg)) {
    op2i_text_add(g->e.out, "    const %s *op2_own%d = (const %s *)%s;\n", type, a, type, from);
    return;
  }
  op2i_text_add(g->e.out, "    %s op2_own%d[%d];\n", type, a, (int)arg->dim);
  snprintf(statement, sizeof statement, "op2_own%d[%%s] = ((OP2_GLOBAL const %s *)%s)[%%s];", a,
           type, from);
  op2i_devgen_each(g, arg->dim, "    ", statement);
}

/* An element's copy for a reduction: zero for a sum, or for information beside a minimum or
 * maximum; else the present value. */
static void reduced(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char statement[NAME];
  if (!op2i_sums(arg->access) && !op2i_arg_informs(arg)) {
    given(g, a);
    return;
  }
  op2i_text_add(g->e.out, "    %s op2_own%d[%d];\n", type_of(g, a), a, (int)arg->dim);
  snprintf(statement, sizeof statement, "op2_own%d[%%s] = %s;", a,
           op2i_sums(arg->access) && op2i_type_real(arg->type) ? "-0.0" : "0");
  op2i_devgen_each(g, arg->dim, "    ", statement);
}

/* ---- element numbers ------------------------------------------------------------------------- */

static void number(const struct op2i_devgen *g, int a, int slot) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char row[NAME] = "op2_element", table[32] = "op2_number";
  if (arg->map >= 0) {
    snprintf(table, sizeof table, "op2_number%d", (int)arg->map);
    snprintf(row, sizeof row, "op2_map%d_%d", (int)arg->map,
             arg->slot >= 0 ? (int)arg->slot : slot);
  }
  op2i_text_add(g->e.out, "(%s ? %s[%s] : %s)", table, table, row, row);
}

static void numbers(const struct op2i_devgen *g, int a) {
  op2i_text_add(g->e.out, "    %s op2_arg%d[%d] = {", type_of(g, a), a,
                (int)op2i_emit_arg(&g->e, a)->arity);
  for (int k = 0; k < op2i_emit_arg(&g->e, a)->arity; k++) {
    op2i_text_add(g->e.out, "%s(%s)", k ? ", " : "", type_of(g, a));
    number(g, a, k);
  }
  op2i_text_add(g->e.out, "};\n");
}

/* ---- text before and after the call ---------------------------------------------------------- */

void op2i_devgen_prepare(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  switch (arg->kind) {
  case OP2I_ARG_VAL: given(g, a); break;
  case OP2I_ARG_WORK: declare(g, a, "    "); break;
  case OP2I_ARG_ABSENT:
  case OP2I_ARG_ROW_ENTRIES: break;
  case OP2I_ARG_IDX:
    if (op2i_emit_param(&g->e, a)->depth > 0) numbers(g, a);
    break;
  case OP2I_ARG_GBL:
    if (op2i_arg_reduces(arg))
      reduced(g, a);
    else
      given(g, a);
    break;
  default:
    if (!in_row(g, a)) copy(g, a);
    if (arg->kind == OP2I_ARG_ALL) pointers(g, a);
  }
}

/* Load an entry of a matrix's row, or the value that its column leads to. */
static void entry(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char at[NAME] = "op2_entry", ours[NAME];
  if (g->e.loop->maps[arg->map]->idx)
    snprintf(at, sizeof at, "(int64_t)op2_map%d[op2_entry]", (int)arg->map);
  snprintf(ours, sizeof ours, "op2_own%d", a);
  op2i_text_add(g->e.out, "      %s op2_own%d[%d];\n", type_of(g, a), a, (int)arg->dim);
  op2i_devgen_load_row(g, arg->dat, at, ours, "      ");
}

/* The sum that calls add to starts at zero. */
static void begin_sum(const struct op2i_devgen *g, int a) {
  char statement[NAME];
  snprintf(statement, sizeof statement, "op2_row%d[%%s] = 0;", (int)op2i_emit_arg(&g->e, a)->dat);
  op2i_devgen_each(g, op2i_emit_arg(&g->e, a)->dim, "    ", statement);
}

bool op2i_devgen_entries(const struct op2i_devgen *g, const struct op2i_member *member) {
  int end = member->first_arg + member->nargs;
  for (int a = member->first_arg; a < end; a++)
    if (op2i_emit_arg(&g->e, a)->row_sum) begin_sum(g, a);
  if (!op2i_emit_entries(&g->e, member, "int")) return false;
  op2i_text_add(g->e.out, " {\n");
  for (int a = member->first_arg; a < end; a++)
    if (op2i_emit_arg(&g->e, a)->kind == OP2I_ARG_ROW_ENTRIES) entry(g, a);
  return true;
}

static void plain_actual(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  int depth = op2i_emit_param(&g->e, a)->depth;
  if (arg->kind == OP2I_ARG_ABSENT)
    op2i_text_add(g->e.out, "0");
  else if (arg->kind == OP2I_ARG_IDX && depth == 0)
    op2i_text_add(g->e.out, "(%s)", type_of(g, a)), number(g, a, 0);
  else if (arg->kind == OP2I_ARG_IDX || arg->kind == OP2I_ARG_ALL)
    op2i_text_add(g->e.out, "op2_arg%d", a);
  else if (arg->kind == OP2I_ARG_VAL && depth == 0)
    op2i_text_add(g->e.out, "op2_own%d[0]", a);
  else
    op2i_text_add(g->e.out, in_row(g, a) ? "op2_row%d" : "op2_own%d",
                  in_row(g, a) ? (int)arg->dat : a);
  if (op2i_arg_shift(arg) && arg->kind != OP2I_ARG_ALL)
    op2i_text_add(g->e.out, " + %d", op2i_arg_shift(arg));
}

/* True if the parameter's type is spelled differently from the row's, lacks a const, or is
 * understood by the compiler only. */
static bool needs_cast(const struct op2i_devgen *g, int a) {
  const struct op2i_param *param = op2i_emit_param(&g->e, a);
  if (param->depth == 0 || op2i_emit_arg(&g->e, a)->kind == OP2I_ARG_ABSENT) return false;
  bool other = in_row(g, a) &&
               strcmp(type_of(g, a), op2i_devgen_dat_type(g, op2i_emit_arg(&g->e, a)->dat)) != 0;
  bool lent = g->dialect->generic && !param->readonly &&
              (op2i_emit_arg(&g->e, a)->kind == OP2I_ARG_VAL ||
               op2i_emit_arg(&g->e, a)->kind == OP2I_ARG_GBL);
  return other || lent || op2i_emit_needs_cast(param);
}

void op2i_devgen_actual(const struct op2i_devgen *g, int a) {
  bool cast = needs_cast(g, a);
  op2i_text_add(g->e.out, cast ? "OP2_AS(" : "");
  plain_actual(g, a);
  op2i_text_add(g->e.out, cast ? ")" : "");
}

/* Permute a matrix's block into the order of slots, as op2i_arg_place() defines it. */
void op2i_devgen_put_in_order(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  char copy[STATEMENT], place[STATEMENT];
  int columns = (int)arg->columns, second = (int)arg->column_dim, dim = (int)arg->dim;
  if (op2i_arg_in_order(arg)) return;
  op2i_text_add(g->e.out, "    {\n      %s op2_block[%d];\n", type_of(g, a), (int)arg->arity * dim);
  snprintf(copy, sizeof copy, "op2_block[%%s] = op2_own%d[%%s];", a);
  op2i_devgen_each(g, (int64_t)arg->arity * dim, "      ", copy);
  snprintf(
      place, sizeof place,
      "op2_own%d[%%s] = op2_block[((%%s / %d * %d + %%s %% %d / %d) * %d + %%s / %d %% %d) * %d + "
      "%%s %% %d];",
      a, dim * columns, dim / second, dim, second, columns, dim, columns, second, second);
  op2i_devgen_each(g, (int64_t)arg->arity * dim, "      ", place);
  op2i_text_add(g->e.out, "    }\n");
}

void op2i_devgen_settle(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  if (arg->dat < 0 || !op2i_modifies(arg->access)) return;
  if (op2i_devgen_shared(g, a)) {
    if (op2i_devgen_of_target(g, a) && !g->owns) op2i_devgen_to_target(g, a);
    return;
  }
  /* A row of the element's own is stored later. */
  if (arg->map >= 0 && !g->stores) return;
  if (op2i_accumulates(arg->access))
    move_slots(g, a, ADD);
  else if (!in_row(g, a) && g->stores)
    move_slots(g, a, STORE);
}

void op2i_devgen_add(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(&g->e, a);
  if (!op2i_devgen_shared(g, a) || !op2i_modifies(arg->access)) return;
  move_slots(g, a, op2i_accumulates(arg->access) ? ADD : STORE);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Scalar code for arguments: what each needs before the loop, before the call, in it and after
 * it. */
#include <stdio.h>
#include <string.h>

#include "emit.h"

/* Values of an argument up to this many are written out one by one, which keeps private copies in
 * registers whatever the compiler does about loops. */
enum { UNROLL_MAX = 32, LVALUE_MAX = 160 };

enum action { CLEAR, GATHER, ADD, STORE, BOUND, START, FIND };

const struct op2i_param *op2i_emit_param(const struct op2i_emitter *e, int a) {
  const struct op2i_member member = op2i_loop_member(e->loop, op2i_loop_member_of(e->loop, a));
  return &member.kernel->signature.params[a - member.first_arg];
}

const char *op2i_emit_type(const struct op2i_emitter *e, int a) {
  return e->types[a].chars ? e->types[a].chars : "";
}

static bool summed(const struct op2i_loop_arg *arg) { return op2i_arg_strands(arg) > 1; }

static bool unrolled(const struct op2i_loop_arg *arg) {
  return (int64_t)arg->arity * arg->dim <= UNROLL_MAX;
}

/* True if the rows of an ALL argument that works directly in the dat are named one by one. */
static bool rows_listed(const struct op2i_loop_arg *arg) {
  return arg->kind == OP2I_ARG_ALL && !op2i_arg_private(arg) && arg->arity <= UNROLL_MAX;
}

int op2i_emit_first_of_dat(const struct op2i_emitter *e, int dat) {
  int a = 0;
  while (a < e->loop->nargs && op2i_emit_arg(e, a)->dat != dat) a++;
  return a;
}

bool op2i_emit_dat_writable(const struct op2i_emitter *e, int dat) {
  for (int a = 0; a < e->loop->nargs; a++)
    if (op2i_emit_arg(e, a)->dat == dat &&
        (op2i_modifies(op2i_emit_arg(e, a)->access) || !op2i_emit_param(e, a)->readonly))
      return true;
  return false;
}

bool op2i_emit_slot_used(const struct op2i_emitter *e, int map, int slot) {
  for (int a = 0; a < e->loop->nargs; a++) {
    const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
    if (!op2i_arg_uses_slot(arg, map, slot)) continue;
    if (arg->kind == OP2I_ARG_SLOT || rows_listed(arg) ||
        (op2i_arg_private(arg) && unrolled(arg)) || (arg->kind == OP2I_ARG_IDX && unrolled(arg)))
      return true;
  }
  return false;
}

/* ---- values in memory ------------------------------------------------------------------------ */

/* The row of the dat that a slot leads to; slot -1 stands for the counter op2_slot. */
static void row_of(const struct op2i_emitter *e, const struct op2i_loop_arg *arg, int slot,
                   char row[LVALUE_MAX]) {
  if (arg->kind == OP2I_ARG_DIRECT)
    snprintf(row, LVALUE_MAX, "op2_element");
  else if (arg->kind == OP2I_ARG_SLOT)
    snprintf(row, LVALUE_MAX, "op2_map%d_%d", (int)arg->map, (int)arg->slot);
  else if (arg->kind == OP2I_ARG_ROW_ENTRIES && e->loop->maps[arg->map]->idx)
    snprintf(row, LVALUE_MAX, "(int64_t)op2_map%d[op2_entry]", (int)arg->map);
  else if (arg->kind == OP2I_ARG_ROW_ENTRIES)
    snprintf(row, LVALUE_MAX, "op2_entry");
  else if (slot >= 0)
    snprintf(row, LVALUE_MAX, "op2_map%d_%d", (int)arg->map, slot);
  else
    snprintf(row, LVALUE_MAX, "(int64_t)op2_map%d[%d * op2_element + op2_slot]", (int)arg->map,
             (int)e->loop->maps[arg->map]->arity);
}

/* A kernel that gets a component of a dat begins there. */
static void add_shift(const struct op2i_emitter *e, const struct op2i_loop_arg *arg) {
  if (op2i_arg_shift(arg)) op2i_text_add(e->out, " + %d", op2i_arg_shift(arg));
}

static void add_row_address(const struct op2i_emitter *e, int a, int slot) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  char row[LVALUE_MAX];
  row_of(e, arg, slot, row);
  const char *type = op2i_emit_type(e, a);
  bool other = strcmp(type, op2i_emit_type(e, op2i_emit_first_of_dat(e, arg->dat))) != 0;
  if (other) op2i_text_add(e->out, "(%s%s *)(", e->dialect->global, type);
  if (arg->dim == 1)
    op2i_text_add(e->out, "op2_dat%d + %s", (int)arg->dat, row);
  else
    op2i_text_add(e->out, "op2_dat%d + %d * %s", (int)arg->dat, (int)arg->dim, row);
  add_shift(e, arg);
  if (other) op2i_text_add(e->out, ")");
}

/* Component j of a slot as an lvalue in memory; -1 stands for the counters. */
static void shared_lvalue(const struct op2i_emitter *e, int a, int slot, int j,
                          char lvalue[2 * LVALUE_MAX]) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  char row[LVALUE_MAX], component[16] = "op2_component";
  if (j >= 0) snprintf(component, sizeof component, "%d", j);
  if (op2i_arg_reduces(arg)) {
    snprintf(lvalue, 2 * LVALUE_MAX, "((%s%s *)(op2_partial + %d))[%s]", e->dialect->global,
             op2i_emit_type(e, a), (int)arg->offset, component);
    return;
  }
  row_of(e, arg, slot, row);
  if (arg->dim == 1)
    snprintf(lvalue, 2 * LVALUE_MAX, "op2_dat%d[%s]", (int)arg->dat, row);
  else
    snprintf(lvalue, 2 * LVALUE_MAX, "op2_dat%d[%d * %s + %s]", (int)arg->dat, (int)arg->dim, row,
             component);
}

/* The position of the counters in the dense block of a matrix, as op2i_arg_place() computes it. */
static void block_lvalue(const struct op2i_loop_arg *arg, int a, char lvalue[LVALUE_MAX]) {
  int columns = (int)arg->columns, second = (int)arg->column_dim, first = (int)arg->dim / second;
  snprintf(lvalue, LVALUE_MAX,
           "op2_arg%d[((op2_slot / %d * %d + op2_component / %d) * %d + op2_slot %% %d) * %d + "
           "op2_component %% %d]",
           a, columns, first, second, columns, columns, second, second);
}

/* Component j of a slot as an lvalue in the argument's private copy. */
static void private_lvalue(const struct op2i_emitter *e, int a, int slot, int j,
                           char lvalue[LVALUE_MAX]) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const char *name = arg->kind == OP2I_ARG_ALL ? "own" : "arg";
  if (j >= 0)
    snprintf(lvalue, LVALUE_MAX, "op2_%s%d[%d]", name, a,
             op2i_arg_place(arg, slot > 0 ? slot : 0, j));
  else if (!op2i_arg_in_order(arg))
    block_lvalue(arg, a, lvalue);
  else if (arg->arity == 1 && !op2i_arg_packs_part(arg))
    snprintf(lvalue, LVALUE_MAX, "op2_%s%d[op2_component]", name, a);
  else if (op2i_arg_packs_part(arg))
    snprintf(lvalue, LVALUE_MAX, "op2_%s%d[%d * op2_slot + op2_component - %d]", name, a,
             (int)arg->part, (int)arg->part_first);
  else
    snprintf(lvalue, LVALUE_MAX, "op2_%s%d[%d * op2_slot + op2_component]", name, a, (int)arg->dim);
}

/* ---- actions between memory and a private copy ----------------------------------------------- */

/* The rule of MIN and MAX for data: of equal values the present one stays, a zero that is taken
 * becomes positive, and a NaN that is present gives way. So the order of elements does not
 * matter. */
static void add_bound(const struct op2i_emitter *e, int a, const char *ours, const char *shared) {
  const char before = op2i_better(op2i_emit_arg(e, a)->access);
  if (op2i_type_real(op2i_emit_arg(e, a)->type))
    op2i_text_add(e->out, "%s = %s %c %s || %s != %s ? %s + 0 : %s;\n", shared, ours, before,
                  shared, shared, shared, ours, shared);
  else
    op2i_text_add(e->out, "%s = %s %c %s ? %s : %s;\n", shared, ours, before, shared, ours, shared);
}

/* A minimum or maximum of a global: each element's copy starts from the global, and is then
 * combined with the result so far. */
static void add_bound_of_global(const struct op2i_emitter *e, int a, enum action action, int j) {
  char own[LVALUE_MAX], found[LVALUE_MAX], component[16] = "op2_component";
  if (j >= 0) snprintf(component, sizeof component, "%d", j);
  snprintf(own, sizeof own, "op2_own%d[%s]", a, component);
  snprintf(found, sizeof found, "op2_arg%d[%s]", a, component);
  if (action == START)
    op2i_text_add(e->out, "%s = op2_gbl%d[%s];\n", own, (int)op2i_emit_arg(e, a)->gbl, component);
  else
    add_bound(e, a, own, found);
}

static void add_statement(const struct op2i_emitter *e, int a, enum action action, int slot,
                          int j) {
  char ours[LVALUE_MAX], shared[2 * LVALUE_MAX];
  private_lvalue(e, a, slot, j, ours);
  shared_lvalue(e, a, slot, j, shared);
  switch (action) {
  case CLEAR: op2i_text_add(e->out, "%s = -0.0;\n", ours); break;
  case GATHER: op2i_text_add(e->out, "%s = %s;\n", ours, shared); break;
  case ADD: op2i_text_add(e->out, "%s += %s;\n", shared, ours); break;
  case STORE: op2i_text_add(e->out, "%s = %s;\n", shared, ours); break;
  case BOUND: add_bound(e, a, ours, shared); break;
  case START:
  case FIND: add_bound_of_global(e, a, action, j); break;
  }
}

/* Emit an action for all values of an argument, in slot order. */
static void for_values(const struct op2i_emitter *e, int a, enum action action,
                       const char *indent) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const int first = (int)arg->part_first, end = (int)(arg->part ? first + arg->part : arg->dim);
  if (unrolled(arg)) {
    for (int slot = 0; slot < arg->arity; slot++)
      for (int j = first; j < end; j++) {
        op2i_text_add(e->out, "%s", indent);
        add_statement(e, a, action, slot, j);
      }
    return;
  }
  /* The counter finds a single slot as well. */
  const bool slots = arg->kind == OP2I_ARG_ALL || arg->kind == OP2I_ARG_ITER;
  if (slots)
    op2i_text_add(e->out, "%sfor (int op2_slot = 0; op2_slot < %d; op2_slot++)\n", indent,
                  (int)arg->arity);
  op2i_text_add(e->out, "%s%sfor (int op2_component = %d; op2_component < %d; op2_component++)\n",
                indent, slots ? "  " : "", first, end);
  op2i_text_add(e->out, "%s%s  ", indent, slots ? "  " : "");
  add_statement(e, a, action, -1, -1);
}

/* ---- partial sums ---------------------------------------------------------------------------- */

static void begin_strands(const struct op2i_emitter *e, int a) {
  int n = op2i_arg_strands(op2i_emit_arg(e, a)) * (int)op2i_emit_arg(e, a)->dim;
  op2i_text_add(e->out,
                "  %s op2_arg%d[%d];\n  for (int op2_component = 0; op2_component < %d; "
                "op2_component++) op2_arg%d[op2_component] = "
                "-0.0;\n",
                op2i_emit_type(e, a), a, n, n, a);
}

static void add_strand(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  op2i_text_add(e->out, "op2_arg%d + ", a);
  if (arg->dim > 1) op2i_text_add(e->out, "%d * ", (int)arg->dim);
  op2i_text_add(e->out, "((%s - op2_lo) & %d)", e->listed ? "op2_position" : "op2_element",
                op2i_arg_strands(arg) - 1);
}

/* Emit the sum of the strands [first, first + n), pairwise. */
static void add_tree(const struct op2i_emitter *e, int a, int j, int lanes, int first, int n) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (n > 1) {
    op2i_text_add(e->out, "(");
    add_tree(e, a, j, lanes, first, n / 2);
    op2i_text_add(e->out, " + ");
    add_tree(e, a, j, lanes, first + n / 2, n / 2);
    op2i_text_add(e->out, ")");
    return;
  }
  int at = first / lanes * (int)arg->dim + (j > 0 ? j : 0);
  op2i_text_add(e->out, j < 0 ? "op2_arg%d[%d + op2_component]" : "op2_arg%d[%d]", a, at);
  if (lanes > 1) op2i_text_add(e->out, "[%d]", first % lanes);
}

void op2i_emit_strands(const struct op2i_emitter *e, int a, int j, int lanes) {
  add_tree(e, a, j, lanes, 0, op2i_arg_strands(op2i_emit_arg(e, a)));
}

static void end_strands(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  char lvalue[2 * LVALUE_MAX];
  bool one_by_one = unrolled(arg);
  if (!one_by_one)
    op2i_text_add(e->out, "  for (int op2_component = 0; op2_component < %d; op2_component++)\n  ",
                  (int)arg->dim);
  for (int j = 0; j < (one_by_one ? arg->dim : 1); j++) {
    shared_lvalue(e, a, 0, one_by_one ? j : -1, lvalue);
    op2i_text_add(e->out, "  %s += ", lvalue);
    op2i_emit_strands(e, a, one_by_one ? j : -1, 1);
    op2i_text_add(e->out, ";\n");
  }
}

/* ---- text before and after the loop ---------------------------------------------------------- */

static void setup_value(const struct op2i_emitter *e, int a) {
  const struct op2i_param *param = op2i_emit_param(e, a);
  const char *type = op2i_emit_type(e, a), *space = e->dialect->global;
  int offset = (int)op2i_emit_arg(e, a)->offset;
  if (op2i_emit_arg(e, a)->kind == OP2I_ARG_OPAQUE)
    op2i_text_add(e->out,
                  "  void *const op2_arg%d = (void *)(__UINTPTR_TYPE__)*(const uint64_t "
                  "*)(op2_payload + %d);\n",
                  a, offset);
  else if (param->depth == 0)
    op2i_text_add(e->out, "  const %s op2_arg%d = *(%sconst %s *)(op2_payload + %d);\n", type, a,
                  space, type, offset);
  else
    op2i_text_add(e->out, "  %s%s%s *const op2_arg%d = (%s%s%s *)(op2_payload + %d);\n", space,
                  param->readonly ? "const " : "", type, a, space, param->readonly ? "const " : "",
                  type, offset);
}

void op2i_emit_setup(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (op2i_arg_captured(arg)) setup_value(e, a);
  if (!op2i_arg_reduces(arg) || op2i_arg_informs(arg)) return;
  if (op2i_arg_located(arg)) {
    op2i_emit_winner_begin(e, a);
    return;
  }
  if (summed(arg)) {
    begin_strands(e, a);
    return;
  }
  op2i_text_add(e->out, "  %s op2_arg%d[%d];\n", op2i_emit_type(e, a), a, (int)arg->dim);
  for_values(e, a, GATHER, "  ");
}

void op2i_emit_finish(const struct op2i_emitter *e, int a) {
  if (summed(op2i_emit_arg(e, a)))
    end_strands(e, a);
  else if (op2i_arg_located(op2i_emit_arg(e, a)))
    op2i_emit_winner_finish(e, a);
  else if (op2i_arg_reduces(op2i_emit_arg(e, a)) && !op2i_arg_informs(op2i_emit_arg(e, a)))
    for_values(e, a, STORE, "  ");
}

/* ---- text before and after the call ---------------------------------------------------------- */

/* Increments of floating type start at -0.0: x + -0.0 is x for every x, so that the compiler drops
 * the addition where it cannot drop one of +0.0. */
static void clear_copy(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (!op2i_type_real(arg->type)) {
    op2i_text_add(e->out, " = {0};\n");
  } else if (unrolled(arg)) {
    for (int i = 0; i < arg->arity * arg->dim; i++)
      op2i_text_add(e->out, i ? ", -0.0" : " = {-0.0");
    op2i_text_add(e->out, "};\n");
  } else {
    op2i_text_add(e->out, ";\n");
    for_values(e, a, CLEAR, "    ");
  }
}

static void prepare_copy(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const char *name = arg->kind == OP2I_ARG_ALL ? "own" : "arg";
  op2i_text_add(e->out, "    %s op2_%s%d[%d]", op2i_emit_type(e, a), name, a,
                (int)(arg->arity * arg->dim));
  if (op2i_sums(arg->access) || (arg->row_sum && !e->loop->traits.per_nonzero)) {
    clear_copy(e, a);
    return;
  }
  op2i_text_add(e->out, arg->row_sum ? " = {0};\n" : ";\n");
  if (!op2i_overwrites(arg->access)) for_values(e, a, GATHER, "    ");
}

static void add_slot_address(const struct op2i_emitter *e, int a, int slot) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (!op2i_arg_private(arg))
    add_row_address(e, a, slot);
  else if (slot < 0)
    op2i_text_add(e->out, "op2_own%d + %d * op2_slot", a, (int)arg->dim);
  else
    op2i_text_add(e->out, "op2_own%d + %d", a, slot * (int)arg->dim);
  if (op2i_arg_private(arg)) add_shift(e, arg);
}

/* Declare the array of pointers of an ALL argument. */
static void prepare_pointers(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const char *space = op2i_arg_private(arg) ? "" : e->dialect->global;
  op2i_text_add(e->out, "    %s%s%s *op2_arg%d[%d]", space,
                op2i_emit_param(e, a)->readonly ? "const " : "", op2i_emit_type(e, a), a,
                (int)arg->arity);
  if (arg->arity <= UNROLL_MAX) {
    for (int slot = 0; slot < arg->arity; slot++) {
      op2i_text_add(e->out, slot ? ", " : " = {");
      add_slot_address(e, a, slot);
    }
    op2i_text_add(e->out, "};\n");
  } else {
    op2i_text_add(e->out,
                  ";\n    for (int op2_slot = 0; op2_slot < %d; op2_slot++) op2_arg%d[op2_slot] = ",
                  (int)arg->arity, a);
    add_slot_address(e, a, -1);
    op2i_text_add(e->out, ";\n");
  }
}

/* The user's number of an element, or of the element that the map leads to through one of the
 * argument's slots; -1 stands for the counter. */
static void add_number(const struct op2i_emitter *e, int a, int slot) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  char row[LVALUE_MAX] = "op2_element", number[24] = "op2_number";
  if (arg->map >= 0) snprintf(number, sizeof number, "op2_number%d", (int)arg->map);
  if (arg->map >= 0 && arg->slot >= 0)
    snprintf(row, sizeof row, "op2_map%d_%d", (int)arg->map, (int)arg->slot);
  else if (arg->map >= 0)
    row_of(e, arg, slot, row);
  op2i_text_add(e->out, "%s ? %s[%s] : %s", number, number, row, row);
}

static void prepare_numbers(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  const char *type = op2i_emit_type(e, a);
  bool listed = unrolled(arg);
  op2i_text_add(e->out, "    %s%s op2_arg%d[%d]%s", listed ? "const " : "", type, a,
                (int)arg->arity, listed ? " = {" : ";\n");
  for (int slot = 0; slot < arg->arity && listed; slot++) {
    op2i_text_add(e->out, "%s(%s)(", slot ? ", " : "", type);
    add_number(e, a, slot);
    op2i_text_add(e->out, ")");
  }
  if (listed) {
    op2i_text_add(e->out, "};\n");
    return;
  }
  op2i_text_add(e->out,
                "    for (int op2_slot = 0; op2_slot < %d; op2_slot++) op2_arg%d[op2_slot] = (%s)(",
                (int)arg->arity, a, type);
  add_number(e, a, -1);
  op2i_text_add(e->out, ");\n");
}

void op2i_emit_prepare(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (op2i_arg_private(arg)) prepare_copy(e, a);
  if (arg->kind == OP2I_ARG_ALL) prepare_pointers(e, a);
  if (op2i_arg_bounds(arg)) {
    op2i_text_add(e->out, "    %s op2_own%d[%d];\n", op2i_emit_type(e, a), a, (int)arg->dim);
    for_values(e, a, START, "    ");
  }
  if (op2i_arg_located(arg))
    op2i_text_add(e->out, "    %s op2_arg%d[1] = {op2_start%d};\n", op2i_emit_type(e, a), a, a);
  if (op2i_arg_informs(arg))
    op2i_text_add(e->out, "    %s op2_arg%d[%d] = {0};\n", op2i_emit_type(e, a), a, (int)arg->dim);
  if (arg->kind == OP2I_ARG_WORK)
    op2i_text_add(e->out, "    %s op2_arg%d[%d];\n", op2i_emit_type(e, a), a, (int)arg->dim);
  if (arg->kind == OP2I_ARG_IDX && op2i_emit_param(e, a)->depth > 0) prepare_numbers(e, a);
}

void op2i_emit_settle(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (op2i_arg_located(arg)) op2i_emit_winner_settle(e, a, "    ", "");
  if (op2i_arg_bounds(arg)) for_values(e, a, FIND, "    ");
  if (!op2i_arg_private(arg)) return;
  if (op2i_keeps_order(arg->access)) for_values(e, a, STORE, "    ");
  if (op2i_sums(arg->access)) for_values(e, a, ADD, "    ");
  if (op2i_bounds(arg->access)) for_values(e, a, BOUND, "    ");
}

/* ---- actual arguments of the call ------------------------------------------------------------ */

void op2i_emit_actual(const struct op2i_emitter *e, int a) {
  const struct op2i_loop_arg *arg = op2i_emit_arg(e, a);
  if (arg->kind == OP2I_ARG_ABSENT)
    op2i_text_add(e->out, "0");
  else if (arg->kind == OP2I_ARG_IDX && op2i_emit_param(e, a)->depth == 0)
    add_number(e, a, 0);
  else if (arg->kind == OP2I_ARG_GBL && !op2i_arg_reduces(arg))
    op2i_text_add(e->out, "op2_gbl%d", (int)arg->gbl);
  else if (summed(arg))
    add_strand(e, a);
  else if (op2i_arg_bounds(arg))
    op2i_text_add(e->out, "op2_own%d", a);
  else if (!op2i_arg_is_dat(arg) || arg->kind == OP2I_ARG_ALL)
    op2i_text_add(e->out, "op2_arg%d", a);
  else if (op2i_arg_private(arg)) {
    op2i_text_add(e->out, "op2_arg%d", a);
    add_shift(e, arg);
  } else
    add_row_address(e, a, 0);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments in code for devices. The kernel works on private copies throughout, so that its pointers are
 * of one kind; compilers keep them in registers. */
#include <stdio.h>
#include <string.h>

#include "devgen.h"

/* Values up to so many are written out one by one. */
enum { UNROLL_MAX = 32, NAME = 96, STATEMENT = 1024 };

static const struct op2i_loop_arg *arg_of(const struct op2i_devgen *g, int a) {
  return &g->e.loop->args[a];
}

static const char *type_of(const struct op2i_devgen *g, int a) { return op2i_emit_type(&g->e, a); }

/* Of values in memory: as the parameter of the dat is declared. */
static const char *dat_type(const struct op2i_devgen *g, int d) {
  return type_of(g, op2i_emit_first_of_dat(&g->e, d));
}

static bool shared(const struct op2i_devgen *g, int a) {
  return op2i_device_shared(g->e.loop, arg_of(g, a));
}

/* The kernel works in the element's own row. */
static bool in_row(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  return arg->kind == OP2I_ARG_DIRECT && !shared(g, a) && !op2i_accumulates(arg->access);
}

/* `statement` for each of n components: one by one where they are few, which keeps copies in registers
 * whatever a compiler does about loops. In it `%s` stands for the component, as often as it likes. */
static void each(const struct op2i_devgen *g, int64_t n, const char *indent,
                 const char *statement) {
  char number[24];
  bool listed = n <= UNROLL_MAX;
  struct op2i_text *out = g->e.out;
  if (!listed)
    op2i_text_add(out, "%sfor (int op2_component = 0; op2_component < %d; op2_component++) {\n",
                  indent, (int)n);
  for (int64_t j = 0; j < (listed ? n : 1); j++) {
    snprintf(number, sizeof number, listed ? "%d" : "op2_component", (int)j);
    op2i_text_add(out, "%s%s", indent, listed ? "" : "  ");
    for (const char *at = statement; *at; at++) {
      if (at[0] == '%' && at[1] == 's')
        op2i_text_add(out, "%s", number), at++;
      else
        op2i_text_bytes(out, at, 1);
    }
    op2i_text_add(out, "\n");
  }
  if (!listed) op2i_text_add(out, "%s}\n", indent);
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Rows are moved in pieces of 16 bytes where they consist of such: memory is aligned to 64. */
static int pieces(op2_type type, int dim, const char **name) {
  int width = type == OP2_F64 ? 2 : type == OP2_F32 || type == OP2_I32 ? 4 : 1;
  *name = type == OP2_F64 ? "double" : type == OP2_F32 ? "float" : "int";
  if (width == 4 && dim % 4 != 0) width = 2;
  return dim % width == 0 ? width : 1;
}

/* `ours`[0..n-1] from n values at `place`, which is an address, or the other way round. */
static void load_pieces(const struct op2i_devgen *g, op2_type type, int n, const char *place,
                        const char *ours, const char *indent) {
  static const char members[] = "xyzw";
  const char *name;
  int width = pieces(type, n, &name);
  for (int j = 0; j < n; j += width) {
    op2i_text_add(g->e.out, "%s{ const %s%d op2_v = op2_load%d(%s, %s + %d);", indent, name, width,
                  width, name, place, j);
    for (int k = 0; k < width; k++)
      op2i_text_add(g->e.out, " %s[%d] = op2_v.%c;", ours, j + k, members[k]);
    op2i_text_add(g->e.out, " }\n");
  }
}

static void store_pieces(const struct op2i_devgen *g, op2_type type, int n, const char *place,
                         const char *ours, const char *indent) {
  const char *name;
  int width = pieces(type, n, &name);
  for (int j = 0; j < n; j += width) {
    op2i_text_add(g->e.out, "%sop2_store%d(%s, %s + %d", indent, width, name, place, j);
    for (int k = 0; k < width; k++) op2i_text_add(g->e.out, ", %s[%d]", ours, j + k);
    op2i_text_add(g->e.out, ");\n");
  }
}

static bool in_pieces(op2_type type, int dim) {
  const char *name;
  return dim <= UNROLL_MAX && pieces(type, dim, &name) > 1;
}

/* A row of dat d, at row `at` of memory, to or from what is called `ours`. */
static void load_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                     const char *indent) {
  char text[STATEMENT];
  int a = op2i_emit_first_of_dat(&g->e, d), dim = (int)arg_of(g, a)->dim;
  snprintf(text, sizeof text, "op2_dat%d + %d * %s", d, dim, at);
  if (in_pieces(arg_of(g, a)->type, dim)) {
    load_pieces(g, arg_of(g, a)->type, dim, text, ours, indent);
    return;
  }
  snprintf(text, sizeof text, "%s[%%s] = op2_dat%d[%d * %s + %%s];", ours, d, dim, at);
  each(g, dim, indent, text);
}

static void store_row(const struct op2i_devgen *g, int d, const char *at, const char *ours,
                      const char *indent) {
  char text[STATEMENT];
  int a = op2i_emit_first_of_dat(&g->e, d), dim = (int)arg_of(g, a)->dim;
  snprintf(text, sizeof text, "op2_dat%d + %d * %s", d, dim, at);
  if (in_pieces(arg_of(g, a)->type, dim)) {
    store_pieces(g, arg_of(g, a)->type, dim, text, ours, indent);
    return;
  }
  snprintf(text, sizeof text, "op2_dat%d[%d * %s + %%s] = %s[%%s];", d, dim, at, ours);
  each(g, dim, indent, text);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* It is loaded unless the first kernel that has it overwrites it, and by no other name sees it. */
static bool row_used(const struct op2i_devgen *g, int d, bool *loaded, bool *modified) {
  int first = -1;
  *loaded = *modified = false;
  for (int a = 0; a < g->e.loop->nargs; a++) {
    const struct op2i_loop_arg *arg = arg_of(g, a);
    if (arg->dat != d || arg->kind != OP2I_ARG_DIRECT || shared(g, a)) continue;
    int member = op2i_loop_member_of(g->e.loop, a);
    if (first < 0) first = member;
    *loaded |= member == first && !op2i_overwrites(arg->access);
    *modified |= op2i_modifies(arg->access);
  }
  return first >= 0;
}

static int dim_of(const struct op2i_devgen *g, int d) {
  return (int)arg_of(g, op2i_emit_first_of_dat(&g->e, d))->dim;
}

static void columns(const struct op2i_devgen *g) {
  const struct op2i_loop *loop = g->e.loop;
  for (int m = 0; m < loop->nmaps; m++) {
    int arity = (int)loop->maps[m]->arity;
    bool whole = arity == 2 || arity == 4;
    if (whole)
      op2i_text_add(
          g->e.out,
          "    const int%d op2_slots%d = op2_load%d(int, op2_map%d + %d * op2_element);\n", arity,
          m, arity, m, arity);
    for (int slot = 0; slot < arity; slot++) {
      bool used = false;
      for (int a = 0; a < loop->nargs; a++) used |= op2i_arg_meets(arg_of(g, a), m, slot);
      if (used && whole)
        op2i_text_add(g->e.out, "    const int64_t op2_map%d_%d = op2_slots%d.%c;\n", m, slot, m,
                      "xyzw"[slot]);
      else if (used)
        op2i_text_add(g->e.out,
                      "    const int64_t op2_map%d_%d = op2_map%d[%d * op2_element + %d];\n", m,
                      slot, m, arity, slot);
    }
  }
}

void op2i_devgen_load(const struct op2i_devgen *g) {
  char row[NAME];
  bool loaded, modified;
  columns(g);
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    int dim = dim_of(g, d);
    if (!row_used(g, d, &loaded, &modified)) continue;
    if (op2i_devgen_staged(g, d)) continue;
    op2i_text_add(g->e.out, "    %s op2_row%d[%d];\n", dat_type(g, d), d, dim);
    snprintf(row, sizeof row, "op2_row%d", d);
    if (loaded) load_row(g, d, "op2_element", row, "    ");
  }
}

static bool stored(const struct op2i_devgen *g, int d) {
  const struct op2i_loop *loop = g->e.loop;
  bool loaded, modified, kept = !loop->dropped || !loop->dropped[d];
  return g->stores && row_used(g, d, &loaded, &modified) && modified && kept;
}

void op2i_devgen_store(const struct op2i_devgen *g) {
  char row[NAME];
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    if (!stored(g, d) || op2i_devgen_staged(g, d)) continue;
    snprintf(row, sizeof row, "op2_row%d", d);
    store_row(g, d, "op2_element", row, "    ");
  }
}

/* ---- rows by way of shared memory ------------------------------------------------------------ */

/* Where neighbours have wide rows, each work item's own loads would bring pieces of many lines at a time:
 * a group brings all of its rows together, line by line, and each takes its own from there. */
bool op2i_devgen_staged(const struct op2i_devgen *g, int d) {
  bool loaded, modified;
  const struct op2i_loop_arg *arg = arg_of(g, op2i_emit_first_of_dat(&g->e, d));
  int64_t bytes = (int64_t)arg->dim * (int64_t)op2i_type_size(arg->type);
  if (!g->dialect->stages || !g->stages || g->e.listed || bytes <= 16 || bytes > 128) return false;
  return row_used(g, d, &loaded, &modified);
}

void op2i_devgen_stage_in(const struct op2i_devgen *g) {
  char text[STATEMENT];
  bool loaded, modified;
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    int dim = dim_of(g, d);
    const char *type = dat_type(g, d);
    if (!op2i_devgen_staged(g, d)) continue;
    op2i_text_add(g->e.out, "    %s op2_row%d[%d];\n", type, d, dim);
    if (!row_used(g, d, &loaded, &modified) || !loaded) continue;
    op2i_text_add(g->e.out,
                  "    for (int op2_i = op2_item(); op2_i < %d * op2_live; op2_i += op2_items())\n"
                  "      ((OP2_LOCAL %s *)op2_shared)[op2_i] = op2_dat%d[%d * op2_base + op2_i];\n"
                  "    op2_wait();\n"
                  "    if (op2_item() < op2_live) {\n",
                  dim, type, d, dim);
    snprintf(text, sizeof text,
             "op2_row%d[%%s] = ((OP2_LOCAL %s *)op2_shared)[%d * op2_item() + %%s];", d, type, dim);
    each(g, dim, "      ", text);
    op2i_text_add(g->e.out, "    }\n    op2_wait();\n");
  }
}

void op2i_devgen_stage_out(const struct op2i_devgen *g) {
  char text[STATEMENT];
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    int dim = dim_of(g, d);
    const char *type = dat_type(g, d);
    if (!op2i_devgen_staged(g, d) || !stored(g, d)) continue;
    snprintf(text, sizeof text,
             "((OP2_LOCAL %s *)op2_shared)[%d * op2_item() + %%s] = op2_row%d[%%s];", type, dim, d);
    each(g, dim, "    ", text);
    op2i_text_add(g->e.out,
                  "    op2_wait();\n"
                  "    for (int op2_i = op2_item(); op2_i < %d * op2_live; op2_i += op2_items())\n"
                  "      op2_dat%d[%d * op2_base + op2_i] = ((OP2_LOCAL %s *)op2_shared)[op2_i];\n"
                  "    op2_wait();\n",
                  dim, d, dim, type);
  }
}

/* ---- copies ---------------------------------------------------------------------------------- */

static int slots_of(const struct op2i_loop_arg *arg, int *first) {
  *first = arg->kind == OP2I_ARG_SLOT ? arg->slot : 0;
  return arg->kind == OP2I_ARG_DIRECT ? 1 : arg->arity;
}

/* What is to become of component %s of a row in memory and of its copy. */
enum action { GATHER, ADD, STORE };

static void move_text(const struct op2i_loop_arg *arg, enum action action, const char *there,
                      const char *ours, char statement[STATEMENT]) {
  if (action == GATHER)
    snprintf(statement, STATEMENT, "%s = %s;", ours, there);
  else if (action == STORE)
    snprintf(statement, STATEMENT, "%s = %s;", there, ours);
  else if (arg->access == OP2_INC)
    snprintf(statement, STATEMENT, "%s += %s;", there, ours);
  else /* of equal values that one stays which is there, zeros that come are positive, NaN gives way */
    snprintf(statement, STATEMENT, "if (%s %c %s || %s != %s) %s = %s + 0;", ours,
             arg->access == OP2_MIN ? '<' : '>', there, there, there, there, ours);
}

/* It is for the targets of the pass that is written. */
static bool of_target(const struct op2i_devgen *g, int a) {
  return g->pass && shared(g, a) && g->e.loop->maps[arg_of(g, a)->map]->to == g->pass->target;
}

static void move_slot(const struct op2i_devgen *g, int a, enum action action, int k, int slot,
                      const char *indent) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char there[NAME], ours[NAME], statement[STATEMENT];
  if (arg->kind == OP2I_ARG_DIRECT && !shared(g, a))
    snprintf(there, sizeof there, "op2_row%d[%%s]", (int)arg->dat);
  else if (arg->kind == OP2I_ARG_DIRECT)
    snprintf(there, NAME, "op2_dat%d[%d * op2_element + %%s]", (int)arg->dat, (int)arg->dim);
  else
    snprintf(there, sizeof there, "op2_dat%d[%d * op2_map%d_%d + %%s]", (int)arg->dat,
             (int)arg->dim, (int)arg->map, slot);
  if (arg->kind != OP2I_ARG_DIRECT && action != ADD) {
    /* Others may be writing what they have, and nothing is kept of what is computed for them here. */
    snprintf(there, sizeof there, "op2_map%d_%d", (int)arg->map, slot);
    if (of_target(g, a)) strcpy(there, "op2_target");
    snprintf(ours, sizeof ours, "(op2_own%d + %d)", a, k * (int)arg->dim);
    if (action == GATHER)
      load_row(g, arg->dat, there, ours, indent);
    else
      store_row(g, arg->dat, there, ours, indent);
    return;
  }
  snprintf(ours, sizeof ours, "op2_own%d[%d + %%s]", a, k * (int)arg->dim);
  move_text(arg, action, there, ours, statement);
  each(g, arg->dim, indent, statement);
}

static void move(const struct op2i_devgen *g, int a, enum action action) {
  int first, n = slots_of(arg_of(g, a), &first);
  for (int k = 0; k < n; k++) move_slot(g, a, action, k, first + k, "    ");
}

static void copy(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char statement[NAME];
  int first, n = slots_of(arg, &first) * (int)arg->dim;
  op2i_text_add(g->e.out, "    %s op2_own%d[%d];\n", type_of(g, a), a, n);
  snprintf(statement, sizeof statement, "op2_own%d[%%s] = %s;", a,
           op2i_type_real(arg->type) ? "-0.0" : "0");
  if (arg->access == OP2_INC)
    each(g, n, "    ", statement);
  else if (!op2i_overwrites(arg->access))
    move(g, a, GATHER);
}

static void pointers(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  op2i_text_add(g->e.out, "    %s%s *op2_arg%d[%d] = {",
                op2i_emit_param(&g->e, a)->readonly ? "const " : "", type_of(g, a), a,
                (int)arg->arity);
  for (int k = 0; k < arg->arity; k++)
    op2i_text_add(g->e.out, "%sop2_own%d + %d", k ? ", " : "", a, k * (int)arg->dim);
  op2i_text_add(g->e.out, "};\n");
}

/* ---- what comes along with the launch -------------------------------------------------------- */

/* Of values that all elements share: copied where pointers are of one kind. */
static void given(const struct op2i_devgen *g, int a, int64_t at) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  const char *type = type_of(g, a);
  char statement[STATEMENT];
  if (g->dialect->generic && !op2i_arg_reduces(arg)) {
    op2i_text_add(g->e.out, "    const %s *op2_own%d = (const %s *)(op2_given + %lld);\n", type, a,
                  type, (long long)at);
    return;
  }
  op2i_text_add(g->e.out, "    %s op2_own%d[%d];\n", type, a, (int)arg->dim);
  snprintf(statement, sizeof statement,
           "op2_own%d[%%s] = ((OP2_GLOBAL const %s *)(op2_given + %lld))[%%s];", a, type,
           (long long)at);
  each(g, arg->dim, "    ", statement);
}

/* What an element has for a reduction: of a sum nothing yet, else what is there already. */
static void reduced(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char statement[NAME];
  if (arg->access != OP2_INC) {
    given(g, a, op2i_device_gbl_at(g->e.loop, arg->gbl));
    return;
  }
  op2i_text_add(g->e.out, "    %s op2_own%d[%d];\n", type_of(g, a), a, (int)arg->dim);
  snprintf(statement, sizeof statement, "op2_own%d[%%s] = %s;", a,
           op2i_type_real(arg->type) ? "-0.0" : "0");
  each(g, arg->dim, "    ", statement);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void number(const struct op2i_devgen *g, int a, int slot) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char row[NAME] = "op2_element", table[32] = "op2_number";
  if (arg->map >= 0) {
    snprintf(table, sizeof table, "op2_number%d", (int)arg->map);
    snprintf(row, sizeof row, "op2_map%d_%d", (int)arg->map,
             arg->slot >= 0 ? (int)arg->slot : slot);
  }
  op2i_text_add(g->e.out, "(%s ? %s[%s] : %s)", table, table, row, row);
}

static void numbers(const struct op2i_devgen *g, int a) {
  op2i_text_add(g->e.out, "    %s op2_arg%d[%d] = {", type_of(g, a), a, (int)arg_of(g, a)->arity);
  for (int k = 0; k < arg_of(g, a)->arity; k++) {
    op2i_text_add(g->e.out, "%s(%s)", k ? ", " : "", type_of(g, a));
    number(g, a, k);
  }
  op2i_text_add(g->e.out, "};\n");
}

/* ---- round the call -------------------------------------------------------------------------- */

void op2i_devgen_prepare(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  switch (arg->kind) {
  case OP2I_ARG_VAL: given(g, a, arg->offset); break;
  case OP2I_ARG_IDX:
    if (op2i_emit_param(&g->e, a)->depth > 0) numbers(g, a);
    break;
  case OP2I_ARG_GBL:
    if (op2i_arg_reduces(arg))
      reduced(g, a);
    else
      given(g, a, op2i_device_gbl_at(g->e.loop, arg->gbl));
    break;
  default:
    if (!in_row(g, a)) copy(g, a);
    if (arg->kind == OP2I_ARG_ALL) pointers(g, a);
  }
}

static void plain_actual(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  int depth = op2i_emit_param(&g->e, a)->depth;
  if (arg->kind == OP2I_ARG_IDX && depth == 0)
    op2i_text_add(g->e.out, "(%s)", type_of(g, a)), number(g, a, 0);
  else if (arg->kind == OP2I_ARG_IDX || arg->kind == OP2I_ARG_ALL)
    op2i_text_add(g->e.out, "op2_arg%d", a);
  else if (arg->kind == OP2I_ARG_VAL && depth == 0)
    op2i_text_add(g->e.out, "op2_own%d[0]", a);
  else
    op2i_text_add(g->e.out, in_row(g, a) ? "op2_row%d" : "op2_own%d",
                  in_row(g, a) ? (int)arg->dat : a);
}

/* Of another spelling than the row's, or of one that only the compiler knows. */
static bool needs_cast(const struct op2i_devgen *g, int a) {
  const struct op2i_param *param = op2i_emit_param(&g->e, a);
  if (param->depth == 0) return false;
  bool other = in_row(g, a) && strcmp(type_of(g, a), dat_type(g, arg_of(g, a)->dat)) != 0;
  bool lent = g->dialect->generic && !param->readonly &&
              (arg_of(g, a)->kind == OP2I_ARG_VAL || arg_of(g, a)->kind == OP2I_ARG_GBL);
  return other || lent || op2i_emit_needs_cast(param);
}

void op2i_devgen_actual(const struct op2i_devgen *g, int a) {
  bool cast = needs_cast(g, a);
  op2i_text_add(g->e.out, cast ? "OP2_AS(" : "");
  plain_actual(g, a);
  op2i_text_add(g->e.out, cast ? ")" : "");
}

/* To the sums of the target that this pass is about, if the element reaches it here. */
static void to_target(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  char there[NAME], ours[NAME], statement[STATEMENT];
  int first, n = slots_of(arg, &first);
  for (int k = 0; k < n; k++) {
    int column = op2i_device_column(g->pass, arg->map, first + k);
    if (column < 0) continue;
    snprintf(there, sizeof there, "op2_sum%d[%%s]", (int)arg->dat);
    snprintf(ours, sizeof ours, "op2_own%d[%d + %%s]", a, k * (int)arg->dim);
    move_text(arg, ADD, there, ours, statement);
    op2i_text_add(g->e.out, "    if (op2_column == %d) {\n", column);
    each(g, arg->dim, "      ", statement);
    op2i_text_add(g->e.out, "    }\n");
  }
}

void op2i_devgen_settle(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  if (arg->dat < 0 || !op2i_modifies(arg->access)) return;
  if (shared(g, a)) {
    if (of_target(g, a)) to_target(g, a);
    return;
  }
  if (op2i_accumulates(arg->access))
    move(g, a, ADD);
  else if (!in_row(g, a) && g->stores)
    move(g, a, STORE);
}

void op2i_devgen_add(const struct op2i_devgen *g, int a) {
  const struct op2i_loop_arg *arg = arg_of(g, a);
  if (!shared(g, a) || !op2i_modifies(arg->access)) return;
  move(g, a, op2i_accumulates(arg->access) ? ADD : STORE);
}

/* ---- a pass's target ------------------------------------------------------------------------- */

static bool taken(const struct op2i_devgen *g, int d) {
  return of_target(g, op2i_emit_first_of_dat(&g->e, d));
}

void op2i_devgen_target_load(const struct op2i_devgen *g) {
  char sum[NAME];
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    if (!taken(g, d)) continue;
    op2i_text_add(g->e.out, "  %s op2_sum%d[%d];\n", dat_type(g, d), d, dim_of(g, d));
    snprintf(sum, sizeof sum, "op2_sum%d", d);
    load_row(g, d, "op2_target", sum, "  ");
  }
}

void op2i_devgen_target_store(const struct op2i_devgen *g) {
  char sum[NAME];
  for (int d = 0; d < g->e.loop->op.ndats; d++) {
    if (!taken(g, d)) continue;
    snprintf(sum, sizeof sum, "op2_sum%d", d);
    store_row(g, d, "op2_target", sum, "  ");
  }
}

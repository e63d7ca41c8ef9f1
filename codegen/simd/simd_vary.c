/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the expressions that differ between lanes. The analysis is repeated until nothing changes,
 * since a variable may turn out to vary after it was read. */
#include <string.h>

#include "simd_base.h"
#include "simd_math.h"
#include "simd_parse.h"
#include "simd_record.h"
#include "simd_tree.h"
#include "simd_unroll.h"
#include "simd_vary.h"

static bool is(const struct op2i_simd_node *e, const char *op) { return strcmp(e->op, op) == 0; }

/* True if an effect here may have to be limited to some lanes. */
static bool partial(const struct op2i_simd_vary *v) {
  return v->region || v->conditional || v->form->masked || v->form->early;
}

static void raise_var(struct op2i_simd_vary *v, struct op2i_simd_var *var, int line) {
  if (var->varying) return;
  if (var->fixed) {
    op2i_simd_refuse(v->l, "uses %s in line %d where values differ between elements", var->name,
                     line);
    return;
  }
  var->varying = v->changed = true;
  var->raised = line;
}

static void unify(struct op2i_simd_vary *v, struct op2i_simd_var *a, struct op2i_simd_var *b,
                  int line) {
  if (!a || !b) return;
  if (a->nullable != b->nullable) a->nullable = b->nullable = v->changed = true;
  if (a->varying != b->varying) raise_var(v, a->varying ? b : a, line);
}

/* The variable whose memory an lvalue or pointer leads to. */
static struct op2i_simd_var *base_variable(struct op2i_simd *l, const struct op2i_simd_node *e) {
  for (;;) {
    switch (e->kind) {
    case OP2I_SIMD_NAME: return e->var;
    case OP2I_SIMD_INDEX:
    case OP2I_SIMD_MEMBER:
    case OP2I_SIMD_UNARY:
    case OP2I_SIMD_POSTFIX:
    case OP2I_SIMD_ASSIGN: e = e->a; break;
    case OP2I_SIMD_CHOICE: e = e->b; break;
    case OP2I_SIMD_BINARY: e = is(e, ",") || !e->a->type.nlevels ? e->b : e->a; break;
    default:
      op2i_simd_refuse(l, "has a pointer in line %d that cannot be followed", e->line);
      return NULL;
    }
  }
}

/* True if an expression leads to the memory of a pointer that may be null. Then no lane may come
 * there unless one needs it, since all lanes have the same pointer. */
static bool may_be_null(struct op2i_simd *l, const struct op2i_simd_node *e) {
  const struct op2i_simd_node *whole = e;
  while (whole->kind == OP2I_SIMD_MEMBER) whole = whole->a;
  if (whole->kind == OP2I_SIMD_CALL || whole->kind == OP2I_SIMD_COMPOUND) return false;
  const struct op2i_simd_var *var = op2i_simd_stopped(l) ? NULL : base_variable(l, e);
  return var && var->nullable;
}

/* True if an lvalue is reached through a pointer, and is not in a variable of this function. */
static bool through_pointer(const struct op2i_simd_node *e) {
  while (e->kind != OP2I_SIMD_NAME) {
    if (e->a->type.nlevels && e->a->type.levels[0] == 0) return true;
    e = e->a;
  }
  return false;
}

/* ---- subscripts ------------------------------------------------------------------------------ */

/* True if a subscript may be out of range in lanes that do not need it. */
static bool may_be_out_of_range(const struct op2i_simd_node *subscript, int64_t extent) {
  int64_t lo, hi;
  if (!op2i_simd_range(subscript, NULL, &lo, &hi)) return true;
  return extent > 0 && (lo < 0 || hi >= extent);
}

/* ---- operators ------------------------------------------------------------------------------- */

static void take_operand(struct op2i_simd_vary *v, struct op2i_simd_node *e,
                         struct op2i_simd_node *operand) {
  op2i_simd_vary_expr(v, operand);
  if (operand->strays && !(e->kind == OP2I_SIMD_INDEX && operand == e->a))
    op2i_simd_refuse(v->l, "has a pointer in line %d that differs between elements", e->line);
  e->varying = e->varying || operand->varying;
  e->impure = e->impure || operand->impure;
  e->hazard = e->hazard || operand->hazard;
}

/* An operand that lanes need only where `on` says so. */
static void take_conditional(struct op2i_simd_vary *v, struct op2i_simd_node *e,
                             const struct op2i_simd_node *on, struct op2i_simd_node *operand) {
  v->conditional += on->varying;
  take_operand(v, e, operand);
  v->conditional -= on->varying;
  if (on->varying && operand->impure)
    op2i_simd_refuse(v->l, "assigns in an operand of '%s' in line %d that some elements skip",
                     e->kind == OP2I_SIMD_CHOICE ? "?:" : e->op, e->line);
}

/* A pointer is the same in all lanes, so it is null in all of them or in none. */
static void compare_pointers(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  bool pointers = e->a->type.nlevels && e->b->type.nlevels;
  if (e->type.nlevels || is(e, ",") || !(e->a->type.nlevels || e->b->type.nlevels)) return;
  e->varying = false;
  if (pointers && !op2i_simd_stopped(v->l))
    unify(v, base_variable(v->l, e->a), base_variable(v->l, e->b), e->line);
}

static void vary_binary(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  take_operand(v, e, e->a);
  if (is(e, "&&") || is(e, "||"))
    take_conditional(v, e, e->a, e->b);
  else
    take_operand(v, e, e->b);
  if (is(e, ",")) e->varying = e->b->varying;
  compare_pointers(v, e);
  if ((is(e, "/") || is(e, "%")) && !op2i_simd_float(e->type.base) &&
      !(e->b->known && e->b->value > 0))
    e->hazard = true;
  if (!e->type.nlevels || is(e, ",") || op2i_simd_stopped(v->l)) return;
  const struct op2i_simd_node *pointer = e->a->type.nlevels ? e->a : e->b;
  const struct op2i_simd_node *offset = e->a->type.nlevels ? e->b : e->a;
  e->varying = pointer->varying;
  e->hazard = e->hazard || may_be_out_of_range(offset, 0);
  if (offset->varying)
    op2i_simd_refuse(v->l, "has a pointer in line %d that differs between elements", e->line);
}

static void vary_choice(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  take_operand(v, e, e->a);
  take_conditional(v, e, e->a, e->b);
  take_conditional(v, e, e->a, e->c);
  if (!e->type.nlevels || op2i_simd_stopped(v->l)) return;
  if (e->a->varying)
    op2i_simd_refuse(v->l, "has a pointer in line %d that differs between elements", e->line);
  unify(v, base_variable(v->l, e->b), base_variable(v->l, e->c), e->line);
}

/* A pointer is assigned another value. */
static void move_pointer(struct op2i_simd_vary *v, struct op2i_simd_node *e,
                         struct op2i_simd_node *value) {
  struct op2i_simd_var *to = base_variable(v->l, e->a);
  e->impure = true;
  if (to && (to->region != v->region || through_pointer(e->a)))
    op2i_simd_refuse(v->l, "has a pointer in line %d that differs between elements", e->line);
  if (value && value->type.nlevels)
    unify(v, to, base_variable(v->l, value), e->line);
  else if (value && value->varying)
    op2i_simd_refuse(v->l, "has a pointer in line %d that differs between elements", e->line);
  e->varying = to && to->varying;
}

static void store(struct op2i_simd_vary *v, struct op2i_simd_node *e,
                  const struct op2i_simd_node *value) {
  struct op2i_simd_var *to = base_variable(v->l, e->a);
  bool far = through_pointer(e->a);
  e->impure = true;
  if (!to) return;
  e->masked = far ? partial(v) : to->region != v->region;
  if (far) v->form->stores = true;
  if (e->masked) to->masked = true;
  if (e->masked || e->a->varying || (value && value->varying)) raise_var(v, to, e->line);
  e->varying = to->varying;
}

static void vary_assign(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  take_operand(v, e, e->a);
  take_operand(v, e, e->b);
  if ((is(e, "/=") || is(e, "%=")) && e->type.base <= OP2I_C_U64 &&
      !op2i_simd_float(e->b->type.base) && !(e->b->known && e->b->value > 0))
    e->hazard = true;
  if (op2i_simd_stopped(v->l)) return;
  if (e->type.nlevels)
    move_pointer(v, e, e->b);
  else
    store(v, e, e->b);
}

static void vary_unary(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  take_operand(v, e, e->a);
  if (op2i_simd_stopped(v->l)) return;
  if (is(e, "*") && may_be_null(v->l, e->a)) e->hazard = true;
  if (is(e, "&")) {
    struct op2i_simd_var *var = base_variable(v->l, e->a);
    if (var) var->masked = true;
    e->varying = var && var->varying;
  } else if (is(e, "++") || is(e, "--")) {
    if (e->type.nlevels)
      move_pointer(v, e, NULL);
    else
      store(v, e, NULL);
  }
}

static void vary_index(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  take_operand(v, e, e->a);
  take_operand(v, e, e->b);
  if (op2i_simd_stopped(v->l)) return;
  if (may_be_out_of_range(e->b, e->a->type.levels[0]) || may_be_null(v->l, e->a)) e->hazard = true;
  const bool strays = e->b->varying || e->a->strays;
  e->strays = e->type.nlevels && strays;
  if (strays && op2i_simd_record(&e->type))
    op2i_simd_refuse(v->l, "takes a structure in line %d by a number that differs between elements",
                     e->line);
}

static void vary_list(struct op2i_simd_vary *v, struct op2i_simd_node *e,
                      struct op2i_simd_node *list) {
  for (struct op2i_simd_node *a = list->a; a && !op2i_simd_stopped(v->l); a = a->next) {
    if (a->kind == OP2I_SIMD_LIST)
      vary_list(v, e, a);
    else
      take_operand(v, e, a);
  }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void check_argument(struct op2i_simd *l, const struct op2i_simd_node *call,
                           const struct op2i_simd_node *argument,
                           const struct op2i_simd_var *param) {
  const struct op2i_c_type *a = &argument->type, *b = &param->type;
  bool same = a->nlevels == b->nlevels && a->base != OP2I_C_VOID && a->record == b->record;
  for (int k = 1; same && k < a->nlevels; k++) same = a->levels[k] == b->levels[k];
  if (!same || (a->nlevels && a->base != b->base))
    op2i_simd_refuse(l, "hands %s something else than it takes in line %d", call->text, call->line);
}

/* Apply the function's effects on its parameters to the arguments. Returns true if another form of
 * it is needed. */
static bool match_arguments(struct op2i_simd_vary *v, struct op2i_simd_node *e,
                            const struct op2i_simd_form *callee, bool *asked) {
  bool more = false;
  int n = 0;
  for (struct op2i_simd_node *a = e->a; a && n < callee->nparams; a = a->next, n++) {
    const struct op2i_simd_var *param = callee->params[n];
    check_argument(v->l, e, a, param);
    if (op2i_simd_stopped(v->l)) return false;
    struct op2i_simd_var *to = a->type.nlevels ? base_variable(v->l, a) : NULL;
    if (to && param->varying) raise_var(v, to, e->line);
    if (to && callee->stores && partial(v)) to->masked = true;
    more = more || (param->varying && !asked[n]);
    asked[n] = asked[n] || param->varying;
  }
  return more;
}

static void vary_call(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  bool asked[OP2I_SIMD_PARAMS] = {0}, masked = false;
  int n = 0;
  for (struct op2i_simd_node *a = e->a; a; a = a->next) {
    take_operand(v, e, a);
    if (n < OP2I_SIMD_PARAMS) asked[n++] = a->varying;
    if (a->type.nlevels && may_be_null(v->l, a)) e->hazard = true;
  }
  if (e->math) {
    e->hazard = e->hazard || e->math->how == OP2I_SIMD_EACH;
    return;
  }
  if (op2i_simd_stopped(v->l)) return;
  for (bool more = true; more && !op2i_simd_stopped(v->l);) {
    e->callee = op2i_simd_form(v->l, e->item, asked, n, masked);
    if (op2i_simd_stopped(v->l)) return;
    if (e->callee->nparams != n)
      op2i_simd_refuse(v->l, "calls %s with %d arguments in line %d", e->text, n, e->line);
    more = match_arguments(v, e, e->callee, asked);
    bool needs_mask = partial(v) && (e->callee->stores || e->callee->hazard);
    more = more || needs_mask != masked;
    masked = masked || needs_mask;
  }
  e->masked = masked;
  e->varying = e->callee->returns_varying;
  e->impure = e->impure || e->callee->stores;
  e->hazard = e->hazard || e->callee->hazard;
  if (e->callee->stores) v->form->stores = true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void vary(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  e->varying = e->impure = e->hazard = false;
  switch (e->kind) {
  case OP2I_SIMD_NAME: e->varying = e->var->varying; break;
  case OP2I_SIMD_UNARY:
  case OP2I_SIMD_POSTFIX: vary_unary(v, e); break;
  case OP2I_SIMD_BINARY: vary_binary(v, e); break;
  case OP2I_SIMD_ASSIGN: vary_assign(v, e); break;
  case OP2I_SIMD_CHOICE: vary_choice(v, e); break;
  case OP2I_SIMD_INDEX: vary_index(v, e); break;
  case OP2I_SIMD_MEMBER:
  case OP2I_SIMD_CAST: take_operand(v, e, e->a); break;
  case OP2I_SIMD_COMPOUND: vary_list(v, e, e->a); break;
  case OP2I_SIMD_COMPLEX:
    if (e->a) take_operand(v, e, e->a);
    if (e->b) take_operand(v, e, e->b);
    e->hazard = e->hazard || !op2i_simd_record(&e->type);
    break;
  case OP2I_SIMD_CALL: vary_call(v, e); break;
  default: break;
  }
  if (e->hazard) v->form->hazard = true;
}

void op2i_simd_vary_expr(struct op2i_simd_vary *v, struct op2i_simd_node *e) {
  if (op2i_simd_enter(v->l, e->line)) vary(v, e);
  op2i_simd_leave(v->l);
}

void op2i_simd_vary_init(struct op2i_simd_vary *v, struct op2i_simd_var *var,
                         struct op2i_simd_node *init) {
  if (init->kind == OP2I_SIMD_LIST) {
    init->hazard = false;
    for (struct op2i_simd_node *a = init->a; a && !op2i_simd_stopped(v->l); a = a->next) {
      op2i_simd_vary_init(v, var, a);
      init->hazard = init->hazard || a->hazard;
    }
    return;
  }
  op2i_simd_vary_expr(v, init);
  if (init->strays)
    op2i_simd_refuse(v->l, "has a pointer in line %d that differs between elements", init->line);
  if (op2i_simd_stopped(v->l)) return;
  if (init->type.nlevels)
    unify(v, var, base_variable(v->l, init), init->line);
  else if (init->varying)
    raise_var(v, var, init->line);
}

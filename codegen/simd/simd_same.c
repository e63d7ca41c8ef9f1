/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves that a kernel writes the same values to a dat whatever the element is.
 *
 * The analysis of values that differ between lanes says which values depend on the element. What is
 * left to show is that each component of each slot is written exactly once, by a statement that
 * every call reaches, and that all slots get equal values. The kernel may do nothing else with the
 * pointers. Statements that every call reaches are those of the kernel's own block and of loops whose
 * trip count is a constant. */
#include "simd_same.h"

#include <string.h>

#include "error.h"
#include "simd_base.h"
#include "simd_parse.h"
#include "simd_stmt.h"
#include "simd_tree.h"
#include "simd_vary.h"

enum { COMPONENTS_MAX = 16, SLOTS_MAX = 64 };

/* A loop with a constant trip count around the present statement. */
struct counted {
  const struct op2i_simd_var *counter;
  const struct counted *outer;
};

struct proof {
  const struct op2i_simd_same *same;
  const struct op2i_simd_node *values[COMPONENTS_MAX]; /* what is written; null: nothing yet */
  uint64_t written[OP2I_SIMD_PARAMS][COMPONENTS_MAX]; /* bits of the slots that have been written */
  bool holds;
};

/* The places that one statement writes. */
struct place {
  int param;
  const struct op2i_simd_node *slot, *component; /* null: 0 */
};

/* ---- what an expression or statement contains ------------------------------------------------ */

typedef bool question(const struct op2i_simd_node *e, const void *about);

/* True if the answer is yes for the node or for one below it. */
static bool any(const struct op2i_simd_node *e, question *ask, const void *about) {
  if (!e) return false;
  const struct op2i_simd_node *const parts[] = {e->a, e->b, e->c, e->d};
  bool found = ask(e, about);
  for (int i = 0; i < 4 && !found; i++)
    for (const struct op2i_simd_node *part = parts[i]; part && !found; part = part->next)
      found = any(part, ask, about);
  return found;
}

static bool is_target(const struct op2i_simd_node *e, const void *about) {
  const struct proof *p = about;
  return e->kind == OP2I_SIMD_NAME && e->var->param >= 0 && p->same->slots[e->var->param] > 0;
}

static bool is_return(const struct op2i_simd_node *e, const void *about) {
  (void)about;
  return e->kind == OP2I_SIMD_RETURN;
}

static bool is_jump(const struct op2i_simd_node *e, const void *about) {
  return e->kind == OP2I_SIMD_BREAK || e->kind == OP2I_SIMD_CONTINUE || is_return(e, about);
}

/* True for names whose values may change while the kernel runs, and that are not the counter. */
static bool is_unstable(const struct op2i_simd_node *e, const void *counter) {
  if (e->kind != OP2I_SIMD_NAME || e->var == counter) return e->kind == OP2I_SIMD_CALL && !e->math;
  return !e->var->fixed && (e->var->param < 0 || e->var->assigned);
}

static bool touches_target(const struct proof *p, const struct op2i_simd_node *e) {
  return any(e, is_target, p);
}

/* ---- equal values ---------------------------------------------------------------------------- */

static bool equal_words(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool equal(const struct op2i_simd_node *a, const struct op2i_simd_node *b) {
  if (!a || !b) return a == b;
  if (a->kind != b->kind || !equal_words(a->op, b->op) || !equal_words(a->text, b->text) ||
      a->var != b->var || a->member != b->member || a->math != b->math ||
      a->type.base != b->type.base || a->type.nlevels != b->type.nlevels)
    return false;
  if (a->known != b->known || (a->known && a->value != b->value)) return false;
  const struct op2i_simd_node *x = a->a, *y = b->a;
  for (; x && y; x = x->next, y = y->next)
    if (!equal(x, y)) return false;
  return !x && !y && equal(a->b, b->b) && equal(a->c, b->c);
}

/* ---- one statement --------------------------------------------------------------------------- */

/* Take one subscript or star off an lvalue. */
static const struct op2i_simd_node *step_down(const struct op2i_simd_node *e,
                                              const struct op2i_simd_node **subscript) {
  *subscript = e->kind == OP2I_SIMD_INDEX ? e->b : NULL;
  bool star = e->kind == OP2I_SIMD_UNARY && strcmp(e->op, "*") == 0;
  return star || *subscript ? e->a : NULL;
}

/* True for p[component], and for p[slot][component] where a parameter points to pointers. */
static bool find_place(const struct proof *p, const struct op2i_simd_node *lvalue,
                       struct place *place) {
  *place = (struct place){0};
  const struct op2i_simd_node *e = step_down(lvalue, &place->component);
  if (e && e->kind != OP2I_SIMD_NAME) e = step_down(e, &place->slot);
  if (!e || !is_target(e, p)) return false;
  place->param = e->var->param;
  int levels = 1 + p->same->pointers[place->param];
  return e->type.nlevels == levels && !lvalue->type.nlevels;
}

/* The values that a subscript takes: one, or all of a counter around the statement. */
static bool subscripts(const struct op2i_simd_node *e, const struct counted *around, int64_t *lo,
                       int64_t *hi) {
  *lo = e ? e->value : 0;
  *hi = *lo + 1;
  if (!e || e->known) return true;
  if (e->kind != OP2I_SIMD_NAME) return false;
  while (around && around->counter != e->var) around = around->outer;
  if (!around) return false;
  *lo = e->var->lo;
  *hi = e->var->hi;
  return true;
}

/* Note that a component of a slot is written. False if it is for the second time, with another
 * value than other slots get, or if it is not there. */
static bool note(struct proof *p, int param, int64_t slot, int64_t component,
                 const struct op2i_simd_node *value) {
  const struct op2i_simd_same *same = p->same;
  if (!same->pointers[param] && component >= 0) {
    slot = component / same->dim;
    component %= same->dim;
  }
  if (slot < 0 || slot >= same->slots[param] || component < 0 || component >= same->dim)
    return false;
  uint64_t *written = &p->written[param][component], bit = (uint64_t)1 << slot;
  const struct op2i_simd_node **before = &p->values[component];
  bool first = !*before, again = *written & bit;
  if (first) *before = value;
  *written |= bit;
  if (again) return false;
  return first || *before == value || (!any(value, is_unstable, NULL) && equal(*before, value));
}

/* A value in a loop may depend on the component that it is written to, and on no other counter. */
static bool value_fits(const struct proof *p, const struct op2i_simd_node *value,
                       const struct place *place, const struct counted *around) {
  if (value->varying || value->impure || touches_target(p, value)) return false;
  if (!around) return true;
  const struct op2i_simd_node *component = place->component;
  bool counts = component && component->kind == OP2I_SIMD_NAME && p->same->pointers[place->param];
  bool alone = component && component->kind == OP2I_SIMD_NAME && p->same->slots[place->param] == 1;
  return !any(value, is_unstable, counts || alone ? component->var : NULL);
}

static bool note_store(struct proof *p, const struct op2i_simd_node *e,
                       const struct op2i_simd_node *value, const struct place *place,
                       const struct counted *around) {
  int64_t slot_lo = 0, slot_hi = 0, lo = 0, hi = 0;
  bool good = strcmp(e->op, "=") == 0 && !e->masked && value_fits(p, value, place, around) &&
              subscripts(place->slot, around, &slot_lo, &slot_hi) &&
              subscripts(place->component, around, &lo, &hi);
  if (place->slot && place->component && !place->slot->known)
    good = good && place->slot->var != place->component->var;
  for (int64_t slot = slot_lo; slot < slot_hi && good; slot++)
    for (int64_t c = lo; c < hi && good; c++) good = note(p, place->param, slot, c, value);
  return good;
}

/* An assignment may be the value of another one, as in *a = *b = 1. */
static bool walk_expression(struct proof *p, const struct op2i_simd_node *e,
                            const struct counted *around) {
  struct place place, inner;
  if (!e || e->kind != OP2I_SIMD_ASSIGN || !find_place(p, e->a, &place))
    return !touches_target(p, e);
  const struct op2i_simd_node *value = e->b;
  bool chain = value->kind == OP2I_SIMD_ASSIGN && find_place(p, value->a, &inner);
  if (chain && !walk_expression(p, value, around)) return false;
  while (chain && value->kind == OP2I_SIMD_ASSIGN) value = value->b;
  return note_store(p, e, value, &place, around);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool one_by_one(const struct op2i_simd_node *step) {
  bool one = step->kind == OP2I_SIMD_UNARY || step->kind == OP2I_SIMD_POSTFIX;
  return one || (step->kind == OP2I_SIMD_ASSIGN && step->b->known && step->b->value == 1);
}

/* The counter of a loop that takes all values of its range; null: the loop is another one. */
static const struct op2i_simd_var *counter_of(const struct op2i_simd_node *s) {
  if (s->kind != OP2I_SIMD_FOR || !s->a || s->a->kind != OP2I_SIMD_DECL || s->a->next) return NULL;
  const struct op2i_simd_var *var = s->a->var;
  bool all = var->counts && var->lo < var->hi && one_by_one(s->c) && !s->parts && !s->skips;
  return all && !any(s->d, is_jump, NULL) ? var : NULL;
}

/* Statements that are reached by every call. */
static bool walk(struct proof *p, const struct op2i_simd_node *s, const struct counted *around) {
  const struct counted loop = {counter_of(s), around};
  bool good = true;
  if (s->kind == OP2I_SIMD_EXPR) return walk_expression(p, s->a, around);
  if (s->kind == OP2I_SIMD_FOR && loop.counter) return walk(p, s->d, &loop);
  if (s->kind != OP2I_SIMD_BLOCK) return !touches_target(p, s);
  for (const struct op2i_simd_node *part = s->a; part && good; part = part->next)
    good = walk(p, part, around);
  return good;
}

static bool all_written(const struct proof *p, int nparams) {
  const struct op2i_simd_same *same = p->same;
  bool all = true;
  for (int n = 0; n < nparams; n++) {
    uint64_t slots = same->slots[n] == SLOTS_MAX ? UINT64_MAX : ((uint64_t)1 << same->slots[n]) - 1;
    for (int c = 0; c < same->dim && same->slots[n]; c++) all = all && p->written[n][c] == slots;
  }
  return all;
}

static bool within_limits(const struct op2i_simd_same *same, int nparams) {
  bool good = same->dim <= COMPONENTS_MAX && nparams <= OP2I_SIMD_PARAMS;
  for (int n = 0; n < nparams; n++) good = good && same->slots[n] <= SLOTS_MAX;
  return good;
}

static bool prove(const struct op2i_simd_same *same, const struct op2i_simd_form *form) {
  struct proof p = {.same = same};
  return !form->early && !any(form->body, is_return, NULL) && walk(&p, form->body, NULL) &&
         all_written(&p, form->nparams);
}

op2_status op2i_simd_same_values(const struct op2i_simd_request *request,
                                 const struct op2i_simd_same *same, bool *holds) {
  struct op2i_text why = {0};
  struct op2i_simd l = {
      .request = request, .unit = &request->rewrite->unit, .lanes = request->lanes, .why = &why};
  *holds = false;
  const struct op2i_simd_form *form = NULL;
  if (within_limits(same, request->rewrite->member.kernel->signature.nparams))
    form = op2i_simd_analyse(&l);
  *holds = form && !op2i_simd_stopped(&l) && prove(same, form);
  bool failed = l.failed;
  op2i_simd_release(&l);
  op2i_text_free(&why);
  return failed ? op2i_error_nomem("generated code") : OP2_SUCCESS;
}

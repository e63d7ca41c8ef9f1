/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers that differ between lanes because a condition chose them, as in
 *
 *   const double *q = flux > 0 ? left : right;
 *
 * All lanes have the same pointers, so such a variable becomes the condition itself, and each value
 * that is read through it a choice of two values: q[2] becomes q ? left[2] : right[2]. */
#include <string.h>

#include "simd_base.h"
#include "simd_parse.h"
#include "simd_tree.h"
#include "simd_vary.h"

/* A variable, the choice that it is, and whether everything done with it can be followed. */
struct chosen {
  struct op2i_simd *l;
  const struct op2i_simd_var *var;
  const struct op2i_simd_node *choice;
  struct op2i_simd_var *condition;
  bool replace, followed;
};

/* True if an expression gives the same wherever it stands: names that nothing is assigned to,
 * constants, and what they lead to. */
static bool stable(const struct op2i_simd_node *e) {
  switch (e->kind) {
  case OP2I_SIMD_LITERAL: return true;
  case OP2I_SIMD_NAME: return e->type.nlevels && !e->var->assigned;
  case OP2I_SIMD_INDEX: return e->type.nlevels && stable(e->a) && e->b->known;
  case OP2I_SIMD_BINARY: return !strcmp(e->op, "+") && stable(e->a) && stable(e->b);
  default: return false;
  }
}

static bool names(const struct chosen *c, const struct op2i_simd_node *e) {
  return e && e->kind == OP2I_SIMD_NAME && e->var == c->var;
}

/* True if a declaration hides a name of the choice: it would mean something else where a value is
 * read. */
static bool hides(const struct op2i_simd_node *decl, const struct op2i_simd_node *e) {
  if (!e || decl->kind != OP2I_SIMD_DECL) return false;
  if (e->kind == OP2I_SIMD_NAME && e->var != decl->var && !strcmp(e->var->name, decl->var->name))
    return true;
  return hides(decl, e->a) || hides(decl, e->b);
}

/* True for q[2] and *q where q is the variable and what is read a number. */
static bool reads(const struct chosen *c, const struct op2i_simd_node *e) {
  bool through = e->kind == OP2I_SIMD_INDEX || (e->kind == OP2I_SIMD_UNARY && !strcmp(e->op, "*"));
  return through && !e->type.nlevels && names(c, e->a);
}

/* True if the operand of an expression is a place, not a value. */
static bool places(const struct op2i_simd_node *e) {
  return e->kind == OP2I_SIMD_ASSIGN || e->kind == OP2I_SIMD_POSTFIX ||
         (e->kind == OP2I_SIMD_UNARY &&
          (!strcmp(e->op, "&") || !strcmp(e->op, "++") || !strcmp(e->op, "--")));
}

static bool pure(const struct op2i_simd_node *e) {
  for (; e; e = e->next)
    if (places(e) || e->kind == OP2I_SIMD_CALL || !pure(e->a) || !pure(e->b) || !pure(e->c))
      return false;
  return true;
}

static struct op2i_simd_node *side(struct op2i_simd *l, const struct op2i_simd_node *read,
                                   struct op2i_simd_node *pointer) {
  struct op2i_simd_node *e = op2i_simd_node(l, read->kind, read->line);
  struct op2i_simd_node *next = e->next;
  *e = *read;
  e->next = next;
  e->a = pointer;
  return e;
}

static void make_choice(struct chosen *c, struct op2i_simd_node *e) {
  struct op2i_simd_node *yes = side(c->l, e, c->choice->b), *no = side(c->l, e, c->choice->c);
  struct op2i_simd_node *condition = op2i_simd_node(c->l, OP2I_SIMD_NAME, e->line);
  condition->var = c->condition;
  condition->type = c->condition->type;
  e->kind = OP2I_SIMD_CHOICE;
  e->op = "";
  e->a = condition;
  e->b = yes;
  e->c = no;
}

static void follow(struct chosen *c, struct op2i_simd_node *e) {
  for (; e && c->followed && !op2i_simd_stopped(c->l); e = e->next) {
    if (op2i_simd_enter(c->l, e->line)) {
      bool read = reads(c, e);
      if (hides(e, c->choice->b) || hides(e, c->choice->c)) c->followed = false;
      if (names(c, e) || (places(e) && reads(c, e->a)) || (read && !pure(e->b)))
        c->followed = false;
      if (read && e->b) follow(c, e->b);
      if (read && c->replace && c->followed) {
        make_choice(c, e);
      } else if (!read) {
        follow(c, e->a);
        follow(c, e->b);
        follow(c, e->c);
        follow(c, e->d);
      }
    }
    op2i_simd_leave(c->l);
  }
}

bool op2i_simd_divide_pointer(struct op2i_simd *l, struct op2i_simd_node *body,
                              struct op2i_simd_node *decl) {
  struct chosen c = {.l = l, .var = decl->var, .choice = decl->a, .followed = true};
  if (decl->var->assigned || decl->var->nullable || !stable(decl->a->b) || !stable(decl->a->c))
    return false;
  follow(&c, body);
  if (!c.followed || op2i_simd_stopped(l)) return false;
  c.condition = op2i_simd_var(l, decl->var->name);
  c.condition->type.base = OP2I_C_BOOL;
  c.replace = true;
  follow(&c, body);
  decl->var = c.condition;
  decl->a = decl->a->a;
  return true;
}

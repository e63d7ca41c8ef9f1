/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers that differ between lanes because a condition chose them, as in
 *
 *   const double *q = flux > 0 ? left : right;
 *
 * All lanes have the same pointers, so such a variable becomes the condition itself, and each value
 * that is read through it a choice of two values: q[2] becomes q ? left[2] : right[2].
 *
 * A pointer that differs by a number, as in
 *
 *   const double *q = table + 32 * *material;
 *
 * becomes the number in the same way, and q[2] becomes table[q + 2]. */
#include <string.h>

#include "simd_base.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_tree.h"
#include "simd_vary.h"

/* A variable, the pointers that all lanes have, and whether everything done with it can be
 * followed. */
struct chosen {
  struct op2i_simd *l;
  const struct op2i_simd_var *var;
  struct op2i_simd_node *pointers[2]; /* the second one is null where a number follows the first */
  struct op2i_simd_var *number;       /* the condition, or the number */
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

static struct op2i_simd_node *number_of(const struct chosen *c, int line) {
  struct op2i_simd_node *number = op2i_simd_node(c->l, OP2I_SIMD_NAME, line);
  number->var = c->number;
  number->type = c->number->type;
  return number;
}

static void make_choice(struct chosen *c, struct op2i_simd_node *e) {
  struct op2i_simd_node *yes = side(c->l, e, c->pointers[0]), *no = side(c->l, e, c->pointers[1]);
  e->kind = OP2I_SIMD_CHOICE;
  e->op = "";
  e->a = number_of(c, e->line);
  e->b = yes;
  e->c = no;
}

/* q[2] becomes table[q + 2], and *q becomes table[q]. */
static void make_subscript(struct chosen *c, struct op2i_simd_node *e) {
  struct op2i_simd_node *number = number_of(c, e->line);
  if (e->kind == OP2I_SIMD_INDEX) number = op2i_simd_operation(c->l, "+", number, e->b);
  e->kind = OP2I_SIMD_INDEX;
  e->op = "";
  e->a = c->pointers[0];
  e->b = number;
}

static void follow(struct chosen *c, struct op2i_simd_node *e) {
  for (; e && c->followed && !op2i_simd_stopped(c->l); e = e->next) {
    if (op2i_simd_enter(c->l, e->line)) {
      bool read = reads(c, e);
      if (hides(e, c->pointers[0]) || hides(e, c->pointers[1])) c->followed = false;
      if (names(c, e) || (places(e) && reads(c, e->a)) || (read && !pure(e->b)))
        c->followed = false;
      if (read && e->b) follow(c, e->b);
      if (read && c->replace && c->followed) {
        (c->pointers[1] ? make_choice : make_subscript)(c, e);
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

/* Replace the variable, if everything done with it can be followed, by one of this type with this
 * value. */
static bool replace(struct chosen *c, struct op2i_simd_node *body, struct op2i_simd_node *decl,
                    enum op2i_c_base base) {
  if (decl->var->assigned || decl->var->nullable) return false;
  follow(c, body);
  if (!c->followed || op2i_simd_stopped(c->l)) return false;
  c->number = op2i_simd_var(c->l, decl->var->name);
  c->number->type.base = base;
  c->replace = true;
  follow(c, body);
  decl->var = c->number;
  return true;
}

bool op2i_simd_divide_pointer(struct op2i_simd *l, struct op2i_simd_node *body,
                              struct op2i_simd_node *decl) {
  struct op2i_simd_node *choice = decl->a;
  struct chosen c = {
      .l = l, .var = decl->var, .pointers = {choice->b, choice->c}, .followed = true};
  if (!stable(choice->b) || !stable(choice->c) || !replace(&c, body, decl, OP2I_C_BOOL))
    return false;
  decl->a = choice->a;
  return true;
}

bool op2i_simd_number_pointer(struct op2i_simd *l, struct op2i_simd_node *body,
                              struct op2i_simd_node *decl) {
  struct op2i_simd_node *sum = decl->a;
  struct chosen c = {.l = l, .var = decl->var, .pointers = {sum->a}, .followed = true};
  if (!sum->a->type.nlevels || !stable(sum->a) || !replace(&c, body, decl, OP2I_C_I64))
    return false;
  decl->a = sum->b;
  return true;
}

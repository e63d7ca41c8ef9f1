/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the conditions of loops that stay false in a lane which has left. */
#include "simd_lasting.h"

#include <string.h>

#include "simd_tree.h"

static bool is_step(const struct op2i_simd_node *e) {
  return (e->kind == OP2I_SIMD_UNARY || e->kind == OP2I_SIMD_POSTFIX) &&
         (!strcmp(e->op, "++") || !strcmp(e->op, "--"));
}

/* True if a part changes the variable in all lanes, or may do so through its address. */
static bool changes(const struct op2i_simd_node *e, const struct op2i_simd_var *var, int depth) {
  if (depth > OP2I_SIMD_DEPTH) return true;
  for (; e; e = e->next) {
    const bool named = e->a && e->a->kind == OP2I_SIMD_NAME && e->a->var == var;
    const bool assigns = e->kind == OP2I_SIMD_ASSIGN || is_step(e);
    if (named && assigns && !e->masked) return true;
    if (named && e->kind == OP2I_SIMD_UNARY && !strcmp(e->op, "&")) return true;
    if (changes(e->a, var, depth + 1) || changes(e->b, var, depth + 1) ||
        changes(e->c, var, depth + 1) || changes(e->d, var, depth + 1))
      return true;
  }
  return false;
}

static bool is_kept(const struct op2i_simd_node *loop, const struct op2i_simd_var *var) {
  return !changes(loop->b, var, 1) && !changes(loop->c, var, 1) && !changes(loop->d, var, 1);
}

/* True for the value of a number that the loop does not change in lanes which have left it. */
static bool lasting(const struct op2i_simd_node *loop, const struct op2i_simd_node *e, int depth) {
  if (!e) return true;
  if (depth > OP2I_SIMD_DEPTH || e->type.nlevels || e->type.base == OP2I_C_RECORD) return false;
  switch (e->kind) {
  case OP2I_SIMD_LITERAL: return true;
  case OP2I_SIMD_NAME: return is_kept(loop, e->var);
  case OP2I_SIMD_UNARY:
    return strcmp(e->op, "*") != 0 && !is_step(e) && lasting(loop, e->a, depth + 1);
  case OP2I_SIMD_BINARY:
  case OP2I_SIMD_CHOICE:
  case OP2I_SIMD_CAST:
    return lasting(loop, e->a, depth + 1) && lasting(loop, e->b, depth + 1) &&
           lasting(loop, e->c, depth + 1);
  case OP2I_SIMD_CALL:
    for (const struct op2i_simd_node *a = e->math ? e->a : NULL; a; a = a->next)
      if (!lasting(loop, a, depth + 1)) return false;
    return e->math != NULL;
  default: return false;
  }
}

/* True if some lanes may leave from within the body: by a jump, or by returning. */
static bool is_left(const struct op2i_simd_node *s, int depth) {
  if (depth > OP2I_SIMD_DEPTH) return true;
  for (; s; s = s->next)
    if ((s->kind == OP2I_SIMD_BREAK && s->varying) || s->leaves || is_left(s->a, depth + 1) ||
        is_left(s->b, depth + 1) || is_left(s->c, depth + 1) || is_left(s->d, depth + 1))
      return true;
  return false;
}

bool op2i_simd_divisible(const struct op2i_simd_node *condition) {
  return condition->kind == OP2I_SIMD_BINARY && !strcmp(condition->op, "&&") &&
         !condition->impure && !condition->hazard;
}

static bool operands_last(const struct op2i_simd_node *loop, const struct op2i_simd_node *e) {
  if (op2i_simd_divisible(e)) return operands_last(loop, e->a) && operands_last(loop, e->b);
  return !e->varying || lasting(loop, e, 1);
}

bool op2i_simd_lasting(const struct op2i_simd_node *loop) {
  return !loop->leaves && !loop->b->hazard && !is_left(loop->d, 1) && operands_last(loop, loop->b);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds branches in loops that are worth a test of whether any lane needs them. */
#include <string.h>

#include "simd_idle.h"
#include "simd_math.h"
#include "simd_tree.h"

static bool divides(const struct op2i_simd_node *e) {
  return (e->kind == OP2I_SIMD_BINARY || e->kind == OP2I_SIMD_ASSIGN) && e->op[0] == '/';
}

static bool takes_root(const struct op2i_simd_node *e) {
  return e->kind == OP2I_SIMD_CALL && e->math && !strcmp(e->math->name, "sqrt");
}

/* A division or a root of all lanes takes longer than several tests of whether a lane needs it. */
static bool costly(const struct op2i_simd_node *e, int depth) {
  if (depth > OP2I_SIMD_DEPTH) return false;
  for (; e; e = e->next)
    if ((e->varying && (divides(e) || takes_root(e))) || costly(e->a, depth + 1) ||
        costly(e->b, depth + 1) || costly(e->c, depth + 1) || costly(e->d, depth + 1))
      return true;
  return false;
}

bool op2i_simd_costly(const struct op2i_simd_node *s) {
  return costly(s->a, 1) || costly(s->b, 1) || costly(s->c, 1) || costly(s->d, 1);
}

static bool mentions(const struct op2i_simd_node *e, const struct op2i_simd_var *var, int depth) {
  if (depth > OP2I_SIMD_DEPTH) return true;
  for (; e; e = e->next)
    if ((e->kind == OP2I_SIMD_NAME && e->var == var) || mentions(e->a, var, depth + 1) ||
        mentions(e->b, var, depth + 1) || mentions(e->c, var, depth + 1) ||
        mentions(e->d, var, depth + 1))
      return true;
  return false;
}

bool op2i_simd_mentions(const struct op2i_simd_node *e, const struct op2i_simd_var *var) {
  return mentions(e, var, 1);
}

/* True if the head of a loop has no effect but on a counter of its own. */
static bool counts_only(const struct op2i_simd_node *loop) {
  const struct op2i_simd_node *step = loop->c;
  return loop->kind == OP2I_SIMD_FOR && loop->a && loop->a->kind == OP2I_SIMD_DECL &&
         !loop->a->next && loop->b && !loop->b->impure && step && !step->next && step->a &&
         step->kind != OP2I_SIMD_CALL && step->a->kind == OP2I_SIMD_NAME &&
         step->a->var == loop->a->var && !(step->b && step->b->impure);
}

const struct op2i_simd_node *op2i_simd_ending(const struct op2i_simd_node *loop) {
  const struct op2i_simd_node *s = loop->d;
  if (!counts_only(loop)) return NULL;
  while (s && s->kind == OP2I_SIMD_BLOCK && s->a && !s->a->next) s = s->a;
  bool branch = s && s->kind == OP2I_SIMD_IF && s->varying && !s->c && !s->a->impure;
  return branch && !mentions(s->a, loop->a->var, 1) && op2i_simd_costly(s->b) ? s : NULL;
}

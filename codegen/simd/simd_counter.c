/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives loops counters of their own. C89 declares one counter at the top of a function, and all
 * loops use it: under a varying condition such a variable would differ between lanes, and with it
 * the trip counts. It need not, if it is used nowhere but in loops that begin by assigning to it,
 * or in a `while` loop that ends with its step. */
#include <string.h>

#include "simd_base.h"
#include "simd_parse.h"
#include "simd_stmt.h"
#include "simd_tree.h"

typedef void visit(struct op2i_simd_node *e, void *what);

static void walk(struct op2i_simd *l, struct op2i_simd_node *e, visit *see, void *what) {
  for (; e && !op2i_simd_stopped(l); e = e->next) {
    if (op2i_simd_enter(l, e->line)) {
      see(e, what);
      walk(l, e->a, see, what);
      walk(l, e->b, see, what);
      walk(l, e->c, see, what);
      walk(l, e->d, see, what);
    }
    op2i_simd_leave(l);
  }
}

/* A variable, the one that replaces it, and what is found of it. */
struct use {
  struct op2i_simd_var *var, *fresh;
  int names, assigned;
  bool kept; /* its address is taken */
};

static bool is_name(const struct op2i_simd_node *e, const struct op2i_simd_var *var) {
  return e && e->kind == OP2I_SIMD_NAME && e->var == var;
}

static void note_use(struct op2i_simd_node *e, void *what) {
  struct use *use = what;
  bool steps = e->kind == OP2I_SIMD_POSTFIX || e->kind == OP2I_SIMD_ASSIGN ||
               (e->kind == OP2I_SIMD_UNARY && (!strcmp(e->op, "++") || !strcmp(e->op, "--")));
  use->names += is_name(e, use->var);
  use->assigned += steps && is_name(e->a, use->var);
  use->kept =
      use->kept || (e->kind == OP2I_SIMD_UNARY && !strcmp(e->op, "&") && is_name(e->a, use->var));
}

static struct use used_in(struct op2i_simd *l, struct op2i_simd_node *e,
                          struct op2i_simd_var *var) {
  struct use use = {.var = var};
  if (e) walk(l, e, note_use, &use);
  return use;
}

static struct use used_in_parts(struct op2i_simd *l, const struct op2i_simd_node *loop,
                                struct op2i_simd_var *var) {
  struct op2i_simd_node *const parts[] = {loop->b, loop->c, loop->d};
  struct use all = {.var = var};
  for (int i = 0; i < 3; i++) {
    struct use use = used_in(l, parts[i], var);
    all.names += use.names;
    all.assigned += use.assigned;
    all.kept = all.kept || use.kept;
  }
  return all;
}

/* The local variable that a loop begins by assigning to, as in for (i = 0; ...), or null. */
static struct op2i_simd_var *counter_of(struct op2i_simd *l, const struct op2i_simd_node *loop) {
  const struct op2i_simd_node *init = loop->kind == OP2I_SIMD_FOR ? loop->a : NULL;
  if (!init || init->kind != OP2I_SIMD_ASSIGN || strcmp(init->op, "=")) return NULL;
  struct op2i_simd_var *var = init->a->kind == OP2I_SIMD_NAME ? init->a->var : NULL;
  if (!var || var->fixed || var->param >= 0 || var->type.nlevels) return NULL;
  if (op2i_simd_float(var->type.base)) return NULL;
  return used_in(l, init->b, var).names ? NULL : var;
}

/* ---- loops that begin by assigning to a variable --------------------------------------------- */

struct owners {
  struct op2i_simd *l;
  struct op2i_simd_var *var;
  bool replace;
  int names; /* number of uses within these loops */
};

static void replace_name(struct op2i_simd_node *e, void *what) {
  struct use *use = what;
  if (is_name(e, use->var)) e->var = use->fresh;
}

/* Make for (i = 0; ...) a loop with a declaration of its own. */
static void give_counter(struct op2i_simd *l, struct op2i_simd_node *loop,
                         struct op2i_simd_var *var) {
  struct op2i_simd_node *parts[] = {loop->b, loop->c, loop->d};
  struct use use = used_in_parts(l, loop, var);
  struct op2i_simd_node *decl = op2i_simd_node(l, OP2I_SIMD_DECL, loop->line);
  use.fresh = op2i_simd_var(l, var->name);
  use.fresh->type = var->type;
  use.fresh->assigned = use.assigned;
  for (int i = 0; i < 3; i++)
    if (parts[i]) walk(l, parts[i], replace_name, &use);
  decl->var = use.fresh;
  decl->a = loop->a->b;
  loop->a = decl;
  op2i_simd_note_counter(loop);
}

/* Visit the outermost loops that begin by assigning to the variable. */
static void visit_owners(struct owners *o, struct op2i_simd_node *e) {
  for (; e && !op2i_simd_stopped(o->l); e = e->next) {
    if (op2i_simd_enter(o->l, e->line)) {
      if (counter_of(o->l, e) == o->var) {
        o->names += 1 + used_in_parts(o->l, e, o->var).names;
        if (o->replace) give_counter(o->l, e, o->var);
      } else {
        visit_owners(o, e->a);
        visit_owners(o, e->b);
        visit_owners(o, e->c);
        visit_owners(o, e->d);
      }
    }
    op2i_simd_leave(o->l);
  }
}

struct search {
  struct op2i_simd *l;
  struct op2i_simd_node *body;
};

/* Called for each node of the body: look at the variable that it declares. */
static void split_declared(struct op2i_simd_node *e, void *what) {
  const struct search *s = what;
  if (e->kind != OP2I_SIMD_DECL || (e->a && !e->a->known)) return;
  struct owners owners = {.l = s->l, .var = e->var};
  struct use all = used_in(s->l, s->body, e->var);
  if (!all.names || all.kept) return;
  visit_owners(&owners, s->body);
  if (owners.names != all.names) return;
  owners.replace = true;
  visit_owners(&owners, s->body);
  e->var->split = true;
}

/* ---- loops that end with a step -------------------------------------------------------------- */

static void note_continue(struct op2i_simd_node *e, void *what) {
  bool *found = what;
  *found = *found || e->kind == OP2I_SIMD_CONTINUE;
}

/* The place of the last statement of a loop's body if it changes the variable by a number, as k++
 * does, or null. Where the body has a `continue`, it is no step of the loop. */
static struct op2i_simd_node **last_step(struct op2i_simd *l, struct op2i_simd_node *loop,
                                         const struct op2i_simd_var *var) {
  struct op2i_simd_node **at = &loop->d->a;
  bool found = false;
  if (loop->d->kind != OP2I_SIMD_BLOCK || !*at) return NULL;
  walk(l, loop->d, note_continue, &found);
  while ((*at)->next) at = &(*at)->next;
  const struct op2i_simd_node *step = (*at)->kind == OP2I_SIMD_EXPR ? (*at)->a : NULL;
  if (found || !step || step->next) return NULL;
  bool one = (step->kind == OP2I_SIMD_POSTFIX || step->kind == OP2I_SIMD_UNARY) &&
             (!strcmp(step->op, "++") || !strcmp(step->op, "--"));
  bool more = step->kind == OP2I_SIMD_ASSIGN && step->b->known &&
              (!strcmp(step->op, "+=") || !strcmp(step->op, "-="));
  return (one || more) && is_name(step->a, var) ? at : NULL;
}

/* Make `int k = 0; while (...) { ...; k++; }` a `for` loop, whose lanes count together although some
 * leave before others, where nothing else uses the counter. */
static void move_step(struct op2i_simd *l, struct op2i_simd_node *body, struct op2i_simd_node *decl,
                      struct op2i_simd_node *loop) {
  struct op2i_simd_var *var = decl->var;
  if (var->type.nlevels || op2i_simd_float(var->type.base) || var->split) return;
  struct op2i_simd_node **step = last_step(l, loop, var);
  if (!step) return;
  const struct use all = used_in(l, body, var), here = used_in_parts(l, loop, var);
  if (all.kept || here.assigned != 1 || here.names != all.names) return;
  loop->kind = OP2I_SIMD_FOR;
  loop->c = (*step)->a;
  *step = NULL;
  loop->a = op2i_simd_node(l, OP2I_SIMD_ASSIGN, loop->line); /* as give_counter() has it */
  loop->a->b = decl->a;
  give_counter(l, loop, var);
  var->split = true;
}

/* Called for each node: look at the loops that follow if it declares a number. */
static void move_steps(struct op2i_simd_node *e, void *what) {
  const struct search *s = what;
  if (e->kind != OP2I_SIMD_DECL || !e->a || !e->a->known) return;
  for (struct op2i_simd_node *loop = e->next; loop; loop = loop->next)
    if (loop->kind == OP2I_SIMD_WHILE) move_step(s->l, s->body, e, loop);
}

void op2i_simd_counters(struct op2i_simd *l, struct op2i_simd_node *body) {
  struct search search = {l, body};
  walk(l, body, split_declared, &search);
  walk(l, body, move_steps, &search);
}

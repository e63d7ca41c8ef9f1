/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the additions of increments to memory, if each of them has a line of text. Dats whose rows
 * are incremented at the same places in the same order take turns: additions to the same place
 * follow one another, so that a row's number is used for all of them and need not be kept. */
#include "vec_view.h"

static bool has_lines(const struct op2i_vec *v, int dat) {
  const struct op2i_loop_arg *row = op2i_vec_row(v, dat);
  return v->args[row - v->e->loop->args].accumulates && op2i_sums(row->access) &&
         !op2i_vec_rolled(v, dat);
}

/* One of the additions to a dat: it adds a slot of an argument. */
struct addition {
  int a, slot; /* a is -1 if there are fewer additions */
};

static struct addition addition_of(const struct op2i_vec *v, int dat, int k) {
  const struct op2i_loop *loop = v->e->loop;
  for (int a = 0; a < loop->nargs; a++) {
    if (loop->args[a].dat != dat) continue;
    if (k < loop->args[a].arity) return (struct addition){a, k};
    k -= (int)loop->args[a].arity;
  }
  return (struct addition){-1, 0};
}

static bool same_place(const struct op2i_vec *v, struct addition x, struct addition y) {
  if (x.a < 0 || y.a < 0) return x.a == y.a;
  const struct op2i_loop_arg *p = &v->e->loop->args[x.a], *q = &v->e->loop->args[y.a];
  const int64_t from = p->kind == OP2I_ARG_SLOT ? p->slot : x.slot;
  const int64_t to = q->kind == OP2I_ARG_SLOT ? q->slot : y.slot;
  return p->map == q->map && from == to;
}

static bool same_places(const struct op2i_vec *v, int dat, int other) {
  struct addition x, y;
  for (int k = 0;; k++) {
    x = addition_of(v, dat, k);
    y = addition_of(v, other, k);
    if (!same_place(v, x, y)) return false;
    if (x.a < 0) return true;
  }
}

/* True if the dat takes turns with an earlier one. */
static bool follows(const struct op2i_vec *v, int dat) {
  for (int d = 0; d < dat; d++)
    if (has_lines(v, d) && same_places(v, d, dat)) return true;
  return false;
}

/* Add to a dat, and to those that take turns with it. */
static void add_lane(const struct op2i_vec *v, int dat, int lane) {
  struct addition addition;
  for (int k = 0; addition = addition_of(v, dat, k), addition.a >= 0; k++)
    for (int d = dat; d < v->e->loop->op.ndats; d++) {
      if (!has_lines(v, d) || !same_places(v, dat, d)) continue;
      addition = addition_of(v, d, k);
      op2i_vec_add_slot(v, addition.a, addition.slot, lane);
    }
}

void op2i_vec_add_lines(const struct op2i_vec *v, const char *copy) {
  const struct op2i_loop *loop = v->e->loop;
  for (int a = 0; a < loop->nargs; a++)
    if (loop->args[a].dat >= 0 && v->args[a].accumulates && has_lines(v, (int)loop->args[a].dat))
      op2i_vec_add_parts(v, a, copy);
  for (int d = 0; d < loop->op.ndats; d++)
    for (int lane = 0; lane < v->lanes && has_lines(v, d) && !follows(v, d); lane++)
      add_lane(v, d, lane);
}

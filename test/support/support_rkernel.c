/* SPDX-License-Identifier: BSD-3-Clause */
#include "support_rkernel.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

const struct rconst rconsts[R_CONSTS] = {
    {"kilo", OP2_I32, 1}, {"gamma_1", OP2_F64, 1}, {"weights", OP2_F64, 3}, {"masks", OP2_U16, 2}};

struct maker {
  struct rkernel *k;
  uint64_t random;
  bool uniform; /* no leaf depends on the element, and all slots get the same value, so that
                 * colliding WRITEs agree */
};

static op2_type random_type(uint64_t *r) {
  static const op2_type list[] = {OP2_F64, OP2_F64, OP2_F64, OP2_F64, OP2_F64, OP2_I32,
                                  OP2_I32, OP2_I32, OP2_F32, OP2_F32, OP2_I64, OP2_U32,
                                  OP2_U8,  OP2_I8,  OP2_I16, OP2_U16, OP2_U64};
  return list[draw_below(r, (int)(sizeof list / sizeof list[0]))];
}

static int random_dim(uint64_t *r) {
  static const int list[] = {1, 1, 1, 1, 2, 2, 3, 4, 4, 5};
  return list[draw_below(r, 10)];
}

static int map_group(struct maker *m, bool distinct) {
  struct rkernel *k = m->k;
  int g = draw_below(&m->random, k->nmaps + 1);
  if (g == k->nmaps || g == 3) {
    if (k->nmaps == 3)
      g = 2;
    else
      k->maps[k->nmaps++] = (struct rmapgroup){1 + draw_below(&m->random, R_ARITY),
                                               draw_below(&m->random, R_ROLES), false};
  }
  k->maps[g].distinct |= distinct;
  return g;
}

/* True if two arguments may name the same dat: both read, both combine in the same mode, one
 * increments and one reads (the kernel reads the values from before its own increments), or they
 * are different slots of one map whose rows have no repeats. */
static bool compatible(struct maker *m, const struct rarg *a, const struct rarg *b) {
  if (a->access == OP2_READ && b->access == OP2_READ) return true;
  if (a->access == b->access && a->access >= OP2_INC) return true;
  if ((a->access == OP2_READ && b->access == OP2_INC) ||
      (a->access == OP2_INC && b->access == OP2_READ))
    return draw_below(&m->random, 3) == 0;
  if (a->kind == R_SLOT && b->kind == R_SLOT && a->map == b->map && a->slot != b->slot &&
      (a->access == OP2_READ || b->access == OP2_READ || a->access == b->access)) {
    m->k->maps[a->map].distinct = true;
    return true;
  }
  return false;
}

/* Give the argument a dat: the dat of another argument, or a new one. */
static void dat_group(struct maker *m, struct rarg *arg) {
  struct rkernel *k = m->k;
  const int role = arg->map < 0 ? 0 : k->maps[arg->map].role;
  for (int g = 0; g < k->ndats; g++) {
    if (k->dats[g].role != role || draw_below(&m->random, 2)) continue;
    bool fits = true;
    for (int a = 0; a < k->nargs; a++)
      if (k->args[a].kind <= R_ITER && k->args[a].dat == g)
        fits = fits && compatible(m, &k->args[a], arg);
    if (!fits) continue;
    arg->dat = g;
    arg->type = k->dats[g].type;
    arg->dim = k->dats[g].dim;
    return;
  }
  arg->dat = k->ndats;
  k->dats[k->ndats++] = (struct rdatgroup){role, arg->type, arg->dim};
}

static op2_access random_access(uint64_t *r, bool writes) {
  static const op2_access list[] = {OP2_WRITE, OP2_RW,  OP2_RW,  OP2_INC,
                                    OP2_INC,   OP2_INC, OP2_MIN, OP2_MAX};
  return writes ? list[draw_below(r, 8)] : OP2_READ;
}

static void add_dat(struct maker *m, bool writes) {
  struct rkernel *k = m->k;
  uint64_t *r = &m->random;
  struct rarg arg = {.kind = R_DIRECT,
                     .access = random_access(r, writes),
                     .type = random_type(r),
                     .dim = random_dim(r),
                     .slots = 1,
                     .map = -1,
                     .form = draw_below(r, 5)};
  if (draw_below(r, 3)) {
    static const enum rkind kinds[] = {R_SLOT, R_SLOT, R_ALL, R_ITER};
    arg.kind = kinds[draw_below(r, 4)];
    arg.map = map_group(m, arg.kind != R_SLOT && arg.access == OP2_RW);
    const int arity = k->maps[arg.map].arity;
    arg.slot = draw_below(r, arity);
    if (arg.kind != R_SLOT) arg.slots = arity;
    k->indirect_write |= writes;
  }
  dat_group(m, &arg);
  /* One map group has one arity, as the arguments of an iteration space must have; those of the third
   * group are packed, by an extent of their own. */
  if (arg.kind == R_ITER) arg.slot = arg.map;
  k->args[k->nargs++] = arg;
}

static op2_type random_integer(uint64_t *r) {
  op2_type type;
  do type = random_type(r);
  while (is_float(type));
  return type;
}

/* Values are whole numbers, as those of the minimum or maximum: rounding must not decide which
 * element wins. */
static void add_info(struct maker *m, int beside) {
  struct rkernel *k = m->k;
  struct rarg arg = {.kind = R_INFO,
                     .access = OP2_WRITE,
                     .type = random_integer(&m->random),
                     .dim = random_dim(&m->random),
                     .slots = 1,
                     .map = -1,
                     .dat = k->ndats,
                     .form = draw_below(&m->random, 4),
                     .beside = beside};
  k->dats[k->ndats++] = (struct rdatgroup){-1, arg.type, arg.dim};
  k->args[k->nargs++] = arg;
}

static void add_gbl(struct maker *m, bool writes) {
  static const op2_access list[] = {OP2_INC, OP2_INC, OP2_MIN, OP2_MAX};
  struct rkernel *k = m->k;
  uint64_t *r = &m->random;
  struct rarg arg = {.kind = R_GBL,
                     .access = writes ? list[draw_below(r, 4)] : OP2_READ,
                     .type = random_type(r),
                     .dim = random_dim(r),
                     .slots = 1,
                     .map = -1,
                     .form = draw_below(r, 4)};
  if (writes && draw_below(r, 4) == 0) arg.dim = R_WIDE + draw_below(r, R_SLOTS - R_WIDE + 1);
  arg.located = writes && arg.access != OP2_INC && draw_below(r, 2);
  if (arg.located) arg.type = random_integer(r), arg.dim = 1;
  arg.dat = k->ndats;
  k->dats[k->ndats++] = (struct rdatgroup){-1, arg.type, arg.dim};
  k->args[k->nargs++] = arg;
  if (arg.located) add_info(m, arg.dat);
}

static void add_value(struct maker *m) {
  uint64_t *r = &m->random;
  struct rarg arg = {.kind = R_VAL,
                     .access = OP2_READ,
                     .type = random_type(r),
                     .dim = random_dim(r),
                     .slots = 1,
                     .map = -1,
                     .dat = -1,
                     .form = draw_below(r, 3)};
  m->k->args[m->k->nargs++] = arg;
}

static void add_idx(struct maker *m) {
  struct rarg arg = {.kind = R_IDX,
                     .access = OP2_READ,
                     .type = OP2_I64,
                     .dim = 1,
                     .slots = 1,
                     .map = -1,
                     .dat = -1,
                     .form = draw_below(&m->random, 5)};
  m->k->args[m->k->nargs++] = arg;
}

static int node(struct maker *m, struct rnode n) {
  m->k->nodes[m->k->nnodes] = n;
  return m->k->nnodes++;
}

static int literal(struct maker *m, op2_type domain) {
  const int n = draw_below(&m->random, 129);
  return node(m, (struct rnode){R_LITERAL, -1, -1, -1,
                                domain == OP2_U64 ? (uint64_t)n : (uint64_t)(int64_t)(n - 64)});
}

static bool readable(const struct maker *m, const struct rarg *arg, op2_type domain) {
  if (arg->access != OP2_READ && arg->access != OP2_RW) return false;
  if (domain == OP2_U64 && is_float(arg->type)) return false;
  if (domain == OP2_F64 && arg->type == OP2_F32) return false; /* rounding to float would show */
  return !m->uniform || arg->kind == R_GBL || arg->kind == R_VAL;
}

static int leaf(struct maker *m, op2_type domain) {
  struct rkernel *k = m->k;
  uint64_t *r = &m->random;
  for (int tries = 0; tries < 6; tries++) {
    const int a = draw_below(r, k->nargs + 1);
    if (a == k->nargs) {
      const int c = draw_below(r, R_CONSTS);
      if (domain == OP2_U64 && is_float(rconsts[c].type)) continue;
      return node(m, (struct rnode){R_CONST, c, draw_below(r, rconsts[c].dim), -1, 0});
    }
    const struct rarg *arg = &k->args[a];
    if (!readable(m, arg, domain)) continue;
    return node(m,
                (struct rnode){R_LEAF, a, draw_below(r, arg->slots), draw_below(r, arg->dim), 0});
  }
  return literal(m, domain);
}

static int expression(struct maker *m, op2_type domain, int depth) {
  static const enum rop integers[] = {R_ADD, R_SUB,   R_MUL,  R_AND,  R_OR,
                                      R_XOR, R_SHIFT, R_LESS, R_MORE, R_PICK};
  static const enum rop floats[] = {R_MEAN, R_MEAN,   R_DIFF, R_SCALE,
                                    R_ABS,  R_SQUASH, R_LESS, R_MORE};
  uint64_t *r = &m->random;
  if (depth == 0 || m->k->nnodes > R_NODES - 400 || draw_below(r, 5) == 0) return leaf(m, domain);
  struct rnode n = {R_LITERAL, -1, -1, -1, 0};
  n.op = domain == OP2_U64 ? integers[draw_below(r, 10)] : floats[draw_below(r, 8)];
  n.a = expression(m, domain, depth - 1);
  if (n.op == R_SHIFT)
    n.number = (uint64_t)draw_below(r, 6);
  else if (n.op == R_SCALE)
    n.number = (uint64_t)(int64_t)(draw_below(r, 129) - 64);
  else if (n.op != R_ABS && n.op != R_SQUASH)
    n.b = expression(m, domain, depth - 1);
  if (n.op == R_PICK) n.c = expression(m, domain, depth - 1);
  return node(m, n);
}

/* Returns the value's expression; `value` is one to use again, or -1. */
static int add_statement(struct maker *m, int a, int slot, int comp, int value) {
  static const enum reffect effects[] = {[OP2_WRITE] = R_STORE,
                                         [OP2_RW] = R_STORE,
                                         [OP2_INC] = R_PLUS,
                                         [OP2_MIN] = R_LOWER,
                                         [OP2_MAX] = R_RAISE};
  struct rkernel *k = m->k;
  const struct rarg *arg = &k->args[a];
  if (k->nstatements == R_STATEMENTS) return value;
  const op2_type domain = domain_of(arg->type);
  if (value < 0) value = expression(m, domain, 2);
  if (arg->access == OP2_RW) {
    const int self = node(m, (struct rnode){R_LEAF, a, slot, comp, 0});
    static const enum rop with[] = {R_ADD, R_XOR, R_MUL};
    value = node(m, (struct rnode){domain == OP2_U64 ? with[draw_below(&m->random, 3)] : R_MEAN,
                                   self, value, -1, 0});
  }
  k->statements[k->nstatements++] = (struct rstatement){a, slot, comp, value, effects[arg->access]};
  return value;
}

static void add_statements(struct maker *m, int a) {
  const struct rarg *arg = &m->k->args[a];
  if (arg->access == OP2_READ) return;
  int values[R_SLOTS];
  for (int c = 0; c < R_SLOTS; c++) values[c] = -1;
  m->uniform = arg->access == OP2_WRITE && arg->map >= 0 && draw_below(&m->random, 2);
  for (int s = 0; s < arg->slots; s++)
    for (int c = 0; c < arg->dim; c++)
      if (arg->access == OP2_WRITE || draw_below(&m->random, 4)) {
        const int value = add_statement(m, a, s, c, values[c]);
        if (m->uniform) values[c] = value;
      }
  m->uniform = false;
}

/* WRITE arguments must be written as a whole: a limit of two modified dats bounds the number of
 * statements. */
struct rkernel *rkernel_make(uint64_t seed, int number) {
  struct rkernel *k = calloc(1, sizeof *k);
  struct maker m = {k, seed * 1000003u + (uint64_t)number, false};
  uint64_t *r = &m.random;
  if (!k) exit(2);
  snprintf(k->name, sizeof k->name, "random_%d", number);
  add_dat(&m, true);
  if (draw_below(r, 3) == 0) add_dat(&m, true);
  for (int i = draw_below(r, 3); i > 0; i--) add_dat(&m, false);
  if (draw_below(r, 4) == 0) add_gbl(&m, true);
  if (draw_below(r, 4) == 0) add_gbl(&m, false);
  if (draw_below(r, 4) == 0) add_value(&m);
  if (draw_below(r, 4) == 0) add_idx(&m);
  for (int i = k->nargs - 1; i > 0; i--) {
    const int j = draw_below(r, i + 1);
    const struct rarg swap = k->args[i];
    k->args[i] = k->args[j];
    k->args[j] = swap;
  }
  for (int a = 0; a < k->nargs; a++) add_statements(&m, a);
  k->source = rkernel_text(k);
  return k;
}

void rkernel_free(struct rkernel *k) {
  if (!k) return;
  free(k->source);
  free(k);
}

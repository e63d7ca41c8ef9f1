/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_SUPPORT_RKERNEL_H
#define OP2_TEST_SUPPORT_RKERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "op2.h"

/* Random kernels: a list of statements over expression trees, from which both C text for op2 and a
 * direct evaluation are made. This code does not call op2. Values stay bounded, so that only
 * rounding can make a difference: floating-point expressions never enlarge a difference (means,
 * halved differences, minima, x / (1 + x * x)), increments are at most 1/8, and integers are
 * computed modulo 2^64 and truncated to their size. */

enum {
  R_ARGS = 9,
  R_DIM = 5,
  R_ARITY = 4,
  R_NODES = 1000,
  R_STATEMENTS = 96,
  R_GROUPS = 8,
  R_ROLES = 3
};
/* Values of an argument: rows of all slots, or of a wide global. */
enum { R_SLOTS = R_DIM * R_ARITY, R_WIDE = 17 };

/* R_INFO: a global into which the element with the minimum or maximum stores values. */
enum rkind { R_DIRECT, R_SLOT, R_ALL, R_ITER, R_GBL, R_VAL, R_IDX, R_INFO };

/* One parameter. Roles name sets: 0 is the iteration set. Equal groups mean the same map, dat or
 * global. */
struct rarg {
  enum rkind kind;
  op2_access access;
  op2_type type;
  int dim, slots; /* slots: as the kernel sees them, 1 or the arity */
  int slot;       /* R_SLOT */
  int map, dat;   /* group, or -1 for none; dat: of dats or of globals */
  int form;       /* the way in which the parameter is declared */
  bool located;   /* R_GBL: it has R_INFO arguments */
  int beside;     /* R_INFO: the group of the global to which it belongs */
};

struct rmapgroup {
  int arity, role;
  bool distinct; /* rows must not repeat an element */
};

struct rdatgroup {
  int role; /* -1: a global */
  op2_type type;
  int dim;
};

enum rop {
  R_LITERAL,
  R_CONST,
  R_LEAF, /* leaves */
  R_ADD,
  R_SUB,
  R_MUL,
  R_AND,
  R_OR,
  R_XOR,
  R_SHIFT, /* integer operations */
  R_MEAN,
  R_DIFF,
  R_SCALE,
  R_ABS,
  R_SQUASH, /* floating-point operations */
  R_LESS,
  R_MORE,
  R_PICK /* both; PICK: integers only */
};

struct rnode {
  enum rop op;
  int a, b, c;     /* operands; LEAF: argument, slot, component; CONST: number, component */
  uint64_t number; /* LITERAL, SCALE: in 1/64 for floating point */
};

enum reffect { R_STORE, R_PLUS, R_LOWER, R_RAISE };

struct rstatement {
  int arg, slot, comp, value;
  enum reffect effect;
};

struct rkernel {
  char name[32];
  char *source;
  int nargs, nmaps, ndats, nstatements, nnodes;
  struct rarg args[R_ARGS];
  struct rmapgroup maps[R_GROUPS];
  struct rdatgroup dats[R_GROUPS];
  struct rstatement statements[R_STATEMENTS];
  struct rnode nodes[R_NODES];
  bool indirect_write;
};

/* Named constants that kernels may use, the same in every program. */
struct rconst {
  const char *name;
  op2_type type;
  int dim;
};
enum { R_CONSTS = 4 };
extern const struct rconst rconsts[R_CONSTS];

union rvalue {
  uint64_t u;
  double d;
  float f;
};

/* A kernel's private view of its arguments and the constants, by argument, slot and component. */
struct rframe {
  union rvalue arg[R_ARGS][R_SLOTS];
  union rvalue cst[R_CONSTS][R_DIM];
};

struct rkernel *rkernel_make(uint64_t seed, int number);
/* Source code for op2; the caller frees it. */
char *rkernel_text(const struct rkernel *kernel);
void rkernel_free(struct rkernel *kernel);
void rkernel_run(const struct rkernel *kernel, struct rframe *frame);

bool is_float(op2_type type);
/* Expressions are of one domain: OP2_U64, OP2_F64 or OP2_F32. */
op2_type domain_of(op2_type type);
size_t size_of(op2_type type);
const char *c_name(op2_type type);
union rvalue load(op2_type type, const void *at);
void store(op2_type type, void *at, union rvalue value);
bool less(op2_type type, union rvalue a, union rvalue b);
union rvalue plus(op2_type type, union rvalue a, union rvalue b);
double as_double(op2_type type, union rvalue value);

#endif

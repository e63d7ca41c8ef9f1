/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_SUPPORT_RPROGRAM_H
#define OP2_TEST_SUPPORT_RPROGRAM_H

#include "support_rkernel.h"

/* Random programs: a list of operations on sets, maps, dats, globals and loops. A program is made
 * and, operation by operation, carried out on plain arrays in plain element order; the values that
 * every read must return are kept with it. This code does not call op2. */

enum rstep {
  P_SET,
  P_SUBSET,
  P_MAP,
  P_DAT,
  P_GBL, /* make object `a` */
  P_KILL_MAP,
  P_KILL_DAT,
  P_KILL_GBL, /* destroy the handle of `a` */
  P_LOOP,     /* queue `call` */
  P_OBJECT,
  P_ENQUEUE,
  P_COMPUTE,
  P_KILL_OBJECT, /* loop object `a`, made from `call` */
  P_FLUSH,
  P_GET,
  P_GET_HALO,
  P_READ, /* dat `a` holds `data` */
  P_PUT,
  P_PUT_HALO,
  P_EDIT, /* dat `a` becomes `data`; P_EDIT: in an access scope for writing */
  P_GBL_GET,
  P_GBL_PUT,
  P_CONST_PUT /* global or constant `a` and `data` */
};

struct rset {
  int64_t ends[4];
  int base, parent;  /* base and parent; a set has itself and -1 */
  int64_t *idx;      /* subset: base indices */
  int64_t *position; /* subset: positions in the parent, as given */
  int64_t count;     /* number of elements of a subset */
};

struct rmap {
  int from, to, arity;
  bool distinct, dead;
  int32_t *idx;
};

struct rdat {
  int set, dim;
  op2_type type;
  bool wrapped, bare, dead; /* bare: made without data */
  unsigned char *data;      /* the values at this point of the program */
};

struct rgbl {
  int dim;
  op2_type type;
  bool dead;
  unsigned char *data;
};

/* A kernel over a set with its objects: by group, and values by argument. */
struct rcall {
  const struct rkernel *kernel;
  int kernel_number, set;
  int map[R_GROUPS], dat[R_GROUPS]; /* dat: of globals too */
  unsigned char value[R_ARGS][R_DIM * 8];
};

struct roperation {
  enum rstep step;
  int a;
  struct rcall *call;
  unsigned char *data;
};

struct rprogram {
  uint64_t seed;
  int number, nsets, nmaps, ndats, ngbls, nobjects, noperations, room;
  struct rset *sets;
  struct rmap *maps;
  struct rdat *dats;
  struct rgbl *gbls;
  struct rcall **objects; /* null once destroyed */
  struct roperation *operations;
  unsigned char cst[R_CONSTS][R_DIM * 8];
  bool collides; /* elements write different values to one location: the checked mode refuses it */
  double scale64, scale32; /* largest magnitudes so far */
  int loops;
};

struct rprogram *rprogram_make(uint64_t seed, int number, struct rkernel *const *pool, int npool);
/* A program that can be distributed over ranks: sets have no halo, and the effect of loops does not
 * depend on the order of elements. */
struct rprogram *rprogram_make_whole(uint64_t seed, int number, struct rkernel *const *pool,
                                     int npool);
void rprogram_free(struct rprogram *program);
void rprogram_print(const struct rprogram *program, FILE *out);
/* Bytes of a dat's owned or whole values. */
size_t rdat_bytes(const struct rprogram *program, const struct rdat *dat, bool whole);

/* Carry out a call on the program's arrays; false if elements wrote different values to one
 * location. */
bool rcall_run(struct rprogram *program, const struct rcall *call);
/* True if several elements access a location other than by reading only, or by INC, MIN or MAX
 * only; or if the result depends on which element does. */
bool rcall_ordered(const struct rprogram *program, const struct rcall *call);

#endif

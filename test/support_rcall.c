/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop on plain arrays: every element in turn, gathered, run and put back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support_rprogram.h"

struct runner {
  struct rprogram *p;
  const struct rcall *call;
  const struct rkernel *k;
  unsigned char **written; /* by dat group: for WRITE through a map, whether a value was written in this loop */
  bool agree;
};

static void *room(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) exit(2);
  return memory;
}

/* The element of the dat's set that a slot of an argument is about. */
static int64_t target(const struct runner *r, const struct rarg *arg, int64_t element, int slot) {
  if (arg->map < 0) return element;
  const struct rmap *map = &r->p->maps[r->call->map[arg->map]];
  return map->idx[element * map->arity + (arg->kind == R_SLOT ? arg->slot : slot)];
}

static unsigned char *value_at(const struct runner *r, const struct rarg *arg, int64_t element, int slot, int comp) {
  unsigned char *data = r->p->dats[r->call->dat[arg->dat]].data;
  return data + (size_t)(target(r, arg, element, slot) * arg->dim + comp) * size_of(arg->type);
}

static void gather(const struct runner *r, int a, int64_t element, struct rframe *f) {
  const struct rarg *arg = &r->k->args[a];
  for (int s = 0; s < arg->slots; s++)
    for (int c = 0; c < arg->dim; c++) {
      union rvalue *v = &f->arg[a][s * arg->dim + c];
      const unsigned char *at = NULL;
      memset(v, 0, sizeof *v);
      if (arg->kind == R_IDX) v->u = (uint64_t)element;
      else if (arg->kind == R_VAL) at = r->call->value[a] + (size_t)c * size_of(arg->type);
      else if (arg->kind == R_GBL) at = r->p->gbls[r->call->dat[arg->dat]].data + (size_t)c * size_of(arg->type);
      else at = value_at(r, arg, element, s, c);
      if (at && arg->access != OP2_INC && arg->access != OP2_WRITE) *v = load(arg->type, at);
    }
}

static union rvalue combine(op2_access access, op2_type type, union rvalue old, union rvalue v) {
  switch (access) {
  case OP2_INC: return plus(type, old, v);
  case OP2_MIN: return less(type, v, old) ? v : old;
  case OP2_MAX: return less(type, old, v) ? v : old;
  default: return v;
  }
}

static void note_scale(struct rprogram *p, op2_type type, union rvalue v) {
  if (!is_float(type)) return;
  double *scale = type == OP2_F64 ? &p->scale64 : &p->scale32;
  *scale = fmax(*scale, fabs(as_double(type, v)));
}

static void note_collision(struct runner *r, const struct rarg *arg, const unsigned char *at, union rvalue v) {
  const size_t size = size_of(arg->type);
  const unsigned char *data = r->p->dats[r->call->dat[arg->dat]].data;
  unsigned char *mark = &r->written[arg->dat][(size_t)(at - data) / size], cut[8];
  store(arg->type, cut, v);
  if (*mark && memcmp(cut, at, size) != 0) r->agree = false;
  *mark = 1;
}

static void scatter(struct runner *r, int a, int64_t element, const struct rframe *f, bool counts) {
  const struct rarg *arg = &r->k->args[a];
  if (arg->access == OP2_READ || (arg->kind == R_GBL && !counts)) return;
  for (int s = 0; s < arg->slots; s++)
    for (int c = 0; c < arg->dim; c++) {
      unsigned char *at = arg->kind == R_GBL
                              ? r->p->gbls[r->call->dat[arg->dat]].data + (size_t)c * size_of(arg->type)
                              : value_at(r, arg, element, s, c);
      const union rvalue v = combine(arg->access, arg->type, load(arg->type, at), f->arg[a][s * arg->dim + c]);
      if (arg->access == OP2_WRITE && arg->map >= 0) note_collision(r, arg, at, v);
      store(arg->type, at, v);
      note_scale(r->p, arg->type, v);
    }
}

static void run_element(struct runner *r, int64_t element, bool counts) {
  struct rframe f;
  memset(&f, 0, sizeof f);
  for (int c = 0; c < R_CONSTS; c++)
    for (int i = 0; i < rconsts[c].dim; i++)
      f.cst[c][i] = load(rconsts[c].type, r->p->cst[c] + (size_t)i * size_of(rconsts[c].type));
  for (int a = 0; a < r->k->nargs; a++) gather(r, a, element, &f);
  rkernel_run(r->k, &f);
  for (int a = 0; a < r->k->nargs; a++) scatter(r, a, element, &f, counts);
}

bool rcall_run(struct rprogram *p, const struct rcall *call) {
  struct runner r = {p, call, call->kernel, NULL, true};
  const struct rset *set = &p->sets[call->set];
  unsigned char *written[R_GROUPS] = {NULL};
  r.written = written;
  for (int a = 0; a < r.k->nargs; a++) {
    const struct rarg *arg = &r.k->args[a];
    if (arg->kind > R_ITER || arg->map < 0 || arg->access != OP2_WRITE || written[arg->dat]) continue;
    const struct rdat *dat = &p->dats[call->dat[arg->dat]];
    written[arg->dat] = room((size_t)(p->sets[dat->set].ends[3] * dat->dim));
  }
  /* What is modified through a map is also modified by the exec halo, which does not count in reductions. */
  const int64_t owned = set->ends[1], end = r.k->indirect_write ? set->ends[2] : owned;
  for (int64_t i = 0; i < end; i++) run_element(&r, set->idx ? set->idx[i] : i, i < owned);
  for (int g = 0; g < R_GROUPS; g++) free(written[g]);
  return r.agree;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reference.h"

static size_t width(op2_type type) {
  return type == OP2_F64 || type == OP2_I64 || type == OP2_U64 ? 8 : 4;
}

void problem_set(problem *p, int64_t size) { p->size[p->nset++] = size; }

int32_t *problem_map_rows(problem *p, int from, int to, int arity) {
  int32_t *rows = reference_alloc((size_t)(p->size[from] * arity) * sizeof *rows);
  p->failed = p->failed || !rows;
  p->map[p->nmap++] = (problem_map){from, to, arity, rows, false};
  return rows;
}

int64_t problem_rows(const problem *p, int dat) {
  return p->dat[dat].set < 0 ? 1 : p->size[p->dat[dat].set];
}

size_t problem_bytes(const problem *p, int dat) {
  const problem_dat *d = &p->dat[dat];
  return (size_t)(problem_rows(p, dat) * d->dim) * width(d->type);
}

static void put(void *data, op2_type type, int64_t at, double value) {
  switch (type) {
  case OP2_F32: ((float *)data)[at] = (float)value; break;
  case OP2_I32: ((int32_t *)data)[at] = (int32_t)value; break;
  case OP2_U32: ((uint32_t *)data)[at] = (uint32_t)value; break;
  default: ((double *)data)[at] = value;
  }
}

static double get(const void *data, op2_type type, int64_t at) {
  switch (type) {
  case OP2_F32: return ((const float *)data)[at];
  case OP2_I32: return ((const int32_t *)data)[at];
  case OP2_U32: return ((const uint32_t *)data)[at];
  default: return ((const double *)data)[at];
  }
}

static void fill(const problem *p, int dat) {
  const problem_dat *d = &p->dat[dat];
  for (int64_t i = 0; i < problem_rows(p, dat); i++)
    for (int k = 0; k < d->dim; k++) put(d->data, d->type, i * d->dim + k, d->value(p, i, k));
}

void problem_dat_add(problem *p, int set, int dim, op2_type type, problem_use use,
                     problem_value *value) {
  problem_dat *d = &p->dat[p->ndat++];
  *d = (problem_dat){set, dim, type, use, value, NULL, NULL};
  d->data = reference_alloc(problem_bytes(p, p->ndat - 1) + 64);
  p->failed = p->failed || !d->data;
  if (d->data) fill(p, p->ndat - 1);
}

void problem_global(problem *p, int dim, op2_type type, problem_value *value) {
  problem_dat_add(p, -1, dim, type, READ, value);
}

void problem_free(problem *p) {
  for (int m = 0; m < p->nmap; m++) free(p->map[m].rows);
  for (int d = 0; d < p->ndat; d++) free(p->dat[d].data), free(p->dat[d].expected);
  *p = (problem){0};
}

void problem_reset(problem *p) {
  for (int d = 0; d < p->ndat; d++)
    if (p->dat[d].use & WRITTEN) fill(p, d);
}

void problem_spoil(problem *p, int dat) {
  const problem_dat *d = &p->dat[dat];
  const int64_t at = problem_rows(p, dat) * d->dim / 2;
  put(d->data, d->type, at, get(d->data, d->type, at) * 1.01 + 1);
}

static double map_bytes(const problem *p) {
  double bytes = 0;
  for (int m = 0; m < p->nmap; m++)
    bytes += (double)p->size[p->map[m].from] * p->map[m].arity * (double)sizeof(int32_t);
  return bytes;
}

double problem_traffic(const problem *p) {
  double bytes = map_bytes(p);
  for (int d = 0; d < p->ndat; d++)
    bytes += (double)problem_bytes(p, d) * (p->dat[d].use == CHANGED ? 2 : 1);
  return bytes;
}

double problem_footprint(const problem *p) {
  double bytes = map_bytes(p);
  for (int d = 0; d < p->ndat; d++) bytes += (double)problem_bytes(p, d);
  return bytes;
}

double problem_difference(const problem *p, int dat) {
  const problem_dat *d = &p->dat[dat];
  double most = 0, off = 0;
  for (int64_t i = 0; i < problem_rows(p, dat) * d->dim; i++) {
    const double mine = get(d->data, d->type, i), theirs = get(d->expected, d->type, i);
    if (!isfinite(mine) || !isfinite(theirs)) return INFINITY;
    most = fmax(most, fabs(theirs));
    off = fmax(off, fabs(mine - theirs));
  }
  return off > 0 ? off / most : 0;
}

double problem_zero(const problem *p, int64_t i, int k) {
  (void)p, (void)i, (void)k;
  return 0;
}

double problem_mixed(const problem *p, int64_t i, int k) {
  (void)p;
  uint64_t h = ((uint64_t)i * 31 + (uint64_t)k + 1) * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return 0.5 + (double)(h >> 11) / 9007199254740992.0;
}

double problem_wide(const problem *p, int64_t i, int k) { return 20 * problem_mixed(p, i, k) - 20; }
double problem_unit(const problem *p, int64_t i, int k) { return 2 * problem_mixed(p, i, k) - 2; }

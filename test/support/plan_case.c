/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_case.h"

#include <stdlib.h>
#include <string.h>

uint64_t plan_case_draw(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static int32_t below(uint64_t *state, int64_t n) {
  return (int32_t)(plan_case_draw(state) % (uint64_t)n);
}

static void *room(int64_t count, size_t bytes) {
  void *memory = malloc(((size_t)count + 1) * bytes);
  if (!memory) exit(2);
  return memory;
}

/* ---- random cases ---- */

static bool meet(const struct op2i_plan_desc *desc, const struct op2i_plan_arg *a, int64_t p,
                 const struct op2i_plan_arg *b, int64_t q) {
  int64_t e = desc->subset ? desc->subset[p] : p, f = desc->subset ? desc->subset[q] : q;
  for (int32_t i = 0; i < a->arity; i++)
    for (int32_t j = 0; j < b->arity; j++)
      if ((a->slot < 0 || a->slot == i) && (b->slot < 0 || b->slot == j) &&
          a->idx[e * a->arity + i] == b->idx[f * b->arity + j])
        return true;
  return false;
}

static void random_range(struct plan_case *c, uint64_t *state) {
  static const int32_t sizes[] = {1, 2, 7, 1000, INT32_MAX};
  struct op2i_plan_desc *desc = &c->desc;
  int64_t positions = c->elements;
  if (below(state, 3) == 0) {
    positions = 1 + below(state, 2 * c->elements);
    c->subset = room(positions, sizeof *c->subset);
    for (int64_t p = 0; p < positions; p++) c->subset[p] = below(state, c->elements);
    desc->subset = c->subset;
  }
  desc->hi = positions;
  if (below(state, 2)) desc->lo = below(state, positions);
  if (below(state, 2)) desc->hi = desc->lo + below(state, positions - desc->lo + 1);
  desc->block_size = sizes[below(state, 5)];
  desc->ordered = below(state, 3) == 0;
  desc->parts = (unsigned)below(state, 4);
}

/* Mark some of the dats that are injective as such. */
static void call_injective(struct plan_case *c, uint64_t *state) {
  struct op2i_plan_desc *desc = &c->desc;
  for (int32_t dat = 0; dat < CASE_DATS; dat++) {
    bool met = below(state, 4) == 0;
    for (int64_t p = desc->lo; p < desc->hi; p++)
      for (int64_t q = desc->lo; q < p && !met; q++)
        for (int a = 0; a < desc->nargs; a++)
          for (int b = 0; b < desc->nargs; b++)
            met |= c->args[a].dat == dat && c->args[b].dat == dat &&
                   meet(desc, &c->args[a], p, &c->args[b], q);
    for (int a = 0; a < desc->nargs; a++) c->args[a].injective |= c->args[a].dat == dat && !met;
  }
}

void plan_case_random(struct plan_case *c, uint64_t seed) {
  static const op2_access accesses[] = {OP2_READ, OP2_WRITE, OP2_RW, OP2_INC, OP2_MIN, OP2_MAX};
  uint64_t state = seed;
  int32_t sizes[CASE_SETS], arity[CASE_MAPS];
  memset(c, 0, sizeof *c);
  c->elements = 1 + below(&state, 45);
  for (int s = 0; s < CASE_SETS; s++) sizes[s] = 1 + below(&state, below(&state, 3) ? 40 : 400);
  for (int m = 0; m < CASE_MAPS; m++) {
    arity[m] = 1 + below(&state, 4);
    c->maps[m] = room(c->elements * arity[m], sizeof(int32_t));
    for (int64_t i = 0; i < c->elements * arity[m]; i++)
      c->maps[m][i] = below(&state, sizes[m % CASE_SETS]);
  }
  c->desc.nargs = below(&state, CASE_ARGS + 1);
  c->desc.args = c->args;
  for (int a = 0; a < c->desc.nargs; a++) {
    int m = below(&state, CASE_MAPS);
    c->args[a] = (struct op2i_plan_arg){.dat = below(&state, CASE_DATS / CASE_SETS) * CASE_SETS +
                                               m % CASE_SETS,
                                        .map = m,
                                        .idx = c->maps[m],
                                        .arity = arity[m],
                                        .slot = below(&state, 3) ? below(&state, arity[m]) : -1,
                                        .access = accesses[below(&state, 6)],
                                        .target_size = sizes[m % CASE_SETS]};
    c->args[a].row_bytes = 4 + 8 * c->args[a].dat;
  }
  random_range(c, &state);
  call_injective(c, &state);
}

void plan_case_free(struct plan_case *c) {
  for (int m = 0; m < CASE_MAPS; m++) free(c->maps[m]);
  free(c->subset);
  memset(c, 0, sizeof *c);
}

/* ---- colours by definition ---- */

static bool positions_conflict(const struct op2i_plan_desc *desc, int64_t p, int64_t q) {
  for (int a = 0; a < desc->nargs; a++)
    for (int b = 0; b < desc->nargs; b++) {
      int modifying = (desc->args[a].access != OP2_READ) + (desc->args[b].access != OP2_READ);
      if (desc->args[a].dat == desc->args[b].dat && modifying >= (desc->ordered ? 1 : 2) &&
          meet(desc, &desc->args[a], p, &desc->args[b], q))
        return true;
    }
  return false;
}

static bool units_conflict(const struct op2i_plan_desc *desc, int64_t lo, int64_t hi, int64_t unit,
                           int64_t u, int64_t v) {
  for (int64_t p = lo + u * unit; p < lo + (u + 1) * unit && p < hi; p++)
    for (int64_t q = lo + v * unit; q < lo + (v + 1) * unit && q < hi; q++)
      if (positions_conflict(desc, p, q)) return true;
  return false;
}

void plan_case_colours(const struct op2i_plan_desc *desc, int64_t lo, int64_t hi, int64_t unit,
                       int32_t *color, int32_t *ncolors) {
  int64_t count = (hi - lo + unit - 1) / unit;
  bool *taken = room(count, sizeof *taken);
  *ncolors = 0;
  for (int64_t u = 0; u < count; u++) {
    int32_t highest = -1, least = 0;
    memset(taken, 0, (size_t)count * sizeof *taken);
    for (int64_t v = 0; v < u; v++) {
      if (!units_conflict(desc, lo, hi, unit, u, v)) continue;
      taken[color[v]] = true;
      if (color[v] > highest) highest = color[v];
    }
    while (taken[least]) least++;
    color[u] = desc->ordered ? highest + 1 : least;
    if (color[u] >= *ncolors) *ncolors = color[u] + 1;
  }
  free(taken);
}

/* ---- comparison ---- */

static bool same(const void *a, const void *b, int64_t count, size_t bytes) {
  return (!a && !b) || (a && b && memcmp(a, b, (size_t)count * bytes) == 0);
}

#define SAME(field, count)                                                                         \
  if (!same(a->field, b->field, (count), sizeof *a->field)) return #field
#define EQUAL(field)                                                                               \
  if (a->field != b->field) return #field

static const char *stage_difference(const struct op2i_plan_stage *a,
                                    const struct op2i_plan_stage *b, int32_t nblocks) {
  EQUAL(dat);
  EQUAL(map);
  EQUAL(row_bytes);
  EQUAL(ind_total);
  SAME(ind_map, a->ind_total);
  SAME(ind_offs, nblocks);
  SAME(ind_sizes, nblocks);
  return NULL;
}

static const char *staging_difference(const struct op2i_plan *a, const struct op2i_plan *b,
                                      int nargs) {
  EQUAL(nstages);
  EQUAL(nloc);
  EQUAL(loc_wide);
  EQUAL(shared_bytes);
  SAME(arg_stage, nargs);
  SAME(arg_loc, nargs);
  for (int s = 0; s < a->nstages; s++) {
    const char *difference = stage_difference(&a->stages[s], &b->stages[s], a->nblocks);
    if (difference) return difference;
  }
  for (int c = 0; c < a->nloc && a->loc_map16; c++) SAME(loc_map16[c], a->hi - a->lo);
  for (int c = 0; c < a->nloc && a->loc_map32; c++) SAME(loc_map32[c], a->hi - a->lo);
  return NULL;
}

const char *plan_case_difference(const struct op2i_plan *a, const struct op2i_plan *b, int nargs) {
  EQUAL(lo);
  EQUAL(hi);
  EQUAL(block_size);
  EQUAL(nblocks);
  EQUAL(ordered);
  EQUAL(conflicts);
  EQUAL(ncolors);
  EQUAL(parts);
  SAME(color, a->nblocks);
  SAME(color_offs, a->ncolors + 1);
  SAME(blkmap, a->nblocks);
  SAME(nthrcol, a->nblocks);
  SAME(thrcol, a->hi - a->lo);
  return staging_difference(a, b, nargs);
}

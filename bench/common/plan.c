/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Give the block the least colour from `base` to `base` + 63 that none of its targets has; returns
 * false if there is none. */
static bool colour_block(const plan *p, int64_t block, const int32_t *map, int arity, int64_t base,
                         uint64_t *taken, int64_t *colour) {
  const int64_t first = arity * block * p->size, last = arity * plan_block_end(p, block);
  uint64_t seen = 0;
  for (int64_t i = first; i < last; i++) seen |= taken[map[i]];
  if (seen == UINT64_MAX) return false;
  const int bit = __builtin_ctzll(~seen);
  for (int64_t i = first; i < last; i++) taken[map[i]] |= UINT64_C(1) << bit;
  *colour = base + bit;
  return true;
}

/* Greedy colouring; blocks for which none of 64 colours is free wait for the next 64. */
static int colour_blocks(plan *p, const int32_t *map, int arity, int64_t ntarget, int64_t *colour) {
  uint64_t *taken = malloc((size_t)ntarget * sizeof *taken);
  if (!taken) return -1;
  int64_t left = p->nblock;
  for (int64_t b = 0; b < p->nblock; b++) colour[b] = -1;
  for (int64_t base = 0; left > 0; base += 64) {
    memset(taken, 0, (size_t)ntarget * sizeof *taken);
    for (int64_t b = 0; b < p->nblock; b++) {
      if (colour[b] >= 0 || !colour_block(p, b, map, arity, base, taken, &colour[b])) continue;
      left--;
      if (colour[b] >= p->ncolour) p->ncolour = colour[b] + 1;
    }
  }
  free(taken);
  return 0;
}

/* Counting sort, stable within a colour. */
static int sort_blocks(plan *p, const int64_t *colour) {
  p->order = malloc(((size_t)p->nblock + 1) * sizeof *p->order);
  p->start = calloc((size_t)p->ncolour + 2, sizeof *p->start);
  if (!p->order || !p->start) return -1;
  for (int64_t b = 0; b < p->nblock; b++) p->start[colour[b] + 2]++;
  for (int64_t k = 2; k < p->ncolour + 2; k++) p->start[k] += p->start[k - 1];
  for (int64_t b = 0; b < p->nblock; b++) p->order[p->start[colour[b] + 1]++] = b;
  return 0;
}

int plan_create(plan *p, const int32_t *map, int64_t n, int arity, int64_t ntarget, int64_t size,
                bench_error *error) {
  *p = (plan){.n = n, .size = size, .nblock = (n + size - 1) / size};
  int64_t *colour = malloc(((size_t)p->nblock + 1) * sizeof *colour);
  const bool good =
      colour && !colour_blocks(p, map, arity, ntarget, colour) && !sort_blocks(p, colour);
  free(colour);
  if (good) return 0;
  plan_free(p);
  return bench_fail(error, "out of memory for a plan");
}

void plan_free(plan *p) {
  free(p->order);
  free(p->start);
  *p = (plan){0};
}

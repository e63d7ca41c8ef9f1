/* SPDX-License-Identifier: BSD-3-Clause */
#include "pieces.h"

#include <stdlib.h>

static int list_places(pieces *p, const int32_t *map, int64_t n, int64_t ntarget) {
  p->first = calloc((size_t)ntarget + 2, sizeof *p->first);
  p->at = malloc(((size_t)n + 1) * sizeof *p->at);
  if (!p->first || !p->at) return -1;
  for (int64_t i = 0; i < n; i++) p->first[map[i] + 2]++;
  for (int64_t t = 2; t < ntarget + 2; t++) p->first[t] += p->first[t - 1];
  for (int64_t i = 0; i < n; i++) p->at[p->first[map[i] + 1]++] = (int32_t)i;
  return 0;
}

/* No two elements store to one place, so that all pieces get one colour. */
static void join_colours(plan *p) {
  p->ncolour = 1;
  p->start[1] = p->nblock;
}

int pieces_create(pieces *p, const int32_t *map, int64_t n, int arity, int64_t ntarget,
                  int64_t size, int threads, int width, bench_error *error) {
  *p = (pieces){0};
  if (size == 0) size = n / (threads > 1 ? 2 * threads : 1) + 1;
  size = (size + width - 1) / width * width;
  if (plan_create(&p->plan, map, n, arity, ntarget, size, error)) return -1;
  if (p->plan.ncolour - 1 <= p->plan.nblock / threads) return 0;
  join_colours(&p->plan);
  if (list_places(p, map, n * arity, ntarget) == 0) return 0;
  pieces_free(p);
  return bench_fail(error, "out of memory for lists of elements");
}

void pieces_free(pieces *p) {
  plan_free(&p->plan);
  free(p->first);
  free(p->at);
  *p = (pieces){0};
}

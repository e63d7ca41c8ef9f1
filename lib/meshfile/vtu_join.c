/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of a grid repeat the nodes between them. Nodes of different pieces at the same place become
 * one; those of one piece stay apart, as at a crack. */
#include <stdlib.h>
#include <string.h>

#include "vtu_read.h"

struct place {
  double x[3];
  int64_t piece, node;
};

static int by_place(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->x[k] != y->x[k]) return x->x[k] < y->x[k] ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static bool same_place(const struct place *a, const struct place *b) {
  return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

/* Set joined[i] to the node that stands for node i. In a run of nodes of one place, which ascend, the k-th
 * of each piece is the same as the k-th of the pieces before. */
static void find_same(const struct place *places, int64_t n, int64_t *stand, int64_t *joined) {
  for (int64_t begin = 0, end; begin < n; begin = end) {
    int64_t distinct = 0, k = 0;
    for (end = begin; end < n && same_place(&places[begin], &places[end]); end++) {
      if (end > begin && places[end].piece != places[end - 1].piece) k = 0;
      if (k == distinct) stand[begin + distinct++] = places[end].node;
      joined[places[end].node] = stand[begin + k++];
    }
  }
}

static void fill_places(const struct op2i_raw *raw, const struct op2i_vtu_pieces *pieces,
                        struct place *places) {
  int64_t piece = 0;
  for (int64_t i = 0; i < raw->nnodes; i++) {
    while (piece + 1 < pieces->n && pieces->first[piece + 1] <= i) piece++;
    places[i].piece = piece;
    places[i].node = i;
    memcpy(places[i].x, raw->x + 3 * i, sizeof places[i].x);
  }
}

/* Keep the nodes that stand for themselves, and number the nodes of elements anew. */
static void keep_joined(struct op2i_raw *raw, int64_t *joined) {
  int64_t n = 0;
  for (int64_t i = 0; i < raw->nnodes; i++) {
    if (joined[i] != i) { /* it is lower, and so has its new number */
      joined[i] = joined[joined[i]];
      continue;
    }
    memmove(raw->x + 3 * n, raw->x + 3 * i, 3 * sizeof *raw->x);
    raw->tag[n] = n;
    joined[i] = n++;
  }
  raw->nnodes = n;
  for (int d = 0; d < 4; d++)
    for (int64_t i = 0; i < op2i_element_begin(&raw->of[d], raw->of[d].n); i++)
      raw->of[d].node[i] = joined[raw->of[d].node[i]];
}

bool op2i_vtu_pieces_join(struct op2i_scan *scan, struct op2i_raw *raw,
                          const struct op2i_vtu_pieces *pieces) {
  if (pieces->n < 2) return true;
  const size_t n = (size_t)raw->nnodes;
  struct place *places = raw->op2->calloc(n + 1, sizeof *places);
  int64_t *stand = raw->op2->calloc(n + 1, sizeof *stand);
  int64_t *joined = raw->op2->calloc(n + 1, sizeof *joined);
  const bool good = places && stand && joined;
  if (good) {
    fill_places(raw, pieces, places);
    qsort(places, n, sizeof *places, by_place);
    find_same(places, raw->nnodes, stand, joined);
    keep_joined(raw, joined);
  }
  raw->op2->free(places);
  raw->op2->free(stand);
  raw->op2->free(joined);
  return good || op2i_scan_nomem(scan);
}

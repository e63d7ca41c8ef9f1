/* SPDX-License-Identifier: BSD-3-Clause */
/* Compact groups of targets. A group of consecutive rows of a mesh is a strip, whose elements also
 * reach the rows on both of its long sides, so a group reads each row several times, or computes
 * elements that other groups compute as well. Groups are grown by breadth-first search instead: on
 * quadrilaterals that are numbered row by row they meet 1.13 times as many elements as must be,
 * and strips 1.5 times. */
#include "device_order.h"

#include <stdlib.h>

#include "error.h"
#include "loop_device.h"
#include "mem.h"
#include "sort.h"

/* SAMPLE: groups that are grown to see what is saved; WORTH: share of the elements of a group that
 * must be saved. */
enum { GROUP = OP2I_DEVICE_GROUP, SAMPLE = 64 };
static const double WORTH = 0.1;

struct growth {
  const struct op2i_device_links *links;
  unsigned char *placed; /* [nrows] */
  int32_t *order;        /* [nreached], of which n are placed */
  int64_t n, next;       /* next: all reached rows below it are placed */
};

static int64_t element_of(const struct op2i_device_links *l, int64_t entry) {
  return (int64_t)(uint32_t)l->entries[entry] / l->ncolumns;
}

static void place(struct growth *g, int64_t row) {
  g->placed[row] = 1;
  g->order[g->n++] = (int32_t)row;
}

/* Return the lowest row that is reached and not placed yet. */
static int64_t seed(struct growth *g) {
  const int32_t *begin = g->links->begin;
  while (g->placed[g->next] || begin[g->next] == begin[g->next + 1]) g->next++;
  return g->next;
}

/* Place the rows that share an element with `row`, as long as fewer than `end` are placed. */
static void place_neighbours(struct growth *g, int64_t row, int64_t end) {
  const struct op2i_device_links *l = g->links;
  for (int64_t i = l->begin[row]; i < l->begin[row + 1]; i++)
    for (int c = 0; c < l->ncolumns && g->n < end; c++) {
      int32_t other = l->target(l->data, element_of(l, i), c);
      bool reached = l->begin[other + 1] > l->begin[other];
      if (reached && !g->placed[other]) place(g, other);
    }
}

static int ascending(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Grow groups until `limit` rows are placed. The placed rows of a group are the search's queue. */
static void grow(struct growth *g, int64_t limit) {
  while (g->n < limit) {
    int64_t lo = g->n, from = lo;
    int64_t end = lo + GROUP < g->links->nreached ? lo + GROUP : g->links->nreached;
    while (g->n < end) {
      if (from < g->n)
        place_neighbours(g, g->order[from++], end);
      else
        place(g, seed(g));
    }
    qsort(g->order + lo, (size_t)(end - lo), sizeof *g->order, ascending);
  }
}

/* Count the elements that groups meet, each once for each group. */
static op2_status count_elements(const struct op2i_device_links *l, const int32_t *order,
                                 int64_t nrows, int64_t *count) {
  int64_t total = 0, n = 0;
  for (int64_t k = 0; k < nrows; k++) total += l->begin[order[k] + 1] - l->begin[order[k]];
  int64_t *keys = op2i_malloc((size_t)(total + 1) * sizeof *keys);
  if (!keys) return op2i_error_nomem("the order of targets on a device");
  for (int64_t k = 0; k < nrows; k++)
    for (int64_t i = l->begin[order[k]]; i < l->begin[order[k] + 1]; i++)
      keys[n++] = (k / GROUP) << 32 | element_of(l, i);
  op2_status status = op2i_sort(n, keys, NULL);
  *count = 0;
  for (int64_t i = 0; i < n && !status; i++) *count += i == 0 || keys[i] != keys[i - 1];
  op2i_free(keys);
  return status;
}

/* Grow the first groups, and return whether they meet clearly fewer elements than strips do. */
static op2_status try_some(struct growth *g, const int32_t *reached, bool *worth) {
  int64_t limit = SAMPLE * GROUP, strips, compact;
  if (limit > g->links->nreached) limit = g->links->nreached;
  grow(g, limit);
  op2_status status = count_elements(g->links, reached, limit, &strips);
  if (!status) status = count_elements(g->links, g->order, g->n, &compact);
  *worth = !status && (double)compact < (1 - WORTH) * (double)strips;
  return status;
}

op2_status op2i_device_order(const struct op2i_device_links *links, int32_t *reached, bool *moved) {
  bool worth = false;
  struct growth g = {.links = links};
  *moved = false;
  if (links->ncolumns < 2 || links->nreached <= GROUP) return OP2_SUCCESS;
  g.placed = op2i_calloc((size_t)links->nrows, 1);
  g.order = op2i_malloc((size_t)links->nreached * sizeof *g.order);
  op2_status status =
      g.placed && g.order ? OP2_SUCCESS : op2i_error_nomem("the order of targets on a device");
  if (!status) status = try_some(&g, reached, &worth);
  if (worth) {
    grow(&g, links->nreached);
    for (int64_t k = 0; k < links->nreached; k++) reached[k] = g.order[k];
  }
  *moved = worth;
  op2i_free(g.placed);
  op2i_free(g.order);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Compact groups of targets. A group of consecutive rows of a mesh is a strip, whose elements also
 * reach the rows on both of its long sides, so groups compute many elements that other groups compute
 * as well. Groups are grown run by run instead, each run from the neighbours of the one before: with
 * waves of 32, on quadrilaterals that are numbered row by row they are 32 by 4, and meet 1.14 times as
 * many elements as must be, where strips meet 1.5 times as many. A run is what a wave loads together,
 * so it should consist of consecutive rows: square groups meet fewer elements, and were slower. */
#include "device_order.h"

#include <stdlib.h>

#include "error.h"
#include "loop_device.h"
#include "mem.h"
#include "sort.h"

/* SAMPLE: groups that are grown to see what is saved;
 * AROUND: the most neighbours of a run that are looked at. */
enum { GROUP = OP2I_DEVICE_GROUP, SAMPLE = 64, AROUND = 1024 };
/* BREAK: cost of two targets of a group that are neighbours there and do not have consecutive numbers,
 * in elements; WORTH: share of the cost that must be saved. */
static const double BREAK = 4, WORTH = 0.1;
enum { FREE, PLACED, SEEN };

struct growth {
  const struct op2i_device_links *links;
  unsigned char *state; /* [nrows] */
  int32_t *order;       /* [nreached], of which n are placed */
  int64_t n, next;      /* next: all reached rows below it are placed */
  int32_t around[AROUND];
  int naround;
};

static int64_t element_of(const struct op2i_device_links *l, int64_t entry) {
  return (int64_t)(uint32_t)l->entries[entry] / l->ncolumns;
}

static void place_row(struct growth *g, int64_t row) {
  g->state[row] = PLACED;
  g->order[g->n++] = (int32_t)row;
}

/* Return the lowest row that is reached and not placed yet. */
static int64_t lowest(struct growth *g) {
  const int32_t *begin = g->links->begin;
  while (g->state[g->next] == PLACED || begin[g->next] == begin[g->next + 1]) g->next++;
  return g->next;
}

/* Add the rows that share an element with `row` and are not placed yet to those around the run. */
static void look_around(struct growth *g, int64_t row) {
  const struct op2i_device_links *l = g->links;
  for (int64_t i = l->begin[row]; i < l->begin[row + 1]; i++)
    for (int c = 0; c < l->ncolumns && g->naround < AROUND; c++) {
      int32_t other = l->target(l->data, element_of(l, i), c);
      if (g->state[other] != FREE || l->begin[other + 1] == l->begin[other]) continue;
      g->state[other] = SEEN;
      g->around[g->naround++] = other;
    }
}

static int ascending(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void sort(int32_t *rows, int64_t n) { qsort(rows, (size_t)n, sizeof *rows, ascending); }

/* Place a run that ends at `end`: the highest rows around the one that begins at `from`, because lower
 * ones lie beside it rather than behind it; and the lowest rows that are left. */
static void place_run(struct growth *g, int64_t from, int64_t end) {
  int64_t lo = g->n;
  g->naround = 0;
  for (int64_t k = from; k < lo; k++) look_around(g, g->order[k]);
  sort(g->around, g->naround);
  for (int k = 0; k < g->naround; k++) g->state[g->around[k]] = FREE;
  while (g->naround > 0 && g->n < end) place_row(g, g->around[--g->naround]);
  while (g->n < end) place_row(g, lowest(g));
  sort(g->order + lo, end - lo);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Grow groups until `limit` rows are placed. */
static void grow(struct growth *g, int64_t limit) {
  while (g->n < limit) {
    int64_t end = least(g->n + GROUP, g->links->nreached), from = g->n;
    while (g->n < end) {
      int64_t lo = g->n;
      place_run(g, from, least(lo + g->links->run, end));
      from = lo;
    }
  }
}

/* Return what the first rows of an order cost: the elements that each group meets, and breaks. */
static op2_status cost_of(const struct op2i_device_links *l, const int32_t *order, int64_t nrows,
                          double *cost) {
  int64_t total = 0, n = 0;
  for (int64_t k = 0; k < nrows; k++) total += l->begin[order[k] + 1] - l->begin[order[k]];
  int64_t *keys = op2i_malloc((size_t)(total + 1) * sizeof *keys);
  if (!keys) return op2i_error_nomem("the order of targets on a device");
  for (int64_t k = 0; k < nrows; k++)
    for (int64_t i = l->begin[order[k]]; i < l->begin[order[k] + 1]; i++)
      keys[n++] = (k / GROUP) << 32 | element_of(l, i);
  op2_status status = op2i_sort(n, keys, NULL);
  *cost = 0;
  for (int64_t i = 0; i < n && !status; i++) *cost += i == 0 || keys[i] != keys[i - 1];
  for (int64_t k = 1; k < nrows; k++) *cost += order[k] == order[k - 1] + 1 ? 0 : BREAK;
  op2i_free(keys);
  return status;
}

/* Grow the first groups, and see whether they cost clearly less than strips do. */
static op2_status try_some(struct growth *g, const int32_t *reached, bool *worth) {
  int64_t limit = least(SAMPLE * GROUP, g->links->nreached);
  double strips = 0, compact = 0;
  grow(g, limit);
  op2_status status = cost_of(g->links, reached, limit, &strips);
  if (!status) status = cost_of(g->links, g->order, limit, &compact);
  *worth = !status && compact < (1 - WORTH) * strips;
  return status;
}

op2_status op2i_device_order(const struct op2i_device_links *links, int32_t *reached, bool *moved) {
  bool worth = false;
  struct growth g = {.links = links};
  *moved = false;
  if (links->ncolumns < 2 || links->nreached <= GROUP) return OP2_SUCCESS;
  g.state = op2i_calloc((size_t)links->nrows, 1);
  g.order = op2i_malloc((size_t)links->nreached * sizeof *g.order);
  op2_status status =
      g.state && g.order ? OP2_SUCCESS : op2i_error_nomem("the order of targets on a device");
  if (!status) status = try_some(&g, reached, &worth);
  if (worth) {
    grow(&g, links->nreached);
    for (int64_t k = 0; k < links->nreached; k++) reached[k] = g.order[k];
  }
  *moved = worth;
  op2i_free(g.state);
  op2i_free(g.order);
  return status;
}

void op2i_device_follow(const struct op2i_device_links *links, const int32_t *reached,
                        int32_t *starts, int32_t *entries) {
  const int32_t *begin = links->begin;
  int32_t at = 0;
  for (int64_t k = 0; k < links->nreached; k++) {
    starts[k] = at;
    for (int32_t i = begin[reached[k]]; i < begin[reached[k] + 1]; i++)
      entries[at++] = links->entries[i];
  }
  starts[links->nreached] = at;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive coordinate bisection on all ranks at once. Elements stay where they are, and only the
 * box of each is recorded. A box holds the elements of a range of ranks. It is cut across its
 * longest side, so that as many elements lie below the cut as the lower half of these ranks is to
 * own; the cut is found by halving intervals and counting. Of elements with equal coordinates,
 * those with lower global numbers lie below, so that the parts depend on coordinates and numbers
 * alone. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "part.h"
#include "part_graph.h"
#include "part_method.h"
#include "sort.h"

enum { DIMS = 3 };

struct box {
  int first, end; /* ranks */
  int64_t n;      /* elements, on all ranks */
  int dim;        /* dimension across which it is cut; -1: it is not cut */
  int64_t want;   /* elements below the cut */
  /* elements below: those with a coordinate before `cut`, or at it and a number up to `tie` */
  int64_t cut, tie;
};

struct bisection {
  struct op2i_comm *comm;
  int64_t n, *number; /* elements of this rank */
  int dims;
  int64_t *place[DIMS]; /* [n] coordinates, as integers with the same ordering */
  int32_t *box;         /* [n] box of each element */
  /* [n] elements sorted by box, coordinate across which it is cut, and number */
  int64_t *order, *key;
  int nboxes;
  struct box *boxes, *next;          /* [ranks] */
  int64_t *starts;                   /* [ranks + 1] start of each box in `order` */
  int64_t *low, *high, *mid, *count; /* [ranks] intervals of the binary search in each box */
};

/* ---- coordinates ----------------------------------------------------------------------------- */

/* Map numbers to integers with the same ordering; both zeros give the same integer. */
static int64_t ordered(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

static double back(int64_t place) {
  int64_t bits = place < 0 ? INT64_MIN - place : place;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double value(const op2_dat dat, const void *values, int64_t i) {
  return dat->type == OP2_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static op2_status read_places(struct bisection *b, op2_dat dat, const void *values) {
  for (int64_t i = 0; i < b->n; i++)
    for (int d = 0; d < b->dims; d++) {
      double x = value(dat, values, i * b->dims + d);
      if (!isfinite(x))
        return op2i_error(OP2_ERR_RANGE,
                          "op2_partition: dat '%s': coordinate %d of element %" PRId64
                          " (global number) is %g",
                          dat->obj.name, d, b->number[i], x);
      b->place[d][i] = ordered(x);
    }
  return OP2_SUCCESS;
}

static op2_status allocate(struct bisection *b, op2_dat dat) {
  size_t n = (size_t)b->n, ranks = (size_t)b->comm->size;
  bool there = true;
  for (int d = 0; d < b->dims; d++) {
    b->place[d] = op2i_malloc(n * sizeof *b->place[d]);
    there = there && b->place[d];
  }
  b->box = op2i_calloc(n, sizeof *b->box);
  b->order = op2i_malloc(n * sizeof *b->order);
  b->key = op2i_malloc(n * sizeof *b->key);
  b->starts = op2i_malloc((ranks + 1) * sizeof *b->starts);
  b->boxes = op2i_calloc(ranks, sizeof *b->boxes);
  b->next = op2i_calloc(ranks, sizeof *b->next);
  b->low = op2i_malloc(DIMS * ranks * sizeof *b->low);
  b->high = op2i_malloc(DIMS * ranks * sizeof *b->high);
  b->mid = op2i_malloc(ranks * sizeof *b->mid);
  b->count = op2i_malloc(ranks * sizeof *b->count);
  void *values = NULL;
  there = there && b->order && b->key && b->starts;
  if (!there || !b->box || !b->boxes || !b->next || !b->low || !b->high || !b->mid || !b->count)
    return op2i_error_nomem("a partition");
  op2_status status = op2i_buffer_at(&dat->values, OP2I_HOST, OP2_READ, OP2I_OWNED_ROWS, &values);
  return status ? status : read_places(b, dat, values);
}

static void release(struct bisection *b) {
  for (int d = 0; d < b->dims; d++) op2i_free(b->place[d]);
  op2i_free(b->box);
  op2i_free(b->order);
  op2i_free(b->key);
  op2i_free(b->starts);
  op2i_free(b->boxes);
  op2i_free(b->next);
  op2i_free(b->low);
  op2i_free(b->high);
  op2i_free(b->mid);
  op2i_free(b->count);
}

/* ---- one bisection of all boxes -------------------------------------------------------------- */

/* Compute the sides of all boxes: low[box][dim] and high[box][dim]. */
static op2_status measure(struct bisection *b) {
  int all = b->nboxes * b->dims;
  for (int i = 0; i < all; i++) {
    b->low[i] = INT64_MAX;
    b->high[i] = INT64_MIN;
  }
  for (int64_t i = 0; i < b->n; i++)
    for (int d = 0; d < b->dims; d++) {
      int64_t place = b->place[d][i], *low = &b->low[b->box[i] * b->dims + d];
      int64_t *high = &b->high[b->box[i] * b->dims + d];
      if (place < *low) *low = place;
      if (place > *high) *high = place;
    }
  op2_status status = op2i_comm_least(b->comm, all, b->low);
  return status ? status : op2i_comm_greatest(b->comm, all, b->high);
}

/* Choose the longest side of each box; low[box] and high[box] become its ends. */
static void choose_sides(struct bisection *b) {
  for (int k = 0; k < b->nboxes; k++) {
    struct box *box = &b->boxes[k];
    int ranks = box->end - box->first;
    double longest = -1;
    box->dim = ranks > 1 && box->n > 0 ? 0 : -1;
    box->want = box->n / ranks * (ranks / 2) + box->n % ranks * (ranks / 2) / ranks;
    for (int d = 0; d < b->dims && box->dim >= 0; d++) {
      double side = back(b->high[k * b->dims + d]) - back(b->low[k * b->dims + d]);
      if (side > longest) box->dim = d;
      if (side > longest) longest = side;
    }
    int at = k * b->dims + (box->dim < 0 ? 0 : box->dim);
    b->low[k] = b->low[at];
    b->high[k] = b->high[at];
  }
}

/* The coordinate of an element across which its box is cut. */
static int64_t place_of(const struct bisection *b, int64_t i) {
  int dim = b->boxes[b->box[i]].dim;
  return dim < 0 ? 0 : b->place[dim][i];
}

static op2_status sort_elements(struct bisection *b) {
  for (int64_t i = 0; i < b->n; i++) {
    b->order[i] = i;
    b->key[i] = b->number[i];
  }
  op2_status status = op2i_sort(b->n, b->key, b->order);
  for (int64_t i = 0; i < b->n; i++) b->key[i] = place_of(b, b->order[i]);
  if (!status) status = op2i_sort(b->n, b->key, b->order);
  for (int64_t i = 0; i < b->n; i++) b->key[i] = b->box[b->order[i]];
  if (!status) status = op2i_sort(b->n, b->key, b->order);
  int64_t at = 0;
  for (int k = 0; k <= b->nboxes; k++) {
    while (at < b->n && b->key[at] < k) at++;
    b->starts[k] = at;
  }
  return op2i_comm_agree(b->comm, status);
}

/* True if the element lies below the middle of the interval: by its coordinate, or with `numbers`
 * by its number if it lies at the cut; elements below the cut count as well. */
static bool is_below(const struct bisection *b, int64_t i, bool numbers) {
  const struct box *box = &b->boxes[b->box[i]];
  int64_t place = b->place[box->dim][i], mid = b->mid[b->box[i]];
  if (numbers) return place < box->cut || (place == box->cut && b->number[i] <= mid);
  return place <= mid;
}

/* Count the elements of box k that lie below, by binary search, since sort_elements() has put those
 * that lie below first. */
static int64_t count_here(const struct bisection *b, int k, bool numbers) {
  int64_t low = b->starts[k], high = b->boxes[k].dim < 0 ? low : b->starts[k + 1];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (is_below(b, b->order[middle], numbers))
      low = middle + 1;
    else
      high = middle;
  }
  return low - b->starts[k];
}

static op2_status count_below(struct bisection *b, bool numbers) {
  for (int k = 0; k < b->nboxes; k++) b->count[k] = count_here(b, k, numbers);
  return op2i_comm_sum(b->comm, b->nboxes, b->count);
}

/* Set low to the least value in [low, high] up to which there are at least `want` elements. */
static op2_status search(struct bisection *b, bool numbers) {
  for (bool any = true; any;) {
    any = false;
    for (int k = 0; k < b->nboxes; k++) {
      bool open = b->boxes[k].dim >= 0 && b->low[k] < b->high[k];
      uint64_t apart = open ? (uint64_t)b->high[k] - (uint64_t)b->low[k] : 0;
      b->mid[k] = (int64_t)((uint64_t)b->low[k] + apart / 2);
      any |= open;
    }
    if (!any) break;
    op2_status status = count_below(b, numbers);
    if (status) return status;
    for (int k = 0; k < b->nboxes; k++) {
      if (b->boxes[k].dim < 0 || b->low[k] >= b->high[k]) continue;
      if (b->count[k] >= b->boxes[k].want)
        b->high[k] = b->mid[k];
      else
        b->low[k] = b->mid[k] + 1;
    }
  }
  return OP2_SUCCESS;
}

/* Find up to which number elements at the cut count as below it. */
static op2_status break_ties(struct bisection *b, int64_t size) {
  for (int k = 0; k < b->nboxes; k++) {
    b->boxes[k].cut = b->low[k];
    b->low[k] = -1;
    b->high[k] = size - 1;
  }
  op2_status status = search(b, true);
  for (int k = 0; k < b->nboxes; k++) b->boxes[k].tie = b->low[k];
  return status;
}

/* ---- recursive bisection --------------------------------------------------------------------- */

static void halve(struct bisection *b) {
  int n = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const struct box *box = &b->boxes[b->box[i]];
    int64_t place = box->dim < 0 ? 0 : b->place[box->dim][i];
    bool below =
        box->dim >= 0 && (place < box->cut || (place == box->cut && b->number[i] <= box->tie));
    b->box[i] = 2 * b->box[i] + !below;
  }
  /* The halves of box k first have the numbers 2 k and 2 k + 1, which are then made contiguous,
   * since boxes of one rank are not halved. */
  for (int k = 0; k < b->nboxes; k++) {
    const struct box *box = &b->boxes[k];
    int ranks = box->end - box->first, middle = box->first + ranks / 2;
    b->low[2 * k] = b->low[2 * k + 1] = n;
    if (ranks > 1) {
      b->next[n++] = (struct box){.first = box->first, .end = middle, .n = box->want};
      b->low[2 * k + 1] = n;
    }
    b->next[n++] = (struct box){.first = middle, .end = box->end, .n = box->n - box->want};
  }
  for (int64_t i = 0; i < b->n; i++) b->box[i] = (int32_t)b->low[b->box[i]];
  struct box *boxes = b->boxes;
  b->boxes = b->next;
  b->next = boxes;
  b->nboxes = n;
}

static op2_status cut_all(struct bisection *b, int64_t size) {
  op2_status status = measure(b);
  if (status) return status;
  choose_sides(b);
  status = sort_elements(b);
  if (!status) status = search(b, false);
  if (!status) status = break_ties(b, size);
  if (!status) halve(b);
  return status;
}

op2_status op2i_part_coordinates(struct op2i_parting *p, int set, op2_dat coordinates) {
  struct op2i_part_set *s = &p->sets[set];
  struct bisection b = {
      .comm = p->comm, .n = s->n, .number = s->number, .dims = coordinates->dim, .nboxes = 1};
  op2_status status = op2i_part_agree(p, allocate(&b, coordinates));
  if (!status) b.boxes[0] = (struct box){.first = 0, .end = p->comm->size, .n = s->size};
  while (!status && b.nboxes < p->comm->size) status = cut_all(&b, s->size);
  for (int64_t i = 0; i < s->n && !status; i++) s->owner[i] = b.boxes[b.box[i]].first;
  release(&b);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* First-fit colouring of the blocks of a plan. A block has thousands of positions, so the time per
 * position matters: marks, which op2i_colour_elements() uses because they can be reset at once for
 * the next few elements, take twice as long. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "plan_internal.h"

struct blocks {
  const struct op2i_colouring *colouring;
  /* [nconflicts][target_size]: mask of the colours of blocks that modify a target; bit 0 is the
   * first colour of the present sweep */
  uint32_t **mask;
  int64_t lo, hi, length;
};

static uint32_t find_colours(const struct op2i_column *column, const int64_t *subset,
                             const uint32_t *mask, int64_t lo, int64_t hi) {
  uint32_t used = 0;
  const int64_t arity = column->arity;
  const int32_t *idx = column->idx;
  if (subset)
    for (int64_t p = lo; p < hi; p++) used |= mask[idx[subset[p] * arity]];
  else
    for (int64_t p = lo; p < hi; p++) used |= mask[idx[p * arity]];
  return used;
}

static void add_colour(const struct op2i_column *column, const int64_t *subset, uint32_t *mask,
                       int64_t lo, int64_t hi, uint32_t colour) {
  const int64_t arity = column->arity;
  const int32_t *idx = column->idx;
  if (subset)
    for (int64_t p = lo; p < hi; p++) mask[idx[subset[p] * arity]] |= colour;
  else
    for (int64_t p = lo; p < hi; p++) mask[idx[p * arity]] |= colour;
}

/* A colour, as a bit, that no conflicting block has among the 32 of this sweep; 0: there is
 * none. */
static uint32_t choose(const struct blocks *b, int64_t lo, int64_t hi) {
  const struct op2i_colouring *colouring = b->colouring;
  uint32_t used = 0;
  for (int i = 0; i < colouring->nconflicts; i++)
    for (int c = 0; c < colouring->conflicts[i].ncolumns; c++)
      used |=
          find_colours(&colouring->conflicts[i].columns[c], colouring->subset, b->mask[i], lo, hi);
  return ~used & (used + 1);
}

static void use(const struct blocks *b, int64_t lo, int64_t hi, uint32_t colour) {
  const struct op2i_colouring *colouring = b->colouring;
  for (int i = 0; i < colouring->nconflicts; i++)
    for (int c = 0; c < colouring->conflicts[i].ncolumns; c++)
      add_colour(&colouring->conflicts[i].columns[c], colouring->subset, b->mask[i], lo, hi,
                 colour);
}

/* Colour blocks that have no colour yet with the 32 colours from *ncolors on, as far as these
 * suffice. Returns the number of blocks left. */
static int64_t sweep(const struct blocks *b, int32_t *color, int32_t *ncolors) {
  int64_t left = 0;
  uint32_t all = 0;
  for (int64_t lo = b->lo; lo < b->hi; lo += b->length, color++) {
    if (*color != OP2I_UNCOLOURED) continue;
    int64_t hi = b->hi - lo < b->length ? b->hi : lo + b->length;
    uint32_t colour = choose(b, lo, hi);
    if (!colour) {
      left++;
      continue;
    }
    *color = *ncolors + __builtin_ctz(colour);
    use(b, lo, hi, colour);
    all |= colour;
  }
  *ncolors += __builtin_popcount(all);
  return left;
}

static size_t mask_bytes(const struct op2i_conflict *conflict) {
  return (conflict->target_size > 0 ? (size_t)conflict->target_size : 1) * sizeof(uint32_t);
}

static void forget_masks(const struct blocks *b) {
  for (int i = 0; i < b->colouring->nconflicts; i++)
    memset(b->mask[i], 0, mask_bytes(&b->colouring->conflicts[i]));
}

static void free_masks(const struct blocks *b) {
  for (int i = 0; b->mask && i < b->colouring->nconflicts; i++) op2i_free_data(b->mask[i]);
  op2i_free(b->mask);
}

static op2_status make_masks(struct blocks *b) {
  b->mask = op2i_calloc((size_t)b->colouring->nconflicts, sizeof *b->mask);
  bool good = b->mask;
  for (int i = 0; i < b->colouring->nconflicts && good; i++) {
    b->mask[i] = op2i_alloc_data(mask_bytes(&b->colouring->conflicts[i]));
    good = b->mask[i];
  }
  return good ? OP2_SUCCESS : op2i_error_nomem("the block colours of a plan");
}

static op2_status first_fit(struct blocks *b, int32_t *color, int64_t *left, int32_t *ncolors) {
  op2_status status = make_masks(b);
  for (int sweeps = 0; !status && *left > 0 && sweeps < OP2I_SWEEPS_MAX; sweeps++) {
    if (sweeps) forget_masks(b);
    *left = sweep(b, color, ncolors);
  }
  free_masks(b);
  return status;
}

op2_status op2i_colour_blocks(struct op2i_colouring *colouring, int64_t lo, int64_t hi,
                              int64_t length, int32_t *color, int32_t *ncolors) {
  struct blocks b = {.colouring = colouring, .lo = lo, .hi = hi, .length = length};
  op2_status status = OP2_SUCCESS;
  int64_t left = 0;
  *ncolors = 0;
  for (int64_t from = lo; from < hi; from += length) color[left++] = OP2I_UNCOLOURED;
  if (!colouring->ordered) status = first_fit(&b, color, &left, ncolors);
  if (status || !left) return status;
  status = op2i_colouring_marks(colouring);
  if (!status) op2i_colouring_rest(colouring, lo, hi, length, color, ncolors);
  return status;
}

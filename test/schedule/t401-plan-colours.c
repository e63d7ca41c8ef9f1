/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans whose colours are known beforehand: many, few, and none needed. */
#include <stdlib.h>
#include <string.h>

#include "plan_case.h"
#include "plan_internal.h"
#include "tap.h"

enum { MANY = 3000 };

static struct op2i_plan *make(const struct op2i_plan_desc *desc, const char *what) {
  struct op2i_plan *plan = NULL;
  op2_status status = op2i_plan_create(desc, &plan);
  if (status == OP2_SUCCESS) status = op2i_plan_verify(plan, desc);
  if (!ok(status == OP2_SUCCESS, "%s: made and verified", what)) {
    diag("%s", op2_error_message());
    exit(1);
  }
  return plan;
}

static struct op2i_plan_arg through(const int32_t *idx, int32_t arity, int32_t slot,
                                    op2_access access, int64_t target_size) {
  return (struct op2i_plan_arg){.idx = idx,
                                .arity = arity,
                                .slot = slot,
                                .access = access,
                                .target_size = target_size,
                                .row_bytes = 8};
}

static bool counts_up(const int32_t *color, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    if (color[i] != i) return false;
  return true;
}

/* Every element modifies the same target, so there is a colour for each block, and for each element
 * of a block. 3000 exceeds the number that first fit tries. */
static void all_conflict(void) {
  static const int32_t wanted[] = {1, 31, 32, 33, 40, 64, 65, 100, 2048, 2049, MANY};
  int32_t *idx = calloc(3 * MANY, sizeof *idx);
  struct op2i_plan_arg arg = through(idx, 1, 0, OP2_INC, 1);
  struct op2i_plan_desc desc = {.nargs = 1, .args = &arg, .parts = OP2I_PLAN_ELEMENTS};
  for (int i = 0; i < 22; i++) {
    int32_t n = wanted[i / 2];
    desc.ordered = i % 2;
    desc.block_size = 3;
    desc.hi = 3 * (int64_t)n;
    struct op2i_plan *plan = make(&desc, desc.ordered ? "ordered blocks" : "blocks");
    is_int(plan->ncolors, n, "%d blocks in conflict have %d colours", (int)n, (int)n);
    ok(counts_up(plan->color, n), "colours count up");
    op2i_plan_free(plan);

    desc.block_size = n + 1;
    desc.hi = n;
    plan = make(&desc, desc.ordered ? "ordered elements" : "elements");
    is_int(plan->nthrcol[0], n, "%d elements in conflict have %d colours", (int)n, (int)n);
    ok(counts_up(plan->thrcol, n), "colours count up");
    op2i_plan_free(plan);
  }
  free(idx);
}

/* A loop over all pairs (i, j), i < j, of targets in rows: pairs that share a target conflict.
 * First fit then fills a symmetric table with the least number that occurs neither before in the
 * row nor above in the column, with 0 on the diagonal: the table of nim-sums, so pair (i, j) gets i
 * XOR j, less one as colours begin with 0. */
static void nim_table(int targets) {
  int pairs = targets * (targets - 1) / 2, at = 0, wrong = 0;
  int32_t *idx = malloc((size_t)pairs * 2 * sizeof *idx);
  for (int i = 0; i < targets; i++)
    for (int j = i + 1; j < targets; j++, at++) idx[2 * at] = i, idx[2 * at + 1] = j;
  struct op2i_plan_arg arg = through(idx, 2, -1, OP2_INC, targets);
  struct op2i_plan_desc desc = {.hi = pairs, .block_size = 1, .nargs = 1, .args = &arg};
  struct op2i_plan *plan = make(&desc, "pairs");
  is_int(plan->ncolors, targets - 1, "all pairs of %d targets have %d colours", targets,
         targets - 1);
  for (int p = 0; p < pairs; p++) wrong += plan->color[p] != (idx[2 * p] ^ idx[2 * p + 1]) - 1;
  is_int(wrong, 0, "and each the nim-sum of its targets");
  op2i_plan_free(plan);
  free(idx);
}

/* A chain of edges in natural order: a block conflicts with its two neighbours. */
static void chain(void) {
  enum { EDGES = 1000 };
  int32_t idx[2 * EDGES];
  for (int e = 0; e < EDGES; e++) idx[2 * e] = e, idx[2 * e + 1] = e + 1;
  struct op2i_plan_arg args[2] = {through(idx, 2, 0, OP2_INC, EDGES + 1),
                                  through(idx, 2, 1, OP2_INC, EDGES + 1)};
  struct op2i_plan_desc desc = {
      .hi = EDGES, .block_size = 64, .nargs = 2, .args = args, .parts = OP2I_PLAN_ELEMENTS};
  struct op2i_plan *plan = make(&desc, "chain");
  is_int(plan->nblocks, 16, "1000 edges make 16 blocks of 64");
  is_int(op2i_plan_block_hi(plan, 15) - op2i_plan_block_lo(plan, 15), 40, "the last has 40");
  is_int(plan->ncolors, 2, "two colours");
  is_int(plan->color_offs[1], 8, "eight blocks each");
  for (int i = 0; i < 16; i++)
    is_int(plan->blkmap[i], i < 8 ? 2 * i : 2 * (i - 8) + 1, "place %d", i);
  is_int(plan->nthrcol[3], 2, "two element colours");
  is_int(plan->thrcol[65], 1, "that take turns");
  op2i_plan_free(plan);

  desc.ordered = true;
  plan = make(&desc, "ordered chain");
  is_int(plan->ncolors, 16, "in order each block follows the one before");
  is_int(plan->nthrcol[0], 64, "and each element");
  is_int(plan->nthrcol[15], 40, "in the last block too");
  op2i_plan_free(plan);
}

static void no_conflict(void) {
  enum { N = 500 };
  int32_t idx[N];
  for (int i = 0; i < N; i++) idx[i] = (i * 7 + 3) % N;
  struct op2i_plan_arg args[2] = {through(idx, 1, 0, OP2_INC, N), through(idx, 1, 0, OP2_INC, N)};
  struct op2i_plan_desc desc = {
      .hi = N, .block_size = 7, .nargs = 1, .args = args, .parts = OP2I_PLAN_ELEMENTS};
  args[1].dat = 1;
  for (int ordered = 0; ordered < 2; ordered++) {
    desc.ordered = ordered;
    struct op2i_plan *plan = make(&desc, "permutation");
    is_int(plan->ncolors, 1, "a permutation needs one colour");
    ok(plan->conflicts, "though it was coloured");
    is_int(plan->nthrcol[0], 1, "and one element colour");
    op2i_plan_free(plan);
  }

  int32_t zero[N] = {0};
  args[0].idx = args[1].idx = zero;
  args[0].access = args[1].access = OP2_READ;
  desc.nargs = 2;
  struct op2i_plan *plan = make(&desc, "reads");
  is_int(plan->ncolors, 1, "reads need one colour");
  ok(!plan->conflicts, "and have no conflicts");
  op2i_plan_free(plan);
}

/* Element i reads target i + 1 and modifies target i, or vice versa: a chain only if order has to
 * be kept. */
static void reads_and_order(void) {
  enum { N = 50 };
  int32_t idx[2 * N];
  for (int e = 0; e < N; e++) idx[2 * e] = e, idx[2 * e + 1] = e + 1;
  for (int later_reads = 0; later_reads < 2; later_reads++) {
    struct op2i_plan_arg args[2] = {through(idx, 2, later_reads, OP2_RW, N + 1),
                                    through(idx, 2, !later_reads, OP2_READ, N + 1)};
    struct op2i_plan_desc desc = {
        .hi = N, .block_size = 5, .nargs = 2, .args = args, .parts = OP2I_PLAN_ELEMENTS};
    const char *what = later_reads ? "read what was modified" : "modify what was read";
    struct op2i_plan *plan = make(&desc, what);
    is_int(plan->ncolors, 1, "%s: one colour without order", what);
    op2i_plan_free(plan);
    desc.ordered = true;
    plan = make(&desc, what);
    is_int(plan->ncolors, 10, "%s: as many as blocks with order", what);
    is_int(plan->nthrcol[9], 5, "%s: as many as elements", what);
    op2i_plan_free(plan);
    args[1].dat = 1;
    plan = make(&desc, what);
    is_int(plan->ncolors, 1, "%s: one colour when the dats differ", what);
    op2i_plan_free(plan);
  }
}

/* Different dats do not conflict; one dat through different maps and slots does; a dat whose
 * conflicts are part of another dat's adds none, one with further conflicts does, in either
 * order. */
static void dats_and_maps(void) {
  enum { N = 40 };
  int32_t own[N], shifted[2 * N];
  for (int e = 0; e < N; e++) own[e] = e, shifted[2 * e] = 0, shifted[2 * e + 1] = (e + 1) % N;
  struct op2i_plan_arg args[3] = {through(own, 1, 0, OP2_INC, N),
                                  through(shifted, 2, 1, OP2_MAX, N),
                                  through(shifted, 2, 1, OP2_INC, N)};
  struct op2i_plan_desc desc = {.hi = N, .block_size = 1, .nargs = 2, .args = args};
  args[1].map = args[2].map = 1;
  args[1].dat = 1;
  struct op2i_plan *plan = make(&desc, "two dats");
  is_int(plan->ncolors, 1, "two dats do not conflict");
  op2i_plan_free(plan);
  args[1].dat = 0;
  plan = make(&desc, "two maps");
  is_int(plan->ncolors, 2, "one dat through two maps does");
  op2i_plan_free(plan);
  args[2].dat = 1;
  desc.nargs = 3;
  for (int turn = 0; turn < 2; turn++) {
    plan = make(&desc, "part of another");
    is_int(plan->ncolors, 2, "a dat with part of the conflicts changes nothing (%d)", turn);
    op2i_plan_free(plan);
    struct op2i_plan_arg first = args[0];
    args[0] = args[2];
    args[2] = first;
  }
  args[2].slot = 0;
  plan = make(&desc, "more than another");
  is_int(plan->ncolors, N, "one with a target that all modify does");
  op2i_plan_free(plan);
}

/* Target 5 is read with colour 1, then with colour 0, then modified: the 1 counts. */
static void highest_reader_counts(void) {
  static const int32_t idx[8] = {0, 9, 0, 5, 1, 5, 5, 9}, want[4] = {0, 1, 0, 2};
  struct op2i_plan_arg args[2] = {through(idx, 2, 0, OP2_RW, 10), through(idx, 2, 1, OP2_READ, 10)};
  struct op2i_plan_desc desc = {
      .hi = 4, .block_size = 1, .ordered = true, .nargs = 2, .args = args};
  struct op2i_plan *plan = make(&desc, "two readers");
  for (int b = 0; b < 4; b++) is_int(plan->color[b], want[b], "block %d", b);
  op2i_plan_free(plan);
}

/* All elements read x at target 0 and modify it at their own targets; y is modified at target 0 by
 * all, so its slot is among those of x, but x does not cover its conflicts. */
static void reads_cover_no_modification(void) {
  enum { N = 9 };
  int32_t idx[2 * N];
  for (int e = 0; e < N; e++) idx[2 * e] = N, idx[2 * e + 1] = e;
  struct op2i_plan_arg args[3] = {through(idx, 2, 0, OP2_READ, N + 1),
                                  through(idx, 2, 1, OP2_RW, N + 1),
                                  through(idx, 2, 0, OP2_RW, N + 1)};
  struct op2i_plan_desc desc = {
      .hi = N, .block_size = 1, .ordered = true, .nargs = 2, .args = args};
  struct op2i_plan *plan = make(&desc, "x alone");
  is_int(plan->ncolors, 1, "x alone has no conflict");
  op2i_plan_free(plan);
  args[2].dat = 1;
  desc.nargs = 3;
  plan = make(&desc, "x and y");
  is_int(plan->ncolors, N, "with y all are in conflict");
  op2i_plan_free(plan);
}

/* Colours stay the same when the epochs of the marks are used up. */
static void epochs_run_out(void) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct plan_case c;
    struct op2i_colouring colouring;
    int32_t want[100], got[100], nwant, ngot;
    plan_case_random(&c, seed);
    plan_case_colours(&c.desc, c.desc.lo, c.desc.hi, 1, want, &nwant);
    if (op2i_colouring_open(&c.desc, &colouring) || op2i_colouring_marks(&colouring)) exit(1);
    for (int i = 0; i < colouring.nconflicts; i++)
      colouring.conflicts[i].modified.epoch = colouring.conflicts[i].read.epoch = UINT32_MAX - 2;
    for (int turn = 0; turn < 4; turn++) {
      op2i_colour_elements(&colouring, c.desc.lo, c.desc.hi, got, &ngot);
      wrong +=
          ngot != nwant || memcmp(got, want, (size_t)(c.desc.hi - c.desc.lo) * sizeof *got) != 0;
    }
    op2i_colouring_close(&colouring);
    plan_case_free(&c);
  }
  is_int(wrong, 0, "colours do not change when the epochs start again");
}

int main(void) {
  all_conflict();
  nim_table(8);
  nim_table(64);
  nim_table(128);
  chain();
  no_conflict();
  reads_and_order();
  dats_and_maps();
  highest_reader_counts();
  reads_cover_no_modification();
  epochs_run_out();
  return done();
}

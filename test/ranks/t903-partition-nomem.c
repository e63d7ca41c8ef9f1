/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-th allocation of a partition fails, on whichever rank makes it. Unless it belongs to the
 * messages themselves, all ranks report it, the mesh is unchanged, and the repeated call succeeds.
 * Otherwise the rank that failed gives up, and those that wait for it get an error. */
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "init.h"
#include "mem.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

enum { RANKS = 3, CELLS_EACH = 8, CELLS = RANKS * CELLS_EACH };

struct world {
  op2_context ctx;
  struct op2i_comm *comm;
  op2_set cells, some;
  op2_map next;
  op2_dat x;
};

struct trial {
  int64_t n;    /* the allocation that fails; 0: none */
  int64_t made; /* allocations of the partition */
  int told, left;
};

static op2_status declare(struct world *w) {
  int64_t next[2 * CELLS_EACH], x[CELLS_EACH], first = w->comm->rank * CELLS_EACH;
  for (int i = 0; i < CELLS_EACH; i++) {
    next[2 * i] = (first + i + 1) % CELLS;
    next[2 * i + 1] = (first + i + 5) % CELLS;
    x[i] = 3 * (first + i);
  }
  op2_status status = op2_set_create(w->ctx, CELLS_EACH, "cells", &w->cells);
  if (!status) status = op2_map_create_global(w->cells, w->cells, 2, next, "next", &w->next);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, x, "x", &w->x);
  if (!status) status = op2_subset_create(w->cells, 2, (int64_t[]){2, 5}, "some", &w->some);
  return status;
}

static op2_status cut(struct world *w) {
  int32_t owner[CELLS_EACH];
  for (int i = 0; i < CELLS_EACH; i++) owner[i] = (w->comm->rank + i) % RANKS;
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = w->cells, .owner = owner};
  return op2_partition(w->ctx, &how, NULL);
}

/* True if the mesh has the right values, in the blocks as declared or, if `moved`, where the
 * partition put them. */
static bool good(struct world *w, bool moved) {
  int64_t numbers[CELLS], x[CELLS], n, at = 0;
  const int64_t *idx;
  int64_t owned = op2_set_size(w->cells), first = w->comm->rank * CELLS_EACH;
  if (op2_set_global(w->cells, numbers) || op2_dat_get(w->x, x)) return false;
  if (op2_subset_indices(w->some, &n, &idx) || (!moved && n != 2)) return false;
  for (int64_t i = 0; i < owned; i++) {
    if (x[i] != 3 * numbers[i] || (!moved && numbers[i] != first + i)) return false;
    bool in = numbers[i] % CELLS_EACH == 2 || numbers[i] % CELLS_EACH == 5;
    if (in && (at >= n || idx[at++] != i)) return false;
  }
  return moved ? w->next->idx && !w->next->global : w->next->global && owned == CELLS_EACH;
}

/* All ranks wait for each other before the failure is armed, and again before they continue. */
static op2_status arm(struct world *w, struct trial *t) {
  int64_t none = 0;
  op2_status status = op2i_comm_sum(w->comm, 1, &none);
  if (!status && w->comm->rank == 0) op2i_mem_fail_at(t->n);
  return status ? status : op2i_comm_sum(w->comm, 1, &none);
}

static int work(struct world *w, struct trial *t) {
  if (declare(w)) return 1;
  if (arm(w, t)) return 0; /* the wait itself was hit */
  op2_status status = cut(w);
  bool agreed = status && status != OP2_ERR_FATAL && !strncmp(op2_error_message(), "rank ", 5);
  if (!status && !t->n) return !good(w, true);
  if (!agreed) { /* also if another rank has given up, or if the failed allocation was optional */
    __atomic_fetch_add(&t->left, 1, __ATOMIC_RELAXED);
    return status && status != OP2_ERR_NOMEM && status != OP2_ERR_FATAL;
  }
  int wrong = status != OP2_ERR_NOMEM || !good(w, false);
  __atomic_fetch_add(&t->told, 1, __ATOMIC_RELAXED);
  status = cut(w);
  if (status == OP2_ERR_FATAL) return wrong; /* another rank gave up in the first call */
  return wrong + (status != OP2_SUCCESS) + !good(w, true);
}

static int rank(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential"};
  struct world w = {.comm = comm};
  struct trial *t = data;
  int wrong = op2i_init_ranks(&options, comm, &w.ctx) != OP2_SUCCESS;
  if (!wrong) wrong = work(&w, t);
  if (wrong) fprintf(stderr, "# %d: %s\n", (int)t->n, op2_error_message());
  op2_dat_destroy(&w.x);
  op2_map_destroy(&w.next);
  op2_set_destroy(&w.some);
  op2_set_destroy(&w.cells);
  (void)!op2_finalize(&w.ctx);
  return wrong;
}

int main(void) {
  struct trial t = {0};
  int wrong = 0, told = 0, left = 0;
  test_environment();
  is_int(run_contexts(RANKS, rank, &t), 0, "with enough memory it succeeds");
  int64_t made = op2i_mem_fail_at(0);
  ok(made > 300, "%d allocations were made", (int)made);
  for (int64_t n = 1; n <= made; n += quick() ? 11 : 1) {
    t = (struct trial){.n = n};
    wrong += run_contexts(RANKS, rank, &t);
    op2i_mem_fail_at(0);
    told += t.told == RANKS;
    left += t.left > 0;
  }
  is_int(wrong, 0, "whatever allocation fails, ranks are told and the mesh is good");
  diag("%d times of %d all ranks were told alike, %d times some were left waiting", told, (int)made,
       left);
  ok(told > (quick() ? 10 : 100), "all ranks were told alike %d times", told);
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_partition() against a mesh that is known as a whole: owners as the method has them, and from
 * those sections, lists, maps, values and subsets of every rank; and so again by other methods. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "init.h"
#include "mail.h"
#include "rank_case.h"
#include "renumber.h"
#include "support.h"
#include "tap.h"
#include "whole_case.h"

static const struct op2i_link_speed fast = {0};

enum how { ALL_BLOCKS, EDGE_BLOCKS, GIVEN, ON_ONE, LINE, PLANE, SPACE, KWAY, HOWS };
static const char *const names[HOWS] = {
    "blocks",         "blocks of edges", "given owners",  "all on one",
    "one coordinate", "two coordinates", "three, floats", "k-way"};
enum { DATS = 6, SUBSETS = 2 };
static const int set_of[DATS] = {NODES, EDGES, CELLS, CELLS, NODES, CELLS};

struct trial {
  struct whole whole; /* owners are filled in by the ranks */
  uint64_t seed;
  int ranks;
  enum how how;
};

struct run {
  op2_context ctx;
  int rank, ranks;
  struct op2i_comm *comm;
  op2_set sets[3], subsets[SUBSETS];
  op2_map maps[3];
  op2_dat dats[DATS];
};

/* ---- a mesh in blocks ------------------------------------------------------------------------ */

/* Blocks of any size, the same for all who ask. */
static int64_t block_first(const struct trial *t, int s, int rank) {
  int64_t size = t->whole.set[s].size, first = 0, sum = 0;
  uint64_t state = t->seed * 71 + (uint64_t)s;
  int weights[64];
  for (int r = 0; r < t->ranks; r++) {
    weights[r] = draw_below(&state, 4);
    sum += weights[r];
  }
  if (!sum) sum = weights[t->ranks - 1] = 1;
  for (int r = 0; r < rank; r++) first += weights[r];
  return size * first / sum;
}

static double coordinate(int64_t number, int d) {
  if (number % 11 == 0) return d == 0 ? -0.0 : 3; /* many have the same */
  return sin((double)(number * (d + 3))) * 100;
}

static int64_t integer(int d, int64_t number, int j) { return number * 19 + d * 7 + j; }

static bool in_subset(int which, int64_t number) { return number % (which + 2) == 0; }

/* The values of one dat: integers, a plane, a space in floats, and nothing. */
static op2_status declare_dat(struct run *r, int d, int64_t first, int64_t n) {
  static const int dims[DATS] = {2, 1, 1, 2, 1, 3};
  op2_type type = d < 3 ? OP2_I64 : d < 5 ? OP2_F64 : OP2_F32;
  char *values = calloc((size_t)n + 1, 32);
  for (int64_t i = 0; i < n * dims[d]; i++) {
    int64_t number = first + i / dims[d];
    int j = (int)(i % dims[d]);
    if (d < 3)
      ((int64_t *)values)[i] = integer(d, number, j);
    else if (d < 5)
      ((double *)values)[i] = coordinate(number, j);
    else
      ((float *)values)[i] = (float)coordinate(number, j);
  }
  op2_status status = op2_dat_create(r->sets[set_of[d]], dims[d], type, values, "dat", &r->dats[d]);
  free(values);
  return status;
}

static op2_status declare_map(struct run *r, const struct trial *t, int m) {
  int from = t->whole.map[m].from, arity = t->whole.map[m].arity;
  int64_t first = block_first(t, from, r->rank), n = block_first(t, from, r->rank + 1) - first;
  int64_t *idx = calloc((size_t)(n * arity) + 1, sizeof *idx);
  for (int64_t i = 0; i < n * arity; i++) idx[i] = t->whole.map[m].idx[first * arity + i];
  op2_status status = op2_map_create_global(r->sets[from], r->sets[t->whole.map[m].to], arity,
                                            n ? idx : NULL, t->whole.map[m].name, &r->maps[m]);
  free(idx);
  return status;
}

static op2_status declare_subset(struct run *r, const struct trial *t, int which) {
  int64_t first = block_first(t, EDGES, r->rank), n = op2_set_size(r->sets[EDGES]), k = 0;
  int64_t *idx = calloc((size_t)n + 1, sizeof *idx);
  for (int64_t i = 0; i < n; i++)
    if (in_subset(which, first + i)) idx[k++] = i;
  op2_status status = op2_subset_create(r->sets[EDGES], k, idx, "some", &r->subsets[which]);
  free(idx);
  return status;
}

static op2_status declare(struct run *r, const struct trial *t) {
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < 3 && !status; s++) {
    int64_t n = block_first(t, s, r->rank + 1) - block_first(t, s, r->rank);
    status = op2_set_create(r->ctx, n, t->whole.set[s].name, &r->sets[s]);
  }
  for (int m = 0; m < 3 && !status; m++) status = declare_map(r, t, m);
  for (int d = 0; d < DATS && !status; d++) {
    int64_t first = block_first(t, set_of[d], r->rank);
    status = declare_dat(r, d, first, op2_set_size(r->sets[set_of[d]]));
  }
  for (int i = 0; i < SUBSETS && !status; i++) status = declare_subset(r, t, i);
  return status;
}

static void end(struct run *r) {
  for (int d = 0; d < DATS; d++) op2_dat_destroy(&r->dats[d]);
  for (int i = 0; i < SUBSETS; i++) op2_set_destroy(&r->subsets[i]);
  for (int m = 0; m < 3; m++) op2_map_destroy(&r->maps[m]);
  for (int s = 0; s < 3; s++) op2_set_destroy(&r->sets[s]);
}

/* ---- partitioning it ------------------------------------------------------------------------- */

static int32_t given_owner(const struct trial *t, enum how how, int64_t number) {
  uint64_t state = t->seed * 1009 + (uint64_t)number;
  if (how == ON_ONE) return (int32_t)(t->seed % (uint64_t)t->ranks);
  (void)draw(&state);
  return draw_below(&state, t->ranks);
}

static op2_status partition(struct run *r, const struct trial *t, enum how how,
                            op2_partition_report *report) {
  op2_partition_options options = {.method = OP2_PARTITION_BLOCKS};
  int64_t n = op2_set_size(r->sets[CELLS]);
  int64_t *number = calloc((size_t)op2_set_global_size(r->sets[CELLS]) + 1, sizeof *number);
  int32_t *owner = calloc((size_t)n + 1, sizeof *owner);
  op2_status status = op2_set_global(r->sets[CELLS], number);
  for (int64_t i = 0; i < n; i++) owner[i] = given_owner(t, how, number[i]);
  switch (how) {
  case EDGE_BLOCKS: options.set = r->sets[EDGES]; break;
  case GIVEN:
  case ON_ONE:
    options = (op2_partition_options){
        .method = OP2_PARTITION_GIVEN, .set = r->sets[CELLS], .owner = owner};
    break;
  case LINE:
  case PLANE:
  case SPACE:
    options = (op2_partition_options){.method = OP2_PARTITION_COORDINATES,
                                      .coordinates = r->dats[how == LINE    ? 4
                                                             : how == PLANE ? 3
                                                                            : 5]};
    break;
  case KWAY:
    options = (op2_partition_options){.method = OP2_PARTITION_KWAY, .map = r->maps[CELL_NODE]};
    break;
  default: break;
  }
  if (!status) status = op2_partition(r->ctx, how == ALL_BLOCKS ? NULL : &options, report);
  free(number);
  free(owner);
  return status;
}

/* ---- looking at it --------------------------------------------------------------------------- */

static int wait_for_all(struct run *r) {
  int64_t none = 0;
  return op2i_comm_sum(r->comm, 1, &none) != OP2_SUCCESS;
}

/* Together ranks fill in who owns what. */
static int tell_owners(struct run *r, const struct trial *t) {
  int wrong = wait_for_all(r);
  for (int s = 0; s < 3; s++)
    for (int64_t i = 0; i < op2_set_size(r->sets[s]); i++)
      t->whole.set[s].owner[op2i_set_number(r->sets[s], i)] = r->rank;
  return wrong + wait_for_all(r);
}

static int look_at_set(struct run *r, const struct share *share, int s) {
  int64_t ends[4], *number = calloc((size_t)op2_set_global_size(r->sets[s]) + 1, sizeof *number);
  int wrong = op2_set_sections(r->sets[s], ends) != OP2_SUCCESS;
  wrong += op2_set_global(r->sets[s], number) != OP2_SUCCESS;
  wrong += memcmp(ends, share->set[s].ends, sizeof ends) != 0;
  for (int64_t i = 0; i < ends[3] && !wrong; i++) {
    wrong += number[i] != share->set[s].global[i];
    if (i >= ends[1])
      wrong += r->sets[s]->halo->owner[i - ends[1]] != share->set[s].owner[i - ends[1]];
  }
  free(number);
  return wrong;
}

static int look_at_map(struct run *r, const struct trial *t, const struct share *share, int m) {
  int from = t->whole.map[m].from, wrong = !r->maps[m]->idx || r->maps[m]->global;
  int64_t n = share->set[from].ends[2] * t->whole.map[m].arity;
  for (int64_t i = 0; i < n && !wrong; i++) wrong += r->maps[m]->idx[i] != share->idx[m][i];
  return wrong;
}

/* All rows, those of the halo fresh from their owners. */
static int look_at_dat(struct run *r, const struct share *share, int d) {
  int64_t n = share->set[set_of[d]].ends[3] * r->dats[d]->dim;
  char *values = calloc((size_t)n + 1, 8);
  int wrong = op2_dat_get_halo(r->dats[d], values) != OP2_SUCCESS;
  for (int64_t i = 0; i < n && !wrong; i++) {
    int64_t number = share->set[set_of[d]].global[i / r->dats[d]->dim];
    int j = (int)(i % r->dats[d]->dim);
    if (d < 3)
      wrong += ((int64_t *)values)[i] != integer(d, number, j);
    else if (d < 5)
      wrong += ((double *)values)[i] != coordinate(number, j);
    else
      wrong += ((float *)values)[i] != (float)coordinate(number, j);
  }
  free(values);
  return wrong;
}

static int look_at_subset(struct run *r, const struct share *share, int which) {
  const int64_t *idx;
  int64_t n, at = 0, ends[4], want[4] = {0};
  int wrong = op2_subset_indices(r->subsets[which], &n, &idx) != OP2_SUCCESS;
  for (int64_t i = 0; i < share->set[EDGES].ends[3]; i++) {
    if (!in_subset(which, share->set[EDGES].global[i])) continue;
    wrong += at >= n || idx[at] != i;
    at++;
    for (int e = 0; e < 4; e++) want[e] += i < share->set[EDGES].ends[e];
  }
  wrong += op2_set_sections(r->subsets[which], ends) != OP2_SUCCESS;
  return wrong + (at != n) + (memcmp(ends, want, sizeof ends) != 0);
}

static int look(struct run *r, const struct trial *t) {
  struct share share;
  int wrong = tell_owners(r, t), parts[4] = {0};
  whole_share(&t->whole, r->rank, &share);
  for (int s = 0; s < 3; s++) parts[0] += look_at_set(r, &share, s);
  for (int m = 0; m < 3; m++) parts[1] += look_at_map(r, t, &share, m);
  for (int d = 0; d < DATS; d++) parts[2] += look_at_dat(r, &share, d);
  for (int i = 0; i < SUBSETS; i++) parts[3] += look_at_subset(r, &share, i);
  for (int k = 0; k < 4; k++) wrong += parts[k];
  if (wrong)
    fprintf(stderr, "# rank %d: sets %d, maps %d, dats %d, subsets %d wrong\n", r->rank, parts[0],
            parts[1], parts[2], parts[3]);
  share_free(&t->whole, &share);
  return wrong;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  const op2_options options = {.backend = "sequential"};
  struct run r = {.rank = comm->rank, .ranks = comm->size, .comm = comm};
  int wrong = 0;
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r, t);
  for (int again = 0; again < 3 && !status && !wrong; again++) {
    op2_partition_report report;
    enum how how = (enum how)((t->how + again * 3) % HOWS);
    if (how == KWAY && op2i_order_unavailable()) how = ALL_BLOCKS;
    status = partition(&r, t, how, &report);
    if (!status) wrong += look(&r, t);
    if (wrong) fprintf(stderr, "# after %s\n", names[how]);
  }
  if (status) fprintf(stderr, "# rank %d: %s\n", r.rank, op2_error_message());
  end(&r);
  wrong += op2_finalize(&r.ctx) != OP2_SUCCESS;
  return wrong + (status != OP2_SUCCESS);
}

static int one(int ranks, enum how how, uint64_t seed) {
  struct trial t = {.seed = seed, .ranks = ranks, .how = how};
  uint64_t state = seed * 101 + 7;
  whole_draw(&t.whole, ranks, 0, &state);
  int wrong = run_contexts(ranks, fast, rank, &t);
  whole_free(&t.whole);
  return wrong;
}

static void against_the_whole(void) {
  static const int ranks[] = {1, 2, 3, 4, 7};
  for (int how = 0; how < HOWS; how++)
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      int wrong = 0, count = quick() ? 2 : 6;
      for (int n = 0; n < count; n++)
        wrong += one(ranks[r], (enum how)how, (uint64_t)(ranks[r] * 100 + how * 10 + n));
      is_int(wrong, 0, "%s, then by other methods, on %d ranks", names[how], ranks[r]);
    }
}

int main(void) {
  test_environment();
  against_the_whole();
  return done();
}

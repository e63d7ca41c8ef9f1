/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_partition() is compared with a mesh that is known as a whole: the owners that each method
 * defines, and the sections, lists, maps, values and subsets of every rank that follow from them;
 * and again after a second partition by another method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "init.h"
#include "mail.h"
#include "rank_case.h"
#include "renumber.h"
#include "renumber_order.h"
#include "support.h"
#include "tap.h"
#include "whole_case.h"

enum how { ALL_BLOCKS, EDGE_BLOCKS, GIVEN, ON_ONE, LINE, PLANE, SPACE, KWAY, HOWS };
static const char *const names[HOWS] = {
    "blocks",         "blocks of edges", "given owners",  "all on one",
    "one coordinate", "two coordinates", "three, floats", "k-way"};
enum { DATS = 6, SUBSETS = 2 };
static const int set_of[DATS] = {NODES, EDGES, CELLS, CELLS, NODES, CELLS};

struct trial {
  struct whole whole; /* the ranks fill in the owners */
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

/* Blocks of any size, computed alike on all ranks. */
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
  if (number % 11 == 0) return d == 0 ? -0.0 : 3; /* many elements have the same value */
  return sin((double)(number * (d + 3))) * 100;
}

static int64_t integer(int d, int64_t number, int j) { return number * 19 + d * 7 + j; }

static bool in_subset(int which, int64_t number) { return number % (which + 2) == 0; }

/* Declare one dat: integers, coordinates in the plane, in space as floats, or without values. */
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
  op2_status status =
      op2_dat_create(r->sets[set_of[d]], dims[d], type, n ? values : NULL, "dat", &r->dats[d]);
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

/* ---- checks of a partition ------------------------------------------------------------------- */

static int wait_for_all(struct run *r) {
  int64_t none = 0;
  return op2i_comm_sum(r->comm, 1, &none) != OP2_SUCCESS;
}

/* Each rank enters the elements that it owns. */
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
  int64_t arity = t->whole.map[m].arity, n = share->set[from].ends[2] * arity;
  for (int64_t i = 0; i < n && !wrong; i++) {
    int64_t row = op2i_set_place(r->maps[m]->from, i / arity);
    int64_t place = op2i_set_place(r->maps[m]->to, r->maps[m]->idx[i]);
    wrong += place != share->idx[m][row * arity + i % arity];
  }
  return wrong;
}

/* Check all rows; those of the halo are brought from their owners. */
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

/* ---- expected owners ------------------------------------------------------------------------- */

/* The owners by the documented rules, computed in one piece without regard to speed. */
struct expected {
  int32_t *owner[3]; /* null: not known yet */
};

/* Among ranks with equally many votes a hash of the element's number decides. */
static int32_t most(const int *votes, int ranks, int64_t number) {
  int best = 0, tied = 0, r = 0;
  for (int k = 0; k < ranks; k++) best = votes[k] > best ? votes[k] : best;
  for (int k = 0; k < ranks; k++) tied += votes[k] == best;
  int chosen = (int)(((uint64_t)number * UINT64_C(0x9E3779B97F4A7C15) >> 33) % (uint64_t)tied);
  while (votes[r] != best || chosen-- > 0) r++;
  return r;
}

/* Votes for element e of set s: by the owners of its targets, or of the rows that lead to it. */
static int count(const struct trial *t, const struct expected *x, int s, int64_t e, bool targets,
                 int *votes) {
  int n = 0;
  memset(votes, 0, (size_t)t->ranks * sizeof *votes);
  for (int m = 0; m < 3; m++) {
    int from = t->whole.map[m].from, to = t->whole.map[m].to, arity = t->whole.map[m].arity;
    const int32_t *idx = t->whole.map[m].idx;
    if (targets && from == s && x->owner[to])
      for (int k = 0; k < arity; k++, n++) votes[x->owner[to][idx[e * arity + k]]]++;
    if (!targets && to == s && x->owner[from])
      for (int64_t i = 0; i < t->whole.set[from].size * arity; i++)
        if (idx[i] == e) votes[x->owner[from][i / arity]]++, n++;
  }
  return n;
}

static bool follows(const struct trial *t, const struct expected *x, int s, bool targets) {
  for (int m = 0; m < 3; m++) {
    int self = targets ? t->whole.map[m].from : t->whole.map[m].to;
    int other = targets ? t->whole.map[m].to : t->whole.map[m].from;
    if (self == s && x->owner[other]) return true;
  }
  return false;
}

static bool follow(const struct trial *t, struct expected *x) {
  int votes[64];
  for (int targets = 1; targets >= 0; targets--)
    for (int s = 0; s < 3; s++) {
      int64_t size = t->whole.set[s].size;
      if (x->owner[s] || !follows(t, x, s, targets)) continue;
      int32_t *owner = calloc((size_t)size + 1, sizeof *owner);
      for (int64_t e = 0; e < size; e++)
        owner[e] = count(t, x, s, e, targets, votes) ? most(votes, t->ranks, e)
                                                     : op2i_share_rank(size, t->ranks, e);
      x->owner[s] = owner;
      return true;
    }
  return false;
}

struct point {
  double x[3];
  int64_t number;
  int side;
};

static int by_place(const void *a, const void *b) {
  const struct point *p = a, *q = b;
  if (p->x[p->side] != q->x[p->side]) return p->x[p->side] < q->x[p->side] ? -1 : 1;
  return (p->number > q->number) - (p->number < q->number);
}

static void bisect(struct point *points, int64_t n, int dims, int first, int end, int32_t *owner) {
  int64_t lower = n * ((end - first) / 2) / (end - first);
  double longest = -1;
  int side = 0;
  for (int d = 0; d < dims && n; d++) {
    double low = points[0].x[d], high = low;
    for (int64_t i = 0; i < n; i++) {
      low = points[i].x[d] < low ? points[i].x[d] : low;
      high = points[i].x[d] > high ? points[i].x[d] : high;
    }
    if (high - low > longest) side = d;
    if (high - low > longest) longest = high - low;
  }
  for (int64_t i = 0; i < n; i++) {
    points[i].side = side;
    owner[points[i].number] = first;
  }
  if (end - first == 1) return;
  if (n) qsort(points, (size_t)n, sizeof *points, by_place);
  int middle = first + (end - first) / 2;
  bisect(points, lower, dims, first, middle, owner);
  bisect(points + lower, n - lower, dims, middle, end, owner);
}

static int32_t *cut_first(const struct trial *t, enum how how, int *set) {
  *set = how == EDGE_BLOCKS ? EDGES : how == LINE || how == KWAY ? NODES : CELLS;
  int64_t size = t->whole.set[*set].size;
  int32_t *owner = calloc((size_t)size + 1, sizeof *owner);
  struct point *points = calloc((size_t)size + 1, sizeof *points);
  for (int64_t e = 0; e < size; e++) {
    points[e].number = e;
    for (int d = 0; d < 3; d++)
      points[e].x[d] = how == SPACE ? (float)coordinate(e, d) : coordinate(e, d);
    owner[e] = how == EDGE_BLOCKS ? op2i_share_rank(size, t->ranks, e)
               : how == KWAY      ? t->whole.set[NODES].owner[e]
                                  : given_owner(t, how, e);
  }
  if (how >= LINE && how <= SPACE) bisect(points, size, 1 + (int)(how - LINE), 0, t->ranks, owner);
  free(points);
  return owner;
}

static int look_at_owners(const struct trial *t, enum how how) {
  struct expected x = {{NULL}};
  int wrong = 0, set = 0;
  if (how != ALL_BLOCKS) {
    int32_t *owner = cut_first(t, how, &set);
    x.owner[set] = owner;
  }
  while (follow(t, &x)) continue;
  for (int s = 0; s < 3; s++) {
    int64_t size = t->whole.set[s].size;
    for (int64_t e = 0; e < size; e++)
      wrong += t->whole.set[s].owner[e] !=
               (x.owner[s] ? x.owner[s][e] : op2i_share_rank(size, t->ranks, e));
    free(x.owner[s]);
  }
  return wrong;
}

/* ---- statistics of a partition --------------------------------------------------------------- */

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static int look_at_report(const struct trial *t, const op2_partition_report *got) {
  op2_partition_report want = {.moved = got->moved, .imbalance = 1};
  for (int r = 0; r < t->ranks; r++) {
    struct share share;
    int64_t owned = 0, exec = 0, nonexec = 0;
    whole_share(&t->whole, r, &share);
    for (int s = 0; s < 3; s++) {
      owned += share.set[s].ends[1];
      exec += share.set[s].ends[2] - share.set[s].ends[1];
      nonexec += share.set[s].ends[3] - share.set[s].ends[2];
    }
    share_free(&t->whole, &share);
    want.owned += owned;
    want.exec += exec;
    want.nonexec += nonexec;
    want.most_owned = greater(want.most_owned, owned);
    want.most_exec = greater(want.most_exec, exec);
    want.most_nonexec = greater(want.most_nonexec, nonexec);
  }
  for (int m = 0; m < 3; m++)
    for (int64_t e = 0; e < t->whole.set[t->whole.map[m].from].size; e++) {
      const int32_t *owner = t->whole.set[t->whole.map[m].to].owner;
      const int32_t *row = t->whole.map[m].idx + e * t->whole.map[m].arity;
      bool cut = false;
      for (int k = 1; k < t->whole.map[m].arity; k++) cut |= owner[row[k]] != owner[row[0]];
      want.rows++;
      want.cut += cut;
    }
  if (want.owned) want.imbalance = (double)want.most_owned * (double)t->ranks / (double)want.owned;
  return memcmp(&want, got, sizeof want) != 0;
}

/* The number of elements whose owner has changed. */
static int64_t count_moved(const struct trial *t, struct expected *before) {
  int64_t moved = 0;
  for (int s = 0; s < 3; s++)
    for (int64_t e = 0; e < t->whole.set[s].size; e++) {
      moved += before->owner[s][e] != t->whole.set[s].owner[e];
      before->owner[s][e] = t->whole.set[s].owner[e];
    }
  return moved;
}

static void keep_owners(const struct trial *t, struct expected *before) {
  for (int s = 0; s < 3; s++) {
    before->owner[s] = calloc((size_t)t->whole.set[s].size + 1, sizeof(int32_t));
    for (int r = 0; r < t->ranks; r++)
      for (int64_t e = block_first(t, s, r); e < block_first(t, s, r + 1); e++)
        before->owner[s][e] = r;
  }
}

/* ---- all cases ------------------------------------------------------------------------------- */

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  const op2_options options = {.backend = "sequential"};
  struct run r = {.rank = comm->rank, .ranks = comm->size, .comm = comm};
  int wrong = 0;
  struct expected before;
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  keep_owners(t, &before);
  if (!status) status = declare(&r, t);
  for (int again = 0; again < 3 && !status && !wrong; again++) {
    op2_partition_report report;
    enum how how = (enum how)((t->how + again * 3) % HOWS);
    if (how == KWAY && op2i_order_unavailable()) how = ALL_BLOCKS;
    status = partition(&r, t, how, &report);
    if (!status) wrong += look(&r, t);
    if (!status) wrong += look_at_owners(t, how) != 0;
    if (!status) wrong += look_at_report(t, &report) + (report.moved != count_moved(t, &before));
    if (wrong) fprintf(stderr, "# after %s\n", names[how]);
  }
  if (status) fprintf(stderr, "# rank %d: %s\n", r.rank, op2_error_message());
  for (int s = 0; s < 3; s++) free(before.owner[s]);
  end(&r);
  wrong += op2_finalize(&r.ctx) != OP2_SUCCESS;
  return wrong + (status != OP2_SUCCESS);
}

static int one(int ranks, enum how how, uint64_t seed) {
  struct trial t = {.seed = seed, .ranks = ranks, .how = how};
  uint64_t state = seed * 101 + 7;
  whole_draw(&t.whole, ranks, 0, &state);
  int wrong = run_contexts(ranks, rank, &t);
  whole_free(&t.whole);
  return wrong;
}

static void against_the_whole(const char *renumber) {
  static const int ranks[] = {1, 2, 3, 4, 7};
  for (int how = 0; how < HOWS; how++)
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      int wrong = 0, count = quick() ? 1 : thorough() ? 4 : 2;
      for (int n = 0; n < count; n++)
        wrong += one(ranks[r], (enum how)how, (uint64_t)(ranks[r] * 100 + how * 10 + n));
      is_int(wrong, 0, "%s, then by other methods, on %d ranks, OP2_RENUMBER=%s", names[how],
             ranks[r], renumber);
    }
}

int main(void) {
  test_environment();
  for (int renumber = 0; renumber < 2; renumber++) {
    setenv("OP2_RENUMBER", renumber ? "1" : "auto", 1);
    against_the_whole(getenv("OP2_RENUMBER"));
  }
  return done();
}

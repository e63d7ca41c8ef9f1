/* SPDX-License-Identifier: BSD-3-Clause */
#include "spread_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "init.h"
#include "renumber.h"
#include "renumber_order.h"
#include "support.h"
#include "whole_case.h"

enum { X, W, C, D, DATS };
enum { STEPS = 30, LOOKS = 4 };

static const char *const sources[][2] = {
    {"gather", "void gather(long *w, const long *a, const long *b) { *w = *w % 1009 + 3 * *a + 5 * "
               "*b + 1; }"},
    {"scatter", "void scatter(const long *w, long *a, long *b) { a[0] += *w % 97; b[1] -= 2 * *w + "
                "1; }"},
    {"around", "void around(long *c, long *const n[3]) { *c = n[0][0] + 2 * n[1][1] + 3 * n[2][0]; "
               "}"},
    {"spread", "void spread(const long *c, long *d, long *n[3]) { *d = *d % 1013 + 2; for (int k = "
               "0; k < 3; k++) n[k][0] += (*c >> k) % 31 + *d; }"},
    {"across", "void across(const long *w, const long *c0, const long *d1, long *d0) { *d0 += *w % "
               "5 * (*c0 % 7) + *d1 % 3 * 0; }"},
    {"shrink", "void shrink(long *x) { x[0] = x[0] % 10007 * 3 + 1; x[1] = x[1] % 5003; }"},
    {"extremes", "void extremes(const long *w, long *s, long *lo, long *hi, long *at, long i) { *s "
                 "+= *w % 1000; if (*w < *lo) *lo = *w; if (*w > *hi) { *hi = *w; *at = i; } }"},
    {"shift", "void shift(long *c, const long *s) { *c = *c % 100003 + *s % 11; }"},
    {"highest", "void highest(const long *w, long *n) { if (*w > n[1]) n[1] = *w; }"},
};
enum { KINDS = sizeof sources / sizeof *sources };

const char *const spread_hows[SPREAD_HOWS] = {"at random", "in blocks", "on one rank",
                                              "partitioned", "partitioned at random"};

struct trial {
  struct whole whole;
  const char *backend;
  bool eager;
  int how; /* from PARTITIONED on: by op2_partition(), else by a decomposition */
  uint64_t seed;
  int64_t *want[LOOKS][DATS]; /* [size of its set][dim], in the order of the whole mesh */
  int64_t globals[LOOKS][4];
};

static const int set_of[DATS] = {NODES, EDGES, CELLS, CELLS}, dims[DATS] = {2, 1, 1, 1};

enum { PARTITIONED = 3 };

/* ---- programs -------------------------------------------------------------------------------- */

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS];
  op2_dat dats[DATS];
  op2_gbl sum, low, high, at;
  op2_kernel kernels[KINDS];
  op2_loop held; /* kept while the mesh is partitioned again */
};

static int64_t start_value(int d, int64_t global, int j) {
  return (global * 37 + d * 11 + j * 5) % 301 - 90;
}

/* Declare this rank's block of every set, and the maps by global numbers. */
static op2_status declare_blocks(struct run *r, const struct whole *whole) {
  int rank = op2_rank(r->ctx), ranks = op2_ranks(r->ctx);
  op2_status status = OP2_SUCCESS;
  share_free(whole, &r->share);
  memset(&r->share, 0, sizeof r->share);
  for (int s = 0; s < whole->nsets && !status; s++) {
    int64_t size = whole->set[s].size, first = size * rank / ranks;
    int64_t n = size * (rank + 1) / ranks - first;
    r->share.set[s].global = calloc((size_t)size + 1, sizeof(int64_t));
    for (int e = 0; e < 4; e++) r->share.set[s].ends[e] = n;
    for (int64_t i = 0; i < n; i++) r->share.set[s].global[i] = first + i;
    status = op2_set_create(r->ctx, n, whole->set[s].name, &r->sets[s]);
  }
  for (int m = 0; m < whole->nmaps && !status; m++) {
    int from = whole->map[m].from, arity = whole->map[m].arity;
    int64_t n = r->share.set[from].ends[1] * arity, *idx = calloc((size_t)n + 1, sizeof *idx);
    for (int64_t i = 0; i < n; i++)
      idx[i] = whole->map[m].idx[r->share.set[from].global[0] * arity + i];
    status = op2_map_create_global(r->sets[from], r->sets[whole->map[m].to], arity, idx,
                                   whole->map[m].name, &r->maps[m]);
    free(idx);
  }
  return status;
}

/* Partition by different methods in turn: k-way or blocks of cells, and pseudorandom owners. */
static op2_status partition(struct run *r, const struct trial *t, int time) {
  op2_set cells = r->sets[CELLS];
  op2_partition_options how = {.method = OP2_PARTITION_KWAY, .map = r->maps[EDGE_NODE]};
  int32_t *owner = calloc((size_t)op2_set_size(cells) + 1, sizeof *owner);
  for (int64_t i = 0; i < op2_set_size(cells); i++)
    owner[i] = (int32_t)((r->share.set[CELLS].global[i] * 7 + time) % op2_ranks(r->ctx));
  if ((t->how + time) % 2 == 0)
    how = (op2_partition_options){.method = OP2_PARTITION_GIVEN, .set = cells, .owner = owner};
  else if (op2i_order_unavailable() || time % 4 == 0)
    how = (op2_partition_options){.method = OP2_PARTITION_BLOCKS, .set = cells};
  op2_status status = op2_partition(r->ctx, &how, NULL);
  free(owner);
  for (int s = 0; s < t->whole.nsets && !status; s++) {
    status = op2_set_sections(r->sets[s], r->share.set[s].ends);
    if (!status) status = op2_set_global(r->sets[s], r->share.set[s].global);
  }
  return status;
}

static op2_status declare(struct run *r, const struct trial *t) {
  static const char *const names[DATS] = {"x", "w", "c", "d"};
  bool blocks = t->how >= PARTITIONED && op2_ranks(r->ctx) > 1;
  op2_status status = blocks ? declare_blocks(r, &t->whole)
                             : share_declare(&t->whole, &r->share, r->ctx, r->sets, r->maps);
  for (int d = 0; d < DATS && !status; d++) {
    int64_t n = r->share.set[set_of[d]].ends[3];
    int64_t *values = calloc((size_t)(n * dims[d]) + 1, sizeof *values);
    for (int64_t i = 0; i < n; i++)
      for (int j = 0; j < dims[d]; j++) {
        /* The initial values of the halo are arbitrary. */
        bool own = i < r->share.set[set_of[d]].ends[1];
        values[i * dims[d] + j] =
            own ? start_value(d, r->share.set[set_of[d]].global[i], j) : 987654;
      }
    status = op2_dat_create(r->sets[set_of[d]], dims[d], OP2_I64, values, names[d], &r->dats[d]);
    free(values);
  }
  const int64_t none = 0, high = 1 << 30, low = -high;
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_I64, &none, "sum", &r->sum);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_I64, &high, "low", &r->low);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_I64, &low, "high", &r->high);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_I64, &none, "at", &r->at);
  for (int k = 0; k < KINDS && !status; k++)
    status = op2_kernel_create(
        r->ctx, &(op2_kernel_desc){.name = sources[k][0], .source = sources[k][1]}, &r->kernels[k]);
  if (!status && blocks) status = partition(r, t, 0);
  if (!status)
    status = op2_loop_create(&r->held, r->kernels[1], r->sets[EDGES],
                             op2_arg_direct(r->dats[W], OP2_READ),
                             op2_arg_dat(r->dats[X], 0, r->maps[EDGE_NODE], OP2_INC),
                             op2_arg_dat(r->dats[X], 1, r->maps[EDGE_NODE], OP2_INC));
  return status;
}

static op2_status queue(struct run *r, int kind) {
  op2_kernel k = r->kernels[kind];
  op2_dat x = r->dats[X], w = r->dats[W], c = r->dats[C], d = r->dats[D];
  op2_map en = r->maps[EDGE_NODE], cn = r->maps[CELL_NODE], ec = r->maps[EDGE_CELL];
  switch (kind) {
  case 0:
    return op2_par_loop(k, r->sets[EDGES], op2_arg_direct(w, OP2_RW),
                        op2_arg_dat(x, 0, en, OP2_READ), op2_arg_dat(x, 1, en, OP2_READ));
  case 1: return op2_loop_enqueue(r->held);
  case 2:
    return op2_par_loop(k, r->sets[CELLS], op2_arg_direct(c, OP2_WRITE),
                        op2_arg_dat(x, OP2_ALL, cn, OP2_READ));
  case 3:
    return op2_par_loop(k, r->sets[CELLS], op2_arg_direct(c, OP2_READ), op2_arg_direct(d, OP2_RW),
                        op2_arg_dat(x, OP2_ALL, cn, OP2_INC));
  case 4:
    return op2_par_loop(k, r->sets[EDGES], op2_arg_direct(w, OP2_READ),
                        op2_arg_dat(c, 0, ec, OP2_READ), op2_arg_dat(c, 1, ec, OP2_READ),
                        op2_arg_dat(d, 0, ec, OP2_INC));
  case 5: return op2_par_loop(k, r->sets[NODES], op2_arg_direct(x, OP2_RW));
  case 6:
    return op2_par_loop(k, r->sets[EDGES], op2_arg_direct(w, OP2_READ),
                        op2_arg_gbl(r->sum, OP2_INC), op2_arg_gbl(r->low, OP2_MIN),
                        op2_arg_gbl(r->high, OP2_MAX), op2_arg_info(r->at, 3), op2_arg_idx());
  case 7:
    return op2_par_loop(k, r->sets[CELLS], op2_arg_direct(c, OP2_RW),
                        op2_arg_gbl(r->sum, OP2_READ));
  default:
    return op2_par_loop(k, r->sets[EDGES], op2_arg_direct(w, OP2_READ),
                        op2_arg_dat(x, 1, en, OP2_MAX));
  }
}

/* Owned rows, and every other time the halo as well, equal those of the whole mesh. */
static int look(struct run *r, const struct trial *t, int l, bool keep) {
  int wrong = 0;
  for (int d = 0; d < DATS; d++) {
    int s = set_of[d], dim = dims[d];
    bool halo = (l + d) % 2;
    int64_t n = r->share.set[s].ends[halo ? 3 : 1];
    int64_t *values = calloc((size_t)(n * dim) + 1, sizeof *values);
    if (halo ? op2_dat_get_halo(r->dats[d], values) : op2_dat_get(r->dats[d], values)) wrong++;
    for (int64_t i = 0; i < n * dim; i++) {
      int64_t *want = &t->want[l][d][r->share.set[s].global[i / dim] * dim + i % dim];
      if (keep) *want = values[i];
      wrong += values[i] != *want;
    }
    free(values);
  }
  op2_gbl gbls[4] = {r->sum, r->low, r->high, r->at};
  for (int g = 0; g < 4; g++) {
    int64_t value = 0;
    wrong += op2_gbl_get(gbls[g], &value) != OP2_SUCCESS;
    if (keep) ((struct trial *)t)->globals[l][g] = value;
    wrong += value != t->globals[l][g];
  }
  return wrong;
}

static int play(struct run *r, const struct trial *t, bool keep) {
  uint64_t seed = t->seed;
  int wrong = 0, chain[STEPS], period = 1 + draw_below(&seed, 6);
  for (int k = 0; k < period; k++) chain[k] = draw_below(&seed, KINDS);
  for (int l = 0; l < LOOKS; l++) {
    for (int k = 0; k < STEPS && !wrong; k++)
      wrong += queue(r, draw_below(&seed, 5) ? chain[k % period] : draw_below(&seed, KINDS)) != 0;
    if (wrong) return wrong;
    wrong += look(r, t, l, keep);
    if (l == 1 && t->seed % 2 && t->how < PARTITIONED && !op2i_order_unavailable())
      wrong += op2_renumber(r->maps[CELL_NODE]) != OP2_SUCCESS;
    if (t->how >= PARTITIONED && op2_ranks(r->ctx) > 1)
      wrong += partition(r, t, l + 1) != OP2_SUCCESS;
  }
  return wrong;
}

static op2_status begin(struct run *r, const struct trial *t, struct op2i_comm *comm) {
  const op2_options options = {.backend = comm ? t->backend : "sequential",
                               .threads = 1,
                               .eager = comm && t->eager ? 1 : -1,
                               .block_size = 7,
                               .cache_dir = test_cache()};
  memset(r, 0, sizeof *r);
  whole_share(&t->whole, comm ? comm->rank : -1, &r->share);
  op2_status status = op2i_init_ranks(&options, comm, &r->ctx);
  return status ? status : declare(r, t);
}

static void end(struct run *r, const struct trial *t) {
  op2_loop_destroy(&r->held);
  for (int k = 0; k < KINDS; k++) op2_kernel_destroy(&r->kernels[k]);
  for (int d = 0; d < DATS; d++) op2_dat_destroy(&r->dats[d]);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r->maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r->sets[s]);
  op2_gbl *gbls[] = {&r->sum, &r->low, &r->high, &r->at};
  for (int g = 0; g < 4; g++) op2_gbl_destroy(gbls[g]);
  share_free(&t->whole, &r->share);
}

static int rank(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct run r;
  int wrong = 0;
  op2_status status = begin(&r, t, comm);
  if (!status) wrong = play(&r, t, false);
  if (status || wrong)
    fprintf(stderr, "# rank %d of %d: %s (%d wrong)\n", comm->rank, comm->size, op2_error_message(),
            wrong);
  end(&r, t);
  if (op2_finalize(&r.ctx)) wrong++;
  return wrong + (status != OP2_SUCCESS);
}

/* ---- all cases ------------------------------------------------------------------------------- */

void spread_ways(uint64_t seed, int how) {
  setenv("OP2_RENUMBER", how > PARTITIONED ? "1" : "auto", 1);
  setenv("OP2_OVERLAP", seed % 4 == 3 ? "0" : "1", 1);
  setenv("OP2_MERGE", seed % 8 >= 6 ? "0" : "1", 1);
  setenv("OP2_CHUNK_US", seed % 2 ? "0" : "400", 1);
  setenv("OP2_TEAM", seed % 2 ? "0" : "1", 1);
}

int spread_program(const char *backend, int ranks, int how, uint64_t seed, rank_runner *runner) {
  struct trial t = {.backend = backend, .eager = seed % 3 == 0, .how = how, .seed = seed};
  struct run r;
  uint64_t state = seed * 101 + 7;
  /* Half of the time is spent compiling. All values are integers, so that no rounding depends on
   * the flags, which are those of the random programs of t600. */
  if (!thorough()) setenv("OP2_CFLAGS", "-O1 -march=native -fno-math-errno -ffp-contract=off", 0);
  whole_draw(&t.whole, ranks, how, &state);
  for (int l = 0; l < LOOKS; l++)
    for (int d = 0; d < DATS; d++)
      t.want[l][d] = calloc((size_t)(t.whole.set[set_of[d]].size * dims[d]) + 1, sizeof(int64_t));
  int wrong = begin(&r, &t, NULL) != OP2_SUCCESS;
  if (!wrong) wrong = play(&r, &t, true);
  if (wrong) diag("in one piece: %s", op2_error_message());
  end(&r, &t);
  wrong += op2_finalize(&r.ctx) != OP2_SUCCESS;
  spread_ways(seed, how);
  if (!wrong) wrong = runner(ranks, rank, &t);
  for (int l = 0; l < LOOKS; l++)
    for (int d = 0; d < DATS; d++) free(t.want[l][d]);
  whole_free(&t.whole);
  return wrong;
}

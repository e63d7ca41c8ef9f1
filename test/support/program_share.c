/* SPDX-License-Identifier: BSD-3-Clause */
/* A random program as one rank has it: its elements of every set; maps, subsets and values in its
 * local numbers; and the values that it must read. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "program_case.h"
#include "spread_case.h"

static void *room(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) exit(2);
  return memory;
}

static void *copy(const void *data, size_t bytes) {
  void *out = room(bytes);
  if (bytes) memcpy(out, data, bytes);
  return out;
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* The mesh of the program. Sets come before subsets; halos are computed for all maps that the
 * program will make. */
static void make_mesh(const struct rprogram *p, struct whole *whole) {
  *whole = (struct whole){.nmaps = p->nmaps};
  if (p->nmaps > WHOLE_MAPS) exit(2);
  for (; whole->nsets < p->nsets && p->sets[whole->nsets].parent < 0; whole->nsets++)
    whole->set[whole->nsets].size = p->sets[whole->nsets].ends[3];
  for (int m = 0; m < p->nmaps; m++) {
    const struct rmap *map = &p->maps[m];
    whole->map[m].from = map->from;
    whole->map[m].to = map->to;
    whole->map[m].arity = map->arity;
    whole->map[m].idx =
        copy(map->idx, (size_t)(p->sets[map->from].ends[3] * map->arity) * sizeof *map->idx);
  }
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The local elements of a subset, and their positions in its parent. */
static void share_subset(const struct rprogram *q, const struct rset *whole,
                         const struct share *share, struct rset *s) {
  const struct rset *parent = &q->sets[whole->parent];
  *s = (struct rset){.base = whole->base, .parent = whole->parent};
  s->idx = room((size_t)whole->ends[3] * sizeof *s->idx);
  s->position = room((size_t)whole->ends[3] * sizeof *s->position);
  for (int64_t i = 0; i < whole->ends[3]; i++) {
    const int32_t local = share->set[whole->base].local[whole->idx[i]];
    if (local >= 0) s->idx[s->count++] = local;
  }
  qsort(s->idx, (size_t)s->count, sizeof *s->idx, compare);
  int64_t at = 0;
  for (int64_t i = 0; i < s->count; i++) {
    while (parent->idx && parent->idx[at] < s->idx[i]) at++;
    s->position[i] = parent->idx ? at : s->idx[i];
  }
}

static void share_sets(const struct rprogram *p, const struct share *share, struct rprogram *q) {
  q->sets = room((size_t)p->nsets * sizeof *q->sets);
  for (int s = 0; s < p->nsets; s++) {
    q->sets[s] = p->sets[s];
    if (p->sets[s].parent >= 0)
      share_subset(q, &p->sets[s], share, &q->sets[s]);
    else
      memcpy(q->sets[s].ends, share->set[s].ends, sizeof q->sets[s].ends);
  }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Values that are written have a filler in the halo, since no result may depend on them there. */
static unsigned char *share_values(const struct rprogram *p, const struct rprogram *q,
                                   const struct share *share, const struct roperation *o) {
  const struct rdat *dat = &p->dats[o->a];
  const size_t row = (size_t)dat->dim * size_of(dat->type);
  const bool writes = o->step == P_DAT || o->step == P_PUT_HALO || o->step == P_EDIT;
  const int64_t *ends = q->sets[dat->set].ends;
  const int64_t n = o->step == P_GET || o->step == P_PUT ? ends[1] : ends[3];
  unsigned char *out = room((size_t)n * row);
  for (int64_t i = 0; i < n; i++)
    if (writes && i >= ends[1])
      memset(out + (size_t)i * row, 0x5a, row);
    else
      memcpy(out + (size_t)i * row, o->data + (size_t)share->set[dat->set].global[i] * row, row);
  return out;
}

static unsigned char *share_data(const struct rprogram *p, const struct rprogram *q,
                                 const struct share *share, const struct roperation *o) {
  switch (o->step) {
  case P_DAT:
  case P_GET:
  case P_GET_HALO:
  case P_READ:
  case P_PUT:
  case P_PUT_HALO:
  case P_EDIT: return share_values(p, q, share, o);
  case P_CONST_PUT: return copy(o->data, (size_t)rconsts[o->a].dim * size_of(rconsts[o->a].type));
  default: return copy(o->data, (size_t)p->gbls[o->a].dim * size_of(p->gbls[o->a].type));
  }
}

static struct rprogram *share_program(const struct rprogram *p, const struct share *share) {
  struct rprogram *q = copy(p, sizeof *p);
  share_sets(p, share, q);
  q->maps = copy(p->maps, (size_t)p->nmaps * sizeof *p->maps);
  q->dats = copy(p->dats, (size_t)p->ndats * sizeof *p->dats);
  q->gbls = copy(p->gbls, (size_t)p->ngbls * sizeof *p->gbls);
  q->operations = copy(p->operations, (size_t)p->noperations * sizeof *p->operations);
  q->objects = NULL;
  for (int m = 0; m < p->nmaps; m++) {
    const struct rmap *map = &p->maps[m];
    q->maps[m].idx =
        copy(share->idx[m], (size_t)(q->sets[map->from].ends[3] * map->arity) * sizeof *map->idx);
  }
  for (int d = 0; d < p->ndats; d++) q->dats[d].data = NULL;
  for (int g = 0; g < p->ngbls; g++) q->gbls[g].data = NULL;
  for (int i = 0; i < p->noperations; i++) {
    struct roperation *o = &q->operations[i];
    if (o->call) o->call = copy(o->call, sizeof *o->call);
    if (o->data) o->data = share_data(p, q, share, o);
  }
  return q;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

struct shared {
  const struct rprogram *program;
  const struct config *config;
  struct whole whole;
};

static int run_rank(struct op2i_comm *comm, void *data) {
  const struct shared *shared = data;
  struct share share;
  struct place place = {.config = *shared->config, .share = &share};
  op2_options options = config_options(shared->config);
  const int rank = comm->rank, ranks = comm->size;
  options.threads = 1;
  whole_share(&shared->whole, rank, &share);
  struct rprogram *own = share_program(shared->program, &share);
  bool good = place_begin(&place, &options, comm) == OP2_SUCCESS && program_run(own, &place);
  if (!good) diag("that was rank %d of %d: %s", rank, ranks, op2_error_message());
  good = place_end(&place) == OP2_SUCCESS && good;
  rprogram_free(own);
  share_free(&shared->whole, &share);
  return !good;
}

static int run_on_ranks(const struct rprogram *p, const struct config *config, int ranks, int how,
                        rank_runner *runner) {
  struct shared shared = {.program = p, .config = config};
  uint64_t seed = p->seed * 31 + (uint64_t)p->number;
  make_mesh(p, &shared.whole);
  whole_own(&shared.whole, ranks, how, &seed);
  const int wrong = runner(ranks, run_rank, &shared);
  whole_free(&shared.whole);
  return wrong;
}

struct program_counts programs_on_ranks(const char *backend, int ranks, uint64_t seed, int first,
                                        int end, rank_runner *runner) {
  static const int blocks[] = {7, 1, 1000000, 2};
  struct program_counts counts = {0};
  struct rkernel *pool[PROGRAM_KERNELS];
  /* The flags are those of t600, which has the same kernels. */
  setenv("OP2_CFLAGS", "-O1 -march=native -fno-math-errno -ffp-contract=off", 0);
  for (int k = 0; k < PROGRAM_KERNELS; k++) pool[k] = program_kernel(seed, k);
  for (int n = first; n < end; n++) {
    struct rprogram *p = rprogram_make_whole(seed, n, pool, PROGRAM_KERNELS);
    const int on = ranks ? ranks : 2 + n % 3, how = n / 3 % WHOLE_HOWS;
    spread_ways((uint64_t)n, how);
    for (int e = 0; e < 2; e++) {
      const struct config config = {backend, e == 1, blocks[n % 4]};
      counts.wrong += run_on_ranks(p, &config, on, how, runner);
    }
    counts.run++;
    counts.loops += p->loops;
    rprogram_free(p);
  }
  for (int k = 0; k < PROGRAM_KERNELS; k++) rkernel_free(pool[k]);
  return counts;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks must declare objects of one shape: if dim, type or arity differs on one of them, the call
 * reports both values on all ranks. A context of one rank needs no communication: maps by global
 * numbers are usable at once, even if the program has numbered the elements itself. */
#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "init.h"
#include "mesh.h"
#include "op2/matrix.h"
#include "rank_case.h"
#include "support.h"

OP2_KERNEL(fetch, (const double *a, const double *b, double *c), { *c = *a + 10 * *b; });

enum { RANKS = 3, EACH = 2 };

/* ---- one mesh -------------------------------------------------------------------------------- */

enum kind {
  MAP,
  MAP_GLOBAL,
  DAT_DIM,
  DAT_TYPE,
  WRAP_DIM,
  GBL_DIM,
  GBL_TYPE,
  CONST_DIM,
  CONST_TYPE,
  KINDS
};

static const char *const says[KINDS] = {
    "map 'm' has arity 2 here, and 1 on another rank",
    "map 'm' has arity 2 here, and 1 on another rank",
    "dat 'd' has dim 2 here, and 1 on another rank",
    "dat 'd' is of type OP2_F32 here, and OP2_F64 on another rank",
    "dat 'd' has dim 2 here, and 1 on another rank",
    "global 'g' has dim 2 here, and 1 on another rank",
    "global 'g' is of type OP2_F32 here, and OP2_F64 on another rank",
    "constant 'cst' has dim 2 here, and 1 on another rank",
    "constant 'cst' is of type OP2_F32 here, and OP2_F64 on another rank"};

struct choice {
  enum kind kind;
  int rank; /* the rank whose declaration is larger or smaller; -1: none */
  bool more;
};

struct handles {
  op2_map map;
  op2_dat dat;
  op2_gbl gbl;
  op2_const cst;
};

static op2_status declare(const struct choice *c, op2_context ctx, op2_set set, bool more,
                          struct handles *h) {
  static double memory[RANKS][2 * EACH];
  const double values[2 * EACH] = {1, 2, 3, 4};
  const int32_t idx[2 * EACH] = {0, 1, 1, 0};
  const int64_t far[2 * EACH] = {0, 1, 1, 0};
  const int n = more ? 2 : 1;
  const op2_type type = more ? OP2_F32 : OP2_F64;
  switch (c->kind) {
  case MAP: return op2_map_create(set, set, n, idx, "m", &h->map);
  case MAP_GLOBAL: return op2_map_create_global(set, set, n, far, "m", &h->map);
  case DAT_DIM: return op2_dat_create(set, n, OP2_F64, values, "d", &h->dat);
  case DAT_TYPE: return op2_dat_create(set, 1, type, NULL, "d", &h->dat);
  case WRAP_DIM: return op2_dat_wrap(set, n, OP2_F64, memory[op2_rank(ctx)], "d", &h->dat);
  case GBL_DIM: return op2_gbl_create(ctx, n, OP2_F64, values, "g", &h->gbl);
  case GBL_TYPE: return op2_gbl_create(ctx, 1, type, NULL, "g", &h->gbl);
  case CONST_DIM: return op2_const_create(ctx, n, OP2_F64, values, "cst", &h->cst);
  default: return op2_const_create(ctx, 1, type, values, "cst", &h->cst);
  }
}

static int declare_together(struct op2i_comm *comm, void *data) {
  const struct choice *c = data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  op2_context ctx = NULL;
  op2_set set = NULL;
  struct handles h = {0};
  int wrong = op2i_init_ranks(&options, comm, &ctx) != OP2_SUCCESS ||
              op2_set_create(ctx, EACH, "set", &set) != OP2_SUCCESS;
  op2_status status =
      wrong ? OP2_ERR_FATAL : declare(c, ctx, set, (comm->rank == c->rank) == c->more, &h);
  bool none = !h.map && !h.dat && !h.gbl && !h.cst;
  if (c->rank < 0)
    wrong += status != OP2_SUCCESS || none;
  else
    wrong += status != OP2_ERR_MISMATCH || !none || !strstr(op2_error_message(), says[c->kind]);
  if (wrong) fprintf(stderr, "# kind %d: %s\n", (int)c->kind, op2_error_message());
  /* The ranks still make the same calls: the next declaration is collective. */
  op2_dat after = NULL;
  wrong += op2_dat_create(set, 3, OP2_I32, NULL, "after", &after) != OP2_SUCCESS;
  op2_map_destroy(&h.map);
  op2_dat_destroy(&h.dat);
  op2_gbl_destroy(&h.gbl);
  op2_const_destroy(&h.cst);
  op2_dat_destroy(&after);
  op2_set_destroy(&set);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void shapes(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    struct choice c = {.kind = (enum kind)kind, .rank = -1};
    int wrong = run_contexts(RANKS, declare_together, &c);
    for (c.rank = 0; c.rank < RANKS; c.rank++)
      for (int more = 0; more < 2; more++) {
        c.more = more;
        wrong += run_contexts(RANKS, declare_together, &c);
      }
    is_int(wrong, 0, "on another rank: %s", says[kind]);
  }
}

/* ---- one rank -------------------------------------------------------------------------------- */

/* Row i leads to numbers i and i + 1, and element i has the number `number`[i]. */
static int one_rank(struct op2i_comm *comm, void *data) {
  enum { N = 5 };
  const bool numbered = *(const bool *)data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  const int64_t number[N] = {3, 0, 4, 1, 2}, ends[4] = {N, N, N, N};
  int64_t idx[2 * N];
  double a[N], got[N] = {0};
  op2_context ctx = NULL;
  op2_set rows = NULL, set = NULL;
  op2_map map = NULL;
  op2_dat from = NULL, to = NULL;
  op2_kernel kernel = NULL;
  for (int i = 0; i < N; i++) idx[2 * i] = i, idx[2 * i + 1] = (i + 1) % N;
  for (int i = 0; i < N; i++) a[i] = numbered ? (double)number[i] : i;
  int wrong = op2i_init_ranks(&options, comm, &ctx) || op2_set_create(ctx, N, "rows", &rows);
  if (!wrong)
    wrong = numbered ? op2_set_create_halo(ctx, ends, number, NULL, "set", &set)
                     : op2_set_create(ctx, N, "set", &set);
  wrong = wrong || op2_map_create_global(rows, set, 2, idx, "map", &map) ||
          op2_dat_create(set, 1, OP2_F64, a, "a", &from) ||
          op2_dat_create(rows, 1, OP2_F64, NULL, "c", &to) ||
          op2_kernel_create(ctx, &fetch_kernel, &kernel) ||
          op2_par_loop(kernel, rows, op2_arg_dat(from, 0, map, OP2_READ),
                       op2_arg_dat(from, 1, map, OP2_READ), op2_arg_direct(to, OP2_WRITE)) ||
          op2_dat_get(to, got);
  for (int i = 0; i < N && !wrong; i++) wrong = got[i] != i + 10 * ((i + 1) % N);
  wrong = wrong || op2_partition(ctx, NULL, NULL) || op2_dat_get(to, got);
  for (int i = 0; i < N && !wrong; i++) wrong = got[i] != i + 10 * ((i + 1) % N);
  if (wrong) fprintf(stderr, "# %s\n", op2_error_message());
  op2_dat_destroy(&from);
  op2_dat_destroy(&to);
  op2_map_destroy(&map);
  op2_set_destroy(&rows);
  op2_set_destroy(&set);
  op2_kernel_destroy(&kernel);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* ---- permitted differences ------------------------------------------------------------------- */

/* op2_map_create_permuted() is not collective, so rank 0 calls it before a collective call, and the
 * others after it; explicit zeros are the same values as the default. */
static int may_differ(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  const int32_t idx[2 * EACH] = {0, -1, 1, 0};
  const int perm[2] = {1, 0};
  const double zero = 0;
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_map base = NULL, permuted = NULL, composed = NULL;
  op2_gbl gbl = NULL;
  (void)data;
  int wrong = op2i_init_ranks(&options, comm, &ctx) || op2_set_create(ctx, EACH, "set", &set) ||
              op2_map_create_partial(set, set, 2, idx, "base", &base);
  if (!comm->rank) wrong = wrong || op2_map_create_permuted(base, perm, "permuted", &permuted);
  wrong = wrong || op2_gbl_create(ctx, 1, OP2_F64, comm->rank ? &zero : NULL, "g", &gbl);
  if (comm->rank) wrong = wrong || op2_map_create_permuted(base, perm, "permuted", &permuted);
  wrong = wrong || op2_map_create_composed(1, &permuted, "composed", &composed) || op2_flush(ctx);
  if (wrong) fprintf(stderr, "# %s\n", op2_error_message());
  op2_map_destroy(&composed);
  op2_map_destroy(&permuted);
  op2_map_destroy(&base);
  op2_gbl_destroy(&gbl);
  op2_set_destroy(&set);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* ---- the profile after partitioning ---------------------------------------------------------- */

OP2_KERNEL(set_one, (double *b), { *b = 1; });

static int profile(struct op2i_comm *comm, void *data) {
  enum { N = 100 };
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel kernel = NULL;
  op2_loop loop = NULL;
  op2_profile told = {0};
  (void)data;
  int wrong = op2i_init_ranks(&options, comm, &ctx) || op2_set_create(ctx, N, "set", &set) ||
              op2_dat_create(set, 1, OP2_F64, NULL, "b", &dat) ||
              op2_kernel_create(ctx, &set_one_kernel, &kernel) ||
              op2_loop_create(&loop, kernel, set, op2_arg_direct(dat, OP2_WRITE));
  for (int i = 0; i < 3; i++) wrong = wrong || op2_partition(ctx, NULL, NULL);
  wrong = wrong || op2_loop_compute(loop) || op2_profile_get(ctx, 0, &told);
  wrong = wrong || told.bytes != N * sizeof(double);
  if (wrong) fprintf(stderr, "# %g bytes, %s\n", told.bytes, op2_error_message());
  op2_loop_destroy(&loop);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  op2_kernel_destroy(&kernel);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

int main(void) {
  test_environment();
  shapes();
  is_int(run_contexts(RANKS, may_differ, NULL), 0,
         "calls that are not collective, and zeros that are not given, are no difference");
  is_int(run_contexts(2, profile, NULL), 0, "the bytes of a profile are those of one partition");
  for (int numbered = 0; numbered < 2; numbered++) {
    bool how = numbered;
    is_int(run_contexts(1, one_rank, &how), 0, "one rank uses maps by global numbers at once%s",
           numbered ? ", with numbers of its own" : "");
  }
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Several loops lower or raise the same global or dat, one after the other; in some of them a NaN
 * decides, others ignore it. A later loop begins with the results of the earlier ones: every
 * backend, in scalar and vector code, fused and not fused, on 1 and 2 ranks, gives the bits
 * computed here loop by loop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "op2.h"
#include "rank_case.h"
#include "support.h"

enum { N = 606, NODES = 30, LOOPS = 3, PATHS = 6, STARTS = 4, RANKS = 2 };

/* NaN decides in D and is ignored in L; F is fmin() or fmax(). W has op2_arg_info(). */
enum kind { D, L, F, W, KINDS };
static const enum kind paths[PATHS][LOOPS] = {{D, L, D}, {L, D, L}, {F, L, L},
                                              {L, F, D}, {D, W, L}, {W, D, L}};

/* Loops are fused if they have data in common: here it is w, which is 1. */
#define KERNELS(stem, T)                                                                           \
  OP2_KERNEL(lower_d_##stem, (const T *x, const T *w, T *m),                                       \
             { *m = *m < *x * *w ? *m : *x * *w; });                                               \
  OP2_KERNEL(lower_l_##stem, (const T *x, const T *w, T *m), {                                     \
    if (*x * *w < *m) *m = *x * *w;                                                                \
  });                                                                                              \
  OP2_KERNEL(lower_f_##stem, (const T *x, const T *w, T *m), { *m = fmin(*m, *x * *w); });         \
  OP2_KERNEL(lower_w_##stem, (const T *x, const T *w, T *m, int64_t *at, int64_t i), {             \
    if (*x * *w < *m) {                                                                            \
      *m = *x * *w;                                                                                \
      *at = i;                                                                                     \
    }                                                                                              \
  });                                                                                              \
  OP2_KERNEL(raise_d_##stem, (const T *x, const T *w, T *m),                                       \
             { *m = *m > *x * *w ? *m : *x * *w; });                                               \
  OP2_KERNEL(raise_l_##stem, (const T *x, const T *w, T *m), {                                     \
    if (*x * *w > *m) *m = *x * *w;                                                                \
  });                                                                                              \
  OP2_KERNEL(raise_f_##stem, (const T *x, const T *w, T *m), { *m = fmax(*m, *x * *w); });         \
  OP2_KERNEL(raise_w_##stem, (const T *x, const T *w, T *m, int64_t *at, int64_t i), {             \
    if (*x * *w > *m) {                                                                            \
      *m = *x * *w;                                                                                \
      *at = i;                                                                                     \
    }                                                                                              \
  });                                                                                              \
  static const op2_kernel_desc *const kernels_##stem[2][KINDS] = {                                 \
      {&lower_d_##stem##_kernel, &lower_l_##stem##_kernel, &lower_f_##stem##_kernel,               \
       &lower_w_##stem##_kernel},                                                                  \
      {&raise_d_##stem##_kernel, &raise_l_##stem##_kernel, &raise_f_##stem##_kernel,               \
       &raise_w_##stem##_kernel}};

KERNELS(f32, float)
KERNELS(f64, double)

static const double starts[STARTS] = {NAN, 40, -0.0, INFINITY};

/* The results of a run, for both modes, each start value and each path. */
struct found {
  double gbl[2][STARTS][PATHS], dat[2][STARTS][PATHS][NODES];
  int64_t at[2][STARTS][PATHS];
};

struct trial {
  const char *backend;
  op2_type type;
  struct found got[RANKS], want;
};

/* In the first loop, all values of the second half are NaN; all values are exact in float. */
static double value_of(int loop, int i) {
  if (loop == 0 && i >= N / 2) return NAN;
  if ((i + loop) % 7 == 3) return NAN;
  return loop == 0 ? 3 + (i * 5) % 101 : (i * (7 + 4 * loop)) % 89 - (i >= N / 2 ? 30 : 0);
}

static int32_t node_of(int i) { return (int32_t)((i * 11 + i / 7) % NODES); }

/* ---- expected results ------------------------------------------------------------------------ */

/* All kernels but F use comparisons, which are false for NaN. */
static double of_element(enum kind kind, bool high, double m, double x) {
  const bool better = high ? x > m : x < m, stays = high ? m > x : m < x;
  if (kind == F) return high ? fmax(m, x) : fmin(m, x);
  if (kind == D) return stays ? m : x;
  return better ? x : m;
}

static bool take(double *into, double value, bool high) {
  const bool better = high ? value > *into : value < *into;
  if (!better && !(isnan(*into) && !isnan(value))) return false;
  *into = value + 0;
  return true;
}

static void expect(struct found *want, int high, int s, int path) {
  double *g = &want->gbl[high][s][path], *dat = want->dat[high][s][path];
  *g = starts[s];
  for (int k = 0; k < NODES; k++) dat[k] = starts[s];
  want->at[high][s][path] = -1;
  for (int loop = 0; loop < LOOPS; loop++) {
    const enum kind kind = paths[path][loop];
    const double begun = *g;
    for (int i = 0; i < N; i++) {
      const double x = value_of(loop, i);
      const bool taken = take(g, of_element(kind, high, begun, x), high);
      if (kind == W && taken) want->at[high][s][path] = i;
      double *at = &dat[node_of(i)];
      if (kind != W) take(at, of_element(kind, high, *at, x), high);
    }
  }
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct run {
  op2_context ctx;
  op2_type type;
  int first, n; /* this rank's elements */
  op2_set set, nodes;
  op2_map map;
  op2_dat x[LOOPS], w, dat[2][STARTS][PATHS];
  op2_gbl gbl[2][STARTS][PATHS], at[2][STARTS][PATHS];
  op2_kernel kernels[2][KINDS];
};

static void put(op2_type type, void *to, int i, double value) {
  if (type == OP2_F64)
    ((double *)to)[i] = value;
  else
    ((float *)to)[i] = (float)value;
}

static double get(op2_type type, const void *from, int i) {
  return type == OP2_F64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static op2_status declare_path(struct run *r, int high, int s, int path) {
  double room[NODES];
  const int64_t nowhere = -1;
  for (int k = 0; k < NODES; k++) put(r->type, room, k, starts[s]);
  op2_status status = op2_gbl_create(r->ctx, 1, r->type, room, "g", &r->gbl[high][s][path]);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_I64, &nowhere, "at", &r->at[high][s][path]);
  if (!status) status = op2_dat_create(r->nodes, 1, r->type, room, "dat", &r->dat[high][s][path]);
  return status;
}

/* Each rank has nodes of its own, which only its elements reach. */
static op2_status declare(struct run *r) {
  double room[N];
  int32_t ends[N];
  for (int i = 0; i < r->n; i++) ends[i] = node_of(r->first + i);
  op2_status status = op2_set_create(r->ctx, r->n, "elements", &r->set);
  if (!status) status = op2_set_create(r->ctx, NODES, "nodes", &r->nodes);
  if (!status) status = op2_map_create(r->set, r->nodes, 1, ends, "map", &r->map);
  for (int loop = 0; loop < LOOPS && !status; loop++) {
    for (int i = 0; i < r->n; i++) put(r->type, room, i, value_of(loop, r->first + i));
    status = op2_dat_create(r->set, 1, r->type, room, "x", &r->x[loop]);
  }
  for (int i = 0; i < r->n; i++) put(r->type, room, i, 1);
  if (!status) status = op2_dat_create(r->set, 1, r->type, room, "w", &r->w);
  for (int high = 0; high < 2; high++)
    for (int k = 0; k < KINDS && !status; k++)
      status = op2_kernel_create(r->ctx, (r->type == OP2_F64 ? kernels_f64 : kernels_f32)[high][k],
                                 &r->kernels[high][k]);
  for (int high = 0; high < 2; high++)
    for (int s = 0; s < STARTS; s++)
      for (int path = 0; path < PATHS && !status; path++) status = declare_path(r, high, s, path);
  return status;
}

static op2_status queue_loop(const struct run *r, int high, int s, int path, int loop) {
  const enum kind kind = paths[path][loop];
  const op2_access access = high ? OP2_MAX : OP2_MIN;
  const op2_arg x = op2_arg_direct(r->x[loop], OP2_READ), w = op2_arg_direct(r->w, OP2_READ),
                g = op2_arg_gbl(r->gbl[high][s][path], access);
  if (kind == W)
    return op2_par_loop(r->kernels[high][W], r->set, x, w, g, op2_arg_info(r->at[high][s][path], 2),
                        op2_arg_idx());
  op2_status status = op2_par_loop(r->kernels[high][kind], r->set, x, w, g);
  if (!status)
    status = op2_par_loop(r->kernels[high][kind], r->set, x, w,
                          op2_arg_dat(r->dat[high][s][path], 0, r->map, access));
  return status;
}

static op2_status look(const struct run *r, struct found *got, int high, int s, int path) {
  double room[NODES];
  op2_status status = op2_gbl_get(r->gbl[high][s][path], room);
  got->gbl[high][s][path] = get(r->type, room, 0);
  if (!status) status = op2_gbl_get(r->at[high][s][path], &got->at[high][s][path]);
  if (!status) status = op2_dat_get(r->dat[high][s][path], room);
  for (int k = 0; k < NODES; k++) got->dat[high][s][path][k] = get(r->type, room, k);
  return status;
}

static void destroy(struct run *r) {
  for (int high = 0; high < 2; high++)
    for (int s = 0; s < STARTS; s++)
      for (int path = 0; path < PATHS; path++) {
        op2_gbl_destroy(&r->gbl[high][s][path]);
        op2_gbl_destroy(&r->at[high][s][path]);
        op2_dat_destroy(&r->dat[high][s][path]);
      }
  for (int high = 0; high < 2; high++)
    for (int k = 0; k < KINDS; k++) op2_kernel_destroy(&r->kernels[high][k]);
  for (int loop = 0; loop < LOOPS; loop++) op2_dat_destroy(&r->x[loop]);
  op2_dat_destroy(&r->w);
  op2_map_destroy(&r->map);
  op2_set_destroy(&r->nodes);
  op2_set_destroy(&r->set);
}

static int rank(struct op2i_comm *comm, void *data) {
  struct trial *t = data;
  const int size = comm->size, self = comm->rank;
  struct run r = {.type = t->type, .first = N / size * self, .n = N / size};
  const op2_options options = {
      .backend = t->backend, .threads = 1, .block_size = 64, .cache_dir = test_cache()};
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r);
  for (int high = 0; high < 2; high++)
    for (int s = 0; s < STARTS; s++)
      for (int path = 0; path < PATHS; path++)
        for (int loop = 0; loop < LOOPS && !status; loop++)
          status = queue_loop(&r, high, s, path, loop);
  for (int high = 0; high < 2; high++)
    for (int s = 0; s < STARTS; s++)
      for (int path = 0; path < PATHS && !status; path++)
        status = look(&r, &t->got[self], high, s, path);
  if (status) diag("rank %d: %s", self, op2_error_message());
  destroy(&r);
  return (status != OP2_SUCCESS) + (op2_finalize(&r.ctx) != OP2_SUCCESS);
}

/* ---- all cases ------------------------------------------------------------------------------- */

static bool alike(double got, double want) {
  return isnan(want) ? isnan(got) : !memcmp(&got, &want, sizeof got);
}

/* The combined result of all ranks for one node: numbers take precedence over NaN. */
static double of_node(const struct trial *t, int ranks, int high, int s, int path, int k) {
  double value = t->got[0].dat[high][s][path][k];
  for (int q = 1; q < ranks; q++) take(&value, t->got[q].dat[high][s][path][k], high);
  return value;
}

static int wrong_in(const struct trial *t, int ranks, int high, int s, int path) {
  int wrong = 0;
  for (int q = 0; q < ranks; q++) {
    const double got = t->got[q].gbl[high][s][path], want = t->want.gbl[high][s][path];
    const bool good = alike(got, want) && t->got[q].at[high][s][path] == t->want.at[high][s][path];
    if (!good && !wrong)
      diag("mode %d, start %g, path %d, rank %d: %g at %d, expected %g at %d", high, starts[s],
           path, q, got, (int)t->got[q].at[high][s][path], want, (int)t->want.at[high][s][path]);
    wrong += !good;
  }
  for (int k = 0; k < NODES && ranks == 1; k++)
    wrong += !alike(of_node(t, ranks, high, s, path, k), t->want.dat[high][s][path][k]);
  return wrong;
}

static int try_one(struct trial *t, int ranks) {
  memset(t->got, 0, sizeof t->got);
  int wrong = run_contexts(ranks, rank, t);
  for (int high = 0; high < 2; high++)
    for (int s = 0; s < STARTS; s++)
      for (int path = 0; path < PATHS; path++) wrong += wrong_in(t, ranks, high, s, path);
  return wrong;
}

static void try_backend(const char *backend, bool device) {
  static const char *const vectors[] = {"0", "32"}, *const fusions[] = {"0", "2"};
  struct trial *t = calloc(1, sizeof *t);
  t->backend = backend;
  for (int high = 0; high < 2; high++)
    for (int s = 0; s < STARTS; s++)
      for (int path = 0; path < PATHS; path++) expect(&t->want, high, s, path);
  for (int type = 0; type < (device ? 1 : 2); type++)
    for (int v = device; v < 2; v++)
      for (int f = 0; f < 2; f++)
        for (int ranks = 1; ranks <= RANKS; ranks++) {
          if (!thorough() && (type + v + f + ranks) % 2 != taken_half()) continue;
          t->type = type ? OP2_F32 : OP2_F64;
          setenv("OP2_SIMD", vectors[v], 1);
          setenv("OP2_FUSE", fusions[f], 1);
          is_int(try_one(t, ranks), 0, "%s: type %d, OP2_SIMD=%s, OP2_FUSE=%s, %d ranks", backend,
                 type, vectors[v], fusions[f], ranks);
        }
  free(t);
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend(every_backend, &b));)
    try_backend(backend, is_device(backend));
  return done();
}

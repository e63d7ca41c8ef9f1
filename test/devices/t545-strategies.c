/* SPDX-License-Identifier: BSD-3-Clause */
/* Strategies of devices: each gives the host's results, bitwise where doc/devices.md says so, and
 * the same bits in every run and for every size of groups. Needs an OpenCL platform; PoCL will
 * do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "support.h"

enum { EDGES = 1100, CORE = 500, OWNED = 1000, NODES = 310, CELLS = 190, PART = 270, BINS = 20 };

OP2_KERNEL(flux,
           (const double *x1, const double *x2, const double **q, const double *w, double *r1,
            double *r2, float *s),
           {
             double f = (x1[0] - x2[1]) * w[0] / (1 + q[0][0] * q[1][1]);
             for (int i = 0; i < 3; i++) {
               r1[i] += f / (i + 1);
               r2[i] -= f;
             }
             s[0] += (float)f;
           });
OP2_KERNEL(reduce,
           (const double *x1, const double *x2, double *r1, double *r2, double *w, double *total,
            double *most, int64_t *count),
           {
             w[0] = 0.5 * (x1[0] + x2[0]);
             r1[1] += w[0];
             r2[2] += 0.1 * w[0];
             *total += w[0];
             if (w[0] > *most) *most = w[0];
             *count += 1;
           });
OP2_KERNEL(extremes, (const double *w, double *low1, double *low2, int32_t *high), {
  if (*w < *low1) *low1 = *w;
  if (-*w < *low2) *low2 = -*w;
  if ((int32_t)(100 * *w) > *high) *high = (int32_t)(100 * *w);
});
OP2_KERNEL(count, (int32_t * a, int64_t *b, uint8_t *c), {
  *a += 3;
  *b -= 5;
  *c += 1;
});
OP2_KERNEL(append, (uint64_t * x, const double *w, double *least, int32_t *which, int32_t i), {
  *x = *x * 3 + (uint64_t)(100 + 10 * *w);
  if (*w < *least) {
    *least = *w;
    *which = i;
  }
});
/* This reduces more values than are reduced together, besides an OP2_MAX with its information. */
OP2_KERNEL(tally,
           (const double *w, double *r1, double *r2, double *most, int32_t *where, float *at,
            double *bins, int32_t i),
           {
             r1[0] += w[0];
             r2[1] -= w[0];
             for (int k = 0; k < 20; k++) bins[k] += w[0] * (k + i % 3);
             if (floor(4 * w[0]) > *most) {
               *most = floor(4 * w[0]);
               *where = i;
               at[0] = (float)w[0];
               at[1] = (float)(2 * i);
             }
           });
OP2_KERNEL(put, (double *y, const double *w), {
  y[0] = w[0];
  y[1] = -w[0];
});

/* All results; the rules differ for the parts. */
struct sums { /* increments: the order shows in their last bits */
  double r[3 * NODES], part[3 * NODES];
  float s[CELLS], part_s[CELLS];
};
struct exact { /* either no order shows, or the order of elements is kept */
  double w[EDGES], low[NODES], y[2 * CELLS], most, least, tallest;
  int32_t high[CELLS], a[NODES], which, where;
  float at[2];
  int64_t b[CELLS], count;
  uint64_t x[CELLS];
  uint8_t c[CELLS];
};
struct results {
  struct sums sums;
  struct exact exact;
  double total, bins[BINS];
};

struct mesh {
  op2_context ctx;
  op2_set edges, part, nodes, cells;
  op2_map ends, owner;
  op2_dat x, q, w, r, s, low, high, a, b, c, u, y;
  op2_gbl total, most, count, least, which, tallest, where, at, bins;
  op2_kernel flux, reduce, extremes, counting, append, put, tally;
};

static int32_t ends[2 * EDGES], owners[EDGES];
static int64_t members[PART];
static double start[2 * EDGES];

/* Edges connect nodes that are near, so that some blocks share a colour and run in another
 * order. */
static void draw_mesh(void) {
  uint64_t seed = 11;
  for (int e = 0; e < EDGES; e++) {
    ends[2 * e] = (e * NODES / EDGES + draw_below(&seed, 9)) % NODES;
    ends[2 * e + 1] = (ends[2 * e] + 1 + draw_below(&seed, 9)) % NODES;
    owners[e] = draw_below(&seed, CELLS);
  }
  for (int i = 0; i < PART; i++) members[i] = 4 * i;
  for (int i = 0; i < 2 * EDGES; i++) start[i] = draw_below(&seed, 1000) / 777.0 - 0.4;
}

static void declare(struct mesh *m) {
  op2_context ctx = m->ctx;
  const int64_t sections[4] = {CORE, OWNED, EDGES, EDGES};
  CHECK(op2_set_create_sections(ctx, sections, "edges", &m->edges));
  CHECK(op2_subset_create(m->edges, PART, members, "part", &m->part));
  CHECK(op2_set_create(ctx, NODES, "nodes", &m->nodes));
  CHECK(op2_set_create(ctx, CELLS, "cells", &m->cells));
  CHECK(op2_map_create(m->edges, m->nodes, 2, ends, "ends", &m->ends));
  CHECK(op2_map_create(m->edges, m->cells, 1, owners, "owner", &m->owner));
  CHECK(op2_dat_create(m->nodes, 2, OP2_F64, start, "x", &m->x));
  CHECK(op2_dat_create(m->nodes, 2, OP2_F64, start + 9, "q", &m->q));
  CHECK(op2_dat_create(m->edges, 1, OP2_F64, start, "w", &m->w));
  CHECK(op2_dat_create(m->nodes, 3, OP2_F64, NULL, "r", &m->r));
  CHECK(op2_dat_create(m->cells, 1, OP2_F32, NULL, "s", &m->s));
  CHECK(op2_dat_create(m->nodes, 1, OP2_F64, NULL, "low", &m->low));
  CHECK(op2_dat_create(m->cells, 1, OP2_I32, NULL, "high", &m->high));
  CHECK(op2_dat_create(m->nodes, 1, OP2_I32, NULL, "a", &m->a));
  CHECK(op2_dat_create(m->cells, 1, OP2_I64, NULL, "b", &m->b));
  CHECK(op2_dat_create(m->cells, 1, OP2_U8, NULL, "c", &m->c));
  CHECK(op2_dat_create(m->cells, 1, OP2_U64, NULL, "u", &m->u));
  CHECK(op2_dat_create(m->cells, 2, OP2_F64, NULL, "y", &m->y));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "total", &m->total));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "most", &m->most));
  CHECK(op2_gbl_create(ctx, 1, OP2_I64, NULL, "count", &m->count));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "least", &m->least));
  CHECK(op2_gbl_create(ctx, 1, OP2_I32, NULL, "which", &m->which));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "tallest", &m->tallest));
  CHECK(op2_gbl_create(ctx, 1, OP2_I32, NULL, "where", &m->where));
  CHECK(op2_gbl_create(ctx, 2, OP2_F32, NULL, "at", &m->at));
  CHECK(op2_gbl_create(ctx, BINS, OP2_F64, NULL, "bins", &m->bins));
  CHECK(op2_kernel_create(ctx, &flux_kernel, &m->flux));
  CHECK(op2_kernel_create(ctx, &reduce_kernel, &m->reduce));
  CHECK(op2_kernel_create(ctx, &extremes_kernel, &m->extremes));
  CHECK(op2_kernel_create(ctx, &count_kernel, &m->counting));
  CHECK(op2_kernel_create(ctx, &append_kernel, &m->append));
  CHECK(op2_kernel_create(ctx, &put_kernel, &m->put));
  CHECK(op2_kernel_create(ctx, &tally_kernel, &m->tally));
}

static void forget(struct mesh *m) {
  op2_dat *const dats[] = {&m->x,    &m->q, &m->w, &m->r, &m->s, &m->low,
                           &m->high, &m->a, &m->b, &m->c, &m->u, &m->y};
  op2_kernel *const kernels[] = {&m->flux,   &m->reduce, &m->extremes, &m->counting,
                                 &m->append, &m->put,    &m->tally};
  op2_gbl *const gbls[] = {&m->total,   &m->most,  &m->count, &m->least, &m->which,
                           &m->tallest, &m->where, &m->at,    &m->bins};
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(dats[i]);
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) op2_kernel_destroy(kernels[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(gbls[i]);
  op2_map_destroy(&m->ends);
  op2_map_destroy(&m->owner);
  op2_set_destroy(&m->part);
  op2_set_destroy(&m->edges);
  op2_set_destroy(&m->nodes);
  op2_set_destroy(&m->cells);
  CHECK(op2_finalize(&m->ctx));
}

/* ---- the program ----------------------------------------------------------------------------- */

static void fresh(struct mesh *m) {
  static const double zeros[3 * NODES];
  const double none = 0;
  const int64_t nobody = 0;
  op2_dat const dats[] = {m->r, m->s, m->low, m->high, m->a, m->b, m->c, m->u, m->y};
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) CHECK(op2_dat_set(dats[i], zeros));
  CHECK(op2_dat_set(m->w, start));
  CHECK(op2_gbl_set(m->total, &none));
  CHECK(op2_gbl_set(m->most, &none));
  CHECK(op2_gbl_set(m->least, &none));
  CHECK(op2_gbl_set(m->count, &nobody));
  CHECK(op2_gbl_set(m->which, &nobody));
  CHECK(op2_gbl_set(m->tallest, &none));
  CHECK(op2_gbl_set(m->where, &nobody));
  CHECK(op2_gbl_set(m->at, &none));
  CHECK(op2_gbl_set(m->bins, zeros));
}

static void fluxes(struct mesh *m, op2_set set) {
  CHECK(op2_par_loop(m->flux, set, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
                     op2_arg_dat(m->x, 1, m->ends, OP2_READ),
                     op2_arg_dat(m->q, OP2_ALL, m->ends, OP2_READ), op2_arg_direct(m->w, OP2_READ),
                     op2_arg_dat(m->r, 0, m->ends, OP2_INC), op2_arg_dat(m->r, 1, m->ends, OP2_INC),
                     op2_arg_dat(m->s, 0, m->owner, OP2_INC)));
}

/* The first two loops may be fused. */
static void run(struct mesh *m, struct results *out) {
  memset(out, 0, sizeof *out);
  fresh(m);
  CHECK(op2_par_loop(m->reduce, m->edges, op2_arg_dat(m->x, 0, m->ends, OP2_READ),
                     op2_arg_dat(m->x, 1, m->ends, OP2_READ),
                     op2_arg_dat(m->r, 0, m->ends, OP2_INC), op2_arg_dat(m->r, 1, m->ends, OP2_INC),
                     op2_arg_direct(m->w, OP2_WRITE), op2_arg_gbl(m->total, OP2_INC),
                     op2_arg_gbl(m->most, OP2_MAX), op2_arg_gbl(m->count, OP2_INC)));
  fluxes(m, m->edges);
  CHECK(op2_par_loop(m->extremes, m->edges, op2_arg_direct(m->w, OP2_READ),
                     op2_arg_dat(m->low, 0, m->ends, OP2_MIN),
                     op2_arg_dat(m->low, 1, m->ends, OP2_MIN),
                     op2_arg_dat(m->high, 0, m->owner, OP2_MAX)));
  CHECK(op2_par_loop(m->counting, m->edges, op2_arg_dat(m->a, 1, m->ends, OP2_INC),
                     op2_arg_dat(m->b, 0, m->owner, OP2_INC),
                     op2_arg_dat(m->c, 0, m->owner, OP2_INC)));
  CHECK(op2_par_loop(m->append, m->edges, op2_arg_dat(m->u, 0, m->owner, OP2_RW),
                     op2_arg_direct(m->w, OP2_READ), op2_arg_gbl(m->least, OP2_MIN),
                     op2_arg_info(m->which, 2), op2_arg_idx()));
  CHECK(op2_par_loop(m->put, m->edges, op2_arg_dat(m->y, 0, m->owner, OP2_WRITE),
                     op2_arg_direct(m->w, OP2_READ)));
  CHECK(op2_par_loop(m->tally, m->edges, op2_arg_direct(m->w, OP2_READ),
                     op2_arg_dat(m->r, 0, m->ends, OP2_INC), op2_arg_dat(m->r, 1, m->ends, OP2_INC),
                     op2_arg_gbl(m->tallest, OP2_MAX), op2_arg_info(m->where, 3),
                     op2_arg_info(m->at, 3), op2_arg_gbl(m->bins, OP2_INC), op2_arg_idx()));
  CHECK(op2_dat_get(m->r, out->sums.r));
  CHECK(op2_dat_get(m->s, out->sums.s));
  fluxes(m, m->part);
  CHECK(op2_dat_get(m->r, out->sums.part));
  CHECK(op2_dat_get(m->s, out->sums.part_s));
  CHECK(op2_dat_get(m->w, out->exact.w));
  CHECK(op2_dat_get(m->low, out->exact.low));
  CHECK(op2_dat_get(m->high, out->exact.high));
  CHECK(op2_dat_get(m->a, out->exact.a));
  CHECK(op2_dat_get(m->b, out->exact.b));
  CHECK(op2_dat_get(m->c, out->exact.c));
  CHECK(op2_dat_get(m->u, out->exact.x));
  CHECK(op2_dat_get(m->y, out->exact.y));
  CHECK(op2_gbl_get(m->total, &out->total));
  CHECK(op2_gbl_get(m->most, &out->exact.most));
  CHECK(op2_gbl_get(m->least, &out->exact.least));
  CHECK(op2_gbl_get(m->count, &out->exact.count));
  CHECK(op2_gbl_get(m->which, &out->exact.which));
  CHECK(op2_gbl_get(m->tallest, &out->exact.tallest));
  CHECK(op2_gbl_get(m->where, &out->exact.where));
  CHECK(op2_gbl_get(m->at, out->exact.at));
  CHECK(op2_gbl_get(m->bins, out->bins));
}

static bool opens(struct mesh *m, const char *backend, const char *strategy, int block_size,
                  const char *fuse) {
  op2_options options = {
      .backend = backend, .threads = 2, .block_size = block_size, .cache_dir = test_cache()};
  *m = (struct mesh){0};
  setenv("OP2_DEVICE_STRATEGY", strategy, 1);
  setenv("OP2_FUSE", fuse, 1);
  if (!CHECK(op2_init(&options, &m->ctx))) return false;
  declare(m);
  return true;
}

/* ---- checks of results ----------------------------------------------------------------------- */

static bool same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static double distance(const struct results *a, const struct results *b) {
  double most = fabs(a->total - b->total) / fabs(b->total);
  for (int i = 0; i < BINS; i++)
    most = fmax(most, fabs(a->bins[i] - b->bins[i]) / fabs(b->bins[i]));
  for (int i = 0; i < 3 * NODES; i++) {
    most = fmax(most, fabs(a->sums.r[i] - b->sums.r[i]));
    most = fmax(most, fabs(a->sums.part[i] - b->sums.part[i]));
  }
  for (int i = 0; i < CELLS; i++) {
    most = fmax(most, 1e-9 * fabs((double)a->sums.s[i] - (double)b->sums.s[i]));
    most = fmax(most, 1e-9 * fabs((double)a->sums.part_s[i] - (double)b->sums.part_s[i]));
  }
  return most;
}

struct rule {
  const char *strategy;
  bool host;  /* sums have the host's bits */
  bool fixed; /* sums have at least the same bits in each run */
};
static const struct rule rules[] = {{"", true, true},        {"repeat", true, true},
                                    {"owner", true, true},   {"gather", true, true},
                                    {"staged", false, true}, {"unstaged", false, true},
                                    {"serial", true, true},  {"atomics", false, false}};

/* op2_explain() reports that loops ran on the device, at least one of them by the strategy asked
 * for. */
static void is_told(struct mesh *m, const char *strategy) {
  static char text[1 << 16];
  char want[64];
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream) CHECK(op2_explain(m->ctx, stream));
  if (stream) fclose(stream);
  const bool host = m->ctx->device->limits.on_host;
  snprintf(want, sizeof want, "on the device: %s,",
           *strategy ? strategy
           : host    ? "serial"
                     : "repeat");
  if (!ok(strstr(text, want) && !strstr(text, "on the host"), "%s: is told to be what ran",
          *strategy ? strategy : "none asked for"))
    diag("%s", text);
  if (*strategy && strcmp(strategy, "staged") != 0 && strcmp(strategy, "unstaged") != 0 &&
      strcmp(strategy, "serial") != 0) {
    snprintf(want, sizeof want, "not %s: its elements have to take turns", strategy);
    ok(strstr(text, want) &&
           strstr(text, host ? "on the device: serial," : "on the device: staged,"),
       "%s: what it does not fit takes what fits, and why is told", strategy);
  }
  if (!strcmp(strategy, "atomics"))
    ok(strstr(text, "not atomics: there are no atomics of 8 or 16 bits") != NULL,
       "atomics: too short a type is told");
}

static bool by_blocks; /* the host adds block by block; without OpenMP, in the order of elements */

static void judge(const struct rule *rule, const char *how, const struct results *got,
                  const struct results *host, const struct results *first) {
  const char *name = *rule->strategy ? rule->strategy : "none asked for";
  ok(same(&got->exact, &host->exact, sizeof got->exact),
     "%s, %s: what no order shows in, or keeps it", name, how);
  if (rule->host && by_blocks)
    ok(same(&got->sums, &host->sums, sizeof got->sums), "%s, %s: the host's bits in sums", name,
       how);
  double far = distance(got, host);
  ok(far < 1e-12, "%s, %s: sums are the host's but for rounding (%.1e)", name, how, far);
  if (rule->fixed)
    ok(same(&got->sums, &first->sums, sizeof got->sums), "%s, %s: the same bits as ever", name,
       how);
  ok(same(&got->total, &first->total, sizeof got->total) &&
         same(got->bins, first->bins, sizeof got->bins),
     "%s, %s: the same tree of reductions", name, how);
}

/* Groups are smaller than blocks, as large, and larger; the last size is repeated. */
static void sizes(struct mesh *m, const struct rule *rule, const struct results *host,
                  struct results *first, const struct results *tree) {
  static const int groups[] = {256, 64, 32, 32};
  static struct results got;
  char how[32];
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    m->ctx->device->limits.group_max = groups[i];
    run(m, i ? &got : first);
    if (i == 0 && tree)
      ok(first->total == tree->total && same(first->bins, tree->bins, sizeof first->bins),
         "%s: the tree of all strategies", rule->strategy);
    snprintf(how, sizeof how, "groups of %d", groups[i]);
    judge(rule, how, i ? &got : first, host, first);
  }
}

static void strategies(const char *backend, int block_size, const char *fuse) {
  static struct results host, first, staged, before;
  struct mesh m;
  const char *reference = backend_unfit("openmp") ? "sequential" : "openmp";
  by_blocks = !backend_unfit("openmp");
  if (!by_blocks) skip("the host's bits in sums: %s", backend_unfit("openmp"));
  diag("%s against %s, blocks of %d, OP2_FUSE=%s", backend, reference, block_size, fuse);
  if (!opens(&m, reference, "", block_size, fuse)) return;
  run(&m, &host);
  forget(&m);
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
    if (!opens(&m, backend, rules[r].strategy, block_size, fuse)) return;
    sizes(&m, &rules[r], &host, &first, r ? &before : NULL);
    is_told(&m, rules[r].strategy);
    before = first;
    if (!strcmp(rules[r].strategy, "staged")) staged = first;
    if (!strcmp(rules[r].strategy, "unstaged"))
      ok(same(&first.sums, &staged.sums, sizeof staged.sums), "staged and unstaged: the same bits");
    forget(&m);
  }
}

/* Blocks get smaller if shared memory is short; if it cannot hold one element, or one target, other
 * strategies are used. */
static void short_memory(const char *backend, const struct rule *rule) {
  static struct results host, got;
  static const int64_t bytes[] = {2048, 400, 64};
  struct mesh m;
  char how[32];
  if (!opens(&m, "sequential", "", 0, "0")) return;
  run(&m, &host);
  forget(&m);
  for (int i = 0; i < 3; i++) {
    if (!opens(&m, backend, rule->strategy, 0, "0")) return;
    m.ctx->device->limits.local_bytes = bytes[i];
    run(&m, &got);
    snprintf(how, sizeof how, "%d bytes to share", (int)bytes[i]);
    judge(rule, how, &got, &host, &got);
    forget(&m);
  }
}

/* On a device whose atomics have at most 32 bits only such values use them. */
static void short_atomics(const char *backend) {
  static char text[1 << 16];
  static struct results got;
  struct mesh m;
  if (!opens(&m, backend, "atomics", 64, "0")) return;
  m.ctx->device->limits.short_atomics = true;
  run(&m, &got);
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream) CHECK(op2_explain(m.ctx, stream));
  if (stream) fclose(stream);
  ok(strstr(text, "not atomics: the device has no atomics of 64 bits") &&
         !strstr(text, "on the device: atomics"),
     "without atomics of 64 bits others are taken");
  forget(&m);
}

/* ---- strategies by name ---------------------------------------------------------------------- */

static void names(void) {
  op2_context ctx = NULL;
  op2_options options = {.backend = "sequential"};
  setenv("OP2_DEVICE_STRATEGY", "colours", 1);
  ok(op2_init(&options, &ctx) == OP2_ERR_OPTION && !ctx &&
         strstr(op2_error_message(), "OP2_DEVICE_STRATEGY") &&
         strstr(op2_error_message(), "repeat, owner, gather, staged, unstaged, serial, atomics"),
     "another name is refused: %s", op2_error_message());
  setenv("OP2_DEVICE_STRATEGY", "", 1);
}

int main(void) {
  const char *why = backend_unfit("opencl");
  test_environment();
  names();
  draw_mesh();
  if (why) {
    skip("opencl: %s", why);
    return done();
  }
  strategies("opencl", 64, "0");
  if (!getenv("OP2_TEST_QUICK")) strategies("opencl", 0, "2");
  short_memory("opencl", &(const struct rule){"staged", false, false});
  short_memory("opencl", &(const struct rule){"owner", false, false});
  short_atomics("opencl");
  return done();
}

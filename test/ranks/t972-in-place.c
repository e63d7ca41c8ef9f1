/* SPDX-License-Identifier: BSD-3-Clause */
/* Deterministic mode: loops that add in place have the bits of loops that write all contributions,
 * which are those of the checked mode, on any number of ranks, with any blocks and backend of the
 * host. They do add in place if ranks have neighbouring elements, and do not if elements are spread at
 * random. A rank that lacks memory fails on all ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "mem.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"
#include "whole_case.h"

enum { DIM = 2, STEPS = 3, N = 600, CORNERS = 4 };
enum { AT_RANDOM, IN_BLOCKS, ON_ONE }; /* how elements are owned (whole_case.h) */

/* A run, and the results by global number, of the run that is compared with. */
struct trial {
  struct whole whole;
  const char *backend;
  int block_size, threads, order; /* order: 0 as numbered, 1 every element turned round */
  bool eager, keep;
  double y[N][DIM], z[N][DIM], flow[N], least;
  float narrow[N];
  _Atomic int in_place; /* loops of all ranks that add in place */
};

enum { FLUX, POINTERS, BACK, PACKED, ADVANCE, KERNELS };
static const char *const sources[KERNELS] = {
    [FLUX] =
        "void flux(const double *w, const double *a, const double *b, double *ya, double *yb,\n"
        "          double *flow, double *least, double f) {\n"
        "  flow[0] = f * (a[0] - b[1]);\n"
        "  if (w[0] > 0.1) { ya[0] += flow[0] / 3; ya[1] -= w[0]; ya[0] += w[0] / 7; }\n"
        "  yb[1] += flow[0] * 0.7;\n"
        "  *least = flow[0] < *least ? flow[0] : *least;\n}",
    [POINTERS] =
        "void pointers(const double *w, double *y[4]) {\n"
        "  for (int s = 0; s < 4; s++) { y[s][0] += w[0] / (s + 3); y[s][1] -= w[0] * 0.1; }\n}",
    [BACK] =
        "void back(const double *w, double *z1, double *z0, double *y) {\n"
        "  for (int j = 0; j < 2; j++) { z1[j] += w[0] / 3; z0[j] -= w[0] / 7; y[j] += w[0]; }\n}",
    [PACKED] = "void packed(const double *w, float *y) {\n"
               "  for (int s = 0; s < 4; s++) y[s] += (float)w[0] / (float)(s + 7);\n}",
    [ADVANCE] = "void advance(double *y, double *z) {\n"
                "  for (int j = 0; j < 2; j++) { z[j] += 0.01 * y[j]; y[j] *= -0.3; }\n}",
};
static const char *const names[KERNELS] = {"flux", "pointers", "back", "packed", "advance"};

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS];
  op2_dat y, z, narrow, flow, we, wc;
  op2_gbl least;
  op2_kernel kernels[KERNELS];
};

/* ---- the mesh -------------------------------------------------------------------------------- */

/* A chain of nodes; a cell leads to four that follow each other. The last edge has one end twice. */
static void make_whole(struct trial *t, int ranks, int how, uint64_t *seed) {
  static const char *const set_names[] = {"nodes", "edges", "cells"};
  static const int arities[] = {2, CORNERS};
  t->whole = (struct whole){.nsets = 3, .nmaps = 2};
  for (int s = 0; s < 3; s++) {
    t->whole.set[s].name = set_names[s];
    t->whole.set[s].size = s == NODES ? N : s == EDGES ? N : N - CORNERS + 1;
  }
  for (int m = 0; m < 2; m++) {
    const int64_t n = t->whole.set[EDGES + m].size;
    t->whole.map[m].name = m ? "cell_node" : "edge_node";
    t->whole.map[m].from = EDGES + m;
    t->whole.map[m].arity = arities[m];
    t->whole.map[m].idx = calloc((size_t)(n * arities[m]), sizeof *t->whole.map[m].idx);
    for (int64_t e = 0; e < n; e++)
      for (int k = 0; k < arities[m]; k++) {
        const int64_t at = e + k < N ? e + k : N - 1, slot = t->order ? arities[m] - 1 - k : k;
        t->whole.map[m].idx[e * arities[m] + slot] = (int32_t)at;
      }
  }
  whole_own(&t->whole, ranks, how, seed);
}

/* ---- the program ----------------------------------------------------------------------------- */

static op2_status make_dat(struct run *r, int set, int dim, const char *name, op2_dat *dat) {
  const int64_t n = r->share.set[set].ends[3];
  double *values = calloc((size_t)(n * dim) + 1, sizeof *values);
  for (int64_t i = 0; i < n * dim; i++) {
    const int64_t number = r->share.set[set].global[i / dim] * 7 + i % dim;
    values[i] = number % 5 ? 1.0 / (double)(3 + number % 41) : -0.0;
  }
  op2_status status = op2_dat_create(r->sets[set], dim, OP2_F64, values, name, dat);
  free(values);
  return status;
}

static op2_status declare(struct run *r, const struct trial *t) {
  const double large = 1e9;
  op2_status status = share_declare(&t->whole, &r->share, r->ctx, r->sets, r->maps);
  if (!status) status = make_dat(r, NODES, DIM, "y", &r->y);
  if (!status) status = make_dat(r, NODES, DIM, "z", &r->z);
  if (!status) status = make_dat(r, EDGES, 1, "we", &r->we);
  if (!status) status = make_dat(r, CELLS, 1, "wc", &r->wc);
  if (!status) status = op2_dat_create(r->sets[NODES], 1, OP2_F32, NULL, "narrow", &r->narrow);
  if (!status) status = op2_dat_create(r->sets[EDGES], 1, OP2_F64, NULL, "flow", &r->flow);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_F64, &large, "least", &r->least);
  for (int k = 0; k < KERNELS && !status; k++) {
    const op2_kernel_desc desc = {.name = names[k], .source = sources[k]};
    status = op2_kernel_create(r->ctx, &desc, &r->kernels[k]);
  }
  return status;
}

static op2_status step(struct run *r, double factor) {
  const op2_map ends = r->maps[EDGE_NODE], corners = r->maps[CELL_NODE];
  op2_status status =
      op2_par_loop(r->kernels[FLUX], r->sets[EDGES], op2_arg_direct(r->we, OP2_READ),
                   op2_arg_dat(r->z, 0, ends, OP2_READ), op2_arg_dat(r->z, 1, ends, OP2_READ),
                   op2_arg_dat(r->y, 0, ends, OP2_INC), op2_arg_dat(r->y, 1, ends, OP2_INC),
                   op2_arg_direct(r->flow, OP2_WRITE), op2_arg_gbl(r->least, OP2_MIN),
                   op2_arg_val(&factor, 1, OP2_F64));
  if (!status)
    status = op2_par_loop(r->kernels[POINTERS], r->sets[CELLS], op2_arg_direct(r->wc, OP2_READ),
                          op2_arg_dat(r->y, OP2_ALL, corners, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[BACK], r->sets[EDGES], op2_arg_direct(r->flow, OP2_READ),
                          op2_arg_dat(r->z, 1, ends, OP2_INC), op2_arg_dat(r->z, 0, ends, OP2_INC),
                          op2_arg_dat(r->y, 1, ends, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[PACKED], r->sets[CELLS], op2_arg_direct(r->wc, OP2_READ),
                          op2_arg_dat(r->narrow, OP2_PACKED, corners, OP2_INC));
  if (status) return status;
  return op2_par_loop(r->kernels[ADVANCE], r->sets[NODES], op2_arg_direct(r->y, OP2_RW),
                      op2_arg_direct(r->z, OP2_RW));
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int compare_dat(const struct run *r, const struct trial *t, int set, op2_dat dat,
                       size_t bytes, void *kept) {
  char *values = calloc((size_t)r->share.set[set].ends[3] + 1, bytes);
  int wrong = op2_dat_get(dat, values) != OP2_SUCCESS;
  for (int64_t i = 0; i < r->share.set[set].ends[1] && !wrong; i++) {
    char *at = (char *)kept + (size_t)r->share.set[set].global[i] * bytes;
    if (t->keep) memcpy(at, values + (size_t)i * bytes, bytes);
    wrong += memcmp(at, values + (size_t)i * bytes, bytes) != 0;
  }
  free(values);
  return wrong;
}

static int compare(const struct run *r, struct trial *t) {
  double least = 0;
  int wrong = compare_dat(r, t, NODES, r->y, sizeof *t->y, t->y);
  wrong += compare_dat(r, t, NODES, r->z, sizeof *t->z, t->z);
  wrong += compare_dat(r, t, NODES, r->narrow, sizeof *t->narrow, t->narrow);
  wrong += compare_dat(r, t, EDGES, r->flow, sizeof *t->flow, t->flow);
  wrong += op2_gbl_get(r->least, &least) != OP2_SUCCESS;
  if (t->keep) t->least = least;
  return wrong + (t->least != least);
}

/* Loops over the elements that lead to deferred targets. */
static int count_in_place(op2_context ctx) {
  op2_profile profile;
  int n = 0;
  for (int i = 0; !op2_profile_get(ctx, i, &profile); i++)
    n += strstr(profile.set, "at borders") != NULL;
  return n;
}

static int rank(struct op2i_comm *comm, void *data) {
  struct trial *t = data;
  struct run r = {0};
  op2_options options = rank_options(t->backend, t->eager);
  op2_dat *dats[] = {&r.y, &r.z, &r.narrow, &r.flow, &r.we, &r.wc};
  int wrong = 0;
  options.block_size = t->block_size;
  options.threads = t->threads;
  whole_share(&t->whole, comm->rank, &r.share);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r, t);
  for (int s = 0; s < STEPS && !status; s++) status = step(&r, 0.37 + s);
  if (!status) wrong = compare(&r, t);
  if (status) fprintf(stderr, "# rank %d of %d: %s\n", comm->rank, comm->size, op2_error_message());
  t->in_place += count_in_place(r.ctx);
  for (size_t d = 0; d < sizeof dats / sizeof *dats; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&r.least);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&r.kernels[k]);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r.maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r.sets[s]);
  share_free(&t->whole, &r.share);
  return wrong + (op2_finalize(&r.ctx) != OP2_SUCCESS) + (status != OP2_SUCCESS);
}

/* Returns true if results differ from those that are kept. */
static bool differs(struct trial *t, int ranks, int how, uint64_t seed) {
  make_whole(t, ranks, how, &seed);
  t->in_place = 0;
  const int wrong = run_contexts(ranks, rank, t);
  whole_free(&t->whole);
  return wrong > 0;
}

/* ---- all cases ------------------------------------------------------------------------------- */

static void try_blocks(struct trial *t, int block_size, int threads) {
  static const int counts[] = {1, 2, 3, 4};
  int wrong = 0, in_place = 0, spread = 0;
  t->block_size = block_size;
  t->threads = threads;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    t->eager = c == 1;
    wrong += differs(t, counts[c], IN_BLOCKS, c + 3);
    in_place += t->in_place > 0;
  }
  wrong += differs(t, 3, AT_RANDOM, 5);
  spread = t->in_place;
  is_int(wrong, 0, "%s, blocks of %d, %d threads: 5 runs have the bits of the checked mode",
         t->backend, block_size, threads);
  ok(in_place == 4 && spread == 0, "%d of 4 add in place, and %d loops where elements are spread",
     in_place, spread);
}

/* ---- a rank without memory ------------------------------------------------------------------- */

struct shortage {
  struct trial trial;
  int64_t at, made; /* the allocation that fails, and how many there were */
};

static op2_status step_and_sum(struct run *r, op2_kernel sum, op2_gbl total) {
  op2_status status = step(r, 0.5);
  if (!status)
    status = op2_par_loop(sum, r->sets[NODES], op2_arg_direct(r->y, OP2_READ),
                          op2_arg_gbl(total, OP2_INC));
  return status ? status : op2_flush(r->ctx);
}

static int short_rank(struct op2i_comm *comm, void *data) {
  struct shortage *s = data;
  struct run r = {0};
  op2_kernel sum = NULL;
  op2_gbl total = NULL;
  const bool victim = comm->rank == comm->size - 1;
  const op2_options options = rank_options("sequential", s->trial.eager);
  const op2_kernel_desc desc = {
      .name = "sum", .source = "void sum(const double *y, double *s) { *s += y[0] * y[1]; }"};
  op2_dat *dats[] = {&r.y, &r.z, &r.narrow, &r.flow, &r.we, &r.wc};
  whole_share(&s->trial.whole, comm->rank, &r.share);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r, &s->trial);
  if (!status) status = op2_kernel_create(r.ctx, &desc, &sum);
  if (!status) status = op2_gbl_create(r.ctx, 1, OP2_F64, NULL, "total", &total);
  if (victim) op2i_mem_fail_here_at(s->at);
  if (!status) status = step_and_sum(&r, sum, total);
  if (victim) s->made = op2i_mem_fail_here_at(0);
  for (size_t d = 0; d < sizeof dats / sizeof *dats; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&r.least);
  op2_gbl_destroy(&total);
  op2_kernel_destroy(&sum);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&r.kernels[k]);
  for (int m = 0; m < s->trial.whole.nmaps; m++) op2_map_destroy(&r.maps[m]);
  for (int set = 0; set < s->trial.whole.nsets; set++) op2_set_destroy(&r.sets[set]);
  share_free(&s->trial.whole, &r.share);
  const op2_status last = op2_finalize(&r.ctx);
  return status || last ? 1000 : 0;
}

static void run_short(bool eager) {
  enum { RANKS = 3 };
  static struct shortage s;
  const int step = quick() ? 31 : thorough() ? 1 : 7;
  int wrong = 0, all = 0;
  s.trial.eager = eager;
  do {
    uint64_t seed = 3;
    s.at += step;
    make_whole(&s.trial, RANKS, IN_BLOCKS, &seed);
    const int sum = run_contexts(RANKS, short_rank, &s);
    whole_free(&s.trial.whole);
    all += sum == 1000 * RANKS;
    if (sum && sum != 1000 * RANKS) diag("allocation %d: %d", (int)s.at, sum);
    wrong += sum && sum != 1000 * RANKS;
  } while (s.made >= s.at);
  is_int(wrong, 0, "%s: one of %d allocations fails: all ranks have failed, or none",
         eager ? "eager" : "lazy", (int)s.made);
  ok(all > 0, "%d are missed", all);
  s.at = s.made = 0;
}

int main(void) {
  static struct trial t;
  test_environment();
  setenv("OP2_DETERMINISTIC", "1", 1);
  for (t.order = 0; t.order < 2; t.order++) {
    const char *backend;
    t.backend = "check";
    t.keep = true;
    t.threads = 1;
    t.block_size = 7;
    ok(!differs(&t, 1, ON_ONE, 1) && t.in_place == 0, "the checked mode writes all contributions");
    t.keep = false;
    for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));) {
      t.backend = backend;
      try_blocks(&t, 31, 1);
      if (t.order || strcmp(backend, "sequential")) try_blocks(&t, 0, 2);
    }
  }
  run_short(false);
  run_short(true);
  return done();
}

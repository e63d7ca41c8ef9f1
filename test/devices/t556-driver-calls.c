/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of the driver that time steps of airfoil make, counted by name on the emulation of a
 * device (test/emulation): the steps are replayed, and pass a number that changes in each of them,
 * or none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/airfoil/kernels.h"
#include "emulation/driver.h"
#include "support.h"

/* Cells in both directions; steps that are counted, and steps before these. */
enum { NX = 12, NY = 9, NODES = (NX + 1) * (NY + 1), CELLS = NX * NY };
enum { EDGES = (NX - 1) * NY + NX * (NY - 1), BOUNDARY = 2 * (NX + NY) };
enum { STEPS = 100, BEFORE = 12, LOOPS = 9 };

/* The update, with a step length that comes as a value or as a constant. */
static double step_length;
OP2_KERNEL(update_by_value,
           (const double *qold, double *q, double *res, const double *adt, double *rms,
            const double *dt),
           {
             for (int n = 0; n < 4; n++) {
               double del = *dt * res[n] / *adt;
               q[n] = qold[n] - del;
               res[n] = 0.0;
               *rms += del * del;
             }
           });
OP2_KERNEL(update_by_constant,
           (const double *qold, double *q, double *res, const double *adt, double *rms), {
             for (int n = 0; n < 4; n++) {
               double del = step_length * res[n] / *adt;
               q[n] = qold[n] - del;
               res[n] = 0.0;
               *rms += del * del;
             }
           });

/* A value and a global go to the same kernel. */
enum way { SAME, VALUE, CONSTANT, GLOBAL, WAYS };
static const char *const ways[WAYS] = {"nothing changes", "op2_arg_val", "op2_const_set",
                                       "op2_gbl_set"};

/* ---- the mesh -------------------------------------------------------------------------------- */

static double x[NODES][2], q0[CELLS][4];
static int32_t cell_nodes[CELLS][4], edge_nodes[EDGES][2], edge_cells[EDGES][2];
static int32_t bedge_nodes[BOUNDARY][2], bedge_cells[BOUNDARY], bound[BOUNDARY];
static int nedges, nbedges;

static int node(int i, int j) { return j * (NX + 1) + i; }
static int cell(int i, int j) { return j * NX + i; }

/* The side from node a to node b, which has a cell on its left and perhaps one on its right. */
static void add_side(int a, int b, int left, int right) {
  if (right < 0) {
    bedge_nodes[nbedges][0] = a, bedge_nodes[nbedges][1] = b;
    bound[nbedges] = nbedges % 3 ? 2 : 1;
    bedge_cells[nbedges++] = left;
    return;
  }
  edge_nodes[nedges][0] = a, edge_nodes[nedges][1] = b;
  edge_cells[nedges][0] = left, edge_cells[nedges++][1] = right;
}

static void make_mesh(void) {
  for (int j = 0; j <= NY; j++)
    for (int i = 0; i <= NX; i++) {
      x[node(i, j)][0] = i + 0.1 * j;
      x[node(i, j)][1] = j + 0.05 * i * i;
    }
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      const int c = cell(i, j);
      const int32_t corners[] = {node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)};
      memcpy(cell_nodes[c], corners, sizeof corners);
      q0[c][0] = 1 + 0.01 * (c % 7);
      q0[c][1] = 0.4 + 0.01 * (c % 5);
      q0[c][3] = 2.5;
      add_side(corners[1], corners[2], c, i + 1 < NX ? cell(i + 1, j) : -1);
      add_side(corners[2], corners[3], c, j + 1 < NY ? cell(i, j + 1) : -1);
      if (i == 0) add_side(corners[3], corners[0], c, -1);
      if (j == 0) add_side(corners[0], corners[1], c, -1);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

enum kernel { SAVE, ADT, RES, BRES, UPDATE, UPDATE_VALUE, UPDATE_CONSTANT, KERNELS };
static struct {
  op2_context ctx;
  op2_set nodes, cells, edges, bedges;
  op2_map cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells;
  op2_dat x, q, qold, res, adt, bound;
  op2_const constants[6];
  op2_gbl rms, dt;
  op2_kernel kernels[KERNELS];
} p;

static bool make_sets(void) {
  return CHECK(op2_set_create(p.ctx, NODES, "nodes", &p.nodes)) &&
         CHECK(op2_set_create(p.ctx, CELLS, "cells", &p.cells)) &&
         CHECK(op2_set_create(p.ctx, nedges, "edges", &p.edges)) &&
         CHECK(op2_set_create(p.ctx, nbedges, "bedges", &p.bedges)) &&
         CHECK(op2_map_create(p.cells, p.nodes, 4, cell_nodes[0], "cell_nodes", &p.cell_nodes)) &&
         CHECK(op2_map_create(p.edges, p.nodes, 2, edge_nodes[0], "edge_nodes", &p.edge_nodes)) &&
         CHECK(op2_map_create(p.edges, p.cells, 2, edge_cells[0], "edge_cells", &p.edge_cells)) &&
         CHECK(op2_map_create(p.bedges, p.nodes, 2, bedge_nodes[0], "bnodes", &p.bedge_nodes)) &&
         CHECK(op2_map_create(p.bedges, p.cells, 1, bedge_cells, "bcells", &p.bedge_cells));
}

static bool make_values(void) {
  static const double numbers[] = {1.4, 0.4, 0.9, 0.05, 1}, stream[4] = {1, 0.47, 0, 2.6};
  static const char *const names[] = {"gam", "gm1", "cfl", "eps", "step_length"};
  bool good = CHECK(op2_dat_create(p.nodes, 2, OP2_F64, x[0], "x", &p.x)) &&
              CHECK(op2_dat_create(p.cells, 4, OP2_F64, q0[0], "q", &p.q)) &&
              CHECK(op2_dat_create(p.cells, 4, OP2_F64, NULL, "qold", &p.qold)) &&
              CHECK(op2_dat_create(p.cells, 4, OP2_F64, NULL, "res", &p.res)) &&
              CHECK(op2_dat_create(p.cells, 1, OP2_F64, NULL, "adt", &p.adt)) &&
              CHECK(op2_dat_create(p.bedges, 1, OP2_I32, bound, "bound", &p.bound)) &&
              CHECK(op2_gbl_create(p.ctx, 1, OP2_F64, NULL, "rms", &p.rms)) &&
              CHECK(op2_gbl_create(p.ctx, 1, OP2_F64, numbers + 4, "dt", &p.dt)) &&
              CHECK(op2_const_create(p.ctx, 4, OP2_F64, stream, "qinf", &p.constants[5]));
  for (int c = 0; c < 5 && good; c++)
    good = CHECK(op2_const_create(p.ctx, 1, OP2_F64, &numbers[c], names[c], &p.constants[c]));
  return good;
}

static bool begin(const char *backend, int queue_max) {
  static const op2_kernel_desc *const kernels[KERNELS] = {
      &save_soln_kernel, &adt_calc_kernel,        &res_calc_kernel,          &bres_calc_kernel,
      &update_kernel,    &update_by_value_kernel, &update_by_constant_kernel};
  const op2_options options = {
      .backend = backend, .eager = -1, .queue_max = queue_max, .cache_dir = test_cache()};
  memset(&p, 0, sizeof p);
  bool good = CHECK(op2_init(&options, &p.ctx)) && make_sets() && make_values();
  for (int k = 0; k < KERNELS && good; k++)
    good = CHECK(op2_kernel_create(p.ctx, kernels[k], &p.kernels[k]));
  return good;
}

static void end(void) {
  op2_dat *dats[] = {&p.x, &p.q, &p.qold, &p.res, &p.adt, &p.bound};
  op2_map *maps[] = {&p.cell_nodes, &p.edge_nodes, &p.edge_cells, &p.bedge_nodes, &p.bedge_cells};
  op2_set *sets[] = {&p.nodes, &p.cells, &p.edges, &p.bedges};
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&p.kernels[k]);
  for (int d = 0; d < 6; d++) op2_dat_destroy(dats[d]);
  for (int m = 0; m < 5; m++) op2_map_destroy(maps[m]);
  for (int c = 0; c < 6; c++) op2_const_destroy(&p.constants[c]);
  op2_gbl_destroy(&p.rms);
  op2_gbl_destroy(&p.dt);
  for (int s = 0; s < 4; s++) op2_set_destroy(sets[s]);
  CHECK(op2_finalize(&p.ctx));
}

static op2_status queue_update(enum way way, double dt) {
  const op2_arg qold = op2_arg_direct(p.qold, OP2_READ), q = op2_arg_direct(p.q, OP2_WRITE),
                res = op2_arg_direct(p.res, OP2_RW), adt = op2_arg_direct(p.adt, OP2_READ),
                rms = op2_arg_gbl(p.rms, OP2_INC);
  const op2_kernel by_value = p.kernels[UPDATE_VALUE];
  switch (way) {
  case SAME: return op2_par_loop(p.kernels[UPDATE], p.cells, qold, q, res, adt, rms);
  case VALUE:
    return op2_par_loop(by_value, p.cells, qold, q, res, adt, rms, op2_arg_val(&dt, 1, OP2_F64));
  case CONSTANT:
    return op2_par_loop(p.kernels[UPDATE_CONSTANT], p.cells, qold, q, res, adt, rms);
  default:
    return op2_par_loop(by_value, p.cells, qold, q, res, adt, rms, op2_arg_gbl(p.dt, OP2_READ));
  }
}

#define READ(dat_, slot_, map_) op2_arg_dat(p.dat_, slot_, p.map_, OP2_READ)
static op2_status queue_stage(enum way way, double dt) {
  const double zero = 0;
  op2_status status =
      op2_par_loop(p.kernels[ADT], p.cells, READ(x, 0, cell_nodes), READ(x, 1, cell_nodes),
                   READ(x, 2, cell_nodes), READ(x, 3, cell_nodes), op2_arg_direct(p.q, OP2_READ),
                   op2_arg_direct(p.adt, OP2_WRITE));
  if (!status)
    status =
        op2_par_loop(p.kernels[RES], p.edges, READ(x, 0, edge_nodes), READ(x, 1, edge_nodes),
                     READ(q, 0, edge_cells), READ(q, 1, edge_cells), READ(adt, 0, edge_cells),
                     READ(adt, 1, edge_cells), op2_arg_dat(p.res, 0, p.edge_cells, OP2_INC),
                     op2_arg_dat(p.res, 1, p.edge_cells, OP2_INC));
  if (!status)
    status = op2_par_loop(p.kernels[BRES], p.bedges, READ(x, 0, bedge_nodes),
                          READ(x, 1, bedge_nodes), READ(q, 0, bedge_cells),
                          READ(adt, 0, bedge_cells),
                          op2_arg_dat(p.res, 0, p.bedge_cells, OP2_INC),
                          op2_arg_direct(p.bound, OP2_READ));
  if (!status) status = op2_gbl_set(p.rms, &zero);
  return status ? status : queue_update(way, dt);
}

static op2_status queue_step(enum way way, int number) {
  const double dt = 1 - 1.0 / (number + 2);
  op2_status status = OP2_SUCCESS;
  if (way == CONSTANT) status = op2_const_set(p.constants[4], &dt);
  if (way == GLOBAL) status = op2_gbl_set(p.dt, &dt);
  if (!status)
    status = op2_par_loop(p.kernels[SAVE], p.cells, op2_arg_direct(p.q, OP2_READ),
                          op2_arg_direct(p.qold, OP2_WRITE));
  if (!status) status = queue_stage(way, dt);
  return status ? status : queue_stage(way, dt);
}

static bool run_steps(enum way way, int first, int n) {
  bool good = true;
  for (int s = first; s < first + n && good; s++) good = !queue_step(way, s);
  if (!good) diag("%s", op2_error_message());
  return good;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void (*count)(struct op2_emulation_counts *counts);
static int64_t (*calls)(const char *name);
static const char *(*called)(int i);

enum { NAMES = 128 };
struct tally {
  struct op2_emulation_counts counts;
  int64_t all, times[NAMES];
};

static void tally(struct tally *t) {
  memset(t, 0, sizeof *t);
  count(&t->counts);
  t->all = calls(NULL);
  for (int i = 0; i < NAMES && called(i); i++) t->times[i] = calls(called(i));
}

static void print_tally(const char *what, const struct tally *before, const struct tally *after) {
  diag("%s: %lld calls in %d steps", what, (long long)(after->all - before->all), STEPS);
  for (int i = 0; i < NAMES && called(i); i++)
    if (after->times[i] > before->times[i])
      diag("  %-28s %lld", called(i), (long long)(after->times[i] - before->times[i]));
}

/* What a way comes to on the host, and on the device. */
struct result {
  double q[CELLS][4], rms;
};

static bool take(struct result *r) {
  return CHECK(op2_dat_get(p.q, r->q)) && CHECK(op2_gbl_get(p.rms, &r->rms));
}

static bool near(const struct result *a, const struct result *b) {
  const double off = a->rms - b->rms;
  return !memcmp(a->q, b->q, sizeof a->q) && off <= 1e-12 * b->rms && -off <= 1e-12 * b->rms;
}

static void measure(enum way way) {
  static struct result want, got;
  static struct tally before, after;
  if (!begin("sequential", 0)) return;
  bool good = run_steps(way, 0, BEFORE + STEPS) && take(&want);
  end();
  if (!begin("cuda", LOOPS)) return;
  good = good && run_steps(way, 0, BEFORE);
  tally(&before);
  good = good && run_steps(way, BEFORE, STEPS);
  tally(&after);
  print_tally(ways[way], &before, &after);
  ok(good && take(&got) && near(&got, &want), "%s: the host's values", ways[way]);
  end();
}

int main(void) {
  test_environment();
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver) *(void **)&count = dlsym(driver, "op2_emulation_count");
  if (!count) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
    return done();
  }
  *(void **)&calls = dlsym(driver, "op2_emulation_calls");
  *(const void **)&called = dlsym(driver, "op2_emulation_call");
  make_mesh();
  for (enum way way = 0; way < WAYS; way++) measure(way);
  dlclose(driver);
  return done();
}

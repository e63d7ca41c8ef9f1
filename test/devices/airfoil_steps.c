/* SPDX-License-Identifier: BSD-3-Clause */
/* Time steps of airfoil on a small mesh. */
#include "airfoil_steps.h"

#include <string.h>

#include "../../bench/airfoil/kernels.h"
#include "support.h"

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
const char *const ways[WAYS] = {"nothing changes", "op2_arg_val", "op2_const_set", "op2_gbl_set"};

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

struct program flow;

static bool make_sets(void) {
  return CHECK(op2_set_create(flow.ctx, NODES, "nodes", &flow.nodes)) &&
         CHECK(op2_set_create(flow.ctx, CELLS, "cells", &flow.cells)) &&
         CHECK(op2_set_create(flow.ctx, nedges, "edges", &flow.edges)) &&
         CHECK(op2_set_create(flow.ctx, nbedges, "bedges", &flow.bedges)) &&
         CHECK(op2_map_create(flow.cells, flow.nodes, 4, cell_nodes[0], "cell_nodes",
                              &flow.cell_nodes)) &&
         CHECK(op2_map_create(flow.edges, flow.nodes, 2, edge_nodes[0], "edge_nodes",
                              &flow.edge_nodes)) &&
         CHECK(op2_map_create(flow.edges, flow.cells, 2, edge_cells[0], "edge_cells",
                              &flow.edge_cells)) &&
         CHECK(op2_map_create(flow.bedges, flow.nodes, 2, bedge_nodes[0], "bnodes",
                              &flow.bedge_nodes)) &&
         CHECK(
             op2_map_create(flow.bedges, flow.cells, 1, bedge_cells, "bcells", &flow.bedge_cells));
}

static bool make_values(void) {
  static const double numbers[] = {1.4, 0.4, 0.9, 0.05, 1}, stream[4] = {1, 0.47, 0, 2.6};
  static const char *const names[] = {"gam", "gm1", "cfl", "eps", "step_length"};
  bool good = CHECK(op2_dat_create(flow.nodes, 2, OP2_F64, x[0], "x", &flow.x)) &&
              CHECK(op2_dat_create(flow.cells, 4, OP2_F64, q0[0], "q", &flow.q)) &&
              CHECK(op2_dat_create(flow.cells, 4, OP2_F64, NULL, "qold", &flow.qold)) &&
              CHECK(op2_dat_create(flow.cells, 4, OP2_F64, NULL, "res", &flow.res)) &&
              CHECK(op2_dat_create(flow.cells, 1, OP2_F64, NULL, "adt", &flow.adt)) &&
              CHECK(op2_dat_create(flow.bedges, 1, OP2_I32, bound, "bound", &flow.bound)) &&
              CHECK(op2_gbl_create(flow.ctx, 1, OP2_F64, NULL, "rms", &flow.rms)) &&
              CHECK(op2_gbl_create(flow.ctx, 1, OP2_F64, numbers + 4, "dt", &flow.dt)) &&
              CHECK(op2_const_create(flow.ctx, 4, OP2_F64, stream, "qinf", &flow.constants[5]));
  for (int c = 0; c < 5 && good; c++)
    good = CHECK(op2_const_create(flow.ctx, 1, OP2_F64, &numbers[c], names[c], &flow.constants[c]));
  return good;
}

bool steps_begin(const char *backend, int queue_max) {
  static const op2_kernel_desc *const kernels[KERNELS] = {
      &save_soln_kernel, &adt_calc_kernel,        &res_calc_kernel,          &bres_calc_kernel,
      &update_kernel,    &update_by_value_kernel, &update_by_constant_kernel};
  const op2_options options = {
      .backend = backend, .eager = -1, .queue_max = queue_max, .cache_dir = test_cache()};
  if (nedges == 0) make_mesh();
  memset(&flow, 0, sizeof flow);
  bool good = CHECK(op2_init(&options, &flow.ctx)) && make_sets() && make_values();
  for (int k = 0; k < KERNELS && good; k++)
    good = CHECK(op2_kernel_create(flow.ctx, kernels[k], &flow.kernels[k]));
  return good;
}

op2_status steps_leave(void) {
  op2_dat *dats[] = {&flow.x, &flow.q, &flow.qold, &flow.res, &flow.adt, &flow.bound};
  op2_map *maps[] = {&flow.cell_nodes, &flow.edge_nodes, &flow.edge_cells, &flow.bedge_nodes,
                     &flow.bedge_cells};
  op2_set *sets[] = {&flow.nodes, &flow.cells, &flow.edges, &flow.bedges};
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&flow.kernels[k]);
  for (int d = 0; d < 6; d++) op2_dat_destroy(dats[d]);
  for (int m = 0; m < 5; m++) op2_map_destroy(maps[m]);
  for (int c = 0; c < 6; c++) op2_const_destroy(&flow.constants[c]);
  op2_gbl_destroy(&flow.rms);
  op2_gbl_destroy(&flow.dt);
  for (int s = 0; s < 4; s++) op2_set_destroy(sets[s]);
  return op2_finalize(&flow.ctx);
}

void steps_end(void) { CHECK(steps_leave()); }

static op2_status queue_update(enum way way, double dt) {
  const op2_arg qold = op2_arg_direct(flow.qold, OP2_READ), q = op2_arg_direct(flow.q, OP2_WRITE),
                res = op2_arg_direct(flow.res, OP2_RW), adt = op2_arg_direct(flow.adt, OP2_READ),
                rms = op2_arg_gbl(flow.rms, OP2_INC);
  const op2_kernel by_value = flow.kernels[UPDATE_VALUE];
  switch (way) {
  case SAME: return op2_par_loop(flow.kernels[UPDATE], flow.cells, qold, q, res, adt, rms);
  case VALUE:
    return op2_par_loop(by_value, flow.cells, qold, q, res, adt, rms, op2_arg_val(&dt, 1, OP2_F64));
  case CONSTANT:
    return op2_par_loop(flow.kernels[UPDATE_CONSTANT], flow.cells, qold, q, res, adt, rms);
  default:
    return op2_par_loop(by_value, flow.cells, qold, q, res, adt, rms,
                        op2_arg_gbl(flow.dt, OP2_READ));
  }
}

#define READ(dat_, slot_, map_) op2_arg_dat(flow.dat_, slot_, flow.map_, OP2_READ)
static op2_status queue_stage(enum way way, double dt) {
  const double zero = 0;
  op2_status status =
      op2_par_loop(flow.kernels[ADT], flow.cells, READ(x, 0, cell_nodes), READ(x, 1, cell_nodes),
                   READ(x, 2, cell_nodes), READ(x, 3, cell_nodes), op2_arg_direct(flow.q, OP2_READ),
                   op2_arg_direct(flow.adt, OP2_WRITE));
  if (!status)
    status =
        op2_par_loop(flow.kernels[RES], flow.edges, READ(x, 0, edge_nodes), READ(x, 1, edge_nodes),
                     READ(q, 0, edge_cells), READ(q, 1, edge_cells), READ(adt, 0, edge_cells),
                     READ(adt, 1, edge_cells), op2_arg_dat(flow.res, 0, flow.edge_cells, OP2_INC),
                     op2_arg_dat(flow.res, 1, flow.edge_cells, OP2_INC));
  if (!status)
    status = op2_par_loop(
        flow.kernels[BRES], flow.bedges, READ(x, 0, bedge_nodes), READ(x, 1, bedge_nodes),
        READ(q, 0, bedge_cells), READ(adt, 0, bedge_cells),
        op2_arg_dat(flow.res, 0, flow.bedge_cells, OP2_INC), op2_arg_direct(flow.bound, OP2_READ));
  if (!status) status = op2_gbl_set(flow.rms, &zero);
  return status ? status : queue_update(way, dt);
}

op2_status steps_try(enum way way, int number) {
  const double dt = 1 - 1.0 / (number + 2);
  op2_status status = OP2_SUCCESS;
  if (way == CONSTANT) status = op2_const_set(flow.constants[4], &dt);
  if (way == GLOBAL) status = op2_gbl_set(flow.dt, &dt);
  if (!status)
    status = op2_par_loop(flow.kernels[SAVE], flow.cells, op2_arg_direct(flow.q, OP2_READ),
                          op2_arg_direct(flow.qold, OP2_WRITE));
  if (!status) status = queue_stage(way, dt);
  return status ? status : queue_stage(way, dt);
}

bool steps_queue(enum way way, int first, int n) {
  bool good = true;
  for (int s = first; s < first + n && good; s++) good = !steps_try(way, s);
  if (!good) diag("%s", op2_error_message());
  return good;
}

/* ---- results --------------------------------------------------------------------------------- */

bool steps_take(struct result *r) {
  return CHECK(op2_dat_get(flow.q, r->q)) && CHECK(op2_gbl_get(flow.rms, &r->rms));
}

bool steps_expect(enum way way, int n, struct result *r) {
  if (!steps_begin("sequential", 0)) return false;
  const bool good = steps_queue(way, 0, n) && steps_take(r);
  steps_end();
  return good;
}

bool steps_near(const struct result *got, const struct result *want) {
  const double off = got->rms - want->rms;
  return !memcmp(got->q, want->q, sizeof got->q) && off <= 1e-12 * want->rms &&
         -off <= 1e-12 * want->rms;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A tsunami: a finite-volume scheme for the shallow-water equations on a mesh of triangles, in
 * two-stage time steps whose length depends on the wave speeds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/application.h"
#include "common/clock.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "kernels.h"
#include "mesh.h"
#include "options.h"
#include "picture.h"
#include "water.h"

const char report_name[] = "tsunami";

typedef struct sea {
  op2_context ctx;
  op2_set nodes, cells, edges, walls;
  op2_map cell_nodes, edge_nodes, edge_cells, wall_nodes, wall_cells;
  op2_dat x, area, edge_normal, wall_normal;
  op2_dat q, ahead; /* the state, and the state that the first stage predicts */
  op2_dat res;      /* net inflow of a cell per second, times its area */
  op2_dat rate;     /* speed of the waves, integrated round a cell */
  op2_gbl dt, sums, depth, speed;
  op2_const grav, dry, cfl, hump, extent;
  op2_kernel side_geometry, start, flux, wall, time_step, predict, correct, survey;
  int64_t ncell;
  double time;
  picture picture;
} sea;

static bool declare_mesh(sea *s, const mesh *m, const char *method) {
  TRY(ranks_set(s->ctx, m->nnode, "nodes", &s->nodes));
  TRY(ranks_set(s->ctx, m->ncell, "cells", &s->cells));
  TRY(ranks_set(s->ctx, m->nedge, "edges", &s->edges));
  TRY(ranks_set(s->ctx, m->nbedge, "walls", &s->walls));
  TRY(ranks_map(s->cells, s->nodes, 3, m->cell, "cell_nodes", &s->cell_nodes));
  TRY(ranks_map(s->edges, s->nodes, 2, m->edge, "edge_nodes", &s->edge_nodes));
  TRY(ranks_map(s->edges, s->cells, 2, m->ecell, "edge_cells", &s->edge_cells));
  TRY(ranks_map(s->walls, s->nodes, 2, m->bedge, "wall_nodes", &s->wall_nodes));
  TRY(ranks_map(s->walls, s->cells, 1, m->becell, "wall_cells", &s->wall_cells));
  TRY(ranks_dat(s->nodes, 2, OP2_F64, m->x, "x", &s->x));
  TRY(ranks_partition(s->ctx, method, s->edge_cells, s->nodes, m->x));
  s->ncell = m->ncell;
  return true;
fail:
  return false;
}

static bool declare_constants(sea *s, double height) {
  grav = WATER_GRAVITY;
  dry = WATER_DRY;
  cfl = WATER_CFL;
  hump = height;
  extent = MESH_EXTENT;
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &grav, "grav", &s->grav));
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &dry, "dry", &s->dry));
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &cfl, "cfl", &s->cfl));
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &hump, "hump", &s->hump));
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &extent, "extent", &s->extent));
  return true;
fail:
  return false;
}

static bool declare_state(sea *s) {
  TRY(op2_dat_create(s->cells, 1, OP2_F64, NULL, "area", &s->area));
  TRY(op2_dat_create(s->edges, 3, OP2_F64, NULL, "edge_normal", &s->edge_normal));
  TRY(op2_dat_create(s->walls, 3, OP2_F64, NULL, "wall_normal", &s->wall_normal));
  TRY(op2_dat_create(s->cells, 4, OP2_F64, NULL, "q", &s->q));
  TRY(op2_dat_create(s->cells, 4, OP2_F64, NULL, "ahead", &s->ahead));
  TRY(op2_dat_create(s->cells, 3, OP2_F64, NULL, "res", &s->res));
  TRY(op2_dat_create(s->cells, 1, OP2_F64, NULL, "rate", &s->rate));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "dt", &s->dt));
  TRY(op2_gbl_create(s->ctx, 2, OP2_F64, NULL, "sums", &s->sums));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "depth", &s->depth));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "speed", &s->speed));
  return true;
fail:
  return false;
}

static bool declare_kernels(sea *s) {
  TRY(op2_kernel_create(s->ctx, &side_geometry_kernel, &s->side_geometry));
  TRY(op2_kernel_create(s->ctx, &start_kernel, &s->start));
  TRY(op2_kernel_create(s->ctx, &flux_kernel, &s->flux));
  TRY(op2_kernel_create(s->ctx, &wall_kernel, &s->wall));
  TRY(op2_kernel_create(s->ctx, &time_step_kernel, &s->time_step));
  TRY(op2_kernel_create(s->ctx, &predict_kernel, &s->predict));
  TRY(op2_kernel_create(s->ctx, &correct_kernel, &s->correct));
  TRY(op2_kernel_create(s->ctx, &survey_kernel, &s->survey));
  return true;
fail:
  return false;
}

/* Compute the geometry and the state at the start. */
static bool prepare(sea *s) {
  TRY(op2_par_loop(s->side_geometry, s->edges, op2_arg_dat(s->x, 0, s->edge_nodes, OP2_READ),
                   op2_arg_dat(s->x, 1, s->edge_nodes, OP2_READ),
                   op2_arg_direct(s->edge_normal, OP2_WRITE)));
  TRY(op2_par_loop(s->side_geometry, s->walls, op2_arg_dat(s->x, 0, s->wall_nodes, OP2_READ),
                   op2_arg_dat(s->x, 1, s->wall_nodes, OP2_READ),
                   op2_arg_direct(s->wall_normal, OP2_WRITE)));
  TRY(op2_par_loop(s->start, s->cells, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                   op2_arg_direct(s->area, OP2_WRITE), op2_arg_direct(s->q, OP2_WRITE)));
  return true;
fail:
  return false;
}

/* Queue the fluxes that follow from the state of all cells. */
static bool queue_fluxes(sea *s, op2_dat state) {
  TRY(op2_par_loop(s->flux, s->edges, op2_arg_direct(s->edge_normal, OP2_READ),
                   op2_arg_dat(state, 0, s->edge_cells, OP2_READ),
                   op2_arg_dat(state, 1, s->edge_cells, OP2_READ),
                   op2_arg_dat(s->res, 0, s->edge_cells, OP2_INC),
                   op2_arg_dat(s->res, 1, s->edge_cells, OP2_INC),
                   op2_arg_dat(s->rate, 0, s->edge_cells, OP2_INC),
                   op2_arg_dat(s->rate, 1, s->edge_cells, OP2_INC)));
  TRY(op2_par_loop(s->wall, s->walls, op2_arg_direct(s->wall_normal, OP2_READ),
                   op2_arg_dat(state, 0, s->wall_cells, OP2_READ),
                   op2_arg_dat(s->res, 0, s->wall_cells, OP2_INC),
                   op2_arg_dat(s->rate, 0, s->wall_cells, OP2_INC)));
  return true;
fail:
  return false;
}

/* Queue the first fluxes of a time step, and compute its largest permitted length. */
static bool queue_time_step(sea *s) {
  static const double no_step = WATER_NO_STEP;
  if (!queue_fluxes(s, s->q)) return false;
  TRY(op2_gbl_set(s->dt, &no_step));
  TRY(op2_par_loop(s->time_step, s->cells, op2_arg_direct(s->area, OP2_READ),
                   op2_arg_direct(s->rate, OP2_READ), op2_arg_gbl(s->dt, OP2_MIN)));
  return true;
fail:
  return false;
}

/* Queue both stages; the kernels read the length of the time step from the global. */
static bool queue_stages(sea *s) {
  TRY(op2_par_loop(s->predict, s->cells, op2_arg_gbl(s->dt, OP2_READ),
                   op2_arg_direct(s->area, OP2_READ), op2_arg_direct(s->q, OP2_READ),
                   op2_arg_direct(s->res, OP2_RW), op2_arg_direct(s->rate, OP2_WRITE),
                   op2_arg_direct(s->ahead, OP2_WRITE)));
  if (!queue_fluxes(s, s->ahead)) return false;
  TRY(op2_par_loop(s->correct, s->cells, op2_arg_gbl(s->dt, OP2_READ),
                   op2_arg_direct(s->area, OP2_READ), op2_arg_direct(s->ahead, OP2_READ),
                   op2_arg_direct(s->res, OP2_RW), op2_arg_direct(s->rate, OP2_WRITE),
                   op2_arg_direct(s->q, OP2_RW)));
  return true;
fail:
  return false;
}

static bool take_survey(sea *s, water *w) {
  static const double none[2] = {0, 0};
  static const double deepest = INFINITY;
  double sums[2];
  TRY(op2_gbl_set(s->sums, none));
  TRY(op2_gbl_set(s->depth, &deepest));
  TRY(op2_gbl_set(s->speed, none));
  TRY(op2_par_loop(s->survey, s->cells, op2_arg_direct(s->area, OP2_READ),
                   op2_arg_direct(s->q, OP2_READ), op2_arg_gbl(s->sums, OP2_INC),
                   op2_arg_gbl(s->depth, OP2_MIN), op2_arg_gbl(s->speed, OP2_MAX)));
  TRY(op2_gbl_get(s->sums, sums));
  TRY(op2_gbl_get(s->depth, &w->depth));
  TRY(op2_gbl_get(s->speed, &w->speed));
  w->volume = sums[0];
  w->energy = sums[1];
  return true;
fail:
  return false;
}

/* Run one time step. Reading its length runs all that was queued before, so the queue then holds
 * the two stages of the step before and the first fluxes of this one. */
static bool step(sea *s, const char *graph) {
  double dt;
  if (!queue_time_step(s) || !report_graph(s->ctx, graph)) return false;
  TRY(op2_gbl_get(s->dt, &dt));
  s->time += dt;
  return queue_stages(s);
fail:
  return false;
}

static bool show(sea *s, int it) {
  water w;
  if (!take_survey(s, &w)) return false;
  progress_clear();
  water_print(it, s->time, &w);
  return true;
}

/* Draw the sea after each quarter of the time steps. */
static bool draw(sea *s, const options *o, const mesh *m, int it) {
  const void *q = NULL;
  bench_error error;
  const int64_t before = (int64_t)PICTURE_FRAMES * (it - 1) / o->iterations,
                now = (int64_t)PICTURE_FRAMES * it / o->iterations;
  if (!o->picture || before == now) return true;
  TRY(ranks_values_begin(s->q, s->ncell, 4 * sizeof(double), &q));
  const int rc = q ? picture_add(&s->picture, m, q, s->time, &error) : 0;
  if (rc) fprintf(stderr, "tsunami: %s: %s\n", o->picture, error.text);
  TRY(ranks_values_end(s->q, &q));
  return rc == 0;
fail:
  return false;
}

static bool run(sea *s, const options *o, const mesh *m, run_times *times) {
  const int warmup = option_warmup(&o->run, o->iterations), graphed = o->iterations < 2 ? 1 : 2;
  const double begin = clock_now();
  double timed = begin;
  progress_begin(report_name, o->iterations, "time steps", o->run.progress);
  if (o->every > 0) water_print_header();
  for (int it = 1; it <= o->iterations; it++) {
    if (!step(s, it == graphed ? o->graph : NULL)) return false;
    if (o->every > 0 && it % o->every == 0 && !show(s, it)) return false;
    if (!draw(s, o, m, it)) return false;
    if (it == warmup) {
      TRY(op2_flush(s->ctx));
      timed = clock_now();
    }
    progress_show((double)(it - 1) / o->iterations);
  }
  TRY(op2_flush(s->ctx));
  const double end = clock_now();
  progress_end();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = o->iterations - warmup;
  return true;
fail:
  return false;
}

static bool write_results(sea *s, const options *o) {
  bench_error error;
  if (o->picture && option_writes &&
      picture_write(&s->picture, o->picture, o->iterations, &error)) {
    fprintf(stderr, "tsunami: %s\n", error.text);
    return false;
  }
  return report_dump(s->q, s->ncell, 4, s->time, o->dump_q);
}

static void destroy(sea *s) {
  op2_set *sets[] = {&s->nodes, &s->cells, &s->edges, &s->walls};
  op2_map *maps[] = {&s->cell_nodes, &s->edge_nodes, &s->edge_cells, &s->wall_nodes,
                     &s->wall_cells};
  op2_dat *dats[] = {&s->x, &s->area,  &s->edge_normal, &s->wall_normal,
                     &s->q, &s->ahead, &s->res,         &s->rate};
  op2_gbl *gbls[] = {&s->dt, &s->sums, &s->depth, &s->speed};
  op2_const *consts[] = {&s->grav, &s->dry, &s->cfl, &s->hump, &s->extent};
  op2_kernel *kernels[] = {&s->side_geometry, &s->start,   &s->flux,    &s->wall,
                           &s->time_step,     &s->predict, &s->correct, &s->survey};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) op2_kernel_destroy(kernels[i]);
  for (size_t i = 0; i < sizeof consts / sizeof *consts; i++) op2_const_destroy(consts[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(gbls[i]);
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(dats[i]);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) op2_map_destroy(maps[i]);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) op2_set_destroy(sets[i]);
}

/* The run itself, on a mesh that took `times->mesh` seconds to get. */
static bool simulate(const options *o, const mesh *m, run_times *times) {
  sea s = {0};
  const double begin = clock_now();
  if (!report_init(&o->run, &s.ctx)) return false;
  bool good = declare_mesh(&s, m, o->run.partition) && declare_constants(&s, o->hump) &&
              declare_state(&s) && declare_kernels(&s) && prepare(&s) &&
              report_ok(op2_flush(s.ctx), "op2_flush");
  times->setup = clock_now() - begin;
  good = good && run(&s, o, m, times) && write_results(&s, o) &&
         report_run(s.ctx, times, "time loop") && report_explain(s.ctx, o->run.explain) &&
         report_state(s.ctx, o->run.state);
  picture_free(&s.picture);
  destroy(&s);
  return report_finalize(&s.ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, simulate);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressible flow in the plane: an edge-based finite-volume scheme for the Euler equations round
 * the nodes of a triangulation, in three-stage time steps whose length the host never reads. */
#include <math.h>
#include <stdio.h>

#include "common/application.h"
#include "common/clock.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "gas.h"
#include "kernels.h"
#include "laps.h"
#include "mesh.h"
#include "options.h"

const char report_name[] = "euler";

/* Copy and time step, and three times fluxes, boundary and stage. */
enum { LOOPS_PER_STEP = 2 + 3 * GAS_STAGES };

typedef struct flow {
  op2_context ctx;
  op2_set nodes, edges, bedges;
  op2_map edge_nodes, bedge_nodes;
  op2_dat area, rim, normal, bnormal, kind;
  op2_dat q, old, res;
  op2_gbl dt, sum, mass;
  op2_const gam, gm1, cfl, far_flow;
  op2_kernel start, save, time_step, flux, boundary, stage, last_stage, survey;
  int64_t nnode;
  double renumbering; /* seconds it took; 0: none */
} flow;

/* ---- declarations ---- */

static bool declare_mesh(flow *f, const mesh *m, const char *method) {
  TRY(ranks_set(f->ctx, m->nnode, "nodes", &f->nodes));
  TRY(ranks_set(f->ctx, m->nedge, "edges", &f->edges));
  TRY(ranks_set(f->ctx, m->nbedge, "bedges", &f->bedges));
  TRY(ranks_map(f->edges, f->nodes, 2, m->edge, "edge_nodes", &f->edge_nodes));
  TRY(ranks_map(f->bedges, f->nodes, 2, m->bedge, "bedge_nodes", &f->bedge_nodes));
  TRY(ranks_dat(f->nodes, 1, OP2_F64, m->area, "area", &f->area));
  TRY(ranks_dat(f->nodes, 1, OP2_F64, m->rim, "rim", &f->rim));
  TRY(ranks_dat(f->edges, 3, OP2_F64, m->normal, "normal", &f->normal));
  TRY(ranks_dat(f->bedges, 3, OP2_F64, m->bnormal, "bnormal", &f->bnormal));
  TRY(ranks_dat(f->bedges, 1, OP2_I32, m->kind, "kind", &f->kind));
  TRY(ranks_partition(f->ctx, method, f->edge_nodes, f->nodes, m->x));
  f->nnode = m->nnode;
  return true;
fail:
  return false;
}

static bool declare_constants(flow *f, double mach) {
  gam = GAS_GAMMA;
  gm1 = GAS_GM1;
  cfl = GAS_CFL;
  gas_far_field(mach, far_flow);
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &gam, "gam", &f->gam));
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &gm1, "gm1", &f->gm1));
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &cfl, "cfl", &f->cfl));
  TRY(op2_const_create(f->ctx, GAS_DIM, OP2_F64, far_flow, "far_flow", &f->far_flow));
  return true;
fail:
  return false;
}

static bool declare_state(flow *f) {
  TRY(op2_dat_create(f->nodes, GAS_DIM, OP2_F64, NULL, "q", &f->q));
  TRY(op2_dat_create(f->nodes, GAS_DIM, OP2_F64, NULL, "old", &f->old));
  TRY(op2_dat_create(f->nodes, GAS_DIM, OP2_F64, NULL, "res", &f->res));
  TRY(op2_gbl_create(f->ctx, 1, OP2_F64, NULL, "dt", &f->dt));
  TRY(op2_gbl_create(f->ctx, 1, OP2_F64, NULL, "sum", &f->sum));
  TRY(op2_gbl_create(f->ctx, 2, OP2_F64, NULL, "mass", &f->mass));
  return true;
fail:
  return false;
}

static bool declare_kernels(flow *f) {
  TRY(op2_kernel_create(f->ctx, &start_kernel, &f->start));
  TRY(op2_kernel_create(f->ctx, &save_kernel, &f->save));
  TRY(op2_kernel_create(f->ctx, &time_step_kernel, &f->time_step));
  TRY(op2_kernel_create(f->ctx, &flux_kernel, &f->flux));
  TRY(op2_kernel_create(f->ctx, &boundary_kernel, &f->boundary));
  TRY(op2_kernel_create(f->ctx, &stage_kernel, &f->stage));
  TRY(op2_kernel_create(f->ctx, &last_stage_kernel, &f->last_stage));
  TRY(op2_kernel_create(f->ctx, &survey_kernel, &f->survey));
  return true;
fail:
  return false;
}

static bool renumber(flow *f) {
  const double begin = clock_now();
  TRY(op2_renumber(f->edge_nodes));
  f->renumbering = clock_now() - begin;
  printf("renumbered in %.1f ms\n", 1e3 * f->renumbering);
  return true;
fail:
  return false;
}

static bool prepare(flow *f) {
  TRY(op2_par_loop(f->start, f->nodes, op2_arg_direct(f->q, OP2_WRITE)));
  TRY(op2_flush(f->ctx));
  return true;
fail:
  return false;
}

/* ---- a time step ---- */

/* Save the state and compute the length of the time step, which stays in the global. */
static bool queue_begin(flow *f) {
  static const double no_step = GAS_NO_STEP;
  TRY(op2_gbl_set(f->dt, &no_step));
  TRY(op2_par_loop(f->save, f->nodes, op2_arg_direct(f->q, OP2_READ),
                   op2_arg_direct(f->old, OP2_WRITE)));
  TRY(op2_par_loop(f->time_step, f->nodes, op2_arg_direct(f->area, OP2_READ),
                   op2_arg_direct(f->rim, OP2_READ), op2_arg_direct(f->q, OP2_READ),
                   op2_arg_gbl(f->dt, OP2_MIN)));
  return true;
fail:
  return false;
}

static bool queue_fluxes(flow *f) {
  TRY(op2_par_loop(f->flux, f->edges, op2_arg_direct(f->normal, OP2_READ),
                   op2_arg_dat(f->q, 0, f->edge_nodes, OP2_READ),
                   op2_arg_dat(f->q, 1, f->edge_nodes, OP2_READ),
                   op2_arg_dat(f->res, 0, f->edge_nodes, OP2_INC),
                   op2_arg_dat(f->res, 1, f->edge_nodes, OP2_INC)));
  TRY(op2_par_loop(f->boundary, f->bedges, op2_arg_direct(f->bnormal, OP2_READ),
                   op2_arg_direct(f->kind, OP2_READ),
                   op2_arg_dat(f->q, 0, f->bedge_nodes, OP2_READ),
                   op2_arg_dat(f->q, 1, f->bedge_nodes, OP2_READ),
                   op2_arg_dat(f->res, 0, f->bedge_nodes, OP2_INC),
                   op2_arg_dat(f->res, 1, f->bedge_nodes, OP2_INC)));
  return true;
fail:
  return false;
}

static bool queue_stage(flow *f, double part) {
  if (!queue_fluxes(f)) return false;
  TRY(op2_par_loop(f->stage, f->nodes, op2_arg_val(&part, 1, OP2_F64), op2_arg_gbl(f->dt, OP2_READ),
                   op2_arg_direct(f->area, OP2_READ), op2_arg_direct(f->old, OP2_READ),
                   op2_arg_direct(f->res, OP2_RW), op2_arg_direct(f->q, OP2_WRITE)));
  return true;
fail:
  return false;
}

static bool queue_last_stage(flow *f) {
  static const double zero = 0;
  if (!queue_fluxes(f)) return false;
  TRY(op2_gbl_set(f->sum, &zero));
  TRY(op2_par_loop(f->last_stage, f->nodes, op2_arg_gbl(f->dt, OP2_READ),
                   op2_arg_direct(f->area, OP2_READ), op2_arg_direct(f->old, OP2_READ),
                   op2_arg_direct(f->res, OP2_RW), op2_arg_direct(f->q, OP2_WRITE),
                   op2_arg_gbl(f->sum, OP2_INC)));
  return true;
fail:
  return false;
}

/* Queue one time step: LOOPS_PER_STEP loops, none of which runs here. */
static bool queue_step(flow *f) {
  static const double parts[GAS_STAGES] = GAS_PARTS;
  if (!queue_begin(f)) return false;
  for (int k = 0; k < GAS_STAGES - 1; k++)
    if (!queue_stage(f, parts[k])) return false;
  return queue_last_stage(f);
}

/* ---- output ---- */

/* Print a line; the library calls this function when the loops before it have run. */
static int print_line(void *data, void *const *values) {
  const flow *f = data;
  const int32_t *step = values[0];
  const double *sum = values[1];
  progress_clear();
  gas_print(*step, *sum, f->nnode, values[2]);
  if (isfinite(*sum)) return 0;
  fprintf(stderr, "euler: the residual is no number after step %d\n", *step);
  return 1;
}

static bool queue_survey(flow *f, int32_t it) {
  static const double none[2] = {0, 0};
  TRY(op2_gbl_set(f->mass, none));
  TRY(op2_par_loop(f->survey, f->nodes, op2_arg_direct(f->area, OP2_READ),
                   op2_arg_direct(f->q, OP2_READ), op2_arg_gbl(f->mass, OP2_INC)));
  TRY(op2_call(f->ctx, print_line, f, op2_arg_val(&it, 1, OP2_I32), op2_arg_gbl(f->sum, OP2_READ),
               op2_arg_gbl(f->mass, OP2_READ)));
  return true;
fail:
  return false;
}

static bool write_results(flow *f, const options *o) {
  double sum;
  if (!o->dump_q) return true;
  TRY(op2_gbl_get(f->sum, &sum));
  return report_dump(f->q, f->nnode, GAS_DIM, sqrt(sum / (double)f->nnode), o->dump_q);
fail:
  return false;
}

/* ---- the run ---- */

static bool one_step(flow *f, const options *o, laps *l, int it) {
  if (!queue_step(f)) return false;
  if (it == 1 && !report_graph(f->ctx, o->graph)) return false;
  if (o->every > 0 && it % o->every == 0 && !queue_survey(f, it)) return false;
  if (o->flush || laps_due(l, it)) TRY(op2_flush(f->ctx));
  if (laps_due(l, it)) laps_take(l, it);
  progress_show((double)progress_done(f->ctx, it, LOOPS_PER_STEP) / o->iterations);
  return true;
fail:
  return false;
}

static bool run(flow *f, const options *o, laps *l, run_times *times) {
  laps_begin(l, option_warmup(&o->run, o->iterations), o->iterations, times->setup);
  progress_begin(report_name, o->iterations, "time steps", o->run.progress);
  if (o->every > 0) gas_print_header();
  for (int it = 1; it <= o->iterations; it++)
    if (!one_step(f, o, l, it)) return false;
  progress_end();
  times->loop = l->end - l->begin;
  times->timed = l->end - l->warm;
  times->iterations = o->iterations - l->warmup;
  return true;
}

static bool report(const flow *f, const options *o, const run_times *times, const laps *l) {
  laps_print(l);
  report_renumbering(f->renumbering, times);
  return report_run(f->ctx, times, "time loop") && report_explain(f->ctx, o->run.explain) &&
         report_state(f->ctx, o->run.state);
}

static void destroy(flow *f) {
  op2_set *sets[] = {&f->nodes, &f->edges, &f->bedges};
  op2_map *maps[] = {&f->edge_nodes, &f->bedge_nodes};
  op2_dat *dats[] = {&f->area, &f->rim, &f->normal, &f->bnormal, &f->kind, &f->q, &f->old, &f->res};
  op2_gbl *gbls[] = {&f->dt, &f->sum, &f->mass};
  op2_const *consts[] = {&f->gam, &f->gm1, &f->cfl, &f->far_flow};
  op2_kernel *kernels[] = {&f->start,    &f->save,  &f->time_step,  &f->flux,
                           &f->boundary, &f->stage, &f->last_stage, &f->survey};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) op2_kernel_destroy(kernels[i]);
  for (size_t i = 0; i < sizeof consts / sizeof *consts; i++) op2_const_destroy(consts[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(gbls[i]);
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(dats[i]);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) op2_map_destroy(maps[i]);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) op2_set_destroy(sets[i]);
}

/* The run itself, on a mesh that took `times->mesh` seconds to get. */
static bool simulate(const options *o, const mesh *m, run_times *times) {
  options_print_mesh(m);
  flow f = {0};
  laps l = {0};
  const double begin = clock_now();
  if (!report_init(&o->run, &f.ctx)) return false;
  bool good = declare_mesh(&f, m, o->run.partition) && declare_constants(&f, o->mach) &&
              declare_state(&f) && declare_kernels(&f);
  good = good && (!o->renumber || renumber(&f)) && prepare(&f);
  times->setup = clock_now() - begin;
  good = good && run(&f, o, &l, times) && write_results(&f, o) && report(&f, o, times, &l);
  destroy(&f);
  return report_finalize(&f.ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, simulate);
}

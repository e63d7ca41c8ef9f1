/* SPDX-License-Identifier: BSD-3-Clause */
/* The Euler scheme as the smoother of a multigrid method on three levels. multigrid_op2.c is the same
 * in the form that OP2's translator gives loops for one thread. */
#include <math.h>
#include <stdio.h>

#include "common/application.h"
#include "common/clock.h"
#include "gas.h"
#include "kernels_levels.h"
#include "levels.h"

const char report_name[] = "multigrid";

typedef struct level {
  op2_set nodes, edges, bedges;
  op2_map edge_nodes, bedge_nodes, parents;
  op2_dat area, rim, normal, bnormal, kind;
  op2_dat q, old, res, sum, force, first;
} level;

typedef struct solver {
  op2_context ctx;
  level level[LEVELS];
  op2_gbl dt, rms;
  op2_const gam, gm1, cfl, far_flow;
  op2_kernel start, save, time_step, flux, boundary, stage, last_stage;
  op2_kernel clear, collect, begin_level, balance, add_force, prolong;
} solver;

/* ---- declarations ---- */

static bool declare_level(op2_context ctx, const mesh *m, level *v) {
  TRY(op2_set_create(ctx, m->nnode, "nodes", &v->nodes));
  TRY(op2_set_create(ctx, m->nedge, "edges", &v->edges));
  TRY(op2_set_create(ctx, m->nbedge, "bedges", &v->bedges));
  TRY(op2_map_create(v->edges, v->nodes, 2, m->edge, "edge_nodes", &v->edge_nodes));
  TRY(op2_map_create(v->bedges, v->nodes, 2, m->bedge, "bedge_nodes", &v->bedge_nodes));
  TRY(op2_dat_create(v->nodes, 1, OP2_F64, m->area, "area", &v->area));
  TRY(op2_dat_create(v->nodes, 1, OP2_F64, m->rim, "rim", &v->rim));
  TRY(op2_dat_create(v->edges, 3, OP2_F64, m->normal, "normal", &v->normal));
  TRY(op2_dat_create(v->bedges, 3, OP2_F64, m->bnormal, "bnormal", &v->bnormal));
  TRY(op2_dat_create(v->bedges, 1, OP2_I32, m->kind, "kind", &v->kind));
  TRY(op2_dat_create(v->nodes, GAS_DIM, OP2_F64, NULL, "q", &v->q));
  TRY(op2_dat_create(v->nodes, GAS_DIM, OP2_F64, NULL, "old", &v->old));
  TRY(op2_dat_create(v->nodes, GAS_DIM, OP2_F64, NULL, "res", &v->res));
  TRY(op2_dat_create(v->nodes, GAS_DIM + 1, OP2_F64, NULL, "sum", &v->sum));
  TRY(op2_dat_create(v->nodes, GAS_DIM, OP2_F64, NULL, "force", &v->force));
  TRY(op2_dat_create(v->nodes, GAS_DIM, OP2_F64, NULL, "first", &v->first));
  return true;
fail:
  return false;
}

static bool declare_levels(solver *s, const levels *l) {
  for (int k = LEVELS - 1; k >= 0; k--) {
    level *v = &s->level[k];
    if (!declare_level(s->ctx, &l->mesh[k], v)) return false;
    if (k == LEVELS - 1) continue;
    TRY(op2_map_create(v->nodes, s->level[k + 1].nodes, 2, l->parent[k], "parents", &v->parents));
  }
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "dt", &s->dt));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "rms", &s->rms));
  return true;
fail:
  return false;
}

static bool declare_constants(solver *s, double mach) {
  gam = GAS_GAMMA;
  gm1 = GAS_GM1;
  cfl = GAS_CFL;
  gas_far_field(mach, far_flow);
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &gam, "gam", &s->gam));
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &gm1, "gm1", &s->gm1));
  TRY(op2_const_create(s->ctx, 1, OP2_F64, &cfl, "cfl", &s->cfl));
  TRY(op2_const_create(s->ctx, GAS_DIM, OP2_F64, far_flow, "far_flow", &s->far_flow));
  return true;
fail:
  return false;
}

static bool declare_kernels(solver *s) {
  const struct {
    const op2_kernel_desc *desc;
    op2_kernel *kernel;
  } all[] = {{&start_kernel, &s->start},           {&save_kernel, &s->save},
             {&time_step_kernel, &s->time_step},   {&flux_kernel, &s->flux},
             {&boundary_kernel, &s->boundary},     {&stage_kernel, &s->stage},
             {&last_stage_kernel, &s->last_stage}, {&clear_kernel, &s->clear},
             {&collect_kernel, &s->collect},       {&begin_level_kernel, &s->begin_level},
             {&balance_kernel, &s->balance},       {&add_force_kernel, &s->add_force},
             {&prolong_kernel, &s->prolong}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    TRY(op2_kernel_create(s->ctx, all[i].desc, all[i].kernel));
  return true;
fail:
  return false;
}

/* ---- a cycle ---- */

static bool queue_residual(solver *s, level *v) {
  TRY(op2_par_loop(s->flux, v->edges, op2_arg_direct(v->normal, OP2_READ),
                   op2_arg_dat(v->q, 0, v->edge_nodes, OP2_READ),
                   op2_arg_dat(v->q, 1, v->edge_nodes, OP2_READ),
                   op2_arg_dat(v->res, 0, v->edge_nodes, OP2_INC),
                   op2_arg_dat(v->res, 1, v->edge_nodes, OP2_INC)));
  TRY(op2_par_loop(s->boundary, v->bedges, op2_arg_direct(v->bnormal, OP2_READ),
                   op2_arg_direct(v->kind, OP2_READ),
                   op2_arg_dat(v->q, 0, v->bedge_nodes, OP2_READ),
                   op2_arg_dat(v->q, 1, v->bedge_nodes, OP2_READ),
                   op2_arg_dat(v->res, 0, v->bedge_nodes, OP2_INC),
                   op2_arg_dat(v->res, 1, v->bedge_nodes, OP2_INC)));
  if (v == &s->level[0]) return true;
  TRY(op2_par_loop(s->add_force, v->nodes, op2_arg_direct(v->force, OP2_READ),
                   op2_arg_direct(v->res, OP2_RW)));
  return true;
fail:
  return false;
}

static bool queue_stage(solver *s, level *v, double part) {
  static const double zero = 0;
  if (!queue_residual(s, v)) return false;
  if (part < 1.0 || v != &s->level[0]) {
    TRY(op2_par_loop(s->stage, v->nodes, op2_arg_val(&part, 1, OP2_F64),
                     op2_arg_gbl(s->dt, OP2_READ), op2_arg_direct(v->area, OP2_READ),
                     op2_arg_direct(v->old, OP2_READ), op2_arg_direct(v->res, OP2_RW),
                     op2_arg_direct(v->q, OP2_WRITE)));
    return true;
  }
  TRY(op2_gbl_set(s->rms, &zero));
  TRY(op2_par_loop(s->last_stage, v->nodes, op2_arg_gbl(s->dt, OP2_READ),
                   op2_arg_direct(v->area, OP2_READ), op2_arg_direct(v->old, OP2_READ),
                   op2_arg_direct(v->res, OP2_RW), op2_arg_direct(v->q, OP2_WRITE),
                   op2_arg_gbl(s->rms, OP2_INC)));
  return true;
fail:
  return false;
}

static bool queue_smoothing(solver *s, level *v) {
  static const double no_step = GAS_NO_STEP, parts[GAS_STAGES] = GAS_PARTS;
  TRY(op2_gbl_set(s->dt, &no_step));
  TRY(op2_par_loop(s->save, v->nodes, op2_arg_direct(v->q, OP2_READ),
                   op2_arg_direct(v->old, OP2_WRITE)));
  TRY(op2_par_loop(s->time_step, v->nodes, op2_arg_direct(v->area, OP2_READ),
                   op2_arg_direct(v->rim, OP2_READ), op2_arg_direct(v->q, OP2_READ),
                   op2_arg_gbl(s->dt, OP2_MIN)));
  for (int k = 0; k < GAS_STAGES; k++)
    if (!queue_stage(s, v, parts[k])) return false;
  return true;
fail:
  return false;
}

/* From a level to the coarser one. */
static bool queue_restriction(solver *s, level *fine, level *coarse) {
  if (!queue_residual(s, fine)) return false;
  TRY(op2_par_loop(s->clear, coarse->nodes, op2_arg_direct(coarse->sum, OP2_WRITE),
                   op2_arg_direct(coarse->force, OP2_WRITE)));
  TRY(op2_par_loop(s->collect, fine->nodes, op2_arg_direct(fine->area, OP2_READ),
                   op2_arg_direct(fine->q, OP2_READ), op2_arg_direct(fine->res, OP2_RW),
                   op2_arg_dat(coarse->sum, 0, fine->parents, OP2_INC),
                   op2_arg_dat(coarse->sum, 1, fine->parents, OP2_INC),
                   op2_arg_dat(coarse->force, 0, fine->parents, OP2_INC),
                   op2_arg_dat(coarse->force, 1, fine->parents, OP2_INC)));
  TRY(op2_par_loop(s->begin_level, coarse->nodes, op2_arg_direct(coarse->sum, OP2_READ),
                   op2_arg_direct(coarse->q, OP2_WRITE), op2_arg_direct(coarse->first, OP2_WRITE)));
  TRY(op2_par_loop(s->flux, coarse->edges, op2_arg_direct(coarse->normal, OP2_READ),
                   op2_arg_dat(coarse->q, 0, coarse->edge_nodes, OP2_READ),
                   op2_arg_dat(coarse->q, 1, coarse->edge_nodes, OP2_READ),
                   op2_arg_dat(coarse->res, 0, coarse->edge_nodes, OP2_INC),
                   op2_arg_dat(coarse->res, 1, coarse->edge_nodes, OP2_INC)));
  TRY(op2_par_loop(s->boundary, coarse->bedges, op2_arg_direct(coarse->bnormal, OP2_READ),
                   op2_arg_direct(coarse->kind, OP2_READ),
                   op2_arg_dat(coarse->q, 0, coarse->bedge_nodes, OP2_READ),
                   op2_arg_dat(coarse->q, 1, coarse->bedge_nodes, OP2_READ),
                   op2_arg_dat(coarse->res, 0, coarse->bedge_nodes, OP2_INC),
                   op2_arg_dat(coarse->res, 1, coarse->bedge_nodes, OP2_INC)));
  TRY(op2_par_loop(s->balance, coarse->nodes, op2_arg_direct(coarse->res, OP2_RW),
                   op2_arg_direct(coarse->force, OP2_RW)));
  return true;
fail:
  return false;
}

static bool queue_prolongation(solver *s, level *coarse, level *fine) {
  TRY(op2_par_loop(s->prolong, fine->nodes, op2_arg_dat(coarse->q, 0, fine->parents, OP2_READ),
                   op2_arg_dat(coarse->q, 1, fine->parents, OP2_READ),
                   op2_arg_dat(coarse->first, 0, fine->parents, OP2_READ),
                   op2_arg_dat(coarse->first, 1, fine->parents, OP2_READ),
                   op2_arg_direct(fine->q, OP2_RW)));
  return true;
fail:
  return false;
}

static bool queue_cycle(solver *s) {
  if (!queue_smoothing(s, &s->level[0])) return false;
  for (int k = 1; k < LEVELS; k++)
    if (!queue_restriction(s, &s->level[k - 1], &s->level[k]) || !queue_smoothing(s, &s->level[k]))
      return false;
  for (int k = LEVELS - 1; k > 0; k--)
    if (!queue_prolongation(s, &s->level[k], &s->level[k - 1])) return false;
  return true;
}

/* ---- the run ---- */

static bool run(solver *s, const options *o, int64_t nnode, run_times *times) {
  const int warmup = option_warmup(&o->run, o->iterations);
  const double begin = clock_now();
  double timed = begin, sum;
  for (int it = 1; it <= o->iterations; it++) {
    if (!queue_cycle(s)) return false;
    if (it == 1 && !report_graph(s->ctx, o->graph)) return false;
    if (o->every > 0 && it % o->every == 0) {
      TRY(op2_gbl_get(s->rms, &sum));
      printf("%d %.15e\n", it, sqrt(sum / (double)nnode));
    }
    if (it != warmup) continue;
    TRY(op2_flush(s->ctx));
    timed = clock_now();
  }
  TRY(op2_flush(s->ctx));
  const double end = clock_now();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = o->iterations - warmup;
  TRY(op2_gbl_get(s->rms, &sum));
  return !o->dump_q ||
         report_dump(s->level[0].q, nnode, GAS_DIM, sqrt(sum / (double)nnode), o->dump_q);
fail:
  return false;
}

static bool begin_flow(solver *s) {
  TRY(op2_par_loop(s->start, s->level[0].nodes, op2_arg_direct(s->level[0].q, OP2_WRITE)));
  TRY(op2_flush(s->ctx));
  return true;
fail:
  return false;
}

/* The run on the levels above a mesh. What it declares goes with the context. */
static bool simulate(const options *o, const mesh *m, run_times *times) {
  levels l;
  bench_error error;
  solver s = {0};
  mesh coarsest = *m;
  if (levels_make(o, &coarsest, &l, &error)) {
    fprintf(stderr, "multigrid: %s\n", error.text);
    return false;
  }
  for (int k = 0; k < LEVELS; k++) options_print_mesh(&l.mesh[k]);
  const double begin = clock_now();
  bool good = report_init(&o->run, &s.ctx);
  const bool began = good;
  good = good && declare_levels(&s, &l) && declare_constants(&s, o->mach) && declare_kernels(&s) &&
         begin_flow(&s);
  times->setup = clock_now() - begin;
  good = good && run(&s, o, l.mesh[0].nnode, times) && report_run(s.ctx, times, "time loop") &&
         report_explain(s.ctx, o->run.explain);
  l.mesh[LEVELS - 1] = (mesh){0}; /* It belongs to the caller. */
  levels_free(&l);
  return began && report_finalize(&s.ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, simulate);
}

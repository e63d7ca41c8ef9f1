/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-dimensional flow round an aerofoil: a finite-volume scheme for the Euler equations on an
 * unstructured mesh of quadrilaterals, in two-stage time steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/application.h"
#include "common/checkpoint.h"
#include "common/clock.h"
#include "common/counts.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "gas.h"
#include "kernels.h"
#include "mesh.h"
#include "mesh_hdf5.h"
#include "options.h"
#include "picture.h"

const char report_name[] = "airfoil";

enum { LOOPS_PER_STEP = 9 };

typedef struct flow {
  op2_context ctx;
  op2_set nodes, cells, edges, bedges;
  op2_map cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells;
  op2_dat x, bound, q, qold, adt, res;
  op2_gbl rms;
  op2_const gam, gm1, cfl, eps, qinf;
  op2_kernel save_soln, adt_calc, res_calc, bres_calc, update;
  int64_t ncell;
  double renumbering; /* seconds it took; 0: none */
  void *checkpoint;
  int iteration; /* time steps that were queued */
} flow;

static bool declare_mesh(flow *f, const mesh *m, const char *method) {
  TRY(ranks_set(f->ctx, m->nnode, "nodes", &f->nodes));
  TRY(ranks_set(f->ctx, m->ncell, "cells", &f->cells));
  TRY(ranks_set(f->ctx, m->nedge, "edges", &f->edges));
  TRY(ranks_set(f->ctx, m->nbedge, "bedges", &f->bedges));
  TRY(ranks_map(f->cells, f->nodes, 4, m->cell, "cell_nodes", &f->cell_nodes));
  TRY(ranks_map(f->edges, f->nodes, 2, m->edge, "edge_nodes", &f->edge_nodes));
  TRY(ranks_map(f->edges, f->cells, 2, m->ecell, "edge_cells", &f->edge_cells));
  TRY(ranks_map(f->bedges, f->nodes, 2, m->bedge, "bedge_nodes", &f->bedge_nodes));
  TRY(ranks_map(f->bedges, f->cells, 1, m->becell, "bedge_cells", &f->bedge_cells));
  TRY(ranks_dat(f->nodes, 2, OP2_F64, m->x, "x", &f->x));
  TRY(ranks_dat(f->bedges, 1, OP2_I32, m->bound, "bound", &f->bound));
  TRY(ranks_partition(f->ctx, method, f->edge_cells, f->nodes, m->x));
  f->ncell = m->ncell;
  return true;
fail:
  return false;
}

/* The distance between the numbers of the two cells of an edge. */
typedef struct spread {
  double mean;
  int64_t most;
} spread;

/* number[i] is the mesh's number of the cell with index i. */
static bool measure_spread(const mesh *m, const int64_t *number, spread *s) {
  int64_t *place = malloc((size_t)m->ncell * sizeof *place);
  if (!place) return false;
  for (int64_t i = 0; i < m->ncell; i++) place[number[i]] = i;
  *s = (spread){0};
  for (int64_t e = 0; e < m->nedge; e++) {
    const int64_t d = llabs(place[m->ecell[2 * e]] - place[m->ecell[2 * e + 1]]);
    s->mean += (double)d / (double)m->nedge;
    if (d > s->most) s->most = d;
  }
  free(place);
  return true;
}

/* Every rank renumbers its own part. */
static bool renumber_parts(flow *f) {
  const double begin = clock_now();
  TRY(op2_renumber(f->edge_cells));
  f->renumbering = clock_now() - begin;
  printf("renumbered in %.1f ms\n", 1e3 * f->renumbering);
  return true;
fail:
  return false;
}

static bool renumber(flow *f, const mesh *m) {
  if (ranks_number() > 1) return renumber_parts(f);
  int64_t *number = malloc((size_t)m->ncell * sizeof *number);
  spread before, after;
  bool good = number;
  if (good) TRY(op2_set_numbering(f->cells, number));
  good = good && measure_spread(m, number, &before);
  const double begin = clock_now();
  if (good) TRY(op2_renumber(f->edge_cells));
  f->renumbering = clock_now() - begin;
  if (good) TRY(op2_set_numbering(f->cells, number));
  good = good && measure_spread(m, number, &after);
  free(number);
  if (!good) {
    fprintf(stderr, "airfoil: out of memory for the numbering\n");
    return false;
  }
  printf("renumbered in %.1f ms: cells of an edge were %.1f apart, at most %lld, and are %.1f, at "
         "most %lld\n",
         1e3 * f->renumbering, before.mean, (long long)before.most, after.mean,
         (long long)after.most);
  return true;
fail:
  free(number);
  return false;
}

static bool declare_constants(flow *f) {
  gam = GAS_GAMMA;
  gm1 = GAS_GM1;
  cfl = GAS_CFL;
  eps = GAS_EPS;
  gas_free_stream(qinf);
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &gam, "gam", &f->gam));
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &gm1, "gm1", &f->gm1));
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &cfl, "cfl", &f->cfl));
  TRY(op2_const_create(f->ctx, 1, OP2_F64, &eps, "eps", &f->eps));
  TRY(op2_const_create(f->ctx, 4, OP2_F64, qinf, "qinf", &f->qinf));
  return true;
fail:
  return false;
}

/* The state at the start: the free stream everywhere, and no residual. */
static bool declare_state(flow *f) {
  void *start;
  TRY(op2_dat_create(f->cells, 4, OP2_F64, NULL, "q", &f->q));
  TRY(op2_dat_create(f->cells, 4, OP2_F64, NULL, "qold", &f->qold));
  TRY(op2_dat_create(f->cells, 1, OP2_F64, NULL, "adt", &f->adt));
  TRY(op2_dat_create(f->cells, 4, OP2_F64, NULL, "res", &f->res));
  TRY(op2_gbl_create(f->ctx, 1, OP2_F64, NULL, "rms", &f->rms));
  TRY(op2_dat_write_begin(f->q, &start));
  for (int64_t c = 0; c < op2_set_size(f->cells); c++)
    memcpy((double *)start + 4 * c, qinf, sizeof qinf);
  TRY(op2_dat_write_end(f->q, &start));
  return true;
fail:
  return false;
}

static bool declare_kernels(flow *f) {
  TRY(op2_kernel_create(f->ctx, &save_soln_kernel, &f->save_soln));
  TRY(op2_kernel_create(f->ctx, &adt_calc_kernel, &f->adt_calc));
  TRY(op2_kernel_create(f->ctx, &res_calc_kernel, &f->res_calc));
  TRY(op2_kernel_create(f->ctx, &bres_calc_kernel, &f->bres_calc));
  TRY(op2_kernel_create(f->ctx, &update_kernel, &f->update));
  return true;
fail:
  return false;
}

static bool queue_stage(flow *f) {
  static const double zero = 0;
  TRY(op2_par_loop(f->adt_calc, f->cells, op2_arg_dat(f->x, 0, f->cell_nodes, OP2_READ),
                   op2_arg_dat(f->x, 1, f->cell_nodes, OP2_READ),
                   op2_arg_dat(f->x, 2, f->cell_nodes, OP2_READ),
                   op2_arg_dat(f->x, 3, f->cell_nodes, OP2_READ), op2_arg_direct(f->q, OP2_READ),
                   op2_arg_direct(f->adt, OP2_WRITE)));
  TRY(op2_par_loop(f->res_calc, f->edges, op2_arg_dat(f->x, 0, f->edge_nodes, OP2_READ),
                   op2_arg_dat(f->x, 1, f->edge_nodes, OP2_READ),
                   op2_arg_dat(f->q, 0, f->edge_cells, OP2_READ),
                   op2_arg_dat(f->q, 1, f->edge_cells, OP2_READ),
                   op2_arg_dat(f->adt, 0, f->edge_cells, OP2_READ),
                   op2_arg_dat(f->adt, 1, f->edge_cells, OP2_READ),
                   op2_arg_dat(f->res, 0, f->edge_cells, OP2_INC),
                   op2_arg_dat(f->res, 1, f->edge_cells, OP2_INC)));
  TRY(op2_par_loop(f->bres_calc, f->bedges, op2_arg_dat(f->x, 0, f->bedge_nodes, OP2_READ),
                   op2_arg_dat(f->x, 1, f->bedge_nodes, OP2_READ),
                   op2_arg_dat(f->q, 0, f->bedge_cells, OP2_READ),
                   op2_arg_dat(f->adt, 0, f->bedge_cells, OP2_READ),
                   op2_arg_dat(f->res, 0, f->bedge_cells, OP2_INC),
                   op2_arg_direct(f->bound, OP2_READ)));
  TRY(op2_gbl_set(f->rms, &zero));
  TRY(op2_par_loop(f->update, f->cells, op2_arg_direct(f->qold, OP2_READ),
                   op2_arg_direct(f->q, OP2_WRITE), op2_arg_direct(f->res, OP2_RW),
                   op2_arg_direct(f->adt, OP2_READ), op2_arg_gbl(f->rms, OP2_INC)));
  return true;
fail:
  return false;
}

/* Queue one time step: LOOPS_PER_STEP loops, none of which runs here. */
static bool queue_step(flow *f) {
  TRY(op2_par_loop(f->save_soln, f->cells, op2_arg_direct(f->q, OP2_READ),
                   op2_arg_direct(f->qold, OP2_WRITE)));
  return queue_stage(f) && queue_stage(f);
fail:
  return false;
}

/* Get the rms of the change in the last update; reading it runs all loops that it depends on. */
static bool get_rms(flow *f, double *rms) {
  double sum;
  TRY(op2_gbl_get(f->rms, &sum));
  *rms = sqrt(sum / (double)f->ncell);
  return true;
fail:
  return false;
}

static bool write_graph(const flow *f, const char *path) {
  if (path && op2_queued(f->ctx) == 0)
    fprintf(stderr, "airfoil: the graph is empty: nothing waits when loops run eagerly\n");
  return report_graph(f->ctx, path);
}

/* The state after a time step is that of q: all else follows from it. */
static bool go_on(flow *f, const options *o) {
  const kept_state kept = {.ctx = f->ctx,
                           .dats = &f->q,
                           .gbls = &f->rms,
                           .ndats = 1,
                           .ngbls = 1,
                           .iteration = &f->iteration};
  return checkpoint_begin(&o->run, &kept, &f->checkpoint);
}

static bool run(flow *f, const options *o, run_times *times, counts *before) {
  const int from = f->iteration, most = option_warmup(&o->run, o->iterations);
  const int warmup = most > from ? most : from;
  const int graphed = o->graph_steps < o->iterations ? o->graph_steps : o->iterations;
  const double begin = clock_now();
  double timed = begin, rms;
  bool stop = false;
  progress_begin(report_name, o->iterations, "time steps", o->run.progress);
  for (int it = from + 1; it <= o->iterations && !stop; it++) {
    if (!queue_step(f)) return false;
    f->iteration = it;
    if (it == graphed && !write_graph(f, o->graph)) return false;
    if (o->every > 0 && it % o->every == 0) {
      if (!get_rms(f, &rms)) return false;
      progress_clear();
      printf("%d %.15e\n", it, rms);
      fflush(stdout);
    }
    if (it == warmup) {
      TRY(op2_flush(f->ctx));
      if (o->counts && !counts_get(f->ctx, before)) return false;
      timed = clock_now();
    }
    if (!checkpoint_step(f->checkpoint, &stop)) return false;
    progress_show((double)progress_done(f->ctx, it, LOOPS_PER_STEP) / o->iterations);
  }
  TRY(op2_flush(f->ctx));
  const double end = clock_now();
  progress_end();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = f->iteration > warmup ? f->iteration - warmup : 0;
  return true;
fail:
  return false;
}

static bool write_counts(const flow *f, const counts *before, const run_times *times) {
  const counted_set sets[] = {
      {f->nodes, "nodes"}, {f->cells, "cells"}, {f->edges, "edges"}, {f->bedges, "bedges"}};
  return counts_print(f->ctx, sizeof sets / sizeof *sets, sets, before, times->iterations);
}

static bool write_results(flow *f, const options *o, const mesh *m) {
  const void *q = NULL;
  bench_error error;
  double rms;
  if (!o->dump_q && !o->picture) return true;
  if (!get_rms(f, &rms) || !report_dump(f->q, f->ncell, 4, rms, o->dump_q)) return false;
  if (!o->picture) return true;
  TRY(ranks_values_begin(f->q, f->ncell, 4 * sizeof(double), &q));
  const int rc = q ? picture_write(o->picture, m, q, o->iterations, rms, &error) : 0;
  if (rc) fprintf(stderr, "airfoil: %s\n", error.text);
  TRY(ranks_values_end(f->q, &q));
  return rc == 0;
fail:
  return false;
}

static void destroy(flow *f) {
  op2_set *sets[] = {&f->nodes, &f->cells, &f->edges, &f->bedges};
  op2_map *maps[] = {&f->cell_nodes, &f->edge_nodes, &f->edge_cells, &f->bedge_nodes,
                     &f->bedge_cells};
  op2_dat *dats[] = {&f->x, &f->bound, &f->q, &f->qold, &f->adt, &f->res};
  op2_const *consts[] = {&f->gam, &f->gm1, &f->cfl, &f->eps, &f->qinf};
  op2_kernel *kernels[] = {&f->save_soln, &f->adt_calc, &f->res_calc, &f->bres_calc, &f->update};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) op2_kernel_destroy(kernels[i]);
  for (size_t i = 0; i < sizeof consts / sizeof *consts; i++) op2_const_destroy(consts[i]);
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(dats[i]);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) op2_map_destroy(maps[i]);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) op2_set_destroy(sets[i]);
  op2_gbl_destroy(&f->rms);
}

/* The run itself, on a mesh that took `times->mesh` seconds to get. */
static bool simulate(const options *o, const mesh *m, run_times *times) {
  flow f = {0};
  counts before = {0};
  const double begin = clock_now();
  if (!report_init(&o->run, &f.ctx)) return false;
  bool good = declare_mesh(&f, m, o->run.partition) && declare_constants(&f) && declare_state(&f) &&
              declare_kernels(&f);
  good = good && (!o->renumber || renumber(&f, m));
  times->setup = clock_now() - begin;
  good = good && go_on(&f, o) && run(&f, o, times, &before) && checkpoint_end(&f.checkpoint) &&
         (!o->counts || write_counts(&f, &before, times));
  good = good && write_results(&f, o, m) && report_run(f.ctx, times, "time loop");
  if (good) report_renumbering(f.renumbering, times);
  good = good && report_explain(f.ctx, o->run.explain) && report_state(f.ctx, o->run.state);
  counts_free(&before);
  destroy(&f);
  return report_finalize(&f.ctx, good);
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  mesh_hdf5_use();
  return application_main(argc, argv, &o, &m, simulate);
}

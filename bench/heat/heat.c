/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat that spreads over the airfoil mesh: three loops per time step; the host reads the largest
 * change after each step. */
#include <math.h>
#include <stdio.h>

#include "common/application.h"
#include "common/clock.h"
#include "common/progress.h"
#include "common/ranks.h"
#include "common/report.h"
#include "kernels.h"
#include "options.h"
#include "problem.h"

const char report_name[] = "heat";

enum { LOOPS_PER_STEP = 3 };

typedef struct solver {
  op2_context ctx;
  op2_set nodes, edges;
  op2_map edge_nodes;
  op2_dat weight, rate, u, gain;
  op2_gbl change;
  op2_kernel flow, advance, measure;
} solver;

static bool declare(solver *s, const mesh *m, const problem *given, const char *method) {
  TRY(ranks_set(s->ctx, m->nnode, "nodes", &s->nodes));
  TRY(ranks_set(s->ctx, m->nedge, "edges", &s->edges));
  TRY(ranks_map(s->edges, s->nodes, 2, m->edge, "edge_nodes", &s->edge_nodes));
  TRY(ranks_dat(s->edges, 1, OP2_F64, given->weight, "weight", &s->weight));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, given->rate, "rate", &s->rate));
  TRY(ranks_dat(s->nodes, 1, OP2_F64, given->start, "u", &s->u));
  TRY(ranks_partition(s->ctx, method, s->edge_nodes, s->nodes, m->x));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "gain", &s->gain));
  TRY(op2_gbl_create(s->ctx, 1, OP2_F64, NULL, "change", &s->change));
  TRY(op2_kernel_create(s->ctx, &flow_kernel, &s->flow));
  TRY(op2_kernel_create(s->ctx, &advance_kernel, &s->advance));
  TRY(op2_kernel_create(s->ctx, &measure_kernel, &s->measure));
  return true;
fail:
  return false;
}

static bool queue_step(solver *s) {
  static const double nothing = 0;
  TRY(op2_gbl_set(s->change, &nothing));
  TRY(op2_par_loop(s->flow, s->edges, op2_arg_direct(s->weight, OP2_READ),
                   op2_arg_dat(s->u, 0, s->edge_nodes, OP2_READ),
                   op2_arg_dat(s->u, 1, s->edge_nodes, OP2_READ),
                   op2_arg_dat(s->gain, 0, s->edge_nodes, OP2_INC),
                   op2_arg_dat(s->gain, 1, s->edge_nodes, OP2_INC)));
  TRY(op2_par_loop(s->advance, s->nodes, op2_arg_direct(s->rate, OP2_READ),
                   op2_arg_direct(s->gain, OP2_READ), op2_arg_direct(s->u, OP2_RW)));
  TRY(op2_par_loop(s->measure, s->nodes, op2_arg_direct(s->rate, OP2_READ),
                   op2_arg_direct(s->gain, OP2_RW), op2_arg_gbl(s->change, OP2_MAX)));
  return true;
fail:
  return false;
}

/* Read the change after time step `it`, which runs here. */
static bool look(solver *s, const options *o, int it, outcome *result) {
  TRY(op2_gbl_get(s->change, &result->change));
  result->steps = it;
  result->steady = result->change < o->tolerance;
  if (o->every > 0 && it % o->every == 0) {
    progress_clear();
    outcome_line(it, result->change);
  }
  if (isfinite(result->change)) return true;
  fprintf(stderr, "heat: a temperature is no number after time step %d: is a cell without area?\n",
          it);
fail:
  return false;
}

static bool run_steps(solver *s, const options *o, run_times *times, outcome *result) {
  const int warmup = option_warmup(&o->run, o->iterations);
  const double begin = clock_now();
  double timed = begin;
  progress_begin(report_name, o->iterations, "time steps", o->run.progress);
  for (int it = 1; it <= o->iterations && !result->steady; it++) {
    if (!queue_step(s) || (it == 1 && !report_graph(s->ctx, o->graph)) || !look(s, o, it, result))
      return false;
    if (it == warmup) timed = clock_now();
    progress_show((double)progress_done(s->ctx, it, LOOPS_PER_STEP) / o->iterations);
  }
  const double end = clock_now();
  progress_end();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = result->steps > warmup ? result->steps - warmup : 0;
  return true;
}

static bool write_results(solver *s, const options *o, const mesh *m, const problem *given,
                          const outcome *end) {
  const void *u = NULL;
  TRY(ranks_values_begin(s->u, m->nnode, sizeof(double), &u));
  if (u) outcome_print(end, given, m, u);
  TRY(ranks_values_end(s->u, &u));
  return report_dump(s->u, m->nnode, 1, end->change, o->dump);
fail:
  return false;
}

static void destroy(solver *s) {
  op2_kernel_destroy(&s->flow);
  op2_kernel_destroy(&s->advance);
  op2_kernel_destroy(&s->measure);
  op2_gbl_destroy(&s->change);
  op2_dat_destroy(&s->weight);
  op2_dat_destroy(&s->rate);
  op2_dat_destroy(&s->u);
  op2_dat_destroy(&s->gain);
  op2_map_destroy(&s->edge_nodes);
  op2_set_destroy(&s->edges);
  op2_set_destroy(&s->nodes);
}

static bool solve(const options *o, const mesh *m, const problem *given, run_times *times) {
  solver s = {0};
  outcome end = {0};
  const double begin = clock_now();
  if (!report_init(&o->run, &s.ctx)) return false;
  bool good = declare(&s, m, given, o->run.partition);
  times->setup = clock_now() - begin;
  good = good && run_steps(&s, o, times, &end) && write_results(&s, o, m, given, &end) &&
         report_run(s.ctx, times, "time steps") && report_explain(s.ctx, o->run.explain) &&
         report_state(s.ctx, o->run.state);
  destroy(&s);
  return report_finalize(&s.ctx, good);
}

/* The run itself, on a mesh that took `times->mesh` seconds to get; the time for the problem is
 * added. */
static bool run(const options *o, const mesh *m, run_times *times) {
  problem given;
  bench_error error;
  const double begin = clock_now();
  if (problem_create(m, &given, &error)) {
    fprintf(stderr, "heat: %s\n", error.text);
    return false;
  }
  times->mesh += clock_now() - begin;
  const bool good = solve(o, m, &given, times);
  problem_free(&given);
  return good;
}

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, run);
}

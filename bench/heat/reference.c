/* SPDX-License-Identifier: BSD-3-Clause */
/* The common part of the two hand-written programs. */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/dump.h"
#include "common/reference.h"

static void state_free(heat_state *s) {
  free(s->edge);
  free(s->weight);
  free(s->rate);
  free(s->u);
  free(s->gain);
}

static int state_create(const mesh *m, const problem *given, heat_state *s, bench_error *error) {
  const size_t n = (size_t)m->nnode, edges = (size_t)m->nedge;
  *s = (heat_state){.nnode = m->nnode,
                    .nedge = m->nedge,
                    .edge = reference_alloc(edges * 2 * sizeof *s->edge),
                    .weight = reference_alloc(edges * sizeof *s->weight),
                    .rate = reference_alloc(n * sizeof *s->rate),
                    .u = reference_alloc(n * sizeof *s->u),
                    .gain = reference_alloc(n * sizeof *s->gain)};
  if (!s->edge || !s->weight || !s->rate || !s->u || !s->gain) {
    state_free(s);
    return bench_fail(error, "out of memory for the state");
  }
  memcpy(s->edge, m->edge, edges * 2 * sizeof *s->edge);
  memcpy(s->weight, given->weight, edges * sizeof *s->weight);
  memcpy(s->rate, given->rate, n * sizeof *s->rate);
  memcpy(s->u, given->start, n * sizeof *s->u);
  return 0;
}

static outcome run_steps(const reference *r, const options *o, heat_state *s) {
  const int warmup = option_warmup(&o->run, o->iterations);
  outcome result = {0};
  const double begin = clock_now();
  double timed = begin;
  int it = 0;
  while (it < o->iterations && !result.steady) {
    result.change = r->step(s);
    if (++it == warmup) timed = clock_now();
    if (o->every > 0 && it % o->every == 0) outcome_line(it, result.change);
    result.steady = result.change < o->tolerance;
  }
  reference_times(begin, timed, it - warmup);
  result.steps = it;
  return result;
}

static int run(const reference *r, const options *o, const mesh *m, const problem *given,
               bench_error *error) {
  heat_state s;
  if (state_create(m, given, &s, error)) return -1;
  int rc = r->prepare ? r->prepare(o, &s, error) : 0;
  if (rc == 0) {
    const outcome end = run_steps(r, o, &s);
    outcome_print(&end, given, m, s.u);
    if (o->dump) rc = dump_write(o->dump, s.u, m->nnode, end.change, error);
    if (r->finish) r->finish();
  }
  state_free(&s);
  return rc;
}

int reference_main(int argc, char **argv, const reference *r) {
  options o;
  const int status = options_parse(argc, argv, r->program, &o);
  if (status >= 0) return status;
  mesh m = {0};
  problem given = {0};
  bench_error error;
  int rc = options_mesh(&o, &m, &error);
  if (rc == 0) rc = problem_create(&m, &given, &error);
  if (rc == 0) rc = run(r, &o, &m, &given, &error);
  problem_free(&given);
  mesh_free(&m);
  if (rc) fprintf(stderr, "%s: %s\n", argv[0], error.text);
  return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

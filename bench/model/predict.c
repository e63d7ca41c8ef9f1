/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* backends/host/openmp.c leaves loops to the first member that have less data than this. */
enum { TEAM_BYTES = 64 * 1024, MOST_LOOPS = sizeof((profile *)0)->loops / sizeof(profile_loop) };

bool predict_alone(const record_step *step) {
  return step->nblock == step->ncolour || step->bytes < TEAM_BYTES;
}

/* ---- what a record with one member tells ----------------------------------------------------- */

static int compare(const void *left, const void *right) {
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

/* The median; reorders the values. */
static double median(double *values, int64_t n) {
  if (n == 0) return 0;
  qsort(values, (size_t)n, sizeof *values, compare);
  return values[n / 2];
}

static double working_set(const record_run *run, int64_t step) {
  return run->steps[step].bytes + (step > 0 ? run->steps[step - 1].bytes : 0);
}

static int64_t count_events(const record *r) {
  int64_t n = 0;
  for (int64_t i = 0; i < r->nrun; i++) n += r->runs[i].nevent;
  return n;
}

static const profile_loop *find(const profile *p, const char *name) {
  for (int i = 0; i < p->nloop; i++)
    if (!strcmp(p->loops[i].name, name)) return &p->loops[i];
  return NULL;
}

/* Nanoseconds of an iteration in a run; infinite if there is none in it. */
static double iteration_ns(const record_run *run, const char *marker, int times) {
  int64_t n = 0;
  for (int64_t s = 0; s < run->nstep; s++) n += !strcmp(run->steps[s].name, marker);
  return n > 0 ? (double)run->ns * times / (double)n : INFINITY;
}

double record_median(const record *r, const char *marker, int times) {
  double *values = malloc((size_t)r->nrun * sizeof *values);
  int64_t n = 0;
  if (!values) return 0;
  for (int64_t i = 0; i < r->nrun; i++) {
    const double ns = iteration_ns(&r->runs[i], marker, times);
    if (ns < INFINITY) values[n++] = ns;
  }
  const double middle = median(values, n);
  free(values);
  return middle;
}

/* Collect what the elements of a loop took, each time that it ran. */
static int64_t element_times(const record *r, const char *name, double *values) {
  int64_t n = 0;
  for (int64_t i = 0; i < r->nrun; i++)
    for (int64_t e = 0; e < r->runs[i].nevent; e++) {
      const record_event *event = &r->runs[i].events[e];
      const record_step *step = &r->runs[i].steps[event->step];
      if (event->n > 0 && !strcmp(step->name, name))
        values[n++] = (double)(event->end - event->begin) / (double)step->elements;
    }
  return n;
}

static bool add_loop(const record *r, const record_run *run, int64_t s, double *values,
                     profile *p) {
  const record_step *step = &run->steps[s];
  if (find(p, step->name)) return true;
  if (p->nloop == MOST_LOOPS) return false;
  profile_loop *loop = &p->loops[p->nloop++];
  *loop = (profile_loop){.set = working_set(run, s)};
  memcpy(loop->name, step->name, sizeof loop->name);
  loop->element = median(values, element_times(r, step->name, values));
  return true;
}

int profile_make(const record *r, profile *p, bench_error *error) {
  double *values = malloc(((size_t)count_events(r) + 1) * sizeof *values);
  bool good = values;
  *p = (profile){0};
  for (int64_t i = 0; i < r->nrun && good; i++)
    for (int64_t s = r->runs[i].nstep - 1; s >= 0 && good; s--)
      if (r->runs[i].steps[s].nblock > 0) good = add_loop(r, &r->runs[i], s, values, p);
  free(values);
  return good ? 0 : bench_fail(error, "out of memory, or too many loops, in a record");
}

double record_iterations(const record *r, const char *marker, int times) {
  int64_t n = 0;
  for (int64_t i = 0; i < r->nrun; i++)
    for (int64_t s = 0; s < r->runs[i].nstep; s++) n += !strcmp(r->runs[i].steps[s].name, marker);
  return (double)n / times;
}

static double median_fold(const record *r, double *values) {
  int64_t n = 0;
  for (int64_t i = 0; i < r->nrun; i++)
    for (int64_t e = 0; e < r->runs[i].nevent; e++) {
      const record_event *event = &r->runs[i].events[e];
      if (event->n == -1)
        values[n++] = (double)(event->end - event->begin) / r->runs[i].steps[event->step].nblock;
    }
  return median(values, n);
}

static double median_start(const record *r, double *values) {
  int64_t n = 0;
  for (int64_t i = 0; i < r->nrun; i++)
    for (int64_t e = 1; e < r->runs[i].nevent; e++)
      if (r->runs[i].events[e].n > 0)
        values[n++] = (double)(r->runs[i].events[e].begin - r->runs[i].events[e - 1].end);
  return median(values, n);
}

int profile_costs(const record *r, sim_costs *costs, bench_error *error) {
  double *values = malloc(((size_t)count_events(r) + 1) * sizeof *values);
  if (!values) return bench_fail(error, "out of memory for a record");
  costs->fold = median_fold(r, values);
  costs->start = median_start(r, values);
  free(values);
  return 0;
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* Nanoseconds of an element: what it took on the small mesh, and what its bytes take more from
 * where they are now. */
static double element_ns(const profile *p, const setting *s, const record_run *run, int64_t i,
                         int threads) {
  const record_step *step = &run->steps[i];
  const profile_loop *loop = find(p, step->name);
  if (!loop || step->elements == 0) return 0;
  const double bytes = step->bytes / (double)step->elements;
  return loop->element + bytes * machine_more_ns(s->m, loop->element / bytes, loop->set,
                                                 working_set(run, i), threads);
}

/* The number of blocks of a colour, if blocks are cut. */
static int32_t blocks_of(const setting *s, const record_step *step, int32_t colour) {
  return step->blocks[colour] * s->cut;
}

double *predict_blocks(const profile *p, const setting *s, const record_run *run, int64_t i,
                       int32_t colour) {
  const record_step *step = &run->steps[i];
  const int32_t n = blocks_of(s, step, colour);
  const double ns = element_ns(p, s, run, i, s->threads);
  const double size = (double)step->size * step->blocks[colour] / (n ? n : 1);
  double *block = malloc(((size_t)n + 1) * sizeof *block);
  if (!block) return NULL;
  for (int32_t b = 0; b < n; b++) block[b] = ns * size;
  const double missing = ns * (double)(step->nblock * step->size - step->elements);
  if (colour == 0 && n > 0) /* one block is short; which colour it has is not known */
    block[n - 1] = fmax(0, block[n - 1] - missing);
  return block;
}

/* Whether members may still be busy with what was last, and only the first one: the rule of
 * backends/host/openmp.c. */
typedef struct team_state {
  bool apart, alone;
} team_state;

/* All members wait for one another, if they have to. */
static void wait_for_all(const setting *s, team_state *team, prediction *out) {
  if (team->apart && s->members > 1) out->ns += sim_turn_end(&s->costs, s->members);
  *team = (team_state){false, false};
}

/* One turn; with `cut` blocks the parts that are even or odd, which are half of them. */
static int predict_turn(const profile *p, const setting *s, const record_run *run, int64_t i,
                        int32_t colour, team_state *team, prediction *out, bench_error *error) {
  const record_step *step = &run->steps[i];
  const int halves = s->cut > 1 && step->ncolour > 1 ? 2 : 1;
  sim_result result = {0};
  double *block = predict_blocks(p, s, run, i, colour);
  if (!block) return bench_fail(error, "out of memory for a turn");
  sim_turn turn = {.team = SIM_OPENMP,
                   .members = s->members,
                   .cores = s->members,
                   .blocks = blocks_of(s, step, colour) / halves,
                   .joined = step->ncolour == 1 && !step->partials,
                   .block = block};
  const sim_costs none = {.slice = INFINITY};
  int failed = sim_run(&turn, &none, &result, error);
  out->blocks += halves * result.length;
  if (!failed) failed = sim_run(&turn, &s->costs, &result, error);
  for (int half = 0; half < halves && !failed; half++) {
    wait_for_all(s, team, out);
    out->ns += result.length;
    team->apart = true;
  }
  out->turns += halves;
  sim_free(&result);
  free(block);
  return failed;
}

static int predict_step(const profile *p, const setting *s, const record_run *run, int64_t i,
                        team_state *team, prediction *out, bench_error *error) {
  const record_step *step = &run->steps[i];
  const double fold = step->partials ? s->costs.fold * step->nblock : 0;
  out->ns += s->costs.start;
  out->queue += s->costs.queue;
  if (s->members == 1 || predict_alone(step)) {
    const int threads = s->members == 1 ? s->threads : 1;
    const double ns = (double)step->elements * element_ns(p, s, run, i, threads);
    if (!team->alone) wait_for_all(s, team, out);
    out->alone += ns;
    out->ns += ns + fold;
    *team = (team_state){true, true};
    return 0;
  }
  for (int32_t c = 0; c < step->ncolour; c++)
    if (predict_turn(p, s, run, i, c, team, out, error)) return -1;
  if (!step->partials) return 0;
  wait_for_all(s, team, out);
  out->ns += fold;
  *team = (team_state){true, true};
  return 0;
}

int predict(const profile *p, const setting *s, const record *r, const char *marker, int times,
            prediction *out, bench_error *error) {
  const double iterations = record_iterations(r, marker, times);
  *out = (prediction){0};
  if (iterations <= 0) return bench_fail(error, "no loop '%s' in a record", marker);
  for (int64_t i = 0; i < r->nrun; i++) {
    team_state team = {false, false};
    if (s->members > 1) out->ns += s->costs.region * s->members;
    for (int64_t k = 0; k < r->runs[i].nstep; k++)
      if (r->runs[i].steps[k].nblock > 0 && predict_step(p, s, &r->runs[i], k, &team, out, error))
        return -1;
  }
  out->ns /= iterations;
  out->blocks /= iterations;
  out->alone /= iterations;
  out->turns /= iterations;
  out->queue /= iterations;
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rehearse.h"

/* ---- turns ------------------------------------------------------------------------------------ */

/* Turns begin at any time between two ticks of the cores, so the model takes the mean of so many
 * phases. */
enum { PHASES = 16 };

/* Sums over the turns of a loop. */
typedef struct sums {
  double turns, rounds, stolen, idle;
} sums;

/* One turn, as it is recorded. */
typedef struct seen {
  int32_t *ran; /* [members] */
  int32_t stolen;
  int64_t came, end, busy;
} seen;

static void see(seen *t, const record_event *e) {
  if (e->came < t->came) t->came = e->came;
  if (e->end > t->end) t->end = e->end;
  if (e->n <= 0) return;
  t->ran[e->member] += e->n;
  t->busy += e->end - e->begin;
  if (e->owner != e->member) t->stolen += e->n;
}

/* Add a recorded turn, unless fewer than `cores` were at work in it: the machine has other things to
 * do, and sleeping members come late to turns that are soon over. Returns true if it was added. */
static bool add_recorded(const record_run *run, int64_t step, int32_t colour, double cores,
                         int32_t *ran, sums *all) {
  seen t = {.ran = ran, .came = INT64_MAX};
  int32_t rounds = 0;
  memset(ran, 0, (size_t)run->members * sizeof *ran);
  for (int64_t e = 0; e < run->nevent; e++)
    if (run->events[e].step == step && run->events[e].colour == colour && run->events[e].n >= 0)
      see(&t, &run->events[e]);
  if ((double)t.busy < cores * (double)(t.end - t.came)) return false;
  for (int m = 0; m < run->members; m++)
    if (ran[m] > rounds) rounds = ran[m];
  all->turns++;
  all->rounds += rounds;
  all->stolen += t.stolen;
  all->idle += 1 - (double)t.busy / ((double)(t.end - t.came) * run->members);
  return true;
}

static int add_turn(const sim_turn *turn, const sim_costs *costs, sums *all, bench_error *error) {
  sim_result result = {0};
  if (sim_run(turn, costs, &result, error)) return -1;
  all->turns++;
  all->rounds += result.rounds;
  all->stolen += result.stolen;
  all->idle += 1 - result.busy / (result.length * turn->members);
  sim_free(&result);
  return 0;
}

static int add_modelled(const profile *p, const setting *s, const record_run *run, int64_t step,
                        int32_t colour, sums *all, bench_error *error) {
  double *block = predict_blocks(p, s, run, step, colour);
  if (!block) return bench_fail(error, "out of memory for a turn");
  const record_step *of = &run->steps[step];
  sim_turn turn = {.team = run->openmp ? SIM_OPENMP : SIM_STARPU,
                   .members = run->members,
                   .cores = run->members < s->m->cores ? run->members : s->m->cores,
                   .blocks = of->blocks[colour],
                   .joined = of->ncolour == 1 && !of->partials,
                   .block = block};
  sums some = {0};
  int failed = 0;
  for (int k = 0; k < PHASES && !failed; k++) {
    turn.phase = (double)k / PHASES;
    failed = add_turn(&turn, &s->costs, &some, error);
  }
  all->turns++;
  all->rounds += some.rounds / PHASES;
  all->stolen += some.stolen / PHASES;
  all->idle += some.idle / PHASES;
  free(block);
  return failed;
}

/* A few turns say little where cores change their members at any time. */
enum { ENOUGH = 8 };

static bool is_off(double recorded, double modelled) {
  return fabs(recorded - modelled) > 0.1 * fmax(recorded, modelled);
}

static void print(const char *name, int members, const char *loop, int turns, const sums *recorded,
                  const sums *model) {
  const double n = recorded->turns;
  printf("schedule %-9s %3d members %-26s %3.0f of %3d turns", name, members, loop, n, turns);
  if (n < 1) {
    puts(": none in which all cores were at work");
    return;
  }
  const bool judged = turns >= ENOUGH || !strcmp(name, "rehearsal");
  const bool off = is_off(recorded->rounds, model->rounds) ||
                   is_off(recorded->stolen, model->stolen) ||
                   fabs(recorded->idle - model->idle) > 0.1 * n;
  printf(": rounds %6.2f, model %6.2f; stolen %6.2f, model %6.2f; idle %.3f, model %.3f%s\n",
         recorded->rounds / n, model->rounds / n, recorded->stolen / n, model->stolen / n,
         recorded->idle / n, model->idle / n,
         !judged ? "  (few)"
         : off   ? "  more than 10 % off"
                 : "");
}

/* All turns of a loop. */
static int check_loop(const profile *p, const setting *s, const char *name, const record *r,
                      const char *loop, int32_t *ran, bench_error *error) {
  const double at_work = 0.9;
  sums recorded = {0}, model = {0};
  int seen_turns = 0;
  for (int64_t i = 0; i < r->nrun; i++) {
    const record_run *run = &r->runs[i];
    for (int64_t k = 0; k < run->nstep; k++) {
      if (strcmp(run->steps[k].name, loop) != 0 || predict_alone(&run->steps[k])) continue;
      for (int32_t c = 0; c < run->steps[k].ncolour; c++) {
        seen_turns++;
        if (add_recorded(run, k, c, at_work * s->m->cores, ran, &recorded) &&
            add_modelled(p, s, run, k, c, &model, error))
          return -1;
      }
    }
  }
  if (seen_turns > 0) print(name, s->members, loop, seen_turns, &recorded, &model);
  return 0;
}

int check_schedule(const machine *m, const char *name, const profile *p, const record *r,
                   bench_error *error) {
  const int members = r->runs[r->nrun - 1].members;
  const setting s = {.m = m,
                     .costs = m->costs,
                     .members = members,
                     .threads = members < m->cores ? members : m->cores,
                     .cut = 1};
  int32_t *ran = malloc((size_t)members * sizeof *ran);
  int failed = ran ? 0 : bench_fail(error, "out of memory for a schedule");
  for (int i = 0; i < p->nloop && !failed; i++)
    failed = check_loop(p, &s, name, r, p->loops[i].name, ran, error);
  free(ran);
  return failed;
}

/* ---- rehearsals ------------------------------------------------------------------------------ */

enum { REHEARSED = 256 };

static int check_rehearsal(const rehearsal *what, const char *name, const char *path,
                           bench_error *error) {
  const sim_costs costs = {.slice = INFINITY};
  sums recorded = {0}, model = {0};
  record r = {0};
  int32_t *ran = malloc((size_t)what->members * sizeof *ran);
  int failed = ran ? 0 : bench_fail(error, "out of memory for a schedule");
  if (failed || rehearse(what, path, &r, error)) {
    free(ran);
    return -1;
  }
  const record_run *run = &r.runs[r.nrun - 1];
  for (int32_t c = 0; c < run->steps[0].ncolour && !failed; c++) {
    const sim_turn turn = rehearsal_turn(what, c);
    add_recorded(run, 0, c, 0, ran, &recorded);
    failed = add_turn(&turn, &costs, &model, error);
    free((double *)(uintptr_t)turn.block);
  }
  if (!failed) print("rehearsal", what->members, name, run->steps[0].ncolour, &recorded, &model);
  record_free(&r);
  free(ran);
  return failed;
}

int check_rehearsals(int members, const char *path, bench_error *error) {
  static const char *const names[2][2] = {{"equal, one colour", "equal, two colours"},
                                          {"uneven, one colour", "uneven, two colours"}};
  static double ms[REHEARSED];
  int failed = 0;
  for (int uneven = 0; uneven < 2; uneven++)
    for (int coloured = 0; coloured < 2 && !failed; coloured++) {
      for (int b = 0; b < REHEARSED; b++) ms[b] = 12 + 3 * uneven * (b * 7 / 2 % 5);
      const rehearsal what = {members, REHEARSED, coloured, !coloured, ms};
      failed = check_rehearsal(&what, names[uneven][coloured], path, error);
    }
  return failed;
}

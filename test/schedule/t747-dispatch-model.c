/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which the model of dispatch shares out blocks (bench/model/simulate.c) is that of the
 * backend openmp and of a team of starpu's workers: who takes which blocks, own and others', and how
 * many at a time. Blocks sleep, so that there may be more members than cores; how long they do
 * differs by so much that the order does not depend on the machine, unless it is very busy, which
 * another try settles. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"
#include "loopdata.h"
#include "model/rehearse.h"
#include "op2.h"
#include "plan.h"
#include "schedule.h"
#include "tap.h"
#include "team.h"

enum { TRIES = 6, MOST_BLOCKS = 64, MOST_MEMBERS = 20 };

static char path[256]; /* of the record */

/* ---- comparing ------------------------------------------------------------------------------- */

/* Blocks that were taken together: of which share, which ones, and by whom. */
static int by_block(const void *left, const void *right) {
  const sim_take *l = left, *r = right;
  return (l->first > r->first) - (l->first < r->first);
}

static int32_t first_of(const record_step *step, int32_t colour) {
  int32_t first = 0;
  for (int32_t c = 0; c < colour; c++) first += step->blocks[c];
  return first;
}

/* Collect what was taken in a turn of the last run of a record, in the order of blocks. */
static int32_t collect(const record *r, int32_t colour, sim_take *takes, bool *good) {
  const record_run *run = &r->runs[r->nrun - 1];
  const int32_t first = first_of(&run->steps[0], colour);
  int32_t n = 0;
  for (int64_t e = 0; e < run->nevent; e++) {
    const record_event *event = &run->events[e];
    if (event->colour != colour || event->n <= 0) continue;
    if (n < MOST_BLOCKS)
      takes[n++] = (sim_take){event->member, event->owner, event->first - first, event->n, 0};
    *good = *good && event->came <= event->begin && event->begin <= event->end;
  }
  *good = *good && run->lost == 0;
  qsort(takes, (size_t)n, sizeof *takes, by_block);
  return n;
}

static void show(const char *whose, const sim_take *takes, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    diag("%s: blocks %d to %d of member %d by %d", whose, takes[i].first,
         takes[i].first + takes[i].n - 1, takes[i].owner, takes[i].member);
}

/* True if the record has what the model says; `who` is false where only the pieces count. */
static bool same(const record *r, const sim_turn *turn, int32_t colour, bool who, bool tell) {
  const sim_costs costs = {.slice = INFINITY};
  sim_take takes[MOST_BLOCKS];
  sim_result model = {0};
  bench_error error;
  bool good = sim_run(turn, &costs, &model, &error) == 0;
  const int32_t n = collect(r, colour, takes, &good);
  if (good) qsort(model.takes, (size_t)model.ntake, sizeof *model.takes, by_block);
  good = good && n == model.ntake;
  for (int32_t i = 0; i < n && good; i++)
    good = takes[i].first == model.takes[i].first && takes[i].n == model.takes[i].n &&
           takes[i].owner == model.takes[i].owner &&
           (!who || takes[i].member == model.takes[i].member);
  if (!good && tell) {
    show("recorded", takes, n);
    show("model", model.takes, model.ntake);
  }
  sim_free(&model);
  return good;
}

/* ---- openmp ---------------------------------------------------------------------------------- */

/* Run once, and compare all turns. */
static bool rehearsed(const rehearsal *what, bool who, bool tell) {
  record r = {0};
  bench_error error;
  bool good = true;
  if (rehearse(what, path, &r, &error)) {
    diag("%s", error.text);
    return false;
  }
  const int colours = what->coloured ? 2 : 1;
  good =
      r.runs[r.nrun - 1].members == what->members && r.runs[r.nrun - 1].steps[0].ncolour == colours;
  for (int32_t c = 0; c < colours && good; c++) {
    const sim_turn turn = rehearsal_turn(what, c);
    good = same(&r, &turn, c, who, tell);
    free((double *)(uintptr_t)turn.block);
  }
  record_free(&r);
  return good;
}

static void openmp_case(rehearsal what, bool who, const char *name) {
  bool good = false;
  for (int i = 0; i < TRIES && !good; i++) good = rehearsed(&what, who, i == TRIES - 1);
  ok(good, "openmp: %s", name);
}

static double ms[MOST_BLOCKS];

static void equal_ms(double each) {
  for (int b = 0; b < MOST_BLOCKS; b++) ms[b] = each;
}

/* There are twenty members. When the first and the third squad of eight have no other blocks left,
 * their first members come to the shares of others. */
static void slow_squads(void) {
  for (int b = 0; b < 60; b++) {
    const int member = b / 3;
    if (member / 8 == 1)
      ms[b] = member < 11 ? 70 : 60;
    else if (member % 16 == 0)
      ms[b] = member == 0 ? 5 : 35;
    else
      ms[b] = b % 3 == 2 ? 200 : 2;
  }
}

/* The members' own blocks differ in length, the last member's most. */
static void uneven_ms(int32_t blocks, int members, int colours) {
  for (int32_t b = 0; b < blocks; b++) {
    const int32_t place = b / colours, n = (blocks - b % colours + colours - 1) / colours;
    for (int m = 0; m < members; m++)
      if (place >= sim_share(n, members, m) && place < sim_share(n, members, m + 1))
        ms[b] = m == members - 1 ? 60 : 8 + 9 * m;
  }
}

static void test_openmp(void) {
  equal_ms(10);
  openmp_case((rehearsal){4, 16, false, true, ms}, true, "equal blocks fill rounds");
  openmp_case((rehearsal){4, 18, false, true, ms}, false, "a round that is not full");
  openmp_case((rehearsal){8, 32, true, false, ms}, true, "two colours");
  openmp_case((rehearsal){4, 64, false, false, ms}, true, "pieces of blocks that run by one call");
  uneven_ms(12, 3, 1);
  openmp_case((rehearsal){3, 12, false, true, ms}, true, "blocks of a slow member are stolen");
  uneven_ms(24, 3, 2);
  openmp_case((rehearsal){3, 24, true, false, ms}, true, "the same in two colours");
  equal_ms(10);
  openmp_case((rehearsal){20, 60, false, true, ms}, true, "twenty members wait in a tree");
  slow_squads();
  openmp_case((rehearsal){20, 60, false, true, ms}, true, "squads without blocks are passed over");
  equal_ms(1);
  openmp_case((rehearsal){1, 8, false, true, ms}, false, "one member");
}

/* ---- a team of starpu's workers -------------------------------------------------------------- */

static struct op2i_idle idle;
static struct op2i_team team;
static _Atomic int stop;

static bool no_others(void) { return false; }

static void *worker(void *share) {
  while (!atomic_load(&stop)) {
    int64_t calls = op2i_idle_calls(&idle);
    op2i_team_help(&team, &idle, *(int *)share);
    op2i_idle_park(&idle, calls);
  }
  return NULL;
}

/* Sleep for as long as the blocks should take: one of ten positions each. */
static void sleep_blocks(const struct op2i_call *call, int64_t lo, int64_t hi,
                         unsigned char *partial) {
  const double *block_ms = (const double *)(uintptr_t)call->payload;
  double all = 0;
  (void)partial;
  for (int64_t b = lo / 10; b < hi / 10; b++) all += block_ms[b];
  const int64_t ns = (int64_t)(1e6 * all);
  nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

struct troupe {
  pthread_t threads[MOST_MEMBERS];
  int shares[MOST_MEMBERS];
};

static void call_members(struct troupe *t, int members) {
  atomic_store(&stop, 0);
  op2i_idle_open(&idle, 0);
  op2i_team_open(&team, members, INT64_C(500000000), no_others);
  for (int m = 1; m < members; m++) {
    t->shares[m] = m;
    pthread_create(&t->threads[m], NULL, worker, &t->shares[m]);
  }
}

static void dismiss_members(struct troupe *t, int members) {
  atomic_store(&stop, 1);
  op2i_idle_close(&idle);
  for (int m = 1; m < members; m++) pthread_join(t->threads[m], NULL);
  op2i_team_destroy(&team);
  op2i_idle_destroy(&idle);
}

/* Run a loop of one colour twice: the first time members come. `estimate` is nanoseconds of a block
 * as the team sees it. */
static bool team_ran(int members, int32_t blocks, double estimate, const int *nodes, bool tell) {
  int32_t offs[2] = {0, blocks}, map[MOST_BLOCKS], colour[MOST_BLOCKS] = {0};
  struct op2i_loop_data data = {.ns_per_element = estimate / 10};
  struct op2i_loop loop = {.attached.sched_data = &data};
  struct op2i_plan plan = {.hi = 10 * blocks,
                           .block_size = 10,
                           .nblocks = blocks,
                           .ncolors = 1,
                           .color = colour,
                           .color_offs = offs,
                           .blkmap = map};
  struct op2i_step step = {.loop = &loop,
                           .function = (void *)sleep_blocks,
                           .call.payload = (const unsigned char *)ms,
                           .hi = 10 * blocks,
                           .plan = &plan};
  struct troupe t;
  for (int32_t b = 0; b < blocks; b++) map[b] = b;
  call_members(&t, members);
  team.nodes = nodes; /* the first program has not begun, for which members look */
  bool good = op2i_schedule_open(path) == OP2_SUCCESS;
  for (int i = 0; i < 2; i++) good = op2i_team_run(&team, &idle, &step, 1, 0, true) && good;
  op2i_schedule_close();
  dismiss_members(&t, members);
  double ns[MOST_BLOCKS];
  for (int32_t b = 0; b < blocks; b++) ns[b] = 1e6 * ms[b];
  const sim_turn turn = {SIM_STARPU, members, members, blocks, true, ns, estimate, nodes, 0};
  record r = {0};
  bench_error error;
  if (!good || record_read(path, &r, &error)) return false;
  good = !r.runs[r.nrun - 1].openmp && same(&r, &turn, 0, true, tell);
  record_free(&r);
  return good;
}

static void nodes_case(int members, int32_t blocks, double estimate, const int *nodes,
                       const char *name) {
  bool good = false;
  for (int i = 0; i < TRIES && !good; i++)
    good = team_ran(members, blocks, estimate, nodes, i == TRIES - 1);
  ok(good, "team: %s", name);
}

static void team_case(int members, int32_t blocks, double estimate, const char *name) {
  nodes_case(members, blocks, estimate, NULL, name);
}

static void test_team(void) {
  static const int nodes[] = {0, 1, 0, 1};
  equal_ms(10);
  team_case(4, 16, 1e5, "equal blocks fill rounds");
  team_case(3, 48, 410, "short blocks are taken together, up to half of those left");
  uneven_ms(12, 3, 1);
  team_case(3, 12, 1e5, "blocks of a slow member are stolen");
  uneven_ms(16, 4, 1);
  nodes_case(4, 16, 1e5, nodes, "first those of members of the own node");
  equal_ms(10);
  team_case(20, 60, 1e5, "twenty members in three squads");
  slow_squads();
  team_case(20, 60, 1e5, "squads without blocks are passed over");
}

/* A rule that differs gives another schedule: one member more. */
static void test_planted(void) {
  const rehearsal what = {4, 16, false, true, ms};
  rehearsal wrong = what;
  record r = {0};
  bench_error error;
  equal_ms(2);
  wrong.members = 3;
  const bool made = rehearse(&what, path, &r, &error) == 0;
  const sim_turn turn = rehearsal_turn(&wrong, 0);
  ok(made && !same(&r, &turn, 0, false, false), "another rule is noticed");
  free((double *)(uintptr_t)turn.block);
  if (made) record_free(&r);
}

int main(void) {
  snprintf(path, sizeof path, "%.200s/op2-schedule-XXXXXX", P_tmpdir);
  const int file = mkstemp(path);
  if (file < 0) {
    skip("no file can be made in %s", P_tmpdir);
    return done();
  }
  close(file);
  test_team();
  if (op2_backend_unavailable("openmp")) {
    skip("openmp: %s", op2_backend_unavailable("openmp"));
  } else {
    test_openmp();
    test_planted();
  }
  unlink(path);
  return done();
}

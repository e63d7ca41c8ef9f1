/* SPDX-License-Identifier: BSD-3-Clause */
/* A team runs each block once, colour after colour, whichever members arrive, stay away, sleep or
 * are called again; programs of several threads alternate; and there is no data race (run under
 * ThreadSanitizer by the runner). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loop.h"
#include "loopdata.h"
#include "plan.h"
#include "tap.h"
#include "team.h"

enum { STEPS = 5, COLOURS = 4, BLOCKS = 64, BLOCK = 8, HELPERS = 40, HOUR_MS = 3600000 };
static const int64_t linger_ns = 2000000;

static struct op2i_idle idle;
static struct op2i_team team;

static void wait_ms(int ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* A loop over blocks of several colours, which records the thread of each block. */
struct fake {
  struct op2i_loop loop;
  struct op2i_loop_data data;
  struct op2i_plan plan;
  int32_t offs[COLOURS + 1], map[BLOCKS], colour[BLOCKS];
  int64_t values[BLOCKS * BLOCK]; /* written by its blocks, read by those of the next colour */
  _Atomic int times[BLOCKS], ended;
  const struct fake *before;
  _Atomic int *wrong;
  pthread_t ran[BLOCKS];
  bool meet; /* every block waits until blocks have run in two threads */
  _Atomic int threads;
};

struct program {
  struct fake fakes[STEPS];
  struct op2i_step steps[STEPS];
  _Atomic int wrong;
};

static bool same_threads(const struct fake *f, int32_t first) {
  for (int i = 0; i < BLOCKS; i++)
    if (atomic_load(&f->times[i]) && !pthread_equal(f->ran[i], f->ran[first])) return false;
  return true;
}

static _Thread_local const struct fake *met;

/* Wait up to ten seconds for another thread to arrive. */
static void meet_another(struct fake *f) {
  if (met != f) atomic_fetch_add(&f->threads, 1);
  met = f;
  for (int i = 0; i < 10000 && atomic_load(&f->threads) < 2; i++) wait_ms(1);
}

static int blocks_before(const struct fake *f, int32_t colour) { return f->offs[colour]; }

static void run_block(const struct op2i_call *call, int64_t lo, int64_t hi,
                      unsigned char *partial) {
  struct fake *f = (struct fake *)(uintptr_t)call->payload;
  int32_t block = (int32_t)(lo / BLOCK);
  (void)partial;
  int64_t ended = atomic_load_explicit(&f->ended, memory_order_relaxed);
  bool early = ended < blocks_before(f, f->colour[block]) ||
               (f->before && atomic_load_explicit(&f->before->ended, memory_order_relaxed) <
                                 f->before->plan.nblocks);
  if (early || hi - lo != BLOCK) atomic_fetch_add(f->wrong, 1);
  /* No atomics are used here, so that the sanitizer sees races. Blocks of one colour write separate
   * values, as those of a real loop do, and read what earlier colours have written. */
  for (int64_t i = lo; i < hi; i++)
    f->values[i] = f->colour[block] > 0 ? f->values[(int64_t)f->map[0] * BLOCK] + 1 : 1;
  if (f->before && f->before->values[lo] < 1) atomic_fetch_add(f->wrong, 1);
  if (f->meet) meet_another(f);
  f->ran[block] = pthread_self();
  atomic_fetch_add_explicit(&f->times[block], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&f->ended, 1, memory_order_relaxed);
}

/* Block b has colour b % COLOURS, but the first colours have few blocks. */
static void make_fake(struct fake *f, const struct fake *before, double ns, _Atomic int *wrong) {
  int at = 0;
  memset(f, 0, sizeof *f);
  f->before = before;
  f->wrong = wrong;
  for (int32_t b = 0; b < BLOCKS; b++) f->colour[b] = b < 3 ? b % 2 : 2 + b % 2;
  for (int32_t c = 0; c < COLOURS; c++) {
    f->offs[c] = at;
    for (int32_t b = 0; b < BLOCKS; b++)
      if (f->colour[b] == c) f->map[at++] = b;
  }
  f->offs[COLOURS] = at;
  f->data.ns_per_element = ns;
  f->loop.attached.sched_data = &f->data;
  f->plan = (struct op2i_plan){.lo = 0,
                               .hi = BLOCKS * BLOCK,
                               .block_size = BLOCK,
                               .nblocks = BLOCKS,
                               .ncolors = COLOURS,
                               .color = f->colour,
                               .color_offs = f->offs,
                               .blkmap = f->map};
}

static struct program *make_program(double ns) {
  struct program *p = calloc(1, sizeof *p);
  for (int s = 0; s < STEPS; s++) {
    make_fake(&p->fakes[s], s ? &p->fakes[s - 1] : NULL, ns, &p->wrong);
    p->steps[s] = (struct op2i_step){.loop = &p->fakes[s].loop,
                                     .function = (void *)run_block,
                                     .call.payload = (const unsigned char *)&p->fakes[s],
                                     .hi = BLOCKS * BLOCK,
                                     .plan = &p->fakes[s].plan};
  }
  return p;
}

/* Clear the results of an earlier run. */
static void forget_runs(struct program *p) {
  for (int s = 0; s < STEPS; s++) {
    memset(p->fakes[s].values, 0, sizeof p->fakes[s].values);
    for (int b = 0; b < BLOCKS; b++) atomic_store(&p->fakes[s].times[b], 0);
    atomic_store(&p->fakes[s].ended, 0);
    atomic_store(&p->fakes[s].threads, 0);
  }
  met = NULL;
}

static bool all_once(struct program *p) {
  for (int s = 0; s < STEPS; s++)
    for (int b = 0; b < BLOCKS; b++)
      if (atomic_load(&p->fakes[s].times[b]) != 1) return false;
  return atomic_load(&p->wrong) == 0;
}

static bool run_once(struct program *p, int share, bool always) {
  forget_runs(p);
  return op2i_team_run(&team, &idle, p->steps, STEPS, share, always) && all_once(p);
}

/* ---- workers --------------------------------------------------------------------------------- */

static _Atomic int stop, looked, others;

static bool others_wait(void) { return atomic_load(&others); }

static void *worker(void *share) {
  while (!atomic_load(&stop)) {
    int64_t calls = op2i_idle_calls(&idle);
    op2i_team_help(&team, &idle, *(int *)share);
    atomic_fetch_add(&looked, 1);
    op2i_idle_park(&idle, calls);
  }
  return NULL;
}

static void with_workers(int members, int first, int helpers, void (*test)(void)) {
  pthread_t threads[HELPERS];
  int shares[HELPERS];
  atomic_store(&stop, 0);
  op2i_idle_open(&idle, 0);
  idle.max_sleep_ns = (int64_t)HOUR_MS * 1000000;
  op2i_team_open(&team, members, linger_ns, others_wait);
  for (int i = 0; i < helpers; i++) {
    shares[i] = first + i;
    pthread_create(&threads[i], NULL, worker, &shares[i]);
  }
  test();
  atomic_store(&stop, 1);
  op2i_idle_close(&idle);
  for (int i = 0; i < helpers; i++) pthread_join(threads[i], NULL);
  op2i_team_destroy(&team);
  op2i_idle_destroy(&idle);
}

static bool all_sleep(void) {
  for (int i = 0; i < 500; i++) {
    int before = atomic_load(&looked);
    wait_ms(20);
    if (atomic_load(&looked) == before && !__atomic_load_n(&team.present, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const double dear = 1e5; /* nanoseconds per element, enough to pay for any team */

static void test_rounds(void) {
  struct program *p = make_program(dear);
  int good = 0, rounds = quick() ? 200 : 2000;
  for (int i = 0; i < rounds; i++) {
    good += run_once(p, 0, i % 2 == 0);
    if (i % 64 == 0) wait_ms(5);
  }
  is_int(good, rounds, "each block ran once, after those of earlier colours and steps");
  free(p);
}

/* As many members as large machines have cores. */
static void test_many(void) {
  is_int(team.members, 300, "a team may have 300 members");
  test_rounds();
}

/* Naps last an hour here, so a worker that is not called does not come. */
static void test_called(void) {
  struct program *p = make_program(dear);
  ok(all_sleep(), "members without a program sleep");
  for (int s = 0; s < STEPS; s++) p->fakes[s].meet = true;
  int met_others = 0;
  for (int i = 0; i < 3; i++) {
    met_others += run_once(p, 0, true);
    for (int s = 0; s < STEPS; s++) met_others += atomic_load(&p->fakes[s].threads) >= 2;
    ok(all_sleep(), "they sleep again");
  }
  is_int(met_others, 3 * (1 + STEPS), "programs call them, and they take part in every step");
  free(p);
}

static void test_alone(void) {
  struct program *p = make_program(dear);
  ok(run_once(p, 0, false), "a program ends where no member comes at all");
  ok(run_once(p, 3, false), "whatever share the calling thread has");
  free(p);
}

static bool one_thread(const struct program *p) {
  for (int s = 0; s < STEPS; s++)
    for (int b = 0; b < BLOCKS; b++)
      if (!pthread_equal(p->fakes[s].ran[b], pthread_self())) return false;
  return true;
}

static void test_worth(void) {
  struct program *p = make_program(0.01);
  bool good = true;
  for (int i = 0; i < 50; i++) good = good && run_once(p, 0, false) && one_thread(p);
  ok(good, "what is too little to share runs in the calling thread");
  ok(op2i_team_saves(p->steps, STEPS, 2) <= 0, "a team would save nothing");
  for (int s = 0; s < STEPS; s++) p->fakes[s].data.ns_per_element = dear;
  double all = 1e-9 * dear * BLOCKS * BLOCK * STEPS, saved = op2i_team_saves(p->steps, STEPS, 2);
  ok(saved > 0.47 * all && saved < 0.5 * all, "of much work nearly half (%.3f)", saved / all);
  ok(op2i_team_saves(p->steps, STEPS, 4) > 0.7 * all, "with four members more");
  free(p);
}

/* The only worker is on the core of the calling thread, so that thread also runs its share. */
static void test_own_share(void) {
  struct program *p = make_program(dear);
  bool good = true;
  for (int i = 0; i < 50; i++) good = good && run_once(p, 1, true) && one_thread(p);
  ok(good, "a worker on the core of the calling thread stays out of it");
  free(p);
}

static void test_tasks(void) {
  struct program *p = make_program(dear);
  struct op2i_finish finish;
  op2i_idle_begin(&idle, &finish, 1);
  forget_runs(p);
  ok(!op2i_team_run(&team, &idle, p->steps, STEPS, 0, true) && p->fakes[0].ended == 0,
     "while workers have tasks there is no team, and nothing runs");
  op2i_idle_end(&idle, &finish, 1);
  op2i_idle_wait(&idle, &finish);
  ok(run_once(p, 0, true), "and afterwards there is");
  free(p);
}

/* Other workers may have tasks that belong to no program. */
static void test_others(void) {
  struct program *p = make_program(dear);
  bool good = true;
  atomic_store(&others, 1);
  for (int i = 0; i < 50; i++) good = good && run_once(p, 0, true) && one_thread(p);
  ok(good, "workers that others have work for stay out of it");
  atomic_store(&others, 0);
  for (int s = 0; s < STEPS; s++) p->fakes[s].meet = true;
  good = run_once(p, 0, true);
  for (int s = 0; s < STEPS; s++) good = good && atomic_load(&p->fakes[s].threads) >= 2;
  ok(good, "and come when there is none");
  free(p);
}

enum { USERS = 3 };

static void *user(void *argument) {
  int *count = argument, rounds = quick() ? 200 : 1000;
  struct program *p = make_program(dear);
  for (int i = 0; i < rounds; i++) {
    forget_runs(p);
    if (!op2i_team_run(&team, &idle, p->steps, STEPS, 0, true))
      count[1]++;
    else if (!all_once(p))
      count[0]++;
  }
  free(p);
  return NULL;
}

static void test_users(void) {
  pthread_t threads[USERS];
  int counts[USERS][2] = {{0}};
  for (int u = 0; u < USERS; u++) pthread_create(&threads[u], NULL, user, counts[u]);
  for (int u = 0; u < USERS; u++) {
    pthread_join(threads[u], NULL);
    is_int(counts[u][0], 0, "programs of thread %d ran whole, or not at all (%d)", u, counts[u][1]);
  }
}

static _Atomic int ranges;

/* Several blocks at once. */
static void run_blocks(const struct op2i_call *call, int64_t lo, int64_t hi,
                       unsigned char *partial) {
  for (int64_t at = lo; at < hi; at += BLOCK) run_block(call, at, at + BLOCK, partial);
  atomic_fetch_add(&ranges, 1);
}

/* A program whose steps have one colour, with blocks of so many nanoseconds. */
static struct program *make_direct(double ns) {
  struct program *p = make_program(ns / BLOCK);
  for (int s = 0; s < STEPS; s++) {
    struct fake *f = &p->fakes[s];
    for (int32_t b = 0; b < BLOCKS; b++) f->colour[b] = 0, f->map[b] = b;
    f->plan.ncolors = 1;
    f->offs[1] = BLOCKS;
    p->steps[s].function = (void *)run_blocks;
  }
  return p;
}

/* Members take several blocks at a time if these are short, do not conflict, and have no partial
 * results. */
static void test_joined(void) {
  static unsigned char partials[1];
  struct program *quick_blocks = make_direct(100), *slow = make_direct(1e5);
  int good = 0, rounds = 200;
  atomic_store(&ranges, 0);
  for (int i = 0; i < rounds; i++) good += run_once(quick_blocks, 0, true);
  is_int(good, rounds, "each block ran once");
  /* Up to 20 blocks are taken, and half of those that are left: 6 calls for a share of 32 blocks,
   * and 5 for one of 16. */
  ok(atomic_load(&ranges) <= rounds * STEPS * 24, "short blocks run together (%.1f calls a step)",
     (double)atomic_load(&ranges) / rounds / STEPS);
  atomic_store(&ranges, 0);
  good = run_once(slow, 0, true);
  is_int(good ? atomic_load(&ranges) : 0, BLOCKS * STEPS, "long ones one by one");
  for (int s = 0; s < STEPS; s++) quick_blocks->steps[s].values.partials = partials;
  atomic_store(&ranges, 0);
  good = run_once(quick_blocks, 0, true);
  is_int(good ? atomic_load(&ranges) : 0, BLOCKS * STEPS, "and those that have partial results");
  free(quick_blocks);
  free(slow);
}

/* A step without elements, and one whose loop is in one block. */
static void test_odd_steps(void) {
  struct program *p = make_program(dear);
  forget_runs(p);
  p->fakes[1].plan.nblocks = p->fakes[1].plan.ncolors = 0;
  p->steps[1].hi = 0;
  p->fakes[2].before = NULL;
  p->fakes[3].plan.nblocks = 1, p->fakes[3].plan.ncolors = 1;
  p->fakes[3].offs[1] = 1;
  p->fakes[4].before = NULL;
  ok(op2i_team_run(&team, &idle, p->steps, STEPS, 0, true) && p->fakes[1].ended == 0 &&
         p->fakes[2].ended == BLOCKS && p->fakes[3].ended == 1 && p->fakes[4].ended == BLOCKS &&
         p->wrong == 0,
     "steps of no block and of one");
  ok(same_threads(&p->fakes[3], p->fakes[3].map[0]), "one block runs in one thread");
  free(p);
}

int main(void) {
  with_workers(2, 1, 1, test_rounds);
  with_workers(4, 1, 3, test_rounds);
  with_workers(4, 2, 1, test_rounds);    /* members 1 and 3 never come */
  with_workers(12, 1, 11, test_rounds);  /* members in two squads */
  with_workers(70, 30, 40, test_rounds); /* some members of nine squads */
  with_workers(300, 290, 3, test_many);
  with_workers(2, 1, 1, test_called);
  with_workers(4, 0, 0, test_alone);
  with_workers(2, 1, 1, test_worth);
  with_workers(2, 1, 1, test_own_share);
  with_workers(2, 1, 1, test_tasks);
  with_workers(2, 1, 1, test_others);
  with_workers(3, 1, 2, test_users);
  with_workers(2, 1, 1, test_joined);
  with_workers(4, 1, 3, test_joined);
  with_workers(2, 1, 1, test_odd_steps);
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges between tasks: an exchange is started when its rows are packed, and the tasks that
 * unpack are released when its messages have arrived. */
#include "travel.h"

#include <time.h>

#include "clock.h"
#include "error.h"
#include "exchange.h"
#include "mem.h"
#include "watch.h"

/* ---- halo exchanges in flight ---------------------------------------------------------------- */

static int64_t find_departure(const struct op2i_travel *travel, const struct op2i_step *step) {
  int64_t d = travel->ndepartures - 1;
  while (d >= 0 && travel->departures[d].step->exchange != step->exchange) d--;
  return d;
}

static void list_steps(struct op2i_travel *travel, struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++) {
    if (steps[s].kind == OP2I_STEP_BEGIN)
      travel->departures[travel->ndepartures++] =
          (struct op2i_departure){&steps[s], op2i_exchange_legs(steps[s].exchange)};
    if (steps[s].kind == OP2I_STEP_END)
      travel->arrivals[travel->narrivals++] =
          (struct op2i_arrival){.step = &steps[s], .departure = find_departure(travel, &steps[s])};
  }
}

static void find_tasks(struct op2i_travel *travel, const struct op2i_step *steps) {
  const struct op2i_task_list *list = travel->list;
  for (int64_t t = 0, a = 0; t < list->ntasks && a < travel->narrivals; t++) {
    if (list->tasks[t].kind != OP2I_TASK_UNPACK) continue;
    while (travel->arrivals[a].step != &steps[list->tasks[t].step]) a++;
    if (!travel->arrivals[a].end) travel->arrivals[a].first = t;
    travel->arrivals[a].end = t + 1;
  }
}

op2_status op2i_travel_open(struct op2i_travel *travel, struct op2i_step *steps, int64_t nsteps,
                            const struct op2i_task_list *list) {
  int64_t begins = 0;
  *travel = (struct op2i_travel){.list = list, .free = list->free[0]};
  for (int64_t s = 0; s < nsteps; s++) begins += steps[s].kind == OP2I_STEP_BEGIN;
  travel->departures = op2i_calloc((size_t)begins, sizeof *travel->departures);
  travel->arrivals = op2i_calloc((size_t)list->nstages, sizeof *travel->arrivals);
  pthread_condattr_t attributes;
  pthread_mutex_init(&travel->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&travel->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  if (!travel->departures || !travel->arrivals) {
    op2i_travel_close(travel);
    return op2i_error_nomem("exchanges of halos");
  }
  list_steps(travel, steps, nsteps);
  find_tasks(travel, steps);
  return OP2_SUCCESS;
}

void op2i_travel_close(struct op2i_travel *travel) {
  pthread_cond_destroy(&travel->wake);
  pthread_mutex_destroy(&travel->lock);
  op2i_free(travel->departures);
  op2i_free(travel->arrivals);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void wake(struct op2i_travel *travel) {
  pthread_mutex_lock(&travel->lock);
  pthread_cond_signal(&travel->wake);
  pthread_mutex_unlock(&travel->lock);
}

static void packed(struct op2i_travel *travel, const struct op2i_step *step) {
  int64_t d = 0;
  while (travel->departures[d].step != step) d++;
  if (__atomic_sub_fetch(&travel->departures[d].packs, 1, __ATOMIC_ACQ_REL) == 0) wake(travel);
}

void op2i_travel_ended(struct op2i_travel *travel, const struct op2i_step *step,
                       enum op2i_task_kind kind) {
  if (kind == OP2I_TASK_PACK) packed(travel, step);
  if (!travel->narrivals) return;
  if (__atomic_add_fetch(&travel->ended, 1, __ATOMIC_RELAXED) ==
      __atomic_load_n(&travel->free, __ATOMIC_RELAXED)) {
    __atomic_store_n(&travel->idle_since, op2i_nanoseconds(), __ATOMIC_RELAXED);
    wake(travel);
  }
}

/* ---- the thread that submits ----------------------------------------------------------------- */

bool op2i_travel_holds(const struct op2i_travel *travel, int64_t task) {
  for (int64_t a = 0; a < travel->narrivals; a++)
    if (travel->arrivals[a].first <= task && task < travel->arrivals[a].end)
      return !travel->arrivals[a].over;
  return false;
}

static bool can_start(const struct op2i_travel *travel) {
  return travel->started < travel->ndepartures &&
         __atomic_load_n(&travel->departures[travel->started].packs, __ATOMIC_ACQUIRE) == 0;
}

/* Count the time in which all workers were idle because the first exchange was not over. */
static void count_wait(struct op2i_travel *travel, const struct op2i_step *step) {
  int64_t now = op2i_nanoseconds();
  int64_t since = __atomic_exchange_n(&travel->idle_since, 0, __ATOMIC_RELAXED);
  if (since) op2i_exchange_waited(step->exchange, since);
  int64_t a = 0;
  while (a < travel->narrivals && travel->arrivals[a].over) a++;
  __atomic_store_n(&travel->free, travel->list->free[a], __ATOMIC_RELAXED);
  if (__atomic_load_n(&travel->ended, __ATOMIC_RELAXED) == travel->list->free[a])
    __atomic_store_n(&travel->idle_since, now, __ATOMIC_RELAXED);
}

static op2_status arrive(struct op2i_travel *travel, struct op2i_arrival *arrival,
                         op2i_travel_release *release, void *closure) {
  arrival->over = true;
  travel->arrived++;
  if (arrival == travel->arrivals || arrival[-1].over) count_wait(travel, arrival->step);
  return release(closure, arrival->first, arrival->end);
}

/* *flies: true if an exchange is in flight. */
static op2_status look(struct op2i_travel *travel, bool *flies, op2i_travel_release *release,
                       void *closure) {
  op2_status status = OP2_SUCCESS;
  *flies = false;
  for (int64_t a = 0; a < travel->narrivals && !status; a++) {
    struct op2i_arrival *arrival = &travel->arrivals[a];
    bool over;
    if (arrival->over || arrival->departure >= travel->started) continue;
    status = op2i_exchange_over(arrival->step->exchange, false, &over);
    if (!status && over) status = arrive(travel, arrival, release, closure);
    *flies = *flies || !over;
  }
  return status;
}

/* Watch for ranks that do not answer, while workers have nothing else to do and the first exchange
 * in flight is waited for. */
static op2_status watch(struct op2i_travel *travel, struct op2i_wait *wait, int64_t *watched) {
  enum { EVERY_NS = 50000000 };
  const int64_t now = op2i_nanoseconds();
  bool idle = __atomic_load_n(&travel->idle_since, __ATOMIC_RELAXED) != 0;
  if (!idle) *wait = (struct op2i_wait){0};
  if (!*watched) *watched = now;
  if (now - *watched < EVERY_NS) return OP2_SUCCESS;
  *watched = now;
  int64_t a = 0;
  while (a < travel->narrivals &&
         (travel->arrivals[a].over || travel->arrivals[a].departure >= travel->started))
    a++;
  return a < travel->narrivals ? op2i_exchange_waits(travel->arrivals[a].step->exchange, wait)
                               : OP2_SUCCESS;
}

/* True if every exchange is over that tasks below `until` begin or end. */
static bool settled(const struct op2i_travel *travel, int64_t until) {
  if (until >= travel->list->ntasks)
    return travel->started == travel->ndepartures && travel->arrived == travel->narrivals;
  for (int64_t a = 0; a < travel->narrivals; a++)
    if (!travel->arrivals[a].over && travel->arrivals[a].first < until) return false;
  return true;
}

/* Sleep until rows are packed; or, while messages are in flight, for a moment. That gets
 * longer each time, as a thread that wakes up takes a core from a worker, until workers
 * have nothing else to do. */
static void rest(struct op2i_travel *travel, bool flies, int64_t *nap) {
  enum { SHORTEST_NS = 20000, LONGEST_NS = 400000, NS_PER_S = 1000000000 };
  bool idle = __atomic_load_n(&travel->idle_since, __ATOMIC_RELAXED) != 0;
  *nap = idle || *nap == 0 ? SHORTEST_NS : *nap < LONGEST_NS ? 2 * *nap : *nap;
  int64_t until = op2i_nanoseconds() + *nap;
  struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
                              .tv_nsec = (long)(until % NS_PER_S)};
  pthread_mutex_lock(&travel->lock);
  while (!can_start(travel))
    if (!flies)
      pthread_cond_wait(&travel->wake, &travel->lock);
    else if (pthread_cond_timedwait(&travel->wake, &travel->lock, &deadline) || !idle)
      break;
  pthread_mutex_unlock(&travel->lock);
}

static op2_status give_up(struct op2i_travel *travel, op2_status status,
                          op2i_travel_release *release, void *closure) {
  for (int64_t a = 0; a < travel->narrivals; a++) {
    struct op2i_arrival *arrival = &travel->arrivals[a];
    if (!arrival->over) (void)release(closure, arrival->first, arrival->end);
    arrival->over = true;
  }
  travel->started = travel->ndepartures;
  travel->arrived = travel->narrivals;
  return status;
}

op2_status op2i_travel_on(struct op2i_travel *travel, bool wait, int64_t until,
                          op2i_travel_release *release, void *closure) {
  op2_status status = OP2_SUCCESS;
  bool flies = false;
  int64_t nap = 0, watched = 0;
  struct op2i_wait waits = {0};
  if (travel->started == travel->ndepartures && travel->arrived == travel->narrivals)
    return OP2_SUCCESS;
  for (;;) {
    while (can_start(travel) && !status)
      status = op2i_exchange_start(travel->departures[travel->started++].step->exchange);
    if (!status) status = look(travel, &flies, release, closure);
    bool done = !status && (!wait || settled(travel, until));
    if (!status && !done && flies) status = watch(travel, &waits, &watched);
    if (status) return give_up(travel, status, release, closure);
    if (done) return OP2_SUCCESS;
    rest(travel, flies, &nap);
  }
}

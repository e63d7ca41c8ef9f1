/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges between tasks: an exchange is started when its rows are packed, and the tasks that
 * unpack are released when its messages have arrived. The same is done with convoys of
 * reductions. */
#include "halo_tasks.h"

#include <time.h>

#include "clock.h"
#include "error.h"
#include "exchange.h"
#include "mem.h"
#include "watch.h"

/* ---- halo exchanges in flight ---------------------------------------------------------------- */

static bool same(const struct op2i_step *a, const struct op2i_step *b) {
  return a->exchange == b->exchange && a->convoy == b->convoy;
}

static bool sends(const struct op2i_step *step) {
  return step->kind == OP2I_STEP_BEGIN || step->kind == OP2I_STEP_SEND;
}

static int64_t find_send(const struct op2i_halo_tasks *halos, const struct op2i_step *step) {
  int64_t d = halos->nsends - 1;
  while (d >= 0 && !same(halos->sends[d].step, step)) d--;
  return d;
}

static void list_steps(struct op2i_halo_tasks *halos, struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++) {
    if (sends(&steps[s]))
      halos->sends[halos->nsends++] = (struct op2i_halo_send){
          &steps[s], steps[s].convoy ? 1 : op2i_exchange_legs(steps[s].exchange)};
    if (op2i_step_receives(&steps[s]))
      halos->recvs[halos->nrecvs++] =
          (struct op2i_halo_recv){.step = &steps[s], .send = find_send(halos, &steps[s])};
  }
}

static void find_tasks(struct op2i_halo_tasks *halos, const struct op2i_step *steps) {
  const struct op2i_task_list *list = halos->list;
  for (int64_t t = 0, a = 0; t < list->ntasks && a < halos->nrecvs; t++) {
    if (list->tasks[t].kind != OP2I_TASK_UNPACK) continue;
    while (halos->recvs[a].step != &steps[list->tasks[t].step]) a++;
    if (!halos->recvs[a].end) halos->recvs[a].first = t;
    halos->recvs[a].end = t + 1;
  }
}

op2_status op2i_halo_tasks_open(struct op2i_halo_tasks *halos, struct op2i_step *steps,
                                int64_t nsteps, const struct op2i_task_list *list) {
  int64_t begins = 0;
  *halos = (struct op2i_halo_tasks){.list = list, .free = list->free[0]};
  for (int64_t s = 0; s < nsteps; s++) begins += sends(&steps[s]);
  halos->sends = op2i_calloc((size_t)begins, sizeof *halos->sends);
  halos->recvs = op2i_calloc((size_t)list->nstages, sizeof *halos->recvs);
  pthread_condattr_t attributes;
  pthread_mutex_init(&halos->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&halos->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  if (!halos->sends || !halos->recvs) {
    op2i_halo_tasks_close(halos);
    return op2i_error_nomem("exchanges of halos");
  }
  list_steps(halos, steps, nsteps);
  find_tasks(halos, steps);
  return OP2_SUCCESS;
}

void op2i_halo_tasks_close(struct op2i_halo_tasks *halos) {
  pthread_cond_destroy(&halos->wake);
  pthread_mutex_destroy(&halos->lock);
  op2i_free(halos->sends);
  op2i_free(halos->recvs);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void wake(struct op2i_halo_tasks *halos) {
  pthread_mutex_lock(&halos->lock);
  pthread_cond_signal(&halos->wake);
  pthread_mutex_unlock(&halos->lock);
}

static void packed(struct op2i_halo_tasks *halos, const struct op2i_step *step) {
  int64_t d = 0;
  while (halos->sends[d].step != step) d++;
  if (__atomic_sub_fetch(&halos->sends[d].packs, 1, __ATOMIC_ACQ_REL) == 0) wake(halos);
}

void op2i_halo_tasks_ended(struct op2i_halo_tasks *halos, const struct op2i_step *step,
                           enum op2i_task_kind kind) {
  if (kind == OP2I_TASK_PACK) packed(halos, step);
  if (!halos->nrecvs) return;
  if (__atomic_add_fetch(&halos->ended, 1, __ATOMIC_RELAXED) ==
      __atomic_load_n(&halos->free, __ATOMIC_RELAXED)) {
    __atomic_store_n(&halos->idle_since, op2i_nanoseconds(), __ATOMIC_RELAXED);
    wake(halos);
  }
}

/* ---- the thread that submits ----------------------------------------------------------------- */

bool op2i_halo_tasks_holds(const struct op2i_halo_tasks *halos, int64_t task) {
  for (int64_t a = 0; a < halos->nrecvs; a++)
    if (halos->recvs[a].first <= task && task < halos->recvs[a].end) return !halos->recvs[a].over;
  return false;
}

static op2_status start(struct op2i_step *step) {
  return step->convoy ? op2i_convoy_start(step->convoy) : op2i_exchange_start(step->exchange);
}

static op2_status is_over(struct op2i_step *step, bool *over) {
  return step->convoy ? op2i_convoy_over(step->convoy, false, over)
                      : op2i_exchange_over(step->exchange, false, over);
}

static bool can_start(const struct op2i_halo_tasks *halos) {
  return halos->started < halos->nsends &&
         __atomic_load_n(&halos->sends[halos->started].packs, __ATOMIC_ACQUIRE) == 0;
}

/* Count the time in which all workers were idle because the first exchange was not over. */
static void count_wait(struct op2i_halo_tasks *halos, const struct op2i_step *step) {
  int64_t now = op2i_nanoseconds();
  int64_t since = __atomic_exchange_n(&halos->idle_since, 0, __ATOMIC_RELAXED);
  if (since && step->exchange) op2i_exchange_waited(step->exchange, since);
  int64_t a = 0;
  while (a < halos->nrecvs && halos->recvs[a].over) a++;
  __atomic_store_n(&halos->free, halos->list->free[a], __ATOMIC_RELAXED);
  if (__atomic_load_n(&halos->ended, __ATOMIC_RELAXED) == halos->list->free[a])
    __atomic_store_n(&halos->idle_since, now, __ATOMIC_RELAXED);
}

static op2_status finish_receive(struct op2i_halo_tasks *halos, struct op2i_halo_recv *recv,
                                 op2i_halo_tasks_release *release, void *closure) {
  recv->over = true;
  halos->nreceived++;
  if (recv == halos->recvs || recv[-1].over) count_wait(halos, recv->step);
  return release(closure, recv->first, recv->end);
}

/* *in_flight: true if an exchange is in flight. */
static op2_status test_receives(struct op2i_halo_tasks *halos, bool *in_flight,
                                op2i_halo_tasks_release *release, void *closure) {
  op2_status status = OP2_SUCCESS;
  *in_flight = false;
  for (int64_t a = 0; a < halos->nrecvs && !status; a++) {
    struct op2i_halo_recv *recv = &halos->recvs[a];
    bool over;
    if (recv->over || recv->send >= halos->started) continue;
    status = is_over(recv->step, &over);
    if (!status && over) status = finish_receive(halos, recv, release, closure);
    *in_flight = *in_flight || !over;
  }
  return status;
}

/* Watch for ranks that do not answer, while workers have nothing else to do and the first exchange
 * in flight is waited for. */
static op2_status watch(struct op2i_halo_tasks *halos, struct op2i_wait *wait, int64_t *watched) {
  enum { EVERY_NS = 50000000 };
  const int64_t now = op2i_nanoseconds();
  bool idle = __atomic_load_n(&halos->idle_since, __ATOMIC_RELAXED) != 0;
  if (!idle) *wait = (struct op2i_wait){0};
  if (!*watched) *watched = now;
  if (now - *watched < EVERY_NS) return OP2_SUCCESS;
  *watched = now;
  int64_t a = 0;
  while (a < halos->nrecvs && (halos->recvs[a].over || halos->recvs[a].send >= halos->started)) a++;
  if (a == halos->nrecvs) return OP2_SUCCESS;
  const struct op2i_step *step = halos->recvs[a].step;
  return step->convoy ? op2i_allreduce_waits(&step->convoy->travel, wait)
                      : op2i_exchange_waits(step->exchange, wait);
}

/* True if every exchange is over that tasks below `until` begin or end. */
static bool settled(const struct op2i_halo_tasks *halos, int64_t until) {
  if (until >= halos->list->ntasks)
    return halos->started == halos->nsends && halos->nreceived == halos->nrecvs;
  for (int64_t a = 0; a < halos->nrecvs; a++)
    if (!halos->recvs[a].over && halos->recvs[a].first < until) return false;
  return true;
}

/* Sleep until rows are packed; or, while messages are in flight, for a moment. That gets
 * longer each time, as a thread that wakes up takes a core from a worker, until workers
 * have nothing else to do. */
static void sleep_until_ready(struct op2i_halo_tasks *halos, bool in_flight, int64_t *sleep_ns) {
  enum { SHORTEST_NS = 20000, LONGEST_NS = 400000, NS_PER_S = 1000000000 };
  bool idle = __atomic_load_n(&halos->idle_since, __ATOMIC_RELAXED) != 0;
  *sleep_ns = idle || *sleep_ns == 0   ? SHORTEST_NS
              : *sleep_ns < LONGEST_NS ? 2 * *sleep_ns
                                       : *sleep_ns;
  int64_t until = op2i_nanoseconds() + *sleep_ns;
  struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
                              .tv_nsec = (long)(until % NS_PER_S)};
  pthread_mutex_lock(&halos->lock);
  while (!can_start(halos))
    if (!in_flight)
      pthread_cond_wait(&halos->wake, &halos->lock);
    else if (pthread_cond_timedwait(&halos->wake, &halos->lock, &deadline) || !idle)
      break;
  pthread_mutex_unlock(&halos->lock);
}

static op2_status give_up(struct op2i_halo_tasks *halos, op2_status status,
                          op2i_halo_tasks_release *release, void *closure) {
  for (int64_t a = 0; a < halos->nrecvs; a++) {
    struct op2i_halo_recv *recv = &halos->recvs[a];
    if (!recv->over) (void)release(closure, recv->first, recv->end);
    recv->over = true;
  }
  halos->started = halos->nsends;
  halos->nreceived = halos->nrecvs;
  return status;
}

op2_status op2i_halo_tasks_progress(struct op2i_halo_tasks *halos, bool wait, int64_t until,
                                    op2i_halo_tasks_release *release, void *closure) {
  op2_status status = OP2_SUCCESS;
  bool in_flight = false;
  int64_t sleep_ns = 0, watched = 0;
  struct op2i_wait waits = {0};
  if (halos->started == halos->nsends && halos->nreceived == halos->nrecvs) return OP2_SUCCESS;
  for (;;) {
    while (can_start(halos) && !status) status = start(halos->sends[halos->started++].step);
    if (!status) status = test_receives(halos, &in_flight, release, closure);
    bool done = !status && (!wait || settled(halos, until));
    if (!status && !done && in_flight) status = watch(halos, &waits, &watched);
    if (status) return give_up(halos, status, release, closure);
    if (done) return OP2_SUCCESS;
    sleep_until_ready(halos, in_flight, &sleep_ns);
  }
}

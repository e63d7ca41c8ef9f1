/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU for all contexts of the process: it is started once, with workers on this process's cores,
 * and shut down when no context uses it any more. */
#define _GNU_SOURCE
#include "config.h"

#if OP2_HAVE_STARPU

#include <pthread.h>
#include <sched.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context.h"
#include "error.h"
#include "last_threads.h"
#include "log.h"
#include "machine.h"
#include "numa.h"
#include "process.h"
#include "starpu_pool.h"
#include "starpu_start.h"

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int users, threads_wanted, threads_running;
static struct op2i_idle idle;
static struct op2i_team team;
/* The system's number of each member's processing unit, or -1 */
static int team_cpus[OP2I_TEAM_MOST], team_nodes[OP2I_TEAM_MOST];
/* Each worker's share in the team, by the worker's id; -1: none */
static int shares_of[STARPU_NMAXWORKERS];
static int hook;          /* StarPU's number of between_tasks(); below 0: it is not registered */
static bool team_is_open; /* the team is open and workers have their shares */
static int visitors;      /* workers that are in between_tasks() */
/* Nanoseconds that workers look for a team's next program before they sleep */
enum { LINGER_NS = 100000 };
static bool lost; /* true in a forked child of a process where StarPU ran */
static bool over; /* StarPU was shut down since only its workers were left: see last_threads.h */

/* StarPU's structures change size with its configure options while its SONAME stays the same: a
 * library that differs from these headers would write past our structure. */
static bool abi_matches(void) {
  enum { ROOM = 16384, POISON = 0xA5 };
  static _Alignas(64) unsigned char buffer[ROOM];
  memset(buffer, POISON, ROOM);
  starpu_conf_init((struct starpu_conf *)(void *)buffer);
  size_t touched = ROOM;
  while (touched > 0 && buffer[touched - 1] == POISON) touched--;
  return touched <= sizeof(struct starpu_conf) && touched + 64 > sizeof(struct starpu_conf);
}

/* Workers stay alive if the program itself uses StarPU, and one may still be in between_tasks(). A
 * worker that enters too late to be seen here finds everything closed. */
static void wait_for_visitors(void) {
  const struct timespec moment = {.tv_nsec = 50000};
  while (__atomic_load_n(&visitors, __ATOMIC_ACQUIRE) > 0) nanosleep(&moment, NULL);
}

/* Workers that find no task call the hook until they end, so that none of them spins on the core of
 * the thread that ends them. */
static void close_idle(void) {
  op2i_idle_close(&idle);
  __atomic_store_n(&team_is_open, false, __ATOMIC_RELEASE);
  starpu_shutdown();
  if (hook >= 0) starpu_progression_hook_deregister(hook);
  wait_for_visitors();
  op2i_team_destroy(&team);
  op2i_idle_destroy(&idle);
}

/* Only StarPU's workers are left, and no process ends while a thread runs, so StarPU is shut down.
 * Programs that exit handlers run from now on run in the calling thread. */
static void end_with_threads(void) {
  pthread_mutex_lock(&pool_lock);
  if (users > 0 && !over) {
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    close_idle();
  }
  pthread_mutex_unlock(&pool_lock);
}

static bool others_wait(void) { return starpu_task_nready() > 0; }

static void visit(void) {
  int64_t calls = op2i_idle_calls(&idle);
  if (!__atomic_load_n(&team_is_open, __ATOMIC_ACQUIRE)) { /* StarPU starts, or ends */
    op2i_idle_park(&idle, calls);
    return;
  }
  int worker = starpu_worker_get_id();
  bool no_program = op2i_idle_no_program(&idle), others = no_program && others_wait();
  if (no_program && !others && worker >= 0) op2i_team_help(&team, &idle, shares_of[worker]);
  if (no_program && !others) op2i_last_threads_look(worker, end_with_threads);
  if (!others) op2i_idle_park(&idle, calls);
}

/* StarPU calls this between tasks, and repeatedly while there is none. */
static unsigned between_tasks(void *unused) {
  (void)unused;
  __atomic_add_fetch(&visitors, 1, __ATOMIC_SEQ_CST);
  visit();
  __atomic_sub_fetch(&visitors, 1, __ATOMIC_RELEASE);
  return 1;
}

static int system_number(int logical) {
  const struct op2i_machine *machine = op2i_machine();
  int n = 0;
  while (n < machine->ncpus && machine->cpus[n] != logical) n++;
  return n < machine->ncpus ? machine->system[n] : -1;
}

static bool has_member(int cpu, int members) {
  for (int m = 0; m < members; m++)
    if (cpu >= 0 && team_cpus[m] == cpu) return true;
  return false;
}

/* Give shares in the team to one worker of each processing unit, and to no more workers than there
 * are cores: more of them would take time from those that they wait for. */
static int give_shares(void) {
  int ids[STARPU_NMAXWORKERS], members = 0;
  int n = (int)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, STARPU_NMAXWORKERS);
  for (int w = 0; w < STARPU_NMAXWORKERS; w++) shares_of[w] = -1;
  for (int w = 0; w < n && members < OP2I_TEAM_MOST && members < op2i_machine()->cores; w++) {
    int cpu = system_number(starpu_worker_get_bindid(ids[w]));
    if (has_member(cpu, members)) continue;
    team_cpus[members] = cpu;
    shares_of[ids[w]] = members++;
  }
  return members;
}

/* Register the hook. The thread that starts StarPU does this before there are workers, so that they
 * sleep from the first moment on when they have nothing to do. */
static void add_hook(void) { hook = starpu_progression_hook_register(between_tasks, NULL); }

/* Threads that wait for programs and workers that look for tasks share the cores, so workers sleep
 * at once unless there are more cores than workers. */
static void open_idle(op2_context ctx, int threads) {
  bool crowded = threads >= op2i_machine()->cores;
  op2i_idle_open(&idle, crowded ? 0 : ctx->config.idle_ms);
  op2i_last_threads_forget();
  hook = -1;
}

/* Members look for blocks on their own NUMA node first. The first user of StarPU decides. */
static void give_nodes(op2_context ctx) {
  bool known = ctx->config.numa != 0 && (ctx->config.numa == 1 || op2i_machine()->nodes > 1);
  for (int m = 0; m < team.members && known; m++) {
    team_nodes[m] = op2i_numa_node(team_cpus[m]);
    known = team_nodes[m] >= 0;
  }
  team.nodes = known ? team_nodes : NULL;
}

static op2_status open_team(op2_context ctx) {
  if (hook < 0) add_hook(); /* the program had started StarPU before */
  op2i_team_open(&team, give_shares(), ctx->config.idle_ms ? LINGER_NS : 0, others_wait);
  give_nodes(ctx);
  __atomic_store_n(&team_is_open, true, __ATOMIC_RELEASE);
  if (hook >= 0) return OP2_SUCCESS;
  close_idle();
  return op2i_error(OP2_ERR_UNAVAILABLE, "StarPU has no progression hook left");
}

/* Warn if StarPU has fewer workers than were wanted, because of a limit of its build or for
 * another reason. */
static void warn_of_missing_workers(op2_context ctx, int threads) {
  if (threads > STARPU_MAXCPUS)
    op2i_log(ctx, OP2I_LOG_WARN,
             "%d CPU workers wanted, StarPU gives %d: this build of StarPU has at most %d "
             "(OP2_BACKEND=openmp has as many as there are cores; so has a StarPU that was "
             "configured with --enable-maxcpus=%d, once op2 is built with it)",
             threads, threads_running, STARPU_MAXCPUS, threads);
  else
    op2i_log(
        ctx, OP2I_LOG_WARN,
        "%d CPU workers wanted, StarPU gives %d: the program had started it before, or it sees "
        "fewer cores (OP2_BACKEND=openmp has as many workers as are wanted)",
        threads, threads_running);
}

/* Start StarPU in the environment that start_starpu() has set up. */
static op2_status start_aside(op2_context ctx, int threads) {
  if (!abi_matches())
    return op2i_error(
        OP2_ERR_UNAVAILABLE,
        "the StarPU library found at run time has another ABI than the one op2 was built with");
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.precedence_over_environment_variables = 1;
  conf.catch_signals = 0;
  conf.ncpus = threads < STARPU_MAXCPUS ? threads : STARPU_MAXCPUS;
  conf.ncuda = 0;
  conf.nopencl = 0;
  conf.bus_calibrate = 0;
  const struct op2i_machine *machine = op2i_machine();
  conf.use_explicit_workers_bindid = machine->ncpus > 0;
  for (int w = 0; w < STARPU_NMAXWORKERS && machine->ncpus > 0; w++)
    conf.workers_bindid[w] = (unsigned)machine->cpus[w % machine->ncpus];
  open_idle(ctx, conf.ncpus);
  int failed = op2i_starpu_start(&conf, add_hook);
  if (failed) {
    op2i_idle_destroy(&idle);
    return op2i_error(OP2_ERR_UNAVAILABLE, "StarPU could not be started: %s", strerror(-failed));
  }
  threads_wanted = threads;
  threads_running = (int)starpu_cpu_worker_get_count();
  if (threads_running < threads) warn_of_missing_workers(ctx, threads);
  return open_team(ctx);
}

static op2_status start_starpu(op2_context ctx, int threads) {
  struct op2i_starpu_home home;
  op2_status status = op2i_starpu_check_variables();
  if (!status) status = op2i_starpu_find_home(ctx, &home);
  if (!status) status = op2i_starpu_set_aside(ctx, &home);
  if (status) return status;
  status = start_aside(ctx, threads);
  op2i_starpu_put_back();
  return status;
}

/* The child of a fork has no workers, and locks that they and other threads held stay locked. */
static void in_child(void) {
  if (pthread_mutex_trylock(&pool_lock) || users > 0) lost = true;
  pool_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, in_child); }

/* Fail in a child of a process where StarPU ran. If StarPU runs in a child while this library has
 * users there, it was started in the child. */
static op2_status check_process(void) {
  if (!lost && (users > 0 || !op2i_process_forked() || !starpu_is_initialized()))
    return OP2_SUCCESS;
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "StarPU ran in the process that this one was forked from, and cannot be used "
                    "in the child: backends sequential and openmp can, and StarPU can where the "
                    "parent starts it after the fork");
}

op2_status op2i_starpu_acquire(op2_context ctx, int threads, int *workers) {
  static pthread_once_t watched = PTHREAD_ONCE_INIT;
  pthread_once(&watched, watch_forks);
  pthread_mutex_lock(&pool_lock);
  op2_status status = check_process();
  if (!status && over)
    status = op2i_error(OP2_ERR_UNAVAILABLE, "StarPU has ended: the process is about to");
  else if (!status && users == 0)
    status = start_starpu(ctx, threads);
  else if (!status && threads != threads_wanted)
    op2i_log(ctx, OP2I_LOG_WARN,
             "%d CPU workers wanted, but StarPU already runs %d for another context", threads,
             threads_running);
  if (!status) {
    users++;
    *workers = threads_running;
  }
  pthread_mutex_unlock(&pool_lock);
  return status;
}

void op2i_starpu_release(void) {
  pthread_mutex_lock(&pool_lock);
  if (--users == 0 && !over) close_idle();
  pthread_mutex_unlock(&pool_lock);
}

bool op2i_starpu_over(void) { return __atomic_load_n(&over, __ATOMIC_ACQUIRE); }

void op2i_starpu_processors(int workers, int *numbers) {
  int ids[STARPU_NMAXWORKERS];
  int n = op2i_starpu_over()
              ? 0
              : (int)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, STARPU_NMAXWORKERS);
  for (int w = 0; w < workers; w++)
    numbers[w] = w < n ? system_number(starpu_worker_get_bindid(ids[w])) : -1;
}

struct op2i_idle *op2i_starpu_idle(void) {
  return &idle;
}

struct op2i_team *op2i_starpu_team(void) {
  return &team;
}

int op2i_starpu_share_here(void) {
  int here = sched_getcpu();
  for (int m = 0; m < team.members && here >= 0; m++)
    if (team_cpus[m] == here) return m;
  return 0;
}

#endif

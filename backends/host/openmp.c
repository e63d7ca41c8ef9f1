/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads by OpenMP: a parallel region runs loops that follow each other, one turn of blocks after
 * the other. Results depend on the plan, not on the number of threads. */
#include "config.h"

#include <pthread.h>
#include <string.h>

#include "affinity.h"
#include "backend.h"
#include "clock.h"
#include "comm.h"
#include "context.h"
#include "env.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "loop.h"
#include "machine.h"
#include "mem.h"
#include "numa.h"
#include "partial.h"
#include "plan.h"
#include "process.h"
#include "registry.h"
#include "schedule.h"
#include "share.h"
#include "trace.h"
#include "tree.h"

#if OP2_HAVE_OPENMP && defined(_OPENMP)
#include <omp.h>

/* A loop with less data than this ends before a team of threads could begin: entering and leaving a
 * parallel region costs one to several microseconds. Loops that together took less than TEAM_NS and
 * THREAD_NS for each thread are run without. */
enum { TEAM_BYTES = 64 * 1024, TEAM_NS = 4000, THREAD_NS = 100 };

/* The number of blocks of a turn that were taken of a member's share. What several members write is
 * two cache lines apart, since processors fetch lines in pairs. */
struct taken {
  int32_t blocks;
  char space[128 - sizeof(int32_t)];
};

/* Up to FEW members wait at OpenMP's barrier and look at one another's shares. More of them wait in
 * a tree, and see by a tally of the shares that have been emptied where blocks are left (tree.h). */
enum { FEW = OP2I_TREE_ARITY, SPIN_NS = 100000 };

struct team {
  int threads;
  int64_t spin_ns; /* how long a member spins in the tree before it sleeps */
  struct op2i_barrier_node *barrier;
  struct op2i_tally_node *emptied; /* both are null for a team of up to FEW */
  bool always;   /* True if a team is used even where it does not pay: for tests */
  bool recorded; /* True if what members take is noted (schedule.h) */
  /* [2][threads]: members set to 0 in one turn what they use in the next */
  struct taken taken[];
};

/* Loops that follow each other, and the thread's place among those that OpenMP gave for them. */
struct part {
  struct team *team;
  struct op2i_step *steps;
  int64_t nsteps;
  int64_t me, all;
  const int *nodes;       /* [all]: the members' NUMA nodes; null: they do not matter */
  struct op2i_comm *comm; /* the calling thread, which is number 0, progresses messages; or null */
  struct op2i_trace *trace; /* the context's timeline, or null */
  uint64_t turn;            /* the number of turns so far */
  uint32_t barriers;        /* the number of barriers in the tree so far */
  bool apart;               /* True if members may still be busy with what was last, */
  bool alone;               /* and only the first one. */
  int64_t came;             /* nanoseconds when the thread came to the turn */
  int64_t busy;             /* nanoseconds in the last turn, which are to be added to its step */
  struct op2i_step *last;   /* that step; null if there is nothing to be added */
};

static const char *unavailable(void) { return NULL; }

/* A second OpenMP runtime in the process may use only the place to which the first one has bound
 * the thread that starts the second. */
static void warn_of_places(op2_context ctx, int threads) {
  int cores = op2i_machine()->cores;
  if (omp_get_proc_bind() == omp_proc_bind_false || omp_get_num_places() < 1) return;
  int places = omp_get_num_places();
  if (places < threads && places < cores)
    op2i_log(ctx, OP2I_LOG_WARN,
             "%d OpenMP threads share %d of %d cores (OMP_PROC_BIND or the like is set); where op2 "
             "and the program are built by different compilers, each brings an OpenMP of its own",
             threads, places, cores);
}

/* A member that has no CPU of its own does not spin, nor does one that OpenMP's members would not
 * spin beside. */
static int64_t spin_ns(int threads) {
  const char *policy = op2i_env_system("OMP_WAIT_POLICY");
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  if (policy && (policy[0] == 'p' || policy[0] == 'P')) return 0;
  return threads > op2i_process_cpus(numbers, &narrow) ? 0 : SPIN_NS;
}

static bool open_tree(struct team *team) {
  const size_t nodes = (size_t)op2i_tree_nodes(team->threads);
  if (team->threads <= FEW) return true;
  team->spin_ns = spin_ns(team->threads);
  team->barrier = op2i_calloc(nodes, sizeof *team->barrier);
  team->emptied = op2i_calloc(nodes, sizeof *team->emptied);
  return team->barrier && team->emptied;
}

static void close_state(void *state) {
  struct team *team = state;
  op2i_free(team->barrier);
  op2i_free(team->emptied);
  op2i_free(team);
}

static op2_status open_state(op2_context ctx, void **state) {
  const int asked = op2i_threads_asked(ctx), threads = asked > 0 ? asked : op2i_machine()->cores;
  struct team *team = op2i_calloc(1, sizeof *team + 2 * (size_t)threads * sizeof *team->taken);
  if (!team) return op2i_error_nomem("the openmp backend");
  team->threads = threads;
  team->always = ctx->config.chunk_us == 0;
  if (!open_tree(team)) {
    close_state(team);
    return op2i_error_nomem("the openmp backend");
  }
  warn_of_places(ctx, team->threads);
  *state = team;
  return OP2_SUCCESS;
}

static int workers(void *state) { return ((const struct team *)state)->threads; }

/* ---- one turn -------------------------------------------------------------------------------- */

static int64_t share_begin(const struct part *part, int32_t blocks, int64_t member) {
  return op2i_share_begin(blocks, (int)part->all, (int)member);
}

static bool are_many(const struct part *part) { return part->all > FEW; }

/* The number of the turn for a tally. */
static uint32_t tally_turn(const struct part *part) { return (uint32_t)part->turn + 1; }

static struct taken *taken_of(const struct part *part, uint64_t turn, int64_t member) {
  return &part->team->taken[(int64_t)(turn & 1) * part->team->threads + member];
}

/* The number of blocks that are taken at a time: those that run by one call are taken in four
 * pieces, so that something is left for members that are early. */
static int32_t together(const struct part *part, const struct op2i_step *step, int64_t share) {
  enum { PIECES = 4 };
  return part->comm || !op2i_step_joins_blocks(step) ? 1 : (int32_t)((share + PIECES - 1) / PIECES);
}

/* Note that the thread has run these blocks of a member's share, or none: its stay in the turn. */
static void note(const struct part *part, const struct op2i_step *step, int64_t owner,
                 int32_t first, int32_t n, int64_t begin) {
  op2i_schedule_note((int)part->me, (struct op2i_schedule_event){.step = step,
                                                                 .owner = (int32_t)owner,
                                                                 .first = first,
                                                                 .n = n,
                                                                 .came = part->came,
                                                                 .begin = begin,
                                                                 .end = op2i_nanoseconds()});
}

/* Show in the timeline that the thread has run blocks of the step. */
static void trace(const struct part *part, const struct op2i_step *step, int64_t begin,
                  int64_t end) {
  if (part->trace)
    op2i_trace_loop(part->trace, OP2I_TRACK_WORKER + (int)part->me, step->loop->profile.what, begin,
                    end);
}

/* Note that no block of a member's share is left to take, of n blocks in the turn. */
static void note_emptied(const struct part *part, int32_t n, int64_t member) {
  int64_t unused;
  if (!are_many(part)) return;
  const int64_t blocks = share_begin(part, n, member + 1) - share_begin(part, n, member);
  const struct op2i_count count = {.member = (int)member, .n = (int32_t)blocks};
  (void)op2i_tally_add(part->team->emptied, (int)part->all, tally_turn(part), n, count, &unused);
}

/* Run blocks of a member's share as long as there are any; first and n are those of the turn. */
static void take_all(const struct part *part, const struct op2i_step *step, int32_t first,
                     int32_t n, int64_t member) {
  const int64_t begin = share_begin(part, n, member), end = share_begin(part, n, member + 1);
  const int32_t most = together(part, step, end - begin);
  int32_t *taken = &taken_of(part, part->turn, member)->blocks;
  while (begin + __atomic_load_n(taken, __ATOMIC_RELAXED) < end) {
    const int64_t at = begin + __atomic_fetch_add(taken, most, __ATOMIC_RELAXED);
    if (at >= end) return;
    const int64_t start = part->team->recorded ? op2i_nanoseconds() : 0;
    const int32_t taken_now = (int32_t)(at + most < end ? most : end - at);
    if (at + taken_now == end) note_emptied(part, n, member);
    op2i_step_run_blocks(step, first + (int32_t)at, first + (int32_t)at + taken_now);
    if (part->team->recorded) note(part, step, member, first + (int32_t)at, taken_now, start);
    if (part->comm) op2i_comm_progress(part->comm);
  }
}

/* True if the turn has blocks that no member has taken. */
static bool any_left(const struct part *part, int32_t n) {
  if (are_many(part))
    return !op2i_tally_is_full(part->team->emptied, (int)part->all, tally_turn(part), n);
  for (int64_t m = 0; m < part->all; m++)
    if (share_begin(part, n, m) +
            __atomic_load_n(&taken_of(part, part->turn, m)->blocks, __ATOMIC_RELAXED) <
        share_begin(part, n, m + 1))
      return true;
  return false;
}

/* Blocks of others would be in the wrong cache, now and in the next loop. So they are left for a
 * third of the time that the own ones took, unless that was longer than for what a cache holds.
 * True if there are some then. */
static bool others_late(const struct part *part, int32_t n, int64_t own) {
  enum { CACHED_NS = 200000, PATIENCE = 3 };
  const int64_t until = op2i_nanoseconds() + (own < CACHED_NS ? own / PATIENCE : 0);
  bool left;
  do left = any_left(part, n);
  while (left && op2i_nanoseconds() < until);
  return left;
}

static void add_busy(struct part *part) {
  if (part->last) __atomic_fetch_add(&part->last->time.nanoseconds, part->busy, __ATOMIC_RELAXED);
  part->last = NULL;
}

/* The times of members are added up in the tree, since they would take turns at the step's line. */
static void wait_in_tree(struct part *part) {
  int64_t nothing = 0;
  op2i_barrier_wait(part->team->barrier, (int)part->all, (int)part->me, ++part->barriers,
                    part->team->spin_ns, part->last ? part->busy : 0,
                    part->last ? &part->last->time.nanoseconds : &nothing);
  part->last = NULL;
}

/* Wait until all members have done what they were busy with. The end of the region waits by itself. */
static void wait_for_all(struct part *part) {
  if (part->apart && are_many(part)) {
    wait_in_tree(part);
  } else if (part->apart) {
    add_busy(part);
#pragma omp barrier
  }
  part->apart = part->alone = false;
}

/* Run blocks of other members' shares, of which those are passed over that are known to be empty. */
static void take_in_pass(const struct part *part, const struct op2i_step *step, int32_t first,
                         int32_t n, int pass) {
  for (int64_t m = 1; m < part->all; m++) {
    const int64_t owner = (part->me + m) % part->all;
    const int passed = are_many(part) ? op2i_tally_passed(part->team->emptied, (int)part->all,
                                                          tally_turn(part), n, (int)owner)
                                      : 0;
    if (passed)
      m += passed - 1;
    else if (op2i_numa_in_pass(part->nodes, (int)part->me, (int)owner, pass))
      take_all(part, step, first, n, owner);
  }
}

static void take_others(const struct part *part, const struct op2i_step *step, int32_t first,
                        int32_t n) {
  take_in_pass(part, step, first, n, 0);
  if (part->nodes) take_in_pass(part, step, first, n, 1);
}

/* Run the member's own blocks of a turn, then those of others that are late, until all have run. */
static void run_turn(struct part *part, struct op2i_step *step, int32_t first, int32_t n) {
  wait_for_all(part);
  const int64_t start = op2i_nanoseconds();
  part->came = start;
  taken_of(part, part->turn + 1, part->me)->blocks = 0;
  take_all(part, step, first, n, part->me);
  const int64_t end = op2i_nanoseconds();
  int64_t busy = end - start;
  trace(part, step, start, end);
  if (part->all > 1 && others_late(part, n, busy)) {
    const int64_t again = op2i_nanoseconds();
    take_others(part, step, first, n);
    const int64_t over = op2i_nanoseconds();
    busy += over - again;
    trace(part, step, again, over);
  }
  part->busy = busy;
  part->last = step;
  if (part->team->recorded) note(part, step, part->me, first, OP2I_SCHEDULE_STAY, start);
  part->turn++;
  part->apart = true;
}

/* ---- loops that follow each other ------------------------------------------------------------ */

static bool is_empty(const struct op2i_step *step) { return step->hi <= step->lo; }

/* True if one thread runs the loop, since a team would take longer. */
static bool is_alone(const struct team *team, const struct op2i_step *step) {
  return !team->always &&
         (step->plan->nblocks == step->plan->ncolors || step->loop->bytes < TEAM_BYTES);
}

static void combine(const struct part *part, struct op2i_step *step) {
  const int64_t start = part->team->recorded ? op2i_nanoseconds() : 0;
  op2i_step_combine(step, step->plan->nblocks);
  if (part->team->recorded && step->values.partials)
    note(part, step, part->me, 0, OP2I_SCHEDULE_FOLD, start);
}

static void run_alone(struct part *part, struct op2i_step *step) {
  struct op2i_comm *comm = part->comm;
  const int32_t n = step->plan->nblocks, piece = comm ? 1 : n;
  const int64_t start = op2i_nanoseconds();
  part->came = start;
  for (int32_t i = 0; i < n; i += piece) {
    op2i_step_run_blocks(step, i, i + piece);
    if (comm) op2i_comm_progress(comm);
  }
  const int64_t end = op2i_nanoseconds();
  step->time.nanoseconds = end - start;
  trace(part, step, start, end);
  if (part->team->recorded) note(part, step, part->me, 0, n, start);
  combine(part, step);
}

static void run_shared(struct part *part, struct op2i_step *step) {
  const struct op2i_plan *plan = step->plan;
  for (int32_t t = 0; t < plan->ncolors; t++)
    run_turn(part, step, plan->color_offs[t], plan->color_offs[t + 1] - plan->color_offs[t]);
  if (!step->values.partials) return;
  wait_for_all(part);
  if (part->me == 0) combine(part, step);
  part->apart = part->alone = true;
}

/* Each member of the team runs this. The first one runs the loops for one thread. */
static void run_part(struct part *part) {
  OP2I_FP_DEFAULT; /* the program uses these threads, too */
  for (struct op2i_step *step = part->steps; step < part->steps + part->nsteps; step++) {
    if (is_empty(step)) continue;
    if (!is_alone(part->team, step)) {
      run_shared(part, step);
      continue;
    }
    if (!part->alone) wait_for_all(part);
    if (part->me == 0) run_alone(part, step);
    part->apart = part->alone = true;
  }
  add_busy(part);
}

/* The team has as many members as OpenMP gives, which may be fewer than were asked for. */
static void run_together(struct team *team, struct op2i_step *steps, int64_t nsteps, int threads) {
  for (int m = 0; m < threads; m++) team->taken[m].blocks = 0; /* of the first turn */
  if (threads > FEW) {
    memset(team->emptied, 0, (size_t)op2i_tree_nodes(threads) * sizeof *team->emptied);
    op2i_barrier_open(team->barrier, threads);
  }
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    const struct op2i_numa *numa = steps->loop->op.ctx->numa;
    struct part part = {.team = team,
                        .steps = steps,
                        .nsteps = nsteps,
                        .me = me,
                        .all = omp_get_num_threads(),
                        .nodes = numa && numa->members >= omp_get_num_threads() ? numa->node : NULL,
                        .comm = me == 0 ? steps->loop->op.ctx->comm : NULL,
                        .trace = steps->loop->op.ctx->trace};
    run_part(&part);
  }
}

/* True if the loops that a team would run took less time the last time than its parallel region
 * costs. */
static bool are_short(const struct team *team, const struct op2i_step *steps, int64_t nsteps) {
  int64_t ns = 0;
  for (const struct op2i_step *step = steps; step < steps + nsteps; step++) {
    if (is_empty(step) || is_alone(team, step)) continue;
    if (team->always || step->time.before == 0) return false;
    ns += step->time.before;
  }
  return ns < TEAM_NS + (int64_t)team->threads * THREAD_NS;
}

/* A parallel region of one thread would cost a microsecond, too. */
static void run_here(struct team *team, struct op2i_step *steps, int64_t nsteps) {
  OP2I_FP_DEFAULT;
  const op2_context ctx = steps->loop->op.ctx;
  struct part part = {.team = team, .all = 1, .comm = ctx->comm, .trace = ctx->trace};
  for (struct op2i_step *step = steps; step < steps + nsteps; step++)
    if (!is_empty(step)) run_alone(&part, step);
}

static void find_numbers(int *numbers, int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(static, 1)
  for (int t = 0; t < threads; t++) numbers[t] = op2i_bound_cpu();
}

/* OpenMP libraries keep a team for each thread that had one. After a fork the child's thread finds
 * the parent's team and waits for threads that do not exist; a new thread makes a new team. */
struct errand {
  struct team *team;
  struct op2i_step *steps; /* null: find the numbers of the processors */
  int64_t nsteps;
  int *numbers;
  int threads;
};

static void *run_errand(void *errand) {
  const struct errand *e = errand;
  if (!e->steps)
    find_numbers(e->numbers, e->threads);
  else if (e->threads < 2)
    run_here(e->team, e->steps, e->nsteps);
  else
    run_together(e->team, e->steps, e->nsteps, e->threads);
  return NULL;
}

static void run_team(struct errand errand) {
  pthread_t thread;
  if (errand.threads < 2 || !op2i_process_forked()) {
    run_errand(&errand);
  } else if (!pthread_create(&thread, NULL, run_errand, &errand)) {
    pthread_join(thread, NULL);
  } else {
    errand.threads = 1;
    run_errand(&errand);
  }
}

/* Find the processors on which the runtime puts the threads of a team of this size. */
static void processors(void *state, int *numbers) {
  int threads = ((const struct team *)state)->threads;
  for (int t = 0; t < threads; t++) numbers[t] = -1;
  run_team((struct errand){.numbers = numbers, .threads = threads});
}

static op2_status run_loops(void *state, struct op2i_step *steps, int64_t nsteps) {
  struct team *team = state;
  op2_status status = OP2_SUCCESS;
  const bool alone = are_short(team, steps, nsteps);
  for (struct op2i_step *step = steps; step < steps + nsteps && !status; step++) {
    if (is_empty(step)) continue;
    status = op2i_step_begin(step, step->plan->nblocks);
  }
  if (status) return status;
  const int threads = alone ? 1 : team->threads;
  team->recorded = op2i_schedule_begin("openmp", steps, nsteps, threads);
  const double start = alone ? 0 : op2i_seconds();
  run_team((struct errand){.team = team, .steps = steps, .nsteps = nsteps, .threads = threads});
  if (team->recorded) op2i_schedule_end();
  for (int64_t s = 0; s < nsteps; s++) {
    steps[s].time.seconds = 1e-9 * (double)steps[s].time.nanoseconds;
    steps[s].time.before = steps[s].time.nanoseconds;
    if (alone) steps[s].time.elapsed = steps[s].time.seconds;
  }
  if (!alone) steps->time.elapsed = op2i_seconds() - start;
  return OP2_SUCCESS;
}

#else

static const char *unavailable(void) {
  return "op2 was built without OpenMP (meson option openmp, a compiler with -fopenmp)";
}

static op2_status open_state(op2_context ctx, void **state) {
  (void)ctx;
  (void)state;
  return op2i_error(OP2_ERR_UNAVAILABLE, "backend openmp is not available: %s", unavailable());
}

static void close_state(void *state) { (void)state; }

static int workers(void *state) {
  (void)state;
  return 0;
}

static void processors(void *state, int *numbers) { (void)state, (void)numbers; }

static op2_status run_loops(void *state, struct op2i_step *steps, int64_t nsteps) {
  (void)steps, (void)nsteps;
  return open_state(NULL, &state);
}

#endif

static op2_status run_step(void *state, struct op2i_step *step) {
  return run_loops(state, step, 1);
}

const struct op2i_backend op2i_backend_openmp = {
    .name = "openmp",
    .summary = "threads by OpenMP, the blocks of one colour at a time",
    .variant = OP2I_VECTOR,
    .needs_plan = true,
    .passes = true,
    .unavailable = unavailable,
    .open = open_state,
    .close = close_state,
    .workers = workers,
    .processors = processors,
    .run_step = run_step,
    .run_loops = run_loops,
};

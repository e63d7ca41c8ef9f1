/* SPDX-License-Identifier: BSD-3-Clause */
/* The turns of a team: dealing blocks, taking them, and waiting for the next turn. */
#include "team.h"

#include <time.h>

#include "clock.h"
#include "fpenv.h"
#include "numa.h"
#include "partial.h"
#include "plan.h"
#include "schedule.h"
#include "tasks.h"
#include "trace.h"

/* A share's word has the number of the turn in its upper bits and the number of blocks left in the
 * lower ones. Numbers of turns never come again, so with a word that was read in an earlier turn no
 * block of a later one can be taken. */
enum { LEFT_BITS = 24 };
static const uint64_t left_mask = ((uint64_t)1 << LEFT_BITS) - 1;

enum { SPIN_NS = 100000, NAP_NS = 10000000, NS_PER_S = 1000000000 };

/* Estimated nanoseconds until all members have seen a turn, and its end: a few transfers of a cache
 * line between two cores. Measured on two cores of a Xeon, by turns of blocks of 0.15 to 0.9 us
 * that two members share: 0.7 to 1.0 us at least, which is what these constants make with two
 * members. With more members there are more writes that wait for one another; their time is assumed,
 * and so is that of showing the turn to a further squad, which is one more line. The figures
 * are fixed: beside other processes half of the same turns took 1.5 to 14 us, and a measurement at
 * the start would keep that for the life of the process. They only decide where a team is tried:
 * exec_mode.c compares it with measured times. */
enum { TURN_NS = 800, WRITE_NS = 100 };

void op2i_team_open(struct op2i_team *team, int members, int64_t linger_ns, bool (*others)(void)) {
  pthread_condattr_t attributes;
  *team = (struct op2i_team){.members = members < OP2I_TEAM_MOST ? members : OP2I_TEAM_MOST,
                             .linger = linger_ns,
                             .others = others,
                             .since = op2i_nanoseconds() - linger_ns,
                             .dealt = 1};
  for (int s = 0; s < OP2I_TEAM_SQUADS; s++) team->views[s].turn = 1;
  pthread_mutex_init(&team->busy, NULL);
  pthread_mutex_init(&team->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&team->turned, &attributes);
  pthread_condattr_destroy(&attributes);
}

void op2i_team_destroy(struct op2i_team *team) {
  pthread_cond_destroy(&team->turned);
  pthread_mutex_destroy(&team->lock);
  pthread_mutex_destroy(&team->busy);
}

/* ---- estimated gain of sharing --------------------------------------------------------------- */

bool op2i_team_takes(const struct op2i_step *step) {
  return step->loop && step->where.place != OP2I_DEVICE && !op2i_is_split(step->where.split) &&
         !step->where.nmoves;
}

static int squads_of(int members) { return (members + OP2I_TREE_ARITY - 1) / OP2I_TREE_ARITY; }

/* Nanoseconds that a turn costs. */
static double turn_costs(int members) {
  return TURN_NS + WRITE_NS * (op2i_tree_path(members) + squads_of(members) - 1);
}

/* Nanoseconds that `blocks` blocks of one colour take less if they are shared. */
static double sharing_saves(int32_t blocks, int members, double block_ns) {
  return block_ns * (blocks - (blocks + members - 1) / members);
}

static double block_ns(const struct op2i_step *step) {
  return 1e9 * op2i_program_seconds(step, 1) / (step->plan->nblocks ? step->plan->nblocks : 1);
}

double op2i_team_saves(const struct op2i_step *steps, int64_t nsteps, int members) {
  double saved = 0, costs = 0;
  for (int64_t s = 0; s < nsteps; s++) {
    const struct op2i_plan *plan = steps[s].plan;
    if (!plan || plan->nblocks < 2 || steps[s].where.place == OP2I_DEVICE) continue;
    if (!costs) costs = turn_costs(members);
    const double ns = block_ns(&steps[s]);
    for (int32_t c = 0; c < plan->ncolors; c++) {
      const int32_t blocks = plan->color_offs[c + 1] - plan->color_offs[c];
      const double more = sharing_saves(blocks, members, ns) - costs;
      if (more > 0) saved += more;
    }
  }
  return 1e-9 * saved;
}

/* ---- the turn as squads see it --------------------------------------------------------------- */

static struct op2i_team_view *view_of(struct op2i_team *team, int share) {
  return &team->views[share / OP2I_TREE_ARITY];
}

static uint64_t turn_at(const struct op2i_team_view *view) {
  return __atomic_load_n(&view->turn, __ATOMIC_ACQUIRE);
}

static bool over(uint64_t turn) { return turn & 1; }

/* Show a turn to a squad. */
static void show(struct op2i_team_view *view, const struct op2i_team_view *new) {
  __atomic_store_n(&view->of, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&view->step, new->step, __ATOMIC_RELEASE);
  __atomic_store_n(&view->first, new->first, __ATOMIC_RELEASE);
  __atomic_store_n(&view->blocks, new->blocks, __ATOMIC_RELEASE);
  __atomic_store_n(&view->together, new->together, __ATOMIC_RELEASE);
  __atomic_store_n(&view->of, new->turn, __ATOMIC_RELEASE);
  __atomic_store_n(&view->turn, new->turn, __ATOMIC_RELEASE);
}

/* Show a turn to all squads, the one of the calling thread last: with the end of the program that
 * thread may go on to another one. The addition of 0 is ordered with those by which members begin
 * to sleep: either they see the turn, or they are seen here. */
static void publish(struct op2i_team *team, const struct op2i_team_view *new) {
  const int squads = squads_of(team->members);
  const int last = __atomic_load_n(&team->caller, __ATOMIC_RELAXED) / OP2I_TREE_ARITY;
  for (int s = 1; s <= squads; s++) show(&team->views[(last + s) % squads], new);
  if (__atomic_fetch_add(&team->asleep, 0, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&team->lock);
  pthread_cond_broadcast(&team->turned);
  pthread_mutex_unlock(&team->lock);
}

/* Read what a squad sees of a turn that it saw a moment ago. False if the turn is over. */
static bool read_view(const struct op2i_team_view *view, uint64_t turn,
                      struct op2i_team_view *out) {
  if (over(turn) || __atomic_load_n(&view->of, __ATOMIC_ACQUIRE) != turn) return false;
  *out = (struct op2i_team_view){.turn = turn,
                                 .step = __atomic_load_n(&view->step, __ATOMIC_ACQUIRE),
                                 .first = __atomic_load_n(&view->first, __ATOMIC_ACQUIRE),
                                 .blocks = __atomic_load_n(&view->blocks, __ATOMIC_ACQUIRE),
                                 .together = __atomic_load_n(&view->together, __ATOMIC_ACQUIRE)};
  return __atomic_load_n(&view->of, __ATOMIC_ACQUIRE) == turn;
}

/* ---- distributing blocks --------------------------------------------------------------------- */

/* The number of blocks that a member takes at a time. A call of a loop's code costs about 20 ns, and
 * so does taking a block; with this duration of a call they do not count, and a member that is
 * suspended keeps the others waiting for little. */
static int32_t together(const struct op2i_step *step) {
  enum { CALL_NS = 2000 };
  double ns = block_ns(step);
  if (!op2i_step_joins_blocks(step) || !(ns > 0) || ns >= CALL_NS) return 1;
  return ns * step->plan->nblocks > CALL_NS ? (int32_t)(CALL_NS / ns) : step->plan->nblocks;
}

/* With several squads a turn is over when all its blocks have run and it has been shown to all
 * squads, so that nobody deals the next one meanwhile. True for the later of the two. */
static bool is_second_half(struct op2i_team *team) {
  if (team->members <= OP2I_TREE_ARITY) return true;
  return __atomic_fetch_add(&team->halves, 1, __ATOMIC_ACQ_REL) & 1;
}

/* Deal the blocks of a turn. True if it is already over. */
static bool deal(struct op2i_team *team, int32_t first, int32_t blocks) {
  struct op2i_step *step = &team->steps[team->step];
  const bool several = team->members > OP2I_TREE_ARITY;
  team->dealt = (team->dealt | 1) + 1;
  publish(team, &(struct op2i_team_view){.turn = team->dealt,
                                         .step = step,
                                         .first = first,
                                         .blocks = blocks,
                                         .together = together(step)});
  return several && is_second_half(team);
}

static bool worth_sharing(const struct op2i_team *team, const struct op2i_step *step,
                          int32_t blocks) {
  if (blocks < 2 || (uint64_t)blocks > left_mask) return false;
  return team->always ||
         sharing_saves(blocks, team->members, block_ns(step)) > turn_costs(team->members);
}

static void run_alone(struct op2i_step *step, int32_t first, int32_t last) {
  (void)op2i_task_run(step, OP2I_TASK_CHUNK, first, last);
}

/* Go on to the next turn, or to the end. False if the turn that is dealt is already over. */
static bool deal_next(struct op2i_team *team) {
  while (team->step < team->nsteps) {
    struct op2i_step *step = &team->steps[team->step];
    const struct op2i_plan *plan = step->plan;
    if (++team->colour >= plan->ncolors) {
      op2i_step_combine(step, plan->nblocks);
      team->step++;
      team->colour = -1;
      continue;
    }
    int32_t first = plan->color_offs[team->colour], last = plan->color_offs[team->colour + 1];
    if (worth_sharing(team, step, last - first)) return !deal(team, first, last - first);
    run_alone(step, first, last);
  }
  __atomic_store_n(&team->since, op2i_nanoseconds(), __ATOMIC_RELAXED);
  team->dealt |= 1;
  publish(team, &(struct op2i_team_view){.turn = team->dealt});
  return true;
}

/* One member calls this when a turn is over, and the calling thread when the program begins. */
static void advance(struct op2i_team *team) {
  while (!deal_next(team)) continue;
}

/* ---- running blocks -------------------------------------------------------------------------- */

/* A share in a turn. */
struct range {
  int owner;
  int32_t first, n; /* all its blocks */
};

static struct range range_of(const struct op2i_team *team, const struct op2i_team_view *view,
                             int owner) {
  const int32_t begin = op2i_share_begin(view->blocks, team->members, owner);
  const int32_t end = op2i_share_begin(view->blocks, team->members, owner + 1);
  return (struct range){.owner = owner, .first = view->first + begin, .n = end - begin};
}

static void note_emptied(struct op2i_team *team, const struct op2i_team_view *view,
                         struct range range) {
  int64_t unused;
  const struct op2i_count count = {.member = range.owner, .n = range.n};
  if (team->members <= OP2I_TREE_ARITY) return;
  (void)op2i_tally_add(team->emptied, team->members, (uint32_t)view->turn, view->blocks, count,
                       &unused);
}

/* Take blocks: as many as run together, and at most half of those that are left, so that others can
 * take some. While a block of a turn has not been taken the turn is not over; so what the view says
 * holds if a block could be taken, and nobody takes one in a turn that is over. What was written
 * before the turn was dealt can be read from then on, and stays until the blocks have run. Returns
 * their number. */
static int32_t take_blocks(struct op2i_team *team, const struct op2i_team_view *view,
                           struct range range, int32_t *index) {
  uint64_t *shared = &team->shares[range.owner].word;
  uint64_t word = __atomic_load_n(shared, __ATOMIC_RELAXED);
  for (;;) {
    const uint64_t of = word >> LEFT_BITS;
    const int32_t left = of < view->turn   ? range.n
                         : of > view->turn ? 0
                                           : (int32_t)(word & left_mask);
    if (left == 0) return 0;
    const int32_t half = (left + 1) / 2, n = half < view->together ? half : view->together;
    const uint64_t taken = view->turn << LEFT_BITS | (uint64_t)(left - n);
    if (!__atomic_compare_exchange_n(shared, &word, taken, true, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    if (n == left) note_emptied(team, view, range);
    *index = range.first + range.n - left;
    return n;
  }
}

/* A member in a turn. */
struct visit {
  int share;    /* the member's own */
  int64_t came; /* nanoseconds when it came to the turn */
  struct op2i_team_view view;
};

/* Blocks are noted before the turn can be over. */
static void note(const struct visit *visit, const struct op2i_step *step, int owner, int32_t first,
                 int32_t n, int64_t begin) {
  op2i_schedule_note(visit->share, (struct op2i_schedule_event){.step = step,
                                                                .owner = owner,
                                                                .first = first,
                                                                .n = n,
                                                                .came = visit->came,
                                                                .begin = begin,
                                                                .end = op2i_nanoseconds()});
}

/* Count blocks that have run, and for how long. The member that ran the last ones of the turn goes
 * on to the next turn. */
static void note_done(struct op2i_team *team, const struct op2i_team_view *view,
                      struct op2i_count count) {
  int64_t sum;
  if (!op2i_tally_add(team->done, team->members, (uint32_t)view->turn, view->blocks, count, &sum))
    return;
  __atomic_fetch_add(&view->step->time.nanoseconds, sum, __ATOMIC_RELAXED);
  if (is_second_half(team)) advance(team);
}

/* Run blocks of one share as long as there are any. */
static void take_all(struct op2i_team *team, const struct visit *visit, int owner) {
  const struct op2i_team_view *view = &visit->view;
  const struct range range = range_of(team, view, owner);
  int32_t index, n, taken = 0;
  int64_t start = 0;
  for (; (n = take_blocks(team, view, range, &index)) > 0; taken += n) {
    if (!taken) start = op2i_nanoseconds();
    int64_t begin = team->recorded ? op2i_nanoseconds() : 0;
    op2i_step_run_blocks(view->step, index, index + n);
    if (team->recorded) note(visit, view->step, owner, index, n, begin);
  }
  if (!taken) return;
  const int64_t end = op2i_nanoseconds();
  const struct op2i_count count = {owner, taken, end - start};
  if (team->trace)
    op2i_trace_loop(team->trace, OP2I_TRACK_WORKER + visit->share, view->step->loop->profile.what,
                    start, end);
  note_done(team, view, count);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void sleep_until_turned(struct op2i_team *team, const struct op2i_team_view *view,
                               uint64_t turn) {
  int64_t until = op2i_nanoseconds() + NAP_NS;
  struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
                              .tv_nsec = (long)(until % NS_PER_S)};
  pthread_mutex_lock(&team->lock);
  __atomic_add_fetch(&team->asleep, 1, __ATOMIC_SEQ_CST);
  while (turn_at(view) == turn)
    if (pthread_cond_timedwait(&team->turned, &team->lock, &deadline)) break;
  __atomic_sub_fetch(&team->asleep, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&team->lock);
}

/* False if it is still the same turn after `ns` nanoseconds. */
static bool spin(const struct op2i_team_view *view, uint64_t turn, int64_t ns) {
  enum { LOOKS = 4 };
  int64_t until = op2i_nanoseconds() + ns;
  do {
    for (int i = 0; i < LOOKS; i++) {
      if (turn_at(view) != turn) return true;
      op2i_relax();
    }
  } while (op2i_nanoseconds() < until);
  return false;
}

static void await(struct op2i_team *team, int share, uint64_t turn) {
  const struct op2i_team_view *view = view_of(team, share);
  if (!spin(view, turn, SPIN_NS)) sleep_until_turned(team, view, turn);
}

/* Run blocks of other members' shares. Squads are passed over in which none is left to take. */
static void take_in_pass(struct op2i_team *team, const struct visit *visit, int pass) {
  const struct op2i_team_view *own = view_of(team, visit->share), *view = &visit->view;
  const bool several = team->members > OP2I_TREE_ARITY;
  for (int m = 1; m < team->members && turn_at(own) == view->turn; m++) {
    const int owner = (visit->share + m) % team->members;
    const int passed = several ? op2i_tally_passed(team->emptied, team->members,
                                                   (uint32_t)view->turn, view->blocks, owner)
                               : 0;
    if (passed)
      m += passed - 1;
    else if (op2i_numa_in_pass(team->nodes, visit->share, owner, pass))
      take_all(team, visit, owner);
  }
}

static void take_others(struct op2i_team *team, const struct visit *visit) {
  take_in_pass(team, visit, 0);
  if (team->nodes) take_in_pass(team, visit, 1);
}

/* Run the member's own blocks, then those of other members. A block that is taken from a member
 * that would have started it a moment later is in the wrong cache, now and in the next program. So
 * such blocks are left for a third of the time that the own ones took, unless those took longer
 * than what a cache holds, or a member is missing. */
static void take_part(struct op2i_team *team, uint64_t turn, int share) {
  enum { CACHED_NS = 200000, PATIENCE = 3 };
  const struct op2i_team_view *view = view_of(team, share);
  struct visit visit = {.share = share, .came = op2i_nanoseconds()};
  if (!read_view(view, turn, &visit.view)) return;
  take_all(team, &visit, share);
  int64_t own = op2i_nanoseconds() - visit.came;
  if (own < CACHED_NS && op2i_team_awake(team) && spin(view, turn, own / PATIENCE)) return;
  take_others(team, &visit);
}

bool op2i_team_run(struct op2i_team *team, struct op2i_idle *idle, struct op2i_step *steps,
                   int64_t nsteps, int share, bool always) {
  if (!op2i_idle_no_program(idle) || pthread_mutex_trylock(&team->busy)) return false;
  team->steps = steps;
  team->nsteps = nsteps;
  team->step = 0;
  team->colour = -1;
  team->always = always;
  team->recorded = op2i_schedule_begin("team", steps, nsteps, team->members);
  team->trace = op2i_trace_of(steps->loop->op.ctx);
  __atomic_store_n(&team->caller, share, __ATOMIC_RELAXED);
  advance(team);
  const struct op2i_team_view *view = view_of(team, share);
  uint64_t turn = turn_at(view);
  if (!over(turn) && !op2i_team_awake(team)) op2i_idle_call(idle);
  for (; !over(turn); turn = turn_at(view)) {
    take_part(team, turn, share);
    await(team, share, turn);
  }
  if (team->recorded) op2i_schedule_end();
  pthread_mutex_unlock(&team->busy);
  return true;
}

/* ---- members --------------------------------------------------------------------------------- */

bool op2i_team_awake(const struct op2i_team *team) {
  return __atomic_load_n(&team->present, __ATOMIC_SEQ_CST) >= team->members - 1;
}

/* True if a worker should take part: a program runs, or did a moment ago, and its calling thread is
 * not on the worker's own core. */
static bool wanted(struct op2i_team *team, const struct op2i_idle *idle, int share) {
  if (!op2i_idle_no_program(idle) || __atomic_load_n(&team->caller, __ATOMIC_RELAXED) == share)
    return false;
  if (!over(turn_at(view_of(team, share)))) return true;
  int64_t since = __atomic_load_n(&team->since, __ATOMIC_RELAXED);
  return op2i_nanoseconds() - since < team->linger;
}

/* Other work is looked for while a member would wait, not when it has just been dealt a turn. */
static void look_for_work(struct op2i_team *team, const struct op2i_idle *idle, int share) {
  enum { LOOK_NS = 10000 };
  const struct op2i_team_view *view = view_of(team, share);
  while (wanted(team, idle, share)) {
    uint64_t turn = turn_at(view);
    take_part(team, turn, share);
    if (team->others()) return;
    if (over(turn))
      spin(view, turn, LOOK_NS);
    else
      await(team, share, turn);
  }
}

void op2i_team_help(struct op2i_team *team, const struct op2i_idle *idle, int share) {
  OP2I_FP_DEFAULT;
  if (share < 0 || share >= team->members) return;
  op2i_trace_worker(share);
  while (wanted(team, idle, share) && !team->others()) {
    __atomic_add_fetch(&team->present, 1, __ATOMIC_SEQ_CST);
    look_for_work(team, idle, share);
    __atomic_sub_fetch(&team->present, 1, __ATOMIC_SEQ_CST);
  }
}

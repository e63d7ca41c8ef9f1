/* SPDX-License-Identifier: BSD-3-Clause */
/* The turns of a team: dealing blocks, taking them, and waiting for the next turn. */
#include "team.h"

#include <time.h>

#include "clock.h"
#include "fpenv.h"
#include "partial.h"
#include "plan.h"
#include "schedule.h"
#include "tasks.h"

/* A share's word has the number of the turn in its upper bits and the number of blocks left in the
 * lower ones. Numbers of turns never come again, so with a word that was read in an earlier turn no
 * block of a later one can be taken. */
enum { LEFT_BITS = 24 };
static const uint64_t left_mask = ((uint64_t)1 << LEFT_BITS) - 1;

enum { SPIN_NS = 100000, NAP_NS = 10000000, NS_PER_S = 1000000000 };

/* Estimated nanoseconds until all members have seen a turn, and its end: a few transfers of a cache
 * line between two cores. Measured on two cores of a Xeon, by turns of blocks of 0.15 to 0.9 us
 * that two members share: 0.7 to 1.0 us at least, which is what these constants make with two
 * members. A further member's share is one more line to transfer; its time is assumed. The figures
 * are fixed: beside other processes half of the same turns took 1.5 to 14 us, and a measurement at
 * the start would keep that for the life of the process. They only decide where a team is tried:
 * exec_mode.c compares it with measured times. */
enum { TURN_NS = 800, MEMBER_NS = 100 };

void op2i_team_open(struct op2i_team *team, int members, int64_t linger_ns, bool (*others)(void)) {
  pthread_condattr_t attributes;
  *team = (struct op2i_team){.members = members < OP2I_TEAM_MOST ? members : OP2I_TEAM_MOST,
                             .linger = linger_ns,
                             .others = others,
                             .since = op2i_nanoseconds() - linger_ns,
                             .together = 1,
                             .turn = 1,
                             .dealt = 1};
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

/* Nanoseconds that are saved by sharing `blocks` blocks of one colour; negative: lost. */
static double turn_saves(int32_t blocks, int members, double block_ns) {
  int32_t most = (blocks + members - 1) / members;
  return block_ns * (blocks - most) - (TURN_NS + MEMBER_NS * members);
}

static double block_ns(const struct op2i_step *step) {
  return 1e9 * op2i_program_seconds(step, 1) / (step->plan->nblocks ? step->plan->nblocks : 1);
}

double op2i_team_saves(const struct op2i_step *steps, int64_t nsteps, int members) {
  double saved = 0;
  for (int64_t s = 0; s < nsteps; s++) {
    const struct op2i_plan *plan = steps[s].plan;
    if (steps[s].where.place == OP2I_DEVICE) continue;
    double ns = plan ? block_ns(&steps[s]) : 0;
    for (int32_t c = 0; plan && c < plan->ncolors; c++) {
      double more = turn_saves(plan->color_offs[c + 1] - plan->color_offs[c], members, ns);
      if (more > 0) saved += more;
    }
  }
  return 1e-9 * saved;
}

/* ---- distributing blocks --------------------------------------------------------------------- */

static uint64_t turn_of(const struct op2i_team *team) {
  return __atomic_load_n(&team->turn, __ATOMIC_SEQ_CST);
}

static bool over(uint64_t turn) { return turn & 1; }

/* Publish a turn. It may be over, and later ones dealt, before the thread that dealt it gets here;
 * so the number is only increased. */
static void publish_turn(struct op2i_team *team, uint64_t turn) {
  uint64_t before = turn_of(team);
  while (before < turn && !__atomic_compare_exchange_n(&team->turn, &before, turn, false,
                                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    continue;
  if (__atomic_load_n(&team->asleep, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&team->lock);
  pthread_cond_broadcast(&team->turned);
  pthread_mutex_unlock(&team->lock);
}

/* The number of blocks that a member takes at a time. A call of a loop's code costs about 20 ns, and
 * so does taking a block; with this duration of a call they do not count, and a member that is
 * suspended keeps the others waiting for little. */
static int32_t together(const struct op2i_step *step) {
  enum { CALL_NS = 2000 };
  double ns = block_ns(step);
  if (!op2i_step_joins_blocks(step) || !(ns > 0) || ns >= CALL_NS) return 1;
  return ns * step->plan->nblocks > CALL_NS ? (int32_t)(CALL_NS / ns) : step->plan->nblocks;
}

/* Deal the blocks of a turn in shares. The last share is never empty, so the turn cannot end before
 * its word is written. */
static void deal(struct op2i_team *team, int32_t first, int32_t blocks) {
  uint64_t turn = (team->dealt | 1) + 1;
  team->dealt = turn;
  team->left = blocks;
  __atomic_store_n(&team->together, together(&team->steps[team->step]), __ATOMIC_RELAXED);
  for (int m = 0; m < team->members; m++) {
    struct op2i_team_share *share = &team->shares[m];
    int32_t from = (int32_t)((int64_t)blocks * m / team->members);
    int32_t to = (int32_t)((int64_t)blocks * (m + 1) / team->members);
    share->end = first + to;
    __atomic_store_n(&share->word, turn << LEFT_BITS | (uint64_t)(to - from), __ATOMIC_RELEASE);
  }
  publish_turn(team, turn);
}

static bool worth_sharing(const struct op2i_team *team, const struct op2i_step *step,
                          int32_t blocks) {
  if (blocks < 2 || (uint64_t)blocks > left_mask) return false;
  return team->always || turn_saves(blocks, team->members, block_ns(step)) > 0;
}

static void run_alone(struct op2i_step *step, int32_t first, int32_t last) {
  (void)op2i_task_run(step, OP2I_TASK_CHUNK, first, last);
}

/* Go on to the next turn, or to the end. One member calls this when all blocks have run. */
static void advance(struct op2i_team *team) {
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
    if (worth_sharing(team, step, last - first)) {
      deal(team, first, last - first);
      return;
    }
    run_alone(step, first, last);
  }
  __atomic_store_n(&team->since, op2i_nanoseconds(), __ATOMIC_RELAXED);
  team->dealt |= 1;
  publish_turn(team, team->dealt);
}

/* ---- running blocks -------------------------------------------------------------------------- */

/* Take blocks: as many as run together, and at most half of those that are left, so that others can
 * take some. What was written before their turn was dealt can be read from then on, and stays until
 * the blocks have run. Returns their number. */
static int32_t take_blocks(const struct op2i_team *team, struct op2i_team_share *share,
                           int32_t *index) {
  uint64_t word = __atomic_load_n(&share->word, __ATOMIC_RELAXED);
  while (word & left_mask) {
    int32_t left = (int32_t)(word & left_mask), half = (left + 1) / 2;
    int32_t together = __atomic_load_n(&team->together, __ATOMIC_RELAXED);
    int32_t n = half < together ? half : together;
    if (!__atomic_compare_exchange_n(&share->word, &word, word - (uint64_t)n, true,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    *index = share->end - left;
    return n;
  }
  return 0;
}

/* A member in a turn. */
struct visit {
  int share;    /* the member's own */
  int64_t came; /* nanoseconds when it came to the turn */
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

/* Run blocks of one share as long as there are any. */
static void take_all(struct op2i_team *team, const struct visit *visit, int share) {
  struct op2i_step *step = NULL;
  int64_t taken = 0, start = 0;
  int32_t index, n;
  for (; (n = take_blocks(team, &team->shares[share], &index)) > 0; taken += n) {
    if (!taken) {
      start = op2i_nanoseconds();
      step = &team->steps[team->step];
    }
    int64_t begin = team->recorded ? op2i_nanoseconds() : 0;
    op2i_step_run_blocks(step, index, index + n);
    if (team->recorded) note(visit, step, share, index, n, begin);
  }
  if (!taken) return;
  __atomic_fetch_add(&step->time.nanoseconds, op2i_nanoseconds() - start, __ATOMIC_RELAXED);
  if (__atomic_sub_fetch(&team->left, taken, __ATOMIC_ACQ_REL) == 0) advance(team);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

static void sleep_until_turned(struct op2i_team *team, uint64_t turn) {
  int64_t until = op2i_nanoseconds() + NAP_NS;
  struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
                              .tv_nsec = (long)(until % NS_PER_S)};
  pthread_mutex_lock(&team->lock);
  __atomic_add_fetch(&team->asleep, 1, __ATOMIC_SEQ_CST);
  while (turn_of(team) == turn)
    if (pthread_cond_timedwait(&team->turned, &team->lock, &deadline)) break;
  __atomic_sub_fetch(&team->asleep, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&team->lock);
}

/* False if it is still the same turn after `ns` nanoseconds. */
static bool spin(const struct op2i_team *team, uint64_t turn, int64_t ns) {
  enum { LOOKS = 4 };
  int64_t until = op2i_nanoseconds() + ns;
  do {
    for (int i = 0; i < LOOKS; i++) {
      if (turn_of(team) != turn) return true;
      relax();
    }
  } while (op2i_nanoseconds() < until);
  return false;
}

static void await(struct op2i_team *team, uint64_t turn) {
  if (!spin(team, turn, SPIN_NS)) sleep_until_turned(team, turn);
}

/* Run the member's own blocks, then those of other members. A block that is taken from a member
 * that would have started it a moment later is in the wrong cache, now and in the next program. So
 * such blocks are left for a third of the time that the own ones took, unless those took longer
 * than what a cache holds, or a member is missing. */
static void take_part(struct op2i_team *team, uint64_t turn, int share) {
  enum { CACHED_NS = 200000, PATIENCE = 3 };
  const struct visit visit = {.share = share, .came = op2i_nanoseconds()};
  take_all(team, &visit, share);
  int64_t own = op2i_nanoseconds() - visit.came;
  if (own < CACHED_NS && op2i_team_awake(team) && spin(team, turn, own / PATIENCE)) return;
  for (int m = 1; m < team->members && turn_of(team) == turn; m++)
    take_all(team, &visit, (share + m) % team->members);
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
  __atomic_store_n(&team->caller, share, __ATOMIC_RELAXED);
  advance(team);
  uint64_t turn = turn_of(team);
  if (!over(turn) && !op2i_team_awake(team)) op2i_idle_call(idle);
  for (; !over(turn); turn = turn_of(team)) {
    take_part(team, turn, share);
    await(team, turn);
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
static bool wanted(const struct op2i_team *team, const struct op2i_idle *idle, int share) {
  if (!op2i_idle_no_program(idle) || __atomic_load_n(&team->caller, __ATOMIC_RELAXED) == share)
    return false;
  if (!over(turn_of(team))) return true;
  int64_t since = __atomic_load_n(&team->since, __ATOMIC_RELAXED);
  return op2i_nanoseconds() - since < team->linger;
}

/* Other work is looked for while a member would wait, not when it has just been dealt a turn. */
static void look_for_work(struct op2i_team *team, const struct op2i_idle *idle, int share) {
  enum { LOOK_NS = 10000 };
  while (wanted(team, idle, share)) {
    uint64_t turn = turn_of(team);
    take_part(team, turn, share);
    if (team->others()) return;
    if (over(turn))
      spin(team, turn, LOOK_NS);
    else
      await(team, turn);
  }
}

void op2i_team_help(struct op2i_team *team, const struct op2i_idle *idle, int share) {
  OP2I_FP_DEFAULT;
  if (share < 0 || share >= team->members) return;
  while (wanted(team, idle, share) && !team->others()) {
    __atomic_add_fetch(&team->present, 1, __ATOMIC_SEQ_CST);
    look_for_work(team, idle, share);
    __atomic_sub_fetch(&team->present, 1, __ATOMIC_SEQ_CST);
  }
}

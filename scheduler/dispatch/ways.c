/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which a program runs in the calling thread, by a team or as tasks. */
#include "ways.h"

#include <inttypes.h>

#include "loopdata.h"
#include "tasks.h"
#include "team.h"

/* A team is taken when it promises to save a tenth of the time, and left when that is less than a
 * twentieth. To call sleeping workers takes the calling thread as long as this, and they come late:
 * some system calls and interrupts. */
static const double take_share = 0.1, leave_share = 0.05, call_seconds = 20e-6;

/* Programs of less than this are not looked at any closer. */
static const double least_seconds = 4e-6;

/* In times that the program takes in the calling thread: what a team may save up, and owe. And so
 * many programs are without it at first, and at most, where it does not pay; so many times what it
 * owes, that the loss be a small share of all. */
enum { CREDIT = 16, DEBT = 2, FIRST_BREAK = 32, LONGEST_BREAK = 4096, AMENDS = 16 };

static enum op2i_way because(struct op2i_ways *ways, enum op2i_way way, const char *why) {
  ways->why = why;
  return way;
}

static bool has_chain(const struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++)
    if (steps[s].chain) return true;
  return false;
}

static bool has_chunk(const struct op2i_step *steps, int64_t nsteps, int chunk_us) {
  for (int64_t s = 0; s < nsteps; s++)
    if (op2i_program_seconds(&steps[s], 1) > 1e-6 * chunk_us) return true;
  return false;
}

static bool has_run(const struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++) {
    const struct op2i_loop_data *data = steps[s].loop ? steps[s].loop->sched_data : NULL;
    if (data && steps[s].lo < steps[s].hi && data->ns_per_element <= 0) return false;
  }
  return true;
}

/* The second run of a program in the calling thread is the one that others are held against: data
 * and code are in place. */
static bool compared(const struct op2i_ways *ways) {
  bool first = !ways->runs[OP2I_WAY_HERE] && !ways->runs[OP2I_WAY_TEAM];
  return first || ways->here > 0;
}

static enum op2i_way team_or_here(struct op2i_step *steps, int64_t nsteps,
                                  const struct op2i_crew *crew) {
  struct op2i_ways *ways = &steps->ways;
  double all = op2i_program_seconds(steps, nsteps);
  if (all < least_seconds) return because(ways, OP2I_WAY_HERE, "there is too little to do");
  if (!has_run(steps, nsteps) || !compared(ways))
    return because(ways, OP2I_WAY_HERE, "how long it takes was to be found out");
  if (ways->pause > 0) {
    ways->pause--;
    return because(ways, OP2I_WAY_HERE, "a team was slower when it was last tried");
  }
  double share = ways->runs[OP2I_WAY_TEAM] ? leave_share : take_share;
  ways->seconds = all;
  ways->saves = op2i_team_saves(steps, nsteps, crew->members);
  if (ways->saves < share * all + (crew->awake ? 0 : call_seconds))
    return because(ways, OP2I_WAY_HERE, "a team would save too little");
  return because(ways, OP2I_WAY_TEAM, "too little for tasks, enough for a team");
}

enum op2i_way op2i_way_choose(struct op2i_step *steps, int64_t nsteps,
                              const struct op2i_config *config, const struct op2i_crew *crew) {
  struct op2i_ways *ways = &steps->ways;
  bool team = crew->members > 1 && config->team != 0 && !has_chain(steps, nsteps);
  if (crew->over) return because(ways, OP2I_WAY_HERE, "the workers have ended");
  if (team && config->team == 1) return because(ways, OP2I_WAY_TEAM, "OP2_TEAM=1");
  if (config->chunk_us == 0) return because(ways, OP2I_WAY_TASKS, "OP2_CHUNK_US=0");
  if (crew->workers < 2) return because(ways, OP2I_WAY_HERE, "there is one worker");
  if (has_chunk(steps, nsteps, config->chunk_us))
    return because(ways, OP2I_WAY_TASKS, "some loop is worth several tasks");
  if (team) return team_or_here(steps, nsteps, crew);
  return because(ways, OP2I_WAY_HERE, "there is too little to do for tasks, and no team");
}

/* What a program takes when nothing comes between: samples that are slower count little. */
static double settle(double before, double seconds) {
  if (before <= 0) return seconds;
  if (seconds < before) return 0.75 * before + 0.25 * seconds;
  return seconds < 1.02 * before ? seconds : 1.02 * before;
}

/* A team has to pay for itself. What it saves is to its credit, so that a run may take long where a
 * member was sent away in the middle of a block; it is given up when it owes too much. */
static void judge_team(struct op2i_ways *ways, double seconds) {
  if (ways->here <= 0) return;
  ways->debt += seconds - ways->here;
  if (ways->debt < -CREDIT * ways->here) {
    ways->debt = -CREDIT * ways->here;
    ways->last_pause = 0;
  } else if (ways->debt > DEBT * ways->here) {
    double longer = ways->last_pause ? 2.0 * ways->last_pause : FIRST_BREAK;
    if (longer < AMENDS * ways->debt / ways->here) longer = AMENDS * ways->debt / ways->here;
    ways->pause = ways->last_pause = longer < LONGEST_BREAK ? (int)longer : LONGEST_BREAK;
    ways->debt = 0;
  }
}

void op2i_way_ran(struct op2i_ways *ways, enum op2i_way way, double seconds) {
  bool first = !ways->runs[OP2I_WAY_HERE] && !ways->runs[OP2I_WAY_TEAM];
  ways->runs[way]++;
  if (way == OP2I_WAY_HERE && !first) ways->here = settle(ways->here, seconds);
  if (way == OP2I_WAY_TEAM) judge_team(ways, seconds);
}

void op2i_ways_explain(const struct op2i_ways *ways, FILE *stream) {
  if (!ways->why) return;
  fprintf(stream,
          "  run %" PRId64 " times in the calling thread, %" PRId64 " by a team, %" PRId64
          " as tasks; the last time so because: %s",
          ways->runs[OP2I_WAY_HERE], ways->runs[OP2I_WAY_TEAM], ways->runs[OP2I_WAY_TASKS],
          ways->why);
  if (ways->seconds > 0)
    fprintf(stream, " (it saves %.3f of %.3f ms by the estimate)", 1e3 * ways->saves,
            1e3 * ways->seconds);
  fputc('\n', stream);
}

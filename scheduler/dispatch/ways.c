/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of the execution mode: a program runs in the calling thread, by a team or as tasks. */
#include "ways.h"

#include <inttypes.h>

#include "loopdata.h"
#include "tasks.h"
#include "team.h"

/* A team is chosen when it is estimated to save a tenth of the time, and given up when that is less
 * than a twentieth. Calling sleeping workers takes the calling thread call_seconds, and they come
 * late: after some system calls and interrupts. */
static const double take_share = 0.1, leave_share = 0.05, call_seconds = 20e-6;

/* Shorter programs always run in the calling thread. */
static const double least_seconds = 4e-6;

/* The time that a team has saved (credit) or lost (debt) is counted in multiples of the program's
 * time in the calling thread, and limited to CREDIT; at DEBT the team is given up for some runs.
 * FIRST_BREAK and LONGEST_BREAK limit their number, which is at least AMENDS times the debt, so
 * that the loss is a small share of all time. */
enum { CREDIT = 16, DEBT = 2, FIRST_BREAK = 32, LONGEST_BREAK = 4096, AMENDS = 16 };

/* Where there is enough work for tasks, a team is tried first if its members are estimated to be
 * idle for no more than this share of their time. Tasks waste less time in loops where workers
 * would often wait, since tasks of later loops can begin. */
static const double idle_share = 0.1;
/* A trial of the other mode, a team or tasks, takes so many runs. The first of them does not
 * count, since data is in other caches. Each trial that was lost doubles the wait for the next
 * one, up to LOST_MOST times. */
enum { TRIAL = 4, LOST_MOST = 6 };

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

/* True if the program's time in the calling thread is known, with which others are compared. It is
 * measured from the second run on, since data and code are in place then. */
static bool compared(const struct op2i_ways *ways) {
  bool first = !ways->runs[OP2I_WAY_HERE] && !ways->runs[OP2I_WAY_TEAM];
  return first || ways->takes[OP2I_WAY_HERE] > 0;
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

/* ---- choice between a team and tasks --------------------------------------------------------- */

static bool all_for_team(const struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++)
    if (!op2i_team_takes(&steps[s])) return false;
  return true;
}

static enum op2i_way other(const struct op2i_ways *ways) {
  return ways->kept == OP2I_WAY_TEAM ? OP2I_WAY_TASKS : OP2I_WAY_TEAM;
}

/* True if a trial of the other mode is due. The time that is wasted between blocks is the most that
 * the other mode can save. When it comes to as much as a run takes, a trial is no great loss. */
static bool is_due(const struct op2i_ways *ways, double team) {
  double kept = ways->takes[ways->kept];
  if (ways->kept == OP2I_WAY_TASKS && team > kept) return false;
  return ways->waited > kept * (1 << ways->lost);
}

static enum op2i_way team_or_tasks(struct op2i_step *steps, int64_t nsteps,
                                   const struct op2i_crew *crew) {
  struct op2i_ways *ways = &steps->ways;
  ways->either = true;
  ways->seconds = op2i_program_seconds(steps, nsteps);
  ways->saves = op2i_team_saves(steps, nsteps, crew->members);
  double team = ways->seconds - ways->saves;
  if (ways->kept == OP2I_WAY_HERE || ways->takes[ways->kept] <= 0) {
    bool well = team * crew->members < (1 + idle_share) * ways->seconds;
    ways->kept = well ? OP2I_WAY_TEAM : OP2I_WAY_TASKS;
  } else if (ways->trial == 0 && is_due(ways, team)) {
    ways->trial = TRIAL;
    ways->takes[other(ways)] = ways->waited = 0;
  }
  if (ways->trial > 0)
    return because(ways, other(ways), "whether it is faster was to be found out");
  if (ways->takes[other(ways)] > 0) return because(ways, ways->kept, "it was faster when both ran");
  return because(ways, ways->kept,
                 ways->kept == OP2I_WAY_TEAM ? "a team's members should hardly wait"
                                             : "a team's members would wait too long");
}

enum op2i_way op2i_way_choose(struct op2i_step *steps, int64_t nsteps,
                              const struct op2i_config *config, const struct op2i_crew *crew) {
  struct op2i_ways *ways = &steps->ways;
  bool team = crew->members > 1 && config->team != 0 && !has_chain(steps, nsteps);
  ways->either = false;
  if (crew->over) return because(ways, OP2I_WAY_HERE, "the workers have ended");
  if (team && config->team == 1) return because(ways, OP2I_WAY_TEAM, "OP2_TEAM=1");
  if (config->chunk_us == 0) return because(ways, OP2I_WAY_TASKS, "OP2_CHUNK_US=0");
  if (crew->workers < 2) return because(ways, OP2I_WAY_HERE, "there is one worker");
  if (has_chunk(steps, nsteps, config->chunk_us)) {
    if (team && all_for_team(steps, nsteps)) return team_or_tasks(steps, nsteps, crew);
    return because(ways, OP2I_WAY_TASKS, "some loop is worth several tasks");
  }
  if (team) return team_or_here(steps, nsteps, crew);
  return because(ways, OP2I_WAY_HERE, "there is too little to do for tasks, and no team");
}

/* A running estimate of a program's undisturbed time: slower samples have little weight. */
static double settle(double before, double seconds) {
  if (before <= 0) return seconds;
  if (seconds < before) return 0.75 * before + 0.25 * seconds;
  return seconds < 1.02 * before ? seconds : 1.02 * before;
}

/* A team has to pay for itself. What it saves is its credit, so that one run may take long in
 * which a member was preempted in the middle of a block; the team is given up for some runs when
 * its debt is too large. */
static void judge_team(struct op2i_ways *ways, double seconds) {
  const double here = ways->takes[OP2I_WAY_HERE];
  if (here <= 0) return;
  ways->debt += seconds - here;
  if (ways->debt < -CREDIT * here) {
    ways->debt = -CREDIT * here;
    ways->last_pause = 0;
  } else if (ways->debt > DEBT * here) {
    double longer = ways->last_pause ? 2.0 * ways->last_pause : FIRST_BREAK;
    if (longer < AMENDS * ways->debt / here) longer = AMENDS * ways->debt / here;
    ways->pause = ways->last_pause = longer < LONGEST_BREAK ? (int)longer : LONGEST_BREAK;
    ways->debt = 0;
  }
}

static void judge_trial(struct op2i_ways *ways, double seconds) {
  double *tried = &ways->takes[other(ways)], kept = ways->takes[ways->kept];
  if (ways->trial-- < TRIAL) *tried = settle(*tried, seconds);
  if (ways->trial > 0) return;
  if (*tried < kept) {
    ways->kept = other(ways);
    ways->lost = 0;
  } else if (ways->lost < LOST_MOST) {
    ways->lost++;
  }
}

/* The first run is not counted, since it allocates memory and makes tables and tasks. */
static void judge_either(struct op2i_ways *ways, enum op2i_way way, double seconds, double waited) {
  bool tried = ways->trial > 0 && way == other(ways);
  if (ways->trial > 0 && !tried) { /* another program has the team, so the trial is put off */
    ways->trial = 0;
    ways->lost += ways->lost < LOST_MOST;
  }
  if (tried) {
    judge_trial(ways, seconds);
  } else if (way == ways->kept && ways->runs[way] > 1) {
    ways->takes[way] = settle(ways->takes[way], seconds);
    ways->waited += waited;
  }
}

void op2i_way_ran(struct op2i_ways *ways, enum op2i_way way, double seconds, double waited) {
  bool first = !ways->runs[OP2I_WAY_HERE] && !ways->runs[OP2I_WAY_TEAM];
  double *here = &ways->takes[OP2I_WAY_HERE];
  ways->runs[way]++;
  if (ways->either)
    judge_either(ways, way, seconds, waited);
  else if (way == OP2I_WAY_TEAM)
    judge_team(ways, seconds);
  else if (way == OP2I_WAY_HERE && !first)
    *here = settle(*here, seconds);
}

/* Print the milliseconds by a team and as tasks, as measured or, before a team has run, as
 * estimated. */
static void explain_either(const struct op2i_ways *ways, FILE *stream) {
  const double *takes = ways->takes;
  double team = takes[OP2I_WAY_TEAM] > 0 ? takes[OP2I_WAY_TEAM] : ways->seconds - ways->saves;
  fprintf(stream, " (%.3f ms by a team%s", 1e3 * team,
          takes[OP2I_WAY_TEAM] > 0 ? "" : " by the estimate");
  if (takes[OP2I_WAY_TASKS] > 0) fprintf(stream, ", %.3f ms as tasks", 1e3 * takes[OP2I_WAY_TASKS]);
  fputc(')', stream);
}

void op2i_ways_explain(const struct op2i_ways *ways, FILE *stream) {
  if (!ways->why) return;
  fprintf(stream,
          "  run %" PRId64 " times in the calling thread, %" PRId64 " by a team, %" PRId64
          " as tasks; the last time so because: %s",
          ways->runs[OP2I_WAY_HERE], ways->runs[OP2I_WAY_TEAM], ways->runs[OP2I_WAY_TASKS],
          ways->why);
  if (ways->either)
    explain_either(ways, stream);
  else if (ways->seconds > 0)
    fprintf(stream, " (it saves %.3f of %.3f ms by the estimate)", 1e3 * ways->saves,
            1e3 * ways->seconds);
  fputc('\n', stream);
}

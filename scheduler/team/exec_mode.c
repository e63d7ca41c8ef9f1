/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of the execution mode: a program runs in the calling thread, by a team or as tasks. */
#include "exec_mode.h"

#include <inttypes.h>

#include "loopdata.h"
#include "tasks.h"
#include "team.h"
#include "text.h"

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

static enum op2i_exec_mode choose_with_reason(struct op2i_mode_stats *modes,
                                              enum op2i_exec_mode mode, const char *why) {
  modes->why = why;
  return mode;
}

static bool has_chunk(const struct op2i_step *steps, int64_t nsteps, int chunk_us) {
  for (int64_t s = 0; s < nsteps; s++)
    if (op2i_program_seconds(&steps[s], 1) > 1e-6 * chunk_us) return true;
  return false;
}

static bool has_run(const struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++) {
    const struct op2i_loop_data *data = steps[s].loop ? steps[s].loop->attached.sched_data : NULL;
    if (data && steps[s].lo < steps[s].hi && data->ns_per_element <= 0) return false;
  }
  return true;
}

/* True if the program's time in the calling thread is known, with which others are compared. It is
 * measured from the second run on, since data and code are in place then. */
static bool compared(const struct op2i_mode_stats *modes) {
  bool first = !modes->runs[OP2I_MODE_HERE] && !modes->runs[OP2I_MODE_TEAM];
  return first || modes->takes[OP2I_MODE_HERE] > 0;
}

static enum op2i_exec_mode team_or_here(struct op2i_step *steps, int64_t nsteps,
                                        const struct op2i_workers_info *workers) {
  struct op2i_mode_stats *modes = &steps->bundle->modes;
  double all = op2i_program_seconds(steps, nsteps);
  if (all < least_seconds)
    return choose_with_reason(modes, OP2I_MODE_HERE, "there is too little to do");
  if (!has_run(steps, nsteps) || !compared(modes))
    return choose_with_reason(modes, OP2I_MODE_HERE, "how long it takes was to be found out");
  if (modes->pause > 0) {
    modes->pause--;
    return choose_with_reason(modes, OP2I_MODE_HERE, "a team was slower when it was last tried");
  }
  double share = modes->runs[OP2I_MODE_TEAM] ? leave_share : take_share;
  modes->seconds = all;
  modes->saves = op2i_team_saves(steps, nsteps, workers->members);
  if (modes->saves < share * all + (workers->awake ? 0 : call_seconds))
    return choose_with_reason(modes, OP2I_MODE_HERE, "a team would save too little");
  return choose_with_reason(modes, OP2I_MODE_TEAM, "too little for tasks, enough for a team");
}

/* ---- choice between a team and tasks --------------------------------------------------------- */

static bool all_for_team(const struct op2i_step *steps, int64_t nsteps) {
  for (int64_t s = 0; s < nsteps; s++)
    if (!op2i_team_takes(&steps[s])) return false;
  return true;
}

static enum op2i_exec_mode other(const struct op2i_mode_stats *modes) {
  return modes->kept == OP2I_MODE_TEAM ? OP2I_MODE_TASKS : OP2I_MODE_TEAM;
}

/* True if a trial of the other mode is due. The time that is wasted between blocks is the most that
 * the other mode can save. When it comes to as much as a run takes, a trial is no great loss. */
static bool is_due(const struct op2i_mode_stats *modes, double team) {
  double kept = modes->takes[modes->kept];
  if (modes->kept == OP2I_MODE_TASKS && team > kept) return false;
  return modes->waited > kept * (1 << modes->lost);
}

static enum op2i_exec_mode team_or_tasks(struct op2i_step *steps, int64_t nsteps,
                                         const struct op2i_workers_info *workers) {
  struct op2i_mode_stats *modes = &steps->bundle->modes;
  modes->either = true;
  modes->seconds = op2i_program_seconds(steps, nsteps);
  modes->saves = op2i_team_saves(steps, nsteps, workers->members);
  double team = modes->seconds - modes->saves;
  if (modes->kept == OP2I_MODE_HERE || modes->takes[modes->kept] <= 0) {
    bool well = team * workers->members < (1 + idle_share) * modes->seconds;
    modes->kept = well ? OP2I_MODE_TEAM : OP2I_MODE_TASKS;
  } else if (modes->trial == 0 && is_due(modes, team)) {
    modes->trial = TRIAL;
    modes->takes[other(modes)] = modes->waited = 0;
  }
  if (modes->trial > 0)
    return choose_with_reason(modes, other(modes), "whether it is faster was to be found out");
  if (modes->takes[other(modes)] > 0)
    return choose_with_reason(modes, modes->kept, "it was faster when both ran");
  return choose_with_reason(modes, modes->kept,
                            modes->kept == OP2I_MODE_TEAM ? "a team's members should hardly wait"
                                                          : "a team's members would wait too long");
}

enum op2i_exec_mode op2i_mode_choose(struct op2i_step *steps, int64_t nsteps,
                                     const struct op2i_config *config,
                                     const struct op2i_workers_info *workers) {
  struct op2i_mode_stats *modes = &steps->bundle->modes;
  bool team = workers->members > 1 && config->team != 0;
  modes->either = false;
  if (workers->over) return choose_with_reason(modes, OP2I_MODE_HERE, "the workers have ended");
  if (team && config->team == 1) return choose_with_reason(modes, OP2I_MODE_TEAM, "OP2_TEAM=1");
  if (config->chunk_us == 0) return choose_with_reason(modes, OP2I_MODE_TASKS, "OP2_CHUNK_US=0");
  if (workers->count < 2) return choose_with_reason(modes, OP2I_MODE_HERE, "there is one worker");
  if (has_chunk(steps, nsteps, config->chunk_us)) {
    if (team && all_for_team(steps, nsteps)) return team_or_tasks(steps, nsteps, workers);
    return choose_with_reason(modes, OP2I_MODE_TASKS, "some loop is worth several tasks");
  }
  if (team) return team_or_here(steps, nsteps, workers);
  return choose_with_reason(modes, OP2I_MODE_HERE,
                            "there is too little to do for tasks, and no team");
}

/* A running estimate of a program's undisturbed time: slower samples have little weight. */
static double estimate_time(double before, double seconds) {
  if (before <= 0) return seconds;
  if (seconds < before) return 0.75 * before + 0.25 * seconds;
  return seconds < 1.02 * before ? seconds : 1.02 * before;
}

/* A team has to pay for itself. What it saves is its credit, so that one run may take long in
 * which a member was preempted in the middle of a block; the team is given up for some runs when
 * its debt is too large. */
static void judge_team(struct op2i_mode_stats *modes, double seconds) {
  const double here = modes->takes[OP2I_MODE_HERE];
  if (here <= 0) return;
  modes->debt += seconds - here;
  if (modes->debt < -CREDIT * here) {
    modes->debt = -CREDIT * here;
    modes->last_pause = 0;
  } else if (modes->debt > DEBT * here) {
    double longer = modes->last_pause ? 2.0 * modes->last_pause : FIRST_BREAK;
    if (longer < AMENDS * modes->debt / here) longer = AMENDS * modes->debt / here;
    modes->pause = modes->last_pause = longer < LONGEST_BREAK ? (int)longer : LONGEST_BREAK;
    modes->debt = 0;
  }
}

static void judge_trial(struct op2i_mode_stats *modes, double seconds) {
  double *tried = &modes->takes[other(modes)], kept = modes->takes[modes->kept];
  if (modes->trial-- < TRIAL) *tried = estimate_time(*tried, seconds);
  if (modes->trial > 0) return;
  if (*tried < kept) {
    modes->kept = other(modes);
    modes->lost = 0;
  } else if (modes->lost < LOST_MOST) {
    modes->lost++;
  }
}

/* The first run is not counted, since it allocates memory and makes tables and tasks. */
static void judge_either(struct op2i_mode_stats *modes, enum op2i_exec_mode mode, double seconds,
                         double waited) {
  bool tried = modes->trial > 0 && mode == other(modes);
  if (modes->trial > 0 && !tried) { /* another program has the team, so the trial is put off */
    modes->trial = 0;
    modes->lost += modes->lost < LOST_MOST;
  }
  if (tried) {
    judge_trial(modes, seconds);
  } else if (mode == modes->kept && modes->runs[mode] > 1) {
    modes->takes[mode] = estimate_time(modes->takes[mode], seconds);
    modes->waited += waited;
  }
}

void op2i_mode_ran(struct op2i_mode_stats *modes, enum op2i_exec_mode mode, double seconds,
                   double waited) {
  bool first = !modes->runs[OP2I_MODE_HERE] && !modes->runs[OP2I_MODE_TEAM];
  double *here = &modes->takes[OP2I_MODE_HERE];
  modes->runs[mode]++;
  if (modes->either)
    judge_either(modes, mode, seconds, waited);
  else if (mode == OP2I_MODE_TEAM)
    judge_team(modes, seconds);
  else if (mode == OP2I_MODE_HERE && !first)
    *here = estimate_time(*here, seconds);
}

/* Print the milliseconds by a team and as tasks, as measured or, before a team has run, as
 * estimated. */
static void explain_either(const struct op2i_mode_stats *modes, FILE *stream) {
  const double *takes = modes->takes;
  double team = takes[OP2I_MODE_TEAM] > 0 ? takes[OP2I_MODE_TEAM] : modes->seconds - modes->saves;
  fprintf(stream, " (%.3f ms by a team%s", 1e3 * team,
          takes[OP2I_MODE_TEAM] > 0 ? "" : " by the estimate");
  if (takes[OP2I_MODE_TASKS] > 0)
    fprintf(stream, ", %.3f ms as tasks", 1e3 * takes[OP2I_MODE_TASKS]);
  fputc(')', stream);
}

void op2i_mode_explain(const struct op2i_mode_stats *modes, FILE *stream) {
  if (!modes->why) return;
  fprintf(stream,
          "  run %s in the calling thread, %" PRId64 " by a team, %" PRId64
          " as tasks; the last time so because: %s",
          OP2I_N(modes->runs[OP2I_MODE_HERE], "time"), modes->runs[OP2I_MODE_TEAM],
          modes->runs[OP2I_MODE_TASKS], modes->why);
  if (modes->either)
    explain_either(modes, stream);
  else if (modes->seconds > 0)
    fprintf(stream, " (it saves %.3f of %.3f ms by the estimate)", 1e3 * modes->saves,
            1e3 * modes->seconds);
  fputc('\n', stream);
}

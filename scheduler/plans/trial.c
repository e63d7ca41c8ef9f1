/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which a loop's vector code is tried without prefetches, and its scalar code, and by
 * which the faster one is kept. */
#include "trial.h"

/* A trial of prefetches needs no compilation. It begins after PREFETCH_RUNS runs that took
 * prefetch_seconds, beside which the trial and the file for its result take little. It adds the time
 * of at most 8 runs if code without prefetches takes up to three times as long: such a trial ends
 * after 8 runs, 4 of them without prefetches. */
enum { PREFETCH_RUNS = 32 };
static const double prefetch_seconds = 0.02;

/* A trial of scalar code begins when the loop has run LEAST_RUNS times, and after that PATIENCE times
 * as long as the compilation of its vector code took, which is about what its scalar code will take.
 * Runs until the end of the trial of prefetches do not count. So a program that begins without any
 * code, and ends after the trials, takes at most a fifth longer for them: let c be the seconds of a
 * compilation and r those of a run. Without trials the loop takes 7 c + 128 r, and 40 r more if
 * prefetches were tried. The trial of scalar code adds c, and at most 23 r and lost_seconds: LOSS r,
 * and 15 r of the run that exceeds this if scalar code takes 16 times as long as vectors of 16
 * numbers. */
enum { PATIENCE = 6, LEAST_RUNS = 128, LOSS = 8 };
/* Seconds of a compilation: the least that is expected, since runs of a compiler for many loops at
 * once take less time for each of them; and where vector code came from the cache. */
static const double least_compilation = 0.1, unknown_compilation = 0.15;

/* In a trial both candidates have PAIRS runs that count, and more while these are so short that
 * together they take less than enough_seconds, up to MOST_PAIRS. The fastest of them counts, so that
 * no run which was preempted decides anything. After FEW pairs a trial ends that has no hope. It ends
 * at once when runs of the other candidate have taken LOSS usual runs and lost_seconds longer than
 * usual ones. */
enum { FEW = 3, PAIRS = 8, MOST_PAIRS = 64 };
static const double enough_seconds = 1e-3, lost_seconds = 0.02, hopeless = 1.25;
/* The other candidate is kept if it takes at most this share of the time. */
static const double gain = 0.97;

bool op2i_prefetch_trial_due(int64_t runs, double seconds) {
  return runs >= PREFETCH_RUNS && (double)runs * seconds >= prefetch_seconds;
}

double op2i_trial_expects(const struct op2i_trial *trial) {
  if (trial->compile_seconds <= 0) return unknown_compilation;
  return trial->compile_seconds > least_compilation ? trial->compile_seconds : least_compilation;
}

bool op2i_trial_due(const struct op2i_trial *trial, int64_t runs, double seconds) {
  const int64_t count = runs - trial->before;
  return count >= LEAST_RUNS &&
         (double)(count - LEAST_RUNS) * seconds >= PATIENCE * op2i_trial_expects(trial);
}

bool op2i_trials_affordable(double spent, double expected, double elapsed) {
  return PATIENCE * (spent + expected) <= elapsed - spent;
}

void op2i_trial_begin(struct op2i_trial *trial, int64_t elements, double usual) {
  trial->running = true;
  trial->elements = elements;
  trial->usual = usual;
  trial->lost = 0;
  trial->next = OP2I_TRIED_OTHER;
  /* The first run of each does not count: code and data are in place after it. */
  for (int f = 0; f < OP2I_TRIED_FORMS; f++) {
    trial->form[f].runs = -1;
    trial->form[f].best = trial->form[f].spent = 0;
  }
}

void op2i_trial_count(struct op2i_trial *trial, enum op2i_tried tried, int64_t elements,
                      double seconds) {
  if (elements != trial->elements) return;
  const int run = trial->form[tried].runs++;
  trial->next = trial->form[OP2I_TRIED_OTHER].runs > trial->form[OP2I_TRIED_USUAL].runs
                    ? OP2I_TRIED_USUAL
                    : OP2I_TRIED_OTHER;
  if (tried == OP2I_TRIED_OTHER && seconds > trial->usual) trial->lost += seconds - trial->usual;
  if (run < 0) return;
  if (run == 0 || seconds < trial->form[tried].best) trial->form[tried].best = seconds;
  trial->form[tried].spent += seconds;
}

bool op2i_trial_compared(const struct op2i_trial *trial) {
  return trial->form[OP2I_TRIED_OTHER].runs >= FEW && trial->form[OP2I_TRIED_USUAL].runs >= FEW;
}

bool op2i_trial_decide(const struct op2i_trial *trial, bool *other) {
  const int pairs = trial->form[OP2I_TRIED_OTHER].runs;
  const bool compared = op2i_trial_compared(trial);
  const double ratio = compared ? op2i_trial_ratio(trial) : 1;
  *other = ratio <= gain;
  if (trial->lost > LOSS * trial->usual + lost_seconds) return true;
  if (pairs != trial->form[OP2I_TRIED_USUAL].runs || !compared) return false;
  if (ratio > hopeless || pairs >= MOST_PAIRS) return true;
  return pairs >= PAIRS && trial->form[OP2I_TRIED_OTHER].spent >= enough_seconds &&
         trial->form[OP2I_TRIED_USUAL].spent >= enough_seconds;
}

void op2i_trial_end(struct op2i_trial *trial, const char *none) {
  trial->running = false;
  trial->over = true;
  trial->none = none;
}

double op2i_trial_ratio(const struct op2i_trial *trial) {
  const double usual = trial->form[OP2I_TRIED_USUAL].best;
  return usual > 0 ? trial->form[OP2I_TRIED_OTHER].best / usual : 1;
}

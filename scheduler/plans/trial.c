/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which a loop's scalar code is tried, and by which the faster form is kept. */
#include "trial.h"

/* A trial begins when the loop has run LEAST_RUNS times, and after that PATIENCE times as long as the
 * compilation of its vector code took, which is about what its scalar code will take. So a program
 * that begins without any code, and ends after the trial, takes at most a fifth longer for it: let c
 * be the seconds of a compilation and r those of a run. Without the trial the loop takes
 * 7 c + 128 r. The trial adds c, and at most 23 r and lost_seconds: LOSS r, and 15 r of the run that
 * exceeds this if scalar code takes 16 times as long as vectors of 16 numbers. */
enum { PATIENCE = 6, LEAST_RUNS = 128, LOSS = 8 };
/* Seconds of a compilation: the least that is expected, since runs of a compiler for many loops at
 * once take less time for each of them; and where vector code came from the cache. */
static const double least_compilation = 0.1, unknown_compilation = 0.15;

/* Each form has PAIRS runs that count, and more while they are so short that together they take less
 * than enough_seconds, up to MOST_PAIRS. The fastest of them counts, so that no run which was
 * preempted decides anything. After FEW pairs a trial ends that has no hope. It ends at once when
 * runs of scalar code have taken LOSS usual runs and lost_seconds longer than usual ones. */
enum { FEW = 3, PAIRS = 8, MOST_PAIRS = 64 };
static const double enough_seconds = 1e-3, lost_seconds = 0.02, hopeless = 1.25;
/* Scalar code is kept if it takes at most this share of the time. */
static const double gain = 0.97;

double op2i_trial_expects(const struct op2i_trial *trial) {
  if (trial->compile_seconds <= 0) return unknown_compilation;
  return trial->compile_seconds > least_compilation ? trial->compile_seconds : least_compilation;
}

bool op2i_trial_due(const struct op2i_trial *trial, int64_t runs, double seconds) {
  return runs >= LEAST_RUNS &&
         (double)(runs - LEAST_RUNS) * seconds >= PATIENCE * op2i_trial_expects(trial);
}

bool op2i_trials_affordable(double spent, double expected, double elapsed) {
  return PATIENCE * (spent + expected) <= elapsed - spent;
}

void op2i_trial_begin(struct op2i_trial *trial, int64_t elements, double usual) {
  trial->running = true;
  trial->elements = elements;
  trial->usual = usual;
  trial->lost = 0;
  trial->next = OP2I_TRIED_SCALAR;
  /* The first run of each form does not count: code and data are in place after it. */
  for (int f = 0; f < OP2I_TRIED_FORMS; f++) {
    trial->form[f].runs = -1;
    trial->form[f].best = trial->form[f].spent = 0;
  }
}

void op2i_trial_count(struct op2i_trial *trial, enum op2i_tried form, int64_t elements,
                      double seconds) {
  if (elements != trial->elements) return;
  const int run = trial->form[form].runs++;
  trial->next = trial->form[OP2I_TRIED_SCALAR].runs > trial->form[OP2I_TRIED_VECTOR].runs
                    ? OP2I_TRIED_VECTOR
                    : OP2I_TRIED_SCALAR;
  if (form == OP2I_TRIED_SCALAR && seconds > trial->usual) trial->lost += seconds - trial->usual;
  if (run < 0) return;
  if (run == 0 || seconds < trial->form[form].best) trial->form[form].best = seconds;
  trial->form[form].spent += seconds;
}

bool op2i_trial_compared(const struct op2i_trial *trial) {
  return trial->form[OP2I_TRIED_SCALAR].runs >= FEW && trial->form[OP2I_TRIED_VECTOR].runs >= FEW;
}

bool op2i_trial_decide(const struct op2i_trial *trial, bool *scalar) {
  const int pairs = trial->form[OP2I_TRIED_SCALAR].runs;
  const bool compared = op2i_trial_compared(trial);
  const double ratio = compared ? op2i_trial_ratio(trial) : 1;
  *scalar = ratio <= gain;
  if (trial->lost > LOSS * trial->usual + lost_seconds) return true;
  if (pairs != trial->form[OP2I_TRIED_VECTOR].runs || !compared) return false;
  if (ratio > hopeless || pairs >= MOST_PAIRS) return true;
  return pairs >= PAIRS && trial->form[OP2I_TRIED_SCALAR].spent >= enough_seconds &&
         trial->form[OP2I_TRIED_VECTOR].spent >= enough_seconds;
}

void op2i_trial_end(struct op2i_trial *trial, const char *none) {
  trial->running = false;
  trial->over = true;
  trial->none = none;
}

double op2i_trial_ratio(const struct op2i_trial *trial) {
  const double vector = trial->form[OP2I_TRIED_VECTOR].best;
  return vector > 0 ? trial->form[OP2I_TRIED_SCALAR].best / vector : 1;
}

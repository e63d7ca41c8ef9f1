/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRIAL_H
#define OP2I_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* The trial of a loop that vector code runs: its scalar code is compiled, too, once the loop has run
 * for so long that this costs little; then its runs take both forms in turn, and the faster one is
 * kept. Both give the same bits. This is the rule; what it needs is measured and done by
 * scheduler/run/try_forms.c. */

enum op2i_tried { OP2I_TRIED_VECTOR, OP2I_TRIED_SCALAR, OP2I_TRIED_FORMS };

struct op2i_trial {
  bool running, over;
  bool recalled;          /* True if the result comes from the cache */
  const char *none;       /* why there is no result, a literal; null: there is, or may be */
  double compile_seconds; /* that the compilation of its vector code took; 0: not known */
  enum op2i_tried next;   /* the form of the next run */
  int64_t elements;       /* of the runs that count */
  double usual;           /* seconds of a run before the trial */
  double lost;            /* seconds that runs of scalar code took longer than that */
  /* For each form there are the number of runs that count, the seconds of the fastest one, and the
   * seconds of all of them. */
  struct {
    int runs;
    double best, spent;
  } form[OP2I_TRIED_FORMS];
};

/* True if the loop has run for so long that its trial may begin. `seconds` is the time of a run, by
 * the clock. */
bool op2i_trial_due(const struct op2i_trial *trial, int64_t runs, double seconds);
/* The seconds that the compilation of the loop's scalar code is expected to take. */
double op2i_trial_expects(const struct op2i_trial *trial);
/* True if compilations of so many seconds may begin in a context that exists for `elapsed` seconds,
 * of which trials have taken `spent` to compile. */
bool op2i_trials_affordable(double spent, double expected, double elapsed);
/* Begin. `usual` is the time of a run, summed over workers. */
void op2i_trial_begin(struct op2i_trial *trial, int64_t elements, double usual);
/* Count a run of `seconds`, summed over workers, and choose the form of the next one. */
void op2i_trial_count(struct op2i_trial *trial, enum op2i_tried form, int64_t elements,
                      double seconds);
/* True if the trial is over; then *scalar is true if scalar code is faster. */
bool op2i_trial_decide(const struct op2i_trial *trial, bool *scalar);
/* True if each form has had enough runs to compare them. Else scalar code was so much slower that
 * the trial ended before. */
bool op2i_trial_compared(const struct op2i_trial *trial);
/* There is nothing more to do for the loop; `none` says why there is no result, or is null. */
void op2i_trial_end(struct op2i_trial *trial, const char *none);
/* The time of scalar code in units of that of vector code. */
double op2i_trial_ratio(const struct op2i_trial *trial);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRIAL_H
#define OP2I_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* The trials of a loop that vector code runs. In the first one it runs with prefetches and without
 * them in turn. In the second one its scalar code is compiled, too, once the loop has run for so long
 * that this costs little; then its runs take vector code, as the first trial left it, and scalar code
 * in turn. The faster one is kept. Both give the same bits. This is the rule; what it needs is
 * measured and done by scheduler/run/try_forms.c. */

enum op2i_trial_kind { OP2I_TRY_PREFETCH, OP2I_TRY_SCALAR, OP2I_TRIALS };
/* The two candidates that a trial compares. The usual one is vector code, in the first trial with
 * prefetches; the other one is vector code without them, or scalar code. */
enum op2i_tried { OP2I_TRIED_USUAL, OP2I_TRIED_OTHER, OP2I_TRIED_FORMS };

struct op2i_trial {
  bool running, over;
  bool recalled;          /* True if the result comes from the cache */
  const char *none;       /* why there is no result, a literal; null: there is, or may be */
  double compile_seconds; /* that the compilation of its vector code took; 0: not known */
  int64_t before;         /* runs of the loop until the end of the trial before this one */
  enum op2i_tried next;   /* the candidate that the next run takes */
  int64_t elements;       /* of the runs that count */
  double usual;           /* seconds of a run before the trial */
  double lost;            /* seconds that runs of the other one took longer than that */
  /* For each candidate there are the number of runs that count, the seconds of the fastest one, and
   * the seconds of all of them. */
  struct {
    int runs;
    double best, spent;
  } form[OP2I_TRIED_FORMS];
};

/* True if the loop has run for so long that its trial of prefetches may begin. `seconds` is the time
 * of a run, by the clock. */
bool op2i_prefetch_trial_due(int64_t runs, double seconds);
/* The same for the trial of scalar code. */
bool op2i_trial_due(const struct op2i_trial *trial, int64_t runs, double seconds);
/* The seconds that the compilation of the loop's scalar code is expected to take. */
double op2i_trial_expects(const struct op2i_trial *trial);
/* True if compilations of so many seconds may begin in a context that exists for `elapsed` seconds,
 * of which trials have taken `spent` to compile. */
bool op2i_trials_affordable(double spent, double expected, double elapsed);
/* Begin. `usual` is the time of a run, summed over workers. */
void op2i_trial_begin(struct op2i_trial *trial, int64_t elements, double usual);
/* Count a run of `seconds`, summed over workers, and choose the candidate of the next one. */
void op2i_trial_count(struct op2i_trial *trial, enum op2i_tried tried, int64_t elements,
                      double seconds);
/* True if the trial is over; then *other is true if the other candidate is faster. */
bool op2i_trial_decide(const struct op2i_trial *trial, bool *other);
/* True if both have had enough runs to compare them. Else the other one was so much slower that the
 * trial ended before. */
bool op2i_trial_compared(const struct op2i_trial *trial);
/* There is nothing more to do for the loop; `none` says why there is no result, or is null. */
void op2i_trial_end(struct op2i_trial *trial, const char *none);
/* The time of the other one in units of the usual one's. */
double op2i_trial_ratio(const struct op2i_trial *trial);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_PREDICT_H
#define MODEL_PREDICT_H

#include "machine.h"
#include "record.h"

/** @file predict.h
 * The time of a program's loops on some members, from the plans of its loops and from what its
 * elements took on a small mesh with one member. */

/** A loop on the small mesh, with one member. */
typedef struct profile_loop {
  char name[128];
  double element; /**< nanoseconds of an element */
  double set;     /**< bytes of the loop and of the one before it, the working set */
} profile_loop;

typedef struct profile {
  int nloop;
  profile_loop loops[64];
} profile;

/** The prediction that is asked for, and the workers that it is for. */
typedef struct setting {
  const machine *m;
  sim_costs costs;
  int members;
  int threads; /**< that share the memory: see machine_byte_ns() */
  /** Each block is cut into so many, and the even ones of all blocks run before the odd ones. */
  int cut;
} setting;

/** Nanoseconds of an iteration, and what they consist of. */
typedef struct prediction {
  double ns;
  double blocks; /**< in turns, if these had no costs but those of blocks */
  double alone;  /**< in loops that one member runs */
  double turns;  /**< number of turns */
  double
      queue; /**< nanoseconds that are not in `ns`: to queue loops, which comes before they run */
} prediction;

/** True if one member runs the loop by itself: the rule of backends/host/openmp.c. */
bool predict_alone(const record_step *step);

/** Learn what elements take from a record with one member. */
int profile_make(const record *r, profile *p, bench_error *error);

/** Learn from such a record what it takes to combine partial results and to go from loop to loop. */
int profile_costs(const record *r, sim_costs *costs, bench_error *error);

/** Nanoseconds of the blocks of one colour, to be freed; null without memory. */
double *predict_blocks(const profile *p, const setting *s, const record_run *run, int64_t step,
                       int32_t colour);

/** The median over a record's runs of the nanoseconds of an iteration, without what is between
 * runs. */
double record_median(const record *r, const char *marker, int times);

/** The number of iterations in a record. */
double record_iterations(const record *r, const char *marker, int times);

/** Predict an iteration from the plans in a record of the same program, of any number of members.
 */
int predict(const profile *p, const setting *s, const record *r, const char *marker, int times,
            prediction *out, bench_error *error);

#endif

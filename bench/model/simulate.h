/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_SIMULATE_H
#define MODEL_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/** @file simulate.h
 * The rule by which members of a team take the blocks of a turn, as events in simulated time. The
 * rule is that of backends/host/openmp.c and of scheduler/team/team.c, and
 * test/schedule/t747-dispatch-model.c compares it with what both of them do. Times are in
 * nanoseconds. */

/** Whose rule it is: they differ in how many blocks are taken at a time. */
typedef enum sim_team { SIM_OPENMP, SIM_STARPU } sim_team;

/** The costs of dispatch. */
typedef struct sim_costs {
  double take;    /**< to take blocks and to call the loop's code */
  double look;    /**< to read what another member has written */
  double scan;    /**< the same for each of many lines that are read one behind the other */
  double barrier; /**< of a turn's end with one member, by OpenMP's barrier */
  double member;  /**< of a turn's end, for each further member of those that wait at one line */
  double region;  /**< to call the members and let them go, for each of them, once in a run */
  double fold;    /**< to combine two partial results */
  double start;   /**< from the end of a loop to the beginning of the next one */
  double queue;   /**< to queue a loop and to find its program */
  double slice;   /**< between the moments at which a core goes on to the next of its members */
  /** All members wait at one line, and look at the shares of all, however many they are: as it was
   * before they did so in a tree, for comparison. */
  bool flat;
} sim_costs;

/** A turn. */
typedef struct sim_turn {
  sim_team team;
  int members, cores; /**< a member that has no core waits until another one has ended its part */
  int32_t blocks;
  bool joined;         /**< several blocks can run by one call */
  const double *block; /**< [blocks] how long each of them takes */
  double estimate;     /**< how long a team of starpu's workers takes a block to last */
  /** [members] their NUMA nodes: shares of the own node are looked at first; null: in order */
  const int *node;
  double phase; /**< from 0 to 1: when cores go on to other members; see sim_costs.slice */
} sim_turn;

/** Blocks that were taken together. */
typedef struct sim_take {
  int member, owner; /**< who took them, and whose share they belong to */
  int32_t first, n;
  double begin;
} sim_take;

/** The result of a simulated turn. */
typedef struct sim_result {
  double length;  /**< until the last member has ended its part */
  double busy;    /**< of all members, in blocks */
  int32_t rounds; /**< blocks of the member that ran most */
  int32_t stolen; /**< blocks that other members ran than those to whose shares they belong */
  int32_t ntake;
  sim_take *takes; /**< [ntake], in order of time */
} sim_result;

/** First block of a member's share. */
int32_t sim_share(int32_t blocks, int members, int member);

/** Run a turn; frees what *result had, which may be all zero. Returns 0, or -1 with the reason in
 * *error. */
int sim_run(const sim_turn *turn, const sim_costs *costs, sim_result *result, bench_error *error);
void sim_free(sim_result *result);

/** The costs of the end of a turn, for all members together. */
double sim_turn_end(const sim_costs *costs, int members);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_REHEARSE_H
#define MODEL_REHEARSE_H

#include "record.h"
#include "simulate.h"

/** @file rehearse.h
 * A loop whose blocks sleep for as long as they should take. Members that sleep need no core, so
 * the schedule of many members can be seen on a machine with few. */

typedef struct rehearsal {
  int members;
  int32_t blocks;
  /** Neighbouring blocks share what they modify: even ones have one colour and odd ones another. */
  bool coloured;
  bool partials;    /**< each block has a partial result, so that no two run by one call */
  const double *ms; /**< [blocks] for which each of them sleeps */
} rehearsal;

/** Run the loop on the backend openmp, twice, and read the record of the second time into *r, which is
 * all zero; `path` is a file for it. Returns 0, or -1 with the reason in *error and nothing in *r. */
int rehearse(const rehearsal *what, const char *path, record *r, bench_error *error);

/** The model's turn for a colour; its blocks are to be freed. Null blocks if memory is short. */
sim_turn rehearsal_turn(const rehearsal *what, int32_t colour);

#endif

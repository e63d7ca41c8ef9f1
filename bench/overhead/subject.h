/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVERHEAD_SUBJECT_H
#define OVERHEAD_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "op2.h"

/** @file subject.h
 * A loop to be measured, as arrays for the loops by hand and as objects of a context. */

/** Number of arguments of a shape: 1, 4 and 8. */
int shape_nargs(int shape);

typedef struct subject {
  int shape;
  int64_t elements;
  double *data[MOST_DATS];
  double sum;
  op2_context ctx; /**< null: the arrays only */
  op2_set set;
  op2_kernel kernel;
  op2_dat dats[MOST_DATS];
  op2_gbl gbl;
} subject;

/** Make the arrays, and in a context the objects, with the same values. Returns false after
 * reporting an error; subject_free() is due in either case. */
bool subject_make(subject *s, int shape, int64_t elements, op2_context ctx);
void subject_free(subject *s);

/** Queue the loop once, as an application does. */
op2_status subject_queue(const subject *s);

/** True if the objects hold the values of the arrays, up to rounding; differences are reported on
 * stderr. */
bool subject_agrees(const subject *s);

/** Report on stderr which op2 call failed and why, unless it succeeded; returns true if it did. */
bool succeeded(op2_status status, const char *call);

#endif

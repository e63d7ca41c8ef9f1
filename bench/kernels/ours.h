/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_OURS_H
#define KERNELS_OURS_H

#include "yardstick.h"

/** @file ours.h
 * A kernel as the library runs it. */

/** Start a context; without vector code if `scalar`. Returns false after reporting an error. */
bool ours_init(const char *backend, int threads, bool scalar, op2_context *ctx);

/** Make the objects of a problem in context o->ctx; ours_free() is due in either case. */
bool ours_make(ours *o, const yardstick *y, const problem *p);
void ours_free(ours *o);

/** Run a step. Returns false after reporting an error. */
bool ours_run(ours *o, const yardstick *y);

/** Run steps until the trials of both forms of code have ended, at most for half a minute. Returns
 * false after reporting an error. */
bool ours_try(ours *o, const yardstick *y);

/** Compare the results with what is expected, or keep them as such if nothing is yet; *same becomes
 * false if a bit differs. Returns false after reporting an error. */
bool ours_compare(const ours *o, problem *p, bool *same);

#endif

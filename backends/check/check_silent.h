/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_SILENT_H
#define OP2I_CHECK_SILENT_H

#include "step.h"

/* Mistakes of the program around a loop, by which no kernel breaks what its arguments say. Each is
 * warned of once, since it may also be meant. */

/* Warn of constants whose variables have other values now. */
void op2i_silent_constants(const struct op2i_step *step);

/* The values of a loop's minima and maxima before it runs; null: there are none. */
void *op2i_silent_begin(const struct op2i_step *step);
/* Warn of minima and maxima that no element has changed, and free what op2i_silent_begin()
 * returned. The results are in the globals. */
void op2i_silent_end(const struct op2i_step *step, void *before);

#endif

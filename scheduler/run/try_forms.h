/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRY_FORMS_H
#define OP2I_TRY_FORMS_H

#include "passes.h"

/* Trials of prefetches and of scalar code. Programs without a loop on trial pay nothing for them:
 * they are looked at after 1, 2, 4, 8, ... runs, when they are counted anyway, and only a program
 * with a loop on trial is looked at after each run. */

/* The program has run. Count the runs of its loops that are on trial, choose the candidates of their
 * next runs, and end trials that have a result. If `begin` is true, begin the trials that are due.
 * True if the program is to be looked at after its next run. */
bool op2i_program_tried(struct op2i_program *program, bool begin);

#endif

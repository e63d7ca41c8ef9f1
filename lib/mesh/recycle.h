/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RECYCLE_H
#define OP2I_RECYCLE_H

/* Recycling. A program may declare dats and globals in each time step and destroy them in the same
 * step. A dat or global that it destroys is kept for a while as a spare: its handle is invalid, but
 * its memory stays, and so do the loops and calls that use it, with their programs. The next one of
 * the same shape and name is the successor: it takes over the memory, and loops and calls refer to
 * it from then on. So they are found again, as if the program had kept the dat. */

#include "mesh.h"

/* Let an object that a public call has made be kept as a spare when it is destroyed, unless that is
 * switched off or the call is made inside an operation. */
void op2i_dat_recycle(op2_dat dat);
void op2i_gbl_recycle(op2_gbl gbl);
/* Look for the spare whose successor the new object is, or null. A dat takes over memory at once,
 * also that of another spare of its size. */
void *op2i_dat_predecessor(op2_dat dat);
void *op2i_gbl_predecessor(op2_gbl gbl);
/* Identifies a spare among ranks; 0 for null. */
int64_t op2i_spare_made(const void *spare);
/* Let all that refers to the spare refer to its successor, and end the spare. Takes a null spare.
 * If it is not equal on all ranks, all spares end: ranks have destroyed dats at different times. */
void op2i_spare_succeed(void *spare, void *successor, bool equal);

/* End the spares of a context, or the dats among them that are on a set, which is being freed. */
void op2i_spares_end(op2_context ctx);
void op2i_spares_end_on(op2_set set);
/* Free the memory of all spares, since memory is short; false if there is none. */
bool op2i_spares_free_memory(op2_context ctx);

#endif

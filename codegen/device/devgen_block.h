/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVGEN_BLOCK_H
#define OP2I_DEVGEN_BLOCK_H

#include "devgen.h"

/* Blocks of work items, and what they reduce. */

void op2i_devgen_blocks(struct op2i_devgen *g);             /* devgen_block.c */
void op2i_devgen_reduce(const struct op2i_devgen *g);       /* devgen_reduce.c */
void op2i_devgen_keep_reduced(const struct op2i_devgen *g); /* for op2_reduce */
/* devgen_locate.c: located reductions. The first function returns the index of an argument's first
 * value. */
int op2i_devgen_first_value(const struct op2i_devgen *g, int a);
void op2i_devgen_keep_apart(const struct op2i_devgen *g);         /* all of them, for op2_reduce */
void op2i_devgen_locate_tile(const struct op2i_devgen *g, int a); /* in op2_reduce */
void op2i_devgen_locate_all(const struct op2i_devgen *g, int a);  /* in op2_fold */

#endif

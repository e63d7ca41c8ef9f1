/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HALOS_H
#define OP2I_HALOS_H

#include "passes.h"

/* Exchanges of halos between the loops of a segment. */

/* halos.c: place the exchanges, in the order of the groups before which they end. The caller owns
 * *placed and its exchanges, also on failure. */
op2_status op2i_place_exchanges(struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping, struct op2i_placed **placed,
                                int64_t *nplaced);
/* halos_verify.c: check that all ranks have the same exchanges at the same points. Otherwise all of
 * them get OP2_ERR_FATAL, with the first exchange that differs and two ranks. Collective. */
struct op2i_program;
op2_status op2i_exchanges_verify(struct op2i_node *const *nodes,
                                 const struct op2i_program *program);
/* Mark the halos of what the operation modifies as stale, since other ranks then have old values.
 * To be called before it runs. */
void op2i_op_makes_stale(const struct op2i_op *op);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PART_METHOD_H
#define OP2I_PART_METHOD_H

#include "part.h"

/* Methods that cut a set. */

/* part_method.c: find the owners of one set, or of all if the method is blocks without a set. */
op2_status op2i_part_cut(struct op2i_parting *p, const op2_partition_options *how);
/* Store the owners of a set in a table that all ranks can query. */
op2_status op2i_part_settle(struct op2i_parting *p, int set);
op2_status op2i_part_blocks(struct op2i_parting *p, int set);
/* part_coordinates.c */
op2_status op2i_part_coordinates(struct op2i_parting *p, int set, op2_dat coordinates);
/* part_kway.c */
op2_status op2i_part_kway(struct op2i_parting *p, int map);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_DAG_H
#define OP2I_TILE_DAG_H

#include "tile_pairs.h"

/* Predecessors and critical path of a plan. */
op2_status op2i_tile_dag_make(const struct op2i_tile_pairs *pairs, struct op2i_tile_plan *plan);

#endif

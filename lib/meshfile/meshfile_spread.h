/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_SPREAD_H
#define OP2I_MESHFILE_SPREAD_H

/* Sharing out a mesh that rank 0 has read. */

#include "meshfile.h"

/* Give each rank its share, and all ranks what they have to know of the whole. Collective. */
op2_status op2i_mesh_spread(op2_mesh mesh);

#endif

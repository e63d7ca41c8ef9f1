/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GBL_H
#define OP2I_GBL_H

#include "mesh.h"

/* Globals and their versions. */

struct op2i_version *op2i_version_ref(struct op2i_version *version);
void op2i_version_unref(struct op2i_version *version);
/* Make another version with the values that this one has now; queued loops are not run. */
op2_status op2i_version_copy(op2_gbl gbl, struct op2i_version *from, struct op2i_version **out);

#endif

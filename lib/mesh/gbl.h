/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GBL_H
#define OP2I_GBL_H

#include "mesh.h"

/* Globals and their versions. */

struct op2i_version *op2i_version_ref(struct op2i_version *version);
void op2i_version_unref(struct op2i_version *version);
/* Make another version with the values that this one has now; queued loops are not run. */
op2_status op2i_version_copy(op2_gbl gbl, struct op2i_version *from, struct op2i_version **out);

/* The version that operations queued from now on use. */
struct op2i_version *op2i_gbl_now(op2_gbl gbl);
bool op2i_gbl_poisoned(op2_gbl gbl);
/* Take over a reference to another version. */
void op2i_gbl_replace(op2_gbl gbl, struct op2i_version *version);
/* Give a global a version of its own in the nested queue in use, and admit it there; and end
 * that. */
void op2i_gbl_begin_nested(op2_gbl gbl, struct op2i_version *version);
void op2i_gbl_end_nested(op2_gbl gbl);
/* Let operations in the nested queue use a global, which keeps its values when that ends. */
void op2i_gbl_admit(op2_gbl gbl);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GBL_H
#define OP2I_GBL_H

#include "mesh.h"

/* Globals and their versions. */

struct op2i_version *op2i_version_ref(struct op2i_version *version);
void op2i_version_unref(struct op2i_version *version);
/* Make another version with the values that this one has now; queued loops are not run. */
op2_status op2i_version_copy(op2_gbl gbl, struct op2i_version *from, struct op2i_version **out);

/* Make a global with these values, or zeros; ranks have not agreed on it. */
op2_status op2i_gbl_make(op2_context ctx, int dim, op2_type type, const void *data,
                         const char *name, op2_gbl *out);
/* Let ranks agree on a declaration under the program's name, and on its values; `status` is what it
 * came to on this rank. Then hand the global over, as the successor of a spare unless that is null
 * (recycle.h), or end it. */
op2_status op2i_gbl_give(op2_context ctx, op2_status status, op2_gbl gbl, void *spare,
                         const char *name, const char *call, op2_gbl *out);
/* Run what the values depend on, fail if they are poisoned, and return them in host memory. */
op2_status op2i_gbl_acquire(op2_gbl gbl, const char *call, void **data);
/* End the scopes of a global that goes, and bring the user's memory of a wrapped one up to date. */
void op2i_gbl_leave_memory(op2_gbl gbl);
/* The same for all wrapped globals; the context is ending. */
void op2i_gbls_come_home(op2_context ctx);

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

/* Set all values to zero, whatever their number. */
op2_status op2i_gbl_clear(op2_gbl gbl);

#endif

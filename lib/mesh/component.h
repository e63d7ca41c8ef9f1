/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPONENT_H
#define OP2I_COMPONENT_H

/* Components of dats have handles of the same type as dats, and a kind of their own. */

#include "mesh.h"

/* True for a dat or a component. */
static inline bool op2i_dat_or_component(const void *object) {
  return op2i_object_is(object, OP2I_DAT) || op2i_object_is(object, OP2I_COMPONENT);
}
/* Check a handle that may be either. */
op2_status op2i_dat_validate(op2_dat dat, const char *what);
/* The dat of a component; a dat is its own. */
static inline op2_dat op2i_dat_whole(op2_dat dat) { return dat->whole ? dat->whole : dat; }
/* Copy between the dat's owned rows in the library's order and the component's values in the
 * program's: out of the rows if `get` is set, else into them. */
void op2i_component_copy(op2_dat component, void *rows, void *values, bool get);

#endif

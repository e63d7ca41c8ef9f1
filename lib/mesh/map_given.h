/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAP_GIVEN_H
#define OP2I_MAP_GIVEN_H

#include "mesh.h"

/* The entries of a map as the program gives them: rows in its order, of the types and numbers that
 * op2_entries_desc describes. */
struct op2i_given {
  const char *call, *name;
  op2_set from, to;
  int arity;
  op2_entries_desc how;
  const void *idx;
};

/* The same for the library, rows in its order: either targets on this rank, or global numbers of
 * targets anywhere. */
struct op2i_converted {
  int32_t *idx;
  int64_t *global;
  unsigned char *absent; /* [from][arity] flags of entries that lead nowhere; null: none can */
};

/* Check all but the entries themselves. */
op2_status op2i_given_check(const struct op2i_given *given);
/* Check and convert the entries. After a failure *out may have memory that is to be freed. */
op2_status op2i_given_convert(const struct op2i_given *given, struct op2i_converted *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPAT_RANKS_H
#define OP2I_COMPAT_RANKS_H

#include <op2.h>

#include "op2_compat.h"

/* libop2-compat does not use MPI itself; libop2-compat-mpi fills this table of what is needed of it.
 * All functions but abort() are collective. */
struct op2_compat_ranks {
  op2_status (*begin)(op2_context *ctx); /* starts MPI if the program has not */
  void (*end)(void);                     /* ends MPI */
  void (*abort)(void);                   /* ends all ranks */
  bool (*any)(bool here);                /* true if it is true on a rank */
  int64_t (*before)(int64_t count);      /* the sum of what lower ranks give */
};

OP2_COMPAT_C_ OP2_COMPAT_API void op2_compat_use_ranks(const struct op2_compat_ranks *ranks);

#endif

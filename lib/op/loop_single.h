/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_SINGLE_H
#define OP2I_LOOP_SINGLE_H

#include <stdbool.h>

#include "op2/loop.h"
#include "set.h"

/* Arguments of loops by which all elements reach one row: dats through maps to a set with one element
 * that all ranks share, and matrices whose rows and columns both are of such sets. Elements would
 * have to take turns there, and ranks to wait for each other. So a global takes the place of the
 * row: it is reduced into, and loops of the library before and after copy values. */

/* A row that a loop reaches from all elements: of a dat, or of the values of a matrix. */
struct op2i_single_use {
  op2_dat dat;
  bool reads;
  struct op2i_loop
      *copy; /* copies the row to its global, or adds the global to it; counts as a use */
};

struct op2i_single {
  op2_where where;
  int nargs, nuses;
  op2_arg *args;                /* [nargs] with globals */
  struct op2i_single_use *uses; /* [nuses] each once */
};

/* True if the call has such arguments. Handles need not be valid. */
bool op2i_single_among(op2_set set, int nargs, const op2_arg *args);
static inline bool op2i_single_any(op2_set set, int nargs, const op2_arg *args) {
  return op2i_single_declared && op2i_single_among(set, nargs, args);
}
/* Replace the arguments of a call. After a failure nothing is to be closed. */
op2_status op2i_single_open(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                            const op2_arg *args, struct op2i_single *out);
/* Queue what has to run before the loop, and after it. */
op2_status op2i_single_before(const struct op2i_single *single);
op2_status op2i_single_after(const struct op2i_single *single);
void op2i_single_close(struct op2i_single *single);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_SUMS_H
#define OP2I_LOOP_SUMS_H

#include "context.h"
#include "contributions.h"
#include "loop_in_place.h"
#include "op2/loop.h"
#include "scheduler.h"

/* Sums of deterministic mode, which do not depend on ranks: what a loop adds to dats and matrices
 * through maps goes to contributions (contributions.h), which loops of the library add up
 * afterwards, or is added in place where the order is the same (loop_in_place.h); what it adds to globals goes to a dat over its set, whose exact sum (exact_sum.h) is
 * added to the global. Integers are left as they are: their sums have no rounding errors. */

/* One sum of a loop, which is added up after it. */
struct op2i_sum {
  op2_dat dat; /* contributions, or terms of the global */
  op2_gbl gbl; /* null: the sums go to `into` */
  op2_dat into;
  op2_map map; /* to the elements of `into` */
  struct op2i_contributions *contributions;
  struct op2i_contributed *contributed;
  struct op2i_added_slots through; /* of the map */
  int arg;                         /* the first argument that has the dat */
  /* True if the dat is filled with zeros before the loop, since the loop adds to it. Else it
   * overwrites the dat, and its copies start at zero. */
  bool filled;
  op2_kernel clear; /* fills it; null: not requested yet */
  /* These are queued with the loop. They are made before anything is queued, and each counts as a use,
   * so that a loop that is kept can be queued when the handles of its arguments are gone. */
  struct op2i_loop *fill;           /* null: not filled */
  struct op2i_loop *save, *restore; /* for loops that add in place; else null */
  struct op2i_loop **add;      /* [nadd] one for each block row; null: the sums go to a global */
  struct op2i_user_call *call; /* adds the terms to the global; else null */
  int nadd;
};

/* A loop's call with its sums. */
struct op2i_sums {
  op2_where where;
  int nargs, nsums;
  bool subset;           /* the loop runs over a subset */
  bool nested;           /* made inside an operation, so contributions are those of loops there */
  op2_arg *args;         /* [nargs], with contributions and terms in place of what is added to */
  struct op2i_sum *sums; /* [nsums] */
  struct op2i_in_place in_place;
  /* Arguments as given, for a loop that is kept; the sums have references to their objects. Null
   * for a call. */
  op2_arg *given;
};

/* True if the call has such arguments, in a context in deterministic mode. Handles need not be
 * valid. */
bool op2i_sums_among(op2_set set, int nargs, const op2_arg *args);
static inline bool op2i_sums_any(op2_set set, int nargs, const op2_arg *args) {
  return op2i_deterministic_begun && op2i_sums_among(set, nargs, args);
}
/* Check a call, and replace its arguments. `keep`: for a loop that is kept. Collective; a loop that is
 * kept fails on all ranks if it fails on one. After a failure nothing is to be closed. */
op2_status op2i_sums_open(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                          const op2_arg *args, bool keep, struct op2i_sums *out);
/* True for the sums of a loop that was made outside of an operation and is queued inside of one, or
 * the reverse: its contributions belong to others there. */
bool op2i_sums_elsewhere(const struct op2i_sums *sums, op2_context ctx);
/* Queue what has to run before the loop, and after it. Nothing runs yet, in eager mode as well. */
op2_status op2i_sums_before(const struct op2i_sums *sums);
op2_status op2i_sums_after(const struct op2i_sums *sums);
void op2i_sums_close(struct op2i_sums *sums);

#endif

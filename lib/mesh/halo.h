/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HALO_H
#define OP2I_HALO_H

/* The rows of a set that are sent between ranks. A rank that has an element of another rank in its
 * halo receives the values from the owner. Both ranks list the rows in the order of the receiver's
 * halo, so that messages carry values and nothing else. */

#include <stdint.h>

#include "comm.h"

enum op2i_halo_part { OP2I_HALO_EXEC, OP2I_HALO_NONEXEC, OP2I_HALO_PARTS };

struct op2i_rows {
  int64_t n;
  int32_t *row;
};

struct op2i_neighbour {
  int rank;
  struct op2i_rows out[OP2I_HALO_PARTS]; /* owned here, in that part of the neighbour's halo */
  struct op2i_rows in[OP2I_HALO_PARTS];  /* owned there, in that part of this rank's halo */
};

struct op2i_halo {
  int64_t global_size;            /* owned elements of all ranks */
  int64_t parts[OP2I_HALO_PARTS]; /* elements in each part, over all ranks */
  int64_t *global; /* [total] global numbers, in [0, global_size); null: first, first + 1, ... */
  int64_t first;
  bool tabled;    /* if null, `global` is made when a loop needs it: op2i_set_numbers_at() */
  int32_t *owner; /* [halo] */
  int n;
  struct op2i_neighbour *neighbours; /* sorted by rank */
};

/* Make a halo. The set has elements [0, ends[1]) of its own, and elements [ends[1], ends[2]) (exec)
 * and [ends[2], ends[3]) (non-exec) of other ranks; global[ends[3]] are their global numbers, and
 * owner[ends[3] - ends[1]] the owners of the halo elements. Checks that the ranks agree: each
 * element is owned once, by the rank that other ranks name as its owner. Collective. */
op2_status op2i_halo_make(struct op2i_comm *comm, const int64_t ends[4], const int64_t *global,
                          const int32_t *owner, const char *name, struct op2i_halo **halo);
/* Make the halo of a set in blocks: each rank has the next `size` elements, and no rank has
 * elements of another. Collective. */
op2_status op2i_halo_make_block(struct op2i_comm *comm, int64_t size, struct op2i_halo **halo);
void op2i_halo_free(struct op2i_halo *halo);
static inline int64_t op2i_halo_number(const struct op2i_halo *halo, int64_t element) {
  return halo->global ? halo->global[element] : halo->first + element;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HALO_H
#define OP2I_HALO_H

/* Which rows of a set travel between ranks. A rank that has an element of another in its halo gets
 * its values from there; who owns it sends them. Both sides have the rows in one order, that of the
 * receiver's halo, so that messages carry values and nothing else. */

#include <stdint.h>

#include "comm.h"

enum op2i_halo_part { OP2I_HALO_EXEC, OP2I_HALO_NONEXEC, OP2I_HALO_PARTS };

struct op2i_rows {
  int64_t n;
  int32_t *row;
};

struct op2i_neighbour {
  int rank;
  struct op2i_rows out[OP2I_HALO_PARTS]; /* owned here, in that part of the halo there */
  struct op2i_rows in[OP2I_HALO_PARTS];  /* in that part of the halo here */
};

struct op2i_halo {
  int64_t global_size;            /* owned elements of all ranks */
  int64_t parts[OP2I_HALO_PARTS]; /* elements there of all ranks */
  int64_t *global; /* [total] numbers that all ranks know elements by, from 0 to global_size - 1; null: */
  int64_t first;   /* those from here on */
  bool tabled;     /* global is made, if it is null, when a loop asks for it: op2i_set_numbers_at() */
  int32_t *owner;  /* [halo] */
  int n;
  struct op2i_neighbour *neighbours; /* in the order of their ranks */
};

/* Collective. The set has elements [0, ends[1]) of its own and [ends[1], ends[2]), [ends[2], ends[3])
 * of others; global[ends[3]] says which, owner[ends[3] - ends[1]] whose. That all ranks together say
 * so is looked at: each element is owned once, and whoever is expected to own one does. */
op2_status op2i_halo_make(struct op2i_comm *comm, const int64_t ends[4], const int64_t *global,
                          const int32_t *owner, const char *name, struct op2i_halo **halo);
/* Collective. The next `size` elements of each rank, which nobody else has. */
op2_status op2i_halo_make_block(struct op2i_comm *comm, int64_t size, struct op2i_halo **halo);
void op2i_halo_free(struct op2i_halo *halo);
static inline int64_t op2i_halo_number(const struct op2i_halo *halo, int64_t element) {
  return halo->global ? halo->global[element] : halo->first + element;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROFILE_H
#define OP2I_PROFILE_H

#include "mesh.h"
#include "op2/loop.h"

/* A line of the profile: what all loops of one kernel over one set have cost. It lives as long as
 * kernel and set, whatever becomes of the dats. */
struct op2i_profile_line {
  struct op2i_profile_line *next; /* in the order in which loops of the lines were first made */
  op2_kernel kernel;
  op2_set set;
  int64_t calls, elements;
  double seconds, bytes;
  int64_t calls_gone; /* calls of loops that have been freed */
};

/* Find or make the line of a kernel and a set in a list. */
op2_status op2i_profile_line(struct op2i_profile_line **list, op2_kernel kernel, op2_set set,
                             struct op2i_profile_line **line);
/* Loops of kernels and sets that are destroyed have cost this, by the names of these. */
struct op2i_profile_past {
  struct op2i_profile_past *next;
  char *kernel, *set;
  int64_t calls, elements;
  double seconds, bytes;
};

/* The past of so many pairs of names is kept; further ones are forgotten. */
enum { OP2I_PROFILE_PAST_MOST = 1024 };

/* Drop the lines of a kernel or set, and add their figures to the past if there is memory. */
void op2i_profile_forget(struct op2i_profile_line **list, struct op2i_profile_past **past,
                         const void *object);
void op2i_profile_free(struct op2i_profile_line **list, struct op2i_profile_past **past);

#endif

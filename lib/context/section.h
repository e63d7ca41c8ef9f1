/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SECTION_H
#define OP2I_SECTION_H

#include "context.h"

/* The sections of a program (op2_section_begin()): a tree, in which those of one name within one
 * other are the same. Section 0 is the whole program. An operation belongs to the section that is
 * open when it is queued, and its time counts there whenever it runs. */

struct op2i_program_section {
  char *name; /* null: the whole program */
  int32_t parent, depth;
  int64_t calls, loops;  /* times that it began; loops queued in it that have run */
  double worker_seconds; /* time of these loops, summed over workers; none of those of inner ones */
  double between;        /* seconds from its beginnings to its ends */
  int64_t began;         /* nanoseconds */
  int32_t what;          /* number of its name in the trace */
};

struct op2i_sections {
  struct op2i_program_section *list; /* [n], each behind its parent */
  int64_t n, capacity;
  int32_t open; /* the innermost one that has begun and not ended */
};

/* The section that is open: 0 where the program has none. */
static inline int32_t op2i_section_open(op2_context ctx) {
  return ctx->sections ? ctx->sections->open : 0;
}
/* Close what is open, when the context ends; and free the list. */
void op2i_sections_end(op2_context ctx);
void op2i_sections_free(op2_context ctx);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SLAB_H
#define OP2I_SLAB_H

#include <stddef.h>

/* Memory for the values of queued loops. Freed pieces are reused for those of the same
 * size, so that a time loop allocates in its first steps only. Memory is kept up to the
 * most that was in use at once. */
enum { OP2I_SLAB_GRAIN = 16, OP2I_SLAB_SIZES = 65 };

struct op2i_slab {
  void *spare[OP2I_SLAB_SIZES]; /* free pieces by size in grains, linked through their first word */
  void *chunks;                 /* all chunks, linked likewise */
  unsigned char *at;            /* what has not been handed out of the newest chunk */
  size_t left;
  size_t large; /* bytes in use of pieces larger than the largest size */
};

/* A piece aligned to a grain; null: no memory. The caller passes its size again when it
 * gives the piece back. */
void *op2i_slab_take(struct op2i_slab *slab, size_t bytes);
void op2i_slab_give(struct op2i_slab *slab, void *piece, size_t bytes);
/* Free all chunks with their pieces. Pieces larger than the largest size stay. */
void op2i_slab_clear(struct op2i_slab *slab);

#endif

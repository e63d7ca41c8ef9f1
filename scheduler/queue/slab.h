/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SLAB_H
#define OP2I_SLAB_H

#include <stddef.h>

/* Memory for what every queued loop carries: given back pieces are handed out again to those of the
 * same size, so that a time loop allocates in its first steps only. Memory is held up to the most
 * that was in use. */
enum { OP2I_SLAB_GRAIN = 16, OP2I_SLAB_SIZES = 65 };

struct op2i_slab {
  void *spare[OP2I_SLAB_SIZES]; /* by size in grains, linked through their first word */
  void *chunks;                 /* all, linked likewise */
  unsigned char *at;            /* of the newest chunk, what was never handed out */
  size_t left;
  size_t large; /* bytes of pieces larger than the largest size that are in use */
};

/* Aligned to a grain; null when there is no memory. What is given back says its size again. */
void *op2i_slab_take(struct op2i_slab *slab, size_t bytes);
void op2i_slab_give(struct op2i_slab *slab, void *piece, size_t bytes);
/* Free everything; the pieces too, but for those larger than the largest size. */
void op2i_slab_clear(struct op2i_slab *slab);

#endif

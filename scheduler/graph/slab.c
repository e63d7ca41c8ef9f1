/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the values of queued nodes: small pieces of chunks that are reused. */
#include "slab.h"

#include "mem.h"

enum { CHUNK = 16 * 1024 };

static size_t grains(size_t bytes) {
  return bytes ? (bytes + OP2I_SLAB_GRAIN - 1) / OP2I_SLAB_GRAIN : 1;
}

static int add_chunk(struct op2i_slab *slab) {
  unsigned char *chunk = op2i_malloc(CHUNK);
  if (!chunk) return -1;
  *(void **)(void *)chunk = slab->chunks;
  slab->chunks = chunk;
  slab->at = chunk + OP2I_SLAB_GRAIN;
  slab->left = CHUNK - OP2I_SLAB_GRAIN;
  return 0;
}

void *op2i_slab_take(struct op2i_slab *slab, size_t bytes) {
  size_t size = grains(bytes);
  if (size >= OP2I_SLAB_SIZES) {
    void *alone = op2i_malloc(bytes);
    if (alone) slab->large += bytes;
    return alone;
  }
  void *piece = slab->spare[size];
  if (piece) {
    slab->spare[size] = *(void **)piece;
    return piece;
  }
  if (slab->left < size * OP2I_SLAB_GRAIN && add_chunk(slab)) return NULL;
  piece = slab->at;
  slab->at += size * OP2I_SLAB_GRAIN;
  slab->left -= size * OP2I_SLAB_GRAIN;
  return piece;
}

void op2i_slab_give(struct op2i_slab *slab, void *piece, size_t bytes) {
  size_t size = grains(bytes);
  if (size >= OP2I_SLAB_SIZES) {
    op2i_free(piece);
    slab->large -= bytes;
    return;
  }
  *(void **)piece = slab->spare[size];
  slab->spare[size] = piece;
}

void op2i_slab_clear(struct op2i_slab *slab) {
  for (void *chunk = slab->chunks, *next; chunk; chunk = next) {
    next = *(void **)chunk;
    op2i_free(chunk);
  }
  *slab = (struct op2i_slab){0};
}

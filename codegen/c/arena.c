/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a translation, freed as a whole. */
#include "arena.h"

#include <string.h>

#include "mem.h"

struct chunk {
  struct chunk *next;
};

enum { CHUNK = 32768, ALIGNMENT = 16 };

void *op2i_arena_take(struct op2i_arena *arena, size_t bytes) {
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes > arena->left) {
    size_t room = bytes > CHUNK ? bytes : CHUNK;
    struct chunk *chunk = op2i_malloc(ALIGNMENT + room);
    if (!chunk) {
      arena->failed = true;
      return NULL;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->at = (char *)chunk + ALIGNMENT;
    arena->left = room;
  }
  void *taken = arena->at;
  arena->at += bytes;
  arena->left -= bytes;
  return memset(taken, 0, bytes);
}

const char *op2i_arena_string(struct op2i_arena *arena, const char *text, size_t length) {
  char *copy = op2i_arena_take(arena, length + 1);
  return copy ? memcpy(copy, text, length) : "";
}

void op2i_arena_free(struct op2i_arena *arena) {
  for (struct chunk *chunk = arena->chunks; chunk;) {
    struct chunk *next = chunk->next;
    op2i_free(chunk);
    chunk = next;
  }
  *arena = (struct op2i_arena){0};
}

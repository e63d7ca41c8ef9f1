/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ARENA_H
#define OP2I_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that is freed as a whole. Zero-initialise. */
struct op2i_arena {
  void *chunks;
  char *at;
  size_t left;
  bool failed; /* an allocation has failed */
};

/* The memory is zeroed; null without memory. */
void *op2i_arena_take(struct op2i_arena *arena, size_t bytes);
/* The result is a copy of the text, or "" without memory. */
const char *op2i_arena_string(struct op2i_arena *arena, const char *text, size_t length);
void op2i_arena_free(struct op2i_arena *arena);

#endif

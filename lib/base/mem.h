/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MEM_H
#define OP2I_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All memory of the library is allocated by these functions; a test makes the N-th call fail, for
 * every N. */
void *op2i_malloc(size_t bytes);
void *op2i_calloc(size_t count, size_t bytes);
void *op2i_realloc(void *old, size_t bytes); /* on failure `old` stays valid */
char *op2i_strdup(const char *text);
void op2i_free(void *memory);

/* Memory for data is aligned to 64 bytes; from 2 MiB on it is aligned to huge pages, and may be on
 * them. Only op2i_free_data() frees it, and accepts no other pointers but null. */
enum { OP2I_HUGE_PAGE = 2 << 20 };
void *op2i_alloc_raw(size_t bytes);
/* All bytes are zero. New pages from the system are not written: each belongs to the NUMA node of
 * the core that first writes to it. */
void *op2i_alloc_data(size_t bytes);
void op2i_free_data(void *data);

/* Keep memory for data until op2i_free_data() has been called once more, by any thread. */
void op2i_hold_data(void *data);
/* True if others than the one that allocated it keep the memory. */
bool op2i_data_held(void *data);

/* Return freed memory to the system, after work that needed much memory for a short time. */
void op2i_mem_give_back(void);

/* Make space for one more element in a growing array: doubles *capacity when count has reached it.
 * Returns 0, or -1 with the array unchanged. */
int op2i_grow(void *array_of_pointer, size_t element_bytes, int64_t count, int64_t *capacity);

/* Make space for `count` elements in total, by doubling the capacity or setting it to `count`.
 * Returns like op2i_grow(). */
int op2i_reserve(void *array_of_pointer, size_t element_bytes, int64_t count, int64_t *capacity);

/* Fault injection: the n-th allocation from now (1 = the next) returns NULL, once; 0 disarms.
 * Returns how many allocations were made since the last call. */
int64_t op2i_mem_fail_at(int64_t n);
/* The same fault injection for allocations of the calling thread. */
int64_t op2i_mem_fail_here_at(int64_t n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* All memory of the library, with fault injection; data on aligned and huge pages; growing
 * arrays. */
#include "mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static _Atomic int64_t allocations;
static _Atomic int64_t fail_at; /* value of `allocations` at which to fail; 0: never */

static _Thread_local int64_t allocations_here, fail_here_at; /* the same for one thread */

static int denied(void) {
  int64_t n = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;
  return n == atomic_load_explicit(&fail_at, memory_order_relaxed) ||
         ++allocations_here == fail_here_at;
}

int64_t op2i_mem_fail_at(int64_t n) {
  int64_t made = atomic_exchange(&allocations, 0);
  atomic_store(&fail_at, n);
  return made;
}

int64_t op2i_mem_fail_here_at(int64_t n) {
  int64_t made = allocations_here;
  allocations_here = 0;
  fail_here_at = n;
  return made;
}

void *op2i_malloc(size_t bytes) { return denied() ? NULL : malloc(bytes ? bytes : 1); }

void *op2i_calloc(size_t count, size_t bytes) {
  return denied() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
}

void *op2i_realloc(void *old, size_t bytes) {
  return denied() ? NULL : realloc(old, bytes ? bytes : 1);
}

char *op2i_strdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = op2i_malloc(bytes);
  if (copy) memcpy(copy, text, bytes);
  return copy;
}

void op2i_free(void *memory) { free(memory); }

enum { LINE = 64 };

/* Below 2 MiB huge pages only cost time for clearing. */
static size_t alignment(size_t bytes) { return bytes >= OP2I_HUGE_PAGE ? OP2I_HUGE_PAGE : LINE; }

/* This stands just before data. It has the block of memory that they are in, and the number of their
 * holders beside the one that allocated them. */
struct origin {
  void *block;
  atomic_size_t holders;
};

static struct origin *origin_of(void *data) { return (struct origin *)data - 1; }

/* The start of the data in a block of memory. */
static void *place_data(void *block, size_t bytes) {
  size_t align = alignment(bytes);
  if (!block) return NULL;
  char *data = (char *)block + sizeof(struct origin);
  data += -(uintptr_t)data % align;
  origin_of(data)->block = block;
  atomic_init(&origin_of(data)->holders, 0);
  if (align == OP2I_HUGE_PAGE) madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

/* The size in bytes of the block for `bytes` of data, or 0 if no object can be that large. */
static size_t room_for(size_t bytes) {
  size_t more = sizeof(struct origin) + alignment(bytes);
  return bytes > PTRDIFF_MAX - more ? 0 : bytes + more;
}

void *op2i_alloc_raw(size_t bytes) {
  size_t room = room_for(bytes);
  return room ? place_data(op2i_malloc(room), bytes) : NULL;
}

void *op2i_alloc_data(size_t bytes) {
  size_t room = room_for(bytes);
  return room ? place_data(op2i_calloc(1, room), bytes) : NULL;
}

void op2i_hold_data(void *data) {
  if (data) atomic_fetch_add(&origin_of(data)->holders, 1);
}

bool op2i_data_held(void *data) { return atomic_load(&origin_of(data)->holders) > 0; }

void op2i_free_data(void *data) {
  if (data && !atomic_fetch_sub(&origin_of(data)->holders, 1)) free(origin_of(data)->block);
}

int op2i_reserve(void *array_of_pointer, size_t element_bytes, int64_t count, int64_t *capacity) {
  enum { FIRST = 8 };
  if (count <= *capacity) return 0;
  int64_t larger = *capacity ? 2 * *capacity : FIRST;
  if (larger < count) larger = count;
  void **array = array_of_pointer;
  void *grown = op2i_realloc(*array, (size_t)larger * element_bytes);
  if (!grown) return -1;
  *array = grown;
  *capacity = larger;
  return 0;
}

/* The C library keeps freed memory below the last piece in use. Where a program brings its own
 * allocator, this is the first call into glibc's, which then initialises itself; if two threads do
 * so at once, the program ends later. */
void op2i_mem_give_back(void) {
#ifdef __GLIBC__
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  (void)malloc_trim(0);
  pthread_mutex_unlock(&lock);
#endif
}

int op2i_grow(void *array_of_pointer, size_t element_bytes, int64_t count, int64_t *capacity) {
  return op2i_reserve(array_of_pointer, element_bytes, count + 1, capacity);
}

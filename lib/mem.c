/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic int64_t allocations;
static _Atomic int64_t fail_at; /* value of `allocations` at which to fail, 0 never */

static int denied(void) {
  int64_t n = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;
  return n == atomic_load_explicit(&fail_at, memory_order_relaxed);
}

int64_t op2i_mem_fail_at(int64_t n) {
  int64_t made = atomic_exchange(&allocations, 0);
  atomic_store(&fail_at, n);
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

void *op2i_alloc_raw(size_t bytes) {
  /* Below 2 MiB huge pages only cost clearing time. */
  enum { LINE = 64, HUGE_PAGE = 2 << 20 };
  size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
  if (bytes > SIZE_MAX - HUGE_PAGE || denied()) return NULL;
  size_t room = bytes ? (bytes + LINE - 1) / LINE * LINE : LINE;
  void *data = aligned_alloc(align, (room + align - 1) / align * align);
  if (!data) return NULL;
  if (align == HUGE_PAGE) madvise(data, room, MADV_HUGEPAGE);
  return data;
}

void *op2i_alloc_data(size_t bytes) {
  void *data = op2i_alloc_raw(bytes);
  if (data) memset(data, 0, bytes ? bytes : 1);
  return data;
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

int op2i_grow(void *array_of_pointer, size_t element_bytes, int64_t count, int64_t *capacity) {
  return op2i_reserve(array_of_pointer, element_bytes, count + 1, capacity);
}

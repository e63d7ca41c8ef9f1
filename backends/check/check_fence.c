/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: rows between fences. The pages of all frames are one unnamed file in memory, which
 * is mapped twice: in one piece for the library, and row by row for kernels, into a range of
 * addresses that is inaccessible otherwise. This takes address space, not memory. */
#define _GNU_SOURCE
#include "check_fence.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "file.h"

/* A process may have about 65,000 mappings. */
enum { MAPPINGS_MAX = 20000, GAP_MOST = 32 << 20, GAP_LEAST = 128 << 10, GAP_STEP = 16 };

size_t op2i_fence_page(void) {
  long page = sysconf(_SC_PAGESIZE);
  return page > 0 ? (size_t)page : 4096;
}

static size_t row_pages(const struct op2i_check_row *row) {
  return row->before + row->bytes + row->after;
}

static void place_rows(struct op2i_check *check) {
  size_t at = check->fence.gap;
  for (int r = 0; r < check->nrows; r++) {
    struct op2i_check_row *row = &check->rows[r];
    row->seen = at + row->before;
    at += row_pages(row) + check->fence.gap;
  }
  check->fence.view_bytes = at;
}

static bool reserve(struct op2i_check *check) {
  struct op2i_fence *fence = &check->fence;
  for (fence->gap = GAP_MOST; fence->gap >= GAP_LEAST; fence->gap /= GAP_STEP) {
    place_rows(check);
    void *at = mmap(NULL, OP2I_CHECK_FRAMES * fence->view_bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    fence->views = at;
    return true;
  }
  return false;
}

/* A row that may stand for another row, which is modified, cannot be read-only. */
static bool show_row(struct op2i_check *check, int frame, const struct op2i_check_row *row) {
  int rights =
      row->own_role == OP2I_ROW_READ && !row->may_share ? PROT_READ : PROT_READ | PROT_WRITE;
  if (row->own_role == OP2I_ROW_TRAP) return true;
  size_t from = (size_t)frame * check->frame_bytes + row->at - row->before;
  return mmap(check->view[frame] + row->seen - row->before, row_pages(row), rights,
              MAP_SHARED | MAP_FIXED, check->fence.file, (off_t)from) != MAP_FAILED;
}

static bool make_memory(struct op2i_check *check) {
  struct op2i_fence *fence = &check->fence;
#ifdef MFD_CLOEXEC
  fence->file = op2i_file_above_streams(memfd_create("op2 checked mode", MFD_CLOEXEC));
#endif
  fence->memory_bytes = OP2I_CHECK_FRAMES * check->frame_bytes;
  if (fence->file < 0 || ftruncate(fence->file, (off_t)fence->memory_bytes)) return false;
  void *at = mmap(NULL, fence->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fence->file, 0);
  if (at == MAP_FAILED) return false;
  fence->memory = at;
  return true;
}

bool op2i_fence_open(struct op2i_check *check) {
  struct op2i_fence *fence = &check->fence;
  *fence = (struct op2i_fence){.file = -1, .page = op2i_fence_page()};
  bool good =
      check->nrows * OP2I_CHECK_FRAMES * 2 < MAPPINGS_MAX && make_memory(check) && reserve(check);
  for (int f = 0; good && f < OP2I_CHECK_FRAMES; f++) {
    check->frame[f] = fence->memory + (size_t)f * check->frame_bytes;
    check->view[f] = fence->views + (size_t)f * fence->view_bytes;
    for (int r = 0; good && r < check->nrows; r++) good = show_row(check, f, &check->rows[r]);
  }
  fence->up = good;
  if (!good) op2i_fence_close(check);
  return good;
}

void op2i_fence_close(struct op2i_check *check) {
  struct op2i_fence *fence = &check->fence;
  if (fence->views) munmap(fence->views, OP2I_CHECK_FRAMES * fence->view_bytes);
  if (fence->memory) munmap(fence->memory, fence->memory_bytes);
  if (fence->file >= 0) close(fence->file);
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) check->frame[f] = check->view[f] = NULL;
  *fence = (struct op2i_fence){.file = -1};
}

int op2i_fence_row(const struct op2i_check *check, int frame, const void *address,
                   ptrdiff_t *offset) {
  const struct op2i_fence *fence = &check->fence;
  uintptr_t at = (uintptr_t)address, view = (uintptr_t)check->view[frame];
  if (!fence->up || at < view || at - view >= fence->view_bytes) return -1;
  size_t in_view = at - view;
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (in_view + row->before + fence->gap / 2 >= row->seen &&
        in_view < row->seen + row->bytes + row->after + fence->gap / 2) {
      *offset = (ptrdiff_t)in_view - (ptrdiff_t)row->seen;
      return r;
    }
  }
  return -1;
}

void op2i_fence_lower(const struct op2i_check *check, const void *address) {
  uintptr_t page = (uintptr_t)address / check->fence.page * check->fence.page;
  (void)mprotect((unsigned char *)address - ((uintptr_t)address - page), check->fence.page,
                 PROT_READ);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of devices that the library has allocated, and its limit. Devices are slow to allocate, and
 * some wait for all of their work before they release memory. So released blocks are kept for reuse,
 * which waits for nothing: the device works in the order in which work is submitted. */
#include <string.h>

#include "device.h"
#include "error.h"
#include "mem.h"

/* Small blocks have one size, in bytes, and all of them are kept. A value of a global fits into one,
 * and each new value of a global takes one. */
enum { SMALL = 256 };
/* Other blocks are kept for requests of exactly their size, as long as they are no more than one
 * part in this many of the device's memory. */
enum { KEPT_PART = 16 };

static bool is_small(const struct op2i_device *device, size_t bytes) {
  return bytes <= SMALL && !device->kind->in_host_memory;
}

/* ---- blocks that are kept -------------------------------------------------------------------- */

static int64_t kept_bytes(const struct op2i_device_memory *memory) {
  return memory->nspare * SMALL + memory->kept_bytes;
}

static struct op2i_device_block remove_kept(struct op2i_device_memory *memory, int64_t k) {
  struct op2i_device_block removed = memory->kept[k];
  memory->kept_bytes -= removed.bytes;
  memory->nkept--;
  memmove(&memory->kept[k], &memory->kept[k + 1],
          (size_t)(memory->nkept - k) * sizeof *memory->kept);
  return removed;
}

static void release_kept(struct op2i_device *device) {
  struct op2i_device_memory *memory = &device->memory;
  while (memory->nspare > 0) device->kind->release(device, memory->spare[--memory->nspare]);
  while (memory->nkept > 0)
    device->kind->release(device, remove_kept(memory, memory->nkept - 1).memory);
}

void op2i_device_memory_close(struct op2i_device *device) {
  release_kept(device);
  op2i_free(device->memory.spare);
  op2i_free(device->memory.kept);
  op2i_free(device->memory.blocks);
  device->memory = (struct op2i_device_memory){0};
}

static bool keep_small(struct op2i_device_memory *memory, void *made) {
  if (op2i_grow(&memory->spare, sizeof *memory->spare, memory->nspare, &memory->spare_capacity))
    return false;
  memory->spare[memory->nspare++] = made;
  return true;
}

/* The blocks that were released longest ago make room. */
static bool keep_large(struct op2i_device *device, struct op2i_device_block block) {
  struct op2i_device_memory *memory = &device->memory;
  int64_t room = device->limits.memory_bytes / KEPT_PART;
  if (block.bytes > room || device->kind->in_host_memory ||
      op2i_grow(&memory->kept, sizeof *memory->kept, memory->nkept, &memory->kept_capacity))
    return false;
  while (memory->kept_bytes + block.bytes > room)
    device->kind->release(device, remove_kept(memory, 0).memory);
  memory->kept[memory->nkept++] = block;
  memory->kept_bytes += block.bytes;
  return true;
}

static void *reuse_small(struct op2i_device_memory *memory) {
  int64_t first = 0;
  if (memory->nspare == 0) return NULL;
  for (int64_t k = 1; k < memory->nspare; k++)
    if ((uintptr_t)memory->spare[k] < (uintptr_t)memory->spare[first]) first = k;
  void *made = memory->spare[first];
  memory->spare[first] = memory->spare[--memory->nspare];
  return made;
}

/* Return a kept block of this size; null: there is none. It is the one with the lowest address, so
 * that time steps that allocate and release as much get the same blocks in each of them, and graphs
 * of their launches stay as they are. */
static void *reuse(struct op2i_device *device, size_t bytes) {
  struct op2i_device_memory *memory = &device->memory;
  int64_t first = -1;
  if (is_small(device, bytes)) return reuse_small(memory);
  for (int64_t k = 0; k < memory->nkept; k++)
    if (memory->kept[k].bytes == (int64_t)bytes &&
        (first < 0 || (uintptr_t)memory->kept[k].memory < (uintptr_t)memory->kept[first].memory))
      first = k;
  return first < 0 ? NULL : remove_kept(memory, first).memory;
}

/* ---- allocating and releasing ---------------------------------------------------------------- */

static op2_status check_free_memory(struct op2i_device *device, size_t bytes) {
  struct op2i_device_memory *memory = &device->memory;
  const char *name = device->limits.name;
  memory->asked++;
  if (memory->fail_every && memory->asked % memory->fail_every == 0)
    return op2i_error(OP2_ERR_NOMEM, "out of memory on %s, as a test wants it", name);
  if (memory->limit && memory->used + (int64_t)bytes > memory->limit)
    return op2i_error(
        OP2_ERR_NOMEM,
        "out of memory on %s: of %lld bytes that OP2_DEVICE_MEMORY allows %lld are in "
        "use, and %lld more are needed",
        name, (long long)memory->limit, (long long)memory->used, (long long)bytes);
  if (op2i_grow(&memory->blocks, sizeof *memory->blocks, memory->nblocks, &memory->capacity))
    return op2i_error_nomem("memory of a device");
  return OP2_SUCCESS;
}

/* Kept blocks count towards the limit, and are released where they are in the way. */
static op2_status make_block(struct op2i_device *device, size_t bytes, void **made) {
  struct op2i_device_memory *memory = &device->memory;
  int64_t kept = kept_bytes(memory);
  if (memory->limit && memory->used + kept + (int64_t)bytes > memory->limit) release_kept(device);
  op2_status status = device->kind->alloc(device, bytes, made);
  if (status != OP2_ERR_NOMEM || kept_bytes(memory) == 0) return status;
  release_kept(device);
  return device->kind->alloc(device, bytes, made);
}

op2_status op2i_device_alloc(struct op2i_device *device, size_t bytes, void **out) {
  struct op2i_device_memory *memory = &device->memory;
  if (is_small(device, bytes)) bytes = SMALL;
  op2_status status = check_free_memory(device, bytes);
  if (status) return status;
  void *made = reuse(device, bytes);
  if (!made) status = make_block(device, bytes, &made);
  if (status) return status;
  memory->blocks[memory->nblocks++] = (struct op2i_device_block){made, (int64_t)bytes};
  memory->used += (int64_t)bytes;
  if (memory->used > memory->most) memory->most = memory->used;
  *out = made;
  return OP2_SUCCESS;
}

/* The search runs backwards, since the latest block is often the first to be released. */
void op2i_device_release(struct op2i_device *device, void *made) {
  struct op2i_device_memory *memory = &device->memory;
  int64_t b = memory->nblocks - 1;
  if (!made) return;
  while (b >= 0 && memory->blocks[b].memory != made) b--;
  if (b < 0) {
    device->kind->release(device, made);
    return;
  }
  struct op2i_device_block block = memory->blocks[b];
  memory->used -= block.bytes;
  memory->blocks[b] = memory->blocks[--memory->nblocks];
  bool kept =
      is_small(device, (size_t)block.bytes) ? keep_small(memory, made) : keep_large(device, block);
  if (!kept) device->kind->release(device, made);
}

op2_status op2i_device_numbers(struct op2i_device *device, const int32_t *numbers, int64_t n,
                               void **memory) {
  size_t bytes = (size_t)n * sizeof *numbers;
  op2_status status = op2i_device_alloc(device, bytes ? bytes : 4, memory);
  if (status || !bytes) return status;
  status = device->kind->put(device, *memory, 0, numbers, bytes);
  if (!status) return status;
  op2i_device_release(device, *memory);
  *memory = NULL;
  return status;
}

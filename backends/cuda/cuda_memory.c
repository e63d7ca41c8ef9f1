/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a CUDA device, and what goes there and back. The bus takes pageable memory at a
 * fraction of its speed: much that is got comes through pinned memory. All that is put goes through
 * it, so that put() need not wait for what is queued before it: how long the driver reads the
 * caller's own memory depends on what that is. */
#include <string.h>

#include "cuda_device.h"
#include "error.h"

enum { HALF = 8 << 20, PIECE = 1 << 20, LINE = 64 };

static op2i_cuda_address address(void *memory, size_t at) {
  return (op2i_cuda_address)(uintptr_t)memory + at;
}

op2_status op2i_cuda_alloc(struct op2i_device *base, size_t bytes, void **memory) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  op2i_cuda_address at = 0;
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  status = OP2I_CUDA(device, cuMemAlloc_v2, &at, bytes > 0 ? bytes : 1);
  op2i_cuda_leave();
  if (status == OP2_ERR_NOMEM || status == OP2_ERR_ARG) /* nothing but the size can be wrong */
    status = op2i_error(OP2_ERR_NOMEM, "%s: %zu bytes of %lld", op2_error_message(), bytes,
                        (long long)base->limits.memory_bytes);
  if (status == OP2_SUCCESS) *memory = (void *)(uintptr_t)at;
  return status;
}

/* The driver waits for what still uses it. */
void op2i_cuda_release(struct op2i_device *base, void *memory) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  if (!memory || device->lost[0] || op2i_cuda_enter(device) != OP2_SUCCESS) return;
  (void)OP2I_CUDA(device, cuMemFree_v2, address(memory, 0));
  op2i_cuda_leave();
}

static op2_status wait_all(struct op2i_cuda_device *device) {
  return OP2I_CUDA(device, cuStreamSynchronize, device->stream);
}

op2_status op2i_cuda_clear(struct op2i_device *base, void *memory, size_t at, size_t bytes) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  if (bytes > 0)
    status = OP2I_CUDA(device, cuMemsetD8Async, address(memory, at), 0, bytes, device->stream);
  op2i_cuda_leave();
  return status;
}

/* ---- the stage ------------------------------------------------------------------------------- */

void op2i_cuda_stage_free(struct op2i_cuda_device *device) {
  struct op2i_cuda_stage *stage = &device->stage;
  for (int half = 0; half < 2; half++)
    if (stage->left[half]) (void)op2i_cuda.cuEventDestroy_v2(stage->left[half]);
  if (stage->memory) (void)op2i_cuda.cuMemFreeHost(stage->memory);
  *stage = (struct op2i_cuda_stage){.refused = true};
}

/* False where there is no pinned memory left: then data goes without. */
static bool have_stage(struct op2i_cuda_device *device) {
  struct op2i_cuda_stage *stage = &device->stage;
  void *memory = NULL;
  if (stage->memory || stage->refused) return stage->memory;
  bool good = op2i_cuda.cuMemAllocHost_v2(&memory, 2 * (size_t)HALF) == OP2I_CUDA_SUCCESS;
  if (good) stage->memory = memory;
  for (int half = 0; half < 2 && good; half++)
    good = op2i_cuda.cuEventCreate(&stage->left[half], OP2I_CUDA_EVENT_DISABLE_TIMING) ==
           OP2I_CUDA_SUCCESS;
  if (!good) op2i_cuda_stage_free(device);
  return good;
}

static char *half_of(struct op2i_cuda_device *device, int half) {
  return device->stage.memory + (size_t)half * HALF;
}

static op2_status mark_left(struct op2i_cuda_device *device, int half) {
  device->stage.pending[half] = true;
  return OP2I_CUDA(device, cuEventRecord, device->stage.left[half], device->stream);
}

static op2_status wait_left(struct op2i_cuda_device *device, int half) {
  if (!device->stage.pending[half]) return OP2_SUCCESS;
  device->stage.pending[half] = false;
  return OP2I_CUDA(device, cuEventSynchronize, device->stage.left[half]);
}

/* Once all that was queued is done. */
static void empty_stage(struct op2i_cuda_device *device) {
  device->stage.pending[0] = device->stage.pending[1] = false;
  device->stage.used = 0;
}

/* ---- there ----------------------------------------------------------------------------------- */

/* A half is full: the other, once the device has read what was in it. */
static op2_status turn(struct op2i_cuda_device *device) {
  struct op2i_cuda_stage *stage = &device->stage;
  op2_status status = mark_left(device, stage->half);
  stage->half ^= 1;
  stage->used = 0;
  return status ? status : wait_left(device, stage->half);
}

static op2_status put_piece(struct op2i_cuda_device *device, op2i_cuda_address to, const char *from,
                            size_t bytes) {
  struct op2i_cuda_stage *stage = &device->stage;
  char *place = half_of(device, stage->half) + stage->used;
  memcpy(place, from, bytes);
  stage->used += (bytes + LINE - 1) / LINE * LINE;
  return OP2I_CUDA(device, cuMemcpyHtoDAsync_v2, to, place, bytes, device->stream);
}

static size_t at_most(size_t bytes, size_t most) { return bytes < most ? bytes : most; }

static op2_status put_staged(struct op2i_cuda_device *device, op2i_cuda_address to,
                             const char *from, size_t bytes) {
  op2_status status = OP2_SUCCESS;
  for (size_t done = 0, n; done < bytes && status == OP2_SUCCESS; done += n) {
    n = 0;
    if (device->stage.used == HALF) status = turn(device);
    if (status != OP2_SUCCESS) break;
    n = at_most(at_most(bytes - done, PIECE), HALF - device->stage.used);
    status = put_piece(device, to + done, from + done, n);
  }
  return status;
}

/* The host's memory may be pinned by its owner, and is then read for as long as that takes. */
static op2_status put_direct(struct op2i_cuda_device *device, op2i_cuda_address to,
                             const void *from, size_t bytes) {
  op2_status status = OP2I_CUDA(device, cuMemcpyHtoDAsync_v2, to, from, bytes, device->stream);
  return status ? status : wait_all(device);
}

op2_status op2i_cuda_put(struct op2i_device *base, void *memory, size_t at, const void *host,
                         size_t bytes) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  if (bytes > 0 && have_stage(device))
    status = put_staged(device, address(memory, at), host, bytes);
  else if (bytes > 0)
    status = put_direct(device, address(memory, at), host, bytes);
  op2i_cuda_leave();
  if (status != OP2_SUCCESS) return status;
  base->counts.puts++;
  base->counts.put_bytes += (int64_t)bytes;
  return OP2_SUCCESS;
}

/* ---- and back -------------------------------------------------------------------------------- */

static op2_status get_direct(struct op2i_cuda_device *device, void *to, op2i_cuda_address from,
                             size_t bytes) {
  op2_status status = OP2_SUCCESS;
  if (bytes > 0) status = OP2I_CUDA(device, cuMemcpyDtoHAsync_v2, to, from, bytes, device->stream);
  return status ? status : wait_all(device);
}

/* While the device writes one half the other is copied on. What was put there has been
 * read by then. */
static op2_status get_staged(struct op2i_cuda_device *device, char *to, op2i_cuda_address from,
                             size_t bytes) {
  const size_t piece = at_most(bytes / 8 < PIECE ? PIECE : bytes / 8, HALF);
  op2_status status = OP2_SUCCESS;
  size_t asked = 0, n;
  for (size_t done = 0; done < bytes && status == OP2_SUCCESS; done += n) {
    n = at_most(bytes - done, piece);
    for (; asked < bytes && asked < done + 2 * piece && status == OP2_SUCCESS; asked += piece) {
      const int half = (int)(asked / piece % 2);
      status = OP2I_CUDA(device, cuMemcpyDtoHAsync_v2, half_of(device, half), from + asked,
                         at_most(bytes - asked, piece), device->stream);
      if (status == OP2_SUCCESS) status = mark_left(device, half);
    }
    if (status == OP2_SUCCESS) status = wait_left(device, (int)(done / piece % 2));
    if (status == OP2_SUCCESS) memcpy(to + done, half_of(device, (int)(done / piece % 2)), n);
  }
  return status;
}

op2_status op2i_cuda_get(struct op2i_device *base, void *host, void *memory, size_t at,
                         size_t bytes) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  op2_status status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  if (bytes >= PIECE && have_stage(device))
    status = get_staged(device, host, address(memory, at), bytes);
  else
    status = get_direct(device, host, address(memory, at), bytes);
  if (status != OP2_SUCCESS) (void)op2i_cuda.cuStreamSynchronize(device->stream);
  empty_stage(device);
  op2i_cuda_leave();
  if (status != OP2_SUCCESS) return status;
  base->counts.gets++;
  base->counts.get_bytes += (int64_t)bytes;
  return OP2_SUCCESS;
}

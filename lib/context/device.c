/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of devices that the library has allocated and its limit; names of devices, opening and
 * closing them. */
#include "device.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "error.h"
#include "mem.h"
#include "text.h"

/* Largest block, in bytes, that is kept for reuse; a value of a global fits into it. Such blocks
 * are allocated and released with each value, and devices are slow to allocate. */
enum { SMALL = 256 };

const struct op2i_device_kind *const op2i_device_kinds[] = {&op2i_device_cuda, &op2i_device_opencl,
                                                            NULL};

op2_status op2i_device_open(const struct op2i_device_kind *kind, const char *which, int seat,
                            int64_t limit, struct op2i_device **device) {
  op2_status status = kind->open(which, seat, device);
  if (!status) (*device)->memory.limit = limit;
  return status;
}

bool op2i_device_meant(const char *which, int number, const char *name) {
  size_t n = strlen(which);
  char digits[16];
  if (which[strspn(which, "0123456789")] == '\0') {
    snprintf(digits, sizeof digits, "%d", number);
    while (*which == '0' && which[1]) which++;
    return strcmp(which, digits) == 0;
  }
  for (; *name; name++)
    if (strncasecmp(name, which, n) == 0) return true;
  return false;
}

op2_status op2i_device_unknown(const struct op2i_device_kind *kind, const char *which) {
  struct op2i_text all = {0};
  kind->list(&all);
  op2_status status = op2i_error(OP2_ERR_OPTION, "no device is '%s'; there are\n%s", which,
                                 all.chars ? all.chars : "none");
  op2i_text_free(&all);
  return status;
}

void op2i_device_close(struct op2i_device *device) {
  if (!device) return;
  struct op2i_device_memory *memory = &device->memory;
  while (memory->nspare > 0) device->kind->release(device, memory->spare[--memory->nspare]);
  op2i_free(memory->blocks);
  memory->blocks = NULL;
  device->kind->close(device);
}

static op2_status check(struct op2i_device *device, size_t bytes) {
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

op2_status op2i_device_alloc(struct op2i_device *device, size_t bytes, void **out) {
  struct op2i_device_memory *memory = &device->memory;
  bool small = bytes <= SMALL && !device->kind->in_host_memory;
  if (small) bytes = SMALL;
  op2_status status = check(device, bytes);
  if (status) return status;
  void *made = small && memory->nspare > 0 ? memory->spare[--memory->nspare] : NULL;
  if (!made) status = device->kind->alloc(device, bytes, &made);
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
  int64_t bytes = b >= 0 ? memory->blocks[b].bytes : 0;
  memory->used -= bytes;
  if (b >= 0) memory->blocks[b] = memory->blocks[--memory->nblocks];
  if (bytes == SMALL && !device->kind->in_host_memory && memory->nspare < OP2I_DEVICE_SPARES)
    memory->spare[memory->nspare++] = made;
  else
    device->kind->release(device, made);
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

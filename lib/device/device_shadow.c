/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow: a device without processors, whose memory is further host memory. With OP2_SHADOW=1,
 * loops of the host work there, so that tests of the host also check what devices do to values. */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "error.h"
#include "mem.h"

static const char *unavailable(void) { return NULL; }

static op2_status open_shadow(const char *which, int node_rank, struct op2i_device **out) {
  (void)which;
  (void)node_rank;
  struct op2i_device *device = op2i_calloc(1, sizeof *device);
  if (!device) return op2i_error_nomem("a device");
  device->kind = &op2i_device_shadow;
  snprintf(device->limits.name, sizeof device->limits.name, "the shadow");
  device->limits.doubles = true;
  device->limits.local_bytes = 48 << 10;
  *out = device;
  return OP2_SUCCESS;
}

static void close_shadow(struct op2i_device *device) { op2i_free(device); }

static op2_status alloc(struct op2i_device *device, size_t bytes, void **memory) {
  (void)device;
  *memory = op2i_alloc_raw(bytes);
  return *memory ? OP2_SUCCESS : op2i_error_nomem("values");
}

static void release(struct op2i_device *device, void *memory) {
  (void)device;
  op2i_free_data(memory);
}

static op2_status put(struct op2i_device *device, void *memory, size_t at, const void *host,
                      size_t bytes) {
  device->counts.puts++;
  device->counts.put_bytes += (int64_t)bytes;
  memcpy((char *)memory + at, host, bytes);
  return OP2_SUCCESS;
}

static op2_status get(struct op2i_device *device, void *host, void *memory, size_t at,
                      size_t bytes) {
  device->counts.gets++;
  device->counts.get_bytes += (int64_t)bytes;
  memcpy(host, (const char *)memory + at, bytes);
  return OP2_SUCCESS;
}

static op2_status clear(struct op2i_device *device, void *memory, size_t at, size_t bytes) {
  (void)device;
  memset((char *)memory + at, 0, bytes);
  return OP2_SUCCESS;
}

/* The functions that build, load and launch are absent, since they are never called. */
const struct op2i_device_kind op2i_device_shadow = {
    .name = "shadow",
    .in_host_memory = true,
    .unavailable = unavailable,
    .open = open_shadow,
    .close = close_shadow,
    .alloc = alloc,
    .release = release,
    .put = put,
    .get = get,
    .clear = clear,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of CUDA: which one, its beginning and end, and what its errors mean. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"
#include "error.h"
#include "mem.h"
#include "text.h"

/* ---- which one ------------------------------------------------------------------------------- */

static void list(struct op2i_text *out) {
  const struct op2i_device_limits *found;
  int n = op2i_cuda_found(&found);
  for (int i = 0; i < n; i++)
    op2i_text_add(out, "%d: %s, %.1f GiB, %s\n", i, found[i].name,
                  (double)found[i].memory_bytes / (1 << 30), found[i].target);
}

static op2_status none_such(const char *which) {
  struct op2i_text there = {0};
  list(&there);
  op2_status status = op2i_error(OP2_ERR_OPTION, "there is no CUDA device '%s'; there are:\n%s",
                                 which, there.chars ? there.chars : "");
  op2i_text_free(&there);
  return status;
}

static int largest(const struct op2i_device_limits *found, int n) {
  int chosen = 0;
  for (int i = 1; i < n; i++)
    if (found[i].units > found[chosen].units) chosen = i;
  return chosen;
}

static bool is_number(const char *text) {
  return *text && text[strspn(text, "0123456789")] == '\0';
}

/* -1: there is none such. */
static int choose(const struct op2i_device_limits *found, int n, const char *which) {
  if (!which) return largest(found, n);
  if (is_number(which)) {
    errno = 0;
    unsigned long number = strtoul(which, NULL, 10);
    return errno == 0 && number < (unsigned long)n ? (int)number : -1;
  }
  for (int i = 0; i < n && *which; i++)
    if (strcasestr(found[i].name, which)) return i;
  return -1;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* The context that StarPU and users' own code have on this device, too. */
static op2_status begin(struct op2i_cuda_device *device, int number) {
  op2_status status = OP2I_CUDA(device, cuDeviceGet, &device->id, number);
  if (status == OP2_SUCCESS)
    status = OP2I_CUDA(device, cuDevicePrimaryCtxRetain, &device->context, device->id);
  if (status == OP2_SUCCESS) status = op2i_cuda_enter(device);
  if (status != OP2_SUCCESS) return status;
  status = OP2I_CUDA(device, cuStreamCreate, &device->stream, OP2I_CUDA_STREAM_NON_BLOCKING);
  op2i_cuda_leave();
  return status;
}

/* Also of a lost device, which is asked for nothing but to let go. */
static void close_device(struct op2i_device *base) {
  struct op2i_cuda_device *device = (struct op2i_cuda_device *)base;
  if (!device) return;
  if (device->context) {
    if (op2i_cuda.cuCtxPushCurrent_v2(device->context) == OP2I_CUDA_SUCCESS) {
      if (device->stream) (void)op2i_cuda.cuStreamSynchronize(device->stream);
      op2i_cuda_stage_free(device);
      if (device->stream) (void)op2i_cuda.cuStreamDestroy_v2(device->stream);
      op2i_cuda_leave();
    }
    (void)op2i_cuda.cuDevicePrimaryCtxRelease_v2(device->id);
  }
  op2i_free(device);
}

static op2_status open_device(const char *which, struct op2i_device **out) {
  const char *why = op2i_cuda_unavailable();
  if (why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  const struct op2i_device_limits *found;
  int n = op2i_cuda_found(&found), chosen = choose(found, n, which);
  if (chosen < 0) return none_such(which);
  struct op2i_cuda_device *device = op2i_calloc(1, sizeof *device);
  if (!device) return op2i_error_nomem("a CUDA device");
  device->base.kind = &op2i_device_cuda;
  device->base.limits = found[chosen];
  op2_status status = begin(device, chosen);
  if (status == OP2_SUCCESS)
    *out = &device->base;
  else
    close_device(&device->base);
  return status;
}

static op2_status alive(const struct op2i_cuda_device *device) {
  return device->lost[0] ? op2i_error(OP2_ERR_FATAL, "%s", device->lost) : OP2_SUCCESS;
}

op2_status op2i_cuda_enter(struct op2i_cuda_device *device) {
  op2_status status = alive(device);
  return status ? status : OP2I_CUDA(device, cuCtxPushCurrent_v2, device->context);
}

void op2i_cuda_leave(void) {
  op2i_cuda_context ours;
  (void)op2i_cuda.cuCtxPopCurrent_v2(&ours);
}

static op2_status build(struct op2i_device *base, const char *source, const char *const *includes,
                        struct op2i_text *log, void **binary, size_t *bytes) {
  op2_status status = alive((struct op2i_cuda_device *)base);
  return status ? status
                : op2i_cuda_compile(source, base->limits.target, includes, log, binary, bytes);
}

/* ---- what errors mean ------------------------------------------------------------------------ */

/* What a kernel that went wrong, or hardware, leaves behind: every later call fails. */
static bool loses(int result) {
  switch (result) {
  case OP2I_CUDA_DEINITIALIZED:
  case OP2I_CUDA_INVALID_CONTEXT:
  case OP2I_CUDA_ECC_UNCORRECTABLE:
  case OP2I_CUDA_NVLINK_UNCORRECTABLE:
  case OP2I_CUDA_CONTAINED:
  case OP2I_CUDA_ILLEGAL_ADDRESS:
  case OP2I_CUDA_LAUNCH_TIMEOUT:
  case OP2I_CUDA_CONTEXT_IS_DESTROYED:
  case OP2I_CUDA_ASSERT:
  case OP2I_CUDA_TENSOR_MEMORY_LEAK:
  case OP2I_CUDA_UNKNOWN: return true;
  default: return result >= OP2I_CUDA_HARDWARE_STACK && result <= OP2I_CUDA_LAUNCH_FAILED;
  }
}

static op2_status meaning(int result) {
  switch (result) {
  case OP2I_CUDA_OUT_OF_MEMORY: return OP2_ERR_NOMEM;
  case OP2I_CUDA_INVALID_IMAGE:
  case OP2I_CUDA_NO_BINARY_FOR_GPU:
  case OP2I_CUDA_INVALID_PTX:
  case OP2I_CUDA_NO_JIT_COMPILER:
  case OP2I_CUDA_UNSUPPORTED_PTX:
  case OP2I_CUDA_INVALID_SOURCE:
  case OP2I_CUDA_NOT_FOUND: return OP2_ERR_COMPILE;
  case OP2I_CUDA_INSUFFICIENT_DRIVER:
  case OP2I_CUDA_DEVICE_UNAVAILABLE:
  case OP2I_CUDA_NO_DEVICE:
  case OP2I_CUDA_LAUNCH_OUT_OF_RESOURCES: return OP2_ERR_UNAVAILABLE;
  default:
    return result >= OP2I_CUDA_SYSTEM_NOT_READY && result <= OP2I_CUDA_COMPAT_NOT_SUPPORTED
               ? OP2_ERR_UNAVAILABLE
               : OP2_ERR_ARG;
  }
}

op2_status op2i_cuda_status(struct op2i_cuda_device *device, int result, const char *call) {
  if (result == OP2I_CUDA_SUCCESS) return OP2_SUCCESS;
  const char *name = NULL, *text = NULL;
  int length = (int)strcspn(call, "_"); /* cuMemAlloc_v2 is cuMemAlloc to people */
  (void)op2i_cuda.cuGetErrorName(result, &name);
  (void)op2i_cuda.cuGetErrorString(result, &text);
  if (!loses(result))
    return op2i_error(meaning(result), "%s: %.*s: %s (%s)", device->base.limits.name, length, call,
                      name ? name : "?", text ? text : "?");
  if (!device->lost[0])
    snprintf(device->lost, sizeof device->lost, "the CUDA device %s is lost: %.*s: %s (%s)",
             device->base.limits.name, length, call, name ? name : "?", text ? text : "?");
  return alive(device);
}

const struct op2i_device_kind op2i_device_cuda = {
    .name = "cuda",
    .unavailable = op2i_cuda_unavailable,
    .open = open_device,
    .close = close_device,
    .list = list,
    .alloc = op2i_cuda_alloc,
    .release = op2i_cuda_release,
    .put = op2i_cuda_put,
    .get = op2i_cuda_get,
    .clear = op2i_cuda_clear,
    .build = build,
    .load = op2i_cuda_load,
    .unload = op2i_cuda_unload,
    .launch = op2i_cuda_launch,
    .wait = op2i_cuda_wait,
};

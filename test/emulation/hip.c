/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the HIP runtime by those of the emulated driver. A thread always has a device, and no
 * context has to be made current. */
#include <stdio.h>
#include <string.h>

#include "hip.h"

static _Thread_local int current;

/* ---- devices --------------------------------------------------------------------------------- */

int emulation_hip_enter(void) {
  void *context;
  if (cuDevicePrimaryCtxRetain(&context, current)) return EMULATION_NOT_INITIALIZED;
  return cuCtxPushCurrent_v2(context);
}

int emulation_hip_leave(int result) {
  void *context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(current);
  return result;
}

/* The same for functions that need no context. */
#define PLAIN(call_)                                                                               \
  emulation_begin_call(__func__);                                                                  \
  return emulation_end_call(call_);

int hipInit(unsigned flags) { PLAIN(cuInit(flags)) }
int hipGetDeviceCount(int *count) { PLAIN(cuDeviceGetCount(count)) }
int hipDeviceGet(int *device, int number) { PLAIN(cuDeviceGet(device, number)) }

int hipSetDevice(int device) {
  emulation_called(__func__);
  if (emulation_device(device) < 0) return EMULATION_INVALID_VALUE;
  current = device;
  return EMULATION_SUCCESS;
}

int hipGetDevice(int *device) {
  emulation_called(__func__);
  *device = current;
  return EMULATION_SUCCESS;
}

int hipRuntimeGetVersion(int *version) {
  emulation_called(__func__);
  *version = (int)emulation_setting("driver", 70000000);
  return EMULATION_SUCCESS;
}

const char *hipGetErrorName(int result) {
  const char *name = "?";
  (void)cuGetErrorName(result, &name);
  return name;
}

const char *hipGetErrorString(int result) {
  const char *text = "?";
  (void)cuGetErrorString(result, &text);
  return text;
}

int hipDeviceGetName(char *name, int room, int device) {
  snprintf(name, (size_t)room, "Emulation of HIP %d", emulation_device(device));
  return EMULATION_SUCCESS;
}

int hipDeviceTotalMem(size_t *bytes, int device) { PLAIN(cuDeviceTotalMem_v2(bytes, device)) }

static int64_t wave(void) { return emulation_setting("wave", 64); }

static int64_t shared(void) { return emulation_setting("shared", 64 << 10); }

int hipDeviceGetAttribute(int *value, int attribute, int device) {
  enum { MAJOR = 23, MAX_THREADS = 56, MINOR = 61, UNITS = 63, SHARED = 74, WAVE = 87 };
  (void)device;
  switch (attribute) {
  case MAJOR: *value = wave() == 64 ? 9 : 10; break;
  case MINOR: *value = wave() == 64 ? 0 : 3; break;
  case MAX_THREADS: *value = (int)emulation_setting("threads", 1024); break;
  case UNITS: *value = (int)emulation_setting("units", 4); break;
  case SHARED: *value = (int)shared(); break;
  case WAVE: *value = (int)wave(); break;
  default: return EMULATION_INVALID_VALUE;
  }
  return EMULATION_SUCCESS;
}

/* The real structure has other members round these two. */
int hipGetDevicePropertiesR0600(void *properties, int device) {
  enum { NAME = 256, ARCHITECTURE = 1160, ROOM = 256 };
  const int64_t number = emulation_setting("gfx", wave() == 64 ? 0x90a : 0x1030);
  hipDeviceGetName(properties, NAME, device);
  snprintf((char *)properties + ARCHITECTURE, ROOM, "gfx%llx%s", (unsigned long long)number,
           number == 0x90a ? ":sramecc+:xnack-" : "");
  return EMULATION_SUCCESS;
}

/* ---- memory ---------------------------------------------------------------------------------- */

int hipMalloc(void **memory, size_t bytes) { HIP_CALL(cuMemAlloc_v2((uint64_t *)memory, bytes)) }
int hipFree(void *memory) { HIP_CALL(cuMemFree_v2((uint64_t)(uintptr_t)memory)) }
int hipHostFree(void *memory) { HIP_CALL(cuMemFreeHost(memory)) }

int hipHostMalloc(void **memory, size_t bytes, unsigned flags) {
  if (flags) return EMULATION_INVALID_VALUE;
  HIP_CALL(cuMemAllocHost_v2(memory, bytes))
}

int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream) {
  HIP_CALL(cuMemcpyHtoDAsync_v2((uint64_t)(uintptr_t)to, from, bytes, stream))
}

int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream) {
  HIP_CALL(cuMemcpyDtoHAsync_v2(to, (uint64_t)(uintptr_t)from, bytes, stream))
}

int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream) {
  HIP_CALL(cuMemcpyDtoDAsync_v2((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes, stream))
}

int hipMemsetD8Async(void *memory, unsigned char value, size_t bytes, void *stream) {
  HIP_CALL(cuMemsetD8Async((uint64_t)(uintptr_t)memory, value, bytes, stream))
}

/* ---- streams and events ---------------------------------------------------------------------- */

/* Each stream holds the device. Without any it is as new, so that tests can lose it more than once, which
 * real ones do not forgive. */
static int create_stream(void **stream, unsigned flags) {
  void *context;
  int result = cuStreamCreate(stream, flags);
  return result ? result : cuDevicePrimaryCtxRetain(&context, current);
}

static int destroy_stream(void *stream) {
  int result = cuStreamDestroy_v2(stream);
  cuDevicePrimaryCtxRelease_v2(current);
  return result;
}

int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  HIP_CALL(create_stream(stream, flags))
}
int hipStreamDestroy(void *stream) { HIP_CALL(destroy_stream(stream)) }

int hipStreamSynchronize(void *stream) { HIP_CALL(cuStreamSynchronize(stream)) }
int hipEventCreateWithFlags(void **event, unsigned flags) { HIP_CALL(cuEventCreate(event, flags)) }
int hipEventDestroy(void *event) { HIP_CALL(cuEventDestroy_v2(event)) }
int hipEventRecord(void *event, void *stream) { HIP_CALL(cuEventRecord(event, stream)) }
int hipEventSynchronize(void *event) { HIP_CALL(cuEventSynchronize(event)) }
int hipEventQuery(void *event) { HIP_CALL(cuEventQuery(event)) }

int hipEventElapsedTime(float *milliseconds, void *start, void *end) {
  HIP_CALL(cuEventElapsedTime(milliseconds, start, end))
}

/* ---- modules --------------------------------------------------------------------------------- */

int hipModuleLoadData(struct emulation_module **module, const void *image) {
  HIP_CALL(cuModuleLoadData(module, image))
}

int hipModuleUnload(struct emulation_module *module) { HIP_CALL(cuModuleUnload(module)) }

int hipModuleGetFunction(struct emulation_function **function, struct emulation_module *module,
                         const char *name) {
  HIP_CALL(cuModuleGetFunction(function, module, name))
}

int hipFuncGetAttribute(int *value, int attribute, struct emulation_function *function) {
  HIP_CALL(cuFuncGetAttribute(value, attribute, function))
}

void emulation_hip_allow(struct emulation_function *function) {
  function->dynamic_max = (int)shared() - emulation_module_fixed(function->module);
}

/* A launch has at most 2^32 - 1 work items, and uses at most all of a group's memory. */
int hipModuleLaunchKernel(struct emulation_function *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, void *stream, void **parameters, void **extra) {
  if ((uint64_t)grid_x * block_x > UINT32_MAX) return EMULATION_INVALID_VALUE;
  if (emulation_setting("whole", 0) && block_x % wave() != 0) return EMULATION_INVALID_VALUE;
  emulation_hip_allow(function);
  HIP_CALL(cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                          stream, parameters, extra))
}

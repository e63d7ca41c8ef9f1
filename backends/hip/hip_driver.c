/* SPDX-License-Identifier: BSD-3-Clause */
/* AMD's devices: the HIP runtime as a driver with CUDA's interface, and properties of its devices. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "cuda_driver.h"
#include "device.h"
#include "hip_compile.h"
#include "hip_graph.h"
#include "mem.h"

static const struct op2i_hip_api *hip;

/* ---- adapters -------------------------------------------------------------------------------- */

/* Without a device HIP does not start; that is no failure of the driver. */
static int no_failure(int result) {
  enum { NO_DEVICE = 100, INVALID_DEVICE = 101 };
  return result == NO_DEVICE || result == INVALID_DEVICE ? 0 : result;
}

static int start(unsigned flags) { return no_failure(hip->hipInit(flags)); }

static int count_devices(int *count) {
  *count = 0;
  return no_failure(hip->hipGetDeviceCount(count));
}

static int error_name(int result, const char **name) {
  *name = hip->hipGetErrorName(result);
  return 0;
}

static int error_text(int result, const char **text) {
  *text = hip->hipGetErrorString(result);
  return 0;
}

static int retain_context(op2i_cuda_context *context, int device) {
  *context = op2i_hip_context(device);
  return 0;
}

static int release_context(int device) {
  (void)device;
  return 0;
}

/* The devices that this thread had before each push. */
enum { DEPTH = 8 };
static _Thread_local int before[DEPTH], depth;

static int push_context(op2i_cuda_context context) {
  enum { INVALID_CONTEXT = 201 };
  if (depth == DEPTH) return INVALID_CONTEXT;
  int result = hip->hipGetDevice(&before[depth]);
  if (!result) result = hip->hipSetDevice(op2i_hip_device(context));
  if (!result) depth++;
  return result;
}

static int pop_context(op2i_cuda_context *context) {
  *context = NULL;
  return depth > 0 ? hip->hipSetDevice(before[--depth]) : 0;
}

static int alloc_pinned(void **memory, size_t bytes) {
  return hip->hipHostMalloc(memory, bytes, 0);
}

/* Functions may use all of a group's memory without being asked. */
static int set_attribute(op2i_cuda_function function, int attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return 0;
}

static int attribute(int *value, int which, int device) {
  return hip->hipDeviceGetAttribute(value, which, device);
}

void op2i_hip_adapt(const struct op2i_hip_api *found, struct op2i_cuda_api *as_cuda) {
  hip = found;
  as_cuda->cuInit = start;
  as_cuda->cuDeviceGetCount = count_devices;
  as_cuda->cuGetErrorName = error_name;
  as_cuda->cuGetErrorString = error_text;
  as_cuda->cuDeviceGetAttribute = attribute;
  as_cuda->cuDevicePrimaryCtxRetain = retain_context;
  as_cuda->cuDevicePrimaryCtxRelease_v2 = release_context;
  as_cuda->cuCtxPushCurrent_v2 = push_context;
  as_cuda->cuCtxPopCurrent_v2 = pop_context;
  as_cuda->cuMemAllocHost_v2 = alloc_pinned;
  as_cuda->cuFuncSetAttribute = set_attribute;
}

static const char *name(const char *function) {
#define PAIR(cuda_name_, hip_name_) {#cuda_name_, #hip_name_},
  static const struct {
    const char *cuda, *hip;
  } pairs[] = {OP2I_HIP_SAME(PAIR) OP2I_HIP_GRAPH_SAME(PAIR){"cuCtxSetCurrent", "hipSetDevice"},
               {"cuMemAllocHost_v2", "hipHostMalloc"},
               {"cuGraphAddKernelNode", "hipGraphAddKernelNode"},
               {"cuGraphAddMemsetNode", "hipGraphAddMemsetNode"},
               {"cuGraphExecKernelNodeSetParams", "hipGraphExecKernelNodeSetParams"},
               {"cuGraphExecMemsetNodeSetParams", "hipGraphExecMemsetNodeSetParams"}};
#undef PAIR
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    if (strcmp(pairs[p].cuda, function) == 0) return pairs[p].hip;
  return function;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Write the name of the device's architecture. It is a text in a structure that has other members in
 * each version of HIP, behind the device's name, so it is found by how it begins. */
static void write_target(const struct op2i_cuda_api *api, int number, char *target, size_t room) {
  enum { NAME = 256, PROPERTIES = 1 << 14 };
  char *properties = op2i_calloc(1, PROPERTIES), *found = NULL;
  if (properties && !hip->properties(properties, number))
    found = memmem(properties + NAME, PROPERTIES - NAME - room, "gfx", 3);
  if (found) {
    found[strspn(found, "abcdefghijklmnopqrstuvwxyz0123456789:+-")] = '\0';
    snprintf(target, room, "%s", found);
  } else {
    snprintf(target, room, "gfx%d%x0", op2i_cuda_attribute(api, number, OP2I_HIP_MAJOR),
             (unsigned)op2i_cuda_attribute(api, number, OP2I_HIP_MINOR));
  }
  op2i_free(properties);
}

static void describe(const struct op2i_cuda_api *api, int number,
                     struct op2i_device_limits *limits) {
  size_t bytes = 0;
  if (api->cuDeviceGetName(limits->name, sizeof limits->name, number)) limits->name[0] = '\0';
  api->cuDeviceTotalMem_v2(&bytes, number);
  write_target(api, number, limits->target, sizeof limits->target);
  op2i_hip_compiler(limits->compiler, sizeof limits->compiler);
  limits->doubles = true;
  limits->wave = op2i_cuda_attribute(api, number, OP2I_HIP_WAVE);
  limits->units = op2i_cuda_attribute(api, number, OP2I_HIP_UNITS);
  limits->group_max = op2i_cuda_attribute(api, number, OP2I_HIP_MAX_THREADS);
  limits->local_bytes = op2i_cuda_attribute(api, number, OP2I_HIP_SHARED);
  limits->memory_bytes = (int64_t)bytes;
}

static const struct op2i_cuda_api *find_both(const char **why) {
  const struct op2i_cuda_api *api = op2i_hip_as_cuda(why);
  return api && op2i_hiprtc_api(why) ? api : NULL;
}

const struct op2i_cuda_driver op2i_driver_hip = {
    .kind = &op2i_device_hip,
    .maker = "AMD",
    .api = find_both,
    .describe = describe,
    .architecture = op2i_hip_architecture,
    .name = name,
    .compile = op2i_hip_compile,
};

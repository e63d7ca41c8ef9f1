/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL devices of all platforms that the loader finds. */
#include "opencl_device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "entry.h"
#include "mem.h"
#include "text.h"

/* ---- failures -------------------------------------------------------------------------------- */

/* NVIDIA's error for a fault of a kernel has no name; other platforms return
 * CL_OUT_OF_RESOURCES. */
static bool loses(cl_int error) {
  enum { FAULT = -9999 };
  return error == CL_DEVICE_NOT_AVAILABLE || error == CL_INVALID_COMMAND_QUEUE ||
         error == CL_INVALID_CONTEXT || error == CL_OUT_OF_RESOURCES ||
         error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || error == FAULT;
}

op2_status op2i_opencl_failed(struct op2i_opencl *cl, const char *call, cl_int error) {
  const char *name = cl->device.limits.name;
  if (!error) return OP2_SUCCESS;
  if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY ||
      error == CL_INVALID_BUFFER_SIZE)
    return op2i_error(OP2_ERR_NOMEM, "out of memory on %s (%s: %s)", name, call,
                      op2i_opencl_error(error));
  if (!cl->queue || !loses(error))
    return op2i_error(OP2_ERR_UNAVAILABLE, "%s on %s: %s (%d)", call, name,
                      op2i_opencl_error(error), error);
  if (!cl->lost) {
    struct op2i_text words = {0};
    op2i_text_add(&words, "device %s is lost: %s: %s (%d)", name, call, op2i_opencl_error(error),
                  error);
    cl->lost = words.chars;
  }
  return op2i_error(OP2_ERR_FATAL, "%s", cl->lost ? cl->lost : call);
}

/* CL_OUT_OF_RESOURCES is either about this call or about a kernel that has failed before;
 * clFinish() tells the two apart. */
op2_status op2i_opencl_refused(struct op2i_opencl *cl, const char *call, cl_int error) {
  bool little = error == CL_OUT_OF_RESOURCES && cl->queue && !cl->api->clFinish(cl->queue);
  if (!little) return op2i_opencl_failed(cl, call, error);
  return op2i_error(OP2_ERR_NOMEM, "%s has too little for it (%s: %s)", cl->device.limits.name,
                    call, op2i_opencl_error(error));
}

op2_status op2i_opencl_alive(const struct op2i_opencl *cl) {
  return cl->lost ? op2i_error(OP2_ERR_FATAL, "%s", cl->lost) : OP2_SUCCESS;
}

/* ---- listing devices ------------------------------------------------------------------------- */

static const char *missing;

static void list_devices_once(void) {
  struct op2i_opencl_found found[OP2I_OPENCL_MOST];
  const struct op2i_opencl_api *api = op2i_opencl_api(&missing);
  if (!api) return;
  if (op2i_opencl_find(api, found) == 0)
    missing = "OpenCL finds no device (a platform is needed: a vendor's driver, or the package "
              "pocl-opencl-icd)";
}

static const char *unavailable(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, list_devices_once);
  return missing;
}

#define INFO(api_, device_, what_, value_)                                                         \
  (api_)->clGetDeviceInfo(device_, what_, sizeof(value_), &(value_), NULL)

/* The target is part of the cache key: binaries of another driver cannot be used, and binaries
 * contain the replacements for C's headers. */
static void name_target(const struct op2i_opencl_api *api, const struct op2i_opencl_found *found,
                        struct op2i_device_limits *limits) {
  struct op2i_text all = {0};
  char version[128] = "", driver[128] = "";
  api->clGetDeviceInfo(found->device, CL_DEVICE_VERSION, sizeof version, version, NULL);
  api->clGetDeviceInfo(found->device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
  op2i_text_add(&all, "%s\n%s\n%s", found->name, version, driver);
  op2i_opencl_source("#include <stdint.h>\n#include <tgmath.h>\n#include <stdlib.h>\n", &all);
  struct op2i_key key = op2i_digest(all.chars ? all.chars : "", all.length);
  snprintf(limits->target, sizeof limits->target, "cl-%016llx", (unsigned long long)key.low);
  op2i_text_free(&all);
}

static bool long_atomics(const struct op2i_opencl_api *api, cl_device_id device) {
  char extensions[8192] = "";
  return api->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions,
                              NULL) == CL_SUCCESS &&
         strstr(extensions, "cl_khr_int64_base_atomics");
}

static void describe(const struct op2i_opencl_api *api, const struct op2i_opencl_found *found,
                     struct op2i_device_limits *limits) {
  cl_device_fp_config doubles = 0;
  cl_uint units = 0;
  size_t group = 1, items[16] = {0};
  cl_ulong local = 0, memory = 0;
  INFO(api, found->device, CL_DEVICE_DOUBLE_FP_CONFIG, doubles);
  INFO(api, found->device, CL_DEVICE_MAX_COMPUTE_UNITS, units);
  INFO(api, found->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, group);
  INFO(api, found->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, items);
  INFO(api, found->device, CL_DEVICE_LOCAL_MEM_SIZE, local);
  INFO(api, found->device, CL_DEVICE_GLOBAL_MEM_SIZE, memory);
  snprintf(limits->name, sizeof limits->name, "%.127s", found->name);
  name_target(api, found, limits);
  limits->doubles = doubles != 0;
  limits->on_host = found->type & CL_DEVICE_TYPE_CPU;
  limits->short_atomics = !long_atomics(api, found->device);
  limits->units = (int)units;
  if (items[0] > 0 && items[0] < group) group = items[0];
  limits->group_max = group > 0 ? (int64_t)group : 1;
  limits->local_bytes = (int64_t)local;
  limits->memory_bytes = (int64_t)memory;
}

static void list(struct op2i_text *out) {
  struct op2i_opencl_found found[OP2I_OPENCL_MOST];
  const char *why;
  if (unavailable()) return;
  const struct op2i_opencl_api *api = op2i_opencl_api(&why);
  int n = op2i_opencl_find(api, found);
  for (int d = 0; d < n; d++) {
    struct op2i_device_limits limits;
    describe(api, &found[d], &limits);
    op2i_text_add(out, "%d: %s, %.0f GiB%s\n", d, limits.name,
                  (double)limits.memory_bytes / (1 << 30), limits.doubles ? "" : ", no doubles");
  }
}

/* ---- choosing a device ----------------------------------------------------------------------- */

/* Return the device of a rank among those of a type on the first platform that has one, in
 * round-robin order. */
static int of_type(const struct op2i_opencl_found *found, int n, cl_device_type type,
                   int node_rank) {
  int first = 0, alike = 0;
  while (first < n && !(found[first].type & type)) first++;
  for (int d = first; d < n; d++)
    alike += found[d].platform == found[first].platform && found[d].type & type;
  for (int d = first, left = alike ? node_rank % alike : 0; d < n; d++)
    if (found[d].platform == found[first].platform && found[d].type & type && left-- == 0) return d;
  return -1;
}

static int best(const struct op2i_opencl_found *found, int n, int node_rank) {
  static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                         CL_DEVICE_TYPE_ALL};
  int chosen = -1;
  for (size_t t = 0; t < 3 && chosen < 0; t++) chosen = of_type(found, n, types[t], node_rank);
  return chosen;
}

static int named(const struct op2i_opencl_found *found, int n, const char *which) {
  for (int d = 0; d < n; d++)
    if (op2i_device_meant(which, d, found[d].name)) return d;
  return -1;
}

static void close_device(struct op2i_device *device) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  if (cl->queue) {
    cl->api->clFinish(cl->queue);
    op2i_device_ring_close(device, &cl->ring);
    cl->api->clReleaseCommandQueue(cl->queue);
  }
  op2i_free(cl->ring.room);
  if (cl->context) cl->api->clReleaseContext(cl->context);
  op2i_free(cl->lost);
  op2i_free(cl);
}

static op2_status start_device(struct op2i_opencl *cl) {
  cl_int error = 0;
  cl_device_fp_config single = 0;
  INFO(cl->api, cl->found.device, CL_DEVICE_SINGLE_FP_CONFIG, single);
  cl->rounds = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  cl->context = cl->api->clCreateContext(NULL, 1, &cl->found.device, NULL, NULL, &error);
  if (error) return op2i_opencl_failed(cl, "clCreateContext", error);
  cl->queue = cl->api->clCreateCommandQueue(cl->context, cl->found.device,
                                            CL_QUEUE_PROFILING_ENABLE, &error);
  return op2i_opencl_failed(cl, "clCreateCommandQueue", error);
}

static op2_status open_device(const char *which, int node_rank, struct op2i_device **out) {
  struct op2i_opencl_found found[OP2I_OPENCL_MOST];
  const char *why = unavailable();
  if (why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  const struct op2i_opencl_api *api = op2i_opencl_api(&why);
  int n = op2i_opencl_find(api, found);
  int chosen = which ? named(found, n, which) : best(found, n, node_rank);
  if (chosen < 0) return op2i_device_unknown(&op2i_device_opencl, which ? which : "");
  struct op2i_opencl *cl = op2i_calloc(1, sizeof *cl);
  if (!cl) return op2i_error_nomem("a device");
  cl->device.kind = &op2i_device_opencl;
  cl->api = api;
  cl->found = found[chosen];
  describe(api, &cl->found, &cl->device.limits);
  op2_status status = start_device(cl);
  if (status)
    close_device(&cl->device);
  else
    *out = &cl->device;
  return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static op2_status clear(struct op2i_device *device, void *memory, size_t at, size_t bytes) {
  static const cl_ulong zeros;
  struct op2i_opencl *cl = op2i_opencl_of(device);
  size_t width = (at | bytes) % 8 == 0 ? 8 : (at | bytes) % 4 == 0 ? 4 : 1;
  op2_status status = op2i_opencl_alive(cl);
  if (status || !bytes) return status;
  return OP2I_OPENCL_ASK(cl, clEnqueueFillBuffer, cl->queue, memory, &zeros, width, at, bytes, 0,
                         NULL, NULL);
}

/* The buffer is cleared at once: some platforms allocate memory only at its first use, and a lack
 * of memory must be reported here. */
static op2_status alloc(struct op2i_device *device, size_t bytes, void **memory) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  cl_int error = 0;
  op2_status status = op2i_opencl_alive(cl);
  if (status) return status;
  cl_mem made =
      cl->api->clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &error);
  status = op2i_opencl_refused(cl, "clCreateBuffer", error);
  if (status) return status;
  status = clear(device, made, 0, 1);
  if (status)
    cl->api->clReleaseMemObject(made);
  else
    *memory = made;
  return status;
}

static void release(struct op2i_device *device, void *memory) {
  if (memory) op2i_opencl_of(device)->api->clReleaseMemObject(memory);
}

static op2_status put(struct op2i_device *device, void *memory, size_t at, const void *host,
                      size_t bytes) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  void *copy = NULL;
  op2_status status = op2i_opencl_alive(cl);
  if (status || !bytes) return status;
  device->counts.puts++;
  device->counts.put_bytes += (int64_t)bytes;
  if (!cl->ring.room && bytes <= OP2I_RING_MOST) cl->ring.room = op2i_malloc(OP2I_RING_BYTES);
  if (cl->ring.room && bytes <= OP2I_RING_MOST)
    status = op2i_device_ring_copy(device, &cl->ring, host, bytes, &copy);
  if (status) return status;
  if (copy)
    return OP2I_OPENCL_ASK(cl, clEnqueueWriteBuffer, cl->queue, memory, CL_FALSE, at, bytes, copy,
                           0, NULL, NULL);
  return OP2I_OPENCL_CALL(cl, clEnqueueWriteBuffer, cl->queue, memory, CL_TRUE, at, bytes, host, 0,
                          NULL, NULL);
}

static op2_status get(struct op2i_device *device, void *host, void *memory, size_t at,
                      size_t bytes) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  op2_status status = op2i_opencl_alive(cl);
  if (status || !bytes) return status;
  device->counts.gets++;
  device->counts.get_bytes += (int64_t)bytes;
  return OP2I_OPENCL_CALL(cl, clEnqueueReadBuffer, cl->queue, memory, CL_TRUE, at, bytes, host, 0,
                          NULL, NULL);
}

static op2_status wait_device(struct op2i_device *device) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  op2_status status = op2i_opencl_alive(cl);
  return status ? status : OP2I_OPENCL_CALL(cl, clFinish, cl->queue);
}

/* ---- the device's clock ---------------------------------------------------------------------- */

static void unmark(struct op2i_device *device, void *event) {
  if (event) op2i_opencl_of(device)->api->clReleaseEvent(event);
}

static op2_status mark(struct op2i_device *device, void **event) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  cl_event set = NULL;
  op2_status status = op2i_opencl_alive(cl);
  if (!status) status = OP2I_OPENCL_ASK(cl, clEnqueueMarkerWithWaitList, cl->queue, 0, NULL, &set);
  if (status) return status;
  unmark(device, *event);
  *event = set;
  return OP2_SUCCESS;
}

static op2_status between(struct op2i_device *device, void *begin, void *end, bool wait,
                          double *seconds) {
  struct op2i_opencl *cl = op2i_opencl_of(device);
  cl_event last = end;
  cl_ulong from = 0, to = 0;
  cl_int how = CL_COMPLETE;
  op2_status status = op2i_opencl_alive(cl);
  *seconds = -1;
  if (!status && wait) status = OP2I_OPENCL_CALL(cl, clWaitForEvents, 1, &last);
  if (!status)
    status = OP2I_OPENCL_CALL(cl, clGetEventInfo, end, CL_EVENT_COMMAND_EXECUTION_STATUS,
                              sizeof how, &how, NULL);
  if (status || how != CL_COMPLETE) return status;
  status = OP2I_OPENCL_CALL(cl, clGetEventProfilingInfo, begin, CL_PROFILING_COMMAND_END,
                            sizeof from, &from, NULL);
  if (!status)
    status = OP2I_OPENCL_CALL(cl, clGetEventProfilingInfo, end, CL_PROFILING_COMMAND_END, sizeof to,
                              &to, NULL);
  if (!status) *seconds = to > from ? 1e-9 * (double)(to - from) : 0;
  return status;
}

const struct op2i_device_kind op2i_device_opencl = {
    .name = "opencl",
    .unavailable = unavailable,
    .open = open_device,
    .close = close_device,
    .list = list,
    .alloc = alloc,
    .release = release,
    .put = put,
    .get = get,
    .clear = clear,
    .build = op2i_opencl_build,
    .load = op2i_opencl_load,
    .unload = op2i_opencl_unload,
    .launch = op2i_opencl_launch,
    .wait = wait_device,
    .mark = mark,
    .between = between,
    .unmark = unmark,
};

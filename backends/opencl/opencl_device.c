/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of OpenCL: of any platform that the loader finds. */
#include "opencl_api.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "entry.h"
#include "error.h"
#include "mem.h"
#include "text.h"

/* A binary whose functions are in use. */
struct image {
  const void *binary;
  cl_program program;
  int uses;
  struct image *next;
};

struct opencl {
  struct op2i_device device;
  const struct op2i_opencl_api *api;
  struct op2i_opencl_found found;
  cl_context context;
  cl_command_queue queue;
  bool rounds; /* single precision is divided as it should be, where that is asked for */
  char *lost;  /* why nothing works any more */
  struct image *images;
};

struct code {
  struct op2i_device_code code;
  struct image *image;
  cl_kernel kernel;
};

/* ---- failures -------------------------------------------------------------------------------- */

static struct opencl *opencl_of(struct op2i_device *device) { return (struct opencl *)device; }

static op2_status failed(struct opencl *cl, const char *call, cl_int error) {
  const char *name = cl->device.limits.name;
  if (!error) return OP2_SUCCESS;
  if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY ||
      error == CL_INVALID_BUFFER_SIZE)
    return op2i_error(OP2_ERR_NOMEM, "out of memory on %s (%s: %s)", name, call,
                      op2i_opencl_error(error));
  if (error != CL_DEVICE_NOT_AVAILABLE && error != CL_INVALID_COMMAND_QUEUE &&
      error != CL_OUT_OF_RESOURCES)
    return op2i_error(OP2_ERR_UNAVAILABLE, "%s on %s: %s (%d)", call, name,
                      op2i_opencl_error(error), error);
  if (!cl->lost) {
    struct op2i_text words = {0};
    op2i_text_add(&words, "device %s is lost: %s: %s", name, call, op2i_opencl_error(error));
    cl->lost = words.chars;
  }
  return op2i_error(OP2_ERR_FATAL, "%s", cl->lost ? cl->lost : call);
}

static op2_status alive(const struct opencl *cl) {
  return cl->lost ? op2i_error(OP2_ERR_FATAL, "%s", cl->lost) : OP2_SUCCESS;
}

#define CALL(cl_, name_, ...) failed(cl_, #name_, (cl_)->api->name_(__VA_ARGS__))

/* ---- which there are ------------------------------------------------------------------------- */

static const char *missing;

static void look(void) {
  struct op2i_opencl_found found[OP2I_OPENCL_MOST];
  const struct op2i_opencl_api *api = op2i_opencl_api(&missing);
  if (!api) return;
  if (op2i_opencl_find(api, found) == 0)
    missing = "OpenCL finds no device (a platform is needed: a vendor's driver, or the package "
              "pocl-opencl-icd)";
}

static const char *unavailable(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return missing;
}

#define INFO(api_, device_, what_, value_)                                                         \
  (api_)->clGetDeviceInfo(device_, what_, sizeof(value_), &(value_), NULL)

/* Binaries of another driver are of no use, and what stands in for C's headers is in them. */
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
  size_t group = 1;
  cl_ulong local = 0, memory = 0;
  INFO(api, found->device, CL_DEVICE_DOUBLE_FP_CONFIG, doubles);
  INFO(api, found->device, CL_DEVICE_MAX_COMPUTE_UNITS, units);
  INFO(api, found->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, group);
  INFO(api, found->device, CL_DEVICE_LOCAL_MEM_SIZE, local);
  INFO(api, found->device, CL_DEVICE_GLOBAL_MEM_SIZE, memory);
  snprintf(limits->name, sizeof limits->name, "%.127s", found->name);
  name_target(api, found, limits);
  limits->doubles = doubles != 0;
  limits->on_host = found->type & CL_DEVICE_TYPE_CPU;
  limits->short_atomics = !long_atomics(api, found->device);
  limits->units = (int)units;
  limits->group_max = (int64_t)group;
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

/* ---- choosing -------------------------------------------------------------------------------- */

/* The seat-th of a type in one platform, the first that has any, in turn. */
static int of_type(const struct op2i_opencl_found *found, int n, cl_device_type type, int seat) {
  int first = 0, alike = 0;
  while (first < n && !(found[first].type & type)) first++;
  for (int d = first; d < n; d++)
    alike += found[d].platform == found[first].platform && found[d].type & type;
  for (int d = first, left = alike ? seat % alike : 0; d < n; d++)
    if (found[d].platform == found[first].platform && found[d].type & type && left-- == 0) return d;
  return -1;
}

static int best(const struct op2i_opencl_found *found, int n, int seat) {
  static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                         CL_DEVICE_TYPE_ALL};
  int chosen = -1;
  for (size_t t = 0; t < 3 && chosen < 0; t++) chosen = of_type(found, n, types[t], seat);
  return chosen;
}

static int named(const struct op2i_opencl_found *found, int n, const char *which) {
  for (int d = 0; d < n; d++)
    if (op2i_device_meant(which, d, found[d].name)) return d;
  return -1;
}

static void close_device(struct op2i_device *device) {
  struct opencl *cl = opencl_of(device);
  if (cl->queue) {
    cl->api->clFinish(cl->queue);
    cl->api->clReleaseCommandQueue(cl->queue);
  }
  if (cl->context) cl->api->clReleaseContext(cl->context);
  op2i_free(cl->lost);
  op2i_free(cl);
}

static op2_status start(struct opencl *cl) {
  cl_int error = 0;
  cl_device_fp_config single = 0;
  INFO(cl->api, cl->found.device, CL_DEVICE_SINGLE_FP_CONFIG, single);
  cl->rounds = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  cl->context = cl->api->clCreateContext(NULL, 1, &cl->found.device, NULL, NULL, &error);
  if (error) return failed(cl, "clCreateContext", error);
  cl->queue = cl->api->clCreateCommandQueue(cl->context, cl->found.device,
                                            CL_QUEUE_PROFILING_ENABLE, &error);
  return failed(cl, "clCreateCommandQueue", error);
}

static op2_status open_device(const char *which, int seat, struct op2i_device **out) {
  struct op2i_opencl_found found[OP2I_OPENCL_MOST];
  const char *why = unavailable();
  if (why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  const struct op2i_opencl_api *api = op2i_opencl_api(&why);
  int n = op2i_opencl_find(api, found);
  int chosen = which ? named(found, n, which) : best(found, n, seat);
  if (chosen < 0) return op2i_device_unknown(&op2i_device_opencl, which ? which : "");
  struct opencl *cl = op2i_calloc(1, sizeof *cl);
  if (!cl) return op2i_error_nomem("a device");
  cl->device.kind = &op2i_device_opencl;
  cl->api = api;
  cl->found = found[chosen];
  describe(api, &cl->found, &cl->device.limits);
  op2_status status = start(cl);
  if (status)
    close_device(&cl->device);
  else
    *out = &cl->device;
  return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static op2_status clear(struct op2i_device *device, void *memory, size_t at, size_t bytes) {
  static const cl_ulong zeros;
  struct opencl *cl = opencl_of(device);
  size_t width = (at | bytes) % 8 == 0 ? 8 : (at | bytes) % 4 == 0 ? 4 : 1;
  op2_status status = alive(cl);
  if (status || !bytes) return status;
  return CALL(cl, clEnqueueFillBuffer, cl->queue, memory, &zeros, width, at, bytes, 0, NULL, NULL);
}

/* It may be made at first use only, and is to be lacking here. */
static op2_status alloc(struct op2i_device *device, size_t bytes, void **memory) {
  struct opencl *cl = opencl_of(device);
  cl_int error = 0;
  op2_status status = alive(cl);
  if (status) return status;
  cl_mem made =
      cl->api->clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &error);
  status = failed(cl, "clCreateBuffer", error);
  if (status) return status;
  status = clear(device, made, 0, 1);
  if (status)
    cl->api->clReleaseMemObject(made);
  else
    *memory = made;
  return status;
}

static void release(struct op2i_device *device, void *memory) {
  if (memory) opencl_of(device)->api->clReleaseMemObject(memory);
}

static op2_status put(struct op2i_device *device, void *memory, size_t at, const void *host,
                      size_t bytes) {
  struct opencl *cl = opencl_of(device);
  op2_status status = alive(cl);
  if (status || !bytes) return status;
  device->counts.puts++;
  device->counts.put_bytes += (int64_t)bytes;
  return CALL(cl, clEnqueueWriteBuffer, cl->queue, memory, CL_TRUE, at, bytes, host, 0, NULL, NULL);
}

static op2_status get(struct op2i_device *device, void *host, void *memory, size_t at,
                      size_t bytes) {
  struct opencl *cl = opencl_of(device);
  op2_status status = alive(cl);
  if (status || !bytes) return status;
  device->counts.gets++;
  device->counts.get_bytes += (int64_t)bytes;
  return CALL(cl, clEnqueueReadBuffer, cl->queue, memory, CL_TRUE, at, bytes, host, 0, NULL, NULL);
}

/* ---- code ------------------------------------------------------------------------------------ */

static void take_log(struct opencl *cl, cl_program program, struct op2i_text *log) {
  size_t bytes = 0;
  cl_device_id device = cl->found.device;
  if (cl->api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes))
    return;
  char *text = op2i_calloc(1, bytes + 1);
  if (text &&
      !cl->api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL))
    op2i_text_add(log, "%s", text);
  op2i_free(text);
}

static op2_status take_binary(struct opencl *cl, cl_program program, void **binary, size_t *bytes) {
  op2_status status =
      CALL(cl, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL);
  if (status) return status;
  unsigned char *room = op2i_malloc(*bytes + 1);
  if (!room) return op2i_error_nomem("compiled code");
  status = CALL(cl, clGetProgramInfo, program, CL_PROGRAM_BINARIES, sizeof room, &room, NULL);
  if (status)
    op2i_free(room);
  else
    *binary = room;
  return status;
}

static op2_status compile(struct opencl *cl, cl_program program, const char *const *includes,
                          struct op2i_text *log) {
  struct op2i_text options = {0};
  op2i_text_add(&options, "-cl-std=CL1.2 -w%s",
                cl->rounds ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  for (; includes && *includes; includes++) op2i_text_add(&options, " -I%s", *includes);
  if (options.failed) {
    op2i_text_free(&options);
    return op2i_error_nomem("options of a compiler");
  }
  cl_int error = cl->api->clBuildProgram(program, 1, &cl->found.device, options.chars, NULL, NULL);
  op2i_text_free(&options);
  if (!error) return OP2_SUCCESS;
  take_log(cl, program, log);
  return op2i_error(OP2_ERR_COMPILE, "%s does not compile it: %s", cl->device.limits.name,
                    op2i_opencl_error(error));
}

static op2_status build(struct op2i_device *device, const char *source, const char *const *includes,
                        struct op2i_text *log, void **binary, size_t *bytes) {
  struct opencl *cl = opencl_of(device);
  struct op2i_text text = {0};
  cl_int error = 0;
  op2_status status = alive(cl);
  if (status) return status;
  op2i_opencl_source(source, &text);
  const char *chars = text.chars;
  if (text.failed || !chars) {
    op2i_text_free(&text);
    return op2i_error_nomem("the text of a loop");
  }
  cl_program program = cl->api->clCreateProgramWithSource(cl->context, 1, &chars, NULL, &error);
  status = failed(cl, "clCreateProgramWithSource", error);
  if (!status) {
    status = compile(cl, program, includes, log);
    if (!status) status = take_binary(cl, program, binary, bytes);
    cl->api->clReleaseProgram(program);
  }
  op2i_text_free(&text);
  return status;
}

static op2_status make_image(struct opencl *cl, const void *binary, size_t bytes,
                             struct image *image) {
  const unsigned char *chars = binary;
  cl_int error = 0, good = 0;
  image->binary = binary;
  image->program = cl->api->clCreateProgramWithBinary(cl->context, 1, &cl->found.device, &bytes,
                                                      &chars, &good, &error);
  op2_status status = failed(cl, "clCreateProgramWithBinary", error ? error : good);
  if (status) return status;
  status = CALL(cl, clBuildProgram, image->program, 1, &cl->found.device, "", NULL, NULL);
  if (status) cl->api->clReleaseProgram(image->program);
  return status;
}

/* A platform may keep much for each program: functions of one binary share it. */
static op2_status use_image(struct opencl *cl, const void *binary, size_t bytes,
                            struct image **out) {
  struct image *image = cl->images;
  while (image && image->binary != binary) image = image->next;
  if (!image) {
    image = op2i_calloc(1, sizeof *image);
    if (!image) return op2i_error_nomem("a loop on the device");
    op2_status status = make_image(cl, binary, bytes, image);
    if (status) {
      op2i_free(image);
      return status;
    }
    image->next = cl->images;
    cl->images = image;
  }
  image->uses++;
  *out = image;
  return OP2_SUCCESS;
}

static void unuse_image(struct opencl *cl, struct image *image) {
  struct image **at = &cl->images;
  if (--image->uses > 0) return;
  while (*at != image) at = &(*at)->next;
  *at = image->next;
  cl->api->clReleaseProgram(image->program);
  op2i_free(image);
}

static op2_status make_kernel(struct opencl *cl, struct code *code, const char *entry) {
  cl_int error = 0;
  size_t group = 1;
  code->kernel = cl->api->clCreateKernel(code->image->program, entry, &error);
  op2_status status = failed(cl, "clCreateKernel", error);
  if (status) return status;
  cl->api->clGetKernelWorkGroupInfo(code->kernel, cl->found.device, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof group, &group, NULL);
  code->code.group_max = (int64_t)group;
  return OP2_SUCCESS;
}

static void unload(struct op2i_device *device, struct op2i_device_code *unloaded) {
  struct opencl *cl = opencl_of(device);
  struct code *code = (struct code *)unloaded;
  if (code->kernel) cl->api->clReleaseKernel(code->kernel);
  if (code->image) unuse_image(cl, code->image);
  op2i_free(code);
}

static op2_status load(struct op2i_device *device, const void *binary, size_t bytes,
                       const char *entry, struct op2i_device_code **out) {
  struct opencl *cl = opencl_of(device);
  op2_status status = alive(cl);
  if (status) return status;
  struct code *code = op2i_calloc(1, sizeof *code);
  if (!code) return op2i_error_nomem("a loop on the device");
  status = use_image(cl, binary, bytes, &code->image);
  if (!status) status = make_kernel(cl, code, entry);
  if (status)
    unload(device, &code->code);
  else
    *out = &code->code;
  return status;
}

static op2_status set_arg(struct opencl *cl, cl_kernel kernel, cl_uint a,
                          const struct op2i_device_arg *arg) {
  cl_mem memory = arg->memory;
  if (arg->is_memory)
    return CALL(cl, clSetKernelArg, kernel, a, sizeof memory, memory ? &memory : NULL);
  return CALL(cl, clSetKernelArg, kernel, a, sizeof arg->number, &arg->number);
}

/* Every function has a last parameter for memory that a group shares, of eight bytes if it wants none. */
static op2_status launch(struct op2i_device *device, struct op2i_device_code *launched,
                         const struct op2i_launch *l) {
  struct opencl *cl = opencl_of(device);
  struct code *code = (struct code *)launched;
  size_t group = (size_t)l->group, all = (size_t)l->groups * group;
  op2_status status = alive(cl);
  for (int a = 0; a < l->nargs && !status; a++)
    status = set_arg(cl, code->kernel, (cl_uint)a, &l->args[a]);
  if (!status)
    status = CALL(cl, clSetKernelArg, code->kernel, (cl_uint)l->nargs,
                  (size_t)(l->local_bytes ? l->local_bytes : 8), NULL);
  if (!status)
    status = CALL(cl, clEnqueueNDRangeKernel, cl->queue, code->kernel, 1, NULL, &all, &group, 0,
                  NULL, NULL);
  return status ? status : CALL(cl, clFlush, cl->queue);
}

static op2_status wait_device(struct op2i_device *device) {
  struct opencl *cl = opencl_of(device);
  op2_status status = alive(cl);
  return status ? status : CALL(cl, clFinish, cl->queue);
}

/* ---- the device's clock ---------------------------------------------------------------------- */

static void unmark(struct op2i_device *device, void *event) {
  if (event) opencl_of(device)->api->clReleaseEvent(event);
}

static op2_status mark(struct op2i_device *device, void **event) {
  struct opencl *cl = opencl_of(device);
  cl_event set = NULL;
  op2_status status = alive(cl);
  if (!status) status = CALL(cl, clEnqueueMarkerWithWaitList, cl->queue, 0, NULL, &set);
  if (status) return status;
  unmark(device, *event);
  *event = set;
  return OP2_SUCCESS;
}

static op2_status between(struct op2i_device *device, void *begin, void *end, bool wait,
                          double *seconds) {
  struct opencl *cl = opencl_of(device);
  cl_event last = end;
  cl_ulong from = 0, to = 0;
  cl_int how = CL_COMPLETE;
  op2_status status = alive(cl);
  *seconds = -1;
  if (!status && wait) status = CALL(cl, clWaitForEvents, 1, &last);
  if (!status)
    status =
        CALL(cl, clGetEventInfo, end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof how, &how, NULL);
  if (status || how != CL_COMPLETE) return status;
  status =
      CALL(cl, clGetEventProfilingInfo, begin, CL_PROFILING_COMMAND_END, sizeof from, &from, NULL);
  if (!status)
    status = CALL(cl, clGetEventProfilingInfo, end, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
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
    .build = build,
    .load = load,
    .unload = unload,
    .launch = launch,
    .wait = wait_device,
    .mark = mark,
    .between = between,
    .unmark = unmark,
};

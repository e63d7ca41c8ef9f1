/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL's loader as tests want it: what stands in for libOpenCL.so.1 hands every call to the real one, and
 * gives other answers where OP2_TEST_OPENCL says so, as NAME=NUMBER separated by commas:
 *
 *   platforms=0          there are none
 *   doubles=0            no device has double precision, and text that names it is not compiled
 *   group kernel local   work items of a group, as the device has them and as each function can have
 *                        them, and bytes that a group shares; launches beyond them fail
 *   build binary         what building a program from text, and from a binary, returns
 *   alloc launch queue   the Nth buffer that is made, the Nth launch, the Nth call of the queue fails,
 *   error                and returns that (CL_OUT_OF_RESOURCES, for buffers
 *                        CL_MEM_OBJECT_ALLOCATION_FAILURE),
 *   after=1              and all of the kind that come after,
 *   lost=1               or those of the queue with CL_INVALID_COMMAND_QUEUE */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opencl_api.h"

void op2_answers_restart(void);
int op2_answers_given(void);

static struct op2i_opencl_api real;
static cl_program from_source; /* the last that was made */
static size_t local_bytes;     /* that the next launch is to have */
static int allocs, launches, calls, given;
static bool lost;

/* Counts begin anew. */
void op2_answers_restart(void) {
  allocs = launches = calls = given = 0;
  lost = false;
}

/* Answers that were other than the real ones, since then. */
int op2_answers_given(void) { return given; }

static long setting(const char *name, long otherwise) {
  const char *at = getenv("OP2_TEST_OPENCL");
  size_t length = strlen(name);
  while (at && *at) {
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return strtol(at + length + 1, NULL, 0);
    at = strchr(at, ',');
    if (at) at++;
  }
  return otherwise;
}

/* ---- the real OpenCL library ----------------------------------------------------------------- */

static bool same_file(const char *a, const char *b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

/* The next one of the name where the program's loader looks. */
static void *open_next(void) {
  Dl_info here;
  Dl_serinfo count, *places = NULL;
  void *program = dlopen(NULL, RTLD_LAZY), *found = NULL;
  char path[4096];
  if (!program || !dladdr((void *)&given, &here) || dlinfo(program, RTLD_DI_SERINFOSIZE, &count))
    return NULL;
  places = malloc(count.dls_size);
  if (!places || dlinfo(program, RTLD_DI_SERINFOSIZE, places) ||
      dlinfo(program, RTLD_DI_SERINFO, places))
    places = NULL;
  for (unsigned p = 0; places && p < places->dls_cnt && !found; p++) {
    snprintf(path, sizeof path, "%s/libOpenCL.so.1", places->dls_serpath[p].dls_name);
    if (!same_file(path, here.dli_fname)) found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  free(places);
  return found;
}

#define FIND(name_) *(void **)&real.name_ = dlsym(handle, #name_);
static void open_real(void) {
  void *handle = open_next();
  if (handle) {
    OP2I_OPENCL_FUNCTIONS(FIND)
  }
}

static const struct op2i_opencl_api *api(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_real);
  if (!real.clGetPlatformIDs) {
    fprintf(stderr, "answers: there is no other libOpenCL.so.1\n");
    abort();
  }
  return &real;
}

/* ---- altered answers ------------------------------------------------------------------------- */

/* What the next call of a kind returns before it does anything. */
static cl_int answer(const char *kind, int *count, cl_int error) {
  const long at = setting(kind, 0);
  ++*count;
  if (!at || *count < at || (*count > at && !setting("after", 0))) return CL_SUCCESS;
  lost = setting("lost", 0) != 0;
  given++;
  return (cl_int)setting("error", error);
}

static cl_int queue_answer(void) {
  if (!lost) return answer("queue", &calls, CL_OUT_OF_RESOURCES);
  given++;
  return CL_INVALID_COMMAND_QUEUE;
}

static void least(size_t *value, const char *name) {
  const size_t wanted = (size_t)setting(name, 0);
  if (!wanted || wanted >= *value) return;
  *value = wanted;
  given++;
}

/* ---- platforms and devices ------------------------------------------------------------------- */

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *n) {
  if (setting("platforms", 1)) return api()->clGetPlatformIDs(room, platforms, n);
  given++;
  if (n) *n = 0;
  return CL_SUCCESS;
}

static void change_info(cl_device_info what, void *value) {
  cl_ulong *bytes = value;
  size_t shared;
  char *name;
  if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE || what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
    least(value, "group");
  if (what == CL_DEVICE_LOCAL_MEM_SIZE) {
    shared = (size_t)*bytes;
    least(&shared, "local");
    *bytes = shared;
  }
  if (setting("doubles", 1)) return;
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG) {
    *(cl_device_fp_config *)value = 0;
    given++;
  }
  if (what == CL_DEVICE_EXTENSIONS && (name = strstr(value, "cl_khr_fp64"))) memset(name, ' ', 11);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value,
                       size_t *bytes) {
  cl_int error = api()->clGetDeviceInfo(device, what, room, value, bytes);
  if (!error && value) change_info(what, value);
  return error;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t room, void *value,
                                size_t *bytes) {
  cl_int error = api()->clGetKernelWorkGroupInfo(kernel, device, what, room, value, bytes);
  if (!error && value && what == CL_KERNEL_WORK_GROUP_SIZE) {
    least(value, "group");
    least(value, "kernel");
  }
  return error;
}

/* ---- memory ---------------------------------------------------------------------------------- */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error) {
  *error = answer("alloc", &allocs, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  return *error ? NULL : api()->clCreateBuffer(context, flags, bytes, host, error);
}

#define QUEUED(name_, parameters_, arguments_)                                                     \
  cl_int name_ parameters_ {                                                                       \
    cl_int error = queue_answer();                                                                 \
    return error ? error : api()->name_ arguments_;                                                \
  }
QUEUED(clEnqueueWriteBuffer,
       (cl_command_queue q, cl_mem m, cl_bool wait, size_t at, size_t bytes, const void *host,
        cl_uint n, const cl_event *list, cl_event *event),
       (q, m, wait, at, bytes, host, n, list, event))
QUEUED(clEnqueueReadBuffer,
       (cl_command_queue q, cl_mem m, cl_bool wait, size_t at, size_t bytes, void *host, cl_uint n,
        const cl_event *list, cl_event *event),
       (q, m, wait, at, bytes, host, n, list, event))
QUEUED(clEnqueueFillBuffer,
       (cl_command_queue q, cl_mem m, const void *pattern, size_t width, size_t at, size_t bytes,
        cl_uint n, const cl_event *list, cl_event *event),
       (q, m, pattern, width, at, bytes, n, list, event))
QUEUED(clEnqueueMarkerWithWaitList,
       (cl_command_queue q, cl_uint n, const cl_event *list, cl_event *event), (q, n, list, event))
QUEUED(clFlush, (cl_command_queue q), (q))

/* The real device is not lost and still runs what was queued. Whoever waits for it does so here too,
 * whatever the answer: memory that commands use is given up afterwards. */
cl_int clFinish(cl_command_queue q) {
  const cl_int error = queue_answer(), real_error = api()->clFinish(q);
  return error ? error : real_error;
}

cl_int clWaitForEvents(cl_uint n, const cl_event *list) {
  const cl_int error = queue_answer(), real_error = api()->clWaitForEvents(n, list);
  return error ? error : real_error;
}

/* ---- code ------------------------------------------------------------------------------------ */

cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts,
                                     const size_t *lengths, cl_int *error) {
  static const char without[] = "#undef cl_khr_fp64\n#define double answers_have_no_doubles\n"
                                "#line 1\n";
  const char *both[] = {without, texts[0]};
  if (setting("doubles", 1))
    from_source = api()->clCreateProgramWithSource(context, n, texts, lengths, error);
  else
    from_source = api()->clCreateProgramWithSource(context, 2, both, NULL, error);
  return from_source;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *data) {
  cl_int error = (cl_int)setting(program == from_source ? "build" : "binary", CL_SUCCESS);
  given += error != CL_SUCCESS;
  return error ? error : api()->clBuildProgram(program, n, devices, options, notify, data);
}

cl_int clReleaseProgram(cl_program program) {
  if (program == from_source) from_source = NULL;
  return api()->clReleaseProgram(program);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint number, size_t bytes, const void *value) {
  if (!value) local_bytes = bytes;
  return api()->clSetKernelArg(kernel, number, bytes, value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *all, const size_t *group,
                              cl_uint n, const cl_event *list, cl_event *event) {
  cl_int error = queue_answer();
  if (!error) error = answer("launch", &launches, CL_OUT_OF_RESOURCES);
  if (!error &&
      (*group > (size_t)setting("group", LONG_MAX) || *group > (size_t)setting("kernel", LONG_MAX)))
    error = CL_INVALID_WORK_GROUP_SIZE;
  if (!error && local_bytes > (size_t)setting("local", LONG_MAX)) error = CL_OUT_OF_RESOURCES;
  if (error) return error;
  return api()->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, all, group, n, list,
                                       event);
}

/* ---- functions that are forwarded unchanged -------------------------------------------------- */

#define FORWARD(result_, name_, parameters_, arguments_)                                           \
  result_ name_ parameters_ { return api()->name_ arguments_; }
FORWARD(cl_int, clGetPlatformInfo,
        (cl_platform_id p, cl_platform_info what, size_t room, void *value, size_t *bytes),
        (p, what, room, value, bytes))
FORWARD(cl_int, clGetDeviceIDs,
        (cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *devices, cl_uint *n),
        (p, type, room, devices, n))
FORWARD(cl_context, clCreateContext,
        (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
         void (*notify)(const char *, const void *, size_t, void *), void *data, cl_int *error),
        (properties, n, devices, notify, data, error))
FORWARD(cl_int, clReleaseContext, (cl_context c), (c))
FORWARD(cl_command_queue, clCreateCommandQueue,
        (cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *error),
        (c, d, properties, error))
FORWARD(cl_int, clReleaseCommandQueue, (cl_command_queue q), (q))
FORWARD(cl_int, clReleaseMemObject, (cl_mem m), (m))
FORWARD(cl_program, clCreateProgramWithBinary,
        (cl_context c, cl_uint n, const cl_device_id *devices, const size_t *bytes,
         const unsigned char **binaries, cl_int *status, cl_int *error),
        (c, n, devices, bytes, binaries, status, error))
FORWARD(cl_int, clGetProgramBuildInfo,
        (cl_program p, cl_device_id d, cl_program_build_info what, size_t room, void *value,
         size_t *bytes),
        (p, d, what, room, value, bytes))
FORWARD(cl_int, clGetProgramInfo,
        (cl_program p, cl_program_info what, size_t room, void *value, size_t *bytes),
        (p, what, room, value, bytes))
FORWARD(cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *error),
        (p, name, error))
FORWARD(cl_int, clReleaseKernel, (cl_kernel k), (k))
FORWARD(cl_int, clReleaseEvent, (cl_event e), (e))
FORWARD(cl_int, clGetEventInfo,
        (cl_event e, cl_event_info what, size_t room, void *value, size_t *bytes),
        (e, what, room, value, bytes))
FORWARD(cl_int, clGetEventProfilingInfo,
        (cl_event e, cl_profiling_info what, size_t room, void *value, size_t *bytes),
        (e, what, room, value, bytes))

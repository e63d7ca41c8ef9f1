/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices that there are. The first call of OpenCL's loader loads its drivers, and those may
 * load a whole compiler: all this happens when somebody asks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"
#include "env.h"
#include "opencl_device.h"

enum { PLATFORMS_MAX = 16, DEVICES_MAX = 64 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct op2i_opencl_found devices[DEVICES_MAX];
static int ndevices;
static const char *reason; /* why there is none that can be used */
static pid_t owner;        /* the process that found them */

static void ask(cl_device_id id, cl_device_info what, void *value, size_t bytes) {
  memset(value, 0, bytes);
  (void)op2i_opencl_api.clGetDeviceInfo(id, what, bytes, value, NULL);
}

/* A text, cut to what there is room for. */
static void ask_text(cl_device_id id, cl_device_info what, char *text, size_t room) {
  char whole[1024];
  ask(id, what, whole, sizeof whole);
  whole[room < sizeof whole ? room - 1 : sizeof whole - 1] = '\0';
  memcpy(text, whole, strlen(whole) + 1);
}

static int64_t ask_number(cl_device_id id, cl_device_info what) {
  cl_ulong value;
  ask(id, what, &value, sizeof value);
  return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t group_max(cl_device_id id) {
  size_t all, sizes[16];
  ask(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &all, sizeof all);
  ask(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof sizes);
  return (int64_t)(sizes[0] && sizes[0] < all ? sizes[0] : all);
}

/* Binaries of one driver are of no use to another, nor to another version of it. */
static void name_target(char *target, size_t room, const char *platform, cl_device_id id) {
  char text[1024], name[256], version[256], driver[256];
  ask_text(id, CL_DEVICE_NAME, name, sizeof name);
  ask_text(id, CL_DEVICE_VERSION, version, sizeof version);
  ask_text(id, CL_DRIVER_VERSION, driver, sizeof driver);
  int length = snprintf(text, sizeof text, "%s\n%s\n%s\n%s", platform, name, version, driver);
  struct op2i_key key = op2i_digest(text, (size_t)length);
  snprintf(target, room, "cl-%010llx", (unsigned long long)(key.low & 0xffffffffffu));
}

static void fill_limits(struct op2i_device_limits *limits, const char *platform, cl_device_id id) {
  char name[256];
  cl_uint units;
  ask_text(id, CL_DEVICE_NAME, name, sizeof name);
  snprintf(limits->name, sizeof limits->name, "%.40s / %.80s", platform, name);
  name_target(limits->target, sizeof limits->target, platform, id);
  ask(id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units);
  limits->doubles = ask_number(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  limits->units = (int)units;
  limits->group_max = group_max(id);
  limits->local_bytes = ask_number(id, CL_DEVICE_LOCAL_MEM_SIZE);
  limits->memory_bytes = ask_number(id, CL_DEVICE_GLOBAL_MEM_SIZE);
}

static const char *why_unfit(cl_device_id id) {
  char version[64];
  int major = 0, minor = 0;
  cl_bool available, compiler, linker;
  ask(id, CL_DEVICE_AVAILABLE, &available, sizeof available);
  ask(id, CL_DEVICE_COMPILER_AVAILABLE, &compiler, sizeof compiler);
  ask(id, CL_DEVICE_LINKER_AVAILABLE, &linker, sizeof linker);
  ask_text(id, CL_DEVICE_VERSION, version, sizeof version);
  if (!available) return "it is not available";
  if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12)
    return "it has no OpenCL 1.2";
  return compiler && linker ? NULL : "it has no compiler";
}

static void add_devices(cl_platform_id platform) {
  const struct op2i_opencl_api *cl = &op2i_opencl_api;
  char name[256] = "";
  cl_device_id ids[DEVICES_MAX];
  cl_uint n = 0;
  (void)cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
  name[sizeof name - 1] = '\0';
  if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, ids, &n) != CL_SUCCESS) return;
  for (cl_uint i = 0; i < n && i < DEVICES_MAX && ndevices < DEVICES_MAX; i++) {
    struct op2i_opencl_found *found = &devices[ndevices++];
    *found = (struct op2i_opencl_found){.platform = platform, .id = ids[i]};
    ask(ids[i], CL_DEVICE_TYPE, &found->type, sizeof found->type);
    fill_limits(&found->limits, name, ids[i]);
    found->unfit = why_unfit(ids[i]);
  }
}

static const char *why_none(void) {
  if (!ndevices) return "no OpenCL platform has a device";
  for (int i = 0; i < ndevices; i++)
    if (!devices[i].unfit && devices[i].limits.doubles) return NULL;
  return "there is no OpenCL device with double precision, a compiler and OpenCL 1.2";
}

static const char *find_all(void) {
  static char failure[128];
  cl_platform_id platforms[PLATFORMS_MAX];
  cl_uint n = 0;
  /* The loader takes names of files to run from the environment. */
  if (op2i_env_ignored())
    return "the process has more rights than who started it, and OpenCL looks into the environment";
  const char *why = op2i_opencl_load();
  if (why) return why;
  cl_int code = op2i_opencl_api.clGetPlatformIDs(PLATFORMS_MAX, platforms, &n);
  enum { NO_PLATFORM = -1001 };
  if (code == NO_PLATFORM || (code == CL_SUCCESS && n == 0))
    return "there is no OpenCL platform (packages pocl-opencl-icd, nvidia-opencl-icd, "
           "intel-opencl-icd, mesa-opencl-icd)";
  if (code != CL_SUCCESS) {
    snprintf(failure, sizeof failure, "clGetPlatformIDs: %s", op2i_opencl_error_name(code));
    return failure;
  }
  for (cl_uint i = 0; i < n && i < PLATFORMS_MAX; i++) add_devices(platforms[i]);
  return why_none();
}

/* The LLVM in a driver gives the thread that comes first a stack for signals, which is the thread's
 * own affair. */
static void find(void) {
  stack_t stack;
  bool known = sigaltstack(NULL, &stack) == 0;
  owner = getpid();
  reason = find_all();
  if (known) (void)sigaltstack(&stack, NULL);
}

const char *op2i_opencl_unavailable(void) {
  pthread_once(&once, find);
  if (owner != getpid())
    return "OpenCL was in use when this process forked, and works in the parent only";
  return reason;
}

int op2i_opencl_found(const struct op2i_opencl_found **found) {
  pthread_once(&once, find);
  *found = devices;
  return ndevices;
}

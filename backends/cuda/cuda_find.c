/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices that there are. Asking begins CUDA in this process, after which processes that are
 * forked from it cannot use it: nobody asks without need. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "cuda_device.h"

enum { DEVICES_MAX = 64 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct op2i_device_limits devices[DEVICES_MAX];
static int ndevices;
static const char *reason; /* why none can be used */
static char failure[256];
static pid_t owner; /* the process that found them */

static int ask(int id, int attribute) {
  int value = 0;
  return op2i_cuda.cuDeviceGetAttribute(&value, attribute, id) == OP2I_CUDA_SUCCESS ? value : 0;
}

static bool describe(int number, struct op2i_device_limits *limits) {
  int id;
  size_t bytes = 0;
  if (op2i_cuda.cuDeviceGet(&id, number) != OP2I_CUDA_SUCCESS ||
      op2i_cuda.cuDeviceGetName(limits->name, sizeof limits->name, id) != OP2I_CUDA_SUCCESS ||
      op2i_cuda.cuDeviceTotalMem_v2(&bytes, id) != OP2I_CUDA_SUCCESS)
    return false;
  snprintf(limits->target, sizeof limits->target, "sm_%d%d", ask(id, OP2I_CUDA_DEVICE_MAJOR),
           ask(id, OP2I_CUDA_DEVICE_MINOR));
  limits->doubles = true; /* all that NVRTC compiles for */
  limits->units = ask(id, OP2I_CUDA_DEVICE_MULTIPROCESSORS);
  limits->group_max = ask(id, OP2I_CUDA_DEVICE_MAX_THREADS_PER_BLOCK);
  limits->local_bytes = ask(id, OP2I_CUDA_DEVICE_MAX_SHARED_OPTIN);
  limits->memory_bytes = (int64_t)bytes;
  return true;
}

static const char *failed(const char *call, int result) {
  const char *name = NULL, *text = NULL;
  (void)op2i_cuda.cuGetErrorName(result, &name);
  (void)op2i_cuda.cuGetErrorString(result, &text);
  snprintf(failure, sizeof failure, "%s: %s (%s)", call, name ? name : "?", text ? text : "?");
  return failure;
}

static const char *look(void) {
  const char *why = op2i_cuda_missing();
  int count = 0;
  if (why) return why;
  int result = op2i_cuda.cuInit(0);
  if (result == OP2I_CUDA_NO_DEVICE) return "no CUDA device";
  if (result != OP2I_CUDA_SUCCESS) return failed("cuInit", result);
  result = op2i_cuda.cuDeviceGetCount(&count);
  if (result != OP2I_CUDA_SUCCESS) return failed("cuDeviceGetCount", result);
  for (int i = 0; i < count && i < DEVICES_MAX && describe(i, &devices[i]); i++) ndevices = i + 1;
  if (ndevices == 0) return "no CUDA device";
  return op2i_nvrtc_missing();
}

static void find(void) {
  owner = getpid();
  reason = look();
}

const char *op2i_cuda_unavailable(void) {
  pthread_once(&once, find);
  if (!reason && owner != getpid())
    return "CUDA was begun before this process was forked, and cannot be used in it";
  return reason;
}

int op2i_cuda_found(const struct op2i_device_limits **found) {
  pthread_once(&once, find);
  *found = devices;
  return ndevices;
}

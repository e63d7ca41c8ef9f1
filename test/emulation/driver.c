/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's functions about devices, contexts and modules. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool begun;
static int held;  /* how often the context is */
static int ended; /* what has ended it */
static int64_t calls;
enum { DEPTH = 16 };
static _Thread_local void *stack[DEPTH]; /* contexts of the thread; the last is current */
static _Thread_local int depth;
enum { CONTEXTS = 16 };
static char contexts[CONTEXTS]; /* of all devices */
static int64_t launches[CONTEXTS];

/* A call that fails may call others. */
static void make_mutex(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &kind);
  pthread_mutexattr_destroy(&kind);
}

void emulation_lock(void) {
  pthread_once(&once, make_mutex);
  pthread_mutex_lock(&mutex);
}

int emulation_unlock(int result) {
  pthread_mutex_unlock(&mutex);
  return result;
}

/* ---- counting -------------------------------------------------------------------------------- */

enum { NAMES = 128 };
static struct {
  const char *name; /* __func__, which each function has once */
  int64_t times;
} called[NAMES];

static _Thread_local int within;

void emulation_called(const char *name) {
  int i = 0;
  if (within > 0) return;
  emulation_lock();
  while (i < NAMES && called[i].name && called[i].name != name) i++;
  if (i == NAMES) abort();
  called[i].name = name;
  called[i].times++;
  (void)emulation_unlock(EMULATION_SUCCESS);
}

void emulation_begin_call(const char *name) {
  emulation_called(name);
  within++;
}

int emulation_end_call(int result) {
  within--;
  return result;
}

int64_t op2_emulation_calls(const char *name) {
  int64_t times = 0;
  emulation_lock();
  for (int i = 0; i < NAMES && called[i].name; i++)
    if (!name || strcmp(called[i].name, name) == 0) times += called[i].times;
  (void)emulation_unlock(EMULATION_SUCCESS);
  return times;
}

const char *op2_emulation_call(int i) { return i < NAMES ? called[i].name : NULL; }

/* ---- readiness ------------------------------------------------------------------------------- */

/* Return the device whose context is current, or -1. */
static int current_device(void) {
  for (int d = 0; d < CONTEXTS; d++)
    if (depth > 0 && stack[depth - 1] == &contexts[d]) return d;
  return -1;
}

int64_t op2_emulation_launches(int device) { return launches[device]; }

void emulation_launched(void) { launches[current_device()]++; }

int emulation_ready(void) {
  if (!begun) return EMULATION_NOT_INITIALIZED;
  if (current_device() < 0) return EMULATION_INVALID_CONTEXT;
  if (++calls == emulation_setting("lost", 0)) ended = EMULATION_LAUNCH_FAILED;
  return ended;
}

void emulation_end_context(int result) { ended = result; }

int emulation_ended(void) { return ended; }

/* ---- devices and errors ---------------------------------------------------------------------- */

int cuInit(unsigned flags) {
  emulation_called(__func__);
  if (flags) return EMULATION_INVALID_VALUE;
  begun = emulation_devices() > 0;
  return begun ? EMULATION_SUCCESS : EMULATION_NO_DEVICE;
}

int cuDriverGetVersion(int *version) {
  emulation_called(__func__);
  *version = (int)emulation_setting("driver", 13000);
  return EMULATION_SUCCESS;
}

static const struct {
  int result;
  const char *name, *text;
} results[] = {
    {EMULATION_SUCCESS, "CUDA_SUCCESS", "no error"},
    {EMULATION_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {EMULATION_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {EMULATION_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "not begun"},
    {EMULATION_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no device"},
    {EMULATION_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "not a module"},
    {EMULATION_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "no context"},
    {EMULATION_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "PTX that is not valid"},
    {EMULATION_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "no such handle"},
    {EMULATION_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "no such name"},
    {EMULATION_NOT_READY, "CUDA_ERROR_NOT_READY", "not done yet"},
    {EMULATION_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal address"},
    {EMULATION_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {EMULATION_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "launch failed"},
};
enum { RESULTS = sizeof results / sizeof *results };

int cuGetErrorName(int result, const char **name) {
  emulation_called(__func__);
  for (int i = 0; i < RESULTS; i++)
    if (results[i].result == result) {
      *name = results[i].name;
      return EMULATION_SUCCESS;
    }
  return EMULATION_INVALID_VALUE;
}

/* Of a launch that went wrong the report, which says more than a device could. */
int cuGetErrorString(int result, const char **text) {
  emulation_called(__func__);
  if (result >= EMULATION_ILLEGAL_ADDRESS && emulation_report()) {
    *text = emulation_report();
    return EMULATION_SUCCESS;
  }
  for (int i = 0; i < RESULTS; i++)
    if (results[i].result == result) {
      *text = results[i].text;
      return EMULATION_SUCCESS;
    }
  return EMULATION_INVALID_VALUE;
}

int cuDeviceGetCount(int *count) {
  emulation_called(__func__);
  *count = emulation_devices();
  return begun ? EMULATION_SUCCESS : EMULATION_NOT_INITIALIZED;
}

int cuDeviceGet(int *device, int number) {
  emulation_called(__func__);
  *device = number;
  return emulation_device(number) >= 0 ? EMULATION_SUCCESS : EMULATION_INVALID_VALUE;
}

int cuDeviceGetName(char *name, int room, int device) {
  emulation_called(__func__);
  snprintf(name, (size_t)room, "Emulation of CUDA %d", emulation_device(device));
  return EMULATION_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  emulation_called(__func__);
  enum { MAX_THREADS = 1, SHARED = 8, UNITS = 16, MAJOR = 75, MINOR = 76, SHARED_OPTIN = 97 };
  const int64_t target = emulation_setting("sm", 80);
  (void)device;
  switch (attribute) {
  case MAX_THREADS: *value = (int)emulation_setting("threads", 1024); break;
  case SHARED: *value = 48 << 10; break;
  case UNITS: *value = (int)emulation_setting("units", 4); break;
  case MAJOR: *value = (int)(target / 10); break;
  case MINOR: *value = (int)(target % 10); break;
  case SHARED_OPTIN: *value = (int)emulation_setting("shared", 163 << 10); break;
  default: return EMULATION_INVALID_VALUE;
  }
  return EMULATION_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  emulation_called(__func__);
  (void)device;
  *bytes = (size_t)emulation_setting("memory", (int64_t)2 << 30);
  return EMULATION_SUCCESS;
}

/* ---- contexts -------------------------------------------------------------------------------- */

int cuDevicePrimaryCtxRetain(void **out, int device) {
  emulation_called(__func__);
  const int number = emulation_device(device);
  if (!begun) return EMULATION_NOT_INITIALIZED;
  if (number < 0 || number >= CONTEXTS) return EMULATION_INVALID_VALUE;
  emulation_lock();
  *out = &contexts[number];
  held++;
  return emulation_unlock(EMULATION_SUCCESS);
}

/* With the last that holds it goes all that is left in it, and what has ended it. */
int cuDevicePrimaryCtxRelease_v2(int device) {
  emulation_called(__func__);
  (void)device;
  emulation_lock();
  if (held == 0) return emulation_unlock(EMULATION_INVALID_CONTEXT);
  if (--held == 0) {
    ended = EMULATION_SUCCESS;
    calls = 0;
    emulation_forget_streams();
    emulation_forget_graphs();
    emulation_unload_all();
    emulation_free_all();
  }
  return emulation_unlock(EMULATION_SUCCESS);
}

/* Any other address stands for a context of somebody else. */
int cuCtxPushCurrent_v2(void *pushed) {
  emulation_called(__func__);
  if (!pushed || depth == DEPTH) return EMULATION_INVALID_CONTEXT;
  stack[depth++] = pushed;
  return EMULATION_SUCCESS;
}

int cuCtxPopCurrent_v2(void **popped) {
  emulation_called(__func__);
  if (depth == 0) return EMULATION_INVALID_CONTEXT;
  *popped = stack[--depth];
  return EMULATION_SUCCESS;
}

int cuCtxGetCurrent(void **current) {
  emulation_called(__func__);
  *current = depth > 0 ? stack[depth - 1] : NULL;
  return begun ? EMULATION_SUCCESS : EMULATION_NOT_INITIALIZED;
}

/* The current context is replaced; null: it is popped. */
int cuCtxSetCurrent(void *current) {
  emulation_called(__func__);
  if (depth > 0) depth--;
  if (current) stack[depth++] = current;
  return begun ? EMULATION_SUCCESS : EMULATION_NOT_INITIALIZED;
}

/* ---- modules --------------------------------------------------------------------------------- */

int cuModuleLoadData(struct emulation_module **module, const void *image) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  return emulation_unlock(result ? result : emulation_module_load(image, module));
}

int cuModuleUnload(struct emulation_module *module) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_finish_streams();
  emulation_module_unload(module);
  return emulation_unlock(result);
}

int cuModuleGetFunction(struct emulation_function **function, struct emulation_module *module,
                        const char *name) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  struct emulation_function *found = result ? NULL : emulation_module_find(module, name);
  if (!result && !found) result = EMULATION_NOT_FOUND;
  if (!result) *function = found;
  return emulation_unlock(result);
}

/* ---- PTX ------------------------------------------------------------------------------------- */

/* NVRTC's result for another architecture than the device's is PTX, which has to be translated
 * before it is a module. */
struct emulation_link {
  void *image;
  size_t bytes;
};

int cuLinkCreate_v2(unsigned n, int *options, void **values, struct emulation_link **link) {
  emulation_called(__func__);
  (void)n, (void)options, (void)values;
  emulation_lock();
  int result = emulation_ready();
  if (!result) *link = calloc(1, sizeof **link);
  return emulation_unlock(result);
}

int cuLinkAddData_v2(struct emulation_link *link, int kind, void *data, size_t bytes,
                     const char *name, unsigned n, int *options, void **values) {
  emulation_called(__func__);
  enum { PTX = 1 };
  const size_t head = strlen(EMULATION_PTX);
  (void)name, (void)n, (void)options, (void)values;
  if (kind != PTX || bytes <= head || memcmp(data, EMULATION_PTX, head) != 0)
    return EMULATION_INVALID_VALUE;
  link->image = malloc(bytes - head);
  link->bytes = bytes - head;
  memcpy(link->image, (char *)data + head, link->bytes);
  return emulation_setting("translates", 1) ? EMULATION_SUCCESS : EMULATION_INVALID_PTX;
}

int cuLinkComplete(struct emulation_link *link, void **image, size_t *bytes) {
  emulation_called(__func__);
  *image = link->image;
  *bytes = link->bytes;
  return link->image ? EMULATION_SUCCESS : EMULATION_INVALID_VALUE;
}

int cuLinkDestroy(struct emulation_link *link) {
  emulation_called(__func__);
  free(link->image);
  free(link);
  return EMULATION_SUCCESS;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int64_t threads_of(const struct emulation_function *function) {
  const int64_t all = emulation_setting("threads", 1024);
  const int declared = function->entry->threads_max;
  return declared > 0 && declared < all ? declared : all;
}

int cuFuncGetAttribute(int *value, int attribute, struct emulation_function *function) {
  emulation_called(__func__);
  enum { MAX_THREADS = 0, SHARED = 1, MAX_DYNAMIC = 8 };
  switch (attribute) {
  case MAX_THREADS: *value = (int)threads_of(function); break;
  case SHARED: *value = emulation_module_fixed(function->module); break;
  case MAX_DYNAMIC: *value = function->dynamic_max; break;
  default: return EMULATION_INVALID_VALUE;
  }
  return EMULATION_SUCCESS;
}

int cuFuncSetAttribute(struct emulation_function *function, int attribute, int value) {
  emulation_called(__func__);
  enum { MAX_DYNAMIC = 8 };
  const int64_t all = emulation_setting("shared", 163 << 10);
  if (attribute != MAX_DYNAMIC || value < 0 ||
      value > all - emulation_module_fixed(function->module))
    return EMULATION_INVALID_VALUE;
  function->dynamic_max = value;
  return EMULATION_SUCCESS;
}

bool emulation_can_launch(const struct emulation_launch *launch) {
  return launch->blocks > 0 && launch->blocks <= INT32_MAX && launch->threads > 0 &&
         launch->threads <= threads_of(launch->function) && launch->parameters &&
         launch->shared_bytes <= (unsigned)launch->function->dynamic_max;
}

int cuLaunchKernel(struct emulation_function *function, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared_bytes, void *stream, void **parameters, void **extra) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  const struct emulation_launch launch = {.function = function,
                                          .blocks = grid_x,
                                          .threads = block_x,
                                          .shared_bytes = shared_bytes,
                                          .parameters = parameters};
  if (!result && (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || extra ||
                  !emulation_can_launch(&launch)))
    result = EMULATION_INVALID_VALUE;
  return emulation_unlock(result ? result : emulation_put_off_launch(stream, &launch));
}

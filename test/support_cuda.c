/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in for the CUDA driver and NVRTC in t531, where there is no device: two devices in
 * the host's memory. All that is asynchronous is put off as long as it may be, so that whoever does
 * not wait as he must gets, or gives, other bytes; and every call is refused that has no context,
 * goes beyond memory, or shares more than was asked for. OP2_TEST_CUDA says what there is too
 * little of: "devices", "pinned". */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"

#define PROTOTYPE(name_, parameters_) int name_ parameters_;
OP2I_CUDA_CALLS(PROTOTYPE)
OP2I_NVRTC_CALLS(PROTOTYPE)
const char *nvrtcGetErrorString(int result);
int op2_toy_left(void);

enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, ALL = 512 << 20, MOST = 4096, SHARED = 100000 };

static int begun, sticky, depth, things; /* contexts on the stack; what is not destroyed yet */
static struct op2i_cuda_context { int id; } contexts[2] = {{0}, {1}};

static bool lacks(const char *what) {
  const char *said = getenv("OP2_TEST_CUDA");
  return said && strcmp(said, what) == 0;
}

/* What a call may do that needs a context. */
static int ready(void) {
  return !begun ? NOT_INITIALIZED : depth == 0 ? (int)OP2I_CUDA_INVALID_CONTEXT : sticky;
}

/* ---- the driver and its devices -------------------------------------------------------------- */

int cuInit(unsigned flags) {
  begun = flags == 0 && !lacks("devices");
  return begun ? OP2I_CUDA_SUCCESS : OP2I_CUDA_NO_DEVICE;
}

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return OP2I_CUDA_SUCCESS;
}

static const struct {
  int result;
  const char *name;
} names[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {OP2I_CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {OP2I_CUDA_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {OP2I_CUDA_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {OP2I_CUDA_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
};

int cuGetErrorName(int result, const char **name) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].result == result) {
      *name = names[i].name;
      return OP2I_CUDA_SUCCESS;
    }
  return INVALID_VALUE; /* and no name */
}

int cuGetErrorString(int result, const char **text) {
  *text = result ? "as a toy says" : "no error";
  return OP2I_CUDA_SUCCESS;
}

int cuDeviceGetCount(int *count) {
  *count = 2;
  return begun ? OP2I_CUDA_SUCCESS : NOT_INITIALIZED;
}

int cuDeviceGet(int *device, int number) {
  *device = number + 10;
  return number < 2 ? OP2I_CUDA_SUCCESS : INVALID_VALUE;
}

int cuDeviceGetName(char *name, int room, int device) {
  snprintf(name, (size_t)room, "Toy %s", device == 10 ? "Alpha" : "Beta");
  return OP2I_CUDA_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case OP2I_CUDA_DEVICE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
  case OP2I_CUDA_DEVICE_MULTIPROCESSORS: *value = device == 10 ? 4 : 8; break;
  case OP2I_CUDA_DEVICE_MAJOR: *value = 9; break;
  case OP2I_CUDA_DEVICE_MINOR: *value = 0; break;
  case OP2I_CUDA_DEVICE_MAX_SHARED_OPTIN: *value = SHARED; break;
  default: return INVALID_VALUE;
  }
  return OP2I_CUDA_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = ALL;
  return OP2I_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRetain(op2i_cuda_context *context, int device) {
  *context = &contexts[device - 10];
  things++;
  return OP2I_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  things--;
  return OP2I_CUDA_SUCCESS;
}

int cuCtxPushCurrent_v2(op2i_cuda_context context) {
  depth++;
  return context ? OP2I_CUDA_SUCCESS : INVALID_VALUE;
}

int cuCtxPopCurrent_v2(op2i_cuda_context *context) {
  (void)context;
  if (depth == 0) return OP2I_CUDA_INVALID_CONTEXT;
  depth--;
  return OP2I_CUDA_SUCCESS;
}

/* Contexts that are held, memory, streams, events and modules that are still there. */
int op2_toy_left(void) { return things + depth; }

/* ---- memory ---------------------------------------------------------------------------------- */

static struct {
  char *at;
  size_t bytes;
} pieces[MOST];
static size_t taken;

static bool inside(op2i_cuda_address at, size_t bytes) {
  for (int i = 0; i < MOST; i++) {
    const op2i_cuda_address first = (uintptr_t)pieces[i].at;
    if (first && at >= first && at + bytes <= first + pieces[i].bytes) return true;
  }
  return false;
}

int cuMemAlloc_v2(op2i_cuda_address *memory, size_t bytes) {
  int failure = ready(), i = 0;
  if (failure) return failure;
  if (bytes == 0) return INVALID_VALUE;
  while (i < MOST && pieces[i].at) i++;
  if (bytes > ALL - taken || i == MOST || !(pieces[i].at = malloc(bytes)))
    return OP2I_CUDA_OUT_OF_MEMORY;
  memset(pieces[i].at, 0x5a, bytes);
  pieces[i].bytes = bytes;
  taken += bytes;
  things++;
  *memory = (uintptr_t)pieces[i].at;
  return OP2I_CUDA_SUCCESS;
}

int cuMemFree_v2(op2i_cuda_address memory) {
  int failure = cuStreamSynchronize(NULL);
  for (int i = 0; i < MOST; i++)
    if ((uintptr_t)pieces[i].at == memory) {
      taken -= pieces[i].bytes;
      free(pieces[i].at);
      pieces[i].at = NULL;
      things--;
      return failure;
    }
  return INVALID_VALUE;
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
  int failure = ready();
  if (failure) return failure;
  if (lacks("pinned") || !(*memory = malloc(bytes))) return OP2I_CUDA_OUT_OF_MEMORY;
  things++;
  return OP2I_CUDA_SUCCESS;
}

int cuMemFreeHost(void *memory) {
  free(memory);
  things--;
  return OP2I_CUDA_SUCCESS;
}

/* ---- what is put off ------------------------------------------------------------------------- */

struct op2i_cuda_function {
  const char *name;
  int shared;
};
struct op2i_cuda_event {
  int after;
};

static struct {
  struct op2i_cuda_function *function; /* null: bytes are copied, or cleared where from is null */
  char *to;
  const char *from;
  size_t bytes;
  int64_t sum;
} queue[MOST];
static int queued, done;

/* "add" adds numbers to one in memory; "k" writes where its parameter says. */
static void run(int i) {
  if (queue[i].function && inside((uintptr_t)queue[i].to, sizeof queue[i].sum))
    *(int64_t *)(void *)queue[i].to += queue[i].sum;
  else if (queue[i].function)
    sticky = OP2I_CUDA_ILLEGAL_ADDRESS;
  else if (queue[i].from)
    memcpy(queue[i].to, queue[i].from, queue[i].bytes);
  else
    memset(queue[i].to, 0, queue[i].bytes);
}

static int run_to(int end) {
  int failure = ready();
  for (; done < end && !failure; failure = sticky) run(done++);
  if (done == queued) done = queued = 0;
  return failure;
}

static int put_off(void *to, const void *from, size_t bytes, struct op2i_cuda_function *function,
                   int64_t sum) {
  int failure = ready();
  if (failure || queued == MOST) return failure ? failure : OP2I_CUDA_UNKNOWN;
  queue[queued].function = function;
  queue[queued].to = to;
  queue[queued].from = from;
  queue[queued].bytes = bytes;
  queue[queued++].sum = sum;
  return OP2I_CUDA_SUCCESS;
}

int cuStreamCreate(op2i_cuda_stream *stream, unsigned flags) {
  *stream = (op2i_cuda_stream)(void *)&queue;
  things++;
  return flags == OP2I_CUDA_STREAM_NON_BLOCKING ? ready() : INVALID_VALUE;
}

int cuStreamDestroy_v2(op2i_cuda_stream stream) {
  (void)stream;
  things--;
  return ready();
}

int cuStreamSynchronize(op2i_cuda_stream stream) {
  (void)stream;
  return run_to(queued);
}

int cuEventCreate(op2i_cuda_event *event, unsigned flags) {
  *event = calloc(1, sizeof **event);
  things++;
  return flags == OP2I_CUDA_EVENT_DISABLE_TIMING ? ready() : INVALID_VALUE;
}

int cuEventDestroy_v2(op2i_cuda_event event) {
  free(event);
  things--;
  return ready();
}

int cuEventRecord(op2i_cuda_event event, op2i_cuda_stream stream) {
  (void)stream;
  event->after = queued;
  return ready();
}

/* What was queued after all was done has numbers from 0 again: then too much is done, not too
 * little. */
int cuEventSynchronize(op2i_cuda_event event) { return run_to(event->after); }

int cuMemcpyHtoDAsync_v2(op2i_cuda_address to, const void *from, size_t bytes,
                         op2i_cuda_stream stream) {
  (void)stream;
  if (!inside(to, bytes) || bytes == 0) return INVALID_VALUE;
  return put_off((void *)(uintptr_t)to, from, bytes, NULL, 0);
}

int cuMemcpyDtoHAsync_v2(void *to, op2i_cuda_address from, size_t bytes, op2i_cuda_stream stream) {
  (void)stream;
  if (!inside(from, bytes) || bytes == 0) return INVALID_VALUE;
  return put_off(to, (const void *)(uintptr_t)from, bytes, NULL, 0);
}

int cuMemsetD8Async(op2i_cuda_address at, unsigned char value, size_t bytes,
                    op2i_cuda_stream stream) {
  (void)stream;
  if (!inside(at, bytes) || value != 0) return INVALID_VALUE;
  return put_off((void *)(uintptr_t)at, NULL, bytes, NULL, 0);
}

/* ---- code ------------------------------------------------------------------------------------ */

struct op2i_cuda_module {
  struct op2i_cuda_function functions[2];
};

int cuModuleLoadData(op2i_cuda_module *module, const void *image) {
  int failure = ready();
  if (failure || memcmp(image, ELFMAG, SELFMAG) != 0)
    return failure ? failure : (int)OP2I_CUDA_INVALID_IMAGE;
  *module = calloc(1, sizeof **module);
  (*module)->functions[0].name = "add";
  (*module)->functions[1].name = "k";
  things++;
  return OP2I_CUDA_SUCCESS;
}

int cuModuleUnload(op2i_cuda_module module) {
  int failure = run_to(queued);
  free(module);
  things--;
  return failure;
}

int cuModuleGetFunction(op2i_cuda_function *function, op2i_cuda_module module, const char *name) {
  for (int i = 0; i < 2; i++)
    if (strcmp(module->functions[i].name, name) == 0) {
      *function = &module->functions[i];
      return ready();
    }
  return OP2I_CUDA_NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, op2i_cuda_function function) {
  (void)function;
  *value = attribute == OP2I_CUDA_FUNCTION_MAX_THREADS ? 512 : 1000;
  return ready();
}

int cuFuncSetAttribute(op2i_cuda_function function, int attribute, int value) {
  if (attribute != OP2I_CUDA_FUNCTION_MAX_DYNAMIC_SHARED || value > SHARED - 1000)
    return INVALID_VALUE;
  function->shared = value;
  return ready();
}

/* The parameters of "add" are the place, how many numbers there are, and they. */
int cuLaunchKernel(op2i_cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   op2i_cuda_stream stream, void **parameters, void **extra) {
  (void)stream;
  int64_t sum = 0;
  if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 || block_x > 512 || block_y != 1 ||
      block_z != 1 || shared_bytes > (unsigned)function->shared || extra)
    return INVALID_VALUE;
  void *place = *(void **)parameters[0];
  if (strcmp(function->name, "add") == 0)
    for (int64_t i = 0; i < *(int64_t *)parameters[1]; i++) sum += *(int64_t *)parameters[2 + i];
  return put_off(place, NULL, 0, function, sum);
}

/* ---- NVRTC, a version that lacks two options ------------------------------------------------- */

struct op2i_nvrtc_program {
  int nheaders;
};

int nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 77;
  return OP2I_NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(int result) { return result ? "NVRTC_ERROR_TOY" : "NVRTC_SUCCESS"; }

int nvrtcCreateProgram(op2i_nvrtc_program *program, const char *source, const char *name,
                       int nheaders, const char *const *contents, const char *const *included) {
  if (!source || !name || !contents || !included) return OP2I_NVRTC_OUT_OF_MEMORY;
  *program = calloc(1, sizeof **program);
  (*program)->nheaders = nheaders;
  return OP2I_NVRTC_SUCCESS;
}

int nvrtcDestroyProgram(op2i_nvrtc_program *program) {
  free(*program);
  *program = NULL;
  return OP2I_NVRTC_SUCCESS;
}

int nvrtcCompileProgram(op2i_nvrtc_program program, int n, const char *const *options) {
  (void)program;
  for (int i = 0; i < n; i++)
    if (strstr(options[i], "vectorization") || strstr(options[i], "warnings"))
      return OP2I_NVRTC_INVALID_OPTION;
  return OP2I_NVRTC_SUCCESS;
}

int nvrtcGetProgramLogSize(op2i_nvrtc_program program, size_t *bytes) {
  (void)program;
  *bytes = sizeof "an option";
  return OP2I_NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(op2i_nvrtc_program program, char *log) {
  (void)program;
  memcpy(log, "an option", sizeof "an option");
  return OP2I_NVRTC_SUCCESS;
}

struct image {
  Elf64_Ehdr head;
  Elf64_Shdr section;
};

int nvrtcGetCUBINSize(op2i_nvrtc_program program, size_t *bytes) {
  (void)program;
  *bytes = sizeof(struct image);
  return OP2I_NVRTC_SUCCESS;
}

int nvrtcGetCUBIN(op2i_nvrtc_program program, char *cubin) {
  struct image image = {.head.e_shoff = offsetof(struct image, section),
                        .head.e_shentsize = sizeof(Elf64_Shdr),
                        .head.e_shnum = 1};
  (void)program;
  memcpy(image.head.e_ident, ELFMAG, SELFMAG);
  image.head.e_ident[EI_CLASS] = ELFCLASS64;
  memcpy(cubin, &image, sizeof image);
  return OP2I_NVRTC_SUCCESS;
}

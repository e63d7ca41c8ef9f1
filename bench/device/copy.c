/* SPDX-License-Identifier: BSD-3-Clause */
/* The speed at which an NVIDIA device copies its own memory: the reference for the speed of loops
 * on it.
 *
 *   device_copy [megabytes [rounds]]
 *
 * prints the device's name and the GB/s of the fastest round, counting bytes read and written. The
 * driver is opened when the program runs; without one the program reports that and ends with status
 * 77. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *stream_t, *event_t;

/* Functions of the driver's interface: our names, and the driver's. */
#define FUNCTIONS(_)                                                                               \
  _(init, "cuInit", (unsigned flags))                                                              \
  _(device, "cuDeviceGet", (int *device, int number))                                              \
  _(name, "cuDeviceGetName", (char *name, int room, int device))                                   \
  _(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                              \
  _(current, "cuCtxPushCurrent_v2", (void *context))                                               \
  _(alloc, "cuMemAlloc_v2", (uint64_t *memory, size_t bytes))                                      \
  _(fill, "cuMemsetD8Async", (uint64_t memory, unsigned char value, size_t n, stream_t stream))    \
  _(copy, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t bytes, stream_t stream))     \
  _(event, "cuEventCreate", (event_t *event, unsigned flags))                                      \
  _(record, "cuEventRecord", (event_t event, stream_t stream))                                     \
  _(await, "cuEventSynchronize", (event_t event))                                                  \
  _(between, "cuEventElapsedTime", (float *ms, event_t begin, event_t end))

struct driver {
#define MEMBER(member, symbol, parameters) int(*member) parameters;
  FUNCTIONS(MEMBER)
};

static int find(struct driver *driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define FIND(member, symbol, parameters)                                                           \
  if (!(*(void **)&driver->member = dlsym(library, symbol))) return 0;
  FUNCTIONS(FIND)
  return 1;
}

static int fail(const char *what, int code) {
  fprintf(stderr, "device_copy: %s: error %d of the driver\n", what, code);
  return 1;
}

#define TRY(call)                                                                                  \
  do {                                                                                             \
    int code_ = (call);                                                                            \
    if (code_) return fail(#call, code_);                                                          \
  } while (0)

/* Time the fastest of some rounds, in milliseconds. */
static int measure(const struct driver *cuda, size_t bytes, int rounds, float *best) {
  uint64_t from, to;
  event_t begin, end;
  TRY(cuda->alloc(&from, bytes));
  TRY(cuda->alloc(&to, bytes));
  TRY(cuda->fill(from, 1, bytes, NULL));
  TRY(cuda->event(&begin, 0));
  TRY(cuda->event(&end, 0));
  *best = 0;
  for (int r = 0; r < rounds; r++) {
    float ms;
    TRY(cuda->record(begin, NULL));
    TRY(cuda->copy(to, from, bytes, NULL));
    TRY(cuda->record(end, NULL));
    TRY(cuda->await(end));
    TRY(cuda->between(&ms, begin, end));
    if (r == 0 || ms < *best) *best = ms;
  }
  return 0;
}

int main(int argc, char **argv) {
  const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 1024) << 20;
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  struct driver cuda;
  void *context;
  char name[128];
  int device;
  float ms;
  if (!bytes || rounds < 1) return fprintf(stderr, "device_copy [megabytes [rounds]]\n"), 2;
  if (!find(&cuda) || cuda.init(0)) {
    fprintf(stderr, "device_copy: there is no NVIDIA device or driver here\n");
    return 77;
  }
  TRY(cuda.device(&device, 0));
  TRY(cuda.name(name, sizeof name, device));
  TRY(cuda.retain(&context, device));
  TRY(cuda.current(context));
  if (measure(&cuda, bytes, rounds, &ms)) return 1;
  printf("%s %.1f\n", name, 2 * (double)bytes / (1e6 * (double)ms));
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The speed at which an NVIDIA or AMD device copies its own memory: the reference for the speed of
 * loops on it.
 *
 *   device_copy [megabytes [rounds [hip]]]
 *
 * prints the device's name and the GB/s of the fastest round, counting bytes read and written. The
 * driver is opened when the program runs; without one the program reports that and ends with status
 * 77. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *stream_t, *event_t;

/* Functions of the driver's interface: our names, CUDA's and HIP's, which has no contexts. */
#define FUNCTIONS(_)                                                                               \
  _(init, "cuInit", "hipInit", (unsigned flags))                                                   \
  _(device, "cuDeviceGet", "hipDeviceGet", (int *device, int number))                              \
  _(name, "cuDeviceGetName", "hipDeviceGetName", (char *name, int room, int device))               \
  _(retain, "cuDevicePrimaryCtxRetain", "", (void **context, int device))                          \
  _(current, "cuCtxPushCurrent_v2", "", (void *context))                                           \
  _(stream, "cuStreamCreate", "hipStreamCreateWithFlags", (stream_t * stream, unsigned flags))     \
  _(alloc, "cuMemAlloc_v2", "hipMalloc", (uint64_t * memory, size_t bytes))                        \
  _(fill, "cuMemsetD8Async", "hipMemsetD8Async",                                                   \
    (uint64_t memory, unsigned char value, size_t n, stream_t stream))                             \
  _(copy, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync",                                            \
    (uint64_t to, uint64_t from, size_t bytes, stream_t stream))                                   \
  _(event, "cuEventCreate", "hipEventCreateWithFlags", (event_t * event, unsigned flags))          \
  _(record, "cuEventRecord", "hipEventRecord", (event_t event, stream_t stream))                   \
  _(await, "cuEventSynchronize", "hipEventSynchronize", (event_t event))                           \
  _(between, "cuEventElapsedTime", "hipEventElapsedTime", (float *ms, event_t begin, event_t end))

struct driver {
#define MEMBER(member, cuda_, hip_, parameters) int(*member) parameters;
  FUNCTIONS(MEMBER)
};

static void *open_first(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  return library;
}

static int find(struct driver *driver, int hip) {
  static const char *const cuda_names[] = {"libcuda.so.1", NULL};
  static const char *const hip_names[] = {"libamdhip64.so.7",
                                          "libamdhip64.so.6",
                                          "libamdhip64.so.5",
                                          "libamdhip64.so",
                                          "/opt/rocm/lib/libamdhip64.so",
                                          NULL};
  void *library = open_first(hip ? hip_names : cuda_names);
  if (!library) return 0;
#define FIND(member, cuda_, hip_, parameters)                                                      \
  {                                                                                                \
    const char *symbol = hip ? hip_ : cuda_;                                                       \
    if (*symbol && !(*(void **)&driver->member = dlsym(library, symbol))) return 0;                \
  }
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
static int measure(const struct driver *driver, size_t bytes, int rounds, float *best) {
  uint64_t from, to;
  event_t begin, end;
  stream_t stream;
  TRY(driver->stream(&stream, 0));
  TRY(driver->alloc(&from, bytes));
  TRY(driver->alloc(&to, bytes));
  TRY(driver->fill(from, 1, bytes, stream));
  TRY(driver->event(&begin, 0));
  TRY(driver->event(&end, 0));
  *best = 0;
  for (int r = 0; r < rounds; r++) {
    float ms;
    TRY(driver->record(begin, stream));
    TRY(driver->copy(to, from, bytes, stream));
    TRY(driver->record(end, stream));
    TRY(driver->await(end));
    TRY(driver->between(&ms, begin, end));
    if (r == 0 || ms < *best) *best = ms;
  }
  return 0;
}

int main(int argc, char **argv) {
  const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 1024) << 20;
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  const int hip = argc > 3 && strcmp(argv[3], "hip") == 0;
  struct driver driver = {0};
  void *context;
  char name[128];
  int device;
  float ms = 0;
  if (!bytes || rounds < 1) return fprintf(stderr, "device_copy [megabytes [rounds [hip]]]\n"), 2;
  if (!find(&driver, hip) || driver.init(0)) {
    fprintf(stderr, "device_copy: there is no %s device or driver here\n", hip ? "AMD" : "NVIDIA");
    return 77;
  }
  TRY(driver.device(&device, 0));
  TRY(driver.name(name, sizeof name, device));
  if (driver.retain) TRY(driver.retain(&context, device));
  if (driver.current) TRY(driver.current(context));
  if (measure(&driver, bytes, rounds, &ms)) return 1;
  printf("%s %.1f\n", name, 2 * (double)bytes / (1e6 * (double)ms));
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices whose driver has CUDA's interface: NVIDIA's, and AMD's by HIP (backends/hip). The context is
 * the device's primary one, which the runtime's interface and StarPU use as well; it is current only
 * during each call. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cuda_driver.h"
#include "cuda_graph.h"
#include "device.h"
#include "device_graphs.h"
#include "device_ring.h"
#include "error.h"
#include "mem.h"
#include "text.h"

/* Large transfers go through pinned memory in two halves, of which one is copied while the device
 * transfers the other. */
enum { STAGE = 8 << 20, DIRECT = 256 << 10 };

struct cuda {
  struct op2i_device device;
  const struct op2i_cuda_driver *driver;
  const struct op2i_cuda_api *api;
  int number;
  op2i_cuda_context context;
  op2i_cuda_stream stream;
  struct op2i_device_ring ring; /* in pinned memory */
  char *stage;                  /* [2][STAGE]; null until it is needed */
  void *taken[2];               /* events: the device has read, or written, a half */
  char *lost;                   /* why the device cannot be used any more; null: it can */
  struct op2i_cuda_ops collected;
  bool submitting;  /* true while they are handed over */
  bool inside;      /* true if the context stays current from one call to the next */
  bool pushed;      /* true if it is to be popped, as another was current */
  bool stays;       /* true if it was left to a thread that had none */
  int64_t unloaded; /* functions unloaded so far */
};

struct code {
  struct op2i_device_code code;
  op2i_cuda_module module;
  op2i_cuda_function function;
};

/* ---- failures -------------------------------------------------------------------------------- */

static struct cuda *cuda_of(struct op2i_device *device) { return (struct cuda *)device; }

/* True for errors that leave the context usable; any other error ends it. */
static bool harmless(op2i_cuda_result result) {
  enum {
    INVALID_VALUE = 1,
    INVALID_IMAGE = 200,
    NO_BINARY = 209,
    NOT_FOUND = 500,
    RESOURCES = 701
  };
  return result == INVALID_VALUE || result == OP2I_CUDA_NOMEM || result == INVALID_IMAGE ||
         result == NO_BINARY || result == NOT_FOUND || result == RESOURCES;
}

static op2_status failed(struct cuda *cuda, const char *call, op2i_cuda_result result) {
  const char *name = "?", *text = "?";
  if (!result) return OP2_SUCCESS;
  call = cuda->driver->name(call);
  cuda->api->cuGetErrorName(result, &name);
  cuda->api->cuGetErrorString(result, &text);
  if (result == OP2I_CUDA_NOMEM)
    return op2i_error(OP2_ERR_NOMEM, "out of memory on %s (%s)", cuda->device.limits.name, call);
  if (harmless(result)) return op2i_error(OP2_ERR_UNAVAILABLE, "%s: %s (%s)", call, text, name);
  if (!cuda->lost) {
    struct op2i_text words = {0};
    op2i_text_add(&words, "device %s is lost: %s: %s (%s)", cuda->device.limits.name, call, text,
                  name);
    cuda->lost = words.chars;
  }
  return op2i_error(OP2_ERR_FATAL, "%s", cuda->lost ? cuda->lost : call);
}

/* Make the context current. It stays so if there was none before: to take it away again, as to bring
 * another one back, would take a call each time. */
static op2i_cuda_result make_current(struct cuda *cuda) {
  op2i_cuda_context now = NULL;
  op2i_cuda_result result = 0;
  if (cuda->api->graphs) result = cuda->api->cuCtxGetCurrent(&now);
  if (result || (now && now == cuda->context)) return result;
  if (cuda->api->graphs && !now) {
    cuda->stays = true;
    return cuda->api->cuCtxSetCurrent(cuda->context);
  }
  result = cuda->api->cuCtxPushCurrent_v2(cuda->context);
  cuda->pushed = !result;
  return result;
}

/* Every driver call is made between enter() and leave(). While launches are collected, the first
 * enter() counts for all. */
static op2_status enter(struct cuda *cuda) {
  if (cuda->lost) return op2i_error(OP2_ERR_FATAL, "%s", cuda->lost);
  if (cuda->inside) return OP2_SUCCESS;
  return failed(cuda, "cuCtxSetCurrent", make_current(cuda));
}

static void leave(struct cuda *cuda) {
  op2i_cuda_context context;
  cuda->inside = cuda->device.collecting || cuda->submitting;
  if (cuda->inside) return;
  if (cuda->pushed) cuda->api->cuCtxPopCurrent_v2(&context);
  cuda->pushed = false;
}

#define CALL(cuda_, name_, ...) failed(cuda_, #name_, (cuda_)->api->name_(__VA_ARGS__))

/* ---- opening and closing -------------------------------------------------------------------- */

static void close_device(struct op2i_device *device) {
  struct cuda *cuda = cuda_of(device);
  op2i_cuda_context now = NULL;
  op2i_device_ring_close(device, &cuda->ring);
  op2i_cuda_ops_free(&cuda->collected);
  if (cuda->context && !make_current(cuda)) {
    if (cuda->stream) cuda->api->cuStreamSynchronize(cuda->stream);
    if (cuda->ring.room) cuda->api->cuMemFreeHost(cuda->ring.room);
    for (int h = 0; h < 2; h++)
      if (cuda->taken[h]) cuda->api->cuEventDestroy_v2(cuda->taken[h]);
    if (cuda->stage) cuda->api->cuMemFreeHost(cuda->stage);
    if (cuda->stream) cuda->api->cuStreamDestroy_v2(cuda->stream);
    leave(cuda);
    if (cuda->stays && !cuda->api->cuCtxGetCurrent(&now) && now == cuda->context)
      cuda->api->cuCtxSetCurrent(NULL);
  }
  if (cuda->context) cuda->api->cuDevicePrimaryCtxRelease_v2(cuda->number);
  op2i_free(cuda->lost);
  op2i_free(cuda);
}

static op2_status open_device(const struct op2i_cuda_driver *driver, const char *which,
                              int node_rank, struct op2i_device **out) {
  enum { NON_BLOCKING = 1 };
  const char *why = driver->kind->unavailable();
  if (why) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", why);
  int number = op2i_cuda_choose(driver, which, node_rank);
  if (number < 0) return op2i_device_unknown(driver->kind, which ? which : "");
  struct cuda *cuda = op2i_calloc(1, sizeof *cuda);
  if (!cuda) return op2i_error_nomem("a device");
  cuda->device.kind = driver->kind;
  cuda->driver = driver;
  cuda->api = driver->api(&why);
  cuda->number = number;
  if (!cuda->api->graphs) cuda->device.no_graphs = "the driver";
  driver->describe(cuda->api, number, &cuda->device.limits);
  op2_status status = CALL(cuda, cuDevicePrimaryCtxRetain, &cuda->context, number);
  if (!status) status = enter(cuda);
  if (!status) {
    status = CALL(cuda, cuStreamCreate, &cuda->stream, NON_BLOCKING);
    leave(cuda);
  }
  if (status)
    close_device(&cuda->device);
  else
    *out = &cuda->device;
  return status;
}

/* ---- launches that are collected ------------------------------------------------------------- */

/* The device has taken such launches before. If it refuses them now, nobody knows any more to which
 * loop each belongs. */
static op2_status launch_apart(struct cuda *cuda, const struct op2i_cuda_place *place) {
  const char *call = "";
  op2i_cuda_result result = op2i_cuda_ops_run(place, &cuda->collected, &call);
  op2_status status = failed(cuda, call, result);
  if (!status || status == OP2_ERR_FATAL) return status;
  struct op2i_text words = {0};
  op2i_text_add(&words, "device %s refuses launches that it took before: %s (error %d)",
                cuda->device.limits.name, call, result);
  cuda->lost = words.chars;
  return op2i_error(OP2_ERR_FATAL, "%s", cuda->lost ? cuda->lost : call);
}

/* Where the driver refuses a graph, it gets the launches one by one, and no more graphs. If the
 * device is lost, the launches say so. */
static op2_status launch_collected(struct cuda *cuda) {
  const struct op2i_cuda_place place = {cuda->api, cuda->context, cuda->stream, cuda->unloaded};
  struct op2i_device_graphs *graphs = cuda->device.graphs;
  const char *call = "";
  bool apart = false;
  op2i_cuda_result result = op2i_cuda_graph_launch(&place, graphs, &cuda->collected, &apart, &call);
  if (result) cuda->device.no_graphs = cuda->driver->name(call);
  op2_status status = result || apart ? launch_apart(cuda, &place) : OP2_SUCCESS;
  cuda->device.counts.graphs += !result && !apart;
  op2i_cuda_ops_clear_all(&cuda->collected);
  return status ? status : op2i_device_pace(&cuda->device);
}

static op2_status submit(struct op2i_device *device) {
  struct cuda *cuda = cuda_of(device);
  op2_status status = OP2_SUCCESS;
  if (cuda->submitting) return status;
  cuda->submitting = true;
  if (device->given.first < device->given.end) status = op2i_device_send_given(device);
  if (!status && cuda->collected.n > 0) status = enter(cuda);
  if (!status && cuda->collected.n > 0) status = launch_collected(cuda);
  if (status) op2i_cuda_ops_clear_all(&cuda->collected);
  cuda->submitting = false;
  leave(cuda);
  return status;
}

static op2_status settle(struct op2i_device *device, const void *memory) {
  struct cuda *cuda = cuda_of(device);
  const bool used = cuda->collected.n > 0 && op2i_cuda_ops_use(&cuda->collected, memory);
  return used ? submit(device) : OP2_SUCCESS;
}

static void forget(struct op2i_device *device, struct op2i_device_graphs *graphs) {
  struct cuda *cuda = cuda_of(device);
  const bool there = graphs->own && !cuda->lost && !enter(cuda);
  op2i_cuda_graphs_free(there ? cuda->api : NULL, graphs);
  if (there) leave(cuda);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static op2i_cuda_pointer address(void *memory, size_t at) {
  return (op2i_cuda_pointer)(uintptr_t)memory + at;
}

static op2_status alloc(struct op2i_device *device, size_t bytes, void **memory) {
  struct cuda *cuda = cuda_of(device);
  op2i_cuda_pointer pointer = 0;
  op2_status status = enter(cuda);
  if (status) return status;
  status = CALL(cuda, cuMemAlloc_v2, &pointer, bytes ? bytes : 1);
  leave(cuda);
  if (!status) *memory = (void *)(uintptr_t)pointer;
  return status;
}

static void release(struct op2i_device *device, void *memory) {
  struct cuda *cuda = cuda_of(device);
  if (!memory || submit(device) || enter(cuda)) return;
  cuda->api->cuMemFree_v2(address(memory, 0));
  leave(cuda);
}

static op2_status wait_stream(struct cuda *cuda) {
  return CALL(cuda, cuStreamSynchronize, cuda->stream);
}

/* Allocate the staging memory. Without it transfers are direct. */
static void open_stage(struct cuda *cuda) {
  enum { NO_TIMING = 2 };
  void *stage = NULL;
  if (cuda->stage || cuda->api->cuMemAllocHost_v2(&stage, 2 * (size_t)STAGE)) return;
  if (cuda->api->cuEventCreate(&cuda->taken[0], NO_TIMING) ||
      cuda->api->cuEventCreate(&cuda->taken[1], NO_TIMING)) {
    cuda->api->cuMemFreeHost(stage);
    return;
  }
  cuda->stage = stage;
}

static op2_status put_staged(struct cuda *cuda, op2i_cuda_pointer to, const char *from,
                             size_t bytes) {
  op2_status status = OP2_SUCCESS;
  int half = 0;
  for (size_t done = 0, n; done < bytes && !status; done += n, half ^= 1) {
    char *room = cuda->stage + (size_t)half * STAGE;
    n = bytes - done < STAGE ? bytes - done : STAGE;
    if (done >= 2 * (size_t)STAGE) status = CALL(cuda, cuEventSynchronize, cuda->taken[half]);
    if (status) break;
    memcpy(room, from + done, n);
    status = CALL(cuda, cuMemcpyHtoDAsync_v2, to + done, room, n, cuda->stream);
    if (!status) status = CALL(cuda, cuEventRecord, cuda->taken[half], cuda->stream);
  }
  return status ? status : wait_stream(cuda);
}

/* While one half is transferred the other one is copied to its destination. */
static op2_status get_staged(struct cuda *cuda, char *to, op2i_cuda_pointer from, size_t bytes) {
  op2_status status = OP2_SUCCESS;
  size_t pieces = (bytes + STAGE - 1) / STAGE;
  for (size_t p = 0; p <= pieces && !status; p++) {
    size_t at = p * STAGE, before = p ? (p - 1) * (size_t)STAGE : 0;
    if (p < pieces)
      status = CALL(cuda, cuMemcpyDtoHAsync_v2, cuda->stage + p % 2 * STAGE, from + at,
                    bytes - at < STAGE ? bytes - at : STAGE, cuda->stream);
    if (p < pieces && !status) status = CALL(cuda, cuEventRecord, cuda->taken[p % 2], cuda->stream);
    if (p == 0 || status) continue;
    status = CALL(cuda, cuEventSynchronize, cuda->taken[(p - 1) % 2]);
    if (!status)
      memcpy(to + before, cuda->stage + (p - 1) % 2 * STAGE,
             bytes - before < STAGE ? bytes - before : STAGE);
  }
  return status;
}

/* Transfers from other memory of the host are waited for, since CUDA does not promise when it has
 * read them. */
static op2_status put_direct(struct cuda *cuda, op2i_cuda_pointer to, const void *from,
                             size_t bytes) {
  op2_status status = CALL(cuda, cuMemcpyHtoDAsync_v2, to, from, bytes, cuda->stream);
  return status ? status : wait_stream(cuda);
}

/* Return true if a transfer can go through the ring, which is allocated at its first use. Its
 * pinned memory may be refused. */
static bool fits_ring(struct cuda *cuda, size_t bytes) {
  void *room = NULL;
  if (bytes > OP2I_RING_MOST) return false;
  if (cuda->ring.room) return true;
  if (cuda->lost || enter(cuda)) return false;
  if (!cuda->api->cuMemAllocHost_v2(&room, OP2I_RING_BYTES)) cuda->ring.room = room;
  leave(cuda);
  return cuda->ring.room != NULL;
}

static op2_status put(struct op2i_device *device, void *memory, size_t at, const void *host,
                      size_t bytes) {
  struct cuda *cuda = cuda_of(device);
  void *copy = NULL;
  op2_status status = settle(device, memory);
  if (!status && fits_ring(cuda, bytes))
    status = op2i_device_ring_copy(device, &cuda->ring, host, bytes, &copy);
  if (!status) status = enter(cuda);
  if (status) return status;
  if (bytes > DIRECT) open_stage(cuda);
  if (copy)
    status = CALL(cuda, cuMemcpyHtoDAsync_v2, address(memory, at), copy, bytes, cuda->stream);
  else if (bytes > DIRECT && cuda->stage)
    status = put_staged(cuda, address(memory, at), host, bytes);
  else
    status = put_direct(cuda, address(memory, at), host, bytes);
  leave(cuda);
  device->counts.puts++;
  device->counts.put_bytes += (int64_t)bytes;
  return status;
}

static op2_status get(struct op2i_device *device, void *host, void *memory, size_t at,
                      size_t bytes) {
  struct cuda *cuda = cuda_of(device);
  op2_status status = submit(device);
  if (!status) status = enter(cuda);
  if (status) return status;
  if (bytes > DIRECT) open_stage(cuda);
  if (bytes > DIRECT && cuda->stage) {
    status = get_staged(cuda, host, address(memory, at), bytes);
  } else {
    status = CALL(cuda, cuMemcpyDtoHAsync_v2, host, address(memory, at), bytes, cuda->stream);
    if (!status) status = wait_stream(cuda);
  }
  leave(cuda);
  device->counts.gets++;
  device->counts.get_bytes += (int64_t)bytes;
  return status;
}

static op2_status clear(struct op2i_device *device, void *memory, size_t at, size_t bytes) {
  struct cuda *cuda = cuda_of(device);
  if (device->collecting && !cuda->lost &&
      (bytes == 0 || op2i_cuda_ops_clear(&cuda->collected, memory, address(memory, at), bytes)))
    return OP2_SUCCESS;
  op2_status status = submit(device);
  if (!status) status = enter(cuda);
  if (status) return status;
  if (bytes) status = CALL(cuda, cuMemsetD8Async, address(memory, at), 0, bytes, cuda->stream);
  leave(cuda);
  return status;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* One thread at a time asks the driver. */
static op2_status translate(struct cuda *cuda, struct op2i_text *log, void **binary,
                            size_t *bytes) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  op2_status status = enter(cuda);
  if (status) {
    op2i_free(*binary);
    *binary = NULL;
  } else {
    status = op2i_cuda_translate(cuda->api, log, binary, bytes);
    leave(cuda);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

/* Threads call this at the same time, which NVRTC allows. */
static op2_status build(struct op2i_device *device, const char *source, const char *const *includes,
                        struct op2i_text *log, void **binary, size_t *bytes) {
  char architecture[OP2I_CUDA_ARCHITECTURE];
  struct cuda *cuda = cuda_of(device);
  const bool ptx = cuda->driver->architecture(device->limits.target, architecture);
  op2_status status = cuda->driver->compile(source, architecture, includes, log, binary, bytes);
  return status || !ptx ? status : translate(cuda, log, binary, bytes);
}

static op2_status find_function(struct cuda *cuda, struct code *code, const char *entry) {
  int threads = 0, fixed = 0;
  op2_status status = CALL(cuda, cuModuleGetFunction, &code->function, code->module, entry);
  if (!status)
    status = CALL(cuda, cuFuncGetAttribute, &threads, OP2I_CUDA_FUNCTION_THREADS, code->function);
  if (!status)
    status = CALL(cuda, cuFuncGetAttribute, &fixed, OP2I_CUDA_FUNCTION_SHARED, code->function);
  if (!status)
    status = CALL(cuda, cuFuncSetAttribute, code->function, OP2I_CUDA_FUNCTION_DYNAMIC,
                  (int)cuda->device.limits.local_bytes - fixed);
  code->code.group_max = threads;
  return status;
}

static op2_status load(struct op2i_device *device, const void *binary, size_t bytes,
                       const char *entry, struct op2i_device_code **out) {
  struct cuda *cuda = cuda_of(device);
  struct code *code = op2i_calloc(1, sizeof *code);
  (void)bytes; /* a cubin contains its size */
  if (!code) return op2i_error_nomem("a loop on the device");
  op2_status status = enter(cuda);
  if (!status) {
    status = CALL(cuda, cuModuleLoadData, &code->module, binary);
    if (!status) status = find_function(cuda, code, entry);
    if (status && code->module) cuda->api->cuModuleUnload(code->module);
    leave(cuda);
  }
  if (status)
    op2i_free(code);
  else
    *out = &code->code;
  return status;
}

static void unload(struct op2i_device *device, struct op2i_device_code *unloaded) {
  struct cuda *cuda = cuda_of(device);
  struct code *code = (struct code *)unloaded;
  cuda->unloaded++;
  if (!submit(device) && !enter(cuda)) {
    cuda->api->cuModuleUnload(code->module);
    leave(cuda);
  }
  op2i_free(code);
}

/* Group-shared memory is not a parameter here: functions declare it. */
static op2_status launch(struct op2i_device *device, struct op2i_device_code *launched,
                         const struct op2i_launch *l) {
  enum { MOST = 256 };
  struct cuda *cuda = cuda_of(device);
  void *parameters[MOST];
  if (l->nargs > MOST) return op2i_error(OP2_ERR_UNAVAILABLE, "a launch with too many parameters");
  if (device->collecting && !cuda->lost &&
      op2i_cuda_ops_launch(&cuda->collected, ((struct code *)launched)->function, l))
    return OP2_SUCCESS;
  for (int a = 0; a < l->nargs; a++)
    parameters[a] = l->args[a].is_memory ? (void *)&l->args[a].memory : (void *)&l->args[a].number;
  op2_status status = submit(device);
  if (!status) status = enter(cuda);
  if (status) return status;
  status =
      CALL(cuda, cuLaunchKernel, ((struct code *)launched)->function, (unsigned)l->groups, 1, 1,
           (unsigned)l->group, 1, 1, (unsigned)l->local_bytes, cuda->stream, parameters, NULL);
  leave(cuda);
  return status;
}

static op2_status wait_device(struct op2i_device *device) {
  struct cuda *cuda = cuda_of(device);
  op2_status status = submit(device);
  if (!status) status = enter(cuda);
  if (status) return status;
  status = wait_stream(cuda);
  leave(cuda);
  return status;
}

/* ---- the device's clock ---------------------------------------------------------------------- */

static op2_status mark(struct op2i_device *device, void **event) {
  struct cuda *cuda = cuda_of(device);
  op2_status status = submit(device);
  if (!status) status = enter(cuda);
  if (status) return status;
  if (!*event) status = CALL(cuda, cuEventCreate, event, 0);
  if (!status) status = CALL(cuda, cuEventRecord, *event, cuda->stream);
  leave(cuda);
  return status;
}

static op2_status between(struct op2i_device *device, void *begin, void *end, bool wait,
                          double *seconds) {
  struct cuda *cuda = cuda_of(device);
  float ms = -1000;
  op2_status status = enter(cuda);
  if (status) return status;
  op2i_cuda_result over = wait ? cuda->api->cuEventSynchronize(end) : cuda->api->cuEventQuery(end);
  if (over != OP2I_CUDA_NOT_READY) {
    status = failed(cuda, "cuEventQuery", over);
    if (!status) status = CALL(cuda, cuEventElapsedTime, &ms, begin, end);
  }
  leave(cuda);
  *seconds = (double)ms / 1000;
  return status;
}

/* The host's part of an event exists even if the device is lost. */
static void unmark(struct op2i_device *device, void *event) {
  struct cuda *cuda = cuda_of(device);
  if (!event || (!cuda->inside && make_current(cuda))) return;
  cuda->api->cuEventDestroy_v2(event);
  leave(cuda);
}

/* ---- the kinds -------------------------------------------------------------------------------- */

#define KIND(name_, together_)                                                                     \
  static char name_##_missing[256];                                                                \
  static void look_for_##name_(void) {                                                             \
    op2i_cuda_look(&op2i_driver_##name_, name_##_missing, sizeof name_##_missing);                 \
  }                                                                                                \
  static const char *name_##_unavailable(void) {                                                   \
    static pthread_once_t once = PTHREAD_ONCE_INIT;                                                \
    pthread_once(&once, look_for_##name_);                                                         \
    return *name_##_missing ? name_##_missing : NULL;                                              \
  }                                                                                                \
  static op2_status open_##name_(const char *which, int node_rank, struct op2i_device **out) {     \
    return open_device(&op2i_driver_##name_, which, node_rank, out);                               \
  }                                                                                                \
  static void list_##name_(struct op2i_text *out) {                                                \
    if (!name_##_unavailable()) op2i_cuda_list(&op2i_driver_##name_, out);                         \
  }                                                                                                \
  const struct op2i_device_kind op2i_device_##name_ = {.name = #name_,                             \
                                                       .unavailable = name_##_unavailable,         \
                                                       .open = open_##name_,                       \
                                                       .list = list_##name_,                       \
                                                       .builds_together = together_,               \
                                                       OPERATIONS}
#define OPERATIONS                                                                                 \
  .generic = true, .stages = true, .addresses = true, .close = close_device, .alloc = alloc,       \
  .release = release, .put = put, .get = get, .clear = clear, .build = build, .load = load,        \
  .unload = unload, .launch = launch, .wait = wait_device, .submit = submit, .settle = settle,     \
  .forget = forget, .mark = mark, .between = between, .unmark = unmark

KIND(cuda, true);
KIND(hip, false);

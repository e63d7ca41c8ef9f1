/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and streams. What is asynchronous is put off until somebody waits for it: who does not wait as he
 * must gets, or gives, other bytes. Transfers from and to memory of the host that is not pinned are not put
 * off, as with a real driver. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { STREAMS = 64, PINNED = 256 };

enum kind { COPY_IN, COPY_OUT, COPY, FILL, LAUNCH, WAIT };

struct event {
  struct stream *stream;
  int64_t after; /* so many operations of it */
};

struct operation {
  enum kind kind;
  char *to;
  const char *from;
  size_t bytes;
  unsigned char value;
  struct event event;
  struct emulation_launch launch;
};

struct stream {
  bool open;
  struct operation *operations;
  int64_t room, first, end; /* those from first on, counted from the stream's begin, are put off */
};

/* The first is the default one. */
static struct stream streams[STREAMS] = {{.open = true}};
static struct {
  char *at;
  size_t bytes;
} pinned[PINNED];

static struct op2_emulation_counts counts;

void op2_emulation_count(struct op2_emulation_counts *out) {
  emulation_lock();
  *out = counts;
  (void)emulation_unlock(EMULATION_SUCCESS);
}

static struct stream *stream_of(void *handle) { return handle ? handle : &streams[0]; }

/* ---- deferred operations --------------------------------------------------------------------- */

static int run_to(struct stream *stream, int64_t end);

static int run(struct operation *o) {
  int result = EMULATION_SUCCESS;
  switch (o->kind) {
  case COPY_IN:
  case COPY:
    memmove(o->to, o->from, o->bytes);
    emulation_defined((uintptr_t)o->to, o->bytes);
    break;
  case COPY_OUT: memcpy(o->to, o->from, o->bytes); break;
  case FILL:
    memset(o->to, o->value, o->bytes);
    emulation_defined((uintptr_t)o->to, o->bytes);
    break;
  case LAUNCH:
    result = emulation_run(&o->launch);
    if (result) emulation_end_context(result);
    free(o->launch.parameters);
    break;
  case WAIT: result = run_to(o->event.stream, o->event.after); break;
  }
  return result;
}

static int run_to(struct stream *stream, int64_t end) {
  int result = emulation_ended();
  while (stream->first < end && stream->first < stream->end && !result)
    result = run(&stream->operations[stream->first++ % stream->room]);
  return result;
}

/* What a call waits for that is put off up to there. */
static int wait_to(struct stream *stream, int64_t end) {
  counts.waits += end == stream->end;
  return run_to(stream, end);
}

static bool grow(struct stream *stream) {
  const int64_t room = stream->room ? 2 * stream->room : 64;
  struct operation *more = malloc((size_t)room * sizeof *more);
  if (!more) return false;
  for (int64_t i = stream->first; i < stream->end; i++)
    more[i % room] = stream->operations[i % stream->room];
  free(stream->operations);
  stream->operations = more;
  stream->room = room;
  return true;
}

static int put_off(struct stream *stream, const struct operation *o) {
  if (stream->end - stream->first == stream->room && !grow(stream)) return EMULATION_OUT_OF_MEMORY;
  stream->operations[stream->end++ % stream->room] = *o;
  return EMULATION_SUCCESS;
}

bool emulation_copy_parameters(struct emulation_launch *launch) {
  const struct op2_emulation_entry *entry = launch->function->entry;
  const size_t pointers = (size_t)entry->nparameters * sizeof(void *);
  void *const *values = launch->parameters;
  size_t bytes = pointers;
  for (int p = 0; p < entry->nparameters; p++) bytes += (entry->bytes[p] + 15) / 16 * 16;
  launch->parameters = malloc(bytes + 16);
  if (!launch->parameters) return false;
  char *at = (char *)launch->parameters + (pointers + 15) / 16 * 16;
  for (int p = 0; p < entry->nparameters; p++) {
    launch->parameters[p] = at;
    memcpy(at, values[p], entry->bytes[p]);
    at += (entry->bytes[p] + 15) / 16 * 16;
  }
  return true;
}

/* The values of parameters may change after the call. */
int emulation_put_off_launch(void *handle, const struct emulation_launch *launch) {
  emulation_launched();
  struct operation o = {.kind = LAUNCH, .launch = *launch};
  if (!emulation_copy_parameters(&o.launch)) return EMULATION_OUT_OF_MEMORY;
  return put_off(stream_of(handle), &o);
}

int emulation_put_off_memset(void *handle, const struct emulation_memset *memset) {
  const struct operation o = {.kind = FILL,
                              .to = (char *)(uintptr_t)memset->memory,
                              .bytes = memset->width,
                              .value = (unsigned char)memset->value};
  if (!emulation_holds(memset->memory, memset->width)) return EMULATION_INVALID_VALUE;
  counts.transfers++;
  return put_off(stream_of(handle), &o);
}

int emulation_finish_streams(void) {
  int result = EMULATION_SUCCESS;
  for (int s = 0; s < STREAMS && !result; s++) result = run_to(&streams[s], streams[s].end);
  return result;
}

void emulation_forget_streams(void) {
  for (int s = 0; s < STREAMS; s++) {
    for (int64_t i = streams[s].first; i < streams[s].end; i++) {
      struct operation *o = &streams[s].operations[i % streams[s].room];
      if (o->kind == LAUNCH) free(o->launch.parameters);
    }
    free(streams[s].operations);
    streams[s] = (struct stream){.open = s == 0};
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  counts.allocations++;
  return emulation_unlock(result ? result : emulation_alloc(memory, bytes));
}

int cuMemFree_v2(uint64_t memory) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  counts.waits++;
  if (!result) result = emulation_finish_streams();
  return emulation_unlock(result ? result : emulation_free(memory));
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready(), i = 0;
  counts.allocations++;
  while (i < PINNED && pinned[i].at) i++;
  if (!result && (i == PINNED || emulation_setting("pinned", 1) == 0 ||
                  !(pinned[i].at = malloc(bytes ? bytes : 1))))
    result = EMULATION_OUT_OF_MEMORY;
  if (!result) {
    pinned[i].bytes = bytes;
    *memory = pinned[i].at;
  }
  return emulation_unlock(result);
}

int cuMemFreeHost(void *memory) {
  emulation_called(__func__);
  int result = EMULATION_INVALID_VALUE;
  emulation_lock();
  counts.waits++;
  (void)emulation_finish_streams();
  for (int i = 0; i < PINNED; i++)
    if (memory && pinned[i].at == memory) {
      free(memory);
      pinned[i].at = NULL;
      result = EMULATION_SUCCESS;
    }
  return emulation_unlock(result);
}

static bool is_pinned(const char *at) {
  for (int i = 0; i < PINNED; i++)
    if (pinned[i].at && at >= pinned[i].at && at < pinned[i].at + pinned[i].bytes) return true;
  return false;
}

/* ---- transfers ------------------------------------------------------------------------------- */

static int transfer(void *handle, const struct operation *o, bool device, bool at_once) {
  struct stream *stream = stream_of(handle);
  emulation_lock();
  int result = emulation_ready();
  if (!result && (!device || o->bytes == 0)) result = EMULATION_INVALID_VALUE;
  counts.transfers++;
  if (!result) result = put_off(stream, o);
  if (!result && at_once) result = wait_to(stream, stream->end);
  return emulation_unlock(result);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  emulation_called(__func__);
  const struct operation o = {
      .kind = COPY_IN, .to = (char *)(uintptr_t)to, .from = from, .bytes = bytes};
  return transfer(stream, &o, emulation_holds(to, bytes), !is_pinned(from));
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  emulation_called(__func__);
  const struct operation o = {
      .kind = COPY_OUT, .to = to, .from = (const char *)(uintptr_t)from, .bytes = bytes};
  return transfer(stream, &o, emulation_holds(from, bytes), !is_pinned(to));
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  emulation_called(__func__);
  const struct operation o = {.kind = COPY,
                              .to = (char *)(uintptr_t)to,
                              .from = (const char *)(uintptr_t)from,
                              .bytes = bytes};
  return transfer(stream, &o, emulation_holds(from, bytes) && emulation_holds(to, bytes), false);
}

int cuMemsetD8Async(uint64_t memory, unsigned char value, size_t bytes, void *stream) {
  emulation_called(__func__);
  const struct operation o = {
      .kind = FILL, .to = (char *)(uintptr_t)memory, .bytes = bytes, .value = value};
  return transfer(stream, &o, emulation_holds(memory, bytes), false);
}

/* ---- streams and events ---------------------------------------------------------------------- */

int cuStreamCreate(void **stream, unsigned flags) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready(), s = 0;
  while (s < STREAMS && streams[s].open) s++;
  if (!result && (s == STREAMS || flags > 1)) result = EMULATION_INVALID_VALUE;
  if (!result) {
    streams[s].open = true;
    *stream = &streams[s];
  }
  return emulation_unlock(result);
}

int cuStreamDestroy_v2(void *handle) {
  emulation_called(__func__);
  struct stream *stream = stream_of(handle);
  emulation_lock();
  int result = run_to(stream, stream->end);
  stream->open = false;
  return emulation_unlock(result);
}

int cuStreamSynchronize(void *handle) {
  emulation_called(__func__);
  struct stream *stream = stream_of(handle);
  emulation_lock();
  int result = emulation_ready();
  return emulation_unlock(result ? result : wait_to(stream, stream->end));
}

int cuCtxSynchronize(void) {
  emulation_called(__func__);
  emulation_lock();
  int result = emulation_ready();
  counts.waits++;
  return emulation_unlock(result ? result : emulation_finish_streams());
}

/* A stream gets on while it is asked whether it has. */
int cuStreamQuery(void *handle) {
  emulation_called(__func__);
  struct stream *stream = stream_of(handle);
  emulation_lock();
  int result = emulation_ready();
  if (!result) result = run_to(stream, stream->first + 1);
  if (!result && stream->first < stream->end) result = EMULATION_NOT_READY;
  return emulation_unlock(result);
}

int cuStreamWaitEvent(void *handle, void *event, unsigned flags) {
  emulation_called(__func__);
  const struct operation o = {.kind = WAIT, .event = *(struct event *)event};
  emulation_lock();
  int result = emulation_ready();
  if (!result && flags) result = EMULATION_INVALID_VALUE;
  if (!result && o.event.stream) result = put_off(stream_of(handle), &o);
  return emulation_unlock(result);
}

int cuEventCreate(void **event, unsigned flags) {
  emulation_called(__func__);
  (void)flags;
  emulation_lock();
  int result = emulation_ready();
  if (!result && !(*event = calloc(1, sizeof(struct event)))) result = EMULATION_OUT_OF_MEMORY;
  return emulation_unlock(result);
}

int cuEventDestroy_v2(void *event) {
  emulation_called(__func__);
  free(event);
  return EMULATION_SUCCESS;
}

int cuEventRecord(void *handle, void *stream) {
  emulation_called(__func__);
  struct event *event = handle;
  emulation_lock();
  int result = emulation_ready();
  event->stream = stream_of(stream);
  event->after = event->stream->end;
  return emulation_unlock(result);
}

int cuEventSynchronize(void *handle) {
  emulation_called(__func__);
  struct event *event = handle;
  emulation_lock();
  int result = emulation_ready();
  if (!result && event->stream) result = wait_to(event->stream, event->after);
  return emulation_unlock(result);
}

int cuEventQuery(void *handle) {
  emulation_called(__func__);
  struct event *event = handle;
  emulation_lock();
  int result = emulation_ready();
  if (!result && event->stream) result = run_to(event->stream, event->stream->first + 1);
  if (!result && event->stream && event->stream->first < event->after) result = EMULATION_NOT_READY;
  return emulation_unlock(result);
}

/* Nothing here takes the time that it would on a device. */
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  emulation_called(__func__);
  (void)start, (void)end;
  *milliseconds = 0.001F;
  return EMULATION_SUCCESS;
}

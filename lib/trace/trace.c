/* SPDX-License-Identifier: BSD-3-Clause */
/* The recording of a trace: each thread keeps the slices of its track in memory of its own. */
#include "trace.h"

#include <math.h>
#include <string.h>

#include "clock.h"
#include "comm.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "trace_file.h"

/* Short slices are drawn together while one follows the other within GAP_NS, until they reach
 * LONGEST_NS. */
enum { GAP_NS = 5000, LONGEST_NS = 1000000 };

static _Thread_local int track_of_worker;

void op2i_trace_worker(int worker) { track_of_worker = OP2I_TRACK_WORKER + worker; }

int op2i_track_caller(const struct op2i_trace *trace) { return OP2I_TRACK_WORKER + trace->workers; }

int op2i_track_device(const struct op2i_trace *trace) { return op2i_track_caller(trace) + 1; }

int op2i_track_here(const struct op2i_trace *trace) {
  const int track = track_of_worker;
  return track && track < op2i_track_caller(trace) ? track : op2i_track_caller(trace);
}

/* ---- slices ---------------------------------------------------------------------------------- */

static void put(struct op2i_trace *trace, int track, struct op2i_slice slice) {
  struct op2i_track *at = &trace->tracks[track];
  if (at->n == OP2I_TRACK_SLICES) op2i_trace_write(trace, track);
  at->slices[at->n++] = slice;
}

static struct op2i_short_sum *sum_of(struct op2i_track *track, int32_t what) {
  const int64_t before = track->sums_capacity;
  if (what >= before) {
    if (op2i_reserve(&track->sums, sizeof *track->sums, (int64_t)what + 1, &track->sums_capacity))
      return NULL;
    memset(track->sums + before, 0, (size_t)(track->sums_capacity - before) * sizeof *track->sums);
  }
  return &track->sums[what];
}

static void add(struct op2i_track *track, int32_t what, int64_t n, int64_t ns) {
  struct op2i_short_sum *sum = sum_of(track, what);
  if (sum) sum->n += n, sum->ns += ns;
}

/* Short slices of one loop keep its name, and do not count in the sums. */
static void put_short(struct op2i_trace *trace, int track) {
  struct op2i_track *at = &trace->tracks[track];
  if (!at->open.slices) return;
  if (at->open.what != OP2I_WHAT_MIXED) add(at, at->open.what, -at->open.slices, -at->open.busy);
  put(trace, track, at->open);
  at->open.slices = 0;
}

static void add_short(struct op2i_trace *trace, int track, struct op2i_slice slice) {
  struct op2i_track *at = &trace->tracks[track];
  struct op2i_slice *open = &at->open;
  if (open->slices && (slice.begin - open->end > GAP_NS || slice.end - open->begin > LONGEST_NS))
    put_short(trace, track);
  add(at, slice.what, 1, slice.busy);
  if (!open->slices) {
    *open = slice;
    return;
  }
  if (open->what != slice.what) open->what = OP2I_WHAT_MIXED;
  open->end = slice.end;
  open->busy += slice.busy;
  open->slices++;
}

void op2i_trace_loop(struct op2i_trace *trace, int track, int32_t what, int64_t begin,
                     int64_t end) {
  const struct op2i_slice slice = {
      .begin = begin, .end = end, .busy = end - begin, .what = what, .slices = 1};
  if (end - begin < OP2I_TRACE_SHORT_NS) {
    add_short(trace, track, slice);
    return;
  }
  put_short(trace, track);
  put(trace, track, slice);
}

void op2i_trace_device(struct op2i_trace *trace, int32_t what, int64_t launched, int64_t ns) {
  const int64_t begin = launched > trace->device_free ? launched : trace->device_free;
  trace->device_free = begin + ns;
  op2i_trace_loop(trace, op2i_track_device(trace), what, begin, begin + ns);
}

int op2i_trace_flight(struct op2i_trace *trace, int32_t what, int64_t begin, int64_t end,
                      int64_t bytes) {
  const int first = op2i_track_device(trace) + 1;
  for (int lane = 0; lane < OP2I_TRACE_LANES && first + lane < trace->ntracks; lane++) {
    if (begin < trace->lane_free[lane]) continue;
    trace->lane_free[lane] = end;
    put(trace, first + lane,
        (struct op2i_slice){.begin = begin,
                            .end = end,
                            .busy = end - begin,
                            .label = "bytes",
                            .value = bytes,
                            .what = what,
                            .slices = 1});
    return first + lane;
  }
  add(&trace->tracks[first], what, 1, end - begin);
  return -1;
}

void op2i_trace_arrow(struct op2i_trace *trace, int track, struct op2i_trace_arrow arrow) {
  put(trace, track,
      (struct op2i_slice){.phase = arrow.leaves ? 's' : 'f',
                          .begin = arrow.at,
                          .value = arrow.number,
                          .from = arrow.from,
                          .to = arrow.to});
}

void op2i_trace_residual(struct op2i_trace *trace, const char *solver, double residual) {
  if (!isfinite(residual)) return;
  uint64_t key = 3;
  for (const char *c = solver; *c; c++) key = op2i_hash_word(key, (unsigned char)*c);
  int32_t what = op2i_trace_find(trace, key);
  if (!what) {
    char name[200];
    snprintf(name, sizeof name, "residual of '%s'", solver);
    what = op2i_trace_name(trace, name, NULL, NULL);
    op2i_trace_keep(trace, key, what);
  }
  put(trace, OP2I_TRACK_HOST,
      (struct op2i_slice){
          .phase = 'C', .begin = op2i_nanoseconds(), .curve = residual, .what = what});
}

int64_t op2i_trace_begin(op2_context ctx) { return ctx->trace ? op2i_nanoseconds() : 0; }

void op2i_trace_end(op2_context ctx, int64_t begin, int32_t what, const char *label,
                    int64_t value) {
  struct op2i_trace *trace = ctx->trace;
  if (!trace || !begin) return;
  const int64_t end = op2i_nanoseconds();
  if (end - begin < OP2I_TRACE_SHORT_NS) {
    add(&trace->tracks[OP2I_TRACK_HOST], what, 1, end - begin);
    return;
  }
  put(trace, OP2I_TRACK_HOST,
      (struct op2i_slice){.begin = begin,
                          .end = end,
                          .busy = end - begin,
                          .label = label,
                          .value = value,
                          .what = what,
                          .slices = 1});
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void free_trace(struct op2i_trace *trace) {
  for (int t = 0; trace->tracks && t < trace->ntracks; t++) {
    op2i_free(trace->tracks[t].slices);
    op2i_free(trace->tracks[t].sums);
  }
  op2i_trace_free_names(trace);
  op2i_free(trace->tracks);
  op2i_free(trace);
}

/* The memory of a track's slices is first written by its thread. */
static bool make_tracks(struct op2i_trace *trace) {
  trace->tracks = op2i_calloc((size_t)trace->ntracks, sizeof *trace->tracks);
  for (int t = 0; trace->tracks && t < trace->ntracks; t++) {
    trace->tracks[t].slices = op2i_malloc(OP2I_TRACK_SLICES * sizeof(struct op2i_slice));
    if (!trace->tracks[t].slices) return false;
  }
  return trace->tracks;
}

static bool name_fixed(struct op2i_trace *trace) {
  static const char *const names[OP2I_WHAT_FIXED] = {
      [OP2I_WHAT_MIXED] = "short loops",     [OP2I_WHAT_OTHER] = "(too many names)",
      [OP2I_WHAT_PROGRAM] = "program",       [OP2I_WHAT_LOOPS] = "loops",
      [OP2I_WHAT_MAKE] = "make a program",   [OP2I_WHAT_PLAN] = "plan a loop",
      [OP2I_WHAT_COMPILE] = "compile",       [OP2I_WHAT_BEGIN] = "begin an exchange",
      [OP2I_WHAT_WAIT] = "end an exchange",  [OP2I_WHAT_SEND] = "send reductions",
      [OP2I_WHAT_REDUCE] = "end reductions", [OP2I_WHAT_DEVICE] = "wait for the device"};
  for (int32_t w = 0; w < OP2I_WHAT_FIXED; w++)
    if (op2i_trace_name(trace, names[w], NULL, NULL) != w) return false;
  return true;
}

op2_status op2i_trace_open(op2_context ctx, FILE *stream, const char *backend) {
  const int workers = ctx->workers;
  struct op2i_trace *trace = op2i_calloc(1, sizeof *trace);
  if (trace) {
    trace->stream = stream;
    trace->workers = workers;
    trace->ntracks = OP2I_TRACK_WORKER + workers + 2;
    if (ctx->comm && ctx->comm->size > 1) trace->ntracks += OP2I_TRACE_LANES;
    trace->rank = ctx->comm ? ctx->comm->rank : 0;
    trace->origin = ctx->born;
    pthread_mutex_init(&trace->lock, NULL);
  }
  if (!trace || !make_tracks(trace) || !name_fixed(trace)) {
    fclose(stream);
    if (trace) free_trace(trace);
    return op2i_error_nomem("a trace");
  }
  op2i_trace_write_head(trace, ctx, backend);
  ctx->trace = trace;
  return OP2_SUCCESS;
}

op2_status op2i_trace_close(op2_context ctx) {
  struct op2i_trace *trace = ctx->trace;
  if (!trace) return OP2_SUCCESS;
  for (int t = 0; t < trace->ntracks; t++) {
    put_short(trace, t);
    op2i_trace_write(trace, t);
  }
  op2_status status = op2i_trace_write_tail(trace);
  pthread_mutex_destroy(&trace->lock);
  free_trace(trace);
  ctx->trace = NULL;
  return status;
}

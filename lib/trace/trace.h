/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRACE_H
#define OP2I_TRACE_H

/* The timeline of a run, which OP2_TRACE writes to a file. Times are those of op2i_nanoseconds().
 * A track has the slices of one thread in the order in which they end; slices of a track are nested
 * or apart. Without a trace a context has none (`ctx->trace` is null), and callers ask for that
 * once for each turn, task or program, never for each block. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "context.h"

struct op2i_trace;

/* Tracks by number: the host's, in which nothing but slices of the calling thread is, those of
 * workers, from OP2I_TRACK_WORKER on, two that come after them, and those of messages. */
enum { OP2I_TRACK_HOST, OP2I_TRACK_WORKER };
int op2i_track_caller(const struct op2i_trace *trace); /* loops in the calling thread */
int op2i_track_device(const struct op2i_trace *trace);

/* The slice of a loop that takes less is not written by itself: successive ones of a track become
 * one slice, with their number and the time that they took together. A shorter slice of the host is
 * left out. The file says so. */
enum { OP2I_TRACE_SHORT_NS = 5000 };

/* The trace of a context; null if it has none, or if there is no context. */
static inline struct op2i_trace *op2i_trace_of(op2_context ctx) { return ctx ? ctx->trace : NULL; }

/* Begin a trace of the context, which then owns the stream. OP2_ERR_NOMEM; the stream is closed. */
op2_status op2i_trace_open(op2_context ctx, FILE *stream, const char *backend);
/* Write what is left and close the file. A failure to write is an error once. No worker is busy. */
op2_status op2i_trace_close(op2_context ctx);

/* Number a text for the file: a name, and what is shown beside it, which may be null. Only the
 * calling thread does so. A trace that has too many gives all further
 * ones the same number. */
int32_t op2i_trace_name(struct op2i_trace *trace, const char *name, const char *label,
                        const char *text);

/* Names of the host's slices that are numbered from the start. */
enum op2i_trace_what {
  OP2I_WHAT_MIXED, /* several short loops */
  OP2I_WHAT_OTHER, /* all names past the limit */
  OP2I_WHAT_PROGRAM,
  OP2I_WHAT_LOOPS,
  OP2I_WHAT_MAKE,
  OP2I_WHAT_PLAN,
  OP2I_WHAT_COMPILE,
  OP2I_WHAT_BEGIN,
  OP2I_WHAT_WAIT,
  OP2I_WHAT_SEND,
  OP2I_WHAT_REDUCE,
  OP2I_WHAT_DEVICE,
  OP2I_WHAT_FIXED
};
/* The number of a name that was kept for this key, 0 if none is; and keep one. A key is a digest;
 * a newer one may replace it. */
int32_t op2i_trace_find(const struct op2i_trace *trace, uint64_t key);
void op2i_trace_keep(struct op2i_trace *trace, uint64_t key, int32_t what);

/* The calling thread is this worker of the context's backend: op2i_track_here() is its track. */
void op2i_trace_worker(int worker);
int op2i_track_here(const struct op2i_trace *trace);

/* The thread of the track has run a part of a loop with the number `what`. Without locks. */
void op2i_trace_loop(struct op2i_trace *trace, int track, int32_t what, int64_t begin, int64_t end);
/* A device has run a loop for so long. Where the launch returns earlier, the time is that of a run
 * that was measured, and the slice begins when the device is free. */
void op2i_trace_device(struct op2i_trace *trace, int32_t what, int64_t launched, int64_t ns);

/* Messages were in flight for so long; `what` has been numbered. Returns the track of the slice, -1
 * if too many are in flight at once, so that no track is free. */
int op2i_trace_flight(struct op2i_trace *trace, int32_t what, int64_t begin, int64_t end,
                      int64_t bytes);
/* One message of that flight: an arrow leaves the slice of the rank that sends, or ends in that of
 * the rank that receives. `number` counts the messages between the two. */
struct op2i_trace_arrow {
  bool leaves;
  int from, to;
  int64_t number, at;
};
void op2i_trace_arrow(struct op2i_trace *trace, int track, struct op2i_trace_arrow arrow);

/* A number changes, by which the file draws a curve: the residual of a solver has this value now.
 * Others than finite ones are left out. Only the calling thread calls this. */
void op2i_trace_residual(struct op2i_trace *trace, const char *solver, double residual);

/* Let time 0 of all ranks' traces be that of rank 0. Clocks of other nodes are compared by
 * messages; those of the same node are the same. Collective, if all ranks have a trace. */
op2_status op2i_trace_align(op2_context ctx);

/* Slices of the host: a time to begin with (0 without a trace), and the slice that ends now. `label`
 * is a literal, or null; it names the number `value`. */
int64_t op2i_trace_begin(op2_context ctx);
void op2i_trace_end(op2_context ctx, int64_t begin, int32_t what, const char *label, int64_t value);

#endif

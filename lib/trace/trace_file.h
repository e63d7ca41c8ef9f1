/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRACE_FILE_H
#define OP2I_TRACE_FILE_H

/* The parts of a trace, for the two files that record and write it. */

#include <pthread.h>

#include "trace.h"

enum { OP2I_TRACE_NAMES = 1 << 16 /* at most */, OP2I_TRACE_KEPT = 256 /* a power of 2 */ };

/* Slices of a track that are kept until they are written, about 130 KB. */
enum { OP2I_TRACK_SLICES = 2048 };

/* Exchanges that may be in flight at once, as far as the trace can show them. */
enum { OP2I_TRACE_LANES = 8 };

/* Or the end of an arrow at `begin`: its number is `value`. Or a number at `begin`: `curve`. */
struct op2i_slice {
  int64_t begin, end;
  int64_t busy; /* of short slices that are drawn as one: the time that they took together */
  const char *label;
  union {
    int64_t value;
    double curve;
  };
  int32_t what, slices;
  char phase;   /* 0: a slice; else as in the file */
  int from, to; /* ranks of an arrow */
};

/* Slices that are not in the file under a name: their number and nanoseconds. */
struct op2i_short_sum {
  int64_t n, ns;
};

/* Written by one thread; two cache lines apart from those of others. */
struct op2i_track {
  struct op2i_slice *slices; /* [OP2I_TRACK_SLICES] */
  int64_t n;
  struct op2i_slice open;      /* short slices that may get more; none of them if `slices` is 0 */
  struct op2i_short_sum *sums; /* [sums_capacity] by the number of the name */
  int64_t sums_capacity;
  char space[128];
};

/* A name as it stands in the file: in quotes, and what is beside it, or null. */
struct op2i_trace_text {
  char *name, *beside;
  uint64_t hash;
};

struct op2i_trace {
  FILE *stream;
  pthread_mutex_t lock; /* of the fields up to `nchars`, and of the list of names */
  bool failed;          /* it could not be written: nothing more is */
  bool any;             /* some slice or description is in the file */
  int error;            /* errno of the first failure */
  char chars[1 << 16];  /* [nchars] that go to the file next */
  size_t nchars;
  int workers, ntracks, rank;
  int64_t origin; /* nanoseconds of the file's time 0 */
  int64_t device_free;
  int64_t lane_free[OP2I_TRACE_LANES];
  struct op2i_track *tracks; /* [ntracks] */
  struct op2i_trace_text *names;
  int64_t nnames, names_capacity;
  struct {
    uint64_t key;
    int32_t what;
  } kept[OP2I_TRACE_KEPT];
};

void op2i_trace_free_names(struct op2i_trace *trace);
/* The beginning of the file; the slices of a track, whose memory is free then; and the end. */
void op2i_trace_write_head(struct op2i_trace *trace, op2_context ctx, const char *backend);
void op2i_trace_write(struct op2i_trace *trace, int track);
op2_status op2i_trace_write_tail(struct op2i_trace *trace);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a trace, in Chrome's trace event format (the JSON object format), and its names. */
#include "trace_file.h"

#include <errno.h>
#include <string.h>

#include "comm.h"
#include "decimal.h"
#include "error.h"
#include "mem.h"
#include "text.h"

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u; /* FNV-1a */
  return hash;
}

static bool is_same(const struct op2i_trace_text *a, const struct op2i_trace_text *b) {
  return a->hash == b->hash && !strcmp(a->name, b->name) && !a->beside == !b->beside &&
         (!a->beside || !strcmp(a->beside, b->beside));
}

/* Keep a text, whose strings the list owns then, unless it has an equal one. */
static int32_t keep(struct op2i_trace *trace, struct op2i_trace_text text) {
  int64_t i = 0;
  pthread_mutex_lock(&trace->lock);
  while (i < trace->nnames && !is_same(&trace->names[i], &text)) i++;
  const bool room = i < trace->nnames ||
                    (i < OP2I_TRACE_NAMES &&
                     !op2i_grow(&trace->names, sizeof *trace->names, i, &trace->names_capacity));
  const bool new = i == trace->nnames &&room;
  if (new) trace->names[trace->nnames++] = text;
  pthread_mutex_unlock(&trace->lock);
  if (!new) {
    op2i_free(text.name);
    op2i_free(text.beside);
  }
  return room ? (int32_t)i : OP2I_WHAT_OTHER;
}

int32_t op2i_trace_name(struct op2i_trace *trace, const char *name, const char *label,
                        const char *text) {
  struct op2i_text quoted = {0}, beside = {0};
  op2i_text_quote(&quoted, name);
  if (text) {
    op2i_text_quote(&beside, label);
    op2i_text_add(&beside, ":");
    op2i_text_quote(&beside, text);
  }
  if (quoted.failed || beside.failed) {
    op2i_text_free(&quoted);
    op2i_text_free(&beside);
    return OP2I_WHAT_OTHER;
  }
  uint64_t hash = hash_text(14695981039346656037u, quoted.chars);
  if (beside.chars) hash = hash_text(hash, beside.chars);
  return keep(trace, (struct op2i_trace_text){quoted.chars, beside.chars, hash});
}

int32_t op2i_trace_find(const struct op2i_trace *trace, uint64_t key) {
  const int64_t at = (int64_t)(key % OP2I_TRACE_KEPT);
  return trace->kept[at].key == key ? trace->kept[at].what : 0;
}

void op2i_trace_keep(struct op2i_trace *trace, uint64_t key, int32_t what) {
  const int64_t at = (int64_t)(key % OP2I_TRACE_KEPT);
  trace->kept[at].key = key;
  trace->kept[at].what = what;
}

void op2i_trace_free_names(struct op2i_trace *trace) {
  for (int64_t i = 0; i < trace->nnames; i++) {
    op2i_free(trace->names[i].name);
    op2i_free(trace->names[i].beside);
  }
  op2i_free(trace->names);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void note_failure(struct op2i_trace *trace) {
  if (trace->failed) return;
  trace->failed = true;
  trace->error = errno;
}

/* The stream has no buffer of its own: a forked child, which has a copy of all memory, would write
 * that once more when it ends. */
static void write_out(struct op2i_trace *trace) {
  if (!trace->failed && trace->nchars &&
      fwrite(trace->chars, 1, trace->nchars, trace->stream) < trace->nchars)
    note_failure(trace);
  trace->nchars = 0;
}

static void add_bytes(struct op2i_trace *trace, const char *bytes, size_t n) {
  for (size_t part; n > 0; bytes += part, n -= part) {
    if (trace->nchars == sizeof trace->chars) write_out(trace);
    const size_t room = sizeof trace->chars - trace->nchars;
    part = n < room ? n : room;
    memcpy(trace->chars + trace->nchars, bytes, part);
    trace->nchars += part;
  }
}

static void add_text(struct op2i_trace *trace, const char *text) {
  add_bytes(trace, text, strlen(text));
}

/* Digits of a number, at least `least` of them. printf() would take several times as long, which
 * matters where slices are short. */
static void add_digits(struct op2i_trace *trace, uint64_t number, int least) {
  char digits[24], *at = digits + sizeof digits;
  for (; number || least > 0; number /= 10, least--) *--at = (char)('0' + number % 10);
  add_bytes(trace, at, (size_t)(digits + sizeof digits - at));
}

static void add_int(struct op2i_trace *trace, const char *label, int64_t value) {
  add_text(trace, label);
  if (value < 0) add_text(trace, "-");
  add_digits(trace, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
}

/* Nanoseconds as microseconds. */
static void add_us(struct op2i_trace *trace, const char *label, int64_t ns) {
  const uint64_t amount = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
  add_text(trace, label);
  if (ns < 0) add_text(trace, "-");
  add_digits(trace, amount / 1000, 1);
  add_text(trace, ".");
  add_digits(trace, amount % 1000, 3);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Begin another line of the list of events. */
static void next_line(struct op2i_trace *trace, const char *phase, int track) {
  add_text(trace, trace->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
  add_text(trace, phase);
  add_int(trace, "\",\"pid\":", trace->rank);
  add_int(trace, ",\"tid\":", track);
  trace->any = true;
}

/* The name of an arrow is the same on both ranks. */
static void add_arrow(struct op2i_trace *trace, int track, const struct op2i_slice *slice) {
  next_line(trace, slice->phase == 's' ? "s" : "f\",\"bp\":\"e", track);
  add_int(trace, ",\"name\":\"message\",\"cat\":\"message\",\"id\":\"", slice->from);
  add_int(trace, "-", slice->to);
  add_int(trace, "-", slice->value);
  add_us(trace, "\",\"ts\":", slice->begin - trace->origin);
  add_text(trace, "}");
}

static void add_curve(struct op2i_trace *trace, int track, const struct op2i_slice *slice) {
  char number[32];
  void *point = op2i_decimal_begin();
  snprintf(number, sizeof number, "%.9g", slice->curve);
  op2i_decimal_end(point);
  next_line(trace, "C", track);
  add_text(trace, ",\"name\":");
  add_text(trace, trace->names[slice->what].name);
  add_us(trace, ",\"ts\":", slice->begin - trace->origin);
  add_text(trace, ",\"args\":{\"residual\":");
  add_text(trace, number);
  add_text(trace, "}}");
}

/* The category of the slices of a track. */
static const char *category(const struct op2i_trace *trace, int track) {
  return track == OP2I_TRACK_HOST ? "host" : track > op2i_track_device(trace) ? "exchange" : "loop";
}

static void add_slice(struct op2i_trace *trace, int track, const struct op2i_slice *slice) {
  const struct op2i_trace_text *text = &trace->names[slice->what];
  const char *comma = text->beside ? "," : "";
  next_line(trace, "X", track);
  add_text(trace, ",\"name\":");
  add_text(trace, text->name);
  add_text(trace, ",\"cat\":\"");
  add_text(trace, category(trace, track));
  add_text(trace, "\"");
  add_us(trace, ",\"ts\":", slice->begin - trace->origin);
  add_us(trace, ",\"dur\":", slice->end - slice->begin);
  add_text(trace, ",\"args\":{");
  if (text->beside) add_text(trace, text->beside);
  if (slice->label) {
    add_text(trace, comma);
    add_text(trace, "\"");
    add_text(trace, slice->label);
    add_int(trace, "\":", slice->value);
  }
  if (slice->slices > 1) {
    add_text(trace, comma);
    add_int(trace, "\"slices\":", slice->slices);
    add_us(trace, ",\"busy_us\":", slice->busy);
  }
  add_text(trace, "}}");
}

void op2i_trace_write(struct op2i_trace *trace, int track) {
  struct op2i_track *at = &trace->tracks[track];
  pthread_mutex_lock(&trace->lock);
  for (int64_t i = 0; i < at->n && !trace->failed; i++)
    if (at->slices[i].phase == 'C')
      add_curve(trace, track, &at->slices[i]);
    else if (at->slices[i].phase)
      add_arrow(trace, track, &at->slices[i]);
    else
      add_slice(trace, track, &at->slices[i]);
  pthread_mutex_unlock(&trace->lock);
  at->n = 0;
}

/* ---- the beginning and the end --------------------------------------------------------------- */

static void describe(struct op2i_trace *trace, int track, const char *what, const char *name) {
  next_line(trace, "M", track);
  add_text(trace, ",\"name\":\"");
  add_text(trace, what);
  add_text(trace, "\",\"args\":{\"name\":\"");
  add_text(trace, name);
  add_text(trace, "\"}}");
}

static void order(struct op2i_trace *trace, int track) {
  next_line(trace, "M", track);
  add_int(trace, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":", track);
  add_text(trace, "}}");
}

void op2i_trace_write_head(struct op2i_trace *trace, op2_context ctx, const char *backend) {
  char name[128];
  setvbuf(trace->stream, NULL, _IONBF, 0);
  add_text(trace, "{\"traceEvents\":[");
  if (ctx->comm && ctx->comm->size > 1)
    snprintf(name, sizeof name, "rank %d of %d, backend %s", trace->rank, ctx->comm->size, backend);
  else
    snprintf(name, sizeof name, "op2, backend %s", backend);
  describe(trace, OP2I_TRACK_HOST, "process_name", name);
  for (int t = 0; t < trace->ntracks; t++) {
    snprintf(name, sizeof name, "worker %d", t - OP2I_TRACK_WORKER);
    describe(trace, t, "thread_name",
             t == OP2I_TRACK_HOST            ? "host"
             : t == op2i_track_caller(trace) ? "loops in the calling thread"
             : t == op2i_track_device(trace) ? "device"
             : t > op2i_track_device(trace)  ? "exchanges"
                                             : name);
    order(trace, t);
  }
}

static void add_sum(struct op2i_trace *trace, int track, int64_t what, bool first) {
  const struct op2i_short_sum *sum = &trace->tracks[track].sums[what];
  const struct op2i_trace_text *text = &trace->names[what];
  add_int(trace, first ? "\n{\"track\":" : ",\n{\"track\":", track);
  add_text(trace, ",\"name\":");
  add_text(trace, text->name);
  if (text->beside) add_text(trace, ",");
  if (text->beside) add_text(trace, text->beside);
  add_int(trace, ",\"slices\":", sum->n);
  add_us(trace, ",\"busy_us\":", sum->ns);
  add_text(trace, "}");
}

static void add_sums(struct op2i_trace *trace) {
  bool first = true;
  for (int t = 0; t < trace->ntracks; t++)
    for (int64_t w = 0; w < trace->tracks[t].sums_capacity && w < trace->nnames; w++) {
      if (!trace->tracks[t].sums[w].n) continue;
      add_sum(trace, t, w, first);
      first = false;
    }
}

static const char about_short[] =
    "Slices of loops that took less than 5 us are drawn together: such a slice has their number, "
    "and "
    "in busy_us the time that they took. Those of several loops are named 'short loops'; 'summed' "
    "has what each loop took of them. Slices of the host that took less are left out, and summed "
    "as "
    "well.";

op2_status op2i_trace_write_tail(struct op2i_trace *trace) {
  add_text(trace, "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{");
  add_int(trace, "\"rank\":", trace->rank);
  add_int(trace, ",\"workers\":", trace->workers);
  add_text(trace, ",\n\"short\":\"");
  add_text(trace, about_short);
  add_text(trace, "\",\n\"summed\":[");
  add_sums(trace);
  add_text(trace, "\n]}}\n");
  write_out(trace);
  if (fclose(trace->stream)) note_failure(trace);
  return trace->failed ? op2i_error(OP2_ERR_IO, "%s", strerror(trace->error)) : OP2_SUCCESS;
}

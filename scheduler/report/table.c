/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of where the time of a context went, as text for people and as JSON for programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "comm.h"
#include "config.h"
#include "context.h"
#include "decimal.h"
#include "device.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "op2/device.h"
#include "op2/graph.h"
#include "op2/ranks.h"
#include "profile.h"
#include "report.h"
#include "report_file.h"
#include "section.h"
#include "stream.h"
#include "text.h"

struct table {
  op2_context ctx;
  FILE *stream;
  op2_times times;
  op2_comm_stats halos;
  op2_device_stats device;
  op2_profile *lines; /* [nlines], those that took most first */
  int nlines;
};

static int slower_first(const void *a, const void *b) {
  const op2_profile *p = a, *q = b;
  return (p->seconds < q->seconds) - (p->seconds > q->seconds);
}

/* Add figures to the line of a kernel and a set, which may have been made more than once. */
static void add_line(struct table *t, const op2_profile *line) {
  op2_profile *at = t->lines;
  while (at < t->lines + t->nlines &&
         (strcmp(at->kernel, line->kernel) || strcmp(at->set, line->set)))
    at++;
  if (at == t->lines + t->nlines) {
    t->nlines++;
    *at = *line;
    return;
  }
  at->calls += line->calls;
  at->elements += line->elements;
  at->seconds += line->seconds;
  at->bytes += line->bytes;
}

/* Get the lines of the profile, and those of kernels and sets that are destroyed. */
static op2_status get_lines(struct table *t) {
  op2_profile line;
  size_t most = 1;
  const struct op2i_profile_past *past = t->ctx->loops ? t->ctx->loops->past : NULL;
  for (int i = 0; op2_profile_get(t->ctx, i, &line) == OP2_SUCCESS; i++) most++;
  for (const struct op2i_profile_past *p = past; p; p = p->next) most++;
  t->lines = op2i_calloc(most, sizeof *t->lines);
  if (!t->lines) return op2i_error_nomem("a table of times");
  for (const struct op2i_profile_past *p = past; p; p = p->next)
    add_line(t, &(op2_profile){.kernel = p->kernel,
                               .set = p->set,
                               .calls = p->calls,
                               .elements = p->elements,
                               .seconds = p->seconds,
                               .bytes = p->bytes});
  for (int i = 0; op2_profile_get(t->ctx, i, &line) == OP2_SUCCESS; i++) add_line(t, &line);
  qsort(t->lines, (size_t)t->nlines, sizeof *t->lines, slower_first);
  return OP2_SUCCESS;
}

static op2_status get_table(struct table *t) {
  op2_status status = op2_times_get(t->ctx, &t->times);
  if (!status) status = op2_comm_stats_get(t->ctx, &t->halos);
  if (!status) status = op2_device_stats_get(t->ctx, &t->device);
  return status ? status : get_lines(t);
}

/* The loop's part of the time on the clock. */
static double on_clock(const struct table *t, const op2_profile *line) {
  return line->seconds / op2_workers(t->ctx);
}

static double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

/* ---- text ------------------------------------------------------------------------------------ */

static void print_loop(const struct table *t, const op2_profile *line) {
  const double seconds = on_clock(t, line);
  fprintf(t->stream, "%-24s %-8s %8" PRId64 " %12.4f %7.1f %8.2f %8.2f\n", line->kernel, line->set,
          line->calls, seconds, 100 * rate(seconds, t->times.total), 1e-9 * line->bytes,
          rate(1e-9 * line->bytes, seconds));
}

static void print_part(const struct table *t, const char *part, double seconds) {
  fprintf(t->stream, "%-42s %12.4f %7.1f\n", part, seconds, 100 * rate(seconds, t->times.total));
}

static void print_parts(const struct table *t) {
  char compiling[80];
  snprintf(compiling, sizeof compiling, "compiling (%" PRId64 " anew, %" PRId64 " from the cache)",
           t->times.compiled, t->times.loaded);
  print_part(t, "waiting for one another", t->times.waiting);
  print_part(t, compiling, t->times.compiling);
  print_part(t, "preparing loops", t->times.preparing);
  print_part(t, "the program itself", t->times.elsewhere);
  print_part(t, "total", t->times.total);
}

static int64_t count_graphs(const struct table *t) {
  return t->ctx->device ? t->ctx->device->counts.graphs : 0;
}

static void print_moves(const struct table *t) {
  const op2_comm_stats *halos = &t->halos;
  const op2_device_stats *device = &t->device;
  if (t->ctx->comm && t->ctx->comm->size > 1)
    fprintf(t->stream, "halos: %s of %s in %s, %.6f s on their way, %.6f s waited for\n",
            OP2I_N(halos->messages, "message"), OP2I_N(halos->bytes, "byte"),
            OP2I_N(halos->exchanges, "exchange"), halos->travelling, halos->waited);
  if (device->launches || device->host_loops)
    fprintf(t->stream, "device: %s there of %s, %" PRId64 " back of %s, %s, %s on the host\n",
            OP2I_N(device->puts, "transfer"), OP2I_N(device->put_bytes, "byte"), device->gets,
            OP2I_N(device->get_bytes, "byte"), OP2I_N(device->launches, "launch"),
            OP2I_N(device->host_loops, "loop"));
  if (count_graphs(t))
    fprintf(t->stream, "device: %s of launches\n", OP2I_N(count_graphs(t), "graph"));
}

/* Loops and seconds of a section and of all within it, which come behind it in the list. */
static void add_inner(const struct op2i_sections *sections, int64_t of, int64_t *loops,
                      double *seconds) {
  *loops = 0, *seconds = 0;
  for (int64_t s = of; s < sections->n; s++) {
    int64_t up = s;
    while (up > of) up = sections->list[up].parent;
    if (up != of) continue;
    *loops += sections->list[s].loops;
    *seconds += sections->list[s].worker_seconds;
  }
}

static void print_section(const struct table *t, int64_t s) {
  const struct op2i_program_section *section = &t->ctx->sections->list[s];
  const int indent = 2 * (section->depth < 8 ? section->depth - 1 : 7);
  int64_t loops;
  double seconds;
  add_inner(t->ctx->sections, s, &loops, &seconds);
  seconds /= op2_workers(t->ctx);
  fprintf(t->stream, "%*s%-*s %8" PRId64 " %8" PRId64 " %12.4f %7.1f %12.4f\n", indent, "",
          33 - indent, section->name, section->calls, loops, seconds,
          100 * rate(seconds, t->times.total), section->between);
}

/* Print the sections within one, each followed by those within itself. */
static void print_inner(const struct table *t, int64_t of) {
  const struct op2i_sections *sections = t->ctx->sections;
  for (int64_t s = of + 1; s < sections->n; s++) {
    if (sections->list[s].parent != of) continue;
    print_section(t, s);
    print_inner(t, s);
  }
}

static void print_sections(const struct table *t) {
  fprintf(t->stream, "\n%-33s %8s %8s %12s %7s %12s\n", "section", "begun", "loops", "seconds", "%",
          "in program");
  print_inner(t, 0);
  fputs("\nA section has the seconds of the loops that were queued in it and in those within it, "
        "whenever\nthey ran. The last column is the time from its beginning to its end in the "
        "program.\n",
        t->stream);
}

static void print_text(const struct table *t) {
  const struct op2i_comm *comm = t->ctx->comm;
  fprintf(t->stream, "backend %s, %s", t->ctx->backend->name,
          OP2I_N(op2_workers(t->ctx), "worker"));
  if (comm && comm->size > 1) fprintf(t->stream, ", rank %d of %d", comm->rank, comm->size);
  fputc('\n', t->stream);
  print_moves(t);
  fprintf(t->stream, "%-24s %-8s %8s %12s %7s %8s %8s\n", "loop", "set", "calls", "seconds", "%",
          "GB", "GB/s");
  for (int i = 0; i < t->nlines; i++) print_loop(t, &t->lines[i]);
  print_parts(t);
  if (t->ctx->sections) print_sections(t);
  fprintf(
      t->stream,
      "\nSeconds on the clock since op2_init. A loop has those that the %s spent in it, "
      "divided\nby their number; waiting is what they spent between loops. GB is what a loop by "
      "itself has to\nmove at least.\n",
      OP2I_N(op2_workers(t->ctx), "worker"));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_string(FILE *stream, const char *string) {
  struct op2i_text text = {0};
  op2i_text_quote(&text, string);
  fputs(text.failed ? "\"\"" : text.chars, stream);
  op2i_text_free(&text);
}

static void print_json_loop(const struct table *t, int i) {
  const op2_profile *line = &t->lines[i];
  fputs(i ? ",\n    {\"kernel\": " : "\n    {\"kernel\": ", t->stream);
  print_string(t->stream, line->kernel);
  fputs(", \"set\": ", t->stream);
  print_string(t->stream, line->set);
  fprintf(t->stream,
          ", \"calls\": %" PRId64 ", \"elements\": %" PRId64
          ", \"worker_seconds\": %.9g, \"bytes\": %.17g}",
          line->calls, line->elements, line->seconds, line->bytes);
}

/* A section is named with those that it is in, the outermost one first. */
static void print_path(const struct table *t, int64_t s) {
  const struct op2i_program_section *section = &t->ctx->sections->list[s];
  if (section->parent) {
    print_path(t, section->parent);
    fputs(", ", t->stream);
  }
  print_string(t->stream, section->name);
}

static void print_json_sections(const struct table *t) {
  const struct op2i_sections *sections = t->ctx->sections;
  fputs("  \"sections\": [", t->stream);
  for (int64_t s = 1; sections && s < sections->n; s++) {
    const struct op2i_program_section *section = &sections->list[s];
    fputs(s > 1 ? ",\n    {\"path\": [" : "\n    {\"path\": [", t->stream);
    print_path(t, s);
    fprintf(t->stream,
            "], \"begun\": %" PRId64 ", \"loops\": %" PRId64
            ", \"worker_seconds\": %.9g, \"seconds_in_program\": %.9g}",
            section->calls, section->loops, section->worker_seconds, section->between);
  }
  fputs(sections && sections->n > 1 ? "\n  ],\n" : "],\n", t->stream);
}

static void print_json(const struct table *t) {
  const struct op2i_comm *comm = t->ctx->comm;
  const op2_times *times = &t->times;
  const op2_device_stats *device = &t->device;
  fputs("{\n  \"backend\": ", t->stream);
  print_string(t->stream, t->ctx->backend->name);
  fprintf(t->stream, ",\n  \"workers\": %d,\n  \"rank\": %d,\n  \"ranks\": %d,\n",
          op2_workers(t->ctx), comm ? comm->rank : 0, comm ? comm->size : 1);
  fprintf(t->stream,
          "  \"seconds\": {\"total\": %.9g, \"loops\": %.9g, \"waiting\": %.9g, "
          "\"compiling\": %.9g, \"preparing\": %.9g, \"elsewhere\": %.9g},\n",
          times->total, times->loops, times->waiting, times->compiling, times->preparing,
          times->elsewhere);
  fprintf(t->stream, "  \"compiled\": %" PRId64 ",\n  \"loaded\": %" PRId64 ",\n", times->compiled,
          times->loaded);
  fprintf(t->stream,
          "  \"halos\": {\"exchanges\": %" PRId64 ", \"messages\": %" PRId64 ", \"bytes\": %" PRId64
          ", \"travelling\": %.9g, \"waited\": %.9g},\n",
          t->halos.exchanges, t->halos.messages, t->halos.bytes, t->halos.travelling,
          t->halos.waited);
  fprintf(t->stream,
          "  \"device\": {\"launches\": %" PRId64 ", \"host_loops\": %" PRId64
          ", \"puts\": %" PRId64 ", \"put_bytes\": %" PRId64 ", \"gets\": %" PRId64
          ", \"get_bytes\": %" PRId64 ", \"graphs\": %" PRId64 "},\n",
          device->launches, device->host_loops, device->puts, device->put_bytes, device->gets,
          device->get_bytes, count_graphs(t));
  print_json_sections(t);
  fputs("  \"loops\": [", t->stream);
  for (int i = 0; i < t->nlines; i++) print_json_loop(t, i);
  fputs(t->nlines ? "\n  ]\n}\n" : "]\n}\n", t->stream);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static op2_status report(op2_context ctx, FILE *stream, bool json, const char *call) {
  struct table table = {.ctx = ctx, .stream = stream};
  op2_status status = get_table(&table);
  if (!status && json) {
    void *point = op2i_decimal_begin();
    print_json(&table);
    op2i_decimal_end(point);
  }
  if (!status && !json) print_text(&table);
  if (!status) status = op2i_stream_written(stream, call);
  op2i_free(table.lines);
  return status;
}

static op2_status check(op2_context ctx, FILE *stream, const char *call) {
  op2_status status = op2i_context_validate(ctx, call);
  if (!status && !stream) status = op2i_error(OP2_ERR_ARG, "%s: the stream is null", call);
  return status;
}

op2_status op2_report(op2_context ctx, FILE *stream) {
  OP2I_FP_DEFAULT;
  op2_status status = check(ctx, stream, "op2_report");
  return status ? status : report(ctx, stream, false, "op2_report");
}

op2_status op2_report_json(op2_context ctx, FILE *stream) {
  OP2I_FP_DEFAULT;
  op2_status status = check(ctx, stream, "op2_report_json");
  return status ? status : report(ctx, stream, true, "op2_report_json");
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && !strcmp(text + length - tail, end);
}

void op2i_report_end(op2_context ctx) {
  const char *name = ctx->config.report;
  if (!name || !*name || !strcmp(name, "0") || !op2i_report_writes(ctx, name)) return;
  const bool standard = !strcmp(name, "1");
  char path[4096];
  op2i_report_path(ctx, name, 0, path, sizeof path);
  FILE *stream = standard ? stderr : op2i_report_open(path, "OP2_REPORT");
  op2_status status =
      stream ? report(ctx, stream, ends_with(name, ".json"), "OP2_REPORT") : OP2_ERR_IO;
  if (stream && !standard && fclose(stream) && !status)
    status = op2i_error(OP2_ERR_IO, "OP2_REPORT: the file cannot be closed");
  if (status)
    op2i_log(ctx, OP2I_LOG_WARN, "the report could not be written to '%s': %s",
             standard ? "standard error" : path, op2_error_message());
}

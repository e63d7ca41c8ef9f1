/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of two ranks: each keeps the rules of the format, op2-trace merges them, every message is an
 * arrow from its sender to its receiver, and the critical path is printed. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"
#include "trace_case.h"

enum { RANKS = 2, STEPS = 50 };

static int64_t messages[RANKS];

static op2_status step(struct row *w) {
  op2_status status = row_bump(w, w->a);
  if (!status) status = row_bump(w, w->b);
  if (!status) status = row_look_at_both(w);
  if (!status) status = row_add(w, w->a);
  if (!status) status = row_look(w, w->a);
  return status ? status : op2_flush(w->ctx);
}

static int rank(struct op2i_comm *comm, void *data) {
  struct row w;
  op2_status status = row_begin(&w, comm, data);
  for (int s = 0; s < STEPS && !status; s++) status = step(&w);
  if (status) fprintf(stderr, "# %s\n", op2_error_message());
  messages[comm->rank] = comm->messages;
  return status || row_end(&w);
}

/* The number of events of a phase on a rank. */
static int64_t count(const struct json *trace, const char *phase, int of) {
  const struct json *list = json_member(trace, "traceEvents");
  int64_t n = 0;
  for (const struct json *e = list ? list->first : NULL; e; e = e->next)
    n += !strcmp(json_text(e, "ph"), phase) && (int)json_number(e, "pid") == of;
  return n;
}

static struct json *trace_of(const char *backend, int of) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%d.json", test_scratch(), backend, of);
  return json_read(path);
}

/* Every message that a rank has sent leaves it as an arrow. Some that are in flight longest may find
 * no track; there are none here. Arrows are judged in the merged file. */
static void judge_rank(const char *backend, int of) {
  struct json *trace = trace_of(backend, of);
  ok(trace != NULL, "%s: rank %d has a file of its own", backend, of);
  is_int(count(trace, "s", of), messages[of], "%s: rank %d shows the messages that it sent",
         backend, of);
  is_int(count(trace, "f", of), messages[!of], "%s: and those that it received", backend);
  json_free(trace);
}

/* Run op2-trace, and return what it prints; null if it fails. */
static char *merge(const char *backend, const char *merged) {
  char command[20000], *text = calloc(1, 1 << 16);
  snprintf(command, sizeof command,
           "python3 '%s/tools/op2-trace' -o '%s' '%s/%s-0.json' '%s/%s-1.json' 2>&1",
           source_root(), merged, test_scratch(), backend, test_scratch(), backend);
  FILE *stream = popen(command, "r");
  if (stream && text && !fread(text, 1, (1 << 16) - 1, stream)) text[0] = 0;
  if (!stream || pclose(stream) == 0) return text;
  diag("%s", text);
  free(text);
  return NULL;
}

static void judge_merged(const char *backend) {
  char merged[4096];
  snprintf(merged, sizeof merged, "%s/%s.json", test_scratch(), backend);
  char *text = merge(backend, merged);
  struct json *trace = json_read(merged);
  ok(trace && trace_is_valid(trace), "%s: the merged file keeps the rules of the format", backend);
  is_int(count(trace, "s", 0) + count(trace, "s", 1), messages[0] + messages[1],
         "%s: each message is an arrow of which both ends are there", backend);
  ok(text && strstr(text, "\ncritical path ") && strstr(text, "\ntotal ") && strstr(text, "look"),
     "%s: op2-trace prints loops and the critical path", backend);
  json_free(trace);
  free(text);
}

static void test_backend(const char *backend) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.json", test_scratch(), backend);
  setenv("OP2_TRACE", path, 1);
  is_int(run_contexts(RANKS, rank, (void *)backend), 0, "%s: two ranks with a trace", backend);
  unsetenv("OP2_TRACE");
  for (int r = 0; r < RANKS; r++) judge_rank(backend, r);
  if (system("python3 -c pass") == 0)
    judge_merged(backend);
  else
    skip("op2-trace needs Python");
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));)
    if (strcmp(backend, "check") != 0) test_backend(backend);
  return done();
}

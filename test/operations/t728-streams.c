/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that write to a stream report output that was lost: the device is full, the pipe has no
 * reader, the stream is open for reading, or memory is short. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "op2.h"
#include "tap.h"

OP2_KERNEL(grow, (double *x), { *x += 1; });

static op2_context ctx;
static op2_set set;
static op2_dat dat;
static op2_kernel kernel;

static void start(const char *graph_file) {
  CHECK(op2_init(&(op2_options){.backend = "sequential", .graph_file = graph_file}, &ctx));
  CHECK(op2_set_create(ctx, 10, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_kernel_create(ctx, &grow_kernel, &kernel));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)));
}

static void stop(void) {
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
}

/* ---- the calls ------------------------------------------------------------------------------- */

static op2_status write_environment(FILE *stream) { return op2_environment_write(stream); }
static op2_status write_explanation(FILE *stream) { return op2_explain(ctx, stream); }
static op2_status write_report(FILE *stream) { return op2_report(ctx, stream); }
static op2_status write_json(FILE *stream) { return op2_report_json(ctx, stream); }
static op2_status write_graph(FILE *stream) { return op2_graph_write_dot(ctx, stream); }

static const struct {
  const char *name;
  op2_status (*write)(FILE *stream);
} calls[] = {{"op2_environment_write", write_environment},
             {"op2_explain", write_explanation},
             {"op2_report", write_report},
             {"op2_report_json", write_json},
             {"op2_graph_write_dot", write_graph}};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- streams --------------------------------------------------------------------------------- */

static FILE *full_device(int mode) {
  FILE *stream = fopen("/dev/full", "w");
  if (stream) setvbuf(stream, NULL, mode, mode == _IONBF ? 0 : 1 << 20);
  return stream;
}

static FILE *full_buffered(void) { return full_device(_IOFBF); }
static FILE *full_by_line(void) { return full_device(_IOLBF); }
static FILE *full_unbuffered(void) { return full_device(_IONBF); }
static FILE *for_reading(void) { return fopen("/dev/null", "r"); }
static FILE *little_memory(void) { return fmemopen(NULL, 16, "w"); }

static FILE *broken_pipe(void) {
  int ends[2];
  if (pipe(ends)) return NULL;
  close(ends[0]);
  return fdopen(ends[1], "w");
}

static const struct {
  const char *name;
  FILE *(*open)(void);
  const char *word; /* a word of the message */
} streams[] = {{"a full device, buffered", full_buffered, "No space left"},
               {"a full device, line by line", full_by_line, "could not be written"},
               {"a full device, unbuffered", full_unbuffered, "could not be written"},
               {"a pipe that nobody reads", broken_pipe, "Broken pipe"},
               {"a stream for reading", for_reading, "could not be written"},
               {"sixteen bytes of memory", little_memory, "could not be written"}};

static void try_stream(int s, int c) {
  FILE *stream = streams[s].open();
  if (!stream) {
    skip("%s: %s cannot be had here", calls[c].name, streams[s].name);
    return;
  }
  op2_status status = calls[c].write(stream);
  const char *message = op2_error_message();
  if (!ok(status == OP2_ERR_IO && strstr(message, calls[c].name) &&
              strstr(message, streams[s].word),
          "%s: %s gives OP2_ERR_IO in words", calls[c].name, streams[s].name))
    diag("  %s: %s", op2_status_name(status), message);
  (void)fclose(stream);
}

static void test_streams(void) {
  start(NULL);
  for (int c = 0; c < CALLS; c++) {
    for (int s = 0; s < (int)(sizeof streams / sizeof *streams); s++) try_stream(s, c);
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    ok(stream && calls[c].write(stream) == OP2_SUCCESS, "%s: a stream with room gives success",
       calls[c].name);
    ok(length > 0 && text && strlen(text) == length, "and what was written is there at once");
    if (stream) fclose(stream);
    free(text);
  }
  is_int(op2_queued(ctx), 1, "none of them ran the loop that is queued");
  stop();
}

/* ---- the drawing of what ran ----------------------------------------------------------------- */

/* A flush whose drawing goes to this file prints a message with `word` on stderr. */
static void test_graph_file(const char *path, const char *word) {
  char said[4096] = "";
  FILE *file = tmpfile();
  int kept = dup(STDERR_FILENO);
  start(path);
  if (!file || kept < 0 || dup2(fileno(file), STDERR_FILENO) < 0) {
    skip("stderr cannot be looked at here");
    stop();
    return;
  }
  op2_status status = op2_flush(ctx);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  said[fread(said, 1, sizeof said - 1, file)] = '\0';
  fclose(file);
  is_int(status, OP2_SUCCESS, "OP2_GRAPH=%s: the loops run all the same", path);
  if (!ok(strstr(said, "warning") && strstr(said, path) && strstr(said, word),
          "and a warning names the file and the reason"))
    diag("  stderr: %s", said);
  stop();
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  test_streams();
  test_graph_file("/no/such/folder/graph.dot", "No such file");
  if (access("/dev/full", W_OK))
    skip("there is no /dev/full");
  else
    test_graph_file("/dev/full", "No space left");
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of times, as text and as JSON, by call and by OP2_REPORT when a context ends. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "op2.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(grow, (double *x), { *x += 1; });
OP2_KERNEL(root, (double *x), {
  double y = *x;
  for (int i = 0; i < 50; i++) y = 0.5 * (y + 3 / (y + 1));
  *x = y;
});

enum { SIZE = 20000, STEPS = 5 };
static const char odd_name[] = "cells \"of\" a\\b\tmesh \xc3\xa4\xe4";

static op2_context ctx;
static op2_set set, odd;
static op2_dat dat, other;
static op2_kernel grows, roots;

static void start(void) {
  CHECK(op2_init(&(op2_options){.backend = "sequential"}, &ctx));
  CHECK(op2_set_create(ctx, SIZE, "cells", &set));
  CHECK(op2_set_create(ctx, 10, odd_name, &odd));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_dat_create(odd, 1, OP2_F64, NULL, "y", &other));
  CHECK(op2_kernel_create(ctx, &grow_kernel, &grows));
  CHECK(op2_kernel_create(ctx, &root_kernel, &roots));
  CHECK(op2_par_loop(grows, odd, op2_arg_direct(other, OP2_RW)));
  for (int s = 0; s < STEPS; s++) {
    CHECK(op2_par_loop(roots, set, op2_arg_direct(dat, OP2_RW)));
    CHECK(op2_flush(ctx));
  }
}

static void stop(void) {
  op2_kernel_destroy(&grows);
  op2_kernel_destroy(&roots);
  op2_dat_destroy(&dat);
  op2_dat_destroy(&other);
  op2_set_destroy(&set);
  op2_set_destroy(&odd);
  CHECK(op2_finalize(&ctx));
}

static char *written(op2_status (*write)(op2_context, FILE *)) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  CHECK(write(ctx, stream));
  fclose(stream);
  return text;
}

static char *read_file(const char *path) {
  char *text = calloc(1, 1 << 16);
  FILE *file = fopen(path, "r");
  if (file && text && !fread(text, 1, (1 << 16) - 1, file)) text[0] = 0;
  if (file) fclose(file);
  return text;
}

static bool has(const char *text, const char *part) {
  if (text && strstr(text, part)) return true;
  diag("not there: %s", part);
  return false;
}

/* ---- by call --------------------------------------------------------------------------------- */

/* True if the lines of loops are those of the profile, and those that took most come first. */
static bool sorted(const char *text) {
  const char *root_at = strstr(text, "\nroot "), *grow_at = strstr(text, "\ngrow ");
  int64_t calls = 0;
  double seconds = -1;
  return root_at && grow_at && root_at < grow_at &&
         sscanf(root_at, " root cells %" SCNd64 " %lf", &calls, &seconds) == 2 && calls == STEPS &&
         seconds > 0;
}

static void test_text(void) {
  char *text = written(op2_report);
  ok(has(text, "backend sequential, 1 worker\n"), "the backend is named");
  ok(sorted(text), "loops that took most come first");
  ok(has(text, "waiting for one another") && has(text, "compiling (") &&
         has(text, "preparing loops") && has(text, "the program itself") && has(text, "\ntotal "),
     "and so are the other parts");
  ok(!strstr(text, "halos:") && !strstr(text, "device:"), "there are neither halos nor a device");
  free(text);
}

static void test_json(void) {
  char *text = written(op2_report_json), expected[200];
  op2_profile line;
  CHECK(op2_profile_get(ctx, 1, &line));
  snprintf(expected, sizeof expected,
           "{\"kernel\": \"root\", \"set\": \"cells\", \"calls\": %d, \"elements\": %d, "
           "\"worker_seconds\": %.9g, \"bytes\": %.17g}",
           STEPS, STEPS * SIZE, line.seconds, line.bytes);
  ok(has(text, expected), "a loop has the figures of its profile");
  ok(has(text, "\"set\": \"cells \\\"of\\\" a\\\\b\\u0009mesh \xc3\xa4\\ufffd\""),
     "names are written as JSON wants");
  ok(has(text, "\"workers\": 1") && has(text, "\"ranks\": 1") && has(text, "\"compiling\": "),
     "so are workers, ranks and times");
  free(text);
}

static bool section_has(const char *text, const char *name, int begun, int loops) {
  const char *at = strstr(text, name);
  int found[2] = {-1, -1};
  if (at && sscanf(at + strlen(name), "%d %d", &found[0], &found[1]) == 2 && found[0] == begun &&
      found[1] == loops)
    return true;
  diag("%s: begun %d times, %d loops", name, found[0], found[1]);
  return false;
}

/* Loops count in the section in which they were queued, although they run later, in another one. */
static void test_sections(void) {
  CHECK(op2_section_begin(ctx, "step"));
  CHECK(op2_section_begin(ctx, "the \"root\""));
  for (int i = 0; i < 3; i++) CHECK(op2_par_loop(roots, set, op2_arg_direct(dat, OP2_RW)));
  CHECK(op2_section_end(ctx, "the \"root\""));
  CHECK(op2_par_loop(grows, set, op2_arg_direct(dat, OP2_RW)));
  is_int(op2_queued(ctx), 4, "sections run nothing");
  is_int(op2_section_end(ctx, "flux"), OP2_ERR_STATE, "another section cannot end");
  ok(has(op2_error_message(), "'flux' is to end, but 'step' began last"),
     "and the message names both");
  CHECK(op2_section_end(ctx, NULL));
  CHECK(op2_section_begin(ctx, "run"));
  CHECK(op2_flush(ctx));
  CHECK(op2_section_end(ctx, "run"));
  CHECK(op2_section_begin(ctx, "step"));
  CHECK(op2_section_end(ctx, "step"));
  is_int(op2_section_end(ctx, NULL), OP2_ERR_STATE, "none is open then");
  is_int(op2_section_begin(ctx, ""), OP2_ERR_ARG, "a section needs a name");
  char *text = written(op2_report);
  ok(section_has(text, "\nstep ", 2, 4) && section_has(text, "\n  the \"root\" ", 1, 3) &&
         section_has(text, "\nrun ", 1, 0),
     "the report has the loops of sections and of those within them");
  free(text);
  text = written(op2_report_json);
  ok(has(text, "{\"path\": [\"step\"], \"begun\": 2, \"loops\": 1, \"worker_seconds\": ") &&
         has(text, "{\"path\": [\"step\", \"the \\\"root\\\"\"], \"begun\": 1, \"loops\": 3, ") &&
         has(text, "{\"path\": [\"run\"], \"begun\": 1, \"loops\": 0, \"worker_seconds\": 0,"),
     "and so has JSON, each without those within it");
  free(text);
}

static void test_empty(void) {
  op2_context none = ctx;
  op2_status status = op2_init(&(op2_options){.backend = "sequential"}, &ctx);
  char *text = status ? NULL : written(op2_report_json);
  ok(!status && has(text, "\"loops\": []"), "a context without loops has an empty list");
  free(text);
  CHECK(op2_finalize(&ctx));
  ctx = none;
}

static void test_refused(void) {
  is_int(op2_report(ctx, NULL), OP2_ERR_ARG, "a null stream is refused");
  is_int(op2_report_json(ctx, NULL), OP2_ERR_ARG, "for JSON as well");
  is_int(op2_report(NULL, stderr), OP2_ERR_STATE, "and so is a null context");
}

/* ---- by OP2_REPORT --------------------------------------------------------------------------- */

/* Run a context with the variable set, and return what it writes on standard error. */
static char *with_report(const char *value, const char *path) {
  const int saved = dup(STDERR_FILENO);
  setenv("OP2_REPORT", value, 1);
  fflush(stderr);
  if (!freopen(path, "w", stderr)) return NULL;
  start();
  stop();
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  unsetenv("OP2_REPORT");
  return read_file(path);
}

static void test_variable(void) {
  char messages[4096], table[4096], json[4096], value[4200];
  snprintf(messages, sizeof messages, "%s/messages", test_scratch());
  snprintf(table, sizeof table, "%s/table.txt", test_scratch());
  snprintf(json, sizeof json, "%s/table-0.json", test_scratch());
  char *text = with_report("1", messages);
  ok(has(text, "\nroot ") && has(text, "\ntotal "), "OP2_REPORT=1 prints on standard error");
  free(text);
  free(with_report(table, messages));
  text = read_file(table);
  ok(has(text, "\nroot ") && has(text, "\ntotal "), "a name is that of a file");
  free(text);
  snprintf(value, sizeof value, "%s/table-%%r.json", test_scratch());
  free(with_report(value, messages));
  text = read_file(json);
  ok(has(text, "\"kernel\": \"root\""), "which gets JSON if it ends so; %%r is the rank");
  free(text);
  text = with_report("/nowhere/at/all", messages);
  ok(has(text, "the report could not be written to '/nowhere/at/all'"),
     "a file that cannot be written is warned of");
  free(text);
  text = with_report("0", messages);
  ok(text && !strstr(text, "total"), "0 prints nothing");
  free(text);
}

/* JSON has a point in its numbers, whatever the user's locale has; the locale stays as it is. */
static void test_locale(void) {
  char command[4200], number[20];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
           test_scratch());
  setenv("LOCPATH", test_scratch(), 1);
  if (system(command) || !setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    skip("localedef makes no locale whose decimal point is a comma");
    return;
  }
  char *text = written(op2_report_json);
  const char *at = text ? strstr(text, "\"total\": ") : NULL;
  at = at ? at + strlen("\"total\": ") : "";
  ok(at[strspn(at, "0123456789")] == '.', "JSON has a point where the locale has a comma");
  snprintf(number, sizeof number, "%.1f", 0.5);
  is_str(number, "0,5", "and the program's own numbers have a comma");
  free(text);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  start();
  test_text();
  test_json();
  test_locale();
  test_sections();
  test_empty();
  test_refused();
  stop();
  test_variable();
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of halos in the drawing of a program: after the loops that compute the rows, before the
 * loop that waits for them; and which rank writes which file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rank_case.h"
#include "row_case.h"
#include "support.h"
#include "tap.h"

static const char *backend;

struct drawn {
  const char *name;
  op2_status (*queue)(struct row *w);
  const char *lines[8]; /* lines that must be there, %d in them stands for the rank */
  const char *absent;   /* text that must not be there; null: none */
};

static op2_status one(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->a) || row_look(w, w->a);
}
static op2_status two(struct row *w) {
  return row_bump(w, w->a) || row_bump(w, w->b) || row_look_at_both(w);
}
static op2_status later(struct row *w) {
  return row_bump(w, w->wide) || row_look(w, w->b) || row_look(w, w->wide);
}
static op2_status scattered(struct row *w) { return row_add(w, w->a) || row_look(w, w->a); }
static op2_status summed(struct row *w) {
  return row_total(w, w->b) || row_look(w, w->b) || row_total(w, w->b);
}
static op2_status none(struct row *w) { return row_bump(w, w->a) || row_total(w, w->a); }

/* Each entry is one flush. */
static const struct drawn drawings[] = {
    {"one dat",
     one,
     {"exchange1 [label=\"halos of a\\nrank %d sends 8 bytes in 1 message\\nbefore loop3\"",
      "loop2 -> exchange1 [label=\"a\"", "exchange1 -> loop3 [label=\"a after core\"",
      "key_exchange ["},
     "exchange2"},
    {"two dats",
     two,
     {"exchange1 [label=\"halos of a, b\\nrank %d sends 16 bytes in 1 message\\nbefore loop6\"",
      "loop4 -> exchange1 [label=\"a\"", "loop5 -> exchange1 [label=\"b\"",
      "exchange1 -> loop6 [label=\"a after core\"", "exchange1 -> loop6 [label=\"b after core\""},
     "exchange2"},
    {"sent while another loop runs",
     later,
     {"exchange1 [label=\"halos of wide\\nrank %d sends 24 bytes in 1 message\\nbefore loop8\"",
      "loop7 -> exchange1 [label=\"wide\"", "exchange1 -> loop9 [label=\"wide after core\""},
     "exchange1 -> loop8"},
    {"nothing", none, {"loop10 -> loop11"}, "exchange"},
    {"made by increments: there behind the exec halo", /* e was written by the last loop */
     scattered,
     {"halos of a\\nrank %d sends 8 bytes", "loop12_exec -> exchange2 [label=\"a\"",
      "exchange2 -> loop13 [label=\"a after core\""},
     "loop12 -> exchange2"},
    {"a sum that travels while another loop runs",
     summed,
     {"reduction1 [label=\"16 bytes that ranks combine\\nsent behind loop14\"",
      "loop14 -> reduction1 [label=\"sum\"", "reduction1 -> loop16", "loop16 -> reduction2",
      "key_reduction ["},
     "reduction2 ->"},
};
enum { DRAWINGS = sizeof drawings / sizeof *drawings };

static char *content(const char *path) {
  static _Thread_local char text[16384];
  FILE *file = fopen(path, "r");
  text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
  if (file) fclose(file);
  return text;
}

static int look_at(const struct drawn *d, int rank, const char *text) {
  int wrong = 0;
  for (int l = 0; l < 8 && d->lines[l]; l++) {
    char line[200];
    snprintf(line, sizeof line, d->lines[l], rank);
    if (strstr(text, line)) continue;
    fprintf(stderr, "# %s: rank %d lacks %s\n", d->name, rank, line);
    wrong++;
  }
  if (d->absent && strstr(text, d->absent)) {
    fprintf(stderr, "# %s: rank %d has %s\n", d->name, rank, d->absent);
    wrong++;
  }
  if (wrong) fprintf(stderr, "%s\n", text);
  return wrong;
}

static int draw_all(struct op2i_comm *comm, void *data) {
  int rank = comm->rank, wrong = 0;
  struct row w;
  (void)data;
  if (row_begin(&w, comm, backend)) return 1;
  for (int d = 0; d < DRAWINGS && !wrong; d++) {
    char path[500];
    wrong = drawings[d].queue(&w) || op2_flush(w.ctx);
    snprintf(path, sizeof path, "%s/%s-%d-%d.dot", test_scratch(), backend, rank, d);
    wrong += look_at(&drawings[d], rank, content(path));
  }
  if (wrong) fprintf(stderr, "# rank %d: %s\n", rank, op2_error_message());
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

static int draw_once(struct op2i_comm *comm, void *data) {
  struct row w;
  (void)data;
  if (row_begin(&w, comm, backend)) return 1;
  int wrong = one(&w) || op2_flush(w.ctx);
  return wrong + (row_end(&w) != OP2_SUCCESS);
}

/* A pipe gets the drawings of all ranks, whichever rank writes last. */
static void draw_into_one(void) {
  static char text[1 << 16];
  char name[500];
  snprintf(name, sizeof name, "%s/%s.pipe", test_scratch(), backend);
  int pipe = mkfifo(name, 0600) ? -1 : open(name, O_RDWR | O_NONBLOCK);
  if (!ok(pipe >= 0, "%s: a pipe", backend)) return;
  setenv("OP2_GRAPH", name, 1);
  is_int(run_contexts(2, draw_once, NULL), 0, "%s: one name for both", backend);
  ssize_t bytes = read(pipe, text, sizeof text - 1);
  close(pipe);
  text[bytes > 0 ? bytes : 0] = '\0';
  ok(strstr(text, "rank 0 sends") && !strstr(text, "rank 1 sends"),
     "%s: the first rank has written it, and no other", backend);
}

static void draw_on(void) {
  char name[500], command[600];
  snprintf(name, sizeof name, "%s/%s-%%r-%%d.dot", test_scratch(), backend);
  setenv("OP2_GRAPH", name, 1);
  is_int(run_contexts(2, draw_all, NULL), 0, "%s: %d drawings", backend, DRAWINGS);
  draw_into_one();
  snprintf(name, sizeof name, "%s/%s.dot", test_scratch(), backend);
  setenv("OP2_GRAPH", name, 1);
  setenv("OP2_OVERLAP", "0", 1);
  is_int(run_contexts(2, draw_once, NULL), 0, "%s: without overlap", backend);
  unsetenv("OP2_OVERLAP");
  const char *text = content(name);
  ok(strstr(text, "exchange1 -> loop3 [label=\"a\"") && !strstr(text, "after core"),
     "%s: nothing runs meanwhile", backend);
  if (system("command -v dot >/dev/null 2>&1")) {
    skip("graphviz is not here");
    return;
  }
  snprintf(command, sizeof command, "dot -Tsvg '%s' | grep -q 'halos of a'", name);
  is_int(system(command), 0, "%s: dot can draw it", backend);
}

int main(void) {
  static const char *const backends[] = {"openmp", "starpu"};
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  for (int b = 0; b < 2; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    backend = backends[b];
    if (why)
      skip("%s: %s", backend, why);
    else
      draw_on();
  }
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph: which edges there are and how it is drawn; which loops run when data are read, and
 * which calls run nothing. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

OP2_KERNEL(inc, (double *x), { *x += 1; });
OP2_KERNEL(put, (double *x), { *x = 5; });
OP2_KERNEL(copy, (double *x, const double *y), { *x = *y; });
OP2_KERNEL(total, (const double *x, double *g), { *g += *x; });
OP2_KERNEL(take, (double *x, const double *g), { *x = *g; });
OP2_KERNEL(sum_of_two, (double *x, const double *y, const double *z), { *x = *y + *z; });

struct mesh {
  op2_set set;
  op2_dat a, b, c, d;
  op2_gbl g;
  op2_kernel inc, put, copy, total, take, sum;
};

static struct mesh make_mesh(void) {
  struct mesh m;
  m.set = new_set(8, "cells");
  m.a = new_dat(m.set, 1, OP2_F64, NULL, "adat");
  m.b = new_dat(m.set, 1, OP2_F64, NULL, "bdat");
  m.c = new_dat(m.set, 1, OP2_F64, NULL, "cdat");
  m.d = new_dat(m.set, 1, OP2_F64, NULL, "ddat");
  m.g = new_gbl(1, OP2_F64, NULL, "gsum");
  m.inc = new_kernel(&inc_kernel);
  m.put = new_kernel(&put_kernel);
  m.copy = new_kernel(&copy_kernel);
  m.total = new_kernel(&total_kernel);
  m.take = new_kernel(&take_kernel);
  m.sum = new_kernel(&sum_of_two_kernel);
  return m;
}

#define INC(dat) MUST(op2_par_loop(m.inc, m.set, op2_arg_direct(dat, OP2_RW)))
#define PUT(dat) MUST(op2_par_loop(m.put, m.set, op2_arg_direct(dat, OP2_WRITE)))
#define COPY(to, from)                                                                             \
  MUST(op2_par_loop(m.copy, m.set, op2_arg_direct(to, OP2_WRITE), op2_arg_direct(from, OP2_READ)))
#define TOTAL(dat)                                                                                 \
  MUST(op2_par_loop(m.total, m.set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(m.g, OP2_INC)))
#define TAKE(dat)                                                                                  \
  MUST(op2_par_loop(m.take, m.set, op2_arg_direct(dat, OP2_WRITE), op2_arg_gbl(m.g, OP2_READ)))
#define QUEUED(n) EXPECT(op2_queued(test_ctx) == (n))

static void read_dat(op2_dat dat) {
  double values[8];
  MUST(op2_dat_get(dat, values));
}

/* ---- forcing -------------------------------------------------------------------------------- */

/* Reading a dat runs the last writer and what it depends on, and nothing else. */
static void reading(void) {
  struct mesh m = make_mesh();
  INC(m.a);
  COPY(m.b, m.a);
  INC(m.c);
  COPY(m.d, m.b);
  QUEUED(4);
  read_dat(m.b);
  QUEUED(2);
  read_dat(m.b);
  read_dat(m.a);
  QUEUED(2);
  read_dat(m.d);
  QUEUED(1);
  read_dat(m.c);
  QUEUED(0);
}

/* Loops that only read a dat are not needed for reading it. */
static void readers_wait(void) {
  struct mesh m = make_mesh();
  INC(m.a);
  COPY(m.b, m.a);
  COPY(m.c, m.a);
  read_dat(m.a);
  QUEUED(2);
  read_dat(m.c);
  QUEUED(1);
}

/* A writer waits for the loops that read what it overwrites, so they run, too. */
static void anti_dependence(void) {
  struct mesh m = make_mesh();
  COPY(m.b, m.a);
  PUT(m.a);
  INC(m.d);
  read_dat(m.a);
  QUEUED(1);
  EXPECT_VALUES(double, m.b, 8, i, 0);
  QUEUED(1);
}

/* All readers run, however many there are. */
static void many_readers(void) {
  struct mesh m = make_mesh();
  for (int most = 2; most <= 200; most += most == 2 ? 1 : 197) {
    COPY(m.d, m.a);
    for (int i = 1; i < most; i++) TOTAL(m.a);
    QUEUED(most);
    MUST(op2_dat_set(m.a, (double[8]){0}));
    QUEUED(0);
    for (int i = 0; i < most; i++) COPY(i == 0 ? m.d : i % 2 ? m.b : m.c, m.a);
    PUT(m.a);
    read_dat(m.a);
    QUEUED(0);
  }
}

/* Loops after the last writer that do not write the dat stay queued, even if they share other
 * data. */
static void diamond(void) {
  struct mesh m = make_mesh();
  PUT(m.a);
  COPY(m.b, m.a);
  COPY(m.c, m.a);
  MUST(op2_par_loop(m.sum, m.set, op2_arg_direct(m.d, OP2_WRITE), op2_arg_direct(m.b, OP2_READ),
                    op2_arg_direct(m.c, OP2_READ)));
  TOTAL(m.d);
  read_dat(m.c);
  QUEUED(3);
  read_dat(m.d);
  QUEUED(1);
  EXPECT_GBL(double, m.g, 80);
  QUEUED(0);
}

/* Overwriting a dat from outside runs all loops that use it. */
static void writing(void) {
  struct mesh m = make_mesh();
  const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  void *view = NULL;
  INC(m.a);
  COPY(m.b, m.a);
  INC(m.c);
  MUST(op2_dat_set(m.a, ones));
  QUEUED(1);
  EXPECT_VALUES(double, m.b, 8, i, 1);
  COPY(m.b, m.a);
  COPY(m.d, m.a);
  MUST(op2_dat_write_begin(m.a, &view));
  QUEUED(1);
  MUST(op2_dat_write_end(m.a, &view));
  COPY(m.b, m.a);
  MUST(op2_dat_set_halo(m.a, ones));
  QUEUED(1);
}

static void globals(void) {
  struct mesh m = make_mesh();
  PUT(m.a);
  TOTAL(m.a);
  INC(m.b);
  TAKE(m.c);
  QUEUED(4); /* queueing a reduction runs nothing */
  EXPECT_GBL(double, m.g, 40);
  QUEUED(2);
  MUST(op2_gbl_set(m.g, (double[]){1}));
  QUEUED(2);
  TOTAL(m.a);
  EXPECT_GBL(double, m.g, 41);
  QUEUED(2);
  EXPECT_VALUES(double, m.c, 8, i, 40);
  QUEUED(1);
}

/* None of these calls runs any loop. */
static void quiet_calls(void) {
  struct mesh m = make_mesh();
  op2_loop loop = NULL;
  const char *text = NULL;
  op2_const cst = new_const(1, OP2_F64, (double[]){1}, "cst");
  FILE *sink = fopen("/dev/null", "w");
  INC(m.a);
  TOTAL(m.a);
  MUST(op2_gbl_set(m.g, (double[]){1}));
  MUST(op2_const_set(cst, (double[]){2}));
  op2_dat other = new_dat(m.set, 1, OP2_F64, (double[8]){3}, "other");
  new_subset(m.set, 1, (int64_t[]){2}, "sub");
  new_map(m.set, m.set, 1, (int32_t[8]){0}, "map");
  new_gbl(1, OP2_F64, NULL, "other sum");
  new_source("unused", "void unused(double *x) { *x = cst; }\n");
  MUST(op2_loop_create(&loop, m.inc, m.set, op2_arg_direct(m.a, OP2_RW)));
  own_loop(loop);
  MUST(op2_loop_generate(loop, "c", &text));
  MUST(op2_graph_write_dot(test_ctx, sink));
  MUST(op2_explain(test_ctx, sink));
  fclose(sink);
  read_dat(other);
  EXPECT(op2_dat_allocated(m.b) == false);
  EXPECT(op2_set_size(m.set) == 8);
  QUEUED(2);
  disown(m.a);
  op2_dat_destroy(&m.a);
  QUEUED(2);
  MUST(op2_flush(test_ctx));
  QUEUED(0);
  MUST(op2_flush(test_ctx));
}

/* The queue is bounded: the loop that finds it full first runs what is queued. */
static void bound(void) {
  op2_options options = config_options(&test_config);
  op2_context mine = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel k = NULL;
  options.queue_max = 4;
  MUST(op2_init(&options, &mine));
  MUST(op2_set_create(mine, 8, "cells", &set));
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  MUST(op2_kernel_create(mine, &inc_kernel, &k));
  for (int i = 0; i < 11; i++) {
    MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
    EXPECT(op2_queued(mine) == i % 4 + 1);
  }
  double got[8];
  MUST(op2_dat_get(x, got));
  EXPECT(got[0] == 11 && got[7] == 11);
  op2_dat_destroy(&x);
  op2_kernel_destroy(&k);
  op2_set_destroy(&set);
  MUST(op2_finalize(&mine));
}

/* If a queue repeats itself, the last, incomplete part stays queued when the bound is met, possibly
 * without edges, as nothing has needed them. */
static void bound_of_repeats(void) {
  enum { STEPS = 500 };
  op2_options options = config_options(&test_config);
  op2_context outer = test_ctx;
  options.queue_max = 200;
  MUST(op2_init(&options, &test_ctx));
  struct mesh m = make_mesh();
  for (int i = 0; i < STEPS; i++) {
    INC(m.a);
    INC(m.a);
    INC(m.b);
    EXPECT(op2_queued(test_ctx) <= 200);
  }
  EXPECT(op2_queued(test_ctx) > 0);
  double a[8], b[8];
  MUST(op2_dat_get(m.b, b));
  EXPECT(op2_queued(test_ctx) > 0);
  MUST(op2_dat_get(m.a, a));
  QUEUED(0);
  EXPECT(a[0] == 2 * STEPS && a[7] == 2 * STEPS && b[0] == STEPS && b[7] == STEPS);
  op2_context inner = test_ctx;
  test_ctx = outer;
  MUST(op2_finalize(&inner));
}

/* op2_explain() reports which call on which object made loops run. */
static void explained(void) {
  struct mesh m = make_mesh();
  char *text = NULL;
  size_t size = 0;
  INC(m.a);
  INC(m.b);
  read_dat(m.a);
  FILE *out = open_memstream(&text, &size);
  MUST(op2_explain(test_ctx, out));
  fclose(out);
  EXPECT(strstr(text, "op2_dat_get") && strstr(text, "adat") && strstr(text, "inc"));
  const char *start = strstr(text, "start: ");
  EXPECT(start && atof(start + 7) > 0 && strstr(start, " ms from op2_init to the first kernel"));
  free(text);
  REFUSED(OP2_ERR_ARG, op2_explain(test_ctx, NULL));
}

/* ---- the drawing ---------------------------------------------------------------------------- */

static char *dot(void) {
  char *text = NULL, *kept;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  MUST(op2_graph_write_dot(test_ctx, out));
  fclose(out);
  kept = scratch(size + 1, 1);
  memcpy(kept, text, size);
  free(text);
  return kept;
}

static int count(const char *text, const char *word) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) n++;
  return n;
}

/* True if the drawing has an edge between loops of these numbers with this label. */
static bool edge(const char *text, int from, int to, const char *label) {
  char arrow[64], *copied = scratch(strlen(text) + 1, 1), *state = NULL;
  snprintf(arrow, sizeof arrow, "loop%d -> loop%d ", from, to);
  strcpy(copied, text);
  for (char *line = strtok_r(copied, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
    if (strstr(line, arrow) && strstr(line, label)) return true;
  diag("no edge %s%s in:\n%s", arrow, label, text);
  return false;
}

/* Six loops, with every edge worked out by hand. */
static void edges(void) {
  struct mesh m = make_mesh();
  PUT(m.a);       /* 1 */
  COPY(m.b, m.a); /* 2: RAW a from 1 */
  PUT(m.a);       /* 3: WAW a from 1, WAR a from 2 */
  INC(m.a);       /* 4: RAW a from 3 */
  TOTAL(m.b);     /* 5: RAW b from 2 */
  TOTAL(m.a);     /* 6: RAW a from 4; RAW of the sum from 5 */
  TAKE(m.c);      /* 7: RAW of the sum from 6 */
  const char *text = dot();
  EXPECT(edge(text, 1, 2, "adat RAW"));
  EXPECT(edge(text, 2, 3, "adat WAR"));
  EXPECT(edge(text, 3, 4, "adat RAW"));
  EXPECT(edge(text, 2, 5, "bdat RAW"));
  EXPECT(edge(text, 4, 6, "adat RAW"));
  EXPECT(edge(text, 5, 6, "gsum RAW"));
  EXPECT(edge(text, 6, 7, "gsum RAW"));
  /* The WAW edge 1 -> 3 follows from the other two, so it may or may not be drawn; no other edge is
   * optional. */
  EXPECT(count(text, " -> ") == 7 + (strstr(text, "WAW") != NULL));
  QUEUED(7);
}

static void waw_edge(void) {
  struct mesh m = make_mesh();
  PUT(m.a);
  PUT(m.a);
  const char *text = dot();
  EXPECT(edge(text, 1, 2, "adat WAW"));
  EXPECT(count(text, " -> ") == 1);
}

/* A partial WRITE depends on the values that it leaves unchanged. */
static void partial_write(void) {
  struct mesh m = make_mesh();
  op2_set some = new_subset(m.set, 1, (int64_t[]){3}, "some");
  op2_map map = new_map(m.set, m.set, 1, (int32_t[8]){0, 1, 2, 3, 4, 5, 6, 7}, "map");
  INC(m.a);
  MUST(op2_par_loop(m.put, some, op2_arg_direct(m.a, OP2_WRITE)));
  MUST(op2_par_loop(m.put, m.set, op2_arg_dat(m.a, 0, map, OP2_WRITE)));
  const char *text = dot();
  EXPECT(edge(text, 1, 2, "adat"));
  EXPECT(edge(text, 2, 3, "adat"));
  EXPECT_VALUES(double, m.a, 8, i, 5);
}

/* The drawing shows number, kernel, set, call site and state of a loop. */
static void nodes(void) {
  struct mesh m = make_mesh();
  char place[64];
  INC(m.a);
  snprintf(place, sizeof place, "t720-graph.c:%d", __LINE__ - 1);
  const char *text = dot();
  EXPECT(strstr(text, "inc") && strstr(text, "cells") && strstr(text, place) &&
         strstr(text, "queued"));
  MUST(op2_flush(test_ctx));
  text = dot();
  EXPECT(!strstr(text, "inc") && strstr(text, "digraph"));
  REFUSED(OP2_ERR_ARG, op2_graph_write_dot(test_ctx, NULL));
}

/* A loop over owned elements and the exec halo is one group of two. */
static void sections(void) {
  op2_set set = new_sections(2, 4, 6, 8, "cells"), one = new_set(1, "one");
  op2_map map = new_map(set, one, 1, (int32_t[8]){0}, "map");
  op2_dat x = new_dat(one, 1, OP2_F64, NULL, "x");
  MUST(op2_par_loop(new_kernel(&inc_kernel), set, op2_arg_dat(x, 0, map, OP2_INC)));
  const char *text = dot();
  EXPECT(strstr(text, "subgraph cluster") && strstr(text, "exec"));
  EXPECT_VALUES(double, x, 1, i, 6);
}

static void same_text(void) {
  char *first = NULL;
  for (int run = 0; run < 3; run++) {
    struct mesh m = make_mesh();
    for (int i = 0; i < 5; i++) {
      INC(m.a);
      COPY(m.b, m.a);
      TOTAL(m.b);
    }
    const char *text = dot();
    /* Numbers continue from run to run in one context; all else is the same. */
    char *masked = scratch(strlen(text) + 1, 1);
    for (size_t i = 0, n = 0; text[i]; i++)
      if (text[i] < '0' || text[i] > '9') masked[n++] = text[i];
    EXPECT(!first || strcmp(first, masked) == 0);
    if (!first) first = masked;
    MUST(op2_flush(test_ctx));
  }
}

/* Names with quotes and backslashes do not break the drawing, and Graphviz accepts it. */
static void renders(void) {
  op2_set set = new_set(3, "cells \"of\" \\ ours");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x\"\\y");
  op2_kernel k = new_kernel(&inc_kernel);
  char path[4200], command[4 * 4200 + 100];
  for (int i = 0; i < 3; i++) MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
  snprintf(path, sizeof path, "%s/graph.dot", test_scratch());
  FILE *out = fopen(path, "w");
  MUST(op2_graph_write_dot(test_ctx, out));
  fclose(out);
  snprintf(command, sizeof command, "dot -Tsvg '%s' >'%s.svg' 2>'%s.err' && test ! -s '%s.err'",
           path, path, path, path);
  EXPECT(system(command) == 0);
}

/* OP2_GRAPH or the option writes a file for each flush. */
static void graph_file(void) {
  op2_options options = config_options(&test_config);
  op2_context mine = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel k = NULL;
  char name[4200], path[2][4300], text[4096];
  snprintf(name, sizeof name, "%s/%s-%%d.dot", test_scratch(), test_config.backend);
  options.graph_file = name;
  MUST(op2_init(&options, &mine));
  MUST(op2_set_create(mine, 8, "cells", &set));
  MUST(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  MUST(op2_kernel_create(mine, &inc_kernel, &k));
  for (int f = 0; f < 2; f++) {
    MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
    MUST(op2_flush(mine));
    snprintf(path[f], sizeof path[f], "%s/%s-%d.dot", test_scratch(), test_config.backend, f);
    FILE *in = fopen(path[f], "r");
    EXPECT(in != NULL);
    if (!in) continue;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    EXPECT(strstr(text, "digraph") && strstr(text, "inc") && strstr(text, "done") &&
           count(text, " -> ") == 0);
  }
  op2_dat_destroy(&x);
  op2_kernel_destroy(&k);
  op2_set_destroy(&set);
  MUST(op2_finalize(&mine));
}

static const struct test_case cases[] = {
    {"reading", reading},
    {"readers wait", readers_wait},
    {"a writer waits for readers", anti_dependence},
    {"a writer waits for many readers", many_readers},
    {"diamond", diamond},
    {"writing", writing},
    {"globals", globals},
    {"calls that run nothing", quiet_calls},
    {"the queue's bound", bound},
    {"the bound of a queue that repeats itself", bound_of_repeats},
    {"op2_explain", explained},
    {"edges", edges},
    {"WAW", waw_edge},
    {"partial WRITE", partial_write},
    {"nodes", nodes},
    {"sections are grouped", sections},
    {"the same text each time", same_text},
    {"renders", renders},
    {"a file for each flush", graph_file},
};

int main(void) {
  int n = (int)(sizeof cases / sizeof cases[0]);
  if (system("command -v dot >/dev/null 2>&1") != 0) {
    skip("rendering: there is no Graphviz here");
    struct test_case without[sizeof cases / sizeof cases[0]];
    int kept = 0;
    for (int i = 0; i < n; i++)
      if (cases[i].body != renders) without[kept++] = cases[i];
    return run_cases(kept, without, RUN_LAZY_ONLY | RUN_ONE_BLOCK);
  }
  return run_cases(n, cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK);
}

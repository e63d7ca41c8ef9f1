/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode of a sample (OP2_CHECK_SAMPLE). Each kind of wrong access of one element in 97 is
 * found among 60,000 by a sample of 1,000, and one of these elements is named. The first and the last
 * element are always judged, the others run once each, and two runs judge the same elements. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { CELLS = 60000, NODES = 60000, SLOTS = 2, PERIOD = 97, WRONG = 13, SAMPLE = 1000 };
enum { MOST_CALLS = 8 }; /* of a kernel for an element that is judged */

#define ONE_IN_97 "if (i % 97 == 13) "

static op2_context ctx;
static op2_set cells, nodes;
static op2_map ends, pairs;
static op2_dat q, x, key;
static op2_gbl sum, low;
static op2_const factor;

/* Elements 2k and 2k + 1 have one target in the map `pairs`. */
static void set_up(int sample) {
  static int32_t to_ends[CELLS][SLOTS], to_pairs[CELLS];
  static const double three = 3;
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .eager = -1};
  char number[32];
  snprintf(number, sizeof number, "%d", sample);
  setenv("OP2_CHECK_SAMPLE", number, 1);
  for (int32_t i = 0; i < CELLS; i++) {
    to_ends[i][0] = i;
    to_ends[i][1] = (i + 1) % NODES;
    to_pairs[i] = i / 2;
  }
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_map_create(cells, nodes, SLOTS, to_ends[0], "ends", &ends));
  CHECK(op2_map_create(cells, nodes, 1, to_pairs, "pairs", &pairs));
  CHECK(op2_dat_create(cells, 2, OP2_F64, NULL, "q", &q));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "x", &x));
  CHECK(op2_dat_create(nodes, 1, OP2_I32, NULL, "key", &key));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "low", &low));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &three, "factor", &factor));
}

static void tear_down(void) {
  op2_map maps[] = {ends, pairs};
  op2_dat dats[] = {q, x, key};
  op2_gbl gbls[] = {sum, low};
  op2_const_destroy(&factor);
  for (int i = 0; i < 3; i++) op2_dat_destroy(&dats[i]);
  for (int i = 0; i < 2; i++) op2_gbl_destroy(&gbls[i]);
  for (int i = 0; i < 2; i++) op2_map_destroy(&maps[i]);
  op2_set_destroy(&cells);
  op2_set_destroy(&nodes);
  CHECK(op2_finalize(&ctx));
}

/* Set all values anew, after which nothing is poisoned. */
static void reset(void) {
  static double values[CELLS * 2];
  static int32_t numbers[NODES];
  const double zero = 0, large = 1e6;
  for (int i = 0; i < CELLS * 2; i++) values[i] = 1 + i % 11;
  bool good = !op2_dat_set(q, values) && !op2_dat_set(x, values) && !op2_dat_set(key, numbers) &&
              !op2_gbl_set(sum, &zero) && !op2_gbl_set(low, &large);
  if (!good) ok(false, "values are set: %s", op2_error_message());
}

static op2_status run(const char *body, int nargs, const op2_arg *args) {
  char source[1024];
  op2_kernel kernel = NULL;
  snprintf(source, sizeof source, "void culprit%s\n", body);
  const op2_kernel_desc desc = {.name = "culprit", .source = source};
  reset();
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status)
    status = op2_par_loop_at((op2_where){"application.c", 1}, kernel, cells, nargs, args);
  op2_kernel_destroy(&kernel);
  return status ? status : op2_flush(ctx);
}

/* The element that a message names, or -1. */
static int64_t named_element(const char *message) {
  const char *at = strstr(message, "element "), *end = strstr(message, " of 'cells'");
  while (at && end) {
    const char *next = strstr(at + 1, "element ");
    if (!next || next > end) break;
    at = next;
  }
  return at && end && isdigit((unsigned char)at[8]) ? strtoll(at + 8, NULL, 10) : -1;
}

static void caught(const char *body, const char *words, int nargs, const op2_arg *args) {
  op2_status status = run(body, nargs, args);
  const char *message = op2_error_message();
  int64_t element = named_element(message);
  bool wrong = element >= 0 && element % PERIOD == WRONG;
  if (!ok(status == OP2_ERR_KERNEL && wrong && strstr(message, words),
          "a wrong element is named: culprit%s", body))
    diag("%s: %s", op2_status_name(status), status ? message : "nothing was found");
}

#define ARGS(...)                                                                                  \
  (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]) { __VA_ARGS__ }
#define IDX op2_arg_idx()

/* ---- wrong accesses of one element in 97 ----------------------------------------------------- */

static void direct(void) {
  caught("(double *a, int i) { " ONE_IN_97 "a[1] = 0; }", "wrote component 1",
         ARGS(op2_arg_direct(q, OP2_READ), IDX));
  caught("(double *a, int i) { a[0] = 1; if (i % 97 != 13) a[1] = 2; }",
         "left component 1 unwritten", ARGS(op2_arg_direct(q, OP2_WRITE), IDX));
  caught("(double *a, int i) { a[0] = i % 97 == 13 ? a[1] * 2 : 1; a[1] = 3; }",
         "read component 1 before writing it", ARGS(op2_arg_direct(q, OP2_WRITE), IDX));
  caught("(double *a, int i) { " ONE_IN_97 "a[2] = 1; }", "wrote outside of it",
         ARGS(op2_arg_direct(q, OP2_RW), IDX));
  caught("(const double *a, double *b, int i) { *b += i % 97 == 13 ? a[-1] : a[0]; }",
         "read outside of it",
         ARGS(op2_arg_direct(q, OP2_READ), op2_arg_dat(x, 0, ends, OP2_INC), IDX));
  caught("(double *a, int i) { " ONE_IN_97 "a[0] += 1000000 * a[100000]; }", "read outside of it",
         ARGS(op2_arg_direct(q, OP2_RW), IDX));
}

static void indirect(void) {
  caught("(double *a, double *b, int i) { *a += 1; " ONE_IN_97 "*b += *a; }",
         "may add to an OP2_INC argument and not read it",
         ARGS(op2_arg_dat(x, 0, ends, OP2_INC), op2_arg_direct(q, OP2_RW), IDX));
  caught("(double *a, int i) { *a += 1; " ONE_IN_97 "*a *= 2; }", "argument 0 (dat 'x', OP2_INC",
         ARGS(op2_arg_dat(x, 1, ends, OP2_INC), IDX));
  caught("(double **a, int i) { a[0][0] += 1; " ONE_IN_97 "a[2][0] += 1; }", "past the last",
         ARGS(op2_arg_dat(x, OP2_ALL, ends, OP2_INC), IDX));
  caught("(const double *a, int i) { " ONE_IN_97 "*(double *)a = 4; }", "wrote component 0",
         ARGS(op2_arg_dat(x, 0, ends, OP2_READ), IDX));
}

static void others(void) {
  caught("(double *s, double *a, int i) { *s += 1; " ONE_IN_97 "a[0] = *s; }",
         "argument 0 (global 'sum', OP2_INC)",
         ARGS(op2_arg_gbl(sum, OP2_INC), op2_arg_direct(q, OP2_RW), IDX));
  caught("(double *l, int i) { " ONE_IN_97 "*l += 5; }", "raised component 0",
         ARGS(op2_arg_gbl(low, OP2_MIN), IDX));
  caught("(const double *s, int i) { " ONE_IN_97 "*(double *)s = 4; }", "wrote component 0",
         ARGS(op2_arg_gbl(sum, OP2_READ), IDX));
  caught("(double *a, int i) { const double *f = &factor; a[0] *= *f; " ONE_IN_97
         "*(double *)f = 4; }",
         "constant 'factor'", ARGS(op2_arg_direct(q, OP2_RW), IDX));
  caught("(double *a, int i) { static double n; n += 1; " ONE_IN_97 "a[0] = n; }", "it keeps state",
         ARGS(op2_arg_direct(q, OP2_RW), IDX));
  caught("(double *a, int i) { int *none = 0; if (i % 97 == 13) a[0] = *(volatile int *)none; }",
         "element", ARGS(op2_arg_direct(q, OP2_RW), IDX));
}

/* Two elements write different values to one target: an element of the pair is wrong if the pair's
 * number is. */
static void races(void) {
  static const char body[] = "(int *k, int i) { *k = i / 2 % 97 == 13 ? i : 4; }";
  op2_status status = run(body, ARGS(op2_arg_dat(key, 0, pairs, OP2_WRITE), IDX));
  const char *message = op2_error_message();
  int64_t element = named_element(message);
  ok(status == OP2_ERR_KERNEL && strstr(message, "collides with element") && element >= 0 &&
         element / 2 % PERIOD == WRONG,
     "two elements that write different values to one target are found: %s", message);
  CHECK(run("(int *k, int i) { *k = i / 2; }", ARGS(op2_arg_dat(key, 0, pairs, OP2_WRITE), IDX)));
}

/* Whatever the sample is, a race of the last element with its neighbour is found from either end. */
static void neighbours(void) {
  op2_status status = run("(int *k, int i) { *k = i == 59998 ? 5 : 4; }",
                          ARGS(op2_arg_dat(key, 0, pairs, OP2_WRITE), IDX));
  ok(status == OP2_ERR_KERNEL && named_element(op2_error_message()) == CELLS - 2,
     "an element that writes before one of the sample is compared with it");
  status = run("(int *k, int i) { *k = i == 1 ? 5 : 4; }",
               ARGS(op2_arg_dat(key, 0, pairs, OP2_WRITE), IDX));
  ok(status == OP2_ERR_KERNEL && named_element(op2_error_message()) == 1,
     "and so is one that writes after it");
}

/* ---- which elements are judged --------------------------------------------------------------- */

static int calls[CELLS];

static void count_call(double *a, int64_t element) {
  calls[element]++;
  a[0] = (double)element;
}

/* Run a loop whose kernel counts its calls; returns the number of elements that were judged. */
static int64_t count_judged(unsigned char *judged) {
  const op2_kernel_desc desc = {.name = "count_call",
                                .source = "void count_call(double *a, int64_t element);",
                                .function = (void (*)(void))count_call,
                                .threads = OP2_ONE_THREAD};
  op2_kernel kernel = NULL;
  int64_t n = 0;
  memset(calls, 0, sizeof calls);
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_par_loop_at((op2_where){"count.c", 1}, kernel, cells,
                        ARGS(op2_arg_dat(x, 0, ends, OP2_WRITE), IDX)));
  CHECK(op2_flush(ctx));
  op2_kernel_destroy(&kernel);
  for (int i = 0; i < CELLS; i++) n += judged[i] = calls[i] > 1;
  return n;
}

/* A loop whose targets nobody else writes: only elements of the sample are called several times. */
static void judged_elements(void) {
  static unsigned char first[CELLS], again[CELLS], other[CELLS];
  int64_t total = 0, least = INT64_MAX, most = 0, gap = 0;
  set_up(SAMPLE);
  int64_t n = count_judged(first);
  for (int i = 0, last = 0; i < CELLS; i++) {
    total += calls[i];
    least = calls[i] < least ? calls[i] : least;
    most = calls[i] > most ? calls[i] : most;
    if (first[i] && i - last > gap) gap = i - last;
    if (first[i]) last = i;
  }
  ok(n >= SAMPLE && n <= SAMPLE + 2, "the sample has %" PRId64 " elements", n);
  ok(first[0] && first[CELLS - 1], "the first and the last element are among them");
  ok(gap < 2 * CELLS / SAMPLE, "they are at most %" PRId64 " elements apart", gap);
  ok(least == 1 && most <= MOST_CALLS + 1 && total <= CELLS + n * MOST_CALLS,
     "all other elements are called once: %" PRId64 " calls", total);
  count_judged(other);
  ok(memcmp(first, other, sizeof first) != 0, "the next run of the loop judges other elements");
  tear_down();
  set_up(SAMPLE);
  count_judged(again);
  tear_down();
  ok(!memcmp(first, again, sizeof first), "the same program judges the same elements again");
}

/* ---- what a small sample leaves out ---------------------------------------------------------- */

static void left_out(void) {
  set_up(2);
  CHECK(run("(double *a, int i) { if (i == 30001) a[1] += 1; }",
            ARGS(op2_arg_direct(q, OP2_READ), IDX)));
  for (int last = 0; last < 2; last++) {
    const char *body = last ? "(double *a, int i) { if (i == 59999) a[1] += 1; }"
                            : "(double *a, int i) { if (i == 0) a[1] += 1; }";
    op2_status status = run(body, ARGS(op2_arg_direct(q, OP2_READ), IDX));
    ok(status == OP2_ERR_KERNEL && named_element(op2_error_message()) == (last ? CELLS - 1 : 0),
       "a sample of two has the %s element", last ? "last" : "first");
  }
  op2_status status =
      run("(double *a, int i) { int *none = 0; if (i == 30001) a[0] = *(volatile int *)none; }",
          ARGS(op2_arg_direct(q, OP2_RW), IDX));
  ok(status == OP2_ERR_KERNEL && strstr(op2_error_message(), "OP2_CHECK_SAMPLE=2"),
     "a kernel that faults elsewhere fails its loop and not the process: %s", op2_error_message());
  tear_down();
}

/* A loop with no more elements than the sample is judged whole. */
static void whole(void) {
  set_up(CELLS);
  op2_status status = run("(double *a, int i) { if (i == 30001) a[1] = a[1] + 1; }",
                          ARGS(op2_arg_direct(q, OP2_READ), IDX));
  ok(status == OP2_ERR_KERNEL && named_element(op2_error_message()) == 30001,
     "all elements are judged if there are no more than the sample has");
  tear_down();
}

int main(void) {
  test_environment();
  set_up(SAMPLE);
  direct();
  indirect();
  others();
  races();
  neighbours();
  tear_down();
  judged_elements();
  left_out();
  whole();
  return done();
}

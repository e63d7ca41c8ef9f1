/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode on a renumbered mesh: its messages use the user's element numbers. */
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { CELLS = 40, EDGES = 39 };

static op2_context ctx;
static op2_set cells, edges;
static op2_map e2c;
static op2_dat q, w, bad;
static int32_t cell[CELLS]; /* along a chain */

/* Fails on the one edge whose dat `bad` is not 0. */
static const op2_kernel_desc overstep_kernel = {
    .name = "overstep",
    .source = "void overstep(const double *a, double *b, const int *bad) {\n"
              "  b[*bad] = a[0] + 1;\n"
              "}\n"};
static const op2_kernel_desc number_kernel = {
    .name = "number", .source = "void number(double *w, int i) { *w = i; }\n"};
static const op2_kernel_desc collide_kernel = {
    .name = "collide",
    .source = "void collide(double *a, double *b, const int *bad, int i) {\n"
              "  *a = 1;\n  *b = *bad ? i : 1;\n"
              "}\n"};

static void shuffle(uint64_t seed) {
  for (int i = 0; i < CELLS; i++) {
    int k = draw_below(&seed, i + 1);
    cell[i] = cell[k];
    cell[k] = i;
  }
}

static void set_up(void) {
  int32_t idx[EDGES][2];
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .eager = -1};
  shuffle(5);
  for (int e = 0; e < EDGES; e++) { /* edge e is the (e * 7 mod 39)-th of the chain */
    idx[e][0] = cell[e * 7 % EDGES];
    idx[e][1] = cell[e * 7 % EDGES + 1];
  }
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_set_create(ctx, EDGES, "edges", &edges));
  CHECK(op2_map_create(edges, cells, 2, idx[0], "e2c", &e2c));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "q", &q));
  CHECK(op2_dat_create(edges, 1, OP2_F64, NULL, "w", &w));
  CHECK(op2_dat_create(edges, 1, OP2_I32, NULL, "bad", &bad));
}

static void tear_down(void) {
  op2_dat_destroy(&q);
  op2_dat_destroy(&w);
  op2_dat_destroy(&bad);
  op2_map_destroy(&e2c);
  op2_set_destroy(&cells);
  op2_set_destroy(&edges);
  CHECK(op2_finalize(&ctx));
}

static void says(op2_status status, const char *first, const char *second, const char *what) {
  if (!ok(status == OP2_ERR_KERNEL && strstr(op2_error_message(), first) &&
              strstr(op2_error_message(), second),
          "%s: %s, %s", what, first, second))
    diag("%s: %s", op2_status_name(status), op2_error_message());
}

static void element(op2_kernel overstep, int culprit) {
  int32_t marks[EDGES] = {0};
  double values[CELLS] = {0};
  char edge[64], target[64];
  marks[culprit] = 1;
  CHECK(op2_dat_set(bad, marks));
  CHECK(op2_dat_set(q, values));
  CHECK(op2_dat_set(w, values));
  CHECK(op2_par_loop(overstep, edges, op2_arg_dat(q, 0, e2c, OP2_READ),
                     op2_arg_direct(w, OP2_WRITE), op2_arg_direct(bad, OP2_READ)));
  snprintf(edge, sizeof edge, "element %d of 'edges'", culprit);
  says(op2_flush(ctx), edge, "dat 'w'", "the element of the loop");
  CHECK(op2_dat_set(w, values));
  CHECK(op2_par_loop(overstep, edges, op2_arg_direct(w, OP2_READ), op2_arg_dat(q, 1, e2c, OP2_RW),
                     op2_arg_direct(bad, OP2_READ)));
  snprintf(target, sizeof target, "element %d of 'cells'", cell[culprit * 7 % EDGES + 1]);
  says(op2_flush(ctx), edge, target, "the element behind a map");
}

/* The two edges at a cell write different values there. */
static void collision(op2_kernel collide, int culprit) {
  int32_t marks[EDGES] = {0};
  double values[CELLS] = {0};
  char target[64], other[64];
  int at = culprit * 7 % EDGES, next = -1;
  for (int e = 0; e < EDGES; e++)
    if (e * 7 % EDGES == at + 1) next = e;
  marks[culprit] = 1;
  CHECK(op2_dat_set(bad, marks));
  CHECK(op2_dat_set(q, values));
  CHECK(op2_par_loop(collide, edges, op2_arg_dat(q, 0, e2c, OP2_WRITE),
                     op2_arg_dat(q, 1, e2c, OP2_WRITE), op2_arg_direct(bad, OP2_READ),
                     op2_arg_idx()));
  op2_status status = op2_flush(ctx);
  snprintf(target, sizeof target, "of element %d of 'cells'", cell[at + 1]);
  /* The library decides which of the two is the second. */
  snprintf(other, sizeof other, "collides with element %d,", next);
  if (!strstr(op2_error_message(), other))
    snprintf(other, sizeof other, "collides with element %d,", culprit);
  says(status, target, other, "a collision");
}

int main(void) {
  op2_kernel overstep = NULL, number = NULL, collide = NULL;
  double got[EDGES];
  test_environment();
  set_up();
  CHECK(op2_kernel_create(ctx, &overstep_kernel, &overstep));
  CHECK(op2_kernel_create(ctx, &number_kernel, &number));
  CHECK(op2_kernel_create(ctx, &collide_kernel, &collide));
  const op2_status status = op2_renumber(e2c);
  if (status == OP2_ERR_UNAVAILABLE) {
    skip("%s", op2_error_message());
  } else {
    int64_t order[CELLS], moved = 0;
    CHECK(status);
    CHECK(op2_set_numbering(cells, order));
    for (int i = 0; i < CELLS; i++) moved += order[i] != i;
    ok(moved > CELLS / 2, "%d cells, %lld of them moved", CELLS, (long long)moved);
    for (int culprit = 0; culprit < EDGES; culprit += 9) {
      element(overstep, culprit);
      collision(collide, culprit);
    }
    CHECK(op2_par_loop(number, edges, op2_arg_direct(w, OP2_WRITE), op2_arg_idx()));
    CHECK(op2_dat_get(w, got));
    int wrong = 0;
    for (int e = 0; e < EDGES; e++) wrong += got[e] != e;
    is_int(wrong, 0, "kernels get the user's numbers");
  }
  op2_kernel_destroy(&overstep);
  op2_kernel_destroy(&number);
  op2_kernel_destroy(&collide);
  tear_down();
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-th allocation fails in making, assembling, multiplying, renumbering or reading a matrix:
 * the call returns OP2_ERR_NOMEM, nothing has changed, and the same call then succeeds. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "support.h"

enum { CELLS = 40, NODES = 30, SLOTS = 3, PLACES = NODES * NODES };

struct objects {
  op2_context ctx;
  op2_set cells, nodes, some, single;
  op2_map whole, partial, there; /* there: to the single element */
  op2_sparsity sparsity, of_row, of_corner;
  op2_mat mat, row, corner;
  op2_dat x, y, diagonal, p;
  op2_gbl norm;
  op2_kernel add, add_row, add_corner;
  int32_t idx[SLOTS * CELLS];
};

struct seen {
  int64_t starts[NODES + 1], columns[PLACES];
  double values[PLACES], y[NODES], diagonal[NODES], norm, row[NODES], corner, p;
};

struct outcome {
  int denied;
  bool lost; /* a loop has failed, and its results are missing */
  const char *problem;
};

/* One call that may fail for lack of memory once and then must succeed. */
static bool tried(struct outcome *out, op2_status status) {
  if (status == OP2_ERR_NOMEM)
    out->denied++;
  else if (status)
    out->problem = op2_error_message();
  return status == OP2_ERR_NOMEM;
}
#define CALL(call)                                                                                 \
  do {                                                                                             \
    if (!out->problem && tried(out, (call)) && tried(out, (call))) out->problem = #call;           \
  } while (0)

static void declare(struct outcome *out, struct objects *o) {
  static const op2_kernel_desc add = {
      .name = "add",
      .source =
          "void add(double a[3][3]) { for (int i = 0; i < 9; i++) a[i / 3][i % 3] += 1 + i; }"};
  static const op2_kernel_desc
      add_row = {.name = "add_row",
                 .source = "void add_row(double a[1][3]) { for (int i = 0; i < 3; i++) a[0][i] += "
                           "1 + i; }"},
      add_corner = {.name = "add_corner",
                    .source = "void add_corner(double a[1][1]) { a[0][0] += 2; }"};
  uint64_t seed = 4;
  double x[NODES];
  int64_t list[] = {1, 2, 7, 20};
  for (int i = 0; i < CELLS; i++) /* every node is reached, so that each row has a diagonal */
    for (int k = 0; k < SLOTS; k++)
      o->idx[SLOTS * i + k] = k ? draw_below(&seed, NODES) : i % NODES;
  for (int i = 0; i < NODES; i++) x[i] = i % 5;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CALL(op2_init(&options, &o->ctx));
  CALL(op2_set_create(o->ctx, CELLS, "cells", &o->cells));
  CALL(op2_set_create(o->ctx, NODES, "nodes", &o->nodes));
  CALL(op2_subset_create(o->nodes, 4, list, "some", &o->some));
  CALL(op2_map_create(o->cells, o->nodes, SLOTS, o->idx, "whole", &o->whole));
  CALL(op2_dat_create(o->nodes, 1, OP2_F64, x, "x", &o->x));
  CALL(op2_dat_create(o->nodes, 1, OP2_F64, NULL, "y", &o->y));
  CALL(op2_dat_create(o->nodes, 1, OP2_F64, NULL, "diagonal", &o->diagonal));
  CALL(op2_gbl_create(o->ctx, 1, OP2_F64, NULL, "norm", &o->norm));
  CALL(op2_kernel_create(o->ctx, &add, &o->add));
  CALL(op2_kernel_create(o->ctx, &add_row, &o->add_row));
  CALL(op2_kernel_create(o->ctx, &add_corner, &o->add_corner));
  for (int i = 0; i < SLOTS * CELLS; i++)
    if (i % 11 == 10) o->idx[i] = -1;
}

/* A loop that failed for lack of memory has failed for good, and every read reports it. */
#define READ(call)                                                                                 \
  do {                                                                                             \
    if (!out->problem && !out->lost && tried(out, (call)) && tried(out, (call))) out->lost = true; \
  } while (0)

static void look(struct outcome *out, struct objects *o, struct seen *seen) {
  CALL(op2_sparsity_get(o->sparsity, seen->starts, seen->columns));
  READ(op2_mat_get(o->row, seen->row));
  READ(op2_mat_get(o->corner, &seen->corner));
  READ(op2_dat_get(o->p, &seen->p));
  READ(op2_mat_get(o->mat, seen->values));
  READ(op2_dat_get(o->y, seen->y));
  READ(op2_dat_get(o->diagonal, seen->diagonal));
  READ(op2_gbl_get(o->norm, &seen->norm));
}

/* A dense row, and the corner that it has with a dense column. */
static void use_single(struct outcome *out, struct objects *o) {
  CALL(op2_set_create_single(o->ctx, "single", &o->single));
  CALL(op2_map_create(o->cells, o->single, 1, NULL, "there", &o->there));
  CALL(op2_dat_create(o->single, 1, OP2_F64, NULL, "p", &o->p));
  const op2_map_pair row = {o->there, o->whole}, corner = {o->there, o->there};
  CALL(op2_sparsity_create(1, &row, "of row", &o->of_row));
  CALL(op2_mat_create(o->of_row, 1, 1, OP2_F64, "row", &o->row));
  CALL(op2_sparsity_create(1, &corner, "of corner", &o->of_corner));
  CALL(op2_mat_create(o->of_corner, 1, 1, OP2_F64, "corner", &o->corner));
  CALL(op2_par_loop(o->add_row, o->cells, op2_arg_mat(o->row, o->there, o->whole, OP2_INC)));
  CALL(op2_par_loop(o->add_corner, o->cells, op2_arg_mat(o->corner, o->there, o->there, OP2_INC)));
  CALL(op2_mat_mult(o->row, o->x, o->p));
}

static void use(struct outcome *out, struct objects *o, struct seen seen[2]) {
  use_single(out, o);
  CALL(op2_map_create_partial(o->cells, o->nodes, SLOTS, o->idx, "partial", &o->partial));
  const op2_map_pair pairs[] = {{o->whole, o->whole}, {o->partial, o->whole}};
  CALL(op2_sparsity_create(2, pairs, "sparsity", &o->sparsity));
  CALL(op2_mat_create(o->sparsity, 1, 1, OP2_F64, "K", &o->mat));
  CALL(op2_par_loop(o->add, o->cells, op2_arg_mat(o->mat, o->whole, o->whole, OP2_INC)));
  CALL(op2_par_loop(o->add, o->cells, op2_arg_mat(o->mat, o->partial, o->whole, OP2_INC)));
  CALL(op2_mat_zero_rows(o->mat, o->some, 3));
  CALL(op2_mat_scale(o->mat, op2_scalar_value(2)));
  CALL(op2_mat_norm(o->mat, OP2_NORM_INF, o->norm));
  CALL(op2_mat_mult(o->mat, o->x, o->y));
  CALL(op2_mat_diagonal(o->mat, o->diagonal));
  look(out, o, &seen[0]);
  if (out->lost) return;
  op2_status status = out->problem ? OP2_SUCCESS : op2_renumber(o->whole);
  if (status == OP2_ERR_NOMEM) {
    out->denied++;
    look(out, o, &seen[1]);
    if (!out->problem && memcmp(&seen[0], &seen[1], sizeof *seen))
      out->problem = "what a failure left";
    status = op2_renumber(o->whole);
  }
  if (status && status != OP2_ERR_UNAVAILABLE) out->problem = op2_error_message();
  CALL(op2_mat_mult(o->mat, o->x, o->y));
  CALL(op2_mat_diagonal(o->mat, o->diagonal));
  look(out, o, &seen[1]);
}

static void destroy(struct objects *o) {
  op2_mat_destroy(&o->mat);
  op2_sparsity_destroy(&o->sparsity);
  op2_mat_destroy(&o->row);
  op2_mat_destroy(&o->corner);
  op2_sparsity_destroy(&o->of_row);
  op2_sparsity_destroy(&o->of_corner);
  op2_kernel_destroy(&o->add);
  op2_kernel_destroy(&o->add_row);
  op2_kernel_destroy(&o->add_corner);
  op2_gbl_destroy(&o->norm);
  op2_dat dats[] = {o->x, o->y, o->diagonal, o->p};
  for (int d = 0; d < 4; d++) op2_dat_destroy(&dats[d]);
  op2_map_destroy(&o->there);
  op2_set_destroy(&o->single);
  op2_map_destroy(&o->whole);
  op2_map_destroy(&o->partial);
  op2_set_destroy(&o->some);
  op2_set_destroy(&o->cells);
  op2_set_destroy(&o->nodes);
}

/* Returns the number of allocations from the partial map on. */
static int64_t attempt(int64_t n, struct outcome *out, struct seen seen[2]) {
  struct objects objects = {0}, *o = &objects;
  *out = (struct outcome){0};
  memset(seen, 0, 2 * sizeof *seen);
  declare(out, o);
  op2i_mem_fail_at(n);
  use(out, o, seen);
  const int64_t made = op2i_mem_fail_at(0);
  if (op2_finalize(&o->ctx) && !out->lost) out->problem = op2_error_message();
  destroy(o);
  return made;
}

int main(void) {
  static struct seen whole[2], seen[2];
  struct outcome out;
  test_environment();
  (void)attempt(0, &out, whole); /* objects that the process keeps from then on are not allocated
                                  * again */
  const int64_t count = out.problem ? 0 : attempt(0, &out, whole);
  if (!ok(!out.problem && !out.denied, "with memory (%lld allocations)", (long long)count))
    diag("%s", out.problem ? out.problem : "");
  ok(!memcmp(&whole[0], &whole[1], sizeof *whole) && whole[0].starts[NODES] > NODES,
     "renumbering shows nowhere");
  int failed = 0, denied = 0, lost = 0, step = quick() ? 7 : 1;
  for (int64_t n = 1; n <= count; n += step) {
    (void)attempt(n, &out, seen);
    denied += out.denied;
    lost += out.lost;
    if (!out.problem && !out.lost && memcmp(seen, whole, sizeof seen))
      out.problem = "values are others";
    if (!out.problem) continue;
    if (failed++ < 5) diag("allocation %lld: %s", (long long)n, out.problem);
  }
  is_int(failed, 0, "each of %lld allocations fails", (long long)(count / step));
  ok(lost < 10, "few of them lose a loop (%d)", lost);
  ok(denied > count / step / 2, "and mostly a call says so (%d)", denied);
  return done();
}

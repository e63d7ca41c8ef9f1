/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-th allocation fails in a renumbering or in a use of its result: the call returns
 * OP2_ERR_NOMEM, nothing has changed, and the same call then succeeds. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "support.h"

enum { CELLS = 30, EDGES = 50, SOME = 9 };

struct objects {
  op2_context ctx;
  op2_set cells, edges, some, late;
  op2_map e2c, late_map;
  op2_dat x, y, z, late_dat, late_wrap;
  int32_t idx[2 * EDGES];
  int32_t memory[CELLS], late_memory[CELLS];
};

struct outcome {
  int denied;
  const char *problem;
};

/* One call that may fail for lack of memory once and then must succeed. True if it failed. */
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
  uint64_t seed = 3;
  for (int i = 0; i < 2 * EDGES; i++) o->idx[i] = draw_below(&seed, CELLS);
  for (int i = 0; i < CELLS; i++) o->memory[i] = o->late_memory[i] = i;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CALL(op2_init(&options, &o->ctx));
  CALL(op2_set_create(o->ctx, CELLS, "cells", &o->cells));
  CALL(op2_set_create(o->ctx, EDGES, "edges", &o->edges));
  CALL(op2_subset_create(o->cells, SOME, (int64_t[]){1, 4, 5, 9, 12, 13, 20, 28, 29}, "some",
                         &o->some));
  CALL(op2_map_create(o->edges, o->cells, 2, o->idx, "e2c", &o->e2c));
  CALL(op2_dat_create(o->cells, 1, OP2_I32, o->memory, "x", &o->x));
  CALL(op2_dat_wrap(o->cells, 1, OP2_I32, o->memory, "y", &o->y));
  CALL(op2_dat_create(o->edges, 2, OP2_I32, o->idx, "z", &o->z));
}

static void check_numbering(struct outcome *out, struct objects *o, bool natural) {
  int64_t number[CELLS], moved = 0;
  CALL(op2_set_numbering(o->cells, number));
  for (int i = 0; i < CELLS && !out->problem; i++) moved += number[i] != i;
  if (!out->problem && natural != (moved == 0)) out->problem = "the numbering is wrong";
}

static void check_values(struct outcome *out, struct objects *o) {
  int32_t x[CELLS] = {0}, z[2 * EDGES] = {0};
  const int32_t want[CELLS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                               15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
  const void *view = NULL;
  CALL(op2_dat_get(o->x, x));
  CALL(op2_dat_get(o->z, z));
  if (!out->problem && (memcmp(x, want, sizeof x) || memcmp(z, o->idx, sizeof z)))
    out->problem = "values are wrong";
  const op2_dat views[] = {o->x, o->y, o->late_dat, o->late_wrap};
  for (int v = 0; v < 4; v++) {
    if (!views[v] || out->problem) continue;
    CALL(op2_dat_read_begin(views[v], &view));
    if (view && memcmp(view, want, sizeof want)) out->problem = "a view is wrong";
    if (view) CALL(op2_dat_read_end(views[v], &view));
  }
}

static void use(struct outcome *out, struct objects *o) {
  int64_t n = 0;
  const int64_t *idx = NULL;
  void *view = NULL;
  CALL(op2_subset_create(o->some, 3, (int64_t[]){0, 7, 8}, "late", &o->late));
  CALL(op2_subset_indices(o->late, &n, &idx));
  if (!out->problem && (n != 3 || idx[0] != 1 || idx[1] != 28 || idx[2] != 29))
    out->problem = "the late subset is wrong";
  CALL(op2_map_create(o->edges, o->cells, 2, o->idx, "late map", &o->late_map));
  CALL(op2_dat_create(o->cells, 1, OP2_I32, o->late_memory, "late dat", &o->late_dat));
  CALL(op2_dat_wrap(o->cells, 1, OP2_I32, o->late_memory, "late wrap", &o->late_wrap));
  CALL(op2_dat_write_begin(o->x, &view));
  if (view) CALL(op2_dat_write_end(o->x, &view));
}

static void destroy(struct objects *o) {
  op2_dat dats[] = {o->x, o->y, o->z, o->late_dat, o->late_wrap};
  for (int d = 0; d < 5; d++) op2_dat_destroy(&dats[d]);
  op2_map_destroy(&o->e2c);
  op2_map_destroy(&o->late_map);
  op2_set_destroy(&o->late);
  op2_set_destroy(&o->some);
  op2_set_destroy(&o->cells);
  op2_set_destroy(&o->edges);
}

/* Returns the number of allocations from op2_renumber() on. */
static int64_t attempt(int64_t n, struct outcome *out) {
  struct objects objects = {0}, *o = &objects;
  *out = (struct outcome){0};
  declare(out, o);
  op2i_mem_fail_at(n);
  if (!out->problem && tried(out, op2_renumber(o->e2c))) {
    check_numbering(out, o, true);
    check_values(out, o);
    CALL(op2_renumber(o->e2c));
  }
  check_numbering(out, o, false);
  check_values(out, o);
  use(out, o);
  CALL(op2_renumber(o->late_map));
  check_values(out, o);
  const int64_t made = op2i_mem_fail_at(0);
  CALL(op2_finalize(&o->ctx));
  for (int i = 0; i < CELLS && !out->problem; i++)
    if (o->memory[i] != i || o->late_memory[i] != i) out->problem = "wrapped memory is wrong";
  destroy(o);
  return made;
}

int main(void) {
  struct outcome out;
  test_environment();
  const int64_t count = attempt(0, &out);
  if (out.problem && strstr(out.problem, "Scotch")) {
    skip("%s", out.problem);
    return done();
  }
  if (!ok(!out.problem && !out.denied, "with memory (%lld allocations)", (long long)count))
    diag("%s", out.problem ? out.problem : "");
  int failed = 0, denied = 0;
  for (int64_t n = 1; n <= count; n++) {
    attempt(n, &out);
    denied += out.denied;
    if (out.problem && failed++ < 5) diag("allocation %lld: %s", (long long)n, out.problem);
  }
  ok(failed == 0, "every one of %lld allocations failing", (long long)count);
  ok(denied > 0 && denied >= count - 3, "%d of them were reported", denied);
  return done();
}

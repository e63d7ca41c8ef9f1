/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrapped dats on a renumbered mesh: the caller's memory shows the values, in the caller's order,
 * where op2_dat_wrap() promises it. */
#include <string.h>

#include "support.h"

enum { CELLS = 50, EDGES = 80 };

OP2_KERNEL(add_index, (int64_t *x, int i), { *x += i; });

struct mesh {
  op2_set cells, edges;
  op2_map e2c;
  op2_kernel add;
};

static struct mesh make_mesh(uint64_t seed) {
  struct mesh m;
  int32_t idx[2 * EDGES];
  for (int i = 0; i < 2 * EDGES; i++) idx[i] = draw_below(&seed, CELLS);
  m.cells = new_sections(20, 40, 45, CELLS, "cells");
  m.edges = new_set(EDGES, "edges");
  m.e2c = new_map(m.edges, m.cells, 2, idx, "e2c");
  m.add = new_kernel(&add_index_kernel);
  return m;
}

/* The values after the loop has run `times` over the owned cells. */
static bool holds(const int64_t *x, int times) {
  for (int i = 0; i < CELLS; i++)
    if (x[i] != 100 + (i < 40 ? (int64_t)times * i : 0)) return false;
  return true;
}

static void fill(int64_t *x) {
  for (int i = 0; i < CELLS; i++) x[i] = 100;
}

#define ADD(m, dat)                                                                                \
  MUST(op2_par_loop((m).add, (m).cells, op2_arg_direct((dat), OP2_RW), op2_arg_idx()))

static op2_dat wrap(const struct mesh *m, int64_t *memory) {
  op2_dat dat = NULL;
  MUST(op2_dat_wrap(m->cells, 1, OP2_I64, memory, "x", &dat));
  return dat;
}

static void in_scopes(void) {
  for (int late = 0; late < 2; late++) { /* wrapped before, and after */
    struct mesh m = make_mesh(1);
    int64_t *memory = scratch(CELLS, sizeof *memory);
    op2_dat x = NULL;
    const void *r = NULL;
    void *w = NULL;
    fill(memory);
    if (!late) x = wrap(&m, memory);
    if (!late) ADD(m, x);
    MUST(op2_renumber(m.e2c));
    if (late) x = wrap(&m, memory);
    own_dat(x);
    if (late) ADD(m, x);
    ADD(m, x);
    MUST(op2_dat_read_begin(x, &r));
    EXPECT(r == memory && holds(memory, 2));
    MUST(op2_dat_read_end(x, &r));
    ADD(m, x);
    MUST(op2_dat_write_begin(x, &w));
    EXPECT(w == memory && holds(memory, 3));
    for (int i = 0; i < 40; i++) memory[i] += i;
    MUST(op2_dat_write_end(x, &w));
    ADD(m, x);
    int64_t got[CELLS];
    MUST(op2_dat_get_halo(x, got));
    EXPECT(holds(got, 5));
  }
}

static void at_its_end(void) {
  struct mesh m = make_mesh(2);
  int64_t *memory = scratch(CELLS, sizeof *memory);
  fill(memory);
  op2_dat x = wrap(&m, memory);
  MUST(op2_renumber(m.e2c));
  ADD(m, x);
  MUST(op2_renumber(m.e2c)); /* its values are no longer in the memory */
  ADD(m, x);
  op2_dat_destroy(&x);
  MUST(op2_flush(test_ctx));
  EXPECT(holds(memory, 2));
}

static void never_used(void) {
  struct mesh m = make_mesh(3);
  int64_t *memory = scratch(CELLS, sizeof *memory);
  fill(memory);
  op2_dat x = wrap(&m, memory);
  MUST(op2_renumber(m.e2c));
  op2_dat_destroy(&x);
  EXPECT(holds(memory, 0));
}

/* The memory still belongs to the dat. */
static void overlap(void) {
  struct mesh m = make_mesh(4);
  int64_t *memory = scratch(CELLS, sizeof *memory);
  op2_dat x = wrap(&m, memory), y = NULL;
  own_dat(x);
  MUST(op2_renumber(m.e2c));
  REFUSED(OP2_ERR_ARG, op2_dat_wrap(m.cells, 1, OP2_I64, memory, "y", &y), "'y'", "'x'");
}

/* A context of its own ends before the dat does. */
static void at_the_end_of_the_context(void) {
  const op2_options options = config_options(&test_config);
  op2_context ctx = NULL;
  op2_set cells = NULL;
  op2_map ring = NULL;
  op2_dat x = NULL, closed = NULL;
  op2_kernel add = NULL;
  int64_t memory[CELLS], second[CELLS];
  int32_t next[CELLS];
  void *w = NULL;
  for (int i = 0; i < CELLS; i++) next[i] = (i * 7 + 3) % CELLS;
  fill(memory);
  fill(second);
  MUST(op2_init(&options, &ctx));
  MUST(op2_set_create_sections(ctx, (int64_t[]){20, 40, 45, CELLS}, "cells", &cells));
  MUST(op2_map_create(cells, cells, 1, next, "ring", &ring));
  MUST(op2_dat_wrap(cells, 1, OP2_I64, memory, "x", &x));
  MUST(op2_dat_wrap(cells, 1, OP2_I64, second, "open", &closed));
  MUST(op2_kernel_create(ctx, &add_index_kernel, &add));
  MUST(op2_renumber(ring));
  MUST(op2_par_loop(add, cells, op2_arg_direct(x, OP2_RW), op2_arg_idx()));
  MUST(op2_dat_write_begin(closed, &w)); /* left open */
  second[0] = 1;
  MUST(op2_finalize(&ctx));
  EXPECT(holds(memory, 1));
  memory[0] = 2; /* the library no longer uses the memory */
  EXPECT(op2_renumber(ring) == OP2_ERR_STATE);
  EXPECT(op2_set_numbering(cells, memory + 1) == OP2_ERR_STATE);
  op2_kernel_destroy(&add);
  op2_dat_destroy(&x);
  op2_dat_destroy(&closed);
  op2_map_destroy(&ring);
  op2_set_destroy(&cells);
  EXPECT(memory[0] == 2 && second[0] == 1 && second[1] == 100);
}

static const struct test_case cases[] = {
    {"in scopes", in_scopes},
    {"at its end", at_its_end},
    {"never used", never_used},
    {"overlap", overlap},
    {"at the end of the context", at_the_end_of_the_context},
};

int main(void) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_map map = NULL;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, 1, "set", &set));
  CHECK(op2_map_create(set, set, 1, (int32_t[]){0}, "map", &map));
  const op2_status status = op2_renumber(map);
  if (status) skip("%s", op2_error_message());
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  return status ? done() : RUN(cases, 0);
}

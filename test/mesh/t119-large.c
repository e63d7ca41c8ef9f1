/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps and dats so large that several threads copy, check and renumber them. */
#include <string.h>

#include "support.h"

enum { CELLS = 400000, NODES = 300000, ARITY = 3 };

OP2_KERNEL(visit, (int64_t * sum, const int64_t *a, const int64_t *b, const int64_t *c),
           { *sum = *a + 3 * *b + 7 * *c; });

static int32_t *entries(void) {
  int32_t *idx = scratch(CELLS * ARITY, sizeof *idx);
  uint64_t seed = 4;
  for (int64_t i = 0; i < CELLS * ARITY; i++)
    idx[i] = (int32_t)((i / 4 + draw_below(&seed, 9)) % NODES);
  return idx;
}

/* False, with a skip, if the library cannot renumber. */
static bool renumbered(op2_map map) {
  const op2_status status = op2_renumber(map);
  if (status == OP2_ERR_UNAVAILABLE)
    skip("large renumbered meshes: %s", op2_error_message());
  else
    MUST(status);
  return !status;
}

/* ---- maps ---- */

static void strays(void) {
  op2_set cells = new_set(CELLS, "cells"), nodes = new_set(NODES, "nodes");
  int32_t *idx = entries();
  op2_map map = NULL;
  MUST(op2_map_create(cells, nodes, ARITY, idx, "good", &map));
  op2_map_destroy(&map);
  idx[CELLS * ARITY - 1] = NODES;
  REFUSED(OP2_ERR_RANGE, op2_map_create(cells, nodes, ARITY, idx, "late", &map), "map 'late'",
          "entry 300000 at row 399999, column 2");
  idx[250000 * ARITY + 1] = -5;
  REFUSED(OP2_ERR_RANGE, op2_map_create(cells, nodes, ARITY, idx, "two", &map), "map 'two'",
          "entry -5 at row 250000, column 1");
  idx[0] = INT32_MIN;
  REFUSED(OP2_ERR_RANGE, op2_map_create(cells, nodes, ARITY, idx, "first", &map), "map 'first'",
          "at row 0, column 0");
  EXPECT(map == NULL);
}

/* A map that exceeds every address space is refused, not truncated. */
static void endless(void) {
  op2_set cells = new_set(INT64_C(1) << 33, "cells"), nodes = new_set(NODES, "nodes");
  const int32_t idx = 0;
  op2_map map = NULL;
  REFUSED(OP2_ERR_NOMEM, op2_map_create(cells, nodes, 1 << 29, &idx, "endless", &map), "endless");
  EXPECT(map == NULL);
}

/* The sum of each cell in a loop agrees with the user's numbers. */
static void visit_all(op2_set cells, op2_map map, op2_dat x, const int32_t *idx, const int64_t *v) {
  op2_dat sum = new_dat(cells, 1, OP2_I64, NULL, "sum");
  EXPECT_VALUES(int64_t, sum, CELLS, i, 0);
  MUST(op2_par_loop(new_kernel(&visit_kernel), cells, op2_arg_direct(sum, OP2_WRITE),
                    op2_arg_dat(x, 0, map, OP2_READ), op2_arg_dat(x, 1, map, OP2_READ),
                    op2_arg_dat(x, 2, map, OP2_READ)));
  EXPECT_VALUES(int64_t, sum, CELLS, i,
                v[idx[3 * i]] + 3 * v[idx[3 * i + 1]] + 7 * v[idx[3 * i + 2]]);
}

static void numbers(void) {
  op2_set cells = new_set(CELLS, "cells"), nodes = new_set(NODES, "nodes");
  int32_t *idx = entries();
  int64_t *v = scratch(NODES, sizeof *v);
  for (int64_t i = 0; i < NODES; i++) v[i] = (i * i) % 1000003;
  op2_map map = new_map(cells, nodes, ARITY, idx, "map");
  op2_dat x = new_dat(nodes, 1, OP2_I64, v, "x");
  visit_all(cells, map, x, idx, v);
  if (!renumbered(map)) return;
  visit_all(cells, map, x, idx, v);
  visit_all(cells, new_map(cells, nodes, ARITY, idx, "again"), new_dat(nodes, 1, OP2_I64, v, "y"),
            idx, v);
  op2_map bad = NULL;
  idx[CELLS * ARITY - 2] = -1;
  REFUSED(OP2_ERR_RANGE, op2_map_create(cells, nodes, ARITY, idx, "bad", &bad),
          "entry -1 at row 399999, column 1");
}

/* ---- dats ---- */

static bool comes_back(op2_set cells, int dim, op2_type type, size_t row_bytes) {
  const size_t bytes = CELLS * row_bytes;
  unsigned char *in = scratch(bytes, 1), *out = scratch(bytes, 1);
  for (size_t i = 0; i < bytes; i++) in[i] = (unsigned char)(i * 2654435761u >> 13);
  op2_dat dat = new_dat(cells, dim, type, in, "dat");
  MUST(op2_dat_get(dat, out));
  bool same = memcmp(in, out, bytes) == 0;
  for (size_t i = 0; i < bytes; i++) in[i] ^= 0x5A;
  MUST(op2_dat_set(dat, in));
  const void *shown = NULL;
  MUST(op2_dat_read_begin(dat, &shown));
  same = same && memcmp(in, shown, bytes) == 0;
  MUST(op2_dat_read_end(dat, &shown));
  return same;
}

static void values(void) {
  op2_set cells = new_set(CELLS, "cells");
  const int32_t *idx = entries();
  op2_map ring = new_map(new_set(CELLS - 9, "links"), cells, 2, idx, "ring");
  for (int numbered = 0; numbered < 2; numbered++) {
    EXPECT(comes_back(cells, 1, OP2_U8, 1));
    EXPECT(comes_back(cells, 1, OP2_F32, 4));
    EXPECT(comes_back(cells, 1, OP2_I64, 8));
    EXPECT(comes_back(cells, 3, OP2_I32, 12));
    EXPECT(comes_back(cells, 2, OP2_U64, 16));
    EXPECT(comes_back(cells, 4, OP2_I64, 32));
    EXPECT(comes_back(cells, 5, OP2_I64, 40));
    if (!numbered && !renumbered(ring)) return;
  }
}

/* Memory that was used before is cleared all the same. */
static void zeros(void) {
  op2_set cells = new_set(CELLS, "cells");
  for (int round = 0; round < 4; round++) {
    op2_dat dat = NULL;
    void *at = NULL;
    MUST(op2_dat_create(cells, 1 + round % 2, OP2_I64, NULL, "zeros", &dat));
    EXPECT_VALUES(int64_t, dat, CELLS * (1 + round % 2), i, 0);
    MUST(op2_dat_write_begin(dat, &at));
    memset(at, 0xFF, CELLS * (size_t)(1 + round % 2) * sizeof(int64_t));
    MUST(op2_dat_write_end(dat, &at));
    op2_dat_destroy(&dat);
  }
}

static const struct test_case cases[] = {{"strays", strays},
                                         {"endless", endless},
                                         {"numbers", numbers},
                                         {"values", values},
                                         {"zeros", zeros}};

int main(void) { return RUN(cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK); }

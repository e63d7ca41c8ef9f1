/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that are declared without a name get a numbered one, also in messages about objects that
 * cannot be made: every message contains a name. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op2.h"
#include "support.h"
#include "tap.h"

static op2_context ctx;
static op2_set cells, nodes, empty, subset;
static op2_map to_nodes, to_cells;
static op2_dat borrowed;
static double memory[16];

/* The name in quotes after `kind`, if it is that kind with a number; else empty. */
static const char *numbered(const char *kind) {
  static char name[80];
  const char *said = op2_error_message();
  char start[40];
  snprintf(start, sizeof start, "'%s", kind);
  const char *at = strstr(said, start);
  name[0] = '\0';
  if (!at || !isdigit((unsigned char)at[strlen(start)]) || strstr(said, "''")) return name;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "'"), at + 1);
  return name;
}

static void refused(op2_status status, op2_status want, const char *kind, const char *what) {
  ok(status == want && *numbered(kind), "%s: %s", what, op2_error_message());
}

static void sets(const char *no) {
  const int64_t falling[4] = {4, 3, 3, 3}, halo[4] = {1, 1, 1, 2},
                huge[4] = {1L << 61, 1L << 61, 1L << 61, 1L << 61};
  const int64_t beyond[1] = {99}, swapped[2] = {1, 0}, two[4] = {2, 2, 2, 2};
  op2_set set = NULL;
  refused(op2_set_create(ctx, -1, no, &set), OP2_ERR_ARG, "set", "a set's size");
  refused(op2_set_create_sections(ctx, falling, no, &set), OP2_ERR_ARG, "set", "section ends");
  refused(op2_set_create_sections(ctx, huge, no, &set), OP2_ERR_NOMEM, "set", "a huge set");
  refused(op2_set_create_halo(ctx, halo, swapped, NULL, no, &set), OP2_ERR_ARG, "set", "a halo");
  refused(op2_set_create_halo(ctx, two, swapped, NULL, no, &set), OP2_ERR_ARG, "set", "numbers");
  refused(op2_set_create_halo(ctx, two, NULL, NULL, no, &set), OP2_ERR_ARG, "set", "no numbers");
  refused(op2_subset_create(cells, 1, beyond, no, &set), OP2_ERR_RANGE, "set", "a subset's index");
  refused(op2_subset_create(cells, 1, NULL, no, &set), OP2_ERR_ARG, "set", "no indices");
  refused(op2_subset_create(cells, 0, NULL, no, NULL), OP2_ERR_ARG, "set", "no place for a subset");
  refused(op2_subset_create_union(cells, nodes, no, &set), OP2_ERR_MISMATCH, "set", "a union");
}

static void maps(const char *no) {
  const int32_t beyond[4] = {0, 1, 2, 99}, good[4] = {0};
  const int64_t far[4] = {0, 1, 2, 99};
  const op2_map parts[2] = {to_nodes, to_cells};
  op2_map map = NULL;
  refused(op2_map_create(cells, nodes, 0, good, no, &map), OP2_ERR_ARG, "map", "an arity");
  op2_set single = NULL;
  ok(!op2_set_create_single(ctx, no, &single), "a set of one element");
  refused(op2_map_create(cells, single, 2, NULL, no, &map), OP2_ERR_ARG, "map", "to one element");
  op2_set_destroy(&single);
  refused(op2_map_create(cells, nodes, 1, beyond, no, &map), OP2_ERR_RANGE, "map", "an entry");
  refused(op2_map_create(cells, subset, 1, good, no, &map), OP2_ERR_MISMATCH, "map", "to a subset");
  refused(op2_map_create_partial(cells, nodes, 1, NULL, no, &map), OP2_ERR_ARG, "map",
          "a partial map without entries");
  refused(op2_map_create_partial(cells, empty, 1, good, no, &map), OP2_ERR_RANGE, "map",
          "a partial map to nothing");
  refused(op2_map_create_partial(cells, nodes, 1, beyond, no, &map), OP2_ERR_RANGE, "map",
          "a partial map's entry");
  refused(op2_map_create_global(cells, nodes, 1, far, no, &map), OP2_ERR_RANGE, "map",
          "a global number");
  ok(op2_map_create_composed(2, parts, no, &map) == OP2_SUCCESS, "a composed map without a name");
  op2_map_destroy(&map);
}

static void values(const char *no) {
  op2_dat dat = NULL;
  op2_gbl gbl = NULL;
  refused(op2_dat_create(cells, 0, OP2_F64, NULL, no, &dat), OP2_ERR_ARG, "dat", "a dim");
  refused(op2_dat_create(cells, 1, (op2_type)77, NULL, no, &dat), OP2_ERR_TYPE, "dat", "a type");
  refused(op2_dat_create(subset, 1, OP2_F64, NULL, no, &dat), OP2_ERR_ARG, "dat", "on a subset");
  refused(op2_dat_wrap(cells, 1, OP2_F64, NULL, no, &dat), OP2_ERR_ARG, "dat", "no memory");
  refused(op2_dat_wrap(cells, 1, OP2_F64, (char *)memory + 1, no, &dat), OP2_ERR_ARG, "dat",
          "memory that is not aligned");
  refused(op2_dat_wrap(cells, 1, OP2_F64, memory, no, &dat), OP2_ERR_ARG, "dat",
          "memory that overlaps");
  refused(op2_gbl_create(ctx, 0, OP2_F64, NULL, no, &gbl), OP2_ERR_ARG, "global", "a global's dim");
  refused(op2_gbl_create(ctx, 1, (op2_type)77, NULL, no, &gbl), OP2_ERR_TYPE, "global",
          "a global's type");
}

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  (void)data, (void)x, (void)y;
  return OP2_SUCCESS;
}

static void matrices(const char *no) {
  const op2_map_pair pair = {to_nodes, to_nodes}, other = {to_nodes, to_cells};
  const op2_solver_options options = {.rtol = NAN};
  op2_operator_desc desc = {.set = cells, .dim = 0, .type = OP2_F64, .apply = apply};
  op2_sparsity sparsity = NULL;
  op2_mat mat = NULL;
  op2_solver solver = NULL;
  op2_operator op = NULL;
  refused(op2_sparsity_create(1, &other, no, &sparsity), OP2_ERR_MISMATCH, "sparsity",
          "a pair of maps");
  if (CHECK(op2_sparsity_create(1, &pair, no, &sparsity)))
    refused(op2_mat_create(sparsity, 0, 1, OP2_F64, no, &mat), OP2_ERR_ARG, "matrix", "blocks");
  refused(op2_solver_create(ctx, &options, no, &solver), OP2_ERR_OPTION, "solver", "a tolerance");
  refused(op2_operator_create(&desc, no, &op), OP2_ERR_ARG, "operator", "an operator's dim");
  desc = (op2_operator_desc){.set = cells, .dim = 1, .type = OP2_F64};
  refused(op2_operator_create(&desc, no, &op), OP2_ERR_ARG, "operator", "no function");
  op2_sparsity_destroy(&sparsity);
}

/* An object that cannot be made is reported with the name that the next one gets. */
static void same_name(const char *no) {
  char name[80];
  op2_dat dat = NULL;
  void *view = NULL;
  FAILS(op2_dat_create(cells, 0, OP2_F64, NULL, no, &dat), OP2_ERR_ARG);
  snprintf(name, sizeof name, "%s", numbered("dat"));
  if (!CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, no, &dat))) return;
  FAILS(op2_dat_write_end(dat, &view), OP2_ERR_STATE);
  ok(*name && !strcmp(name, numbered("dat")), "'%s' is the dat that is made next: %s", name,
     op2_error_message());
  op2_dat_destroy(&dat);
}

static bool make(void) {
  const int32_t idx[4] = {0, 1, 2, 3};
  const int64_t some[2] = {0, 2};
  return CHECK(op2_set_create(ctx, 4, "cells", &cells)) &&
         CHECK(op2_set_create(ctx, 4, "nodes", &nodes)) &&
         CHECK(op2_set_create(ctx, 0, "empty", &empty)) &&
         CHECK(op2_subset_create(cells, 2, some, "some", &subset)) &&
         CHECK(op2_map_create(cells, nodes, 1, idx, "to nodes", &to_nodes)) &&
         CHECK(op2_map_create(nodes, cells, 1, idx, "to cells", &to_cells)) &&
         CHECK(op2_dat_wrap(cells, 1, OP2_F64, memory, "borrowed", &borrowed));
}

int main(void) {
  test_environment();
  const op2_options options = {.cache_dir = test_cache(), .backend = "sequential"};
  if (CHECK(op2_init(&options, &ctx)) && make()) {
    for (int empty_text = 0; empty_text < 2; empty_text++) {
      const char *no = empty_text ? "" : NULL;
      sets(no);
      maps(no);
      values(no);
      matrices(no);
      same_name(no);
    }
  }
  op2_dat_destroy(&borrowed);
  op2_map_destroy(&to_nodes);
  op2_map_destroy(&to_cells);
  op2_set_destroy(&subset);
  op2_set_destroy(&cells);
  op2_set_destroy(&nodes);
  op2_set_destroy(&empty);
  CHECK(op2_finalize(&ctx));
  return done();
}

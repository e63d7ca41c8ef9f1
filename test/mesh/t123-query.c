/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers about objects: how they were declared, the entries of maps in the program's numbers,
 * whether values may have changed, and the objects of a context without those of the library. */
#include <string.h>

#include "support.h"

enum { CELLS = 20, NODES = 9, ARITY = 3 };

OP2_KERNEL(look, (double *y, const double *x), { *y += *x; });
OP2_KERNEL(twice, (double *x), { *x *= 2; });
OP2_KERNEL(count, (const double *x, double *s), { *s += *x; });
OP2_KERNEL(lowest, (const double *x, double *m), { *m = *x < *m ? *x : *m; });

/* ---- declarations ---------------------------------------------------------------------------- */

static void sets(void) {
  op2_set cells = new_sections(2, 5, 7, 9, "cells"),
          some = new_subset(cells, 4, (int64_t[]){0, 3, 6, 8}, "some");
  op2_set_info info;
  memset(&info, 0xff, sizeof info);
  MUST(op2_set_info_get(cells, &info));
  EXPECT(!strcmp(info.name, "cells") && info.base == cells && info.global_size == 9);
  EXPECT(info.ends[0] == 2 && info.ends[1] == 5 && info.ends[2] == 7 && info.ends[3] == 9);
  EXPECT(!info.reserved[0] && !info.reserved[3]);
  MUST(op2_set_info_get(some, &info));
  EXPECT(!strcmp(info.name, "some") && info.base == cells && info.global_size == 9);
  EXPECT(info.ends[0] == 1 && info.ends[1] == 2 && info.ends[2] == 3 && info.ends[3] == 4);
  REFUSED(OP2_ERR_ARG, op2_set_info_get(some, NULL), "op2_set_info_get", "some");
  REFUSED(OP2_ERR_ARG, op2_set_info_get(NULL, &info), "op2_set_info_get", "null");
  EXPECT(info.base == cells);
}

static void maps(void) {
  op2_set from = new_set(2, "from"), middle = new_set(2, "middle"), to = new_set(3, "to");
  op2_map whole = new_map(from, to, 2, (int32_t[]){0, 1, 1, 2}, "whole"),
          bare = new_map(from, to, 4, NULL, "bare"),
          step = new_map(middle, from, 1, (int32_t[]){1, 0}, "step"), made[3];
  MUST(op2_map_create_partial(from, to, 2, (int32_t[]){-1, 1, 0, -5}, "partial", &made[0]));
  MUST(op2_map_create_permuted(whole, (int[]){1, 0}, "permuted", &made[1]));
  MUST(op2_map_create_composed(2, (op2_map[]){made[0], step}, "composed", &made[2]));
  const struct {
    op2_map map;
    op2_map_info want;
  } all[] = {
      {whole, {"whole", from, to, 2, OP2_MAP_DECLARED, true, false, false, {0}}},
      {bare, {"bare", from, to, 4, OP2_MAP_DECLARED, false, false, false, {0}}},
      {made[0], {"partial", from, to, 2, OP2_MAP_DECLARED, true, true, false, {0}}},
      {made[1], {"permuted", from, to, 2, OP2_MAP_PERMUTED, true, false, false, {0}}},
      {made[2], {"composed", middle, to, 2, OP2_MAP_COMPOSED, true, true, false, {0}}},
  };
  for (size_t m = 0; m < sizeof all / sizeof *all; m++) {
    op2_map_info is;
    const op2_map_info *want = &all[m].want;
    MUST(op2_map_info_get(all[m].map, &is));
    EXPECT(!strcmp(is.name, want->name) && is.from == want->from && is.to == want->to);
    EXPECT(is.arity == want->arity && is.origin == want->origin && !is.reserved[0]);
    EXPECT(is.has_values == want->has_values && is.partial == want->partial && !is.global_only);
  }
  REFUSED(OP2_ERR_ARG, op2_map_info_get(whole, NULL), "op2_map_info_get", "whole");
  for (int m = 0; m < 3; m++) own_map(made[m]);
}

static void values(void) {
  op2_set cells = new_set(3, "cells");
  double *memory = scratch(6, sizeof *memory);
  op2_dat x = new_dat(cells, 2, OP2_I16, NULL, "x"), y = NULL;
  op2_gbl g = new_gbl(3, OP2_F32, NULL, "g");
  op2_const c = new_const(2, OP2_U16, (uint16_t[]){7, 9}, "query_constant");
  op2_dat_info dat;
  op2_gbl_info gbl;
  op2_const_info cst;
  uint16_t got[2] = {0};
  MUST(op2_dat_wrap(cells, 2, OP2_F64, memory, "y", &y));
  own_dat(y);
  MUST(op2_dat_info_get(x, &dat));
  EXPECT(!strcmp(dat.name, "x") && dat.set == cells && dat.dim == 2 && dat.type == OP2_I16);
  EXPECT(!dat.wrapped && !dat.open_reads && !dat.open_writes && !dat.reserved[0]);
  MUST(op2_dat_info_get(y, &dat));
  EXPECT(dat.wrapped && dat.type == OP2_F64);
  MUST(op2_gbl_info_get(g, &gbl));
  EXPECT(!strcmp(gbl.name, "g") && gbl.dim == 3 && gbl.type == OP2_F32 && !gbl.reserved[3]);
  MUST(op2_const_info_get(c, &cst));
  EXPECT(!strcmp(cst.name, "query_constant") && cst.dim == 2 && cst.type == OP2_U16);
  MUST(op2_const_get(c, got));
  EXPECT(got[0] == 7 && got[1] == 9);
  MUST(op2_const_set(c, (uint16_t[]){1, 2}));
  MUST(op2_const_get(c, got));
  EXPECT(got[0] == 1 && got[1] == 2);
  REFUSED(OP2_ERR_ARG, op2_const_get(c, NULL), "op2_const_get", "query_constant");
  REFUSED(OP2_ERR_ARG, op2_dat_info_get(NULL, &dat), "op2_dat_info_get");
  REFUSED(OP2_ERR_ARG, op2_gbl_info_get(g, NULL), "op2_gbl_info_get");
  REFUSED(OP2_ERR_ARG, op2_const_info_get(c, NULL), "op2_const_info_get");
}

static void scopes(void) {
  op2_dat x = new_dat(new_set(3, "cells"), 1, OP2_F64, NULL, "x");
  const void *r[2] = {NULL, NULL};
  void *w = NULL;
  op2_dat_info info;
  MUST(op2_dat_read_begin(x, &r[0]));
  MUST(op2_dat_read_begin(x, &r[1]));
  MUST(op2_dat_info_get(x, &info));
  EXPECT(info.open_reads == 2 && info.open_writes == 0);
  MUST(op2_dat_read_end(x, &r[0]));
  MUST(op2_dat_read_end(x, &r[1]));
  MUST(op2_dat_write_begin(x, &w));
  MUST(op2_dat_info_get(x, &info));
  EXPECT(info.open_reads == 0 && info.open_writes == 1);
  MUST(op2_dat_write_end(x, &w));
}

/* ---- entries of maps ------------------------------------------------------------------------- */

static void expect_entries(op2_map map, int n, const int32_t *want) {
  int32_t *is = scratch((size_t)n + 1, sizeof *is);
  int64_t *global = scratch((size_t)n + 1, sizeof *global);
  is[n] = 77;
  global[n] = 77;
  MUST(op2_map_get(map, is));
  MUST(op2_map_get_global(map, global));
  EXPECT(!memcmp(is, want, (size_t)n * sizeof *want) && is[n] == 77 && global[n] == 77);
  for (int e = 0; e < n; e++) EXPECT(global[e] == want[e]);
}

/* Entries are the program's before and after its sets are renumbered, and those of other maps follow
 * from them. */
static void entries(void) {
  static const int perm[ARITY] = {2, 0, 1};
  uint64_t seed = 5;
  int32_t whole[CELLS * ARITY], partial[CELLS * ARITY], permuted[CELLS * ARITY];
  for (int e = 0; e < CELLS * ARITY; e++) {
    whole[e] = draw_below(&seed, NODES);
    partial[e] = draw_below(&seed, 3) ? whole[e] : -1;
  }
  for (int e = 0; e < CELLS * ARITY; e++)
    permuted[e] = partial[e / ARITY * ARITY + perm[e % ARITY]];
  op2_set cells = new_set(CELLS, "cells"), nodes = new_set(NODES, "nodes");
  op2_map first = new_map(cells, nodes, ARITY, whole, "first"), second = NULL, third = NULL;
  MUST(op2_map_create_partial(cells, nodes, ARITY, partial, "second", &second));
  own_map(second);
  MUST(op2_map_create_permuted(second, perm, "third", &third));
  own_map(third);
  for (int t = 0; t < 2; t++) {
    expect_entries(first, CELLS * ARITY, whole);
    expect_entries(second, CELLS * ARITY, partial);
    expect_entries(third, CELLS * ARITY, permuted);
    const op2_status status = t ? OP2_SUCCESS : op2_renumber(first);
    if (status == OP2_ERR_UNAVAILABLE) return;
    MUST(status);
  }
}

/* Only the rows of owned elements are copied; their targets may be in a halo. */
static void entries_of_sections(void) {
  op2_set from = new_sections(1, 2, 3, 3, "from"), to = new_sections(1, 2, 3, 4, "to"),
          none = new_set(0, "none");
  op2_map map = new_map(from, to, 1, (int32_t[]){3, 1, 2}, "map"),
          bare = new_map(from, to, 1, NULL, "bare"), empty = new_map(none, to, 2, NULL, "empty");
  int32_t room[4];
  int64_t wide[4];
  expect_entries(map, 2, (int32_t[]){3, 1});
  REFUSED(OP2_ERR_MISMATCH, op2_map_get(bare, room), "op2_map_get", "bare");
  REFUSED(OP2_ERR_MISMATCH, op2_map_get_global(bare, wide), "op2_map_get_global", "bare");
  REFUSED(OP2_ERR_ARG, op2_map_get(map, NULL), "op2_map_get", "map");
  REFUSED(OP2_ERR_ARG, op2_map_get_global(NULL, wide), "op2_map_get_global");
  REFUSED(OP2_ERR_MISMATCH, op2_map_get(empty, NULL), "empty");
}

/* ---- changes --------------------------------------------------------------------------------- */

struct work {
  op2_set cells;
  op2_map back;
  op2_dat x, y;
  op2_gbl g, h;
  op2_kernel look, twice, count, lowest;
  double values[CELLS];
};

static int triple(void *data, void *const *values) {
  double *x = values[0];
  (void)data;
  for (int i = 0; i < CELLS; i++) x[i] *= 3;
  return 0;
}

static int ignore(void *data, void *const *values) { return (void)data, (void)values, 0; }

#define DO(name_, call_)                                                                           \
  static op2_status name_(struct work *w) { return call_; }
DO(read_x, op2_par_loop(w->look, w->cells, op2_arg_direct(w->y, OP2_RW),
                        op2_arg_dat(w->x, 0, w->back, OP2_READ)))
DO(write_x, op2_par_loop(w->twice, w->cells, op2_arg_direct(w->x, OP2_RW)))
DO(add_to_x, op2_par_loop(w->look, w->cells, op2_arg_dat(w->x, 0, w->back, OP2_INC),
                          op2_arg_direct(w->y, OP2_READ)))
DO(call_reads_x, op2_call(test_ctx, ignore, NULL, op2_arg_direct(w->x, OP2_READ)))
DO(call_writes_x, op2_call(test_ctx, triple, NULL, op2_arg_direct(w->x, OP2_RW)))
DO(get_x, op2_dat_get(w->x, w->values))
DO(get_block_of_x, op2_dat_get_block(w->x, 0, CELLS, w->values))
DO(set_x, op2_dat_set(w->x, w->values))
DO(set_halo_of_x, op2_dat_set_halo(w->x, w->values))
DO(set_block_of_x, op2_dat_set_block(w->x, 3, 2, w->values))
DO(scale_x, op2_dat_scale(w->x, op2_scalar_value(0.5)))
DO(sum_up_x, op2_dat_sum(w->x, w->g))
DO(norm_of_x, op2_dat_norm(w->x, OP2_NORM_2, w->g))
DO(move_x, op2_dat_to(w->x, OP2_PLACE_DEVICE))
DO(flush_all, ((void)w, op2_flush(test_ctx)))
DO(count_x,
   op2_par_loop(w->count, w->cells, op2_arg_direct(w->x, OP2_READ), op2_arg_gbl(w->g, OP2_INC)))
DO(lower_g,
   op2_par_loop(w->lowest, w->cells, op2_arg_direct(w->x, OP2_READ), op2_arg_gbl(w->g, OP2_MIN)))
DO(read_g,
   op2_par_loop(w->look, w->cells, op2_arg_direct(w->y, OP2_RW), op2_arg_gbl(w->g, OP2_READ)))
DO(get_g, op2_gbl_get(w->g, w->values))
DO(set_g, op2_gbl_set(w->g, w->values))
DO(copy_g, op2_gbl_copy(w->g, w->h))
DO(copy_to_g, op2_gbl_copy(w->h, w->g))

static op2_status scope_for_reading(struct work *w) {
  const void *at = NULL;
  const op2_status status = op2_dat_read_begin(w->x, &at);
  return status ? status : op2_dat_read_end(w->x, &at);
}

static op2_status scope_for_writing(struct work *w) {
  void *at = NULL;
  op2_status status = op2_dat_write_begin(w->x, &at);
  if (!status) ((double *)at)[1] += 1;
  return status ? status : op2_dat_write_end(w->x, &at);
}

static op2_status renumber(struct work *w) {
  const op2_status status = op2_renumber(w->back);
  return status == OP2_ERR_UNAVAILABLE ? OP2_SUCCESS : status;
}

static const struct {
  op2_status (*call)(struct work *w);
  const char *name;
  bool changes_x, changes_g;
} calls[] = {
#define CALL(name_, x_, g_)                                                                        \
  { name_, #name_, x_, g_ }
    CALL(read_x, false, false),
    CALL(write_x, true, false),
    CALL(add_to_x, true, false),
    CALL(call_reads_x, false, false),
    CALL(call_writes_x, true, false),
    CALL(get_x, false, false),
    CALL(get_block_of_x, false, false),
    CALL(set_x, true, false),
    CALL(set_halo_of_x, true, false),
    CALL(set_block_of_x, true, false),
    CALL(scale_x, true, false),
    CALL(sum_up_x, false, true),
    CALL(norm_of_x, false, true),
    CALL(move_x, false, false),
    CALL(flush_all, false, false),
    CALL(count_x, false, true),
    CALL(lower_g, false, true),
    CALL(read_g, false, false),
    CALL(get_g, false, false),
    CALL(set_g, false, true),
    CALL(copy_g, false, false),
    CALL(copy_to_g, false, true),
    CALL(renumber, false, false),
    CALL(scope_for_reading, false, false),
    CALL(scope_for_writing, true, false),
};
enum { CALLS = (int)(sizeof calls / sizeof *calls) };

static struct work begin_work(void) {
  int32_t back[CELLS];
  double start[CELLS];
  for (int i = 0; i < CELLS; i++) back[i] = CELLS - 1 - i, start[i] = i;
  struct work w = {.cells = new_set(CELLS, "cells"),
                   .g = new_gbl(1, OP2_F64, NULL, "g"),
                   .h = new_gbl(1, OP2_F64, NULL, "h"),
                   .look = new_kernel(&look_kernel),
                   .twice = new_kernel(&twice_kernel),
                   .count = new_kernel(&count_kernel),
                   .lowest = new_kernel(&lowest_kernel)};
  w.back = new_map(w.cells, w.cells, 1, back, "back");
  w.x = new_dat(w.cells, 1, OP2_F64, start, "x");
  w.y = new_dat(w.cells, 1, OP2_F64, start, "y");
  return w;
}

/* Each call changes what it modifies and nothing else. */
static void changes(void) {
  struct work w = begin_work();
  for (int c = 0; c < CALLS; c++) {
    const int64_t x = op2_dat_changes(w.x), g = op2_gbl_changes(w.g);
    MUST(calls[c].call(&w));
    if (!EXPECT((op2_dat_changes(w.x) > x) == calls[c].changes_x && op2_dat_changes(w.x) >= x &&
                op2_gbl_changes(w.g) >= g && (op2_gbl_changes(w.g) > g) == calls[c].changes_g))
      diag("call %s", calls[c].name);
  }
  EXPECT(op2_dat_changes(NULL) == -1 && op2_gbl_changes(NULL) == -1);
}

/* In any sequence of calls, values that were copied stay right while the number stays the same. */
static void copies(void) {
  uint64_t seed = 17;
  struct work w = begin_work();
  double copy[CELLS], is[CELLS], sum, is_sum;
  for (int t = 0; t < 60; t++) {
    const int64_t x = op2_dat_changes(w.x), g = op2_gbl_changes(w.g);
    MUST(op2_dat_get(w.x, copy));
    MUST(op2_gbl_get(w.g, &sum));
    for (int n = 0; n < 2; n++) MUST(calls[draw_below(&seed, CALLS)].call(&w));
    if (op2_dat_changes(w.x) == x) {
      MUST(op2_dat_get(w.x, is));
      EXPECT(!memcmp(is, copy, sizeof is));
    }
    if (op2_gbl_changes(w.g) == g) {
      MUST(op2_gbl_get(w.g, &is_sum));
      EXPECT(!memcmp(&is_sum, &sum, sizeof sum));
    }
  }
}

/* ---- all objects ----------------------------------------------------------------------------- */

static void expect_objects(op2_object_kind kind, int n, void *const *handles) {
  op2_object object;
  EXPECT(op2_objects(test_ctx, kind) == n);
  for (int i = 0; i < n; i++) {
    MUST(op2_object_get(test_ctx, kind, i, &object));
    EXPECT(object.handle == handles[i] && !object.reserved);
    EXPECT(kind == OP2_OBJECT_ANY || object.kind == kind);
  }
  REFUSED(OP2_ERR_RANGE, op2_object_get(test_ctx, kind, n, &object), "op2_object_get");
}

/* Objects are listed in the order of their making, also while loops hold those that are gone. */
static void objects(void) {
  struct work w = begin_work();
  op2_object object;
  op2_set some = new_subset(w.cells, 1, (int64_t[]){1}, "some");
  op2_loop loop = NULL;
  MUST(op2_loop_create(&loop, w.twice, w.cells, op2_arg_direct(w.y, OP2_RW)));
  expect_objects(OP2_OBJECT_SET, 2, (void *[]){w.cells, some});
  expect_objects(OP2_OBJECT_KERNEL, 4, (void *[]){w.look, w.twice, w.count, w.lowest});
  expect_objects(OP2_OBJECT_LOOP, 1, (void *[]){loop});
  MUST(op2_object_get(test_ctx, OP2_OBJECT_DAT, 1, &object));
  EXPECT(object.kind == OP2_OBJECT_DAT && !strcmp(object.name, "y"));
  MUST(write_x(&w));
  disown(w.x);
  op2_dat_destroy(&w.x);
  op2_loop_destroy(&loop);
  expect_objects(OP2_OBJECT_DAT, 1, (void *[]){w.y});
  expect_objects(
      OP2_OBJECT_ANY, 10,
      (void *[]){w.cells, w.g, w.h, w.look, w.twice, w.count, w.lowest, w.back, w.y, some});
}

static void objects_refused(void) {
  op2_object object;
  REFUSED(OP2_ERR_ARG, op2_object_get(test_ctx, OP2_OBJECT_ANY, -1, &object), "op2_object_get");
  REFUSED(OP2_ERR_ARG, op2_object_get(test_ctx, OP2_OBJECT_ANY, 0, NULL), "op2_object_get");
  REFUSED(OP2_ERR_ARG, op2_object_get(test_ctx, (op2_object_kind)99, 0, &object), "kind");
  REFUSED(OP2_ERR_STATE, op2_object_get(NULL, OP2_OBJECT_ANY, 0, &object));
  EXPECT(op2_objects(NULL, OP2_OBJECT_ANY) == 0 && op2_objects(test_ctx, (op2_object_kind)99) == 0);
}

/* Objects that the library makes for matrices, solvers and vectors are not the program's. */
static void objects_of_the_library(void) {
  static const int32_t idx[] = {0, 1, 1, 2, 2, 3};
  op2_set edges = new_set(3, "edges"), nodes = new_set(4, "nodes"),
          ends = new_subset(nodes, 1, (int64_t[]){0}, "ends");
  op2_dat u = new_dat(nodes, 1, OP2_F64, NULL, "u"),
          b = new_dat(nodes, 1, OP2_F64, (double[]){1, 2, 3, 4}, "b");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), two = new_gbl(2, OP2_F64, NULL, "two");
  op2_map map = NULL;
  op2_sparsity sparsity = NULL;
  op2_mat mat = NULL;
  op2_solver solver = NULL;
  MUST(op2_map_create_partial(edges, nodes, 2, idx, "map", &map));
  own_map(map);
  const op2_map_pair pair = {map, map};
  op2_kernel add = new_source("add", "void add(double *a) { a[0] += 2; a[3] += 2; a[1] += 0; }");
  MUST(op2_sparsity_create(1, &pair, "sparsity", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "mat", &mat));
  MUST(op2_solver_create(test_ctx, NULL, "solver", &solver));
  MUST(op2_par_loop(add, edges, op2_arg_mat(mat, map, map, OP2_INC)));
  MUST(op2_mat_zero_rows_columns(mat, ends, 1, u, b));
  MUST(op2_mat_zero_rows(mat, ends, 1));
  MUST(op2_mat_mult(mat, u, b));
  MUST(op2_mat_diagonal(mat, b));
  MUST(op2_dat_norm(b, OP2_NORM_2, g));
  const op2_dat both[] = {u, b};
  MUST(op2_dat_mdot(b, 2, both, two));
  MUST(op2_solve(solver, mat, u, b));
  MUST(op2_mat_zero(mat));
  MUST(op2_flush(test_ctx));
  expect_objects(OP2_OBJECT_ANY, 12,
                 (void *[]){edges, nodes, ends, u, b, g, two, map, add, sparsity, mat, solver});
  op2_solver_destroy(&solver);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
  EXPECT(op2_objects(test_ctx, OP2_OBJECT_ANY) == 9);
}

/* ---- at odd times ---------------------------------------------------------------------------- */

struct inside {
  op2_dat x;
  op2_status info, listed;
  int64_t changes, objects;
};

static int ask(void *data, void *const *values) {
  struct inside *in = data;
  op2_dat_info info;
  op2_object object;
  (void)values;
  in->info = op2_dat_info_get(in->x, &info);
  in->listed = op2_object_get(test_ctx, OP2_OBJECT_DAT, 0, &object);
  in->changes = op2_dat_changes(in->x);
  in->objects = op2_objects(test_ctx, OP2_OBJECT_DAT);
  return 0;
}

/* A function of op2_call() gets no status from its context, and after the end nothing is known. */
static void inside_a_call(void) {
  struct inside in = {.x = new_dat(new_set(3, "cells"), 1, OP2_F64, NULL, "x")};
  MUST(op2_call(test_ctx, ask, &in));
  MUST(op2_flush(test_ctx));
  EXPECT(in.info == OP2_ERR_STATE && in.listed == OP2_ERR_STATE);
  EXPECT(in.changes == 0 && in.objects == 1);
}

static void after_the_end(void) {
  const op2_options options = {.backend = test_config.backend};
  op2_context ctx = NULL;
  op2_gbl g = NULL;
  op2_gbl_info info;
  op2_object object;
  MUST(op2_init(&options, &ctx));
  MUST(op2_gbl_create(ctx, 1, OP2_F64, NULL, "g", &g));
  op2_context copy = ctx;
  MUST(op2_finalize(&ctx));
  EXPECT(op2_gbl_info_get(g, &info) == OP2_ERR_STATE);
  EXPECT(op2_object_get(copy, OP2_OBJECT_ANY, 0, &object) == OP2_ERR_STATE);
  EXPECT(op2_objects(copy, OP2_OBJECT_ANY) == 0);
  op2_gbl_destroy(&g);
}

static const struct test_case cases[] = {
    {"sets", sets},
    {"maps", maps},
    {"dats, globals and constants", values},
    {"open scopes", scopes},
    {"entries of maps, also renumbered", entries},
    {"entries of rows that are owned", entries_of_sections},
    {"what counts as a change", changes},
    {"copies while nothing changes", copies},
    {"objects in the order of their making", objects},
    {"objects that are not there", objects_refused},
    {"objects of the library are not listed", objects_of_the_library},
    {"inside a call", inside_a_call},
    {"after the end of the context", after_the_end},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }

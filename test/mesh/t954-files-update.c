/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of dats that replace those in a file: alone and on ranks that are threads, in a file that
 * is there and in a new one; what has another shape, type or layout is refused, and the file stays. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "file_plain.h"
#include "init.h"
#include "rank_case.h"
#include "support.h"

enum { CELLS = 37 };

static char path[512];

struct state {
  op2_context ctx;
  op2_set cells;
  op2_dat x, other;
};

/* The share of CELLS elements that a rank has, in blocks. */
static int64_t begin_of(op2_context ctx, int rank) {
  return (int64_t)CELLS * rank / op2_ranks(ctx);
}

static op2_status set_values(struct state *s, double start) {
  double values[2 * CELLS];
  const int64_t first = begin_of(s->ctx, op2_rank(s->ctx)), n = op2_set_size(s->cells);
  for (int64_t i = 0; i < 2 * n; i++) values[i] = start + (double)(2 * first + i);
  return op2_dat_set(s->x, values);
}

static op2_status declare(struct state *s) {
  const int rank = op2_rank(s->ctx);
  const int64_t n = begin_of(s->ctx, rank + 1) - begin_of(s->ctx, rank);
  op2_status status = op2_set_create(s->ctx, n, "cells", &s->cells);
  if (!status) status = op2_dat_create(s->cells, 2, OP2_F64, NULL, "x", &s->x);
  if (!status) status = op2_dat_create(s->cells, 3, OP2_F32, NULL, "other", &s->other);
  return status;
}

/* Returns whether the file has the values that begin with `start`. */
static bool holds(struct state *s, double start) {
  double rows[2 * CELLS];
  op2_file file = NULL;
  bool good = !op2_file_open(s->ctx, path, OP2_FILE_READ, &file) &&
              !op2_file_read_rows(file, "x", 0, CELLS, 2, OP2_F64, rows);
  good = !op2_file_close(&file) && good;
  for (int i = 0; good && i < 2 * CELLS; i++) good = rows[i] == start + i;
  return good;
}

static bool put(struct state *s, op2_file_mode mode, double start) {
  op2_file file = NULL;
  bool good = !set_values(s, start) && !op2_file_open(s->ctx, path, mode, &file) &&
              !op2_file_update_dat(file, s->x, NULL);
  return !op2_file_close(&file) && good;
}

/* Twice within one file, between which other data are written. */
static bool put_twice(struct state *s) {
  op2_file file = NULL;
  bool good = !set_values(s, 500) && !op2_file_open(s->ctx, path, OP2_FILE_CREATE, &file) &&
              !op2_file_update_dat(file, s->x, "x") && !op2_file_write_set(file, s->cells, "cells");
  good = good && !set_values(s, 700) && !op2_file_write_dat(file, s->other, "other") &&
         !op2_file_update_dat(file, s->x, "x");
  return !op2_file_close(&file) && good;
}

static bool refuse(struct state *s) {
  op2_file file = NULL;
  bool good = !op2_file_open(s->ctx, path, OP2_FILE_ADD, &file) &&
              op2_file_update_dat(file, s->other, "x") == OP2_ERR_MISMATCH &&
              strstr(op2_error_message(), "expected [37][3]") &&
              op2_file_write_dat(file, s->x, "x") == OP2_ERR_NAME &&
              op2_file_update_dat(file, s->x, "cells") == OP2_ERR_MISMATCH;
  return !op2_file_close(&file) && good;
}

static void destroy(struct state *s) {
  op2_dat_destroy(&s->x);
  op2_dat_destroy(&s->other);
  op2_set_destroy(&s->cells);
}

/* The number of checks that fail on this rank. */
static int update(struct state *s) {
  int wrong = declare(s) != OP2_SUCCESS;
  wrong += !put(s, OP2_FILE_CREATE, 100) || !holds(s, 100);
  wrong += !put(s, OP2_FILE_ADD, 200) || !holds(s, 200);
  wrong += !put(s, OP2_FILE_ADD, 300) || !holds(s, 300);
  wrong += !put_twice(s) || !holds(s, 700);
  wrong += !refuse(s) || !holds(s, 700);
  destroy(s);
  return wrong;
}

static int on_rank(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  struct state s = {0};
  (void)data;
  if (op2i_init_ranks(&options, comm, &s.ctx)) return 100;
  int wrong = update(&s);
  if (wrong) diag("%s", op2_error_message());
  return wrong + (op2_finalize(&s.ctx) != OP2_SUCCESS);
}

/* Datasets whose values do not lie in the file as they do in memory. */
static void other_layouts(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  struct state s = {0};
  op2_file file = NULL;
  const hsize_t size[2] = {CELLS, 2}, chunk[2] = {5, 2};
  hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  ok(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0, "there is space for all values");
  hid_t big = H5Dcreate2(id, "big", H5T_IEEE_F64BE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  ok(H5Pset_chunk(list, 2, chunk) >= 0, "a file by HDF5 itself");
  hid_t chunks = H5Dcreate2(id, "chunks", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  ok(big >= 0 && chunks >= 0, "with datasets in big endian and in chunks");
  (void)H5Dclose(big), (void)H5Dclose(chunks), (void)H5Pclose(list), (void)H5Sclose(space);
  (void)H5Fclose(id);
  CHECK(op2_init(&options, &s.ctx));
  CHECK(declare(&s));
  CHECK(op2_file_open(s.ctx, path, OP2_FILE_ADD, &file));
  FAILS(op2_file_update_dat(file, s.x, "chunks"), OP2_ERR_UNAVAILABLE);
  FAILS(op2_file_update_dat(file, s.x, "big"), OP2_ERR_UNAVAILABLE);
  ok(strstr(op2_error_message(), "byte order"), "the reason is told: %s", op2_error_message());
  CHECK(op2_file_close(&file));
  destroy(&s);
  CHECK(op2_finalize(&s.ctx));
}

int main(void) {
  test_environment();
  snprintf(path, sizeof path, "%s/state.h5", test_scratch());
  for (int n = 1; n <= 3; n++)
    is_int(run_contexts(n, on_rank, NULL), 0, "values are replaced on %d ranks", n);
  other_layouts();
  return done();
}

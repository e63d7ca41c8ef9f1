/* SPDX-License-Identifier: BSD-3-Clause */
/* Files not written by OP2, such as h5py's, with plain datasets; names of files that are written;
 * and files of objects without elements, on one rank and on several. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_fault.h"
#include "file_plain.h"
#include "init.h"
#include "op2/ranks.h"
#include "rank_case.h"
#include "support.h"

static char path[512], other[512];
static op2_context ctx;

static void begin(void) {
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CHECK(op2_init(&options, &ctx));
}

/* ---- files as h5py writes them --------------------------------------------------------------- */

static void plain_values(const char *name, hid_t type, hid_t given, int n, const hsize_t *dims,
                         const void *values) {
  hid_t space = n ? H5Screate_simple(n, dims, NULL) : H5Screate(H5S_SCALAR);
  hid_t set = H5Dcreate2(op2_file_id, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(set);
  H5Sclose(space);
}

/* Write an attribute as h5py's dataset.attrs["type"] = text does: variable length, UTF-8. */
static void plain_str(const char *name, const char *text) {
  hid_t set = H5Dopen2(op2_file_id, name, H5P_DEFAULT), space = H5Screate(H5S_SCALAR),
        type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(set, "type", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, &text);
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
}

static const double tensors[3][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}, {{9, 10}, {11, 12}}};

static void write_as_h5py(void) {
  const int64_t three = 3, ends[] = {0, 1, 1, 2, 2, 0}, huge = INT64_C(1) << 61;
  const uint8_t small[] = {0, 1, 1, 2, 2, 0};
  const int8_t flags[] = {1, 0, 1};
  const int64_t numbers[] = {7, 8, 9};
  hid_t boolean = H5Tenum_create(H5T_NATIVE_INT8);
  for (int8_t i = 0; i < 2; i++) H5Tenum_insert(boolean, i ? "TRUE" : "FALSE", &i);
  op2_file_id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  plain_values("nodes", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL, &three);
  plain_values("edges", H5T_STD_U8LE, H5T_NATIVE_INT64, 1, (hsize_t[]){1}, &three);
  plain_values("huge", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL, &huge);
  plain_values("ends", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, (hsize_t[]){3, 2}, ends);
  plain_values("small", H5T_STD_U8LE, H5T_NATIVE_UINT8, 2, (hsize_t[]){3, 2}, small);
  plain_values("x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){3, 2}, plain_places);
  plain_values("turned", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){2, 3}, plain_places);
  plain_values("flat", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){6}, plain_places);
  plain_values("stress", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, (hsize_t[]){3, 2, 2}, tensors);
  plain_values("flags", boolean, boolean, 1, (hsize_t[]){3}, flags);
  plain_values("numbers", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, (hsize_t[]){3}, numbers);
  plain_str("x", "double");
  plain_str("stress", "float");
  H5Tclose(boolean);
  H5Fclose(op2_file_id);
}

static void read_as_h5py(op2_file file, struct small *s) {
  int64_t rows = 0, numbers[3] = {0};
  int columns = 0;
  int32_t entries[6];
  op2_type type = OP2_F64;
  double x[6] = {0};
  op2_map small = NULL;
  CHECK(op2_file_read_set(file, "nodes", &s->nodes));
  is_int(op2_set_size(s->nodes), 3, "a size that is a scalar of 64 bits");
  CHECK(op2_file_read_set(file, "edges", &s->edges));
  is_int(op2_set_size(s->edges), 3, "a size of 8 bits without a sign");
  CHECK(op2_file_read_map(file, s->edges, s->nodes, 2, "ends", &s->pedge));
  CHECK(op2_file_read_map(file, s->edges, s->nodes, 2, "small", &small));
  CHECK(op2_file_read_dat(file, s->nodes, 2, OP2_F64, "x", &s->x));
  CHECK(op2_dat_get(s->x, x));
  ok(!memcmp(x, plain_places, sizeof x), "a dat without size and dim, whose type is a str");
  CHECK(op2_file_read_const(file, 3, OP2_I64, "numbers", numbers));
  ok(numbers[0] == 7 && numbers[2] == 9, "constants without attributes");
  CHECK(op2_file_shape(file, "stress", &rows, &columns, &type));
  ok(rows == 3 && columns == 4 && type == OP2_F64, "the shape of tensors");
  CHECK(op2_file_shape(file, "small", &rows, &columns, &type));
  ok(rows == 3 && columns == 2 && type == OP2_U8, "the shape of a map");
  CHECK(op2_file_shape(file, "nodes", &rows, &columns, &type));
  ok(rows == 1 && columns == 1 && type == OP2_I64, "the shape of a scalar");
  /* The values of the maps are checked by writing them to another file. */
  op2_file out = NULL;
  CHECK(op2_file_open(ctx, other, OP2_FILE_CREATE, &out));
  CHECK(op2_file_write_map(out, s->pedge, "a"));
  CHECK(op2_file_write_map(out, small, "b"));
  CHECK(op2_file_close(&out));
  CHECK(op2_file_open(ctx, other, OP2_FILE_READ, &out));
  for (const char *name = "a"; *name; name = *name == 'a' ? "b" : "") {
    CHECK(op2_file_read_rows(out, name, 0, 3, 2, OP2_I32, entries));
    ok(!memcmp(entries, plain_ends, sizeof entries), "entries of %s bits",
       *name == 'a' ? "64" : "8");
  }
  CHECK(op2_file_close(&out));
  op2_map_destroy(&small);
}

static void refuse_as_h5py(op2_file file, struct small *s) {
  op2_dat dat = NULL;
  op2_set set = NULL;
  double values[12];
  int64_t rows;
  int columns;
  op2_type type;
  REFUSES(OP2_ERR_TYPE, op2_file_read_dat(file, s->nodes, 4, OP2_F64, "stress", &dat),
          "has the attribute type = 'float', expected 'double'");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_dat(file, s->nodes, 2, OP2_F64, "turned", &dat),
          "has the shape [2][3], expected [3][2]: it is transposed");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_dat(file, s->nodes, 2, OP2_F64, "flat", &dat),
          "has the shape [6], expected [3][2]: it is flat");
  REFUSES(OP2_ERR_TYPE, op2_file_read_dat(file, s->nodes, 1, OP2_U8, "flags", &dat),
          "holds an enumeration, as h5py's booleans");
  REFUSES(OP2_ERR_TYPE, op2_file_shape(file, "flags", &rows, &columns, &type),
          "dataset 'flags' holds an enumeration");
  REFUSES(OP2_ERR_RANGE, op2_file_read_set(file, "huge", &set),
          "has the size 2305843009213693952, more than a set can have");
  CHECK(op2_file_read_rows(file, "x", 1, 1, 2, OP2_F64, values));
  REFUSES(OP2_ERR_ARG, op2_file_shape(file, "x", &rows, NULL, &type), "a null pointer");
  ok(!dat && !set, "nothing was declared");
}

static void as_h5py(void) {
  struct small s = {0};
  op2_file file = NULL;
  const int64_t before = hdf5_open_ids();
  write_as_h5py();
  CHECK(op2_file_open(ctx, path, OP2_FILE_READ, &file));
  read_as_h5py(file, &s);
  refuse_as_h5py(file, &s);
  CHECK(op2_file_close(&file));
  destroy_small(&s);
  is_int(hdf5_open_ids(), before, "nothing of HDF5 is left open");
}

/* ---- names ----------------------------------------------------------------------------------- */

static op2_status write_value(op2_file file, double value) {
  return op2_file_write_const(file, 1, OP2_F64, "value", &value);
}

/* The value in a file, or -1. */
static double value_of(const char *where) {
  op2_file file = NULL;
  double value = -1;
  if (!op2_file_open(ctx, where, OP2_FILE_READ, &file) &&
      op2_file_read_const(file, 1, OP2_F64, "value", &value))
    value = -1;
  return op2_file_close(&file) ? -1 : value;
}

static void replace_file(void) {
  op2_file first = NULL, second = NULL;
  struct stat st;
  CHECK(op2_file_open(ctx, path, OP2_FILE_CREATE, &first));
  CHECK(write_value(first, 1));
  CHECK(op2_file_close(&first));
  CHECK(op2_file_open(ctx, path, OP2_FILE_CREATE, &first));
  CHECK(write_value(first, 2));
  ok(value_of(path) == 1, "while a file is written the former one can be read");
  CHECK(op2_file_open(ctx, path, OP2_FILE_CREATE, &second));
  CHECK(write_value(second, 3));
  REFUSES(OP2_ERR_IO, op2_file_close(&first), path, "another program has removed or replaced it");
  CHECK(op2_file_close(&second));
  ok(value_of(path) == 3, "of two that write one file, the second has it");
  ok(chmod(path, 0640) == 0, "other permissions");
  CHECK(op2_file_open(ctx, path, OP2_FILE_ADD, &first));
  REFUSES(OP2_ERR_NAME, write_value(first, 4), "is in the file already");
  CHECK(op2_file_write_const(first, 1, OP2_F64, "more", &(double){5}));
  CHECK(op2_file_close(&first));
  ok(value_of(path) == 3 && stat(path, &st) == 0 && (st.st_mode & 07777) == 0640,
     "a name that is taken spoils nothing, and permissions stay");
}

/* If a file cannot be renamed to its final name, it is removed, and nothing of it stays. */
static void take_name(void) {
  op2_file file = NULL;
  char name[512], part[540];
  snprintf(name, sizeof name, "%.500s/taken.h5", test_scratch());
  snprintf(part, sizeof part, "%s.op2-part", name);
  CHECK(op2_file_open(ctx, name, OP2_FILE_CREATE, &file));
  CHECK(write_value(file, 8));
  ok(access(part, F_OK) == 0, "while a file is written it has another name");
  ok(mkdir(name, 0700) == 0, "a folder takes its name");
  REFUSES(OP2_ERR_IO, op2_file_close(&file), name, "cannot be renamed", "Is a directory");
  ok(access(part, F_OK) != 0, "the file is removed");
}

/* If a disk silently loses a part of a file, the former file stays. */
static void lose_bytes(void) {
  static const struct {
    enum file_fault fault;
    const char *words;
  } all[] = {{FAULT_CUT, "its size is not what was written"}, {FAULT_BLANK, "it is no HDF5 file"}};
  op2_file file = NULL;
  char part[540];
  snprintf(part, sizeof part, "%s.op2-part", path);
  const double before = value_of(path);
  for (int i = 0; i < 2; i++) {
    CHECK(op2_file_open(ctx, path, OP2_FILE_CREATE, &file));
    CHECK(write_value(file, 9));
    file_fault_arm(all[i].fault, 1);
    REFUSES(OP2_ERR_IO, op2_file_close(&file), path, all[i].words);
    ok(file_fault_disarm() && value_of(path) == before && access(part, F_OK) != 0,
       "the former file is what it was, and nothing stays of the other");
  }
}

/* A relative name belongs to the folder in which the file was opened. */
static void other_folders(void) {
  op2_file file = NULL;
  struct stat st;
  char link[520], here[512];
  snprintf(link, sizeof link, "%s.link", path);
  ok(symlink(path, link) == 0, "a symbolic link");
  CHECK(op2_file_open(ctx, link, OP2_FILE_CREATE, &file));
  CHECK(write_value(file, 6));
  CHECK(op2_file_close(&file));
  ok(value_of(path) == 6 && lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "leads to the new file");
  ok(getcwd(here, sizeof here) && chdir(test_scratch()) == 0, "in another folder");
  CHECK(op2_file_open(ctx, "relative.h5", OP2_FILE_CREATE, &file));
  CHECK(write_value(file, 7));
  ok(chdir(here) == 0, "and back");
  CHECK(op2_file_close(&file));
  snprintf(link, sizeof link, "%s/relative.h5", test_scratch());
  ok(value_of(link) == 7, "a file is where it was opened");
  REFUSES(OP2_ERR_IO, op2_file_open(ctx, test_scratch(), OP2_FILE_CREATE, &file),
          "cannot be created", "Is a directory");
}

/* ---- no elements ----------------------------------------------------------------------------- */

static int write_nothing(op2_context rank, op2_set *cells, op2_set *none) {
  op2_dat dat = NULL;
  op2_map map = NULL;
  op2_file file = NULL;
  const int64_t no_entry[2] = {0, 0};
  int wrong = op2_set_create(rank, 10, "cells", cells) || op2_set_create(rank, 0, "none", none) ||
              op2_dat_create(*none, 1, OP2_F64, NULL, "value", &dat) ||
              op2_map_create_global(*none, *cells, 2, no_entry, "map", &map) ||
              op2_file_open(rank, other, OP2_FILE_CREATE, &file) ||
              op2_file_write_set(file, *cells, NULL) || op2_file_write_set(file, *none, NULL) ||
              op2_file_write_map(file, map, NULL) || op2_file_write_dat(file, dat, NULL) ||
              op2_file_close(&file);
  op2_map_destroy(&map);
  op2_dat_destroy(&dat);
  op2_set_destroy(none);
  op2_set_destroy(cells);
  return wrong;
}

static int read_nothing(op2_context rank, op2_set *cells, op2_set *none) {
  op2_dat dat = NULL;
  op2_map map = NULL;
  op2_file file = NULL;
  int wrong = op2_file_open(rank, other, OP2_FILE_READ, &file) ||
              op2_file_read_set(file, "cells", cells) || op2_file_read_set(file, "none", none) ||
              op2_file_read_map(file, *none, *cells, 2, "map", &map) ||
              op2_file_read_dat(file, *none, 1, OP2_F64, "value", &dat) || op2_file_close(&file) ||
              op2_set_global_size(*none) != 0 ||
              op2_set_global_size(*cells) != 10 * op2_ranks(rank);
  op2_map_destroy(&map);
  op2_dat_destroy(&dat);
  op2_set_destroy(none);
  op2_set_destroy(cells);
  return wrong;
}

static int nothing(struct op2i_comm *comm, void *data) {
  op2_context rank = NULL;
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_set cells = NULL, none = NULL;
  (void)data;
  if (comm ? op2i_init_ranks(&options, comm, &rank) : op2_init(&options, &rank)) return 100;
  int wrong = write_nothing(rank, &cells, &none) || read_nothing(rank, &cells, &none);
  if (wrong) diag("%s", op2_error_message());
  return wrong + (op2_finalize(&rank) != OP2_SUCCESS);
}

/* ---- an object that one rank lacks ----------------------------------------------------------- */

/* All ranks make the call, so it fails on all with the rank's number, and the file stays usable. */
static int lacks_object(struct op2i_comm *comm, void *data) {
  op2_context rank = NULL;
  op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  op2_set cells = NULL;
  op2_file file = NULL;
  (void)data;
  if (op2i_init_ranks(&options, comm, &rank)) return 100;
  int wrong = op2_set_create(rank, 4, "cells", &cells) ||
              op2_file_open(rank, other, OP2_FILE_CREATE, &file);
  op2_status status = op2_file_write_set(file, comm->rank ? NULL : cells, "cells");
  wrong = wrong || status != OP2_ERR_ARG || !strstr(op2_error_message(), "rank 1 of 2") ||
          op2_file_write_set(file, cells, "cells") || op2_file_close(&file);
  if (wrong) diag("%s", op2_error_message());
  op2_set_destroy(&cells);
  return wrong + (op2_finalize(&rank) != OP2_SUCCESS);
}

int main(void) {
  test_environment();
  snprintf(path, sizeof path, "%s/plain.h5", test_scratch());
  snprintf(other, sizeof other, "%s/other.h5", test_scratch());
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  begin();
  as_h5py();
  replace_file();
  take_name();
  lose_bytes();
  other_folders();
  CHECK(op2_finalize(&ctx));
  is_int(nothing(NULL, NULL), 0, "a set without elements is written and read alone");
  for (int n = 1; n <= 3; n++) is_int(run_contexts(n, nothing, NULL), 0, "and over %d ranks", n);
  is_int(run_contexts(2, lacks_object, NULL), 0,
         "an object that one rank lacks is an error of all");
  return done();
}

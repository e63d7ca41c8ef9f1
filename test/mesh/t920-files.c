/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes in HDF5 files: written values are read back, the files have OP2's layout, and errors in a
 * file give a message and leave nothing open. MPI is not initialised. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_case.h"
#include "file_plain.h"
#include "hear.h"
#include "init.h"
#include "mem.h"
#include "rank_case.h"
#include "support.h"

static char path[512], other[512];
static op2_context ctx;

static void begin(void) {
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CHECK(op2_init(&options, &ctx));
}

/* ---- round trips ----------------------------------------------------------------------------- */

static void round_trip(uint64_t seed) {
  struct file_mesh mesh;
  struct file_objects objects, back;
  file_mesh_make(&mesh, seed);
  bool good = !file_mesh_declare(ctx, &mesh, &objects) &&
              !file_mesh_write(ctx, path, &mesh, &objects) &&
              !file_mesh_read(ctx, path, &mesh, &back);
  if (!ok(good, "mesh %d is written and read", (int)seed)) diag("%s", op2_error_message());
  if (good) is_int(file_mesh_differs(&mesh, &back), 0, "mesh %d: values", (int)seed);
  sleep(seed == 1); /* time stamps in the files would differ */
  if (good) good = !file_mesh_write(ctx, other, &mesh, &back);
  ok(good && file_equal(path, other), "mesh %d: written again, the file is equal", (int)seed);
  if (good) {
    mesh.values[3][0]++;
    is_int(file_mesh_differs(&mesh, &back), 1, "mesh %d: another value would be seen", (int)seed);
    mesh.values[3][0]--;
  }
  file_objects_destroy(&back);
  file_objects_destroy(&objects);
  file_mesh_free(&mesh);
}

/* Files do not depend on renumbering. */
static void renumbered(void) {
  struct file_mesh mesh;
  struct file_objects objects;
  int64_t number[64];
  bool moved = false;
  file_mesh_make(&mesh, 77);
  CHECK(file_mesh_declare(ctx, &mesh, &objects));
  CHECK(file_mesh_write(ctx, path, &mesh, &objects));
  op2_status status = op2_renumber(objects.maps[0]);
  if (status == OP2_ERR_UNAVAILABLE) {
    skip("no Scotch: nothing is renumbered");
  } else {
    CHECK(status);
    CHECK(op2_set_numbering(objects.sets[1], number));
    for (int64_t i = 0; i < mesh.size[1]; i++) moved = moved || number[i] != i;
    ok(moved, "elements have other places");
    CHECK(file_mesh_write(ctx, other, &mesh, &objects));
    ok(file_equal(path, other), "a renumbered mesh gives the same file");
    /* and a map and a dat are read onto renumbered sets */
    op2_file file = NULL;
    op2_map map = NULL;
    op2_dat dat = NULL;
    double *got = calloc((size_t)(mesh.size[mesh.set[0]] * mesh.dim[0]), sizeof *got);
    CHECK(op2_file_open(ctx, path, OP2_FILE_READ, &file));
    CHECK(op2_file_read_map(file, objects.sets[1], objects.sets[0], mesh.arity[0], "edge_nodes",
                            &map));
    CHECK(op2_file_read_dat(file, objects.sets[mesh.set[0]], mesh.dim[0], OP2_F64, "p_0", &dat));
    CHECK(op2_dat_get(dat, got));
    ok(!memcmp(got, mesh.values[0], (size_t)(mesh.size[mesh.set[0]] * mesh.dim[0]) * sizeof *got),
       "values come to renumbered sets");
    CHECK(op2_file_close(&file));
    op2_map_destroy(&objects.maps[0]);
    objects.maps[0] = map;
    CHECK(file_mesh_write(ctx, other, &mesh, &objects));
    ok(file_equal(path, other), "and maps");
    op2_dat_destroy(&dat);
    free(got);
  }
  file_objects_destroy(&objects);
  file_mesh_free(&mesh);
}

/* ---- files in OP2's format ------------------------------------------------------------------- */

/* Everything in a dataset that a reader can see but its values, as text. */
static herr_t describe_attribute(hid_t set, const char *name, const H5A_info_t *info, void *text) {
  char *at = (char *)text + strlen(text);
  hid_t attribute = H5Aopen(set, name, H5P_DEFAULT), type = H5Aget_type(attribute),
        space = H5Aget_space(attribute);
  char value[64] = "";
  (void)info;
  H5Aread(attribute, type, value);
  int number = 0;
  memcpy(&number, value, sizeof number);
  bool string = H5Tget_class(type) == H5T_STRING;
  sprintf(at, " %s:%d:%d:%d:%d:%s:%d", name, (int)H5Tget_class(type), (int)H5Tget_size(type),
          (int)H5Sget_simple_extent_type(space), string ? (int)H5Tget_strpad(type) : 0,
          string ? value : "", string ? 0 : number);
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(attribute);
  return 0;
}

static herr_t describe(hid_t group, const char *name, const H5L_info_t *info, void *text) {
  hid_t set = H5Dopen2(group, name, H5P_DEFAULT), type = H5Dget_type(set),
        space = H5Dget_space(set);
  hsize_t dims[4] = {0, 0, 0, 0};
  int n = H5Sget_simple_extent_dims(space, dims, NULL);
  (void)info;
  sprintf((char *)text + strlen(text), "%s %d [%d %d %d] %d %d", name, n, (int)dims[0],
          (int)dims[1], (int)dims[2], (int)H5Tget_class(type), (int)H5Tget_size(type));
  H5Aiterate2(set, H5_INDEX_NAME, H5_ITER_INC, NULL, describe_attribute, text);
  strcat(text, "\n");
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  return 0;
}

static void description(const char *where, char text[4096]) {
  hid_t file = H5Fopen(where, H5F_ACC_RDONLY, H5P_DEFAULT);
  *text = '\0';
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, describe, text);
  H5Fclose(file);
}

static op2_status write_small(op2_file file, const struct small *s) {
  op2_status status = op2_file_write_set(file, s->nodes, NULL);
  if (!status) status = op2_file_write_set(file, s->edges, NULL);
  if (!status) status = op2_file_write_map(file, s->pedge, NULL);
  if (!status) status = op2_file_write_dat(file, s->x, NULL);
  if (!status) status = op2_file_write_dat(file, s->bound, NULL);
  if (!status) status = op2_file_write_dat(file, s->len, NULL);
  if (!status) status = op2_file_write_const(file, 4, OP2_F64, "qinf", plain_far_field);
  return status;
}

static void as_op2(void) {
  struct small s = {0};
  op2_file file = NULL;
  char theirs[4096], ours[4096];
  int32_t rows[6];
  double x[6], q[4];
  write_as_op2(path);
  CHECK(op2_file_open(ctx, path, OP2_FILE_READ, &file));
  CHECK(read_small(file, &s));
  is_int(op2_set_size(s.nodes), 3, "the size of a set of OP2's");
  CHECK(op2_dat_get(s.x, x));
  ok(!memcmp(x, plain_places, sizeof x), "doubles of OP2's");
  CHECK(op2_file_read_const(file, 4, OP2_F64, "qinf", q));
  ok(!memcmp(q, plain_far_field, sizeof q), "a constant of OP2's");
  CHECK(op2_file_read_rows(file, "pedge", 1, 2, 2, OP2_I32, rows));
  ok(!memcmp(rows, plain_ends + 2, 4 * sizeof *rows), "rows of a map");
  CHECK(op2_file_read_rows(file, "pedge", 3, 0, 2, OP2_I32, NULL));
  CHECK(op2_file_close(&file));
  ok(!file, "the handle is null");
  CHECK(op2_file_close(&file));

  CHECK(op2_file_open(ctx, other, OP2_FILE_CREATE, &file));
  CHECK(write_small(file, &s));
  CHECK(op2_file_close(&file));
  description(path, theirs);
  description(other, ours);
  is_str(ours, theirs, "names, types and attributes are OP2's");
  destroy_small(&s);
}

/* Numbers of 64 bits, the other byte order, and OP2's names of types. */
static void wide(void) {
  const long numbers[] = {2, 1, 0};
  const struct plain arrays[] = {
      {"plong", H5T_STD_I64LE, H5T_NATIVE_LONG, 3, 1, numbers, 3, 1, "long", 10},
      {"pbig", H5T_STD_I32BE, H5T_NATIVE_INT, 3, 2, plain_ends, 3, 2, "int", 10},
      {"xbig", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 3, 2, plain_places, 16, 2, "real(8)", 7},
      {"xsoa", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, 2, plain_places, 16, 2, "double:soa", 10},
      {"xrow", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, 0, plain_places, 8, 1, "double", 6},
  };
  const char *const dats[] = {"xbig", "xsoa"};
  struct small s = {0};
  op2_file file = NULL;
  op2_map map = NULL;
  double x[6];
  write_as_op2(path);
  op2_file_id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) plain_array(&arrays[i]);
  H5Fclose(op2_file_id);
  CHECK(op2_file_open(ctx, path, OP2_FILE_ADD, &file));
  CHECK(read_small(file, &s));
  CHECK(op2_file_read_map(file, s.edges, s.nodes, 1, "plong", &map));
  CHECK(op2_file_write_map(file, map, "pshort"));
  int32_t narrow[3];
  CHECK(op2_file_read_rows(file, "pshort", 0, 3, 1, OP2_I32, narrow));
  ok(narrow[0] == 2 && narrow[1] == 1 && narrow[2] == 0, "a map of 64 bits, kept in 32");
  op2_map_destroy(&map);
  CHECK(op2_file_read_map(file, s.edges, s.nodes, 2, "pbig", &map));
  CHECK(op2_file_write_map(file, map, "plittle"));
  int32_t little[6];
  CHECK(op2_file_read_rows(file, "plittle", 0, 3, 2, OP2_I32, little));
  ok(!memcmp(little, plain_ends, sizeof plain_ends), "a map of the other order of bytes");
  op2_map_destroy(&map);
  for (int i = 0; i < 2; i++) {
    op2_dat dat = NULL;
    CHECK(op2_file_read_dat(file, s.nodes, 2, OP2_F64, dats[i], &dat));
    memset(x, 0, sizeof x);
    CHECK(op2_dat_get(dat, x));
    ok(!memcmp(x, plain_places, sizeof x), "dat %s", dats[i]);
    op2_dat_destroy(&dat);
  }
  op2_dat dat = NULL;
  CHECK(op2_file_read_dat(file, s.nodes, 1, OP2_F64, "xrow", &dat));
  memset(x, 0, sizeof x);
  CHECK(op2_dat_get(dat, x));
  ok(!memcmp(x, plain_places, 3 * sizeof *x), "a dat of one dimension");
  op2_dat_destroy(&dat);
  CHECK(op2_file_close(&file));
  destroy_small(&s);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void wrong_arrays(void) {
  static const int32_t stray[] = {0, 1, 1, 3, 2, 0}, below[] = {0, 1, 1, 2, 2, -1};
  const struct plain arrays[] = {
      {"othersize", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, plain_ends, 4, 2, "int", 10},
      {"otherdim", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, plain_ends, 3, 1, "int", 10},
      {"othertype", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, plain_ends, 3, 2, "double", 10},
      {"long_name", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, plain_ends, 3, 2, "int", 70},
      {"reals", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 3, 2, plain_places, 3, 2, "int", 10},
      {"stray", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, stray, 3, 2, "int", 10},
      {"below", H5T_NATIVE_INT, H5T_NATIVE_INT, 3, 2, below, 3, 2, "int", 10},
  };
  write_as_op2(path);
  op2_file_id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) plain_array(&arrays[i]);
  plain_set("minus", -1);
  H5Gclose(H5Gcreate2(op2_file_id, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(op2_file_id);
}

static void wrong_contents(op2_file file, struct small *s) {
  op2_set set = NULL;
  op2_map map = NULL;
  op2_dat dat = NULL;
  double q[5];
#define MAP(name_) op2_file_read_map(file, s->edges, s->nodes, 2, name_, &map)
  REFUSES(OP2_ERR_IO, op2_file_read_set(file, "none", &set), "set 'none' is not in the file", path);
  REFUSES(OP2_ERR_IO, op2_file_read_set(file, "a/b/c", &set), "set 'a/b/c' is not in the file");
  REFUSES(OP2_ERR_IO, op2_file_read_set(file, "group", &set),
          "is in the file, but not as a dataset");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_set(file, "p_x", &set), "set 'p_x' has the shape [3][2]",
          "op2_file_shape");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_set(file, "qinf", &set), "set 'qinf' has the shape [4]");
  REFUSES(OP2_ERR_RANGE, op2_file_read_set(file, "minus", &set), "set 'minus' has the size -1");
  REFUSES(OP2_ERR_MISMATCH, MAP("othersize"), "has the attribute size = 4, expected 3");
  REFUSES(OP2_ERR_MISMATCH, MAP("otherdim"), "has the attribute dim = 1, expected 2");
  REFUSES(OP2_ERR_TYPE, MAP("othertype"), "has the attribute type = 'double', expected 'int'");
  REFUSES(OP2_ERR_MISMATCH, MAP("long_name"), "that is not one short text");
  REFUSES(OP2_ERR_TYPE, MAP("reals"),
          "map 'reals' holds values of type double, not values of type int");
  REFUSES(OP2_ERR_RANGE, MAP("stray"),
          "map 'stray' has the entry 3 at row 1, column 1, which is not in [0, 3)", path);
  REFUSES(OP2_ERR_RANGE, MAP("below"), "has the entry -1 at row 2, column 1");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_map(file, s->edges, s->nodes, 3, "pedge", &map),
          "has the shape [3][2], expected [3][3]");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_dat(file, s->nodes, 1, OP2_F64, "p_x", &dat),
          "dat 'p_x' has the shape [3][2], expected [3][1]");
  REFUSES(OP2_ERR_TYPE, op2_file_read_dat(file, s->nodes, 2, OP2_F32, "p_x", &dat),
          "holds values of type double, not values of type float");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_const(file, 5, OP2_F64, "qinf", q),
          "constant 'qinf' has the shape [4], expected [5]");
  REFUSES(OP2_ERR_RANGE, op2_file_read_rows(file, "p_x", 2, 2, 2, OP2_F64, q),
          "has 3 rows: 2 from 2 on are not there");
  REFUSES(OP2_ERR_RANGE, op2_file_read_rows(file, "p_x", -1, 2, 2, OP2_F64, q), "2 from -1 on");
  ok(!set && !map && !dat, "nothing was declared");
}

static void wrong_calls(op2_file file, struct small *s) {
  op2_context second = NULL;
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_set foreign = NULL, subset = NULL, set = NULL;
  op2_map map = NULL, empty = NULL;
  op2_dat dat = NULL;
  double q[4];
  CHECK(op2_init(&options, &second));
  CHECK(op2_set_create(second, 3, "foreign", &foreign));
  CHECK(op2_subset_create(s->nodes, 1, (const int64_t[]){1}, "some", &subset));
  REFUSES(OP2_ERR_ARG, op2_file_read_set(NULL, "nodes", &set), "op2_file_read_set: not an open");
  REFUSES(OP2_ERR_ARG, op2_file_read_set(file, NULL, &set), "op2_file_read_set: a null pointer");
  REFUSES(OP2_ERR_ARG, op2_file_read_set(file, "nodes", NULL), "op2_file_read_set: a null");
  REFUSES(OP2_ERR_NAME, op2_file_read_set(file, "", &set), "the name is empty");
  REFUSES(OP2_ERR_MISMATCH, op2_file_read_map(file, s->edges, foreign, 2, "pedge", &map),
          "'foreign' is of another context");
  REFUSES(OP2_ERR_ARG, op2_file_read_dat(file, subset, 2, OP2_F64, "p_x", &dat),
          "'some' is a subset");
  REFUSES(OP2_ERR_ARG, op2_file_read_map(file, s->edges, s->nodes, 0, "pedge", &map), "arity 0");
  REFUSES(OP2_ERR_ARG, op2_file_read_dat(file, s->nodes, 0, OP2_F64, "p_x", &dat), "dim 0");
  REFUSES(OP2_ERR_TYPE, op2_file_read_const(file, 4, (op2_type)99, "qinf", q), "99");
  REFUSES(OP2_ERR_NAME, op2_file_write_dat(file, s->x, NULL), "dat 'p_x' is in the file already",
          path);
  REFUSES(OP2_ERR_ARG, op2_file_write_set(file, subset, NULL), "'some' is a subset");
  CHECK(op2_map_create(s->edges, s->nodes, 1, NULL, "empty", &empty));
  REFUSES(OP2_ERR_MISMATCH, op2_file_write_map(file, empty, NULL), "'empty'", "without values");
  op2_map_destroy(&empty);
  op2_set_destroy(&subset);
  op2_set_destroy(&foreign);
  CHECK(op2_finalize(&second));
}

static void wrong_files(void) {
  op2_file file = NULL;
  FILE *text;
  REFUSES(OP2_ERR_ARG, op2_file_open(ctx, NULL, OP2_FILE_READ, &file), "a null pointer");
  REFUSES(OP2_ERR_ARG, op2_file_open(ctx, path, (op2_file_mode)7, &file), "7 is not an");
  REFUSES(OP2_ERR_IO, op2_file_open(ctx, "/nowhere/x.h5", OP2_FILE_READ, &file), "/nowhere/x.h5",
          "cannot be opened", "No such file");
  REFUSES(OP2_ERR_IO, op2_file_open(ctx, "/nowhere/x.h5", OP2_FILE_CREATE, &file),
          "cannot be created");
  text = fopen(other, "w");
  fprintf(text, "4 3 2 1\nnot HDF5 at all, but some text that is long enough\n");
  fclose(text);
  REFUSES(OP2_ERR_IO, op2_file_open(ctx, other, OP2_FILE_READ, &file), other, "as an HDF5 file",
          "signature");
  ok(!file, "no file was opened");
}

static void wrong(void) {
  struct small s = {0};
  op2_file file = NULL;
  const int64_t before = hdf5_open_ids();
  wrong_arrays();
  CHECK(op2_file_open(ctx, path, OP2_FILE_ADD, &file));
  CHECK(read_small(file, &s));
  wrong_contents(file, &s);
  wrong_calls(file, &s);
  CHECK(op2_file_close(&file));
  CHECK(op2_file_open(ctx, path, OP2_FILE_READ, &file));
  REFUSES(OP2_ERR_STATE, op2_file_write_dat(file, s.x, "new"), "is open for reading", path);
  CHECK(op2_file_close(&file));
  wrong_files();
  destroy_small(&s);
  is_int(hdf5_open_ids(), before, "nothing of HDF5 is left open");
}

/* ---- memory, ranks, HDF5's own messages ------------------------------------------------------ */

static op2_status there_and_back(void) {
  struct small s = {0};
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, path, OP2_FILE_READ, &file), closed;
  if (!status) status = read_small(file, &s);
  closed = op2_file_close(&file);
  if (!status) status = closed;
  if (!status) status = op2_file_open(ctx, other, OP2_FILE_CREATE, &file);
  if (!status) status = write_small(file, &s);
  closed = op2_file_close(&file);
  destroy_small(&s);
  return status ? status : closed;
}

static void nomem(void) {
  int odd = 0, failed = 0;
  write_as_op2(path);
  CHECK(there_and_back());
  const int64_t before = hdf5_open_ids();
  op2i_mem_fail_at(0);
  CHECK(there_and_back());
  const int64_t all = op2i_mem_fail_at(0);
  for (int64_t n = 1; n <= all; n++) {
    op2i_mem_fail_at(n);
    op2_status status = there_and_back();
    op2i_mem_fail_at(0);
    failed += status != OP2_SUCCESS;
    if (status && status != OP2_ERR_NOMEM) {
      odd++;
      diag("allocation %d: %s", (int)n, op2_error_message());
    }
  }
  ok(all > 20 && failed > all / 2, "%d of %d allocations were missed", failed, (int)all);
  is_int(odd, 0, "each by OP2_ERR_NOMEM");
  is_int(hdf5_open_ids(), before, "nothing of HDF5 is left open");
  CHECK(there_and_back());
}

/* Ranks that are threads of one process write and read one file together. */
static int together(struct op2i_comm *comm, void *data) {
  op2_context rank = NULL;
  op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  struct file_mesh mesh;
  struct file_objects objects = {0}, back = {0};
  (void)data;
  if (op2i_init_ranks(&options, comm, &rank)) return 100;
  file_mesh_make(&mesh, 5);
  int wrong = file_mesh_declare(rank, &mesh, &objects) ||
              file_mesh_write(rank, other, &mesh, &objects) ||
              file_mesh_read(rank, other, &mesh, &back);
  if (wrong) diag("%s", op2_error_message());
  if (!wrong) wrong = file_mesh_differs(&mesh, &back);
  file_objects_destroy(&back);
  file_objects_destroy(&objects);
  file_mesh_free(&mesh);
  return wrong + (op2_finalize(&rank) != OP2_SUCCESS);
}

static int heard;
static herr_t hear_hdf5(hid_t stack, void *data) {
  (void)stack, (void)data;
  heard++;
  return 0;
}

static void manners(void) {
  H5E_auto2_t function = NULL;
  void *data = NULL;
  op2_file file = NULL;
  H5Eset_auto2(H5E_DEFAULT, hear_hdf5, &heard);
  FAILS(op2_file_open(ctx, "/nowhere/x.h5", OP2_FILE_READ, &file), OP2_ERR_IO);
  is_int(heard, 0, "the program's own function for HDF5's errors does not hear of ours");
  H5Eget_auto2(H5E_DEFAULT, &function, &data);
  ok(function == hear_hdf5 && data == &heard, "and is there afterwards");
  H5Dopen2(-1, "x", H5P_DEFAULT);
  is_int(heard, 1, "and hears of others");
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* A file handle outlives its context, but can only be closed then. */
static void late(void) {
  struct small s = {0};
  op2_file file = NULL;
  op2_set set = NULL;
  write_as_op2(path);
  CHECK(op2_file_open(ctx, path, OP2_FILE_READ, &file));
  CHECK(read_small(file, &s));
  destroy_small(&s);
  CHECK(op2_finalize(&ctx));
  FAILS(op2_file_read_set(file, "nodes", &set), OP2_ERR_STATE);
  FAILS(op2_file_close(&file), OP2_ERR_STATE);
  ok(!file, "the handle is null");
  begin();
}

int main(void) {
  test_environment();
  snprintf(path, sizeof path, "%s/mesh.h5", test_scratch());
  snprintf(other, sizeof other, "%s/other.h5", test_scratch());
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  begin();
  for (uint64_t seed = 1; seed <= (quick() ? 3 : 12); seed++) round_trip(seed);
  renumbered();
  as_op2();
  wide();
  wrong();
  manners();
  nomem();
  late();
  is_int(run_contexts(3, together, NULL), 0, "ranks that are threads write and read a file");
  op2_set none = NULL;
  REFUSES(OP2_ERR_NOMEM, op2_set_create(ctx, INT64_C(1) << 61, "huge", &none),
          "set 'huge' of 2305843009213693952 elements is larger than memory");
  CHECK(op2_finalize(&ctx));
  return done();
}

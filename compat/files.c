/* SPDX-License-Identifier: BSD-3-Clause */
/* libop2-compat-hdf5: the calls of OP2 for files. */
#include <unistd.h>

#include <op2.h>
#include <op2/io.h>

#include "op_hdf5.h"

static void check(op2_status status, const char *call, const char *file, const char *name) {
  if (!status) return;
  fflush(stdout);
  fprintf(stderr, "op2-compat: %s: '%s' in %s: %s\n", call, name, file, op2_error_message());
  exit(1);
}

static op2_file opened(const char *file, const char *call, const char *name) {
  op2_file made;
  check(op2_file_open(op2_compat_context(), file, OP2_FILE_READ, &made), call, file, name);
  return made;
}

/* A file to write to: what it has already stays. */
static op2_file added(const char *file, const char *call, const char *name) {
  op2_file made;
  bool exists = op2_compat_any(op_is_root() && !access(file, F_OK));
  op2_file_mode mode = exists ? OP2_FILE_ADD : OP2_FILE_CREATE;
  check(op2_file_open(op2_compat_context(), file, mode, &made), call, file, name);
  return made;
}

/* The rows of a table for the block of a set that this rank has declared, which are the caller's.
 * OP2 gives a null handle where there is no table, and so does this. */
static void *rows_of(const char *file, const char *call, const char *name, op_set set, int dim,
                     op2_type type, size_t bytes) {
  int64_t n;
  int columns;
  op2_type kept;
  op2_file from = opened(file, call, name);
  char *rows = NULL;
  if (op2_file_shape(from, name, &n, &columns, &kept)) {
    op_printf("%s: there is no '%s' in %s\n", call, name, file);
  } else {
    rows = op_malloc((size_t)set->declared * (size_t)dim * bytes + 1);
    if (rows)
      check(op2_file_read_rows(from, name, set->first, set->declared, dim, type, rows), call, file,
            name);
  }
  check(op2_file_close(&from), call, file, name);
  return rows;
}

op_set op_decl_set_hdf5(const char *file, const char *name) {
  op2_set set;
  op2_file from = opened(file, "op_decl_set_hdf5", name);
  check(op2_file_read_set(from, name, &set), "op_decl_set_hdf5", file, name);
  int size = (int)op2_set_size(set);
  op2_set_destroy(&set);
  check(op2_file_close(&from), "op_decl_set_hdf5", file, name);
  return op_decl_set(size, name);
}

op_set op_decl_set_hdf5_infer_size(const char *file, const char *name, const char *dataset) {
  static const char call[] = "op_decl_set_hdf5_infer_size";
  int64_t rows;
  int columns;
  op2_type type;
  op2_file from = opened(file, call, dataset);
  check(op2_file_shape(from, dataset, &rows, &columns, &type), call, file, dataset);
  check(op2_file_close(&from), call, file, dataset);
  int64_t rank = op2_rank(op2_compat_context()), ranks = op2_ranks(op2_compat_context());
  return op_decl_set((int)(rows * (rank + 1) / ranks - rows * rank / ranks), name);
}

op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char *file, const char *name) {
  int *rows = rows_of(file, "op_decl_map_hdf5", name, from, dim, OP2_I32, sizeof *rows);
  op_map map = rows ? op_decl_map(from, to, dim, rows, name) : NULL;
  op_free(rows);
  return map;
}

op_dat op_decl_dat_hdf5(op_set set, int dim, const char *type, const char *file, const char *name) {
  int size = 0;
  op2_type known = (op2_type)op2_compat_type_of(type, &size);
  char *rows = rows_of(file, "op_decl_dat_hdf5", name, set, dim, known, (size_t)size);
  op_dat dat = rows ? op_decl_dat_char(set, dim, type, size, NULL, name) : NULL;
  if (dat) /* op_partition() may have moved the elements of the block */
    check(op2_dat_set_block(dat->handle, set->first, set->declared, rows), "op_decl_dat_hdf5", file,
          name);
  op_free(rows);
  return dat;
}

void op_get_const_hdf5(const char *name, int dim, const char *type, char *data, const char *file) {
  int size;
  op2_type known = (op2_type)op2_compat_type_of(type, &size);
  op2_file from = opened(file, "op_get_const_hdf5", name);
  check(op2_file_read_const(from, dim, known, name, data), "op_get_const_hdf5", file, name);
  check(op2_file_close(&from), "op_get_const_hdf5", file, name);
}

void op_write_const_hdf5(const char *name, int dim, const char *type, char *data,
                         const char *file) {
  int size;
  op2_type known = (op2_type)op2_compat_type_of(type, &size);
  op2_file to = added(file, "op_write_const_hdf5", name);
  check(op2_file_write_const(to, dim, known, name, data), "op_write_const_hdf5", file, name);
  check(op2_file_close(&to), "op_write_const_hdf5", file, name);
}

void op_dump_to_hdf5(const char *file) {
  static const char call[] = "op_dump_to_hdf5";
  op2_file to;
  op_set set;
  op_map map;
  op_dat dat;
  check(op2_file_open(op2_compat_context(), file, OP2_FILE_CREATE, &to), call, file, "");
  for (int i = 0; (set = op2_compat_set(i)); i++)
    check(op2_file_write_set(to, set->handle, set->name), call, file, set->name);
  for (int i = 0; (map = op2_compat_map(i)); i++)
    check(op2_file_write_map(to, map->handle, map->name), call, file, map->name);
  for (int i = 0; (dat = op2_compat_dat(i)); i++)
    check(op2_file_write_dat(to, dat->handle, dat->name), call, file, dat->name);
  check(op2_file_close(&to), call, file, "");
}

void op_fetch_data_hdf5_file_path(op_dat dat, const char *file, const char *path) {
  static const char call[] = "op_fetch_data_hdf5_file";
  op2_file to = added(file, call, path);
  check(op2_file_write_dat(to, dat->handle, path), call, file, path);
  check(op2_file_close(&to), call, file, path);
}

void op_fetch_data_hdf5_file(op_dat dat, const char *file) {
  op_fetch_data_hdf5_file_path(dat, file, dat->name);
}

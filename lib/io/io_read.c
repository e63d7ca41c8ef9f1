/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets, maps, dats and constants that are read from a file. */
#include <inttypes.h>
#include <string.h>

#include "io_file.h"
#include "io_numbers.h"
#include "mesh.h"
#include "op2/ranks.h"

/* Check that a set is not a subset: its elements have numbers from 0 on that users and all ranks
 * know. */
static op2_status check_set(op2_file file, op2_set set, const char *call) {
  op2_status status = op2i_file_member(file, set, OP2I_SET, call);
  if (!status && set->base != set)
    status = file->op2->error(OP2_ERR_ARG, "%s: '%s' is a subset", call, set->obj.name);
  return status;
}

/* Ranks that find different files under one name would declare blocks that do not fit together. */
static op2_status check_same_size(op2_file file, const struct op2i_dataset *what, int64_t size) {
  int64_t first = size;
  if (!file->comm) return OP2_SUCCESS;
  op2_status status = file->op2->share(file->comm, 0, &first, sizeof first);
  if (!status && first != size)
    status = op2i_file_error(file, what, OP2_ERR_IO,
                             "has the size %" PRId64 ", and %" PRId64
                             " on rank 0: ranks see different files",
                             size, first);
  return op2i_file_agree(file, status);
}

op2_status op2i_file_make_set(op2_file file, const struct op2i_dataset *what, int64_t size,
                              const char *name, op2_set *set) {
  int64_t first;
  op2_status status = check_same_size(file, what, size);
  if (status) return status;
  if (size < 0) return op2i_file_error(file, what, OP2_ERR_RANGE, "has the size %" PRId64, size);
  if (size > INT64_MAX >> 20)
    return op2i_file_error(file, what, OP2_ERR_RANGE,
                           "has the size %" PRId64 ", more than a set can have", size);
  op2i_file_block(file, size, &first, &size);
  return op2_set_create(file->ctx, size, name, set);
}

static struct op2i_dataset size_called(const char *name, const char *call) {
  return (struct op2i_dataset){.kind = "set",
                               .name = name,
                               .type = OP2_I32,
                               .rows = 1,
                               .wide = true,
                               .size = -1,
                               .bare = true,
                               .call = call};
}

static op2_status read_size(op2_file file, struct op2i_dataset *what, op2_status status,
                            int64_t *size) {
  int32_t narrow = 0;
  status = op2i_dataset_read(file, what, 0, 0, NULL, status);
  if (status) return status;
  status = op2i_dataset_read(file, what, 0, 1, what->wide ? (void *)size : (void *)&narrow, status);
  if (!what->wide) *size = narrow;
  return status;
}

op2_status op2_file_read_set(op2_file file, const char *name, op2_set *set) {
  static const char call[] = "op2_file_read_set";
  int64_t size = 0;
  struct op2i_dataset what = size_called(name, call);
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check(file, call, false, name, set);
  status = read_size(file, &what, status, &size);
  return status ? status : op2i_file_make_set(file, &what, size, name, set);
}

op2_status op2i_file_read_single(op2_file file, const char *name, op2_set *set) {
  int64_t size = 0;
  struct op2i_dataset what = size_called(name, NULL);
  op2_status status = read_size(file, &what, OP2_SUCCESS, &size);
  if (!status && size != 1)
    status = op2i_file_error(file, &what, OP2_ERR_RANGE,
                             "has the size %" PRId64 ": a set that all ranks share has one element",
                             size);
  status = op2i_file_agree(file, status);
  return status ? status : op2_set_create_single(file->ctx, name, set);
}

op2_status op2_file_read_set_rows(op2_file file, const char *dataset, const char *name,
                                  op2_set *set) {
  static const char call[] = "op2_file_read_set_rows";
  struct op2i_dataset what = {.kind = "dataset", .name = dataset, .type = OP2_F64, .call = call};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check(file, call, false, dataset, set);
  status = op2i_dataset_shape(file, &what, status);
  return status ? status : op2i_file_make_set(file, &what, what.rows, name, set);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static op2_status check_map(op2_file file, op2_set from, op2_set to, int arity, const char *name,
                            const void *out, const char *call) {
  op2_status status = op2i_file_check(file, call, false, name, out);
  if (!status) status = check_set(file, from, call);
  if (!status) status = check_set(file, to, call);
  if (!status && arity < 1)
    status = file->op2->error(OP2_ERR_ARG, "%s: %s: map '%s': arity %d is not positive", call,
                              file->path, name, arity);
  return status;
}

static op2_status read_map(op2_file file, op2_set from, op2_set to, int arity, const char *name,
                           bool partial, const char *call, op2_map *map) {
  int64_t first = 0, n = 0, size = 0, *entries = NULL;
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = check_map(file, from, to, arity, name, map, call);
  if (!status) size = op2_set_global_size(from);
  struct op2i_dataset what = {.kind = "map",
                              .name = name,
                              .type = OP2_I32,
                              .rows = size,
                              .columns = arity,
                              .wide = true,
                              .size = size,
                              .call = call,
                              .about = {from, to}};
  op2i_file_block(file, size, &first, &n);
  /* Checks come before the allocation. */
  status = op2i_dataset_read(file, &what, 0, 0, NULL, status);
  if (!status)
    status = op2i_numbers_read(file, &what, first, n, partial ? -1 : 0, op2_set_global_size(to),
                               &entries);
  if (!status)
    status = file->op2->map_create_block(from, to, arity, first, n, entries, partial, name, map);
  file->op2->free(entries);
  return status;
}

op2_status op2_file_read_map(op2_file file, op2_set from, op2_set to, int arity, const char *name,
                             op2_map *map) {
  return read_map(file, from, to, arity, name, false, "op2_file_read_map", map);
}

op2_status op2_file_read_map_partial(op2_file file, op2_set from, op2_set to, int arity,
                                     const char *name, op2_map *map) {
  return read_map(file, from, to, arity, name, true, "op2_file_read_map_partial", map);
}

/* ---- values ---------------------------------------------------------------------------------- */

static op2_status make_dat(op2_file file, op2_set set, const struct op2i_dataset *what,
                           int64_t first, int64_t n, const void *values, op2_dat *out) {
  op2_dat dat = NULL;
  op2_status status = op2_dat_create(set, what->columns, what->type, NULL, what->name, &dat);
  status = op2i_file_agree(file, status);
  if (!status) status = op2_dat_set_block(dat, first, n, values);
  if (status)
    op2_dat_destroy(&dat);
  else
    *out = dat;
  return status;
}

op2_status op2_file_read_dat(op2_file file, op2_set set, int dim, op2_type type, const char *name,
                             op2_dat *dat) {
  static const char call[] = "op2_file_read_dat";
  int64_t first = 0, n = 0, size = 0;
  void *values = NULL;
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check_values(file, call, false, dim, type, name, dat);
  if (!status) status = check_set(file, set, call);
  if (!status) size = op2_set_global_size(set);
  size_t row = status ? 0 : (size_t)dim * file->op2->type_size(type);
  struct op2i_dataset what = {.kind = "dat",
                              .name = name,
                              .type = type,
                              .rows = size,
                              .columns = dim,
                              .size = (int64_t)row,
                              .call = call,
                              .about = {set}};
  op2i_file_block(file, size, &first, &n);
  status = op2i_dataset_read(file, &what, 0, 0, NULL, status);
  if (!status) values = file->op2->calloc((size_t)(n ? n : 1), row);
  if (!status && !values) status = file->op2->error_nomem("a dat's rows");
  status = op2i_file_agree(file, status);
  if (!status) status = op2i_dataset_read(file, &what, first, n, values, status);
  if (!status) status = make_dat(file, set, &what, first, n, values, dat);
  file->op2->free(values);
  return status;
}

op2_status op2_file_read_const(op2_file file, int dim, op2_type type, const char *name,
                               void *values) {
  static const char call[] = "op2_file_read_const";
  struct op2i_dataset what = {
      .kind = "constant", .name = name, .type = type, .rows = dim, .size = -1, .call = call};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check_values(file, call, false, dim, type, name, values);
  return op2i_dataset_read(file, &what, 0, dim, values, status);
}

op2_status op2_file_read_rows(op2_file file, const char *name, int64_t first, int64_t n, int dim,
                              op2_type type, void *rows) {
  static const char call[] = "op2_file_read_rows";
  struct op2i_dataset what = {.kind = "dataset",
                              .name = name,
                              .type = type,
                              .rows = -1,
                              .columns = dim,
                              .size = -1,
                              .call = call};
  void *values = n ? rows : &what; /* any pointer that is not null, as no row is read */
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check_values(file, call, false, dim, type, name, values);
  return op2i_dataset_read(file, &what, first, n, values, status);
}

op2_status op2_file_shape(op2_file file, const char *name, int64_t *rows, int *columns,
                          op2_type *type) {
  static const char call[] = "op2_file_shape";
  struct op2i_dataset what = {.kind = "dataset", .name = name, .type = OP2_F64, .call = call};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check(file, call, false, name, rows);
  if (!status && (!columns || !type))
    status = file->op2->error(OP2_ERR_ARG, "%s: a null pointer", call);
  status = op2i_dataset_shape(file, &what, status);
  if (status) return status;
  *rows = what.rows;
  *columns = what.columns;
  *type = what.type;
  return OP2_SUCCESS;
}

op2_status op2_file_has(op2_file file, const char *name, bool *has) {
  static const char call[] = "op2_file_has";
  struct op2i_dataset what = {.kind = "dataset", .name = name, .type = OP2_F64, .call = call};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check(file, call, false, name, has);
  return op2i_dataset_has(file, &what, has, status);
}

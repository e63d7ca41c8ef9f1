/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets, maps, dats and constants that are written to a file. */
#include <string.h>

#include "io_file.h"
#include "io_numbers.h"
#include "mesh.h"
#include "op2/ranks.h"

/* The first step of all functions: check the object, and choose the name for the file. */
static op2_status begin_write(op2_file file, const void *object, enum op2i_kind kind,
                              const char *call, const char **name) {
  op2_status status = op2i_file_member(file, object, kind, call);
  if (!status && !*name) *name = ((const struct op2i_object *)object)->name;
  if (!status) return op2i_file_check(file, call, true, *name, object);
  /* A wrong object on one rank is a failure of the call, and not a different call: all ranks record
   * it. */
  file->op2->call(file->ctx, call, *name, 0, 0);
  return status;
}

/* Every rank has all sizes and constants: the first one writes them. */
static int64_t of_one_rank(op2_file file, int64_t n) {
  return file->comm && file->comm->rank ? 0 : n;
}

op2_status op2_file_write_set(op2_file file, op2_set set, const char *name) {
  static const char call[] = "op2_file_write_set";
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = begin_write(file, set, OP2I_SET, call, &name);
  if (!status && set->base != set)
    status =
        file->op2->error(OP2_ERR_ARG, "%s: %s: '%s' is a subset", call, file->path, set->obj.name);
  int64_t size = status ? 0 : op2_set_global_size(set);
  int32_t narrow = (int32_t)size;
  bool wide = size > INT32_MAX;
  struct op2i_dataset what = {.kind = "set",
                              .name = name,
                              .type = wide ? OP2_I64 : OP2_I32,
                              .rows = 1,
                              .size = -1,
                              .bare = true,
                              .call = call,
                              .about = {set}};
  return op2i_dataset_write(file, &what, 0, of_one_rank(file, 1),
                            wide ? (const void *)&size : (const void *)&narrow, status);
}

op2_status op2_file_write_map(op2_file file, op2_map map, const char *name) {
  static const char call[] = "op2_file_write_map";
  int64_t first = 0, n = 0, *entries = NULL;
  struct op2i_dataset what = {.kind = "map", .type = OP2_I32};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = begin_write(file, map, OP2I_MAP, call, &name);
  if (!status) {
    what.rows = what.size = op2_set_global_size(map->from);
    what.columns = map->arity;
    what.wide = op2_set_global_size(map->to) > (int64_t)INT32_MAX + 1;
    op2i_file_block(file, what.rows, &first, &n);
    entries = file->op2->calloc((size_t)(n ? n : 1), (size_t)map->arity * sizeof *entries);
    if (!entries) status = file->op2->error_nomem("a map's rows");
  }
  what.name = name;
  what.call = call;
  what.about[0] = map;
  status = op2i_file_agree_on(file, &what, status);
  what.call = NULL;
  if (!status) status = file->op2->map_get_block(map, first, n, entries);
  if (!status) op2i_numbers_narrow(&what, n * map->arity, entries);
  if (!status) status = op2i_dataset_write(file, &what, first, n, entries, status);
  file->op2->free(entries);
  return status;
}

static op2_status write_dat(op2_file file, op2_dat dat, const char *name, const char *call,
                            bool replaces) {
  int64_t first = 0, n = 0;
  void *values = NULL;
  struct op2i_dataset what = {.kind = "dat", .replaces = replaces};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = begin_write(file, dat, OP2I_DAT, call, &name);
  if (!status) {
    what.rows = op2_set_global_size(dat->set);
    what.type = dat->type;
    what.columns = dat->dim;
    what.size = (int64_t)dat->row_bytes;
    op2i_file_block(file, what.rows, &first, &n);
    values = file->op2->calloc((size_t)(n ? n : 1), dat->row_bytes);
    if (!values) status = file->op2->error_nomem("a dat's rows");
  }
  what.name = name;
  what.call = call;
  what.about[0] = dat;
  status = op2i_file_agree_on(file, &what, status);
  what.call = NULL;
  if (!status) status = op2_dat_get_block(dat, first, n, values);
  if (!status) status = op2i_dataset_write(file, &what, first, n, values, status);
  file->op2->free(values);
  return status;
}

op2_status op2_file_write_dat(op2_file file, op2_dat dat, const char *name) {
  return write_dat(file, dat, name, "op2_file_write_dat", false);
}

op2_status op2_file_update_dat(op2_file file, op2_dat dat, const char *name) {
  return write_dat(file, dat, name, "op2_file_update_dat", true);
}

op2_status op2_file_write_const(op2_file file, int dim, op2_type type, const char *name,
                                const void *values) {
  static const char call[] = "op2_file_write_const";
  struct op2i_dataset what = {
      .kind = "constant", .name = name, .type = type, .rows = dim, .size = -1, .call = call};
  op2_status status = op2i_file_is_open(file, call);
  if (status) return status;
  status = op2i_file_check_values(file, call, true, dim, type, name, values);
  const unsigned char *byte = values;
  for (size_t i = 0; !status && i < (size_t)dim * file->op2->type_size(type); i++)
    what.values = op2i_hash_word(what.values, byte[i]);
  return op2i_dataset_write(file, &what, 0, of_one_rank(file, dim), values, status);
}

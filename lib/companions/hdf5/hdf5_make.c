/* SPDX-License-Identifier: BSD-3-Clause */
/* New datasets of a file: the leader creates each, and every rank writes its rows. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hdf5_file.h"
#include "hdf5_type.h"

/* Write a number as an attribute. Numbers that do not fit into OP2's int get 64 bits, as the
 * entries of maps do. */
static bool write_number(const char *name, int64_t value, struct op2i_dataset_ids *ids) {
  const hsize_t one = 1;
  hid_t type = value > INT_MAX ? H5T_NATIVE_INT64 : H5T_NATIVE_INT;
  int narrow = (int)value;
  const void *at = value > INT_MAX ? (const void *)&value : (const void *)&narrow;
  ids->space = H5Screate_simple(1, &one, NULL);
  ids->attribute = ids->space < 0
                       ? H5I_INVALID_HID
                       : H5Acreate2(ids->dataset, name, type, ids->space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = ids->attribute >= 0 && H5Awrite(ids->attribute, type, at) >= 0;
  op2i_dataset_shut_attribute(ids);
  return good;
}

/* OP2 gives the type text of maps ten characters, and that of dats and constants its length. */
enum { MAP_TEXT = 10 };

static bool write_type_text(const struct op2i_dataset *what, struct op2i_dataset_ids *ids) {
  char text[32] = "";
  op2_type type = what->wide ? OP2_I64 : what->type;
  strncpy(text, op2i_hdf5_type_text(type), sizeof text - 1);
  ids->space = H5Screate(H5S_SCALAR);
  ids->type = H5Tcopy(H5T_C_S1);
  bool good = ids->space >= 0 && ids->type >= 0 &&
              H5Tset_size(ids->type, what->kind[0] == 'm' ? MAP_TEXT : strlen(text)) >= 0;
  if (good)
    ids->attribute =
        H5Acreate2(ids->dataset, "type", ids->type, ids->space, H5P_DEFAULT, H5P_DEFAULT);
  good = good && ids->attribute >= 0 && H5Awrite(ids->attribute, ids->type, text) >= 0;
  op2i_dataset_shut_attribute(ids);
  return good;
}

static op2_status write_attributes(op2_file file, const struct op2i_dataset *what,
                                   struct op2i_dataset_ids *ids) {
  bool good = what->bare || what->size < 0 || write_number("size", what->size, ids);
  if (!what->bare)
    good = good && write_number("dim", what->columns ? what->columns : what->rows, ids) &&
           write_type_text(what, ids);
  return good ? OP2_SUCCESS
              : op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot get its attributes");
}

/* Files of equal contents are equal byte by byte: times are not stored, and space for all values is
 * allocated from the beginning, which several ranks need in any case. */
static bool make_lists(struct op2i_dataset_ids *ids, hid_t *links) {
  *links = H5Pcreate(H5P_LINK_CREATE);
  ids->list = H5Pcreate(H5P_DATASET_CREATE);
  return *links >= 0 && ids->list >= 0 && H5Pset_create_intermediate_group(*links, 1) >= 0 &&
         H5Pset_obj_track_times(ids->list, false) >= 0 &&
         H5Pset_alloc_time(ids->list, H5D_ALLOC_TIME_EARLY) >= 0 &&
         H5Pset_fill_time(ids->list, H5D_FILL_TIME_NEVER) >= 0;
}

static op2_status make_dataset(op2_file file, const struct op2i_dataset *what,
                               struct op2i_dataset_ids *ids) {
  const hsize_t size[2] = {(hsize_t)what->rows, (hsize_t)what->columns};
  H5O_info_t info;
  hid_t links = H5I_INVALID_HID;
  if (H5Oget_info_by_name2(file->id, what->name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0)
    return op2i_hdf5_error(file, what, false, OP2_ERR_NAME, "is in the file already");
  H5Eclear2(H5E_DEFAULT);
  ids->other = H5Screate_simple(what->columns ? 2 : 1, size, NULL);
  if (make_lists(ids, &links) && ids->other >= 0)
    ids->dataset =
        H5Dcreate2(file->id, what->name, op2i_hdf5_native(what->wide ? OP2_I64 : what->type),
                   ids->other, links, ids->list, H5P_DEFAULT);
  op2i_dataset_shut(&links, H5Pclose);
  if (ids->dataset < 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot be put into the file");
  return write_attributes(file, what, ids);
}

static size_t row_bytes(op2_file file, const struct op2i_dataset *what) {
  return (size_t)(what->columns ? what->columns : 1) *
         file->op2->type_size(what->wide ? OP2_I64 : what->type);
}

/* The dataset that the leader has created, for all ranks: programs that diverge would write
 * different datasets here. */
struct made {
  int64_t offset, rows, columns, type;
  bool begun; /* the file has it, complete or not */
  char name[128];
};

static void note_shape(const struct op2i_dataset *what, struct made *made) {
  made->rows = what->rows;
  made->columns = what->columns;
  made->type = what->wide ? OP2_I64 : what->type;
  snprintf(made->name, sizeof made->name, "%s", what->name);
}

/* Create the dataset with its attributes, and find where its values begin. */
static op2_status make_whole(op2_file file, const struct op2i_dataset *what, struct made *made) {
  struct op2i_hdf5_scope scope;
  struct op2i_dataset_ids ids = OP2I_NO_IDS;
  op2i_hdf5_enter(&scope);
  op2_status status = make_dataset(file, what, &ids);
  haddr_t at = status || what->rows == 0 ? 0 : H5Dget_offset(ids.dataset);
  if (!status && at == HADDR_UNDEF)
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has no place in the file");
  made->offset = (int64_t)at;
  made->begun = ids.dataset >= 0;
  op2i_dataset_shut_all(&ids);
  op2i_hdf5_leave(&scope);
  return status;
}

static op2_status lead(op2_file file, const struct op2i_dataset *what, struct made *made) {
  op2_status status = make_whole(file, what, made);
  note_shape(what, made);
  if (!status && what->rows)
    op2i_part_reserve(&file->part, made->offset, what->rows * (int64_t)row_bytes(file, what));
  made->begun = made->begun || file->part.failed != 0;
  return status ? status : op2i_file_fault(file, what);
}

static op2_status compare_shapes(op2_file file, const struct op2i_dataset *what,
                                 const struct made *made) {
  struct made mine = {.begun = false};
  note_shape(what, &mine);
  if (mine.rows == made->rows && mine.columns == made->columns && mine.type == made->type &&
      strcmp(mine.name, made->name) == 0)
    return OP2_SUCCESS;
  return op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                         "is written here, and '%s' on rank 0, or in another shape or type",
                         made->name);
}

/* Record that a dataset is incomplete: such a file must not replace the former one. */
static op2_status give_up(op2_file file, op2_status status) {
  file->broken = true;
  snprintf(file->why, sizeof file->why, "%.399s", op2_error_message());
  return status;
}

op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status) {
  struct made made = {.begun = false};
  status = op2i_file_agree_on(file, what, status);
  if (status) return status;
  if (op2i_file_leads(file)) status = lead(file, what, &made);
  if (file->comm) {
    op2_status shared = file->op2->share(file->comm, 0, &made, sizeof made);
    if (!status) status = shared;
    if (!status && !op2i_file_leads(file)) status = compare_shapes(file, what, &made);
    status = op2i_file_agree(file, status);
  }
  file->stale = file->stale || made.begun;
  if (status) return made.begun ? give_up(file, status) : status;
  if (n > 0)
    op2i_part_write(&file->part, values, (size_t)n * row_bytes(file, what),
                    made.offset + first * (int64_t)row_bytes(file, what));
  status = op2i_file_agree(file, op2i_file_fault(file, what));
  return status ? give_up(file, status) : status;
}

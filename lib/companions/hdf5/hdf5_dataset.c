/* SPDX-License-Identifier: BSD-3-Clause */
/* One dataset: what it is looked at for before its values are read, and how it is made. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "hdf5_file.h"

/* What is open while a dataset is worked on; all are closed at the end. */
struct ids {
  hid_t dataset, space, type, attribute, other, list;
};

static const struct ids none = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID,
                                H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};

static void shut(hid_t *id, herr_t (*close)(hid_t)) {
  if (*id >= 0) close(*id);
  *id = H5I_INVALID_HID;
}

static void shut_attribute(struct ids *ids) {
  shut(&ids->attribute, H5Aclose);
  shut(&ids->space, H5Sclose);
  shut(&ids->type, H5Tclose);
}

static void shut_all(struct ids *ids) {
  shut_attribute(ids);
  shut(&ids->other, H5Sclose);
  shut(&ids->list, H5Pclose);
  shut(&ids->dataset, H5Dclose);
}

/* ---- attributes that are there
 * ---------------------------------------------------------------- */

static op2_status open_attribute(op2_file file, const struct op2i_dataset *what, const char *name,
                                 struct ids *ids) {
  htri_t there = H5Aexists(ids->dataset, name);
  if (there <= 0)
    return op2i_hdf5_error(file, what, there < 0, OP2_ERR_MISMATCH, "has no attribute '%s'", name);
  ids->attribute = H5Aopen(ids->dataset, name, H5P_DEFAULT);
  ids->space = H5Aget_space(ids->attribute);
  ids->type = H5Aget_type(ids->attribute);
  if (ids->attribute < 0 || ids->space < 0 || ids->type < 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable attribute '%s'", name);
  return OP2_SUCCESS;
}

static op2_status check_number(op2_file file, const struct op2i_dataset *what, const char *name,
                               int64_t wanted, struct ids *ids) {
  int64_t value = 0;
  op2_status status = open_attribute(file, what, name, ids);
  if (!status && (H5Sget_simple_extent_npoints(ids->space) != 1 ||
                  !(op2i_hdf5_is(ids->type, OP2_I32) || op2i_hdf5_is(ids->type, OP2_I64))))
    status = op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has an attribute '%s' that is not one number", name);
  if (!status && H5Aread(ids->attribute, H5T_NATIVE_INT64, &value) < 0)
    status =
        op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable attribute '%s'", name);
  if (!status && value != wanted)
    status = op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has the attribute %s = %" PRId64 ", expected %" PRId64, name, value,
                             wanted);
  shut_attribute(ids);
  return status;
}

enum { TEXT_MOST = 64 };

static op2_status check_type_text(op2_file file, const struct op2i_dataset *what, struct ids *ids) {
  char text[TEXT_MOST + 1] = "";
  op2_type type = what->wide ? OP2_I64 : what->type;
  op2_status status = open_attribute(file, what, "type", ids);
  if (!status &&
      (H5Tget_class(ids->type) != H5T_STRING || H5Tis_variable_str(ids->type) != 0 ||
       H5Sget_simple_extent_npoints(ids->space) != 1 || H5Tget_size(ids->type) > TEXT_MOST))
    status = op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has an attribute 'type' that is not one short text");
  if (!status && H5Aread(ids->attribute, ids->type, text) < 0)
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable attribute 'type'");
  for (size_t i = strlen(text); i > 0 && text[i - 1] == ' '; i--) text[i - 1] = '\0';
  if (!status && !op2i_hdf5_type_means(text, type))
    status = op2i_hdf5_error(file, what, false, OP2_ERR_TYPE,
                             "has the attribute type = '%s', expected '%s'", text,
                             op2i_hdf5_type_text(type));
  shut_attribute(ids);
  return status;
}

static op2_status check_attributes(op2_file file, const struct op2i_dataset *what,
                                   struct ids *ids) {
  op2_status status = OP2_SUCCESS;
  if (what->bare) return status;
  if (what->size >= 0) status = check_number(file, what, "size", what->size, ids);
  if (!status)
    status = check_number(file, what, "dim", what->columns ? what->columns : what->rows, ids);
  return status ? status : check_type_text(file, what, ids);
}

/* ---- a dataset that is there
 * ------------------------------------------------------------------ */

static op2_status open_dataset(op2_file file, const struct op2i_dataset *what, struct ids *ids) {
  H5O_info_t info;
  ids->dataset = H5Dopen2(file->id, what->name, H5P_DEFAULT);
  if (ids->dataset >= 0) return OP2_SUCCESS;
  if (H5Oget_info_by_name2(file->id, what->name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "is in the file, but not as a dataset");
  return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "is not in the file");
}

/* One of one dimension may have rows of one column. */
static op2_status check_shape(op2_file file, struct op2i_dataset *what, struct ids *ids) {
  hsize_t size[H5S_MAX_RANK] = {0}, columns = what->columns ? (hsize_t)what->columns : 1;
  ids->other = H5Dget_space(ids->dataset);
  int n = ids->other < 0 ? -1 : H5Sget_simple_extent_dims(ids->other, size, NULL);
  if (n < 0 || H5Sget_simple_extent_type(ids->other) == H5S_NULL)
    return op2i_hdf5_error(file, what, true, OP2_ERR_MISMATCH, "has no rows");
  if (n == 0) size[0] = 1;
  if (n > 2 || (n == 2 && !what->columns))
    return op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH, "has %d dimensions, expected %d", n,
                           what->columns ? 2 : 1);
  if ((n == 2 ? size[1] : 1) != columns)
    return op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                           "has %" PRIu64 " columns, expected %" PRIu64,
                           (uint64_t)(n == 2 ? size[1] : 1), (uint64_t)columns);
  if (what->rows >= 0 ? size[0] != (hsize_t)what->rows : size[0] > INT64_MAX / 8 / columns)
    return op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                           "has %" PRIu64 " rows, expected %" PRId64, (uint64_t)size[0],
                           what->rows >= 0 ? what->rows : INT64_MAX / 8);
  what->rows = (int64_t)size[0];
  return OP2_SUCCESS;
}

static op2_status check_type(op2_file file, struct op2i_dataset *what, struct ids *ids) {
  ids->type = H5Dget_type(ids->dataset);
  if (ids->type < 0) return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable type");
  what->wide = what->wide && op2i_hdf5_is(ids->type, OP2_I64);
  if (!what->wide && !op2i_hdf5_is(ids->type, what->type))
    return op2i_hdf5_error(file, what, false, OP2_ERR_TYPE, "does not hold values of type %s",
                           op2i_hdf5_type_text(what->type));
  shut(&ids->type, H5Tclose);
  return OP2_SUCCESS;
}

static size_t value_bytes(op2_file file, const struct op2i_dataset *what) {
  return file->op2->type_size(what->wide ? OP2_I64 : what->type);
}

/* A damaged file may promise more than there is: what is not compressed has to fit into it. */
static op2_status check_storage(op2_file file, const struct op2i_dataset *what, struct ids *ids) {
  hsize_t file_bytes = 0, bytes = H5Dget_storage_size(ids->dataset);
  hsize_t wanted =
      (hsize_t)what->rows * (hsize_t)(what->columns ? what->columns : 1) * value_bytes(file, what);
  ids->list = H5Dget_create_plist(ids->dataset);
  if (ids->list < 0 || H5Fget_filesize(file->id, &file_bytes) < 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable layout");
  H5D_layout_t layout = H5Pget_layout(ids->list);
  if (layout < 0 || layout == H5D_VIRTUAL || H5Pget_external_count(ids->list) != 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "is not kept in this file");
  if (layout == H5D_CHUNKED) return OP2_SUCCESS;
  if (bytes != wanted || wanted > file_bytes)
    return op2i_hdf5_error(file, what, false, OP2_ERR_IO,
                           "has %" PRIu64 " bytes, expected %" PRIu64 ", in a file of %" PRIu64,
                           (uint64_t)bytes, (uint64_t)wanted, (uint64_t)file_bytes);
  return OP2_SUCCESS;
}

static op2_status inspect(op2_file file, struct op2i_dataset *what, struct ids *ids) {
  op2_status status = open_dataset(file, what, ids);
  if (!status) status = check_shape(file, what, ids);
  if (!status) status = check_type(file, what, ids);
  if (!status) status = check_attributes(file, what, ids);
  return status ? status : check_storage(file, what, ids);
}

/* ---- values
 * ----------------------------------------------------------------------------------- */

/* ids->other are the rows in the file, ids->space becomes those in memory. */
static op2_status select_rows(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, struct ids *ids) {
  const hsize_t columns = what->columns ? (hsize_t)what->columns : 1;
  const hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)n, columns};
  const hsize_t points = n ? count[0] * columns : 1;
  ids->space = H5Screate_simple(1, &points, NULL);
  bool good = ids->space >= 0;
  if (n == 0)
    good = good && H5Sselect_none(ids->space) >= 0 && H5Sselect_none(ids->other) >= 0;
  else if (H5Sget_simple_extent_ndims(ids->other) > 0)
    good = good && H5Sselect_hyperslab(ids->other, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
  return good ? OP2_SUCCESS
              : op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has no rows of this number");
}

static op2_status check_rows(op2_file file, const struct op2i_dataset *what, int64_t first,
                             int64_t n) {
  if (first >= 0 && n >= 0 && n <= what->rows && first <= what->rows - n) return OP2_SUCCESS;
  return op2i_hdf5_error(file, what, false, OP2_ERR_RANGE,
                         "has %" PRId64 " rows: %" PRId64 " from %" PRId64 " on are not there",
                         what->rows, n, first);
}

static op2_status read_values(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, void *values, struct ids *ids) {
  static char nothing[8]; /* HDF5 wants an address */
  op2_status status = check_rows(file, what, first, n);
  if (!status) status = select_rows(file, what, first, n, ids);
  status = op2i_file_agree(file, status);
  if (!status && H5Dread(ids->dataset, op2i_hdf5_native(what->wide ? OP2_I64 : what->type),
                         ids->space, ids->other, file->transfer, n ? values : nothing) < 0)
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot be read");
  return op2i_file_agree(file, status);
}

op2_status op2i_dataset_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             void *values, op2_status status) {
  struct op2i_hdf5_manner manner;
  struct ids ids = none;
  status = op2i_file_agree(file, status);
  if (status) return status;
  op2i_hdf5_enter(&manner);
  status = op2i_file_agree(file, inspect(file, what, &ids));
  if (!status && values) status = read_values(file, what, first, n, values, &ids);
  shut_all(&ids);
  op2i_hdf5_leave(&manner);
  return status;
}

/* ---- a dataset that is made
 * ------------------------------------------------------------------- */

/* Numbers that do not fit into OP2's int are wider, as are the entries of maps. */
static bool write_number(const char *name, int64_t value, struct ids *ids) {
  const hsize_t one = 1;
  hid_t type = value > INT_MAX ? H5T_NATIVE_INT64 : H5T_NATIVE_INT;
  int narrow = (int)value;
  const void *at = value > INT_MAX ? (const void *)&value : (const void *)&narrow;
  ids->space = H5Screate_simple(1, &one, NULL);
  ids->attribute = ids->space < 0
                       ? H5I_INVALID_HID
                       : H5Acreate2(ids->dataset, name, type, ids->space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = ids->attribute >= 0 && H5Awrite(ids->attribute, type, at) >= 0;
  shut_attribute(ids);
  return good;
}

/* OP2 gives maps ten characters, dats and constants as many as there are. */
enum { MAP_TEXT = 10 };

static bool write_type_text(const struct op2i_dataset *what, struct ids *ids) {
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
  shut_attribute(ids);
  return good;
}

static op2_status write_attributes(op2_file file, const struct op2i_dataset *what,
                                   struct ids *ids) {
  bool good = what->bare || what->size < 0 || write_number("size", what->size, ids);
  if (!what->bare)
    good = good && write_number("dim", what->columns ? what->columns : what->rows, ids) &&
           write_type_text(what, ids);
  return good ? OP2_SUCCESS
              : op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot get its attributes");
}

/* Without times, and with room for all values from the beginning, as over ranks in any case, files
 * of equal contents are equal. */
static bool make_lists(struct ids *ids, hid_t *links) {
  *links = H5Pcreate(H5P_LINK_CREATE);
  ids->list = H5Pcreate(H5P_DATASET_CREATE);
  return *links >= 0 && ids->list >= 0 && H5Pset_create_intermediate_group(*links, 1) >= 0 &&
         H5Pset_obj_track_times(ids->list, false) >= 0 &&
         H5Pset_alloc_time(ids->list, H5D_ALLOC_TIME_EARLY) >= 0 &&
         H5Pset_fill_time(ids->list, H5D_FILL_TIME_NEVER) >= 0;
}

static op2_status make(op2_file file, const struct op2i_dataset *what, struct ids *ids) {
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
  shut(&links, H5Pclose);
  if (ids->dataset < 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot be put into the file");
  return write_attributes(file, what, ids);
}

static op2_status write_values(op2_file file, const struct op2i_dataset *what, int64_t first,
                               int64_t n, const void *values, struct ids *ids) {
  static const char nothing[8];
  op2_status status = op2i_file_agree(file, select_rows(file, what, first, n, ids));
  if (!status && H5Dwrite(ids->dataset, op2i_hdf5_native(what->wide ? OP2_I64 : what->type),
                          ids->space, ids->other, file->transfer, n ? values : nothing) < 0)
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot be written");
  return op2i_file_agree(file, status);
}

op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status) {
  struct op2i_hdf5_manner manner;
  struct ids ids = none;
  status = op2i_file_agree(file, status);
  if (status) return status;
  op2i_hdf5_enter(&manner);
  status = op2i_file_agree(file, make(file, what, &ids));
  if (!status) status = write_values(file, what, first, n, values, &ids);
  shut_all(&ids);
  op2i_hdf5_leave(&manner);
  return status;
}

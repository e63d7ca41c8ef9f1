/* SPDX-License-Identifier: BSD-3-Clause */
/* Existing datasets of a file: the checks before values are read, and reading. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hdf5_format.h"
#include "hdf5_type.h"

void op2i_hdf5_shut(hid_t *id, herr_t (*close)(hid_t)) {
  if (*id >= 0) close(*id);
  *id = H5I_INVALID_HID;
}

void op2i_hdf5_shut_attribute(struct op2i_hdf5_ids *ids) {
  op2i_hdf5_shut(&ids->attribute, H5Aclose);
  op2i_hdf5_shut(&ids->space, H5Sclose);
  op2i_hdf5_shut(&ids->type, H5Tclose);
}

void op2i_hdf5_shut_all(struct op2i_hdf5_ids *ids) {
  op2i_hdf5_shut_attribute(ids);
  op2i_hdf5_shut(&ids->other, H5Sclose);
  op2i_hdf5_shut(&ids->list, H5Pclose);
  op2i_hdf5_shut(&ids->dataset, H5Dclose);
}

/* ---- existing attributes --------------------------------------------------------------------- */

/* Files that op2 has not written, such as those of h5py, need no attributes: if one is absent,
 * ids->attribute stays closed. Those that exist must not contradict the dataset. */
static op2_status open_attribute(op2_file file, const struct op2i_dataset *what, const char *name,
                                 struct op2i_hdf5_ids *ids) {
  htri_t there = H5Aexists(ids->dataset, name);
  if (there == 0) return OP2_SUCCESS;
  if (there > 0) {
    ids->attribute = H5Aopen(ids->dataset, name, H5P_DEFAULT);
    ids->space = H5Aget_space(ids->attribute);
    ids->type = H5Aget_type(ids->attribute);
  }
  if (ids->attribute < 0 || ids->space < 0 || ids->type < 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable attribute '%s'", name);
  return OP2_SUCCESS;
}

static op2_status check_number(op2_file file, const struct op2i_dataset *what, const char *name,
                               int64_t wanted, struct op2i_hdf5_ids *ids) {
  int64_t value = wanted;
  op2_status status = open_attribute(file, what, name, ids);
  const bool there = !status && ids->attribute >= 0;
  if (there &&
      (H5Sget_simple_extent_npoints(ids->space) != 1 || H5Tget_class(ids->type) != H5T_INTEGER))
    status = op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has an attribute '%s' that is not one number", name);
  else if (there && H5Aread(ids->attribute, H5T_NATIVE_INT64, &value) < 0)
    status =
        op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable attribute '%s'", name);
  else if (there && value != wanted)
    status = op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has the attribute %s = %" PRId64 ", expected %" PRId64, name, value,
                             wanted);
  op2i_hdf5_shut_attribute(ids);
  return status;
}

enum { TEXT_MOST = 64 };

/* Read the text of an attribute, of fixed length as OP2 writes it or of variable length as h5py
 * does. */
static bool read_text(struct op2i_hdf5_ids *ids, char text[TEXT_MOST + 1]) {
  char *varying = NULL;
  if (H5Tis_variable_str(ids->type) <= 0) return H5Aread(ids->attribute, ids->type, text) >= 0;
  if (H5Aread(ids->attribute, ids->type, &varying) < 0 || !varying) return false;
  strncpy(text, varying, TEXT_MOST);
  H5free_memory(varying);
  return true;
}

static op2_status check_type_text(op2_file file, const struct op2i_dataset *what,
                                  struct op2i_hdf5_ids *ids) {
  char text[TEXT_MOST + 1] = "";
  op2_type type = what->type;
  op2_status status = open_attribute(file, what, "type", ids);
  if (status || ids->attribute < 0) return status;
  if (H5Tget_class(ids->type) != H5T_STRING || H5Sget_simple_extent_npoints(ids->space) != 1 ||
      (H5Tis_variable_str(ids->type) == 0 && H5Tget_size(ids->type) > TEXT_MOST))
    status = op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has an attribute 'type' that is not one short text");
  else if (!read_text(ids, text))
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable attribute 'type'");
  for (size_t i = strlen(text); i > 0 && text[i - 1] == ' '; i--) text[i - 1] = '\0';
  op2i_hdf5_shut_attribute(ids);
  ids->type = H5Dget_type(ids->dataset);
  if (what->wide) op2i_hdf5_type_of(ids->type, &type);
  op2i_hdf5_shut(&ids->type, H5Tclose);
  if (!status && !op2i_hdf5_type_means(text, type))
    status = op2i_hdf5_error(file, what, false, OP2_ERR_TYPE,
                             "has the attribute type = '%s', expected '%s'", text,
                             op2i_hdf5_type_text(type));
  return status;
}

static op2_status check_attributes(op2_file file, const struct op2i_dataset *what,
                                   struct op2i_hdf5_ids *ids) {
  op2_status status = OP2_SUCCESS;
  if (what->bare) return status;
  if (what->size >= 0) status = check_number(file, what, "size", what->size, ids);
  if (!status)
    status = check_number(file, what, "dim", what->columns ? what->columns : what->rows, ids);
  return status ? status : check_type_text(file, what, ids);
}

/* ---- an existing dataset --------------------------------------------------------------------- */

static op2_status open_dataset(op2_file file, const struct op2i_dataset *what,
                               struct op2i_hdf5_ids *ids) {
  H5O_info_t info;
  ids->dataset = H5Dopen2(op2i_hdf5_of(file)->id, what->name, H5P_DEFAULT);
  if (ids->dataset >= 0) return OP2_SUCCESS;
  if (H5Oget_info_by_name2(op2i_hdf5_of(file)->id, what->name, &info, H5O_INFO_BASIC,
                           H5P_DEFAULT) >= 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "is in the file, but not as a dataset");
  return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "is not in the file");
}

struct shape {
  int n; /* number of dimensions */
  hsize_t size[H5S_MAX_RANK];
  int64_t rows, columns; /* size of the first dimension, and product of all others */
};

/* Read the shape. Sizes whose product does not fit into 64 bits are reported as damaged. */
static op2_status take_shape(op2_file file, const struct op2i_dataset *what,
                             struct op2i_hdf5_ids *ids, struct shape *shape) {
  int64_t most = INT64_MAX / 8;
  *shape = (struct shape){.rows = 1, .columns = 1};
  ids->other = H5Dget_space(ids->dataset);
  shape->n = ids->other < 0 ? -1 : H5Sget_simple_extent_dims(ids->other, shape->size, NULL);
  if (shape->n < 0 || H5Sget_simple_extent_type(ids->other) == H5S_NULL)
    return op2i_hdf5_error(file, what, true, OP2_ERR_MISMATCH, "has no rows");
  for (int i = 0; i < shape->n; i++) {
    if (shape->size[i] > (hsize_t)most)
      return op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH,
                             "has %" PRIu64 " rows, more than there can be",
                             (uint64_t)shape->size[i]);
    if (shape->size[i] > 0) most /= (int64_t)shape->size[i];
    if (i == 0) shape->rows = (int64_t)shape->size[0];
    if (i > 0) shape->columns *= (int64_t)shape->size[i];
  }
  return OP2_SUCCESS;
}

/* "[3][2]" */
static void shape_text(const struct shape *shape, char text[128]) {
  size_t at = 0;
  text[0] = '\0';
  for (int i = 0; i < shape->n && at < 100; i++)
    at += (size_t)snprintf(text + at, 128 - at, "[%" PRIu64 "]", (uint64_t)shape->size[i]);
  if (shape->n == 0) snprintf(text, 128, "of one value");
}

static op2_status report_shape(op2_file file, const struct op2i_dataset *what,
                               const struct shape *shape) {
  char found[128], wanted[64], rows[24] = "any";
  const char *hint = "";
  shape_text(shape, found);
  if (what->rows >= 0) snprintf(rows, sizeof rows, "%" PRId64, what->rows);
  if (what->columns)
    snprintf(wanted, sizeof wanted, "[%s][%d]", rows, what->columns);
  else
    snprintf(wanted, sizeof wanted, "[%s]", rows);
  if (strcmp(what->kind, "set") == 0)
    hint = ": a set is one number, its size; op2_file_shape() tells the rows of another dataset";
  else if (shape->n == 2 && shape->rows == what->columns && shape->columns == what->rows)
    hint = ": it is transposed";
  else if (shape->n == 1 && what->columns > 1 && shape->rows % what->columns == 0 &&
           shape->rows / what->columns == what->rows)
    hint = ": it is flat, and has to be reshaped in the file";
  return op2i_hdf5_error(file, what, false, OP2_ERR_MISMATCH, "has the shape %s, expected %s%s",
                         found, wanted, hint);
}

/* Check the shape. A row of a dat or a map may have any shape with the same number of values, as
 * tensors have; so may constants. */
static op2_status check_shape(op2_file file, struct op2i_dataset *what, struct op2i_hdf5_ids *ids) {
  struct shape shape;
  op2_status status = take_shape(file, what, ids, &shape);
  if (status) return status;
  bool good = what->columns
                  ? shape.columns == what->columns && (what->rows < 0 || shape.rows == what->rows)
                  : shape.rows * shape.columns == what->rows;
  if (!good) return report_shape(file, what, &shape);
  if (what->columns) what->rows = shape.rows;
  return OP2_SUCCESS;
}

static op2_status check_type(op2_file file, struct op2i_dataset *what, struct op2i_hdf5_ids *ids) {
  op2_type found = what->type;
  char words[64];
  ids->type = H5Dget_type(ids->dataset);
  if (ids->type < 0) return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has an unreadable type");
  bool known = op2i_hdf5_type_of(ids->type, &found);
  what->wide = what->wide && known && found != OP2_F64 && found != OP2_F32 && found != OP2_I32;
  op2i_hdf5_type_words(ids->type, words);
  op2i_hdf5_shut(&ids->type, H5Tclose);
  if (known && (what->wide || found == what->type)) return OP2_SUCCESS;
  return op2i_hdf5_error(file, what, false, OP2_ERR_TYPE, "holds %s, not values of type %s", words,
                         op2i_hdf5_type_text(what->type));
}

/* A damaged file may claim more data than it has: data that are not compressed must fit into the
 * file. */
static op2_status check_storage(op2_file file, const struct op2i_dataset *what,
                                struct op2i_hdf5_ids *ids) {
  hsize_t file_bytes = 0, bytes = H5Dget_storage_size(ids->dataset);
  ids->type = H5Dget_type(ids->dataset);
  hsize_t wanted = (hsize_t)what->rows * (hsize_t)(what->columns ? what->columns : 1) *
                   (hsize_t)H5Tget_size(ids->type);
  op2i_hdf5_shut(&ids->type, H5Tclose);
  ids->list = H5Dget_create_plist(ids->dataset);
  if (ids->list < 0 || H5Fget_filesize(op2i_hdf5_of(file)->id, &file_bytes) < 0)
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

static op2_status inspect(op2_file file, struct op2i_dataset *what, struct op2i_hdf5_ids *ids) {
  op2_status status = open_dataset(file, what, ids);
  if (!status) status = check_shape(file, what, ids);
  if (!status) status = check_type(file, what, ids);
  if (!status) status = check_attributes(file, what, ids);
  return status ? status : check_storage(file, what, ids);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Select the rows of the file in ids->other, and make their memory space ids->space. Sets and
 * constants are read as a whole. */
static op2_status select_rows(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, struct op2i_hdf5_ids *ids) {
  hsize_t start[H5S_MAX_RANK] = {(hsize_t)first}, count[H5S_MAX_RANK] = {0};
  const hsize_t columns = what->columns ? (hsize_t)what->columns : 1;
  const hsize_t points = n ? (hsize_t)n * columns : 1;
  const int dimensions = H5Sget_simple_extent_dims(ids->other, count, NULL);
  count[0] = (hsize_t)n;
  ids->space = H5Screate_simple(1, &points, NULL);
  bool good = ids->space >= 0 && dimensions >= 0;
  if (n == 0)
    good = good && H5Sselect_none(ids->space) >= 0 && H5Sselect_none(ids->other) >= 0;
  else if (dimensions > 0 && what->columns)
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
                              int64_t n, void *values, struct op2i_hdf5_ids *ids) {
  op2_status status = check_rows(file, what, first, n);
  if (!status) status = select_rows(file, what, first, n, ids);
  if (status || n == 0) return status;
  if (H5Dread(ids->dataset, op2i_hdf5_native(what->wide ? OP2_I64 : what->type), ids->space,
              ids->other, H5P_DEFAULT, values) < 0)
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot be read");
  return status;
}

op2_status op2i_hdf5_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                          void *values) {
  struct op2i_hdf5_scope scope;
  struct op2i_hdf5_ids ids = OP2I_HDF5_NO_IDS;
  op2i_hdf5_enter(&scope);
  op2_status status = inspect(file, what, &ids);
  if (!status && values) status = read_values(file, what, first, n, values, &ids);
  op2i_hdf5_shut_all(&ids);
  op2i_hdf5_leave(&scope);
  return status;
}

/* Values that are replaced are written to where they are, so they have to lie together there, as they
 * do in memory. */
static op2_status find_values(op2_file file, const struct op2i_dataset *what,
                              struct op2i_hdf5_ids *ids, int64_t *offset) {
  struct op2i_dataset there = *what;
  op2_status status = inspect(file, &there, ids);
  if (status) return status;
  ids->type = H5Dget_type(ids->dataset);
  const bool native = H5Tequal(ids->type, op2i_hdf5_native(what->wide ? OP2_I64 : what->type)) > 0;
  op2i_hdf5_shut(&ids->type, H5Tclose);
  const haddr_t at = what->rows ? H5Dget_offset(ids->dataset) : 0;
  if (!native || at == HADDR_UNDEF)
    return op2i_hdf5_error(file, what, false, OP2_ERR_UNAVAILABLE,
                           "is stored in chunks, compressed or in another byte order: its values "
                           "cannot be replaced");
  *offset = (int64_t)at;
  return OP2_SUCCESS;
}

op2_status op2i_hdf5_find(op2_file file, const struct op2i_dataset *what, int64_t *offset) {
  struct op2i_hdf5_scope scope;
  struct op2i_hdf5_ids ids = OP2I_HDF5_NO_IDS;
  H5O_info_t info;
  op2_status status = OP2_SUCCESS;
  op2i_hdf5_enter(&scope);
  *offset = -1;
  if (H5Oget_info_by_name2(op2i_hdf5_of(file)->id, what->name, &info, H5O_INFO_BASIC,
                           H5P_DEFAULT) >= 0)
    status = find_values(file, what, &ids, offset);
  op2i_hdf5_shut_all(&ids);
  op2i_hdf5_leave(&scope);
  return status;
}

bool op2i_hdf5_has(op2_file file, const char *name) {
  struct op2i_hdf5_scope scope;
  H5O_info_t info;
  op2i_hdf5_enter(&scope);
  const bool has =
      H5Oget_info_by_name2(op2i_hdf5_of(file)->id, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
      info.type == H5O_TYPE_DATASET;
  op2i_hdf5_leave(&scope);
  return has;
}

op2_status op2i_hdf5_shape(op2_file file, struct op2i_dataset *what) {
  struct op2i_hdf5_scope scope;
  struct op2i_hdf5_ids ids = OP2I_HDF5_NO_IDS;
  struct shape shape = {0};
  char words[64];
  op2i_hdf5_enter(&scope);
  op2_status status = open_dataset(file, what, &ids);
  if (!status) status = take_shape(file, what, &ids, &shape);
  if (!status) ids.type = H5Dget_type(ids.dataset);
  if (!status && !op2i_hdf5_type_of(ids.type, &what->type)) {
    op2i_hdf5_type_words(ids.type, words);
    status = op2i_hdf5_error(file, what, false, OP2_ERR_TYPE, "holds %s, which op2 has no type for",
                             words);
  }
  if (!status && shape.columns > INT_MAX)
    status = op2i_hdf5_error(file, what, false, OP2_ERR_RANGE, "has rows of %" PRId64 " values",
                             shape.columns);
  what->rows = shape.rows;
  what->columns = (int)shape.columns;
  op2i_hdf5_shut_all(&ids);
  op2i_hdf5_leave(&scope);
  return status;
}

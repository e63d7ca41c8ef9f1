/* SPDX-License-Identifier: BSD-3-Clause */
/* New datasets of a file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hdf5_format.h"
#include "hdf5_type.h"

/* Write a number as an attribute. Numbers that do not fit into OP2's int get 64 bits, as the
 * entries of maps do. */
static bool write_number(const char *name, int64_t value, struct op2i_hdf5_ids *ids) {
  const hsize_t one = 1;
  hid_t type = value > INT_MAX ? H5T_NATIVE_INT64 : H5T_NATIVE_INT;
  int narrow = (int)value;
  const void *at = value > INT_MAX ? (const void *)&value : (const void *)&narrow;
  ids->space = H5Screate_simple(1, &one, NULL);
  ids->attribute = ids->space < 0
                       ? H5I_INVALID_HID
                       : H5Acreate2(ids->dataset, name, type, ids->space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = ids->attribute >= 0 && H5Awrite(ids->attribute, type, at) >= 0;
  op2i_hdf5_shut_attribute(ids);
  return good;
}

/* OP2 gives the type text of maps ten characters, and that of dats and constants its length. */
enum { MAP_TEXT = 10 };

static bool write_type_text(const struct op2i_dataset *what, struct op2i_hdf5_ids *ids) {
  char text[32] = "";
  op2_type type = what->wide ? OP2_I64 : what->type;
  strncpy(text, op2i_hdf5_type_text(type), sizeof text - 1);
  ids->space = H5Screate(H5S_SCALAR);
  ids->type = H5Tcopy(H5T_C_S1);
  bool good = ids->space >= 0 && ids->type >= 0 &&
              H5Tset_size(ids->type, strcmp(what->kind, "map") == 0 ? MAP_TEXT : strlen(text)) >= 0;
  if (good)
    ids->attribute =
        H5Acreate2(ids->dataset, "type", ids->type, ids->space, H5P_DEFAULT, H5P_DEFAULT);
  good = good && ids->attribute >= 0 && H5Awrite(ids->attribute, ids->type, text) >= 0;
  op2i_hdf5_shut_attribute(ids);
  return good;
}

static op2_status write_attributes(op2_file file, const struct op2i_dataset *what,
                                   struct op2i_hdf5_ids *ids) {
  bool good = what->bare || what->size < 0 || write_number("size", what->size, ids);
  if (!what->bare)
    good = good && write_number("dim", what->columns ? what->columns : what->rows, ids) &&
           write_type_text(what, ids);
  return good ? OP2_SUCCESS
              : op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot get its attributes");
}

/* Files of equal contents are equal byte by byte: times are not stored, and space for all values is
 * allocated from the beginning, which several ranks need in any case. */
static bool make_lists(struct op2i_hdf5_ids *ids, hid_t *links) {
  *links = H5Pcreate(H5P_LINK_CREATE);
  ids->list = H5Pcreate(H5P_DATASET_CREATE);
  return *links >= 0 && ids->list >= 0 && H5Pset_create_intermediate_group(*links, 1) >= 0 &&
         H5Pset_obj_track_times(ids->list, false) >= 0 &&
         H5Pset_alloc_time(ids->list, H5D_ALLOC_TIME_EARLY) >= 0 &&
         H5Pset_fill_time(ids->list, H5D_FILL_TIME_NEVER) >= 0;
}

static op2_status make_dataset(op2_file file, const struct op2i_dataset *what,
                               struct op2i_hdf5_ids *ids) {
  const hsize_t size[2] = {(hsize_t)what->rows, (hsize_t)what->columns};
  H5O_info_t info;
  hid_t links = H5I_INVALID_HID;
  if (H5Oget_info_by_name2(op2i_hdf5_of(file)->id, what->name, &info, H5O_INFO_BASIC,
                           H5P_DEFAULT) >= 0)
    return op2i_hdf5_error(file, what, false, OP2_ERR_NAME, "is in the file already");
  H5Eclear2(H5E_DEFAULT);
  ids->other = H5Screate_simple(what->columns ? 2 : 1, size, NULL);
  if (make_lists(ids, &links) && ids->other >= 0)
    ids->dataset = H5Dcreate2(op2i_hdf5_of(file)->id, what->name,
                              op2i_hdf5_native(what->wide ? OP2_I64 : what->type), ids->other,
                              links, ids->list, H5P_DEFAULT);
  op2i_hdf5_shut(&links, H5Pclose);
  if (ids->dataset < 0)
    return op2i_hdf5_error(file, what, true, OP2_ERR_IO, "cannot be put into the file");
  return write_attributes(file, what, ids);
}

op2_status op2i_hdf5_make(op2_file file, const struct op2i_dataset *what, int64_t *offset,
                          bool *begun) {
  struct op2i_hdf5_scope scope;
  struct op2i_hdf5_ids ids = OP2I_HDF5_NO_IDS;
  op2i_hdf5_enter(&scope);
  op2_status status = make_dataset(file, what, &ids);
  haddr_t at = status || what->rows == 0 ? 0 : H5Dget_offset(ids.dataset);
  if (!status && at == HADDR_UNDEF)
    status = op2i_hdf5_error(file, what, true, OP2_ERR_IO, "has no place in the file");
  *offset = (int64_t)at;
  *begun = ids.dataset >= 0;
  op2i_hdf5_shut_all(&ids);
  op2i_hdf5_leave(&scope);
  return status;
}

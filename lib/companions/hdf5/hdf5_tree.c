/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of HDF5 as trees of groups and datasets, for the readers of meshes in libop2-meshfile. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hdf5_format.h"
#include "meshfile_tree.h"

/* gzip makes at most 1 byte of 1,032. */
enum { RATIO_MOST = 1040 };

struct tree {
  const struct op2i_companion *op2;
  hid_t file;
};

static void *tree_open(const char *path, char *why, size_t size) {
  struct op2i_hdf5_scope scope;
  struct stat st;
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  struct tree *tree = op2 ? op2->calloc(1, sizeof *tree) : NULL;
  *why = '\0';
  if (!tree) return NULL;
  tree->op2 = op2;
  const bool regular = stat(path, &st) == 0 && S_ISREG(st.st_mode);
  op2i_hdf5_enter(&scope);
  tree->file = regular ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
  op2i_hdf5_leave(&scope);
  if (tree->file >= 0) return tree;
  snprintf(why, size, "cannot be opened as a file of HDF5");
  op2->free(tree);
  return NULL;
}

static void tree_close(void *data) {
  struct op2i_hdf5_scope scope;
  struct tree *tree = data;
  op2i_hdf5_enter(&scope);
  H5Fclose(tree->file);
  op2i_hdf5_leave(&scope);
  tree->op2->free(tree);
}

static bool tree_member(void *data, const char *group, int64_t i, char *name, size_t size) {
  struct op2i_hdf5_scope scope;
  struct tree *tree = data;
  H5_index_t index = H5_INDEX_NAME;
  unsigned order = 0;
  op2i_hdf5_enter(&scope);
  hid_t id = H5Gopen2(tree->file, group, H5P_DEFAULT);
  hid_t list = id >= 0 ? H5Gget_create_plist(id) : H5I_INVALID_HID;
  if (list >= 0 && H5Pget_link_creation_order(list, &order) >= 0 && (order & H5P_CRT_ORDER_INDEXED))
    index = H5_INDEX_CRT_ORDER;
  const ssize_t length =
      id < 0 ? -1
             : H5Lget_name_by_idx(id, ".", index, H5_ITER_INC, (hsize_t)i, name, size, H5P_DEFAULT);
  op2i_hdf5_shut(&list, H5Pclose);
  op2i_hdf5_shut(&id, H5Gclose);
  op2i_hdf5_leave(&scope);
  return length > 0 && (size_t)length < size;
}

/* Read a text of fixed or variable length. */
static bool read_text(hid_t attribute, char *text, size_t size) {
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  bool good = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
              H5Sget_simple_extent_npoints(space) == 1;
  if (good && H5Tis_variable_str(type) > 0) {
    char *found = NULL;
    good = H5Aread(attribute, type, &found) >= 0 && found && strlen(found) < size;
    if (good) strcpy(text, found);
    if (found) H5free_memory(found);
  } else if (good) {
    const size_t length = H5Tget_size(type);
    good = length > 0 && length < size;
    if (good) memset(text, 0, size);
    good = good && H5Aread(attribute, type, text) >= 0;
  }
  op2i_hdf5_shut(&space, H5Sclose);
  op2i_hdf5_shut(&type, H5Tclose);
  return good;
}

static bool tree_attribute(void *data, const char *object, const char *name, char *text,
                           size_t size) {
  struct op2i_hdf5_scope scope;
  struct tree *tree = data;
  op2i_hdf5_enter(&scope);
  hid_t id = H5Aopen_by_name(tree->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = id >= 0 && read_text(id, text, size);
  op2i_hdf5_shut(&id, H5Aclose);
  op2i_hdf5_leave(&scope);
  return good;
}

static enum op2i_tree_type type_of(hid_t type) {
  switch (H5Tget_class(type)) {
  case H5T_INTEGER: return OP2I_TREE_INTEGERS;
  case H5T_FLOAT: return OP2I_TREE_REALS;
  case H5T_STRING: return H5Tis_variable_str(type) == 0 ? OP2I_TREE_TEXTS : OP2I_TREE_OTHERS;
  default: return OP2I_TREE_OTHERS;
  }
}

/* Take rank and extents; false if the file cannot have so many values. */
static bool describe(hid_t dataset, hid_t type, hid_t space, struct op2i_tree_data *data) {
  hsize_t extent[H5S_MAX_RANK];
  *data = (struct op2i_tree_data){.type = type_of(type), .n = 1, .bytes = H5Tget_size(type)};
  data->rank = H5Sget_simple_extent_ndims(space);
  if (data->rank < 0 || data->rank > OP2I_TREE_RANKS || data->bytes == 0) return false;
  if (H5Sget_simple_extent_type(space) == H5S_NULL) data->n = 0;
  if (data->rank > 0 && H5Sget_simple_extent_dims(space, extent, NULL) < 0) return false;
  const int64_t most = INT64_MAX / 16 / (int64_t)data->bytes;
  for (int r = 0; r < data->rank; r++) {
    if (extent[r] > (hsize_t)most) return false;
    data->extent[r] = (int64_t)extent[r];
    if (data->extent[r] && data->n > most / data->extent[r]) return false;
    data->n *= data->extent[r];
  }
  const hsize_t stored = H5Dget_storage_size(dataset);
  return (hsize_t)data->n * data->bytes / RATIO_MOST <= stored;
}

static bool tree_find(void *data, const char *dataset, struct op2i_tree_data *found) {
  struct op2i_hdf5_scope scope;
  struct tree *tree = data;
  op2i_hdf5_enter(&scope);
  hid_t id = H5Dopen2(tree->file, dataset, H5P_DEFAULT);
  hid_t type = id >= 0 ? H5Dget_type(id) : H5I_INVALID_HID;
  hid_t space = id >= 0 ? H5Dget_space(id) : H5I_INVALID_HID;
  const bool good = type >= 0 && space >= 0 && describe(id, type, space, found);
  op2i_hdf5_shut(&space, H5Sclose);
  op2i_hdf5_shut(&type, H5Tclose);
  op2i_hdf5_shut(&id, H5Dclose);
  op2i_hdf5_leave(&scope);
  return good;
}

static bool tree_read(void *data, const char *dataset, bool real, void *values) {
  struct op2i_hdf5_scope scope;
  struct tree *tree = data;
  op2i_hdf5_enter(&scope);
  hid_t id = H5Dopen2(tree->file, dataset, H5P_DEFAULT);
  hid_t own = id >= 0 ? H5Dget_type(id) : H5I_INVALID_HID;
  /* Texts, and bytes that are read as one, come as they are. */
  const bool bytes = own >= 0 && (type_of(own) == OP2I_TREE_TEXTS);
  const hid_t type = bytes ? own : real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  const bool good = own >= 0 && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  op2i_hdf5_shut(&own, H5Tclose);
  op2i_hdf5_shut(&id, H5Dclose);
  op2i_hdf5_leave(&scope);
  return good;
}

static const struct op2i_tree_methods methods = {tree_open,      tree_close, tree_member,
                                                 tree_attribute, tree_find,  tree_read};

const struct op2i_tree_methods *op2i_hdf5_tree(int version) {
  return version == OP2I_TREE_VERSION ? &methods : NULL;
}

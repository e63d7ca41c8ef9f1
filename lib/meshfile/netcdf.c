/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of netCDF files of either kind. */
#include "netcdf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The path of a variable in a file of HDF5. */
struct path {
  char text[300];
};
static struct path path_of(const char *name) {
  struct path path;
  snprintf(path.text, sizeof path.text, "/%s", name);
  return path;
}

bool op2i_netcdf_fail(struct op2i_netcdf *file, const char *name, const char *text) {
  if (file->tree.file) return op2i_tree_fail(&file->tree, path_of(name).text, "%s", text);
  return op2i_scan_fail(file->scan, "'%s': %s", name, text);
}

bool op2i_netcdf_find(struct op2i_netcdf *file, const char *name, struct op2i_tree_data *data) {
  if (file->tree.file) return file->tree.methods->find(file->tree.file, path_of(name).text, data);
  const struct op2i_netcdf_variable *variable = op2i_netcdf_classic_find(file, name);
  if (!variable || variable->record || variable->rank > OP2I_TREE_RANKS) return false;
  const bool text = variable->type == 2, real = variable->type == 5 || variable->type == 6;
  *data = (struct op2i_tree_data){.type = text   ? OP2I_TREE_TEXTS
                                          : real ? OP2I_TREE_REALS
                                                 : OP2I_TREE_INTEGERS,
                                  .rank = variable->rank,
                                  .n = variable->n,
                                  .bytes = op2i_netcdf_classic_bytes(variable)};
  memcpy(data->extent, variable->extent, sizeof data->extent);
  return true;
}

static bool classic_numbers(struct op2i_netcdf *file, const char *name, bool real, int64_t *n,
                            void **out) {
  struct op2i_tree_data data;
  if (!op2i_netcdf_find(file, name, &data))
    return op2i_netcdf_fail(file, name, "this variable is not there");
  if (data.type != OP2I_TREE_INTEGERS && !(real && data.type == OP2I_TREE_REALS))
    return op2i_netcdf_fail(file, name,
                            real ? "this variable should have numbers"
                                 : "this variable should have integers");
  if (*n >= 0 && data.n != *n)
    return op2i_netcdf_fail(file, name, "this variable has another size than it should");
  void *values = file->scan->op2->calloc((size_t)data.n + 1, 8);
  if (!values) return op2i_scan_nomem(file->scan);
  op2i_netcdf_classic_read(op2i_netcdf_classic_find(file, name), real, values);
  *n = data.n;
  *out = values;
  return true;
}

bool op2i_netcdf_numbers(struct op2i_netcdf *file, const char *name, bool real, int64_t *n,
                         void **out) {
  if (!file->tree.file) return classic_numbers(file, name, real, n, out);
  return op2i_tree_numbers(&file->tree, path_of(name).text, real, n, out);
}

bool op2i_netcdf_texts(struct op2i_netcdf *file, const char *name, struct op2i_tree_data *data,
                       char **out) {
  if (file->tree.file) return op2i_tree_texts(&file->tree, path_of(name).text, data, out);
  if (!op2i_netcdf_find(file, name, data) || data->type != OP2I_TREE_TEXTS)
    return op2i_netcdf_fail(file, name, "this variable should have texts");
  char *text = file->scan->op2->calloc((size_t)data->n + 1, 1);
  if (!text) return op2i_scan_nomem(file->scan);
  memcpy(text, op2i_netcdf_classic_find(file, name)->begin, (size_t)data->n);
  *out = text;
  return true;
}

bool op2i_netcdf_elem_type(struct op2i_netcdf *file, const char *name, char *text, size_t size) {
  if (file->tree.file)
    return file->tree.methods->attribute(file->tree.file, path_of(name).text, "elem_type", text,
                                         size);
  const struct op2i_netcdf_variable *variable = op2i_netcdf_classic_find(file, name);
  if (!variable || !variable->attribute || variable->attribute_length >= (int64_t)size)
    return false;
  memset(text, 0, size);
  memcpy(text, variable->attribute, (size_t)variable->attribute_length);
  return true;
}

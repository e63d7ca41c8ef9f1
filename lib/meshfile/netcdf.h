/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NETCDF_H
#define OP2I_NETCDF_H

/* Variables of netCDF files: of the classic formats, which are in memory, and of netCDF-4, which is HDF5. */

#include "meshfile_scan.h"
#include "meshfile_tree.h"

/* A variable of a classic file. */
struct op2i_netcdf_variable {
  const char *name; /* in the file, without a zero behind it */
  int64_t length;   /* of the name */
  int64_t type;     /* as the file has it: 1 to 11 */
  int rank;
  int64_t extent[OP2I_TREE_RANKS];
  int64_t n;
  bool record;           /* has a row for each time, and is not read */
  const char *begin;     /* its values */
  const char *attribute; /* the text of the attribute elem_type, or null */
  int64_t attribute_length;
};

struct op2i_netcdf {
  struct op2i_scan *scan;
  struct op2i_tree tree; /* no file: the file is a classic one */
  int64_t n, capacity;
  struct op2i_netcdf_variable *variable; /* [n], by name */
};

/* netcdf_classic.c */
bool op2i_netcdf_recognise(const struct op2i_scan *scan);
bool op2i_netcdf_classic_open(struct op2i_netcdf *file);
const struct op2i_netcdf_variable *op2i_netcdf_classic_find(const struct op2i_netcdf *file,
                                                            const char *name);
size_t op2i_netcdf_classic_bytes(const struct op2i_netcdf_variable *variable); /* of a value */
void op2i_netcdf_classic_read(const struct op2i_netcdf_variable *variable, bool real, void *values);

/* netcdf.c: what a variable has; false if it is not there. */
bool op2i_netcdf_find(struct op2i_netcdf *file, const char *name, struct op2i_tree_data *data);
/* Read a variable as op2i_tree_numbers() and op2i_tree_texts() read a dataset. */
bool op2i_netcdf_numbers(struct op2i_netcdf *file, const char *name, bool real, int64_t *n,
                         void **out);
bool op2i_netcdf_texts(struct op2i_netcdf *file, const char *name, struct op2i_tree_data *data,
                       char **out);
/* The text of a variable's attribute elem_type. */
bool op2i_netcdf_elem_type(struct op2i_netcdf *file, const char *name, char *text, size_t size);
bool op2i_netcdf_fail(struct op2i_netcdf *file, const char *name, const char *text);

#endif

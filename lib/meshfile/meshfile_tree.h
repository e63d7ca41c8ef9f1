/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_TREE_H
#define OP2I_MESHFILE_TREE_H

/* Files of HDF5, as trees of groups and datasets. The functions that read them are in libop2-hdf5, which is
 * loaded when a mesh needs it, so that libop2-meshfile and programs without such meshes do not load HDF5.
 * libop2-hdf5 does not link to libop2-meshfile either: it has a table of functions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2/types.h"

struct op2i_scan; /* meshfile_scan.h */

enum { OP2I_TREE_VERSION = 1, OP2I_TREE_RANKS = 4 }; /* the version changes with what follows */

enum op2i_tree_type { OP2I_TREE_INTEGERS, OP2I_TREE_REALS, OP2I_TREE_TEXTS, OP2I_TREE_OTHERS };

struct op2i_tree_data {
  enum op2i_tree_type type;
  int rank;
  int64_t extent[OP2I_TREE_RANKS];
  int64_t n;    /* values: the product of the extents */
  size_t bytes; /* of each value in the file; of a text, its length */
};

/* Names are paths in the file. Functions that return a bool return false if that is not there, or is
 * damaged. They may be called by several threads. */
struct op2i_tree_methods {
  /* Open a file; null, and words that say why, of which there are none if there is no memory. */
  void *(*open)(const char *path, char *why, size_t size);
  void (*close)(void *tree);
  /* The name of the i-th member of a group, in the order in which they were made if the file knows it, else
   * by name. */
  bool (*member)(void *tree, const char *group, int64_t i, char *name, size_t size);
  /* The text of an attribute of a group or dataset. */
  bool (*attribute)(void *tree, const char *object, const char *name, char *text, size_t size);
  /* Find out what a dataset has. It is not there if the file is too short for it. */
  bool (*find)(void *tree, const char *dataset, struct op2i_tree_data *data);
  /* Read its n values as int64_t, as double if `real`, or as bytes if it has texts. */
  bool (*read)(void *tree, const char *dataset, bool real, void *values);
};

/* Null if libraries are of different builds. hdf5_tree.c of libop2-hdf5 has this. */
OP2_API const struct op2i_tree_methods *op2i_hdf5_tree(int version);

/* ---- for readers of formats (meshfile_tree.c) ---- */

struct op2i_tree {
  const struct op2i_tree_methods *methods;
  void *file;
  struct op2i_scan *scan; /* which failures are recorded in */
  const char *path;
};

/* True if the file begins as those of HDF5 do. */
bool op2i_tree_recognise(const struct op2i_scan *scan);
/* Open a file; op2i_tree_close() is called in any case. */
bool op2i_tree_open(struct op2i_tree *tree, struct op2i_scan *scan, const char *path);
void op2i_tree_close(struct op2i_tree *tree);
/* Record a failure of this object of the file, and return false. */
bool op2i_tree_fail(struct op2i_tree *tree, const char *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Read a dataset into an array that is made, which the caller frees: of int64_t, or of double if `real`; *n
 * is how many there should be, and if it is -1 becomes how many there are. */
bool op2i_tree_numbers(struct op2i_tree *tree, const char *dataset, bool real, int64_t *n,
                       void **out);
/* Read a dataset of texts or of bytes, with a zero byte behind it; data->n texts of data->bytes each. */
bool op2i_tree_texts(struct op2i_tree *tree, const char *dataset, struct op2i_tree_data *data,
                     char **out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FILE_CASE_H
#define OP2_TEST_FILE_CASE_H

#include "op2.h"
#include "op2/io.h"
#include "op2/ranks.h"

/* A mesh generated from a seed, the same on all ranks, with maps of several arities, dats of all
 * types and constants, to be written to a file and read back. */

enum { FILE_SETS = 3, FILE_MAPS = 4, FILE_DATS = 20, FILE_CONSTS = 3 };

struct file_mesh {
  int64_t size[FILE_SETS];
  int from[FILE_MAPS], to[FILE_MAPS], arity[FILE_MAPS];
  int64_t *entries[FILE_MAPS];
  int set[FILE_DATS], dim[FILE_DATS];
  op2_type type[FILE_DATS];
  unsigned char *values[FILE_DATS];
  double consts[FILE_CONSTS][5];
};

/* The objects of the mesh that are declared in a context. */
struct file_objects {
  op2_set sets[FILE_SETS];
  op2_map maps[FILE_MAPS];
  op2_dat dats[FILE_DATS];
};

size_t file_type_size(op2_type type);
void file_mesh_make(struct file_mesh *mesh, uint64_t seed);
void file_mesh_free(struct file_mesh *mesh);
/* Declare the mesh in blocks; each rank gets its own block. */
op2_status file_mesh_declare(op2_context ctx, const struct file_mesh *mesh,
                             struct file_objects *objects);
void file_objects_destroy(struct file_objects *objects);
/* Write all of it to a new file, and read all of it from a file. If reading fails, the values read
 * so far are kept. */
op2_status file_mesh_write(op2_context ctx, const char *path, const struct file_mesh *mesh,
                           const struct file_objects *objects);
op2_status file_mesh_read(op2_context ctx, const char *path, const struct file_mesh *mesh,
                          struct file_objects *objects);
/* The number of values of dats and constants that differ on this rank, which compares all of
 * them. */
int file_mesh_differs(const struct file_mesh *mesh, const struct file_objects *objects);
/* True if two files are equal byte for byte; false if one is missing. */
int file_equal(const char *a, const char *b);

#endif

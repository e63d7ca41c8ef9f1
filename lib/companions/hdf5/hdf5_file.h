/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_FILE_H
#define OP2I_HDF5_FILE_H

/* Open files, and datasets in them. HDF5 is not made for threads, and contexts are: its calls are
 * made between enter() and leave(), and between these nothing of op2 runs that could come back
 * here. */

#include <hdf5.h>
#include <stdbool.h>

#include "companion.h"
#include "op2/io.h"

struct op2_file_s {
  uint32_t magic; /* OP2I_FILE_MAGIC while open */
  const struct op2i_companion *op2;
  op2_context ctx;        /* referenced */
  struct op2i_comm *comm; /* null: alone */
  char *path;
  op2_file_mode mode;
  hid_t id, transfer; /* the file, and how values are read and written */
};
enum { OP2I_FILE_MAGIC = 0x6f703266 };

/* What a dataset is to be. */
struct op2i_dataset {
  const char *kind, *name; /* "map", as messages say */
  op2_type type;
  int64_t rows; /* of reading: negative for any number, which is then filled in */
  int columns;  /* of a row; rows of constants and sets are values, without columns: 0 */
  bool wide;    /* also, or of reading: really, of 64 bits where type is OP2_I32 */
  int64_t size; /* the attribute `size`; negative: it has none, or is not asked for it */
  bool bare;    /* has no attributes at all */
};

/* ---- how HDF5 is called ---- */

/* What the program had set up for errors of HDF5; in between they are kept, and nothing is
 * printed. */
struct op2i_hdf5_manner {
  H5E_auto2_t function;
  void *data;
};
void op2i_hdf5_enter(struct op2i_hdf5_manner *manner);
void op2i_hdf5_leave(const struct op2i_hdf5_manner *manner);
/* An error about what `kind` is called `name` in a file (both may be null), followed by what HDF5
 * says where `asked`, that is where it failed. */
op2_status op2i_hdf5_error(op2_file file, const struct op2i_dataset *what, bool asked,
                           op2_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- what all calls do ---- */

/* Whether a call can be made on the file, and has a name; `writes` or else reads. */
op2_status op2i_file_check(op2_file file, const char *call, bool writes, const char *name,
                           const void *out);
/* The same of values. */
op2_status op2i_file_check_values(op2_file file, const char *call, bool writes, int dim,
                                  op2_type type, const char *name, const void *values);
/* Whether it is an open file, before all else. */
op2_status op2i_file_is_open(op2_file file, const char *call);
/* Whether an object is one of the file's context. */
op2_status op2i_file_member(op2_file file, const void *object, enum op2i_kind kind,
                            const char *call);
/* Failures of one rank are those of all. */
op2_status op2i_file_agree(op2_file file, op2_status status);
/* This rank's share of n rows. */
void op2i_file_block(op2_file file, int64_t n, int64_t *first, int64_t *count);

/* ---- datasets ---- */

/* Both are collective, and fail on all ranks alike; `status` is how far this rank has come. Without
 * values only the dataset itself is looked at, or made. */
op2_status op2i_dataset_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             void *values, op2_status status);
op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status);

/* Types as they are in files and in memory; text is that of the attribute. Between enter and
 * leave. */
hid_t op2i_hdf5_native(op2_type type);
bool op2i_hdf5_is(hid_t id, op2_type type); /* in either order of bytes */
const char *op2i_hdf5_type_text(op2_type type);
bool op2i_hdf5_type_means(const char *text, op2_type type);

/* ---- over ranks (hdf5_mpi.c) ---- */

/* OP2_ERR_UNAVAILABLE where a context's ranks can have no files. */
op2_status op2i_hdf5_ranks_check(const struct op2i_companion *op2, op2_context ctx);
/* Have files opened with `access`, and values moved with `transfer`, by all ranks of a context at
 * once. Between enter and leave. */
op2_status op2i_hdf5_ranks(const struct op2i_companion *op2, op2_context ctx, hid_t access,
                           hid_t transfer);
/* Whether MPI, which files over ranks need, is over. */
bool op2i_hdf5_ranks_over(void);

#endif

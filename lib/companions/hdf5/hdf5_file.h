/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_FILE_H
#define OP2I_HDF5_FILE_H

/* Open files, and datasets in them. HDF5 is not made for threads, and contexts are: its calls are
 * made between enter() and leave(), and between these nothing of op2 runs that could come back
 * here. */

#include <hdf5.h>
#include <stdbool.h>

#include "companion.h"
#include "hdf5_driver.h"
#include "op2/io.h"

/* Every rank calls HDF5 for itself, without MPI: a collective call of HDF5 in which one rank fails
 * leaves the others inside, and MPI-IO does not report all failures of writing. The ranks agree
 * between such calls. One rank, the leader, has HDF5 write the file's structure; each writes its
 * own rows to where they belong. */

struct op2_file_s {
  uint32_t magic; /* OP2I_FILE_MAGIC while open */
  const struct op2i_companion *op2;
  op2_context ctx;        /* referenced */
  struct op2i_comm *comm; /* null: alone */
  char *path;
  op2_file_mode mode;
  hid_t id; /* other ranks than the leader have one of a file being written only to read it */
  struct op2i_part part; /* where it is written */
  struct op2i_driven driven;
  bool stale;    /* more was written since other ranks than the leader opened it to read */
  bool broken;   /* a write has failed, on all ranks alike: the file will not be kept */
  char why[400]; /* and this is what it said */
};
enum { OP2I_FILE_MAGIC = 0x6f703266 };

/* What a dataset is to be. */
struct op2i_dataset {
  const char *kind, *name; /* "map", as messages say */
  op2_type type;
  int64_t rows; /* of reading: negative for any number, which is then filled in */
  int columns;  /* of a row; rows of constants and sets are values, without columns: 0 */
  bool wide;    /* integers of 64 bits where type is OP2_I32; of reading: integers of any type are
                 * wanted, and is then true where they are not OP2_I32 and are read as OP2_I64 */
  int64_t size; /* the attribute `size`; negative: it has none, or is not asked for it */
  bool bare;    /* has no attributes at all */
  /* What ranks compare once they agree that the call can be made: the public function, null where
   * it was compared before, the objects that it is about, which may be null, and a digest of values
   * that are the same on all ranks. */
  const char *call;
  const void *about[2];
  uint64_t values;
};

/* ---- how HDF5 is called ---- */

/* What the program had set up for errors of HDF5; in between they are kept, and nothing is
 * printed. HDF5 converts values, and does so in the default floating-point environment. The
 * structure stays where it is between enter and leave. */
struct op2i_hdf5_manner {
  struct op2i_fp_scope fp;
  H5E_auto2_t function;
  void *data;
};
void op2i_hdf5_enter(struct op2i_hdf5_manner *manner);
void op2i_hdf5_leave(struct op2i_hdf5_manner *manner);
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
/* Failures of one rank are those of all. Never between enter and leave: other ranks may be threads
 * of this process. */
op2_status op2i_file_agree(op2_file file, op2_status status);
/* The same at the beginning of work on a dataset; a difference in what->call is one between the
 * calls of ranks, and not a failure. */
op2_status op2i_file_agree_on(op2_file file, const struct op2i_dataset *what, op2_status status);
/* Whether this rank makes the file and has HDF5 write to it. */
bool op2i_file_leads(op2_file file);
/* What failed when the file was written, in words; OP2_SUCCESS where nothing has. */
op2_status op2i_file_fault(op2_file file, const struct op2i_dataset *what);
/* What was written can be read, by all ranks. Collective. */
op2_status op2i_file_refresh(op2_file file);
/* This rank's share of n rows. */
void op2i_file_block(op2_file file, int64_t n, int64_t *first, int64_t *count);

/* ---- datasets ---- */

/* Both are collective, and fail on all ranks alike; `status` is how far this rank has come. Without
 * values only the dataset itself is looked at, or made. */
op2_status op2i_dataset_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             void *values, op2_status status);
op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status);
/* Rows, columns and type of any dataset; only `kind` and `name` of *what are looked at. */
op2_status op2i_dataset_shape(op2_file file, struct op2i_dataset *what, op2_status status);

/* What is open while a dataset is worked on; all are closed at the end. */
struct op2i_dataset_ids {
  hid_t dataset, space, type, attribute, other, list;
};
#define OP2I_NO_IDS                                                                                \
  {                                                                                                \
    H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID,           \
        H5I_INVALID_HID                                                                            \
  }
void op2i_dataset_shut(hid_t *id, herr_t (*close)(hid_t));
void op2i_dataset_shut_attribute(struct op2i_dataset_ids *ids);
void op2i_dataset_shut_all(struct op2i_dataset_ids *ids);
/* Types as they are in files and in memory; text is that of the attribute. Between enter and
 * leave. */
hid_t op2i_hdf5_native(op2_type type);
bool op2i_hdf5_is(hid_t id, op2_type type);         /* in either order of bytes */
bool op2i_hdf5_type_of(hid_t id, op2_type *type);   /* false: it is none of OP2's */
void op2i_hdf5_type_words(hid_t id, char text[64]); /* what it is, for messages */
const char *op2i_hdf5_type_text(op2_type type);
bool op2i_hdf5_type_means(const char *text, op2_type type);

#endif

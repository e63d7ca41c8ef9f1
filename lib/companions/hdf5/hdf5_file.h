/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_FILE_H
#define OP2I_HDF5_FILE_H

/* Open files, and datasets in them. HDF5 is not thread-safe, and contexts may be used by several
 * threads: HDF5 is called only between enter() and leave(), and between these no function of op2
 * runs that could call back. */

#include <hdf5.h>
#include <stdbool.h>

#include "companion.h"
#include "hdf5_driver.h"
#include "op2/io.h"

/* Every rank calls HDF5 by itself, without MPI: if one rank fails in a collective call of HDF5, the
 * others stay inside, and MPI-IO does not report all failed writes. The ranks agree between such
 * calls. One rank, the leader, lets HDF5 write the file's structure; each rank writes its own rows
 * to their positions in the file. */

struct op2_file_s {
  uint32_t magic; /* OP2I_FILE_MAGIC while open */
  const struct op2i_companion *op2;
  op2_context ctx;        /* the file holds a reference to it */
  struct op2i_comm *comm; /* null: there is one rank */
  char *path;
  op2_file_mode mode;
  hid_t id; /* on ranks other than the leader, a file being written has one only for reading */
  struct op2i_part part; /* the file into which it is written */
  struct op2i_driven driven;
  bool stale;    /* data were written after other ranks than the leader opened it for reading */
  bool broken;   /* a write has failed, on all ranks alike: the file will not be kept */
  char why[400]; /* the message of this failure */
};
enum { OP2I_FILE_MAGIC = 0x6f703266 };

/* The description of a dataset that is read or written. */
struct op2i_dataset {
  const char *kind, *name; /* "map", as in messages, and its name */
  op2_type type;
  int64_t rows; /* for reading, negative: any number, which is then filled in */
  int columns;  /* of a row; 0 for constants and sets, whose rows are single values */
  /* Integers of 64 bits although type is OP2_I32. For reading, integers of any type are accepted;
   * it stays true if they are not OP2_I32 and are read as OP2_I64. */
  bool wide;
  int64_t size; /* the attribute `size`; negative: it is not written, or not checked */
  bool bare;    /* true if it has no attributes at all */
  /* The data that ranks compare once they agree that the call can be made: the public function
   * (null if it has been compared before), the objects concerned, which may be null, and a digest
   * of values that must be the same on all ranks. */
  const char *call;
  const void *about[2];
  uint64_t values;
};

/* ---- calling HDF5 ---- */

/* The program's settings for errors of HDF5, which are replaced between enter and leave: errors are
 * kept, and nothing is printed. HDF5 converts values in the default floating-point environment. The
 * struct must not move between enter and leave. */
struct op2i_hdf5_scope {
  struct op2i_fp_scope fp;
  H5E_auto2_t function;
  void *data;
};
void op2i_hdf5_enter(struct op2i_hdf5_scope *scope);
void op2i_hdf5_leave(struct op2i_hdf5_scope *scope);
/* An error about the object of kind `what->kind` called `what->name` in a file (`what` may be
 * null), followed by HDF5's message if `asked`, that is, if HDF5 has failed. */
op2_status op2i_hdf5_error(op2_file file, const struct op2i_dataset *what, bool asked,
                           op2_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- checks that all calls share ---- */

/* Check that a call can be made on the file, and that `name` is valid. `writes`: the call writes;
 * else it reads. */
op2_status op2i_file_check(op2_file file, const char *call, bool writes, const char *name,
                           const void *out);
/* The same check for a call with values. */
op2_status op2i_file_check_values(op2_file file, const char *call, bool writes, int dim,
                                  op2_type type, const char *name, const void *values);
/* Check that the file is open, before all other checks. */
op2_status op2i_file_is_open(op2_file file, const char *call);
/* Check that an object belongs to the file's context. */
op2_status op2i_file_member(op2_file file, const void *object, enum op2i_kind kind,
                            const char *call);
/* Make a failure of one rank a failure of all. Never called between enter and leave: other ranks
 * may be threads of this process. */
op2_status op2i_file_agree(op2_file file, op2_status status);
/* The same at the beginning of work on a dataset. If what->call differs between ranks, this is
 * reported as different calls of ranks, and not as a failure. */
op2_status op2i_file_agree_on(op2_file file, const struct op2i_dataset *what, op2_status status);
/* True if this rank creates the file and lets HDF5 write to it. */
bool op2i_file_leads(op2_file file);
/* The recorded failure of the part, with its message; OP2_SUCCESS if there is none. */
op2_status op2i_file_fault(op2_file file, const struct op2i_dataset *what);
/* Make the data that were written readable by all ranks. Collective. */
op2_status op2i_file_refresh(op2_file file);
/* This rank's share of n rows. */
void op2i_file_block(op2_file file, int64_t n, int64_t *first, int64_t *count);

/* ---- datasets ---- */

/* Both are collective, and fail on all ranks alike; `status` is an earlier failure of this rank. If
 * `values` is null, only the dataset itself is checked, or created. */
op2_status op2i_dataset_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             void *values, op2_status status);
op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status);
/* Get rows, columns and type of any dataset; only `kind` and `name` of *what are read. */
op2_status op2i_dataset_shape(op2_file file, struct op2i_dataset *what, op2_status status);

/* HDF5 identifiers in use while a dataset is processed; all are closed at the end. */
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

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_FORMAT_H
#define OP2I_HDF5_FORMAT_H

/* HDF5 as a format of files. HDF5 is not thread-safe, and contexts may be used by several threads:
 * HDF5 is called only between enter() and leave(), and between these no function of op2 runs that
 * could call back. Every rank calls HDF5 by itself, without MPI: if one rank fails in a collective
 * call of HDF5, the others stay inside, and MPI-IO does not report all failed writes. The leader
 * lets HDF5 write the file's structure. */

#include <hdf5.h>
#include <stdbool.h>

#include "hdf5_driver.h"
#include "io_file.h"

struct op2i_hdf5_file {
  struct op2_file_s file;
  bool open; /* HDF5 has it open under this identifier: */
  hid_t id;  /* on ranks other than the leader, only for reading while the file is written */
  struct op2i_driven driven;
};
static inline struct op2i_hdf5_file *op2i_hdf5_of(op2_file file) {
  return (struct op2i_hdf5_file *)file;
}

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

/* ---- datasets ---- */

/* HDF5 identifiers in use while a dataset is processed; all are closed at the end. */
struct op2i_hdf5_ids {
  hid_t dataset, space, type, attribute, other, list;
};
#define OP2I_HDF5_NO_IDS                                                                           \
  {                                                                                                \
    H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID,           \
        H5I_INVALID_HID                                                                            \
  }
void op2i_hdf5_shut(hid_t *id, herr_t (*close)(hid_t));
void op2i_hdf5_shut_attribute(struct op2i_hdf5_ids *ids);
void op2i_hdf5_shut_all(struct op2i_hdf5_ids *ids);

/* These are functions of the format. hdf5_dataset.c */
op2_status op2i_hdf5_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                          void *values);
op2_status op2i_hdf5_find(op2_file file, const struct op2i_dataset *what, int64_t *offset);
op2_status op2i_hdf5_shape(op2_file file, struct op2i_dataset *what);
bool op2i_hdf5_has(op2_file file, const char *name);
/* The same. hdf5_make.c */
op2_status op2i_hdf5_make(op2_file file, const struct op2i_dataset *what, int64_t *offset,
                          bool *begun);

#endif

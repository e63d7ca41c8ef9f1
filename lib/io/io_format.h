/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IO_FORMAT_H
#define OP2I_IO_FORMAT_H

/* Formats of files. Functions are called by one rank or by all, and do not communicate. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_part.h"
#include "op2/io.h"

struct op2i_dataset;

struct op2i_file_format {
  const char *name;   /* for messages: "HDF5" */
  const char *suffix; /* of the names of its files, ".raw"; null: of all other names */
  size_t bytes;       /* size of its structure of an open file, which is zero before open() */
  /* The reason why it cannot be used with the context's ranks; null: it can. */
  const char *(*unavailable)(op2_context ctx);
  /* If `writes`, the file is file->part, which is open already: the format writes by the functions
   * of io_part.h, and failures are found there. Else it is the file `name`, which is read. */
  op2_status (*open)(op2_file file, const char *name, bool writes);
  void (*close)(op2_file file); /* of a file that is not open: nothing */
  /* Write to the part all that other ranks need to read it. */
  op2_status (*flush)(op2_file file);
  /* After close(): the bytes that the part must have; negative: the format could not close it, and
   * the memory of the file must stay. */
  int64_t (*end)(op2_file file);
  op2i_io_whole *whole; /* may be null */

  /* Check that the file has the dataset *what and that it is as described, fill in what is open
   * there, and read rows, unless `values` is null. */
  op2_status (*read)(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                     void *values);
  /* Get rows, columns and type of any dataset; only `kind` and `name` of *what are read. */
  op2_status (*shape)(op2_file file, struct op2i_dataset *what);
  /* True if the file has a dataset of this name. May be null: shape() fails for all others. */
  bool (*has)(op2_file file, const char *name);
  /* Make a dataset in the part, where its values begin at *offset. *begun is set if the part has it
   * from now on, complete or not. */
  op2_status (*make)(op2_file file, const struct op2i_dataset *what, int64_t *offset, bool *begun);
  /* Check that the part has the dataset *what, as described and with its values as they are in
   * memory, which begin at *offset; -1: it has none of this name. May be null: values of this format
   * cannot be replaced. */
  op2_status (*find)(op2_file file, const struct op2i_dataset *what, int64_t *offset);
};

#define FILE_FORMAT(name_) extern const struct op2i_file_format op2i_format_##name_;
#include "formats.def"
#undef FILE_FORMAT

#endif

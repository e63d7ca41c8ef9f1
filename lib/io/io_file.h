/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IO_FILE_H
#define OP2I_IO_FILE_H

/* Open files, and datasets in them, whatever the format. */

#include <stdbool.h>

#include "companion.h"
#include "io_format.h"
#include "io_part.h"
#include "op2/io.h"

/* The first member of each format's own structure. One rank, the leader, writes the file's
 * structure; each rank writes its own rows to their positions in the file. The ranks agree between
 * calls of the format: if one rank fails in a collective call, the others stay inside. */
struct op2_file_s {
  uint32_t magic; /* OP2I_FILE_MAGIC while open */
  const struct op2i_companion *op2;
  const struct op2i_file_format *format;
  op2_context ctx;        /* the file holds a reference to it */
  struct op2i_comm *comm; /* null: there is one rank */
  char *path;
  op2_file_mode mode;
  struct op2i_io_part part; /* the file into which it is written */
  bool stale;    /* data were written after other ranks than the leader opened it for reading */
  bool broken;   /* a write has failed, on all ranks alike: the file will not be kept */
  char why[400]; /* the message of this failure */
  /* These are lists of what op2_file_read_all() and op2_file_read_matrices() have read, or null;
   * programs see them. */
  op2_object *objects, *matrices;
  int64_t nobjects;
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
  int64_t size;  /* the attribute `size`; negative: it is not written, or not checked */
  bool bare;     /* true if it has no attributes at all */
  bool replaces; /* values are written over those that the file has under this name, if any */
  /* The data that ranks compare once they agree that the call can be made: the public function
   * (null if it has been compared before), the objects concerned, which may be null, and a digest
   * of values that must be the same on all ranks. */
  const char *call;
  const void *about[2];
  uint64_t values;
};

/* An error about the object of kind `what->kind` called `what->name` in a file (`what` may be
 * null). */
op2_status op2i_file_error(op2_file file, const struct op2i_dataset *what, op2_status status,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

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
/* Make a failure of one rank a failure of all. Formats never call it: other ranks may be threads
 * of this process, which wait for the same locks. */
op2_status op2i_file_agree(op2_file file, op2_status status);
/* The same at the beginning of work on a dataset. If what->call differs between ranks, this is
 * reported as different calls of ranks, and not as a failure. */
op2_status op2i_file_agree_on(op2_file file, const struct op2i_dataset *what, op2_status status);
/* Close a file that must not replace the former one, and return its failure. */
op2_status op2i_file_abandon(op2_file file, op2_status status);
/* True if this rank creates the file and writes its structure. */
bool op2i_file_leads(op2_file file);
/* The recorded failure of the part, with its message; OP2_SUCCESS if there is none. */
op2_status op2i_file_fault(op2_file file, const struct op2i_dataset *what);
/* Make the data that were written readable by all ranks. Collective. */
op2_status op2i_file_refresh(op2_file file);
/* This rank's share of n rows. */
void op2i_file_block(op2_file file, int64_t n, int64_t *first, int64_t *count);
/* The number of elements of a set, or of a subset, that have rows here: those that this rank owns,
 * and without ranks all (block.h). */
int64_t op2i_file_rows_of(const struct op2_set_s *set);
/* The rows of the ranks before this one, where each has n rows, and those of all. Collective. */
op2_status op2i_file_place(op2_file file, int64_t n, int64_t *first, int64_t *all);

/* ---- datasets ---- */

/* Both are collective, and fail on all ranks alike; `status` is an earlier failure of this rank. If
 * `values` is null, only the dataset itself is checked, or created. */
op2_status op2i_dataset_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             void *values, op2_status status);
op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status);
/* The same for several ranges of rows of this rank, whose values follow each other in memory. */
struct op2i_file_run {
  int64_t first, n;
};
op2_status op2i_dataset_write_runs(op2_file file, const struct op2i_dataset *what, int64_t nruns,
                                   const struct op2i_file_run *runs, const void *values,
                                   op2_status status);
/* Get rows, columns and type of any dataset; only `kind` and `name` of *what are read. */
op2_status op2i_dataset_shape(op2_file file, struct op2i_dataset *what, op2_status status);
/* True if the file has a dataset of this name. */
op2_status op2i_dataset_has(op2_file file, struct op2i_dataset *what, bool *has, op2_status status);
/* A set of `size` elements called `name`, of which this rank gets its block; `what` is where the
 * size was found. Fails if ranks have found different sizes, as in different files. */
op2_status op2i_file_make_set(op2_file file, const struct op2i_dataset *what, int64_t size,
                              const char *name, op2_set *set);
/* Make a set with one element that all ranks share; fails if the file has another size of it. */
op2_status op2i_file_read_single(op2_file file, const char *name, op2_set *set);

#endif

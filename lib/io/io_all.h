/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IO_ALL_H
#define OP2I_IO_ALL_H

/* These functions write what op2_file_dump() writes of subsets and matrices, and read it back. They
 * are collective, but for those of io_contents.c, and fail on all ranks alike. */

#include "io_file.h"
#include "sparse.h"

/* io_contents.c: the text of this name in a file has a line for each object: what it is, its name,
 * and the names of other objects that belong to it. */
#define OP2I_CONTENTS "op2_contents"
enum { OP2I_WORDS_OF_LINE = 8 };
/* The kinds of lines, in the order in which they are written and read. */
enum {
  OP2I_FILE_SET,
  OP2I_FILE_SINGLE, /* a set with one element that all ranks share */
  OP2I_FILE_SUBSET,
  OP2I_FILE_MAP,
  OP2I_FILE_PARTIAL, /* a map with entries that may lead nowhere */
  OP2I_FILE_DAT,
  OP2I_FILE_GBL,
  OP2I_FILE_CONST,
  OP2I_FILE_PAIR, /* a pair of maps of the sparsity whose line follows; it is no object */
  OP2I_FILE_SPARSITY,
  OP2I_FILE_MAT,
  OP2I_FILE_KINDS
};
extern const struct op2i_file_kind {
  const char *word;
  int nwords; /* in its lines */
  op2_object_kind kind;
  bool of_matrices; /* read by op2_file_read_matrices() */
} op2i_file_kinds[];
struct op2i_line {
  const char *words[OP2I_WORDS_OF_LINE];
  int n;
};
struct op2i_contents {
  char *chars;
  size_t length, room;
};
op2_status op2i_contents_add(op2_file file, struct op2i_contents *text,
                             const struct op2i_line *line);
/* Cut the next line of a text into words. */
void op2i_contents_take(char **at, struct op2i_line *line);

/* io_subset.c: the global numbers of a subset's elements, ascending, under its name. */
op2_status op2i_subset_write(op2_file file, op2_set subset);
op2_status op2i_subset_read(op2_file file, op2_set base, const char *name, op2_set *subset);

/* io_mat.c: the pattern NAME/starts and NAME/columns of a sparsity in CSR form, by global numbers;
 * and PATTERN/NAME, the values of a matrix in this order. The sparsity has its name in the file. */
op2_status op2i_sparsity_write(op2_file file, op2_sparsity sparsity);
op2_status op2i_mat_write(op2_file file, op2_mat mat);
/* Make a matrix with the values in a file. The sparsity has all nonzeros of the pattern there. */
op2_status op2i_mat_read(op2_file file, op2_sparsity sparsity, int row_dim, int column_dim,
                         const char *name, op2_mat *mat);

#endif

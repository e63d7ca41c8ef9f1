/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOKUP_H
#define OP2I_LOOKUP_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "file.h"
#include "query.h"
#include "text.h"

/* Derives the names that a compiler searched for from the files that it has read. */

/* A file that was read. */
struct op2i_read_file {
  char *path; /* absolute */
  struct op2i_bytes contents;
  struct op2i_key digest; /* zero: it changed while the compiler ran, or could not be read */
  dev_t device;
  ino_t inode;
  bool explained; /* True if a directive or an option leads to it */
};

struct op2i_lookup {
  const struct op2i_query *query;
  const char *folder;      /* folder that the compiler's relative names refer to; may be null */
  struct timespec started; /* start of the compiler: files that changed later may have been read
                              before */
  struct op2i_read_file *files;
  int64_t nfiles, capacity;
  struct op2i_words seen; /* names that were followed already, each with the folder for quotes */
  struct op2i_text *out;  /* records, see depend.h */
  bool computed;          /* True if a directive names a file by a macro: the names are not all
                             known */
};

/* Follow all directives in `text`, the contents of a file in `folder`. This adds a record for each
 * name that was searched for without success, and for each file that exists and was not read.
 * Directives in parts that conditions exclude count as well: in the worst case code is recompiled
 * without need. */
op2_status op2i_lookup_text(struct op2i_lookup *lookup, const char *text, const char *folder);
/* The same for one name in quotes or, if `folder` is null, in angle brackets. */
op2_status op2i_lookup_name(struct op2i_lookup *lookup, const char *name, const char *folder,
                            bool next);
void op2i_lookup_free(struct op2i_lookup *lookup);

#endif

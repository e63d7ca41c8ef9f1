/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOKUP_H
#define OP2I_LOOKUP_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "file.h"
#include "says.h"
#include "text.h"

/* From the files that a compiler has read to the names that it looked for. */

/* A file that was read. */
struct op2i_read_file {
  char *path; /* absolute */
  struct op2i_bytes contents;
  struct op2i_key digest; /* zero: it changed while the compiler ran, or could not be read */
  dev_t device;
  ino_t inode;
  bool explained; /* a directive or an option leads to it */
};

struct op2i_lookup {
  const struct op2i_says *says;
  const char *folder;      /* from which the compiler's relative names are meant; may be null */
  struct timespec started; /* when the compiler was: what changed later may have been read before */
  struct op2i_read_file *files;
  int64_t nfiles, capacity;
  struct op2i_words seen; /* names that were followed already, each with the folder of its quotes */
  struct op2i_text *out;  /* records, see depend.h */
  bool computed;          /* a directive names a file by a macro, so that names are not all known */
};

/* Follow all directives in `text`, the contents of a file in `folder`: a record for each name that
 * was looked for and is not there, and for each file that is there and was not read. Directives in
 * parts that conditions leave out count as well: at worst code is compiled again without need. */
op2_status op2i_lookup_text(struct op2i_lookup *lookup, const char *text, const char *folder);
/* The same for one name in quotes or, where `folder` is null, in angle brackets. */
op2_status op2i_lookup_name(struct op2i_lookup *lookup, const char *name, const char *folder,
                            bool next);
void op2i_lookup_free(struct op2i_lookup *lookup);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEPEND_H
#define OP2I_DEPEND_H

#include <stdbool.h>
#include <time.h>

#include "entry.h"
#include "jit.h"
#include "text.h"

/* Part of every key. It changes when lists record more, so that older entries are not used. */
#define OP2I_DEPEND_RECORDS "2"

/* A compiled image depends on files as well as on its key. These dependencies are a list of
 * records: a byte for the kind, a digest of 16 bytes, and a path that ends with a zero byte. */

enum op2i_depend_kind {
  OP2I_DEPEND_FILE = 'f',      /* the contents of the file have the digest; zero: never */
  OP2I_DEPEND_NO_FILE = 'a',   /* no file is there (a folder may be: compilers ignore it) */
  OP2I_DEPEND_NOTHING = 'n',   /* nothing is there */
  OP2I_DEPEND_SOME_FILE = 'e', /* a file is there, with any contents */
  OP2I_DEPEND_PROGRAM = 'p',   /* the program's size, times and inode have the digest */
  OP2I_DEPEND_IN_PATH = 'w',   /* the first program of that name in the folders of PATH has the
                                  digest, as for 'p'; zero: there is none */
  OP2I_DEPEND_COMMANDS = 'c',  /* the commands that the compiler would run have the digest */
  OP2I_DEPEND_TEXT = 't',      /* the preprocessed text has the digest */
};

/* Append a record, unless the list has one of its kind and path. A null digest stands for zero. */
void op2i_depend_add(struct op2i_text *list, enum op2i_depend_kind kind,
                     const struct op2i_key *digest, const char *path);

struct op2i_compiled {
  const struct op2i_jit_code *code; /* the first of the codes that were compiled together */
  const char *source;               /* the whole text */
  const char *rule;                 /* the dependency rule that the compiler wrote; may be null */
  struct timespec started;          /* when the compiler was started, by CLOCK_REALTIME */
};
/* Make the list of what was just compiled: every file that was read, every name that was searched
 * for without success, and the programs that ran. If the files and the compiler's output do not
 * determine these, the list has the digest of the preprocessed text; if that is not available
 * either, *known is false, and the image must not be kept. Fails only for lack of memory. */
op2_status op2i_depend_record(op2_context ctx, const struct op2i_compiled *compiled,
                              struct op2i_text *list, bool *known);

/* *holds becomes true if all records of the list hold. Without a compiler, missing files count as
 * unchanged, *absent becomes true if there are any, and programs and preprocessed text are not
 * checked. `why` describes the first record that does not hold, for messages. */
op2_status op2i_depend_check(op2_context ctx, struct op2i_bytes list,
                             const struct op2i_jit_code *code, bool *holds, bool *absent,
                             struct op2i_text *why);

#endif

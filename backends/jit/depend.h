/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEPEND_H
#define OP2I_DEPEND_H

#include <stdbool.h>
#include <time.h>

#include "entry.h"
#include "jit.h"
#include "text.h"

/* Part of every key: another one when lists have more in them, so that older entries are not
 * used. */
#define OP2I_DEPEND_RECORDS "2"

/* A compiled image depends on files as well as on its key. They are kept as a list of records, each
 * of them a byte for its kind, a digest of 16 bytes, and a path that a zero byte ends. */

enum op2i_depend_kind {
  OP2I_DEPEND_FILE = 'f',      /* the contents of the file have the digest; zero: they never do */
  OP2I_DEPEND_NO_FILE = 'a',   /* no file is there (a folder may be: compilers pass it over) */
  OP2I_DEPEND_NOTHING = 'n',   /* nothing is there */
  OP2I_DEPEND_SOME_FILE = 'e', /* a file is there, whatever it holds */
  OP2I_DEPEND_PROGRAM = 'p',   /* the program has the size, times and place of the digest */
  OP2I_DEPEND_IN_PATH = 'w',   /* the first program of that name in the folders of PATH has the
                                  digest, as for 'p'; zero: there is none */
  OP2I_DEPEND_COMMANDS = 'c',  /* the compiler would run the commands of the digest */
  OP2I_DEPEND_TEXT = 't',      /* the text is preprocessed to what has the digest */
};

/* Append a record, unless the list has one of its kind and path. A null digest is zero. */
void op2i_depend_add(struct op2i_text *list, enum op2i_depend_kind kind,
                     const struct op2i_key *digest, const char *path);

struct op2i_compiled {
  const struct op2i_jit_code *code; /* the first of those that were compiled together */
  const char *source;               /* the whole text */
  const char *rule;                 /* the dependency rule that the compiler wrote; may be null */
  struct timespec started;          /* when the compiler was, by CLOCK_REALTIME */
};
/* The list of what was just compiled: every file that was read, every name that was looked for in
 * vain, and the programs that ran. Where that cannot be told from the files and from what the
 * compiler says, the list has the digest of the preprocessed text; where not even that can be had,
 * *known is false, and the image is not to be kept. Fails only for lack of memory. */
op2_status op2i_depend_record(op2_context ctx, const struct op2i_compiled *compiled,
                              struct op2i_text *list, bool *known);

/* Whether all is as the list says. Without a compiler, files that are gone count as unchanged, and
 * *absent is set to whether there are such; programs and preprocessed text do not count. `why` gets
 * the first record that does not hold, and is for people. */
op2_status op2i_depend_check(op2_context ctx, struct op2i_bytes list,
                             const struct op2i_jit_code *code, bool *holds, bool *absent,
                             struct op2i_text *why);

#endif

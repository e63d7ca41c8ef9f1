/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_QUERY_H
#define OP2I_QUERY_H

#include <stdbool.h>

#include "compiler.h"
#include "entry.h"
#include "op2/types.h"

/* Answers of the compiler about the commands that it would run, and about the folders in which it
 * would search for headers. It is asked once in a context for each list of include folders. */
struct op2i_jit;

struct op2i_query {
  struct op2i_query *next;
  struct op2i_key includes; /* digest of the list */

  bool asked_commands, has_commands;
  struct op2i_key commands;   /* digest of the output of -###, without names of temporary files */
  bool wrapper;               /* True if the driver is not the compiler itself, so that the programs
                                 it runs may change while the driver stays the same */
  struct op2i_words programs; /* programs that the driver runs */
  struct op2i_words by_path;  /* names of programs that it, or a wrapper, finds by PATH, and of
                                 those that it would use if they existed */
  struct op2i_words untaken;  /* files that it would use in place of others, or as specs */
  struct op2i_words unmade;   /* folders that it would search first, if they existed */

  bool asked_folders, has_folders;
  struct op2i_words quoted, bracketed; /* absolute, in the order of the search */
  struct op2i_words missing;           /* folders that its options name and that do not exist */
};

/* Both return with has_... false if the compiler's output does not contain the answer, and fail
 * only for lack of memory. */
op2_status op2i_query_commands(op2_context ctx, const char *const *includes,
                               struct op2i_query **query);
op2_status op2i_query_folders(op2_context ctx, const char *const *includes,
                              struct op2i_query **query);
/* Drop all answers, so that the compiler is run for them again. */
void op2i_query_forget(struct op2i_jit *jit);

/* Compute the digest of a text after preprocessing, with all definitions; *known is false if the
 * compiler does not preprocess it. */
op2_status op2i_query_preprocessed(op2_context ctx, const char *const *includes,
                                   const struct op2i_text *source, struct op2i_key *digest,
                                   bool *known);

#endif

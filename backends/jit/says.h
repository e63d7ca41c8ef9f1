/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SAYS_H
#define OP2I_SAYS_H

#include <stdbool.h>

#include "compiler.h"
#include "entry.h"
#include "op2/types.h"

/* The compiler is asked which commands it would run, and in which folders it would look for
 * headers, once in a context for each list of include folders. */
struct op2i_jit;

struct op2i_says {
  struct op2i_says *next;
  struct op2i_key includes; /* digest of the list */

  bool asked_commands, has_commands;
  struct op2i_key commands;   /* digest of what -### prints, without names of temporary files */
  bool wrapper;               /* the driver is not the compiler itself, so that what it runs may
                               change while the driver stays as it is */
  struct op2i_words programs; /* that the driver runs */
  struct op2i_words by_path;  /* names of those that it, or a wrapper, finds by PATH, and of those
                                 that it would take if they were there */
  struct op2i_words untaken;  /* files that it would take in the place of others, or as specs */
  struct op2i_words unmade;   /* folders that it would look into first, if they were there */

  bool asked_folders, has_folders;
  struct op2i_words quoted, bracketed; /* absolute, in the order of the search */
  struct op2i_words missing; /* folders that it was told to search and that are not there */
};

/* Both return with has_... false where the compiler does not say it, and fail only for lack of
 * memory. */
op2_status op2i_says_commands(op2_context ctx, const char *const *includes,
                              struct op2i_says **says);
op2_status op2i_says_folders(op2_context ctx, const char *const *includes, struct op2i_says **says);
/* Ask anew from now on. */
void op2i_says_forget(struct op2i_jit *jit);

/* The digest of a text after it was preprocessed, with all definitions; *known is false where the
 * compiler does not preprocess it. */
op2_status op2i_says_preprocessed(op2_context ctx, const char *const *includes,
                                  const struct op2i_text *source, struct op2i_key *digest,
                                  bool *known);

#endif

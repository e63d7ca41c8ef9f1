/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_COMPILE_CASE_H
#define OP2_TEST_COMPILE_CASE_H

#include <stdbool.h>

/* Compile C text with a compiler of this machine and load it. */

extern const char *const case_compilers[]; /* ends with null */
bool case_have_compiler(const char *compiler);
/* Cases that any compiler may take are shared out among those that are installed: this one takes
 * case i where i % *of is what is returned. With OP2_TEST_FULL=1 each takes all. */
int case_share(const char *compiler, int *of);

struct compiled {
  void *library;
  char *messages; /* the compiler's */
};

/* Returns whether it compiled and loaded. *out is freed by case_unload() either way. */
bool case_compile(const char *compiler, const char *flags, const char *source,
                  struct compiled *out);
void *case_symbol(const struct compiled *compiled, const char *name);
void case_unload(struct compiled *compiled);

#endif

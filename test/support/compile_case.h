/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_COMPILE_CASE_H
#define OP2_TEST_COMPILE_CASE_H

#include <stdbool.h>

/* Compile C text with a compiler of this machine and load it. */

extern const char *const case_compilers[]; /* ends with null */
bool case_have_compiler(const char *compiler);
/* Cases that any compiler may take are divided among the installed compilers: this one takes case i
 * if i % *of equals the result. With OP2_TEST_FULL=1 each compiler takes all cases. */
int case_share(const char *compiler, int *of);

struct compiled {
  void *library;
  char *messages; /* the compiler's output */
};

/* Returns whether it compiled and loaded. *out is freed by case_unload() either way. */
bool case_compile(const char *compiler, const char *flags, const char *source,
                  struct compiled *out);
void *case_symbol(const struct compiled *compiled, const char *name);
void case_unload(struct compiled *compiled);

#endif

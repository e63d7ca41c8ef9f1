/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that changes the floating-point modes of the thread that loads it, as libraries linked
 * with -ffast-math do: it is loaded as a plugin, or by LD_PRELOAD before a program begins.
 * OP2_TEST_MODES gives the modes (fp_case.h); unset: none. Kernels that are linked with it call its
 * function, so that the linker keeps it. */
#include <stdlib.h>

#include "fp_case.h"

__attribute__((constructor)) static void change(void) {
  const char *modes = getenv("OP2_TEST_MODES");
  if (modes) fp_set((unsigned)atoi(modes) & fp_possible());
}

int fpmodes_loaded(void);
int fpmodes_loaded(void) { return 1; }

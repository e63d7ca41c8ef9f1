/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FP_CASE_H
#define OP2_TEST_FP_CASE_H

#include <stdbool.h>

/* Floating-point modes of the calling thread, as programs set them. */
enum {
  FP_TRAPS = 1,      /* traps for invalid operations, overflow and division by zero */
  FP_EVERY_TRAP = 2, /* traps for inexact, underflow and denormal ones as well */
  FP_UPWARD = 4,     /* rounding */
  FP_TO_ZERO = 8,
  FP_FLUSH = 16, /* denormal numbers are zero */
  FP_SHORT = 32, /* x87, the unit of long double, rounds to 53 bits */
};
enum { FP_SETS = 7 };
extern const unsigned fp_sets[FP_SETS]; /* each mode by itself, and several together */

/* The modes that this machine has. */
unsigned fp_possible(void);
void fp_set(unsigned modes);
unsigned fp_get(void);
/* The flags that are raised, in every unit. */
int fp_flags(void);
void fp_clear_flags(void);
const char *fp_name(unsigned modes); /* "traps"; static */

#endif

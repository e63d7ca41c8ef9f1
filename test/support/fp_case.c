/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating-point modes of a thread. */
#define _GNU_SOURCE
#include "fp_case.h"

#include <fenv.h>

const unsigned fp_sets[FP_SETS] = {
    FP_TRAPS, FP_TRAPS | FP_EVERY_TRAP,       FP_UPWARD, FP_TO_ZERO, FP_FLUSH,
    FP_SHORT, FP_TRAPS | FP_UPWARD | FP_FLUSH};

enum { USUAL = FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO };

/* Bits that have no names in C. */
#if defined __x86_64__ || defined __i386__
enum { CONTROL_FLUSH = 0x8040, CONTROL_DENORMAL_MASK = 0x100, HAS_FLUSH = FP_FLUSH };
static unsigned control(void) { return __builtin_ia32_stmxcsr(); }
static void set_control(unsigned value) { __builtin_ia32_ldmxcsr(value); }
#elif defined __aarch64__
enum { CONTROL_FLUSH = 1 << 24, CONTROL_DENORMAL_MASK = 0, HAS_FLUSH = FP_FLUSH };
static unsigned control(void) {
  unsigned long value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return (unsigned)value;
}
static void set_control(unsigned value) {
  __asm__ volatile("msr fpcr, %0" ::"r"((unsigned long)value));
}
#else
enum { CONTROL_FLUSH = 0, CONTROL_DENORMAL_MASK = 0, HAS_FLUSH = 0 };
static unsigned control(void) { return 0; }
static void set_control(unsigned value) { (void)value; }
#endif

/* Control of the x87 unit of long double, the only one whose rounding length can be set. */
#if defined __x86_64__ || defined __i386__
enum { X87_LENGTH = 0x300, X87_SHORT = 0x200, HAS_SHORT = FP_SHORT };
static unsigned x87_length(void) {
  unsigned short value;
  __asm__ volatile("fnstcw %0" : "=m"(value));
  return value & X87_LENGTH;
}
static void shorten_x87(void) {
  unsigned short value;
  __asm__ volatile("fnstcw %0" : "=m"(value));
  value = (unsigned short)((value & ~X87_LENGTH) | X87_SHORT);
  __asm__ volatile("fldcw %0" ::"m"(value));
}
#else
enum { X87_SHORT = 1, HAS_SHORT = 0 };
static unsigned x87_length(void) { return 0; }
static void shorten_x87(void) {}
#endif

unsigned fp_possible(void) {
  fenv_t before;
  unsigned modes = FP_UPWARD | FP_TO_ZERO | HAS_FLUSH | HAS_SHORT;
  if (fegetenv(&before)) return 0;
  (void)feenableexcept(
      USUAL); /* some processors have no traps, and C's functions do not always report it */
  if (fegetexcept() == USUAL) modes |= FP_TRAPS | FP_EVERY_TRAP;
  (void)fesetenv(&before);
  return modes;
}

void fp_set(unsigned modes) {
  (void)fesetenv(FE_DFL_ENV);
  (void)fesetround(modes & FP_UPWARD    ? FE_UPWARD
                   : modes & FP_TO_ZERO ? FE_TOWARDZERO
                                        : FE_TONEAREST);
  if (modes & FP_FLUSH) set_control(control() | CONTROL_FLUSH);
  if (modes & FP_SHORT) shorten_x87();
  if (modes & FP_EVERY_TRAP) set_control(control() & ~(unsigned)CONTROL_DENORMAL_MASK);
  if (modes & FP_EVERY_TRAP)
    (void)feenableexcept(FE_ALL_EXCEPT);
  else if (modes & FP_TRAPS)
    (void)feenableexcept(USUAL);
}

unsigned fp_get(void) {
  unsigned modes = 0;
  int traps = fegetexcept(), round = fegetround();
  if ((traps & USUAL) == USUAL) modes |= FP_TRAPS;
  if (traps == FE_ALL_EXCEPT) modes |= FP_EVERY_TRAP;
  if (round == FE_UPWARD) modes |= FP_UPWARD;
  if (round == FE_TOWARDZERO) modes |= FP_TO_ZERO;
  if (CONTROL_FLUSH != 0 && (control() & CONTROL_FLUSH) == CONTROL_FLUSH) modes |= FP_FLUSH;
  if (x87_length() == X87_SHORT) modes |= FP_SHORT;
  return modes;
}

#if defined __x86_64__ || defined __i386__
/* Include the flag for denormal operands, which has no name in C. */
int fp_flags(void) { return fetestexcept(FE_ALL_EXCEPT) | (int)(control() & 0x2); }
void fp_clear_flags(void) {
  (void)feclearexcept(FE_ALL_EXCEPT);
  set_control(control() & ~0x2u);
}
#else
int fp_flags(void) { return fetestexcept(FE_ALL_EXCEPT); }
void fp_clear_flags(void) { (void)feclearexcept(FE_ALL_EXCEPT); }
#endif

const char *fp_name(unsigned modes) {
  switch (modes) {
  case 0: return "default modes";
  case FP_TRAPS: return "traps";
  case FP_TRAPS | FP_EVERY_TRAP: return "every trap";
  case FP_UPWARD: return "rounding upward";
  case FP_TO_ZERO: return "rounding to zero";
  case FP_FLUSH: return "no denormals";
  case FP_SHORT: return "short long doubles";
  default: return "traps, rounding upward, no denormals";
  }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Scopes of the default floating-point environment, and windows in them, by themselves. The test is
 * compiled twice: with this processor's instructions, and (t623-fp-portable) with C's functions
 * alone, as on other processors. */
#include <fenv.h>
#include <stddef.h>

#include "fp_case.h"
#include "fpenv.h"
#include "tap.h"

static volatile double zero, big = 1e300, tenth = 0.1;

/* Raise the exceptions that do not trap by default: invalid, division by zero, overflow,
 * inexact. */
static void compute(void) {
  volatile double result = zero / zero;
  result = 1 / zero;
  result = big * big;
  result = tenth * tenth;
  (void)result;
}

static bool is_default(void) { return fp_get() == 0 && fegetround() == FE_TONEAREST; }

static bool denormals_are_kept(void) {
  volatile double least = 2.2250738585072014e-308;
  return least / 4 > 0;
}

static void scope(unsigned modes) {
  struct op2i_fp_scope outer, inner;
  fp_set(modes);
  fp_clear_flags();
  op2i_fp_enter(&outer);
  bool inside = is_default() && denormals_are_kept();
  compute();
  op2i_fp_enter(&inner);
  inside &= is_default() && !inner.outermost;
  compute();
  op2i_fp_leave(&inner);
  inside &= is_default();
  compute();
  op2i_fp_leave(&outer);
  const unsigned after = fp_get();
  const int flags = fp_flags();
  fp_set(0);
  ok(inside, "%s: a scope has the default modes, and so has one in it", fp_name(modes));
  ok(after == modes && !flags, "%s: they are back afterwards, without flags", fp_name(modes));
}

/* Flags that the caller has raised stay; no others are added. */
static void flags_of_caller(void) {
  struct op2i_fp_scope outer;
  fp_set(0);
  fp_clear_flags();
  (void)feraiseexcept(FE_DIVBYZERO);
  op2i_fp_enter(&outer);
  compute();
  (void)feclearexcept(FE_ALL_EXCEPT);
  op2i_fp_leave(&outer);
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  fp_clear_flags();
  is_int(flags, FE_DIVBYZERO, "the caller's flags are what they were");
}

static void window(unsigned modes, unsigned other, bool ended) {
  struct op2i_fp_scope outer;
  fp_set(modes);
  fp_clear_flags();
  op2i_fp_enter(&outer);
  compute();
  struct op2i_fp_scope *opened = op2i_fp_window_open();
  const bool callers = fp_get() == modes && !fp_flags();
  fp_set(other);
  op2i_fp_window_close(opened, ended);
  const bool inside = is_default();
  compute();
  op2i_fp_leave(&outer);
  const unsigned after = fp_get();
  const int flags = fp_flags();
  fp_set(0);
  ok(opened == &outer && callers, "%s: a window has the caller's modes", fp_name(modes));
  ok(inside, "%s: behind the window the default modes are back", fp_name(modes));
  ok(after == (ended ? other : modes) && !flags, "%s: %s", fp_name(modes),
     ended ? "what the function changed is kept" : "what a function that was left changed is not");
}

static void outside_of_scopes(unsigned modes) {
  fp_set(modes);
  fp_clear_flags();
  struct op2i_fp_scope *opened = op2i_fp_window_open();
  op2i_fp_window_close(opened, true);
  const unsigned after = fp_get();
  fp_set(0);
  ok(!opened && after == modes, "%s: outside of scopes nothing changes", fp_name(modes));
}

static void reset(unsigned modes) {
  struct op2i_fp_scope outer;
  fp_set(0);
  op2i_fp_enter(&outer);
  fp_set(modes);
  op2i_fp_reset();
  const bool inside = is_default();
  compute();
  op2i_fp_leave(&outer);
  fp_clear_flags();
  ok(inside, "%s: set inside a scope, and reset", fp_name(modes));
}

int main(void) {
  flags_of_caller();
  for (int m = 0; m < FP_SETS; m++) {
    const unsigned modes = fp_sets[m];
    if (modes & ~fp_possible()) {
      skip("%s: this processor does not have them", fp_name(modes));
      continue;
    }
    scope(modes);
    window(modes, FP_TO_ZERO, true);
    window(modes, FP_TO_ZERO, false);
    outside_of_scopes(modes);
    reset(modes);
  }
  return done();
}

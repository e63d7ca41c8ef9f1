/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FPENV_H
#define OP2I_FPENV_H

/* The floating-point environment of a thread: the rounding mode, the treatment of denormal numbers,
 * the exceptions that trap, and the flags of those that were raised. The program chooses its own
 * environment; generated code and the library run in the default one, on every thread: round to
 * nearest, denormal numbers kept, no traps.
 *
 * A scope of the default environment begins where the library is entered and ends where it returns.
 * The environment of the caller is saved meanwhile and restored afterwards, with its flags, so
 * nothing that the library raises is added to them. Scopes nest: an inner one changes nothing.
 * Within a scope, functions of the program run in a window, which restores the environment of the
 * caller for that time. */

#include <stdbool.h>
#include <stdint.h>

#if !defined __x86_64__ || defined OP2I_FP_PORTABLE
#include <fenv.h>
struct op2i_fp_state {
  fenv_t env;
};
#else
struct op2i_fp_state {
  uint32_t mxcsr;           /* of the vector units: modes, masks and flags */
  uint16_t control, status; /* of x87, which computes long double */
};
#endif

void op2i_fp_read(struct op2i_fp_state *state);
void op2i_fp_write(const struct op2i_fp_state *state);

struct op2i_fp_scope {
  /* True for the outermost scope of a thread, whose `caller` holds the environment that was
   * saved. */
  bool outermost;
  struct op2i_fp_state caller;
};
void op2i_fp_enter(struct op2i_fp_scope *scope);
void op2i_fp_leave(struct op2i_fp_scope *scope);
/* Open a scope that lasts to the end of the block, whichever way the block is left. */
#define OP2I_FP_DEFAULT                                                                            \
  __attribute__((cleanup(op2i_fp_leave))) struct op2i_fp_scope op2i_fp_here;                       \
  op2i_fp_enter(&op2i_fp_here)

/* Open a window, and return the scope that it interrupts; null outside of any scope, where nothing
 * changes. What the program's function does to its environment is kept for the caller, as if the
 * caller had called the function; this does not hold if the function was left in its middle
 * (`ended` is false). */
struct op2i_fp_scope *op2i_fp_window_open(void);
void op2i_fp_window_close(struct op2i_fp_scope *scope, bool ended);

/* Restore the default environment after code that may have changed it. Call it only within a
 * scope. */
void op2i_fp_reset(void);

#endif

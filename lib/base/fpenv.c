/* SPDX-License-Identifier: BSD-3-Clause */
/* Scopes of the default floating-point environment, and windows in them. x86-64 has two
 * environments, that of the vector units (MXCSR) and that of x87. C's own functions for both take
 * some hundred cycles. Every flush passes here, so registers are read, and written only where they
 * differ. On other processors C's functions are used: their default environment keeps denormal
 * numbers. */
#include "fpenv.h"

#include <stddef.h>

/* The outermost scope of this thread; null while the program's own code runs. */
static _Thread_local struct op2i_fp_scope *current;

#if !defined __x86_64__ || defined OP2I_FP_PORTABLE

void op2i_fp_read(struct op2i_fp_state *state) { (void)fegetenv(&state->env); }
void op2i_fp_write(const struct op2i_fp_state *state) { (void)fesetenv(&state->env); }
static void set_default(void) { (void)fesetenv(FE_DFL_ENV); }

static void save_and_set_default(struct op2i_fp_state *state) {
  op2i_fp_read(state);
  set_default();
}

#else

enum {
  MXCSR_FLAGS = 0x3f,
  MXCSR_MODES = 0xffc0, /* masks, rounding, and the treatment of denormal numbers */
  MXCSR_DEFAULT = 0x1f80,
  X87_FLAGS = 0x3f,
  X87_DEFAULT = 0x37f,
};

/* The format in which fnstenv stores the environment in 64-bit mode. */
struct x87 {
  uint16_t control, unused1, status, unused2, tags, unused3;
  uint32_t addresses[4];
};

static uint32_t read_mxcsr(void) {
  uint32_t value;
  __asm__ volatile("stmxcsr %0" : "=m"(value)::"memory");
  return value;
}

static void write_mxcsr(uint32_t value) { __asm__ volatile("ldmxcsr %0" ::"m"(value) : "memory"); }

static uint16_t read_control(void) {
  uint16_t value;
  __asm__ volatile("fnstcw %0" : "=m"(value)::"memory");
  return value;
}

static void write_control(uint16_t value) { __asm__ volatile("fldcw %0" ::"m"(value) : "memory"); }

static uint16_t read_status(void) {
  uint16_t value;
  __asm__ volatile("fnstsw %0" : "=am"(value)::"memory");
  return value;
}

void op2i_fp_read(struct op2i_fp_state *state) {
  *state = (struct op2i_fp_state){read_mxcsr(), read_control(), read_status()};
}

/* Flags and masks are written together: a flag that is set when its mask is cleared would trap. */
static void write_x87(const struct op2i_fp_state *state) {
  struct x87 now;
  __asm__ volatile("fnstenv %0" : "=m"(now)::"memory");
  now.control = state->control;
  now.status = (uint16_t)((now.status & ~X87_FLAGS) | (state->status & X87_FLAGS));
  __asm__ volatile("fldenv %0" ::"m"(now) : "memory");
}

void op2i_fp_write(const struct op2i_fp_state *state) {
  if (read_mxcsr() != state->mxcsr) write_mxcsr(state->mxcsr);
  if ((read_status() ^ state->status) & X87_FLAGS)
    write_x87(state);
  else if (read_control() != state->control)
    write_control(state->control);
}

static void set_default_from(uint32_t mxcsr, uint16_t control) {
  if ((mxcsr & MXCSR_MODES) != MXCSR_DEFAULT) write_mxcsr(MXCSR_DEFAULT | (mxcsr & MXCSR_FLAGS));
  if (control != X87_DEFAULT) write_control(X87_DEFAULT);
}

static void set_default(void) { set_default_from(read_mxcsr(), read_control()); }

static void save_and_set_default(struct op2i_fp_state *state) {
  op2i_fp_read(state);
  set_default_from(state->mxcsr, state->control);
}

#endif

void op2i_fp_enter(struct op2i_fp_scope *scope) {
  scope->outermost = !current;
  if (!scope->outermost) return;
  save_and_set_default(&scope->caller);
  current = scope;
}

void op2i_fp_leave(struct op2i_fp_scope *scope) {
  if (!scope->outermost) return;
  current = NULL;
  op2i_fp_write(&scope->caller);
}

struct op2i_fp_scope *op2i_fp_window_open(void) {
  struct op2i_fp_scope *scope = current;
  if (!scope) return NULL;
  current = NULL;
  op2i_fp_write(&scope->caller);
  return scope;
}

void op2i_fp_window_close(struct op2i_fp_scope *scope, bool ended) {
  if (!scope) return;
  if (ended)
    save_and_set_default(&scope->caller);
  else
    set_default();
  current = scope;
}

void op2i_fp_reset(void) { set_default(); }

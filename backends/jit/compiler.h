/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPILER_H
#define OP2I_COMPILER_H

/* The C compiler that generated code is given to. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "env.h"
#include "op2/status.h"
#include "text.h"

struct op2i_words {
  char **item; /* null-terminated once it has been used as an argument vector */
  int64_t count, capacity;
};

struct op2i_compiler {
  struct op2i_words driver;  /* program and its fixed arguments: "ccache gcc" is two */
  struct op2i_words flags;   /* optimisation */
  struct op2i_text identity; /* what decides its output apart from source and include directories;
                                part of every key */
  struct op2i_text missing;  /* why there is none; empty when there is one */
  const char *flags_by;      /* who asked for the flags, for messages; null: nobody */
  int timeout;               /* seconds that a run may take, 0: no limit */
};

/* Find the compiler; runs nothing. Fails only for lack of memory. */
op2_status op2i_compiler_open(struct op2i_compiler *compiler, const struct op2i_config *config);
void op2i_compiler_close(struct op2i_compiler *compiler);

/* One run: STEM.c to the shared object STEM.so and the dependency rule STEM.d, all it prints to
 * STEM.log. */
struct op2i_compiler_run {
  const char *stem, *folder;   /* folder: for the compiler's own temporary files */
  const char *const *includes; /* null-terminated, may be null */
  pid_t pid;                   /* 0: not running */
  int64_t deadline;            /* by op2i_child_clock() */
  bool good;                   /* out: ended with success, or its end was hidden from us */
  bool given_up;               /* out: it took too long, or somebody ended it: to start another one
                                  would do no better, or be against their will */
  struct op2i_text failure; /* out: what went wrong and what the compiler said; empty when good */
};
op2_status op2i_compiler_start(const struct op2i_compiler *compiler, struct op2i_compiler_run *run);
op2_status op2i_compiler_wait(const struct op2i_compiler *compiler, struct op2i_compiler_run *run);
/* Append what the compiler printed and the command to run->failure. */
op2_status op2i_compiler_tell(const struct op2i_compiler *compiler, struct op2i_compiler_run *run);

#endif

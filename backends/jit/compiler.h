/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPILER_H
#define OP2I_COMPILER_H

/* The C compiler for generated code. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "env.h"
#include "op2/status.h"
#include "text.h"

struct op2i_words {
  char **item; /* null-terminated once it has been used as an argument vector */
  int64_t count, capacity;
};

op2_status op2i_words_add(struct op2i_words *words, const char *text);
/* Split text into words as a shell does: quotes and backslashes count, nothing is expanded. */
op2_status op2i_words_split(struct op2i_words *words, const char *text);
void op2i_words_free(struct op2i_words *words);

struct op2i_compiler {
  struct op2i_words driver;      /* program and its fixed arguments: "ccache gcc" is two */
  struct op2i_words flags;       /* optimisation */
  struct op2i_words linker;      /* OP2_LDFLAGS */
  struct op2i_words environment; /* the environment that it runs in (environment.h) */
  struct op2i_text identity; /* what decides its output apart from source and include directories;
                                part of every key */
  struct op2i_text plain;    /* the requested flags and the processor: the identity without a
                                compiler */
  struct op2i_text missing;  /* why there is no compiler; empty: there is one */
  char *folder;              /* absolute: it runs here, and relative names in its flags are resolved
                                here, wherever the program is by then; null: not known */
  const char *flags_by;      /* the setting of the flags, for messages; null: defaults */
  int timeout;               /* seconds that a run may take; 0: no limit */
};

/* Find the compiler; runs nothing. Fails only for lack of memory. */
op2_status op2i_compiler_open(struct op2i_compiler *compiler, const struct op2i_config *config);
void op2i_compiler_close(struct op2i_compiler *compiler);

/* A run of the compiler reads STEM.c; the mode determines its output. */
enum op2i_compiler_mode {
  OP2I_COMPILE,    /* makes the shared object STEM.so and the dependency rule STEM.d */
  OP2I_COMMANDS,   /* runs nothing and prints the commands that it would run */
  OP2I_SEARCH,     /* prints the folders in which it searches for headers */
  OP2I_PREPROCESS, /* makes the preprocessed text STEM.i, with all definitions */
};
const char *op2i_compiler_output(enum op2i_compiler_mode mode); /* ".so" or ".i" */

/* Resolve a name that is relative to a folder (null: the program's working directory). Returns
 * false if the result is too long. */
bool op2i_compiler_name(const char *folder, const char *name, char path[PATH_MAX]);

/* One run. All that it prints goes to STEM.log. */
struct op2i_compiler_run {
  enum op2i_compiler_mode mode;
  const char *stem, *folder;    /* folder: for the compiler's own temporary files */
  const char *const *includes;  /* null-terminated, may be null */
  const char *const *libraries; /* null-terminated, may be null: the libraries to link to */
  pid_t pid;                    /* 0: not running */
  int64_t deadline;             /* by op2i_child_clock() */
  struct timespec started;      /* out: by CLOCK_REALTIME */
  bool good;                    /* out: it ended with success, or its status was hidden */
  bool given_up;                /* out: it took too long or was ended by a signal: another run would
                                   take as long, or be unwanted */
  struct op2i_text failure; /* out: what went wrong and what the compiler printed; empty: success */
};
op2_status op2i_compiler_start(const struct op2i_compiler *compiler, struct op2i_compiler_run *run);
op2_status op2i_compiler_wait(const struct op2i_compiler *compiler, struct op2i_compiler_run *run);
/* Append what the compiler printed to run->failure, and the command where that may be at fault. */
op2_status op2i_compiler_report(const struct op2i_compiler *compiler,
                                struct op2i_compiler_run *run);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ENV_H
#define OP2I_ENV_H

#include "comm.h"
#include "op2/context.h"
#include "strategy.h"

/* All variables are read here (lib/context/env.c, env_replace.c). Numbers are decimal digits; a bad
 * one is OP2_ERR_OPTION with the name of the variable. */

/* True if the environment is not trusted: a process with more rights than the user who started it
 * (set-user-ID, set-group-ID, file capabilities) reads nothing from it, neither the variables of
 * the library nor others, and passes none of it to a compiler. */
bool op2i_env_ignored(void);

/* A variable that does not belong to the library: HOME, PATH, TMPDIR, STARPU_HOME and so on; null
 * when unset, empty or ignored. */
const char *op2i_env_system(const char *name);
/* Does the same for libraries to which an empty variable counts as set. */
const char *op2i_env_raw(const char *name);

/* The environment of the program, even while another one replaces it. */
char **op2i_env_all(void);

/* Some libraries take settings from the environment alone. setenv() may free the list of variables
 * while another thread reads it, so the list stays as it is and is replaced by one with these
 * changes until op2i_env_put_back(). Only one caller at a time may do so. Changes that the program
 * makes meanwhile are kept. False if there is no memory: then nothing is changed. */
struct op2i_env_change {
  const char *name, *value; /* null: the variable is not set */
};
enum { OP2I_ENV_CHANGES = 32 }; /* at most */
bool op2i_env_replace(const struct op2i_env_change *changes, int nchanges);
void op2i_env_put_back(void);
/* Restore the program's environment in a child that another thread has forked meanwhile. */
void op2i_env_in_child(void);

/* The configuration of a context: options take precedence over the environment, and the environment
 * over defaults. All fields are filled in. A field for each row of options.def: texts are owned,
 * null: not set; FIELD_by is the variable or option that set a text, "OP2_CC" or
 * "op2_options.cc". */
struct op2i_config {
#define TEXT(id_, field_, ...)                                                                     \
  char *field_;                                                                                    \
  const char *field_##_by;
#define FLAG(id_, field_, ...)   int field_;
#define NUMBER(id_, field_, ...) int field_;
#include "options.def"
  char *folder; /* the working directory when the context was made; null: not known */
  enum op2i_device_strategy strategy; /* that device_strategy names */
  bool simd_chosen; /* OP2I_SIMD_AUTO was asked for, and the library chose the width */
  bool simd_halved; /* OP2I_SIMD_AUTO was asked for, and the processor splits such vectors in two */
};
/* Defaults of options whose value the library chooses. */
enum {
  OP2I_SIMD_AUTO = -1,
  OP2I_STREAM_AUTO = -1,
  OP2I_TEAM_AUTO = -1,
  OP2I_NUMA_AUTO = -1,
  OP2I_RENUMBER_AUTO = -1,
  OP2I_SLICES_AUTO = -1
};
/* Trials are held never, or where loops run for long; or, in tests, always, and then scalar code is
 * faster, or vector code is, without prefetches. */
enum { OP2I_TRIAL_NEVER, OP2I_TRIAL_MEASURED, OP2I_TRIAL_SCALAR, OP2I_TRIAL_VECTOR };
/* Loops are fused never, when the same group is queued again, or when it is queued first. */
enum { OP2I_FUSE_NEVER, OP2I_FUSE_AGAIN, OP2I_FUSE_AT_ONCE };
/* How long ranks wait for each other before they have a context. */
struct op2i_wait_limits {
  int64_t longest;    /* nanoseconds; 0: without end */
  int64_t warn_after; /* nanoseconds after which a rank warns; 0: it does not */
};
/* Fill in by OP2_WAIT_MAX and the log level as in a context, or by the defaults if these are not
 * valid. */
void op2i_config_wait_limits(const op2_options *options, struct op2i_wait_limits *limits);
op2_status op2i_config_init(struct op2i_config *config, const op2_options *options);
/* Among ranks: OP2_ERR_OPTION on all ranks if options differ that have to be the same, with the
 * first such option, two ranks and their values. `backend` is the one that was chosen.
 * Collective. */
op2_status op2i_config_agree(const struct op2i_config *config, const char *backend,
                             struct op2i_comm *comm);
void op2i_config_free(struct op2i_config *config);
/* The emulated link on which messages between ranks are sent (OP2_LINK); all zero: as fast as
 * possible. */
op2_status op2i_env_link(struct op2i_link_speed *speed);
/* Warn of unknown variables that start with OP2_, once in a process for each. Names that start with
 * OP2_TEST_ belong to the library's own tests, and some to the makefiles of OP2. */
void op2i_env_warn_unknown(op2_context ctx);
/* Warn, in the first of several processes that a launcher has started, that a context of one process
 * does not share the work with the others; once in a process. */
void op2i_env_warn_launcher(op2_context ctx);

#endif

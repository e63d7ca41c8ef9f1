/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ENV_H
#define OP2I_ENV_H

#include "comm.h"
#include "op2/context.h"
#include "strategy.h"

/* All variables are read here (lib/context/env.c, env_replace.c). Numbers are decimal digits; a bad one is
 * OP2_ERR_OPTION and names the variable. */

/* Whether the environment is somebody else's: a process with more rights than who started it
 * (set-user-ID, set-group-ID, file capabilities) takes nothing from it, neither our variables nor
 * others, and hands none of it to a compiler. */
bool op2i_env_ignored(void);

/* A variable that is not ours: HOME, PATH, TMPDIR, STARPU_HOME and so on; null when unset, empty
 * or ignored. */
const char *op2i_env_system(const char *name);
/* The same for a library that takes an empty variable for a set one. */
const char *op2i_env_raw(const char *name);

/* The environment of the program, also while another one is in its place. */
char **op2i_env_all(void);

/* Some libraries take settings from the environment alone. setenv() may free the list of variables
 * while another thread reads it, so the list is left as it is and another one takes its place: one
 * with these changes, for a while, until it is put back. One caller at a time. What the program itself
 * changes meanwhile stays changed. False where there is no memory: then nothing is changed. */
struct op2i_env_change {
  const char *name, *value; /* null: the variable is not set */
};
enum { OP2I_ENV_CHANGES = 32 }; /* at most */
bool op2i_env_replace(const struct op2i_env_change *changes, int nchanges);
void op2i_env_put_back(void);
/* In a child that another thread has forked meanwhile: the program's environment is in place. */
void op2i_env_in_child(void);

/* What a context runs with: options over environment over defaults, all filled in; strings are
 * owned. */
struct op2i_config {
  char *backend, *device, *place, *place_costs, *cache_dir, *cc, *cflags,
      *graph_file;       /* null: not set */
  char *cache_trust;     /* null: nobody but the user and root */
  char *ldflags;         /* null: none */
  char *folder;          /* the working directory when the context was made; null: not known */
  char *device_strategy; /* the same, */
  enum op2i_device_strategy strategy; /* and which that is */
  /* Who asked for these: "OP2_CC" or "op2_options.cc". */
  const char *backend_by, *device_by, *cache_dir_by, *cc_by, *cflags_by, *graph_by;
  int threads, block_size; /* 0: choose */
  int chunk_us, queue_max, idle_ms, log_level;
  int cc_timeout; /* seconds, 0: no limit */
  int wait_max;   /* seconds that a rank waits for another one, 0: no limit */
  int eager, verify;
  int cache_mb;  /* limit of the cache on disk, 0: none */
  int device_mb; /* limit of memory on a device, 0: none */
  int replay;
  int fuse;       /* OP2I_FUSE_... */
  int shadow;     /* loops work in a place of their own */
  int simd_bytes; /* of a vector in generated code, 0: none; the context replaces OP2I_SIMD_AUTO */
  bool simd_halved;   /* the processor was to choose, and works on such vectors in two steps */
  int team;           /* OP2I_TEAM_AUTO, 0: never, 1: always */
  int tile;           /* OP2I_TILE_AUTO, 0: never, 1: always, else iterations in a tile */
  int renumber;       /* unasked: OP2I_RENUMBER_AUTO, 0: never, 1: by the first map that will do */
  int slices;         /* rows of matrices in slices: OP2I_SLICES_AUTO, 0: never, 1: always */
  int overlap, merge; /* of exchanges of halos: with what is computed, and with each other */
};
enum {
  OP2I_SIMD_AUTO = -1,
  OP2I_TEAM_AUTO = -1,
  OP2I_TILE_AUTO = -1,
  OP2I_RENUMBER_AUTO = -1,
  OP2I_SLICES_AUTO = -1
};
/* When loops are fused: never, when they come together again, or when they first do. */
enum { OP2I_FUSE_NEVER, OP2I_FUSE_AGAIN, OP2I_FUSE_AT_ONCE };
/* How long ranks wait for each other before they have a context. */
struct op2i_patience {
  int64_t longest;    /* nanoseconds; 0: without end */
  int64_t warn_after; /* nanoseconds after which a rank warns; 0: it does not */
};
/* By OP2_WAIT_MAX and the log level, as in a context; by the defaults where these are not valid. */
void op2i_config_patience(const op2_options *options, struct op2i_patience *patience);
op2_status op2i_config_init(struct op2i_config *config, const op2_options *options);
/* Among ranks, OP2_ERR_OPTION on all where they differ in what has to be the same, with the first
 * such option, two ranks and their values. `backend` is what was chosen. Collective. */
op2_status op2i_config_agree(const struct op2i_config *config, const char *backend,
                             struct op2i_comm *comm);
void op2i_config_free(struct op2i_config *config);
/* The link that messages of ranks are to travel as if on; all zero: as fast as they can. */
op2_status op2i_env_link(struct op2i_link_speed *speed);
/* Warn of variables that start with OP2_ and mean nothing, once in a process for each. Those that
 * start with OP2_TEST_ belong to the library's own tests. */
void op2i_env_warn_unknown(op2_context ctx);

#endif

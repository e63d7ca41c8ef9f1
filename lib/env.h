/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ENV_H
#define OP2I_ENV_H

#include "op2/context.h"

/* The only reader of the environment. Numbers are parsed and checked; a bad one is OP2_ERR_OPTION
 * and names the variable. */
enum op2i_env_id {
  OP2I_ENV_BACKEND,
  OP2I_ENV_THREADS,
  OP2I_ENV_EAGER,
  OP2I_ENV_BLOCK_SIZE,
  OP2I_ENV_CHUNK_US,
  OP2I_ENV_QUEUE_MAX,
  OP2I_ENV_IDLE_MS,
  OP2I_ENV_CACHE_DIR,
  OP2I_ENV_CC,
  OP2I_ENV_CFLAGS,
  OP2I_ENV_GRAPH,
  OP2I_ENV_LOG,
  OP2I_ENV_VERIFY,
  OP2I_ENV_COUNT
};

op2_status op2i_env_int(enum op2i_env_id id, int *value); /* the default when unset */
const char *op2i_env_text(enum op2i_env_id id);           /* null when unset */
const char *
op2i_env_system(const char *name); /* one that is not ours: HOME, PATH, TMPDIR, STARPU_HOME ... */

/* What a context runs with: options over environment over defaults, all filled in; strings are
 * owned. */
struct op2i_config {
  char *backend, *cache_dir, *cc, *cflags, *graph_file; /* null: not set */
  int threads, block_size;                              /* 0: choose */
  int chunk_us, queue_max, idle_ms, log_level;
  int eager, verify;
};
op2_status op2i_config_init(struct op2i_config *config, const op2_options *options);
void op2i_config_free(struct op2i_config *config);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VARIABLES_H
#define OP2I_VARIABLES_H

/* The table of environment variables, for code that reads those of the library. */

#include <stddef.h>

#include "env.h"

enum op2i_variable_id {
  OP2I_ENV_BACKEND,
  OP2I_ENV_DEVICE,
  OP2I_ENV_DEVICE_MEMORY,
  OP2I_ENV_DEVICE_STRATEGY,
  OP2I_ENV_PLACE,
  OP2I_ENV_PLACE_COSTS,
  OP2I_ENV_THREADS,
  OP2I_ENV_EAGER,
  OP2I_ENV_BLOCK_SIZE,
  OP2I_ENV_CHUNK_US,
  OP2I_ENV_QUEUE_MAX,
  OP2I_ENV_IDLE_MS,
  OP2I_ENV_CACHE_DIR,
  OP2I_ENV_CACHE_MB,
  OP2I_ENV_CACHE_TRUST,
  OP2I_ENV_CC,
  OP2I_ENV_CFLAGS,
  OP2I_ENV_CC_TIMEOUT,
  OP2I_ENV_LDFLAGS,
  OP2I_ENV_GRAPH,
  OP2I_ENV_LOG,
  OP2I_ENV_VERIFY,
  OP2I_ENV_SIMD,
  OP2I_ENV_FUSE,
  OP2I_ENV_REPLAY,
  OP2I_ENV_SHADOW,
  OP2I_ENV_TEAM,
  OP2I_ENV_TILE,
  OP2I_ENV_RENUMBER,
  OP2I_ENV_SLICES,
  OP2I_ENV_OVERLAP,
  OP2I_ENV_MERGE,
  OP2I_ENV_LINK,
  OP2I_ENV_WAIT_MAX,
  OP2I_ENV_COUNT
};

enum op2i_variable_type { OP2I_TEXT_VARIABLE, OP2I_BOOLEAN_VARIABLE, OP2I_NUMBER_VARIABLE };

struct op2i_variable {
  const char *name;
  enum op2i_variable_type type;
  int fallback, least, most; /* default, least and largest value of a number */
  const char *shown;         /* default as it is printed */
  const char *help;
  /* 1 + offset in op2i_config if all ranks have to agree on it; 0: each rank may choose */
  size_t same;
};
extern const struct op2i_variable op2i_variables[OP2I_ENV_COUNT];

/* The value of the variable; null if it is not set, empty or ignored. */
const char *op2i_env_text(enum op2i_variable_id id);
/* The same as a number, or its default. */
op2_status op2i_env_int(enum op2i_variable_id id, int *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "env.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "stream.h"

enum id {
  ENV_BACKEND,
  ENV_THREADS,
  ENV_EAGER,
  ENV_BLOCK_SIZE,
  ENV_CHUNK_US,
  ENV_QUEUE_MAX,
  ENV_IDLE_MS,
  ENV_CACHE_DIR,
  ENV_CC,
  ENV_CFLAGS,
  ENV_GRAPH,
  ENV_LOG,
  ENV_VERIFY,
  ENV_SIMD,
  ENV_FUSE,
  ENV_REPLAY,
  ENV_TILE,
  ENV_COUNT
};

enum type { TEXT, BOOLEAN, NUMBER };

static const struct variable {
  const char *name;
  enum type type;
  int fallback, least, most; /* of numbers */
  const char *shown;         /* default, for people */
  const char *help;
} variables[ENV_COUNT] = {
    [ENV_BACKEND] = {"OP2_BACKEND", TEXT, 0, 0, 0, "starpu where built",
                     "sequential, openmp, starpu, check (cuda and opencl answer why not)"},
    [ENV_THREADS] = {"OP2_THREADS", NUMBER, 0, 0, 4096, "one per core", "CPU workers"},
    [ENV_EAGER] = {"OP2_EAGER", BOOLEAN, 0, 0, 1, "0", "1: run every loop when it is queued"},
    [ENV_BLOCK_SIZE] = {"OP2_BLOCK_SIZE", NUMBER, 0, 0, INT_MAX, "by cache size",
                        "elements in a mini-partition"},
    [ENV_CHUNK_US] =
        {"OP2_CHUNK_US", NUMBER, 400, 0, 1000000, "400",
         "microseconds of work in a StarPU task; 0: a task per block, always in parallel"},
    [ENV_QUEUE_MAX] = {"OP2_QUEUE_MAX", NUMBER, 2048, 1, 1 << 20, "2048",
                       "loops that may wait in the queue"},
    [ENV_IDLE_MS] =
        {"OP2_IDLE_MS", NUMBER, 20, 0, 3600000, "20",
         "milliseconds that idle StarPU workers look for tasks before they sleep; where "
         "every core has a worker, they sleep at once"},
    [ENV_CACHE_DIR] = {"OP2_CACHE_DIR", TEXT, 0, 0, 0, "$XDG_CACHE_HOME/op2 or ~/.cache/op2",
                       "compiled loops; private to the user"},
    [ENV_CC] = {"OP2_CC", TEXT, 0, 0, 0, "cc", "compiler for generated code"},
    [ENV_CFLAGS] = {"OP2_CFLAGS", TEXT, 0, 0, 0, "-O3 -march=native ...",
                    "replaces the optimisation flags"},
    [ENV_GRAPH] = {"OP2_GRAPH", TEXT, 0, 0, 0, "none",
                   "DOT file, rewritten by every flush; %d in it is the flush number"},
    [ENV_LOG] = {"OP2_LOG", NUMBER, 2, 0, 4, "2",
                 "0 silent, 1 errors, 2 warnings, 3 information, 4 debugging"},
    [ENV_VERIFY] = {"OP2_VERIFY", BOOLEAN,
#ifdef OP2_VERIFY_DEFAULT
                    1, 0, 1, "1",
#else
                    0, 0, 1, "0",
#endif
                    "1: check the invariants of every plan and program (on in debug builds of the library)"},
    [ENV_SIMD] = {"OP2_SIMD", NUMBER, OP2I_SIMD_AUTO, OP2I_SIMD_AUTO, 64, "by the processor",
                  "bytes of a vector in generated code: 16, 32 or 64; 0: scalar code"},
    [ENV_FUSE] = {"OP2_FUSE", BOOLEAN, 1, 0, 1, "1", "0: run every loop by itself"},
    [ENV_REPLAY] = {"OP2_REPLAY", BOOLEAN, 1, 0, 1, "1",
                    "0: transform, cut and order the queue anew at every flush"},
    [ENV_TILE] = {"OP2_TILE", NUMBER, OP2I_TILE_AUTO, OP2I_TILE_AUTO, INT_MAX, "where it pays",
                  "0: no tiling; 1: wherever it is possible; more: that many elements in a tile; "
                  "not set: large meshes on 16 processing units or more"},
};

static op2_status parse(const struct variable *variable, const char *text, int *value) {
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end || errno || number < variable->least || number > variable->most)
    return op2i_error(OP2_ERR_OPTION,
                      "environment variable %s is '%s': expected a number from %d to %d",
                      variable->name, text, variable->least, variable->most);
  *value = (int)number;
  return OP2_SUCCESS;
}

static const char *env_text(enum id id) {
  const char *text = getenv(variables[id].name);
  return text && *text ? text : NULL;
}

static op2_status env_int(enum id id, int *value) {
  const char *text = env_text(id);
  if (text) return parse(&variables[id], text, value);
  *value = variables[id].fallback;
  return OP2_SUCCESS;
}

const char *op2i_env_system(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

op2_status op2_environment_write(FILE *stream) {
  if (!stream) return op2i_error(OP2_ERR_ARG, "op2_environment_write: stream is null");
  for (int i = 0; i < ENV_COUNT; i++) {
    const char *value = env_text((enum id)i);
    fprintf(stream, "%-15s %-36s %s%s%s\n", variables[i].name, variables[i].shown,
            variables[i].help, value ? "; now " : "", value ? value : "");
  }
  return op2i_stream_written(stream, "op2_environment_write");
}

static op2_status choose_text(char **out, const char *option, enum id id) {
  const char *text = option ? option : env_text(id);
  if (!text) return OP2_SUCCESS;
  *out = op2i_strdup(text);
  return *out ? OP2_SUCCESS : op2i_error_nomem("the configuration");
}

static op2_status choose_int(int *out, int option, const char *field, enum id id) {
  if (!option) return env_int(id, out);
  if (option < variables[id].least || option > variables[id].most)
    return op2i_error(OP2_ERR_OPTION, "op2_options.%s is %d: expected a number from %d to %d",
                      field, option, variables[id].least, variables[id].most);
  *out = option;
  return OP2_SUCCESS;
}

op2_status op2i_config_init(struct op2i_config *config, const op2_options *options) {
  static const op2_options none;
  const op2_options *o = options ? options : &none;
  struct op2i_config c = {0};
  op2_status status;
  OP2I_TRY(choose_text(&c.backend, o->backend, ENV_BACKEND));
  OP2I_TRY(choose_text(&c.cache_dir, o->cache_dir, ENV_CACHE_DIR));
  OP2I_TRY(choose_text(&c.cc, o->cc, ENV_CC));
  OP2I_TRY(choose_text(&c.cflags, o->cflags, ENV_CFLAGS));
  OP2I_TRY(choose_text(&c.graph_file, o->graph_file, ENV_GRAPH));
  OP2I_TRY(choose_int(&c.threads, o->threads, "threads", ENV_THREADS));
  OP2I_TRY(choose_int(&c.block_size, o->block_size, "block_size", ENV_BLOCK_SIZE));
  OP2I_TRY(choose_int(&c.queue_max, o->queue_max, "queue_max", ENV_QUEUE_MAX));
  OP2I_TRY(choose_int(&c.log_level, o->log_level, "log_level", ENV_LOG));
  OP2I_TRY(env_int(ENV_CHUNK_US, &c.chunk_us));
  OP2I_TRY(env_int(ENV_IDLE_MS, &c.idle_ms));
  OP2I_TRY(env_int(ENV_VERIFY, &c.verify));
  OP2I_TRY(env_int(ENV_FUSE, &c.fuse));
  OP2I_TRY(env_int(ENV_REPLAY, &c.replay));
  OP2I_TRY(env_int(ENV_TILE, &c.tile));
  OP2I_TRY(env_int(ENV_SIMD, &c.simd_bytes));
  if (c.simd_bytes > 0 && c.simd_bytes != 16 && c.simd_bytes != 32 && c.simd_bytes != 64) {
    status =
        op2i_error(OP2_ERR_OPTION, "environment variable OP2_SIMD is %d: expected 0, 16, 32 or 64",
                   c.simd_bytes);
    goto fail;
  }
  if (o->eager < -1 || o->eager > 1) {
    status = op2i_error(OP2_ERR_OPTION, "op2_options.eager is %d: expected -1, 0 or 1", o->eager);
    goto fail;
  }
  if (o->eager)
    c.eager = o->eager > 0;
  else
    OP2I_TRY(env_int(ENV_EAGER, &c.eager));
  *config = c;
  return OP2_SUCCESS;
fail:
  op2i_config_free(&c);
  return status;
}

void op2i_config_free(struct op2i_config *config) {
  op2i_free(config->backend);
  op2i_free(config->cache_dir);
  op2i_free(config->cc);
  op2i_free(config->cflags);
  op2i_free(config->graph_file);
  *config = (struct op2i_config){0};
}

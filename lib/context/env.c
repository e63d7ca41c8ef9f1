/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: one table of all variables, which is printed, read and checked, and the options
 * that stand over it. Nobody else reads the environment. */
#define _GNU_SOURCE /* environ */
#include "env.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "context.h"
#include "decimal.h"
#include "device.h"
#include "error.h"
#include "hash.h"
#include "log.h"
#include "mem.h"
#include "place_rule.h"
#include "process.h"
#include "stream.h"
#include "text.h"

enum id {
  ENV_BACKEND,
  ENV_DEVICE,
  ENV_DEVICE_MEMORY,
  ENV_DEVICE_STRATEGY,
  ENV_PLACE,
  ENV_PLACE_COSTS,
  ENV_THREADS,
  ENV_EAGER,
  ENV_BLOCK_SIZE,
  ENV_CHUNK_US,
  ENV_QUEUE_MAX,
  ENV_IDLE_MS,
  ENV_CACHE_DIR,
  ENV_CACHE_MB,
  ENV_CC,
  ENV_CFLAGS,
  ENV_CC_TIMEOUT,
  ENV_GRAPH,
  ENV_LOG,
  ENV_VERIFY,
  ENV_SIMD,
  ENV_FUSE,
  ENV_REPLAY,
  ENV_SHADOW,
  ENV_TEAM,
  ENV_TILE,
  ENV_RENUMBER,
  ENV_OVERLAP,
  ENV_MERGE,
  ENV_LINK,
  ENV_COUNT
};

enum type { TEXT, BOOLEAN, NUMBER };

/* What decides which loops are queued together, in which form and in which parts they run, what halos
 * travel when, and the last bits of results, is the same on all ranks. Where workers are, who wakes them
 * up when, what is compiled by whom and kept where, and what is said of it, is a rank's own affair. */
#define SAME(field) (1 + offsetof(struct op2i_config, field))
#define OWN         0

static const struct variable {
  const char *name;
  enum type type;
  int fallback, least, most; /* of numbers */
  const char *shown;         /* default, for people */
  const char *help;
  size_t same; /* of ranks: SAME, with 1 + where the configuration has it, or OWN */
} variables[ENV_COUNT] = {
    [ENV_BACKEND] = {"OP2_BACKEND", TEXT, 0, 0, 0, "starpu, openmp or sequential",
                     "sequential, openmp, starpu, cuda, opencl; check finds kernels that "
                     "do not do what their arguments say; static runs no loops, and is for their "
                     "text; not set: the first that is built and has a worker for every core",
                     SAME(backend)},
    [ENV_DEVICE] = {"OP2_DEVICE", TEXT, 0, 0, 0, "the first that is fit",
                    "device of the backends cuda and opencl: a number from 0, or part of its name; "
                    "where none is meant, the error lists those that there are",
                    OWN},
    [ENV_DEVICE_MEMORY] =
        {"OP2_DEVICE_MEMORY", NUMBER, 0, 0, INT_MAX, "0",
         "megabytes that are allocated on a device at most: what does not fit runs "
         "on the host; 0: no limit",
         OWN},
    [ENV_DEVICE_STRATEGY] =
        {"OP2_DEVICE_STRATEGY", TEXT, 0, 0, 0, "by the loop",
         "how increments of elements that meet are added on a device: repeat, owner, gather, "
         "staged, unstaged, or atomics, whose bits differ from run to run; loops that it does not "
         "fit take another",
         SAME(device_strategy)},
    [ENV_PLACE] =
        {"OP2_PLACE", TEXT, 0, 0, 0, "none: no device beside starpu",
         "KERNEL:WHERE,...: where loops run on starpu, cuda and opencl: cpu, device (cuda "
         "and opencl say of which kind), or free: where they take least time; alternate, "
         "random=SEED: for tests; KERNEL may be *",
         SAME(place)},
    [ENV_PLACE_COSTS] =
        {"OP2_PLACE_COSTS", TEXT, 0, 0, 0, "as measured",
         "KERNEL:cpu=NS,KERNEL:device=NS,...: nanoseconds that an element takes there; copy=NS, "
         "byte=NS: that a copy to or from the device does, and each of its bytes",
         OWN},
    [ENV_THREADS] = {"OP2_THREADS", NUMBER, 0, 0, 4096, "one per core", "CPU workers", OWN},
    [ENV_EAGER] = {"OP2_EAGER", BOOLEAN, 0, 0, 1, "0", "1: run every loop when it is queued",
                   SAME(eager)},
    [ENV_BLOCK_SIZE] = {"OP2_BLOCK_SIZE", NUMBER, 0, 0, INT_MAX, "by cache size",
                        "elements in a mini-partition", SAME(block_size)},
    [ENV_CHUNK_US] =
        {"OP2_CHUNK_US", NUMBER, 400, 0, 1000000, "400",
         "microseconds of work in a StarPU task; 0: a task per block, always in parallel", OWN},
    [ENV_QUEUE_MAX] = {"OP2_QUEUE_MAX", NUMBER, 2048, 1, 1 << 20, "2048",
                       "loops that may wait in the queue", SAME(queue_max)},
    [ENV_IDLE_MS] =
        {"OP2_IDLE_MS", NUMBER, 20, 0, 3600000, "20",
         "milliseconds that idle StarPU workers look for tasks before they sleep; where "
         "every core has a worker, they sleep at once",
         OWN},
    [ENV_CACHE_DIR] = {"OP2_CACHE_DIR", TEXT, 0, 0, 0, "$XDG_CACHE_HOME/op2 or ~/.cache/op2",
                       "compiled loops; private to the user", OWN},
    [ENV_CACHE_MB] = {"OP2_CACHE_MB", NUMBER, 256, 0, 1 << 20, "256",
                      "megabytes of compiled loops that are kept; beyond, those go that were not "
                      "used for longest; 0: no limit",
                      OWN},
    [ENV_CC] = {"OP2_CC", TEXT, 0, 0, 0, "cc", "compiler for generated code", OWN},
    [ENV_CFLAGS] = {"OP2_CFLAGS", TEXT, 0, 0, 0, "-O3 -march=native ...",
                    "replaces the optimisation flags", SAME(cflags)},
    [ENV_CC_TIMEOUT] = {"OP2_CC_TIMEOUT", NUMBER, 300, 0, 86400, "300",
                        "seconds after which a compiler that runs is given up; 0: never", OWN},
    [ENV_GRAPH] = {"OP2_GRAPH", TEXT, 0, 0, 0, "none",
                   "DOT file, rewritten by every flush; %d in it is the flush number, %r the rank "
                   "(without it rank 0 alone writes)",
                   OWN},
    [ENV_LOG] = {"OP2_LOG", NUMBER, 2, 0, 4, "2",
                 "0 silent, 1 errors, 2 warnings, 3 information, 4 debugging", OWN},
    [ENV_VERIFY] = {"OP2_VERIFY", BOOLEAN,
#ifdef OP2_VERIFY_DEFAULT
                    1, 0, 1, "1",
#else
                    0, 0, 1, "0",
#endif
                    "1: check the invariants of every plan and program (on in debug builds of the "
                    "library)",
                    SAME(verify)},
    [ENV_SIMD] =
        {"OP2_SIMD", NUMBER, OP2I_SIMD_AUTO, 0, 64, "by the processor",
         "bytes of a vector in generated code: 16, 32 or 64; 0: scalar code; not set: chosen "
         "for each loop",
         SAME(simd_bytes)},
    [ENV_FUSE] = {"OP2_FUSE", NUMBER, OP2I_FUSE_AGAIN, 0, 2, "1",
                  "1: fuse loops that come together the second time; 2: at once, at the price of a "
                  "compilation for what may never come again; 0: run every loop by itself",
                  SAME(fuse)},
    [ENV_SHADOW] =
        {"OP2_SHADOW", BOOLEAN, 0, 0, 1, "0",
         "1: loops work in memory of their own, and values that are out of date there or "
         "outside are spoilt: for tests of the library",
         OWN},
    [ENV_REPLAY] = {"OP2_REPLAY", BOOLEAN, 1, 0, 1, "1",
                    "0: transform, cut and order the queue anew at every flush", SAME(replay)},
    [ENV_TEAM] = {"OP2_TEAM", BOOLEAN, OP2I_TEAM_AUTO, 0, 1, "where it pays",
                  "0: StarPU's workers run tasks only; 1: all programs that they can run together, "
                  "colour by colour, they do; not set: programs too small for tasks",
                  OWN},
    [ENV_TILE] = {"OP2_TILE", NUMBER, OP2I_TILE_AUTO, 0, INT_MAX, "where it pays",
                  "0: no tiling; 1: wherever it is possible; more: that many elements in a tile; "
                  "not set: large meshes on 16 processing units or more",
                  SAME(tile)},
    [ENV_RENUMBER] = {"OP2_RENUMBER", NUMBER, OP2I_RENUMBER_AUTO, 0, 1, "auto",
                      "renumbering that nobody asked for: 0: never; 1: before the first loop that "
                      "reaches through a map, where that is possible; auto: large, badly numbered "
                      "meshes, once so many loops were queued that it pays",
                      SAME(renumber)},
    [ENV_OVERLAP] =
        {"OP2_OVERLAP", BOOLEAN, 1, 0, 1, "1",
         "0: an exchange of halos begins where a loop needs it, and everybody waits for "
         "its end",
         SAME(overlap)},
    [ENV_MERGE] = {"OP2_MERGE", BOOLEAN, 1, 0, 1, "1",
                   "0: halos travel in a message for each dat and loop that needs it", SAME(merge)},
    [ENV_LINK] = {"OP2_LINK", TEXT, 0, 0, 0, "as fast as it is",
                  "DELAY,PER_BYTE: ranks' messages come as if on a link where each takes so many "
                  "nanoseconds and so many for each byte: for measurements",
                  OWN},
};

static op2_status bad_number(const struct variable *variable, const char *text) {
  const char *what = "environment variable";
  if (variable->type == BOOLEAN)
    return op2i_error(OP2_ERR_OPTION, "%s %s is '%s': expected 0 or 1", what, variable->name, text);
  if (variable == &variables[ENV_RENUMBER])
    return op2i_error(OP2_ERR_OPTION, "%s %s is '%s': expected 0, 1 or auto", what, variable->name,
                      text);
  if (variable == &variables[ENV_SIMD])
    return op2i_error(OP2_ERR_OPTION,
                      "%s %s is '%s': expected 0, 16, 32 or 64; leave it out for the width that "
                      "fits the processor",
                      what, variable->name, text);
  return op2i_error(OP2_ERR_OPTION, "%s %s is '%s': expected a number from %d to %d", what,
                    variable->name, text, variable->least, variable->most);
}

/* Decimal digits and nothing else: strtol() would let blanks and signs pass on one side only. */
static op2_status parse(const struct variable *variable, const char *text, int *value) {
  if (variable == &variables[ENV_RENUMBER] && !strcmp(text, "auto")) {
    *value = variable->fallback;
    return OP2_SUCCESS;
  }
  errno = 0;
  bool digits = text[strspn(text, "0123456789")] == '\0';
  long number = digits ? strtol(text, NULL, 10) : -1;
  bool good = digits && !errno && number >= variable->least && number <= variable->most;
  if (variable == &variables[ENV_SIMD])
    good = good && (number == 0 || number == 16 || number == 32 || number == 64);
  if (!good) return bad_number(variable, text);
  *value = (int)number;
  return OP2_SUCCESS;
}

bool op2i_env_ignored(void) { return getauxval(AT_SECURE) != 0; }

const char *op2i_env_raw(const char *name) { return op2i_env_ignored() ? NULL : getenv(name); }

const char *op2i_env_system(const char *name) {
  const char *text = op2i_env_raw(name);
  return text && *text ? text : NULL;
}

static const char *env_text(enum id id) { return op2i_env_system(variables[id].name); }

static op2_status env_int(enum id id, int *value) {
  const char *text = env_text(id);
  if (text) return parse(&variables[id], text, value);
  *value = variables[id].fallback;
  return OP2_SUCCESS;
}

/* Drivers are not opened for whoever has more rights than the user. */
static void write_devices(FILE *stream) {
  for (int k = 0; op2i_device_kinds[k] && !op2i_env_ignored(); k++) {
    const struct op2i_device_kind *kind = op2i_device_kinds[k];
    const char *why = kind->unavailable();
    struct op2i_text devices = {0};
    if (!why) kind->list(&devices);
    fprintf(stream, "devices of %s: %s%s\n", kind->name, why ? "none: " : "", why ? why : "");
    if (devices.chars) fputs(devices.chars, stream);
    op2i_text_free(&devices);
  }
}

op2_status op2_environment_write(FILE *stream) {
  if (!stream) return op2i_error(OP2_ERR_ARG, "op2_environment_write: stream is null");
  for (int i = 0; i < ENV_COUNT; i++) {
    const char *value = env_text((enum id)i);
    fprintf(stream, "%-19s %-36s %s%s%s%s\n", variables[i].name, variables[i].shown,
            variables[i].help, variables[i].same ? "; the same on all ranks" : "",
            value ? "; now " : "", value ? value : "");
  }
  if (op2i_env_ignored())
    fputs("(none is read: this process has more rights than the user who started it)\n", stream);
  write_devices(stream);
  return op2i_stream_written(stream, "op2_environment_write");
}

/* ---- variables that nobody reads ------------------------------------------------------------- */

/* How many letters must be changed, left out, put in or swapped with the next one to make one name
 * of the other; names longer than LONG are taken for different. */
static int distance(const char *a, const char *b) {
  enum { LONG = 24 };
  int n = (int)strlen(a), m = (int)strlen(b), d[LONG + 1][LONG + 1];
  if (n > LONG || m > LONG) return LONG;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      d[i][j] = i + j;
      if (!i || !j) continue;
      d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < d[i][j]) d[i][j] = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < d[i][j]) d[i][j] = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < d[i][j])
        d[i][j] = d[i - 2][j - 2] + 1;
    }
  return d[n][m];
}

/* The variable that somebody who wrote this probably meant, or null. One is also meant where the
 * other's name begins with it: OP2_BLOCK, OP2_LOG_LEVEL. */
static const char *meant(const char *name) {
  const char *best = NULL;
  int least = 3;
  for (int i = 0; i < ENV_COUNT; i++) {
    const char *known = variables[i].name;
    size_t shorter = strlen(known) < strlen(name) ? strlen(known) : strlen(name);
    int d = distance(name + 4, known + 4);
    if (shorter >= 6 && !strncmp(known, name, shorter) && d > 2) d = 2;
    if (3 * d > 2 * ((int)strlen(known) - 4) || d >= least) continue;
    best = known;
    least = d;
  }
  return best;
}

/* Whether a name that starts with OP2_ is not for the library. */
static bool stray_name(const char *name) {
  if (!strncmp(name, "OP2_TEST_", 9)) return false;
  for (int i = 0; i < ENV_COUNT; i++)
    if (!strcmp(variables[i].name, name)) return false;
  return true;
}

/* Whether this process has not yet heard of the name. After many names it has heard of all. */
static bool news(const char *name) {
  enum { NAMES = 64 };
  static uint64_t heard[NAMES];
  static int nheard;
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  op2i_process_lock();
  int i = 0;
  while (i < nheard && heard[i] != hash) i++;
  bool fresh = i == nheard && nheard < NAMES;
  if (fresh) heard[nheard++] = hash;
  op2i_process_unlock();
  return fresh;
}

void op2i_env_warn_unknown(op2_context ctx) {
  if (ctx->config.log_level < OP2I_LOG_WARN || op2i_env_ignored()) return;
  for (char **entry = environ; entry && *entry; entry++) {
    char name[64];
    size_t length = strcspn(*entry, "=");
    if (strncmp(*entry, "OP2_", 4) || length >= sizeof name) continue;
    memcpy(name, *entry, length);
    name[length] = '\0';
    if (!stray_name(name) || !news(name)) continue;
    const char *other = meant(name);
    op2i_log(ctx, OP2I_LOG_WARN, "the environment variable %s is not known%s%s%s", name,
             other ? "; did you mean " : " (op2_environment_write() lists those that are)",
             other ? other : "", other ? "?" : "");
  }
}

/* ---- options over environment over defaults -------------------------------------------------- */

/* *by says for messages who asked for it. */
static op2_status choose_text(char **out, const char **by, const char *option, const char *field,
                              enum id id) {
  const char *text = option ? option : env_text(id);
  if (!text) return OP2_SUCCESS;
  *by = option ? field : variables[id].name;
  *out = op2i_strdup(text);
  return *out ? OP2_SUCCESS : op2i_error_nomem("the configuration");
}

static op2_status choose_int(int *out, int option, const char *field, enum id id) {
  if (!option) return env_int(id, out);
  if (option < variables[id].least || option > variables[id].most)
    return op2i_error(OP2_ERR_OPTION,
                      "%s is %d: expected a number from %d to %d, or 0 to leave it to %s", field,
                      option, variables[id].least ? variables[id].least : 1, variables[id].most,
                      variables[id].name);
  *out = option;
  return OP2_SUCCESS;
}

static op2_status choose_texts(struct op2i_config *c, const op2_options *o) {
  op2_status status;
  OP2I_TRY(
      choose_text(&c->backend, &c->backend_by, o->backend, "op2_options.backend", ENV_BACKEND));
  OP2I_TRY(choose_text(&c->cache_dir, &c->cache_dir_by, o->cache_dir, "op2_options.cache_dir",
                       ENV_CACHE_DIR));
  OP2I_TRY(choose_text(&c->cc, &c->cc_by, o->cc, "op2_options.cc", ENV_CC));
  OP2I_TRY(choose_text(&c->cflags, &c->cflags_by, o->cflags, "op2_options.cflags", ENV_CFLAGS));
  OP2I_TRY(choose_text(&c->device, &c->device_by, o->device, "op2_options.device", ENV_DEVICE));
  const char *strategy = env_text(ENV_DEVICE_STRATEGY);
  if (strategy && !(c->device_strategy = op2i_strdup(strategy)))
    OP2I_TRY(op2i_error_nomem("options"));
  OP2I_TRY(op2i_strategy_parse(strategy, "environment variable OP2_DEVICE_STRATEGY", &c->strategy));
  const char *place = env_text(ENV_PLACE);
  OP2I_TRY(op2i_rules_check(place));
  if (place && !(c->place = op2i_strdup(place))) OP2I_TRY(op2i_error_nomem("options"));
  const char *costs = env_text(ENV_PLACE_COSTS);
  OP2I_TRY(op2i_costs_check(costs));
  if (costs && !(c->place_costs = op2i_strdup(costs))) OP2I_TRY(op2i_error_nomem("options"));
  OP2I_TRY(choose_text(&c->graph_file, &c->graph_by, o->graph_file, "op2_options.graph_file",
                       ENV_GRAPH));
fail:
  return status;
}

op2_status op2i_env_link(struct op2i_link_speed *speed) {
  const char *text = env_text(ENV_LINK), *end;
  double delay, per_byte = -1;
  *speed = (struct op2i_link_speed){0};
  if (!text) return OP2_SUCCESS;
  end = op2i_decimal(text, &delay);
  if (delay >= 0 && *end == ',') end = op2i_decimal(end + 1, &per_byte);
  if (delay < 0 || per_byte < 0 || *end || delay > 1e12 || per_byte > 1e9)
    return op2i_error(
        OP2_ERR_OPTION,
        "environment variable OP2_LINK is '%s': expected nanoseconds for a message, a "
        "comma, and nanoseconds for a byte, as 20000,0.1",
        text);
  *speed = (struct op2i_link_speed){(int64_t)delay, per_byte};
  return OP2_SUCCESS;
}

static op2_status choose_eager(struct op2i_config *c, int option) {
  if (!option) return env_int(ENV_EAGER, &c->eager);
  if (option < -1 || option > 1)
    return op2i_error(OP2_ERR_OPTION,
                      "op2_options.eager is %d: expected 1, -1 (not eager), or 0 to leave it to "
                      "OP2_EAGER",
                      option);
  c->eager = option > 0;
  return OP2_SUCCESS;
}

static op2_status check_reserved(const op2_options *o) {
  bool zero = true;
  for (size_t i = 0; i < sizeof o->reserved_numbers / sizeof *o->reserved_numbers; i++)
    zero = zero && o->reserved_numbers[i] == 0;
  for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
    zero = zero && !o->reserved[i];
  if (zero) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_OPTION,
                    "op2_options: what is reserved is not zero: the structure was not initialised, "
                    "or it has options of a later version of op2 than this one");
}

op2_status op2i_config_init(struct op2i_config *config, const op2_options *options) {
  static const op2_options none;
  const op2_options *o = options ? options : &none;
  struct op2i_config c = {0};
  op2_status status;
  OP2I_TRY(check_reserved(o));
  OP2I_TRY(choose_texts(&c, o));
  OP2I_TRY(choose_int(&c.threads, o->threads, "op2_options.threads", ENV_THREADS));
  OP2I_TRY(choose_int(&c.block_size, o->block_size, "op2_options.block_size", ENV_BLOCK_SIZE));
  OP2I_TRY(choose_int(&c.queue_max, o->queue_max, "op2_options.queue_max", ENV_QUEUE_MAX));
  OP2I_TRY(choose_int(&c.log_level, o->log_level, "op2_options.log_level", ENV_LOG));
  OP2I_TRY(choose_eager(&c, o->eager));
  OP2I_TRY(env_int(ENV_CHUNK_US, &c.chunk_us));
  OP2I_TRY(env_int(ENV_IDLE_MS, &c.idle_ms));
  OP2I_TRY(env_int(ENV_CC_TIMEOUT, &c.cc_timeout));
  OP2I_TRY(env_int(ENV_CACHE_MB, &c.cache_mb));
  OP2I_TRY(env_int(ENV_DEVICE_MEMORY, &c.device_mb));
  OP2I_TRY(env_int(ENV_VERIFY, &c.verify));
  OP2I_TRY(env_int(ENV_FUSE, &c.fuse));
  OP2I_TRY(env_int(ENV_REPLAY, &c.replay));
  OP2I_TRY(env_int(ENV_SHADOW, &c.shadow));
  OP2I_TRY(env_int(ENV_TEAM, &c.team));
  OP2I_TRY(env_int(ENV_TILE, &c.tile));
  OP2I_TRY(env_int(ENV_RENUMBER, &c.renumber));
  OP2I_TRY(env_int(ENV_OVERLAP, &c.overlap));
  OP2I_TRY(env_int(ENV_MERGE, &c.merge));
  OP2I_TRY(env_int(ENV_SIMD, &c.simd_bytes));
  *config = c;
  return OP2_SUCCESS;
fail:
  op2i_config_free(&c);
  return status;
}

/* ---- among ranks ----------------------------------------------------------------------------- */

enum { VALUE_CHARS = 128 };

static const char *text_of(const struct op2i_config *config, const char *backend, enum id id) {
  if (id == ENV_BACKEND) return backend;
  return *(char *const *)((const char *)config + variables[id].same - 1);
}

static int number_of(const struct op2i_config *config, enum id id) {
  return *(const int *)((const char *)config + variables[id].same - 1);
}

static int64_t value_of(const struct op2i_config *config, const char *backend, enum id id) {
  if (variables[id].type != TEXT) return number_of(config, id);
  uint64_t hash = 0;
  for (const char *c = text_of(config, backend, id); c && *c; c++)
    hash = op2i_hash_word(hash, (unsigned char)*c);
  return (int64_t)hash;
}

static bool is_number(const char *text) { return text[strspn(text, "0123456789")] == '\0'; }

static void describe(const struct op2i_config *config, const char *backend, enum id id,
                     char words[VALUE_CHARS]) {
  bool text = variables[id].type == TEXT;
  const char *value = text ? text_of(config, backend, id) : NULL, *shown = variables[id].shown;
  memset(words, 0, VALUE_CHARS);
  if (value)
    snprintf(words, VALUE_CHARS, "'%.100s'", value);
  else if (text || (number_of(config, id) == variables[id].fallback && !is_number(shown)))
    snprintf(words, VALUE_CHARS, "not set (%s)", shown);
  else
    snprintf(words, VALUE_CHARS, "%d", number_of(config, id));
}

/* Of the lowest rank, and of the lowest of those that differ from it in the first that differs. */
static op2_status tell_ranks(const struct op2i_config *config, const char *backend, enum id id,
                             int other, struct op2i_comm *comm) {
  char lowest[VALUE_CHARS], differs[VALUE_CHARS];
  describe(config, backend, id, lowest);
  memcpy(differs, lowest, sizeof differs);
  op2_status status = op2i_comm_share(comm, 0, lowest, sizeof lowest);
  if (!status) status = op2i_comm_share(comm, other, differs, sizeof differs);
  if (status) return status;
  return op2i_error(OP2_ERR_OPTION,
                    "%s is %s on rank 0 of %d, and %s on rank %d: it has to be the same on all "
                    "ranks (not every launcher hands on the environment)",
                    variables[id].name, lowest, comm->size, differs, other);
}

op2_status op2i_config_agree(const struct op2i_config *config, const char *backend,
                             struct op2i_comm *comm) {
  int64_t own[ENV_COUNT], lowest[ENV_COUNT], at = 0;
  enum id ids[ENV_COUNT];
  int n = 0;
  bool same;
  for (int i = 0; i < ENV_COUNT; i++)
    if (variables[i].same) ids[n++] = (enum id)i;
  for (int i = 0; i < n; i++) lowest[i] = own[i] = value_of(config, backend, ids[i]);
  op2_status status = op2i_comm_same(comm, n, own, &same);
  if (status || same) return status;
  status = op2i_comm_share(comm, 0, lowest, (size_t)n * sizeof *lowest);
  while (at < n && own[at] == lowest[at]) at++;
  at = at * comm->size + comm->rank;
  if (!status) status = op2i_comm_least(comm, 1, &at);
  if (status) return status;
  return tell_ranks(config, backend, ids[at / comm->size], (int)(at % comm->size), comm);
}

void op2i_config_free(struct op2i_config *config) {
  op2i_free(config->backend);
  op2i_free(config->cache_dir);
  op2i_free(config->cc);
  op2i_free(config->cflags);
  op2i_free(config->graph_file);
  op2i_free(config->device);
  op2i_free(config->device_strategy);
  op2i_free(config->place);
  op2i_free(config->place_costs);
  *config = (struct op2i_config){0};
}

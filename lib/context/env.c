/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: one table of all variables, which is printed, read and checked. No other file
 * reads the environment; env_replace.c provides the list of variables. */
#include "variables.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "context.h"
#include "decimal.h"
#include "device.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "process.h"
#include "stream.h"
#include "text.h"

/* Variables that decide which loops are queued together, in which form and in which parts they run,
 * when halos are exchanged, and the last bits of results, are the same on all ranks. A rank may
 * choose for itself where workers are, who wakes them up and when, what is compiled by whom and
 * where it is kept, and what is printed about it. */
#define SAME(field) (1 + offsetof(struct op2i_config, field))
#define OWN         0

const struct op2i_variable op2i_variables[OP2I_ENV_COUNT] = {
    [OP2I_ENV_BACKEND] =
        {"OP2_BACKEND", OP2I_TEXT_VARIABLE, 0, 0, 0, "starpu, openmp or sequential",
         "sequential, openmp, starpu, cuda, opencl; check finds kernels that "
         "do not do what their arguments say; static runs no loops, and is for their "
         "text; not set: the first that is built, can be started and has a worker for every core",
         SAME(backend)},
    [OP2I_ENV_DEVICE] =
        {"OP2_DEVICE", OP2I_TEXT_VARIABLE, 0, 0, 0, "the first that is fit",
         "device of the backends cuda and opencl: a number from 0, or part of its name; "
         "where none is meant, the error lists those that there are",
         OWN},
    [OP2I_ENV_DEVICE_MEMORY] =
        {"OP2_DEVICE_MEMORY", OP2I_NUMBER_VARIABLE, 0, 0, INT_MAX, "0",
         "megabytes that are allocated on a device at most: what does not fit runs "
         "on the host; 0: no limit",
         OWN},
    [OP2I_ENV_DEVICE_STRATEGY] =
        {"OP2_DEVICE_STRATEGY", OP2I_TEXT_VARIABLE, 0, 0, 0, "by the loop",
         "how increments of elements that meet are added on a device: repeat, owner, gather, "
         "staged, unstaged, or atomics, whose bits differ from run to run; loops that it does not "
         "fit take another",
         SAME(device_strategy)},
    [OP2I_ENV_PLACE] =
        {"OP2_PLACE", OP2I_TEXT_VARIABLE, 0, 0, 0, "none: no device beside starpu",
         "KERNEL:WHERE,...: where loops run on starpu, cuda and opencl: cpu, device (cuda "
         "and opencl say of which kind), or free: where they take least time; alternate, "
         "random=SEED: for tests; KERNEL may be *",
         SAME(place)},
    [OP2I_ENV_PLACE_COSTS] =
        {"OP2_PLACE_COSTS", OP2I_TEXT_VARIABLE, 0, 0, 0, "as measured",
         "KERNEL:cpu=NS,KERNEL:device=NS,...: nanoseconds that an element takes there; copy=NS, "
         "byte=NS: that a copy to or from the device does, and each of its bytes",
         OWN},
    [OP2I_ENV_THREADS] = {"OP2_THREADS", OP2I_NUMBER_VARIABLE, 0, 0, 4096, "one per core",
                          "CPU workers", OWN},
    [OP2I_ENV_EAGER] = {"OP2_EAGER", OP2I_BOOLEAN_VARIABLE, 0, 0, 1, "0",
                        "1: run every loop when it is queued", SAME(eager)},
    [OP2I_ENV_BLOCK_SIZE] = {"OP2_BLOCK_SIZE", OP2I_NUMBER_VARIABLE, 0, 0, INT_MAX, "by cache size",
                             "elements in a mini-partition", SAME(block_size)},
    [OP2I_ENV_CHUNK_US] =
        {"OP2_CHUNK_US", OP2I_NUMBER_VARIABLE, 400, 0, 1000000, "400",
         "microseconds of work in a StarPU task; 0: a task per block, always in parallel", OWN},
    [OP2I_ENV_QUEUE_MAX] = {"OP2_QUEUE_MAX", OP2I_NUMBER_VARIABLE, 2048, 1, 1 << 20, "2048",
                            "loops that may wait in the queue", SAME(queue_max)},
    [OP2I_ENV_IDLE_MS] =
        {"OP2_IDLE_MS", OP2I_NUMBER_VARIABLE, 1, 0, 3600000, "1",
         "milliseconds that idle StarPU workers look for tasks before they sleep; where "
         "every core has a worker, they sleep at once",
         OWN},
    [OP2I_ENV_CACHE_DIR] = {"OP2_CACHE_DIR", OP2I_TEXT_VARIABLE, 0, 0, 0,
                            "$XDG_CACHE_HOME/op2 or ~/.cache/op2",
                            "compiled loops; private to the user and root", OWN},
    [OP2I_ENV_CACHE_MB] =
        {"OP2_CACHE_MB", OP2I_NUMBER_VARIABLE, 256, 0, 1 << 20, "256",
         "megabytes of compiled loops that are kept; beyond, those go that were not "
         "used for longest; 0: no limit",
         OWN},
    [OP2I_ENV_CACHE_TRUST] =
        {"OP2_CACHE_TRUST", OP2I_TEXT_VARIABLE, 0, 0, 0, "nobody but root",
         "users, and groups as @GROUP, with commas between them, whose compiled loops are "
         "run: OP2_CACHE_DIR may belong to them, and their groups may write into it",
         OWN},
    [OP2I_ENV_CC] = {"OP2_CC", OP2I_TEXT_VARIABLE, 0, 0, 0, "cc", "compiler for generated code",
                     OWN},
    [OP2I_ENV_CFLAGS] = {"OP2_CFLAGS", OP2I_TEXT_VARIABLE, 0, 0, 0, "-O3 -march=native ...",
                         "replaces the optimisation flags", SAME(cflags)},
    [OP2I_ENV_LDFLAGS] = {"OP2_LDFLAGS", OP2I_TEXT_VARIABLE, 0, 0, 0, "none",
                          "options for linking generated code, as -L/DIR -lNAME, for functions of "
                          "libraries that kernels call (see op2_kernel_desc.libraries)",
                          OWN},
    [OP2I_ENV_CC_TIMEOUT] = {"OP2_CC_TIMEOUT", OP2I_NUMBER_VARIABLE, 300, 0, 86400, "300",
                             "seconds after which a compiler that runs is given up; 0: never", OWN},
    [OP2I_ENV_GRAPH] =
        {"OP2_GRAPH", OP2I_TEXT_VARIABLE, 0, 0, 0, "none",
         "DOT file, rewritten by every flush; %d in it is the flush number, %r the rank "
         "(without it rank 0 alone writes)",
         OWN},
    [OP2I_ENV_LOG] = {"OP2_LOG", OP2I_NUMBER_VARIABLE, 2, 0, 4, "2",
                      "0 silent, 1 errors, 2 warnings, 3 information, 4 debugging", OWN},
    [OP2I_ENV_VERIFY] =
        {"OP2_VERIFY", OP2I_BOOLEAN_VARIABLE,
#ifdef OP2_VERIFY_DEFAULT
         1, 0, 1, "1",
#else
         0, 0, 1, "0",
#endif
         "1: check the invariants of every plan and program (on in debug builds of the "
         "library)",
         SAME(verify)},
    [OP2I_ENV_SIMD] =
        {"OP2_SIMD", OP2I_NUMBER_VARIABLE, OP2I_SIMD_AUTO, 0, 64, "by the processor",
         "bytes of a vector in generated code: 16, 32 or 64; 0: scalar code; not set: chosen "
         "for each loop",
         SAME(simd_bytes)},
    [OP2I_ENV_FUSE] =
        {"OP2_FUSE", OP2I_NUMBER_VARIABLE, OP2I_FUSE_AGAIN, 0, 2, "1",
         "1: fuse loops that come together the second time; 2: at once, at the price of a "
         "compilation for what may never come again; 0: run every loop by itself",
         SAME(fuse)},
    [OP2I_ENV_SHADOW] =
        {"OP2_SHADOW", OP2I_BOOLEAN_VARIABLE, 0, 0, 1, "0",
         "1: loops work in memory of their own, and values that are out of date there or "
         "outside are spoilt: for tests of the library",
         OWN},
    [OP2I_ENV_REPLAY] = {"OP2_REPLAY", OP2I_BOOLEAN_VARIABLE, 1, 0, 1, "1",
                         "0: transform, cut and order the queue anew at every flush", SAME(replay)},
    [OP2I_ENV_TEAM] =
        {"OP2_TEAM", OP2I_BOOLEAN_VARIABLE, OP2I_TEAM_AUTO, 0, 1, "where it pays",
         "0: StarPU's workers run tasks only; 1: all programs that they can run together, "
         "colour by colour, they do; not set: programs too small for tasks",
         OWN},
    [OP2I_ENV_TILE] =
        {"OP2_TILE", OP2I_NUMBER_VARIABLE, OP2I_TILE_AUTO, 0, INT_MAX, "where it pays",
         "0: no tiling; 1: wherever it is possible; more: that many elements in a tile; "
         "not set: large meshes on 16 processing units or more",
         SAME(tile)},
    [OP2I_ENV_RENUMBER] =
        {"OP2_RENUMBER", OP2I_NUMBER_VARIABLE, OP2I_RENUMBER_AUTO, 0, 1, "auto",
         "renumbering that nobody asked for: 0: never; 1: before the first loop that "
         "reaches through a map, where that is possible; auto: large, badly numbered "
         "meshes, once so many loops were queued that it pays",
         SAME(renumber)},
    [OP2I_ENV_SLICES] = {"OP2_SLICES", OP2I_BOOLEAN_VARIABLE, OP2I_SLICES_AUTO, 0, 1,
                         "where it pays",
                         "rows of matrices that are made: 0: one behind the other; 1: in slices of "
                         "eight side by side; not "
                         "set: in slices where rows are about as long and PETSc does not solve",
                         SAME(slices)},
    [OP2I_ENV_OVERLAP] =
        {"OP2_OVERLAP", OP2I_BOOLEAN_VARIABLE, 1, 0, 1, "1",
         "0: an exchange of halos begins where a loop needs it, and everybody waits for "
         "its end",
         SAME(overlap)},
    [OP2I_ENV_MERGE] = {"OP2_MERGE", OP2I_BOOLEAN_VARIABLE, 1, 0, 1, "1",
                        "0: halos travel in a message for each dat and loop that needs it",
                        SAME(merge)},
    [OP2I_ENV_LINK] =
        {"OP2_LINK", OP2I_TEXT_VARIABLE, 0, 0, 0, "as fast as it is",
         "DELAY,PER_BYTE: ranks' messages come as if on a link where each takes so many "
         "nanoseconds and so many for each byte: for measurements",
         OWN},
    [OP2I_ENV_WAIT_MAX] = {"OP2_WAIT_MAX", OP2I_NUMBER_VARIABLE, 0, 0, 31536000, "0",
                           "seconds after which a rank that waits for a silent one ends the "
                           "contexts of all ranks; 0: never, it warns after 60, 120, 240 ... s",
                           OWN},
};

static op2_status bad_number(const struct op2i_variable *variable, const char *text) {
  const char *what = "environment variable";
  if (variable->type == OP2I_BOOLEAN_VARIABLE)
    return op2i_error(OP2_ERR_OPTION, "%s %s is '%s': expected 0 or 1", what, variable->name, text);
  if (variable == &op2i_variables[OP2I_ENV_RENUMBER])
    return op2i_error(OP2_ERR_OPTION, "%s %s is '%s': expected 0, 1 or auto", what, variable->name,
                      text);
  if (variable == &op2i_variables[OP2I_ENV_SIMD])
    return op2i_error(OP2_ERR_OPTION,
                      "%s %s is '%s': expected 0, 16, 32 or 64; leave it out for the width that "
                      "fits the processor",
                      what, variable->name, text);
  return op2i_error(OP2_ERR_OPTION, "%s %s is '%s': expected a number from %d to %d", what,
                    variable->name, text, variable->least, variable->most);
}

/* Only decimal digits are accepted: strtol() would also take leading blanks and signs. */
static op2_status parse(const struct op2i_variable *variable, const char *text, int *value) {
  if (variable == &op2i_variables[OP2I_ENV_RENUMBER] && !strcmp(text, "auto")) {
    *value = variable->fallback;
    return OP2_SUCCESS;
  }
  errno = 0;
  bool digits = text[strspn(text, "0123456789")] == '\0';
  long number = digits ? strtol(text, NULL, 10) : -1;
  bool good = digits && !errno && number >= variable->least && number <= variable->most;
  if (variable == &op2i_variables[OP2I_ENV_SIMD])
    good = good && (number == 0 || number == 16 || number == 32 || number == 64);
  if (!good) return bad_number(variable, text);
  *value = (int)number;
  return OP2_SUCCESS;
}

bool op2i_env_ignored(void) { return getauxval(AT_SECURE) != 0; }

const char *op2i_env_raw(const char *name) {
  size_t length = strlen(name);
  char **entry = op2i_env_ignored() ? NULL : op2i_env_all();
  for (; entry && *entry; entry++)
    if (!strncmp(*entry, name, length) && (*entry)[length] == '=') return *entry + length + 1;
  return NULL;
}

const char *op2i_env_system(const char *name) {
  const char *text = op2i_env_raw(name);
  return text && *text ? text : NULL;
}

const char *op2i_env_text(enum op2i_variable_id id) {
  return op2i_env_system(op2i_variables[id].name);
}

op2_status op2i_env_int(enum op2i_variable_id id, int *value) {
  const char *text = op2i_env_text(id);
  if (text) return parse(&op2i_variables[id], text, value);
  *value = op2i_variables[id].fallback;
  return OP2_SUCCESS;
}

/* Drivers are not opened by a process that has more rights than the user who started it. */
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
  OP2I_FP_DEFAULT;
  if (!stream) return op2i_error(OP2_ERR_ARG, "op2_environment_write: stream is null");
  for (int i = 0; i < OP2I_ENV_COUNT; i++) {
    const char *value = op2i_env_text((enum op2i_variable_id)i);
    fprintf(stream, "%-19s %-36s %s%s%s%s\n", op2i_variables[i].name, op2i_variables[i].shown,
            op2i_variables[i].help, op2i_variables[i].same ? "; the same on all ranks" : "",
            value ? "; now " : "", value ? value : "");
  }
  if (op2i_env_ignored())
    fputs("(none is read: this process has more rights than the user who started it)\n", stream);
  write_devices(stream);
  return op2i_stream_written(stream, "op2_environment_write");
}

/* ---- unknown variables ----------------------------------------------------------------------- */

/* The number of letters that must be changed, left out, inserted or swapped with the next one to
 * turn one name into the other. Names longer than LONG count as different. */
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

/* The variable that was probably meant by this name, or null. A variable is also proposed if one of
 * the two names begins with the other: OP2_BLOCK, OP2_LOG_LEVEL. */
static const char *meant(const char *name) {
  const char *best = NULL;
  int least = 3;
  for (int i = 0; i < OP2I_ENV_COUNT; i++) {
    const char *known = op2i_variables[i].name;
    size_t shorter = strlen(known) < strlen(name) ? strlen(known) : strlen(name);
    int d = distance(name + 4, known + 4);
    if (shorter >= 6 && !strncmp(known, name, shorter) && d > 2) d = 2;
    if (3 * d > 2 * ((int)strlen(known) - 4) || d >= least) continue;
    best = known;
    least = d;
  }
  return best;
}

/* True if a name that starts with OP2_ has no meaning to the library. */
static bool stray_name(const char *name) {
  if (!strncmp(name, "OP2_TEST_", 9)) return false;
  for (int i = 0; i < OP2I_ENV_COUNT; i++)
    if (!strcmp(op2i_variables[i].name, name)) return false;
  return true;
}

/* True if this process has not warned of the name before. After NAMES names it warns of no more. */
static bool news(const char *name) {
  enum { NAMES = 64 };
  static uint64_t warned[NAMES];
  static int nwarned;
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  op2i_process_lock();
  int i = 0;
  while (i < nwarned && warned[i] != hash) i++;
  bool fresh = i == nwarned && nwarned < NAMES;
  if (fresh) warned[nwarned++] = hash;
  op2i_process_unlock();
  return fresh;
}

void op2i_env_warn_unknown(op2_context ctx) {
  if (ctx->config.log_level < OP2I_LOG_WARN || op2i_env_ignored()) return;
  for (char **entry = op2i_env_all(); entry && *entry; entry++) {
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

/* ---- a variable that does not belong to an option -------------------------------------------- */

op2_status op2i_env_link(struct op2i_link_speed *speed) {
  const char *text = op2i_env_text(OP2I_ENV_LINK), *end;
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

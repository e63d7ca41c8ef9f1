/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: one table of all variables, which is printed, read and checked. No other file
 * reads the environment; env_replace.c provides the list of variables. */
#include "variables.h"

#include <errno.h>
#include <inttypes.h>
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

#define OWN                 false
#define AGREED              true
#define PROGRAM(field_)     1 + offsetof(op2_options, field_)
#define ENVIRONMENT(field_) 0

const struct op2i_variable op2i_variables[OP2I_ENV_COUNT] = {
#define TEXT(id_, field_, set_by_, ranks_, shown_, help_)                                          \
  [OP2I_ENV_##id_] = {.name = "OP2_" #id_,                                                         \
                      .type = OP2I_TEXT_VARIABLE,                                                  \
                      .shown = shown_,                                                             \
                      .help = help_,                                                               \
                      .field = offsetof(struct op2i_config, field_),                               \
                      .by = offsetof(struct op2i_config, field_##_by),                             \
                      .option = set_by_(field_),                                                   \
                      .called = "op2_options." #field_,                                            \
                      .same = ranks_},
#define VALUE(id_, field_, type_, set_by_, ranks_, fallback_, least_, most_, shown_, help_)        \
  [OP2I_ENV_##id_] = {.name = "OP2_" #id_,                                                         \
                      .type = type_,                                                               \
                      .fallback = fallback_,                                                       \
                      .least = least_,                                                             \
                      .most = most_,                                                               \
                      .shown = shown_,                                                             \
                      .help = help_,                                                               \
                      .field = offsetof(struct op2i_config, field_),                               \
                      .option = set_by_(field_),                                                   \
                      .called = "op2_options." #field_,                                            \
                      .same = ranks_},
#define FLAG(id_, field_, set_by_, ranks_, fallback_, shown_, help_)                               \
  VALUE(id_, field_, OP2I_BOOLEAN_VARIABLE, set_by_, ranks_, fallback_, 0, 1, shown_, help_)
#define NUMBER(id_, field_, set_by_, ranks_, fallback_, least_, most_, shown_, help_)              \
  VALUE(id_, field_, OP2I_NUMBER_VARIABLE, set_by_, ranks_, fallback_, least_, most_, shown_, help_)
#include "options.def"
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

/* Variables by which the makefiles of OP2 are told where it is and what compiles it. Who works with
 * both libraries has them set. */
static const char *const makefiles_of_op2[] = {"OP2_APPS_DIR",
                                               "OP2_BUILD_DIR",
                                               "OP2_CODEGEN_DIR",
                                               "OP2_COMPILER",
                                               "OP2_C_APPS_BIN_DIR",
                                               "OP2_C_COMPILER",
                                               "OP2_C_CUDA_COMPILER",
                                               "OP2_C_HIP_COMPILER",
                                               "OP2_F_COMPILER",
                                               "OP2_INC",
                                               "OP2_INSTALL_PATH",
                                               "OP2_LIB",
                                               "OP2_MOD",
                                               "OP2_MOD_CUDA",
                                               "OP2_PROFILE"};

/* True if a name that starts with OP2_ has no meaning to the library, nor to OP2. */
static bool stray_name(const char *name) {
  if (!strncmp(name, "OP2_TEST_", 9)) return false;
  for (size_t i = 0; i < sizeof makefiles_of_op2 / sizeof *makefiles_of_op2; i++)
    if (!strcmp(makefiles_of_op2[i], name)) return false;
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

/* ---- launchers ------------------------------------------------------------------------------- */

static int64_t number_in(const char *name) {
  const char *text = op2i_env_system(name);
  return text ? strtoll(text, NULL, 10) : -1;
}

void op2i_env_warn_launcher(op2_context ctx) {
  static const struct {
    const char *size, *rank;
  } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                   {"PMI_SIZE", "PMI_RANK"},
                   {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                   {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  if (ctx->config.log_level < OP2I_LOG_WARN) return;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const int64_t size = number_in(launchers[i].size);
    if (size < 2 || number_in(launchers[i].rank) != 0 || !news("a launcher")) continue;
    op2i_log(ctx, OP2I_LOG_WARN,
             "a launcher has started %" PRId64 " processes of this program (%s), and op2_init() "
             "makes each do all of the work, and write all of the files; op2_init_mpi() of "
             "op2/mpi.h gives each a part",
             size, launchers[i].size);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of a context: options take precedence over the environment, and the environment
 * over defaults. Ranks check that they agree on it. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "hash.h"
#include "log.h"
#include "mem.h"
#include "place_rule.h"
#include "variables.h"

/* ---- precedence: options, environment, defaults ---------------------------------------------- */

/* *by names the option or variable that set it, for messages. */
static op2_status choose_text(char **out, const char **by, const char *option, const char *field,
                              enum op2i_variable_id id) {
  const char *text = option ? option : op2i_env_text(id);
  if (!text) return OP2_SUCCESS;
  *by = option ? field : op2i_variables[id].name;
  *out = op2i_strdup(text);
  return *out ? OP2_SUCCESS : op2i_error_nomem("the configuration");
}

static op2_status choose_int(int *out, int option, const char *field, enum op2i_variable_id id) {
  if (!option) return op2i_env_int(id, out);
  if (option < op2i_variables[id].least || option > op2i_variables[id].most)
    return op2i_error(OP2_ERR_OPTION,
                      "%s is %d: expected a number from %d to %d, or 0 to leave it to %s", field,
                      option, op2i_variables[id].least ? op2i_variables[id].least : 1,
                      op2i_variables[id].most, op2i_variables[id].name);
  *out = option;
  return OP2_SUCCESS;
}

static op2_status note_folder(struct op2i_config *c) {
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here)) return OP2_SUCCESS;
  c->folder = op2i_strdup(here);
  return c->folder ? OP2_SUCCESS : op2i_error_nomem("the configuration");
}

static op2_status choose_texts(struct op2i_config *c, const op2_options *o) {
  op2_status status;
  OP2I_TRY(note_folder(c));
  OP2I_TRY(choose_text(&c->backend, &c->backend_by, o->backend, "op2_options.backend",
                       OP2I_ENV_BACKEND));
  OP2I_TRY(choose_text(&c->cache_dir, &c->cache_dir_by, o->cache_dir, "op2_options.cache_dir",
                       OP2I_ENV_CACHE_DIR));
  OP2I_TRY(choose_text(&c->cc, &c->cc_by, o->cc, "op2_options.cc", OP2I_ENV_CC));
  OP2I_TRY(
      choose_text(&c->cflags, &c->cflags_by, o->cflags, "op2_options.cflags", OP2I_ENV_CFLAGS));
  OP2I_TRY(
      choose_text(&c->device, &c->device_by, o->device, "op2_options.device", OP2I_ENV_DEVICE));
  const char *trust = op2i_env_text(OP2I_ENV_CACHE_TRUST);
  if (trust && !(c->cache_trust = op2i_strdup(trust))) OP2I_TRY(op2i_error_nomem("options"));
  const char *linker = op2i_env_text(OP2I_ENV_LDFLAGS);
  if (linker && !(c->ldflags = op2i_strdup(linker))) OP2I_TRY(op2i_error_nomem("options"));
  const char *strategy = op2i_env_text(OP2I_ENV_DEVICE_STRATEGY);
  if (strategy && !(c->device_strategy = op2i_strdup(strategy)))
    OP2I_TRY(op2i_error_nomem("options"));
  OP2I_TRY(op2i_strategy_parse(strategy, "environment variable OP2_DEVICE_STRATEGY", &c->strategy));
  const char *place = op2i_env_text(OP2I_ENV_PLACE);
  OP2I_TRY(op2i_rules_check(place));
  if (place && !(c->place = op2i_strdup(place))) OP2I_TRY(op2i_error_nomem("options"));
  const char *costs = op2i_env_text(OP2I_ENV_PLACE_COSTS);
  OP2I_TRY(op2i_costs_check(costs));
  if (costs && !(c->place_costs = op2i_strdup(costs))) OP2I_TRY(op2i_error_nomem("options"));
  OP2I_TRY(choose_text(&c->graph_file, &c->graph_by, o->graph_file, "op2_options.graph_file",
                       OP2I_ENV_GRAPH));
fail:
  return status;
}

static op2_status choose_eager(struct op2i_config *c, int option) {
  if (!option) return op2i_env_int(OP2I_ENV_EAGER, &c->eager);
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
  OP2I_TRY(choose_int(&c.threads, o->threads, "op2_options.threads", OP2I_ENV_THREADS));
  OP2I_TRY(choose_int(&c.block_size, o->block_size, "op2_options.block_size", OP2I_ENV_BLOCK_SIZE));
  OP2I_TRY(choose_int(&c.queue_max, o->queue_max, "op2_options.queue_max", OP2I_ENV_QUEUE_MAX));
  OP2I_TRY(choose_int(&c.log_level, o->log_level, "op2_options.log_level", OP2I_ENV_LOG));
  OP2I_TRY(choose_eager(&c, o->eager));
  OP2I_TRY(op2i_env_int(OP2I_ENV_CHUNK_US, &c.chunk_us));
  OP2I_TRY(op2i_env_int(OP2I_ENV_IDLE_MS, &c.idle_ms));
  OP2I_TRY(op2i_env_int(OP2I_ENV_CC_TIMEOUT, &c.cc_timeout));
  OP2I_TRY(op2i_env_int(OP2I_ENV_WAIT_MAX, &c.wait_max));
  OP2I_TRY(op2i_env_int(OP2I_ENV_CACHE_MB, &c.cache_mb));
  OP2I_TRY(op2i_env_int(OP2I_ENV_DEVICE_MEMORY, &c.device_mb));
  OP2I_TRY(op2i_env_int(OP2I_ENV_VERIFY, &c.verify));
  OP2I_TRY(op2i_env_int(OP2I_ENV_FUSE, &c.fuse));
  OP2I_TRY(op2i_env_int(OP2I_ENV_REPLAY, &c.replay));
  OP2I_TRY(op2i_env_int(OP2I_ENV_SHADOW, &c.shadow));
  OP2I_TRY(op2i_env_int(OP2I_ENV_TEAM, &c.team));
  OP2I_TRY(op2i_env_int(OP2I_ENV_TILE, &c.tile));
  OP2I_TRY(op2i_env_int(OP2I_ENV_RENUMBER, &c.renumber));
  OP2I_TRY(op2i_env_int(OP2I_ENV_SLICES, &c.slices));
  OP2I_TRY(op2i_env_int(OP2I_ENV_OVERLAP, &c.overlap));
  OP2I_TRY(op2i_env_int(OP2I_ENV_MERGE, &c.merge));
  OP2I_TRY(op2i_env_int(OP2I_ENV_SIMD, &c.simd_bytes));
  *config = c;
  return OP2_SUCCESS;
fail:
  op2i_config_free(&c);
  return status;
}

void op2i_config_wait_limits(const op2_options *options, struct op2i_wait_limits *limits) {
  const int64_t second = 1000000000;
  int longest = 0, level = OP2I_LOG_WARN;
  if (op2i_env_int(OP2I_ENV_WAIT_MAX, &longest)) longest = 0;
  if (choose_int(&level, options ? options->log_level : 0, "op2_options.log_level", OP2I_ENV_LOG))
    level = OP2I_LOG_WARN;
  limits->longest = longest * second;
  limits->warn_after = level >= OP2I_LOG_WARN ? 60 * second : 0;
}

/* ---- agreement of ranks ---------------------------------------------------------------------- */

enum { VALUE_CHARS = 128 };

static const char *text_of(const struct op2i_config *config, const char *backend,
                           enum op2i_variable_id id) {
  if (id == OP2I_ENV_BACKEND) return backend;
  return *(char *const *)((const char *)config + op2i_variables[id].same - 1);
}

static int number_of(const struct op2i_config *config, enum op2i_variable_id id) {
  return *(const int *)((const char *)config + op2i_variables[id].same - 1);
}

static int64_t value_of(const struct op2i_config *config, const char *backend,
                        enum op2i_variable_id id) {
  if (op2i_variables[id].type != OP2I_TEXT_VARIABLE) return number_of(config, id);
  uint64_t hash = 0;
  for (const char *c = text_of(config, backend, id); c && *c; c++)
    hash = op2i_hash_word(hash, (unsigned char)*c);
  return (int64_t)hash;
}

static bool is_number(const char *text) { return text[strspn(text, "0123456789")] == '\0'; }

static void describe(const struct op2i_config *config, const char *backend,
                     enum op2i_variable_id id, char words[VALUE_CHARS]) {
  bool text = op2i_variables[id].type == OP2I_TEXT_VARIABLE;
  const char *value = text ? text_of(config, backend, id) : NULL, *shown = op2i_variables[id].shown;
  memset(words, 0, VALUE_CHARS);
  if (value)
    snprintf(words, VALUE_CHARS, "'%.100s'", value);
  else if (text || (number_of(config, id) == op2i_variables[id].fallback && !is_number(shown)))
    snprintf(words, VALUE_CHARS, "not set (%s)", shown);
  else
    snprintf(words, VALUE_CHARS, "%d", number_of(config, id));
}

/* The error reports the value of rank 0 and that of `other`: the lowest rank that differs from it
 * in the first option in which any rank does. */
static op2_status report_difference(const struct op2i_config *config, const char *backend,
                                    enum op2i_variable_id id, int other, struct op2i_comm *comm) {
  char lowest[VALUE_CHARS], differs[VALUE_CHARS];
  describe(config, backend, id, lowest);
  memcpy(differs, lowest, sizeof differs);
  op2_status status = op2i_comm_share(comm, 0, lowest, sizeof lowest);
  if (!status) status = op2i_comm_share(comm, other, differs, sizeof differs);
  if (status) return status;
  return op2i_error(OP2_ERR_OPTION,
                    "%s is %s on rank 0 of %d, and %s on rank %d: it has to be the same on all "
                    "ranks (not every launcher hands on the environment)",
                    op2i_variables[id].name, lowest, comm->size, differs, other);
}

op2_status op2i_config_agree(const struct op2i_config *config, const char *backend,
                             struct op2i_comm *comm) {
  int64_t own[OP2I_ENV_COUNT], lowest[OP2I_ENV_COUNT], at = 0;
  enum op2i_variable_id ids[OP2I_ENV_COUNT];
  int n = 0;
  bool same;
  for (int i = 0; i < OP2I_ENV_COUNT; i++)
    if (op2i_variables[i].same) ids[n++] = (enum op2i_variable_id)i;
  for (int i = 0; i < n; i++) lowest[i] = own[i] = value_of(config, backend, ids[i]);
  op2_status status = op2i_comm_same(comm, n, own, &same);
  if (status || same) return status;
  status = op2i_comm_share(comm, 0, lowest, (size_t)n * sizeof *lowest);
  while (at < n && own[at] == lowest[at]) at++;
  at = at * comm->size + comm->rank;
  if (!status) status = op2i_comm_least(comm, 1, &at);
  if (status) return status;
  return report_difference(config, backend, ids[at / comm->size], (int)(at % comm->size), comm);
}

void op2i_config_free(struct op2i_config *config) {
  op2i_free(config->backend);
  op2i_free(config->cache_dir);
  op2i_free(config->cc);
  op2i_free(config->cflags);
  op2i_free(config->folder);
  op2i_free(config->ldflags);
  op2i_free(config->cache_trust);
  op2i_free(config->graph_file);
  op2i_free(config->device);
  op2i_free(config->device_strategy);
  op2i_free(config->place);
  op2i_free(config->place_costs);
  *config = (struct op2i_config){0};
}

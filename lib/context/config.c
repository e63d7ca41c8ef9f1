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

static void *at(const void *structure, size_t offset) {
  return (char *)(uintptr_t)structure + offset;
}

static op2_status choose_text(struct op2i_config *c, const op2_options *o,
                              enum op2i_variable_id id) {
  const struct op2i_variable *variable = &op2i_variables[id];
  const char *option = variable->option ? *(const char **)at(o, variable->option - 1) : NULL;
  const char *text = option ? option : op2i_env_text(id);
  if (!text) return OP2_SUCCESS;
  char **out = at(c, variable->field);
  *(const char **)at(c, variable->by) = option ? variable->called : variable->name;
  *out = op2i_strdup(text);
  return *out ? OP2_SUCCESS : op2i_error_nomem("the configuration");
}

/* In options 0 leaves a flag to the environment, and -1 switches it off. */
static op2_status choose_flag(const struct op2i_variable *variable, int option, int *out) {
  if (option < -1 || option > 1)
    return op2i_error(OP2_ERR_OPTION, "%s is %d: expected 1, -1 (not %s), or 0 to leave it to %s",
                      variable->called, option, strchr(variable->called, '.') + 1, variable->name);
  *out = option > 0;
  return OP2_SUCCESS;
}

static op2_status choose_number(const op2_options *o, enum op2i_variable_id id, int *out) {
  const struct op2i_variable *variable = &op2i_variables[id];
  const int option = variable->option ? *(const int *)at(o, variable->option - 1) : 0;
  if (!option) return op2i_env_int(id, out);
  if (variable->type == OP2I_BOOLEAN_VARIABLE) return choose_flag(variable, option, out);
  if (option < variable->least || option > variable->most)
    return op2i_error(OP2_ERR_OPTION,
                      "%s is %d: expected a number from %d to %d, or 0 to leave it to %s",
                      variable->called, option, variable->least ? variable->least : 1,
                      variable->most, variable->name);
  *out = option;
  return OP2_SUCCESS;
}

static op2_status choose_all(struct op2i_config *c, const op2_options *o) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < OP2I_ENV_COUNT && !status; i++) {
    const enum op2i_variable_id id = (enum op2i_variable_id)i;
    if (op2i_variables[id].type == OP2I_TEXT_VARIABLE)
      status = choose_text(c, o, id);
    else
      status = choose_number(o, id, at(c, op2i_variables[id].field));
  }
  return status;
}

static op2_status note_folder(struct op2i_config *c) {
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here)) return OP2_SUCCESS;
  c->folder = op2i_strdup(here);
  return c->folder ? OP2_SUCCESS : op2i_error_nomem("the configuration");
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
  OP2I_TRY(note_folder(&c));
  OP2I_TRY(choose_all(&c, o));
  OP2I_TRY(op2i_strategy_parse(c.device_strategy, "environment variable OP2_DEVICE_STRATEGY",
                               &c.strategy));
  OP2I_TRY(op2i_rules_check(c.place));
  OP2I_TRY(op2i_costs_check(c.place_costs));
  if (c.nan) c.fuse = OP2I_FUSE_NEVER; /* a message is to name one loop */
  *config = c;
  return OP2_SUCCESS;
fail:
  op2i_config_free(&c);
  return status;
}

void op2i_config_wait_limits(const op2_options *options, struct op2i_wait_limits *limits) {
  static const op2_options none;
  const int64_t second = 1000000000;
  int longest = 0, level = OP2I_LOG_WARN;
  if (op2i_env_int(OP2I_ENV_WAIT_MAX, &longest)) longest = 0;
  if (choose_number(options ? options : &none, OP2I_ENV_LOG, &level)) level = OP2I_LOG_WARN;
  limits->longest = longest * second;
  limits->warn_after = level >= OP2I_LOG_WARN ? 60 * second : 0;
}

/* ---- agreement of ranks ---------------------------------------------------------------------- */

enum { VALUE_CHARS = 128 };

static const char *text_of(const struct op2i_config *config, const char *backend,
                           enum op2i_variable_id id) {
  if (id == OP2I_ENV_BACKEND) return backend;
  return *(char *const *)at(config, op2i_variables[id].field);
}

static int number_of(const struct op2i_config *config, enum op2i_variable_id id) {
  return *(const int *)at(config, op2i_variables[id].field);
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
  for (int i = 0; i < OP2I_ENV_COUNT; i++)
    if (op2i_variables[i].type == OP2I_TEXT_VARIABLE)
      op2i_free(*(char **)at(config, op2i_variables[i].field));
  op2i_free(config->folder);
  *config = (struct op2i_config){0};
}

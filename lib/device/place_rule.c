/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing of OP2_PLACE and OP2_PLACE_COSTS. */
#include "place_rule.h"

#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "device.h"
#include "error.h"

/* One entry of the list, up to the next comma. */
struct piece {
  const char *kernel, *where, *end;
  size_t kernel_length, where_length;
};

static struct piece read_piece(const char *text) {
  size_t length = strcspn(text, ",");
  const char *colon = memchr(text, ':', length);
  struct piece piece = {.kernel = text, .end = text + length};
  piece.kernel_length = colon ? (size_t)(colon - text) : length;
  piece.where = colon ? colon + 1 : piece.end;
  piece.where_length = (size_t)(piece.end - piece.where);
  return piece;
}

static bool is(const struct piece *piece, const char *word) {
  return strlen(word) == piece->where_length && !memcmp(word, piece->where, piece->where_length);
}

static bool read_random(const struct piece *piece, struct op2i_rule *rule) {
  static const char word[] = "random=";
  size_t length = sizeof word - 1;
  if (piece->where_length <= length || memcmp(piece->where, word, length) != 0) return false;
  const char *digits = piece->where + length;
  if (strspn(digits, "0123456789") != piece->where_length - length) return false;
  *rule = (struct op2i_rule){.kind = OP2I_RULE_RANDOM, .seed = strtoull(digits, NULL, 10)};
  return true;
}

/* split=HOST:DEVICE, two numbers of three digits at most. */
static bool read_split(const struct piece *piece, struct op2i_rule *rule) {
  static const char word[] = "split=";
  enum { DIGITS = 3 };
  size_t length = sizeof word - 1;
  const char *at = piece->where + length, *end = piece->where + piece->where_length;
  if (piece->where_length <= length || memcmp(piece->where, word, length) != 0) return false;
  *rule = (struct op2i_rule){.kind = OP2I_RULE_SPLIT};
  for (int p = 0; p < 2; p++, at++) {
    size_t digits = strspn(at, "0123456789");
    if (digits < 1 || digits > DIGITS || at[digits] != (p ? *end : ':')) return false;
    rule->parts[p] = (int32_t)strtol(at, NULL, 10);
    at += digits;
  }
  return at == end + 1 && rule->parts[0] > 0 && rule->parts[1] > 0;
}

static bool read_where(const struct piece *piece, struct op2i_rule *rule) {
  static const struct {
    const char *word;
    struct op2i_rule rule;
  } words[] = {
      {"free", {.kind = OP2I_RULE_FREE}},
      {"cpu", {.kind = OP2I_RULE_HOST}},
      {"device", {.kind = OP2I_RULE_DEVICE}},
      {"random", {.kind = OP2I_RULE_RANDOM, .seed = 1}},
      {"alternate", {.kind = OP2I_RULE_ALTERNATE}},
  };
  for (size_t w = 0; w < sizeof words / sizeof *words; w++)
    if (is(piece, words[w].word)) {
      *rule = words[w].rule;
      return true;
    }
  for (const struct op2i_device_kind *const *kind = op2i_device_kinds; *kind; kind++)
    if (is(piece, (*kind)->name)) {
      *rule = (struct op2i_rule){.kind = OP2I_RULE_DEVICE, .device = (*kind)->name};
      return true;
    }
  return read_random(piece, rule) || read_split(piece, rule);
}

op2_status op2i_rules_check(const char *rules) {
  const char *device = NULL;
  for (const char *at = rules; at && *at;) {
    struct piece piece = read_piece(at);
    struct op2i_rule rule;
    if (!piece.kernel_length || !read_where(&piece, &rule))
      return op2i_error(OP2_ERR_OPTION,
                        "environment variable OP2_PLACE has '%.*s': expected KERNEL:WHERE, where "
                        "KERNEL is a name or *, and WHERE one of cpu, device%s, free, "
                        "split=HOST:DEVICE, alternate, random, random=SEED",
                        (int)(piece.end - piece.kernel), piece.kernel, op2i_device_names);
    if (rule.device && device && strcmp(rule.device, device) != 0)
      return op2i_error(OP2_ERR_OPTION, "environment variable OP2_PLACE asks for devices of two "
                                        "kinds: a context has one device");
    if (rule.device) device = rule.device;
    at = *piece.end ? piece.end + 1 : piece.end;
  }
  return OP2_SUCCESS;
}

struct op2i_rule op2i_rule_of(const char *rules, const char *kernel) {
  struct op2i_rule any = {.kind = OP2I_RULE_NONE};
  for (const char *at = rules; at && *at;) {
    struct piece piece = read_piece(at);
    struct op2i_rule rule;
    bool own =
        piece.kernel_length == strlen(kernel) && !memcmp(piece.kernel, kernel, piece.kernel_length);
    bool star = piece.kernel_length == 1 && *piece.kernel == '*';
    bool known = (own || star) && read_where(&piece, &rule);
    if (known && own) return rule;
    if (known && any.kind == OP2I_RULE_NONE) any = rule;
    at = *piece.end ? piece.end + 1 : piece.end;
  }
  return any;
}

bool op2i_rules_want_device(const char *rules, const char **kind) {
  bool wanted = false;
  *kind = NULL;
  for (const char *at = rules; at && *at;) {
    struct piece piece = read_piece(at);
    struct op2i_rule rule = {.kind = OP2I_RULE_HOST};
    (void)read_where(&piece, &rule);
    wanted |= rule.kind != OP2I_RULE_HOST;
    if (rule.device) *kind = rule.device;
    at = *piece.end ? piece.end + 1 : piece.end;
  }
  return wanted;
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* The number after a word that begins the entry or, in entries for a kernel, follows its colon. */
static bool read_cost(const struct piece *piece, const char *word, double *ns) {
  const char *from = piece->where_length ? piece->where : piece->kernel;
  size_t length = strlen(word);
  if ((size_t)(piece->end - from) <= length || memcmp(from, word, length) != 0) return false;
  return op2i_decimal(from + length, ns) == piece->end && *ns >= 0;
}

static bool is_cost(const struct piece *piece) {
  double ns;
  if (piece->kernel_length && piece->where_length)
    return read_cost(piece, "cpu=", &ns) || read_cost(piece, "device=", &ns);
  return read_cost(piece, "copy=", &ns) || read_cost(piece, "byte=", &ns);
}

op2_status op2i_costs_check(const char *costs) {
  for (const char *at = costs; at && *at;) {
    struct piece piece = read_piece(at);
    if (!is_cost(&piece))
      return op2i_error(OP2_ERR_OPTION,
                        "environment variable OP2_PLACE_COSTS has '%.*s': expected "
                        "KERNEL:cpu=NANOSECONDS, KERNEL:device=NANOSECONDS, copy=NANOSECONDS or "
                        "byte=NANOSECONDS",
                        (int)(piece.end - piece.kernel), piece.kernel);
    at = *piece.end ? piece.end + 1 : piece.end;
  }
  return OP2_SUCCESS;
}

static double find_cost(const char *costs, const char *kernel, const char *word) {
  double any = -1, ns;
  for (const char *at = costs; at && *at;) {
    struct piece piece = read_piece(at);
    bool own = kernel && piece.where_length && piece.kernel_length == strlen(kernel) &&
               !memcmp(piece.kernel, kernel, piece.kernel_length);
    bool star = kernel && piece.where_length && piece.kernel_length == 1 && *piece.kernel == '*';
    bool fits = kernel ? own || star : !piece.where_length;
    if (fits && read_cost(&piece, word, &ns)) {
      if (own || !kernel) return ns;
      if (any < 0) any = ns;
    }
    at = *piece.end ? piece.end + 1 : piece.end;
  }
  return any;
}

double op2i_cost_of(const char *costs, const char *kernel, bool device) {
  return find_cost(costs, kernel, device ? "device=" : "cpu=");
}

double op2i_cost_of_copy(const char *costs) { return find_cost(costs, NULL, "copy="); }
double op2i_cost_of_byte(const char *costs) { return find_cost(costs, NULL, "byte="); }

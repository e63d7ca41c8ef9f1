/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and types within a function of a C++ program, as far as the overloads of <cmath> and
 * references need them. Scopes are not followed: the latest declaration of a name counts. */
#include <string.h>

#include "cxx_body.h"
#include "mem.h"

static const char *const numbers[] = {"double", "float",    "int",    "bool", "long",
                                      "short",  "unsigned", "signed", "char", NULL};
static const char *const math[] = {
    "sqrt",     "fabs",  "abs",   "exp",      "log",  "pow",   "sin",   "cos",   "tan",
    "asin",     "acos",  "atan",  "atan2",    "sinh", "cosh",  "tanh",  "asinh", "acosh",
    "atanh",    "floor", "ceil",  "log10",    "log2", "log1p", "expm1", "exp2",  "cbrt",
    "hypot",    "fmin",  "fmax",  "fmod",     "fma",  "erf",   "erfc",  "round", "trunc",
    "copysign", "isnan", "isinf", "isfinite", NULL};

bool op2i_cxx_is_number(const struct op2i_cxx_unit *unit, int at) {
  return op2i_cxx_in(unit, at, numbers);
}

bool op2i_cxx_is_math(const struct op2i_cxx_unit *unit, int at) {
  return op2i_cxx_in(unit, at, math) && !op2i_cxx_member(unit, at) &&
         !op2i_cxx_find(unit, OP2I_CXX_FUNCTION, at);
}

bool op2i_cxx_is_float_math(const struct op2i_cxx_unit *unit, int at) {
  const struct op2i_cxx_word *w = &unit->words[at];
  if (w->length < 2 || w->text[w->length - 1] != 'f' || op2i_cxx_member(unit, at)) return false;
  for (const char *const *name = math; *name; name++)
    if (strlen(*name) == (size_t)w->length - 1 && !memcmp(*name, w->text, strlen(*name)))
      return true;
  return false;
}

/* The functions of `math` that C rounds as it does sums, or that do not round. */
static const char *const exact[] = {"sqrt",  "fabs",  "abs",      "floor", "ceil",  "fmin",
                                    "fmax",  "fmod",  "fma",      "round", "trunc", "copysign",
                                    "isnan", "isinf", "isfinite", NULL};

static bool is_exact(const char *name) {
  for (const char *const *e = exact; *e; e++)
    if (!strcmp(*e, name)) return true;
  return false;
}

static bool is_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* True if a text has the name as a word, also for float and as a function of the compiler. */
static bool names(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    static const char builtin[] = "__builtin_";
    const char *before = at, *behind = at + length + (at[length] == 'f');
    size_t n = sizeof builtin - 1;
    if ((size_t)(at - text) >= n && !memcmp(at - n, builtin, n)) before -= n;
    if ((before == text || !is_letter(before[-1])) && !is_letter(*behind)) return true;
  }
  return false;
}

bool op2i_cxx_rounds(const char *text) {
  for (const char *const *name = math; *name; name++)
    if (!is_exact(*name) && names(text, *name)) return true;
  return false;
}

const struct op2i_cxx_name *op2i_cxx_local(const struct op2i_cxx_body *body, int at) {
  if (op2i_cxx_member(body->turn->unit, at)) return NULL;
  for (int64_t i = body->nnames - 1; i >= 0; i--)
    if (op2i_cxx_same(body->turn->unit, body->names[i].word, at)) return &body->names[i];
  return NULL;
}

bool op2i_cxx_declare(struct op2i_cxx_body *body, struct op2i_cxx_name name) {
  if (op2i_grow(&body->names, sizeof *body->names, body->nnames, &body->capacity)) {
    body->turn->why = "memory is lacking";
    return false;
  }
  body->names[body->nnames++] = name;
  return true;
}

static const struct op2i_cxx_item *record_at(const struct op2i_cxx_body *body, int at) {
  int type, index;
  const struct op2i_cxx_item *record = op2i_cxx_find(body->turn->unit, OP2I_CXX_RECORD, at);
  return record && op2i_cxx_numbers(body->turn->unit, record, -1, &type, &index) ? record : NULL;
}

const struct op2i_cxx_item *op2i_cxx_record(const struct op2i_cxx_body *body, int begin, int end) {
  const struct op2i_cxx_item *record = NULL;
  if (!body->turn->request->flat) return NULL;
  for (; begin < end && !record; begin++) record = record_at(body, begin);
  return record;
}

const struct op2i_cxx_item *op2i_cxx_alias(const struct op2i_cxx_unit *unit, int at) {
  const struct op2i_cxx_item *item = op2i_cxx_find(unit, OP2I_CXX_OTHER, at);
  bool type = item && (op2i_cxx_is(unit, item->begin, "typedef") ||
                       (op2i_cxx_is(unit, item->begin, "using") && item->name == item->begin + 1));
  return type ? item : NULL;
}

char op2i_cxx_type_letter(const struct op2i_cxx_body *body, int begin, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  for (int at = begin; at < end; at++) {
    int type, index;
    if (op2i_cxx_is(unit, at, "double")) return 'd';
    if (op2i_cxx_is(unit, at, "float")) return 'f';
    const struct op2i_cxx_item *record = record_at(body, at);
    if (record && op2i_cxx_numbers(unit, record, -1, &type, &index)) return *unit->words[type].text;
    const struct op2i_cxx_item *other = op2i_cxx_alias(unit, at);
    if (!other || other->name == at) continue;
    return op2i_cxx_is(unit, other->begin, "using")
               ? op2i_cxx_type_letter(body, other->name + 2, other->end)
               : op2i_cxx_type_letter(body, other->begin, other->name);
  }
  return 'i';
}

static bool starts_type(const struct op2i_cxx_body *body, int at) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (unit->words[at].kind != OP2I_TOK_WORD || op2i_cxx_member(unit, at)) return false;
  return op2i_cxx_is_number(unit, at) || op2i_cxx_find(unit, OP2I_CXX_RECORD, at) ||
         op2i_cxx_alias(unit, at) || op2i_cxx_is_enumeration(unit, at) ||
         op2i_cxx_is(unit, at, "size_t");
}

bool op2i_cxx_is_enumeration(const struct op2i_cxx_unit *unit, int at) {
  if (unit->words[at].kind != OP2I_TOK_WORD) return false;
  for (int64_t i = 0; i < unit->nitems; i++) {
    const struct op2i_cxx_item *item = &unit->items[i];
    if (item->kind == OP2I_CXX_OTHER && op2i_cxx_is(unit, item->begin, "enum") &&
        op2i_cxx_same(unit, item->begin + 1, at))
      return true;
  }
  return false;
}

bool op2i_cxx_is_integer_operator(const struct op2i_cxx_unit *unit, int at) {
  static const char *const operators[] = {"+", "-", "*", "/", "%", "(", ")", "<<", ">>", NULL};
  return op2i_cxx_in(unit, at, operators);
}

bool op2i_cxx_refers(const struct op2i_cxx_unit *unit, int at) {
  return unit->words[at + 1].kind == OP2I_TOK_WORD && op2i_cxx_is(unit, at + 2, "=") && at > 0 &&
         unit->words[at - 1].kind == OP2I_TOK_WORD;
}

/* True if words are a place in memory: a name, its elements or members, or what a pointer leads to. */
static bool is_place(const struct op2i_cxx_unit *unit, int begin) {
  int at = begin + op2i_cxx_is(unit, begin, "*");
  if (unit->words[at].kind != OP2I_TOK_WORD) return false;
  for (at++; !op2i_cxx_is(unit, at, ";"); at++)
    if (op2i_cxx_is(unit, at, "["))
      at = unit->words[at].match;
    else if (op2i_cxx_is(unit, at, ".") || op2i_cxx_is(unit, at, "->"))
      at++;
    else
      return false;
  return true;
}

/* Declare the reference whose & is at `at`. One to the value of an expression is a variable. */
static bool declare_reference(struct op2i_cxx_body *body, int type, int at) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (op2i_cxx_record(body, type, at)) {
    body->turn->why = "a structure has a reference to it";
    return false;
  }
  struct op2i_cxx_name one = {.word = at + 1,
                              .letter = op2i_cxx_type_letter(body, type, at),
                              .how = is_place(unit, at + 3) ? OP2I_CXX_REFERENCE : OP2I_CXX_PLAIN};
  return op2i_cxx_declare(body, one);
}

/* Declare what stands in a list of declarators of one type; returns the index of its end. */
static int declare_list(struct op2i_cxx_body *body, int type, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  bool name = true;
  for (; at < end && !op2i_cxx_is(unit, at, ";") && !op2i_cxx_is(unit, at, ")"); at++) {
    if (name && unit->words[at].kind == OP2I_TOK_WORD && !op2i_cxx_is(unit, at, "const")) {
      const struct op2i_cxx_item *record = op2i_cxx_record(body, type, type + 1);
      struct op2i_cxx_name one = {.word = at,
                                  .letter = op2i_cxx_type_letter(body, type, type + 1),
                                  .how = record ? OP2I_CXX_RECORD_OF : OP2I_CXX_PLAIN,
                                  .record = record};
      if (!op2i_cxx_declare(body, one)) return end;
      name = false;
    } else if (op2i_cxx_is(unit, at, ",")) {
      name = true;
    }
    if (unit->words[at].match > at) at = unit->words[at].match;
  }
  return at;
}

bool op2i_cxx_declare_all(struct op2i_cxx_body *body, int begin, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  for (int at = begin; at < end; at++) {
    if (!starts_type(body, at)) continue;
    int next = at + 1;
    while (next < end && op2i_cxx_is_number(unit, next)) next++; /* long long */
    if (op2i_cxx_is(unit, next, "const")) next++;                /* double const &x */
    if (op2i_cxx_is(unit, next, "&") && op2i_cxx_refers(unit, next)) {
      if (!declare_reference(body, at, next)) return false;
      at = next + 1;
    } else if (unit->words[next].kind == OP2I_TOK_WORD || op2i_cxx_is(unit, next, "*")) {
      at = declare_list(body, at, next, end) - 1;
    }
  }
  return !body->turn->why;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static char number_letter(const struct op2i_cxx_word *word) {
  bool hex = word->length > 1 && (word->text[1] == 'x' || word->text[1] == 'X');
  bool real = false;
  for (int i = 0; i < word->length && !hex; i++) real |= strchr(".eE", word->text[i]) != NULL;
  char last = word->text[word->length - 1];
  return !real ? 'i' : last == 'f' || last == 'F' ? 'f' : 'd';
}

static char wider(char a, char b) {
  if (a == 'd' || b == 'd') return 'd';
  return a == 'f' || b == 'f' ? 'f' : 'i';
}

/* The letter of a call whose parentheses are [open, close]. */
static char call_letter(const struct op2i_cxx_body *body, int at, int open) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const struct op2i_cxx_item *callee = op2i_cxx_find(unit, OP2I_CXX_FUNCTION, at);
  if (callee) return op2i_cxx_type_letter(body, callee->begin, callee->name);
  if (op2i_cxx_is_float_math(unit, at)) return 'f';
  char inner = op2i_cxx_letter(body, open + 1, unit->words[open].match);
  if (op2i_cxx_is_number(unit, at) || op2i_cxx_alias(unit, at))
    return op2i_cxx_type_letter(body, at, at + 1);
  if (!op2i_cxx_is_math(unit, at)) return inner;
  return inner == 'i' && !op2i_cxx_is(unit, at, "abs") ? 'd' : inner;
}

/* A cast in parentheses, (float), decides for what stands behind it up to an operator; here it is
 * taken as one of the operands, as are both branches of a choice. */
char op2i_cxx_letter(const struct op2i_cxx_body *body, int begin, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  char best = 'i';
  for (int at = begin; at < end; at++) {
    const struct op2i_cxx_word *word = &unit->words[at];
    if (op2i_cxx_is(unit, at, "[")) {
      at = word->match;
    } else if (word->kind == OP2I_TOK_NUMBER) {
      best = wider(best, number_letter(word));
    } else if (word->kind == OP2I_TOK_WORD && op2i_cxx_is(unit, at + 1, "(")) {
      best = wider(best, call_letter(body, at, at + 1));
      at = unit->words[at + 1].match;
    } else if (word->kind == OP2I_TOK_WORD) {
      const struct op2i_cxx_name *name = op2i_cxx_local(body, at);
      const struct op2i_cxx_item *item = name ? NULL : op2i_cxx_find(unit, OP2I_CXX_OTHER, at);
      best = wider(best, name   ? name->letter
                         : item ? op2i_cxx_type_letter(body, item->begin, item->name)
                                : op2i_cxx_type_letter(body, at, at + 1));
    }
  }
  return best;
}

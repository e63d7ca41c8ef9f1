/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a C++ function as C: a table of rules, each of which knows one construct. */
#include <stdio.h>
#include <string.h>

#include "cxx_body.h"

/* A rule appends what it knows of the words from `at` on, and returns the index behind them, or
 * `at` where it does not apply. */
typedef int rule(struct op2i_cxx_body *body, int at, int end);

void op2i_cxx_add(struct op2i_text *out, const char *text, int length) {
  op2i_text_bytes(out, text, (size_t)length);
  op2i_text_bytes(out, length == 1 && strchr(";{}", *text) ? "\n" : " ", 1);
}

static void put(struct op2i_cxx_body *body, const char *text) {
  op2i_cxx_add(&body->text, text, (int)strlen(text));
}

static int refuse(struct op2i_cxx_body *body, const char *why, int end) {
  if (!body->turn->why) body->turn->why = why;
  return end;
}

/* Names of types that C's headers have. */
static const char *const integers[] = {"size_t",  "int8_t",   "int16_t",  "int32_t",  "int64_t",
                                       "uint8_t", "uint16_t", "uint32_t", "uint64_t", NULL};

static int qualified(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (!op2i_cxx_is(unit, at + 1, ":") || !op2i_cxx_is(unit, at + 2, ":")) return at;
  if (op2i_cxx_is(unit, at, "std")) return at + 3;
  return refuse(body, "it has a qualified name", end);
}

static int forbidden(struct op2i_cxx_body *body, int at, int end) {
  static const char *const words[] = {
      "template", "auto",     "new",          "delete",   "throw",    "class", "namespace",
      "operator", "using",    "this",         "goto",     "asm",      "union", "static",
      "typename", "decltype", "dynamic_cast", "volatile", "typedef",  "try",   "catch",
      "extern",   "typeid",   "mutable",      "explicit", "noexcept", NULL};
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (op2i_cxx_is(unit, at, "static") &&
      (op2i_cxx_is(unit, at + 1, "const") || op2i_cxx_is(unit, at + 1, "constexpr")))
    return at;
  if (!op2i_cxx_in(unit, at, words)) return at;
  return refuse(body, "it has C++ that is not turned into C", end);
}

static int range_loop(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (!op2i_cxx_is(unit, at, "for") || !op2i_cxx_is(unit, at + 1, "(") ||
      op2i_cxx_has(unit, at + 2, unit->words[at + 1].match, ";"))
    return at;
  return refuse(body, "it has a loop over a range", end);
}

/* std::min(a, b) is (b < a) ? b : a, and std::max(a, b) is (a < b) ? b : a. */
static int least(struct op2i_cxx_body *body, int at, int end) {
  static const char *const names[] = {"min", "max", NULL};
  const struct op2i_cxx_unit *unit = body->turn->unit;
  int open = at + 1;
  if (!op2i_cxx_in(unit, at, names) || op2i_cxx_local(body, at) || op2i_cxx_member(unit, at) ||
      op2i_cxx_find(unit, OP2I_CXX_FUNCTION, at))
    return at;
  if (op2i_cxx_is(unit, open, "<") && op2i_cxx_is(unit, open + 2, ">")) open += 3;
  if (!op2i_cxx_is(unit, open, "(")) return at;
  int close = unit->words[open].match, comma = op2i_cxx_comma(unit, open + 1, close);
  if (comma == close || op2i_cxx_comma(unit, comma + 1, close) < close)
    return refuse(body, "std::min or std::max has other than two arguments", end);
  bool least_of = op2i_cxx_is(unit, at, "min");
  int parts[4][2] = {{open + 1, comma}, {comma + 1, close}, {comma + 1, close}, {open + 1, comma}};
  if (least_of) memcpy(parts[0], (int[]){comma + 1, close, open + 1, comma}, sizeof parts[0] * 2);
  static const char *const before[] = {"( (", ") < (", ") ? (", ") : ("};
  for (int i = 0; i < 4; i++) {
    put(body, before[i]);
    op2i_cxx_words(body, parts[i][0], parts[i][1]);
  }
  put(body, ") )");
  return close + 1;
}

/* ((type)(value)), for casts by name and in the form of calls. */
static int cast(struct op2i_cxx_body *body, int type, int type_end, int open) {
  int close = body->turn->unit->words[open].match;
  put(body, "( (");
  for (int at = type; at < type_end; at++)
    if (op2i_cxx_is(body->turn->unit, at, "bool"))
      put(body, "_Bool");
    else if (op2i_cxx_is_number(body->turn->unit, at) ||
             op2i_cxx_in(body->turn->unit, at, integers) ||
             (op2i_cxx_alias(body->turn->unit, at) && op2i_cxx_file_name(body->turn, at)))
      /* op2i_cxx_words() would take the words behind this one for its arguments. */
      op2i_cxx_add(&body->text, body->turn->unit->words[at].text,
                   body->turn->unit->words[at].length);
    else
      op2i_cxx_words(body, at, at + 1);
  put(body, ") (");
  op2i_cxx_words(body, open + 1, close);
  put(body, ") )");
  return close + 1;
}

static int named_cast(struct op2i_cxx_body *body, int at, int end) {
  static const char *const names[] = {"static_cast", "const_cast", "reinterpret_cast", NULL};
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (!op2i_cxx_in(unit, at, names)) return at;
  int close = at + 2;
  while (close < end && !op2i_cxx_is(unit, close, ">")) close++;
  if (!op2i_cxx_is(unit, close + (close < end), "("))
    return refuse(body, "it has C++ that is not turned into C", end);
  return cast(body, at + 2, close, close + 1);
}

static int functional_cast(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  (void)end;
  bool type = op2i_cxx_is_number(unit, at) || op2i_cxx_in(unit, at, integers) ||
              (op2i_cxx_alias(unit, at) && !op2i_cxx_local(body, at));
  if (!type || !op2i_cxx_is(unit, at + 1, "(") || op2i_cxx_is(unit, at + 2, "*") ||
      op2i_cxx_is(unit, at + 2, ")"))
    return at;
  return cast(body, at, at + 1, at + 1);
}

static int replaced(struct op2i_cxx_body *body, int at, int end) {
  static const char *const pairs[][2] = {
      {"constexpr", "const"}, {"nullptr", "0"},    {"bool", "_Bool"},
      {"true", "1"},          {"false", "0"},      {"inline", ""},
      {"uint", "unsigned"},   {"ll", "long long"}, {"ull", "unsigned long long"},
      {"and", "&&"},          {"or", "||"},        {"not", "!"},
      {"__null", "0"}, /* what NULL expands to */
  };
  const struct op2i_cxx_unit *unit = body->turn->unit;
  (void)end;
  if (op2i_cxx_local(body, at) || op2i_cxx_member(unit, at)) return at;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (!op2i_cxx_is(unit, at, pairs[i][0])) continue;
    put(body, pairs[i][1]);
    return at + 1;
  }
  return at;
}

/* `record a, b;` where the record becomes an array. */
static int record_declared(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const struct op2i_cxx_item *record = op2i_cxx_record(body, at, at + 1);
  int type, index, name = at + 1;
  if (!record || op2i_cxx_local(body, at) || unit->words[name].kind != OP2I_TOK_WORD) return at;
  int count = op2i_cxx_numbers(unit, record, -1, &type, &index);
  op2i_cxx_add(&body->text, unit->words[type].text, unit->words[type].length);
  for (;;) {
    op2i_cxx_add(&body->text, unit->words[name].text, unit->words[name].length);
    op2i_text_add(&body->text, "[%d] ", count);
    if (!op2i_cxx_is(unit, name + 1, ",")) break;
    put(body, ",");
    name += 2;
  }
  if (op2i_cxx_is(unit, name + 1, ";")) return name + 1;
  return refuse(body, "a structure has a value from its declaration", end);
}

static int record_member(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const struct op2i_cxx_name *name = op2i_cxx_local(body, at);
  int type, index;
  if (!name || name->how != OP2I_CXX_RECORD_OF) return at;
  op2i_cxx_add(&body->text, unit->words[at].text, unit->words[at].length);
  if (op2i_cxx_is(unit, at + 1, ".")) {
    op2i_cxx_numbers(unit, name->record, at + 2, &type, &index);
    op2i_text_add(&body->text, "[%d] ", index);
    return at + 3;
  }
  /* As the argument of a function it is passed on. */
  if (op2i_cxx_is(unit, at + 1, ",") || op2i_cxx_is(unit, at + 1, ")")) return at + 1;
  return refuse(body, "a structure is used as a whole", end);
}

/* A variable of an enumeration is an int, as which its value is used. */
static int enumeration(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  int name = at + op2i_cxx_is(unit, at, "enum");
  (void)end;
  if (!op2i_cxx_is_enumeration(unit, name) || op2i_cxx_local(body, name)) return at;
  put(body, "int");
  return name + 1;
}

/* `double x{1}` and `double x[2]{1, 2}` have = before the value in C, and a value. */
static int braced_value(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  bool array = op2i_cxx_is(unit, at, "]");
  (void)end;
  if (!op2i_cxx_is(unit, at + 1, "{") || (!array && !op2i_cxx_local(body, at))) return at;
  int close = unit->words[at + 1].match;
  op2i_cxx_add(&body->text, unit->words[at].text, unit->words[at].length);
  put(body, array ? "= {" : "= (");
  if (close == at + 2) put(body, "0");
  op2i_cxx_words(body, at + 2, close);
  put(body, array ? "}" : ")");
  return close + 1;
}

/* `const int n = 3;`, whose name may be the extent of an array, is an enumerator in C. */
static int constant_integer(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  bool begins = at == 0 || op2i_cxx_is(unit, at - 1, ";") || op2i_cxx_is(unit, at - 1, "{") ||
                op2i_cxx_is(unit, at - 1, "}");
  int type = at + op2i_cxx_is(unit, at, "static") + 1, name = type + 1;
  bool constant = op2i_cxx_is(unit, type - 1, "const") || op2i_cxx_is(unit, type - 1, "constexpr");
  if (!begins || !constant || !op2i_cxx_is(unit, type, "int") ||
      unit->words[name].kind != OP2I_TOK_WORD || !op2i_cxx_is(unit, name + 1, "="))
    return at;
  int stop = name + 2;
  for (; stop < end && !op2i_cxx_is(unit, stop, ";"); stop++)
    if (unit->words[stop].kind != OP2I_TOK_NUMBER && !op2i_cxx_is_integer_operator(unit, stop))
      return at;
  put(body, "enum {");
  op2i_cxx_words(body, name, stop);
  put(body, "}");
  return stop;
}

/* The declaration of a reference to a value: `double &x = a[1];` is `double *x = &(a[1]);`. */
static int local_reference(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (!op2i_cxx_is(unit, at, "&") || !op2i_cxx_refers(unit, at) || !op2i_cxx_local(body, at + 1))
    return at;
  int stop = at + 3;
  while (stop < end && !op2i_cxx_is(unit, stop, ";")) stop++;
  bool pointer = op2i_cxx_local(body, at + 1)->how == OP2I_CXX_REFERENCE;
  op2i_text_add(&body->text, pointer ? "* %.*s = &( " : "%.*s = ( ", unit->words[at + 1].length,
                unit->words[at + 1].text);
  op2i_cxx_words(body, at + 3, stop);
  put(body, ")");
  return stop;
}

static int reference(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_name *name = op2i_cxx_local(body, at);
  const struct op2i_cxx_word *word = &body->turn->unit->words[at];
  (void)end;
  if (!name || name->how != OP2I_CXX_REFERENCE) return at;
  op2i_text_add(&body->text, "(*%.*s) ", word->length, word->text);
  return at + 1;
}

/* abs() of an integer, which <math.h> has not: (v) < 0 ? -(v) : (v). */
static int integer_abs(struct op2i_cxx_body *body, int at) {
  static const char *const before[] = {"( (", ") < 0 ? - (", ") : ("};
  int close = body->turn->unit->words[at + 1].match;
  for (int i = 0; i < 3; i++) {
    put(body, before[i]);
    op2i_cxx_words(body, at + 2, close);
  }
  put(body, ") )");
  return close + 1;
}

/* The overload of <cmath> that C++ takes, by C's name. */
static int math_call(struct op2i_cxx_body *body, int at, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const struct op2i_cxx_word *word = &unit->words[at];
  (void)end;
  if (!op2i_cxx_is_math(unit, at) || op2i_cxx_local(body, at) || !op2i_cxx_is(unit, at + 1, "("))
    return at;
  int close = unit->words[at + 1].match;
  bool all_float = true, real = false;
  for (int arg = at + 2; arg < close;) {
    int comma = op2i_cxx_comma(unit, arg, close);
    char letter = op2i_cxx_letter(body, arg, comma);
    all_float &= letter == 'f';
    real |= letter != 'i';
    arg = comma + 1;
  }
  if (op2i_cxx_is(unit, at, "abs") && !real) return integer_abs(body, at);
  bool classifies = word->length > 2 && !strncmp(word->text, "is", 2);
  if (op2i_cxx_is(unit, at, "abs"))
    op2i_text_add(&body->text, "fabs");
  else
    op2i_text_bytes(&body->text, word->text, (size_t)word->length);
  op2i_text_add(&body->text, all_float && !classifies ? "f (" : " (");
  op2i_cxx_words(body, at + 2, close);
  put(body, ")");
  return close + 1;
}

/* An argument of a function of the program: by its address where the parameter is a reference. */
static void argument(struct op2i_cxx_body *body, int begin, int end,
                     const struct op2i_cxx_parameter *parameter) {
  bool address = parameter->how == OP2I_CXX_REFERENCE;
  if (address) put(body, "&(");
  op2i_cxx_words(body, begin, end);
  if (address) put(body, ")");
}

static int own_call(struct op2i_cxx_body *body, int at, int end) {
  struct op2i_cxx_unit *unit = body->turn->unit;
  if (op2i_cxx_member(unit, at) || op2i_cxx_local(body, at)) return at;
  struct op2i_cxx_item *callee = op2i_cxx_find(unit, OP2I_CXX_FUNCTION, at);
  if (callee && op2i_cxx_is(unit, at + 1, "<") &&
      op2i_cxx_has(unit, callee->begin, callee->name, "template"))
    return refuse(body, "it, or what it calls, is a template or returns a reference", end);
  if (!callee || !op2i_cxx_is(unit, at + 1, "(")) return at;
  op2i_cxx_function(body->turn, callee, false);
  if (body->turn->why) return end;
  op2i_cxx_add(&body->text, unit->words[at].text, unit->words[at].length);
  put(body, "(");
  int close = unit->words[at + 1].match, given = callee->open + 1;
  for (int arg = at + 2; arg < close;) {
    int comma = op2i_cxx_comma(unit, arg, close);
    int next = op2i_cxx_comma(unit, given, callee->close);
    struct op2i_cxx_parameter parameter;
    if (given >= callee->close)
      return refuse(body, "a call has more arguments than parameters", end);
    op2i_cxx_parameter(body, given, next, &parameter);
    argument(body, arg, comma, &parameter);
    if (comma < close) put(body, ",");
    arg = comma + 1;
    given = next + 1;
  }
  put(body, ")");
  return close + 1;
}

/* A name that is not local has to be the library's, C's or one of the text. */
static int outer_name(struct op2i_cxx_body *body, int at, int end) {
  static const char *const types[] = {"signed", "void", NULL};
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const struct op2i_cxx_word *word = &unit->words[at];
  if (word->kind != OP2I_TOK_WORD || op2i_cxx_member(unit, at) || op2i_cxx_local(body, at) ||
      op2i_word_reserved(word->text, (size_t)word->length) || op2i_cxx_in(unit, at, types) ||
      op2i_cxx_in(unit, at, integers) ||
      (word->length > 10 && !strncmp(word->text, "__builtin_", 10)) ||
      op2i_cxx_is_float_math(unit, at) || body->turn->request->constant(word->text, word->length) ||
      op2i_cxx_file_name(body->turn, at))
    return at;
  static char why[160];
  snprintf(why, sizeof why, "'%.*s' is neither a constant nor a function of its file",
           word->length > 80 ? 80 : word->length, word->text);
  return refuse(body, why, end);
}

static rule *const rules[] = {
    qualified,       constant_integer, forbidden,       range_loop,    least,       named_cast,
    functional_cast, replaced,         record_declared, record_member, enumeration, braced_value,
    local_reference, reference,        math_call,       own_call,      outer_name};

void op2i_cxx_words(struct op2i_cxx_body *body, int begin, int end) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  for (int at = begin; at < end && !body->turn->why;) {
    int next = at;
    for (size_t i = 0; next == at && i < sizeof rules / sizeof *rules; i++)
      next = rules[i](body, at, end);
    if (next == at) {
      op2i_cxx_add(&body->text, unit->words[at].text, unit->words[at].length);
      next = at + 1;
    }
    at = next;
  }
}

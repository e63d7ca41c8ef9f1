/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a C++ program, and what they need from file scope, as C. */
#include <string.h>

#include "cxx_body.h"
#include "mem.h"

static void refuse(struct op2i_cxx_turn *turn, const char *why) {
  if (!turn->why) turn->why = why;
}

void op2i_cxx_parameter(struct op2i_cxx_body *body, int begin, int end,
                        struct op2i_cxx_parameter *out) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  int last = begin;
  while (last < end && !op2i_cxx_is(unit, last, "[")) last++;
  *out = (struct op2i_cxx_parameter){
      .begin = begin, .end = last - 1, .name = last - 1, .extent = last, .last = end};
  if (op2i_cxx_has(unit, begin, end, "=")) refuse(body->turn, "a parameter has a default");
  if (last - 1 <= begin || unit->words[last - 1].kind != OP2I_TOK_WORD ||
      op2i_cxx_is_number(unit, last - 1) || op2i_cxx_has(unit, begin, end, "("))
    refuse(body->turn, op2i_cxx_has(unit, begin, end, "(")
                           ? "a parameter leads to an array or a function"
                           : "a parameter has no name");
  bool pointer = op2i_cxx_has(unit, begin, last, "*");
  bool refers = op2i_cxx_has(unit, begin, last, "&");
  bool constant = op2i_cxx_has(unit, begin, last, "const");
  bool record = !pointer && op2i_cxx_record(body, begin, out->end);
  if (refers && pointer) refuse(body->turn, "a parameter is a reference to a pointer");
  if (record && !refers && !constant) refuse(body->turn, "a structure is passed by value");
  out->how = record                ? OP2I_CXX_RECORD_OF
             : refers && !constant ? OP2I_CXX_REFERENCE
                                   : OP2I_CXX_PLAIN;
}

/* True if a word, and the colons behind it, only say that a name is of the standard library. */
static bool is_std(const struct op2i_cxx_unit *unit, int at) {
  return op2i_cxx_is(unit, at, "std") && op2i_cxx_is(unit, at + 1, ":") &&
         op2i_cxx_is(unit, at + 2, ":");
}

/* The type of a parameter. The kernel's own may have to be const, and know no _Bool. */
static void type_text(struct op2i_cxx_body *body, const struct op2i_cxx_parameter *p, bool kernel,
                      bool constant) {
  static const char *const left_out[] = {"&",      "restrict", "__restrict", "__restrict__",
                                         "struct", NULL};
  const struct op2i_cxx_unit *unit = body->turn->unit;
  if (constant && !op2i_cxx_has(unit, p->begin, p->end, "const"))
    op2i_text_add(&body->text, "const ");
  for (int at = p->begin; at < p->end; at++) {
    const struct op2i_cxx_item *record = op2i_cxx_record(body, at, at + 1);
    int type = at, index;
    if (op2i_cxx_in(unit, at, left_out)) continue;
    if (is_std(unit, at)) {
      at += 2;
      continue;
    }
    if (record && p->how == OP2I_CXX_RECORD_OF) op2i_cxx_numbers(unit, record, -1, &type, &index);
    if (kernel && op2i_cxx_is(unit, at, "bool"))
      op2i_text_add(&body->text, "unsigned char ");
    else
      op2i_cxx_words(body, type, type + 1);
  }
  if (p->how != OP2I_CXX_PLAIN) op2i_text_add(&body->text, "* ");
}

/* Append one parameter and declare its name. */
static void parameter_text(struct op2i_cxx_body *body, const struct op2i_cxx_parameter *p,
                           bool kernel, char mark) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  struct op2i_cxx_name name = {.word = p->name,
                               .letter = op2i_cxx_type_letter(body, p->begin, p->end),
                               .how = p->how,
                               .record = op2i_cxx_record(body, p->begin, p->end)};
  type_text(body, p, kernel, kernel && mark == 'c');
  op2i_cxx_add(&body->text, unit->words[p->name].text, unit->words[p->name].length);
  op2i_cxx_words(body, p->extent, p->last);
  op2i_cxx_declare(body, name);
}

/* Parameters, and then the variables that stand for null ones, or only these. */
static void parameters(struct op2i_cxx_body *body, const struct op2i_cxx_item *item, bool kernel,
                       bool nulls) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const char *marks = kernel ? body->turn->request->marks : "";
  int shown = 0, n = 0;
  if (item->close == item->open + 2 && op2i_cxx_is(unit, item->open + 1, "void")) return;
  for (int at = item->open + 1; at < item->close && !body->turn->why; n++) {
    int comma = op2i_cxx_comma(unit, at, item->close);
    char mark = kernel && (size_t)n < strlen(marks) ? marks[n] : '-';
    struct op2i_cxx_parameter p;
    op2i_cxx_parameter(body, at, comma, &p);
    if (!body->turn->why && (mark == 'n') == nulls) {
      if (shown++ && !nulls) op2i_text_add(&body->text, ", ");
      parameter_text(body, &p, kernel, mark);
      if (nulls) op2i_text_add(&body->text, "= 0;\n");
    }
    at = comma + 1;
  }
}

static void result_type(struct op2i_cxx_body *body, const struct op2i_cxx_item *item) {
  static const char *const left_out[] = {"inline", "static",     "constexpr",
                                         "extern", "__inline__", NULL};
  const struct op2i_cxx_unit *unit = body->turn->unit;
  for (int at = item->begin; at < item->name; at++) {
    if (op2i_cxx_is(unit, at, "&") || op2i_cxx_is(unit, at, "template"))
      refuse(body->turn, "it, or what it calls, is a template or returns a reference");
    bool linkage = unit->words[at].kind == OP2I_TOK_STRING; /* extern "C" */
    if (is_std(unit, at))
      at += 2;
    else if (!linkage && !op2i_cxx_in(unit, at, left_out))
      op2i_cxx_words(body, at, at + 1);
  }
}

/* Append the function to what is finished, behind all that it calls. */
static void finish(struct op2i_cxx_body *body) {
  if (!body->turn->why)
    op2i_text_bytes(body->turn->out, body->text.chars ? body->text.chars : "", body->text.length);
  if (body->text.failed) refuse(body->turn, "memory is lacking");
  op2i_text_free(&body->text);
  op2i_free(body->names);
}

static bool overloaded(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *item) {
  int found = 0;
  for (int64_t i = 0; i < unit->nitems; i++)
    found += unit->items[i].kind == OP2I_CXX_FUNCTION && unit->items[i].name >= 0 &&
             op2i_cxx_same(unit, unit->items[i].name, item->name);
  return found > 1;
}

void op2i_cxx_function(struct op2i_cxx_turn *turn, struct op2i_cxx_item *item, bool kernel) {
  struct op2i_cxx_body body = {.turn = turn};
  const struct op2i_cxx_unit *unit = turn->unit;
  if (item->emitted) return;
  item->emitted = true;
  if (overloaded(unit, item)) refuse(turn, "it, or what it calls, is overloaded");
  if (++turn->depth > 32) refuse(turn, "its calls are too deep");
  if (!kernel) op2i_text_add(&body.text, "static inline ");
  if (op2i_cxx_is_lambda(unit, item))
    op2i_text_add(&body.text, "void ");
  else
    result_type(&body, item);
  if (kernel)
    op2i_text_add(&body.text, "%s (", turn->request->kernel);
  else
    op2i_text_add(&body.text, "%.*s (", unit->words[item->name].length,
                  unit->words[item->name].text);
  parameters(&body, item, kernel, false);
  op2i_text_add(&body.text, ") {\n");
  parameters(&body, item, kernel, true);
  int end = unit->words[item->body].match;
  if (!turn->why && op2i_cxx_declare_all(&body, item->body + 1, end))
    op2i_cxx_words(&body, item->body + 1, end);
  op2i_text_add(&body.text, "}\n");
  turn->depth--;
  finish(&body);
}

/* ---- other names of file scope --------------------------------------------------------------- */

static void enumeration_text(struct op2i_cxx_body *body, const struct op2i_cxx_item *item) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  int brace = item->begin, colon = item->begin;
  while (brace < item->end && !op2i_cxx_is(unit, brace, "{")) brace++;
  while (colon < brace && !op2i_cxx_is(unit, colon, ":")) colon++; /* the type behind it is C23 */
  for (int at = item->begin; at < item->end; at++)
    if (at < colon || at >= brace)
      op2i_cxx_add(&body->text, unit->words[at].text, unit->words[at].length);
}

/* using name = type; */
static void alias_text(struct op2i_cxx_body *body, const struct op2i_cxx_item *item) {
  const struct op2i_cxx_word *name = &body->turn->unit->words[item->name];
  op2i_text_add(&body->text, "typedef ");
  op2i_cxx_words(body, item->name + 2, item->end - 1);
  op2i_text_add(&body->text, "%.*s;\n", name->length, name->text);
}

/* A constant or a type. Integers become enumerators, which may be the extents of arrays in C, too. */
static void named_text(struct op2i_cxx_body *body, const struct op2i_cxx_item *item) {
  const struct op2i_cxx_unit *unit = body->turn->unit;
  const struct op2i_cxx_word *name = &unit->words[item->name];
  bool type = op2i_cxx_is(unit, item->begin, "typedef");
  bool integer = !type && op2i_cxx_is(unit, item->name - 1, "int") &&
                 op2i_cxx_is(unit, item->name + 1, "=") &&
                 op2i_cxx_comma(unit, item->name, item->end) == item->end;
  if (integer) {
    op2i_text_add(&body->text, "enum { %.*s ", name->length, name->text);
    op2i_cxx_words(body, item->name + 1, item->end - 1);
    op2i_text_add(&body->text, "};\n");
    return;
  }
  int at = item->begin + (type || op2i_cxx_is(unit, item->begin, "static"));
  op2i_text_add(&body->text, type ? "typedef " : "static ");
  op2i_cxx_words(body, at, item->name);
  op2i_cxx_add(&body->text, name->text, name->length);
  op2i_cxx_words(body, item->name + 1, item->end);
}

static void declaration(struct op2i_cxx_turn *turn, struct op2i_cxx_item *item) {
  struct op2i_cxx_body body = {.turn = turn};
  if (item->emitted) return;
  item->emitted = true;
  if (op2i_cxx_is(turn->unit, item->begin, "enum"))
    enumeration_text(&body, item);
  else if (op2i_cxx_is(turn->unit, item->begin, "using"))
    alias_text(&body, item);
  else
    named_text(&body, item);
  finish(&body);
}

/* A structure as a type of C. */
static void record(struct op2i_cxx_turn *turn, struct op2i_cxx_item *item) {
  struct op2i_cxx_body body = {.turn = turn};
  const struct op2i_cxx_unit *unit = turn->unit;
  const struct op2i_cxx_word *name = &unit->words[item->name];
  int close = unit->words[item->body].match;
  if (item->emitted) return;
  item->emitted = true;
  if (op2i_cxx_is(unit, item->begin, "enum")) refuse(turn, "it has an enumeration with a scope");
  if (op2i_cxx_has(unit, item->body, close, "(") || op2i_cxx_has(unit, item->body, close, "="))
    refuse(turn, "a structure has more than members");
  op2i_cxx_declare_all(&body, item->body + 1, close);
  op2i_text_add(&body.text, "typedef struct %.*s {\n", name->length, name->text);
  op2i_cxx_words(&body, item->body + 1, close);
  op2i_text_add(&body.text, "} %.*s;\n", name->length, name->text);
  finish(&body);
}

static struct op2i_cxx_item *enumeration(const struct op2i_cxx_unit *unit, int at) {
  for (int64_t i = 0; i < unit->nitems; i++) {
    struct op2i_cxx_item *item = &unit->items[i];
    if (item->kind != OP2I_CXX_OTHER || !op2i_cxx_is(unit, item->begin, "enum")) continue;
    for (int k = item->begin + 1; k < item->end; k++)
      if (op2i_cxx_same(unit, k, at)) return item;
  }
  return NULL;
}

/* The declaration of several names that has this one behind the first. */
static struct op2i_cxx_item *listed(const struct op2i_cxx_unit *unit, int at) {
  for (int64_t i = 0; i < unit->nitems; i++) {
    struct op2i_cxx_item *item = &unit->items[i];
    if (item->kind != OP2I_CXX_OTHER || item->name < 0) continue;
    for (int comma = op2i_cxx_comma(unit, item->name, item->end); comma < item->end;
         comma = op2i_cxx_comma(unit, comma + 1, item->end))
      if (op2i_cxx_same(unit, comma + 1, at)) return item;
  }
  return NULL;
}

bool op2i_cxx_file_name(struct op2i_cxx_turn *turn, int at) {
  const struct op2i_cxx_unit *unit = turn->unit;
  struct op2i_cxx_item *item = op2i_cxx_find(unit, OP2I_CXX_RECORD, at);
  if (item) {
    record(turn, item);
    return true;
  }
  if ((item = enumeration(unit, at))) {
    declaration(turn, item);
    return true;
  }
  if (!(item = op2i_cxx_find(unit, OP2I_CXX_OTHER, at)) && !(item = listed(unit, at))) return false;
  bool type = op2i_cxx_alias(unit, at) != NULL;
  bool constant = op2i_cxx_has(unit, item->begin, item->name, "const") ||
                  op2i_cxx_has(unit, item->begin, item->name, "constexpr");
  if (!type && !(constant && op2i_cxx_has(unit, item->begin, item->end, "="))) return false;
  declaration(turn, item);
  return true;
}

const char *op2i_cxx_translate(struct op2i_cxx_unit *unit, const struct op2i_cxx_request *request,
                               struct op2i_text *out) {
  struct op2i_cxx_turn turn = {.unit = unit, .request = request, .out = out};
  size_t length = strlen(request->kernel);
  for (int64_t i = 0; i < unit->nitems; i++) unit->items[i].emitted = false;
  if (request->given) {
    request->given->emitted = false;
    op2i_cxx_function(&turn, request->given, true);
    return turn.why;
  }
  for (int64_t i = 0; i < unit->nitems; i++) {
    struct op2i_cxx_item *item = &unit->items[i];
    if (item->kind != OP2I_CXX_FUNCTION || item->name < 0) continue;
    const struct op2i_cxx_word *name = &unit->words[item->name];
    if ((size_t)name->length != length || memcmp(name->text, request->kernel, length)) continue;
    op2i_cxx_function(&turn, item, true);
    return turn.why;
  }
  return "its text was not found";
}

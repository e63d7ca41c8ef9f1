/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a unit's kernels, and of what they call, in C++ and under other names: op2-c++ puts them
 * behind the unit and has them compiled without contraction. */
#include <stdio.h>
#include <string.h>

#include "cxx.h"
#include "mem.h"

/* A copy of the function f is called COPY_OF f. */
#define COPY_OF "op2_compat_copy_of_"

/* A kernel that has a copy. */
struct kernel {
  struct op2i_cxx_item item;
  int given; /* the name that op2::kernel gets, or -1 for a kernel of op_par_loop() */
};

struct copies {
  struct op2i_cxx_unit *unit;
  const char *const *left_out; /* names of functions that cannot be copied; null-terminated */
  struct op2i_text *out;
  bool *needed;  /* [nitems] what some kernel needs */
  bool *reached; /* [nitems] what the kernel needs that is looked at */
  struct kernel *kernels;
  int64_t nkernels, capacity;
  bool failed; /* memory is lacking */
};

static bool is_template(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *item) {
  return op2i_cxx_has(unit, item->begin, item->name, "template");
}

/* Members that are defined outside of their class are no functions that a copy can stand beside. */
static bool can_be_copied(const struct copies *c, const struct op2i_cxx_item *item) {
  const struct op2i_cxx_unit *unit = c->unit;
  bool begins = item->name == item->begin;
  return !begins && !op2i_cxx_is(unit, item->name, "main") &&
         !op2i_cxx_is(unit, item->name - 1, ":") && !op2i_cxx_is(unit, item->name - 1, "~") &&
         !op2i_cxx_has(unit, item->begin, item->name, "operator") &&
         !op2i_cxx_in(unit, item->name, c->left_out);
}

/* Whether a word names functions of the unit, by the first of them. */
static struct op2i_cxx_item *callee(const struct op2i_cxx_unit *unit, int at) {
  bool word = unit->words[at].kind == OP2I_TOK_WORD && !op2i_cxx_member(unit, at);
  return word ? op2i_cxx_find(unit, OP2I_CXX_FUNCTION, at) : NULL;
}

static bool reach(struct copies *c, int64_t i);

/* Reach all that words name, with all overloads. False if something has no copy. */
static bool reach_words(struct copies *c, int begin, int end) {
  struct op2i_cxx_unit *unit = c->unit;
  for (int at = begin; at < end; at++) {
    if (!callee(unit, at)) continue;
    for (int64_t k = 0; k < unit->nitems; k++)
      if (unit->items[k].kind == OP2I_CXX_FUNCTION && unit->items[k].name >= 0 &&
          op2i_cxx_same(unit, unit->items[k].name, at) && !reach(c, k))
        return false;
  }
  return true;
}

/* Reach a function and all that it needs. */
static bool reach(struct copies *c, int64_t i) {
  const struct op2i_cxx_item *item = &c->unit->items[i];
  if (c->reached[i]) return true;
  c->reached[i] = true;
  return can_be_copied(c, item) && reach_words(c, item->begin, item->end);
}

/* The name of the copy of a lambda, which is the only one at its word. */
enum { LAMBDA_NAME = 32 };
static const char *lambda_name(const struct op2i_cxx_item *lambda, char name[LAMBDA_NAME]) {
  snprintf(name, LAMBDA_NAME, "lambda_%d", lambda->begin);
  return name;
}

static bool is_left_out(const struct copies *c, const char *name) {
  for (const char *const *out = c->left_out; *out; out++)
    if (!strcmp(*out, name)) return true;
  return false;
}

/* Note a kernel and what it needs, unless something of this cannot be copied. */
static void take(struct copies *c, const struct op2i_cxx_item *item, int given) {
  size_t n = (size_t)c->unit->nitems;
  char name[LAMBDA_NAME];
  bool lambda = op2i_cxx_is_lambda(c->unit, item);
  memset(c->reached, 0, n * sizeof *c->reached);
  if (lambda && is_left_out(c, lambda_name(item, name))) return;
  if (!lambda && is_template(c->unit, item)) return;
  if (!lambda && !can_be_copied(c, item)) return;
  if (!reach_words(c, item->begin, item->end)) return;
  for (size_t k = 0; k < n; k++) c->needed[k] |= c->reached[k];
  for (int64_t k = 0; k < c->nkernels; k++)
    if (c->kernels[k].item.begin == item->begin && (c->kernels[k].given < 0) == (given < 0)) return;
  c->failed |= op2i_grow(&c->kernels, sizeof *c->kernels, c->nkernels, &c->capacity) != 0;
  if (!c->failed) c->kernels[c->nkernels++] = (struct kernel){*item, given};
}

/* The word that names the kernel in the call that op_par_loop() becomes, whose name is at `at`; or
 * -1. */
static int kernel_of_call(const struct op2i_cxx_unit *unit, int at) {
  static const char *const before[] = {"(", "&", NULL};
  if (!op2i_cxx_is(unit, at, "op2_compat_par_loop") || !op2i_cxx_is(unit, at + 1, "(")) return -1;
  int name = op2i_cxx_comma(unit, at + 2, unit->words[at + 1].match) + 1;
  while (name < unit->nwords && op2i_cxx_in(unit, name, before)) name++;
  if (unit->words[name].kind != OP2I_TOK_WORD) return -1;
  return op2i_cxx_is(unit, name + 1, ",") || op2i_cxx_is(unit, name + 1, ")") ? name : -1;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Append words as they stand, with the names of copies. */
static void copy_words(const struct copies *c, int begin, int end) {
  const struct op2i_cxx_unit *unit = c->unit;
  for (int at = begin; at < end; at++) {
    const struct op2i_cxx_word *w = &unit->words[at];
    const struct op2i_cxx_item *function = callee(unit, at);
    const char *last = at + 1 < end ? unit->words[at + 1].text : w->text + w->length;
    if (function && c->needed[function - unit->items]) op2i_text_add(c->out, COPY_OF);
    op2i_text_bytes(c->out, w->text, (size_t)(last - w->text));
  }
}

/* Open the namespaces of an item and one without a name, or close them. */
static void spaces(const struct copies *c, const struct op2i_cxx_item *item, bool open) {
  int space = item->space;
  if (space >= 0 && open) spaces(c, &c->unit->items[space], open);
  if (space >= 0) {
    const struct op2i_cxx_item *of = &c->unit->items[space];
    if (open) copy_words(c, of->begin, of->body + 1);
    op2i_text_add(c->out, open ? "\n" : "}\n");
  }
  if (space >= 0 && !open) spaces(c, &c->unit->items[space], open);
}

/* The first word of a function behind what says how it is linked. */
static int behind_linkage(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *item) {
  int at = item->begin;
  for (;; at++)
    if (op2i_cxx_is(unit, at, "extern"))
      at += unit->words[at + 1].kind == OP2I_TOK_STRING;
    else if (!op2i_cxx_is(unit, at, "static"))
      return at;
}

/* Append a function, or its declaration. Messages of the compiler name it as a file; the 3 says that
 * this is a header of the system, for which there are no warnings. */
static void copy_function(const struct copies *c, const struct op2i_cxx_item *item, bool declared) {
  const struct op2i_cxx_unit *unit = c->unit;
  const struct op2i_cxx_word *name = &unit->words[item->name];
  op2i_text_add(c->out, "# 1 \"op2-c++ copy of %.*s\" 3\n", name->length, name->text);
  spaces(c, item, true);
  op2i_text_add(c->out, "namespace {\n");
  copy_words(c, behind_linkage(unit, item), declared ? item->body : item->end);
  op2i_text_add(c->out, declared ? ";\n}\n" : "\n}\n");
  spaces(c, item, false);
}

/* Append a lambda as a function. */
static void copy_lambda(const struct copies *c, const struct op2i_cxx_item *lambda) {
  char name[LAMBDA_NAME];
  lambda_name(lambda, name);
  op2i_text_add(c->out, "# 1 \"op2-c++ copy of %s\" 3\nnamespace {\nvoid " COPY_OF "%s", name,
                name);
  copy_words(c, lambda->open, lambda->close + 1);
  op2i_text_add(c->out, " ");
  copy_words(c, lambda->body, lambda->end);
  op2i_text_add(c->out, "\n}\n");
}

/* False where a declaration cannot come before the function: of a type that its body gives, with
 * values of parameters, and of a template. */
static bool is_declarable(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *item) {
  return !is_template(unit, item) && !op2i_cxx_has(unit, item->begin, item->body, "=") &&
         !op2i_cxx_has(unit, item->begin, item->body, "auto");
}

static void path(const struct copies *c, int space) {
  if (space < 0) return;
  const struct op2i_cxx_item *item = &c->unit->items[space];
  path(c, item->space);
  if (item->name < 0) return;
  copy_words(c, item->begin + 1 + op2i_cxx_is(c->unit, item->begin, "inline"), item->body);
  op2i_text_add(c->out, "::");
}

/* A line of the table of copies. */
static void copy_entry(const struct copies *c, const struct kernel *kernel) {
  const struct op2i_cxx_item *item = &kernel->item;
  const struct op2i_cxx_word *name = &c->unit->words[item->name];
  char lambda[LAMBDA_NAME];
  if (kernel->given < 0) {
    op2i_text_add(c->out, "    {\"%.*s\"", name->length, name->text);
  } else {
    const struct op2i_cxx_word *given = &c->unit->words[kernel->given];
    op2i_text_add(c->out, "    {\"=%.*s", given->length - 1, given->text + 1);
  }
  op2i_text_add(c->out, ", reinterpret_cast<void (*)(void)>(&::");
  if (op2i_cxx_is_lambda(c->unit, item)) {
    op2i_text_add(c->out, COPY_OF "%s)},\n", lambda_name(item, lambda));
    return;
  }
  path(c, item->space);
  op2i_text_add(c->out, COPY_OF "%.*s)},\n", name->length, name->text);
}

/* The function that the library asks for copies. */
static void copy_table(const struct copies *c) {
  op2i_text_add(c->out,
                "# 1 \"op2-c++ copies\" 3\n"
                "static void (*op2_compat_copies(const char *kernel))(void) {\n"
                "  static const struct { const char *name; void (*function)(void); } list[] = {\n");
  for (int64_t i = 0; i < c->nkernels; i++) copy_entry(c, &c->kernels[i]);
  op2i_text_add(c->out,
                "    {nullptr, nullptr}};\n"
                "  for (int i = 0; list[i].name; i++)\n"
                "    if (!__builtin_strcmp(list[i].name, kernel)) return list[i].function;\n"
                "  return nullptr;\n"
                "}\n");
}

/* Take all kernels of the unit. */
static void take_all(struct copies *c) {
  struct op2i_cxx_unit *unit = c->unit;
  struct op2i_cxx_item item;
  for (int at = 0; at < unit->nwords && !c->failed; at++) {
    int name = kernel_of_call(unit, at);
    const struct op2i_cxx_item *kernel = name < 0 ? NULL : op2i_cxx_only(unit, name);
    if (kernel) take(c, kernel, -1);
    if (op2i_cxx_given_at(unit, at, &item)) take(c, &item, at);
  }
}

bool op2i_cxx_copy(struct op2i_cxx_unit *unit, const char *const *left_out, struct op2i_text *out) {
  size_t n = (size_t)unit->nitems + 1;
  struct copies c = {.unit = unit, .left_out = left_out, .out = out};
  c.needed = op2i_calloc(n, sizeof *c.needed);
  c.reached = op2i_calloc(n, sizeof *c.reached);
  c.failed = !c.needed || !c.reached;
  if (!c.failed) take_all(&c);
  for (int declared = 1; declared >= 0 && !c.failed; declared--)
    for (int64_t i = 0; i < unit->nitems; i++)
      if (c.needed[i] && (!declared || is_declarable(unit, &unit->items[i])))
        copy_function(&c, &unit->items[i], declared);
  for (int64_t i = 0; i < c.nkernels && !c.failed; i++)
    if (op2i_cxx_is_lambda(unit, &c.kernels[i].item)) copy_lambda(&c, &c.kernels[i].item);
  if (!c.failed) copy_table(&c);
  op2i_free(c.needed);
  op2i_free(c.reached);
  op2i_free(c.kernels);
  return !c.failed && !out->failed;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives a source's names others where they mean something else in the language of the text. */
#include "rename.h"

#include <ctype.h>
#include <string.h>

#include "longs.h"

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool is_any(const char *word, size_t length, const char *const *list) {
  while (*list && !(strlen(*list) == length && memcmp(*list, word, length) == 0)) list++;
  return *list != NULL;
}

bool op2i_rename_operator(const struct op2i_rewrite *r, const char *word, size_t length) {
  static const char *const operators[] = {"and",      "and_eq", "bitand", "bitor", "compl",
                                          "decltype", "not",    "not_eq", "or",    "or_eq",
                                          "xor",      "xor_eq", NULL};
  return r->operators && is_any(word, length, operators);
}

/* ---- names at file scope --------------------------------------------------------------------- */

static bool by_macros(const struct op2i_rewrite *r) { return r->renames && !r->mergeable; }

/* True if the source only declares the function of this name, and does not define it. */
static bool foreign(const struct op2i_rewrite *r, const struct op2i_name *name) {
  const struct op2i_unit *unit = &r->unit;
  if (op2i_names_find(&unit->functions, name->word, name->length) >= 0) return false;
  for (int i = 0; i < unit->nitems; i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind != OP2I_ITEM_PROTOTYPE) continue;
    const struct op2i_token *t = &unit->tokens.list[unit->code[item->name]];
    if (t->end - t->begin == name->length &&
        memcmp(unit->tokens.text + t->begin, name->word, name->length) == 0)
      return true;
  }
  return false;
}

/* The tag that the source defines at index `at` of its code, outside of functions. */
static bool defines_tag(const struct op2i_rewrite *r, int at, struct op2i_name *name) {
  const struct op2i_unit *unit = &r->unit;
  const struct op2i_token *t = &unit->tokens.list[unit->code[at]];
  if (at == 0 || !op2i_unit_word(unit, at) || !op2i_unit_is(unit, at + 1, "{")) return false;
  if (!op2i_unit_is(unit, at - 1, "struct") && !op2i_unit_is(unit, at - 1, "union") &&
      !op2i_unit_is(unit, at - 1, "enum"))
    return false;
  *name = (struct op2i_name){.word = unit->tokens.text + t->begin, .length = t->end - t->begin};
  return true;
}

/* Begin or end the macro of a name; one that was there before, of a word, is there again behind. */
static void write_macro(const struct op2i_rewrite *r, const struct op2i_name *name, bool begins,
                        struct op2i_text *out) {
  if (op2i_rename_operator(r, name->word, name->length) || foreign(r, name)) return;
  if (begins) op2i_text_add(out, "#pragma push_macro(\"%.*s\")\n", (int)name->length, name->word);
  op2i_text_add(out, "#undef %.*s\n", (int)name->length, name->word);
  if (!begins)
    op2i_text_add(out, "#pragma pop_macro(\"%.*s\")\n", (int)name->length, name->word);
  else
    op2i_text_add(out, "#define %.*s " OP2I_FUNCTION_PREFIX "%s%.*s\n", (int)name->length,
                  name->word, r->prefix, (int)name->length, name->word);
}

/* Functions, other things, and tags. */
static void write_macros(const struct op2i_rewrite *r, bool begins, struct op2i_text *out) {
  const struct op2i_unit *unit = &r->unit;
  struct op2i_name tag;
  if (!by_macros(r)) return;
  for (int64_t i = 0; i < unit->functions.count; i++)
    write_macro(r, &unit->functions.list[i], begins, out);
  for (int64_t i = 0; i < unit->declared.count; i++) {
    const struct op2i_name *name = &unit->declared.list[i];
    if (op2i_names_find(&unit->functions, name->word, name->length) < 0)
      write_macro(r, name, begins, out);
  }
  for (int i = 0; i < unit->nitems; i++)
    for (int at = unit->items[i].begin; at < unit->items[i].end; at++)
      if (unit->items[i].kind == OP2I_ITEM_OTHER && defines_tag(r, at, &tag))
        write_macro(r, &tag, begins, out);
}

void op2i_rewrite_define(const struct op2i_rewrite *r, struct op2i_text *out) {
  write_macros(r, true, out);
}

void op2i_rewrite_undefine(const struct op2i_rewrite *r, struct op2i_text *out) {
  write_macros(r, false, out);
}

void op2i_rename_type(const struct op2i_rewrite *r, const char *text, struct op2i_text *out) {
  for (size_t at = 0, n; text[at]; at += n) {
    struct op2i_name name = {.word = text + at};
    for (n = is_word(text[at]) ? 0 : 1; is_word(text[at + n]) && is_word(text[at]);) n++;
    name.length = n;
    if (by_macros(r) && is_word(text[at]) && !foreign(r, &name) &&
        op2i_names_find(&r->unit.declared, name.word, n) >= 0)
      op2i_text_add(out, OP2I_FUNCTION_PREFIX "%s", r->prefix);
    op2i_text_bytes(out, text + at, n);
  }
}

void op2i_rewrite_kernel_name(const struct op2i_rewrite *r, struct op2i_text *out) {
  const char *name = r->member.kernel->obj.name;
  bool is_operator = op2i_rename_operator(r, name, strlen(name));
  bool wrapped = r->mergeable || (r->renames && !is_operator);
  op2i_text_add(out, wrapped ? "OP2_NAME(%s%s%s)" : "%.0s%s%s", r->prefix,
                is_operator ? OP2I_WORD_PREFIX : "", name);
}

/* ---- preprocessor lines ---------------------------------------------------------------------- */

struct line {
  const struct op2i_rewrite *r;
  struct op2i_text *out;
  bool *behind;
  const char *text;
  size_t length;
  bool condition; /* the line is #if or #elif */
  bool subject;   /* the next word is a name that the line defines, undefines or asks for */
  bool defines;   /* the next word is the name of a macro */
  int nwords;
  const char *name; /* #define: the macro, followed by its parameters or its body */
  size_t name_length, body;
};

static void copy(const struct line *l, const char *text, size_t length) {
  if (l->r->longs)
    op2i_longs_add(l->out, text, length, l->behind);
  else
    op2i_text_bytes(l->out, text, length);
}

/* True if the name is to follow the function or the other thing of this name. */
static bool follows_name(const struct line *l, const char *word, size_t length) {
  const struct op2i_unit *unit = &l->r->unit;
  const struct op2i_name name = {.word = word, .length = length};
  return l->subject && by_macros(l->r) && !foreign(l->r, &name) &&
         (op2i_names_find(&unit->functions, word, length) >= 0 ||
          op2i_names_find(&unit->declared, word, length) >= 0);
}

/* Take note of the name that a #define begins with. */
static void note_name(struct line *l, size_t at, size_t length) {
  l->name = l->text + at;
  l->name_length = length;
  l->body = at + length;
  if (l->body < l->length && l->text[l->body] == '(')
    while (l->body < l->length && l->text[l->body] != ')') l->body++;
}

static bool is_parameter(const struct line *l, const char *word, size_t length) {
  for (const char *at = l->name + l->name_length; at + length < l->text + l->body; at++)
    if (!is_word(at[0]) && memcmp(at + 1, word, length) == 0 && !is_word(at[1 + length]))
      return true;
  return false;
}

/* True for a member's name, and for a word that # or ## makes another one of. */
static bool is_joined(const struct line *l, size_t at, size_t length) {
  size_t before = at, behind = at + length;
  while (before > 0 && isspace((unsigned char)l->text[before - 1])) before--;
  while (behind < l->length && isspace((unsigned char)l->text[behind])) behind++;
  char last = before > 0 ? l->text[before - 1] : '\0';
  return last == '.' || last == '#' || (last == '>' && before > 1 && l->text[before - 2] == '-') ||
         (behind < l->length && l->text[behind] == '#');
}

/* A word of a macro's body: the name of a function that takes the constants, or that of the macro
 * itself, which is not replaced again and so is the constant. Returns true if it has been written. */
static bool body_word(const struct line *l, size_t at, size_t length) {
  const char *word = l->text + at;
  const struct op2i_rewrite *r = l->r;
  if (!l->name || at < l->body || is_parameter(l, word, length) || is_joined(l, at, length))
    return false;
  bool itself = length == l->name_length && memcmp(word, l->name, length) == 0;
  for (int c = 0; itself && c < r->member.nconsts; c++)
    if (strlen(r->consts[c].name) == length && memcmp(r->consts[c].name, word, length) == 0) {
      op2i_rewrite_read(r, &r->consts[c], l->out);
      return true;
    }
  if (!op2i_rewrite_called(r, word, length)) return false;
  op2i_text_add(l->out, OP2I_CALL_PREFIX "%s%.*s", r->prefix, (int)length, word);
  return true;
}

static void one_word(struct line *l, size_t at, size_t length) {
  static const char *const names[] = {"define", "undef", "ifdef", "ifndef", NULL};
  static const char *const conditions[] = {"if", "elif", NULL};
  static const char *const defined[] = {"defined", NULL};
  const char *word = l->text + at;
  if (op2i_rename_operator(l->r, word, length))
    op2i_text_add(l->out, OP2I_WORD_PREFIX "%.*s", (int)length, word);
  else if (follows_name(l, word, length))
    op2i_text_add(l->out, OP2I_FUNCTION_PREFIX "%s%.*s", l->r->prefix, (int)length, word);
  else if (!body_word(l, at, length))
    copy(l, word, length);
  if (l->defines) note_name(l, at, length);
  l->condition |= l->nwords == 0 && is_any(word, length, conditions);
  l->subject = (l->nwords == 0 && is_any(word, length, names)) ||
               (l->condition && is_any(word, length, defined));
  l->defines = l->nwords == 0 && is_any(word, length, names) && *word == 'd';
  l->nwords++;
}

/* The length of the string or character constant that begins here. */
static size_t quoted(const char *text, size_t length) {
  size_t n = 1;
  while (n < length && text[n] != text[0]) n += text[n] == '\\' && n + 1 < length ? 2 : 1;
  return n < length ? n + 1 : length;
}

static bool verbatim(const char *line, size_t length) {
  static const char *const kinds[] = {"include", "pragma", "error", "warning", "line", NULL};
  size_t begin = 0, end;
  while (begin < length && !is_word(line[begin])) begin++;
  for (end = begin; end < length && is_word(line[end]);) end++;
  return is_any(line + begin, end - begin, kinds);
}

void op2i_rename_directive(const struct op2i_rewrite *r, const char *line, size_t length,
                           bool *behind, struct op2i_text *out) {
  struct line l = {.r = r, .out = out, .behind = behind, .text = line, .length = length};
  if (verbatim(line, length) || !(r->operators || by_macros(r) || r->macros.list.count)) {
    copy(&l, line, length);
    return;
  }
  for (size_t at = 0, n; at < length; at += n) {
    n = line[at] == '"' || line[at] == '\'' ? quoted(line + at, length - at) : 0;
    while (n == 0 || (is_word(line[at]) && at + n < length && is_word(line[at + n]))) n++;
    if (is_word(line[at]) && !isdigit((unsigned char)line[at]))
      one_word(&l, at, n);
    else
      copy(&l, line + at, n);
  }
}

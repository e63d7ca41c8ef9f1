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
  static const char *const operators[] = {"and",    "and_eq", "bitand", "bitor", "compl",  "not",
                                          "not_eq", "or",     "or_eq",  "xor",   "xor_eq", NULL};
  return r->operators && is_any(word, length, operators);
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool by_macros(const struct op2i_rewrite *r) { return r->renames && !r->mergeable; }

static bool each_function(const struct op2i_rewrite *r, int64_t i, struct op2i_name *function) {
  const struct op2i_names *functions = &r->unit.functions;
  if (!by_macros(r) || i == functions->count) return false;
  *function = functions->list[i];
  return true;
}

void op2i_rewrite_define(const struct op2i_rewrite *r, struct op2i_text *out) {
  struct op2i_name f;
  for (int64_t i = 0; each_function(r, i, &f); i++)
    if (!op2i_rename_operator(r, f.word, f.length))
      op2i_text_add(out, "#undef %.*s\n#define %.*s " OP2I_FUNCTION_PREFIX "%s%.*s\n",
                    (int)f.length, f.word, (int)f.length, f.word, r->prefix, (int)f.length, f.word);
}

void op2i_rewrite_undefine(const struct op2i_rewrite *r, struct op2i_text *out) {
  struct op2i_name f;
  for (int64_t i = 0; each_function(r, i, &f); i++)
    if (!op2i_rename_operator(r, f.word, f.length))
      op2i_text_add(out, "#undef %.*s\n", (int)f.length, f.word);
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

static bool follows_function(const struct line *l, const char *word, size_t length) {
  return l->subject && by_macros(l->r) && op2i_names_find(&l->r->unit.functions, word, length) >= 0;
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
  else if (follows_function(l, word, length))
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds faults in a kernel that no compiler reports and that do harm as soon as elements are
 * computed concurrently: variables that keep values from one call to the next, arguments that are
 * read though they may only be added to, and slots that the map may not have. Only what is certain
 * from the tokens is noted; the checked mode finds the rest. */
#include <stdlib.h>
#include <string.h>

#include "conditional.h"
#include "signature.h"
#include "unit.h"

static bool is_any(const struct op2i_unit *unit, int at, const char *const *words) {
  for (; *words; words++)
    if (op2i_unit_is(unit, at, *words)) return true;
  return false;
}

static const char *const changes[] = {
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "=", NULL};

/* The position after the brackets [..] that follow `at`; counts them in *n. */
static int behind_indices(const struct op2i_unit *unit, int at, int *n) {
  for (at++; op2i_unit_is(unit, at, "["); at = unit->match[at] + 1) ++*n;
  return at;
}

/* ---- state ----------------------------------------------------------------------------------- */

static bool spelled_alike(const struct op2i_unit *unit, int a, int b) {
  return op2i_token_same(&unit->tokens, unit->code[a], unit->code[b]);
}

static bool changed(const struct op2i_unit *unit, int name, int from, int to, bool file) {
  for (int p = from; p < to; p++) {
    int indices = 0;
    if (p == name || !op2i_unit_word(unit, p) || !spelled_alike(unit, p, name)) continue;
    if (op2i_unit_is(unit, p - 1, ".") || op2i_unit_is(unit, p - 1, "->")) continue;
    if (file && unit->roles[unit->code[p]] != OP2I_ROLE_FILE) continue;
    if (op2i_unit_is(unit, p - 1, "++") || op2i_unit_is(unit, p - 1, "--") ||
        is_any(unit, behind_indices(unit, p, &indices), changes))
      return true;
  }
  return false;
}

/* The name that a declaration of a variable at `at` declares first, unless it is constant. */
static int variable(const struct op2i_unit *unit, int at, int end) {
  static const char *const behind[] = {"=", ";", ",", "[", NULL};
  for (int p = at; p < end; p++) {
    if (op2i_unit_is(unit, p, "const") || op2i_unit_is(unit, p, "(")) return -1;
    if (op2i_unit_word(unit, p) && is_any(unit, p + 1, behind)) return p;
    if (is_any(unit, p, behind)) return -1;
  }
  return -1;
}

static void note_state(const struct op2i_unit *unit, int name, struct op2i_signature *out) {
  const struct op2i_token *t = &unit->tokens.list[unit->code[name]];
  size_t length = t->end - t->begin;
  if (out->state_line) return;
  if (length >= sizeof out->state) length = sizeof out->state - 1;
  memcpy(out->state, unit->tokens.text + t->begin, length);
  out->state[length] = '\0';
  out->state_line = t->line;
}

static void find_state(const struct op2i_unit *unit, struct op2i_signature *out) {
  for (int i = 0; i < unit->nitems; i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind == OP2I_ITEM_OTHER && !op2i_unit_is(unit, item->begin, "typedef")) {
      int name = variable(unit, item->begin, item->end);
      for (int f = i + 1; name >= 0 && f < unit->nitems; f++)
        if (unit->items[f].kind == OP2I_ITEM_FUNCTION &&
            changed(unit, name, unit->items[f].body, unit->items[f].end, true))
          note_state(unit, name, out);
    }
    if (item->kind != OP2I_ITEM_FUNCTION) continue;
    for (int p = item->body; p < item->end; p++) {
      int name = op2i_unit_is(unit, p, "static") ? variable(unit, p + 1, item->end) : -1;
      if (name >= 0 && changed(unit, name, name, item->end, false)) note_state(unit, name, out);
    }
  }
}

/* ---- arguments that the kernel reads --------------------------------------------------------- */

/* A use of a parameter's values. */
struct use {
  int begin, end; /* the lvalue's tokens: *, name, indices, parentheses around them */
  int levels;     /* pointer levels that it dereferences */
};

static struct use use_at(const struct op2i_unit *unit, int at) {
  struct use use = {.begin = at};
  static const char *const operands[] = {")", "]", NULL};
  use.end = behind_indices(unit, at, &use.levels);
  while (use.begin > 0 && op2i_unit_is(unit, use.begin - 1, "*")) {
    const struct op2i_token *before = &unit->tokens.list[unit->code[use.begin - 2]];
    bool operand = before->kind == OP2I_TOK_NUMBER || op2i_unit_word(unit, use.begin - 2) ||
                   is_any(unit, use.begin - 2, operands);
    if (operand) break; /* it multiplies */
    use.begin--;
    use.levels++;
  }
  while (op2i_unit_is(unit, use.end, ")") && unit->match[use.end] == use.begin - 1) {
    use.begin--;
    use.end++;
  }
  return use;
}

static int statement_begin(const struct op2i_unit *unit, int at) {
  static const char *const ends[] = {";", "{", "}", NULL};
  while (at > 0 && !is_any(unit, at - 1, ends)) at--;
  return at;
}

static int statement_end(const struct op2i_unit *unit, int at, int end) {
  while (at < end && !op2i_unit_is(unit, at, ";") && !op2i_unit_is(unit, at, "{")) at++;
  return at;
}

/* True if the text defines a macro with parameters under the word at `at`. */
static bool is_macro(const struct op2i_unit *unit, int at) {
  const struct op2i_token *word = &unit->tokens.list[unit->code[at]];
  const char *text = unit->tokens.text;
  size_t length = word->end - word->begin;
  for (int64_t t = 0; t < unit->tokens.count; t++) {
    const struct op2i_token *line = &unit->tokens.list[t];
    if (line->kind != OP2I_TOK_DIRECTIVE || !op2i_directive_is(&unit->tokens, t, "define"))
      continue;
    const char *name = text + line->begin + 1;
    name += strspn(name, " \t");
    name += strlen("define");
    name += strspn(name, " \t");
    if (strncmp(name, text + word->begin, length) == 0 && name[length] == '(') return true;
  }
  return false;
}

/* True if the use at `at` is an argument of a macro, which may change it. If flags or headers may
 * define macros, any word that this text does not define can be one. */
static bool macro_takes(const struct op2i_unit *unit, int at, int from) {
  for (int p = from; p + 1 < at; p++) {
    if (!op2i_unit_word(unit, p) || !op2i_unit_is(unit, p + 1, "(") || unit->match[p + 1] < at)
      continue;
    if (unit->tokens.given && unit->roles[unit->code[p]] == OP2I_ROLE_FREE) return true;
    if (is_macro(unit, p)) return true;
  }
  return false;
}

/* True if the statement around a use assigns to the same parameter, or uses something of it that is
 * not its value (sizeof, its address): then there is no warning. */
static bool excused(const struct op2i_unit *unit, int at, int body, int end) {
  static const char *const opaque[] = {"sizeof", "typeof", "__typeof__", "_Alignof", "&", NULL};
  int from = statement_begin(unit, at), to = statement_end(unit, at, end);
  if (from < body) from = body;
  if (macro_takes(unit, at, from)) return true;
  for (int p = from; p < to; p++) {
    if (is_any(unit, p, opaque)) return true;
    if (!spelled_alike(unit, p, at)) continue;
    struct use use = use_at(unit, p);
    if (is_any(unit, use.end, changes) || op2i_unit_is(unit, use.begin - 1, "++") ||
        op2i_unit_is(unit, use.begin - 1, "--"))
      return true;
  }
  return false;
}

/* The line on which the values of a parameter are read other than to change them, or 0. A parameter
 * that is assigned somewhere may be read, since the kernel then knows what it holds. */
static int read_line(const struct op2i_unit *unit, const struct op2i_item *item, const char *name,
                     int levels) {
  int line = 0;
  for (int p = item->body + 1; p < item->end; p++) {
    if (!op2i_unit_is(unit, p, name)) continue;
    int role = unit->roles[unit->code[p]];
    bool member = op2i_unit_is(unit, p - 1, ".") || op2i_unit_is(unit, p - 1, "->");
    if (role == OP2I_ROLE_NONE && !member) return 0; /* another variable of this name */
    if (role != OP2I_ROLE_LOCAL) continue;
    struct use use = use_at(unit, p);
    if (use.levels < levels || op2i_unit_is(unit, use.end, "=")) return 0;
    if (!line && !is_any(unit, use.end, changes) && !excused(unit, p, item->body + 1, item->end))
      line = op2i_unit_line(unit, p);
  }
  return line;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static int64_t number_at(const struct op2i_unit *unit, int at) {
  const struct op2i_token *t = &unit->tokens.list[unit->code[at]];
  return t->kind == OP2I_TOK_NUMBER ? strtol(unit->tokens.text + t->begin, NULL, 0) : -1;
}

/* The position after the body of a loop, from the parenthesis that closes its head on; `from`
 * itself where that is not plain. */
static int loop_end(const struct op2i_unit *unit, int from, int end) {
  int p = from + 1;
  while ((op2i_unit_is(unit, p, "for") || op2i_unit_is(unit, p, "while")) &&
         op2i_unit_is(unit, p + 1, "("))
    p = unit->match[p + 1] + 1;
  if (op2i_unit_is(unit, p, "{")) return unit->match[p];
  while (p < end && !op2i_unit_is(unit, p, ";")) {
    if (op2i_unit_is(unit, p, "{")) return from;
    p++;
  }
  return p;
}

/* True if something between two positions may keep the largest value of a counter from being
 * used. */
static bool conditional(const struct op2i_unit *unit, int from, int to) {
  static const char *const words[] = {"if",       "?",  "switch", "break", "return",
                                      "continue", "&&", "||",     "goto",  NULL};
  for (int p = from; p < to; p++)
    if (is_any(unit, p, words)) return true;
  return false;
}

/* The largest value of a counter by the head of the loop around it, i < 4 or i <= 3; -1 if the
 * innermost loop that names it has another form. */
static int64_t most_of(const struct op2i_unit *unit, int counter, const struct op2i_item *item) {
  for (int p = counter - 1; p > item->body; p--) {
    if (!op2i_unit_is(unit, p, "for") || !op2i_unit_is(unit, p + 1, "(")) continue;
    int head = unit->match[p + 1];
    bool named = false;
    for (int q = p + 2; q < head; q++) {
      if (!spelled_alike(unit, q, counter)) continue;
      named = true;
      bool less = op2i_unit_is(unit, q + 1, "<");
      if ((!less && !op2i_unit_is(unit, q + 1, "<=")) || !op2i_unit_is(unit, q + 3, ";")) continue;
      bool inside = counter > head && counter < loop_end(unit, head, item->end);
      int64_t number = number_at(unit, q + 2);
      return !inside || number < 0 || conditional(unit, head, counter) ? -1 : number - less;
    }
    if (named) return -1;
  }
  return -1;
}

static void note_index(const struct op2i_unit *unit, const struct op2i_item *item,
                       struct op2i_param *param) {
  for (int p = item->body + 1; p < item->end; p++) {
    if (!op2i_unit_is(unit, p, param->name) || !op2i_unit_is(unit, p + 1, "[") ||
        unit->match[p + 1] != p + 3 || unit->roles[unit->code[p]] != OP2I_ROLE_LOCAL)
      continue;
    int64_t index = number_at(unit, p + 2);
    if (op2i_unit_word(unit, p + 2)) index = most_of(unit, p + 2, item);
    if (index <= param->most_index) continue;
    param->most_index = index;
    param->index_line = op2i_unit_line(unit, p);
  }
}

void op2i_unit_notice(const struct op2i_unit *unit, const struct op2i_item *item,
                      struct op2i_signature *out) {
  find_state(unit, out);
  for (int n = 0; n < out->nparams; n++) {
    struct op2i_param *param = &out->params[n];
    int levels = param->depth - 1 + (param->nextents > 1 ? param->nextents : 1);
    if (param->depth == 0 || !*param->name || param->readonly) continue;
    param->read_line = read_line(unit, item, param->name, levels);
  }
  for (int n = 0; n < out->nparams; n++)
    if (out->params[n].depth == 2) note_index(unit, item, &out->params[n]);
}

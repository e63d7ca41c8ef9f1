/* SPDX-License-Identifier: BSD-3-Clause */
/* Initializer lists (C11 6.7.9) as trees, and their text: a list in the order of the parts, or
 * assignments to them. */
#include <stdio.h>
#include <string.h>

#include "portable_state.h"

/* PARTS limits the extents of arrays whose list is written anew. */
enum { PARTS = 4096, PATH = 400 };

typedef struct op2i_portable_initial initial;
typedef struct op2i_portable_state state;

static bool is(const state *p, int at, const char *word) { return op2i_portable_is(p, at, word); }

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_array(const struct op2i_c_type *t) { return t->nlevels > 0 && t->levels[0] != 0; }
static bool is_record(const struct op2i_c_type *t) {
  return t->nlevels == 0 && t->base == OP2I_C_RECORD && t->record;
}

static struct op2i_c_type element_of(const struct op2i_c_type *t) {
  struct op2i_c_type element = *t;
  element.nlevels--;
  for (int k = 0; k < element.nlevels; k++) element.levels[k] = t->levels[k + 1];
  return element;
}

static const struct op2i_c_member *member_of(const struct op2i_c_record *record, int k) {
  const struct op2i_c_member *m = record->members;
  while (m && k-- > 0) m = m->next;
  return m;
}

static int length_of(const initial *all) {
  if (!is_array(&all->type)) return is_record(&all->type) ? all->type.record->nmembers : 0;
  return all->type.levels[0] < 0 ? PARTS : (int)all->type.levels[0];
}

static initial *part(state *p, initial *all, int k) {
  if (k < 0 || k >= PARTS || k >= length_of(all)) {
    p->failed = true;
    return all;
  }
  if (k >= all->capacity) {
    int capacity = k < 8 ? 16 : 2 * k;
    initial **parts = op2i_arena_take(&p->macros.arena, (size_t)capacity * sizeof *parts);
    if (!parts) return all;
    for (int i = 0; i < all->nparts; i++) parts[i] = all->parts[i];
    all->parts = parts;
    all->capacity = capacity;
  }
  if (!all->parts[k]) {
    initial *made = all->parts[k] = op2i_arena_take(&p->macros.arena, sizeof *made);
    if (!made) return all;
    made->type =
        is_array(&all->type) ? element_of(&all->type) : member_of(all->type.record, k)->type;
  }
  if (k >= all->nparts) all->nparts = k + 1;
  return all->parts[k];
}

/* ---- reading --------------------------------------------------------------------------------- */

static int value(state *p, int at, initial *all);

static int end_of_value(const state *p, int at) {
  while (at < p->count && !is(p, at, ",") && !is(p, at, "}"))
    at = p->match[at] > at ? p->match[at] + 1 : at + 1;
  return at;
}

static bool designates(const state *p, int at) { return is(p, at, "[") || is(p, at, "."); }

bool op2i_portable_designated(const state *p, int brace) {
  bool found = false;
  for (int at = brace + 1; at < p->match[brace] && !found; at = end_of_value(p, at) + 1)
    found = designates(p, at) || (is(p, at, "{") && op2i_portable_designated(p, at));
  return found;
}

/* True if the expression is a structure's value, as a variable, a literal or a call may be. */
static bool whole(const state *p, int at, int end) {
  const struct op2i_portable_note *literal = op2i_portable_find(p, at, OP2I_PORTABLE_LITERAL);
  if (literal && literal->end == end) return is_record(&literal->type);
  if (!op2i_c_word(&p->tokens[at])) return false;
  const struct op2i_portable_name *name = op2i_portable_named(p, &p->tokens[at]);
  return (end == at + 1 || (is(p, at + 1, "(") && p->match[at + 1] + 1 == end)) && name &&
         is_record(&name->type);
}

/* Parts of a list without braces of its own, from part k on. */
static int parts(state *p, int at, initial *all, int k, bool comma) {
  for (; k < length_of(all) && !p->failed; k++, comma = true) {
    int before = at;
    if (is(p, at, "}")) break;
    if (comma && !is(p, at, ",")) break;
    at += comma;
    if (is(p, at, "}")) return before;
    if (designates(p, at)) return before;
    at = value(p, at, part(p, all, k));
    if (is_record(&all->type) && all->type.record->either) break;
  }
  return at;
}

static int member_named(state *p, const struct op2i_c_record *record, int at) {
  const struct op2i_piece *word = &p->tokens[at];
  int k = 0;
  for (const struct op2i_c_member *m = record->members; m; m = m->next, k++)
    if (m->name && strlen(m->name) == (size_t)word->length &&
        memcmp(m->name, word->text, (size_t)word->length) == 0)
      return k;
  p->failed = true;
  return 0;
}

static int designated(state *p, int at, initial *all);

/* The designator at `at`: the parts [first, last] that it names. Returns what follows it. */
static int designator(state *p, int at, initial *all, int *first, int *last) {
  int64_t from = 0, to;
  if (is(p, at, ".") && is_record(&all->type)) {
    *first = *last = member_named(p, all->type.record, at + 1);
    if (all->type.record->either) all->member = *first;
    return at + 2;
  }
  int close = p->match[at], dots = at + 1;
  if (!is(p, at, "[") || !is_array(&all->type)) {
    p->failed = true;
    return at + 1;
  }
  while (dots < close && !is(p, dots, "...")) dots++;
  if (!op2i_portable_constant(p, at + 1, dots, &from)) p->failed = true;
  to = from;
  if (dots < close && !op2i_portable_constant(p, dots + 1, close, &to)) p->failed = true;
  if (from < 0 || to >= PARTS || from > to) p->failed = true;
  *first = p->failed ? 0 : (int)from;
  *last = p->failed ? 0 : (int)to;
  return close + 1;
}

static int designated(state *p, int at, initial *all) {
  int first, last, end = at;
  if (is(p, at, "=")) return value(p, at + 1, all);
  if (p->failed || !designates(p, at)) {
    p->failed = true;
    return p->count;
  }
  int behind = designator(p, at, all, &first, &last);
  for (int k = first; k <= last && !p->failed; k++) end = designated(p, behind, part(p, all, k));
  return p->failed ? end : parts(p, end, all, last + 1, true);
}

static int braced(state *p, int brace, initial *all) {
  int at = brace + 1, k = 0, first, last, end = at;
  while (!is(p, at, "}") && !p->failed) {
    if (designates(p, at)) {
      int behind = designator(p, at, all, &first, &last);
      for (k = first; k <= last && !p->failed; k++) end = designated(p, behind, part(p, all, k));
      at = end;
      k = last + 1;
    } else {
      at = value(p, at, part(p, all, k++));
    }
    if (is(p, at, ","))
      at++;
    else if (!is(p, at, "}"))
      p->failed = true;
  }
  return p->match[brace] + 1;
}

static int value(state *p, int at, initial *all) {
  const bool aggregate = is_array(&all->type) || is_record(&all->type);
  int end = end_of_value(p, at);
  if (p->failed) return p->count;
  all->nparts = 0;
  if (aggregate && is(p, at, "{")) return braced(p, at, all);
  const bool text = is_array(&all->type) && p->tokens[at].kind == OP2I_TOK_STRING;
  if (aggregate && !text && !(is_record(&all->type) && whole(p, at, end)))
    return parts(p, at, all, 0, false);
  if (is(p, at, "{")) {
    all->begin = at + 1;
    all->end = end_of_value(p, at + 1);
    return p->match[at] + 1;
  }
  all->begin = at;
  all->end = end;
  return end;
}

initial *op2i_portable_list(state *p, int brace, const struct op2i_c_type *type) {
  initial *all = op2i_arena_take(&p->macros.arena, sizeof *all);
  if (!all) return NULL;
  all->type = *type;
  if (type->nlevels == 0 && type->base == OP2I_C_RECORD &&
      (!type->record || !type->record->members || type->record->fault))
    p->failed = true;
  if (!p->failed) (void)value(p, brace, all);
  return p->failed ? NULL : all;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void nothing(state *p, const struct op2i_c_type *type) {
  op2i_text_add(p->out, is_array(type) || is_record(type) ? p->cxx ? "{}" : "{0}" : "0");
}

void op2i_portable_in_order(state *p, initial *all) {
  const bool either = is_record(&all->type) && all->type.record->either;
  if (all->end > all->begin) {
    op2i_portable_print(p, all->begin, all->end);
    return;
  }
  if (all->nparts == 0) {
    nothing(p, &all->type);
    return;
  }
  if (either && all->member > 0) p->failed = true;
  op2i_text_add(p->out, "{");
  for (int k = 0; k < (either ? 1 : all->nparts) && !p->failed; k++) {
    op2i_text_add(p->out, k ? ", " : "");
    if (all->parts[k])
      op2i_portable_in_order(p, all->parts[k]);
    else if (is_array(&all->type)) {
      struct op2i_c_type element = element_of(&all->type);
      nothing(p, &element);
    } else {
      nothing(p, &member_of(all->type.record, k)->type);
    }
  }
  op2i_text_add(p->out, "}");
}

static void assign_text(state *p, const initial *all, const char *path, const char **between) {
  const struct op2i_piece *text = &p->tokens[all->begin];
  int length = text->length - 2,
      n = all->type.levels[0] < 0 ? length + 1 : (int)all->type.levels[0];
  if (all->end != all->begin + 1 || text->text[0] != '"' ||
      memchr(text->text, '\\', (size_t)text->length))
    p->failed = true;
  for (int k = 0; k < n && !p->failed; k++, *between = ", ")
    if (k < length && text->text[k + 1] != '\'')
      op2i_text_add(p->out, "%s%s[%d] = '%c'", *between, path, k, text->text[k + 1]);
    else
      op2i_text_add(p->out, "%s%s[%d] = %d", *between, path, k, k < length ? '\'' : 0);
}

void op2i_portable_assign(state *p, initial *all, const char *path, const char **between) {
  char longer[PATH];
  const bool array = is_array(&all->type), record = is_record(&all->type);
  if (array && all->end > all->begin) {
    assign_text(p, all, path, between);
    return;
  }
  if ((!array && !record) || all->end > all->begin) {
    op2i_text_add(p->out, "%s%s = ", *between, path);
    *between = ", ";
    if (all->end > all->begin)
      op2i_portable_print(p, all->begin, all->end);
    else
      op2i_text_add(p->out, "0");
    return;
  }
  const bool either = record && all->type.record->either;
  int n = array && all->type.levels[0] < 0 ? all->nparts : length_of(all);
  if (n > PARTS || strlen(path) > PATH - 100) p->failed = true;
  for (int k = either ? all->member : 0; k < n && !p->failed; k++) {
    const struct op2i_c_member *m = record ? member_of(all->type.record, k) : NULL;
    if (!m)
      snprintf(longer, sizeof longer, "%s[%d]", path, k);
    else
      snprintf(longer, sizeof longer, "%s%s%s", path, m->name ? "." : "", m->name ? m->name : "");
    op2i_portable_assign(p, part(p, all, k), longer, between);
    if (either) break;
  }
}

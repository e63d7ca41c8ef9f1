/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a kernel's source for the forms that other languages lack: declarations and scopes by the
 * common readers, expressions as far as these forms need it. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "portable_state.h"
#include "portable_table.h"
#include "portable_wrap.h"

enum { DEPTH_MAX = 200 };

static struct op2i_portable_state *state(const struct op2i_c_reader *r) { return r->client; }
static bool is(const struct op2i_portable_state *p, int at, const char *word) {
  return op2i_portable_is(p, at, word);
}

static bool one_of(const struct op2i_portable_state *p, int at, const char *const *words) {
  while (*words && !is(p, at, *words)) words++;
  return *words != NULL;
}

/* True if a token of [begin, end) is the word. */
static bool has(const struct op2i_portable_state *p, int begin, int end, const char *word) {
  while (begin < end && !is(p, begin, word)) begin++;
  return begin < end;
}

/* ---- notes and names ------------------------------------------------------------------------- */

struct op2i_portable_note *op2i_portable_note(struct op2i_portable_state *p, int at,
                                              enum op2i_portable_kind kind) {
  struct op2i_portable_note *n = op2i_arena_take(&p->macros.arena, sizeof *n);
  if (!n) {
    p->none = (struct op2i_portable_note){.kind = kind};
    return &p->none;
  }
  n->kind = kind;
  n->at = at;
  n->next = p->notes[at];
  p->notes[at] = n;
  return n;
}

struct op2i_portable_note *op2i_portable_find(const struct op2i_portable_state *p, int at,
                                              enum op2i_portable_kind kind) {
  struct op2i_portable_note *n = at >= 0 ? p->notes[at] : NULL;
  while (n && n->kind != kind) n = n->next;
  return n;
}

static const char *tag_key(struct op2i_portable_state *p, const struct op2i_piece *tag) {
  char key[200];
  if (tag->length > 190) return "";
  key[0] = ' ';
  memcpy(key + 1, tag->text, (size_t)tag->length);
  return op2i_arena_string(&p->macros.arena, key, (size_t)tag->length + 1);
}

static void declare(struct op2i_portable_state *p, const char *word, size_t length,
                    struct op2i_portable_name meaning) {
  if (op2i_grow(&p->meanings, sizeof *p->meanings, p->nmeanings, &p->capacity) ||
      !op2i_names_add(&p->names, word, length, p->nmeanings)) {
    p->macros.arena.failed = true;
    return;
  }
  p->meanings[p->nmeanings++] = meaning;
}

const struct op2i_portable_name *op2i_portable_named(const struct op2i_portable_state *p,
                                                     const struct op2i_piece *word) {
  int64_t at = op2i_names_find(&p->names, word->text, (size_t)word->length);
  return at < 0 ? NULL : &p->meanings[p->names.list[at].value];
}

static int named(struct op2i_c_reader *r, struct op2i_c_type *type) {
  const struct op2i_portable_name *n = op2i_portable_named(state(r), &r->tokens[r->at]);
  *type = (struct op2i_c_type){.base = OP2I_C_UNCLEAR};
  if (!n && is(state(r), r->at, "bool")) type->base = OP2I_C_BOOL;
  if (!n) return type->base == OP2I_C_BOOL;
  if (n->meaning != OP2I_PORTABLE_NAME_OF_TYPE) return -1;
  *type = n->type;
  return 1;
}

/* ---- integer constants ----------------------------------------------------------------------- */

struct sum {
  struct op2i_portable_state *p;
  int at, end;
  bool known;
  bool wide;     /* an operand may be of another type than int */
  bool computed; /* there are operators */
};

static int64_t choice(struct sum *s);

static bool is_int(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

/* The operator's value, which is wrong where C computes with another type. */
static int64_t computed(struct sum *s, int64_t value) {
  s->computed = true;
  s->wide |= !is_int(value);
  return value;
}

static int64_t operand(struct sum *s) {
  struct op2i_portable_state *p = s->p;
  const struct op2i_piece *t = &p->tokens[s->at];
  const struct op2i_portable_name *n;
  int64_t value = 0;
  s->known = s->known && s->at < s->end;
  if (!s->known) return 0;
  s->at++;
  if (op2i_piece_is(t, "-")) return computed(s, (int64_t)(0 - (uint64_t)operand(s)));
  if (op2i_piece_is(t, "+")) return operand(s);
  if (op2i_piece_is(t, "~")) return computed(s, ~operand(s));
  if (op2i_piece_is(t, "!")) return computed(s, !operand(s));
  if (op2i_piece_is(t, "(")) {
    value = choice(s);
    s->known = s->known && is(p, s->at, ")");
    s->at++;
    return value;
  }
  if (t->kind == OP2I_TOK_NUMBER) {
    char *end;
    value = (int64_t)strtoull(t->text, &end, 0);
    while (strchr("uUlL", *end) && *end) s->wide |= strchr("uU", *end++) != NULL;
    s->wide |= !is_int(value);
    s->known = end == t->text + t->length;
    return value;
  }
  if (t->kind == OP2I_TOK_CHAR && t->length == 3) return t->text[1];
  n = op2i_portable_named(p, t);
  s->known = n && n->meaning == OP2I_PORTABLE_NUMBER;
  s->wide |= s->known && !is_int(n->value);
  return s->known ? n->value : 0;
}

static int64_t combine(struct sum *s, const struct op2i_piece *op, int64_t a, int64_t b) {
  const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  switch (op->text[0]) {
  case '*': return (int64_t)(ua * ub);
  case '/': return b > 0 ? a / b : (s->known = false);
  case '%': return b > 0 ? a % b : (s->known = false);
  case '+': return (int64_t)(ua + ub);
  case '-': return (int64_t)(ua - ub);
  case '&': return op->length == 2 ? a && b : a & b;
  case '|': return op->length == 2 ? a || b : a | b;
  case '^': return a ^ b;
  case '=': return a == b;
  case '!': return a != b;
  default: break;
  }
  if (op->length == 2 && op->text[1] == op->text[0] && b >= 0 && b < 63)
    return op->text[0] == '<' ? (int64_t)(ua << b) : a >> b;
  if (op->length == 2 && op->text[1] == op->text[0]) return s->known = false;
  if (op->text[0] == '<') return op->length == 2 ? a <= b : a < b;
  return op->length == 2 ? a >= b : a > b;
}

static int64_t binary(struct sum *s, int level) {
  static const char *const levels[][5] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  enum { LEVELS = sizeof levels / sizeof *levels };
  if (level == LEVELS) return operand(s);
  int64_t value = binary(s, level + 1);
  for (bool found = true; found && s->known && s->at < s->end;) {
    const struct op2i_piece *op = &s->p->tokens[s->at];
    found = false;
    for (int k = 0; k < 5 && levels[level][k]; k++) found |= op2i_piece_is(op, levels[level][k]);
    if (!found) break;
    s->at++;
    value = computed(s, combine(s, op, value, binary(s, level + 1)));
  }
  return value;
}

static int64_t choice(struct sum *s) {
  int64_t test = binary(s, 0), first;
  if (s->at >= s->end || !is(s->p, s->at, "?")) return test;
  s->at++;
  s->computed = true;
  first = choice(s);
  s->known = s->known && is(s->p, s->at, ":");
  s->at++;
  int64_t second = choice(s);
  return test ? first : second;
}

bool op2i_portable_constant(struct op2i_portable_state *p, int begin, int end, int64_t *value) {
  struct sum s = {.p = p, .at = begin, .end = end, .known = true};
  *value = choice(&s);
  return s.known && s.at == end && !(s.wide && s.computed);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void scan(struct op2i_portable_state *p, int begin, int end);

static int end_of(const struct op2i_portable_state *p, int at, const char *end) {
  while (at < p->count && !is(p, at, end) && (*end == ')' || !is(p, at, ";"))) {
    if (p->match[at] >= 0 && p->match[at] < at) break;
    at = p->match[at] > at ? p->match[at] + 1 : at + 1;
  }
  return at;
}

static const char *const assignments[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};

/* An operand of ?: ends at what binds less. */
static bool less(const struct op2i_portable_state *p, int at) {
  static const char *const ends[] = {",", ";", "?", ":", "return", "case", "else", NULL};
  return one_of(p, at, ends) || one_of(p, at, assignments);
}

static void note_or(struct op2i_portable_state *p, int question) {
  int begin = question - 1, end = question + 2, open = 0;
  while (begin >= 0 && !less(p, begin)) {
    if (p->match[begin] > begin) break;
    begin = p->match[begin] >= 0 ? p->match[begin] - 1 : begin - 1;
  }
  for (; end < p->count && !(p->match[end] >= 0 && p->match[end] < end);
       end = p->match[end] > end ? p->match[end] + 1 : end + 1) {
    if (is(p, end, ":") ? !open : less(p, end) && !open && !is(p, end, "?")) break;
    open += is(p, end, "?") - is(p, end, ":"); /* the last operand may be a choice */
  }
  struct op2i_portable_note *n = op2i_portable_note(p, begin + 1, OP2I_PORTABLE_OR);
  n->middle = question;
  n->end = end;
  p->wanted = true;
}

/* The innermost block around a position, or null at file scope. */
static struct op2i_portable_note *block_around(const struct op2i_portable_state *p, int at) {
  struct op2i_portable_note *block = NULL;
  for (at--; at >= 0 && !block; at--) {
    if (p->match[at] >= 0 && p->match[at] < at)
      at = p->match[at];
    else if (p->match[at] > at)
      block = op2i_portable_find(p, at, OP2I_PORTABLE_BLOCK);
  }
  return block;
}

/* Read the type behind the parenthesis, if there is one. */
static bool type_in(struct op2i_portable_state *p, int open, struct op2i_c_decl *decl) {
  int before = p->r.at;
  p->r.at = open + 1;
  bool found = op2i_c_at_type(&p->r);
  if (found) {
    op2i_c_specifiers(&p->r, decl);
    op2i_c_declarator(&p->r, decl);
    found = p->r.at == p->match[open];
  }
  p->r.at = before;
  return found;
}

/* True if the block itself declares a name of [begin, end), which its beginning does not know. */
static bool declared_within(struct op2i_portable_state *p, const struct op2i_portable_note *block,
                            int begin, int end) {
  bool found = false;
  for (int at = begin; at < end && !found; at++) {
    const struct op2i_piece *word = &p->tokens[at];
    if (!op2i_c_word(word)) continue;
    const char *key = tag_key(p, word);
    found = op2i_names_find(&p->names, word->text, (size_t)word->length) >= block->number ||
            op2i_names_find(&p->names, key, strlen(key)) >= block->number;
  }
  return found;
}

/* Returns the last position that has been read. */
static int note_parenthesis(struct op2i_portable_state *p, int at) {
  struct op2i_c_decl decl;
  if (!type_in(p, at, &decl)) return at;
  op2i_portable_note(p, at, OP2I_PORTABLE_TYPE)->type = decl.type;
  if (!is(p, p->match[at] + 1, "{")) return at;
  struct op2i_portable_note *n = op2i_portable_note(p, at, OP2I_PORTABLE_LITERAL),
                            *block = block_around(p, at);
  n->type = decl.type;
  n->middle = p->match[at] + 1;
  n->end = p->match[n->middle] + 1;
  n->number = p->nliterals++;
  p->wanted = true;
  if (!block || (decl.said & OP2I_C_DEEP)) p->failed = true;
  if (!block) return at;
  p->failed |= declared_within(p, block, at + 1, n->middle - 1);
  n->below = block->below;
  block->below = n;
  scan(p, n->middle + 1, n->end - 1);
  n->list = op2i_portable_list(p, n->middle, &n->type);
  return n->end - 1;
}

static void note_generic(struct op2i_portable_state *p, int at) {
  int close = p->match[at + 1], before = p->r.at;
  struct op2i_portable_note *n = op2i_portable_note(p, at, OP2I_PORTABLE_GENERIC);
  struct op2i_portable_choice **tail = &n->choices;
  n->middle = end_of(p, at + 2, ",");
  n->end = close + 1;
  p->wanted = true;
  for (int i = n->middle; is(p, i, ",") && i < close; i = (*tail)->end, tail = &(*tail)->next) {
    struct op2i_c_decl decl;
    if (!(*tail = op2i_arena_take(&p->macros.arena, sizeof **tail))) return;
    p->r.at = (*tail)->type = i + 1;
    if (!is(p, i + 1, "default")) {
      op2i_c_specifiers(&p->r, &decl);
      op2i_c_declarator(&p->r, &decl);
      (*tail)->type_end = p->r.at;
    } else {
      p->r.at++;
      (*tail)->type_end = (*tail)->type;
    }
    p->failed |= !is(p, p->r.at, ":");
    (*tail)->begin = p->r.at + 1;
    (*tail)->end = end_of(p, p->r.at + 1, ",");
  }
  p->r.at = before;
}

/* Returns the last position of the text. */
static int note_text(struct op2i_portable_state *p, int at) {
  static const char *const others[] = {"printf", "_Static_assert", "static_assert",
                                       "asm",    "__asm__",        NULL};
  int outer = at - 1, end = at + 1;
  struct op2i_portable_note *block = block_around(p, at), *n;
  while (outer > 0 && p->match[outer] < outer) outer--;
  while (p->tokens[end].kind == OP2I_TOK_STRING) end++;
  if (!block || is(p, at - 1, "sizeof") || is(p, end, "[") || is(p, outer, "{") ||
      one_of(p, outer - 1, others) || is(p, outer - 1, "sizeof"))
    return end - 1;
  n = op2i_portable_note(p, at, OP2I_PORTABLE_TEXT);
  n->end = end;
  n->number = p->nliterals++;
  n->below = block->below;
  block->below = n;
  p->wanted = true;
  return end - 1;
}

static int scan_statement(struct op2i_portable_state *p, int at) {
  struct op2i_portable_note *n = op2i_portable_note(p, at, OP2I_PORTABLE_STATEMENT);
  int before = p->r.at;
  n->end = p->match[at] + 1;
  p->wanted |= p->cxx;
  p->failed |= p->cxx && has(p, at, n->end, "return"); /* it would leave the lambda only */
  p->r.at = at + 1;
  (void)op2i_c_statement(&p->r);
  p->r.at = before;
  return p->match[at];
}

/* True if the operand of sizeof may be a comparison or a character, which C++ gives other types. */
static bool size_differs(const struct op2i_portable_state *p, int at) {
  static const char *const words[] = {"!", "<", ">", "<=", ">=", "==", "!=", "&&", "||", NULL};
  bool differs = is(p, at, "!") || p->tokens[at].kind == OP2I_TOK_CHAR;
  for (int i = at + 1; is(p, at, "(") && i < p->match[at]; i++)
    differs |= one_of(p, i, words) || p->tokens[i].kind == OP2I_TOK_CHAR;
  return differs;
}

static void scan(struct op2i_portable_state *p, int begin, int end) {
  if (++p->depth > DEPTH_MAX) p->failed = true;
  for (int i = begin; i < end && !p->failed; i++) {
    if (is(p, i, "(") && is(p, i + 1, "{"))
      i = scan_statement(p, i);
    else if (is(p, i, "("))
      i = note_parenthesis(p, i);
    else if (is(p, i, "_Generic") && is(p, i + 1, "("))
      note_generic(p, i);
    else if (is(p, i, "?") && is(p, i + 1, ":"))
      note_or(p, i);
    else if (p->tokens[i].kind == OP2I_TOK_STRING && !p->cxx)
      i = note_text(p, i);
    else if (is(p, i, "sizeof") && p->cxx)
      p->wanted |= size_differs(p, i + 1);
  }
  p->depth--;
}

static void *expression(struct op2i_c_reader *r, const char *end) {
  struct op2i_portable_state *p = state(r);
  int begin = r->at, behind = end_of(p, begin, end);
  scan(p, begin, behind);
  p->known = op2i_portable_constant(p, begin, behind, &p->value);
  r->at = behind;
  return op2i_portable_wrap(p, begin, behind);
}

static void missing(struct op2i_c_reader *r, const char *spelling) {
  (void)spelling;
  state(r)->failed = true;
}

/* ---- structures and enumerations ------------------------------------------------------------- */

static void add_member(struct op2i_portable_state *p, struct op2i_c_record *record,
                       struct op2i_c_member ***tail, const struct op2i_c_decl *decl, int bits) {
  struct op2i_c_member *m = op2i_arena_take(&p->macros.arena, sizeof *m);
  if (!m) return;
  m->type = decl->type;
  m->bits = bits;
  if (decl->name)
    m->name = op2i_arena_string(&p->macros.arena, decl->name->text, (size_t)decl->name->length);
  **tail = m;
  *tail = &m->next;
  record->nmembers++;
}

/* The width of the bit-field whose colon is read. One that is not constant counts as the widest. */
static int read_width(struct op2i_portable_state *p, struct op2i_c_record *record) {
  const int begin = p->r.at + 1;
  int64_t width = 64;
  record->fault = "has bit-fields";
  p->r.at = end_of(p, p->r.at, ",");
  return op2i_portable_constant(p, begin, p->r.at, &width) && width > 0 && width < 64 ? (int)width
                                                                                      : 64;
}

static void read_members(struct op2i_portable_state *p, struct op2i_c_record *record) {
  struct op2i_c_reader *r = &p->r;
  struct op2i_c_member **tail = &record->members;
  int close = p->match[r->at];
  p->records++;
  for (r->at++; r->at < close && !p->failed; r->at++) {
    struct op2i_c_decl all, one;
    op2i_c_specifiers(r, &all);
    do {
      one = all;
      op2i_c_declarator(r, &one);
      add_member(p, record, &tail, &one, is(p, r->at, ":") ? read_width(p, record) : 0);
    } while (is(p, r->at, ",") && r->at++);
    p->failed |= !is(p, r->at, ";");
  }
  p->records--;
}

static struct op2i_c_record *record(struct op2i_c_reader *r, const struct op2i_piece *word,
                                    const struct op2i_piece *tag) {
  struct op2i_portable_state *p = state(r);
  const char *key = tag ? tag_key(p, tag) : "";
  int64_t known = tag ? op2i_names_find(&p->names, key, strlen(key)) : -1;
  if (!is(p, r->at, "{") && known >= 0) return p->meanings[p->names.list[known].value].type.record;
  struct op2i_c_record *made = op2i_arena_take(&p->macros.arena, sizeof *made);
  if (!made) return NULL;
  made->either = op2i_piece_is(word, "union");
  if (tag)
    declare(p, key, strlen(key),
            (struct op2i_portable_name){.type = {.base = OP2I_C_RECORD, .record = made}});
  if (!is(p, r->at, "{")) return made;
  if (p->records && tag) {
    op2i_portable_note(p, (int)(word - p->tokens), OP2I_PORTABLE_RECORD)->end = p->match[r->at] + 1;
    p->wanted |= p->cxx;
  }
  read_members(p, made);
  return made;
}

static void read_enumerators(struct op2i_portable_state *p) {
  int brace = p->r.at, word = brace - 1;
  while (word > 0 && !is(p, word, "enum")) word--;
  struct op2i_portable_note *n = op2i_portable_note(p, word, OP2I_PORTABLE_ENUM);
  p->next = 0;
  p->negative = false;
  op2i_c_enumerators(&p->r);
  n->middle = brace;
  n->end = p->match[brace] + 1;
  n->negative = p->negative;
  p->wanted |= p->cxx;
  /* Attributes may give it another size. */
  p->failed |= p->cxx && (has(p, word, brace, "__attribute__") || is(p, n->end, "__attribute__"));
  const struct op2i_piece *tag = &p->tokens[brace - 1];
  if (!op2i_c_word(tag)) return;
  const char *key = tag_key(p, tag);
  declare(p, key, strlen(key), (struct op2i_portable_name){.value = p->negative});
}

static void enumerator(struct op2i_c_reader *r, const struct op2i_piece *name, bool given,
                       void *value) {
  struct op2i_portable_state *p = state(r);
  (void)value;
  if (given && !p->known && p->cxx) p->failed = true;
  if (given) p->next = p->value;
  if (p->cxx && (p->next < INT32_MIN || p->next > UINT32_MAX)) p->failed = true;
  p->negative |= p->next < 0;
  declare(p, name->text, (size_t)name->length,
          (struct op2i_portable_name){.meaning = OP2I_PORTABLE_NUMBER, .value = p->next});
  p->next++;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static int64_t visible(const struct op2i_c_reader *r) { return state(r)->names.count; }

static void forget(struct op2i_c_reader *r, int64_t count) {
  op2i_names_cut(&state(r)->names, count);
}

static int64_t bracket(struct op2i_c_reader *r, enum op2i_c_bracket kind) {
  struct op2i_portable_state *p = state(r);
  int open = r->at, close = p->match[open];
  int64_t outer = p->names.count, extent;
  struct op2i_c_decl decl;
  switch (kind) {
  case OP2I_C_PARAMETERS:
    p->parameters = open;
    r->at++;
    op2i_c_parameters(r);
    op2i_names_cut(&p->names, outer);
    p->parameters = open;
    return -1;
  case OP2I_C_ENUMERATORS: read_enumerators(p); return -1;
  case OP2I_C_TYPEOF:
    if (type_in(p, open, &decl))
      op2i_portable_note(p, open, OP2I_PORTABLE_TYPE);
    else
      scan(p, open + 1, close);
    return -1;
  case OP2I_C_EXTENT:
    scan(p, open + 1, close);
    return op2i_portable_constant(p, open + 1, close, &extent) && extent >= 0 ? extent : -1;
  default: return -1;
  }
}

static void *declared(struct op2i_c_reader *r, struct op2i_c_decl *decl) {
  struct op2i_portable_state *p = state(r);
  if (!decl->name) return NULL;
  const bool type = decl->said & OP2I_C_TYPEDEF;
  declare(p, decl->name->text, (size_t)decl->name->length,
          (struct op2i_portable_name){.meaning =
                                          type ? OP2I_PORTABLE_NAME_OF_TYPE : OP2I_PORTABLE_VALUE,
                                      .type = decl->type});
  return NULL;
}

/* A constant has the bounds of its initial value. */
static void bound(struct op2i_portable_state *p, const struct op2i_c_decl *decl,
                  const struct op2i_portable_value *v) {
  const int64_t at = p->nmeanings - 1;
  if (!v || !decl->name || !decl->type.readonly || decl->type.nlevels ||
      !op2i_portable_signed(decl->type.base) || v->type.nlevels || v->type.base > decl->type.base)
    return;
  p->meanings[at].bounded = true;
  p->meanings[at].lo = v->lo;
  p->meanings[at].hi = v->hi;
}

static void initialized(struct op2i_c_reader *r, const struct op2i_c_decl *decl, void *made) {
  struct op2i_portable_state *p = state(r);
  (void)made;
  if (!is(p, r->at, "=")) return;
  struct op2i_portable_note *n = op2i_portable_note(p, r->at, OP2I_PORTABLE_INITIAL);
  n->type = decl->type;
  n->lasting = !r->inside || (decl->said & OP2I_C_STATIC);
  r->at++;
  n->middle = r->at;
  if (p->tokens[r->at].kind == OP2I_TOK_STRING && decl->type.nlevels && decl->type.levels[0])
    r->at = end_of(p, r->at, ",");
  else
    bound(p, decl, expression(r, ","));
  n->end = r->at;
  if (!r->inside) op2i_portable_add_table(p, decl);
  n->number = decl->name ? (int)(decl->name - p->tokens) : -1;
  n->full = n->end == n->middle + 1 && p->tokens[n->middle].kind == OP2I_TOK_STRING &&
            n->type.nlevels == 1 && n->type.levels[0] == p->tokens[n->middle].length - 2 &&
            !memchr(p->tokens[n->middle].text, '\\', (size_t)p->tokens[n->middle].length);
  p->wanted |= n->full && p->cxx;
  if (!p->cxx || !is(p, n->middle, "{") || !op2i_portable_designated(p, n->middle)) return;
  p->wanted = true;
  n->list = op2i_portable_list(p, n->middle, &n->type);
}

static void parameter(struct op2i_c_reader *r, struct op2i_c_decl *decl) {
  (void)declared(r, decl);
  r->at = end_of(state(r), r->at, ",");
}

static bool stopped(const struct op2i_c_reader *r) {
  const struct op2i_portable_state *p = state(r);
  return p->failed || p->macros.arena.failed;
}

static bool begin_statement(struct op2i_c_reader *r, const struct op2i_c_statement *s) {
  struct op2i_portable_state *p = state(r);
  if (s->kind == OP2I_C_FOR) op2i_portable_count(p, r->at);
  if (s->kind == OP2I_C_BLOCK)
    op2i_portable_note(p, r->at, OP2I_PORTABLE_BLOCK)->number = (int)p->names.count;
  if (s->bodies > DEPTH_MAX || s->nested > DEPTH_MAX) p->failed = true;
  return !p->failed;
}

/* ---- the source ------------------------------------------------------------------------------ */

static void read_function(struct op2i_portable_state *p) {
  int64_t outer = p->names.count;
  int body = p->r.at;
  p->r.at = p->parameters + 1;
  op2i_c_parameters(&p->r);
  p->r.at = body;
  (void)op2i_c_statement(&p->r);
  op2i_names_cut(&p->names, outer);
}

/* Returns the type of what a function returns, if it is clear. */
static struct op2i_c_type result_of(const struct op2i_portable_state *p, int begin,
                                    const struct op2i_c_decl *all, const struct op2i_c_decl *one) {
  const bool pointer = one->name && has(p, begin, (int)(one->name - p->tokens), "*");
  return pointer ? (struct op2i_c_type){.base = OP2I_C_UNCLEAR} : all->type;
}

static void read_item(struct op2i_portable_state *p) {
  struct op2i_c_reader *r = &p->r;
  struct op2i_c_decl all, one;
  int begin = r->at;
  if (is(p, r->at, "_Static_assert")) r->at = end_of(p, r->at, ";");
  if (is(p, r->at, ";")) {
    r->at++;
    return;
  }
  op2i_c_specifiers(r, &all);
  do {
    one = all;
    op2i_c_declarator(r, &one);
    const bool function = one.what == OP2I_C_FUNCTION;
    if (function) one.type = result_of(p, begin, &all, &one);
    (void)declared(r, &one);
    if (function && is(p, r->at, "{")) {
      int body = r->at;
      read_function(p);
      op2i_portable_add_item(p, begin, body,
                             has(p, begin, (int)(one.name - p->tokens), "*") ||
                                 all.type.base == OP2I_C_RECORD);
      return;
    }
    initialized(r, &one, NULL);
  } while (is(p, r->at, ",") && r->at++);
  p->failed |= !is(p, r->at, ";");
  r->at++;
  if (p->tables && has(p, begin, r->at, "const"))
    op2i_portable_add_item(p, begin, 0, one.type.nlevels && !one.type.levels[0]);
  p->tables = NULL;
}

static const struct op2i_c_asker asker = {.stopped = stopped,
                                          .visible = visible,
                                          .forget = forget,
                                          .declared = declared,
                                          .initialized = initialized,
                                          .parameter = parameter,
                                          .enumerator = enumerator,
                                          .expression = expression,
                                          .missing = missing,
                                          .begin = begin_statement};

/* Forms that need no reading. */
static void look(struct op2i_portable_state *p) {
  for (int i = 0; i < p->count && !p->wanted; i++) {
    p->wanted = is(p, i, "auto") || (p->cxx && is(p, i, "[") && is(p, i + 1, "static"));
    if (!p->cxx) continue;
    p->wanted |= is(p, i, "typeof") || is(p, i, "__typeof__") || is(p, i, "__typeof") ||
                 (is(p, i, "void") && is(p, i + 1, "*")) ||
                 (is(p, i, "void") && is(p, i + 1, "const")) ||
                 (is(p, i, "[") && (is(p, i + 1, "const") || is(p, i + 1, "restrict")));
  }
  for (int i = 0; i < p->count && p->cxx && !p->wanted; i++)
    p->wanted = is(p, i, "case") && is(p, i + 2, "...");
}

void op2i_portable_read(struct op2i_portable_state *p) {
  p->r = (struct op2i_c_reader){.tokens = p->tokens,
                                .count = p->count,
                                .guesses = true,
                                .client = p,
                                .asker = &asker,
                                .named = named,
                                .record = record,
                                .bracket = bracket};
  look(p);
  for (int before = -1; p->r.at < p->count && p->r.at > before && !stopped(&p->r);) {
    before = p->r.at;
    read_item(p);
  }
  if (p->r.at < p->count) p->failed = true;
  if (!p->cxx && !p->failed) op2i_portable_tables(p);
}

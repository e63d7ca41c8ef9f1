/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads specifiers and declarators of declarations into types. */
#include "cdecl.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* Declarators in parentheses are followed to this depth. unit.c allows no deeper brackets, but
 * macros may produce them. */
enum { NESTED_MAX = 1000 };

/* ---- keywords -------------------------------------------------------------------------------- */

enum count { CHARS, SHORTS, INTS, LONGS, SIGNEDS, UNSIGNEDS, FLOATS, DOUBLES, COUNTS };
enum kind { PASSED, CONST, COUNTED, TYPE, COMPLEX, TAGGED, TYPEOF, SAYS, BRACKETED };

/* `value` is a count for COUNTED, a base for TYPE and TAGGED, and a flag for SAYS and BRACKETED. */
static const struct word {
  const char *spelling;
  enum kind kind;
  int value;
} words[] = {{"const", CONST, 0},
             {"__const", CONST, 0},
             {"double", COUNTED, DOUBLES},
             {"float", COUNTED, FLOATS},
             {"int", COUNTED, INTS},
             {"long", COUNTED, LONGS},
             {"unsigned", COUNTED, UNSIGNEDS},
             {"char", COUNTED, CHARS},
             {"short", COUNTED, SHORTS},
             {"signed", COUNTED, SIGNEDS},
             {"__signed__", COUNTED, SIGNEDS},
             {"void", TYPE, OP2I_C_VOID},
             {"_Bool", TYPE, OP2I_C_BOOL},
             {"_Complex", COMPLEX, OP2I_C_OTHER},
             {"__complex__", COMPLEX, OP2I_C_OTHER},
             {"_Imaginary", TYPE, OP2I_C_OTHER},
             {"__int128", TYPE, OP2I_C_OTHER},
             {"struct", TAGGED, OP2I_C_RECORD},
             {"union", TAGGED, OP2I_C_RECORD},
             {"enum", TAGGED, OP2I_C_UNCLEAR},
             {"typeof", TYPEOF, 0},
             {"__typeof", TYPEOF, 0},
             {"__typeof__", TYPEOF, 0},
             {"restrict", PASSED, 0},
             {"__restrict", PASSED, 0},
             {"__restrict__", PASSED, 0},
             {"register", PASSED, 0},
             {"auto", PASSED, 0},
             {"inline", PASSED, 0},
             {"__inline", PASSED, 0},
             {"__inline__", PASSED, 0},
             {"__extension__", PASSED, 0},
             {"typedef", SAYS, OP2I_C_TYPEDEF},
             {"extern", SAYS, OP2I_C_EXTERN},
             {"static", SAYS, OP2I_C_STATIC},
             {"_Noreturn", SAYS, OP2I_C_NORETURN},
             {"volatile", SAYS, OP2I_C_SPECIAL},
             {"__volatile__", SAYS, OP2I_C_SPECIAL},
             {"_Atomic", SAYS, OP2I_C_SPECIAL},
             {"_Thread_local", SAYS, OP2I_C_SPECIAL},
             {"__thread", SAYS, OP2I_C_SPECIAL},
             {"__attribute__", BRACKETED, OP2I_C_ATTRIBUTE},
             {"__attribute", BRACKETED, OP2I_C_ATTRIBUTE},
             {"__declspec", BRACKETED, OP2I_C_ATTRIBUTE},
             {"_Alignas", BRACKETED, OP2I_C_SPECIAL},
             {"asm", BRACKETED, OP2I_C_SPECIAL},
             {"__asm__", BRACKETED, OP2I_C_SPECIAL}};

static const struct word *find_word(const struct op2i_piece *token) {
  if (token->kind != OP2I_TOK_WORD) return NULL;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (words[i].spelling[0] == token->text[0] && op2i_piece_is(token, words[i].spelling))
      return &words[i];
  return NULL;
}

bool op2i_c_declares(const struct op2i_piece *token) { return find_word(token) != NULL; }

bool op2i_c_word(const struct op2i_piece *token) {
  return token->kind == OP2I_TOK_WORD && !op2i_word_reserved(token->text, (size_t)token->length);
}

static const struct op2i_piece *here(const struct op2i_c_reader *r) { return &r->tokens[r->at]; }
static bool is(const struct op2i_c_reader *r, const char *spelling) {
  return r->at < r->count && op2i_piece_is(here(r), spelling);
}

/* The position after the bracket that closes the one at `at`. */
static int past_bracket(const struct op2i_piece *tokens, int count, int at) {
  int level = 0;
  do {
    const struct op2i_piece *t = &tokens[at];
    if (t->kind == OP2I_TOK_PUNCT && t->length == 1)
      level += strchr("([{", t->text[0]) ? 1 : strchr(")]}", t->text[0]) ? -1 : 0;
    at++;
  } while (level > 0 && at < count);
  return at;
}

/* The position after an __attribute__((...)) or the like at `at`; `at` itself where there is
 * none. */
static int past_attribute(const struct op2i_piece *tokens, int count, int at) {
  const struct word *w = at < count ? find_word(&tokens[at]) : NULL;
  if (!w || w->kind != BRACKETED || !op2i_piece_is(&tokens[at + 1], "(")) return at;
  return past_bracket(tokens, count, at + 1);
}

static int64_t bracket(struct op2i_c_reader *r, enum op2i_c_bracket kind) {
  int behind = past_bracket(r->tokens, r->count, r->at);
  int64_t extent = r->bracket(r, kind);
  r->at = behind;
  return extent;
}

/* True for an attribute or alignment at `at` that changes no value and no type. */
static bool harmless(const struct op2i_c_reader *r) {
  static const char *const known[] = {"aligned", "unused",  "pure",     "const",
                                      "hot",     "cold",    "noinline", "always_inline",
                                      "flatten", "nothrow", "leaf"};
  if (is(r, "_Alignas")) return true;
  if (!is(r, "__attribute__") && !is(r, "__attribute")) return false;
  int level = 0, end = past_bracket(r->tokens, r->count, r->at + 1);
  for (int at = r->at + 1; at < end; at++) {
    const struct op2i_piece *t = &r->tokens[at];
    bool found = t->kind != OP2I_TOK_WORD || level != 2;
    level += op2i_piece_is(t, "(") - op2i_piece_is(t, ")");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
      const char *word = known[i];
      size_t length = strlen(word);
      bool dressed = (size_t)t->length == length + 4 && !strncmp(t->text, "__", 2) &&
                     !strncmp(t->text + 2, word, length) && !strncmp(t->text + 2 + length, "__", 2);
      found = found || op2i_piece_is(t, word) || dressed;
    }
    if (!found) return false;
  }
  return true;
}

static void note_part(struct op2i_c_reader *r, struct op2i_c_decl *out, unsigned what) {
  out->said |= what;
  if (what & (OP2I_C_ATTRIBUTE | OP2I_C_SPECIAL) && harmless(r)) return;
  if (!(r->expected & what) && !out->special) out->special = here(r);
}

/* Read the tag and the members of a structure. Returns false if it stays opaque. */
static bool known_record(struct op2i_c_reader *r, const struct op2i_piece *word,
                         struct op2i_c_type *type) {
  const struct op2i_piece *tag = op2i_c_word(here(r)) ? &r->tokens[r->at++] : NULL;
  int behind = is(r, "{") ? past_bracket(r->tokens, r->count, r->at) : r->at;
  type->record = r->record ? r->record(r, word, tag) : NULL;
  if (!type->record && is(r, "{")) (void)r->bracket(r, OP2I_C_MEMBERS);
  r->at = behind;
  return type->record != NULL;
}

/* ---- specifiers ------------------------------------------------------------------------------ */

static enum op2i_c_base integer(size_t bytes, bool negative) {
  switch (bytes) {
  case 1: return negative ? OP2I_C_I8 : OP2I_C_U8;
  case 2: return negative ? OP2I_C_I16 : OP2I_C_U16;
  case 4: return negative ? OP2I_C_I32 : OP2I_C_U32;
  default: return negative ? OP2I_C_I64 : OP2I_C_U64;
  }
}

static enum op2i_c_base counted_base(const int *n) {
  if (n[DOUBLES]) return n[LONGS] ? OP2I_C_LONG_DOUBLE : OP2I_C_F64;
  if (n[FLOATS]) return OP2I_C_F32;
  if (n[CHARS]) return integer(1, n[SIGNEDS] || (!n[UNSIGNEDS] && CHAR_MIN < 0));
  size_t bytes = n[SHORTS]      ? sizeof(short)
                 : n[LONGS] > 1 ? sizeof(long long)
                 : n[LONGS]     ? sizeof(long)
                                : sizeof(int);
  return integer(bytes, !n[UNSIGNEDS]);
}

/* The type that the standard headers give this name. */
static enum op2i_c_base standard_base(const struct op2i_piece *token) {
  static const struct {
    const char *name;
    size_t bytes;
    bool negative;
  } names[] = {{"int8_t", 1, true},
               {"int16_t", 2, true},
               {"int32_t", 4, true},
               {"int64_t", 8, true},
               {"uint8_t", 1, false},
               {"uint16_t", 2, false},
               {"uint32_t", 4, false},
               {"uint64_t", 8, false},
               {"size_t", sizeof(size_t), false},
               {"ptrdiff_t", sizeof(ptrdiff_t), true},
               {"intptr_t", sizeof(intptr_t), true},
               {"uintptr_t", sizeof(uintptr_t), false}};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (op2i_piece_is(token, names[k].name)) return integer(names[k].bytes, names[k].negative);
  return OP2I_C_UNCLEAR;
}

/* True for `T x`, and for `T *x` if a token follows that can follow a declarator. */
static bool looks_declared(const struct op2i_piece *token, bool known) {
  const struct op2i_piece *t = token + 1;
  if (op2i_c_word(t)) return true;
  if (known) return false;
  while (op2i_piece_is(t, "*") || op2i_c_declares(t)) t++;
  return t > token + 1 && op2i_c_word(t) &&
         (op2i_piece_is(t + 1, "=") || op2i_piece_is(t + 1, ";") || op2i_piece_is(t + 1, ",") ||
          op2i_piece_is(t + 1, "["));
}

bool op2i_c_at_type(struct op2i_c_reader *r) {
  struct op2i_c_type type;
  bool assembly = op2i_piece_is(here(r), "asm") || op2i_piece_is(here(r), "__asm__");
  if (op2i_c_declares(here(r))) return !(r->guesses && assembly);
  if (!op2i_c_word(here(r))) return false;
  int named = r->named(r, &type);
  if (named > 0 || (named == 0 && standard_base(here(r)) != OP2I_C_UNCLEAR)) return true;
  return r->guesses && looks_declared(here(r), named < 0);
}

/* Read a word that names a type, or a macro before one: then another word follows. */
static bool name_of_type(struct op2i_c_reader *r, struct op2i_c_decl *out) {
  const struct op2i_piece *token = here(r);
  if (!op2i_c_word(token) || (out->seen && !op2i_c_word(&token[1]))) return false;
  int named = out->seen ? -1 : r->named(r, &out->type);
  if (named <= 0) out->type.base = named == 0 ? standard_base(token) : OP2I_C_UNCLEAR;
  if (out->type.base == OP2I_C_UNCLEAR) note_part(r, out, OP2I_C_SPECIAL);
  out->seen = true;
  if (r->word) r->word(r);
  r->at++;
  return true;
}

/* Read struct, union or enum with its attributes, tag and braces. */
static void tagged(struct op2i_c_reader *r, struct op2i_c_decl *out, enum op2i_c_base base) {
  const struct op2i_piece *word = here(r), *special = out->special;
  const unsigned said = out->said;
  out->type = (struct op2i_c_type){.base = base};
  note_part(r, out, OP2I_C_SPECIAL);
  r->at = past_attribute(r->tokens, r->count, r->at + 1);
  if (base == OP2I_C_RECORD) {
    if (!known_record(r, word, &out->type)) return;
    out->said = said;
    out->special = special;
    return;
  }
  if (op2i_c_word(here(r))) r->at++;
  if (is(r, "{")) (void)bracket(r, OP2I_C_ENUMERATORS);
}

static void specifier(struct op2i_c_reader *r, const struct word *w, struct op2i_c_decl *out) {
  if (w->kind == TAGGED || w->kind == TYPEOF) {
    tagged(r, out, w->kind == TYPEOF ? OP2I_C_UNCLEAR : (enum op2i_c_base)w->value);
    if (w->kind == TYPEOF && is(r, "(")) (void)bracket(r, OP2I_C_TYPEOF);
    return;
  }
  if (w->kind == TYPE) out->type = (struct op2i_c_type){.base = (enum op2i_c_base)w->value};
  if (w->kind == TYPE && w->value == OP2I_C_OTHER) note_part(r, out, OP2I_C_SPECIAL);
  if (w->kind == SAYS || w->kind == BRACKETED) note_part(r, out, (unsigned)w->value);
  int behind = past_attribute(r->tokens, r->count, r->at);
  r->at = behind > r->at ? behind : r->at + 1;
}

/* A const array has constant elements, but a const pointer does not make constant what it points
 * to. */
static bool only_arrays(const struct op2i_c_type *type) {
  bool arrays = true;
  for (int k = 0; k < type->nlevels; k++) arrays = arrays && type->levels[k] != 0;
  return arrays;
}

/* The type of complex numbers whose parts have been read; `word` made them complex. */
static void complex_type(struct op2i_c_reader *r, const int *n, const struct op2i_piece *word,
                         struct op2i_c_decl *out) {
  enum op2i_c_base base = n[FLOATS] || n[DOUBLES] ? counted_base(n) : OP2I_C_OTHER;
  const bool known = r->complex && (base == OP2I_C_F32 || base == OP2I_C_F64);
  struct op2i_c_record *record = known ? r->complex(r, base) : NULL;
  out->type = (struct op2i_c_type){.base = record ? OP2I_C_RECORD : OP2I_C_OTHER, .record = record};
  if (record) return;
  out->said |= OP2I_C_SPECIAL;
  if (!(r->expected & OP2I_C_SPECIAL) && !out->special) out->special = word;
}

void op2i_c_specifiers(struct op2i_c_reader *r, struct op2i_c_decl *out) {
  int n[COUNTS] = {0};
  bool constant = false, other = false;
  const struct op2i_piece *complex = NULL;
  *out = (struct op2i_c_decl){0};
  while (r->at < r->count) {
    const struct word *w = find_word(here(r));
    if (!w && !name_of_type(r, out)) break;
    if (!w) continue;
    constant = constant || w->kind == CONST;
    other = other || w->kind == TYPE || w->kind == COMPLEX;
    if (w->kind == COMPLEX) complex = here(r);
    if (w->kind == COUNTED) n[w->value]++;
    if (w->kind == COUNTED && !other) out->type = (struct op2i_c_type){.base = counted_base(n)};
    out->seen = out->seen || w->kind == COUNTED || w->kind == TYPE || w->kind == TAGGED ||
                w->kind == COMPLEX || w->kind == TYPEOF;
    specifier(r, w, out);
  }
  if (complex) complex_type(r, n, complex, out);
  if (constant && only_arrays(&out->type)) out->type.readonly = true;
}

/* ---- declarators ----------------------------------------------------------------------------- */

static void opaque(struct op2i_c_reader *r, struct op2i_c_decl *out) {
  out->type.base = OP2I_C_UNCLEAR;
  note_part(r, out, OP2I_C_SPECIAL);
}

/* Insert a level: those of a declarator come before those of its type. */
static void add_level(struct op2i_c_decl *out, int *ndeclared, int64_t level) {
  struct op2i_c_type *type = &out->type;
  if (type->nlevels == OP2I_C_LEVELS) {
    out->said |= OP2I_C_DEEP;
    return;
  }
  for (int k = type->nlevels++; k > *ndeclared; k--) type->levels[k] = type->levels[k - 1];
  type->levels[(*ndeclared)++] = level;
}

static int parse_pointers(struct op2i_c_reader *r, struct op2i_c_decl *out) {
  int n = 0;
  while (r->at < r->count) {
    const struct word *w = find_word(here(r));
    int behind = past_attribute(r->tokens, r->count, r->at);
    if (w && (w->kind == SAYS || w->kind == BRACKETED)) note_part(r, out, (unsigned)w->value);
    bool star = is(r, "*") || is(r, "^");
    if (!star && behind == r->at &&
        !(w && (w->kind == PASSED || w->kind == CONST || w->kind == SAYS)))
      break;
    n += star;
    r->at = behind > r->at ? behind : r->at + 1;
  }
  return n;
}

static bool at_nested(const struct op2i_c_reader *r) {
  const struct op2i_piece *next = &here(r)[1];
  return is(r, "(") && (op2i_piece_is(next, "*") || op2i_piece_is(next, "^") ||
                        op2i_piece_is(next, "(") || op2i_c_word(next));
}

static void declarator(struct op2i_c_reader *r, struct op2i_c_decl *out, int *ndeclared);

/* Read ( declarator ). Returns true if it is more than a name. */
static bool nested(struct op2i_c_reader *r, struct op2i_c_decl *out, int *ndeclared) {
  int inside = r->at + 1, behind = past_bracket(r->tokens, r->count, r->at);
  bool name = op2i_c_word(&r->tokens[inside]) && op2i_piece_is(&r->tokens[inside + 1], ")");
  r->at = inside;
  if (++r->nested > NESTED_MAX)
    out->said |= OP2I_C_NESTED, out->type.base = OP2I_C_UNCLEAR;
  else
    declarator(r, out, ndeclared);
  r->nested--;
  r->at = behind;
  return !name;
}

static void declarator(struct op2i_c_reader *r, struct op2i_c_decl *out, int *ndeclared) {
  bool more = false;
  int pointers = parse_pointers(r, out);
  if (op2i_c_word(here(r)))
    out->name = &r->tokens[r->at++];
  else if (at_nested(r))
    more = nested(r, out, ndeclared);
  while (is(r, "[") || is(r, "(")) {
    if (is(r, "[")) {
      add_level(out, ndeclared, bracket(r, OP2I_C_EXTENT));
    } else {
      if (out->what != OP2I_C_TO_FUNCTION) out->what = more ? OP2I_C_TO_FUNCTION : OP2I_C_FUNCTION;
      opaque(r, out);
      (void)bracket(r, OP2I_C_PARAMETERS);
    }
  }
  for (; pointers > 0; pointers--) add_level(out, ndeclared, 0);
}

void op2i_c_declarator(struct op2i_c_reader *r, struct op2i_c_decl *out) {
  int ndeclared = 0;
  out->name = NULL;
  out->line = here(r)->line;
  out->what = OP2I_C_VALUE;
  declarator(r, out, &ndeclared);
  for (int behind; (behind = past_attribute(r->tokens, r->count, r->at)) > r->at; r->at = behind)
    note_part(r, out, OP2I_C_ATTRIBUTE);
}

/* ---- bases ----------------------------------------------------------------------------------- */

static const op2_type types[] = {
    [OP2I_C_I8] = OP2_I8,   [OP2I_C_U8] = OP2_U8,          [OP2I_C_I16] = OP2_I16,
    [OP2I_C_U16] = OP2_U16, [OP2I_C_I32] = OP2_I32,        [OP2I_C_U32] = OP2_U32,
    [OP2I_C_I64] = OP2_I64, [OP2I_C_U64] = OP2_U64,        [OP2I_C_F32] = OP2_F32,
    [OP2I_C_F64] = OP2_F64, [OP2I_C_UNCLEAR] = (op2_type)0};

op2_type op2i_c_type_of(enum op2i_c_base base) { return types[base]; }

enum op2i_c_base op2i_c_base_of(op2_type type) {
  for (int base = OP2I_C_I8; base <= OP2I_C_F64; base++)
    if (types[base] == type) return (enum op2i_c_base)base;
  return OP2I_C_VOID;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool wordlike(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || (unsigned char)c >= 0x80;
}

static void add_token(struct op2i_text *out, const char *word, size_t length) {
  char last = out->length ? out->chars[out->length - 1] : '\0';
  bool apart = wordlike(last) && (wordlike(word[0]) || strchr("*([", word[0]));
  if (apart || last == ',') op2i_text_bytes(out, " ", 1);
  op2i_text_bytes(out, word, length);
}

void op2i_c_print_tokens(const struct op2i_unit *unit, int begin, int end, const char *omit,
                         struct op2i_text *out) {
  int left_out = end - 1;
  while (left_out >= begin && !op2i_unit_is(unit, left_out, omit)) left_out--;
  for (int p = begin; p < end;) {
    int behind = op2i_unit_attribute(unit, p);
    const struct op2i_token *t = &unit->tokens.list[unit->code[p]];
    if (behind == p && p != left_out)
      add_token(out, unit->tokens.text + t->begin, t->end - t->begin);
    p = behind > p ? behind : p + 1;
  }
}

void op2i_c_element(const char *type_text, struct op2i_text *out) {
  for (const char *at = type_text; *at && !strchr("*([", *at);) {
    struct op2i_piece token = {.text = at, .kind = OP2I_TOK_WORD};
    while (wordlike(at[token.length])) token.length++;
    const struct word *w = find_word(&token);
    bool said = w && (w->kind == PASSED || w->kind == CONST || w->kind == SAYS);
    if (token.length && !said) add_token(out, at, (size_t)token.length);
    at += token.length ? token.length : 1;
  }
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static struct op2i_piece *pieces(struct op2i_macros *macros, const struct op2i_unit *unit,
                                 int begin, int end) {
  struct op2i_piece *list = NULL, **tail = &list;
  for (int p = begin; p < end; p++) {
    *tail = op2i_macros_piece(macros, &unit->tokens, unit->code[p]);
    if (!*tail) return NULL;
    (*tail)->parted = p > begin && unit->code[p] != unit->code[p - 1] + 1;
    tail = &(*tail)->next;
  }
  return list;
}

struct op2i_piece *op2i_c_tokens(struct op2i_macros *macros, const struct op2i_unit *unit,
                                 int begin, int end, int *count, struct op2i_why_macro *why) {
  struct op2i_piece *list = op2i_macros_expand(macros, pieces(macros, unit, begin, end), why);
  *count = 0;
  for (struct op2i_piece *p = list; p; p = p->next) ++*count;
  struct op2i_piece *tokens =
                        op2i_arena_take(&macros->arena, (size_t)(*count + 2) * sizeof *tokens),
                    *at = tokens;
  if (why->what || macros->arena.failed) return NULL;
  for (struct op2i_piece *p = list; p; p = p->next, at++) {
    *at = *p;
    at->next = at + 1;
  }
  /* END stands twice, so that the token after the current one can always be read. */
  at[0] = at[1] =
      (struct op2i_piece){.text = "", .line = *count ? at[-1].line : 0, .kind = OP2I_TOK_END};
  return tokens;
}

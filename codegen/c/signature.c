/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the signature of a kernel from its source. */
#include <string.h>

#include "signature.h"

#include "cdecl.h"
#include "conditional.h"
#include "error.h"
#include "kernel.h"
#include "mem.h"
#include "reach.h"

static op2_status unreadable(const struct op2i_unit *unit, const char *name, op2_status status) {
  if (status == OP2_ERR_NOMEM) return op2i_error_nomem("a kernel's signature");
  return op2i_error(status, "kernel '%s', line %d: %s", name, unit->wrong_line, unit->wrong);
}

/* ---- the function ---------------------------------------------------------------------------- */

/* Report what the source has instead of the function. */
static op2_status missing(const struct op2i_unit *unit, const char *name) {
  struct op2i_text others = {0};
  op2_status status = op2i_unit_refuse_missing(unit, name);
  if (status) return status;
  for (int i = 0; i < unit->nitems; i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind == OP2I_ITEM_PROTOTYPE && op2i_unit_is(unit, item->name, name)) {
      op2i_text_free(&others);
      return op2i_error(
          OP2_ERR_SYNTAX,
          "kernel '%s', line %d: the function is declared here but its body is nowhere", name,
          op2i_unit_line(unit, item->name));
    }
    if (item->kind != OP2I_ITEM_FUNCTION) continue;
    if (others.length) op2i_text_add(&others, ", ");
    op2i_c_print_tokens(unit, item->name, item->name + 1, "", &others);
  }
  int last = unit->tokens.list[unit->tokens.count].line;
  status = op2i_error(OP2_ERR_SYNTAX, "kernel '%s', lines 1 to %d: no function of this name (%s%s)",
                      name, last, others.length ? "there is: " : "there is none at all",
                      others.length ? others.chars : "");
  op2i_text_free(&others);
  return status;
}

static const struct op2i_item *find_function(const struct op2i_unit *unit, const char *name) {
  for (int i = 0; i < unit->nitems; i++)
    if (unit->items[i].kind == OP2I_ITEM_FUNCTION && op2i_unit_is(unit, unit->items[i].name, name))
      return &unit->items[i];
  return NULL;
}

/* Macros and attributes may stand beside the void. */
static op2_status check_result(const struct op2i_unit *unit, const struct op2i_item *item,
                               const char *name) {
  bool nothing = false, pointer = false;
  for (int p = item->begin; p < item->name;) {
    int behind = op2i_unit_attribute(unit, p);
    nothing = nothing || (behind == p && op2i_unit_is(unit, p, "void"));
    pointer = pointer || (behind == p && op2i_unit_is(unit, p, "*"));
    p = behind > p ? behind : p + 1;
  }
  if (nothing && !pointer) return OP2_SUCCESS;
  struct op2i_text type = {0};
  op2i_c_print_tokens(unit, item->begin, item->name, "", &type);
  op2_status status =
      op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: a kernel returns void, this one '%s'", name,
                 op2i_unit_line(unit, item->name), type.failed || !type.chars ? "?" : type.chars);
  op2i_text_free(&type);
  return status;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* No argument can be longer than this; longer extents are cut to it. */
enum { EXTENT_MAX = 1 << 30 };

struct reading {
  const struct op2i_unit *unit;
  struct op2i_macros macros, none;
  struct op2i_names names; /* names of types; their values are indices into the list */
  struct op2i_c_type *types;
  int64_t capacity;
  bool failed;         /* out of memory */
  const char *refused; /* why a parameter is not accepted, a literal; null: none was refused */
};

static int named(struct op2i_c_reader *r, struct op2i_c_type *type) {
  const struct reading *reading = r->client;
  const struct op2i_piece *t = &r->tokens[r->at];
  int64_t entry = op2i_names_find(&reading->names, t->text, (size_t)t->length);
  if (entry >= 0) *type = reading->types[entry];
  return entry >= 0;
}

/* The names of structures have a blank in them, which no word has. */
static const char *name_of_tag(struct reading *reading, const struct op2i_piece *tag,
                               size_t *length) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "struct %.*s", tag->length, tag->text);
  reading->failed = reading->failed || text.failed;
  const char *name =
      op2i_arena_string(&reading->macros.arena, text.chars ? text.chars : "", text.length);
  *length = text.length;
  op2i_text_free(&text);
  return name;
}

static void note_type(struct reading *reading, const char *name, size_t length,
                      const struct op2i_c_type *type) {
  if (op2i_grow(&reading->types, sizeof *reading->types, reading->names.count,
                &reading->capacity) ||
      !op2i_names_add(&reading->names, name, length, reading->names.count))
    reading->failed = true;
  else
    reading->types[reading->names.count - 1] = *type;
}

/* The structure of a tag, which may be named before its members are. */
static struct op2i_c_record *tagged(struct reading *reading, const struct op2i_piece *tag) {
  size_t length;
  const char *name = name_of_tag(reading, tag, &length);
  int64_t entry = op2i_names_find(&reading->names, name, length);
  if (entry >= 0) return reading->types[entry].record;
  const struct op2i_c_type type = {
      .base = OP2I_C_RECORD,
      .record = op2i_arena_take(&reading->macros.arena, sizeof *type.record)};
  if (type.record) note_type(reading, name, length, &type);
  return type.record;
}

/* A structure of numbers of one type is known as the row that it is; a union is not. */
static struct op2i_c_record *record(struct op2i_c_reader *r, const struct op2i_piece *word,
                                    const struct op2i_piece *tag) {
  struct reading *reading = r->client;
  const bool members = op2i_piece_is(&r->tokens[r->at], "{");
  const bool plain =
      op2i_piece_is(word, "struct") && (&word[1] == tag || op2i_piece_is(&word[1], "{"));
  struct op2i_c_record *known = tag ? tagged(reading, tag) : NULL;
  struct op2i_c_record *row = members && plain ? op2i_c_row(r, &reading->macros.arena) : NULL;
  if (known && row) *known = *row;
  reading->failed = reading->failed || reading->macros.arena.failed;
  return known ? known : row;
}

/* A structure that is aligned by hand is no row. */
static void refuse_aligned(const struct op2i_c_decl *decl) {
  if (decl->type.record && decl->said & (OP2I_C_ATTRIBUTE | OP2I_C_SPECIAL))
    decl->type.record->fault = "is aligned by hand";
}

static int64_t extent(struct op2i_c_reader *r, enum op2i_c_bracket kind) {
  int at = r->at + 1;
  int64_t value;
  while (op2i_c_declares(&r->tokens[at])) at++;
  if (kind != OP2I_C_EXTENT || !op2i_constant(&r->tokens[at], "]", &value) || value <= 0) return -1;
  return value < EXTENT_MAX ? value : EXTENT_MAX;
}

/* A reader of the tokens [begin, end). If a macro in them cannot be expanded, none is. */
static struct op2i_c_reader reader(struct reading *reading, int begin, int end) {
  struct op2i_c_reader r = {.client = reading, .named = named, .record = record, .bracket = extent};
  struct op2i_why_macro why;
  r.tokens = op2i_c_tokens(&reading->macros, reading->unit, begin, end, &r.count, &why);
  if (why.what) r.tokens = op2i_c_tokens(&reading->none, reading->unit, begin, end, &r.count, &why);
  reading->failed = reading->failed || !r.tokens;
  return r;
}

static void note_macros(struct reading *reading) {
  const struct op2i_tokens *tokens = &reading->unit->tokens;
  for (int64_t t = 0; t < tokens->count; t++)
    if (tokens->list[t].kind == OP2I_TOK_DIRECTIVE && !tokens->list[t].skipped &&
        (op2i_directive_is(tokens, t, "define") || op2i_directive_is(tokens, t, "undef")))
      (void)op2i_macros_note(&reading->macros, tokens, t);
  reading->failed = reading->macros.arena.failed;
}

/* Take note of the names in a typedef such as: typedef double real, vec3[3]; and of the tags of
 * structures. */
static void note_types(struct reading *reading, const struct op2i_item *item) {
  struct op2i_c_reader r = reader(reading, item->begin, item->end);
  struct op2i_c_decl all;
  if (reading->failed) return;
  op2i_c_specifiers(&r, &all);
  refuse_aligned(&all);
  do {
    struct op2i_c_decl one = all;
    op2i_c_declarator(&r, &one);
    if (!one.name || !(one.said & OP2I_C_TYPEDEF)) continue;
    refuse_aligned(&one);
    note_type(reading, one.name->text, (size_t)one.name->length, &one.type);
  } while (!reading->failed && op2i_piece_is(&r.tokens[r.at++], ","));
}

/* ---- parameters ------------------------------------------------------------------------------ */

static int parameter_end(const struct op2i_unit *unit, int at, int close) {
  while (at < close && !op2i_unit_is(unit, at, ","))
    at = unit->match[at] > at ? unit->match[at] + 1 : at + 1;
  return at;
}

/* The number of values of the outermost array, with the extents of inner arrays multiplied in. */
static int64_t whole_extent(const struct op2i_c_type *type) {
  int64_t values = type->nlevels && type->levels[0] ? 1 : 0;
  for (int k = 0; k < type->nlevels && type->levels[k]; k++) {
    values *= type->levels[k] > 0 ? type->levels[k] : 0;
    if (values > EXTENT_MAX) values = EXTENT_MAX;
  }
  return values;
}

/* The row of numbers that a pointer to a structure leads to, or null. */
static const struct op2i_c_type *row_of(const struct op2i_c_type *type) {
  const struct op2i_c_record *record = type->base == OP2I_C_RECORD ? type->record : NULL;
  if (!record || record->fault || !record->members || type->nlevels != 1) return NULL;
  return &record->members->type;
}

/* A pointer to an array counts as one level, and so does an array of arrays. */
static void describe(const struct op2i_c_decl *decl, int ndeclared, struct op2i_param *param) {
  const struct op2i_c_type *type = &decl->type;
  enum op2i_c_base base = type->base;
  const struct op2i_c_type *row = row_of(type);
  for (int k = 0; k < type->nlevels; k++) {
    param->depth += k == 0 || type->levels[k] == 0;
    param->rows = param->rows || (k > 0 && k >= ndeclared && type->levels[k] != 0);
  }
  /* C converts numbers of nearly all kinds if no pointer is involved. */
  bool number = base == OP2I_C_BOOL || base == OP2I_C_LONG_DOUBLE || base == OP2I_C_OTHER;
  param->foreign = decl->what == OP2I_C_TO_FUNCTION || base == OP2I_C_RECORD ||
                   (param->depth > 0 && (base == OP2I_C_VOID || number) && decl->seen);
  if (row) {
    base = row->base;
    param->foreign = false;
    param->rows = true;
  }
  param->type = op2i_c_type_of(base);
  param->extent = whole_extent(type);
  if (row) param->extent = row->levels[0] * (param->extent ? param->extent : 1);
  for (int k = 0; k < type->nlevels && k < OP2I_EXTENTS && (k == 0 || type->levels[k]); k++)
    param->extents[param->nextents++] = type->levels[k] > 0 ? type->levels[k] : 0;
  if (row && param->nextents < OP2I_EXTENTS) param->extents[param->nextents++] = row->levels[0];
  param->readonly = type->readonly;
}

/* Refuse what cannot be a parameter of a kernel whatever its argument is. `bool` of <stdbool.h> is
 * recognised if no header can have made it another type. */
static void refuse_parameter(struct reading *reading, const struct op2i_c_reader *r,
                             const struct op2i_c_decl *decl, int depth) {
  bool truth = decl->type.base == OP2I_C_BOOL;
  for (int k = 0; k < r->count; k++) {
    if (op2i_piece_is(&r->tokens[k], ",") && r->tokens[k].length && k >= r->at)
      reading->refused = "comes out of a macro that has several parameters: write them out, as op2 "
                         "counts them before the preprocessor does";
    truth = truth || (decl->type.base == OP2I_C_UNCLEAR && !reading->unit->tokens.given &&
                      op2i_piece_is(&r->tokens[k], "bool"));
  }
  if (truth && depth > 0)
    reading->refused = "points to bool, which is no type of op2: take uint8_t, for a dat of OP2_U8";
}

static void read_parameter(struct reading *reading, int begin, int end, struct op2i_param *param) {
  struct op2i_c_reader r = reader(reading, begin, end);
  struct op2i_c_decl decl;
  struct op2i_text name = {0}, spelled = {0};
  if (reading->failed) return;
  op2i_c_specifiers(&r, &decl);
  int of_type = decl.type.nlevels;
  op2i_c_declarator(&r, &decl);
  describe(&decl, decl.type.nlevels - of_type, param);
  refuse_parameter(reading, &r, &decl, param->depth);
  op2i_text_bytes(&name, decl.name ? decl.name->text : "",
                  decl.name ? (size_t)decl.name->length : 0);
  if (!name.failed) op2i_c_print_tokens(reading->unit, begin, end, name.chars, &spelled);
  /* Appending nothing turns an empty text into a string. */
  op2i_text_bytes(&spelled, "", 0);
  reading->failed = name.failed || spelled.failed;
  param->name = name.chars;
  param->type_text = spelled.chars;
}

static op2_status read_parameters(struct reading *reading, const struct op2i_item *item,
                                  const char *name, struct op2i_signature *out) {
  const struct op2i_unit *unit = reading->unit;
  int p = item->open + 1;
  int64_t capacity = 0;
  if (p == item->close || (op2i_unit_is(unit, p, "void") && p + 1 == item->close))
    return OP2_SUCCESS;
  for (;;) {
    int end = parameter_end(unit, p, item->close);
    if (end == p)
      return op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: parameter %d is empty", name,
                        op2i_unit_line(unit, p), out->nparams);
    if (op2i_unit_is(unit, p, "..."))
      return op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: a kernel cannot take '...'", name,
                        op2i_unit_line(unit, p));
    if (op2i_grow(&out->params, sizeof *out->params, out->nparams, &capacity))
      return unreadable(unit, name, OP2_ERR_NOMEM);
    out->params[out->nparams] = (struct op2i_param){0};
    read_parameter(reading, p, end, &out->params[out->nparams++]);
    if (reading->failed) return unreadable(unit, name, OP2_ERR_NOMEM);
    if (reading->refused)
      return op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: parameter %d ('%s %s') %s", name,
                        op2i_unit_line(unit, p), out->nparams - 1,
                        out->params[out->nparams - 1].type_text, out->params[out->nparams - 1].name,
                        reading->refused);
    if (end == item->close) return OP2_SUCCESS;
    p = end + 1;
  }
}

/* The parameters are read with the macros and types that are defined before the function. */
static op2_status read_function(const struct op2i_unit *unit, const struct op2i_item *item,
                                const char *name, struct op2i_signature *out) {
  struct reading reading = {.unit = unit};
  op2_status status = OP2_SUCCESS;
  note_macros(&reading);
  for (const struct op2i_item *i = unit->items; i < item && !reading.failed; i++)
    if (i->kind == OP2I_ITEM_OTHER &&
        (op2i_unit_is(unit, i->begin, "typedef") || op2i_unit_is(unit, i->begin, "struct")))
      note_types(&reading, i);
  if (reading.failed)
    status = unreadable(unit, name, OP2_ERR_NOMEM);
  else
    status = read_parameters(&reading, item, name, out);
  op2i_macros_free(&reading.macros);
  op2i_macros_free(&reading.none);
  op2i_names_free(&reading.names);
  op2i_free(reading.types);
  return status;
}

/* Roughly the number of tokens in the bodies of macros, which will stand in the code. */
static int in_directives(const struct op2i_tokens *tokens) {
  enum { CHARACTERS = 4 };
  size_t n = 0;
  for (int64_t t = 0; t < tokens->count; t++)
    if (tokens->list[t].kind == OP2I_TOK_DIRECTIVE && !tokens->list[t].skipped)
      n += (tokens->list[t].end - tokens->list[t].begin) / CHARACTERS;
  return (int)n;
}

op2_status op2i_signature_parse(const char *source, const char *name, bool given,
                                struct op2i_signature *out) {
  struct op2i_unit unit;
  struct op2i_signature signature = {0};
  op2_status status = op2i_unit_read(source, given, &unit);
  if (status) {
    status = unreadable(&unit, name, status);
    goto fail;
  }
  OP2I_TRY(op2i_unit_refuse(&unit, name));
  const struct op2i_item *item = find_function(&unit, name);
  if (!item) {
    status = missing(&unit, name);
    goto fail;
  }
  signature.line = op2i_unit_line(&unit, item->name);
  signature.ntokens = unit.ncode + in_directives(&unit.tokens);
  OP2I_TRY(check_result(&unit, item, name));
  OP2I_TRY(read_function(&unit, item, name, &signature));
  op2i_unit_notice(&unit, item, &signature);
  *out = signature;
  op2i_unit_free(&unit);
  return OP2_SUCCESS;
fail:
  op2i_signature_free(&signature);
  op2i_unit_free(&unit);
  return status;
}

void op2i_signature_free(struct op2i_signature *signature) {
  if (!signature) return;
  for (int i = 0; i < signature->nparams; i++) {
    op2i_free(signature->params[i].name);
    op2i_free(signature->params[i].type_text);
  }
  op2i_free(signature->params);
  *signature = (struct op2i_signature){0};
}

/* ---- uses of a name -------------------------------------------------------------------------- */

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* True if the word occurs anywhere, even in a comment or string. */
static bool occurs(const char *source, const char *word) {
  size_t length = strlen(word);
  for (const char *at = source; (at = strstr(at, word)); at++)
    if ((at == source || !word_char(at[-1])) && !word_char(at[length])) return true;
  return false;
}

/* True if a macro of the text could make the word out of parts. */
static bool joins(const char *text) { return strstr(text, "##") != NULL; }

static bool uses_itself(const struct op2i_unit *unit, const char *word) {
  for (int64_t t = 0; t < unit->tokens.count; t++)
    if (unit->roles[t] == OP2I_ROLE_FREE && op2i_token_is(&unit->tokens, t, word)) return true;
  return false;
}

static bool uses_by_macros(const struct op2i_unit *unit, const struct op2i_macros *macros,
                           const char *word) {
  bool *marks = macros->count ? op2i_calloc((size_t)macros->count, sizeof *marks) : NULL;
  bool uses = macros->count && !marks;
  if (marks && op2i_names_find(&unit->declared, word, strlen(word)) < 0 &&
      op2i_reach_mark(macros, op2i_reach_name, word, marks))
    for (int64_t t = 0; t < unit->tokens.count && !uses; t++)
      uses = op2i_reach_token(macros, marks, &unit->tokens, t);
  op2i_free(marks);
  return uses;
}

/* True if a header defines a macro of this name, which then stands for all that the source names so. */
static bool replaced(const struct op2i_unit *unit, const struct op2i_macros *macros,
                     const char *word) {
  const struct op2i_macro *macro = op2i_macros_find(macros, word, strlen(word), INT64_MAX);
  return macro && !macro->undefined && !macro->skipped &&
         op2i_names_find(&unit->macros, word, strlen(word)) < 0;
}

bool op2i_source_uses(const char *source, const char *whole, const char *word) {
  const char *text = whole ? whole : source;
  if (!occurs(text, word) && !joins(text)) return false;
  struct op2i_unit unit;
  struct op2i_macros macros = {0};
  struct op2i_tokens tokens = {0};
  op2_status status = op2i_unit_read(source, false, &unit);
  if (!status) status = op2i_tokenize(text, false, &tokens);
  if (!status) op2i_reach_read(&tokens, &macros);
  /* Without memory the answer errs towards yes, which costs a few bytes in a loop's payload. */
  bool uses = status || macros.arena.failed;
  if (!uses && !(whole && replaced(&unit, &macros, word)))
    uses = uses_itself(&unit, word) || uses_by_macros(&unit, &macros, word);
  op2i_macros_free(&macros);
  op2i_tokens_free(&tokens);
  op2i_unit_free(&unit);
  return uses;
}

/* True if the variable at a position, or an element of it, is assigned to there. */
static bool assigned(const struct op2i_unit *unit, int at) {
  static const char *const signs[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  if (op2i_unit_is(unit, at - 1, "++") || op2i_unit_is(unit, at - 1, "--")) return true;
  do at = unit->match[at] > at ? unit->match[at] + 1 : at + 1;
  while (op2i_unit_is(unit, at, "["));
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (op2i_unit_is(unit, at, signs[i])) return true;
  return false;
}

int op2i_source_assigns(const char *source, const char *word) {
  struct op2i_unit unit;
  int line = 0;
  bool read = op2i_unit_read(source, false, &unit) == OP2_SUCCESS;
  for (int i = 0; read && i < unit.nitems; i++) {
    const struct op2i_item *item = &unit.items[i];
    if (item->kind != OP2I_ITEM_FUNCTION) continue;
    for (int p = item->body + 1; !line && p < item->end; p++)
      if (unit.roles[unit.code[p]] == OP2I_ROLE_FREE && op2i_unit_is(&unit, p, word) &&
          assigned(&unit, p))
        line = op2i_unit_line(&unit, p);
  }
  op2i_unit_free(&unit);
  return line;
}

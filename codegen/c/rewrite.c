/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites a kernel's source for generated text: names of its functions, and its constants as
 * parameters. */
#include "rewrite.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "longs.h"
#include "mem.h"
#include "rename.h"

/* ---- functions that use constants ------------------------------------------------------------ */

/* The constant that token t refers to, or null. */
const struct op2i_loop_const *op2i_rewrite_constant(const struct op2i_rewrite *r, int64_t t) {
  const struct op2i_member *m = &r->member;
  if (r->unit.roles[t] != OP2I_ROLE_FREE) return NULL;
  for (const struct op2i_loop_const *c = r->consts; c < r->consts + m->nconsts; c++)
    if (op2i_token_is(&r->unit.tokens, t, c->name))
      return op2i_rewrite_redefined(r, c->name, strlen(c->name), t) ? NULL : c;
  return NULL;
}

/* The item of the function that token t refers to, or -1. A call may stand before the
 * definition. */
int op2i_rewrite_function(const struct op2i_rewrite *r, int64_t t) {
  const struct op2i_unit *unit = &r->unit;
  bool outer = unit->roles[t] == OP2I_ROLE_FILE || unit->roles[t] == OP2I_ROLE_FREE;
  return outer ? op2i_unit_function(unit, t) : -1;
}

static int64_t first_token(const struct op2i_unit *unit, const struct op2i_item *item) {
  return unit->code[item->begin];
}
static int64_t last_token(const struct op2i_unit *unit, const struct op2i_item *item) {
  return unit->code[item->end - 1];
}

static bool uses_constants(const struct op2i_rewrite *r, const struct op2i_item *item) {
  const struct op2i_unit *unit = &r->unit;
  for (int64_t t = first_token(unit, item); t <= last_token(unit, item); t++) {
    if (op2i_rewrite_constant(r, t) || op2i_rewrite_carries(r, t)) return true;
    int callee = op2i_rewrite_function(r, t);
    if (callee >= 0 && r->needs[callee]) return true;
  }
  return false;
}

/* Passes go forwards and backwards alternately, since chains of calls mostly go one way. */
static void spread_needs(struct op2i_rewrite *r) {
  bool forwards = false;
  for (bool changed = true; changed;) {
    changed = op2i_rewrite_mark(r);
    forwards = !forwards;
    for (int k = 0; k < r->unit.nitems; k++) {
      int i = forwards ? k : r->unit.nitems - 1 - k;
      if (r->needs[i] || r->unit.items[i].kind != OP2I_ITEM_FUNCTION) continue;
      r->needs[i] = uses_constants(r, &r->unit.items[i]);
      changed = changed || r->needs[i];
    }
  }
}

/* ---- sharing a translation unit -------------------------------------------------------------- */

/* True if the headers are among those that every loop includes anyway. */
static bool headers_harmless(const char *headers) {
  static const char *const lines[] = {"#include <float.h>\n", "#include <math.h>\n",
                                      "#include <stddef.h>\n", "#include <stdint.h>\n"};
  while (headers && *headers) {
    size_t known = 0;
    for (size_t i = 0; !known && i < sizeof lines / sizeof lines[0]; i++)
      if (strncmp(headers, lines[i], strlen(lines[i])) == 0) known = strlen(lines[i]);
    if (!known) return false;
    headers += known;
  }
  return true;
}

static bool functions_only(const struct op2i_unit *unit) {
  for (int64_t t = 0; t < unit->tokens.count; t++)
    if (unit->tokens.list[t].kind == OP2I_TOK_DIRECTIVE) return false;
  for (int i = 0; i < unit->nitems; i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind == OP2I_ITEM_OTHER &&
        !(item->end == item->begin + 1 && op2i_unit_is(unit, item->begin, ";")))
      return false;
  }
  return true;
}

/* ---- the source ------------------------------------------------------------------------------ */

/* Members of a fused loop with the same kernel share its text, so they share a prefix. */
static void name_rewrite(const struct op2i_loop *loop, int member, struct op2i_rewrite *r) {
  r->same_as = member;
  if (!loop->fused.members) return;
  r->same_as = 0;
  while (loop->fused.members[r->same_as].kernel != r->member.kernel) r->same_as++;
  snprintf(r->prefix, sizeof r->prefix, "k%d_", r->same_as);
}

static op2_status begin(const struct op2i_loop *loop, int member, struct op2i_text source,
                        struct op2i_rewrite *r) {
  *r = (struct op2i_rewrite){.member = op2i_loop_member(loop, member), .source = source};
  const struct op2_kernel_s *kernel = r->member.kernel;
  r->consts = loop->consts + r->member.first_const;
  name_rewrite(loop, member, r);
  const char *text = source.length ? source.chars : kernel->source;
  op2_status status = op2i_unit_read(text, kernel->given, &r->unit);
  if (!status) status = op2i_rewrite_macros(r);
  if (!status) {
    r->needs = op2i_calloc((size_t)r->unit.nitems, sizeof *r->needs);
    if (!r->needs) status = OP2_ERR_NOMEM;
  }
  if (!status) {
    spread_needs(r);
    op2i_rewrite_find_locals(r);
    r->mergeable = functions_only(&r->unit) && headers_harmless(kernel->headers);
  }
  if (status == OP2_ERR_NOMEM) return op2i_error_nomem("generated code");
  if (!status) return OP2_SUCCESS;
  return op2i_error(status, "kernel '%s', line %d: %s", kernel->obj.name, r->unit.wrong_line,
                    r->unit.wrong);
}

op2_status op2i_rewrite_begin(const struct op2i_loop *loop, int member, struct op2i_rewrite *r) {
  return begin(loop, member, (struct op2i_text){0}, r);
}

op2_status op2i_rewrite_replace(const struct op2i_loop *loop, int member, struct op2i_text *source,
                                struct op2i_rewrite *r) {
  struct op2i_text taken = *source;
  *source = (struct op2i_text){0};
  op2i_rewrite_end(r);
  return begin(loop, member, taken, r);
}

/* True if a header declares something of the name of one of the loop's constants: scalar code, which
 * does not look into headers, takes the constant. */
static bool hides_constant(const struct op2i_rewrite *r) {
  const struct op2i_tokens *tokens = &r->unit.tokens;
  for (int64_t t = 0; t < tokens->count; t++)
    for (int c = 0; c < r->member.nconsts; c++)
      if (r->unit.roles[t] == OP2I_ROLE_FILE && op2i_token_is(tokens, t, r->consts[c].name))
        return true;
  return false;
}

/* The line of the source that brought a line of the whole text, or 0: the description did. */
static int line_of_source(const struct op2_kernel_s *kernel, int line) {
  if (line < 1 || line > kernel->whole.nlines) return 0;
  return kernel->whole.lines[line - 1] > 0 ? kernel->whole.lines[line - 1] : 0;
}

op2_status op2i_rewrite_whole(const struct op2i_rewrite *r, struct op2i_rewrite *whole,
                              const char **why) {
  const struct op2_kernel_s *kernel = r->member.kernel;
  *whole = *r;
  whole->source = (struct op2i_text){0};
  whole->unit = (struct op2i_unit){0};
  whole->needs = NULL;
  whole->macros = (struct op2i_rewrite_macros){0};
  op2_status status = op2i_unit_read(kernel->whole.text.chars, kernel->whole_given, &whole->unit);
  if (status == OP2_ERR_SYNTAX) {
    *why = "has headers that cannot be read";
    return OP2_SUCCESS;
  }
  if (!status) status = op2i_rewrite_macros(whole);
  if (!status) whole->needs = op2i_calloc((size_t)whole->unit.nitems, sizeof *whole->needs);
  if (!whole->needs) return op2i_error_nomem("generated code");
  struct op2i_tokens *tokens = &whole->unit.tokens;
  for (int64_t t = 0; t <= tokens->count; t++)
    tokens->list[t].line = line_of_source(kernel, tokens->list[t].line);
  if (tokens->unclear) {
    tokens->unclear = line_of_source(kernel, tokens->unclear);
    if (!tokens->unclear)
      *why = "has a header with a preprocessor line on which its meaning may depend";
  }
  spread_needs(whole);
  if (hides_constant(whole) || op2i_rewrite_kernel_needs(whole) != op2i_rewrite_kernel_needs(r))
    *why = "has headers that name a constant of the loop";
  return OP2_SUCCESS;
}

void op2i_rewrite_end(struct op2i_rewrite *r) {
  op2i_rewrite_free_macros(r);
  op2i_unit_free(&r->unit);
  op2i_text_free(&r->source);
  op2i_free(r->needs);
  r->needs = NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct cursor {
  const struct op2i_rewrite *r;
  struct op2i_text *out;
  int item;     /* the item that the current token belongs to, or the next one */
  int function; /* the item that defines the function declared or defined at `item`, or -1 */
  bool *behind; /* True after a `long`: see longs.h. */
};

static bool token_is(const struct cursor *c, int64_t t, const char *spelling) {
  return op2i_token_is(&c->r->unit.tokens, t, spelling);
}

static void copy_token(const struct cursor *c, int64_t t) {
  const struct op2i_token *token = &c->r->unit.tokens.list[t];
  const char *text = c->r->unit.tokens.text + token->begin;
  size_t length = token->end - token->begin;
  bool apart = token->kind == OP2I_TOK_STRING || token->kind == OP2I_TOK_CHAR;
  if (token->kind == OP2I_TOK_DIRECTIVE)
    op2i_rename_directive(c->r, text, length, c->behind, c->out);
  else if (token->kind == OP2I_TOK_WORD && op2i_rename_operator(c->r, text, length))
    op2i_text_add(c->out, OP2I_WORD_PREFIX "%.*s", (int)length, text);
  else if (c->r->longs && !apart)
    op2i_longs_add(c->out, text, length, c->behind);
  else
    op2i_text_bytes(c->out, text, length);
}

static void own_name(const struct cursor *c, int64_t t) {
  if (!c->r->mergeable) {
    copy_token(c, t);
    return;
  }
  op2i_text_add(c->out, "OP2_NAME(%s", c->r->prefix);
  copy_token(c, t);
  op2i_text_add(c->out, ")");
}

/* True for the specifiers that are replaced in every function. */
static bool linkage_token(const struct cursor *c, int64_t t) {
  return token_is(c, t, "static") || token_is(c, t, "extern") || token_is(c, t, "inline") ||
         token_is(c, t, "__inline") || token_is(c, t, "__inline__");
}

bool op2i_rewrite_no_parameters(const struct op2i_rewrite *r, const struct op2i_item *item) {
  int first = item->open + 1;
  return first == item->close ||
         (op2i_unit_is(&r->unit, first, "void") && first + 1 == item->close);
}

/* Add the parenthesis that opens a parameter list, with the constants as the first parameter. */
static void open_parameters(const struct cursor *c, const struct op2i_item *item) {
  bool none = op2i_rewrite_no_parameters(c->r, item);
  op2i_text_add(c->out, "(const struct OP2_NAME(%sop2_consts) *__restrict__ op2_consts%s",
                c->r->prefix, none ? "" : ", ");
}

static bool lone_void(const struct cursor *c, const struct op2i_item *item, int64_t t) {
  int first = item->open + 1;
  return c->r->unit.code[first] == t && first + 1 == item->close && token_is(c, t, "void");
}

/* True if a macro in a function's head contains `static`. */
static bool made_static(const struct cursor *c, const struct op2i_item *item) {
  const struct op2i_unit *unit = &c->r->unit;
  for (int p = item->begin; p < item->name; p++) {
    const struct op2i_token *t = &unit->tokens.list[unit->code[p]];
    int64_t entry = op2i_names_find(&unit->macros, unit->tokens.text + t->begin, t->end - t->begin);
    if (entry < 0) continue;
    const struct op2i_name *macro = &unit->macros.list[entry];
    const char *end = unit->tokens.text + unit->tokens.list[macro->value].end;
    for (const char *at = macro->word; at + 6 <= end; at++)
      if (memcmp(at, "static", 6) == 0) return true;
  }
  return false;
}

/* A token in the head of a function that this source defines. Returns true if it has been written
 * or dropped. */
static bool head_token(const struct cursor *c, int64_t t) {
  const struct op2i_unit *unit = &c->r->unit;
  const struct op2i_item *item = &unit->items[c->item];
  if (t == first_token(unit, item) && !made_static(c, item))
    op2i_text_add(c->out, "static inline ");
  if (t == unit->code[item->name]) {
    own_name(c, t);
    return true;
  }
  if (t < unit->code[item->name]) return linkage_token(c, t);
  if (!c->r->needs[c->function]) return false;
  if (t == unit->code[item->open]) {
    open_parameters(c, item);
    return true;
  }
  return lone_void(c, item, t);
}

/* True if a macro of the source stands at token t. */
static bool is_macro(const struct cursor *c, int64_t t) {
  const struct op2i_token *token = &c->r->unit.tokens.list[t];
  return op2i_rewrite_redefined(c->r, c->r->unit.tokens.text + token->begin,
                                token->end - token->begin, t);
}

/* Write the parenthesis that opens the arguments of a call, if token t is one, or the name of a
 * function that a macro is to call. Returns true if it is. */
static bool call_token(const struct cursor *c, int64_t t) {
  const struct op2i_rewrite *r = c->r;
  bool opens = t > 0 && token_is(c, t, "(");
  int64_t name = opens ? t - 1 : t;
  int callee = op2i_rewrite_function(r, name);
  if (callee < 0 || !r->needs[callee] || is_macro(c, name)) return false;
  if (opens) {
    op2i_text_add(c->out, "(op2_consts%s", token_is(c, t + 1, ")") ? "" : ", ");
    return true;
  }
  bool given = r->macros.argument && r->macros.argument[t] && !token_is(c, t + 1, "(");
  if (given) op2i_text_add(c->out, OP2I_CALL_PREFIX "%s", r->prefix);
  if (given) copy_token(c, t);
  return given;
}

/* The first and the last token of a body enclose it in another block if the function has local
 * variables for constants, so that its own can have the same names. */
static bool body_token(const struct cursor *c, int64_t t) {
  const struct op2i_unit *unit = &c->r->unit;
  const struct op2i_item *item = &unit->items[c->item];
  bool first = t == unit->code[item->body], last = t == last_token(unit, item);
  if (!(first || last) || !op2i_rewrite_declare(c->r, c->item, NULL)) return false;
  op2i_text_add(c->out, first ? "{" : "}");
  if (first) (void)op2i_rewrite_declare(c->r, c->item, c->out);
  op2i_text_add(c->out, first ? " {" : " }");
  return true;
}

/* A constant stays as it is behind the local variable of its name. */
static bool stays(const struct cursor *c, int64_t t, const struct op2i_loop_const *constant) {
  const struct op2i_unit *unit = &c->r->unit;
  return t > unit->code[unit->items[c->item].body] && op2i_rewrite_local(c->r, c->item, constant);
}

enum declared { NEITHER, VARIABLE, TABLE };
/* Return what the declaration that begins at index `at` defines with a value: a constant, a variable, or
 * neither, if it is a pointer, which may change. */
static enum declared declared(const struct op2i_unit *unit, int at, int end) {
  bool constant = false;
  for (; at < end && !op2i_unit_is(unit, at, ";"); at++) {
    constant = constant || op2i_unit_is(unit, at, "const");
    if (op2i_unit_is(unit, at, "=")) return constant ? TABLE : VARIABLE;
    if (op2i_unit_is(unit, at, "*")) return NEITHER;
    if (unit->match[at] > at) at = unit->match[at];
  }
  return NEITHER;
}

/* The first token of a table, or the `static` of one. Returns true if it has been written or
 * dropped. */
static bool table_token(const struct cursor *c, int64_t t) {
  const struct op2i_unit *unit = &c->r->unit;
  if (!c->r->tables && !c->r->variables) return false;
  if (c->item == unit->nitems || t < first_token(unit, &unit->items[c->item])) return false;
  const struct op2i_item *item = &unit->items[c->item];
  bool outside = item->kind == OP2I_ITEM_OTHER;
  enum declared kind = outside ? declared(unit, item->begin, item->end) : NEITHER;
  if (kind == VARIABLE && c->r->variables && t == first_token(unit, item))
    op2i_text_add(c->out, "%s", c->r->variables);
  if (!c->r->tables || (outside && kind != TABLE)) return false;
  if (outside && t == first_token(unit, item)) op2i_text_add(c->out, "%s", c->r->tables);
  if (!token_is(c, t, "static")) return false;
  if (outside) return true;
  int at = item->begin;
  while (at < item->end && unit->code[at] != t) at++;
  return item->kind == OP2I_ITEM_FUNCTION && at > item->body &&
         declared(unit, at, item->end) == TABLE;
}

static void one_token(const struct cursor *c, int64_t t) {
  const struct op2i_loop_const *constant = op2i_rewrite_constant(c->r, t);
  bool inside = c->function >= 0 && c->r->unit.items[c->item].kind == OP2I_ITEM_FUNCTION;
  if (c->function >= 0 && head_token(c, t)) return;
  if (table_token(c, t)) return;
  if (inside && constant && stays(c, t, constant))
    copy_token(c, t);
  else if (inside && constant)
    op2i_rewrite_read(c->r, constant, c->out);
  else if (inside && (call_token(c, t) || body_token(c, t)))
    return;
  else if (op2i_rewrite_function(c->r, t) >= 0)
    own_name(c, t);
  else
    copy_token(c, t);
}

/* Move the cursor's item and function on to token t. */
static void advance(struct cursor *c, int64_t t) {
  const struct op2i_unit *unit = &c->r->unit;
  while (c->item < unit->nitems && last_token(unit, &unit->items[c->item]) < t) c->item++;
  c->function = -1;
  if (c->item == unit->nitems) return;
  const struct op2i_item *item = &unit->items[c->item];
  if (t >= first_token(unit, item) && item->kind != OP2I_ITEM_OTHER)
    c->function = op2i_unit_function(unit, unit->code[item->name]);
}

void op2i_rewrite_emit(const struct op2i_rewrite *r, struct op2i_text *out) {
  const struct op2i_tokens *tokens = &r->unit.tokens;
  bool behind = false;
  struct cursor c = {.r = r, .out = out, .behind = &behind};
  size_t done = 0;
  for (int64_t t = 0; t < tokens->count; t++) {
    op2i_text_bytes(out, tokens->text + done, tokens->list[t].begin - done);
    advance(&c, t);
    one_token(&c, t);
    done = tokens->list[t].end;
  }
  op2i_text_bytes(out, tokens->text + done, strlen(tokens->text + done));
}

bool op2i_rewrite_kernel_needs(const struct op2i_rewrite *r) {
  for (int i = 0; i < r->unit.nitems; i++)
    if (r->needs[i] && op2i_unit_is(&r->unit, r->unit.items[i].name, r->member.kernel->obj.name))
      return true;
  return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants and functions that a kernel's source uses by way of macros. The preprocessor comes
 * after the rewriting, so a function gets a local variable of the constant's name, which C's scopes
 * hide where the source hides the constant; and a function that takes the constants is called
 * through a macro that passes them. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "reach.h"
#include "rename.h"
#include "rewrite.h"

static bool *row(const struct op2i_rewrite *r, int c) {
  return r->macros.marks + (int64_t)c * r->macros.list.count;
}

/* True if the source declares no variable of this name at file scope, which would hide it. */
static bool visible(const struct op2i_rewrite *r, const char *name) {
  return op2i_names_find(&r->unit.declared, name, strlen(name)) < 0;
}

bool op2i_rewrite_redefined(const struct op2i_rewrite *r, const char *word, size_t length,
                            int64_t t) {
  const struct op2i_macros *macros = &r->macros.list;
  int64_t entry = op2i_names_find(&macros->names, word, length);
  for (; entry >= 0; entry = op2i_names_older(&macros->names, entry)) {
    const struct op2i_macro *macro = macros->list[macros->names.list[entry].value];
    if (!macro->skipped && (r->macros.foreign || macro->from < t)) return !macro->undefined;
  }
  return false;
}

/* ---- functions that use constants ------------------------------------------------------------ */

static bool carries(const void *client, const struct op2i_piece *first,
                    const struct op2i_piece *last) {
  const struct op2i_rewrite *r = client;
  for (int c = 0; c < r->member.nconsts; c++)
    if (op2i_reach_name(r->consts[c].name, first, last) && visible(r, r->consts[c].name))
      return true;
  int64_t entry =
      first == last ? op2i_names_find(&r->unit.functions, first->text, (size_t)first->length) : -1;
  return entry >= 0 && r->needs[r->unit.functions.list[entry].value];
}

bool op2i_rewrite_mark(const struct op2i_rewrite *r) {
  if (!r->macros.list.count) return false;
  return op2i_reach_mark(&r->macros.list, carries, r, row(r, r->member.nconsts));
}

bool op2i_rewrite_carries(const struct op2i_rewrite *r, int64_t t) {
  return r->macros.list.count &&
         op2i_reach_token(&r->macros.list, row(r, r->member.nconsts), &r->unit.tokens, t);
}

/* ---- macros ---------------------------------------------------------------------------------- */

/* True if token t is the name of a macro with parameters, and its arguments follow. */
static bool calls_macro(const struct op2i_rewrite *r, int64_t t) {
  const struct op2i_macros *macros = &r->macros.list;
  const struct op2i_tokens *tokens = &r->unit.tokens;
  const struct op2i_token *token = &tokens->list[t];
  if (token->kind != OP2I_TOK_WORD || !op2i_token_is(tokens, t + 1, "(")) return false;
  int64_t entry =
      op2i_names_find(&macros->names, tokens->text + token->begin, token->end - token->begin);
  while (entry >= 0 && !macros->list[macros->names.list[entry].value]->function)
    entry = op2i_names_older(&macros->names, entry);
  return entry >= 0;
}

static void mark_arguments(struct op2i_rewrite *r) {
  const struct op2i_tokens *tokens = &r->unit.tokens;
  int depth = 0;
  for (int64_t t = 0; t < tokens->count; t++) {
    if (!depth && calls_macro(r, t)) {
      depth++;
      t++;
      continue;
    }
    depth += depth && op2i_token_is(tokens, t, "(");
    depth -= depth && op2i_token_is(tokens, t, ")");
    r->macros.argument[t] = depth > 0;
  }
}

static void read_list(struct op2i_rewrite *r) {
  const struct op2_kernel_s *kernel = r->member.kernel;
  struct op2i_tokens tokens;
  r->macros.foreign = r->unit.tokens.text == kernel->source && kernel->whole.text.length;
  if (!r->macros.foreign) {
    op2i_reach_read(&r->unit.tokens, &r->macros.list);
    return;
  }
  op2_status status = op2i_tokenize(kernel->whole.text.chars, kernel->whole_given, &tokens);
  if (status == OP2_ERR_NOMEM) r->macros.list.arena.failed = true;
  if (!status) op2i_reach_read(&tokens, &r->macros.list);
  op2i_tokens_free(&tokens);
}

op2_status op2i_rewrite_macros(struct op2i_rewrite *r) {
  struct op2i_rewrite_macros *macros = &r->macros;
  size_t nconsts = (size_t)r->member.nconsts;
  if (!nconsts) return OP2_SUCCESS;
  read_list(r);
  if (macros->list.arena.failed) return OP2_ERR_NOMEM;
  if (!macros->list.count) return OP2_SUCCESS;
  macros->marks = op2i_calloc((nconsts + 1) * (size_t)macros->list.count, 1);
  macros->argument = op2i_calloc((size_t)r->unit.tokens.count + 1, 1);
  macros->local = op2i_calloc(nconsts * (size_t)r->unit.nitems + 1, 1);
  if (!macros->marks || !macros->argument || !macros->local) return OP2_ERR_NOMEM;
  mark_arguments(r);
  for (int c = 0; c < (int)nconsts; c++)
    if (visible(r, r->consts[c].name))
      (void)op2i_reach_mark(&macros->list, op2i_reach_name, r->consts[c].name, row(r, c));
  return OP2_SUCCESS;
}

void op2i_rewrite_free_macros(struct op2i_rewrite *r) {
  op2i_macros_free(&r->macros.list);
  op2i_free(r->macros.marks);
  op2i_free(r->macros.argument);
  op2i_free(r->macros.local);
  r->macros = (struct op2i_rewrite_macros){0};
}

/* ---- local variables ------------------------------------------------------------------------- */

/* True if a function has a parameter of the constant's name, or may have one by a macro. */
static bool is_parameter(const struct op2i_rewrite *r, const struct op2i_item *item, int c) {
  const struct op2i_unit *unit = &r->unit;
  for (int p = item->open; p < item->close; p++)
    if ((op2i_unit_is(unit, p, r->consts[c].name) &&
         unit->roles[unit->code[p]] == OP2I_ROLE_NONE) ||
        op2i_reach_token(&r->macros.list, row(r, c), &unit->tokens, unit->code[p]))
      return true;
  return false;
}

static bool is_size(const struct op2i_piece *p) {
  static const char *const words[] = {"sizeof", "_Alignof", "__alignof__", "typeof", "__typeof__"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (op2i_piece_is(p, words[i])) return true;
  return false;
}

/* True if the function may depend on the constant being an array rather than a pointer to one. */
static bool asks_size(const struct op2i_rewrite *r, const struct op2i_item *item, int c) {
  const struct op2i_macros *macros = &r->macros.list;
  const struct op2i_unit *unit = &r->unit;
  const char *name = r->consts[c].name;
  if (r->consts[c].dim == 1) return false;
  for (int64_t m = 0; m < macros->count; m++)
    for (const struct op2i_piece *p = macros->list[m]->body; p; p = p->next)
      if (is_size(p) || (op2i_piece_is(p, "&") && op2i_piece_is(p->next, name) &&
                         !op2i_piece_is(p->next->next, "[")))
        return true;
  for (int p = item->body; p < item->end; p++) {
    const struct op2i_piece piece = op2i_piece_of(&unit->tokens, unit->code[p]);
    if (is_size(&piece) || (op2i_unit_is(unit, p, "&") && op2i_unit_is(unit, p + 1, name) &&
                            !op2i_unit_is(unit, p + 2, "[")))
      return true;
  }
  return false;
}

/* True if a function uses a constant through macros, or as an argument of one. */
static bool uses_through(const struct op2i_rewrite *r, const struct op2i_item *item, int c) {
  const struct op2i_unit *unit = &r->unit;
  for (int64_t t = unit->code[item->body]; t < unit->code[item->end - 1]; t++)
    if (op2i_reach_token(&r->macros.list, row(r, c), &unit->tokens, t) ||
        (r->macros.argument[t] && op2i_rewrite_constant(r, t) == &r->consts[c]))
      return true;
  return false;
}

static bool takes_local(const struct op2i_rewrite *r, const struct op2i_item *item, int c) {
  const char *name = r->consts[c].name;
  return item->kind == OP2I_ITEM_FUNCTION && visible(r, name) && !is_parameter(r, item, c) &&
         uses_through(r, item, c) &&
         !op2i_rewrite_redefined(r, name, strlen(name), r->unit.code[item->body]) &&
         !(r->consts[c].in_place && asks_size(r, item, c));
}

void op2i_rewrite_find_locals(struct op2i_rewrite *r) {
  if (!r->macros.list.count) return;
  for (int c = 0; c < r->member.nconsts; c++)
    for (int i = 0; i < r->unit.nitems; i++)
      r->macros.local[c * r->unit.nitems + i] = takes_local(r, &r->unit.items[i], c);
}

bool op2i_rewrite_local(const struct op2i_rewrite *r, int i, const struct op2i_loop_const *c) {
  return r->macros.list.count && r->macros.local[(c - r->consts) * r->unit.nitems + i];
}

void op2i_rewrite_read(const struct op2i_rewrite *r, const struct op2i_loop_const *c,
                       struct op2i_text *out) {
  op2i_text_add(out, r->apart || c->in_place ? "(*op2_consts->%s)" : "op2_consts->%s", c->name);
}

/* An array is pointed to, unless its size may matter. */
static void declare(const struct op2i_rewrite *r, const struct op2i_item *item,
                    const struct op2i_loop_const *c, struct op2i_text *out) {
  const char *type = op2i_type_c(c->type);
  if (!asks_size(r, item, (int)(c - r->consts))) {
    op2i_text_add(out, c->dim > 1 ? " const %s *const %s = " : " const %s %s = ", type, c->name);
    op2i_rewrite_read(r, c, out);
    op2i_text_add(out, ";");
    return;
  }
  op2i_text_add(out, " const %s %s[%d] = {", type, c->name, (int)c->dim);
  for (int n = 0; n < c->dim; n++) {
    op2i_text_add(out, n ? ", " : "");
    op2i_rewrite_read(r, c, out);
    op2i_text_add(out, "[%d]", n);
  }
  op2i_text_add(out, "};");
}

bool op2i_rewrite_declare(const struct op2i_rewrite *r, int i, struct op2i_text *out) {
  bool any = false;
  for (const struct op2i_loop_const *c = r->consts; c < r->consts + r->member.nconsts; c++) {
    if (!op2i_rewrite_local(r, i, c)) continue;
    any = true;
    if (out) declare(r, &r->unit.items[i], c, out);
  }
  return any;
}

void op2i_rewrite_undefine_consts(const struct op2i_rewrite *r, struct op2i_text *out) {
  for (int c = 0; c < r->member.nconsts; c++) {
    const char *name = r->consts[c].name;
    if (op2i_rewrite_redefined(r, name, strlen(name), INT64_MAX))
      op2i_text_add(out, "#undef %s\n", name);
  }
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* True if a macro's body names the function, or a macro has it as an argument. */
static bool called_by_macro(const struct op2i_rewrite *r, const struct op2i_name *function) {
  const struct op2i_macros *macros = &r->macros.list;
  const struct op2i_tokens *tokens = &r->unit.tokens;
  for (int64_t m = 0; m < macros->count; m++)
    for (const struct op2i_piece *p = macros->list[m]->body; p; p = p->next)
      if ((size_t)p->length == function->length &&
          memcmp(p->text, function->word, function->length) == 0)
        return true;
  for (int64_t t = 0; t < tokens->count; t++) {
    const struct op2i_token *token = &tokens->list[t];
    if (r->macros.argument[t] && token->end - token->begin == function->length &&
        memcmp(tokens->text + token->begin, function->word, function->length) == 0)
      return true;
  }
  return false;
}

bool op2i_rewrite_called(const struct op2i_rewrite *r, const char *word, size_t length) {
  int64_t entry = r->macros.list.count ? op2i_names_find(&r->unit.functions, word, length) : -1;
  return entry >= 0 && r->needs[r->unit.functions.list[entry].value] &&
         !op2i_rename_operator(r, word, length);
}

void op2i_rewrite_define_calls(const struct op2i_rewrite *r, struct op2i_text *out) {
  const struct op2i_names *functions = &r->unit.functions;
  for (int64_t e = 0; e < functions->count; e++) {
    const struct op2i_name *f = &functions->list[e];
    const struct op2i_item *item = &r->unit.items[f->value];
    if (!op2i_rewrite_called(r, f->word, f->length) || !called_by_macro(r, f) ||
        op2i_names_find(functions, f->word, f->length) != e)
      continue;
    bool none = op2i_rewrite_no_parameters(r, item);
    op2i_text_add(out, "#define " OP2I_CALL_PREFIX "%s%.*s(%s) %.*s(op2_consts%s)\n", r->prefix,
                  (int)f->length, f->word, none ? "" : "...", (int)f->length, f->word,
                  none ? "" : ", __VA_ARGS__");
  }
}

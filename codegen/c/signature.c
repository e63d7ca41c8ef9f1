/* SPDX-License-Identifier: BSD-3-Clause */
/* The signature of a kernel, from its source. */
#include <string.h>

#include "signature.h"

#include "cdecl.h"
#include "error.h"
#include "kernel.h"
#include "mem.h"

static op2_status unreadable(const struct op2i_unit *unit, const char *name, op2_status status) {
  if (status == OP2_ERR_NOMEM) return op2i_error_nomem("a kernel's signature");
  return op2i_error(status, "kernel '%s', line %d: %s", name, unit->wrong_line, unit->wrong);
}

/* ---- the function ---------------------------------------------------------------------------- */

/* Tell what the source has instead of the function. */
static op2_status missing(const struct op2i_unit *unit, const char *name) {
  struct op2i_text others = {0};
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
    op2i_cdecl_spell(unit, item->name, item->name + 1, "", &others);
  }
  int last = unit->tokens.list[unit->tokens.count].line;
  op2_status status = op2i_error(
      OP2_ERR_SYNTAX, "kernel '%s', lines 1 to %d: no function of this name (%s%s)", name, last,
      others.length ? "there is: " : "there is none at all", others.length ? others.chars : "");
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
  op2i_cdecl_spell(unit, item->begin, item->name, "", &type);
  op2_status status =
      op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: a kernel returns void, this one '%s'", name,
                 op2i_unit_line(unit, item->name), type.failed || !type.chars ? "?" : type.chars);
  op2i_text_free(&type);
  return status;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static int parameter_end(const struct op2i_unit *unit, int place, int close) {
  while (place < close && !op2i_unit_is(unit, place, ","))
    place = unit->match[place] > place ? unit->match[place] + 1 : place + 1;
  return place;
}

static op2_status read_parameter(const struct op2i_typedefs *typedefs, int begin, int end,
                                 struct op2i_param *param) {
  struct op2i_cdecl decl = {0};
  struct op2i_text spelled = {0};
  op2_status status = op2i_cdecl_read(typedefs, begin, end, &decl);
  if (!status) {
    /* Appending nothing makes an empty text a string. */
    op2i_text_bytes(&decl.name, "", 0);
    if (!decl.name.failed) op2i_cdecl_spell(typedefs->unit, begin, end, decl.name.chars, &spelled);
    op2i_text_bytes(&spelled, "", 0);
    if (decl.name.failed || spelled.failed) status = OP2_ERR_NOMEM;
  }
  if (status) {
    op2i_text_free(&decl.name);
    op2i_text_free(&spelled);
    return status;
  }
  *param = (struct op2i_param){.name = decl.name.chars,
                               .type_text = spelled.chars,
                               .type = decl.type,
                               .depth = decl.depth,
                               .extent = decl.extent,
                               .readonly = decl.readonly,
                               .rows = decl.rows,
                               .foreign = decl.foreign};
  return OP2_SUCCESS;
}

static op2_status append_parameter(const struct op2i_typedefs *typedefs, int begin, int end,
                                   struct op2i_signature *out, int64_t *capacity) {
  if (op2i_grow(&out->params, sizeof *out->params, out->nparams, capacity)) return OP2_ERR_NOMEM;
  op2_status status = read_parameter(typedefs, begin, end, &out->params[out->nparams]);
  if (!status) out->nparams++;
  return status;
}

static op2_status read_parameters(const struct op2i_typedefs *typedefs,
                                  const struct op2i_item *item, const char *name,
                                  struct op2i_signature *out) {
  const struct op2i_unit *unit = typedefs->unit;
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
    op2_status status = append_parameter(typedefs, p, end, out, &capacity);
    if (status) return unreadable(unit, name, status);
    if (end == item->close) return OP2_SUCCESS;
    p = end + 1;
  }
}

op2_status op2i_signature_parse(const char *source, const char *name, bool given,
                                struct op2i_signature *out) {
  struct op2i_unit unit;
  struct op2i_typedefs typedefs = {0};
  struct op2i_signature signature = {0};
  op2_status status = op2i_unit_read(source, given, &unit);
  if (status) {
    status = unreadable(&unit, name, status);
    goto fail;
  }
  const struct op2i_item *item = find_function(&unit, name);
  if (!item) {
    status = missing(&unit, name);
    goto fail;
  }
  signature.line = op2i_unit_line(&unit, item->name);
  OP2I_TRY(check_result(&unit, item, name));
  status = op2i_typedefs_read(&unit, &typedefs);
  if (status) {
    status = unreadable(&unit, name, status);
    goto fail;
  }
  OP2I_TRY(read_parameters(&typedefs, item, name, &signature));
  *out = signature;
  op2i_typedefs_free(&typedefs);
  op2i_unit_free(&unit);
  return OP2_SUCCESS;
fail:
  op2i_typedefs_free(&typedefs);
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

/* Whether the characters occur at all, as a whole word. */
static bool occurs(const char *source, const char *word) {
  size_t length = strlen(word);
  for (const char *at = source; (at = strstr(at, word)); at++)
    if ((at == source || !word_char(at[-1])) && !word_char(at[length])) return true;
  return false;
}

bool op2i_source_uses(const char *source, const char *word) {
  if (!occurs(source, word)) return false;
  struct op2i_unit unit;
  /* Without memory for a closer look the answer errs towards yes, which costs a few bytes in a
   * loop's payload. */
  bool uses = op2i_unit_read(source, false, &unit) != OP2_SUCCESS;
  for (int64_t t = 0; !uses && t < unit.tokens.count; t++)
    uses = unit.roles[t] == OP2I_ROLE_FREE && op2i_token_is(&unit.tokens, t, word);
  op2i_unit_free(&unit);
  return uses;
}

/* Whether what stands at a place, elements of an array included, is given a value there. */
static bool assigned(const struct op2i_unit *unit, int place) {
  static const char *const signs[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  if (op2i_unit_is(unit, place - 1, "++") || op2i_unit_is(unit, place - 1, "--")) return true;
  do place = unit->match[place] > place ? unit->match[place] + 1 : place + 1;
  while (op2i_unit_is(unit, place, "["));
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (op2i_unit_is(unit, place, signs[i])) return true;
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a kernel by address: the declaration of its function becomes a definition that
 * calls the function through a pointer, which is a constant of the kernel. So all that follows
 * treats the kernel as text, and the text is the same wherever the function is. */
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "signature.h"
#include "text.h"
#include "unit.h"

static const struct op2i_token *token(const struct op2i_unit *unit, int at) {
  return &unit->tokens.list[unit->code[at]];
}

/* Append the source from the token at index `begin` up to the one at `end`. */
static void add_source(const struct op2i_unit *unit, int begin, int end, struct op2i_text *out) {
  if (begin == end) return;
  size_t from = token(unit, begin)->begin;
  op2i_text_bytes(out, unit->tokens.text + from, token(unit, end - 1)->end - from);
}

/* ---- the declaration ------------------------------------------------------------------------- */

static op2_status faulty(const struct op2i_unit *unit, const char *name, int at, const char *what) {
  return op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: %s", name, op2i_unit_line(unit, at),
                    what);
}

static op2_status find_declaration(const struct op2i_unit *unit, const char *name,
                                   const struct op2i_item **out) {
  for (const struct op2i_item *item = unit->items; item < unit->items + unit->nitems; item++) {
    if (item->kind == OP2I_ITEM_OTHER || !op2i_unit_is(unit, item->name, name)) continue;
    if (item->kind == OP2I_ITEM_FUNCTION)
      return faulty(unit, name, item->name,
                    "the kernel has both a function and a body here: the source of a kernel by "
                    "address declares the function and does not define it");
    if (item->close + 2 != item->end)
      return faulty(unit, name, item->name,
                    "the declaration of a function that is called by address ends with its "
                    "parameters");
    *out = item;
    return OP2_SUCCESS;
  }
  return op2i_error(OP2_ERR_SYNTAX,
                    "kernel '%s': its source has to declare the function that is called by "
                    "address, as in \"void %s(const double *x, double *y)\"",
                    name, name);
}

/* The index behind parameter n. */
static int end_of(const struct op2i_unit *unit, const struct op2i_item *item, int begin) {
  int at = begin;
  while (at < item->close && !op2i_unit_is(unit, at, ","))
    at = unit->match[at] > at ? unit->match[at] + 1 : at + 1;
  return at;
}

/* ---- the definition -------------------------------------------------------------------------- */

struct definition {
  const struct op2i_unit *unit;
  const struct op2i_item *item;
  const struct op2i_signature *signature; /* null: not known yet, then the body is empty */
};

static void add_name(const struct definition *d, int n, struct op2i_text *out) {
  if (*d->signature->params[n].name)
    op2i_text_add(out, "%s", d->signature->params[n].name);
  else
    op2i_text_add(out, "op2_parameter%d", n);
}

/* Append the parameters as they are declared; those without a name get one. */
static void add_parameters(const struct definition *d, struct op2i_text *out) {
  int n = 0;
  for (int p = d->item->open + 1; p < d->item->close; n++) {
    int end = end_of(d->unit, d->item, p);
    op2i_text_add(out, n ? ", " : "");
    add_source(d->unit, p, end, out);
    if (d->signature && n < d->signature->nparams && !*d->signature->params[n].name) {
      op2i_text_add(out, " ");
      add_name(d, n, out);
    }
    p = end + 1;
  }
}

static void add_body(const struct definition *d, struct op2i_text *out) {
  op2i_text_add(out, " { ");
  if (d->signature) {
    op2i_text_add(out, "((void (*)(");
    add_parameters(d, out);
    op2i_text_add(out, "))(__UINTPTR_TYPE__)" OP2I_FUNCTION_NAME ")(");
    for (int n = 0; n < d->signature->nparams; n++) {
      op2i_text_add(out, n ? ", " : "");
      add_name(d, n, out);
    }
    op2i_text_add(out, "); ");
  }
  op2i_text_add(out, "}");
}

static void define(const struct definition *d, struct op2i_text *out) {
  const char *source = d->unit->tokens.text;
  op2i_text_bytes(out, source, token(d->unit, d->item->open)->end);
  add_parameters(d, out);
  op2i_text_add(out, ")");
  add_body(d, out);
  op2i_text_add(out, "%s", source + token(d->unit, d->item->end - 1)->end);
}

/* A name can follow the type of a pointer, but not that of an array. */
static op2_status check_names(const struct definition *d, const char *name) {
  for (int n = 0; n < d->signature->nparams; n++) {
    const struct op2i_param *param = &d->signature->params[n];
    bool taken = !strcmp(param->name, OP2I_FUNCTION_NAME);
    if (!taken && (*param->name || !strpbrk(param->type_text, "(["))) continue;
    return op2i_error(OP2_ERR_SYNTAX, "kernel '%s', line %d: parameter %d ('%s %s') needs %s name",
                      name, d->signature->line, n, param->type_text, param->name,
                      taken ? "another" : "a");
  }
  return OP2_SUCCESS;
}

static op2_status read_and_define(const struct op2i_unit *unit, const char *name, bool given,
                                  struct op2i_signature *signature, struct op2i_text *out) {
  struct definition d = {.unit = unit};
  struct op2i_text empty = {0};
  op2_status status = op2i_unit_refuse(unit, name);
  if (!status) status = find_declaration(unit, name, &d.item);
  if (status) return status;
  define(&d, &empty);
  status = empty.failed ? op2i_error_nomem("a kernel's source")
                        : op2i_signature_parse(empty.chars, name, given, signature);
  op2i_text_free(&empty);
  if (status) return status;
  d.signature = signature;
  status = check_names(&d, name);
  define(&d, out);
  if (!status && out->failed) status = op2i_error_nomem("a kernel's source");
  if (status) op2i_signature_free(signature);
  return status;
}

op2_status op2i_signature_parse_address(const char *source, const char *name, bool given,
                                        struct op2i_signature *signature, struct op2i_text *out) {
  struct op2i_unit unit;
  struct op2i_text ended = {0};
  op2i_text_add(&ended, "%s\n;", source);
  if (ended.failed) return op2i_error_nomem("a kernel's source");
  op2_status status = op2i_unit_read(ended.chars, given, &unit);
  if (status == OP2_ERR_NOMEM)
    status = op2i_error_nomem("a kernel's source");
  else if (status)
    status = op2i_error(status, "kernel '%s', line %d: %s", name, unit.wrong_line, unit.wrong);
  else
    status = read_and_define(&unit, name, given, signature, out);
  op2i_unit_free(&unit);
  op2i_text_free(&ended);
  return status;
}

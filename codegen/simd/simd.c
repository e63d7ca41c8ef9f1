/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates a kernel into vectors, from its source to text: directives, names at file scope, the
 * forms of its functions that are needed, and their printing. */
#include <string.h>

#include "error.h"
#include "simd_base.h"
#include "simd_emit.h"
#include "simd_parse.h"
#include "simd_record.h"
#include "simd_same.h"
#include "simd_stmt.h"
#include "simd_tree.h"
#include "simd_vary.h"

/* The width of masks is that of the elements' numbers, so that most comparisons need no
 * conversion. */
static int mask_bits(const struct op2i_simd_request *request) {
  const struct op2i_signature *signature = &request->rewrite->member.kernel->signature;
  bool narrow = false;
  for (int n = 0; n < signature->nparams; n++) {
    if (!request->varying[n]) continue;
    op2_type type = signature->params[n].type;
    if (type == OP2_F64 || type == OP2_I64 || type == OP2_U64) return 64;
    narrow = true;
  }
  return narrow ? 32 : 64;
}

/* The signature counts parameters by the commas of the source, although macros may contain more,
 * and accepts types that it cannot read. */
static void check_parameters(struct op2i_simd *l, const struct op2i_simd_form *form) {
  const struct op2i_signature *signature = &l->request->rewrite->member.kernel->signature;
  if (form->nparams != signature->nparams) op2i_simd_refuse(l, "has parameters in a macro");
  for (int n = 0; n < form->nparams && !op2i_simd_stopped(l); n++) {
    const struct op2i_simd_var *var = form->params[n];
    op2_type type = signature->params[n].type;
    const struct op2i_c_record *record = var->type.nlevels == 1 ? var->type.record : NULL;
    const enum op2i_c_base base = record ? op2i_simd_row_base(record) : var->type.base;
    if (type ? op2i_c_base_of(type) != base : var->type.nlevels > 0)
      op2i_simd_refuse(l, "has a parameter %s whose type is not clear", var->name);
    if (op2i_simd_record(&var->type))
      op2i_simd_refuse(l, "has a parameter %s that is a structure or complex", var->name);
    if (var->type.nlevels && var->varying && var->type.base == OP2I_C_BOOL)
      op2i_simd_refuse(l, "has truth values behind %s", var->name);
  }
}

/* Vectors need brackets where scalar code has none, and a compiler may give up on too many. */
static void check_brackets(struct op2i_simd *l) {
  int depth = 0, deepest = 0;
  for (const char *at = l->functions.chars; at && *at; at++) {
    if (*at == '(' || *at == '[' || *at == '{') depth++;
    if (*at == ')' || *at == ']' || *at == '}') depth--;
    if (depth > deepest) deepest = depth;
  }
  if (deepest > OP2I_SIMD_BRACKETS) op2i_simd_refuse(l, "is nested too deep for a compiler");
}

struct op2i_simd_form *op2i_simd_analyse(struct op2i_simd *l) {
  const struct op2i_simd_request *request = l->request;
  const struct op2_kernel_s *kernel = request->rewrite->member.kernel;
  bool asked[OP2I_SIMD_PARAMS] = {0};
  const char *name = kernel->obj.name;
  int nparams = kernel->signature.nparams, item = op2i_simd_function(l, name, strlen(name));
  if (op2i_simd_stopped(l)) return NULL;
  if (item < 0 || nparams > OP2I_SIMD_PARAMS) {
    op2i_simd_refuse(l, item < 0 ? "has no function" : "has too many parameters");
    return NULL;
  }
  memcpy(asked, request->varying, (size_t)nparams * sizeof *asked);
  op2i_simd_directives(l);
  if (op2i_macros_find(&l->macros, name, strlen(name), INT64_MAX))
    op2i_simd_refuse(l, "has a macro of its own name");
  if (!op2i_simd_stopped(l)) op2i_simd_globals(l);
  if (op2i_simd_stopped(l)) return NULL;
  struct op2i_simd_form *form = op2i_simd_form(l, item, asked, nparams, false);
  if (!op2i_simd_stopped(l)) check_parameters(l, form);
  return form;
}

static void translate(struct op2i_simd *l) {
  struct op2i_simd_form *form = op2i_simd_analyse(l);
  if (form && !op2i_simd_stopped(l)) op2i_simd_emit(l, form);
  check_brackets(l);
}

op2_status op2i_simd_kernel(const struct op2i_simd_request *request, struct op2i_text *out,
                            struct op2i_text *why, bool *divides) {
  struct op2i_simd l = {.request = request,
                        .unit = &request->rewrite->unit,
                        .lanes = request->lanes,
                        .bits = mask_bits(request),
                        .why = why};
  translate(&l);
  if (!op2i_simd_stopped(&l) && l.functions.length) {
    op2i_text_bytes(out, l.prefix.chars ? l.prefix.chars : "", l.prefix.length);
    op2i_text_bytes(out, l.records.chars ? l.records.chars : "", l.records.length);
    op2i_text_bytes(out, l.tables.chars ? l.tables.chars : "", l.tables.length);
    op2i_text_bytes(out, l.functions.chars, l.functions.length);
  }
  bool failed = l.failed || l.prefix.failed || l.records.failed || l.tables.failed ||
                l.functions.failed || out->failed || why->failed;
  op2i_simd_release(&l);
  if (failed) return op2i_error_nomem("generated code");
  if (divides) *divides = l.divides;
  return OP2_SUCCESS;
}

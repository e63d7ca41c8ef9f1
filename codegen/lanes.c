/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel into vectors, from its source to text: directives, what is at file scope, the forms of
 * its functions that are needed, and their printing. */
#include <string.h>

#include "error.h"
#include "lane.h"

/* As wide as the numbers that the elements have: what is compared mostly needs no conversion. */
static int mask_bits(const struct op2i_lanes_request *request) {
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

static int kernel_item(const struct op2i_unit *unit, const char *name) {
  for (int i = 0; i < unit->nitems; i++)
    if (unit->items[i].kind == OP2I_ITEM_FUNCTION && op2i_unit_is(unit, unit->items[i].name, name))
      return i;
  return -1;
}

static void check_parameters(struct op2i_lane *l, const struct op2i_lane_form *form) {
  for (int n = 0; n < form->nparams && !op2i_lane_stopped(l); n++) {
    const struct op2i_lane_var *var = form->params[n];
    if (var->type.nlevels && var->varying && var->type.base == OP2I_LANE_BOOL)
      op2i_lane_refuse(l, "has truth values behind %s", var->name);
  }
}

/* Vectors need brackets where scalar code has none, and a compiler may give up on too many. */
static void check_brackets(struct op2i_lane *l) {
  int depth = 0, deepest = 0;
  for (const char *at = l->functions.chars; at && *at; at++) {
    if (*at == '(' || *at == '[' || *at == '{') depth++;
    if (*at == ')' || *at == ']' || *at == '}') depth--;
    if (depth > deepest) deepest = depth;
  }
  if (deepest > OP2I_LANE_BRACKETS) op2i_lane_refuse(l, "is nested too deep for a compiler");
}

static void translate(struct op2i_lane *l) {
  const struct op2i_lanes_request *request = l->request;
  const struct op2_kernel_s *kernel = request->rewrite->member.kernel;
  bool asked[OP2I_LANE_PARAMS] = {0};
  int nparams = kernel->signature.nparams, item = kernel_item(l->unit, kernel->obj.name);
  if (item < 0 || nparams > OP2I_LANE_PARAMS) {
    op2i_lane_refuse(l, item < 0 ? "has no function" : "has too many parameters");
    return;
  }
  memcpy(asked, request->varying, (size_t)nparams * sizeof *asked);
  op2i_lane_directives(l);
  if (!op2i_lane_stopped(l)) op2i_lane_globals(l);
  if (op2i_lane_stopped(l)) return;
  struct op2i_lane_form *form = op2i_lane_form(l, item, asked, nparams, false);
  if (!op2i_lane_stopped(l)) check_parameters(l, form);
  if (!op2i_lane_stopped(l)) op2i_lane_emit(l, form);
  check_brackets(l);
}

op2_status op2i_lanes_kernel(const struct op2i_lanes_request *request, struct op2i_text *out,
                             struct op2i_text *why, bool *divides) {
  struct op2i_lane l = {.request = request,
                        .unit = &request->rewrite->unit,
                        .lanes = request->lanes,
                        .bits = mask_bits(request),
                        .why = why};
  translate(&l);
  if (!op2i_lane_stopped(&l) && l.functions.length) {
    op2i_text_bytes(out, l.prefix.chars ? l.prefix.chars : "", l.prefix.length);
    op2i_text_bytes(out, l.functions.chars, l.functions.length);
  }
  bool failed = l.failed || l.prefix.failed || l.functions.failed || out->failed || why->failed;
  op2i_lane_release(&l);
  if (failed) return op2i_error_nomem("generated code");
  if (divides) *divides = l.divides;
  return OP2_SUCCESS;
}

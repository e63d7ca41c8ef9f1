/* SPDX-License-Identifier: BSD-3-Clause */
/* Scalar code of a loop: its kernels, the function over positions and its entry, and the single
 * call of the checked mode. Arguments are handled in emit_arg.c. */
#include "emit.h"
#include "loop_validate.h"

#include <stdio.h>
#include <string.h>

#include "cdecl.h"
#include "context.h"
#include "error.h"
#include "longs.h"
#include "mem.h"
#include "rename.h"
#include "simd_contract.h"

const struct op2i_dialect op2i_dialect_c = {
    .restricted = "__restrict__",
    .global = "",
    .body_prefix = "static ",
    .entry_prefix = "__attribute__((visibility(\"default\"))) ",
};

/* ---- types ----------------------------------------------------------------------------------- */

static int levels_written(const char *text) {
  int levels = strchr(text, '[') ? 1 : 0;
  for (; *text; text++) levels += *text == '*';
  return levels;
}

/* True if a typedef hides levels of pointers, so that its name is not the name of a value's
 * type. */
static bool hides_levels(const struct op2i_param *param) {
  return levels_written(param->type_text) < param->depth;
}

bool op2i_emit_needs_cast(const struct op2i_param *param) {
  if (!param->type || param->depth == 0) return false;
  const char *extent = strchr(param->type_text, '[');
  return param->rows || hides_levels(param) || strchr(param->type_text, '(') ||
         (extent && strchr(extent + 1, '['));
}

static const struct op2i_rewrite *rewrite_of(const struct op2i_emitter *e, int a) {
  int m = 0;
  while (m + 1 < e->nmembers && a >= e->rewrites[m + 1].member.first_arg) m++;
  return &e->rewrites[m];
}

/* Append the type of a parameter's values as the kernel spells it, or as its dialect does. */
static void add_spelling(const struct op2i_emitter *e, const struct op2i_rewrite *r,
                         const struct op2i_param *param, struct op2i_text *type) {
  struct op2i_text spelled = {0}, renamed = {0};
  bool behind = false;
  op2i_c_element(param->type_text, &spelled);
  if (spelled.failed)
    type->failed = true;
  else if (e->dialect->longs)
    op2i_rename_type(r, spelled.chars, &renamed);
  else
    op2i_rename_type(r, spelled.chars, type);
  if (renamed.chars) op2i_longs_add(type, renamed.chars, renamed.length, &behind);
  type->failed |= renamed.failed;
  op2i_text_free(&renamed);
  op2i_text_free(&spelled);
}

/* The kernel's own spelling of a type is used where the library knows it to be right. Then `long
 * long` and `long` can both stand for int64_t, without conversions between pointers to them. */
static void choose_type(const struct op2i_emitter *e, int a) {
  const struct op2i_param *param = op2i_emit_param(e, a);
  struct op2i_text *type = &e->types[a];
  if (param->type && !hides_levels(param) && !param->rows)
    add_spelling(e, rewrite_of(e, a), param, type);
  else if (e->loop->args[a].kind == OP2I_ARG_IDX)
    op2i_text_add(type, "int");
  else
    op2i_text_add(type, "%s", op2i_type_c(e->loop->args[a].type));
  if (type->failed) e->out->failed = true;
}

op2_status op2i_emit_bare_types(struct op2i_emitter *e) {
  for (int a = 0; a < e->loop->nargs; a++) {
    op2_type type = op2i_emit_param(e, a)->type;
    if (!type && e->loop->args[a].kind != OP2I_ARG_IDX) type = e->loop->args[a].type;
    op2i_text_cut(&e->types[a], 0);
    op2i_text_add(&e->types[a], "%s", op2i_type_c(type ? type : OP2_I32));
    if (e->types[a].failed) return op2i_error_nomem("generated code");
  }
  return OP2_SUCCESS;
}

/* Begin the rewrite of a member's kernel, with products contracted if the context wants that. */
static op2_status begin_rewrite(const struct op2i_loop *loop, int m, struct op2i_rewrite *rewrite) {
  const op2_context ctx = loop->op.ctx;
  struct op2i_text source = {0};
  op2_status status = op2i_rewrite_begin(loop, m, rewrite);
  if (!status && ctx && ctx->config.contract) status = op2i_simd_contract(rewrite, &source);
  if (!status && source.length) status = op2i_rewrite_replace(loop, m, &source, rewrite);
  op2i_text_free(&source);
  return status;
}

op2_status op2i_emitter_begin(struct op2i_emitter *e, const struct op2i_loop *loop,
                              const struct op2i_dialect *dialect, struct op2i_text *out) {
  op2_status status = OP2_SUCCESS;
  *e = (struct op2i_emitter){.loop = loop, .dialect = dialect, .out = out};
  e->listed = loop->set->base != loop->set;
  e->types = op2i_calloc((size_t)loop->nargs, sizeof *e->types);
  e->rewrites = op2i_calloc((size_t)op2i_loop_nmembers(loop), sizeof *e->rewrites);
  if (!e->types || !e->rewrites) return op2i_error_nomem("generated code");
  for (int m = 0; m < op2i_loop_nmembers(loop) && !status; m++) {
    e->nmembers++;
    status = begin_rewrite(loop, m, &e->rewrites[m]);
    e->rewrites[m].tables = dialect->tables;
    e->rewrites[m].variables = dialect->variables;
    e->rewrites[m].longs = dialect->longs;
    e->rewrites[m].renames = dialect->renames;
    e->rewrites[m].operators = dialect->operators;
  }
  for (int a = 0; a < loop->nargs && !status; a++) choose_type(e, a);
  return status;
}

void op2i_emitter_end(struct op2i_emitter *e) {
  for (int a = 0; e->types && a < e->loop->nargs; a++) op2i_text_free(&e->types[a]);
  for (int m = 0; m < e->nmembers; m++) op2i_rewrite_end(&e->rewrites[m]);
  op2i_free(e->types);
  op2i_free(e->rewrites);
  e->types = NULL;
  e->rewrites = NULL;
  e->nmembers = 0;
}

bool op2i_emit_contracts(const struct op2i_emitter *e) {
  const op2_context ctx = e->loop->op.ctx;
  bool any = false;
  for (int m = 0; m < e->nmembers; m++) any |= e->rewrites[m].source.length > 0;
  return any && ctx && ctx->config.contract;
}

bool op2i_emit_own_math(const struct op2i_emitter *e) {
  const op2_context ctx = e->loop->op.ctx;
  return !ctx || !ctx->config.libm;
}

/* ---- constants ------------------------------------------------------------------------------- */

struct op2i_emit_name op2i_emit_consts_name(const struct op2i_emitter *e, int member) {
  struct op2i_emit_name name = {"op2_consts"};
  if (e->loop->fused.members) snprintf(name.text, sizeof name.text, "op2_consts%d", member);
  return name;
}

void op2i_emit_consts_struct(const struct op2i_emitter *e, const struct op2i_rewrite *r) {
  if (r->member.nconsts == 0) return;
  op2i_text_add(e->out, "struct OP2_NAME(%sop2_consts) {\n", r->prefix);
  for (const struct op2i_loop_const *c = r->consts; c < r->consts + r->member.nconsts; c++) {
    const char *type = op2i_type_c(c->type);
    bool pointer = r->apart || c->in_place, array = c->dim > 1;
    const char *format = !pointer ? "  %s %s" : array ? "  const %s (*%s)" : "  const %s *%s";
    op2i_text_add(e->out, format, type, c->name);
    if (array) op2i_text_add(e->out, "[%d]", (int)c->dim);
    op2i_text_add(e->out, ";\n");
  }
  op2i_text_add(e->out, "};\n");
}

/* The compiler is to report errors with the user's file and line. */
static void place_source(const struct op2_kernel_s *kernel, struct op2i_text *out) {
  if (!kernel->file) {
    op2i_text_add(out, "#line 1 \"kernel:%s\"\n", kernel->obj.name);
    return;
  }
  op2i_text_add(out, "#line %d \"", kernel->line > 0 ? kernel->line : 1);
  for (const char *at = kernel->file; *at; at++) {
    if (*at == '"' || *at == '\\') op2i_text_add(out, "\\");
    op2i_text_bytes(out, *at == '\n' ? "?" : at, 1);
  }
  op2i_text_add(out, "\"\n");
}

void op2i_emit_kernels(const struct op2i_emitter *e) {
  for (int m = 0; m < e->nmembers; m++) {
    const struct op2i_rewrite *r = &e->rewrites[m];
    if (r->same_as != m) continue;
    op2i_emit_consts_struct(e, r);
    op2i_rewrite_define_calls(r, e->out);
    place_source(r->member.kernel, e->out);
    op2i_rewrite_emit(r, e->out);
    /* The source may end in a spliced line or in a // comment. */
    op2i_text_add(e->out, "\n\n");
  }
  op2i_text_add(e->out, "#line 1 \"op2:%s\"\n", op2i_loop_name(e->loop));
  for (int m = 0; m < e->nmembers; m++) op2i_rewrite_undefine_consts(&e->rewrites[m], e->out);
}

static void load_const(const struct op2i_emitter *e, const char *into,
                       const struct op2i_loop_const *c) {
  const char *type = op2i_type_c(c->type), *space = e->dialect->global;
  if (c->in_place)
    op2i_text_add(e->out, "  %s.%s = (const void *)(op2_payload + %d);\n", into, c->name,
                  (int)c->offset);
  else if (c->dim == 1)
    op2i_text_add(e->out, "  %s.%s = *(%sconst %s *)(op2_payload + %d);\n", into, c->name, space,
                  type, (int)c->offset);
  else
    op2i_text_add(e->out,
                  "  for (int op2_component = 0; op2_component < %d; op2_component++) "
                  "%s.%s[op2_component] = ((%sconst %s "
                  "*)(op2_payload + %d))[op2_component];\n",
                  (int)c->dim, into, c->name, space, type, (int)c->offset);
}

/* Constants are copied to local structures, whose members the compiler can keep in registers; those
 * that stay in place are pointed to. */
void op2i_emit_load_consts(const struct op2i_emitter *e) {
  for (int m = 0; m < e->nmembers; m++) {
    const struct op2i_rewrite *r = &e->rewrites[m];
    if (!op2i_rewrite_kernel_needs(r)) continue;
    struct op2i_emit_name into = op2i_emit_consts_name(e, m);
    op2i_text_add(e->out, "  struct OP2_NAME(%sop2_consts) %s;\n", r->prefix, into.text);
    for (int c = 0; c < r->member.nconsts; c++) load_const(e, into.text, &r->consts[c]);
  }
}

/* ---- the function that runs over positions --------------------------------------------------- */

static bool reads_payload(const struct op2i_emitter *e) {
  bool reads = false;
  for (int m = 0; m < e->nmembers; m++) reads = reads || op2i_rewrite_kernel_needs(&e->rewrites[m]);
  for (int a = 0; a < e->loop->nargs; a++) reads = reads || op2i_arg_captured(&e->loop->args[a]);
  return reads;
}

/* The first argument that reads global g, or takes a minimum or maximum that starts from it; or -1.
 * A kernel's parameter may be a pointer to a non-const type although the kernel only reads. */
static int reader_of(const struct op2i_emitter *e, int g, bool *writable) {
  int first = -1;
  *writable = false;
  for (int a = e->loop->nargs - 1; a >= 0; a--) {
    const struct op2i_loop_arg *arg = &e->loop->args[a];
    if (arg->gbl != g || (op2i_modifies(arg->access) && !op2i_arg_bounds(arg))) continue;
    first = a;
    *writable = *writable || !(op2i_arg_bounds(arg) || op2i_emit_param(e, a)->readonly);
  }
  return first;
}

void op2i_emit_parameters(const struct op2i_emitter *e) {
  const char *space = e->dialect->global, *only = e->dialect->restricted;
  op2i_text_add(e->out, "int64_t op2_lo, int64_t op2_hi%s",
                e->prefetches ? ", int64_t op2_distance" : "");
  if (e->listed) op2i_text_add(e->out, ",\n    %sconst int64_t *%s op2_subset", space, only);
  if (op2i_loop_numbers_elements(e->loop))
    op2i_text_add(e->out, ",\n    %sconst int64_t *%s op2_number", space, only);
  for (int d = 0; d < e->loop->op.ndats; d++)
    op2i_text_add(e->out, ",\n    %s%s%s *%s op2_dat%d", space,
                  op2i_emit_dat_writable(e, d) ? "" : "const ",
                  op2i_emit_type(e, op2i_emit_first_of_dat(e, d)), only, d);
  for (int m = 0; m < e->loop->nmaps; m++)
    op2i_text_add(e->out, ",\n    %sconst int32_t *%s op2_map%d", space, only, m);
  for (int m = 0; m < e->loop->nmaps; m++)
    if (op2i_loop_numbers(e->loop, m))
      op2i_text_add(e->out, ",\n    %sconst int64_t *%s op2_number%d", space, only, m);
  for (int g = 0; g < e->loop->op.ngbls; g++) {
    bool writable;
    int a = reader_of(e, g, &writable);
    if (a >= 0)
      op2i_text_add(e->out, ",\n    %s%s%s *%s op2_gbl%d", space, writable ? "" : "const ",
                    op2i_emit_type(e, a), only, g);
  }
  if (reads_payload(e))
    op2i_text_add(e->out, ",\n    %sconst unsigned char *%s op2_payload", space, only);
  if (e->loop->partial_bytes)
    op2i_text_add(e->out, ",\n    %sunsigned char *%s op2_partial", space, only);
}

static void body_slots(const struct op2i_emitter *e) {
  for (int m = 0; m < e->loop->nmaps; m++)
    for (int slot = 0; slot < e->loop->maps[m]->arity; slot++) {
      if (!op2i_emit_slot_used(e, m, slot)) continue;
      int arity = (int)e->loop->maps[m]->arity;
      if (arity == 1)
        op2i_text_add(e->out, "    const int64_t op2_map%d_%d = op2_map%d[op2_element];\n", m, slot,
                      m);
      else
        op2i_text_add(e->out,
                      "    const int64_t op2_map%d_%d = op2_map%d[%d * op2_element + %d];\n", m,
                      slot, m, arity, slot);
    }
}

static void call_begin(const struct op2i_emitter *e, int m) {
  const struct op2i_rewrite *r = &e->rewrites[m];
  const char *name = r->member.kernel->obj.name;
  if (r->mergeable)
    op2i_text_add(e->out, "OP2_NAME(%s%s)(", r->prefix, name);
  else
    op2i_text_add(e->out, "%s(", name);
  if (op2i_rewrite_kernel_needs(r)) op2i_text_add(e->out, "&%s", op2i_emit_consts_name(e, m).text);
}

static void actual_begin(const struct op2i_emitter *e, int m, int a) {
  const struct op2i_rewrite *r = &e->rewrites[m];
  bool follows = a > r->member.first_arg || op2i_rewrite_kernel_needs(r);
  op2i_text_add(e->out, follows ? ",\n        " : "\n        ");
  if (op2i_emit_needs_cast(op2i_emit_param(e, a))) op2i_text_add(e->out, "(void *)");
}

/* A kernel that takes a matrix's row is called for each entry of it; the entries are those of
 * op2i_row_entries(). */
bool op2i_emit_entries(const struct op2i_emitter *e, const struct op2i_member *member,
                       const char *type) {
  int a = member->first_arg, end = a + member->nargs;
  while (a < end && e->loop->args[a].kind != OP2I_ARG_ROW_ENTRIES) a++;
  if (a == end) return false;
  int first = (int)e->loop->args[a].first;
  op2i_text_add(e->out, "    for (%s op2_entry = op2_map%d[", type, first);
  if (e->loop->maps[first]->rows_per_slice == 1) {
    op2i_text_add(e->out, "op2_element]; op2_entry < op2_map%d[op2_element + 1]; op2_entry++)",
                  first);
    return true;
  }
  op2i_text_add(e->out,
                "op2_element / %d * %d] + op2_element %% %d, op2_end = op2_entry + %d * ((%sconst "
                "unsigned char *)(op2_map%d + op2_element / %d * %d + 1))[op2_element %% %d]; "
                "op2_entry < op2_end; op2_entry += %d)",
                OP2I_SLICE, OP2I_SLICE_RECORD, OP2I_SLICE, OP2I_SLICE, e->dialect->global, first,
                OP2I_SLICE, OP2I_SLICE_RECORD, OP2I_SLICE, OP2I_SLICE);
  return true;
}

static void body_call(const struct op2i_emitter *e, int m) {
  const struct op2i_member *member = &e->rewrites[m].member;
  if (op2i_emit_entries(e, member, "int64_t")) op2i_text_add(e->out, "\n  ");
  op2i_text_add(e->out, "    ");
  call_begin(e, m);
  for (int a = member->first_arg; a < member->first_arg + member->nargs; a++) {
    actual_begin(e, m, a);
    bool group = op2i_emit_needs_cast(op2i_emit_param(e, a));
    if (group) op2i_text_add(e->out, "(");
    op2i_emit_actual(e, a);
    if (group) op2i_text_add(e->out, ")");
  }
  op2i_text_add(e->out, ");\n");
}

static void body_loop(const struct op2i_emitter *e) {
  if (e->listed)
    op2i_text_add(e->out,
                  "  for (int64_t op2_position = op2_lo; op2_position < op2_hi; op2_position++) {\n"
                  "    const int64_t op2_element = op2_subset[op2_position];\n");
  else
    op2i_text_add(e->out,
                  "  for (int64_t op2_element = op2_lo; op2_element < op2_hi; op2_element++) {\n");
  body_slots(e);
  for (int m = 0; m < e->nmembers; m++) {
    const struct op2i_member *member = &e->rewrites[m].member;
    int end = member->first_arg + member->nargs;
    for (int a = member->first_arg; a < end; a++) op2i_emit_prepare(e, a);
    body_call(e, m);
    for (int a = member->first_arg; a < end; a++) op2i_emit_settle(e, a);
  }
  op2i_text_add(e->out, "  }\n");
}

static void body(const struct op2i_emitter *e) {
  op2i_text_add(e->out, "%svoid OP2_NAME(op2_body)(", e->dialect->body_prefix);
  op2i_emit_parameters(e);
  op2i_text_add(e->out, ") {\n");
  op2i_emit_load_consts(e);
  for (int a = 0; a < e->loop->nargs; a++) op2i_emit_setup(e, a);
  body_loop(e);
  for (int a = 0; a < e->loop->nargs; a++) op2i_emit_finish(e, a);
  op2i_text_add(e->out, "}\n");
}

void op2i_emit_plain(const struct op2i_emitter *e) {
  body(e);
  op2i_emit_entry(e);
}

void op2i_emit_entry(const struct op2i_emitter *e) {
  bool writable;
  op2i_text_add(e->out,
                "%svoid OP2_NAME(op2_entry)(const struct op2_call *op2_call, int64_t op2_lo, "
                "int64_t op2_hi,\n"
                "    unsigned char *op2_partial) {\n"
                "  (void)op2_call;\n  (void)op2_partial;\n"
                "  OP2_NAME(op2_body)(op2_lo, op2_hi%s",
                e->dialect->entry_prefix, e->prefetches ? ", op2_call->distance" : "");
  if (e->listed) op2i_text_add(e->out, ", op2_call->subset");
  if (op2i_loop_numbers_elements(e->loop)) op2i_text_add(e->out, ", op2_call->number");
  for (int d = 0; d < e->loop->op.ndats; d++) op2i_text_add(e->out, ", op2_call->dat[%d]", d);
  for (int m = 0; m < e->loop->nmaps; m++) op2i_text_add(e->out, ", op2_call->map[%d]", m);
  for (int m = 0; m < e->loop->nmaps; m++)
    if (op2i_loop_numbers(e->loop, m)) op2i_text_add(e->out, ", op2_call->target[%d]", m);
  for (int g = 0; g < e->loop->op.ngbls; g++)
    if (reader_of(e, g, &writable) >= 0)
      op2i_text_add(e->out, ", %sop2_call->gbl[%d]", writable ? "(void *)" : "", g);
  if (reads_payload(e)) op2i_text_add(e->out, ", op2_call->payload");
  if (e->loop->partial_bytes) op2i_text_add(e->out, ", op2_partial");
  op2i_text_add(e->out, ");\n}\n");
}

/* ---- one call on private data ---------------------------------------------------------------- */

static void checked_actual(const struct op2i_emitter *e, int a) {
  const struct op2i_param *param = op2i_emit_param(e, a);
  const char *type = op2i_emit_type(e, a), *fixed = param->readonly ? "const " : "";
  enum op2i_arg_kind kind = e->loop->args[a].kind;
  if (kind == OP2I_ARG_ABSENT)
    op2i_text_add(e->out, "0");
  else if (kind == OP2I_ARG_OPAQUE)
    op2i_text_add(e->out, "(void *)(__UINTPTR_TYPE__)*(const uint64_t *)op2_args[%d]", a);
  else if (kind == OP2I_ARG_IDX && param->depth == 0)
    op2i_text_add(e->out, "*(const %s *)op2_args[%d]", op2i_type_c(e->loop->args[a].type), a);
  else if (param->depth == 0)
    op2i_text_add(e->out, "*(const %s *)op2_args[%d]", type, a);
  else if (kind == OP2I_ARG_ALL)
    op2i_text_add(e->out, "(%s%s **)op2_args[%d]", fixed, type, a);
  else
    op2i_text_add(e->out, "(%s%s *)op2_args[%d]", fixed, type, a);
}

/* Each constant has a pointer of its own, so that each can have its own guards. */
static void point_at_consts(const struct op2i_emitter *e) {
  const struct op2i_rewrite *r = &e->rewrites[0];
  if (!op2i_rewrite_kernel_needs(r)) return;
  op2i_text_add(e->out, "  struct OP2_NAME(op2_consts) op2_consts;\n");
  for (int c = 0; c < r->member.nconsts; c++)
    op2i_text_add(e->out, "  op2_consts.%s = op2_args[%d];\n", r->consts[c].name,
                  e->loop->nargs + c);
}

void op2i_emit_checked(const struct op2i_emitter *e) {
  op2i_text_add(e->out,
                "%svoid OP2_NAME(op2_entry)(void *const *op2_args) {\n"
                "  (void)op2_args;\n",
                e->dialect->entry_prefix);
  point_at_consts(e);
  op2i_text_add(e->out, "  ");
  call_begin(e, 0);
  for (int a = 0; a < e->loop->nargs; a++) {
    actual_begin(e, 0, a);
    checked_actual(e, a);
  }
  op2i_text_add(e->out, ");\n}\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of the program, and the time of the loops that were queued in them. */
#include "section.h"

#include <string.h>

#include "clock.h"
#include "error.h"
#include "fpenv.h"
#include "mem.h"
#include "op2/graph.h"
#include "sched_state.h"
#include "tools.h"
#include "trace.h"

/* ---- the tree -------------------------------------------------------------------------------- */

static op2_status add(op2_context ctx, int32_t parent, const char *name) {
  struct op2i_sections *sections = ctx->sections;
  char *copy = name ? op2i_strdup(name) : NULL;
  if ((name && !copy) ||
      op2i_grow(&sections->list, sizeof *sections->list, sections->n, &sections->capacity)) {
    op2i_free(copy);
    return op2i_error_nomem("a section");
  }
  const bool inner = sections->n > 0;
  sections->list[sections->n++] = (struct op2i_program_section){
      .name = copy, .parent = parent, .depth = inner ? sections->list[parent].depth + 1 : 0};
  return OP2_SUCCESS;
}

/* A context has a list of sections only if the whole program is in it. */
static op2_status have_sections(op2_context ctx) {
  if (ctx->sections) return OP2_SUCCESS;
  ctx->sections = op2i_calloc(1, sizeof *ctx->sections);
  op2_status status = ctx->sections ? add(ctx, 0, NULL) : op2i_error_nomem("a section");
  if (status) op2i_sections_free(ctx);
  return status;
}

/* The section of this name within the open one, which is made if there is none. */
static op2_status find(op2_context ctx, const char *name, int32_t *section) {
  op2_status status = have_sections(ctx);
  if (status) return status;
  const struct op2i_sections *sections = ctx->sections;
  for (int32_t s = 1; s < sections->n; s++)
    if (sections->list[s].parent == sections->open && !strcmp(sections->list[s].name, name)) {
      *section = s;
      return OP2_SUCCESS;
    }
  *section = (int32_t)sections->n;
  return add(ctx, sections->open, name);
}

static void close_open(op2_context ctx) {
  struct op2i_program_section *section = &ctx->sections->list[ctx->sections->open];
  section->between += 1e-9 * (double)(op2i_nanoseconds() - section->began);
  if (ctx->trace) op2i_trace_end(ctx, section->began, section->what, NULL, 0);
  ctx->sections->open = section->parent;
  if (ctx->tools) op2i_tools_pop();
}

void op2i_sections_end(op2_context ctx) {
  while (op2i_section_open(ctx)) close_open(ctx);
}

void op2i_sections_free(op2_context ctx) {
  for (int64_t s = 0; ctx->sections && s < ctx->sections->n; s++)
    op2i_free(ctx->sections->list[s].name);
  if (ctx->sections) op2i_free(ctx->sections->list);
  op2i_free(ctx->sections);
  ctx->sections = NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static op2_status check(op2_context ctx, const char *call) {
  op2_status status = op2i_context_validate(ctx, call);
  if (!status && ctx->sched->outer)
    status =
        op2i_error(OP2_ERR_STATE, "%s: a section cannot begin or end inside an operator", call);
  return status;
}

op2_status op2_section_begin(op2_context ctx, const char *name) {
  OP2I_FP_DEFAULT;
  int32_t section = 0;
  op2_status status = check(ctx, "op2_section_begin");
  if (!status && (!name || !*name))
    status = op2i_error(OP2_ERR_ARG, "op2_section_begin: the name is null or empty");
  if (!status) status = find(ctx, name, &section);
  if (status) return status;
  struct op2i_program_section *begun = &ctx->sections->list[section];
  if (ctx->trace && !begun->what)
    begun->what = op2i_trace_name(ctx->trace, name, "is", "a section");
  begun->calls++;
  begun->began = op2i_nanoseconds();
  ctx->sections->open = section;
  if (ctx->tools) op2i_tools_push(name);
  return OP2_SUCCESS;
}

op2_status op2_section_end(op2_context ctx, const char *name) {
  OP2I_FP_DEFAULT;
  op2_status status = check(ctx, "op2_section_end");
  if (status) return status;
  if (!op2i_section_open(ctx))
    return op2i_error(OP2_ERR_STATE, "op2_section_end: no section has begun");
  const char *open = ctx->sections->list[ctx->sections->open].name;
  if (name && strcmp(name, open) != 0)
    return op2i_error(OP2_ERR_STATE, "op2_section_end: '%s' is to end, but '%s' began last", name,
                      open);
  close_open(ctx);
  return OP2_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a program by the passes, in the order of passes.def. What they do is in files of their own:
 * fusion in fuse.c, code for the loops in compile.c, halo exchanges in halos.c. */
#include "program_make.h"
#include "compile.h"
#include "halos.h"
#include "program.h"
#include "program_keep.h"

#include "error.h"
#include "loopdata.h"
#include "mem.h"
#include "place.h"

/* Decide the form of each loop, which the passes need. */
static op2_status decide_forms(struct op2i_node *const *nodes, int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < n && !status; i++) {
    struct op2i_loop *loop = op2i_node_loop(nodes[i]);
    const struct op2i_form *form;
    if (loop) status = op2i_loop_form(loop, &form);
  }
  return status;
}

static op2_status compile_form(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                               enum op2i_variant wish) {
  struct op2i_compile compile = {.sched = sched, .wish = wish};
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < grouping->ngroups && !status; g++) {
    struct op2i_loop *loop = grouping->groups[g].loop;
    if (loop && op2i_loop_wants(loop, wish)) status = op2i_compile_add(&compile, loop);
  }
  status = op2i_context_agree(sched->ctx, status);
  if (!status) status = op2i_compile_run(&compile);
  op2i_compile_end(&compile);
  return status;
}

/* The backend runs no loops, so there is no code for them. */
static op2_status refuse_loops(const char *why, const struct op2i_grouping *grouping) {
  bool loops = false;
  for (int64_t g = 0; g < grouping->ngroups; g++) loops |= grouping->groups[g].loop != NULL;
  return loops ? op2i_error(OP2_ERR_UNAVAILABLE, "%s", why) : OP2_SUCCESS;
}

static op2_status compile_groups(const struct op2i_making *m) {
  struct op2i_sched *sched = m->sched;
  const struct op2i_grouping *grouping = &m->program->grouping;
  const char *idle = sched->ctx->backend->idle;
  if (idle) return refuse_loops(idle, grouping);
  enum op2i_variant variants[OP2I_COMPILED];
  int n = op2i_compiled(sched->ctx, variants);
  op2_status status = OP2_SUCCESS;
  for (int v = 0; v < n && !status; v++) status = compile_form(sched, grouping, variants[v]);
  for (int64_t g = 0; g < grouping->ngroups && !status; g++) {
    const struct op2i_loop *loop = grouping->groups[g].loop;
    if (!loop || !op2i_no_code(loop)) continue;
    const struct op2i_loop_data *data = loop->attached.sched_data;
    status = op2i_error(data->no_code_status, "%s", data->no_code);
  }
  return status;
}

static op2_status make_tables(const struct op2i_making *m) {
  struct op2i_program *program = m->program;
  const struct op2i_grouping *grouping = &program->grouping;
  int64_t payload = 0, globals = 0;
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_group *group = &grouping->groups[g];
    if (group->count == 1) continue;
    payload += op2i_payload_room(group);
    globals += group->loop->op.ngbls;
  }
  program->payload = op2i_alloc_data((size_t)payload);
  program->globals = op2i_calloc((size_t)globals, sizeof *program->globals);
  program->kept.table_bytes = (size_t)payload + (size_t)globals * sizeof *program->globals;
  return program->payload && program->globals ? OP2_SUCCESS : op2i_error_nomem("a program");
}

static op2_status place_exchanges(const struct op2i_making *m) {
  struct op2i_program *program = m->program;
  if (!program->stale) return OP2_SUCCESS;
  return op2i_place_exchanges(m->nodes, &program->grouping, &program->exchanges,
                              &program->nexchanges);
}

/* A program of one operation needs no passes and no edges of the graph. */
static op2_status group(const struct op2i_making *m) {
  struct op2i_program *program = m->program;
  bool alone = program->nnodes == 1;
  op2_status status = op2i_program_key(program, m->nodes, program->nnodes);
  if (!status && !alone) status = decide_forms(m->nodes, program->nnodes);
  if (!status && !alone) status = op2i_graph_join(m->sched);
  return status ? status : op2i_fuse(m->sched, m->nodes, program->nnodes, &program->grouping);
}

static op2_status verify_groups(const struct op2i_making *m) {
  return op2i_grouping_verify(m->sched, m->nodes, &m->program->grouping);
}

static void explain_groups(const struct op2i_sched *sched, const struct op2i_program *program,
                           FILE *stream) {
  (void)sched;
  if (program->grouping.notes.chars) fputs(program->grouping.notes.chars, stream);
}

static op2_status verify_exchanges(const struct op2i_making *m) {
  return op2i_exchanges_verify(m->nodes, m->program);
}

static op2_status make_steps(const struct op2i_making *m) {
  return op2i_program_steps(m->sched, m->program, m->nodes);
}

const struct op2i_pass op2i_pass_fusion = {.name = "fusion",
                                           .make = group,
                                           .verify = verify_groups,
                                           .explain = explain_groups,
                                           .agrees = true};
const struct op2i_pass op2i_pass_code = {
    .name = "code", .make = compile_groups, .collective = true};
const struct op2i_pass op2i_pass_tables = {.name = "tables", .make = make_tables};
const struct op2i_pass op2i_pass_exchanges = {.name = "exchanges", .make = place_exchanges};
const struct op2i_pass op2i_pass_steps = {
    .name = "steps", .make = make_steps, .verify_ranks = verify_exchanges, .agrees = true};

const struct op2i_pass *const op2i_passes[] = {
#define PASS(name_) &op2i_pass_##name_,
#include "passes.def"
    NULL};

/* Without an agreement, passes that follow are left out on a rank on which one has failed, until
 * the ranks agree. */
static op2_status run_pass(const struct op2i_pass *pass, const struct op2i_making *m,
                           op2_status status) {
  const bool verify = m->sched->ctx->config.verify;
  if (!status && pass->make) status = pass->make(m);
  if (!status && verify && pass->verify) status = op2i_verified(pass->verify(m), pass->name);
  if (pass->agrees) status = op2i_context_agree(m->sched->ctx, status);
  if (!status && verify && pass->verify_ranks) status = pass->verify_ranks(m);
  return status;
}

op2_status op2i_program_make(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                             struct op2i_program **out) {
  struct op2i_program *program = op2i_calloc(1, sizeof *program);
  const struct op2i_making making = {sched, nodes, program};
  op2_status status = program ? OP2_SUCCESS : op2i_error_nomem("a program");
  OP2I_TRY(op2i_context_agree(sched->ctx, status));
  program->nnodes = n;
  for (int p = 0; op2i_passes[p]; p++) {
    status = run_pass(op2i_passes[p], &making, status);
    if (status && (op2i_passes[p]->agrees || op2i_passes[p]->collective)) goto fail;
  }
  *out = program;
  return OP2_SUCCESS;
fail:
  op2i_program_drop(program);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs: made once for a sequence of loops, kept, and run again with other values. */
#include "program.h"

#include <string.h>

#include "error.h"
#include "mem.h"
#include "tiling.h"

enum { PROGRAMS_MAX = 64 };

/* ---- the key --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

static uint64_t hash_loops(struct op2i_node *const *nodes, int64_t n) {
  uint64_t hash = (uint64_t)n;
  for (int64_t i = 0; i < n; i++) hash = mix(hash, (uintptr_t)nodes[i]->op);
  return hash;
}

/* Versions are numbered by first appearance; a version knows its number while that is worked out.
 */
static void number_versions(struct op2i_node *const *nodes, int64_t n, int32_t *numbers) {
  int64_t at = 0;
  int32_t seen = 0;
  for (int64_t i = 0; i < n; i++)
    for (int g = 0; g < nodes[i]->op->ngbls; g++) nodes[i]->versions[g]->number = -1;
  for (int64_t i = 0; i < n; i++)
    for (int g = 0; g < nodes[i]->op->ngbls; g++) {
      struct op2i_version *version = nodes[i]->versions[g];
      if (version->number < 0) version->number = seen++;
      numbers[at++] = version->number;
    }
}

static bool same_versions(const struct op2i_program *program, struct op2i_node *const *nodes) {
  const int32_t *number = program->versions;
  int32_t seen = 0;
  for (int64_t i = 0; i < program->nnodes; i++)
    for (int g = 0; g < nodes[i]->op->ngbls; g++) nodes[i]->versions[g]->number = -1;
  for (int64_t i = 0; i < program->nnodes; i++)
    for (int g = 0; g < nodes[i]->op->ngbls; g++) {
      struct op2i_version *version = nodes[i]->versions[g];
      if (version->number < 0) version->number = seen++;
      if (version->number != *number++) return false;
    }
  return true;
}

static bool matches(const struct op2i_program *program, uint64_t hash,
                    struct op2i_node *const *nodes, int64_t n) {
  if (program->hash != hash || program->nnodes != n) return false;
  for (int64_t i = 0; i < n; i++)
    if (program->ops[i] != nodes[i]->op) return false;
  return same_versions(program, nodes);
}

static op2_status make_key(struct op2i_program *program, struct op2i_node *const *nodes,
                           int64_t n) {
  size_t globals = 0;
  for (int64_t i = 0; i < n; i++) globals += (size_t)nodes[i]->op->ngbls;
  program->nnodes = n;
  program->hash = hash_loops(nodes, n);
  program->ops = op2i_malloc((size_t)n * sizeof *program->ops);
  program->versions = op2i_malloc(globals * sizeof *program->versions);
  if (!program->ops || !program->versions) return op2i_error_nomem("a program");
  for (int64_t i = 0; i < n; i++) program->ops[i] = nodes[i]->op;
  number_versions(nodes, n, program->versions);
  return OP2_SUCCESS;
}

/* ---- life ------------------------------------------------------------------------------------ */

void op2i_program_free(struct op2i_program *program) {
  if (!program) return;
  for (int64_t s = 0; s < program->nsteps; s++) op2i_step_end(&program->steps[s]);
  op2i_task_list_free(&program->tasks);
  op2i_grouping_free(&program->grouping);
  op2i_free(program->ops);
  op2i_free(program->versions);
  op2i_free(program->steps);
  op2i_free(program->step_group);
  op2i_free_data(program->payload);
  op2i_free(program->gbl);
  op2i_free(program->payload_at);
  op2i_free(program->gbl_at);
  op2i_free(program);
}

static bool uses(const struct op2i_program *program, const struct op2i_loop *loop) {
  for (int64_t i = 0; i < program->nnodes; i++)
    if (program->ops[i] == &loop->op) return true;
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    if (program->grouping.groups[g].loop == loop) return true;
  return false;
}

void op2i_sched_forget(struct op2i_sched *sched, const struct op2i_loop *loop) {
  op2i_tilings_forget(sched, loop);
  for (struct op2i_program **at = &sched->programs; *at;) {
    struct op2i_program *program = *at;
    if (loop && !uses(program, loop)) {
      at = &program->next;
      continue;
    }
    *at = program->next;
    sched->nprograms--;
    op2i_program_free(program);
  }
}

void op2i_sched_forget_all(struct op2i_sched *sched) { op2i_sched_forget(sched, NULL); }

/* What a verifier says. A broken invariant is nothing that could be run around. */
static op2_status verified(op2_status status, const char *pass) {
  if (status != OP2_ERR_STATE) return status;
  return op2i_error(OP2_ERR_FATAL, "%s broke the program: %s", pass, op2_error_message());
}

/* ---- making ---------------------------------------------------------------------------------- */

/* What the passes ask about a loop is known once its text has been made. */
static op2_status make_sources(struct op2i_node *const *nodes, int64_t n,
                               enum op2i_variant variant) {
  for (int64_t i = 0; i < n; i++) {
    const char *source;
    op2_status status = op2i_loop_source(op2i_node_loop(nodes[i]), variant, &source);
    if (status) return status;
  }
  return OP2_SUCCESS;
}

static op2_status compile_groups(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                                 enum op2i_variant variant) {
  struct op2i_compile compile = {.sched = sched, .variant = variant};
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < grouping->ngroups && !status; g++)
    status = op2i_compile_add(&compile, grouping->groups[g].loop);
  if (!status) status = op2i_compile_run(&compile);
  op2i_compile_end(&compile);
  for (int64_t g = 0; g < grouping->ngroups && !status; g++) {
    const struct op2i_loop *loop = grouping->groups[g].loop;
    const char *why = op2i_no_code(loop);
    if (why)
      status = op2i_error(OP2_ERR_UNAVAILABLE, "no code for '%s': %s", op2i_loop_name(loop), why);
  }
  return status;
}

static op2_status make_tables(struct op2i_program *program) {
  const struct op2i_grouping *grouping = &program->grouping;
  size_t groups = (size_t)grouping->ngroups;
  int64_t payload = 0, gbl = 0;
  program->payload_at = op2i_calloc(groups, sizeof *program->payload_at);
  program->gbl_at = op2i_calloc(groups, sizeof *program->gbl_at);
  if (!program->payload_at || !program->gbl_at) return op2i_error_nomem("a program");
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_group *group = &grouping->groups[g];
    if (group->count == 1) continue;
    program->payload_at[g] = payload;
    program->gbl_at[g] = gbl;
    payload += (group->loop->op.payload_bytes + 63) / 64 * 64;
    gbl += group->loop->op.ngbls;
  }
  program->payload = op2i_alloc_data((size_t)payload);
  program->gbl = op2i_calloc((size_t)gbl, sizeof *program->gbl);
  return program->payload && program->gbl ? OP2_SUCCESS : op2i_error_nomem("a program");
}

static op2_status make_steps(struct op2i_sched *sched, struct op2i_program *program) {
  const struct op2i_grouping *grouping = &program->grouping;
  size_t most = (size_t)grouping->ngroups * OP2I_RANGES;
  program->steps = op2i_calloc(most, sizeof *program->steps);
  program->step_group = op2i_calloc(most, sizeof *program->step_group);
  if (!program->steps || !program->step_group) return op2i_error_nomem("a program");
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    struct op2i_loop *loop = grouping->groups[g].loop;
    op2_status status = op2i_loop_prepare(sched, loop);
    if (status) return status;
    for (int r = 0; r < loop->nranges; r++) {
      program->step_group[program->nsteps] = g;
      program->steps[program->nsteps++] = op2i_step_make(loop, r, sched->ctx->backend->variant);
    }
  }
  return OP2_SUCCESS;
}

static op2_status make_program(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                               struct op2i_program **out) {
  enum op2i_variant variant = sched->ctx->backend->variant;
  struct op2i_program *program = op2i_calloc(1, sizeof *program);
  if (!program) return op2i_error_nomem("a program");
  op2_status status;
  OP2I_TRY(make_key(program, nodes, n));
  OP2I_TRY(make_sources(nodes, n, variant));
  OP2I_TRY(op2i_graph_join(sched));
  OP2I_TRY(op2i_fuse(sched, nodes, n, &program->grouping));
  if (sched->ctx->config.verify)
    OP2I_TRY(verified(op2i_grouping_verify(sched, nodes, &program->grouping), "fusion"));
  OP2I_TRY(compile_groups(sched, &program->grouping, variant));
  OP2I_TRY(make_tables(program));
  OP2I_TRY(make_steps(sched, program));
  *out = program;
  return OP2_SUCCESS;
fail:
  op2i_program_free(program);
  return status;
}

/* The newest programs are kept, each with its plans, tasks and code. */
static void keep(struct op2i_sched *sched, struct op2i_program *program) {
  program->next = sched->programs;
  sched->programs = program;
  if (++sched->nprograms <= PROGRAMS_MAX) return;
  struct op2i_program **last = &sched->programs;
  while ((*last)->next) last = &(*last)->next;
  op2i_program_free(*last);
  *last = NULL;
  sched->nprograms--;
}

/* A program that is run again must suit this queue as it suited the first. */
static op2_status verify_found(struct op2i_sched *sched, const struct op2i_program *program,
                               struct op2i_node *const *nodes) {
  op2_status status = op2i_graph_join(sched);
  return status ? status
                : verified(op2i_grouping_verify(sched, nodes, &program->grouping), "replay");
}

op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **out) {
  if (!sched->ctx->config.replay) op2i_sched_forget_all(sched);
  uint64_t hash = hash_loops(nodes, n);
  for (struct op2i_program **at = &sched->programs; *at; at = &(*at)->next) {
    struct op2i_program *program = *at;
    if (!matches(program, hash, nodes, n)) continue;
    op2_status status =
        sched->ctx->config.verify ? verify_found(sched, program, nodes) : OP2_SUCCESS;
    if (status) return status;
    *at = program->next; /* to the front */
    program->next = sched->programs;
    sched->programs = program;
    sched->programs_replayed++;
    *out = program;
    return OP2_SUCCESS;
  }
  struct op2i_program *program = NULL;
  double begin = op2i_prepare_begin(sched);
  op2_status status = make_program(sched, nodes, n, &program);
  op2i_prepare_end(sched, begin);
  if (status) return status;
  sched->programs_made++;
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    if (program->grouping.groups[g].count > 1)
      sched->loops_fused += program->grouping.groups[g].count;
  keep(sched, program);
  *out = program;
  return OP2_SUCCESS;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Collect the values of a fused group's members where its code looks for them. */
static void bind_group(struct op2i_program *program, int64_t g, struct op2i_node *const *nodes) {
  const struct op2i_group *group = &program->grouping.groups[g];
  const struct op2i_loop *loop = group->loop;
  unsigned char *payload = program->payload + program->payload_at[g];
  void **gbl = program->gbl + program->gbl_at[g];
  for (int m = 0; m < group->count; m++) {
    const struct op2i_node *node = nodes[program->grouping.nodes[group->first + m]];
    memcpy(payload, node->payload, (size_t)node->op->payload_bytes);
    payload += (node->op->payload_bytes + 15) / 16 * 16;
    for (int a = 0; a < op2i_node_loop(node)->nargs; a++)
      if (op2i_node_loop(node)->args[a].gbl >= 0)
        gbl[loop->args[loop->members[m].first_arg + a].gbl] =
            node->gbl[op2i_node_loop(node)->args[a].gbl];
  }
}

static void bind_step(struct op2i_program *program, int64_t s, struct op2i_node *const *nodes) {
  struct op2i_step *step = &program->steps[s];
  int64_t g = program->step_group[s];
  const struct op2i_group *group = &program->grouping.groups[g];
  const struct op2i_node *first = nodes[program->grouping.nodes[group->first]];
  bool fused = group->count > 1;
  step->number = first->number;
  step->file = first->where.file;
  step->line = first->where.line;
  step->gbl = fused ? program->gbl + program->gbl_at[g] : first->gbl;
  step->call.gbl = (const void *const *)step->gbl;
  step->call.payload = fused ? program->payload + program->payload_at[g] : first->payload;
  step->nanoseconds = 0;
  step->seconds = step->clock_seconds = 0;
}

/* For the drawing of the graph. */
static void name_group(const struct op2i_program *program, int64_t g,
                       struct op2i_node *const *nodes) {
  const struct op2i_group *group = &program->grouping.groups[g];
  const int32_t *places = program->grouping.nodes + group->first;
  for (int32_t m = 0; m < group->count; m++)
    nodes[places[m]]->fused = group->count > 1 ? nodes[places[0]]->number : 0;
}

op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes) {
  op2_context ctx = sched->ctx;
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    if (program->grouping.groups[g].count > 1) bind_group(program, g, nodes);
  for (int64_t s = 0; s < program->nsteps; s++) bind_step(program, s, nodes);
  status = verified(op2i_program_tile(sched, program), "tiling");
  if (status == OP2_ERR_FATAL) return status;
  if (ctx->backend->run_program) {
    status = ctx->backend->run_program(ctx->backend_state, program->steps, program->nsteps,
                                       &program->tasks);
  } else {
    op2i_sched_starts(sched);
    for (int64_t s = 0; s < program->nsteps && !status; s++)
      status = ctx->backend->run_step(ctx->backend_state, &program->steps[s]);
  }
  if (status)
    return op2i_error(OP2_ERR_FATAL, "the program could not be run: %s", op2_error_message());
  for (int64_t g = 0; g < program->grouping.ngroups; g++) name_group(program, g, nodes);
  for (int64_t s = 0; s < program->nsteps; s++) op2i_step_account(&program->steps[s]);
  program->runs++;
  return OP2_SUCCESS;
}

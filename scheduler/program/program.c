/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs: made once for a sequence of operations, kept, and run again with other values. The
 * passes run here, in this order: fusion (fuse.c), code for what it made (compile.c), exchanges of
 * halos (halos.c), plans (loopdata.c); tiling (tiling.c) once a program has shown that it runs again. */
#include "program.h"

#include <string.h>

#include "call.h"
#include "combination.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "tasks.h"
#include "tiling.h"

enum { PROGRAMS_MAX = 64 };

/* ---- the key --------------------------------------------------------------------------------- */

static uint64_t hash_ops(struct op2i_node *const *nodes, int64_t n) {
  uint64_t hash = (uint64_t)n;
  for (int64_t i = 0; i < n; i++) hash = op2i_hash_word(hash, (uintptr_t)nodes[i]->op);
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

/* Which halos were up to date decides what is exchanged. */
static bool same_stale(const struct op2i_program *program, struct op2i_node *const *nodes) {
  const unsigned char *stale = program->stale;
  for (int64_t i = 0; stale && i < program->nnodes; i++)
    for (int d = 0; d < nodes[i]->op->ndats; d++)
      if (nodes[i]->op->dats[d]->stale != *stale++) return false;
  return true;
}

static op2_status note_stale(struct op2i_program *program, struct op2i_node *const *nodes,
                             int64_t n) {
  size_t dats = 0;
  for (int64_t i = 0; i < n; i++) dats += (size_t)nodes[i]->op->ndats;
  program->stale = op2i_malloc(dats);
  if (!program->stale) return op2i_error_nomem("a program");
  unsigned char *at = program->stale;
  for (int64_t i = 0; i < n; i++)
    for (int d = 0; d < nodes[i]->op->ndats; d++) *at++ = nodes[i]->op->dats[d]->stale;
  return OP2_SUCCESS;
}

static bool matches(const struct op2i_program *program, uint64_t hash,
                    struct op2i_node *const *nodes, int64_t n) {
  if (program->hash != hash || program->nnodes != n) return false;
  for (int64_t i = 0; i < n; i++)
    if (program->ops[i] != nodes[i]->op) return false;
  return same_versions(program, nodes) && same_stale(program, nodes);
}

static op2_status make_key(struct op2i_program *program, struct op2i_node *const *nodes,
                           int64_t n) {
  size_t globals = 0;
  for (int64_t i = 0; i < n; i++) globals += (size_t)nodes[i]->op->ngbls;
  program->nnodes = n;
  program->hash = hash_ops(nodes, n);
  program->ops = op2i_malloc((size_t)n * sizeof *program->ops);
  program->versions = op2i_malloc(globals * sizeof *program->versions);
  if (!program->ops || !program->versions) return op2i_error_nomem("a program");
  for (int64_t i = 0; i < n; i++) program->ops[i] = nodes[i]->op;
  number_versions(nodes, n, program->versions);
  return nodes[0]->op->ctx->comm ? note_stale(program, nodes, n) : OP2_SUCCESS;
}

/* ---- life ------------------------------------------------------------------------------------ */

void op2i_program_free(struct op2i_program *program) {
  if (!program) return;
  for (int64_t s = 0; s < program->nsteps; s++) {
    op2i_step_end(&program->steps[s]);
    op2i_task_list_free(&program->steps[s].tasks);
  }
  for (int64_t g = 0; program->exchanges && g < program->grouping.ngroups; g++)
    op2i_exchange_free(program->exchanges[g]);
  op2i_free(program->exchanges);
  op2i_free(program->stale);
  op2i_grouping_free(&program->grouping);
  op2i_free(program->ops);
  op2i_free(program->versions);
  op2i_free(program->steps);
  op2i_free(program->step_group);
  op2i_free_data(program->payload);
  op2i_free(program->globals);
  op2i_free(program->dat);
  op2i_free(program->map);
  op2i_free(program->target);
  op2i_free(program->gbl);
  op2i_free(program);
}

static bool uses(const struct op2i_program *program, struct op2i_op *op) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  for (int64_t i = 0; i < program->nnodes; i++)
    if (program->ops[i] == op) return true;
  for (int64_t g = 0; g < program->grouping.ngroups && loop; g++)
    if (program->grouping.groups[g].loop == loop) return true;
  return false;
}

static void forget_alone(struct op2i_op *op) {
  for (struct op2i_program *program = op->alone, *next; program; program = next) {
    next = program->next;
    op2i_program_free(program);
  }
  op->alone = NULL;
}

void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op) {
  if (op2i_op_loop(op)) op2i_tilings_forget(sched, op2i_op_loop(op));
  if (op2i_op_loop(op)) op2i_combinations_forget(sched->combinations, op2i_op_loop(op));
  forget_alone(op);
  for (struct op2i_program **at = &sched->programs; *at;) {
    struct op2i_program *program = *at;
    if (!uses(program, op)) {
      at = &program->next;
      continue;
    }
    *at = program->next;
    sched->nprograms--;
    op2i_program_free(program);
  }
}

static void forget_programs(struct op2i_sched *sched) {
  while (sched->programs) {
    struct op2i_program *program = sched->programs;
    sched->programs = program->next;
    op2i_program_free(program);
  }
  sched->nprograms = 0;
}

void op2i_sched_forget_all(struct op2i_sched *sched) {
  op2_context ctx = sched->ctx;
  op2i_tilings_forget(sched, NULL);
  forget_programs(sched);
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->first : NULL; loop; loop = loop->next)
    forget_alone(&loop->op);
  for (struct op2i_user_call *call = ctx->calls; call; call = call->next) forget_alone(&call->op);
}

/* What a verifier says. A broken invariant is nothing that could be run around. */
static op2_status verified(op2_status status, const char *pass) {
  if (status != OP2_ERR_STATE) return status;
  return op2i_error(OP2_ERR_FATAL, "%s broke the program: %s", pass, op2_error_message());
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Passes ask for it. */
static op2_status decide_forms(struct op2i_node *const *nodes, int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < n && !status; i++) {
    struct op2i_loop *loop = op2i_node_loop(nodes[i]);
    const struct op2i_form *form;
    if (loop) status = op2i_loop_form(loop, &form);
  }
  return status;
}

static op2_status compile_groups(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                                 enum op2i_variant wish) {
  struct op2i_compile compile = {.sched = sched, .wish = wish};
  op2_status status = OP2_SUCCESS;
  for (int64_t g = 0; g < grouping->ngroups && !status; g++)
    if (grouping->groups[g].loop) status = op2i_compile_add(&compile, grouping->groups[g].loop);
  if (!status) status = op2i_compile_run(&compile);
  op2i_compile_end(&compile);
  for (int64_t g = 0; g < grouping->ngroups && !status; g++) {
    const struct op2i_loop *loop = grouping->groups[g].loop;
    if (!loop || !op2i_no_code(loop)) continue;
    const struct op2i_loop_data *data = loop->sched_data;
    status = op2i_error(data->no_code_status, "%s", data->no_code);
  }
  return status;
}

/* Bytes for the payload of a fused group. */
static int64_t payload_room(const struct op2i_group *group) {
  return (group->loop->op.payload_bytes + 63) / 64 * 64;
}

static op2_status make_tables(struct op2i_program *program) {
  const struct op2i_grouping *grouping = &program->grouping;
  int64_t payload = 0, globals = 0;
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    const struct op2i_group *group = &grouping->groups[g];
    if (group->count == 1) continue;
    payload += payload_room(group);
    globals += group->loop->op.ngbls;
  }
  program->payload = op2i_alloc_data((size_t)payload);
  program->globals = op2i_calloc((size_t)globals, sizeof *program->globals);
  return program->payload && program->globals ? OP2_SUCCESS : op2i_error_nomem("a program");
}

static op2_status place_exchanges(struct op2i_program *program, struct op2i_node *const *nodes) {
  if (!program->stale) return OP2_SUCCESS;
  program->exchanges =
      op2i_calloc((size_t)program->grouping.ngroups, sizeof(struct op2i_exchange *));
  if (!program->exchanges) return op2i_error_nomem("a program");
  return op2i_place_exchanges(nodes, &program->grouping, program->exchanges);
}

static void add_step(struct op2i_program *program, int64_t g, struct op2i_step step) {
  program->step_group[program->nsteps] = g;
  program->steps[program->nsteps++] = step;
}

/* To each step for the addresses of its values. */
static op2_status give_room(struct op2i_program *program) {
  size_t dats = 0, maps = 0, gbls = 0;
  for (int64_t s = 0; s < program->nsteps; s++) {
    const struct op2i_loop *loop = program->steps[s].loop;
    dats += loop ? (size_t)loop->op.ndats : 0;
    maps += loop ? (size_t)loop->nmaps : 0;
    gbls += loop ? (size_t)loop->op.ngbls : 0;
  }
  program->dat = op2i_calloc(dats, sizeof *program->dat);
  program->map = op2i_calloc(maps, sizeof *program->map);
  program->target = op2i_calloc(maps, sizeof *program->target);
  program->gbl = op2i_calloc(gbls, sizeof *program->gbl);
  if (!program->dat || !program->map || !program->target || !program->gbl)
    return op2i_error_nomem("a program");
  dats = maps = gbls = 0;
  for (int64_t s = 0; s < program->nsteps; s++) {
    struct op2i_step *step = &program->steps[s];
    if (!step->loop) continue;
    step->call.dat = step->dat = program->dat + dats;
    step->call.map = step->map = program->map + maps;
    step->call.target = step->target = program->target + maps;
    step->gbl = program->gbl + gbls;
    step->call.gbl = (const void *const *)step->gbl;
    dats += (size_t)step->loop->op.ndats;
    maps += (size_t)step->loop->nmaps;
    gbls += (size_t)step->loop->op.ngbls;
  }
  return OP2_SUCCESS;
}

static op2_status make_steps(struct op2i_sched *sched, struct op2i_program *program) {
  const struct op2i_grouping *grouping = &program->grouping;
  size_t most = (size_t)grouping->ngroups * (OP2I_RANGES + 2); /* an exchange and a reduction */
  program->steps = op2i_calloc(most, sizeof *program->steps);
  program->step_group = op2i_calloc(most, sizeof *program->step_group);
  if (!program->steps || !program->step_group) return op2i_error_nomem("a program");
  for (int64_t g = 0; g < grouping->ngroups; g++) {
    struct op2i_loop *loop = grouping->groups[g].loop;
    op2_status status = loop ? op2i_loop_prepare(sched, loop) : OP2_SUCCESS;
    if (status) return status;
    if (program->exchanges && program->exchanges[g])
      add_step(program, g, (struct op2i_step){.kind = OP2I_STEP_EXCHANGE});
    if (!loop) add_step(program, g, (struct op2i_step){.kind = OP2I_STEP_CALL});
    for (int r = 0; loop && r < loop->nranges; r++)
      add_step(program, g, op2i_step_make(loop, r, sched->ctx->backend->variant));
    if (loop && loop->partial_bytes && program->stale)
      add_step(program, g, (struct op2i_step){.kind = OP2I_STEP_REDUCE});
  }
  return give_room(program);
}

/* A program of one has no passes: nothing is asked of the graph. */
static op2_status group(struct op2i_sched *sched, struct op2i_node *const *nodes,
                        struct op2i_program *program) {
  bool alone = program->nnodes == 1;
  op2_status status = OP2_SUCCESS;
  if (!alone) status = decide_forms(nodes, program->nnodes);
  if (!status && !alone) status = op2i_graph_join(sched);
  if (!status) status = op2i_fuse(sched, nodes, program->nnodes, &program->grouping);
  if (!status && sched->ctx->config.verify)
    status = verified(op2i_grouping_verify(sched, nodes, &program->grouping), "fusion");
  return status;
}

static op2_status make_program(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                               struct op2i_program **out) {
  struct op2i_program *program = op2i_calloc(1, sizeof *program);
  if (!program) return op2i_error_nomem("a program");
  op2_status status;
  OP2I_TRY(make_key(program, nodes, n));
  OP2I_TRY(group(sched, nodes, program));
  OP2I_TRY(compile_groups(sched, &program->grouping, sched->ctx->backend->variant));
  OP2I_TRY(make_tables(program));
  OP2I_TRY(place_exchanges(program, nodes));
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

static struct op2i_program *find_alone(struct op2i_node *const *nodes) {
  struct op2i_program *program = nodes[0]->op->alone;
  while (program && !same_stale(program, nodes)) program = program->next;
  return program;
}

/* A program of the list goes to its front. */
static struct op2i_program *find_program(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                         int64_t n) {
  if (n == 1) return find_alone(nodes);
  uint64_t hash = hash_ops(nodes, n);
  for (struct op2i_program **at = &sched->programs; *at; at = &(*at)->next) {
    struct op2i_program *program = *at;
    if (!matches(program, hash, nodes, n)) continue;
    *at = program->next;
    program->next = sched->programs;
    sched->programs = program;
    return program;
  }
  return NULL;
}

static op2_status make_and_keep(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                                struct op2i_program **out) {
  double begin = op2i_prepare_begin(sched);
  op2_status status = make_program(sched, nodes, n, out);
  op2i_prepare_end(sched, begin);
  if (status) return status;
  struct op2i_program *program = *out;
  sched->programs_made++;
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    if (program->grouping.groups[g].count > 1)
      sched->loops_fused += program->grouping.groups[g].count;
  if (n == 1) {
    program->next = nodes[0]->op->alone;
    nodes[0]->op->alone = program;
  } else {
    keep(sched, program);
  }
  return OP2_SUCCESS;
}

/* Its sequence has come again: what was kept apart is fused. */
static op2_status make_anew(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program) {
  struct op2i_program *before = *program, **at = &sched->programs;
  const int64_t runs = before->runs;
  op2_status status = make_and_keep(sched, nodes, n, program);
  if (status) return status;
  (*program)->runs = runs;
  while (*at && *at != before) at = &(*at)->next;
  if (!*at) return OP2_SUCCESS; /* to make the other took so many loops that it has gone */
  *at = before->next;
  sched->nprograms--;
  op2i_program_free(before);
  return OP2_SUCCESS;
}

op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **out) {
  if (!sched->ctx->config.replay) op2i_sched_forget_all(sched);
  *out = find_program(sched, nodes, n);
  if (!*out) return make_and_keep(sched, nodes, n, out);
  if ((*out)->grouping.napart) return make_anew(sched, nodes, n, out);
  sched->programs_replayed++;
  return sched->ctx->config.verify ? verify_found(sched, *out, nodes) : OP2_SUCCESS;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Collect the values of a fused group's members where its code looks for them. */
static void collect(const struct op2i_group *group, const int32_t *members,
                    struct op2i_node *const *nodes, unsigned char *payload,
                    struct op2i_version **globals) {
  const struct op2i_loop *loop = group->loop;
  for (int m = 0; m < group->count; m++) {
    const struct op2i_node *node = nodes[members[m]];
    memcpy(payload, node->payload, (size_t)node->op->payload_bytes);
    payload += (node->op->payload_bytes + 15) / 16 * 16;
    for (int a = 0; a < op2i_node_loop(node)->nargs; a++)
      if (op2i_node_loop(node)->args[a].gbl >= 0)
        globals[loop->args[loop->members[m].first_arg + a].gbl] =
            node->versions[op2i_node_loop(node)->args[a].gbl];
  }
}

static void bind_step(struct op2i_step *step, const struct op2i_node *first,
                      const unsigned char *payload, struct op2i_version **versions) {
  step->number = first->number;
  step->file = first->where.file;
  step->line = first->where.line;
  step->versions = versions;
  step->call.payload = payload;
  step->nanoseconds = 0;
  step->seconds = step->clock_seconds = 0;
}

static void bind(struct op2i_program *program, struct op2i_node *const *nodes) {
  unsigned char *payload = program->payload;
  struct op2i_version **globals = program->globals;
  for (int64_t g = 0, s = 0; g < program->grouping.ngroups; g++) {
    const struct op2i_group *group = &program->grouping.groups[g];
    const int32_t *members = program->grouping.nodes + group->first;
    const struct op2i_node *first = nodes[members[0]];
    bool fused = group->count > 1;
    if (fused) collect(group, members, nodes, payload, globals);
    for (; s < program->nsteps && program->step_group[s] == g; s++)
      bind_step(&program->steps[s], first, fused ? payload : first->payload,
                fused ? globals : first->versions);
    payload += fused ? payload_room(group) : 0;
    globals += fused ? group->loop->op.ngbls : 0;
  }
}

/* For the drawing of the graph. */
static void name_group(const struct op2i_program *program, int64_t g,
                       struct op2i_node *const *nodes) {
  const struct op2i_group *group = &program->grouping.groups[g];
  const int32_t *members = program->grouping.nodes + group->first;
  for (int32_t m = 0; m < group->count; m++)
    nodes[members[m]]->fused = group->count > 1 ? nodes[members[0]]->number : 0;
}

/* How many steps from s on are run by one call of the backend, or of the operation's function. */
static int64_t together(const struct op2i_sched *sched, const struct op2i_program *program,
                        int64_t s) {
  int64_t end = s + 1;
  if (program->steps[s].kind == OP2I_STEP_LOOP && sched->ctx->backend->run_steps)
    while (end < program->nsteps && program->steps[end].kind == OP2I_STEP_LOOP) end++;
  return end - s;
}

static op2_status run_steps(struct op2i_sched *sched, struct op2i_step *steps, int64_t n) {
  op2_context ctx = sched->ctx;
  op2_status status = op2i_steps_bind(ctx, steps, n);
  if (status) return status;
  if (!ctx->backend->run_steps) {
    op2i_sched_starts(sched);
    return ctx->backend->run_step(ctx->backend_state, steps);
  }
  status = ctx->backend->run_steps(ctx->backend_state, steps, n);
  if (!status) return status;
  return op2i_error(OP2_ERR_FATAL, "the program could not be run: %s", op2_error_message());
}

/* Of the loop whose steps stand before. */
static op2_status run_reduce(struct op2i_program *program, int64_t s) {
  while (!program->steps[s].reduces) s--;
  return op2i_step_reduce(&program->steps[s]);
}

static op2_status run_call(const struct op2i_program *program, int64_t s,
                           struct op2i_node *const *nodes) {
  const struct op2i_grouping *grouping = &program->grouping;
  struct op2i_node *node = nodes[grouping->nodes[grouping->groups[program->step_group[s]].first]];
  return node->op->kind->run(node->op, node->versions, node->payload);
}

/* Exchanges begin by what is stale then. */
static void make_stale(const struct op2i_program *program, int64_t s, int64_t n,
                       struct op2i_node *const *nodes) {
  for (int64_t k = s; k < s + n; k++) {
    const struct op2i_group *group = &program->grouping.groups[program->step_group[k]];
    if (program->steps[k].kind == OP2I_STEP_LOOP) op2i_op_makes_stale(&program->steps[k].loop->op);
    if (program->steps[k].kind == OP2I_STEP_CALL)
      op2i_op_makes_stale(nodes[program->grouping.nodes[group->first]]->op);
  }
}

op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes, int64_t *done) {
  int64_t ngroups = program->grouping.ngroups, n;
  *done = 0;
  bind(program, nodes);
  op2_status status = verified(op2i_program_tile(sched, program), "tiling");
  if (status == OP2_ERR_FATAL) return status;
  for (int64_t s = 0; s < program->nsteps; s += n) {
    struct op2i_step *steps = &program->steps[s];
    n = together(sched, program, s);
    *done = program->step_group[s];
    bool loops = steps->kind == OP2I_STEP_LOOP;
    if (program->stale) make_stale(program, s, n, nodes);
    switch (steps->kind) {
    case OP2I_STEP_LOOP: status = run_steps(sched, steps, n); break;
    case OP2I_STEP_CALL: status = run_call(program, s, nodes); break;
    case OP2I_STEP_EXCHANGE: status = op2i_exchange_run(program->exchanges[*done]); break;
    case OP2I_STEP_REDUCE: status = run_reduce(program, s); break;
    }
    if (status) break;
    for (int64_t k = 0; k < n && loops; k++) op2i_step_account(&steps[k]);
  }
  if (!status) *done = ngroups;
  for (int64_t g = 0; g < *done; g++) name_group(program, g, nodes);
  program->runs += !status;
  return status;
}

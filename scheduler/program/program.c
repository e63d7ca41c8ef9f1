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
  for (int64_t x = 0; x < program->nexchanges; x++)
    op2i_exchange_free(program->exchanges[x].exchange);
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
  status = op2i_context_agree(sched->ctx, status);
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

/* ---- the order of steps ---------------------------------------------------------------------- */

/* Steps are put one behind the other, group after group. */
struct order {
  struct op2i_sched *sched;
  struct op2i_program *program;
  struct op2i_node *const *nodes;
  int64_t *reduced; /* [nreduced] first steps of loops whose results ranks have yet to combine */
  int64_t nreduced;
};

static void add_exchanges(struct order *order, int64_t g, enum op2i_step_kind kind) {
  for (int64_t x = 0; x < order->program->nexchanges; x++) {
    const struct op2i_placed *placed = &order->program->exchanges[x];
    if ((kind == OP2I_STEP_BEGIN ? placed->begin : placed->end) == g)
      add_step(order->program, g, (struct op2i_step){.kind = kind, .exchange = placed->exchange});
  }
}

/* Whether a node uses a version of a global that another one modifies. */
static bool uses_result(const struct op2i_node *node, const struct op2i_node *of) {
  for (int g = 0; g < of->op->ngbls; g++)
    for (int k = 0; k < node->op->ngbls && op2i_modifies(of->op->gbl_access[g]); k++)
      if (node->versions[k] == of->versions[g]) return true;
  return false;
}

static bool group_uses_result(const struct order *order, int64_t g, int64_t of) {
  const struct op2i_grouping *grouping = &order->program->grouping;
  const struct op2i_group *a = &grouping->groups[g], *b = &grouping->groups[of];
  for (int32_t i = 0; i < a->count; i++)
    for (int32_t k = 0; k < b->count; k++)
      if (uses_result(order->nodes[grouping->nodes[a->first + i]],
                      order->nodes[grouping->nodes[b->first + k]]))
        return true;
  return false;
}

/* Ranks combine results as late as group g allows, or, with `all`, have to by now: until then nobody
 * waits for anybody. */
static void add_reductions(struct order *order, int64_t g, bool all) {
  int64_t kept = 0;
  for (int64_t i = 0; i < order->nreduced; i++) {
    int64_t first = order->reduced[i];
    if (all || group_uses_result(order, g, order->program->step_group[first]))
      add_step(order->program, g, (struct op2i_step){.kind = OP2I_STEP_REDUCE, .reduced = first});
    else
      order->reduced[kept++] = first;
  }
  order->nreduced = kept;
}

/* What has come from others is there before all but the loop over core elements. */
static void add_loop(struct order *order, int64_t g, struct op2i_loop *loop) {
  const struct op2i_config *config = &order->sched->ctx->config;
  bool ended = false;
  for (int r = 0; r < loop->nranges; r++) {
    bool waits = loop->ranges[r].section != OP2I_CORE || !config->overlap;
    if (waits && !ended) add_exchanges(order, g, OP2I_STEP_END);
    ended = ended || waits;
    if (r == 0 && loop->partial_bytes && order->program->stale)
      order->reduced[order->nreduced++] = order->program->nsteps;
    add_step(order->program, g, op2i_step_make(loop, r, order->sched->ctx->backend->variant));
  }
}

static op2_status add_group(struct order *order, int64_t g) {
  struct op2i_loop *loop = order->program->grouping.groups[g].loop;
  op2_status status = loop ? op2i_loop_prepare(order->sched, loop) : OP2_SUCCESS;
  if (status) return status;
  add_exchanges(order, g, OP2I_STEP_BEGIN);
  add_reductions(order, g, false);
  if (loop) {
    add_loop(order, g, loop);
  } else {
    add_exchanges(order, g, OP2I_STEP_END);
    add_step(order->program, g, (struct op2i_step){.kind = OP2I_STEP_CALL});
  }
  return OP2_SUCCESS;
}

static op2_status make_steps(struct op2i_sched *sched, struct op2i_program *program,
                             struct op2i_node *const *nodes) {
  size_t ngroups = (size_t)program->grouping.ngroups;
  size_t most = ngroups * (OP2I_RANGES + 1) + 2 * (size_t)program->nexchanges;
  struct order order = {.sched = sched, .program = program, .nodes = nodes};
  program->steps = op2i_calloc(most, sizeof *program->steps);
  program->step_group = op2i_calloc(most, sizeof *program->step_group);
  order.reduced = op2i_malloc(ngroups * sizeof *order.reduced);
  op2_status status = program->steps && program->step_group && order.reduced
                          ? OP2_SUCCESS
                          : op2i_error_nomem("a program");
  for (int64_t g = 0; g < program->grouping.ngroups && !status; g++) status = add_group(&order, g);
  if (!status) add_reductions(&order, program->grouping.ngroups - 1, true);
  op2i_free(order.reduced);
  return status ? status : give_room(program);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static op2_status place_exchanges(struct op2i_program *program, struct op2i_node *const *nodes) {
  if (!program->stale) return OP2_SUCCESS;
  return op2i_place_exchanges(nodes, &program->grouping, &program->exchanges, &program->nexchanges);
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
  op2_status status = program ? OP2_SUCCESS : op2i_error_nomem("a program");
  OP2I_TRY(op2i_context_agree(sched->ctx, status));
  status = make_key(program, nodes, n);
  if (!status) status = group(sched, nodes, program);
  OP2I_TRY(op2i_context_agree(sched->ctx, status));
  OP2I_TRY(compile_groups(sched, &program->grouping, sched->ctx->backend->variant));
  status = make_tables(program);
  if (!status) status = place_exchanges(program, nodes);
  if (!status) status = make_steps(sched, program, nodes);
  OP2I_TRY(op2i_context_agree(sched->ctx, status));
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

/* Ranks got as far as memory let them. From here on they have met the same combinations again. */
static void begin_anew(struct op2i_sched *sched) {
  op2i_sched_forget_all(sched);
  op2i_combinations_reset(sched->combinations);
}

static op2_status make_and_keep(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                                struct op2i_program **out) {
  double begin = op2i_prepare_begin(sched);
  op2_status status = make_program(sched, nodes, n, out);
  op2i_prepare_end(sched, begin);
  if (status == OP2_ERR_NOMEM && sched->ctx->comm) begin_anew(sched);
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
  if (!sched->ctx->config.verify) return OP2_SUCCESS;
  return op2i_context_agree(sched->ctx, verify_found(sched, *out, nodes));
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

/* A task backend works while halos travel, where that is wanted. */
static bool joins(const struct op2i_sched *sched, const struct op2i_step *step) {
  if (!sched->ctx->backend->run_steps) return false;
  bool exchanges = step->kind == OP2I_STEP_BEGIN || step->kind == OP2I_STEP_END;
  return step->kind == OP2I_STEP_LOOP || (exchanges && sched->ctx->config.overlap);
}

/* How many steps from s on are run by one call of the backend, or of the operation's function. */
static int64_t together(const struct op2i_sched *sched, const struct op2i_program *program,
                        int64_t s) {
  int64_t end = s;
  while (end < program->nsteps && joins(sched, &program->steps[end])) end++;
  return end > s ? end - s : 1;
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

static op2_status run_reduce(struct op2i_sched *sched, struct op2i_program *program, int64_t s) {
  int64_t first = program->steps[s].reduced, end = first, g = program->step_group[first];
  while (end < s && program->step_group[end] == g) end++;
  bool lost = op2i_outcome_failed(sched, &program->grouping, g);
  return op2i_steps_reduce(&program->steps[first], end - first, lost);
}

/* Where nobody works at the same time. */
static op2_status run_exchange(op2_context ctx, struct op2i_step *step) {
  op2_status bound = op2i_steps_bind(ctx, step, 1);
  op2_status status = op2i_exchange_step_run(step);
  return status ? status : bound;
}

/* Among ranks not where something has failed on one of them that it depends on. */
static op2_status run_call(struct op2i_sched *sched, const struct op2i_program *program, int64_t s,
                           struct op2i_node *const *nodes) {
  const struct op2i_grouping *grouping = &program->grouping;
  int64_t g = program->step_group[s];
  struct op2i_node *node = nodes[grouping->nodes[grouping->groups[g].first]];
  bool cancelled = false;
  op2_status status = op2i_outcomes_before_call(sched, nodes, grouping, g, &cancelled);
  if (status || cancelled) return status;
  return node->op->kind->run(node->op, node->versions, node->payload);
}

/* What steps that are about to run do to halos. */
static void make_stale(const struct op2i_program *program, int64_t s, int64_t n,
                       struct op2i_node *const *nodes) {
  for (int64_t k = s; k < s + n; k++) {
    const struct op2i_step *step = &program->steps[k];
    const struct op2i_group *group = &program->grouping.groups[program->step_group[k]];
    if (step->kind == OP2I_STEP_LOOP) op2i_op_makes_stale(&step->loop->op);
    if (step->kind == OP2I_STEP_END) op2i_exchange_freshens(step->exchange);
    if (step->kind == OP2I_STEP_CALL)
      op2i_op_makes_stale(nodes[program->grouping.nodes[group->first]]->op);
  }
}

static op2_status run_part(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                           int64_t n, struct op2i_node *const *nodes) {
  struct op2i_step *steps = &program->steps[s];
  if (joins(sched, steps)) return run_steps(sched, steps, n);
  switch (steps->kind) {
  case OP2I_STEP_LOOP: return run_steps(sched, steps, n);
  case OP2I_STEP_CALL: return run_call(sched, program, s, nodes);
  case OP2I_STEP_REDUCE: return run_reduce(sched, program, s);
  default: return run_exchange(sched->ctx, steps);
  }
}

/* What an exchange did not bring may be missed by any group behind it. */
static op2_status note_failure(struct op2i_sched *sched, const struct op2i_program *program,
                               int64_t s, op2_status status) {
  int64_t g = program->step_group[s], end = g + 1;
  bool exchanges = program->steps[s].exchange != NULL;
  if (program->steps[s].kind == OP2I_STEP_REDUCE)
    g = program->step_group[program->steps[s].reduced], end = g + 1;
  if (exchanges) end = program->grouping.ngroups;
  for (; g < end && status != OP2_ERR_FATAL; g++)
    status = op2i_outcome_note(sched, &program->grouping, g, status);
  return status == OP2_ERR_FATAL ? status : OP2_SUCCESS;
}

/* Where steps lack memory together, each has a chance by itself: other ranks run all of them. */
static op2_status run_apart(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                            int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t end = s + n, length; s < end && !status; s += length) {
    struct op2i_step *steps = &program->steps[s];
    length = steps->chain ? steps->chain : 1;
    status = steps->loop ? run_steps(sched, steps, length) : run_exchange(sched->ctx, steps);
    op2_status failed = status;
    for (int64_t k = s; k < s + length && failed && status != OP2_ERR_FATAL; k++)
      status = note_failure(sched, program, k, failed);
  }
  return status;
}

/* Among ranks a group that fails on one keeps none from running the others. */
static op2_status go_on(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                        op2_status status) {
  if (!program->stale || status == OP2_ERR_FATAL) return status;
  if (joins(sched, &program->steps[s]))
    return run_apart(sched, program, s, together(sched, program, s));
  return note_failure(sched, program, s, status);
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
    if (program->stale) make_stale(program, s, n, nodes);
    status = run_part(sched, program, s, n, nodes);
    if (status) status = go_on(sched, program, s, status);
    if (status) break;
    for (int64_t k = 0; k < n; k++)
      if (steps[k].loop) op2i_step_account(&steps[k]);
  }
  if (!status) *done = ngroups;
  for (int64_t g = 0; g < *done; g++) name_group(program, g, nodes);
  program->runs += !status;
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a program and their order: loops over their ranges, calls, and, among ranks, where
 * exchanges begin and end and where results are combined. */
#include "program_make.h"
#include "step_bind.h"

#include "error.h"
#include "loopdata.h"
#include "mem.h"
#include "place.h"
#include "split.h"

/* State while steps are appended, group after group. */
struct order {
  struct op2i_sched *sched;
  struct op2i_program *program;
  struct op2i_node *const *nodes;
};

static void add_step(struct op2i_program *program, int64_t g, struct op2i_step step) {
  step.bundle = &program->bundles[program->nsteps];
  program->step_group[program->nsteps] = g;
  program->steps[program->nsteps++] = step;
}

static void add_exchanges(struct order *order, int64_t g, enum op2i_step_kind kind) {
  for (int64_t x = 0; x < order->program->nexchanges; x++) {
    const struct op2i_placed *placed = &order->program->exchanges[x];
    if ((kind == OP2I_STEP_BEGIN ? placed->begin : placed->end) == g)
      add_step(order->program, g, (struct op2i_step){.kind = kind, .exchange = placed->exchange});
  }
}

bool op2i_node_uses_result(const struct op2i_node *node, const struct op2i_node *of) {
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
      if (op2i_node_uses_result(order->nodes[grouping->nodes[a->first + i]],
                                order->nodes[grouping->nodes[b->first + k]]))
        return true;
  return false;
}

/* ---- reductions that ranks combine ----------------------------------------------------------- */

static bool has_reductions(const struct op2i_program *program, int64_t g) {
  const struct op2i_loop *loop = program->grouping.groups[g].loop;
  return loop && loop->partial_bytes;
}

/* The first group that needs the results of group `of`. Ranks wait for each other as late as
 * possible. */
static int64_t needed_at(const struct order *order, int64_t of) {
  int64_t g = of + 1;
  while (g < order->program->grouping.ngroups && !group_uses_result(order, g, of)) g++;
  return g;
}

static size_t bytes_of_group(const struct op2i_program *program, int64_t g) {
  return op2i_reduction_bytes(program->grouping.groups[g].loop);
}

/* Put the first of these reductions into a convoy, with as many others as are needed at the same
 * point and fit into its message. `needed` are their points, and -1 once they are in a convoy. */
static void add_convoy(struct op2i_program *program, const struct op2i_reduction *from,
                       int64_t *needed, int64_t n, struct op2i_reduction *into) {
  struct op2i_convoys *convoys = &program->convoys;
  const int64_t end = *needed;
  size_t bytes = 0;
  int count = 0;
  for (int64_t k = 0; k < n; k++) {
    if (needed[k] != end) continue;
    size_t more = bytes_of_group(program, from[k].group);
    if (count && bytes + more > OP2I_REDUCED_TOGETHER) break;
    bytes += more;
    into[count++] = from[k];
    needed[k] = -1;
  }
  convoys->places[convoys->n] = (struct op2i_convoy_place){into[count - 1].group, end};
  convoys->list[convoys->n++] =
      (struct op2i_convoy){.reductions = into, .n = count, .bytes = bytes};
}

static void fill_convoys(struct order *order, struct op2i_reduction *all, int64_t *needed,
                         int64_t n) {
  struct op2i_convoys *convoys = &order->program->convoys;
  struct op2i_reduction *into = convoys->reductions;
  for (int64_t i = 0; i < n; i++) needed[i] = needed_at(order, all[i].group);
  for (int64_t i = 0; i < n; i++) {
    if (needed[i] < 0) continue;
    add_convoy(order->program, &all[i], &needed[i], n - i, into);
    into += convoys->list[convoys->n - 1].n;
  }
}

/* Divide the program's reductions into convoys. */
static op2_status make_convoys(struct order *order) {
  struct op2i_program *program = order->program;
  struct op2i_convoys *convoys = &program->convoys;
  int64_t n = 0;
  for (int64_t g = 0; g < program->grouping.ngroups; g++) n += has_reductions(program, g);
  if (!n || !program->stale) return OP2_SUCCESS;
  struct op2i_reduction *all = op2i_calloc((size_t)n, sizeof *all);
  int64_t *needed = op2i_malloc((size_t)n * sizeof *needed);
  convoys->reductions = op2i_calloc((size_t)n, sizeof *convoys->reductions);
  convoys->list = op2i_calloc((size_t)n, sizeof *convoys->list);
  convoys->places = op2i_calloc((size_t)n, sizeof *convoys->places);
  op2_status status = all && needed && convoys->reductions && convoys->list && convoys->places
                          ? OP2_SUCCESS
                          : op2i_error_nomem("a program");
  n = 0;
  for (int64_t g = 0; g < program->grouping.ngroups && !status; g++)
    if (has_reductions(program, g)) all[n++].group = g;
  if (!status) fill_convoys(order, all, needed, n);
  program->kept.table_bytes +=
      (size_t)n * (sizeof *all + sizeof *convoys->list + sizeof *convoys->places);
  op2i_free(all);
  op2i_free(needed);
  return status;
}

static void add_send(struct op2i_program *program, int64_t g, struct op2i_convoy *convoy) {
  if (op2i_convoy_small(convoy))
    add_step(program, g, (struct op2i_step){.kind = OP2I_STEP_SEND, .convoy = convoy});
}

/* Combine the results that are needed at group `at`. */
static void add_reductions(struct order *order, int64_t g, int64_t at) {
  struct op2i_convoys *convoys = &order->program->convoys;
  for (int64_t b = 0; b < convoys->n; b++) {
    if (convoys->places[b].end != at) continue;
    if (!order->sched->ctx->config.overlap) add_send(order->program, g, &convoys->list[b]);
    add_step(order->program, g,
             (struct op2i_step){.kind = OP2I_STEP_REDUCE, .convoy = &convoys->list[b]});
  }
}

/* The steps from `first` on, of group g, have run over all elements that this rank owns: what they
 * reduce can be sent, if its convoy waits for nothing else. */
static void end_owned(struct order *order, int64_t g, int64_t first) {
  struct op2i_convoys *convoys = &order->program->convoys;
  for (int64_t b = 0; b < convoys->n; b++) {
    struct op2i_convoy *convoy = &convoys->list[b];
    for (int i = 0; i < convoy->n; i++) {
      if (convoy->reductions[i].group != g) continue;
      convoy->reductions[i].steps = &order->program->steps[first];
      convoy->reductions[i].n = order->program->nsteps - first;
    }
    if (convoys->places[b].begin == g && order->sched->ctx->config.overlap)
      add_send(order->program, g, convoy);
  }
}

/* The steps of all loops are known: lay out the messages, and find the convoys that end after the
 * last other step, from which on nothing can fail. */
static void finish_convoys(struct order *order) {
  struct op2i_program *program = order->program;
  struct op2i_convoys *convoys = &program->convoys;
  for (int64_t b = 0; b < convoys->n; b++)
    convoys->list[b] = op2i_convoy_make(convoys->list[b].reductions, convoys->list[b].n);
  int64_t last = program->nsteps;
  bool small = order->sched->ctx->config.overlap;
  for (; last > 0 && program->steps[last - 1].kind == OP2I_STEP_REDUCE; last--)
    small = small && op2i_convoy_small(program->steps[last - 1].convoy);
  convoys->last = small ? last : program->nsteps;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static enum op2i_variant first_wish(const struct op2i_loop *loop) {
  enum op2i_variant wishes[OP2I_WISHES];
  int n = op2i_wishes(loop->op.ctx, wishes);
  return n == 1 || op2i_loop_wants(loop, wishes[0]) ? wishes[0] : wishes[1];
}

/* A loop of which a device may run a part has two steps. The device's part stands first, so that
 * it is started first. */
static void add_device_half(struct order *order, int64_t g, struct op2i_loop *loop) {
  enum op2i_variant wishes[OP2I_WISHES];
  if (op2i_wishes(loop->op.ctx, wishes) < OP2I_WISHES || !op2i_loop_may_split(loop)) return;
  struct op2i_step half = op2i_step_make(loop, 0, wishes[1]), step = half;
  half.where.device_half = true;
  half.range = 1;
  op2i_uncut_steps(&step, &half);
  add_step(order->program, g, half);
}

/* Add the steps of a loop. Values that other ranks send arrive before every range but the
 * core elements. Its reductions are sent before it runs over the exec halo. */
static void add_loop(struct order *order, int64_t g, struct op2i_loop *loop) {
  const struct op2i_config *config = &order->sched->ctx->config;
  bool ended = false, owned = false;
  int64_t first = 0;
  for (int r = 0; r < loop->nranges; r++) {
    bool waits = loop->ranges[r].section != OP2I_CORE || !config->overlap;
    if (!owned && loop->ranges[r].section == OP2I_EXEC) {
      end_owned(order, g, first);
      owned = true;
    }
    if (waits && !ended) add_exchanges(order, g, OP2I_STEP_END);
    ended = ended || waits;
    if (r == 0) first = order->program->nsteps;
    add_device_half(order, g, loop);
    add_step(order->program, g, op2i_step_make(loop, r, first_wish(loop)));
  }
  if (!owned) end_owned(order, g, first);
}

static op2_status add_group(struct order *order, int64_t g) {
  struct op2i_loop *loop = order->program->grouping.groups[g].loop;
  op2_status status = loop ? op2i_loop_prepare(order->sched, loop) : OP2_SUCCESS;
  if (status) return status;
  add_exchanges(order, g, OP2I_STEP_BEGIN);
  add_reductions(order, g, g);
  if (loop) {
    add_loop(order, g, loop);
  } else {
    add_exchanges(order, g, OP2I_STEP_END);
    add_step(order->program, g, (struct op2i_step){.kind = OP2I_STEP_CALL});
  }
  return OP2_SUCCESS;
}

/* Give each step a table for its copies. A dat consists of at most OP2I_SOURCES pieces, also for
 * both parts of a loop that is split. */
static op2_status give_moves(struct op2i_program *program, size_t dats) {
  program->moves = op2i_calloc(OP2I_SOURCES * dats + 1, sizeof *program->moves);
  if (!program->moves) return op2i_error_nomem("a program");
  program->kept.table_bytes += (OP2I_SOURCES * dats + 1) * sizeof *program->moves;
  dats = 0;
  for (int64_t s = 0; s < program->nsteps; s++) {
    struct op2i_step *step = &program->steps[s];
    step->where.moves = program->moves + OP2I_SOURCES * dats;
    dats += step->loop ? (size_t)step->loop->op.ndats : 0;
  }
  return OP2_SUCCESS;
}

/* Give each step its tables for the addresses of its values. */
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
  op2_context ctx = program->ops[0]->ctx;
  program->kept.table_bytes += (dats + maps + maps + gbls) * sizeof(void *);
  if (ctx->device && ctx->backend->run_steps && give_moves(program, dats)) return OP2_ERR_NOMEM;
  dats = maps = gbls = 0;
  for (int64_t s = 0; s < program->nsteps; s++) {
    struct op2i_step *step = &program->steps[s];
    if (!step->loop) continue;
    step->call.dat = step->values.dat = program->dat + dats;
    step->call.map = step->values.map = program->map + maps;
    step->call.target = step->values.target = program->target + maps;
    step->values.gbl = program->gbl + gbls;
    step->call.gbl = (const void *const *)step->values.gbl;
    dats += (size_t)step->loop->op.ndats;
    maps += (size_t)step->loop->nmaps;
    gbls += (size_t)step->loop->op.ngbls;
  }
  return OP2_SUCCESS;
}

/* The most steps that the program may have: where there is a device, each loop may have one more
 * for it, and among ranks two more that combine what it has reduced. */
static size_t most_steps(const struct op2i_program *program) {
  const bool device = program->ops[0]->ctx->device != NULL;
  size_t most = 2 * (size_t)program->nexchanges;
  for (int64_t g = 0; g < program->grouping.ngroups; g++) {
    const struct op2i_loop *loop = program->grouping.groups[g].loop;
    const size_t ranges = loop ? (size_t)loop->nranges : 1;
    most += (device ? 2 * ranges : ranges) + (program->stale && has_reductions(program, g) ? 2 : 0);
  }
  return most;
}

op2_status op2i_program_steps(struct op2i_sched *sched, struct op2i_program *program,
                              struct op2i_node *const *nodes) {
  const int64_t ngroups = program->grouping.ngroups;
  const size_t most = most_steps(program);
  struct order order = {.sched = sched, .program = program, .nodes = nodes};
  program->kept.steps = (int64_t)most;
  program->steps = op2i_calloc(most, sizeof *program->steps);
  program->bundles = op2i_calloc(most, sizeof *program->bundles);
  program->step_group = op2i_calloc(most, sizeof *program->step_group);
  op2_status status = program->steps && program->bundles && program->step_group
                          ? OP2_SUCCESS
                          : op2i_error_nomem("a program");
  if (!status && program->stale) status = op2i_allreduce_open(sched->ctx->comm);
  if (!status) status = make_convoys(&order);
  for (int64_t g = 0; g < ngroups && !status; g++) status = add_group(&order, g);
  if (!status) add_reductions(&order, ngroups - 1, ngroups);
  if (!status) finish_convoys(&order);
  return status ? status : give_room(program);
}

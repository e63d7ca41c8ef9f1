/* SPDX-License-Identifier: BSD-3-Clause */
/* Which programs are kept, which of them whole and which as keys, and how many bytes they take. */
#include "program_keep.h"

#include "combination.h"
#include "error.h"
#include "mem.h"
#include "tasks.h"
#include "try_forms.h"

/* PROGRAMS_MAX limits the programs that are whole; as many again are kept as keys. The list is
 * searched from its beginning. */
enum { PROGRAMS_MAX = 64, ALONE_MAX = 16 };

/* ---- freeing --------------------------------------------------------------------------------- */

/* Free all that is needed to run the program. */
static void free_steps(struct op2i_program *program) {
  op2i_device_graphs_free(&program->kept.graphs);
  for (int64_t s = 0; s < program->nsteps; s++) {
    op2i_step_end(&program->steps[s]);
    if (program->bundles) op2i_task_list_free(&program->bundles[s].tasks);
  }
  for (int64_t x = 0; x < program->nexchanges; x++)
    op2i_exchange_free(program->exchanges[x].exchange);
  for (int64_t b = 0; b < program->convoys.n; b++)
    op2i_allreduce_forget(&program->convoys.list[b].travel);
  op2i_free(program->convoys.list);
  op2i_free(program->convoys.places);
  op2i_free(program->convoys.reductions);
  op2i_free(program->bundles);
  op2i_free(program->exchanges);
  op2i_free(program->steps);
  op2i_free(program->step_group);
  op2i_free_data(program->payload);
  op2i_free(program->globals);
  op2i_free(program->dat);
  op2i_free(program->map);
  op2i_free(program->target);
  op2i_free(program->gbl);
  op2i_free(program->moves);
}

static void free_program(struct op2i_program *program) {
  free_steps(program);
  op2i_free(program->stale);
  op2i_grouping_free(&program->grouping);
  op2i_free(program->ops);
  op2i_free(program->versions);
  op2i_free(program);
}

void op2i_program_drop(struct op2i_program *program) {
  if (!program) return;
  program->dropped = true;
  if (!program->holders) free_program(program);
}

/* Leave the key, which finds the program when its sequence comes again, and the grouping, which
 * explains what it did. */
static void reduce_to_key(struct op2i_program *program) {
  free_steps(program);
  struct op2i_program key = {.next = program->next,
                             .hash = program->hash,
                             .nnodes = program->nnodes,
                             .ops = program->ops,
                             .versions = program->versions,
                             .stale = program->stale,
                             .grouping = program->grouping,
                             .runs = program->runs,
                             .kept = program->kept};
  key.kept.key_only = true;
  *program = key;
}

/* ---- counting bytes -------------------------------------------------------------------------- */

static size_t bytes_of_tasks(const struct op2i_task_list *list) {
  return list ? sizeof *list + (size_t)list->tasks_capacity * sizeof *list->tasks +
                    (size_t)(list->deps_capacity + list->nstages + 1) * sizeof(int64_t)
              : 0;
}

/* Bytes of what grows while it runs: tasks and partial results. */
static size_t bytes_of_runs(const struct op2i_program *program) {
  size_t bytes = 0;
  for (int64_t s = 0; s < program->nsteps; s++)
    bytes += bytes_of_tasks(program->bundles[s].tasks) + program->steps[s].values.results.bytes;
  return bytes;
}

/* Among ranks, a loop is held to have all its ranges on each of them. */
static size_t bytes_of(const struct op2i_program *program) {
  const struct op2i_grouping *grouping = &program->grouping;
  const size_t step = sizeof *program->steps + sizeof *program->bundles + sizeof(int64_t);
  const size_t bytes = sizeof *program + program->kept.key_bytes +
                       (size_t)grouping->n * (sizeof *grouping->nodes + sizeof *grouping->groups);
  if (program->kept.key_only) return bytes;
  if (program->stale) return bytes + (size_t)grouping->ngroups * OP2I_RANGES * step;
  return bytes + (size_t)program->kept.steps * step + program->kept.table_bytes +
         bytes_of_runs(program);
}

static void count(struct op2i_sched *sched, struct op2i_program *program) {
  const size_t bytes = bytes_of(program);
  sched->caches.bytes += bytes - program->kept.counted;
  program->kept.counted = bytes;
}

static const struct op2i_sched *outermost(const struct op2i_sched *sched) {
  while (sched->outer) sched = sched->outer;
  return sched;
}

size_t op2i_programs_bytes(const struct op2i_sched *sched) {
  size_t bytes = 0;
  for (sched = outermost(sched); sched; sched = sched->inner) bytes += sched->caches.bytes;
  return bytes;
}

static bool too_many(const struct op2i_sched *sched) {
  return op2i_programs_bytes(sched) > (size_t)sched->ctx->config.program_bytes;
}

/* ---- taking programs out of the lists -------------------------------------------------------- */

/* Take out the program at this place of a list, and drop it. */
static void take_out(struct op2i_sched *sched, struct op2i_program **at) {
  struct op2i_program *program = *at;
  *at = program->next;
  sched->caches.bytes -= program->kept.counted;
  if (program->nnodes > 1) {
    sched->caches.nprograms--;
    sched->caches.nkeys -= program->kept.key_only;
  }
  if (sched->caches.fresh == program) sched->caches.fresh = NULL;
  op2i_program_drop(program);
}

static void reduce(struct op2i_sched *sched, struct op2i_program *program) {
  if (sched->caches.fresh == program) sched->caches.fresh = NULL;
  reduce_to_key(program);
  sched->caches.nkeys++;
  sched->stats.programs_reduced++;
  sched->stats.programs_evicted += program->kept.again;
  count(sched, program);
}

static bool uses(const struct op2i_program *program, struct op2i_op *op) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  for (int64_t i = 0; i < program->nnodes; i++)
    if (program->ops[i] == op) return true;
  for (int64_t g = 0; g < program->grouping.ngroups && loop; g++)
    if (program->grouping.groups[g].loop == loop) return true;
  return false;
}

struct op2i_program **op2i_alone_list(struct op2i_sched *sched, const struct op2i_op *op) {
  return &sched->caches.alone[op->id & (OP2I_ALONE_LISTS - 1)];
}

/* Drop all programs of one operation alone but the newest few. */
static void forget_alone(struct op2i_sched *sched, const struct op2i_op *op, int kept) {
  for (struct op2i_program **at = op2i_alone_list(sched, op); *at;)
    if ((*at)->ops[0] != op || kept-- > 0)
      at = &(*at)->next;
    else
      take_out(sched, at);
}

void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op) {
  if (op2i_op_loop(op)) op2i_combinations_forget(sched->caches.combinations, op2i_op_loop(op));
  forget_alone(sched, op, 0);
  for (struct op2i_program **at = &sched->caches.programs; *at;)
    if (uses(*at, op))
      take_out(sched, at);
    else
      at = &(*at)->next;
}

static void drop_alone(struct op2i_sched *sched) {
  for (int i = 0; i < OP2I_ALONE_LISTS; i++)
    while (sched->caches.alone[i]) take_out(sched, &sched->caches.alone[i]);
}

void op2i_sched_forget_all(struct op2i_sched *sched) {
  while (sched->caches.programs) take_out(sched, &sched->caches.programs);
  drop_alone(sched);
}

void op2i_program_replace(struct op2i_sched *sched, struct op2i_program *program) {
  struct op2i_program **at = &sched->caches.programs;
  while (*at && *at != program) at = &(*at)->next;
  if (*at) take_out(sched, at);
}

static void switch_steps(struct op2i_program *programs, const struct op2i_loop *loop,
                         void *function, int64_t distance) {
  for (struct op2i_program *program = programs; program; program = program->next)
    for (int64_t s = 0; s < program->nsteps; s++) {
      struct op2i_step *step = &program->steps[s];
      if (step->loop != loop) continue;
      step->function = function;
      step->call.distance = distance;
    }
}

void op2i_programs_switch(struct op2i_sched *sched, const struct op2i_loop *loop, void *function,
                          int64_t distance) {
  switch_steps(sched->caches.programs, loop, function, distance);
  for (int i = 0; i < OP2I_ALONE_LISTS; i++)
    switch_steps(sched->caches.alone[i], loop, function, distance);
}

static void pass_on(struct op2i_program *programs, const void *dat, op2_dat successor) {
  for (const struct op2i_program *program = programs; program; program = program->next)
    for (int64_t x = 0; x < program->nexchanges; x++)
      op2i_exchange_pass_on(program->exchanges[x].exchange, dat, successor);
}

void op2i_programs_pass_on(struct op2i_sched *sched, const void *dat, op2_dat successor) {
  pass_on(sched->caches.programs, dat, successor);
  for (int i = 0; i < OP2I_ALONE_LISTS; i++) pass_on(sched->caches.alone[i], dat, successor);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The whole program that was used least recently and does not run, or the key; null: none. */
static struct op2i_program **oldest(struct op2i_sched *sched, bool key) {
  struct op2i_program **found = NULL;
  for (struct op2i_program **at = &sched->caches.programs; *at; at = &(*at)->next)
    if ((*at)->kept.key_only == key && !(*at)->holders) found = at;
  return found;
}

static void keep_bytes(struct op2i_sched *sched) {
  struct op2i_program **at;
  while (too_many(sched) && (at = oldest(sched, false))) reduce(sched, *at);
  while (too_many(sched) && (at = oldest(sched, true))) take_out(sched, at);
  if (too_many(sched)) drop_alone(sched);
}

/* Keep all bounds, in this queue before others. */
static void keep_bounds(struct op2i_sched *sched) {
  struct op2i_caches *caches = &sched->caches;
  struct op2i_program **at;
  while (caches->nprograms - caches->nkeys > PROGRAMS_MAX && (at = oldest(sched, false)))
    reduce(sched, *at);
  while (caches->nkeys > PROGRAMS_MAX && (at = oldest(sched, true))) take_out(sched, at);
  if (!too_many(sched)) return;
  keep_bytes(sched);
  for (struct op2i_sched *other = sched->outer; other; other = other->outer) keep_bytes(other);
  for (struct op2i_sched *other = sched->inner; other; other = other->inner) keep_bytes(other);
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* An operation by itself has a program for each combination of stale halos in which it has run; the
 * newest few are kept. */
static void keep_alone(struct op2i_sched *sched, struct op2i_program *program) {
  struct op2i_program **list = op2i_alone_list(sched, program->ops[0]);
  program->next = *list;
  *list = program;
  count(sched, program);
  forget_alone(sched, program->ops[0], ALONE_MAX);
}

static void keep_several(struct op2i_sched *sched, struct op2i_program *program) {
  struct op2i_program *before = sched->caches.fresh;
  if (before && !before->holders) reduce(sched, before);
  sched->caches.fresh = program->kept.again ? NULL : program;
  program->next = sched->caches.programs;
  sched->caches.programs = program;
  sched->caches.nprograms++;
  count(sched, program);
}

void op2i_program_keep(struct op2i_sched *sched, struct op2i_program *program) {
  if (program->nnodes == 1)
    keep_alone(sched, program);
  else
    keep_several(sched, program);
  keep_bounds(sched);
}

void op2i_program_again(struct op2i_sched *sched, struct op2i_program *program) {
  program->kept.again = true;
  if (sched->caches.fresh == program) sched->caches.fresh = NULL;
}

/* It is counted anew after 1, 2, 4, 8, ... runs: its tasks are made when it first runs, and cut
 * anew as its cost becomes known. Among ranks the counts never change. */
static bool power_of_two(int64_t runs) { return !(runs & (runs - 1)); }

/* False for a program that came once and ran while another one was made. */
static bool whole_rightly(const struct op2i_sched *sched, const struct op2i_program *program) {
  return program->nnodes == 1 || program->kept.key_only || program->kept.again ||
         sched->caches.fresh == program;
}

/* Nobody has a reference any more. This is apart, so that most releases take few instructions.
 * Ranks decide alone about trials, so a program that is here only because a loop is on trial is not
 * counted: no rank may drop a program that others keep. */
static __attribute__((noinline)) void release(struct op2i_sched *sched,
                                              struct op2i_program *program) {
  if (program->dropped) {
    free_program(program);
    return;
  }
  const bool counts = program->kept.watch & OP2I_UNCOUNTED || power_of_two(program->runs);
  program->kept.watch = op2i_program_tried(program, counts) ? OP2I_ON_TRIAL : 0;
  if (!counts) return;
  count(sched, program);
  if (!whole_rightly(sched, program)) reduce(sched, program);
  if (too_many(sched)) keep_bounds(sched);
}

void op2i_program_put(struct op2i_sched *sched, struct op2i_program *program) {
  if (--program->holders) return;
  if (program->dropped || program->kept.watch || power_of_two(program->runs))
    release(sched, program);
}

/* ---- checking -------------------------------------------------------------------------------- */

op2_status op2i_programs_verify(const struct op2i_sched *sched) {
  const struct op2i_caches *caches = &sched->caches;
  int64_t n = 0, keys = 0, fresh = 0;
  size_t bytes = 0;
  bool held = false;
  for (const struct op2i_program *p = caches->programs; p; p = p->next) {
    n++;
    keys += p->kept.key_only;
    fresh += !p->kept.key_only && !p->kept.again;
    bytes += p->kept.counted;
    held |= p->holders > 0;
  }
  for (int i = 0; i < OP2I_ALONE_LISTS; i++)
    for (const struct op2i_program *p = caches->alone[i]; p; p = p->next) {
      bytes += p->kept.counted;
      held |= p->holders > 0;
    }
  if (n != caches->nprograms || keys != caches->nkeys || bytes != caches->bytes)
    return op2i_error(OP2_ERR_STATE, "the programs that are kept are counted wrongly");
  if (fresh != (caches->fresh != NULL) && !held)
    return op2i_error(OP2_ERR_STATE, "a program that came once is kept whole");
  if (too_many(sched) && !held && !sched->outer && !sched->inner)
    return op2i_error(OP2_ERR_STATE, "programs take more than OP2_PROGRAM_BYTES");
  return OP2_SUCCESS;
}

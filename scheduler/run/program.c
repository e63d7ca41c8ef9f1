/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs are made once for a sequence of operations, kept, found by their key, and run
 * again with other values. */
#include "program.h"
#include "program_make.h"

#include <string.h>

#include "call.h"
#include "combination.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "solve.h"
#include "tasks.h"

enum { PROGRAMS_MAX = 64, ALONE_MAX = 16 };

/* ---- the key --------------------------------------------------------------------------------- */

static uint64_t hash_ops(struct op2i_node *const *nodes, int64_t n) {
  uint64_t hash = (uint64_t)n;
  for (int64_t i = 0; i < n; i++) hash = op2i_hash_word(hash, (uintptr_t)nodes[i]->op);
  return hash;
}

/* Versions are numbered by first appearance; meanwhile each version has its number in itself. */
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

/* Which halos were up to date decides what is exchanged, so it is a part of the key. */
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

op2_status op2i_program_key(struct op2i_program *program, struct op2i_node *const *nodes,
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

/* ---- storing and dropping programs ----------------------------------------------------------- */

static void free_program(struct op2i_program *program) {
  for (int64_t s = 0; s < program->nsteps; s++) {
    op2i_step_end(&program->steps[s]);
    if (program->bundles) op2i_task_list_free(&program->bundles[s].tasks);
  }
  op2i_free(program->bundles);
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
  op2i_free(program->moves);
  op2i_free(program);
}

void op2i_program_drop(struct op2i_program *program) {
  if (!program) return;
  program->dropped = true;
  if (!program->holders) free_program(program);
}

void op2i_program_put(struct op2i_program *program) {
  if (--program->holders == 0 && program->dropped) free_program(program);
}

static bool uses(const struct op2i_program *program, struct op2i_op *op) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  for (int64_t i = 0; i < program->nnodes; i++)
    if (program->ops[i] == op) return true;
  for (int64_t g = 0; g < program->grouping.ngroups && loop; g++)
    if (program->grouping.groups[g].loop == loop) return true;
  return false;
}

/* Return the list of the cache in which programs of this single operation are looked for. Operations
 * whose ids have the same last bits share a list. */
static struct op2i_program **alone_list(struct op2i_sched *sched, const struct op2i_op *op) {
  return &sched->caches.alone[op->id & (OP2I_ALONE_LISTS - 1)];
}

/* Drop all programs of one operation alone but the newest few. */
static void forget_alone(struct op2i_sched *sched, const struct op2i_op *op, int kept) {
  for (struct op2i_program **at = alone_list(sched, op); *at;) {
    struct op2i_program *program = *at;
    if (program->ops[0] != op || kept-- > 0) {
      at = &program->next;
      continue;
    }
    *at = program->next;
    op2i_program_drop(program);
  }
}

void op2i_sched_forget(struct op2i_sched *sched, struct op2i_op *op) {
  if (op2i_op_loop(op)) op2i_combinations_forget(sched->caches.combinations, op2i_op_loop(op));
  forget_alone(sched, op, 0);
  for (struct op2i_program **at = &sched->caches.programs; *at;) {
    struct op2i_program *program = *at;
    if (!uses(program, op)) {
      at = &program->next;
      continue;
    }
    *at = program->next;
    sched->caches.nprograms--;
    op2i_program_drop(program);
  }
}

static void drop_list(struct op2i_program **list) {
  while (*list) {
    struct op2i_program *program = *list;
    *list = program->next;
    op2i_program_drop(program);
  }
}

void op2i_sched_forget_all(struct op2i_sched *sched) {
  drop_list(&sched->caches.programs);
  sched->caches.nprograms = 0;
  for (int i = 0; i < OP2I_ALONE_LISTS; i++) drop_list(&sched->caches.alone[i]);
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

op2_status op2i_verified(op2_status status, const char *pass) {
  if (status != OP2_ERR_STATE) return status;
  return op2i_error(OP2_ERR_FATAL, "%s broke the program: %s", pass, op2_error_message());
}

/* ---- looking programs up --------------------------------------------------------------------- */

/* The newest programs are kept, each with its plans, tasks and code. */
static void keep_program(struct op2i_sched *sched, struct op2i_program *program) {
  program->next = sched->caches.programs;
  sched->caches.programs = program;
  if (++sched->caches.nprograms <= PROGRAMS_MAX) return;
  struct op2i_program **last = &sched->caches.programs;
  while ((*last)->next) last = &(*last)->next;
  op2i_program_drop(*last);
  *last = NULL;
  sched->caches.nprograms--;
}

/* An operation by itself has a program for each combination of stale halos in which it has run; the
 * newest few are kept. */
static void keep_alone(struct op2i_sched *sched, struct op2i_program *program) {
  struct op2i_program **list = alone_list(sched, program->ops[0]);
  program->next = *list;
  *list = program;
  forget_alone(sched, program->ops[0], ALONE_MAX);
}

/* Check that a program that is run again fits this queue as well as the one it was made for. */
static op2_status verify_found(struct op2i_sched *sched, const struct op2i_program *program,
                               struct op2i_node *const *nodes) {
  op2_status status = op2i_graph_join(sched);
  return status ? status
                : op2i_verified(op2i_grouping_verify(sched, nodes, &program->grouping), "replay");
}

static struct op2i_program *find_alone(struct op2i_sched *sched, struct op2i_node *const *nodes) {
  struct op2i_program *program = *alone_list(sched, nodes[0]->op);
  while (program && (program->ops[0] != nodes[0]->op || !same_stale(program, nodes)))
    program = program->next;
  return program;
}

/* A program that is found moves to the front of the list. */
static struct op2i_program *find_program(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                         int64_t n) {
  if (n == 1) return find_alone(sched, nodes);
  uint64_t hash = hash_ops(nodes, n);
  for (struct op2i_program **at = &sched->caches.programs; *at; at = &(*at)->next) {
    struct op2i_program *program = *at;
    if (!matches(program, hash, nodes, n)) continue;
    *at = program->next;
    program->next = sched->caches.programs;
    sched->caches.programs = program;
    return program;
  }
  return NULL;
}

/* Ranks may have got to different points before memory was short. All of them drop their programs
 * and forget which loops have come together before, so that they are in the same state again. */
static void begin_anew(struct op2i_sched *sched) {
  op2i_sched_forget_all(sched);
  op2i_combinations_reset(sched->caches.combinations);
}

static op2_status make_and_keep(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                                struct op2i_program **out) {
  double begin = op2i_prepare_begin(sched);
  op2_status status = op2i_program_make(sched, nodes, n, out);
  op2i_prepare_end(sched, begin);
  if (status == OP2_ERR_NOMEM && sched->ctx->comm) begin_anew(sched);
  if (status) return status;
  struct op2i_program *program = *out;
  sched->stats.programs_made++;
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    if (program->grouping.groups[g].count > 1)
      sched->stats.loops_fused += program->grouping.groups[g].count;
  if (n == 1)
    keep_alone(sched, program);
  else
    keep_program(sched, program);
  return OP2_SUCCESS;
}

/* Make the program again, since its sequence has come again: loops that were kept apart are
 * now fused. */
static op2_status make_anew(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program) {
  struct op2i_program *before = *program, **at = &sched->caches.programs;
  const int64_t runs = before->runs;
  op2_status status = make_and_keep(sched, nodes, n, program);
  if (status) return status;
  (*program)->runs = runs;
  while (*at && *at != before) at = &(*at)->next;
  /* making the new one took so many programs that the old one has been dropped */
  if (!*at) return OP2_SUCCESS;
  *at = before->next;
  sched->caches.nprograms--;
  op2i_program_drop(before);
  return OP2_SUCCESS;
}

static op2_status find_or_make(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                               struct op2i_program **out) {
  *out = find_program(sched, nodes, n);
  if (!*out) return make_and_keep(sched, nodes, n, out);
  if ((*out)->grouping.napart) return make_anew(sched, nodes, n, out);
  sched->stats.programs_replayed++;
  if (!sched->ctx->config.verify) return OP2_SUCCESS;
  return op2i_context_agree(sched->ctx, verify_found(sched, *out, nodes));
}

op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **out) {
  if (!sched->ctx->config.replay) op2i_sched_forget_all(sched);
  op2_status status = find_or_make(sched, nodes, n, out);
  if (!status) (*out)->holders++;
  return status;
}

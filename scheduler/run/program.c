/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs are made once for a sequence of operations, kept, found by their key, and run
 * again with other values. */
#include "program.h"
#include "program_keep.h"
#include "program_make.h"

#include "combination.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "trace.h"

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
  program->kept.key_bytes += dats;
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
  program->kept.key_bytes = (size_t)n * sizeof *program->ops + globals * sizeof *program->versions;
  program->hash = hash_ops(nodes, n);
  program->ops = op2i_malloc((size_t)n * sizeof *program->ops);
  program->versions = op2i_malloc(globals * sizeof *program->versions);
  if (!program->ops || !program->versions) return op2i_error_nomem("a program");
  for (int64_t i = 0; i < n; i++) program->ops[i] = nodes[i]->op;
  number_versions(nodes, n, program->versions);
  return nodes[0]->op->ctx->comm ? note_stale(program, nodes, n) : OP2_SUCCESS;
}

op2_status op2i_verified(op2_status status, const char *pass) {
  if (status != OP2_ERR_STATE) return status;
  return op2i_error(OP2_ERR_FATAL, "%s broke the program: %s", pass, op2_error_message());
}

/* ---- looking programs up --------------------------------------------------------------------- */

/* Check that a program that is run again fits this queue as well as the one it was made for. */
static op2_status verify_found(struct op2i_sched *sched, const struct op2i_program *program,
                               struct op2i_node *const *nodes) {
  op2_status status = op2i_graph_join(sched);
  return status ? status
                : op2i_verified(op2i_grouping_verify(sched, nodes, &program->grouping), "replay");
}

static struct op2i_program *find_alone(struct op2i_sched *sched, struct op2i_node *const *nodes) {
  struct op2i_program *program = *op2i_alone_list(sched, nodes[0]->op);
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

/* Make a program and keep it; the caller has a reference. */
static op2_status make_and_keep(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                                bool again, struct op2i_program **out) {
  double begin = op2i_prepare_begin(sched);
  const int64_t since = op2i_trace_begin(sched->ctx);
  op2_status status = op2i_program_make(sched, nodes, n, out);
  op2i_trace_end(sched->ctx, since, OP2I_WHAT_MAKE, "operations", n);
  op2i_prepare_end(sched, begin);
  if (status == OP2_ERR_NOMEM && sched->ctx->comm) begin_anew(sched);
  if (status) return status;
  struct op2i_program *program = *out;
  sched->stats.programs_made++;
  for (int64_t g = 0; g < program->grouping.ngroups; g++)
    if (program->grouping.groups[g].count > 1)
      sched->stats.loops_fused += program->grouping.groups[g].count;
  program->holders = 1;
  program->kept.again = again;
  program->kept.watch = OP2I_UNCOUNTED;
  op2i_program_keep(sched, program);
  return OP2_SUCCESS;
}

/* Make the program again, since its sequence has come again: only its key was kept, or loops that
 * were kept apart are now fused. */
static op2_status make_anew(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program) {
  struct op2i_program *before = *program;
  const int64_t runs = before->runs;
  op2_status status = make_and_keep(sched, nodes, n, true, program);
  if (status) return status;
  (*program)->runs = runs;
  op2i_program_replace(sched, before); /* unless making the new one has dropped it */
  return OP2_SUCCESS;
}

static op2_status verify_replay(struct op2i_sched *sched, const struct op2i_program *program,
                                struct op2i_node *const *nodes) {
  if (!sched->ctx->config.verify) return OP2_SUCCESS;
  op2_status status = op2i_verified(op2i_programs_verify(sched), "keeping programs");
  if (!status) status = verify_found(sched, program, nodes);
  return op2i_context_agree(sched->ctx, status);
}

static op2_status find_or_make(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                               struct op2i_program **out) {
  *out = find_program(sched, nodes, n);
  if (!*out) return make_and_keep(sched, nodes, n, false, out);
  if ((*out)->kept.key_only || (*out)->grouping.napart) return make_anew(sched, nodes, n, out);
  op2_status status = verify_replay(sched, *out, nodes);
  if (status) return status;
  if (n > 1) op2i_program_again(sched, *out);
  sched->stats.programs_replayed++;
  (*out)->holders++;
  return OP2_SUCCESS;
}

op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **out) {
  if (!sched->ctx->config.replay) op2i_sched_forget_all(sched);
  return find_or_make(sched, nodes, n, out);
}

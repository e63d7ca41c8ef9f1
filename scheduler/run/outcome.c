/* SPDX-License-Identifier: BSD-3-Clause */
/* Outcomes of nodes among ranks. A rank on which a node fails goes on with all nodes after
 * it, since other ranks wait for its part in exchanges and reductions; the values that result
 * are invalid and are never read by the user. At the end, and before a user's function is
 * called, the ranks agree on what has failed anywhere. The final states of the nodes are then
 * set in the order of the queue: those that failed on some rank, those that read what these
 * were to write, the others. So they are the same on all ranks, and the same as if each node
 * had been run by itself. */
#include <stdio.h>

#include "comm.h"
#include "error.h"
#include "exchange.h"
#include "mem.h"
#include "outcome.h"
#include "settle.h"

void op2i_outcomes_begin(struct op2i_sched *sched, int64_t n) {
  for (int64_t i = 0; i < n && sched->ctx->comm; i++) {
    op2i_free(sched->outcomes.list[i].message);
    sched->outcomes.list[i] = (struct op2i_outcome){.ran = false};
  }
  sched->outcomes.first = 0;
}

/* Keep the first failure of a node. If there is no memory for its message, a general one is
 * used later. */
static op2_status note_status(struct op2i_outcome *outcome, op2_status status) {
  if (outcome->settled) return OP2_ERR_FATAL;
  if (outcome->status) return status;
  outcome->status = status;
  outcome->message = op2i_strdup(op2_error_message());
  return status;
}

op2_status op2i_outcome_note(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                             int64_t g, op2_status status) {
  const struct op2i_group *group = &grouping->groups[g];
  for (int32_t m = 0; m < group->count && status != OP2_ERR_FATAL; m++)
    status = note_status(
        &sched->outcomes.list[sched->outcomes.first + grouping->nodes[group->first + m]], status);
  return status;
}

bool op2i_outcome_failed(const struct op2i_sched *sched, const struct op2i_grouping *grouping,
                         int64_t g) {
  return sched->ctx->comm &&
         sched->outcomes.list[sched->outcomes.first + grouping->nodes[grouping->groups[g].first]]
             .status;
}

/* ---- agreement of ranks ---------------------------------------------------------------------- */

static op2_status take_failure(struct op2i_outcome *outcome, op2_status status, const char *message,
                               int rank, int size) {
  op2i_free(outcome->message);
  (void)op2i_comm_report(status, rank, size, message);
  outcome->status = status;
  outcome->agreed = true;
  outcome->message = op2i_strdup(op2_error_message());
  return outcome->message ? OP2_SUCCESS : op2i_error_nomem("a failure's record");
}

/* Index of the first node from `at` on that has failed here and whose failure not all ranks
 * know; -1: there is none. */
static int64_t first(const struct op2i_outcome *outcomes, int64_t at, int64_t n) {
  while (at < n && (!outcomes[at].status || outcomes[at].agreed)) at++;
  return at < n ? at : -1;
}

/* Status and message of this rank's first failure, at index `place`; none if that is -1. */
static op2_status recall(const struct op2i_outcome *outcomes, int64_t place,
                         char message[OP2I_WORDS]) {
  message[0] = '\0';
  if (place < 0) return OP2_SUCCESS;
  const char *words = outcomes[place].message;
  snprintf(message, OP2I_WORDS, "%s", words ? words : "out of memory");
  return outcomes[place].status;
}

op2_status op2i_outcomes_agree_early(struct op2i_sched *sched, int64_t from, int64_t end) {
  return op2i_comm_first_begin(sched->ctx->comm, first(sched->outcomes.list, from, end),
                               &sched->outcomes.agreement);
}

/* The first agreement may be in flight already. */
static op2_status agree_on_outcomes(struct op2i_sched *sched, int64_t from, int64_t end,
                                    bool *failed) {
  struct op2i_comm *comm = sched->ctx->comm;
  struct op2i_outcome *outcomes = sched->outcomes.list;
  for (*failed = false;; *failed = true) {
    struct op2i_first *agreement = &sched->outcomes.agreement;
    char message[OP2I_WORDS];
    int64_t place = first(outcomes, from, end);
    op2_status code = recall(outcomes, place, message);
    int rank = 0;
    op2_status status =
        agreement->begun ? OP2_SUCCESS : op2i_comm_first_begin(comm, place, agreement);
    if (!status) status = op2i_comm_first_end(comm, agreement, &place, &code, message, &rank);
    if (status || place < 0) return status;
    status = take_failure(&outcomes[place], code, message, rank, comm->size);
    if (op2i_context_abort_ranks(sched->ctx, status)) return OP2_ERR_FATAL;
  }
}

/* ---- outcomes of nodes ----------------------------------------------------------------------- */

/* Rows may have been received that differ from those of their owners, whatever it was that
 * failed. */
static void make_stale(const struct op2i_node *node) {
  for (int d = 0; d < node->op->ndats; d++) op2i_dat_make_stale(node->op->dats[d]);
}

static op2_status settle_node(struct op2i_sched *sched, struct op2i_node *node,
                              struct op2i_outcome *outcome) {
  struct op2i_failure *poison = op2i_poison_read(node);
  op2_status status = OP2_SUCCESS;
  if (outcome->status)
    status = op2i_node_fail(sched, node, outcome->status, outcome->message);
  else if (poison)
    op2i_node_cancel(sched, node, poison);
  else
    op2i_node_done(sched, node);
  outcome->ran = false;
  outcome->settled = true;
  return status;
}

static op2_status settle_ran(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t from,
                             int64_t end) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = from; i < end && !status; i++)
    if (sched->outcomes.list[i].ran)
      status = settle_node(sched, nodes[i], &sched->outcomes.list[i]);
  return status;
}

op2_status op2i_outcomes_settle(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                int64_t from, int64_t end) {
  bool failed;
  op2_status status = agree_on_outcomes(sched, from, end, &failed);
  for (int64_t i = from; i < end && failed; i++) make_stale(nodes[i]);
  return status ? status : settle_ran(sched, nodes, from, end);
}

op2_status op2i_outcomes_before_call(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                     const struct op2i_grouping *grouping, int64_t g,
                                     bool *cancelled) {
  int64_t at = sched->outcomes.first, end = at + grouping->n;
  struct op2i_node *node = nodes[grouping->nodes[grouping->groups[g].first]];
  bool failed;
  if (!sched->ctx->comm) return OP2_SUCCESS;
  op2_status status = agree_on_outcomes(sched, at, end, &failed);
  for (int64_t i = 0; i < grouping->n && failed; i++) make_stale(nodes[i]);
  if (status || !(failed || sched->ctx->records->npoisoned)) return status;
  struct op2i_outcome *outcomes = sched->outcomes.list + at;
  for (int64_t i = 0; i < grouping->groups[g].first; i++)
    outcomes[grouping->nodes[i]].ran = !outcomes[grouping->nodes[i]].settled;
  status = settle_ran(sched, nodes - at, at, end);
  struct op2i_failure *poison = op2i_poison_read(node);
  *cancelled = poison != NULL;
  if (!poison || status) return status;
  op2i_node_cancel(sched, node, poison);
  outcomes[grouping->nodes[grouping->groups[g].first]].settled = true;
  return OP2_SUCCESS;
}

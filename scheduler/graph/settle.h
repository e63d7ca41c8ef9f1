/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SETTLE_H
#define OP2I_SETTLE_H

#include "failure.h"
#include "sched_state.h"

/* ---- poison.c: values that failures make invalid --------------------------------------------- */

/* The failure with the lowest loop number among those that poison what the node reads. */
struct op2i_failure *op2i_poison_lowest(const struct op2i_node *node);
static inline struct op2i_failure *op2i_poison_read(const struct op2i_node *node) {
  return node->op->ctx->records->npoisoned ? op2i_poison_lowest(node) : NULL;
}
/* The node did not run: poison what it was to write. */
void op2i_poison_results(const struct op2i_node *node, struct op2i_failure *failure);
/* The node has run: what it overwrote as a whole is valid again. */
void op2i_poison_cure(const struct op2i_node *node);

/* ---- settle.c: outcome of a node ------------------------------------------------------------- */

/* Record a failure and poison what the node was to write. Fails fatally if there is no
 * memory for the record. */
op2_status op2i_node_fail(struct op2i_sched *sched, struct op2i_node *node, op2_status code,
                          const char *what);
/* The node was not run because of an earlier failure, which also poisons what it was to write. */
void op2i_node_cancel(struct op2i_sched *sched, struct op2i_node *node,
                      struct op2i_failure *failure);
void op2i_node_done(struct op2i_sched *sched, struct op2i_node *node);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_STATE_H
#define OP2I_SCHED_STATE_H

/* What the scheduler keeps for a context: its queue, what was made for it, and counts. */

#include "context.h"
#include "graph.h"
#include "slab.h"
#include "step.h"
#include "text.h"

/* Why queued loops were made to run; the last few are kept for op2_explain(). */
struct op2i_force {
  const char *call; /* a literal */
  char name[40];    /* what the call was about, cut short; may be empty */
  int64_t loops, left;
};
enum { OP2I_FORCES = 16 };

/* What a resource was before the node joined last touched it. */
struct op2i_before {
  struct op2i_resource *resource;
  int64_t last_writer, nreaders;
};

/* Seconds on the clock, but for `loops`, which is summed over the workers: in generated code. Those
 * of `running` are from the beginning to the end of programs. */
struct op2i_spent {
  double loops, running, compiling, preparing;
};

/* Among ranks: whether a node has run, whether that failed, whether all ranks know, and whether it is
 * done with. */
struct op2i_outcome {
  bool ran, agreed, settled;
  op2_status status;
  char *message; /* null: there was no memory for it */
};

/* Among ranks: a reduction of an operation that has run by itself, and that they have yet to
 * combine. */
struct op2i_pending {
  struct op2i_program *program; /* held */
  struct op2i_node *node;
  int64_t step, at; /* where the ranks would combine it in the program, and the node's outcome */
  size_t bytes;     /* in a message */
};
/* As many as go in one message, since each has 16 bytes at least. */
enum { OP2I_PENDING = OP2I_REDUCED_TOGETHER / 16 };

struct op2i_sched {
  op2_context ctx;
  /* While an operation runs that queues others itself, those wait in a queue of their own, which is
   * kept for the next one; null: there was none. And in which queue that operation is; null: in none. */
  struct op2i_sched *inner, *outer;
  struct op2i_failure *outer_failures; /* the context's, meanwhile */
  int64_t next_number; /* of the next loop; the first is 1 */
  struct op2i_node *nodes;
  int64_t nnodes, nodes_capacity;
  int64_t njoined; /* so many nodes have their edges, from the first */
  struct op2i_edge *edges;
  int64_t nedges, edges_capacity;
  struct op2i_slab slab;      /* of the nodes' values */
  struct op2i_before *before; /* [nbefore]: for op2i_graph_undo() */
  int64_t nbefore, before_capacity;
  int64_t tasks_submitted, programs_inline, programs_team; /* by task backends */
  int64_t steps_placed;    /* by rules that do not ask what they take */
  double copy_ns, byte_ns; /* a copy to or from the device takes, as measured; 0: it was not */
  double tried;            /* seconds that it took to find out what loops take on the device */
  double compilation;      /* of which a loop's code for it takes so many, as the last ones did; 0: none did */
  int64_t first_kernel; /* when the first one was about to run, 0 before */
  int64_t no_codes;     /* so many times a loop was found to have no code */
  struct op2i_text exchanges; /* that ran since the last drawing, drawn */
  int64_t nexchanges;
  bool graph_lost;      /* the file that OP2_GRAPH names could not be written, and that was said */
  int64_t loops_run, loops_failed, loops_cancelled;
  struct op2i_force forces[OP2I_FORCES];
  int64_t nforces; /* up to the one in progress */
  struct op2i_spent spent;
  int64_t watched; /* number of the loop whose failure the caller wants, 0 none */
  struct op2i_failure *watched_failure; /* its own, or the one that cancelled it */
  struct op2i_plan_cache *plans;
  struct op2i_tiling *tilings;
  struct op2i_combinations *combinations;
  struct op2i_program *programs; /* newest first */
  int64_t nprograms, programs_made, programs_replayed;
  int64_t loops_fused, chains_tiled; /* in all programs made */
  struct op2i_text renumberings;     /* that nobody asked for: what was done, in lines */
  struct op2i_node **marked;         /* [marked_capacity] the nodes of the force in progress */
  int64_t marked_capacity;
  struct op2i_outcome
      *outcomes; /* [outcomes_capacity] of the nodes that run; null: no other ranks */
  int64_t outcomes_capacity;
  int64_t outcomes_at; /* where those of the program that runs begin */
  struct op2i_pending pending[OP2I_PENDING]; /* [npending] in the order of the queue */
  int npending;
  bool gathers; /* programs run that leave their reductions there */
};

void op2i_sched_starts(struct op2i_sched *sched);

/* times.c: a kernel is about to run. Between the two calls the context prepares to run loops; what is compiled or prepared by
 * others in between, who count it, is left out. */
double op2i_prepare_begin(const struct op2i_sched *sched);
void op2i_prepare_end(struct op2i_sched *sched, double begin);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_STATE_H
#define OP2I_SCHED_STATE_H

/* The scheduler's state for a context: its queue, what was made for it, and counts. */

#include "context.h"
#include "graph.h"
#include "slab.h"
#include "step.h"
#include "text.h"

/* Why queued loops were run; the last few are kept for op2_explain(). */
struct op2i_force {
  const char *call; /* a string literal */
  char name[40];    /* name of the object that the call was about, truncated; may be empty */
  int64_t loops, left;
};
enum { OP2I_FORCES = 16 };

/* State of a resource before the node joined last touched it. */
struct op2i_before {
  int32_t slot;
  int64_t last_writer, nreaders;
};

/* Seconds of wall-clock time, except `loops`, which is time in generated code summed over the
 * workers. `running` is the time from the beginning to the end of programs. */
struct op2i_spent {
  double loops, running, compiling, preparing;
};

/* Among ranks: the outcome of a node. It has run; all ranks know of its failure; its state
 * is final. */
struct op2i_outcome {
  bool ran, agreed, settled;
  op2_status status;
  char *message; /* null: there was no memory for it */
};

/* Among ranks: a reduction of an operation that has run by itself, which the ranks have yet
 * to combine. */
struct op2i_pending {
  struct op2i_program *program; /* has a reference to it */
  struct op2i_node *node;
  int64_t at; /* index of the node's outcome */
  const struct op2i_reduction *reduction;
};
/* At most as many as fit into one message, since each has at least 16 bytes. */
enum { OP2I_PENDING = OP2I_REDUCED_TOGETHER / 16 };

/* Some of them, in the order of the queue; those of a convoy that has begun are in flight. */
struct op2i_pending_list {
  struct op2i_pending list[OP2I_PENDING];
  int n;
  struct op2i_reduction reductions[OP2I_PENDING];
  struct op2i_convoy convoy;
};

/* The operations that were queued and have not run, in the order in which they were queued. */
struct op2i_queue {
  int64_t next_number; /* number of the next loop; the first is 1 */
  struct op2i_node *nodes;
  int64_t nnodes, nodes_capacity;
  int64_t njoined; /* nodes[0] to nodes[njoined - 1] have their edges */
  struct op2i_edge *edges;
  int64_t nedges, edges_capacity;
  struct op2i_slab slab;      /* memory of the nodes' values */
  struct op2i_before *before; /* [nbefore] saved for op2i_graph_undo() */
  int64_t nbefore, before_capacity;
  struct op2i_node **marked; /* [marked_capacity] nodes of the force in progress */
  int64_t marked_capacity;
};

enum { OP2I_ALONE_LISTS = 256 }; /* a power of 2 */

/* Plans, combinations and programs, which are kept for equal operations. */
struct op2i_caches {
  struct op2i_plan_cache *plans;
  struct op2i_combinations *combinations;
  struct op2i_program *programs; /* the one used last first */
  int64_t nprograms, nkeys;      /* all of them; those of which only the key is kept */
  struct op2i_program *fresh;    /* one of them that came once and is still whole; null: none */
  /* programs of one operation each, in lists by its id, newest first */
  struct op2i_program *alone[OP2I_ALONE_LISTS];
  size_t bytes; /* of all programs, as far as they are counted */
};

/* Counts and times for op2_explain() and the statistics of a context. */
struct op2i_sched_stats {
  int64_t tasks_submitted, programs_inline, programs_team; /* counted by task backends */
  int64_t steps_placed;                                    /* by rules that ignore costs */
  int64_t no_codes; /* times that a loop was found to have no code */
  int64_t loops_run, loops_failed, loops_cancelled;
  int64_t programs_made, programs_replayed;
  int64_t programs_reduced; /* times that a program was reduced to its key */
  int64_t programs_evicted; /* of these, those that had come again, for lack of room */
  int64_t loops_fused;      /* in all programs made */
  struct op2i_force forces[OP2I_FORCES];
  int64_t nforces; /* forces so far, the one in progress included */
  struct op2i_spent spent;
  int64_t first_kernel;          /* time when the first kernel was about to run, 0 before */
  struct op2i_text renumberings; /* what automatic renumbering did, in lines */
};

/* Costs that the placement of loops and trials of scalar code have measured. */
struct op2i_costs {
  double copy_ns, byte_ns; /* times of a copy to or from the device; 0: not measured */
  double probe_seconds;    /* seconds spent on probes of loops on the device */
  double trial_seconds;    /* seconds that compilations for trials of scalar code took */
  /* seconds that compiling a loop for the device takes, a mean of the last ones; 0: none */
  double compile_seconds;
};

/* Drawing of the exchanges, and of the reductions that ranks combined, since the last graph was
 * written. */
struct op2i_drawing {
  struct op2i_text exchanges;
  int64_t nexchanges, nreductions;
  /* true if the file that OP2_GRAPH names could not be written, which was reported */
  bool graph_failed;
};

/* Outcomes of the operations that run. */
struct op2i_outcomes {
  struct op2i_outcome *list; /* [capacity] outcomes of running nodes; null: no other ranks */
  int64_t capacity;
  int64_t first;                    /* index of the first one of the running program */
  struct op2i_pending_list pending; /* those that have not begun */
  struct op2i_pending_list flying[OP2I_ALLREDUCE_COUNT]; /* [nflying] in the order of beginning */
  int nflying;
  struct op2i_node *const *nodes; /* [nnodes] of the force in progress, from outcome 0 on */
  int64_t nnodes;
  bool gathers; /* true while programs run that leave their reductions in `pending` */
  bool settles; /* true while a program runs after which the ranks agree on all of its nodes */
  struct op2i_first agreement; /* on what has failed, while it is in flight */
};

struct op2i_sched {
  op2_context ctx;
  /* inner: the nested queue for operations that queue others while they run, kept for the next one;
   * null: there was none. outer: the queue that contains the operation of this nested queue; null:
   * this queue is not nested. */
  struct op2i_sched *inner, *outer;
  struct op2i_records records; /* what this queue knows of dats and globals */
  int64_t watched;             /* number of the loop whose failure the caller waits for, 0 none */
  struct op2i_failure *watched_failure; /* its own failure, or the one that cancelled it */
  struct op2i_queue queue;
  struct op2i_caches caches;
  struct op2i_sched_stats stats;
  struct op2i_costs costs;
  struct op2i_drawing drawing;
  struct op2i_outcomes outcomes;
};

void op2i_sched_starts(struct op2i_sched *sched);

/* times.c: a kernel is about to run. The other two begin and end a time in which the context
 * prepares to run loops; what is compiled or prepared within it by calls that count it
 * themselves is left out. */
double op2i_prepare_begin(const struct op2i_sched *sched);
void op2i_prepare_end(struct op2i_sched *sched, double begin);

#endif

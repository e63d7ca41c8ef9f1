/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SHARE_H
#define OP2I_SHARE_H

#include "affinity.h"
#include "comm.h"
#include "context.h"

/* The number of threads that the user requests, by OP2_THREADS, options or OMP_NUM_THREADS; 0: no
 * number. */
int op2i_threads_asked(op2_context ctx);
/* Divide the cores of a node among its ranks. Call this once the context has its configuration and
 * before anything on its behalf uses op2i_machine(): from then on the process has the cores of its
 * share only, and the calling thread is bound to them. `first`: no context of the process has
 * workers yet. The decision and its reason are in ctx->share. */
void op2i_share_cores(op2_context ctx, bool first);

/* Compare the CPUs of this rank with those of the other ranks of its node;
 * sets[node_rank->size] are the CPUs on which each of them may run. */
void op2i_node_rank_compare(struct op2i_node_rank *node_rank, const struct op2i_cpu_set *sets);

/* Reasons why this rank shares cores with other ranks although they could be divided better. */
enum op2i_crowd {
  OP2I_CROWD_NONE,    /* it does not share cores, or there are too few cores for the ranks */
  OP2I_CROWD_BOUND,   /* ranks are bound to the same cores, and others are free */
  OP2I_CROWD_PLACES,  /* places of OpenMP are the same on all ranks */
  OP2I_CROWD_WORKERS, /* more workers are asked for than the rank has cores */
  OP2I_CROWDS
};
/* The reason why a rank shares cores with others. Its process may run on `cores` cores, `workers`
 * workers were requested (0: no number), and `narrow` is true if places of OpenMP limit the
 * cores. */
enum op2i_crowd op2i_crowd_of(const struct op2i_node_rank *node_rank, int cores, int workers,
                              bool narrow);
/* Print the warning. Called on the first rank; `rank` is the lowest rank that is concerned. */
void op2i_crowd_warn(op2_context ctx, enum op2i_crowd crowd, int rank);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SHARE_H
#define OP2I_SHARE_H

#include "affinity.h"
#include "comm.h"
#include "context.h"

/* Ranks of a node share out its cores. To be called once the context has its configuration, before
 * anybody asks for the machine on its behalf: from then on the process has the share's cores only, and
 * the calling thread is bound to them. `first`: no context of the process has workers yet. What was
 * decided, and why, is in ctx->share. */
void op2i_share_cores(op2_context ctx, bool first);

/* Fill in how a seat's rank stands to the other ranks of its node, by sets[seat->size], on which
 * CPUs each of them may run. */
void op2i_seat_compare(struct op2i_seat *seat, const struct op2i_cpu_set *sets);

/* Why this rank works on cores of other ranks although they could be shared out better. */
enum op2i_crowd {
  OP2I_CROWD_NONE,    /* it does not, or there are too few cores for the ranks */
  OP2I_CROWD_BOUND,   /* ranks are bound to the same cores, and others are free */
  OP2I_CROWD_PLACES,  /* places of OpenMP are the same on all ranks */
  OP2I_CROWD_WORKERS, /* more workers are asked for than the rank has cores */
  OP2I_CROWDS
};
/* Find out why a rank has cores together with others. Its process may run on `cores` cores, `workers`
 * workers were asked for (0: no number), and `narrow` tells that places of OpenMP limit the cores. */
enum op2i_crowd op2i_crowd_of(const struct op2i_seat *seat, int cores, int workers, bool narrow);
/* Warn of it on the first rank; `rank` is the lowest rank that is concerned. */
void op2i_crowd_warn(op2_context ctx, enum op2i_crowd crowd, int rank);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PASSES_H
#define OP2I_PASSES_H

#include "backend.h"
#include "exchange.h"
#include "jit.h"
#include "sched_state.h"
#include "step.h"
#include "text.h"

/* A program is what a flush makes of a sequence of queued operations: the passes' result, ready to
 * run. It is independent of values and keyed by structure - which operations in which order, and
 * which of their globals are the same version - so the same sequence queued again runs it again.
 * That of one operation by itself is kept with the operation. */

/* Nodes of the sequence that run as one, by their places in it, in the order of application. */
struct op2i_group {
  int64_t first; /* into the grouping's `nodes` */
  int32_t count;
  struct op2i_loop *loop; /* the loop itself, or the one fused from them; null: the node's operation
                             is no loop */
};
struct op2i_grouping {
  int64_t n;      /* nodes in the sequence */
  int32_t *nodes; /* [n] indices, group after group */
  int64_t ngroups;
  struct op2i_group *groups; /* in an order that the dependences allow */
  int64_t napart;            /* groups that are to be made when the sequence comes again */
  struct op2i_text notes;    /* what was done and what not, in words, a line each */
};

/* fuse.c: gather loops that may run as one; those that come together for the first time stay groups
 * of their own (combination.h), and are counted. Each loop's form must be known. Without fusion
 * every loop is a group of its own, and other operations always are; they come as late as those
 * allow that need them, so that many loops follow each other. */
op2_status op2i_fuse(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                     struct op2i_grouping *grouping);
void op2i_grouping_free(struct op2i_grouping *grouping);
/* fuse_verify.c: each node is in one group; groups and members keep the order of every two nodes
 * that are joined by an edge, and of operations whose kind asks for it; loops in one group meet
 * only element by element; what is not stored is overwritten as a whole before it is looked at. */
op2_status op2i_grouping_verify(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping);

/* An exchange of halos: it begins before one group, and ends before the steps of another one, or the
 * same, that look at halos. */
struct op2i_placed {
  struct op2i_exchange *exchange;
  int64_t begin, end;
};
/* halos.c: what is to be brought up to date, by the groups before which it ends. *placed is the
 * caller's, with its exchanges, also on failure. */
op2_status op2i_place_exchanges(struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping, struct op2i_placed **placed,
                                int64_t *nplaced);
/* halos_verify.c: all ranks have the same exchanges at the same points. Where not all get OP2_ERR_FATAL,
 * which names the first that differs and two ranks. Collective. */
struct op2i_program;
op2_status op2i_exchanges_verify(struct op2i_node *const *nodes,
                                 const struct op2i_program *program);
/* An operation is about to run: from now on others have old values of what it modifies. */
void op2i_op_makes_stale(const struct op2i_op *op);

struct op2i_program {
  struct op2i_program *next;
  int32_t holders; /* calls that run it */
  bool dropped;    /* nobody can find it any more: the last holder frees it */
  uint64_t hash;
  int64_t nnodes;
  struct op2i_op **ops; /* [nnodes] */
  int32_t *versions;    /* per node, its globals' versions, numbered by first appearance */
  unsigned char *stale; /* per node, of its dats: what was when it began; null: no other ranks */
  struct op2i_grouping grouping;
  struct op2i_placed *exchanges; /* [nexchanges] */
  int64_t nexchanges;
  int64_t nsteps;
  struct op2i_step *steps;
  int64_t *step_group;           /* [nsteps] */
  unsigned char *payload;        /* of fused groups, in their order */
  struct op2i_version **globals; /* the same */
  void **dat, **gbl; /* of all steps, in their order: what they find their values by */
  const int32_t **map;
  const int64_t **target;
  struct op2i_move *moves; /* the same, where steps may run in several places together */
  int64_t runs;
  bool tiling_tried;
  int64_t chains;      /* of steps that run tile by tile */
  const char *untiled; /* why there are none, a literal; null before that was looked into */
};

/* ---- compile.c: code for loops --------------------------------------------------------------- */

struct op2i_wanted {
  struct op2i_loop *loop;
  bool told; /* all ranks know that it has no code, and why */
};
struct op2i_compile {
  struct op2i_sched *sched;
  enum op2i_variant wish; /* what the backend runs where it can be had */
  bool optional; /* loops can do without; otherwise those that get no code are remembered, and are
                    not tried again in the same force */
  struct op2i_jit_code *codes;
  struct op2i_wanted *wanted; /* [ncodes] */
  int64_t ncodes, codes_capacity, wanted_capacity;
};
/* Note that the loop's code is needed, unless it is there, or known not to be had. */
op2_status op2i_compile_add(struct op2i_compile *compile, struct op2i_loop *loop);
/* Get all that was noted. Loops that fail have their reason in no_code, or, where code is optional,
 * with their unit. */
op2_status op2i_compile_run(struct op2i_compile *compile);
void op2i_compile_end(struct op2i_compile *compile);
/* The loop is to run on the host from now on, for this reason, a literal, which is told once; more of it
 * is in the last error. Its code for the host is there on success. Not collective. */
op2_status op2i_compile_off_device(struct op2i_sched *sched, struct op2i_loop *loop,
                                   const char *why);
/* Why the loop had no code when that was last tried; null: it was not, or it has. */
const char *op2i_no_code(const struct op2i_loop *loop);
/* Whether there is no use in trying again: it had none in this force, or in two. */
bool op2i_code_refused(const struct op2i_loop *loop);

#endif

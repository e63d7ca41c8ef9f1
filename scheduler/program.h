/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRAM_H
#define OP2I_PROGRAM_H

#include "graph.h"
#include "tasks.h"
#include "text.h"

/* A program is what a flush makes of a sequence of queued loops: the passes' result, ready to run.
 * It is independent of values and keyed by structure - which loops in which order, and which of
 * their globals are the same version - so the same sequence queued again runs it again. */

/* Loops of the sequence that run as one step, by their places in it, in the order of application.
 */
struct op2i_group {
  int64_t first; /* into the grouping's `nodes` */
  int32_t count;
  struct op2i_loop *loop; /* the loop itself, or the one fused from them */
};
struct op2i_grouping {
  int64_t n;      /* loops in the sequence */
  int32_t *nodes; /* [n] places, group after group */
  int64_t ngroups;
  struct op2i_group *groups; /* in an order that the dependences allow */
  struct op2i_text notes;    /* what was done and what not, in words, a line each */
};

/* fuse.c: gather loops that may run as one. Each loop's `sources` must be known. Without fusion
 * every loop is a group of its own. */
op2_status op2i_fuse(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                     struct op2i_grouping *grouping);
void op2i_grouping_free(struct op2i_grouping *grouping);
/* fuse_verify.c: each loop is in one group; groups and members keep the order of every two loops
 * that are joined by an edge; loops in one group meet only element by element; what is not stored
 * is overwritten as a whole before it is looked at. */
op2_status op2i_grouping_verify(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping);

struct op2i_program {
  struct op2i_program *next;
  uint64_t hash;
  int64_t nnodes;
  struct op2i_op **ops; /* [nnodes] */
  int32_t *versions;    /* per loop, its globals' versions, numbered by first appearance */
  struct op2i_grouping grouping;
  int64_t nsteps;
  struct op2i_step *steps;
  int64_t *step_group;    /* [nsteps] */
  unsigned char *payload; /* of fused groups */
  void **gbl;
  int64_t *payload_at, *gbl_at; /* [ngroups] where a fused group's begin */
  struct op2i_task_list *tasks; /* the backend's */
  int64_t runs;
  bool tiling_tried;
  int64_t chains;      /* of steps that run tile by tile */
  const char *untiled; /* why there are none, a literal; null before that was looked into */
};

/* Find or make the program of the sequence, with code compiled and plans made. Loops of which no
 * code can be had make it fail with OP2_ERR_UNAVAILABLE: then they must run one by one. */
op2_status op2i_program_get(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                            struct op2i_program **program);
/* How much of a sequence makes one program: all of it, or some whole periods of a sequence that
 * repeats itself, so that the next as many need no program of their own. The program before had
 * `before` loops, which stand before nodes[0]; 0 at the start. */
int64_t op2i_segment_length(struct op2i_node *const *nodes, int64_t n, int64_t before);
/* The loops of the queue that make whole programs; all, where there is but one. */
int64_t op2i_sched_complete(struct op2i_sched *sched);
/* Run it with the values of these loops. */
op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes);
void op2i_program_free(struct op2i_program *program);

/* The form a loop is run in by a backend that wants `variant`: sets of fewer than 16 elements get
 * scalar code. */
enum op2i_variant op2i_loop_form(const struct op2i_loop *loop, enum op2i_variant variant);

/* ---- compile.c: code for loops --------------------------------------------------------------- */

struct op2i_compile {
  struct op2i_sched *sched;
  enum op2i_variant variant;
  bool optional; /* loops can do without; otherwise those that get no code are remembered */
  struct op2i_jit_unit *units;
  struct op2i_loop **loops; /* [nunits] */
  int64_t nunits, units_capacity, loops_capacity;
};
/* Note that the loop's code is needed, unless it is there, or known not to be had. */
op2_status op2i_compile_add(struct op2i_compile *compile, struct op2i_loop *loop);
/* Get all that was noted. Loops that fail have their reason in no_code, or, where code is optional,
 * with their unit. */
op2_status op2i_compile_run(struct op2i_compile *compile);
void op2i_compile_end(struct op2i_compile *compile);
/* Why the loop has no code; null: not known, or it has. */
const char *op2i_no_code(const struct op2i_loop *loop);
/* Loops without code had none for the force that ends: the next one may try again. */
void op2i_compile_forget(struct op2i_sched *sched);

/* ---- poison.c: what failures spoil ----------------------------------------------------------- */

/* The failure with the lowest loop number among those that poison what the node reads. */
struct op2i_failure *op2i_poison_read(const struct op2i_node *node);
/* The node did not run: what it was to write is not there. */
void op2i_poison_results(const struct op2i_node *node, struct op2i_failure *failure);
/* The node has run: what it overwrote as a whole is good again. */
void op2i_poison_cure(const struct op2i_node *node);
/* Find the marked loops that cannot run among the nodes from `first` to before `end`: those without
 * code, and those that would read poison, also that of other such loops. Nothing is poisoned yet.
 * Returns how many there are. */
int64_t op2i_find_unfit(struct op2i_sched *sched, int64_t first, int64_t end);

/* ---- what both ways of running share (execute.c) --------------------------------------------- */

struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range, enum op2i_variant variant);
void op2i_step_account(const struct op2i_step *step);

#endif

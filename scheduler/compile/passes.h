/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PASSES_H
#define OP2I_PASSES_H

#include "backend.h"
#include "device_graphs.h"
#include "exchange.h"
#include "jit.h"
#include "sched_state.h"
#include "step.h"
#include "text.h"

/* A program is what a flush makes of a sequence of queued operations: the passes' result, ready to
 * run. It is independent of values; its key is the structure - which operations in which order, and
 * which of their globals are the same version. So it runs again when the same sequence is queued
 * again. The program of a single operation is kept with the operation. */

/* Nodes of the sequence that run as one, in the order in which they are applied. */
struct op2i_group {
  int64_t first; /* index into the grouping's `nodes` */
  int32_t count;
  struct op2i_loop *loop; /* the loop itself, or the one fused from them; null: the node's
                             operation is no loop */
};
struct op2i_grouping {
  int64_t n;      /* nodes in the sequence */
  int32_t *nodes; /* [n] indices of nodes in the sequence, group after group */
  int64_t ngroups;
  struct op2i_group *groups; /* in an order that the dependences allow */
  int64_t napart;            /* groups that will be fused when the sequence comes again */
  struct op2i_text notes;    /* what was fused and what not, and why; one line each */
};

/* fuse.c: gather loops that may run as one. Those that come together for the first time stay groups
 * of their own (combination.h), and are counted. Each loop's form must be known. Without fusion
 * every loop is a group of its own, and operations that are no loops always are. These are placed
 * as late as the groups that depend on them allow, so that many loops follow each other. */
op2_status op2i_fuse(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n,
                     struct op2i_grouping *grouping);
void op2i_grouping_free(struct op2i_grouping *grouping);
/* fuse_verify.c: check that each node is in one group; that groups and members keep the order of
 * every two nodes that are joined by an edge, and of operations whose kind requires it; that loops
 * in one group conflict only within an element; and that what is not stored is overwritten as a
 * whole before it is read. */
op2_status op2i_grouping_verify(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping);

/* A halo exchange: it begins before group `begin`, and ends before those steps of group `end` that
 * read halos; both may be the same group. */
struct op2i_placed {
  struct op2i_exchange *exchange;
  int64_t begin, end;
};

/* The reductions of a program that ranks combine, in convoys whose results are needed at one point.
 * A convoy begins when all of its loops have run over the elements that this rank owns. */
struct op2i_convoys {
  struct op2i_reduction *reductions; /* convoy after convoy */
  struct op2i_convoy *list;          /* [n] in the order in which their results are needed */
  struct op2i_convoy_place *places;  /* [n] */
  int64_t n;
  int64_t last; /* index of the step from which on convoys end that all go on to the program's end;
                   the number of steps if there is none, or a large one among them */
};
/* The convoy begins in group `begin`, after its loop over owned elements, and ends before group
 * `end`; the number of groups: at the program's end. */
struct op2i_convoy_place {
  int64_t begin, end;
};
/* Why a program is looked at after its next run, whatever their number: it has not been counted
 * since it was made; one of its loops is on trial. */
enum { OP2I_UNCOUNTED = 1, OP2I_ON_TRIAL = 2 };

/* This says what of a program is kept, and how many bytes it takes. */
struct op2i_keeping {
  bool again;          /* its sequence has come at least twice, so all of it is kept */
  bool key_only;       /* it has no steps and cannot run: its key and its grouping are kept */
  unsigned char watch; /* OP2I_UNCOUNTED, OP2I_ON_TRIAL */
  size_t key_bytes;    /* of the tables of operations, versions and stale parts */
  size_t table_bytes;  /* of payload, globals and the tables of all steps */
  int64_t steps;       /* capacity of the tables of steps */
  size_t counted;      /* bytes that the queue's caches count for it while it is in a list */
  struct op2i_device_graphs graphs; /* graphs of its launches, on a device that has graphs */
};

struct op2i_program {
  struct op2i_program *next;
  int32_t holders; /* references by calls that run it */
  bool dropped;    /* it is in no list any more; the last holder frees it */
  struct op2i_keeping kept;
  uint64_t hash;
  int64_t nnodes;
  struct op2i_op **ops; /* [nnodes] */
  int32_t *versions;    /* for each node its globals' versions, numbered by first appearance */
  /* for each node the stale parts of its dats when it was made; null: no other ranks */
  unsigned char *stale;
  struct op2i_grouping grouping;
  struct op2i_placed *exchanges; /* [nexchanges] */
  int64_t nexchanges;
  struct op2i_convoys convoys;
  int64_t nsteps;
  struct op2i_step *steps;       /* [kept.steps], as the two below */
  struct op2i_bundle *bundles;   /* [nsteps] */
  int64_t *step_group;           /* [nsteps] */
  unsigned char *payload;        /* payloads of fused groups, in their order */
  struct op2i_version **globals; /* the same for globals */
  void **dat, **gbl; /* tables of all steps, in their order: the addresses of their values */
  const int32_t **map;
  const int64_t **target;
  struct op2i_move *moves; /* the same for copies, if steps may run in several places together */
  int64_t runs;
};

/* ---- the table of passes --------------------------------------------------------------------- */

/* A program that is being made. */
struct op2i_making {
  struct op2i_sched *sched;
  struct op2i_node *const *nodes;
  struct op2i_program *program;
};

struct op2i_pass {
  const char *name; /* for messages */
  /* Work on a program that is being made; null: it does nothing then. */
  op2_status (*make)(const struct op2i_making *making);
  /* Check what make() has done, with OP2_VERIFY=1; null: there is no check. */
  op2_status (*verify)(const struct op2i_making *making);
  /* The same when ranks have agreed; collective. */
  op2_status (*verify_ranks)(const struct op2i_making *making);
  /* Print what it did with a program, and why it left the rest; null: nothing. */
  void (*explain)(const struct op2i_sched *sched, const struct op2i_program *program, FILE *stream);
  /* Ranks agree on success when make() has ended. */
  bool agrees;
  /* make() returns the same status on all ranks. */
  bool collective;
};
#define PASS(name_) extern const struct op2i_pass op2i_pass_##name_;
#include "passes.def"

/* ---- compile.c: code for loops --------------------------------------------------------------- */

struct op2i_wanted {
  struct op2i_loop *loop;
  bool notified; /* true if all ranks know that it has no code, and why */
};
struct op2i_compile {
  struct op2i_sched *sched;
  enum op2i_variant wish; /* the variant that the backend runs if it is available */
  bool optional; /* true if loops can do without; otherwise loops that get no code are remembered,
                    and are not tried again in the same force */
  struct op2i_jit_code *codes;
  struct op2i_wanted *wanted; /* [ncodes] */
  int64_t ncodes, codes_capacity, wanted_capacity;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CONTEXT_H
#define OP2I_CONTEXT_H

/* A context: its configuration, and everything that belongs to it. */

#include <pthread.h>

#include "env.h"
#include "object.h"
#include "op2/ranks.h"
#include "records.h"
#include "scheduler.h"

enum { OP2I_CONTEXT_MAGIC = 0x6f703263 };

struct op2i_backend;
struct op2i_comm;
struct op2i_device;
struct op2i_engine;
struct op2i_failure;
struct op2i_jit;
struct op2i_loop_table;
struct op2i_solve;
struct op2i_trail;
struct op2i_user_call;
struct op2i_vector_kernel;

/* The public call for which the library makes objects of its own; call is null where the program
 * makes them itself. */
struct op2i_behalf {
  const char *call, *name;
  op2_where where;
};

/* Destroyed dats and globals that are kept for new ones (lib/mesh/recycle.h), in the order in which
 * they were declared. */
enum { OP2I_SPARES = 64 };
struct op2i_spares {
  struct op2i_object *list[OP2I_SPARES];
  int n;
  size_t bytes; /* memory of values that they keep */
  bool never;   /* the backend wants none */
};

/* This ring keeps the memory of dats, or of globals, that successors have replaced. It is marked as
 * gone, and the oldest is at `at`. All of it fits into a cache of a core. */
enum { OP2I_REPLACED = 512 };
struct op2i_replaced {
  void *memory[OP2I_REPLACED]; /* null: none yet, or used again */
  int at;
};

struct op2_context_s {
  /* OP2I_CONTEXT_MAGIC; objects have another number here, so that none is taken for a context */
  uint32_t magic;
  int32_t refs; /* one for the handle, one per object */
  bool finalized, fatal;
  bool forked; /* finalized because this process is a forked child of the one that made it */
  op2_context next_living; /* list of all contexts of the process */
  pthread_t maker;         /* the thread that called op2_init() */
  int64_t born;            /* time of the call of op2_init(), in nanoseconds */
  struct op2i_config config;
  struct op2i_comm *comm;         /* connects the other ranks; null: this process is alone */
  struct op2i_progress *progress; /* OP2_PROGRESS: what is shown of it; null: nothing yet */
  struct op2i_tools *tools; /* OP2_TOOLS_LIBS, OP2_MARKERS (lib/trace/tools.h); null: none */
  struct op2i_sections *sections; /* of the program (section.h); null: it has none */
  struct op2i_trace *trace; /* OP2_TRACE: the timeline (lib/trace/trace.h); null: none is made */
  char share[160];          /* among ranks: which cores this rank has, and why */
  int crowd;                /* why this rank shares its cores with others: enum op2i_crowd */
  const struct op2i_backend *backend;
  /* default backend that was not chosen, since it has too few workers; null: none */
  const struct op2i_backend *passed_over;
  void *backend_state;
  /* device on which the backend runs loops, until nothing refers to the context; null: the host */
  struct op2i_device *device;
  /* with OP2_SHADOW=1: the device in whose memory loops of the host work */
  struct op2i_device *shadow;
  int workers; /* workers of the backend */
  /* scheduler/: the queue in use, which is nested while an operation runs that queues others, and
   * what it knows of dats and globals; null before op2_init() has ended, and after the end */
  struct op2i_sched *sched;
  struct op2i_records *records;
  struct op2i_slots slots;
  struct op2i_jit *jit; /* backends/: compiler and cache, opened at the first compilation */
  struct op2i_loop_table *loops;             /* all distinct loops queued so far */
  struct op2i_user_call *calls;              /* all distinct calls queued so far; list */
  struct op2i_vector_kernel *vector_kernels; /* kernels of op2/algebra.h made so far; list */
  struct op2i_background *background; /* what others do beside the loops (background.h); list */
  struct op2i_object *awaiting_release;      /* destroyed inside functions of op2_call(); list */
  /* lent object that the program tried to destroy; null: none */
  const struct op2i_object *lent_destroyed;
  struct op2i_solve *solves; /* all distinct solves queued so far; list */
  /* engine of solvers for which the program chooses none; null: the library itself */
  const struct op2i_engine *engine;
  const char *calling; /* name of the function of op2_call() that runs; null: none does */
  op2_where running;   /* where the operation was queued that is run, or was run last, as a call */
  op2_const consts;    /* list */
  int64_t const_epoch; /* changes when a constant is created or destroyed */
  /* Destroyed handles whose objects were still referenced then, but for those of dats and globals,
   * which loops count themselves. */
  int64_t objects_left;
  struct op2i_list objects; /* all objects, in the order of their making */
  struct op2i_list sets;    /* all sets, without subsets */
  bool has_single;          /* a set with one element that all ranks share has been declared */
  bool partitioned;
  int64_t ncontributions; /* how many sets of contributions were made (contributions.h) */
  unsigned char warned_of_order; /* in deterministic mode: bits of enum op2i_order */
  op2_partition_report partition; /* report of the last partitioning */
  struct op2i_list dats, sparsities;
  struct op2i_spares spares;
  struct op2i_replaced replaced[2]; /* dats, globals */
  op2_dat wrapped;                  /* list of dats over borrowed memory */
  struct op2i_list wrapped_gbls;    /* globals over borrowed memory */
  int64_t open_scopes;              /* open scopes of all dats and globals */
  int64_t epoch; /* changes when the location of a buffer's values changes (host, device) */
  int64_t next_id;
  struct op2i_behalf behalf; /* public call on behalf of which objects are made */
  struct op2i_numa *numa;    /* NUMA nodes of the workers; null: data is not placed (numa.h) */
};

/* True once a context of this process is in deterministic mode: others ask nothing else. */
extern _Atomic bool op2i_deterministic_begun;
/* True if sets are renumbered automatically. In deterministic mode they are not, since contributions
 * cannot be. */
static inline bool op2i_renumbers(const struct op2_context_s *ctx) {
  return ctx->config.renumber && !ctx->config.deterministic;
}
/* These add in the order of ranks also in deterministic mode. Among ranks, a warning says so once. */
enum op2i_order { OP2I_ORDER_ENGINE = 1, OP2I_ORDER_TRANSPOSE = 2 };
void op2i_context_warn_order(op2_context ctx, enum op2i_order order);
/* OP2_ERR_STATE unless the context can take work, and the public function `call` may be called
 * now. */
op2_status op2i_context_validate(op2_context ctx, const char *call);
/* OP2_ERR_STATE, with both names, for a call that is refused inside the function that runs: a
 * function of op2_call() can call nothing, one of an operator all but a few. */
op2_status op2i_context_allow(op2_context ctx, const char *call);
/* OP2_ERR_STATE for a context of the process from which this one was forked. */
op2_status op2i_error_forked(void);
/* Among ranks: if one rank fails, all do (see op2i_comm_agree()). Collective. */
op2_status op2i_context_agree(op2_context ctx, op2_status status);
/* Among ranks: check that the object declared as `kind` 'name' has the same `number` (its dim or
 * arity, as `what` says) and the same type on all ranks; otherwise OP2_ERR_MISMATCH with both
 * values. The type is 0 for objects without one. Collective. */
op2_status op2i_context_alike(op2_context ctx, const char *kind, const char *name, const char *what,
                              int64_t number, op2_type type);
/* The same for a successor of the object that was made by call `spare` of the trail (0: of none).
 * *equal: this number is the same on all ranks, too. */
op2_status op2i_context_alike_from(op2_context ctx, const char *kind, const char *name,
                                   const char *what, int64_t number, op2_type type, int64_t spare,
                                   bool *equal);
/* Among ranks: report a failure of this rank alone at a point without agreement, where the other
 * ranks would go on and wait for it. The ranks are aborted and the context is dead. Returns the
 * status. */
op2_status op2i_context_abort_ranks(op2_context ctx, op2_status status);
void op2i_context_unref(op2_context ctx);
int64_t op2i_next_id(op2_context ctx);

/* ---- trail_calls.c: calls that must be the same on all ranks ---- */

/* The trail of the context's rank (trail.h). Null where ranks compare nothing: in a process without
 * other ranks, after the end of the context, and inside a function of op2_call(). */
struct op2i_trail *op2i_context_trail(op2_context ctx);
/* Record a public call that all ranks make. Record it as soon as the context is known, before
 * anything of the call is done and before checks that may fail on one rank only. `arguments` and
 * `values` are digests of what has to be the same on all ranks. Arguments that may be wrong on one
 * rank alone, so that a declaration fails on all, are not a difference between ranks: such a call
 * is recorded without digests first, and again with them when it has succeeded. */
void op2i_context_call(op2_context ctx, const char *call, const char *name, uint64_t arguments,
                       uint64_t values);
/* Record calls from now on as parts of `call`, with its name and source line, since the program
 * does not know of the kernels, globals and subsets that a call makes internally. Of nested parts
 * the outermost one counts. Returns the previous state for op2i_context_behalf_end(), which every
 * return from the call has to execute. */
struct op2i_behalf op2i_context_behalf(op2_context ctx, const char *call, const char *name,
                                       op2_where where);
void op2i_context_behalf_end(op2_context ctx, struct op2i_behalf before);

#endif

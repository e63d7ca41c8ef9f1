/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CONTEXT_H
#define OP2I_CONTEXT_H

/* A context: what it runs with, and all that belongs to it. */

#include <pthread.h>

#include "env.h"
#include "object.h"
#include "op2/ranks.h"
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

struct op2_context_s {
  uint32_t magic; /* OP2I_CONTEXT_MAGIC: where an object that is taken for a context has its own */
  int32_t refs;   /* one for the handle, one per object */
  bool finalized, fatal;
  bool forked;             /* finalized, since this is a child of the process that it lived in */
  op2_context next_living; /* list of the process */
  pthread_t maker;         /* the thread that called op2_init() */
  int64_t born;            /* nanoseconds: when op2_init was called */
  struct op2i_config config;
  struct op2i_comm *comm; /* with the other ranks; null: this process is alone */
  char share[160];        /* with ranks: which cores this one has, and why */
  int crowd;              /* why it has them together with others: enum op2i_crowd */
  const struct op2i_backend *backend;
  const struct op2i_backend *passed_over; /* the default, had it enough workers; null: it has */
  void *backend_state;
  struct op2i_device
      *device; /* on which its loops run, until nothing refers to the context; null: here */
  struct op2i_device *shadow; /* with OP2_SHADOW=1: in whose memory loops of the host work */
  int workers;              /* of the backend */
  struct op2i_sched *sched; /* scheduler/ */
  struct op2i_jit *jit;     /* backends/: compiler and cache, opened at the first compilation */
  struct op2i_loop_table *loops; /* every distinct loop seen */
  struct op2i_user_call *calls;  /* every distinct call seen; list */
  struct op2i_vector_kernel *vector_kernels; /* of op2/algebra.h, made so far; list */
  struct op2i_gbls {
    op2_gbl *gbls; /* [n] some null */
    int n;
  } dot_parts[2];        /* what blocks of scalar products reduce into; [inside an operation] */
  op2_gbl norm_parts[2]; /* what norms reduce into beside their result; [inside an operation] */
  /* The operation that runs and queues others, with objects whose handles may be gone;
   * null: none. */
  const struct op2i_op *inside;
  int64_t round;                 /* such operations so far */
  int64_t last_id_outside;       /* of the objects that existed when it began */
  struct op2i_object *awaiting_release; /* destroyed inside functions of op2_call(); list */
  const struct op2i_object *lent_destroyed; /* lent, and the program tried to destroy it; or null */
  struct op2i_solve *solves;     /* every distinct one seen; list */
  const struct op2i_engine
      *engine; /* that solves where nothing else is asked for; null: the library */
  const char *calling;           /* the function of op2_call() that runs, null when none does */
  op2_where running;             /* where the operation that ran last by itself was queued */
  struct op2i_failure *failures; /* not yet reported, by loop number; owned references */
  op2_const consts;              /* list */
  int64_t const_epoch;           /* changes when a constant is created or destroyed */
  int64_t objects_left;          /* handles destroyed whose objects others still hold */
  struct op2i_list sets;         /* no subsets */
  bool partitioned;
  op2_partition_report partition; /* of the last time */
  struct op2i_list dats, sparsities;
  op2_dat wrapped;     /* list of dats over borrowed memory */
  int64_t open_scopes; /* of all dats */
  int64_t npoisoned;   /* resources whose values are not there */
  int64_t epoch;       /* changes when values of a buffer come to another place, or go from one */
  int64_t next_id;
  struct op2i_behalf behalf; /* of which call objects are made */
};

/* OP2_ERR_STATE unless the context can take work. */
op2_status op2i_context_validate(op2_context ctx);
/* The same for a context in which a function of op2_call() runs. */
op2_status op2i_context_calling(op2_context ctx);
/* OP2_ERR_STATE in words for a context of the process that this one was forked from. */
op2_status op2i_context_left_behind(void);
/* Among ranks: a failure of one is one of all (op2i_comm_agree()). Collective. */
op2_status op2i_context_agree(op2_context ctx, op2_status status);
/* Among ranks: what was declared as `kind` 'name' has the same `number` (its dim or arity, as
 * `what` says) and type on all, or OP2_ERR_MISMATCH with both; type 0 where there is none.
 * Collective. */
op2_status op2i_context_alike(op2_context ctx, const char *kind, const char *name, const char *what,
                              int64_t number, op2_type type);
/* Among ranks: this one has failed where the others do not ask, and go on to wait for it. They are
 * told, and the context is dead. Returns the status. */
op2_status op2i_context_lost(op2_context ctx, op2_status status);
void op2i_context_unref(op2_context ctx);
int64_t op2i_next_id(op2_context ctx);

/* ---- trail_calls.c: the calls that all ranks make alike ---- */

/* The trail of the context's rank (trail.h); null where ranks compare nothing: alone, at the end,
 * and inside a function of op2_call(). */
struct op2i_trail *op2i_context_trail(op2_context ctx);
/* A public call that all ranks make: to be said as soon as the context is known, before anything of
 * the call is done and before what one rank alone may find wrong. `arguments` and `values` are
 * digests of what has to be the same on all ranks. What one rank alone may have wrong, so that a
 * declaration fails on all, is no difference: such a call is said without digests at first, and
 * once more with them when it has succeeded. */
void op2i_context_call(op2_context ctx, const char *call, const char *name, uint64_t arguments,
                       uint64_t values);
/* What is said from now on stands in the trail as a part of `call`, with its name and place: the
 * program does not know of the kernels, globals and subsets that a call makes for itself. Where
 * such a part is open, the outermost counts. Returns what was there before, for
 * op2i_context_behalf_end(), which every way out of the call has to pass. */
struct op2i_behalf op2i_context_behalf(op2_context ctx, const char *call, const char *name,
                                       op2_where where);
void op2i_context_behalf_end(op2_context ctx, struct op2i_behalf before);

#endif

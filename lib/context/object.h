/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OBJECT_H
#define OP2I_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/context.h"
#include "trail.h"

/* What all objects have, and lists of them. */

/* Reference counts are touched only by the thread that uses the context: workers never see objects.
 */
enum op2i_kind {
  OP2I_SET = 1,
  OP2I_MAP,
  OP2I_DAT,
  OP2I_GBL,
  OP2I_CONST,
  OP2I_KERNEL,
  OP2I_LOOP,
  OP2I_SPARSITY,
  OP2I_MAT,
  OP2I_SOLVER,
  OP2I_OPERATOR
};

struct op2i_object {
  uint32_t magic; /* OP2I_MAGIC + kind while alive */
  int32_t refs;
  bool given_up; /* the user's handle was destroyed; others hold the object */
  bool lent; /* the library's own: functions of the program get the handle for the time of a call */
  struct op2i_object *next_awaiting; /* in the context's list of objects that await release */
  op2_context ctx;
  char *name;
  int64_t id; /* unique in the context, never reused */
  uint64_t made; /* among ranks: stands for the object, and is the same on all of them; the number
                    in the trail of the call that made it */
  int64_t seen; /* a verifier's: its number by first appearance in a queue */
  void (*release)(void *object);
};

/* The name that an object of this kind gets if it is the next one that is made: the given one or,
 * where that is null or empty, kind and number, written to `room`. Messages about an object that
 * cannot be made have it, too. A null context is one whose handles are wrong, so that nothing is made;
 * the number is 0 then. */
enum { OP2I_NAME_ROOM = 40 };
const char *op2i_object_name(op2_context ctx, enum op2i_kind kind, const char *name,
                             char room[OP2I_NAME_ROOM]);
/* The context of an object; null for what is no live object of that kind. */
op2_context op2i_object_context(const void *object, enum op2i_kind kind);

/* Fill in a zeroed object: takes a reference on ctx, copies or invents the name. */
op2_status op2i_object_init(void *object, op2_context ctx, enum op2i_kind kind, const char *name,
                            void (*release)(void *object));
bool op2i_object_is(const void *object, enum op2i_kind kind);
/* OP2_ERR_ARG naming `what` when the handle is not a live object of that kind, OP2_ERR_STATE when
 * its context ended. */
op2_status op2i_object_validate(const void *object, enum op2i_kind kind, const char *what);
/* op2i_context_call() for a call about an object, which may be no handle at all: nothing is said
 * then. Without a name it is the object's. */
void op2i_object_call(const void *object, enum op2i_kind kind, const char *call,
                      const char *name, uint64_t arguments);
/* A digest with an object, which may be null: it is the same on all ranks that made the
 * same calls. */
uint64_t op2i_object_digest(uint64_t digest, const void *object);
void *op2i_ref(void *object);
void op2i_unref(void *object);
/* Whether the user's reference on this handle is there to be given up. From now on it is not. False
 * for null, for an object that is lent (which the context notes in lent_destroyed), for a copy of a handle that was destroyed, and in a forked child, which must not touch
 * what another thread may have left halfway. Also false inside a function of op2_call(): the library
 * call that made the queue run may use the object after the function has returned, so that the
 * context keeps the reference until op2i_objects_release_awaiting(). */
bool op2i_object_leave(void *object, enum op2i_kind kind);
/* Give up the references that functions of op2_call() left. Only where a public call does not use any
 * objects, or no more. Inside an operation that runs others, objects that are older than the
 * operation stay, since the call that runs it may use them. */
void op2i_objects_release_awaiting(op2_context ctx);

/* What a context has interned (loops, calls) names objects without keeping them alive: it goes when
 * one of them does, or the context. */
struct op2i_interned {
  void (*forget)(op2_context ctx, const void *object);
  void (*free)(op2_context ctx);
};
extern const struct op2i_interned op2i_interned_loops, op2i_interned_calls; /* lib/op */
extern const struct op2i_interned op2i_interned_solves; /* lib/algebra */
/* What sparsities keep of subsets, which goes with these; and with the sparsities, not
 * the context. */
extern const struct op2i_interned op2i_interned_rows; /* lib/sparse */
/* Kernels of the library's own, which hold the context: they go when it ends, and name nothing. */
extern const struct op2i_interned op2i_interned_kernels; /* lib/algebra */

/* What a companion keeps with an object, and which goes with it. */
struct op2i_kept {
  void *data; /* null: nothing */
  void (*free)(void *data);
};
void op2i_kept_free(struct op2i_kept *kept);

/* A list of objects in order of creation, which keeps none of them alive. */
struct op2i_link {
  void *object;
  struct op2i_link *prev, *next;
};
struct op2i_list {
  struct op2i_link *first, *last;
};
void op2i_list_append(struct op2i_list *list, struct op2i_link *link, void *object);
void op2i_list_remove(struct op2i_list *list, struct op2i_link *link); /* no-op if not in it */

#endif

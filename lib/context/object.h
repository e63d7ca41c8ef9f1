/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OBJECT_H
#define OP2I_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "list.h"
#include "op2/context.h"
#include "op2/query.h"
#include "trail.h"

/* The common part of all objects. */

/* Reference counts are used by the thread of the context only: workers never access objects. */
enum op2i_kind {
  OP2I_SET = OP2_OBJECT_SET,
  OP2I_MAP = OP2_OBJECT_MAP,
  OP2I_DAT = OP2_OBJECT_DAT,
  OP2I_GBL = OP2_OBJECT_GBL,
  OP2I_CONST = OP2_OBJECT_CONST,
  OP2I_KERNEL = OP2_OBJECT_KERNEL,
  OP2I_LOOP = OP2_OBJECT_LOOP,
  OP2I_SPARSITY = OP2_OBJECT_SPARSITY,
  OP2I_MAT = OP2_OBJECT_MAT,
  OP2I_SOLVER = OP2_OBJECT_SOLVER,
  OP2I_OPERATOR = OP2_OBJECT_OPERATOR,
  OP2I_COMPONENT = OP2_OBJECT_COMPONENT
};

enum { OP2I_SHORT_NAME = 24 };
struct op2i_object {
  uint32_t magic; /* OP2I_OBJECT_MAGIC + kind while alive */
  int32_t refs;
  bool nameless; /* the program gave it no name */
  bool given_up; /* the user's handle was destroyed; other references keep the object */
  /* owned by the library, which lends the handle to a function of the program during a call */
  bool lent;
  bool own; /* made by the library for itself, so that programs do not see it in lists */
  /* A dat or global whose handle was destroyed while other references were left: the loops that use
   * it know (`left` of op2i_interned). */
  bool left;
  struct op2i_object *next_awaiting; /* next in the context's list of objects that await release */
  op2_context ctx;
  char *name; /* short_name, or memory of its own where that is too small */
  char short_name[OP2I_SHORT_NAME];
  int64_t id; /* unique in the context, never reused */
  /* identifies the object among ranks, the same on all of them: the number in the trail of the call
   * that made it */
  uint64_t made;
  int64_t seen; /* used by a verifier: number by first appearance in a queue */
  void (*release)(void *object);
  /* Asked when the last reference goes: true if the object is kept as a spare (recycle.h).
   * Null: it is never kept. */
  bool (*keep)(void *object);
  struct op2i_link link; /* in the context's list of all objects */
  /* The loops that use a dat or global (op2i_op_link()) are listed here and hold no references. */
  struct op2i_list users;
};

/* The name that the next object of this kind gets: the given one or, where that is null or empty,
 * kind and number, written to `room`. Messages about an object that cannot be made use it, too. A
 * null context means that its handles are wrong, so that nothing is made; the number is 0 then. */
enum { OP2I_NAME_ROOM = 40 };
const char *op2i_object_name(op2_context ctx, enum op2i_kind kind, const char *name,
                             char room[OP2I_NAME_ROOM]);
/* The context of an object; null if it is not a live object of that kind. */
op2_context op2i_object_context(const void *object, enum op2i_kind kind);

/* Return zeroed memory for a dat or global, or null. An object that was replaced long ago may have had
 * it. Until the new object is initialised, op2i_free() takes it back. */
void *op2i_object_room(op2_context ctx, enum op2i_kind kind, size_t bytes);
/* Fill in a zeroed object: takes a reference on ctx, copies the name or makes one. */
op2_status op2i_object_init(void *object, op2_context ctx, enum op2i_kind kind, const char *name,
                            void (*release)(void *object));
/* Mark an object that the library has made for itself, unless it is null. */
static inline void op2i_object_own(void *object) {
  if (object) ((struct op2i_object *)object)->own = true;
}
/* The kind of a live object. */
enum op2i_kind op2i_object_kind(const struct op2i_object *object);
enum { OP2I_OBJECT_MAGIC = 0x6f703200 };
static inline bool op2i_object_is(const void *object, enum op2i_kind kind) {
  const struct op2i_object *o = object;
  return o && o->magic == (uint32_t)OP2I_OBJECT_MAGIC + kind;
}
/* OP2_ERR_ARG naming `what` when the handle is not a live object of that kind, OP2_ERR_STATE when
 * its context ended. */
op2_status op2i_object_validate(const void *object, enum op2i_kind kind, const char *what);
/* op2i_context_call() for a call on an object. Records nothing if this is not a valid handle. A
 * null name stands for the object's own. */
void op2i_object_call(const void *object, enum op2i_kind kind, const char *call, const char *name,
                      uint64_t arguments);
/* Extends a digest by an object, which may be null. The result is the same on all ranks that made
 * the same calls. */
uint64_t op2i_object_digest(uint64_t digest, const void *object);
void *op2i_ref(void *object);
void op2i_unref(void *object);
/* Free interned data that refers to an object, which has no references any more, and then the object
 * itself. */
void op2i_object_forget(void *object);
void op2i_object_end(void *object);
/* End a dat or global that a successor has replaced, so that it owns nothing but its name. Its memory
 * becomes that of another one (op2i_object_room()) when OP2I_REPLACED more have been replaced. */
void op2i_object_end_replaced(void *object);
/* Free that memory, as that of other destroyed objects; the context ends. */
void op2i_objects_free_replaced(op2_context ctx);
/* Take the user's reference from this handle. Returns true if the caller has to give it up with
 * op2i_unref(). False for null, for an object that is lent (which the context notes in
 * lent_destroyed), for a copy of a handle that was destroyed, and in a forked child, where another
 * thread may have left data incomplete. Also false inside a function of op2_call(): the library
 * call that made the queue run may use the object after the function has returned, so the context
 * keeps the reference until op2i_objects_release_awaiting(). */
bool op2i_object_leave(void *object, enum op2i_kind kind);
/* Give up the references that functions of op2_call() left. Call it only where a public call uses
 * no objects, or none any more. In a nested queue, objects that are older than its operation stay,
 * since the call that runs the operation may use them. */
void op2i_objects_release_awaiting(op2_context ctx);

/* Interned data of a context (loops, calls) refer to objects without a reference, and are freed
 * when one of these objects is destroyed, or with the context. */
struct op2i_interned {
  void (*forget)(op2_context ctx, const void *object);
  void (*free)(op2_context ctx);
  /* For dats and globals: the handle is destroyed, and other references are left. What names the
   * handle is checked when it is found next. */
  void (*left)(op2_context ctx, const void *object);
  /* For dats and globals: the object is destroyed, and what refers to it is kept for a successor;
   * it is not found until then. The object stays in memory. */
  void (*set_aside)(op2_context ctx, const void *object);
  /* Let what was set aside refer to the successor, a new object of the same shape. */
  void (*pass_on)(op2_context ctx, void *object, void *successor);
};
extern const struct op2i_interned op2i_interned_loops, op2i_interned_calls; /* lib/op */
extern const struct op2i_interned op2i_interned_solves;                     /* lib/krylov */
/* Data that sparsities keep for subsets: freed with the subset or the sparsity, not with the
 * context. */
extern const struct op2i_interned op2i_interned_rows; /* lib/sparse */
/* Kernels of the library itself. They hold a reference on the context, so they are freed when it
 * ends; they refer to no objects. */
extern const struct op2i_interned op2i_interned_kernels; /* lib/vector */

/* Data that a companion library attaches to an object; freed with the object. */
struct op2i_kept {
  void *data; /* null: nothing */
  void (*free)(void *data);
};
void op2i_kept_free(struct op2i_kept *kept);

#endif

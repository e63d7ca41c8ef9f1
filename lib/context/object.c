/* SPDX-License-Identifier: BSD-3-Clause */
/* The common part of all objects: kind, context, reference count, and the recognition of handles
 * whose objects were destroyed. */
#include "object.h"

#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "log.h"
#include "mem.h"
#include "process.h"

/* "op2" with the kind in the low byte; the second one marks objects that were destroyed. */
enum { GONE = 0x676f6e00 };

static const char *kind_name(enum op2i_kind kind) {
  static const char *const names[] = {"object",   "set",      "map",      "dat",      "global",
                                      "constant", "kernel",   "loop",     "sparsity", "matrix",
                                      "solver",   "operator", "component"};
  return names[kind];
}

const char *op2i_object_name(op2_context ctx, enum op2i_kind kind, const char *name,
                             char room[OP2I_NAME_ROOM]) {
  if (name && *name) return name;
  snprintf(room, OP2I_NAME_ROOM, "%s%lld", kind_name(kind), ctx ? (long long)ctx->next_id + 1 : 0);
  return room;
}

/* True if the next object of this kind would get this name without being given one. */
static bool is_own_name(op2_context ctx, enum op2i_kind kind, const char *name) {
  char room[OP2I_NAME_ROOM];
  const char *start = kind_name(kind);
  return *name == *start && !strncmp(name, start, strlen(start)) &&
         !strcmp(name, op2i_object_name(ctx, kind, NULL, room));
}

op2_context op2i_object_context(const void *object, enum op2i_kind kind) {
  return op2i_object_is(object, kind) ? ((const struct op2i_object *)object)->ctx : NULL;
}

static char *copy_name(struct op2i_object *o, const char *name) {
  const size_t bytes = strlen(name) + 1;
  return bytes <= sizeof o->short_name ? memcpy(o->short_name, name, bytes) : op2i_strdup(name);
}

static void free_name(struct op2i_object *o) {
  if (o->name != o->short_name) op2i_free(o->name);
}

/* ---- memory of replaced objects -------------------------------------------------------------- */

static struct op2i_replaced *replaced_of(op2_context ctx, enum op2i_kind kind) {
  return &ctx->replaced[kind == OP2I_GBL];
}

/* Programs with temporaries come here for each of them: it takes neither the lock of the process nor
 * the allocator's lists, and memory that a core still has in its cache. */
void *op2i_object_room(op2_context ctx, enum op2i_kind kind, size_t bytes) {
  struct op2i_replaced *replaced = replaced_of(ctx, kind);
  void *room = replaced->memory[replaced->at];
  replaced->memory[replaced->at] = NULL;
  if (!room) room = op2i_malloc(bytes);
  return room ? memset(room, 0, bytes) : NULL;
}

static void keep_replaced(op2_context ctx, struct op2i_object *o) {
  struct op2i_replaced *replaced = replaced_of(ctx, op2i_object_kind(o));
  void **oldest = &replaced->memory[replaced->at];
  if (*oldest) op2i_free_deferred(OP2I_DEFERRED_OBJECT, *oldest);
  *oldest = o;
  replaced->at = (replaced->at + 1) % OP2I_REPLACED;
}

void op2i_objects_free_replaced(op2_context ctx) {
  for (size_t k = 0; k < sizeof ctx->replaced / sizeof *ctx->replaced; k++)
    for (int i = 0; i < OP2I_REPLACED; i++)
      if (ctx->replaced[k].memory[i])
        op2i_free_deferred(OP2I_DEFERRED_OBJECT, ctx->replaced[k].memory[i]);
}

/* ---- objects --------------------------------------------------------------------------------- */

op2_status op2i_object_init(void *object, op2_context ctx, enum op2i_kind kind, const char *name,
                            void (*release)(void *object)) {
  struct op2i_object *o = object;
  char room[OP2I_NAME_ROOM];
  o->name = copy_name(o, op2i_object_name(ctx, kind, name, room));
  o->nameless = !name || !*name || is_own_name(ctx, kind, name);
  int64_t id = op2i_next_id(ctx);
  if (!o->name) return op2i_error_nomem(kind_name(kind));
  o->magic = (uint32_t)OP2I_OBJECT_MAGIC + kind;
  o->refs = 1;
  o->ctx = ctx;
  o->id = id;
  o->release = release;
  o->made = ctx->comm && ctx->comm->trail ? (uint64_t)ctx->comm->trail->number : 0;
  ctx->refs++;
  op2i_list_append(&ctx->objects, &o->link, o);
  return OP2_SUCCESS;
}

enum op2i_kind op2i_object_kind(const struct op2i_object *object) {
  return (enum op2i_kind)(object->magic & 0xff);
}

static bool inside_operation(op2_context ctx) { return ctx->records && ctx->records->inside; }

/* True if the object awaits release, and is thus still valid. The call that made the queue run may
 * use it again, and the program cannot know when the function has run. */
static bool awaits_release(const struct op2i_object *object) {
  const struct op2i_object *o = object->ctx->awaiting_release;
  while (o && o != object) o = o->next_awaiting;
  return o != NULL;
}

op2_status op2i_object_validate(const void *object, enum op2i_kind kind, const char *what) {
  const struct op2i_object *o = object;
  if (!o) return op2i_error(OP2_ERR_ARG, "%s: the %s handle is null", what, kind_name(kind));
  if (o->magic == (uint32_t)GONE + kind || (op2i_object_is(object, kind) && o->given_up &&
                                            !inside_operation(o->ctx) && !awaits_release(o)))
    return op2i_error(OP2_ERR_ARG, "%s: the %s was destroyed, and this is a copy of its handle",
                      what, kind_name(kind));
  if (kind == OP2I_DAT && op2i_object_is(object, OP2I_COMPONENT))
    return op2i_error(OP2_ERR_ARG,
                      "%s: '%s' is a component (op2_dat_component), and this needs the dat itself",
                      what, o->name);
  if (!op2i_object_is(object, kind))
    return op2i_error(OP2_ERR_ARG, "%s: not a %s handle", what, kind_name(kind));
  if (o->ctx->forked) return op2i_error_forked();
  if (o->ctx->finalized)
    return op2i_error(OP2_ERR_STATE, "%s: the context of %s '%s' has ended", what, kind_name(kind),
                      o->name);
  return o->ctx->calling ? op2i_context_allow(o->ctx, what) : OP2_SUCCESS;
}

void *op2i_ref(void *object) {
  struct op2i_object *o = object;
  if (o) o->refs++;
  return object;
}

void op2i_object_forget(void *object) {
  op2_context ctx = ((const struct op2i_object *)object)->ctx;
  op2i_interned_loops.forget(ctx, object);
  op2i_interned_calls.forget(ctx, object);
  op2i_interned_solves.forget(ctx, object);
  op2i_interned_rows.forget(ctx, object);
}

void op2i_object_end_replaced(void *object) {
  struct op2i_object *o = object;
  op2_context ctx = o->ctx;
  op2i_list_remove(&ctx->objects, &o->link);
  o->magic = GONE | (o->magic & 0xff);
  free_name(o);
  keep_replaced(ctx, o);
  op2i_context_unref(ctx);
}

void op2i_object_end(void *object) {
  struct op2i_object *o = object;
  op2_context ctx = o->ctx;
  op2i_list_remove(&ctx->objects, &o->link);
  o->magic = GONE | (o->magic & 0xff);
  o->release(object);
  while (o->users.first) op2i_list_remove(&o->users, o->users.first);
  free_name(o);
  op2i_free_deferred(OP2I_DEFERRED_OBJECT, object);
  op2i_context_unref(ctx);
}

void op2i_unref(void *object) {
  struct op2i_object *o = object;
  if (!o || --o->refs > 0) return;
  if (o->keep && o->keep(object)) {
    o->magic = GONE | (o->magic & 0xff);
    return;
  }
  op2i_object_forget(object);
  op2i_object_end(object);
}

/* Handles of what is interned have been checked before, and copies of this one are to be refused from
 * now on. */
static void note_left(struct op2i_object *o) {
  const enum op2i_kind kind = op2i_object_kind(o);
  if (o->refs <= 1) return;
  o->left = kind == OP2I_DAT || kind == OP2I_GBL;
  if (o->left)
    op2i_interned_loops.left(o->ctx, o);
  else
    o->ctx->objects_left++;
}

bool op2i_object_leave(void *object, enum op2i_kind kind) {
  struct op2i_object *o = object;
  if (!o) return false;
  if (!op2i_object_is(object, kind) || o->given_up) {
    op2i_log(NULL, OP2I_LOG_WARN,
             "a %s handle is destroyed that is none: it was destroyed before, or is another "
             "object's",
             kind_name(kind));
    return false;
  }
  if (o->ctx->forked) return false;
  if (o->lent) {
    o->ctx->lent_destroyed = o;
    op2i_log(o->ctx, OP2I_LOG_WARN,
             "a %s handle is destroyed that the library has lent to an operator's function",
             kind_name(kind));
    return false;
  }
  o->given_up = true;
  if (o->ctx->calling) {
    o->next_awaiting = o->ctx->awaiting_release;
    o->ctx->awaiting_release = o;
    return false;
  }
  note_left(o);
  return true;
}

/* An operation with a nested queue is run by a public call, which may use any object that existed
 * when it began. It does not know objects that were made since then. */
static bool in_use_outside(const struct op2i_object *o) {
  return inside_operation(o->ctx) && o->id <= o->ctx->records->last_id_outside;
}

void op2i_objects_release_awaiting(op2_context ctx) {
  if (!ctx->awaiting_release || ctx->calling || ctx->forked) return;
  struct op2i_object **at = &ctx->awaiting_release;
  while (*at) {
    struct op2i_object *o = *at;
    if (in_use_outside(o)) {
      at = &o->next_awaiting;
      continue;
    }
    *at = o->next_awaiting;
    o->next_awaiting = NULL;
    note_left(o);
    op2i_unref(o);
  }
}

void op2i_kept_free(struct op2i_kept *kept) {
  if (kept->data) kept->free(kept->data);
  *kept = (struct op2i_kept){0};
}

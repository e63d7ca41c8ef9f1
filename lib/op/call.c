/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_call(): checks, the table of distinct calls, and calling the function. */
#include "call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "call_mat.h"
#include "clock.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "loop.h"
#include "loop_validate.h"
#include "mem.h"

struct request {
  const struct op2i_op_kind *kind;
  op2_where where;
  const char *name;
  op2_context ctx;
  op2_call_function function;
  struct op2i_call_data data;
  int nargs;
  const op2_arg *args;
};

/* ---- checks of arguments --------------------------------------------------------------------- */

static op2_status wrong(const struct request *r, op2_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static op2_status wrong(const struct request *r, op2_status status, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return op2i_error(status, "%s:%d: call '%s': %s", r->where.file, r->where.line, r->name, text);
}

/* The text that names the argument is composed only for a failure, since this runs for each call. */
static op2_status check_handle(const struct request *r, int n, enum op2i_kind kind) {
  char what[512];
  if (!op2i_object_validate(r->args[n].object, kind, "")) return OP2_SUCCESS;
  snprintf(what, sizeof what, "%s:%d: call '%s', argument %d", r->where.file, r->where.line,
           r->name, n);
  return op2i_object_validate(r->args[n].object, kind, what);
}

static op2_status check_object(const struct request *r, int n, enum op2i_kind kind) {
  const struct op2i_object *object = r->args[n].object;
  op2_status status = check_handle(r, n, kind);
  if (status) return status;
  if (object->ctx != r->ctx)
    return wrong(r, OP2_ERR_MISMATCH, "argument %d: '%s' belongs to another context", n,
                 object->name);
  if (r->args[n].access < OP2_READ || r->args[n].access > OP2_RW)
    return wrong(r, OP2_ERR_ACCESS, "argument %d ('%s'): calls READ, WRITE or RW what they get", n,
                 object->name);
  if (r->args[n].map || r->args[n].map2 || (kind == OP2I_DAT && r->args[n].idx != OP2_ALL))
    return wrong(r, OP2_ERR_RANGE, "argument %d: %s '%s' through a map: calls get whole %s", n,
                 kind == OP2I_MAT ? "matrix" : "dat", object->name,
                 kind == OP2I_MAT ? "matrices (op2_arg_mat() with null maps)"
                                  : "dats (op2_arg_direct())");
  for (int m = 0; m < n; m++)
    if (r->args[m].object == object)
      return wrong(r, OP2_ERR_ACCESS, "arguments %d and %d are both '%s'", m, n, object->name);
  return OP2_SUCCESS;
}

static op2_status check_value(const struct request *r, int n, double *bytes) {
  const op2_arg *arg = &r->args[n];
  size_t value_bytes = op2i_type_size((op2_type)arg->type);
  if (!arg->value) return wrong(r, OP2_ERR_ARG, "argument %d: op2_arg_val of a null pointer", n);
  if (!value_bytes || arg->dim < 1)
    return wrong(r, OP2_ERR_RANGE,
                 "argument %d: op2_arg_val of %" PRId32 " values of type %" PRId32, n, arg->dim,
                 arg->type);
  *bytes += 16 + (double)arg->dim * (double)value_bytes;
  if (*bytes <= 1 << 30) return OP2_SUCCESS;
  return wrong(r, OP2_ERR_RANGE,
               "the values of op2_arg_val take %.0f bytes, and more than 2^30 "
               "cannot be captured",
               *bytes);
}

static op2_status check_argument(const struct request *r, int n, double *bytes) {
  enum op2i_tag tag;
  if (!op2i_arg_tag(&r->args[n], &tag)) tag = OP2I_TAGS;
  switch (tag) {
  case OP2I_TAG_VAL: return check_value(r, n, bytes);
  case OP2I_TAG_DAT: return check_object(r, n, OP2I_DAT);
  case OP2I_TAG_GBL: return check_object(r, n, OP2I_GBL);
  case OP2I_TAG_MAT: return check_object(r, n, OP2I_MAT);
  default:
    return wrong(r, OP2_ERR_ARG,
                 "argument %d: not made by op2_arg_direct(), op2_arg_mat(), op2_arg_gbl() or "
                 "op2_arg_val()",
                 n);
  }
}

static op2_status check_request(const struct request *r) {
  op2_status status = op2i_context_validate(r->ctx, "op2_call");
  double bytes = 0;
  if (status) return status;
  if (!r->function) return wrong(r, OP2_ERR_ARG, "the function is null");
  if (r->nargs < 0 || (r->nargs > 0 && !r->args)) return wrong(r, OP2_ERR_ARG, "no arguments");
  for (int n = 0; n < r->nargs; n++) {
    status = check_argument(r, n, &bytes);
    if (status)
      return op2i_error_at(status, r->where.file, r->where.line, n,
                           op2i_arg_object_name(&r->args[n]));
  }
  return OP2_SUCCESS;
}

/* ---- the table of calls ---------------------------------------------------------------------- */

static void free_call(struct op2i_user_call *call) {
  if (call->op.ctx->sched) op2i_scheduler.forget(call->op.ctx->sched, &call->op);
  op2i_op_free_tables(&call->op);
  op2i_free(call->name);
  op2i_free(call->key);
  op2i_free(call->args);
  op2i_free(call);
}

static void resolve(struct op2i_user_call *call, const op2_arg *args) {
  struct op2i_op *op = &call->op;
  op->payload_bytes = (int32_t)sizeof(struct op2i_call_data);
  for (int n = 0; n < call->nargs; n++) {
    struct op2i_user_arg *arg = &call->args[n];
    enum op2i_arg_kind kind = op2i_arg_kind(&args[n]);
    *arg = (struct op2i_user_arg){NULL, -1, -1, -1, (op2_access)args[n].access};
    if (args[n].tag == OP2_TAG_MAT_) arg->mat = args[n].object;
    if (kind == OP2I_ARG_VAL) {
      size_t bytes = (size_t)args[n].dim * op2i_type_size((op2_type)args[n].type);
      arg->offset = op->payload_bytes;
      op->payload_bytes += (int32_t)((bytes + 15) / 16 * 16);
    } else if (kind == OP2I_ARG_GBL) {
      arg->gbl = op2i_number_of((void **)op->gbls, &op->ngbls, args[n].object);
      op->gbl_access[arg->gbl] = arg->access;
    } else {
      op2_dat dat = arg->mat ? arg->mat->values : args[n].object;
      arg->dat = op2i_number_of((void **)op->dats, &op->ndats, dat);
      op->dat_access[arg->dat] = arg->access;
    }
  }
}

/* Calls that are not queued are kept only while there are few: a program may make up names, or give
 * each call another number of values. */
static void make_room(op2_context ctx) {
  enum { KEPT = 256 };
  struct op2i_user_call **oldest = NULL;
  int n = 0;
  for (struct op2i_user_call **at = &ctx->calls; *at; at = &(*at)->next, n++)
    if (!(*at)->op.uses) oldest = at;
  if (n < KEPT || !oldest) return;
  struct op2i_user_call *call = *oldest;
  *oldest = call->next;
  free_call(call);
}

static op2_status make_call(const struct request *r, uint64_t hash, struct op2i_user_call **out) {
  struct op2i_user_call *call = op2i_calloc(1, sizeof *call);
  if (!call) return op2i_error_nomem("a call");
  size_t n = (size_t)r->nargs;
  call->op.kind = r->kind;
  call->op.ctx = r->ctx;
  call->hash = hash;
  call->function = r->function;
  call->nargs = r->nargs;
  call->name = op2i_strdup(r->name);
  call->key = op2i_calloc(n + 1, sizeof *call->key);
  call->args = op2i_calloc(n + 1, sizeof *call->args);
  if (!call->name || !call->key || !call->args || op2i_op_tables(&call->op, n + 1)) {
    free_call(call);
    return op2i_error_nomem("a call");
  }
  for (int a = 0; a < r->nargs; a++) {
    call->key[a] = r->args[a];
    call->key[a].value = NULL;
  }
  resolve(call, r->args);
  make_room(r->ctx);
  call->next = r->ctx->calls;
  r->ctx->calls = call;
  *out = call;
  return OP2_SUCCESS;
}

static uint64_t hash_call(op2_call_function function, int nargs, const op2_arg *args) {
  const uint64_t golden = 0x9E3779B97F4A7C15u;
  uint64_t hash = (uintptr_t)function * golden;
  for (int n = 0; n < nargs; n++)
    hash = (hash ^ hash >> 29 ^ (uintptr_t)args[n].object ^ (uint64_t)args[n].access) * golden;
  return hash;
}

static bool same(const struct op2i_user_call *call, const struct request *r, uint64_t hash) {
  if (call->hash != hash || call->op.kind != r->kind || call->function != r->function ||
      call->nargs != r->nargs)
    return false;
  for (int n = 0; n < r->nargs; n++) {
    const op2_arg *a = &call->key[n], *b = &r->args[n];
    if (a->tag != b->tag || a->object != b->object || a->access != b->access || a->map != b->map ||
        a->idx != b->idx || a->dim != b->dim || a->type != b->type)
      return false;
  }
  return strcmp(call->name, r->name) == 0;
}

/* A call that is found was valid when it was made, and its objects still exist. Values are checked
 * each time. */
static op2_status intern(const struct request *r, struct op2i_user_call **out) {
  op2_status status = check_request(r);
  if (status) return status;
  uint64_t hash = hash_call(r->function, r->nargs, r->args);
  struct op2i_user_call *call = r->ctx->calls;
  while (call && !same(call, r, hash)) call = call->next;
  if (!call) status = make_call(r, hash, &call);
  if (!status) status = op2i_op_validate_scopes(r->where, &call->op);
  *out = call;
  return status;
}

static bool names(const struct op2i_user_call *call, const void *object) {
  for (int n = 0; n < call->nargs; n++)
    if (call->key[n].object == object) return true;
  return false;
}

static void forget_calls(op2_context ctx, const void *object) {
  for (struct op2i_user_call **at = &ctx->calls; *at;) {
    struct op2i_user_call *call = *at;
    if (!names(call, object)) {
      at = &call->next;
      continue;
    }
    *at = call->next;
    free_call(call);
  }
}

/* Calls of loop objects that outlive the context stay in use until these end (forget_calls). */
static void free_calls(op2_context ctx) {
  for (struct op2i_user_call **at = &ctx->calls; *at;) {
    struct op2i_user_call *call = *at;
    if (call->op.uses > 0) {
      at = &call->next;
      continue;
    }
    *at = call->next;
    free_call(call);
  }
}

/* ---- calling --------------------------------------------------------------------------------- */

static op2_status lend(struct op2i_user_call *call, struct op2i_version *const *versions,
                       unsigned char *payload, void **values, int *lent) {
  op2_status status = OP2_SUCCESS;
  for (*lent = 0; *lent < call->nargs && !status; *lent += !status) {
    const struct op2i_user_arg *arg = &call->args[*lent];
    void **value = &values[*lent];
    if (arg->mat)
      status = op2i_call_lend_mat(arg->mat, arg->access, (op2_mat_rows **)value);
    else if (arg->dat >= 0 && op2i_call_is_own(&call->op))
      status = op2i_dat_rows(call->op.dats[arg->dat], arg->access, value);
    else if (arg->dat >= 0)
      status = op2i_dat_lend(call->op.dats[arg->dat], arg->access, value);
    else if (arg->gbl >= 0)
      status = op2i_buffer_at(&versions[arg->gbl]->values, OP2I_HOST, arg->access, OP2I_EVERY_ROW,
                              value);
    else
      *value = payload + arg->offset;
  }
  return status;
}

/* Take back what the function was lent. A failure that comes before is kept. */
static op2_status take_back(const struct op2i_user_call *call, void *const *values, int lent,
                            op2_status status) {
  for (int n = 0; n < lent; n++) {
    const struct op2i_user_arg *arg = &call->args[n];
    if (arg->mat) {
      const op2_status stored = op2i_call_take_mat_back(arg->mat, arg->access, values[n]);
      if (!status) status = stored;
    } else if (arg->dat >= 0 && !op2i_call_is_own(&call->op)) {
      op2i_dat_take_back(call->op.dats[arg->dat], op2i_modifies(arg->access));
    }
  }
  return status;
}

struct op2i_fp_scope *op2i_call_window(const struct op2i_user_call *call) {
  return call->op.kind == &op2i_user_call_kind ? op2i_fp_window_open() : NULL;
}

static int call_function(const struct op2i_user_call *call, void *data, void *const *values) {
  struct op2i_fp_scope *scope = op2i_call_window(call);
  int answer = call->function(data, values);
  op2i_fp_window_close(scope, true);
  return answer;
}

/* Call the function with what a node has captured. A result other than 0 is an OP2_ERR_CALL. */
static op2_status run(struct op2i_op *op, struct op2i_version *const *versions,
                      unsigned char *payload) {
  struct op2i_user_call *call = op2i_op_call(op);
  op2_context ctx = op->ctx;
  struct op2i_call_data captured;
  void *few[32], **values = few;
  int lent = 0, answer = 0;
  if (call->nargs > 32) values = op2i_malloc((size_t)call->nargs * sizeof *values);
  if (!values) return op2i_error_nomem("a call's arguments");
  memcpy(&captured, payload, sizeof captured);
  op2_status status = lend(call, versions, payload, values, &lent);
  if (!status) {
    double start = op2i_seconds();
    ctx->calling = call->name;
    if (ctx->backend->call)
      status = ctx->backend->call(call, captured.data, values, &answer);
    else
      answer = call_function(call, captured.data, values);
    ctx->calling = NULL;
    call->seconds += op2i_seconds() - start;
    call->times++;
  }
  status = take_back(call, values, lent, status);
  if (values != few) op2i_free(values);
  if (!status && answer) status = op2i_error(OP2_ERR_CALL, "the function returned %d", answer);
  return status;
}

/* A rank whose arguments are not available takes part as well, since others wait for it. */
static op2_status run_joint(struct op2i_op *op, struct op2i_version *const *versions,
                            unsigned char *payload) {
  struct op2i_user_call *call = op2i_op_call(op);
  struct op2i_call_data captured;
  struct op2i_error_kept failure;
  void *values[2] = {NULL, NULL};
  int lent = 0;
  memcpy(&captured, payload, sizeof captured);
  op2_status status = lend(call, versions, payload, values, &lent);
  if (status) {
    op2i_error_keep(&failure);
    values[0] = NULL;
  }
  const double start = op2i_seconds();
  const op2_status joint = (op2_status)call->function(captured.data, values);
  call->seconds += op2i_seconds() - start;
  call->times++;
  if (joint || !status) return joint;
  op2i_error_restore(&failure);
  return status;
}

/* ---- the operation in the queue -------------------------------------------------------------- */

static void use(struct op2i_op *op) {
  const struct op2i_user_call *call = op2i_op_call(op);
  if (op->uses++ > 0) return;
  for (int d = 0; d < op->ndats; d++) op->dats[d]->obj.refs++;
  for (int g = 0; g < op->ngbls; g++) op->gbls[g]->obj.refs++;
  for (int a = 0; a < call->nargs; a++) op2i_ref(call->args[a].mat);
}

/* The last reference to an object frees the call as well (forget_calls). */
static void unuse(struct op2i_op *op) {
  const struct op2i_user_call *call = op2i_op_call(op);
  if (--op->uses > 0) return;
  int n = 0;
  const int most = op->ndats + op->ngbls + call->nargs;
  void *few[32], **objects = few;
  if (most > 32) objects = op2i_malloc((size_t)most * sizeof *objects);
  if (!objects) return; /* the references stay: a leak, never a dangling handle */
  for (int d = 0; d < op->ndats; d++) objects[n++] = op->dats[d];
  for (int g = 0; g < op->ngbls; g++) objects[n++] = op->gbls[g];
  for (int a = 0; a < call->nargs; a++) objects[n++] = call->args[a].mat;
  for (int i = 0; i < n; i++) op2i_unref(objects[i]);
  if (objects != few) op2i_free(objects);
}

/* Call the program's function that destroys data. As in the function of a call, nothing of the context
 * can be used meanwhile: the queue may be in the middle of a change. A null context is none. */
static void destroy_data(op2_context ctx, const char *name, struct op2i_call_data data) {
  struct op2i_error_kept kept;
  if (!data.destroy) return;
  const char *calling = ctx ? ctx->calling : NULL;
  struct op2i_fp_scope *scope = op2i_fp_window_open();
  op2i_error_keep(&kept);
  if (ctx) ctx->calling = name;
  data.destroy(data.data);
  if (ctx) ctx->calling = calling;
  op2i_error_restore(&kept);
  op2i_fp_window_close(scope, true);
}

static void drop(struct op2i_op *op, const unsigned char *payload) {
  struct op2i_call_data data;
  memcpy(&data, payload, sizeof data);
  destroy_data(op->ctx, op2i_op_call(op)->name, data);
}

static void describe(const struct op2i_op *op, struct op2i_text *text) {
  op2i_text_add(text, "call '%s'", ((const struct op2i_user_call *)op)->name);
}

const struct op2i_op_kind op2i_user_call_kind = {.name = "call",
                                                 .in_order = true,
                                                 .use = use,
                                                 .unuse = unuse,
                                                 .drop = drop,
                                                 .describe = describe,
                                                 .run = run};
const struct op2i_op_kind op2i_own_call_kind = {
    .name = "call", .use = use, .unuse = unuse, .describe = describe, .run = run};
const struct op2i_op_kind op2i_joint_call_kind = {.name = "call",
                                                  .joint = true,
                                                  .use = use,
                                                  .unuse = unuse,
                                                  .describe = describe,
                                                  .run = run_joint};

/* ---- queueing -------------------------------------------------------------------------------- */

/* *queued: a node has the data, and drops it. */
static op2_status queue(const struct request *r, bool *queued) {
  struct op2i_user_call *call = NULL;
  op2_context ctx = r->ctx;
  op2_status status = intern(r, &call);
  if (status == OP2_ERR_NOMEM) return op2i_context_abort_ranks(ctx, status);
  if (status) return status;
  unsigned char *payload = op2i_malloc((size_t)call->op.payload_bytes);
  if (!payload) return op2i_context_abort_ranks(ctx, op2i_error_nomem("a call's values"));
  memcpy(payload, &r->data, sizeof r->data);
  for (int n = 0; n < r->nargs; n++)
    if (call->args[n].offset >= 0)
      memcpy(payload + call->args[n].offset, r->args[n].value,
             (size_t)r->args[n].dim * op2i_type_size((op2_type)r->args[n].type));
  use(&call->op);
  const int64_t number = op2i_scheduler.next(ctx->sched);
  status = op2i_scheduler.enqueue(ctx->sched, &call->op, r->where, payload,
                                  ctx->config.eager ? OP2I_EAGER : OP2I_LATER);
  *queued = op2i_scheduler.next(ctx->sched) != number;
  unuse(&call->op);
  op2i_free(payload);
  return status;
}

op2_status op2_call_owned_at(op2_where where, const char *name, op2_context ctx,
                             op2_call_function function, void *data, op2_destroy_function destroy,
                             int nargs, const op2_arg *args) {
  if (!where.file) where.file = "?";
  const struct request r = {
      &op2i_user_call_kind, where, name ? name : "?", ctx, function, {data, destroy}, nargs, args};
  bool queued = false;
  op2_status status = queue(&r, &queued);
  if (!queued) destroy_data(op2_initialised(ctx) ? ctx : NULL, r.name, r.data);
  if (op2_initialised(ctx)) op2i_objects_release_awaiting(ctx);
  return status;
}

op2_status op2_call_at(op2_where where, const char *name, op2_context ctx,
                       op2_call_function function, void *data, int nargs, const op2_arg *args) {
  return op2_call_owned_at(where, name, ctx, function, data, NULL, nargs, args);
}

op2_status op2i_call_own(op2_where where, const char *name, op2_context ctx,
                         op2_call_function function, void *data, int nargs, const op2_arg *args) {
  const struct request r = {&op2i_own_call_kind, where, name, ctx, function,
                            {.data = data},      nargs, args};
  bool queued;
  return queue(&r, &queued);
}

op2_status op2i_call_joint_make(op2_where where, const char *name, op2_context ctx,
                                op2_call_function function, int nargs, const op2_arg *args,
                                struct op2i_user_call **out) {
  const struct request r = {.kind = &op2i_joint_call_kind,
                            .where = where,
                            .name = name,
                            .ctx = ctx,
                            .function = function,
                            .nargs = nargs,
                            .args = args};
  op2_status status = intern(&r, out);
  if (!status) use(&(*out)->op);
  return status;
}

op2_status op2i_call_joint_queue(op2_where where, struct op2i_user_call *call, void *data,
                                 enum op2i_wish wish) {
  const struct op2i_call_data payload = {.data = data};
  return op2i_scheduler.enqueue(call->op.ctx->sched, &call->op, where,
                                (const unsigned char *)&payload, wish);
}

void op2i_call_joint_unuse(struct op2i_user_call *call) { unuse(&call->op); }

/* Calls are checked each time that they are queued, so those with destroyed objects are not found. */
static void pass_on_calls(op2_context ctx, void *object, void *successor) {
  for (struct op2i_user_call *call = ctx->calls; call; call = call->next) {
    if (!names(call, object)) continue;
    for (int n = 0; n < call->nargs; n++)
      if (call->key[n].object == object) call->key[n].object = successor;
    for (int d = 0; d < call->op.ndats; d++)
      if (call->op.dats[d] == object) call->op.dats[d] = successor;
    for (int g = 0; g < call->op.ngbls; g++)
      if (call->op.gbls[g] == object) call->op.gbls[g] = successor;
    call->hash = hash_call(call->function, call->nargs, call->key);
    call->op.digest = 0;
  }
}

const struct op2i_interned op2i_interned_calls = {
    .forget = forget_calls, .free = free_calls, .pass_on = pass_on_calls};

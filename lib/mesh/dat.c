/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats: creation, with the library's memory or the program's, and access to values from the host by
 * scopes and copies, in the user's order. */
#include "access.h"
#include "component.h"
#include "context.h"
#include "error.h"
#include "exchange.h"
#include "fpenv.h"
#include "mem.h"
#include "mesh.h"
#include "op2/hold.h"
#include "recycle.h"
#include "rows.h"
#include "wrapped.h"

static size_t total_bytes(op2_dat dat) {
  return (size_t)dat->set->ends[OP2I_NONEXEC] * dat->row_bytes;
}

/* Get the values in host memory. The caller has forced the loops that they depend on. */
static op2_status on_host(op2_dat dat, op2_access access, unsigned rows, void **data) {
  op2_status status = op2i_buffer_at(&dat->values, OP2I_HOST, access, rows, data);
  if (status != OP2_ERR_NOMEM) return status;
  return op2i_error(OP2_ERR_NOMEM, "out of memory for dat '%s'", dat->obj.name);
}

/* ---- the user's order ------------------------------------------------------------------------ */

/* Copy the first n rows to the user's order. They are those of whole sections, which renumbering
 * does not mix. */
static void export_rows(op2_dat dat, int64_t n, const void *host, void *out) {
  int threads = op2_workers(dat->obj.ctx);
  if (dat->set->number)
    op2i_rows_scatter(threads, n, dat->set->number, dat->row_bytes, host, out);
  else
    op2i_rows_copy(threads, n, dat->row_bytes, host, out);
}

static void import_rows(op2_dat dat, int64_t n, const void *in, void *host) {
  int threads = op2_workers(dat->obj.ctx);
  if (dat->set->number)
    op2i_rows_gather(threads, n, dat->set->number, dat->row_bytes, in, host);
  else
    op2i_rows_copy(threads, n, dat->row_bytes, in, host);
}

/* Put the values back into the user's memory for good: no loop will follow. While a write scope is
 * open, the user's memory already is the view and is left alone. A wrapped dat always has memory on
 * the host, so that this allocates none. */
static void come_home(op2_dat dat) {
  void *data;
  if (on_host(dat, OP2_READ, OP2I_EVERY_ROW, &data) || data == dat->wrapped) return;
  if (!dat->open_writes) export_rows(dat, dat->set->ends[OP2I_NONEXEC], data, dat->wrapped);
  op2i_buffer_replace(&dat->values, dat->wrapped, true);
}

void op2i_dats_come_home(op2_context ctx) {
  for (op2_dat dat = ctx->wrapped; dat; dat = dat->next_wrapped) come_home(dat);
}

static void release_dat(void *object) {
  op2_dat dat = object;
  op2i_list_remove(&dat->set->dats, &dat->link);
  op2i_list_remove(&dat->obj.ctx->dats, &dat->link_of_all);
  dat->obj.ctx->open_scopes -= dat->open_reads + dat->open_writes;
  if (dat->view != dat->wrapped) op2i_free_data(dat->view);
  if (dat->wrapped) {
    come_home(dat);
    if (dat->prev_wrapped)
      dat->prev_wrapped->next_wrapped = dat->next_wrapped;
    else
      dat->obj.ctx->wrapped = dat->next_wrapped;
    if (dat->next_wrapped) dat->next_wrapped->prev_wrapped = dat->prev_wrapped;
  }
  if (dat->shared) {
    op2i_unref(dat->shared->value);
    op2i_unref(dat->shared->sum);
    op2i_unref(dat->shared->copy);
    op2i_unref(dat->shared->add);
    op2i_free(dat->shared);
  }
  op2i_buffer_free(&dat->values);
  op2i_resource_clear(&dat->res);
  if (!dat->spare) op2i_unref(dat->set);
}

static op2_status check_dat(op2_set set, int dim, op2_type type, const char *name) {
  op2_status status = op2i_object_validate(set, OP2I_SET, "op2_dat_create");
  if (status) return status;
  if (set->base != set)
    return op2i_error(OP2_ERR_ARG, "dat '%s': '%s' is a subset; dats are declared on sets", name,
                      set->obj.name);
  if (dim < 1) return op2i_error(OP2_ERR_ARG, "dat '%s': dim %d is not positive", name, dim);
  size_t size = op2i_type_size(type);
  if (!size) return op2i_error(OP2_ERR_TYPE, "dat '%s': %d is not an op2_type", name, (int)type);
  size_t bytes; /* no quotient, which takes long */
  if (__builtin_mul_overflow((size_t)dim * size << 8, (size_t)set->ends[OP2I_NONEXEC], &bytes))
    return op2i_error(OP2_ERR_NOMEM, "dat '%s' is larger than memory", name);
  return OP2_SUCCESS;
}

static op2_status make_dat(op2_set set, int dim, op2_type type, const char *name, op2_dat *out) {
  op2_dat dat = op2i_object_room(set->obj.ctx, OP2I_DAT, sizeof *dat);
  if (!dat) return op2i_error_nomem("a dat");
  op2_status status = op2i_object_init(dat, set->obj.ctx, OP2I_DAT, name, release_dat);
  if (status) {
    op2i_free(dat);
    return status;
  }
  dat->set = op2i_ref(set);
  dat->dim = dim;
  dat->type = type;
  dat->row_bytes = (size_t)dim * op2i_type_size(type);
  op2i_buffer_init(&dat->values, set->obj.ctx, total_bytes(dat),
                   (size_t)set->ends[OP2I_OWNED] * dat->row_bytes, true);
  op2i_list_append(&set->dats, &dat->link, dat);
  op2i_list_append(&set->obj.ctx->dats, &dat->link_of_all, dat);
  status = op2i_resource_init(&dat->res, set->obj.ctx);
  if (status)
    op2i_unref(dat);
  else
    *out = dat;
  return status;
}

static op2_status create(op2_set set, int dim, op2_type type, const char *name, op2_dat *dat) {
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(op2i_object_context(set, OP2I_SET), OP2I_DAT, name, room);
  op2_status status = check_dat(set, dim, type, name);
  return status ? status : make_dat(set, dim, type, name, dat);
}

op2_status op2i_dat_create_alone(op2_set set, int dim, op2_type type, const char *name,
                                 op2_dat *dat) {
  op2_status status = create(set, dim, type, name, dat);
  if (!status) op2i_object_own(*dat);
  return status;
}

/* Give a new dat its first values. */
static op2_status fill(op2_dat dat, const void *data) {
  void *host;
  op2_status status = on_host(dat, OP2_WRITE, OP2I_EVERY_ROW, &host);
  if (status) return status;
  import_rows(dat, dat->set->ends[OP2I_NONEXEC], data, host);
  op2i_dat_make_stale(dat);
  return OP2_SUCCESS;
}

/* Record a declaration in the trail by which ranks compare their calls. Without one, digests are not
 * computed. */
static void trail_name(op2_set set, const char *call, const char *name) {
  if (op2i_object_is(set, OP2I_SET) && op2i_context_trail(set->obj.ctx))
    op2i_object_call(set, OP2I_SET, call, name, op2i_digest_text(0, name));
}

static void trail_shape(op2_set set, const char *call, const struct op2_dat_s *dat) {
  const int32_t shape[] = {dat->dim, (int32_t)dat->type};
  if (op2i_context_trail(set->obj.ctx))
    op2i_object_call(set, OP2I_SET, call, dat->obj.name, op2i_digest_bytes(0, shape, sizeof shape));
}

/* Hand out the new dat on all ranks, or on none if one of them failed. It succeeds the spare, if
 * that is not null. */
static op2_status give(op2_set set, op2_status status, op2_dat dat, void *spare, const char *call,
                       op2_dat *out) {
  if (op2i_object_is(set, OP2I_SET)) status = op2i_context_agree(set->obj.ctx, status);
  bool equal = true;
  if (!status && set->obj.ctx->comm)
    status = op2i_context_alike_from(set->obj.ctx, "dat", dat->obj.name, "dim", dat->dim, dat->type,
                                     op2i_spare_made(spare), &equal);
  if (status) {
    op2_dat_destroy(&dat);
    return status;
  }
  trail_shape(set, call, dat);
  op2i_spare_succeed(spare, dat, equal);
  *out = dat;
  return status;
}

op2_status op2_dat_create(op2_set set, int dim, op2_type type, const void *data, const char *name,
                          op2_dat *out) {
  op2_dat dat = NULL;
  trail_name(set, "op2_dat_create", name);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_dat_create: where to put the dat is null");
  op2_status status = create(set, dim, type, name, &dat);
  void *spare = status ? NULL : op2i_dat_predecessor(dat);
  if (!status && data) status = fill(dat, data);
  status = give(set, status, dat, spare, "op2_dat_create", out);
  if (!status) op2i_dat_recycle(dat);
  return status;
}

static op2_status wrap(op2_set set, int dim, op2_type type, void *data, const char *name,
                       op2_dat *out) {
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(op2i_object_context(set, OP2I_SET), OP2I_DAT, name, room);
  op2_status status = check_dat(set, dim, type, name);
  if (status) return status;
  status = op2i_wrapped_check(set->obj.ctx, "dat", name, data,
                              (size_t)set->ends[OP2I_NONEXEC] * (size_t)dim * op2i_type_size(type),
                              type);
  if (status) return status;
  op2_dat dat = NULL;
  void *host;
  status = make_dat(set, dim, type, name, &dat);
  if (status) return status;
  if (!set->number) {
    op2i_buffer_replace(&dat->values, data, true);
  } else {
    status = on_host(dat, OP2_WRITE, OP2I_EVERY_ROW, &host);
    if (status) {
      op2i_unref(dat);
      return status;
    }
    import_rows(dat, set->ends[OP2I_NONEXEC], data, host);
  }
  op2i_dat_make_stale(dat);
  dat->wrapped = data;
  dat->next_wrapped = set->obj.ctx->wrapped;
  if (dat->next_wrapped) dat->next_wrapped->prev_wrapped = dat;
  set->obj.ctx->wrapped = dat;
  *out = dat;
  return OP2_SUCCESS;
}

op2_status op2_dat_wrap(op2_set set, int dim, op2_type type, void *data, const char *name,
                        op2_dat *out) {
  op2_dat dat = NULL;
  trail_name(set, "op2_dat_wrap", name);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_dat_wrap: where to put the dat is null");
  op2_status status = wrap(set, dim, type, data, name, &dat);
  return give(set, status, dat, NULL, "op2_dat_wrap", out);
}

bool op2_dat_allocated(op2_dat dat) {
  return op2i_object_is(dat, OP2I_DAT) && op2i_buffer_has_memory(&dat->values);
}

void op2_dat_destroy(op2_dat *dat) {
  if (!dat) return;
  const bool component = op2i_object_is(*dat, OP2I_COMPONENT);
  if (op2i_object_leave(*dat, component ? OP2I_COMPONENT : OP2I_DAT)) op2i_unref(*dat);
  *dat = NULL;
}

/* ---- access from the host -------------------------------------------------------------------- */

static op2_status check_access(op2_dat dat, const void *pointer, const char *call) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, call);
  if (status) return status;
  if (!pointer) return op2i_error(OP2_ERR_ARG, "%s: dat '%s': a null pointer", call, dat->obj.name);
  return op2i_context_validate(dat->obj.ctx, call);
}

/* Run the loops that an access depends on, fail if the values are poisoned, and return them in host
 * memory. */
static op2_status acquire(op2_dat dat, op2_access access, unsigned rows, const char *call,
                          void **data) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_scheduler.force(dat->obj.ctx->sched, &dat->res, op2i_modifies(access),
                                           call, dat->obj.name);
  if (!status) status = op2i_resource_report(&dat->res);
  if (!status && rows & OP2I_HALO_ROWS) status = op2i_dat_freshen(dat);
  return status ? status : on_host(dat, access, rows, data);
}

/* A scope shows the storage itself or, if the set is renumbered, the values in the user's order in
 * other memory. */
static op2_status open_view(op2_dat dat, void *storage, void **data) {
  if (dat->set->number && !dat->view) {
    dat->view = dat->wrapped ? dat->wrapped : op2i_alloc_data(total_bytes(dat));
    if (!dat->view)
      return op2i_error(OP2_ERR_NOMEM, "out of memory for a view of dat '%s'", dat->obj.name);
    export_rows(dat, dat->set->ends[OP2I_NONEXEC], storage, dat->view);
  }
  *data = dat->view ? dat->view : storage;
  return OP2_SUCCESS;
}

static void close_view(op2_dat dat) {
  if (dat->view != dat->wrapped) op2i_free_data(dat->view);
  dat->view = NULL;
}

const void *op2_dat_hold(op2_dat dat) {
  if (!op2i_object_is(dat, OP2I_DAT) || dat->wrapped) return NULL;
  void *data = dat->view ? dat->view : dat->values.at[OP2I_HOST];
  op2i_hold_data(data);
  return data;
}

void op2_memory_release(const void **memory) {
  if (!memory) return;
  op2i_free_data((void *)(uintptr_t)*memory);
  *memory = NULL;
}

/* Copy a view back into the host memory that it was made from. */
static void keep_view(op2_dat dat) {
  if (dat->view)
    import_rows(dat, dat->set->ends[OP2I_NONEXEC], dat->view, dat->values.at[OP2I_HOST]);
}

op2_status op2i_dat_rows(op2_dat dat, op2_access access, void **data) {
  return on_host(dat, access, OP2I_EVERY_ROW, data);
}

op2_status op2i_dat_lend(op2_dat dat, op2_access access, void **data) {
  op2_status status = op2i_dat_rows(dat, access, data);
  return status ? status : open_view(dat, *data, data);
}

void op2i_dat_take_back(op2_dat dat, bool modified) {
  if (modified) keep_view(dat);
  if (!dat->open_reads && !dat->open_writes) close_view(dat);
}

op2_status op2_dat_read_begin(op2_dat dat, const void **out) {
  op2i_object_call(dat, OP2I_DAT, "op2_dat_read_begin", NULL, 0);
  op2_status status = check_access(dat, out, "op2_dat_read_begin");
  if (status) return status;
  if (dat->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_dat_read_begin: dat '%s' is open for writing",
                      dat->obj.name);
  void *data = NULL;
  status = acquire(dat, OP2_READ, OP2I_EVERY_ROW, "op2_dat_read_begin", &data);
  if (!status) status = open_view(dat, data, &data);
  if (status) return status;
  dat->open_reads++;
  dat->opened_by = "op2_dat_read";
  dat->obj.ctx->open_scopes++;
  *out = data;
  return OP2_SUCCESS;
}

op2_status op2_dat_read_end(op2_dat dat, const void **data) {
  op2_status status = check_access(dat, data, "op2_dat_read_end");
  if (status) return status;
  if (!dat->open_reads)
    return op2i_error(OP2_ERR_STATE, "op2_dat_read_end: dat '%s' is not open for reading",
                      dat->obj.name);
  if (--dat->open_reads == 0) close_view(dat);
  dat->obj.ctx->open_scopes--;
  *data = NULL;
  return OP2_SUCCESS;
}

op2_status op2_dat_write_begin(op2_dat dat, void **out) {
  op2i_object_call(dat, OP2I_DAT, "op2_dat_write_begin", NULL, 0);
  op2_status status = check_access(dat, out, "op2_dat_write_begin");
  if (status) return status;
  if (dat->open_reads || dat->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_dat_write_begin: dat '%s' is already open",
                      dat->obj.name);
  void *data = NULL;
  dat->changes++;
  status = acquire(dat, OP2_RW, OP2I_EVERY_ROW, "op2_dat_write_begin", &data);
  op2i_dat_make_stale(dat); /* on all ranks alike, even if one lacks memory */
  if (!status) status = open_view(dat, data, &data);
  if (status) return status;
  dat->open_writes++;
  dat->opened_by = "op2_dat_write";
  dat->obj.ctx->open_scopes++;
  *out = data;
  return OP2_SUCCESS;
}

op2_status op2_dat_write_end(op2_dat dat, void **data) {
  op2_status status = check_access(dat, data, "op2_dat_write_end");
  if (status) return status;
  if (!dat->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_dat_write_end: dat '%s' is not open for writing",
                      dat->obj.name);
  keep_view(dat);
  close_view(dat);
  dat->open_writes--;
  dat->obj.ctx->open_scopes--;
  *data = NULL;
  return OP2_SUCCESS;
}

static op2_status not_open(op2_dat dat, op2_access access, const char *call) {
  bool writes = op2i_modifies(access);
  if (!dat->open_writes && !(writes && dat->open_reads)) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_STATE, "%s: dat '%s' is already open%s", call, dat->obj.name,
                    writes ? "" : " for writing");
}

op2_status op2i_dat_open(op2_dat dat, op2_access access, const char *call, void **rows) {
  OP2I_FP_DEFAULT;
  op2_status status = check_access(dat, rows, call);
  if (!status) status = not_open(dat, access, call);
  if (status) return status;
  bool writes = op2i_modifies(access);
  if (op2i_overwrites(access)) {
    status = op2i_scheduler.force(dat->obj.ctx->sched, &dat->res, true, call, dat->obj.name);
    if (!status) status = on_host(dat, OP2_WRITE, OP2I_OWNED_ROWS, rows);
    if (!status) op2i_resource_poison(&dat->res, NULL);
  } else
    status = acquire(dat, access, OP2I_OWNED_ROWS, call, rows);
  if (writes) {
    dat->changes++;
    op2i_dat_make_stale(dat); /* on all ranks alike, even if one lacks memory */
  }
  if (status) return status;
  (*(writes ? &dat->open_writes : &dat->open_reads))++;
  dat->opened_by = call;
  dat->obj.ctx->open_scopes++;
  return OP2_SUCCESS;
}

op2_status op2i_dat_close(op2_dat dat, op2_access access, const char *call) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, call);
  if (status) return status;
  int32_t *open = op2i_modifies(access) ? &dat->open_writes : &dat->open_reads;
  if (!*open) return op2i_error(OP2_ERR_STATE, "%s: dat '%s' is not open", call, dat->obj.name);
  (*open)--;
  dat->obj.ctx->open_scopes--;
  return OP2_SUCCESS;
}

static op2_status copy_out(op2_dat dat, void *out, bool halo, const char *call) {
  op2i_object_call(dat, OP2I_DAT, call, NULL, 0);
  op2_status status = check_access(dat, out, call);
  if (status) return status;
  if (dat->open_writes)
    return op2i_error(OP2_ERR_STATE, "%s: dat '%s' is open for writing", call, dat->obj.name);
  void *data = NULL;
  status = acquire(dat, OP2_READ, halo ? OP2I_EVERY_ROW : OP2I_OWNED_ROWS, call, &data);
  if (status) return status;
  export_rows(dat, dat->set->ends[halo ? OP2I_NONEXEC : OP2I_OWNED], data, out);
  return OP2_SUCCESS;
}

static op2_status copy_in(op2_dat dat, const void *in, bool halo, const char *call) {
  OP2I_FP_DEFAULT;
  op2i_object_call(dat, OP2I_DAT, call, NULL, 0);
  op2_status status = check_access(dat, in, call);
  if (status) return status;
  if (dat->open_reads || dat->open_writes)
    return op2i_error(OP2_ERR_STATE, "%s: dat '%s' is open", call, dat->obj.name);
  void *data = NULL;
  /* Poison does not matter to an overwrite: the failure stays on record, and the values become
   * good. */
  dat->changes++;
  status = op2i_scheduler.force(dat->obj.ctx->sched, &dat->res, true, call, dat->obj.name);
  op2i_dat_make_stale(dat); /* on all ranks alike, even if one lacks memory */
  if (!status) status = on_host(dat, OP2_WRITE, halo ? OP2I_EVERY_ROW : OP2I_OWNED_ROWS, &data);
  if (status) return status;
  import_rows(dat, dat->set->ends[halo ? OP2I_NONEXEC : OP2I_OWNED], in, data);
  op2i_resource_poison(&dat->res, NULL);
  return OP2_SUCCESS;
}

/* The owned rows of the dat that a component is of, which the program may have destroyed since. */
static op2_status open_component(op2_dat component, op2_access access, const void *values,
                                 const char *call, void **rows) {
  const op2_dat dat = component->whole;
  op2i_object_call(component, OP2I_COMPONENT, call, NULL, 0);
  op2_status status = op2i_object_validate(component, OP2I_COMPONENT, call);
  if (!status && !values)
    status = op2i_error(OP2_ERR_ARG, "%s: dat '%s': a null pointer", call, component->obj.name);
  if (!status) status = op2i_context_validate(dat->obj.ctx, call);
  if (!status) status = not_open(dat, access, call);
  if (status) return status;
  status = acquire(dat, access, OP2I_OWNED_ROWS, call, rows);
  if (op2i_modifies(access)) {
    dat->changes++;
    op2i_dat_make_stale(dat); /* on all ranks alike, even if one lacks memory */
  }
  return status;
}

static op2_status component_out(op2_dat component, void *out) {
  void *rows = NULL;
  op2_status status = open_component(component, OP2_READ, out, "op2_dat_get", &rows);
  if (!status) op2i_component_copy(component, rows, out, true);
  return status;
}

static op2_status component_in(op2_dat component, const void *in) {
  OP2I_FP_DEFAULT;
  void *rows = NULL;
  op2_status status = open_component(component, OP2_RW, in, "op2_dat_set", &rows);
  if (!status) op2i_component_copy(component, rows, (void *)(uintptr_t)in, false);
  return status;
}

op2_status op2_dat_get(op2_dat dat, void *out) {
  if (op2i_object_is(dat, OP2I_COMPONENT)) return component_out(dat, out);
  return copy_out(dat, out, false, "op2_dat_get");
}
op2_status op2_dat_get_halo(op2_dat dat, void *out) {
  return copy_out(dat, out, true, "op2_dat_get_halo");
}
op2_status op2_dat_set(op2_dat dat, const void *in) {
  if (op2i_object_is(dat, OP2I_COMPONENT)) return component_in(dat, in);
  return copy_in(dat, in, false, "op2_dat_set");
}
op2_status op2_dat_set_halo(op2_dat dat, const void *in) {
  return copy_in(dat, in, true, "op2_dat_set_halo");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The mesh as all ranks see it: owners, global numbers, and reading and writing by these. */
#include <inttypes.h>

#include "block.h"
#include "comm.h"
#include "context.h"
#include "error.h"
#include "exchange.h"
#include "mesh.h"
#include "set.h"

int op2_rank(op2_context ctx) { return op2_initialised(ctx) && ctx->comm ? ctx->comm->rank : 0; }

int op2_ranks(op2_context ctx) { return op2_initialised(ctx) && ctx->comm ? ctx->comm->size : 1; }

/* ---- sets ------------------------------------------------------------------------------------ */

/* In a context without ranks, an element's global number is its own number. */
static op2_status check_alone(const int64_t ends[4], const int64_t *global, const char *name) {
  if (!ends || (ends[OP2I_NONEXEC] > 0 && !global))
    return op2i_error(OP2_ERR_ARG, "set '%s': a null pointer", name);
  if (ends[OP2I_CORE] != ends[OP2I_NONEXEC])
    return op2i_error(OP2_ERR_ARG,
                      "set '%s': the context is alone, so that all elements are core: section ends "
                      "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 " must be equal",
                      name, ends[0], ends[1], ends[2], ends[3]);
  for (int64_t i = 0; i < ends[OP2I_NONEXEC]; i++)
    if (global[i] != i)
      return op2i_error(OP2_ERR_ARG,
                        "set '%s': the context is alone, so that element %" PRId64
                        " has its own number, not the global number %" PRId64,
                        name, i, global[i]);
  return OP2_SUCCESS;
}

op2_status op2_set_create_halo(op2_context ctx, const int64_t ends[4], const int64_t *global,
                               const int32_t *owner, const char *name, op2_set *set) {
  op2_status status = op2i_context_validate(ctx, "op2_set_create_halo");
  if (status) return status;
  op2i_context_call(ctx, "op2_set_create_halo", name, op2i_digest_text(0, name), 0);
  if (ctx->comm) return op2i_set_create_halo(ctx, ends, global, owner, name, set);
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(ctx, OP2I_SET, name, room);
  status = check_alone(ends, global, name);
  return status ? status : op2_set_create_sections(ctx, ends, name, set);
}

int64_t op2_set_global_size(op2_set set) {
  if (!op2i_object_is(set, OP2I_SET)) return -1;
  return set->base->halo ? set->base->halo->global_size : set->base->ends[OP2I_NONEXEC];
}

op2_status op2_set_global(op2_set set, int64_t *number) {
  op2_status status = op2i_object_validate(set, OP2I_SET, "op2_set_global");
  if (status) return status;
  if (!number) return op2i_error(OP2_ERR_ARG, "op2_set_global: a null pointer");
  if (set->base != set)
    return op2i_error(OP2_ERR_ARG, "op2_set_global: '%s' is a subset of '%s'", set->obj.name,
                      set->base->obj.name);
  for (int64_t i = 0; i < set->ends[OP2I_NONEXEC]; i++)
    number[i] = set->halo ? op2i_halo_number(set->halo, i) : i;
  return OP2_SUCCESS;
}

/* ---- values by global number ----------------------------------------------------------------- */

/* Ranks are about to wait for each other, so a failure on one rank is returned on all. */
static op2_status agree_on_dat(op2_dat dat, op2_status status) {
  struct op2i_comm *comm = op2i_object_is(dat, OP2I_DAT) ? dat->obj.ctx->comm : NULL;
  return comm ? op2i_comm_agree(comm, status) : status;
}

static op2_status check_block(op2_dat dat, int64_t n, const void *pointer, const char *call) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, call);
  if (status) return status;
  if (n > 0 && !pointer)
    return op2i_error(OP2_ERR_ARG, "%s: dat '%s': a null pointer", call, dat->obj.name);
  return op2i_context_validate(dat->obj.ctx, call);
}

/* Without ranks, elements of the halo sections have numbers as well. */
static unsigned rows_of(const struct op2_dat_s *dat) {
  return dat->set->halo ? OP2I_OWNED_ROWS : OP2I_EVERY_ROW;
}

static op2_status force(op2_dat dat, bool overwrite, const char *call) {
  op2_status status =
      op2i_scheduler.force(dat->obj.ctx->sched, &dat->res, overwrite, call, dat->obj.name);
  return status ? status : op2i_resource_report(&dat->res);
}

op2_status op2_dat_get_block(op2_dat dat, int64_t first, int64_t n, void *out) {
  static const char call[] = "op2_dat_get_block";
  void *data = NULL;
  op2i_object_call(dat, OP2I_DAT, call, NULL, 0);
  op2_status status = check_block(dat, n, out, call);
  if (!op2i_object_is(dat, OP2I_DAT)) return status;
  if (!status && dat->open_writes)
    status = op2i_error(OP2_ERR_STATE, "%s: dat '%s' is open for writing", call, dat->obj.name);
  status = agree_on_dat(dat, status);
  if (status) return status;
  status = force(dat, false, call);
  if (!status) status = op2i_buffer_at(&dat->values, OP2I_HOST, OP2_READ, rows_of(dat), &data);
  status = agree_on_dat(dat, status);
  return status ? status : op2i_block_get(dat->set, dat->row_bytes, data, first, n, out);
}

op2_status op2_dat_set_block(op2_dat dat, int64_t first, int64_t n, const void *in) {
  static const char call[] = "op2_dat_set_block";
  void *data = NULL;
  op2i_object_call(dat, OP2I_DAT, call, NULL, 0);
  op2_status status = check_block(dat, n, in, call);
  if (!op2i_object_is(dat, OP2I_DAT)) return status;
  if (!status && (dat->open_reads || dat->open_writes))
    status = op2i_error(OP2_ERR_STATE, "%s: dat '%s' is open", call, dat->obj.name);
  status = agree_on_dat(dat, status);
  if (status) return status;
  dat->changes++;
  status = force(dat, true, call);
  if (!status) status = op2i_buffer_at(&dat->values, OP2I_HOST, OP2_RW, rows_of(dat), &data);
  status = agree_on_dat(dat, status);
  if (!status) status = op2i_block_put(dat->set, dat->row_bytes, first, n, in, data);
  if (!status) op2i_dat_make_stale(dat);
  return status;
}

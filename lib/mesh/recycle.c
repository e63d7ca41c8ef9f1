/* SPDX-License-Identifier: BSD-3-Clause */
/* Spares: which destroyed dats and globals are kept, for which new ones, and for how long. */
#include "recycle.h"

#include <string.h>

#include "context.h"
#include "gbl.h"

static struct op2i_object *spare_at(op2_context ctx, int i) { return ctx->spares.list[i]; }

static bool is_dat(const struct op2i_object *spare) { return op2i_object_kind(spare) == OP2I_DAT; }

/* ---- bounds ---------------------------------------------------------------------------------- */

static size_t memory_of(const struct op2i_object *spare) {
  const struct op2_dat_s *dat = (const struct op2_dat_s *)spare;
  return is_dat(spare) && dat->values.spare ? dat->values.bytes : 0;
}

static void take_off(op2_context ctx, int i) {
  struct op2i_spares *spares = &ctx->spares;
  spares->bytes -= memory_of(spare_at(ctx, i));
  spares->n--;
  memmove(&spares->list[i], &spares->list[i + 1], (size_t)(spares->n - i) * sizeof spares->list[0]);
}

static void end_at(op2_context ctx, int i) {
  struct op2i_object *spare = spare_at(ctx, i);
  take_off(ctx, i);
  op2i_object_forget(spare);
  op2i_object_end(spare);
}

void op2i_spares_end(op2_context ctx) {
  while (ctx->spares.n) end_at(ctx, ctx->spares.n - 1);
}

void op2i_spares_end_on(op2_set set) {
  op2_context ctx = set->obj.ctx;
  for (int i = ctx->spares.n - 1; i >= 0; i--)
    if (is_dat(spare_at(ctx, i)) && ((op2_dat)spare_at(ctx, i))->set == set) end_at(ctx, i);
}

/* Free memory of the oldest spares until all together have at most this much. */
static bool limit_memory(op2_context ctx, size_t most) {
  bool freed = false;
  for (int i = 0; i < ctx->spares.n && ctx->spares.bytes > most; i++) {
    const size_t bytes = memory_of(spare_at(ctx, i));
    if (!bytes) continue;
    op2i_buffer_free_spare(&((op2_dat)spare_at(ctx, i))->values);
    ctx->spares.bytes -= bytes;
    freed = true;
  }
  return freed;
}

bool op2i_spares_free_memory(op2_context ctx) { return ctx && limit_memory(ctx, 0); }

/* ---- keeping --------------------------------------------------------------------------------- */

/* In a nested queue nothing is recycled: programs of the queues around it may be running. */
static bool recycles(op2_context ctx) {
  return ctx->config.recycle_mb && !ctx->spares.never && !ctx->finalized && !ctx->fatal &&
         !ctx->records->inside;
}

/* Spares are found by the program's calls alone, so only what it has destroyed itself is kept. Of
 * too many the last ones that were declared stay. So which ones they are does not depend on the
 * order in which they were destroyed, which may differ from rank to rank. */
static bool may_keep(const struct op2i_object *o) {
  const struct op2i_spares *spares = &o->ctx->spares;
  return o->given_up && !o->own && recycles(o->ctx) &&
         (spares->n < OP2I_SPARES || spares->list[0]->id < o->id);
}

static void keep(struct op2i_object *o) {
  op2_context ctx = o->ctx;
  op2i_interned_solves.forget(ctx, o);
  op2i_interned_loops.set_aside(ctx, o);
  if (ctx->spares.n == OP2I_SPARES) end_at(ctx, 0);
  ctx->spares.bytes += memory_of(o);
  int at = ctx->spares.n++;
  for (; at > 0 && spare_at(ctx, at - 1)->id > o->id; at--)
    ctx->spares.list[at] = spare_at(ctx, at - 1);
  ctx->spares.list[at] = o;
}

/* A spare has no values, so it is in no list of dats whose values are moved. It ends with its set, to
 * which it has no reference. */
static bool keep_dat(void *object) {
  op2_dat dat = object;
  if (!may_keep(&dat->obj) || dat->set->obj.given_up) return false;
  if (dat->wrapped || dat->view || dat->open_reads || dat->open_writes) return false;
  if (dat->shared) return false;
  op2i_list_remove(&dat->set->dats, &dat->link);
  op2i_list_remove(&dat->obj.ctx->dats, &dat->link_of_all);
  op2i_resource_clear(&dat->res);
  op2i_buffer_retire(&dat->values);
  dat->spare = true;
  keep(&dat->obj);
  op2i_unref(dat->set);
  limit_memory(dat->obj.ctx, (size_t)dat->obj.ctx->config.recycle_mb << 20);
  return true;
}

static bool keep_gbl(void *object) {
  op2_gbl gbl = object;
  if (!may_keep(&gbl->obj) || gbl->wrapped || gbl->open_reads || gbl->open_writes) return false;
  op2i_version_unref(gbl->version);
  gbl->version = NULL;
  op2i_resource_clear(&gbl->res);
  keep(&gbl->obj);
  return true;
}

void op2i_dat_recycle(op2_dat dat) {
  if (recycles(dat->obj.ctx)) dat->obj.keep = keep_dat;
}

void op2i_gbl_recycle(op2_gbl gbl) {
  if (recycles(gbl->obj.ctx)) gbl->obj.keep = keep_gbl;
}

/* ---- successors ------------------------------------------------------------------------------ */

/* Messages, drawings and explanations name the objects of a loop, so a successor has the same name;
 * or neither of the two was given one. */
static bool same_name(const struct op2i_object *spare, const struct op2i_object *o) {
  if (o->nameless) return spare->nameless;
  /* A name that is not short leaves short_name zero. */
  return !memcmp(spare->short_name, o->short_name, sizeof o->short_name) &&
         (o->short_name[0] || !strcmp(spare->name, o->name));
}

static bool dat_fits(const struct op2i_object *spare, const struct op2i_object *o) {
  const struct op2_dat_s *old = (const struct op2_dat_s *)spare, *dat = (const struct op2_dat_s *)o;
  return is_dat(spare) && old->set == dat->set && old->dim == dat->dim && old->type == dat->type &&
         same_name(spare, o);
}

static bool gbl_fits(const struct op2i_object *spare, const struct op2i_object *o) {
  const struct op2_gbl_s *old = (const struct op2_gbl_s *)spare, *gbl = (const struct op2_gbl_s *)o;
  return !is_dat(spare) && old->dim == gbl->dim && old->type == gbl->type && same_name(spare, o);
}

/* Where several spares fit, the one that was declared first is taken. So the n-th dat of a time step
 * succeeds the n-th of the step before, in whatever order they were destroyed. */
static void *first_that_fits(const struct op2i_object *o,
                             bool (*fits)(const struct op2i_object *spare,
                                          const struct op2i_object *o)) {
  const int n = recycles(o->ctx) ? o->ctx->spares.n : 0;
  for (int i = 0; i < n; i++)
    if (fits(spare_at(o->ctx, i), o)) return spare_at(o->ctx, i);
  return NULL;
}

static void take_memory(op2_dat dat, op2_dat spare) {
  dat->obj.ctx->spares.bytes -= memory_of(&spare->obj);
  op2i_buffer_take_spare(&dat->values, &spare->values);
}

void *op2i_dat_predecessor(op2_dat dat) {
  op2_context ctx = dat->obj.ctx;
  op2_dat found = first_that_fits(&dat->obj, dat_fits);
  if (found) take_memory(dat, found);
  for (int i = 0; i < ctx->spares.n && dat->values.bytes && !dat->values.spare; i++)
    if (memory_of(spare_at(ctx, i)) == dat->values.bytes)
      take_memory(dat, (op2_dat)spare_at(ctx, i));
  return found;
}

void *op2i_gbl_predecessor(op2_gbl gbl) { return first_that_fits(&gbl->obj, gbl_fits); }

int64_t op2i_spare_made(const void *spare) {
  return spare ? (int64_t)((const struct op2i_object *)spare)->made : 0;
}

static void pass_on(op2_context ctx, void *spare, void *successor) {
  int i = 0;
  op2i_interned_loops.pass_on(ctx, spare, successor);
  op2i_interned_calls.pass_on(ctx, spare, successor);
  op2i_scheduler.pass_on(ctx->sched, spare, successor);
  while (spare_at(ctx, i) != spare) i++;
  take_off(ctx, i);
  op2i_object_end_replaced(spare);
}

void op2i_spare_succeed(void *spare, void *successor, bool equal) {
  op2_context ctx = ((struct op2i_object *)successor)->ctx;
  if (!equal)
    op2i_spares_end(ctx);
  else if (spare)
    pass_on(ctx, spare, successor);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums that do not depend on ranks: contributions in place of arguments. */
#include "loop_sums.h"

#include <stdio.h>
#include <string.h>

#include "access.h"
#include "backend.h"
#include "call.h"
#include "component.h"
#include "context.h"
#include "drop.h"
#include "error.h"
#include "gbl.h"
#include "kernel.h"
#include "loop.h"
#include "loop_table.h"
#include "loop_terms.h"
#include "loop_validate.h"
#include "map.h"
#include "mem.h"
#include "sparse.h"

static bool is_real(op2_type type) { return type == OP2_F64 || type == OP2_F32; }

/* ---- finding arguments ----------------------------------------------------------------------- */

static bool is_sum(const op2_arg *arg) {
  if (!op2i_sums((op2_access)arg->access) || !arg->object) return false;
  return arg->tag == OP2_TAG_GBL_ || arg->tag == OP2_TAG_MAT_ ||
         (arg->tag == OP2_TAG_DAT_ && arg->map);
}

bool op2i_sums_among(op2_set set, int nargs, const op2_arg *args) {
  if (!op2i_object_is(set, OP2I_SET) || !set->obj.ctx->config.deterministic || !args) return false;
  for (int n = 0; n < nargs; n++)
    if (is_sum(&args[n])) return true;
  return false;
}

/* ---- contributions to dats and matrices ------------------------------------------------------ */

/* A loop that uses the dat in another way as well keeps element order, whatever is added. */
static bool only_added_to(int nargs, const op2_arg *args, op2_dat dat) {
  bool only = true;
  for (int n = 0; n < nargs; n++)
    if (args[n].tag == OP2_TAG_DAT_ && op2i_dat_whole(args[n].object) == dat)
      only = only && op2i_sums((op2_access)args[n].access);
  return only;
}

/* Replace argument n by one of the dat of a sum. Where several arguments share it, or the loop
 * runs over a subset, or the kernel gets pointers to its rows, or code is not that of the host's
 * workers, the loop adds to it. */
static void give(struct op2i_sums *s, struct op2i_sum *sum, int n, int idx) {
  const op2_context ctx = sum->dat->obj.ctx;
  sum->filled = sum->filled || sum->arg != n || s->subset || ctx->device ||
                ctx->backend->variant == OP2I_CHECKED ||
                (sum->contributions && sum->contributions->own && idx == OP2_ALL);
  s->args[n] = sum->contributions && sum->contributions->own
                   ? op2_arg_dat(sum->dat, idx, sum->contributions->own, OP2_WRITE)
                   : op2_arg_direct(sum->dat, OP2_WRITE);
  if (!sum->filled) return;
  s->args[n].access = OP2_INC;
  s->args[sum->arg].access = OP2_INC;
}

/* Get the kernel that clears the dat of a sum, which is kept at *kept. */
static op2_status need_clear(struct op2i_sum *sum, op2_kernel *kept) {
  char source[160];
  op2_status status = OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void clear(%s *x) {\n  for (int i = 0; i < %d; i++) x[i] = -0.0;\n}\n",
           op2i_type_c(sum->dat->type), (int)sum->dat->dim);
  if (!*kept) status = op2i_kernel_create_own(sum->dat->obj.ctx, "clear", source, kept);
  sum->clear = *kept;
  return status;
}

/* Get a sum into a dat: that of an earlier argument, or a new one. */
static op2_status need_sum(struct op2i_sums *s, const struct op2i_sum *wanted, int32_t dim,
                           struct op2i_sum **out) {
  int before = 0;
  for (int k = 0; k < s->nsums; k++) {
    const struct op2i_sum *sum = &s->sums[k];
    if (sum->contributions != wanted->contributions) continue;
    if (sum->into == wanted->into && sum->through.slot == wanted->through.slot) {
      *out = &s->sums[k];
      return OP2_SUCCESS;
    }
    before += sum->dat->dim == dim && sum->dat->type == wanted->into->type;
  }
  struct op2i_sum sum = *wanted;
  op2_status status = op2i_contributed_need(sum.contributions, (int)dim, sum.into->type, before,
                                            sum.into->obj.name, &sum.contributed);
  if (status) return status;
  sum.dat = sum.contributed->dat;
  s->sums[s->nsums] = sum;
  *out = &s->sums[s->nsums++];
  return OP2_SUCCESS;
}

/* The slots through which a call adds to a dat: arguments that share the map and dat are one sum, in
 * the order of elements and then of slots. */
static struct op2i_added_slots slots_of(int nargs, const op2_arg *args, const op2_arg *arg) {
  struct op2i_added_slots through = {OP2_ALL, 0};
  int count = 0;
  for (int n = 0; n < nargs; n++) {
    if (args[n].tag != OP2_TAG_DAT_ || args[n].object != arg->object) continue;
    if (args[n].map != arg->map) continue;
    through.bits |= op2i_arg_slots(&args[n]);
    count++;
  }
  /* Slots of such maps have no bits. */
  if (arg->idx >= 0 && (count == 1 || arg->map->arity > 64))
    through = (struct op2i_added_slots){arg->idx, 0};
  return through;
}

/* The loop itself adds to the dat, and the second one, by this argument, to contributions. */
static op2_status give_in_place(struct op2i_sums *s, struct op2i_sum *sum, int n, int idx) {
  sum->filled = true;
  s->in_place.args[n] = op2_arg_dat(sum->dat, idx, sum->contributions->own, OP2_INC);
  op2_status status = need_clear(sum, &sum->contributed->clear);
  return status ? status : op2i_in_place_need(sum->contributed, sum->into->set);
}

static op2_status replace_dat(struct op2i_sums *s, int n, const op2_arg *args) {
  const op2_arg *arg = &args[n];
  const op2_dat dat = arg->object; /* or a component, to whose values alone is added */
  struct op2i_sum *sum, wanted = {.into = dat, .map = arg->map, .arg = n};
  struct op2i_contribution_layout layout = {0, 0};
  if (!is_real(dat->type) || !only_added_to(s->nargs, args, op2i_dat_whole(dat)) ||
      op2i_contributions_foreign(arg->map))
    return OP2_SUCCESS;
  op2_status status = OP2_SUCCESS;
  wanted.through = slots_of(s->nargs, args, arg);
  if (wanted.through.slot == OP2_ALL)
    layout = (struct op2i_contribution_layout){arg->map->arity, 1};
  wanted.contributions = s->in_place.contributions;
  if (wanted.contributions)
    wanted.through = (struct op2i_added_slots){OP2_ALL, wanted.contributions->bits};
  else
    status = op2i_contributions_need(arg->map, layout, &wanted.contributions);
  if (!status) status = need_sum(s, &wanted, dat->dim, &sum);
  if (status) return status;
  if (s->in_place.contributions) return give_in_place(s, sum, n, arg->idx);
  give(s, sum, n, arg->idx);
  return sum->filled ? need_clear(sum, &sum->contributed->clear) : OP2_SUCCESS;
}

/* A block of a matrix is packed as a kernel has it, so each of its rows is one of contributions. */
static op2_status replace_mat(struct op2i_sums *s, int n, const op2_arg *arg) {
  const op2_mat mat = arg->object;
  struct op2i_sum *sum, wanted = {.into = mat->values, .through = {OP2_ALL, 0}, .arg = n};
  const struct op2i_contribution_layout layout = {.columns = arg->map2->arity,
                                                  .block_rows = mat->row_dim};
  op2_status status = OP2_SUCCESS;
  if (op2i_contributions_foreign(arg->map)) return OP2_SUCCESS;
  wanted.map = op2i_sparsity_nonzeros(mat->sparsity, arg->map, arg->map2);
  if (arg->value) {
    status = op2i_sparsity_need_dropped(mat->sparsity, arg->map, arg->map2, (op2_set)arg->value,
                                        arg->idx2);
    if (status) return status;
    wanted.map = op2i_sparsity_dropped(mat->sparsity, wanted.map, (op2_set)arg->value, arg->idx2);
  }
  wanted.through.bits = op2i_map_slots(wanted.map, OP2_ALL);
  status = op2i_contributions_need(wanted.map, layout, &wanted.contributions);
  if (!status) status = need_sum(s, &wanted, mat->column_dim, &sum);
  if (status) return status;
  give(s, sum, n, OP2_PACKED);
  return sum->filled ? need_clear(sum, &sum->contributed->clear) : OP2_SUCCESS;
}

/* ---- terms of globals ------------------------------------------------------------------------ */

/* A global may outlive many sets. Forget the terms of those that the program has destroyed. */
static void drop_terms(op2_gbl gbl) {
  int64_t kept = 0;
  for (int64_t k = 0; k < gbl->nterms; k++) {
    const struct op2i_terms terms = gbl->terms[k];
    if (!terms.dat->set->obj.given_up) {
      gbl->terms[kept++] = terms;
      continue;
    }
    op2i_unref(terms.clear);
    op2i_unref(terms.dat);
  }
  gbl->nterms = kept;
}

static op2_status need_terms(op2_gbl gbl, op2_set set, struct op2i_terms **out) {
  const bool nested = set->obj.ctx->records->inside != NULL;
  for (int64_t k = 0; k < gbl->nterms; k++)
    if (gbl->terms[k].dat->set == set && gbl->terms[k].dat->nested == nested) {
      *out = &gbl->terms[k];
      op2i_resource_admit(&(*out)->dat->res);
      return OP2_SUCCESS;
    }
  struct op2i_terms made = {0};
  drop_terms(gbl);
  if (op2i_grow(&gbl->terms, sizeof *gbl->terms, gbl->nterms, &gbl->terms_capacity))
    return op2i_error_nomem("the terms of a sum");
  op2_status status = op2i_dat_create_alone(set, gbl->dim, gbl->type, gbl->obj.name, &made.dat);
  if (status) return status;
  made.dat->from_zero = true;
  made.dat->nested = nested;
  gbl->terms[gbl->nterms] = made;
  *out = &gbl->terms[gbl->nterms++];
  return OP2_SUCCESS;
}

static op2_status replace_gbl(struct op2i_sums *s, int n, op2_set set, const op2_arg *arg) {
  struct op2i_sum sum = {.gbl = arg->object, .arg = n};
  struct op2i_terms *terms = NULL;
  int k = 0;
  if (!is_real(sum.gbl->type)) return OP2_SUCCESS;
  op2_status status = need_terms(sum.gbl, set->base, &terms);
  if (status) return status;
  sum.dat = terms->dat;
  while (k < s->nsums && s->sums[k].dat != sum.dat) k++;
  if (k == s->nsums) s->sums[s->nsums++] = sum;
  give(s, &s->sums[k], n, OP2_ALL);
  return s->sums[k].filled ? need_clear(&s->sums[k], &terms->clear) : OP2_SUCCESS;
}

/* ---- what is queued with the loop ------------------------------------------------------------ */

static op2_status make_fill(const struct op2i_sums *s, struct op2i_sum *sum) {
  const op2_arg arg = op2_arg_direct(sum->dat, OP2_WRITE);
  return op2i_loop_intern(s->where, sum->clear, sum->dat->set, 1, &arg, &sum->fill);
}

static op2_status need_kernel(const struct op2i_sum *sum, int32_t row, op2_kernel *kernel) {
  char source[256];
  const char *type = op2i_type_c(sum->dat->type);
  const int dim = (int)sum->dat->dim;
  if (*kernel) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void add_contributions(%s *y, const %s *x) {\n"
           "  for (int j = 0; j < %d; j++) y[%d + j] += x[j];\n}\n",
           type, type, dim, (int)row * dim);
  return op2i_kernel_create_own(sum->dat->obj.ctx, "add_contributions", source, kernel);
}

/* Make the loop that adds the contributions of all elements to a block row of their targets. */
static op2_status make_add(const struct op2i_sums *s, struct op2i_sum *sum, int row) {
  const struct op2i_addends *addends;
  op2_kernel *kernel = &sum->contributed->add[row];
  op2_status status = op2i_addends_need(sum->map, sum->contributions, sum->through, row, &addends);
  if (!status) status = need_kernel(sum, row, kernel);
  if (status) return status;
  const op2_arg args[] = {op2_arg_direct(sum->into, OP2_RW),
                          op2_arg_dat(sum->dat, OP2I_EACH, addends->entries, OP2_READ)};
  return op2i_loop_intern(s->where, *kernel, addends->targets, 2, args, &sum->add[row]);
}

static op2_status make_copies(const struct op2i_sums *s, struct op2i_sum *sum) {
  const op2_set targets = sum->contributions->addends[0].targets;
  op2_status status =
      op2i_in_place_copy(s->where, sum->contributed, targets, sum->into, false, &sum->save);
  return status ? status
                : op2i_in_place_copy(s->where, sum->contributed, targets, sum->into, true,
                                     &sum->restore);
}

static op2_status make_call(const struct op2i_sums *s, struct op2i_sum *sum) {
  const op2_arg args[] = {op2_arg_direct(sum->dat, OP2_READ), op2_arg_gbl(sum->gbl, OP2_RW)};
  return op2i_call_joint_make(s->where, "exact_sum", sum->dat->obj.ctx, op2i_terms_run, 2, args,
                              &sum->call);
}

/* Ranks agree on what each of these steps gave if a failure is to leave them as they are. Where a
 * call fails on one of them, all ranks stop (op2i_context_abort_ranks). */
static op2_status settle(const struct op2i_sums *s, op2_context ctx, op2_status status) {
  return s->given ? op2i_context_agree(ctx, status) : status;
}

static op2_status make_sum(const struct op2i_sums *s, struct op2i_sum *sum) {
  const op2_context ctx = sum->dat->obj.ctx;
  op2_status status = sum->filled ? make_fill(s, sum) : OP2_SUCCESS;
  if (sum->gbl) return status ? status : make_call(s, sum);
  const int nadd = op2i_block_rows(sum->contributions->layout);
  if (!status) sum->add = op2i_calloc((size_t)nadd, sizeof(struct op2i_loop *));
  if (!status && !sum->add) status = op2i_error_nomem("a loop's arguments");
  if (!status && s->in_place.contributions) status = make_copies(s, sum);
  status = settle(s, ctx, status);
  while (sum->nadd < nadd && !status) {
    status = settle(s, ctx, make_add(s, sum, sum->nadd));
    sum->nadd += !status || sum->add[sum->nadd];
  }
  return status;
}

static op2_status make_sums(struct op2i_sums *s, op2_set set) {
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < s->nsums && !status; k++) {
    const struct op2i_sum *sum = &s->sums[k];
    const char *name = sum->gbl ? sum->gbl->obj.name : sum->into->obj.name;
    const struct op2i_behalf before =
        op2i_context_behalf(set->obj.ctx, "op2_par_loop", name, s->where);
    status = settle(s, set->obj.ctx, make_sum(s, &s->sums[k]));
    op2i_context_behalf_end(set->obj.ctx, before);
  }
  return status;
}

static void free_sum(struct op2i_sum *sum) {
  if (sum->fill) op2i_loop_unuse(sum->fill);
  if (sum->save) op2i_loop_unuse(sum->save);
  if (sum->restore) op2i_loop_unuse(sum->restore);
  for (int row = 0; row < sum->nadd; row++) op2i_loop_unuse(sum->add[row]);
  if (sum->call) op2i_call_joint_unuse(sum->call);
  op2i_free(sum->add);
}

/* ---- replacing arguments --------------------------------------------------------------------- */

static op2_status replace(struct op2i_sums *s, int n, op2_set set, const op2_arg *args) {
  if (args[n].tag == OP2_TAG_GBL_) return replace_gbl(s, n, set, &args[n]);
  return args[n].tag == OP2_TAG_MAT_ ? replace_mat(s, n, &args[n]) : replace_dat(s, n, args);
}

static op2_status replace_all(struct op2i_sums *s, op2_kernel kernel, op2_set set,
                              const op2_arg *args) {
  op2_status status = OP2_SUCCESS;
  const struct op2i_behalf before =
      op2i_context_behalf(set->obj.ctx, "op2_par_loop", kernel->obj.name, s->where);
  status = settle(s, set->obj.ctx, op2i_in_place_open(kernel, set, s->nargs, args, &s->in_place));
  for (int n = 0; n < s->nargs && !status; n++) {
    s->args[n] = args[n];
    if (is_sum(&args[n])) status = settle(s, set->obj.ctx, replace(s, n, set, args));
  }
  if (!status && s->in_place.contributions)
    status = settle(s, set->obj.ctx, op2i_in_place_make(s->where, kernel, s->nargs, &s->in_place));
  op2i_context_behalf_end(set->obj.ctx, before);
  return status ? status : make_sums(s, set);
}

/* The objects that an argument names; null if it has fewer. */
static void objects_of(const op2_arg *arg, void *objects[4]) {
  const bool has = arg->tag == OP2_TAG_DAT_ || arg->tag == OP2_TAG_GBL_ || arg->tag == OP2_TAG_MAT_;
  objects[0] = has ? arg->object : NULL;
  objects[1] = has ? arg->map : NULL;
  objects[2] = has ? arg->map2 : NULL;
  objects[3] = arg->tag == OP2_TAG_MAT_ ? (void *)(uintptr_t)arg->value : NULL;
}

static op2_status keep_given(struct op2i_sums *s, op2_set set, const op2_arg *args) {
  void *objects[4];
  s->given = op2i_calloc((size_t)s->nargs, sizeof *s->given);
  for (int n = 0; n < s->nargs && s->given; n++) {
    s->given[n] = args[n];
    objects_of(&args[n], objects);
    for (int k = 0; k < 4; k++) (void)op2i_ref(objects[k]);
  }
  return op2i_context_agree(set->obj.ctx, s->given && s->args && s->sums
                                              ? OP2_SUCCESS
                                              : op2i_error_nomem("a loop's arguments"));
}

op2_status op2i_sums_open(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                          const op2_arg *args, bool keep, struct op2i_sums *out) {
  op2_status status = op2i_loop_validate(where, kernel, set, nargs, args);
  if (keep && op2_initialised(set->obj.ctx)) status = op2i_context_agree(set->obj.ctx, status);
  if (status) return status;
  *out = (struct op2i_sums){.where = where,
                            .nargs = nargs,
                            .subset = set != set->base,
                            .nested = set->obj.ctx->records->inside != NULL};
  out->args = op2i_calloc((size_t)nargs, sizeof *out->args);
  out->sums = op2i_calloc((size_t)nargs, sizeof *out->sums);
  if (keep)
    status = keep_given(out, set, args);
  else if (!out->args || !out->sums)
    status = op2i_error_nomem("a loop's arguments");
  if (!status) status = replace_all(out, kernel, set, args);
  if (status) op2i_sums_close(out);
  return status;
}

void op2i_sums_close(struct op2i_sums *s) {
  void *objects[4];
  for (int k = 0; k < s->nsums; k++) free_sum(&s->sums[k]);
  for (int n = 0; n < s->nargs && s->given; n++) {
    objects_of(&s->given[n], objects);
    for (int k = 0; k < 4; k++) op2i_unref(objects[k]);
  }
  op2i_in_place_close(&s->in_place);
  op2i_free(s->given);
  op2i_free(s->args);
  op2i_free(s->sums);
  *s = (struct op2i_sums){0};
}

bool op2i_sums_elsewhere(const struct op2i_sums *s, op2_context ctx) {
  return s->nsums && s->nested != (ctx->records->inside != NULL);
}

/* ---- queueing -------------------------------------------------------------------------------- */

static op2_status queue(op2_where where, struct op2i_loop *loop, unsigned char *payload,
                        enum op2i_wish wish) {
  return op2i_scheduler.enqueue(loop->op.ctx->sched, &loop->op, where, payload, wish);
}

/* These loops have no values of the program's. */
static op2_status queue_own(op2_where where, struct op2i_loop *loop, enum op2i_wish wish) {
  const op2_context ctx = loop->op.ctx;
  unsigned char *payload = op2i_calloc(1, (size_t)loop->op.payload_bytes);
  if (!payload) return op2i_context_abort_ranks(ctx, op2i_error_nomem("a loop's values"));
  op2_status status = queue(where, loop, payload, wish);
  op2i_free(payload);
  return status;
}

static op2_status check_scopes(const struct op2i_sums *s, const struct op2i_sum *sum) {
  op2_status status = OP2_SUCCESS;
  for (int row = 0; row < sum->nadd && !status; row++)
    status = op2i_op_validate_scopes(s->where, &sum->add[row]->op);
  if (sum->call && !status) status = op2i_op_validate_scopes(s->where, &sum->call->op);
  return status;
}

op2_status op2i_sums_before(const struct op2i_sums *s) {
  op2_status status = OP2_SUCCESS;
  /* The dats that are added to may be open. Scopes are checked before anything is queued, so that a
   * refused call leaves nothing in the queue. */
  for (int k = 0; k < s->nsums && !status; k++) status = check_scopes(s, &s->sums[k]);
  for (int k = 0; k < s->nsums && !status; k++) {
    const struct op2i_sum *sum = &s->sums[k];
    if (sum->fill) status = queue_own(s->where, sum->fill, OP2I_LATER);
    if (sum->save && !status) status = queue_own(s->where, sum->save, OP2I_LATER);
  }
  return status;
}

/* The second loop fails where the first one does, and that is reported once. */
static op2_status queue_again(const struct op2i_sums *s) {
  struct op2i_loop *again = s->in_place.again;
  op2_status status = queue(s->where, again, s->in_place.values, OP2I_BEHIND);
  if (!status) op2i_scheduler.cancel_with(again->op.ctx->sched, s->sums[0].into);
  return status;
}

static op2_status queue_sum(const struct op2i_sums *s, const struct op2i_sum *sum) {
  op2_status status = OP2_SUCCESS;
  if (sum->call) return op2i_call_joint_queue(s->where, sum->call, sum->dat, OP2I_BEHIND);
  if (sum->restore) status = queue_own(s->where, sum->restore, OP2I_BEHIND);
  for (int row = 0; row < sum->nadd && !status; row++)
    status = queue_own(s->where, sum->add[row], OP2I_BEHIND);
  return status;
}

op2_status op2i_sums_after(const struct op2i_sums *s) {
  op2_status status = OP2_SUCCESS;
  if (s->in_place.again) status = queue_again(s);
  for (int k = 0; k < s->nsums && !status; k++) status = queue_sum(s, &s->sums[k]);
  return status;
}

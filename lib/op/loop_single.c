/* SPDX-License-Identifier: BSD-3-Clause */
/* Globals in place of rows that all elements of a loop reach. */
#include "loop_single.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "access.h"
#include "component.h"
#include "context.h"
#include "error.h"
#include "gbl.h"
#include "kernel.h"
#include "loop.h"
#include "loop_table.h"
#include "mem.h"
#include "sparse.h"

/* ---- finding arguments ----------------------------------------------------------------------- */

/* True for a map that the program has declared. Row tables of matrices may lead there, too. */
static bool leads_to_single(op2_map map) {
  return op2i_object_is(map, OP2I_MAP) && op2i_map_single(map) && !map->first;
}

static bool is_single(const op2_arg *arg) {
  if (!arg->object || !leads_to_single(arg->map)) return false;
  return arg->tag == OP2_TAG_DAT_ || (arg->tag == OP2_TAG_MAT_ && leads_to_single(arg->map2));
}

bool op2i_single_among(op2_set set, int nargs, const op2_arg *args) {
  if (!op2i_object_is(set, OP2I_SET) || !set->obj.ctx->has_single || !args) return false;
  for (int n = 0; n < nargs; n++)
    if (is_single(&args[n])) return true;
  return false;
}

/* ---- checks of arguments --------------------------------------------------------------------- */

/* A call, and the argument that is looked at. */
struct call {
  op2_where where;
  op2_kernel kernel;
  op2_set set;
  int n;
  const op2_arg *arg;
};

static op2_status wrong(const struct call *c, op2_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static op2_status wrong(const struct call *c, op2_status status, const char *format, ...) {
  char text[512];
  const struct op2i_object *object = c->arg->object;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  status = op2i_error(status, "%s:%d: loop '%s' over '%s': argument %d: %s '%s' %s", c->where.file,
                      c->where.line, c->kernel->obj.name, c->set->obj.name, c->n,
                      c->arg->tag == OP2_TAG_MAT_ ? "matrix" : "dat", object->name, text);
  return op2i_error_at(status, c->where.file, c->where.line, c->n, object->name);
}

static op2_status check_map(const struct call *c, op2_map map) {
  if (map->from == c->set->base) return OP2_SUCCESS;
  return wrong(c, OP2_ERR_MISMATCH, "by map '%s', which starts from set '%s'", map->obj.name,
               map->from->obj.name);
}

static op2_status check_dat(const struct call *c) {
  const op2_arg *arg = c->arg;
  const op2_dat dat = arg->object;
  if (dat->set != arg->map->to)
    return wrong(c, OP2_ERR_MISMATCH, "is on set '%s', and map '%s' leads to '%s'",
                 dat->set->obj.name, arg->map->obj.name, arg->map->to->obj.name);
  if (dat->whole)
    return wrong(c, OP2_ERR_MISMATCH,
                 "is a component, and set '%s' has one element that all ranks share: give the "
                 "whole dat",
                 dat->set->obj.name);
  if (arg->idx != 0 && arg->idx != OP2_PACKED && arg->idx != OP2_ITER(0) && arg->idx != OP2_ITER(1))
    return wrong(c, OP2_ERR_RANGE,
                 "is reached in slot 0 of map '%s' (or OP2_PACKED), and not in %" PRId32,
                 arg->map->obj.name, arg->idx);
  if (op2i_sums(arg->access) || arg->access == OP2_READ) return check_map(c, arg->map);
  return wrong(c, OP2_ERR_ACCESS,
               "can be READ or INC, since all elements lead to the one of set '%s': for minima and "
               "maxima use a global (op2_arg_gbl), and write in a loop over '%s'",
               dat->set->obj.name, dat->set->obj.name);
}

static op2_status check_mat(const struct call *c) {
  const op2_arg *arg = c->arg;
  const struct op2_mat_s *mat = arg->object;
  const struct op2_set_s *rows = op2i_sparsity_row_set(mat->sparsity),
                         *columns = op2i_sparsity_column_set(mat->sparsity);
  if (arg->map->to != rows || arg->map2->to != columns)
    return wrong(
        c, OP2_ERR_MISMATCH,
        "has rows of set '%s' and columns of '%s', and maps '%s' and '%s' lead to '%s' and "
        "'%s'",
        rows->obj.name, columns->obj.name, arg->map->obj.name, arg->map2->obj.name,
        arg->map->to->obj.name, arg->map2->to->obj.name);
  if (arg->value || arg->idx2 != OP2_ALL)
    return wrong(c, OP2_ERR_ARG, "has one row and one column, and none can be left out");
  op2_status status = check_map(c, arg->map);
  if (!status) status = check_map(c, arg->map2);
  if (status || op2i_sums(arg->access)) return status;
  return wrong(c, OP2_ERR_ACCESS,
               "can only be INC, since all elements lead to its one row and column: make it zero "
               "before (op2_mat_zero)");
}

static op2_status check(const struct call *c) {
  op2_status status = c->arg->tag == OP2_TAG_MAT_
                          ? op2i_object_validate(c->arg->object, OP2I_MAT, "op2_par_loop")
                          : op2i_dat_validate(c->arg->object, "op2_par_loop");
  if (status) return status;
  const struct op2i_object *object = c->arg->object;
  if (object->ctx != c->set->obj.ctx)
    return wrong(c, OP2_ERR_MISMATCH, "belongs to another context");
  return c->arg->tag == OP2_TAG_MAT_ ? check_mat(c) : check_dat(c);
}

/* ---- globals in place of rows ---------------------------------------------------------------- */

static op2_status need_kernel(op2_dat dat, bool reads, op2_kernel *kernel) {
  char source[256];
  const char *type = op2i_type_c(dat->type), *name = reads ? "copy_row" : "add_sum";
  if (*kernel) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void %s(%s *to, const %s *from) {\n"
           "  for (int i = 0; i < %d; i++) to[i] += from[i];\n}\n",
           name, type, type, (int)dat->dim);
  return op2i_kernel_create_own(dat->obj.ctx, name, source, kernel);
}

/* Get the global for an access, made on the first use, and what copies its values. */
static op2_status need_gbl(op2_dat dat, bool reads, op2_gbl *out) {
  if (!dat->shared) dat->shared = op2i_calloc(1, sizeof *dat->shared);
  if (!dat->shared) return op2i_error_nomem("a loop's arguments");
  op2_gbl *gbl = reads ? &dat->shared->value : &dat->shared->sum;
  op2_status status = OP2_SUCCESS;
  if (!*gbl) status = op2i_gbl_make(dat->obj.ctx, dat->dim, dat->type, NULL, dat->obj.name, gbl);
  if (status) return status;
  op2i_object_own(*gbl);
  op2i_gbl_admit(*gbl);
  *out = *gbl;
  return need_kernel(dat, reads, reads ? &dat->shared->copy : &dat->shared->add);
}

/* ---- loops that copy values ------------------------------------------------------------------ */

/* The set over which the row is one element, and the argument for it. */
static op2_status row_of(op2_dat dat, op2_mat mat, op2_access access, op2_set *set, op2_arg *arg) {
  *set = dat->set;
  *arg = op2_arg_direct(dat, access);
  if (!mat) return OP2_SUCCESS;
  op2_status status = op2i_sparsity_diagonal(mat->sparsity);
  *set = mat->sparsity->rows;
  *arg = op2_arg_dat(dat, 0, mat->sparsity->diagonal, access);
  return status;
}

/* Get the loop that copies a row to its global, or adds the global to the row. It is made before
 * anything is queued, so that little can fail between the parts of a call. */
static op2_status find_copy(op2_where where, op2_dat dat, op2_mat mat, bool reads,
                            struct op2i_loop **out) {
  const struct op2i_shared *shared = dat->shared;
  op2_set set;
  op2_arg row;
  op2_status status = row_of(dat, mat, reads ? OP2_READ : OP2_INC, &set, &row);
  const op2_arg args[] = {reads ? op2_arg_gbl(shared->value, OP2_INC) : row,
                          reads ? row : op2_arg_gbl(shared->sum, OP2_READ)};
  if (status) return status;
  return op2i_loop_intern(where, reads ? shared->copy : shared->add, set, 2, args, out);
}

/* ---- replacing arguments --------------------------------------------------------------------- */

static void add_use(struct op2i_single *s, const struct op2i_single_use *use) {
  for (int u = 0; u < s->nuses; u++)
    if (s->uses[u].copy == use->copy) {
      op2i_loop_unuse(use->copy);
      return;
    }
  s->uses[s->nuses++] = *use;
}

static op2_status replace(struct op2i_single *s, const struct call *c) {
  op2_gbl gbl = NULL;
  op2_status status = check(c);
  if (status) return status;
  const op2_mat mat = c->arg->tag == OP2_TAG_MAT_ ? c->arg->object : NULL;
  const op2_access access = (op2_access)c->arg->access;
  struct op2i_single_use use = {.dat = mat ? mat->values : c->arg->object,
                                .reads = access == OP2_READ};
  status = need_gbl(use.dat, use.reads, &gbl);
  if (!status) status = find_copy(c->where, use.dat, mat, use.reads, &use.copy);
  if (status) return status;
  s->args[c->n] = op2_arg_gbl(gbl, access);
  add_use(s, &use);
  return OP2_SUCCESS;
}

static op2_status replace_all(struct op2i_single *s, op2_kernel kernel, op2_set set,
                              const op2_arg *args) {
  op2_status status = OP2_SUCCESS;
  const struct op2i_behalf before =
      op2i_context_behalf(set->obj.ctx, "op2_par_loop", kernel->obj.name, s->where);
  for (int n = 0; n < s->nargs && !status; n++) {
    const struct call call = {s->where, kernel, set, n, &args[n]};
    s->args[n] = args[n];
    if (is_single(&args[n])) status = replace(s, &call);
  }
  op2i_context_behalf_end(set->obj.ctx, before);
  return status;
}

op2_status op2i_single_open(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                            const op2_arg *args, struct op2i_single *out) {
  op2_status status = op2i_object_validate(kernel, OP2I_KERNEL, "op2_par_loop");
  if (!status) status = op2i_context_validate(set->obj.ctx, "op2_par_loop");
  if (status) return status;
  *out = (struct op2i_single){.where = where, .nargs = nargs};
  out->args = op2i_calloc((size_t)nargs, sizeof *out->args);
  out->uses = op2i_calloc((size_t)nargs, sizeof *out->uses);
  status = out->args && out->uses ? replace_all(out, kernel, set, args)
                                  : op2i_error_nomem("a loop's arguments");
  if (status) op2i_single_close(out);
  return status;
}

void op2i_single_close(struct op2i_single *s) {
  for (int u = 0; u < s->nuses; u++) op2i_loop_unuse(s->uses[u].copy);
  op2i_free(s->args);
  op2i_free(s->uses);
  *s = (struct op2i_single){0};
}

/* ---- the loops before and after -------------------------------------------------------------- */

static op2_status queue_copy(op2_where where, const struct op2i_single_use *use) {
  const op2_context ctx = use->dat->obj.ctx;
  struct op2i_op *op = &use->copy->op;
  unsigned char *payload = op2i_calloc(1, (size_t)op->payload_bytes);
  if (!payload) return op2i_context_abort_ranks(ctx, op2i_error_nomem("a loop's values"));
  op2_status status = op2i_scheduler.enqueue(ctx->sched, op, where, payload,
                                             ctx->config.eager ? OP2I_EAGER : OP2I_LATER);
  op2i_free(payload);
  return status;
}

static op2_status begin(op2_where where, const struct op2i_single_use *use) {
  const op2_gbl gbl = use->reads ? use->dat->shared->value : use->dat->shared->sum;
  op2i_gbl_admit(gbl);
  op2_status status = op2i_gbl_clear(gbl);
  return status || !use->reads ? status : queue_copy(where, use);
}

op2_status op2i_single_before(const struct op2i_single *s) {
  op2_status status = OP2_SUCCESS;
  /* Dats may be open: nothing of a call that is refused is in the queue. */
  for (int u = 0; u < s->nuses && !status; u++)
    status = op2i_op_validate_scopes(s->where, &s->uses[u].copy->op);
  for (int u = 0; u < s->nuses && !status; u++) status = begin(s->where, &s->uses[u]);
  return status;
}

op2_status op2i_single_after(const struct op2i_single *s) {
  op2_status status = OP2_SUCCESS;
  for (int u = 0; u < s->nuses && !status; u++)
    if (!s->uses[u].reads) status = queue_copy(s->where, &s->uses[u]);
  return status;
}

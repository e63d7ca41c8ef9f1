/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the first loop that makes a NaN or an infinity, and the first of its elements that leads to
 * one, in the order in which `sequential` runs them. */
#include "finite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "loop.h"
#include "map.h"
#include "mem.h"
#include "mesh.h"
#include "place.h"
#include "set.h"
#include "text.h"
#include "types.h"

static bool real(op2_type type) { return type == OP2_F64 || type == OP2_F32; }

static double value_at(op2_type type, const void *values, int64_t i) {
  return type == OP2_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* True for a value that is searched for: OP2_NAN=2 leaves infinities alone. */
static bool odd(op2_context ctx, double value) {
  return ctx->config.nan > 1 ? isnan(value) : !isfinite(value);
}

static const char *kind_of(double value) {
  return isnan(value) ? "NaN" : value > 0 ? "infinite" : "minus infinity";
}

static bool searched(const struct op2i_loop *loop, int d) {
  const struct op2_dat_s *dat = loop->op.dats[d];
  return loop->op.dat_access[d] != OP2_READ && real(dat->type) && !dat->whole;
}

/* The elements behind those are spare: a matrix has one for values that it drops. */
static int64_t rows_of(const struct op2_dat_s *dat) { return op2i_set_looped(dat->set); }

static op2_status values_of(op2_dat dat, const void **values) {
  void *data = NULL;
  op2_status status =
      op2i_buffer_at(&dat->values, op2i_host_place(dat->obj.ctx), OP2_READ, OP2I_OWNED_ROWS, &data);
  *values = data;
  return status;
}

static op2_status note_dat(op2_dat dat, unsigned char **bits) {
  const int64_t n = rows_of(dat) * dat->dim;
  const void *values;
  op2_status status = values_of(dat, &values);
  if (status) return status;
  *bits = op2i_calloc((size_t)n / 8 + 1, 1);
  if (!*bits) return op2i_error_nomem("the search for NaN");
  for (int64_t i = 0; i < n; i++)
    if (odd(dat->obj.ctx, value_at(dat->type, values, i)))
      (*bits)[i / 8] |= (unsigned char)(1 << i % 8);
  return OP2_SUCCESS;
}

/* True if the library itself sums squares, also of scaled values in case the first sum overflows. */
static bool is_norm(const struct op2i_loop *loop) {
  return loop->kernel && loop->kernel->obj.own && !strcmp(loop->kernel->obj.name, "norm_2");
}

/* True for a sum that is searched; minima and maxima may start from an infinity. */
static bool is_sum(const struct op2i_loop *loop, const struct op2i_loop_arg *arg) {
  return arg->gbl >= 0 && arg->access == OP2_INC && real(arg->type) && !is_norm(loop);
}

/* The first component of a sum that is odd now and was not before; dim: none. */
static int32_t new_in_sum(const struct op2i_step *step, const struct op2i_loop_arg *arg,
                          const unsigned char *bits, double *value) {
  int32_t c = 0;
  for (; c < arg->dim; c++) {
    *value = value_at(arg->type, step->values.gbl[arg->gbl], c);
    if (odd(step->loop->op.ctx, *value) && !bits[c]) break;
  }
  return c;
}

/* Note which components of a sum are odd before the step adds to it. */
static op2_status note_sum(const struct op2i_step *step, const struct op2i_loop_arg *arg,
                           unsigned char **bits) {
  const op2_context ctx = step->loop->op.ctx;
  void *values;
  op2_status status = op2i_buffer_at(&step->values.versions[arg->gbl]->values, op2i_host_place(ctx),
                                     OP2_READ, OP2I_EVERY_ROW, &values);
  if (status) return status;
  *bits = op2i_calloc((size_t)arg->dim, 1);
  if (!*bits) return op2i_error_nomem("the search for NaN");
  for (int32_t c = 0; c < arg->dim; c++) (*bits)[c] = odd(ctx, value_at(arg->type, values, c));
  return OP2_SUCCESS;
}

static op2_status note_sums(const struct op2i_step *step, struct op2i_finite *before) {
  const struct op2i_loop *loop = step->loop;
  op2_status status = OP2_SUCCESS;
  if (step->where.place == OP2I_DEVICE || step->defers) return status;
  for (int a = 0; a < loop->nargs && !status; a++) {
    unsigned char **bits = &before->bits[loop->op.ndats + loop->args[a].gbl];
    if (is_sum(loop, &loop->args[a]) && !*bits) status = note_sum(step, &loop->args[a], bits);
  }
  return status;
}

op2_status op2i_finite_begin(const struct op2i_step *step, struct op2i_finite *before) {
  const struct op2i_loop *loop = step->loop;
  op2_status status = OP2_SUCCESS;
  before->n = loop->op.ndats + loop->op.ngbls;
  before->bits = op2i_calloc((size_t)before->n + 1, sizeof(char *));
  if (!before->bits) return op2i_error_nomem("the search for NaN");
  for (int d = 0; d < loop->op.ndats && !status; d++)
    if (searched(loop, d)) status = note_dat(loop->op.dats[d], &before->bits[d]);
  return status ? status : note_sums(step, before);
}

void op2i_finite_end(struct op2i_finite *before) {
  for (int i = 0; before->bits && i < before->n; i++) op2i_free(before->bits[i]);
  op2i_free(before->bits);
}

/* ---- what is new ----------------------------------------------------------------------------- */

/* A value that has become odd. */
struct found {
  int64_t element, row;
  int32_t component;
  int arg;
  double value;
};

/* The first component of a row that is odd now and was not before; dim: none. */
static int32_t new_component(op2_dat dat, const void *values, const unsigned char *bits,
                             int64_t row, double *value) {
  int32_t c = 0;
  for (; c < dat->dim; c++) {
    const int64_t i = row * dat->dim + c;
    *value = value_at(dat->type, values, i);
    if (odd(dat->obj.ctx, *value) && !(bits[i / 8] >> i % 8 & 1)) break;
  }
  return c;
}

/* Find whether one argument of an element leads to a row with a new odd value. */
static bool leads_to(const struct op2i_loop *loop, int a, int64_t element, const void *values,
                     const unsigned char *bits, struct found *found) {
  const struct op2i_loop_arg *arg = &loop->args[a];
  op2_dat dat = loop->op.dats[arg->dat];
  if (arg->map >= 0 && !loop->maps[arg->map]->idx) return false;
  const struct op2i_targets targets = op2i_arg_targets(loop, arg, element);
  for (int64_t k = 0; k < targets.at.n; k++) {
    const int64_t row = op2i_target(targets, k);
    if (row >= rows_of(dat)) continue;
    found->component = new_component(dat, values, bits, row, &found->value);
    if (found->component == dat->dim) continue;
    found->element = element;
    found->row = row;
    found->arg = a;
    return true;
  }
  return false;
}

static int64_t element_at(const struct op2i_loop *loop, int64_t position) {
  return loop->set->base != loop->set ? loop->set->idx[position] : position;
}

/* True if a dat has a new odd value, whichever element made it. */
static op2_status any_new(op2_dat dat, const unsigned char *bits, bool *any) {
  const void *values;
  double value;
  op2_status status = values_of(dat, &values);
  *any = false;
  for (int64_t row = 0; !status && !*any && row < rows_of(dat); row++)
    *any = new_component(dat, values, bits, row, &value) < dat->dim;
  return status;
}

/* A value that an element reads and that no loop has made, since the loop that is reported is the
 * first to make one. */
struct origin {
  op2_dat dat;
  int64_t row;
  int32_t component;
  int arg; /* -1: there is none */
  double value;
};

static op2_status find_origin(const struct op2i_loop *loop, int64_t element,
                              struct origin *origin) {
  origin->arg = -1;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    const void *values;
    if (arg->dat < 0 || loop->op.dat_access[arg->dat] != OP2_READ || !real(arg->type)) continue;
    if (arg->map >= 0 && !loop->maps[arg->map]->idx) continue;
    op2_dat dat = loop->op.dats[arg->dat];
    op2_status status = values_of(dat, &values);
    if (status) return status;
    const struct op2i_targets targets = op2i_arg_targets(loop, arg, element);
    for (int64_t k = 0; k < targets.at.n; k++) {
      const int64_t row = op2i_target(targets, k);
      for (int32_t c = 0; row < rows_of(dat) && c < dat->dim; c++) {
        const double value = value_at(dat->type, values, row * dat->dim + c);
        if (!odd(dat->obj.ctx, value)) continue;
        *origin = (struct origin){dat, row, c, a, value};
        return OP2_SUCCESS;
      }
    }
  }
  return OP2_SUCCESS;
}

/* Find the first element that leads to a new odd value; `reading`: that also reads an odd one. */
static op2_status find(const struct op2i_step *step, const struct op2i_finite *before, bool reading,
                       struct found *found, bool *any) {
  const struct op2i_loop *loop = step->loop;
  int64_t first = step->hi;
  *any = false;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    struct origin origin = {.arg = -1};
    struct found here;
    const void *values;
    if (arg->dat < 0 || arg->access == OP2_READ || !before->bits[arg->dat]) continue;
    op2_status status = values_of(loop->op.dats[arg->dat], &values);
    for (int64_t p = step->lo; p < first && !status; p++) {
      const int64_t element = element_at(loop, p);
      if (!leads_to(loop, a, element, values, before->bits[arg->dat], &here)) continue;
      if (reading) status = find_origin(loop, element, &origin);
      if (status || (reading && origin.arg < 0)) continue;
      first = p;
      *found = here;
      *any = true;
    }
    if (status) return status;
  }
  return OP2_SUCCESS;
}

/* ---- the message ----------------------------------------------------------------------------- */

static void add_origin(struct op2i_text *text, const struct origin *origin) {
  op2i_text_add(text,
                "; no loop has made the one that it reads: argument %d, component %d of '%s' at "
                "%" PRId64 " of '%s' is %s",
                origin->arg, (int)origin->component, origin->dat->obj.name,
                op2i_set_number(origin->dat->set, origin->row), origin->dat->set->obj.name,
                kind_of(origin->value));
}

static op2_status fail_with(struct op2i_text *text) {
  op2_status status =
      text->failed ? op2i_error_nomem("a message") : op2i_error(OP2_ERR_KERNEL, "%s", text->chars);
  op2i_text_free(text);
  return status;
}

/* The nonzeros of a matrix have no numbers that the program knows. */
static void add_target(struct op2i_text *text, const struct op2i_loop_arg *arg,
                       const struct op2_dat_s *dat, const struct found *found) {
  if (arg->columns)
    op2i_text_add(text, "component %d of a nonzero of matrix '%s'", (int)found->component,
                  dat->obj.name);
  else
    op2i_text_add(text, "component %d of dat '%s' at %" PRId64 " of '%s'", (int)found->component,
                  dat->obj.name, op2i_set_number(dat->set, found->row), dat->set->obj.name);
}

static op2_status report(const struct op2i_loop *loop, const struct found *found) {
  const struct op2i_loop_arg *arg = &loop->args[found->arg];
  const bool shared = arg->map >= 0 && arg->access == OP2_INC;
  struct op2i_text text = {0};
  struct origin origin;
  op2_status status = find_origin(loop, found->element, &origin);
  if (status) return status;
  op2i_text_add(&text, "element %" PRId64 " of '%s'%s makes argument %d, ",
                op2i_set_number(loop->set->base, found->element), loop->set->base->obj.name,
                shared && origin.arg < 0 ? ", or another one that leads there," : "", found->arg);
  add_target(&text, arg, loop->op.dats[arg->dat], found);
  op2i_text_add(&text, ", %s (OP2_NAN)", kind_of(found->value));
  if (origin.arg >= 0) add_origin(&text, &origin);
  return fail_with(&text);
}

static op2_status report_sum(const struct op2i_step *step, int a, double value) {
  const struct op2i_loop *loop = step->loop;
  struct op2i_text text = {0};
  struct origin origin = {.arg = -1};
  op2_status status = OP2_SUCCESS;
  int64_t element = 0;
  for (int64_t p = step->lo; p < step->hi && origin.arg < 0 && !status; p++) {
    element = element_at(loop, p);
    status = find_origin(loop, element, &origin);
  }
  if (status) return status;
  op2i_text_add(&text, "its sum in global '%s', argument %d, is %s (OP2_NAN)",
                loop->op.gbls[loop->args[a].gbl]->obj.name, a, kind_of(value));
  if (origin.arg >= 0) {
    op2i_text_add(&text, ", and element %" PRId64 " of '%s' reads one",
                  op2i_set_number(loop->set->base, element), loop->set->base->obj.name);
    add_origin(&text, &origin);
  }
  return fail_with(&text);
}

/* The results of globals are there, unless a device keeps them or ranks combine them later. */
static op2_status judge_sums(const struct op2i_step *step, const struct op2i_finite *before) {
  const struct op2i_loop *loop = step->loop;
  double value;
  if (step->where.place == OP2I_DEVICE || step->defers) return OP2_SUCCESS;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    const unsigned char *bits = is_sum(loop, arg) ? before->bits[loop->op.ndats + arg->gbl] : NULL;
    if (bits && new_in_sum(step, arg, bits, &value) < arg->dim) return report_sum(step, a, value);
  }
  return OP2_SUCCESS;
}

op2_status op2i_finite_judge(const struct op2i_step *step, const struct op2i_finite *before) {
  const struct op2i_loop *loop = step->loop;
  struct found found = {0};
  bool any = false;
  int d = 0;
  op2_status status = OP2_SUCCESS;
  for (; d < loop->op.ndats && !any && !status; d++)
    if (before->bits[d]) status = any_new(loop->op.dats[d], before->bits[d], &any);
  if (!status && !any) return judge_sums(step, before);
  if (!status) status = find(step, before, true, &found, &any);
  if (!status && !any) status = find(step, before, false, &found, &any);
  if (status) return status;
  if (any) return report(loop, &found);
  return op2i_error(OP2_ERR_KERNEL, "it makes a value of dat '%s' NaN or infinite (OP2_NAN)",
                    loop->op.dats[d - 1]->obj.name);
}

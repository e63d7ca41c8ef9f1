/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats as vectors: each operation is a loop. Its kernel is made on first use and kept by the
 * context, because the library finds a known loop by its kernel. */
#include <stdio.h>
#include <string.h>

#include "algebra.h"
#include "context.h"
#include "error.h"
#include "gbl.h"
#include "gbl_algebra.h"
#include "kernel_template.h"
#include "mem.h"
#include "mesh.h"
#include "op2/loop.h"

struct op2i_vector_kernel {
  struct op2i_vector_kernel *next;
  struct op2i_vector_key key;
  op2_kernel kernel;
};

static void free_kernels(op2_context ctx) {
  while (ctx->vector_kernels) {
    struct op2i_vector_kernel *kernel = ctx->vector_kernels;
    ctx->vector_kernels = kernel->next;
    op2i_unref(kernel->kernel);
    op2i_free(kernel);
  }
}

const struct op2i_interned op2i_interned_kernels = {.free = free_kernels};

/* ---- kernel text ----------------------------------------------------------------------------- */

/* The first vector is written, unless the operation is a reduction. It is also read if the
 * operation reads it, or if another vector is the same dat. */
static op2_access access_of(const struct op2i_vector_key *key, int v) {
  const struct op2i_vector_form *form = &op2i_vector_forms[key->op];
  bool read = form->keeps;
  if (form->reduces || v > 0) return OP2_READ;
  for (int w = 1; form->vectors[w]; w++) read |= key->same[w] == 0;
  return read ? OP2_RW : OP2_WRITE;
}

static void add_gbl_param(struct op2i_text *text, enum op2i_gbl_form form, char scalar,
                          const char *which) {
  if (form)
    op2i_text_add(text, ", const %c *%c_%s", form == OP2I_OWN_TYPE ? 'T' : 'F', scalar, which);
}

static void add_params(struct op2i_text *text, const struct op2i_vector_key *key) {
  const struct op2i_vector_form *form = &op2i_vector_forms[key->op];
  for (int v = 0; form->vectors[v]; v++)
    if (key->same[v] == v)
      op2i_text_add(text, "%s%sT *%c", v ? ", " : "", access_of(key, v) == OP2_READ ? "const " : "",
                    form->vectors[v]);
  for (int s = 0; s < form->nscalars; s++) {
    op2i_text_add(text, ", F %c_factor", "ab"[s]);
    add_gbl_param(text, key->numerator[s], "ab"[s], "numerator");
    add_gbl_param(text, key->denominator[s], "ab"[s], "denominator");
  }
  if (form->reduces) op2i_text_add(text, ", S *s");
  if (op2i_norm_has_parts(key->op, key->type)) op2i_text_add(text, ", double *p");
}

/* A zero denominator gives 0 times the numerator, which is NaN if the numerator is not finite. */
static void add_scalar(struct op2i_text *text, const struct op2i_vector_key *key, int s) {
  const char a = "ab"[s];
  op2i_text_add(text, "  const T %c = (T)(%c_factor", a, a);
  if (key->numerator[s] && key->denominator[s])
    op2i_text_add(text,
                  " * (%c_denominator[0] != 0 ? (F)%c_numerator[0] / (F)%c_denominator[0] : "
                  "0 * (F)%c_numerator[0])",
                  a, a, a, a);
  else if (key->numerator[s])
    op2i_text_add(text, " * (F)%c_numerator[0]", a);
  else if (key->denominator[s])
    op2i_text_add(text, " * (%c_denominator[0] != 0 ? 1 / (F)%c_denominator[0] : 0)", a, a);
  op2i_text_add(text, ");\n");
}

/* Expand a kernel template: T is the type of values, F that of factors, S that of the result, and N
 * the dim. */
static void expand_template(const char *text, const struct op2i_vector_key *key,
                            struct op2i_text *out) {
  const struct op2i_vector_form *form = &op2i_vector_forms[key->op];
  char dim[16], by[OP2I_VECTORS][2] = {{0}};
  struct op2i_substitution substitutions[4 + OP2I_VECTORS] = {
      {'T', op2i_type_c(key->type)},
      {'F', op2i_type_c(op2i_factor_type(key->type))},
      {'S', op2i_type_c(op2i_result_type(key->op, key->type))},
      {'N', dim}};
  int n = 4;
  snprintf(dim, sizeof dim, "%d", (int)key->dim);
  for (int v = 0; form->vectors[v]; v++) {
    by[v][0] = form->vectors[key->same[v]];
    substitutions[n++] = (struct op2i_substitution){form->vectors[v], by[v]};
  }
  op2i_template_expand(text, n, substitutions, out);
}

static void add_text(const struct op2i_vector_key *key, struct op2i_text *text) {
  const struct op2i_vector_form *form = &op2i_vector_forms[key->op];
  struct op2i_text general = {0};
  op2i_text_add(&general, "void %s(", form->name);
  add_params(&general, key);
  op2i_text_add(&general, ") {\n");
  for (int s = 0; s < form->nscalars; s++) add_scalar(&general, key, s);
  op2i_text_add(&general, "  for (int i = 0; i < N; i++) %s;\n}\n",
                form->scaled && key->type == OP2_F64 ? form->scaled : form->statement);
  if (!general.failed) expand_template(general.chars, key, text);
  text->failed |= general.failed;
  op2i_text_free(&general);
}

static op2_status make_kernel(op2_context ctx, const struct op2i_vector_key *key,
                              op2_kernel *kernel) {
  struct op2i_text text = {0};
  if (key->count)
    op2i_many_text(key, &text);
  else
    add_text(key, &text);
  return op2i_template_kernel(ctx, op2i_vector_forms[key->op].name, &text, "an operation with dats",
                              kernel);
}

/* ---- looking kernels up ---------------------------------------------------------------------- */

uint8_t op2i_gbl_form_of(op2_gbl gbl, const struct op2i_vector_key *key) {
  if (!gbl) return OP2I_NO_GBL;
  return gbl->type == op2i_factor_type(key->type) ? OP2I_FACTOR_TYPE : OP2I_OWN_TYPE;
}

static struct op2i_vector_key key_of(const struct op2i_vector_call *call,
                                     const struct op2i_shape *shape) {
  struct op2i_vector_key key = {
      .dim = shape->dim, .op = (uint8_t)call->op, .type = (uint8_t)shape->type};
  for (int v = 0; v < OP2I_VECTORS; v++)
    while (call->vectors[key.same[v]] != call->vectors[v]) key.same[v]++;
  for (int s = 0; s < OP2I_SCALARS; s++) {
    key.numerator[s] = op2i_gbl_form_of(call->scalars[s].numerator, &key);
    key.denominator[s] = op2i_gbl_form_of(call->scalars[s].denominator, &key);
  }
  return key;
}

op2_status op2i_vector_kernel(op2_context ctx, const struct op2i_vector_key *key,
                              op2_kernel *kernel) {
  struct op2i_vector_kernel *found = ctx->vector_kernels;
  while (found && memcmp(&found->key, key, sizeof *key)) found = found->next;
  if (!found) {
    struct op2i_vector_kernel *made = op2i_calloc(1, sizeof *made);
    if (!made) return op2i_context_abort_ranks(ctx, op2i_error_nomem("an operation with dats"));
    op2_status status = make_kernel(ctx, key, &made->kernel);
    if (status) {
      op2i_free(made);
      return status;
    }
    made->key = *key;
    made->next = ctx->vector_kernels;
    ctx->vector_kernels = found = made;
  }
  *kernel = found->kernel;
  return OP2_SUCCESS;
}

/* ---- queueing -------------------------------------------------------------------------------- */

enum { MOST_ARGS = OP2I_VECTORS + 3 * OP2I_SCALARS + 2 };

/* `room` holds the factors as long as the arguments are used. */
static int make_args(const struct op2i_vector_call *call, const struct op2i_vector_key *key,
                     double room[OP2I_SCALARS], op2_arg args[MOST_ARGS]) {
  const struct op2i_vector_form *form = &op2i_vector_forms[call->op];
  const op2_type type = op2i_factor_type(key->type);
  int n = 0;
  for (int v = 0; form->vectors[v]; v++)
    if (key->same[v] == v) args[n++] = op2_arg_direct(call->vectors[v], access_of(key, v));
  for (int s = 0; s < form->nscalars; s++) {
    const op2_scalar *scalar = &call->scalars[s];
    op2i_factor(scalar->factor, type, &room[s]);
    args[n++] = op2_arg_val(&room[s], 1, type);
    if (scalar->numerator) args[n++] = op2_arg_gbl(scalar->numerator, OP2_READ);
    if (scalar->denominator) args[n++] = op2_arg_gbl(scalar->denominator, OP2_READ);
  }
  if (form->reduces) args[n++] = op2_arg_gbl(call->result, form->reduces);
  return n;
}

/* The second global of a norm is set to 0. */
static op2_status begin_parts(op2_context ctx, op2_gbl *parts) {
  static const double nothing[OP2I_PARTS];
  op2_gbl *kept = &ctx->records->norm_parts;
  op2_status status = OP2_SUCCESS;
  if (!*kept) status = op2_gbl_create(ctx, OP2I_PARTS, OP2_F64, NULL, "parts of a norm", kept);
  if (status) return status;
  op2i_object_own(*kept);
  op2i_gbl_admit(*kept);
  *parts = *kept;
  return op2_gbl_set(*kept, nothing);
}

static op2_status queue_all(const struct op2i_vector_call *call, const struct op2i_vector_key *key,
                            op2_kernel kernel, op2_set set, op2_arg *args, int nargs) {
  op2_gbl parts = NULL;
  op2_status status = OP2_SUCCESS;
  if (op2i_norm_has_parts(call->op, key->type)) {
    status = begin_parts(set->obj.ctx, &parts);
    args[nargs++] = op2_arg_gbl(parts, OP2_INC);
  }
  if (!status) status = op2_par_loop_at(call->where, kernel, set, nargs, args);
  if (status || (call->op != OP2I_NORM_2 && call->op != OP2I_NORM_INF)) return status;
  return op2i_gbl_finish_norm(call->where, call->op, call->result, parts);
}

/* The result is reset in a new version. If an operation is refused, the previous version is
 * restored and nothing is queued. */
static op2_status queue_reduction(const struct op2i_vector_call *call,
                                  const struct op2i_vector_key *key, op2_kernel kernel, op2_set set,
                                  op2_arg *args, int nargs) {
  op2_gbl result = call->result;
  int64_t start;
  op2i_reduction_start(call->op, result->type, &start);
  struct op2i_version *was = op2i_version_ref(op2i_gbl_now(result));
  op2_status status = op2_gbl_set(result, &start);
  if (!status) status = queue_all(call, key, kernel, set, args, nargs);
  const bool begun = op2i_gbl_now(result) != was; /* else nothing of it is queued */
  if (begun && (status == OP2_ERR_STATE || status == OP2_ERR_NOMEM) && !op2i_gbl_poisoned(result)) {
    op2i_scheduler.undo(result->obj.ctx->sched, op2i_gbl_now(result));
    op2i_gbl_replace(result, op2i_version_ref(was));
  }
  op2i_version_unref(was);
  return status;
}

op2_status op2i_dat_algebra(const struct op2i_vector_call *call, const struct op2i_shape *shape) {
  op2_arg args[MOST_ARGS];
  double room[OP2I_SCALARS];
  op2_kernel kernel = NULL;
  if (call->op == OP2I_COPY && call->vectors[0] == call->vectors[1]) return OP2_SUCCESS;
  const struct op2i_vector_key key = key_of(call, shape);
  const struct op2i_behalf before = op2i_context_behalf(
      shape->ctx, "algebra of dats", op2i_vector_forms[call->op].name, call->where);
  op2_status status = op2i_vector_kernel(shape->ctx, &key, &kernel);
  if (!status) {
    int n = make_args(call, &key, room, args);
    status = call->result && !call->adds
                 ? queue_reduction(call, &key, kernel, shape->set, args, n)
                 : op2_par_loop_at(call->where, kernel, shape->set, n, args);
  }
  op2i_context_behalf_end(shape->ctx, before);
  return status;
}

op2_status op2i_dat_dot_add(op2_where where, op2_dat x, op2_dat y, op2_gbl result) {
  struct op2i_vector_call call = {.where = where,
                                  .op = OP2I_DOT,
                                  .kind = OP2I_DAT,
                                  .vectors = {x, y},
                                  .result = result,
                                  .adds = true};
  struct op2i_shape shape;
  op2_status status = op2i_vector_check(&call, &shape);
  return status ? status : op2i_dat_algebra(&call, &shape);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations with dats and globals as vectors: their table, and the checks of calls. */
#include "algebra.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mesh.h"

/* Squares of values beyond 1e154 overflow, and those of values below 1e-154 lose digits or vanish.
 * The sums p are of the same squares in two other units, 2^600 and 2^-600, one of which is in range
 * in these cases. */
#define SQUARES                                                                                    \
  "{ const S low = (S)x[i] * 2.409919865102884e-181, high = (S)x[i] * 4.149515568880993e+180; "    \
  "s[0] += (S)x[i] * (S)x[i]; p[0] += low * low; p[1] += high * high; }"

const struct op2i_vector_form op2i_vector_forms[OP2I_VECTOR_OPS] = {
    [OP2I_FILL] = {"fill", "fill", "x", 1, .statement = "x[i] = a"},
    [OP2I_COPY] = {"copy", "copy", "yx", 0, .statement = "y[i] = x[i]"},
    [OP2I_SCALE] = {"scale", "scale", "x", 1, true, .statement = "x[i] = a * x[i]"},
    [OP2I_AXPY] = {"axpy", "axpy", "yx", 1, true, .statement = "y[i] = a * x[i] + y[i]"},
    [OP2I_AYPX] = {"aypx", "aypx", "yx", 1, true, .statement = "y[i] = a * y[i] + x[i]"},
    [OP2I_AXPBY] = {"axpby", "axpby", "yx", 2, true, .statement = "y[i] = a * x[i] + b * y[i]"},
    [OP2I_MAXPY] = {"maxpy", "maxpy", "yx", 1, .keeps = true},
    [OP2I_POINTWISE_MULT] = {"pointwise_mult", "pointwise_mult", "wxy", 0,
                             .statement = "w[i] = x[i] * y[i]"},
    [OP2I_POINTWISE_DIV] = {"pointwise_div", "pointwise_div", "wxy", 0, .real = true,
                            .statement = "w[i] = x[i] / y[i]"},
    [OP2I_DOT] = {"dot", "dot", "xy", .real = true, .reduces = OP2_INC,
                  .statement = "s[0] += (S)x[i] * (S)y[i]"},
    [OP2I_MDOT] = {"mdot", "mdot", "xy", .real = true, .reduces = OP2_INC},
    [OP2I_NORM_1] = {"norm_1", "norm", "x", .real = true, .reduces = OP2_INC,
                     .statement = "s[0] += fabs((S)x[i])"},
    [OP2I_NORM_2] = {"norm_2", "norm", "x", .real = true, .reduces = OP2_INC,
                     .statement = "s[0] += (S)x[i] * (S)x[i]", .scaled = SQUARES},
    /* MAX ignores NaN, so p counts the values that are NaN. */
    [OP2I_NORM_INF] = {"norm_inf", "norm", "x", .real = true, .reduces = OP2_MAX,
                       .statement = "{ s[0] = fabs((S)x[i]) > s[0] ? fabs((S)x[i]) : s[0]; "
                                    "p[0] += x[i] == x[i] ? 0 : 1; }"},
    [OP2I_SUM] = {"sum", "sum", "x", .reduces = OP2_INC, .statement = "s[0] += (S)x[i]"},
    [OP2I_MIN] = {"min", "min", "x", .reduces = OP2_MIN,
                  .statement = "s[0] = x[i] < s[0] ? x[i] : s[0]"},
    [OP2I_MAX] = {"max", "max", "x", .reduces = OP2_MAX,
                  .statement = "s[0] = x[i] > s[0] ? x[i] : s[0]"},
};

/* ---- types ----------------------------------------------------------------------------------- */

op2_type op2i_result_type(enum op2i_vector_op op, op2_type type) {
  const struct op2i_vector_form *form = &op2i_vector_forms[op];
  if (!op2i_sums(form->reduces) && !form->real) return type;
  if (op2i_type_real(type)) return OP2_F64;
  return op2i_type_signed(type) ? OP2_I64 : OP2_U64;
}

bool op2i_norm_has_parts(enum op2i_vector_op op, op2_type type) {
  return op == OP2I_NORM_INF || (op == OP2I_NORM_2 && type == OP2_F64);
}

op2_type op2i_factor_type(op2_type type) { return op2i_type_real(type) ? OP2_F64 : type; }

#define SIGNED_LEAST(c_)    (c_)(-SIGNED_GREATEST(c_) - 1)
#define SIGNED_GREATEST(c_) (c_)((UINT64_C(1) << (8 * sizeof(c_) - 1)) - 1)
#define START(type_, c_, least_, greatest_)                                                        \
  case type_: {                                                                                    \
    c_ start = op2i_sums(access) ? (c_)0 : op2i_lowers(access) ? (greatest_) : (least_);           \
    memcpy(value, &start, sizeof start);                                                           \
    break;                                                                                         \
  }
#define START_REAL(type_, stem_, c_)     START(type_, c_, -(c_)INFINITY, (c_)INFINITY)
#define START_SIGNED(type_, stem_, c_)   START(type_, c_, SIGNED_LEAST(c_), SIGNED_GREATEST(c_))
#define START_UNSIGNED(type_, stem_, c_) START(type_, c_, 0, (c_)-1)

/* The infinity norm starts at 0, since absolute values are never negative. */
void op2i_reduction_start(enum op2i_vector_op op, op2_type type, void *value) {
  const op2_access access = op == OP2I_NORM_INF ? OP2_INC : op2i_vector_forms[op].reduces;
  switch (type) {
    OP2I_REAL_TYPES(START_REAL)
    OP2I_SIGNED_TYPES(START_SIGNED)
    OP2I_UNSIGNED_TYPES(START_UNSIGNED)
  }
}

#define FACTOR(type_, stem_, c_)                                                                   \
  case type_: {                                                                                    \
    c_ number = (c_)factor;                                                                        \
    memcpy(value, &number, sizeof number);                                                         \
    break;                                                                                         \
  }

void op2i_factor(double factor, op2_type type, void *value) {
  switch (type) { OP2I_TYPES(FACTOR) }
}

/* True if an integer type can represent the factor. */
static bool holds(op2_type type, double factor) {
  int bits = (int)(8 * op2i_type_size(type));
  bool minus = op2i_type_signed(type);
  double end = ldexp(1, minus ? bits - 1 : bits), begin = minus ? -end : 0;
  return factor >= begin && factor < end && factor == trunc(factor);
}

/* ---- checks of arguments --------------------------------------------------------------------- */

/* "FILE:LINE: op2_dat_axpy, y" */
static void describe_vector(const struct op2i_vector_call *call, const char *which,
                            char what[512]) {
  const char *object = call->kind == OP2I_GBL ? "gbl" : call->kind == OP2I_MAT ? "mat" : "dat";
  snprintf(what, 512, "%s:%d: op2_%s_%s, %s", call->where.file, call->where.line, object,
           op2i_vector_forms[call->op].call, which);
}

/* The kind of the vectors: those of matrices are the dats of their values. */
static enum op2i_kind kind_of_vectors(const struct op2i_vector_call *call) {
  return call->kind == OP2I_GBL ? OP2I_GBL : OP2I_DAT;
}

static op2_status wrong(const struct op2i_vector_call *call, const char *which, op2_status status,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

static op2_status wrong(const struct op2i_vector_call *call, const char *which, op2_status status,
                        const char *format, ...) {
  char what[512], text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  describe_vector(call, which, what);
  return op2i_error_at(op2i_error(status, "%s: %s", what, text), call->where.file, call->where.line,
                       -1, NULL);
}

/* The text that names the call is composed only for a failure, since this runs for each vector of
 * each call. */
static op2_status check_object(const struct op2i_vector_call *call, const char *which,
                               const struct op2i_object *object, enum op2i_kind kind,
                               op2_context ctx) {
  char what[512];
  if (op2i_object_validate(object, kind, "")) {
    describe_vector(call, which, what);
    return op2i_object_validate(object, kind, what);
  }
  if (object->ctx == ctx || !ctx) return OP2_SUCCESS;
  return wrong(call, which, OP2_ERR_MISMATCH, "'%s' belongs to another context", object->name);
}

static struct op2i_shape shape_of(enum op2i_kind kind, const void *vector) {
  const struct op2_dat_s *dat = vector;
  const struct op2_gbl_s *gbl = vector;
  if (kind == OP2I_DAT) return (struct op2i_shape){dat->obj.ctx, dat->set, dat->dim, dat->type};
  return (struct op2i_shape){gbl->obj.ctx, NULL, gbl->dim, gbl->type};
}

static bool is_like(const struct op2i_vector_call *call, int v, const struct op2i_shape *first) {
  const struct op2i_object *object = call->vectors[v];
  if (op2i_object_validate(object, kind_of_vectors(call), "") || object->ctx != first->ctx)
    return false;
  const struct op2i_shape shape = shape_of(kind_of_vectors(call), object);
  return shape.set == first->set && shape.dim == first->dim && shape.type == first->type;
}

/* Compare vector v with the first one. Its name is composed only for a failure, too. */
static op2_status check_vector(const struct op2i_vector_call *call, int v,
                               const struct op2i_shape *first) {
  if (is_like(call, v, first)) return OP2_SUCCESS;
  char which[20] = {op2i_vector_forms[call->op].vectors[v], 0};
  if (call->n) snprintf(which + 1, sizeof which - 1, "[%d]", call->at);
  const struct op2i_object *object = call->vectors[v], *one = call->vectors[0];
  const char *noun = call->kind == OP2I_GBL ? "global" : "dat";
  op2_status status = check_object(call, which, object, kind_of_vectors(call), first->ctx);
  if (status) return status;
  const struct op2i_shape shape = shape_of(kind_of_vectors(call), object);
  if (shape.set != first->set)
    return wrong(call, which, OP2_ERR_MISMATCH, "dat '%s' is on set '%s', and dat '%s' on '%s'",
                 object->name, shape.set->obj.name, one->name, first->set->obj.name);
  if (shape.dim != first->dim)
    return wrong(call, which, OP2_ERR_MISMATCH, "%s '%s' has dim %" PRId32 ", and %s '%s' %" PRId32,
                 noun, object->name, shape.dim, noun, one->name, first->dim);
  if (shape.type != first->type)
    return wrong(call, which, OP2_ERR_TYPE, "%s '%s' is %s, and %s '%s' %s", noun, object->name,
                 op2i_type_name(shape.type), noun, one->name, op2i_type_name(first->type));
  return OP2_SUCCESS;
}

/* The global must have one value for each of n dats, or one value if n is 0. */
static op2_status check_values(const struct op2i_vector_call *call, const char *which, op2_gbl gbl,
                               int n, const char *what) {
  if (gbl->dim == (n ? n : 1)) return OP2_SUCCESS;
  if (n)
    return wrong(call, which, OP2_ERR_MISMATCH,
                 "global '%s' has dim %" PRId32 ", and there are %d dats", gbl->obj.name, gbl->dim,
                 n);
  return wrong(call, which, OP2_ERR_MISMATCH,
               "global '%s' has dim %" PRId32 ", and %s is one value", gbl->obj.name, gbl->dim,
               what);
}

static op2_status check_scalar_gbl(const struct op2i_vector_call *call, const char *which,
                                   op2_gbl gbl, int n, const struct op2i_shape *shape) {
  if (!gbl) return OP2_SUCCESS;
  op2_status status = check_object(call, which, &gbl->obj, OP2I_GBL, shape->ctx);
  if (!status) status = check_values(call, which, gbl, n, "a scalar");
  if (status) return status;
  if (gbl->type == shape->type || gbl->type == op2i_factor_type(shape->type)) return OP2_SUCCESS;
  return wrong(call, which, OP2_ERR_TYPE, "global '%s' is %s, and scalars of %s are %s%s",
               gbl->obj.name, op2i_type_name(gbl->type), op2i_type_name(shape->type),
               op2i_type_name(op2i_factor_type(shape->type)),
               shape->type == OP2_F32 ? " or OP2_F32" : "");
}

static op2_status check_scalar(const struct op2i_vector_call *call, int s,
                               const struct op2i_shape *shape) {
  const op2_scalar *scalar = &call->scalars[s];
  const char which[] = {"ab"[s], 0};
  for (size_t i = 0; i < sizeof scalar->reserved / sizeof *scalar->reserved; i++)
    if (scalar->reserved[i])
      return wrong(call, which, OP2_ERR_ARG,
                   "what is reserved in the op2_scalar is not null: it was not made by "
                   "op2_scalar_value() or its like, or is of a later version of op2");
  op2_status status = check_scalar_gbl(call, which, scalar->numerator, call->n, shape);
  if (!status) status = check_scalar_gbl(call, which, scalar->denominator, 0, shape);
  if (status || op2i_type_real(shape->type)) return status;
  if (scalar->denominator)
    return wrong(call, which, OP2_ERR_TYPE, "a quotient, and integers (%s) have none",
                 op2i_type_name(shape->type));
  if (holds(shape->type, scalar->factor)) return OP2_SUCCESS;
  return wrong(call, which, OP2_ERR_RANGE, "%.17g is no value of %s", scalar->factor,
               op2i_type_name(shape->type));
}

static op2_status check_result(const struct op2i_vector_call *call,
                               const struct op2i_shape *shape) {
  op2_gbl gbl = call->result;
  op2_status status =
      check_object(call, "the result", (const struct op2i_object *)gbl, OP2I_GBL, shape->ctx);
  if (!status) status = check_values(call, "the result", gbl, call->n, "the result");
  if (status) return status;
  const op2_type type = op2i_result_type(call->op, shape->type);
  if (gbl->type != type)
    return wrong(call, "the result", OP2_ERR_TYPE, "global '%s' is %s, and that of %s is %s",
                 gbl->obj.name, op2i_type_name(gbl->type), op2i_type_name(shape->type),
                 op2i_type_name(type));
  return OP2_SUCCESS;
}

op2_status op2i_vector_check(struct op2i_vector_call *call, struct op2i_shape *shape) {
  const struct op2i_vector_form *form = &op2i_vector_forms[call->op];
  const char which[] = {form->vectors[0], 0};
  if (!call->where.file) call->where.file = "?";
  op2_status status = check_object(call, which, call->vectors[0], kind_of_vectors(call), NULL);
  if (status) return status;
  *shape = shape_of(kind_of_vectors(call), call->vectors[0]);
  status = op2i_context_validate(shape->ctx, form->name);
  for (int v = 1; form->vectors[v] && !status; v++) status = check_vector(call, v, shape);
  if (!status && form->real && !op2i_type_real(shape->type))
    status =
        wrong(call, which, OP2_ERR_TYPE, "'%s' is %s, and this is not for integers",
              ((const struct op2i_object *)call->vectors[0])->name, op2i_type_name(shape->type));
  for (int s = 0; s < form->nscalars && !status; s++) status = check_scalar(call, s, shape);
  if (!status && form->reduces) status = check_result(call, shape);
  return status;
}

op2_status op2i_vector_check_second(const struct op2i_vector_call *call,
                                    const struct op2i_shape *shape) {
  return check_vector(call, 1, shape);
}

op2_status op2i_norm_op(struct op2i_vector_call *call, op2_norm norm) {
  switch (norm) {
  case OP2_NORM_1: call->op = OP2I_NORM_1; return OP2_SUCCESS;
  case OP2_NORM_FROBENIUS:
  case OP2_NORM_2: call->op = OP2I_NORM_2; return OP2_SUCCESS;
  case OP2_NORM_INF: call->op = OP2I_NORM_INF; return OP2_SUCCESS;
  }
  call->op = OP2I_NORM_2;
  if (!call->where.file) call->where.file = "?";
  return wrong(call, "norm", OP2_ERR_ARG, "%d is not an op2_norm", (int)norm);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "vector_case.h"

#include <math.h>

#include "types.h" /* only the table of types, since tests of the public interface use this file,
                    * too */

static const char *const names[VECTOR_OPS] = {
    "fill",   "copy",           "scale",         "axpy", "aypx",
    "axpby",  "pointwise_mult", "pointwise_div", "dot",  "norm 1",
    "norm 2", "norm inf",       "sum",           "min",  "max"};

const char *vector_name(enum vector_op op) { return names[op]; }

bool vector_real(enum vector_op op) { return op == DIV || (op >= DOT && op <= NORM_INF); }

#define BY_NUMBER(obj_)                                                                            \
  static op2_status call_##obj_(const op2_##obj_ *v, enum vector_op op, int out, int x, int y,     \
                                op2_scalar a, op2_scalar b, op2_gbl result) {                      \
    switch (op) {                                                                                  \
    case FILL: return op2_##obj_##_fill(v[out], a);                                                \
    case COPY: return op2_##obj_##_copy(v[x], v[out]);                                             \
    case SCALE: return op2_##obj_##_scale(v[out], a);                                              \
    case AXPY: return op2_##obj_##_axpy(v[out], a, v[x]);                                          \
    case AYPX: return op2_##obj_##_aypx(v[out], a, v[x]);                                          \
    case AXPBY: return op2_##obj_##_axpby(v[out], a, b, v[x]);                                     \
    case MULT: return op2_##obj_##_pointwise_mult(v[out], v[x], v[y]);                             \
    case DIV: return op2_##obj_##_pointwise_div(v[out], v[x], v[y]);                               \
    case DOT: return op2_##obj_##_dot(v[x], v[y], result);                                         \
    case NORM_1: return op2_##obj_##_norm(v[x], OP2_NORM_1, result);                               \
    case NORM_2: return op2_##obj_##_norm(v[x], OP2_NORM_2, result);                               \
    case NORM_INF: return op2_##obj_##_norm(v[x], OP2_NORM_INF, result);                           \
    case SUM: return op2_##obj_##_sum(v[x], result);                                               \
    case MIN: return op2_##obj_##_min(v[x], result);                                               \
    default: return op2_##obj_##_max(v[x], result);                                                \
    }                                                                                              \
  }
BY_NUMBER(dat)
BY_NUMBER(gbl)

op2_status vector_call(const struct vectors *v, enum vector_op op, int out, int x, int y,
                       op2_scalar a, op2_scalar b, op2_gbl result) {
  return v->global ? call_gbl(v->gbl, op, out, x, y, a, b, result)
                   : call_dat(v->dat, op, out, x, y, a, b, result);
}

void vector_change(enum vector_op op, size_t n, double *out, const double *x, const double *y,
                   double a, double b) {
  for (size_t i = 0; i < n; i++) switch (op) {
    case FILL: out[i] = a; break;
    case COPY: out[i] = x[i]; break;
    case SCALE: out[i] = a * out[i]; break;
    case AXPY: out[i] = a * x[i] + out[i]; break;
    case AYPX: out[i] = a * out[i] + x[i]; break;
    case AXPBY: out[i] = a * x[i] + b * out[i]; break;
    case MULT: out[i] = x[i] * y[i]; break;
    default: out[i] = x[i] / y[i];
    }
}

double vector_reduce(enum vector_op op, size_t n, const double *x, const double *y) {
  double value = op == MIN ? INFINITY : op == MAX ? -INFINITY : 0;
  for (size_t i = 0; i < n; i++) switch (op) {
    case DOT: value += x[i] * y[i]; break;
    case NORM_1: value += fabs(x[i]); break;
    case NORM_2: value += x[i] * x[i]; break;
    case NORM_INF: value = fmax(value, fabs(x[i])); break;
    case SUM: value += x[i]; break;
    case MIN: value = fmin(value, x[i]); break;
    default: value = fmax(value, x[i]);
    }
  return op == NORM_2 ? sqrt(value) : value;
}

op2_type vector_result(enum vector_op op, op2_type type) {
  if (op == MIN || op == MAX) return type;
  if (value_real(type)) return OP2_F64;
  return type >= OP2_U8 ? OP2_U64 : OP2_I64;
}

bool value_real(op2_type type) { return type == OP2_F64 || type == OP2_F32; }

#define BYTES(type_, stem_, c_)                                                                    \
  case type_: return sizeof(c_);

size_t value_bytes(op2_type type) {
  switch (type) { OP2I_TYPES(BYTES) }
  return 0;
}

#define GET(type_, stem_, c_)                                                                      \
  case type_: return (double)((const c_ *)at)[i];

double value_get(op2_type type, const void *at, size_t i) {
  switch (type) { OP2I_TYPES(GET) }
  return 0;
}

#define PUT(type_, stem_, c_)                                                                      \
  case type_: ((c_ *)at)[i] = (c_)value; break;

void value_put(op2_type type, void *at, size_t i, double value) {
  switch (type) { OP2I_TYPES(PUT) }
}

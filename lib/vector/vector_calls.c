/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of op2/algebra.h, which are the same for dats and for globals. */
#include "algebra.h"
#include "fpenv.h"
#include "gbl_algebra.h"

static op2_status queue(struct op2i_vector_call call) {
  OP2I_FP_DEFAULT;
  struct op2i_shape shape;
  op2_status status = op2i_vector_check(&call, &shape);
  if (status) return status;
  return call.kind == OP2I_DAT ? op2i_dat_algebra(&call, &shape) : op2i_gbl_algebra(&call, &shape);
}

static op2_status queue_norm(struct op2i_vector_call call, op2_norm norm) {
  op2_status status = op2i_norm_op(&call, norm);
  return status ? status : queue(call);
}

/* A call with its kind and operation; further arguments initialise members of struct
 * op2i_vector_call. */
#define OF(kind_, op_, ...)                                                                        \
  (struct op2i_vector_call) { .where = where, .kind = (kind_), .op = (op_), __VA_ARGS__ }

#define CHANGES(obj_, kind_)                                                                       \
  op2_status op2_##obj_##_fill_at(op2_where where, op2_##obj_ x, op2_scalar a) {                   \
    return queue(OF(kind_, OP2I_FILL, .vectors = {x}, .scalars = {a}));                            \
  }                                                                                                \
  op2_status op2_##obj_##_copy_at(op2_where where, op2_##obj_ x, op2_##obj_ y) {                   \
    return queue(OF(kind_, OP2I_COPY, .vectors = {y, x}));                                         \
  }                                                                                                \
  op2_status op2_##obj_##_scale_at(op2_where where, op2_##obj_ x, op2_scalar a) {                  \
    return queue(OF(kind_, OP2I_SCALE, .vectors = {x}, .scalars = {a}));                           \
  }                                                                                                \
  op2_status op2_##obj_##_axpy_at(op2_where where, op2_##obj_ y, op2_scalar a, op2_##obj_ x) {     \
    return queue(OF(kind_, OP2I_AXPY, .vectors = {y, x}, .scalars = {a}));                         \
  }                                                                                                \
  op2_status op2_##obj_##_aypx_at(op2_where where, op2_##obj_ y, op2_scalar a, op2_##obj_ x) {     \
    return queue(OF(kind_, OP2I_AYPX, .vectors = {y, x}, .scalars = {a}));                         \
  }                                                                                                \
  op2_status op2_##obj_##_axpby_at(op2_where where, op2_##obj_ y, op2_scalar a, op2_scalar b,      \
                                   op2_##obj_ x) {                                                 \
    return queue(OF(kind_, OP2I_AXPBY, .vectors = {y, x}, .scalars = {a, b}));                     \
  }                                                                                                \
  op2_status op2_##obj_##_pointwise_mult_at(op2_where where, op2_##obj_ w, op2_##obj_ x,           \
                                            op2_##obj_ y) {                                        \
    return queue(OF(kind_, OP2I_POINTWISE_MULT, .vectors = {w, x, y}));                            \
  }                                                                                                \
  op2_status op2_##obj_##_pointwise_div_at(op2_where where, op2_##obj_ w, op2_##obj_ x,            \
                                           op2_##obj_ y) {                                         \
    return queue(OF(kind_, OP2I_POINTWISE_DIV, .vectors = {w, x, y}));                             \
  }

#define REDUCTIONS(obj_, kind_)                                                                    \
  op2_status op2_##obj_##_dot_at(op2_where where, op2_##obj_ x, op2_##obj_ y, op2_gbl result) {    \
    return queue(OF(kind_, OP2I_DOT, .vectors = {x, y}, .result = result));                        \
  }                                                                                                \
  op2_status op2_##obj_##_norm_at(op2_where where, op2_##obj_ x, op2_norm norm, op2_gbl result) {  \
    return queue_norm(OF(kind_, OP2I_NORM_2, .vectors = {x}, .result = result), norm);             \
  }                                                                                                \
  op2_status op2_##obj_##_sum_at(op2_where where, op2_##obj_ x, op2_gbl result) {                  \
    return queue(OF(kind_, OP2I_SUM, .vectors = {x}, .result = result));                           \
  }                                                                                                \
  op2_status op2_##obj_##_min_at(op2_where where, op2_##obj_ x, op2_gbl result) {                  \
    return queue(OF(kind_, OP2I_MIN, .vectors = {x}, .result = result));                           \
  }                                                                                                \
  op2_status op2_##obj_##_max_at(op2_where where, op2_##obj_ x, op2_gbl result) {                  \
    return queue(OF(kind_, OP2I_MAX, .vectors = {x}, .result = result));                           \
  }

CHANGES(dat, OP2I_DAT)
CHANGES(gbl, OP2I_GBL)
REDUCTIONS(dat, OP2I_DAT)
REDUCTIONS(gbl, OP2I_GBL)

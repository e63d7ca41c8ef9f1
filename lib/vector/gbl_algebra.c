/* SPDX-License-Identifier: BSD-3-Clause */
/* Globals as vectors: each operation is a function of the library that the host calls when its turn
 * in the queue comes. */
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "call.h"
#include "context.h"
#include "error.h"
#include "gbl_algebra.h"
#include "mesh.h"

enum { MOST_GBLS = OP2I_VECTORS + 2 * OP2I_SCALARS + 1, NOTHING = -1 };

/* The captured value of the function. Globals are numbered by their arguments. */
struct task {
  int32_t op, type, dim;
  int32_t vectors[OP2I_VECTORS], result;
  struct task_scalar {
    int64_t factor; /* the bytes of one value of op2i_factor_type() */
    int32_t numerator, denominator, numerator_type, denominator_type;
  } scalars[OP2I_SCALARS];
};

/* ---- computing ------------------------------------------------------------------------------- */

static double real_at(const void *at, int32_t type) {
  float narrow;
  double value;
  if (type == OP2_F64) {
    memcpy(&value, at, sizeof value);
    return value;
  }
  memcpy(&narrow, at, sizeof narrow);
  return (double)narrow;
}

/* The value of a scalar, computed as in kernels of dats. */
static double real_scalar(const struct task *t, int s, void *const *values) {
  const struct task_scalar *scalar = &t->scalars[s];
  double factor = real_at(&scalar->factor, OP2_F64), numerator = 1;
  if (scalar->numerator != NOTHING)
    numerator = real_at(values[scalar->numerator], scalar->numerator_type);
  if (scalar->denominator == NOTHING) return factor * numerator;
  double denominator = real_at(values[scalar->denominator], scalar->denominator_type);
  return factor * (denominator != 0 ? numerator / denominator : 0 * numerator);
}

/* Integers are computed in unsigned 64-bit arithmetic, whose lower bits are correct for every
 * type. */
#define WHOLE(type_, stem_, c_)                                                                    \
  case type_: {                                                                                    \
    c_ value;                                                                                      \
    memcpy(&value, at, sizeof value);                                                              \
    return (uint64_t)value;                                                                        \
  }

static uint64_t whole_at(const void *at, int32_t type) {
  switch (type) {
    OP2I_SIGNED_TYPES(WHOLE)
    OP2I_UNSIGNED_TYPES(WHOLE)
  default: return 0;
  }
}

static uint64_t whole_scalar(const struct task *t, int s, void *const *values) {
  const struct task_scalar *scalar = &t->scalars[s];
  uint64_t factor = whole_at(&scalar->factor, t->type);
  return scalar->numerator == NOTHING ? factor
                                      : factor * whole_at(values[scalar->numerator], t->type);
}

/* An absent operand aliases the first one; its value is ignored. */
static void *vector(const struct task *t, int v, void *const *values) {
  return values[t->vectors[v] == NOTHING ? t->vectors[0] : t->vectors[v]];
}

/* Values of type c_, computed in type w_. */
#define CHANGE(stem_, c_, w_, scalar_)                                                             \
  static void change_##stem_(const struct task *t, void *const *values) {                          \
    c_ *out = vector(t, 0, values);                                                                \
    const c_ *one = vector(t, 1, values), *two = vector(t, 2, values);                             \
    const w_ a = (w_)scalar_(t, 0, values), b = (w_)scalar_(t, 1, values);                         \
    for (int32_t i = 0; i < t->dim; i++) {                                                         \
      const w_ y = (w_)out[i], x = (w_)one[i], z = (w_)two[i];                                     \
      w_ result;                                                                                   \
      switch (t->op) {                                                                             \
      case OP2I_FILL: result = a; break;                                                           \
      case OP2I_COPY: result = x; break;                                                           \
      case OP2I_SCALE: result = a * y; break;                                                      \
      case OP2I_AXPY: result = a * x + y; break;                                                   \
      case OP2I_AYPX: result = a * y + x; break;                                                   \
      case OP2I_AXPBY: result = a * x + b * y; break;                                              \
      case OP2I_POINTWISE_MULT: result = x * z; break;                                             \
      default: result = x / z;                                                                     \
      }                                                                                            \
      out[i] = (c_)result;                                                                         \
    }                                                                                              \
  }

enum { UNIT = 600 };

static void add_squares(double amount, double parts[OP2I_PARTS]) {
  const double low = ldexp(amount, -UNIT), high = ldexp(amount, UNIT);
  parts[0] += low * low;
  parts[1] += high * high;
}

double op2i_norm_root(double squares, const double parts[OP2I_PARTS]) {
  if (isinf(squares)) return ldexp(sqrt(parts[0]), UNIT);
  if (squares < 0x1p-900) return ldexp(sqrt(parts[1]), -UNIT);
  return sqrt(squares);
}

/* Values of type c_, accumulated in type w_. MIN and MAX return a zero as positive, as loops do. */
#define REDUCE(stem_, c_, w_)                                                                      \
  static void reduce_##stem_(const struct task *t, void *const *values) {                          \
    const c_ *one = vector(t, 0, values), *two = vector(t, 1, values);                             \
    w_ sum = 0;                                                                                    \
    double parts[OP2I_PARTS] = {0};                                                                \
    c_ best;                                                                                       \
    op2i_reduction_start((enum op2i_vector_op)t->op, (op2_type)t->type, &best);                    \
    for (int32_t i = 0; i < t->dim; i++) {                                                         \
      const w_ x = (w_)one[i], y = (w_)two[i];                                                     \
      const double amount = fabs((double)one[i]);                                                  \
      switch (t->op) {                                                                             \
      case OP2I_DOT: sum += x * y; break;                                                          \
      case OP2I_NORM_2:                                                                            \
        sum += x * x;                                                                              \
        add_squares(amount, parts);                                                                \
        break;                                                                                     \
      case OP2I_NORM_1: sum += (w_)amount; break;                                                  \
      case OP2I_NORM_INF:                                                                          \
        sum = isnan(amount) || isnan((double)sum) ? (w_)NAN : (w_)fmax((double)sum, amount);       \
        break;                                                                                     \
      case OP2I_SUM: sum += x; break;                                                              \
      case OP2I_MIN: best = one[i] < best ? one[i] : best; break;                                  \
      default: best = one[i] > best ? one[i] : best;                                               \
      }                                                                                            \
    }                                                                                              \
    best = best == 0 ? 0 : best;                                                                   \
    if (t->op == OP2I_NORM_2) sum = (w_)op2i_norm_root((double)sum, parts);                        \
    if (t->op == OP2I_MIN || t->op == OP2I_MAX)                                                    \
      memcpy(values[t->result], &best, sizeof best);                                               \
    else                                                                                           \
      memcpy(values[t->result], &sum, sizeof sum);                                                 \
  }

#define REAL(type_, stem_, c_) CHANGE(stem_, c_, c_, real_scalar) REDUCE(stem_, c_, double)
#define INTEGER(type_, stem_, c_)                                                                  \
  CHANGE(stem_, c_, uint64_t, whole_scalar) REDUCE(stem_, c_, uint64_t)

OP2I_REAL_TYPES(REAL)
OP2I_SIGNED_TYPES(INTEGER)
OP2I_UNSIGNED_TYPES(INTEGER)

#define BY_TYPE(type_, stem_, c_)                                                                  \
  case type_:                                                                                      \
    (op2i_vector_forms[t->op].reduces ? reduce_##stem_ : change_##stem_)(t, values);               \
    break;

static int compute(void *data, void *const *values) {
  const struct task *t = values[0];
  (void)data;
  switch ((op2_type)t->type) { OP2I_TYPES(BY_TYPE) }
  return 0;
}

static int take_root(void *data, void *const *values) {
  double *value = values[0];
  (void)data;
  *value = sqrt(*value);
  return 0;
}

static int choose_root(void *data, void *const *values) {
  double *value = values[0];
  (void)data;
  *value = op2i_norm_root(*value, values[1]);
  return 0;
}

static int admit_nan(void *data, void *const *values) {
  double *value = values[0];
  const double *parts = values[1];
  (void)data;
  if (parts[0] > 0) *value = NAN;
  return 0;
}

/* ---- queueing -------------------------------------------------------------------------------- */

struct arguments {
  int n;
  op2_arg args[1 + MOST_GBLS]; /* the task and the distinct globals */
};

/* The number of the argument of a global, or NOTHING. A global that is read and written has one
 * argument with both accesses. */
static int32_t use(struct arguments *list, op2_gbl gbl, op2_access access) {
  if (!gbl) return NOTHING;
  int n = 1;
  while (n < list->n && list->args[n].object != gbl) n++;
  if (n == list->n)
    list->args[list->n++] = op2_arg_gbl(gbl, access);
  else if (list->args[n].access != (int32_t)access)
    list->args[n].access = OP2_RW;
  return n;
}

static void use_scalar(struct arguments *list, const op2_scalar *scalar, op2_type type,
                       struct task_scalar *out) {
  op2i_factor(scalar->factor, op2i_factor_type(type), &out->factor);
  out->numerator = use(list, scalar->numerator, OP2_READ);
  out->denominator = use(list, scalar->denominator, OP2_READ);
  if (scalar->numerator) out->numerator_type = (int32_t)scalar->numerator->type;
  if (scalar->denominator) out->denominator_type = (int32_t)scalar->denominator->type;
}

op2_status op2i_gbl_algebra(const struct op2i_vector_call *call, const struct op2i_shape *shape) {
  const struct op2i_vector_form *form = &op2i_vector_forms[call->op];
  struct task task;
  struct arguments list = {.n = 1};
  /* Padding is zeroed, since ranks compare captured values bytewise. */
  memset(&task, 0, sizeof task);
  task.op = (int32_t)call->op;
  task.type = (int32_t)shape->type;
  task.dim = shape->dim;
  for (int v = 0; v < OP2I_VECTORS; v++) {
    bool written = v == 0 && !form->reduces;
    op2_access access = !written ? OP2_READ : form->keeps ? OP2_RW : OP2_WRITE;
    task.vectors[v] = use(&list, call->vectors[v], access);
  }
  for (int s = 0; s < OP2I_SCALARS; s++)
    use_scalar(&list, &call->scalars[s], shape->type, &task.scalars[s]);
  task.result = use(&list, call->result, OP2_WRITE);
  list.args[0] = op2_arg_val(&task, (int)sizeof task, OP2_U8);
  return op2i_call_own(call->where, form->name, shape->ctx, compute, NULL, list.n, list.args);
}

op2_status op2i_gbl_finish_norm(op2_where where, enum op2i_vector_op op, op2_gbl gbl,
                                op2_gbl parts) {
  const op2_arg args[] = {op2_arg_gbl(gbl, OP2_RW), op2_arg_gbl(parts, OP2_READ)};
  op2_context ctx = gbl->obj.ctx;
  if (!parts) return op2i_call_own(where, "root", ctx, take_root, NULL, 1, args);
  if (op == OP2I_NORM_2) return op2i_call_own(where, "root", ctx, choose_root, NULL, 2, args);
  return op2i_call_own(where, "largest", ctx, admit_nan, NULL, 2, args);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_ALGEBRA_H
#define OP2_ALGEBRA_H

#include <stdint.h>

#include "op2/loop.h"
#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file algebra.h
 * Dats and globals as vectors: sums, products and norms, without a kernel of the program's.
 *
 * An operation on dats is a loop over their set, with a kernel that the library makes for the type
 * and the dim and keeps with the context. So it waits in the queue, is fused with loops around it,
 * and runs on any backend, device and number of ranks as loops do. The dats of one operation are on
 * one set, of one dim and one type; all values of an element count alike. Any of them may be the
 * same dat.
 *
 * An operation on globals is done by the host when its turn in the queue comes; the program does
 * not wait for it. Every rank does the same with the same values.
 *
 * **Scalars** are numbers, or globals whose values the program need not read: see ::op2_scalar.
 *
 * **Results** of reductions are globals of one value, or of n where n dats are given; their old
 * values do not matter. A result is computed by the time it is needed, by op2_gbl_get() or by an
 * operation queued next. Scalar products, norms and sums of OP2_F64 and OP2_F32 are added in double
 * precision and are OP2_F64, so that a sum of many floats is accurate and results can be scalars at
 * once; sums of integers are OP2_I64, or OP2_U64 for unsigned ones. Minima and maxima are of the
 * type of the values. With several ranks, results are those of all owned elements, with the same
 * bits on each rank.
 *
 * Everything is computed as it is written, in the type of the values: a NaN remains a NaN, also
 * where it is multiplied by zero, and integers wrap. Integers have no quotients, no scalar products
 * and no norms (OP2_ERR_TYPE). */

/** A number that operations multiply by: factor * numerator / denominator, where a null global is
 * 1. The quotient is taken in double precision when the operation runs, from the values that the
 * globals had when it was queued. So a step of a method, like u += (r.r / p.Ap) p, needs neither
 * the host nor one more operation. If `denominator` is zero, the scalar is zero: a method that has
 * converged exactly stays where it is. Globals of scalars have one value, of OP2_F64 or of the type
 * of the vectors. With integers the factor is a whole number that their type holds, globals are of
 * their type, and there are no quotients. Made by the functions below. */
typedef struct op2_scalar {
  double factor;           /**< a number that is known already */
  op2_gbl numerator;       /**< null: 1 */
  op2_gbl denominator;     /**< null: 1 */
  const void *reserved[3]; /**< null: room for later versions */
} op2_scalar;

/** A norm of all values of a dat or global; op2_mat_norm() says what they mean for matrices. The
 * norm of no values is 0. If a value is NaN, every norm is NaN. Sums inside do not overflow or
 * underflow unless the norm itself does, so that values of 1e200 or 1e-200 have a norm. */
typedef enum op2_norm {
  OP2_NORM_1 = 1,    /**< the sum of the absolute values */
  OP2_NORM_2,        /**< the square root of the sum of the squares */
  OP2_NORM_INF,      /**< the largest absolute value */
  OP2_NORM_FROBENIUS /**< of dats and globals the same as OP2_NORM_2 */
} op2_norm;

/* ---- scalars --------------------------------------------------------------------------------- */

/** @brief A number.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    the same on every rank          @errors none here
 * @source op2 */
OP2_API op2_scalar op2_scalar_value(double value);

/** @brief The value of a global, read when the operation runs.
 * @memory keeps nothing; the operation that takes it does
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none here: a wrong scalar is reported by the call that takes it
 * @source op2 */
OP2_API op2_scalar op2_scalar_gbl(op2_gbl gbl);

/** @brief The quotient of two globals; 0 if `denominator` is 0.
 * @memory as op2_scalar_gbl()             @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors as op2_scalar_gbl()
 * @source op2 */
OP2_API op2_scalar op2_scalar_ratio(op2_gbl numerator, op2_gbl denominator);

/** @brief A multiple of a scalar: op2_scalar_times(-1, s) is -s. The product of two factors is
 * computed here, by the program's own arithmetic, in the floating-point environment of the calling
 * thread.
 * @memory as op2_scalar_gbl()             @sync   never blocks, runs nothing
 * @mpi    the same on every rank          @errors as op2_scalar_gbl()
 * @source op2 */
OP2_API op2_scalar op2_scalar_times(double factor, op2_scalar scalar);

/** @cond
 * The same functions for compilers that inline, as in op2/loop.h. */
OP2_INLINE_ op2_scalar op2_scalar_value(double value) {
  op2_scalar made = {value, OP2_NULL_, OP2_NULL_, {OP2_NULL_, OP2_NULL_, OP2_NULL_}};
  return made;
}
OP2_INLINE_ op2_scalar op2_scalar_gbl(op2_gbl gbl) {
  op2_scalar made = {1, gbl, OP2_NULL_, {OP2_NULL_, OP2_NULL_, OP2_NULL_}};
  return made;
}
OP2_INLINE_ op2_scalar op2_scalar_ratio(op2_gbl numerator, op2_gbl denominator) {
  op2_scalar made = {1, numerator, denominator, {OP2_NULL_, OP2_NULL_, OP2_NULL_}};
  return made;
}
OP2_INLINE_ op2_scalar op2_scalar_times(double factor, op2_scalar scalar) {
  scalar.factor *= factor;
  return scalar;
}
/** @endcond */

/* ---- dats ------------------------------------------------------------------------------------ */

/** @brief Queue: set all values to a. Use op2_dat_fill(), which fills in `where`.
 * @memory keeps the handles until it has run, and nothing else
 * @sync   as op2_par_loop_at(); among ranks the first operation of a kind with a given type,
 *         dim, form of scalars and choice of equal vectors waits for the others
 * @mpi    every rank queues it, with the same scalar
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_MISMATCH (another set, dim or context; a scalar
 *         of several values), OP2_ERR_TYPE, OP2_ERR_RANGE (a scalar that integers do not hold),
 *         OP2_ERR_NOMEM; then nothing is queued or changed
 * @source PETSc VecSet; PyOP2 Dat.assign */
OP2_API OP2_NODISCARD op2_status op2_dat_fill_at(op2_where where, op2_dat x, op2_scalar a);

/** @brief Queue: y = x.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecCopy; PyOP2 Dat.copy */
OP2_API OP2_NODISCARD op2_status op2_dat_copy_at(op2_where where, op2_dat x, op2_dat y);

/** @brief Queue: x = a x.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecScale; PyOP2 Dat *= */
OP2_API OP2_NODISCARD op2_status op2_dat_scale_at(op2_where where, op2_dat x, op2_scalar a);

/** @brief Queue: y = a x + y.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecAXPY; PyOP2 Dat.axpy */
OP2_API OP2_NODISCARD op2_status op2_dat_axpy_at(op2_where where, op2_dat y, op2_scalar a,
                                                 op2_dat x);

/** @brief Queue: y = a y + x.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecAYPX */
OP2_API OP2_NODISCARD op2_status op2_dat_aypx_at(op2_where where, op2_dat y, op2_scalar a,
                                                 op2_dat x);

/** @brief Queue: y = a x + b y.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecAXPBY */
OP2_API OP2_NODISCARD op2_status op2_dat_axpby_at(op2_where where, op2_dat y, op2_scalar a,
                                                  op2_scalar b, op2_dat x);

/** @brief Queue: y = a[0] x[0] + ... + a[n - 1] x[n - 1] + y, added in this order, as n calls of
 * op2_dat_axpy() would do it, but with few loops: one for every 8 dats, and for those that are left
 * one for each of 4, 2 and 1. The global `numerator` of the scalar has n values, one for each dat,
 * or is null, and then all factors are equal; `denominator` has one value. So op2_scalar_gbl(h)
 * takes the sums that op2_dat_mdot() has put into h, and op2_scalar_times(-1, op2_scalar_gbl(h))
 * subtracts.
 * @shape  x[n], of which any may be the same dat, but not y
 * @units  dats
 * @memory as op2_dat_fill_at(); the list is copied
 * @sync   as op2_dat_fill_at(), for each size of block
 * @mpi    as op2_dat_fill_at(), with the same n
 * @errors as op2_dat_fill_at(); OP2_ERR_ARG (n < 1, no list, y among x), OP2_ERR_MISMATCH
 *         (`numerator` does not have n values). If memory runs out between two blocks that run as
 *         they are queued, in eager mode or because the queue is full, y has the sum up to there
 * @source PETSc VecMAXPY */
OP2_API OP2_NODISCARD op2_status op2_dat_maxpy_at(op2_where where, op2_dat y, op2_scalar a, int n,
                                                  const op2_dat *x);

/** @brief Queue: w = x y, value by value.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecPointwiseMult; PyOP2 Dat * */
OP2_API OP2_NODISCARD op2_status op2_dat_pointwise_mult_at(op2_where where, op2_dat w, op2_dat x,
                                                           op2_dat y);

/** @brief Queue: w = x / y, value by value, of floating type.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at()
 * @source PETSc VecPointwiseDivide; PyOP2 Dat / */
OP2_API OP2_NODISCARD op2_status op2_dat_pointwise_div_at(op2_where where, op2_dat w, op2_dat x,
                                                          op2_dat y);

/** @brief Queue: the scalar product of x and y.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecDot; PyOP2 Dat.inner */
OP2_API OP2_NODISCARD op2_status op2_dat_dot_at(op2_where where, op2_dat x, op2_dat y,
                                                op2_gbl result);

/** @brief Queue: the scalar products of x with each of n dats, y[0] to y[n - 1], in few loops, as
 * op2_dat_maxpy() has them: x is read once for a block of dats. Each product has the bits that
 * op2_dat_dot() gives it, whatever n is.
 * @shape  y[n], of which any may be the same dat, or x; the result has n values
 * @units  dats
 * @memory as op2_dat_fill_at(); the list is copied
 * @sync   as op2_dat_fill_at(), for each size of block and each n that is larger than those before
 * @mpi    as op2_dat_fill_at(), with the same n
 * @errors as op2_dat_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result;
 *         OP2_ERR_ARG (n < 1, no list)
 * @source PETSc VecMDot */
OP2_API OP2_NODISCARD op2_status op2_dat_mdot_at(op2_where where, op2_dat x, int n,
                                                 const op2_dat *y, op2_gbl result);

/** @brief Queue: a norm of x.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result;
 *         OP2_ERR_ARG (there is no such norm)
 * @source PETSc VecNorm; PyOP2 Dat.norm */
OP2_API OP2_NODISCARD op2_status op2_dat_norm_at(op2_where where, op2_dat x, op2_norm norm,
                                                 op2_gbl result);

/** @brief Queue: the sum of all values.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecSum */
OP2_API OP2_NODISCARD op2_status op2_dat_sum_at(op2_where where, op2_dat x, op2_gbl result);

/** @brief Queue: the least value. NaN is ignored; the least of no values is the greatest
 * value of the type, infinity included.
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecMin */
OP2_API OP2_NODISCARD op2_status op2_dat_min_at(op2_where where, op2_dat x, op2_gbl result);

/** @brief Queue: the greatest value, with the rules of op2_dat_min().
 * @memory as op2_dat_fill_at()            @sync   as op2_dat_fill_at()
 * @mpi    as op2_dat_fill_at()
 * @errors as op2_dat_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecMax */
OP2_API OP2_NODISCARD op2_status op2_dat_max_at(op2_where where, op2_dat x, op2_gbl result);

/* ---- globals --------------------------------------------------------------------------------- */

/** @brief Queue: set all values to a. Use op2_gbl_fill(), which fills in `where`.
 * @memory keeps the handles until it has run, and nothing else
 * @sync   as op2_par_loop_at()
 * @mpi    every rank queues it, with the same scalar
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_MISMATCH (another dim or context; a scalar
 *         of several values), OP2_ERR_TYPE, OP2_ERR_RANGE (a scalar that integers do not hold),
 *         OP2_ERR_NOMEM; then nothing is queued or changed
 * @source PETSc VecSet; PyOP2 Dat.assign */
OP2_API OP2_NODISCARD op2_status op2_gbl_fill_at(op2_where where, op2_gbl x, op2_scalar a);

/** @brief Queue: y = x.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecCopy; PyOP2 Dat.copy */
OP2_API OP2_NODISCARD op2_status op2_gbl_copy_at(op2_where where, op2_gbl x, op2_gbl y);

/** @brief Queue: x = a x.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecScale; PyOP2 Dat *= */
OP2_API OP2_NODISCARD op2_status op2_gbl_scale_at(op2_where where, op2_gbl x, op2_scalar a);

/** @brief Queue: y = a x + y.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecAXPY; PyOP2 Dat.axpy */
OP2_API OP2_NODISCARD op2_status op2_gbl_axpy_at(op2_where where, op2_gbl y, op2_scalar a,
                                                 op2_gbl x);

/** @brief Queue: y = a y + x.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecAYPX */
OP2_API OP2_NODISCARD op2_status op2_gbl_aypx_at(op2_where where, op2_gbl y, op2_scalar a,
                                                 op2_gbl x);

/** @brief Queue: y = a x + b y.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecAXPBY */
OP2_API OP2_NODISCARD op2_status op2_gbl_axpby_at(op2_where where, op2_gbl y, op2_scalar a,
                                                  op2_scalar b, op2_gbl x);

/** @brief Queue: w = x y, value by value.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecPointwiseMult; PyOP2 Dat * */
OP2_API OP2_NODISCARD op2_status op2_gbl_pointwise_mult_at(op2_where where, op2_gbl w, op2_gbl x,
                                                           op2_gbl y);

/** @brief Queue: w = x / y, value by value, of floating type.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at()
 * @source PETSc VecPointwiseDivide; PyOP2 Dat / */
OP2_API OP2_NODISCARD op2_status op2_gbl_pointwise_div_at(op2_where where, op2_gbl w, op2_gbl x,
                                                          op2_gbl y);

/** @brief Queue: the scalar product of x and y.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecDot; PyOP2 Dat.inner */
OP2_API OP2_NODISCARD op2_status op2_gbl_dot_at(op2_where where, op2_gbl x, op2_gbl y,
                                                op2_gbl result);

/** @brief Queue: a norm of x.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result;
 *         OP2_ERR_ARG (there is no such norm)
 * @source PETSc VecNorm; PyOP2 Dat.norm */
OP2_API OP2_NODISCARD op2_status op2_gbl_norm_at(op2_where where, op2_gbl x, op2_norm norm,
                                                 op2_gbl result);

/** @brief Queue: the sum of all values.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecSum */
OP2_API OP2_NODISCARD op2_status op2_gbl_sum_at(op2_where where, op2_gbl x, op2_gbl result);

/** @brief Queue: the least value. NaN is ignored; the least of no values is the greatest
 * value of the type, infinity included.
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecMin */
OP2_API OP2_NODISCARD op2_status op2_gbl_min_at(op2_where where, op2_gbl x, op2_gbl result);

/** @brief Queue: the greatest value, with the rules of op2_gbl_min().
 * @memory as op2_gbl_fill_at()            @sync   as op2_gbl_fill_at()
 * @mpi    as op2_gbl_fill_at()
 * @errors as op2_gbl_fill_at(), OP2_ERR_MISMATCH and OP2_ERR_TYPE also for the result
 * @source PETSc VecMax */
OP2_API OP2_NODISCARD op2_status op2_gbl_max_at(op2_where where, op2_gbl x, op2_gbl result);

/** Queue: set all values to a; see op2_dat_fill_at(). */
#define op2_dat_fill(x, a) op2_dat_fill_at(OP2_HERE, x, a)
/** Queue: y = x; see op2_dat_copy_at(). */
#define op2_dat_copy(x, y) op2_dat_copy_at(OP2_HERE, x, y)
/** Queue: x = a x; see op2_dat_scale_at(). */
#define op2_dat_scale(x, a) op2_dat_scale_at(OP2_HERE, x, a)
/** Queue: y = a x + y; see op2_dat_axpy_at(). */
#define op2_dat_axpy(y, a, x) op2_dat_axpy_at(OP2_HERE, y, a, x)
/** Queue: y = a y + x; see op2_dat_aypx_at(). */
#define op2_dat_aypx(y, a, x) op2_dat_aypx_at(OP2_HERE, y, a, x)
/** Queue: y = a x + b y; see op2_dat_axpby_at(). */
#define op2_dat_axpby(y, a, b, x) op2_dat_axpby_at(OP2_HERE, y, a, b, x)
/** Queue: y = a[0] x[0] + ... + a[n - 1] x[n - 1] + y, `op2_dat_maxpy(y, a, n, x)`; see
 * op2_dat_maxpy_at(). */
#define op2_dat_maxpy(y, a, n, ...) op2_dat_maxpy_at(OP2_HERE, y, a, n, __VA_ARGS__)
/** Queue: w = x y; see op2_dat_pointwise_mult_at(). */
#define op2_dat_pointwise_mult(w, x, y) op2_dat_pointwise_mult_at(OP2_HERE, w, x, y)
/** Queue: w = x / y; see op2_dat_pointwise_div_at(). */
#define op2_dat_pointwise_div(w, x, y) op2_dat_pointwise_div_at(OP2_HERE, w, x, y)
/** Queue: the scalar product of x and y; see op2_dat_dot_at(). */
#define op2_dat_dot(x, y, result) op2_dat_dot_at(OP2_HERE, x, y, result)
/** Queue: the scalar products of x with n dats, `op2_dat_mdot(x, n, y, result)`; see
 * op2_dat_mdot_at(). */
#define op2_dat_mdot(x, n, ...) op2_dat_mdot_at(OP2_HERE, x, n, __VA_ARGS__)
/** Queue: a norm of x; see op2_dat_norm_at(). */
#define op2_dat_norm(x, norm, result) op2_dat_norm_at(OP2_HERE, x, norm, result)
/** Queue: the sum of all values; see op2_dat_sum_at(). */
#define op2_dat_sum(x, result) op2_dat_sum_at(OP2_HERE, x, result)
/** Queue: the least value; see op2_dat_min_at(). */
#define op2_dat_min(x, result) op2_dat_min_at(OP2_HERE, x, result)
/** Queue: the greatest value; see op2_dat_max_at(). */
#define op2_dat_max(x, result) op2_dat_max_at(OP2_HERE, x, result)
/** Queue: set all values to a; see op2_gbl_fill_at(). */
#define op2_gbl_fill(x, a) op2_gbl_fill_at(OP2_HERE, x, a)
/** Queue: y = x; see op2_gbl_copy_at(). */
#define op2_gbl_copy(x, y) op2_gbl_copy_at(OP2_HERE, x, y)
/** Queue: x = a x; see op2_gbl_scale_at(). */
#define op2_gbl_scale(x, a) op2_gbl_scale_at(OP2_HERE, x, a)
/** Queue: y = a x + y; see op2_gbl_axpy_at(). */
#define op2_gbl_axpy(y, a, x) op2_gbl_axpy_at(OP2_HERE, y, a, x)
/** Queue: y = a y + x; see op2_gbl_aypx_at(). */
#define op2_gbl_aypx(y, a, x) op2_gbl_aypx_at(OP2_HERE, y, a, x)
/** Queue: y = a x + b y; see op2_gbl_axpby_at(). */
#define op2_gbl_axpby(y, a, b, x) op2_gbl_axpby_at(OP2_HERE, y, a, b, x)
/** Queue: w = x y; see op2_gbl_pointwise_mult_at(). */
#define op2_gbl_pointwise_mult(w, x, y) op2_gbl_pointwise_mult_at(OP2_HERE, w, x, y)
/** Queue: w = x / y; see op2_gbl_pointwise_div_at(). */
#define op2_gbl_pointwise_div(w, x, y) op2_gbl_pointwise_div_at(OP2_HERE, w, x, y)
/** Queue: the scalar product of x and y; see op2_gbl_dot_at(). */
#define op2_gbl_dot(x, y, result) op2_gbl_dot_at(OP2_HERE, x, y, result)
/** Queue: a norm of x; see op2_gbl_norm_at(). */
#define op2_gbl_norm(x, norm, result) op2_gbl_norm_at(OP2_HERE, x, norm, result)
/** Queue: the sum of all values; see op2_gbl_sum_at(). */
#define op2_gbl_sum(x, result) op2_gbl_sum_at(OP2_HERE, x, result)
/** Queue: the least value; see op2_gbl_min_at(). */
#define op2_gbl_min(x, result) op2_gbl_min_at(OP2_HERE, x, result)
/** Queue: the greatest value; see op2_gbl_max_at(). */
#define op2_gbl_max(x, result) op2_gbl_max_at(OP2_HERE, x, result)

#ifdef __cplusplus
}
#endif

#endif

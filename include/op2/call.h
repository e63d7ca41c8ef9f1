/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_CALL_H
#define OP2_CALL_H

#include <stdint.h>

#include "op2/loop.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file call.h
 * Functions of the program's own that run in order among the loops.
 *
 * A call waits in the queue as a loop does and runs in its place: after the loops whose results it
 * uses, and before those that would overwrite what it reads. Use calls to write a file every
 * hundred steps, to hand values to another library or to set a boundary condition in plain C,
 * without a flush and without waiting. The arguments are whole objects:
 *
 * | argument | modes | what the function gets |
 * |---|---|---|
 * | op2_arg_direct(d, m) | READ, WRITE, RW | all rows, [total size][dim], in the user's order |
 * | op2_arg_gbl(g, m) | READ, WRITE, RW | the dim values of the global as of when it was queued |
 * | op2_arg_mat(a, null, null, m) | READ, WRITE, RW | an ::op2_mat_rows of the owned rows |
 * | op2_arg_val(p, dim, type) | | a copy of the values, taken when it was queued |
 *
 * WRITE promises that all values are written, those in halos as well. */

/** A matrix as a function of a call gets it: the rows that this rank owns, in compressed form, in
 * the order of op2_sparsity_get(), with global numbers of columns. It is a copy, made for each
 * call, and the values are stored in the matrix afterwards if the access writes, also if the
 * function returns an error, after which they count as missing. With OP2_WRITE the function sets all
 * of them: they begin as zeros, in the checked mode as NaN. The pattern of nonzeros cannot be
 * changed. */
typedef struct op2_mat_rows {
  int64_t nrows;          /**< rows that this rank owns: elements of the set of rows */
  const int64_t *starts;  /**< [nrows + 1]: row i has nonzeros starts[i] to starts[i + 1] - 1 */
  const int64_t *columns; /**< [starts[nrows]] global numbers of elements of the set of columns,
                               each of which stands for column_dim columns; ascending in each row */
  void *values;           /**< [starts[nrows]][row_dim][column_dim] blocks, of this type */
  int row_dim;            /**< values of an element of the set of rows */
  int column_dim;         /**< values of an element of the set of columns */
  op2_type type;          /**< the matrix's, OP2_F64 or OP2_F32 */
} op2_mat_rows;

/** A function that op2_call() queues. `values[i]` points to the values of argument i, and with a
 * matrix to an ::op2_mat_rows. Values of READ arguments and of op2_arg_val() must not be changed,
 * and no pointer may be kept. The function runs in the thread that makes the queue run, while
 * nothing else of the context runs, so it may use MPI, PETSc and other contexts. Inside it,
 * functions of its own context that return no status (sizes, names) work; all others return
 * ::OP2_ERR_STATE. Objects that it destroys are freed later, when no call of the library can be
 * using them: at the latest when the next op2_flush(), op2_call() or op2_finalize() returns. Inside
 * an operator's function (op2/solve.h) this holds for objects that were made there; the others are
 * freed after the solve. The floating-point environment is that of the thread (op2/loop.h), and
 * what the function changes in it, modes or flags, stays changed for the thread. The function must
 * return: no exception and no longjmp may leave it. It returns 0, or another value if it fails. */
typedef int (*op2_call_function)(void *data, void *const *values);

/** A function that ends the life of the data of a call (op2_call_owned()). It is called by the
 * thread that uses the context, in a call of the library, and must return. What holds for objects
 * of the context inside an ::op2_call_function holds inside it as well. */
typedef void (*op2_destroy_function)(void *data);

/** @brief Queue a call of a function.
 * Use op2_call(), which fills in `where`, `name` and `nargs`. Calls run one at a time and, among
 * themselves, in the order in which they were queued. If values that a call reads are missing
 * because of a failure, the function is not called at all. If it returns another value than 0, the
 * call has failed: the values that it was to write are missing from then on, as after a loop that
 * failed. In eager mode the function is called here and its failure is returned.
 * @shape  args[nargs], nargs >= 0         @units  arguments
 * @memory args is copied; handles are kept until the call has run. data is the caller's and must
 *         live until then, or until the context has ended; it may be null. For each matrix there is
 *         a copy of its owned rows while the function runs
 * @sync   as op2_par_loop_at()            @mpi    every rank queues the same calls and loops in the
 *         same order
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_MISMATCH (objects of two contexts), OP2_ERR_ACCESS,
 *         OP2_ERR_RANGE, OP2_ERR_NOMEM; later OP2_ERR_CALL for a function that returned an error,
 *         and OP2_ERR_NOMEM for a copy of a matrix, without which the function is not called
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_call_at(op2_where where, const char *name, op2_context ctx,
                                             op2_call_function function, void *data, int nargs,
                                             const op2_arg *args);

/** @brief Queue a call of a function with data that belong to the queue from then on.
 * Use op2_call_owned(), which fills in `where`, `name` and `nargs`. This is op2_call_at(), and
 * `destroy` is called with the data exactly once, when the queue no longer needs them: after the
 * function has run or failed, or when it never will, because the call was cancelled or refused or
 * its context has ended. At the latest, that has happened when the call of the library returns that
 * made the queue run. A call that fails here destroys the data as well, before it returns. A
 * program that ends without op2_finalize(), and a forked child, destroy none of the data that are
 * queued.
 * @shape  args[nargs], nargs >= 0         @units  arguments
 * @memory args is copied; handles are kept until the call has run; data is the queue's, also where
 *         this call fails. A null `destroy` leaves data to the caller
 * @sync   as op2_par_loop_at()            @mpi    as op2_call_at(); the data may differ
 * @errors as op2_call_at()                @source op2 */
OP2_API OP2_NODISCARD op2_status op2_call_owned_at(op2_where where, const char *name,
                                                   op2_context ctx, op2_call_function function,
                                                   void *data, op2_destroy_function destroy,
                                                   int nargs, const op2_arg *args);

#ifdef __cplusplus
}

template <class... Args>
inline op2_status op2_call_cxx(op2_where where, const char *name, op2_context ctx,
                               op2_call_function function, void *data, Args... args) {
  const op2_arg list[] = {args..., op2_arg()};
  return op2_call_at(where, name, ctx, function, data, static_cast<int>(sizeof...(args)), list);
}
#define op2_call(ctx, function, ...) op2_call_cxx(OP2_HERE, #function, ctx, function, __VA_ARGS__)

template <class... Args>
inline op2_status op2_call_owned_cxx(op2_where where, const char *name, op2_context ctx,
                                     op2_call_function function, void *data,
                                     op2_destroy_function destroy, Args... args) {
  const op2_arg list[] = {args..., op2_arg()};
  return op2_call_owned_at(where, name, ctx, function, data, destroy,
                           static_cast<int>(sizeof...(args)), list);
}
#define op2_call_owned(ctx, function, data, ...)                                                   \
  op2_call_owned_cxx(OP2_HERE, #function, ctx, function, data, __VA_ARGS__)
#else
/** @cond */
/* The first of the variable arguments is the pointer to the data. */
#define OP2_CALL_(where, name, ctx, function, data, ...)                                           \
  op2_call_at(where, name, ctx, function, data,                                                    \
              (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)) - 1,                       \
              (op2_arg[]){__VA_ARGS__})
/** @endcond */
/** Queue a call of a function: `op2_call(ctx, function, data, argument, ...)`, also without
 * arguments; see op2_call_at(). */
#define op2_call(ctx, function, ...) OP2_CALL_(OP2_HERE, #function, ctx, function, __VA_ARGS__, {0})
/** @cond */
/* The first of the variable arguments is the function that destroys the data. */
#define OP2_CALL_OWNED_(where, name, ctx, function, data, destroy, ...)                            \
  op2_call_owned_at(where, name, ctx, function, data, destroy,                                     \
                    (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)) - 1,                 \
                    (op2_arg[]){__VA_ARGS__})
/** @endcond */
/** Queue a call of a function with data of its own: `op2_call_owned(ctx, function, data, destroy,
 * argument, ...)`, also without arguments; see op2_call_owned_at(). */
#define op2_call_owned(ctx, function, data, ...)                                                   \
  OP2_CALL_OWNED_(OP2_HERE, #function, ctx, function, data, __VA_ARGS__, {0})
#endif

#endif

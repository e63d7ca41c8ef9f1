/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_SOLVE_H
#define OP2_SOLVE_H

#include <stdint.h>

#include "op2/loop.h"
#include "op2/matrix.h"
#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file solve.h
 * Systems of linear equations, solved when the result is needed.
 *
 * op2_solve() queues: solve A x = b. Like a loop it waits for what it needs and is waited for by
 * what needs x, is drawn with the graph, and is cancelled if a loop that it depends on has failed.
 * A is a matrix, or loops that a function of the program's queues (op2_operator_create()), or
 * matrices and operators in blocks (op2_solve_nested(), op2_solve_blocks()).
 *
 * The library's own methods are made of loops: they run on any backend, device and number of ranks
 * as loops do. If a program has called op2_petsc_use() (op2/petsc.h, a library of its own), PETSc
 * solves, with all that its options offer. */

/** How the library's own methods solve a system. Converged means that |b - A x| is small relative
 * to |b|, in the norm OP2_NORM_2, whatever the preconditioner: when a method has converged by the
 * residual that it updates, the residual is computed from x (one more product for each solve). The
 * solve has converged if that one is within 4 times the tolerance; otherwise the method begins anew
 * from x, and ends with OP2_DIVERGED_BREAKDOWN if that brings no progress, because a tolerance is
 * below what the type's rounding allows. The values of x are finite after any failure, if they were
 * before and A and b are: a step that a method cannot take is not taken. */
typedef enum op2_method {
  OP2_METHOD_DEFAULT = 0, /**< conjugate gradients; where PETSc solves, its own default */
  OP2_METHOD_CG,          /**< conjugate gradients: the matrix is symmetric and positive definite */
  OP2_METHOD_MINRES,  /**< minimal residuals: the matrix is symmetric, the preconditioner definite,
                           so that Jacobi takes the absolute values of the diagonal */
  OP2_METHOD_GMRES,   /**< generalised minimal residuals, begun anew after `restart` iterations */
  OP2_METHOD_BICGSTAB /**< stabilised biconjugate gradients: less memory than GMRES, and rougher */
} op2_method;

/** The preconditioner, which makes a method converge faster. */
typedef enum op2_preconditioner {
  OP2_PRECONDITIONER_DEFAULT = 0, /**< Jacobi; where PETSc solves, its own default */
  OP2_PRECONDITIONER_NONE,        /**< nothing */
  OP2_PRECONDITIONER_JACOBI,      /**< the inverse of the diagonal; where that is 0, 1 */
  OP2_PRECONDITIONER_BLOCK_JACOBI /**< the inverses of the blocks on the diagonal, of
                                       row_dim * row_dim values; a block in whose elimination a
                                       pivot is 0 acts as the identity. Blocks have at most tens of
                                       rows: a thread inverts them on its stack, where it has two */
} op2_preconditioner;

/** The library that solves. */
typedef enum op2_library {
  OP2_LIBRARY_DEFAULT = 0, /**< PETSc in contexts of op2_petsc_use(), else op2 */
  OP2_LIBRARY_OP2,         /**< op2, by loops */
  OP2_LIBRARY_PETSC        /**< PETSc */
} op2_library;

/** The reason why a solve has ended. Values below 0 are failures. */
typedef enum op2_reason {
  OP2_NOT_SOLVED = 0,           /**< no solve was ever queued by this solver */
  OP2_CONVERGED_RTOL = 1,       /**< the residual is small relative to b */
  OP2_CONVERGED_ATOL = 2,       /**< the residual is small */
  OP2_CONVERGED_OTHER = 3,      /**< by the library that solves: one step of a direct method */
  OP2_DIVERGED_ITERATIONS = -1, /**< the limit of iterations was reached */
  OP2_DIVERGED_DTOL = -2,       /**< the residual has grown too large */
  OP2_DIVERGED_NAN = -3,        /**< the residual is NaN */
  OP2_DIVERGED_INDEFINITE = -4, /**< the matrix, or the preconditioner, is not positive definite */
  /** The method cannot go on from where it is: what it would divide by is 0, as for singular
   * matrices, or rounding hides what is left. */
  OP2_DIVERGED_BREAKDOWN = -5,
  OP2_DIVERGED_PRECONDITIONER = -6, /**< it cannot be made or applied: the matrix may be singular */
  OP2_DIVERGED_OTHER = -7,          /**< for another reason of the library that solves */
  /** The solve did not run, because a loop or call whose results it needs has failed; x has no
   * values. */
  OP2_SOLVE_CANCELLED = -8,
  /** An error ended the solve while it ran, for example one that the operator's function returned;
   * x has no values. */
  OP2_SOLVE_FAILED = -9
} op2_reason;

/** Options of a solver. Zero-initialise, then fill in; members that are 0 have the default. */
typedef struct op2_solver_options {
  op2_method method;                 /**< the Krylov method */
  op2_preconditioner preconditioner; /**< what makes it converge faster */
  double rtol;    /**< converged if |b - A x| <= rtol |b|; default 1e-8, and 1e-5 for x of OP2_F32,
                          whose relative spacing is 1.2e-7; if b is 0, relative to the first
                          residual */
  double atol;    /**< converged also if it is <= atol; default 1e-50 */
  double dtol;    /**< diverged if it is > dtol |b|; default 1e5 */
  int iterations; /**< the most iterations; default 10,000 */
  int restart;    /**< GMRES: iterations in a cycle, with a dat for each, 100 at most; default 30 */
  int start_at_zero;       /**< not 0: begin with 0, whatever x is */
  int allow_failure;       /**< not 0: not converging is no failure, and x is used as it is */
  op2_library library;     /**< the library that solves */
  const char *prefix;      /**< prefix of its options where PETSc solves; may be null */
  const void *reserved[6]; /**< null: room for later versions */
} op2_solver_options;

/** The outcome of a solve. */
typedef struct op2_solve_result {
  op2_reason reason; /**< why it has ended */
  int iterations;    /**< how many it took */
  double residual;   /**< |b - A x|, computed from x where op2 solves; among ranks, of all */
} op2_solve_result;

/** @brief Make a solver, for any number of solves.
 * @memory *options is copied              @sync   runs nothing
 * @mpi    collective; the same options on every rank
 * @errors OP2_ERR_ARG, OP2_ERR_OPTION (a method or preconditioner that there is not, a tolerance or
 *         number below 0), OP2_ERR_NOMEM; on error *solver is untouched
 * @source PETSc KSPCreate; PyOP2 Solver */
OP2_API OP2_NODISCARD op2_status op2_solver_create(op2_context ctx,
                                                   const op2_solver_options *options,
                                                   const char *name, op2_solver *solver);

/** @brief Queue: solve A x = b, beginning with the present values of x. Use op2_solve(), which
 * fills in `where`. A is square, and x and b are two dats on its rows with row_dim values for each
 * element, of its type.
 * @memory handles are kept until it has run; the solver keeps its work vectors, some dats like x
 * @sync   as op2_par_loop_at()
 * @mpi    every rank queues it
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (rows and columns of two sets, blocks that are not square,
 *         a dat on another set or of another dim), OP2_ERR_TYPE, OP2_ERR_STATE, OP2_ERR_NOMEM;
 *         later OP2_ERR_DIVERGED if it does not converge, unless that is allowed
 * @source PyOP2 solve; PETSc KSPSolve */
OP2_API OP2_NODISCARD op2_status op2_solve_at(op2_where where, op2_solver solver, op2_mat mat,
                                              op2_dat x, op2_dat b);

/** A function that queues y = A x: loops, products of matrices, anything that is queued. It is lent
 * dats on the operator's set, with its dim and type. Neither the function nor a call (op2_call())
 * that it queues may destroy them, nor the x of op2_solve_operator(), which one of them may be;
 * otherwise the solve fails with OP2_ERR_STATE, whose message names the operator. Of the context's
 * other dats, globals and matrices it uses those that the operator names, and those that it makes
 * itself. It is called while a solve runs, on every rank alike, and may read values. It may not
 * call op2_partition(), op2_renumber(), op2_finalize(), op2_petsc_use() or a function that solves,
 * which return OP2_ERR_STATE there, nor op2_gbl_set() for a global that it does not name. If it
 * returns anything but OP2_SUCCESS, that ends the solve. */
typedef op2_status (*op2_operator_function)(void *data, op2_dat x, op2_dat y);

/** A function that queues loops which write the operator's diagonal into a dat on its set, for
 * preconditioners: dim values for each element, or dim * dim, the blocks on the diagonal, for
 * OP2_PRECONDITIONER_BLOCK_JACOBI. It is called once for each solve. What holds for
 * op2_operator_function holds for it, too. */
typedef op2_status (*op2_diagonal_function)(void *data, op2_dat diagonal);

/** The description of an operator. Zero-initialise it, then fill it in. */
typedef struct op2_operator_desc {
  op2_set set;                 /**< rows, and columns */
  int dim;                     /**< values of an element */
  op2_type type;               /**< OP2_F64 or OP2_F32 */
  op2_operator_function apply; /**< queues the product */
  void *data; /**< for the function; the caller keeps it as long as the operator exists */
  op2_mat preconditioner; /**< the matrix that preconditioners are made from, unless they need the
                               diagonal alone and there is a function for it; null: none */
  int nargs;              /**< number of args */
  const op2_arg *args; /**< what the function uses beside x and y: op2_arg_direct() with READ, WRITE
                            or RW; op2_arg_gbl() with READ, changes of which are visible only inside
                            the function; op2_arg_mat() with READ and null maps */
  op2_diagonal_function diagonal; /**< null: the diagonal is that of the matrix above, if any */
  const void *reserved[3];        /**< null: room for later versions */
} op2_operator_desc;

/** @brief Declare a matrix that is given by a function, which queues loops.
 * @memory *desc and its args are copied; what they name is kept
 * @sync   runs nothing; among ranks it waits for the others
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_ACCESS, OP2_ERR_MISMATCH (another context; a preconditioner of
 *         another shape), OP2_ERR_TYPE, OP2_ERR_NOMEM; on error *op is untouched
 * @source PETSc MatCreateShell; Firedrake's matrix-free operators */
OP2_API OP2_NODISCARD op2_status op2_operator_create(const op2_operator_desc *desc,
                                                     const char *name, op2_operator *op);

/** @brief Give up an operator handle; queued solves still run.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_operator_destroy(op2_operator *op);

/** @brief Queue: solve A x = b, where A is an operator. Use op2_solve_operator(), which fills in
 * `where`. As op2_solve_at(); x is none of the dats that the operator names.
 * @memory as op2_solve_at()               @sync   as op2_par_loop_at()
 * @mpi    every rank queues it
 * @errors as op2_solve_at(); later also what the function returns, and OP2_ERR_STATE where it uses
 *         objects that the operator does not name
 * @source PETSc MatCreateShell with KSPSolve */
OP2_API OP2_NODISCARD op2_status op2_solve_operator_at(op2_where where, op2_solver solver,
                                                       op2_operator op, op2_dat x, op2_dat b);

/** @brief Queue: solve a system of several dats. Use op2_solve_nested(), which fills in `where`.
 * Block (i, j) is a matrix with the rows of b[i] and the columns of x[j], or null for zeros. All
 * are of one type; sets and dims may differ. The library's own methods treat the dats as one
 * vector: norms are those of all values, and the preconditioner of x[i] is that of block (i, i), or
 * nothing where this block is null. A saddle point, whose block is zero, is for MINRES, GMRES or
 * BiCGSTAB. PETSc solves it as a nested matrix whose fields are the dats, or, with its option
 * -mat_type aij, as one matrix.
 * @shape  mats[n][n], x[n], b[n], 1 <= n <= 16      @units  blocks
 * @memory the arrays are copied; handles are kept until it has run
 * @sync   as op2_par_loop_at()            @mpi    every rank queues it
 * @errors as op2_solve_at()
 * @source PETSc MatCreateNest, PCFIELDSPLIT; Firedrake's mixed systems */
OP2_API OP2_NODISCARD op2_status op2_solve_nested_at(op2_where where, op2_solver solver, int n,
                                                     const op2_mat *mats, const op2_dat *x,
                                                     const op2_dat *b);

/** @brief Queue: solve a system of several dats, some blocks of which are operators. Use
 * op2_solve_blocks(), which fills in `where`. As op2_solve_nested_at(); block (i, j) is a matrix or
 * an operator, or zeros where both are null. An operator has one set and dim for rows and columns,
 * so it is on the diagonal, or between dats of one set. It is lent dats of its block, as
 * op2_operator_function says, and none of the dats of x is one that it names. The preconditioner of
 * x[i] is that of the operator (i, i): of its function for the diagonal, or of its matrix. PETSc
 * does not solve such systems.
 * @shape  mats[n][n], operators[n][n], x[n], b[n], 1 <= n <= 16; mats or operators may be null
 * @units  blocks
 * @memory as op2_solve_nested_at()
 * @sync   as op2_par_loop_at()            @mpi    every rank queues it
 * @errors as op2_solve_operator_at(); OP2_ERR_ARG (a block that is both), OP2_ERR_UNAVAILABLE
 *         (PETSc is to solve, and a block of several is an operator)
 * @source PETSc MatCreateNest of MatCreateShell */
OP2_API OP2_NODISCARD op2_status op2_solve_blocks_at(op2_where where, op2_solver solver, int n,
                                                     const op2_mat *mats,
                                                     const op2_operator *operators,
                                                     const op2_dat *x, const op2_dat *b);

/** A function that is called with the norm of the residual at the beginning of a solve (iteration
 * 0) and after each iteration, as the method updates it: for a method of op2 in the norm
 * OP2_NORM_2, and where PETSc solves in the norm by which its method stops. */
typedef void (*op2_monitor_function)(void *data, int iteration, double residual);

/** @brief Follow the residuals of a solver's solves, to print or keep them. The function is called
 * by the thread that runs a solve, in order of iterations; a method that begins anew goes on
 * counting. It may call no function of the library. A null function ends it.
 * @shape  *data is the function's own     @units  none
 * @memory keeps the addresses; the caller keeps *data as long as solves run
 * @sync   runs nothing; holds for all solves that run afterwards, also those queued before
 * @mpi    not collective; each rank that has a function gets the same residuals
 * @errors OP2_ERR_ARG                     @source PETSc KSPMonitorSet */
OP2_API OP2_NODISCARD op2_status op2_solver_monitor(op2_solver solver,
                                                    op2_monitor_function function, void *data);

/** @brief Get the outcome of the solve that this solver queued last; never of one before it. A
 * solve that did not converge, one that an error ended, one that was cancelled and none at all have
 * reasons of their own. Iterations and residual are 0 if it did not run to its end.
 * @memory *result is the caller's         @sync   runs that solve, and what it depends on
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_NOMEM; a solve that has failed is reported by its reason, and its
 *         error by the call that needs x or by op2_flush()
 * @source PETSc KSPGetConvergedReason, KSPGetIterationNumber */
OP2_API OP2_NODISCARD op2_status op2_solver_result(op2_solver solver, op2_solve_result *result);

/** @brief Give up a solver handle; queued solves still run.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_solver_destroy(op2_solver *solver);

/** Queue: solve A x = b; see op2_solve_at(). */
#define op2_solve(solver, mat, x, b) op2_solve_at(OP2_HERE, solver, mat, x, b)
/** Queue: solve A x = b with an operator; see op2_solve_operator_at(). */
#define op2_solve_operator(solver, op, x, b) op2_solve_operator_at(OP2_HERE, solver, op, x, b)
/* Macros that are given arrays take any number of arguments, so that an array may be written in braces,
 * as (op2_dat[]){u, p}: the preprocessor counts its commas. */
/** Queue: solve a system of several dats, `op2_solve_nested(solver, n, mats, x, b)`; see
 * op2_solve_nested_at(). */
#define op2_solve_nested(solver, n, ...) op2_solve_nested_at(OP2_HERE, solver, n, __VA_ARGS__)
/** Queue: solve a system of several dats with operators, `op2_solve_blocks(solver, n, mats,
 * operators, x, b)`; see op2_solve_blocks_at(). */
#define op2_solve_blocks(solver, n, ...) op2_solve_blocks_at(OP2_HERE, solver, n, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_MATRIX_H
#define OP2_MATRIX_H

#include <stdint.h>

#include "op2/algebra.h"
#include "op2/loop.h"
#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file matrix.h
 * Sparse matrices that loops assemble.
 *
 * A sparsity holds where a matrix may have values other than zero, its nonzeros: row i and column
 * j, if an element of some set reaches i by a map to the rows and j by a map to the columns. A
 * matrix has a block of row_dim * column_dim values for each nonzero: row_dim is the dim of a dat
 * on the rows, and column_dim that of a dat on the columns; mostly both are one.
 *
 * Loops add to a matrix by op2_arg_mat(), each element a dense block of its own. The positions of
 * the values are found once, with the sparsity, so that nothing is searched for and nothing is
 * inserted; loops that add to matrices are coloured, fused, vectorised and run on devices like
 * loops that add to dats.
 *
 * Rows or columns may be of a set of op2_set_create_single(), whose one element all elements share.
 * A row of that set is dense: among ranks each has the nonzeros in the columns that it owns, and
 * op2_sparsity_size(), op2_sparsity_get(), op2_mat_get() and functions of calls have one row on
 * each rank, whose columns are in the order of the rank's elements. Where rows and columns both are
 * of such sets there is one nonzero, which rank 0 has. For the rest they are matrices as all others.
 *
 * Rows and columns are numbered as the program numbers the elements of their sets. Rows, and
 * columns within a row, are returned in that order: with several ranks, each rank has the rows that
 * it owns, in its order, and columns by their global numbers. */

/** A map to the rows of a matrix and one to its columns, from the same set. */
typedef struct op2_map_pair {
  op2_map rows;    /**< leads to rows */
  op2_map columns; /**< leads to columns */
} op2_map_pair;

/** @brief Declare a map some entries of which lead nowhere: those that are negative. Only for
 * arguments of matrices, whose rows or columns they leave out, as Dirichlet conditions need it.
 * @shape  idx[from total size][arity], row-major, entries below the total size of `to`
 * @units  elements                        @memory idx is copied
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective; entries are rank-local
 * @errors as op2_map_create(); OP2_ERR_ARG (idx is null), OP2_ERR_RANGE (also where `to` has no
 *         elements, and `from` has some); on error *map is untouched
 * @source PyOP2 Map with negative entries */
OP2_API OP2_NODISCARD op2_status op2_map_create_partial(op2_set from, op2_set to, int arity,
                                                        const int32_t *idx, const char *name,
                                                        op2_map *map);

/** @brief Find where a matrix may have values other than zero: for each pair of maps and each
 * element of the set that they start from, in the rows that the one map leads to, the columns that
 * the other leads to. All row maps lead to one set, and all column maps to one. Pairs that are
 * given twice count once. With a pair of two null maps, which is not the first one, every row has a
 * nonzero on the diagonal, whether or not an element reaches it: for values that
 * op2_mat_zero_rows() puts there, and for preconditioners. Rows and columns are of one set then.
 * Maps to a set of op2_set_create_single() make dense rows and columns.
 * @shape  pairs[npairs], npairs >= 1      @units  maps
 * @memory the maps are kept until the sparsity goes; for each pair and element arity * arity
 *         numbers of four bytes, and four bytes for each nonzero, and up to a quarter more where
 *         rows are padded (doc/matrices.md), as the values of matrices are then
 * @sync   runs nothing; among ranks it waits for the others
 * @mpi    collective; the rows that a rank owns
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (maps from two sets in one pair, rows or columns of two
 *         sets, a map without values, a diagonal of two sets), OP2_ERR_STATE (a map by global numbers before
 *         op2_partition()), OP2_ERR_RANGE (2^31 nonzeros or more on a rank), OP2_ERR_NOMEM; on
 *         error *sparsity is untouched
 * @source PyOP2 Sparsity; PETSc MatPreallocator */
OP2_API OP2_NODISCARD op2_status op2_sparsity_create(int npairs, const op2_map_pair *pairs,
                                                     const char *name, op2_sparsity *sparsity);

/** @brief The number of rows of a sparsity on this rank, and of its nonzeros (`places`).
 * @units  rows; blocks                    @memory both are the caller's; either may be null
 * @sync   never blocks, runs nothing      @mpi    not collective; owned rows
 * @errors OP2_ERR_ARG                     @source PyOP2 Sparsity.nz */
OP2_API OP2_NODISCARD op2_status op2_sparsity_size(op2_sparsity sparsity, int64_t *rows,
                                                   int64_t *places);

/** @brief The nonzeros in CSR form: the columns of row i are columns[starts[i]] to
 * columns[starts[i + 1] - 1], ascending.
 * @shape  starts[rows + 1], columns[places]
 * @units  columns by the program's numbers, among ranks the global ones
 * @memory both are the caller's; either may be null
 * @sync   never blocks, runs nothing
 * @mpi    not collective; owned rows, in the program's order
 * @errors OP2_ERR_ARG, OP2_ERR_NOMEM      @source PyOP2 Sparsity.rowptr, colidx */
OP2_API OP2_NODISCARD op2_status op2_sparsity_get(op2_sparsity sparsity, int64_t *starts,
                                                  int64_t *columns);

/** @brief Give up a sparsity handle; matrices keep what they use of it.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_sparsity_destroy(op2_sparsity *sparsity);

/** @brief Declare a matrix of zeros.
 * @shape  each nonzero is a block of row_dim * column_dim values
 * @units  values
 * @memory comes with the first use: a block for each nonzero, one more for each row, and up to a
 *         quarter more where rows are padded (doc/matrices.md)
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_TYPE (neither OP2_F64 nor OP2_F32), OP2_ERR_NOMEM; on error *mat is
 *         untouched
 * @source PyOP2 Mat */
OP2_API OP2_NODISCARD op2_status op2_mat_create(op2_sparsity sparsity, int row_dim, int column_dim,
                                                op2_type type, const char *name, op2_mat *mat);

/** @brief Queue: set all values to zero. Use op2_mat_zero(), which fills in `where`.
 * @memory keeps nothing                   @sync   as op2_par_loop_at()
 * @mpi    as op2_par_loop_at()            @errors OP2_ERR_ARG, OP2_ERR_STATE, OP2_ERR_NOMEM
 * @source PyOP2 Mat.zero */
OP2_API OP2_NODISCARD op2_status op2_mat_zero_at(op2_where where, op2_mat mat);

/** @brief Queue: the rows of a subset become zero, and their diagonal gets this value. Use
 * op2_mat_zero_rows(), which fills in `where`. Rows and columns are of one set, and blocks are
 * square, unless diagonal is 0. The nonzeros of a subset are remembered as long as it exists.
 *
 * A symmetric matrix is not symmetric any more afterwards: op2_solve() with conjugate gradients or
 * minimal residuals warns of that, once for each matrix, unless it was made zero (op2_mat_zero())
 * in between. For boundary values use op2_mat_zero_rows_columns(), or GMRES or BiCGSTAB.
 * @units  diagonal: of the matrix's values, rounded to its type
 * @memory keeps nothing of the caller's   @sync   as op2_par_loop_at()
 * @mpi    collective, the same call on every rank; owned rows of the subset
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a subset of another set; no diagonal, since rows and
 *         columns are of two sets, or a row has no nonzero there: gives its number),
 *         OP2_ERR_UNAVAILABLE (a dense row: op2_mat_zero()), OP2_ERR_STATE, OP2_ERR_NOMEM
 * @source PETSc MatZeroRows; PyOP2 Mat.zero_rows */
OP2_API OP2_NODISCARD op2_status op2_mat_zero_rows_at(op2_where where, op2_mat mat, op2_set rows,
                                                      double diagonal);

/** @brief Queue: the rows and columns of a subset become zero, and their diagonal gets this value,
 * which keeps a symmetric matrix symmetric: for Dirichlet boundary values. Use
 * op2_mat_zero_rows_columns(), which fills in `where`. x has the values of the subset's elements;
 * its other values are not used. The contribution of the columns goes to the right-hand side: b
 * becomes b - A x over the columns of the subset, and on the subset itself diagonal * x, so that
 * the system has the same solution as with only the rows made zero. x and b are two dats on the
 * rows with row_dim values, of the matrix's type; both are null if nothing is to be corrected, as
 * when all values are zero. Rows and columns are of one set, and blocks are square. A call with b
 * takes the time of a product, one without b that of a loop over the nonzeros; the bits are the
 * same for any number of threads.
 * @units  diagonal: of the matrix's values, rounded to its type
 * @memory the first call for a subset keeps its nonzeros, 8 bytes each, and 4 bytes for each row;
 *         the first with b keeps a dat like b with the matrix
 * @sync   as op2_par_loop_at(); the first call for a subset waits for other ranks
 * @mpi    collective, the same call on every rank; owned rows of the subset, whoever owns columns
 * @errors OP2_ERR_ARG (also where x is b, or one of them is null), OP2_ERR_MISMATCH (a subset of
 *         another set; rows and columns of two sets, or blocks that are not square; a row of the
 *         subset without a nonzero on the diagonal, unless diagonal is 0; a dat on another set or
 *         of another dim), OP2_ERR_TYPE, OP2_ERR_STATE, OP2_ERR_NOMEM
 * @source PETSc MatZeroRowsColumns */
OP2_API OP2_NODISCARD op2_status op2_mat_zero_rows_columns_at(op2_where where, op2_mat mat,
                                                              op2_set rows, double diagonal,
                                                              op2_dat x, op2_dat b);

/** @brief Queue: the diagonal goes into a dat on the rows. Use op2_mat_diagonal(), which fills in
 * `where`. A dat of dim row_dim gets the diagonals of the blocks, one of dim row_dim * column_dim
 * all of the blocks; with one value in a block that is the same. Where the matrix has no nonzero it
 * is 0.
 * @memory keeps nothing                   @sync   as op2_par_loop_at()
 * @mpi    as op2_par_loop_at()
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (rows and columns are of two sets, blocks that are not
 *         square, a dat on another set or of another dim), OP2_ERR_TYPE, OP2_ERR_STATE,
 *         OP2_ERR_NOMEM
 * @source PETSc MatGetDiagonal */
OP2_API OP2_NODISCARD op2_status op2_mat_diagonal_at(op2_where where, op2_mat mat,
                                                     op2_dat diagonal);

/** @brief Queue: y = A x. Use op2_mat_mult(), which fills in `where`. It is a loop over the rows,
 * which is fused with others over them; y and x are two dats, on the sets of the rows and of the
 * columns, of the matrix's type, with row_dim and column_dim values for each element. A row is
 * added up in the order in which the library keeps its columns. A dense row takes a loop over the
 * columns instead, which adds up in double precision as op2_dat_dot() does, and one that stores the
 * sum.
 * @memory keeps nothing                   @sync   as op2_par_loop_at()
 * @mpi    as op2_par_loop_at(); x comes from the ranks that own its columns
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a dat on another set, or of another dim), OP2_ERR_TYPE,
 *         OP2_ERR_STATE, OP2_ERR_NOMEM
 * @source PETSc MatMult */
OP2_API OP2_NODISCARD op2_status op2_mat_mult_at(op2_where where, op2_mat mat, op2_dat x,
                                                 op2_dat y);

/** @brief Queue: y = A^T x. Use op2_mat_mult_transpose(), which fills in `where`. As
 * op2_mat_mult_at(), but x is on the rows with row_dim values, and y on the columns with column_dim:
 * a loop over the columns, each of which is added up in the order of the library's rows. Among
 * ranks a second loop adds up what the ranks have for a column, in an order that depends on the
 * partition alone.
 * @memory the first call keeps eight bytes for each nonzero with the sparsity, and among ranks a
 *         value for each column that this rank has in its halo, or others have in theirs
 * @sync   as op2_par_loop_at(); the first call for a sparsity waits for other ranks
 * @mpi    as op2_par_loop_at()
 * @errors as op2_mat_mult_at()
 * @source PETSc MatMultTranspose */
OP2_API OP2_NODISCARD op2_status op2_mat_mult_transpose_at(op2_where where, op2_mat mat, op2_dat x,
                                                           op2_dat y);

/** @brief Queue: A = a A. Use op2_mat_scale(), which fills in `where`. It is a loop over the values,
 * as all operations with whole matrices are, so it is fused with others of one sparsity and runs
 * wherever loops do. Where `a` is NaN or infinite, products with the matrix may be NaN in every row
 * until its values are set or copied as a whole.
 * @memory keeps the handles until it has run, and nothing else
 * @sync   as op2_dat_scale_at()           @mpi    every rank queues it, with the same scalar
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_MISMATCH (another context; a scalar of several
 *         values), OP2_ERR_TYPE, OP2_ERR_NOMEM; then nothing is queued or changed
 * @source PETSc MatScale */
OP2_API OP2_NODISCARD op2_status op2_mat_scale_at(op2_where where, op2_mat mat, op2_scalar a);

/** @brief Queue: Y = a X + Y. Use op2_mat_axpy(), which fills in `where`. X and Y have one sparsity,
 * blocks of one shape and one type; they may be the same matrix. Matrices of two sparsities are
 * refused, even if one has all nonzeros of the other: a sparsity made from the pairs of both has
 * room for either.
 * @memory as op2_mat_scale_at()           @sync   as op2_mat_scale_at()
 * @mpi    as op2_mat_scale_at()
 * @errors as op2_mat_scale_at(); OP2_ERR_MISMATCH (two sparsities, blocks of two shapes)
 * @source PETSc MatAXPY with SAME_NONZERO_PATTERN */
OP2_API OP2_NODISCARD op2_status op2_mat_axpy_at(op2_where where, op2_mat y, op2_scalar a,
                                                 op2_mat x);

/** @brief Queue: Y = X. Use op2_mat_copy(), which fills in `where`. X and Y as in
 * op2_mat_axpy_at().
 * @memory as op2_mat_scale_at()           @sync   as op2_mat_scale_at()
 * @mpi    as op2_mat_scale_at()           @errors as op2_mat_axpy_at()
 * @source PETSc MatCopy */
OP2_API OP2_NODISCARD op2_status op2_mat_copy_at(op2_where where, op2_mat x, op2_mat y);

/** @brief Queue: result = a norm of a matrix. Use op2_mat_norm(), which fills in `where`.
 * OP2_NORM_FROBENIUS is the square root of the sum of the squares of all values; OP2_NORM_INF the
 * largest sum of the absolute values in a row. The norm OP2_NORM_2 of a matrix is its largest
 * singular value, which is not computed.
 * @units  result: one OP2_F64
 * @memory as op2_mat_scale_at(); the first OP2_NORM_INF keeps a value for each row with the matrix
 * @sync   as op2_mat_scale_at()
 * @mpi    every rank queues it; the norm of all rows, with the same bits on each rank
 * @errors as op2_mat_scale_at(); OP2_ERR_ARG (another norm), OP2_ERR_TYPE (a result that is not
 *         OP2_F64)
 * @source PETSc MatNorm */
OP2_API OP2_NODISCARD op2_status op2_mat_norm_at(op2_where where, op2_mat mat, op2_norm norm,
                                                 op2_gbl result);

/** @brief Copy the values out, in the order of op2_sparsity_get().
 * @shape  values[places][row_dim][column_dim], of the matrix's type
 * @units  values                          @memory values is the caller's
 * @sync   runs the loops that the values depend on, and waits
 * @mpi    collective; owned rows
 * @errors OP2_ERR_ARG, OP2_ERR_NOMEM, and the failure of a loop that the values depend on
 * @source PyOP2 Mat.values */
OP2_API OP2_NODISCARD op2_status op2_mat_get(op2_mat mat, void *values);

/** @brief Overwrite blocks of a matrix by values of the host, by global rows and columns: for values
 * that come from a file or another library, and for single entries. Each rank may give blocks of any
 * rows, which are sent to their owners. If a block is given several times, the last one of the
 * highest rank counts. For many values, and each time a matrix is assembled, loops are faster.
 * @shape  rows[n], columns[n], values[n][row_dim][column_dim], of the matrix's type
 * @units  rows and columns by the program's numbers, among ranks the global ones
 * @memory all three are copied
 * @sync   runs the loops that the values depend on, and waits
 * @mpi    collective, with any n on each rank, also 0
 * @errors OP2_ERR_ARG, OP2_ERR_RANGE (a row that there is not, or no nonzero in this row and column:
 *         gives both numbers), OP2_ERR_STATE, OP2_ERR_NOMEM, and the failure of a loop that the
 *         values depend on; then no rank has changed a value
 * @source PETSc MatSetValuesBlocked with INSERT_VALUES; PyOP2 Mat.set_values */
OP2_API OP2_NODISCARD op2_status op2_mat_set(op2_mat mat, int64_t n, const int64_t *rows,
                                             const int64_t *columns, const void *values);

/** @brief Add values of the host to blocks of a matrix, as op2_mat_set() overwrites them. Blocks that
 * are given several times are added up in the order of ranks, and on a rank in the order of the list.
 * @shape  rows[n], columns[n], values[n][row_dim][column_dim], of the matrix's type
 * @units  rows and columns by the program's numbers, among ranks the global ones
 * @memory as op2_mat_set()                @sync   as op2_mat_set()
 * @mpi    as op2_mat_set()                @errors as op2_mat_set()
 * @source PETSc MatSetValuesBlocked with ADD_VALUES; PyOP2 Mat.addto_values */
OP2_API OP2_NODISCARD op2_status op2_mat_add(op2_mat mat, int64_t n, const int64_t *rows,
                                             const int64_t *columns, const void *values);

/** @brief Give up a matrix handle; queued loops that use it still run.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_mat_destroy(op2_mat *mat);

/** @brief The nonzeros of a matrix that an element reaches by a pair of maps, as one dense block:
 * the kernel gets private values `T a[rows][columns]`, rows being row_dim times the arity of the
 * row map and columns column_dim times that of the column map. Value (i * row_dim + k, j *
 * column_dim + l) is component (k, l) of the nonzero in row slot i and column slot j. A parameter
 * `T *a` gets the rows one after the other. OP2_INC: what the kernel adds to zeros is added to the
 * matrix. OP2_WRITE: all values are overwritten; if several elements write a nonzero, the last one
 * wins. Rows and columns of entries that lead nowhere are left out.
 *
 * For a dense row the block has row_dim rows, for a dense column column_dim columns. Where both maps
 * lead to a set of op2_set_create_single() the elements' blocks are added up like a global, so that
 * only OP2_INC is possible; then any maps to these sets will do, whether or not the sparsity has
 * them.
 * @memory keeps nothing; the loop that takes the argument does
 * @sync   never blocks, runs nothing      @mpi    not collective; rows of other ranks are left out,
 *         since those ranks compute them
 * @errors none here: a wrong argument is reported by the call that takes it (OP2_ERR_MISMATCH: the
 *         pair is not one of the sparsity; OP2_ERR_ACCESS: not INC or WRITE, or WRITE of the only
 *         nonzero; OP2_ERR_TYPE: the
 *         parameter has another shape)
 * @source PyOP2 Mat(access, (map, map)) */
OP2_API op2_arg op2_arg_mat(op2_mat mat, op2_map rows, op2_map columns, op2_access access);

/** The side of a matrix on which op2_arg_mat_drop() leaves elements out. */
typedef enum op2_side {
  OP2_ROWS = 1,            /**< rows of elements in the subset */
  OP2_COLUMNS = 2,         /**< columns */
  OP2_ROWS_AND_COLUMNS = 3 /**< both: rows and columns are of one set */
} op2_side;

/** @brief As op2_arg_mat(), but what an element has for rows or columns of a subset is left out, as
 * boundary conditions need it: with OP2_INC nothing is added there, with OP2_WRITE nothing is
 * written, and the kernel gets the whole block all the same. No second map and no second sparsity
 * are needed. Rows that were left out get their values by another loop, by op2_mat_zero_rows() or by
 * op2_mat_set(); op2_sparsity_create() says how they get a nonzero on the diagonal if no element
 * reaches them.
 * @memory keeps nothing; the loop that takes the argument does. The first loop with a pair of maps,
 *         a subset and a side keeps a map like that of the pair, four bytes for each value of an
 *         element's block, as long as the subset exists
 * @sync   never blocks, runs nothing; that first loop waits for other ranks when it is queued
 * @mpi    not collective; the owned elements of the subset count, and the same ones on every rank
 * @errors none here: as op2_arg_mat(), and OP2_ERR_ARG (a null subset, an unknown side),
 *         OP2_ERR_MISMATCH (a subset of another set than the rows or columns)
 * @source PyOP2 Mat(access, (map, map), lgmaps); Firedrake assemble(bcs) */
OP2_API op2_arg op2_arg_mat_drop(op2_mat mat, op2_map rows, op2_map columns, op2_access access,
                                 op2_side side, op2_set subset);

/** @cond */
#define OP2_TAG_MAT_ OP2_TAG_(0x6f70320d)
OP2_INLINE_ op2_arg op2_arg_mat(op2_mat mat, op2_map rows, op2_map columns, op2_access access) {
  op2_arg arg = {OP2_TAG_MAT_,     mat, rows,     columns, OP2_ALL, OP2_ALL, 0, 0,
                 OP2_INT_(access), 0,   OP2_NULL_};
  return arg;
}
OP2_INLINE_ op2_arg op2_arg_mat_drop(op2_mat mat, op2_map rows, op2_map columns, op2_access access,
                                     op2_side side, op2_set subset) {
  op2_arg arg = {OP2_TAG_MAT_,     mat, rows,  columns, OP2_ALL, OP2_INT_(side), 0, 0,
                 OP2_INT_(access), 0,   subset};
  return arg;
}
/** @endcond */

/** Queue: set all values to zero; see op2_mat_zero_at(). */
#define op2_mat_zero(mat) op2_mat_zero_at(OP2_HERE, mat)
/** Queue: rows become zero, but for the diagonal; see op2_mat_zero_rows_at(). */
#define op2_mat_zero_rows(mat, rows, diagonal) op2_mat_zero_rows_at(OP2_HERE, mat, rows, diagonal)
/** Queue: rows and columns become zero, but for the diagonal, and b is corrected; see
 * op2_mat_zero_rows_columns_at(). */
#define op2_mat_zero_rows_columns(mat, rows, diagonal, x, b)                                       \
  op2_mat_zero_rows_columns_at(OP2_HERE, mat, rows, diagonal, x, b)
/** Queue: the diagonal goes into a dat; see op2_mat_diagonal_at(). */
#define op2_mat_diagonal(mat, dat) op2_mat_diagonal_at(OP2_HERE, mat, dat)
/** Queue: y = A x; see op2_mat_mult_at(). */
#define op2_mat_mult(mat, x, y) op2_mat_mult_at(OP2_HERE, mat, x, y)
/** Queue: y = A^T x; see op2_mat_mult_transpose_at(). */
#define op2_mat_mult_transpose(mat, x, y) op2_mat_mult_transpose_at(OP2_HERE, mat, x, y)
/** Queue: A = a A; see op2_mat_scale_at(). */
#define op2_mat_scale(mat, a) op2_mat_scale_at(OP2_HERE, mat, a)
/** Queue: Y = a X + Y; see op2_mat_axpy_at(). */
#define op2_mat_axpy(y, a, x) op2_mat_axpy_at(OP2_HERE, y, a, x)
/** Queue: Y = X; see op2_mat_copy_at(). */
#define op2_mat_copy(x, y) op2_mat_copy_at(OP2_HERE, x, y)
/** Queue: a norm of a matrix; see op2_mat_norm_at(). */
#define op2_mat_norm(mat, norm, result) op2_mat_norm_at(OP2_HERE, mat, norm, result)

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_PETSC_H
#define OP2_PETSC_H

/** @cond */
/* Leave out MPI's old interface for C++, which would need another library. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
/** @endcond */
#include <petscksp.h>

#include "op2/matrix.h"
#include "op2/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file petsc.h
 * Matrices and dats as PETSc's Mat and Vec, and PETSc's solvers behind op2_solve(). These functions
 * are in a library of their own, libop2-petsc (`pkg-config op2-petsc`); libop2 itself does not use
 * PETSc, and op2.h does not include this header.
 *
 * PETSc works in double precision here: matrices and dats of float are handed over as converted
 * copies.
 *
 * Rows are numbered as PETSc numbers them: those of a rank follow those of the rank before, and are
 * in the library's order, which is the program's until a set is partitioned or renumbered. Mat and
 * Vec agree in that. Row i of a set with dim d is rows d * i to d * i + d - 1.
 *
 * The program may use a Mat or Vec between the call that gives it and the one that ends that, and
 * its values are read or written as the access says, by PETSc's functions. In between, loops that
 * would conflict with that cannot be queued, as with op2_dat_read_begin().
 *
 * PETSc may be initialised by the program, before op2_petsc_use() or after, or by the library: then
 * options are those of PETSC_OPTIONS, of .petscrc files, and of the arguments that op2_petsc_use()
 * got, and PETSc is finalised when MPI is, or at the end of the process. The program's
 * PetscInitialize() does nothing then, and its PetscFinalize() is obeyed: the library's PETSc
 * objects go with it. The program's own PETSc objects may come and go at any time.
 *
 * PETSc is called by one thread of a process at a time; with several ranks also by one context at a
 * time. Its errors are OP2_ERR_CALL, with PETSc's own message; PETSc itself does not print them. */

/** @brief From now on PETSc solves this context's systems of equations, but for those of solvers
 * that request op2 (::OP2_LIBRARY_OP2).
 *
 * If a solver's options name a method or preconditioner, it is PETSc's of that name, with residuals
 * that are those of the system (KSP_NORM_UNPRECONDITIONED; GMRES and BiCGSTAB preconditioned from
 * the right); MINRES has those of its preconditioner. Otherwise it is PETSc's own default, GMRES
 * with ILU(0) on each rank. PETSc's options override this: -ksp_type, -pc_type and all others, with
 * the solver's prefix in front. A matrix with blocks is BAIJ for preconditioners that take blocks
 * (none, jacobi, pbjacobi, bjacobi, asm, ilu, icc, lu, cholesky, sor and redundant, with PETSc's
 * own factorisations), and AIJ for all others, such as gamg, which the log reports (OP2_LOG=3);
 * -mat_type overrides the choice.
 * @shape  argv[argc], or 0 and null
 * @units  PETSc's options, for when the library initialises it
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    collective
 * @errors OP2_ERR_STATE (no context; MPI is finalized), OP2_ERR_UNAVAILABLE (ranks that are not of
 *         op2_init_mpi(); a library of another build), OP2_ERR_CALL
 * @source PETSc PetscInitialize */
OP2_API OP2_NODISCARD op2_status op2_petsc_use(op2_context ctx, int argc, char **argv);

/** @brief A matrix as a Mat.
 * `type` is MATAIJ, MATBAIJ (square blocks), or null: BAIJ for square blocks of more than one
 * value, else AIJ. An AIJ of doubles without blocks, alone on one rank, has the matrix's own
 * memory, if the sparsity was made after op2_petsc_use(). Others are copies, one for each assembly:
 * what has not changed since is not copied again. The Mat of a type is the same each time, until
 * sets are renumbered, and keeps its options. A null space, that of the transpose and a near null
 * space (MatSetNullSpace(), MatSetTransposeNullSpace(), MatSetNearNullSpace()) that the program
 * sets, or removes by null, hold for the matrix as any type, and so for op2_solve(). The nonzero
 * structure stays as it is. A dense row (op2_set_create_single()) is of type MATTRANSPOSEVIRTUAL:
 * the transpose of an AIJ, which MatTransposeGetMat() has and in which values are changed. The
 * local numbers of rows and columns (MatSetValuesLocal(), MatZeroRowsLocal(),
 * MatGetLocalToGlobalMapping()) are those that the program has for the elements on this rank, with
 * the halo; with blocks, those of MatSetValuesBlockedLocal().
 *
 * A Mat that is handed out for OP2_READ must not be changed. If the Mat has another state
 * afterwards (PetscObjectState), on any rank, a new copy is made for its next use, and the matrix
 * is as it was; if the Mat has the matrix's own memory, this counts as a change of the matrix. The
 * same holds for a Vec.
 * @units  access: OP2_READ, OP2_RW        @memory the Mat is the library's; not to be destroyed
 * @sync   runs what the values depend on, and waits
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_ACCESS, OP2_ERR_TYPE (BAIJ of blocks that are not square, or of a
 *         dense row),
 *         OP2_ERR_RANGE (more than PETSc's integers count), OP2_ERR_STATE (it is open; PETSc is not
 *         initialised), OP2_ERR_NOMEM, OP2_ERR_CALL, and the failure of a loop that the values
 *         depend on; on error *A is untouched
 * @source PyOP2 Mat.handle; PETSc MatCreateMPIAIJWithArrays */
OP2_API OP2_NODISCARD op2_status op2_mat_petsc(op2_mat mat, op2_access access, MatType type,
                                               Mat *A);

/** @brief End the use of a Mat: *A becomes null. After OP2_RW the values are those of the Mat.
 * @memory as op2_mat_petsc()              @sync   runs nothing
 * @mpi    collective                      @errors OP2_ERR_ARG, OP2_ERR_STATE, OP2_ERR_CALL
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_mat_petsc_end(op2_mat mat, Mat *A);

/** @brief Matrices in blocks, as op2_solve_nested() takes them, as one Mat of type MATNEST.
 * Block (i, j) is the Mat that op2_mat_petsc() gives for mats[i][j], of this type, or zeros where
 * that is null. The matrices of a row have the same set of rows and row_dim, and those of a column
 * the same set of columns and column_dim; some matrix of each row and column is not null. The rows
 * of a rank are those of the blocks, one after the other, and so are its columns: MatNestGetISs()
 * has them, for PCFieldSplitSetIS() and for Vec (VecISCopy()). Local numbers are put together in
 * the same way (MatNestGetLocalISs()). The Mat is made by each call, and with it what is set at it
 * alone; the blocks keep theirs. A matrix that is several blocks can only be read.
 * @shape  mats[nrows][ncolumns], 1 to 16 each
 * @units  access: OP2_READ, OP2_RW        @memory the Mat is the library's; not to be destroyed
 * @sync   runs what the values depend on, and waits
 * @mpi    collective
 * @errors as op2_mat_petsc(); OP2_ERR_MISMATCH (blocks that do not fit together or are of two
 *         contexts), OP2_ERR_ARG (a row or column that is all null); on error *A is untouched, and
 *         no block is open
 * @source PETSc MatCreateNest; PyOP2 Mat.handle of a mixed sparsity */
OP2_API OP2_NODISCARD op2_status op2_nested_petsc(int nrows, int ncolumns, const op2_mat *mats,
                                                  op2_access access, MatType type, Mat *A);

/** @brief End the use of a Mat of op2_nested_petsc(): it is destroyed, and *A becomes null, also if
 * a block fails. After OP2_RW the matrices have the values of the blocks.
 * @shape  mats[nrows][ncolumns], those that it was made of
 * @units  blocks                          @memory as op2_nested_petsc()
 * @sync   runs nothing
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (other matrices than it was made of; *A is untouched);
 *         OP2_ERR_STATE, OP2_ERR_CALL: the first failure of a block, where all others are ended
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_nested_petsc_end(int nrows, int ncolumns, const op2_mat *mats,
                                                      Mat *A);

/** @brief A dat as a Vec: its owned rows. Of a dat of doubles it is the dat's own memory.
 * @units  access: OP2_READ, OP2_RW, or OP2_WRITE of all values; dats of double or float
 * @memory the Vec is the library's; not to be destroyed
 * @sync   runs what the values depend on, and waits
 * @mpi    collective
 * @errors as op2_mat_petsc(); OP2_ERR_TYPE (a dat of integers)
 * @source PyOP2 Dat.vec, vec_ro, vec_wo; PETSc VecCreateMPIWithArray */
OP2_API OP2_NODISCARD op2_status op2_dat_petsc(op2_dat dat, op2_access access, Vec *v);

/** @brief End the use of a Vec: *v becomes null. After OP2_RW and OP2_WRITE the values are those of
 * the Vec.
 * @memory as op2_dat_petsc()              @sync   runs nothing
 * @mpi    collective                      @errors OP2_ERR_ARG, OP2_ERR_STATE, OP2_ERR_CALL
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_petsc_end(op2_dat dat, Vec *v);

/** @brief An operator as a Mat of type MATSHELL, for solvers of PETSc that the program calls
 * itself. Its products call the operator's function and run what that queues.
 * @memory the Mat is the library's, and there as long as the operator
 * @sync   never blocks; products run loops
 * @mpi    collective                      @errors as op2_mat_petsc()
 * @source PETSc MatCreateShell */
OP2_API OP2_NODISCARD op2_status op2_operator_petsc(op2_operator op, Mat *A);

/** @brief The KSP behind a solver, for settings that have no option: splits of fields, monitors, a
 * null space; and afterwards the reason why it ended. The options of PETSc's database are read by
 * the first solve.
 * @memory the KSP is the library's, and there as long as the solver
 * @sync   runs nothing                    @mpi    collective
 * @errors as op2_mat_petsc(); on error *ksp is untouched
 * @source PETSc KSPCreate */
OP2_API OP2_NODISCARD op2_status op2_solver_petsc(op2_solver solver, KSP *ksp);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of equations that PETSc solves. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "log.h"
#include "mesh.h"
#include "petsc_calls.h"
#include "petsc_copy.h"
#include "petsc_objects.h"

/* PETSc's objects for a solver, kept with it. */
struct kept_solver {
  struct op2i_petsc_kept kept;
  const struct op2i_companion *op2;
  KSP ksp;
  bool configured;  /* the options of the database have been read */
  bool split;       /* its preconditioner knows the fields of a nested matrix */
  bool logged_type; /* the log has the reason why matrices are AIJ */
  /* The system that it solved last; another system makes it start afresh. */
  int n;
  Mat part[OP2I_BLOCKS_MOST * OP2I_BLOCKS_MOST]; /* of a nested matrix; not owned */
  int64_t changes[OP2I_BLOCKS_MOST * OP2I_BLOCKS_MOST];
  bool flat;        /* `whole` is up to date with the values of `nest` */
  Mat nest, whole;  /* owned; `whole` is set if `nest` is converted to one matrix */
  Mat last;         /* only compared */
  char details[80]; /* why the solve ended, in PETSc's words */
};

static void drop_solver(struct op2i_petsc_kept *kept) {
  struct kept_solver *own = (struct kept_solver *)kept;
  if (own->ksp) (void)KSPDestroy(&own->ksp);
  if (own->nest) (void)MatDestroy(&own->nest);
  if (own->whole) (void)MatDestroy(&own->whole);
  own->configured = own->split = false;
  own->n = 0;
  own->last = NULL;
}

static void free_kept(void *data) {
  struct kept_solver *own = data;
  op2i_petsc_let_go(&own->kept);
  own->op2->free(own);
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* Null: PETSc's default. */
static const struct op2i_method_kind *method_of(const struct op2i_companion *op2,
                                                const op2_solver_options *o) {
  return o->method ? op2->method_kind(o->method) : NULL;
}

/* Residuals are those of the system, for methods that support it; a method named in the database
 * uses its own norm. */
static PetscErrorCode choose_norm(KSP ksp, const op2_solver_options *o,
                                  const struct op2i_method_kind *method) {
  PetscBool named = PETSC_FALSE;
  PetscErrorCode code = PetscOptionsHasName(NULL, o->prefix, "-ksp_type", &named);
  if (code || named || (method && method->definite)) return code;
  code = KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED);
  if (!code && !(method && method->symmetric)) code = KSPSetPCSide(ksp, PC_RIGHT);
  return code;
}

static PetscErrorCode set_options(const struct op2i_companion *op2, KSP ksp,
                                  const op2_solver_options *o) {
  PC pc;
  const struct op2i_method_kind *method = method_of(op2, o);
  PCType preconditioner =
      o->preconditioner ? op2->preconditioner_kind(o->preconditioner)->petsc : NULL;
  PetscErrorCode code = KSPSetOptionsPrefix(ksp, *o->prefix ? o->prefix : NULL);
  if (!code) code = KSPSetTolerances(ksp, o->rtol, o->atol, o->dtol, o->iterations);
  if (!code) code = KSPSetType(ksp, method ? method->petsc : KSPGMRES);
  if (!code) code = KSPGMRESSetRestart(ksp, o->restart); /* no effect on other methods */
  if (!code) code = KSPGetPC(ksp, &pc);
  if (!code && preconditioner) code = PCSetType(pc, preconditioner);
  return code ? code : choose_norm(ksp, o, method);
}

/* Report residuals to the timeline, and to the function that follows the solver, if there is one. */
static PetscErrorCode report(KSP ksp, PetscInt iteration, PetscReal residual, void *context) {
  const struct op2_solver_s *solver = context;
  const struct kept_solver *own = solver->kept.data;
  (void)ksp;
  own->op2->solver_trace(solver, (double)residual);
  if (solver->monitor) solver->monitor(solver->monitor_data, (int)iteration, (double)residual);
  return 0;
}

static PetscErrorCode make_ksp(struct kept_solver *own, MPI_Comm comm, op2_solver solver) {
  PetscErrorCode code = KSPCreate(comm, &own->ksp);
  if (!code) code = PetscObjectSetName((PetscObject)own->ksp, solver->obj.name);
  if (!code) code = KSPMonitorSet(own->ksp, report, solver, NULL);
  return code ? code : set_options(own->op2, own->ksp, &solver->options);
}

static op2_status have_kept(struct op2i_petsc_scope *scope, op2_solver solver, MPI_Comm comm,
                            struct kept_solver **out) {
  struct kept_solver *own = solver->kept.data;
  op2_status status = OP2_SUCCESS;
  if (!own) {
    own = scope->op2->calloc(1, sizeof *own);
    if (own) {
      own->kept.drop = drop_solver;
      own->op2 = scope->op2;
      solver->kept = (struct op2i_kept){own, free_kept};
    } else
      status = scope->op2->error_nomem("a solver of PETSc");
  }
  if (solver->obj.ctx->comm) status = scope->op2->agree(solver->obj.ctx->comm, status);
  if (status) return status;
  PetscErrorCode code = op2i_petsc_keep(&own->kept);
  if (!code && !own->ksp) code = make_ksp(own, comm, solver);
  *out = own;
  return op2i_petsc_status(scope, code, "solver", solver->obj.name);
}

op2_status op2_solver_petsc(op2_solver solver, KSP *ksp) {
  struct op2i_petsc_scope scope;
  struct kept_solver *own = NULL;
  MPI_Comm comm;
  op2_status status = op2i_petsc_enter(&scope, "op2_solver_petsc");
  if (status) return status;
  scope.op2->object_call(solver, OP2I_SOLVER, "op2_solver_petsc", NULL, 0);
  status = scope.op2->validate(solver, OP2I_SOLVER, "op2_solver_petsc");
  if (!status && !ksp)
    status = scope.op2->error(OP2_ERR_ARG, "op2_solver_petsc: solver '%s': a null pointer",
                              solver->obj.name);
  if (!status) status = op2i_petsc_comm(scope.op2, solver->obj.ctx, &comm);
  if (!status) status = have_kept(&scope, solver, comm, &own);
  if (!status) *ksp = own->ksp;
  op2i_petsc_leave(&scope);
  return status;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Read the text of an option of the database, with the solver's prefix; if it is not set, `text` is
 * unchanged. */
static PetscErrorCode option(op2_solver solver, const char *name, char text[60]) {
  PetscBool set;
  const char *prefix = *solver->options.prefix ? solver->options.prefix : NULL;
  return PetscOptionsGetString(NULL, prefix, name, text, 60, &set);
}

/* True for preconditioners that accept matrices of blocks; all others get AIJ. */
static bool takes_blocks(const char *pc) {
  static const char *const types[] = {PCNONE, PCJACOBI, PCPBJACOBI, PCBJACOBI, PCASM,      PCILU,
                                      PCICC,  PCLU,     PCCHOLESKY, PCSOR,     PCREDUNDANT};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    if (!strcmp(types[t], pc)) return true;
  return false;
}

/* *blocks is true if the solver's preconditioner, as it is or as options of the database will make
 * it, accepts blocks: the preconditioner itself, its part on each rank or block, and the package
 * that factorises. */
static PetscErrorCode look_at_preconditioner(const struct kept_solver *own, op2_solver solver,
                                             char pc[60], bool *blocks) {
  char sub[60] = "ilu", package[60] = "petsc";
  PC of;
  PCType type = NULL;
  PetscErrorCode code = KSPGetPC(own->ksp, &of);
  if (!code) code = PCGetType(of, &type);
  snprintf(pc, 60, "%s", type ? type : "ilu");
  if (!code && !own->configured) code = option(solver, "-pc_type", pc);
  if (!code) code = option(solver, "-sub_pc_type", sub);
  if (!code) code = option(solver, "-pc_factor_mat_solver_type", package);
  if (!code) code = option(solver, "-sub_pc_factor_mat_solver_type", package);
  *blocks = takes_blocks(pc) && takes_blocks(sub) && !strcmp(package, "petsc");
  return code;
}

/* A matrix with blocks is BAIJ if the preconditioner accepts that, unless the program requests a
 * type. */
static op2_status choose_type(struct op2i_petsc_scope *scope, const struct op2i_solve *solve,
                              struct kept_solver *own, char type[60]) {
  const op2_mat mat = *solve->system.mat;
  char pc[60];
  bool blocks = true;
  if (*type || !mat || op2i_petsc_form_of(mat, NULL) != OP2I_PETSC_BAIJ) return OP2_SUCCESS;
  PetscErrorCode code = look_at_preconditioner(own, solve->solver, pc, &blocks);
  if (code || blocks) return op2i_petsc_status(scope, code, "solver", solve->solver->obj.name);
  snprintf(type, 60, "%s", MATAIJ);
  if (!own->logged_type)
    scope->op2->log(solve->op.ctx, OP2I_LOG_INFO,
                    "solver '%s': matrix '%s' with blocks of %d * %d is of type aij, since PETSc's "
                    "preconditioner %s may not take baij (-%smat_type chooses)",
                    solve->solver->obj.name, mat->obj.name, (int)mat->row_dim, (int)mat->column_dim,
                    pc, solve->solver->options.prefix);
  own->logged_type = true;
  return OP2_SUCCESS;
}

static op2_status one_matrix(struct op2i_petsc_scope *scope, struct op2i_solve *solve, int m,
                             const char *type, int64_t changes, Mat *A) {
  op2_mat mat = solve->system.mat[m];
  int form = op2i_petsc_form_of(mat, *type ? type : NULL);
  if (form >= 0) return op2i_petsc_mat(scope, mat, form, changes, A);
  return scope->op2->error(
      OP2_ERR_OPTION,
      "solver '%s': -mat_type %s: matrix '%s' with blocks of %d * %d cannot be "
      "of that type",
      solve->solver->obj.name, type, mat->obj.name, (int)mat->row_dim, (int)mat->column_dim);
}

/* Different parts make a new nested matrix; changed values of the same parts make it assembled
 * again. */
static PetscErrorCode nest(struct kept_solver *own, MPI_Comm comm, int n, Mat *parts,
                           const int64_t *changes) {
  const size_t all = (size_t)(n * n);
  bool same = own->nest && own->n == n && !memcmp(own->part, parts, all * sizeof *parts);
  bool changed = memcmp(own->changes, changes, all * sizeof *changes) != 0;
  PetscErrorCode code = 0;
  memcpy(own->part, parts, all * sizeof *parts);
  memcpy(own->changes, changes, all * sizeof *changes);
  if (!same) {
    code = MatDestroy(&own->nest);
    if (!code) code = MatDestroy(&own->whole);
    if (!code) code = MatCreateNest(comm, n, NULL, n, NULL, parts, &own->nest);
    own->n = code ? 0 : n;
    own->flat = false;
  } else if (changed) {
    code = MatAssemblyBegin(own->nest, MAT_FINAL_ASSEMBLY);
    if (!code) code = MatAssemblyEnd(own->nest, MAT_FINAL_ASSEMBLY);
    own->flat = false;
  }
  return code;
}

/* Convert the nested matrix to one matrix. */
static PetscErrorCode flatten(struct kept_solver *own, const char *type) {
  if (own->flat) return 0;
  PetscErrorCode code =
      MatConvert(own->nest, type, own->whole ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &own->whole);
  own->flat = !code;
  return code;
}

static op2_status nested(struct op2i_petsc_scope *scope, struct op2i_solve *solve,
                         struct kept_solver *own, MPI_Comm comm, const char *type,
                         const int64_t *changes, Mat *A) {
  const int n = solve->system.n;
  const bool flat = *type && strcmp(type, MATNEST) != 0;
  Mat parts[OP2I_BLOCKS_MOST * OP2I_BLOCKS_MOST] = {NULL};
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < n * n && !status; m++)
    if (solve->system.mat[m])
      status = one_matrix(scope, solve, m, flat ? MATAIJ : "", changes[m], &parts[m]);
  if (status) return status;
  PetscErrorCode code = nest(own, comm, n, parts, changes);
  if (!code && flat) code = flatten(own, type);
  *A = flat ? own->whole : own->nest;
  return op2i_petsc_status(scope, code, "solver", solve->solver->obj.name);
}

/* Get the matrix of the system, and the one of which the preconditioner is made. */
static op2_status matrices(struct op2i_petsc_scope *scope, struct op2i_solve *solve,
                           struct kept_solver *own, MPI_Comm comm, const int64_t *changes, Mat *A,
                           Mat *P) {
  char type[60];
  const struct op2i_system *system = &solve->system;
  *type = '\0';
  PetscErrorCode code = option(solve->solver, "-mat_type", type);
  op2_status status = op2i_petsc_status(scope, code, "solver", solve->solver->obj.name);
  if (status) return status;
  if (system->n > 1) {
    status = nested(scope, solve, own, comm, type, changes, A);
    *P = *A;
    return status;
  }
  status = choose_type(scope, solve, own, type);
  if (status) return status;
  if (*system->shell) status = op2i_petsc_shell(scope, *system->shell, A);
  if (!status && *system->mat) status = one_matrix(scope, solve, 0, type, *changes, P);
  if (!status && !*system->shell) *A = *P;
  if (!status && !*system->mat) *P = *A;
  return status;
}

/* ---- the vectors ----------------------------------------------------------------------------- */

/* Vectors of one dat use its memory; those of several dats are copies, one after the other. */
struct vectors {
  void *x[OP2I_BLOCKS_MOST], *b[OP2I_BLOCKS_MOST];
  Vec vx, vb;
};

static op2_status find_rows(const struct op2i_companion *op2, const struct op2i_solve *solve,
                            struct vectors *v) {
  const struct op2i_system *system = &solve->system;
  op2_access access = solve->solver->options.start_at_zero ? OP2_WRITE : OP2_RW;
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < system->n && !status; i++) {
    status = op2->host_rows(system->b[i], OP2_READ, &v->b[i]);
    if (!status) status = op2->host_rows(system->x[i], access, &v->x[i]);
    if (!status) op2->make_stale(system->x[i]);
  }
  return status;
}

static PetscErrorCode copy_blocks(const struct op2i_system *system, op2_dat *dats, void **rows,
                                  Vec v, bool back) {
  PetscScalar *values;
  PetscErrorCode code = VecGetArray(v, &values);
  if (code) return code;
  int64_t at = 0;
  for (int i = 0; i < system->n; i++) {
    int64_t n = dats[i]->set->ends[OP2I_OWNED] * dats[i]->dim;
    op2i_petsc_convert(dats[i]->type, n, rows[i], values + at, back);
    at += n;
  }
  return VecRestoreArray(v, &values);
}

static PetscErrorCode make_vectors(const struct op2i_solve *solve, MPI_Comm comm, Mat A,
                                   struct vectors *v) {
  const struct op2i_system *system = &solve->system;
  bool reads = !solve->solver->options.start_at_zero;
  PetscErrorCode code;
  if (system->n == 1) {
    code = op2i_petsc_vec(comm, *system->x, v->x[0], reads, &v->vx);
    return code ? code : op2i_petsc_vec(comm, *system->b, v->b[0], true, &v->vb);
  }
  PetscInt rows, columns;
  code = MatGetLocalSize(A, &rows, &columns);
  if (!code) code = VecCreateMPI(comm, rows, PETSC_DETERMINE, &v->vb);
  if (!code) code = VecDuplicate(v->vb, &v->vx);
  if (!code && reads) code = copy_blocks(system, system->x, v->x, v->vx, false);
  return code ? code : copy_blocks(system, system->b, v->b, v->vb, false);
}

static PetscErrorCode end_vectors(const struct op2i_solve *solve, struct vectors *v, bool solved) {
  const struct op2i_system *system = &solve->system;
  PetscErrorCode code = 0;
  if (system->n > 1 && v->vx && solved) code = copy_blocks(system, system->x, v->x, v->vx, true);
  if (system->n > 1) {
    PetscErrorCode end = VecDestroy(&v->vx);
    code = code ? code : end;
    end = VecDestroy(&v->vb);
    return code ? code : end;
  }
  if (v->vx) code = op2i_petsc_vec_end(*system->x, v->x[0], solved, &v->vx);
  PetscErrorCode end = v->vb ? op2i_petsc_vec_end(*system->b, v->b[0], false, &v->vb) : 0;
  return code ? code : end;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Give the fields of a nested matrix to a preconditioner that splits. */
static PetscErrorCode split(struct kept_solver *own, int n) {
  IS rows[OP2I_BLOCKS_MOST];
  PetscBool splits = PETSC_FALSE;
  PC pc;
  PetscErrorCode code = KSPGetPC(own->ksp, &pc);
  if (!code) code = PetscObjectTypeCompare((PetscObject)pc, PCFIELDSPLIT, &splits);
  if (code || !splits || own->split) return code;
  code = MatNestGetISs(own->nest, rows, NULL);
  for (int i = 0; i < n && !code; i++) {
    char name[12];
    snprintf(name, sizeof name, "%d", i);
    code = PCFieldSplitSetIS(pc, name, rows[i]);
  }
  own->split = !code;
  return code;
}

/* A preconditioner used alone does not read the initial x. */
static PetscErrorCode set_guess(KSP ksp, bool guess) {
  PetscBool alone = PETSC_FALSE;
  PetscErrorCode code = PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &alone);
  return code ? code : KSPSetInitialGuessNonzero(ksp, guess && !alone ? PETSC_TRUE : PETSC_FALSE);
}

static PetscErrorCode prepare_solver(struct kept_solver *own, const struct op2i_solve *solve, Mat A,
                                     Mat P) {
  PetscErrorCode code = 0;
  PC pc;
  if (own->last && own->last != P) {
    code = KSPReset(own->ksp);
    own->split = false;
  }
  if (!code) code = KSPSetOperators(own->ksp, A, P);
  /* PETSc can make no preconditioner of an operator's loops, unless there is a function for the
   * diagonal. */
  const op2_operator shell = solve->system.n == 1 ? *solve->system.shell : NULL;
  if (!code && shell && A == P && !own->configured) {
    const bool diagonal =
        shell->desc.diagonal && solve->solver->options.preconditioner != OP2_PRECONDITIONER_NONE;
    code = KSPGetPC(own->ksp, &pc);
    if (!code) code = PCSetType(pc, diagonal ? PCJACOBI : PCNONE);
  }
  if (!code && !own->configured) code = KSPSetFromOptions(own->ksp);
  own->configured = !code;
  own->last = P;
  if (!code && solve->system.n > 1) code = split(own, solve->system.n);
  return code ? code : set_guess(own->ksp, !solve->solver->options.start_at_zero);
}

static op2_reason reason_of(KSPConvergedReason reason) {
  switch (reason) {
  case KSP_CONVERGED_RTOL:
  case KSP_CONVERGED_RTOL_NORMAL: return OP2_CONVERGED_RTOL;
  case KSP_CONVERGED_ATOL:
  case KSP_CONVERGED_ATOL_NORMAL: return OP2_CONVERGED_ATOL;
  case KSP_DIVERGED_ITS: return OP2_DIVERGED_ITERATIONS;
  case KSP_DIVERGED_DTOL: return OP2_DIVERGED_DTOL;
  case KSP_DIVERGED_NANORINF: return OP2_DIVERGED_NAN;
  case KSP_DIVERGED_INDEFINITE_PC:
  case KSP_DIVERGED_INDEFINITE_MAT: return OP2_DIVERGED_INDEFINITE;
  case KSP_DIVERGED_BREAKDOWN:
  case KSP_DIVERGED_BREAKDOWN_BICG: return OP2_DIVERGED_BREAKDOWN;
  case KSP_DIVERGED_PC_FAILED: return OP2_DIVERGED_PRECONDITIONER;
  default: return reason > 0 ? OP2_CONVERGED_OTHER : OP2_DIVERGED_OTHER;
  }
}

static PetscErrorCode read_result(struct kept_solver *own, op2_solve_result *result) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  const char *words = NULL;
  PetscInt iterations = 0;
  PetscReal residual = 0;
  PetscErrorCode code = KSPGetConvergedReason(own->ksp, &reason);
  if (!code) code = KSPGetIterationNumber(own->ksp, &iterations);
  if (!code) code = KSPGetResidualNorm(own->ksp, &residual);
  if (!code) code = KSPGetConvergedReasonString(own->ksp, &words);
  if (code) return code;
  snprintf(own->details, sizeof own->details, "PETSc's %s", words ? words : "reason is unknown");
  *result = (op2_solve_result){reason_of(reason), (int)iterations, residual};
  return 0;
}

/* Solve in the program's floating-point environment: an option of PETSc decides about traps, and
 * callbacks belong to the program. */
static PetscErrorCode solve_by(struct kept_solver *own, const struct op2i_solve *solve, Mat A,
                               Mat P, const struct vectors *v) {
  struct op2i_fp_scope *window = own->op2->fp_window_open();
  PetscErrorCode code = prepare_solver(own, solve, A, P);
  if (!code) code = KSPSolve(own->ksp, v->vb, v->vx);
  own->op2->fp_window_close(window, true);
  return code;
}

static op2_status solve_by_petsc(struct op2i_petsc_scope *scope, struct op2i_solve *solve,
                                 const int64_t *changes, op2_solve_result *result,
                                 const char **details) {
  const struct op2i_companion *op2 = scope->op2;
  op2_context ctx = solve->op.ctx;
  struct kept_solver *own = NULL;
  struct vectors v = {.vx = NULL, .vb = NULL};
  Mat A = NULL, P = NULL;
  MPI_Comm comm;
  op2_status status = op2i_petsc_comm(op2, ctx, &comm);
  if (!status) status = have_kept(scope, solve->solver, comm, &own);
  if (!status) status = matrices(scope, solve, own, comm, changes, &A, &P);
  if (status) return status;
  status = find_rows(op2, solve, &v);
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (status) return status;
  bool solved = false;
  PetscErrorCode code = make_vectors(solve, comm, A, &v);
  if (!code) code = solve_by(own, solve, A, P, &v);
  solved = !code;
  if (!code) code = read_result(own, result);
  PetscErrorCode end = end_vectors(solve, &v, solved);
  if (!code) *details = own->details;
  return op2i_petsc_status(scope, code ? code : end, "solver", solve->solver->obj.name);
}

static op2_status solve_with_petsc(struct op2i_solve *solve, const int64_t *changes,
                                   op2_solve_result *result, const char **details) {
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, "op2_solve");
  if (status) return status;
  status = solve_by_petsc(&scope, solve, changes, result, details);
  op2i_petsc_leave(&scope);
  return status;
}

/* ---- properties that the method requires ----------------------------------------------------- */

/* The type that the solver's KSP has or will have; empty: none was chosen. Options of the database
 * take precedence and are read by the first solve. */
static PetscErrorCode name_type(const struct op2i_companion *op2, op2_solver solver,
                                char name[60]) {
  const struct kept_solver *own = solver->kept.data;
  const struct op2i_method_kind *method = method_of(op2, &solver->options);
  KSPType type = method ? method->petsc : NULL;
  PetscErrorCode code = own && own->ksp ? KSPGetType(own->ksp, &type) : 0;
  snprintf(name, 60, "%s", type ? type : "");
  if (!code && !(own && own->configured)) code = option(solver, "-ksp_type", name);
  return code;
}

static const char *symmetric_method(op2_solver solver) {
  static const char *const types[] = {KSPCG,      KSPMINRES, KSPSYMMLQ,  KSPCR,
                                      KSPFCG,     KSPPIPECG, KSPGROPPCG, KSPPIPECR,
                                      KSPPIPEFCG, KSPNASH,   KSPSTCG,    KSPGLTR};
  struct op2i_petsc_scope scope;
  char name[60] = "";
  const char *found = NULL;
  if (op2i_petsc_enter(&scope, "op2_solve")) return NULL;
  PetscErrorCode code = name_type(scope.op2, solver, name);
  for (size_t t = 0; t < sizeof types / sizeof *types && !code; t++)
    if (!strcmp(types[t], name)) found = types[t];
  op2i_petsc_leave(&scope);
  return found;
}

const struct op2i_engine op2i_petsc_engine = {"PETSc", solve_with_petsc, symmetric_method};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Solvers: their options, and the results of their solves. */
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "krylov.h"
#include "mem.h"
#include "trace.h"

static void release_solver(void *object) {
  op2_solver solver = object;
  op2i_kept_free(&solver->kept);
  op2i_workspace_free(&solver->work);
  op2i_free(solver->prefix);
}

static op2_status check_options(const op2_solver_options *o, const char *name) {
  if (!op2i_method_kind(o->method))
    return op2i_error(OP2_ERR_OPTION, "solver '%s': %d is not an op2_method", name, (int)o->method);
  if (!op2i_preconditioner_kind(o->preconditioner))
    return op2i_error(OP2_ERR_OPTION, "solver '%s': %d is not an op2_preconditioner", name,
                      (int)o->preconditioner);
  if (o->library < OP2_LIBRARY_DEFAULT || o->library > OP2_LIBRARY_PETSC)
    return op2i_error(OP2_ERR_OPTION, "solver '%s': %d is not an op2_library", name,
                      (int)o->library);
  /* The comparisons are false for NaN. */
  if (!(o->rtol >= 0 && o->atol >= 0 && o->dtol >= 0))
    return op2i_error(OP2_ERR_OPTION, "solver '%s': tolerances %g, %g and %g", name, o->rtol,
                      o->atol, o->dtol);
  if (o->restart < 0 || o->restart > OP2I_RESTART_MOST)
    return op2i_error(OP2_ERR_OPTION,
                      "solver '%s': begun anew after %d iterations, and 100 are the most", name,
                      o->restart);
  if (o->iterations >= 0) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_OPTION, "solver '%s': %d iterations", name, o->iterations);
}

static void fill_in(op2_solver_options *o) {
  if (o->rtol == 0) o->rtol = 1e-8;
  if (o->atol == 0) o->atol = 1e-50;
  if (o->dtol == 0) o->dtol = 1e5;
  if (!o->iterations) o->iterations = 10000;
  if (!o->restart) o->restart = 30;
}

static op2_status make_solver(op2_context ctx, const op2_solver_options *options, const char *name,
                              op2_solver *out) {
  static const op2_solver_options none;
  if (!options) options = &none;
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(ctx, OP2I_SOLVER, name, room);
  op2_status status = check_options(options, name);
  if (status) return status;
  op2_solver solver = op2i_calloc(1, sizeof *solver);
  char *prefix = op2i_strdup(options->prefix ? options->prefix : "");
  status = solver && prefix ? OP2_SUCCESS : op2i_error_nomem("a solver");
  if (!status) status = op2i_object_init(solver, ctx, OP2I_SOLVER, name, release_solver);
  if (status) {
    op2i_free(prefix);
    op2i_free(solver);
    return status;
  }
  solver->options = *options;
  solver->options.prefix = solver->prefix = prefix;
  solver->own_rtol = options->rtol > 0;
  fill_in(&solver->options);
  *out = solver;
  return OP2_SUCCESS;
}

static uint64_t digest(const op2_solver_options *o, const char *name) {
  uint64_t digest = op2i_digest_text(0, name);
  if (!o) return digest;
  const double tolerances[] = {o->rtol, o->atol, o->dtol};
  const int32_t choices[] = {(int32_t)o->method, (int32_t)o->preconditioner, o->iterations,
                             o->restart,         o->start_at_zero,           o->allow_failure,
                             (int32_t)o->library};
  digest = op2i_digest_bytes(digest, tolerances, sizeof tolerances);
  return op2i_digest_text(op2i_digest_bytes(digest, choices, sizeof choices), o->prefix);
}

op2_status op2_solver_create(op2_context ctx, const op2_solver_options *options, const char *name,
                             op2_solver *out) {
  OP2I_FP_DEFAULT;
  op2_solver solver = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_solver_create");
  if (status) return status;
  op2i_context_call(ctx, "op2_solver_create", name, 0, 0);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_solver_create: where to put the solver is null");
  status = op2i_context_agree(ctx, make_solver(ctx, options, name, &solver));
  if (!status) op2i_context_call(ctx, "op2_solver_create", name, digest(options, name), 0);
  if (status)
    op2_solver_destroy(&solver);
  else
    *out = solver;
  return status;
}

void op2i_solver_trace(const struct op2_solver_s *solver, double residual) {
  struct op2i_trace *trace = solver->obj.ctx->trace;
  if (trace) op2i_trace_residual(trace, solver->obj.name, residual);
}

op2_status op2_solver_monitor(op2_solver solver, op2_monitor_function function, void *data) {
  op2_status status = op2i_object_validate(solver, OP2I_SOLVER, "op2_solver_monitor");
  if (status) return status;
  solver->monitor = function;
  solver->monitor_data = data;
  return OP2_SUCCESS;
}

/* Forcing x runs the solve, unless it is cancelled. */
op2_status op2_solver_result(op2_solver solver, op2_solve_result *result) {
  op2_status status = op2i_object_validate(solver, OP2I_SOLVER, "op2_solver_result");
  if (!status) status = op2i_context_validate(solver->obj.ctx, "op2_solver_result");
  if (status) return status;
  op2i_object_call(solver, OP2I_SOLVER, "op2_solver_result", NULL, 0);
  if (!result) return op2i_error(OP2_ERR_ARG, "op2_solver_result: a null pointer");
  if (solver->last)
    status = op2i_scheduler.force(solver->obj.ctx->sched, &solver->last->system.x[0]->res, false,
                                  "op2_solver_result", solver->obj.name);
  if (status) return status;
  const op2_solve_result cancelled = {.reason = OP2_SOLVE_CANCELLED};
  *result = solver->ran < solver->queued ? cancelled : solver->result;
  return OP2_SUCCESS;
}

void op2_solver_destroy(op2_solver *solver) {
  if (!solver) return;
  if (op2i_object_leave(*solver, OP2I_SOLVER)) op2i_unref(*solver);
  *solver = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Restart cycles, which all methods share. A method updates its residual by recurrences, which
 * drift from b - A x by rounding, and more so if x was large on the way. Its claim of convergence
 * is thus checked: the residual is computed from x, and if it is not small the method begins a new
 * cycle from there, as long as cycles reduce it. */
#include <float.h>
#include <math.h>

#include "context.h"
#include "fpenv.h"
#include "krylov.h"

/* A claim of convergence is accepted within this factor: rounding in the last digits is no reason
 * to continue. */
static const double slack = 4;

/* True if squares and products of such residuals are within the range of the type. */
static bool is_moderate(op2_type type, double residual) {
  const double most = type == OP2_F64 ? 1e100 : 1e15;
  return residual > 1 / most && residual < most;
}

static op2_status norm_of(const struct op2i_workspace *w, const op2_dat *vector, op2_gbl square,
                          double *norm) {
  op2_status status = op2i_solve_norm(square, norm);
  if (status || (*norm > 1e-140 && *norm < 1e140)) return status;
  return op2i_vector_norm(w, vector, square, norm);
}

/* Compute r = b - A x, its norm, and the norm of b. */
static op2_status true_residual(struct op2i_solve *s, const op2_dat *r, double *b,
                                double *residual) {
  const struct op2i_workspace *w = &s->solver->work;
  op2_status status = op2i_solve_residual(s, r);
  if (!status) status = norm_of(w, r, w->squares[OP2I_RR], residual);
  return status ? status : norm_of(w, s->system.b, w->squares[OP2I_BB], b);
}

/* ---- one restart cycle ----------------------------------------------------------------------- */

/* Report a residual to the timeline, and to the function that follows the solver, once for each
 * iteration. */
static void report(struct op2i_round *round, double residual) {
  const struct op2_solver_s *solver = round->solver;
  if (round->it <= round->reported) return;
  round->reported = round->it;
  op2i_solver_trace(solver, residual * round->unit);
  if (!solver->monitor) return;
  struct op2i_fp_scope *scope = op2i_fp_window_open();
  solver->monitor(solver->monitor_data, round->it, residual * round->unit);
  op2i_fp_window_close(scope, true);
}

bool op2i_round_ends(struct op2i_round *round, double residual) {
  report(round, residual);
  round->arrived = residual <= round->aim;
  if (isfinite(residual) && residual > round->most) round->reason = OP2_DIVERGED_DTOL;
  return round->arrived || !isfinite(residual) || round->reason || round->it >= round->last;
}

/* If squares might overflow or vanish, the cycle solves for a correction of x, in units of the
 * residual. */
static op2_status scaled_round(struct op2i_solve *s, op2i_method *method, const op2_dat *r,
                               struct op2i_round *round) {
  const struct op2i_workspace *w = &s->solver->work;
  /* The unit is at least the smallest normal number, whose inverse is finite. */
  const double unit = fmax(ldexp(1, ilogb(round->residual)), DBL_MIN);
  op2_status status = op2i_workspace_vector(s, OP2I_CORRECTION);
  const op2_dat *correction = op2i_work(w, OP2I_CORRECTION);
  if (!status) status = op2i_vector_fill(w, correction, 0);
  if (!status) status = op2i_vector_scale(w, r, 1 / unit);
  if (status) return status;
  round->x = correction;
  round->unit = unit;
  round->residual /= unit;
  round->aim /= unit;
  round->most /= unit;
  status = method(s, round);
  /* The method has saved the correction before its last step, but the backup must hold x. */
  if (!status && round->backup) status = op2i_vector_copy(w, s->system.x, round->backup);
  if (status) return status;
  return op2i_vector_loop(w, OP2I_ADVANCE, op2i_arg_vector(s->system.x, OP2_RW),
                          op2i_arg_vector(correction, OP2_READ), op2_arg_val(&unit, 1, OP2_F64));
}

static op2_status one_round(struct op2i_solve *s, op2i_method *method, const op2_dat *r,
                            struct op2i_round *round) {
  round->x = s->system.x;
  round->known = -1;
  round->gain = 0.5;
  round->backup = NULL;
  round->turns = false;
  round->arrived = false;
  round->unit = 1;
  report(round, round->residual);
  if (!is_moderate(s->solver->work.type, round->residual)) return scaled_round(s, method, r, round);
  return method(s, round);
}

/* ---- all cycles ------------------------------------------------------------------------------ */

double op2i_solve_rtol(const struct op2i_solve *solve) {
  const op2_solver_options *options = &solve->solver->options;
  if (solve->solver->own_rtol) return options->rtol;
  return (*solve->system.x)->type == OP2_F32 ? 1e-5 : options->rtol;
}

static op2_reason reason_to_end(const struct op2i_solve *s, const struct op2i_round *round,
                                double b, double residual) {
  const op2_solver_options *options = &s->solver->options;
  const double allow = round->arrived ? slack : 1, rtol = op2i_solve_rtol(s);
  if (!isfinite(residual) || !isfinite(b)) return OP2_DIVERGED_NAN;
  if (residual <= allow * options->atol) return OP2_CONVERGED_ATOL;
  if (residual <= allow * rtol * b) return OP2_CONVERGED_RTOL;
  if (round->reason) return round->reason;
  if (b > 0 && residual > options->dtol * b) return OP2_DIVERGED_DTOL;
  return round->it >= options->iterations ? OP2_DIVERGED_ITERATIONS : OP2_NOT_SOLVED;
}

/* Judge the result of a cycle. If the method has computed b - A x, it is computed again only to
 * begin a new cycle. */
static op2_status judge_cycle(struct op2i_solve *s, const op2_dat *r, struct op2i_round *round,
                              double *b, double *residual, op2_reason *reason) {
  double norm_b = 0;
  op2_status status = OP2_SUCCESS;
  if (round->known >= 0) {
    *residual = round->known;
    *reason = reason_to_end(s, round, *b, *residual);
    if (*reason) return OP2_SUCCESS;
  }
  status = true_residual(s, r, &norm_b, residual);
  if (status) return status;
  if (*b < 0) *b = norm_b > 0 || isnan(norm_b) ? norm_b : *residual;
  *reason = reason_to_end(s, round, *b, *residual);
  return OP2_SUCCESS;
}

/* Undo a cycle that has made x worse, if the method has saved the previous x. */
static op2_status take_back(struct op2i_solve *s, const struct op2i_round *round, double before,
                            double *residual) {
  const struct op2i_workspace *w = &s->solver->work;
  if (!round->backup || *residual <= before) return OP2_SUCCESS;
  *residual = before;
  return op2i_vector_copy(w, round->backup, s->system.x);
}

/* True if the last cycle has gained too little for another one to be worth while. If the next cycle
 * takes another direction, it is tried nevertheless, as long as the solve has chances left. */
static bool stands(const struct op2i_round *round, double before, double residual, int *chances) {
  if (residual <= round->gain * before || !(before < INFINITY)) return false;
  return !round->turns || (*chances)-- == 0;
}

op2_status op2i_solve_rounds(struct op2i_solve *s, op2i_method *method, const op2_dat *r,
                             op2_solve_result *result) {
  const op2_solver_options *options = &s->solver->options;
  struct op2i_round round = {
      .known = -1, .last = options->iterations, .solver = s->solver, .reported = -1};
  double b = -1, residual = 0, before = INFINITY; /* b is not known yet */
  op2_reason reason = OP2_NOT_SOLVED;
  int chances = 10;
  op2_status status = op2i_solve_begin(s);
  while (!status) {
    status = judge_cycle(s, r, &round, &b, &residual, &reason);
    const bool ends = !status && !reason && stands(&round, before, residual, &chances);
    if (!status) status = take_back(s, &round, before, &residual);
    if (!status && ends) reason = OP2_DIVERGED_BREAKDOWN;
    if (status || reason) break;
    before = round.residual = residual;
    round.aim = fmax(options->atol, op2i_solve_rtol(s) * b);
    round.most = options->dtol * b;
    status = one_round(s, method, r, &round);
  }
  *result = (op2_solve_result){reason, round.it, residual};
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Stabilised biconjugate gradients with right preconditioning, so that residuals are those of the
 * system. At the end of an iteration the host reads the square of the residual, and the scalars
 * that must not vanish. If one does, the step that would divide by it is skipped, and a new cycle
 * begins with the current residual as shadow residual. The product of shadow and residual counts as
 * vanished if only rounding is left of it: further iterations would lead nowhere. This happens if
 * the first residual consists of boundary values alone, which one step corrects. A new cycle also
 * begins if the method has stagnated for so long that only rounding can be the reason. */
#include <float.h>
#include <math.h>

#include "halo.h"
#include "krylov.h"
#include "mesh.h"
#include "operator.h"

enum { R, SHADOW, P, PH, V, S, SH, U, DATS };
enum { RHO, RHO_NEW, SV, UR, UU, RR, GBLS }; /* SHADOW.r, SHADOW.v, u.s, u.u */
enum { START = OP2I_OWN, HALF, STEP, TURN };

static const struct op2i_kernel_source own[] = {
    {"start", "void start(const T *r, T *shadow, T *p, double *rho) {\n"
              "  for (int i = 0; i < N; i++) {\n    shadow[i] = r[i];\n    p[i] = r[i];\n"
              "    rho[0] += (double)r[i] * (double)r[i];\n  }\n}\n"},
    {"half", "void half(const T *was, const T *v, const T *d, T *r, T *sh, const double *rho,\n"
             "          const double *sv) {\n"
             "  const T alpha = sv[0] == 0 ? 0 : rho[0] / sv[0];\n"
             "  for (int i = 0; i < N; i++) r[i] = was[i] - alpha * v[i];\n"
             "  for (int i = 0; i < N; i++) sh[i] = P;\n}\n"},
    {"step",
     "void step(T *x, T *r, const T *s, const T *sh, const T *ph, const T *u, const T *shadow,\n"
     "          const double *rho, const double *sv, const double *ur, const double *uu,\n"
     "          double *rho_new, double *rr) {\n"
     "  const T alpha = sv[0] == 0 ? 0 : rho[0] / sv[0], omega = uu[0] == 0 ? 0 : ur[0] / uu[0];\n"
     "  for (int i = 0; i < N; i++) {\n"
     "    const T to = x[i] + (alpha * ph[i] + omega * sh[i]);\n"
     "    x[i] = to - to == 0 ? to : x[i];\n"
     "    r[i] = s[i] - omega * u[i];\n"
     "    rho_new[0] += (double)shadow[i] * (double)r[i];\n"
     "    rr[0] += (double)r[i] * (double)r[i];\n  }\n}\n"},
    {"turn", "void turn(T *p, const T *r, const T *v, const double *rho_new, const double *rho,\n"
             "          const double *sv, const double *ur, const double *uu) {\n"
             "  const T omega = ur[0] / uu[0];\n"
             "  const T beta = rho_new[0] / rho[0] * (rho[0] / sv[0]) / (ur[0] / uu[0]);\n"
             "  for (int i = 0; i < N; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);\n}\n"},
};

static op2_status start_cycle(const struct op2i_workspace *w) {
  op2_status status = op2i_solve_zero(w->gbls[RHO]);
  if (status) return status;
  return op2i_vector_loop(w, START, op2i_arg_vector(op2i_work(w, R), OP2_READ),
                          op2i_arg_vector(op2i_work(w, SHADOW), OP2_WRITE),
                          op2i_arg_vector(op2i_work(w, P), OP2_WRITE),
                          op2_arg_gbl(w->gbls[RHO], OP2_INC));
}

static op2_status first_half(struct op2i_solve *s, const struct op2i_workspace *w, op2_gbl rho) {
  const op2_dat *ph = op2i_work(w, PH), *v = op2i_work(w, V);
  op2_status status = op2i_solve_precondition(s, op2i_work(w, P), ph);
  if (!status) status = op2i_solve_apply(s, ph, v);
  if (!status) status = op2i_vector_dot(w, op2i_work(w, SHADOW), v, w->gbls[SV]);
  if (status) return status;
  return op2i_vector_loop(
      w, HALF, op2i_arg_vector(op2i_work(w, R), OP2_READ), op2i_arg_vector(v, OP2_READ),
      op2i_arg_vector(op2i_work(w, OP2I_FACTORS), OP2_READ),
      op2i_arg_vector(op2i_work(w, S), OP2_WRITE), op2i_arg_vector(op2i_work(w, SH), OP2_WRITE),
      op2_arg_gbl(rho, OP2_READ), op2_arg_gbl(w->gbls[SV], OP2_READ));
}

static op2_status second_half(struct op2i_solve *s, const op2_dat *x, op2_gbl rho,
                              op2_gbl rho_new) {
  const struct op2i_workspace *w = &s->solver->work;
  const op2_dat *u = op2i_work(w, U), *sh = op2i_work(w, SH);
  op2_status status = op2i_solve_apply(s, sh, u);
  if (!status) status = op2i_vector_dot(w, u, op2i_work(w, S), w->gbls[UR]);
  if (!status) status = op2i_vector_dot(w, u, u, w->gbls[UU]);
  if (!status) status = op2i_solve_zero(rho_new);
  if (!status) status = op2i_solve_zero(w->gbls[RR]);
  if (status) return status;
  return op2i_vector_loop(w, STEP, op2i_arg_vector(x, OP2_RW),
                          op2i_arg_vector(op2i_work(w, R), OP2_WRITE),
                          op2i_arg_vector(op2i_work(w, S), OP2_READ), op2i_arg_vector(sh, OP2_READ),
                          op2i_arg_vector(op2i_work(w, PH), OP2_READ), op2i_arg_vector(u, OP2_READ),
                          op2i_arg_vector(op2i_work(w, SHADOW), OP2_READ),
                          op2_arg_gbl(rho, OP2_READ), op2_arg_gbl(w->gbls[SV], OP2_READ),
                          op2_arg_gbl(w->gbls[UR], OP2_READ), op2_arg_gbl(w->gbls[UU], OP2_READ),
                          op2_arg_gbl(rho_new, OP2_INC), op2_arg_gbl(w->gbls[RR], OP2_INC));
}

static op2_status turn(const struct op2i_workspace *w, op2_gbl rho, op2_gbl rho_new) {
  return op2i_vector_loop(
      w, TURN, op2i_arg_vector(op2i_work(w, P), OP2_RW), op2i_arg_vector(op2i_work(w, R), OP2_READ),
      op2i_arg_vector(op2i_work(w, V), OP2_READ), op2_arg_gbl(rho_new, OP2_READ),
      op2_arg_gbl(rho, OP2_READ), op2_arg_gbl(w->gbls[SV], OP2_READ),
      op2_arg_gbl(w->gbls[UR], OP2_READ), op2_arg_gbl(w->gbls[UU], OP2_READ));
}

/* *good is true if no divisor of the next iteration has vanished. `size` is the product of the
 * norms of shadow and residual. */
static op2_status goes_on(const struct op2i_workspace *w, op2_gbl rho_new, double size,
                          bool *good) {
  const double least = 100 * (w->type == OP2_F64 ? DBL_EPSILON : FLT_EPSILON) * size;
  double rho = 0, ur = 0, sv = 0;
  op2_status status = op2_gbl_get(rho_new, &rho);
  if (!status) status = op2_gbl_get(w->gbls[UR], &ur);
  if (!status) status = op2_gbl_get(w->gbls[SV], &sv);
  *good = fabs(rho) > least && ur != 0 && sv != 0;
  return status;
}

/* In exact arithmetic the method would end after as many iterations as there are unknowns. The
 * residual may stay large for most of these, and fall at the end. */
static int64_t longest_plateau(const struct op2i_workspace *w) {
  int64_t unknowns = 0;
  for (int f = 0; f < w->n; f++) {
    const op2_set set = w->fields[f].rows;
    const int64_t rows = set->halo ? set->halo->global_size : set->ends[OP2I_OWNED];
    unknowns += rows * w->fields[f].dim;
  }
  return 2 * unknowns > 100 ? 2 * unknowns : 100;
}

/* The least residual of a cycle so far, and the iteration in which it was last halved. */
struct progress {
  double least;
  int64_t halved;
};

static bool stands_still(struct progress *progress, int64_t it, double residual, int64_t longest) {
  if (residual <= progress->least / 2) *progress = (struct progress){residual, it};
  return it - progress->halved >= longest;
}

static op2_status run_cycle(struct op2i_solve *s, struct op2i_round *round) {
  const struct op2i_workspace *w = &s->solver->work;
  const int64_t longest = longest_plateau(w);
  struct progress progress = {round->residual, 0};
  double residual = round->residual;
  bool good = true;
  op2_status status = start_cycle(w);
  for (int it = 0; !status && !op2i_round_ends(round, residual) && good; it++) {
    op2_gbl was = w->gbls[it % 2 ? RHO_NEW : RHO], is = w->gbls[it % 2 ? RHO : RHO_NEW];
    status = first_half(s, w, was);
    if (!status) status = second_half(s, round->x, was, is);
    if (!status) status = turn(w, was, is);
    if (!status) status = op2i_solve_norm(w->gbls[RR], &residual);
    if (!status) status = goes_on(w, is, round->residual * residual, &good);
    good = good && !stands_still(&progress, it, residual, longest);
    round->it++;
  }
  round->turns = !good;
  return status;
}

op2_status op2i_solve_bicgstab(struct op2i_solve *s, op2_solve_result *result) {
  op2_status status = op2i_workspace_make(s, DATS, GBLS, sizeof own / sizeof *own, own);
  return status ? status : op2i_solve_rounds(s, run_cycle, op2i_work(&s->solver->work, R), result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimal residuals, after Paige and Saunders: Lanczos vectors by three-term recurrences, and
 * rotations of a small matrix on the host, which reads two scalars in each iteration. Residuals are
 * in the norm of the preconditioner. Once they are small enough, b - A x is computed; while that is
 * too large, the method continues with a smaller tolerance. */
#include <float.h>
#include <math.h>

#include "krylov.h"
#include "operator.h"

enum { R2, Y, R1, V, Z, W0, W1, W2, DATS }; /* R1, R2, Y and W0, W1, W2 change roles cyclically */
enum { ALPHA, BETA2, GBLS };
enum { DIVIDE = OP2I_OWN, SUBTRACT, SUBTRACT_SEEN, TURN };

static const struct op2i_kernel_source own[] = {
    {"divide", "void divide(T *v, const T *z, const double *by) {\n"
               "  for (int i = 0; i < N; i++) v[i] = z[i] * (T)(1 / by[0]);\n}\n"},
    {"subtract", "void subtract(T *y, const T *r, const double *times) {\n"
                 "  for (int i = 0; i < N; i++) y[i] -= (T)times[0] * r[i];\n}\n"},
    {"subtract_seen",
     "void subtract_seen(T *y, const T *r, const double *alpha, const double *beta) {\n"
     "  const T times = alpha[0] / beta[0];\n"
     "  for (int i = 0; i < N; i++) y[i] -= times * r[i];\n}\n"},
    {"turn", "void turn(T *x, T *w, const T *v, const T *w1, const T *w2, const double *c) {\n"
             "  for (int i = 0; i < N; i++) {\n"
             "    w[i] = (v[i] - (T)c[0] * w1[i] - (T)c[1] * w2[i]) * (T)c[2];\n"
             "    const T to = x[i] + (T)c[3] * w[i];\n"
             "    x[i] = to - to == 0 ? to : x[i];\n  }\n}\n"},
};

/* The state of the recurrences on the host. */
struct rotation {
  double beta, old_beta, cosine, sine, phi, dbar, epsilon;
  /* A lower bound for the norm of the small matrix: much smaller values are rounding. */
  double size;
};

/* Start a cycle. The residual is in R2; *beta2 is its square in the norm of the preconditioner. */
static op2_status start_cycle(struct op2i_solve *s, double *beta2) {
  const struct op2i_workspace *w = &s->solver->work;
  const op2_dat *r2 = op2i_work(w, R2), *z = op2i_work(w, Z);
  op2_status status = op2i_solve_precondition(s, r2, z);
  if (!status) status = op2i_vector_dot(w, r2, z, w->gbls[BETA2]);
  for (int k = W0; k <= W2 && !status; k++) status = op2i_vector_fill(w, op2i_work(w, k), 0);
  return status ? status : op2_gbl_get(w->gbls[BETA2], beta2);
}

/* Compute the next Lanczos vector: y = A v - (beta / old) r1 - (alpha / beta) r2, and z = d y. */
static op2_status lanczos(struct op2i_solve *s, const struct op2i_workspace *w,
                          const struct rotation *now, const op2_dat *r1, const op2_dat *r2,
                          const op2_dat *y) {
  const double times = now->old_beta > 0 ? now->beta / now->old_beta : 0;
  const op2_dat *v = op2i_work(w, V), *z = op2i_work(w, Z);
  op2_status status =
      op2i_vector_loop(w, DIVIDE, op2i_arg_vector(v, OP2_WRITE), op2i_arg_vector(z, OP2_READ),
                       op2_arg_val(&now->beta, 1, OP2_F64));
  if (!status) status = op2i_solve_apply(s, v, y);
  if (!status && times > 0)
    status = op2i_vector_loop(w, SUBTRACT, op2i_arg_vector(y, OP2_RW),
                              op2i_arg_vector(r1, OP2_READ), op2_arg_val(&times, 1, OP2_F64));
  if (!status) status = op2i_vector_dot(w, v, y, w->gbls[ALPHA]);
  if (!status)
    status = op2i_vector_loop(w, SUBTRACT_SEEN, op2i_arg_vector(y, OP2_RW),
                              op2i_arg_vector(r2, OP2_READ), op2_arg_gbl(w->gbls[ALPHA], OP2_READ),
                              op2_arg_val(&now->beta, 1, OP2_F64));
  if (!status) status = op2i_solve_precondition(s, y, z);
  return status ? status : op2i_vector_dot(w, y, z, w->gbls[BETA2]);
}

/* Rotate. c[] are the coefficients for w and x. Returns false if the small matrix is singular. */
static bool rotate(struct rotation *r, double epsilon, double alpha, double beta, double c[4]) {
  double old_epsilon = r->epsilon, delta = r->cosine * r->dbar + r->sine * alpha;
  double gbar = r->sine * r->dbar - r->cosine * alpha, gamma = hypot(gbar, beta);
  r->size = fmax(r->size, fmax(fabs(alpha), beta));
  if (!(gamma > epsilon * r->size)) return false;
  r->epsilon = r->sine * beta;
  r->dbar = -r->cosine * beta;
  r->cosine = gbar / gamma;
  r->sine = beta / gamma;
  c[0] = old_epsilon;
  c[1] = delta;
  c[2] = 1 / gamma;
  c[3] = r->cosine * r->phi;
  r->phi *= r->sine;
  r->old_beta = r->beta;
  r->beta = beta;
  return true;
}

/* Run one iteration. *on is true if another one can follow. */
static op2_status iterate(struct op2i_solve *s, struct op2i_round *round, struct rotation *r,
                          int it, bool *on) {
  const struct op2i_workspace *w = &s->solver->work;
  const double epsilon = w->type == OP2_F64 ? DBL_EPSILON : FLT_EPSILON;
  double alpha = 0, beta2 = 0, c[4];
  const op2_dat *r1 = op2i_work(w, (it + R1) % 3), *r2 = op2i_work(w, (it + R2) % 3),
                *y = op2i_work(w, (it + Y) % 3), *w1 = op2i_work(w, W0 + it % 3),
                *w2 = op2i_work(w, W0 + (it + 1) % 3), *next = op2i_work(w, W0 + (it + 2) % 3);
  op2_status status = lanczos(s, w, r, r1, r2, y);
  if (!status) status = op2_gbl_get(w->gbls[ALPHA], &alpha);
  if (!status) status = op2_gbl_get(w->gbls[BETA2], &beta2);
  if (status) return status;
  if (beta2 < 0) round->reason = OP2_DIVERGED_INDEFINITE;
  *on = beta2 >= 0 && rotate(r, epsilon, alpha, sqrt(beta2), c);
  if (!*on) return OP2_SUCCESS;
  round->it++;
  return op2i_vector_loop(w, TURN, op2i_arg_vector(round->x, OP2_RW),
                          op2i_arg_vector(next, OP2_WRITE),
                          op2i_arg_vector(op2i_work(w, V), OP2_READ), op2i_arg_vector(w1, OP2_READ),
                          op2i_arg_vector(w2, OP2_READ), op2_arg_val(c, 4, OP2_F64));
}

/* The method has converged in the preconditioner's norm: compute b - A x. Residuals in that norm
 * are multiplied by *scale, which grows if they are small and b - A x is not. */
static op2_status true_residual(struct op2i_solve *s, struct op2i_round *round, double *scale,
                                bool *on) {
  const struct op2i_workspace *w = &s->solver->work;
  if (round->x != s->system.x) return OP2_SUCCESS; /* op2i_solve_rounds() checks */
  op2_status status = op2i_solve_residual(s, op2i_work(w, V));
  if (!status) status = op2i_solve_norm(w->squares[OP2I_RR], &round->known);
  if (status || !(round->known > round->aim) || !(round->known < INFINITY)) return status;
  *scale *= fmin(2 * round->known / round->aim, 100);
  *on = true;
  return OP2_SUCCESS;
}

/* True if the residual has fallen so far that it is only rounding, and gives no information on b -
 * A x. */
static bool is_rounding(const struct op2i_workspace *w, double phi, double first) {
  return phi <= (w->type == OP2_F64 ? DBL_EPSILON : FLT_EPSILON) / 16 * first;
}

static op2_status run_cycle(struct op2i_solve *s, struct op2i_round *round) {
  const struct op2i_workspace *w = &s->solver->work;
  struct rotation r = {.cosine = -1};
  double beta2 = 0;
  bool on = true;
  op2_status status = start_cycle(s, &beta2);
  if (!status && !isnan(beta2) && beta2 <= 0) round->reason = OP2_DIVERGED_INDEFINITE;
  if (status || !(beta2 > 0)) return status;
  r.phi = r.beta = sqrt(beta2);
  const double first = r.beta;
  double scale = round->residual / first;
  for (int it = 0; !status && on; it++) {
    if (op2i_round_ends(round, fabs(r.phi) * scale)) {
      on = false;
      if (round->arrived && !is_rounding(w, fabs(r.phi), first))
        status = true_residual(s, round, &scale, &on);
      if (!on) break;
    }
    round->known = -1;
    if (!status) status = iterate(s, round, &r, it, &on);
  }
  return status;
}

op2_status op2i_solve_minres(struct op2i_solve *s, op2_solve_result *result) {
  op2_status status = op2i_workspace_make(s, DATS, GBLS, sizeof own / sizeof *own, own);
  return status ? status : op2i_solve_rounds(s, run_cycle, op2i_work(&s->solver->work, R2), result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimal residuals, after Paige and Saunders: Lanczos vectors by three terms, and rotations of a small
 * matrix, which are the host's. It sees two scalars an iteration. Residuals are in the norm of the
 * preconditioner. */
#include <math.h>

#include "krylov.h"

enum { R1, R2, Y, V, Z, W0, W1, W2, DATS }; /* three that take turns: R1, R2, Y; and W0, W1, W2 */
enum { ALPHA, BETA2, BB, GBLS };
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
             "    x[i] += (T)c[3] * w[i];\n  }\n}\n"},
};

/* What the host goes on with. */
struct rotation {
  double beta, old_beta, cosine, sine, phi, dbar, epsilon;
};

/* r1 is the residual; *z what the preconditioner makes of it; b in the same norm. */
static op2_status start(struct op2i_solve *s, const struct op2i_workspace *w, double *norm_b,
                        double *beta) {
  op2_status status = op2i_solve_begin(s, w->dats[R2], w->gbls[BB]);
  if (!status) status = op2i_solve_precondition(s, *s->system.b, w->dats[Z]);
  if (!status) status = op2_dat_dot(*s->system.b, w->dats[Z], w->gbls[BB]);
  if (!status) status = op2i_solve_precondition(s, w->dats[R2], w->dats[Z]);
  if (!status) status = op2_dat_dot(w->dats[R2], w->dats[Z], w->gbls[BETA2]);
  for (int k = W0; k <= W2 && !status; k++) status = op2_dat_fill(w->dats[k], op2_scalar_value(0));
  if (!status) status = op2i_solve_norm(w->gbls[BB], norm_b);
  return status ? status : op2i_solve_norm(w->gbls[BETA2], beta);
}

/* The next Lanczos vector: y = A v - (beta / old) r1 - (alpha / beta) r2, and z = d y. */
static op2_status lanczos(struct op2i_solve *s, const struct op2i_workspace *w,
                          const struct rotation *now, op2_dat r1, op2_dat r2, op2_dat y) {
  const double times = now->old_beta > 0 ? now->beta / now->old_beta : 0;
  op2_status status =
      op2_par_loop(w->kernels[DIVIDE], w->rows, op2_arg_direct(w->dats[V], OP2_WRITE),
                   op2_arg_direct(w->dats[Z], OP2_READ), op2_arg_val(&now->beta, 1, OP2_F64));
  if (!status) status = op2i_solve_apply(s, w->dats[V], y);
  if (!status && times > 0)
    status = op2_par_loop(w->kernels[SUBTRACT], w->rows, op2_arg_direct(y, OP2_RW),
                          op2_arg_direct(r1, OP2_READ), op2_arg_val(&times, 1, OP2_F64));
  if (!status) status = op2_dat_dot(w->dats[V], y, w->gbls[ALPHA]);
  if (!status)
    status = op2_par_loop(w->kernels[SUBTRACT_SEEN], w->rows, op2_arg_direct(y, OP2_RW),
                          op2_arg_direct(r2, OP2_READ), op2_arg_gbl(w->gbls[ALPHA], OP2_READ),
                          op2_arg_val(&now->beta, 1, OP2_F64));
  if (!status) status = op2i_solve_precondition(s, y, w->dats[Z]);
  return status ? status : op2_dat_dot(y, w->dats[Z], w->gbls[BETA2]);
}

/* Rotate: c[] is what w and x are made with. */
static void rotate(struct rotation *r, double alpha, double beta, double c[4]) {
  double old_epsilon = r->epsilon, delta = r->cosine * r->dbar + r->sine * alpha;
  double gbar = r->sine * r->dbar - r->cosine * alpha, gamma = hypot(gbar, beta);
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
}

op2_status op2i_solve_minres(struct op2i_solve *s, op2_solve_result *result) {
  const struct op2i_workspace *w = &s->solver->work;
  struct rotation r = {.cosine = -1};
  double b = 0, c[4];
  op2_status status = op2i_workspace_make(s, DATS, GBLS, sizeof own / sizeof *own, own);
  if (!status) status = start(s, w, &b, &r.beta);
  r.phi = r.beta;
  if (b == 0) b = r.beta;
  for (int it = 0; !status && !op2i_solve_ends(s, fabs(r.phi), b, it, result); it++) {
    double alpha = 0, beta2 = 0;
    op2_dat r1 = w->dats[(it + R1) % 3], r2 = w->dats[(it + R2) % 3], y = w->dats[(it + Y) % 3];
    op2_dat w1 = w->dats[W0 + it % 3], w2 = w->dats[W0 + (it + 1) % 3],
            next = w->dats[W0 + (it + 2) % 3];
    status = lanczos(s, w, &r, r1, r2, y);
    if (!status) status = op2_gbl_get(w->gbls[ALPHA], &alpha);
    if (!status) status = op2_gbl_get(w->gbls[BETA2], &beta2);
    if (status) break;
    if (beta2 < 0) {
      *result = (op2_solve_result){OP2_DIVERGED_INDEFINITE, it, fabs(r.phi)};
      break;
    }
    rotate(&r, alpha, sqrt(beta2), c);
    status = op2_par_loop(w->kernels[TURN], w->rows, op2_arg_direct(*s->system.x, OP2_RW),
                          op2_arg_direct(next, OP2_WRITE), op2_arg_direct(w->dats[V], OP2_READ),
                          op2_arg_direct(w1, OP2_READ), op2_arg_direct(w2, OP2_READ),
                          op2_arg_val(c, 4, OP2_F64));
  }
  return status;
}

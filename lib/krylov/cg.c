/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients. At the end of an iteration the host reads three scalars: the square of the
 * residual, p.Ap and r.z. A step is taken only if p.Ap is positive; otherwise x stays as it was. */
#include <math.h>

#include "krylov.h"

enum { R, Z, P, Q, DATS };
enum { RZ, RZ_NEW, PQ, RR, GBLS };
enum { START = OP2I_OWN, STEP, TURN };

static const struct op2i_kernel_source own[] = {
    {"start", "void start(const T *r, const T *d, T *p, double *rz) {\n"
              "  for (int i = 0; i < N; i++) {\n    p[i] = P;\n"
              "    rz[0] += (double)r[i] * (double)p[i];\n  }\n}\n"},
    {"step", "void step(T *x, T *r, T *z, const T *p, const T *q, const T *d, const double *rz,\n"
             "          const double *pq, double *rz_new, double *rr) {\n"
             "  const T alpha = pq[0] > 0 ? rz[0] / pq[0] : 0;\n"
             "  for (int i = 0; i < N; i++) {\n    const T to = x[i] + alpha * p[i];\n"
             "    x[i] = to - to == 0 ? to : x[i];\n"
             "    r[i] -= alpha * q[i];\n  }\n"
             "  for (int i = 0; i < N; i++) {\n    z[i] = P;\n"
             "    rz_new[0] += (double)r[i] * (double)z[i];\n"
             "    rr[0] += (double)r[i] * (double)r[i];\n  }\n}\n"},
    {"turn", "void turn(T *p, const T *z, const double *rz_new, const double *rz) {\n"
             "  const T beta = rz_new[0] / rz[0];\n"
             "  for (int i = 0; i < N; i++) p[i] = z[i] + beta * p[i];\n}\n"},
};

static op2_status start_cycle(const struct op2i_workspace *w, double *rz) {
  op2_status status = op2i_solve_zero(w->gbls[RZ]);
  if (!status)
    status = op2_par_loop(w->kernels[START], w->rows, op2_arg_direct(w->dats[R], OP2_READ),
                          op2_arg_direct(w->factors, OP2_READ),
                          op2_arg_direct(w->dats[P], OP2_WRITE), op2_arg_gbl(w->gbls[RZ], OP2_INC));
  return status ? status : op2_gbl_get(w->gbls[RZ], rz);
}

/* Take one step along p. `was` and `is` are r.z before and after it. */
static op2_status step(struct op2i_solve *s, op2_dat x, op2_gbl was, op2_gbl is) {
  const struct op2i_workspace *w = &s->solver->work;
  const op2_dat r = w->dats[R], z = w->dats[Z], p = w->dats[P], q = w->dats[Q];
  op2_status status = op2i_solve_zero(w->gbls[RR]);
  if (!status) status = op2i_solve_zero(is);
  if (!status) status = op2i_solve_apply(s, p, q);
  if (!status) status = op2_dat_dot(p, q, w->gbls[PQ]);
  if (!status)
    status = op2_par_loop(w->kernels[STEP], w->rows, op2_arg_direct(x, OP2_RW),
                          op2_arg_direct(r, OP2_RW), op2_arg_direct(z, OP2_WRITE),
                          op2_arg_direct(p, OP2_READ), op2_arg_direct(q, OP2_READ),
                          op2_arg_direct(w->factors, OP2_READ), op2_arg_gbl(was, OP2_READ),
                          op2_arg_gbl(w->gbls[PQ], OP2_READ), op2_arg_gbl(is, OP2_INC),
                          op2_arg_gbl(w->gbls[RR], OP2_INC));
  if (status) return status;
  return op2_par_loop(w->kernels[TURN], w->rows, op2_arg_direct(p, OP2_RW),
                      op2_arg_direct(z, OP2_READ), op2_arg_gbl(is, OP2_READ),
                      op2_arg_gbl(was, OP2_READ));
}

static op2_status run_cycle(struct op2i_solve *s, struct op2i_round *round) {
  const struct op2i_workspace *w = &s->solver->work;
  double residual = round->residual, rz = 0, pq = 1;
  op2_status status = start_cycle(w, &rz);
  for (int it = 0; !status && !op2i_round_ends(round, residual); it++) {
    op2_gbl was = w->gbls[it % 2 ? RZ_NEW : RZ], is = w->gbls[it % 2 ? RZ : RZ_NEW];
    if (rz <= 0 || pq <= 0) round->reason = OP2_DIVERGED_INDEFINITE;
    if (!(rz > 0 && pq > 0)) break;
    status = step(s, round->x, was, is);
    if (!status) status = op2i_solve_norm(w->gbls[RR], &residual);
    if (!status) status = op2_gbl_get(w->gbls[PQ], &pq);
    if (!status) status = op2_gbl_get(is, &rz);
    if (pq > 0) round->it++;
  }
  return status;
}

op2_status op2i_solve_cg(struct op2i_solve *s, op2_solve_result *result) {
  op2_status status = op2i_workspace_make(s, DATS, GBLS, sizeof own / sizeof *own, own);
  return status ? status : op2i_solve_rounds(s, run_cycle, s->solver->work.dats[R], result);
}

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
    status = op2i_vector_loop(w, START, op2i_arg_vector(op2i_work(w, R), OP2_READ),
                              op2i_arg_vector(op2i_work(w, OP2I_FACTORS), OP2_READ),
                              op2i_arg_vector(op2i_work(w, P), OP2_WRITE),
                              op2_arg_gbl(w->gbls[RZ], OP2_INC));
  return status ? status : op2_gbl_get(w->gbls[RZ], rz);
}

/* Take one step along p. `was` and `is` are r.z before and after it. */
static op2_status step(struct op2i_solve *s, const op2_dat *x, op2_gbl was, op2_gbl is) {
  const struct op2i_workspace *w = &s->solver->work;
  const op2_dat *r = op2i_work(w, R), *z = op2i_work(w, Z), *p = op2i_work(w, P),
                *q = op2i_work(w, Q), *factors = op2i_work(w, OP2I_FACTORS);
  op2_status status = op2i_solve_zero(w->gbls[RR]);
  if (!status) status = op2i_solve_zero(is);
  if (!status) status = op2i_solve_apply(s, p, q);
  if (!status) status = op2i_vector_dot(w, p, q, w->gbls[PQ]);
  if (!status)
    status = op2i_vector_loop(w, STEP, op2i_arg_vector(x, OP2_RW), op2i_arg_vector(r, OP2_RW),
                              op2i_arg_vector(z, OP2_WRITE), op2i_arg_vector(p, OP2_READ),
                              op2i_arg_vector(q, OP2_READ), op2i_arg_vector(factors, OP2_READ),
                              op2_arg_gbl(was, OP2_READ), op2_arg_gbl(w->gbls[PQ], OP2_READ),
                              op2_arg_gbl(is, OP2_INC), op2_arg_gbl(w->gbls[RR], OP2_INC));
  if (status) return status;
  return op2i_vector_loop(w, TURN, op2i_arg_vector(p, OP2_RW), op2i_arg_vector(z, OP2_READ),
                          op2_arg_gbl(is, OP2_READ), op2_arg_gbl(was, OP2_READ));
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
  return status ? status : op2i_solve_rounds(s, run_cycle, op2i_work(&s->solver->work, R), result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients, with the diagonal or nothing as a preconditioner. Of an iteration the host sees
 * two scalars at its end: the square of the residual, and p.Ap. */
#include <math.h>

#include "krylov.h"
#include "op2/loop.h"

enum { R, Z, P, Q, D };                                   /* dats */
enum { RZ, RZ_NEW, PQ, RR, BB };                          /* globals */
enum { RESIDUAL, START, INVERT, STEP, TURN, DOT, CLEAR }; /* kernels */

static const struct op2i_kernel_source sources[] = {
    [RESIDUAL] = {"residual",
                  "void residual(const T *b, T *r, double *bb) {\n"
                  "  for (int i = 0; i < N; i++) {\n"
                  "    r[i] = b[i] - r[i];\n    bb[0] += (double)b[i] * (double)b[i];\n  }\n}\n"},
    [START] = {"start", "void start(const T *r, const T *d, T *p, double *rz, double *rr) {\n"
                        "  for (int i = 0; i < N; i++) {\n    p[i] = d[i] * r[i];\n"
                        "    rz[0] += (double)r[i] * (double)p[i];\n"
                        "    rr[0] += (double)r[i] * (double)r[i];\n  }\n}\n"},
    [INVERT] = {"invert", "void invert(T *d) {\n"
                          "  for (int i = 0; i < N; i++) d[i] = d[i] == 0 ? 1 : 1 / d[i];\n}\n"},
    [STEP] = {"step",
              "void step(T *x, T *r, T *z, const T *p, const T *q, const T *d, const double *rz,\n"
              "          const double *pq, double *rz_new, double *rr) {\n"
              "  const T alpha = rz[0] / pq[0];\n"
              "  for (int i = 0; i < N; i++) {\n    x[i] += alpha * p[i];\n"
              "    r[i] -= alpha * q[i];\n    z[i] = d[i] * r[i];\n"
              "    rz_new[0] += (double)r[i] * (double)z[i];\n"
              "    rr[0] += (double)r[i] * (double)r[i];\n  }\n}\n"},
    [TURN] = {"turn", "void turn(T *p, const T *z, const double *rz_new, const double *rz) {\n"
                      "  const T beta = rz_new[0] / rz[0];\n"
                      "  for (int i = 0; i < N; i++) p[i] = z[i] + beta * p[i];\n}\n"},
    [DOT] = {"dot", "void dot(const T *p, const T *q, double *pq) {\n"
                    "  for (int i = 0; i < N; i++) pq[0] += (double)p[i] * (double)q[i];\n}\n"},
    [CLEAR] = {"clear", "void clear(T *x) {\n  for (int i = 0; i < N; i++) x[i] = 0;\n}\n"},
};
enum { KERNELS = sizeof sources / sizeof *sources, DATS = D + 1, GBLS = BB + 1 };

static op2_status zero(op2_gbl gbl) {
  static const double nothing = 0;
  return op2_gbl_set(gbl, &nothing);
}

/* Ones where there is no preconditioner: one vector more to read, and one form of everything. */
static op2_status precondition(struct op2i_solve *s, struct op2i_workspace *w) {
  if (s->solver->options.preconditioner == OP2_PRECONDITIONER_NONE) {
    op2_status status =
        op2_par_loop(w->kernels[CLEAR], w->rows, op2_arg_direct(w->dats[D], OP2_WRITE));
    return status ? status
                  : op2_par_loop(w->kernels[INVERT], w->rows, op2_arg_direct(w->dats[D], OP2_RW));
  }
  op2_status status = op2_mat_diagonal(s->mat, w->dats[D]);
  return status ? status
                : op2_par_loop(w->kernels[INVERT], w->rows, op2_arg_direct(w->dats[D], OP2_RW));
}

static op2_status start(struct op2i_solve *s, struct op2i_workspace *w) {
  op2_status status = OP2_SUCCESS;
  if (s->solver->options.start_at_zero)
    status = op2_par_loop(w->kernels[CLEAR], w->rows, op2_arg_direct(s->x, OP2_WRITE));
  if (!status) status = precondition(s, w);
  for (int g = 0; g < GBLS && !status; g++) status = zero(w->gbls[g]);
  if (!status) status = op2_mat_mult(s->mat, s->x, w->dats[R]);
  if (!status)
    status = op2_par_loop(w->kernels[RESIDUAL], w->rows, op2_arg_direct(s->b, OP2_READ),
                          op2_arg_direct(w->dats[R], OP2_RW), op2_arg_gbl(w->gbls[BB], OP2_INC));
  if (status) return status;
  return op2_par_loop(w->kernels[START], w->rows, op2_arg_direct(w->dats[R], OP2_READ),
                      op2_arg_direct(w->dats[D], OP2_READ), op2_arg_direct(w->dats[P], OP2_WRITE),
                      op2_arg_gbl(w->gbls[RZ], OP2_INC), op2_arg_gbl(w->gbls[RR], OP2_INC));
}

/* One step along p. `was` and `is` are r.z before and after it. */
static op2_status step(struct op2i_solve *s, struct op2i_workspace *w, op2_gbl was, op2_gbl is) {
  const op2_dat r = w->dats[R], z = w->dats[Z], p = w->dats[P], q = w->dats[Q];
  op2_status status = zero(w->gbls[PQ]);
  if (!status) status = zero(w->gbls[RR]);
  if (!status) status = zero(is);
  if (!status) status = op2_mat_mult(s->mat, p, q);
  if (!status)
    status = op2_par_loop(w->kernels[DOT], w->rows, op2_arg_direct(p, OP2_READ),
                          op2_arg_direct(q, OP2_READ), op2_arg_gbl(w->gbls[PQ], OP2_INC));
  if (!status)
    status = op2_par_loop(w->kernels[STEP], w->rows, op2_arg_direct(s->x, OP2_RW),
                          op2_arg_direct(r, OP2_RW), op2_arg_direct(z, OP2_WRITE),
                          op2_arg_direct(p, OP2_READ), op2_arg_direct(q, OP2_READ),
                          op2_arg_direct(w->dats[D], OP2_READ), op2_arg_gbl(was, OP2_READ),
                          op2_arg_gbl(w->gbls[PQ], OP2_READ), op2_arg_gbl(is, OP2_INC),
                          op2_arg_gbl(w->gbls[RR], OP2_INC));
  return status;
}

static op2_status turn(struct op2i_workspace *w, op2_gbl was, op2_gbl is) {
  return op2_par_loop(w->kernels[TURN], w->rows, op2_arg_direct(w->dats[P], OP2_RW),
                      op2_arg_direct(w->dats[Z], OP2_READ), op2_arg_gbl(is, OP2_READ),
                      op2_arg_gbl(was, OP2_READ));
}

static op2_status norm(op2_gbl gbl, double *value) {
  op2_status status = op2_gbl_get(gbl, value);
  *value = sqrt(*value);
  return status;
}

op2_status op2i_solve_cg(struct op2i_solve *s, op2_solve_result *result) {
  struct op2i_workspace *w = &s->solver->work;
  const op2_solver_options *options = &s->solver->options;
  double b = 0, residual = 0, pq = 1;
  op2_status status = op2i_workspace_make(s, DATS, GBLS, KERNELS, sources);
  if (!status) status = start(s, w);
  if (!status) status = norm(w->gbls[BB], &b);
  if (!status) status = norm(w->gbls[RR], &residual);
  for (int it = 0; !status && !op2i_solve_ends(options, residual, b, it, result); it++) {
    op2_gbl was = w->gbls[it % 2 ? RZ_NEW : RZ], is = w->gbls[it % 2 ? RZ : RZ_NEW];
    status = step(s, w, was, is);
    if (!status) status = turn(w, was, is);
    if (!status) status = norm(w->gbls[RR], &residual);
    if (!status) status = op2_gbl_get(w->gbls[PQ], &pq);
    if (status || pq > 0 || isnan(pq)) continue;
    *result = (op2_solve_result){OP2_DIVERGED_INDEFINITE, it, residual};
    break;
  }
  return status;
}

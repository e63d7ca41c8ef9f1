/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised minimal residuals with right preconditioning, so that residuals are those of the
 * system. A new vector is made orthogonal to all previous ones at once (classical Gram-Schmidt, by
 * op2_dat_mdot() and op2_dat_maxpy()), and once more where rounding would leave too little
 * orthogonality. Basis vectors are processed in blocks of 8, in which vectors not computed yet are
 * zero. The loops of a step are thus the same for all vectors of a block: a cycle needs one fused
 * program for each block, and one of a single loop for each vector. The host reads the products
 * once a step, and applies rotations to the small matrix that they form. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "context.h"
#include "krylov.h"

enum {
  PH,
  W, /* the residual, and later the vector that becomes the next of the basis */
  BASIS,
  BLOCK = OP2I_VECTOR_BLOCK,
  MOST = OP2I_RESTART_MOST,
  BLOCKS_MOST = (MOST + BLOCK - 1) / BLOCK
};
enum { NORM2, PRODUCTS }; /* of 8 values each in PRODUCTS */
enum { NEXT = OP2I_OWN, BLANK, CORRECT };

_Static_assert(BASIS + BLOCK * BLOCKS_MOST <= OP2I_WORK_VECTORS, "there is room for the basis");

static const struct op2i_kernel_source own[] = {
    {"next", "#include <math.h>\n"
             "void next(const T *w, const T *d, T *r, T *z, const double *square) {\n"
             "  const T by = 1 / sqrt(square[0]);\n"
             "  for (int i = 0; i < N; i++) r[i] = by * w[i];\n"
             "  for (int i = 0; i < N; i++) z[i] = P;\n}\n"},
    {"blank", "void blank(T *v1, T *v2, T *v3, T *v4, T *v5, T *v6, T *v7) {\n"
              "  for (int i = 0; i < N; i++)\n"
              "    v1[i] = v2[i] = v3[i] = v4[i] = v5[i] = v6[i] = v7[i] = 0;\n}\n"},
    {"correct", "void correct(T *x, const T *d, const T *r) {\n"
                "  for (int i = 0; i < N; i++) {\n    const T to = x[i] + (P);\n"
                "    x[i] = to - to == 0 ? to : x[i];\n  }\n}\n"},
};

/* The small (Hessenberg) matrix by columns, made triangular by rotations. */
struct small {
  double h[MOST][MOST + 1], cosine[MOST], sine[MOST], g[MOST + 1], y[MOST];
  /* A bound of the products of vector j with the previous vectors, which would be zero without
   * rounding. */
  double overlap[MOST + 1];
  /* True if the previous vector took two passes. The current one then takes two as well, because
   * all later vectors depend on both. */
  bool again;
};

static int blocks_of(int n) { return (n + BLOCK - 1) / BLOCK; }

/* ---- the vectors ----------------------------------------------------------------------------- */

/* W divided by its norm becomes vector j. If it is the first vector of a block, the others of the
 * block become zero. The loops that depend on j are flushed as a program of their own, so that the
 * loops after them are the same for the whole block. */
static op2_status add_vector(struct op2i_solve *s, const struct op2i_workspace *w, int j) {
  op2_status status = op2i_vector_loop(w, NEXT, op2i_arg_vector(op2i_work(w, W), OP2_READ),
                                       op2i_arg_vector(op2i_work(w, OP2I_FACTORS), OP2_READ),
                                       op2i_arg_vector(op2i_work(w, BASIS + j), OP2_WRITE),
                                       op2i_arg_vector(op2i_work(w, PH), OP2_WRITE),
                                       op2_arg_gbl(w->gbls[NORM2], OP2_READ));
  if (!status && j % BLOCK == 0) {
    op2_arg others[BLOCK - 1];
    for (int i = 1; i < BLOCK; i++)
      others[i - 1] = op2i_arg_vector(op2i_work(w, BASIS + j + i), OP2_WRITE);
    status = op2i_vector_loop_args(w, BLANK, BLOCK - 1, others);
  }
  return status ? status : op2i_scheduler.flush(s->op.ctx->sched, "op2_solve");
}

/* Subtract from W its components along the first n vectors. */
static op2_status make_orthogonal(const struct op2i_workspace *w, int n) {
  op2_status status = OP2_SUCCESS;
  for (int b = 0; b < blocks_of(n) && !status; b++)
    status = op2i_vector_mdot(w, op2i_work(w, W), BASIS + BLOCK * b, w->gbls[PRODUCTS + b]);
  for (int b = 0; b < blocks_of(n) && !status; b++)
    status = op2i_vector_maxpy(w, op2i_work(w, W),
                               op2_scalar_times(-1, op2_scalar_gbl(w->gbls[PRODUCTS + b])),
                               BASIS + BLOCK * b);
  return status ? status : op2i_vector_dot(w, op2i_work(w, W), op2i_work(w, W), w->gbls[NORM2]);
}

/* Add the products that were subtracted from W to the column; *norm is the norm of the new W. */
static op2_status add_products(const struct op2i_workspace *w, int n, double *column,
                               double *norm) {
  double products[BLOCK];
  op2_status status = op2i_solve_norm(w->gbls[NORM2], norm);
  for (int b = 0; b < blocks_of(n) && !status; b++) {
    status = op2_gbl_get(w->gbls[PRODUCTS + b], products);
    for (int i = 0; i < BLOCK && BLOCK * b + i < n; i++) column[BLOCK * b + i] += products[i];
  }
  return status;
}

/* The norm of a column before the rotations, without its last value. */
static double length_of(const double *column, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum = hypot(sum, column[i]);
  return sum;
}

/* A bound of the product of W, after one pass and divided by its norm, with a previous vector. The
 * vectors are not quite orthogonal, so subtracting one leaves a part of the others in W, in
 * proportion to what was subtracted. Rounding adds to that. */
static double overlap_of(const struct small *m, int n, const double *column, double norm,
                         double epsilon) {
  double earlier = 0, later = 0, most = 0;
  for (int i = 0; i < n; i++) earlier += fabs(column[i]);
  const double rounding = epsilon * earlier;
  for (int i = n - 1; i >= 0; i--) {
    earlier -= fabs(column[i]);
    most = fmax(most, later + m->overlap[i] * earlier);
    later += m->overlap[i] * fabs(column[i]);
  }
  return (most + rounding) / norm + epsilon;
}

/* True if the vector in W needs another pass. A cycle needs no more than orthogonality within
 * `enough`, since the residual is computed at its end. After a second pass this holds, unless again
 * little was left of W. */
static bool needs_more(struct small *m, int j, int pass, double before, double norm,
                       double epsilon) {
  enum { PASSES = 3 };
  const double enough = 1e-3;
  if (!(norm > 0) || pass + 1 == PASSES) return false;
  if (pass > 0) {
    m->overlap[j + 1] = 4 * epsilon;
    return norm < before / 2;
  }
  const bool again = m->again;
  m->overlap[j + 1] = overlap_of(m, j + 1, m->h[j], norm, epsilon);
  m->again = m->overlap[j + 1] > enough;
  return m->again || again;
}

/* Compute the next vector, A d v, made orthogonal to the previous ones, in W. */
static op2_status expand(struct op2i_solve *s, struct small *m, int j, double epsilon) {
  const struct op2i_workspace *w = &s->solver->work;
  double norm = 0, before = 0;
  bool more = true;
  memset(m->h[j], 0, sizeof m->h[j]);
  op2_status status = add_vector(s, w, j);
  if (!status) status = op2i_solve_apply(s, op2i_work(w, PH), op2i_work(w, W));
  for (int pass = 0; more && !status; pass++, before = norm) {
    status = make_orthogonal(w, j + 1);
    if (!status) status = add_products(w, j + 1, m->h[j], &norm);
    more = needs_more(m, j, pass, before, norm, epsilon);
  }
  m->h[j][j + 1] = norm;
  return status;
}

/* ---- the Hessenberg matrix ------------------------------------------------------------------- */

/* Apply the rotations to column j, and add a new one. Returns the norm of the residual. */
static double rotate(struct small *m, int j) {
  double *h = m->h[j];
  for (int i = 0; i < j; i++) {
    double above = m->cosine[i] * h[i] + m->sine[i] * h[i + 1];
    h[i + 1] = m->cosine[i] * h[i + 1] - m->sine[i] * h[i];
    h[i] = above;
  }
  double length = hypot(h[j], h[j + 1]);
  m->cosine[j] = length > 0 ? h[j] / length : 1;
  m->sine[j] = length > 0 ? h[j + 1] / length : 0;
  h[j] = length;
  m->g[j + 1] = -m->sine[j] * m->g[j];
  m->g[j] *= m->cosine[j];
  return fabs(m->g[j + 1]);
}

/* Solve for the step length y[i] along each of the first n vectors. */
static void back_substitute(struct small *m, int n) {
  for (int i = n - 1; i >= 0; i--) {
    m->y[i] = m->g[i];
    for (int k = i + 1; k < n; k++) m->y[i] -= m->h[k][i] * m->y[k];
    m->y[i] /= m->h[i][i];
  }
}

/* ---- the method ------------------------------------------------------------------------------ */

/* W becomes the sum of y[i] times vector i over the first n vectors. */
static op2_status add_up(const struct op2i_workspace *w, const struct small *m, int n) {
  op2_status status = op2i_vector_fill(w, op2i_work(w, W), 0);
  for (int b = 0; b < blocks_of(n) && !status; b++) {
    double y[BLOCK] = {0};
    for (int i = 0; i < BLOCK && BLOCK * b + i < n; i++) y[i] = m->y[BLOCK * b + i];
    status = op2_gbl_set(w->gbls[PRODUCTS + b], y);
    if (!status)
      status = op2i_vector_maxpy(w, op2i_work(w, W), op2_scalar_gbl(w->gbls[PRODUCTS + b]),
                                 BASIS + BLOCK * b);
  }
  return status;
}

/* The previous x is kept, because a matrix that is nearly singular may make it worse. */
static op2_status correct(const struct op2i_workspace *w, struct op2i_round *round, struct small *m,
                          int n) {
  back_substitute(m, n);
  round->backup = op2i_work(w, PH);
  op2_status status = op2i_vector_copy(w, round->x, op2i_work(w, PH));
  if (!status) status = add_up(w, m, n);
  if (status) return status;
  return op2i_vector_loop(w, CORRECT, op2i_arg_vector(round->x, OP2_RW),
                          op2i_arg_vector(op2i_work(w, OP2I_FACTORS), OP2_READ),
                          op2i_arg_vector(op2i_work(w, W), OP2_READ));
}

/* Run one cycle. It ends early if the new vector depends on the previous ones. If then a column has
 * no diagonal value, the matrix is singular, and the column is dropped. */
static op2_status run_cycle(struct op2i_solve *s, struct op2i_round *round) {
  const struct op2i_workspace *w = &s->solver->work;
  const double epsilon = w->type == OP2_F64 ? DBL_EPSILON : FLT_EPSILON;
  struct small m;
  int n = 0;
  bool stuck = false, singular = false;
  double residual = round->residual;
  memset(m.g, 0, sizeof m.g);
  m.g[0] = residual;
  m.overlap[0] = 0;
  m.again = false;
  op2_status status = op2i_vector_dot(w, op2i_work(w, W), op2i_work(w, W), w->gbls[NORM2]);
  while (!status && !stuck && n < s->solver->options.restart) {
    status = expand(s, &m, n, epsilon);
    if (status) break;
    const double length = length_of(m.h[n], n + 1);
    stuck = !(m.h[n][n + 1] > 8 * epsilon * length);
    residual = rotate(&m, n);
    singular = !(fabs(m.h[n][n]) > 8 * epsilon * hypot(length, m.h[n][n + 1]));
    if (singular || !isfinite(residual)) break;
    n++;
    round->it++;
    if (op2i_round_ends(round, residual)) break;
  }
  round->gain = singular || stuck ? 0.5 : 1;
  return status || n == 0 ? status : correct(w, round, &m, n);
}

op2_status op2i_solve_gmres(struct op2i_solve *s, op2_solve_result *result) {
  const int blocks = blocks_of(s->solver->options.restart);
  struct op2i_workspace *w = &s->solver->work;
  op2_status status =
      op2i_workspace_make(s, BASIS + BLOCK * blocks, PRODUCTS, sizeof own / sizeof *own, own);
  for (int b = 0; b < blocks && !status; b++)
    status = op2i_workspace_gbl(s, BLOCK, &w->gbls[PRODUCTS + b]);
  return status ? status : op2i_solve_rounds(s, run_cycle, op2i_work(w, W), result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised minimal residuals, preconditioned from the right, so that residuals are the system's. Vectors
 * are made orthogonal one after the other; the host sees their scalar products once an iteration, and
 * rotates the small matrix that they make. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "krylov.h"

enum {
  PH,
  SUM,
  BASIS,
  MOST = OP2I_RESTART_MOST
}; /* and as many as there are iterations, and one */
enum { NORM2, PRODUCTS };
enum { SUBTRACT = OP2I_OWN, NORMALISE, ADD, CORRECT };

static const struct op2i_kernel_source own[] = {
    {"subtract", "void subtract(T *w, const T *v, const double *times) {\n"
                 "  for (int i = 0; i < N; i++) w[i] -= (T)times[0] * v[i];\n}\n"},
    {"normalise", "#include <math.h>\nvoid normalise(T *v, const double *square) {\n  const T by = "
                  "1 / sqrt(square[0]);\n"
                  "  for (int i = 0; i < N; i++) v[i] *= by;\n}\n"},
    {"add", "void add(T *sum, const T *v, const double *times) {\n"
            "  for (int i = 0; i < N; i++) sum[i] += (T)times[0] * v[i];\n}\n"},
    {"correct", "void correct(T *x, const T *d, const T *r) {\n"
                "  for (int i = 0; i < N; i++) {\n    const T to = x[i] + (P);\n"
                "    x[i] = to - to == 0 ? to : x[i];\n  }\n}\n"},
};

/* The small matrix, column after column, made triangular by rotations. */
struct small {
  double h[MOST][MOST + 1], cosine[MOST], sine[MOST], g[MOST + 1], y[MOST];
};

static op2_status normalise(const struct op2i_workspace *w, op2_dat v) {
  return op2_par_loop(w->kernels[NORMALISE], w->rows, op2_arg_direct(v, OP2_RW),
                      op2_arg_gbl(w->gbls[NORM2], OP2_READ));
}

/* The next vector, A d v, less what it has of those before it. */
static op2_status expand(struct op2i_solve *s, const struct op2i_workspace *w, int j) {
  op2_dat next = w->dats[BASIS + j + 1];
  op2_status status = normalise(w, w->dats[BASIS + j]);
  if (!status) status = op2i_solve_precondition(s, w->dats[BASIS + j], w->dats[PH]);
  if (!status) status = op2i_solve_apply(s, w->dats[PH], next);
  for (int i = 0; i <= j && !status; i++) {
    op2_dat v = w->dats[BASIS + i];
    op2_gbl product = w->gbls[PRODUCTS + i];
    status = op2_dat_dot(v, next, product);
    if (!status)
      status = op2_par_loop(w->kernels[SUBTRACT], w->rows, op2_arg_direct(next, OP2_RW),
                            op2_arg_direct(v, OP2_READ), op2_arg_gbl(product, OP2_READ));
  }
  return status ? status : op2_dat_dot(next, next, w->gbls[NORM2]);
}

static op2_status look(const struct op2i_workspace *w, int j, double *column) {
  op2_status status = op2i_solve_norm(w->gbls[NORM2], &column[j + 1]);
  for (int i = 0; i <= j && !status; i++) status = op2_gbl_get(w->gbls[PRODUCTS + i], &column[i]);
  return status;
}

/* Returns the residual's norm. */
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

/* The first n columns determine how far x goes along each vector. */
static void back_substitute(struct small *m, int n) {
  for (int i = n - 1; i >= 0; i--) {
    m->y[i] = m->g[i];
    for (int k = i + 1; k < n; k++) m->y[i] -= m->h[k][i] * m->y[k];
    m->y[i] /= m->h[i][i];
  }
}

/* The previous x is kept, because a matrix that is nearly singular may make it worse. */
static op2_status correct(const struct op2i_workspace *w, struct op2i_round *round, struct small *m,
                          int n) {
  back_substitute(m, n);
  round->backup = w->dats[PH];
  op2_status status = op2_dat_copy(round->x, w->dats[PH]);
  if (!status) status = op2_dat_fill(w->dats[SUM], op2_scalar_value(0));
  for (int i = 0; i < n && !status; i++)
    status = op2_par_loop(w->kernels[ADD], w->rows, op2_arg_direct(w->dats[SUM], OP2_RW),
                          op2_arg_direct(w->dats[BASIS + i], OP2_READ),
                          op2_arg_val(&m->y[i], 1, OP2_F64));
  if (status) return status;
  return op2_par_loop(w->kernels[CORRECT], w->rows, op2_arg_direct(round->x, OP2_RW),
                      op2_arg_direct(w->factors, OP2_READ), op2_arg_direct(w->dats[SUM], OP2_READ));
}

/* The length of a column before the rotations, without its last value. */
static double length_of(const double *column, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum = hypot(sum, column[i]);
  return sum;
}

/* One cycle. It ends early where the new vector depends on those before it; a column that is left
 * without a diagonal then means that the matrix is singular, and adds nothing. */
static op2_status go(struct op2i_solve *s, struct op2i_round *round) {
  const struct op2i_workspace *w = &s->solver->work;
  const double epsilon = w->type == OP2_F64 ? DBL_EPSILON : FLT_EPSILON;
  struct small m;
  int n = 0;
  bool stuck = false, singular = false;
  double residual = round->residual;
  memset(m.g, 0, sizeof m.g);
  m.g[0] = residual;
  op2_status status = op2_dat_dot(w->dats[BASIS], w->dats[BASIS], w->gbls[NORM2]);
  while (!status && !stuck && n < s->solver->options.restart) {
    status = expand(s, w, n);
    if (!status) status = look(w, n, m.h[n]);
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
  const int restart = s->solver->options.restart;
  op2_status status = op2i_workspace_make(s, BASIS + restart + 1, PRODUCTS + restart,
                                          sizeof own / sizeof *own, own);
  return status ? status : op2i_solve_rounds(s, go, s->solver->work.dats[BASIS], result);
}

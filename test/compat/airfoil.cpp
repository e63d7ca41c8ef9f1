/* SPDX-License-Identifier: BSD-3-Clause */
/* Airfoil's five loops on the file that bench/airfoil writes, against the same kernels called one
 * element after the other:
 *   airfoil new_grid.dat ITERATIONS [eager] */
#include "op_seq.h"

#include "compat_check.h"

double gam, gm1, cfl, eps, qinf[4];

inline void save_soln(const double *q, double *qold) {
  for (int n = 0; n < 4; n++) qold[n] = q[n];
}

inline void side(const double *a, const double *b, double u, double v, double c, double &sum) {
  double dx = b[0] - a[0], dy = b[1] - a[1];
  sum += fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);
}

inline void adt_calc(const double **x, const double *q, double *adt) {
  double ri = 1.0f / q[0], u = ri * q[1], v = ri * q[2];
  double c = sqrt(gam * gm1 * (ri * q[3] - 0.5f * (u * u + v * v)));
  double sum = 0;
  for (int k = 0; k < 4; k++) side(x[k], x[(k + 1) % 4], u, v, c, sum);
  *adt = sum / cfl;
}

static double pressure(const double *q) {
  return gm1 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]);
}

/* The flux through a side with these states on both sides of it. */
inline void flux(double dx, double dy, const double *q1, const double *q2, double mu, double *f) {
  double v1 = (q1[1] * dy - q1[2] * dx) / q1[0], v2 = (q2[1] * dy - q2[2] * dx) / q2[0];
  double p1 = pressure(q1), p2 = pressure(q2);
  f[0] = 0.5 * (v1 * q1[0] + v2 * q2[0]) + mu * (q1[0] - q2[0]);
  f[1] = 0.5 * (v1 * q1[1] + p1 * dy + v2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);
  f[2] = 0.5 * (v1 * q1[2] - p1 * dx + v2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);
  f[3] = 0.5 * (v1 * (q1[3] + p1) + v2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
}

inline void res_calc(const double *x1, const double *x2, const double *q1, const double *q2,
                     const double *adt1, const double *adt2, double *res1, double *res2) {
  double f[4];
  flux(x1[0] - x2[0], x1[1] - x2[1], q1, q2, 0.5 * (*adt1 + *adt2) * eps, f);
  for (int n = 0; n < 4; n++) {
    res1[n] += f[n];
    res2[n] -= f[n];
  }
}

inline void bres_calc(const double *x1, const double *x2, const double *q1, const double *adt1,
                      double *res1, const int *bound) {
  double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  if (*bound == 1) {
    double p = pressure(q1);
    res1[1] += p * dy;
    res1[2] -= p * dx;
  } else {
    double f[4];
    flux(dx, dy, q1, qinf, (*adt1) * eps, f);
    for (int n = 0; n < 4; n++) res1[n] += f[n];
  }
}

inline void update(const double *qold, double *q, double *res, const double *adt, double *rms) {
  double adti = 1.0f / (*adt);
  for (int n = 0; n < 4; n++) {
    double del = adti * res[n];
    q[n] = qold[n] - del;
    res[n] = 0.0f;
    *rms += del * del;
  }
}

struct mesh {
  int nnode, ncell, nedge, nbedge;
  std::vector<int> cell, edge, ecell, bedge, becell, bound;
  std::vector<double> x;
};

static bool read_mesh(const char *name, mesh &m) {
  FILE *f = fopen(name, "r");
  if (!f || fscanf(f, "%d %d %d %d", &m.nnode, &m.ncell, &m.nedge, &m.nbedge) != 4) return false;
  m.x.resize(2 * m.nnode), m.cell.resize(4 * m.ncell), m.edge.resize(2 * m.nedge);
  m.ecell.resize(2 * m.nedge), m.bedge.resize(2 * m.nbedge), m.becell.resize(m.nbedge);
  m.bound.resize(m.nbedge);
  bool good = true;
  for (double &v : m.x) good &= fscanf(f, "%lf", &v) == 1;
  for (int &v : m.cell) good &= fscanf(f, "%d", &v) == 1;
  for (int e = 0; e < m.nedge; e++)
    good &= fscanf(f, "%d %d %d %d", &m.edge[2 * e], &m.edge[2 * e + 1], &m.ecell[2 * e],
                   &m.ecell[2 * e + 1]) == 4;
  for (int e = 0; e < m.nbedge; e++)
    good &= fscanf(f, "%d %d %d %d", &m.bedge[2 * e], &m.bedge[2 * e + 1], &m.becell[e],
                   &m.bound[e]) == 4;
  fclose(f);
  return good;
}

/* The scheme with plain loops; the histories of rms are appended. */
static void plain(const mesh &m, std::vector<double> &q, int iterations, std::vector<double> &rms) {
  std::vector<double> qold(q.size()), adt(m.ncell), res(q.size(), 0.0);
  const double *x = m.x.data();
  for (int iter = 0; iter < iterations; iter++) {
    for (int c = 0; c < m.ncell; c++) save_soln(&q[4 * c], &qold[4 * c]);
    double sum = 0;
    for (int k = 0; k < 2; k++) {
      for (int c = 0; c < m.ncell; c++) {
        const int *n = &m.cell[4 * c];
        const double *xs[] = {x + 2 * n[0], x + 2 * n[1], x + 2 * n[2], x + 2 * n[3]};
        adt_calc(xs, &q[4 * c], &adt[c]);
      }
      for (int e = 0; e < m.nedge; e++) {
        int c1 = m.ecell[2 * e], c2 = m.ecell[2 * e + 1];
        res_calc(x + 2 * m.edge[2 * e], x + 2 * m.edge[2 * e + 1], &q[4 * c1], &q[4 * c2], &adt[c1],
                 &adt[c2], &res[4 * c1], &res[4 * c2]);
      }
      for (int e = 0; e < m.nbedge; e++) {
        int c = m.becell[e];
        bres_calc(x + 2 * m.bedge[2 * e], x + 2 * m.bedge[2 * e + 1], &q[4 * c], &adt[c],
                  &res[4 * c], &m.bound[e]);
      }
      sum = 0;
      for (int c = 0; c < m.ncell; c++) update(&qold[4 * c], &q[4 * c], &res[4 * c], &adt[c], &sum);
    }
    rms.push_back(sqrt(sum / m.ncell));
  }
}

int main(int argc, char **argv) {
  mesh m;
  if (argc < 3 || !read_mesh(argv[1], m)) return 2;
  int iterations = atoi(argv[2]);
  gam = 1.4f, gm1 = gam - 1.0f, cfl = 0.9f, eps = 0.05f;
  double mach = 0.4f, p = 1.0f, r = 1.0f, u = sqrt(gam * p / r) * mach;
  double e = p / (r * gm1) + 0.5f * u * u;
  qinf[0] = r, qinf[1] = r * u, qinf[2] = 0.0f, qinf[3] = r * e;
  std::vector<double> q(4 * m.ncell), zero(4 * m.ncell, 0.0);
  for (int c = 0; c < m.ncell; c++)
    for (int n = 0; n < 4; n++) q[4 * c + n] = qinf[n];

  op_init(argc, argv, 1);
  op_set nodes = set_of(m.nnode, "nodes"), edges = set_of(m.nedge, "edges");
  op_set bedges = set_of(m.nbedge, "bedges"), cells = set_of(m.ncell, "cells");
  op_map pedge = map_of(edges, nodes, 2, m.edge, "pedge");
  op_map pecell = map_of(edges, cells, 2, m.ecell, "pecell");
  op_map pbedge = map_of(bedges, nodes, 2, m.bedge, "pbedge");
  op_map pbecell = map_of(bedges, cells, 1, m.becell, "pbecell");
  op_map pcell = map_of(cells, nodes, 4, m.cell, "pcell");
  op_dat p_bound = dat_of(bedges, 1, "int", m.bound, "p_bound");
  op_dat p_x = dat_of(nodes, 2, "double", m.x, "p_x");
  op_dat p_q = dat_of(cells, 4, "double", q, "p_q");
  op_dat p_qold = dat_of(cells, 4, "double", zero, "p_qold");
  op_dat p_adt = dat_of(cells, 1, "double", zero, "p_adt");
  op_dat p_res = dat_of(cells, 4, "double", zero, "p_res");
  op_decl_const(1, "double", &gam);
  op_decl_const(1, "double", &gm1);
  op_decl_const(1, "double", &cfl);
  op_decl_const(1, "double", &eps);
  op_decl_const(4, "double", qinf);
  op_diagnostic_output();
  op_partition("PTSCOTCH", "KWAY", edges, pecell, p_x);

  std::vector<double> history, expected;
  for (int iter = 0; iter < iterations; iter++) {
    double rms = 0;
    op_par_loop(save_soln, "save_soln", cells, op_arg_dat(p_q, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(p_qold, -1, OP_ID, 4, "double", OP_WRITE));
    for (int k = 0; k < 2; k++) {
      op_par_loop(adt_calc, "adt_calc", cells, op_arg_dat(p_x, -4, pcell, 2, "double", OP_READ),
                  op_arg_dat(p_q, -1, OP_ID, 4, "double", OP_READ),
                  op_arg_dat(p_adt, -1, OP_ID, 1, "double", OP_WRITE));
      op_par_loop(res_calc, "res_calc", edges, op_arg_dat(p_x, 0, pedge, 2, "double", OP_READ),
                  op_arg_dat(p_x, 1, pedge, 2, "double", OP_READ),
                  op_arg_dat(p_q, 0, pecell, 4, "double", OP_READ),
                  op_arg_dat(p_q, 1, pecell, 4, "double", OP_READ),
                  op_arg_dat(p_adt, 0, pecell, 1, "double", OP_READ),
                  op_arg_dat(p_adt, 1, pecell, 1, "double", OP_READ),
                  op_arg_dat(p_res, 0, pecell, 4, "double", OP_INC),
                  op_arg_dat(p_res, 1, pecell, 4, "double", OP_INC));
      op_par_loop(bres_calc, "bres_calc", bedges, op_arg_dat(p_x, 0, pbedge, 2, "double", OP_READ),
                  op_arg_dat(p_x, 1, pbedge, 2, "double", OP_READ),
                  op_arg_dat(p_q, 0, pbecell, 4, "double", OP_READ),
                  op_arg_dat(p_adt, 0, pbecell, 1, "double", OP_READ),
                  op_arg_dat(p_res, 0, pbecell, 4, "double", OP_INC),
                  op_arg_dat(p_bound, -1, OP_ID, 1, "int", OP_READ));
      rms = 0;
      op_par_loop(update, "update", cells, op_arg_dat(p_qold, -1, OP_ID, 4, "double", OP_READ),
                  op_arg_dat(p_q, -1, OP_ID, 4, "double", OP_WRITE),
                  op_arg_dat(p_res, -1, OP_ID, 4, "double", OP_RW),
                  op_arg_dat(p_adt, -1, OP_ID, 1, "double", OP_READ),
                  op_arg_gbl(&rms, 1, "double", OP_INC));
    }
    history.push_back(sqrt(rms / op_get_size(cells)));
  }
  plain(m, q, iterations, expected);
  check(holds(p_q, q), "states of cells");
  check(close_to(history.data(), expected.data(), history.size(), 1e-12), "the history of rms");
  printf("# rms %.12e after %d iterations\n", history.back(), iterations);
  op_timing_output();
  op_exit();
  return checked();
}

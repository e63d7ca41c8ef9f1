/* SPDX-License-Identifier: BSD-3-Clause */
/* Potential flow by bilinear elements, as OP2's aero has it: Newton's steps, each by conjugate
 * gradients with a matrix for each cell, conditions on a boundary written through a map, and scalar
 * products that the program reads in each iteration. */
#include "op_seq.h"

#include "compat_check.h"

enum { ITERATIONS = 8, STEPS = 3 };
constexpr double GAUSS[] = {0.211324865405187, 0.788675134594813};
double gm1, minf2;

/* Derivatives of the four functions of a cell at a point, and the determinant. */
inline void shape(const double **x, double s, double t, double *nx, double *ny, double &det) {
  const double ns[4] = {t - 1, 1 - t, -t, t}, nt[4] = {s - 1, -s, 1 - s, s};
  double xs = 0, ys = 0, xt = 0, yt = 0;
  for (int i = 0; i < 4; i++) {
    xs += ns[i] * x[i][0], ys += ns[i] * x[i][1];
    xt += nt[i] * x[i][0], yt += nt[i] * x[i][1];
  }
  det = xs * yt - xt * ys;
  for (int i = 0; i < 4; i++) {
    nx[i] = (yt * ns[i] - ys * nt[i]) / det;
    ny[i] = (xs * nt[i] - xt * ns[i]) / det;
  }
}

void res_calc(const double **x, const double **phi, double *K, double **res) {
  for (int i = 0; i < 16; i++) K[i] = 0;
  for (int g = 0; g < 4; g++) {
    double nx[4], ny[4], det, u = 0, v = 0;
    shape(x, GAUSS[g % 2], GAUSS[g / 2], nx, ny, det);
    for (int i = 0; i < 4; i++) u += nx[i] * *phi[i], v += ny[i] * *phi[i];
    double d = 1.0 + 0.5 * gm1 * (minf2 - (u * u + v * v));
    double rho = pow(d, 1.0 / gm1), w = 0.25 * det;
    for (int i = 0; i < 4; i++) {
      double along = u * nx[i] + v * ny[i];
      res[i][0] += w * rho * along;
      for (int j = 0; j < 4; j++)
        K[4 * i + j] += w * rho * (nx[i] * nx[j] + ny[i] * ny[j]) -
                        w * rho / d * along * (u * nx[j] + v * ny[j]);
    }
  }
}
void dirichlet(double *res) { *res = 0.0; }
void init_cg(const double *r, double *c, double *u, double *v, double *p) {
  *c += (*r) * (*r);
  *p = *r;
  *u = 0;
  *v = 0;
}
void spMV(double **v, const double *K, const double **p) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) v[i][0] += K[4 * i + j] * p[j][0];
}
void dotPV(const double *p, const double *v, double *c) { *c += (*p) * (*v); }
void updateUR(double *u, double *r, const double *p, double *v, const double *alpha) {
  *u += (*alpha) * (*p);
  *r -= (*alpha) * (*v);
  *v = 0.0;
}
void dotR(const double *r, double *c) { *c += (*r) * (*r); }
void updateP(const double *r, double *p, const double *beta) { *p = (*beta) * (*p) + (*r); }
void update(double *phi, double *res, const double *u, double *rms) {
  *phi -= *u;
  *res = 0.0;
  *rms += (*u) * (*u);
}

static const int NX = 16, NY = 12, nnode = (NX + 1) * (NY + 1), ncell = NX * NY;
static std::vector<double> x, phi;
static std::vector<int> cell, bnode;

static void make_mesh(void) {
  for (int j = 0; j <= NY; j++)
    for (int i = 0; i <= NX; i++) {
      double s = (double)i / NX, t = (double)j / NY;
      x.push_back(s + 0.02 * sin(7 * t));
      x.push_back(t + 0.1 * (1 - t) * sin(3 * s));
      phi.push_back(0.1 * s + 0.01 * t * s);
      if (!i || !j || i == NX || j == NY) bnode.push_back((int)phi.size() - 1);
    }
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++)
      for (int k : {0, 1, NX + 1, NX + 2}) cell.push_back(j * (NX + 1) + i + k);
}

/* Newton's steps by plain loops; the norms of their changes are appended. */
static void plain(std::vector<double> &at, std::vector<double> &norms) {
  std::vector<double> K(16 * ncell), r(nnode, 0.0), u(nnode), v(nnode), p(nnode);
  for (int step = 0; step < STEPS; step++) {
    for (int c = 0; c < ncell; c++) {
      const double *xs[4], *phis[4];
      double *rs[4];
      for (int k = 0; k < 4; k++) {
        int n = cell[4 * c + k];
        xs[k] = &x[2 * n], phis[k] = &at[n], rs[k] = &r[n];
      }
      res_calc(xs, phis, &K[16 * c], rs);
    }
    for (int n : bnode) dirichlet(&r[n]);
    double c1 = 0, rms = 0;
    for (int n = 0; n < nnode; n++) init_cg(&r[n], &c1, &u[n], &v[n], &p[n]);
    for (int it = 0; it < ITERATIONS; it++) {
      for (int c = 0; c < ncell; c++) {
        const int *m = &cell[4 * c];
        double *vs[] = {&v[m[0]], &v[m[1]], &v[m[2]], &v[m[3]]};
        const double *ps[] = {&p[m[0]], &p[m[1]], &p[m[2]], &p[m[3]]};
        spMV(vs, &K[16 * c], ps);
      }
      for (int n : bnode) dirichlet(&v[n]);
      double c2 = 0, c3 = 0;
      for (int n = 0; n < nnode; n++) dotPV(&p[n], &v[n], &c2);
      double alpha = c1 / c2;
      for (int n = 0; n < nnode; n++) updateUR(&u[n], &r[n], &p[n], &v[n], &alpha);
      for (int n = 0; n < nnode; n++) dotR(&r[n], &c3);
      double beta = c3 / c1;
      for (int n = 0; n < nnode; n++) updateP(&r[n], &p[n], &beta);
      c1 = c3;
    }
    for (int n = 0; n < nnode; n++) update(&at[n], &r[n], &u[n], &rms);
    norms.push_back(sqrt(rms));
  }
}

struct problem {
  op_set nodes, bnodes, cells;
  op_map pcell, pbnode;
  op_dat p_x, p_phi, p_K, p_r, p_u, p_v, p_p;
};

static problem declare(void) {
  std::vector<double> zeros(16 * ncell, 0.0);
  problem s;
  s.nodes = set_of(nnode, "nodes"), s.cells = set_of(ncell, "cells");
  s.bnodes = set_of((int)bnode.size(), "bnodes");
  s.pcell = map_of(s.cells, s.nodes, 4, cell, "pcell");
  s.pbnode = map_of(s.bnodes, s.nodes, 1, bnode, "pbnode");
  s.p_x = dat_of(s.nodes, 2, "double", x, "p_x");
  s.p_phi = dat_of(s.nodes, 1, "double", phi, "p_phi");
  s.p_K = dat_of(s.cells, 16, "double", zeros, "p_K");
  s.p_r = dat_of(s.nodes, 1, "double", zeros, "p_r");
  s.p_u = dat_of(s.nodes, 1, "double", zeros, "p_u");
  s.p_v = dat_of(s.nodes, 1, "double", zeros, "p_v");
  s.p_p = dat_of(s.nodes, 1, "double", zeros, "p_p");
  op_decl_const(1, "double", &gm1);
  op_decl_const(1, "double", &minf2);
  op_partition("PTSCOTCH", "KWAY", s.cells, s.pcell, s.p_x);
  return s;
}

static void clear_boundary(const problem &s, op_dat dat) {
  op_par_loop(dirichlet, "dirichlet", s.bnodes,
              op_arg_dat(dat, 0, s.pbnode, 1, "double", OP_WRITE));
}

/* One iteration: from the square of the residual to the next one. */
static double iterate(const problem &s, double c1) {
  double c2 = 0, c3 = 0;
  op_par_loop(spMV, "spMV", s.cells, op_arg_dat(s.p_v, -4, s.pcell, 1, "double", OP_INC),
              op_arg_dat(s.p_K, -1, OP_ID, 16, "double", OP_READ),
              op_arg_dat(s.p_p, -4, s.pcell, 1, "double", OP_READ));
  clear_boundary(s, s.p_v);
  op_par_loop(dotPV, "dotPV", s.nodes, op_arg_dat(s.p_p, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(s.p_v, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&c2, 1, "double", OP_INC));
  double alpha = c1 / c2;
  op_par_loop(updateUR, "updateUR", s.nodes, op_arg_dat(s.p_u, -1, OP_ID, 1, "double", OP_INC),
              op_arg_dat(s.p_r, -1, OP_ID, 1, "double", OP_INC),
              op_arg_dat(s.p_p, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(s.p_v, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&alpha, 1, "double", OP_READ));
  op_par_loop(dotR, "dotR", s.nodes, op_arg_dat(s.p_r, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&c3, 1, "double", OP_INC));
  double beta = c3 / c1;
  op_par_loop(updateP, "updateP", s.nodes, op_arg_dat(s.p_r, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(s.p_p, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&beta, 1, "double", OP_READ));
  return c3;
}

static double newton(const problem &s) {
  double c1 = 0, rms = 0;
  op_par_loop(res_calc, "res_calc", s.cells, op_arg_dat(s.p_x, -4, s.pcell, 2, "double", OP_READ),
              op_arg_dat(s.p_phi, -4, s.pcell, 1, "double", OP_READ),
              op_arg_dat(s.p_K, -1, OP_ID, 16, "double", OP_WRITE),
              op_arg_dat(s.p_r, -4, s.pcell, 1, "double", OP_INC));
  clear_boundary(s, s.p_r);
  op_par_loop(init_cg, "init_cg", s.nodes, op_arg_dat(s.p_r, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&c1, 1, "double", OP_INC),
              op_arg_dat(s.p_u, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(s.p_v, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(s.p_p, -1, OP_ID, 1, "double", OP_WRITE));
  for (int it = 0; it < ITERATIONS; it++) c1 = iterate(s, c1);
  op_par_loop(update, "update", s.nodes, op_arg_dat(s.p_phi, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(s.p_r, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(s.p_u, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&rms, 1, "double", OP_INC));
  return sqrt(rms);
}

int main(int argc, char **argv) {
  std::vector<double> norms, expected;
  gm1 = 0.4, minf2 = 0.01;
  make_mesh();
  op_init(argc, argv, 1);
  problem s = declare();
  for (int step = 0; step < STEPS; step++) norms.push_back(newton(s));
  std::vector<double> at(phi);
  plain(at, expected);
  check(holds(s.p_phi, at), "the potential");
  check(close_to(norms.data(), expected.data(), norms.size(), 1e-12), "changes of Newton's steps");
  printf("# changes %.3e %.3e %.3e\n", norms[0], norms[1], norms[2]);
  op_exit();
  return checked();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Riemann solvers between quadrilaterals, with cases that differ from side to side. */
#include <math.h>

#include "edges.h"

/* ---- HLLC ------------------------------------------------------------------------------------ */

/* The state is density, momentum and energy; the normal's third number is the side's length. */
OP2_KERNEL(hllc,
           (const double *normal, const double *ql, const double *qr, double *resl, double *resr), {
             double nx = normal[0];
             double ny = normal[1];
             double ul = (ql[1] * nx + ql[2] * ny) / ql[0];
             double ur = (qr[1] * nx + qr[2] * ny) / qr[0];
             double tl = (ql[2] * nx - ql[1] * ny) / ql[0];
             double tr = (qr[2] * nx - qr[1] * ny) / qr[0];
             double pl = 0.4 * (ql[3] - 0.5 * ql[0] * (ul * ul + tl * tl));
             double pr = 0.4 * (qr[3] - 0.5 * qr[0] * (ur * ur + tr * tr));
             double cl = sqrt(1.4 * pl / ql[0]);
             double cr = sqrt(1.4 * pr / qr[0]);
             double sl = ul - cl < ur - cr ? ul - cl : ur - cr;
             double sr = ul + cl > ur + cr ? ul + cl : ur + cr;
             double sm = (pr - pl + ql[0] * ul * (sl - ul) - qr[0] * ur * (sr - ur)) /
                         (ql[0] * (sl - ul) - qr[0] * (sr - ur));
             double f[4];
             if (sl >= 0) {
               f[0] = ql[0] * ul;
               f[1] = f[0] * ul + pl;
               f[2] = f[0] * tl;
               f[3] = ul * (ql[3] + pl);
             } else if (sm >= 0) {
               double d = ql[0] * (sl - ul) / (sl - sm);
               double e = ql[3] / ql[0] + (sm - ul) * (sm + pl / (ql[0] * (sl - ul)));
               f[0] = ql[0] * ul + sl * (d - ql[0]);
               f[1] = ql[0] * ul * ul + pl + sl * (d * sm - ql[0] * ul);
               f[2] = ql[0] * ul * tl + sl * (d - ql[0]) * tl;
               f[3] = ul * (ql[3] + pl) + sl * (d * e - ql[3]);
             } else if (sr >= 0) {
               double d = qr[0] * (sr - ur) / (sr - sm);
               double e = qr[3] / qr[0] + (sm - ur) * (sm + pr / (qr[0] * (sr - ur)));
               f[0] = qr[0] * ur + sr * (d - qr[0]);
               f[1] = qr[0] * ur * ur + pr + sr * (d * sm - qr[0] * ur);
               f[2] = qr[0] * ur * tr + sr * (d - qr[0]) * tr;
               f[3] = ur * (qr[3] + pr) + sr * (d * e - qr[3]);
             } else {
               f[0] = qr[0] * ur;
               f[1] = f[0] * ur + pr;
               f[2] = f[0] * tr;
               f[3] = ur * (qr[3] + pr);
             }
             double fx = f[1] * nx - f[2] * ny;
             double fy = f[1] * ny + f[2] * nx;
             resl[0] -= normal[2] * f[0];
             resl[1] -= normal[2] * fx;
             resl[2] -= normal[2] * fy;
             resl[3] -= normal[2] * f[3];
             resr[0] += normal[2] * f[0];
             resr[1] += normal[2] * fx;
             resr[2] += normal[2] * fy;
             resr[3] += normal[2] * f[3];
           });
EDGE_TWINS(hllc, double, 3, 4, 4)

/* Unit normals, and lengths. */
static double side(const problem *p, int64_t i, int k) {
  const double angle = 6.283 * problem_mixed(p, i, 0);
  return k == 0 ? cos(angle) : k == 1 ? sin(angle) : problem_mixed(p, i, 2);
}

/* Some sides are supersonic. */
static double gas(const problem *p, int64_t i, int k) {
  if (k == 0) return problem_mixed(p, i, 0);
  return k == 3 ? 6 * problem_mixed(p, i, k) + 2.5 : 4 * (problem_mixed(p, i, k) - 1);
}

static void make_hllc(problem *p, int64_t n) {
  mesh_faces(p, n);
  problem_dat_add(p, 0, 3, OP2_F64, READ, side);
  problem_dat_add(p, 1, 4, OP2_F64, READ, gas);
  problem_dat_add(p, 1, 4, OP2_F64, CHANGED, problem_zero);
}

const yardstick yardstick_hllc = {
    .name = "hllc",
    .what = "the HLLC flux, with four cases",
    .make = make_hllc,
    .kernel = {&hllc_kernel},
    .queue = edges_queue,
    .flops = 95,
    .twins = EDGE_ROWS(hllc),
};

/* ---- shallow water with a switch ------------------------------------------------------------- */

/* The kind of a side says what is behind it: water (0), a wall (1) or an open boundary (2); another
 * one closes it. The state is depth and discharges. */
OP2_KERNEL(shallow,
           (const int *kind, const double *normal, const double *ql, const double *qr, double *resl,
            double *resr),
           {
             double nx = normal[0];
             double ny = normal[1];
             double hl = ql[0];
             double ul = 0;
             double vl = 0;
             if (hl > 1e-6) {
               ul = (ql[1] * nx + ql[2] * ny) / hl;
               vl = (ql[2] * nx - ql[1] * ny) / hl;
             }
             double hr = hl;
             double ur = ul;
             double vr = vl;
             switch (*kind) {
             case 0:
               hr = qr[0];
               ur = 0;
               vr = 0;
               if (hr > 1e-6) {
                 ur = (qr[1] * nx + qr[2] * ny) / hr;
                 vr = (qr[2] * nx - qr[1] * ny) / hr;
               }
               break;
             case 1: ur = -ul; break;
             case 2: hr = 1.0; break;
             default: hr = 0;
             }
             double cl = sqrt(9.81 * hl);
             double cr = sqrt(9.81 * hr);
             double sl = ul - cl < ur - cr ? ul - cl : ur - cr;
             double sr = ul + cl > ur + cr ? ul + cl : ur + cr;
             double f0 = 0;
             double f1 = 0;
             double f2 = 0;
             double gl = hl * ul * ul + 4.905 * hl * hl;
             double gr = hr * ur * ur + 4.905 * hr * hr;
             if (sl >= 0) {
               f0 = hl * ul;
               f1 = gl;
               f2 = hl * ul * vl;
             } else if (sr <= 0) {
               f0 = hr * ur;
               f1 = gr;
               f2 = hr * ur * vr;
             } else {
               double w = 1.0 / (sr - sl);
               f0 = w * (sr * hl * ul - sl * hr * ur + sl * sr * (hr - hl));
               f1 = w * (sr * gl - sl * gr + sl * sr * (hr * ur - hl * ul));
               f2 = f0 > 0 ? f0 * vl : f0 * vr;
             }
             double fx = f1 * nx - f2 * ny;
             double fy = f1 * ny + f2 * nx;
             resl[0] -= normal[2] * f0;
             resl[1] -= normal[2] * fx;
             resl[2] -= normal[2] * fy;
             if (*kind == 0) {
               resr[0] += normal[2] * f0;
               resr[1] += normal[2] * fx;
               resr[2] += normal[2] * fy;
             }
           });

WHOLE static void shallow_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, data, 0);
  FIELD(const double, q, 1);
  FIELD(double, res, 2);
  FIELD(const int32_t, behind, 3);
  ROWS(ends, 0);
  for (int64_t e = first; e < last; e++) {
    const int64_t i = ends[2 * e], j = ends[2 * e + 1];
    double one[3] = {0}, two[3] = {0};
    shallow(behind + e, data + 3 * e, q + 3 * i, q + 3 * j, one, two);
    for (int k = 0; k < 3; k++) res[3 * i + k] += one[k];
    for (int k = 0; k < 3; k++) res[3 * j + k] += two[k];
  }
}

/* The same without branches. */
static inline void shallow_column(const int32_t *restrict behind, const double *restrict data,
                                  double left[3][EDGE_BLOCK], double right[3][EDGE_BLOCK], int e,
                                  double one[3][EDGE_BLOCK], double two[3][EDGE_BLOCK]) {
  const double nx = data[3 * e], ny = data[3 * e + 1], size = data[3 * e + 2];
  const int inner = behind[e] == 0, wall = behind[e] == 1, open = behind[e] == 2;
  const double hl = left[0][e], h = right[0][e];
  const double dl = 1 / (hl > 1e-6 ? hl : 1), dr = 1 / (h > 1e-6 ? h : 1);
  const double ml = hl > 1e-6 ? dl : 0, mr = h > 1e-6 ? dr : 0;
  const double ul = ml * (left[1][e] * nx + left[2][e] * ny);
  const double vl = ml * (left[2][e] * nx - left[1][e] * ny);
  const double hr = inner ? h : wall ? hl : open ? 1.0 : 0.0;
  const double across = mr * (right[1][e] * nx + right[2][e] * ny);
  const double along = mr * (right[2][e] * nx - right[1][e] * ny);
  const double ur = inner ? across : wall ? -ul : ul, vr = inner ? along : vl;
  const double cl = sqrt(9.81 * hl), cr = sqrt(9.81 * hr);
  const double sl = ul - cl < ur - cr ? ul - cl : ur - cr;
  const double sr = ul + cl > ur + cr ? ul + cl : ur + cr;
  const double gl = hl * ul * ul + 4.905 * hl * hl, gr = hr * ur * ur + 4.905 * hr * hr;
  const double w = 1 / (sr - sl);
  const double fan = w * (sr * hl * ul - sl * hr * ur + sl * sr * (hr - hl));
  const double push = w * (sr * gl - sl * gr + sl * sr * (hr * ur - hl * ul));
  const double f0 = sl >= 0 ? hl * ul : sr <= 0 ? hr * ur : fan;
  const double f1 = sl >= 0 ? gl : sr <= 0 ? gr : push;
  const double carried = fan > 0 ? fan * vl : fan * vr;
  const double f2 = sl >= 0 ? hl * ul * vl : sr <= 0 ? hr * ur * vr : carried;
  const double f[3] = {size * f0, size * (f1 * nx - f2 * ny), size * (f1 * ny + f2 * nx)};
  for (int k = 0; k < 3; k++) one[k][e] = -f[k], two[k][e] = inner ? f[k] : 0;
}

WHOLE static void shallow_block(const int32_t *restrict behind, const double *restrict data,
                                const double *restrict q, const int32_t *restrict ends,
                                double *restrict res) {
  double left[3][EDGE_BLOCK], right[3][EDGE_BLOCK], one[3][EDGE_BLOCK], two[3][EDGE_BLOCK];
  for (int e = 0; e < EDGE_BLOCK; e++)
    for (int k = 0; k < 3; k++) {
      left[k][e] = q[3 * (int64_t)ends[2 * e] + k];
      right[k][e] = q[3 * (int64_t)ends[2 * e + 1] + k];
    }
#pragma omp simd
  for (int e = 0; e < EDGE_BLOCK; e++) shallow_column(behind, data, left, right, e, one, two);
  for (int e = 0; e < EDGE_BLOCK; e++) {
    for (int k = 0; k < 3; k++) res[3 * (int64_t)ends[2 * e] + k] += one[k][e];
    for (int k = 0; k < 3; k++) res[3 * (int64_t)ends[2 * e + 1] + k] += two[k][e];
  }
}

WHOLE static void shallow_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, data, 0);
  FIELD(const double, q, 1);
  FIELD(double, res, 2);
  FIELD(const int32_t, behind, 3);
  ROWS(ends, 0);
  int64_t e = first;
  for (; e + EDGE_BLOCK <= last; e += EDGE_BLOCK)
    shallow_block(behind + e, data + 3 * e, q, ends + 2 * e, res);
  shallow_scalar(a, e, last);
}

static double kind(const problem *p, int64_t i, int k) {
  const double x = problem_mixed(p, i, k + 7);
  return x < 1.4 ? 0 : x < 1.45 ? 1 : x < 1.48 ? 2 : 3;
}

static double water(const problem *p, int64_t i, int k) {
  const double x = problem_mixed(p, i, k);
  return k ? 4 * (x - 1) : x < 0.55 ? 0 : x;
}

static void make_shallow(problem *p, int64_t n) {
  mesh_faces(p, n);
  problem_dat_add(p, 0, 3, OP2_F64, READ, side);
  problem_dat_add(p, 1, 3, OP2_F64, READ, water);
  problem_dat_add(p, 1, 3, OP2_F64, CHANGED, problem_zero);
  problem_dat_add(p, 0, 1, OP2_I32, READ, kind);
}

static op2_status queue_shallow(ours *o) {
  return op2_par_loop(
      o->kernel[0], o->set[0], op2_arg_direct(o->dat[3], OP2_READ),
      op2_arg_direct(o->dat[0], OP2_READ), op2_arg_dat(o->dat[1], 0, o->map[0], OP2_READ),
      op2_arg_dat(o->dat[1], 1, o->map[0], OP2_READ), op2_arg_dat(o->dat[2], 0, o->map[0], OP2_INC),
      op2_arg_dat(o->dat[2], 1, o->map[0], OP2_INC));
}

const yardstick yardstick_shallow = {
    .name = "shallow",
    .what = "the HLL flux of shallow water, with ifs and a switch",
    .make = make_shallow,
    .kernel = {&shallow_kernel},
    .queue = queue_shallow,
    .flops = 60,
    .twins = EDGE_ROWS(shallow),
};

/* ---- magnetohydrodynamics -------------------------------------------------------------------- */

/* The state is density, momentum, energy and magnetic field. */
OP2_KERNEL(mhd,
           (const double *normal, const double *ql, const double *qr, double *resl, double *resr), {
             double nx = normal[0];
             double ny = normal[1];
             double dl = 1.0 / ql[0];
             double dr = 1.0 / qr[0];
             double bl = ql[5] * nx + ql[6] * ny;
             double br = qr[5] * nx + qr[6] * ny;
             double ul = dl * (ql[1] * nx + ql[2] * ny);
             double ur = dr * (qr[1] * nx + qr[2] * ny);
             double kl = 0.5 * dl * (ql[1] * ql[1] + ql[2] * ql[2] + ql[3] * ql[3]);
             double kr = 0.5 * dr * (qr[1] * qr[1] + qr[2] * qr[2] + qr[3] * qr[3]);
             double ml = 0.5 * (ql[5] * ql[5] + ql[6] * ql[6] + ql[7] * ql[7]);
             double mr = 0.5 * (qr[5] * qr[5] + qr[6] * qr[6] + qr[7] * qr[7]);
             double pl = 0.4 * (ql[4] - kl - ml);
             double pr = 0.4 * (qr[4] - kr - mr);
             double al = dl * (1.4 * pl + 2 * ml);
             double ar = dr * (1.4 * pr + 2 * mr);
             double gl = al * al - 4 * 1.4 * pl * dl * bl * bl * dl;
             double gr = ar * ar - 4 * 1.4 * pr * dr * br * br * dr;
             double cl = sqrt(0.5 * (al + sqrt(gl > 0 ? gl : 0)));
             double cr = sqrt(0.5 * (ar + sqrt(gr > 0 ? gr : 0)));
             double sl = fabs(ul) + cl;
             double sr = fabs(ur) + cr;
             double s = sl > sr ? sl : sr;
             double wl = dl * (ql[1] * ql[5] + ql[2] * ql[6] + ql[3] * ql[7]);
             double wr = dr * (qr[1] * qr[5] + qr[2] * qr[6] + qr[3] * qr[7]);
             double f[8];
             for (int k = 0; k < 8; k++)
               f[k] = 0.5 * (ul * ql[k] + ur * qr[k] - s * (qr[k] - ql[k]));
             for (int k = 0; k < 3; k++) {
               f[k + 1] -= 0.5 * (bl * ql[k + 5] + br * qr[k + 5]);
               f[k + 5] -= 0.5 * (bl * dl * ql[k + 1] + br * dr * qr[k + 1]);
             }
             f[1] += 0.5 * (pl + ml + pr + mr) * nx;
             f[2] += 0.5 * (pl + ml + pr + mr) * ny;
             f[4] += 0.5 * (ul * (pl + ml) + ur * (pr + mr) - bl * wl - br * wr);
             for (int k = 0; k < 8; k++) {
               resl[k] -= normal[2] * f[k];
               resr[k] += normal[2] * f[k];
             }
           });
EDGE_TWINS(mhd, double, 3, 8, 8)

static double plasma(const problem *p, int64_t i, int k) {
  return k == 4 ? 6 + problem_mixed(p, i, k) : problem_mixed(p, i, k) - (k ? 0.8 : 0);
}

static void make_mhd(problem *p, int64_t n) {
  mesh_faces(p, n);
  problem_dat_add(p, 0, 3, OP2_F64, READ, side);
  problem_dat_add(p, 1, 8, OP2_F64, READ, plasma);
  problem_dat_add(p, 1, 8, OP2_F64, CHANGED, problem_zero);
}

const yardstick yardstick_mhd = {
    .name = "mhd",
    .what = "magnetohydrodynamics, 8 values in a state",
    .make = make_mhd,
    .kernel = {&mhd_kernel},
    .queue = edges_queue,
    .flops = 200,
    .twins = EDGE_ROWS(mhd),
};

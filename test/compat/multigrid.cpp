/* SPDX-License-Identifier: BSD-3-Clause */
/* Two levels of a chain of cells, with structures, references, helpers, constants at file scope,
 * std::min and float. */
#include "op_seq.h"

#include <algorithm>
#include <cmath>

#include "compat_check.h"

#define NVAR 5
static const int NDIM = 3;
constexpr double GAMMA = 1.4;
static const double weights[] = {0.25, 0.5, 0.25};
enum { DENSITY = 0, MOMENTUM = 1, ENERGY = 4 };
typedef double real;

struct double3 {
  double x, y, z;
};

double far[NVAR], factor;

inline void velocity(const double rho, const double3 &momentum, double3 &v) {
  v.x = momentum.x / rho;
  v.y = momentum.y / rho;
  v.z = momentum.z / rho;
}

inline double speed2(const double3 &v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

static inline void pressure_of(const real *q, double &p, double &c) {
  double3 m, v;
  m.x = q[MOMENTUM], m.y = q[MOMENTUM + 1], m.z = q[MOMENTUM + 2];
  velocity(q[DENSITY], m, v);
  p = (GAMMA - double(1.0)) * (q[ENERGY] - 0.5 * q[DENSITY] * speed2(v));
  c = std::sqrt(GAMMA * p / q[DENSITY]);
}

void step_factor(const double *q, const double *volume, double *dt) {
  double p, c;
  pressure_of(q, p, c);
  *dt = factor * std::cbrt(*volume) / std::max(c, 1e-3);
}

void least_dt(const double *dt, double *least) {
  if (*dt < *least) *least = *dt;
}

void face_flux(const double *normal, const double *qa, const double *qb, double *ra, double *rb) {
  double pa, pb, ca, cb, area = 0;
  pressure_of(qa, pa, ca);
  pressure_of(qb, pb, cb);
  for (int d = 0; d < NDIM; d++) area += normal[d] * normal[d];
  area = sqrt(area);
  const double k = std::min(ca, cb) * area;
  for (int n = 0; n < NVAR; n++) {
    double f = k * (qb[n] - qa[n]) * weights[1];
    if (n > 0 && n < 4) f += static_cast<double>(normal[n - 1]) * (pb - pa);
    ra[n] += f;
    rb[n] -= f;
  }
}

void advance(const double *least, const double *r, double *q, double *rms) {
  bool moved = false;
  for (int n = 0; n < NVAR; n++) {
    q[n] += *least * r[n];
    moved = moved || r[n] != 0;
    *rms += r[n] * r[n];
  }
  if (!moved) q[0] = far[0];
}

void restrict_to(const double *fine, double *coarse, int *count) {
  for (int n = 0; n < NVAR; n++) coarse[n] += fine[n];
  *count += 1;
}

void mean(double *coarse, const int *count) {
  if (*count > 0)
    for (int n = 0; n < NVAR; n++) coarse[n] /= *count;
}

void prolong(const double *coarse, double *fine) {
  for (int n = 0; n < NVAR; n++) fine[n] = fine[n] + 0.1 * (coarse[n] - fine[n]);
}

/* In float, where the overloads of C++ stay in float. */
void lengths(const float *a, float *b) {
  *b = sqrt(fabs(*a)) + pow(*a, 2) + std::exp(-*a) + abs(*a) + std::max(*a, 0.25f);
}

int main(int argc, char **argv) {
  const int n = 200, coarse_n = 40, faces_n = n - 1;
  factor = 0.01;
  for (int k = 0; k < NVAR; k++) far[k] = k == 0 ? 1.0 : k == 4 ? 2.5 : 0.1;
  std::vector<double> q(NVAR * n), r(NVAR * n, 0.0), volume(n), dt(n), normal(3 * faces_n);
  std::vector<double> coarse(NVAR * coarse_n, 0.0);
  std::vector<int> ends, up, count(coarse_n, 0);
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < NVAR; k++) q[NVAR * i + k] = far[k] * (1 + 0.1 * random_number());
    volume[i] = 1 + random_number(), up.push_back(i / 5);
    a[i] = (float)(2 * random_number() - 1);
  }
  for (double &v : normal) v = random_number();
  for (int i = 0; i < faces_n; i++) ends.push_back(i), ends.push_back(i + 1);

  op_init(argc, argv, 1);
  op_set cells = set_of(n, "cells"), faces = set_of(faces_n, "faces");
  op_set coarse_cells = set_of(coarse_n, "coarse");
  op_map pface = map_of(faces, cells, 2, ends, "pface");
  op_map pup = map_of(cells, coarse_cells, 1, up, "pup");
  op_dat p_q = dat_of(cells, NVAR, "double:soa", q, "q");
  op_dat p_r = dat_of(cells, NVAR, "double", r, "r");
  op_dat p_volume = dat_of(cells, 1, "double", volume, "volume");
  op_dat p_dt = dat_of(cells, 1, "double", dt, "dt");
  op_dat p_normal = dat_of(faces, 3, "double", normal, "normal");
  op_dat p_coarse = dat_of(coarse_cells, NVAR, "double", coarse, "coarse");
  op_dat p_count = dat_of(coarse_cells, 1, "int", count, "count");
  op_dat p_a = dat_of(cells, 1, "float", a, "a");
  op_dat p_b = dat_of(cells, 1, "float", b, "b");
  op_decl_const(NVAR, "double", far);
  op_decl_const(1, "double", &factor);

  double least = 1e9, rms = 0, least2 = 1e9, rms2 = 0;
  op_par_loop(step_factor, "step_factor", cells,
              op_arg_dat(p_q, -1, OP_ID, NVAR, "double", OP_READ),
              op_arg_dat(p_volume, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(p_dt, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(least_dt, "least_dt", cells, op_arg_dat(p_dt, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN));
  op_par_loop(face_flux, "face_flux", faces, op_arg_dat(p_normal, -1, OP_ID, 3, "double", OP_READ),
              op_arg_dat(p_q, 0, pface, NVAR, "double", OP_READ),
              op_arg_dat(p_q, 1, pface, NVAR, "double", OP_READ),
              op_arg_dat(p_r, 0, pface, NVAR, "double", OP_INC),
              op_arg_dat(p_r, 1, pface, NVAR, "double", OP_INC));
  op_par_loop(advance, "advance", cells, op_arg_gbl(&least, 1, "double", OP_READ),
              op_arg_dat(p_r, -1, OP_ID, NVAR, "double", OP_READ),
              op_arg_dat(p_q, -1, OP_ID, NVAR, "double", OP_INC),
              op_arg_gbl(&rms, 1, "double", OP_INC));
  op_par_loop(restrict_to, "restrict_to", cells,
              op_arg_dat(p_q, -1, OP_ID, NVAR, "double", OP_READ),
              op_arg_dat(p_coarse, 0, pup, NVAR, "double", OP_INC),
              op_arg_dat(p_count, 0, pup, 1, "int", OP_INC));
  op_par_loop(mean, "mean", coarse_cells, op_arg_dat(p_coarse, -1, OP_ID, NVAR, "double", OP_RW),
              op_arg_dat(p_count, -1, OP_ID, 1, "int", OP_READ));
  op_par_loop(prolong, "prolong", cells, op_arg_dat(p_coarse, 0, pup, NVAR, "double", OP_READ),
              op_arg_dat(p_q, -1, OP_ID, NVAR, "double", OP_RW));
  op_par_loop(lengths, "lengths", cells, op_arg_dat(p_a, -1, OP_ID, 1, "float", OP_READ),
              op_arg_dat(p_b, -1, OP_ID, 1, "float", OP_WRITE));

  for (int i = 0; i < n; i++) step_factor(&q[NVAR * i], &volume[i], &dt[i]);
  for (int i = 0; i < n; i++) least_dt(&dt[i], &least2);
  for (int f = 0; f < faces_n; f++)
    face_flux(&normal[3 * f], &q[NVAR * f], &q[NVAR * f + NVAR], &r[NVAR * f], &r[NVAR * f + NVAR]);
  for (int i = 0; i < n; i++) advance(&least2, &r[NVAR * i], &q[NVAR * i], &rms2);
  for (int i = 0; i < n; i++) restrict_to(&q[NVAR * i], &coarse[NVAR * up[i]], &count[up[i]]);
  for (int i = 0; i < coarse_n; i++) mean(&coarse[NVAR * i], &count[i]);
  for (int i = 0; i < n; i++) prolong(&coarse[NVAR * up[i]], &q[NVAR * i]);
  for (int i = 0; i < n; i++) lengths(&a[i], &b[i]);
  check(least == least2, "least time step");
  check(close_to(&rms, &rms2, 1, 1e-12), "rms");
  check(holds(p_coarse, coarse) && holds(p_count, count, 0), "restriction");
  check(holds(p_q, q), "prolongation");
  check(holds(p_b, b, 1e-6), "overloads for float");
  op_exit();
  return checked();
}

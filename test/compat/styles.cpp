/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the styles of applications of OP2, each with what becomes of it: vector code of its text,
 * or the reason for which it is called by its address. */
#include "op_seq.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "compat_check.h"

#define EPSILON   1e-6
#define SQUARE(v) ((v) * (v))

using real = double;
typedef float single;
const double gravity = 9.81, half = 0.5;
static const int dims = 3;
constexpr double weights[2][3] = {{0.25, 0.5, 0.25}, {1'000.5, 0.125, 2}};
enum boundary { WALL, INFLOW = 4, OUTFLOW };
enum kind : int { SOLID = 2, FLUID };
enum class state { dry, wet };
struct vec {
  double x, y, z;
};
struct mixed {
  int n;
  double v;
};
struct point {
  double x, y;
  double length() const { return std::sqrt(x * x + y * y); }
};
namespace physics {
const double density = 2.5;
inline double pressure(double depth) { return density * gravity * depth; }
} // namespace physics
using namespace physics;
double gam, table[4];
int steps;

/* ---- functions that kernels call ---- */
inline vec operator+(const vec &a, const vec &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline double dot(const vec &a, const vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
static double third(double x) { return x / 3; }
static double second(double x) { return third(x) + 1; }
static double first(double x);
static double first(double x) { return second(x) * second(-x); }
template <class T> inline T square(T x) { return x * x; }
static inline void split(const double v, double &whole, double &rest) {
  whole = floor(v);
  rest = v - whole;
}
static void into_array(double (&out)[2], double v) { out[0] = out[1] = v; }
static double by_default(double x, double factor = 2) { return factor * x; }

#define KERNEL(name) void name(const double *x, const float *f, const int *i, double *y)

/* ---- text ---- */
KERNEL(limits) { y[0] = std::max(EPSILON, std::min<double>(x[0], 1)) + std::max(half, x[1]); }
KERNEL(float_overloads) {
  single s = std::abs(f[0] - 1) + std::pow(f[0], 2.0f) + sqrt(f[0]);
  y[0] = s + std::abs(i[0]) + fabs(x[0]);
}
KERNEL(functional_casts) { y[0] = double(i[0]) / real(3) + int(x[0] * 10) % 3 + unsigned(7) / 2; }
KERNEL(tables) {
  for (int k = 0; k < dims; k++) y[0] += weights[1][k] * weights[0][k] * x[k];
  static const double local[2] = {0.5, 2};
  y[1] = local[1];
}
KERNEL(local_constants) {
  const int n = 2 * 2 - 1;
  constexpr int m = 2;
  double sums[n] = {0, 0, 0};
  for (int k = 0; k < n; k++) sums[k] = x[k] * m;
  y[0] = sums[0] + sums[2];
}
KERNEL(braces) {
  double a{x[0]}, b{};
  double c[2]{x[1], x[2]};
  int n{2};
  y[0] = a + b + c[0] * n + c[1];
}
KERNEL(local_references) {
  const double &left = x[0];
  double &out = y[1];
  const double &sum = left + x[1];
  out = sum * left;
  out += 1;
}
KERNEL(nested_calls) {
  double whole, rest;
  split(10 * first(x[0]), whole, rest);
  y[0] = whole + rest;
}
KERNEL(arrays_passed) {
  double c[3];
  cross(x, x, c);
  y[0] = c[0] + c[1] * x[0];
}
KERNEL(structures_passed) {
  vec a, b;
  a.x = x[0], a.y = x[1], a.z = x[2];
  b.x = b.y = b.z = 2;
  y[0] = dot(a, b);
}
KERNEL(mixed_structure) {
  mixed m;
  m.n = i[0];
  m.v = x[0];
  y[0] = m.n * m.v;
}
KERNEL(enumerators) {
  boundary b = i[0] % 2 == 0 ? WALL : OUTFLOW;
  switch (b) {
  case WALL: y[0] = SOLID; break;
  case INFLOW: y[0] = 7; break;
  default: y[0] = FLUID * x[0];
  }
}
KERNEL(of_namespaces) { y[0] = pressure(x[0]) + density; }
KERNEL(constants_of_op2) {
  for (int k = 0; k < steps; k++) y[0] += gam * table[k] * x[0];
}
KERNEL(words_as_operators) {
  y[0] = (x[0] > 0.5 and not(x[1] > 0.5)) or x[2] > 0.9 ? 1 : SQUARE(x[0]);
}
KERNEL(logic) {
  bool inside = x[0] > 0.1 && x[0] < 0.9;
  const bool flags[2] = {inside, !inside};
  y[0] = flags[0] ? x[1] : -x[1];
  if (!std::isnan(x[2])) y[1] = inside * 2.0;
}

/* ---- by address ---- */
KERNEL(deduced) {
  auto t = x[0];
  y[0] = t;
}
KERNEL(by_template) { y[0] = square(x[0]); }
KERNEL(by_template_of) { y[0] = square<double>(x[0]); }
KERNEL(with_members) {
  point p = {x[0], x[1]};
  y[0] = p.length();
}
KERNEL(with_operators) {
  vec a, b;
  a.x = a.y = a.z = x[0];
  b.x = b.y = b.z = x[1];
  y[0] = dot(a + b, b);
}
KERNEL(scoped) { y[0] = i[0] > 0 ? int(state::wet) : int(state::dry); }
KERNEL(qualified) { y[0] = physics::density * x[0]; }
KERNEL(over_range) {
  for (double w : weights[0]) y[0] += w * x[0];
}
KERNEL(array_reference) {
  double v[2];
  into_array(v, x[0]);
  y[0] = v[0] + v[1];
}
KERNEL(defaults) { y[0] = by_default(x[0]); }
KERNEL(several_least) { y[0] = std::min({x[0], x[1], x[2]}); }
KERNEL(numeric_limits) { y[0] = std::max(x[0], std::numeric_limits<double>::min()); }
KERNEL(inner_function) {
  auto twice = [](double v) { return 2 * v; };
  y[0] = twice(x[0]);
}

static const int n = 100;
static op_set set;
static op_dat p_x, p_f, p_i, p_y;
static std::vector<double> x(3 * n), y(2 * n);
static std::vector<float> f(n);
static std::vector<int> i(n);

#define TRIED(name, form)                                                                          \
  printf("form %s %s\n", #name, form);                                                             \
  op_par_loop(name, #name, set, op_arg_dat(p_x, -1, OP_ID, 3, "double", OP_READ),                  \
              op_arg_dat(p_f, -1, OP_ID, 1, "float", OP_READ),                                     \
              op_arg_dat(p_i, -1, OP_ID, 1, "int", OP_READ),                                       \
              op_arg_dat(p_y, -1, OP_ID, 2, "double", OP_RW));                                     \
  for (int e = 0; e < n; e++) name(&x[3 * e], &f[e], &i[e], &y[2 * e]);                            \
  check(holds(p_y, y, 1e-13), #name)

int main(int argc, char **argv) {
  for (double &v : x) v = random_number();
  for (double &v : y) v = random_number();
  for (float &v : f) v = (float)random_number();
  for (int &v : i) v = (int)(200 * random_number()) - 100;
  gam = 1.4, steps = 4;
  for (int k = 0; k < 4; k++) table[k] = 0.5 * k;
  op_init(argc, argv, 2);
  op_decl_const(1, "double", &gam);
  op_decl_const(4, "double", table);
  op_decl_const(1, "int", &steps);
  set = set_of(n, "set");
  p_x = dat_of(set, 3, "double", x, "x"), p_f = dat_of(set, 1, "float", f, "f");
  p_i = dat_of(set, 1, "int", i, "i"), p_y = dat_of(set, 2, "double", y, "y");
  TRIED(limits, "text");
  TRIED(float_overloads, "text");
  TRIED(functional_casts, "text");
  TRIED(tables, "text");
  TRIED(local_constants, "text");
  TRIED(braces, "text");
  TRIED(local_references, "text");
  TRIED(nested_calls, "text");
  TRIED(arrays_passed, "text");
  TRIED(structures_passed, "text");
  TRIED(mixed_structure, "text");
  TRIED(enumerators, "text");
  TRIED(of_namespaces, "text");
  TRIED(constants_of_op2, "text");
  TRIED(words_as_operators, "text");
  TRIED(logic, "text");
  TRIED(deduced, "it has C++ that is not turned into C");
  TRIED(by_template, "it, or what it calls, is a template");
  TRIED(by_template_of, "it, or what it calls, is a template");
  TRIED(with_members, "a structure has more than members");
  TRIED(with_operators, "a structure is used as a whole");
  TRIED(scoped, "it has a qualified name");
  TRIED(qualified, "it has a qualified name");
  TRIED(over_range, "it has a loop over a range");
  TRIED(array_reference, "a parameter leads to an array or a function");
  TRIED(defaults, "a parameter has a default");
  TRIED(several_least, "std::min or std::max has other than two arguments");
  TRIED(numeric_limits, "'numeric_limits' is neither a constant nor a function of its file");
  TRIED(inner_function, "it has C++ that is not turned into C");
  op_diagnostic_output();
  op_exit();
  return checked();
}

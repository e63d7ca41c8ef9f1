/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that compute a * b + c in all ways in which a program may write functions, so that each can
 * be contracted; op2-c++ makes copies of them that are not. The program is compiled by it. */
#include "op_seq.h"

#include "compat_check.h"
#include "copies.h"

static double addend; /* copies see the program's own variable */

namespace {
double hidden(double a, double b, double c) { return a * b + c; }
} // namespace
static inline __attribute__((unused)) double attributed(double a, double b, double c) {
  return a * b + c;
}
static double overloaded(double a, double b, double c) { return a * b + c; }
static float overloaded(float a, float b, float c) { return a * b + c; }
template <class T> static T generic(T a, T b, T c) { return a * b + c; }
static double later(double a, double b, double c);
static double preset(double a, double b, double c = addend) { return a * b + c; }
static auto deduced(double a, double b, double c) { return a * b + c; }
extern "C" double with_linkage(double a, double b, double c) { return a * b + c; }
static double nested(double a, double b, double c) { return hidden(a, b, overloaded(0.0, b, c)); }
struct triple {
  double a, b, c;
  double whole() const { return a * b + c; }
};
class keeper {
  static constexpr double held = 1;
  friend void of_a_friend(const double *x, double *y);
};

#define KERNEL(name) void name(const double *x, double *y)
KERNEL(plain) { *y = x[0] * x[1] + x[2]; }
KERNEL(by_variable) { *y = x[0] * x[1] + addend; }
KERNEL(by_hidden) { *y = hidden(x[0], x[1], x[2]); }
KERNEL(by_attributed) { *y = attributed(x[0], x[1], x[2]); }
KERNEL(by_overloaded) { *y = overloaded(x[0], x[1], x[2]) + 0 * overloaded(1.f, 2.f, 3.f); }
KERNEL(by_generic) { *y = generic<double>(x[0], x[1], x[2]); }
KERNEL(by_later) { *y = later(x[0], x[1], x[2]); }
KERNEL(by_preset) { *y = preset(x[0], x[1]); }
KERNEL(by_deduced) { *y = deduced(x[0], x[1], x[2]); }
KERNEL(by_linkage) { *y = with_linkage(x[0], x[1], x[2]); }
KERNEL(by_nested) { *y = nested(x[0], x[1], x[2]); }
KERNEL(by_header) { *y = from_header(x[0], x[1], x[2]); }
KERNEL(by_lambda) {
  auto sum = [](double a, double b, double c) { return a * b + c; };
  *y = sum(x[0], x[1], x[2]);
}
/* A local variable and a member have names of functions. */
KERNEL(by_other_names) {
  double nested = x[0] * x[1];
  *y = nested + x[2];
}
static KERNEL(of_this_file) { *y = x[0] * x[1] + x[2]; }
namespace flow {
namespace inner {
static const double one = 1;
inline KERNEL(of_namespace) { *y = one * x[0] * x[1] + hidden(0, 0, x[2]); }
} // namespace inner
} // namespace flow
using flow::inner::of_namespace;
/* No copy may look into the class, and members that are inline are not compiled twice. */
KERNEL(of_a_friend) { *y = keeper::held * x[0] * x[1] + x[2]; }
KERNEL(by_member) {
  triple t = {x[0], x[1], x[2]};
  *y = t.whole();
}
static double later(double a, double b, double c) { return a * b + c; }

static const int n = 100;
static op_set set;
static std::vector<double> x(3 * n), y(n), exact(n);

/* How many results of a function have the bits of an exact one. */
static int same_bits(void (*kernel)(const double *, double *)) {
  int same = 0;
  for (int e = 0; e < n; e++) {
    double result = 0;
    addend = x[3 * e + 2];
    kernel(&x[3 * e], &result);
    same += !memcmp(&result, &exact[e], sizeof result);
  }
  return same;
}

static void tried(const char *name, void (*copy)(void), bool wanted) {
  check(!copy == !wanted, name);
  if (copy && wanted) check(same_bits((void (*)(const double *, double *))copy) == n, name);
}
#define TRIED(name, wanted)                                                                        \
  tried(#name, op2_compat_copies(#name), wanted);                                                  \
  if (argc > 2)                                                                                    \
  op_par_loop(name, #name, set, op_arg_dat(p_x, -1, OP_ID, 3, "double", OP_READ),                  \
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE))

/* With an argument the function itself has to be contracted, with two the loops run. */
int main(int argc, char **argv) {
  for (double &v : x) v = random_number();
  for (int e = 0; e < n; e++) {
    volatile double product = x[3 * e] * x[3 * e + 1];
    exact[e] = product + x[3 * e + 2];
  }
  op_init(argc, argv, 1);
  set = set_of(n, "set");
  op_dat p_x = dat_of(set, 3, "double", x, "x"), p_y = dat_of(set, 1, "double", y, "y");
  if (argc > 1) check(same_bits(plain) < n, "the kernel itself is contracted");
  check(!op2_compat_copies("nothing"), "there is no such kernel");
  TRIED(plain, true);
  TRIED(by_variable, true);
  TRIED(by_hidden, true);
  TRIED(by_attributed, true);
  TRIED(by_overloaded, true);
  TRIED(by_generic, true);
  TRIED(by_later, true);
  TRIED(by_preset, true);
  TRIED(by_deduced, true);
  TRIED(by_linkage, true);
  TRIED(by_nested, true);
  TRIED(by_header, true);
  TRIED(by_lambda, true);
  TRIED(by_other_names, true);
  TRIED(of_this_file, true);
  TRIED(of_namespace, true);
  TRIED(of_a_friend, false);
  if (argc > 2) check(holds(p_y, exact, 1e-14), "loops");
  op_par_loop(by_member, "by_member", set, op_arg_dat(p_x, -1, OP_ID, 3, "double", OP_READ),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
  op_exit();
  return checked();
}

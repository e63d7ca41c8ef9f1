/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of op2.hpp that are given by lambdas and functions, against the same kernels in C. Each
 * prints its name and whether op2-c++ can store a text that is taken, for t879 to compare with what
 * op2_explain() says while the kernels are there. */
#include <op2.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#ifdef FAULTS
#define FACTOR 1.0000000000000002
#else
#define FACTOR 1
#endif

namespace {
int checks, failures;
void check(bool good, const char *name) {
  checks++;
  failures += !good;
  std::printf("%sok %d - %s\n", good ? "" : "not ", checks, name);
}
bool same(const op2::dat<double> &a, const op2::dat<double> &b) {
  const std::vector<double> x = a.values(), y = b.values();
  return !std::memcmp(x.data(), y.data(), x.size() * sizeof(double));
}

double weight = 0.3;
double square(double x) { return x * x; }
void of_function(const double *x, double *y) { *y += square(*x) + weight; }

const std::int64_t n = 1000;
struct mesh {
  op2::set nodes, edges;
  op2::map ends;
  op2::dat<double> x, y, y_c; /* y_c is modified by the kernel in C */
  op2::dat<float> f;
  op2::gbl<double> total, total_c;
  explicit mesh(const op2::context &ctx)
      : nodes(ctx, n, "nodes"), edges(ctx, 2 * n, "edges"), total(ctx, 0.0, "total"),
        total_c(ctx, 0.0, "total_c") {
    std::vector<std::int32_t> table;
    std::vector<double> values;
    std::vector<float> floats;
    for (std::int32_t i = 0; i < 4 * n; i++) table.push_back((i * 37 + i / 3) % n);
    for (int i = 0; i < n; i++) values.push_back(std::sin(i) + 1.5);
    for (int i = 0; i < n; i++) floats.push_back(static_cast<float>(std::cos(i) + 1.5));
    ends = op2::map(edges, nodes, 2, table.data(), "ends");
    x = op2::dat<double>(nodes, 1, values.data(), "x");
    y = op2::dat<double>(nodes, 1, values.data(), "y");
    y_c = op2::dat<double>(nodes, 1, values.data(), "y_c");
    f = op2::dat<float>(nodes, 1, floats.data(), "f");
  }
};

void said(const char *name, const char *form) { std::printf("form %s %s\n", name, form); }

void taken_as_text(const op2::context &ctx, mesh &m) {
  const op2::kernel direct(ctx, "direct", [](const double *x, double *y) {
    *y += (x[0] * x[0] * square(*x) + weight) * FACTOR;
  });
  const op2::kernel direct_c(ctx, "direct_c", R"(
    static double square(double x) { return x * x; }
    void direct_c(const double *x, double *y) { *y += x[0] * x[0] * square(*x) + weight; })");
  op2::par_loop(direct, m.nodes, op2::read(m.x), op2::rw(m.y));
  op2::par_loop(direct_c, m.nodes, op2::read(m.x), op2::rw(m.y_c));
  check(same(m.y, m.y_c), "a lambda over a set");
  said("direct", "text");

  auto spread = [](const double *x, const float *f, double *y, double factor) noexcept -> void {
    for (int i = 0; i < 2; i++) *y += std::max(*x, 0.7) * factor * double(std::sqrt(*f));
  };
  const op2::kernel indirect(ctx, "indirect", spread);
  const op2::kernel indirect_c(ctx, "indirect_c", R"(
    void indirect_c(const double *x, const float *f, double *y, double factor) {
      for (int i = 0; i < 2; i++) *y += (*x < 0.7 ? 0.7 : *x) * factor * (double)sqrtf(*f);
    })");
  op2::par_loop(indirect, m.edges, op2::read(m.x, m.ends, 0), op2::read(m.f, m.ends, 1),
                op2::inc(m.y, m.ends, 1), op2::value(0.3));
  op2::par_loop(indirect_c, m.edges, op2::read(m.x, m.ends, 0), op2::read(m.f, m.ends, 1),
                op2::inc(m.y_c, m.ends, 1), op2::value(0.3));
  check(same(m.y, m.y_c), "a variable that holds a lambda, through a map");
  said("indirect", "text");

  const op2::kernel sum(
      ctx, "sum", +[](const double *const *x, double *total, std::int32_t number) {
        *total += x[0][0] * x[1][0] + number;
      });
  const op2::kernel sum_c(ctx, "sum_c", R"(
    void sum_c(const double *const *x, double *total, int32_t number) {
      *total += x[0][0] * x[1][0] + number;
    })");
  op2::par_loop(sum, m.edges, op2::read(m.x, m.ends), op2::inc(m.total), op2::index());
  op2::par_loop(sum_c, m.edges, op2::read(m.x, m.ends), op2::inc(m.total_c), op2::index());
  const double a = m.total.value(), b = m.total_c.value();
  check(!std::memcmp(&a, &b, sizeof a), "all slots, a sum and a number");
  said("sum", "text");

  op2::kernel moved;
  check(moved.create(ctx, "least",
                     [](const double *x, double *least) { *least = std::min(*least, *x); }) ==
            OP2_SUCCESS,
        "create()");
  op2::kernel least = std::move(moved);
  op2::par_loop(least, m.nodes, op2::read(m.x), op2::min(m.total));
  const std::vector<double> x = m.x.values();
  check(m.total.value() == *std::min_element(x.begin(), x.end()), "a minimum, after a move");
  said("least", "text");

  const op2::kernel function(ctx, "function", of_function);
  const op2::kernel function_c(ctx, "function_c", R"(
    void function_c(const double *x, double *y) { *y += *x * *x + weight; })");
  op2::par_loop(function, m.nodes, op2::read(m.x), op2::inc(m.y));
  op2::par_loop(function_c, m.nodes, op2::read(m.x), op2::inc(m.y_c));
  check(same(m.y, m.y_c), "a function");
  said("function", "text");
  op2::check(op2_explain(ctx.get(), stdout));
}

/* Loops of kernels that have no text, or cannot be compared; or only later. */
void called_by_address(const op2::context &ctx, mesh &m) {
  const std::vector<double> before = m.y.values();
  const char *name = "unknown";
  const op2::kernel unknown(ctx, name, [](const double *x, double *y) { *y += *x; });
  const op2::kernel prints(ctx, "prints", [](const double *x, double *y) {
    *y += *x;
    if (*x < -1e9) std::printf("# %g\n", *x);
  });
  const op2::kernel one(ctx, "twice", [](const double *x, double *y) { *y += *x; });
  const op2::kernel two(ctx, "twice", [](const double *x, double *y) { *y += 2 * *x; });
  const op2::kernel wide(
      ctx, "wide", [](double *y, std::int64_t number) { *y += 0 * static_cast<double>(number); });
  const op2::kernel gathers(
      ctx, "gathers", [](const double *x, double *total) { *total += x[0] - x[0] + 0 * x[1]; });
  op2::par_loop(unknown, m.nodes, op2::read(m.x), op2::inc(m.y));
  op2::par_loop(prints, m.nodes, op2::read(m.x), op2::inc(m.y));
  op2::par_loop(one, m.nodes, op2::read(m.x), op2::inc(m.y));
  op2::par_loop(two, m.nodes, op2::read(m.x), op2::inc(m.y));
  op2::par_loop(wide, m.nodes, op2::inc(m.y), op2::index());
  op2::par_loop(gathers, m.edges, op2::read(m.x, m.ends, op2::packed), op2::inc(m.total));
  said("unknown", "no lambda or function is given behind its name");
  said("prints", "'printf' is neither a constant nor a function of its file");
  said("twice", "several functions are given behind its name");
  said("wide", "no loop yet in which its text could be compared");
  said("gathers", "no loop yet in which its text could be compared");
  const std::vector<double> after = m.y.values(), x = m.x.values();
  bool good = true;
  for (std::size_t i = 0; i < before.size(); i++)
    good = good && std::fabs(after[i] - (before[i] + 5 * x[i])) < 1e-12;
  check(good, "kernels by their address");

  const std::vector<std::int64_t> indices = {3, 5, 500};
  const op2::set some(m.nodes, indices, "some");
  const op2::kernel late(ctx, "late", [](const double *x, double *y) { *y += *x * *x; });
  op2::par_loop(late, some, op2::read(m.x), op2::inc(m.y));
  ctx.flush();
  said("late", "no loop yet in which its text could be compared");
  op2::par_loop(late, m.nodes, op2::read(m.x), op2::inc(m.y));
  check(std::fabs(m.y.values()[3] - after[3] - 2 * x[3] * x[3]) < 1e-12, "a subset, then a set");
  op2::check(op2_explain(ctx.get(), stdout));
}
} // namespace

int main() {
  op2::context ctx;
  const op2::constant<double> constant(ctx, weight, "weight");
  {
    mesh m(ctx);
    taken_as_text(ctx, m);
    called_by_address(ctx, m);
  }
  std::printf("1..%d\n", checks);
  return failures != 0;
}

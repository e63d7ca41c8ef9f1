/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of users in C++, which test t013-cxx compiles with several compilers and dialects, with
 * exceptions and without. It computes everything once more and writes TAP. */
#include <op2.hpp>

#include <cmath>
#include <cstring>

namespace {

int checks, failures;

void ok(bool good, const char *what) {
  if (!good) failures++;
  std::printf("%sok %d - %s\n", good ? "" : "not ", ++checks, what);
}

bool names(const char *text, const char *part) { return std::strstr(text, part) != nullptr; }

constexpr int cell_count = 1000, edge_count = 3000;

const char add_text[] = "void add(const double *a, double *b, double *sum, double factor) {\n"
                        "  *b += factor * *a;\n"
                        "  *sum += *a;\n"
                        "}\n";

OP2_FUNCTION(doubled, double, (double a), { return 2 * a; });
OP2_KERNEL(add_doubled, (const double *a, double *b), { *b += doubled(*a); });

/* A graph in which edges lead from a cell to another one, with small whole numbers as values. */
struct mesh {
  explicit mesh(const op2::context &ctx)
      : cells(ctx, cell_count, "cells"), edges(ctx, edge_count, "edges") {
    for (int e = 0; e < edge_count; e++) {
      ends.push_back(e * 7 % cell_count);
      ends.push_back((e * 11 + 3) % cell_count);
    }
    for (int c = 0; c < cell_count; c++) start.push_back(c % 17 - 8);
    sides = op2::map(edges, cells, 2, ends.data(), "sides");
  }
  op2::set cells, edges;
  op2::map sides;
  std::vector<std::int32_t> ends;
  std::vector<double> start;
};

void loops(const op2::context &ctx) {
  const mesh m(ctx);
  op2::dat<double> x(m.cells, 1, m.start.data(), "x"), flux(m.cells, 1, "flux");
  op2::gbl<double> sum(ctx, 0.0, "sum");
  const op2::kernel add(ctx, "add", add_text);
  op2::par_loop(add, m.edges, op2::read(x, m.sides, 0), op2::inc(flux, m.sides, 1), op2::inc(sum),
                op2::value(2.0));
  std::vector<double> want(cell_count);
  double total = 0;
  for (std::size_t e = 0; e < edge_count; e++) {
    const double from = m.start[static_cast<std::size_t>(m.ends[2 * e])];
    want[static_cast<std::size_t>(m.ends[2 * e + 1])] += 2 * from;
    total += from;
  }
  ok(flux.values() == want, "increments through a map");
  ok(sum.value() == total, "a sum");
  const op2::kernel shared(ctx, add_doubled_kernel);
  op2::dat<double> doubles(m.cells, 1, "doubles");
  op2::par_loop(shared, m.edges, op2::read(x, m.sides, 0), op2::inc(doubles, m.sides, 1));
  ok(doubles.values() == want, "a function of the file");
  flux.assign(m.start);
  {
    const op2::view<double> values = flux.write();
    for (double &v : values) v += 1;
  }
  double difference = 0;
  for (std::size_t i = 0; i < flux.size(); i++)
    difference += std::fabs(flux.read()[i] - m.start[i] - 1);
  ok(difference == 0, "views for writing and reading");
}

/* The number of the element, all slots packed, minima with what belongs to them, a work array. */
void arguments(const op2::context &ctx) {
  const mesh m(ctx);
  op2::dat<double> x(m.cells, 1, m.start.data(), "x");
  op2::dat<float> sums(m.edges, 2, "sums");
  op2::gbl<std::int64_t> where(ctx, std::int64_t{-1}, "where");
  op2::gbl<double> least(ctx, 1e9, "least");
  const op2::constant<double> scale(ctx, 0.5, "scale");
  const op2::kernel both(
      ctx, "both",
      "void both(const double *x, float *s, double *least, int64_t *where, int64_t i, int k,\n"
      "          double *room) {\n"
      "  room[0] = x[0] + x[1];\n"
      "  s[0] = scale * room[0];\n"
      "  s[1] = k * x[0];\n"
      "  if (x[1] - i < *least) { *least = x[1] - i; *where = i; }\n"
      "}\n");
  op2::par_loop(both, m.edges, op2::read(x, m.sides, op2::packed), op2::write(sums),
                op2::min(least), op2::info(where, 2), op2::index(), op2::value(3),
                op2::work<double>(1));
  std::vector<float> want;
  double lowest = 1e9;
  std::int64_t at = -1;
  for (std::size_t e = 0; e < edge_count; e++) {
    const double a = m.start[static_cast<std::size_t>(m.ends[2 * e])],
                 b = m.start[static_cast<std::size_t>(m.ends[2 * e + 1])];
    want.push_back(static_cast<float>(0.5 * (a + b)));
    want.push_back(static_cast<float>(3 * a));
    if (b - static_cast<double>(e) < lowest) {
      lowest = b - static_cast<double>(e);
      at = static_cast<std::int64_t>(e);
    }
  }
  ok(sums.values() == want, "packed arguments, constants and values");
  ok(least.value() == lowest && where.value() == at, "a minimum and where it is");
  const op2::set some(m.cells, {1, 5, 7}, "some");
  const op2::kernel mark(ctx, "mark", "void mark(double *x) { *x = 100; }");
  op2::par_loop(mark, some, op2::write(x));
  ok(x.values()[5] == 100 && x.values()[6] == m.start[6] && some.size() == 3, "a subset");
  const op2::set whole = op2::set::single(ctx, "whole");
  const op2::map there(m.cells, whole, 1, nullptr, "there");
  const op2::dat<double> sum(whole, 1, "sum");
  op2::par_loop(op2::kernel(ctx, "count", "void count(double *s) { *s += 1; }"), m.cells,
                op2::inc(sum, there, 0));
  ok(sum.values()[0] == static_cast<double>(m.cells.size()), "a set of one element for all");
}

double weight = 0.25; /* the constant of this name in kernels */

struct table {
  int values[3];
};

/* Kernels from lambdas without captures: with their text, and by their address. */
void lambdas(const op2::context &ctx) {
  const mesh m(ctx);
  op2::dat<double> x(m.cells, 1, m.start.data(), "x"), by_text(m.cells, 1, "by_text"),
      by_address(m.cells, 1, "by_address");
  const op2::constant<double> constant(ctx, weight, "weight");
  const auto spread = OP2_LAMBDA((const double *a, double *b, double factor), {
    double parts[2] = {weight * *a, factor};
    *b += parts[0] * parts[1];
  });
  const op2::kernel text(ctx, "spread", spread);
  const op2::kernel address(ctx, "spread", spread.function, OP2_ANY_THREADS);
  op2::par_loop(text, m.edges, op2::read(x, m.sides, 0), op2::inc(by_text, m.sides, 1),
                op2::value(3.0));
  op2::par_loop(address, m.edges, op2::read(x, m.sides, 0), op2::inc(by_address, m.sides, 1),
                op2::value(3.0));
  std::vector<double> want(cell_count);
  for (std::size_t e = 0; e < edge_count; e++)
    spread.function(&m.start[static_cast<std::size_t>(m.ends[2 * e])],
                    &want[static_cast<std::size_t>(m.ends[2 * e + 1])], 3.0);
  ok(by_text.values() == want, "a lambda with its text");
  ok(by_address.values() == want, "the same by its address");
}

/* Parameters of all kinds, for which a declaration in C is made. */
void declarations(const op2::context &ctx) {
  const mesh m(ctx);
  const table given = {{2, 3, 5}};
  const std::vector<std::uint16_t> shorts(edge_count, 7);
  op2::dat<float> out(m.edges, 2, "out");
  const op2::dat<std::uint16_t> in(m.edges, 1, shorts.data(), "in");
  const op2::dat<double> x(m.cells, 1, m.start.data(), "x");
  op2::gbl<std::int64_t> count(ctx, std::int64_t{0}, "count");
  const op2::kernel all(
      ctx, "all",
      [](const double *const *ends, const std::uint16_t *s, const table *t, float *y,
         std::int64_t *n, const long i, signed char k, unsigned u) noexcept {
        const auto sum = [](double a, double b) { return a + b; };
        y[0] = static_cast<float>(sum(*ends[0], *ends[1]));
        y[1] = static_cast<float>(*s + t->values[i % 3] + k + static_cast<int>(u));
        *n += 1;
      });
  op2::par_loop(all, m.edges, op2::read(x, m.sides), op2::read(in), op2_arg_opaque(&given),
                op2::write(out), op2::inc(count), op2::index(), op2::value<signed char>(-4),
                op2::value(9u));
  std::vector<float> want;
  for (std::size_t e = 0; e < edge_count; e++) {
    want.push_back(static_cast<float>(m.start[static_cast<std::size_t>(m.ends[2 * e])] +
                                      m.start[static_cast<std::size_t>(m.ends[2 * e + 1])]));
    want.push_back(static_cast<float>(7 + given.values[e % 3] - 4 + 9));
  }
  ok(out.values() == want && count.value() == edge_count, "parameters of all kinds by address");
  op2::kernel late;
  ok(late.create(ctx, "late", [](double *y) { *y = 1; }) == OP2_SUCCESS && late,
     "create() with a lambda");
  ok(late.create(ctx, "2late", [](double *y) { *y = 1; }) != OP2_SUCCESS && !late,
     "create() that is refused");
  ok(late.create(ctx, "late", OP2_LAMBDA((double *y, float z), { *y = z; })) == OP2_SUCCESS,
     "create() with the text of a lambda");
  ok(op2::status::par_loop(late, m.edges, op2::write(out)) == OP2_ERR_ARITY,
     "arguments are compared with it");
  ok(late.create(ctx, "no name", OP2_LAMBDA((double *y), { *y = 1; })) != OP2_SUCCESS,
     "a name that is none in C");
}

void ownership(const op2::context &ctx) {
  op2::set cells(ctx, 10, "cells");
  op2::dat<int> x(cells, 1, "x");
  const op2_dat handle = x.get();
  op2::dat<int> y = std::move(x);
  ok(y.get() == handle && !x, "a handle moves");
  x = std::move(y);
  ok(x.get() == handle && !y && x.size() == 10, "and back");
  op2_dat mine = x.release();
  ok(mine == handle && !x, "it can be released");
  op2_dat_destroy(&mine);
}

void statuses(const op2::context &ctx) {
  op2::set cells, none;
  ok(cells.create(ctx, 5, "cells") == OP2_SUCCESS && cells.size() == 5, "create() of a set");
  ok(none.create(ctx, -1, "none") != OP2_SUCCESS && !none, "create() that fails");
  op2::kernel wrong;
  ok(wrong.create(ctx, "f", "void g(int *x) {}") == OP2_ERR_SYNTAX,
     "a kernel without its function");
  op2::dat<float> x;
  ok(x.create(cells, 1, "x") == OP2_SUCCESS, "create() of a dat");
  const op2::kernel one(ctx, "one", "void one(float *x) { *x = 1; }");
  const int line = __LINE__ + 1;
  ok(op2::status::par_loop(one, cells, op2::inc(x), op2::inc(x)) == OP2_ERR_ARITY,
     "a loop that is refused");
  const std::string place = std::string("t013-cxx.cc:") + std::to_string(line);
  ok(names(op2_error_message(), place.c_str()), "the message has the file and line of the call");
}

#if defined __cpp_exceptions
void exceptions(const op2::context &ctx) {
  const op2::set cells(ctx, 5, "cells");
  op2::dat<double> x(cells, 1, "x");
  const op2::kernel one(ctx, "one", "void one(double *x) { *x = 1; }");
  try {
    op2::par_loop(one, cells, op2::inc(x), op2::inc(x));
    ok(false, "a loop with too many arguments throws");
  } catch (const op2::error &failure) {
    ok(failure.status() == OP2_ERR_ARITY && names(failure.what(), "'one'"),
       "a loop with too many arguments throws");
  }
  try {
    const op2::kernel look(ctx, "look", "void look(const double *x) {}");
    op2::par_loop(look, cells, op2::inc(x));
    ok(false, "a loop with a wrong argument throws");
  } catch (const op2::error &failure) {
    ok(failure.status() == OP2_ERR_ACCESS && failure.argument() == 0 && failure.object() == "x",
       "the exception has the argument and the object");
  }
  try {
    x.assign({1, 2});
    ok(false, "too few values throw");
  } catch (const std::runtime_error &failure) {
    ok(names(failure.what(), "op2::dat::assign: 2 values, and 5 are needed"), "values are counted");
  }
  try {
    const op2::dat<double> bad(cells, -1, "bad");
    ok(false, "a constructor that fails throws");
  } catch (const op2::error &failure) {
    ok(names(failure.what(), "bad"), "a constructor that fails throws");
  }
}
#endif

} // namespace

int main() {
  op2::context ctx;
  loops(ctx);
  arguments(ctx);
  lambdas(ctx);
  declarations(ctx);
  ownership(ctx);
  statuses(ctx);
#if defined __cpp_exceptions
  exceptions(ctx);
#endif
  ctx.finalize();
  ok(!ctx, "the context has ended");
  std::printf("1..%d\n", checks);
  return failures != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The heat of heat.c in C++, by op2.hpp: the same kernels, mesh and options, on one rank. */
#include <op2.hpp>

#include <cmath>
#include <cstdio>

#include "common/kernel_of.hpp"

extern "C" {
#include "common/application.h"
#include "common/clock.h"
#include "common/progress.h"
#include "kernels.h"
#include "options.h"
#include "problem.h"
}

const char report_name[] = "heat_cxx";

namespace {

enum { LOOPS_PER_STEP = 3 };

/* Members are declared, and thus made, before those that refer to them. */
class solver {
public:
  solver(const op2::context &ctx, const mesh &m, const problem &given)
      : nodes(ctx, m.nnode, "nodes"), edges(ctx, m.nedge, "edges"),
        edge_nodes(edges, nodes, 2, m.edge, "edge_nodes"), weight(edges, 1, given.weight, "weight"),
        rate(nodes, 1, given.rate, "rate"), u(nodes, 1, given.start, "u"), gain(nodes, 1, "gain"),
        largest(ctx, 0.0, "change"), flow(kernel_of(ctx, flow_kernel, ::flow)),
        advance(kernel_of(ctx, advance_kernel, ::advance)),
        measure(kernel_of(ctx, measure_kernel, ::measure)) {}

  void step() {
    largest.assign(0);
    op2::par_loop(flow, edges, op2::read(weight), op2::read(u, edge_nodes, 0),
                  op2::read(u, edge_nodes, 1), op2::inc(gain, edge_nodes, 0),
                  op2::inc(gain, edge_nodes, 1));
    op2::par_loop(advance, nodes, op2::read(rate), op2::read(gain), op2::rw(u));
    op2::par_loop(measure, nodes, op2::read(rate), op2::rw(gain), op2::max(largest));
  }
  /* The largest change of the last time step, which runs here. */
  double change() const { return largest.value(); }
  bool write(const options &o, const mesh &m, const problem &given, const outcome &end) const {
    outcome_print(&end, &given, &m, u.read().data());
    return report_dump(u.get(), m.nnode, 1, end.change, o.dump);
  }

private:
  op2::set nodes, edges;
  op2::map edge_nodes;
  op2::dat<double> weight, rate, u, gain;
  op2::gbl<double> largest;
  op2::kernel flow, advance, measure;
};

outcome run_steps(const op2::context &ctx, solver &s, const options &o, run_times *times) {
  const int warmup = option_warmup(&o.run, o.iterations);
  const double begin = clock_now();
  double timed = begin;
  outcome result = {};
  progress_begin(report_name, o.iterations, "time steps", o.run.progress);
  for (int it = 1; it <= o.iterations && !result.steady; it++) {
    s.step();
    if (it == 1) (void)report_graph(ctx.get(), o.graph);
    result.change = s.change();
    result.steps = it;
    result.steady = result.change < o.tolerance;
    if (o.every > 0 && it % o.every == 0) outcome_line(it, result.change);
    if (it == warmup) timed = clock_now();
    progress_show(progress_done(ctx.get(), it, LOOPS_PER_STEP) / static_cast<double>(o.iterations));
  }
  const double end = clock_now();
  progress_end();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = result.steps > warmup ? result.steps - warmup : 0;
  return result;
}

bool solve(const options &o, const mesh &m, const problem &given, run_times *times) {
  op2_context handle;
  const double begin = clock_now();
  if (!report_init(&o.run, &handle)) return false;
  op2::context ctx(nullptr);
  ctx.reset(handle);
  bool good = false;
  try {
    solver s(ctx, m, given);
    times->setup = clock_now() - begin;
    const outcome end = run_steps(ctx, s, o, times);
    good = s.write(o, m, given, end) && report_run(ctx.get(), times, "time steps") &&
           report_explain(ctx.get(), o.run.explain) && report_state(ctx.get(), o.run.state);
  } catch (const op2::error &failure) {
    std::fprintf(stderr, "heat_cxx: %s\n", failure.what());
  }
  handle = ctx.release();
  return report_finalize(&handle, good);
}

bool run(const options *o, const mesh *m, run_times *times) {
  problem given;
  bench_error error;
  const double begin = clock_now();
  if (problem_create(m, &given, &error)) {
    std::fprintf(stderr, "heat_cxx: %s\n", error.text);
    return false;
  }
  times->mesh += clock_now() - begin;
  const bool good = solve(*o, *m, given, times);
  problem_free(&given);
  return good;
}

} // namespace

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, run);
}

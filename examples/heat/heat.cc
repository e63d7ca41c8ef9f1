// SPDX-License-Identifier: BSD-3-Clause
// Heat in a rod, by the classes for C++: heat [steps]
//
// Kernels are lambdas, objects end by themselves, and failures are exceptions.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <op2.hpp>
#include <vector>

int main(int argc, char **argv) try {
  const int nodes_wanted = 101, steps = argc > 1 ? std::atoi(argv[1]) : 2000;
  std::vector<int32_t> ends;
  std::vector<double> start(nodes_wanted);
  for (int i = 0; i + 1 < nodes_wanted; i++) {
    ends.push_back(i);
    ends.push_back(i + 1);
  }
  for (int i = 0; i < nodes_wanted; i++) start[i] = std::sin(M_PI * i / (nodes_wanted - 1));

  op2::context ctx;
  op2::set nodes(ctx, nodes_wanted, "nodes"), bars(ctx, nodes_wanted - 1, "bars");
  op2::map to_nodes(bars, nodes, 2, ends.data(), "to_nodes");
  op2::dat<double> heat(nodes, 1, start.data(), "heat"), flow(nodes, 1, "flow");
  op2::gbl<double> hottest(ctx, 0.0, "hottest");

  op2::kernel conduct(ctx, "conduct",
                      OP2_LAMBDA((const double *l, const double *r, double *a, double *b), {
                        const double f = *r - *l;
                        *a += f;
                        *b -= f;
                      }));
  op2::kernel step(ctx, "step", OP2_LAMBDA((double rate, double *flow, double *heat), {
                     *heat += rate * *flow;
                     *flow = 0;
                   }));
  op2::kernel find(ctx, "find", OP2_LAMBDA((const double *heat, double *most), {
                     if (*heat > *most) *most = *heat;
                   }));

  const double rate = 0.25;
  for (int n = 0; n < steps; n++) {
    op2::par_loop(conduct, bars, op2::read(heat, to_nodes, 0), op2::read(heat, to_nodes, 1),
                  op2::inc(flow, to_nodes, 0), op2::inc(flow, to_nodes, 1));
    // The ends of the rod are insulated here, as nothing flows past them.
    op2::par_loop(step, nodes, op2::value(rate), op2::rw(flow), op2::rw(heat));
  }
  op2::par_loop(find, nodes, op2::read(heat), op2::max(hottest));

  double sum = 0, sum_before = 0;
  for (double h : heat.values()) sum += h;
  for (double h : start) sum_before += h;
  std::printf("the hottest node has %.6f, and the heat is %s\n", hottest.value(),
              std::fabs(sum - sum_before) < 1e-9 * sum_before ? "the same" : "another");
  return 0;
} catch (const op2::error &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

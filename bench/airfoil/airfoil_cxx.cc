/* SPDX-License-Identifier: BSD-3-Clause */
/* The airfoil of airfoil.c in C++, by op2.hpp: the same kernels, mesh and options, on one rank. It
 * draws and counts nothing. */
#include <op2.hpp>

#include <cmath>
#include <cstdio>

#include "common/kernel_of.hpp"

extern "C" {
#include "common/application.h"
#include "common/clock.h"
#include "common/progress.h"
#include "gas.h"
#include "kernels.h"
#include "mesh.h"
#include "options.h"
}

const char report_name[] = "airfoil_cxx";

namespace {

enum { LOOPS_PER_STEP = 9 };

std::vector<double> free_stream() {
  std::vector<double> state(4);
  gas_free_stream(state.data());
  return state;
}

std::vector<double> everywhere(std::int64_t n, const std::vector<double> &state) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; i++) values.insert(values.end(), state.begin(), state.end());
  return values;
}

/* Give compiled kernels the constants of the same names. */
void set_variables() {
  gam = GAS_GAMMA;
  gm1 = GAS_GM1;
  cfl = GAS_CFL;
  eps = GAS_EPS;
  gas_free_stream(qinf);
}

/* Members are declared, and thus made, before those that refer to them. */
class flow {
public:
  flow(const op2::context &ctx, const mesh &m)
      : nodes(ctx, m.nnode, "nodes"), cells(ctx, m.ncell, "cells"), edges(ctx, m.nedge, "edges"),
        bedges(ctx, m.nbedge, "bedges"), cell_nodes(cells, nodes, 4, m.cell, "cell_nodes"),
        edge_nodes(edges, nodes, 2, m.edge, "edge_nodes"),
        edge_cells(edges, cells, 2, m.ecell, "edge_cells"),
        bedge_nodes(bedges, nodes, 2, m.bedge, "bedge_nodes"),
        bedge_cells(bedges, cells, 1, m.becell, "bedge_cells"), x(nodes, 2, m.x, "x"),
        bound(bedges, 1, m.bound, "bound"),
        q(cells, 4, everywhere(m.ncell, free_stream()).data(), "q"), qold(cells, 4, "qold"),
        adt(cells, 1, "adt"), res(cells, 4, "res"), rms(ctx, 0.0, "rms"),
        gamma(ctx, GAS_GAMMA, "gam"), gamma_less_1(ctx, GAS_GM1, "gm1"),
        courant(ctx, GAS_CFL, "cfl"), smoothing(ctx, GAS_EPS, "eps"),
        far(ctx, 4, free_stream().data(), "qinf"),
        save_soln(kernel_of(ctx, save_soln_kernel, ::save_soln)),
        adt_calc(kernel_of(ctx, adt_calc_kernel, ::adt_calc)),
        res_calc(kernel_of(ctx, res_calc_kernel, ::res_calc)),
        bres_calc(kernel_of(ctx, bres_calc_kernel, ::bres_calc)),
        update(kernel_of(ctx, update_kernel, ::update)), ncell(m.ncell) {
    set_variables();
  }

  /* Queue one time step: LOOPS_PER_STEP loops, none of which runs here. */
  void step() {
    op2::par_loop(save_soln, cells, op2::read(q), op2::write(qold));
    for (int stage = 0; stage < 2; stage++) {
      op2::par_loop(adt_calc, cells, op2::read(x, cell_nodes, 0), op2::read(x, cell_nodes, 1),
                    op2::read(x, cell_nodes, 2), op2::read(x, cell_nodes, 3), op2::read(q),
                    op2::write(adt));
      op2::par_loop(res_calc, edges, op2::read(x, edge_nodes, 0), op2::read(x, edge_nodes, 1),
                    op2::read(q, edge_cells, 0), op2::read(q, edge_cells, 1),
                    op2::read(adt, edge_cells, 0), op2::read(adt, edge_cells, 1),
                    op2::inc(res, edge_cells, 0), op2::inc(res, edge_cells, 1));
      op2::par_loop(bres_calc, bedges, op2::read(x, bedge_nodes, 0), op2::read(x, bedge_nodes, 1),
                    op2::read(q, bedge_cells, 0), op2::read(adt, bedge_cells, 0),
                    op2::inc(res, bedge_cells, 0), op2::read(bound));
      rms.assign(0);
      op2::par_loop(update, cells, op2::read(qold), op2::write(q), op2::rw(res), op2::read(adt),
                    op2::inc(rms));
    }
  }

  /* The rms of the change in the last update; reading it runs all loops that it depends on. */
  double change() const { return std::sqrt(rms.value() / static_cast<double>(ncell)); }
  bool dump(const char *path) const {
    return path == nullptr || report_dump(q.get(), ncell, 4, change(), path);
  }

private:
  op2::set nodes, cells, edges, bedges;
  op2::map cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells;
  op2::dat<double> x;
  op2::dat<std::int32_t> bound;
  op2::dat<double> q, qold, adt, res;
  op2::gbl<double> rms;
  op2::constant<double> gamma, gamma_less_1, courant, smoothing, far;
  op2::kernel save_soln, adt_calc, res_calc, bres_calc, update;
  std::int64_t ncell;
};

void run_steps(const op2::context &ctx, flow &f, const options &o, run_times *times) {
  const int warmup = option_warmup(&o.run, o.iterations);
  const double begin = clock_now();
  double timed = begin;
  progress_begin(report_name, o.iterations, "time steps", o.run.progress);
  for (int it = 1; it <= o.iterations; it++) {
    f.step();
    if (it == 1) (void)report_graph(ctx.get(), o.graph);
    if (o.every > 0 && it % o.every == 0) std::printf("%d %.15e\n", it, f.change());
    if (it == warmup) {
      ctx.flush();
      timed = clock_now();
    }
    progress_show(progress_done(ctx.get(), it, LOOPS_PER_STEP) / static_cast<double>(o.iterations));
  }
  ctx.flush();
  const double end = clock_now();
  progress_end();
  times->loop = end - begin;
  times->timed = end - timed;
  times->iterations = o.iterations - warmup;
}

bool simulate(const options *o, const mesh *m, run_times *times) {
  op2_context handle;
  const double begin = clock_now();
  if (!report_init(&o->run, &handle)) return false;
  op2::context ctx(nullptr);
  ctx.reset(handle);
  bool good = false;
  try {
    flow f(ctx, *m);
    times->setup = clock_now() - begin;
    run_steps(ctx, f, *o, times);
    good = f.dump(o->dump_q) && report_run(ctx.get(), times, "time loop") &&
           report_explain(ctx.get(), o->run.explain) && report_state(ctx.get(), o->run.state);
  } catch (const op2::error &failure) {
    std::fprintf(stderr, "airfoil_cxx: %s\n", failure.what());
  }
  handle = ctx.release();
  return report_finalize(&handle, good);
}

} // namespace

int main(int argc, char **argv) {
  options o;
  mesh m;
  return application_main(argc, argv, &o, &m, simulate);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Airfoil in the forms of forms.h, with the kernels of bench/airfoil. The rms of the change is asked
 * for after each of the two stages of a step, as in OP2's application.
 *   airfoil_forms FORM MESH STEPS WARMUP */
#include "forms.h"

#include "airfoil/gas.h"
#include "airfoil/kernels.h"

struct mesh {
  int nnode, ncell, nedge, nbedge;
  std::vector<double> x;
  std::vector<int> cell, edge, ecell, bedge, becell, bound;
};

static mesh read_mesh(const char *name) {
  reader in(name);
  mesh m;
  m.nnode = in.integer(), m.ncell = in.integer(), m.nedge = in.integer(), m.nbedge = in.integer();
  for (int i = 0; i < 2 * m.nnode; i++) m.x.push_back(in.real());
  for (int i = 0; i < 4 * m.ncell; i++) m.cell.push_back(in.integer());
  for (int e = 0; e < m.nedge; e++) {
    for (int k = 0; k < 2; k++) m.edge.push_back(in.integer());
    for (int k = 0; k < 2; k++) m.ecell.push_back(in.integer());
  }
  for (int e = 0; e < m.nbedge; e++) {
    for (int k = 0; k < 2; k++) m.bedge.push_back(in.integer());
    m.becell.push_back(in.integer());
    m.bound.push_back(in.integer());
  }
  return m;
}

static std::vector<double> start(const mesh &m) {
  std::vector<double> q;
  for (int c = 0; c < m.ncell; c++) q.insert(q.end(), qinf, qinf + 4);
  return q;
}

/* ---- OP2's interface ------------------------------------------------------------------------- */

struct compat_flow {
  op_set nodes, edges, bedges, cells;
  op_map pedge, pecell, pbedge, pbecell, pcell;
  op_dat bound, x, q, qold, adt, res;
};

static compat_flow compat_declare(mesh &m) {
  compat_flow f;
  std::vector<double> q = start(m), zero(q.size(), 0.0);
  f.nodes = op_decl_set(m.nnode, "nodes"), f.edges = op_decl_set(m.nedge, "edges");
  f.bedges = op_decl_set(m.nbedge, "bedges"), f.cells = op_decl_set(m.ncell, "cells");
  f.pedge = op_decl_map(f.edges, f.nodes, 2, m.edge.data(), "pedge");
  f.pecell = op_decl_map(f.edges, f.cells, 2, m.ecell.data(), "pecell");
  f.pbedge = op_decl_map(f.bedges, f.nodes, 2, m.bedge.data(), "pbedge");
  f.pbecell = op_decl_map(f.bedges, f.cells, 1, m.becell.data(), "pbecell");
  f.pcell = op_decl_map(f.cells, f.nodes, 4, m.cell.data(), "pcell");
  f.bound = op_decl_dat(f.bedges, 1, "int", m.bound.data(), "bound");
  f.x = op_decl_dat(f.nodes, 2, "double", m.x.data(), "x");
  f.q = op_decl_dat(f.cells, 4, "double", q.data(), "q");
  f.qold = op_decl_dat(f.cells, 4, "double", zero.data(), "qold");
  f.adt = op_decl_dat(f.cells, 1, "double", zero.data(), "adt");
  f.res = op_decl_dat(f.cells, 4, "double", zero.data(), "res");
  op_decl_const(1, "double", &gam);
  op_decl_const(1, "double", &gm1);
  op_decl_const(1, "double", &cfl);
  op_decl_const(1, "double", &eps);
  op_decl_const(4, "double", qinf);
  return f;
}

#define DIRECT(dat, dim, mode)             op_arg_dat(f.dat, -1, OP_ID, dim, "double", mode)
#define THROUGH(dat, slot, map, dim, mode) op_arg_dat(f.dat, slot, f.map, dim, "double", mode)

static void compat_stage(const compat_flow &f, op_arg rms) {
  op_par_loop(adt_calc, "adt_calc", f.cells, THROUGH(x, 0, pcell, 2, OP_READ),
              THROUGH(x, 1, pcell, 2, OP_READ), THROUGH(x, 2, pcell, 2, OP_READ),
              THROUGH(x, 3, pcell, 2, OP_READ), DIRECT(q, 4, OP_READ), DIRECT(adt, 1, OP_WRITE));
  op_par_loop(res_calc, "res_calc", f.edges, THROUGH(x, 0, pedge, 2, OP_READ),
              THROUGH(x, 1, pedge, 2, OP_READ), THROUGH(q, 0, pecell, 4, OP_READ),
              THROUGH(q, 1, pecell, 4, OP_READ), THROUGH(adt, 0, pecell, 1, OP_READ),
              THROUGH(adt, 1, pecell, 1, OP_READ), THROUGH(res, 0, pecell, 4, OP_INC),
              THROUGH(res, 1, pecell, 4, OP_INC));
  op_par_loop(bres_calc, "bres_calc", f.bedges, THROUGH(x, 0, pbedge, 2, OP_READ),
              THROUGH(x, 1, pbedge, 2, OP_READ), THROUGH(q, 0, pbecell, 4, OP_READ),
              THROUGH(adt, 0, pbecell, 1, OP_READ), THROUGH(res, 0, pbecell, 4, OP_INC),
              op_arg_dat(f.bound, -1, OP_ID, 1, "int", OP_READ));
  op_par_loop(update, "update", f.cells, DIRECT(qold, 4, OP_READ), DIRECT(q, 4, OP_WRITE),
              DIRECT(res, 4, OP_RW), DIRECT(adt, 1, OP_READ), rms);
}

static void run_compat(mesh &m, bool lazy, int steps, int warmup, int argc, char **argv) {
  op_init(argc, argv, 1);
  compat_flow f = compat_declare(m);
  double rms = 0, cpu, begin, end;
  op_timers(&cpu, &begin);
  for (int it = 0; it < steps; it++) {
    if (it == warmup) op_timers(&cpu, &begin);
    op_par_loop(save_soln, "save_soln", f.cells, DIRECT(q, 4, OP_READ), DIRECT(qold, 4, OP_WRITE));
    for (int stage = 0; stage < 2; stage++) {
      rms = 0;
      compat_stage(f, lazy ? op_arg_gbl(OP_LAZY(rms), 1, "double", OP_INC)
                           : op_arg_gbl(&rms, 1, "double", OP_INC));
    }
  }
  op_timers(&cpu, &end);
  op_lazy_get(&rms);
  report(end - begin, steps - warmup, sqrt(rms / m.ncell));
  op_exit();
}

/* ---- op2's own ------------------------------------------------------------------------------- */

struct own_flow {
  op2_context ctx;
  op2_set nodes, edges, bedges, cells;
  op2_map pedge, pecell, pbedge, pbecell, pcell;
  op2_dat bound, x, q, qold, adt, res;
  op2_gbl rms;
  op2_const gam, gm1, cfl, eps, qinf;
  op2_kernel save_soln, adt_calc, res_calc, bres_calc, update;
};

static void own_declare(own_flow &f, const mesh &m) {
  std::vector<double> q = start(m);
  must(op2_init(NULL, &f.ctx));
  must(op2_set_create(f.ctx, m.nnode, "nodes", &f.nodes));
  must(op2_set_create(f.ctx, m.nedge, "edges", &f.edges));
  must(op2_set_create(f.ctx, m.nbedge, "bedges", &f.bedges));
  must(op2_set_create(f.ctx, m.ncell, "cells", &f.cells));
  must(op2_map_create(f.edges, f.nodes, 2, m.edge.data(), "pedge", &f.pedge));
  must(op2_map_create(f.edges, f.cells, 2, m.ecell.data(), "pecell", &f.pecell));
  must(op2_map_create(f.bedges, f.nodes, 2, m.bedge.data(), "pbedge", &f.pbedge));
  must(op2_map_create(f.bedges, f.cells, 1, m.becell.data(), "pbecell", &f.pbecell));
  must(op2_map_create(f.cells, f.nodes, 4, m.cell.data(), "pcell", &f.pcell));
  must(op2_dat_create(f.bedges, 1, OP2_I32, m.bound.data(), "bound", &f.bound));
  must(op2_dat_create(f.nodes, 2, OP2_F64, m.x.data(), "x", &f.x));
  must(op2_dat_create(f.cells, 4, OP2_F64, q.data(), "q", &f.q));
  must(op2_dat_create(f.cells, 4, OP2_F64, NULL, "qold", &f.qold));
  must(op2_dat_create(f.cells, 1, OP2_F64, NULL, "adt", &f.adt));
  must(op2_dat_create(f.cells, 4, OP2_F64, NULL, "res", &f.res));
  must(op2_gbl_create(f.ctx, 1, OP2_F64, NULL, "rms", &f.rms));
}

static void own_make(own_flow &f) {
  must(op2_const_create(f.ctx, 1, OP2_F64, &gam, "gam", &f.gam));
  must(op2_const_create(f.ctx, 1, OP2_F64, &gm1, "gm1", &f.gm1));
  must(op2_const_create(f.ctx, 1, OP2_F64, &cfl, "cfl", &f.cfl));
  must(op2_const_create(f.ctx, 1, OP2_F64, &eps, "eps", &f.eps));
  must(op2_const_create(f.ctx, 4, OP2_F64, qinf, "qinf", &f.qinf));
  must(op2_kernel_create(f.ctx, &save_soln_kernel, &f.save_soln));
  must(op2_kernel_create(f.ctx, &adt_calc_kernel, &f.adt_calc));
  must(op2_kernel_create(f.ctx, &res_calc_kernel, &f.res_calc));
  must(op2_kernel_create(f.ctx, &bres_calc_kernel, &f.bres_calc));
  must(op2_kernel_create(f.ctx, &update_kernel, &f.update));
}

#undef DIRECT
#undef THROUGH
#define DIRECT(dat, mode)             op2_arg_direct(f.dat, mode)
#define THROUGH(dat, slot, map, mode) op2_arg_dat(f.dat, slot, f.map, mode)

static void own_stage(const own_flow &f) {
  static const double zero = 0;
  must(op2_par_loop(f.adt_calc, f.cells, THROUGH(x, 0, pcell, OP2_READ),
                    THROUGH(x, 1, pcell, OP2_READ), THROUGH(x, 2, pcell, OP2_READ),
                    THROUGH(x, 3, pcell, OP2_READ), DIRECT(q, OP2_READ), DIRECT(adt, OP2_WRITE)));
  must(op2_par_loop(f.res_calc, f.edges, THROUGH(x, 0, pedge, OP2_READ),
                    THROUGH(x, 1, pedge, OP2_READ), THROUGH(q, 0, pecell, OP2_READ),
                    THROUGH(q, 1, pecell, OP2_READ), THROUGH(adt, 0, pecell, OP2_READ),
                    THROUGH(adt, 1, pecell, OP2_READ), THROUGH(res, 0, pecell, OP2_INC),
                    THROUGH(res, 1, pecell, OP2_INC)));
  must(op2_par_loop(f.bres_calc, f.bedges, THROUGH(x, 0, pbedge, OP2_READ),
                    THROUGH(x, 1, pbedge, OP2_READ), THROUGH(q, 0, pbecell, OP2_READ),
                    THROUGH(adt, 0, pbecell, OP2_READ), THROUGH(res, 0, pbecell, OP2_INC),
                    DIRECT(bound, OP2_READ)));
  must(op2_gbl_set(f.rms, &zero));
  must(op2_par_loop(f.update, f.cells, DIRECT(qold, OP2_READ), DIRECT(q, OP2_WRITE),
                    DIRECT(res, OP2_RW), DIRECT(adt, OP2_READ), op2_arg_gbl(f.rms, OP2_INC)));
}

static void run_own(const mesh &m, bool asks, int steps, int warmup) {
  own_flow f = {};
  double rms = 0;
  own_declare(f, m);
  own_make(f);
  double begin = clock_now();
  for (int it = 0; it < steps; it++) {
    if (it == warmup) must(op2_flush(f.ctx)), begin = clock_now();
    must(op2_par_loop(f.save_soln, f.cells, DIRECT(q, OP2_READ), DIRECT(qold, OP2_WRITE)));
    for (int stage = 0; stage < 2; stage++) {
      own_stage(f);
      if (asks) must(op2_gbl_get(f.rms, &rms));
    }
  }
  must(op2_flush(f.ctx));
  double end = clock_now();
  must(op2_gbl_get(f.rms, &rms));
  report(end - begin, steps - warmup, sqrt(rms / m.ncell));
  must(op2_finalize(&f.ctx));
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  form which = form_of(argv[1]);
  mesh m = read_mesh(argv[2]);
  int steps = atoi(argv[3]), warmup = atoi(argv[4]);
  gam = GAS_GAMMA, gm1 = GAS_GM1, cfl = GAS_CFL, eps = GAS_EPS;
  gas_free_stream(qinf);
  if (which == FORMS || steps <= warmup) return 2;
  if (which == COMPAT || which == LAZY)
    run_compat(m, which == LAZY, steps, warmup, argc, argv);
  else
    run_own(m, which == ASKS, steps, warmup);
  return 0;
}

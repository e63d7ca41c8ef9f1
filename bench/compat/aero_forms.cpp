/* SPDX-License-Identifier: BSD-3-Clause */
/* Newton's steps of aero in the forms of forms.h, each with as many iterations of conjugate
 * gradients, by a matrix for each cell, and with kernels of bench/aero. Each iteration has two scalar
 * products, for which a program of OP2 asks, to compute the lengths of steps. Where nobody asks, the
 * kernels compute them from the products.
 *   aero_forms FORM MESH STEPS WARMUP */
#include "forms.h"

#include "aero/kernels.h"

enum { ITERATIONS = 40 };

OP2_KERNEL(start, (const double *r, double *p, double *u, double *rr), {
  *p = *r;
  *u = 0;
  *rr += *r * *r;
});
/* Towards the solution by numerator / denominator; v is zero afterwards, for the next product. */
OP2_KERNEL(advance,
           (const double *p, double *u, double *r, double *v, const double *numerator,
            const double *denominator, double *rr),
           {
             const double step = *denominator != 0 ? *numerator / *denominator : 0;
             *u += step * *p;
             *r -= step * *v;
             *v = 0;
             *rr += *r * *r;
           });
OP2_KERNEL(turn, (const double *r, double *p, const double *numerator, const double *denominator),
           { *p = *r + (*denominator != 0 ? *numerator / *denominator : 0) * *p; });

struct mesh {
  int nnode, ncell;
  std::vector<double> x, phi, inside;
  std::vector<int> cell;
};

static mesh read_mesh(const char *name) {
  reader in(name);
  mesh m;
  m.nnode = in.integer(), m.ncell = in.integer();
  int nfar = in.integer();
  for (int i = 0; i < 2 * m.nnode; i++) m.x.push_back(in.real());
  for (int i = 0; i < 4 * m.ncell; i++) m.cell.push_back(in.integer());
  m.inside.assign(m.nnode, 1.0);
  for (int i = 0; i < nfar; i++) m.inside[in.integer()] = 0;
  for (int i = 0; i < m.nnode; i++) m.phi.push_back(0.1 * m.x[2 * i]);
  return m;
}

/* ---- OP2's interface ------------------------------------------------------------------------- */

struct compat_flow {
  op_set nodes, cells;
  op_map ends;
  op_dat x, phi, inside, k, u, r, p, v;
};

static compat_flow compat_declare(mesh &m) {
  compat_flow f;
  std::vector<double> zero(10 * (size_t)m.ncell + m.nnode, 0.0);
  f.nodes = op_decl_set(m.nnode, "nodes"), f.cells = op_decl_set(m.ncell, "cells");
  f.ends = op_decl_map(f.cells, f.nodes, 4, m.cell.data(), "cell_nodes");
  f.x = op_decl_dat(f.nodes, 2, "double", m.x.data(), "x");
  f.phi = op_decl_dat(f.nodes, 1, "double", m.phi.data(), "phi");
  f.inside = op_decl_dat(f.nodes, 1, "double", m.inside.data(), "inside");
  f.k = op_decl_dat(f.cells, 10, "double", zero.data(), "k");
  f.u = op_decl_dat(f.nodes, 1, "double", zero.data(), "u");
  f.r = op_decl_dat(f.nodes, 1, "double", zero.data(), "r");
  f.p = op_decl_dat(f.nodes, 1, "double", zero.data(), "p");
  f.v = op_decl_dat(f.nodes, 1, "double", zero.data(), "v");
  return f;
}

#define DIRECT(dat, dim, mode) op_arg_dat(f.dat, -1, OP_ID, dim, "double", mode)
#define ALL(dat, dim, mode)    op_arg_dat(f.dat, -4, f.ends, dim, "double", mode)
/* A variable whose value is there at once, or put off. */
#define SUM(variable, mode)                                                                        \
  (lazy ? op_arg_gbl(OP_LAZY(variable), 1, "double", mode)                                         \
        : op_arg_gbl(&(variable), 1, "double", mode))

static void compat_iterate(const compat_flow &f, bool lazy, double &was, double &pv, double &is) {
  pv = is = 0;
  op_par_loop(product, "product", f.cells, DIRECT(k, 10, OP_READ), ALL(p, 1, OP_READ),
              ALL(v, 1, OP_INC), SUM(pv, OP_INC));
  op_par_loop(advance, "advance", f.nodes, DIRECT(p, 1, OP_READ), DIRECT(u, 1, OP_RW),
              DIRECT(r, 1, OP_RW), DIRECT(v, 1, OP_RW), SUM(was, OP_READ), SUM(pv, OP_READ),
              SUM(is, OP_INC));
  op_par_loop(turn, "turn", f.nodes, DIRECT(r, 1, OP_READ), DIRECT(p, 1, OP_RW), SUM(is, OP_READ),
              SUM(was, OP_READ));
}

static double compat_step(const compat_flow &f, bool lazy) {
  static double rr[2], pv, change; /* static, since results that are put off outlive the call */
  rr[0] = change = 0;
  op_par_loop(element, "element", f.cells, ALL(x, 2, OP_READ), ALL(phi, 1, OP_READ),
              ALL(inside, 1, OP_READ), DIRECT(k, 10, OP_WRITE), ALL(r, 1, OP_INC));
  op_par_loop(start, "start", f.nodes, DIRECT(r, 1, OP_READ), DIRECT(p, 1, OP_WRITE),
              DIRECT(u, 1, OP_WRITE), SUM(rr[0], OP_INC));
  for (int it = 0; it < ITERATIONS; it++) compat_iterate(f, lazy, rr[it % 2], pv, rr[(it + 1) % 2]);
  op_par_loop(update, "update", f.nodes, DIRECT(u, 1, OP_READ), DIRECT(phi, 1, OP_RW),
              DIRECT(r, 1, OP_WRITE), SUM(change, OP_INC));
  op_lazy_get(&change);
  return change;
}

static void run_compat(mesh &m, bool lazy, int steps, int warmup, int argc, char **argv) {
  op_init(argc, argv, 1);
  compat_flow f = compat_declare(m);
  double change = 0, cpu, begin = 0, end;
  for (int step = 0; step < steps; step++) {
    if (step == warmup) op_timers(&cpu, &begin);
    change = compat_step(f, lazy);
  }
  op_timers(&cpu, &end);
  report(end - begin, (steps - warmup) * ITERATIONS, sqrt(change / m.nnode));
  op_exit();
}

/* ---- op2's own ------------------------------------------------------------------------------- */

struct own_flow {
  op2_context ctx;
  op2_set nodes, cells;
  op2_map ends;
  op2_dat x, phi, inside, k, u, r, p, v;
  op2_gbl rr[2], pv, change;
  op2_kernel element, start, product, advance, turn, update;
};

static void own_declare(own_flow &f, const mesh &m) {
  must(op2_init(NULL, &f.ctx));
  must(op2_set_create(f.ctx, m.nnode, "nodes", &f.nodes));
  must(op2_set_create(f.ctx, m.ncell, "cells", &f.cells));
  must(op2_map_create(f.cells, f.nodes, 4, m.cell.data(), "cell_nodes", &f.ends));
  must(op2_dat_create(f.nodes, 2, OP2_F64, m.x.data(), "x", &f.x));
  must(op2_dat_create(f.nodes, 1, OP2_F64, m.phi.data(), "phi", &f.phi));
  must(op2_dat_create(f.nodes, 1, OP2_F64, m.inside.data(), "inside", &f.inside));
  must(op2_dat_create(f.cells, 10, OP2_F64, NULL, "k", &f.k));
  must(op2_dat_create(f.nodes, 1, OP2_F64, NULL, "u", &f.u));
  must(op2_dat_create(f.nodes, 1, OP2_F64, NULL, "r", &f.r));
  must(op2_dat_create(f.nodes, 1, OP2_F64, NULL, "p", &f.p));
  must(op2_dat_create(f.nodes, 1, OP2_F64, NULL, "v", &f.v));
  must(op2_gbl_create(f.ctx, 1, OP2_F64, NULL, "rr0", &f.rr[0]));
  must(op2_gbl_create(f.ctx, 1, OP2_F64, NULL, "rr1", &f.rr[1]));
  must(op2_gbl_create(f.ctx, 1, OP2_F64, NULL, "pv", &f.pv));
  must(op2_gbl_create(f.ctx, 1, OP2_F64, NULL, "change", &f.change));
  must(op2_kernel_create(f.ctx, &element_kernel, &f.element));
  must(op2_kernel_create(f.ctx, &start_kernel, &f.start));
  must(op2_kernel_create(f.ctx, &product_kernel, &f.product));
  must(op2_kernel_create(f.ctx, &advance_kernel, &f.advance));
  must(op2_kernel_create(f.ctx, &turn_kernel, &f.turn));
  must(op2_kernel_create(f.ctx, &update_kernel, &f.update));
}

#undef DIRECT
#undef ALL
#define DIRECT(dat, mode) op2_arg_direct(f.dat, mode)
#define ALL(dat, mode)    op2_arg_dat(f.dat, OP2_ALL, f.ends, mode)

/* A sum that a kernel reads: the value that the program has asked for, or the global. */
static op2_arg sum(op2_gbl g, bool asks) {
  static double values[8];
  static int next;
  if (!asks) return op2_arg_gbl(g, OP2_READ);
  double *value = &values[next++ % 8];
  must(op2_gbl_get(g, value));
  return op2_arg_val(value, 1, OP2_F64);
}

static void own_iterate(const own_flow &f, bool asks, op2_gbl was, op2_gbl is) {
  static const double zero = 0;
  must(op2_gbl_set(f.pv, &zero));
  must(op2_par_loop(f.product, f.cells, DIRECT(k, OP2_READ), ALL(p, OP2_READ), ALL(v, OP2_INC),
                    op2_arg_gbl(f.pv, OP2_INC)));
  must(op2_gbl_set(is, &zero));
  must(op2_par_loop(f.advance, f.nodes, DIRECT(p, OP2_READ), DIRECT(u, OP2_RW), DIRECT(r, OP2_RW),
                    DIRECT(v, OP2_RW), sum(was, asks), sum(f.pv, asks), op2_arg_gbl(is, OP2_INC)));
  must(op2_par_loop(f.turn, f.nodes, DIRECT(r, OP2_READ), DIRECT(p, OP2_RW), sum(is, asks),
                    sum(was, asks)));
}

static double own_step(const own_flow &f, bool asks) {
  static const double zero = 0;
  double change;
  must(op2_par_loop(f.element, f.cells, ALL(x, OP2_READ), ALL(phi, OP2_READ), ALL(inside, OP2_READ),
                    DIRECT(k, OP2_WRITE), ALL(r, OP2_INC)));
  must(op2_gbl_set(f.rr[0], &zero));
  must(op2_par_loop(f.start, f.nodes, DIRECT(r, OP2_READ), DIRECT(p, OP2_WRITE),
                    DIRECT(u, OP2_WRITE), op2_arg_gbl(f.rr[0], OP2_INC)));
  for (int it = 0; it < ITERATIONS; it++) own_iterate(f, asks, f.rr[it % 2], f.rr[(it + 1) % 2]);
  must(op2_gbl_set(f.change, &zero));
  must(op2_par_loop(f.update, f.nodes, DIRECT(u, OP2_READ), DIRECT(phi, OP2_RW),
                    DIRECT(r, OP2_WRITE), op2_arg_gbl(f.change, OP2_INC)));
  must(op2_gbl_get(f.change, &change));
  return change;
}

static void run_own(const mesh &m, bool asks, int steps, int warmup) {
  own_flow f = {};
  double change = 0, begin = 0;
  own_declare(f, m);
  for (int step = 0; step < steps; step++) {
    if (step == warmup) must(op2_flush(f.ctx)), begin = clock_now();
    change = own_step(f, asks);
  }
  must(op2_flush(f.ctx));
  report(clock_now() - begin, (steps - warmup) * ITERATIONS, sqrt(change / m.nnode));
  must(op2_finalize(&f.ctx));
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  form which = form_of(argv[1]);
  mesh m = read_mesh(argv[2]);
  int steps = atoi(argv[3]), warmup = atoi(argv[4]);
  if (which == FORMS || steps <= warmup) return 2;
  if (which == COMPAT || which == LAZY)
    run_compat(m, which == LAZY, steps, warmup, argc, argv);
  else
    run_own(m, which == ASKS, steps, warmup);
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Stokes' equations: velocities with two values at each node, and pressures at the corners, as one
 * system of two dats. The pressure is known up to a constant. */
#include <math.h>

#include "common/report.h"
#include "fem.h"
#include "kernels.h"
#include "kernels_flow.h"

enum { VELOCITY, PRESSURE, FIELDS };

typedef struct flow {
  op2_sparsity pattern[FIELDS * FIELDS];
  op2_mat mat[FIELDS * FIELDS];
  op2_dat x[FIELDS], b[FIELDS];
} flow;

static bool declare(space *s, flow *f) {
  const op2_map maps[FIELDS] = {s->cell_nodes, s->cell_corners};
  const op2_set sets[FIELDS] = {s->nodes, s->corners};
  static const int dims[FIELDS] = {2, 1};
  for (int i = 0; i < FIELDS; i++) {
    for (int j = 0; j < FIELDS; j++) {
      static const char *const names[] = {"A", "G", "D", "C"};
      static const char *const patterns[] = {"pattern_A", "pattern_G", "pattern_D", "pattern_C"};
      const op2_map_pair pair = {maps[i], maps[j]};
      const int m = i * FIELDS + j;
      TRY(op2_sparsity_create(1, &pair, patterns[m], &f->pattern[m]));
      TRY(op2_mat_create(f->pattern[m], dims[i], dims[j], OP2_F64, names[m], &f->mat[m]));
    }
    TRY(op2_dat_create(sets[i], dims[i], OP2_F64, NULL, i ? "p" : "u", &f->x[i]));
    TRY(op2_dat_create(sets[i], dims[i], OP2_F64, NULL, i ? "no source" : "force", &f->b[i]));
  }
  return true;
fail:
  return false;
}

static bool assemble(space *s, const flow *f) {
  const op2_map u = s->cell_nodes, p = s->cell_corners;
  const op2_arg x = op2_arg_dat(s->x, OP2_ALL, u, OP2_READ);
  if (!LOOP(s, s->cells, viscosity, x, op2_arg_mat(f->mat[0], u, u, OP2_INC)) ||
      !LOOP(s, s->cells, gradient, x, op2_arg_mat(f->mat[1], u, p, OP2_INC)) ||
      !LOOP(s, s->cells, divergence, x, op2_arg_mat(f->mat[2], p, u, OP2_INC)) ||
      !LOOP(s, s->cells, load_flow, x, op2_arg_dat(f->b[VELOCITY], OP2_ALL, u, OP2_INC)))
    return false;
  TRY(op2_mat_zero_rows(f->mat[0], s->boundary, 1));
  TRY(op2_mat_zero_rows(f->mat[1], s->boundary, 0));
  return LOOP(s, s->nodes, clear2, op2_arg_direct(s->inside, OP2_READ),
              op2_arg_direct(f->b[VELOCITY], OP2_RW));
fail:
  return false;
}

/* The mean of the pressure's error is subtracted, as it is arbitrary. */
static bool measure(space *s, const flow *f, double *errors) {
  op2_gbl sums[FIELDS] = {NULL};
  double pressure[2];
  bool good = space_sum(s, 1, &sums[VELOCITY]) && space_sum(s, 2, &sums[PRESSURE]);
  const op2_arg x = op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ);
  good = good &&
         LOOP(s, s->cells, error_flow, x,
              op2_arg_dat(f->x[VELOCITY], OP2_ALL, s->cell_nodes, OP2_READ),
              op2_arg_gbl(sums[VELOCITY], OP2_INC)) &&
         LOOP(s, s->cells, error_pressure, x,
              op2_arg_dat(f->x[PRESSURE], OP2_ALL, s->cell_corners, OP2_READ),
              op2_arg_gbl(sums[PRESSURE], OP2_INC)) &&
         report_ok(op2_gbl_get(sums[VELOCITY], &errors[0]), "op2_gbl_get") &&
         report_ok(op2_gbl_get(sums[PRESSURE], pressure), "op2_gbl_get");
  if (good) {
    errors[0] = sqrt(errors[0]);
    errors[1] = sqrt(fmax(pressure[0] - pressure[1] * pressure[1], 0)); /* the square's area is 1 */
  }
  op2_gbl_destroy(&sums[VELOCITY]);
  op2_gbl_destroy(&sums[PRESSURE]);
  return good;
}

static bool solve(space *s, const flow *f) {
  const op2_mat mats[FIELDS * FIELDS] = {f->mat[0], f->mat[1], f->mat[2], NULL};
  op2_solve_result result;
  TRY(op2_solve_nested(s->solver, FIELDS, mats, f->x, f->b));
  TRY(op2_solver_result(s->solver, &result));
  TRY(op2_flush(s->ctx));
  space_iterations(result.iterations);
  return true;
fail:
  return false;
}

bool stokes_solve(space *s, const options *o, double *errors) {
  flow f = {.mat = {NULL}};
  const bool good = declare(s, &f) && assemble(s, &f) && solve(s, &f) && measure(s, &f, errors) &&
                    report_state(s->ctx, o->run.state);
  for (int i = 0; i < FIELDS; i++) {
    op2_dat_destroy(&f.x[i]);
    op2_dat_destroy(&f.b[i]);
  }
  for (int m = 0; m < FIELDS * FIELDS; m++) {
    op2_mat_destroy(&f.mat[m]);
    op2_sparsity_destroy(&f.pattern[m]);
  }
  return good;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Advection and diffusion in time, by the trapezoidal rule: the matrices are assembled once, and a
 * system is solved in each time step. From mesh to mesh the length of the time step is halved. */
#include <math.h>

#include "common/report.h"
#include "fem.h"
#include "kernels.h"
#include "kernels_body.h"

/* The system of a time step: a u = b, where b is the matrix `before` times the previous u, plus the
 * source. */
typedef struct march {
  equations q;
  op2_mat before;
  op2_dat source;
  double length;
} march;

static bool matrix(space *s, op2_mat a, double half) {
  if (!LOOP(s, s->cells, step_matrix, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
            op2_arg_val(&half, 1, OP2_F64), op2_arg_mat(a, s->cell_nodes, s->cell_nodes, OP2_INC)))
    return false;
  TRY(op2_mat_zero_rows(a, s->boundary, 1));
  return true;
fail:
  return false;
}

static bool begin(space *s, march *m) {
  TRY(op2_mat_create(m->q.pattern, 1, 1, OP2_F64, "before", &m->before));
  TRY(op2_dat_create(s->nodes, 1, OP2_F64, NULL, "source", &m->source));
  return matrix(s, m->q.a, m->length / 2) && matrix(s, m->before, -m->length / 2) &&
         LOOP(s, s->cells, source, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
              op2_arg_dat(m->source, OP2_ALL, s->cell_nodes, OP2_INC)) &&
         LOOP(s, s->nodes, clear, op2_arg_direct(s->inside, OP2_READ),
              op2_arg_direct(m->source, OP2_RW)) &&
         LOOP(s, s->nodes, wave, op2_arg_direct(s->x, OP2_READ), op2_arg_direct(m->q.x, OP2_WRITE));
fail:
  return false;
}

static bool step(space *s, const march *m, double time) {
  const double share = m->length / 2 * (exp(-time) + exp(-time - m->length));
  TRY(op2_mat_mult(m->before, m->q.x, m->q.b));
  return LOOP(s, s->nodes, add_source, op2_arg_direct(m->source, OP2_READ),
              op2_arg_val(&share, 1, OP2_F64), op2_arg_direct(m->q.b, OP2_RW)) &&
         equations_solve(s, &m->q);
fail:
  return false;
}

static bool measure(space *s, const march *m, double amplitude, double *error) {
  op2_gbl sum = NULL;
  if (!space_sum(s, 1, &sum)) return false;
  const bool good = LOOP(s, s->cells, error_q1, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                         op2_arg_dat(m->q.x, OP2_ALL, s->cell_nodes, OP2_READ),
                         op2_arg_val(&amplitude, 1, OP2_F64), op2_arg_gbl(sum, OP2_INC)) &&
                    report_ok(op2_gbl_get(sum, error), "op2_gbl_get");
  *error = sqrt(*error);
  op2_gbl_destroy(&sum);
  return good;
}

bool advection_solve(space *s, const options *o, double *errors) {
  const double end = 0.5;
  int64_t cells[4];
  if (!report_ok(op2_set_sections(s->cells, cells), "op2_set_sections")) return false;
  double here = (double)cells[1];
  ranks_sum(&here, 1);
  const int steps = (int)(sqrt(here) / o->cells * o->steps + 0.5);
  march m = {.length = end / steps};
  bool good = equations_make(s, 1, &m.q) && begin(s, &m);
  for (int k = 0; k < steps && good; k++) good = step(s, &m, k * m.length);
  good = good && measure(s, &m, exp(-end), errors) && report_state(s->ctx, o->run.state);
  op2_dat_destroy(&m.source);
  op2_mat_destroy(&m.before);
  equations_free(&m.q);
  return good;
}

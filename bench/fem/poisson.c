/* SPDX-License-Identifier: BSD-3-Clause */
/* -div grad u = f, with u = 0 at the boundary. */
#include <math.h>

#include "common/report.h"
#include "fem.h"
#include "kernels.h"

static const struct {
  const op2_kernel_desc *stiffness, *load, *error;
} kernels[] = {
    [GRID_P1] = {&stiffness_p1_kernel, &load_p1_kernel, &error_p1_kernel},
    [GRID_Q1] = {&stiffness_q1_kernel, &load_q1_kernel, &error_q1_kernel},
    [GRID_P2] = {&stiffness_p2_kernel, &load_p2_kernel, &error_p2_kernel},
};

static bool assemble(space *s, const equations *q, grid_element e) {
  const op2_arg stiffness[] = {op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                               op2_arg_mat(q->a, s->cell_nodes, s->cell_nodes, OP2_INC)};
  const op2_arg load[] = {op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                          op2_arg_dat(q->b, OP2_ALL, s->cell_nodes, OP2_INC)};
  if (!space_loop(s->cells, s->ctx, kernels[e].stiffness, 2, stiffness) ||
      !space_loop(s->cells, s->ctx, kernels[e].load, 2, load))
    return false;
  TRY(op2_mat_zero_rows_columns(q->a, s->boundary, 1, NULL, NULL)); /* u is zero there */
  return LOOP(s, s->nodes, clear, op2_arg_direct(s->inside, OP2_READ),
              op2_arg_direct(q->b, OP2_RW));
fail:
  return false;
}

static bool measure(space *s, const equations *q, grid_element e, double *error) {
  op2_gbl sum = NULL;
  const double one = 1;
  if (!space_sum(s, 1, &sum)) return false;
  const op2_arg args[] = {op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
                          op2_arg_dat(q->x, OP2_ALL, s->cell_nodes, OP2_READ),
                          op2_arg_val(&one, 1, OP2_F64), op2_arg_gbl(sum, OP2_INC)};
  bool good = space_loop(s->cells, s->ctx, kernels[e].error, 4, args) &&
              report_ok(op2_gbl_get(sum, error), "op2_gbl_get");
  *error = sqrt(*error);
  op2_gbl_destroy(&sum);
  return good;
}

bool poisson_solve(space *s, const options *o, double *errors) {
  const grid_element e = o->element[0] == 'q' ? GRID_Q1 : o->element[1] == '2' ? GRID_P2 : GRID_P1;
  equations q;
  const bool good = equations_make(s, 1, &q) && assemble(s, &q, e) && equations_solve(s, &q) &&
                    measure(s, &q, e, errors) &&
                    report_dump(q.x, op2_set_global_size(s->nodes), 1, *errors, o->dump_x) &&
                    report_state(s->ctx, o->run.state);
  equations_free(&q);
  return good;
}

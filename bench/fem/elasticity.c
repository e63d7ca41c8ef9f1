/* SPDX-License-Identifier: BSD-3-Clause */
/* Elasticity: two displacements at each node, which are zero at the boundary. With PETSc the matrix
 * has the rigid body modes as near null space, which multigrid methods need. */
#include <math.h>

#include "common/report.h"
#include "fem.h"
#include "kernels.h"
#include "kernels_body.h"
#ifdef BENCH_PETSC
#include "op2/petsc.h"

static bool tell_motions(space *s, const equations *q) {
  Mat a = NULL;
  Vec x = NULL;
  MatNullSpace motions = NULL;
  TRY(op2_mat_petsc(q->a, OP2_READ, NULL, &a));
  TRY(op2_dat_petsc(s->x, OP2_READ, &x));
  const bool good = !MatNullSpaceCreateRigidBody(x, &motions) && !MatSetNearNullSpace(a, motions) &&
                    !MatNullSpaceDestroy(&motions);
  TRY(op2_dat_petsc_end(s->x, &x));
  TRY(op2_mat_petsc_end(q->a, &a));
  return good;
fail:
  return false;
}
#else
static bool tell_motions(space *s, const equations *q) { return s && q; }
#endif

static bool assemble(space *s, const equations *q) {
  if (!LOOP(s, s->cells, stiffness_body, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
            op2_arg_dat(s->inside, OP2_ALL, s->cell_nodes, OP2_READ),
            op2_arg_mat(q->a, s->cell_nodes, s->cell_nodes, OP2_INC)) ||
      !LOOP(s, s->cells, load_body, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
            op2_arg_dat(q->b, OP2_ALL, s->cell_nodes, OP2_INC)))
    return false;
  TRY(op2_mat_zero_rows_columns(q->a, s->boundary, 1, NULL, NULL)); /* u is zero there */
  return LOOP(s, s->nodes, clear2, op2_arg_direct(s->inside, OP2_READ),
              op2_arg_direct(q->b, OP2_RW));
fail:
  return false;
}

static bool measure(space *s, const equations *q, double *error) {
  op2_gbl sum = NULL;
  if (!space_sum(s, 1, &sum)) return false;
  const bool good =
      LOOP(s, s->cells, error_body, op2_arg_dat(s->x, OP2_ALL, s->cell_nodes, OP2_READ),
           op2_arg_dat(q->x, OP2_ALL, s->cell_nodes, OP2_READ), op2_arg_gbl(sum, OP2_INC)) &&
      report_ok(op2_gbl_get(sum, error), "op2_gbl_get");
  *error = sqrt(*error);
  op2_gbl_destroy(&sum);
  return good;
}

bool elasticity_solve(space *s, const options *o, double *errors) {
  equations q;
  const bool good = equations_make(s, 2, &q) && assemble(s, &q) &&
                    (!o->petsc || tell_motions(s, &q)) && equations_solve(s, &q) &&
                    measure(s, &q, errors) && report_state(s->ctx, o->run.state);
  equations_free(&q);
  return good;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of steps that run together in several places. All of them get their memory first; then the
 * states that values will have are followed through the steps, in their order, and each step notes
 * what has to be brought before it runs. Whoever runs the steps brings it. */
#include "device_tables.h"
#include "place.h"
#include "program.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static op2_status have_tables(struct op2i_step *step) {
  struct op2i_device_tables *tables;
  if (step->place != OP2I_DEVICE || step->lo >= step->hi) return OP2_SUCCESS;
  return op2i_device_tables(step, &tables);
}

static op2_status have_room(struct op2i_step *step) {
  const struct op2i_op *op = &step->loop->op;
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < op->ndats && !status; d++)
    status = op2i_buffer_room(&op->dats[d]->values, step->place);
  return status;
}

/* ---- states ---------------------------------------------------------------------------------- */

static void add_move(struct op2i_step *step, int dat, enum op2i_place from, unsigned rows) {
  struct op2i_move *last = step->nmoves ? &step->moves[step->nmoves - 1] : NULL;
  if (last && last->dat == dat && last->from == from)
    last->rows |= rows;
  else
    step->moves[step->nmoves++] =
        (struct op2i_move){.dat = dat, .from = from, .to = step->place, .rows = rows};
}

static void follow(struct op2i_step *step) {
  const struct op2i_loop *loop = step->loop;
  step->nmoves = 0;
  if (step->lo >= step->hi) return;
  for (int d = 0; d < loop->op.ndats; d++) {
    unsigned rows = op2i_step_rows(loop, d);
    struct op2i_missing missing;
    step->dat[d] = op2i_buffer_expect(&loop->op.dats[d]->values, step->place,
                                      op2i_step_access(loop, d, rows), rows, &missing);
    for (int half = 0; half < 2; half++)
      if (missing.rows[half]) add_move(step, d, missing.from[half], missing.rows[half]);
  }
}

op2_status op2i_moves_bind(struct op2i_step *steps, int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < n && !status; s++) status = have_room(&steps[s]);
  for (int64_t s = 0; s < n && !status; s++) status = op2i_step_bind_mesh(&steps[s]);
  for (int64_t s = 0; s < n && !status; s++) status = op2i_step_bind_globals(&steps[s]);
  for (int64_t s = 0; s < n && !status; s++) status = have_tables(&steps[s]);
  for (int64_t s = 0; s < n && !status; s++) follow(&steps[s]);
  return status;
}

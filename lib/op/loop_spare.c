/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose dats or globals were destroyed. They stay in the table's list, with their code, plans
 * and programs, but are in no bucket until successors have taken the place of all these objects. */
#include "loop_spare.h"

#include "context.h"
#include "loop_table.h"

static bool uses(const struct op2i_loop *loop, const void *object) {
  for (int d = 0; d < loop->op.ndats; d++)
    if (loop->op.dats[d] == object) return true;
  for (int g = 0; g < loop->op.ngbls; g++)
    if (loop->op.gbls[g] == object) return true;
  return false;
}

void op2i_loops_set_aside(op2_context ctx, const void *object) {
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->first : NULL; loop;
       loop = loop->entry.next)
    if (!loop->fused.members && uses(loop, object) && loop->entry.nspares++ == 0)
      op2i_loop_hide(loop);
}

static void replace(struct op2i_loop *loop, const void *object, void *successor) {
  for (int d = 0; d < loop->op.ndats; d++)
    if (loop->op.dats[d] == object) loop->op.dats[d] = successor;
  for (int g = 0; g < loop->op.ngbls; g++)
    if (loop->op.gbls[g] == object) loop->op.gbls[g] = successor;
  for (int n = 0; n < loop->nargs && loop->entry.key; n++)
    if (loop->entry.key[n].object == object) loop->entry.key[n].object = successor;
  loop->op.digest = 0;
  loop->op.listed = false;
}

void op2i_loops_pass_on(op2_context ctx, const void *object, void *successor) {
  for (struct op2i_loop *loop = ctx->loops ? ctx->loops->first : NULL; loop;
       loop = loop->entry.next) {
    if (!uses(loop, object)) continue;
    replace(loop, object, successor);
    if (!loop->fused.members && --loop->entry.nspares == 0) op2i_loop_show(loop);
  }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose dats or globals were destroyed. They stay in the table's list, with their code, plans
 * and programs, but no call finds them until successors have taken the place of all these
 * objects. */
#include "loop_spare.h"

#include "context.h"
#include "loop_table.h"

void op2i_loops_set_aside(op2_context ctx, const void *object) {
  (void)ctx;
  const struct op2i_object *spare = object;
  for (struct op2i_link *user = spare->users.first; user; user = user->next) {
    struct op2i_loop *loop = user->object;
    if (!loop->fused.members) op2i_loop_hide(loop);
  }
}

static void replace(struct op2i_loop *loop, const struct op2i_link *user, const void *object,
                    void *successor) {
  op2i_op_replace(&loop->op, user, successor);
  for (int n = 0; n < loop->nargs && loop->entry.key; n++)
    if (loop->entry.key[n].object == object) loop->entry.key[n].object = successor;
}

void op2i_loops_pass_on(op2_context ctx, void *object, void *successor) {
  (void)ctx;
  struct op2i_object *spare = object;
  for (struct op2i_link *user = spare->users.first; user; user = user->next) {
    struct op2i_loop *loop = user->object;
    replace(loop, user, object, successor);
    if (!loop->fused.members) op2i_loop_show(loop);
  }
  ((struct op2i_object *)successor)->users = spare->users;
  spare->users = (struct op2i_list){0};
}

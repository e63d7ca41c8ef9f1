/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose dats or globals were destroyed. They stay in the table's list, with their code, plans
 * and programs, but no call finds them until successors have taken the place of all these
 * objects. */
#include "loop_spare.h"

#include "context.h"
#include "loop_table.h"

/* True if the loop is called with this object, rather than with a component or matrix of it. */
static bool names(const struct op2i_loop *loop, const void *object) {
  bool found = false;
  for (int n = 0; n < loop->entry.nkey; n++) found |= loop->entry.key[n].object == object;
  return found;
}

void op2i_loops_left(op2_context ctx, const void *object) {
  (void)ctx;
  const struct op2i_object *o = object;
  for (struct op2i_link *user = o->users.first; user; user = user->next) {
    struct op2i_loop *loop = user->object;
    loop->entry.nleft += names(loop, object);
  }
}

void op2i_loop_count_left(struct op2i_loop *loop) {
  for (int d = 0; d < loop->op.ndats; d++)
    loop->entry.nleft += loop->op.dats[d]->obj.left && names(loop, loop->op.dats[d]);
  for (int g = 0; g < loop->op.ngbls; g++)
    loop->entry.nleft += loop->op.gbls[g]->obj.left && names(loop, loop->op.gbls[g]);
}

void op2i_loops_set_aside(op2_context ctx, const void *object) {
  (void)ctx;
  const struct op2i_object *spare = object;
  for (struct op2i_link *user = spare->users.first; user; user = user->next) {
    struct op2i_loop *loop = user->object;
    if (loop->entry.key && loop->entry.nspares++ == 0) op2i_loop_hide(loop);
  }
}

static void replace(struct op2i_loop *loop, const struct op2i_link *user,
                    const struct op2i_object *object, void *successor) {
  bool named = false;
  op2i_op_replace(&loop->op, user, successor);
  for (int n = 0; n < loop->entry.nkey; n++)
    if (loop->entry.key[n].object == object) {
      loop->entry.key[n].object = successor;
      named = true;
    }
  loop->entry.nleft -= named && object->left;
}

void op2i_loops_pass_on(op2_context ctx, void *object, void *successor) {
  (void)ctx;
  struct op2i_object *spare = object;
  for (struct op2i_link *user = spare->users.first; user; user = user->next) {
    struct op2i_loop *loop = user->object;
    replace(loop, user, spare, successor);
    if (loop->entry.key && --loop->entry.nspares == 0) op2i_loop_show(loop);
  }
  ((struct op2i_object *)successor)->users = spare->users;
  spare->users = (struct op2i_list){0};
}

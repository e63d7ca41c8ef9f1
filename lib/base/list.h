/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LIST_H
#define OP2I_LIST_H

/* A list of objects in order of creation. It holds no references. */
struct op2i_link {
  void *object;
  struct op2i_link *prev, *next;
};
struct op2i_list {
  struct op2i_link *first, *last;
};
void op2i_list_append(struct op2i_list *list, struct op2i_link *link, void *object);
void op2i_list_remove(struct op2i_list *list, struct op2i_link *link); /* no-op if not in it */

#endif

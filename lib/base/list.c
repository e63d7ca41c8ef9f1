/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of objects, which are linked through a member of each object. */
#include "list.h"

#include <stddef.h>

void op2i_list_append(struct op2i_list *list, struct op2i_link *link, void *object) {
  *link = (struct op2i_link){.object = object, .prev = list->last};
  *(list->last ? &list->last->next : &list->first) = link;
  list->last = link;
}

void op2i_list_remove(struct op2i_list *list, struct op2i_link *link) {
  if (!link->object) return;
  *(link->prev ? &link->prev->next : &list->first) = link->next;
  *(link->next ? &link->next->prev : &list->last) = link->prev;
  link->object = NULL;
}

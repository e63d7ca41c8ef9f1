/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of the profile. */
#include "profile.h"

#include "error.h"
#include "mem.h"

op2_status op2i_profile_line(struct op2i_profile_line **list, op2_kernel kernel, op2_set set,
                             struct op2i_profile_line **line) {
  while (*list && ((*list)->kernel != kernel || (*list)->set != set)) list = &(*list)->next;
  if (!*list) *list = op2i_calloc(1, sizeof **list);
  if (!*list) return op2i_error_nomem("the profile");
  (*list)->kernel = kernel;
  (*list)->set = set;
  *line = *list;
  return OP2_SUCCESS;
}

void op2i_profile_forget(struct op2i_profile_line **list, const void *object) {
  while (*list) {
    struct op2i_profile_line *line = *list;
    if (object && line->kernel != object && line->set != object) {
      list = &line->next;
      continue;
    }
    *list = line->next;
    op2i_free(line);
  }
}

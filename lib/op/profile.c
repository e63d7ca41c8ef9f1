/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of the profile. */
#include "profile.h"

#include <string.h>

#include "error.h"
#include "kernel.h"
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

static void free_past(struct op2i_profile_past *past) {
  op2i_free(past->kernel);
  op2i_free(past->set);
  op2i_free(past);
}

/* The past of a pair of names; null: there are too many, or no memory. */
static struct op2i_profile_past *find_past(struct op2i_profile_past **list, const char *kernel,
                                           const char *set) {
  int n = 0;
  for (; *list; list = &(*list)->next, n++)
    if (!strcmp((*list)->kernel, kernel) && !strcmp((*list)->set, set)) return *list;
  struct op2i_profile_past *past = n < OP2I_PROFILE_PAST_MOST ? op2i_calloc(1, sizeof *past) : NULL;
  if (!past) return NULL;
  past->kernel = op2i_strdup(kernel);
  past->set = op2i_strdup(set);
  if (past->kernel && past->set) return *list = past;
  free_past(past);
  return NULL;
}

static void remember(struct op2i_profile_past **list, const struct op2i_profile_line *line) {
  struct op2i_profile_past *past =
      line->calls ? find_past(list, line->kernel->obj.name, line->set->obj.name) : NULL;
  if (!past) return;
  past->calls += line->calls;
  past->elements += line->elements;
  past->seconds += line->seconds;
  past->bytes += line->bytes;
}

void op2i_profile_forget(struct op2i_profile_line **list, struct op2i_profile_past **past,
                         const void *object) {
  while (*list) {
    struct op2i_profile_line *line = *list;
    if (line->kernel != object && line->set != object) {
      list = &line->next;
      continue;
    }
    remember(past, line);
    *list = line->next;
    op2i_free(line);
  }
}

void op2i_profile_free(struct op2i_profile_line **list, struct op2i_profile_past **past) {
  for (struct op2i_profile_line *next; *list; *list = next) {
    next = (*list)->next;
    op2i_free(*list);
  }
  for (struct op2i_profile_past *next; *past; *past = next) {
    next = (*past)->next;
    free_past(*past);
  }
}

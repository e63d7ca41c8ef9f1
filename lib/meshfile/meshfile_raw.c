/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a mesh, as they are read one after the other. */
#include "meshfile_raw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void op2i_raw_free(struct op2i_raw *raw) {
  if (!raw->op2) return;
  for (int d = 0; d < 4; d++) {
    raw->op2->free(raw->of[d].kind);
    raw->op2->free(raw->of[d].tag);
    raw->op2->free(raw->of[d].end);
    raw->op2->free(raw->of[d].node);
    raw->op2->free(raw->group[d].member);
  }
  for (int64_t g = 0; g < raw->ngroups; g++) raw->op2->free(raw->groups[g].name);
  raw->op2->free(raw->groups);
  raw->op2->free(raw->slot);
  raw->op2->free(raw->turned);
  raw->op2->free(raw->tag);
  raw->op2->free(raw->x);
  *raw = (struct op2i_raw){0};
}

bool op2i_raw_room(const struct op2i_companion *op2, void *array_of_pointer, size_t bytes,
                   int64_t n, int64_t *capacity) {
  void *old, *more;
  if (n <= *capacity) return true;
  int64_t larger = *capacity * 2 > n ? *capacity * 2 : n;
  if (larger < 64) larger = 64;
  memcpy(&old, array_of_pointer, sizeof old);
  more = op2->calloc((size_t)larger, bytes);
  if (!more) return false;
  if (old) memcpy(more, old, (size_t)*capacity * bytes);
  op2->free(old);
  memcpy(array_of_pointer, &more, sizeof more);
  *capacity = larger;
  return true;
}

bool op2i_raw_node(struct op2i_raw *raw, int64_t tag, const double x[3]) {
  int64_t n = raw->nnodes;
  if (!op2i_raw_room(raw->op2, &raw->tag, sizeof *raw->tag, n + 1, &raw->node_capacity) ||
      !op2i_raw_room(raw->op2, &raw->x, sizeof *raw->x, 3 * n + 3, &raw->x_capacity))
    return false;
  raw->tag[n] = tag;
  memcpy(raw->x + 3 * n, x, 3 * sizeof *x);
  raw->nnodes++;
  return true;
}

/* Three arrays grow together: the capacity counts once all have grown. */
static bool room_for_element(struct op2i_raw *raw, struct op2i_elements *list) {
  int64_t kinds = list->capacity, tags = list->capacity, ends = list->capacity;
  if (!op2i_raw_room(raw->op2, &list->kind, sizeof *list->kind, list->n + 1, &kinds) ||
      !op2i_raw_room(raw->op2, &list->tag, sizeof *list->tag, list->n + 1, &tags) ||
      !op2i_raw_room(raw->op2, &list->end, sizeof *list->end, list->n + 1, &ends))
    return false;
  list->capacity = ends;
  return true;
}

bool op2i_raw_element(struct op2i_raw *raw, int kind, int64_t tag, int64_t **nodes) {
  const struct op2i_cell_kind *what = &op2i_cell_kinds[kind];
  struct op2i_elements *list = &raw->of[what->dimension];
  int64_t begin = op2i_element_begin(list, list->n);
  if (!room_for_element(raw, list) || !op2i_raw_room(raw->op2, &list->node, sizeof *list->node,
                                                     begin + what->nodes, &list->node_capacity))
    return false;
  list->kind[list->n] = (uint8_t)kind;
  list->tag[list->n] = tag;
  list->end[list->n] = begin + what->nodes;
  list->n++;
  *nodes = list->node + begin;
  return true;
}

bool op2i_raw_member(struct op2i_raw *raw, int dimension, int32_t group) {
  return op2i_raw_member_at(raw, dimension, raw->of[dimension].n - 1, group);
}

bool op2i_raw_member_at(struct op2i_raw *raw, int dimension, int64_t element, int32_t group) {
  struct op2i_members *list = &raw->group[dimension];
  if (!op2i_raw_room(raw->op2, &list->member, sizeof *list->member, list->n + 1, &list->capacity))
    return false;
  list->member[list->n++] = (struct op2i_member){group, element};
  return true;
}

/* The slot of a group, or the free one where it would be. */
static int32_t *slot_of(const struct op2i_raw *raw, int32_t dimension, int64_t tag) {
  uint64_t hash = ((uint64_t)tag * 8 + (uint64_t)dimension) * UINT64_C(0x9e3779b97f4a7c15);
  hash ^= hash >> 32;
  hash *= UINT64_C(0xd6e8feb86659fd93);
  for (uint64_t s = hash >> 20;; s++) {
    int32_t *slot = &raw->slot[s & (uint64_t)(raw->nslots - 1)];
    if (!*slot) return slot;
    const struct op2i_mesh_group *group = &raw->groups[*slot - 1];
    if (group->dimension == dimension && group->tag == tag) return slot;
  }
}

/* Make the table of slots larger if one more group would fill half of it. */
static bool room_for_slot(struct op2i_raw *raw) {
  if (2 * (raw->ngroups + 1) <= raw->nslots) return true;
  const int64_t n = raw->nslots ? 2 * raw->nslots : 64;
  int32_t *more = raw->op2->calloc((size_t)n, sizeof *more);
  if (!more) return false;
  raw->op2->free(raw->slot);
  raw->slot = more;
  raw->nslots = n;
  for (int64_t g = 0; g < raw->ngroups; g++)
    *slot_of(raw, raw->groups[g].dimension, raw->groups[g].tag) = (int32_t)(g + 1);
  return true;
}

bool op2i_raw_group(struct op2i_raw *raw, int32_t dimension, int64_t tag, const char *name,
                    size_t length, int32_t *group) {
  char number[30];
  if (!room_for_slot(raw)) return false;
  int32_t *slot = slot_of(raw, dimension, tag);
  if (*slot) {
    *group = *slot - 1;
    return true;
  }
  if (!name) {
    length = (size_t)snprintf(number, sizeof number, "%" PRId64, tag);
    name = number;
  }
  if (!op2i_raw_room(raw->op2, &raw->groups, sizeof *raw->groups, raw->ngroups + 1,
                     &raw->group_capacity))
    return false;
  char *copy = raw->op2->calloc(length + 1, 1);
  if (!copy) return false;
  memcpy(copy, name, length);
  raw->groups[raw->ngroups] =
      (struct op2i_mesh_group){.name = copy, .dimension = dimension, .tag = tag};
  *group = (int32_t)raw->ngroups++;
  *slot = *group + 1;
  return true;
}

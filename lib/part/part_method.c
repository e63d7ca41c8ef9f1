/* SPDX-License-Identifier: BSD-3-Clause */
/* The owners of the set that is partitioned first. */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "part.h"
#include "part_graph.h"
#include "part_method.h"

op2_status op2i_part_settle(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  int64_t moved = 0;
  op2_status status =
      op2i_table_open(p->comm, s->set->obj.name, s->size, sizeof *s->owner, &s->owners);
  if (!status) status = op2i_table_put(&s->owners, s->n, s->number, s->owner);
  for (int64_t i = 0; i < s->n; i++) moved += s->owner[i] != p->comm->rank;
  p->report.moved += moved;
  return status;
}

static op2_status make_owners(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  s->owner = op2i_malloc((size_t)s->n * sizeof *s->owner);
  return s->owner ? OP2_SUCCESS : op2i_error_nomem("a partition");
}

op2_status op2i_part_blocks(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  struct op2i_share share = {.size = s->size, .ranks = p->comm->size};
  op2_status status = op2i_part_agree(p, make_owners(p, set));
  if (status) return status;
  for (int64_t i = 0; i < s->n; i++) s->owner[i] = op2i_share_of(&share, s->number[i]);
  return op2i_part_settle(p, set);
}

/* Take the owners that the program gives, which are in the order in which it declared the
 * elements. */
static op2_status take_given(struct op2i_parting *p, int set, const int32_t *owner) {
  struct op2i_part_set *s = &p->sets[set];
  op2_status status = make_owners(p, set);
  if (status) return status;
  if (s->n > 0 && !owner)
    return op2i_error(OP2_ERR_ARG, "op2_partition: the owners of set '%s' are null",
                      s->set->obj.name);
  for (int64_t i = 0; i < s->n; i++) {
    s->owner[i] = owner[op2i_set_place(s->set, i)];
    if (s->owner[i] < 0 || s->owner[i] >= p->comm->size)
      return op2i_error(OP2_ERR_RANGE,
                        "op2_partition: set '%s': element %" PRId64 " (global number) is given to "
                        "rank %" PRId32 ", which is not one of %d",
                        s->set->obj.name, s->number[i], s->owner[i], p->comm->size);
  }
  return OP2_SUCCESS;
}

static op2_status given(struct op2i_parting *p, int set, const int32_t *owner) {
  op2_status status = op2i_part_agree(p, take_given(p, set, owner));
  return status ? status : op2i_part_settle(p, set);
}

static op2_status coordinates(struct op2i_parting *p, int set, op2_dat dat) {
  op2_status status = op2i_part_agree(p, make_owners(p, set));
  if (!status) status = op2i_part_coordinates(p, set, dat);
  return status ? status : op2i_part_settle(p, set);
}

static op2_status kway(struct op2i_parting *p, op2_map map) {
  int m = 0;
  while (m < p->nmaps && p->maps[m].map != map) m++;
  op2_status status =
      m < p->nmaps
          ? make_owners(p, p->maps[m].to)
          : op2i_error(OP2_ERR_MISMATCH, "op2_partition: map '%s' has no values", map->obj.name);
  status = op2i_part_agree(p, status);
  if (!status) status = op2i_part_kway(p, m);
  return status ? status : op2i_part_settle(p, p->maps[m].to);
}

op2_status op2i_part_cut(struct op2i_parting *p, const op2_partition_options *how) {
  op2_status status = OP2_SUCCESS;
  switch (how->method) {
  case OP2_PARTITION_GIVEN: return given(p, op2i_part_find(p, how->set), how->owner);
  case OP2_PARTITION_COORDINATES:
    return coordinates(p, op2i_part_find(p, how->coordinates->set), how->coordinates);
  case OP2_PARTITION_KWAY: return kway(p, how->map);
  default:
    for (int s = 0; s < p->nsets && !status; s++)
      if (!how->set || p->sets[s].set == how->set) status = op2i_part_blocks(p, s);
    return status;
  }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Values and subsets for the new owners, in new memory. */
#include <string.h>

#include "comm_parcel.h"
#include "context.h"
#include "error.h"
#include "mem.h"
#include "numa.h"
#include "part.h"
#include "part_graph.h"

/* ---- dats ------------------------------------------------------------------------------------ */

/* A dat has values if any rank has some: other ranks may have none because they own nothing. */
static op2_status find_values(const struct op2i_parting *p, struct op2i_part_set *s) {
  int64_t *has = op2i_malloc((size_t)s->ndats * sizeof *has);
  op2_status status = op2i_part_agree(p, has ? OP2_SUCCESS : op2i_error_nomem("a partition"));
  for (int64_t d = 0; d < s->ndats && !status; d++)
    has[d] = op2i_buffer_has_memory(&s->dats[d].dat->values);
  if (!status && s->ndats) status = op2i_comm_greatest(p->comm, (int)s->ndats, has);
  for (int64_t d = 0; d < s->ndats && !status; d++) s->dats[d].has = has[d];
  op2i_free(has);
  return status;
}

static op2_status open_dat(const struct op2i_part_set *s, struct op2i_new_dat *d, void **old) {
  op2_status status = op2i_buffer_at(&d->dat->values, OP2I_HOST, OP2_READ, OP2I_OWNED_ROWS, old);
  if (status) return status;
  const size_t row = d->dat->row_bytes, bytes = (size_t)s->ends[OP2I_NONEXEC] * row;
  d->values = op2i_alloc_data(bytes);
  if (!d->values) return op2i_error_nomem("a dat's values");
  op2i_numa_place(d->dat->obj.ctx->numa, d->values, (size_t)s->ends[OP2I_OWNED] * row, bytes);
  return OP2_SUCCESS;
}

/* Rows are received in the same order as their elements were. */
static op2_status move_dat(const struct op2i_parting *p, const struct op2i_part_set *s,
                           struct op2i_new_dat *d) {
  size_t bytes = d->dat->row_bytes;
  struct op2i_parcels in = {0};
  void *old = NULL;
  int64_t at = 0;
  op2_status status = op2i_part_agree(p, open_dat(s, d, &old));
  if (!status) status = op2i_mail_send(p->comm, s->n, s->owner, bytes, old, &in);
  for (int64_t k = 0; k < in.n; k++)
    for (size_t i = 0; i < in.parcel[k].bytes / bytes; i++, at++) {
      int32_t row = s->local.is[op2i_numbers_at(&s->local, s->arrived[at])];
      memcpy((char *)d->values + (size_t)row * bytes, (char *)in.parcel[k].data + i * bytes, bytes);
    }
  op2i_parcels_free(&in);
  return status;
}

/* ---- subsets --------------------------------------------------------------------------------- */

/* Allocate a byte for each element of the set, before and after the move, and mark the subset's
 * elements. */
static op2_status open_flags(const struct op2i_part_set *s, op2_set subset, unsigned char **old,
                             unsigned char **flags) {
  *old = op2i_calloc((size_t)s->n, 1);
  *flags = op2i_calloc((size_t)s->ends[OP2I_NONEXEC], 1);
  if (!*old || !*flags) return op2i_error_nomem("a subset's indices");
  for (int64_t i = 0; i < subset->ends[OP2I_OWNED]; i++) (*old)[subset->idx[i]] = 1;
  return OP2_SUCCESS;
}

static op2_status list_subset(const struct op2i_part_set *s, const unsigned char *flags,
                              struct op2i_new_subset *new) {
  for (int64_t i = 0; i < s->ends[OP2I_NONEXEC]; i++) new->n += flags[i];
  new->idx = op2i_alloc_raw((size_t) new->n * sizeof *new->idx);
  if (!new->idx) return op2i_error_nomem("a subset's indices");
  for (int64_t i = 0, at = 0; i < s->ends[OP2I_NONEXEC]; i++)
    if (flags[i]) new->idx[at++] = i;
  return OP2_SUCCESS;
}

/* Build the subset on this rank. For elements of the halo, the flags of their owners decide. */
static op2_status move_subset(const struct op2i_parting *p, const struct op2i_part_set *s,
                              struct op2i_new_subset *new) {
  unsigned char *old = NULL, *flags = NULL;
  struct op2i_table table = {0};
  op2_status status = op2i_part_agree(p, open_flags(s, new->subset, &old, &flags));
  if (!status) status = op2i_table_open(p->comm, s->set->obj.name, s->size, 1, &table);
  if (!status) status = op2i_table_put(&table, s->n, s->number, old);
  if (!status) status = op2i_table_get(&table, s->ends[OP2I_NONEXEC], s->global, flags);
  if (!status) status = op2i_part_agree(p, list_subset(s, flags, new));
  op2i_table_close(&table);
  op2i_free(old);
  op2i_free(flags);
  return status;
}

static op2_status move_set(const struct op2i_parting *p, struct op2i_part_set *s) {
  op2_status status = find_values(p, s);
  for (int64_t d = 0; d < s->ndats && !status; d++)
    if (s->dats[d].has) status = move_dat(p, s, &s->dats[d]);
  for (int64_t i = 0; i < s->nsubsets && !status; i++) status = move_subset(p, s, &s->subsets[i]);
  return status;
}

op2_status op2i_part_move(struct op2i_parting *p) {
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < p->nsets && !status; s++) status = move_set(p, &p->sets[s]);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The last step of partitioning: the mesh gets the prepared arrays. Nothing here can fail. */
#include <string.h>

#include "context.h"
#include "exchange.h"
#include "mem.h"
#include "part.h"
#include "set.h"

static int64_t count_below(const struct op2i_new_subset *new, int64_t limit) {
  int64_t n = 0;
  while (n < new->n &&new->idx[n] < limit) n++;
  return n;
}

static void change_tables(op2_set set) {
  op2i_buffer_free(&set->elements);
  op2i_buffer_free(&set->numbers);
  set->elements = set->numbers = (struct op2i_buffer){0};
  op2i_set_tables_changed(set);
}

static void change_subset(const struct op2i_part_set *s, struct op2i_new_subset *new) {
  op2_set subset = new->subset;
  op2i_free_data(subset->idx);
  op2i_free_data(subset->user_idx);
  subset->user_idx = NULL;
  subset->idx = new->idx;
  for (int e = 0; e < OP2I_SECTIONS; e++) subset->ends[e] = count_below(new, s->ends[e]);
  new->idx = NULL;
  change_tables(subset);
}

static void change_dat(const struct op2i_part_set *s, struct op2i_new_dat *new) {
  op2_dat dat = new->dat;
  op2i_buffer_free(&dat->values);
  op2i_buffer_init(&dat->values, dat->obj.ctx, (size_t)s->ends[OP2I_NONEXEC] * dat->row_bytes,
                   (size_t)s->ends[OP2I_OWNED] * dat->row_bytes, true);
  dat->stale = 0;
  dat->changes++;
  if (!new->has) return;
  op2i_buffer_replace(&dat->values, new->values, false);
  new->values = NULL;
  op2i_dat_make_stale(dat);
}

static void change_set(struct op2i_part_set *s) {
  op2_set set = s->set;
  op2i_halo_free(set->halo);
  set->halo = s->halo;
  s->halo = NULL;
  memcpy(set->ends, s->ends, sizeof set->ends);
  op2i_free_data(set->number);
  op2i_free_data(set->known);
  set->number = set->known = NULL;
  set->auto_renumbered = false;
  change_tables(set);
  for (int64_t i = 0; i < s->nsubsets; i++) change_subset(s, &s->subsets[i]);
  for (int64_t d = 0; d < s->ndats; d++) change_dat(s, &s->dats[d]);
}

static void change_map(const struct op2i_parting *p, struct op2i_part_map *m) {
  op2_map map = m->map;
  size_t bytes =
      (size_t)p->sets[m->from].ends[OP2I_NONEXEC] * (size_t)map->arity * sizeof *map->idx;
  op2i_buffer_free(&map->entries);
  op2i_free_data(map->idx);
  op2i_free_data(map->global);
  map->global = NULL;
  map->idx = m->idx;
  m->idx = NULL;
  op2i_buffer_init(&map->entries, map->obj.ctx, bytes, bytes, true);
  op2i_buffer_replace(&map->entries, map->idx, true);
  map->ninjective = 0;
  map->scatter = -1;
  map->numbering = OP2I_NUMBERING_NEW;
}

void op2i_part_apply(struct op2i_parting *p) {
  for (int s = 0; s < p->nsets; s++) change_set(&p->sets[s]);
  for (int m = 0; m < p->nmaps; m++) change_map(p, &p->maps[m]);
  p->ctx->epoch++;
}

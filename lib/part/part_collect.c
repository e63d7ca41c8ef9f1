/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of everything to be partitioned: all sets and maps of a context, by global numbers. */
#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "part.h"
#include "part_graph.h"

op2_status op2i_part_agree(const struct op2i_parting *p, op2_status status) {
  return op2i_comm_agree(p->comm, status);
}

int op2i_part_find(const struct op2i_parting *p, op2_set set) {
  for (int s = 0; s < p->nsets; s++)
    if (p->sets[s].set == set) return s;
  return -1;
}

/* ---- sets and maps --------------------------------------------------------------------------- */

static bool has_values(op2_map map) { return map->idx || map->global; }

/* The set of an element that all ranks share stays as it is, and maps to it have no values. */
static bool moves(op2_set set) { return !set->single; }

static op2_status make_tables(struct op2i_parting *p) {
  for (struct op2i_link *l = p->ctx->sets.first; l; l = l->next) {
    if (!moves(l->object)) continue;
    p->nsets++;
    for (struct op2i_link *m = ((op2_set)l->object)->maps_from.first; m; m = m->next)
      p->nmaps += has_values(m->object);
  }
  p->sets = op2i_calloc((size_t)p->nsets, sizeof *p->sets);
  p->maps = op2i_calloc((size_t)p->nmaps, sizeof *p->maps);
  return p->sets && p->maps ? OP2_SUCCESS : op2i_error_nomem("a partition");
}

static op2_status list_set(struct op2i_part_set *s, op2_set set) {
  s->set = set;
  s->size = set->halo->global_size;
  s->n = set->ends[OP2I_OWNED];
  s->number = op2i_malloc((size_t)s->n * sizeof *s->number);
  for (int64_t i = 0; s->number && i < s->n; i++) s->number[i] = op2i_set_number(set, i);
  for (struct op2i_link *l = set->subsets.first; l; l = l->next) s->nsubsets++;
  for (struct op2i_link *l = set->dats.first; l; l = l->next) s->ndats++;
  s->subsets = op2i_calloc((size_t)s->nsubsets, sizeof *s->subsets);
  s->dats = op2i_calloc((size_t)s->ndats, sizeof *s->dats);
  if (!s->number || !s->subsets || !s->dats) return op2i_error_nomem("a partition");
  int64_t n = 0;
  for (struct op2i_link *l = set->subsets.first; l; l = l->next) s->subsets[n++].subset = l->object;
  n = 0;
  for (struct op2i_link *l = set->dats.first; l; l = l->next) s->dats[n++].dat = l->object;
  return OP2_SUCCESS;
}

static op2_status list_map(const struct op2i_parting *p, struct op2i_part_map *m, op2_map map) {
  int64_t n = map->from->ends[OP2I_OWNED] * map->arity;
  m->map = map;
  m->from = op2i_part_find(p, map->from);
  m->to = op2i_part_find(p, map->to);
  m->row = map->global;
  if (m->row) return OP2_SUCCESS;
  m->row = m->listed = op2i_malloc((size_t)n * sizeof *m->listed);
  if (!m->row) return op2i_error_nomem("a partition");
  for (int64_t i = 0; i < n; i++) m->listed[i] = op2i_set_number(map->to, map->idx[i]);
  return OP2_SUCCESS;
}

static op2_status list_all(struct op2i_parting *p) {
  int s = 0, m = 0;
  op2_status status = OP2_SUCCESS;
  for (struct op2i_link *l = p->ctx->sets.first; l && !status; l = l->next)
    if (moves(l->object)) status = list_set(&p->sets[s++], l->object);
  for (s = 0; s < p->nsets && !status; s++)
    for (struct op2i_link *l = p->sets[s].set->maps_from.first; l && !status; l = l->next)
      if (has_values(l->object)) status = list_map(p, &p->maps[m++], l->object);
  return status;
}

/* ---- check that all ranks have the same objects ---------------------------------------------- */

static uint64_t mix(uint64_t hash, int64_t value) { return op2i_hash_word(hash, (uint64_t)value); }

static int64_t fingerprint(const struct op2i_parting *p) {
  uint64_t hash = mix(mix(0, p->nsets), p->nmaps);
  for (int s = 0; s < p->nsets; s++) {
    hash = mix(mix(mix(hash, p->sets[s].size), p->sets[s].nsubsets), p->sets[s].ndats);
    for (int64_t d = 0; d < p->sets[s].ndats; d++)
      hash = mix(hash, (int64_t)p->sets[s].dats[d].dat->row_bytes);
  }
  for (int m = 0; m < p->nmaps; m++)
    hash = mix(mix(mix(hash, p->maps[m].from), p->maps[m].to), p->maps[m].map->arity);
  return (int64_t)hash;
}

static op2_status compare_meshes(const struct op2i_parting *p) {
  bool same;
  op2_status status = op2i_comm_same(p->comm, 1, &(int64_t){fingerprint(p)}, &same);
  if (status || same) return status;
  return op2i_error(OP2_ERR_MISMATCH, "op2_partition: the ranks have not declared the same sets, "
                                      "maps, subsets and dats in the same order");
}

op2_status op2i_part_collect(op2_context ctx, struct op2i_parting *p) {
  *p = (struct op2i_parting){.ctx = ctx, .comm = ctx->comm};
  op2_status status = make_tables(p);
  if (!status) status = list_all(p);
  status = op2i_part_agree(p, status);
  return status ? status : compare_meshes(p);
}

/* ---- freeing --------------------------------------------------------------------------------- */

static void free_set(struct op2i_part_set *s) {
  op2i_free(s->number);
  op2i_free(s->owner);
  op2i_table_close(&s->owners);
  op2i_free_data(s->arrived);
  op2i_numbers_free(&s->targets);
  op2i_free(s->core);
  op2i_free_data(s->exec);
  op2i_free(s->exec_owner);
  op2i_free(s->global);
  op2i_free(s->halo_owner);
  op2i_numbers_free(&s->local);
  op2i_halo_free(s->halo);
  for (int64_t i = 0; i < s->nsubsets && s->subsets; i++) op2i_free_data(s->subsets[i].idx);
  for (int64_t i = 0; i < s->ndats && s->dats; i++) op2i_free_data(s->dats[i].values);
  op2i_free(s->subsets);
  op2i_free(s->dats);
}

void op2i_part_free(struct op2i_parting *p) {
  for (int s = 0; s < p->nsets && p->sets; s++) free_set(&p->sets[s]);
  for (int m = 0; m < p->nmaps && p->maps; m++) {
    op2i_free(p->maps[m].listed);
    op2i_free_data(p->maps[m].arrived);
    op2i_free_data(p->maps[m].exec);
    op2i_free_data(p->maps[m].idx);
  }
  op2i_free(p->sets);
  op2i_free(p->maps);
}

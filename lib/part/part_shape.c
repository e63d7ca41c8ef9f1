/* SPDX-License-Identifier: BSD-3-Clause */
/* What each rank has of the mesh once it is known who owns what: rows go to their new owners, those
 * tell others of the rows that lead to them, and every rank then knows its four sections. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "part.h"

static op2_status no_memory(void) { return op2i_error_nomem("a partition"); }

/* ---- rows for ranks -------------------------------------------------------------------------- */

/* Parcels one after the other. */
static op2_status join(const struct op2i_parcels *in, size_t row_bytes, int64_t *n,
                       void *rows_out) {
  size_t bytes = 0, at = 0;
  for (int64_t k = 0; k < in->n; k++) bytes += in->parcel[k].bytes;
  unsigned char *rows = op2i_malloc(bytes);
  if (!rows) return no_memory();
  for (int64_t k = 0; k < in->n; k++) {
    memcpy(rows + at, in->parcel[k].data, in->parcel[k].bytes);
    at += in->parcel[k].bytes;
  }
  *n = (int64_t)(bytes / row_bytes);
  *(void **)rows_out = rows;
  return OP2_SUCCESS;
}

static op2_status send_rows(const struct op2i_parting *p, int64_t n, const int32_t *to,
                            size_t row_bytes, const void *rows, int64_t *nout, void *out) {
  struct op2i_parcels in;
  op2_status status = op2i_mail_send(p->comm, n, to, row_bytes, rows, &in);
  if (!status) status = op2i_part_agree(p, join(&in, row_bytes, nout, out));
  op2i_parcels_free(&in);
  return status;
}

/* All that is owned here now goes to who will own it; rows of maps in the order of their elements. */
static op2_status send_owned(struct op2i_parting *p) {
  op2_status status = OP2_SUCCESS;
  int64_t n;
  for (int i = 0; i < p->nsets && !status; i++) {
    struct op2i_part_set *s = &p->sets[i];
    status = send_rows(p, s->n, s->owner, sizeof *s->number, s->number, &s->narrived, &s->arrived);
  }
  for (int i = 0; i < p->nmaps && !status; i++) {
    struct op2i_part_map *m = &p->maps[i];
    const struct op2i_part_set *from = &p->sets[m->from];
    status = send_rows(p, from->n, from->owner, (size_t)m->map->arity * sizeof *m->row, m->row, &n,
                       &m->arrived);
  }
  return status;
}

/* ---- who owns what they lead to -------------------------------------------------------------- */

/* The targets of `arrived` rows, and with `exec` of those of the exec halo, in one set. */
static op2_status list_targets(const struct op2i_parting *p, int set, bool exec,
                               struct op2i_numbers *found) {
  int64_t n = 0, at = 0;
  for (int i = 0; i < p->nmaps; i++)
    if (p->maps[i].to == set) {
      const struct op2i_part_set *from = &p->sets[p->maps[i].from];
      n += (from->narrived + (exec ? from->nexec : 0)) * p->maps[i].map->arity;
    }
  *found = (struct op2i_numbers){.number = op2i_malloc((size_t)n * sizeof *found->number),
                                 .is = op2i_malloc((size_t)n * sizeof *found->is)};
  if (!found->number || !found->is) return no_memory();
  for (int i = 0; i < p->nmaps; i++) {
    const struct op2i_part_map *m = &p->maps[i];
    const struct op2i_part_set *from = &p->sets[m->from];
    if (m->to != set) continue;
    size_t owned = (size_t)(from->narrived * m->map->arity);
    size_t halo = exec ? (size_t)(from->nexec * m->map->arity) : 0;
    if (owned) memcpy(found->number + at, m->arrived, owned * sizeof *m->arrived);
    at += (int64_t)owned;
    if (halo) memcpy(found->number + at, m->exec, halo * sizeof *m->exec);
    at += (int64_t)halo;
  }
  found->n = op2i_numbers_sort(n, found->number);
  return OP2_SUCCESS;
}

static op2_status look_up(const struct op2i_parting *p, int set, struct op2i_numbers *found) {
  return op2i_table_get(&p->sets[set].owners, found->n, found->number, found->is);
}

/* Of each set, the owners of what owned rows lead to. */
static op2_status find_targets(const struct op2i_parting *p, struct op2i_numbers *found) {
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < p->nsets && !status; s++) {
    status = op2i_part_agree(p, list_targets(p, s, false, &found[s]));
    if (!status) status = look_up(p, s, &found[s]);
  }
  return status;
}

/* ---- the exec halo --------------------------------------------------------------------------- */

/* Elements of one set that other ranks run over as well. */
struct exports {
  int64_t n, capacity, to_capacity, *element;
  int32_t *to;
};

static op2_status add_export(struct exports *out, int64_t first, int64_t element, int32_t to) {
  for (int64_t i = first; i < out->n; i++)
    if (out->to[i] == to) return OP2_SUCCESS;
  if (op2i_grow(&out->element, sizeof *out->element, out->n, &out->capacity) ||
      op2i_grow(&out->to, sizeof *out->to, out->n, &out->to_capacity))
    return no_memory();
  out->element[out->n] = element;
  out->to[out->n++] = to;
  return OP2_SUCCESS;
}

/* A row counts as cut when its targets are not all one rank's. */
static op2_status look_at_row(struct op2i_parting *p, const struct op2i_part_map *m,
                              const struct op2i_numbers *found, int64_t e, int64_t first,
                              struct exports *out) {
  op2_status status = OP2_SUCCESS;
  const int64_t *row = m->arrived + e * m->map->arity;
  int32_t one = found->is[op2i_numbers_at(found, row[0])];
  bool cut = false;
  for (int k = 0; k < m->map->arity && !status; k++) {
    int32_t owner = found->is[op2i_numbers_at(found, row[k])];
    cut |= owner != one;
    if (owner == p->comm->rank) continue;
    p->sets[m->from].core[e] = false;
    status = add_export(out, first, e, owner);
  }
  p->report.rows++;
  p->report.cut += cut;
  return status;
}

static op2_status list_exports(struct op2i_parting *p, int set, const struct op2i_numbers *found,
                               struct exports *out) {
  struct op2i_part_set *s = &p->sets[set];
  op2_status status = OP2_SUCCESS;
  s->core = op2i_malloc((size_t)s->narrived * sizeof *s->core);
  if (!s->core) return no_memory();
  for (int64_t e = 0; e < s->narrived && !status; e++) {
    int64_t first = out->n;
    s->core[e] = true;
    for (int m = 0; m < p->nmaps && !status; m++)
      if (p->maps[m].from == set)
        status = look_at_row(p, &p->maps[m], &found[p->maps[m].to], e, first, out);
  }
  return status;
}

/* The rows of what is exported, in the order of the export. */
static op2_status export_map(const struct op2i_parting *p, struct op2i_part_map *m,
                             const struct exports *out) {
  size_t bytes = (size_t)m->map->arity * sizeof *m->arrived;
  int64_t n, *rows = op2i_malloc((size_t)out->n * bytes);
  op2_status status = op2i_part_agree(p, rows ? OP2_SUCCESS : no_memory());
  for (int64_t i = 0; i < out->n && !status; i++)
    memcpy(rows + i * m->map->arity, m->arrived + out->element[i] * m->map->arity, bytes);
  if (!status) status = send_rows(p, out->n, out->to, bytes, rows, &n, &m->exec);
  op2i_free(rows);
  return status;
}

static op2_status keep_exec(struct op2i_part_set *s, const struct op2i_parcels *in) {
  op2_status status = join(in, sizeof *s->exec, &s->nexec, &s->exec);
  if (status) return status;
  s->exec_owner = op2i_malloc((size_t)s->nexec * sizeof *s->exec_owner);
  if (!s->exec_owner) return no_memory();
  for (int64_t k = 0, at = 0; k < in->n; k++)
    for (size_t i = 0; i < in->parcel[k].bytes / sizeof *s->exec; i++)
      s->exec_owner[at++] = in->parcel[k].peer;
  return OP2_SUCCESS;
}

static op2_status export_set(struct op2i_parting *p, int set, const struct op2i_numbers *found) {
  struct op2i_part_set *s = &p->sets[set];
  struct exports out = {0};
  struct op2i_parcels in = {0};
  op2_status status = list_exports(p, set, found, &out);
  int64_t *numbers = op2i_malloc((size_t)out.n * sizeof *numbers);
  if (!status && !numbers) status = no_memory();
  status = op2i_part_agree(p, status);
  for (int64_t i = 0; i < out.n && !status; i++) numbers[i] = s->arrived[out.element[i]];
  if (!status) status = op2i_mail_send(p->comm, out.n, out.to, sizeof *numbers, numbers, &in);
  if (!status) status = op2i_part_agree(p, keep_exec(s, &in));
  for (int m = 0; m < p->nmaps && !status; m++)
    if (p->maps[m].from == set) status = export_map(p, &p->maps[m], &out);
  op2i_parcels_free(&in);
  op2i_free(numbers);
  op2i_free(out.element);
  op2i_free(out.to);
  return status;
}

static op2_status make_exec(struct op2i_parting *p) {
  struct op2i_numbers *found = op2i_calloc((size_t)p->nsets, sizeof *found);
  op2_status status = op2i_part_agree(p, found ? OP2_SUCCESS : no_memory());
  if (!status) status = find_targets(p, found);
  for (int s = 0; s < p->nsets && !status; s++) status = export_set(p, s, found);
  for (int s = 0; s < p->nsets && found; s++) op2i_numbers_free(&found[s]);
  op2i_free(found);
  return status;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* An element of this rank: its section, and where it came from. */
struct member {
  int64_t number;
  int32_t owner;
  int32_t section;
};

struct members {
  int64_t n;
  struct member *member;
};

static int by_section(const void *a, const void *b) {
  const struct member *x = a, *y = b;
  if (x->section != y->section) return x->section < y->section ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* All but the non-exec halo, and of that no more than the numbers: what rows lead to besides. */
static op2_status gather(const struct op2i_parting *p, int set, struct members *all,
                         struct op2i_numbers *beyond) {
  const struct op2i_part_set *s = &p->sets[set];
  struct op2i_numbers here = {.n = s->narrived + s->nexec};
  op2_status status = list_targets(p, set, true, beyond);
  if (status) return status;
  here.number = op2i_malloc((size_t)here.n * sizeof *here.number);
  all->member = op2i_malloc((size_t)(here.n + beyond->n) * sizeof *all->member);
  if (!here.number || !all->member) {
    op2i_free(here.number);
    return no_memory();
  }
  for (int64_t i = 0; i < s->narrived; i++) {
    here.number[i] = s->arrived[i];
    all->member[all->n++] =
        (struct member){s->arrived[i], p->comm->rank, s->core[i] ? OP2I_CORE : OP2I_OWNED};
  }
  for (int64_t i = 0; i < s->nexec; i++) {
    here.number[s->narrived + i] = s->exec[i];
    all->member[all->n++] = (struct member){s->exec[i], s->exec_owner[i], OP2I_EXEC};
  }
  here.n = op2i_numbers_sort(here.n, here.number);
  int64_t kept = 0;
  for (int64_t i = 0; i < beyond->n; i++)
    if (op2i_numbers_at(&here, beyond->number[i]) < 0) beyond->number[kept++] = beyond->number[i];
  beyond->n = kept;
  op2i_free(here.number);
  return OP2_SUCCESS;
}

/* Ascending numbers, and where each is. */
static op2_status index_numbers(struct op2i_part_set *s, int64_t total) {
  s->local = (struct op2i_numbers){.n = total,
                                   .number = op2i_malloc((size_t)total * sizeof *s->local.number),
                                   .is = op2i_malloc((size_t)total * sizeof *s->local.is)};
  if (!s->local.number || !s->local.is) return no_memory();
  if (total) memcpy(s->local.number, s->global, (size_t)total * sizeof *s->global);
  op2i_numbers_sort(total, s->local.number);
  for (int64_t i = 0; i < total; i++)
    s->local.is[op2i_numbers_at(&s->local, s->global[i])] = (int32_t)i;
  return OP2_SUCCESS;
}

static op2_status settle(struct op2i_part_set *s, struct members *all,
                         const struct op2i_numbers *beyond) {
  for (int64_t i = 0; i < beyond->n; i++)
    all->member[all->n++] = (struct member){beyond->number[i], beyond->is[i], OP2I_NONEXEC};
  if (all->n > INT32_MAX)
    return op2i_error(OP2_ERR_RANGE,
                      "op2_partition: set '%s' has %" PRId64
                      " elements on this rank, which is more "
                      "than 2^31",
                      s->set->obj.name, all->n);
  if (all->n) qsort(all->member, (size_t)all->n, sizeof *all->member, by_section);
  for (int64_t i = 0; i < all->n; i++)
    for (int e = all->member[i].section; e < OP2I_SECTIONS; e++) s->ends[e]++;
  s->global = op2i_malloc((size_t)all->n * sizeof *s->global);
  s->halo_owner = op2i_malloc((size_t)(all->n - s->ends[OP2I_OWNED]) * sizeof *s->halo_owner);
  if (!s->global || !s->halo_owner) return no_memory();
  for (int64_t i = 0; i < all->n; i++) {
    s->global[i] = all->member[i].number;
    if (i >= s->ends[OP2I_OWNED]) s->halo_owner[i - s->ends[OP2I_OWNED]] = all->member[i].owner;
  }
  return index_numbers(s, all->n);
}

static op2_status make_sections(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  struct members all = {0};
  struct op2i_numbers beyond = {0};
  op2_status status = op2i_part_agree(p, gather(p, set, &all, &beyond));
  if (!status) status = look_up(p, set, &beyond);
  if (!status) status = op2i_part_agree(p, settle(s, &all, &beyond));
  op2i_free(all.member);
  op2i_numbers_free(&beyond);
  if (status) return status;
  return op2i_halo_make(p->comm, s->ends, s->global, s->halo_owner, s->set->obj.name, &s->halo);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static void place_rows(const struct op2i_parting *p, struct op2i_part_map *m, int64_t n,
                       const int64_t *element, const int64_t *rows) {
  const struct op2i_numbers *from = &p->sets[m->from].local, *to = &p->sets[m->to].local;
  int64_t arity = m->map->arity;
  for (int64_t i = 0; i < n; i++) {
    int32_t *row = m->idx + (int64_t)from->is[op2i_numbers_at(from, element[i])] * arity;
    for (int64_t k = 0; k < arity; k++) row[k] = to->is[op2i_numbers_at(to, rows[i * arity + k])];
  }
}

/* Rows of the non-exec halo stay zero: no loop runs over them, and what they lead to need not be
 * here. */
static op2_status make_map(const struct op2i_parting *p, struct op2i_part_map *m) {
  const struct op2i_part_set *from = &p->sets[m->from];
  size_t bytes = (size_t)from->ends[OP2I_NONEXEC] * (size_t)m->map->arity * sizeof *m->idx;
  m->idx = op2i_alloc_data(bytes);
  if (!m->idx) return no_memory();
  place_rows(p, m, from->narrived, from->arrived, m->arrived);
  place_rows(p, m, from->nexec, from->exec, m->exec);
  return OP2_SUCCESS;
}

op2_status op2i_part_shape(struct op2i_parting *p) {
  op2_status status = send_owned(p);
  if (!status) status = make_exec(p);
  for (int s = 0; s < p->nsets && !status; s++) status = make_sections(p, s);
  if (status) return status;
  for (int m = 0; m < p->nmaps && !status; m++) status = make_map(p, &p->maps[m]);
  return op2i_part_agree(p, status);
}

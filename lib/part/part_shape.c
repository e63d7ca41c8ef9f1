/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the mesh that each rank has once owners are known: rows are sent to their new owners;
 * these send rows on to the other ranks that own targets of them; and every rank then knows its
 * four sections. */
#include <inttypes.h>
#include <string.h>

#include "comm_parcel.h"
#include "context.h"
#include "error.h"
#include "mem.h"
#include "part.h"
#include "part_graph.h"
#include "sort.h"

static op2_status no_memory(void) { return op2i_error_nomem("a partition"); }

/* ---- lists of rows by rank ------------------------------------------------------------------- */

/* Take over the memory of parcels, in which they are contiguous. Returns the number of int64_t. */
static int64_t take_rows(struct op2i_parcels *in, int64_t **rows) {
  size_t bytes = 0;
  for (int64_t k = 0; k < in->n; k++) bytes += in->parcel[k].bytes;
  *rows = in->memory;
  in->memory = NULL;
  return (int64_t)(bytes / sizeof(int64_t));
}

/* Send rows; *nout becomes the number of values received. */
static op2_status send_rows(const struct op2i_parting *p, int64_t n, const int32_t *to,
                            int64_t arity, const int64_t *rows, int64_t *nout, int64_t **out) {
  struct op2i_parcels in;
  op2_status status = op2i_mail_send(p->comm, n, to, (size_t)arity * sizeof *rows, rows, &in);
  if (!status) *nout = take_rows(&in, out);
  op2i_parcels_free(&in);
  return status;
}

/* Send elements and rows that are owned here now to their new owners; rows of maps are in the order
 * of their elements. */
static op2_status send_owned(struct op2i_parting *p) {
  op2_status status = OP2_SUCCESS;
  int64_t n;
  for (int i = 0; i < p->nsets && !status; i++) {
    struct op2i_part_set *s = &p->sets[i];
    status = send_rows(p, s->n, s->owner, 1, s->number, &s->narrived, &s->arrived);
  }
  for (int i = 0; i < p->nmaps && !status; i++) {
    struct op2i_part_map *m = &p->maps[i];
    const struct op2i_part_set *from = &p->sets[m->from];
    status = send_rows(p, from->n, from->owner, m->map->arity, m->row, &n, &m->arrived);
  }
  return status;
}

/* ---- owners of the targets of maps ----------------------------------------------------------- */

/* Find the owners of all elements of a set that owned rows reach. */
static op2_status find_targets(const struct op2i_parting *p, int set) {
  struct op2i_numbers *found = &p->sets[set].targets;
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < p->nmaps && !status; m++) {
    int64_t rows = p->sets[p->maps[m].from].narrived;
    if (p->maps[m].to == set)
      status = op2i_numbers_add(found, rows * p->maps[m].map->arity, p->maps[m].arrived);
  }
  if (!status) status = op2i_numbers_close(found);
  status = op2i_part_agree(p, status);
  if (status) return status;
  return op2i_table_get(&p->sets[set].owners, found->n, found->number, found->is);
}

/* ---- the exec halo --------------------------------------------------------------------------- */

/* Elements of one set that other ranks execute as well. */
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

/* Note the other ranks that own targets of row e. The row counts as cut if its targets have several
 * owners. */
static op2_status look_at_row(struct op2i_parting *p, const struct op2i_part_map *m, int64_t e,
                              int64_t first, struct exports *out) {
  const struct op2i_numbers *found = &p->sets[m->to].targets;
  op2_status status = OP2_SUCCESS;
  const int64_t *row = m->arrived + e * m->map->arity;
  int32_t one = 0;
  bool cut = false;
  for (int k = 0; k < m->map->arity && !status; k++) {
    int32_t owner = found->is[op2i_numbers_at(found, row[k])];
    if (k == 0) one = owner;
    cut |= owner != one;
    if (owner == p->comm->rank) continue;
    p->sets[m->from].core[e] = false;
    status = add_export(out, first, e, owner);
  }
  p->report.rows++;
  p->report.cut += cut;
  return status;
}

static op2_status list_exports(struct op2i_parting *p, int set, struct exports *out) {
  struct op2i_part_set *s = &p->sets[set];
  op2_status status = OP2_SUCCESS;
  s->core = op2i_malloc((size_t)s->narrived * sizeof *s->core);
  if (!s->core) return no_memory();
  for (int64_t e = 0; e < s->narrived && !status; e++) {
    int64_t first = out->n;
    s->core[e] = true;
    for (int m = 0; m < p->nmaps && !status; m++)
      if (p->maps[m].from == set) status = look_at_row(p, &p->maps[m], e, first, out);
  }
  return status;
}

/* Send the map's rows of exported elements, in the order of the exports. */
static op2_status export_map(const struct op2i_parting *p, struct op2i_part_map *m,
                             const struct exports *out) {
  size_t bytes = (size_t)m->map->arity * sizeof *m->arrived;
  int64_t n, *rows = op2i_malloc((size_t)out->n * bytes);
  op2_status status = op2i_part_agree(p, rows ? OP2_SUCCESS : no_memory());
  for (int64_t i = 0; i < out->n && !status; i++)
    memcpy(rows + i * m->map->arity, m->arrived + out->element[i] * m->map->arity, bytes);
  if (!status) status = send_rows(p, out->n, out->to, m->map->arity, rows, &n, &m->exec);
  op2i_free(rows);
  return status;
}

static op2_status keep_exec(struct op2i_part_set *s, struct op2i_parcels *in) {
  s->nexec = take_rows(in, &s->exec);
  s->exec_owner = op2i_malloc((size_t)s->nexec * sizeof *s->exec_owner);
  if (!s->exec_owner) return no_memory();
  for (int64_t k = 0, at = 0; k < in->n; k++)
    for (size_t i = 0; i < in->parcel[k].bytes / sizeof *s->exec; i++)
      s->exec_owner[at++] = in->parcel[k].peer;
  return OP2_SUCCESS;
}

static op2_status export_set(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  struct exports out = {0};
  struct op2i_parcels in = {0};
  op2_status status = list_exports(p, set, &out);
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
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < p->nsets && !status; s++) status = find_targets(p, s);
  for (int s = 0; s < p->nsets && !status; s++) status = export_set(p, s);
  return status;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Add those numbers that are in no other section on this rank. */
static op2_status add_beyond(const struct op2i_part_set *s, int64_t n, const int64_t *number,
                             struct op2i_numbers *beyond) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < n && !status; i++)
    if (!op2i_numbers_has(&s->local, number[i])) status = op2i_numbers_add(beyond, 1, &number[i]);
  return status;
}

/* The non-exec halo: targets of owned rows and of the exec halo's rows that are neither owned nor
 * in the exec halo. */
static op2_status list_beyond(const struct op2i_parting *p, int set, struct op2i_numbers *beyond) {
  struct op2i_part_set *s = &p->sets[set];
  op2_status status = op2i_numbers_add(&s->local, s->narrived, s->arrived);
  if (!status) status = op2i_numbers_add(&s->local, s->nexec, s->exec);
  if (!status) status = add_beyond(s, s->targets.n, s->targets.number, beyond);
  for (int m = 0; m < p->nmaps && !status; m++) {
    int64_t rows = p->sets[p->maps[m].from].nexec;
    if (p->maps[m].to == set)
      status = add_beyond(s, rows * p->maps[m].map->arity, p->maps[m].exec, beyond);
  }
  return status ? status : op2i_numbers_close(beyond);
}

static op2_status set_ends(struct op2i_part_set *s, int64_t nonexec) {
  for (int64_t i = 0; i < s->narrived; i++) s->ends[OP2I_CORE] += s->core[i];
  s->ends[OP2I_OWNED] = s->narrived;
  s->ends[OP2I_EXEC] = s->narrived + s->nexec;
  s->ends[OP2I_NONEXEC] = s->ends[OP2I_EXEC] + nonexec;
  if (s->ends[OP2I_NONEXEC] <= INT32_MAX) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_RANGE,
                    "op2_partition: set '%s' has %" PRId64
                    " elements on this rank, which is more than 2^31",
                    s->set->obj.name, s->ends[OP2I_NONEXEC]);
}

static op2_status list_owned(struct op2i_part_set *s) {
  int64_t *core = s->global, *owned = s->global + s->ends[OP2I_CORE];
  for (int64_t i = 0; i < s->narrived; i++) *(s->core[i] ? core++ : owned++) = s->arrived[i];
  op2_status status = op2i_sort(s->ends[OP2I_CORE], s->global, NULL);
  if (status) return status;
  return op2i_sort(s->narrived - s->ends[OP2I_CORE], s->global + s->ends[OP2I_CORE], NULL);
}

static op2_status list_exec(struct op2i_part_set *s) {
  int64_t *order = op2i_malloc((size_t)s->nexec * sizeof *order), *exec = s->global + s->narrived;
  op2_status status = order ? OP2_SUCCESS : no_memory();
  for (int64_t i = 0; i < s->nexec && !status; i++) {
    exec[i] = s->exec[i];
    order[i] = i;
  }
  if (!status) status = op2i_sort(s->nexec, exec, order);
  for (int64_t i = 0; i < s->nexec && !status; i++) s->halo_owner[i] = s->exec_owner[order[i]];
  op2i_free(order);
  return status;
}

/* Index the elements: record the position of each number. */
static op2_status index_numbers(struct op2i_part_set *s, const struct op2i_numbers *beyond) {
  op2_status status = op2i_numbers_add(&s->local, beyond->n, beyond->number);
  if (!status) status = op2i_numbers_close(&s->local);
  for (int64_t i = 0; i < s->ends[OP2I_NONEXEC] && !status; i++)
    s->local.is[op2i_numbers_at(&s->local, s->global[i])] = (int32_t)i;
  return status;
}

/* List the elements of all sections; numbers ascend in each section. */
static op2_status list_sections(struct op2i_part_set *s, const struct op2i_numbers *beyond) {
  op2_status status = set_ends(s, beyond->n);
  int64_t total = s->ends[OP2I_NONEXEC], halo = total - s->narrived;
  if (status) return status;
  s->global = op2i_malloc((size_t)total * sizeof *s->global);
  s->halo_owner = op2i_malloc((size_t)halo * sizeof *s->halo_owner);
  if (!s->global || !s->halo_owner) return no_memory();
  status = list_owned(s);
  if (!status) status = list_exec(s);
  for (int64_t i = 0; i < beyond->n && !status; i++) {
    s->global[s->ends[OP2I_EXEC] + i] = beyond->number[i];
    s->halo_owner[s->nexec + i] = beyond->is[i];
  }
  return status ? status : index_numbers(s, beyond);
}

static op2_status make_sections(struct op2i_parting *p, int set) {
  struct op2i_part_set *s = &p->sets[set];
  struct op2i_numbers beyond = {0};
  op2_status status = op2i_part_agree(p, list_beyond(p, set, &beyond));
  if (!status) status = op2i_table_get(&s->owners, beyond.n, beyond.number, beyond.is);
  if (!status) status = op2i_part_agree(p, list_sections(s, &beyond));
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

/* Rows of the non-exec halo stay zero: no loop executes them, and their targets need not be on this
 * rank. */
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

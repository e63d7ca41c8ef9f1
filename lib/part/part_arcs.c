/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a map's graph that the rows of one rank define: each element that these rows reach,
 * with its neighbours, each listed once. Rows of many slots connect the same elements again and
 * again, so that the list, which is sent to other ranks, is much shorter than all pairs of all
 * rows. */
#include <string.h>

#include "error.h"
#include "mem.h"
#include "part.h"
#include "part_graph.h"

/* The rows, with indices into the list of elements that they name, and the inverse relation. */
struct incidence {
  struct op2i_numbers elements;
  bool self; /* the map leads from a set to itself: column 0 is the row's own element */
  int64_t n, width;
  int32_t *column; /* [n][width] */
  /* positions in `column` of element v: use[first[v]] to use[first[v + 1] - 1] */
  int64_t *first, *use;
  int32_t *seen; /* [elements] the last element of which it was listed as a neighbour */
};

static void free_incidence(struct incidence *in) {
  op2i_numbers_free(&in->elements);
  op2i_free(in->column);
  op2i_free(in->first);
  op2i_free(in->use);
  op2i_free(in->seen);
}

static op2_status find_elements(const struct op2i_part_set *from, const struct op2i_part_map *m,
                                struct incidence *in) {
  int64_t arity = m->map->arity;
  op2_status status = op2i_numbers_add(&in->elements, from->n * arity, m->row);
  if (!status && in->self) status = op2i_numbers_add(&in->elements, from->n, from->number);
  if (!status) status = op2i_numbers_close(&in->elements);
  return status;
}

static void fill_columns(const struct op2i_part_set *from, const struct op2i_part_map *m,
                         struct incidence *in) {
  int32_t *column = in->column;
  for (int64_t e = 0; e < in->n; e++) {
    const int64_t *row = m->row + e * m->map->arity;
    if (in->self) *column++ = (int32_t)op2i_numbers_at(&in->elements, from->number[e]);
    for (int k = 0; k < m->map->arity; k++)
      *column++ = (int32_t)op2i_numbers_at(&in->elements, row[k]);
  }
}

/* Counting sort of `column`. Filling from the back makes first[] end as the starts of the lists. */
static void fill_uses(struct incidence *in) {
  int64_t all = in->n * in->width, sum = 0;
  for (int64_t i = 0; i < all; i++) in->first[in->column[i]]++;
  for (int64_t v = 0; v <= in->elements.n; v++) in->first[v] = sum += in->first[v];
  for (int64_t i = all - 1; i >= 0; i--) in->use[--in->first[in->column[i]]] = i;
}

static op2_status make_incidence(const struct op2i_parting *p, const struct op2i_part_map *m,
                                 struct incidence *in) {
  const struct op2i_part_set *from = &p->sets[m->from];
  *in = (struct incidence){
      .self = m->from == m->to, .n = from->n, .width = m->map->arity + (m->from == m->to)};
  op2_status status = find_elements(from, m, in);
  if (status) return status;
  size_t entries = (size_t)(in->n * in->width), nelements = (size_t)in->elements.n;
  in->column = op2i_malloc(entries * sizeof *in->column);
  in->use = op2i_malloc(entries * sizeof *in->use);
  in->first = op2i_calloc(nelements + 1, sizeof *in->first);
  in->seen = op2i_malloc(nelements * sizeof *in->seen);
  if (!in->column || !in->use || !in->first || !in->seen) return op2i_error_nomem("a graph");
  fill_columns(from, m, in);
  fill_uses(in);
  return OP2_SUCCESS;
}

static int64_t join(struct incidence *in, int32_t v, int32_t other, int64_t *to) {
  if (other == v || in->seen[other] == v) return 0;
  in->seen[other] = v;
  if (to) *to = in->elements.number[other];
  return 1;
}

/* Return the number of neighbours of v, and write their numbers unless `to` is null. */
static int64_t neighbours(struct incidence *in, int32_t v, int64_t *to) {
  int64_t n = 0;
  for (int64_t u = in->first[v]; u < in->first[v + 1]; u++) {
    int64_t at = in->use[u] % in->width;
    const int32_t *row = in->column + in->use[u] - at;
    int64_t end = in->self && at > 0 ? 1 : in->width;
    for (int64_t k = 0; k < end; k++) n += join(in, v, row[k], to ? to + n : NULL);
  }
  return n;
}

/* Write for each element its number, the number of its neighbours, and their numbers. */
static op2_status list_neighbours(struct incidence *in, struct op2i_part_arcs *arcs) {
  int64_t nelements = in->elements.n;
  memset(in->seen, 0xFF, (size_t)nelements * sizeof *in->seen);
  for (int64_t v = 0; v < nelements; v++) arcs->nwords += 2 + neighbours(in, (int32_t)v, NULL);
  arcs->word = op2i_malloc((size_t)arcs->nwords * sizeof *arcs->word);
  if (!arcs->word) return op2i_error_nomem("a graph");
  memset(in->seen, 0xFF, (size_t)nelements * sizeof *in->seen);
  int64_t *word = arcs->word;
  for (int64_t v = 0; v < nelements; v++) {
    word[0] = in->elements.number[v];
    word[1] = neighbours(in, (int32_t)v, word + 2);
    word += 2 + word[1];
  }
  return OP2_SUCCESS;
}

op2_status op2i_part_list_arcs(const struct op2i_parting *p, const struct op2i_part_map *m,
                               struct op2i_part_arcs *arcs) {
  struct incidence in;
  *arcs = (struct op2i_part_arcs){0};
  op2_status status = make_incidence(p, m, &in);
  if (!status) status = list_neighbours(&in, arcs);
  free_incidence(&in);
  return status;
}

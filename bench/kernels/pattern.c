/* SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

/* The elements of each node, and the nonzeros of each row. */
typedef struct pattern {
  int64_t *first; /* [nodes + 1] where the elements of a node begin in `element` */
  int32_t *element;
  int64_t *start; /* [nodes + 1] */
  int32_t *column;
} pattern;

static bool find_elements(const problem *p, pattern *t) {
  const problem_map *m = &p->map[0];
  const int64_t n = p->size[m->from] * m->arity, nodes = p->size[m->to];
  t->first = calloc((size_t)nodes + 2, sizeof *t->first);
  t->element = malloc((size_t)n * sizeof *t->element);
  if (!t->first || !t->element) return false;
  for (int64_t k = 0; k < n; k++) t->first[m->rows[k] + 2]++;
  for (int64_t i = 0; i < nodes; i++) t->first[i + 2] += t->first[i + 1];
  for (int64_t k = 0; k < n; k++) t->element[t->first[m->rows[k] + 1]++] = (int32_t)(k / m->arity);
  return true;
}

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Put the columns of a row into `out`, which has room for one of each element's nodes. Returns their
 * number; `seen` has the last row that had a column. */
static int64_t find_row(const problem *p, const pattern *t, int64_t row, int32_t *seen,
                        int32_t *out) {
  const problem_map *m = &p->map[0];
  int64_t n = 0;
  for (int64_t k = t->first[row]; k < t->first[row + 1]; k++)
    for (int j = 0; j < m->arity; j++) {
      const int32_t column = m->rows[(int64_t)t->element[k] * m->arity + j];
      if (seen[column] == row) continue;
      seen[column] = (int32_t)row;
      out[n++] = column;
    }
  qsort(out, (size_t)n, sizeof *out, by_number);
  return n;
}

static bool find_rows(const problem *p, pattern *t) {
  const problem_map *m = &p->map[0];
  const int64_t nodes = p->size[m->to];
  int32_t *seen = malloc((size_t)nodes * sizeof *seen);
  t->start = malloc(((size_t)nodes + 1) * sizeof *t->start);
  t->column = malloc((size_t)(p->size[m->from] * m->arity * m->arity) * sizeof *t->column);
  const bool room = seen && t->start && t->column;
  if (room) {
    memset(seen, -1, (size_t)nodes * sizeof *seen);
    t->start[0] = 0;
    for (int64_t i = 0; i < nodes; i++)
      t->start[i + 1] = t->start[i] + find_row(p, t, i, seen, t->column + t->start[i]);
  }
  free(seen);
  return room;
}

static int32_t place(const pattern *t, int32_t row, int32_t column) {
  const int32_t *first = t->column + t->start[row];
  const size_t n = (size_t)(t->start[row + 1] - t->start[row]);
  const int32_t *at = bsearch(&column, first, n, sizeof *first, by_number);
  return (int32_t)(at - t->column);
}

static void add_places(problem *p, const pattern *t) {
  const problem_map *m = &p->map[0];
  const int a = m->arity;
  problem_set(p, t->start[p->size[m->to]]);
  int32_t *rows = problem_map_rows(p, m->from, p->nset - 1, a * a);
  p->map[p->nmap - 1].by_hand = true;
  for (int64_t e = 0; rows && e < p->size[m->from]; e++)
    for (int k = 0; k < a * a; k++)
      rows[e * a * a + k] = place(t, m->rows[e * a + k / a], m->rows[e * a + k % a]);
}

void pattern_add(problem *p) {
  pattern t = {0};
  if (find_elements(p, &t) && find_rows(p, &t))
    add_places(p, &t);
  else
    p->failed = true;
  free(t.first);
  free(t.element);
  free(t.start);
  free(t.column);
}

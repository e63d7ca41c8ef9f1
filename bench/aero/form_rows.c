/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "common/reference.h"
#include "reference.h"

/* The matrix is stored in rows, each with its columns in ascending order, or in slices of eight
 * rows side by side, with a vector for each column; rows are slices of one. An iteration is three
 * passes over the nodes, the first of which computes the product together with p.v. */

enum { LANES = 8, AHEAD = 1024 }; /* values that are prefetched */

static int lanes; /* rows in a slice */
static int64_t slices;
static int32_t *start, *column; /* [slices + 1], begin of each slice; [values], columns */
static int32_t *place;          /* [ncell][4][4], index of each value of a cell in `value` */
static double *value;

static void finish(void) {
  free(start);
  free(column);
  free(place);
  free(value);
}

/* ---- positions of values ---- */

/* List the cells round each node: those of node i are list[first[i]] to list[first[i + 1] - 1]. */
static void list_cells(const flow *f, int32_t *first, int32_t *list) {
  for (int64_t i = 0; i < 4 * f->ncell; i++) first[f->cell[i] + 2]++;
  for (int64_t i = 2; i < f->nnode + 2; i++) first[i] += first[i - 1];
  for (int64_t i = 0; i < 4 * f->ncell; i++) list[first[f->cell[i] + 1]++] = (int32_t)(i / 4);
}

/* Insert a number into n ascending ones, unless it is there. Returns how many there are then. */
static int insert(int32_t *row, int n, int32_t number) {
  int at = n;
  while (at > 0 && row[at - 1] > number) at--;
  if (at > 0 && row[at - 1] == number) return n;
  memmove(row + at + 1, row + at, (size_t)(n - at) * sizeof *row);
  row[at] = number;
  return n + 1;
}

/* List the columns of row i, which may be past the last row and then has none; returns their
 * number. */
static int list_row(const flow *f, const int32_t *first, const int32_t *list, int64_t i,
                    int32_t *row) {
  int n = 0;
  for (int32_t l = i < f->nnode ? first[i] : 0; i < f->nnode && l < first[i + 1]; l++)
    for (int k = 0; k < 4; k++) n = insert(row, n, f->cell[4 * (int64_t)list[l] + k]);
  return n;
}

/* A slice is as long as its longest row. */
static void measure(const flow *f, const int32_t *first, const int32_t *list, int32_t *row) {
  for (int64_t s = 0; s < slices; s++) {
    int most = 0;
    for (int lane = 0; lane < lanes; lane++) {
      const int n = list_row(f, first, list, s * lanes + lane, row);
      if (most < n) most = n;
    }
    start[s + 1] = start[s] + most * lanes;
  }
}

/* A short row is padded with zeros, in a column that it has already. */
static void fill(const flow *f, const int32_t *first, const int32_t *list, int32_t *row) {
  for (int64_t i = 0; i < slices * lanes; i++) {
    const int32_t from = start[i / lanes], most = (start[i / lanes + 1] - from) / lanes;
    const int n = list_row(f, first, list, i, row);
    for (int k = 0; k < most; k++) column[from + k * lanes + i % lanes] = row[k < n ? k : 0];
  }
}

static void find_places(const flow *f) {
  for (int64_t i = 0; i < 16 * f->ncell; i++) {
    const int32_t *node = f->cell + i / 16 * 4, row = node[i % 16 / 4];
    int32_t at = start[row / lanes] + row % lanes;
    while (column[at] != node[i % 4]) at += lanes;
    place[i] = at;
  }
}

static bool find_columns(const flow *f, int32_t *first, int32_t *list) {
  int32_t most = 0;
  list_cells(f, first, list);
  for (int64_t i = 0; i < f->nnode; i++)
    if (most < first[i + 1] - first[i]) most = first[i + 1] - first[i];
  int32_t *row = calloc(4 * (size_t)most + 1, sizeof *row);
  if (row) measure(f, first, list, row);
  const size_t n = row ? (size_t)start[slices] : 0;
  column = reference_alloc(n * sizeof *column);
  value = reference_alloc(n * sizeof *value);
  const bool good = row && column && value;
  if (good) fill(f, first, list, row);
  free(row);
  return good;
}

static int prepare(const flow *f, bench_error *error) {
  const size_t corners = 4 * (size_t)f->ncell, nodes = (size_t)f->nnode;
  int32_t *first = calloc(nodes + 2, sizeof *first), *list = malloc(corners * sizeof *list);
  slices = (f->nnode + lanes - 1) / lanes;
  start = reference_alloc(((size_t)slices + 1) * sizeof *start);
  place = reference_alloc(4 * corners * sizeof *place);
  const bool good = first && list && start && place && find_columns(f, first, list);
  if (good) find_places(f);
  free(first);
  free(list);
  return good ? 0 : bench_fail(error, "out of memory for the matrix");
}

static int prepare_rows(const flow *f, bench_error *error) {
  lanes = 1;
  return prepare(f, error);
}

static int prepare_slices(const flow *f, bench_error *error) {
  lanes = LANES;
  return prepare(f, error);
}

/* ---- values ---- */

static void clear(const flow *f) {
  (void)f;
#pragma omp parallel for schedule(static)
  for (int32_t i = 0; i < start[slices]; i++) value[i] = 0;
}

static void store(const flow *f, int64_t c, const double k[4][4]) {
  (void)f;
  for (int i = 0; i < 16; i++) value[place[16 * c + i]] += k[i / 4][i % 4];
}

/* ---- an iteration ---- */

/* v = K p; returns p.v. */
static double multiply_rows(const flow *f) {
  const double *restrict p = f->p;
  double *restrict v = f->v, pv = 0;
#pragma omp parallel for schedule(static) reduction(+ : pv)
  for (int64_t i = 0; i < f->nnode; i++) {
    double row = 0;
    for (int32_t l = start[i]; l < start[i + 1]; l++) row += value[l] * p[column[l]];
    v[i] = row;
    pv += row * p[i];
  }
  return pv;
}

/* The vectors are padded to whole slices; padding rows are zero. */
static double multiply_slices(const flow *f) {
  const double *restrict p = f->p;
  double *restrict v = f->v, pv = 0;
#pragma omp parallel for schedule(static) reduction(+ : pv)
  for (int64_t s = 0; s < slices; s++) {
    double row[LANES] = {0}, sum = 0;
    for (int32_t l = start[s]; l < start[s + 1]; l += LANES) {
      __builtin_prefetch(value + l + AHEAD);
      __builtin_prefetch(column + l + AHEAD);
#pragma omp simd
      for (int k = 0; k < LANES; k++) row[k] += value[l + k] * p[column[l + k]];
    }
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < LANES; k++) {
      v[LANES * s + k] = row[k];
      sum += row[k] * p[LANES * s + k];
    }
    pv += sum;
  }
  return pv;
}

/* r -= step v; returns r.r. */
static double pass_r(const flow *f, double step) {
  double *restrict r = f->r, *restrict v = f->v, rr = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : rr)
  for (int64_t i = 0; i < f->nnode; i++) {
    r[i] -= step * v[i];
    rr += r[i] * r[i];
  }
  return rr;
}

static double iterate_rows(const flow *f, double rr) {
  const double step = flow_quotient(rr, multiply_rows(f)), next = pass_r(f, step);
  flow_pass_p(f, step, flow_quotient(next, rr));
  return next;
}

static double iterate_slices(const flow *f, double rr) {
  const double step = flow_quotient(rr, multiply_slices(f)), next = pass_r(f, step);
  flow_pass_p(f, step, flow_quotient(next, rr));
  return next;
}

const form form_csr = {.name = "csr",
                       .inside = true,
                       .prepare = prepare_rows,
                       .clear = clear,
                       .store = store,
                       .iterate = iterate_rows,
                       .finish = finish};

const form form_slices = {.name = "slices",
                          .inside = true,
                          .prepare = prepare_slices,
                          .clear = clear,
                          .store = store,
                          .iterate = iterate_slices,
                          .finish = finish};

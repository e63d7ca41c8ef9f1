/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

static bool good(op2_status status) {
  if (status) fprintf(stderr, "kernels: %s\n", op2_error_message());
  return !status;
}

bool ours_init(const char *backend, int threads, bool scalar, op2_context *ctx) {
  const char *before = getenv("OP2_SIMD");
  char *kept = before ? strdup(before) : NULL;
  if (scalar) setenv("OP2_SIMD", "0", 1);
  const bool started = good(op2_init(&(op2_options){.backend = backend, .threads = threads}, ctx));
  if (scalar) kept ? setenv("OP2_SIMD", kept, 1) : unsetenv("OP2_SIMD");
  free(kept);
  return started;
}

static op2_status make_matrix(ours *o, const problem *p) {
  const op2_map map = o->map[p->matrix - 1];
  const op2_map_pair pair = {map, map};
  op2_status status = op2_sparsity_create(1, &pair, "pattern", &o->sparsity);
  if (!status) status = op2_mat_create(o->sparsity, 1, 1, OP2_F64, "matrix", &o->mat);
  return status;
}

/* Dat 0 of a problem with a matrix is the nonzeros of that. */
static bool is_matrix(const problem *p, int dat) { return p->matrix && dat == 0; }

static op2_status make(ours *o, const yardstick *y, const problem *p) {
  op2_status status = OP2_SUCCESS;
  char name[16];
  for (int s = 0; s < p->nset && !status; s++) {
    snprintf(name, sizeof name, "set%d", s);
    status = op2_set_create(o->ctx, p->size[s], name, &o->set[s]);
  }
  for (int m = 0; m < p->nmap && !status; m++) {
    const problem_map *map = &p->map[m];
    snprintf(name, sizeof name, "map%d", m);
    if (!map->by_hand)
      status = op2_map_create(o->set[map->from], o->set[map->to], map->arity, map->rows, name,
                              &o->map[m]);
  }
  for (int d = 0; d < p->ndat && !status; d++) {
    const problem_dat *dat = &p->dat[d];
    snprintf(name, sizeof name, "dat%d", d);
    if (dat->set < 0)
      status = op2_gbl_create(o->ctx, dat->dim, dat->type, dat->data, name, &o->gbl[d]);
    else if (!is_matrix(p, d))
      status = op2_dat_create(o->set[dat->set], dat->dim, dat->type, dat->data, name, &o->dat[d]);
  }
  for (int k = 0; k < MOST_KERNELS && y->kernel[k] && !status; k++)
    status = op2_kernel_create(o->ctx, y->kernel[k], &o->kernel[k]);
  if (y->most && !status) status = op2_gbl_create(o->ctx, 1, OP2_F64, NULL, "most", &o->most);
  if (p->matrix && !status) status = make_matrix(o, p);
  return status;
}

bool ours_make(ours *o, const yardstick *y, const problem *p) { return good(make(o, y, p)); }

void ours_free(ours *o) {
  op2_gbl_destroy(&o->most);
  op2_mat_destroy(&o->mat);
  op2_sparsity_destroy(&o->sparsity);
  for (int k = 0; k < MOST_KERNELS; k++) op2_kernel_destroy(&o->kernel[k]);
  for (int d = 0; d < MOST_DATS; d++) op2_dat_destroy(&o->dat[d]), op2_gbl_destroy(&o->gbl[d]);
  for (int m = 0; m < MOST_MAPS; m++) op2_map_destroy(&o->map[m]);
  for (int s = 0; s < MOST_SETS; s++) op2_set_destroy(&o->set[s]);
}

bool ours_run(ours *o, const yardstick *y) {
  const op2_status status = y->queue(o);
  return good(status ? status : op2_flush(o->ctx));
}

static bool compare(const ours *o, problem *p, int dat, bool *same) {
  const size_t bytes = problem_bytes(p, dat);
  void *values = malloc(bytes);
  if (!values) return good(OP2_ERR_NOMEM);
  if (!good(is_matrix(p, dat) ? op2_mat_get(o->mat, values) : op2_dat_get(o->dat[dat], values))) {
    free(values);
    return false;
  }
  if (!p->dat[dat].expected) {
    p->dat[dat].expected = values;
    return true;
  }
  *same = *same && !memcmp(values, p->dat[dat].expected, bytes);
  free(values);
  return true;
}

bool ours_compare(const ours *o, problem *p, bool *same) {
  bool right = true;
  for (int d = 0; d < p->ndat && right; d++)
    if (p->dat[d].use & WRITTEN) right = compare(o, p, d, same);
  return right;
}

/* True if what op2_explain() says has a loop with vector code of which no line tells of a trial of its
 * scalar code. The trial of prefetches comes before that. */
static bool on_trial(const char *text) {
  bool waits = false;
  for (const char *line = text; *line && !(waits && strncmp(line, "    ", 4));) {
    const size_t length = strcspn(line, "\n");
    char copy[512];
    snprintf(copy, sizeof copy, "%.*s", (int)length, line);
    if (!strncmp(copy, "    vector code, ", 17)) waits = true;
    if (strstr(copy, " no trial of both forms")) waits = false;
    if (strstr(copy, " of the time of vector code in a trial of ")) waits = false;
    line += length + (line[length] != 0);
  }
  return waits;
}

static bool tries(const ours *o, bool *trying) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return good(OP2_ERR_NOMEM);
  const op2_status status = op2_explain(o->ctx, stream);
  const bool written = !fclose(stream);
  *trying = written && on_trial(text);
  free(text);
  return good(status ? status : written ? OP2_SUCCESS : OP2_ERR_IO);
}

bool ours_try(ours *o, const yardstick *y) {
  enum { STEPS = 32 };
  const double until = clock_now() + 30;
  bool trying = false;
  if (!tries(o, &trying)) return false;
  while (trying && clock_now() < until) {
    for (int k = 0; k < STEPS; k++)
      if (!ours_run(o, y)) return false;
    if (!tries(o, &trying)) return false;
  }
  return true;
}

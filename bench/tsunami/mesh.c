/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mesh_fail(mesh_error *error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  return -1;
}

int mesh_alloc(mesh *m, mesh_error *error) {
  m->x = malloc((size_t)m->nnode * 2 * sizeof *m->x);
  m->cell = malloc((size_t)m->ncell * 3 * sizeof *m->cell);
  m->edge = malloc((size_t)m->nedge * 2 * sizeof *m->edge);
  m->ecell = malloc((size_t)m->nedge * 2 * sizeof *m->ecell);
  m->bedge = malloc((size_t)m->nbedge * 2 * sizeof *m->bedge);
  m->becell = malloc((size_t)m->nbedge * sizeof *m->becell);
  if (m->x && m->cell && m->edge && m->ecell && m->bedge && m->becell) return 0;
  mesh_free(m);
  return mesh_fail(error, "out of memory for the mesh");
}

void mesh_free(mesh *m) {
  free(m->x);
  free(m->cell);
  free(m->edge);
  free(m->ecell);
  free(m->bedge);
  free(m->becell);
  *m = (mesh){0};
}

uint64_t mesh_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Digits at *text, which is moved behind them; a number too large becomes the largest. */
static bool read_size(const char **text, int64_t *value) {
  char *end;
  if (strspn(*text, "0123456789") == 0) return false;
  errno = 0;
  *value = strtoll(*text, &end, 10);
  if (errno == ERANGE) *value = INT64_MAX;
  *text = end;
  return true;
}

int mesh_open(const char *spec, mesh *m, mesh_error *error) {
  int64_t ni, nj;
  const char *at = spec;
  if (strcmp(spec, "classic") == 0) return mesh_generate(500, 500, m, error);
  if (read_size(&at, &ni) && *at++ == 'x' && read_size(&at, &nj) && !*at)
    return mesh_generate(ni, nj, m, error);
  return mesh_fail(error, "a mesh is classic or, say, 40x30, not %s", spec);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <errno.h>
#include <stdarg.h>
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

/* A mesh may be without edges of one kind, and malloc(0) may return null. */
static void *array(int64_t n, size_t width) { return malloc((size_t)(n > 0 ? n : 1) * width); }

int mesh_alloc(mesh *m, mesh_error *error) {
  m->x = array(2 * m->nnode, sizeof *m->x);
  m->cell = array(4 * m->ncell, sizeof *m->cell);
  m->edge = array(2 * m->nedge, sizeof *m->edge);
  m->ecell = array(2 * m->nedge, sizeof *m->ecell);
  m->bedge = array(2 * m->nbedge, sizeof *m->bedge);
  m->becell = array(m->nbedge, sizeof *m->becell);
  m->bound = array(m->nbedge, sizeof *m->bound);
  if (m->x && m->cell && m->edge && m->ecell && m->bedge && m->becell && m->bound) return 0;
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
  free(m->bound);
  *m = (mesh){0};
}

/* Reads "IxJ"; 0 when the text has another form, and is a file's name then. */
static int parse_size(const char *spec, int64_t *I, int64_t *J) {
  if (strspn(spec, "0123456789") == 0) return 0;
  char *end;
  errno = 0;
  *I = strtoll(spec, &end, 10);
  if (*end != 'x' || strspn(end + 1, "0123456789") == 0) return 0;
  *J = strtoll(end + 1, &end, 10);
  if (errno == ERANGE) *I = INT64_MAX;
  return *end == '\0';
}

int mesh_open(const char *spec, mesh *m, mesh_error *error) {
  int64_t I, J;
  if (strcmp(spec, "classic") == 0) return mesh_generate(400, 600, m, error);
  if (parse_size(spec, &I, &J)) return mesh_generate(I, J, m, error);
  return mesh_read(spec, m, error);
}

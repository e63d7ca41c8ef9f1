/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "mesh.h"

/* OP2's text file: four counts, then the nodes' coordinates, then per cell 4 nodes, per edge 2
 * nodes and 2 cells, per boundary edge 2 nodes, 1 cell and 1 type. White space of any kind
 * separates, indices start from 0. */

/* ---- reading ---- */

typedef struct scanner {
  const char *path;
  char *text; /* the whole file, ended by a NUL */
  const char *at, *end;
  int64_t line;
  bench_error *error;
} scanner;

/* What is read now, in words for messages: "node 2 of edge 17", or `part` alone when `of` is null.
 */
typedef struct item {
  const char *part;
  int slot; /* -1: the part has no number */
  const char *of;
  int64_t element;
} item;

static int load(scanner *s) {
  size_t size;
  if (text_load(s->path, &s->text, &size, s->error)) return -1;
  s->at = s->text;
  s->end = s->text + size;
  s->line = 1;
  return 0;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_space(scanner *s) {
  for (; is_space(*s->at); s->at++) s->line += *s->at == '\n';
}

static int fail_item(const scanner *s, const item *what, const char *problem) {
  char name[128];
  int n = snprintf(name, sizeof name, "%s", what->part);
  if (what->slot >= 0) n += snprintf(name + n, sizeof name - (size_t)n, " %d", what->slot);
  if (what->of)
    snprintf(name + n, sizeof name - (size_t)n, " of %s %lld", what->of, (long long)what->element);
  if (s->at == s->end)
    return bench_fail(s->error, "%s:%lld: the file ends before %s", s->path, (long long)s->line,
                      name);
  const int word = (int)strcspn(s->at, " \t\n\v\f\r");
  return bench_fail(s->error, "%s:%lld: %s %s, not \"%.*s\"", s->path, (long long)s->line, name,
                    problem, word > 40 ? 40 : word, s->at);
}

/* A decimal integer in [low, high]. */
static int read_int(scanner *s, const item *what, int64_t low, int64_t high, int32_t *value) {
  skip_space(s);
  const char *at = s->at;
  const bool negative = *at == '-';
  at += negative;
  const char *first = at;
  int64_t v = 0;
  for (; *at >= '0' && *at <= '9'; at++) v = v > INT32_MAX ? v : 10 * v + (*at - '0');
  if (at == first || (at != s->end && !is_space(*at)))
    return fail_item(s, what, "must be an integer");
  if (negative) v = -v;
  if (v < low || v > high) {
    char range[80];
    snprintf(range, sizeof range, "must be in [%lld, %lld]", (long long)low, (long long)high);
    return fail_item(s, what, range);
  }
  s->at = at;
  *value = (int32_t)v;
  return 0;
}

static int read_coordinate(scanner *s, const item *what, double *value) {
  skip_space(s);
  char *at;
  *value = strtod(s->at, &at);
  if (at == s->at || (at != s->end && !is_space(*at)) || !isfinite(*value))
    return fail_item(s, what, "must be a finite number");
  s->at = at;
  return 0;
}

static int read_counts(scanner *s, mesh *m) {
  static const char *const names[4] = {"the number of nodes", "the number of cells",
                                       "the number of edges", "the number of boundary edges"};
  int32_t count[4];
  for (int k = 0; k < 4; k++)
    if (read_int(s, &(item){.part = names[k], .slot = -1}, k < 2, INT32_MAX, &count[k])) return -1;
  *m = (mesh){.nnode = count[0], .ncell = count[1], .nedge = count[2], .nbedge = count[3]};
  /* every number takes a digit and a separator: refuse absurd counts before allocating for them */
  const int64_t numbers = 2 * m->nnode + 4 * (m->ncell + m->nedge + m->nbedge);
  if (2 * numbers > s->end - s->at + 1)
    return bench_fail(
        s->error,
        "%s:%lld: these counts need %lld numbers more, and the file is too short for them", s->path,
        (long long)s->line, (long long)numbers);
  return 0;
}

static int read_row(scanner *s, int32_t *row, int n, item *what, int64_t size) {
  for (int k = 0; k < n; k++) {
    what->slot = n > 1 ? k : -1;
    if (read_int(s, what, 0, size - 1, row + k)) return -1;
  }
  return 0;
}

static int read_nodes(scanner *s, mesh *m) {
  for (int64_t i = 0; i < 2 * m->nnode; i++)
    if (read_coordinate(s, &(item){"coordinate", (int)(i % 2), "node", i / 2}, m->x + i)) return -1;
  return 0;
}

static int read_elements(scanner *s, mesh *m) {
  for (int64_t c = 0; c < m->ncell; c++)
    if (read_row(s, m->cell + 4 * c, 4, &(item){"node", 0, "cell", c}, m->nnode)) return -1;
  for (int64_t e = 0; e < m->nedge; e++) {
    if (read_row(s, m->edge + 2 * e, 2, &(item){"node", 0, "edge", e}, m->nnode)) return -1;
    if (read_row(s, m->ecell + 2 * e, 2, &(item){"cell", 0, "edge", e}, m->ncell)) return -1;
  }
  for (int64_t b = 0; b < m->nbedge; b++) {
    if (read_row(s, m->bedge + 2 * b, 2, &(item){"node", 0, "boundary edge", b}, m->nnode))
      return -1;
    if (read_row(s, m->becell + b, 1, &(item){"the cell", -1, "boundary edge", b}, m->ncell))
      return -1;
    if (read_int(s, &(item){"the type", -1, "boundary edge", b}, MESH_WALL, MESH_FAR_FIELD,
                 m->bound + b))
      return -1;
  }
  return 0;
}

int mesh_read(const char *path, mesh *m, bench_error *error) {
  scanner s = {.path = path, .error = error};
  mesh made = {0};
  if (load(&s)) return -1;
  int rc = read_counts(&s, &made);
  if (rc == 0) rc = mesh_alloc(&made, error);
  if (rc == 0) rc = read_nodes(&s, &made);
  if (rc == 0) rc = read_elements(&s, &made);
  if (rc == 0) {
    skip_space(&s);
    if (s.at != s.end)
      rc = bench_fail(error, "%s:%lld: text after the last boundary edge", path, (long long)s.line);
  }
  free(s.text);
  if (rc)
    mesh_free(&made);
  else
    *m = made;
  return rc;
}

/* ---- writing ---- */

/* Six decimals where they give the value back, as for every generated mesh, and otherwise all that
 * it needs. */
static void write_coordinate(FILE *file, double v, char after) {
  char text[400];
  snprintf(text, sizeof text, "%f", v);
  if (strtod(text, NULL) != v) snprintf(text, sizeof text, "%.17g", v);
  fputs(text, file);
  fputc(after, file);
}

static void write_body(const mesh *m, FILE *file) {
  fprintf(file, "%lld %lld %lld %lld\n", (long long)m->nnode, (long long)m->ncell,
          (long long)m->nedge, (long long)m->nbedge);
  for (int64_t i = 0; i < m->nnode; i++) {
    write_coordinate(file, m->x[2 * i], ' ');
    write_coordinate(file, m->x[2 * i + 1], '\n');
  }
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *n = m->cell + 4 * c;
    fprintf(file, "%d %d %d %d\n", n[0], n[1], n[2], n[3]);
  }
  for (int64_t e = 0; e < m->nedge; e++) {
    const int32_t *n = m->edge + 2 * e, *c = m->ecell + 2 * e;
    fprintf(file, "%d %d %d %d\n", n[0], n[1], c[0], c[1]);
  }
  for (int64_t b = 0; b < m->nbedge; b++)
    fprintf(file, "%d %d %d %d\n", m->bedge[2 * b], m->bedge[2 * b + 1], m->becell[b], m->bound[b]);
}

int mesh_write(const mesh *m, const char *path, bench_error *error) {
  FILE *file = fopen(path, "wb");
  if (!file) return bench_fail(error, "%s: %s", path, strerror(errno));
  setvbuf(file, NULL, _IOFBF, (size_t)1 << 20);
  write_body(m, file);
  const bool failed = ferror(file) != 0;
  if (fclose(file) || failed)
    return bench_fail(error, "%s: could not be written: %s", path, strerror(errno));
  return 0;
}

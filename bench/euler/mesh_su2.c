/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "mesh.h"

/* SU2's mesh file: lines `KEY= value`, of which NPOIN, NELEM and MARKER_ELEMS are followed by as
 * many rows as they say. Percent signs begin comments. The sections may come in any order, so they
 * are found first and read after that: nodes, cells, markers. */

#define BLANKS " \t\v\f\r"

enum { TYPE_LINE = 3, TYPE_TRIANGLE = 5, TYPE_QUADRILATERAL = 9 };

/* Lines of the file, each ended by a NUL and without its comment. */
typedef struct reader {
  const char *path;
  const char *at; /* position in the present line */
  const char *next, *end;
  int64_t line; /* number of the present line */
  bench_error *error;
} reader;

/* A key with its rows; `from` is a reader at the first of them. */
typedef struct section {
  const char *key; /* null: not in the file */
  int64_t rows;
  reader from;
} section;

typedef struct su2 {
  bool plane; /* True if NDIME= 2 was there */
  int64_t nmark;
  section points, elements, markers[MESH_MARKERS];
  int nmarker;
  char marker_name[MESH_MARKERS][MESH_NAME];
} su2;

/* ---- lines and numbers ---- */

static void cut_lines(char *text, size_t size) {
  bool comment = false;
  for (size_t i = 0; i < size; i++) {
    comment = text[i] != '\n' && (comment || text[i] == '%');
    if (comment) text[i] = ' ';
    if (text[i] == '\n') text[i] = '\0';
  }
}

/* Go to the next line that is not blank; returns false if there is none. */
static bool next_line(reader *r) {
  while (r->next < r->end) {
    r->at = r->next + strspn(r->next, BLANKS);
    r->next += strlen(r->next) + 1;
    r->line++;
    if (*r->at) return true;
  }
  return false;
}

__attribute__((format(printf, 2, 3))) static int fail_at(const reader *r, const char *format, ...) {
  char text[300];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return bench_fail(r->error, "%s:%lld: %s", r->path, (long long)r->line, text);
}

static int fail_word(const reader *r, const char *what, const char *problem) {
  const int word = (int)strcspn(r->at, BLANKS);
  if (word == 0) return fail_at(r, "the line ends before %s", what);
  return fail_at(r, "%s %s, not \"%.*s\"", what, problem, word > 40 ? 40 : word, r->at);
}

/* True if a number that began at r->at and ended at `after` is a word of its own. */
static bool is_word(const reader *r, const char *after) {
  return after != r->at && (!*after || strchr(BLANKS, *after));
}

static int read_int(reader *r, const char *what, int64_t low, int64_t high, int64_t *value) {
  char range[80], *after;
  r->at += strspn(r->at, BLANKS);
  const long long v = strtoll(r->at, &after, 10);
  snprintf(range, sizeof range, "must be an integer from %lld to %lld", (long long)low,
           (long long)high);
  if (!is_word(r, after) || v < low || v > high) return fail_word(r, what, range);
  r->at = after;
  *value = v;
  return 0;
}

static int read_real(reader *r, const char *what, double *value) {
  char *after;
  r->at += strspn(r->at, BLANKS);
  *value = strtod(r->at, &after);
  if (!is_word(r, after) || !isfinite(*value)) return fail_word(r, what, "must be a finite number");
  r->at = after;
  return 0;
}

static int read_nodes(reader *r, int64_t nnode, int n, int32_t *node) {
  for (int k = 0; k < n; k++) {
    int64_t value;
    if (read_int(r, "a node", 0, nnode - 1, &value)) return -1;
    node[k] = (int32_t)value;
  }
  return 0;
}

/* ---- sections ---- */

/* A row takes at least two numbers, so absurd counts are refused before memory is allocated for
 * them. */
static int begin_section(const char *key, reader *r, int64_t least, section *s) {
  if (s->key) return fail_at(r, "a second %s", key);
  if (read_int(r, key, least, INT32_MAX / 6, &s->rows)) return -1;
  if (4 * s->rows > r->end - r->next + 1)
    return fail_at(r, "%s is %lld, and the file is too short for that", key, (long long)s->rows);
  s->key = key;
  s->from = *r;
  return 0;
}

static int begin_marker(reader *r, su2 *s) {
  const size_t length = strcspn(r->at += strspn(r->at, BLANKS), BLANKS);
  if (s->nmarker == MESH_MARKERS) return fail_at(r, "more than %d markers", MESH_MARKERS);
  if (length == 0) return fail_at(r, "a marker without a name");
  if (length >= MESH_NAME)
    return fail_at(r, "a marker's name has at most %d letters", MESH_NAME - 1);
  memcpy(s->marker_name[s->nmarker++], r->at, length);
  return 0;
}

/* Read a line `KEY= value`; r is at the value. Keys of other programs are ignored. */
static int take_key(reader *r, const char *key, size_t length, su2 *s) {
  static const char *const keys[] = {"NDIME", "NPOIN",      "NELEM",
                                     "NMARK", "MARKER_TAG", "MARKER_ELEMS"};
  size_t k = 0;
  int64_t value;
  while (k < 6 && (strlen(keys[k]) != length || memcmp(keys[k], key, length))) k++;
  switch (k) {
  case 0: s->plane = true; return read_int(r, keys[0], 2, 2, &value);
  case 1: return begin_section(keys[1], r, 3, &s->points);
  case 2: return begin_section(keys[2], r, 1, &s->elements);
  case 3: return read_int(r, keys[3], 0, MESH_MARKERS, &s->nmark);
  case 4: return begin_marker(r, s);
  case 5:
    if (s->nmarker == 0) return fail_at(r, "MARKER_ELEMS without a MARKER_TAG before it");
    return begin_section(keys[5], r, 0, &s->markers[s->nmarker - 1]);
  default: return 0;
  }
}

static int find_sections(reader r, su2 *s) {
  *s = (su2){.nmark = -1};
  while (next_line(&r)) {
    const char *key = r.at, *equals = strchr(key, '=');
    if (!equals) continue;
    r.at = equals + 1;
    if (take_key(&r, key, strcspn(key, "=" BLANKS), s)) return -1;
  }
  const char *missing = !s->plane          ? "NDIME= 2"
                        : !s->points.key   ? "NPOIN"
                        : !s->elements.key ? "NELEM"
                        : s->nmark < 0     ? "NMARK"
                                           : NULL;
  if (missing) return fail_at(&r, "the file ends without %s", missing);
  if (s->nmark != s->nmarker)
    return fail_at(&r, "NMARK is %lld, and the file has %d markers", (long long)s->nmark,
                   s->nmarker);
  for (int k = 0; k < s->nmarker; k++)
    if (!s->markers[k].key)
      return fail_at(&r, "marker '%s' is without MARKER_ELEMS", s->marker_name[k]);
  return 0;
}

/* Go to row i of a section. */
static int next_row(reader *r, const section *s, int64_t i) {
  if (next_line(r) && !strchr(r->at, '=')) return 0;
  return fail_at(r, "%s is %lld, and %lld rows follow it", s->key, (long long)s->rows,
                 (long long)i);
}

static int end_section(reader *r, const section *s) {
  if (!next_line(r) || strchr(r->at, '=')) return 0;
  return fail_at(r, "%s is %lld, and more rows follow it", s->key, (long long)s->rows);
}

/* ---- nodes ---- */

/* Elements refer to the order of the points. A number after a point is ignored: in some files of
 * SU2's own tutorials it is a different one. */
static int read_points(const section *s, double *x) {
  reader r = s->from;
  for (int64_t i = 0; i < s->rows; i++) {
    int64_t number;
    if (next_row(&r, s, i) || read_real(&r, "a coordinate", x + 2 * i) ||
        read_real(&r, "a coordinate", x + 2 * i + 1))
      return -1;
    r.at += strspn(r.at, BLANKS);
    if (*r.at && read_int(&r, "the point's number", 0, INT64_MAX, &number)) return -1;
  }
  return end_section(&r, s);
}

/* ---- cells ---- */

static double area(const double *x, int32_t a, int32_t b, int32_t c) {
  const double *pa = x + 2 * (int64_t)a, *pb = x + 2 * (int64_t)b, *pc = x + 2 * (int64_t)c;
  return 0.5 * ((pb[0] - pa[0]) * (pc[1] - pa[1]) - (pc[0] - pa[0]) * (pb[1] - pa[1]));
}

/* Add a triangle if it runs counter-clockwise. */
static bool add_triangle(mesh *m, int32_t a, int32_t b, int32_t c) {
  if (!(area(m->x, a, b, c) > 0)) return false;
  int32_t *cell = m->cell + 3 * m->ncell++;
  cell[0] = a;
  cell[1] = b;
  cell[2] = c;
  return true;
}

/* Either diagonal is used that lies inside. */
static bool add_quadrilateral(mesh *m, int32_t a, int32_t b, int32_t c, int32_t d) {
  const int64_t before = m->ncell;
  if (add_triangle(m, a, b, c) && add_triangle(m, a, c, d)) return true;
  m->ncell = before;
  if (add_triangle(m, a, b, d) && add_triangle(m, b, c, d)) return true;
  m->ncell = before;
  return false;
}

/* Either sense of rotation is accepted. */
static int read_cell(reader *r, mesh *m) {
  int64_t type;
  int32_t n[4];
  if (read_int(r, "the type of an element", 0, INT32_MAX, &type)) return -1;
  if (type != TYPE_TRIANGLE && type != TYPE_QUADRILATERAL)
    return fail_at(r, "elements are triangles (5) and quadrilaterals (9), not %lld",
                   (long long)type);
  if (read_nodes(r, m->nnode, type == TYPE_TRIANGLE ? 3 : 4, n)) return -1;
  const bool good = type == TYPE_TRIANGLE
                        ? add_triangle(m, n[0], n[1], n[2]) || add_triangle(m, n[0], n[2], n[1])
                        : add_quadrilateral(m, n[0], n[1], n[2], n[3]) ||
                              add_quadrilateral(m, n[0], n[3], n[2], n[1]);
  return good ? 0 : fail_at(r, "the element has no area, or crosses itself");
}

static int read_cells(const section *s, mesh *m) {
  reader r = s->from;
  m->ncell = 0;
  for (int64_t i = 0; i < s->rows; i++)
    if (next_row(&r, s, i) || read_cell(&r, m)) return -1;
  return end_section(&r, s);
}

/* ---- markers ---- */

static int read_marker(const section *s, int marker, mesh *m) {
  reader r = s->from;
  for (int64_t i = 0; i < s->rows; i++) {
    int64_t type;
    if (next_row(&r, s, i) || read_int(&r, "the type of a boundary element", 0, INT32_MAX, &type))
      return -1;
    if (type != TYPE_LINE)
      return fail_at(&r, "boundary elements are lines (3), not %lld", (long long)type);
    if (read_nodes(&r, m->nnode, 2, m->bedge + 2 * m->nbedge)) return -1;
    m->marker[m->nbedge++] = marker;
  }
  return end_section(&r, s);
}

static int read_markers(const su2 *s, mesh *m) {
  m->nbedge = 0;
  m->nmarker = s->nmarker;
  memcpy(m->marker_name, s->marker_name, sizeof m->marker_name);
  for (int k = 0; k < s->nmarker; k++)
    if (read_marker(&s->markers[k], k, m)) return -1;
  return 0;
}

/* ---- reading a file ---- */

static int read_sections(const su2 *s, mesh *m, bench_error *error) {
  m->nnode = s->points.rows;
  m->ncell = 2 * s->elements.rows; /* capacity for as many triangles */
  for (int k = 0; k < s->nmarker; k++) m->nbedge += s->markers[k].rows;
  if (mesh_alloc(m, error)) return -1;
  return read_points(&s->points, m->x) || read_cells(&s->elements, m) || read_markers(s, m) ? -1
                                                                                            : 0;
}

int mesh_read(const char *path, mesh *m, bench_error *error) {
  char *text;
  size_t size;
  su2 s;
  if (text_load(path, &text, &size, error)) return -1;
  cut_lines(text, size);
  const reader r = {.path = path, .next = text, .end = text + size, .error = error};
  *m = (mesh){.name = path};
  int rc = find_sections(r, &s);
  if (rc == 0) rc = read_sections(&s, m, error);
  free(text);
  if (rc) mesh_free(m);
  return rc;
}

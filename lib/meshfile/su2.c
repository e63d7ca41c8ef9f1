/* SPDX-License-Identifier: BSD-3-Clause */
/* SU2's native mesh files: lines KEYWORD= value, each followed by as many lines as the value says. */
#include <inttypes.h>
#include <string.h>

#include "meshfile_formats.h"

struct su2 {
  struct op2i_scan *scan;
  struct op2i_raw *raw;
  int64_t dimension;
  int64_t markers, read; /* as the file says, and those that were read */
  bool unknown;          /* the last keyword is one that is not read, nor the lines behind it */
  bool has_points, has_elements;
};

/* Go to the next line that is neither empty nor a comment; false at the end of the file. */
static bool next_line(struct op2i_scan *scan) {
  op2i_scan_space(scan);
  while (scan->at < scan->end && *scan->at == '%') {
    op2i_scan_line(scan);
    op2i_scan_space(scan);
  }
  return scan->at < scan->end;
}

/* Skip "WORD=", with spaces around the sign, if it comes next. */
static bool key(struct op2i_scan *scan, const char *word) {
  const char *before = scan->at;
  size_t length = strlen(word);
  if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) return false;
  scan->at += length;
  if (op2i_scan_in_line(scan) && *scan->at == '=') {
    scan->at++;
    return true;
  }
  scan->at = before;
  return false;
}

bool op2i_su2_recognise(const struct op2i_scan *scan) {
  struct op2i_scan look = *scan;
  while (next_line(&look)) {
    if (key(&look, "NDIME") || key(&look, "NZONE")) return true;
    op2i_scan_line(&look);
  }
  return false;
}

/* Read "vtk-type node ...", up to the end of the line, which may have a number of the element. */
static bool read_element(struct su2 *su2, int dimension, int64_t tag) {
  struct op2i_scan *scan = su2->scan;
  int64_t type, *nodes;
  if (!next_line(scan)) return op2i_scan_fail(scan, "the file ends where an element should be");
  if (!op2i_scan_int(scan, "the type of an element", &type)) return false;
  const int kind = op2i_linear_kind_of_vtk(type);
  if (kind < 0 || op2i_cell_kinds[kind].dimension != dimension)
    return op2i_scan_fail(scan, "an element of type %" PRId64 " among those of dimension %d", type,
                          dimension);
  if (!op2i_raw_element(su2->raw, kind, tag, &nodes)) return op2i_scan_nomem(scan);
  for (int i = 0; i < op2i_cell_kinds[kind].nodes; i++) {
    if (!op2i_scan_in_line(scan)) return op2i_scan_fail(scan, "the element has too few nodes");
    if (!op2i_scan_int(scan, "a node of an element", &nodes[i])) return false;
  }
  op2i_scan_line(scan);
  return true;
}

static bool dimension(struct su2 *su2) {
  if (!op2i_scan_int(su2->scan, "the dimension", &su2->dimension)) return false;
  if (su2->dimension != 2 && su2->dimension != 3)
    return op2i_scan_fail(su2->scan, "the dimension is %" PRId64, su2->dimension);
  su2->raw->space = (int)su2->dimension;
  return true;
}

static bool zones(struct su2 *su2) {
  int64_t n;
  if (!op2i_scan_int(su2->scan, "the number of zones", &n)) return false;
  return n == 1 || op2i_scan_fail(su2->scan, "files of several zones cannot be read");
}

static bool elements(struct su2 *su2) {
  int64_t n;
  if (su2->has_elements) return op2i_scan_fail(su2->scan, "NELEM is there twice");
  su2->has_elements = true;
  if (!op2i_scan_count(su2->scan, "the number of elements", 6, &n)) return false;
  op2i_scan_line(su2->scan);
  for (int64_t e = 0; e < n; e++)
    if (!read_element(su2, (int)su2->dimension, e)) return false;
  return true;
}

static bool points(struct su2 *su2) {
  struct op2i_scan *scan = su2->scan;
  int64_t n;
  double x[3] = {0};
  if (su2->has_points) return op2i_scan_fail(scan, "NPOIN is there twice");
  su2->has_points = true;
  if (!op2i_scan_count(scan, "the number of points", 4, &n)) return false;
  op2i_scan_line(scan);
  for (int64_t i = 0; i < n; i++) {
    if (!next_line(scan)) return op2i_scan_fail(scan, "the file ends where a point should be");
    for (int64_t k = 0; k < su2->dimension; k++)
      if (!op2i_scan_real(scan, "a coordinate", &x[k])) return false;
    op2i_scan_line(scan);
    if (!op2i_raw_node(su2->raw, i, x)) return op2i_scan_nomem(scan);
  }
  return true;
}

static bool markers(struct su2 *su2) {
  return op2i_scan_count(su2->scan, "the number of markers", 8, &su2->markers);
}

/* A marker: its name, the number of its elements, and these. */
static bool marker(struct su2 *su2) {
  struct op2i_scan *scan = su2->scan;
  const char *name;
  size_t length = 0;
  int32_t group;
  int64_t n;
  if (!op2i_scan_in_line(scan)) return op2i_scan_fail(scan, "a marker has no name");
  for (name = scan->at; scan->at < scan->end && (unsigned char)*scan->at > ' '; scan->at++)
    length++;
  op2i_scan_line(scan);
  if (!next_line(scan) || !key(scan, "MARKER_ELEMS"))
    return op2i_scan_fail(scan, "MARKER_ELEMS should be here");
  if (!op2i_scan_count(scan, "the number of elements of a marker", 4, &n)) return false;
  op2i_scan_line(scan);
  const int side = (int)su2->dimension - 1;
  if (!op2i_raw_group(su2->raw, side, su2->read++, name, length, &group))
    return op2i_scan_nomem(scan);
  for (int64_t e = 0; e < n; e++) {
    if (!next_line(scan)) return op2i_scan_fail(scan, "the file ends where an element should be");
    if (key(scan, "SEND_RECV")) { /* copies for the ranks of SU2 */
      op2i_scan_line(scan);
      e--;
    } else if (!read_element(su2, side, e))
      return false;
    else if (!op2i_raw_member(su2->raw, side, group))
      return op2i_scan_nomem(scan);
  }
  return true;
}

static const struct {
  const char *name;
  bool (*read)(struct su2 *su2);
  bool after_dimension;
} keys[] = {
    {"NDIME", dimension, false}, {"NZONE", zones, false},  {"NELEM", elements, true},
    {"NPOIN", points, true},     {"NMARK", markers, true}, {"MARKER_TAG", marker, true},
};

/* Read a keyword and what follows; other keywords, as of boxes and periodic markers, are skipped with
 * the lines behind them. */
static bool line(struct su2 *su2) {
  struct op2i_scan *scan = su2->scan;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    if (!key(scan, keys[k].name)) continue;
    su2->unknown = false;
    if (keys[k].after_dimension && !su2->dimension)
      return op2i_scan_fail(scan, "NDIME should come before %s", keys[k].name);
    return keys[k].read(su2);
  }
  const char *line = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
  if (!line) line = scan->end;
  su2->unknown |= memchr(scan->at, '=', (size_t)(line - scan->at)) != NULL;
  if (!su2->unknown) return op2i_scan_fail(scan, "a keyword should be here, with a '=' behind it");
  op2i_scan_line(scan);
  return true;
}

bool op2i_su2_read(struct op2i_scan *scan, struct op2i_raw *raw) {
  struct su2 su2 = {.scan = scan, .raw = raw};
  bool good = true;
  while (good && next_line(scan)) good = line(&su2);
  if (good && (!su2.has_points || !su2.has_elements))
    good = op2i_scan_fail(scan, "the file ends, and there is no %s",
                          su2.has_points ? "NELEM" : "NPOIN");
  if (good && su2.read != su2.markers)
    good = op2i_scan_fail(scan, "there are %" PRId64 " markers, and the file says %" PRId64,
                          su2.read, su2.markers);
  return good;
}

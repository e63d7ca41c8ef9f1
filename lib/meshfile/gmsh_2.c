/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes and elements of Gmsh's format 2. */
#include <inttypes.h>

#include "gmsh_sections.h"

bool op2i_gmsh2_nodes(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  int64_t n, tag;
  double x[3];
  /* The number of nodes is a text in binary files as well. */
  scan->binary = false;
  if (!op2i_scan_count(scan, "the number of nodes", 8, &n)) return false;
  op2i_scan_line(scan);
  scan->binary = gmsh->binary;
  for (int64_t i = 0; i < n; i++) {
    if (!op2i_scan_int(scan, "the number of a node", &tag)) return false;
    for (int k = 0; k < 3; k++)
      if (!op2i_scan_real(scan, "a coordinate", &x[k])) return false;
    if (!op2i_raw_node(gmsh->raw, tag, x)) return op2i_scan_nomem(scan);
  }
  return true;
}

enum { TAGS_MOST = 10000 };

/* These numbers come before each element in texts, and before several of a type in binary files. */
struct front {
  int64_t tag, type, n, ntags;
};

static bool read_front(struct op2i_gmsh *gmsh, struct front *front) {
  struct op2i_scan *scan = gmsh->scan;
  front->n = 1;
  if ((!gmsh->binary && !op2i_scan_int(scan, "the number of an element", &front->tag)) ||
      !op2i_scan_int(scan, "the type of an element", &front->type) ||
      (gmsh->binary && !op2i_scan_int(scan, "a number of elements", &front->n)) ||
      !op2i_scan_int(scan, "a number of tags", &front->ntags))
    return false;
  if (front->n < 1 || front->ntags < 0 || front->ntags > TAGS_MOST)
    return op2i_scan_fail(scan, "%" PRId64 " elements with %" PRId64 " tags", front->n,
                          front->ntags);
  return true;
}

static bool read_element(struct op2i_gmsh *gmsh, const struct front *front, int kind) {
  struct op2i_scan *scan = gmsh->scan;
  const struct op2i_cell_kind *what = &op2i_cell_kinds[kind];
  int64_t tag = front->tag, value, physical = 0, *nodes;
  int32_t group;
  if (gmsh->binary && !op2i_scan_int(scan, "the number of an element", &tag)) return false;
  for (int64_t t = 0; t < front->ntags; t++) {
    if (!op2i_scan_int(scan, "a tag of an element", &value)) return false;
    if (t == 0) physical = value < 0 ? -value : value;
  }
  if (!op2i_raw_element(gmsh->raw, kind, tag, &nodes)) return op2i_scan_nomem(scan);
  for (int i = 0; i < what->nodes; i++)
    if (!op2i_scan_int(scan, "a node of an element", &nodes[i])) return false;
  if (!physical) return true;
  return (op2i_raw_group(gmsh->raw, what->dimension, physical, NULL, 0, &group) &&
          op2i_raw_member(gmsh->raw, what->dimension, group)) ||
         op2i_scan_nomem(scan);
}

bool op2i_gmsh2_elements(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  struct front front = {0};
  int64_t n;
  scan->binary = false;
  if (!op2i_scan_count(scan, "the number of elements", 8, &n)) return false;
  op2i_scan_line(scan);
  scan->binary = gmsh->binary;
  while (n > 0) {
    if (!read_front(gmsh, &front)) return false;
    int kind = op2i_gmsh_kind(gmsh, front.type);
    if (kind < 0) return false;
    if (front.n > n) return op2i_scan_fail(scan, "there are more elements than the file says");
    for (int64_t i = 0; i < front.n; i++)
      if (!read_element(gmsh, &front, kind)) return false;
    n -= front.n;
  }
  return true;
}

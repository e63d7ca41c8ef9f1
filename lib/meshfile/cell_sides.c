/* SPDX-License-Identifier: BSD-3-Clause */
/* Sides of elements of order two, with the nodes between their corners. */
#include <string.h>

#include "exodus.h"

/* The corners of each edge whose node follows the corners, in our order. */
struct edges {
  int n;
  int8_t corner[12][2];
};
static const struct edges edges_of[] = {
    [OP2_CELL_LINE] = {1, {{0, 1}}},
    [OP2_CELL_TRIANGLE] = {3, {{0, 1}, {1, 2}, {2, 0}}},
    [OP2_CELL_QUADRILATERAL] = {4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [OP2_CELL_TETRAHEDRON] = {6, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}},
    [OP2_CELL_PYRAMID] = {8, {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}},
    [OP2_CELL_PRISM] = {9,
                        {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}}},
    [OP2_CELL_HEXAHEDRON] = {12,
                             {{0, 1},
                              {0, 3},
                              {0, 4},
                              {1, 2},
                              {1, 5},
                              {2, 3},
                              {2, 6},
                              {3, 7},
                              {4, 5},
                              {4, 7},
                              {5, 6},
                              {6, 7}}},
};

/* The faces whose node follows those of edges, by a corner and the one across. */
static const struct {
  uint8_t gmsh;
  int n;
  int8_t corner[6][2];
} faces_of[] = {{12, 6, {{0, 2}, {0, 5}, {0, 7}, {1, 6}, {2, 7}, {4, 6}}},
                {13, 3, {{0, 4}, {0, 5}, {1, 5}}},
                {14, 1, {{0, 2}}}};

static int middle_of(int shape, int corners, int a, int b) {
  for (int e = 0; e < edges_of[shape].n; e++)
    if ((edges_of[shape].corner[e][0] == a && edges_of[shape].corner[e][1] == b) ||
        (edges_of[shape].corner[e][0] == b && edges_of[shape].corner[e][1] == a))
      return corners + e;
  return -1;
}

static bool has_corner(const int8_t *corner, int corners, int c) {
  for (int k = 0; k < corners; k++)
    if (corner[k] == c) return true;
  return false;
}

static int centre_of(const struct op2i_cell_kind *what, const int8_t *corner, int corners) {
  for (size_t f = 0; f < sizeof faces_of / sizeof *faces_of; f++)
    for (int k = 0; faces_of[f].gmsh == what->gmsh && k < faces_of[f].n; k++)
      if (corners == 4 && has_corner(corner, 4, faces_of[f].corner[k][0]) &&
          has_corner(corner, 4, faces_of[f].corner[k][1]))
        return what->corners + edges_of[what->shape].n + k;
  return -1;
}

bool op2i_cell_side_add(struct op2i_raw *raw, int kind, const int64_t *nodes, const int8_t *corner,
                        int corners, int64_t tag) {
  /* Gmsh's numbers of sides with corners only, with nodes on edges, and with one in the middle as well. */
  static const uint8_t sides[5][3] = {{0}, {15, 15, 15}, {1, 8, 8}, {2, 9, 9}, {3, 16, 10}};
  const struct op2i_cell_kind *what = &op2i_cell_kinds[kind];
  int8_t list[9];
  int n = corners, middles = corners == 2 ? 1 : corners == 1 ? 0 : corners;
  int64_t *to, copy[9];
  memcpy(list, corner, (size_t)corners);
  const bool second = what->nodes > what->corners && what->vtk_nodes > what->corners;
  for (int k = 0; second && k < middles; k++)
    list[n++] = (int8_t)middle_of(what->shape, what->corners, corner[k], corner[(k + 1) % corners]);
  const int centre = second ? centre_of(what, corner, corners) : -1;
  if (centre >= 0) list[n++] = (int8_t)centre;
  for (int k = 0; k < n; k++) copy[k] = nodes[list[k]];
  const int side = op2i_kind_of_gmsh(sides[corners][centre >= 0 ? 2 : second ? 1 : 0]);
  if (!op2i_raw_element(raw, side, tag, &to)) return false;
  memcpy(to, copy, (size_t)n * sizeof *to);
  return true;
}

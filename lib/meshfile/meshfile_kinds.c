/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kinds of elements, and the sides of their shapes. */
#include "meshfile_kinds.h"

static const uint8_t tetrahedron_10[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const uint8_t hexahedron_27[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                        19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};
static const uint8_t prism_18[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16};
static const uint8_t pyramid_13[] = {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12};

#define POINT(gmsh)         OP2_CELL_POINT, 0, gmsh
#define LINE(gmsh)          OP2_CELL_LINE, 1, gmsh
#define TRIANGLE(gmsh)      OP2_CELL_TRIANGLE, 2, gmsh
#define QUADRILATERAL(gmsh) OP2_CELL_QUADRILATERAL, 2, gmsh
#define TETRAHEDRON(gmsh)   OP2_CELL_TETRAHEDRON, 3, gmsh
#define PYRAMID(gmsh)       OP2_CELL_PYRAMID, 3, gmsh
#define PRISM(gmsh)         OP2_CELL_PRISM, 3, gmsh
#define HEXAHEDRON(gmsh)    OP2_CELL_HEXAHEDRON, 3, gmsh

/* Kinds that VTK lacks are written as the linear kinds of their shapes. VTK's documentation has the
 * first triangle of a prism seen from outside; but VTK computes positive volumes for Gmsh's order. */
const struct op2i_cell_kind op2i_cell_kinds[] = {
    {POINT(15), 1, 1, 1, 1, 0},
    {LINE(1), 2, 2, 3, 2, 0},
    {TRIANGLE(2), 3, 3, 5, 3, 0},
    {QUADRILATERAL(3), 4, 4, 9, 4, 0},
    {TETRAHEDRON(4), 4, 4, 10, 4, 0},
    {HEXAHEDRON(5), 8, 8, 12, 8, 0},
    {PRISM(6), 6, 6, 13, 6, 0},
    {PYRAMID(7), 5, 5, 14, 5, 0},
    {LINE(8), 3, 2, 21, 3, 0},
    {TRIANGLE(9), 6, 3, 22, 6, 0},
    {QUADRILATERAL(10), 9, 4, 28, 9, 0},
    {TETRAHEDRON(11), 10, 4, 24, 10, tetrahedron_10},
    {HEXAHEDRON(12), 27, 8, 29, 27, hexahedron_27},
    {PRISM(13), 18, 6, 32, 18, prism_18},
    {PYRAMID(14), 14, 5, 27, 13, pyramid_13},
    {QUADRILATERAL(16), 8, 4, 23, 8, 0},
    {HEXAHEDRON(17), 20, 8, 25, 20, hexahedron_27},
    {PRISM(18), 15, 6, 26, 15, prism_18},
    {PYRAMID(19), 13, 5, 27, 13, pyramid_13},
    {TRIANGLE(20), 9, 3, 5, 3, 0},
    {TRIANGLE(21), 10, 3, 5, 3, 0},
    {TRIANGLE(22), 12, 3, 5, 3, 0},
    {TRIANGLE(23), 15, 3, 5, 3, 0},
    {TRIANGLE(24), 15, 3, 5, 3, 0},
    {TRIANGLE(25), 21, 3, 5, 3, 0},
    {LINE(26), 4, 2, 3, 2, 0},
    {LINE(27), 5, 2, 3, 2, 0},
    {LINE(28), 6, 2, 3, 2, 0},
    {TETRAHEDRON(29), 20, 4, 10, 4, 0},
    {TETRAHEDRON(30), 35, 4, 10, 4, 0},
    {TETRAHEDRON(31), 56, 4, 10, 4, 0},
    {QUADRILATERAL(36), 16, 4, 9, 4, 0},
    {QUADRILATERAL(37), 25, 4, 9, 4, 0},
    {QUADRILATERAL(38), 36, 4, 9, 4, 0},
    {PRISM(90), 40, 6, 13, 6, 0},
    {PRISM(91), 75, 6, 13, 6, 0},
    {HEXAHEDRON(92), 64, 8, 12, 8, 0},
    {HEXAHEDRON(93), 125, 8, 12, 8, 0},
    {PYRAMID(118), 30, 5, 14, 5, 0},
    {PYRAMID(119), 55, 5, 14, 5, 0},
};
enum { KINDS = sizeof op2i_cell_kinds / sizeof *op2i_cell_kinds };

int op2i_kind_of_gmsh(int64_t number) {
  for (int k = 0; k < KINDS; k++)
    if (op2i_cell_kinds[k].gmsh == number) return k;
  return -1;
}

int op2i_kind_of_vtk(int64_t number, int64_t nodes) {
  for (int k = 0; k < KINDS; k++)
    if (op2i_cell_kinds[k].vtk == number && op2i_cell_kinds[k].nodes == nodes &&
        op2i_cell_kinds[k].vtk_nodes == nodes)
      return k;
  return -1;
}

int op2i_linear_kind_of_vtk(int64_t number) {
  for (int k = 0; k < KINDS; k++)
    if (op2i_cell_kinds[k].vtk == number && op2i_cell_kinds[k].nodes == op2i_cell_kinds[k].corners)
      return k;
  return -1;
}

const struct op2i_cell_sides op2i_cell_sides[] = {
    [OP2_CELL_TRIANGLE] = {3, {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 0, -1, -1}}},
    [OP2_CELL_QUADRILATERAL] = {4,
                                {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 3, -1, -1}, {3, 0, -1, -1}}},
    [OP2_CELL_TETRAHEDRON] = {4, {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}}},
    [OP2_CELL_PYRAMID] =
        {5, {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}},
    [OP2_CELL_PRISM] = {5,
                        {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [OP2_CELL_HEXAHEDRON] =
        {6, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
};

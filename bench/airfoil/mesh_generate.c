/* SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mesh.h"
#include "spline.h"

#ifndef M_PI_2
#define M_PI_2 1.57079632679489661923
#endif

/* The grid is built in the plane of w = sqrt(z), where the section and the wake behind it unfold
 * into the floor of a box: xi from -3 to 3, eta from the floor to 3. */
enum { SECTION = 100, FLOOR = 2 * SECTION - 1 };
static const double origin = 0.0077; /* x of the branch point, inside the nose */
static const double side = 3.0;      /* half width and height of the box */

static int64_t columns(int64_t ni) { return 3 * ni + 1; }
static int32_t node_at(int64_t ni, int64_t i, int64_t j) { return (int32_t)(i + j * columns(ni)); }
static int32_t cell_at(int64_t ni, int64_t i, int64_t j) { return (int32_t)(i + j * 3 * ni); }

static double section_y(double x) {
  return 0.594689181 * (0.298222773 * sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                        0.291984971 * x * x * x - 0.105174696 * x * x * x * x);
}

/* The section in the root plane, lower side reflected to negative xi; xi increases. */
static void section_floor(double *xi, double *eta) {
  for (int k = 0; k < SECTION; k++) {
    const double s = sin(M_PI_2 * k / (SECTION - 1));
    const double x = s * s, y = k == SECTION - 1 ? 0.0 : section_y(x);
    const double complex z = csqrt(x - origin + I * y);
    xi[SECTION - 1 + k] = creal(z);
    eta[SECTION - 1 + k] = cimag(z);
    xi[SECTION - 1 - k] = -creal(z);
    eta[SECTION - 1 - k] = cimag(z);
  }
}

static double column_xi(int64_t ni, int64_t i) {
  return -side + 2 * side * (double)i / (double)(3 * ni);
}

/* v after printing with %f and reading back: the reference figures were computed from a text file.
 * The product is off by less than 1e-8 for coordinates of this grid, so only near ties need the
 * printed text. */
static double round_to_text(double v) {
  const double scaled = v * 1e6, whole = rint(scaled);
  if (fabs(fabs(scaled - whole) - 0.5) > 1e-4) return whole / 1e6;
  char text[64];
  snprintf(text, sizeof text, "%f", v);
  return strtod(text, NULL);
}

static int set_nodes(int64_t ni, int64_t nj, double *x, bench_error *error) {
  double xi[FLOOR], eta[FLOOR], slope[FLOOR];
  section_floor(xi, eta);
  if (spline_fit(FLOOR, xi, eta, slope))
    return bench_fail(error, "out of memory for the section's spline");
  for (int64_t i = 0; i < columns(ni); i++) {
    const double re = column_xi(ni, i);
    const double floor = i > ni && i < 2 * ni ? spline_at(FLOOR, xi, eta, slope, re) : 0.0;
    for (int64_t j = 0; j <= nj; j++) {
      const double im = floor + (side - floor) * (double)j / (double)nj;
      double *node = x + 2 * (int64_t)node_at(ni, i, j);
      node[0] = round_to_text(re * re - im * im);
      node[1] = round_to_text(2 * re * im);
    }
  }
  return 0;
}

static void set_cells(int64_t ni, int64_t nj, int32_t *cell) {
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < 3 * ni; i++, cell += 4) {
      cell[0] = node_at(ni, i, j);
      cell[1] = node_at(ni, i + 1, j);
      cell[2] = node_at(ni, i + 1, j + 1);
      cell[3] = node_at(ni, i, j + 1);
    }
}

static int64_t add_edge(mesh *m, int64_t e, int32_t n1, int32_t n2, int32_t c1, int32_t c2) {
  m->edge[2 * e] = n1;
  m->edge[2 * e + 1] = n2;
  m->ecell[2 * e] = c1;
  m->ecell[2 * e + 1] = c2;
  return e + 1;
}

static void set_edges(int64_t ni, int64_t nj, mesh *m) {
  int64_t e = 0;
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < 3 * ni; i++) {
      if (j == 0 && i < ni) /* the wake cut: the cells below and above it meet here */
        e = add_edge(m, e, node_at(ni, i, 0), node_at(ni, i + 1, 0), cell_at(ni, 3 * ni - 1 - i, 0),
                     cell_at(ni, i, 0));
      if (j < nj - 1)
        e = add_edge(m, e, node_at(ni, i, j + 1), node_at(ni, i + 1, j + 1), cell_at(ni, i, j),
                     cell_at(ni, i, j + 1));
      if (i < 3 * ni - 1)
        e = add_edge(m, e, node_at(ni, i + 1, j), node_at(ni, i + 1, j + 1), cell_at(ni, i + 1, j),
                     cell_at(ni, i, j));
    }
}

static int64_t add_boundary(mesh *m, int64_t b, int32_t n1, int32_t n2, int32_t c, int32_t kind) {
  m->bedge[2 * b] = n1;
  m->bedge[2 * b + 1] = n2;
  m->becell[b] = c;
  m->bound[b] = kind;
  return b + 1;
}

static void set_boundary(int64_t ni, int64_t nj, mesh *m) {
  int64_t b = 0;
  for (int64_t i = ni; i < 2 * ni; i++)
    b = add_boundary(m, b, node_at(ni, i + 1, 0), node_at(ni, i, 0), cell_at(ni, i, 0), MESH_WALL);
  for (int64_t j = 0; j < nj; j++)
    b = add_boundary(m, b, node_at(ni, 3 * ni, j + 1), node_at(ni, 3 * ni, j),
                     cell_at(ni, 3 * ni - 1, j), MESH_FAR_FIELD);
  for (int64_t i = 3 * ni - 1; i >= 0; i--)
    b = add_boundary(m, b, node_at(ni, i, nj), node_at(ni, i + 1, nj), cell_at(ni, i, nj - 1),
                     MESH_FAR_FIELD);
  for (int64_t j = nj - 1; j >= 0; j--)
    b = add_boundary(m, b, node_at(ni, 0, j), node_at(ni, 0, j + 1), cell_at(ni, 0, j),
                     MESH_FAR_FIELD);
}

int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error) {
  if (ni < MESH_MIN_I || nj < MESH_MIN_J)
    return bench_fail(error, "a mesh has at least %dx%d cells", MESH_MIN_I, MESH_MIN_J);
  /* 6 ni nj bounds the number of edges */
  if (ni > INT32_MAX / 6 || nj > INT32_MAX / (6 * ni) || columns(ni) > INT32_MAX / (nj + 1))
    return bench_fail(error, "the mesh would have more elements than a 32-bit index counts");
  mesh made = {.nnode = columns(ni) * (nj + 1),
               .ncell = 3 * ni * nj,
               .nedge = ni + 3 * ni * (nj - 1) + (3 * ni - 1) * nj,
               .nbedge = 4 * ni + 2 * nj};
  if (mesh_alloc(&made, error)) return -1;
  if (set_nodes(ni, nj, made.x, error)) {
    mesh_free(&made);
    return -1;
  }
  set_cells(ni, nj, made.cell);
  set_edges(ni, nj, &made);
  set_boundary(ni, nj, &made);
  *m = made;
  return 0;
}

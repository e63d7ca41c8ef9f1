/* SPDX-License-Identifier: BSD-3-Clause */
/* The generated airfoil mesh: its counts, its connectivity, and the positions of its nodes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/airfoil/mesh.h"
#include "bench/airfoil/spline.h"
#include "tap.h"

typedef struct sums {
  double *normal; /* [ncell][2] sum of the outward normals */
  int *faces;     /* [ncell] */
} sums;

static const double *position(const mesh *m, int32_t node) { return m->x + 2 * (int64_t)node; }

/* True if a corner of the cell has the position of the node. On the wake cut each position has two
 * nodes with different numbers. */
static bool touches(const mesh *m, int32_t cell, int32_t node, bool *by_number) {
  bool there = false;
  for (int k = 0; k < 4; k++) {
    const int32_t corner = m->cell[4 * (int64_t)cell + k];
    if (corner == node) *by_number = true;
    const double *a = position(m, corner), *b = position(m, node);
    there = there || (a[0] == b[0] && a[1] == b[1]);
  }
  return there;
}

static double area(const mesh *m, int64_t cell) {
  double twice = 0;
  for (int k = 0; k < 4; k++) {
    const double *a = position(m, m->cell[4 * cell + k]);
    const double *b = position(m, m->cell[4 * cell + (k + 1) % 4]);
    twice += a[0] * b[1] - b[0] * a[1];
  }
  return 0.5 * twice;
}

/* Add the face n[0], n[1] to the cell. True if its normal, times `sign`, points out of the cell. */
static bool add_face(const mesh *m, sums *s, const int32_t *n, int32_t cell, double sign) {
  const double *a = position(m, n[0]), *b = position(m, n[1]);
  const double nx = sign * (a[1] - b[1]), ny = -sign * (a[0] - b[0]);
  s->normal[2 * (int64_t)cell] += nx;
  s->normal[2 * (int64_t)cell + 1] += ny;
  s->faces[cell]++;
  double centre[2] = {0, 0};
  for (int k = 0; k < 4; k++)
    for (int d = 0; d < 2; d++) centre[d] += 0.25 * position(m, m->cell[4 * (int64_t)cell + k])[d];
  return nx * (0.5 * (a[0] + b[0]) - centre[0]) + ny * (0.5 * (a[1] + b[1]) - centre[1]) > 0;
}

typedef struct faults {
  int64_t apart, cut, inward;
} faults;

static void walk_faces(const mesh *m, sums *s, faults *f) {
  for (int64_t e = 0; e < m->nedge; e++) {
    bool numbered = true;
    for (int c = 0; c < 2; c++) {
      const int32_t cell = m->ecell[2 * e + c];
      for (int n = 0; n < 2; n++) {
        bool same = false;
        f->apart += !touches(m, cell, m->edge[2 * e + n], &same);
        numbered = numbered && same;
      }
      f->inward += !add_face(m, s, m->edge + 2 * e, cell, c == 0 ? 1 : -1);
    }
    f->cut += !numbered;
  }
  for (int64_t b = 0; b < m->nbedge; b++) {
    bool same = true;
    f->apart += !touches(m, m->becell[b], m->bedge[2 * b], &same);
    f->apart += !touches(m, m->becell[b], m->bedge[2 * b + 1], &same);
    f->inward += !add_face(m, s, m->bedge + 2 * b, m->becell[b], 1);
  }
}

static void check_cells(const mesh *m, const sums *s, const char *name) {
  int64_t open = 0, not_four = 0, flat = 0;
  for (int64_t c = 0; c < m->ncell; c++) {
    open += fabs(s->normal[2 * c]) > 1e-12 || fabs(s->normal[2 * c + 1]) > 1e-12;
    not_four += s->faces[c] != 4;
    flat += !(area(m, c) > 0);
  }
  is_int(open, 0, "%s: cells whose normals do not sum to zero", name);
  is_int(not_four, 0, "%s: cells without four faces", name);
  is_int(flat, 0, "%s: cells not numbered to the left", name);
}

static void check_boundary(const mesh *m, int64_t ni, const char *name) {
  int64_t wall = 0, wrong = 0;
  for (int64_t b = 0; b < m->nbedge; b++) {
    wall += m->bound[b] == MESH_WALL;
    /* the wall is on the section, the far field has |w| >= 3, that is |x| >= 9 */
    const double *a = position(m, m->bedge[2 * b]);
    const double r = hypot(a[0], a[1]);
    if (m->bound[b] == MESH_WALL)
      wrong += !(r <= 1.0 && fabs(a[1]) < 0.07);
    else
      wrong += !(m->bound[b] == MESH_FAR_FIELD && r > 8.999);
  }
  is_int(wall, ni, "%s: wall edges", name);
  is_int(wrong, 0, "%s: boundary edges of the wrong kind", name);
}

static void check_mesh(int64_t ni, int64_t nj) {
  char name[64];
  snprintf(name, sizeof name, "%dx%d", (int)ni, (int)nj);
  mesh m = {0};
  bench_error error = {""};
  if (!ok(mesh_generate(ni, nj, &m, &error) == 0, "%s is generated", name)) {
    diag("%s", error.text);
    return;
  }
  sums s = {calloc((size_t)m.ncell * 2, sizeof(double)), calloc((size_t)m.ncell, sizeof(int))};
  faults f = {0};
  if (s.normal && s.faces) {
    walk_faces(&m, &s, &f);
    is_int(f.apart, 0, "%s: faces away from their cells", name);
    is_int(f.cut, ni, "%s: edges on the wake cut", name);
    is_int(f.inward, 0, "%s: normals that point the wrong way", name);
    /* the numbered mesh is a rectangle, cut open along the wake: V - E + F = 1 if the edges of the
     * cut count twice */
    is_int(m.nnode - (m.nedge + m.nbedge + f.cut) + m.ncell, 1, "%s: Euler's relation", name);
    check_cells(&m, &s, name);
    check_boundary(&m, ni, name);
  }
  free(s.normal);
  free(s.faces);
  mesh_free(&m);
}

static bool lies_at(const mesh *m, int64_t i, int64_t j, double x, double y) {
  const double *at = m->x + 2 * (i + j * 1201);
  if (at[0] == x && at[1] == y) return true;
  diag("node (%d, %d) is at %.17g %.17g", (int)i, (int)j, at[0], at[1]);
  return false;
}

/* Positions that follow from the description by hand: node = w^2. */
static void check_classic(void) {
  mesh m = {0};
  bench_error error;
  if (!ok(mesh_open("classic", &m, &error) == 0, "classic is generated")) return;
  is_int(m.nnode, 721801, "classic: nodes");
  is_int(m.ncell, 720000, "classic: cells");
  is_int(m.nedge, 1438600, "classic: edges");
  is_int(m.nbedge, 2800, "classic: boundary edges");
  ok(lies_at(&m, 0, 0, 9, 0) && lies_at(&m, 1200, 0, 9, 0), "classic: the wake ends at x = 9");
  ok(lies_at(&m, 400, 0, 1, 0) && lies_at(&m, 800, 0, 1, 0), "classic: the cut ends at x = 1");
  ok(lies_at(&m, 600, 0, -0.0077, 0), "classic: the nose is at x = -0.0077");
  ok(lies_at(&m, 600, 600, -9, 0), "classic: upstream end at w = 3i");
  ok(lies_at(&m, 0, 600, 0, -18) && lies_at(&m, 1200, 600, 0, 18),
     "classic: corners at w = -3+3i, 3+3i");
  ok(lies_at(&m, 1, 0, 8.970025, 0), "classic: second wake node at 2.995^2");
  int64_t coarse = 0, crooked = 0;
  for (int64_t k = 0; k < 2 * m.nnode; k++) coarse += rint(m.x[k] * 1e6) / 1e6 != m.x[k];
  is_int(coarse, 0, "classic: coordinates of more than six decimals");
  for (int64_t i = 402; i < 799; i++) {
    const double *at = m.x + 2 * i, x = at[0] + 0.0077;
    const double y =
        0.594689181 * (0.298222773 * sqrt(x) -
                       x * (0.127125232 + x * (0.357907906 - x * (0.291984971 - x * 0.105174696))));
    crooked += !(fabs(fabs(at[1]) - y) < 2e-5) || (i != 600 && (at[1] > 0) != (i > 600));
  }
  is_int(crooked, 0, "classic: wall nodes off the section");
  mesh_free(&m);
}

static double cubic(double x) { return 2 + x * (-1 + x * (0.5 + 3 * x)); }

/* Third derivative of piece i, computed from its two slopes. */
static double third(const double *x, const double *y, const double *slope, int i) {
  const double h = x[i + 1] - x[i];
  return 6 * (slope[i] + slope[i + 1] - 2 * (y[i + 1] - y[i]) / h) / (h * h);
}

/* Second derivative of piece i at its left (end 0) or right (end 1) knot. */
static double second(const double *x, const double *y, const double *slope, int i, int end) {
  const double h = x[i + 1] - x[i], d = (y[i + 1] - y[i]) / h;
  return end ? (4 * slope[i + 1] + 2 * slope[i] - 6 * d) / h
             : (6 * d - 4 * slope[i] - 2 * slope[i + 1]) / h;
}

static void check_spline(void) {
  enum { N = 9 };
  const double x[N] = {-2, -1.9, -1, -0.25, 0, 0.5, 1.25, 2, 3.5};
  double y[N], slope[N], worst = 0;
  for (int i = 0; i < N; i++) y[i] = cubic(x[i]);
  ok(spline_fit(N, x, y, slope) == 0, "a cubic is fitted");
  for (double t = -3; t < 4.5; t += 0.01)
    worst = fmax(worst, fabs(spline_at(N, x, y, slope, t) - cubic(t)));
  ok(worst < 1e-11, "not-a-knot ends give a cubic back, beyond the knots as well: off by %.2e",
     worst);

  for (int i = 0; i < N; i++) y[i] = sin(3 * x[i]) + 0.1 * i;
  ok(spline_fit(N, x, y, slope) == 0, "a curve is fitted");
  double miss = 0, bend = 0;
  for (int i = 0; i < N; i++) miss = fmax(miss, fabs(spline_at(N, x, y, slope, x[i]) - y[i]));
  for (int i = 1; i < N - 1; i++)
    bend = fmax(bend, fabs(second(x, y, slope, i - 1, 1) - second(x, y, slope, i, 0)));
  ok(miss < 1e-14, "it passes through its points: off by %.2e", miss);
  ok(bend < 1e-9, "its second derivative is continuous: jumps by %.2e", bend);
  const double first = third(x, y, slope, 0), last = third(x, y, slope, N - 2);
  ok(fabs(first - third(x, y, slope, 1)) < 1e-8 * fabs(first),
     "the third derivative does not jump at the second knot");
  ok(fabs(last - third(x, y, slope, N - 3)) < 1e-8 * fabs(last), "nor at the last but one");
  ok(fabs(first - third(x, y, slope, 2)) > 1e-3 * fabs(first), "but it does in between");
}

static void check_refusals(void) {
  static const char *const specs[] = {"1x12",
                                      "8x1",
                                      "0x0",
                                      "2000000000x2000000000",
                                      "99999999999999999999x2",
                                      "2x99999999999999999999",
                                      "30000x30000"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    mesh m = {.nnode = -7};
    bench_error error = {""};
    ok(mesh_open(specs[i], &m, &error) == -1 && m.nnode == -7 && strstr(error.text, "mesh"),
       "%s is refused: %s", specs[i], error.text);
  }
  mesh m = {0};
  bench_error error = {""};
  ok(mesh_open("8x12b", &m, &error) == -1 && strstr(error.text, "8x12b: "),
     "8x12b is a file's name: %s", error.text);
}

int main(void) {
  check_spline();
  check_refusals();
  check_mesh(2, 2);
  check_mesh(8, 12);
  check_mesh(41, 7);
  check_mesh(600, 30); /* columns closer to the trailing edge than the section's last point */
  if (quick())
    skip("classic mesh: a quick run");
  else
    check_mesh(400, 600);
  check_classic();
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Faces of random meshes of all shapes, in the plane and in space, are those that a comparison of all
 * pairs of cells finds; they close every cell and point the right way; groups are found on them. A third
 * cell at a face is reported. There are 20 meshes, and with OP2_TEST_FULL=1 there are 200. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2/meshfile.h"
#include "support.h"

enum { CELLS_MOST = 2000, NODES_MOST = 2000, FACES_MOST = 8000 };

static op2_context ctx;
static char path[600];
static uint64_t state = 7;
static int roll(int n) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int)((state >> 33) % (uint64_t)n);
}

/* A mesh that was made at random, and elements of groups that are added to it. */
static struct {
  int dimension, nnodes, ncells, nmarks;
  double x[NODES_MOST][3];
  int corners[CELLS_MOST], cell[CELLS_MOST][8];
  int order[NODES_MOST];   /* the number of a node in the file */
  int mark[FACES_MOST][5]; /* corners, then the group; the number of corners is in size */
  int size[FACES_MOST];
} m;

static int add_node(double x, double y, double z) {
  m.x[m.nnodes][0] = x;
  m.x[m.nnodes][1] = y;
  m.x[m.nnodes][2] = z;
  return m.nnodes++;
}

static int made[2][9]; /* cells of all meshes, by dimension and corners */
static void add_cell(int n, const int *node) {
  made[m.dimension == 3][n]++;
  m.corners[m.ncells] = n;
  memcpy(m.cell[m.ncells++], node, (size_t)n * sizeof *node);
}
#define ADD(n_, ...) add_cell(n_, (const int[]){__VA_ARGS__})

/* ---- meshes ---------------------------------------------------------------------------------- */

static void shuffle_nodes(void) {
  for (int i = 0; i < m.nnodes; i++) {
    const int j = roll(i + 1);
    m.order[i] = m.order[j];
    m.order[j] = i;
  }
}

/* The cells of a plane grid are quadrilaterals, or cut into two triangles, or missing; some are in
 * clockwise order. */
static void make_plane(int n) {
  memset(&m, 0, sizeof m);
  m.dimension = 2;
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) add_node(i + 0.002 * roll(100), j + 0.002 * roll(100), 0);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
      switch (roll(8)) {
      case 0: break;
      case 1: ADD(4, a, d, c, b); break;
      case 2: ADD(3, a, b, c), ADD(3, d, a, c); break;
      case 3: ADD(3, b, a, d), ADD(3, b, c, d); break;
      case 4: ADD(3, a, c, d), ADD(3, c, b, a); break;
      default: ADD(4, c, d, a, b);
      }
    }
  shuffle_nodes();
}

/* Whether a face of the grid is cut into triangles is decided by its place alone: 0 is no cut, 1 and 2
 * are the two diagonals. */
static int cut_of(int axis, int i, int j, int k) {
  const unsigned column = (unsigned)(7 * i + 13 * j + 5) * 2654435761u >> 16;
  if (axis == 2 && column % 3 == 0) return 1; /* the same in the whole column: prisms */
  const unsigned h =
      ((unsigned)(axis * 1009 + i * 101 + j * 211 + k * 307) * 2654435761u >> 13) % 10;
  return axis == 2 && column % 3 == 1 ? 0 : h == 0 ? 1 : h == 1 ? 2 : 0;
}

/* The corners of a cube's six faces, each from its lowest corner on. */
static const int cube_faces[6][4] = {{0, 3, 7, 4}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                     {3, 2, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};

/* A cube is a hexahedron or two prisms if its faces allow, else pyramids and tetrahedra around a node
 * in its middle. */
static void make_cube(const int c[8], const int cut[6]) {
  int cuts = 0;
  for (int f = 0; f < 4; f++) cuts += cut[f] != 0;
  if (!cuts && !cut[4] && !cut[5] && roll(3)) {
    if (roll(2))
      ADD(8, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    else
      ADD(8, c[4], c[5], c[6], c[7], c[0], c[1], c[2], c[3]); /* inverted */
  } else if (!cuts && cut[4] == 1 && cut[5] == 1) {
    ADD(6, c[0], c[1], c[2], c[4], c[5], c[6]);
    ADD(6, c[4], c[6], c[7], c[0], c[2], c[3]);
  } else {
    const int o = add_node((m.x[c[0]][0] + m.x[c[6]][0]) / 2, (m.x[c[0]][1] + m.x[c[6]][1]) / 2,
                           (m.x[c[0]][2] + m.x[c[6]][2]) / 2);
    for (int f = 0; f < 6; f++) {
      int p[4];
      for (int k = 0; k < 4; k++) p[k] = c[cube_faces[f][k]];
      if (cut[f] == 0) ADD(5, p[0], p[1], p[2], p[3], o);
      if (cut[f] == 1) ADD(4, p[0], p[1], p[2], o), ADD(4, o, p[0], p[2], p[3]);
      if (cut[f] == 2) ADD(4, p[0], p[1], p[3], o), ADD(4, p[1], p[2], p[3], o);
    }
  }
}

static void make_space(int n) {
  memset(&m, 0, sizeof m);
  m.dimension = 3;
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n; i++) add_node(1.5 * i, j, 0.7 * k);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const int s = n + 1, a = (k * s + j) * s + i, b = a + s * s;
        const int c[8] = {a, a + 1, a + 1 + s, a + s, b, b + 1, b + 1 + s, b + s};
        const int cut[6] = {cut_of(0, i, j, k),     cut_of(0, i + 1, j, k), cut_of(1, i, j, k),
                            cut_of(1, i, j + 1, k), cut_of(2, i, j, k),     cut_of(2, i, j, k + 1)};
        if (roll(9)) make_cube(c, cut);
      }
  shuffle_nodes();
}

static const char *const group_names[] = {"walls", "inlet", "outlet"};

/* Write the mesh as a file of SU2. */
static void write_mesh(void) {
  static const int vtk[9] = {0, 0, 3, 5, 9, 14, 13, 0, 12};
  static int at[NODES_MOST];
  FILE *file = fopen(path, "w");
  fprintf(file, "%% a comment\nNDIME= %d\nNELEM= %d\n", m.dimension, m.ncells);
  for (int c = 0; c < m.ncells; c++) {
    const int n = m.corners[c];
    fprintf(file, "%d", m.dimension == 3 && n == 4 ? 10 : vtk[n]);
    for (int k = 0; k < n; k++) fprintf(file, " %d", m.order[m.cell[c][k]]);
    fprintf(file, " %d\n", c);
  }
  fprintf(file, "NPOIN= %d\n", m.nnodes);
  for (int i = 0; i < m.nnodes; i++) at[m.order[i]] = i;
  for (int i = 0; i < m.nnodes; i++) {
    for (int s = 0; s < m.dimension; s++) fprintf(file, "%.17g ", m.x[at[i]][s]);
    fprintf(file, "%d\n", i);
  }
  fprintf(file, "NMARK= 3\n");
  for (int g = 0; g < 3; g++) {
    int n = 0;
    for (int i = 0; i < m.nmarks; i++) n += m.mark[i][4] == g;
    fprintf(file, "MARKER_TAG= %s\nMARKER_ELEMS= %d\n", group_names[g], n);
    for (int i = 0; i < m.nmarks; i++) {
      if (m.mark[i][4] != g) continue;
      fprintf(file, "%d", vtk[m.size[i]]);
      for (int k = 0; k < m.size[i]; k++) fprintf(file, " %d", m.mark[i][k]);
      fputc('\n', file);
    }
  }
  fclose(file);
}

/* ---- what the library found ------------------------------------------------------------------ */

static op2_mesh mesh;
static op2_faces faces;
static int nin, nout, arity;
static int32_t in_cells[FACES_MOST][2], out_cell[FACES_MOST];
static int32_t in_nodes[FACES_MOST][4], out_nodes[FACES_MOST][4];

static void get_nodes(op2_map map, int n, int32_t nodes[][4]) {
  static int32_t flat[FACES_MOST * 4];
  op2_map_info info = {0};
  if (!CHECK(op2_map_info_get(map, &info)) || !CHECK(op2_map_get(map, flat))) return;
  arity = info.arity;
  for (int f = 0; f < n; f++)
    for (int k = 0; k < 4; k++) nodes[f][k] = k < arity ? flat[f * arity + k] : -1;
}

static bool find_faces(void) {
  if (!CHECK(op2_mesh_read(ctx, path, &mesh)) || !CHECK(op2_faces_create(mesh, &faces)))
    return false;
  nin = (int)op2_set_size(faces.interior);
  nout = (int)op2_set_size(faces.boundary);
  get_nodes(faces.nodes, nin, in_nodes);
  get_nodes(faces.boundary_nodes, nout, out_nodes);
  return CHECK(op2_map_get(faces.cells, in_cells[0])) &&
         CHECK(op2_map_get(faces.boundary_cell, out_cell));
}

/* The number of different corners: a triangle among quadrilaterals has its last corner twice. */
static int corners_of(const int32_t node[4]) {
  int n = arity;
  while (n > 2 && node[n - 1] == node[n - 2]) n--;
  return n;
}

static bool has(int cell, int node) {
  for (int k = 0; k < m.corners[cell]; k++)
    if (m.order[m.cell[cell][k]] == node) return true;
  return false;
}

/* Two cells have a face in common if they have at least as many nodes in common as the dimension. */
static int common_nodes(int a, int b) {
  int n = 0;
  for (int k = 0; k < m.corners[a]; k++) n += has(b, m.order[m.cell[a][k]]);
  return n;
}

static void compare_pairs(const char *what) {
  static char joined[CELLS_MOST][CELLS_MOST];
  int pairs = 0, sides = 0, bad = 0;
  memset(joined, 0, sizeof joined);
  for (int f = 0; f < nin; f++) {
    const int a = in_cells[f][0], b = in_cells[f][1], n = corners_of(in_nodes[f]);
    bad += a >= b || joined[a][b]++ || common_nodes(a, b) != n;
    for (int k = 0; k < n; k++) bad += !has(a, in_nodes[f][k]) || !has(b, in_nodes[f][k]);
  }
  for (int f = 0; f < nout; f++)
    for (int k = 0; k < arity; k++) bad += !has(out_cell[f], out_nodes[f][k]);
  for (int a = 0; a < m.ncells; a++) {
    for (int b = a + 1; b < m.ncells; b++) {
      const bool common = common_nodes(a, b) >= m.dimension;
      pairs += common;
      bad += common != (joined[a][b] == 1);
    }
    sides += m.dimension == 2 ? m.corners[a] : m.corners[a] == 4 ? 4 : m.corners[a] == 8 ? 6 : 5;
  }
  is_int(bad, 0, "%s: faces that a comparison of %d cells does not find", what, m.ncells);
  is_int(nin, pairs, "%s: interior faces", what);
  is_int(nout, sides - 2 * nin, "%s: boundary faces", what);
}

static void area_of(const int32_t node[4], const double *x, double area[3]) {
  const double *p[4];
  double u[3] = {0}, v[3] = {0};
  for (int k = 0; k < 4; k++) p[k] = x + m.dimension * node[k < arity ? k : arity - 1];
  if (m.dimension == 2) {
    area[0] = p[1][1] - p[0][1];
    area[1] = p[0][0] - p[1][0];
    area[2] = 0;
    return;
  }
  for (int s = 0; s < 3; s++) {
    u[s] = p[2][s] - p[0][s];
    v[s] = p[3][s] - p[1][s];
  }
  for (int s = 0; s < 3; s++)
    area[s] = 0.5 * (u[(s + 1) % 3] * v[(s + 2) % 3] - u[(s + 2) % 3] * v[(s + 1) % 3]);
}

/* The areas of a cell's faces, taken outwards, have no sum, and point away from its middle. */
static void check_normals(const char *what) {
  static double x[NODES_MOST * 3], sum[CELLS_MOST][3];
  int bad = 0;
  memset(sum, 0, sizeof sum);
  if (!CHECK(op2_dat_get(op2_mesh_coordinates(mesh), x))) return;
  for (int f = 0; f < nin + nout; f++) {
    const int32_t *node = f < nin ? in_nodes[f] : out_nodes[f - nin];
    const int cells[2] = {f < nin ? in_cells[f][0] : out_cell[f - nin],
                          f < nin ? in_cells[f][1] : -1};
    double area[3];
    area_of(node, x, area);
    for (int c = 0; c < 2 && cells[c] >= 0; c++) {
      double along = 0;
      for (int s = 0; s < m.dimension; s++) {
        double middle = 0;
        for (int k = 0; k < m.corners[cells[c]]; k++)
          middle += m.x[m.cell[cells[c]][k]][s] / m.corners[cells[c]];
        along += area[s] * (x[m.dimension * node[0] + s] - middle);
        sum[cells[c]][s] += c ? -area[s] : area[s];
      }
      bad += c ? along >= 0 : along <= 0;
    }
  }
  is_int(bad, 0, "%s: normals that point the wrong way", what);
  for (int c = 0; c < m.ncells; c++)
    for (int s = 0; s < 3; s++) bad += !(fabs(sum[c][s]) < 1e-12);
  is_int(bad, 0, "%s: cells that their faces do not close", what);
}

/* ---- edges and neighbours --------------------------------------------------------------------- */

/* Edges are the pairs of corners that follow one another in some face; neighbours have a face in
 * common. */
static void check_edges(const char *what) {
  static char joined[NODES_MOST][NODES_MOST];
  static int32_t ends[FACES_MOST][2], rows[CELLS_MOST * 6];
  op2_set edges = NULL;
  op2_map nodes = NULL, neighbours = NULL;
  op2_map_info info = {0};
  int bad = 0, pairs = 0;
  memset(joined, 0, sizeof joined);
  for (int f = 0; f < nin + nout; f++) {
    const int32_t *node = f < nin ? in_nodes[f] : out_nodes[f - nin];
    for (int k = 0, n = corners_of(node); k < n; k++) {
      const int a = node[k], b = node[(k + 1) % n];
      pairs += !joined[a][b];
      joined[a][b] = joined[b][a] = 1;
    }
  }
  if (!CHECK(op2_edges_create(mesh, &edges, &nodes)) || !CHECK(op2_map_get(nodes, ends[0])) ||
      !CHECK(op2_neighbours_create(mesh, &neighbours)) ||
      !CHECK(op2_map_info_get(neighbours, &info)) || !CHECK(op2_map_get(neighbours, rows)))
    return;
  is_int(op2_set_size(edges), pairs, "%s: edges", what);
  for (int e = 0; e < pairs; e++)
    bad += ends[e][0] >= ends[e][1] || !joined[ends[e][0]][ends[e][1]]--;
  is_int(bad, 0, "%s: edges that no face has, or that are there twice", what);
  for (int c = 0, links = 0; c < m.ncells; c++)
    for (int k = 0; k < info.arity; k++) {
      const int other = rows[c * info.arity + k];
      links += other != c;
      bad += other != c && common_nodes(c, other) < m.dimension;
      for (int j = 0; j < k && other != c; j++) bad += rows[c * info.arity + j] == other;
      bad += c == m.ncells - 1 && k == info.arity - 1 && links != 2 * nin;
    }
  is_int(bad, 0, "%s: neighbours", what);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Give faces to groups at random, in another order of corners. */
static void mark_faces(int *in_groups, int *out_groups) {
  m.nmarks = 0;
  for (int f = 0; f < nin + nout; f++) {
    const int32_t *node = f < nin ? in_nodes[f] : out_nodes[f - nin];
    const int n = corners_of(node), g = roll(f < nin ? 30 : 4);
    *(f < nin ? &in_groups[f] : &out_groups[f - nin]) = g;
    if (g > 2) continue;
    for (int k = 0; k < n; k++) m.mark[m.nmarks][k] = node[(k + 1) % n];
    m.mark[m.nmarks][4] = g;
    m.size[m.nmarks++] = n;
  }
}

static int count_wrong(const char *name, int group, op2_set of, int n, const int *groups) {
  op2_set subset = NULL;
  const int64_t *idx;
  int64_t size = 0, want = 0;
  int bad = 0;
  for (int f = 0; f < n; f++) want += name ? groups[f] == group : groups[f] > 2;
  if (!CHECK(op2_mesh_group(mesh, name, of, &subset)) ||
      !CHECK(op2_subset_indices(subset, &size, &idx)))
    return 1;
  for (int64_t i = 0; i < size; i++) bad += name ? groups[idx[i]] != group : groups[idx[i]] <= 2;
  op2_set_destroy(&subset);
  return bad + (size != want);
}

static void check_groups(const char *what) {
  static int in_groups[FACES_MOST], out_groups[FACES_MOST];
  int bad = 0;
  mark_faces(in_groups, out_groups);
  op2_mesh_destroy(&mesh);
  write_mesh();
  if (!find_faces()) return;
  for (int g = 0; g < 3; g++) {
    bad += count_wrong(group_names[g], g, faces.interior, nin, in_groups);
    bad += count_wrong(group_names[g], g, faces.boundary, nout, out_groups);
  }
  bad += count_wrong(NULL, 3, faces.boundary, nout, out_groups);
  is_int(bad, 0, "%s: faces of groups", what);
}

/* A third cell at an interior face is refused, by the numbers of its nodes and cells. */
static void check_third(const char *what) {
  static int at[NODES_MOST];
  op2_faces none = {0};
  char cells[100];
  if (nin == 0) return;
  const int f = roll(nin), n = corners_of(in_nodes[f]);
  int node[5];
  for (int i = 0; i < m.nnodes; i++) at[m.order[i]] = i;
  for (int k = 0; k < n; k++) node[k] = at[in_nodes[f][k]];
  node[n] = add_node(-1, -2, -3);
  m.order[node[n]] = node[n];
  m.nmarks = 0;
  snprintf(cells, sizeof cells, "belongs to three cells: %d, %d and %d", in_cells[f][0],
           in_cells[f][1], m.ncells);
  add_cell(n + 1, node);
  write_mesh();
  if (!CHECK(op2_mesh_read(ctx, path, &mesh))) return;
  FAILS(op2_faces_create(mesh, &none), OP2_ERR_MISMATCH);
  ok(strstr(op2_error_message(), cells), "%s: %s: %s", what, cells, op2_error_message());
  op2_mesh_destroy(&mesh);
}

static void test_mesh(const char *what) {
  write_mesh();
  if (find_faces()) {
    op2_faces again = {0};
    compare_pairs(what);
    check_normals(what);
    check_edges(what);
    check_groups(what);
    ok(CHECK(op2_faces_create(mesh, &again)) && again.interior == faces.interior,
       "%s: the second call returns the same faces", what);
    op2_mesh_destroy(&mesh);
    check_third(what);
  }
  op2_mesh_destroy(&mesh);
}

static void refused(const char *text, const char *words) {
  op2_faces none = {0};
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  if (!CHECK(op2_mesh_read(ctx, path, &mesh))) return;
  FAILS(op2_faces_create(mesh, &none), OP2_ERR_MISMATCH);
  ok(strstr(op2_error_message(), words) && !none.interior, "%s: %s", words, op2_error_message());
  op2_mesh_destroy(&mesh);
}

#define POINTS "NPOIN= 5\n0 0\n1 0\n0 1\n1 1\n2 2\n"

int main(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  snprintf(path, sizeof path, "%s/random.su2", test_scratch());
  if (!CHECK(op2_init(&options, &ctx))) return done();
  for (int t = 0; t < (thorough() ? 100 : 10); t++) {
    do make_plane(1 + 3 * (t % (quick() ? 5 : 10)));
    while (m.ncells == 0); /* all may be missing */
    test_mesh("plane");
    do make_space(1 + t % 4);
    while (m.ncells == 0);
    test_mesh("space");
  }
  ok(made[0][3] && made[0][4] && made[1][4] && made[1][5] && made[1][6] && made[1][8],
     "%d, %d cells in the plane and %d, %d, %d, %d in space", made[0][3], made[0][4], made[1][4],
     made[1][5], made[1][6], made[1][8]);
  refused("NDIME= 2\nNELEM= 3\n5 0 1 2\n5 1 0 3\n5 0 1 4\n" POINTS,
          "the face of nodes 0, 1 belongs to three cells: 0, 1 and 2");
  refused("NDIME= 2\nNELEM= 1\n9 0 1 1 2\n" POINTS, "cell 0 has a face with a node twice: 1, 1");
  refused("NDIME= 2\nNELEM= 1\n5 0 1 2\n" POINTS
          "NMARK= 1\nMARKER_TAG= far\nMARKER_ELEMS= 1\n3 3 4\n",
          "element 0 of group 'far' is no face of a cell");
  refused("NDIME= 2\nNELEM= 1\n5 0 1 2\n" POINTS
          "NMARK= 1\nMARKER_TAG= thin\nMARKER_ELEMS= 1\n3 1 1\n",
          "element 0 of group 'thin' is no face of a cell");
  FAILS(op2_faces_create(NULL, &faces), OP2_ERR_ARG);
  CHECK(op2_finalize(&ctx));
  return done();
}

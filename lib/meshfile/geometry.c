/* SPDX-License-Identifier: BSD-3-Clause */
/* Areas, volumes, centroids and normals: loops of the library's own over the cells of each type, and
 * over faces. Their kernels are texts, made of the table of sides. */
#include <stdio.h>
#include <string.h>

#include "meshfile.h"
#include "op2/loop.h"

enum { TEXT_MOST = 4000, ARGS_MOST = OP2I_CORNERS_MOST + 2 };

/* The text of a kernel that grows; all texts here are shorter than its room. */
struct text {
  char chars[TEXT_MOST];
  size_t length;
};

static void add(struct text *text, const char *more) {
  const size_t length = strlen(more);
  if (text->length + length >= sizeof text->chars) return;
  memcpy(text->chars + text->length, more, length + 1);
  text->length += length;
}

/* Add the head of a kernel: corners x0, x1, ... and what it writes. */
static void add_head(struct text *text, const char *name, int corners, const char *first,
                     const char *second) {
  char part[60];
  add(text, "static inline void ");
  add(text, name);
  for (int k = 0; k < corners; k++) {
    snprintf(part, sizeof part, "%sconst double *x%d", k ? ", " : "(", k);
    add(text, part);
  }
  for (int w = 0; w < 2; w++) {
    if (!(w ? second : first)) continue;
    add(text, ", double *");
    add(text, w ? second : first);
  }
  add(text, ") {\n");
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* In the plane, triangles of the first corner and each side are added up; in space, pyramids of the
 * middle of the corners and each face. */
static const char add_triangle[] =
    "static void add_part(const double *o, const double *a, const double *b, double *sum) {\n"
    "  const double u = a[0] - o[0], v = a[1] - o[1], s = b[0] - o[0], t = b[1] - o[1];\n"
    "  const double area = 0.5 * (u * t - s * v);\n"
    "  sum[0] += area;\n"
    "  sum[1] += area * (u + s) / 3;\n"
    "  sum[2] += area * (v + t) / 3;\n"
    "}\n";
static const char add_pyramid[] =
    "static void add_part(const double *o, const double *a, const double *b, const double *c, "
    "const double *d, double extra, double *sum) {\n"
    "  double u[3], v[3], m[3];\n"
    "  for (int k = 0; k < 3; k++) {\n"
    "    u[k] = c[k] - a[k];\n"
    "    v[k] = d[k] - b[k];\n"
    "    m[k] = (a[k] + b[k] + c[k] + extra * d[k]) / (3 + extra) - o[k];\n"
    "  }\n"
    "  const double volume = (m[0] * (u[1] * v[2] - u[2] * v[1]) + m[1] * (u[2] * v[0] - u[0] * "
    "v[2]) + m[2] * (u[0] * v[1] - u[1] * v[0])) / 6;\n"
    "  sum[0] += volume;\n"
    "  for (int k = 0; k < 3; k++) sum[1 + k] += 0.75 * volume * m[k];\n"
    "}\n";

static void add_parts(struct text *text, const struct op2i_cell_sides *sides, int dimension) {
  char part[120];
  for (int s = 0; s < sides->n; s++) {
    const int8_t *c = sides->corner[s];
    if (dimension == 2)
      snprintf(part, sizeof part, "  add_part(o, x%d, x%d, sum);\n", c[0], c[1]);
    else
      snprintf(part, sizeof part, "  add_part(o, x%d, x%d, x%d, x%d, %d, sum);\n", c[0], c[1], c[2],
               c[3] < 0 ? c[2] : c[3], c[3] >= 0);
    add(text, part);
  }
}

static void cell_text(struct text *text, int shape, int dimension, int corners, bool volume,
                      bool centroid) {
  char part[200];
  add(text, dimension == 2 ? add_triangle : add_pyramid);
  add_head(text, "cell_geometry", corners, volume ? "volume" : NULL, centroid ? "centroid" : NULL);
  snprintf(part, sizeof part,
           "  double o[%d], sum[%d] = {0};\n  for (int k = 0; k < %d; k++) o[k] = (x0[k]",
           dimension, dimension + 1, dimension);
  add(text, part);
  for (int k = 1; k < corners; k++) {
    snprintf(part, sizeof part, " + x%d[k]", k);
    add(text, part);
  }
  snprintf(part, sizeof part, ") / %d;\n", corners);
  add(text, part);
  add_parts(text, &op2i_cell_sides[shape], dimension);
  if (volume) add(text, "  volume[0] = fabs(sum[0]);\n");
  snprintf(part, sizeof part,
           "  for (int k = 0; k < %d; k++) centroid[k] = o[k] + sum[1 + k] / sum[0];\n", dimension);
  if (centroid) add(text, part);
  add(text, "}\n");
}

/* ---- faces ----------------------------------------------------------------------------------- */

static void face_text(struct text *text, int corners, bool normal, bool centre) {
  add_head(text, "face_geometry", corners, normal ? "normal" : NULL, centre ? "centre" : NULL);
  if (normal && corners == 2)
    add(text, "  normal[0] = x1[1] - x0[1];\n  normal[1] = x0[0] - x1[0];\n");
  if (normal && corners > 2) {
    add(text, corners == 3 ? "  const double *last = x2;\n" : "  const double *last = x3;\n");
    add(text, "  const double u[3] = {x2[0] - x0[0], x2[1] - x0[1], x2[2] - x0[2]};\n"
              "  const double v[3] = {last[0] - x1[0], last[1] - x1[1], last[2] - x1[2]};\n"
              "  normal[0] = 0.5 * (u[1] * v[2] - u[2] * v[1]);\n"
              "  normal[1] = 0.5 * (u[2] * v[0] - u[0] * v[2]);\n"
              "  normal[2] = 0.5 * (u[0] * v[1] - u[1] * v[0]);\n");
  }
  if (centre && corners == 2)
    add(text, "  for (int k = 0; k < 2; k++) centre[k] = (x0[k] + x1[k]) / 2;\n");
  if (centre && corners == 3)
    add(text, "  for (int k = 0; k < 3; k++) centre[k] = (x0[k] + x1[k] + x2[k]) / 3;\n");
  /* A triangle has its last corner twice. */
  if (centre && corners == 4)
    add(text, "  const double extra = x2[0] != x3[0] || x2[1] != x3[1] || x2[2] != x3[2] ? 1 : 0;\n"
              "  for (int k = 0; k < 3; k++)\n"
              "    centre[k] = (x0[k] + x1[k] + x2[k] + extra * x3[k]) / (3 + extra);\n");
  add(text, "}\n");
}

/* ---- loops ----------------------------------------------------------------------------------- */

static op2_status queue(op2_where where, op2_mesh mesh, const char *name, const struct text *text,
                        op2_set set, op2_map map, int corners, op2_dat first, op2_dat second) {
  const op2_kernel_desc desc = {.name = name, .source = text->chars};
  op2_arg args[ARGS_MOST];
  op2_kernel kernel = NULL;
  int n = 0;
  op2_status status = op2_kernel_create(mesh->ctx, &desc, &kernel);
  for (; n < corners; n++) args[n] = op2_arg_dat(mesh->coordinates, n, map, OP2_READ);
  if (first) args[n++] = op2_arg_direct(first, OP2_WRITE);
  if (second) args[n++] = op2_arg_direct(second, OP2_WRITE);
  if (!status) status = op2_par_loop_at(where, kernel, set, n, args);
  op2_kernel_destroy(&kernel);
  return status;
}

static op2_status check(op2_mesh mesh, const char *call, op2_dat first, op2_dat second) {
  op2_status status = op2i_mesh_validate(mesh, call);
  if (status) return status;
  if (!first && !second)
    return mesh->op2->error(OP2_ERR_ARG, "%s: there is nothing to write", call);
  if (mesh->raw.dimension < 2 || mesh->raw.dimension != mesh->raw.space)
    return mesh->op2->error(OP2_ERR_UNAVAILABLE, "%s: %s is a mesh of lines or of a curved surface",
                            call, mesh->path);
  return OP2_SUCCESS;
}

op2_status op2_mesh_geometry_at(op2_where where, op2_mesh mesh, op2_dat volume, op2_dat centroid) {
  op2_status status = check(mesh, "op2_mesh_geometry", volume, centroid);
  if (status) return status;
  static const int corners[] = {1, 2, 3, 4, 4, 5, 6, 8}; /* by op2_cell_type */
  for (int shape = 0; shape <= OP2_CELL_HEXAHEDRON && !status; shape++) {
    struct text text = {.length = 0};
    op2_set subset = NULL;
    if (!mesh->info.cells_of[shape]) continue;
    cell_text(&text, shape, mesh->raw.dimension, corners[shape], volume, centroid);
    if (mesh->info.cells_of[shape] < mesh->info.cells)
      status = op2_mesh_cells_of(mesh, (op2_cell_type)shape, &subset);
    if (!status)
      status = queue(where, mesh, "cell_geometry", &text, subset ? subset : mesh->cells,
                     mesh->cell_nodes, corners[shape], volume, centroid);
    op2_set_destroy(&subset);
  }
  return status;
}

op2_status op2_faces_geometry_at(op2_where where, op2_mesh mesh, op2_set of, op2_dat normal,
                                 op2_dat centre) {
  struct text text = {.length = 0};
  op2_map_info info = {0};
  op2_status status = check(mesh, "op2_faces_geometry", normal, centre);
  if (status) return status;
  if (!of || (of != mesh->faces.interior && of != mesh->faces.boundary))
    return mesh->op2->error(OP2_ERR_MISMATCH,
                            "op2_faces_geometry: the set is none of the faces of %s", mesh->path);
  const op2_map map = of == mesh->faces.interior ? mesh->faces.nodes : mesh->faces.boundary_nodes;
  status = op2_map_info_get(map, &info);
  if (status) return status;
  face_text(&text, info.arity, normal, centre);
  return queue(where, mesh, "face_geometry", &text, of, map, info.arity, normal, centre);
}

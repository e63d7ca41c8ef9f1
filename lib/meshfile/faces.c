/* SPDX-License-Identifier: BSD-3-Clause */
/* Faces of cells: each is found twice, from its two cells, or once at the boundary. */
#include "faces.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void op2i_faces_free(struct op2i_faces *faces) {
  if (!faces->op2) return;
  faces->op2->free(faces->face);
  faces->op2->free(faces->head);
  *faces = (struct op2i_faces){0};
}

static int nodes_of(const int64_t node[4]) {
  int n = 0;
  while (n < 4 && node[n] >= 0) n++;
  return n;
}

static int64_t lowest(int n, const int64_t *node) {
  int64_t least = node[0];
  for (int k = 1; k < n; k++)
    if (node[k] < least) least = node[k];
  return least;
}

/* True if the n nodes are those of a face, which has none of them twice. */
static bool same(const struct op2i_face *face, int n, const int64_t *node) {
  int found = 0;
  if (nodes_of(face->node) != n) return false;
  for (int a = 0; a < n; a++) {
    int b = 0;
    while (b < n && face->node[a] != node[b]) b++;
    found += b < n;
  }
  return found == n;
}

struct op2i_face *op2i_faces_at(const struct op2i_faces *faces, int n, const int64_t *node) {
  int64_t at = faces->head[lowest(n, node)];
  while (at && !same(&faces->face[at - 1], n, node)) at = faces->face[at - 1].next;
  return at ? &faces->face[at - 1] : NULL;
}

/* ---- orientation ----------------------------------------------------------------------------- */

/* Twice the area vector of a face with its corners in order, times a vector from `origin` to the
 * face: six times the volume that it adds to a cell. */
static double volume_below(const double *origin, int n, const double *const p[4]) {
  double u[3], v[3], w[3];
  const double *last = p[n - 1];
  for (int k = 0; k < 3; k++) {
    u[k] = p[2][k] - p[0][k];
    v[k] = n == 4 ? last[k] - p[1][k] : p[2][k] - p[1][k];
    w[k] = (p[0][k] + p[1][k] + p[2][k] + (n == 4 ? last[k] : 0)) / n - origin[k];
  }
  return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
         w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static double area_below(const double *origin, const double *a, const double *b) {
  return (a[0] - origin[0]) * (b[1] - origin[1]) - (b[0] - origin[0]) * (a[1] - origin[1]);
}

/* True if the corners of a cell are in the other order than that of positive area or volume. */
static bool inverted(const struct op2i_raw *raw, const int64_t *node, int shape) {
  const struct op2i_cell_sides *sides = &op2i_cell_sides[shape];
  const double *origin = raw->x + 3 * node[0], *p[4] = {0};
  double sum = 0;
  if (raw->dimension == 2 && raw->space == 3) return false;
  for (int s = 0; s < sides->n; s++) {
    int n = 0;
    for (; n < 4 && sides->corner[s][n] >= 0; n++) p[n] = raw->x + 3 * node[sides->corner[s][n]];
    sum += raw->dimension == 2 ? area_below(origin, p[0], p[1]) : volume_below(origin, n, p);
  }
  return sum < 0;
}

/* ---- finding --------------------------------------------------------------------------------- */

static op2_status fail_nodes(const struct op2i_raw *raw, const char *path, const int64_t *node,
                             int64_t a, int64_t b, int64_t c) {
  const int64_t *tag = raw->of[raw->dimension].tag;
  char names[120] = "";
  int length = 0;
  for (int k = 0; k < nodes_of(node); k++)
    length += snprintf(names + length, sizeof names - (size_t)length, "%s%" PRId64, k ? ", " : "",
                       raw->tag[node[k]]);
  if (c < 0)
    return raw->op2->error(OP2_ERR_MISMATCH,
                           "%s: cell %" PRId64 " has a face with a node twice: %s", path, tag[a],
                           names);
  return raw->op2->error(OP2_ERR_MISMATCH,
                         "%s: the face of nodes %s belongs to three cells: %" PRId64 ", %" PRId64
                         " and %" PRId64,
                         path, names, tag[a], tag[b], tag[c]);
}

static bool repeats(int n, const int64_t *node) {
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++)
      if (node[a] == node[b]) return true;
  return false;
}

static op2_status add_face(const struct op2i_raw *raw, const char *path, struct op2i_faces *faces,
                           int64_t cell, const int64_t node[4]) {
  const int n = nodes_of(node);
  if (repeats(n, node)) return fail_nodes(raw, path, node, cell, -1, -1);
  struct op2i_face *face = op2i_faces_at(faces, n, node);
  if (face && face->cell[1] >= 0)
    return fail_nodes(raw, path, node, face->cell[0], face->cell[1], cell);
  if (face) {
    face->cell[1] = cell;
    return OP2_SUCCESS;
  }
  if (!op2i_raw_room(raw->op2, &faces->face, sizeof *faces->face, faces->n + 1, &faces->capacity))
    return raw->op2->error_nomem("faces");
  int64_t *head = &faces->head[lowest(n, node)];
  face = &faces->face[faces->n++];
  *face = (struct op2i_face){.cell = {cell, -1}, .next = *head};
  memcpy(face->node, node, sizeof face->node);
  *head = faces->n;
  if (n > faces->most_nodes) faces->most_nodes = n;
  return OP2_SUCCESS;
}

static op2_status add_cell(const struct op2i_raw *raw, const char *path, struct op2i_faces *faces,
                           int64_t cell) {
  const struct op2i_elements *cells = &raw->of[raw->dimension];
  const int64_t *node = cells->node + op2i_element_begin(cells, cell);
  const int shape = op2i_cell_kinds[cells->kind[cell]].shape;
  const struct op2i_cell_sides *sides = &op2i_cell_sides[shape];
  const bool turn = inverted(raw, node, shape);
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < sides->n && !status; s++) {
    int64_t at[4];
    int n = 0;
    for (int k = 0; k < 4; k++) {
      at[k] = sides->corner[s][k] < 0 ? -1 : node[sides->corner[s][k]];
      n += at[k] >= 0;
    }
    if (turn) { /* the first node stays */
      const int low = n == 2 ? 0 : 1, high = n - 1;
      const int64_t other = at[low];
      at[low] = at[high];
      at[high] = other;
    }
    status = add_face(raw, path, faces, cell, at);
  }
  return status;
}

op2_status op2i_faces_find(const struct op2i_raw *raw, const char *path, struct op2i_faces *faces) {
  *faces = (struct op2i_faces){.op2 = raw->op2};
  op2_status status = OP2_SUCCESS;
  if (raw->dimension < 2)
    return raw->op2->error(OP2_ERR_MISMATCH, "%s: its cells are lines, which have no faces", path);
  faces->head = raw->op2->calloc((size_t)raw->nnodes, sizeof *faces->head);
  if (!faces->head) return raw->op2->error_nomem("faces");
  for (int64_t c = 0; c < raw->of[raw->dimension].n && !status; c++)
    status = add_cell(raw, path, faces, c);
  for (int64_t f = 0; f < faces->n; f++) {
    struct op2i_face *face = &faces->face[f];
    face->number = face->cell[1] < 0 ? faces->boundary++ : faces->interior++;
  }
  return status;
}

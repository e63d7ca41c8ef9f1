/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of a mesh with their nodes, and neighbours of cells. */
#include <string.h>

#include "faces.h"
#include "meshfile.h"

/* Edges, found by their lower node. */
struct edges {
  int64_t n, capacity;
  struct edge {
    int64_t node[2], next; /* lower node first; 1 + the next edge with this one, 0: none */
  } * edge;
  int64_t *head;
};

static bool add_edge(const struct op2i_raw *raw, struct edges *edges, int64_t a, int64_t b) {
  const int64_t low = a < b ? a : b, high = a < b ? b : a;
  int64_t at = edges->head[low];
  if (a == b) return true; /* the cell has a node twice */
  while (at && edges->edge[at - 1].node[1] != high) at = edges->edge[at - 1].next;
  if (at) return true;
  if (!op2i_raw_room(raw->op2, &edges->edge, sizeof *edges->edge, edges->n + 1, &edges->capacity))
    return false;
  edges->edge[edges->n] = (struct edge){{low, high}, edges->head[low]};
  edges->head[low] = ++edges->n;
  return true;
}

/* The edges of a cell are those of its sides, each of which has its corners in a circle. */
static bool add_cell(const struct op2i_raw *raw, struct edges *edges, int64_t cell) {
  const struct op2i_elements *cells = &raw->of[raw->dimension];
  const int64_t *node = cells->node + op2i_element_begin(cells, cell);
  const struct op2i_cell_sides *sides = &op2i_cell_sides[op2i_cell_kinds[cells->kind[cell]].shape];
  for (int s = 0; s < sides->n; s++) {
    int n = 0;
    while (n < 4 && sides->corner[s][n] >= 0) n++;
    for (int k = 0; k < (n == 2 ? 1 : n); k++)
      if (!add_edge(raw, edges, node[sides->corner[s][k]], node[sides->corner[s][(k + 1) % n]]))
        return false;
  }
  return true;
}

static op2_status find_edges(op2_mesh mesh, struct edges *edges) {
  const struct op2i_raw *raw = &mesh->raw;
  bool good = true;
  if (raw->dimension < 2)
    return mesh->op2->error(OP2_ERR_MISMATCH, "%s: its cells are lines themselves", mesh->path);
  edges->head = mesh->op2->calloc((size_t)raw->nnodes, sizeof *edges->head);
  for (int64_t c = 0; edges->head && good && c < raw->of[raw->dimension].n; c++)
    good = add_cell(raw, edges, c);
  return edges->head && good ? OP2_SUCCESS : mesh->op2->error_nomem("edges");
}

static op2_status declare_edges(op2_mesh mesh, const struct edges *edges) {
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  int64_t first, n, *entries;
  op2i_mesh_block(mesh, edges->n, &first, &n);
  entries = mesh->op2->calloc((size_t)(2 * n) + 1, sizeof *entries);
  op2_status status = entries ? OP2_SUCCESS : mesh->op2->error_nomem("edges");
  for (int64_t e = 0; entries && e < n; e++)
    memcpy(entries + 2 * e, edges->edge[first + e].node, 2 * sizeof *entries);
  status = op2i_mesh_agree(mesh, status);
  if (!status) status = op2_set_create(mesh->ctx, n, "edges", &mesh->edges);
  if (!status)
    status = op2_map_create_entries(mesh->edges, mesh->nodes, 2, &how, entries, "edge_nodes",
                                    &mesh->edge_nodes);
  if (status) op2_set_destroy(&mesh->edges);
  mesh->op2->free(entries);
  return status;
}

op2_status op2_edges_create(op2_mesh mesh, op2_set *set, op2_map *nodes) {
  struct edges edges = {0};
  op2_status status = op2i_mesh_validate(mesh, "op2_edges_create");
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_edges_create", NULL, 0, 0);
  if (!set || !nodes)
    status = mesh->op2->error(OP2_ERR_ARG, "op2_edges_create: a null pointer");
  else if (!mesh->edges)
    status = find_edges(mesh, &edges);
  status = op2i_mesh_agree(mesh, status);
  if (!status && !mesh->edges) status = declare_edges(mesh, &edges);
  mesh->op2->free(edges.edge);
  mesh->op2->free(edges.head);
  if (status) return status;
  *set = mesh->edges;
  *nodes = mesh->edge_nodes;
  return OP2_SUCCESS;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* This rank's rows: neighbours in the order of the faces between, and then the cell itself. */
static op2_status make_rows(op2_mesh mesh, const struct op2i_faces *faces, int arity, int64_t first,
                            int64_t n, int64_t **out) {
  int64_t *entries = mesh->op2->calloc((size_t)(n * arity) + 1, sizeof *entries);
  int *found = mesh->op2->calloc((size_t)n + 1, sizeof *found);
  for (int64_t i = 0; entries && i < n * arity; i++) entries[i] = first + i / arity;
  for (int64_t f = 0; entries && found && f < faces->n; f++)
    for (int c = 0; c < 2 && faces->face[f].cell[1] >= 0; c++) {
      const int64_t row = faces->face[f].cell[c] - first;
      if (row >= 0 && row < n) entries[row * arity + found[row]++] = faces->face[f].cell[1 - c];
    }
  *out = entries;
  op2_status status = entries && found ? OP2_SUCCESS : mesh->op2->error_nomem("neighbours");
  mesh->op2->free(found);
  return status;
}

static op2_status make_neighbours(op2_mesh mesh) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  struct op2i_faces faces = {0};
  int64_t first, n, *entries = NULL;
  int arity = 1;
  for (int64_t e = 0; e < cells->n; e++) {
    const int sides = op2i_cell_sides[op2i_cell_kinds[cells->kind[e]].shape].n;
    if (sides > arity) arity = sides;
  }
  op2i_mesh_block(mesh, cells->n, &first, &n);
  op2_status status = op2i_faces_find(&mesh->raw, mesh->path, &faces);
  if (!status) status = make_rows(mesh, &faces, arity, first, n, &entries);
  op2i_faces_free(&faces);
  status = op2i_mesh_agree(mesh, status);
  if (!status)
    status = op2_map_create_entries(mesh->cells, mesh->cells, arity, &how, entries, "neighbours",
                                    &mesh->neighbours);
  mesh->op2->free(entries);
  return status;
}

op2_status op2_neighbours_create(op2_mesh mesh, op2_map *neighbours) {
  op2_status status = op2i_mesh_validate(mesh, "op2_neighbours_create");
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_neighbours_create", NULL, 0, 0);
  if (!neighbours) status = mesh->op2->error(OP2_ERR_ARG, "op2_neighbours_create: a null pointer");
  status = op2i_mesh_agree(mesh, status);
  if (!status && !mesh->neighbours) status = make_neighbours(mesh);
  if (!status) *neighbours = mesh->neighbours;
  return status;
}

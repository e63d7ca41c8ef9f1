/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of a mesh with their nodes, and neighbours of cells. */
#include <string.h>

#include "faces.h"
#include "mesh_mail.h"

/* The edges of this rank's cells, lower node first, each as often as cells have it; and those of them
 * that have the first cell here. */
struct edges {
  int64_t n;
  int64_t (*node)[2];
  int32_t *to; /* the rank that has the lower node */
};

static void add_edge(op2_mesh mesh, struct op2i_share *shares, struct edges *edges, int64_t a,
                     int64_t b) {
  const int64_t low = a < b ? a : b, high = a < b ? b : a;
  if (a == b) return; /* the cell has a node twice */
  edges->node[edges->n][0] = low;
  edges->node[edges->n][1] = high;
  edges->to[edges->n++] = op2i_mesh_share_of(mesh, shares, low);
}

/* The edges of a cell are those of its sides, each of which has its corners in a circle. A side of a
 * solid cell has as many edges as corners. */
static void add_cell(op2_mesh mesh, struct op2i_share *shares, struct edges *edges, int64_t cell) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  const int64_t *node = cells->node + op2i_element_begin(cells, cell);
  const struct op2i_cell_sides *sides = &op2i_cell_sides[op2i_cell_kinds[cells->kind[cell]].shape];
  for (int s = 0; s < sides->n; s++) {
    int n = 0;
    while (n < 4 && sides->corner[s][n] >= 0) n++;
    for (int k = 0; k < (n == 2 ? 1 : n); k++)
      add_edge(mesh, shares, edges, node[sides->corner[s][k]], node[sides->corner[s][(k + 1) % n]]);
  }
}

static op2_status list_edges(op2_mesh mesh, struct edges *edges) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  struct op2i_share shares = op2i_mesh_shares(mesh, mesh->raw.total_nodes);
  size_t most = 0;
  for (int64_t c = 0; c < cells->n; c++)
    most += 4 * (size_t)op2i_cell_sides[op2i_cell_kinds[cells->kind[c]].shape].n;
  edges->node = mesh->op2->calloc(most + 1, sizeof *edges->node);
  edges->to = mesh->op2->calloc(most + 1, sizeof *edges->to);
  if (!edges->node || !edges->to) return mesh->op2->error_nomem("edges");
  for (int64_t c = 0; c < cells->n; c++) add_cell(mesh, &shares, edges, c);
  return OP2_SUCCESS;
}

/* Set first[i] to 1 for the first of equal edges, in the order of all cells; else to 0. */
static op2_status find_first(op2_mesh mesh, const struct op2i_mesh_mail *mail, int64_t *first) {
  const int64_t(*edge)[2] = mail->rows, at = mesh->raw.first_node;
  int64_t *head = mesh->op2->calloc((size_t)mesh->raw.nnodes + 1, sizeof *head);
  int64_t *next = mesh->op2->calloc((size_t)mail->n + 1, sizeof *next);
  op2_status status = head && next ? OP2_SUCCESS : mesh->op2->error_nomem("edges");
  for (int64_t i = 0; i < mail->n && !status; i++) {
    int64_t other = head[edge[i][0] - at];
    while (other && edge[other - 1][1] != edge[i][1]) other = next[other - 1];
    first[i] = !other;
    if (other) continue;
    next[i] = head[edge[i][0] - at];
    head[edge[i][0] - at] = i + 1;
  }
  mesh->op2->free(head);
  mesh->op2->free(next);
  return status;
}

/* Keep each edge on the rank whose cell is the first that has it. */
static op2_status find_edges(op2_mesh mesh, struct edges *edges) {
  struct op2i_mesh_mail mail = {0};
  int64_t *first = NULL, *answers = NULL, n = 0;
  if (mesh->raw.dimension < 2)
    return mesh->op2->error(OP2_ERR_MISMATCH, "%s: its cells are lines themselves", mesh->path);
  op2_status status = list_edges(mesh, edges);
  if (!status && !(first = mesh->op2->calloc((size_t)edges->n + 1, sizeof *first)))
    status = mesh->op2->error_nomem("edges");
  status = op2i_mesh_mail_send(mesh, status, edges->n, edges->to, sizeof *edges->node, edges->node,
                               &mail);
  if (!status) {
    answers = mesh->op2->calloc((size_t)mail.n + 1, sizeof *answers);
    status = answers ? find_first(mesh, &mail, answers) : mesh->op2->error_nomem("edges");
    status = op2i_mesh_mail_answer(&mail, status, sizeof *answers, answers, first);
  }
  for (int64_t i = 0; i < edges->n && !status; i++)
    if (first[i]) memcpy(edges->node[n++], edges->node[i], sizeof *edges->node);
  edges->n = n;
  mesh->op2->free(first);
  mesh->op2->free(answers);
  op2i_mesh_mail_free(&mail);
  return status;
}

static op2_status declare_edges(op2_mesh mesh, const struct edges *edges) {
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  op2_status status = op2_set_create(mesh->ctx, edges->n, "edges", &mesh->edges);
  if (!status)
    status = op2_map_create_entries(mesh->edges, mesh->nodes, 2, &how, edges->node, "edge_nodes",
                                    &mesh->edge_nodes);
  if (status) op2_set_destroy(&mesh->edges);
  return status;
}

op2_status op2_edges_create(op2_mesh mesh, op2_set *set, op2_map *nodes) {
  struct edges edges = {0};
  op2_status status = op2i_mesh_validate(mesh, "op2_edges_create");
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_edges_create", NULL, 0, 0);
  if (!set || !nodes) status = mesh->op2->error(OP2_ERR_ARG, "op2_edges_create: a null pointer");
  status = op2i_mesh_agree(mesh, status);
  if (!status && !mesh->edges) {
    status = find_edges(mesh, &edges);
    if (!status) status = declare_edges(mesh, &edges);
  }
  mesh->op2->free(edges.node);
  mesh->op2->free(edges.to);
  if (status) return status;
  *set = mesh->edges;
  *nodes = mesh->edge_nodes;
  return OP2_SUCCESS;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* A cell and a neighbour of it. */
struct pair {
  int64_t cell, other;
};

/* Both neighbours of each face whose first cell is here, in the order of faces, and the ranks that have
 * the cells. */
static op2_status list_pairs(op2_mesh mesh, const struct op2i_faces *faces, struct pair *pair,
                             int32_t *to) {
  struct op2i_share shares = op2i_mesh_shares(mesh, mesh->info.cells);
  if (!pair || !to) return mesh->op2->error_nomem("neighbours");
  for (int64_t f = 0, n = 0; f < faces->n; f++)
    for (int c = 0; c < 2 && faces->face[f].cell[1] >= 0; c++, n++) {
      pair[n] = (struct pair){faces->face[f].cell[c], faces->face[f].cell[1 - c]};
      to[n] = op2i_mesh_share_of(mesh, &shares, pair[n].cell);
    }
  return OP2_SUCCESS;
}

/* This rank's rows: neighbours in the order of the faces between, and then the cell itself. */
static op2_status make_rows(op2_mesh mesh, const struct op2i_mesh_mail *mail, int arity,
                            int64_t **out) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  const struct pair *pair = mail->rows;
  int64_t *entries = mesh->op2->calloc((size_t)(cells->n * arity) + 1, sizeof *entries);
  int *found = mesh->op2->calloc((size_t)cells->n + 1, sizeof *found);
  for (int64_t i = 0; entries && i < cells->n * arity; i++) entries[i] = cells->first + i / arity;
  for (int64_t i = 0; entries && found && i < mail->n; i++) {
    const int64_t row = pair[i].cell - cells->first;
    entries[row * arity + found[row]++] = pair[i].other;
  }
  *out = entries;
  op2_status status = entries && found ? OP2_SUCCESS : mesh->op2->error_nomem("neighbours");
  mesh->op2->free(found);
  return status;
}

/* The most sides that a cell has. */
static int most_sides(op2_mesh mesh) {
  int most = 1;
  for (int shape = 0; shape <= OP2_CELL_HEXAHEDRON; shape++)
    if (mesh->info.cells_of[shape] && op2i_cell_sides[shape].n > most)
      most = op2i_cell_sides[shape].n;
  return most;
}

static op2_status make_neighbours(op2_mesh mesh) {
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  const int arity = most_sides(mesh);
  struct op2i_faces faces = {0};
  struct op2i_mesh_mail mail = {0};
  struct pair *pair = NULL;
  int32_t *to = NULL;
  int64_t *entries = NULL;
  op2_status status = op2i_faces_find(mesh, false, &faces);
  if (!status) {
    pair = mesh->op2->calloc((size_t)(2 * faces.interior) + 1, sizeof *pair);
    to = mesh->op2->calloc((size_t)(2 * faces.interior) + 1, sizeof *to);
    status = list_pairs(mesh, &faces, pair, to);
    status = op2i_mesh_mail_send(mesh, status, 2 * faces.interior, to, sizeof *pair, pair, &mail);
  }
  if (!status) status = op2i_mesh_agree(mesh, make_rows(mesh, &mail, arity, &entries));
  op2i_mesh_mail_free(&mail);
  op2i_faces_free(&faces);
  mesh->op2->free(pair);
  mesh->op2->free(to);
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

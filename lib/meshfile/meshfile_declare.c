/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets, maps and coordinates of a mesh, declared in blocks over ranks. */
#include <string.h>

#include "meshfile.h"

void op2i_mesh_block(op2_mesh mesh, int64_t n, int64_t *first, int64_t *count) {
  int64_t rank = op2_rank(mesh->ctx), ranks = op2_ranks(mesh->ctx);
  int64_t each = n / ranks, more = n % ranks;
  *first = rank * each + (rank < more ? rank : more);
  *count = each + (rank < more);
}

/* The rows of this rank's cells, with the last node again for a cell that has fewer than others. */
struct rows {
  int64_t n;
  int arity;
  int64_t *entries;
};

static op2_status make_rows(op2_mesh mesh, struct rows *rows) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  rows->arity = mesh->info.cell_nodes;
  rows->n = cells->n;
  rows->entries = mesh->op2->calloc((size_t)(rows->n * rows->arity) + 1, sizeof *rows->entries);
  if (!rows->entries) return mesh->op2->error_nomem("the nodes of cells");
  for (int64_t r = 0; r < rows->n; r++) {
    const int64_t begin = op2i_element_begin(cells, r);
    const int64_t nodes = cells->end[r] - begin;
    for (int64_t k = 0; k < rows->arity; k++)
      rows->entries[r * rows->arity + k] = cells->node[begin + (k < nodes ? k : nodes - 1)];
  }
  return OP2_SUCCESS;
}

/* Coordinates of this rank's nodes, without z in a plane mesh. */
static op2_status make_coordinates(op2_mesh mesh, double **out) {
  const int space = mesh->raw.space;
  const int64_t n = mesh->raw.nnodes;
  double *x = mesh->op2->calloc((size_t)(n * space) + 1, sizeof *x);
  if (!x) return mesh->op2->error_nomem("coordinates");
  for (int64_t i = 0; i < n; i++)
    memcpy(x + i * space, mesh->raw.x + 3 * i, (size_t)space * sizeof *x);
  *out = x;
  return OP2_SUCCESS;
}

op2_status op2i_mesh_declare(op2_mesh mesh) {
  struct rows rows = {0};
  double *x = NULL;
  op2_status status = make_rows(mesh, &rows);
  if (!status) status = make_coordinates(mesh, &x);
  status = op2i_mesh_agree(mesh, status);
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  if (!status) status = op2_set_create(mesh->ctx, mesh->raw.nnodes, "nodes", &mesh->nodes);
  if (!status) status = op2_set_create(mesh->ctx, rows.n, "cells", &mesh->cells);
  if (!status)
    status = op2_map_create_entries(mesh->cells, mesh->nodes, rows.arity, &how, rows.entries,
                                    "cell_nodes", &mesh->cell_nodes);
  if (!status)
    status =
        op2_dat_create(mesh->nodes, mesh->raw.space, OP2_F64, x, "coordinates", &mesh->coordinates);
  mesh->op2->free(rows.entries);
  mesh->op2->free(x);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "file_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char *const set_names[FILE_SETS] = {"nodes", "edges", "cells"};
static const char *const map_names[FILE_MAPS] = {"edge_nodes", "edge_cells", "maps/cell_nodes",
                                                 "node_nodes"};
static const char *const const_names[FILE_CONSTS] = {"gam", "qinf", "deep/er/alpha"};
static const int const_dims[FILE_CONSTS] = {1, 4, 5};

size_t file_type_size(op2_type type) {
  static const size_t sizes[] = {0, 8, 4, 1, 2, 4, 8, 1, 2, 4, 8};
  return sizes[type];
}

static void dat_name(char name[32], int d) {
  snprintf(name, 32, d % 4 == 3 ? "group%d/p_%d" : "p_%d", d, d);
}

static size_t row_bytes(const struct file_mesh *mesh, int d) {
  return (size_t)mesh->dim[d] * file_type_size(mesh->type[d]);
}

void file_mesh_make(struct file_mesh *mesh, uint64_t seed) {
  uint64_t state = seed;
  for (int s = 0; s < FILE_SETS; s++) mesh->size[s] = 1 + draw_below(&state, 40);
  /* The last may be empty, if no map leads to it. */
  int from[FILE_MAPS] = {1, 1, 2, 0}, to[FILE_MAPS] = {0, 2, 0, 0};
  for (int m = 0; m < FILE_MAPS; m++) {
    mesh->from[m] = from[m];
    mesh->to[m] = to[m];
    mesh->arity[m] = 1 + draw_below(&state, 4);
    int64_t n = mesh->size[from[m]] * mesh->arity[m];
    mesh->entries[m] = calloc((size_t)n, sizeof(int64_t));
    for (int64_t i = 0; i < n; i++)
      mesh->entries[m][i] = draw_below(&state, (int)mesh->size[to[m]]);
  }
  for (int d = 0; d < FILE_DATS; d++) {
    mesh->set[d] = draw_below(&state, FILE_SETS);
    mesh->dim[d] = 1 + draw_below(&state, 4);
    mesh->type[d] = (op2_type)(1 + d % 10);
    size_t bytes = (size_t)mesh->size[mesh->set[d]] * row_bytes(mesh, d);
    mesh->values[d] = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) mesh->values[d][i] = (unsigned char)draw(&state);
  }
  for (int c = 0; c < FILE_CONSTS; c++)
    for (int i = 0; i < 5; i++) mesh->consts[c][i] = (double)draw(&state) / 3;
}

void file_mesh_free(struct file_mesh *mesh) {
  for (int m = 0; m < FILE_MAPS; m++) free(mesh->entries[m]);
  for (int d = 0; d < FILE_DATS; d++) free(mesh->values[d]);
}

/* Block distribution, the same as the library's. */
static int64_t block(op2_context ctx, int64_t n, int64_t *count) {
  int64_t rank = op2_rank(ctx), size = op2_ranks(ctx), more = n % size;
  *count = n / size + (rank < more);
  return rank * (n / size) + (rank < more ? rank : more);
}

op2_status file_mesh_declare(op2_context ctx, const struct file_mesh *mesh,
                             struct file_objects *objects) {
  op2_status status = OP2_SUCCESS;
  int64_t n;
  char name[32];
  *objects = (struct file_objects){0};
  for (int s = 0; s < FILE_SETS && !status; s++) {
    block(ctx, mesh->size[s], &n);
    status = op2_set_create(ctx, n, set_names[s], &objects->sets[s]);
  }
  for (int m = 0; m < FILE_MAPS && !status; m++)
    status = op2_map_create_global(
        objects->sets[mesh->from[m]], objects->sets[mesh->to[m]], mesh->arity[m],
        mesh->entries[m] + block(ctx, mesh->size[mesh->from[m]], &n) * mesh->arity[m], map_names[m],
        &objects->maps[m]);
  for (int d = 0; d < FILE_DATS && !status; d++) {
    dat_name(name, d);
    int64_t first = block(ctx, mesh->size[mesh->set[d]], &n);
    status = op2_dat_create(objects->sets[mesh->set[d]], mesh->dim[d], mesh->type[d],
                            mesh->values[d] + (size_t)first * row_bytes(mesh, d), name,
                            &objects->dats[d]);
  }
  return status;
}

void file_objects_destroy(struct file_objects *objects) {
  for (int d = 0; d < FILE_DATS; d++) op2_dat_destroy(&objects->dats[d]);
  for (int m = 0; m < FILE_MAPS; m++) op2_map_destroy(&objects->maps[m]);
  for (int s = 0; s < FILE_SETS; s++) op2_set_destroy(&objects->sets[s]);
}

/* The status of closing counts if no call has failed before. */
static op2_status end(op2_file *file, op2_status status) {
  op2_status closed = op2_file_close(file);
  return status ? status : closed;
}

op2_status file_mesh_write(op2_context ctx, const char *path, const struct file_mesh *mesh,
                           const struct file_objects *objects) {
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, path, OP2_FILE_CREATE, &file);
  for (int s = 0; s < FILE_SETS && !status; s++)
    status = op2_file_write_set(file, objects->sets[s], NULL);
  for (int m = 0; m < FILE_MAPS && !status; m++)
    status = op2_file_write_map(file, objects->maps[m], NULL);
  for (int d = 0; d < FILE_DATS && !status; d++)
    status = op2_file_write_dat(file, objects->dats[d], NULL);
  for (int c = 0; c < FILE_CONSTS && !status; c++)
    status = op2_file_write_const(file, const_dims[c], OP2_F64, const_names[c], mesh->consts[c]);
  return end(&file, status);
}

op2_status file_mesh_read(op2_context ctx, const char *path, const struct file_mesh *mesh,
                          struct file_objects *objects) {
  op2_file file = NULL;
  double values[5];
  char name[32];
  *objects = (struct file_objects){0};
  op2_status status = op2_file_open(ctx, path, OP2_FILE_READ, &file);
  for (int s = 0; s < FILE_SETS && !status; s++)
    status = op2_file_read_set(file, set_names[s], &objects->sets[s]);
  for (int m = 0; m < FILE_MAPS && !status; m++)
    status = op2_file_read_map(file, objects->sets[mesh->from[m]], objects->sets[mesh->to[m]],
                               mesh->arity[m], map_names[m], &objects->maps[m]);
  for (int d = 0; d < FILE_DATS && !status; d++) {
    dat_name(name, d);
    status = op2_file_read_dat(file, objects->sets[mesh->set[d]], mesh->dim[d], mesh->type[d], name,
                               &objects->dats[d]);
  }
  for (int c = 0; c < FILE_CONSTS && !status; c++) {
    status = op2_file_read_const(file, const_dims[c], OP2_F64, const_names[c], values);
    if (!status && memcmp(values, mesh->consts[c], (size_t)const_dims[c] * sizeof *values))
      status = OP2_ERR_MISMATCH;
  }
  return end(&file, status);
}

int file_mesh_differs(const struct file_mesh *mesh, const struct file_objects *objects) {
  int differs = 0;
  for (int d = 0; d < FILE_DATS; d++) {
    size_t bytes = (size_t)mesh->size[mesh->set[d]] * row_bytes(mesh, d);
    void *all = malloc(bytes);
    differs += op2_dat_get_block(objects->dats[d], 0, mesh->size[mesh->set[d]], all) != 0 ||
               memcmp(all, mesh->values[d], bytes) != 0;
    free(all);
  }
  return differs;
}

int file_equal(const char *a, const char *b) {
  FILE *in[2] = {fopen(a, "rb"), fopen(b, "rb")};
  int equal = in[0] && in[1], c[2] = {0, 0};
  while (equal && c[0] != EOF) {
    for (int i = 0; i < 2; i++) c[i] = getc(in[i]);
    equal = c[0] == c[1];
  }
  for (int i = 0; i < 2; i++)
    if (in[i]) fclose(in[i]);
  return equal;
}

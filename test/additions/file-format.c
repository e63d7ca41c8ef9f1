/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a mesh to a file of the format that file-format.patch adds, adds to it, reads it back, and
 * looks at the file itself. */
#include <op2/io.h>
#include <stdlib.h>
#include <string.h>

#include "addition.h"

enum { EDGES = 50, NODES = EDGES + 1 };

#define HOLDS(cond)                                                                                \
  do {                                                                                             \
    if (!(cond)) {                                                                                 \
      fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #cond);                             \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

static int32_t ends[2 * EDGES];
static double x[3 * NODES];
static char path[4096];

static int write_file(op2_context ctx) {
  const float limits[2] = {1, 2};
  op2_set edges, nodes;
  op2_map map;
  op2_dat dat;
  op2_file file;
  DO(op2_set_create(ctx, EDGES, "edges", &edges));
  DO(op2_set_create(ctx, NODES, "nodes", &nodes));
  DO(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  DO(op2_dat_create(nodes, 3, OP2_F64, x, "x", &dat));
  DO(op2_file_open(ctx, path, OP2_FILE_CREATE, &file));
  DO(op2_file_write_set(file, edges, NULL));
  DO(op2_file_write_set(file, nodes, NULL));
  DO(op2_file_write_map(file, map, NULL));
  HOLDS(op2_file_write_map(file, map, NULL) == OP2_ERR_NAME);
  DO(op2_file_close(&file));
  DO(op2_file_open(ctx, path, OP2_FILE_ADD, &file));
  DO(op2_file_write_dat(file, dat, NULL));
  DO(op2_file_write_const(file, 2, OP2_F32, "limits", limits));
  DO(op2_file_close(&file));
  return 0;
}

static int read_file(op2_context ctx) {
  float limits[2] = {0, 0};
  double values[3 * NODES], rows[2][3];
  int32_t targets[2 * EDGES];
  int64_t n = 0;
  int dim = 0;
  op2_type type;
  op2_set edges, nodes;
  op2_map map;
  op2_dat dat;
  op2_file file;
  DO(op2_file_open(ctx, path, OP2_FILE_READ, &file));
  DO(op2_file_read_set(file, "edges", &edges));
  DO(op2_file_read_set(file, "nodes", &nodes));
  DO(op2_file_read_map(file, edges, nodes, 2, "ends", &map));
  DO(op2_file_read_dat(file, nodes, 3, OP2_F64, "x", &dat));
  DO(op2_file_read_const(file, 2, OP2_F32, "limits", limits));
  DO(op2_file_read_rows(file, "x", 7, 2, 3, OP2_F64, rows));
  DO(op2_file_read_rows(file, "ends", 0, EDGES, 2, OP2_I32, targets));
  DO(op2_file_shape(file, "x", &n, &dim, &type));
  HOLDS(op2_file_read_dat(file, nodes, 2, OP2_F64, "x", &dat) == OP2_ERR_MISMATCH);
  HOLDS(op2_file_read_const(file, 2, OP2_F64, "limits", values) == OP2_ERR_TYPE);
  HOLDS(op2_file_read_set(file, "cells", &edges) == OP2_ERR_IO);
  DO(op2_file_close(&file));
  DO(op2_dat_get(dat, values));
  HOLDS(n == NODES && dim == 3 && type == OP2_F64);
  HOLDS(memcmp(values, x, sizeof x) == 0 && memcmp(rows, x + 21, sizeof rows) == 0);
  HOLDS(memcmp(targets, ends, sizeof ends) == 0);
  HOLDS(limits[0] == 1 && limits[1] == 2);
  return 0;
}

int main(void) {
  const char *folder = getenv("OP2_CACHE_DIR");
  char begins[8] = "";
  op2_context ctx;
  for (int i = 0; i < EDGES; i++) ends[2 * i] = i, ends[2 * i + 1] = i + 1;
  for (int i = 0; i < 3 * NODES; i++) x[i] = 0.5 * i;
  snprintf(path, sizeof path, "%s/mesh.raw", folder ? folder : ".");
  DO(op2_init(&(op2_options){.backend = "sequential"}, &ctx));
  if (write_file(ctx)) return 1;
  FILE *file = fopen(path, "rb");
  HOLDS(file && fread(begins, 1, sizeof begins, file) == sizeof begins);
  fclose(file);
  HOLDS(memcmp(begins, "op2 raw", sizeof begins) == 0);
  if (read_file(ctx)) return 1;
  DO(op2_finalize(&ctx));
  return 0;
}

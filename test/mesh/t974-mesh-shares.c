/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh over ranks, of which each keeps its share alone, is the one that a single process reads: sets,
 * the nodes of cells, faces, edges, neighbours and groups have the same numbers and entries. A fault in
 * the faces is described by the file's numbers, whatever rank finds it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "mem.h"
#include "meshfile.h"
#include "op2/meshfile.h"
#include "op2/query.h"
#include "op2/ranks.h"
#include "rank_case.h"
#include "support.h"

enum { MAPS = 7, SETS = 6, ENTRIES = 40000, ELEMENTS = 8000 };

/* Entries of maps by global numbers, rows in the order of global numbers; and the elements of
 * subsets. */
struct content {
  const char *path, *group;
  op2_mesh_info info;
  int64_t rows[MAPS];
  int arity[MAPS];
  int64_t entry[MAPS][ENTRIES];
  char in_subset[SETS][ELEMENTS];
  int64_t most_nodes, most_cells; /* that a rank keeps */
  int64_t group_elements;
};

static bool fill_map(op2_map map, op2_set from, op2_set to, int m, struct content *out) {
  int64_t from_ends[4], to_ends[4];
  op2_map_info info;
  if (op2_map_info_get(map, &info) || op2_set_sections(from, from_ends) ||
      op2_set_sections(to, to_ends))
    return false;
  int64_t *row = calloc((size_t)from_ends[3] + 1, sizeof *row);
  int64_t *target = calloc((size_t)to_ends[3] + 1, sizeof *target);
  int32_t *entry = calloc((size_t)(from_ends[3] * info.arity) + 1, sizeof *entry);
  const int64_t rows = op2_set_global_size(from);
  bool good = row && target && entry && rows * info.arity <= ENTRIES &&
              !op2_set_global(from, row) && !op2_set_global(to, target) && !op2_map_get(map, entry);
  for (int64_t i = 0; good && i < op2_set_size(from); i++)
    for (int k = 0; k < info.arity; k++)
      out->entry[m][row[i] * info.arity + k] = target[entry[i * info.arity + k]];
  out->rows[m] = rows;
  out->arity[m] = info.arity;
  free(row);
  free(target);
  free(entry);
  return good;
}

/* Mark the elements of a group that this rank owns. */
static bool fill_subset(op2_mesh mesh, const char *name, op2_set of, char marks[ELEMENTS]) {
  op2_set subset = NULL;
  int64_t ends[4] = {0};
  if (op2_mesh_group(mesh, name, of, &subset) || op2_set_sections(of, ends)) return false;
  int64_t n = 0, *number = calloc((size_t)ends[3] + 1, sizeof *number);
  const int64_t *element = NULL;
  bool good = number && op2_set_global_size(of) <= ELEMENTS && !op2_set_global(of, number) &&
              !op2_subset_indices(subset, &n, &element);
  for (int64_t i = 0; good && i < n; i++)
    if (element[i] < op2_set_size(of)) marks[number[element[i]]] = 1;
  op2_set_destroy(&subset);
  free(number);
  return good;
}

static void keep_most(int64_t *most, int64_t n) {
  int64_t old = __atomic_load_n(most, __ATOMIC_SEQ_CST);
  while (old < n &&
         !__atomic_compare_exchange_n(most, &old, n, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
}

static bool fill(op2_context ctx, op2_mesh mesh, struct content *out) {
  op2_faces faces;
  op2_set edges = NULL;
  op2_map edge_nodes = NULL, neighbours = NULL;
  op2_mesh_group_info group;
  const op2_set cells = op2_mesh_cells(mesh), nodes = op2_mesh_nodes(mesh);
  const op2_partition_options how = {
      .method = OP2_PARTITION_COORDINATES, .set = nodes, .coordinates = op2_mesh_coordinates(mesh)};
  bool good =
      !op2_neighbours_create(mesh, &neighbours) && !op2_faces_create(mesh, &faces) &&
      !op2_edges_create(mesh, &edges, &edge_nodes) && !op2_partition(ctx, &how, NULL) &&
      fill_map(op2_mesh_cell_nodes(mesh), cells, nodes, 0, out) &&
      fill_map(faces.cells, faces.interior, cells, 1, out) &&
      fill_map(faces.nodes, faces.interior, nodes, 2, out) &&
      fill_map(faces.boundary_cell, faces.boundary, cells, 3, out) &&
      fill_map(faces.boundary_nodes, faces.boundary, nodes, 4, out) &&
      fill_map(edge_nodes, edges, nodes, 5, out) && fill_map(neighbours, cells, cells, 6, out) &&
      fill_subset(mesh, out->group, nodes, out->in_subset[0]) &&
      fill_subset(mesh, out->group, cells, out->in_subset[1]) &&
      fill_subset(mesh, out->group, faces.boundary, out->in_subset[2]) &&
      fill_subset(mesh, out->group, faces.interior, out->in_subset[3]) &&
      fill_subset(mesh, NULL, cells, out->in_subset[4]) &&
      fill_subset(mesh, NULL, nodes, out->in_subset[5]) && !op2_mesh_group_get(mesh, 0, &group);
  op2_mesh_info info;
  good = good && !op2_mesh_info_get(mesh, &info);
  if (good && op2_rank(ctx) == 0) {
    out->info = info;
    out->group_elements = group.elements;
  }
  keep_most(&out->most_nodes, mesh->raw.nnodes);
  keep_most(&out->most_cells, mesh->raw.of[mesh->raw.dimension].n);
  return good;
}

static int read_on_rank(struct op2i_comm *comm, void *data) {
  struct content *out = data;
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  op2_mesh mesh = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  bool good = !op2_mesh_read(ctx, out->path, &mesh) && fill(ctx, mesh, out);
  if (!good) diag("%s", op2_error_message());
  op2_mesh_destroy(&mesh);
  return !good + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void compare(int ranks, const struct content *alone, const struct content *got) {
  static const char *const what[] = {"cells' nodes",     "faces' cells",   "faces' nodes",
                                     "boundary's cells", "boundary nodes", "edges' nodes",
                                     "neighbours"};
  for (int m = 0; m < MAPS; m++) {
    is_int(got->rows[m], alone->rows[m], "%d ranks: rows of %s", ranks, what[m]);
    is_int(got->arity[m], alone->arity[m], "%d ranks: arity of %s", ranks, what[m]);
    ok(memcmp(got->entry[m], alone->entry[m], sizeof got->entry[m]) == 0, "%d ranks: %s", ranks,
       what[m]);
  }
  ok(memcmp(got->in_subset, alone->in_subset, sizeof got->in_subset) == 0,
     "%d ranks: elements of groups", ranks);
  ok(memcmp(&got->info, &alone->info, sizeof got->info) == 0, "%d ranks: op2_mesh_info", ranks);
  is_int(got->group_elements, alone->group_elements, "%d ranks: elements of the group", ranks);
  if (ranks) {
    is_int(got->most_nodes, (alone->info.nodes + ranks - 1) / ranks, "%d ranks: nodes kept", ranks);
    is_int(got->most_cells, (alone->info.cells + ranks - 1) / ranks, "%d ranks: cells kept", ranks);
  }
}

static void read_mesh(const char *name, const char *group) {
  static struct content alone, got;
  static char path[600];
  int64_t marked = 0;
  snprintf(path, sizeof path, "%s/test/mesh/meshes/%s", source_root(), name);
  for (int ranks = 0; ranks <= 7; ranks++) {
    memset(&got, 0, sizeof got);
    memset(got.entry, -1, sizeof got.entry);
    got.path = path;
    got.group = group;
    is_int(ranks ? run_contexts(ranks, read_on_rank, &got) : read_on_rank(NULL, &got), 0,
           "%s, %d ranks: no failures", name, ranks);
    if (ranks == 0) alone = got;
    compare(ranks, &alone, &got);
  }
  for (int s = 0; s < SETS; s++)
    for (int i = 0; i < ELEMENTS; i++) marked += alone.in_subset[s][i];
  ok(marked > 0, "%s: %lld elements are in subsets", name, (long long)marked);
}

/* ---- faults ---------------------------------------------------------------------------------- */

struct fault {
  const char *path;
  char message[8][600];
  int status[8];
};

static int fail_on_rank(struct op2i_comm *comm, void *data) {
  struct fault *fault = data;
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  op2_mesh mesh = NULL;
  op2_faces faces;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  const int rank = op2_rank(ctx);
  op2_status status = op2_mesh_read(ctx, fault->path, &mesh);
  if (!status) {
    fault->status[rank] = op2_faces_create(mesh, &faces);
    snprintf(fault->message[rank], sizeof fault->message[rank], "%s", op2_error_message());
  }
  op2_mesh_destroy(&mesh);
  return (status != OP2_SUCCESS) + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* Three triangles at an edge, and a cell that has a node twice. The file's numbers are not those of
 * the mesh. */
static void faults(void) {
  static const char *const cells[] = {"5\n11 2 2 0 1 30 10 50\n12 2 2 0 1 50 10 20\n13 2 2 0 1 40 "
                                      "10 50\n14 2 2 0 1 60 70 80\n15 2 2 0 1 70 80 90\n",
                                      "2\n11 2 2 0 1 10 20 30\n12 2 2 0 1 40 40 50\n"};
  static const char *const words[] = {
      "the face of nodes 10, 50 belongs to three cells: 11, 12 and 13",
      "cell 12 has a face with a node twice: 40, 40"};
  static struct fault fault;
  static char path[600];
  for (int f = 0; f < 2; f++)
    for (int ranks = 0; ranks <= 5; ranks++) {
      memset(&fault, 0, sizeof fault);
      snprintf(path, sizeof path, "%s/fault%d.msh", test_scratch(), f);
      FILE *file = fopen(path, "w");
      if (!ok(file != NULL, "%s", path)) return;
      fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n");
      for (int i = 1; i <= 9; i++) fprintf(file, "%d %d %d 0\n", 10 * i, i % 3, i * i);
      fprintf(file, "$EndNodes\n$Elements\n%s$EndElements\n", cells[f]);
      fclose(file);
      fault.path = path;
      is_int(ranks ? run_contexts(ranks, fail_on_rank, &fault) : fail_on_rank(NULL, &fault), 0,
             "%d ranks: read", ranks);
      for (int r = 0; r < (ranks ? ranks : 1); r++) {
        is_int(fault.status[r], OP2_ERR_MISMATCH, "%d ranks: rank %d fails", ranks, r);
        if (!ok(strstr(fault.message[r], words[f]) != NULL, "%d ranks: rank %d has the reason",
                ranks, r))
          diag("%s", fault.message[r]);
      }
    }
}

/* ---- lack of memory -------------------------------------------------------------------------- */

/* The n-th allocation of one rank fails. */
struct lack {
  const char *path;
  int victim;
  int64_t n, made;
  op2_status status[8];
};

static op2_status make_all(op2_context ctx, const char *path) {
  op2_mesh mesh = NULL;
  op2_faces faces;
  op2_set edges = NULL, subset[3] = {0};
  op2_map map = NULL;
  op2_status status = op2_mesh_read(ctx, path, &mesh);
  if (!status) status = op2_faces_create(mesh, &faces);
  if (!status) status = op2_edges_create(mesh, &edges, &map);
  if (!status) status = op2_neighbours_create(mesh, &map);
  if (!status) status = op2_mesh_group(mesh, NULL, op2_mesh_nodes(mesh), &subset[0]);
  if (!status) status = op2_mesh_group(mesh, NULL, faces.boundary, &subset[1]);
  if (!status) status = op2_mesh_cells_of(mesh, OP2_CELL_TRIANGLE, &subset[2]);
  for (int s = 0; s < 3; s++) op2_set_destroy(&subset[s]);
  op2_mesh_destroy(&mesh);
  return status;
}

static int lack_on_rank(struct op2i_comm *comm, void *data) {
  struct lack *lack = data;
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  const int rank = op2_rank(ctx);
  if (rank == lack->victim) op2i_mem_fail_here_at(lack->n);
  lack->status[rank] = make_all(ctx, lack->path);
  if (rank == lack->victim) lack->made = op2i_mem_fail_here_at(0);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

/* If one rank lacks memory all ranks have the same error, and none waits for another. Quick runs try
 * every fifth allocation. */
static void no_memory(void) {
  enum { RANKS = 3 };
  const int step = quick() ? 5 : 1;
  static struct lack lack;
  static char path[600];
  snprintf(path, sizeof path, "%s/test/mesh/meshes/plane-2b.msh", source_root());
  for (int victim = 0; victim < RANKS; victim++) {
    int wrong = 0, failed = 0, bad = 0;
    lack = (struct lack){.path = path, .victim = victim};
    while (lack.made >= lack.n) {
      lack.n += step;
      bad += run_contexts(RANKS, lack_on_rank, &lack) != 0;
      const op2_status status = lack.status[victim];
      bool good = status == OP2_SUCCESS || status == OP2_ERR_NOMEM;
      for (int r = 0; r < RANKS; r++) good = good && lack.status[r] == status;
      if (!good)
        diag("rank %d, allocation %d: status %d, %d and %d", victim, (int)lack.n, lack.status[0],
             lack.status[1], lack.status[2]);
      wrong += !good;
      failed += status != OP2_SUCCESS;
    }
    is_int(wrong, 0, "rank %d lacks memory %d times", victim, failed);
    is_int(bad, 0, "rank %d lacks memory: contexts end", victim);
    ok(failed > 30, "rank %d lacks memory: the calls need some", victim);
  }
}

int main(void) {
  test_environment();
  read_mesh("plane-4b.msh", "walls");
  read_mesh("solid-2.msh", "fixed");
  read_mesh("channel.msh", "walls");
  faults();
  no_memory();
  return done();
}

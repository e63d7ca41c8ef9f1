/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what op2_mesh_read() has of files: mesh_show RANKS FILE... (ranks are threads; 0: alone, without
 * ranks). With several ranks the mesh is partitioned, and each prints what it owns by global numbers.
 *
 *     file PATH
 *     error MESSAGE                          instead of all that follows
 *     mesh DIMENSION SPACE NODES CELLS
 *     x COORDINATES                          for each node
 *     c TYPE NODES                           for each cell; TYPE is an op2_cell_type
 *     g DIMENSION ELEMENTS NODES CELLS NAME  for each group, with the numbers of its nodes and cells
 *     n NUMBERS, e NUMBERS                   and these nodes and cells */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "op2/meshfile.h"
#include "op2/query.h"
#include "op2/ranks.h"
#include "rank_case.h"
#include "support.h"

enum { GROUPS_MOST = 100, TYPES = 8 };

struct group {
  op2_mesh_group_info info;
  char name[200];
  char *nodes, *cells; /* 1 for each that is in it */
};

struct shown {
  const char *path;
  pthread_mutex_t lock;
  op2_mesh_info info;
  double *x;
  int64_t *rows;
  char *type;
  struct group groups[GROUPS_MOST];
  char error[1000];
};

static void *zeros(int64_t n, size_t size) {
  void *memory = calloc((size_t)n + 1, size);
  if (!memory) exit(2);
  return memory;
}

/* Only the first rank that comes here makes the arrays. */
static void make_arrays(struct shown *shown, op2_mesh mesh, const op2_mesh_info *info) {
  pthread_mutex_lock(&shown->lock);
  if (!shown->x) {
    shown->info = *info;
    shown->x = zeros(info->nodes * info->space, sizeof *shown->x);
    shown->rows = zeros(info->cells * info->cell_nodes, sizeof *shown->rows);
    shown->type = zeros(info->cells, 1);
    for (int g = 0; g < info->groups && g < GROUPS_MOST; g++) {
      struct group *group = &shown->groups[g];
      if (op2_mesh_group_get(mesh, g, &group->info)) exit(2);
      snprintf(group->name, sizeof group->name, "%s", group->info.name);
      group->nodes = zeros(info->nodes, 1);
      group->cells = zeros(info->cells, 1);
    }
  }
  pthread_mutex_unlock(&shown->lock);
}

/* Mark the elements of a subset, of which each rank has those that it owns. */
static op2_status mark(op2_set subset, op2_set of, char mark, char *marks) {
  int64_t n = 0, ends[4] = {0}, *number;
  const int64_t *idx;
  op2_status status = op2_set_sections(of, ends);
  number = zeros(ends[3], sizeof *number);
  if (!status) status = op2_set_global(of, number);
  if (!status) status = op2_subset_indices(subset, &n, &idx);
  for (int64_t i = 0; i < n && !status; i++)
    if (idx[i] < ends[1]) marks[number[idx[i]]] = mark;
  free(number);
  return status;
}

static op2_status show_nodes(op2_mesh mesh, struct shown *shown) {
  const op2_set nodes = op2_mesh_nodes(mesh);
  const int space = shown->info.space;
  int64_t ends[4] = {0}, *number;
  double *x;
  op2_status status = op2_set_sections(nodes, ends);
  number = zeros(ends[3], sizeof *number);
  x = zeros(ends[3] * space, sizeof *x);
  if (!status) status = op2_set_global(nodes, number);
  if (!status) status = op2_dat_get(op2_mesh_coordinates(mesh), x);
  for (int64_t i = 0; i < ends[1] && !status; i++)
    memcpy(shown->x + number[i] * space, x + i * space, (size_t)space * sizeof *x);
  free(number);
  free(x);
  return status;
}

static op2_status show_cells(op2_mesh mesh, struct shown *shown) {
  const op2_set cells = op2_mesh_cells(mesh);
  const int arity = shown->info.cell_nodes;
  int64_t ends[4] = {0}, *number, *rows;
  op2_status status = op2_set_sections(cells, ends);
  number = zeros(ends[3], sizeof *number);
  rows = zeros(ends[3] * arity, sizeof *rows);
  if (!status) status = op2_set_global(cells, number);
  if (!status) status = op2_map_get_global(op2_mesh_cell_nodes(mesh), rows);
  for (int64_t i = 0; i < ends[1] && !status; i++)
    memcpy(shown->rows + number[i] * arity, rows + i * arity, (size_t)arity * sizeof *rows);
  for (int t = 0; t < TYPES && !status; t++) {
    op2_set subset = NULL;
    status = op2_mesh_cells_of(mesh, (op2_cell_type)t, &subset);
    if (!status) status = mark(subset, cells, (char)('0' + t), shown->type);
    op2_set_destroy(&subset);
  }
  free(number);
  free(rows);
  return status;
}

static op2_status show_groups(op2_mesh mesh, struct shown *shown) {
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < shown->info.groups && g < GROUPS_MOST && !status; g++) {
    struct group *group = &shown->groups[g];
    const op2_set of[2] = {op2_mesh_nodes(mesh), op2_mesh_cells(mesh)};
    for (int s = 0; s < 2 && !status; s++) {
      op2_set subset = NULL;
      status = op2_mesh_group(mesh, group->name, of[s], &subset);
      if (!status) status = mark(subset, of[s], 1, s ? group->cells : group->nodes);
      op2_set_destroy(&subset);
    }
  }
  return status;
}

static int on_rank(struct op2i_comm *comm, void *data) {
  struct shown *shown = data;
  const op2_options options = rank_options("sequential", false);
  op2_context ctx = NULL;
  op2_mesh mesh = NULL;
  op2_mesh_info info;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  op2_status status = op2_mesh_read(ctx, shown->path, &mesh);
  if (!status) status = op2_mesh_info_get(mesh, &info);
  if (!status) make_arrays(shown, mesh, &info);
  if (!status && op2_ranks(ctx) > 1) {
    const op2_partition_options how = {.method = OP2_PARTITION_COORDINATES,
                                       .set = op2_mesh_nodes(mesh),
                                       .coordinates = op2_mesh_coordinates(mesh)};
    status = op2_partition(ctx, &how, NULL);
  }
  if (!status) status = show_nodes(mesh, shown);
  if (!status) status = show_cells(mesh, shown);
  if (!status) status = show_groups(mesh, shown);
  pthread_mutex_lock(&shown->lock);
  if (status) snprintf(shown->error, sizeof shown->error, "%s", op2_error_message());
  pthread_mutex_unlock(&shown->lock);
  op2_mesh_destroy(&mesh);
  return (status != OP2_SUCCESS) + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void print_marks(const char *what, const char *marks, int64_t n) {
  printf("%s", what);
  for (int64_t i = 0; i < n; i++)
    if (marks[i]) printf(" %lld", (long long)i);
  printf("\n");
}

static int64_t count_marks(const char *marks, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += marks[i];
  return count;
}

static void print(const struct shown *shown) {
  const op2_mesh_info *info = &shown->info;
  printf("mesh %d %d %lld %lld\n", info->dimension, info->space, (long long)info->nodes,
         (long long)info->cells);
  for (int64_t i = 0; i < info->nodes; i++) {
    printf("x");
    for (int s = 0; s < info->space; s++) printf(" %.17g", shown->x[i * info->space + s]);
    printf("\n");
  }
  for (int64_t c = 0; c < info->cells; c++) {
    const int64_t *row = shown->rows + c * info->cell_nodes;
    int n = info->cell_nodes; /* the last node fills the slots behind it */
    while (n > 1 && row[n - 1] == row[n - 2]) n--;
    printf("c %c", shown->type[c] ? shown->type[c] : '-');
    for (int k = 0; k < n; k++) printf(" %lld", (long long)row[k]);
    printf("\n");
  }
  for (int g = 0; g < info->groups && g < GROUPS_MOST; g++) {
    const struct group *group = &shown->groups[g];
    printf("g %d %lld %lld %lld %s\n", group->info.dimension, (long long)group->info.elements,
           (long long)count_marks(group->nodes, info->nodes),
           (long long)count_marks(group->cells, info->cells), group->name);
    print_marks("n", group->nodes, info->nodes);
    print_marks("e", group->cells, info->cells);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  const int ranks = atoi(argv[1]);
  test_environment();
  for (int f = 2; f < argc; f++) {
    static struct shown shown;
    memset(&shown, 0, sizeof shown);
    shown.path = argv[f];
    pthread_mutex_init(&shown.lock, NULL);
    const int failed = ranks ? run_contexts(ranks, on_rank, &shown) : on_rank(NULL, &shown);
    printf("file %s\n", argv[f]);
    if (failed && failed != (ranks ? ranks : 1))
      printf("error %d of %d ranks failed\n", failed, ranks);
    else if (failed)
      printf("error %s\n", shown.error);
    else
      print(&shown);
    free(shown.x), free(shown.rows), free(shown.type);
    for (int g = 0; g < GROUPS_MOST; g++) free(shown.groups[g].nodes), free(shown.groups[g].cells);
    pthread_mutex_destroy(&shown.lock);
  }
  return 0;
}

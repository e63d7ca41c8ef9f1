/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes that the program distributes itself. Rows of the non-exec halo may have targets that are
 * not on this rank, and are never read: the map may contain any values there, or have no such rows,
 * and other maps can be derived from it. If every rank has what its neighbours need, sums over the
 * edges are those of one rank; if one exec element is missing on any rank, the map is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "hear.h"
#include "init.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"

OP2_KERNEL(spread, (const double *w, double *a, double *b), {
  *a += *w;
  *b += *w;
});

/* ---- a ring ---------------------------------------------------------------------------------- */

/* Each rank owns EACH cells and edges; edge e leads to cells e, e + 1 and, by a long arm, e +
 * ARM. */
enum { EACH = 6, ARM = 4, ARITY = 3 };

struct ring {
  int ranks;
  int lacks, missing; /* rank `lacks` (-1: none) has no exec edge number `missing` */
  bool reversed;      /* the order of the halo's elements */
};

struct part {
  int64_t ends[4], global[4 * EACH];
  int32_t owner[4 * EACH];
};

static bool leads_here(const struct ring *r, int rank, int64_t edge) {
  const int64_t all = (int64_t)r->ranks * EACH, arms[ARITY] = {0, 1, ARM};
  for (int k = 0; k < ARITY; k++)
    if ((edge + arms[k]) % all / EACH == rank) return true;
  return false;
}

/* Edges that lead to other ranks are not core; other ranks' edges that lead here are in the exec
 * halo. */
static void list_edges(const struct ring *r, int rank, struct part *p) {
  const int64_t all = (int64_t)r->ranks * EACH;
  int64_t core = r->ranks > 1 ? EACH - ARM : EACH, n = EACH;
  for (int64_t i = 0; i < EACH; i++) p->global[i] = (int64_t)rank * EACH + i;
  for (int64_t k = 1, place = 0; k <= ARM && r->ranks > 1; k++) {
    int64_t edge = ((int64_t)rank * EACH - k + all) % all;
    if (edge / EACH == rank || !leads_here(r, rank, edge)) continue;
    if (rank == r->lacks && place++ == r->missing) continue;
    p->owner[n - EACH] = (int32_t)(edge / EACH);
    p->global[n++] = edge;
  }
  for (int64_t i = 0; r->reversed && i < (n - EACH) / 2; i++) {
    int64_t a = EACH + i, b = n - 1 - i, global = p->global[a];
    int32_t owner = p->owner[a - EACH];
    p->global[a] = p->global[b], p->owner[a - EACH] = p->owner[b - EACH];
    p->global[b] = global, p->owner[b - EACH] = owner;
  }
  const int64_t ends[4] = {core, EACH, n, n};
  memcpy(p->ends, ends, sizeof ends);
}

static int64_t find(const struct part *p, int64_t global) {
  for (int64_t i = 0; i < p->ends[3]; i++)
    if (p->global[i] == global) return i;
  return -1;
}

/* All cells that the edges lead to, and the rows of the map. */
static void list_cells(const struct ring *r, int rank, const struct part *edges, struct part *p,
                       int32_t *rows) {
  const int64_t all = (int64_t)r->ranks * EACH, arms[ARITY] = {0, 1, ARM};
  const int64_t owned[4] = {EACH, EACH, EACH, EACH};
  memcpy(p->ends, owned, sizeof owned);
  for (int64_t i = 0; i < EACH; i++) p->global[i] = (int64_t)rank * EACH + i;
  for (int64_t e = 0; e < edges->ends[3]; e++)
    for (int k = 0; k < ARITY; k++) {
      int64_t cell = (edges->global[e] + arms[k]) % all, at = find(p, cell);
      if (at < 0) {
        at = p->ends[3]++;
        p->global[at] = cell;
        p->owner[at - EACH] = (int32_t)(cell / EACH);
      }
      rows[ARITY * e + k] = (int32_t)at;
    }
}

/* The weight that edge e adds to its first and its last cell. */
static double weight(int64_t edge) { return (double)(1 + edge * edge); }

static int sum_up(op2_context ctx, const struct part *edges, op2_set e, op2_set c, op2_map map) {
  double w[4 * EACH], got[4 * EACH] = {0};
  op2_dat from = NULL, to = NULL;
  op2_kernel kernel = NULL;
  const int64_t all = op2_set_global_size(e);
  for (int64_t i = 0; i < edges->ends[3]; i++) w[i] = weight(edges->global[i]);
  int wrong = op2_dat_create(e, 1, OP2_F64, w, "w", &from) ||
              op2_dat_create(c, 1, OP2_F64, NULL, "sum", &to) ||
              op2_kernel_create(ctx, &spread_kernel, &kernel) ||
              op2_par_loop(kernel, e, op2_arg_direct(from, OP2_READ),
                           op2_arg_dat(to, 0, map, OP2_INC), op2_arg_dat(to, 2, map, OP2_INC)) ||
              op2_dat_get(to, got);
  for (int64_t i = 0; i < EACH && !wrong; i++) {
    int64_t cell = edges->global[i];
    wrong = got[i] != weight(cell) + weight((cell - ARM + all) % all);
  }
  op2_dat_destroy(&from);
  op2_dat_destroy(&to);
  op2_kernel_destroy(&kernel);
  return wrong;
}

static int ring(struct op2i_comm *comm, void *data) {
  const struct ring *r = data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  struct part edges = {0}, cells = {0};
  int32_t rows[ARITY * 4 * EACH];
  op2_context ctx = NULL;
  op2_set e = NULL, c = NULL;
  op2_map map = NULL;
  list_edges(r, comm->rank, &edges);
  list_cells(r, comm->rank, &edges, &cells, rows);
  int wrong = op2i_init_ranks(&options, comm, &ctx) != OP2_SUCCESS ||
              op2_set_create_halo(ctx, edges.ends, edges.global, edges.owner, "edges", &e) ||
              op2_set_create_halo(ctx, cells.ends, cells.global, cells.owner, "cells", &c);
  op2_status status = wrong ? OP2_ERR_FATAL : op2_map_create(e, c, ARITY, rows, "ends", &map);
  if (r->lacks < 0)
    wrong = wrong || status || sum_up(ctx, &edges, e, c, map);
  else
    wrong =
        status != OP2_ERR_MISMATCH || !strstr(op2_error_message(), "in its exec halo of 'edges'");
  if (wrong) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  op2_map_destroy(&map);
  op2_set_destroy(&e);
  op2_set_destroy(&c);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void rings(void) {
  for (int ranks = 1; ranks <= 4; ranks++)
    for (int reversed = 0; reversed < 2; reversed++) {
      struct ring r = {.ranks = ranks, .lacks = -1, .missing = -1, .reversed = reversed};
      is_int(run_contexts(ranks, ring, &r), 0, "a ring of %d ranks%s", ranks,
             reversed ? ", halos reversed" : "");
      int wrong = 0, tried = 0;
      for (r.lacks = 0; r.lacks < ranks && ranks > 1; r.lacks++)
        for (r.missing = 0; r.missing < ARM; r.missing++, tried++)
          wrong += run_contexts(ranks, ring, &r);
      if (ranks > 1) is_int(wrong, 0, "without each of %d exec elements it is refused", tried);
    }
}

/* ---- a rank without elements of the target set ----------------------------------------------- */

/* Rank 0 owns node, face and both cells; rank 1 owns an edge that leads to the face, which is in
 * its non-exec halo, and has no cells. The rows of faces are -1 there, or are not given. */
static int hole(struct op2i_comm *comm, void *data) {
  const int mode = *(const int *)data;
  const bool first = comm->rank == 0;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  const int64_t one[4] = {1, 1, 1, 1}, none[4] = {0}, halo[4] = {0, 0, 0, 1},
                edge[4] = {0, 1, 1, 1}, exec[4] = {0, 0, 1, 1}, two[4] = {2, 2, 2, 2},
                numbers[2] = {0, 1};
  const int32_t owner = first ? 1 : 0, there[2] = {0, 1}, nowhere[2] = {-1, 1 << 30}, face = 0;
  const int32_t *rows = first ? there : mode == 0 ? nowhere : mode == 1 ? there : NULL;
  op2_context ctx = NULL;
  op2_set edges = NULL, faces = NULL, cells = NULL;
  op2_map up = NULL, sides = NULL, turned = NULL, partial = NULL;
  int wrong = op2i_init_ranks(&options, comm, &ctx) != OP2_SUCCESS ||
              op2_set_create_halo(ctx, first ? exec : edge, numbers, &owner, "edges", &edges) ||
              op2_set_create_halo(ctx, first ? one : halo, numbers, &owner, "faces", &faces) ||
              op2_set_create_halo(ctx, first ? two : none, numbers, NULL, "cells", &cells) ||
              op2_map_create(edges, faces, 1, &face, "up", &up) ||
              op2_map_create(faces, cells, 2, rows, "sides", &sides) ||
              op2_map_create_permuted(sides, (int[]){1, 0}, "turned", &turned) ||
              op2_map_create_partial(faces, cells, 2, rows ? rows : there, "partial", &partial);
  if (!wrong && first) wrong = turned->idx[0] != 1 || turned->idx[1] != 0;
  if (wrong) fprintf(stderr, "# rank %d: %s\n", comm->rank, op2_error_message());
  op2_map_destroy(&up);
  op2_map_destroy(&sides);
  op2_map_destroy(&turned);
  op2_map_destroy(&partial);
  op2_set_destroy(&edges);
  op2_set_destroy(&faces);
  op2_set_destroy(&cells);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* ---- the whole mesh on every rank ------------------------------------------------------------ */

enum { WHOLE, WHOLE_GLOBAL, APART, BLOCKS, ALIKE, MESHES };

/* Declare a mesh of 20 edges as programs of one process do, or in some right way. */
static int whole(struct op2i_comm *comm, void *data) {
  const int mode = *(const int *)data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 2};
  const int64_t first = 20 * comm->rank;
  int32_t rows[20], all[20];
  int64_t blocks[20], copies[20];
  op2_context ctx = NULL;
  op2_set edges = NULL, nodes = NULL;
  op2_map ends = NULL;
  for (int e = 0; e < 20; e++) {
    rows[e] = mode == APART ? (e + comm->rank) % 20 : e;
    all[e] = 3;
    blocks[e] = (first + e + 5) % (20 * comm->size);
    copies[e] = e;
  }
  int wrong = op2i_init_ranks(&options, comm, &ctx) != OP2_SUCCESS ||
              op2_set_create(ctx, 20, "edges", &edges) || op2_set_create(ctx, 20, "nodes", &nodes);
  if (wrong) return 1;
  if (mode == WHOLE || mode == APART)
    wrong = op2_map_create(edges, nodes, 1, rows, "ends", &ends);
  else if (mode == ALIKE)
    wrong = op2_map_create(edges, nodes, 1, all, "ends", &ends);
  else
    wrong = op2_map_create_global(edges, nodes, 1, mode == BLOCKS ? blocks : copies, "ends", &ends);
  op2_map_destroy(&ends);
  op2_set_destroy(&edges);
  op2_set_destroy(&nodes);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void wholes(void) {
  static const char *const names[] = {"the whole mesh on each rank", "the same by global numbers",
                                      "a part of its own on each rank", "blocks",
                                      "rows that are all alike"};
  for (int mode = 0; mode < MESHES; mode++)
    for (int ranks = 1; ranks <= 3; ranks++) {
      hear_begin();
      const int wrong = run_contexts(ranks, whole, &mode);
      const char *said = hear_end(), *warning = strstr(said, "op2 warning: ");
      ok(!wrong && !warning == !(ranks > 1 && mode <= WHOLE_GLOBAL), "%d ranks, %s: %s", ranks,
         names[mode], warning ? "a warning" : "no warning");
      if (warning)
        ok(strstr(said, "give map 'ends' the same 20 rows of 'edges'") &&
               !strstr(warning + 1, "op2 warning: "),
           "which tells the map, once");
    }
}

int main(void) {
  static const char *const modes[] = {"entries that are none", "entries of another rank",
                                      "nothing"};
  test_environment();
  rings();
  wholes();
  for (int mode = 0; mode < 3; mode++)
    is_int(run_contexts(2, hole, &mode), 0, "rows of the non-exec halo hold %s", modes[mode]);
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_WHOLE_CASE_H
#define OP2_TEST_WHOLE_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "mesh.h"
#include "op2.h"

/* A mesh as a whole, the owners of its elements, and the part of each rank: its own elements,
 * elements of other ranks whose loops reach owned ones (exec halo), and the other elements that are
 * reached from there. */
enum { WHOLE_SETS = 4, WHOLE_MAPS = 100 };

struct whole {
  int nsets, nmaps;
  struct {
    const char *name;
    int64_t size;
    int32_t *owner; /* [size] */
  } set[WHOLE_SETS];
  struct {
    const char *name;
    int from, to, arity;
    int32_t *idx; /* [size of from][arity] */
  } map[WHOLE_MAPS];
};

struct share {
  bool spread; /* distributed over ranks */
  struct {
    int64_t ends[4];
    int64_t *global; /* [ends[3]] */
    int32_t *owner;  /* [ends[3] - ends[1]] */
    int32_t *local;  /* [size] local number of each element of the whole mesh, -1: not here */
  } set[WHOLE_SETS];
  int32_t *idx[WHOLE_MAPS];
};

/* Owners: at random, in blocks, (how = 2) all on one rank, at random without the first and, if
 * there are more than two, the last rank, or (how > 3) in a way drawn for each set. */
enum { WHOLE_HOWS = 5 };
void whole_own(struct whole *whole, int ranks, int how, uint64_t *seed);
/* Forget owners, so that others can be drawn. */
void whole_disown(struct whole *whole);
/* Nodes, edges and cells, with maps that lead to elements of similar numbers, and owners. */
enum { NODES, EDGES, CELLS };
enum { EDGE_NODE, CELL_NODE, EDGE_CELL };
void whole_draw(struct whole *whole, int ranks, int how, uint64_t *seed);
void whole_free(struct whole *whole);
/* The part of a rank; for rank -1 the whole mesh in its own order. */
void whole_share(const struct whole *whole, int rank, struct share *share);
void share_free(const struct whole *whole, struct share *share);
/* Declare the part in a context of that rank, or of a single process. */
op2_status share_declare(const struct whole *whole, const struct share *share, op2_context ctx,
                         op2_set *sets, op2_map *maps);
/* Declare the map from each element of a set, halos included, to itself. */
op2_status self_declare(op2_set set, op2_map *map);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "whole_case.h"
#include "set.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { FAR, CORE, OWNED, EXEC, NONEXEC };

/* ---- drawing --------------------------------------------------------------------------------- */

static int draw_owner(int64_t e, int64_t size, int ranks, int how, uint64_t *seed) {
  switch (how) {
  case 0: return draw_below(seed, ranks);
  case 1: return (int)(e * ranks / size);
  case 2: return 2 % ranks;
  default: return ranks < 3 ? ranks - 1 : 1 + draw_below(seed, ranks - 2);
  }
}

void whole_own(struct whole *whole, int ranks, int how, uint64_t *seed) {
  for (int s = 0; s < whole->nsets; s++) {
    int64_t size = whole->set[s].size;
    int of_set = how < WHOLE_HOWS - 1 ? how : draw_below(seed, WHOLE_HOWS - 1);
    whole->set[s].owner = calloc((size_t)size + 1, sizeof *whole->set[s].owner);
    for (int64_t e = 0; e < size; e++)
      whole->set[s].owner[e] = draw_owner(e, size, ranks, of_set, seed);
  }
}

void whole_draw(struct whole *whole, int ranks, int how, uint64_t *seed) {
  static const struct {
    const char *name;
    int from, to, arity;
  } maps[] = {{"edge_node", EDGES, NODES, 2},
              {"cell_node", CELLS, NODES, 3},
              {"edge_cell", EDGES, CELLS, 2}};
  static const char *const names[] = {"nodes", "edges", "cells"};
  int scale = draw_below(seed, 4) ? 60 : 1;
  *whole = (struct whole){.nsets = 3, .nmaps = 3};
  for (int s = 0; s < 3; s++) {
    whole->set[s].name = names[s];
    whole->set[s].size = 1 + draw_below(seed, scale * (s + 1));
  }
  for (int m = 0; m < 3; m++) {
    whole->map[m].name = maps[m].name;
    whole->map[m].from = maps[m].from;
    whole->map[m].to = maps[m].to;
    whole->map[m].arity = maps[m].arity;
    int64_t n = whole->set[maps[m].from].size * maps[m].arity, to = whole->set[maps[m].to].size;
    whole->map[m].idx = calloc((size_t)n + 1, sizeof *whole->map[m].idx);
    for (int64_t i = 0; i < n; i++) {
      int64_t near = i * to / n + draw_below(seed, 5) - 2;
      whole->map[m].idx[i] = (int32_t)(near < 0 ? 0 : near >= to ? to - 1 : near);
    }
  }
  whole_own(whole, ranks, how, seed);
}

/* ---- distribution to ranks ------------------------------------------------------------------- */

void whole_disown(struct whole *whole) {
  for (int s = 0; s < whole->nsets; s++) {
    free(whole->set[s].owner);
    whole->set[s].owner = NULL;
  }
}

void whole_free(struct whole *whole) {
  whole_disown(whole);
  for (int m = 0; m < whole->nmaps; m++) free(whole->map[m].idx);
}

static int32_t target(const struct whole *whole, int m, int64_t e, int k) {
  return whole->map[m].idx[e * whole->map[m].arity + k];
}

/* Elements of other ranks that reach an owned element form the exec halo. */
static void find_exec(const struct whole *whole, int rank, unsigned char **kind) {
  for (int m = 0; m < whole->nmaps; m++) {
    int from = whole->map[m].from, to = whole->map[m].to;
    for (int64_t e = 0; e < whole->set[from].size; e++)
      for (int k = 0; k < whole->map[m].arity && whole->set[from].owner[e] != rank; k++)
        if (whole->set[to].owner[target(whole, m, e, k)] == rank) kind[from][e] = EXEC;
  }
}

static void find_nonexec(const struct whole *whole, unsigned char **kind) {
  for (int m = 0; m < whole->nmaps; m++) {
    int from = whole->map[m].from, to = whole->map[m].to;
    for (int64_t e = 0; e < whole->set[from].size; e++)
      for (int k = 0; k < whole->map[m].arity; k++) {
        unsigned char *other = &kind[to][target(whole, m, e, k)];
        if ((kind[from][e] == OWNED || kind[from][e] == EXEC) && *other == FAR) *other = NONEXEC;
      }
  }
}

/* Rows of the non-exec halo must lead to local elements: choose one for each map. */
static void find_somewhere(const struct whole *whole, unsigned char **kind) {
  for (int again = 0; again < whole->nsets; again++)
    for (int m = 0; m < whole->nmaps; m++) {
      const int from = whole->map[m].from, to = whole->map[m].to;
      int64_t e = 0, t = 0;
      while (e < whole->set[from].size && kind[from][e] == FAR) e++;
      while (t < whole->set[to].size && kind[to][t] == FAR) t++;
      if (e < whole->set[from].size && t == whole->set[to].size)
        kind[to][target(whole, m, e, 0)] = NONEXEC;
    }
}

static void find_core(const struct whole *whole, unsigned char **kind) {
  for (int s = 0; s < whole->nsets; s++)
    for (int64_t e = 0; e < whole->set[s].size; e++) {
      bool core = kind[s][e] == OWNED;
      for (int m = 0; m < whole->nmaps && core; m++)
        for (int k = 0; k < whole->map[m].arity && whole->map[m].from == s; k++) {
          unsigned char other = kind[whole->map[m].to][target(whole, m, e, k)];
          core = core && (other == OWNED || other == CORE);
        }
      if (core) kind[s][e] = CORE;
    }
}

static void list_elements(const struct whole *whole, int s, const unsigned char *kind,
                          struct share *share) {
  int64_t size = whole->set[s].size, n = 0;
  share->set[s].global = calloc((size_t)size + 1, sizeof *share->set[s].global);
  share->set[s].owner = calloc((size_t)size + 1, sizeof *share->set[s].owner);
  share->set[s].local = calloc((size_t)size + 1, sizeof *share->set[s].local);
  for (int64_t e = 0; e < size; e++) share->set[s].local[e] = -1;
  for (int section = CORE; section <= NONEXEC; section++) {
    for (int64_t e = 0; e < size; e++) {
      if (kind[e] != section) continue;
      share->set[s].local[e] = (int32_t)n;
      share->set[s].global[n++] = e;
      if (section > OWNED)
        share->set[s].owner[n - 1 - share->set[s].ends[1]] = whole->set[s].owner[e];
    }
    share->set[s].ends[section - CORE] = n;
  }
}

/* Rows of the non-exec halo lead to any local element, since no loop runs over them. */
static void list_map(const struct whole *whole, int m, struct share *share) {
  int from = whole->map[m].from, to = whole->map[m].to, arity = whole->map[m].arity;
  int64_t n = share->set[from].ends[3];
  share->idx[m] = calloc((size_t)(n * arity) + 1, sizeof *share->idx[m]);
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < arity; k++) {
      int32_t local = share->set[to].local[target(whole, m, share->set[from].global[i], k)];
      share->idx[m][i * arity + k] = local < 0 ? 0 : local;
    }
}

void whole_share(const struct whole *whole, int rank, struct share *share) {
  unsigned char *kind[WHOLE_SETS];
  memset(share, 0, sizeof *share);
  share->spread = rank >= 0;
  for (int s = 0; s < whole->nsets; s++) {
    kind[s] = calloc((size_t)whole->set[s].size + 1, 1);
    for (int64_t e = 0; e < whole->set[s].size; e++)
      if (rank < 0 || whole->set[s].owner[e] == rank) kind[s][e] = OWNED;
  }
  if (rank >= 0) {
    find_exec(whole, rank, kind);
    find_nonexec(whole, kind);
    find_somewhere(whole, kind);
  }
  find_core(whole, kind);
  if (rank < 0) /* the whole mesh in one piece, for a program without ranks */
    for (int s = 0; s < whole->nsets; s++) memset(kind[s], CORE, (size_t)whole->set[s].size);
  for (int s = 0; s < whole->nsets; s++) list_elements(whole, s, kind[s], share);
  for (int m = 0; m < whole->nmaps; m++) list_map(whole, m, share);
  for (int s = 0; s < whole->nsets; s++) free(kind[s]);
}

void share_free(const struct whole *whole, struct share *share) {
  for (int s = 0; s < whole->nsets; s++) {
    free(share->set[s].global);
    free(share->set[s].owner);
    free(share->set[s].local);
  }
  for (int m = 0; m < whole->nmaps; m++) free(share->idx[m]);
}

op2_status share_declare(const struct whole *whole, const struct share *share, op2_context ctx,
                         op2_set *sets, op2_map *maps) {
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < whole->nsets && !status; s++) {
    const int64_t *ends = share->set[s].ends;
    status = share->spread ? op2i_set_create_halo(ctx, ends, share->set[s].global,
                                                  share->set[s].owner, whole->set[s].name, &sets[s])
                           : op2_set_create_sections(ctx, ends, whole->set[s].name, &sets[s]);
  }
  for (int m = 0; m < whole->nmaps && !status; m++)
    status = op2_map_create(sets[whole->map[m].from], sets[whole->map[m].to], whole->map[m].arity,
                            share->idx[m], whole->map[m].name, &maps[m]);
  return status;
}

op2_status self_declare(op2_set set, op2_map *map) {
  int64_t ends[4] = {0};
  op2_status status = op2_set_sections(set, ends);
  int32_t *self = calloc((size_t)ends[3] + 1, sizeof *self);
  for (int64_t i = 0; i < ends[3]; i++) self[i] = (int32_t)i;
  if (!status) status = op2_map_create(set, set, 1, self, "self", map);
  free(self);
  return status;
}

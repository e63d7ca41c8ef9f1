/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of maps among ranks: by global numbers before and after partitioning, and as positions
 * that op2_set_global() leads back to these; given by any description, and of different kinds on
 * different ranks. Partitioning counts as a change of a dat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "rank_case.h"
#include "support.h"

enum { EDGES = 23, NODES = 17, ARITY = 3 };

/* The target of an edge in a slot, by global numbers; partial maps lead nowhere where it is odd. */
static int64_t target(int64_t edge, int slot) { return (edge * 7 + slot * 5) % NODES; }

struct world {
  op2_context ctx;
  op2_set edges, nodes;
  op2_map map, partial, loose; /* partial and loose have entries that lead nowhere */
  op2_dat x;
};

static int64_t first_of(const struct op2i_comm *comm, int64_t all, int rank) {
  return all * rank / comm->size;
}

/* A map by global numbers that may lead nowhere, of 64 bits and from 1 on, or of 32 bits. */
static op2_status declare_loose(struct world *w, int64_t first, int64_t n, bool wide) {
  int64_t idx[EDGES * ARITY];
  int32_t narrow[EDGES * ARITY];
  const op2_entries_desc how = {
      .type = wide ? OP2_I64 : OP2_I32, .base = wide, .partial = true, .global = true};
  for (int64_t e = 0; e < n * ARITY; e++) {
    const int64_t to = target(first + e / ARITY, (int)(e % ARITY));
    idx[e] = to % 2 ? -7 : to + 1;
    narrow[e] = to % 2 ? -7 : (int32_t)to;
  }
  return op2_map_create_entries(w->edges, w->nodes, ARITY, &how, wide ? (void *)idx : narrow,
                                "loose", &w->loose);
}

static op2_status declare(struct world *w, const struct op2i_comm *comm) {
  int64_t idx[EDGES * ARITY];
  const int64_t first = first_of(comm, EDGES, comm->rank),
                end = first_of(comm, EDGES, comm->rank + 1);
  for (int64_t e = first; e < end; e++)
    for (int k = 0; k < ARITY; k++) idx[(e - first) * ARITY + k] = target(e, k);
  op2_status status = op2_set_create(w->ctx, end - first, "edges", &w->edges);
  if (!status)
    status = op2_set_create(
        w->ctx, first_of(comm, NODES, comm->rank + 1) - first_of(comm, NODES, comm->rank), "nodes",
        &w->nodes);
  if (!status) status = op2_map_create_global(w->edges, w->nodes, ARITY, idx, "map", &w->map);
  if (!status) status = declare_loose(w, first, end - first, comm->rank % 2);
  if (!status) status = op2_dat_create(w->nodes, 1, OP2_F64, NULL, "x", &w->x);
  return status;
}

/* Compare the global entries of the owned rows, and those that positions lead to unless null. */
static int compare(const struct world *w, op2_map map, const int32_t *idx) {
  int64_t rows[EDGES], nodes[NODES], global[EDGES * ARITY], ends[4];
  int wrong = op2_set_global(w->edges, rows) || op2_set_global(w->nodes, nodes) ||
              op2_map_get_global(map, global) || op2_set_sections(w->nodes, ends);
  for (int64_t e = 0; e < op2_set_size(w->edges) * ARITY && !wrong; e++) {
    const int64_t want = target(rows[e / ARITY], (int)(e % ARITY));
    const bool nowhere = map != w->map && want % 2;
    wrong += global[e] != (nowhere ? -1 : want);
    if (idx) wrong += nowhere ? idx[e] != -1 : idx[e] >= ends[3] || nodes[idx[e]] != want;
  }
  return wrong;
}

/* The same by positions, once the mesh is distributed. */
static op2_status declare_partial(struct world *w) {
  int64_t ends[4], nodes[NODES];
  op2_status status = op2_set_sections(w->edges, ends);
  if (!status) status = op2_set_global(w->nodes, nodes);
  int32_t *idx = calloc((size_t)(ends[3] * ARITY) + 1, sizeof *idx);
  if (!status) status = op2_map_get(w->map, idx);
  for (int64_t e = 0; e < ends[1] * ARITY && !status; e++)
    if (nodes[idx[e]] % 2) idx[e] = -1;
  for (int64_t e = ends[1] * ARITY; e < ends[3] * ARITY; e++) idx[e] = -1;
  if (!status)
    status = op2_map_create_partial(w->edges, w->nodes, ARITY, idx, "partial", &w->partial);
  free(idx);
  return status;
}

static int renumber(const struct world *w) {
  const op2_status status = op2_renumber(w->map);
  return status != OP2_SUCCESS && status != OP2_ERR_UNAVAILABLE;
}

/* The last rank says that entries may lead nowhere, or that they are global. */
static int different(struct world *w) {
  const int32_t idx[EDGES * ARITY] = {0};
  const bool last = op2_rank(w->ctx) == op2_ranks(w->ctx) - 1;
  op2_map map = NULL;
  int wrong = 0;
  for (int kind = 0; kind < 2; kind++) {
    const op2_entries_desc how = {
        .type = OP2_I32, .partial = last && kind, .global = last && !kind};
    wrong +=
        op2_map_create_entries(w->nodes, w->nodes, 1, &how, idx, "odd", &map) != OP2_ERR_MISMATCH;
    wrong += !strstr(op2_error_message(), "map 'odd': entries that may lead nowhere") || map;
  }
  return wrong;
}

/* An entry past the end on the last rank is refused on all; its row is a global number. */
static int stray(struct world *w) {
  const op2_entries_desc how = {.type = OP2_I64, .base = 1, .global = true};
  const bool last = op2_rank(w->ctx) == op2_ranks(w->ctx) - 1;
  int64_t idx[NODES];
  op2_map map = NULL;
  char words[80];
  for (int i = 0; i < NODES; i++) idx[i] = 1;
  if (last) idx[op2_set_size(w->nodes) - 1] = ((int64_t)1 << 32) + 1;
  snprintf(words, sizeof words, "entry 4294967297 at row %d, column 0 is not in [1, %d)", NODES - 1,
           NODES + 1);
  const op2_status status = op2_map_create_entries(w->nodes, w->nodes, 1, &how, idx, "odd", &map);
  return (status != OP2_ERR_RANGE) + !strstr(op2_error_message(), words) + (map != NULL);
}

static int look(struct world *w) {
  int32_t idx[EDGES * ARITY];
  op2_map_info info;
  op2_set_info set;
  const int64_t changes = op2_dat_changes(w->x);
  int wrong = compare(w, w->map, NULL) + compare(w, w->loose, NULL) + different(w) + stray(w) +
              (op2_map_get(w->map, idx) != OP2_ERR_STATE);
  wrong += !strstr(op2_error_message(), "op2_partition") || op2_map_info_get(w->map, &info) ||
           !info.global_only || !info.has_values;
  if (op2_partition(w->ctx, NULL, NULL)) return wrong + 1;
  wrong += op2_dat_changes(w->x) <= changes;
  if (op2_map_get(w->map, idx) || op2_map_info_get(w->map, &info)) return wrong + 1;
  wrong += info.global_only + compare(w, w->map, idx);
  if (declare_partial(w) || op2_map_get(w->partial, idx)) return wrong + 1;
  wrong += compare(w, w->partial, idx);
  if (op2_map_get(w->loose, idx)) return wrong + 1;
  wrong += compare(w, w->loose, idx);
  if (renumber(w) || op2_map_get(w->partial, idx)) return wrong + 1;
  wrong += compare(w, w->partial, idx);
  if (op2_map_get(w->map, idx) || op2_set_info_get(w->nodes, &set)) return wrong + 1;
  wrong += compare(w, w->map, idx) + (set.global_size != NODES) +
           (set.ends[1] != op2_set_size(w->nodes));
  return wrong + (op2_objects(w->ctx, OP2_OBJECT_ANY) != 6);
}

static int rank(struct op2i_comm *comm, void *backend) {
  struct world w = {0};
  const op2_options options = {.backend = backend};
  if (op2i_init_ranks(&options, comm, &w.ctx)) return 1;
  int wrong = declare(&w, comm) != OP2_SUCCESS || look(&w);
  if (wrong) fprintf(stderr, "# rank %d: %s\n", op2_rank(w.ctx), op2_error_message());
  op2_dat_destroy(&w.x);
  op2_map_destroy(&w.loose);
  op2_map_destroy(&w.partial);
  op2_map_destroy(&w.map);
  op2_set_destroy(&w.nodes);
  op2_set_destroy(&w.edges);
  return wrong + (op2_finalize(&w.ctx) != OP2_SUCCESS);
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));)
    for (int ranks = 2; ranks <= 4; ranks++)
      is_int(run_contexts(ranks, rank, (void *)backend), 0, "%d ranks on %s", ranks, backend);
  return done();
}

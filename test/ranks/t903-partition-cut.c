/* SPDX-License-Identifier: BSD-3-Clause */
/* The quality of partitions on a triangulation: few rows are cut, ranks have equal sizes, and the
 * result is the same each time. A partitioner of a companion library takes precedence over the
 * library's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "delaunay_case.h"
#include "init.h"
#include "mail.h"
#include "partitioner.h"
#include "rank_case.h"
#include "renumber.h"
#include "renumber_order.h"
#include "support.h"
#include "tap.h"

enum { RANKS = 4, NODES_OF_MESH = 3000 };
enum { GRAPH, PLACES, BLOCKS, AT_RANDOM, KINDS };

struct trial {
  struct delaunay mesh;
  op2_partition_report report[KINDS][2]; /* of rank 0 */
  char words[2000];
};

struct world {
  op2_context ctx;
  op2_set nodes, cells;
  op2_map corners;
  op2_dat place;
  int rank;
};

static op2_status declare(struct world *w, const struct trial *t) {
  int64_t sizes[2] = {t->mesh.nnodes, t->mesh.ntriangles}, first[2], n[2];
  for (int s = 0; s < 2; s++) {
    first[s] = op2i_share_first(sizes[s], RANKS, w->rank);
    n[s] = op2i_share_first(sizes[s], RANKS, w->rank + 1) - first[s];
  }
  int64_t *idx = calloc((size_t)n[1] * 3, sizeof *idx);
  double *place = calloc((size_t)n[0] * 2, sizeof *place);
  for (int64_t i = 0; i < 3 * n[1]; i++) idx[i] = t->mesh.triangle[first[1] + i / 3][i % 3];
  for (int64_t i = 0; i < 2 * n[0]; i++) /* positions by number, unrelated to the mesh */
    place[i] = (double)((first[0] + i / 2) % (i % 2 ? 1000 : 10));
  op2_status status = op2_set_create(w->ctx, n[0], "nodes", &w->nodes);
  if (!status) status = op2_set_create(w->ctx, n[1], "cells", &w->cells);
  if (!status) status = op2_map_create_global(w->cells, w->nodes, 3, idx, "corners", &w->corners);
  if (!status) status = op2_dat_create(w->nodes, 2, OP2_F64, place, "place", &w->place);
  free(idx);
  free(place);
  return status;
}

static op2_status cut(struct world *w, int kind, op2_partition_report *report) {
  op2_partition_options how = {.method = OP2_PARTITION_BLOCKS, .set = w->nodes};
  int32_t *owner = calloc((size_t)op2_set_size(w->nodes) + 1, sizeof *owner);
  int64_t *number = calloc(NODES_OF_MESH, sizeof *number);
  op2_status status = op2_set_global(w->nodes, number);
  for (int64_t i = 0; i < op2_set_size(w->nodes); i++) {
    uint64_t seed = 5 + (uint64_t)number[i];
    (void)draw(&seed);
    owner[i] = draw_below(&seed, RANKS);
  }
  free(number);
  if (kind == GRAPH) how = (op2_partition_options){.method = OP2_PARTITION_KWAY, .map = w->corners};
  if (kind == PLACES)
    how = (op2_partition_options){.method = OP2_PARTITION_COORDINATES, .coordinates = w->place};
  if (kind == AT_RANDOM)
    how = (op2_partition_options){.method = OP2_PARTITION_GIVEN, .set = w->nodes, .owner = owner};
  if (!status) status = op2_partition(w->ctx, &how, report);
  free(owner);
  return status;
}

static op2_status explain(struct world *w, struct trial *t) {
  FILE *stream = tmpfile();
  op2_status status = stream ? op2_explain(w->ctx, stream) : OP2_ERR_IO;
  if (!stream) return status;
  rewind(stream);
  char *text = calloc(1, 100000);
  size_t n = fread(text, 1, 99999, stream);
  const char *part = n ? strstr(text, "rank 0 of 4") : NULL;
  if (part) snprintf(t->words, sizeof t->words, "%s", part);
  free(text);
  fclose(stream);
  return status;
}

static int rank(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential"};
  struct trial *t = data;
  struct world w = {.rank = comm->rank};
  op2_status status = op2i_init_ranks(&options, comm, &w.ctx);
  if (!status) status = declare(&w, t);
  for (int time = 0; time < 2; time++)
    for (int kind = 0; kind < KINDS && !status; kind++) {
      op2_partition_report report;
      if (kind == GRAPH && op2i_order_unavailable()) continue;
      status = cut(&w, kind, &report);
      if (w.rank == 0) t->report[kind][time] = report;
    }
  if (!status && w.rank == 0) status = explain(&w, t);
  if (status) fprintf(stderr, "# %s\n", op2_error_message());
  op2_dat_destroy(&w.place);
  op2_map_destroy(&w.corners);
  op2_set_destroy(&w.nodes);
  op2_set_destroy(&w.cells);
  return (status != OP2_SUCCESS) + (op2_finalize(&w.ctx) != OP2_SUCCESS);
}

static double share_cut(const op2_partition_report *r) { return (double)r->cut / (double)r->rows; }

/* ---- partitioners of other libraries --------------------------------------------------------- */

static _Atomic int asked;
static bool may;

static const char *unavailable(const struct op2i_comm *comm) {
  return may && comm->size == RANKS ? NULL : "it is not its day";
}

static op2_status stripes(const struct op2i_spread_graph *graph, int32_t *part) {
  asked++;
  for (int64_t v = 0; v < graph->n; v++) {
    part[v] = (int32_t)((graph->first + v) % graph->comm->size);
    for (int64_t a = graph->offs[v]; a < graph->offs[v + 1]; a++) {
      bool ascends = a == graph->offs[v] || graph->adjacent[a - 1] < graph->adjacent[a];
      if (!ascends || graph->adjacent[a] == graph->first + v) return OP2_ERR_ARG;
    }
  }
  return OP2_SUCCESS;
}

static const struct op2i_partitioner others = {"stripes", unavailable, stripes};

static void offered(struct trial *t) {
  op2i_partitioner_offer(&others);
  op2i_partitioner_offer(&others);
  is_int(run_contexts(RANKS, rank, t), 0, "an offer that cannot");
  is_int(asked, 0, "is not asked");
  may = true;
  is_int(run_contexts(RANKS, rank, t), 0, "an offer that can");
  is_int(asked, 2 * RANKS, "is asked first, on every rank");
  ok(share_cut(&t->report[GRAPH][0]) > 0.5, "and obeyed: %.2f of rows are cut",
     share_cut(&t->report[GRAPH][0]));
}

int main(void) {
  static struct trial t;
  test_environment();
  t.mesh = delaunay_make(NODES_OF_MESH);
  is_int(run_contexts(RANKS, rank, &t), 0, "partitioned by all methods");
  for (int kind = 0; kind < KINDS; kind++) {
    const op2_partition_report *r = t.report[kind];
    if (kind == GRAPH && op2i_order_unavailable()) continue;
    diag("method %d: %.3f of rows cut, imbalance %.3f, halos %d and %d", kind, share_cut(r),
         r->imbalance, (int)r->exec, (int)r->nonexec);
    ok(r[0].cut == r[1].cut && r[0].most_owned == r[1].most_owned && r[0].exec == r[1].exec,
       "method %d gives the same each time, wherever elements were", kind);
    ok(r->imbalance < 1.15, "and as much to each rank: %.3f", r->imbalance);
  }
  if (op2i_order_unavailable()) {
    skip("no Scotch: %s", op2i_order_unavailable());
  } else {
    ok(share_cut(&t.report[GRAPH][0]) < 0.1, "k-way cuts few rows");
    ok(t.report[GRAPH][0].exec * 5 < t.report[AT_RANDOM][0].exec, "halos are small");
    offered(&t);
  }
  ok(strstr(t.words, "op2_partition: ") && strstr(t.words, "set 'nodes': 3000 elements on all"),
     "op2_explain tells what the rank has");
  delaunay_free(&t.mesh);
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that spread and partition a mesh are refused, on one rank or on all: all ranks report the
 * same, and the mesh is unchanged. The same calls are also made in a context of one rank. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "init.h"
#include "mesh.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(take, (int64_t * e, const int64_t *c), { *e += *c; });

/* Each of three ranks has two cells and three edges; edge e leads to cells e and e + 1,
 * periodically. */
enum { RANKS = 3, CELLS_EACH = 2, EDGES_EACH = 3, CELLS = 6, EDGES = 9 };

struct world {
  op2_context ctx, other;
  op2_set cells, edges, some, others;
  op2_map ends, to_one, empty;
  op2_dat values, place, wide, wrapped;
  op2_kernel take;
  int64_t memory[CELLS_EACH];
  int rank;
  int64_t idx[2 * EDGES_EACH];
};

static op2_status declare(struct world *w) {
  double place[CELLS_EACH] = {w->rank, w->rank + 0.5};
  int64_t values[CELLS_EACH], one[EDGES_EACH] = {0, 1, 5};
  for (int i = 0; i < CELLS_EACH; i++) values[i] = 100 + w->rank * CELLS_EACH + i;
  for (int i = 0; i < EDGES_EACH; i++)
    for (int k = 0; k < 2; k++) w->idx[2 * i + k] = (w->rank * EDGES_EACH + i + k) % CELLS;
  op2_status status = op2_set_create(w->ctx, CELLS_EACH, "cells", &w->cells);
  if (!status) status = op2_set_create(w->ctx, EDGES_EACH, "edges", &w->edges);
  if (!status) status = op2_map_create_global(w->edges, w->cells, 2, w->idx, "ends", &w->ends);
  if (!status) status = op2_map_create_global(w->edges, w->cells, 1, one, "to_one", &w->to_one);
  if (!status) status = op2_map_create(w->edges, w->cells, 2, NULL, "empty", &w->empty);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_I64, values, "values", &w->values);
  if (!status) status = op2_dat_create(w->cells, 1, OP2_F64, place, "place", &w->place);
  if (!status) status = op2_dat_create(w->cells, 4, OP2_F64, NULL, "wide", &w->wide);
  if (!status) status = op2_subset_create(w->cells, 1, (int64_t[]){1}, "some", &w->some);
  if (!status) status = op2_kernel_create(w->ctx, &take_kernel, &w->take);
  if (!status) status = op2_init(NULL, &w->other);
  if (!status) status = op2_set_create(w->other, 2, "others", &w->others);
  return status;
}

static void end(struct world *w) {
  op2_dat_destroy(&w->values);
  op2_dat_destroy(&w->place);
  op2_dat_destroy(&w->wide);
  op2_dat_destroy(&w->wrapped);
  op2_map_destroy(&w->ends);
  op2_map_destroy(&w->to_one);
  op2_map_destroy(&w->empty);
  op2_set_destroy(&w->some);
  op2_set_destroy(&w->cells);
  op2_set_destroy(&w->edges);
  op2_set_destroy(&w->others);
  op2_kernel_destroy(&w->take);
}

/* A call that is refused, with its status and message. */
struct refusal {
  const char *name;
  op2_status status;
  const char *says;
  op2_status (*call)(struct world *w);
};

/* ---- partitions ------------------------------------------------------------------------------ */

static op2_status cut(struct world *w, op2_partition_options how) {
  op2_partition_report report = {.rows = -7};
  op2_status status = op2_partition(w->ctx, &how, &report);
  return status && report.rows != -7 ? OP2_SUCCESS : status;
}

static op2_status no_method(struct world *w) { return cut(w, (op2_partition_options){0}); }
static op2_status reserved(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS, .reserved = {w}});
}
static op2_status no_set(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_GIVEN});
}
static op2_status a_subset(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS, .set = w->some});
}
static op2_status anothers(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS, .set = w->others});
}
static op2_status no_owners(struct world *w) {
  const int32_t owner[CELLS_EACH] = {0};
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_GIVEN,
                                        .set = w->cells,
                                        .owner = w->rank == 1 ? NULL : owner});
}
static op2_status no_rank(struct world *w) {
  const int32_t owner[CELLS_EACH] = {0, w->rank == 2 ? RANKS : 1};
  return cut(
      w, (op2_partition_options){.method = OP2_PARTITION_GIVEN, .set = w->cells, .owner = owner});
}
static op2_status no_place(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_COORDINATES});
}
static op2_status integers(struct world *w) {
  return cut(
      w, (op2_partition_options){.method = OP2_PARTITION_COORDINATES, .coordinates = w->values});
}
static op2_status four(struct world *w) {
  return cut(w,
             (op2_partition_options){.method = OP2_PARTITION_COORDINATES, .coordinates = w->wide});
}
static op2_status nowhere(struct world *w) {
  const double one = NAN, good = 1;
  op2_status status = op2_dat_set_block(w->place, 3, w->rank == 1, &one);
  if (!status)
    status = cut(
        w, (op2_partition_options){.method = OP2_PARTITION_COORDINATES, .coordinates = w->place});
  char text[512];
  snprintf(text, sizeof text, "%s", op2_error_message());
  if (op2_dat_set_block(w->place, 3, w->rank == 1, &good)) return OP2_SUCCESS;
  return strstr(text, "element 3 (global number)") ? status : OP2_SUCCESS;
}
static op2_status no_map(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_KWAY});
}
static op2_status one_target(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_KWAY, .map = w->to_one});
}
static op2_status no_values(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_KWAY, .map = w->empty});
}
static op2_status other_methods(struct world *w) {
  const int32_t owner[CELLS_EACH] = {0};
  return cut(w, (op2_partition_options){.method = w->rank == 1 ? OP2_PARTITION_GIVEN
                                                               : OP2_PARTITION_BLOCKS,
                                        .set = w->cells,
                                        .owner = owner});
}
static op2_status other_sets(struct world *w) {
  return cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS,
                                        .set = w->rank == 1 ? w->edges : w->cells});
}
static op2_status open_scope(struct world *w) {
  const void *data;
  op2_status status = op2_dat_read_begin(w->values, &data);
  if (!status) status = cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS});
  if (op2_dat_read_end(w->values, &data)) return OP2_SUCCESS;
  return status;
}
static op2_status wraps(struct world *w) {
  op2_status status = OP2_SUCCESS;
  if (!w->wrapped) status = op2_dat_wrap(w->cells, 1, OP2_I64, w->memory, "wrapped", &w->wrapped);
  if (!status) status = cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS});
  char text[512];
  snprintf(text, sizeof text, "%s", op2_error_message());
  op2_dat_destroy(&w->wrapped);
  return strstr(text, "dat 'wrapped' is wrapped") ? status : OP2_SUCCESS;
}
static op2_status from_shared(struct world *w, bool everywhere) {
  op2_set shared = NULL;
  op2_map from = NULL;
  op2_status status = op2_set_create_single(w->ctx, "shared", &shared);
  if (!status && everywhere)
    status = op2_map_create_global(shared, w->cells, 2, (int64_t[]){0, 5}, "from", &from);
  if (!status && !everywhere)
    status = op2_map_create(shared, w->cells, 2, (int32_t[]){0, 1}, "from", &from);
  status = status ? OP2_SUCCESS : cut(w, (op2_partition_options){.method = OP2_PARTITION_BLOCKS});
  char text[512];
  snprintf(text, sizeof text, "%s", op2_error_message());
  op2_map_destroy(&from);
  op2_set_destroy(&shared);
  return strstr(text, "map 'from' starts from set 'shared'") ? status : OP2_SUCCESS;
}
static op2_status from_shared_near(struct world *w) { return from_shared(w, false); }
static op2_status from_shared_far(struct world *w) { return from_shared(w, true); }
/* ---- sets and maps --------------------------------------------------------------------------- */

static op2_status huge(struct world *w) {
  op2_set set = NULL;
  return op2_set_create(w->ctx, w->rank == 1 ? INT64_C(1) << 61 : 2, "cells", &set);
}
static op2_status negative(struct world *w) {
  op2_set set = NULL;
  return op2_set_create(w->ctx, w->rank == 1 ? -1 : 4, "cells", &set);
}
static op2_status sections(struct world *w) {
  op2_set set = NULL;
  const int64_t ends[4] = {2, 2, 2, w->rank == 1 ? 3 : 2};
  return op2_set_create_sections(w->ctx, ends, "cells", &set);
}
static op2_status bad_ends(struct world *w) {
  op2_set set = NULL;
  const int64_t ends[4] = {2, w->rank == 1 ? 1 : 2, 2, 2},
                number[2] = {2 * w->rank, 2 * w->rank + 1};
  return op2_set_create_halo(w->ctx, ends, number, NULL, "cells", &set);
}
static op2_status no_numbers(struct world *w) {
  op2_set set = NULL;
  const int64_t ends[4] = {2, 2, 2, 2}, number[2] = {2 * w->rank, 2 * w->rank + 1};
  return op2_set_create_halo(w->ctx, ends, w->rank == 1 ? NULL : number, NULL, "cells", &set);
}
static op2_status far_target(struct world *w) {
  int64_t idx[2 * EDGES_EACH] = {0};
  op2_map map = NULL;
  if (w->rank == 1) idx[3] = CELLS;
  return op2_map_create_global(w->edges, w->cells, 2, idx, "ends", &map);
}
static op2_status null_targets(struct world *w) {
  op2_map map = NULL;
  return op2_map_create_global(w->edges, w->cells, 2, w->rank == 1 ? NULL : w->idx, "ends", &map);
}
static op2_status null_entries(struct world *w) {
  const int32_t idx[EDGES_EACH] = {0};
  op2_map map = NULL;
  return op2_map_create(w->edges, w->cells, 1, w->rank == 1 ? NULL : idx, "ends", &map);
}
static op2_status far_entry(struct world *w) {
  const int32_t idx[EDGES_EACH] = {0, 0, w->rank == 1 ? CELLS_EACH : 0};
  op2_map map = NULL;
  return op2_map_create(w->edges, w->cells, 1, idx, "ends", &map);
}
/* Each rank has one cell of both neighbours in its halo; its last edge leads to the next rank,
 * whose exec halo contains it. */
enum sections { RIGHT, FALSE_CORE, NO_EXEC };
static op2_status core(struct world *w, enum sections sections) {
  int next = (w->rank + 1) % RANKS, before = (w->rank + RANKS - 1) % RANKS;
  bool here = w->rank == 1;
  const int64_t ends[4] = {2, 2, 2, 4},
                number[4] = {2 * w->rank, 2 * w->rank + 1, 2 * next, 2 * before + 1};
  const int64_t edge[3] = {number[0], number[1], number[3]};
  const int64_t last = here && sections == NO_EXEC ? 2 : 3,
                edge_ends[4] = {here && sections == FALSE_CORE ? 2 : 1, 2, last, last};
  const int32_t owner[2] = {next, before}, idx[6] = {0, 1, 1, 2, 3, 0};
  op2_set cells = NULL, edges = NULL;
  op2_map map = NULL;
  op2_status status = op2_set_create_halo(w->ctx, ends, number, owner, "cells", &cells);
  if (!status) status = op2_set_create_halo(w->ctx, edge_ends, edge, &owner[1], "edges", &edges);
  if (!status) status = op2_map_create(edges, cells, 2, idx, "ends", &map);
  op2_map_destroy(&map);
  op2_set_destroy(&cells);
  op2_set_destroy(&edges);
  return status;
}
static op2_status dishonest(struct world *w) {
  return core(w, RIGHT) ? OP2_SUCCESS : core(w, FALSE_CORE);
}
static op2_status no_exec(struct world *w) { return core(w, NO_EXEC); }
static op2_status too_early(struct world *w) {
  op2_dat e = NULL;
  op2_status status = op2_dat_create(w->edges, 1, OP2_I64, NULL, "e", &e);
  if (!status)
    status = op2_par_loop(w->take, w->edges, op2_arg_direct(e, OP2_RW),
                          op2_arg_dat(w->values, 0, w->ends, OP2_READ));
  op2_dat_destroy(&e);
  return status;
}
static op2_status permuted(struct world *w) {
  op2_map map = NULL;
  return op2_map_create_permuted(w->ends, (int[]){1, 0}, "turned", &map);
}
static op2_status composed(struct world *w) {
  op2_map map = NULL;
  return op2_map_create_composed(1, &w->ends, "composed", &map);
}

/* ---- values ---------------------------------------------------------------------------------- */

static op2_status beyond(struct world *w) {
  int64_t out[4];
  return op2_dat_get_block(w->values, w->rank == 1 ? 4 : 0, 3, out);
}
static op2_status into_null(struct world *w) {
  int64_t out[4];
  return op2_dat_get_block(w->values, 0, 3, w->rank == 1 ? NULL : out);
}
static op2_status twice(struct world *w) {
  const int64_t in[2] = {1, 2};
  return op2_dat_set_block(w->values, w->rank, 2, in);
}
static op2_status in_scope(struct world *w) {
  const void *data;
  const int64_t in = 5;
  op2_status status = op2_dat_read_begin(w->values, &data);
  if (!status) status = op2_dat_set_block(w->values, w->rank, 1, &in);
  if (op2_dat_read_end(w->values, &data)) return OP2_SUCCESS;
  return status;
}

static const struct refusal refusals[] = {
    {"no method", OP2_ERR_ARG, "0 is not an op2_partition_method", no_method},
    {"a reserved option", OP2_ERR_ARG, "reserved", reserved},
    {"owners of no set", OP2_ERR_ARG, "the set handle is null", no_set},
    {"a subset", OP2_ERR_ARG, "'some' is a subset of 'cells'", a_subset},
    {"another's set", OP2_ERR_MISMATCH, "'others' belongs to another context", anothers},
    {"no owners", OP2_ERR_ARG, "rank 1 of 3: op2_partition: the owners of set 'cells'", no_owners},
    {"no such rank", OP2_ERR_RANGE,
     "rank 2 of 3: op2_partition: set 'cells': element 5 (global number) is given to rank 3",
     no_rank},
    {"no coordinates", OP2_ERR_ARG, "the dat handle is null", no_place},
    {"integers", OP2_ERR_TYPE, "dat 'values' is of type", integers},
    {"four dimensions", OP2_ERR_TYPE, "dat 'wide' is of type", four},
    {"a place that is none", OP2_ERR_RANGE, NULL, nowhere},
    {"no map", OP2_ERR_ARG, "the map handle is null", no_map},
    {"one target", OP2_ERR_MISMATCH, "map 'to_one' has arity 1", one_target},
    {"no values", OP2_ERR_MISMATCH, "map 'empty' has no values", no_values},
    {"two methods", OP2_ERR_MISMATCH, "do not name the same method", other_methods},
    {"two sets", OP2_ERR_MISMATCH, "do not name the same method and the same object", other_sets},
    {"an open scope", OP2_ERR_STATE, NULL, open_scope},
    {"a wrapped dat", OP2_ERR_MISMATCH, NULL, wraps},
    {"a map from a set that all share", OP2_ERR_STATE, NULL, from_shared_near},
    {"the same by global numbers", OP2_ERR_STATE, NULL, from_shared_far},
    {"a negative size", OP2_ERR_ARG, "rank 1 of 3: set 'cells': size -1 is negative", negative},
    {"more elements than bytes", OP2_ERR_NOMEM,
     "rank 1 of 3: set 'cells' of 2305843009213693952 elements is larger than memory", huge},
    {"sections", OP2_ERR_ARG, "rank 1 of 3: set 'cells': among ranks a set is declared", sections},
    {"ends that decrease", OP2_ERR_ARG, "rank 1 of 3: set 'cells': section ends", bad_ends},
    {"no numbers", OP2_ERR_ARG, "rank 1 of 3: set 'cells': a list of global numbers", no_numbers},
    {"a target that is none", OP2_ERR_RANGE,
     "rank 1 of 3: map 'ends' (edges -> cells): entry 6 at row 4, column 1 is not in [0, 6)",
     far_target},
    {"no targets", OP2_ERR_ARG, "rank 1 of 3: map 'ends': the entries are null", null_targets},
    {"no entries", OP2_ERR_ARG, "rank 1 of 3: map 'ends': the entries are null", null_entries},
    {"an entry that is none", OP2_ERR_RANGE,
     "rank 1 of 3: map 'ends' (edges -> cells): entry 2 at row 2 (global number 5), column 0",
     far_entry},
    {"a core that is none", OP2_ERR_MISMATCH,
     "rank 1 of 3: map 'ends' (edges -> cells): element 3 is declared a core element, and column 1 "
     "leads to 4, which another rank owns",
     dishonest},
    {"an exec halo that lacks an element", OP2_ERR_MISMATCH,
     "rank 0 of 3: map 'ends' (edges -> cells): element 1 leads in column 1 to 2, which rank 1 "
     "owns, "
     "and rank 1 does not have it in its exec halo of 'edges' (global numbers)",
     no_exec},
    {"a loop before partitioning", OP2_ERR_STATE,
     "map 'ends' leads to elements anywhere: partition", too_early},
    {"a permutation before", OP2_ERR_STATE, "partition first", permuted},
    {"a composition before", OP2_ERR_STATE, "partition first", composed},
    {"values beyond the set", OP2_ERR_RANGE,
     "rank 1 of 3: set 'cells': 3 elements from 4 on are not in [0, 6)", beyond},
    {"values into null", OP2_ERR_ARG, "rank 1 of 3: op2_dat_get_block: dat 'values'", into_null},
    {"values given twice", OP2_ERR_ARG,
     "ranks 0 and 1 both give the element with the global number 1", twice},
    {"values in a scope", OP2_ERR_STATE, NULL, in_scope},
};

/* The mesh is as it was declared. */
static int look(struct world *w) {
  int64_t values[CELLS], ends[4], numbers[CELLS];
  int wrong = op2_dat_get_block(w->values, 0, CELLS, values) != OP2_SUCCESS;
  for (int i = 0; i < CELLS && !wrong; i++) wrong += values[i] != 100 + i;
  wrong += op2_set_sections(w->cells, ends) || ends[0] != 2 || ends[3] != 2;
  wrong += op2_set_global(w->cells, numbers) || numbers[0] != 2 * w->rank;
  return wrong + (op2_set_size(w->edges) != EDGES_EACH);
}

static int refuse(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential"};
  struct world w = {.rank = comm->rank};
  int *wrong = data, n = (int)(sizeof refusals / sizeof *refusals);
  int failed = op2i_init_ranks(&options, comm, &w.ctx) || declare(&w);
  if (failed) fprintf(stderr, "# %s\n", op2_error_message());
  for (int i = 0; i < n && !failed; i++) {
    op2_status status = refusals[i].call(&w);
    bool good = status == refusals[i].status &&
                (!refusals[i].says || strstr(op2_error_message(), refusals[i].says));
    if (!good)
      fprintf(stderr, "# %s, rank %d: %s: %s\n", refusals[i].name, w.rank, op2_status_name(status),
              op2_error_message());
    __atomic_fetch_add(&wrong[i], !good, __ATOMIC_RELAXED);
    __atomic_fetch_add(&wrong[i], look(&w), __ATOMIC_RELAXED);
  }
  if (!failed) failed = op2_partition(w.ctx, NULL, NULL) != OP2_SUCCESS;
  if (!failed) failed = too_early(&w) != OP2_SUCCESS || op2_flush(w.ctx) != OP2_SUCCESS;
  end(&w);
  failed += op2_finalize(&w.ctx) != OP2_SUCCESS;
  return failed + (op2_finalize(&w.other) != OP2_SUCCESS);
}

/* ---- empty and tiny meshes ------------------------------------------------------------------- */

/* First there are no sets; then sets without elements, and one with a single element. */
static int nothing(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential"};
  struct world w = {.rank = comm->rank};
  op2_partition_report report = {0};
  int wrong = op2i_init_ranks(&options, comm, &w.ctx) != OP2_SUCCESS;
  (void)data;
  if (!wrong) wrong = op2_partition(w.ctx, NULL, &report) || report.imbalance != 1;
  if (!wrong) wrong = op2_set_create(w.ctx, w.rank == 1, "cells", &w.cells) != OP2_SUCCESS;
  if (!wrong) wrong = op2_set_create(w.ctx, 0, "edges", &w.edges) != OP2_SUCCESS;
  if (!wrong) wrong = op2_map_create_global(w.edges, w.cells, 2, NULL, "ends", &w.ends) != 0;
  if (!wrong) wrong = op2_dat_create(w.cells, 1, OP2_F64, NULL, "place", &w.place) != 0;
  const op2_partition_options how[] = {
      {.method = OP2_PARTITION_BLOCKS},
      {.method = OP2_PARTITION_COORDINATES, .coordinates = w.place},
      {.method = OP2_PARTITION_GIVEN, .set = w.edges},
      {.method = OP2_PARTITION_KWAY, .map = w.ends}};
  for (int i = 0; i < 4 && !wrong; i++) {
    op2_status status = op2_partition(w.ctx, &how[i], &report);
    if (how[i].method == OP2_PARTITION_KWAY && status == OP2_ERR_UNAVAILABLE) continue;
    wrong = status || report.owned != 1 || report.most_owned != 1 || report.rows != 0;
  }
  if (wrong) fprintf(stderr, "# %s\n", op2_error_message());
  end(&w);
  return wrong + (op2_finalize(&w.ctx) != OP2_SUCCESS);
}

/* ---- maps of maps ---------------------------------------------------------------------------- */

/* A map from each cell to the next but one is refused: for the last but one cell of its part a rank
 * does not know the target of the cell after it. If one rank owns all cells, it does. */
static int twice_next(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential"};
  struct world w = {.rank = comm->rank};
  op2_map next = NULL, turned = NULL, far = NULL;
  const int32_t here[CELLS] = {w.rank, w.rank, w.rank, w.rank, w.rank, w.rank}, first[CELLS] = {0};
  op2_partition_options how = {.method = OP2_PARTITION_GIVEN};
  int wrong = op2i_init_ranks(&options, comm, &w.ctx) || declare(&w);
  (void)data;
  for (int i = 0; i < CELLS_EACH; i++) w.idx[i] = (w.rank * CELLS_EACH + i + 1) % CELLS;
  if (!wrong) wrong = op2_map_create_global(w.cells, w.cells, 1, w.idx, "next", &next) != 0;
  how.set = w.cells;
  how.owner = here;
  if (!wrong) wrong = op2_partition(w.ctx, &how, NULL) != OP2_SUCCESS;
  const op2_map both[2] = {next, next};
  if (!wrong) wrong = op2_map_create_composed(2, both, "far", &far) != OP2_ERR_MISMATCH || far;
  if (!wrong) wrong = !strstr(op2_error_message(), "rank 0 of 3: composed map 'far': element 1 of");
  if (!wrong) wrong = !strstr(op2_error_message(), "leads to 2 of 'cells', which is in the non-ex");
  if (!wrong) wrong = op2_map_create_permuted(w.ends, (int[]){1, 0}, "turned", &turned) != 0;
  for (int64_t i = 0; i < w.edges->ends[OP2I_EXEC] && !wrong; i++)
    wrong = turned->idx[2 * i] != w.ends->idx[2 * i + 1] || turned->arity != 2;
  how.owner = first;
  if (!wrong) wrong = op2_partition(w.ctx, &how, NULL) != OP2_SUCCESS;
  if (!wrong) wrong = op2_map_create_composed(2, both, "far", &far) != OP2_SUCCESS;
  for (int64_t i = 0; i < op2_set_size(w.cells) && !wrong; i++)
    wrong = far->idx[i] != (i + 2) % CELLS;
  if (wrong) fprintf(stderr, "# %s\n", op2_error_message());
  op2_map_destroy(&next);
  op2_map_destroy(&turned);
  op2_map_destroy(&far);
  end(&w);
  wrong += op2_finalize(&w.ctx) != OP2_SUCCESS;
  return wrong + (op2_finalize(&w.other) != OP2_SUCCESS);
}

/* ---- a context without ranks ----------------------------------------------------------------- */

static void alone(void) {
  const op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  op2_set cells = NULL, edges = NULL, halo = NULL;
  op2_map map = NULL, bad = NULL;
  op2_dat x = NULL;
  int64_t number[4] = {9, 9, 9, 9}, ends[4] = {2, 2, 2, 3};
  double values[4] = {1, 2, 3, 4}, out[2];
  CHECK(op2_init(&options, &ctx));
  is_int(op2_rank(ctx), 0, "alone, the rank is 0");
  is_int(op2_ranks(ctx), 1, "of 1");
  is_int(op2_rank(NULL), 0, "so it is of no context");
  is_int(op2_ranks(NULL), 1, "of 1");
  is_int(op2_set_global_size(NULL), -1, "no set has no size");
  CHECK(op2_set_create_halo(ctx, (int64_t[]){4, 4, 4, 4}, (int64_t[]){0, 1, 2, 3}, NULL, "cells",
                            &cells));
  FAILS(op2_set_create_halo(ctx, ends, (int64_t[]){0, 1, 2}, (int32_t[]){1}, "cells", &halo),
        OP2_ERR_ARG);
  ok(strstr(op2_error_message(), "the context is alone"), "a halo alone: %s", op2_error_message());
  FAILS(op2_set_create_halo(ctx, (int64_t[]){2, 2, 2, 2}, (int64_t[]){1, 0}, NULL, "c", &halo),
        OP2_ERR_ARG);
  ok(!halo, "no set was made");
  CHECK(op2_set_create(ctx, 2, "edges", &edges));
  is_int(op2_set_global_size(edges), 2, "its global size is its own");
  CHECK(op2_set_global(cells, number));
  ok(number[0] == 0 && number[3] == 3, "and so are its numbers");
  CHECK(op2_map_create_global(edges, cells, 2, (int64_t[]){0, 1, 2, 3}, "ends", &map));
  FAILS(
      op2_map_create_global(edges, cells, 2, (int64_t[]){0, 1, 2, INT64_C(1) << 32}, "ends", &bad),
      OP2_ERR_RANGE);
  CHECK(op2_dat_create(cells, 1, OP2_F64, values, "x", &x));
  op2_partition_report report;
  CHECK(op2_partition(ctx, NULL, &report));
  ok(report.owned == 6 && report.rows == 2 && report.cut == 0 && report.imbalance == 1,
     "a partition alone changes nothing");
  CHECK(op2_dat_get_block(x, 1, 2, out));
  ok(out[0] == 2 && out[1] == 3, "values by number");
  CHECK(op2_dat_set_block(x, 2, 1, (double[]){7}));
  CHECK(op2_dat_get(x, values));
  ok(values[1] == 2 && values[2] == 7 && values[3] == 4, "and the other way");
  FAILS(op2_dat_get_block(x, 3, 2, out), OP2_ERR_RANGE);
  FAILS(op2_dat_get_block(NULL, 3, 2, out), OP2_ERR_ARG);
  FAILS(op2_partition(NULL, NULL, NULL), OP2_ERR_STATE);
  op2_dat_destroy(&x);
  op2_map_destroy(&map);
  op2_set_destroy(&cells);
  op2_set_destroy(&edges);
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  enum { N = sizeof refusals / sizeof *refusals };
  int wrong[N] = {0};
  test_environment();
  is_int(run_contexts(RANKS, refuse, wrong), 0, "and then it can be partitioned");
  for (int i = 0; i < N; i++) is_int(wrong[i], 0, "refused on all ranks: %s", refusals[i].name);
  is_int(run_contexts(RANKS, nothing, NULL), 0, "next to nothing, by all methods");
  is_int(run_contexts(RANKS, twice_next, NULL), 0, "maps made of maps, and where they end");
  alone();
  return done();
}

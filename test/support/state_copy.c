/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads all objects of a file on the ranks that mpirun has started, gives the elements of the
 * largest set to ranks in no order, and writes all of it to another file; run by t857-state.sh.
 *
 *   state_copy FROM TO */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "op2.h"
#include "op2/io.h"
#include "op2/mpi.h"

/* Objects that were read, in an order in which they can be destroyed backwards. */
struct list {
  int64_t n;
  op2_object objects[200];
};

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, op2_error_message());
  return 1;
}

static int keep(struct list *all, int64_t n, const op2_object *objects) {
  for (int64_t i = 0; i < n; i++) {
    if (all->n == (int64_t)(sizeof all->objects / sizeof *all->objects)) return 1;
    all->objects[all->n++] = objects[i];
  }
  return 0;
}

static void destroy(struct list *all) {
  while (all->n-- > 0) {
    void *const handle = all->objects[all->n].handle;
    switch (all->objects[all->n].kind) {
    case OP2_OBJECT_SET: op2_set_destroy(&(op2_set){handle}); break;
    case OP2_OBJECT_MAP: op2_map_destroy(&(op2_map){handle}); break;
    case OP2_OBJECT_DAT: op2_dat_destroy(&(op2_dat){handle}); break;
    case OP2_OBJECT_GBL: op2_gbl_destroy(&(op2_gbl){handle}); break;
    case OP2_OBJECT_CONST: op2_const_destroy(&(op2_const){handle}); break;
    case OP2_OBJECT_SPARSITY: op2_sparsity_destroy(&(op2_sparsity){handle}); break;
    case OP2_OBJECT_MAT: op2_mat_destroy(&(op2_mat){handle}); break;
    default: break;
    }
  }
}

/* Sets that have no maps keep the blocks that they were read in. */
static int scatter(op2_context ctx, const struct list *all) {
  op2_set largest = NULL;
  for (int64_t i = 0; i < all->n; i++) {
    op2_set_info info;
    const op2_set set = all->objects[i].kind == OP2_OBJECT_SET ? all->objects[i].handle : NULL;
    if (!set || op2_set_info_get(set, &info) || info.base != set) continue;
    if (!largest || info.global_size > op2_set_global_size(largest)) largest = set;
  }
  const int64_t n = largest ? op2_set_size(largest) : 0;
  int64_t *number = calloc((size_t)n + 1, sizeof *number);
  int32_t *owner = calloc((size_t)n + 1, sizeof *owner);
  int wrong = !largest || !number || !owner || op2_set_global(largest, number);
  for (int64_t i = 0; i < n && !wrong; i++)
    owner[i] = (int32_t)(number[i] * 29 / 7 % op2_ranks(ctx));
  const op2_partition_options how = {.method = OP2_PARTITION_GIVEN, .set = largest, .owner = owner};
  wrong = wrong || op2_partition(ctx, &how, NULL);
  free(number);
  free(owner);
  return wrong;
}

static int copy(op2_context ctx, const char *from, const char *to, struct list *all) {
  const op2_object *read = NULL;
  op2_file file = NULL;
  int64_t n = 0;
  if (op2_file_open(ctx, from, OP2_FILE_READ, &file)) return failed("opening");
  int wrong = op2_file_read_all(file, &n, &read) || keep(all, n, read) ? failed("reading") : 0;
  if (!wrong && scatter(ctx, all)) wrong = failed("partitioning");
  if (!wrong && (op2_file_read_matrices(file, &n, &read) || keep(all, n, read)))
    wrong = failed("reading matrices");
  if (op2_file_close(&file)) wrong = failed("closing");
  return wrong || op2_file_dump(ctx, to) ? failed("writing") : 0;
}

int main(int argc, char **argv) {
  static struct list all;
  op2_context ctx = NULL;
  if (MPI_Init(&argc, &argv) || argc != 3) return 2;
  const op2_options options = {.backend = "sequential"};
  if (op2_init_mpi(&options, MPI_COMM_WORLD, &ctx)) return failed("starting");
  const int wrong = copy(ctx, argv[1], argv[2], &all);
  destroy(&all);
  if (op2_finalize(&ctx)) return failed("ending");
  MPI_Finalize();
  return wrong;
}

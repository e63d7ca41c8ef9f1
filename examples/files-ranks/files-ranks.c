/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of HDF5 in and out on any number of ranks: files-ranks [FILE.h5]
 *
 * Rank 0 alone writes the file of a ring, as another program would. All ranks then read it, each a
 * block, share it out anew, smooth the values, and write them into a second file, which does not
 * depend on the number of ranks. It is read again to print a sum. */
#include <op2.h>
#include <op2/io.h>
#include <op2/mpi.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

enum { NODES = 120, STEPS = 30 };

OP2_KERNEL(mean, (const double *l, const double *r, double *a, double *b), {
  const double f = 0.25 * (*r - *l);
  *a += f;
  *b -= f;
});
OP2_KERNEL(update, (double *change, double *u), {
  *u += *change;
  *change = 0;
});
OP2_KERNEL(weigh, (const int32_t *i, const double *u, double *sum), { *sum += (1 + *i) * *u; });

/* Rank 0 writes the mesh in a context of its own, of one rank. */
static int make(const char *path) {
  int32_t ends[2 * NODES], number[NODES];
  double u[NODES];
  op2_context ctx;
  op2_set nodes, edges;
  op2_map map;
  op2_dat values, numbers;
  op2_file file;
  for (int i = 0; i < NODES; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = (i + 1) % NODES;
    u[i] = i < NODES / 2;
    number[i] = i;
  }
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_set_create(ctx, NODES, "edges", &edges));
  CHECK(op2_map_create(edges, nodes, 2, ends, "ends", &map));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, u, "u", &values));
  CHECK(op2_dat_create(nodes, 1, OP2_I32, number, "number", &numbers));
  CHECK(op2_file_open(ctx, path, OP2_FILE_CREATE, &file));
  CHECK(op2_file_write_set(file, nodes, "nodes"));
  CHECK(op2_file_write_set(file, edges, "edges"));
  CHECK(op2_file_write_map(file, map, "ends"));
  CHECK(op2_file_write_dat(file, values, "u"));
  CHECK(op2_file_write_dat(file, numbers, "number"));
  CHECK(op2_file_close(&file));
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

static int smooth(op2_context ctx, const char *from, const char *to) {
  double total = 0;
  op2_file file;
  op2_set nodes, edges;
  op2_map ends;
  op2_dat u, number, change;
  op2_gbl sum;
  op2_kernel means, updates, weighs;
  CHECK(op2_file_open(ctx, from, OP2_FILE_READ, &file));
  CHECK(op2_file_read_set(file, "nodes", &nodes));
  CHECK(op2_file_read_set(file, "edges", &edges));
  CHECK(op2_file_read_map(file, edges, nodes, 2, "ends", &ends));
  CHECK(op2_file_read_dat(file, nodes, 1, OP2_F64, "u", &u));
  CHECK(op2_file_read_dat(file, nodes, 1, OP2_I32, "number", &number));
  CHECK(op2_file_close(&file));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, NULL, "change", &change));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_kernel_create(ctx, &mean_kernel, &means));
  CHECK(op2_kernel_create(ctx, &update_kernel, &updates));
  CHECK(op2_kernel_create(ctx, &weigh_kernel, &weighs));
  const op2_partition_options how = {.method = OP2_PARTITION_BLOCKS};
  CHECK(op2_partition(ctx, &how, NULL));

  for (int step = 0; step < STEPS; step++) {
    CHECK(op2_par_loop(means, edges, op2_arg_dat(u, 0, ends, OP2_READ),
                       op2_arg_dat(u, 1, ends, OP2_READ), op2_arg_dat(change, 0, ends, OP2_INC),
                       op2_arg_dat(change, 1, ends, OP2_INC)));
    CHECK(op2_par_loop(updates, nodes, op2_arg_direct(change, OP2_RW), op2_arg_direct(u, OP2_RW)));
  }
  CHECK(op2_file_open(ctx, to, OP2_FILE_CREATE, &file));
  CHECK(op2_file_write_set(file, nodes, "nodes"));
  CHECK(op2_file_write_dat(file, u, "u"));
  CHECK(op2_file_close(&file));

  op2_dat again;
  op2_set kept;
  CHECK(op2_file_open(ctx, to, OP2_FILE_READ, &file));
  CHECK(op2_file_read_set(file, "nodes", &kept));
  CHECK(op2_file_read_dat(file, kept, 1, OP2_F64, "u", &again));
  CHECK(op2_file_close(&file));
  CHECK(op2_par_loop(weighs, nodes, op2_arg_direct(number, OP2_READ), op2_arg_direct(u, OP2_READ),
                     op2_arg_gbl(sum, OP2_INC)));
  CHECK(op2_gbl_get(sum, &total));
  if (op2_rank(ctx) == 0) printf("weighted sum %.9f\n", total);
  return 0;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "ring.h5";
  int rank, failed = 0;
  op2_context ctx;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) failed = make(path);
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (failed) return MPI_Finalize(), 1;
  CHECK(op2_init_mpi(NULL, MPI_COMM_WORLD, &ctx));
  if (smooth(ctx, path, "smooth.h5")) return 1;
  if (op2_finalize(&ctx)) return 1;
  return MPI_Finalize() != MPI_SUCCESS;
}

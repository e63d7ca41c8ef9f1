/* SPDX-License-Identifier: BSD-3-Clause */
/* A program over MPI as users write it: with the public headers only, in C and in C++. It prints
 * the results of rank 0, or the first failure. */
#include <op2.h>
#include <op2/mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static int failed(const char *what) {
  printf("rank %d: %s: %s\n", rank, what, op2_error_message());
  return 1;
}

OP2_KERNEL(add, (const double *x, double *sum, double *most), {
  *sum += *x;
  if (*x > *most) *most = *x;
});

/* Elements 1, 2, ... are distributed, r + 1 of them to rank r; their sum and their maximum are the
 * same on all ranks. */
static int reduce(op2_context ctx, int me, int ranks, double *sum) {
  double values[16], most = -1;
  op2_set set;
  op2_dat x;
  op2_gbl total, greatest;
  op2_kernel kernel;
  const int n = me + 1, last = ranks * (ranks + 1) / 2;
  for (int i = 0; i < n; i++) values[i] = me * (me + 1) / 2 + i + 1;
  *sum = 0;
  if (op2_set_create(ctx, n, "elements", &set) ||
      op2_dat_create(set, 1, OP2_F64, values, "x", &x) ||
      op2_gbl_create(ctx, 1, OP2_F64, sum, "sum", &total) ||
      op2_gbl_create(ctx, 1, OP2_F64, &most, "most", &greatest) ||
      op2_kernel_create(ctx, &add_kernel, &kernel))
    return failed("declarations");
  if (op2_par_loop(kernel, set, op2_arg_direct(x, OP2_READ), op2_arg_gbl(total, OP2_INC),
                   op2_arg_gbl(greatest, OP2_MAX)) ||
      op2_gbl_get(total, sum) || op2_gbl_get(greatest, &most))
    return failed("the loop");
  op2_kernel_destroy(&kernel);
  op2_gbl_destroy(&greatest);
  op2_gbl_destroy(&total);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  return *sum != last * (last + 1) / 2 || most != last;
}

/* The context has a communicator of its own, with the same ranks. */
static int communicator(op2_context ctx, MPI_Comm parent) {
  MPI_Comm own = MPI_COMM_NULL;
  int how = MPI_UNEQUAL;
  if (op2_mpi_comm(ctx, &own)) return failed("op2_mpi_comm");
  MPI_Comm_compare(own, parent, &how);
  return how != MPI_CONGRUENT;
}

/* Even and odd ranks have contexts of their own, beside a context of all ranks. */
static int halves(op2_context whole) {
  MPI_Comm comm;
  op2_context ctx;
  double sum, all;
  int me, n, wrong;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  if (op2_init_mpi(NULL, comm, &ctx)) return failed("op2_init_mpi of a half");
  wrong = communicator(ctx, comm);
  MPI_Comm_free(&comm); /* the context has a copy */
  wrong += reduce(ctx, me, n, &sum);
  wrong += reduce(whole, rank, size, &all);
  wrong += reduce(ctx, me, n, &sum);
  if (op2_finalize(&ctx)) return failed("op2_finalize of a half");
  return wrong;
}

static int refused(op2_context alone) {
  MPI_Comm comm = MPI_COMM_NULL;
  op2_context ctx = NULL;
  int wrong = 0;
  wrong += op2_init_mpi(NULL, MPI_COMM_NULL, &ctx) != OP2_ERR_ARG;
  wrong += op2_init_mpi(NULL, MPI_COMM_WORLD, NULL) != OP2_ERR_ARG;
  wrong += op2_mpi_comm(alone, &comm) != OP2_ERR_STATE;
  wrong += !strstr(op2_error_message(), "not made by op2_init_mpi");
  wrong += op2_mpi_comm(alone, NULL) != OP2_ERR_ARG;
  wrong += op2_mpi_comm(NULL, &comm) != OP2_ERR_STATE;
  return wrong + (ctx != NULL || comm != MPI_COMM_NULL);
}

/* The last rank asks for an option that it cannot have: the call fails on all ranks. */
static int disagree(void) {
  op2_options options;
  op2_context ctx = NULL;
  char who[40];
  memset(&options, 0, sizeof options);
  options.backend = rank == size - 1 ? "none" : "sequential";
  snprintf(who, sizeof who, "rank %d of %d: ", size - 1, size);
  return op2_init_mpi(&options, MPI_COMM_WORLD, &ctx) != OP2_ERR_OPTION || ctx ||
         (size > 1 && !strstr(op2_error_message(), who)) || !strstr(op2_error_message(), "'none'");
}

int main(int argc, char **argv) {
  op2_context alone, ctx;
  double sum = 0, own = 0;
  int wrong = 0;
  if (op2_init(NULL, &alone)) return failed("op2_init");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (op2_init_mpi(NULL, MPI_COMM_WORLD, &ctx)) return failed("op2_init_mpi");
  wrong += communicator(ctx, MPI_COMM_WORLD);
  wrong += reduce(ctx, rank, size, &sum);
  wrong += reduce(alone, 0, 1, &own) || own != 1;
  wrong += halves(ctx);
  wrong += refused(alone);
  wrong += disagree();
  if (op2_finalize(&ctx)) return failed("op2_finalize");
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (op2_finalize(&alone)) return failed("op2_finalize, alone");
  if (rank == 0) printf("sum %g, %d wrong\n", sum, wrong);
  return wrong;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of OP2 for MPI: blocks of a ring of cells, cut by each method in turn, on half of the
 * ranks too, and with ranks that declare nothing.
 *   ranks VALUES.bin [half] */
#include <algorithm>
#include <mpi.h>

#include "op_lib_mpi.h"
#include "op_seq.h"

#include "compat_check.h"

static MPI_Comm comm = MPI_COMM_WORLD; /* the ranks that compute */

void spread(const double *w, const double *a, const double *b, double *ra, double *rb) {
  *ra += *w * *b;
  *rb -= *w * *a;
}
void add(double *x, double *r, double *sum) {
  *x += 0.1 * *r;
  *r = 0;
  *sum += *x;
}

void gather(const double *x, double *y) { *y += 2 * *x; }

/* The values of the elements that this rank owns, in order of size. */
static std::vector<double> owned(op_dat dat) {
  const double *values = dat->data;
  std::vector<double> sorted(values, values + dat->set->size);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/* A set and a map that are declared after op_partition(), in whose loop no cell changes its owner. */
static void later(op_set cells, op_dat p_x, const std::vector<double> &x) {
  const std::vector<double> before = owned(p_x);
  int n = op_get_size(cells), m = n / 2 + 1;
  std::vector<double> y(m, 1.0);
  std::vector<int> from(m);
  for (int i = 0; i < m; i++) from[i] = (7 * i + 2) % n;
  op_set points = set_of(m, "points");
  op_map to = map_of(points, cells, 1, from, "from");
  op_dat p_y = dat_of(points, 1, "double", y, "y");
  op_par_loop(gather, "gather", points, op_arg_dat(p_x, 0, to, 1, "double", OP_READ),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_INC));
  for (int i = 0; i < m; i++) gather(&x[from[i]], &y[i]);
  check(holds(p_y, y), "a map that is declared later");
  check(owned(p_x) == before, "owners stay as they were chosen");
}

/* Some steps after op_partition(), compared with plain loops. */
static void steps(const char *library, const char *routine, int n, int rank, int ranks) {
  std::vector<double> w(n), x(n), r(n, 0.0);
  std::vector<int> ends;
  std::vector<long long> ends_long;
  for (int i = 0; i < n; i++) {
    w[i] = random_number(), x[i] = i + random_number();
    for (int end : {i, (5 * i + 1) % n}) ends.push_back(end), ends_long.push_back(end);
  }
  op_set cells = set_of(n, "cells"), faces = set_of(n, "faces");
  op_map to = op_decl_map_long(faces, cells, 2, ends_long.data() + 2 * faces->first, "to");
  op_dat p_w = dat_of(faces, 1, "double", w, "w"), p_x = dat_of(cells, 1, "double", x, "x");
  op_dat p_r = dat_of(cells, 1, "double", r, "r");
  std::vector<int> owner(cells->declared + 1);
  for (int i = 0; i < cells->declared; i++) owner[i] = (int)((cells->first + i) % ranks);
  op_dat p_owner = op_decl_dat(cells, 1, "int", owner.data(), "owner");
  std::vector<double> place(x.size());
  for (int i = 0; i < n; i++) place[i] = 0.5 * i;
  op_dat p_place = dat_of(cells, 1, "double", place, "place");
  bool external = !strcmp(library, "EXTERNAL"), graph = !strcmp(routine, "KWAY");
  op_partition(library, routine, cells, graph ? to : NULL, external ? p_owner : p_place);
  int mine = cells->size, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  check(all == n && op_get_size(cells) == n && op_get_size_local(cells) == mine, routine);
  check(!external || ranks == 1 || mine == (n - rank + ranks - 1) / ranks, "as many as were given");
  bool near = true;
  for (int i = 0; i < 2 * faces->size; i++)
    near &= to->map[i] >= 0 && to->map[i] < cells->size + cells->exec_size + cells->nonexec_size;
  check(near, "targets of maps are here");
  for (int step = 0; step < 4; step++) {
    double sum = 1, expected = 1;
    op_par_loop(
        spread, "spread", faces, op_arg_dat(p_w, -1, OP_ID, 1, "double", OP_READ),
        op_arg_dat(p_x, 0, to, 1, "double", OP_READ), op_arg_dat(p_x, 1, to, 1, "double", OP_READ),
        op_arg_dat(p_r, 0, to, 1, "double", OP_INC), op_arg_dat(p_r, 1, to, 1, "double", OP_INC));
    op_par_loop(add, "add", cells, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(p_r, -1, OP_ID, 1, "double", OP_RW),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    for (int f = 0; f < n; f++)
      spread(&w[f], &x[ends[2 * f]], &x[ends[2 * f + 1]], &r[ends[2 * f]], &r[ends[2 * f + 1]]);
    for (int c = 0; c < n; c++) add(&x[c], &r[c], &expected);
    check(close_to(&sum, &expected, 1, 1e-12), "a sum over all ranks");
  }
  check(holds(p_x, x), library);
  later(cells, p_x, x);
  if (n > 3) {
    double some[2];
    op_fetch_data_idx(p_x, some, 2, 3);
    check(close_to(some, x.data() + 2, 2, 1e-12), "values by their numbers");
  }
}

static void binary(const char *name, int n) {
  std::vector<double> values(n);
  for (int i = 0; i < n; i++) values[i] = 3 * i;
  op_set set = set_of(n, "written");
  op_print_dat_to_binfile(dat_of(set, 1, "double", values, "d"), name);
  FILE *f = op_is_root() ? fopen(name, "rb") : NULL;
  int head[2] = {n, 1};
  std::vector<double> got(values);
  bool good = !op_is_root() || (f && fread(head, sizeof head, 1, f) == 1 &&
                                fread(got.data(), sizeof(double), n, f) == (size_t)n);
  if (f) fclose(f);
  check(good && head[0] == n && head[1] == 1 && got == values,
        "the first rank writes all values to a file");
}

int main(int argc, char **argv) {
  int rank, ranks, number;
  if (argc < 2) return 2;
  if (argc > 2) { /* ranks of even numbers compute, and the others in a context of their own */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    op_mpi_init(argc, argv, 0, (int)MPI_Comm_c2f(MPI_COMM_WORLD), (int)MPI_Comm_c2f(comm));
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  } else {
    op_init(argc, argv, 0);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
  op_rank(&number);
  check(number == rank && op_is_root() == (rank == MPI_ROOT), "numbers of ranks");
  int same, whole;
  MPI_Comm_compare(OP_MPI_WORLD, comm, &same);
  MPI_Comm_compare(OP_MPI_GLOBAL, MPI_COMM_WORLD, &whole);
  check(same == MPI_IDENT && whole == MPI_IDENT, "communicators");
  steps("PTSCOTCH", "KWAY", 200, rank, ranks);
  steps("INERTIAL", "", 200, rank, ranks);
  steps("PTSCOTCH", "GEOM", 50, rank, ranks);
  steps("RANDOM", "", 200, rank, ranks);
  steps("EXTERNAL", "", 200, rank, ranks);
  steps("RANDOM", "", 1, rank, ranks); /* where there is a second rank, it declares nothing */
  binary(argv[1], 20);
  op_exit();
  int ended;
  MPI_Finalized(&ended);
  failures += !ended;
  return checked();
}

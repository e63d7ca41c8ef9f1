/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written to HDF5 files comes back from them:
 *   files MESH.h5 VALUES.h5 write|read */
#include "op_seq.h"

#include "op_hdf5.h"

#include "compat_check.h"

void spread(const float *length, double *a, double *b) {
  *a += *length;
  *b += *length;
}

static op_map read_map(op_set from, op_set to, const char *file) {
  return op_decl_map_hdf5(from, to, 2, file, "ends");
}

static const int n = 50;
static std::vector<int> table;
static std::vector<float> length(n);
static double gravity[2] = {9.81, 1};

static void write(int argc, char **argv) {
  op_init(argc, argv, 1);
  op_set edges = set_of(n, "edges"), nodes = set_of(n, "nodes");
  op_map ends = map_of(edges, nodes, 2, table, "ends");
  op_dat p_length = dat_of(edges, 1, "float", length, "length");
  op_partition("RANDOM", "", nodes, NULL, NULL);
  op_dump_to_hdf5(argv[1]);
  op_write_const_hdf5("gravity", 2, "double", (char *)gravity, argv[1]);
  check(ends->dim == 2 && holds(p_length, length, 0), "what is written stays");
  op_exit();
}

static void read(int argc, char **argv) {
  std::vector<double> sum(n, 0.0);
  double back[2] = {0, 0};
  op_init(argc, argv, 1);
  op_set edges = op_decl_set_hdf5(argv[1], "edges");
  op_set nodes = op_decl_set_hdf5_infer_size(argv[1], "nodes", "ends");
  op_map ends = read_map(edges, nodes, argv[1]);
  op_dat p_length = op_decl_dat_hdf5(edges, 1, "float", argv[1], "length");
  op_dat p_sum = dat_of(nodes, 1, "double", sum, "sum");
  op_get_const_hdf5("gravity", 2, "double", (char *)back, argv[1]);
  check(back[0] == 9.81 && back[1] == 1, "a constant");
  check(op_get_size(edges) == n && op_get_size(nodes) == n, "sizes of sets");
  check(op_decl_dat_hdf5(edges, 1, "float", argv[1], "nothing") == NULL,
        "a table that is not there");
  op_partition("PTSCOTCH", "KWAY", nodes, ends, NULL);
  op_par_loop(spread, "spread", edges, op_arg_dat(p_length, -1, OP_ID, 1, "float", OP_READ),
              op_arg_dat(p_sum, 0, ends, 1, "double", OP_INC),
              op_arg_dat(p_sum, 1, ends, 1, "double", OP_INC));
  for (int e = 0; e < n; e++) spread(&length[e], &sum[table[2 * e]], &sum[table[2 * e + 1]]);
  check(holds(p_sum, sum), "a loop over what was read");
  op_fetch_data_hdf5_file(p_sum, argv[2]);
  op_dat again = op_decl_dat_hdf5(nodes, 1, "double", argv[2], "sum");
  check(again && holds(again, sum), "values that were written");
  op_exit();
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  for (float &v : length) v = (float)random_number();
  for (int i = 0; i < n; i++) table.push_back(i), table.push_back((i * 13 + 1) % n);
  if (!strcmp(argv[3], "write"))
    write(argc, argv);
  else
    read(argc, argv);
  return checked();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps that number elements from 1, as files of Fortran programs have them, with entries of 32 and
 * of 64 bits. */
#include "op_seq.h"

#include "compat_check.h"

void spread(const double *w, double *a, double *b) {
  *a += *w;
  *b -= *w;
}
void mean(const double **around, double *out) {
  *out = (around[0][0] + around[1][0] + around[2][0]) / 3;
}

int main(int argc, char **argv) {
  const int n = 90;
  std::vector<int> ends, targets;
  std::vector<long long> around;
  std::vector<double> w(n), a(n, 0.0), out(n);
  for (double &v : w) v = random_number();
  for (int i = 0; i < n; i++) {
    for (int t : {i, (4 * i + 1) % n}) ends.push_back(t + 1);
    for (int t : {(i + 1) % n, (i + n - 1) % n, (i + 7) % n}) around.push_back(t + 1);
  }
  std::vector<char *> words(argv, argv + argc);
  char option[] = "OP_MAPS_BASE_INDEX=1";
  words.push_back(option);
  op_init((int)words.size(), words.data(), 1);
  op_set edges = set_of(n, "edges"), nodes = set_of(n, "nodes");
  op_map pedge = map_of(edges, nodes, 2, ends, "pedge");
  op_map paround = op_decl_map_long(nodes, nodes, 3, around.data() + 3 * nodes->first, "around");
  op_dat p_w = dat_of(edges, 1, "double", w, "w"), p_a = dat_of(nodes, 1, "double", a, "a");
  op_dat p_out = dat_of(nodes, 1, "double", out, "out");
  bool from_zero = true;
  for (int i = 0; i < 2 * edges->size; i++)
    from_zero &= pedge->map[i] == ends[(size_t)(2 * edges->first + i)] - 1;
  check(from_zero, "the member of a map numbers from 0");
  op_partition("PTSCOTCH", "KWAY", nodes, pedge, NULL);
  op_par_loop(spread, "spread", edges, op_arg_dat(p_w, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(p_a, 0, pedge, 1, "double", OP_INC),
              op_arg_dat(p_a, 1, pedge, 1, "double", OP_INC));
  op_par_loop(mean, "mean", nodes, op_arg_dat(p_a, -3, paround, 1, "double", OP_READ),
              op_arg_dat(p_out, -1, OP_ID, 1, "double", OP_WRITE));
  for (int e = 0; e < n; e++) spread(&w[e], &a[ends[2 * e] - 1], &a[ends[2 * e + 1] - 1]);
  for (int i = 0; i < n; i++) {
    const double *from[3];
    for (int k = 0; k < 3; k++) from[k] = &a[(size_t)around[3 * i + k] - 1];
    mean(from, &out[i]);
  }
  check(holds(p_a, a), "sums through a map of int");
  check(holds(p_out, out), "means through a map of long long");
  op_exit();
  return checked();
}

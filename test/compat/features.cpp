/* SPDX-License-Identifier: BSD-3-Clause */
/* Values in place, some of the values, clocks, modes that OP2 takes otherwise, and a template as a
 * kernel. */
#include "op_seq.h"

#include "compat_check.h"

void read_only(const double *x, double *y) { *y = *x; }
void corners(const double **x, double **r) {
  for (int k = 0; k < 2; k++) *r[k] += x[0][0] - x[1][0];
}
void flags(const bool *f, int *n) {
  if (*f) *n += 1;
}
template <class T> void halve(T *x) { *x /= 2; }

int main(int argc, char **argv) {
  const int n = 100;
  std::vector<double> x(n), y(n, 0.0);
  std::vector<int> ends;
  for (double &v : x) v = 1 + random_number();
  for (int i = 0; i < n; i++) ends.push_back(i), ends.push_back((7 * i + 3) % n);
  op_init(argc, argv, 0);
  op_set nodes = set_of(n, "nodes"), edges = set_of(n, "edges");
  op_map pedge = map_of(edges, nodes, 2, ends, "pedge");
  op_dat p_x = dat_of(nodes, 1, "double", x, "x");
  op_dat p_y = dat_of(nodes, 1, "double", y, "y");
  check(pedge->to == nodes && op_get_size(pedge->from) == n &&
            pedge->map[3] == ends[(size_t)(2 * edges->first + 3)],
        "members of maps and sets");
  op_par_loop(read_only, "read_only", nodes, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
  check(holds(p_y, x), "OP_RW for what is const");
  op_par_loop(corners, "corners", edges, op_arg_dat(p_x, -2, pedge, 1, "double", OP_READ),
              op_arg_dat(p_y, OP_ALL, pedge, 1, "double", OP_INC));
  y = x;
  for (int e = 0; e < n; e++) {
    const double *in[] = {&x[ends[2 * e]], &x[ends[2 * e + 1]]};
    double *out[] = {&y[ends[2 * e]], &y[ends[2 * e + 1]]};
    corners(in, out);
  }
  check(holds(p_y, y, 1e-11), "all slots of a map");

  double *values = (double *)p_y->data;
  check(close_to(values, y.data() + nodes->first, nodes->size, 1e-11), "values in place");
  for (int i = 0; i < nodes->size; i++) values[i] = (double)(nodes->first + i);
  for (int i = 0; i < n; i++) y[i] = i;
  if (n) /* without braces */
    op_par_loop((halve<double>), "halve", nodes, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_RW));
  else
    return 1;
  for (double &v : y) v /= 2;
  check(holds(p_y, y), "values that were written in place, and a template as a kernel");
  double some[3];
  op_fetch_data_idx(p_y, some, 4, 6);
  check(some[0] == 2 && some[1] == 2.5 && some[2] == 3, "some values");

  bool on[n];
  int count = 0;
  for (int i = 0; i < n; i++) on[i] = i % 3 == 0;
  op_dat p_on = op_decl_dat(nodes, 1, "bool", on + nodes->first, "on");
  op_par_loop(flags, "flags", nodes, op_arg_dat(p_on, -1, OP_ID, 1, "bool", OP_READ),
              op_arg_gbl(&count, 1, "int", OP_INC));
  check(count == 34, "bool");
  if (argc > 1) op_print_dat_to_txtfile(p_y, argv[1]);
  double cpu, start, stop;
  op_timers(&cpu, &start);
  op_timers(&cpu, &stop);
  check(stop >= start, "clocks");
  op_printf("# %s\n", p_y->name);
  op_exit();
  return checked();
}

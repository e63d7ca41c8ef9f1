/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporaries in a time loop, arguments that are off, numbers of elements, where a minimum was
 * found, values in place, constants that change, and modes that OP2 takes otherwise. */
#include "op_seq.h"

#include "compat_check.h"

namespace {
double scale;
}

void twice(const double *x, double *t) { *t = 2 * *x * scale; }
void add(const double *t, double *x) { *x += *t; }
void maybe(const double *x, const double *extra, double *y) {
  *y = *x;
  if (extra) *y += *extra;
}
void numbers(const int *own, const int *first, const int *all, int *out) {
  out[0] = *own;
  out[1] = *first;
  out[2] = all[0] + 10 * all[1];
}
void least(const double *x, const int *idx, double *value, int *place) {
  if (*x < *value) {
    *value = *x;
    *place = *idx;
  }
}
void read_only(const double *x, double *y) { *y = *x; }
void corners(const double **x, double **r) {
  for (int k = 0; k < 2; k++) *r[k] += x[0][0] - x[1][0];
}
void flags(const bool *f, int *n) {
  if (*f) *n += 1;
}
template <class T> void halve(T *x) { *x /= 2; }

static void time_loop(op_set set, op_dat p_x, std::vector<double> &x) {
  for (int step = 0; step < 20; step++) {
    op_dat t = op_decl_dat_temp(set, 1, "double", (double *)NULL, "t");
    op_par_loop(twice, "twice", set, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(t, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(add, "add", set, op_arg_dat(t, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_INC));
    op_free_dat_temp(t);
    for (double &v : x) v += 2 * v * scale;
    scale += 0.001; /* without another op_decl_const */
  }
  check(holds(p_x, x), "temporaries, and a constant that changes");
}

static void optional(op_set set, op_dat p_x, op_dat p_y, std::vector<double> x) {
  for (int on = 0; on < 2; on++) {
    op_par_loop(maybe, "maybe", set, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
                op_opt_arg_dat(on, p_x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
    check(holds(p_y, x), on ? "an argument that is on" : "an argument that is off");
    for (double &v : x) v *= 2;
  }
}

static void numbered(op_set edges, op_set nodes, op_map pedge, const std::vector<int> &ends) {
  int n = op_get_size(edges);
  std::vector<int> out(3 * n);
  op_dat p_out = dat_of(edges, 3, "int", out, "out");
  op_par_loop(numbers, "numbers", edges, op_arg_idx(-1, OP_ID), op_arg_idx(0, pedge),
              op_arg_idx(-2, pedge), op_arg_dat(p_out, -1, OP_ID, 3, "int", OP_WRITE));
  for (int e = 0; e < n; e++) numbers(&e, &ends[2 * e], &ends[2 * e], &out[3 * e]);
  check(holds(p_out, out, 0), "numbers of elements");
  bool alone = pedge->from->size == n;
  check(pedge->to == nodes && op_get_size(pedge->from) == n && (!alone || pedge->map[3] == ends[3]),
        "members of maps and sets");
}

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
  scale = 0.01;
  op_decl_const(1, "double", &scale);
  time_loop(nodes, p_x, x);
  optional(nodes, p_x, p_y, x);
  numbered(edges, nodes, pedge, ends);

  double value = 1e9;
  int place = -1, expected = 0;
  op_par_loop(least, "least", nodes, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&value, 1, "double", OP_MIN),
              op_arg_info(&place, 1, "int", 2));
  for (int i = 0; i < n; i++)
    if (x[i] < x[expected]) expected = i;
  check(place == expected && close_to(&value, &x[expected], 1, 1e-12), "where the least value is");

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

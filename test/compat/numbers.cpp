/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of elements, of a map's targets, and what belongs to the element where an extreme was
 * found. */
#include "op_seq.h"

#include "compat_check.h"

void numbers(const int *own, const int *first, const int *all, int *out) {
  out[0] = *own;
  out[1] = *first;
  out[2] = all[0] + 10 * all[1];
}
/* Values that follow from the number alone. */
void start(const int *i, double *x) { *x = ((*i * 37) % 101) / 101.0 - 0.002 * *i; }
/* The sum of the numbers of the edges at a node, weighted by side. */
void weigh(const int *e, int *a, int *b) {
  *a += *e + 1;
  *b -= 2 * *e;
}
void least(const double *x, const int *idx, const double *pos, double *value, int *place,
           double *where) {
  if (*x < *value) {
    *value = *x;
    *place = *idx;
    where[0] = pos[0];
    where[1] = pos[1];
  }
}
void most(const float *x, const int *idx, float *value, ll *place) {
  if (*x > *value) {
    *value = *x;
    *place = *idx;
  }
}

static const int n = 150;
static std::vector<int> ends;

static void numbered(op_set edges, op_set nodes, op_map pedge) {
  std::vector<int> out(3 * n), sum(n, 0);
  op_dat p_out = dat_of(edges, 3, "int", out, "out"), p_sum = dat_of(nodes, 1, "int", sum, "sum");
  op_par_loop(numbers, "numbers", edges, op_arg_idx(-1, OP_ID), op_arg_idx(0, pedge),
              op_arg_idx(-2, pedge), op_arg_dat(p_out, -1, OP_ID, 3, "int", OP_WRITE));
  op_par_loop(weigh, "weigh", edges, op_arg_idx(-1, OP_ID),
              op_arg_dat(p_sum, 0, pedge, 1, "int", OP_INC),
              op_arg_dat(p_sum, 1, pedge, 1, "int", OP_INC));
  for (int e = 0; e < n; e++) {
    numbers(&e, &ends[2 * e], &ends[2 * e], &out[3 * e]);
    weigh(&e, &sum[ends[2 * e]], &sum[ends[2 * e + 1]]);
  }
  check(holds(p_out, out, 0), "numbers of elements and of targets");
  check(holds(p_sum, sum, 0), "numbers that are added up");
}

int main(int argc, char **argv) {
  std::vector<double> x(n), pos(2 * n);
  std::vector<float> f(n);
  for (double &v : pos) v = random_number();
  for (float &v : f) v = (float)random_number();
  for (int i = 0; i < n; i++) ends.push_back(i), ends.push_back((7 * i + 3) % n);
  op_init(argc, argv, 1);
  op_set nodes = set_of(n, "nodes"), edges = set_of(n, "edges");
  op_map pedge = map_of(edges, nodes, 2, ends, "pedge");
  op_dat p_x = dat_of(nodes, 1, "double", x, "x"), p_f = dat_of(nodes, 1, "float", f, "f");
  op_dat p_pos = dat_of(nodes, 2, "double", pos, "pos");
  op_partition("PTSCOTCH", "KWAY", nodes, pedge, NULL);
  numbered(edges, nodes, pedge);
  op_par_loop(start, "start", nodes, op_arg_idx(-1, OP_ID),
              op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_WRITE));
  double value = 1e9, where[2] = {0, 0}, value2 = 1e9, where2[2] = {0, 0};
  int place = -1, place2 = -1;
  op_par_loop(least, "least", nodes, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_dat(p_pos, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(&value, 1, "double", OP_MIN), op_arg_info(&place, 1, "int", 3),
              op_arg_info(where, 2, "double", 3));
  float top = -1, top2 = -1;
  ll at = -1, at2 = -1;
  op_par_loop(most, "most", nodes, op_arg_dat(p_f, -1, OP_ID, 1, "float", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&top, 1, "float", OP_MAX),
              op_arg_info(&at, 1, "ll", 2));
  for (int i = 0; i < n; i++) {
    start(&i, &x[i]);
    least(&x[i], &i, &pos[2 * i], &value2, &place2, where2);
    most(&f[i], &i, &top2, &at2);
  }
  check(holds(p_x, x), "values that follow from numbers");
  check(value == value2 && place == place2, "the least value and its element");
  check(where[0] == where2[0] && where[1] == where2[1], "where the least value is");
  check(top == top2 && at == at2, "the largest value and its element");
  value = value2 = -5, place = place2 = -7;
  op_par_loop(least, "least", nodes, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_dat(p_pos, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(&value, 1, "double", OP_MIN), op_arg_info(&place, 1, "int", 3),
              op_arg_info(where, 2, "double", 3));
  check(value == value2 && place == place2, "where no element has less, the variables stay");
  op_exit();
  return checked();
}

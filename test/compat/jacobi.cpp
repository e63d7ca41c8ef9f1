/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi's iteration on a grid, by edges. The kernel of the edges prints, so it cannot be C text of
 * the library; that of the points reads its direct OP_INC argument, as OP2 permits. Lines that begin
 * with "printed" come from the loop, and those with "wanted" from the same function called one edge
 * after the other: the test compares them. */
#include "op_seq.h"

#include "compat_check.h"

double alpha;
const char *who = "printed";
int iter;

void edge(const double *A, const double *u, const double *v, double *du, double *dv,
          const int *idx) {
  if (*idx >= 0) printf("%s edge %d in iteration %d\n", who, *idx, iter);
  *du += (*A) * (*v);
  *dv += (*A) * (*u);
}

void point(const double *r, double *du, double *u, double *u_sum, double *u_max) {
  *u += *du + alpha * (*r);
  *du = 0.0;
  *u_sum += (*u) * (*u);
  *u_max = MAX(*u_max, *u);
}

int main(int argc, char **argv) {
  const int N = 9;
  std::vector<int> ends;
  std::vector<double> A, r(N * N), u(N * N, 0.0), du(N * N, 0.0);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      r[j * N + i] = i == N / 2 ? 1.0 : 0.0;
      const int steps[][2] = {{1, 0}, {0, 1}};
      for (const int *s : steps) {
        int x = i + s[0], y = j + s[1];
        if (x >= N || y >= N) continue;
        ends.push_back(j * N + i);
        ends.push_back(y * N + x);
        A.push_back(0.25);
      }
    }
  int nedge = (int)A.size();
  op_init(argc, argv, 1);
  root = op_is_root();
  op_set nodes = set_of(N * N, "nodes"), edges = set_of(nedge, "edges");
  op_map ppedge = map_of(edges, nodes, 2, ends, "ppedge");
  op_dat p_A = dat_of(edges, 1, "double", A, "p_A");
  op_dat p_r = dat_of(nodes, 1, "double", r, "p_r");
  op_dat p_u = dat_of(nodes, 1, "double", u, "p_u");
  op_dat p_du = dat_of(nodes, 1, "double", du, "p_du");
  op_partition("PTSCOTCH", "KWAY", nodes, ppedge, NULL);
  alpha = 0.25;
  op_decl_const(1, "double", &alpha);

  double sum = 0, max = 0, sum2 = 0, max2 = 0;
  for (iter = 0; iter < 5; iter++) {
    op_par_loop(edge, "edge", edges, op_arg_dat(p_A, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_u, 0, ppedge, 1, "double", OP_READ),
                op_arg_dat(p_u, 1, ppedge, 1, "double", OP_READ),
                op_arg_dat(p_du, 0, ppedge, 1, "double", OP_INC),
                op_arg_dat(p_du, 1, ppedge, 1, "double", OP_INC), op_arg_idx(-1, OP_ID));
    sum = max = 0;
    op_par_loop(point, "point", nodes, op_arg_dat(p_r, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_du, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(p_u, -1, OP_ID, 1, "double", OP_INC),
                op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&max, 1, "double", OP_MAX));
    who = "wanted";
    for (int e = 0; e < nedge; e++) {
      int silent = -1, *number = root ? &e : &silent;
      int a = ends[2 * e], b = ends[2 * e + 1];
      edge(&A[e], &u[a], &u[b], &du[a], &du[b], number);
    }
    who = "printed";
    sum2 = max2 = 0;
    for (int n = 0; n < N * N; n++) point(&r[n], &du[n], &u[n], &sum2, &max2);
  }
  check(holds(p_u, u), "values");
  check(close_to(&sum, &sum2, 1, 1e-12) && max == max2, "sum and maximum");
  op_timing_output();
  op_exit();
  return checked();
}

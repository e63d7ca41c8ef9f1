/* SPDX-License-Identifier: BSD-3-Clause */
/* Diffusion on a ring by a method of two stages, which makes and frees its stages in each step; a
 * constant that changes between the steps, and reductions into variables of functions. */
#include "op_seq.h"

#include "compat_check.h"

namespace {
double scale;
}

void flux(const double *a, const double *b, double *ra, double *rb) {
  double f = scale * (*b - *a);
  *ra += f;
  *rb -= f;
}
void clear(double *r) { *r = 0; }
void stage(const double *x, const double *r, double *mid) { *mid = *x + 0.5 * *r; }
void finish(const double *r, double *x, float *size) {
  *x += *r;
  *size = (float)(*r < 0 ? -*r : *r);
}
void total(const double *x, double *s) { *s += *x; }
void count(const float *size, int *n) { *n += *size > 0.01f; }

static const int n = 200;
static std::vector<int> ends;

struct ring {
  op_set nodes, edges;
  op_map pedge;
  op_dat p_x;
};

static op_dat slopes(const ring &g, op_dat of) {
  op_dat r = op_decl_dat_temp(g.nodes, 1, "double", (double *)NULL, "r");
  op_par_loop(clear, "clear", g.nodes, op_arg_dat(r, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flux, "flux", g.edges, op_arg_dat(of, 0, g.pedge, 1, "double", OP_READ),
              op_arg_dat(of, 1, g.pedge, 1, "double", OP_READ),
              op_arg_dat(r, 0, g.pedge, 1, "double", OP_INC),
              op_arg_dat(r, 1, g.pedge, 1, "double", OP_INC));
  return r;
}

static int steep(const ring &g, op_dat size) {
  int many = 0;
  op_par_loop(count, "count", g.nodes, op_arg_dat(size, -1, OP_ID, 1, "float", OP_READ),
              op_arg_gbl(&many, 1, "int", OP_INC));
  return many;
}
static double sum(const ring &g) {
  double s = 0;
  op_par_loop(total, "total", g.nodes, op_arg_dat(g.p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&s, 1, "double", OP_INC));
  return s;
}

/* Returns how many nodes changed much. */
static int step(const ring &g) {
  op_dat first = slopes(g, g.p_x);
  op_dat mid = op_decl_dat_temp(g.nodes, 1, "double", (double *)NULL, "mid");
  op_par_loop(stage, "stage", g.nodes, op_arg_dat(g.p_x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(first, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(mid, -1, OP_ID, 1, "double", OP_WRITE));
  op_free_dat_temp(first);
  op_dat second = slopes(g, mid);
  op_dat size = op_decl_dat_temp(g.nodes, 1, "float", (float *)NULL, "size");
  op_par_loop(finish, "finish", g.nodes, op_arg_dat(second, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(g.p_x, -1, OP_ID, 1, "double", OP_INC),
              op_arg_dat(size, -1, OP_ID, 1, "float", OP_WRITE));
  op_free_dat_temp(mid);
  int many = steep(g, size);
  op_free_dat_temp(second);
  op_free_dat_temp(size);
  return many;
}

static int plain(std::vector<double> &x) {
  std::vector<double> r(n, 0.0), mid(n);
  for (int e = 0; e < n; e++)
    flux(&x[ends[2 * e]], &x[ends[2 * e + 1]], &r[ends[2 * e]], &r[ends[2 * e + 1]]);
  for (int i = 0; i < n; i++) stage(&x[i], &r[i], &mid[i]);
  for (double &v : r) clear(&v);
  for (int e = 0; e < n; e++)
    flux(&mid[ends[2 * e]], &mid[ends[2 * e + 1]], &r[ends[2 * e]], &r[ends[2 * e + 1]]);
  int many = 0;
  for (int i = 0; i < n; i++) {
    float size;
    finish(&r[i], &x[i], &size);
    count(&size, &many);
  }
  return many;
}

int main(int argc, char **argv) {
  std::vector<double> x(n);
  for (double &v : x) v = random_number();
  for (int i = 0; i < n; i++) ends.push_back(i), ends.push_back((i + 1) % n);
  op_init(argc, argv, 1);
  ring g;
  g.nodes = set_of(n, "nodes"), g.edges = set_of(n, "edges");
  g.pedge = map_of(g.edges, g.nodes, 2, ends, "pedge");
  g.p_x = dat_of(g.nodes, 1, "double", x, "x");
  op_partition("PTSCOTCH", "KWAY", g.nodes, g.pedge, NULL);
  scale = 0.1;
  op_decl_const(1, "double", &scale);
  bool same = true;
  for (int i = 0; i < 20; i++) {
    int many = step(g), expected = plain(x);
    same &= many == expected;
    scale += 0.005; /* without another op_decl_const */
  }
  double s = sum(g), expected = 0;
  for (int i = 0; i < n; i++) total(&x[i], &expected);
  check(same, "how many nodes change much in each step");
  check(holds(g.p_x, x), "values after steps with temporaries");
  check(close_to(&s, &expected, 1, 1e-12), "their sum");
  op_exit();
  return checked();
}

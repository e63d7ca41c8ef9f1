/* SPDX-License-Identifier: BSD-3-Clause */
/* Deterministic mode in programs that are made to break it: a dat that is added to through two maps, in
 * one slot twice, directly as well, or by one component; sums beside minima; dense rows; maps that
 * are made again in a time loop; loop objects whose arguments are given up, or that are queued
 * inside an operator; calls that are refused or fail. Several ranks have the bits of one, and the
 * values that one rank has without the mode, but for rounding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "init.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"
#include "whole_case.h"

enum { DIM = 2 };

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS];
  op2_dat x, y, w; /* nodes, nodes, edges */
  op2_gbl sum;
};
struct program {
  const char *name;
  op2_status (*run)(struct run *r);
};

static op2_status make_dat(struct run *r, int set, int dim, const char *name, op2_dat *dat) {
  const int64_t n = r->share.set[set].ends[3];
  double *values = calloc((size_t)(n * dim) + 1, sizeof *values);
  for (int64_t i = 0; i < n * dim; i++)
    values[i] = 1.0 / (double)(3 + (r->share.set[set].global[i / dim] * 7 + i % dim) % 41);
  op2_status status = op2_dat_create(r->sets[set], dim, OP2_F64, values, name, dat);
  free(values);
  return status;
}

static op2_status make_kernel(struct run *r, const char *name, const char *source, op2_kernel *k) {
  const op2_kernel_desc desc = {.name = name, .source = source};
  return op2_kernel_create(r->ctx, &desc, k);
}

/* ---- programs -------------------------------------------------------------------------------- */

static const char two[] =
    "void two(const double *w, double *a, double *b, double *c, double *d[2], double *s, double "
    "*m) "
    "{\n  for (int j = 0; j < 2; j++) {\n    a[j] += w[0]; b[j] += w[0] / 3; c[j] -= w[0] * 0.1;\n"
    "    d[0][j] += w[0] / 7; d[1][j] += w[0] / 9; s[j] += w[0] * w[0];\n  }\n"
    "  *m = w[0] < *m ? w[0] : *m;\n}";
static const char both[] =
    "void both(const double *x, double *y, double *z) {\n"
    "  for (int j = 0; j < 2; j++) { y[j] += x[j] / 3; z[j] += x[j] * 0.7; }\n}";

/* One dat through two maps, one slot twice, and directly; the least value beside the sum. */
static op2_status mixed(struct run *r) {
  const op2_map ends = r->maps[EDGE_NODE];
  op2_map turned = NULL, self = NULL;
  op2_kernel k = NULL, direct = NULL;
  op2_gbl least = NULL;
  op2_status status = op2_map_create_permuted(ends, (int[]){1, 0}, "turned", &turned);
  if (!status) status = self_declare(r->sets[NODES], &self);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_F64, (double[]){1e9}, "least", &least);
  if (!status) status = make_kernel(r, "two", two, &k);
  if (!status) status = make_kernel(r, "both", both, &direct);
  for (int step = 0; step < 2 && !status; step++) {
    status = op2_par_loop(
        k, r->sets[EDGES], op2_arg_direct(r->w, OP2_READ), op2_arg_dat(r->y, 0, ends, OP2_INC),
        op2_arg_dat(r->y, 0, turned, OP2_INC), op2_arg_dat(r->y, 0, ends, OP2_INC),
        op2_arg_dat(r->y, OP2_ALL, turned, OP2_INC), op2_arg_gbl(r->sum, OP2_INC),
        op2_arg_gbl(least, OP2_MIN));
    if (!status)
      status = op2_par_loop(direct, r->sets[NODES], op2_arg_direct(r->x, OP2_READ),
                            op2_arg_direct(r->y, OP2_INC), op2_arg_dat(r->y, 0, self, OP2_INC));
  }
  op2_gbl_destroy(&least);
  op2_kernel_destroy(&k);
  op2_kernel_destroy(&direct);
  op2_map_destroy(&turned);
  op2_map_destroy(&self);
  return status;
}

/* One component only. */
static op2_status component(struct run *r) {
  op2_dat part = NULL;
  op2_kernel k = NULL;
  op2_status status = op2_dat_component(r->y, 1, 1, &part);
  if (!status)
    status =
        make_kernel(r, "part", "void part(const double *w, double *a) { *a += w[0] / 3; }", &k);
  if (!status)
    status = op2_par_loop(k, r->sets[EDGES], op2_arg_direct(r->w, OP2_READ),
                          op2_arg_dat(part, 1, r->maps[EDGE_NODE], OP2_INC));
  op2_kernel_destroy(&k);
  op2_dat_destroy(&part);
  return status;
}

static const char flux[] = "void flux(const double *w, double *a, double *s) {\n"
                           "  a[0] += w[0] / 3; a[1] -= w[0] * 0.3; s[0] += w[0]; s[1] += 1;\n}";

/* Maps, dats and globals of each step of their own. */
static op2_status made_again(struct run *r) {
  op2_status status = OP2_SUCCESS;
  op2_kernel k = NULL;
  if (!status) status = make_kernel(r, "flux", flux, &k);
  for (int step = 0; step < 12 && !status; step++) {
    op2_map turned = NULL;
    op2_dat other = NULL;
    op2_gbl g = NULL;
    status = op2_map_create_permuted(r->maps[EDGE_NODE], (int[]){1, 0}, "turned", &turned);
    if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "other", &other);
    if (!status) status = op2_gbl_create(r->ctx, DIM, OP2_F64, NULL, "g", &g);
    if (!status)
      status = op2_par_loop(k, r->sets[EDGES], op2_arg_direct(r->w, OP2_READ),
                            op2_arg_dat(other, 1, turned, OP2_INC), op2_arg_gbl(g, OP2_INC));
    if (!status) status = op2_dat_axpy(r->y, op2_scalar_value(0.5), other);
    op2_map_destroy(&turned);
    op2_dat_destroy(&other);
    op2_gbl_destroy(&g);
  }
  op2_kernel_destroy(&k);
  return status;
}

/* A global that outlives many sets keeps the terms of few. */
static op2_status sets_again(struct run *r) {
  const int64_t rank = r->ctx->comm ? r->ctx->comm->rank : 0;
  const int64_t size = r->ctx->comm ? r->ctx->comm->size : 1;
  op2_kernel k = NULL;
  op2_status status = make_kernel(r, "tenth", "void tenth(double *s) { s[1] += 0.1; }", &k);
  for (int step = 0; step < 6 && !status; step++) {
    op2_set set = NULL;
    status = op2_set_create(r->ctx, 12 * (rank + 1) / size - 12 * rank / size, "many", &set);
    for (int again = 0; again < 2 && !status; again++)
      status = op2_par_loop(k, set, op2_arg_gbl(r->sum, OP2_INC));
    op2_set_destroy(&set);
    if (!status && r->sum->nterms > 2) status = OP2_ERR_RANGE;
  }
  op2_kernel_destroy(&k);
  return status;
}

/* A loop object is queued when the program has given up what it names. */
static op2_status given_up(struct run *r) {
  op2_map turned = NULL;
  op2_kernel k = NULL;
  op2_gbl g = NULL;
  op2_loop loop = NULL, second = NULL;
  op2_dat gone = NULL;
  op2_status status = op2_map_create_permuted(r->maps[EDGE_NODE], (int[]){1, 0}, "turned", &turned);
  if (!status) status = op2_gbl_create(r->ctx, DIM, OP2_F64, NULL, "g", &g);
  if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "gone", &gone);
  if (!status) status = make_kernel(r, "flux", flux, &k);
  if (!status)
    status = op2_loop_create(&loop, k, r->sets[EDGES], op2_arg_direct(r->w, OP2_READ),
                             op2_arg_dat(r->y, 1, turned, OP2_INC), op2_arg_gbl(g, OP2_INC));
  if (!status)
    status = op2_loop_create(&second, k, r->sets[EDGES], op2_arg_direct(r->w, OP2_READ),
                             op2_arg_dat(gone, 1, turned, OP2_INC), op2_arg_gbl(r->sum, OP2_INC));
  op2_map_destroy(&turned);
  op2_kernel_destroy(&k);
  op2_gbl_destroy(&g);
  op2_dat_destroy(&gone);
  for (int step = 0; step < 3 && !status; step++) {
    status = op2_loop_enqueue(loop);
    if (!status) status = step == 1 ? op2_loop_compute(second) : op2_loop_enqueue(second);
  }
  op2_loop_destroy(&loop);
  op2_loop_destroy(&second);
  return status;
}

/* ---- matrices -------------------------------------------------------------------------------- */

struct system {
  op2_set single, few;
  op2_map whole, nodes_whole;
  op2_sparsity dense, square;
  op2_mat row, mat;
  op2_kernel add_row, add_block, take;
  op2_dat product, one;
};

/* Every fourth node. */
static op2_status make_few(struct run *r, op2_set *few) {
  const int64_t total = r->share.set[NODES].ends[3];
  int64_t *list = calloc((size_t)total + 1, sizeof *list), n = 0;
  for (int64_t i = 0; i < total; i++)
    if (r->share.set[NODES].global[i] % 4 == 0) list[n++] = i;
  op2_status status = op2_subset_create(r->sets[NODES], n, list, "few", few);
  free(list);
  return status;
}

static op2_status make_system(struct run *r, struct system *a) {
  const op2_map ends = r->maps[EDGE_NODE];
  op2_status status = op2_set_create_single(r->ctx, "R", &a->single);
  if (!status) status = make_few(r, &a->few);
  if (!status) status = op2_map_create(r->sets[EDGES], a->single, 1, NULL, "whole", &a->whole);
  if (!status)
    status = op2_map_create(r->sets[NODES], a->single, 1, NULL, "nodes", &a->nodes_whole);
  if (!status)
    status = make_kernel(r, "take", "void take(const double *one, double *y) { y[0] += *one; }",
                         &a->take);
  const op2_map_pair pair = {a->whole, ends}, pairs = {ends, ends};
  if (!status) status = op2_sparsity_create(1, &pair, "dense", &a->dense);
  if (!status) status = op2_sparsity_create(1, &pairs, "square", &a->square);
  if (!status) status = op2_mat_create(a->dense, 1, DIM, OP2_F64, "row", &a->row);
  if (!status) status = op2_mat_create(a->square, DIM, DIM, OP2_F64, "mat", &a->mat);
  if (!status) status = op2_dat_create(a->single, 1, OP2_F64, NULL, "one", &a->one);
  if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "product", &a->product);
  if (!status)
    status = make_kernel(r, "dense",
                         "void dense(const double *w, double a[1][4]) {\n"
                         "  for (int c = 0; c < 4; c++) a[0][c] += w[0] / (3 + c);\n}",
                         &a->add_row);
  if (status) return status;
  return make_kernel(r, "block",
                     "void block(const double *w, double a[4][4]) {\n  for (int i = 0; i < 4; i++) "
                     "for (int j = 0; j < 4; j++) a[i][j] += w[0] / (3 + i + 2 * j);\n}",
                     &a->add_block);
}

static void destroy_system(struct system *a) {
  op2_mat_destroy(&a->row);
  op2_mat_destroy(&a->mat);
  op2_sparsity_destroy(&a->dense);
  op2_sparsity_destroy(&a->square);
  op2_kernel_destroy(&a->add_row);
  op2_kernel_destroy(&a->add_block);
  op2_dat_destroy(&a->product);
  op2_dat_destroy(&a->one);
  op2_map_destroy(&a->whole);
  op2_map_destroy(&a->nodes_whole);
  op2_kernel_destroy(&a->take);
  op2_set_destroy(&a->few);
  op2_set_destroy(&a->single);
}

/* A row of a set with one element; columns that are left out, and rows and columns made zero. */
static op2_status matrices(struct run *r) {
  const op2_map ends = r->maps[EDGE_NODE];
  const op2_arg w = op2_arg_direct(r->w, OP2_READ);
  struct system a = {0};
  op2_status status = make_system(r, &a);
  if (!status)
    status = op2_par_loop(a.add_row, r->sets[EDGES], w, op2_arg_mat(a.row, a.whole, ends, OP2_INC));
  if (!status)
    status = op2_par_loop(a.add_block, r->sets[EDGES], w, op2_arg_mat(a.mat, ends, ends, OP2_INC));
  if (!status)
    status = op2_par_loop(a.add_block, r->sets[EDGES], w,
                          op2_arg_mat_drop(a.mat, ends, ends, OP2_INC, OP2_COLUMNS, a.few));
  if (!status) status = op2_mat_zero_rows_columns(a.mat, a.few, 2, r->x, r->y);
  if (!status) status = op2_mat_mult(a.mat, r->x, a.product);
  if (!status) status = op2_dat_axpy(r->y, op2_scalar_value(1), a.product);
  if (!status) status = op2_mat_mult(a.row, r->x, a.one);
  if (!status)
    status = op2_par_loop(a.take, r->sets[NODES], op2_arg_dat(a.one, 0, a.nodes_whole, OP2_READ),
                          op2_arg_direct(r->y, OP2_RW));
  destroy_system(&a);
  return status;
}

/* ---- an operator ----------------------------------------------------------------------------- */

struct operation {
  op2_loop loop;
  op2_dat in, out;
};

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  struct operation *o = data;
  op2_status status = op2_dat_copy(x, o->in);
  if (!status) status = op2_dat_copy(x, o->out);
  if (!status) status = op2_loop_enqueue(o->loop);
  return status ? status : op2_dat_copy(o->out, y);
}

/* Make the dats that the loop adds to, and an operator that uses them. */
static op2_status make_operation(struct run *r, struct operation *o, op2_operator *op) {
  const op2_map ends = r->maps[EDGE_NODE];
  const double factor = 0.1;
  op2_kernel k = NULL;
  op2_status status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "in", &o->in);
  if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "out", &o->out);
  if (!status)
    status = make_kernel(r, "turn",
                         "void turn(const double *u, const double *v, double *a, double *b, double "
                         "f) {\n  for (int j = 0; j < 2; j++) { a[j] += f * (u[j] - v[j]); b[j] += "
                         "f * (v[j] - u[j]); }\n}",
                         &k);
  if (!status)
    status = op2_loop_create(
        &o->loop, k, r->sets[EDGES], op2_arg_dat(o->in, 0, ends, OP2_READ),
        op2_arg_dat(o->in, 1, ends, OP2_READ), op2_arg_dat(o->out, 0, ends, OP2_INC),
        op2_arg_dat(o->out, 1, ends, OP2_INC), op2_arg_val(&factor, 1, OP2_F64));
  op2_kernel_destroy(&k);
  const op2_arg args[] = {op2_arg_direct(o->in, OP2_RW), op2_arg_direct(o->out, OP2_RW)};
  const op2_operator_desc desc = {.set = r->sets[NODES],
                                  .dim = DIM,
                                  .type = OP2_F64,
                                  .apply = apply,
                                  .data = o,
                                  .nargs = 2,
                                  .args = args};
  return status ? status : op2_operator_create(&desc, "op", op);
}

/* A loop object is queued before and after a solve, and inside its operator, before any has run. */
static op2_status inside(struct run *r) {
  struct operation o = {NULL, NULL, NULL};
  op2_solver solver = NULL;
  op2_operator op = NULL;
  const op2_solver_options options = {.rtol = 1e-11, .start_at_zero = 1};
  op2_status status = make_operation(r, &o, &op);
  if (!status) status = op2_solver_create(r->ctx, &options, "cg", &solver);
  if (!status) status = op2_dat_copy(r->x, o.in);
  if (!status) status = op2_loop_enqueue(o.loop);
  if (!status) status = op2_dat_axpy(r->x, op2_scalar_value(1), o.out);
  if (!status) status = op2_solve_operator(solver, op, r->y, r->x);
  if (!status) status = op2_loop_enqueue(o.loop);
  if (!status) status = op2_dat_axpy(r->y, op2_scalar_value(1), o.out);
  if (!status) status = op2_flush(r->ctx);
  op2_loop_destroy(&o.loop);
  op2_operator_destroy(&op);
  op2_solver_destroy(&solver);
  op2_dat_destroy(&o.in);
  op2_dat_destroy(&o.out);
  return status;
}

/* ---- refusals and failures ------------------------------------------------------------------- */

/* A call that is refused changes nothing, and a loop that fails spoils what it would have added to. */
static op2_status refused(struct run *r) {
  const op2_map ends = r->maps[EDGE_NODE];
  const void *read = NULL;
  double *values = NULL;
  op2_kernel k = NULL, bad = NULL;
  op2_dat spoilt = NULL;
  op2_status status = make_kernel(
      r, "grow", "void grow(double *w, double *a) { w[0] *= 2; a[0] += w[0]; a[1] -= w[0]; }", &k);
  if (!status)
    status =
        make_kernel(r, "bad", "void bad(double *w, double *a) { a[0] += w[0] + no_such; }", &bad);
  if (!status) status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "spoilt", &spoilt);
  if (!status) status = op2_dat_read_begin(r->y, &read);
  if (!status && op2_par_loop(k, r->sets[EDGES], op2_arg_direct(r->w, OP2_RW),
                              op2_arg_dat(r->y, 0, ends, OP2_INC)) != OP2_ERR_STATE)
    status = OP2_ERR_ARG;
  if (!status) status = op2_dat_read_end(r->y, &read);
  if (!status)
    status = op2_par_loop(k, r->sets[EDGES], op2_arg_direct(r->w, OP2_RW),
                          op2_arg_dat(r->y, 1, ends, OP2_INC));
  op2_status failed = op2_par_loop(bad, r->sets[EDGES], op2_arg_direct(r->w, OP2_READ),
                                   op2_arg_dat(spoilt, 0, ends, OP2_INC));
  values = calloc((size_t)r->share.set[NODES].ends[3] * DIM + 1, sizeof *values);
  if (!status && !op2_dat_get(spoilt, values)) status = OP2_ERR_ARG;
  (void)failed;
  free(values);
  op2_kernel_destroy(&k);
  op2_kernel_destroy(&bad);
  op2_dat_destroy(&spoilt);
  return status;
}

static const struct program programs[] = {
    {"a dat through two maps, and directly", mixed},
    {"a component of a dat", component},
    {"maps that are made again", made_again},
    {"sets that are made again", sets_again},
    {"a loop whose arguments are given up", given_up},
    {"dense rows, and rows that are left out", matrices},
    {"a loop object inside an operator", inside},
    {"a call that is refused, and a loop that fails", refused},
};

/* ---- comparing ------------------------------------------------------------------------------- */

struct trial {
  struct whole whole;
  const struct program *program;
  bool eager, keep, near; /* keep: these are the values; near: compare up to rounding */
  double *y, sum[DIM];    /* [nodes][DIM] */
};

static bool differs(const struct trial *t, double *kept, double value) {
  if (t->keep) *kept = value;
  if (t->near) return !(fabs(*kept - value) <= 1e-9 * (1 + fabs(value)));
  return memcmp(kept, &value, sizeof value) != 0;
}

static int compare(struct run *r, struct trial *t) {
  const int64_t n = r->share.set[NODES].ends[1];
  double *values = calloc((size_t)r->share.set[NODES].ends[3] * DIM + 1, sizeof *values), sum[DIM];
  int wrong = op2_dat_get(r->y, values) != OP2_SUCCESS;
  wrong += op2_gbl_get(r->sum, sum) != OP2_SUCCESS;
  if (wrong) fprintf(stderr, "# values cannot be read: %s\n", op2_error_message());
  for (int64_t i = 0; i < n * DIM && !wrong; i++)
    wrong += differs(t, &t->y[r->share.set[NODES].global[i / DIM] * DIM + i % DIM], values[i]);
  for (int j = 0; j < DIM && !wrong; j++) wrong += differs(t, &t->sum[j], sum[j]);
  free(values);
  return wrong;
}

static int rank(struct op2i_comm *comm, void *data) {
  struct trial *t = data;
  struct run r = {0};
  const op2_options options = rank_options("sequential", t->eager);
  int wrong = 0;
  whole_share(&t->whole, comm->rank, &r.share);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = share_declare(&t->whole, &r.share, r.ctx, r.sets, r.maps);
  if (!status) status = make_dat(&r, NODES, DIM, "x", &r.x);
  if (!status) status = make_dat(&r, NODES, DIM, "y", &r.y);
  if (!status) status = make_dat(&r, EDGES, 1, "w", &r.w);
  if (!status) status = op2_gbl_create(r.ctx, DIM, OP2_F64, NULL, "sum", &r.sum);
  if (!status) status = t->program->run(&r);
  if (status) fprintf(stderr, "# rank %d of %d: %s\n", comm->rank, comm->size, op2_error_message());
  if (!status) wrong = compare(&r, t);
  op2_dat_destroy(&r.x);
  op2_dat_destroy(&r.y);
  op2_dat_destroy(&r.w);
  op2_gbl_destroy(&r.sum);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r.maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r.sets[s]);
  share_free(&t->whole, &r.share);
  const op2_status end = op2_finalize(&r.ctx); /* a loop that failed may be reported here */
  return wrong + (status != OP2_SUCCESS) + (end != OP2_SUCCESS && t->program->run != refused);
}

static int run_on(struct trial *t, int ranks, uint64_t seed) {
  uint64_t state = seed, owners = seed + (uint64_t)ranks;
  whole_draw(&t->whole, 1, 2, &state);
  whole_disown(&t->whole);
  whole_own(&t->whole, ranks, (int)(owners % WHOLE_HOWS), &owners);
  if (!t->y) t->y = calloc((size_t)t->whole.set[NODES].size * DIM, sizeof *t->y);
  const int wrong = run_contexts(ranks, rank, t);
  whole_free(&t->whole);
  return wrong;
}

static void try_program(const struct program *p, bool eager, uint64_t seed) {
  static const int counts[] = {2, 3, 4, 7};
  struct trial t = {.program = p, .eager = eager, .keep = true};
  int different = 0;
  setenv("OP2_DETERMINISTIC", "1", 1);
  different += run_on(&t, 1, seed);
  t.keep = false;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    different += run_on(&t, counts[c], seed);
  setenv("OP2_DETERMINISTIC", "0", 1);
  t.near = true;
  different += run_on(&t, 1, seed) + run_on(&t, 3, seed);
  is_int(different, 0, "%s: %s", p->name, eager ? "eager" : "lazy");
  free(t.y);
}

int main(void) {
  test_environment();
  for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
    for (int eager = 0; eager < 2; eager++)
      try_program(&programs[p], eager, (uint64_t)(11 + 3 * (int)p + eager));
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Deterministic mode: programs of real numbers give the same bits on 1, 2, 3, 4 and 7 ranks, however
 * the mesh is distributed. They add to dats through one slot, all slots and packed ones, to matrices
 * with blocks of one and of several values, and to globals; they multiply matrices and solve a system.
 * Random programs have the results of an interpreter, but for rounding.
 * Without the mode the same programs differ, so that the comparison is one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "program_case.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"
#include "whole_case.h"

enum { DIM = 2, STEPS = 3, SUMS = 3 };

/* Results by global number: those of one rank, and how many values of another run differ. */
struct trial {
  struct whole whole;
  const char *backend;
  bool eager, keep;
  double *x, *y, *solution; /* [nodes][DIM] */
  float *narrow;            /* [nodes] */
  double sums[STEPS][SUMS];
  float narrow_sums[STEPS];
};

enum { FLUX, POINTERS, PACKED, ADVANCE, LIST, BLOCK, SINGLE, UNIT, KERNELS };

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS], some;
  op2_map maps[WHOLE_MAPS], self; /* nodes to themselves */
  op2_dat weight, x, y, narrow, solution, right;
  op2_gbl sum, narrow_sum;
  op2_sparsity sparsity;
  op2_mat block, single;
  op2_kernel kernels[KERNELS];
  op2_solver solver;
  op2_loop held;
};

static double start_of(int64_t number, int j) { return 1.0 / (double)(3 + (number * 7 + j) % 41); }

/* ---- declarations ---------------------------------------------------------------------------- */

static op2_status make_kernel(struct run *r, int k, const char *name, const char *source) {
  const op2_kernel_desc desc = {.name = name, .source = source};
  return op2_kernel_create(r->ctx, &desc, &r->kernels[k]);
}

static op2_status make_kernels(struct run *r, int arity) {
  char text[768];
  const int block = arity * DIM;
  op2_status status = make_kernel(
      r, FLUX, "flux",
      "void flux(const double *a, const double *b, double *ra, double *rb, double *sum) {\n"
      "  for (int j = 0; j < 2; j++) {\n"
      "    double f = (a[j] - b[1 - j]) * 0.37;\n"
      "    ra[j] += f; rb[j] -= 0.9 * f; sum[j] += f * f;\n  }\n  sum[2] += a[0] / 3;\n}");
  snprintf(text, sizeof text,
           "void pointers(const double *w, double **y, float *sum) {\n"
           "  for (int s = 0; s < %d; s++) { y[s][0] += w[0] / (s + 3); y[s][1] -= w[0] * 0.1; }\n"
           "  *sum += (float)w[0] * 0.3f;\n}",
           arity);
  if (!status) status = make_kernel(r, POINTERS, "pointers", text);
  snprintf(text, sizeof text,
           "void packed(const double *w, float *y) {\n"
           "  for (int s = 0; s < %d; s++) y[s] += (float)w[0] / (float)(s + 7);\n}",
           arity);
  if (!status) status = make_kernel(r, PACKED, "packed", text);
  if (!status)
    status = make_kernel(r, ADVANCE, "advance",
                         "void advance(double *x, double *y, double *sum) {\n"
                         "  for (int j = 0; j < 2; j++) { x[j] += 0.01 * y[j]; y[j] *= 0.3; }\n"
                         "  sum[0] += x[0] * x[1];\n}");
  if (!status)
    status = make_kernel(r, LIST, "list",
                         "void list(const double *w, double *y) { y[1] += w[0] * 0.7; }");
  snprintf(text, sizeof text,
           "void block(const double *w, double a[%d][%d]) {\n"
           "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++)\n"
           "      a[i][j] += i == j ? %d + w[0] : -w[0] / (2 + i + j);\n}",
           block, block, block, block, 2 * block);
  if (!status) status = make_kernel(r, BLOCK, "block", text);
  snprintf(
      text, sizeof text,
      "void single(const double *w, double a[%d][%d]) {\n"
      "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++) a[i][j] += w[0] / (1 + i "
      "+ 3 * j);\n}",
      arity, arity, arity, arity);
  if (!status) status = make_kernel(r, SINGLE, "single", text);
  return status
             ? status
             : make_kernel(r, UNIT, "unit", "void unit(double a[2][2]) { a[0][0]++; a[1][1]++; }");
}

static op2_status make_dat(struct run *r, int set, int dim, const char *name, op2_dat *dat) {
  const int64_t n = r->share.set[set].ends[3];
  double *values = calloc((size_t)(n * dim) + 1, sizeof *values);
  for (int64_t i = 0; i < n * dim; i++)
    values[i] = start_of(r->share.set[set].global[i / dim], (int)(i % dim));
  op2_status status = op2_dat_create(r->sets[set], dim, OP2_F64, values, name, dat);
  free(values);
  return status;
}

/* Every fifth edge, of those of other ranks, too. */
static op2_status make_subset(struct run *r) {
  const int64_t total = r->share.set[EDGES].ends[3];
  int64_t *list = calloc((size_t)total + 1, sizeof *list), n = 0;
  for (int64_t i = 0; i < total; i++)
    if (r->share.set[EDGES].global[i] % 5 == 0) list[n++] = i;
  op2_status status = op2_subset_create(r->sets[EDGES], n, list, "some", &r->some);
  free(list);
  return status;
}

static op2_status declare(struct run *r, const struct trial *t) {
  const op2_solver_options options = {.rtol = 1e-11, .start_at_zero = 1};
  const double zeros[SUMS] = {0};
  const float zero = 0;
  op2_status status = share_declare(&t->whole, &r->share, r->ctx, r->sets, r->maps);
  if (!status) status = make_subset(r);
  if (!status) status = make_dat(r, CELLS, 1, "weight", &r->weight);
  if (!status) status = make_dat(r, NODES, DIM, "x", &r->x);
  if (!status) status = make_dat(r, NODES, DIM, "y", &r->y);
  if (!status) status = make_dat(r, NODES, DIM, "right", &r->right);
  if (!status) status = op2_dat_create(r->sets[NODES], 1, OP2_F32, NULL, "narrow", &r->narrow);
  if (!status)
    status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, NULL, "solution", &r->solution);
  if (!status) status = op2_gbl_create(r->ctx, SUMS, OP2_F64, zeros, "sum", &r->sum);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_F32, &zero, "narrow sum", &r->narrow_sum);
  if (!status) status = self_declare(r->sets[NODES], &r->self);
  const op2_map_pair pairs[] = {{r->maps[CELL_NODE], r->maps[CELL_NODE]}, {r->self, r->self}};
  if (!status) status = op2_sparsity_create(2, pairs, "sparsity", &r->sparsity);
  if (!status) status = op2_mat_create(r->sparsity, DIM, DIM, OP2_F64, "block", &r->block);
  if (!status) status = op2_mat_create(r->sparsity, 1, 1, OP2_F64, "single", &r->single);
  if (!status) status = op2_solver_create(r->ctx, &options, "cg", &r->solver);
  return status ? status : make_kernels(r, t->whole.map[CELL_NODE].arity);
}

/* ---- the program ----------------------------------------------------------------------------- */

static op2_status step(struct run *r) {
  const op2_map ends = r->maps[EDGE_NODE], corners = r->maps[CELL_NODE];
  op2_status status =
      op2_par_loop(r->kernels[FLUX], r->sets[EDGES], op2_arg_dat(r->x, 0, ends, OP2_READ),
                   op2_arg_dat(r->x, 1, ends, OP2_READ), op2_arg_dat(r->y, 0, ends, OP2_INC),
                   op2_arg_dat(r->y, 1, ends, OP2_INC), op2_arg_gbl(r->sum, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[POINTERS], r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                          op2_arg_dat(r->y, OP2_ALL, corners, OP2_INC),
                          op2_arg_gbl(r->narrow_sum, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[PACKED], r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                          op2_arg_dat(r->narrow, OP2_PACKED, corners, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[LIST], r->some, op2_arg_dat(r->x, 1, ends, OP2_READ),
                          op2_arg_dat(r->y, 0, ends, OP2_INC));
  if (!status && !r->held)
    status =
        op2_loop_create(&r->held, r->kernels[ADVANCE], r->sets[NODES], op2_arg_direct(r->x, OP2_RW),
                        op2_arg_direct(r->y, OP2_RW), op2_arg_gbl(r->sum, OP2_INC));
  return status ? status : op2_loop_enqueue(r->held);
}

static op2_status solve(struct run *r) {
  const op2_map corners = r->maps[CELL_NODE];
  op2_status status =
      op2_par_loop(r->kernels[BLOCK], r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                   op2_arg_mat(r->block, corners, corners, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[SINGLE], r->sets[CELLS], op2_arg_direct(r->weight, OP2_READ),
                          op2_arg_mat(r->single, corners, corners, OP2_INC));
  if (!status)
    status = op2_par_loop(r->kernels[UNIT], r->sets[NODES],
                          op2_arg_mat(r->block, r->self, r->self, OP2_INC));
  if (!status) status = op2_mat_mult(r->block, r->x, r->y);
  return status ? status : op2_solve(r->solver, r->block, r->solution, r->right);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int compare(const struct trial *t, void *kept, const void *values, size_t bytes) {
  if (t->keep) memcpy(kept, values, bytes);
  return memcmp(kept, values, bytes) != 0;
}

static int compare_dat(const struct run *r, const struct trial *t, op2_dat dat, int dim,
                       size_t size, void *kept) {
  const int64_t n = r->share.set[NODES].ends[1];
  char *values = calloc((size_t)(n * dim) + 1, size);
  int wrong = op2_dat_get(dat, values) != OP2_SUCCESS;
  for (int64_t i = 0; i < n && !wrong; i++)
    wrong += compare(t, (char *)kept + (size_t)(r->share.set[NODES].global[i] * dim) * size,
                     values + (size_t)(i * dim) * size, (size_t)dim * size);
  free(values);
  return wrong;
}

static int play(struct run *r, struct trial *t) {
  int wrong = 0;
  for (int s = 0; s < STEPS && !wrong; s++) {
    double sums[SUMS];
    float narrow;
    wrong += step(r) != OP2_SUCCESS;
    if (!wrong) wrong += op2_gbl_get(r->sum, sums) != OP2_SUCCESS;
    if (!wrong) wrong += op2_gbl_get(r->narrow_sum, &narrow) != OP2_SUCCESS;
    if (!wrong) wrong += compare(t, t->sums[s], sums, sizeof sums);
    if (!wrong) wrong += compare(t, &t->narrow_sums[s], &narrow, sizeof narrow);
  }
  if (!wrong) wrong += compare_dat(r, t, r->x, DIM, sizeof *t->x, t->x);
  if (!wrong) wrong += compare_dat(r, t, r->narrow, 1, sizeof *t->narrow, t->narrow);
  if (!wrong) wrong += solve(r) != OP2_SUCCESS;
  if (!wrong) wrong += compare_dat(r, t, r->y, DIM, sizeof *t->y, t->y);
  if (!wrong) wrong += compare_dat(r, t, r->solution, DIM, sizeof *t->solution, t->solution);
  return wrong;
}

static void destroy(struct run *r, const struct trial *t) {
  op2_dat *dats[] = {&r->weight, &r->x, &r->y, &r->narrow, &r->solution, &r->right};
  op2_loop_destroy(&r->held);
  op2_solver_destroy(&r->solver);
  for (int k = 0; k < KERNELS; k++) op2_kernel_destroy(&r->kernels[k]);
  op2_mat_destroy(&r->block);
  op2_mat_destroy(&r->single);
  op2_sparsity_destroy(&r->sparsity);
  for (size_t d = 0; d < sizeof dats / sizeof *dats; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&r->sum);
  op2_gbl_destroy(&r->narrow_sum);
  op2_set_destroy(&r->some);
  op2_map_destroy(&r->self);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r->maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r->sets[s]);
  share_free(&t->whole, &r->share);
}

static int rank(struct op2i_comm *comm, void *data) {
  struct trial *t = data;
  struct run r = {0};
  const op2_options options = rank_options(t->backend, t->eager);
  int wrong = 0;
  whole_share(&t->whole, comm->rank, &r.share);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r, t);
  if (!status) wrong = play(&r, t);
  if (status) fprintf(stderr, "# rank %d of %d: %s\n", comm->rank, comm->size, op2_error_message());
  destroy(&r, t);
  if (op2_finalize(&r.ctx)) wrong++;
  return wrong + (status != OP2_SUCCESS);
}

/* ---- all cases ------------------------------------------------------------------------------- */

/* Meshes of one seed have the same elements on any number of ranks, and other owners. */
static int run_on(struct trial *t, int ranks, int how, uint64_t seed) {
  uint64_t state = seed * 131 + 7, owners = seed + (uint64_t)(10 * ranks + how);
  whole_draw(&t->whole, 1, 2, &state);
  whole_disown(&t->whole);
  whole_own(&t->whole, ranks, how, &owners);
  int wrong = run_contexts(ranks, rank, t);
  return wrong;
}

/* The number of runs that differ from that on one rank. */
static int try_mesh(const char *backend, uint64_t seed, int *runs) {
  static const int counts[] = {2, 3, 4, 7};
  struct trial t = {.backend = backend, .eager = seed % 3 == 0, .keep = true};
  uint64_t state = seed * 131 + 7;
  int different = 0;
  whole_draw(&t.whole, 1, 2, &state);
  const size_t n = (size_t)t.whole.set[NODES].size;
  whole_free(&t.whole);
  t.x = calloc(n * DIM, sizeof *t.x);
  t.y = calloc(n * DIM, sizeof *t.y);
  t.solution = calloc(n * DIM, sizeof *t.solution);
  t.narrow = calloc(n, sizeof *t.narrow);
  if (run_on(&t, 1, 2, seed)) different += 1000;
  whole_free(&t.whole);
  t.keep = false;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    different += run_on(&t, counts[c], (int)(seed + c) % WHOLE_HOWS, seed) > 0;
    whole_free(&t.whole);
    ++*runs;
  }
  free(t.x);
  free(t.y);
  free(t.solution);
  free(t.narrow);
  return different;
}

int main(void) {
  const char *backend;
  const int meshes = quick() ? 2 : thorough() ? 60 : 6;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    const int some = is_device(backend) ? 1 : meshes;
    int different = 0, runs = 0;
    setenv("OP2_DETERMINISTIC", "1", 1);
    for (int n = 0; n < some; n++) different += try_mesh(backend, (uint64_t)n + 1, &runs);
    is_int(different, 0, "%s: %d runs on several ranks have the bits of one rank", backend, runs);
    const int count = quick() ? 3 : thorough() ? 500 : 20;
    const struct program_counts counts =
        programs_on_ranks(backend, 0, 5, 0, is_device(backend) ? 2 : count, run_contexts);
    is_int(counts.wrong, 0, "%s: %d random programs have an interpreter's results", backend,
           counts.run);
  }
  int different = 0, runs = 0;
  setenv("OP2_DETERMINISTIC", "0", 1);
  for (int n = 0; n < 2; n++) different += try_mesh("sequential", (uint64_t)n + 1, &runs);
  ok(different > 0 && different < 1000, "without the mode %d of %d runs differ", different, runs);
  return done();
}

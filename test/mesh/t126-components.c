/* SPDX-License-Identifier: BSD-3-Clause */
/* Components of dats as arguments of loops, in every access mode and by every way to reach them,
 * beside the dat itself and fused with loops that use it; their values on the host; what is known of
 * them; on ranks; and what is refused. */
#include <stdio.h>
#include <string.h>

#include "init.h"
#include "rank_case.h"
#include "support.h"

/* A ring of nodes: edge i leads from node i to its neighbour. All values are whole numbers. */
enum { NODES = 211, DIM = 4, WIDE = 40 };

struct ring {
  op2_set nodes, edges;
  op2_map ends;
  op2_dat u, v, e; /* u[DIM] and v[1] on the nodes, e[2] on the edges */
  double u_is[NODES][DIM], v_is[NODES], e_is[NODES][2]; /* the values that they must have */
};

static int next(int i) { return (i + 1) % NODES; }

static struct ring *new_ring(void) {
  struct ring *r = scratch(1, sizeof *r);
  int32_t ends[NODES][2];
  for (int i = 0; i < NODES; i++) {
    ends[i][0] = i;
    ends[i][1] = next(i);
    r->v_is[i] = i % 17;
    for (int c = 0; c < DIM; c++) r->u_is[i][c] = 100 * (i % 23) + c;
    for (int c = 0; c < 2; c++) r->e_is[i][c] = i % 5 + c;
  }
  r->nodes = new_set(NODES, "nodes");
  r->edges = new_set(NODES, "edges");
  r->ends = new_map(r->edges, r->nodes, 2, ends[0], "ends");
  r->u = new_dat(r->nodes, DIM, OP2_F64, r->u_is, "u");
  r->v = new_dat(r->nodes, 1, OP2_F64, r->v_is, "v");
  r->e = new_dat(r->edges, 2, OP2_F64, r->e_is, "e");
  return r;
}

static void expect_ring(const struct ring *r) {
  EXPECT_VALUES(double, r->u, NODES *DIM, i, r->u_is[i / DIM][i % DIM]);
  EXPECT_VALUES(double, r->v, NODES, i, r->v_is[i]);
  EXPECT_VALUES(double, r->e, NODES * 2, i, r->e_is[i / 2][i % 2]);
}

static op2_dat component(op2_dat dat, int first, int n) {
  op2_dat made = NULL;
  MUST(op2_dat_component(dat, first, n, &made));
  own_dat(made);
  return made;
}

/* ---- elements' own rows ---------------------------------------------------------------------- */

OP2_KERNEL(own_rows, (const double *a, double *b, double *c, double *d), {
  *b = 2 * *a;
  c[1] += c[0];
  *d += 1;
});

static void own(void) {
  struct ring *r = new_ring();
  const op2_kernel kernel = new_kernel(&own_rows_kernel);
  for (int round = 0; round < 2; round++) {
    MUST(op2_par_loop(kernel, r->nodes, op2_arg_direct(component(r->u, 0, 1), OP2_READ),
                      op2_arg_direct(component(r->u, 1, 1), OP2_WRITE),
                      op2_arg_direct(component(r->u, 2, 2), OP2_RW),
                      op2_arg_direct(r->v, OP2_INC)));
    for (int i = 0; i < NODES; i++) {
      r->u_is[i][1] = 2 * r->u_is[i][0];
      r->u_is[i][3] += r->u_is[i][2];
      r->v_is[i] += 1;
    }
  }
  expect_ring(r);
}

OP2_KERNEL(beside_dat, (const double *u, double *b), { *b = u[0] + u[2]; });

static void beside(void) {
  struct ring *r = new_ring();
  MUST(op2_par_loop(new_kernel(&beside_dat_kernel), r->nodes, op2_arg_direct(r->u, OP2_READ),
                    op2_arg_direct(component(r->u, 3, 1), OP2_WRITE)));
  for (int i = 0; i < NODES; i++) r->u_is[i][3] = r->u_is[i][0] + r->u_is[i][2];
  expect_ring(r);
}

/* ---- through maps ---------------------------------------------------------------------------- */

OP2_KERNEL(slots, (const double *a, const double *b, double *e), {
  e[0] = a[0] - b[0];
  e[1] = b[1];
});
OP2_KERNEL(add_slots, (const double *e, double *a, double *b), {
  *a += e[0];
  *b -= e[1];
});

static void through_slots(void) {
  struct ring *r = new_ring();
  const op2_dat pair = component(r->u, 2, 2), one = component(r->u, 1, 1);
  MUST(op2_par_loop(new_kernel(&slots_kernel), r->edges, op2_arg_dat(pair, 0, r->ends, OP2_READ),
                    op2_arg_dat(pair, 1, r->ends, OP2_READ), op2_arg_direct(r->e, OP2_WRITE)));
  for (int i = 0; i < NODES; i++) {
    r->e_is[i][0] = r->u_is[i][2] - r->u_is[next(i)][2];
    r->e_is[i][1] = r->u_is[next(i)][3];
  }
  MUST(op2_par_loop(new_kernel(&add_slots_kernel), r->edges, op2_arg_direct(r->e, OP2_READ),
                    op2_arg_dat(one, 0, r->ends, OP2_INC), op2_arg_dat(one, 1, r->ends, OP2_INC)));
  for (int i = 0; i < NODES; i++) {
    r->u_is[i][1] += r->e_is[i][0];
    r->u_is[next(i)][1] -= r->e_is[i][1];
  }
  expect_ring(r);
  EXPECT(!explains("scalar code:")); /* where loops are vector code, these are */
}

OP2_KERNEL(all_slots, (const double *const *a, double *e), {
  e[0] = a[0][0] + a[1][1];
  e[1] = a[1][0];
});
OP2_KERNEL(add_all, (const double *e, double **a), {
  a[0][0] += e[0];
  a[1][1] += e[1];
});

static void through_all(void) {
  struct ring *r = new_ring();
  const op2_dat pair = component(r->u, 1, 2);
  MUST(op2_par_loop(new_kernel(&all_slots_kernel), r->edges,
                    op2_arg_dat(pair, OP2_ALL, r->ends, OP2_READ),
                    op2_arg_direct(r->e, OP2_WRITE)));
  for (int i = 0; i < NODES; i++) {
    r->e_is[i][0] = r->u_is[i][1] + r->u_is[next(i)][2];
    r->e_is[i][1] = r->u_is[next(i)][1];
  }
  MUST(op2_par_loop(new_kernel(&add_all_kernel), r->edges, op2_arg_direct(r->e, OP2_READ),
                    op2_arg_dat(pair, OP2_ALL, r->ends, OP2_INC)));
  for (int i = 0; i < NODES; i++) {
    r->u_is[i][1] += r->e_is[i][0];
    r->u_is[next(i)][2] += r->e_is[i][1];
  }
  expect_ring(r);
}

OP2_KERNEL(packed_slots, (const double a[2][2], double *e), {
  e[0] = a[0][0] + a[1][1];
  e[1] = a[1][0];
});
OP2_KERNEL(add_packed, (const double *e, double *one, double pair[2][2]), {
  one[0] += e[0];
  one[1] += e[1];
  pair[1][1] += 3;
});

static void packed(void) {
  struct ring *r = new_ring();
  MUST(op2_par_loop(new_kernel(&packed_slots_kernel), r->edges,
                    op2_arg_dat(component(r->u, 1, 2), OP2_PACKED, r->ends, OP2_READ),
                    op2_arg_direct(r->e, OP2_WRITE)));
  for (int i = 0; i < NODES; i++) {
    r->e_is[i][0] = r->u_is[i][1] + r->u_is[next(i)][2];
    r->e_is[i][1] = r->u_is[next(i)][1];
  }
  MUST(op2_par_loop(new_kernel(&add_packed_kernel), r->edges, op2_arg_direct(r->e, OP2_READ),
                    op2_arg_dat(component(r->u, 3, 1), OP2_PACKED, r->ends, OP2_INC),
                    op2_arg_dat(component(r->u, 0, 2), OP2_ITER(0), r->ends, OP2_INC)));
  for (int i = 0; i < NODES; i++) {
    r->u_is[i][3] += r->e_is[i][0];
    r->u_is[next(i)][3] += r->e_is[i][1];
    r->u_is[next(i)][1] += 3;
  }
  expect_ring(r);
}

OP2_KERNEL(least, (const double *e, double *a, double *b), {
  if (e[0] < *a) *a = e[0];
  if (e[1] > *b) *b = e[1];
});

static void bounds(void) {
  struct ring *r = new_ring();
  MUST(op2_par_loop(new_kernel(&least_kernel), r->edges, op2_arg_direct(r->e, OP2_READ),
                    op2_arg_dat(component(r->u, 2, 1), 1, r->ends, OP2_MIN),
                    op2_arg_dat(component(r->v, 0, 1), 0, r->ends, OP2_MAX)));
  for (int i = 0; i < NODES; i++) {
    if (r->e_is[i][0] < r->u_is[next(i)][2]) r->u_is[next(i)][2] = r->e_is[i][0];
    if (r->e_is[i][1] > r->v_is[i]) r->v_is[i] = r->e_is[i][1];
  }
  expect_ring(r);
}

/* Two components of a row are set by one element; no two elements meet in a row. */
OP2_KERNEL(set_two, (const double *e, double *a, double *b), {
  *a = e[0];
  *b += e[1];
});

static void set_in_place(void) {
  struct ring *r = new_ring();
  MUST(op2_par_loop(new_kernel(&set_two_kernel), r->edges, op2_arg_direct(r->e, OP2_READ),
                    op2_arg_dat(component(r->u, 0, 1), 1, r->ends, OP2_WRITE),
                    op2_arg_dat(component(r->u, 3, 1), 1, r->ends, OP2_RW)));
  for (int i = 0; i < NODES; i++) {
    r->u_is[next(i)][0] = r->e_is[i][0];
    r->u_is[next(i)][3] += r->e_is[i][1];
  }
  expect_ring(r);
}

/* ---- other loops, kernels and types ---------------------------------------------------------- */

OP2_KERNEL(copy_one, (const double *a, double *b), { *b = *a; });
OP2_KERNEL(sum_row, (const double *u, double *v), { *v = u[0] + u[1] + u[2] + u[3]; });
OP2_KERNEL(twice, (double *a), {
  a[0] *= 2;
  a[1] *= 2;
});

/* To other loops the loops of a component use the dat. */
static void among_loops(void) {
  struct ring *r = new_ring();
  const op2_kernel copy = new_kernel(&copy_one_kernel), sum = new_kernel(&sum_row_kernel);
  const op2_dat second = component(r->u, 1, 1);
  MUST(op2_par_loop(copy, r->nodes, op2_arg_direct(r->v, OP2_READ),
                    op2_arg_direct(second, OP2_WRITE)));
  MUST(
      op2_par_loop(sum, r->nodes, op2_arg_direct(r->u, OP2_READ), op2_arg_direct(r->v, OP2_WRITE)));
  MUST(op2_par_loop(new_kernel(&twice_kernel), r->nodes,
                    op2_arg_direct(component(r->u, 2, 2), OP2_RW)));
  MUST(op2_par_loop(sum, r->nodes, op2_arg_direct(r->u, OP2_READ),
                    op2_arg_direct(component(r->v, 0, 1), OP2_WRITE)));
  for (int i = 0; i < NODES; i++) {
    r->u_is[i][1] = r->v_is[i];
    r->u_is[i][2] *= 2;
    r->u_is[i][3] *= 2;
    r->v_is[i] = 0;
    for (int c = 0; c < DIM; c++) r->v_is[i] += r->u_is[i][c];
  }
  expect_ring(r);
}

static void add_function(const double *e, double *a) { *a += e[0]; }
OP2_KERNEL_FUNCTION(add_function, (const double *e, double *a), OP2_ANY_THREADS);

static void by_address(void) {
  struct ring *r = new_ring();
  MUST(op2_par_loop(new_kernel(&add_function_kernel), r->edges,
                    op2_arg_direct(component(r->e, 1, 1), OP2_READ),
                    op2_arg_dat(component(r->u, 2, 1), 1, r->ends, OP2_INC)));
  for (int i = 0; i < NODES; i++) r->u_is[next(i)][2] += r->e_is[i][1];
  expect_ring(r);
}

/* Rows that are too wide to be written out value by value, of integers. */
OP2_KERNEL(widely, (const int64_t *const *a, int64_t *b, int64_t *c), {
  for (int k = 0; k < 35; k++) b[k] += a[0][k] + a[1][k];
  for (int k = 0; k < 70; k++) c[k] += k;
});

static void wide_rows(void) {
  struct ring *r = new_ring();
  int64_t(*from)[WIDE] = scratch(NODES, sizeof *from), (*to)[WIDE] = scratch(NODES, sizeof *to);
  for (int i = 0; i < NODES; i++)
    for (int c = 0; c < WIDE; c++) from[i][c] = i * c, to[i][c] = i - c;
  const op2_dat a = new_dat(r->nodes, WIDE, OP2_I64, from, "a");
  const op2_dat b = new_dat(r->nodes, WIDE, OP2_I64, to, "b");
  const op2_dat c = new_dat(r->nodes, WIDE, OP2_I64, to, "c");
  MUST(op2_par_loop(new_kernel(&widely_kernel), r->edges,
                    op2_arg_dat(component(a, 3, 35), OP2_ALL, r->ends, OP2_READ),
                    op2_arg_dat(component(b, 2, 35), 1, r->ends, OP2_INC),
                    op2_arg_dat(component(c, 5, 35), OP2_PACKED, r->ends, OP2_INC)));
  EXPECT_VALUES(int64_t, c, NODES * WIDE, k,
                k / WIDE - k % WIDE + (k % WIDE < 5 ? 0 : 2 * (k % WIDE - 5) + 35));
  for (int i = 0; i < NODES; i++)
    for (int k = 0; k < 35; k++) to[next(i)][2 + k] += from[i][3 + k] + from[next(i)][3 + k];
  EXPECT_VALUES(int64_t, b, NODES * WIDE, k, to[k / WIDE][k % WIDE]);
}

static void of_subset(void) {
  struct ring *r = new_ring();
  const int64_t some[] = {3, 7, 8, 9, 100, 210};
  const op2_set subset = new_subset(r->nodes, 6, some, "some");
  MUST(op2_par_loop(new_kernel(&copy_one_kernel), subset,
                    op2_arg_direct(component(r->u, 3, 1), OP2_READ),
                    op2_arg_direct(component(r->u, 0, 1), OP2_WRITE)));
  for (int k = 0; k < 6; k++) r->u_is[some[k]][0] = r->u_is[some[k]][3];
  expect_ring(r);
}

/* ---- the host -------------------------------------------------------------------------------- */

static void on_host(void) {
  struct ring *r = new_ring();
  double values[NODES][2];
  int wrong = 0;
  const op2_dat pair = component(r->u, 1, 2), last = component(pair, 1, 1);
  const int64_t before = op2_dat_changes(last);
  MUST(op2_dat_get(pair, values));
  for (int i = 0; i < NODES; i++) {
    wrong += values[i][0] != r->u_is[i][1] || values[i][1] != r->u_is[i][2];
    r->u_is[i][1] = values[i][0] = 7 * i;
    r->u_is[i][2] = values[i][1] = i + 1;
  }
  EXPECT(!wrong && op2_dat_changes(last) == before);
  MUST(op2_dat_set(pair, values));
  EXPECT(op2_dat_changes(last) > before && op2_dat_changes(last) == op2_dat_changes(r->u));
  MUST(op2_par_loop(new_kernel(&copy_one_kernel), r->nodes, op2_arg_direct(r->v, OP2_READ),
                    op2_arg_direct(last, OP2_WRITE)));
  for (int i = 0; i < NODES; i++) r->u_is[i][2] = r->v_is[i];
  MUST(op2_dat_get(last, values));
  for (int i = 0; i < NODES; i++) wrong += ((double *)values)[i] != r->v_is[i];
  EXPECT(!wrong);
  expect_ring(r);
}

static void known(void) {
  struct ring *r = new_ring();
  op2_dat_info info;
  op2_object object;
  const op2_dat pair = component(r->u, 1, 3), one = component(pair, 2, 1);
  MUST(op2_dat_info_get(pair, &info));
  EXPECT(!strcmp(info.name, "u[1:4]") && info.whole == r->u && info.first == 1 && info.dim == 3 &&
         info.set == r->nodes && info.type == OP2_F64 && !info.wrapped);
  MUST(op2_dat_info_get(one, &info));
  EXPECT(!strcmp(info.name, "u[3]") && info.whole == r->u && info.first == 3 && info.dim == 1);
  MUST(op2_dat_info_get(r->u, &info));
  EXPECT(!info.whole && info.first == 0);
  EXPECT(op2_objects(test_ctx, OP2_OBJECT_COMPONENT) == 2);
  EXPECT(op2_objects(test_ctx, OP2_OBJECT_DAT) == 3);
  MUST(op2_object_get(test_ctx, OP2_OBJECT_COMPONENT, 1, &object));
  EXPECT(object.handle == one && object.kind == OP2_OBJECT_COMPONENT);
}

/* The dat lives as long as its components and the loops that use them. */
static void destroyed(void) {
  struct ring *r = new_ring();
  double values[NODES];
  int wrong = 0;
  op2_dat own = NULL, part = NULL;
  MUST(op2_dat_create(r->nodes, 3, OP2_F64, NULL, "own", &own));
  MUST(op2_dat_component(own, 2, 1, &part));
  op2_dat_destroy(&own);
  MUST(op2_par_loop(new_kernel(&copy_one_kernel), r->nodes, op2_arg_direct(r->v, OP2_READ),
                    op2_arg_direct(part, OP2_WRITE)));
  MUST(op2_dat_get(part, values));
  for (int i = 0; i < NODES; i++) wrong += values[i] != r->v_is[i];
  EXPECT(!wrong);
  MUST(op2_par_loop(new_kernel(&copy_one_kernel), r->nodes, op2_arg_direct(part, OP2_READ),
                    op2_arg_direct(component(r->u, 1, 1), OP2_WRITE)));
  op2_dat_destroy(&part);
  EXPECT(!part);
  for (int i = 0; i < NODES; i++) r->u_is[i][1] = r->v_is[i];
  expect_ring(r);
}

static void refused(void) {
  struct ring *r = new_ring();
  op2_dat none = NULL;
  const void *rows = NULL;
  void *lent = NULL;
  double values[DIM];
  const op2_kernel kernel = new_kernel(&sum_row_kernel);
  const op2_dat pair = component(r->u, 1, 2), one = component(r->u, 0, 1);
  REFUSED(OP2_ERR_RANGE, op2_dat_component(r->u, 3, 2, &none), "'u' has 4 components: 2 from 3 on");
  REFUSED(OP2_ERR_RANGE, op2_dat_component(r->u, -1, 1, &none), "1 from -1 on");
  REFUSED(OP2_ERR_RANGE, op2_dat_component(r->u, 0, 0, &none), "0 from 0 on");
  REFUSED(OP2_ERR_RANGE, op2_dat_component(r->u, 2147483647, 2147483647, &none), "are not there");
  REFUSED(OP2_ERR_RANGE, op2_dat_component(pair, 1, 2, &none), "'u[1:3]' has 2 components");
  REFUSED(OP2_ERR_ARG, op2_dat_component(NULL, 0, 1, &none), "null");
  REFUSED(OP2_ERR_ARG, op2_dat_component(r->u, 0, 1, NULL), "null pointer");
  REFUSED(OP2_ERR_ARG, op2_dat_get(pair, NULL), "null pointer");
  REFUSED(OP2_ERR_ARG, op2_dat_read_begin(pair, &rows), "'u[1:3]' is a component",
          "needs the dat itself");
  REFUSED(OP2_ERR_ARG, op2_dat_get_halo(pair, values), "'u[1:3]' is a component");
  REFUSED(OP2_ERR_ARG, op2_dat_fill(pair, op2_scalar_value(1)), "'u[1:3]' is a component");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(kernel, r->edges, op2_arg_direct(pair, OP2_READ),
                       op2_arg_direct(r->v, OP2_WRITE)),
          "dat 'u[1:3]' is on set 'nodes'");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(new_source("four", "void four(const double u[4], double *v) { *v = u[3]; }"),
                       r->nodes, op2_arg_direct(pair, OP2_READ), op2_arg_direct(r->v, OP2_WRITE)),
          "u[1:3]", "4 values, the argument has 2");
  MUST(op2_dat_write_begin(r->u, &lent));
  REFUSED(OP2_ERR_STATE,
          op2_par_loop(new_kernel(&copy_one_kernel), r->nodes, op2_arg_direct(one, OP2_READ),
                       op2_arg_direct(r->v, OP2_WRITE)),
          "'u'");
  MUST(op2_dat_write_end(r->u, &lent));
  EXPECT(!none && op2_dat_changes(one) == op2_dat_changes(r->u));
  expect_ring(r);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

OP2_KERNEL(spread, (const double *a, const double *b, double *c, double *d), {
  *c += *b;
  *d += 2 * *a;
});

#define DO(call) (status = status ? status : (call))

static op2_status declare(op2_context ctx, struct ring *r) {
  const int64_t rank = op2_rank(ctx), ranks = op2_ranks(ctx);
  const int64_t first = NODES * rank / ranks, n = NODES * (rank + 1) / ranks - first;
  int64_t ends[NODES][2];
  int32_t owner[NODES];
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < n; i++) {
    ends[i][0] = first + i;
    ends[i][1] = next((int)(first + i));
    owner[i] = (int32_t)((first + i) * 13 / 5 % ranks);
    for (int c = 0; c < DIM; c++) r->u_is[i][c] = (double)(100 * ((first + i) % 23) + c);
  }
  DO(op2_set_create(ctx, n, "nodes", &r->nodes));
  DO(op2_set_create(ctx, n, "edges", &r->edges));
  DO(op2_map_create_global(r->edges, r->nodes, 2, ends[0], "ends", &r->ends));
  DO(op2_dat_create(r->nodes, DIM, OP2_F64, r->u_is, "u", &r->u));
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = r->nodes, .owner = owner};
  return DO(op2_partition(ctx, &how, NULL));
}

/* Halos are those of the dat: component 1 is read through the map after a loop has changed it. */
static op2_status run_ring(op2_context ctx, struct ring *r, double u[NODES][DIM]) {
  op2_dat one = NULL, two = NULL;
  op2_kernel copy = NULL, add = NULL;
  op2_status status = OP2_SUCCESS;
  DO(op2_kernel_create(ctx, &copy_one_kernel, &copy));
  DO(op2_kernel_create(ctx, &spread_kernel, &add));
  DO(op2_dat_component(r->u, 1, 1, &one));
  DO(op2_dat_component(r->u, 2, 1, &two));
  DO(op2_par_loop(copy, r->nodes, op2_arg_direct(two, OP2_READ), op2_arg_direct(one, OP2_WRITE)));
  op2_dat sums = NULL;
  DO(op2_dat_create(r->nodes, 2, OP2_F64, NULL, "sums", &sums));
  op2_dat part = NULL;
  DO(op2_dat_component(sums, 1, 1, &part));
  DO(op2_par_loop(add, r->edges, op2_arg_dat(one, 0, r->ends, OP2_READ),
                  op2_arg_dat(one, 1, r->ends, OP2_READ), op2_arg_dat(part, 0, r->ends, OP2_INC),
                  op2_arg_dat(part, 1, r->ends, OP2_INC)));
  DO(op2_par_loop(copy, r->nodes, op2_arg_direct(part, OP2_READ), op2_arg_direct(two, OP2_WRITE)));
  DO(op2_dat_get_block(r->u, 0, NODES, u));
  op2_dat_destroy(&one);
  op2_dat_destroy(&two);
  op2_dat_destroy(&part);
  op2_dat_destroy(&sums);
  op2_kernel_destroy(&copy);
  op2_kernel_destroy(&add);
  return status;
}

static int ring_on(struct op2i_comm *comm, void *backend) {
  static const int32_t threads = 1;
  const op2_options options = {.backend = backend, .threads = threads, .cache_dir = test_cache()};
  struct ring r = {0};
  double u[NODES][DIM];
  int wrong = 0;
  op2_context ctx = NULL;
  if (op2i_init_ranks(&options, comm, &ctx)) return 1;
  wrong = declare(ctx, &r) || run_ring(ctx, &r, u);
  if (wrong) printf("# %s\n", op2_error_message());
  for (int i = 0; i < NODES && !wrong; i++) {
    const double before = 100 * ((i + NODES - 1) % NODES % 23) + 2,
                 after = 100 * (next(i) % 23) + 2;
    wrong += u[i][0] != 100 * (i % 23) || u[i][1] != 100 * (i % 23) + 2 ||
             u[i][2] != after + 2 * before || u[i][3] != 100 * (i % 23) + 3;
  }
  op2_dat_destroy(&r.u);
  op2_map_destroy(&r.ends);
  op2_set_destroy(&r.edges);
  op2_set_destroy(&r.nodes);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

static void on_ranks(void) {
  const char *backend;
  for (int b = 0; (backend = next_backend_of_ranks(host_backends, &b));)
    for (int ranks = 1; ranks <= 3; ranks++)
      is_int(run_contexts(ranks, ring_on, (void *)(uintptr_t)backend), 0, "%s: %d ranks", backend,
             ranks);
}

int main(void) {
  static const struct test_case cases[] = {
      {"elements' own rows", own},
      {"beside the dat", beside},
      {"through slots", through_slots},
      {"through all slots", through_all},
      {"packed", packed},
      {"minima and maxima", bounds},
      {"two components in one row", set_in_place},
      {"among other loops", among_loops},
      {"kernels by address", by_address},
      {"wide rows", wide_rows},
      {"over a subset", of_subset},
      {"values on the host", on_host},
      {"what is known", known},
      {"what is destroyed", destroyed},
      {"what is refused", refused},
  };
  on_ranks();
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}

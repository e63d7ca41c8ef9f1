/* SPDX-License-Identifier: BSD-3-Clause */
/* An object that is cached under a key is used for that key only. For every field of the keys of
 * loops, plans, footprints, fused loops and programs there are two requests that differ in
 * that field only, and whose results are wrong if the field is left out. t746 leaves out each in
 * turn. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "loop_table.h"
#include "loopdata.h"
#include "plancache.h"
#include "program.h"
#include "support.h"

OP2_KERNEL(one, (int64_t * x), { x[0] = 1; });
OP2_KERNEL(two, (int64_t * x), { x[0] = 2; });
OP2_KERNEL(raise, (int64_t * x), { x[0] += 1; });
OP2_KERNEL(triple, (int64_t * x), { x[0] = 3 * x[0] + 1; });
OP2_KERNEL(copy, (const int64_t *x, int64_t *y), { y[0] = x[0]; });
OP2_KERNEL(add, (const int64_t *x, int64_t *y), { y[0] += x[0]; });
OP2_KERNEL(sum, (const int64_t *x, int64_t *g), { g[0] += x[0]; });
OP2_KERNEL(both, (const int64_t *x, int64_t *y, int64_t *z), {
  y[0] += x[0];
  z[0] += x[0];
});
OP2_KERNEL(chase, (int64_t * y, const int64_t *z), { y[0] = 2 * y[0] + z[0]; });
OP2_KERNEL(swap, (int64_t * y, int64_t *z), {
  int64_t t = y[0];
  y[0] = z[0] + 1;
  z[0] = t;
});
OP2_KERNEL(spread, (int64_t * y), {
  y[0] += 1;
  y[1] += 2;
});
OP2_KERNEL(counted, (int64_t * x, const int64_t *v), {
  x[0] = 0;
  for (int k = 0; k < (int)v[0]; k++) x[0] += v[k];
});

enum { N = 60 };

struct mesh {
  op2_set cells, nodes, odd, low;
  op2_map a, b;
  int32_t *ia, *ib; /* [N][2] */
  op2_dat x, y, z, w;
};

static struct mesh make_mesh(void) {
  struct mesh m = {.ia = scratch(2 * N, sizeof *m.ia), .ib = scratch(2 * N, sizeof *m.ib)};
  int64_t *values = scratch(N, sizeof *values), odd[N / 2], low[N / 2];
  for (int i = 0; i < N; i++) {
    values[i] = i + 1;
    /* Slot 0 of `a` has a different target for each cell, slot 1 few shared ones; `b` has
     * others. */
    m.ia[2 * i] = i;
    m.ia[2 * i + 1] = i * 7 % 5;
    m.ib[2 * i] = i * 11 % 4 + 20;
    m.ib[2 * i + 1] = N - 1 - i;
    if (i % 2) odd[i / 2] = i;
    if (i < N / 2) low[i] = i;
  }
  m.cells = new_set(N, "cells");
  m.nodes = new_set(N, "nodes");
  m.odd = new_subset(m.cells, N / 2, odd, "odd");
  m.low = new_subset(m.cells, N / 2, low, "low");
  m.a = new_map(m.cells, m.nodes, 2, m.ia, "a");
  m.b = new_map(m.cells, m.nodes, 2, m.ib, "b");
  m.x = new_dat(m.cells, 1, OP2_I64, values, "x");
  m.y = new_dat(m.cells, 1, OP2_I64, NULL, "y");
  m.z = new_dat(m.nodes, 1, OP2_I64, NULL, "z");
  m.w = new_dat(m.nodes, 1, OP2_I64, NULL, "w");
  return m;
}

/* ---- interned loops -------------------------------------------------------------------------- */

struct call {
  op2_kernel kernel;
  op2_set set;
  int nargs;
  op2_arg args[4];
};

static struct op2i_loop *intern(const struct call *call, int line) {
  struct op2i_loop *loop = NULL;
  MUST(op2i_loop_intern((op2_where){__FILE__, line}, call->kernel, call->set, call->nargs,
                        call->args, &loop));
  op2i_loop_unuse(loop);
  return loop;
}

/* Intern both calls from one call site, where the previous call is remembered, and from two. */
static bool are_one(struct call a, struct call b) {
  bool first = intern(&a, 1) == intern(&b, 1), back = intern(&b, 1) == intern(&a, 1);
  bool apart = intern(&a, 2) == intern(&b, 3);
  EXPECT(first == back && first == apart);
  return first || back || apart;
}

static void queue(struct call call) {
  MUST(op2_par_loop_at((op2_where){__FILE__, 1}, call.kernel, call.set, call.nargs, call.args));
}

static void loop_kernel(void) {
  struct mesh m = make_mesh();
  struct call a = {new_kernel(&one_kernel), m.cells, 1, {op2_arg_direct(m.x, OP2_RW)}}, b = a;
  b.kernel = new_kernel(&two_kernel);
  EXPECT(!are_one(a, b));
  EXPECT(are_one(a, a));
  queue(a), queue(b);
  EXPECT_VALUES(int64_t, m.x, N, i, 2);
  queue(a);
  EXPECT_VALUES(int64_t, m.x, N, i, 1);
}

static void loop_set(void) {
  struct mesh m = make_mesh();
  struct call a = {new_kernel(&raise_kernel), m.cells, 1, {op2_arg_direct(m.y, OP2_INC)}};
  struct call b = a, c = a;
  b.set = m.odd;
  c.set = m.low;
  EXPECT(!are_one(a, b) && !are_one(b, c));
  queue(a), queue(b), queue(c), queue(b);
  EXPECT_VALUES(int64_t, m.y, N, i, 1 + 2 * (i % 2) + (i < N / 2));
}

static void loop_object(void) {
  struct mesh m = make_mesh();
  op2_gbl g = new_gbl(1, OP2_I64, NULL, "g"), h = new_gbl(1, OP2_I64, NULL, "h");
  struct call a = {new_kernel(&raise_kernel), m.cells, 1, {op2_arg_direct(m.x, OP2_RW)}}, b = a;
  struct call c = {new_kernel(&sum_kernel),
                   m.cells,
                   2,
                   {op2_arg_direct(m.y, OP2_READ), op2_arg_gbl(g, OP2_INC)}};
  struct call d = c;
  b.args[0] = op2_arg_direct(m.y, OP2_RW);
  d.args[1] = op2_arg_gbl(h, OP2_INC);
  EXPECT(!are_one(a, b) && !are_one(c, d));
  queue(a), queue(b), queue(b), queue(c), queue(d), queue(d);
  EXPECT_VALUES(int64_t, m.x, N, i, i + 2);
  EXPECT_VALUES(int64_t, m.y, N, i, 2);
  EXPECT_GBL(int64_t, g, 2 * N);
  EXPECT_GBL(int64_t, h, 4 * N);
}

static struct call adding(const struct mesh *m, op2_map map, int slot) {
  return (struct call){new_kernel(&add_kernel),
                       m->cells,
                       2,
                       {op2_arg_direct(m->x, OP2_READ), op2_arg_dat(m->z, slot, map, OP2_INC)}};
}

/* The values that `adding` leaves in z after one run for each of the listed columns. */
static int64_t *added(int n, const int32_t *const *columns) {
  int64_t *want = scratch(N, sizeof *want);
  for (int c = 0; c < n; c++)
    for (int i = 0; i < N; i++) want[columns[c][2 * i]] += i + 1;
  return want;
}

static void loop_map(void) {
  struct mesh m = make_mesh();
  struct call a = adding(&m, m.a, 0), b = a;
  b.args[1] = op2_arg_dat(m.z, 0, m.b, OP2_INC);
  EXPECT(!are_one(a, b));
  queue(a), queue(b), queue(b);
  int64_t *want = added(3, (const int32_t *const[]){m.ia, m.ib, m.ib});
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
}

static void loop_index(void) {
  struct mesh m = make_mesh();
  struct call a = adding(&m, m.a, 0), b = a;
  b.args[1] = op2_arg_dat(m.z, 1, m.a, OP2_INC);
  struct call c = {
      new_kernel(&spread_kernel), m.cells, 1, {op2_arg_dat(m.w, OP2_ITER(0), m.a, OP2_INC)}};
  struct call d = c;
  d.args[0] = op2_arg_dat(m.w, OP2_ITER(1), m.a, OP2_INC);
  EXPECT(!are_one(a, b) && !are_one(c, d));
  queue(a), queue(b), queue(b);
  int64_t *want = added(3, (const int32_t *const[]){m.ia, m.ia + 1, m.ia + 1});
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
}

/* The key does not cover what the kernel's parameters determine: a call that contradicts them is
 * refused, also after a similar call is known. */
static void loop_refused(void) {
  struct mesh m = make_mesh();
  struct call good = adding(&m, m.a, 0), bad;
  queue(good);
#define BAD_CALL op2_par_loop_at((op2_where){__FILE__, 1}, bad.kernel, bad.set, bad.nargs, bad.args)
  bad = good, bad.nargs = 1;
  REFUSED(OP2_ERR_ARITY, BAD_CALL, "add");
  bad = good, bad.args[1].tag = NULL;
  REFUSED(OP2_ERR_ARG, BAD_CALL, "add");
  bad = good, bad.args[1].tag = op2_arg_idx().tag;
  EXPECT(op2_par_loop_at((op2_where){__FILE__, 1}, bad.kernel, bad.set, 2, bad.args) !=
         OP2_SUCCESS);
  int64_t v[] = {1, 5};
  good = (struct call){new_kernel(&counted_kernel),
                       m.cells,
                       2,
                       {op2_arg_direct(m.y, OP2_WRITE), op2_arg_val(v, 2, OP2_I64)}};
  queue(good);
  bad = good, bad.args[1] = op2_arg_val(v, 2, OP2_F64);
  REFUSED(OP2_ERR_TYPE, BAD_CALL, "counted");
  bad = good, bad.args[1].value = NULL;
  REFUSED(OP2_ERR_ARG, BAD_CALL, "counted", "null");
#undef BAD_CALL
}

static void loop_dim_and_value(void) {
  struct mesh m = make_mesh();
  int64_t v[] = {2, 30, 400}, u[] = {3, 30, 400};
  struct call a = {new_kernel(&counted_kernel),
                   m.cells,
                   2,
                   {op2_arg_direct(m.y, OP2_WRITE), op2_arg_val(v, 2, OP2_I64)}};
  struct call b = a, c = a;
  b.args[1] = op2_arg_val(u, 3, OP2_I64);
  c.args[1] = op2_arg_val(u, 2, OP2_I64);
  EXPECT(!are_one(a, b));
  EXPECT(are_one(a, c)); /* the addresses of values are captured by each call anew */
  queue(a);
  EXPECT_VALUES(int64_t, m.y, N, i, 32);
  queue(b);
  EXPECT_VALUES(int64_t, m.y, N, i, 433);
}

static int64_t after(op2_access access, int64_t old) {
  switch (access) {
  case OP2_INC: return old + 1;
  case OP2_MIN: return old < 1 ? old : 1;
  case OP2_MAX: return old > 1 ? old : 1;
  default: return 1;
  }
}

/* The checked backend refuses a kernel that stores to an argument of increments or minima. */
static bool sets(op2_access access) { return access == OP2_WRITE || access == OP2_RW; }

/* The kernel stores 1, and the access mode decides the result; on the element itself and through a
 * map, for every pair of modes. */
static void loop_access(void) {
  static const op2_access modes[] = {OP2_WRITE, OP2_RW, OP2_INC, OP2_MIN, OP2_MAX};
  enum { MODES = sizeof modes / sizeof *modes };
  struct mesh m = make_mesh();
  op2_kernel kernel = new_kernel(&one_kernel);
  for (int p = 0; p < MODES * MODES; p++) {
    op2_access first = modes[p / MODES], then = modes[p % MODES];
    struct call a = {kernel, m.cells, 1, {op2_arg_direct(m.y, first)}}, b = a;
    b.args[0] = op2_arg_direct(m.y, then);
    struct call c = {kernel, m.cells, 1, {op2_arg_dat(m.z, 0, m.a, first)}}, d = c;
    d.args[0] = op2_arg_dat(m.z, 0, m.a, then);
    EXPECT(are_one(a, b) == (first == then));
    EXPECT(are_one(c, d) == (first == then));
    for (int64_t old = -4; old <= 4; old += 8) {
      int64_t fill[N], between = after(first, old);
      if (on_check() && !(sets(first) && sets(then))) continue;
      for (int i = 0; i < N; i++) fill[i] = old;
      MUST(op2_dat_set(m.y, fill));
      MUST(op2_dat_set(m.z, fill));
      queue(a), queue(b), queue(c), queue(d);
      EXPECT_VALUES(int64_t, m.y, N, i, after(then, between));
      EXPECT_VALUES(int64_t, m.z, N, i, after(then, between));
    }
  }
}

/* A new constant is a different one; its type and dimension may differ, too. */
static void loop_constants(void) {
  struct mesh m = make_mesh();
  op2_const c = NULL;
  struct call a = {new_source("scale", "void scale(int64_t *x) { x[0] = 2 * factor; }"),
                   m.cells,
                   1,
                   {op2_arg_direct(m.y, OP2_WRITE)}};
  struct op2i_loop *before = intern(&a, 1);
  MUST(op2_const_create(test_ctx, 1, OP2_F64, (double[]){1.5}, "factor", &c));
  struct op2i_loop *with = intern(&a, 1);
  EXPECT(before != with && with == intern(&a, 2));
  queue(a);
  EXPECT_VALUES(int64_t, m.y, N, i, 3);
  op2i_loop_use(with); /* otherwise it would be destroyed with the constant */
  op2_const_destroy(&c);
  MUST(op2_const_create(test_ctx, 1, OP2_I64, (int64_t[]){5}, "factor", &c));
  EXPECT(with != intern(&a, 1) && before != intern(&a, 2));
  op2i_loop_unuse(with);
  queue(a);
  EXPECT_VALUES(int64_t, m.y, N, i, 10);
  op2_const_destroy(&c);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Run each call by itself, in both orders, so that each could find the other's plan: a program of
 * both would use the plan of the loop that they are fused into. */
static void run_apart(struct call a, struct call b) {
  queue(a);
  MUST(op2_flush(test_ctx));
  queue(b);
  MUST(op2_flush(test_ctx));
}

static int64_t plans_made(void) {
  return ((struct op2i_sched *)test_ctx->sched)->caches.plans->made;
}

static bool has_plans(void) { return test_ctx->backend->needs_plan; }

static void expect_plans(int64_t before, int64_t more) {
  if (has_plans() && !EXPECT(plans_made() == before + more))
    diag("%lld plans made, expected %lld", (long long)(plans_made() - before), (long long)more);
}

static void plan_slot(void) {
  struct mesh m = make_mesh();
  struct call a = adding(&m, m.a, 0), b = a;
  b.args[1] = op2_arg_dat(m.z, 1, m.a, OP2_INC);
  int64_t before = plans_made();
  run_apart(a, b);
  int64_t *want = added(2, (const int32_t *const[]){m.ia, m.ia + 1});
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
  expect_plans(before, 2);
}

static void plan_map(void) {
  struct mesh m = make_mesh();
  struct call a = adding(&m, m.a, 0), b = a;
  b.args[1] = op2_arg_dat(m.z, 0, m.b, OP2_INC);
  int64_t before = plans_made();
  run_apart(a, b);
  int64_t *want = added(2, (const int32_t *const[]){m.ia, m.ib});
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
  expect_plans(before, 2);
}

/* Two subsets have the same size. */
static void plan_set(void) {
  struct mesh m = make_mesh();
  struct call a = adding(&m, m.b, 0), b;
  a.set = m.low, b = a, b.set = m.odd;
  int64_t before = plans_made(), *want = scratch(N, sizeof *want);
  run_apart(a, b);
  for (int i = 0; i < N; i++) want[m.ib[2 * i]] += (i + 1) * ((i < N / 2) + i % 2);
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
  expect_plans(before, 2);
}

/* The exec halo is a range of its own. */
static void plan_range(void) {
  op2_set cells = new_sections(N / 2, N / 2, N, N, "cells"), nodes = new_set(N, "nodes");
  int32_t *idx = scratch(N, sizeof *idx);
  for (int i = 0; i < N; i++) idx[i] = i < N / 2 ? i : i % 3;
  op2_map map = new_map(cells, nodes, 1, idx, "map");
  op2_dat z = new_dat(nodes, 1, OP2_I64, NULL, "z");
  int64_t before = plans_made();
  queue((struct call){new_kernel(&raise_kernel), cells, 1, {op2_arg_dat(z, 0, map, OP2_INC)}});
  EXPECT_VALUES(int64_t, z, N, i, (i < N / 2) + (i < 3 ? N / 6 : 0));
  expect_plans(before, 2);
}

/* Two loops go through one column, one of them in element order. */
static void plan_ordered(void) {
  struct mesh m = make_mesh();
  struct call a = {new_kernel(&raise_kernel), m.cells, 1, {op2_arg_dat(m.z, 1, m.a, OP2_INC)}};
  struct call b = {new_kernel(&triple_kernel), m.cells, 1, {op2_arg_dat(m.z, 1, m.a, OP2_RW)}};
  int64_t before = plans_made(), *want = scratch(N, sizeof *want);
  run_apart(a, b);
  for (int i = 0; i < N; i++) want[m.ia[2 * i + 1]] += 1;
  for (int i = 0; i < N; i++) want[m.ia[2 * i + 1]] = 3 * want[m.ia[2 * i + 1]] + 1;
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
  expect_plans(before, 2);
}

/* Two columns lead to one dat, where elements may meet, or to two dats, where they cannot. */
static void plan_dat(void) {
  struct mesh m = make_mesh();
  int32_t *shifted = scratch(2 * N, sizeof *shifted);
  for (int i = 0; i < N; i++) shifted[2 * i] = i, shifted[2 * i + 1] = (i + N / 2) % N;
  op2_map map = new_map(m.cells, m.nodes, 2, shifted, "shifted");
  struct call a = {new_kernel(&both_kernel),
                   m.cells,
                   3,
                   {op2_arg_direct(m.x, OP2_READ), op2_arg_dat(m.z, 0, map, OP2_INC),
                    op2_arg_dat(m.w, 1, map, OP2_INC)}};
  struct call b = a;
  b.args[2] = op2_arg_dat(m.z, 1, map, OP2_INC);
  int64_t before = plans_made();
  run_apart(a, b);
  EXPECT_VALUES(int64_t, m.z, N, i, 2 * (i + 1) + (i + N / 2) % N + 1);
  EXPECT_VALUES(int64_t, m.w, N, i, (i + N / 2) % N + 1);
  expect_plans(before, 2);
}

/* Two columns lead to one dat in element order; the second is modified, or only read. */
static void plan_modified(void) {
  struct mesh m = make_mesh();
  int32_t *idx = scratch(2 * N, sizeof *idx);
  int64_t *want = scratch(N, sizeof *want);
  for (int i = 0; i < N; i++) idx[2 * i] = i, idx[2 * i + 1] = N - 1;
  idx[2 * (N - 1)] = 0;
  op2_map map = new_map(m.cells, m.nodes, 2, idx, "map");
  struct call a = {new_kernel(&chase_kernel),
                   m.cells,
                   2,
                   {op2_arg_dat(m.z, 0, map, OP2_RW), op2_arg_dat(m.z, 1, map, OP2_READ)}};
  struct call b = a;
  b.kernel = new_kernel(&swap_kernel);
  b.args[1] = op2_arg_dat(m.z, 1, map, OP2_RW);
  int64_t before = plans_made();
  run_apart(a, b);
  for (int i = 0; i < N; i++) want[idx[2 * i]] = 2 * want[idx[2 * i]] + want[idx[2 * i + 1]];
  for (int i = 0; i < N; i++) {
    int64_t t = want[idx[2 * i]];
    want[idx[2 * i]] = want[idx[2 * i + 1]] + 1;
    want[idx[2 * i + 1]] = t;
  }
  EXPECT_VALUES(int64_t, m.z, N, i, want[i]);
  expect_plans(before, 2);
}

/* Two loops go through one column in which no elements meet: one plan has to know that, for the
 * other it makes no difference. */
static void plan_injective(void) {
  struct mesh m = make_mesh();
  struct call a = {new_kernel(&raise_kernel), m.cells, 1, {op2_arg_dat(m.z, 0, m.a, OP2_INC)}};
  struct call b = {new_kernel(&triple_kernel), m.cells, 1, {op2_arg_dat(m.z, 0, m.a, OP2_RW)}};
  int64_t before = plans_made();
  run_apart(a, b);
  EXPECT_VALUES(int64_t, m.z, N, i, 4);
  expect_plans(before, 2);
}

/* Staged plans also have what elements write without conflicts, because all write the same: on the
 * host, since threads of a device may not. */
static void plan_same_values(void) {
  if (!has_plans()) return;
  struct mesh m = make_mesh();
  struct call a = {new_kernel(&one_kernel), m.cells, 1, {op2_arg_dat(m.z, 1, m.a, OP2_WRITE)}};
  struct call b = {new_kernel(&raise_kernel), m.cells, 1, {op2_arg_dat(m.z, 1, m.a, OP2_INC)}};
  struct op2i_shared_plan *same = NULL, *sums = NULL;
  MUST(op2i_plan_get(test_ctx->sched, intern(&a, 1), 0, OP2I_PLAN_STAGE, &same));
  MUST(op2i_plan_get(test_ctx->sched, intern(&b, 1), 0, OP2I_PLAN_STAGE, &sums));
  EXPECT(same != sums && same->plan->conflicts == on_device() && sums->plan->conflicts);
  op2i_shared_plan_unref(same);
  op2i_shared_plan_unref(sums);
}

/* Other dats reached alike, other kernels and arguments without contention do not change a plan. */
static void plan_shared(void) {
  struct mesh m = make_mesh();
  struct call a = adding(&m, m.a, 1), b = a;
  b.args[0] = op2_arg_direct(m.y, OP2_READ);
  b.args[1] = op2_arg_dat(m.w, 1, m.a, OP2_INC);
  int64_t before = plans_made();
  run_apart(a, b);
  expect_plans(before, 1);
}

/* Devices use parts of a plan, and the sizes that staging depends on. */
static void plan_parts(void) {
  if (!has_plans()) return;
  struct mesh m = make_mesh();
  op2_dat wide = new_dat(m.nodes, 3, OP2_I64, NULL, "wide");
  struct call a = adding(&m, m.a, 1), b = a, read = a;
  b.args[1] = op2_arg_dat(wide, 1, m.a, OP2_INC);
  read.args[0] = op2_arg_dat(m.w, 0, m.b, OP2_READ);
  struct op2i_loop *loops[] = {intern(&a, 1), intern(&b, 1), intern(&read, 1)};
  const unsigned parts[] = {0, OP2I_PLAN_STAGE, OP2I_PLAN_ELEMENTS};
  struct op2i_shared_plan *entry[3][3];
  for (int l = 0; l < 3; l++)
    for (int p = 0; p < 3; p++)
      MUST(op2i_plan_get(test_ctx->sched, loops[l], 0, parts[p], &entry[l][p]));
  for (int l = 0; l < 3; l++)
    for (int p = 0; p < 3; p++) {
      EXPECT(entry[l][p]->plan->parts == parts[p]);
      EXPECT(entry[l][p] != entry[l][(p + 1) % 3]);
    }
  EXPECT(entry[0][0] == entry[1][0] && entry[0][2] == entry[1][2]);
  EXPECT(entry[0][1] != entry[1][1] && entry[0][1]->plan->stages[0].row_bytes == 8 &&
         entry[1][1]->plan->stages[0].row_bytes == 24);
  EXPECT(entry[0][0] == entry[2][0] && entry[2][1]->plan->nstages == 2);
  for (int l = 0; l < 3; l++)
    for (int p = 0; p < 3; p++) op2i_shared_plan_unref(entry[l][p]);
}

/* ---- footprints ------------------------------------------------------------------------------ */

/* The set of pages of a dat that a block touches, found by a pass over its elements. */
static uint64_t pages_touched(const struct op2i_loop *loop, const struct op2i_plan *plan,
                              int32_t block, int32_t dat, int32_t shift) {
  uint64_t touched = 0;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (arg->dat != dat) continue;
    const op2_map map = loop->maps[arg->map];
    for (int64_t e = op2i_plan_block_lo(plan, block); e < op2i_plan_block_hi(plan, block); e++)
      for (int k = 0; k < map->arity; k++)
        if (arg->kind != OP2I_ARG_SLOT || k == arg->slot)
          touched |= UINT64_C(1) << (map->idx[e * map->arity + k] >> shift);
  }
  return touched;
}

static void expect_footprint(struct op2i_loop *loop, int32_t dat) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_plan *plan = data->plans[0]->plan;
  MUST(op2i_loop_footprint(loop, 0, dat));
  const struct op2i_footprint *print = &data->footprints[0][dat];
  for (int32_t b = 0; b < plan->nblocks; b++) {
    uint64_t told = 0;
    for (int64_t i = print->offs[b]; i < print->offs[b + 1]; i++)
      for (int32_t s = print->intervals[2 * i]; s <= print->intervals[2 * i + 1]; s++)
        told |= UINT64_C(1) << s;
    EXPECT(told == pages_touched(loop, plan, b, dat, print->shift));
  }
}

OP2_KERNEL(look1, (const int64_t *z, const int64_t *w, int64_t *y), { y[0] = z[0] + w[0]; });
OP2_KERNEL(look2, (const int64_t *z, const int64_t *w, const int64_t *v, int64_t *y),
           { y[0] = z[0] + w[0] + v[0]; });
OP2_KERNEL(look_all, (const int64_t *z, const int64_t *const *w, int64_t *y),
           { y[0] = z[0] + w[0][0] + w[1][0]; });
OP2_KERNEL(all_look, (const int64_t *const *z, const int64_t *w, int64_t *y),
           { y[0] = w[0] + z[0][0] + z[1][0]; });

/* Two dats that are reached alike have the same footprint, which is built once; alike means by the
 * same maps, in the same manner, through the same slots, and neither in additional ways. */
static void footprints(void) {
  if (!has_plans()) return;
  struct mesh m = make_mesh();
  op2_arg y = op2_arg_direct(m.y, OP2_WRITE), a0 = op2_arg_dat(m.z, 0, m.a, OP2_READ);
#define W(slot_, map_) op2_arg_dat(m.w, slot_, map_, OP2_READ)
#define Z(slot_, map_) op2_arg_dat(m.z, slot_, map_, OP2_READ)
  op2_kernel one_each = new_kernel(&look1_kernel), two_ways = new_kernel(&look2_kernel);
  struct call calls[] = {
      {one_each, m.cells, 3, {a0, W(0, m.a), y}},
      {one_each, m.cells, 3, {a0, W(1, m.a), y}},
      {one_each, m.cells, 3, {a0, W(0, m.b), y}},
      {one_each, m.cells, 3, {a0, W(OP2_ITER(0), m.a), y}},
      {one_each, m.cells, 3, {Z(OP2_ITER(0), m.a), W(0, m.a), y}},
      {two_ways, m.cells, 4, {a0, W(0, m.a), W(1, m.a), y}},
      {two_ways, m.cells, 4, {a0, Z(1, m.a), W(0, m.a), y}},
      {new_kernel(&look_all_kernel), m.cells, 3, {a0, W(OP2_ALL, m.a), y}},
      {new_kernel(&all_look_kernel), m.cells, 3, {Z(OP2_ALL, m.a), W(0, m.a), y}},
  };
#undef W
#undef Z
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
    struct op2i_loop *loop = intern(&calls[c], 1);
    queue(calls[c]);
    MUST(op2_flush(test_ctx));
    for (int32_t d = 0; d < 2; d++) expect_footprint(loop, d);
  }
}

/* ---- fused loops and programs ---------------------------------------------------------------- */

/* Queues are written as text, a step each: a letter and the dats it uses. They run with the library
 * and on plain arrays. */
enum { DATS = 5 };
static const char dat_names[DATS + 1] = "xytzw"; /* z and w on nodes */

struct machine {
  struct mesh m;
  op2_dat dat[DATS];
  op2_gbl g;
  op2_kernel triple, copy, sum, take, add;
  int64_t plain[DATS][N], total;
};

OP2_KERNEL(take, (int64_t * x, const int64_t *g), { x[0] = g[0]; });

static struct machine *make_machine(void) {
  struct machine *q = scratch(1, sizeof *q);
  q->m = make_mesh();
  q->g = new_gbl(1, OP2_I64, NULL, "g");
  q->triple = new_kernel(&triple_kernel);
  q->copy = new_kernel(&copy_kernel);
  q->sum = new_kernel(&sum_kernel);
  q->take = new_kernel(&take_kernel);
  q->add = new_kernel(&add_kernel);
  op2_dat dats[DATS] = {q->m.x, q->m.y, new_dat(q->m.cells, 1, OP2_I64, NULL, "t"), q->m.z, q->m.w};
  memcpy(q->dat, dats, sizeof dats);
  for (int i = 0; i < N; i++) q->plain[0][i] = i + 1;
  return q;
}

static int dat_at(const char *step, int k) { return (int)(strchr(dat_names, step[k]) - dat_names); }

static void queue_step(const struct machine *q, const char *step) {
  op2_set cells = q->m.cells;
  op2_dat d = step[0] == '0' ? NULL : q->dat[dat_at(step, 1)];
  op2_map map = strchr("AG", step[0]) ? q->m.a : q->m.b;
  switch (step[0]) {
  case '0': MUST(op2_gbl_set(q->g, (int64_t[]){0})); break;
  case 'T': MUST(op2_par_loop(q->triple, cells, op2_arg_direct(d, OP2_RW))); break;
  case 'S':
    MUST(op2_par_loop(q->sum, cells, op2_arg_direct(d, OP2_READ), op2_arg_gbl(q->g, OP2_INC)));
    break;
  case 'R':
    MUST(op2_par_loop(q->take, cells, op2_arg_direct(d, OP2_WRITE), op2_arg_gbl(q->g, OP2_READ)));
    break;
  case 'C':
    MUST(op2_par_loop(q->copy, cells, op2_arg_direct(d, OP2_READ),
                      op2_arg_direct(q->dat[dat_at(step, 2)], OP2_WRITE)));
    break;
  case 'A': /* to nodes, by map a or b */
  case 'B':
    MUST(op2_par_loop(q->add, cells, op2_arg_direct(d, OP2_READ),
                      op2_arg_dat(q->dat[dat_at(step, 2)], 1, map, OP2_INC)));
    break;
  default: /* G, H: from nodes, by map a or b */
    MUST(op2_par_loop(q->add, cells, op2_arg_dat(d, 1, map, OP2_READ),
                      op2_arg_direct(q->dat[dat_at(step, 2)], OP2_INC)));
  }
}

static void run_plain(struct machine *q, const char *step) {
  int64_t *d = step[0] == '0' ? NULL : q->plain[dat_at(step, 1)];
  int64_t *e = strchr("CABGH", step[0]) ? q->plain[dat_at(step, 2)] : NULL;
  const int32_t *idx = strchr("AG", step[0]) ? q->m.ia + 1 : q->m.ib + 1;
  if (step[0] == '0') q->total = 0;
  for (int i = 0; i < N; i++) switch (step[0]) {
    case 'T': d[i] = 3 * d[i] + 1; break;
    case 'S': q->total += d[i]; break;
    case 'R': d[i] = q->total; break;
    case 'C': e[i] = d[i]; break;
    case 'A':
    case 'B': e[idx[2 * i]] += d[i]; break;
    case 'G':
    case 'H': e[i] += d[idx[2 * i]]; break;
    default: break;
    }
}

static void run_text(struct machine *q, const char *text) {
  for (const char *step = text; step; step = strchr(step, ' ') ? strchr(step, ' ') + 1 : NULL) {
    queue_step(q, step);
    run_plain(q, step);
  }
  MUST(op2_flush(test_ctx));
  for (int d = 0; d < DATS; d++) EXPECT_VALUES(int64_t, q->dat[d], N, i, q->plain[d][i]);
  EXPECT_GBL(int64_t, q->g, q->total);
}

static const struct {
  const char *what, *a, *b;
} queues[] = {
    {"another loop", "Tx Cxy", "Tx Cxt"},
    {"another order", "Tx Cxy", "Cxy Tx"},
    {"a loop more", "Tx Cxy", "Tx Cxy Tx"},
    {"a loop less", "Tx Cxy Tx", "Tx Cxy"},
    {"the same, then a loop by itself", "Tx Cxy", "Tx"},
    {"versions of a global", "Sx Sy", "Sx 0 Sy"},
    {"versions in a fused loop", "Cxy Sx Sy", "Cxy Sx 0 Sy"},
    {"which of three share a version", "Cxy Sx 0 Sy Sx", "Cxy Sx Sy 0 Sx"},
    {"a store nobody sees", "Cxy Sy Ry", "Cxy Sy Rt"},
    {"another map, after", "Axz Gzy", "Axz Hzy"},
    {"another map, before", "Axz Gzy", "Bxz Gzy"},
    {"other dats", "Axz Gzy Ayw", "Axz Gzy Atw"},
    {"two loops more", "Axz Gzy", "Axz Gzy Byw Hwt"},
};

/* Each pair of queues runs in a context of its own, so that no pair finds objects of another. */
static void run_queues(void) {
  op2_context outer = test_ctx;
  for (size_t p = 0; p < sizeof queues / sizeof *queues; p++) {
    const char *a = queues[p].a, *b = queues[p].b;
    op2_options options = config_options(&test_config);
    MUST(op2_init(&options, &test_ctx));
    struct machine *q = make_machine();
    run_text(q, a);
    run_text(q, b);
    run_text(q, a);
    run_text(q, b);
    op2_context inner = test_ctx;
    test_ctx = outer;
    if (!EXPECT(op2_finalize(&inner) == OP2_SUCCESS)) diag("%s", queues[p].what);
  }
}

static const struct test_case cases[] = {
    {"loops: the kernel", loop_kernel},
    {"loops: the set", loop_set},
    {"loops: the object", loop_object},
    {"loops: the map", loop_map},
    {"loops: the index", loop_index},
    {"loops: what the kernel pins down", loop_refused},
    {"loops: dimension and value", loop_dim_and_value},
    {"loops: the access mode", loop_access},
    {"loops: constants", loop_constants},
    {"plans: the slot", plan_slot},
    {"plans: the map", plan_map},
    {"plans: the set", plan_set},
    {"plans: the range", plan_range},
    {"plans: the order of elements", plan_ordered},
    {"plans: elements that do not meet", plan_injective},
    {"plans: what all elements write alike", plan_same_values},
    {"plans: which dat", plan_dat},
    {"plans: whether it is modified", plan_modified},
    {"plans: shared where nothing counts", plan_shared},
    {"plans: parts and bytes of a row", plan_parts},
    {"footprints", footprints},
    {"fused loops and programs", run_queues},
};

/* Queues are fused when they first come, so that the second finds what the first has cached. */
int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, 0);
}

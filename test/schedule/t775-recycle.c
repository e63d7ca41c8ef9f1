/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats and globals that a program makes and destroys in each step: loops and programs are found
 * again, values are those of new objects, and destroyed handles stay invalid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "program.h"
#include "recycle.h"
#include "support.h"

OP2_KERNEL(start, (const int64_t *x, int64_t *a), { *a += *x; });
OP2_KERNEL(twice, (const int64_t *a, int64_t *b), { *b = 2 * *a; });
OP2_KERNEL(spread, (const int64_t *b, int64_t *c), { *c += *b; });
OP2_KERNEL(total, (const int64_t *c, int64_t *g), { *g += *c; });
OP2_KERNEL(shift, (const int64_t *g, int64_t *x), { *x = (*x + *g) % 1000; });

enum { N = 60, STEPS = 12, SETTLED = 4 };

struct mesh {
  op2_set cells, nodes;
  op2_map map;
  op2_dat x;
  op2_kernel start, twice, spread, total, shift;
};

static struct mesh make_mesh(void) {
  struct mesh m = {.cells = new_set(N, "cells"), .nodes = new_set(N, "nodes")};
  int32_t *idx = scratch(N, sizeof *idx);
  int64_t *x = scratch(N, sizeof *x);
  for (int i = 0; i < N; i++) idx[i] = i * 11 % N;
  for (int i = 0; i < N; i++) x[i] = i;
  m.map = new_map(m.cells, m.nodes, 1, idx, "map");
  m.x = new_dat(m.cells, 1, OP2_I64, x, "x");
  m.start = new_kernel(&start_kernel);
  m.twice = new_kernel(&twice_kernel);
  m.spread = new_kernel(&spread_kernel);
  m.total = new_kernel(&total_kernel);
  m.shift = new_kernel(&shift_kernel);
  return m;
}

/* Dats and a global that live for one step. */
struct passing {
  op2_dat a, b, c;
  op2_gbl g;
};

static struct passing declare(const struct mesh *m, bool named, int64_t first) {
  struct passing p = {0};
  int64_t values[N];
  for (int i = 0; i < N; i++) values[i] = first;
  MUST(op2_dat_create(m->cells, 1, OP2_I64, values, named ? "a" : NULL, &p.a));
  MUST(op2_dat_create(m->cells, 1, OP2_I64, NULL, named ? "b" : NULL, &p.b));
  MUST(op2_dat_create(m->nodes, 1, OP2_I64, NULL, named ? "c" : NULL, &p.c));
  MUST(op2_gbl_create(test_ctx, 1, OP2_I64, NULL, named ? "g" : NULL, &p.g));
  return p;
}

static void queue(const struct mesh *m, const struct passing *p) {
  MUST(op2_par_loop(m->start, m->cells, op2_arg_direct(m->x, OP2_READ),
                    op2_arg_direct(p->a, OP2_RW)));
  MUST(op2_par_loop(m->twice, m->cells, op2_arg_direct(p->a, OP2_READ),
                    op2_arg_direct(p->b, OP2_WRITE)));
  MUST(op2_par_loop(m->spread, m->cells, op2_arg_direct(p->b, OP2_READ),
                    op2_arg_dat(p->c, 0, m->map, OP2_INC)));
  MUST(
      op2_par_loop(m->total, m->nodes, op2_arg_direct(p->c, OP2_READ), op2_arg_gbl(p->g, OP2_INC)));
  MUST(op2_par_loop(m->shift, m->cells, op2_arg_gbl(p->g, OP2_READ), op2_arg_direct(m->x, OP2_RW)));
}

/* The sum of the numbers of changes of the objects that one step writes once each. */
static int64_t changes(const struct mesh *m, const struct passing *p) {
  return op2_dat_changes(p->a) + op2_dat_changes(p->b) + op2_dat_changes(p->c) +
         op2_gbl_changes(p->g) + op2_dat_changes(m->x);
}

/* The order in which they are destroyed differs from step to step. */
static void destroy(struct passing *p, int step) {
  if (step % 2) op2_gbl_destroy(&p->g);
  if (step % 3) op2_dat_destroy(&p->c);
  op2_dat_destroy(&p->b);
  op2_dat_destroy(&p->a);
  op2_dat_destroy(&p->c);
  op2_gbl_destroy(&p->g);
}

/* Plain loops that do the same to x. */
static void by_hand(int64_t x[N], int64_t first) {
  int64_t sum = 0;
  for (int i = 0; i < N; i++) sum += 2 * (first + x[i]);
  for (int i = 0; i < N; i++) x[i] = (x[i] + sum) % 1000;
}

static bool recycles(void) { return !on_check() && test_ctx->config.recycle_mb; }

static int64_t count_loops(void) {
  int64_t n = 0;
  for (const struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next) n++;
  return n;
}

/* True if no loop that calls can find has to have its handles checked. */
static bool none_left(void) {
  bool none = true;
  for (const struct op2i_loop *loop = test_ctx->loops->first; loop; loop = loop->entry.next)
    none &= loop->entry.nspares || !loop->entry.nleft;
  return none;
}

/* Between the steps of a program with temporaries nothing is made but the temporaries. */
static void run_steps(bool named) {
  struct mesh m = make_mesh();
  const struct op2i_sched_stats *stats = &test_ctx->sched->stats;
  int64_t x[N], made = 0, nloops = 0;
  for (int i = 0; i < N; i++) x[i] = i;
  for (int s = 0; s < STEPS; s++) {
    struct passing p = declare(&m, named, s);
    int64_t before = changes(&m, &p);
    if (s) EXPECT(none_left());
    queue(&m, &p);
    EXPECT(changes(&m, &p) == before + 5);
    if (s % 2) MUST(op2_flush(test_ctx));
    destroy(&p, s);
    MUST(op2_flush(test_ctx));
    by_hand(x, s);
    if (s + 1 == SETTLED) made = stats->programs_made, nloops = count_loops();
  }
  EXPECT_VALUES(int64_t, m.x, N, i, x[i]);
  if (!recycles()) return;
  EXPECT(count_loops() == nloops);
  EXPECT(stats->programs_made == made);
  EXPECT(stats->programs_replayed >= STEPS - SETTLED);
}

static void with_names(void) { run_steps(true); }
static void without_names(void) { run_steps(false); }

/* One dat after the other is destroyed before the next one is made: they take turns at one spare. */
static void one_after_the_other(void) {
  struct mesh m = make_mesh();
  int64_t made = 0;
  for (int s = 0; s < STEPS; s++) {
    for (int k = 0; k < 3; k++) {
      op2_dat t = NULL;
      MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
      MUST(op2_par_loop(k % 2 ? m.start : m.twice, m.cells, op2_arg_direct(m.x, OP2_READ),
                        op2_arg_direct(t, k % 2 ? OP2_RW : OP2_WRITE)));
      EXPECT_VALUES(int64_t, t, N, i, k % 2 ? i : 2 * i);
      op2_dat_destroy(&t);
    }
    if (s == 1) made = test_ctx->sched->stats.programs_made;
  }
  if (recycles()) EXPECT(test_ctx->sched->stats.programs_made == made);
}

/* Queue a loop that reads a dat and modifies another one: for all loops of a program there is one call. */
static void queue_one(const struct mesh *m, op2_kernel kernel, op2_dat read, op2_dat modified,
                      op2_access access) {
  MUST(op2_par_loop(kernel, m->cells, op2_arg_direct(read, OP2_READ),
                    op2_arg_direct(modified, access)));
}

/* Loops are found again although their call site has had another loop since. */
static void at_one_site(void) {
  struct mesh m = make_mesh();
  int64_t nloops = 0;
  for (int s = 0; s < STEPS; s++) {
    op2_dat a = NULL, b = NULL;
    MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "a", &a));
    MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "b", &b));
    queue_one(&m, m.twice, m.x, a, OP2_WRITE);
    queue_one(&m, m.twice, a, b, OP2_WRITE);
    if (s % 2) queue_one(&m, m.start, a, b, OP2_RW);
    EXPECT_VALUES(int64_t, b, N, i, (s % 2 ? 6 : 4) * i);
    op2_dat_destroy(s % 3 ? &a : &b);
    op2_dat_destroy(&a);
    op2_dat_destroy(&b);
    if (s + 1 == SETTLED) nloops = count_loops();
  }
  if (recycles()) EXPECT(count_loops() == nloops);
}

/* New dats are zero although they have the memory of dats that were not, in whole or in part. */
static void zeros(void) {
  op2_set cells = new_sections(20, 30, 40, 50, "cells");
  op2_kernel twice = new_kernel(&twice_kernel);
  int64_t sevens[50];
  for (int i = 0; i < 50; i++) sevens[i] = 7;
  op2_dat x = new_dat(cells, 1, OP2_I64, sevens, "x");
  for (int s = 0; s < 6; s++) {
    op2_dat t = NULL, u = NULL;
    MUST(op2_dat_create(cells, 1, OP2_I64, NULL, "t", &t));
    MUST(op2_dat_create(cells, 1, OP2_I64, s % 2 ? sevens : NULL, "u", &u));
    EXPECT(op2_dat_allocated(u) == s % 2);
    if (s > 2)
      MUST(op2_par_loop(twice, cells, op2_arg_direct(x, OP2_READ), op2_arg_direct(t, OP2_WRITE)));
    EXPECT_VALUES(int64_t, t, 50, i, s > 2 && i < 30 ? 14 : 0);
    EXPECT_VALUES(int64_t, u, 50, i, s % 2 ? 7 : 0);
    MUST(op2_dat_set_halo(t, sevens));
    op2_dat_destroy(&t);
    op2_dat_destroy(&u);
  }
}

static void refuse(const struct mesh *m, op2_dat dat, op2_gbl gbl) {
  int64_t values[N];
  const void *view = NULL;
  REFUSED(OP2_ERR_ARG, op2_dat_get(dat, values), "op2_dat_get: the dat was destroyed");
  REFUSED(OP2_ERR_ARG, op2_dat_read_begin(dat, &view), "the dat was destroyed");
  REFUSED(OP2_ERR_ARG, op2_gbl_get(gbl, values), "op2_gbl_get: the global was destroyed");
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(m->twice, m->cells, op2_arg_direct(m->x, OP2_READ),
                       op2_arg_direct(dat, OP2_WRITE)),
          "argument 1", "destroyed");
  REFUSED(
      OP2_ERR_ARG,
      op2_par_loop(m->total, m->cells, op2_arg_direct(m->x, OP2_READ), op2_arg_gbl(gbl, OP2_INC)),
      "argument 1", "destroyed");
}

/* Copies of destroyed handles are refused while the object is a spare, and when it has a successor. */
static void destroyed_handles(void) {
  struct mesh m = make_mesh();
  struct passing p = declare(&m, true, 1);
  queue(&m, &p);
  MUST(op2_flush(test_ctx));
  const struct passing copy = p;
  destroy(&p, 0);
  if (recycles()) EXPECT(test_ctx->spares.n == 4);
  refuse(&m, copy.a, copy.g);
  p = declare(&m, true, 2);
  EXPECT(test_ctx->spares.n == 0 && p.a != copy.a && p.g != copy.g);
  refuse(&m, copy.a, copy.g);
  queue(&m, &p);
  MUST(op2_flush(test_ctx));
  refuse(&m, copy.a, copy.g);
  destroy(&p, 1);
}

/* The memory of a dat that has a successor becomes that of another dat only when so many more dats have
 * successors, so that copies of its handle are refused until then. */
static void replaced_objects(void) {
  struct mesh m = make_mesh();
  op2_dat first = NULL;
  int64_t values[N];
  for (int s = 0; s <= OP2I_REPLACED + 1; s++) {
    op2_dat t = NULL;
    MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
    if (s == 0) first = t;
    if (recycles()) EXPECT((t == first) == (s == 0 || s == OP2I_REPLACED + 1));
    if (s && t != first)
      REFUSED(OP2_ERR_ARG, op2_dat_get(first, values), "op2_dat_get: the dat was destroyed");
    op2_dat_destroy(&t);
  }
}

/* A dat of another shape, set or name succeeds nothing, but may have the memory. */
static void other_shapes(void) {
  struct mesh m = make_mesh();
  struct passing p = declare(&m, true, 3);
  op2_dat wide = NULL, narrow = NULL, other = NULL, bare = NULL;
  queue(&m, &p);
  MUST(op2_flush(test_ctx));
  destroy(&p, 0);
  const int spares = test_ctx->spares.n;
  MUST(op2_dat_create(m.cells, 2, OP2_I64, NULL, "a", &wide));
  MUST(op2_dat_create(m.cells, 1, OP2_F64, NULL, "a", &narrow));
  MUST(op2_dat_create(m.nodes, 1, OP2_I64, NULL, "a", &other));
  MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, NULL, &bare));
  EXPECT(test_ctx->spares.n == spares);
  EXPECT_VALUES(int64_t, wide, 2 * N, i, 0 * i);
  EXPECT_VALUES(double, narrow, N, i, 0 * i);
  EXPECT_VALUES(int64_t, other, N, i, 0 * i);
  EXPECT_VALUES(int64_t, bare, N, i, 0 * i);
  own_dat(wide), own_dat(narrow), own_dat(other), own_dat(bare);
}

static int fail(void *data, void *const *values) {
  (void)data;
  *(int64_t *)values[0] = 9;
  return 3;
}

/* A new dat has nothing of a failure that spoilt the one before it. */
static void after_a_failure(void) {
  struct mesh m = make_mesh();
  for (int s = 0; s < 3; s++) {
    op2_dat t = NULL;
    int64_t values[N];
    MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
    EXPECT_VALUES(int64_t, t, N, i, 0 * i);
    (void)!op2_call(test_ctx, fail, NULL, op2_arg_direct(t, OP2_RW));
    (void)!op2_flush(test_ctx);
    EXPECT(op2_dat_get(t, values) == OP2_ERR_CALL);
    op2_dat_destroy(&t);
  }
}

/* A loop object keeps the dat; it becomes a spare when the loop object goes, too. */
static void loop_objects(void) {
  struct mesh m = make_mesh();
  int64_t made = 0;
  for (int s = 0; s < STEPS; s++) {
    op2_dat t = NULL;
    op2_loop loop = NULL;
    MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
    MUST(op2_loop_create(&loop, m.start, m.cells, op2_arg_direct(m.x, OP2_READ),
                         op2_arg_direct(t, OP2_RW)));
    MUST(op2_loop_enqueue(loop));
    EXPECT_VALUES(int64_t, t, N, i, i);
    op2_dat_destroy(&t);
    MUST(op2_loop_compute(loop));
    EXPECT(test_ctx->spares.n == 0);
    op2_loop_destroy(&loop);
    EXPECT(test_ctx->spares.n == recycles());
    if (s == 1) made = test_ctx->sched->stats.programs_made;
  }
  if (recycles()) EXPECT(test_ctx->sched->stats.programs_made == made);
}

/* Without Scotch the numbers stay. */
static void renumber(op2_map map) {
  const op2_status status = op2_renumber(map);
  EXPECT(!status || status == OP2_ERR_UNAVAILABLE);
}

/* A mesh may be renumbered while dats are kept, and while they have successors. */
static void renumbered(void) {
  op2_set cells = new_set(N, "cells"), edges = new_set(N, "edges");
  int32_t *ends = scratch(2 * N, sizeof *ends);
  int64_t *x = scratch(N, sizeof *x);
  for (int i = 0; i < N; i++) ends[2 * i] = i * 7 % N, ends[2 * i + 1] = (i * 7 + 7) % N, x[i] = i;
  op2_map map = new_map(edges, cells, 2, ends, "map");
  op2_dat dat = new_dat(cells, 1, OP2_I64, x, "x");
  op2_kernel start = new_kernel(&start_kernel), twice = new_kernel(&twice_kernel);
  for (int s = 0; s < 6; s++) {
    op2_dat t = NULL, e = NULL;
    MUST(op2_dat_create(cells, 1, OP2_I64, s % 2 ? x : NULL, "t", &t));
    MUST(op2_dat_create(edges, 1, OP2_I64, NULL, "e", &e));
    MUST(op2_par_loop(twice, edges, op2_arg_dat(dat, 0, map, OP2_READ),
                      op2_arg_direct(e, OP2_WRITE)));
    MUST(op2_par_loop(start, edges, op2_arg_direct(e, OP2_READ), op2_arg_dat(t, 1, map, OP2_INC)));
    if (s == 4) renumber(map);
    EXPECT_VALUES(int64_t, t, N, i, (s % 2 ? i : 0) + 2 * ((i + N - 7) % N));
    EXPECT_VALUES(int64_t, e, N, i, 2 * (i * 7 % N));
    op2_dat_destroy(&t);
    op2_dat_destroy(&e);
    if (s == 2) renumber(map);
    EXPECT(test_ctx->spares.n == 2 * recycles());
  }
}

/* A dat that is destroyed in a scope is not kept, and its scope ends. */
static void open_scopes(void) {
  struct mesh m = make_mesh();
  struct passing p = declare(&m, true, 1);
  const void *values = NULL, *total = NULL;
  void *writable = NULL;
  queue(&m, &p);
  MUST(op2_dat_read_begin(p.a, &values));
  MUST(op2_dat_write_begin(p.b, &writable));
  MUST(op2_gbl_read_begin(p.g, &total));
  destroy(&p, 0);
  EXPECT(test_ctx->spares.n == recycles());
  MUST(op2_flush(test_ctx));
  EXPECT(test_ctx->open_scopes == 0);
  p = declare(&m, true, 2);
  queue(&m, &p);
  MUST(op2_flush(test_ctx));
  destroy(&p, 0);
}

/* Memory that the program holds is not used again. */
static void held_memory(void) {
  struct mesh m = make_mesh();
  op2_dat t = NULL;
  const void *view = NULL;
  MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
  MUST(op2_par_loop(m.twice, m.cells, op2_arg_direct(m.x, OP2_READ), op2_arg_direct(t, OP2_WRITE)));
  MUST(op2_dat_read_begin(t, &view));
  const void *held = op2_dat_hold(t);
  MUST(op2_dat_read_end(t, &view));
  op2_dat_destroy(&t);
  MUST(op2_dat_create(m.cells, 1, OP2_I64, NULL, "t", &t));
  EXPECT_VALUES(int64_t, t, N, i, 0 * i);
  for (int i = 0; i < N; i++) EXPECT(((const int64_t *)held)[i] == 2 * i);
  op2_memory_release(&held);
  op2_dat_destroy(&t);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Spares are bounded in number, and go with their set. */
static void many(void) {
  enum { MANY = OP2I_SPARES + 30 };
  struct mesh m = make_mesh();
  op2_set passing = NULL;
  MUST(op2_set_create(test_ctx, N, "passing", &passing));
  for (int d = 0; d < MANY; d++) {
    op2_dat t = NULL;
    char name[20];
    snprintf(name, sizeof name, "t%d", d);
    MUST(op2_dat_create(d % 2 ? passing : m.cells, 1, OP2_I64, NULL, name, &t));
    MUST(op2_par_loop(m.shift, d % 2 ? passing : m.cells,
                      op2_arg_gbl(new_gbl(1, OP2_I64, NULL, NULL), OP2_READ),
                      op2_arg_direct(t, OP2_RW)));
    op2_dat_destroy(&t);
  }
  MUST(op2_flush(test_ctx));
  EXPECT(test_ctx->spares.n == (recycles() ? OP2I_SPARES : 0));
  EXPECT(count_loops() <= OP2I_SPARES);
  op2_set_destroy(&passing);
  EXPECT(test_ctx->spares.n == (recycles() ? OP2I_SPARES / 2 : 0));
  EXPECT(count_loops() <= OP2I_SPARES / 2);
}

/* The bytes of values that spares keep on the host, which the context has counted. */
static size_t memory_of_spares(void) {
  size_t bytes = 0;
  for (int i = 0; i < test_ctx->spares.n; i++) {
    const struct op2_dat_s *dat = (const struct op2_dat_s *)test_ctx->spares.list[i];
    bytes += dat->values.spare ? dat->values.bytes : 0;
  }
  EXPECT(test_ctx->spares.bytes == bytes);
  return bytes;
}

/* Run `body` in a context of its own with a value of OP2_RECYCLE. */
static void with_recycle(const char *value, void (*body)(void)) {
  setenv("OP2_RECYCLE", value, 1);
  op2_context outer = test_ctx;
  op2_options options = config_options(&test_config);
  MUST(op2_init(&options, &test_ctx));
  unsetenv("OP2_RECYCLE");
  body();
  op2_context inner = test_ctx;
  test_ctx = outer;
  MUST(op2_finalize(&inner));
}

/* With OP2_RECYCLE=1 a megabyte is kept: values of dats that were destroyed earlier are freed. */
static void large_dats(void) {
  enum { SIZE = 40000, DATS = 5 }; /* 320 kB each */
  op2_set cells = new_set(SIZE, "cells");
  for (int round = 0; round < 2; round++) {
    op2_dat dats[DATS];
    for (int d = 0; d < DATS; d++) {
      MUST(op2_dat_create(cells, 1, OP2_F64, NULL, NULL, &dats[d]));
      EXPECT_VALUES(double, dats[d], SIZE, i, 0 * i);
      MUST(op2_dat_fill(dats[d], op2_scalar_value(4)));
    }
    MUST(op2_flush(test_ctx));
    for (int d = 0; d < DATS; d++) op2_dat_destroy(&dats[d]);
    EXPECT(test_ctx->spares.n == (recycles() ? DATS : 0));
    EXPECT(memory_of_spares() <= 1 << 20);
    if (recycles() && !on_device()) EXPECT(memory_of_spares() > 0);
  }
  if (!recycles()) return;
  EXPECT(op2i_spares_free_memory(test_ctx) || on_device());
  EXPECT(!op2i_spares_free_memory(test_ctx) && memory_of_spares() == 0);
}

static void memory(void) { with_recycle("1", large_dats); }

/* ---- reports --------------------------------------------------------------------------------- */

/* The profile and the explanation still have lines for loops whose dats have gone. */
static void reports(void) {
  struct mesh m = make_mesh();
  op2_profile line = {0};
  for (int s = 0; s < STEPS; s++) {
    struct passing p = declare(&m, true, s);
    queue(&m, &p);
    MUST(op2_flush(test_ctx));
    destroy(&p, s);
  }
  MUST(op2_profile_get(test_ctx, 1, &line));
  EXPECT(!strcmp(line.kernel, "twice") && !strcmp(line.set, "cells"));
  EXPECT(line.calls == STEPS && line.elements == STEPS * N);
  EXPECT(line.bytes >= STEPS * N * 2 * 8.0);
  EXPECT(recycles() ==
         !explains("  twice over cells: run 12 times for dats or globals that are gone\n"));
}

static void reports_without(void) { with_recycle("0", reports); }

static const struct test_case cases[] = {
    {"with names", with_names},
    {"without names", without_names},
    {"one after the other", one_after_the_other},
    {"at one call site", at_one_site},
    {"new dats are zero", zeros},
    {"destroyed handles", destroyed_handles},
    {"replaced objects", replaced_objects},
    {"other shapes", other_shapes},
    {"after a failure", after_a_failure},
    {"loop objects", loop_objects},
    {"renumbered", renumbered},
    {"open scopes", open_scopes},
    {"held memory", held_memory},
    {"many", many},
    {"memory", memory},
    {"reports", reports},
    {"reports with OP2_RECYCLE=0", reports_without},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS); }

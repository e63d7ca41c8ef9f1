/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that modify data through an injective map: they keep no order, have one colour, are vector
 * code, and give the results of sequential execution. If a single target is reached twice, loops
 * keep their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "loop.h"
#include "support.h"

enum { ROWS = 300, SLOTS = 2, TARGETS = 700, DIM = 3, WIDE = 70 };

OP2_KERNEL(put, (double *x, const double *y), {
  x[0] = y[0];
  x[1] = 2 * y[0];
  x[2] = -y[0];
});
OP2_KERNEL(scale, (double *x, const double *y), {
  for (int j = 0; j < 3; j++) x[j] = 3 * x[j] + y[0] + j;
});
OP2_KERNEL(from_other, (double *x, const double *z, const double *y), {
  for (int j = 0; j < 3; j++) x[j] = 2 * x[j] + z[2 - j] + y[0];
});
OP2_KERNEL(exchange, (double **x, const double *y), {
  for (int j = 0; j < 3; j++) {
    double t = x[0][j];
    x[0][j] = x[1][j] + y[0];
    x[1][j] = 2 * t;
  }
});
OP2_KERNEL(turn, (double *x, const double *y), {
  for (int j = 0; j < 3; j++) {
    double t = x[j];
    x[j] = x[3 + j] - y[0];
    x[3 + j] = t;
  }
});
OP2_KERNEL(second, (double *x, const double **z, const double *y), {
  for (int j = 0; j < 3; j++) x[j] = z[0][j] + 2 * y[0];
});
OP2_KERNEL(add_seen, (double *x, const double *z, const double *y), {
  for (int j = 0; j < 3; j++) x[j] += 2 * z[j] + y[0];
});
OP2_KERNEL(add_both, (double **x, const double **z, const double *y), {
  for (int j = 0; j < 3; j++) {
    x[0][j] += z[1][j] + y[0];
    x[1][j] += 2 * z[0][j];
  }
});
OP2_KERNEL(least_seen, (double *x, const double *z, const double *y), {
  for (int j = 0; j < 3; j++)
    if (y[0] - z[j] < x[j]) x[j] = y[0] - z[j];
});
OP2_KERNEL(copied, (double *x, const double *z, const double *y), {
  for (int j = 0; j < 3; j++) x[j] = y[0] - 4;
  for (int j = 0; j < 3; j++) x[j] += z[j];
});
OP2_KERNEL(twice, (const double *y, double *u), { u[0] = 2 * y[0]; });

struct mesh {
  op2_set rows, some, targets;
  op2_map map;
  int32_t *idx;
  int64_t *list; /* elements of `some` */
  op2_dat x, y, u;
  double *x0, *y0;
};

/* Two slots that lead to 2 ROWS targets of TARGETS in any order. */
static int32_t *injection(uint64_t seed) {
  int32_t *all = scratch(TARGETS, sizeof *all);
  for (int i = 0; i < TARGETS; i++) {
    int j = draw_below(&seed, i + 1);
    all[i] = all[j];
    all[j] = i;
  }
  return all;
}

static struct mesh make_mesh(int32_t *idx) {
  struct mesh m = {.idx = idx};
  m.x0 = scratch(TARGETS * DIM, sizeof *m.x0);
  m.y0 = scratch(ROWS, sizeof *m.y0);
  m.list = scratch(ROWS, sizeof *m.list);
  for (int i = 0; i < TARGETS * DIM; i++) m.x0[i] = i % 17;
  for (int i = 0; i < ROWS; i++) m.y0[i] = i % 13 - 3;
  int n = 0;
  for (int i = 0; i < ROWS; i += 1 + i % 3) m.list[n++] = i;
  m.rows = new_set(ROWS, "rows");
  m.targets = new_set(TARGETS, "targets");
  m.some = new_subset(m.rows, n, m.list, "some");
  m.map = new_map(m.rows, m.targets, SLOTS, m.idx, "map");
  m.x = new_dat(m.targets, DIM, OP2_F64, m.x0, "x");
  m.y = new_dat(m.rows, 1, OP2_F64, m.y0, "y");
  m.u = new_dat(m.rows, 1, OP2_F64, NULL, "u");
  return m;
}

/* ---- operations, and the same on arrays ------------------------------------------------------ */

#define X(slot_, access_) op2_arg_dat(m->x, (slot_), m->map, OP2_##access_)
#define Y                 op2_arg_direct(m->y, OP2_READ)

enum { COLUMN_0 = 1, COLUMN_1 = 2, BOTH = 3 };

struct work {
  const char *name;
  const op2_kernel_desc *kernel;
  int nargs;
  int slots;                                     /* the slots that it uses */
  bool scalar;                                   /* true if it has no vector code for another
                                                  * reason */
  void (*plain)(double *a, double *b, double y); /* a, b: the rows at slots 0 and 1 */
};

static void plain_put(double *a, double *b, double y) {
  (void)b;
  put(a, &y);
}
static void plain_scale(double *a, double *b, double y) {
  (void)a;
  scale(b, &y);
}
static void plain_from_other(double *a, double *b, double y) { from_other(a, b, &y); }
static void plain_exchange(double *a, double *b, double y) { exchange((double *[]){a, b}, &y); }
static void plain_turn(double *a, double *b, double y) {
  double both[2 * DIM];
  memcpy(both, a, sizeof both / 2);
  memcpy(both + DIM, b, sizeof both / 2);
  turn(both, &y);
  memcpy(a, both, sizeof both / 2);
  memcpy(b, both + DIM, sizeof both / 2);
}
static void plain_second(double *a, double *b, double y) {
  second(b, (const double *[]){a, b}, &y);
}
static void plain_add_seen(double *a, double *b, double y) {
  double sum[DIM] = {0};
  (void)b;
  add_seen(sum, a, &y);
  for (int j = 0; j < DIM; j++) a[j] += sum[j];
}
static void plain_add_both(double *a, double *b, double y) {
  double sum[2][DIM] = {{0}};
  add_both((double *[]){sum[0], sum[1]}, (const double *[]){a, b}, &y);
  for (int j = 0; j < DIM; j++) a[j] += sum[0][j], b[j] += sum[1][j];
}
static void plain_least_seen(double *a, double *b, double y) { least_seen(b, a, &y); }
static void plain_copied(double *a, double *b, double y) {
  double old[2 * DIM];
  memcpy(old, a, sizeof old / 2);
  memcpy(old + DIM, b, sizeof old / 2);
  copied(a, old, &y);
}

static const struct work works[] = {
    {"put", &put_kernel, 2, COLUMN_0, false, plain_put},
    {"scale", &scale_kernel, 2, COLUMN_1, false, plain_scale},
    {"from_other", &from_other_kernel, 3, BOTH, false, plain_from_other},
    {"exchange", &exchange_kernel, 2, BOTH, false, plain_exchange},
    {"turn", &turn_kernel, 2, BOTH, false, plain_turn},
    {"second", &second_kernel, 3, BOTH, false, plain_second},
    {"add_seen", &add_seen_kernel, 3, COLUMN_0, false, plain_add_seen},
    {"add_both", &add_both_kernel, 3, BOTH, false, plain_add_both},
    {"least_seen", &least_seen_kernel, 3, BOTH, false, plain_least_seen},
    {"copied", &copied_kernel, 3, BOTH, true, plain_copied},
};
enum { WORKS = sizeof works / sizeof *works };

static void arguments(const struct mesh *m, int w, op2_arg args[3]) {
  const op2_arg first[WORKS] = {X(0, WRITE),        X(1, RW),    X(0, RW),  X(OP2_ALL, RW),
                                X(OP2_ITER(0), RW), X(1, WRITE), X(0, INC), X(OP2_ALL, INC),
                                X(1, MIN),          X(0, WRITE)};
  const op2_arg other[WORKS] = {
      [2] = X(1, READ),       [5] = X(OP2_ALL, READ), [6] = X(0, READ),
      [7] = X(OP2_ALL, READ), [8] = X(0, READ),       [9] = X(OP2_ITER(0), READ)};
  int n = 0;
  args[n++] = first[w];
  if (works[w].nargs == 3) args[n++] = other[w];
  args[n] = Y;
}

static void queue(const struct mesh *m, int w, op2_set over) {
  op2_arg args[3];
  arguments(m, w, args);
  MUST(op2_par_loop_at((op2_where){__FILE__, __LINE__}, new_kernel(works[w].kernel), over,
                       works[w].nargs, args));
}

static void replay(const struct mesh *m, int w, bool some) {
  int64_t n = some ? op2_set_size(m->some) : ROWS;
  for (int64_t i = 0; i < n; i++) {
    int64_t e = some ? m->list[i] : i;
    works[w].plain(m->x0 + (int64_t)m->idx[SLOTS * e] * DIM,
                   m->x0 + (int64_t)m->idx[SLOTS * e + 1] * DIM, m->y0[e]);
  }
}

/* ---- forms that the library chose ------------------------------------------------------------ */

static struct op2i_loop *loop_of(const char *name, op2_set over) {
  struct op2i_loop *loop = test_ctx->loops ? test_ctx->loops->last : NULL;
  while (loop && (strcmp(op2i_loop_name(loop), name) || loop->set != over)) loop = loop->entry.prev;
  EXPECT(loop != NULL);
  return loop;
}

static bool vectors(void) {
  return test_ctx->backend->variant == OP2I_VECTOR && test_ctx->config.simd_bytes >= 16;
}

static void expect_form(int w, op2_set over, bool ordered) {
  const struct op2i_form *form = NULL;
  struct op2i_loop *loop = loop_of(works[w].name, over);
  if (!loop) return;
  if (!EXPECT(loop->traits.ordered == ordered)) diag("%s", works[w].name);
  if (!vectors()) return;
  MUST(op2i_loop_form(loop, &form));
  if (!EXPECT((form->why != NULL) == (ordered || works[w].scalar)))
    diag("%s: %s", works[w].name, form->why ? form->why : "vector code");
}

/* Run all loops over the set and the subset. `ordered` is true for slots that lead to some target
 * twice. */
static void run_all(const struct mesh *m, bool (*ordered)(int slots)) {
  for (int w = 0; w < WORKS; w++)
    for (int some = 0; some < 2; some++) {
      /* The checked mode refuses writes of different values to one location. */
      bool collides = ordered(works[w].slots) && (w == 0 || w == 5 || w == 9);
      if (on_check() && collides) continue;
      queue(m, w, some ? m->some : m->rows);
      replay(m, w, some);
      expect_form(w, some ? m->some : m->rows, ordered(works[w].slots));
    }
  EXPECT_VALUES(double, m->x, TARGETS *DIM, i, m->x0[i]);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static bool never(int slots) { return slots == 0; }
static bool always(int slots) { return slots != 0; }
static bool where_both(int slots) { return slots == BOTH; }
static bool where_first(int slots) { return slots & COLUMN_0; }

static void all_forms(void) {
  struct mesh m = make_mesh(injection(3));
  run_all(&m, never);
  EXPECT(!explains("keeps element order"));
}

/* The last row leads where the first one does. */
static void one_target_twice(void) {
  int32_t *idx = injection(5);
  idx[SLOTS * (ROWS - 1)] = idx[0];
  struct mesh first = make_mesh(idx);
  run_all(&first, where_first);
  EXPECT(explains("keeps element order"));
  idx = injection(7);
  idx[SLOTS * (ROWS - 1)] = idx[0];
  idx[SLOTS * 17 + 1] = idx[SLOTS * 5 + 1];
  struct mesh both = make_mesh(idx);
  run_all(&both, always);
}

/* Each slot by itself is injective, both together are not: a target repeats in one row, or in
 * two. */
static void across_slots(void) {
  int32_t *idx = injection(11);
  idx[SLOTS * 9 + 1] = idx[SLOTS * 9];
  struct mesh m = make_mesh(idx);
  if (!on_check()) run_all(&m, where_both);
  idx = injection(13);
  idx[1] = idx[SLOTS * (ROWS - 1)];
  struct mesh other = make_mesh(idx);
  run_all(&other, where_both);
}

/* As many entries as targets, and more entries than targets. */
static void full(void) {
  int32_t *idx = injection(3);
  op2_set rows = new_set(TARGETS, "all"), targets = new_set(TARGETS, "to");
  op2_map map = new_map(rows, targets, 1, idx, "full");
  double *y = scratch(TARGETS, sizeof *y), *want = scratch(TARGETS, sizeof *want);
  for (int i = 0; i < TARGETS; i++) want[idx[i]] = y[i] = i;
  op2_dat x = new_dat(targets, 1, OP2_F64, NULL, "x"), dy = new_dat(rows, 1, OP2_F64, y, "y");
  op2_kernel kernel = new_source("set", "void set(double *x, const double *y) { *x = *y; }");
  MUST(op2_par_loop(kernel, rows, op2_arg_dat(x, 0, map, OP2_WRITE), op2_arg_direct(dy, OP2_READ)));
  EXPECT_VALUES(double, x, TARGETS, i, want[i]);
  struct op2i_loop *loop = loop_of("set", rows);
  EXPECT(loop && !loop->traits.ordered);
  op2_set fewer = new_set(TARGETS - 1, "fewer");
  for (int i = 0; i < TARGETS; i++)
    if (idx[i] == TARGETS - 1) idx[i] = 0;
  op2_map crowded = new_map(rows, fewer, 1, idx, "crowded");
  op2_dat z = new_dat(fewer, 1, OP2_F64, NULL, "z");
  kernel = new_source("set_few", "void set_few(double *x, const double *y) { *x = *x + *y; }");
  MUST(
      op2_par_loop(kernel, rows, op2_arg_dat(z, 0, crowded, OP2_RW), op2_arg_direct(dy, OP2_READ)));
  memset(want, 0, TARGETS * sizeof *want);
  for (int i = 0; i < TARGETS; i++) want[idx[i]] += i;
  EXPECT_VALUES(double, z, TARGETS - 1, i, want[i]);
  loop = loop_of("set_few", rows);
  EXPECT(loop && loop->traits.ordered);
}

/* Injectivity is computed once for each choice of slots, and never for increments. */
static void asked_once(void) {
  struct mesh m = make_mesh(injection(3));
  op2_dat x = m.x;
  MUST(op2_par_loop(new_source("more", "void more(double *x) { x[0] += 1; }"), m.rows,
                    op2_arg_dat(x, 0, m.map, OP2_INC)));
  EXPECT(m.map->ninjective == 0);
  for (int w = 0; w < 2; w++)
    for (int again = 0; again < 3; again++) {
      queue(&m, w, again == 1 ? m.some : m.rows);
      EXPECT(m.map->ninjective == w + 1);
    }
}

/* Repeats count in the exec halo, over which the loop runs, but not after it. */
static void halos(void) {
  enum { OWNED = 200, EXEC = 260 };
  for (int where = 0; where < 3; where++) {
    int32_t *idx = scratch(ROWS, sizeof *idx);
    for (int i = 0; i < ROWS; i++) idx[i] = (i * 7) % ROWS;
    if (where == 1) idx[EXEC - 1] = idx[0];
    if (where == 2) idx[EXEC] = idx[0];
    op2_set rows = new_sections(100, OWNED, EXEC, ROWS, "rows"), to = new_set(ROWS, "to");
    op2_map map = new_map(rows, to, 1, idx, "map");
    op2_dat x = new_dat(to, 1, OP2_I32, NULL, "x");
    op2_kernel kernel = new_source("digit", "void digit(int *x, int i) { *x = 5 * *x + i + 1; }");
    int32_t *want = scratch(ROWS, sizeof *want);
    MUST(op2_par_loop(kernel, rows, op2_arg_dat(x, 0, map, OP2_RW), op2_arg_idx()));
    for (int i = 0; i < EXEC; i++) want[idx[i]] = 5 * want[idx[i]] + i + 1;
    EXPECT_VALUES(int32_t, x, ROWS, i, want[i]);
    struct op2i_loop *loop = loop_of("digit", rows);
    EXPECT(loop && loop->traits.ordered == (where == 1));
  }
}

/* More slots than the bit mask of slots has bits. */
static void wide(void) {
  enum { FEW = 20 };
  for (int twice_ = 0; twice_ < 2; twice_++) {
    int32_t *idx = scratch(FEW * WIDE, sizeof *idx);
    for (int i = 0; i < FEW * WIDE; i++) idx[i] = (i * 2) % (FEW * WIDE + 1);
    if (twice_) idx[FEW * WIDE - 1] = idx[0];
    op2_set rows = new_set(FEW, "few"), to = new_set(FEW * WIDE + 1, "to");
    op2_map map = new_map(rows, to, WIDE, idx, "wide");
    op2_dat x = new_dat(to, 1, OP2_I32, NULL, "x");
    op2_kernel kernel = new_source(
        "many",
        "void many(int **x, int i) { for (int k = 0; k < 70; k++) *x[k] = 3 * *x[k] + i + k; }");
    int32_t *want = scratch(FEW * WIDE + 1, sizeof *want);
    MUST(op2_par_loop(kernel, rows, op2_arg_dat(x, OP2_ALL, map, OP2_RW), op2_arg_idx()));
    for (int i = 0; i < FEW * WIDE; i++) want[idx[i]] = 3 * want[idx[i]] + i / WIDE + i % WIDE;
    EXPECT_VALUES(int32_t, x, FEW * WIDE + 1, i, want[i]);
    struct op2i_loop *loop = loop_of("many", rows);
    EXPECT(loop && loop->traits.ordered == (twice_ == 1));
  }
}

static void renumbered(void) {
  struct mesh m = make_mesh(injection(3));
  queue(&m, 0, m.rows);
  replay(&m, 0, false);
  op2_status status = op2_renumber(m.map);
  if (status == OP2_ERR_UNAVAILABLE) {
    diag("%s", op2_error_message());
    return;
  }
  MUST(status);
  run_all(&m, never);
  run_all(&m, never);
}

/* Loops that share other data are fused. */
static void fused(void) {
  struct mesh m = make_mesh(injection(3));
  queue(&m, 0, m.rows);
  MUST(op2_par_loop(new_kernel(&twice_kernel), m.rows, op2_arg_direct(m.y, OP2_READ),
                    op2_arg_direct(m.u, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  replay(&m, 0, false);
  EXPECT_VALUES(double, m.u, ROWS, i, 2 * m.y0[i]);
  EXPECT_VALUES(double, m.x, TARGETS *DIM, i, m.x0[i]);
  if (test_ctx->backend->passes && test_ctx->config.fuse && !test_config.eager)
    EXPECT(explains("put+twice: one loop over 'rows'"));
}

static const struct test_case cases[] = {
    {"every form, on sets and subsets", all_forms},
    {"one target is led to twice", one_target_twice},
    {"one target is led to through two slots", across_slots},
    {"as many entries as targets, and one more", full},
    {"a map is looked at once for a choice of slots", asked_once},
    {"in the exec halo and behind it", halos},
    {"more than 64 slots", wide},
    {"renumbered", renumbered},
    {"fused with a neighbour", fused},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES);
}

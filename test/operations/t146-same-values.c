/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that write the same values through a map whatever the element is: they keep no order, have
 * one colour, may be vector code, and give the results of sequential execution. Kernels that write
 * part of a row, on some paths only, or what depends on the element or its slot keep their order. */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "loop.h"
#include "loop_table.h"
#include "loopdata.h"
#include "support.h"

enum { ROWS = 4000, SLOTS = 2, TARGETS = 90, DIM = 3 };

struct mesh {
  op2_set rows, some, targets;
  op2_map map;
  int32_t *idx;                /* [ROWS][SLOTS] */
  op2_dat x, flag, sum, y, u;  /* on targets: F64[3], I32, F64; on rows: F64, I32 */
  op2_gbl three, total, least; /* F64[3], I32, I32 */
  op2_const gain;
};

static struct mesh make_mesh(void) {
  struct mesh m = {.idx = scratch(ROWS * SLOTS, sizeof *m.idx)};
  const double three[3] = {0.5, -1.25, 7}, gain = 1.5;
  double *y = scratch(ROWS, sizeof *y);
  int64_t some[ROWS / 4];
  uint64_t seed = 9;
  /* Some targets are reached by no row. */
  for (int i = 0; i < ROWS * SLOTS; i++) m.idx[i] = draw_below(&seed, TARGETS - 7);
  for (int i = 0; i < ROWS; i++) y[i] = i % 13 - 3;
  for (int i = 0; i < ROWS / 4; i++) some[i] = 4 * i + 1;
  m.rows = new_set(ROWS, "rows");
  m.targets = new_set(TARGETS, "targets");
  m.some = new_subset(m.rows, ROWS / 4, some, "some");
  m.map = new_map(m.rows, m.targets, SLOTS, m.idx, "map");
  m.x = new_dat(m.targets, DIM, OP2_F64, NULL, "x");
  m.flag = new_dat(m.targets, 1, OP2_I32, NULL, "flag");
  m.sum = new_dat(m.targets, 1, OP2_F64, NULL, "sum");
  m.y = new_dat(m.rows, 1, OP2_F64, y, "y");
  m.u = new_dat(m.rows, 1, OP2_I32, NULL, "u");
  m.three = new_gbl(3, OP2_F64, three, "three");
  m.total = new_gbl(1, OP2_I32, NULL, "total");
  m.least = new_gbl(1, OP2_I32, NULL, "least");
  MUST(op2_const_create(test_ctx, 1, OP2_F64, &gain, "gain", &m.gain));
  return m;
}

static struct op2i_loop *intern(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args) {
  struct op2i_loop *loop = NULL;
  MUST(op2i_loop_intern((op2_where){__FILE__, __LINE__}, kernel, set, nargs, args, &loop));
  op2i_loop_unuse(loop);
  return loop;
}

#define ARGS(...)                                                                                  \
  (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]) { __VA_ARGS__ }
#define FLAG(slot_) op2_arg_dat(m.flag, (slot_), m.map, OP2_WRITE)
#define ROW(slot_)  op2_arg_dat(m.x, (slot_), m.map, OP2_WRITE)
#define Y           op2_arg_direct(m.y, OP2_READ)
#define THREE       op2_arg_gbl(m.three, OP2_READ)

/* ---- kernels that write the same everywhere -------------------------------------------------- */

static op2_status run(const char *text, op2_set set, int nargs, const op2_arg *args,
                      struct op2i_loop **loop) {
  op2_kernel kernel = new_source("mark", text);
  *loop = intern(kernel, set, nargs, args);
  op2_status status = op2_par_loop_at((op2_where){__FILE__, __LINE__}, kernel, set, nargs, args);
  return status ? status : op2_flush(test_ctx);
}

static bool vectors(void) {
  return test_ctx->backend->variant == OP2I_VECTOR && test_ctx->config.simd_bytes >= 16;
}

static void expect_free(struct op2i_loop *loop, const char *text, bool vector) {
  const struct op2i_form *form = NULL;
  const struct op2i_loop_data *data = loop->attached.sched_data;
  if (!EXPECT(loop->traits.ordered == (test_ctx->device != NULL))) diag("%s", text);
  if (test_ctx->device) return;
  for (int r = 0; r < loop->nranges && test_ctx->backend->needs_plan; r++)
    if (data && data->plans[r]) EXPECT(data->plans[r]->plan->ncolors == 1);
  if (!vectors()) return;
  MUST(op2i_loop_form(loop, &form));
  if (!EXPECT(!form->why == vector)) diag("%s: %s", text, form->why ? form->why : "vector code");
}

static void expect_targets(const struct mesh *g, int slots, op2_set set, const double want[DIM],
                           int32_t flag) {
  const struct mesh m = *g;
  double *x = scratch(TARGETS * DIM, sizeof *x);
  int32_t *flags = scratch(TARGETS, sizeof *flags);
  for (int i = set == m.some ? 1 : 0; i < ROWS; i += set == m.some ? 4 : 1)
    for (int s = 0; s < SLOTS; s++) {
      if (!(slots >> s & 1)) continue;
      memcpy(x + (size_t)m.idx[SLOTS * i + s] * DIM, want, DIM * sizeof *x);
      flags[m.idx[SLOTS * i + s]] = flag;
    }
  EXPECT_VALUES(double, m.x, TARGETS *DIM, i, x[i]);
  EXPECT_VALUES(int32_t, m.flag, TARGETS, i, flags[i]);
}

static void reset(const struct mesh *m) {
  static const double x[TARGETS * DIM];
  static const int32_t flags[TARGETS];
  MUST(op2_dat_set(m->x, x));
  MUST(op2_dat_set(m->flag, flags));
}

static const double nothing[DIM];

#define SAME(text_, set_, slots_, want_, flag_, ...)                                               \
  do {                                                                                             \
    struct op2i_loop *loop_ = NULL;                                                                \
    reset(&m);                                                                                     \
    MUST(run("void mark" text_, set_, ARGS(__VA_ARGS__), &loop_));                                 \
    expect_free(loop_, text_, true);                                                               \
    expect_targets(&m, slots_, set_, want_, flag_);                                                \
  } while (0)

static void flags(void) {
  struct mesh m = make_mesh();
  SAME("(int *f) { *f = 1; }", m.rows, 1, nothing, 1, FLAG(0));
  SAME("(int *f) { f[0] = 2 + 3; }", m.some, 2, nothing, 5, FLAG(1));
  SAME("(int *a, int *b) { *a = 4; *b = 4; }", m.rows, 3, nothing, 4, FLAG(0), FLAG(1));
  SAME("(int *a, int *b) { *a = *b = 7; }", m.rows, 3, nothing, 7, FLAG(0), FLAG(1));
  SAME("(int **f) { f[0][0] = 3; *f[1] = 3; }", m.rows, 3, nothing, 3, FLAG(OP2_ALL));
  SAME("(int **f) { for (int s = 1; s >= 0; s--) f[s][0] = -1; }", m.some, 3, nothing, -1,
       FLAG(OP2_ALL));
  SAME("(int *f, const double *y, int *u) { int t = *y > 0; if (t) *u = 1; else *u = 2; *f = 6; }",
       m.rows, 1, nothing, 6, FLAG(0), Y, op2_arg_direct(m.u, OP2_WRITE));
  const bool device = test_ctx->device;
  EXPECT(explains("all elements write the same values to 'flag', in any order") == !device);
  EXPECT(explains("keeps element order") == device);
}

static void rows_of_values(void) {
  struct mesh m = make_mesh();
  const double v[2] = {2, 10}, ones[3] = {1, 1, 1}, steps[3] = {1, 2, 3}, gains[3] = {3, 3, 3};
  const double scaled[3] = {1, -2.5, 14}, plain[3] = {0.5, -1.25, 7};
  SAME("(double *x) { x[0] = 1; x[1] = 2; x[2] = 3; }", m.rows, 1, steps, 0, ROW(0));
  SAME("(double *x) { for (int c = 0; c < 3; ++c) x[c] = gain * 2; }", m.some, 2, gains, 0, ROW(1));
  SAME(
      "(double **x) { for (int s = 0; s < 2; s++) for (int c = 0; c <= 2; c += 1) x[s][c] = 1.0; }",
      m.rows, 3, ones, 0, ROW(OP2_ALL));
  SAME("(double *x) { int i; for (i = 0; i < 6; i++) x[i] = 1; }", m.rows, 3, ones, 0,
       ROW(OP2_ITER(0)));
  SAME("(double *x, const double *g, const double *v) { for (int c = 0; c < 3; c++) x[c] = g[c] * "
       "v[0]; }",
       m.rows, 1, scaled, 0, ROW(0), THREE, op2_arg_val(v, 2, OP2_F64));
  SAME("(double **x, const double *g) { for (int c = 0; c < 3; c++) for (int s = 0; s < 2; s++) "
       "x[s][c] = g[c]; }",
       m.rows, 3, plain, 0, ROW(OP2_ALL), THREE);
  SAME("(double *a, double *b, const double *g) { a[0] = g[0]; a[1] = g[1]; a[2] = g[2]; b[2] = "
       "g[2]; "
       "b[1] = g[1]; b[0] = g[0]; }",
       m.some, 3, plain, 0, ROW(0), ROW(1), THREE);
}

/* Increments of another dat need colours, and those who write the same do not mind. */
static void beside_sums(void) {
  struct mesh m = make_mesh();
  double *want = scratch(TARGETS, sizeof *want);
  struct op2i_loop *loop = NULL;
  MUST(run("void mark(int *f, double *s, const double *y) { *f = 8; *s += *y; }", m.rows,
           ARGS(FLAG(1), op2_arg_dat(m.sum, 0, m.map, OP2_INC), Y), &loop));
  EXPECT(loop->traits.ordered == (test_ctx->device != NULL));
  for (int i = 0; i < ROWS; i++) want[m.idx[SLOTS * i]] += i % 13 - 3;
  EXPECT_VALUES(double, m.sum, TARGETS, i, want[i]);
  expect_targets(&m, 2, m.rows, nothing, 8);
}

/* A reader waits for each of those who write, and the next who write wait for the readers. */
static void readers_wait(void) {
  struct mesh m = make_mesh();
  op2_kernel mark = new_source("mark", "void mark(int *f) { *f = 9; }");
  op2_kernel again = new_source("again", "void again(int *f) { *f = 11; }");
  op2_kernel look = new_source("look", "void look(const int *f, int *u) { *u += *f; }");
  for (int i = 0; i < 3; i++) {
    MUST(op2_par_loop(mark, m.rows, FLAG(0)));
    MUST(op2_par_loop(look, m.rows, op2_arg_dat(m.flag, 0, m.map, OP2_READ),
                      op2_arg_direct(m.u, OP2_INC)));
    MUST(op2_par_loop(again, m.rows, FLAG(0)));
    MUST(op2_par_loop(look, m.rows, op2_arg_dat(m.flag, 0, m.map, OP2_READ),
                      op2_arg_direct(m.u, OP2_INC)));
  }
  EXPECT_VALUES(int32_t, m.u, ROWS, i, 60);
  expect_targets(&m, 1, m.rows, nothing, 11);
}

/* Two loops that write different values are not one: the second one's values are left. */
static void not_fused(void) {
  struct mesh m = make_mesh();
  MUST(op2_par_loop(new_source("one", "void one(int *f) { *f = 1; }"), m.rows, FLAG(0)));
  MUST(op2_par_loop(new_source("two", "void two(int *f) { *f = 2; }"), m.rows, FLAG(1)));
  MUST(op2_par_loop(new_source("own", "void own(const double *y, int *u) { *u = *y > 2; }"), m.rows,
                    Y, op2_arg_direct(m.u, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  if (queue_grows() && test_ctx->backend->passes && test_ctx->config.fuse)
    EXPECT(explains("two was not fused with the earlier one: 'flag' is modified, and reached"));
  int32_t *want = scratch(TARGETS, sizeof *want);
  for (int i = 0; i < ROWS; i++) want[m.idx[SLOTS * i]] = 1;
  for (int i = 0; i < ROWS; i++) want[m.idx[SLOTS * i + 1]] = 2;
  EXPECT_VALUES(int32_t, m.flag, TARGETS, i, want[i]);
  EXPECT_VALUES(int32_t, m.u, ROWS, i, i % 13 - 3 > 2);
}

/* ---- kernels that keep their order ----------------------------------------------------------- */

/* The loop is not run: many of these are wrong, or give what the checked mode refuses. */
static void expect_ordered(const char *text, op2_set set, int nargs, const op2_arg *args) {
  struct op2i_loop *loop = intern(new_source("mark", text), set, nargs, args);
  if (!EXPECT(loop->traits.ordered)) diag("%s", text);
}
#define ORDERED(text_, ...) expect_ordered("void mark" text_, m.rows, ARGS(__VA_ARGS__))

static void parts_of_rows(void) {
  struct mesh m = make_mesh();
  ORDERED("(double *x) { x[0] = 1; x[2] = 1; }", ROW(0));
  ORDERED("(double *x) { for (int c = 0; c < 3; c += 2) x[c] = 1; }", ROW(0));
  ORDERED("(double *x) { for (int c = 1; c < 3; c++) x[c] = 1; }", ROW(0));
  ORDERED("(double **x) { for (int c = 0; c < 3; c++) x[1][c] = 1; }", ROW(OP2_ALL));
  ORDERED("(int **f) { for (int s = 0; s < 2; s++) f[s][s] = 1; }", FLAG(OP2_ALL));
  ORDERED("(double *x) { for (int i = 0; i < 5; i++) x[i] = 1; }", ROW(OP2_ITER(0)));
  ORDERED("(double *x) { for (int c = 0; c < 3; c++) { if (c == 1) break; x[c] = 1; } }", ROW(0));
  ORDERED("(double *x) { for (int c = 0; c < 3; c++) { if (c == 1) continue; x[c] = 1; } }",
          ROW(0));
}

static void some_paths(void) {
  struct mesh m = make_mesh();
  ORDERED("(int *f, const double *y) { if (*y > 0) *f = 1; else *f = 1; }", FLAG(0), Y);
  ORDERED("(int *f, const double *g) { if (g[0] > 0) *f = 1; }", FLAG(0), THREE);
  ORDERED("(int *f, const double *y) { if (*y > 0) return; *f = 1; }", FLAG(0), Y);
  ORDERED("(int *f, const double *g) { if (g[0] > 0) return; *f = 1; }", FLAG(0), THREE);
  ORDERED("(int *f, const double *g) { for (int k = 0; k < (int)g[0]; k++) *f = 1; }", FLAG(0),
          THREE);
  ORDERED("(int *f, const double *y) { while (*y > 7) *f = 1; }", FLAG(0), Y);
  ORDERED("(int *f, const double *g) { switch ((int)g[0]) { case 0: *f = 1; } }", FLAG(0), THREE);
  ORDERED("(int *f, const double *y) { *f = 1; if (*y > 0) *f = 2; }", FLAG(0), Y);
}

static void other_values(void) {
  struct mesh m = make_mesh();
  ORDERED("(int *f, const double *y) { *f = (int)*y; }", FLAG(0), Y);
  ORDERED("(int *f, int i) { *f = i; }", FLAG(0), op2_arg_idx());
  ORDERED("(int *f, const double *y) { int t = 1; if (*y > 0) t = 2; *f = t; }", FLAG(0), Y);
  ORDERED("(int *f, const double *y) { *f = *y > 0 ? 1 : 2; }", FLAG(0), Y);
  ORDERED("(int *a, int *b) { *a = 1; *b = 2; }", FLAG(0), FLAG(1));
  ORDERED("(int *a, int *b) { int t = 1; *a = t; t = 2; *b = t; }", FLAG(0), FLAG(1));
  ORDERED("(int **f) { for (int s = 0; s < 2; s++) *f[s] = s; }", FLAG(OP2_ALL));
  ORDERED("(int **f) { int n = 0; for (int s = 0; s < 2; s++) { n++; *f[s] = n; } }",
          FLAG(OP2_ALL));
  ORDERED("(int **f) { for (int s = 0; s < 2; s++) { int t = s; *f[s] = t; } }", FLAG(OP2_ALL));
  ORDERED("(double *x) { for (int i = 0; i < 6; i++) x[i] = i; }", ROW(OP2_ITER(0)));
  ORDERED("(int *f, int *w) { *f = *w; }", FLAG(0), op2_arg_work(1, OP2_I32));
}

static void globals_written(void) {
  struct mesh m = make_mesh();
  ORDERED("(int *f, int *t) { *t += 1; *f = *t; }", FLAG(0), op2_arg_gbl(m.total, OP2_INC));
  ORDERED("(int *f, int *l) { *f = *l; }", FLAG(0), op2_arg_gbl(m.least, OP2_MIN));
}

static int32_t elsewhere = 3;
static void by_address(int32_t *f) { *f = 1; }

static void out_of_sight(void) {
  struct mesh m = make_mesh();
  ORDERED("(int *f, int *u) { *f = 1; *u = *f; }", FLAG(0), op2_arg_direct(m.u, OP2_WRITE));
  ORDERED("(int *f) { *f = 1; *f += 1; }", FLAG(0));
  ORDERED("(int *f) { int *p = f; *p = 1; }", FLAG(0));
  ORDERED("(int *f, const int *g) { *f = 1; }", FLAG(0), op2_arg_dat(m.flag, 1, m.map, OP2_READ));
  ORDERED("(int *f) { *f = 1; }", op2_arg_dat(m.flag, 0, m.map, OP2_RW));
  ORDERED("(int *f, int *p) { *f = *p; }", FLAG(0), op2_arg_opaque(&elsewhere));
  expect_ordered("static void put(int *p) { *p = 1; }\nvoid mark(int *f) { put(f); }", m.rows,
                 ARGS(FLAG(0)));
  const op2_kernel_desc desc = {.name = "by_address",
                                .source = "void by_address(int32_t *f);",
                                .function = (void (*)(void))by_address,
                                .threads = OP2_ANY_THREADS};
  struct op2i_loop *loop = intern(new_kernel(&desc), m.rows, ARGS(FLAG(0)));
  EXPECT(loop->traits.ordered);
}

/* Loops that keep their order are run as well: each element overwrites what earlier ones wrote. */
static void last_wins(void) {
  struct mesh m = make_mesh();
  int32_t *want = scratch(TARGETS, sizeof *want);
  struct op2i_loop *loop = NULL;
  if (on_check()) return;
  MUST(run("void mark(int *a, int *b) { *a = 1; *b = 2; }", m.rows, ARGS(FLAG(0), FLAG(1)), &loop));
  for (int i = 0; i < ROWS; i++) {
    want[m.idx[SLOTS * i]] = 1;
    want[m.idx[SLOTS * i + 1]] = 2;
  }
  EXPECT_VALUES(int32_t, m.flag, TARGETS, i, want[i]);
  EXPECT(explains("keeps element order"));
}

static const struct test_case cases[] = {
    {"flags", flags},
    {"rows of values", rows_of_values},
    {"beside sums", beside_sums},
    {"readers wait for all who write", readers_wait},
    {"loops that write different values are not fused", not_fused},
    {"parts of rows keep their order", parts_of_rows},
    {"writes on some paths", some_paths},
    {"values of the element or the slot", other_values},
    {"values of globals that the loop writes", globals_written},
    {"what the text does not show", out_of_sight},
    {"loops that keep their order", last_wins},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  setenv("OP2_CHUNK_US", "0", 1);
  return RUN(cases, RUN_ON_DEVICES);
}

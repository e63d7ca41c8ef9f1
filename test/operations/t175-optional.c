/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that may be absent: the kernel gets a null pointer, in scalar code and in vectors, alone
 * and fused, by text and by address. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { EDGES = 1500, NODES = 400 };

/* Every form of the question, under conditions that differ between elements as well. */
static const op2_kernel_desc all_forms = {
    .name = "forms",
    .source =
        "static double twice(const double *p, double x) { return p ? 2 * *p : x; }\n"
        "void forms(double *w, const double *x, const double *a, double *b, double **c,\n"
        "           const double *d, double *sum, const double *factor, const int *number) {\n"
        "  double v = *x;\n"
        "  if (a) v += a[0];\n"
        "  if (!b) v += 100;\n"
        "  else *b += 1;\n"
        "  if (*x > 3 && c != NULL) { c[0][0] += 1; c[1][0] += 2; }\n"
        "  if (*x > 5) v += twice(d, 7);\n"
        "  v += (d == 0) ? 10 : d[1];\n"
        "  v *= factor ? *factor : 1;\n"
        "  if (number && *x > 2) v += *number;\n"
        "  if (sum) *sum += *x;\n"
        "  *w = v;\n"
        "}\n"};

struct mesh {
  op2_set edges, nodes;
  op2_map map;
  int32_t *ends;
  op2_dat w, x, a, b, c, d;
  op2_gbl sum;
};

static double x_of(int64_t i) { return (double)(i % 9); }
static double d_of(int64_t i) { return (double)(3 * (i % 7)); }

static struct mesh make_mesh(void) {
  struct mesh m = {.edges = new_set(EDGES, "edges"), .nodes = new_set(NODES, "nodes")};
  uint64_t seed = 11;
  const double zero = 0;
  m.ends = scratch(EDGES * 2, sizeof *m.ends);
  double *x = scratch(EDGES, sizeof *x), *a = scratch(EDGES, sizeof *a),
         *d = scratch(NODES, sizeof *d);
  for (int i = 0; i < 2 * EDGES; i++) m.ends[i] = draw_below(&seed, NODES);
  for (int i = 0; i < EDGES; i++) x[i] = x_of(i), a[i] = 1000.0 * i;
  for (int i = 0; i < NODES; i++) d[i] = d_of(i);
  m.map = new_map(m.edges, m.nodes, 2, m.ends, "map");
  m.w = new_dat(m.edges, 1, OP2_F64, NULL, "w");
  m.x = new_dat(m.edges, 1, OP2_F64, x, "x");
  m.a = new_dat(m.edges, 1, OP2_F64, a, "a");
  m.b = new_dat(m.nodes, 1, OP2_F64, NULL, "b");
  m.c = new_dat(m.nodes, 1, OP2_F64, NULL, "c");
  m.d = new_dat(m.nodes, 1, OP2_F64, d, "d");
  m.sum = new_gbl(1, OP2_F64, &zero, "sum");
  return m;
}

enum { A = 1, B = 2, C = 4, D = 8, SUM = 16, FACTOR = 32, NUMBER = 64, ALL_PRESENT = 127 };

static op2_status queue(const struct mesh *m, op2_kernel kernel, int present) {
  const double factor = 3;
  return op2_par_loop(kernel, m->edges, op2_arg_direct(m->w, OP2_WRITE),
                      op2_arg_direct(m->x, OP2_READ),
                      op2_arg_opt(present & A, op2_arg_direct(m->a, OP2_READ)),
                      op2_arg_opt(present & B, op2_arg_dat(m->b, 1, m->map, OP2_INC)),
                      op2_arg_opt(present & C, op2_arg_dat(m->c, OP2_ALL, m->map, OP2_INC)),
                      op2_arg_opt(present & D, op2_arg_dat(m->d, OP2_ITER(0), m->map, OP2_READ)),
                      op2_arg_opt(present & SUM, op2_arg_gbl(m->sum, OP2_INC)),
                      op2_arg_opt(present & FACTOR, op2_arg_val(&factor, 1, OP2_F64)),
                      op2_arg_opt(present & NUMBER, op2_arg_idx()));
}

struct model {
  double *w, *b, *c, sum;
};

static void compute(const struct mesh *m, int present, struct model *model) {
  for (int i = 0; i < EDGES; i++) {
    const int32_t *end = &m->ends[2 * i];
    double v = x_of(i);
    if (present & A) v += 1000.0 * i;
    if (present & B)
      model->b[end[1]] += 1;
    else
      v += 100;
    if (x_of(i) > 3 && present & C) model->c[end[0]] += 1, model->c[end[1]] += 2;
    if (x_of(i) > 5) v += present & D ? 2 * d_of(end[0]) : 7;
    v += present & D ? d_of(end[1]) : 10;
    v *= present & FACTOR ? 3 : 1;
    if (present & NUMBER && x_of(i) > 2) v += i;
    if (present & SUM) model->sum += x_of(i);
    model->w[i] = v;
  }
}

static const int chosen[] = {
    ALL_PRESENT,     0,      A,     B,     C,       D,         SUM,
    FACTOR,          NUMBER, A | C, B | D, A | SUM, B | C | D, ALL_PRESENT & ~C,
    ALL_PRESENT & ~D};
enum { CHOSEN = sizeof chosen / sizeof *chosen };

static void try_with(op2_kernel kernel) {
  struct mesh m = make_mesh();
  struct model model = {scratch(EDGES, sizeof(double)), scratch(NODES, sizeof(double)),
                        scratch(NODES, sizeof(double)), 0};
  for (int k = 0; k < CHOSEN; k++) {
    MUST(queue(&m, kernel, chosen[k]));
    compute(&m, chosen[k], &model);
    EXPECT_VALUES(double, m.w, EDGES, i, model.w[i]);
  }
  EXPECT_VALUES(double, m.b, NODES, i, model.b[i]);
  EXPECT_VALUES(double, m.c, NODES, i, model.c[i]);
  EXPECT_GBL(double, m.sum, model.sum);
}

static void combinations(void) {
  try_with(new_kernel(&all_forms));
  if (!explains("scalar code: kernel")) return;
  diag("the kernel is not vector code");
  EXPECT(!strcmp(test_config.backend, "sequential") || on_check() || on_device());
}

/* The same function, compiled with this program. */
static double twice(const double *p, double x) { return p ? 2 * *p : x; }
static void forms(double *w, const double *x, const double *a, double *b, double **c,
                  const double *d, double *sum, const double *factor, const int *number) {
  double v = *x;
  if (a) v += a[0];
  if (!b)
    v += 100;
  else
    *b += 1;
  if (*x > 3 && c != NULL) c[0][0] += 1, c[1][0] += 2;
  if (*x > 5) v += twice(d, 7);
  v += (d == 0) ? 10 : d[1];
  v *= factor ? *factor : 1;
  if (number && *x > 2) v += *number;
  if (sum) *sum += *x;
  *w = v;
}
OP2_KERNEL_FUNCTION(forms,
                    (double *w, const double *x, const double *a, double *b, double **c,
                     const double *d, double *sum, const double *factor, const int *number),
                    OP2_ANY_THREADS);

static void of_functions(void) { try_with(new_kernel(&forms_kernel)); }

/* A loop that does not use a dat does not wait for loops that write it, and is fused with them. */
static void independent(void) {
  struct mesh m = make_mesh();
  op2_kernel fill = new_source("fill", "void fill(double *b) { *b = 5; }");
  op2_kernel add = new_source("add", "void add(double *w, const double *b) { *w = b ? *b : 8; }");
  op2_kernel next = new_source("next", "void next(double *x, const double *w) { *x = *w + 1; }");
  MUST(op2_par_loop(fill, m.nodes, op2_arg_direct(m.b, OP2_WRITE)));
  MUST(op2_par_loop(add, m.edges, op2_arg_direct(m.w, OP2_WRITE),
                    op2_arg_opt(0, op2_arg_dat(m.b, 0, m.map, OP2_READ))));
  MUST(op2_par_loop(next, m.edges, op2_arg_direct(m.x, OP2_WRITE), op2_arg_direct(m.w, OP2_READ)));
  EXPECT_VALUES(double, m.x, EDGES, i, 9 + 0 * i);
  EXPECT(op2_queued(test_ctx) == queue_grows());
  MUST(op2_par_loop(add, m.edges, op2_arg_direct(m.w, OP2_WRITE),
                    op2_arg_opt(1, op2_arg_dat(m.b, 0, m.map, OP2_READ))));
  EXPECT_VALUES(double, m.w, EDGES, i, 5 + 0 * i);
  const bool alone = !strcmp(test_config.backend, "sequential") || on_check();
  if (!alone && queue_grows()) EXPECT(explains("add+next: one loop over 'edges'"));
}

/* Code is not shared by loops that differ in an absent argument. */
static void generated(void) {
  struct mesh m = make_mesh();
  const char *text[2];
  op2_kernel add = new_source("add", "void add(double *w, const double *b) { *w = b ? *b : 8; }");
  for (int present = 0; present < 2; present++) {
    op2_loop loop;
    MUST(op2_loop_create(&loop, add, m.edges, op2_arg_direct(m.w, OP2_WRITE),
                         op2_arg_opt(present, op2_arg_direct(m.a, OP2_READ))));
    own_loop(loop);
    MUST(op2_loop_generate(loop, "simd", &text[present]));
    EXPECT(strstr(text[present], "op2_lane") || strstr(text[present], "op2_vec_add"));
    EXPECT(!strstr(text[present], "op2_dat1") == !present);
  }
  EXPECT(strcmp(text[0], text[1]) != 0);
}

static void messages(void) {
  struct mesh m = make_mesh();
  op2_dat none = NULL;
  op2_gbl low = new_gbl(1, OP2_F64, &(double){0}, "low"), at = new_gbl(1, OP2_I32, &(int){0}, "at");
  op2_kernel by_value = new_source("by_value", "void by_value(double *w, double x) { *w = x; }");
  op2_kernel find = new_source("find", "void find(const double *w, double *low, int *at) { }");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(by_value, m.edges, op2_arg_direct(m.w, OP2_WRITE),
                       op2_arg_opt(0, op2_arg_direct(none, OP2_READ))),
          "argument 1 (an absent argument)", "'double x'", "expected a pointer");
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(find, m.edges, op2_arg_direct(m.w, OP2_READ),
                       op2_arg_opt(0, op2_arg_gbl(low, OP2_MIN)), op2_arg_info(at, 1)),
          "argument 2", "op2_arg_info is about argument 1");
}

static const struct test_case cases[] = {
    {"present and absent in many combinations", combinations},
    {"kernels by address", of_functions},
    {"no dependence", independent},
    {"code of its own", generated},
    {"messages", messages},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}

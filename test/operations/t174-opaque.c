/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers of the program that reach kernels unchanged, by text and by address, alone and fused. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { CELLS = 2000, STATES = 5 };

struct state {
  const double *table;
  int n;
};

static const double tables[2][STATES] = {{1, 2, 4, 8, 16}, {3, 5, 7, 9, 11}};

static const op2_kernel_desc look_up = {
    .name = "look_up",
    .source = "struct state { const double *table; int n; };\n"
              "void look_up(double *w, const struct state *s, int i) { *w += s->table[i % s->n]; }",
};

static void scale(double *v, const double *w, void *data, const double *more) {
  const struct state *state = data;
  *v = *w * state->table[1] + more[2];
}
OP2_KERNEL_FUNCTION(scale, (double *v, const double *w, void *data, const double *more),
                    OP2_ANY_THREADS);

struct mesh {
  op2_set cells;
  op2_dat v, w;
};

static struct mesh make_mesh(void) {
  struct mesh m = {.cells = new_set(CELLS, "cells")};
  m.v = new_dat(m.cells, 1, OP2_F64, NULL, "v");
  m.w = new_dat(m.cells, 1, OP2_F64, NULL, "w");
  return m;
}

/* The same loop with two pointers in turn, and one behind it that can be fused with it. */
static void values(void) {
  struct mesh m = make_mesh();
  struct state states[2] = {{tables[0], STATES}, {tables[1], STATES - 1}};
  op2_kernel first = new_kernel(&look_up), second = new_kernel(&scale_kernel);
  for (int k = 0; k < 2; k++)
    MUST(op2_par_loop(first, m.cells, op2_arg_direct(m.w, OP2_RW), op2_arg_opaque(&states[k]),
                      op2_arg_idx()));
  MUST(op2_par_loop(second, m.cells, op2_arg_direct(m.v, OP2_WRITE), op2_arg_direct(m.w, OP2_READ),
                    op2_arg_opaque(&states[1]), op2_arg_opaque(tables[0])));
  EXPECT_VALUES(double, m.v, CELLS, i, (tables[0][i % 5] + tables[1][i % 4]) * 5 + 4);
  EXPECT_VALUES(double, m.w, CELLS, i, tables[0][i % 5] + tables[1][i % 4]);
  if (on_device())
    EXPECT(explains("on the host: it is given a pointer of the program"));
  else if (strcmp(test_config.backend, "sequential") && !on_check())
    EXPECT(explains("scalar code: argument 1 is a pointer of the program"));
}

/* The memory is used when the loop runs. */
static void later(void) {
  struct mesh m = make_mesh();
  double table[1] = {3};
  struct state state = {table, 1};
  MUST(op2_par_loop(new_kernel(&look_up), m.cells, op2_arg_direct(m.w, OP2_RW),
                    op2_arg_opaque(&state), op2_arg_idx()));
  table[0] = 7;
  EXPECT_VALUES(double, m.w, CELLS, i, (test_config.eager ? 3 : 7) + 0 * i);
}

/* A null pointer, and a pointer that a loop object keeps. */
static void pointers(void) {
  struct mesh m = make_mesh();
  double one = 1;
  op2_kernel k = new_source("k", "void k(double *w, double *p) { *w = p ? *p : -1; }");
  op2_loop loop = NULL;
  MUST(op2_par_loop(k, m.cells, op2_arg_direct(m.w, OP2_WRITE), op2_arg_opaque(NULL)));
  EXPECT_VALUES(double, m.w, CELLS, i, -1 + 0 * i);
  MUST(op2_loop_create(&loop, k, m.cells, op2_arg_direct(m.w, OP2_WRITE), op2_arg_opaque(&one)));
  own_loop(loop);
  MUST(op2_loop_compute(loop));
  EXPECT_VALUES(double, m.w, CELLS, i, 1 + 0 * i);
}

static int nothing(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 0;
}

static void messages(void) {
  struct mesh m = make_mesh();
  op2_arg w = op2_arg_direct(m.w, OP2_WRITE);
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(new_source("by_value", "void by_value(double *w, double x) { *w = x; }"),
                       m.cells, w, op2_arg_opaque(&m)),
          "'by_value'", "argument 1 (a pointer of the program)", "'double x'",
          "expected a pointer");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, nothing, NULL, op2_arg_opaque(&m)), "argument 0");
}

static const struct test_case cases[] = {
    {"what the pointer leads to", values},
    {"at the time of the loop", later},
    {"null pointers and loop objects", pointers},
    {"messages", messages},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ON_DEVICES);
}

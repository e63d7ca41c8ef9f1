/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants, values and globals that exceed a worker's stack. */
#include <stdio.h>

#include "support.h"

/* The checked mode copies all values that a kernel reads for every element. */
enum { CELLS = 40, FEW = 3, BIG = 8 << 20, BIG_CHECKED = 1 << 18 };
static int64_t cells(void) { return on_check() ? FEW : CELLS; }
static int big(void) { return (on_check() ? BIG_CHECKED : BIG) / (int)sizeof(double); }

/* A table of dim values, each its index modulo 1000, except for the final one, `last`. */
static double *table(int dim, double last) {
  double *values = scratch((size_t)dim, sizeof *values);
  for (int i = 0; i < dim; i++) values[i] = i % 1000;
  values[dim - 1] = last;
  return values;
}

static op2_kernel kernel_for(const char *format, int dim) {
  char source[400];
  snprintf(source, sizeof source, format, dim);
  return new_source("k", source);
}

/* Around a thousand bytes, where constants leave the stack, and far beyond it. */
static void sizes(void) {
  static const int dims[] = {127, 128, 129, 8 << 10, 128 << 10, 1 << 20, 8 << 20};
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
    int dim = dims[d];
    if (on_check() && dim > 1 << 17) continue;
    op2_const cst = new_const(dim, OP2_F64, table(dim, 5), "cst");
    op2_kernel k = kernel_for("void k(double *x, const int32_t *at) {\n"
                              "  *x = cst[*at] + cst[%d - 1] + sizeof cst / sizeof cst[0];\n"
                              "}\n",
                              dim);
    const int32_t at = 77;
    MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_WRITE), op2_arg_val(&at, 1, OP2_I32)));
    EXPECT_VALUES(double, x, cells(), i, 77 + 5 + dim);
    disown(cst);
    op2_const_destroy(&cst);
  }
}

/* Scalars together with large constants, and helper functions that use both. */
static void several(void) {
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  new_const(1 << 15, OP2_F64, table(1 << 15, 1), "one");
  new_const(1, OP2_F64, (double[]){3}, "two");
  new_const(1 << 15, OP2_F64, table(1 << 15, 2), "three");
  op2_kernel k = new_source("k", "static double pick(int i) { return one[i] * two + three[i]; }\n"
                                 "void k(double *x) { *x = pick((1 << 15) - 1) + pick(1001); }\n");
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_WRITE)));
  EXPECT_VALUES(double, x, cells(), i, 3 + 2 + 3 + 1);
}

/* More small constants than fit into the structure on the stack. */
static void many(void) {
  enum { MANY = 900 };
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  char *source = scratch(MANY + 8, 16), name[16];
  int length = sprintf(source, "void k(double *x) { *x = 0");
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "c%d", i);
    new_const(1, OP2_F64, (double[]){i}, name);
    length += sprintf(source + length, " + %s", name);
  }
  sprintf(source + length, "; }\n");
  MUST(op2_par_loop(new_source("k", source), set, op2_arg_direct(x, OP2_WRITE)));
  EXPECT_VALUES(double, x, cells(), i, MANY *(MANY - 1) / 2);
}

/* Loops use the values of the time when they were queued, and a queue of them stays small. */
static void captured(void) {
  enum { LOOPS = 80, MOST = (256 << 20) / BIG + 1 };
  int dim = big(), loops = on_check() ? FEW : LOOPS;
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  double *values = table(dim, 0), sum = 0;
  op2_const cst = new_const(dim, OP2_F64, values, "cst");
  op2_kernel k = kernel_for("void k(double *x) { *x += cst[%d - 1]; }\n", dim);
  for (int n = 0; n < loops; n++) {
    sum += values[dim - 1] = n;
    MUST(op2_const_set(cst, values));
    MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_RW)));
    EXPECT(op2_queued(test_ctx) <= MOST);
  }
  EXPECT_VALUES(double, x, cells(), i, sum);
}

/* Two loops that are fused keep separate constants. */
static void in_fused_loops(void) {
  enum { DIM = 1 << 17 };
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  double *values = table(DIM, 10);
  op2_const cst = new_const(DIM, OP2_F64, values, "cst");
  op2_kernel add = new_source("add", "void add(double *x) { *x += cst[(1 << 17) - 1]; }\n");
  op2_kernel scale = new_source("scale", "void scale(double *x) { *x *= cst[(1 << 17) - 1]; }\n");
  MUST(op2_par_loop(add, set, op2_arg_direct(x, OP2_RW)));
  values[DIM - 1] = 7;
  MUST(op2_const_set(cst, values));
  MUST(op2_par_loop(scale, set, op2_arg_direct(x, OP2_RW)));
  EXPECT_VALUES(double, x, cells(), i, 70);
}

static void values_of_a_call(void) {
  int dim = big();
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_kernel k = kernel_for("void k(double *x, const double *v) { *x = v[%d - 1]; }\n", dim);
  double *values = table(dim, 9);
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_WRITE), op2_arg_val(values, dim, OP2_F64)));
  values[dim - 1] = 0;
  EXPECT_VALUES(double, x, cells(), i, 9);
}

static void globals(void) {
  int dim = big();
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(dim, OP2_F64, table(dim, 9), "g");
  op2_kernel k = kernel_for("void k(double *x, const double *g) { *x = g[%d - 1]; }\n", dim);
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_WRITE), op2_arg_gbl(g, OP2_READ)));
  EXPECT_VALUES(double, x, cells(), i, 9);
}

/* A value that needs a private copy beyond a worker's stack, or exceeds the limit of captured
 * values, is refused. */
static void refused(void) {
  op2_set set = new_set(cells(), "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1 << 20, OP2_F64, NULL, "total");
  op2_kernel k = new_source("k", "void k(double *x, double *g) { *x += 1; *g += 1; }\n");
  op2_kernel v = new_source("v", "void v(double *x, const double *y) { *x = *y; }\n");
  const double one = 1;
  REFUSED(OP2_ERR_RANGE, op2_par_loop(k, set, op2_arg_direct(x, OP2_RW), op2_arg_gbl(g, OP2_INC)),
          "total", "private copies");
  REFUSED(OP2_ERR_RANGE,
          op2_par_loop(v, set, op2_arg_direct(x, OP2_WRITE), op2_arg_val(&one, 200000000, OP2_F64)),
          "loop 'v'", "op2_arg_val", "1600000016 bytes");
}

int main(void) {
  static const struct test_case cases[] = {
      {"constants of many sizes", sizes},
      {"several large constants", several},
      {"very many constants", many},
      {"large constants are captured", captured},
      {"large constants of fused loops", in_fused_loops},
      {"large values of a call", values_of_a_call},
      {"large globals that are read", globals},
      {"what is too large is refused", refused},
  };
  return RUN(cases, RUN_ONE_BLOCK);
}

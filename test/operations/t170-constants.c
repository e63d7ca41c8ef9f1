/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants: cases C20 and J. */
#include "support.h"

static const char *const put = "void put(int32_t *x) { *x = myconstant; }\n";
static const char *const put_sum =
    "void put_sum(int32_t *x) { *x = myconstant[0] + myconstant[1]; }\n";

static op2_dat run(op2_kernel k, op2_set set) {
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x");
  MUST(op2_par_loop(k, set, op2_arg_direct(x, OP2_WRITE)));
  return x;
}

static void scalar(void) {
  op2_set set = new_set(8, "cells");
  new_const(1, OP2_I32, (int32_t[]){100}, "myconstant");
  op2_dat x = run(new_source("put", put), set);
  EXPECT_VALUES(int32_t, x, 8, i, 100);
}

static void array(void) {
  op2_set set = new_set(8, "cells");
  new_const(2, OP2_I32, (int32_t[]){100, 200}, "myconstant");
  op2_dat x = run(new_source("put_sum", put_sum), set);
  EXPECT_VALUES(int32_t, x, 8, i, 300);
}

/* Values are captured when the loop is queued. */
static void changed(void) {
  op2_set set = new_set(8, "cells");
  op2_const c = new_const(1, OP2_I32, (int32_t[]){0}, "myconstant");
  op2_kernel k = new_source("put", put);
  op2_dat x[4];
  for (int v = 0; v < 4; v++) {
    MUST(op2_const_set(c, (int32_t[]){v * 11}));
    x[v] = run(k, set);
  }
  MUST(op2_const_set(c, (int32_t[]){-1}));
  for (int v = 3; v >= 0; v--) EXPECT_VALUES(int32_t, x[v], 8, i, v * 11);
}

/* A loop object takes the constants of the moment when it is queued. */
static void changed_between_uses(void) {
  op2_set set = new_set(8, "cells");
  op2_const c = new_const(1, OP2_I32, (int32_t[]){1}, "myconstant");
  op2_dat x = new_dat(set, 1, OP2_I32, NULL, "x"), y = new_dat(set, 1, OP2_I32, NULL, "y");
  op2_kernel k = new_source("add_it", "void add_it(int32_t *x) { *x += myconstant; }\n");
  op2_loop loop = NULL;
  MUST(op2_loop_create(&loop, k, set, op2_arg_direct(x, OP2_RW)));
  own_loop(loop);
  MUST(op2_const_set(c, (int32_t[]){10}));
  MUST(op2_loop_enqueue(loop));
  MUST(op2_const_set(c, (int32_t[]){100}));
  MUST(op2_loop_enqueue(loop));
  MUST(op2_par_loop(k, set, op2_arg_direct(y, OP2_RW)));
  MUST(op2_const_set(c, (int32_t[]){1000}));
  EXPECT_VALUES(int32_t, x, 8, i, 110);
  EXPECT_VALUES(int32_t, y, 8, i, 100);
}

static void names(void) {
  op2_const c = NULL, again = NULL;
  const double v = 1;
  MUST(op2_const_create(test_ctx, 1, OP2_F64, &v, "gam", &c));
  REFUSED(OP2_ERR_NAME, op2_const_create(test_ctx, 1, OP2_F64, &v, "gam", &again), "gam");
  REFUSED(OP2_ERR_NAME, op2_const_create(test_ctx, 1, OP2_F64, &v, "", &again));
  REFUSED(OP2_ERR_NAME, op2_const_create(test_ctx, 1, OP2_F64, &v, NULL, &again));
  REFUSED(OP2_ERR_NAME, op2_const_create(test_ctx, 1, OP2_F64, &v, "2gam", &again), "2gam");
  REFUSED(OP2_ERR_NAME, op2_const_create(test_ctx, 1, OP2_F64, &v, "ga m", &again), "ga m");
  REFUSED(OP2_ERR_NAME, op2_const_create(test_ctx, 1, OP2_F64, &v, "while", &again), "while");
  EXPECT(!again);
  op2_const_destroy(&c);
  EXPECT(!c);
  MUST(op2_const_create(test_ctx, 2, OP2_F64, (double[]){1, 2}, "gam", &c));
  op2_const_destroy(&c);
  op2_const_destroy(&c);
  op2_const_destroy(NULL);
}

static void refused(void) {
  op2_const c = NULL, good = new_const(1, OP2_F64, (double[]){1}, "good");
  const double v = 1;
  REFUSED(OP2_ERR_ARG, op2_const_create(test_ctx, 0, OP2_F64, &v, "gam", &c), "gam", "0");
  REFUSED(OP2_ERR_ARG, op2_const_create(test_ctx, 1, OP2_F64, NULL, "gam", &c), "gam");
  REFUSED(OP2_ERR_TYPE, op2_const_create(test_ctx, 1, (op2_type)50, &v, "gam", &c), "gam", "50");
  REFUSED(OP2_ERR_ARG, op2_const_create(test_ctx, 1, OP2_F64, &v, "gam", NULL));
  REFUSED(OP2_ERR_ARG, op2_const_set(NULL, &v));
  REFUSED(OP2_ERR_ARG, op2_const_set(good, NULL), "good");
  EXPECT(!c);
}

/* J4: the shape of a constant is part of the loop; after a change the same kernel has another
 * meaning. */
static void new_shape(void) {
  op2_set set = new_set(8, "cells");
  op2_const c = NULL;
  op2_kernel k = new_source(
      "first",
      "void first(int32_t *x) { const int32_t *p = (const int32_t *)&shape; *x = p[0]; }\n");
  MUST(op2_const_create(test_ctx, 1, OP2_I32, (int32_t[]){5}, "shape", &c));
  op2_dat one = run(k, set);
  op2_const_destroy(&c); /* the queued loop has its own copy */
  MUST(op2_const_create(test_ctx, 2, OP2_I32, (int32_t[]){6, 7}, "shape", &c));
  op2_dat two = run(k, set);
  op2_const_destroy(&c);
  EXPECT_VALUES(int32_t, one, 8, i, 5);
  EXPECT_VALUES(int32_t, two, 8, i, 6);
}

/* A parameter or local variable of a kernel hides a constant of the same name, and the constant's
 * value is not captured. */
static void hidden(void) {
  op2_set set = new_set(8, "cells");
  new_const(1, OP2_I32, (int32_t[]){100}, "hidden");
  new_const(1, OP2_I32, (int32_t[]){3}, "seen");
  op2_dat x = run(
      new_source("by_parameter", "void by_parameter(int32_t *hidden) { *hidden = seen; }\n"), set);
  op2_dat y =
      run(new_source("by_local",
                     "void by_local(int32_t *x) { int32_t hidden = 4; *x = hidden + seen; }\n"),
          set);
  op2_dat z = run(
      new_source("both",
                 "void both(int32_t *x) { { int32_t hidden = 4; *x = hidden; } *x += hidden; }\n"),
      set);
  op2_dat w =
      run(new_source("member",
                     "struct s { int32_t hidden; };\n"
                     "void member(int32_t *x) { struct s s; s.hidden = 2; *x = s.hidden; }\n"),
          set);
  EXPECT_VALUES(int32_t, x, 8, i, 3);
  EXPECT_VALUES(int32_t, y, 8, i, 7);
  EXPECT_VALUES(int32_t, z, 8, i, 104);
  EXPECT_VALUES(int32_t, w, 8, i, 2);
}

/* Helper functions can use constants of all types, and a kernel several of them. */
static void helpers_and_types(void) {
  static const char *const source = "static double mix(double a) { return a * gam + eps[1]; }\n"
                                    "void use(double *x) { *x = mix(2.0) + n + small + big; }\n";
  op2_set set = new_set(5, "cells");
  new_const(1, OP2_F64, (double[]){1.5}, "gam");
  new_const(2, OP2_F32, (float[]){9, 0.25f}, "eps");
  new_const(1, OP2_I64, (int64_t[]){-4}, "n");
  new_const(1, OP2_U8, (uint8_t[]){200}, "small");
  new_const(1, OP2_U64, (uint64_t[]){1u << 31}, "big");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  MUST(op2_par_loop(new_source("use", source), set, op2_arg_direct(x, OP2_WRITE)));
  EXPECT_VALUES(double, x, 5, i, 3.25 - 4 + 200 + 2147483648.0);
}

static const struct test_case cases[] = {
    {"J1 scalar", scalar},
    {"J2 array", array},
    {"changed between loops", changed},
    {"changed between uses of a loop object", changed_between_uses},
    {"C20 names", names},
    {"constants that are refused", refused},
    {"J4 a new shape", new_shape},
    {"hidden by parameters and locals", hidden},
    {"helper functions and types", helpers_and_types},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK | RUN_ON_DEVICES); }

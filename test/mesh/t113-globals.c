/* SPDX-License-Identifier: BSD-3-Clause */
/* Globals: declaration, values, versions. Cases C17, I9, I21. What loops reduce is in t160. */
#include "support.h"

OP2_KERNEL(count, (int32_t *g, const int32_t *x), { *g += *x; });
OP2_KERNEL(take, (int32_t *x, const int32_t *g), { *x = *g; });
OP2_KERNEL(take_two, (double *x, const double g[2]), { *x = g[0] * 10 + g[1]; });

static void values(void) {
  op2_gbl zero = new_gbl(2, OP2_F64, NULL, "zero"),
          pair = new_gbl(2, OP2_F64, (double[]){1.5, -2}, "pair");
  double got[2] = {9, 9};
  MUST(op2_gbl_get(zero, got));
  EXPECT(got[0] == 0 && got[1] == 0);
  MUST(op2_gbl_get(pair, got));
  EXPECT(got[0] == 1.5 && got[1] == -2);
  MUST(op2_gbl_set(pair, (double[]){3, 4}));
  MUST(op2_gbl_get(pair, got));
  EXPECT(got[0] == 3 && got[1] == 4);
}

static void refused(void) {
  op2_gbl gbl = NULL, good = new_gbl(1, OP2_I32, NULL, "good");
  int32_t value = 0;
  REFUSED(OP2_ERR_ARG, op2_gbl_create(test_ctx, 0, OP2_F64, NULL, "rms", &gbl), "rms", "0");
  REFUSED(OP2_ERR_ARG, op2_gbl_create(test_ctx, -1, OP2_F64, NULL, "rms", &gbl), "rms", "-1");
  REFUSED(OP2_ERR_TYPE, op2_gbl_create(test_ctx, 1, (op2_type)42, NULL, "rms", &gbl), "rms", "42");
  REFUSED(OP2_ERR_ARG, op2_gbl_create(test_ctx, 1, OP2_F64, NULL, "rms", NULL));
  REFUSED(OP2_ERR_ARG, op2_gbl_get(NULL, &value));
  REFUSED(OP2_ERR_ARG, op2_gbl_get(good, NULL), "good");
  REFUSED(OP2_ERR_ARG, op2_gbl_set(NULL, &value));
  REFUSED(OP2_ERR_ARG, op2_gbl_set(good, NULL), "good");
  EXPECT(gbl == NULL);
}

/* A loop uses the values that the global had when the loop was queued. */
static void versions(void) {
  op2_set set = new_set(3, "cells");
  op2_dat x[3];
  op2_gbl g = new_gbl(1, OP2_I32, (int32_t[]){1}, "g");
  op2_kernel k = new_kernel(&take_kernel);
  for (int v = 0; v < 3; v++) {
    x[v] = new_dat(set, 1, OP2_I32, NULL, "x");
    MUST(op2_gbl_set(g, (int32_t[]){10 * v}));
    MUST(op2_par_loop(k, set, op2_arg_direct(x[v], OP2_WRITE), op2_arg_gbl(g, OP2_READ)));
  }
  MUST(op2_gbl_set(g, (int32_t[]){-1}));
  for (int v = 2; v >= 0; v--) EXPECT_VALUES(int32_t, x[v], 3, i, 10 * v);
  EXPECT_GBL(int32_t, g, -1);
}

/* A sum that is set to zero in a time loop: every step's sum is right, and the next step does not
 * disturb the read of a sum. */
static void zeroed_in_a_loop(void) {
  op2_set set = new_set(5, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, (int32_t[]){1, 2, 3, 4, 5}, "x"),
          y = new_dat(set, 1, OP2_I32, NULL, "y");
  op2_gbl g = new_gbl(1, OP2_I32, NULL, "sum");
  op2_kernel add = new_kernel(&count_kernel), get = new_kernel(&take_kernel);
  for (int step = 0; step < 4; step++) {
    MUST(op2_gbl_set(g, (int32_t[]){step}));
    MUST(op2_par_loop(add, set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(x, OP2_READ)));
    MUST(op2_par_loop(get, set, op2_arg_direct(y, OP2_WRITE), op2_arg_gbl(g, OP2_READ)));
    if (step % 2) EXPECT_GBL(int32_t, g, 15 + step);
  }
  EXPECT_VALUES(int32_t, y, 5, i, 18);
}

/* Setting a global discards queued sums into its earlier values. */
static void set_after_inc(void) {
  op2_set set = new_set(5, "cells");
  op2_dat x = new_dat(set, 1, OP2_I32, (int32_t[]){1, 2, 3, 4, 5}, "x");
  op2_gbl g = new_gbl(1, OP2_I32, NULL, "sum");
  op2_kernel add = new_kernel(&count_kernel);
  MUST(op2_par_loop(add, set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(x, OP2_READ)));
  MUST(op2_gbl_set(g, (int32_t[]){100}));
  EXPECT_GBL(int32_t, g, 100);
  MUST(op2_par_loop(add, set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(x, OP2_READ)));
  EXPECT_GBL(int32_t, g, 115);
  MUST(op2_par_loop(add, set, op2_arg_gbl(g, OP2_INC), op2_arg_direct(x, OP2_READ)));
  EXPECT_GBL(int32_t, g, 130);
}

static void destroyed_while_queued(void) {
  op2_set set = new_set(2, "cells");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = NULL;
  MUST(op2_gbl_create(test_ctx, 2, OP2_F64, (double[]){3, 7}, "pair", &g));
  MUST(op2_par_loop(new_kernel(&take_two_kernel), set, op2_arg_direct(x, OP2_WRITE),
                    op2_arg_gbl(g, OP2_READ)));
  op2_gbl_destroy(&g);
  EXPECT(!g);
  EXPECT_VALUES(double, x, 2, i, 37);
  op2_gbl_destroy(&g);
  op2_gbl_destroy(NULL);
}

static const struct test_case cases[] = {
    {"C17 values", values},
    {"globals that are refused", refused},
    {"loops keep the values they were queued with", versions},
    {"a sum zeroed in a time loop", zeroed_in_a_loop},
    {"I21 set after a reduction", set_after_inc},
    {"global destroyed while queued", destroyed_while_queued},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }

/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode warns of mistakes around loops: a variable that changes while the constant that
 * was made of it does not, and minima that still hold what was in them before. Programs that do
 * neither are not warned. */
#include <float.h>
#include <string.h>

#include "hear.h"
#include "support.h"

enum { CELLS = 5 };

OP2_KERNEL(smallest, (const double *x, double *dt), { *dt = *x < *dt ? *x : *dt; });
OP2_KERNEL(largest, (const double *x, double *most), { *most = *x > *most ? *x : *most; });

static op2_context ctx;
static op2_set cells;
static op2_dat x, y;
static op2_kernel least, most, scale;
static double factor = 2, factors[3] = {1, 2, 3};

static void set_up(void) {
  static const double values[CELLS] = {5, 4, 3, 2, 6};
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .log_level = 2};
  const op2_kernel_desc desc = {
      .name = "scaled", .source = "void scaled(const double *x, double *y) { *y = *x * cfac; }"};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_dat_create(cells, 1, OP2_F64, values, "x", &x));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "y", &y));
  CHECK(op2_kernel_create(ctx, &smallest_kernel, &least));
  CHECK(op2_kernel_create(ctx, &largest_kernel, &most));
  CHECK(op2_kernel_create(ctx, &desc, &scale));
}

static void tear_down(void) {
  op2_kernel_destroy(&scale);
  op2_kernel_destroy(&most);
  op2_kernel_destroy(&least);
  op2_dat_destroy(&y);
  op2_dat_destroy(&x);
  op2_set_destroy(&cells);
  CHECK(op2_finalize(&ctx));
}

static void run(op2_kernel kernel, op2_gbl gbl, op2_access access) {
  CHECK(op2_par_loop(kernel, cells, op2_arg_direct(x, OP2_READ), op2_arg_gbl(gbl, access)));
  CHECK(op2_flush(ctx));
}

static void says(const char *what, const char *name) {
  const char *said = hear_end();
  const bool right = what ? strstr(said, "op2 warning: ") && strstr(said, what) : !*said;
  if (!ok(right, "%s", name)) diag("said: %s", said);
}

static op2_gbl bound(double value) {
  op2_gbl gbl = NULL;
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, &value, "dt", &gbl));
  return gbl;
}

static void from_zero(void) {
  op2_gbl dt = bound(0);
  hear_begin();
  run(least, dt, OP2_MIN);
  says("loop 'smallest' over 'cells': no element is below the 0 that global 'dt' held before; a "
       "minimum counts that value too",
       "a minimum that starts from zero");
  hear_begin();
  run(least, dt, OP2_MIN);
  says(NULL, "is told once");
  op2_gbl_destroy(&dt);
  dt = bound(0);
  hear_begin();
  run(most, dt, OP2_MAX);
  says(NULL, "a maximum may start from zero");
  op2_gbl_destroy(&dt);
}

static void left_over(void) {
  const double high = DBL_MAX, low = -1, other = 3;
  op2_gbl dt = bound(DBL_MAX);
  hear_begin();
  run(least, dt, OP2_MIN);
  CHECK(op2_gbl_set(dt, &high));
  run(least, dt, OP2_MIN);
  CHECK(op2_gbl_set(dt, &low));
  run(least, dt, OP2_MIN);
  CHECK(op2_gbl_set(dt, &other));
  run(least, dt, OP2_MIN);
  says(NULL, "minima that are set before each loop");
  hear_begin();
  run(least, dt, OP2_MIN);
  says("no element is below the 2 that global 'dt' held before, which is what this loop had left "
       "in it",
       "a minimum that is not set again");
  op2_gbl_destroy(&dt);
  dt = bound(0);
  hear_begin();
  run(most, dt, OP2_MAX);
  says(NULL, "a maximum");
  hear_begin();
  run(most, dt, OP2_MAX);
  says("no element is above the 6", "a maximum that is not set again");
  op2_gbl_destroy(&dt);
}

static void constant(const void *from, int dim, op2_const *cst) {
  CHECK(op2_const_create(ctx, dim, OP2_F64, from, "cfac", cst));
}

static void scaled(const char *what, const char *name) {
  hear_begin();
  CHECK(op2_par_loop(scale, cells, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
  CHECK(op2_flush(ctx));
  says(what, name);
}

/* The stack of a function that has returned is used again. */
static void __attribute__((noinline)) of_local(op2_const *cst) {
  volatile double local[4] = {1.5, 2, 3, 4};
  constant((const void *)local, 1, cst);
}

static void constants(void) {
  double local = 1;
  op2_const cst = NULL;
  constant(&factor, 1, &cst);
  scaled(NULL, "a constant whose variable stays");
  factor = 1e-20;
  scaled("constant 'cfac' is 2 in loops, and the variable that it was made of is 1e-20 now",
         "a constant whose variable is changed");
  scaled(NULL, "is told once");
  CHECK(op2_const_set(cst, &factor));
  scaled(NULL, "a constant that is set");
  factor = 4;
  scaled("op2_const_set() changes a constant", "and whose variable is changed again");
  op2_const_destroy(&cst);
  constant(&local, 1, &cst);
  local = 0.5;
  scaled("is 1 in loops, and the variable that it was made of is 0.5 now", "a local variable");
  op2_const_destroy(&cst);
  of_local(&cst);
  scaled(NULL, "a local variable that is gone");
  op2_const_destroy(&cst);
  op2_const other = NULL;
  constant(&factor, 1, &cst);
  factor = 3;
  CHECK(op2_const_create(ctx, 1, OP2_F64, &factor, "cother", &other));
  scaled(NULL, "a variable of which another constant was made since");
  factor = 5;
  scaled("constant 'cother' is 3 in loops", "it is that one's");
  op2_const_destroy(&other);
  op2_const_destroy(&cst);
  CHECK(op2_const_create(ctx, 3, OP2_F64, factors, "table", &cst));
  factors[1] = 7;
  hear_begin();
  op2_gbl dt = bound(DBL_MAX);
  run(least, dt, OP2_MIN);
  says("constant 'table'[1] is 2 in loops", "a component");
  op2_gbl_destroy(&dt);
  op2_const_destroy(&cst);
}

int main(void) {
  test_environment();
  set_up();
  from_zero();
  left_over();
  constants();
  tear_down();
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in kernels: names of C library functions and of old compilers' macros can be used like any
 * other. And the limit of private copies, which live on stacks. */
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tap.h"

static op2_context ctx;
static op2_set set;
static op2_dat dat;

/* x after one loop of the kernel over x = 10, 20. */
static void run_kernel(const char *name, const char *source, double first, double second) {
  const op2_kernel_desc desc = {.name = name, .source = source};
  const double start[] = {10, 20};
  double x[2] = {0};
  op2_kernel kernel = NULL;
  if (CHECK(op2_dat_set(dat, start)) && CHECK(op2_kernel_create(ctx, &desc, &kernel)) &&
      CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW))) && CHECK(op2_dat_get(dat, x)))
    ok(x[0] == first && x[1] == second, "%s: %g %g", name, x[0], x[1]);
  op2_kernel_destroy(&kernel);
}

/* If a name in a kernel were bound to a symbol of the C library, the kernel would overwrite that
 * symbol, or crash. */
static void test_names(void) {
  run_kernel("own", "double glob; void own(double *x) { glob = x[0]; x[0] = 2 * glob; }", 20, 40);
  run_kernel("environ_of", "double environ = 3; void environ_of(double *x) { x[0] *= environ; }",
             30, 60);
  run_kernel("index", "void index(double *x) { x[0] += 1; }", 11, 21);
  run_kernel("linux", "void linux(double *x) { x[0] += 2; }", 12, 22);
  run_kernel("calls",
             "static double y0(double a) { return -a; } void calls(double *x) { x[0] = y0(x[0]); }",
             -10, -20);
}

static void test_private_limit(void) {
  const op2_kernel_desc desc = {.name = "big", .source = "void big(double *x) { x[0] += 1; }"};
  op2_kernel kernel = NULL;
  op2_dat fits = NULL, large = NULL;
  double *x = calloc(2 * 32768, sizeof *x);
  if (CHECK(op2_kernel_create(ctx, &desc, &kernel)) &&
      CHECK(op2_dat_create(set, 32768, OP2_F64, NULL, "fits", &fits)) &&
      CHECK(op2_dat_create(set, 32769, OP2_F64, NULL, "large", &large))) {
    CHECK(op2_par_loop(kernel, set, op2_arg_direct(fits, OP2_INC)));
    CHECK(op2_dat_get(fits, x));
    ok(x[0] == 1 && x[32768] == 1 && x[1] == 0, "256 KiB of private copies are possible");
    FAILS(op2_par_loop(kernel, set, op2_arg_direct(large, OP2_INC)), OP2_ERR_RANGE);
    ok(strstr(op2_error_message(), "'big'") && strstr(op2_error_message(), "large") &&
           strstr(op2_error_message(), __FILE__),
       "more are refused in the user's words: %s", op2_error_message());
    is_int(op2_queued(ctx), 0, "nothing was queued");
    CHECK(op2_par_loop(kernel, set, op2_arg_direct(large, OP2_RW)));
    CHECK(op2_flush(ctx));
  }
  free(x);
  op2_dat_destroy(&fits);
  op2_dat_destroy(&large);
  op2_kernel_destroy(&kernel);
}

int main(void) {
  test_environment();
  const op2_options options = {.cache_dir = test_cache()};
  if (CHECK(op2_init(&options, &ctx)) && CHECK(op2_set_create(ctx, 2, "pair", &set)) &&
      CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat))) {
    test_names();
    test_private_limit();
  }
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  return done();
}

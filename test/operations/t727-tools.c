/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiling tools of OP2_TOOLS_LIBS: one of the tests gets a beginning and an end of each loop, with
 * the kernel's name, of each flush and of each section; results stay what they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(twice, (double *x), { *x = 2 * *x + 1; });
OP2_KERNEL(total, (const double *x, double *sum), { *sum += *x; });

enum { SIZE = 5000, STEPS = 4, LINES = 1000 };

static double result[SIZE + 1];

static op2_status steps(op2_context ctx, op2_set set, op2_dat x, op2_gbl sum) {
  op2_kernel kernels[2] = {NULL, NULL};
  op2_status status = op2_kernel_create(ctx, &twice_kernel, &kernels[0]);
  if (!status) status = op2_kernel_create(ctx, &total_kernel, &kernels[1]);
  for (int s = 0; s < STEPS && !status; s++) {
    status = op2_section_begin(ctx, "step");
    if (!status) status = op2_par_loop(kernels[0], set, op2_arg_direct(x, OP2_RW));
    if (!status)
      status =
          op2_par_loop(kernels[1], set, op2_arg_direct(x, OP2_READ), op2_arg_gbl(sum, OP2_INC));
    if (!status) status = op2_flush(ctx);
    if (!status) status = op2_section_end(ctx, "step");
  }
  if (!status) status = op2_dat_get(x, result);
  if (!status) status = op2_gbl_get(sum, &result[SIZE]);
  op2_kernel_destroy(&kernels[0]);
  op2_kernel_destroy(&kernels[1]);
  return status;
}

static void run(const char *backend) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_gbl sum = NULL;
  const op2_options options = {
      .backend = backend, .threads = 2, .block_size = 256, .cache_dir = test_cache()};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, SIZE, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(steps(ctx, set, x, sum));
  op2_gbl_destroy(&sum);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
}

/* ---- what the tool has written --------------------------------------------------------------- */

static char lines[LINES][100];
static int nlines;

static void read_lines(const char *path) {
  FILE *file = fopen(path, "r");
  for (nlines = 0; file && nlines < LINES && fgets(lines[nlines], sizeof *lines, file); nlines++)
    lines[nlines][strcspn(lines[nlines], "\n")] = 0;
  if (file) fclose(file);
}

static int count(const char *text) {
  int n = 0;
  for (int i = 0; i < nlines; i++) n += strstr(lines[i], text) != NULL;
  return n;
}

/* True if every beginning has its end right behind it, with the same kind and id, and regions are
 * balanced. */
static bool are_pairs(void) {
  char kind[2][20];
  int id[2], depth = 0;
  for (int i = 0; i < nlines; i++) {
    depth += !strncmp(lines[i], "push ", 5) - !strcmp(lines[i], "pop");
    if (depth < 0 || !strncmp(lines[i], "end ", 4)) return false;
    if (strncmp(lines[i], "begin ", 6) != 0) continue;
    if (i + 1 == nlines || sscanf(lines[i], "begin %19s %d", kind[0], &id[0]) != 2 ||
        sscanf(lines[i + 1], "end %19s %d", kind[1], &id[1]) != 2 || id[0] != id[1] ||
        strcmp(kind[0], kind[1]) != 0)
      return false;
    i++;
  }
  return depth == 0;
}

static void judge(const char *backend, const char *fused) {
  const bool alone = !strcmp(fused, "0");
  ok(nlines > 2 && !strncmp(lines[0], "init 0 20171029 0", 17) &&
         !strcmp(lines[nlines - 1], "finalize"),
     "%s: the tool begins and ends once", backend);
  ok(are_pairs(), "%s: every beginning has its end", backend);
  if (alone) {
    is_int(count("begin for "), STEPS, "%s: each loop is one", backend);
    is_int(count(" twice"), STEPS, "%s: with its kernel's name", backend);
    is_int(count("begin reduce "), STEPS, "%s: each reduction is another", backend);
  } else {
    ok(count("twice+total") > 0, "%s: a fused loop has the names of both", backend);
  }
  is_int(count("begin fence "), STEPS, "%s: so is each flush", backend);
  is_int(count("push step"), STEPS, "%s: and each section", backend);
}

static void test_backend(const char *backend, const char *fused) {
  static double plain[SIZE + 1];
  char library[4096], path[4096];
  snprintf(library, sizeof library, "%s/test/libop2-test-connector.so", build_root());
  snprintf(path, sizeof path, "%s/calls", test_scratch());
  setenv("OP2_FUSE", fused, 1);
  run(backend);
  memcpy(plain, result, sizeof plain);
  setenv("OP2_TOOLS_LIBS", library, 1);
  setenv("OP2_TEST_CONNECTOR", path, 1);
  run(backend);
  unsetenv("OP2_TOOLS_LIBS");
  ok(!memcmp(plain, result, sizeof plain), "%s: the results are the same with a tool", backend);
  read_lines(path);
  judge(backend, fused);
}

/* A library that is not there is warned of, and nothing else. */
static void test_absent(void) {
  setenv("OP2_TOOLS_LIBS", ";/nowhere/at/all.so;", 1);
  run("sequential");
  unsetenv("OP2_TOOLS_LIBS");
}

int main(void) {
  test_environment();
  int b = 0;
  for (const char *backend; (backend = next_backend(host_backends, &b));)
    test_backend(backend, "0");
  if (!backend_unfit("openmp")) test_backend("openmp", "2");
  test_absent();
  return done();
}

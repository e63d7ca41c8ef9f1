/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of many sizes that a group moves together: on the emulation of a device no access of a warp asks
 * a bank of shared memory for more than two words, and the device's memory moves hardly more sectors
 * than the rows have. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulation/driver.h"
#include "support.h"

enum { N = 400, DIM_MAX = 144 };

static bool (*asked)(const char *name, int *words, long long *sectors, long long *least);

struct rows {
  op2_type type;
  int dim;
};

static const struct rows rows[] = {{OP2_F64, 4},  {OP2_F64, 8},  {OP2_F64, 16},  {OP2_F64, 17},
                                   {OP2_F64, 27}, {OP2_F64, 32}, {OP2_F64, 33},  {OP2_F64, 144},
                                   {OP2_F32, 7},  {OP2_F32, 16}, {OP2_F32, 32},  {OP2_F32, 64},
                                   {OP2_I32, 8},  {OP2_I64, 16}, {OP2_F32, 144}, {OP2_F64, 100}};

static void fill(const struct rows *r, char *values, int add) {
  for (int64_t i = 0; i < (int64_t)N * r->dim; i++) {
    const int v = (int)(i % 1000) + add;
    if (r->type == OP2_F64) ((double *)values)[i] = v;
    if (r->type == OP2_F32) ((float *)values)[i] = (float)v;
    if (r->type == OP2_I32) ((int32_t *)values)[i] = v;
    if (r->type == OP2_I64) ((int64_t *)values)[i] = v;
  }
}

static bool compute(op2_context ctx, const struct rows *r, const char *name, char *values) {
  char source[512];
  const char *type = r->type == OP2_F64   ? "double"
                     : r->type == OP2_F32 ? "float"
                     : r->type == OP2_I32 ? "int"
                                          : "long";
  op2_set set = NULL;
  op2_dat from = NULL, to = NULL;
  op2_kernel kernel = NULL;
  snprintf(source, sizeof source,
           "void %s(const %s *a, %s *b) { for (int k = 0; k < %d; k++) b[k] = a[k] + 1; }", name,
           type, type, r->dim);
  fill(r, values, 0);
  const op2_kernel_desc desc = {.name = name, .source = source, .file = "rows.c", .line = 1};
  bool good = CHECK(op2_set_create(ctx, N, "set", &set)) &&
              CHECK(op2_dat_create(set, r->dim, r->type, values, "a", &from)) &&
              CHECK(op2_dat_create(set, r->dim, r->type, NULL, "b", &to)) &&
              CHECK(op2_kernel_create(ctx, &desc, &kernel)) &&
              CHECK(op2_par_loop(kernel, set, op2_arg_direct(from, OP2_READ),
                                 op2_arg_direct(to, OP2_WRITE))) &&
              CHECK(op2_dat_get(to, values));
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&from);
  op2_dat_destroy(&to);
  op2_set_destroy(&set);
  return good;
}

static void try_rows(op2_context ctx, const struct rows *r) {
  static char values[N * DIM_MAX * 8], want[N * DIM_MAX * 8];
  char name[32], function[64];
  int words = -1;
  long long sectors = -1, least = -1;
  const size_t bytes =
      (size_t)N * (size_t)r->dim * (r->type == OP2_F64 || r->type == OP2_I64 ? 8 : 4);
  snprintf(name, sizeof name, "rows%d_%d", (int)r->type, r->dim);
  snprintf(function, sizeof function, "%s op2_once", name);
  if (!compute(ctx, r, name, values)) return;
  fill(r, want, 1);
  ok(memcmp(values, want, bytes) == 0, "rows of %d values, type %d: right values", r->dim,
     (int)r->type);
  const bool known = asked(function, &words, &sectors, &least);
  ok(known && words <= 2 && sectors <= least + least / 2,
     "rows of %d values, type %d: %d words of a bank, %lld sectors, %lld at least", r->dim,
     (int)r->type, words, sectors, least);
}

/* Quick runs try every second size. */
static void try_all(void) {
  const op2_options options = {.backend = "cuda", .cache_dir = test_cache()};
  op2_context ctx;
  if (!CHECK(op2_init(&options, &ctx))) return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i += quick() ? 2 : 1) try_rows(ctx, &rows[i]);
  ok(op2_finalize(&ctx) == OP2_SUCCESS, "the context ends");
}

int main(void) {
  setenv("OP2_TEST_EMULATION", "warps=1", 1);
  setenv("OP2_DEVICE_GRAPHS", "0", 1);
  test_environment();
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver) *(void **)&asked = dlsym(driver, "op2_emulation_warps");
  if (asked)
    try_all();
  else
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a constant cannot have because they have a meaning in C, and names that it can
 * have. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static op2_context ctx;

static void refused(const char *name, const char *because) {
  const double value = 1;
  op2_const c = NULL;
  op2_status status = op2_const_create(ctx, 1, OP2_F64, &value, name, &c);
  if (!ok(status == OP2_ERR_NAME && !c && strstr(op2_error_message(), name) &&
              strstr(op2_error_message(), because),
          "%s is refused: %s", name, op2_error_message()))
    op2_const_destroy(&c);
}

static void taken(const char *name) {
  const double value = 3;
  char source[256];
  op2_const c = NULL;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel kernel = NULL;
  double x = 0;
  snprintf(source, sizeof source, "void k(double *x_) { *x_ = %s + sqrt(4.0); }", name);
  const op2_kernel_desc desc = {.name = "k", .source = source};
  CHECK(op2_const_create(ctx, 1, OP2_F64, &value, name, &c));
  CHECK(op2_set_create(ctx, 1, "one", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE)));
  CHECK(op2_dat_get(dat, &x));
  ok(x == 5, "a constant called %s works", name);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  op2_const_destroy(&c);
}

/* Every macro that the headers of generated code define, except for the compilers' own. */
static void macros(void) {
  FILE *file = popen("printf '#include <float.h>\\n#include <math.h>\\n#include <stddef.h>\\n"
                     "#include <stdint.h>\\n' | cc -std=gnu11 -E -dM - 2>/dev/null",
                     "r");
  char line[512], name[256];
  int n = 0, missed = 0;
  while (file && fgets(line, sizeof line, file)) {
    const double value = 1;
    op2_const c = NULL;
    if (sscanf(line, "#define %255[A-Za-z0-9_]", name) != 1) continue;
    if (!strcmp(name, "linux") || !strcmp(name, "unix")) continue; /* kernels undefine them */
    n++;
    if (op2_const_create(ctx, 1, OP2_F64, &value, name, &c) != OP2_ERR_NAME) {
      missed++;
      diag("%s is not refused", name);
      op2_const_destroy(&c);
    }
  }
  int status = file ? pclose(file) : -1;
  if (status || n < 100)
    skip("no compiler called cc says which macros there are");
  else
    is_int(missed, 0, "all %d macros that a kernel sees are refused", n);
}

int main(void) {
  static const char *const c_names[] = {
      "M_PI",   "M_SQRT1_2", "M_PIl",        "sin",        "sinf",   "expl",     "pow",
      "abs",    "printf",    "memcpy",       "NULL",       "EOF",    "errno",    "stdin",
      "assert", "INT_MAX",   "NAN",          "INFINITY",   "isnan",  "DBL_MAX",  "FLT_EPSILON",
      "size_t", "int32_t",   "uint_fast8_t", "UINT64_MAX", "INT8_C", "offsetof", "exit",
      "malloc", "double_t",  "llround"};
  static const char *const words[] = {"int", "double", "while", "inline", "restrict",
                                      "asm", "typeof", "bool",  "true"};
  static const char *const reserved[] = {"__x", "_X", "_Bool", "_Static_assert", "__func__"};
  static const char *const ours[] = {"op2_k", "op2_c", "OP2_NAME", "op2i_x"};
  static const char *const good[] = {"gam",        "gamma", "y0",    "index", "time", "_x",
                                     "M_MAX",      "Sin",   "sind",  "F",     "FP",   "DBL",
                                     "int3",       "M_",    "M_PIx", "alpha", "op2",  "INTO_MAX",
                                     "interval_t", "nano",  "eps",   "l",     "f"};
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  test_environment();
  if (!CHECK(op2_init(&options, &ctx))) return done();
  for (size_t i = 0; i < sizeof c_names / sizeof *c_names; i++) refused(c_names[i], "of ");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) refused(words[i], "keyword");
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) refused(reserved[i], "reserves");
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) refused(ours[i], "library's own");
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) taken(good[i]);
  macros();
  CHECK(op2_finalize(&ctx));
  return done();
}

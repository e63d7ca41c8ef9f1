/* SPDX-License-Identifier: BSD-3-Clause */
/* If a kernel uses something that only the file around it defines, the message says that a kernel
 * sees its own text only, in every language and with every compiler. The same holds for parameters
 * whose type is none of op2's. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define LIMIT 3.0
static double outside(double a) { return a + 1; }
OP2_KERNEL(with_macro, (double *x), { *x = LIMIT; });
OP2_KERNEL(with_helper, (double *x), { *x = outside(*x); });

static const char *compiler;

/* The error message on the first read of what the kernel writes. */
static const char *message_of(const op2_kernel_desc *desc) {
  static char message[16384];
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .cc = compiler};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel kernel = NULL;
  double x[20];
  message[0] = '\0';
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, 20, "cells", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat);
  if (!status) status = op2_kernel_create(ctx, desc, &kernel);
  if (!status) status = op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW));
  if (!CHECK(status)) return message;
  FAILS(op2_dat_get(dat, x), OP2_ERR_COMPILE);
  snprintf(message, sizeof message, "%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  return message;
}

static void hinted(const op2_kernel_desc *desc, const char *name, const char *remedy) {
  char note[128];
  const char *message = message_of(desc);
  snprintf(note, sizeof note, "note: kernel '%s' uses '%s'", desc->name, name);
  const char *at = strstr(message, note);
  if (!ok(at && strstr(at, remedy) && !strstr(at + 1, "note: kernel"), "%s, %s: %s", compiler,
          desc->name, at ? at : "no note"))
    diag("%s", message);
}

static void plain(const char *name, const char *source) {
  const op2_kernel_desc desc = {.name = name, .source = source};
  const char *message = message_of(&desc);
  if (!ok(*message && !strstr(message, "note: kernel"), "%s: no note about %s", compiler, name))
    diag("%s", message);
}

static void hints(void) {
  const op2_kernel_desc prints = {.name = "prints",
                                  .source = "void prints(double *x) { printf(\"%g\", *x); }"};
  const op2_kernel_desc declared = {
      .name = "declared",
      .source = "double far_away(double);\nvoid declared(double *x) { *x = far_away(*x); }"};
  const op2_kernel_desc in_helper = {
      .name = "kernel",
      .source = "static double h(double a) { return a * FACTOR; }\n"
                "void kernel(double *x) { int FACTORS = 1; *x = h(*x) + FACTORS; }"};
  hinted(&with_macro_kernel, "LIMIT", "op2_const_create");
  hinted(&with_helper_kernel, "outside", "own text");
  hinted(&prints, "printf", "<stdio.h>");
  hinted(&declared, "far_away", "own text");
  hinted(&in_helper, "FACTOR", "op2_const_create");
  plain("mistyped", "void mistyped(double *x) {\n  struct { int a; } s = {1};\n  *x = s;\n}\n");
  plain("slip", "void slip(double *x) {\n  *x = 1\n}\n");
  plain("in_macro", "#define F(s) (s).b\n#define G F(1)\nvoid in_macro(double *x) { *x = G + F(2); "
                    "}");
  plain("member", "struct s { int a; };\nvoid member(double *x) { struct s s; *x = s.b; }\n");
}

/* ---- parameters ------------------------------------------------------------------------------ */

static op2_status queue(const char *before, const char *list, op2_type type, bool value) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  const uint64_t zero = 0;
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel kernel = NULL;
  char source[512];
  snprintf(source, sizeof source, "%s\nvoid k(%s) { }", before, list);
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, 20, "cells", &set);
  if (!status) status = op2_dat_create(set, 1, type, NULL, "x", &dat);
  const op2_kernel_desc desc = {.name = "k", .source = source};
  if (!status) status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status)
    status = op2_par_loop(kernel, set,
                          value ? op2_arg_val(&zero, 1, type) : op2_arg_direct(dat, OP2_READ));
  if (!status) status = op2_flush(ctx);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx)) diag("finalize");
  return status;
}

static void foreign(const char *before, const char *list) {
  op2_status status = queue(before, list, OP2_F64, false);
  ok(status == OP2_ERR_TYPE && strstr(op2_error_message(), "argument 0") &&
         strstr(op2_error_message(), "(x)"),
     "%s %s: refused at the call: %s", before, list, op2_error_message());
}

static void accepted(const char *before, const char *list, op2_type type, bool value) {
  op2_status status = queue(before, list, type, value);
  if (!ok(!status, "%s %s: taken", before, list)) diag("%s", op2_error_message());
}

static void parameters(void) {
  foreign("struct s { double *a; };", "struct s *x");
  foreign("struct s { double a[2]; };", "struct s *x");
  foreign("struct s { double a; int b; };", "struct s *x");
  accepted("struct s { double a; };", "struct s *x", OP2_F64, false);
  foreign("struct s { double a; int b; };", "const struct s *x");
  accepted("struct s { double a; };", "const struct s *x", OP2_F64, false);
  foreign("", "const struct later *x");
  foreign("typedef struct { double a; int b; } s;", "s *x");
  accepted("typedef struct { double a; } s;", "s *x", OP2_F64, false);
  foreign("typedef struct s s; struct s { double a; int b; };", "const s *x");
  accepted("typedef struct s s; struct s { double a; };", "const s *x", OP2_F64, false);
  foreign("union u { double a; };", "union u *x");
  foreign("", "void *x");
  foreign("", "const void *x");
  foreign("", "long double *x");
  foreign("", "double _Complex *x");
  foreign("", "void (*x)(double)");
  foreign("", "double **x");
  foreign("", "double *x[2]");
  foreign("", "float *x");
  foreign("#define S struct s", "S *x");
  accepted("typedef double real;", "const real *x", OP2_F64, false);
  accepted("typedef double real; typedef const real creal;", "creal *x", OP2_F64, false);
  accepted("#define REAL double", "const REAL *x", OP2_F64, false);
  accepted("typedef double v1[1];", "const v1 x", OP2_F64, false);
  accepted("#define UNUSED(x) x __attribute__((unused))", "double *UNUSED(x)", OP2_F64, false);
  accepted("enum e { A };", "const enum e *x", OP2_U32, false);
  accepted("", "const __typeof__(1.0) *x", OP2_F64, false);
  accepted("", "long double x", OP2_F64, true);
  accepted("", "_Bool x", OP2_U8, true);
}

/* A constant is destroyed while loops of its kernel wait for a compiler that will fail. */
static void without_its_constant(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  const op2_kernel_desc desc = {.name = "k", .source = "void k(double *x) { *x = fac * other; }"};
  const double two = 2;
  op2_context ctx;
  op2_set set;
  op2_dat dat;
  op2_const fac;
  op2_kernel kernel;
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, 20, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &two, "fac", &fac));
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE)));
  op2_const_destroy(&fac);
  FAILS(op2_flush(ctx), OP2_ERR_COMPILE);
  ok(strstr(op2_error_message(), "uses 'other'") && !strstr(op2_error_message(), "uses 'fac'"),
     "a constant that is gone was one when the loop was queued");
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  static const char *const compilers[] = {"gcc", "clang"};
  test_environment();
  ok(outside(LIMIT) == 4, "the program's own compiler knows both");
  parameters();
  without_its_constant();
  for (int i = 0; i < 4; i++) {
    char command[64];
    compiler = compilers[i % 2];
    setenv("LC_ALL", i < 2 ? "C" : "C.UTF-8", 1);
    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    if (system(command))
      skip("there is no %s", compiler);
    else
      hints();
  }
  return done();
}

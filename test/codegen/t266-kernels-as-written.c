/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels as people write them, with macros, types, tables, headers and conditionals of their own:
 * they are vector code if the backend has it, are fused with their neighbours, and give the same
 * bits as scalar code. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "support.h"

enum { N = 1003, DIM = 3 };

/* A function `void k(x, i, y)` of x[3], an int32_t i below 8 and y[3], after the declarations it
 * needs. */
struct written {
  const char *source;
  const char *headers[3];
};

static const struct written macro = {
    .source = "#define DIM 3\n"
              "#define HALF (ONE / 2) /* of what is defined below */\n"
              "#define ONE 1.0\n"
              "void k(const double *x, const int *i, double *y) {\n"
              "  for (int n = 0; n < DIM; n++) y[n] = HALF * x[DIM - 1 - n] + *i;\n"
              "}\n"};

static const struct written macro_with_arguments = {
    .source = "#define SQ(a) ((a) * (a))\n"
              "#define MAX(a, b) \\\n"
              "  ((a) > (b) ? (a) : (b))\n"
              "#define NORM(v) sqrt(SQ((v)[0]) + SQ((v)[1]) + SQ((v)[2]))\n"
              "void k(const double *x, const int *i, double *y) {\n"
              "  y[0] = NORM(x);\n"
              "  y[1] = MAX(SQ(MAX(x[0], x[1])), NORM(x));\n"
              "  y[2] = MAX(*i, 3);\n"
              "}\n"};

static const struct written scalar_type = {.source =
                                               "typedef double real;\n"
                                               "typedef int index;\n"
                                               "void k(const real *x, const index *i, real *y) {\n"
                                               "  for (index n = 0; n < 3; n++) {\n"
                                               "    const real t = (real)*i / 3;\n"
                                               "    y[n] = x[n] * t;\n"
                                               "  }\n"
                                               "}\n"};

static const struct written array_type = {
    .source = "typedef double real;\n"
              "typedef real vec3[3];\n"
              "typedef vec3 mat3[3];\n"
              "static void apply(const real a[3][3], const vec3 b, vec3 c) {\n"
              "  for (int m = 0; m < 3; m++) {\n"
              "    c[m] = 0;\n"
              "    for (int n = 0; n < 3; n++) c[m] += a[m][n] * b[n];\n"
              "  }\n"
              "}\n"
              "void k(const vec3 x, const int *i, vec3 y) {\n"
              "  mat3 a;\n"
              "  for (int m = 0; m < 3; m++)\n"
              "    for (int n = 0; n < 3; n++) a[m][n] = x[n] - m * *i;\n"
              "  apply((a), x, y);\n"
              "}\n"};

/* Pointers to rows, and rows that are themselves arrays. */
static const struct written rows_type = {
    .source = "typedef double one[1];\n"
              "typedef one three[3];\n"
              "void k(one *x, const int *i, three y) {\n"
              "  for (int n = 0; n < 3; n++) y[n][0] = x[n][0] / 3 + *i;\n"
              "}\n"};

static const struct written enumeration = {
    .source = "enum kind { NONE = -1, FIRST, SECOND, LAST = 1 << 2, };\n"
              "enum { WIDTH = LAST - SECOND };\n"
              "void k(const double *x, const int *i, double *y) {\n"
              "  double t[WIDTH] = {x[2], x[1], x[0]};\n"
              "  for (int n = FIRST; n < WIDTH; n++) {\n"
              "    switch (n) {\n"
              "    case FIRST: y[n] = t[n]; break;\n"
              "    case SECOND: y[n] = *i == LAST ? NONE : t[n]; break;\n"
              "    default: y[n] = t[n] * NONE;\n"
              "    }\n"
              "  }\n"
              "}\n"};

static const struct written constant = {
    .source = "static const double gravity = 9.80665, half = 1.0 / 2;\n"
              "const float little = 0.1f;\n"
              "static const int shift = -2;\n"
              "void k(const double *x, const int *i, double *y) {\n"
              "  y[0] = half * gravity * x[0];\n"
              "  y[1] = x[1] * little;\n"
              "  y[2] = *i > 3 ? *i + shift : x[2] / shift;\n"
              "}\n"};

static const struct written table = {
    .source = "#define POINTS 2\n"
              "static const double weights[8] = {0.5, 0.25, 0.125, 3, 4, 5, 6, 7.5};\n"
              "static const float shape[POINTS][3] = {{0.1f, 0.2f, 0.3f}, {0.4f, 0.5f}};\n"
              "const unsigned short deep[2][1][2] = {{{1, 2}}, {{3, 60000}}};\n"
              "void k(const double *x, const int *i, double *y) {\n"
              "  for (int n = 0; n < 3; n++) {\n"
              "    y[n] = weights[*i] * x[n];\n"
              "    for (int p = 0; p < POINTS; p++) y[n] += shape[p][n] * x[0] + deep[p][0][1];\n"
              "  }\n"
              "}\n"};

static const struct written pragma = {.source =
                                          "#pragma GCC diagnostic ignored \"-Wunused\"\n"
                                          "void k(const double *x, const int *i, double *y) {\n"
                                          "#pragma GCC unroll 3\n"
                                          "  for (int n = 0; n < 3; n++) y[n] = x[n] / 3 + *i;\n"
                                          "}\n"};

static const struct written header = {
    .source = "void k(const double *x, const int *i, double *y) {\n"
              "  bool odd = *i & 1;\n"
              "  for (int n = 0; n < 3; n++) y[n] = odd ? x[n] : abs(*i - 4);\n"
              "}\n",
    .headers = {"<string.h>", "<stdlib.h>", "<stdbool.h>"}};

static const struct written conditionals = {
    .source = "#define ORDER 2\n"
              "#ifndef WIDTH\n"
              "#define WIDTH 3\n"
              "#endif\n"
              "#if ORDER == 1\n"
              "static double f(double a) { return a; }\n"
              "#elif ORDER * WIDTH == 6 && !defined(FAST)\n"
              "static double f(double a) { return a * a / 3; }\n"
              "#else\n"
              "static double f(float a) { return a * a * a;\n"
              "#endif\n"
              "void k(const double *x, const int *i,\n"
              "#ifdef FAST\n"
              "       float *y) {\n"
              "#else\n"
              "       double *y) {\n"
              "#endif\n"
              "  for (int n = 0; n < WIDTH; n++) y[n] = f(x[n]) + *i;\n"
              "#if 0\n"
              "  this is not C\n"
              "#endif\n"
              "}\n"};

static const struct written helper = {.source =
                                          "#define INLINE static inline\n"
                                          "INLINE double mean(const double *a) {\n"
                                          "  typedef double real, pair[2];\n"
                                          "  enum { LAST = 2 };\n"
                                          "  pair p = {a[0] + a[1], a[LAST]};\n"
                                          "  const real third = 1.0 / 3;\n"
                                          "  return (p[0] + p[1]) * third;\n"
                                          "}\n"
                                          "void k(const double *x, const int *i, double *y) {\n"
                                          "  typedef float real;\n"
                                          "  const real r = 0.1;\n"
                                          "  y[0] = mean(x);\n"
                                          "  y[1] = y[2] = *i * r;\n"
                                          "}\n"};

static const struct written structure = {
    .source = "struct vec { double v[2]; int n; };\n"
              "static struct vec turned(struct vec a) {\n"
              "  if (a.n < 4) return (struct vec){{a.v[1], -a.v[0]}, a.n};\n"
              "  a.n = 0;\n"
              "  return a;\n"
              "}\n"
              "static void scale(struct vec *a, double by) { a->v[0] *= by, a->v[1] *= by; }\n"
              "void k(const double *x, const int *i, double *y) {\n"
              "  struct vec a = turned((struct vec){{x[0], x[1]}, *i});\n"
              "  if (x[2] > 0) scale(&a, x[2]);\n"
              "  y[0] = a.v[0];\n"
              "  y[1] = a.v[1];\n"
              "  y[2] = a.n;\n"
              "}\n"};

/* The rows of dats as structures. */
static const struct written row_structure = {
    .source = "typedef struct { double a, b; } pair;\n"
              "typedef struct { pair p; double c; } row;\n"
              "struct number { int32_t n; };\n"
              "static double sum(const row *r) { return r->p.a + r->p.b * r->c; }\n"
              "void k(const row *x, const struct number *i, row *y) {\n"
              "  y->p = x->p;\n"
              "  if (i->n > 3) y->p.b = sum(x) / 3;\n"
              "  y->c = x->c * i->n;\n"
              "}\n"};

static const struct written bits = {.source = "typedef union { double d; uint64_t u; } word;\n"
                                              "void k(const double *x, const int *i, double *y) {\n"
                                              "  word w = {x[0]};\n"
                                              "  w.u &= ~(uint64_t)0 << *i;\n"
                                              "  y[0] = w.d;\n"
                                              "  w.d = x[1];\n"
                                              "  y[1] = (double)(w.u >> 60);\n"
                                              "  y[2] = x[2];\n"
                                              "}\n"};

/* ---- running --------------------------------------------------------------------------------- */

struct run {
  double y[N * DIM], z[N * DIM];
  int64_t groups; /* fused groups of the last program, or -1 */
  char explained[65536];
};

static op2_dat new_values(op2_context ctx, op2_set set, int dim, op2_type type, const void *values,
                          const char *name) {
  op2_dat dat = NULL;
  (void)ctx;
  MUST(op2_dat_create(set, dim, type, values, name, &dat));
  return dat;
}

static void explain(op2_context ctx, struct run *run) {
  memset(run->explained, 0, sizeof run->explained);
  FILE *stream = fmemopen(run->explained, sizeof run->explained - 1, "w");
  if (!EXPECT(stream != NULL)) return;
  MUST(op2_explain(ctx, stream));
  fclose(stream);
}

/* The kernel, another one in which the same names mean something else, and one that reads the
 * results of both. */
static void run_in(op2_context ctx, const struct written *w, struct run *run) {
  static double x[N * DIM];
  static int32_t numbers[N];
  for (int n = 0; n < N * DIM; n++) x[n] = (n * 37 % 101 - 50) / 7.0;
  for (int n = 0; n < N; n++) numbers[n] = n * 5 % 8;
  op2_set set = NULL;
  op2_kernel kernels[3] = {NULL};
  MUST(op2_set_create(ctx, N, "cells", &set));
  op2_dat dats[] = {
      new_values(ctx, set, DIM, OP2_F64, x, "x"), new_values(ctx, set, 1, OP2_I32, numbers, "i"),
      new_values(ctx, set, DIM, OP2_F64, NULL, "y"), new_values(ctx, set, DIM, OP2_F64, NULL, "z")};
  const char *const headers[] = {w->headers[0], w->headers[1], w->headers[2], NULL};
  const op2_kernel_desc descs[] = {
      {.name = "k", .source = w->source, .headers = headers},
      {.name = "other",
       .source =
           "#define DIM 2\n#define SQ(a) (a + 1)\ntypedef float real;\nenum { FIRST = 2, WIDTH "
           "};\nstatic const float weights[2][2] = {{1.5f}, {0, 2}}, gravity = "
           "3;\nstatic double f(real a) { return a * gravity; }\nvoid other(const double *x, "
           "double *z) { for (int n = 0; n < WIDTH; n++) z[n] = weights[n % DIM][0] * f(x[n]) "
           "+ SQ(n) + FIRST; }"},
      {.name = "next",
       .source =
           "void next(const double *y, double *z) { for (int n = 0; n < 3; n++) z[n] += y[n] / "
           "7; }"}};
  for (int n = 0; n < 3; n++) MUST(op2_kernel_create(ctx, &descs[n], &kernels[n]));
  MUST(op2_par_loop(kernels[0], set, op2_arg_direct(dats[0], OP2_READ),
                    op2_arg_direct(dats[1], OP2_READ), op2_arg_direct(dats[2], OP2_WRITE)));
  MUST(op2_par_loop(kernels[1], set, op2_arg_direct(dats[0], OP2_READ),
                    op2_arg_direct(dats[3], OP2_WRITE)));
  MUST(op2_par_loop(kernels[2], set, op2_arg_direct(dats[2], OP2_READ),
                    op2_arg_direct(dats[3], OP2_RW)));
  MUST(op2_flush(ctx));
  const struct op2i_program *program = ctx->sched ? ctx->sched->caches.programs : NULL;
  run->groups = program ? program->grouping.ngroups : -1;
  MUST(op2_dat_get(dats[2], run->y));
  MUST(op2_dat_get(dats[3], run->z));
  explain(ctx, run);
  for (int n = 0; n < 4; n++) op2_dat_destroy(&dats[n]);
  for (int n = 0; n < 3; n++) op2_kernel_destroy(&kernels[n]);
  op2_set_destroy(&set);
}

/* Run in a new context with these options. */
static void run_apart(const op2_options *options, const struct written *w, struct run *run) {
  op2_context ctx = NULL;
  MUST(op2_init(options, &ctx));
  run_in(ctx, w, run);
  MUST(op2_finalize(&ctx));
}

/* True if op2_explain() reports vector code: with a device it may report the device instead. */
static bool vectors(void) {
  return !on_device() && test_ctx->backend->variant == OP2I_VECTOR &&
         test_ctx->config.simd_bytes >= 16;
}

static void says(const struct run *run, const char *text, bool want) {
  if (!EXPECT((strstr(run->explained, text) != NULL) == want))
    diag("%s'%s' in\n%s", want ? "no " : "", text, run->explained);
}

static void same_bits(const struct run *a, const struct run *b) {
  EXPECT(!memcmp(a->y, b->y, sizeof a->y));
  EXPECT(!memcmp(a->z, b->z, sizeof a->z));
}

static void check(const struct written *w) {
  static struct run got, want;
  const struct config scalar = {"sequential", true, 0};
  const op2_options options = config_options(&scalar);
  run_apart(&options, w, &want);
  run_in(test_ctx, w, &got);
  same_bits(&got, &want);
  if (!vectors()) return;
  says(&got, "scalar code", false);
  says(&got, "vector code", true);
  if (!test_config.eager && test_ctx->backend->passes) EXPECT(got.groups == 1);
}

#define CHECKS(kernel)                                                                             \
  static void check_##kernel(void) { check(&kernel); }
CHECKS(macro)
CHECKS(macro_with_arguments)
CHECKS(scalar_type)
CHECKS(array_type)
CHECKS(rows_type)
CHECKS(enumeration)
CHECKS(constant)
CHECKS(table)
CHECKS(pragma)
CHECKS(header)
CHECKS(conditionals)
CHECKS(helper)
CHECKS(structure)
CHECKS(row_structure)
CHECKS(bits)

/* ---- macros and names that other headers may define ------------------------------------------ */

static const char fast[] = "void k(const double *x, const int *i, double *y) {\n"
                           "#ifdef FAST\n"
                           "  double t = 2;\n"
                           "#else\n"
                           "  double t = 3;\n"
                           "#endif\n"
                           "  for (int n = 0; n < 3; n++) y[n] = t + 0 * (x[n] + *i);\n"
                           "}\n";

static void gives(const op2_options *options, const struct written *w, double want, bool vector) {
  static struct run run;
  run_apart(options, w, &run);
  EXPECT(run.y[0] == want && run.y[N * DIM - 1] == want);
  if (vectors()) says(&run, "kernel 'k' has a preprocessor line (2) on which", !vector);
}

static void flags(void) {
  op2_options options = config_options(&test_config);
  gives(&options, &(struct written){.source = fast}, 3, true);
  options.cflags = "-O2 -DFAST";
  gives(&options, &(struct written){.source = fast}, 2, false);
  options.cflags = "-O2 -DSLOW=1";
  gives(&options, &(struct written){.source = fast}, 3, false);
  options.cflags = "-O2 -g";
  gives(&options, &(struct written){.source = fast}, 3, true);
}

static void write_header(const char *name, const char *text, char path[4200]) {
  snprintf(path, 4200, "%s/%s", test_scratch(), name);
  FILE *file = fopen(path, "w");
  if (!EXPECT(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

/* Headers of a kernel's own, in one another, with guards and without, are read. */
static void nested_headers(void) {
  static struct run got, want;
  char first[4200], second[4200], third[4200];
  write_header("third.h",
               "#pragma once\ntypedef double real;\n#define THIRD 3\nstatic real third(real a) "
               "{ return a / THIRD; }\n",
               third);
  write_header("second.h",
               "#ifndef SECOND_H\n#define SECOND_H\n#include \"third.h\"\n/* not included:\n"
               "#include \"first.h\"\n*/\nstatic real half(real a) { return a / 2; }\n#endif\n",
               second);
  write_header("first.h",
               "#include \"third.h\"\n#include \"second.h\"\n#include \"second.h\"\nstatic inline "
               "real mean(const real *a) { return third(half(a[0] + a[1])); }\n",
               first);
  const struct written w = {
      .source = "void k(const real *x, const int *i, real *y) {\n"
                "  for (int n = 0; n < THIRD; n++) y[n] = mean(x) * n + half(*i);\n}\n",
      .headers = {first, "<string.h>"}};
  const struct config scalar = {"sequential", true, 0};
  const op2_options options = config_options(&scalar), here = config_options(&test_config);
  run_apart(&options, &w, &want);
  run_apart(&here, &w, &got);
  same_bits(&got, &want);
  if (vectors()) says(&got, "scalar code: kernel 'k'", false);
}

/* A refusal names the place in a header at which the reader could not follow. */
static void refused_headers(void) {
  static struct run run;
  char path[4200];
  const op2_options options = config_options(&test_config);
  write_header("rand.h", "#include <stdlib.h>\nstatic double f(void) { return rand() * 0.0; }\n",
               path);
  run_apart(&options,
            &(struct written){.source = "void k(const double *x, const int *i, double *y) { y[0] = "
                                        "f(); y[1] = *i; y[2] = x[2]; }",
                              .headers = {path}},
            &run);
  if (vectors()) says(&run, "calls rand in a header, which is not known", true);
  write_header("beyond.h", "#include <fenv.h>\n", path);
  run_apart(&options,
            &(struct written){.source = "void k(const double *x, const int *i, double *y) { y[0] = "
                                        "y[1] = *i; y[2] = x[2]; }",
                              .headers = {path}},
            &run);
  if (vectors()) says(&run, "includes <fenv.h>, which may define anything", true);
}

/* A constant of the loop goes before what a header declares under its name, in all forms. */
static void constant_in_header(void) {
  char path[4200];
  double x[40], two = 2;
  for (int n = 0; n < 40; n++) x[n] = n;
  write_header("scale.h", "static const double scale = 5;\n", path);
  op2_set set = new_set(40, "cells");
  op2_dat values = new_dat(set, 1, OP2_F64, x, "x");
  new_const(1, OP2_F64, &two, "scale");
  op2_kernel kernel =
      new_kernel(&(op2_kernel_desc){.name = "scaled",
                                    .source = "void scaled(double *x) { *x *= scale; }",
                                    .headers = (const char *[]){path, NULL}});
  MUST(op2_par_loop(kernel, set, op2_arg_direct(values, OP2_RW)));
  EXPECT_VALUES(double, values, 40, n, 2 * n);
  if (vectors()) EXPECT(explains("has headers that name a constant of the loop"));
}

static void own_header(void) {
  static struct run run;
  char path[4200];
  write_header("fast.h", "#define FAST 1\n", path);
  const op2_options options = config_options(&test_config);
  run_apart(&options, &(struct written){.source = fast, .headers = {path}}, &run);
  EXPECT(run.y[0] == 2);
  if (vectors()) says(&run, "scalar code: kernel 'k'", false);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refusals(void) {
  static const struct {
    const char *before, *body, *why;
  } cases[] = {
      {"#define JOIN(a) x##a\n", "double x1 = x[0]; y[0] = JOIN(1);",
       "uses the macro JOIN in line 2, which makes words or strings of its arguments"},
      {"#define F(...) fmax(__VA_ARGS__)\n", "y[0] = F(x[0], 1);",
       "uses the macro F in line 2, which takes any number of arguments"},
      {"#ifdef __GNUC__\n#define A 1\n#else\n#define A 1\n#endif\n", "y[0] = A;",
       "has a preprocessor line (1) on which its meaning may depend"},
      {"#pragma STDC FP_CONTRACT OFF\n", "y[0] = x[0];",
       "has a pragma in line 1 which may change what it computes"},
      {"static double t[2] = {1, 2};\n", "y[0] = t[0];", "uses t in line 2, which is not known"},
      {"#include <fenv.h>\n", "y[0] = x[0];",
       "includes <fenv.h> in line 1, which may define anything"},
  };
  static struct run got, want;
  const struct config scalar = {"sequential", true, 0};
  const op2_options options = config_options(&scalar), here = config_options(&test_config);
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    char source[512];
    snprintf(source, sizeof source,
             "%svoid k(const double *x, const int *i, double *y) { %s y[1] = *i; y[2] = x[2]; }",
             cases[n].before, cases[n].body);
    run_apart(&options, &(struct written){.source = source}, &want);
    run_apart(&here, &(struct written){.source = source}, &got);
    same_bits(&got, &want);
    if (vectors()) says(&got, cases[n].why, true);
  }
}

static const struct test_case cases[] = {
    {"a macro", check_macro},
    {"macros with arguments", check_macro_with_arguments},
    {"a type of numbers", check_scalar_type},
    {"a type of arrays", check_array_type},
    {"a type of rows", check_rows_type},
    {"enumerations", check_enumeration},
    {"constants of the file", check_constant},
    {"tables of the file", check_table},
    {"pragmas", check_pragma},
    {"headers", check_header},
    {"conditionals", check_conditionals},
    {"a helper with types of its own", check_helper},
    {"structures", check_structure},
    {"structures as rows", check_row_structure},
    {"a union", check_bits},
    {"what flags define", flags},
    {"what a header defines", own_header},
    {"headers in headers", nested_headers},
    {"what of headers is not followed", refused_headers},
    {"a constant's name in a header", constant_in_header},
    {"refusals", refusals},
};

/* With this setting each kernel and its neighbour are fused the first time. */
int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, RUN_ONE_BLOCK);
}

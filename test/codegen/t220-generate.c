/* SPDX-License-Identifier: BSD-3-Clause */
/* The generated text: golden files, and the changes to a kernel's source. OP2_TEST_UPDATE=1 writes
 * the golden files anew: check the difference before committing it. */
#include <string.h>

#include "backend.h"
#include "cgen.h"
#include "devgen.h"
#include "golden_case.h"
#include "kernel_checks.h"
#include "loop_case.h"
#include "mem.h"
#include "signature.h"
#include "tap.h"
#include "text.h"

/* ---- golden files ---------------------------------------------------------------------------- */

static void generates(struct loop_case *c, enum op2i_variant variant, const char *name) {
  struct op2i_text text = {0};
  bool mergeable;
  if (CHECK(op2i_generate(&c->loop, variant, &text, &mergeable))) matches_golden(text.chars, name);
  op2i_text_free(&text);
}

static void generates_for(struct loop_case *c, const struct op2i_device_dialect *dialect,
                          const char *name) {
  struct op2i_text text = {0};
  if (CHECK(op2i_device_generate(&c->loop, dialect, &text))) matches_golden(text.chars, name);
  op2i_text_free(&text);
}

/* Generate for CUDA and for OpenCL. */
static void generates_as(struct loop_case *c, enum op2i_device_strategy strategy,
                         const char *name) {
  const struct op2i_device_dialect *const dialects[] = {&op2i_dialect_cuda, &op2i_dialect_opencl};
  for (int d = 0; d < 2; d++) {
    struct op2i_text text = {0};
    char golden[64];
    snprintf(golden, sizeof golden, "%s-%s-%s", dialects[d]->name, name,
             op2i_strategy_name(strategy));
    if (CHECK(op2i_device_generate_by(&c->loop, dialects[d], strategy, &text)))
      matches_golden(text.chars, golden);
    op2i_text_free(&text);
  }
}

/* Every strategy but OWNER, which does not support minima. */
static void generates_by(struct loop_case *c, const char *name) {
  static const enum op2i_device_strategy strategies[] = {OP2I_DEVICE_REPEAT, OP2I_DEVICE_GATHER,
                                                         OP2I_DEVICE_STAGED, OP2I_DEVICE_UNSTAGED,
                                                         OP2I_DEVICE_SERIAL, OP2I_DEVICE_ATOMICS};
  for (int s = 0; s < 6; s++) generates_as(c, strategies[s], name);
}

static void gas_constants(struct loop_case *c) {
  case_const(c, "gam", 1, OP2_F64);
  case_const(c, "gm1", 1, OP2_F64);
  case_const(c, "qinf", 4, OP2_F64);
}

static void golden_copy(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "copy",
                   "void copy(const double *q, double *old) {\n  for (int n = 0; n < 4; n++) "
                   "old[n] = q[n];\n}\n"));
  case_dat(&c, 0, 4, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 1, 4, OP2_F64, 0, -1, OP2_WRITE);
  generates(&c, OP2I_PLAIN, "copy");
  generates_for(&c, &op2i_dialect_cuda, "cuda-copy");
  case_end(&c);
}

static const char area_source[] =
    "void area(const double *a, const double *b, const double *c, float *out) {\n"
    "  *out = (float)(0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])));\n"
    "}\n";

static void golden_area(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "area", area_source));
  case_map(&c, 0, 3);
  for (int i = 0; i < 3; i++) case_dat(&c, 0, 2, OP2_F64, i, 0, OP2_READ);
  case_dat(&c, 1, 1, OP2_F32, 0, -1, OP2_WRITE);
  generates(&c, OP2I_PLAIN, "area");
  case_end(&c);
}

static void golden_numbers(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "tell",
                   "void tell(double *w, const int *all, int one, const int *other) {\n"
                   "  *w = all[0] + all[1] + one + *other;\n}\n"));
  case_map(&c, 0, 2);
  case_map(&c, 1, 3);
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_WRITE);
  case_map_idx(&c, 0, OP2_ALL);
  case_map_idx(&c, 0, 1);
  case_map_idx(&c, 1, 2);
  generates(&c, OP2I_PLAIN, "tell");
  generates(&c, OP2I_CHECKED, "tell-check");
  case_end(&c);
}

static const char flux_source[] =
    "/* Pressure of a state. */\n"
    "static double pressure(const double q[4]) { return gm1 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * "
    "q[2]) / q[0]); }\n"
    "void flux(const double *x1, const double *x2, const double *q1, const double *q2, double "
    "*res1, double *res2) {\n"
    "  double dy = x1[1] - x2[1], p = 0.5 * (pressure(q1) + pressure(q2)) * gam;\n"
    "  for (int n = 0; n < 4; n++) {\n"
    "    double gam = p * dy * (q1[n] - qinf[n]); // hides the constant\n"
    "    res1[n] += gam;\n"
    "    res2[n] -= gam;\n"
    "  }\n"
    "}\n";

static void flux_case(struct loop_case *c) {
  CHECK(case_begin(c, "flux", flux_source));
  c->kernel.file = (char *)"flow \"2\"\\flux.c";
  c->kernel.line = 41;
  case_map(c, 0, 2);
  case_map(c, 1, 2);
  for (int i = 0; i < 2; i++) case_dat(c, 0, 2, OP2_F64, i, 0, OP2_READ);
  for (int i = 0; i < 2; i++) case_dat(c, 1, 4, OP2_F64, i, 1, OP2_READ);
  for (int i = 0; i < 2; i++) case_dat(c, 2, 4, OP2_F64, i, 1, OP2_INC);
  gas_constants(c);
}

static void golden_flux(void) {
  struct loop_case c;
  flux_case(&c);
  generates(&c, OP2I_PLAIN, "flux");
  generates(&c, OP2I_CHECKED, "flux-checked");
  generates_for(&c, &op2i_dialect_cuda, "cuda-flux");
  generates_for(&c, &op2i_dialect_opencl, "opencl-flux");
  generates_as(&c, OP2I_DEVICE_OWNER, "flux");
  case_end(&c);
}

/* Two maps and types, a reduction, and the element's own values. */
static void golden_edges(void) {
  struct loop_case c;
  CHECK(case_begin(
      &c, "edges",
      "void edges(const double *x1, const double *x2, double *w, double *r1, double *r2, "
      "float *s, double *sum) {\n"
      "  *w = x1[0] - x2[0];\n  r1[0] += *w;\n  r2[1] -= *w;\n  if (*w < *s) *s = "
      "(float)*w;\n  *sum += *w;\n}\n"));
  case_map(&c, 0, 2);
  case_map(&c, 1, 3);
  for (int i = 0; i < 2; i++) case_dat(&c, 0, 2, OP2_F64, i, 0, OP2_READ);
  case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_WRITE);
  for (int i = 0; i < 2; i++) case_dat(&c, 2, 2, OP2_F64, i, 0, OP2_INC);
  case_dat(&c, 3, 1, OP2_F32, 2, 1, OP2_MIN);
  case_gbl(&c, 0, 1, OP2_F64, OP2_INC);
  generates_by(&c, "edges");
  case_end(&c);
}

static void golden_update(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "update",
                   "void update(const double *old, double *q, double *rms, double *low, const "
                   "double *scale, float dt) {\n"
                   "  q[0] = old[0] * *scale * dt;\n  *rms += q[0] * q[0];\n  if (q[0] < low[1]) "
                   "low[1] = q[0];\n}\n"));
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 1, 1, OP2_F64, 0, -1, OP2_RW);
  case_gbl(&c, 0, 1, OP2_F64, OP2_INC);
  case_gbl(&c, 1, 2, OP2_F64, OP2_MIN);
  case_gbl(&c, 2, 1, OP2_F64, OP2_READ);
  case_val(&c, 1, OP2_F32);
  generates(&c, OP2I_PLAIN, "update");
  generates_for(&c, &op2i_dialect_opencl, "opencl-update");
  case_end(&c);
}

static void golden_where(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "extremes",
                   "void extremes(const double *x, double *most, int *i, float at[2], const "
                   "double *xy, const double *y, long long *least, long long *j, int number) {\n"
                   "  if (*x > *most) { *most = *x; *i = number; at[0] = xy[0]; at[1] = xy[1]; }\n"
                   "  if (*y < *least) { *least = *y; *j = number; }\n}\n"));
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_READ);
  case_gbl(&c, 0, 1, OP2_F64, OP2_MAX);
  case_info(&c, 1, 1, OP2_I32, 1);
  case_info(&c, 2, 2, OP2_F32, 1);
  case_dat(&c, 1, 2, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 2, 1, OP2_F64, 0, -1, OP2_READ);
  case_gbl(&c, 3, 1, OP2_I64, OP2_MIN);
  case_info(&c, 4, 1, OP2_I64, 6);
  case_idx(&c);
  generates(&c, OP2I_PLAIN, "extremes");
  generates_for(&c, &op2i_dialect_cuda, "cuda-extremes");
  generates_for(&c, &op2i_dialect_opencl, "opencl-extremes");
  case_end(&c);
}

/* The remaining features: a subset, all slots at once in every form, a user's type, a macro, the
 * element's number. */
static void golden_gather(void) {
  struct loop_case c;
  CHECK(case_begin(&c, "gather",
                   "#define HALF 0.5\ntypedef double real;\n"
                   "void gather(real *const in[2], real *sum[2], real *low[2], const real *w, real "
                   "(*moved)[1], int e,\n"
                   "            const int64_t *ep, const unknown *v) {\n"
                   "  *sum[0] += HALF * *in[0] * w[e + *ep];\n  *low[1] = **in;\n  moved[0][0] = "
                   "moved[1][0];\n}\n"));
  case_over_subset(&c);
  case_map(&c, 0, 2);
  case_dat(&c, 0, 1, OP2_F64, OP2_ALL, 0, OP2_READ);
  case_dat(&c, 1, 1, OP2_F64, OP2_ALL, 0, OP2_INC);
  case_dat(&c, 2, 1, OP2_F64, OP2_ALL, 0, OP2_MIN);
  case_dat(&c, 0, 1, OP2_F64, OP2_ITER(0), 0, OP2_READ);
  case_dat(&c, 3, 1, OP2_F64, OP2_ITER(0), 0, OP2_RW);
  case_idx(&c);
  case_idx(&c);
  case_val(&c, 3, OP2_I32);
  generates(&c, OP2I_PLAIN, "gather");
  generates(&c, OP2I_CHECKED, "gather-checked");
  case_end(&c);
}

/* Too many values to unroll. */
static void golden_large(void) {
  struct loop_case c;
  CHECK(
      case_begin(&c, "large",
                 "void large(float **a, float *b, int *g) { a[0][0] += 1; b[0] = 2; g[0] = 3; }"));
  case_map(&c, 0, 40);
  case_dat(&c, 0, 3, OP2_F32, OP2_ALL, 0, OP2_INC);
  case_dat(&c, 1, 3, OP2_F32, OP2_ITER(0), 0, OP2_RW);
  case_gbl(&c, 0, 100, OP2_I32, OP2_MAX);
  generates(&c, OP2I_PLAIN, "large");
  case_end(&c);
}

/* ---- the kernel's source --------------------------------------------------------------------- */

/* Check the kernel's source in a loop with constants c1 (scalar) and c2 (array). */
static void becomes(const char *source, const char *want, const char *name) {
  struct loop_case c;
  struct op2i_text text = {0};
  bool mergeable;
  CHECK(case_begin(&c, "k", source));
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_RW);
  case_const(&c, "c1", 1, OP2_F64);
  case_const(&c, "c2", 3, OP2_I32);
  if (CHECK(op2i_generate(&c.loop, OP2I_PLAIN, &text, &mergeable))) {
    char *begin = strstr(text.chars, "#line 1 \"kernel:k\"\n");
    char *end = strstr(text.chars, "\n\n#line 1 \"op2:k\"\n");
    if (end) *end = '\0';
    is_str(begin && end ? begin + 19 : "no #line", want, "%s", name);
  }
  op2i_text_free(&text);
  case_end(&c);
}

#define CONSTS "const struct OP2_NAME(op2_consts) *__restrict__ op2_consts"

static void test_source(void) {
  becomes("void k(double *x) { x[0] = 1; }",
          "static inline void OP2_NAME(k)(double *x) { x[0] = 1; }", "made static inline");
  becomes("static void k(double *x) { }", "static inline  void OP2_NAME(k)(double *x) { }",
          "static already");
  becomes("inline void k(double *x) { }", "static inline  void OP2_NAME(k)(double *x) { }",
          "inline already");
  becomes("extern __inline__ void k(double *x) { }",
          "static inline   void OP2_NAME(k)(double *x) { }", "extern goes");
  becomes("void k(double *x) { x[0] = c1 + c2[1]; }",
          "static inline void OP2_NAME(k)(" CONSTS
          ", double *x) { x[0] = op2_consts->c1 + op2_consts->c2[1]; }",
          "constants");
  becomes("double g(void) { return c1; } double h(void) { return 1; } void k(double *x) { x[0] = "
          "g() + h(); }",
          "static inline double OP2_NAME(g)(" CONSTS
          ") { return op2_consts->c1; } static inline double OP2_NAME(h)(void) { return "
          "1; } static inline void OP2_NAME(k)(" CONSTS
          ", double *x) { x[0] = OP2_NAME(g)(op2_consts) + OP2_NAME(h)(); }",
          "constants of a helper; one that has none");
  becomes("static double g(double a);\nvoid k(double *x) { x[0] = g(g(1)); }\nstatic double "
          "g(double a) { return a * c1; }",
          "static inline  double OP2_NAME(g)(" CONSTS
          ", double a);\nstatic inline void OP2_NAME(k)(" CONSTS
          ", double *x) { x[0] = OP2_NAME(g)(op2_consts, OP2_NAME(g)(op2_consts, 1)); }\nstatic "
          "inline  "
          "double OP2_NAME(g)(" CONSTS ", double a) { return a * op2_consts->c1; }",
          "a prototype, and calls before the definition");
  becomes(
      "void a(int n); void b(int n) { if (n) a(n - 1); } void a(int n) { b(n); c1; } void "
      "k(double *x) { b(3); }",
      "static inline void OP2_NAME(a)(" CONSTS ", int n); static inline void OP2_NAME(b)(" CONSTS
      ", int n) { if (n) OP2_NAME(a)(op2_consts, n - 1); } static inline void OP2_NAME(a)(" CONSTS
      ", int n) { OP2_NAME(b)(op2_consts, n); op2_consts->c1; } static inline void "
      "OP2_NAME(k)(" CONSTS ", double *x) { OP2_NAME(b)(op2_consts, 3); }",
      "functions that call each other");
  becomes("void k(double *x) { double c1 = 2; x->c2 = c1; { int k = 1; x[0] = k; } }",
          "static inline void OP2_NAME(k)(double *x) { double c1 = 2; x->c2 = c1; { int k = 1; "
          "x[0] = k; } }",
          "locals and members of the names");
  becomes("void k(double *c1) { *c1 = 1; /* c1 */ }",
          "static inline void OP2_NAME(k)(double *c1) { *c1 = 1; /* c1 */ }",
          "a parameter of the name; comments");
  becomes("void k(double *x) { x[0] = sqrt(c1); }",
          "static inline void OP2_NAME(k)(" CONSTS ", double *x) { x[0] = sqrt(op2_consts->c1); }",
          "library functions keep theirs");
  becomes("#define D 2\nstatic double g(double a) { return a * c1; }\nvoid k(double *x) { x[0] = "
          "g(D); }",
          "#define D 2\nstatic inline  double g(" CONSTS
          ", double a) { return a * op2_consts->c1; }\nstatic inline void k(" CONSTS
          ", double *x) { x[0] = g(op2_consts, D); }",
          "macros might use the names of functions, which stay");
  becomes("extern double c1;\nvoid k(double *x) { x[0] = c1; }",
          "extern double c1;\nstatic inline void k(" CONSTS
          ", double *x) { x[0] = op2_consts->c1; }",
          "declared extern");
  becomes("void k(double *x) {\n#ifdef A\n x[0] = c1;\n#else\n x[0] = 2;\n#endif\n}",
          "static inline void k(" CONSTS
          ", double *x) {\n#ifdef A\n x[0] = op2_consts->c1;\n#else\n x[0] = 2;\n#endif\n}",
          "both branches of a conditional");
  becomes("void k(double *x) { x[0] = 1; } // \\",
          "static inline void OP2_NAME(k)(double *x) { x[0] = 1; } // \\", "a comment at the end");
}

/* Macros stay as they are, unless they call functions that take the constants. */
static void test_macros(void) {
  becomes("#define A (c1 + 1)\nvoid k(double *x) { x[0] = A + c2[0]; }",
          "#define A (c1 + 1)\nstatic inline void k(" CONSTS
          ", double *x) { const double c1 = op2_consts->c1; { x[0] = A + op2_consts->c2[0]; } }",
          "a constant in a macro, and one that is not");
  becomes("void k(double *x) { x[0] = A(0); }\n#define A(i) (c1 + c2[i])",
          "static inline void k(" CONSTS
          ", double *x) { const double c1 = op2_consts->c1; const int32_t *const c2 = "
          "op2_consts->c2; { x[0] = A(0); } }\n#define A(i) (c1 + c2[i])",
          "an array");
  becomes("#define N sizeof c2\nvoid k(double *x) { x[0] = N; }",
          "#define N sizeof c2\nstatic inline void k(" CONSTS
          ", double *x) { const int32_t c2[3] = {op2_consts->c2[0], op2_consts->c2[1], "
          "op2_consts->c2[2]}; { x[0] = N; } }",
          "an array whose size is asked for");
  becomes("#define A c1\nstatic double g(double c1) { return A; }\nvoid k(double *x) { x[0] = "
          "g(2); }",
          "#define A c1\nstatic inline  double g(" CONSTS
          ", double c1) { return A; }\nstatic inline void k(" CONSTS
          ", double *x) { x[0] = g(op2_consts, 2); }",
          "a parameter of the name");
  becomes("#define c1 2\nvoid k(double *x) { x[0] = c1; }",
          "#define c1 2\nstatic inline void k(double *x) { x[0] = c1; }", "a macro of the name");
  becomes("#define c1 (c1 + 1)\nvoid k(double *x) { x[0] = c1; }",
          "#define c1 (op2_consts->c1 + 1)\nstatic inline void k(" CONSTS
          ", double *x) { x[0] = c1; }",
          "a macro of the name and of the constant");
}

static void test_macro_arguments(void) {
  becomes("#define S(a) #a\n#define T(s, a) s.a\nvoid k(double *x) { x[0] = S(c1)[0]; x[1] = "
          "T(x, c1); }",
          "#define S(a) #a\n#define T(s, a) s.a\nstatic inline void k(" CONSTS
          ", double *x) { const double c1 = op2_consts->c1; { x[0] = S(c1)[0]; x[1] = T(x, c1); } "
          "}",
          "a name in a macro's arguments");
  becomes("static double g(double a) { return a * c1; }\n#define G(a, s) (g(a) + s.g + s->g + a##g "
          "+ \"g\")\n#define H(g) g\nvoid k(double *x) { x[0] = G(1, 2) + g(2) + H(g)(3); }",
          "static inline  double g(" CONSTS
          ", double a) { return a * op2_consts->c1; }\n#define G(a, s) (op2_call_g(a) + s.g + s->g "
          "+ a##g + \"g\")\n#define H(g) g\nstatic inline void k(" CONSTS
          ", double *x) { x[0] = G(1, 2) + g(op2_consts, 2) + H(op2_call_g)(3); }",
          "functions that macros call");
}

/* ---- mergeable ------------------------------------------------------------------------------- */

static void mergeable_is(const char *headers, const char *source, bool want, const char *name) {
  struct loop_case c;
  struct op2i_text text = {0};
  bool mergeable = !want;
  CHECK(case_begin(&c, "k", source));
  c.kernel.headers = (char *)headers;
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_RW);
  CHECK(op2i_generate(&c.loop, OP2I_PLAIN, &text, &mergeable));
  ok(mergeable == want, "%s %s a translation unit", name, want ? "shares" : "does not share");
  op2i_text_free(&text);
  case_end(&c);
}

static void test_mergeable(void) {
  const char *k = "void k(double *x) { struct s { int a; } b; typedef int t; (void)b; }";
  mergeable_is("", k, true, "a function");
  mergeable_is("", "double g(void); void k(double *x) { };", true,
               "prototypes and stray semicolons");
  mergeable_is("#include <math.h>\n#include <stdint.h>\n", k, true, "a header that all see");
  mergeable_is("#include <complex.h>\n", k, false, "another header");
  mergeable_is("#include \"a.h\"\n/* digest */\n", k, false, "a header of the user's");
  mergeable_is("", "#define A\nvoid k(double *x) { }", false, "a macro");
  mergeable_is("", "typedef double real; void k(double *x) { }", false, "a type");
  mergeable_is("", "enum { A }; void k(double *x) { }", false, "an enumeration");
  mergeable_is("", "static int a; void k(double *x) { }", false, "a variable");
  mergeable_is("", "void k(double *x) {\n#pragma GCC unroll 4\nfor (;;) ; }", false, "a pragma");
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Let each allocation fail in turn. */
static void fails(struct loop_case *c, const char *name) {
  struct op2i_text text = {0}, again = {0};
  bool mergeable;
  op2i_mem_fail_at(0);
  CHECK(op2i_generate(&c->loop, OP2I_PLAIN, &text, &mergeable));
  int64_t allocations = op2i_mem_fail_at(0), wrong = 0;
  CHECK(op2i_generate(&c->loop, OP2I_PLAIN, &again, &mergeable));
  is_str(again.chars, text.chars, "%s: the same loop gives the same text", name);
  for (int64_t n = 1; n <= allocations; n++) {
    struct op2i_text failed = {0};
    op2i_mem_fail_at(n);
    wrong += op2i_generate(&c->loop, OP2I_PLAIN, &failed, &mergeable) != OP2_ERR_NOMEM;
    op2i_text_free(&failed);
  }
  op2i_mem_fail_at(0);
  ok(allocations > 5, "%s: generating allocates", name);
  is_int(wrong, 0, "%s: each allocation that fails is OP2_ERR_NOMEM", name);
  op2i_text_free(&text);
  op2i_text_free(&again);
}

static void test_memory(void) {
  struct loop_case c;
  flux_case(&c);
  fails(&c, "flux");
  case_end(&c);
  CHECK(case_begin(&c, "k",
                   "#define A c1\nstatic double f(void) { return A; }\n#define F f()\nvoid "
                   "k(double *x) { *x = F; }"));
  case_dat(&c, 0, 1, OP2_F64, 0, -1, OP2_RW);
  case_const(&c, "c1", 1, OP2_F64);
  fails(&c, "macros");
  case_end(&c);
}

/* ---- choice of the strategy ------------------------------------------------------------------ */

static void operations_are(const char *source, int want, const char *name) {
  is_int((int)op2i_source_operations(source), want, "operations of %s", name);
}

static void test_operations(void) {
  operations_are("void k(double *x) { x[0] = x[1] + x[2] * 3; }", 3, "a sum and a product");
  operations_are("void k(double *x) { x[0] = sqrt(x[1] / 2); }", 17, "a root and a division");
  operations_are("void k(double *x) { for (int i = 0; i < 5; i++) { x[i] += 1; } }", 11,
                 "a loop of five");
  operations_are("void k(double *x) { for (int i = 0; i < 5; i++) for (int j = 0; j < 2; j++) "
                 "x[i] += x[j]; x[0] -= 1; }",
                 27, "loops in each other, and what is behind them");
  operations_are("void k(double *x, int n) { while (n) x[n] *= 2, n = x[n]; }", 5,
                 "a loop of nobody knows how many");
}

static void test_recursion(void) {
  ok(op2i_source_recurs("static double f(double a) { return f(a); }"), "a call of itself");
  ok(op2i_source_recurs("static double f(double a);\nstatic double g(double a) { return f(a); }\n"
                        "static double f(double a) { return g(a); }"),
     "by another function");
  ok(op2i_source_recurs("#define F(a) G\n#define G f(1)\nstatic double f(double a) { return F(a); "
                        "}"),
     "by macros");
  ok(op2i_source_recurs("static double f(double a);\n#define F(a) f(a)\nstatic double g(double a) "
                        "{ return F(a); }\nstatic double f(double a) { return g(F(a)); }"),
     "by another function and a macro");
  ok(!op2i_source_recurs("static double f(double f) { return f; }\nstatic double g(double a) { "
                         "return f(f(a)); }"),
     "no call of itself: calls of others, a parameter of the name");
  ok(!op2i_source_recurs("static double f(double a) { return a; }\n#define f(a) (f(a) + 1)\n"
                         "#define A B\n#define B (A + f(1))\nvoid k(double *x) { *x = f(B); }"),
     "macros that come to themselves");
}

/* An element increments n targets through one map, by a kernel that contains a loop of `turns`
 * iterations. */
static void chooses(int n, int turns, enum op2i_device_strategy want, const char *name) {
  struct loop_case c;
  struct op2i_device_form form;
  char source[256];
  snprintf(
      source, sizeof source,
      "void k(const double *w, double **r) {\n  for (int i = 0; i < %d; i++) r[0][0] += w[0] * "
      "r[1][0] / i;\n}\n",
      turns);
  CHECK(case_begin(&c, "k", source));
  case_map(&c, 0, n);
  case_dat(&c, 0, 2, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 1, 4, OP2_F64, OP2_ALL, 0, OP2_INC);
  op2i_loop_device_form_by(&c.loop, true, OP2I_DEVICE_ONCE, &form);
  ok(form.strategy == want, "%s: repeat %.0f, owner %.0f, gather %.0f", name, form.repeat,
     form.owner, form.gather);
  case_end(&c);
}

static void test_choice(void) {
  chooses(2, 1, OP2I_DEVICE_REPEAT, "two targets, a short kernel");
  chooses(2, 50, OP2I_DEVICE_OWNER, "two targets, a kernel that is not that short");
  chooses(2, 1000, OP2I_DEVICE_GATHER, "two targets, a long kernel");
  chooses(3, 1, OP2I_DEVICE_REPEAT, "three targets");
  chooses(30, 1, OP2I_DEVICE_GATHER, "thirty targets");
}

int main(void) {
  golden_copy();
  golden_area();
  golden_numbers();
  golden_flux();
  golden_edges();
  golden_update();
  golden_where();
  golden_gather();
  golden_large();
  test_operations();
  test_recursion();
  test_choice();
  test_source();
  test_macros();
  test_macro_arguments();
  test_mergeable();
  test_memory();
  return done();
}

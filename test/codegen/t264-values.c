/* SPDX-License-Identifier: BSD-3-Clause */
/* Every conversion and every operator for every type and pair of types, on values that distinguish
 * them: a kernel computes the same in all forms of a loop - scalar code, vectors of 16, 32 and 64
 * bytes, one by one in the checked mode - and as the same text compiled by the same compiler
 * without the library and without optimisation. All NaNs count as equal. Each form of a kernel is
 * compiled by one compiler, with OP2_TEST_FULL=1 by all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_case.h"
#include "support.h"
#include "t264-values.h"

enum { KERNELS = 160, ARGS = 12, DIM_MAX = 40 };

/* A kernel, its arguments, and their values after the host's own compilation. */
struct test_kernel {
  char name[32], *text;
  int nargs;
  struct {
    op2_type type;
    int dim, size;
    const void *from; /* null: written by the kernel */
    void *want;
  } args[ARGS];
};

static struct test_kernel kernels[KERNELS];
static int nkernels;

/* ---- kernels --------------------------------------------------------------------------------- */

/* The text of the kernel that is being written: integer results go to o[], floating ones to p[]. */
static FILE *body;
static size_t body_size;
static int integers_out, reals_out;

static struct test_kernel *begin_kernel(const char *what, const char *a, const char *b) {
  struct test_kernel *k = &kernels[nkernels++];
  snprintf(k->name, sizeof k->name, "%s_%s_%s", what, a, b);
  integers_out = reals_out = 0;
  body = open_memstream(&k->text, &body_size);
  fprintf(body, "void %s(", k->name);
  return k;
}

static void add_arg(struct test_kernel *k, const char *name, int type, int dim, const void *from) {
  fprintf(body, "%s%s%s *%s", k->nargs ? ", " : "", from ? "const " : "", types[type].c, name);
  k->args[k->nargs].type = types[type].type;
  k->args[k->nargs].dim = dim;
  k->args[k->nargs].size = types[type].size;
  k->args[k->nargs++].from = from;
}

static void add_outputs(struct test_kernel *k) {
  add_arg(k, "o", 5, DIM_MAX, NULL);
  add_arg(k, "p", F64, DIM_MAX, NULL);
  fprintf(body, ") {\n");
}

/* Begin a kernel with one operand of each type. */
static struct test_kernel *begin_pair(const char *what, int t, int u) {
  struct test_kernel *k = begin_kernel(what, types[t].name, types[u].name);
  add_arg(k, "a", t, 1, left[t]);
  add_arg(k, "b", u, 1, right[u]);
  add_outputs(k);
  return k;
}

static void end_kernel(struct test_kernel *k) {
  if (!integers_out && k->args[k->nargs - 1].dim == DIM_MAX)
    fprintf(body, "  o[%d] = 0;\n", integers_out++);
  if (!reals_out && k->args[k->nargs - 1].dim == DIM_MAX)
    fprintf(body, "  p[%d] = 0;\n", reals_out++);
  fprintf(body, "}\n");
  fclose(body);
  for (int a = 0; a < k->nargs; a++)
    if (!k->args[a].from) {
      k->args[a].want = calloc((size_t)N * k->args[a].dim, k->args[a].size);
      if (k->args[a].dim != DIM_MAX) continue;
      k->args[a].dim = k->args[a].type == OP2_F64 ? reals_out : integers_out;
    }
}

#define INTEGER(...)                                                                               \
  (fprintf(body, "  o[%d] = ", integers_out++), fprintf(body, __VA_ARGS__), fputs(";\n", body))
#define REAL(...)                                                                                  \
  (fprintf(body, "  p[%d] = ", reals_out++), fprintf(body, __VA_ARGS__), fputs(";\n", body))

static void steps(const char *c, bool real) {
  static const char *const forms[] = {"t++", "t--", "++t", "--t"};
  for (int f = 0; f < 4; f++) {
    fprintf(body, "  { %s t = *a; %c[%d] = %s; %c[%d] = t; }\n", c, real ? 'p' : 'o',
            real ? reals_out : integers_out, forms[f], real ? 'p' : 'o',
            (real ? reals_out : integers_out) + 1);
    *(real ? &reals_out : &integers_out) += 2;
  }
}

/* One type: conversions to all others, by a cast, by a variable and by a store, and operations on
 * one operand. */
static void add_unary(int t) {
  const char *c = types[t].c;
  bool real = t <= F32;
  struct test_kernel *k = begin_kernel("unary", types[t].name, "all");
  add_arg(k, "a", t, 1, left[t]);
  if (real) add_arg(k, "f", t, 8, fits[t]);
  add_outputs(k);
  for (int u = 0; u < TYPES; u++) {
    char from[16] = "*a";
    if (real && u > F32) snprintf(from, sizeof from, "f[%d]", u - I8);
    if (u <= F32)
      REAL("(%s)%s", types[u].c, from);
    else
      INTEGER("(%s)%s", types[u].c, from);
    fprintf(body, "  { %s t = %s; %c[%d] = t; }\n", types[u].c, from, u <= F32 ? 'p' : 'o',
            u <= F32 ? reals_out++ : integers_out++);
  }
  if (real) {
    REAL("-*a");
    REAL("+*a");
  } else {
    INTEGER("-*a");
    INTEGER("+*a");
    INTEGER("~*a");
  }
  INTEGER("!*a");
  INTEGER("(_Bool)*a");
  INTEGER("*a ? 3 : 4");
  steps(c, real);
  end_kernel(k);
}

static void add_stores(int t) {
  char name[8], from[16] = "*a";
  struct test_kernel *k = begin_kernel("store", types[t].name, "all");
  add_arg(k, "a", t, 1, left[t]);
  if (t <= F32) add_arg(k, "f", t, 8, fits[t]);
  for (int u = 0; u < TYPES; u++) {
    snprintf(name, sizeof name, "o%d", u);
    add_arg(k, name, u, 1, NULL);
  }
  fprintf(body, ") {\n");
  for (int u = 0; u < TYPES; u++) {
    if (t <= F32 && u > F32) snprintf(from, sizeof from, "f[%d]", u - I8);
    fprintf(body, "  *o%d = %s;\n", u, from);
  }
  end_kernel(k);
}

static void compare(const char *a, const char *b) {
  static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  for (int op = 0; op < 8; op++) INTEGER("%s %s %s", a, ops[op], b);
}

/* Operations that C leaves undefined are omitted: division by zero and of the least number by -1,
 * shifts by at least the width. */
static void add_integers(int t, int u) {
  static const char *const plain[] = {"+", "-", "*", "&", "|", "^"};
  const char *c = types[t].c;
  struct test_kernel *k = begin_pair("whole", t, u);
  for (int op = 0; op < 6; op++) INTEGER("*a %s *b", plain[op]);
  for (int op = 0; op < 6; op++)
    fprintf(body, "  { %s t = *a; t %s= *b; o[%d] = t; }\n", c, plain[op], integers_out++);
  for (const char *op = "/%"; *op; op++) {
    INTEGER("*b != 0 && *b != (%s)-1 ? *a %c *b : 11", types[u].c, *op);
    fprintf(body, "  { %s t = *a; if (*b != 0 && *b != (%s)-1) t %c= *b; o[%d] = t; }\n", c,
            types[u].c, *op, integers_out++);
  }
  for (int op = 0; op < 2; op++) {
    const char *shift = op ? ">>" : "<<";
    INTEGER("*a %s (*b & %d)", shift, types[t].bits - 1);
    fprintf(body, "  { %s t = *a; t %s= (*b & %d); o[%d] = t; }\n", c, shift, types[t].bits - 1,
            integers_out++);
  }
  compare("*a", "*b");
  INTEGER("*a < *b ? *a : *b");
  INTEGER("(*a, *b)");
  end_kernel(k);
}

static void add_reals(int t, int u) {
  static const char ops[] = "+-*/";
  struct test_kernel *k = begin_pair("real", t, u);
  for (const char *op = ops; *op; op++) {
    REAL("*a %c *b", *op);
    REAL("(float)*a %c *b", *op);
    REAL("(float)(*a %c *b)", *op);
    if (t <= F32)
      fprintf(body, "  { %s t = *a; t %c= *b; p[%d] = t; }\n", types[t].c, *op, reals_out++);
    else /* the result must fit */
      fprintf(body, "  { %s t = (*a & 3) + 9; t %c= *b > 1 && *b < 9 ? *b : 1; o[%d] = t; }\n",
              types[t].c, *op, integers_out++);
  }
  REAL("*a * *b + *a");
  compare("*a", "*b");
  REAL("*a < *b ? *a : *b");
  end_kernel(k);
}

/* Functions of two floating-point numbers; quotients show the sign of a zero result. */
static void add_functions(int t, int u) {
  static const char *const two[] = {"fmin", "fmax", "fminf", "fmaxf"};
  struct test_kernel *k = begin_pair("extreme", t, u);
  for (int f = 0; f < 4; f++) {
    REAL("%s(*a, *b)", two[f]);
    REAL("1 / %s(*a, *b)", two[f]);
    REAL("1 / %s(0.0, *b)", two[f]);
    REAL("1 / %s(*a, 0.0)", two[f]);
    REAL("%s(*a, %s(*b, 1))", two[f], two[3 - f]);
  }
  end_kernel(k);
  k = begin_pair("function", t, u);
  static const char *const one[] = {"fabs", "sqrt",  "floor", "ceil",  "trunc",
                                    "rint", "fabsf", "sqrtf", "round", "floorf"};
  for (int f = 0; f < 10; f++) REAL("%s(*a)", one[f]);
  REAL("copysign(*a, *b)");
  REAL("copysignf(*a, *b)");
  REAL("1 / copysign(0.0, *b)");
  REAL("fdim(*a, *b)");
  REAL("fma(*a, *b, 0.1)");
  INTEGER("isnan(*a)");
  INTEGER("isfinite(*b)");
  INTEGER("isinf(*b) ? 1 : 0");
  end_kernel(k);
}

/* gcc 12 does not round this conversion when it vectorises straight-line code. */
static void add_rounding(void) {
  struct test_kernel *k = begin_kernel("round", "f64", "f32");
  add_arg(k, "f", F64, 8, fits[F64]);
  add_arg(k, "o", F64, 8, NULL);
  fprintf(body, ") {\n");
  for (int i = 0; i < 8; i++) fprintf(body, "  o[%d] = (float)f[%d];\n", i, i);
  end_kernel(k);
}

static void make_kernels(void) {
  add_rounding();
  for (int t = 0; t < TYPES; t++) {
    add_unary(t);
    add_stores(t);
    for (int u = 0; u < TYPES; u++)
      if (t <= F32 || u <= F32)
        add_reals(t, u);
      else
        add_integers(t, u);
  }
  for (int t = 0; t <= F32; t++)
    for (int u = 0; u <= F32; u++) add_functions(t, u);
}

/* ---- values computed by the host ------------------------------------------------------------- */

/* The rule for fmin() and fmax(), written independently of the library. */
static const char rules[] =
    "#include <math.h>\n#include <stdint.h>\n"
    "static double test_least(double a, double b) { return isnan(b) ? a : !(a < b) ? b : a; }\n"
    "static double test_most(double a, double b) { return isnan(b) ? a : !(a > b) ? b : a; }\n"
    "#define fmin(a, b) test_least(a, b)\n"
    "#define fmax(a, b) test_most(a, b)\n"
    "#define fminf(a, b) ((float)test_least((float)(a), (float)(b)))\n"
    "#define fmaxf(a, b) ((float)test_most((float)(a), (float)(b)))\n";

static void add_call(FILE *out, const struct test_kernel *k) {
  fprintf(out, "void ref_%s(void **d) {\n  for (long e = 0; e < %d; e++)\n    %s(", k->name, N,
          k->name);
  for (int a = 0; a < k->nargs; a++)
    fprintf(out, "%s(void *)((char *)d[%d] + %d * e)", a ? ", " : "", a,
            k->args[a].dim * k->args[a].size);
  fprintf(out, ");\n}\n");
}

static bool run_host(const char *compiler) {
  struct compiled compiled;
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fputs(rules, out);
  for (int k = 0; k < nkernels; k++) {
    fputs(kernels[k].text, out);
    add_call(out, &kernels[k]);
  }
  fclose(out);
  bool good = case_compile(compiler, "-w -O0 -fwrapv -ffp-contract=off", text, &compiled);
  if (!good) diag("%.2000s", compiled.messages);
  for (int k = 0; k < nkernels && good; k++) {
    char name[80];
    void *data[ARGS];
    snprintf(name, sizeof name, "ref_%.60s", kernels[k].name);
    void *symbol = case_symbol(&compiled, name);
    void (*function)(void **);
    memcpy(&function, &symbol, sizeof function);
    for (int a = 0; a < kernels[k].nargs; a++)
      data[a] = kernels[k].args[a].from ? (void *)(uintptr_t)kernels[k].args[a].from
                                        : kernels[k].args[a].want;
    function(data);
  }
  case_unload(&compiled);
  free(text);
  return good;
}

/* ---- values computed by the library ---------------------------------------------------------- */

static bool same(op2_type type, const void *got, const void *want, int64_t i) {
  int size = type == OP2_F64 ? 8 : type == OP2_F32 ? 4 : 0;
  if (size == 8) {
    double x = ((const double *)got)[i], y = ((const double *)want)[i];
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, 8) == 0;
  }
  float x = ((const float *)got)[i], y = ((const float *)want)[i];
  return (isnan(x) && isnan(y)) || memcmp(&x, &y, 4) == 0;
}

static void tell(const struct test_kernel *k, int a, int64_t i, const void *got) {
  int element = (int)(i / k->args[a].dim), size = k->args[a].size;
  uint64_t one = 0, other = 0;
  memcpy(&one, (const char *)got + i * size, size);
  memcpy(&other, (char *)k->args[a].want + i * size, size);
  diag("%s: value %d of argument %d, operands %d and %d: bits %llx, by the host %llx", k->name,
       (int)(i % k->args[a].dim), a, element / VALUES % VALUES, element % VALUES,
       (unsigned long long)one, (unsigned long long)other);
}

static int wrong_at(const struct test_kernel *k, int a, const void *got) {
  op2_type type = k->args[a].type;
  int bad = 0, size = k->args[a].size;
  for (int64_t i = 0; i < (int64_t)N * k->args[a].dim; i++) {
    bool good = type <= OP2_F32 ? same(type, got, k->args[a].want, i)
                                : memcmp((const char *)got + i * size,
                                         (const char *)k->args[a].want + i * size, size) == 0;
    if (!good && !bad++) tell(k, a, i, got);
  }
  return bad;
}

struct form {
  const char *simd, *backend;
};

struct queued {
  op2_kernel kernel;
  op2_dat dats[ARGS];
};

/* The rounding is reached through a map, so that compilers cannot vectorise the loop as a whole. */
static op2_status queue(op2_context ctx, op2_set set, op2_map map, const struct test_kernel *k,
                        struct queued *q, bool *vectors) {
  op2_arg args[ARGS];
  op2_loop loop;
  const char *source;
  op2_status status =
      op2_kernel_create(ctx, &(op2_kernel_desc){.name = k->name, .source = k->text}, &q->kernel);
  for (int a = 0; a < k->nargs && !status; a++) {
    status =
        op2_dat_create(set, k->args[a].dim, k->args[a].type, k->args[a].from, "d", &q->dats[a]);
    args[a] = op2_arg_direct(q->dats[a], k->args[a].from ? OP2_READ : OP2_WRITE);
    if (k == kernels && a == 0) args[a] = op2_arg_dat(q->dats[a], 0, map, OP2_READ);
  }
  if (!status) status = op2_loop_create_at(OP2_HERE, q->kernel, set, k->nargs, args, &loop);
  if (status) return status;
  status = op2_loop_generate(loop, "simd", &source);
  *vectors = !status && strstr(source, "op2_vec_");
  if (!*vectors) diag("%s is not vector code: %s", k->name, op2_error_message());
  if (!status) status = op2_loop_enqueue(loop);
  op2_loop_destroy(&loop);
  return status;
}

/* A form of code; this compiler is number `mine` of `of`. */
struct turn {
  int form, mine, of;
};

/* For each form one compiler compiles a kernel, and another one for the next form; kernel 0, the
 * test of one compiler's fault, is compiled by all. In quick runs each form has a different part of
 * the kernels. */
static bool picked(int k, const struct turn *turn) {
  if (quick()) return k % 6 == (turn->form + 2 * turn->mine) % 6;
  return k == 0 || (k + turn->form) % turn->of == turn->mine;
}

static int queue_all(op2_context ctx, op2_set set, op2_map map, const struct turn *turn,
                     struct queued *queues, int *bad) {
  int scalar = 0;
  for (int k = 0; k < nkernels; k++) {
    bool vectors = true;
    if (!picked(k, turn)) continue;
    if (queue(ctx, set, map, &kernels[k], &queues[k], &vectors)) {
      ++*bad;
      diag("%s: %s", kernels[k].name, op2_error_message());
    }
    scalar += !vectors;
  }
  return scalar;
}

/* Compare the results of a kernel, and destroy the objects with which it was queued. */
static int finish(const struct test_kernel *k, struct queued *q, bool ran) {
  int bad = 0;
  for (int a = 0; a < k->nargs; a++) {
    void *got = calloc((size_t)N * k->args[a].dim, 8);
    if (ran && !k->args[a].from)
      bad += op2_dat_get(q->dats[a], got) != OP2_SUCCESS || wrong_at(k, a, got) != 0;
    free(got);
    op2_dat_destroy(&q->dats[a]);
  }
  op2_kernel_destroy(&q->kernel);
  return bad;
}

static void run_form(const char *compiler, const struct form *form, const struct turn *turn) {
  op2_context ctx;
  op2_set set;
  op2_map map;
  struct queued *queues;
  int bad = 0;
  const char *why = op2_backend_unavailable(form->backend);
  if (why) {
    skip("%s, OP2_SIMD=%s: %s: %s", compiler, form->simd, form->backend, why);
    return;
  }
  queues = calloc(KERNELS, sizeof *queues);
  setenv("OP2_SIMD", form->simd, 1);
  const op2_options options = {
      .backend = form->backend, .threads = 1, .cc = compiler, .cache_dir = test_cache()};
  if (!CHECK(op2_init(&options, &ctx))) return;
  if (op2_set_create(ctx, N, "elements", &set) || op2_map_create(set, set, 1, self, "self", &map))
    exit(2);
  int scalar = queue_all(ctx, set, map, turn, queues, &bad);
  CHECK(op2_flush(ctx));
  for (int k = 0; k < nkernels; k++) bad += finish(&kernels[k], &queues[k], picked(k, turn));
  is_int(bad, 0, "%s, OP2_SIMD=%s, %s: kernels give what the host computes", compiler, form->simd,
         form->backend);
  if (strcmp(form->simd, "0") != 0) is_int(scalar, 0, "all of them in vectors");
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  free(queues);
}

int main(void) {
  static const struct form forms[] = {
      {"0", "sequential"}, {"16", "openmp"}, {"32", "openmp"}, {"64", "openmp"}, {"0", "check"}};
  test_environment();
  make_values();
  make_kernels();
  for (int c = 0; case_compilers[c]; c++) {
    if (!case_have_compiler(case_compilers[c])) {
      skip("%s is not installed", case_compilers[c]);
      continue;
    }
    if (!ok(run_host(case_compilers[c]), "%s compiles the kernels", case_compilers[c])) continue;
    struct turn turn = {0};
    turn.mine = case_share(case_compilers[c], &turn.of);
    for (; turn.form < 5; turn.form++) run_form(case_compilers[c], &forms[turn.form], &turn);
  }
  return done();
}

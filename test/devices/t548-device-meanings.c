/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kernel means on a device is what it means in C: functions of its own have the names of
 * functions that are built in there, functions of C take numbers of other types, and names are
 * words of C++. Each kernel gives the host's bits, and runs on the device unless a case says
 * otherwise. */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "device.h"
#include "support.h"

enum { N = 12, OUT = 6, CUDA = 1, OPENCL = 2, BOTH = 3 };

static const double xs[N] = {0.5, -2.5, 3.75, -0.0, 1e10, 0.1, 7, -1e-310, 2.5, 100.5, -0.49, 1e3};
static const float fs[N] = {2.5f, -0.5f, 1.1f,  3e38f, -7.75f, 1e-40f,
                            0.f,  4.f,   1e10f, -3.5f, 0.3f,   16777217.f};
static const int32_t ns[N] = {3, -4, 7, 0, 20, 1, -9, 2, 5, -1, 40, 11};

/* Parameters and first line of all kernels: n is an int, f a float, x a double. */
#define HEAD(name)                                                                                 \
  "void " name "(const double *px, const float *pf, const int *pn, double *out) {\n"               \
  "  const double x = *px; const float f = *pf; const int n = *pn;\n"                              \
  "  (void)x, (void)f, (void)n;\n"

struct kernel {
  const char *name, *header, *source;
  unsigned devices; /* those that run it; on the others the host does */
};

/* ---- functions of the kernel's source -------------------------------------------------------- */

static const struct kernel names[] = {
    {"alone", NULL,
     "static double min(double a, double b) { return 100.0 + a + b; }\n"
     "static double max(double a, double b) { return 200.0 + a - b; }\n"
     "static double rsqrt(double a) { return 3 * a; }\n" HEAD("alone") //
     "  out[0] = min(n, 3); out[1] = max(f, x); out[2] = max(f, f); out[3] = rsqrt(f);\n"
     "  out[4] = rsqrt(n); out[5] = min(n, x);\n}",
     BOTH},
    {"beside_macros", NULL,
     "#define THREE 3\n"
     "static double min(double a, double b) { return 100.0 + a + b; }\n"
     "static double max(double a, double b) { return 200.0 + a - b; }\n"
     "static double rsqrt(double a) { return 3 * a; }\n"
     "static double exp10(double a) { return 5 * a; }\n" HEAD("beside_macros") //
     "  out[0] = min(n, THREE); out[1] = max(f, x); out[2] = max(f, f); out[3] = rsqrt(f);\n"
     "  out[4] = exp10(n); out[5] = min(n, x);\n}",
     BOTH},
    {"beside_types", NULL,
     "typedef struct { double v[2]; } pair;\n"
     "static double sinpi(double a) { return 7 * a; }\n"
     "static double norm(pair p) { return p.v[0] + p.v[1]; }\n"
     "static pair clock(double a) { pair p; p.v[0] = a; p.v[1] = 2; return p; }\n" //
     HEAD("beside_types") "  out[0] = sinpi(f); out[1] = norm(clock(n)); out[2] = sinpi(n);\n}",
     BOTH},
    {"beside_headers", "<stdlib.h>",
     "static double mul24(double a, double b) { return a - b; }\n"
     "static double clamp(double a, double b, double c) { return a + b - c; }\n"
     "static double rsqrt(double a) { return 3 * a; }\n" HEAD("beside_headers") //
     "  out[0] = mul24(n, f); out[1] = clamp(f, f, n); out[2] = rsqrt(f);\n}",
     BOTH},
    {"called_early", NULL,
     "#define USED 1\n"
     "static double max(double a, double b);\n"
     "static double twice(double a) { return 2 * max(a, 1.0f); }\n"
     "static double max(double a, double b) { return 50 - a - b; }\n" HEAD("called_early") //
     "  out[0] = twice(f); out[1] = max(f, n);\n}",
     BOTH},
    {"address", NULL,
     "#define USED 1\n"
     "static double max(double a, double b) { return 50 - a - b; }\n" HEAD("address") //
     "  double (*of)(double, double) = max, (*same)(double, double) = &max;\n"
     "  out[0] = of(f, n); out[1] = same == of; out[2] = (max)(f, 1);\n}",
     CUDA},
    {"same_locals", NULL,
     "#define USED 1\n"
     "struct two { double min, max; };\n"
     "static double min(double a) { return a + 1; }\n"
     "static double max(double min) { return min * 2; }\n"
     "static double rsqrt(double a) { double rsqrt = a; rsqrt += 4; return rsqrt; }\n" //
     HEAD("same_locals")                                                               //
     "  struct two t; double clock = 4; t.min = f; t.max = min(f);\n"
     "  out[0] = t.min; out[1] = t.max; out[2] = max(n); out[3] = rsqrt(f) + clock;\n"
     "  { int max = n; out[4] = max + min(max); }\n}",
     BOTH},
    {"same_locals_alone", NULL,
     "static double min(double a) { return a + 1; }\n"
     "static double max(double min) { return min * 2; }\n" HEAD("same_locals_alone") //
     "  out[0] = max(n);\n"
     "  { int max = n; out[1] = max + min(max); }\n"
     "  { double min[2] = {f, n}; out[2] = min[0] + min[1] + max(min[1]); }\n}",
     BOTH},
    {"pasted", NULL,
     "#define CALL(a, b) a##b(f)\n"
     "#define LOWER(a) min(a, THREE)\n"
     "#define THREE 3\n"
     "static double min(double a, double b) { return 100.0 + a + b; }\n"
     "static double rsqrt(double a) { return 3 * a; }\n" HEAD("pasted") //
     "  out[0] = CALL(rs, qrt); out[1] = LOWER(n); out[2] = LOWER(f);\n}",
     BOTH},
    {"guarded", NULL,
     "#undef max\n"
     "#ifndef min\n"
     "static double min(double a, double b) { return 100.0 + a + b; }\n"
     "#endif\n"
     "#if !defined(rsqrt)\n"
     "static double rsqrt(double a) { return 3 * a; }\n"
     "#endif\n"
     "static double max(double a, double b) { return 200.0 + a - b; }\n" HEAD("guarded") //
     "  out[0] = min(n, 3); out[1] = max(f, f); out[2] = rsqrt(f);\n}",
     BOTH},
    {"renamed", NULL,
     "static double max(double a, double b) { return 200.0 + a - b; }\n"
     "#define max(a, b) (1 + max(2 * (a), b))\n" HEAD("renamed") //
     "  out[0] = max(n, 3); out[1] = max(f, f);\n}",
     BOTH},
    {"min", NULL, "#define USED 1\n" HEAD("min") "  out[0] = x;\n}", BOTH},
    {"max", NULL, HEAD("max") "  out[0] = x;\n}", BOTH},
    {"x", NULL,
     "#define USED 1\nstatic double y(double a) { return a + 1; }\n"
     "void x(const double *px, const float *pf, const int *pn, double *out) {\n"
     "  out[0] = y(*px); out[1] = y(*pf); out[2] = y(*pn);\n}",
     BOTH},
};

/* ---- functions of C -------------------------------------------------------------------------- */

static const struct kernel functions[] = {
    {"absolute", "<stdlib.h>",
     HEAD("absolute") "  out[0] = abs(n); out[1] = x < 1e9 ? abs(x) : 0; out[2] = labs(n) / 2;\n"
                      "  out[3] = f < 1e9f ? llabs(f) / 2 : 0; out[4] = f < 1e9f ? abs(f) / 2 : 0;"
                      "\n  out[5] = labs(x) / 2;\n}",
     BOTH},
    {"scaled", NULL,
     HEAD("scaled") "  out[0] = scalbn(f, n); out[1] = scalbln(f, 120); out[2] = ldexp(f, 100);\n"
                    "  out[3] = scalbn(x, n); out[4] = scalbnf(f, 3); out[5] = scalbln(n, -2);\n}",
     BOTH},
    {"parts", NULL,
     HEAD("parts") "  int e, g; double whole; float part;\n"
                   "  out[0] = frexp(f, &e) / 3; out[1] = e; out[2] = modf(f, &whole) / 3;\n"
                   "  out[3] = whole / 3; out[4] = modff(f, &part) / 3; out[5] = frexpf(f, &g) / 3;"
                   "\n}",
     BOTH},
    {"rounded", NULL,
     HEAD(
         "rounded") "  const float g = f < 1e9f ? f : 1.5f;\n"
                    "  out[0] = lround(g) / 2; out[1] = lrint(x) / 2; out[2] = llround(g) / 2;\n"
                    "  out[3] = llrint(g) / 2; out[4] = nearbyint(f) / 3; out[5] = rint(f) / 3;\n}",
     BOTH},
    {"exponents", NULL,
     HEAD("exponents") "  out[0] = ilogb(f); out[1] = ilogb(x); out[2] = logb(f) / 3;\n"
                       "  out[3] = ilogb(n); out[4] = nearbyintf(f); out[5] = lroundf(0.5f);\n}",
     BOTH},
    {"quotient", NULL,
     HEAD("quotient") "  int q; const float g = f < 1e9f ? f : 1.5f;\n"
                      "  out[0] = remquo(g, 0.75f, &q) / 3; out[1] = q & 7;\n"
                      "  out[2] = remainder(f, 0.7f) / 3; out[3] = copysign(f, n) / 3;\n}",
     BOTH},
    {"classes", NULL,
     HEAD("classes") //
     "  out[0] = isnormal(f) ? 1 : 0; out[1] = isnormal(x) ? 1 : 0;\n"
     "  out[2] = fpclassify(f) == FP_SUBNORMAL; out[3] = fpclassify(x) == FP_ZERO;\n"
     "  out[4] = (isless(f, x) ? 1 : 0) + (isgreater(x, 0.5) ? 2 : 0) +\n"
     "           (islessequal(x, x) ? 4 : 0) + (isgreaterequal(f, f) ? 8 : 0);\n"
     "  out[5] = (isunordered(x, x / x) ? 1 : 0) + (islessgreater(f, f) ? 2 : 0) +\n"
     "           (fpclassify(x / x) == FP_NAN ? 4 : 0) + (fpclassify(1 / x) == FP_NORMAL ? 8 : 0);"
     "\n}",
     BOTH},
    {"whole_numbers", "<stdint.h>",
     HEAD("whole_numbers") //
     "  int_fast32_t a = n; int_least16_t b = (int_least16_t)n; uint_fast8_t c = 7;\n"
     "  out[0] = (double)(a * b) / 2; out[1] = UINT16_C(7) + INT8_C(3) + c; out[2] = PTRDIFF_MAX;\n"
     "  out[3] = INT_FAST16_MAX; out[4] = UINTMAX_C(3) - UINT_LEAST8_MAX; out[5] = sizeof a;\n}",
     BOTH},
    {"real_numbers", "<float.h>",
     HEAD("real_numbers") //
     "  out[0] = DBL_MAX_EXP + DBL_MAX_10_EXP + FLT_RADIX + FLT_MAX_10_EXP + DBL_MIN_EXP;\n"
     "  out[1] = M_LOG2E * x; out[2] = M_LOG10E * x; out[3] = M_2_SQRTPI * x;\n"
     "  out[4] = f < HUGE_VALF; out[5] = FLT_MIN_EXP + FLT_MIN_10_EXP + FLT_MAX_EXP;\n}",
     BOTH},
    {"limits", "<limits.h>",
     HEAD("limits") "  out[0] = LLONG_MAX / 3; out[1] = CHAR_MAX + CHAR_MIN; out[2] = ULLONG_MAX;\n"
                    "  out[3] = (double)LLONG_MIN;\n}",
     BOTH},
    {"tables_of_no_number", NULL,
     "static const double first[3] = {INFINITY, -HUGE_VAL, 1};\n" //
     HEAD("tables_of_no_number") "  out[0] = first[n & 1]; out[1] = first[2] < HUGE_VAL;\n}",
     BOTH},
    {"bytes", "<string.h>",
     HEAD("bytes") //
     "  double a[4] = {x, f, n, 1}, b[4]; char text[] = \"four\";\n"
     "  memmove(a + 1, a, 3 * sizeof *a); memcpy(b, a, sizeof b); memmove(b, b + 1, 8);\n"
     "  out[0] = a[1]; out[1] = a[2]; out[2] = a[3]; out[3] = b[0]; out[4] = strlen(text);\n"
     "  out[5] = memcmp(text, \"fours\", 4) == 0 && memcmp(&x, a + 1, sizeof x) == 0;\n}",
     BOTH},
    {"offsets", "<stddef.h>",
     "struct three { char a; double b; float c[3]; };\n" HEAD("offsets") //
     "  out[0] = offsetof(struct three, b); out[1] = offsetof(struct three, c);\n}",
     BOTH},
};

/* ---- words ----------------------------------------------------------------------------------- */

static const struct kernel words[] = {
    {"operators", NULL,
     HEAD("operators") //
     "  double and = x, or = f, not = n, xor = 1, bitand = 2, bitor = 3, compl = 4;\n"
     "  double and_eq = 5, or_eq = 6, not_eq = 7, xor_eq = 8;\n"
     "  out[0] = and + or; out[1] = not * xor; out[2] = bitand + bitor + compl;\n"
     "  out[3] = and_eq + or_eq + not_eq + xor_eq;\n}",
     BOTH},
    {"operators_in_macros", NULL,
     "#define or(a, b) ((a) + (b))\n"
     "#define SUM(and) (or(and, 1) + xor)\n"
     "static double not(double a) { return -a; }\n" HEAD("operators_in_macros") //
     "  double xor = x; out[0] = SUM(f); out[1] = not(or(n, 1));\n}",
     BOTH},
    {"xor", NULL,
     "static double and(double a) { return a + 1; }\n" HEAD("xor") "  out[0] = and(f);\n}", BOTH},
    {"compl", NULL, "#define USED 1\n" HEAD("compl") "  out[0] = x;\n}", BOTH},
    {"types", NULL,
     HEAD("types") //
     "  double explicit = x, typeid = f, nullptr = n, constexpr = 1, noexcept = 2, alignas = 3;\n"
     "  double decltype = 4, thread_local = 5, char16_t = 6, char32_t = 7, alignof = 8;\n"
     "  double static_cast = 9, const_cast = 10, dynamic_cast = 11, reinterpret_cast = 12;\n"
     "  double virtual = 13, class = 14, template = 15, this = 16, new = 17, delete = 18;\n"
     "  out[0] = explicit + typeid + nullptr + constexpr + noexcept + alignas + decltype;\n"
     "  out[1] = thread_local + char16_t + char32_t + alignof + static_cast + const_cast;\n"
     "  out[2] = dynamic_cast + reinterpret_cast + virtual + class + template + this;\n"
     "  out[3] = new + delete;\n}",
     BOTH},
    {"kept", NULL,
     "_Static_assert(sizeof(int) == 4, \"an int has 4 bytes\");\n" HEAD("kept") //
     "  register int i; double sum = 0;\n"
     "  for (i = 0; i < 3; i++) sum += x * i;\n"
     "  out[0] = sum;\n}",
     BOTH},
};

/* ---- runs ------------------------------------------------------------------------------------ */

struct run {
  op2_context ctx;
  op2_set set;
  op2_dat x, f, n, out;
};

static bool begin(const char *backend, struct run *r) {
  const op2_options options = {.backend = backend, .eager = -1, .cache_dir = test_cache()};
  static const double zeros[N * OUT];
  return CHECK(op2_init(&options, &r->ctx)) && CHECK(op2_set_create(r->ctx, N, "set", &r->set)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_F64, xs, "x", &r->x)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_F32, fs, "f", &r->f)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_I32, ns, "n", &r->n)) &&
         CHECK(op2_dat_create(r->set, OUT, OP2_F64, zeros, "out", &r->out));
}

static void end(struct run *r) {
  op2_dat_destroy(&r->x);
  op2_dat_destroy(&r->f);
  op2_dat_destroy(&r->n);
  op2_dat_destroy(&r->out);
  op2_set_destroy(&r->set);
  ok(op2_finalize(&r->ctx) == OP2_SUCCESS, "the context ends");
}

static bool compute(const struct run *r, const struct kernel *k, double *values) {
  const char *headers[] = {k->header, NULL};
  const op2_kernel_desc desc = {.name = k->name,
                                .source = k->source,
                                .headers = k->header ? headers : NULL,
                                .file = "meaning.c",
                                .line = 100};
  op2_kernel kernel;
  memset(values, 0, N * OUT * sizeof *values);
  if (!CHECK(op2_kernel_create(r->ctx, &desc, &kernel))) return false;
  bool good = CHECK(op2_dat_set(r->out, values)) &&
              CHECK(op2_par_loop(kernel, r->set, op2_arg_direct(r->x, OP2_READ),
                                 op2_arg_direct(r->f, OP2_READ), op2_arg_direct(r->n, OP2_READ),
                                 op2_arg_direct(r->out, OP2_RW))) &&
              CHECK(op2_dat_get(r->out, values));
  op2_kernel_destroy(&kernel);
  return good;
}

static void compare(const struct kernel *k, const char *backend, const double *want,
                    const double *got) {
  int wrong = 0;
  while (wrong < N * OUT && memcmp(&want[wrong], &got[wrong], sizeof *want) == 0) wrong++;
  if (!ok(wrong == N * OUT, "%s, %s: the bits of the host", backend, k->name))
    diag("element %d, result %d: %.17g, on the host %.17g", wrong / OUT, wrong % OUT, got[wrong],
         want[wrong]);
}

static void try_one(const struct run *host, const struct run *device, const struct kernel *k) {
  double want[N * OUT], got[N * OUT];
  const char *backend = device->ctx->backend->name;
  bool there = k->devices & (strcmp(backend, "opencl") == 0 ? OPENCL : CUDA);
  if (!compute(host, k, want)) return;
  int64_t launches = device->ctx->device->counts.launches;
  if (!compute(device, k, got)) return;
  compare(k, backend, want, got);
  ok((device->ctx->device->counts.launches > launches) == there, "%s, %s: runs on the %s", backend,
     k->name, there ? "device" : "host");
}

/* Quick runs try every third kernel. */
static void try_each(const struct run *host, const struct run *device, const struct kernel *kernels,
                     size_t n) {
  for (size_t i = 0; i < n; i += quick() ? 3 : 1) try_one(host, device, &kernels[i]);
}

static void try_all(const char *backend) {
  struct run host = {0}, device = {0};
  if (begin(backend, &device) && begin("sequential", &host)) {
    try_each(&host, &device, names, sizeof names / sizeof *names);
    try_each(&host, &device, functions, sizeof functions / sizeof *functions);
    try_each(&host, &device, words, sizeof words / sizeof *words);
  }
  end(&host);
  end(&device);
}

int main(void) {
  const char *asked = getenv("OP2_TEST_BACKEND");
  const char *backend = asked && *asked ? asked : "opencl";
  test_environment();
  const char *why = backend_unfit(backend);
  if (why)
    skip("%s: %s", backend, why);
  else
    try_all(backend);
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own mathematical functions, of double and float: errors below one unit in the last
 * place, over all binades and near the arguments that are hard for each function; the same bits in
 * scalar code and in vectors, with gcc and with clang, and for arguments that compilers know or
 * that all elements share; the special values of C; and the C library's functions with
 * OP2_LIBM=1.
 *
 * Results are compared with those of `long double`, which has eleven bits more on x86 and 60 on
 * ARM. The seed of the arguments is the first digits of the commit, or OP2_TEST_SEED. 200,000
 * arguments are tried of each function, 10 million and vectors of all widths with
 * OP2_TEST_FULL=1. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_case.h"
#include "math_arguments.h"
#include "support.h"

enum { CHUNK = 50000, FORMS = 16 };

/* ---- functions ------------------------------------------------------------------------------- */

/* The second result is of arguments that the compiler knows, the third of those that all elements
 * share; element 0 has the same. */
#define KERNEL_ONE(name, T)                                                                        \
  OP2_KERNEL(name##_one, (const T *x, const T *g, T *y), {                                         \
    y[0] = name(*x);                                                                               \
    y[1] = name((T)0.7);                                                                           \
    y[2] = name(*g);                                                                               \
  });
#define KERNEL_TWO(name, T)                                                                        \
  OP2_KERNEL(name##_two, (const T *x, const T *z, const T *g, T *y), {                             \
    y[0] = name(*x, *z);                                                                           \
    y[1] = name((T)0.7, (T)1.3);                                                                   \
    y[2] = name(g[0], g[1]);                                                                       \
  });
#define ONE(name)                                                                                  \
  KERNEL_ONE(name, double)                                                                         \
  KERNEL_ONE(name##f, float)                                                                       \
  static long double exact_##name(long double x, long double z) {                                  \
    (void)z;                                                                                       \
    return name##l(x);                                                                             \
  }                                                                                                \
  static double libm_##name(double x, double z, bool single) {                                     \
    (void)z;                                                                                       \
    return single ? (double)name##f((float)x) : name(x);                                           \
  }
#define TWO(name)                                                                                  \
  KERNEL_TWO(name, double)                                                                         \
  KERNEL_TWO(name##f, float)                                                                       \
  static long double exact_##name(long double x, long double z) { return name##l(x, z); }          \
  static double libm_##name(double x, double z, bool single) {                                     \
    return single ? (double)name##f((float)x, (float)z) : name(x, z);                              \
  }
/* clang-format off */
#define ALL(one, two)                                                                              \
  one(exp, exponential) one(exp2, exponential) one(expm1, exponential) one(log, logarithm)         \
  one(log2, logarithm) one(log10, logarithm) one(log1p, logarithm_1) one(sin, angle)               \
  one(cos, angle) one(tan, angle) one(asin, sine) one(acos, sine) one(atan, usual)                 \
  one(sinh, exponential) one(cosh, exponential) one(tanh, small) one(asinh, small)                 \
  one(acosh, above_one) one(atanh, sine) one(cbrt, usual)                                          \
  two(pow, power) two(atan2, usual) two(hypot, usual)
/* clang-format on */
#define DEFINE_ONE(name, argument) ONE(name)
#define DEFINE_TWO(name, argument) TWO(name)
ALL(DEFINE_ONE, DEFINE_TWO)

static const struct function {
  const char *name;
  const op2_kernel_desc *kernel[2]; /* of double and float */
  bool two;
  long double (*exact)(long double x, long double z);
  double (*libm)(double x, double z, bool single);
  math_argument *argument; /* one that is hard or usual */
} functions[] = {
#define ROW_ONE(name, argument)                                                                    \
  {#name,          {&name##_one_kernel, &name##f_one_kernel}, false, exact_##name, libm_##name,    \
   math_##argument},
#define ROW_TWO(name, argument)                                                                    \
  {#name,          {&name##_two_kernel, &name##f_two_kernel}, true, exact_##name, libm_##name,     \
   math_##argument},
    ALL(ROW_ONE, ROW_TWO)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- values of either type ------------------------------------------------------------------- */

/* Values in an array of double or float. */
struct values {
  bool single;
  void *at;
};

static double get(struct values v, int64_t i) {
  return v.single ? (double)((const float *)v.at)[i] : ((const double *)v.at)[i];
}
static void put(struct values v, int64_t i, double x) {
  if (v.single)
    ((float *)v.at)[i] = (float)x;
  else
    ((double *)v.at)[i] = x;
}
static bool same(struct values a, int64_t i, struct values b, int64_t j) {
  const size_t bytes = a.single ? sizeof(float) : sizeof(double);
  if (isnan(get(a, i)) && isnan(get(b, j))) return true; /* C says nothing of their bits */
  return memcmp((char *)a.at + bytes * (size_t)i, (char *)b.at + bytes * (size_t)j, bytes) == 0;
}

static double x_memory[CHUNK], z_memory[CHUNK], y_memory[3 * CHUNK], first_memory[3 * CHUNK];

/* Every second argument is anywhere in the type's numbers; the first one is known. */
static void make_arguments(const struct function *f, uint64_t *state, struct values x,
                           struct values z) {
  for (int i = 0; i < CHUNK; i++) {
    double argument[2];
    if (i % 2)
      f->argument(state, i / 2 % 4, argument);
    else
      math_anywhere(state, x.single, argument);
    put(x, i, i ? argument[0] : 0.7);
    put(z, i, i ? argument[1] : 1.3);
  }
}

/* ---- forms of the code ----------------------------------------------------------------------- */

/* Flags of the compiler; those of the library if null. */
static const char *const all_flags[] = {NULL, "-O2 -march=native -fno-math-errno -mno-fma"};
enum { FLAGS = sizeof all_flags / sizeof *all_flags };

struct form {
  char name[128];
  int first; /* the number of the form whose bits it has */
  op2_context ctx;
  op2_set set;
  op2_dat x[2], z[2], y[2];
  op2_gbl g[2];
};
static struct form forms[FORMS];
static int nforms;

static bool make_data(struct form *form, int t) {
  const op2_type type = t ? OP2_F32 : OP2_F64;
  const double g[] = {0.7, 1.3};
  const float g32[] = {0.7f, 1.3f};
  return CHECK(op2_dat_create(form->set, 1, type, NULL, "x", &form->x[t])) &&
         CHECK(op2_dat_create(form->set, 1, type, NULL, "z", &form->z[t])) &&
         CHECK(op2_dat_create(form->set, 3, type, NULL, "y", &form->y[t])) &&
         CHECK(op2_gbl_create(form->ctx, 2, type, t ? (const void *)g32 : g, "g", &form->g[t]));
}

static op2_status queue(struct form *form, op2_kernel kernel, bool two, int t) {
  if (two)
    return op2_par_loop(kernel, form->set, op2_arg_direct(form->x[t], OP2_READ),
                        op2_arg_direct(form->z[t], OP2_READ), op2_arg_gbl(form->g[t], OP2_READ),
                        op2_arg_direct(form->y[t], OP2_WRITE));
  return op2_par_loop(kernel, form->set, op2_arg_direct(form->x[t], OP2_READ),
                      op2_arg_gbl(form->g[t], OP2_READ), op2_arg_direct(form->y[t], OP2_WRITE));
}

/* Functions named by the program's arguments, or all. */
static bool chosen[FUNCTIONS];

/* Queue all loops and run them, so that few compilers run for all of them. */
static bool compile_all(struct form *form) {
  static op2_kernel kernels[2 * FUNCTIONS];
  bool good = true;
  for (int k = 0; k < 2 * FUNCTIONS && good; k++) {
    const struct function *f = &functions[k / 2];
    if (chosen[k / 2])
      good = !op2_kernel_create(form->ctx, f->kernel[k % 2], &kernels[k]) &&
             !queue(form, kernels[k], f->two, k % 2);
  }
  ok(good && !op2_flush(form->ctx), "%s: all functions are compiled", form->name);
  for (int k = 0; k < 2 * FUNCTIONS; k++) op2_kernel_destroy(&kernels[k]);
  return good;
}

/* The backend whose code has vectors of a width, "0" for scalar code. */
static const char *backend_of(const char *width) {
  return strcmp(width, "0") ? "openmp" : "sequential";
}

static bool begin_form(struct form *form, const char *compiler, const char *flags,
                       const char *width) {
  const op2_options options = {.backend = backend_of(width),
                               .threads = 1,
                               .cc = compiler,
                               .cflags = flags,
                               .cache_dir = test_cache(),
                               .log_level = 1};
  setenv("OP2_SIMD", width, 1);
  const op2_status status = op2_init(&options, &form->ctx);
  unsetenv("OP2_SIMD");
  snprintf(form->name, sizeof form->name, "%s, OP2_SIMD=%s%s", compiler, width,
           flags ? ", without fused operations" : "");
  return CHECK(status) && CHECK(op2_set_create(form->ctx, CHUNK, "arguments", &form->set)) &&
         make_data(form, 0) && make_data(form, 1) && compile_all(form);
}

/* Usually each compiler has scalar code and one width of vectors, and the first one two, and
 * without fused operations one form of each compiler. */
static bool wanted(int flags, int compiler, int width, const char *bytes) {
  if (op2_backend_unavailable(backend_of(bytes))) return false;
  if (thorough()) return true;
  if (flags) return width == (compiler ? 2 : 0);
  return width == 0 || width % 2 == (compiler + 1) % 2;
}

static bool have_fused(void) {
#if defined __x86_64__ || defined __i386__
  return __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

static bool begin_forms(int flags) {
  static const char *const widths[] = {"0", "64", "16", "32"};
  const int first = nforms;
  for (int c = 0; case_compilers[c]; c++) {
    if (!case_have_compiler(case_compilers[c])) {
      if (!flags) skip("there is no compiler %s", case_compilers[c]);
      continue;
    }
    for (int w = 0; w < 4; w++) {
      if (!wanted(flags, c, w, widths[w])) continue;
      forms[nforms].first = first;
      if (!begin_form(&forms[nforms++], case_compilers[c], all_flags[flags], widths[w]))
        return false;
    }
  }
  return flags || nforms > first;
}

/* Compute all y in one form; a kernel that is created again is not compiled again. */
static bool compute(struct form *form, const struct function *f, struct values x, struct values z,
                    struct values y) {
  const int t = x.single;
  op2_kernel kernel = NULL;
  bool good = !op2_dat_set(form->x[t], x.at) && !op2_dat_set(form->z[t], z.at) &&
              !op2_kernel_create(form->ctx, f->kernel[t], &kernel) &&
              !queue(form, kernel, f->two, t) && !op2_dat_get(form->y[t], y.at);
  if (!good) diag("%s: %s", form->name, op2_error_message());
  op2_kernel_destroy(&kernel);
  return good;
}

/* ---- accuracy, and equal bits ---------------------------------------------------------------- */

struct worst {
  double error, x, z;
  int64_t own; /* the number of results that are not the C library's */
};

/* The error in units in the last place of a result; infinity stands for the number that would be
 * next. */
static double error_of(double got, long double exact, bool single) {
  const int digits = single ? FLT_MANT_DIG : DBL_MANT_DIG;
  const int least = single ? FLT_MIN_EXP : DBL_MIN_EXP, most = single ? FLT_MAX_EXP : DBL_MAX_EXP;
  const long double end = ldexpl(1, most);
  int exponent;
  if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : INFINITY;
  if (fabsl(exact) > end) exact = copysignl(end, exact);
  frexpl(exact, &exponent);
  if (exponent < least || exact == 0) exponent = least;
  if (exponent > most) exponent = most;
  const long double value = isinf(got) ? copysignl(end, got) : got;
  return (double)fabsl(ldexpl(value - exact, digits - exponent));
}

static void judge(const struct function *f, struct values x, struct values z, struct values y,
                  struct worst *worst) {
  for (int i = 0; i < CHUNK; i++) {
    const double error = error_of(get(y, 3 * i), f->exact(get(x, i), get(z, i)), x.single);
    if (error <= worst->error) continue;
    *worst = (struct worst){error, get(x, i), get(z, i), worst->own};
  }
}

/* The number of results that differ from those of the first form, or of the same argument. */
static int64_t different(const struct form *form, struct values x, struct values z, struct values y,
                         struct values first) {
  int64_t n = 0;
  for (int i = 0; i < CHUNK; i++) {
    if (same(y, 3 * i, first, 3 * i) && same(y, 3 * i + 1, first, 0) &&
        same(y, 3 * i + 2, first, 0))
      continue;
    if (!n++)
      diag("%s: at %a, %a: %a, %a, %a and not %a, %a", form->name, get(x, i), get(z, i),
           get(y, 3 * i), get(y, 3 * i + 1), get(y, 3 * i + 2), get(first, 3 * i), get(first, 0));
  }
  return n;
}

static int64_t not_libm(const struct function *f, struct values x, struct values z,
                        struct values y) {
  int64_t n = 0;
  for (int i = 0; i < CHUNK; i++) {
    const double want = f->libm(get(x, i), get(z, i), x.single), got = get(y, 3 * i);
    n += memcmp(&got, &want, sizeof got) != 0 && !(isnan(got) && isnan(want));
  }
  return n;
}

/* Print and judge the worst error of one kind of processor. */
static void report(const struct function *f, const struct form *form, bool single, int64_t tried,
                   const struct worst *worst) {
  const char *const s = single ? "f" : "";
  diag("%s%s, %s: worst of %" PRId64 ": %.4f units at %a (%.17g), %a; %" PRId64 " differ from libm",
       f->name, s, form->name, tried, worst->error, worst->x, worst->x, worst->z, worst->own);
  if (LDBL_MANT_DIG < 64 && !single)
    skip("%s: long double is not longer than double", f->name);
  else
    ok(worst->error < 1, "%s%s, %s: errors are below one unit", f->name, s, form->name);
}

static void try_function(const struct function *f, bool single, int chunks, uint64_t seed) {
  const struct values x = {single, x_memory}, z = {single, z_memory}, y = {single, y_memory};
  const struct values first = {single, first_memory};
  struct worst worst[FORMS] = {{0, 0, 0, 0}};
  int64_t wrong[FORMS] = {0};
  uint64_t state = seed + (uint64_t)(f - functions);
  for (int c = 0; c < chunks; c++) {
    make_arguments(f, &state, x, z);
    for (int n = 0; n < nforms; n++) {
      const bool begins = forms[n].first == n;
      wrong[n] += !compute(&forms[n], f, x, z, begins ? first : y);
      wrong[n] += different(&forms[n], x, z, begins ? first : y, first);
      if (begins) judge(f, x, z, first, &worst[n]);
      if (begins) worst[n].own += not_libm(f, x, z, first);
    }
  }
  for (int n = 0; n < nforms; n++) {
    is_int(wrong[n], 0, "%s%s: %s has the bits of %s", f->name, single ? "f" : "", forms[n].name,
           forms[forms[n].first].name);
    if (forms[n].first == n) report(f, &forms[n], single, (int64_t)chunks * CHUNK, &worst[n]);
  }
}

/* ---- special values -------------------------------------------------------------------------- */

/* Where C gives a zero, an infinity, NaN or one, it is the same here. */
static bool as_in_c(double got, double want, bool single) {
  if (isnan(want)) return isnan(got);
  if (isinf(want) || want == 0 || want == 1) return memcmp(&got, &want, sizeof got) == 0;
  return fabs(got - want) <=
         fabs(want) * (single ? 0x1p-22 : 0x1p-51) + (single ? 0x1p-149 : 0x1p-1074);
}

static void try_special(const struct function *f, bool single) {
  const struct values x = {single, x_memory}, z = {single, z_memory}, y = {single, y_memory};
  int wrong = 0;
  for (int i = 0; i < CHUNK; i++) {
    put(x, i, math_special[i % MATH_SPECIAL]);
    put(z, i, math_special[i / MATH_SPECIAL % MATH_SPECIAL]);
  }
  for (int n = 0; n < nforms; n++) {
    wrong += !compute(&forms[n], f, x, z, y);
    for (int i = 0; i < CHUNK; i++) {
      const double want = f->libm(get(x, i), get(z, i), single);
      if (!as_in_c(get(y, 3 * i), want, single) && !wrong++)
        diag("%s%s, %s: at %a, %a: %a and not %a", f->name, single ? "f" : "", forms[n].name,
             get(x, i), get(z, i), get(y, 3 * i), want);
    }
  }
  is_int(wrong, 0, "%s%s: special values are those of C", f->name, single ? "f" : "");
}

/* ---- the C library's functions --------------------------------------------------------------- */

static void try_libm(const char *width) {
  static struct form form;
  uint64_t state = 5;
  if (op2_backend_unavailable(backend_of(width))) return;
  setenv("OP2_LIBM", "1", 1);
  bool good = begin_form(&form, case_have_compiler("gcc") ? "gcc" : "clang", NULL, width);
  unsetenv("OP2_LIBM");
  for (int f = 0; f < FUNCTIONS && good; f++) {
    if (!chosen[f]) continue;
    const bool single = f % 2;
    const struct values x = {single, x_memory}, z = {single, z_memory}, y = {single, y_memory};
    make_arguments(&functions[f], &state, x, z);
    good = compute(&form, &functions[f], x, z, y);
    is_int(not_libm(&functions[f], x, z, y), 0,
           "%s%s with OP2_LIBM=1 and OP2_SIMD=%s is that of the C library", functions[f].name,
           single ? "f" : "", width);
  }
  ok(good, "loops run with OP2_LIBM=1 and OP2_SIMD=%s", width);
  CHECK(op2_finalize(&form.ctx));
  form = (struct form){.ctx = NULL};
}

static uint64_t seed_of_commit(void) {
  char command[4096], digits[17] = "";
  const char *wanted = getenv("OP2_TEST_SEED");
  if (wanted) return strtoull(wanted, NULL, 0);
  snprintf(command, sizeof command, "git -C '%s' rev-parse HEAD 2>/dev/null", source_root());
  FILE *answer = popen(command, "r");
  if (answer && !fgets(digits, sizeof digits, answer)) digits[0] = '\0';
  if (answer) pclose(answer);
  return digits[0] ? strtoull(digits, NULL, 16) : 1;
}

int main(int argc, char **argv) {
  const uint64_t seed = seed_of_commit();
  const int chunks = thorough() ? 200 : quick() ? 1 : 4;
  test_environment();
  for (int f = 0; f < FUNCTIONS; f++) {
    chosen[f] = argc < 2;
    for (int i = 1; i < argc; i++) chosen[f] |= strcmp(argv[i], functions[f].name) == 0;
  }
  setenv("OP2_FUSE", "0", 1);
  diag("OP2_TEST_SEED=%#" PRIx64, seed);
  const char *no_vectors = op2_backend_unavailable(backend_of("64"));
  if (no_vectors) skip("vectors: %s", no_vectors);
  if (begin_forms(0) && (!have_fused() || begin_forms(1)))
    for (int f = 0; f < 2 * FUNCTIONS; f++) {
      if (!chosen[f / 2]) continue;
      try_function(&functions[f / 2], f % 2, chunks, seed);
      try_special(&functions[f / 2], f % 2);
    }
  for (int n = 0; n < nforms; n++) CHECK(op2_finalize(&forms[n].ctx));
  try_libm("0");
  try_libm("32");
  return done();
}

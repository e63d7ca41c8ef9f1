/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode and rounding. Element matrices, cross products, determinants and sums of
 * products of both signs over twelve decades are not reported, however much their sums cancel.
 * Kernels of the same kinds that scale the sum, or read it back, by 1e-9 (in single precision by
 * 1e-4) are reported. With OP2_TEST_FULL=1 there are 20 seeds of 100,000 elements for each right
 * kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { INPUTS = 60, SUMS = 144, TERMS = 30 };

static op2_context ctx;

/* `T` is the type, w the inputs, a the sums; the kernel adds `n` of `many` products. */
static const struct subject {
  const char *name, *text;
  int inputs, sums;
  bool wide; /* inputs over decades of values, not in (-1, 1) */
} subjects[] = {
    {"cross",
     "a[0] += w[1] * w[5]; a[0] -= w[2] * w[4]; a[1] += w[2] * w[3]; a[1] -= w[0] * w[5];\n"
     "a[2] += w[0] * w[4]; a[2] -= w[1] * w[3];\n",
     6, 3, false},
    {"three", "a[0] += w[0] * w[1]; a[0] -= w[2] * w[3]; a[0] += w[4] * w[5];\n", 6, 1, false},
    {"determinant",
     "T J[3][3]; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++)\n"
     "  J[i][j] = w[3 + 3 * i + j] - w[j];\n"
     "for (int i = 0; i < 3; i++) {\n"
     "  a[0] += J[0][i] * J[1][(i + 1) % 3] * J[2][(i + 2) % 3];\n"
     "  a[0] -= J[2][i] * J[1][(i + 1) % 3] * J[0][(i + 2) % 3]; }\n",
     12, 1, false},
    {"p1_elasticity",
     "T b[3], c[3]; for (int i = 0; i < 3; i++) { int j = (i + 1) % 3, k = (i + 2) % 3;\n"
     "  b[i] = w[2 * j + 1] - w[2 * k + 1]; c[i] = w[2 * k] - w[2 * j]; }\n"
     "T area = (T)0.5 * (b[0] * c[1] - b[1] * c[0]), f = (T)0.25 / (T)fabs(area);\n"
     "const T mu = (T)0.7, la = (T)1.3;\n"
     "for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {\n"
     "  const T g[2] = {b[i], c[i]}, h[2] = {b[j], c[j]};\n"
     "  for (int d = 0; d < 2; d++) for (int e = 0; e < 2; e++) {\n"
     "    T *v = &a[(2 * i + d) * 6 + 2 * j + e];\n"
     "    *v += f * la * g[d] * h[e]; *v += f * mu * g[e] * h[d];\n"
     "    if (d == e) *v += f * mu * (g[0] * h[0] + g[1] * h[1]); } }\n",
     6, 36, false},
    {"p2_elasticity",
     "static const T P[3][2] = {{(T)(1 / 6.), (T)(1 / 6.)}, {(T)(2 / 3.), (T)(1 / 6.)}, "
     "{(T)(1 / 6.), (T)(2 / 3.)}};\n"
     "T A = w[2] - w[0], B = w[4] - w[0], C = w[3] - w[1], D = w[5] - w[1], det = A * D - B * C;\n"
     "T K[2][2] = {{D / det, -B / det}, {-C / det, A / det}}, ad = (T)fabs(det) / 6;\n"
     "const T mu = (T)0.7, la = (T)1.3;\n"
     "for (int q = 0; q < 3; q++) { T x = P[q][0], y = P[q][1], z = 1 - x - y, g[6][2];\n"
     "  T d[6][2] = {{1 - 4 * z, 1 - 4 * z}, {4 * x - 1, 0}, {0, 4 * y - 1}, {4 * (z - x), -4 * x},"
     "\n    {4 * y, 4 * x}, {-4 * y, 4 * (z - y)}};\n"
     "  for (int i = 0; i < 6; i++) for (int k = 0; k < 2; k++)\n"
     "    g[i][k] = d[i][0] * K[0][k] + d[i][1] * K[1][k];\n"
     "  for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) {\n"
     "    T s = g[i][0] * g[j][0] + g[i][1] * g[j][1];\n"
     "    for (int c = 0; c < 2; c++) for (int e = 0; e < 2; e++)\n"
     "      a[(2 * i + c) * 12 + 2 * j + e] += ad * (la * g[i][c] * g[j][e] + mu * g[i][e] *\n"
     "        g[j][c] + (c == e ? mu * s : 0)); } }\n",
     6, 144, false},
    {"stokes",
     "static const T P[3][2] = {{(T)(1 / 6.), (T)(1 / 6.)}, {(T)(2 / 3.), (T)(1 / 6.)}, "
     "{(T)(1 / 6.), (T)(2 / 3.)}};\n"
     "T A = w[2] - w[0], B = w[4] - w[0], C = w[3] - w[1], D = w[5] - w[1], det = A * D - B * C;\n"
     "T K[2][2] = {{D / det, -B / det}, {-C / det, A / det}}, ad = (T)fabs(det) / 6;\n"
     "for (int q = 0; q < 3; q++) { T x = P[q][0], y = P[q][1], z = 1 - x - y, p[3] = {z, x, y};\n"
     "  T d[6][2] = {{1 - 4 * z, 1 - 4 * z}, {4 * x - 1, 0}, {0, 4 * y - 1}, {4 * (z - x), -4 * x},"
     "\n    {4 * y, 4 * x}, {-4 * y, 4 * (z - y)}};\n"
     "  for (int i = 0; i < 3; i++) for (int j = 0; j < 6; j++) for (int k = 0; k < 2; k++)\n"
     "    a[i * 12 + 2 * j + k] -= ad * p[i] * (d[j][0] * K[0][k] + d[j][1] * K[1][k]); }\n",
     6, 36, false},
    {"q2",
     "static const T G[3] = {(T)-0.7745966692414834, 0, (T)0.7745966692414834};\n"
     "static const T W[3] = {(T)(5 / 9.), (T)(8 / 9.), (T)(5 / 9.)};\n"
     "for (int q = 0; q < 9; q++) { T x = G[q % 3], y = G[q / 3], J[2][2] = {{0, 0}, {0, 0}};\n"
     "  for (int i = 0; i < 4; i++) { T s = i % 2 ? 1 : -1, t = i / 2 ? 1 : -1;\n"
     "    for (int k = 0; k < 2; k++) { T p = w[2 * i + k] / 3 + (k ? t : s);\n"
     "      J[k][0] += s * (1 + t * y) * p / 4; J[k][1] += t * (1 + s * x) * p / 4; } }\n"
     "  T det = J[0][0] * J[1][1] - J[0][1] * J[1][0], g[9][2];\n"
     "  T u[3] = {x * (x - 1) / 2, 1 - x * x, x * (x + 1) / 2}, du[3] = {x - (T)0.5, -2 * x, x + "
     "(T)0.5};\n"
     "  T v[3] = {y * (y - 1) / 2, 1 - y * y, y * (y + 1) / 2}, dv[3] = {y - (T)0.5, -2 * y, y + "
     "(T)0.5};\n"
     "  for (int i = 0; i < 9; i++) { T r = du[i % 3] * v[i / 3], s = u[i % 3] * dv[i / 3];\n"
     "    g[i][0] = (r * J[1][1] - s * J[1][0]) / det; g[i][1] = (s * J[0][0] - r * J[0][1]) / det;"
     " }\n"
     "  for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++)\n"
     "    a[9 * i + j] += W[q % 3] * W[q / 3] * det * (g[i][0] * g[j][0] + g[i][1] * g[j][1]); }\n",
     8, 81, false},
    {"many",
     "int n = 1 + (int)(fabs(w[0]) * 1e6) % 30;\n"
     "for (int k = 0; k < n; k++) a[0] += w[2 * k] * w[2 * k + 1];\n",
     60, 1, true},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* A fault that is planted in one sum of the kernel, before or after the rest. */
static const struct fault {
  const char *before, *behind;
} faults[] = {{"", "a[0] *= 1 + E;\n"},
              {"a[0] *= 1 - E;\n", ""},
              {"", "a[0] += E * a[0];\n"},
              {"", "a[0] = a[0] - E * (T)fabs(a[0]);\n"},
              {"", "a[0] += E * (T)sin(a[0]) + E * a[0];\n"},
              {"T was = a[0];\n", "a[0] += (was > 0 ? 3 : 1) * E * was;\n"},
              {"", "{ T b = a[0]; a[0] += 3; a[0] += E * b; a[0] -= 3; }\n"}};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static double value(uint64_t *seed, bool wide) {
  double unit = (double)(draw(seed) >> 11) * 0x1p-53, sign = draw_below(seed, 2) ? 1 : -1;
  return sign * (wide ? pow(10, 6 * unit - 3) : unit);
}

struct data {
  op2_set set;
  op2_dat inputs, sums;
  op2_gbl total;
};

static struct data make(const struct subject *s, op2_type type, int n, uint64_t seed) {
  struct data d = {0};
  size_t count = (size_t)n * (size_t)s->inputs;
  double *values = malloc(count * sizeof *values);
  float *narrow = malloc(count * sizeof *narrow);
  for (size_t i = 0; i < count; i++) narrow[i] = (float)(values[i] = value(&seed, s->wide));
  CHECK(op2_set_create(ctx, n, "elements", &d.set));
  CHECK(op2_dat_create(d.set, s->inputs, type, type == OP2_F64 ? (void *)values : narrow, "inputs",
                       &d.inputs));
  CHECK(op2_dat_create(d.set, s->sums, type, NULL, "sums", &d.sums));
  CHECK(op2_gbl_create(ctx, s->sums, type, NULL, "total", &d.total));
  free(values);
  free(narrow);
  return d;
}

static void destroy(struct data *d) {
  op2_gbl_destroy(&d->total);
  op2_dat_destroy(&d->sums);
  op2_dat_destroy(&d->inputs);
  op2_set_destroy(&d->set);
}

static op2_kernel kernel_of(const struct subject *s, op2_type type, const struct fault *fault,
                            double by) {
  char source[8192];
  op2_kernel kernel = NULL;
  snprintf(source, sizeof source,
           "typedef %s T;\n#define E ((T)%g)\nvoid k(const T *w, T *a) {\n%s%s%s}\n",
           type == OP2_F64 ? "double" : "float", by, fault ? fault->before : "", s->text,
           fault ? fault->behind : "");
  op2_kernel_desc desc = {.name = "k", .source = source};
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  return kernel;
}

static op2_status run(op2_kernel kernel, const struct data *d, bool global) {
  op2_status status =
      op2_par_loop(kernel, d->set, op2_arg_direct(d->inputs, OP2_READ),
                   global ? op2_arg_gbl(d->total, OP2_INC) : op2_arg_direct(d->sums, OP2_INC));
  return status ? status : op2_flush(ctx);
}

static void test_right(void) {
  const bool full = getenv("OP2_TEST_FULL") != NULL;
  int seeds = full ? 20 : 1, n = full ? 100000 : 500;
  for (int t = 0; t < 2; t++)
    for (int s = 0; s < SUBJECTS; s++) {
      op2_type type = t ? OP2_F32 : OP2_F64;
      op2_kernel kernel = kernel_of(&subjects[s], type, NULL, 0);
      int accused = 0;
      for (int seed = 1; seed <= seeds; seed++) {
        struct data d = make(&subjects[s], type, n, (uint64_t)(1000 * s + seed));
        op2_status status = run(kernel, &d, seed % 2 == 0);
        if (status && !accused++) diag("%s", op2_error_message());
        destroy(&d);
      }
      op2_kernel_destroy(&kernel);
      ok(!accused, "%s, %s: %d of %d loops over %d elements accused", subjects[s].name,
         t ? "float" : "double", accused, seeds, n);
    }
}

static bool accused(const struct subject *s, op2_type type, const struct fault *fault, double by,
                    bool global) {
  struct data d = make(s, type, 20, 77);
  op2_kernel kernel = kernel_of(s, type, fault, by);
  bool caught =
      run(kernel, &d, global) == OP2_ERR_KERNEL && strstr(op2_error_message(), "not an addition");
  op2_kernel_destroy(&kernel);
  destroy(&d);
  return caught;
}

static void test_planted(void) {
  int planted = 0, missed = 0;
  for (int s = 0; s < SUBJECTS; s++)
    for (int k = 0; k < 4 * FAULTS; k++) {
      op2_type type = k % 2 ? OP2_F32 : OP2_F64;
      double by = (k % 2 ? 1e-4 : 1e-9) * (k / 2 % 2 ? 300 : 1);
      bool caught = accused(&subjects[s], type, &faults[k / 4], by, k / 4 % 2);
      if (!caught) diag("%s, fault %d by %g is missed", subjects[s].name, k / 4, by);
      missed += !caught;
      planted++;
    }
  ok(planted >= 200 && !missed, "%d of %d planted faults were missed", missed, planted);
}

int main(void) {
  const op2_options options = {.backend = "check", .eager = 0};
  test_environment();
  CHECK(op2_init(&options, &ctx));
  test_right();
  test_planted();
  CHECK(op2_finalize(&ctx));
  return done();
}

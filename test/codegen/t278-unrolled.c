/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose counter is a subscript are unrolled in vector code, if they are short. */
#include <stdio.h>
#include <string.h>

#include "compile_case.h"
#include "lane_case.h"
#include "tap.h"

struct unrolled {
  struct lane_kernel kernel;
  const char *unrolled; /* the trips of its loops, in order; 0: not unrolled */
};

static const struct unrolled cases[] = {
    {{"a row of 27", "Vd27 Vd4",
      "void k(const double *f, double *m) {\n"
      "  double sum = 0, x = 0;\n"
      "  for (int k = 0; k < 27; k++) {\n"
      "    sum += f[k];\n"
      "    x += (k % 3 - 1) * f[k];\n"
      "  }\n"
      "  m[0] = sum, m[1] = x;\n"
      "}\n"},
     "27"},
    {{"a triangular system, up and down", "Vd25 Vd5",
      "void k(const double *m, double *x) {\n"
      "  double a[25];\n"
      "  for (int k = 0; k < 25; k++) a[k] = m[k] + (k % 6 ? 0 : 300);\n"
      "  for (int k = 0; k < 5; k++) {\n"
      "    double pivot = 1.0 / a[6 * k];\n"
      "    for (int i = k + 1; i < 5; i++) {\n"
      "      double factor = a[5 * i + k] * pivot;\n"
      "      for (int j = k + 1; j < 5; j++) a[5 * i + j] -= factor * a[5 * k + j];\n"
      "      x[i] -= factor * x[k];\n"
      "    }\n"
      "  }\n"
      "  for (int k = 4; k >= 0; k--) {\n"
      "    for (int j = k + 1; j < 5; j++) x[k] -= a[5 * k + j] * x[j];\n"
      "    x[k] /= a[6 * k];\n"
      "  }\n"
      "}\n"},
     "25 5 4 4 5 4"},
    {{"steps of three, and of minus two", "Vd9 Vd9",
      "void k(const double *f, double *m) {\n"
      "  for (int k = 1; k <= 8; k += 3) m[k] = f[k] * f[k - 1];\n"
      "  for (int k = 8; k > 0; k -= 2) m[k - 1] += f[k];\n"
      "}\n"},
     "3 4"},
    {{"iterations, where the counter is no subscript", "Vd1 Vd1",
      "void k(const double *x, double *y) {\n"
      "  double s = 1;\n"
      "  for (int n = 0; n < 20; n++) s = 0.5 * (s + x[0] * x[0] / (s + n));\n"
      "  y[0] = s;\n"
      "}\n"},
     "0"},
    {{"too many trips", "Vd33 Vd33",
      "void k(const double *f, double *m) {\n"
      "  for (int k = 0; k < 33; k++) m[k] = f[k] + 1;\n"
      "}\n"},
     "0"},
    {{"too much in all, but not inside", "Vd20 Vd20",
      "void k(const double *f, double *m) {\n"
      "  for (int i = 0; i < 20; i++) {\n"
      "    double sum = 0;\n"
      "    for (int j = 0; j < 20; j++) sum += f[j] * f[i];\n"
      "    m[i] = sum;\n"
      "  }\n"
      "}\n"},
     "0 20"},
    {{"a number of trips that the kernel gets", "Vd9 Vd9 ui",
      "void k(const double *f, double *m, int n) {\n"
      "  for (int k = 0; k < (n & 7); k++) m[k] = f[k] + 1;\n"
      "}\n"},
     "0"},
    {{"a loop inside whose trips are not known", "Vd9 Vd9 ui",
      "void k(const double *f, double *m, int n) {\n"
      "  for (int k = 0; k < 9; k++)\n"
      "    for (int i = 0; i < (n & 3); i++) m[k] = m[k] * f[k];\n"
      "}\n"},
     "0 0"},
};
enum { CASES = sizeof cases / sizeof *cases, LANES = 8 };

/* Write the trips of each loop that is unrolled, and 0 for each other. */
static void list_loops(const char *text, char *list, size_t size) {
  const char *at = text;
  size_t length = 0;
  list[0] = '\0';
  while ((at = strstr(at, "for ("))) {
    const char *line = at, *before;
    int trips = 0;
    while (line > text && line[-1] != '\n') line--;
    for (before = line - (line > text); before > text && before[-1] != '\n';) before--;
    if (sscanf(before, " OP2_UNROLL(%d)", &trips) != 1) trips = 0;
    length += (size_t)snprintf(list + length, size - length, "%s%d", length ? " " : "", trips);
    at++;
  }
}

static void check(const struct unrolled *c) {
  struct op2i_text text = {0}, why = {0};
  char list[256] = "";
  const bool translated = lane_translate(&c->kernel, LANES, &text, &why);
  const char *body = translated ? strstr(text.chars, "op2_vec_k") : NULL;
  if (body) list_loops(body, list, sizeof list);
  if (!ok(body && !strcmp(list, c->unrolled), "%s", c->kernel.name))
    diag("  %s: '%s', expected '%s'", translated ? "unrolled" : why.chars, list, c->unrolled);
  op2i_text_free(&text);
  op2i_text_free(&why);
}

int main(void) {
  struct lane_kernel kernels[CASES];
  for (int c = 0; c < CASES; c++) check(&cases[c]);
  for (int c = 0; c < CASES; c++) kernels[c] = cases[c].kernel;
  for (int c = 0; case_compilers[c]; c++)
    if (case_have_compiler(case_compilers[c]))
      lane_compare(case_compilers[c], "-O2 -Wall -Wno-psabi -ffp-contract=off", LANES, CASES,
                   kernels, NULL);
    else
      skip("%s is not installed", case_compilers[c]);
  return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions that stay false in a lane which has left its loop: the loop's mask is the condition
 * alone. What is the same in all lanes is asked before, without masks. */
#include <stdio.h>
#include <string.h>

#include "compile_case.h"
#include "lane_case.h"
#include "tap.h"

struct lasting {
  struct lane_kernel kernel;
  /* for each loop that lanes leave before others: whether something is asked of all lanes at once
   * (u), and whether the mask becomes the condition (=) or is joined with it (&) */
  const char *masks;
};

static const struct lasting cases[] = {
    {{"Newton's iterations", "Vn1 Vd2",
      "void k(const double *x, double *y) {\n"
      "  double step = 1, z = 1 + fabs(*x);\n"
      "  int k = 0;\n"
      "  while (fabs(step) > 1e-10 && k < 30) {\n"
      "    step = (z * z - fabs(*x)) / (2 * z);\n"
      "    z -= step;\n"
      "    k++;\n"
      "  }\n"
      "  y[0] = z, y[1] = step;\n"
      "}\n"},
     "u="},
    {{"a limit in the middle, and one that the kernel gets", "Vn1 Vd2 ui",
      "void k(const double *x, double *y, int n) {\n"
      "  double a = fabs(*x), b = 0;\n"
      "  for (int k = 0; a > 0.5 && k < 9 && b < 20 && k < (n & 7); k++) a *= 0.5, b += a;\n"
      "  y[0] = a, y[1] = b;\n"
      "}\n"},
     "uu="},
    {{"do, where nothing is asked before the first turn", "Vn1 Vd2 ui",
      "void k(const double *x, double *y, int n) {\n"
      "  double a = *x;\n"
      "  int k = 0;\n"
      "  if (a < 5) do { a = a * 0.5 - 1; y[0] += a; k++; } while (a > 0 && k < 7);\n"
      "  do { a += 0.25; y[1] += a; } while (a < 3 && a > -5);\n"
      "}\n"},
     "= ="},
    {{"a loop in a branch that some lanes take, and one in it", "Vn1 Vd2",
      "void k(const double *x, double *y) {\n"
      "  double a = *x, b = 3;\n"
      "  if (a > 0.25) {\n"
      "    while (a > 0.5) {\n"
      "      a *= 0.5;\n"
      "      b = 1 + a;\n"
      "      while (b > 0.125) b *= 0.25, y[0] += b;\n"
      "    }\n"
      "  } else {\n"
      "    while (b > 1 + a && b > -4) { b -= 0.75; y[1] += b; if (b + a > 2) continue; b -= "
      "0.125; }\n"
      "  }\n"
      "}\n"},
     "= = ="},
    {{"a counter that goes on in lanes that have left", "Vi1 Vd2",
      "void k(const int *n, double *y) {\n"
      "  for (int j = *n & 3; j != 6; j += 1 + (j > 8)) { y[0] += j; if (y[0] > 9) break; }\n"
      "  for (int j = *n & 7; j != 9 && j < 40; j += 3) y[1] += j;\n"
      "}\n"},
     "& &"},
    {{"a counter that wraps round in lanes that have left", "Vi1 Vd1",
      "void k(const int *n, double *y) {\n"
      "  for (int j = 2147483600 + (*n & 15); j > 0; j++) y[0] += 1;\n"
      "}\n"},
     "&"},
    {{"lanes that break out, and lanes that return", "Vn1 Vd2",
      "static double f(double a) {\n"
      "  while (a > 0.5) { a *= 0.5; if (a < 1) return 3; }\n"
      "  return a;\n"
      "}\n"
      "void k(const double *x, double *y) {\n"
      "  double a = fabs(*x);\n"
      "  while (a > 0.5) { if (a > 4 && a < 6) break; a -= 0.75; y[0] += a; }\n"
      "  y[1] = f(*x);\n"
      "}\n"},
     "& &"},
    {{"what memory has", "Vn2 Vn2",
      "void k(const double *x, double *y) {\n"
      "  double a[2] = {fabs(x[0]), fabs(x[1])};\n"
      "  while (a[0] > 0.5) { a[0] *= 0.5; y[0] += 1; }\n"
      "  while (y[1] < a[1] && y[1] < 9) y[1] += 0.5;\n"
      "}\n"},
     "& &"},
    {{"a condition that changes something", "Vn1 Vd1",
      "void k(const double *x, double *y) {\n"
      "  double a = fabs(*x);\n"
      "  int n = 0;\n"
      "  while (n++ < 9 && a > 1) { a *= 0.5; y[0] += n; }\n"
      "}\n"},
     "&"},
    {{"a bound that the loop lowers", "Vn1 Vd2",
      "void k(const double *x, double *y) {\n"
      "  double a = fabs(*x), bound = 1;\n"
      "  for (int n = 0; a > bound && n < 12; n++) { a -= 1; bound -= 0.6; y[0] += a; }\n"
      "  y[1] = bound;\n"
      "}\n"},
     "u="},
    {{"a bound that a counter of all lanes makes", "Vn1 Vd2",
      "void k(const double *x, double *y) {\n"
      "  double a = fabs(*x);\n"
      "  for (int n = 0; a > 3 - n && n < 12; n++) { a -= 1.5; y[0] += a; }\n"
      "}\n"},
     "u&"},
    {{"a value whose address a function gets", "Vn1 Vd1",
      "static void half(double *a) { *a *= 0.5; }\n"
      "void k(const double *x, double *y) {\n"
      "  double a = fabs(*x);\n"
      "  while (a > 1) { half(&a); y[0] += a; }\n"
      "}\n"},
     "&"},
};
enum { CASES = sizeof cases / sizeof *cases, LANES = 8 };

/* Append what stands in the condition that begins here. */
static void list_mask(const char *at, char *list, size_t size) {
  size_t length = strlen(list);
  const char *line = strchr(at, '\n'), *lanes = strstr(at, "({ ");
  if (!lanes || lanes > line) return;
  if (length) list[length++] = ' ';
  for (const char *both = strstr(at, " && "); both && both < lanes; both = strstr(both + 1, " && "))
    if (length + 3 < size) list[length++] = 'u';
  const char *mask = strstr(lanes, "op2_mask");
  while (mask && mask < line && mask[strcspn(mask, " )&=")] == ')')
    mask = strstr(mask + 1, "op2_mask");
  if (mask && mask < line) list[length++] = mask[strcspn(mask, "&=")];
  list[length] = '\0';
}

static void list_masks(const char *text, char *list, size_t size) {
  list[0] = '\0';
  for (const char *at = text; (at = strpbrk(at, "fw")); at++)
    if (!strncmp(at, "for (; ", 7) || !strncmp(at, "while (", 7)) list_mask(at + 6, list, size);
}

static void check(const struct lasting *c) {
  struct op2i_text text = {0}, why = {0};
  char list[256] = "";
  const bool translated = lane_translate(&c->kernel, LANES, &text, &why);
  const char *body = translated ? strstr(text.chars, "op2_vec_") : NULL;
  if (body) list_masks(body, list, sizeof list);
  if (!ok(body && !strcmp(list, c->masks), "%s", c->kernel.name))
    diag("  %s: '%s', expected '%s'\n%s", translated ? "masks" : why.chars, list, c->masks,
         body ? body : "");
  op2i_text_free(&text);
  op2i_text_free(&why);
}

int main(void) {
  struct lane_kernel kernels[CASES];
  for (int c = 0; c < CASES; c++) check(&cases[c]);
  for (int c = 0; c < CASES; c++) kernels[c] = cases[c].kernel;
  for (int c = 0; case_compilers[c]; c++)
    if (case_have_compiler(case_compilers[c]))
      for (int lanes = 2; lanes <= LANES; lanes *= 2)
        lane_compare(case_compilers[c],
                     "-O2 -fwrapv -march=native -Wall -Wno-psabi -ffp-contract=off", lanes, CASES,
                     kernels, NULL);
    else
      skip("%s is not installed", case_compilers[c]);
  return done();
}

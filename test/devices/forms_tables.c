/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of tables and literals, and of the heads of kernels. */
#include "forms.h"

#include <stddef.h>

#define SUM                                                                                        \
  "static double sum(const double *w, int n) {\n"                                                  \
  "  double s = 0; for (int i = 0; i < n; i++) s += w[i] / 3; return s;\n}\n"

static const struct form list[] = {
    {.name = "table_to_a_helper",
     .before = SUM "static const double weights[3] = {0.5, 0.25, 1.75};\n",
     .body = "double own[2] = {x, f}; out[0] = sum(weights, 3); out[1] = sum(weights + 1, 2);\n"
             "out[2] = sum(own, 2); out[3] = sum(&weights[n & 1], 1);"},
    {.name = "table_of_rows_to_a_helper",
     .before =
         "static const double basis[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
         "static double row(const double (*b)[3], int i, int j) { return b[i][j]; }\n"
         "static double of(const double b[][3], int k) { return b[k][0] + b[k][2] / 3; }\n" SUM,
     .body =
         "out[0] = row(basis, n & 1, 2); out[1] = of(basis, 1); out[2] = sum(basis[n & 1], 3);\n"
         "const double *p = basis[1]; out[3] = p[2]; out[4] = sizeof basis / sizeof basis[0];"},
    {.name = "choice_of_tables",
     .before = "static const double few[] = {1, 2}, many[] = {3, 4, 5.5};\n"
               "static const double *pick(int k) { return k > 2 ? many : few; }\n" SUM,
     .body = "const double *w = n & 1 ? few : many; out[0] = w[1]; out[1] = pick(n)[0]; out[2] = "
             "sum(pick(n), 2);\n"
             "out[3] = pick(9) == many; out[4] = *few + *(many + 2);"},
    {.name = "enum_behind_tables",
     .before = "static const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
               "static const int order[] = {2, 0, 1};\n"
               "enum { FIRST = 1, LAST = 2 };\n"
               "static double of(int i) { return rows[FIRST][order[i]]; }\n"
               "enum late { LATE = 7 };\n",
     .body =
         "enum late l = LATE; out[0] = of(n & 1); out[1] = of(LAST) + l; out[2] = rows[0][FIRST];"},
    {.name = "table_of_structs",
     .before = "struct point { double x, w; };\n"
               "static const struct point rule[2] = {{0.25, 1}, {0.75, 2}};\n"
               "static const struct point centre = {0.5, 4};\n"
               "static double at(const struct point *p) { return p->x * p->w; }\n",
     .body = "out[0] = at(&rule[n & 1]); out[1] = at(rule); out[2] = at(&centre);\n"
             "struct point q = rule[1]; out[3] = q.x + centre.w; for (const struct point *p = "
             "rule; p < rule + 2; p++) out[4] += p->w;"},
    {.name = "table_in_a_function",
     .before = SUM "static double rule(double a) {\n"
                   "  static const double w[3] = {1, 2.5, 3}; return sum(w, 3) * a;\n}\n",
     .body = "static const int order[4] = {3, 1, 2, 0}; const double z[2] = {x, 2};\n"
             "out[0] = rule(x); out[1] = order[n & 3]; out[2] = sum(z, 2); const int *p = order; "
             "out[3] = p[1];"},
    {.name = "table_by_two_helpers",
     .before = SUM "static const double weights[2] = {0.5, 0.25};\n"
                   "static double inner(double a) { return a * sum(weights, 2); }\n"
                   "static double outer(double a) { return inner(a) + weights[1]; }\n",
     .body = "out[0] = outer(x); out[1] = inner(f);"},
    {.name = "table_that_is_not_const",
     .before = SUM "static double weights[2] = {0.5, 0.25};\n",
     .body = "out[0] = weights[n & 1] + x; out[1] = sum(weights, 2);"},
    {.name = "number_at_file_scope",
     .before = "static const double pi = 3.14159, gravity = 9.81; static const int size = 3; const "
               "float third = 1.0f / 3;\n"
               "static const double *const at = &pi;\n"
               "static double deref(const double *p) { return *p; }\n",
     .body = "out[0] = pi * x; out[1] = size + third; out[2] = deref(&gravity); out[3] = *at;"},
    {.name = "text_to_a_helper",
     .before = "static int length(const char *s) { int n = 0; while (s[n]) n++; return n; }\n",
     .body = "const char *text = \"four\"; char own[] = \"own\"; out[0] = length(\"three\"); "
             "out[1] = length(text);\n"
             "out[2] = length(own) + \"abc\"[n & 1]; out[3] = length(n > 2 ? \"a\" : \"bc\") + "
             "length(\"con\" \"cat\");"},
    {.name = "table_of_no_numbers",
     .headers = "<math.h>",
     .before = "static const double ends[3] = {INFINITY, -HUGE_VAL, 1}; static const float nan_[1] "
               "= {NAN};\n",
     .body = "out[0] = ends[n & 1]; out[1] = nan_[0] != nan_[0];"},
    {.name = "pragmas",
     .body = "double s = 0;\n#pragma omp simd\nfor (int i = 0; i < 4; i++) s += x * i;\n"
             "#pragma GCC unroll 2\nfor (int i = 0; i < 4; i++) s += f;\n#pragma coffee "
             "expression\nout[0] = s;\n"
             "#pragma GCC ivdep\nfor (int i = 0; i < 3; i++) out[i] += n;"},
    {.name = "conditionals",
     .before = "#define DEGREE 2\n#if DEGREE > 1 && defined(DEGREE)\n#define W 3.5\n#else\n#error "
               "degree\n#endif\n"
               "#ifdef __cplusplus\n#define PLUS 1\n#else\n#define PLUS 0\n#endif\n"
               "#if defined(__CUDACC__) || defined(__OPENCL_VERSION__)\n#define PLACE "
               "1\n#else\n#define PLACE 1\n#endif\n",
     .body = "out[0] = W * x; out[1] = PLUS + PLACE;"},
    {.name = "macros_of_many_kinds",
     .before = "#define real double\n#define SQUARE(a) ((a) * (a))\n#define JOIN(a, b) "
               "a##b\n#define TEXT(a) #a\n"
               "#define LOOP(i, n) for (int i = 0; i < (n); i++)\n#define SUM(...) "
               "total((double[]){__VA_ARGS__}, \\\n"
               "  sizeof((double[]){__VA_ARGS__}) / sizeof(double))\n"
               "static real total(const real *v, unsigned long n) { real s = 0; LOOP(i, (int)n) s "
               "+= v[i] / 3; return s; }\n",
     .body = "real ab = SQUARE(x + 1); LOOP(i, 3) out[0] += JOIN(a, b) * i; out[1] = sizeof "
             "TEXT(abc);\n"
             "out[2] = SUM(x, f, n); out[3] = SUM(1);"},
    {.name = "inc", .body = "out[0] = x;"},
    {.name = "set", .body = "out[0] = x;"},
    {.name = "write", .body = "out[0] = x;"},
    {.name = "div", .body = "out[0] = x;"},
    {.name = "exp", .headers = "<math.h>", .body = "out[0] = x;"},
    {.name = "kernel", .body = "out[0] = x;"},
    {.name = "vload2", .body = "out[0] = x;"},
    {.name = "main", .body = "out[0] = x;"},
};

const struct forms forms_tables = {list, sizeof list / sizeof *list};

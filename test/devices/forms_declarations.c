/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of declarations: initializers, parameters, enumerations, pointers to void, bit-fields. */
#include "forms.h"

#include <stddef.h>

static const struct form list[] = {
    {.name = "designated_array",
     .body = "double a[5] = {[3] = x, [1] = f}; int b[] = {[2] = n, 7, [0] = 1};\n"
             "out[0] = a[0] + a[1]; out[1] = a[2] + a[3] / 3 + a[4]; out[2] = b[0] + b[1] + b[2] * "
             "b[3];\n"
             "out[3] = sizeof b;"},
    {.name = "designated_struct",
     .before = "struct part { double a; int k; double w[3]; };\n",
     .body = "struct part p = {.k = n, .a = x}, q = {.w = {1, f}, .a = 2}, r = {1, .w[1] = x, 5};\n"
             "out[0] = p.a + p.k + p.w[1]; out[1] = q.a + q.k + q.w[1] / 3 + q.w[2];\n"
             "out[2] = r.a + r.w[0] + r.w[1] + r.w[2];"},
    {.name = "designated_parts",
     .before = "struct pair { double a, b; }; struct two { struct pair p[2]; int k; };\n",
     .body = "struct two t = {.p[1].b = x, .k = n, .p[0] = {1, 2}};\n"
             "struct two u[2] = {[1].p[0].a = f, [0] = {.k = 3}};\n"
             "out[0] = t.p[0].a + t.p[0].b; out[1] = t.p[1].a + t.p[1].b / 3; out[2] = t.k;\n"
             "out[3] = u[0].k + u[1].p[0].a / 3 + u[1].k;"},
    {.name = "designated_range",
     .body = "int a[6] = {[0 ... 2] = n, [4] = 1}; out[0] = a[0] + a[1] * 2 + a[2] * 3 + a[3] + "
             "a[4] + a[5];"},
    {.name = "designated_table",
     .before = "enum { RED, GREEN = 3, COUNT = 5 };\n"
               "static const double weights[COUNT] = {[GREEN] = 2.5, [RED] = 1.5};\n"
               "static const int open[] = {[3] = 4, 5};\n"
               "static const struct { double w; int n; } rows[2] = {{.n = 2}, {.w = 3, .n = 4}};\n",
     .body = "out[0] = weights[n & 3]; out[1] = open[n & 1] + open[4] + sizeof open;\n"
             "out[2] = rows[n & 1].w + rows[n & 1].n;"},
    {.name = "old_initializers",
     .before = "struct pair { double a, b; }; struct two { struct pair p; double w[2]; };\n",
     .body = "double a[2][3] = {{x}, {f, n}}, b[2][2] = {1, 2, 3, n}, c[3] = {0}, d[4] = {};\n"
             "struct two t = {x, 1, 2, f}, u = {{0}}; char s[] = \"ab\", r[4] = \"abcd\";\n"
             "out[0] = a[0][0] + a[0][1] + a[1][0] / 3 + a[1][1]; out[1] = b[1][0] + b[1][1];\n"
             "out[2] = c[2] + d[3] + t.p.b + t.w[1]; out[3] = u.w[1] + s[1] + r[3] + sizeof s;"},
    {.name = "converting_initializers",
     .body = "double a[2] = {n, f}; float b[2] = {x, 0.1}; unsigned char c[2] = {n, 200};\n"
             "int d[2] = {f < 1e9f ? f : 0, 2.5}; long e[] = {n, 3u}; unsigned g[2] = {-1, n};\n"
             "out[0] = a[0] / 3 + a[1]; out[1] = b[0] / 3 + b[1]; out[2] = c[0] + c[1]; out[3] = "
             "d[0] + d[1];\n"
             "out[4] = e[0] + e[1]; out[5] = g[0] / 3u + g[1] / 2u;"},
    {.name = "parameters",
     .before =
         "static double one(const double w[static 2]) { return w[1]; }\n"
         "static double two(double w[const 2], double v[restrict], int k[static const 1]) {\n"
         "  return w[0] + v[1] + k[0];\n}\n"
         "static double three(double [static 2]);\n"
         "static double three(double w[const static 2]) { return w[1] / 3; }\n"
         "static double four(double w[][2], double v[static 2][2]) { return w[1][0] + v[0][1]; }\n",
     .body = "double w[2] = {x, f}, v[2] = {1, 2}, m[2][2] = {{1, 2}, {x, 4}}; int k[1] = {n};\n"
             "out[0] = one(w); out[1] = two(w, v, k); out[2] = three(w); out[3] = four(m, m);"},
    {.name = "assertions",
     .before = "_Static_assert(sizeof(int) == 4, \"an int has 4 bytes\");\n"
               "_Static_assert(sizeof(double) == 8);\n",
     .body = "_Static_assert(1, \"true\"); _Static_assert(sizeof x == 8); out[0] = x;"},
    {.name = "storage",
     .before =
         "static inline __attribute__((always_inline)) double half_of(double a) { return a / 2; }\n"
         "__inline__ static double third(register double a) { return a / 3; }\n"
         "extern double twice(double a); double twice(double a) { return 2 * a; }\n",
     .body =
         "register int i; auto double s = 0; register const double t = x; __const double u = f;\n"
         "for (i = 0; i < 3; i++) s += t * i; out[0] = s; out[1] = half_of(u); out[2] = third(x); "
         "out[3] = twice(x);"},
    {.name = "alignment",
     .body =
         "double a[4] __attribute__((aligned(32))) = {x, f}; _Alignas(16) double b[2] = {1, 2};\n"
         "double __attribute__((unused)) c = 1; out[0] = a[0] + b[1]; out[1] = (unsigned long)a % "
         "32;"},
    {.name = "assigned_enum",
     .before = "enum colour { RED, GREEN = 3, BLUE };\ntypedef enum { LOW, HIGH } level;\n"
               "static enum colour next(enum colour c) { return (c + 1) % 5; }\n"
               "static int of(level l) { return l == HIGH ? 10 : 20; }\n",
     .body =
         "enum colour c = n & 3, d; d = c; d++; c |= 4; level l = n > 2; l ^= 1;\n"
         "out[0] = c; out[1] = d; out[2] = next(d); out[3] = of(l) + of(1); out[4] = c == BLUE;\n"
         "switch (d) { case RED: out[5] = 1; break; case GREEN: out[5] = 2; break; default: out[5] "
         "= 3; }"},
    {.name = "signs_of_enums",
     .before = "enum plain { ZERO, ONE }; enum negative { BELOW = -1, ABOVE };\n"
               "struct state { enum plain p; enum negative q; };\n",
     .body = "enum plain p = ONE; enum negative q = BELOW; struct state s = {n & 1, -(n & 1)};\n"
             "out[0] = (double)(p - 5); out[1] = p - 5 < 0; out[2] = (double)(q - 5); out[3] = ONE "
             "- 5 < 0;\n"
             "out[4] = (double)(s.p - 3) + (double)(s.q - 3); out[5] = sizeof p + sizeof ONE;"},
    {.name = "enums_inside",
     .before =
         "struct cell { enum kind { SOLID, FLUID = 2 } kind; struct inner { double v; } in; };\n"
         "static enum kind kind_of(struct cell c) { return c.kind; }\n",
     .body =
         "enum { N = 3, M = N * 2 }; double w[M]; enum step { UP, DOWN }; enum step s = n & 1;\n"
         "struct cell c = {FLUID, {x}}; struct inner i = {f}; enum kind k = kind_of(c); k = 0;\n"
         "for (enum step t = UP; t <= DOWN; t++) w[t] = t; out[0] = w[1] + M; out[1] = s == DOWN;\n"
         "out[2] = c.kind + c.in.v; out[3] = i.v; out[4] = k;"},
    {.name = "pointers_to_void",
     .before = "static double first(const void *data) { const double *p = data; return p[0]; }\n"
               "static void *keep(void *p) { return p; }\n"
               "static void put(void *to, double v) { double *p = to; *p = v; }\n",
     .body =
         "double w[2] = {x, f}; void *v = w; double *p = v; const void *c = px; const double *q = "
         "c;\n"
         "double *r = keep(w + 1); put(&w[0], n); out[0] = p[0]; out[1] = q[0]; out[2] = *r / 3;\n"
         "out[3] = first(w + 1); out[4] = v == w && v != r; out[5] = *(double *)v + first(v);"},
    {.name = "more_pointers_to_void",
     .before = "struct box { const void *at; int n; };\n"
               "static double sum(struct box b) {\n"
               "  const double *p = b.at; double s = 0; for (int i = 0; i < b.n; i++) s += p[i]; "
               "return s;\n}\n",
     .body = "double w[2] = {x, f}; void *v = n > 2 ? w : NULL, *u[2] = {w, w + 1}; struct box b = "
             "{w, 2};\n"
             "out[0] = v ? 1 : 2; out[1] = v == NULL; double *p = u[1]; out[2] = p[0]; out[3] = "
             "sum(b);\n"
             "void **z = u; p = z[0]; out[4] = *p; out[5] = !v; b.at = px; out[0] += sum((b.n = 1, "
             "b));"},
    {.name = "bit_fields",
     .before = "struct flags { unsigned a : 3, b : 5; int c : 4; unsigned rest : 20; };\n",
     .body = "struct flags g = {5, 17, -3, 1000}; out[0] = g.a + g.b + g.c + g.rest; g.a = n; g.c "
             "= n;\n"
             "out[1] = g.a; out[2] = g.c; g.b += 30; g.a++; out[3] = g.b + g.a * 100; out[4] = g.a "
             "- 5 < 0;\n"
             "out[5] = sizeof g;"},
    {.name = "unions",
     .before = "union both { double d; struct { unsigned low, high; } parts; float f[2]; };\n",
     .body = "union both b = {x}, c; c.f[0] = f; c.f[1] = 2; out[0] = b.parts.low / 3; out[1] = "
             "b.parts.high / 3;\n"
             "out[2] = c.parts.low / 5; out[3] = sizeof b;"},
    {.name = "anonymous_members",
     .before =
         "struct value { int kind; union { double d; long l; }; struct { double p, q; }; };\n",
     .body = "struct value v; v.kind = n; v.d = x; v.p = f; v.q = 1; out[0] = v.kind + v.d; out[1] "
             "= v.p + v.q;"},
    {.name = "deep_arrays",
     .body =
         "double a[2][2][2][2][2]; for (int i = 0; i < 32; i++) (&a[0][0][0][0][0])[i] = x * i;\n"
         "out[0] = a[1][0][1][0][1]; double (*p)[2] = a[0][1][1]; out[1] = p[1][1];"},
    {.name = "signed_overflow",
     .body = "int m = 2147483647 - (n & 1), i = m; i += 1; out[0] = m + 1 > m; out[1] = i; out[2] "
             "= m * 3;\n"
             "long l = 9223372036854775807l; l += n; out[3] = l < 0; out[4] = -(-2147483647 - 1 + "
             "(n & 1));\n"
             "int c = 0; for (int k = m - 2; k <= m && c < 9; k++) c++; out[5] = c;"},
    {.name = "more_signed_overflow",
     .before = "struct count { int k; }; static int twice(int a) { return a * 2; }\n"
               "static int hash(const int *v, int m) {\n"
               "  int h = 17; for (int i = 0; i < m; i++) h = h * 31 + v[i]; return h;\n}\n",
     .body = "struct count c = {2147483600}; c.k += n * n; c.k++; int v[4] = {n, 2147483647, -n, 1 "
             "<< 30};\n"
             "out[0] = c.k; out[1] = twice(v[1]); out[2] = hash(v, 4); out[3] = v[3] + v[3] < 0;\n"
             "v[0] = v[1]; v[0]++; out[4] = v[0]--; out[5] = v[0] - (-2147483647 - n) > 0;"},
};

const struct forms forms_declarations = {list, sizeof list / sizeof *list};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of expressions: compound literals, generic selections, extensions of GNU C. */
#include "forms.h"

#include <stddef.h>

#define PAIR "struct pair { double a, b; };\n"

static const struct form list[] = {
    {.name = "literal_of_struct",
     .before = PAIR "static double sum(struct pair p) { return p.a + p.b / 3; }\n",
     .body = "out[0] = sum((struct pair){x, n}); out[1] = sum((struct pair){.b = f});"},
    {.name = "literal_of_array",
     .body = "const double *w = (double[3]){x, f, 2}; out[0] = w[0]; out[1] = w[1] / 3;\n"
             "out[2] = (const double[]){1, 2, 3}[n & 1];\n"
             "out[3] = sizeof((int[]){1, 2, 3, 4}) + ((int[2]){n})[1];"},
    {.name = "address_of_literal",
     .before = "static double add(const double *a, const double *b) { return *a + *b; }\n"
               "static void store(double *a, double b) { *a = b; }\n",
     .body = "out[0] = add(&(double){x}, &(double){n}); double *p = &(double){f};\n"
             "store(p, *p + 1); out[1] = *p;"},
    {.name = "assigned_literal",
     .before = PAIR,
     .body =
         "struct pair p = {1, 2}, *q = &p; p = (struct pair){.b = x}; out[0] = p.a; out[1] = p.b;\n"
         "*q = (struct pair){f, p.b}; out[2] = p.a; out[3] = q->b;"},
    {.name = "literal_in_a_loop",
     .body = "double s = 0;\n"
             "for (int i = 0; i < 4; i++) {\n"
             "  double *w = (double[2]){i, x}; w[0] += 1; w[1] += i; s += w[0] + w[1];\n"
             "}\n"
             "out[0] = s; for (int i = (int){0}; i < (int){3}; i += (int){1}) out[1] += i;\n"
             "int k = 0; while (k < (int[]){3, n}[0]) k++; out[2] = k;"},
    {.name = "literal_in_a_macro",
     .before = PAIR "#define MAKE(p, q) ((struct pair){(p), (q)})\n"
                    "static struct pair plus(struct pair p, struct pair q) {\n"
                    "  return MAKE(p.a + q.a, p.b + q.b);\n}\n",
     .body = "struct pair p = plus(MAKE(x, f), MAKE(n, 1)); out[0] = p.a; out[1] = p.b;"},
    {.name = "literal_in_a_literal",
     .before = PAIR "struct two { struct pair p, q; int k; };\n",
     .body = "struct two t = {(struct pair){x, 1}, {2, f}, n};\n"
             "struct two u = (struct two){.q = (struct pair){f, n}, .k = 3};\n"
             "out[0] = t.p.a; out[1] = t.q.b + t.k; out[2] = u.p.a + u.q.a; out[3] = u.q.b + u.k;"},
    {.name = "returned_literal",
     .before = "typedef struct { double v[2]; int k; } vector2;\n"
               "static vector2 make(double a, int k) { return (vector2){{a, k}, k}; }\n"
               "static vector2 scale(vector2 v, double s) {\n"
               "  return (vector2){.v = {v.v[0] * s, v.v[1] * s}, .k = v.k};\n}\n",
     .body = "vector2 v = scale(make(x, n), 2.0); out[0] = v.v[0]; out[1] = v.v[1]; out[2] = v.k;"},
    {.name = "literal_of_union",
     .before = "union bits { double d; unsigned long u; };\n",
     .body = "out[0] = (double)((union bits){.d = x}.u >> 40);\n"
             "out[1] = (union bits){.u = 0x3ff0000000000000ul}.d;\n"
             "union bits b = {.u = 0x4000000000000000ul}; out[2] = b.d;"},
    {.name = "literal_by_choice",
     .before = PAIR,
     .body = "struct pair p = n > 2 ? (struct pair){x, 1} : (struct pair){2, f};\n"
             "const double *w = n & 1 ? (double[2]){1, x} : (double[2]){f, 2};\n"
             "out[0] = p.a; out[1] = p.b; out[2] = w[0]; out[3] = w[1];\n"
             "int c = 0; out[4] = n > 3 && (int[]){c++, 1}[1]; out[5] = c;"},
    {.name = "literal_of_number",
     .body = "out[0] = (double){n} / 3; out[1] = (float){x < 1e9 ? x : 0}; out[2] = (int){f < 1e9f "
             "? f : 0};\n"
             "out[3] = (unsigned char){(unsigned char)n};"},
    {.name = "literal_outside",
     .before = "static const double *const table = (const double[]){1, 2, 3};\n",
     .body = "out[0] = table[n & 1]; out[1] = table[2];"},
    {.name = "selection",
     .before =
         "static double of_double(double a) { return a / 3; }\n"
         "static double of_float(float a) { return a / 5; }\n"
         "static double of_int(int a) { return a / 7; }\n"
         "#define OF(a) _Generic((a), double: of_double, float: of_float, default: of_int)(a)\n",
     .body =
         "out[0] = OF(x); out[1] = OF(f); out[2] = OF(n); out[3] = OF(x + f); out[4] = OF(n + f);"},
    {.name = "selection_of_values",
     .body =
         "double *p = out; const double *q = px; (void)p, (void)q;\n"
         "out[0] = _Generic(p, double *: 1, const double *: 2, default: 3);\n"
         "out[1] = _Generic(q, double *: x, const double *: 2 * x, default: 3);\n"
         "out[2] = _Generic(n, int: n + 1, long: 0L); out[3] = _Generic(1L, int: 1, long: 2.5);\n"
         "out[4] = _Generic('a', char: 1, int: 2); out[5] = _Generic(x < 1, _Bool: 1, int: 2);"},
    {.name = "type_of_value",
     .before = "#define SWAP(a, b) do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)\n",
     .body = "double a = x, b = f; SWAP(a, b); out[0] = a; out[1] = b;\n"
             "int i = n, k = 3; SWAP(i, k); out[2] = i / 2; out[3] = k;\n"
             "typeof(*px) c = n; out[4] = c / 2; __typeof__(double) d = n; out[5] = d / 4;"},
    {.name = "type_of_array",
     .body =
         "double w[3] = {x, f, n}; __typeof__(w) v; __typeof__(w[0]) s = 0; typeof(int *) p = 0;\n"
         "for (int i = 0; i < 3; i++) v[i] = w[i] * 2, s += v[i];\n"
         "__typeof__(n + 1L) l = n; out[0] = s; out[1] = sizeof v; out[2] = sizeof l; out[3] = p "
         "== 0;"},
    {.name = "statement_in_an_expression",
     .before = "#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ "
               ": b_; })\n",
     .body = "out[0] = MAX(x, f); out[1] = MAX(n, 2) / 2; out[2] = ({ double t = x; t * 3; });"},
    {.name = "choice_without_middle", .body = "out[0] = n ?: 5; out[1] = (x ?: 2) / 3;"},
    {.name = "range_of_cases",
     .body = "switch (n) { case 0 ... 3: out[0] = 1; break; case 4 ... 8: out[0] = 2; break;\n"
             "default: out[0] = 3; }"},
    {.name = "sizes",
     .body = "out[0] = sizeof 'a'; out[1] = sizeof(n < 3); out[2] = sizeof !n; out[3] = sizeof(n "
             "&& x);\n"
             "out[4] = _Alignof(double) + __alignof__(float); out[5] = sizeof \"four\";"},
    {.name = "numbers",
     .body = "out[0] = 0x1p-3 + 0x1.8p1f + 1e3f; out[1] = 10ull + 010 + 0xffu + 0b101;\n"
             "out[2] = 'a' + '\\n' + '\\x41' + L'x'; out[3] = 1.e-3 + .5 + 5.f;\n"
             "out[4] = 4294967295u + n; out[5] = 2147483648 - n;"},
    {.name = "commas_and_choices",
     .body =
         "int i = (1, n); out[0] = i > 2 ? i < 6 ? x : f : n; out[1] = (out[0]++, out[0] / 3);\n"
         "i += i++ > 2, out[2] = i; out[3] = -(n < 3) + !n + ~n; out[4] = (n << 2) / 3 % 5;"},
    {.name = "hints",
     .body = "if (__builtin_expect(n > 2, 1)) out[0] = x; out[1] = __builtin_fabs(f);\n"
             "out[2] = __extension__ (n + 1);"},
    {.name = "flow",
     .body = "int k = 0; double s = 0;\n"
             "again: s += x / (k + 1); if (++k < 4) goto again;\n"
             "do { if (k & 1) { k++; continue; } s += k; k++; } while (k < 9);\n"
             "for (;;) { if (k-- < 3) break; switch (k % 3) { case 0: s++; case 1: s += 2; break; "
             "default: s--; } }\n"
             "volatile double v = s; out[0] = v; out[1] = k;"},
    {.name = "jump_over_a_value",
     .body = "switch (n & 3) { case 0:; int k = 2; out[0] = k; break; case 1: k = 5; out[0] = k + "
             "x; break; }\n"
             "if (n > 2) goto end; double y = f; out[1] = y; end: out[2] = n;"},
    {.name = "recursion",
     .before = "static int digits(int k) { return k < 10 ? 1 : 1 + digits(k / 10); }\n",
     .body = "out[0] = digits(n < 0 ? -n : n);",
     .cuda = "calls itself",
     .opencl = "calls itself"},
    {.name = "pointer_to_a_function",
     .before = "static double twice(double a) { return 2 * a; }\n"
               "static double apply(double (*g)(double), double a) { return g(a); }\n",
     .body = "out[0] = apply(twice, x);",
     .opencl = "function"},
    {.name = "variable_length",
     .body = "int m = n < 1 ? 1 : n; double w[m]; w[0] = x; out[0] = w[0]; out[1] = sizeof w;",
     .cuda = "",
     .opencl = ""},
};

const struct forms forms_expressions = {list, sizeof list / sizeof *list};

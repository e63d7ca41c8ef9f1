/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms that the languages of devices take, too, and to which they give another meaning. */
#include "forms.h"

#include <stddef.h>

static const struct form list[] = {
    {.name = "return_in_a_statement",
     .before = "#define NEEDS(c) ({ if (!(c)) return; (void)0; })\n",
     .body = "out[0] = 1; NEEDS(x > 0); out[1] = 2;",
     .cuda = ""},
    {.name = "return_before_a_call",
     .before = "static void set(double *p, double v) { *p = v; }\n",
     .body = "({ if (n & 1) return; set(out, 3); }); out[1] = 2;",
     .cuda = ""},
    {.name = "enumeration_of_all_bits",
     .before = "enum bits { ALL = ~0u, FEW = 1 };\n",
     .body = "enum bits b = n & 1 ? ALL : FEW; out[0] = b; out[1] = b > 0; out[2] = ALL;\n"
             "out[3] = sizeof b;"},
    {.name = "enumeration_of_the_sign_bit",
     .before = "enum flag { SIGN = 1 << 31, FEW = 1 };\n",
     .body = "enum flag b = n & 1 ? SIGN : FEW; out[0] = b; out[1] = b > 0; out[2] = SIGN;"},
    {.name = "enumeration_of_long_numbers",
     .before = "enum wide { LARGE = 1L << 40, SMALL = 1 };\n",
     .body = "enum wide b = n & 1 ? LARGE : SMALL; out[0] = b; out[1] = b / 3; out[2] = LARGE;"},
    {.name = "enumeration_by_unsigned_numbers",
     .before = "enum odd { A = -1 / 2u, B = -1 > 0u, C = 5 };\n",
     .body = "out[0] = A; out[1] = B; enum odd v = A; out[2] = v;\n"
             "switch (n) { case B ... 4: out[3] = 1; break; default: out[3] = 2; }",
     .cuda = ""},
    {.name = "enumeration_that_is_packed",
     .before = "enum __attribute__((packed)) tiny { T0, T1 = 200 };\n",
     .body = "enum tiny t = T1; out[0] = t; out[1] = sizeof t;"},
    {.name = "size_of_an_inner_comparison",
     .body =
         "out[0] = sizeof((x < f)); out[1] = sizeof(n ? x < f : x > f); out[2] = sizeof((n, x < "
         "f));\nout[3] = sizeof (x < f) + sizeof !n; out[4] = sizeof((char)(x < f));"},
    {.name = "type_of_a_comparison",
     .body =
         "__typeof__(x < f) k = 5; out[0] = k; __typeof__(!n) m = 7; out[1] = m;\n"
         "__typeof__((x < f)) i = 9; out[2] = i; __typeof__(n ? x < f : !n) j = 8; out[3] = j;"},
    {.name = "choice_as_the_second_operand",
     .body =
         "out[0] = n ?: 1 ? 3 : 4; out[1] = n - 3 ?: n > 5 ? n ?: 2 : 6; out[2] = n ? n - 7 ?: 8 "
         ": 9;\nout[3] = n - 3 ?: n - 7 ?: 5;"},
    {.name = "macros_in_a_circle",
     .body = "int a = n, b = 2; void *p = out; (void)a, (void)b, (void)p;\n#define a (1 + b)\n"
             "#define b a\nout[0] = a; out[1] = b;"},
    {.name = "literal_of_an_inner_type",
     .before = "struct s { int a; };\n",
     .body = "{ struct s { double a; }; out[0] = (&(struct s){x + 0.25})->a; }",
     .cuda = ""},
    {.name = "literal_of_an_inner_extent",
     .before = "enum { K = 2 };\n",
     .body = "{ enum { K = 4 }; const double *p = (double[K]){1, 2, 3, 4}; out[0] = p[3]; }",
     .cuda = "",
     .opencl = ""},
};

const struct forms forms_meanings = {list, sizeof list / sizeof *list};

/* SPDX-License-Identifier: BSD-3-Clause */
/* This is what mathematical functions are made of: operations that differ between scalars and
 * vectors, and arithmetic with sums of two numbers (T. J. Dekker, A floating-point technique for extending the
 * available precision, Numerische Mathematik 18, 1971). */
#include "math_text.h"

#define BASE(result_, name_, parameters_, text_, ...)                                              \
  { OP2I_MATH_PART, #result_, #name_, #parameters_, #text_, #__VA_ARGS__ }

/* clang-format off */
const struct op2i_math_text op2i_math_base[] = {
    BASE(whole, bits, (const real x),
         { whole i; __builtin_memcpy(&i, &x, sizeof i); return i; },
         { return (whole)x; }),
    BASE(real, number, (const whole i),
         { real x; __builtin_memcpy(&x, &i, sizeof x); return x; },
         { return (real)i; }),
    BASE(real, choose, (const mask m, const real a, const real b),
         { return m ? a : b; },
         { return (real)((m & (whole)a) | (~m & (whole)b)); }),
    BASE(real, every, (const double x),
         { return x; },
         { return (real){0} + x; }),
    BASE(int, all, (const mask m),
         { return m; },
         { int64_t each = -1; for (int i = 0; i < LANES; i++) each &= m[i]; return each != 0; }),
    BASE(real, root, (const real x),
         { return __builtin_sqrt(x); },
         { real y; for (int i = 0; i < LANES; i++) y[i] = __builtin_sqrt(x[i]); return y; }),
    OP2I_MATH(PART, real, size, (const real x), { return number(bits(x) & 0x7fffffffffffffff); }),
    /* x >= 0 with the sign of y */
    OP2I_MATH(PART, real, with_sign, (const real x, const real y),
              { return number(bits(x) | (bits(y) & ~0x7fffffffffffffff)); }),
    OP2I_MATH(PART, real, not_a_number, (const real x),
              { return number((bits(x) & 0) + 0x7ff8000000000000); }),
    /* x, or the nearest number between -limit and limit; NaN remains. */
    OP2I_MATH(PART, real, limited, (const real x, const double limit),
              {
                const real least = choose((mask)(x < -limit), every(-limit), x);
                return choose((mask)(x > limit), every(limit), least);
              }),
    /* The first 26 bits of x */
    OP2I_MATH(PART, real, first_bits, (const real x), { return number(bits(x) & ~0x7ffffff); }),
    /* Returns what the product p = a b lacks, to 2^-106 p. */
    OP2I_MATH(PART, real, residue, (const real a, const real b, const real p),
              {
                const real a1 = first_bits(a);
                const real b1 = first_bits(b);
                const real a2 = a - a1;
                const real b2 = b - b1;
                return ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
              }),
    /* Returns what the quotient q = (a + a_low) / (b + b_low) lacks. */
    OP2I_MATH(PART, real, quotient_rest,
              (const real q, const real a, const real a_low, const real b, const real b_low),
              {
                const real p = q * b;
                return (((a - p) - residue(q, b, p)) + (a_low - q * b_low)) / b;
              }),
    /* Returns what the root y of x + x_low lacks; zero for y = 0. */
    OP2I_MATH(PART, real, root_rest, (const real y, const real x, const real x_low),
              {
                const real p = y * y;
                return (((x - p) - residue(y, y, p)) + x_low) / (2.0 * y + 0x1p-1000);
              }),
    /* Returns what the sum s = a + b lacks. */
    OP2I_MATH(PART, real, sum_rest, (const real s, const real a, const real b),
              {
                const real back = s - a;
                return (a - (s - back)) + (b - back);
              }),
    {.name = NULL}};
/* clang-format on */

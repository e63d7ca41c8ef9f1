/* SPDX-License-Identifier: BSD-3-Clause */
/* This is what mathematical functions are made of: operations that differ between scalars and
 * vectors, and arithmetic with sums of two numbers (T. J. Dekker, A floating-point technique for
 * extending the available precision, Numerische Mathematik 18, 1971). */
#include "math_text.h"

#define BASE(result_, name_, parameters_, text_, ...)                                              \
  { OP2I_MATH_PART, #result_, #name_, #parameters_, #text_, #__VA_ARGS__, NULL }

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
    OP2I_MATH(LANES, int, all, (const mask m), { return m; }),
    OP2I_MATH(LANES, real, root, (const real x), { return __builtin_sqrt(x); }),
    OP2I_MATH(LANES, real, lesser, (const real a, const real b), { return a < b ? a : b; }),
    OP2I_MATH(LANES, real, greater, (const real a, const real b), { return a > b ? a : b; }),
    OP2I_MATH_TWO(LANES, real, fused, (const real a, const real b, const real c),
                  ({ return __builtin_fma(a, b, c); }), { return a * b + c; }),
    OP2I_MATH_TWO(LANES, real, fused_minus, (const real a, const real b, const real c),
                  ({ return __builtin_fma(-a, b, c); }), { return c - a * b; }),
    /* The bits of x >= 0, shifted to the right */
    OP2I_MATH(PART, whole, down, (const whole x, const int n),
              { return (whole)((natural)x >> n); }),
    OP2I_MATH(PART, real, size, (const real x), { return number(bits(x) & 0x7fffffffffffffff); }),
    /* x >= 0 with the sign of y */
    OP2I_MATH(PART, real, with_sign, (const real x, const real y),
              { return number(bits(x) | (bits(y) & ~0x7fffffffffffffff)); }),
    OP2I_MATH(PART, real, not_a_number, (const real x),
              { return number((bits(x) & 0) + 0x7ff8000000000000); }),
    /* x, or the nearest number between -limit and limit; NaN remains. */
    OP2I_MATH(PART, real, limited, (const real x, const double limit),
              { return lesser(every(limit), greater(every(-limit), x)); }),
    /* The first 26 bits of x */
    OP2I_MATH(PART, real, first_bits, (const real x), { return number(bits(x) & ~0x7ffffff); }),
    /* Returns what the product p = a b lacks, to 2^-106 p. */
    OP2I_MATH_TWO(PART, real, residue, (const real a, const real b, const real p),
                  ({ return fused(a, b, -p); }),
                  {
                    const real a1 = first_bits(a);
                    const real b1 = first_bits(b);
                    const real a2 = a - a1;
                    const real b2 = b - b1;
                    return ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
                  }),
    /* Returns x - a b for a product that is close to x. */
    OP2I_MATH_TWO(PART, real, remains, (const real x, const real a, const real b),
                  ({ return fused_minus(a, b, x); }),
                  {
                    const real p = a * b;
                    return (x - p) - residue(a, b, p);
                  }),
    /* (a + a_low) / (b + b_low): the result and *low. The inverse of b is a normal number. */
    OP2I_MATH(PART, real, quotient,
              (const real a, const real a_low, const real b, const real b_low, real *const low),
              {
                const real inverse = 1.0 / b;
                const real q = a * inverse;
                *low = (remains(a, q, b) + fused_minus(q, b_low, a_low)) * inverse;
                return q;
              }),
    /* Returns what the root y of x + x_low lacks, with an error of 4 %; zero for y = 0. The inverse
     * of the root is taken from the bits of x >= 0, half of which is nearly its logarithm. */
    OP2I_MATH(PART, real, root_rest, (const real y, const real x, const real x_low),
              {
                const real inverse = number(0x5fe6eb50c7b537a9 - down(bits(x), 1));
                return (remains(x, y, y) + x_low) * (0.5 * inverse);
              }),
    /* Returns what the sum s = a + b lacks. */
    OP2I_MATH(PART, real, sum_rest, (const real s, const real a, const real b),
              {
                const real back = s - a;
                return (a - (s - back)) + (b - back);
              }),
    {.name = NULL}};
/* clang-format on */

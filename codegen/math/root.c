/* SPDX-License-Identifier: BSD-3-Clause */
/* The cube root, and the length of a vector of two components. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_root[] = {
    /* x = m 8^q with 1 <= m < 8. A polynomial for z = m^(-1/3) is improved three times by Newton's
     * method; y is the first 26 bits of the cube root, whose square is exact, and with r = m - y^3
     * and c = r z^2 / 3 the cube root is y + c + c^2 z (after K. C. Ng, FDLIBM, 1993). */
    OP2I_MATH(PART, real, cbrt_step, (const real m, const real z),
              { return fused(z * OP2I_THIRD, fused_minus(m, z * z * z, every(1.0)), z); }),
    OP2I_MATH(PART, real, cbrt_first, (const real m),
              {
                const real m2 = m * m;
                const real a = fused(fused(every(OP2I_CBRT_3), m, every(OP2I_CBRT_2)), m2,
                                     fused(every(OP2I_CBRT_1), m, every(OP2I_CBRT_0)));
                const real first =
                    fused(fused(every(OP2I_CBRT_5), m, every(OP2I_CBRT_4)), m2 * m2, a);
                return cbrt_step(m, cbrt_step(m, first));
              }),
    OP2I_MATH(PART, real, cbrt_near, (const real m),
              {
                const real z = cbrt_step(m, cbrt_first(m));
                const real z2 = z * z;
                const real y = first_bits(m * z2);
                const real c = remains(m, y * y, y) * (z2 * OP2I_THIRD);
                return y + fused(c * c, z, c);
              }),
    /* q, from the bits of x */
    OP2I_MATH(PART, whole, cbrt_exponent, (const whole b),
              {
                const real e = number(down(b, 52) + 0x4330000000000000) - (0x1p52 + 1023.0);
                const real shifted = (e - 1.0) * OP2I_THIRD + 0x1.8p52;
                return bits(shifted) - 0x4338000000000000;
              }),
    OP2I_MATH(PART, real, cbrt_normal, (const real x),
              {
                const whole q = cbrt_exponent(bits(x));
                return cbrt_near(number(bits(x) - ((q + q + q) << 52))) * power_of_two(q);
              }),
    OP2I_MATH(SELDOM, real, cbrt_any, (const real x),
              {
                const real value = with_sign(cbrt_normal(size(x) * 0x1p54) * 0x1p-18, x);
                return choose((mask)(size(x) < 0x1p-1022) & (mask)(x != 0.0), value, x + x);
              }),
    OP2I_MATH(FUNCTION, real, cbrt, (const real x),
              {
                const mask usual = is_usual(size(x));
                const real value = with_sign(cbrt_normal(size(x)), x);
                if (all(usual)) return value;
                return choose(usual, value, cbrt_any(x));
              }),
    /* Squares and their sum are sums of two numbers, and the root is corrected by what it lacks;
     * a >= b >= 0. */
    OP2I_MATH(PART, real, hypot_near, (const real a, const real b),
              {
                const real a2 = a * a;
                const real b2 = b * b;
                const real sum = a2 + b2;
                const real low = ((a2 - sum) + b2) + (residue(a, a, a2) + residue(b, b, b2));
                const real h = root(sum);
                return h + root_rest(h, sum, low);
              }),
    OP2I_MATH(SELDOM, real, hypot_any, (const real a, const real b),
              {
                const mask large = (mask)(a > 0x1p500);
                const mask small = (mask)(a < 0x1p-400);
                const real factor =
                    choose(large, every(0x1p-600), choose(small, every(0x1p600), every(1.0)));
                const real back =
                    choose(large, every(0x1p600), choose(small, every(0x1p-600), every(1.0)));
                const mask infinite = (mask)(a == 1.0 / 0.0) | (mask)(b == 1.0 / 0.0);
                return choose(infinite, every(1.0 / 0.0),
                              hypot_near(a * factor, b * factor) * back);
              }),
    OP2I_MATH(FUNCTION, real, hypot, (const real x, const real y),
              {
                const real ax = size(x);
                const real ay = size(y);
                const real a = choose((mask)(ax < ay), ay, ax);
                const real b = choose((mask)(ax < ay), ax, ay);
                const mask usual = (mask)(a <= 0x1p500) & (mask)(a >= 0x1p-400);
                const real value = hypot_near(a, b);
                if (all(usual)) return value;
                return choose(usual, value, hypot_any(a, b));
              }),
    /* ---- float ---- */
    OP2I_MATH(FLOAT, real, cbrt_float, (const real x),
              {
                const whole b = bits(size(x));
                const whole q = cbrt_exponent(b);
                const real m = number(b - ((q + q + q) << 52));
                const real z = cbrt_first(m);
                const real value = with_sign(m * (z * z) * power_of_two(q), x);
                const mask usual = is_usual(size(x));
                if (all(usual)) return value;
                return choose(usual, value, x);
              }),
    /* Squares of float are exact in double. */
    OP2I_MATH(FLOAT, real, hypot_float, (const real x, const real y),
              {
                const real value = root(fused(x, x, y * y));
                const mask usual = (mask)(value <= 0x1p200);
                if (all(usual)) return value;
                const real infinity = every(1.0 / 0.0);
                const mask infinite = (mask)(size(x) == infinity) | (mask)(size(y) == infinity);
                return choose(infinite, infinity, value);
              }),
    {.name = NULL}};

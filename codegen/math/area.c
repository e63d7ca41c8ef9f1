/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverse hyperbolic functions.
 *
 * All are log((1 + s) / (1 - s)) for an s, or half of it: that is 2 s + s R(s^2) for small s
 * (log.c). For others the logarithm's argument is a sum of two numbers. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_area[] = {
    /* log((1 + s + low) / (1 - s - low)) for |s| < 0.17 */
    OP2I_MATH(PART, real, log_quotient, (const real s, const real low),
              { return 2.0 * s + fused(s, log_series(s * s), 2.0 * low); }),
    OP2I_MATH(FUNCTION, real, atanh, (const real x),
              {
                const real ax = size(x);
                const real a = 1.0 + ax;
                const real b = 1.0 - ax;
                const real near = choose((mask)(ax < 1.0), b, every(1.0));
                real rest;
                const real q = quotient(a, (1.0 - a) + ax, near, (1.0 - b) - ax, &rest);
                const real large = 0.5 * log_of_sum(q, rest, every(0.0));
                const real value =
                    choose((mask)(ax < 0.17), 0.5 * log_quotient(ax, every(0.0)), large);
                const mask usual = (mask)(ax < 1.0);
                if (all(usual)) return with_sign(value, x);
                const real end = choose((mask)(ax == 1.0), every(1.0 / 0.0), value);
                const real none = choose((mask)(ax > 1.0), not_a_number(x), end);
                return choose((mask)(ax <= 1.0), with_sign(end, x),
                              choose((mask)(x == x), none, x + x));
              }),
    /* log((d + s) / (d - s)) for s + s_low and d + d_low if `small`, else log(e + e_low) + shift
     * ln 2, with one division */
    OP2I_MATH(PART, real, area,
              (const mask small, const real s, const real s_low, const real d, const real d_low,
               const real e, const real e_low, const real shift),
              {
                const whole b = bits(e);
                const real k = exponent(b);
                const real f = fraction(b) - 1.0;
                const real one = every(1.0);
                const real zero = every(0.0);
                const real divisor = choose(small, d, 2.0 + f);
                real rest;
                const real q = quotient(choose(small, s, f), choose(small, s_low, zero), divisor,
                                        choose(small, d_low, zero), &rest);
                const real series = log_series(q * q);
                const real inverse =
                    fused_minus(f, fused_minus(f, fused_minus(f, one, one), one), one);
                const real power = number(0x3ff0000000000000 - (bits(k + 0x1.8p52) << 52));
                const real t = k + shift;
                const real square = 0.5 * f * f;
                const real low = fused(e_low * power, inverse, t * OP2I_LN2_LOW);
                const real large =
                    t * OP2I_LN2_HIGH - ((square - fused(q, square + series, low)) - f);
                return choose(small, 2.0 * q + fused(q, series, 2.0 * rest), large);
              }),
    /* s = x / (1 + sqrt(1 + x^2)), or log(x + sqrt(1 + x^2)); beyond 2^60 log(2 x) */
    OP2I_MATH(FUNCTION, real, asinh, (const real x),
              {
                const real ax = size(x);
                const real near = limited(ax, 0x1p60);
                const real square = near * near;
                const real sum = 1.0 + square;
                const real lost = sum_rest(sum, every(1.0), square) + residue(near, near, square);
                const real h = root(sum);
                const real h_low = root_rest(h, sum, lost);
                const real d = 1.0 + h;
                const real e = near + h;
                const real e_low = sum_rest(e, near, h) + h_low;
                const mask far = (mask)(ax > 0x1p60);
                const real value =
                    area((mask)(ax < 0.34), near, every(0.0), d, ((1.0 - d) + h) + h_low,
                         choose(far, 0.5 * ax, e), choose(far, every(0.0), e_low),
                         choose(far, every(2.0), every(0.0)));
                const mask usual = (mask)(ax >= 0x1p-28) & (mask)(ax <= 0x1.fffffffffffffp1023);
                if (all(usual)) return with_sign(value, x);
                const real small = choose((mask)(ax < 0x1p-28), ax, value);
                return choose((mask)(ax <= 0x1.fffffffffffffp1023), with_sign(small, x), x + x);
              }),
    /* h = sqrt(x^2 - 1) is sqrt(t (t + 2)), where t = x - 1 is exact, and s = h / (t + 2); or it is
     * log(x + h), beyond 2^60 log(2 x). */
    OP2I_MATH(FUNCTION, real, acosh, (const real x),
              {
                const real near = limited(x, 0x1p60);
                const real t = near - 1.0;
                const real d = near + 1.0;
                const real d_low = near - (d - 1.0);
                const real product = t * d;
                const real lost = fused(t, d_low, residue(t, d, product));
                const real h = root(product);
                const real h_low = root_rest(h, product, lost);
                const real e = near + h;
                const real e_low = ((near - e) + h) + h_low;
                const mask far = (mask)(x > 0x1p60);
                const mask usual = (mask)(x >= 1.0) & (mask)(x <= 0x1.fffffffffffffp1023);
                const real value =
                    area((mask)(x < 1.0575), h, h_low, d, d_low, choose(far, 0.5 * x, e),
                         choose(far, every(0.0), e_low), choose(far, every(2.0), every(0.0)));
                if (all(usual)) return value;
                const real end = choose((mask)(x <= 0x1.fffffffffffffp1023), value, x + x);
                return choose((mask)(x < 1.0), not_a_number(x), end);
              }),
    /* ---- float ---- */
    OP2I_MATH(FLOAT, real, atanh_float, (const real x),
              {
                const real ax = size(x);
                const real value = with_sign(0.5 * log1p_rough((ax + ax) / (1.0 - ax)), x);
                const mask usual = (mask)(ax < 1.0);
                if (all(usual)) return value;
                const real end = choose((mask)(ax == 1.0), with_sign(every(1.0 / 0.0), x), value);
                return choose((mask)(ax > 1.0), not_a_number(x), choose((mask)(x == x), end, x));
              }),
    /* log(1 + x + x^2 / (1 + sqrt(1 + x^2))) */
    OP2I_MATH(FLOAT, real, asinh_float, (const real x),
              {
                const real ax = size(x);
                const real square = ax * ax;
                const real value = log1p_rough(ax + square / (1.0 + root(1.0 + square)));
                const mask usual = (mask)(ax <= 0x1p200);
                if (all(usual)) return with_sign(value, x);
                return choose(usual, with_sign(value, x), x);
              }),
    /* For a float x, x - 1 is no less than 2^-23, so that the sum loses nothing that matters. */
    OP2I_MATH(FLOAT, real, acosh_float, (const real x),
              {
                const real value = log_float(x + root((x - 1.0) * (x + 1.0)));
                return choose((mask)(x < 1.0), not_a_number(x), value);
              }),
    {.name = NULL}};

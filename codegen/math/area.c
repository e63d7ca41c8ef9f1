/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverse hyperbolic functions.
 *
 * All are log((1 + s) / (1 - s)) for an s, or half of it: that is 2 s + s R(s^2) for small s (log.c).
 * For others the logarithm's argument is a sum of two numbers. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_area[] = {
    /* log(x + low) + shift ln 2 for a normal x and a low that changes only its last bits */
    OP2I_MATH(PART, real, log_of_sum, (const real x, const real low, const real shift),
              {
                const real k = exponent(bits(x)) + shift;
                return log_sum(k, fraction(bits(x)) - 1.0, low / x + k * OP2I_LN2_LOW);
              }),
    /* log((1 + s + low) / (1 - s - low)) for |s| < 0.17 */
    OP2I_MATH(PART, real, log_quotient, (const real s, const real low),
              { return 2.0 * s + (2.0 * low + s * log_series(s * s)); }),
    OP2I_MATH(FUNCTION, real, atanh, (const real x),
              {
                const real ax = size(x);
                const real a = 1.0 + ax;
                const real b = 1.0 - ax;
                const real near = choose((mask)(ax < 1.0), b, every(1.0));
                const real q = a / near;
                const real rest = quotient_rest(q, a, (1.0 - a) + ax, near, (1.0 - b) - ax);
                const real large = 0.5 * log_of_sum(q, rest, every(0.0));
                const real value =
                    choose((mask)(ax < 0.17), 0.5 * log_quotient(ax, every(0.0)), large);
                const real end = choose((mask)(ax == 1.0), every(1.0 / 0.0), value);
                const real none = choose((mask)(ax > 1.0), not_a_number(x), end);
                return choose((mask)(ax <= 1.0), with_sign(end, x),
                              choose((mask)(x == x), none, x + x));
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
                const real s = near / d;
                const real s_low = quotient_rest(s, near, every(0.0), d, ((1.0 - d) + h) + h_low);
                const real e = near + h;
                const real e_low = sum_rest(e, near, h) + h_low;
                const mask far = (mask)(ax > 0x1p60);
                const real log_argument = choose(far, ax, e);
                const real log_low = choose(far, every(0.0), e_low);
                const real shift = choose(far, every(1.0), every(0.0));
                const real large = log_of_sum(log_argument, log_low, shift);
                const real small = choose((mask)(ax < 0x1p-28), ax, log_quotient(s, s_low));
                const real value = choose((mask)(ax < 0.34), small, large);
                return choose((mask)(ax <= 0x1.fffffffffffffp1023), with_sign(value, x), x + x);
              }),
    /* s = sqrt((x - 1) / (x + 1)), or log(x + sqrt(x^2 - 1)); beyond 2^60 log(2 x) */
    OP2I_MATH(FUNCTION, real, acosh, (const real x),
              {
                const real near = limited(x, 0x1p60);
                const real a = near - 1.0;
                const real b = near + 1.0;
                const real q = a / b;
                const real q_low =
                    quotient_rest(q, a, every(0.0), b, sum_rest(b, near, every(1.0)));
                const real s = root(q);
                const real s_low = root_rest(s, q, q_low);
                const real square = near * near;
                const real sum = square - 1.0;
                const real h = root(sum);
                const real h_low =
                    root_rest(h, sum, ((square - sum) - 1.0) + residue(near, near, square));
                const real e = near + h;
                const real e_low = ((near - e) + h) + h_low;
                const mask far = (mask)(x > 0x1p60);
                const real log_argument = choose(far, x, e);
                const real log_low = choose(far, every(0.0), e_low);
                const real shift = choose(far, every(1.0), every(0.0));
                const real large = log_of_sum(log_argument, log_low, shift);
                const real value = choose((mask)(x < 1.0575), log_quotient(s, s_low), large);
                const real end = choose((mask)(x <= 0x1.fffffffffffffp1023), value, x + x);
                return choose((mask)(x < 1.0), not_a_number(x), end);
              }),
    {.name = NULL}};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Exponential functions.
 *
 * x = n ln 2 + r with |r| <= ln 2 / 2, and exp(x) = 2^n exp(r) (W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions, 1980, chapter 6). ln 2 is a sum of two numbers, of which the
 * first has 42 bits, so that n times it is exact. What r and 1 + r lose by rounding goes into the
 * small terms, which are added last. Polynomials are evaluated by pairs (G. Estrin, Organization of
 * computer systems, 1960), which makes short chains. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_exp[] = {
    /* exp(r) = 1 + r + r^2 / 2 + r^3 exp_series(r) */
    OP2I_MATH(PART, real, exp_series, (const real r),
              {
                const real r2 = r * r;
                const real a = (OP2I_EXP_3 + OP2I_EXP_4 * r) + (OP2I_EXP_5 + OP2I_EXP_6 * r) * r2;
                const real b = (OP2I_EXP_7 + OP2I_EXP_8 * r) + (OP2I_EXP_9 + OP2I_EXP_10 * r) * r2;
                const real r4 = r2 * r2;
                return a + (b + (OP2I_EXP_11 + OP2I_EXP_12 * r) * r4) * r4;
              }),
    /* exp(r + rest) */
    OP2I_MATH(PART, real, exp_near, (const real r, const real rest),
              {
                const real most = 1.0 + r;
                const real lost = (1.0 - most) + r;
                const real half = 0.5 * r * r;
                const real tail = (rest + rest * r) + (half + r * r * r * exp_series(r));
                return most + (lost + tail);
              }),
    /* 2^n, for -1022 <= n <= 1023 */
    OP2I_MATH(PART, real, power_of_two, (const whole n), { return number((n + 1023) << 52); }),
    /* x 2^n, where n is in the last bits of 1.5 2^52 + n. There are two factors, so that neither
     * overflows where the result does not, and a result below the normal numbers is rounded once. */
    OP2I_MATH(PART, real, scaled, (const real x, const real shifted),
              {
                const whole n = bits(shifted) - 0x4338000000000000;
                const whole half = ((n + 4096) >> 1) - 2048;
                return x * power_of_two(half) * power_of_two(n - half);
              }),
    /* exp(x + tail) for a tail that changes no more than the last bits of x */
    OP2I_MATH(PART, real, exp_sum, (const real x, const real tail),
              {
                const real near = limited(x, 1000.0);
                const real shifted = near * OP2I_PER_LN2 + 0x1.8p52;
                const real n = shifted - 0x1.8p52;
                const real high = near - n * OP2I_LN2_HIGH;
                const real low = n * OP2I_LN2_LOW - tail;
                const real r = high - low;
                return scaled(exp_near(r, (high - r) - low), shifted);
              }),
    OP2I_MATH(FUNCTION, real, exp, (const real x), { return exp_sum(x, every(0.0)); }),
    OP2I_MATH(FUNCTION, real, exp2, (const real x),
              {
                const real near = limited(x, 1500.0);
                const real shifted = near + 0x1.8p52;
                const real f = near - (shifted - 0x1.8p52);
                const real first = first_bits(f);
                const real high = first * OP2I_LN2_26;
                const real low = first * OP2I_LN2_REST + (f - first) * OP2I_LN2;
                const real r = high + low;
                return scaled(exp_near(r, (high - r) + low), shifted);
              }),
    /* exp(x) - 1 = (2^n - 1) + 2^n (r + c), where 2^n takes the place of 2^n - 1 for large n: the
     * result and *low. For x > 44 it is not meant, and finite. */
    OP2I_MATH(PART, real, expm1_pair, (const real x, real *const low),
              {
                const real near = limited(x, 44.0);
                const real shifted = near * OP2I_PER_LN2 + 0x1.8p52;
                const real n = shifted - 0x1.8p52;
                const real high = near - n * OP2I_LN2_HIGH;
                const real small = n * OP2I_LN2_LOW;
                const real r = high - small;
                const real half = 0.5 * r * r;
                const real most = r + half;
                const real lost = (r - most) + half;
                const real tail = (high - r) - small;
                const real c = lost + ((tail + tail * r) + r * r * r * exp_series(r));
                const real t = most + c;
                const real rest = (most - t) + c;
                const real power = power_of_two(bits(shifted) - 0x4338000000000000);
                const mask large = (mask)(n > 30.0);
                const real first = choose(large, power, power - 1.0);
                const real second = power * t;
                const real sum = first + second;
                const real least = (first - sum) + second + power * rest;
                *low = choose(large, least - 1.0, least);
                return sum;
              }),
    OP2I_MATH(FUNCTION, real, expm1, (const real x),
              {
                real low;
                const real high = expm1_pair(x, &low);
                const real value = choose((mask)(x > 42.0), exp_sum(x, every(0.0)), high + low);
                return with_sign(value, x);
              }),
    /* For x >= 0 with exp(x) = 1 + t: sinh(x) = (t + t / (1 + t)) / 2, cosh(x) = ((1 + t) +
     * 1 / (1 + t)) / 2 and, with t from 2 x, tanh(x) = t / (2 + t). For large x sinh and cosh are
     * exp(x) / 2, whose exponent is one less, so that it does not overflow. */
    OP2I_MATH(PART, real, exp_half, (const real x),
              {
                const real near = limited(x, 1000.0);
                const real shifted = near * OP2I_PER_LN2 + 0x1.8p52;
                const real n = shifted - 0x1.8p52;
                const real high = near - n * OP2I_LN2_HIGH;
                const real low = n * OP2I_LN2_LOW;
                const real r = high - low;
                return scaled(exp_near(r, (high - r) - low), shifted - 1.0);
              }),
    OP2I_MATH(FUNCTION, real, sinh, (const real x),
              {
                real t_low;
                const real t = expm1_pair(size(x), &t_low);
                const real e = 1.0 + t;
                const real q = t / e;
                const real q_low =
                    quotient_rest(q, t, t_low, e, sum_rest(e, every(1.0), t) + t_low);
                const real sum = t + q;
                const real value = 0.5 * (sum + (((t - sum) + q) + (t_low + q_low)));
                const mask large = (mask)(size(x) > 42.0);
                return with_sign(choose(large, exp_half(size(x)), value), x);
              }),
    OP2I_MATH(FUNCTION, real, cosh, (const real x),
              {
                real t_low;
                const real t = expm1_pair(size(x), &t_low);
                const real e = 1.0 + t;
                const real e_low = sum_rest(e, every(1.0), t) + t_low;
                const real q = 1.0 / e;
                const real sum = e + q;
                const real value = 0.5 * (sum + (((e - sum) + q) + (e_low - e_low * q * q)));
                return choose((mask)(size(x) > 42.0), exp_half(size(x)), value);
              }),
    OP2I_MATH(FUNCTION, real, tanh, (const real x),
              {
                real t_low;
                const real t = expm1_pair(2.0 * size(x), &t_low);
                const real d = 2.0 + t;
                const real q = t / d;
                const real q_low =
                    quotient_rest(q, t, t_low, d, sum_rest(d, every(2.0), t) + t_low);
                return with_sign(choose((mask)(size(x) > 20.0), every(1.0), q + q_low), x);
              }),
    {.name = NULL}};

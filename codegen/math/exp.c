/* SPDX-License-Identifier: BSD-3-Clause */
/* Exponential functions.
 *
 * x = n ln 2 + r with |r| <= ln 2 / 2, and exp(x) = 2^n exp(r) (W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions, 1980, chapter 6). ln 2 is a sum of two numbers, of which the
 * first has 42 bits, so that n times it is exact: r is `high` minus `low`, and high is exact.
 * Polynomials are evaluated by pairs (G. Estrin, Organization of computer systems, 1960), which
 * makes short chains. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_exp[] = {
    /* exp(r) = 1 + r + r^2 / 2 + r^3 exp_series(r) */
    OP2I_MATH(PART, real, exp_series, (const real r),
              {
                const real r2 = r * r;
                const real a = fused(fused(every(OP2I_EXP_6), r, every(OP2I_EXP_5)), r2,
                                     fused(every(OP2I_EXP_4), r, every(OP2I_EXP_3)));
                const real b = fused(fused(every(OP2I_EXP_10), r, every(OP2I_EXP_9)), r2,
                                     fused(every(OP2I_EXP_8), r, every(OP2I_EXP_7)));
                const real c = fused(every(OP2I_EXP_12), r, every(OP2I_EXP_11));
                const real r4 = r2 * r2;
                return fused(fused(c, r4, b), r4, a);
              }),
    /* exp(high - low): the terms after the second are added to `low`, which is small, and the sum
     * to `high`, which is exact. */
    OP2I_MATH(PART, real, exp_near, (const real high, const real low),
              {
                const real r = high - low;
                const real tail = r * r * fused(r, exp_series(r), every(0.5));
                return 1.0 + (high - (low - tail));
              }),
    /* The same, where nothing but the last addition is rounded to the size of the result. */
    OP2I_MATH(PART, real, exp_nearest, (const real high, const real low),
              {
                const real r = high - low;
                const real tail = r * r * fused(r, exp_series(r), every(0.5));
                const real first = 1.0 + high;
                return first + (((1.0 - first) + high) - (low - tail));
              }),
    /* 2^n, for -1022 <= n <= 1023 */
    OP2I_MATH(PART, real, power_of_two, (const whole n), { return number((n + 1023) << 52); }),
    /* x 2^n, where n is in the last bits of 1.5 2^52 + n, for a result that is a normal number */
    OP2I_MATH(PART, real, raised, (const real x, const real shifted),
              { return number(bits(x) + (bits(shifted) << 52)); }),
    /* The same for any result. There are two factors, so that neither overflows where the result
     * does not, and a result below the normal numbers is rounded once. */
    OP2I_MATH(PART, real, scaled, (const real x, const real shifted),
              {
                const whole n = bits(shifted) - 0x4338000000000000;
                const whole half = down(n + 4096, 1) - 2048;
                return x * power_of_two(half) * power_of_two(n - half);
              }),
    OP2I_MATH(PART, real, exp_high, (const real x, const real n),
              { return fused_minus(n, every(OP2I_LN2_HIGH), x); }),
    OP2I_MATH(PART, real, exp_turns, (const real x),
              { return fused(x, every(OP2I_PER_LN2), every(0x1.8p52)); }),
    /* exp(x + tail) / 2^less for any x */
    OP2I_MATH(SELDOM, real, exp_any, (const real x, const real tail, const double less),
              {
                const real near = limited(x, 1000.0);
                const real rest = choose((mask)(size(x) < 1000.0), tail, every(0.0));
                const real shifted = exp_turns(near);
                const real n = shifted - 0x1.8p52;
                return scaled(exp_nearest(exp_high(near, n), n * OP2I_LN2_LOW - rest),
                              shifted - less);
              }),
    /* exp(x + tail) for a tail that changes no more than the last bits of x */
    OP2I_MATH(PART, real, exp_sum, (const real x, const real tail),
              {
                const real shifted = exp_turns(x);
                const real n = shifted - 0x1.8p52;
                const real value =
                    raised(exp_nearest(exp_high(x, n), n * OP2I_LN2_LOW - tail), shifted);
                const mask usual = (mask)(size(x) <= 708.0);
                if (all(usual)) return value;
                return choose(usual, value, exp_any(x, tail, 0.0));
              }),
    OP2I_MATH(FUNCTION, real, exp, (const real x), { return exp_sum(x, every(0.0)); }),
    OP2I_MATH(PART, real, exp2_near, (const real f),
              {
                const real high = f * OP2I_LN2;
                return exp_near(high, -(residue(f, every(OP2I_LN2), high) + f * OP2I_LN2_AFTER));
              }),
    OP2I_MATH(SELDOM, real, exp2_any, (const real x),
              {
                const real near = limited(x, 1500.0);
                const real shifted = near + 0x1.8p52;
                return scaled(exp2_near(near - (shifted - 0x1.8p52)), shifted);
              }),
    OP2I_MATH(FUNCTION, real, exp2, (const real x),
              {
                const real shifted = x + 0x1.8p52;
                const real value = raised(exp2_near(x - (shifted - 0x1.8p52)), shifted);
                const mask usual = (mask)(size(x) <= 1021.0);
                if (all(usual)) return value;
                return choose(usual, value, exp2_any(x));
              }),
    /* exp(x) - 1 = (2^n - 1) + 2^n (r + c), where 2^n takes the place of 2^n - 1 for large n: the
     * result and *low. For x > 44 it is not meant, and finite. */
    OP2I_MATH(PART, real, expm1_pair, (const real x, real *const low),
              {
                const real near = limited(x, 44.0);
                const real shifted = exp_turns(near);
                const real n = shifted - 0x1.8p52;
                const real high = exp_high(near, n);
                const real small = n * OP2I_LN2_LOW;
                const real r = high - small;
                const real half = 0.5 * r * r;
                const real most = r + half;
                const real lost = (r - most) + half;
                const real tail = (high - r) - small;
                const real c = lost + fused(r * r * r, exp_series(r), fused(tail, r, tail));
                const real t = most + c;
                const real rest = (most - t) + c;
                const real power = power_of_two(bits(shifted) - 0x4338000000000000);
                const mask large = (mask)(n > 30.0);
                const real first = choose(large, power, power - 1.0);
                const real second = power * t;
                const real sum = first + second;
                const real least = fused(power, rest, (first - sum) + second);
                *low = choose(large, least - 1.0, least);
                return sum;
              }),
    OP2I_MATH(FUNCTION, real, expm1, (const real x),
              {
                real low;
                const real high = expm1_pair(x, &low);
                const mask usual = (mask)(x <= 42.0);
                const real value = with_sign(high + low, x);
                if (all(usual)) return value;
                return choose(usual, value, exp_any(x, every(0.0), 0.0));
              }),
    /* For x >= 0 with exp(x) = 1 + t: sinh(x) = (t + t / (1 + t)) / 2 and, with t from 2 x,
     * tanh(x) = t / (2 + t); cosh(x) = (exp(x) + 1 / exp(x)) / 2. For large x sinh and cosh are
     * exp(x) / 2, whose exponent is one less, so that it does not overflow. */
    OP2I_MATH(FUNCTION, real, sinh, (const real x),
              {
                const mask usual = (mask)(size(x) <= 42.0);
                real t_low;
                const real t = expm1_pair(size(x), &t_low);
                const real e = 1.0 + t;
                real q_low;
                const real q = quotient(t, t_low, e, sum_rest(e, every(1.0), t) + t_low, &q_low);
                const real sum = t + q;
                real value = 0.5 * (sum + (((t - sum) + q) + (t_low + q_low)));
                if (!all(usual)) value = choose(usual, value, exp_any(size(x), every(0.0), 1.0));
                return with_sign(value, x);
              }),
    OP2I_MATH(FUNCTION, real, cosh, (const real x),
              {
                const mask usual = (mask)(size(x) <= 42.0);
                const real shifted = exp_turns(size(x));
                const real n = shifted - 0x1.8p52;
                const real high = exp_high(size(x), n);
                const real low = n * OP2I_LN2_LOW;
                const real r = high - low;
                const real tail = r * r * fused(r, exp_series(r), every(0.5));
                const real most = high - (low - tail);
                const real e = 1.0 + most;
                const real e_low = (1.0 - e) + most;
                const real power = power_of_two(bits(shifted) - 0x4338000000000000);
                const real large = e * power;
                const real q = 1.0 / large;
                const real sum = large + q;
                const real value = 0.5 * (sum + (((large - sum) + q) + e_low * (power - q)));
                if (all(usual)) return value;
                return choose(usual, value, exp_any(size(x), every(0.0), 1.0));
              }),
    OP2I_MATH(FUNCTION, real, tanh, (const real x),
              {
                real t_low;
                const real t = expm1_pair(2.0 * size(x), &t_low);
                const real d = 2.0 + t;
                real q_low;
                const real q = quotient(t, t_low, d, sum_rest(d, every(2.0), t) + t_low, &q_low);
                return with_sign(choose((mask)(size(x) > 20.0), every(1.0), q + q_low), x);
              }),
    /* ---- float ---- */
    /* exp(r) = 1 + r + r^2 exp_short(r), to 2^-34 */
    OP2I_MATH(PART, real, exp_short, (const real r),
              {
                const real r2 = r * r;
                const real a = fused(every(OP2I_EXP_SHORT_3), r, every(OP2I_EXP_SHORT_2));
                const real b = fused(every(OP2I_EXP_SHORT_5), r, every(OP2I_EXP_SHORT_4));
                const real c = fused(every(OP2I_EXP_SHORT_7), r, every(OP2I_EXP_SHORT_6));
                return fused(fused(c, r2, b), r2, a);
              }),
    /* exp(x) for |x| < 708 */
    OP2I_MATH(PART, real, exp_rough, (const real x),
              {
                const real shifted = exp_turns(x);
                const real r = fused_minus(shifted - 0x1.8p52, every(OP2I_LN2), x);
                return raised(1.0 + fused(r * r, exp_short(r), r), shifted);
              }),
    OP2I_MATH(FLOAT, real, exp_float, (const real x), { return exp_rough(limited(x, 200.0)); }),
    OP2I_MATH(FLOAT, real, exp2_float, (const real x),
              {
                const real near = limited(x, 300.0);
                const real shifted = near + 0x1.8p52;
                const real r = (near - (shifted - 0x1.8p52)) * OP2I_LN2;
                return raised(1.0 + fused(r * r, exp_short(r), r), shifted);
              }),
    /* exp(x) - 1 for |x| < 708 */
    OP2I_MATH(PART, real, expm1_rough, (const real x),
              {
                const real shifted = exp_turns(x);
                const real r = fused_minus(shifted - 0x1.8p52, every(OP2I_LN2), x);
                const real power = raised(every(1.0), shifted);
                return fused(power, fused(r * r, exp_short(r), r), power - 1.0);
              }),
    OP2I_MATH(FLOAT, real, expm1_float, (const real x),
              { return with_sign(expm1_rough(limited(x, 200.0)), x); }),
    OP2I_MATH(FLOAT, real, sinh_float, (const real x),
              {
                const real t = expm1_rough(size(limited(x, 200.0)));
                return with_sign(0.5 * (t + t / (1.0 + t)), x);
              }),
    OP2I_MATH(FLOAT, real, cosh_float, (const real x),
              {
                const real t = exp_rough(size(limited(x, 200.0)));
                return 0.5 * (t + 1.0 / t);
              }),
    OP2I_MATH(FLOAT, real, tanh_float, (const real x),
              {
                const real t = expm1_rough(2.0 * size(limited(x, 20.0)));
                return with_sign(t / (2.0 + t), x);
              }),
    {.name = NULL}};

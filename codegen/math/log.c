/* SPDX-License-Identifier: BSD-3-Clause */
/* Logarithms.
 *
 * x = 2^k (1 + f) with 1 + f between the roots of 1/2 and of 2, and with s = f / (2 + f)
 * log(1 + f) = 2 s + s R(s^2) = f - (f^2/2 - s (f^2/2 + R)) (W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions, 1980, chapter 5; the second form, in which f comes last and
 * is exact, is by K. C. Ng, FDLIBM, 1993). For other bases, f - f^2/2 is a number of 26 bits and a
 * rest, so that its product with one of 26 bits is exact. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_log[] = {
    OP2I_MATH(PART, real, log_series, (const real z),
              {
                const real z2 = z * z;
                const real a = fused(fused(every(OP2I_LOG_4), z, every(OP2I_LOG_3)), z2,
                                     fused(every(OP2I_LOG_2), z, every(OP2I_LOG_1)));
                const real b =
                    fused(every(OP2I_LOG_7), z2, fused(every(OP2I_LOG_6), z, every(OP2I_LOG_5)));
                return z * fused(b, z2 * z2, a);
              }),
    /* k and 1 + f from the bits of a normal x > 0 */
    OP2I_MATH(PART, real, exponent, (const whole b),
              {
                const whole k = down(b + (0x3ff0000000000000 - OP2I_SQRT_HALF_BITS), 52);
                return number(k + 0x4330000000000000) - (0x1p52 + 1023.0);
              }),
    OP2I_MATH(PART, real, fraction, (const whole b),
              {
                const whole i = b + (0x3ff0000000000000 - OP2I_SQRT_HALF_BITS);
                return number((i & 0xfffffffffffff) + OP2I_SQRT_HALF_BITS);
              }),
    /* k ln 2 + log(1 + f) + low, where k times the second part of ln 2 belongs to `low` */
    OP2I_MATH(PART, real, log_sum, (const real k, const real f, const real low),
              {
                const real s = f / (2.0 + f);
                const real square = 0.5 * f * f;
                const real series = fused(s, square + log_series(s * s), low);
                return k * OP2I_LN2_HIGH - ((square - series) - f);
              }),
    /* Normal numbers above zero, and the others as such: a number below them is multiplied by
     * 2^54, and -54 is added to the exponent. */
    OP2I_MATH(PART, mask, is_usual, (const real x),
              { return (mask)(x >= 0x1p-1022) & (mask)(x <= 0x1.fffffffffffffp1023); }),
    OP2I_MATH(PART, real, normal, (const real x),
              { return choose((mask)(x < 0x1p-1022), x * 0x1p54, x); }),
    OP2I_MATH(PART, real, normal_shift, (const real x),
              { return choose((mask)(x < 0x1p-1022), every(-54.0), every(0.0)); }),
    /* The logarithm where x is no such number, else `value` */
    OP2I_MATH(PART, real, log_special, (const real x, const real value),
              {
                const real ends = choose((mask)(x <= 0x1.fffffffffffffp1023), value, x + x);
                const real zero = choose((mask)(x == 0.0), every(-1.0 / 0.0), ends);
                return choose((mask)(x < 0.0), not_a_number(x), zero);
              }),
    OP2I_MATH(PART, real, log_normal, (const real x, const real shift),
              {
                const real k = exponent(bits(x)) + shift;
                return log_sum(k, fraction(bits(x)) - 1.0, k * OP2I_LN2_LOW);
              }),
    OP2I_MATH(SELDOM, real, log_any, (const real x),
              { return log_special(x, log_normal(normal(x), normal_shift(x))); }),
    OP2I_MATH(FUNCTION, real, log, (const real x),
              {
                const mask usual = is_usual(x);
                const real value = log_normal(x, every(0.0));
                if (all(usual)) return value;
                return choose(usual, value, log_any(x));
              }),
    /* log(x) / log(b) from k log_b(2), which is a sum of two numbers, and 1 / log(b), likewise */
    OP2I_MATH(PART, real, log_base,
              (const real x, const real shift, const double two, const double two_low,
               const double per, const double per_low),
              {
                const real k = exponent(bits(x)) + shift;
                const real f = fraction(bits(x)) - 1.0;
                const real s = f / (2.0 + f);
                const real square = 0.5 * f * f;
                const real high = first_bits(f - square);
                const real low = fused(s, square + log_series(s * s), (f - high) - square);
                const real first = k * two;
                const real second = high * per;
                const real sum = first + second;
                const real rest =
                    fused(k, every(two_low), fused(low, every(per), (low + high) * per_low));
                return sum + (((first - sum) + second) + rest);
              }),
    OP2I_MATH(PART, real, log2_normal, (const real x, const real shift),
              { return log_base(x, shift, 1.0, 0.0, OP2I_PER_LN2_26, OP2I_PER_LN2_REST); }),
    OP2I_MATH(PART, real, log10_normal, (const real x, const real shift),
              {
                return log_base(x, shift, OP2I_LOG10_2_HIGH, OP2I_LOG10_2_LOW, OP2I_PER_LN10_26,
                                OP2I_PER_LN10_REST);
              }),
    OP2I_MATH(SELDOM, real, log2_any, (const real x),
              { return log_special(x, log2_normal(normal(x), normal_shift(x))); }),
    OP2I_MATH(SELDOM, real, log10_any, (const real x),
              { return log_special(x, log10_normal(normal(x), normal_shift(x))); }),
    OP2I_MATH(FUNCTION, real, log2, (const real x),
              {
                const mask usual = is_usual(x);
                const real value = log2_normal(x, every(0.0));
                if (all(usual)) return value;
                return choose(usual, value, log2_any(x));
              }),
    OP2I_MATH(FUNCTION, real, log10, (const real x),
              {
                const mask usual = is_usual(x);
                const real value = log10_normal(x, every(0.0));
                if (all(usual)) return value;
                return choose(usual, value, log10_any(x));
              }),
    /* log(x + low) + shift ln 2 for a normal x and a low that changes only its last bits: low /
     * x is added, where 1 / (1 + f) is 1 - f + f^2 - f^3, to 3 %. x is below 2^1023. */
    OP2I_MATH(PART, real, log_of_sum, (const real x, const real low, const real shift),
              {
                const whole b = bits(x);
                const real k = exponent(b);
                const real f = fraction(b) - 1.0;
                const real one = every(1.0);
                const real inverse =
                    fused_minus(f, fused_minus(f, fused_minus(f, one, one), one), one);
                const real power = number(0x3ff0000000000000 - (bits(k + 0x1.8p52) << 52));
                const real t = k + shift;
                return log_sum(t, f, fused(low * power, inverse, t * OP2I_LN2_LOW));
              }),
    OP2I_MATH(SELDOM, real, log1p_any, (const real x, const real value),
              {
                const real large = choose((mask)(x > 0x1p1000), log_any(x), value);
                return choose((mask)(x == 0.0), x, log_special(1.0 + x, large));
              }),
    OP2I_MATH(FUNCTION, real, log1p, (const real x),
              {
                const real sum = 1.0 + x;
                const real lost = choose((mask)(x < 1.0), x - (sum - 1.0), 1.0 - (sum - x));
                const real value = log_of_sum(sum, lost, every(0.0));
                const mask usual = (mask)(sum > 0.0) & (mask)(x <= 0x1p1000) & (mask)(x != 0.0);
                if (all(usual)) return value;
                return choose(usual, value, log1p_any(x, value));
              }),
    /* ---- float ---- */
    /* log(1 + f) = f - f^2 / 2 + f^3 log_short(f), to 2^-33 */
    OP2I_MATH(PART, real, log_short, (const real f),
              {
                const real f2 = f * f;
                const real f4 = f2 * f2;
                const real a = fused(fused(every(OP2I_LOG_SHORT_6), f, every(OP2I_LOG_SHORT_5)), f2,
                                     fused(every(OP2I_LOG_SHORT_4), f, every(OP2I_LOG_SHORT_3)));
                const real b =
                    fused(fused(every(OP2I_LOG_SHORT_10), f, every(OP2I_LOG_SHORT_9)), f2,
                          fused(every(OP2I_LOG_SHORT_8), f, every(OP2I_LOG_SHORT_7)));
                const real c = fused(every(OP2I_LOG_SHORT_12), f, every(OP2I_LOG_SHORT_11));
                return fused(fused(c, f4, b), f4, a);
              }),
    OP2I_MATH(PART, real, log_rough, (const real f),
              {
                const real f2 = f * f;
                return fused(f2, fused(f, log_short(f), every(-0.5)), f);
              }),
    /* All numbers of float are normal numbers of double. */
    OP2I_MATH(SELDOM, real, log_float_any, (const real x, const real value),
              { return log_special(x, value); }),
    OP2I_MATH(FLOAT, real, log_float, (const real x),
              {
                const real k = exponent(bits(x));
                const real value = fused(k, every(OP2I_LN2), log_rough(fraction(bits(x)) - 1.0));
                const mask usual = is_usual(x);
                if (all(usual)) return value;
                return choose(usual, value, log_float_any(x, value));
              }),
    OP2I_MATH(FLOAT, real, log2_float, (const real x),
              {
                const real k = exponent(bits(x));
                const real value =
                    fused(log_rough(fraction(bits(x)) - 1.0), every(OP2I_PER_LN2), k);
                const mask usual = is_usual(x);
                if (all(usual)) return value;
                return choose(usual, value, log_float_any(x, value));
              }),
    OP2I_MATH(FLOAT, real, log10_float, (const real x),
              {
                const real k = exponent(bits(x));
                const real value = fused(k, every(OP2I_LOG10_2),
                                         log_rough(fraction(bits(x)) - 1.0) * OP2I_PER_LN10);
                const mask usual = is_usual(x);
                if (all(usual)) return value;
                return choose(usual, value, log_float_any(x, value));
              }),
    /* log(1 + x) for a number x of double, without its own special values: for a small x, f is x
     * itself. */
    OP2I_MATH(PART, real, log1p_rough, (const real x),
              {
                const real sum = 1.0 + x;
                const real k = exponent(bits(sum));
                const mask small = (mask)(k == 0.0);
                const real f = choose(small, x, fraction(bits(sum)) - 1.0);
                return fused(k, every(OP2I_LN2), log_rough(f));
              }),
    OP2I_MATH(FLOAT, real, log1p_float, (const real x),
              {
                const real value = log1p_rough(x);
                const mask usual = is_usual(1.0 + x) & (mask)(x != 0.0);
                if (all(usual)) return value;
                return choose((mask)(x == 0.0), x, log_float_any(1.0 + x, value));
              }),
    {.name = NULL}};

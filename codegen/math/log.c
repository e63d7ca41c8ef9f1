/* SPDX-License-Identifier: BSD-3-Clause */
/* Logarithms.
 *
 * x = 2^k (1 + f) with 1 + f between the roots of 1/2 and of 2, and with s = f / (2 + f)
 * log(1 + f) = 2 s + s R(s^2) = f - (f^2/2 - s (f^2/2 + R)) (W. J. Cody and W. Waite, Software Manual
 * for the Elementary Functions, 1980, chapter 5; the second form, in which f comes last and is
 * exact, is by K. C. Ng, FDLIBM, 1993). For other bases, f - f^2/2 is a number of 26 bits and a
 * rest, so that its product with one of 26 bits is exact. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_log[] = {
    OP2I_MATH(PART, real, log_series, (const real z),
              {
                const real z2 = z * z;
                const real a = (OP2I_LOG_1 + OP2I_LOG_2 * z) + (OP2I_LOG_3 + OP2I_LOG_4 * z) * z2;
                const real b = (OP2I_LOG_5 + OP2I_LOG_6 * z) + OP2I_LOG_7 * z2;
                return z * (a + b * (z2 * z2));
              }),
    /* k and 1 + f from the bits of a normal x > 0 */
    OP2I_MATH(PART, real, exponent, (const whole b),
              {
                const whole k = (b + (0x3ff0000000000000 - OP2I_SQRT_HALF_BITS)) >> 52;
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
                const real series = s * (square + log_series(s * s)) + low;
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
    OP2I_MATH(FUNCTION, real, log, (const real x),
              {
                const mask usual = is_usual(x);
                real near = x;
                real shift = every(0.0);
                if (!all(usual)) {
                  near = normal(x);
                  shift = normal_shift(x);
                }
                const real k = exponent(bits(near)) + shift;
                real value = log_sum(k, fraction(bits(near)) - 1.0, k * OP2I_LN2_LOW);
                if (!all(usual)) value = log_special(x, value);
                return value;
              }),
    /* log(x) / log(b) from k log_b(2), which is a sum of two numbers, and 1 / log(b), likewise */
    OP2I_MATH(PART, real, log_base,
              (const real x, const double two, const double two_low, const double per,
               const double per_low),
              {
                const mask usual = is_usual(x);
                real near = x;
                real shift = every(0.0);
                if (!all(usual)) {
                  near = normal(x);
                  shift = normal_shift(x);
                }
                const real k = exponent(bits(near)) + shift;
                const real f = fraction(bits(near)) - 1.0;
                const real s = f / (2.0 + f);
                const real square = 0.5 * f * f;
                const real high = first_bits(f - square);
                const real low = ((f - high) - square) + s * (square + log_series(s * s));
                const real first = k * two;
                const real second = high * per;
                const real sum = first + second;
                const real rest = (low * per + (low + high) * per_low) + k * two_low;
                real value = sum + (((first - sum) + second) + rest);
                if (!all(usual)) value = log_special(x, value);
                return value;
              }),
    OP2I_MATH(FUNCTION, real, log2, (const real x),
              { return log_base(x, 1.0, 0.0, OP2I_PER_LN2_26, OP2I_PER_LN2_REST); }),
    OP2I_MATH(FUNCTION, real, log10, (const real x),
              {
                return log_base(x, OP2I_LOG10_2_HIGH, OP2I_LOG10_2_LOW, OP2I_PER_LN10_26,
                                OP2I_PER_LN10_REST);
              }),
    /* 1 + x is a sum of two numbers, of which the second, divided by the first, is added. */
    OP2I_MATH(FUNCTION, real, log1p, (const real x),
              {
                const real sum = 1.0 + x;
                const real lost = choose((mask)(x < 1.0), x - (sum - 1.0), 1.0 - (sum - x));
                const mask usual = is_usual(sum);
                const real k = exponent(bits(sum));
                const real low = lost / sum + k * OP2I_LN2_LOW;
                real value = log_sum(k, fraction(bits(sum)) - 1.0, low);
                if (!all(usual)) value = log_special(sum, value);
                return choose((mask)(x == 0.0), x, value);
              }),
    {.name = NULL}};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sine and cosine.
 *
 * |x| = n pi/2 + r with |r| <= pi/4, where r is a sum of two numbers, high and low. Up to 800000,
 * pi/2 is a sum of four numbers, of which three have 33 bits, so that n times them is exact (W. J.
 * Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 8). Beyond, the
 * bits of 2/pi that matter are multiplied by the argument's integer (M. Payne and R. Hanek, Radian
 * reduction for trigonometric functions, SIGNUM Newsletter 18, 1983). The polynomials take `low`
 * into account by the derivative.
 *
 * Texts for one argument have the same operations in the same order as far as they can, so that
 * compilers compute them once where a kernel wants both sine and cosine. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_trig[] = {
    /* r for |x| <= 800000 and the nearest n */
    OP2I_MATH(PART, real, angle_near, (const real x, const real n, real *const low),
              {
                const real first = fused_minus(n, every(OP2I_HALF_PI_1), x);
                const real product = n * OP2I_HALF_PI_2;
                const real second = first - product;
                const real back = second - first;
                const real lost = (first - (second - back)) - (product + back);
                const real change = fused_minus(n, every(OP2I_HALF_PI_3), lost);
                const real high = second + change;
                *low = fused_minus(n, every(OP2I_HALF_PI_4), (second - high) + change);
                return high;
              }),
    /* The product of an integer m and seven words of 2/pi, in words of 32 bits, the lowest first */
    OP2I_MATH(PART, int, product_words, (const uint64_t m, const int first, uint64_t *const p),
              {
                static const uint32_t words[] = {OP2I_2_PER_PI_WORDS};
                uint64_t carry = 0;
                for (int i = 0; i < 7; i++) {
                  carry += (m & 0xffffffff) * words[first + 6 - i];
                  p[i] = carry & 0xffffffff;
                  carry >>= 32;
                }
                p[7] = carry;
                carry = 0;
                for (int i = 0; i < 7; i++) {
                  carry += (m >> 32) * words[first + 6 - i] + p[i + 1];
                  p[i + 1] = carry & 0xffffffff;
                  carry >>= 32;
                }
                p[8] = carry;
                return 0;
              }),
    /* r = pi/2 times a fraction of 190 bits: 62 bits of a, 64 of b and 32 of c */
    OP2I_MATH(PART, double, angle_fraction,
              (const uint64_t a, const uint64_t b, const uint64_t c, double *const low),
              {
                const double low3 =
                    (double)(b & 0xffffffff) * 0x1p-126 + (double)(c >> 32) * 0x1p-158;
                const double high2 = (double)(b >> 32) * 0x1p-94;
                const double sum2 = high2 + low3;
                const double high1 = (double)(a & 0xffffffff) * 0x1p-62;
                const double sum1 = high1 + sum2;
                const double high0 = (double)(a >> 32) * 0x1p-30;
                const double sum = high0 + sum1;
                const double rest =
                    (sum1 - (sum - high0)) + ((sum2 - (sum1 - high1)) + (low3 - (sum2 - high2)));
                const double product = sum * OP2I_HALF_PI_HIGH;
                const double tail = residue(sum, OP2I_HALF_PI_HIGH, product) +
                                    (sum * OP2I_HALF_PI_LOW + rest * OP2I_HALF_PI_HIGH);
                const double high = product + tail;
                *low = (product - high) + tail;
                return high;
              }),
    /* Returns for a large x > 0, infinity or NaN: high (part 0), low (1), or n modulo 4 (2). */
    OP2I_MATH(APART, double, angle_far, (const double x, const int part),
              {
                const int64_t b = bits(x);
                const int exponent = (int)(b >> 52) - 1075;
                if (exponent > 971) return number(0x7ff8000000000000);
                const int first = exponent > 2 ? (exponent - 2) / 32 : 0;
                uint64_t words[9];
                uint64_t at[3];
                product_words((b & 0xfffffffffffff) | 0x10000000000000, first, words);
                for (int i = 0; i < 3; i++) {
                  const int bit = 32 * (first + 7) - exponent - 62 - 64 * i;
                  const int w = bit >> 5;
                  at[i] = ((words[w] | words[w + 1] << 32) >> (bit & 31)) |
                          words[w + 2] << 32 << (32 - (bit & 31));
                }
                const uint64_t minus = 0 - (at[0] >> 61 & 1);
                double low = 0.0;
                const double high = angle_fraction((at[0] ^ minus) & 0x3fffffffffffffff,
                                                   at[1] ^ minus, at[2] ^ minus, &low);
                if (part == 2) return 0x1.8p52 + (double)(int)((at[0] + 0x2000000000000000) >> 62);
                return (minus ? -1.0 : 1.0) * (part ? low : high);
              }),
    OP2I_MATH(EACH, real, far_high, (const real x), { return angle_far(x, 0); }),
    OP2I_MATH(EACH, real, far_low, (const real x), { return angle_far(x, 1); }),
    OP2I_MATH(EACH, real, far_turns, (const real x), { return angle_far(x, 2); }),
    /* The number whose last bits are n */
    OP2I_MATH(PART, real, turned, (const real x),
              { return fused(x, every(OP2I_2_PER_PI), every(0x1.8p52)); }),
    /* r for |x| <= 30000 if it is not much smaller than |x|: then no more than one rounding is
     * lost, by the second difference, three parts of pi/2 suffice, and `low` is hardly more than
     * the last bit. */
    OP2I_MATH(PART, real, angle_usual, (const real x, const real n, real *const low),
              {
                const real first = fused_minus(n, every(OP2I_HALF_PI_1), x);
                const real product = n * OP2I_HALF_PI_2;
                const real high = first - product;
                *low = fused_minus(n, every(OP2I_HALF_PI_AFTER), (first - high) - product);
                return high;
              }),
    OP2I_MATH(PART, mask, is_usual_angle, (const real x, const real r),
              { return (mask)(size(x) <= 30000.0) & (mask)(size(x) <= size(r) * 0x1p33); }),
    OP2I_MATH(PART, mask, is_near, (const real x), { return (mask)(size(x) <= 800000.0); }),
    /* |x| where it is large, else a large number */
    OP2I_MATH(PART, real, far_size, (const real x),
              { return choose(is_near(x), every(0x1p20), size(x)); }),
    /* r and n for any x */
    OP2I_MATH(PART, real, angle_any, (const real x, real *const low, real *const turns),
              {
                const real rounded = turned(size(x));
                const real r = angle_near(size(x), rounded - 0x1.8p52, low);
                *turns = rounded;
                if (all(is_near(x))) return r;
                *low = choose(is_near(x), *low, far_low(far_size(x)));
                *turns = choose(is_near(x), rounded, far_turns(far_size(x)));
                return choose(is_near(x), r, far_high(far_size(x)));
              }),
    /* sin(r) = r + r^3 sine_series(r^2) */
    OP2I_MATH(PART, real, sine_series, (const real z),
              {
                const real z2 = z * z;
                const real a = fused(fused(every(OP2I_SIN_9), z, every(OP2I_SIN_7)), z2,
                                     fused(every(OP2I_SIN_5), z, every(OP2I_SIN_3)));
                return fused(fused(every(OP2I_SIN_13), z, every(OP2I_SIN_11)), z2 * z2, a);
              }),
    /* The first is added to r to get its sine, the second to 1 - r^2 / 2 to get its cosine. */
    OP2I_MATH(PART, real, sine_rest, (const real r, const real low),
              {
                const real z = r * r;
                return fused(r * z, sine_series(z), low * fused_minus(z, every(0.5), every(1.0)));
              }),
    OP2I_MATH(PART, real, cosine_rest, (const real r, const real low),
              {
                const real z = r * r;
                const real z2 = z * z;
                const real a = fused(fused(every(OP2I_COS_10), z, every(OP2I_COS_8)), z2,
                                     fused(every(OP2I_COS_6), z, every(OP2I_COS_4)));
                const real series =
                    fused(fused(every(OP2I_COS_14), z, every(OP2I_COS_12)), z2 * z2, a);
                const real half = 0.5 * z;
                return ((1.0 - (1.0 - half)) - half) + fused_minus(r, low, z2 * series);
              }),
    OP2I_MATH(PART, real, sine, (const real r, const real low), { return r + sine_rest(r, low); }),
    OP2I_MATH(PART, real, cosine, (const real r, const real low),
              { return (1.0 - 0.5 * (r * r)) + cosine_rest(r, low); }),
    /* The sine of x, whose angle is r + low after n turns */
    OP2I_MATH(PART, real, sine_of, (const real x, const real r, const real low, const whole n),
              {
                const real value = choose((mask)((n & 1) != 0), cosine(r, low), sine(r, low));
                const whole sign = bits(x) & ~0x7fffffffffffffff;
                return number(bits(value) ^ ((n & 2) << 62) ^ sign);
              }),
    OP2I_MATH(PART, real, cosine_of, (const real r, const real low, const whole n),
              {
                const real value = choose((mask)((n & 1) != 0), sine(r, low), cosine(r, low));
                return number(bits(value) ^ (((n + 1) & 2) << 62));
              }),
    /* The quotient of sine and cosine, or minus that of cosine and sine, where both are sums of two
     * numbers */
    OP2I_MATH(PART, real, tangent_of, (const real x, const real r, const real low, const whole n),
              {
                const mask odd = (mask)((n & 1) != 0);
                const real z = r * r;
                const real z_rest = residue(r, r, z);
                const real cube = r * z;
                const real cube_rest = fused(r, z_rest, residue(r, z, cube));
                const real series = sine_series(z);
                const real term = cube * series;
                const real term_rest = fused(cube_rest, series, residue(cube, series, term));
                const real s = r + term;
                const real most = fused_minus(z, every(0.5), every(1.0));
                const real s_low = ((r - s) + term) + fused(low, most, term_rest);
                const real c_rest = cosine_rest(r, low);
                const real c = most + c_rest;
                const real c_low = fused_minus(z_rest, every(0.5), (most - c) + c_rest);
                real rest;
                const real q = quotient(choose(odd, c, s), choose(odd, c_low, s_low),
                                        choose(odd, s, c), choose(odd, s_low, c_low), &rest);
                const whole sign = bits(x) & ~0x7fffffffffffffff;
                return number(bits(q + rest) ^ (n << 63) ^ sign);
              }),
    OP2I_MATH(SELDOM, real, sin_any, (const real x),
              {
                real low;
                real turns;
                const real r = angle_any(x, &low, &turns);
                return sine_of(x, r, low, bits(turns));
              }),
    OP2I_MATH(FUNCTION, real, sin, (const real x),
              {
                real low;
                const real turns = turned(size(x));
                const real r = angle_usual(size(x), turns - 0x1.8p52, &low);
                const mask usual = is_usual_angle(x, r);
                const real value = sine_of(x, r, low, bits(turns));
                if (all(usual)) return value;
                return choose(usual, value, sin_any(x));
              }),
    OP2I_MATH(SELDOM, real, cos_any, (const real x),
              {
                real low;
                real turns;
                const real r = angle_any(x, &low, &turns);
                return cosine_of(r, low, bits(turns));
              }),
    OP2I_MATH(FUNCTION, real, cos, (const real x),
              {
                real low;
                const real turns = turned(size(x));
                const real r = angle_usual(size(x), turns - 0x1.8p52, &low);
                const mask usual = is_usual_angle(x, r);
                const real value = cosine_of(r, low, bits(turns));
                if (all(usual)) return value;
                return choose(usual, value, cos_any(x));
              }),
    OP2I_MATH(SELDOM, real, tan_any, (const real x),
              {
                real low;
                real turns;
                const real r = angle_any(x, &low, &turns);
                return tangent_of(x, r, low, bits(turns));
              }),
    OP2I_MATH(FUNCTION, real, tan, (const real x),
              {
                real low;
                const real turns = turned(size(x));
                const real r = angle_usual(size(x), turns - 0x1.8p52, &low);
                const mask usual = is_usual_angle(x, r);
                const real value = tangent_of(x, r, low, bits(turns));
                if (all(usual)) return value;
                return choose(usual, value, tan_any(x));
              }),
    /* ---- float ---- */
    /* r, which needs no second number: arguments of float are not as close to multiples of pi/2. */
    OP2I_MATH(PART, real, angle_rough, (const real x, const real n),
              {
                const real first = fused_minus(n, every(OP2I_HALF_PI_1), x);
                return fused_minus(n, every(OP2I_HALF_PI_REST), first);
              }),
    OP2I_MATH(PART, real, sine_rough, (const real r, const real z),
              {
                const real a = fused(every(OP2I_SIN_SHORT_5), z, every(OP2I_SIN_SHORT_3));
                const real b = fused(every(OP2I_SIN_SHORT_9), z, every(OP2I_SIN_SHORT_7));
                return fused(r * z, fused(b, z * z, a), r);
              }),
    OP2I_MATH(PART, real, cosine_rough, (const real z),
              {
                const real z2 = z * z;
                const real a = fused(every(OP2I_COS_SHORT_2), z, every(1.0));
                const real b = fused(every(OP2I_COS_SHORT_6), z, every(OP2I_COS_SHORT_4));
                return fused(fused(every(OP2I_COS_SHORT_8), z2, b), z2, a);
              }),
    OP2I_MATH(PART, real, sine_rough_of, (const real x, const real r, const whole n),
              {
                const real z = r * r;
                const real value = choose((mask)((n & 1) != 0), cosine_rough(z), sine_rough(r, z));
                const whole sign = bits(x) & ~0x7fffffffffffffff;
                return number(bits(value) ^ ((n & 2) << 62) ^ sign);
              }),
    OP2I_MATH(PART, real, cosine_rough_of, (const real r, const whole n),
              {
                const real z = r * r;
                const real value = choose((mask)((n & 1) != 0), sine_rough(r, z), cosine_rough(z));
                return number(bits(value) ^ (((n + 1) & 2) << 62));
              }),
    OP2I_MATH(PART, real, tangent_rough_of, (const real x, const real r, const whole n),
              {
                const mask odd = (mask)((n & 1) != 0);
                const real z = r * r;
                const real s = sine_rough(r, z);
                const real c = cosine_rough(z);
                const real value = choose(odd, c, s) / choose(odd, s, c);
                const whole sign = bits(x) & ~0x7fffffffffffffff;
                return number(bits(value) ^ (n << 63) ^ sign);
              }),
    OP2I_MATH(SELDOM, real, sin_rough_far, (const real x),
              {
                const real ax = far_size(x);
                return sine_rough_of(x, far_high(ax), bits(far_turns(ax)));
              }),
    OP2I_MATH(SELDOM, real, cos_rough_far, (const real x),
              {
                const real ax = far_size(x);
                return cosine_rough_of(far_high(ax), bits(far_turns(ax)));
              }),
    OP2I_MATH(SELDOM, real, tan_rough_far, (const real x),
              {
                const real ax = far_size(x);
                return tangent_rough_of(x, far_high(ax), bits(far_turns(ax)));
              }),
    OP2I_MATH(FLOAT, real, sin_float, (const real x),
              {
                const real turns = turned(size(x));
                const real r = angle_rough(size(x), turns - 0x1.8p52);
                const real value = sine_rough_of(x, r, bits(turns));
                if (all(is_near(x))) return value;
                return choose(is_near(x), value, sin_rough_far(x));
              }),
    OP2I_MATH(FLOAT, real, cos_float, (const real x),
              {
                const real turns = turned(size(x));
                const real r = angle_rough(size(x), turns - 0x1.8p52);
                const real value = cosine_rough_of(r, bits(turns));
                if (all(is_near(x))) return value;
                return choose(is_near(x), value, cos_rough_far(x));
              }),
    OP2I_MATH(FLOAT, real, tan_float, (const real x),
              {
                const real turns = turned(size(x));
                const real r = angle_rough(size(x), turns - 0x1.8p52);
                const real value = tangent_rough_of(x, r, bits(turns));
                if (all(is_near(x))) return value;
                return choose(is_near(x), value, tan_rough_far(x));
              }),
    {.name = NULL}};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sine and cosine.
 *
 * |x| = n pi/2 + r with |r| <= pi/4, where r is a sum of two numbers, high and low. Up to 800000, pi/2
 * is a sum of four numbers, of which three have 33 bits, so that n times them is exact (W. J. Cody
 * and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 8). Beyond, the bits of
 * 2/pi that matter are multiplied by the argument's integer (M. Payne and R. Hanek, Radian
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
                const real first = x - n * OP2I_HALF_PI_1;
                const real product = n * OP2I_HALF_PI_2;
                const real second = first - product;
                const real back = second - first;
                const real lost = (first - (second - back)) - (product + back);
                const real change = lost - n * OP2I_HALF_PI_3;
                const real high = second + change;
                *low = ((second - high) + change) - n * OP2I_HALF_PI_4;
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
    /* r, and n as the last bits of *turns */
    OP2I_MATH(PART, real, angle, (const real x, real *const low, real *const turns),
              {
                const mask near = (mask)(x <= 800000.0);
                const real rounded = x * OP2I_2_PER_PI + 0x1.8p52;
                real high = angle_near(x, rounded - 0x1.8p52, low);
                *turns = rounded;
                if (!all(near)) {
                  high = choose(near, high, far_high(x));
                  *low = choose(near, *low, far_low(x));
                  *turns = choose(near, rounded, far_turns(x));
                }
                return high;
              }),
    /* sin(r) = r + r^3 sine_series(r^2) */
    OP2I_MATH(PART, real, sine_series, (const real z),
              {
                const real z2 = z * z;
                const real a = (OP2I_SIN_3 + OP2I_SIN_5 * z) + (OP2I_SIN_7 + OP2I_SIN_9 * z) * z2;
                return a + (OP2I_SIN_11 + OP2I_SIN_13 * z) * (z2 * z2);
              }),
    /* The first is added to r to get its sine, the second to 1 - r^2 / 2 to get its cosine. */
    OP2I_MATH(PART, real, sine_rest, (const real r, const real low),
              {
                const real z = r * r;
                return r * z * sine_series(z) + low * (1.0 - 0.5 * z);
              }),
    OP2I_MATH(PART, real, cosine_rest, (const real r, const real low),
              {
                const real z = r * r;
                const real z2 = z * z;
                const real a = (OP2I_COS_4 + OP2I_COS_6 * z) + (OP2I_COS_8 + OP2I_COS_10 * z) * z2;
                const real series = a + (OP2I_COS_12 + OP2I_COS_14 * z) * (z2 * z2);
                const real half = 0.5 * z;
                return ((1.0 - (1.0 - half)) - half) + (z2 * series - r * low);
              }),
    OP2I_MATH(PART, real, sine, (const real r, const real low), { return r + sine_rest(r, low); }),
    OP2I_MATH(PART, real, cosine, (const real r, const real low),
              { return (1.0 - 0.5 * (r * r)) + cosine_rest(r, low); }),
    OP2I_MATH(FUNCTION, real, sin, (const real x),
              {
                real low;
                real turns;
                const real r = angle(size(x), &low, &turns);
                const whole n = bits(turns);
                const real value = choose((mask)((n & 1) != 0), cosine(r, low), sine(r, low));
                const whole sign = bits(x) & ~0x7fffffffffffffff;
                return number(bits(value) ^ ((n & 2) << 62) ^ sign);
              }),
    OP2I_MATH(FUNCTION, real, cos, (const real x),
              {
                real low;
                real turns;
                const real r = angle(size(x), &low, &turns);
                const whole n = bits(turns);
                const real value = choose((mask)((n & 1) != 0), sine(r, low), cosine(r, low));
                return number(bits(value) ^ (((n + 1) & 2) << 62));
              }),
    /* The quotient of sine and cosine, or minus that of cosine and sine, where both are sums of two
     * numbers */
    OP2I_MATH(FUNCTION, real, tan, (const real x),
              {
                real low;
                real turns;
                const real r = angle(size(x), &low, &turns);
                const mask odd = (mask)((bits(turns) & 1) != 0);
                const real z = r * r;
                const real z_rest = residue(r, r, z);
                const real cube = r * z;
                const real cube_rest = residue(r, z, cube) + r * z_rest;
                const real series = sine_series(z);
                const real term = cube * series;
                const real term_rest = residue(cube, series, term) + cube_rest * series;
                const real s = r + term;
                const real s_low = ((r - s) + term) + (term_rest + low * (1.0 - 0.5 * z));
                const real most = 1.0 - 0.5 * (r * r);
                const real c_rest = cosine_rest(r, low);
                const real c = most + c_rest;
                const real c_low = ((most - c) + c_rest) - 0.5 * z_rest;
                const real a = choose(odd, c, s);
                const real b = choose(odd, s, c);
                const real q = a / b;
                const real rest =
                    quotient_rest(q, a, choose(odd, c_low, s_low), b, choose(odd, s_low, c_low));
                const whole sign = bits(x) & ~0x7fffffffffffffff;
                return number(bits(q + rest) ^ (bits(turns) << 63) ^ sign);
              }),
    {.name = NULL}};

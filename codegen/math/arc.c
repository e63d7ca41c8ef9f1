/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverse trigonometric functions.
 *
 * Arguments are brought near zero by identities (W. J. Cody and W. Waite, Software Manual for the
 * Elementary Functions, 1980, chapters 10 and 11). Quotients and roots in them are sums of two
 * numbers, as are multiples of pi. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_arc[] = {
    /* atan(t) = t + t atan_series(t^2) for |t| <= tan(pi/8) */
    OP2I_MATH(PART, real, atan_series, (const real z),
              {
                const real z2 = z * z;
                const real z4 = z2 * z2;
                const real a = fused(fused(every(OP2I_ATAN_4), z, every(OP2I_ATAN_3)), z2,
                                     fused(every(OP2I_ATAN_2), z, every(OP2I_ATAN_1)));
                const real b = fused(fused(every(OP2I_ATAN_8), z, every(OP2I_ATAN_7)), z2,
                                     fused(every(OP2I_ATAN_6), z, every(OP2I_ATAN_5)));
                const real c = fused(fused(every(OP2I_ATAN_12), z, every(OP2I_ATAN_11)), z2,
                                     fused(every(OP2I_ATAN_10), z, every(OP2I_ATAN_9)));
                return z * fused(fused(c, z4, b), z4, a);
              }),
    /* The angle of the point (x, y) for x, y >= 0, not both zero, as a sum of two numbers: atan(t)
     * with t = y / x, pi/4 + atan((y - x) / (x + y)) or pi/2 - atan(x / y) */
    OP2I_MATH(PART, real, angle_of, (const real x, const real y, real *const low),
              {
                const mask flat = (mask)(y <= x * OP2I_TAN_PI_8);
                const mask steep = (mask)(x < y * OP2I_TAN_PI_8);
                const mask neither = (mask)(y > x * OP2I_TAN_PI_8) & (mask)(x >= y * OP2I_TAN_PI_8);
                const real zero = every(0.0);
                const real difference = y - x;
                const real sum = x + y;
                const real a = choose(flat, y, choose(steep, -x, difference));
                const real b = choose(flat, x, choose(steep, y, sum));
                const real a_low = choose(neither, sum_rest(difference, y, -x), zero);
                const real b_low = choose(neither, sum_rest(sum, x, y), zero);
                real rest;
                const real t = quotient(a, a_low, b, b_low, &rest);
                const real c =
                    choose(flat, zero,
                           choose(steep, every(OP2I_HALF_PI_HIGH), every(OP2I_QUARTER_PI_HIGH)));
                const real c_low = choose(
                    flat, zero, choose(steep, every(OP2I_HALF_PI_LOW), every(OP2I_QUARTER_PI_LOW)));
                const real z = t * t;
                const real most = c + t;
                const real tail = fused(t, atan_series(z), fused_minus(rest, z, rest));
                *low = ((c - most) + t) + (c_low + tail);
                return most;
              }),
    /* The same for x = 1, where sums lose less */
    OP2I_MATH(FUNCTION, real, atan, (const real x),
              {
                const real y = limited(size(x), 0x1p100);
                const mask flat = (mask)(y <= OP2I_TAN_PI_8);
                const mask steep = (mask)(y > OP2I_TAN_3_PI_8);
                const real zero = every(0.0);
                const real one = every(1.0);
                const real difference = y - 1.0;
                const real sum = y + 1.0;
                const real a = choose(flat, y, choose(steep, -one, difference));
                const real b = choose(flat, one, choose(steep, y, sum));
                const real a_low = choose(flat, zero, choose(steep, zero, y - (difference + 1.0)));
                const real b_low = choose(flat, zero, choose(steep, zero, y - (sum - 1.0)));
                real rest;
                const real t = quotient(a, a_low, b, b_low, &rest);
                const real c =
                    choose(flat, zero,
                           choose(steep, every(OP2I_HALF_PI_HIGH), every(OP2I_QUARTER_PI_HIGH)));
                const real c_low = choose(
                    flat, zero, choose(steep, every(OP2I_HALF_PI_LOW), every(OP2I_QUARTER_PI_LOW)));
                const real z = t * t;
                const real most = c + t;
                const real tail = fused(t, atan_series(z), fused_minus(rest, z, rest));
                return with_sign(most + (((c - most) + t) + (c_low + tail)), x);
              }),
    OP2I_MATH(
        FUNCTION, real, atan2, (const real y, const real x),
        {
          const real infinity = every(1.0 / 0.0);
          const real ax = size(x);
          const real ay = size(y);
          const mask ends = (mask)(ax == infinity) | (mask)(ay == infinity);
          const real x1 = choose((mask)(ax == infinity), every(1.0), choose(ends, every(0.0), ax));
          const real y1 = choose((mask)(ay == infinity), every(1.0), choose(ends, every(0.0), ay));
          const real most = choose((mask)(x1 < y1), y1, x1);
          const real factor = choose((mask)(most > 0x1p1000), every(0.25),
                                     choose((mask)(most < 0x1p300), every(0x1p600), every(1.0)));
          const real x2 = choose((mask)(most == 0.0), every(1.0), x1 * factor);
          real low;
          const real high = angle_of(x2, y1 * factor, &low);
          const real turned = OP2I_PI_HIGH - high;
          const real turned_low = ((OP2I_PI_HIGH - turned) - high) + (OP2I_PI_LOW - low);
          const real value = choose((mask)(bits(x) < 0), turned + turned_low, high + low);
          const mask known = (mask)(x == x) & (mask)(y == y);
          return choose(known, with_sign(value, y), x + y);
        }),
    /* asin(s) = s + s asin_series(s^2) for |s| <= 1/2 */
    OP2I_MATH(PART, real, asin_series, (const real z),
              {
                const real z2 = z * z;
                const real z4 = z2 * z2;
                const real a = fused(fused(every(OP2I_ASIN_4), z, every(OP2I_ASIN_3)), z2,
                                     fused(every(OP2I_ASIN_2), z, every(OP2I_ASIN_1)));
                const real b = fused(fused(every(OP2I_ASIN_8), z, every(OP2I_ASIN_7)), z2,
                                     fused(every(OP2I_ASIN_6), z, every(OP2I_ASIN_5)));
                const real c = fused(fused(every(OP2I_ASIN_12), z, every(OP2I_ASIN_11)), z2,
                                     fused(every(OP2I_ASIN_10), z, every(OP2I_ASIN_9)));
                return z * fused(fused(fused(every(OP2I_ASIN_13), z4, c), z4, b), z4, a);
              }),
    /* For |x| <= 1/2 the number s = |x|, else the root of (1 - |x|) / 2: asin(s) - s, where what s
     * lacks is taken into account */
    OP2I_MATH(PART, real, asin_parts, (const real x, real *const s),
              {
                const real ax = size(x);
                const mask small = (mask)(ax <= 0.5);
                const real z = choose(small, ax * ax, 0.5 * (1.0 - ax));
                const real y = root(z);
                *s = choose(small, ax, y);
                const real rest = choose(small, every(0.0), root_rest(y, z, every(0.0)));
                return fused(*s, asin_series(z), rest);
              }),
    OP2I_MATH(FUNCTION, real, asin, (const real x),
              {
                real s;
                const real rest = asin_parts(x, &s);
                const real twice = 2.0 * s;
                const real high = OP2I_HALF_PI_HIGH - twice;
                const real low =
                    ((OP2I_HALF_PI_HIGH - high) - twice) + (OP2I_HALF_PI_LOW - 2.0 * rest);
                const real value = choose((mask)(size(x) <= 0.5), s + rest, high + low);
                const mask usual = (mask)(size(x) <= 1.0);
                return choose(usual, with_sign(value, x),
                              choose((mask)(x == x), not_a_number(x), x + x));
              }),
    OP2I_MATH(FUNCTION, real, acos, (const real x),
              {
                real s;
                const real rest = asin_parts(x, &s);
                const real x_rest = with_sign(rest, x);
                const real high = OP2I_HALF_PI_HIGH - x;
                const real near =
                    high + (((OP2I_HALF_PI_HIGH - high) - x) + (OP2I_HALF_PI_LOW - x_rest));
                const real twice = 2.0 * s;
                const real turned = OP2I_PI_HIGH - twice;
                const real far =
                    turned + (((OP2I_PI_HIGH - turned) - twice) + (OP2I_PI_LOW - 2.0 * rest));
                const real other = choose((mask)(x < 0.0), far, twice + 2.0 * rest);
                const real value = choose((mask)(size(x) <= 0.5), near, other);
                const mask usual = (mask)(size(x) <= 1.0);
                return choose(usual, value, choose((mask)(x == x), not_a_number(x), x + x));
              }),
    /* ---- float ---- */
    OP2I_MATH(PART, real, angle_rough_of, (const real x, const real y),
              {
                const mask flat = (mask)(y <= x * OP2I_TAN_PI_8);
                const mask steep = (mask)(x < y * OP2I_TAN_PI_8);
                const real a = choose(flat, y, choose(steep, -x, y - x));
                const real b = choose(flat, x, choose(steep, y, x + y));
                const real t = a / b;
                const real c =
                    choose(flat, every(0.0),
                           choose(steep, every(OP2I_HALF_PI_HIGH), every(OP2I_QUARTER_PI_HIGH)));
                return c + fused(t, atan_series(t * t), t);
              }),
    OP2I_MATH(FLOAT, real, atan_float, (const real x),
              {
                const real y = limited(size(x), 0x1p200);
                return with_sign(angle_rough_of(every(1.0), y), x);
              }),
    OP2I_MATH(FLOAT, real, atan2_float, (const real y, const real x),
              {
                const real ax = size(x);
                const real ay = size(y);
                const mask usual = (mask)(ax <= 0x1p200) & (mask)(ay <= 0x1p200);
                real x1 = choose((mask)(ax + ay == 0.0), every(1.0), ax);
                real y1 = ay;
                if (!all(usual)) {
                  const mask far_x = (mask)(ax > 0x1p200);
                  const mask far_y = (mask)(ay > 0x1p200);
                  x1 = choose(far_x, every(1.0), choose(far_y, every(0.0), x1));
                  y1 = choose(far_y, every(1.0), choose(far_x, every(0.0), y1));
                }
                const real high = angle_rough_of(x1, y1);
                const real value = choose((mask)(bits(x) < 0), OP2I_PI_HIGH - high, high);
                if (all(usual)) return with_sign(value, y);
                const mask known = (mask)(x == x) & (mask)(y == y);
                return choose(known, with_sign(value, y), x + y);
              }),
    OP2I_MATH(PART, real, asin_rough, (const real x, const mask small),
              {
                const real ax = size(x);
                const real z = choose(small, ax * ax, 0.5 * (1.0 - ax));
                const real s = choose(small, ax, root(z));
                return fused(s, asin_series(z), s);
              }),
    /* Numbers beyond one make NaN of the root. */
    OP2I_MATH(FLOAT, real, asin_float, (const real x),
              {
                const mask small = (mask)(size(x) <= 0.5);
                const real value = asin_rough(x, small);
                return with_sign(choose(small, value, OP2I_HALF_PI_HIGH - 2.0 * value), x);
              }),
    OP2I_MATH(FLOAT, real, acos_float, (const real x),
              {
                const mask small = (mask)(size(x) <= 0.5);
                const real value = asin_rough(x, small);
                const real near = OP2I_HALF_PI_HIGH - with_sign(value, x);
                const real twice = 2.0 * value;
                return choose(small, near, choose((mask)(x < 0.0), OP2I_PI_HIGH - twice, twice));
              }),
    {.name = NULL}};

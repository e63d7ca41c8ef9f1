/* SPDX-License-Identifier: BSD-3-Clause */
/* Powers: exp(y log x), where log x is a sum of two numbers with about 66 right bits.
 *
 * log(1 + f) = s (2 + s^2 (2/3 + s^2 Q(s^2))) with s = f / (2 + f). Factors are cut into numbers of
 * 26 bits and rests, so that products of the first parts are exact; only Q without its first term is
 * computed with single numbers. The method is that of K. C. Ng (FDLIBM, 1993), without its table. With fused operations,
 * what a product loses is one operation. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_pow[] = {
    /* (Q(z) - Q(0)) / z */
    OP2I_MATH(PART, real, pow_series, (const real z),
              {
                const real z2 = z * z;
                const real a = fused(fused(every(OP2I_POW_5), z, every(OP2I_POW_4)), z2,
                                     fused(every(OP2I_POW_3), z, every(OP2I_POW_2)));
                const real b =
                    fused(every(OP2I_POW_8), z2, fused(every(OP2I_POW_7), z, every(OP2I_POW_6)));
                return fused(b, z2 * z2, a);
              }),
    /* k ln 2 + log(1 + f): the result and *low */
    OP2I_MATH_TWO(PART, real, log_pair, (const real k, const real f, real *const low), ({
                    const real d = 2.0 + f;
                    const real inverse = 1.0 / d;
                    const real s = f * inverse;
                    const real s_low =
                        fused_minus(s, f - (d - 2.0), fused_minus(s, d, f)) * inverse;
                    const real z = s * s;
                    const real z_low = fused(s + s, s_low, fused(s, s, -z));
                    const real r = z * pow_series(z);
                    const real q = OP2I_POW_1 + r;
                    const real q_low = (OP2I_POW_1 - q) + r;
                    const real w = z * q;
                    const real w_low = fused(z, q, -w) + fused(z, q_low, z_low * q);
                    const real c = OP2I_2_THIRDS + w;
                    const real c_low = ((OP2I_2_THIRDS - c) + w) + (OP2I_2_THIRDS_LOW + w_low);
                    const real p = z * c;
                    const real p_low = fused(z_low, c, fused(z, c_low, fused(z, c, -p)));
                    const real t = 2.0 + p;
                    const real t_low = ((2.0 - t) + p) + p_low;
                    const real first = k * OP2I_LN2_HIGH;
                    const real second = s * t;
                    const real sum = first + second;
                    const real rest = fused(s_low, t, fused(s, t_low, fused(s, t, -second)));
                    *low = ((first - sum) + second) + fused(k, every(OP2I_LN2_LOW), rest);
                    return sum;
                  }),
                  {
                    const real d = 2.0 + f;
                    const real d_lost = f - (d - 2.0);
                    const real inverse = 1.0 / d;
                    const real s = f * inverse;
                    const real s1 = first_bits(s);
                    const real d1 = first_bits(d);
                    const real s2 = (((f - s1 * d1) - s1 * (d - d1)) - s1 * d_lost) * inverse;
                    const real square = s1 * s1;
                    const real square_low = s2 * (s1 + (s1 + s2));
                    const real z = square + square_low;
                    const real z1 = first_bits(z);
                    const real z2 = (square - z1) + square_low;
                    const real r = z * pow_series(z);
                    const real q = OP2I_POW_1 + r;
                    const real q1 = first_bits(q);
                    const real q2 = (q - q1) + ((OP2I_POW_1 - q) + r);
                    const real w1 = z1 * q1;
                    const real w2 = z1 * q2 + z2 * q;
                    const real w = w1 + w2;
                    const real w_low = (w1 - w) + w2;
                    const real c = OP2I_2_THIRDS + w;
                    const real c_low = ((OP2I_2_THIRDS - c) + w) + (OP2I_2_THIRDS_LOW + w_low);
                    const real c1 = first_bits(c);
                    const real c2 = (c - c1) + c_low;
                    const real p = z1 * c1;
                    const real p_low = z1 * c2 + z2 * c;
                    const real t = 2.0 + p;
                    const real t_low = ((2.0 - t) + p) + p_low;
                    const real t1 = first_bits(t);
                    const real t2 = (t - t1) + t_low;
                    const real first = k * OP2I_LN2_HIGH;
                    const real second = s1 * t1;
                    const real sum = first + second;
                    const real rest = (s1 * t2 + s2 * (t1 + t2)) + k * OP2I_LN2_LOW;
                    *low = ((first - sum) + second) + rest;
                    return sum;
                  }),
    /* y (high + low): the result and *rest */
    OP2I_MATH_TWO(PART, real, product_pair,
                  (const real y, const real high, const real low, real *const rest), ({
                    const real first = y * high;
                    *rest = fused(y, low, fused(y, high, -first));
                    return first;
                  }),
                  {
                    const real y1 = first_bits(y);
                    const real y2 = y - y1;
                    const real high1 = first_bits(high);
                    const real high2 = (high - high1) + low;
                    const real first = y1 * high1;
                    const real second = y1 * high2 + y2 * (high1 + high2);
                    const real sum = first + second;
                    *rest = (first - sum) + second;
                    return sum;
                  }),
    OP2I_MATH(PART, real, pow_normal, (const real x, const real shift, const real y),
              {
                real low;
                real rest;
                const real k = exponent(bits(x)) + shift;
                const real high = log_pair(k, fraction(bits(x)) - 1.0, &low);
                const real sum = product_pair(y, high, low, &rest);
                return exp_sum(sum, rest);
              }),
    /* The power from that of |x|, for all x and y */
    OP2I_MATH(PART, real, pow_special, (const real x, const real y, const real power),
              {
                const real ax = size(x);
                const real ay = size(y);
                const real half = 0.5 * ay;
                const mask whole_y = (mask)(ay >= 0x1p52) | (mask)((ay + 0x1p52) - 0x1p52 == ay);
                const mask even_half = (mask)((half + 0x1p52) - 0x1p52 == half);
                const mask even = (mask)(ay >= 0x1p53) | (whole_y & even_half);
                const real nan = not_a_number(x);
                const real none = choose((mask)(y < 0.0), every(1.0 / 0.0), every(0.0));
                const real huge = choose((mask)(y < 0.0), every(0.0), every(1.0 / 0.0));
                real value = choose((mask)(ax == 0.0), none, power);
                value = choose((mask)(ax == 1.0 / 0.0), huge, value);
                const real minus = number(bits(value) | ~0x7fffffffffffffff);
                const real turned = choose(whole_y, choose(even, value, minus), nan);
                const real least = choose(whole_y, choose(even, value, minus), value);
                value = choose((mask)(bits(x) < 0), least, value);
                value =
                    choose((mask)(x < 0.0) & (mask)(ax <= 0x1.fffffffffffffp1023), turned, value);
                value = choose((mask)(x == x) & (mask)(y == y), value, x + y);
                return choose((mask)(y == 0.0) | (mask)(x == 1.0), every(1.0), value);
              }),
    OP2I_MATH(SELDOM, real, pow_any, (const real x, const real y),
              {
                const real ax = size(x);
                return pow_special(x, y,
                                   pow_normal(normal(ax), normal_shift(ax), limited(y, 0x1p65)));
              }),
    /* A square is a product, whether the compiler knows the exponent or not; where it does, this is
     * all that is left. */
    OP2I_MATH(FUNCTION, real, pow, (const real x, const real y),
              {
                const mask usual = is_usual(x) & (mask)(size(y) <= 0x1p65);
                real value = pow_normal(x, every(0.0), y);
                if (!all(usual)) value = choose(usual, value, pow_any(x, y));
                return choose((mask)(y == 2.0), x * x, value);
              }),
    /* ---- float ---- */
    OP2I_MATH(SELDOM, real, pow_float_any, (const real x, const real y),
              {
                const real power = log_normal(size(x), every(0.0)) * limited(y, 0x1p65);
                return pow_special(x, y, exp_rough(limited(power, 200.0)));
              }),
    OP2I_MATH(FLOAT, real, pow_float, (const real x, const real y),
              {
                const real power = log_normal(x, every(0.0)) * y;
                const mask usual = is_usual(x) & (mask)(size(y) <= 0x1p65);
                real value = exp_rough(limited(power, 200.0));
                if (!all(usual)) value = choose(usual, value, pow_float_any(x, y));
                return choose((mask)(y == 2.0), x * x, value);
              }),
    {.name = NULL}};

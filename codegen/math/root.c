/* SPDX-License-Identifier: BSD-3-Clause */
/* The cube root, and the length of a vector of two components. */
#include "coefficients.h"
#include "math_text.h"

const struct op2i_math_text op2i_math_root[] = {
    /* x = m 8^q with 1 <= m < 8. A polynomial for m^(-1/3) is improved twice by Newton's method;
     * y is the first 26 bits of the cube root, whose square is exact, and one more step makes y
     * + y (m / y^2 - y) / (2 y + m / y^2) (K. C. Ng, FDLIBM, 1993). */
    OP2I_MATH(PART, real, cbrt_near, (const real m),
              {
                const real m2 = m * m;
                const real a =
                    (OP2I_CBRT_0 + OP2I_CBRT_1 * m) + (OP2I_CBRT_2 + OP2I_CBRT_3 * m) * m2;
                const real z = a + (OP2I_CBRT_4 + OP2I_CBRT_5 * m) * (m2 * m2);
                const real z1 = z + z * (1.0 - m * (z * z * z)) * OP2I_THIRD;
                const real z2 = z1 + z1 * (1.0 - m * (z1 * z1 * z1)) * OP2I_THIRD;
                const real y = first_bits(m * (z2 * z2));
                const real ratio = m / (y * y);
                return y + y * ((ratio - y) / (2.0 * y + ratio));
              }),
    OP2I_MATH(FUNCTION, real, cbrt, (const real x),
              {
                const real ax = size(x);
                const mask small = (mask)(ax < 0x1p-1022);
                const real near = choose(small, ax * 0x1p54, ax);
                const whole b = bits(near);
                const real e = number((b >> 52) + 0x4330000000000000) - (0x1p52 + 1023.0);
                const real shifted = (e - 1.0) * OP2I_THIRD + 0x1.8p52;
                const whole q = bits(shifted) - 0x4338000000000000;
                const real y = cbrt_near(number(b - ((q + q + q) << 52))) * power_of_two(q);
                const real value = choose(small, y * 0x1p-18, y);
                const mask plain = (mask)(ax <= 0x1.fffffffffffffp1023) & (mask)(ax != 0.0);
                return choose(plain, with_sign(value, x), x + x);
              }),
    /* Squares and their sum are sums of two numbers, and the root is corrected by what it lacks. */
    OP2I_MATH(FUNCTION, real, hypot, (const real x, const real y),
              {
                const real ax = size(x);
                const real ay = size(y);
                const real a = choose((mask)(ax < ay), ay, ax);
                const real b = choose((mask)(ax < ay), ax, ay);
                const mask large = (mask)(a > 0x1p500);
                const mask small = (mask)(a < 0x1p-400);
                const real factor =
                    choose(large, every(0x1p-600), choose(small, every(0x1p600), every(1.0)));
                const real back =
                    choose(large, every(0x1p600), choose(small, every(0x1p-600), every(1.0)));
                const real c = a * factor;
                const real d = b * factor;
                const real c2 = c * c;
                const real d2 = d * d;
                const real sum = c2 + d2;
                const real low = ((c2 - sum) + d2) + (residue(c, c, c2) + residue(d, d, d2));
                const real h = root(sum);
                const real value = (h + root_rest(h, sum, low)) * back;
                const mask infinite = (mask)(ax == 1.0 / 0.0) | (mask)(ay == 1.0 / 0.0);
                return choose(infinite, every(1.0 / 0.0), value);
              }),
    {.name = NULL}};

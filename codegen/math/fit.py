#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes coefficients.h, for the functions in this folder. Needs mpmath (Debian: python3-mpmath).

    codegen/math/fit.py > codegen/math/coefficients.h
    codegen/math/fit.py --help

Polynomials are the best in the sense of Chebyshev by the exchange algorithm of E. Y. Remez (1934).
The coefficients are rounded to double precision; the first terms of a series, which matter most, are
exact and not among them. The error that is printed with each polynomial is the largest one that the
rounded coefficients leave, in units of 2^-53 of the function's value.
"""

import sys

if "--help" in sys.argv:
    print(__doc__.strip())
    sys.exit(0)

from mpmath import mp, mpf, asin, atan, cos, exp, floor, log, lu_solve, matrix, nstr, pi, sin, sqrt

mp.prec = 200
POINTS = 300


def rounded(x, bits=53):
    """x with so many bits, to nearest."""
    x = mpf(x)
    if x == 0:
        return x
    mp.prec = bits
    y = +x
    mp.prec = 200
    return y


def nodes(low, high, n):
    """Chebyshev's points, with the ends."""
    return [(low + high) / 2 - (high - low) / 2 * cos(pi * i / (n - 1)) for i in range(n)]


def evaluate(powers, coefficients, x):
    return sum(c * x**p for p, c in zip(powers, coefficients))


def solve(f, weight, powers, points):
    """Coefficients whose weighted error alternates between points, and its size."""
    n = len(powers)
    a, b = matrix(n + 1), matrix(n + 1, 1)
    for i, x in enumerate(points):
        for j, p in enumerate(powers):
            a[i, j] = x**p
        a[i, n] = (-1) ** i / weight(x)
        b[i] = f(x)
    solution = lu_solve(a, b)
    return [solution[j] for j in range(n)]


def extremes(error, grid, n):
    """The n points with alternating signs where the error is largest."""
    values = [(x, error(x)) for x in grid]
    runs = []
    for x, e in values:
        if runs and (runs[-1][1] > 0) == (e > 0):
            if abs(e) > abs(runs[-1][1]):
                runs[-1] = (x, e)
        else:
            runs.append((x, e))
    while len(runs) > n:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    return [x for x, _ in runs]


def remez(f, weight, powers, low, high):
    n = len(powers)
    grid = nodes(low, high, POINTS)
    points = nodes(low, high, n + 1)
    for _ in range(12):
        found = solve(f, weight, powers, points)
        after = extremes(lambda x: weight(x) * (f(x) - evaluate(powers, found, x)), grid, n + 1)
        if len(after) < n + 1 or after == points:
            break
        points = after
    return found


def fit(f, weight, powers, low, high):
    """Coefficients in double precision, and the largest weighted error in units of 2^-53."""
    done = [rounded(c) for c in remez(f, weight, powers, low, high)]
    worst = max(abs(weight(x) * (f(x) - evaluate(powers, done, x))) for x in nodes(low, high, 2001))
    return done, worst * 2**53


def hexadecimal(x):
    return float(x).hex()


def define(name, value):
    print(f"#define OP2I_{name} {hexadecimal(value)}")


def series(what, name, f, weight, powers, interval, names=None):
    found, worst = fit(f, weight, powers, mpf(interval[0]), mpf(interval[1]))
    print(f"\n/* {what} */")
    print(f"/* The largest error is {nstr(worst, 2)} units of 2^-53. */")
    for p, c in zip(names or powers, found):
        define(f"{name}_{p}", c)


def pieces(x, bits):
    """x as a sum of numbers with so many bits each."""
    result = []
    for n in bits:
        result.append(rounded(x, n))
        x -= result[-1]
    return result


def words(x, n):
    """The first bits of a fraction, in words of 32 bits."""
    result = []
    for _ in range(n):
        x *= 2**32
        result.append(int(floor(x)))
        x -= result[-1]
    return result


HEAD = """/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COEFFICIENTS_H
#define OP2I_COEFFICIENTS_H

/* The constants in the texts of mathematical functions, as fit.py has computed them. */
/* clang-format off */
"""


def constants():
    ln2 = log(mpf(2))
    for name, value in zip(("LN2_HIGH", "LN2_LOW"), pieces(ln2, (42, 53))):
        define(name, value)
    for name, value in zip(("LN2", "LN2_AFTER"), pieces(ln2, (53, 53))):
        define(name, value)
    for name, value in zip(("LN2_26", "LN2_REST"), pieces(ln2, (26, 53))):
        define(name, value)
    define("PER_LN2", rounded(1 / ln2))
    for name, value in zip(("PER_LN2_26", "PER_LN2_REST"), pieces(1 / ln2, (26, 53))):
        define(name, value)
    ln10 = log(mpf(10))
    define("PER_LN10", rounded(1 / ln10))
    define("LOG10_2", rounded(ln2 / ln10))
    for name, value in zip(("PER_LN10_26", "PER_LN10_REST"), pieces(1 / ln10, (26, 53))):
        define(name, value)
    for name, value in zip(("LOG10_2_HIGH", "LOG10_2_LOW"), pieces(ln2 / ln10, (42, 53))):
        define(name, value)
    for name, value in zip(("2_THIRDS", "2_THIRDS_LOW"), pieces(mpf(2) / 3, (53, 53))):
        define(name, value)
    for i, value in enumerate(pieces(pi / 2, (33, 33, 33, 53))):
        define(f"HALF_PI_{i + 1}", value)
    define("HALF_PI_AFTER", pieces(pi / 2, (33, 33, 53))[2])
    define("HALF_PI_REST", rounded(pi / 2 - pieces(pi / 2, (33,))[0]))
    for name, value in zip(("HALF_PI_HIGH", "HALF_PI_LOW"), pieces(pi / 2, (53, 53))):
        define(name, value)
    for name, value in zip(("QUARTER_PI_HIGH", "QUARTER_PI_LOW"), pieces(pi / 4, (53, 53))):
        define(name, value)
    for name, value in zip(("PI_HIGH", "PI_LOW"), pieces(+pi, (53, 53))):
        define(name, value)
    define("TAN_PI_8", rounded(sqrt(mpf(2)) - 1))
    define("TAN_3_PI_8", rounded(sqrt(mpf(2)) + 1))
    define("THIRD", rounded(mpf(1) / 3))
    define("2_PER_PI", rounded(2 / pi))
    bits = int(rounded(sqrt(mpf(1) / 2)) * 2**53) - 2**52 + (1022 << 52)
    print(f"#define OP2I_SQRT_HALF_BITS {bits:#x}")
    mp.prec = 1400
    print("#define OP2I_2_PER_PI_WORDS \\")
    table = [f"{w:#010x}" for w in words(2 / +pi, 40)]
    mp.prec = 200
    print(", \\\n".join("  " + ", ".join(table[i : i + 8]) for i in range(0, 40, 8)))


def exp_rest(r):
    if abs(r) < mpf(2) ** -20:
        return mpf(1) / 6 + r / 24 + r * r / 120
    return (exp(r) - 1 - r - r * r / 2) / r**3


def short(half_ln2, quarter):
    """Series for float, whose errors are small beside 2^-24."""
    series(
        "exp(r) = 1 + r + r^2 (EXP_SHORT_2 + ...)",
        "EXP_SHORT",
        lambda r: exp_rest(r) * r + mpf(1) / 2,
        lambda r: max(abs(r), mpf(1) / 64) ** 2 * exp(-r),
        list(range(6)),
        (-half_ln2, half_ln2),
        list(range(2, 8)),
    )
    series(
        "log(1 + f) = f - f^2/2 + f^3 (LOG_SHORT_3 + ...)",
        "LOG_SHORT",
        lambda f: log_rest(f),
        lambda f: max(abs(f), mpf(1) / 64) ** 2,
        list(range(10)),
        (sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1),
        list(range(3, 13)),
    )
    series(
        "sin(r) = r + r^3 (SIN_SHORT_3 + ...)",
        "SIN_SHORT",
        lambda r: sin(r) - r,
        lambda r: 1 / sin(r),
        list(range(3, 11, 2)),
        (mpf(2) ** -20, quarter),
    )
    series(
        "cos(r) = 1 + COS_SHORT_2 r^2 + ...",
        "COS_SHORT",
        lambda r: cos(r) - 1,
        lambda r: 1 / cos(r),
        list(range(2, 10, 2)),
        (mpf(2) ** -20, quarter),
    )


def log_rest(f):
    if abs(f) < mpf(2) ** -20:
        return mpf(1) / 3 - f / 4 + f * f / 5
    return (log(1 + f) - f + f * f / 2) / f**3


def main():
    print(HEAD)
    constants()
    half_ln2 = log(mpf(2)) / 2 * mpf("1.0001")
    series(
        "exp(r) = 1 + r + r^2/2 + r^3 (EXP_3 + EXP_4 r + ...), |r| <= ln 2 / 2",
        "EXP",
        exp_rest,
        lambda r: max(abs(r), mpf(1) / 64) ** 3 * exp(-r),
        list(range(10)),
        (-half_ln2, half_ln2),
        list(range(3, 13)),
    )
    top = 3 - 2 * sqrt(mpf(2))  # of s = f / (2 + f)
    series(
        "log(1 + f) = 2 s + s (LOG_1 s^2 + LOG_2 s^4 + ...), s = f / (2 + f)",
        "LOG",
        lambda s: log((1 + s) / (1 - s)) / s - 2 if s else mpf(0),
        lambda s: mpf(1) / 2,
        list(range(2, 16, 2)),
        (mpf(2) ** -20, top * mpf("1.0001")),
        list(range(1, 8)),
    )
    series(
        "log(1 + f) = s (2 + s^2 (2/3 + s^2 (POW_1 + POW_2 s^2 + ...)))",
        "POW",
        lambda s: ((log((1 + s) / (1 - s)) / s - 2) / s**2 - mpf(2) / 3) / s**2,
        lambda s: s**4 / 2,
        list(range(0, 16, 2)),
        (mpf(2) ** -10, top * mpf("1.0001")),
        list(range(1, 9)),
    )
    quarter = pi / 4 * mpf("1.0001")
    series(
        "sin(r) = r + r^3 (SIN_3 + SIN_5 r^2 + ...), |r| <= pi/4",
        "SIN",
        lambda r: sin(r) - r,
        lambda r: 1 / sin(r),
        list(range(3, 15, 2)),
        (mpf(2) ** -20, quarter),
    )
    series(
        "cos(r) = 1 - r^2/2 + r^4 (COS_4 + COS_6 r^2 + ...), |r| <= pi/4",
        "COS",
        lambda r: cos(r) - 1 + r * r / 2,
        lambda r: 1 / cos(r),
        list(range(4, 16, 2)),
        (mpf(2) ** -20, quarter),
    )
    series(
        "atan(t) = t + t (ATAN_1 t^2 + ATAN_2 t^4 + ...), |t| <= tan(pi/8)",
        "ATAN",
        lambda t: atan(t) - t,
        lambda t: 1 / atan(t),
        list(range(3, 27, 2)),
        (mpf(2) ** -20, (sqrt(mpf(2)) - 1) * mpf("1.0001")),
        list(range(1, 13)),
    )
    series(
        "asin(s) = s + s (ASIN_1 s^2 + ASIN_2 s^4 + ...), |s| <= 1/2",
        "ASIN",
        lambda s: asin(s) - s,
        lambda s: 1 / asin(s),
        list(range(3, 29, 2)),
        (mpf(2) ** -20, mpf("0.5001")),
        list(range(1, 14)),
    )
    series(
        "m^(-1/3) = CBRT_0 + CBRT_1 m + ..., 1 <= m <= 8, of which few bits are wanted",
        "CBRT",
        lambda m: m ** (mpf(-1) / 3),
        lambda m: m ** (mpf(1) / 3),
        list(range(6)),
        (1, 8),
    )
    short(half_ln2, quarter)
    print("/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in Python, which compute the same bits in C and in CPython. Their arguments are four
doubles, three integers, and results of either kind."""
import math
from math import cos, sqrt

import op2

X = op2.array("f8", 4)
N = op2.array("i4", 3, within=(-1000, 1000))
Y = op2.array("f8", 3)
M = op2.array("i8", 2)

GAMMA = 1.4
COUNT = 3
WEIGHTS = (0.25, 0.5, -1.5)
POINTS = ((0.1, 0.2), (0.3, -0.4), (0.5, 1e-3))
SMALL = (3, 1, 2)


def arithmetic(x: X, n: N, y: Y, m: M):
    y[0] = x[0] + x[1] * x[2] - x[3]
    y[1] = (x[0] + x[1]) * (x[2] - x[3]) / 3.0
    y[2] = -x[0] - (x[1] - (x[2] - x[3])) * +x[1]


def quotients(x: X, n: N, y: Y, m: M):
    y[0] = x[0] / x[1] / x[2]
    y[1] = x[0] / (x[1] / x[2])
    y[2] = 1 / x[3]


def floor_division(x: X, n: N, y: Y, m: M):
    y[0] = x[0] // x[1]
    y[1] = x[2] // 0.1
    y[2] = 1e6 // x[3]


def remainders(x: X, n: N, y: Y, m: M):
    y[0] = x[0] % x[1]
    y[1] = x[2] % -0.3
    y[2] = -5.0 % x[3]


def mixed(x: X, n: N, y: Y, m: M):
    y[0] = x[0] * n[0] + n[1]
    y[1] = n[0] - x[1] / (abs(n[2]) + 1) if n[2] > 0.5 and x[1] < n[1] else 0.0 + n[1]
    y[2] = 2 * x[2] ** 2


def integers(x: X, n: N, y: Y, m: M):
    m[0] = (n[0] + n[1]) * n[2] - 7
    m[1] = -n[0] * n[1] * n[2] + abs(n[1])


def large_integers(x: X, n: N, y: Y, m: M):
    m[0] = n[0] * n[1] * n[2] * 100000 + 3000000000
    m[1] = (n[0] << 40) - 123456789012345


def integer_division(x: X, n: N, y: Y, m: M):
    m[0] = n[0] // 7 + (n[1] // -3) * 10000
    m[1] = n[0] % 7 + (n[1] % -3) * 10000 + abs(n[2]) % 11 * 1000000


def quotients_of_integers(x: X, n: N, y: Y, m: M):
    y[0] = n[0] / 7
    y[1] = n[1] / (abs(n[2]) + 1)
    y[2] = 1 / 3 + n[0]


def bits(x: X, n: N, y: Y, m: M):
    m[0] = (n[0] & 255) | (n[1] ^ 3)
    m[1] = ~n[0] + (n[1] >> 2) + (1 << 33)


def comparisons(x: X, n: N, y: Y, m: M):
    m[0] = int(x[0] < x[1]) + 2 * int(x[0] <= 0.5) + 4 * int(n[0] > x[2]) + 8 * int(n[0] >= n[1])
    m[1] = int(n[0] == n[1]) + 2 * int(x[0] != x[1]) + 4 * int(-1 < x[0] < x[1] < 2)


def conditions(x: X, n: N, y: Y, m: M):
    if x[0] > 0 and not x[1] > 0 or n[0] == 3:
        y[0] = 1
    elif x[1] < x[2]:
        y[0] = 2
    else:
        y[0] = 3.5
    y[1] = x[0] if n[0] > 0 else x[1]
    y[2] = 1.0 if x[2] else -1.0


def booleans(x: X, n: N, y: Y, m: M):
    left = x[0] < x[1]
    right = bool(n[0])
    m[0] = left + right
    if left or right:
        m[1] = 1
    else:
        m[1] = -(not left)


def loops(x: X, n: N, y: Y, m: M):
    s = 0.0
    for i in range(4):
        s += x[i] * i
    for i in range(3, 0, -1):
        s = s * 0.5 - x[i]
    for i in range(0, 4, 2):
        s += i
    y[0] = s


def nested_loops(x: X, n: N, y: Y, m: M):
    for i in range(COUNT):
        y[i] = 0.0
        for j in range(i + 1):
            if i > 0 and j < i:
                y[i] += x[j] * x[i - 1]
            else:
                y[i] -= x[i - j]


def loop_variables(x: X, n: N, y: Y, m: M):
    k = 0
    for i in range(4):
        k += i
        i = i * 2
        m[0] = i
    m[1] = i + 100 * k


def after_loops(x: X, n: N, y: Y, m: M):
    for last in range(2, 9, 3):
        m[0] = last * last
    m[1] = last


def counting(x: X, n: N, y: Y, m: M):
    positive = 0
    for i in range(4):
        if x[i] > 0:
            positive += 1
    m[0] = positive
    m[1] = 10 * positive - 4


def rotation(x: X, n: N, y: Y, m: M):
    a, b, c = x[0], x[1], x[2]
    a, b = b, a
    if a > b:
        a, b, c = c, a, b
    y[0] = a
    y[1] = b
    y[2] = c


def several_targets(x: X, n: N, y: Y, m: M):
    y[0] = y[1] = z = x[0] + x[1]
    y[2] = z * z


def lists(x: X, n: N, y: Y, m: M):
    a = [0.0] * 4
    b = [1, n[0], 3]
    for i in range(4):
        a[i] = x[3 - i] * b[i % 3]
    a[1] += a[0]
    y[0] = a[0]
    y[1] = a[1] * a[2]
    m[0] = b[1]


def lists_again(x: X, n: N, y: Y, m: M):
    s = 0.0
    for i in range(3):
        pair = [x[i], x[i + 1]]
        pair[0] *= 2
        s += pair[0] * pair[1]
    y[0] = s


def tables(x: X, n: N, y: Y, m: M):
    s = 0.0
    for i in range(3):
        s += WEIGHTS[i] * x[SMALL[i]]
        for j in range(2):
            s -= POINTS[i][j] * x[j]
    y[0] = s
    y[1] = POINTS[2][1] * GAMMA


def polynomial(x: X, n: N, y: Y, m: M):
    t: float = x[0]
    y[0] = ((0.1 * t - 0.7) * t + 0.3) * t - 1e-3
    y[1] = t * t * t - 3.3e5 * t * t


def squares(x: X, n: N, y: Y, m: M):
    y[0] = x[0] ** 2
    y[1] = x[1] ** 3 - x[2] ** -1
    y[2] = x[3] ** n[0]


def powers(x: X, n: N, y: Y, m: M):
    y[0] = 2.0 ** x[0]
    y[1] = math.pow(abs(x[1]), x[2])
    y[2] = 2 ** x[3] + math.pow(abs(x[1]), 0.5)


def minima(x: X, n: N, y: Y, m: M):
    y[0] = min(x[0], x[1], x[2])
    y[1] = max(x[0], -x[1]) + max(x[2], 0.0)
    m[0] = min(n[0], n[1]) * 3 + max(n[0], n[1], 7)


def absolute(x: X, n: N, y: Y, m: M):
    y[0] = abs(x[0]) - math.fabs(x[1])
    m[0] = abs(n[0]) * abs(-n[1])


def roots(x: X, n: N, y: Y, m: M):
    y[0] = sqrt(abs(x[0]))
    y[1] = math.cbrt(x[1])
    y[2] = sqrt(x[2] * x[2] + x[3] * x[3])


def exponentials(x: X, n: N, y: Y, m: M):
    y[0] = math.exp(x[0])
    y[1] = math.expm1(x[1])
    y[2] = math.exp2(x[2])


def logarithms(x: X, n: N, y: Y, m: M):
    y[0] = math.log(abs(x[0])) + math.log1p(abs(x[1]))
    y[1] = math.log2(abs(x[2]))
    y[2] = math.log10(abs(x[3]))


def sine(x: X, n: N, y: Y, m: M):
    y[0] = math.sin(x[0])


def cosine(x: X, n: N, y: Y, m: M):
    y[0] = cos(x[0]) - cos(-x[1])


def sine_and_cosine(x: X, n: N, y: Y, m: M):
    y[0] = math.sin(x[0]) * math.cos(x[0])
    y[1] = math.sin(-x[0])


def tangents(x: X, n: N, y: Y, m: M):
    y[0] = math.tan(x[0])
    y[1] = math.atan(x[1])
    y[2] = math.atan2(x[2], x[3])


def arcs(x: X, n: N, y: Y, m: M):
    t = x[0] / (1.0 + abs(x[0]))
    y[0] = math.asin(t)
    y[1] = math.acos(t)


def hyperbolic(x: X, n: N, y: Y, m: M):
    y[0] = math.sinh(x[0])
    y[1] = math.cosh(x[1])
    y[2] = math.tanh(x[2])


def hyperbolic_areas(x: X, n: N, y: Y, m: M):
    y[0] = math.asinh(x[0])
    y[1] = math.acosh(1.0 + abs(x[1]))
    y[2] = math.atanh(x[2] / (1.0 + abs(x[2])))


def error_functions(x: X, n: N, y: Y, m: M):
    y[0] = math.erf(x[0])
    y[1] = math.erfc(x[1])


def signs(x: X, n: N, y: Y, m: M):
    y[0] = math.copysign(x[0], x[1])
    y[1] = -0.0 * x[2]
    y[2] = math.copysign(1, -0.0)


def math_remainder(x: X, n: N, y: Y, m: M):
    y[0] = math.fmod(x[0], x[1])
    y[1] = math.fmod(x[2], 0.7)


def whole_numbers(x: X, n: N, y: Y, m: M):
    y[0] = float(math.floor(x[0]))
    y[1] = float(math.ceil(x[1]))
    y[2] = float(math.trunc(x[2]))


def angles(x: X, n: N, y: Y, m: M):
    y[0] = math.radians(x[0])
    y[1] = math.degrees(x[1])


def tests_of_floats(x: X, n: N, y: Y, m: M):
    m[0] = math.isnan(x[0]) + 2 * math.isinf(x[1])
    m[1] = int(math.isfinite(x[2]))


def mathematical_constants(x: X, n: N, y: Y, m: M):
    y[0] = math.pi * x[0] + math.e
    y[1] = math.tau - x[1]
    y[2] = -math.inf if x[2] > 0 else math.inf


def functions_of_constants(x: X, n: N, y: Y, m: M):
    a = 0.7
    y[0] = math.sin(a) + math.exp(1.0)
    y[1] = math.log(10) * math.tan(GAMMA)
    s = 0.0
    for i in range(5):
        s += math.cos(0.3 * i) * math.erf(i)
    y[2] = s


def powers_of_constants(x: X, n: N, y: Y, m: M):
    s = 0.0
    for i in range(1, 6):
        s += math.pow(1.1, i) + 1.3 ** i + math.exp(0.1 * i) ** 2
    y[0] = s


def no_contraction(x: X, n: N, y: Y, m: M):
    y[0] = x[0] * x[1] + x[2]
    y[1] = x[0] * x[1] - x[2] * x[3]
    y[2] = x[0] * x[0] - x[0] * x[0]


def order_of_sums(x: X, n: N, y: Y, m: M):
    y[0] = x[0] + x[1] + x[2] + x[3]
    y[1] = x[0] + (x[1] + (x[2] + x[3]))
    y[2] = (x[0] - x[1]) - (x[2] - x[3]) - 1e16 + 1e16


def nan_in_comparisons(x: X, n: N, y: Y, m: M):
    nothing = math.nan if x[0] > 0 else x[0]
    m[0] = int(nothing < 1) + 2 * int(nothing == nothing) + 4 * int(not nothing >= 1)
    y[0] = min(nothing, x[1])
    y[1] = max(x[1], nothing)


def denormals(x: X, n: N, y: Y, m: M):
    y[0] = x[0] * 1e-310
    y[1] = 5e-324 / 2 + 2.2250738585072014e-308 * abs(x[1])
    y[2] = x[2] * 1e-300 * 1e-20


def euler_flux(x: X, n: N, y: Y, m: M):
    """The pressure and two fluxes of a gas."""
    density = abs(x[0]) + 0.1
    inverse = 1.0 / density
    pressure = (GAMMA - 1.0) * (x[3] - 0.5 * inverse * (x[1] * x[1] + x[2] * x[2]))
    volume = x[1] * inverse
    y[0] = pressure
    y[1] = volume * x[1] + pressure
    y[2] = volume * (x[3] + pressure)


def quadrature(x: X, n: N, y: Y, m: M):
    """Bilinear shape functions, summed over the points of a rule."""
    points = [-0.5773502691896258, 0.5773502691896258]
    total = 0.0
    for i in range(2):
        for j in range(2):
            shape = [0.0] * 4
            shape[0] = 0.25 * (1 - points[i]) * (1 - points[j])
            shape[1] = 0.25 * (1 + points[i]) * (1 - points[j])
            shape[2] = 0.25 * (1 + points[i]) * (1 + points[j])
            shape[3] = 0.25 * (1 - points[i]) * (1 + points[j])
            value = 0.0
            for k in range(4):
                value += shape[k] * x[k]
            total += value * value
    y[0] = total


def newton(x: X, n: N, y: Y, m: M):
    """A cube root by Newton's method."""
    a = abs(x[0]) + 1.0
    root = a
    for _ in range(12):
        root -= (root * root * root - a) / (3.0 * root * root)
    y[0] = root


def insertion(x: X, n: N, y: Y, m: M):
    """The four values in order."""
    a = [x[0], x[1], x[2], x[3]]
    for i in range(3):
        for j in range(3 - i):
            if a[j] > a[j + 1]:
                low = a[j + 1]
                a[j + 1] = a[j]
                a[j] = low
    y[0] = a[0]
    y[1] = a[1] + a[2]
    y[2] = a[3]


def augmented(x: X, n: N, y: Y, m: M):
    y[0] = x[0]
    y[0] += x[1]
    y[0] -= 0.3
    y[0] *= x[2]
    y[0] /= 7
    y[1] = x[3]
    y[1] %= 0.7
    y[1] **= 2
    y[2] = x[1]
    y[2] //= 0.3
    m[0] = n[0]
    k = n[0]
    k *= 3
    k -= n[1]
    k //= 4
    k %= 100
    k <<= 3
    k ^= 5
    m[0] = k


def names_of_c(x: X, n: N, y: Y, m: M):
    double = x[0]
    int64_t = x[1]
    exp = x[2]
    for register in range(2):
        double += exp * register
    y1 = double * int64_t
    y[0] = math.exp(0.1 * y1) if y1 < 1 else y1


def conversions(x: X, n: N, y: Y, m: M):
    y[0] = float(n[0]) + float(x[0])
    y[1] = float(n[0] * n[1] * n[2] * 1000000001)
    m[0] = int(n[0]) + int(x[0] > 0)


def long_expressions(x: X, n: N, y: Y, m: M):
    y[0] = -(-x[0]) - -x[1] + (x[2] if x[0] > 0 else -x[2]) * -(x[3] - 1) ** 2
    y[1] = (x[0] - x[1]) - (x[2] - x[3]) / (1.5 + (x[0] * x[0] / 3)) - (2 - x[1])
    m[0] = -(n[0] - (n[1] - n[2])) * (2 - -n[0]) - (n[0] - n[1]) % 5


def softened(x: X, n: N, y: Y, m: M):
    s = 0.0
    for i in range(4):
        s += x[i] / (1 + abs(x[i]))
    y[0] = s
    y[1] = s / (1 + s * s)


def gravity(x: X, n: N, y: Y, m: M):
    """The attraction of a point, with a softened distance."""
    square = 1e-4
    for i in range(3):
        square += x[i] ** 2
    force = x[3] / (square * math.sqrt(square))
    for i in range(3):
        y[i] = -force * x[i]


def horner(x: X, n: N, y: Y, m: M):
    result = 0.0
    for i in range(DEGREES - 1, -1, -1):
        result = result * x[0] + WEIGHTS[i]
    y[0] = result


DEGREES = len(WEIGHTS)


def clamp(a, low, high):
    if a < low:
        return low
    elif a > high:
        return high
    return a


def square(a):
    return a * a


def length(a, b):
    return sqrt(square(a) + square(b))


def functions(x: X, n: N, y: Y, m: M):
    y[0] = clamp(x[0], -1.0, 1.0) + square(x[1])
    y[1] = length(x[2], x[3]) / length(1.5, -x[0])
    y[2] = square(0.1) * square(square(x[1]))
    m[0] = clamp(n[0], -5, 5) + 1000 * square(n[1])
    m[1] = n[clamp(n[2], 0, 2)]


def positive(a):
    return a > 0


def any_positive(a, count):
    for i in range(4):
        if i == count:
            return False
        if positive(a[i]):
            return True
    return False


def conditions_of_functions(x: X, n: N, y: Y, m: M):
    m[0] = int(any_positive(x, 2)) + 10 * int(any_positive(x, abs(n[0]) % 3))
    m[1] = 1 if positive(n[0]) and not positive(x[3]) else 2


def dot(a, b):
    s = 0.0
    for i in range(3):
        s += a[i] * b[i]
    return s


def multiply(a, factor):
    """Changes an array, and returns nothing."""
    for i in range(3):
        a[i] *= factor


def normalise(a):
    size = sqrt(dot(a, a))
    if size == 0.0:
        return
    multiply(a, 1.0 / size)


def functions_of_arrays(x: X, n: N, y: Y, m: M):
    v = [x[0], x[1], x[2]]
    w = [1.0, -x[3], 0.5]
    normalise(v)
    multiply(w, x[0])
    y[0] = dot(v, w)
    y[1] = dot(x, x) - dot(v, x)
    y[2] = 3.0
    multiply(y, -0.5)


def rule(a):
    """With a table of its own."""
    return a * WEIGHTS[1] - WEIGHTS[0]


def functions_with_tables(x: X, n: N, y: Y, m: M):
    y[0] = rule(x[0]) + WEIGHTS[2] * rule(1.0)
    y[1] = math.exp(rule(0.3)) * math.sin(rule(0.7))


def while_it_is_large(x: X, n: N, y: Y, m: M):
    a = abs(x[0])
    count = 0
    while a > 0.01 and count < 100:
        a *= 0.37
        count += 1
    y[0] = a
    m[0] = count


def root_by_newton(x: X, n: N, y: Y, m: M):
    a = abs(x[0]) + 0.01
    root = a
    while abs(root * root - a) > 1e-12 * a:
        root = 0.5 * (root + a / root)
    y[0] = root


def bisection(x: X, n: N, y: Y, m: M):
    low, high = 0.0, 1.0 + abs(x[0])
    while True:
        middle = 0.5 * (low + high)
        if high - low < 1e-9 or middle == low:
            break
        if middle * middle * middle < abs(x[0]):
            low = middle
        else:
            high = middle
    y[0] = middle


def greatest_divisor(x: X, n: N, y: Y, m: M):
    a, b = abs(n[0]), abs(n[1])
    while b != 0:
        a, b = b, a % b
    m[0] = a


def digits(x: X, n: N, y: Y, m: M):
    rest = abs(n[0] * n[1])
    total = 0
    while rest > 0 and total < 1000:
        total += rest % 10
        rest //= 10
    m[0] = total
    m[1] = rest


def searches(x: X, n: N, y: Y, m: M):
    i = 0
    while i < 4 and x[i] <= 0:
        i += 1
    m[0] = i
    if i < 4:
        y[0] = x[i]
    for j in range(4):
        if x[j] < -1:
            continue
        if x[j] > 1:
            break
        y[1] += x[j]
    m[1] = j


def known_passes(x: X, n: N, y: Y, m: M):
    step, count = 64, 0
    while step > 1:
        step //= 2
        count += step * count + 1
    m[0] = count
    while step != 5:
        step += 1
    m[1] = step


def guarded_index(x: X, n: N, y: Y, m: M):
    i = n[0]
    if 0 <= i < 3:
        y[i] = x[i + 1]
    elif not (i < -3 or i >= 0):
        y[-i - 1] = 2.0
    j = n[1] % 10
    y[0] += x[j] if j < 4 else float(j)
    m[0] = int(j < 4 and x[j] > 0)


def leaves_early(x: X, n: N, y: Y, m: M):
    y[0] = 1.0
    if x[0] > 0:
        y[1] = x[1]
        return
    if n[0] > 0:
        m[0] = n[0]
    else:
        return
    y[2] = x[2]


def loops_in_loops(x: X, n: N, y: Y, m: M):
    total = 0
    for i in range(3):
        k = abs(n[i]) % 7
        while k > 0:
            k -= 1
            if k == 3:
                break
            if total > 50:
                continue
            total += k
    m[0] = total


def values_of_the_pass_before(x: X, n: N, y: Y, m: M):
    for i in range(4):
        if i == 0:
            last = x[0]
        else:
            last = 0.5 * last + x[i]
        if i > 0:
            y[1] += late * x[i]
        late = x[i]
    y[0] = last


def values_of_branches(x: X, n: N, y: Y, m: M):
    for i in range(4):
        if x[i] > 0:
            part = 2 * x[i]
            y[0] += part
            items = [part, x[i]]
            y[1] -= items[0] * items[1]
        elif x[i] < -1:
            part = y[0] - x[i]
            y[0] = part * part
        if n[0] > 0:
            size = abs(x[i])
        elif n[1] > 0:
            size = x[i]
        else:
            size = 1.0
        while size > 1:
            step = size * 0.25
            size -= step
        y[2] += size


def values_behind_branches(x: X, n: N, y: Y, m: M):
    if n[0] > 0:
        side = x[0]
        far = x[1]
    else:
        far = -x[1]
        side = far
    if x[2] > 0:
        y[0] = side
        side = x[2]
    if x[3] > 0:
        far, side = side, far
    y[1] = side
    y[2] = far


def values_that_stay(x: X, n: N, y: Y, m: M):
    largest = x[0]
    at = 0
    for i in range(1, 4):
        if x[i] > largest:
            largest = x[i]
            at = i
        if COUNT == 3:
            known = largest - x[i]
        y[1] += known
    y[0] = largest
    m[0] = at


KERNELS = [each for each in list(globals().values())
           if getattr(each, "__module__", None) == __name__ and
           getattr(each, "__annotations__", {}).get("x") is X]

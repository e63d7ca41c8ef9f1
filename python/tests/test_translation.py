# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in Python: the same bits as in CPython, and what is refused."""
import math
from array import array

import numpy as np
import pytest

import op2
import python_kernels

N = 120
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, -1e-310, 1e15, 3.5, -2.5, 700.0]


def inputs():
    """Values for each element: ordinary ones, and some that are special."""
    random = np.random.default_rng(7)
    x = random.normal(size=(N, 4)) * random.choice([1e-3, 1.0, 30.0], size=(N, 4))
    x[:len(SPECIAL)] = np.array(SPECIAL)[random.integers(len(SPECIAL), size=(len(SPECIAL), 4))]
    n = random.integers(-1000, 1001, size=(N, 3))
    n[:10] = random.integers(-3, 4, size=(10, 3))
    return x, n.astype("i4")


def by_cpython(kernel, x, n):
    """The results of CPython, and the elements for which it raises no exception."""
    y, m, fine = np.zeros((N, 3)), np.zeros((N, 2), "i8"), np.ones(N, bool)
    for i in range(N):
        floats, integers = array("d", [0.0] * 3), array("q", [0] * 2)
        try:
            kernel(array("d", x[i]), array("i", n[i]), floats, integers)
        except (ArithmeticError, ValueError):
            fine[i] = False
        y[i], m[i] = floats, integers
    return y, m, fine


def same_bits(a, b):
    """True if these are the same bits, or NaN."""
    return ((a.view("i8") == b.view("i8")) | (np.isnan(a) & np.isnan(b))).all()


@pytest.fixture(scope="module", params=["sequential", "openmp"])
def results(request):
    """What the kernels compute in C, in one flush, with the functions of C's library."""
    x, n = inputs()
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OP2_LIBM", "1")
        context = op2.Context(request.param, threads=2)
    with context:
        cells = op2.Set(context, N)
        inward = op2.Dat(cells, x), op2.Dat(cells, n)
        for kernel in python_kernels.KERNELS:
            made = op2.Kernel.of_function(context, kernel)
            y, m = op2.Dat(cells, dim=3), op2.Dat(cells, dim=2, dtype="i8")
            reads = ["const double y" in made.source, "const int64_t m" in made.source]
            op2.par_loop(made, cells, *[dat(op2.READ) for dat in inward],
                         y(op2.READ if reads[0] else op2.RW), m(op2.READ if reads[1] else op2.RW))
            found[kernel] = y, m
        context.flush()
        yield {kernel: [dat.get() for dat in dats] for kernel, dats in found.items()}


def test_there_are_sixty():
    assert len(python_kernels.KERNELS) >= 60


@pytest.mark.parametrize("kernel", python_kernels.KERNELS, ids=lambda each: each.__name__)
def test_bits(results, kernel):
    y, m, fine = by_cpython(kernel, *inputs())
    assert fine.sum() > N / 2
    assert y[fine].any() or m[fine].any()
    assert same_bits(results[kernel][0][fine], y[fine])
    assert np.array_equal(results[kernel][1][fine], m[fine])


A, K = op2.array("f8"), op2.array("i4", 4)
NAME = "text"
WIDE = 2**70


def refused_counter_without_end(x: A):
    count = 0
    while x[0] > 0:
        x[0] -= 1
        count += 1  # refused: can overflow 64 bits


def refused_endless(x: A, k: K):
    while k[0] > 0:  # refused: its loops are too long
        while True:
            pass


def refused_else_of_loop(x: A):
    while x[0] > 0:  # refused: `else` of a loop is not translated
        x[0] -= 1
    else:
        x[1] = 1.0


def refused_after_while(x: A):
    while x[0] > 0:
        s = 1.0
        x[0] -= s
    x[1] = s  # refused: variable 's' may have no value here


def refused_unguarded_index(x: A, k: K):
    i = k[0]
    if i < 4 or i > 7:
        x[i] = 0.0  # refused: can be negative


def recursive(a):
    return recursive(a - 1.0) if a > 0 else 0.0  # refused: 'recursive' calls itself


def refused_recursion(x: A):
    x[0] = recursive(x[0])


def refused_kernel_in_itself(x: A):
    refused_kernel_in_itself(x)  # refused: calls itself


def changes(a):
    a[0] = 1.0
    return 2.0


def refused_change_in_expression(x: A):
    x[1] = changes(x) + x[0]  # refused: is called by a statement of its own


def nothing(a):
    if a > 0:
        return


def refused_nothing(x: A):
    x[0] = nothing(x[0])  # refused: 'nothing' returns no value


def sometimes(a):  # refused: may end without a value
    if a > 0:
        return a


def refused_sometimes(x: A):
    x[0] = sometimes(x[0])


def either(a):
    if a > 0:
        return 1.0
    return 1  # refused: it returns an int here, and a float elsewhere


def refused_either(x: A):
    x[0] = either(x[0])


def twice(a):
    return a * 2


def refused_arguments(x: A):
    x[0] = twice(x[0], 1.0)


def refused_keyword(x: A):
    x[0] = twice(a=x[0])  # refused: arguments with keywords are not translated


def refused_list_of_integers(x: A):
    k = [1, 2]
    x[0] = float(twice(k))  # refused: 'k' is a list of integers


def refused_overflow_in_function(k: op2.array("i8")):
    k[0] = twice(k[0])


def refused_tuple(x: A):
    x[0] = twice(python_kernels)  # refused: 'python_kernels' outside the function is no number


def with_default(a, b=1.0):  # refused: without defaults
    return a * b


def refused_default(x: A):
    x[0] = with_default(x[0], 2.0)


def refused_unknown_name(x: A):
    x[0] = nowhere  # noqa: F821  refused: 'nowhere' is not known here


def refused_string(x: A):
    x[0] = NAME  # refused: 'NAME' outside the function is no number


def refused_large_constant(x: A):
    x[0] = WIDE  # refused: does not fit into 64 bits


def refused_negative_index(x: A):
    x[-1] = 0.0  # refused: can be negative


def refused_index_from_data(x: A, k: K):
    x[k[0]] = 0.0  # refused: can be negative


def refused_index_too_large(k: K):
    for i in range(5):
        k[i] = 0  # refused: can reach its extent, which is 4


def refused_overflow(k: op2.array("i8")):
    k[0] = k[0] + 1  # refused: can overflow 64 bits


def refused_narrow_store(k: K):
    k[0] = k[1] + k[2]  # refused: can be too large for 'k', of int32


def refused_counter(k: K):
    n = 1
    for i in range(70):
        n *= 2  # refused: can overflow 64 bits


def refused_float_into_integers(k: K):
    k[0] = 0.5  # refused: a float does not go into 'k'


def refused_integer_of_float(x: A, k: K):
    k[0] = int(x[0])  # refused: an integer that is made of a float can overflow


def refused_floor(x: A):
    x[0] = math.floor(x[0])  # refused: write float(math.floor(x))


def refused_round(x: A):
    x[0] = round(x[0])  # refused: a call of round is not translated


def refused_hypot(x: A):
    x[0] = math.hypot(x[0], x[1])  # refused: math.hypot is not translated


def refused_division_by_zero(x: A):
    x[0] = x[1] / 0.0  # refused: the divisor is 0


def refused_integer_division(x: A, k: K):
    x[0] = 1 / k[0]  # refused: can be 0


def refused_large_quotient(x: A, k: op2.array("i8")):
    x[0] = k[0] / 3  # refused: rounded twice


def refused_power(x: A):
    x[0] = x[1] ** 0.5  # refused: complex


def refused_integer_power(x: A, k: K):
    x[0] = k[0] ** 2  # refused: write the product


def refused_types(x: A):
    s = 0
    s += x[0]  # refused: variable 's' was an int and becomes a float


def refused_unassigned(x: A):
    if x[0] > 0:
        s = 1.0
    x[0] = s  # refused: variable 's' may have no value here


def refused_after_empty_loop(x: A):
    for i in range(0):
        s = 1.0
    x[0] = s  # refused: variable 's' may have no value here


def refused_operands(x: A):
    x[0] = x[1] or x[2]  # refused: `and` and `or` give one of their operands


def refused_branches(x: A):
    x[0] = 1 if x[0] > 0 else 2.0  # refused: an int or a float


def refused_data_in_range(x: A, k: K):
    for i in range(k[0]):  # refused: not a constant integer
        x[i] = 0.0


def refused_iteration(x: A):
    for value in (1, 2):  # refused: only loops over range()
        x[0] += value


def refused_after_break(x: A):
    for i in range(3):
        if x[i] > 0:
            break
        s = 1.0
    x[0] = s  # refused: variable 's' may have no value here


def refused_return(x: A):
    return x[0]  # refused: a kernel returns no value


def refused_attribute(x: A):
    x.sort()  # refused: an expression without effect


def refused_slice(x: A):
    x[0:2] = 1.0  # refused: slice is not translated


def refused_whole_array(x: A, y: A):
    x[0] = y  # refused: only its elements are used


def refused_targets(x: A):
    x[0], x[1] = x[1], x[0]  # refused: of several targets, all are variables


def refused_outside(x: A):
    python_kernels.WEIGHTS[0] = x[0]  # refused: only elements of arrays


def refused_shift(k: K):
    k[0] = 1 << k[1]  # refused: a shift by


def refused_comparison(k: op2.array("i8"), x: A):
    x[0] = 1.0 if k[0] < x[0] else 2.0  # refused: is rounded in C


def refused_sure_exception(x: A):
    x[0] = math.log(-1.0)  # refused: Python raises ValueError here


def refused_walrus(x: A):
    x[0] = (y := x[1]) * y  # refused: namedexpr is not translated


def refused_unsigned(k: op2.array("u8"), x: A):
    x[0] = k[0] * 1.0  # refused: does not fit into 64 bits with a sign


def refused_unsigned_number(k: op2.number("u8"), x: A):
    x[0] = k * 1.0  # refused: does not fit into 64 bits with a sign


def refused_parameter(k: op2.number("i4"), x: A):
    k = k * 100000  # refused: keeps its value
    x[0] = k


def refused_broken_promise(k: op2.array("i4", within=(0, 9)), x: A):
    k[0] = 100
    x[k[1]] = 0.0  # refused: can be negative


def refused_long(x: A):
    for i in range(1000):
        for j in range(1000):
            x[0] += 1.0  # refused: too long


#: What is refused at a line that others use as well.
IN_FUNCTIONS = {refused_arguments: "function 'twice': it has 1 parameters, and gets 2",
                refused_overflow_in_function: "function 'twice': a number in "}
REFUSED = [each for name, each in list(globals().items()) if name.startswith("refused_")]


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda each: each.__name__)
def test_refused(kernel):
    with pytest.raises(op2.KernelSyntaxError) as caught:
        op2.translate(kernel)
    error = caught.value
    with open(__file__, encoding="utf-8") as file:
        line = file.read().splitlines()[error.line - 1]
    assert error.file == __file__
    assert str(error).startswith(f"{__file__}:{error.line}: kernel '{kernel.__name__}'")
    if "refused: " in line:
        assert line.split("refused: ")[1] in str(error)
    else:
        assert IN_FUNCTIONS.get(kernel, "too long") in str(error)


def test_refused_signatures():
    def no_annotation(x):
        x[0] = 1.0

    def other_annotation(x: str):
        pass

    def default(x: float = 1.0):
        pass

    for bad in (no_annotation, other_annotation, default, lambda x: x, math.sin, 7):
        with pytest.raises(op2.KernelSyntaxError):
            op2.translate(bad)
    for arguments in ((("f8", 0),), (("f8", (1, 2, 3)),)):
        with pytest.raises(op2.ArgumentError):
            op2.array(*arguments[0])
    with pytest.raises(op2.ArgumentError):
        op2.number("f8", within=(0, 1))


def test_arguments_of_all_kinds(host):
    context = host
    cells, nodes = op2.Set(context, 3), op2.Set(context, 4)
    ends = op2.Map(cells, nodes, [[0, 1], [1, 2], [2, 3]])
    factor = op2.Constant(context, "factor", 3.0)
    table = op2.Constant(context, "table", [1.0, 10.0])

    def assemble(x: op2.array("f8", slots=True), a: op2.array("f8", (2, 2)), t: float, i: int,
                 small: op2.array("f4"), which: op2.number("i4", within=(0, 1))):
        length = x[1][0] - x[0][0]
        for k in range(2):
            for j in range(2):
                a[k][j] += (factor if k == j else -1.0) * length * table[which]
        small[0] = t * float(i) / 3

    x = op2.Dat(nodes, [0.0, 1.0, 3.0, 6.0])
    small = op2.Dat(cells, dtype="f4")
    A = op2.Mat(op2.Sparsity(ends))
    kernel = op2.Kernel.of_function(context, assemble)
    op2.par_loop(kernel, cells, x(op2.READ, ends), A(op2.INC, ends, ends), 0.5, op2.index(),
                 small(op2.WRITE), op2.value(1, "i4"))
    expected = np.zeros((4, 4))
    for i, length in enumerate((1, 2, 3)):
        expected[i:i + 2, i:i + 2] += 10 * length * np.array([[3, -1], [-1, 3]])
    assert np.array_equal(A.toarray(), expected)
    assert np.array_equal(small.get(), (0.5 * np.arange(3) / 3).astype("f4"))
    assert table.dim == 2 and factor.dim == 1


def distance(a, b):
    return a - b if a > b else b - a


def spread(values, factor):
    for i in range(2):
        values[i] *= factor


def test_functions_and_loops_on_each_backend(context):
    cells, nodes = op2.Set(context, 50), op2.Set(context, 51)
    ends = op2.Map(cells, nodes, np.stack([np.arange(50), np.arange(1, 51)], axis=1))

    def halve(x: op2.array("f8", slots=True), y: op2.array("f8", 2), n: op2.array("i4", 1)):
        gap = distance(x[0][0], x[1][0])
        steps = 0
        while gap > 1.0 and steps < 20:
            gap *= 0.5
            steps += 1
        if steps == 3:
            return
        y[0] = gap
        y[1] = distance(1.0, gap)
        spread(y, 2.0)
        n[0] = steps

    values = np.random.default_rng(3).integers(0, 100, 51) / 4
    x, y = op2.Dat(nodes, values), op2.Dat(cells, dim=2)
    n = op2.Dat(cells, dtype="i4")
    op2.par_loop(op2.Kernel.of_function(context, halve), cells, x(op2.READ, ends), y(op2.RW),
                 n(op2.RW))
    expected = np.zeros((50, 2)), np.zeros((50, 1), "i4")
    for i in range(50):
        halve([[values[i]], [values[i + 1]]], expected[0][i], expected[1][i])
    assert np.array_equal(y.get(), expected[0]) and np.array_equal(n.get(), expected[1][:, 0])
    assert len(set(n.get())) > 4


def test_small_floats(host):
    """What is computed with elements of float is rounded when it is stored."""
    context = host
    cells = op2.Set(context, 1)

    def kernel(x: op2.array("f4", 3), t: op2.number("f4"),
               k: op2.array("i8", 1, within=(0, 2**40))):
        x[0] += k[0]
        x[1] = t * t * t
        x[2] = x[2] * x[2] - t
        x[2] += math.isnan(k[0])

    values = array("f", [3.0, 0.0, 0.1])
    t, k = array("f", [0.7])[0], array("q", [2**26 + 3])
    x = op2.Dat(cells, [list(values)], dtype="f4")
    op2.par_loop(op2.Kernel.of_function(context, kernel), cells, x(op2.RW), op2.value(t, "f4"),
                 op2.Dat(cells, [list(k)])(op2.READ))
    kernel(values, t, k)
    assert x.get()[0].tolist() == list(values)


def test_declarations():
    """A variable is declared in the block that has its values: vector code keeps no old ones."""
    def kernel(x: A, y: A):
        if x[0] > 0.0:
            half = 0.5 * x[0]
            y[0] += half
        else:
            half = -x[0]
            y[0] -= half * half
        if x[1] > 0.0:
            sign = 1.0
        else:
            sign = -1.0
        for i in range(2):
            if i == 1:
                y[1] += before
            before = sign * x[i]

    assert op2.translate(kernel).splitlines()[1:] == """\
  if (x[0] > 0.0) {
    double half = 0.5 * x[0];
    y[0] += half;
  } else {
    double half = -x[0];
    y[0] -= half * half;
  }
  double sign;
  if (x[1] > 0.0) {
    sign = 1.0;
  } else {
    sign = -1.0;
  }
  double before;
  for (int i = 0; i < 2; i++) {
    if (i == 1) {
      y[1] += before;
    }
    before = sign * x[i];
  }
}""".splitlines()


def test_constant_parameters():
    def kernel(x: A, y: A, z: op2.array("f8", slots=True)):
        y[0] = x[0] + z[0][0]

    assert op2.translate(kernel).splitlines()[0] == \
        "void kernel(const double *x, double *y, const double *z[]) {"

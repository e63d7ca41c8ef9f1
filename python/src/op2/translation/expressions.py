# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of expressions: their kinds and ranges, and what could differ from CPython."""
from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Set, Tuple, Union

from ..values import Constant
from .parameters import Array, Parameter
from .reading import Source, numbers_in
from .values import BOOL, EXACT, FLOAT, Value, combined, integer, known, narrowed, union

if TYPE_CHECKING:
    from .functions import Function, Functions

#: Visits of expressions and statements after which a function is refused.
VISITS = 100_000

#: Functions of math with floats as arguments: the same function of C's library is called.
FUNCTIONS = {name: 1 for name in (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh erf erfc cbrt fabs").split()}
FUNCTIONS.update({name: 2 for name in "atan2 copysign fmod pow".split()})
#: Of these, the ones whose results C's library and compilers round alike, since they are exact.
ROUNDED_ALIKE = {"sqrt", "fabs", "copysign", "fmod"}
TESTS = {"isnan", "isinf", "isfinite"}
#: The floats that these return as integers are too large for any integer of C.
WHOLE = {"floor", "ceil", "trunc"}
_FACTORS = {"radians": math.pi / 180.0, "degrees": 180.0 / math.pi}


class Table(NamedTuple):
    """A list of the function's own, or a table of numbers from outside."""

    kind: str
    extents: Tuple[int, ...]
    #: The values of a table; None: a list, whose elements change.
    values: Optional[List[Any]]


State = Dict[str, Value]


class Expressions:
    """What is known of expressions."""

    def __init__(self, source: Source, functions: "Functions"):
        self.source = source
        #: The functions of Python that are called from somewhere, and which one each call is of.
        self.functions = functions
        self.calls: Dict[ast.AST, "Function"] = {}
        #: What is known of the value of each expression.
        self.values: Dict[ast.AST, Value] = {}
        #: Lists of the function, by their names, and what all elements of each can be. What they
        #: can be at some place stands in the state there.
        self.lists: Dict[str, Table] = {}
        self.elements: State = {}
        #: Tables and constants from outside that are used, by their names.
        self.tables: Dict[str, Table] = {}
        self.constants: Dict[str, Constant] = {}
        #: Calls of functions that a compiler could compute, with other bits than the library.
        self.folded: Set[ast.AST] = set()
        #: The arrays to which the function itself has written what no promise covers.
        self.beyond: Set[str] = set()
        #: The parameters that are written.
        self.written: Set[str] = set()

    @staticmethod
    def _of_parameter(what: Parameter) -> Value:
        return FLOAT if what.range is None else integer(*what.range)

    def _visit(self, node: ast.AST) -> None:
        self.functions.visits += 1
        if self.functions.visits > VISITS:
            self.source.refuse(node, "its loops are too long to be followed")

    def _record(self, node: ast.AST, value: Value) -> Value:
        old = self.values.get(node)
        if old is not None and old.kind != value.kind:
            self.source.refuse(node, f"this is {a_kind(old.kind)} at one time, and "
                                     f"{a_kind(value.kind)} at another")
        self.values[node] = value if old is None else union(old, value)
        return value

    def value(self, node: ast.expr, state: State) -> Value:
        """What is known of the value of an expression."""
        self._visit(node)
        method = getattr(self, "_" + type(node).__name__.lower() + "_value", None)
        if method is None:
            self.source.refuse(node, f"{word(node)} is not translated")
        return self._record(node, method(node, state))

    def truth(self, node: ast.expr, state: State) -> Value:
        """What is known of the truth of an expression in a condition."""
        value = self.value(node, state)
        if value.kind == "float":
            return BOOL if value.constant is None else known(bool(value.constant))
        if value.low > 0 or value.high < 0:
            return known(True)
        return known(False) if value.is_exact else BOOL

    def _constant_value(self, node: ast.Constant, state: State) -> Value:
        if type(node.value) not in (int, float, bool):
            self.source.refuse(node, f"{node.value!r} is no number")
        return self._known(node, node.value)

    def _known(self, node: ast.AST, number: Any) -> Value:
        value = known(number)
        if value.kind != "float" and not -2**63 <= value.low < 2**63:
            self.source.refuse(node, f"{number} does not fit into 64 bits")
        return value

    def _name_value(self, node: ast.Name, state: State) -> Value:
        name = node.id
        if name in self.lists or isinstance(self.source.parameters.get(name), Array):
            self.source.refuse(node, f"'{name}' is an array: only its elements are used")
        if name in state:
            return self._signed(node, name, state[name])
        if self.source.is_local(name):
            self.source.refuse(node, f"variable '{name}' may have no value here")
        found = self.source.outside(node)
        if isinstance(found, Constant) and not found._shape:
            self.constants[name] = found
            return self._of_constant(found)
        if type(found) not in (int, float, bool):
            self.source.refuse(node, f"'{name}' outside the function is no number")
        return self._known(node, found)

    def promised(self, name: str, what: Array) -> Array:
        """An array with the range that its elements are in now."""
        if name not in self.beyond:
            return what
        return Array(what.dtype, what.extents, what.slots, None)

    def _signed(self, node: ast.expr, name: str, value: Value) -> Value:
        """A value that an integer of 64 bits can hold."""
        if value.kind == "int" and value.high >= 2**63:
            self.source.refuse(node, f"a value of '{name}', of uint64, does not fit into 64 bits "
                                     f"with a sign ({REMEDY})")
        return value

    def _of_constant(self, constant: Constant) -> Value:
        return self._of_parameter(Parameter(constant.dtype, None))

    def _attribute_value(self, node: ast.Attribute, state: State) -> Value:
        name = self.source.math(node)
        if name not in ("pi", "e", "tau", "inf", "nan"):
            self.source.refuse(node, "of attributes, only those of math are translated")
        return known(getattr(math, name))

    def _subscript_value(self, node: ast.Subscript, state: State) -> Value:
        name, what = self._array(node, state)
        if isinstance(what, Constant):
            return self._of_constant(what)
        if isinstance(what, Array):
            return self._signed(node, name, self._of_parameter(self.promised(name, what)))
        if what.values is None:
            if name not in state:
                self.source.refuse(node, f"list '{name}' may have no value here")
            return state[name] if what.kind != "float" else FLOAT
        return FLOAT if what.kind == "float" else integer(min(what.values), max(what.values))

    def _array(self, node: ast.Subscript,
               state: State) -> Tuple[str, Union[Array, Table, Constant]]:
        """The array that an element is of, once its indices have been judged."""
        base, indices = indices_of(node)
        if not isinstance(base, ast.Name):
            self.source.refuse(node, "only elements of arrays are translated")
        what = self._named(base)
        extents = what._shape if isinstance(what, Constant) else what.extents
        if len(extents) != len(indices):
            self.source.refuse(node, f"'{base.id}' takes {len(extents)} indices, not "
                                     f"{len(indices)}")
        for index, extent in zip(indices, extents):
            value = self.value(index, state)
            if value.kind != "int":
                self.source.refuse(index, "an index is an integer")
            if value.low < 0:
                self.source.refuse(index, f"an index {range_of(value)} can be negative, which "
                                          "counts from the end in Python")
            if extent is not None and value.high >= extent:
                self.source.refuse(index, f"an index {range_of(value)} of '{base.id}' can reach "
                                          f"its extent, which is {extent}")
        return base.id, what

    def _named(self, base: ast.Name) -> Union[Array, Table, Constant]:
        name = base.id
        parameter = self.source.parameters.get(name)
        if isinstance(parameter, Array):
            return parameter
        if name in self.lists:
            return self.lists[name]
        if name in self.tables:
            return self.tables[name]
        if parameter is not None or self.source.is_local(name):
            self.source.refuse(base, f"'{name}' is no array")
        found = self.source.outside(base)
        if isinstance(found, Constant) and found._shape:
            self.constants[name] = found
            return found
        extents, values = numbers_in(found)
        if not extents:
            self.source.refuse(base, f"'{name}' outside the function is no tuple of numbers")
        kinds = {type(value) for value in values}
        if len(kinds) > 1:
            self.source.refuse(base, f"'{name}' has integers and floats")
        for value in values:
            self._known(base, value)
        self.tables[name] = Table(kinds.pop().__name__, extents, values)
        return self.tables[name]

    def _unaryop_value(self, node: ast.UnaryOp, state: State) -> Value:
        if isinstance(node.op, ast.Not):
            test = self.truth(node.operand, state)
            return known(not test.low) if test.is_exact else BOOL
        value = self.value(node.operand, state)
        if value.kind == "float":
            if isinstance(node.op, ast.Invert):
                self.source.refuse(node, "`~` is for integers")
            if value.constant is None or isinstance(node.op, ast.UAdd):
                return value
            return known(-value.constant)
        ends = (value.low, value.high)
        if isinstance(node.op, ast.USub):
            ends = (-value.high, -value.low)
        elif isinstance(node.op, ast.Invert):
            ends = (~value.high, ~value.low)
        if ends[1] >= 2**63:
            self.source.refuse(node, f"{range_of(value)} can overflow where its sign changes")
        return integer(*ends)

    def _binop_value(self, node: ast.BinOp, state: State) -> Value:
        left, right = self.value(node.left, state), self.value(node.right, state)
        return self._operate(node, node.op, left, right, node.right)

    def _operate(self, node: ast.AST, op: ast.operator, left: Value, right: Value,
                 divisor: ast.expr) -> Value:
        name = type(op).__name__
        if name in ("Div", "FloorDiv", "Mod") and right.kind != "float" and \
                right.low <= 0 <= right.high:
            self.source.refuse(divisor, f"the divisor, {range_of(right)}, can be 0")
        if "float" in (left.kind, right.kind) or name in ("Div", "Pow"):
            return self._operate_floats(node, name, left, right)
        if name in ("LShift", "RShift") and not 0 <= right.low <= right.high <= 63:
            self.source.refuse(node, f"a shift by {range_of(right)} bits")
        found = combined(name, left, right)
        if found is None:
            self.source.refuse(node, f"{range_of(left)} {_SIGNS.get(name, name)} "
                                     f"{range_of(right)} can overflow 64 bits ({REMEDY})")
        return found

    def _operate_floats(self, node: ast.AST, name: str, left: Value, right: Value) -> Value:
        integers = [value for value in (left, right) if value.kind != "float"]
        if name not in ("Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow"):
            self.source.refuse(node, f"`{_SIGNS.get(name, name)}` is for integers")
        if len(integers) == 2:
            if name == "Pow":
                self.source.refuse(node, "a power of integers can overflow: write the product")
            if not all(value.is_small for value in integers):
                self.source.refuse(node, "a quotient of integers is rounded twice in C if one of "
                                         f"them can be above {EXACT}")
        constants = [_constant(value) for value in (left, right)]
        if name == "Pow":
            self._check_power(node, left, right)
            if any(constant is not None for constant in constants):
                self.folded.add(node)
        if right.kind == "float" and name in ("Div", "FloorDiv", "Mod") and right.constant == 0:
            self.source.refuse(node, "the divisor is 0")
        return self._computed(node, _PYTHON[name], constants)

    def _check_power(self, node: ast.AST, left: Value, right: Value) -> None:
        whole = right.kind != "float" or (right.constant is not None and
                                          right.constant.is_integer())
        positive = (left.kind == "float" and left.constant is not None and left.constant > 0) or \
            (left.kind != "float" and left.low > 0)
        if not whole and not positive:
            self.source.refuse(node, "a power of a negative float is complex unless the exponent "
                                     "is an integer: write math.pow()")

    def _computed(self, node: ast.AST, function: Any, arguments: List[Any]) -> Value:
        """The result of a function of floats: a constant if all arguments are."""
        if any(argument is None for argument in arguments):
            return FLOAT
        try:
            return known(float(function(*arguments)))
        except (ArithmeticError, ValueError) as error:
            self.source.refuse(node, f"Python raises {type(error).__name__} here: {error}")

    def _compare_value(self, node: ast.Compare, state: State) -> Value:
        values = [self.value(each, state) for each in [node.left, *node.comparators]]
        results = []
        for op, left, right in zip(node.ops, values, values[1:]):
            name = type(op).__name__
            if name not in _COMPARED:
                self.source.refuse(node, f"`{name.lower()}` is not translated")
            integers = [value for value in (left, right) if value.kind != "float"]
            if len(integers) == 1 and not integers[0].is_small:
                self.source.refuse(node, f"{range_of(integers[0])} is rounded in C where it is "
                                         "compared with a float, and not in Python")
            results.append(_compared(name, left, right))
        if False in results:
            return known(False)
        return known(True) if all(results) else BOOL

    def _boolop_value(self, node: ast.BoolOp, state: State) -> Value:
        tests = []
        state = dict(state)
        for each in node.values:
            test = self.value(each, state)
            if test.kind != "bool":
                self.source.refuse(each, "`and` and `or` give one of their operands in Python: "
                                         "only conditions are translated, such as x != 0")
            tests.append(test)
            if test.is_exact and bool(test.low) == isinstance(node.op, ast.Or):
                return test  # Python evaluates no more
            self.assume(each, state, isinstance(node.op, ast.And))
        exact = all(test.is_exact for test in tests)
        return known(isinstance(node.op, ast.And)) if exact else BOOL

    def _ifexp_value(self, node: ast.IfExp, state: State) -> Value:
        test = self.truth(node.test, state)
        if test.is_exact:
            return self.value(node.body if test.low else node.orelse, state)
        one = self.value(node.body, self.assuming(node.test, state, True))
        other = self.value(node.orelse, self.assuming(node.test, state, False))
        if one.kind != other.kind:
            self.source.refuse(node, f"this is {a_kind(one.kind)} or {a_kind(other.kind)}")
        return union(one, other)

    # ---- what conditions tell ----

    def assuming(self, test: ast.expr, state: State, holds: bool) -> State:
        """The state where a condition holds, or does not."""
        made = dict(state)
        self.assume(test, made, holds)
        return made

    def assume(self, test: ast.expr, state: State, holds: bool) -> None:
        """Narrow the ranges of variables by a condition that holds, or does not."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.assume(test.operand, state, not holds)
        elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == holds:
            for each in test.values:
                self.assume(each, state, holds)
        elif isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
            operands = [test.left, *test.comparators]
            for op, left, right in zip(test.ops, operands, operands[1:]):
                name = type(op).__name__
                self._narrow(name if holds else _OPPOSITE[name], left, right, state)

    def _narrow(self, name: str, left: ast.expr, right: ast.expr, state: State) -> None:
        for variable, operator, other in ((left, name, right), (right, _MIRRORED[name], left)):
            if isinstance(variable, ast.Name) and state.get(variable.id, FLOAT).kind == "int":
                bound = self.value(other, state)
                if bound.kind != "float":
                    state[variable.id] = narrowed(operator, state[variable.id], bound)

    # ---- calls ----

    def _call_value(self, node: ast.Call, state: State) -> Value:
        if node.keywords:
            self.source.refuse(node, "arguments with keywords are not translated")
        if self.source.called(node.func) is not None:
            value = self.functions.call(self, node, state)
            if value is None:
                self.source.refuse(node, f"'{ast.unparse(node.func)}' returns no value")
            if self.calls[node].writes:
                self.source.refuse(node, f"'{ast.unparse(node.func)}' changes an array: such a "
                                         "function is called by a statement of its own")
            return value
        name = self.source.math(node.func)
        if name is not None:
            return self._math(node, name, state)
        name = self.source.builtin(node.func)
        method = getattr(self, f"_{name}_call", None)
        if method is None:
            self.source.refuse(node, f"a call of {ast.unparse(node.func)} is not translated")
        return method(node, state)

    def _arguments(self, node: ast.Call, count: int, state: State) -> List[Value]:
        if len(node.args) != count:
            self.source.refuse(node, f"{ast.unparse(node.func)} takes {count} arguments here")
        return [self.value(arg, state) for arg in node.args]

    def _math(self, node: ast.Call, name: str, state: State) -> Value:
        if name in TESTS:
            self._arguments(node, 1, state)
            return BOOL
        if name in _FACTORS:
            (x,) = self._arguments(node, 1, state)
            return self._computed(node, getattr(math, name), [_constant(x)])
        if name in WHOLE:
            self.source.refuse(node, f"math.{name} gives an integer that can overflow: write "
                                     f"float(math.{name}(x))")
        if name not in FUNCTIONS or not hasattr(math, name):
            self.source.refuse(node, f"math.{name} is not translated: C's library has no function "
                                     "that gives the same bits, or the result is no number")
        constants = [_constant(value) for value in self._arguments(node, FUNCTIONS[name], state)]
        some = [constant is not None for constant in constants]
        if name not in ROUNDED_ALIKE and (all(some) or name == "pow" and any(some)):
            self.folded.add(node)
        return self._computed(node, getattr(math, name), constants)

    def _float_call(self, node: ast.Call, state: State) -> Value:
        inner = node.args[0] if len(node.args) == 1 else None
        if isinstance(inner, ast.Call) and self.source.math(inner.func) in WHOLE:
            (x,) = self._arguments(inner, 1, state)
            if x.kind != "float":
                self.source.refuse(inner, "this is an integer already")
            return FLOAT
        (value,) = self._arguments(node, 1, state)
        return self._computed(node, float, [_constant(value)])

    def _int_call(self, node: ast.Call, state: State) -> Value:
        (value,) = self._arguments(node, 1, state)
        if value.kind == "float":
            self.source.refuse(node, "an integer that is made of a float can overflow")
        return integer(value.low, value.high)

    def _bool_call(self, node: ast.Call, state: State) -> Value:
        self._arguments(node, 1, state)
        return self.truth(node.args[0], state)

    def _abs_call(self, node: ast.Call, state: State) -> Value:
        (value,) = self._arguments(node, 1, state)
        if value.kind == "float":
            return self._computed(node, abs, [value.constant])
        ends = sorted((abs(value.low), abs(value.high)))
        if ends[1] >= 2**63:
            self.source.refuse(node, f"the absolute value of {range_of(value)} can overflow")
        return integer(0 if value.low <= 0 <= value.high else ends[0], ends[1])

    def _min_call(self, node: ast.Call, state: State) -> Value:
        return self._extreme(node, state, min)

    def _max_call(self, node: ast.Call, state: State) -> Value:
        return self._extreme(node, state, max)

    def _extreme(self, node: ast.Call, state: State, which: Any) -> Value:
        if len(node.args) < 2:
            self.source.refuse(node, "min and max take two numbers or more")
        values = [self.value(arg, state) for arg in node.args]
        if any(value.kind != values[0].kind for value in values) or values[0].kind == "bool":
            self.source.refuse(node, "min and max take numbers of one type")
        if values[0].kind == "float":
            return self._computed(node, which, [value.constant for value in values])
        return integer(which(value.low for value in values), which(value.high for value in values))


def indices_of(node: ast.Subscript) -> Tuple[ast.expr, List[ast.expr]]:
    """The array and the indices of x[i], x[i, j] or x[i][j]."""
    indices = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(node.value, ast.Subscript):
        base, first = indices_of(node.value)
        return base, first + indices
    return node.value, indices


def _constant(value: Value) -> Optional[float]:
    """The constant that a value is as a float; None: it is none."""
    if value.kind == "float":
        return value.constant
    return float(value.low) if value.is_exact else None


def _compared(name: str, left: Value, right: Value) -> Optional[bool]:
    """The result of a comparison if it is known."""
    if "float" in (left.kind, right.kind):
        constants = [_constant(value) for value in (left, right)]
        return None if None in constants else bool(_COMPARED[name](*constants))
    results = {bool(_COMPARED[name](x, y)) for x in (left.low, left.high)
               for y in (right.low, right.high)}
    if len(results) > 1:
        return None
    if name in ("Eq", "NotEq") and not (left.is_exact and right.is_exact):
        apart = left.high < right.low or right.high < left.low
        return (name == "NotEq") if apart else None
    return results.pop()


def a_kind(kind: str) -> str:
    """A kind with its article."""
    return "an int" if kind == "int" else f"a {kind}"


def range_of(value: Value) -> str:
    """The range of an integer in words."""
    if value.kind == "float":
        return "a float"
    return str(value.low) if value.is_exact else f"a number in [{value.low}, {value.high}]"


def word(node: ast.AST) -> str:
    """The name of a kind of statement or expression."""
    return type(node).__name__.lower()


REMEDY = "op2.array() and op2.number() take `within`"
_SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%",
          "Pow": "**", "LShift": "<<", "RShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^",
          "MatMult": "@"}
_PYTHON = {"Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mult": lambda x, y: x * y,
           "Div": lambda x, y: x / y, "FloorDiv": lambda x, y: x // y, "Mod": lambda x, y: x % y,
           "Pow": lambda x, y: x ** y}
_OPPOSITE = {"Lt": "GtE", "LtE": "Gt", "Gt": "LtE", "GtE": "Lt", "Eq": "NotEq", "NotEq": "Eq"}
_MIRRORED = {"Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE", "Eq": "Eq", "NotEq": "NotEq"}
_COMPARED = {"Lt": lambda x, y: x < y, "LtE": lambda x, y: x <= y, "Gt": lambda x, y: x > y,
             "GtE": lambda x, y: x >= y, "Eq": lambda x, y: x == y, "NotEq": lambda x, y: x != y}

# SPDX-License-Identifier: BSD-3-Clause
"""C text of the expressions of a function that has been analysed."""
from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any, Dict, Set, Tuple

from .expressions import FUNCTIONS, TESTS, WHOLE, indices_of
from .parameters import Array, List, c_type
from .reading import Source
from .values import Value

if TYPE_CHECKING:
    from .analysis import Analysis
    from .functions import Function

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool true false NULL INFINITY NAN HUGE_VAL signbit fpclassify
    isnormal isgreater isless isunordered main j0 j1 jn y0 y1 yn gamma lgamma tgamma
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t""".split()
_RESERVED = {*_KEYWORDS, *FUNCTIONS, *TESTS, *WHOLE}

#: Functions of C that compute what operators and functions of Python do, by their names.
HELPERS = {
    "python_floor_div": """
static int64_t python_floor_div(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}""",
    "python_mod": """
static int64_t python_mod(int64_t a, int64_t b) {
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}""",
    "python_fmod": """
static double python_fmod(double a, double b) {
  double rest = fmod(a, b);
  if (rest == 0) return copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}""",
    "python_ffloor_div": """
static double python_ffloor_div(double a, double b) {
  double rest = fmod(a, b), quotient = (a - rest) / b, whole;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1.0;
  if (quotient == 0) return copysign(0.0, a / b);
  whole = floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}""",
    "python_min": "static double python_min(double a, double b) { return b < a ? b : a; }",
    "python_max": "static double python_max(double a, double b) { return b > a ? b : a; }",
    "python_imin": "static int64_t python_imin(int64_t a, int64_t b) { return b < a ? b : a; }",
    "python_imax": "static int64_t python_imax(int64_t a, int64_t b) { return b > a ? b : a; }",
    "python_iabs": "static int64_t python_iabs(int64_t a) { return a < 0 ? -a : a; }",
}


def _unfolded(name: str) -> str:
    """A function of C's library that no compiler computes at compile time."""
    names = "ab"[:FUNCTIONS[name]]
    copies = ", ".join(f"{each}_ = {each}" for each in names)
    return (f"static double python_{name}({', '.join('double ' + each for each in names)}) {{\n"
            f"  volatile double {copies};\n"
            f"  return {name}({', '.join(each + '_' for each in names)});\n}}")


def int_type(value: Value) -> str:
    return "int" if -2**31 <= value.low and value.high < 2**31 else "int64_t"


def number_text(value: Any) -> str:
    """A number of Python's in C."""
    if isinstance(value, float):
        if math.isnan(value):
            return "NAN"
        return repr(value) if math.isfinite(value) else ("-" if value < 0 else "") + "INFINITY"
    if -2**31 < value < 2**31:
        return str(int(value))
    return f"{value}L" if value > -2**63 else "(-9223372036854775807L - 1)"


# How tightly operators bind, so that only parentheses that change the meaning are written.
_BINDING = {"Add": 4, "Sub": 4, "Mult": 5, "Div": 5}
C_SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "BitAnd": "&", "BitOr": "|",
            "BitXor": "^", "LShift": "<<", "RShift": ">>", "FloorDiv": "/", "Mod": "%"}
_COMPARISONS = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}
_COMPARE, UNARY, _PRIMARY = 2, 6, 9


class Texts:
    """C text of expressions."""

    def __init__(self, source: Source, analysis: "Analysis", reserved: Set[str],
                 helpers: Dict[str, str]):
        self.source, self.analysis = source, analysis
        self._reserved, self._helpers = reserved, helpers
        self._own: Dict[str, str] = {}

    def _name(self, name: str) -> str:
        """A name in C for one in Python."""
        if name not in self._own:
            taken = name in _RESERVED or name.startswith(("python_", "M_", "FP_", "op2", "_")) or \
                name in self._reserved or not name.isascii()
            plain = "".join(char if char.isascii() else f"u{ord(char):x}" for char in name)
            made = f"py_{plain}" if taken else name
            while made in self._own.values():
                made += "_"
            self._own[name] = made
        return self._own[name]

    def _variable_type(self, name: str) -> str:
        value = self.analysis.variables[name]
        return "double" if value.kind == "float" else int_type(value)

    @staticmethod
    def _always(test: Value) -> bool:
        if test.kind == "float":
            return test.constant is not None and bool(test.constant)
        return test.low > 0 or test.high < 0

    @staticmethod
    def _never(test: Value) -> bool:
        return test.constant == 0 if test.kind == "float" else test.low == test.high == 0

    def _target(self, node: ast.expr) -> str:
        return self._name(node.id) if isinstance(node, ast.Name) else self._element(node)

    def _element(self, node: Any) -> str:
        base, indices = indices_of(node)
        constant = self.analysis.constants.get(base.id)  # type: ignore[attr-defined]
        name = str(constant.name) if constant else self._name(base.id)  # type: ignore
        return name + "".join(f"[{self._expression(index)}]" for index in indices)

    def _expression(self, node: Any) -> str:
        return self._bound(node)[0]

    def _operand(self, node: ast.expr, binding: int) -> str:
        """An operand of an operator that binds so tightly."""
        text, own = self._bound(node)
        return text if own >= binding else f"({text})"

    def _bound(self, node: ast.expr) -> Tuple[str, int]:
        """The text of an expression, and how tightly its operator binds."""
        return getattr(self, "_" + type(node).__name__.lower() + "_text")(node)

    def _truth(self, node: ast.expr) -> str:
        if self.analysis.values[node].kind == "bool":
            return self._expression(node)
        return f"{self._operand(node, _COMPARE + 1)} != 0"

    def _constant_text(self, node: ast.Constant) -> Tuple[str, int]:
        return self._literal_text(node.value)

    def _literal_text(self, value: Any) -> Tuple[str, int]:
        text = number_text(value)
        return text, UNARY if text.startswith("-") else _PRIMARY

    def _name_text(self, node: ast.Name) -> Tuple[str, int]:
        name = node.id
        if name in self.source.parameters:
            return self._read(self._name(name), self.source.parameters[name].dtype)
        if self.source.is_local(name):
            return self._name(name), _PRIMARY
        found = self.source.outside(node)
        if name in self.analysis.constants:
            return self._read(found.name, found.dtype)
        return self._literal_text(found)

    @staticmethod
    def _read(text: str, dtype: Any) -> Tuple[str, int]:
        """An element of this type as a double or a signed integer."""
        if dtype.str[1:] == "f4":
            return f"(double){text}", UNARY
        return (f"(int64_t){text}", UNARY) if dtype.str[1:] in ("u4", "u8") else (text, _PRIMARY)

    def _attribute_text(self, node: ast.Attribute) -> Tuple[str, int]:
        return self._literal_text(getattr(math, node.attr))

    def _subscript_text(self, node: ast.Subscript) -> Tuple[str, int]:
        name = indices_of(node)[0].id  # type: ignore[attr-defined]
        what = self.source.parameters.get(name) or self.analysis.constants.get(name)
        text = self._element(node)
        return (text, _PRIMARY) if what is None else self._read(text, what.dtype)

    def _unaryop_text(self, node: ast.UnaryOp) -> Tuple[str, int]:
        if isinstance(node.op, ast.Not):
            test = self._truth(node.operand)
            return f"!({test})", UNARY
        if isinstance(node.op, ast.UAdd):
            return self._bound(node.operand)
        operand = self._operand(node.operand, UNARY + 1)
        if self._needs_64_bits(node, node.operand):
            operand = f"(int64_t){operand}"
        return ("-" if isinstance(node.op, ast.USub) else "~") + operand, UNARY

    def _needs_64_bits(self, node: ast.AST, operand: ast.expr) -> bool:
        value = self.analysis.values[node]
        return value.kind == "int" and int_type(value) != "int" and \
            self._c_int(operand) == "int"

    def _c_int(self, node: ast.expr) -> str:
        """The C type of an integer expression, or a wider one than it has."""
        if isinstance(node, ast.Name) and node.id in self.analysis.variables:
            return self._variable_type(node.id)
        return int_type(self.analysis.values[node])

    def _binop_text(self, node: ast.BinOp) -> Tuple[str, int]:
        return self._operation(node, type(node.op).__name__, node.left, node.right)

    def _operation(self, node: ast.AST, name: str, left: ast.expr,
                   right: ast.expr) -> Tuple[str, int]:
        floats = self.analysis.values[node].kind == "float"
        if name == "Pow":
            function = self._library(node, "pow")
            return f"{function}({self._expression(left)}, {self._expression(right)})", _PRIMARY
        if name in ("FloorDiv", "Mod"):
            return self._division(name, floats, left, right)
        binding = _BINDING.get(name, 3)
        strict = 0 if name in _BINDING else 1  # others than these are always in parentheses
        one = self._operand(left, UNARY if strict else binding)
        other = self._operand(right, UNARY if strict else binding + 1)
        integers = all(self.analysis.values[each].kind != "float" for each in (left, right))
        if name == "Div" and integers:
            one = f"(double){self._operand(left, UNARY)}"
        elif not floats and (name == "LShift" or self._widens(node, left, right)):
            one = f"(int64_t){self._operand(left, UNARY)}"
        return f"{one} {C_SIGNS[name]} {other}", binding

    def _widens(self, node: ast.AST, left: ast.expr, right: ast.expr) -> bool:
        """True if the result needs 64 bits and no operand has them."""
        return int_type(self.analysis.values[node]) != "int" and \
            self._c_int(left) == self._c_int(right) == "int"

    def _division(self, name: str, floats: bool, left: ast.expr,
                  right: ast.expr) -> Tuple[str, int]:
        values = [self.analysis.values[each] for each in (left, right)]
        if not floats and all(value.low >= 0 for value in values):
            sign = C_SIGNS[name]
            return f"{self._operand(left, 5)} {sign} {self._operand(right, 6)}", 5
        helper = {("FloorDiv", False): "python_floor_div", ("Mod", False): "python_mod",
                  ("FloorDiv", True): "python_ffloor_div", ("Mod", True): "python_fmod"}
        function = self._helper(helper[name, floats])
        return f"{function}({self._expression(left)}, {self._expression(right)})", _PRIMARY

    def _compare_text(self, node: ast.Compare) -> Tuple[str, int]:
        operands = [node.left, *node.comparators]
        parts = [f"{self._operand(a, _COMPARE + 1)} {_COMPARISONS[type(op).__name__]} "
                 f"{self._operand(b, _COMPARE + 1)}"
                 for op, a, b in zip(node.ops, operands, operands[1:])]
        if len(parts) == 1:
            return parts[0], _COMPARE
        return "(" + " && ".join(parts) + ")", _PRIMARY

    def _boolop_text(self, node: ast.BoolOp) -> Tuple[str, int]:
        sign = " && " if isinstance(node.op, ast.And) else " || "
        parts = [self._operand(each, _COMPARE) for each in node.values
                 if each in self.analysis.values]
        return "(" + sign.join(parts) + ")", _PRIMARY

    def _ifexp_text(self, node: ast.IfExp) -> Tuple[str, int]:
        test = self.analysis.values[node.test]
        if self._always(test) or self._never(test):
            return self._bound(node.body if self._always(test) else node.orelse)
        return (f"({self._truth(node.test)} ? {self._operand(node.body, 3)} : "
                f"{self._operand(node.orelse, 3)})"), _PRIMARY

    # ---- calls ----

    def _helper(self, name: str) -> str:
        self._helpers.setdefault(name, HELPERS[name])
        return name

    def _library(self, node: ast.AST, name: str) -> str:
        """The function of C's library, or one that calls it with what no compiler knows."""
        if node not in self.analysis.folded:
            return name
        self._helpers.setdefault("python_" + name, _unfolded(name))
        return "python_" + name

    def _call_text(self, node: ast.Call) -> Tuple[str, int]:
        function = self.analysis.calls.get(node)
        if function is not None:
            given = [self._given(function, *each)
                     for each in zip(function.source.parameters, node.args)]
            return f"{function.name}({', '.join(given)})", _PRIMARY
        name = self.source.math(node.func)
        if name is None:
            builtin = self.source.builtin(node.func)
            return getattr(self, f"_{builtin}_text")(node)
        arguments = ", ".join(self._expression(arg) for arg in node.args)
        if name in ("radians", "degrees"):
            factor = math.pi / 180.0 if name == "radians" else 180.0 / math.pi
            return f"{self._operand(node.args[0], 5)} * {factor!r}", 5
        if name in TESTS:
            return f"({name}((double){self._operand(node.args[0], UNARY)}) != 0)", _PRIMARY
        return f"{self._library(node, name)}({arguments})", _PRIMARY

    def _given(self, function: "Function", name: str, arg: ast.expr) -> str:
        """What a function gets for one of its parameters."""
        what = function.source.parameters[name]
        if not isinstance(what, (Array, List)):
            return self._expression(arg)
        own = self._name(arg.id)  # type: ignore[attr-defined]
        const = name not in function.analysis.written
        if isinstance(what, Array) and len(what.extents) == 2 and const and \
                arg.id in self.analysis.written:  # type: ignore[attr-defined]
            # C does not make pointers to constant pointers or arrays of others by itself.
            pointer = "**" if what.slots else f"(*)[{what.extents[1]}]"
            return f"(const {c_type(what.dtype)} {pointer}){own}"
        return own

    def _float_text(self, node: ast.Call) -> Tuple[str, int]:
        arg = node.args[0]
        if isinstance(arg, ast.Call) and self.source.math(arg.func) in WHOLE:
            # Integers have no negative zero; adding 0.0 makes it positive.
            name = self.source.math(arg.func)
            return f"{name}({self._expression(arg.args[0])}) + 0.0", 4
        return f"(double){self._operand(arg, UNARY)}", UNARY

    def _int_text(self, node: ast.Call) -> Tuple[str, int]:
        return self._bound(node.args[0])

    def _bool_text(self, node: ast.Call) -> Tuple[str, int]:
        return f"({self._truth(node.args[0])})", _PRIMARY

    def _abs_text(self, node: ast.Call) -> Tuple[str, int]:
        floats = self.analysis.values[node].kind == "float"
        function = "fabs" if floats else self._helper("python_iabs")
        return f"{function}({self._expression(node.args[0])})", _PRIMARY

    def _min_text(self, node: ast.Call) -> Tuple[str, int]:
        return self._extreme(node, "min")

    def _max_text(self, node: ast.Call) -> Tuple[str, int]:
        return self._extreme(node, "max")

    def _extreme(self, node: ast.Call, name: str) -> Tuple[str, int]:
        kind = "" if self.analysis.values[node].kind == "float" else "i"
        function = self._helper(f"python_{kind}{name}")
        text = self._expression(node.args[0])
        for arg in node.args[1:]:
            text = f"{function}({text}, {self._expression(arg)})"
        return text, _PRIMARY

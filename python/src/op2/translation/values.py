# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a value while a function is analysed: its kind, the range of an integer, and
floats that are constants."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

LEAST, GREATEST = -2**63, 2**63 - 1
#: Integers up to this are floats without rounding.
EXACT = 2**53


class Value(NamedTuple):
    """A float, an int or a bool. Floats have a constant or None, the others a range."""

    kind: str
    low: int = 0
    high: int = 0
    constant: Optional[float] = None

    @property
    def is_exact(self) -> bool:
        """True if an integer has one possible value."""
        return self.kind != "float" and self.low == self.high

    @property
    def is_small(self) -> bool:
        """True if an integer is a float without rounding."""
        return -EXACT <= self.low and self.high <= EXACT


FLOAT = Value("float")
BOOL = Value("bool", 0, 1)


def integer(low: int, high: int) -> Value:
    """An integer in a range."""
    return Value("int", low, high)


def known(given: Any) -> Value:
    """A constant of Python's."""
    if isinstance(given, bool):
        return Value("bool", int(given), int(given))
    return Value("float", constant=given) if isinstance(given, float) else integer(given, given)


def union(a: Value, b: Value) -> Value:
    """What is known of a value that is one of two of a kind."""
    if a.kind == "float":
        same = repr(a.constant) == repr(b.constant)  # tells -0.0 from 0.0
        return a if same else FLOAT
    return Value(a.kind, min(a.low, b.low), max(a.high, b.high))


def narrowed(operator: str, value: Value, bound: Value) -> Value:
    """An integer of which a comparison with another one holds; as it is if it cannot hold."""
    low, high = value.low, value.high
    if operator in ("Lt", "LtE", "Eq"):
        high = min(high, bound.high - (operator == "Lt"))
    if operator in ("Gt", "GtE", "Eq"):
        low = max(low, bound.low + (operator == "Gt"))
    if operator == "NotEq" and bound.is_exact:
        low, high = low + (low == bound.low), high - (high == bound.low)
    return value._replace(low=low, high=high) if low <= high else value


def widened(old: Value, new: Value) -> Value:
    """An integer whose range has grown and may go on growing."""
    if old.kind == "float":
        return new
    return new._replace(low=new.low if new.low == old.low else LEAST,
                        high=new.high if new.high == old.high else GREATEST)


def _corners(a: Value, b: Value, operation: Any) -> Tuple[int, int]:
    values = [operation(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(values), max(values)


def _divisors(b: Value) -> list:
    """The divisors at which a quotient can be least or greatest."""
    return [d for d in (b.low, b.high, -1, 1) if d and b.low <= d <= b.high]


def _floor_divided(a: Value, b: Value) -> Tuple[int, int]:
    values = [x // d for x in (a.low, a.high) for d in _divisors(b)]
    return min(values), max(values)


def _remainder(a: Value, b: Value) -> Tuple[int, int]:
    return (min(0, b.low + 1) if b.low < 0 else 0), (max(0, b.high - 1) if b.high > 0 else 0)


def _bits(a: Value, b: Value) -> Tuple[int, int]:
    bits = max(abs(end).bit_length() for end in (a.low, a.high, b.low, b.high))
    return (0 if min(a.low, b.low) >= 0 else -2**bits), 2**bits - 1


_RANGES = {
    "Add": lambda a, b: (a.low + b.low, a.high + b.high),
    "Sub": lambda a, b: (a.low - b.high, a.high - b.low),
    "Mult": lambda a, b: _corners(a, b, lambda x, y: x * y),
    "FloorDiv": _floor_divided,
    "Mod": _remainder,
    "LShift": lambda a, b: _corners(a, b, lambda x, y: x << y),
    "RShift": lambda a, b: _corners(a, b, lambda x, y: x >> y),
    "BitAnd": _bits,
    "BitOr": _bits,
    "BitXor": _bits,
}


def combined(operator: str, a: Value, b: Value) -> Optional[Value]:
    """The range of an operation on two integers; None: it does not fit into 64 bits, or there is no
    such operation."""
    if a.is_exact and b.is_exact and operator in ("Mod", "BitAnd", "BitOr", "BitXor"):
        exact = {"Mod": lambda x, y: x % y, "BitAnd": lambda x, y: x & y,
                 "BitOr": lambda x, y: x | y, "BitXor": lambda x, y: x ^ y}[operator]
        return integer(exact(a.low, b.low), exact(a.low, b.low))
    if operator not in _RANGES:
        return None
    low, high = _RANGES[operator](a, b)
    return integer(low, high) if LEAST <= low and high <= GREATEST else None

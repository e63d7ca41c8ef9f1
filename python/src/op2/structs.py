# SPDX-License-Identifier: BSD-3-Clause
"""C structures: options that are filled in from keywords, and results as named tuples.

The names are those of the headers, so a new field needs nothing here.
"""
from __future__ import annotations

from collections import namedtuple
from typing import Any, Dict, List, Tuple

from ._native import ffi
from .errors import OptionError, text


def fields(name: str, of: Any = ffi) -> Dict[str, Any]:
    """The fields of a structure by name, without those that are reserved. `of` has the declarations
    of the library that the structure is of."""
    found = of.typeof(name).fields
    return {key: field for key, field in found if not key.startswith("reserved")}


def _number(kind, key: str, value: Any) -> int:
    """The value of an enumeration by the last part of its name, in any case."""
    if not isinstance(value, str):
        return int(value)
    for name, number in kind.relements.items():
        if name.endswith("_" + value.upper()):
            return number
    names = ", ".join(name.split("_", 2)[-1].lower() for name in kind.relements)
    raise OptionError(f"{key} is '{value}', and is one of {names}")


def fill(name: str, given: Dict[str, Any], of: Any = ffi) -> Tuple[Any, List[Any]]:
    """A structure with these fields, and what has to be kept as long as it is used."""
    known, kept = fields(name, of), []
    made = of.new(name + " *")
    for key, value in given.items():
        if key not in known:
            raise OptionError(f"there is no option '{key}'; there are {', '.join(known)}")
        if value is None:
            continue
        kind = known[key].type
        if kind is ffi.typeof("const char *"):
            value = ffi.new("char[]", str(value).encode())
            kept.append(value)
        elif kind.kind == "enum":
            value = _number(kind, key, value)
        setattr(made, key, value)
    return made, kept


def result(title: str, name: str, of: Any = ffi) -> Any:
    """A class of named tuples with the fields of a structure."""
    return namedtuple(title, list(fields(name, of)))


def read(kind: Any, made: Any) -> Any:
    """A structure as a tuple of this class, with strings for pointers to characters."""
    values = []
    for key in kind._fields:
        value = getattr(made, key)
        is_text = isinstance(value, ffi.CData) and ffi.typeof(value) is ffi.typeof("const char *")
        values.append(text(value) if is_text else value)
    return kind(*values)

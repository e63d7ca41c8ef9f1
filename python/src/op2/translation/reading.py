# SPDX-License-Identifier: BSD-3-Clause
"""The text of a function, its parameters, and the names that it uses from outside."""
from __future__ import annotations

import ast
import inspect
import math
import textwrap
from types import FunctionType
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

from ..errors import KernelSyntaxError
from .parameters import Array, Number, Parameter, number


class Source:
    """A function that is to be translated: a kernel, whose annotations say what its parameters are,
    or a function that a kernel calls, with what it gets there."""

    def __init__(self, function: Callable[..., Any], caller: Optional["Source"] = None,
                 given: Sequence[Parameter] = ()):
        self.name = getattr(function, "__name__", "?")
        self._kernel: str = caller._kernel if caller else f"kernel '{self.name}'"
        self._what = f"{self._kernel}, function '{self.name}'" if caller else self._kernel
        self.file, self.line = "?", 0
        if not isinstance(function, FunctionType):
            self.refuse(None, "only functions that are written in Python are translated")
        self.function = function
        self.file = function.__code__.co_filename
        self.line = function.__code__.co_firstlineno
        self._outside = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
        self.tree = self._parse()
        self.parameters = self._given(given) if caller else self._parameters()

    def refuse(self, node: Any, why: str) -> NoReturn:
        """Raise the exception for something that is not translated."""
        line = getattr(node, "lineno", self.line)
        error = KernelSyntaxError(f"{self.file}:{line}: {self._what}: {why}")
        error.file, error.line = self.file, line
        raise error

    def _parse(self) -> ast.FunctionDef:
        try:
            text = textwrap.dedent(inspect.getsource(self.function))
            tree = ast.increment_lineno(ast.parse(text), self.line - 1).body[0]
        except (OSError, SyntaxError) as error:
            self.refuse(None, f"its text cannot be read: {error}")
        if not isinstance(tree, ast.FunctionDef):
            self.refuse(None, "only functions that are defined by `def` are translated")
        return tree

    def _names(self) -> List[ast.arg]:
        args = self.tree.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
            self.refuse(self.tree, "its parameters are translated without defaults, *, or **")
        return args.posonlyargs + args.args

    def _given(self, given: Sequence[Parameter]) -> Dict[str, Parameter]:
        names = self._names()
        if len(names) != len(given):
            self.refuse(self.tree, f"it has {len(names)} parameters, and gets {len(given)}")
        return {arg.arg: what for arg, what in zip(names, given)}

    def _parameters(self) -> Dict[str, Parameter]:
        found = {}
        for arg in self._names():
            if arg.annotation is None:
                self.refuse(arg, f"parameter '{arg.arg}' has no annotation, such as "
                                 'op2.array("f8") or float')
            found[arg.arg] = self._parameter(arg)
        if not found:
            self.refuse(self.tree, "it has no parameters")
        return found

    def _parameter(self, arg: ast.arg) -> Parameter:
        given = self.function.__annotations__[arg.arg]
        if isinstance(given, str):  # from __future__ import annotations
            given = eval(given, self._outside)
        given = {float: number("f8"), int: number("i8")}.get(given, given) \
            if isinstance(given, type) else given
        if not isinstance(given, (Array, Number)):
            self.refuse(arg, f"parameter '{arg.arg}': {given!r} is not an annotation of kernels: "
                             'these are float, int, op2.number(...) and op2.array(...)')
        return given

    def outside(self, node: ast.Name) -> Any:
        """The object that a name outside the function stands for now."""
        if node.id not in self._outside:
            self.refuse(node, f"'{node.id}' is not known here")
        return self._outside[node.id]

    def math(self, node: ast.expr) -> Any:
        """The member of the module math that an expression like math.sin names; else None."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if self.is_local(node.value.id) or self.outside(node.value) is not math:
                return None
            return node.attr
        if isinstance(node, ast.Name) and not self.is_local(node.id):
            found = self._outside.get(node.id)
            name = getattr(found, "__name__", None)
            if name is not None and getattr(math, name, None) is found:
                return name
        return None

    def called(self, node: ast.expr) -> Optional[FunctionType]:
        """The function of Python that an expression stands for; else None."""
        if not isinstance(node, ast.Name) or self.is_local(node.id):
            return None
        found = self._outside.get(node.id)
        return found if isinstance(found, FunctionType) else None

    def builtin(self, node: ast.expr) -> Any:
        """The name of the built-in function that an expression stands for; else None."""
        if not isinstance(node, ast.Name) or self.is_local(node.id) or node.id in self._outside:
            return None
        return node.id

    def is_local(self, name: str) -> bool:
        return name in self.function.__code__.co_varnames


def numbers_in(table: Any) -> Tuple[Tuple[int, ...], list]:
    """The extents of a table of numbers, and its rows one after the other; no extents: no table."""
    if not isinstance(table, (tuple, list)) or not table:
        return (), []
    if all(type(item) in (int, float) for item in table):
        return (len(table),), list(table)
    rows = [numbers_in(item) for item in table]
    if any(len(extents) != 1 or extents != rows[0][0] for extents, _ in rows):
        return (), []
    return (len(table), rows[0][0][0]), [value for _, row in rows for value in row]

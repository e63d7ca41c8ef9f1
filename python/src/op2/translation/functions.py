# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python that a kernel calls, which are translated as well."""
from __future__ import annotations

import ast
from types import FunctionType
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from .expressions import Expressions, State, Table
from .parameters import Array, List as ListParameter, Parameter, of_kind
from .reading import Source
from .values import FLOAT, Value, union

if TYPE_CHECKING:
    from .analysis import Analysis

#: What a function gets: a number, or an array or list by its name.
Given = Union[Value, Tuple[str, Union[Array, Table]]]


class Function:
    """A function for parameters of certain kinds. Its body is analysed at each call, with the
    ranges that it gets there, and what is found is united."""

    def __init__(self, name: str, source: Source, analysis: "Analysis"):
        #: Its name in C.
        self.name = name
        self.source, self.analysis = source, analysis
        #: What it returns; None: no value.
        self.value: Optional[Value] = None

    @property
    def writes(self) -> bool:
        """True if it changes an array that it is given."""
        return any(name in self.analysis.written for name in self.source.parameters)

    def call(self, given: List[Given]) -> Optional[Value]:
        """What it returns for these values."""
        analysis, state = self.analysis, {}  # type: ignore[var-annotated]
        analysis.beyond.clear()
        for name, what in zip(self.source.parameters, given):
            if isinstance(what, Value):
                old = analysis.variables.get(name, what)
                analysis.variables[name] = union(old, what)
                state[name] = what
            elif isinstance(what[1], Array):
                self.source.parameters[name] = what[1]
            else:
                analysis.lists[name] = what[1]
                analysis.elements[name] = state[name] = FLOAT
        value = analysis.execute(state)
        if value is not None:
            self.value = value if self.value is None else union(self.value, value)
        return value


class Functions:
    """The functions that a kernel calls, those that they call, and so on."""

    def __init__(self, kernel: FunctionType):
        #: Each function behind those that it calls.
        self.made: List[Function] = []
        #: The visits of expressions and statements, in all functions.
        self.visits = 0
        self._known: Dict[Any, Function] = {}
        self._active = [kernel]

    def is_kernel(self, analysis: Expressions) -> bool:
        """True for the kernel itself."""
        return all(each.analysis is not analysis for each in self._known.values())

    def call(self, caller: Expressions, node: ast.Call, state: State) -> Optional[Value]:
        """What a call returns; None: no value."""
        called = caller.source.called(node.func)
        assert called is not None
        if called in self._active:
            caller.source.refuse(node, f"'{called.__name__}' calls itself")
        given = [self._given(caller, arg, state) for arg in node.args]
        function = caller.calls[node] = self._function(caller, called, given)
        self._active.append(called)
        value = function.call(given)
        self._active.pop()
        if function not in self.made:
            self.made.append(function)
        self._changed(caller, function, given, state)
        return value

    @staticmethod
    def _given(caller: Expressions, arg: ast.expr, state: State) -> Given:
        if not isinstance(arg, ast.Name):
            return caller.value(arg, state)
        name = arg.id
        parameter = caller.source.parameters.get(name)
        if isinstance(parameter, Array):
            return name, caller.promised(name, parameter)
        if name not in caller.lists:
            return caller.value(arg, state)
        if name not in state:
            caller.source.refuse(arg, f"list '{name}' may have no value here")
        if caller.lists[name].kind != "float":
            caller.source.refuse(arg, f"'{name}' is a list of integers: a function gets arrays of "
                                      "the kernel's, and lists of floats")
        return name, caller.lists[name]

    def _function(self, caller: Expressions, called: FunctionType,
                  given: List[Given]) -> Function:
        from .analysis import Analysis
        key = (called, *[_kind(each) for each in given])
        if key not in self._known:
            source = Source(called, caller.source, [_parameter(each) for each in given])
            plain = "".join(char if char.isascii() else f"u{ord(char):x}" for char in source.name)
            number = sum(each.source.name == source.name for each in self._known.values())
            name = f"python_def_{plain}" + (f"_{number + 1}" if number else "")
            self._known[key] = Function(name, source, Analysis(source, self))
        return self._known[key]

    @staticmethod
    def _changed(caller: Expressions, function: Function, given: List[Given],
                 state: State) -> None:
        """Note which arrays of the caller the function has changed."""
        for name, what in zip(function.source.parameters, given):
            if isinstance(what, Value):
                continue
            if name in function.analysis.written:
                caller.written.add(what[0])
            if name in function.analysis.beyond:
                caller.beyond.add(what[0])


def _kind(given: Given) -> Any:
    if isinstance(given, Value):
        return given.kind
    what = given[1]
    if isinstance(what, Table):
        return "list", what.extents
    return "array", what.dtype.str, what.extents, what.slots


def _parameter(given: Given) -> Parameter:
    if isinstance(given, Value):
        return of_kind(given.kind)
    return ListParameter(given[1].extents[0]) if isinstance(given[1], Table) else given[1]

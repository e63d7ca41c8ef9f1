# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of a function: the kinds of its values, and what could differ from CPython.

The function is executed with ranges in place of numbers. Loops over range() have constant trip
counts, so their bodies are executed as often as they will be, and the ranges of integers are
narrow; those that depend on data are executed until nothing more is learnt. What is found at each
visit of an expression is united for the emission of C.
"""
from __future__ import annotations

import ast
from typing import Dict, List, Optional, Tuple

from .control import Control
from .expressions import REMEDY, State, Table, a_kind, range_of
from .functions import Functions
from .parameters import Array, Parameter
from .reading import Source
from .values import Value, union


class Analysis(Control):
    """What the emission of C needs to know."""

    def __init__(self, source: Source, functions: Functions):
        super().__init__(source, functions)
        #: The kind of each variable, and the range of all its values.
        self.variables: Dict[str, Value] = {}

    def of_kernel(self) -> "Analysis":
        """Analyse a kernel."""
        state = {name: self._of_parameter(what) for name, what in self.source.parameters.items()
                 if not isinstance(what, Array)}
        self.variables.update(state)
        self.execute(state)
        return self

    def execute(self, state: State) -> Optional[Value]:
        """Execute the function; returns its value, or None if it has none."""
        self.returned.clear()
        goes_on = self.block(self.source.tree.body, state)
        if goes_on and any(value is not None for value in self.returned):
            self.source.refuse(self.source.tree, "it may end without a value")
        found: Optional[Value] = None
        for value in self.returned:
            found = value if found is None or value is None else union(found, value)
        return found

    # ---- statements ----

    def _pass(self, node: ast.Pass, state: State) -> None:
        pass

    def _expr(self, node: ast.Expr, state: State) -> None:
        call = node.value
        if isinstance(call, ast.Call) and not call.keywords and \
                self.source.called(call.func) is not None:
            self.functions.call(self, call, state)
        elif not isinstance(call, ast.Constant):
            self.source.refuse(node, "an expression without effect is not translated")

    def _assign(self, node: ast.Assign, state: State) -> None:
        targets = node.targets
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and _is_list(node.value):
            self._make_list(targets[0], node.value, state)
        elif len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            self._assign_several(targets[0], node.value, state)
        else:
            value = self.value(node.value, state)
            for target in targets:
                self._store(target, value, state)

    def _assign_several(self, target: ast.Tuple, value: ast.expr, state: State) -> None:
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            self.source.refuse(target, "only as many values are assigned to several variables, "
                                       "as in `a, b = b, a`")
        values = [self.value(each, state) for each in value.elts]
        for each, found in zip(target.elts, values):
            if not isinstance(each, ast.Name):
                self.source.refuse(each, "of several targets, all are variables")
            self._store(each, found, state)

    def _annassign(self, node: ast.AnnAssign, state: State) -> None:
        if node.value is None:
            self.source.refuse(node, "a variable gets a value where it is declared")
        self._store(node.target, self.value(node.value, state), state)

    def _augassign(self, node: ast.AugAssign, state: State) -> None:
        old = self.value(node.target, state)
        new = self._operate(node, node.op, old, self.value(node.value, state), node.value)
        self._record(node, new)
        self._store(node.target, new, state)

    def _store(self, target: ast.expr, value: Value, state: State) -> None:
        if isinstance(target, ast.Name):
            self._store_variable(target, value, state)
        elif isinstance(target, ast.Subscript):
            self._store_element(target, value, state)
        else:
            self.source.refuse(target, "only variables and elements of arrays are assigned to")

    def _store_variable(self, target: ast.Name, value: Value, state: State) -> None:
        name = target.id
        if name in self.lists or isinstance(self.source.parameters.get(name), Array):
            self.source.refuse(target, f"'{name}' is an array, and cannot become anything else")
        parameter = self.source.parameters.get(name)
        if parameter is not None and parameter.dtype.str[1:] not in ("f8", "i8"):
            self.source.refuse(target, f"parameter '{name}' is of {parameter.dtype}, and keeps its "
                                       "value: write another variable")
        old = self.variables.get(name)
        if old is not None and old.kind != value.kind:
            self.source.refuse(target, f"variable '{name}' was {a_kind(old.kind)} and becomes "
                                       f"{a_kind(value.kind)}: a variable keeps its type")
        self.variables[name] = value if old is None else union(old, value)
        state[name] = value

    def _store_element(self, target: ast.Subscript, value: Value, state: State) -> None:
        name, what = self._array(target, state)
        if isinstance(what, Table):
            if what.values is not None:
                self.source.refuse(target, f"'{name}' is outside the function and is not changed")
            if what.kind != value.kind:
                self.source.refuse(target, f"{a_kind(value.kind)} does not go into '{name}', a "
                                           f"list of {what.kind}s")
            if name not in state:
                self.source.refuse(target, f"list '{name}' may have no value here")
            self.elements[name] = union(self.elements[name], value)
            state[name] = union(state[name], value)
            self.written.add(name)
            return
        if not isinstance(what, Array):
            self.source.refuse(target, f"'{name}' is a constant and is not changed")
        if what.kind == "int":
            limits = Parameter(what.dtype, None).range or (0, 0)
            if value.kind == "float":
                self.source.refuse(target, f"a float does not go into '{name}', of {what.dtype}")
            if value.low < limits[0] or value.high > limits[1]:
                self.source.refuse(target, f"{range_of(value)} can be too large for '{name}', of "
                                           f"{what.dtype} ({REMEDY})")
            if what.range is None or not what.range[0] <= value.low <= value.high <= what.range[1]:
                self.beyond.add(name)
        self.written.add(name)

    def _make_list(self, target: ast.Name, value: ast.expr, state: State) -> None:
        items, times = _is_list(value) or ([], None)
        count = 1 if times is None else self._exact(times, state, "the length of a list")
        values = [self.value(item, state) for item in items]
        if not values or count < 1:
            self.source.refuse(value, "a list has at least one element")
        if any(each.kind != values[0].kind for each in values):
            self.source.refuse(value, "the elements of a list are of one type")
        made = Table(values[0].kind, (count * len(values),), None)
        if target.id in self.variables or target.id in self.source.parameters or \
                self.lists.get(target.id, made) != made:
            self.source.refuse(target, f"'{target.id}' keeps its type and length")
        self.lists[target.id] = made
        state[target.id] = values[0]
        for each in values:
            state[target.id] = union(state[target.id], each)
            self.elements[target.id] = union(self.elements.get(target.id, each), each)


def _is_list(node: ast.expr) -> Optional[Tuple[List[ast.expr], Optional[ast.expr]]]:
    """The items of [a, b] or [a] * n, and n or None; None: no list."""
    if isinstance(node, ast.List):
        return node.elts, None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and \
            isinstance(node.left, ast.List):
        return node.left.elts, node.right
    return None

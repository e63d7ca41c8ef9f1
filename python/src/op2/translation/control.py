# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of what directs the execution: conditions, loops, and the ends of functions."""
from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Set, Tuple

from .expressions import Expressions, State, a_kind, word
from .reading import Source
from .values import Value, integer, union, widened

if TYPE_CHECKING:
    from .functions import Functions

#: Passes through the body of a `while` after which ranges that still grow become unlimited, and
#: after which it is refused.
WIDEN, MOST = 30, 60


class _Loop(NamedTuple):
    """The states in which the present pass through a loop's body is left."""

    breaks: List[State]
    continues: List[State]


class Control(Expressions):
    """What is known where the execution can take more than one path.

    Statements return False if the execution does not go on behind them; everything else means that
    it does. A state is changed in place.
    """

    def __init__(self, source: Source, functions: "Functions"):
        super().__init__(source, functions)
        #: The statements that are executed.
        self.visited: Set[ast.stmt] = set()
        #: What is returned, by each `return` that has been executed; None: no value.
        self.returned: List[Optional[Value]] = []
        self._loops: List[_Loop] = []

    def _store_variable(self, target: ast.Name, value: Value, state: State) -> None:
        raise NotImplementedError

    def block(self, body: List[ast.stmt], state: State) -> bool:
        """Execute statements; returns False if the execution does not reach their end."""
        for statement in body:
            self._visit(statement)
            self.visited.add(statement)
            method = getattr(self, "_" + type(statement).__name__.lower(), None)
            if method is None:
                self.source.refuse(statement, f"`{word(statement)}` is not translated")
            if method(statement, state) is False:
                return False
        return True

    def _if(self, node: ast.If, state: State) -> bool:
        test = self.truth(node.test, state)
        if test.is_exact:
            return self.block(node.body if test.low else node.orelse, state)
        other = self.assuming(node.test, state, False)
        self.assume(node.test, state, True)
        goes_on = self.block(node.body, state)
        if not self.block(node.orelse, other):
            return goes_on
        _join(state, other, goes_on)
        return True

    # ---- loops ----

    def _for(self, node: ast.For, state: State) -> bool:
        ends = self._range(node, state)
        breaks: List[State] = []
        goes_on = True
        for i in range(*ends):
            self._visit(node)
            self._store_variable(node.target, integer(i, i), state)  # type: ignore[arg-type]
            goes_on = self._pass_through(node.body, state, breaks)
            if not goes_on:
                break
        return self._after(state, goes_on, breaks)

    def _range(self, node: ast.For, state: State) -> List[int]:
        """The arguments of range()."""
        if node.orelse:
            self.source.refuse(node, "`else` of a loop is not translated")
        if not isinstance(node.target, ast.Name):
            self.source.refuse(node, "a loop has one variable")
        call = node.iter
        if not isinstance(call, ast.Call) or self.source.builtin(call.func) != "range" or \
                call.keywords or not 1 <= len(call.args) <= 3:
            self.source.refuse(node, "only loops over range() are translated")
        ends = [self._exact(arg, state, "an end of range()") for arg in call.args]
        if len(ends) == 3 and (ends[2] == 0 or not is_literal(call.args[2])):
            self.source.refuse(node, "the step of range() is a number other than 0")
        return ends

    def _exact(self, node: ast.expr, state: State, what: str) -> int:
        value = self.value(node, state)
        if value.kind != "int" or not value.is_exact:
            self.source.refuse(node, f"{what} is not a constant integer")
        return value.low

    def _while(self, node: ast.While, state: State) -> bool:
        if node.orelse:
            self.source.refuse(node, "`else` of a loop is not translated")
        breaks: List[State] = []
        returned = len(self.returned)
        # As long as nothing depends on data, the loop is followed pass by pass.
        while not breaks and len(self.returned) == returned:
            self._visit(node)
            test = self.truth(node.test, state)
            if not test.is_exact:
                break
            if not test.low:
                return True
            if not self._pass_through(node.body, state, breaks):
                return self._after(state, False, breaks)
        return self._any_passes(node, state, breaks)

    def _any_passes(self, node: ast.While, state: State, breaks: List[State]) -> bool:
        """Execute a loop any number of times, until nothing more is learnt."""
        start = dict(state)
        narrow = False
        for count in range(MOST):
            before = dict(state)
            learnt = self._learnt(state)
            if narrow:
                _replace(state, start)
            inside = dict(before)
            self._visit(node)
            self.truth(node.test, inside)
            self.assume(node.test, inside, True)
            if self._pass_through(node.body, inside, breaks):
                _join(state, inside)
            if narrow:
                break
            if self._learnt(state) == learnt:
                narrow = True  # once more: what was widened can be less
            elif count >= WIDEN:
                for name in state:
                    state[name] = widened(before[name], state[name])
        else:
            self.source.refuse(node, "its integers have no limits that can be followed")
        test = self.truth(node.test, state)
        if not test.is_exact:
            self.assume(node.test, state, False)
        return self._after(state, not (test.is_exact and test.low), breaks)

    def _learnt(self, state: State) -> Tuple[Any, ...]:
        # Constants are compared as texts, since a NaN is not equal to itself.
        return repr(sorted(state.items())), len(self.beyond)

    def _pass_through(self, body: List[ast.stmt], state: State, breaks: List[State]) -> bool:
        """Execute the body of a loop once; returns False if there is no further pass."""
        self._loops.append(_Loop(breaks, []))
        goes_on = self.block(body, state)
        loop = self._loops.pop()
        return self._after(state, goes_on, loop.continues)

    @staticmethod
    def _after(state: State, goes_on: bool, others: List[State]) -> bool:
        """Where one path, if it goes on, and others meet."""
        for other in others:
            _join(state, other, goes_on)
            goes_on = True
        return goes_on

    def _break(self, node: ast.Break, state: State) -> bool:
        self._loops[-1].breaks.append(dict(state))
        return False

    def _continue(self, node: ast.Continue, state: State) -> bool:
        self._loops[-1].continues.append(dict(state))
        return False

    # ---- the end ----

    def _return(self, node: ast.Return, state: State) -> bool:
        value = None if node.value is None else self.value(node.value, state)
        if self.functions.is_kernel(self) and node.value is not None:
            self.source.refuse(node, "a kernel returns no value: its results go into arrays")
        for other in self.returned[-1:]:
            kinds = [each.kind if each else "" for each in (other, value)]
            if kinds[0] != kinds[1]:
                self.source.refuse(node, f"it returns {_returned(kinds[1])} here, and "
                                         f"{_returned(kinds[0])} elsewhere")
        self.returned.append(value)
        return False


def _returned(kind: str) -> str:
    return a_kind(kind) if kind else "nothing"


def _replace(state: State, other: State) -> None:
    state.clear()
    state.update(other)


def _join(state: State, other: State, goes_on: bool = True) -> None:
    """Where two paths meet, of which the one of `state` may end before. What has no value on one of
    them may have none."""
    if not goes_on:
        _replace(state, other)
        return
    for name in set(state) | set(other):
        if name not in state or name not in other:
            state.pop(name, None)
        else:
            state[name] = union(state[name], other[name])


def is_literal(node: ast.expr) -> bool:
    """True for an integer that is written as such."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int

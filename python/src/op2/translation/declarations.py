# SPDX-License-Identifier: BSD-3-Clause
"""Where the variables of a function are declared in C.

Python knows one variable for the whole function. Vector code computes both sides of a condition, and
what is assigned there to a variable from outside has to be merged with its old value. So a variable
is declared in the innermost block that has all uses of its values.
"""
from __future__ import annotations

import ast
from typing import Callable, Dict, Iterable, List, Optional, Set

Block = List[ast.stmt]


class Declarations:
    """The statements before which variables are declared.

    `flat` gives the statements of a block that are emitted: those of an `if` whose condition is
    known belong to the block around it.
    """

    def __init__(self, body: Block, names: Iterable[str], flat: Callable[[Block], Block]):
        self._flat = flat
        self._used: Dict[ast.AST, Set[str]] = {}
        #: The names that are declared before each statement.
        self.before: Dict[ast.stmt, List[str]] = {}
        block = flat(body)
        for name in names:
            places = self._places(name, block)
            for statement in self._using(name, block)[:1] if places is None else places:
                self.before.setdefault(statement, []).append(name)

    def _places(self, name: str, block: Block) -> Optional[Block]:
        """The statements that assign the variable before any other use of it, in this block or in
        those inside, each in a block of its own; None: a value leaves the block that assigns it."""
        using = self._using(name, block)
        places = self._inner_places(name, using)
        if places is None and self._assigns(name, using[0]):
            return using[:1]
        return places

    def _inner_places(self, name: str, using: Block) -> Optional[Block]:
        """The same for the blocks inside these statements."""
        found: Block = []
        for statement in using:
            if any(name in self._names(each) for each in _head(statement)):
                return None
            for body in _bodies(statement):
                places = self._places(name, self._flat(body))
                if places is None:
                    return None
                found += places
        return found

    def _assigns(self, name: str, statement: ast.stmt) -> bool:
        """True if the statement gives the variable a value in any case, and does not use it
        before."""
        if isinstance(statement, ast.If):
            return name not in self._names(statement.test) and \
                self._begins(name, statement.body) and self._begins(name, statement.orelse)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            return False
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return name not in self._names(statement.value) and any(
            isinstance(each, ast.Name) and each.id == name for target in targets
            for each in (target.elts if isinstance(target, ast.Tuple) else [target]))

    def _begins(self, name: str, body: Block) -> bool:
        """True if the first statement of a block that uses the variable assigns it."""
        using = self._using(name, self._flat(body))
        return bool(using) and self._assigns(name, using[0])

    def _using(self, name: str, block: Block) -> Block:
        return [statement for statement in block if name in self._names(statement)]

    def _names(self, node: ast.AST) -> Set[str]:
        """The names in a statement or expression."""
        if node not in self._used:
            self._used[node] = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        return self._used[node]


def _head(statement: ast.stmt) -> List[ast.AST]:
    """What of a statement is outside the blocks that it has."""
    if isinstance(statement, (ast.If, ast.While)):
        return [statement.test]
    return [statement.target, statement.iter] if isinstance(statement, ast.For) else [statement]


def _bodies(statement: ast.stmt) -> List[Block]:
    """The blocks of a statement."""
    if isinstance(statement, ast.If):
        return [statement.body, statement.orelse]
    return [statement.body] if isinstance(statement, (ast.For, ast.While)) else []

# SPDX-License-Identifier: BSD-3-Clause
"""C text of a function that has been analysed."""
from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional, Set

from .analysis import Analysis
from .control import is_literal
from .declarations import Declarations
from .expressions import Table
from .functions import Function
from .parameters import Array, List as ListParameter, c_type
from .reading import Source
from .texts import C_SIGNS, UNARY, Texts, int_type, number_text
from .values import Value


def emit(source: Source, analysis: Analysis) -> str:
    """The C text of a kernel and of the functions that it calls."""
    functions = analysis.functions.made
    every = [analysis, *(function.analysis for function in functions)]
    reserved = {source.name, *(str(constant.name) for each in every
                               for constant in each.constants.values())}
    helpers: Dict[str, str] = {}
    tables: Dict[str, str] = {}
    texts = [_Emission(function.source, function.analysis, reserved, helpers, tables)
             .function(function) for function in functions]
    texts.append(_Emission(source, analysis, reserved, helpers, tables).function())
    return "\n".join([*[text.strip() for text in helpers.values()], *tables.values(), *texts])


class _Emission(Texts):
    def __init__(self, source: Source, analysis: Analysis, reserved: Set[str],
                 helpers: Dict[str, str], tables: Dict[str, str]):
        super().__init__(source, analysis, reserved, helpers)
        self._lines: List[str] = []
        self._temporaries = 0
        self._direct = self._direct_loops()
        self._declared = Declarations(source.tree.body, self._variables(), self._flat).before
        self._add_tables(tables)

    # ---- the whole ----

    def function(self, called: Optional[Function] = None) -> str:
        """The text of the function: of one that is called, or else of the kernel."""
        parameters = ", ".join(self._parameter(name) for name in self.source.parameters)
        self._statements(self.source.tree.body, 1)
        head = f"void {self.source.name}"
        if called is not None:
            head = f"static {_type_of(called.value)} {called.name}"
        return "\n".join([f"{head}({parameters}) {{", *self._lines, "}"])

    def _add_tables(self, tables: Dict[str, str]) -> None:
        """Add the tables of this function to those of others, which can have the same names."""
        for name, table in self.analysis.tables.items():
            own = self._name(name)
            while tables.setdefault(own, self._table(own, table)) != self._table(own, table):
                own += "_"
            self._own[name] = own

    def _parameter(self, name: str) -> str:
        what, own = self.source.parameters[name], self._name(name)
        kind = c_type(what.dtype)
        const = "" if name in self.analysis.written else "const "
        if isinstance(what, ListParameter):
            return f"{const}double *{own}"
        if not isinstance(what, Array):
            return f"{kind} {own}"
        if what.slots:
            return f"{const}{kind} *{own}[]"
        if what.extents == (None,):
            return f"{const}{kind} *{own}"
        return f"{const}{kind} {own}" + "".join(f"[{extent}]" for extent in what.extents)

    def _variables(self) -> List[str]:
        """The variables and lists that are declared."""
        only_loops = {name for name, direct in self._direct.items() if direct}
        return [name for name in (*self.analysis.variables, *self.analysis.lists)
                if name not in self.source.parameters and name not in only_loops]

    def _declaration(self, name: str) -> str:
        table = self.analysis.lists.get(name)
        if table is None:
            return f"{self._variable_type(name)} {self._name(name)}"
        kind = "double" if table.kind == "float" else int_type(self.analysis.elements[name])
        return f"{kind} {self._name(name)}[{table.extents[0]}]"

    @staticmethod
    def _table(name: str, table: Table) -> str:
        values = [number_text(value) for value in table.values or []]
        width = table.extents[-1]
        rows = [", ".join(values[i:i + width]) for i in range(0, len(values), width)]
        kind = "double" if table.kind == "float" else "int64_t"
        extents = "".join(f"[{extent}]" for extent in table.extents)
        inside = rows[0] if len(table.extents) == 1 else ", ".join(f"{{{row}}}" for row in rows)
        return f"static const {kind} {name}{extents} = {{{inside}}};"

    def _direct_loops(self) -> Dict[str, bool]:
        """The variables that are used only inside loops over them, and not assigned there."""
        found: Dict[str, bool] = {}

        def walk(node: ast.AST, inside: Set[str]) -> None:
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                found.setdefault(node.target.id, True)
                for arg in ast.iter_child_nodes(node.iter):
                    walk(arg, inside)
                if node.target.id in inside:
                    found[node.target.id] = False
                for statement in node.body:
                    walk(statement, inside | {node.target.id})
                return
            if isinstance(node, ast.Name):
                if node.id not in inside or isinstance(node.ctx, ast.Store):
                    found[node.id] = False
            for child in ast.iter_child_nodes(node):
                walk(child, inside)

        for statement in self.source.tree.body:
            walk(statement, set())
        return found

    # ---- statements ----

    def _line(self, depth: int, text: str) -> None:
        self._lines.append("  " * depth + text)

    def _statements(self, body: List[ast.stmt], depth: int) -> None:
        for statement in body:
            if statement not in self.analysis.visited:
                continue
            for name in self._declared.get(statement, ()):
                if not self._initialises(statement, name):
                    self._line(depth, self._declaration(name) + ";")
            getattr(self, "_" + type(statement).__name__.lower())(statement, depth)

    def _flat(self, body: List[ast.stmt]) -> List[ast.stmt]:
        """The statements of a block, with those of an `if` whose condition is known in its place."""
        found: List[ast.stmt] = []
        for statement in body:
            if statement not in self.analysis.visited:
                continue
            test = self.analysis.values[statement.test] if isinstance(statement, ast.If) else None
            if test is not None and self._always(test):
                found += self._flat(statement.body)  # type: ignore[attr-defined]
            elif test is not None and self._never(test):
                found += self._flat(statement.orelse)  # type: ignore[attr-defined]
            else:
                found.append(statement)
        return found

    def _initialises(self, statement: ast.stmt, name: str) -> bool:
        """True if a statement that is behind the declaration of a variable becomes part of it."""
        if isinstance(statement, ast.Assign):
            targets = [each.id if isinstance(each, ast.Name) else None
                       for each in statement.targets]
            return targets == [name] and name in self.analysis.variables
        return isinstance(statement, ast.AnnAssign)

    def _place(self, node: ast.stmt, target: ast.expr) -> str:
        """What a statement assigns to, with its type if it is declared there."""
        if isinstance(target, ast.Name) and target.id in self._declared.get(node, ()):
            return self._declaration(target.id)
        return self._target(target)

    def _pass(self, node: ast.Pass, depth: int) -> None:
        pass

    def _expr(self, node: ast.Expr, depth: int) -> None:
        if isinstance(node.value, ast.Call):
            self._line(depth, self._expression(node.value) + ";")

    def _break(self, node: ast.Break, depth: int) -> None:
        self._line(depth, "break;")

    def _continue(self, node: ast.Continue, depth: int) -> None:
        self._line(depth, "continue;")

    def _return(self, node: ast.Return, depth: int) -> None:
        value = "" if node.value is None else " " + self._expression(node.value)
        self._line(depth, f"return{value};")

    def _assign(self, node: ast.Assign, depth: int) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in self.analysis.lists:
            self._fill_list(target.id, node.value, depth)
        elif isinstance(target, ast.Tuple):
            self._assign_several(target, node.value, depth)
        elif len(node.targets) == 1:
            self._line(depth, f"{self._place(node, target)} = {self._expression(node.value)};")
        else:
            value = self._temporary(node.value, depth)
            for each in node.targets:
                self._line(depth, f"{self._target(each)} = {value};")

    def _assign_several(self, target: ast.Tuple, value: Any, depth: int) -> None:
        made = [self._temporary(each, depth) for each in value.elts]
        for each, name in zip(target.elts, made):
            self._line(depth, f"{self._target(each)} = {name};")

    def _temporary(self, node: ast.expr, depth: int) -> str:
        value = self.analysis.values[node]
        kind = "double" if value.kind == "float" else int_type(value)
        self._temporaries += 1
        name = f"python_{self._temporaries}"
        self._line(depth, f"const {kind} {name} = {self._expression(node)};")
        return name

    def _fill_list(self, name: str, value: Any, depth: int) -> None:
        length = self.analysis.lists[name].extents[0]
        items = value.elts if isinstance(value, ast.List) else value.left.elts
        values = [self._temporary(item, depth) for item in items]
        for i in range(length):
            self._line(depth, f"{self._name(name)}[{i}] = {values[i % len(values)]};")

    def _annassign(self, node: ast.AnnAssign, depth: int) -> None:
        self._line(depth, f"{self._place(node, node.target)} = {self._expression(node.value)};")

    def _augassign(self, node: ast.AugAssign, depth: int) -> None:
        name, target = type(node.op).__name__, self._target(node.target)
        if name in ("Add", "Sub", "Mult") and self.analysis.values[node].kind == "float" or \
                name == "Div" and self.analysis.values[node.target].kind == "float":
            # An integer must not make C compute in float where the target is one.
            value = self._expression(node.value)
            if self.analysis.values[node.value].kind != "float":
                value = f"(double){self._operand(node.value, UNARY)}"
            self._line(depth, f"{target} {C_SIGNS[name]}= {value};")
            return
        text, _ = self._operation(node, name, node.target, node.value)
        self._line(depth, f"{target} = {text};")

    def _if(self, node: ast.If, depth: int) -> None:
        test = self.analysis.values[node.test]
        if self._always(test):
            self._statements(node.body, depth)
        elif self._never(test):
            self._statements(node.orelse, depth)
        else:
            self._line(depth, f"if ({self._truth(node.test)}) {{")
            self._statements(node.body, depth + 1)
            if node.orelse:
                self._line(depth, "} else {")
                self._statements(node.orelse, depth + 1)
            self._line(depth, "}")

    def _while(self, node: ast.While, depth: int) -> None:
        if not any(statement in self.analysis.visited for statement in node.body):
            return
        test = self.analysis.values[node.test]
        self._line(depth, f"while ({'1' if self._always(test) else self._truth(node.test)}) {{")
        self._statements(node.body, depth + 1)
        self._line(depth, "}")

    def _for(self, node: ast.For, depth: int) -> None:
        if not any(statement in self.analysis.visited for statement in node.body):
            return
        args: List[ast.expr] = node.iter.args  # type: ignore[attr-defined]
        start = args[0] if len(args) > 1 else None
        step = ast.literal_eval(args[2]) if len(args) == 3 else 1
        stop = args[min(len(args), 2) - 1]
        variable = node.target.id  # type: ignore[attr-defined]
        end = self._expression(stop) if is_literal(stop) else self._temporary(stop, depth)
        begin = "0" if start is None else self._expression(start)
        value = self.analysis.variables[variable]
        direct = self._direct[variable]
        own = self._name(variable)
        counter = own
        if not direct:
            self._temporaries += 1
            counter = f"python_{self._temporaries}"
        advance = f"{counter}++" if step == 1 else f"{counter} += {step}"
        self._line(depth, f"for ({self._counter_type(value, stop, step)} {counter} = {begin}; "
                          f"{counter} {'<' if step > 0 else '>'} {end}; {advance}) {{")
        if not direct:
            self._line(depth + 1, f"{own} = {counter};")
        self._statements(node.body, depth + 1)
        self._line(depth, "}")

    def _counter_type(self, value: Value, stop: ast.expr, step: int) -> str:
        end = self.analysis.values[stop]
        low, high = min(value.low, end.low) - abs(step), max(value.high, end.high) + abs(step)
        return int_type(Value("int", low, high))


def _type_of(value: Optional[Value]) -> str:
    """The C type of what a function returns."""
    if value is None:
        return "void"
    return "double" if value.kind == "float" else int_type(value)

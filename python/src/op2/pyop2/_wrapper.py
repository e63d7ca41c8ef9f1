# SPDX-License-Identifier: BSD-3-Clause
"""Kernels for loops with mixed arguments.

The library knows no mixed objects. A loop that has some gets a kernel that is made here. It takes
the parts one by one, puts them together, calls the program's kernel, and takes the results apart.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from ..enums import INC, READ, WRITE
from ._checks import C_TYPES
from .arguments import Arg

if TYPE_CHECKING:
    from ._signature import Parameter


class Wrapper:
    """The text of such a kernel while it is made, and its arguments."""

    def __init__(self) -> None:
        self.arguments: List[Tuple[Arg, Optional[bool]]] = []
        self._parameters: List[str] = []
        self._before: List[str] = []
        self._call: List[str] = []
        self._after: List[str] = []

    def text(self, kernel: str, name: str) -> str:
        """The definition of the function `name`, which calls the kernel."""
        lines = [*self._before, f"{kernel}({', '.join(self._call)});", *self._after]
        body = "\n  ".join(lines)
        return f"\nstatic void {name}({', '.join(self._parameters)}) {{\n  {body}\n}}\n"

    def _take(self, arg: Arg, packed: Optional[bool], stars: str = "*") -> str:
        """A parameter for one part of an argument. Returns its name."""
        name = f"op2_p{len(self.arguments)}"
        self._parameters.append(f"{C_TYPES[arg.data.dtype]} {stars}{name}")
        self.arguments.append((arg, packed))
        return name

    def plain(self, arg: Arg, packed: Optional[bool], parameter: Optional["Parameter"]) -> None:
        """An argument that the kernel gets as it is. Its parameter is the kernel's own, so that
        the compiler sees the same type."""
        if parameter is None:
            self._call.append(self._take(arg, packed, "**" if packed is False else "*"))
            return
        self._parameters.append(parameter.text)
        self.arguments.append((arg, packed))
        self._call.append(parameter.name)

    def pointers(self, arg: Arg, parameter: Optional["Parameter"]) -> None:
        """A mixed dat as an array of pointers to rows."""
        rows, kind = [], C_TYPES[arg.data.dtype]
        for part, map in _parts(arg):
            direct = map is None
            name = self._take(Arg(part, arg.access, map), None if direct else False,
                              "*" if direct else "**")
            rows += [name] if direct else [f"{name}[{slot}]" for slot in range(map.arity)]
        buffer = f"op2_b{len(self._call)}"
        const = "const " if parameter and "const" in parameter.text.split("*")[0] else ""
        self._before.append(f"{const}{kind} *{buffer}[{len(rows)}] = {{{', '.join(rows)}}};")
        self._call.append(buffer)

    def packed(self, arg: Arg, parameter: Optional["Parameter"]) -> None:
        """A mixed dat as one buffer: all values of the first part, then those of the second, ..."""
        pieces, begin = [], 0
        for part, map in _parts(arg):
            name = self._take(Arg(part, arg.access, map), None if map is None else True)
            count = part.cdim * (1 if map is None else map.arity)
            pieces.append((name, f"{begin} + i", f"for (int i = 0; i < {count}; i++)", "i"))
            begin += count
        self._buffer(arg, parameter, begin, pieces)

    def matrix(self, arg: Arg, parameter: Optional["Parameter"]) -> None:
        """The blocks of a matrix as one dense matrix."""
        rows, columns = arg.map
        heights, widths = [
            [part.cdim * (1 if map is None else map.arity)
             for map, part in zip(maps_of(side), dset)]
            for side, dset in zip(arg.map, arg.data.sparsity.dsets)]
        pieces = []
        for r, row in enumerate(maps_of(rows)):
            for c, column in enumerate(maps_of(columns)):
                name = self._take(Arg(arg.data[r, c], arg.access, (row, column)), None)
                pieces.append((name, f"({sum(heights[:r])} + i) * {sum(widths)} + "
                               f"{sum(widths[:c])} + j",
                               f"for (int i = 0; i < {heights[r]}; i++) "
                               f"for (int j = 0; j < {widths[c]}; j++)", f"i * {widths[c]} + j"))
        self._buffer(arg, parameter, sum(heights) * sum(widths), pieces)

    def _buffer(self, arg: Arg, parameter: Optional["Parameter"], size: int,
                pieces: Sequence[Tuple[str, str, str, str]]) -> None:
        """A buffer of the kernel's, and what copies pieces in and out."""
        rows = parameter.rows if parameter else []
        buffer = f"op2_b{len(self._call)}"
        whole = " * ".join([f"({extent})" for extent in rows] or ["1"])
        extents = "".join(f"[{extent}]" for extent in [f"{size} / ({whole})", *rows])
        self._before.append(f"{C_TYPES[arg.data.dtype]} {buffer}{extents};")
        for name, inner, loop, outer in pieces:
            value = buffer + _index(inner, rows)
            if arg.access != WRITE:
                start = "0" if arg.access == INC else f"{name}[{outer}]"
                self._before.append(f"{loop} {value} = {start};")
            if arg.access != READ:
                operator = "+=" if arg.access == INC else "="
                self._after.append(f"{loop} {name}[{outer}] {operator} {value};")
        self._call.append(buffer)


def maps_of(given: Any) -> Sequence[Any]:
    """The plain maps of a map, a mixed map, or None, which stands for a global."""
    return [None] if given is None else list(given)


def _parts(arg: Arg) -> Any:
    """The parts of a mixed dat, each with its map or None."""
    return zip(arg.data, arg.map if arg.map is not None else [None] * len(arg.data))


def _index(number: str, rows: Sequence[str]) -> str:
    """The indices of a value in an array, by its number in memory."""
    if not rows:
        return f"[{number}]"
    below = " * ".join(f"({extent})" for extent in rows)
    indices = f"[({number}) / ({below})]"
    for depth, extent in enumerate(rows):
        below = " * ".join([f"({inner})" for inner in rows[depth + 1:]] or ["1"])
        indices += f"[({number}) / ({below}) % ({extent})]"
    return indices

# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of loops."""
from __future__ import annotations

from typing import Any, Tuple

from ..enums import Access


class Arg:
    """What a dat, a global or a matrix gives a loop. `index` is None for a map without an index, a
    slot, or an iteration index. A matrix has pairs of both."""

    __slots__ = ("data", "access", "map", "index")

    def __init__(self, data: Any, access: Access, map: Any = None, index: Any = None):
        self.data, self.access, self.map, self.index = data, access, map, index

    @property
    def maps(self) -> Tuple[Any, ...]:
        """The plain maps of the argument."""
        given = self.map if isinstance(self.map, tuple) else (self.map,)
        return tuple(part for map in given if map is not None for part in map if part is not None)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Arg) and self.data is other.data and \
            (self.access, self.map, self.index) == (other.access, other.map, other.index)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Arg {self.data.name} {self.access.name} {self.map} {self.index}>"

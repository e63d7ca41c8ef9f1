# SPDX-License-Identifier: BSD-3-Clause
"""Mixed objects, which are sequences of plain ones, and plain ones, which are sequences of
themselves."""
from __future__ import annotations

from typing import Any, Iterator, Tuple


class Single:
    """An object that can stand wherever a mixed one can: it has one part, itself."""

    @property
    def split(self) -> Tuple[Any, ...]:
        """The parts."""
        return (self,)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.split)

    def __len__(self) -> int:
        return len(self.split)

    def __bool__(self) -> bool:
        return True


class Mixed(Single):
    """Several objects as one. Two are equal if their parts are."""

    def __init__(self, parts: Tuple[Any, ...]):
        self._parts = parts

    @property
    def split(self) -> Tuple[Any, ...]:
        """The parts."""
        return self._parts

    def __getitem__(self, number: int) -> Any:
        return self._parts[number]

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash((type(self), self._parts))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._parts!r})"

    def _each(self, attribute: str) -> Tuple[Any, ...]:
        """An attribute of all parts."""
        return tuple(getattr(part, attribute) for part in self._parts)

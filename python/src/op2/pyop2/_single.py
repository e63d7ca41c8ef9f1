# SPDX-License-Identifier: BSD-3-Clause
"""Globals as rows and columns of matrices: the set with one element that all ranks share, maps to
it, and copies of globals as dats of this set and back."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

from .. import loops, mesh, values
from ..enums import INC, READ, WRITE
from . import _kernels
from ._checks import C_TYPES
from ._configuration import context
from .sets import GlobalSet, Set

if TYPE_CHECKING:
    from .scalars import Global

#: The set of the context. Those of contexts that have ended go when another one is made.
_sets: Dict[Any, GlobalSet] = {}


def single_set() -> GlobalSet:
    """The set of the rows of globals, one for each context."""
    made = _sets.get(context())
    if made is None:
        for ended in [known for known in _sets if not known.initialised]:
            del _sets[ended]
        made = _sets[context()] = GlobalSet()
    return made


def map_from(set_: Set) -> mesh.Map:
    """The op2.Map of a set to the one element."""
    made = getattr(set_, "_to_single", None)
    if made is None:
        made = mesh.Map(set_.op2, single_set().op2, None, f"global_of_{set_.name}", arity=1)
        setattr(set_, "_to_single", made)
    return made


def _copy(given: "Global", to: str, from_: str, name: str, operator: str) -> loops.Kernel:
    kind = C_TYPES[given.dtype]
    return _kernels.kernel(name, (
        f"static void {name}({kind} *{to}, const {kind} *{from_}) "
        f"{{ for (int i = 0; i < {given.cdim}; i++) {to}[i] {operator} {from_}[i]; }}"))


def dat_like(given: "Global") -> values.Dat:
    """An op2.Dat of the set for such values, zeros at first."""
    return values.Dat(single_set().op2, None, given.cdim, given.dtype, str(given.name))


def dat_of(given: "Global") -> values.Dat:
    """An op2.Dat with the global's values. Queued."""
    made = dat_like(given)
    loops.par_loop(_copy(given, "to", "from", "op2_of_global", "="), single_set().op2,
                   made(WRITE), given.op2(READ))
    return made


def store(dat: values.Dat, into: "Global") -> None:
    """Queue: the global gets the dat's values."""
    into.zero()
    loops.par_loop(_copy(into, "to", "from", "op2_to_global", "+="), single_set().op2,
                   into.op2(INC), dat(READ))

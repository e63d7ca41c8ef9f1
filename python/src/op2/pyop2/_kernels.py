# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of the library, one for each text: programs make theirs anew in each time step."""
from __future__ import annotations

from typing import Any, Dict, Sequence

from .. import loops
from ._configuration import context

_made: Dict[Any, loops.Kernel] = {}


def kernel(name: str, text: str, headers: Sequence[str] = (), include_dirs: Sequence[str] = (),
           place: Any = None) -> loops.Kernel:
    """The op2.Kernel of a text. `place` is the file and line where it stands, or None."""
    key = (context(), name, text, tuple(headers), tuple(include_dirs), place)
    if key not in _made:
        for ended in [known for known in _made if not known[0].initialised]:
            del _made[ended]
        file, line = place or (None, 0)
        _made[key] = loops.Kernel(context(), name, text, headers=headers,
                                  include_dirs=include_dirs, file=file, line=line)
    return _made[key]

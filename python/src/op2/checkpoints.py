# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints: the state of a program in files, from which a later run goes on. They need
libop2-hdf5."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Union

import numpy as np

from . import structs
from ._companions import companion
from ._object import Object, numbers, type_of
from .errors import ArgumentError
from .values import Constant, Dat, Global

if TYPE_CHECKING:
    from .context import Context

_KINDS: Dict[Any, str] = {Dat: "dat", Global: "gbl", Constant: "const"}


class Checkpoint(Object):
    """Where and when a state is kept: in the files PATH.000001.h5 and so on.

    Options are those of op2_checkpoint_options (op2/checkpoint.h), by their names: `calls=100` for a
    checkpoint at every 100th step(), `seconds` for the time between two, `keep` for the number that
    stays, and `signal` for the signal after which step() asks the program to stop, -1 for none. A
    block of `with` ends it, and so does the end of the context.

    >>> import op2, tempfile
    >>> path = tempfile.mkdtemp() + "/state"
    >>> def run(steps):
    ...     with op2.Context("sequential") as context:
    ...         u = op2.Dat(op2.Set(context, 2, "cells"), name="u")
    ...         with op2.Checkpoint(context, path, calls=2, keep=3) as checkpoint:
    ...             checkpoint.add(u)
    ...             step = checkpoint.add_counter("step", 0)
    ...             found = checkpoint.read()
    ...             print(found, step, u.get())
    ...             while step < steps:
    ...                 u.data[:] += 1
    ...                 step += 1
    ...                 if checkpoint.step():
    ...                     break
    >>> run(5)
    False 0 [0. 0.]
    >>> run(6)
    True 4 [4. 4.]
    """

    _kind = "checkpoint"

    def __init__(self, context: "Context", path: Union[str, "os.PathLike[str]"], **options: Any):
        super().__init__(context, os.fspath(path))
        self._ffi, self._lib = companion("hdf5")
        #: What is kept: the library has the addresses.
        self._added: List[Any] = []
        filled, _kept = structs.fill("op2_checkpoint_options", options, self._ffi)
        self._create(self._lib.op2_checkpoint_create, context._p, os.fsencode(os.fspath(path)),
                     filled)
        context._checkpoints.add(self)

    def add(self, *objects: Union[Dat, Global, Constant]) -> None:
        """Keep dats, globals and constants, under their names."""
        for each in objects:
            kind = next((name for cls, name in _KINDS.items() if isinstance(each, cls)), None)
            if kind is None:
                raise ArgumentError(f"{self}: {each!r} is no dat, global or constant")
            self._do("add_" + kind, each._p)
            self._added.append(each)

    def add_all(self) -> None:
        """Keep all dats and globals that exist now, under their names. The program has to keep those
        that it does not refer to otherwise: one that is gone is an error of the next checkpoint."""
        self._do("add_all")

    def add_counter(self, name: str, values: Any, dtype: Any = None) -> np.ndarray:
        """Keep variables of the program, such as the number of the step. Returns an array of these
        values, of shape () for one number, which write() and step() read, and read() fills in."""
        made = numbers(values, dtype, self).copy()
        if not made.size:
            raise ArgumentError(f"{self}: '{name}' has no values")
        self._do("add_counter", name.encode(), type_of(made.dtype), made.size,
                 self._ffi.cast("void *", made.ctypes.data))
        self._added.append(made)
        return made

    def step(self) -> bool:
        """Say that a step is over, which writes a checkpoint if one is due. True: the signal has
        come, and the program should end."""
        self.context._settle_all()
        stop = self._ffi.new("bool *")
        self._do("step", stop)
        return bool(stop[0])

    def write(self) -> None:
        """Write a checkpoint now."""
        self.context._settle_all()
        self._do("write")

    def read(self) -> bool:
        """Read the newest checkpoint that is not damaged: all that is kept gets the values that it
        had. False: there is none."""
        self.context._settle_all()
        found = self._ffi.new("bool *")
        self._do("read", found)
        return bool(found[0])

    @property
    def info(self) -> Any:
        """Counts of what was done so far: newest, read, damaged, written, failed, seconds."""
        kind = structs.result("CheckpointInfo", "op2_checkpoint_info", self._ffi)
        return structs.read(kind, self._info())

    def _do(self, name: str, *arguments: Any) -> None:
        self.context._do(getattr(self._lib, "op2_checkpoint_" + name), self._p, *arguments)

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_error: Any) -> None:
        self.destroy()

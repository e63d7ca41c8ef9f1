# SPDX-License-Identifier: BSD-3-Clause
"""Meshes from text files of OP2's, and what the examples share: files of results and a clock."""
import sys
import time
from types import SimpleNamespace

import numpy as np

WALL, FAR_FIELD = 1, 2


def _words(path):
    with open(path, encoding="ascii") as file:
        return file.read().split()


def _taken(words, start, rows, columns, kind):
    """A table of numbers, and where the next one starts."""
    end = start + rows * columns
    return np.array(words[start:end], kind).reshape(rows, columns), end


def read_grid(path):
    """The mesh of new_grid.dat, as `airfoil --write-mesh` writes it."""
    words = _words(path)
    nnode, ncell, nedge, nbedge = (int(word) for word in words[:4])
    x, at = _taken(words, 4, nnode, 2, float)
    cell, at = _taken(words, at, ncell, 4, "i4")
    edges, at = _taken(words, at, nedge, 4, "i4")
    bedges, at = _taken(words, at, nbedge, 4, "i4")
    return SimpleNamespace(x=x, cell=cell, edge=edges[:, :2], ecell=edges[:, 2:],
                           bedge=bedges[:, :2], becell=bedges[:, 2], bound=bedges[:, 3])


def read_elements(path):
    """The mesh of FE_grid.dat, as `aero --write-mesh` writes it."""
    words = _words(path)
    nnode, ncell, nfar = (int(word) for word in words[:3])
    x, at = _taken(words, 3, nnode, 2, float)
    cell, at = _taken(words, at, ncell, 4, "i4")
    far, _ = _taken(words, at, nfar, 1, "i4")
    return SimpleNamespace(x=x, cell=cell, far=far.ravel())


def arguments(usage):
    """MESH, STEPS and the name of a file for the result, or None."""
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(f"usage: {sys.argv[0]} {usage}")
    return sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) == 4 else None


def dump(path, values, last):
    """Write values and then a last one as binary doubles."""
    if path is not None:
        with open(path, "wb") as file:
            file.write(np.ascontiguousarray(values).tobytes() + np.float64(last).tobytes())


class Clock:
    """A block of `with` that prints how long it took."""

    def __enter__(self):
        self._begin = time.perf_counter()

    def __exit__(self, *error):
        print(f"time loop {time.perf_counter() - self._begin:.6f} s")

# SPDX-License-Identifier: BSD-3-Clause
"""Meshes from text files of OP2's and meshes that are made here, and what the examples share: files
of results and a clock."""
import math
import os
import sys
import time
from types import SimpleNamespace

import numpy as np

WALL, FAR_FIELD = 1, 2
#: The side of the square that triangles() cuts, in metres, and how far its nodes move from the
#: grid, as a fraction of the grid's spacing.
EXTENT, JITTER = 100e3, 0.2


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


def _random(state):
    """A number of 64 bits for each state, and the next states (splitmix64)."""
    state = state + np.uint64(0x9e3779b97f4a7c15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return z ^ (z >> np.uint64(31)), state


def _displaced(ni, nj):
    """The nodes of a grid, of which the inner ones are displaced by distances that depend on their
    position in it alone."""
    j, i = np.mgrid[:nj + 1, :ni + 1]
    state = (j << 32 | i).astype("u8")
    inner = (i > 0) & (i < ni) & (j > 0) & (j < nj)
    x = np.empty((nj + 1, ni + 1, 2))
    for axis, (at, count) in enumerate(((i, ni), (j, nj))):
        drawn, state = _random(state)
        shift = JITTER * ((drawn >> np.uint64(11)).astype("f8") * 2.0**-52 - 1.0)
        x[..., axis] = EXTENT * (at + np.where(inner, shift, 0.0)) / count
    return x.reshape(-1, 2)


def triangles(ni, nj):
    """A square cut into ni * nj rectangles, each with a diagonal, in alternating direction: what
    `tsunami --mesh IxJ` computes on. With (dx, dy) along an edge, (dy, -dx) points out of the first
    of its cells."""
    j, i = np.mgrid[:nj, :ni]
    sw, lower = i + j * (ni + 1), 2 * (i + j * ni)
    se, nw, ne, upper = sw + 1, sw + ni + 1, sw + ni + 2, lower + 1
    rising = (i + j) % 2 == 0
    left, right = np.where(rising, upper, lower), np.where(rising, lower, upper)
    cell = [sw, se, np.where(rising, ne, nw), ne, nw, np.where(rising, sw, se)]
    # Each rectangle contributes its diagonal, its right side and its upper side: nodes and cells.
    after, above = np.roll(left, -1, axis=1), np.roll(lower, -1, axis=0)
    edge = [np.where(rising, ne, se), np.where(rising, sw, nw), lower, upper,
            se, ne, right, after, ne, nw, upper, above]
    inside = np.stack([np.ones_like(rising), i < ni - 1, j < nj - 1], axis=-1)
    edge = np.stack(edge, axis=-1).reshape(nj, ni, 3, 4)[inside]
    # The boundary, from below on counter-clockwise.
    bedge = np.concatenate([np.stack(each, axis=-1) for each in (
        (sw[0], se[0], lower[0]), (se[:, -1], ne[:, -1], right[:, -1]),
        (ne[-1, ::-1], nw[-1, ::-1], upper[-1, ::-1]),
        (nw[::-1, 0], sw[::-1, 0], left[::-1, 0]))])
    return SimpleNamespace(x=_displaced(ni, nj), cell=np.stack(cell, axis=-1).reshape(-1, 3),
                           edge=edge[:, :2], ecell=edge[:, 2:], bedge=bedge[:, :2],
                           becell=bedge[:, 2])


def _bent(s):
    """The corners of a grid that is bent inside: s are their positions along a side."""
    # The sines of NumPy may differ from those of C in the last bit.
    sine = np.array([math.sin(2 * math.pi * each) for each in s])
    bend = sine[None, :] * sine[:, None]
    return np.stack([s[None, :] + 0.04 * bend, s[:, None] - 0.03 * bend], axis=-1)


def quadratic_triangles(n):
    """The unit square in n * n bent cells of two triangles with six nodes: three corners and the
    midpoints between them. `inside` is 0 for nodes at the boundary."""
    side = 2 * n + 1
    i = np.arange(side)
    below, above = i // 2, (i + 1) // 2
    corners = _bent(np.arange(n + 1) / n)
    # The diagonal goes from the lower left to the upper right.
    x = 0.5 * (corners[below[:, None], below] + corners[above[:, None], above])
    inner = ((i > 0) & (i < side - 1)).astype("f8")
    at = 2 * (np.arange(n)[:, None] * side + np.arange(n))
    right, up, middle = at + 2, at + 2 * side, at + side + 1
    across = up + 2
    cell = [at, right, across, at + 1, right + side, middle,
            at, across, up, middle, up + 1, at + side]
    return SimpleNamespace(x=x.reshape(-1, 2), inside=np.outer(inner, inner).ravel(),
                           cell=np.stack(cell, axis=-1).reshape(-1, 6))


def arguments(usage):
    """What to compute on, a number, and the name of a file for the result, or None."""
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(f"usage: {sys.argv[0]} {usage}")
    return sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) == 4 else None


def dump(path, values, last):
    """Write values and then a last one as binary doubles."""
    if path is not None:
        with open(path, "wb") as file:
            file.write(np.ascontiguousarray(values).tobytes() + np.float64(last).tobytes())


def warmup(steps):
    """The number of the first steps that are not timed: EXAMPLE_WARMUP, but not all of them."""
    return min(int(os.environ.get("EXAMPLE_WARMUP", "0")), steps - 1)


def print_time(seconds, iterations):
    """Print the time of an iteration."""
    if iterations:
        print(f"time_per_iteration_ms {1e3 * seconds / iterations:.6f}")


def timed(context, steps):
    """The numbers of steps, from 1 on; then everything that is queued runs, and the time of a step
    is printed."""
    ignored = warmup(steps)
    begin = time.perf_counter()
    for step in range(1, steps + 1):
        yield step
        if step == ignored:
            context.flush()
            begin = time.perf_counter()
    context.flush()
    print_time(time.perf_counter() - begin, steps - max(ignored, 0))

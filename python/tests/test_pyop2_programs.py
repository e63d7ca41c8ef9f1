# SPDX-License-Identifier: BSD-3-Clause
"""Complete programs in PyOP2's style; expected values are NumPy's."""
import numpy as np
import pyop2_acoustics
import pyop2_poisson
from pyop2_case import few, hosts  # noqa: F401


def acoustics(columns, rows, steps):
    """What the program pyop2_acoustics computes, by whole arrays."""
    x, corners, edges, sides, walls, inner = pyop2_acoustics.box(columns, rows)
    at = x[corners]
    long, short = at[:, 2] - at[:, 0], at[:, 3] - at[:, 1]
    area = 0.5 * (long[:, 0] * short[:, 1] - short[:, 0] * long[:, 1])
    q = np.zeros((len(corners), 3))
    q[:, 0] = np.exp(-0.1 * ((at.mean(axis=1) - 3) ** 2).sum(axis=1))

    def normals(ends):
        along = x[ends[:, 1]] - x[ends[:, 0]]
        return np.stack([along[:, 1], -along[:, 0]], axis=1)

    n, out, changes = normals(edges), normals(walls), []
    for _ in range(steps):
        left, right = q[sides[:, 0]], q[sides[:, 1]]
        mean, half = 0.5 * (left + right), 0.5 * np.linalg.norm(n, axis=1)[:, None] * (right - left)
        f = np.column_stack([(n * mean[:, 1:]).sum(axis=1), mean[:, :1] * n]) - half
        r = np.zeros_like(q)
        np.add.at(r, sides[:, 0], f)
        np.subtract.at(r, sides[:, 1], f)
        np.add.at(r[:, 1:], inner, q[inner, :1] * out)
        change = -0.2 * r / area[:, None]
        q = q + change
        changes.append((change ** 2).sum())
    return q, area, changes


def test_acoustics(hosts):  # noqa: F811
    q, area, changes = pyop2_acoustics.main(12, 9, 5)
    expected, areas, expected_changes = acoustics(12, 9, 5)
    assert np.allclose(q, expected, rtol=1e-12, atol=1e-14) and np.ptp(q[:, 1]) > 0.01
    assert np.allclose(area, areas, rtol=1e-14)
    assert np.allclose(changes, expected_changes, rtol=1e-12)


def test_poisson(few):  # noqa: F811
    n = 8
    M, A, u, size = pyop2_poisson.main(n)
    coordinates, _, edge = pyop2_poisson.square(n)
    assert np.isclose(M.sum(), 1) and np.allclose(M, M.T, rtol=1e-14)
    assert np.allclose(A[edge], np.eye(len(A))[edge], atol=1e-15)
    f = 2 * np.pi ** 2 * np.prod(np.sin(np.pi * coordinates), axis=1)
    b = M @ f
    b[edge] = 0
    assert np.allclose(u, np.linalg.solve(A, b), rtol=1e-8, atol=1e-9)
    assert np.allclose(u, np.prod(np.sin(np.pi * coordinates), axis=1), atol=0.06)
    assert abs(size - 0.5) < 0.03

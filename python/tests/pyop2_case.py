# SPDX-License-Identifier: BSD-3-Clause
"""What tests of PyOP2's interface share: a context on each backend, and a ring of nodes."""
import numpy as np
import pytest
from conftest import FULL, HOSTS

import op2 as library
from op2 import pyop2 as op2

N = 53


def started(backend, lazy):
    """Yield a context of PyOP2's interface, and end it."""
    try:
        op2.init(backend=backend, threads=2, lazy_evaluation=lazy, version=None)
    except library.UnavailableError as error:
        pytest.skip(str(error))
    yield
    try:
        op2.exit()
    finally:
        op2.configuration.clear()
        op2.configuration.update(lazy_evaluation=True, version=None)


def _on(backends):
    kinds = [(backend, True) for backend in backends]
    kinds += [(backend, False) for backend in (backends if FULL else ["sequential"])]

    @pytest.fixture(params=kinds, ids=lambda kind: kind[0] + ("" if kind[1] else "-eager"))
    def made(request):
        yield from started(*request.param)

    return made


#: Some backends and an eager one; all on the host; and a device as well.
hosts, everywhere = _on(HOSTS), _on(HOSTS + ["opencl"])
few = _on(HOSTS if FULL else ["sequential", "starpu"])


@pytest.fixture
def plain():
    """One backend, for what does not depend on it."""
    yield from started("sequential", True)


class Ring:
    """Nodes in a ring, and the edges between them."""

    def __init__(self):
        self.nodes, self.edges = op2.Set(N, "nodes"), op2.Set(N, "edges")
        self.ends = np.stack([np.arange(N), (np.arange(N) + 1) % N], axis=1)
        self.map = op2.Map(self.edges, self.nodes, 2, self.ends, "ends")
        self.one = op2.Map(self.edges, self.nodes, 1, self.ends[:, 1], "next")
        self.x = np.arange(2.0 * N).reshape(N, 2) ** 1.25
        self.length = (np.arange(N) * 37 % 101).astype(float)

    def sums(self, values):
        """What each node gets from the ends of edges, a row of `values` for each end."""
        made = np.zeros((N,) + values.shape[2:])
        np.add.at(made, self.ends.ravel(), values.reshape((2 * N,) + values.shape[2:]))
        return made

# SPDX-License-Identifier: BSD-3-Clause
"""What tests share: contexts on each backend, lazy and eager, that end with the test.

With OP2_TEST_COLLECT=1 garbage is collected after each new object that can be in a cycle.
"""
import gc
import os

import pytest

import op2

HOSTS = ["sequential", "openmp", "starpu", "check"]


@pytest.fixture(autouse=True)
def collecting():
    """Garbage is collected as often as it can be, if that is asked for."""
    before = gc.get_threshold()
    if os.environ.get("OP2_TEST_COLLECT") == "1":
        gc.set_threshold(1)
    yield
    gc.set_threshold(*before)


def started(backend, **options):
    """A context, or a skip with the reason why there is none."""
    try:
        return op2.Context(backend, **options)
    except op2.UnavailableError as error:
        pytest.skip(str(error))


def some_context(backends):
    """A fixture: a lazy context on each of these backends, and an eager one on some of them."""
    kinds = [(backend, eager) for backend in backends for eager in (False, True)
             if backend in ("sequential", "starpu") or not eager]

    @pytest.fixture(params=kinds, ids=lambda kind: kind[0] + ("-eager" if kind[1] else ""))
    def made(request):
        backend, eager = request.param
        with started(backend, eager=eager, threads=2) as context:
            yield context
        gc.collect()

    return made


host = some_context(HOSTS)
context = some_context(HOSTS + ["opencl"])


@pytest.fixture
def plain():
    """One lazy context, for what does not depend on the backend."""
    with op2.Context("sequential", eager=False) as made:
        yield made
    gc.collect()

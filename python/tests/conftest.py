# SPDX-License-Identifier: BSD-3-Clause
"""What tests share: contexts on each backend, lazy and eager, that end with the test.

With OP2_TEST_FULL=1 all backends of a test are tried eagerly as well, and else some. With
OP2_TEST_COLLECT=1 garbage is collected after each new object that can be in a cycle. With
OP2_TEST_QUICK=1 each test takes every second of its contexts, and the next test the others.
"""
import gc
import os

import pytest

import op2

HOSTS = ["sequential", "openmp", "starpu", "check"]
FULL = os.environ.get("OP2_TEST_FULL", "") not in ("", "0")


def kind_of(item):
    """The backend, and whether it is lazy or eager, of the context that a test gets; or nothing."""
    for value in getattr(item, "callspec", None) and item.callspec.params.values() or ():
        if isinstance(value, tuple) and value[0] in HOSTS + ["opencl"]:
            return value
    return None


def pytest_collection_modifyitems(config, items):
    """Leave out half of the contexts in quick runs."""
    if os.environ.get("OP2_TEST_QUICK", "") in ("", "0"):
        return
    tests, taken, left = {}, [], []
    for item in items:
        kind = kind_of(item)
        number, kinds = tests.setdefault((item.module, item.originalname), (len(tests), []))
        if kind not in kinds:
            kinds.append(kind)
        odd = kind and (number + kinds.index(kind)) % 2
        (left if odd else taken).append(item)
    items[:] = taken
    config.hook.pytest_deselected(items=left)


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
    """A fixture: a lazy context on each of these backends, and an eager one on some of them, or on
    all."""
    kinds = [(backend, eager) for backend in backends for eager in (False, True)
             if FULL or backend in ("sequential", "starpu") or not eager]

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

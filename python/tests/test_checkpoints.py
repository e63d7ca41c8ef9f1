# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints."""
import gc
import os
import signal

import numpy as np
import pytest

import op2


@pytest.fixture
def path(tmp_path, plain):
    try:
        op2.Checkpoint(plain, tmp_path / "state").destroy()
    except op2.UnavailableError as error:
        pytest.skip(str(error))
    return tmp_path / "state"


def state(context):
    """A dat, a global and a constant."""
    u = op2.Dat(op2.Set(context, 3, "cells"), [1.0, 2.0, 3.0], name="u")
    return u, op2.Global(context, 5, name="sum"), op2.Constant(context, "rate_of_flow", 0.5)


def test_round_trip(host, path):
    u, total, rate = state(host)
    checkpoint = op2.Checkpoint(host, path, signal=-1)
    checkpoint.add(u, total, rate)
    step, seeds = checkpoint.add_counter("step", 7), checkpoint.add_counter("seeds", [1, 2], "u4")
    assert step.shape == () and seeds.dtype == np.uint32 and not checkpoint.read()
    u.data[:] = 4
    checkpoint.write()
    u.data[:], total.value, rate.value, seeds[:] = 0, 0, 0, 0
    step += 1
    assert step == 8 and checkpoint.read()
    assert (u.get().tolist(), total.value, rate.value) == ([4, 4, 4], 5, 0.5)
    assert step == 7 and seeds.tolist() == [1, 2]
    info = checkpoint.info
    assert (info.newest, info.read, info.written, info.failed) == (1, 1, 1, 0)


def test_later_runs(path):
    for run in range(3):
        with op2.Context("sequential") as context:
            u, total, _ = state(context)
            add = op2.Kernel(context, "add", "void add(double *u) { *u += 1; }")
            with op2.Checkpoint(context, path, calls=3, keep=2) as checkpoint:
                checkpoint.add_all()
                step = checkpoint.add_counter("step", 0)
                assert checkpoint.read() == (run > 0) and step == 6 * run
                assert u.get().tolist() == [1 + 6 * run, 2 + 6 * run, 3 + 6 * run]
                for _ in range(7):
                    op2.par_loop(add, u.set, u(op2.RW))
                    step += 1
                    assert not checkpoint.step()
    assert sorted(each.name for each in path.parent.glob("state.*")) == ["state.000005.h5",
                                                                        "state.000006.h5"]


def test_damage(plain, path):
    u, _, _ = state(plain)
    checkpoint = op2.Checkpoint(plain, path)
    checkpoint.add(u)
    for value in 1, 2:
        u.fill(value)
        checkpoint.write()
    newest = path.with_name("state.000002.h5")
    newest.write_bytes(newest.read_bytes()[:-100])
    assert checkpoint.read() and (u.get() == 1).all() and checkpoint.info.damaged == 1


def test_signals(path):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    try:
        with op2.Context("sequential") as context:
            u, _, _ = state(context)
            checkpoint = op2.Checkpoint(context, path, signal=signal.SIGUSR1)
            checkpoint.add(u)
            assert not checkpoint.step()
            os.kill(os.getpid(), signal.SIGUSR1)
            assert checkpoint.step() and checkpoint.info.written == 1 and seen == [1]
        # The end of the context has ended it.
        with pytest.raises(op2.Error):
            checkpoint.step()
        os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == [1, 1]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_lifetimes(plain, path):
    checkpoint = op2.Checkpoint(plain, path)
    checkpoint.add(*state(plain))
    gc.collect()
    checkpoint.write()
    lost = op2.Dat(op2.Set(plain, 1, "points"), name="lost")
    checkpoint.add_all()
    del lost
    gc.collect()
    with pytest.raises(op2.StateError, match="lost"):
        checkpoint.write()
    array = op2.Dat(op2.Set(plain, 2, "pairs"), name="lent").data
    other = op2.Checkpoint(plain, path.with_name("other"))
    other.write()
    del other, checkpoint
    gc.collect()
    assert array.tolist() == [0, 0]


def test_failures(plain, path):
    u, _, _ = state(plain)
    for options in {"calls": -1}, {"reserved": 1}, {"every": 3}:
        with pytest.raises(op2.OptionError):
            op2.Checkpoint(plain, path, **options)
    with pytest.raises(OSError):
        op2.Checkpoint(plain, path.parent / "nowhere" / "state")
    checkpoint = op2.Checkpoint(plain, path)
    with pytest.raises(op2.ArgumentError, match="no dat"):
        checkpoint.add(u.set)
    with pytest.raises(op2.ArgumentError):
        checkpoint.add_counter("none", np.empty(0))
    checkpoint.add(u)
    with pytest.raises(op2.NameValueError):
        checkpoint.add_counter("u", 1)
    checkpoint.write()
    with op2.Context("sequential") as context:
        other = op2.Checkpoint(context, path, signal=-1)
        other.add(op2.Dat(op2.Set(context, 4, "cells"), name="u"))
        with pytest.raises(op2.MismatchError, match="cells"):
            other.read()
    checkpoint.destroy()
    with pytest.raises(op2.ArgumentError):
        checkpoint.write()

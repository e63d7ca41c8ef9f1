# SPDX-License-Identifier: BSD-3-Clause
"""Objects and garbage collection, threads, forks and the end of the program."""
import gc
import os
import random
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import op2


def test_objects_go_in_any_order(host):
    context = host
    cells = op2.Set(context, 5)
    kernel = op2.Kernel(context, "twice", "void twice(double *x) { *x *= 2; }")
    last = op2.Dat(cells, np.ones(5))
    for _ in range(20):
        x = op2.Dat(cells, np.ones(5))
        op2.par_loop(kernel, cells, x(op2.RW))
        op2.par_loop(kernel, cells, last(op2.RW))
        del x
    del cells, kernel
    gc.collect()
    assert last.get().tolist() == [2.0**20] * 5


def test_objects_outlive_contexts():
    objects = []
    with op2.Context("sequential") as context:
        for i in range(50):
            cells = op2.Set(context, 3)
            objects += [cells, op2.Dat(cells), op2.Map(cells, cells, [0, 1, 2]),
                        op2.Global(context, 1.0), op2.Constant(context, f"c{i}", i)]
    random.Random(1).shuffle(objects)
    while objects:
        objects.pop()
    gc.collect()


def test_calls_are_kept_while_other_objects_go(plain):
    seen, other = [], op2.Dat.wrap(op2.Set(plain, 3), np.zeros(3))
    del other
    op2.call(plain, seen.append, 3)
    gc.collect()
    assert len(plain._calls) == 1
    plain.flush()
    assert seen == [3]


def test_what_is_queued_is_kept_if_a_monitor_fails():
    """A loop is queued although the solve that makes room for it has a monitor that fails."""
    with op2.Context("sequential", eager=False, queue_max=1) as context:
        cells = op2.Set(context, 3)
        u, b, x = op2.Dat(cells), op2.Dat(cells, np.ones(3)), op2.Dat(cells)
        half = op2.Operator(cells, lambda x, y: y.axpby(0.5, 0.0, x))
        solver = op2.Solver(context, method="cg", preconditioner="none")
        solver.monitor(lambda iteration, residual: {}["a name"])
        solver.solve(half, u, b)
        memory = np.full(1, 7.0)
        exists = weakref.ref(memory)
        with pytest.raises(KeyError):
            op2.par_loop(op2.Kernel(context, "copy", "void copy(double *x, double *p) "
                                    "{ *x = *p; }"), cells, x(op2.WRITE), op2.opaque(memory))
        del memory
        gc.collect()
        assert context.queued == 1 and exists() is not None
        assert x.get().tolist() == [7, 7, 7]


def test_cycles(plain):
    cells = op2.Set(plain, 3)
    for _ in range(10):
        x = op2.Dat(cells, np.ones(3))
        x.myself = [x]
        x.data[0] = 2
        del x
    gc.collect()
    plain.flush()
    assert not plain._dead


def test_collections():
    """There is one for nearly each object, if the tests are to run like this."""
    before = gc.get_stats()[0]["collections"]
    made = [[] for _ in range(100)]
    often = gc.get_stats()[0]["collections"] - before > len(made) // 3
    assert often == (os.environ.get("OP2_TEST_COLLECT") == "1")


def test_the_lock_is_released_in_flush(plain):
    """The kernel runs until another thread of Python has set a flag."""
    flag = np.zeros(1, "i4")
    cells = op2.Set(plain, 1)
    kernel = op2.Kernel(plain, "waits", "void waits(volatile int *flag) { while (!*flag) {} }")
    op2.par_loop(kernel, cells, op2.opaque(flag))

    def set_flag():
        while plain.queued == 0:
            pass
        flag[0] = 1

    other = threading.Thread(target=set_flag)
    other.start()
    plain.flush()
    other.join()
    assert plain.queued == 0


def test_threads_share_a_context(plain):
    cells = op2.Set(plain, 10)
    kernel = op2.Kernel(plain, "more", "void more(double *x) { *x += 1; }")
    dats = [op2.Dat(cells) for _ in range(4)]

    def work(x):
        for _ in range(25):
            op2.par_loop(kernel, cells, x(op2.RW))
            x.get()

    threads = [threading.Thread(target=work, args=(x,)) for x in dats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [x.get()[0] for x in dats] == [25] * 4


def program(text, **environment):
    return subprocess.run([sys.executable, "-c", text], env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


START = """
import numpy as np, op2
context = op2.Context("sequential", eager=False)
cells = op2.Set(context, 2, "cells")
x = op2.Dat(cells, np.ones(2), name="x")
def loop(text):
    op2.par_loop(op2.Kernel(context, "kernel", text), cells, x(op2.RW))
"""


def test_programs_end_their_contexts():
    done = program(START + "loop('void kernel(double *x) { *x = 2; }')")
    assert (done.returncode, done.stderr) == (0, "")


def test_programs_report_what_nobody_has_seen():
    done = program(START + "loop('void kernel(double *x) { *x = nowhere(); }')")
    assert "nowhere" in done.stderr and "<string>:7: loop 'kernel' over 'cells'" in done.stderr


def test_the_exception_that_ends_a_program_is_last():
    done = program(START + "1 / 0")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("ZeroDivisionError: division by zero")


def test_forks():
    done = program(START + """
import os
child = os.fork()
if not child:
    try:
        x.get()
    except op2.StateError as error:
        del x
        with op2.Context("sequential") as other:
            print(len(op2.Set(other, 3)))
    raise SystemExit
assert os.waitpid(child, 0)[1] == 0
print(x.get()[0])
""")
    assert (done.returncode, done.stdout) == (0, "3\n1.0\n"), done.stderr

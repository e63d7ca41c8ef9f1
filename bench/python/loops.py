# SPDX-License-Identifier: BSD-3-Clause
"""The number of loops that one of the examples queues in what it times:

    python loops.py PROGRAM ARGUMENT...

The program runs with a clock that advances by a millisecond with each loop or other operation that
is queued, so the time of an iteration that it prints is the number of its loops."""
import os
import runpy
import sys
import time

from op2.context import Context

queued = 0


def counting(do):
    """The method of a context that calls the library, counting what it queues."""
    def counted(self, function, *arguments):
        global queued
        do(self, function, *arguments)
        name = function.__name__
        queued += name == "op2_loop_enqueue" or name.endswith("_at") and "create" not in name
    return counted


def main():
    Context._do = counting(Context._do)
    time.perf_counter = lambda: 1e-3 * queued
    sys.argv.pop(0)
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

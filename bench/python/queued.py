# SPDX-License-Identifier: BSD-3-Clause
"""The time of a loop that is queued from Python, over one element, with four arguments:

    python queued.py LOOPS

Prints the microseconds for each of so many loops until it is queued, and until it has run: the
least of some rounds, after one in which everything is made."""
import sys
import time

import op2

ROUNDS = 100


def main():
    loops = int(sys.argv[1])
    least = [float("inf")] * 2
    with op2.Context(eager=False, queue_max=2 * loops) as context:
        cells = op2.Set(context, 1, "cells")
        x = [op2.Dat(cells, name=f"x{i}") for i in range(4)]
        add = op2.Kernel(context, "add", """
            void add(const double *a, const double *b, const double *c, double *sum) {
              *sum += *a + *b + *c;
            }""")
        for number in range(ROUNDS + 1):
            begin = time.perf_counter()
            for _ in range(loops):
                op2.par_loop(add, cells, x[0](op2.READ), x[1](op2.READ), x[2](op2.READ),
                             x[3](op2.RW))
            queued = time.perf_counter()
            assert context.queued == loops
            context.flush()
            spent = queued - begin, time.perf_counter() - begin
            if number:
                least = [min(pair) for pair in zip(least, spent)]
    for name, seconds in zip(("queued_us", "run_us"), least):
        print(f"{name} {1e6 * seconds / loops:.3f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""A program over ranks of MPI: blocks, a map by global numbers, a partition, loops, calls, a file.

It prints one line, which does not depend on the number of ranks except for the number itself.
"""
import gc
import sys

import numpy as np
from mpi4py import MPI

import op2

N = 500


def block(comm):
    """The first and the last global number of this rank's part."""
    return N * comm.rank // comm.size, N * (comm.rank + 1) // comm.size


def main():
    comm = MPI.COMM_WORLD
    first, last = block(comm)
    mine = np.arange(first, last)
    with op2.Context("sequential", comm=comm) as context:
        assert (context.rank, context.ranks) == (comm.rank, comm.size)
        edges = op2.Set(context, last - first, "edges")
        nodes = op2.Set(context, last - first, "nodes")
        ends = op2.Map.by_global_numbers(edges, nodes, np.stack([mine, mine * 7 % N], axis=1),
                                         "ends")
        length = op2.Dat(edges, mine, dtype="f8", name="length")
        report = context.partition("kway", map=ends)
        assert report.owned == 2 * N
        total, seen = op2.Dat(nodes, name="total"), op2.Dat(nodes, name="seen")
        spread = op2.Kernel(context, "spread", """
            void spread(const double *length, double *x[2]) {
              *x[0] += *length;
              *x[1] += *length;
            }""")
        op2.par_loop(spread, edges, length(op2.READ), total(op2.INC, ends))
        op2.call(context, lambda x, y: np.copyto(y, x), total(op2.READ), seen(op2.WRITE))
        gc.collect()
        expected = np.zeros(N)
        everything = np.arange(N)
        np.add.at(expected, everything, everything)
        np.add.at(expected, everything * 7 % N, everything)
        whole = seen.get_block(0, N)
        wrong = int((whole != expected).sum()) + int(
            (seen.data_ro != expected[nodes.global_numbers[:nodes.size]]).sum())
        total.set_block(first, np.full(last - first, 1.0))
        ones = total.sum().value
        path = sys.argv[1]
        with op2.File(context, path, "w") as file:
            file.write(edges)
            file.write(ends)
            file.write(nodes)
        with op2.File(context, path) as file:
            again = file.read_set("edges")
            assert again.global_size == N and again.size in (N // comm.size, N // comm.size + 1)
        try:
            broken = op2.Kernel(context, "broken", "void broken(double *x) { *x = nowhere(*x); }")
            op2.par_loop(broken, nodes, total(op2.RW))
            context.flush()
        except op2.CompileError as error:
            assert "nowhere" in str(error)
        else:
            raise AssertionError("no exception")
        wrong = comm.allreduce(wrong)
        if comm.rank == 0:
            print(f"ranks {comm.size}, {wrong} wrong, {ones:g} ones")


main()

# SPDX-License-Identifier: BSD-3-Clause
"""A program over ranks of MPI: blocks, a map by global numbers, a partition, loops, calls, matrices,
files.

It prints one line, which does not depend on the number of ranks except for the number itself. The
backend is that of OP2_BACKEND; without it, sequential.
"""
import gc
import os
import sys

import numpy as np
from mpi4py import MPI

import op2
from op2 import pyop2

N = 500
BACKEND = os.environ.get("OP2_BACKEND", "sequential")


def block(comm):
    """The first and the last global number of this rank's part."""
    return N * comm.rank // comm.size, N * (comm.rank + 1) // comm.size


def mesh(context, comm):
    """Edges, nodes, and a map between them, spread over the ranks, with the values of edges."""
    mine = np.arange(*block(comm))
    edges = op2.Set(context, len(mine), "edges")
    nodes = op2.Set(context, len(mine), "nodes")
    ends = op2.Map.by_global_numbers(edges, nodes, np.stack([mine, mine * 7 % N], axis=1), "ends")
    length = op2.Dat(edges, mine, dtype="f8", name="length")
    assert context.partition("kway", map=ends).owned == 2 * N
    return edges, nodes, ends, length


def sums(context, edges, nodes, ends, length):
    """The number of wrong sums at the nodes, once a call has copied them."""
    total, seen = op2.Dat(nodes, name="total"), op2.Dat(nodes, name="seen")
    spread = op2.Kernel(context, "spread", """
        void spread(const double *length, double *x[2]) {
          *x[0] += *length;
          *x[1] += *length;
        }""")
    op2.par_loop(spread, edges, length(op2.READ), total(op2.INC, ends))
    op2.call(context, lambda x, y: np.copyto(y, x), total(op2.READ), seen(op2.WRITE))
    gc.collect()
    everything, expected = np.arange(N), np.zeros(N)
    np.add.at(expected, everything, everything)
    np.add.at(expected, everything * 7 % N, everything)
    mine = expected[nodes.global_numbers[:nodes.size]]
    return int((seen.get_block(0, N) != expected).sum()) + int((seen.data_ro != mine).sum())


def file(context, comm, path, *objects):
    """Write a file and read a set of it."""
    with op2.File(context, path, "w") as made:
        for each in objects:
            made.write(each)
    with op2.File(context, path) as made:
        again = made.read_set("edges")
        assert again.global_size == N and again.size in (N // comm.size, N // comm.size + 1)


def row_sums(A, nodes):
    """The sums of all rows of a matrix, by global numbers."""
    y = op2.Dat(nodes)
    A.mult(op2.Dat(nodes, np.ones(nodes.sections[3])), y)
    return y.get_block(0, N)


def matrix(context, comm, path, edges, nodes, ends):
    """The number of wrong rows of a matrix that a call has changed, here and in another context
    that reads it from a file, with a matrix of one row."""
    A = op2.Mat(op2.Sparsity(ends, "pattern"), name="A")
    ones = op2.Kernel(context, "ones", """
        void ones(double a[2][2]) {
          for (int i = 0; i < 4; i++) a[i / 2][i % 2] += 1;
        }""")

    def scale(a):
        a.values *= a.columns + 1

    op2.par_loop(ones, edges, A(op2.INC, ends, ends))
    op2.call(context, scale, A(op2.RW))
    first, expected = np.arange(N), np.zeros(N)
    for end in (first, first * 7 % N):
        np.add.at(expected, end, first + first * 7 % N + 2)
    wrong = (row_sums(A, nodes) != expected).sum()
    op2.dump(context, path)
    with op2.Context(BACKEND, comm=comm) as other, op2.File(other, path) as made:
        found = made.read_all()
        other.partition("kway", map=found["ends"])
        mats = made.read_matrices()
        wrong += (row_sums(mats["A"], found["nodes"]) != expected).sum()
        y = op2.Dat(found["shared"])
        mats["row"].mult(op2.Dat(found["nodes"], np.ones(found["nodes"].sections[3])), y)
        return int(wrong + (y.get_block(0, 1)[0] != 3 * first.sum()))


def dense_row(context, edges, nodes, ends, length):
    """A matrix with one row, which all ranks share, and the number of wrong products with it."""
    shared = op2.Set.single(context, "shared")
    whole = op2.Map(edges, shared, None, "whole", arity=1)
    row = op2.Mat(op2.Sparsity([(whole, ends)], "dense"), name="row")
    add = op2.Kernel(context, "add", """
        void add(const double *l, double a[1][2]) { a[0][0] += *l; a[0][1] += 2 * *l; }""")
    op2.par_loop(add, edges, length(op2.READ), row(op2.INC, whole, ends))
    x, y = op2.Dat(nodes, nodes.global_numbers.astype(float)), op2.Dat(shared)
    row.mult(x, y)
    mine = np.arange(N)
    expected = (mine * (mine + 2 * (mine * 7 % N))).sum()
    return row, int(y.get_block(0, 1)[0] != expected)


def strip(path, squares):
    """Write a mesh for SU2: a row of squares, whose lower sides are the wall."""
    nodes = [(i, j) for j in (0, 1) for i in range(squares + 1)]
    up = squares + 1
    lines = ["NDIME= 2", f"NPOIN= {len(nodes)}", *[f"{x} {y}" for x, y in nodes],
             f"NELEM= {squares}", *[f"9 {i} {i + 1} {i + 1 + up} {i + up}" for i in range(squares)],
             "NMARK= 1", "MARKER_TAG= wall", f"MARKER_ELEMS= {squares}",
             *[f"3 {i} {i + 1}" for i in range(squares)]]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def mesh_file(comm, path, squares=20):
    """The number of wrong sums over a mesh that is read from a file, and of a checkpoint."""
    if comm.rank == 0:
        strip(path + ".su2", squares)
    comm.barrier()
    with op2.Context(BACKEND, comm=comm) as context:
        mesh = op2.read_mesh(context, path + ".su2")
        faces = mesh.faces()
        wall = mesh.group("wall", faces.boundary)
        context.partition("coordinates", coordinates=mesh.coordinates)
        length, volume = op2.Global(context, 0.0), mesh.geometry()[0]
        measure = op2.Kernel(context, "measure", """
            void measure(const double *const *x, double *l) { *l += x[1][0] - x[0][0]; }""")
        op2.par_loop(measure, wall, mesh.coordinates(op2.READ, faces.boundary_nodes),
                     length(op2.INC))
        wrong = (length.value != squares) + (volume.sum().value != squares)
        mesh.write_vtu(path + ".vtu", [volume])
        checkpoint = op2.Checkpoint(context, path + ".state")
        checkpoint.add(volume)
        checkpoint.write()
        volume.fill(0)
        wrong += not checkpoint.read()
        wrong += volume.sum().value != squares
    comm.barrier()
    written = path + (".pvtu" if comm.size > 1 else ".vtu")
    return int(wrong) + (not os.path.exists(written))


def failure(context, nodes):
    """A loop that does not compile fails on each rank."""
    broken = op2.Kernel(context, "broken", "void broken(double *x) { *x = nowhere(*x); }")
    try:
        op2.par_loop(broken, nodes, op2.Dat(nodes)(op2.RW))
        context.flush()
    except op2.CompileError as error:
        assert "nowhere" in str(error)
    else:
        raise AssertionError("no exception")


def pyop2s(comm):
    """A reduction over all ranks by PyOP2's interface."""
    pyop2.init(backend=BACKEND, comm=comm)
    first, last = block(comm)
    cells = pyop2.Set(last - first, comm=comm)
    x, total = pyop2.Dat(cells, np.arange(first, last), float), pyop2.Global(1, 0.0, comm=comm)
    pyop2.par_loop(pyop2.Kernel("void add(double *x, double *t) { *t += *x; }", "add"), cells,
                   x(pyop2.READ), total(pyop2.INC))
    assert total.data_ro[0] == N * (N - 1) / 2
    assert np.isclose(x.norm ** 2, (np.arange(N) ** 2).sum())
    same = pyop2.Map(cells, cells, 1, np.arange(last - first))
    row = pyop2.Mat(pyop2.Sparsity((pyop2.GlobalDataSet(total), cells ** 1), [(None, same)]))
    pyop2.par_loop(pyop2.Kernel("void put(double *a, double *x) { *a += *x; }", "put"), cells,
                   row(pyop2.INC, (None, same)), x(pyop2.READ))
    assert (row * x).data_ro[0] == (np.arange(N) ** 2).sum()
    pyop2.exit()


def main():
    comm = MPI.COMM_WORLD
    pyop2s(comm)
    wrong_in_file = comm.allreduce(mesh_file(comm, sys.argv[1] + ".mesh"))
    with op2.Context(BACKEND, comm=comm) as context:
        assert (context.rank, context.ranks) == (comm.rank, comm.size)
        edges, nodes, ends, length = mesh(context, comm)
        wrong = comm.allreduce(sums(context, edges, nodes, ends, length))
        row, wrong_row = dense_row(context, edges, nodes, ends, length)
        wrong += comm.allreduce(wrong_row) + wrong_in_file
        wrong += matrix(context, comm, sys.argv[1] + ".all", edges, nodes, ends)
        del row
        ones = op2.Dat(nodes)
        first, last = block(comm)
        ones.set_block(first, np.ones(last - first))
        count = ones.sum().value
        file(context, comm, sys.argv[1], edges, ends, nodes)
        failure(context, nodes)
        if comm.rank == 0:
            print(f"ranks {comm.size}, {wrong} wrong, {count:g} ones")


main()

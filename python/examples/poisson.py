# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation by quadratic elements on triangles, as `bench/fem --element p2` solves it,
with the same bits:

    python poisson.py [--petsc] CELLS LEVELS [DUMP]

The unit square is cut into CELLS * CELLS cells of two triangles each, and on each level after the
first into twice as many along a side. The library's conjugate gradients solve, or PETSc as the
variable PETSC_OPTIONS says. DUMP gets the last solution and then its error."""
import math
import sys

import numpy as np
import op2
from mesh import arguments, dump, quadratic_triangles, timed

#: Seven points of a triangle by two of their barycentric coordinates, and their weights.
L1 = (1.0 / 3, 0.470142064105115, 0.470142064105115, 0.059715871789770, 0.101286507323456,
      0.101286507323456, 0.797426985353087)
L2 = (1.0 / 3, 0.470142064105115, 0.059715871789770, 0.470142064105115, 0.101286507323456,
      0.797426985353087, 0.101286507323456)
W = (0.1125, 0.066197076394253, 0.066197076394253, 0.066197076394253, 0.0629695902724135,
     0.0629695902724135, 0.0629695902724135)

NODES, VALUE = op2.array("f8", slots=True), op2.array("f8", 1)


def stiffness(x: NODES, a: op2.array("f8", (6, 6))):
    """The integrals of grad N_i . grad N_j."""
    ax = x[1][0] - x[0][0]
    ay = x[1][1] - x[0][1]
    bx = x[2][0] - x[0][0]
    by = x[2][1] - x[0][1]
    det = ax * by - bx * ay
    d1x = by / det
    d1y = -bx / det
    d2x = -ay / det
    d2y = ax / det
    for g in range(7):
        weight = W[g] * det
        m = 1 - L1[g] - L2[g]
        p = L1[g]
        q = L2[g]
        d0x = -d1x - d2x
        d0y = -d1y - d2y
        nx = [(4 * m - 1) * d0x, (4 * p - 1) * d1x, (4 * q - 1) * d2x,
              4 * (p * d0x + m * d1x), 4 * (q * d1x + p * d2x), 4 * (m * d2x + q * d0x)]
        ny = [(4 * m - 1) * d0y, (4 * p - 1) * d1y, (4 * q - 1) * d2y,
              4 * (p * d0y + m * d1y), 4 * (q * d1y + p * d2y), 4 * (m * d2y + q * d0y)]
        for i in range(6):
            for j in range(6):
                a[i][j] += weight * (nx[i] * nx[j] + ny[i] * ny[j])


def load(x: NODES, b: NODES):
    """The integrals of f N_i, for the solution sin(pi x) sin(pi y)."""
    ax = x[1][0] - x[0][0]
    ay = x[1][1] - x[0][1]
    bx = x[2][0] - x[0][0]
    by = x[2][1] - x[0][1]
    det = ax * by - bx * ay
    for g in range(7):
        weight = W[g] * det
        m = 1 - L1[g] - L2[g]
        p = L1[g]
        q = L2[g]
        n = [m * (2 * m - 1), p * (2 * p - 1), q * (2 * q - 1), 4 * m * p, 4 * p * q, 4 * q * m]
        px = x[0][0] + L1[g] * ax + L2[g] * bx
        py = x[0][1] + L1[g] * ay + L2[g] * by
        f = 2 * math.pi * math.pi * math.sin(math.pi * px) * math.sin(math.pi * py)
        for i in range(6):
            b[i][0] += weight * f * n[i]


def error(x: NODES, u: NODES, amplitude: VALUE, total: VALUE):
    """The square of the error in the L2 norm."""
    ax = x[1][0] - x[0][0]
    ay = x[1][1] - x[0][1]
    bx = x[2][0] - x[0][0]
    by = x[2][1] - x[0][1]
    det = ax * by - bx * ay
    for g in range(7):
        weight = W[g] * det
        m = 1 - L1[g] - L2[g]
        p = L1[g]
        q = L2[g]
        n = [m * (2 * m - 1), p * (2 * p - 1), q * (2 * q - 1), 4 * m * p, 4 * p * q, 4 * q * m]
        px = x[0][0] + L1[g] * ax + L2[g] * bx
        py = x[0][1] + L1[g] * ay + L2[g] * by
        off = -amplitude[0] * math.sin(math.pi * px) * math.sin(math.pi * py)
        for i in range(6):
            off += n[i] * u[i][0]
        total[0] += weight * off * off


def clear(inside: VALUE, b: VALUE):
    """The solution is zero at the boundary."""
    b[0] *= inside[0]


class Problem:
    """The mesh and the system of equations."""

    def __init__(self, context, m, kernels, method):
        self.nodes = op2.Set(context, len(m.x), "nodes")
        self.cells = op2.Set(context, len(m.cell), "cells")
        self.at = op2.Map(self.cells, self.nodes, m.cell, "cell_nodes")
        self.boundary = self.nodes.subset(np.flatnonzero(m.inside == 0), "boundary")
        self.x = op2.Dat(self.nodes, m.x, name="x")
        self.inside = op2.Dat(self.nodes, m.inside, name="inside")
        self.a = op2.Mat(op2.Sparsity(self.at, "pattern"), name="A")
        self.u, self.b = op2.Dat(self.nodes, name="u"), op2.Dat(self.nodes, name="b")
        self.square = op2.Global(context, 0.0, name="square")
        self.solver = op2.Solver(context, "poisson", rtol=1e-12, start_at_zero=True,
                                 iterations=100000, **method)
        self.stiffness, self.load, self.error, self.clear = kernels

    def queue_assembly(self):
        """Queue the matrix and the right-hand side."""
        x = self.x(op2.READ, self.at)
        op2.par_loop(self.stiffness, self.cells, x, self.a(op2.INC, self.at, self.at))
        op2.par_loop(self.load, self.cells, x, self.b(op2.INC, self.at))
        self.a.zero_rows_columns(self.boundary)
        op2.par_loop(self.clear, self.nodes, self.inside(op2.READ), self.b(op2.RW))

    def solve(self):
        """Solve; returns the error in the L2 norm and the number of iterations."""
        self.queue_assembly()
        self.solver.solve(self.a, self.u, self.b)
        op2.par_loop(self.error, self.cells, self.x(op2.READ, self.at), self.u(op2.READ, self.at),
                     1.0, self.square(op2.INC))
        return math.sqrt(self.square.value), self.solver.result.iterations


def use_petsc(context):
    """PETSc solves from now on; this needs libop2-petsc."""
    from op2 import petsc
    petsc.use(context)


def main():
    with_petsc = "--petsc" in sys.argv
    if with_petsc:
        sys.argv.remove("--petsc")
    cells, levels, result = arguments("[--petsc] CELLS LEVELS [DUMP]")
    with op2.Context() as context:
        if with_petsc:
            use_petsc(context)
        kernels = [op2.Kernel.of_function(context, each)
                   for each in (stiffness, load, error, clear)]
        for level in timed(context, levels):
            side = int(cells) << (level - 1)
            problem = Problem(context, quadratic_triangles(side), kernels,
                              {} if with_petsc else {"method": "cg"})
            off, iterations = problem.solve()
            print(f"{side} {off:.15e} {iterations}")
        dump(result, problem.u.get(), off)


if __name__ == "__main__":
    main()

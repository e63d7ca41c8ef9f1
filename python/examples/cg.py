# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation by bilinear elements and conjugate gradients, as bench/cg computes its problem
`flow`, with the same bits. The matrix is applied cell by cell:

    python cg.py MESH ITERATIONS [DUMP]

MESH is a file of OP2's form, DUMP gets the solution and then the norm of the residual."""
import math

import numpy as np
import op2
from mesh import FAR_FIELD, arguments, dump, read_grid, timed

XI = (-1.0, 1.0, 1.0, -1.0)
ETA = (-1.0, -1.0, 1.0, 1.0)
GAUSS = 1.0 / math.sqrt(3.0)
#: The place of each entry among the 10 of a symmetric matrix, which are rows from the diagonal on.
AT = ((0, 1, 2, 3), (1, 4, 5, 6), (2, 5, 7, 8), (3, 6, 8, 9))

CORNERS, MATRIX = op2.array("f8", slots=True), op2.array("f8", 10)


def stiffness(x: CORNERS, k: MATRIX):
    """The integrals of grad N_i . grad N_j over a bilinear quadrilateral, by 2 x 2 Gauss points."""
    for i in range(10):
        k[i] = 0.0
    for g in range(4):
        nx = [0.0] * 4
        ny = [0.0] * 4
        a = b = c = d = 0.0
        for i in range(4):
            nx[i] = 0.25 * XI[i] * (1.0 + GAUSS * ETA[i] * ETA[g])
            ny[i] = 0.25 * ETA[i] * (1.0 + GAUSS * XI[i] * XI[g])
            a += nx[i] * x[i][0]
            b += nx[i] * x[i][1]
            c += ny[i] * x[i][0]
            d += ny[i] * x[i][1]
        weight = 1.0 / abs(a * d - b * c)
        at = 0
        for i in range(4):
            for j in range(i, 4):
                k[at] += weight * ((d * nx[i] - b * ny[i]) * (d * nx[j] - b * ny[j]) +
                                   (a * ny[i] - c * nx[i]) * (a * ny[j] - c * nx[j]))
                at += 1


def product(k: MATRIX, p: CORNERS, v: CORNERS):
    """v += K p, the part of one cell."""
    for i in range(4):
        for j in range(4):
            v[i][0] += k[AT[i][j]] * p[j][0]


def fix(v: op2.array("f8", 1)):
    """The change is zero where the solution is given."""
    v[0] = 0.0


class System:
    """The mesh, the element matrices and the vectors."""

    def __init__(self, context, m):
        far = np.unique(m.bedge[m.bound == FAR_FIELD])
        start = np.zeros(len(m.x))
        start[far] = m.x[far, 0]
        self.nodes = op2.Set(context, len(m.x), "nodes")
        self.cells = op2.Set(context, len(m.cell), "cells")
        self.fixed = op2.Set(context, len(far), "fixed")
        self.cell_nodes = op2.Map(self.cells, self.nodes, m.cell, "cell_nodes")
        self.fixed_nodes = op2.Map(self.fixed, self.nodes, far, "fixed_nodes")
        self.x, self.u = op2.Dat(self.nodes, m.x, name="x"), op2.Dat(self.nodes, start, name="u")
        self.k = op2.Dat(self.cells, dim=10, name="k")
        self.r, self.p, self.v = (op2.Dat(self.nodes, name=name) for name in "rpv")
        #: The scalar product r.r after iterations of even and of odd number.
        self.rr = [op2.Global(context, dtype="f8", name=name) for name in ("rr_even", "rr_odd")]
        self.pv = op2.Global(context, dtype="f8", name="pv")
        self.stiffness, self.product, self.fix = (
            op2.Kernel.of_function(context, each) for each in (stiffness, product, fix))

    def queue_matrix(self, a):
        """v = K a"""
        self.v.fill(0.0)
        op2.par_loop(self.product, self.cells, self.k(op2.READ), a(op2.READ, self.cell_nodes),
                     self.v(op2.INC, self.cell_nodes))

    def queue_fix(self, a):
        """No change where the solution is given."""
        op2.par_loop(self.fix, self.fixed, a(op2.WRITE, self.fixed_nodes, 0))

    def queue_start(self):
        """The element matrices, r = p = -K u, and r.r."""
        op2.par_loop(self.stiffness, self.cells, self.x(op2.READ, self.cell_nodes),
                     self.k(op2.WRITE))
        self.queue_matrix(self.u)
        self.r.axpy(-1.0, self.v)
        self.queue_fix(self.r)
        self.r.copy_to(self.p)
        self.r.dot(self.r, self.rr[0])

    def queue_iteration(self, number):
        """An iteration, counted from 1. No number is read: its scalars are quotients of globals."""
        was, now = self.rr[(number - 1) % 2], self.rr[number % 2]
        self.queue_matrix(self.p)
        self.queue_fix(self.v)
        self.p.dot(self.v, self.pv)
        step = op2.ratio(was, self.pv)
        self.u.axpy(step, self.p)
        self.r.axpy(-step, self.v)
        self.r.dot(self.r, now)
        self.p.aypx(op2.ratio(now, was), self.r)


def main():
    path, iterations, result = arguments("MESH ITERATIONS [DUMP]")
    with op2.Context() as context:
        system = System(context, read_grid(path))
        system.queue_start()
        for number in timed(context, iterations):
            system.queue_iteration(number)
        residual = math.sqrt(system.rr[iterations % 2].value)
        print(f"residual {residual:.15e}")
        dump(result, system.u.get(), residual)


if __name__ == "__main__":
    main()

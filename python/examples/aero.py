# SPDX-License-Identifier: BSD-3-Clause
"""Full potential flow round an aerofoil by bilinear elements, as bench/aero computes it, with the
same bits: Newton steps, each by conjugate gradients with an assembled matrix:

    python aero.py MESH NEWTON-STEPS [DUMP]

MESH is an FE_grid.dat, DUMP gets the potential and then the rms of the last step."""
import math
import time

import numpy as np
import op2
from mesh import arguments, dump, print_time, read_elements, warmup

GAUSS = (0.211324865405187, 0.788675134594813)
MACH = 0.1
#: A step's iterations end when the residual has decreased so far, or after so many.
DECREASE, MOST = 0.1, 200

CORNERS, VALUE = op2.array("f8", slots=True), op2.array("f8", 1)


def assemble(x: CORNERS, phi: CORNERS, inside: CORNERS, a: op2.array("f8", (4, 4)), r: CORNERS):
    """The residual and the entries of the matrix. The density is D^(1 / (gamma - 1)) with gamma =
    1.4. There is no test function where the potential is given: `inside` is 0 there."""
    for q in range(4):
        s = GAUSS[q % 2]
        t = GAUSS[q // 2]
        ns = [t - 1, 1 - t, -t, t]
        nt = [s - 1, -s, 1 - s, s]
        nx = [0.0] * 4
        ny = [0.0] * 4
        along = [0.0] * 4
        xs = ys = xt = yt = u = v = 0.0
        for i in range(4):
            xs += ns[i] * x[i][0]
            ys += ns[i] * x[i][1]
            xt += nt[i] * x[i][0]
            yt += nt[i] * x[i][1]
        det = xs * yt - xt * ys
        w = 0.25 * det
        for i in range(4):
            nx[i] = (yt * ns[i] - ys * nt[i]) / det
            ny[i] = (xs * nt[i] - xt * ns[i]) / det
            u += nx[i] * phi[i][0]
            v += ny[i] * phi[i][0]
        d = 1 + 0.2 * (0.01 - (u * u + v * v))
        rho = d * d * math.sqrt(d)
        for i in range(4):
            nx[i] *= inside[i][0]
            ny[i] *= inside[i][0]
            along[i] = u * nx[i] + v * ny[i]
            r[i][0] += w * rho * along[i]
        for i in range(4):
            for j in range(4):
                a[i][j] += (w * rho * (nx[i] * nx[j] + ny[i] * ny[j]) -
                            w * rho / d * (along[i] * along[j]))


def begin(r: VALUE, p: VALUE, u: VALUE):
    """Conjugate gradients begin at u = 0, with p = r."""
    p[0] = r[0]
    u[0] = 0.0


def update(u: VALUE, phi: VALUE, r: VALUE, total: VALUE):
    """Newton's step, and the square of its length."""
    phi[0] -= u[0]
    r[0] = 0.0
    total[0] += u[0] * u[0]


class Flow:
    """The mesh, the potential, and the system of a Newton step."""

    def __init__(self, context, m):
        inside = np.ones(len(m.x))
        inside[m.far] = 0
        self.nodes = op2.Set(context, len(m.x), "nodes")
        self.cells = op2.Set(context, len(m.cell), "cells")
        self.cell_nodes = op2.Map(self.cells, self.nodes, m.cell, "cell_nodes")
        self.x = op2.Dat(self.nodes, m.x, name="x")
        self.phi = op2.Dat(self.nodes, MACH * m.x[:, 0], name="phi")
        self.inside = op2.Dat(self.nodes, inside, name="inside")
        self.a = op2.Mat(op2.Sparsity(self.cell_nodes, "pattern"), name="A")
        self.u, self.r, self.p, self.v = (op2.Dat(self.nodes, name=name) for name in "urpv")
        self.rr = [op2.Global(context, dtype="f8", name=name) for name in ("rr_even", "rr_odd")]
        self.pv = op2.Global(context, dtype="f8", name="pv")
        self.change = op2.Global(context, dtype="f8", name="change")
        self.assemble, self.begin, self.update = (
            op2.Kernel.of_function(context, each) for each in (assemble, begin, update))

    def queue_start(self):
        """The residual of the equation and its derivative, and the start of the iterations."""
        at = self.cell_nodes
        self.a.zero()
        op2.par_loop(self.assemble, self.cells, self.x(op2.READ, at), self.phi(op2.READ, at),
                     self.inside(op2.READ, at), self.a(op2.INC, at, at), self.r(op2.INC, at))
        op2.par_loop(self.begin, self.nodes, self.r(op2.READ), self.p(op2.WRITE),
                     self.u(op2.WRITE))
        self.r.dot(self.r, self.rr[0])

    def queue_iteration(self, number):
        """An iteration, counted from 1, up to its residual."""
        was, now = self.rr[(number - 1) % 2], self.rr[number % 2]
        if number > 1:
            self.p.aypx(op2.ratio(was, now), self.r)
        self.a.mult(self.p, self.v)
        self.p.dot(self.v, self.pv)
        step = op2.ratio(was, self.pv)
        self.u.axpy(step, self.p)
        self.r.axpy(-step, self.v)
        self.r.dot(self.r, now)

    def solve(self):
        """The iterations of one step; returns their number, and the seconds that they took."""
        first = residual = math.sqrt(self.rr[0].value)
        begin = time.perf_counter()
        number = 0
        while residual > DECREASE * first and number < MOST:
            number += 1
            self.queue_iteration(number)
            residual = math.sqrt(self.rr[number % 2].value)
        return number, time.perf_counter() - begin

    def step(self):
        """A step of Newton's; returns the iterations, their seconds and the rms of the change."""
        self.queue_start()
        iterations, seconds = self.solve()
        self.change.value = 0.0
        op2.par_loop(self.update, self.nodes, self.u(op2.READ), self.phi(op2.RW),
                     self.r(op2.WRITE), self.change(op2.INC))
        return iterations, seconds, math.sqrt(self.change.value) / math.sqrt(self.nodes.size)


def main():
    path, steps, result = arguments("MESH NEWTON-STEPS [DUMP]")
    with op2.Context() as context:
        flow = Flow(context, read_elements(path))
        spent = count = 0
        for step in range(1, steps + 1):
            iterations, seconds, rms = flow.step()
            print(f"{step} {iterations} {rms:.15e}")
            if step > warmup(steps):
                spent, count = spent + seconds, count + iterations
        print_time(spent, count)
        dump(result, flow.phi.get(), rms)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Two-dimensional flow round an aerofoil, as bench/airfoil computes it, with the same bits:

    python airfoil.py MESH STEPS [DUMP]

MESH is a file of OP2's form, DUMP gets the flow and then the rms of the last change."""
import math

import numpy as np
import op2
from mesh import arguments, dump, read_grid, timed

# These are single-precision literals widened to double, as in OP2's application.
GAM, CFL, EPS, MACH = (float(np.float32(value)) for value in (1.4, 0.9, 0.05, 0.4))
GM1 = GAM - 1.0
SPEED = math.sqrt(GAM) * MACH
#: The free stream has Mach 0.4 along x, unit pressure and density.
QINF = (1.0, SPEED, 0.0, 1.0 / GM1 + 0.5 * SPEED * SPEED)

STATE, POINT, VALUE = op2.array("f8", 4), op2.array("f8", 2), op2.array("f8", 1)


def save_soln(q: STATE, qold: STATE):
    for n in range(4):
        qold[n] = q[n]


def adt_calc(x1: POINT, x2: POINT, x3: POINT, x4: POINT, q: STATE, adt: VALUE):
    """Area over time step: the wave speed normal to each side, times the side's length, summed over
    the sides."""
    ri = 1.0 / q[0]
    u = ri * q[1]
    v = ri * q[2]
    c = math.sqrt(GAM * GM1 * (ri * q[3] - 0.5 * (u * u + v * v)))

    dx = x2[0] - x1[0]
    dy = x2[1] - x1[1]
    total = abs(u * dy - v * dx) + c * math.sqrt(dx * dx + dy * dy)

    dx = x3[0] - x2[0]
    dy = x3[1] - x2[1]
    total += abs(u * dy - v * dx) + c * math.sqrt(dx * dx + dy * dy)

    dx = x4[0] - x3[0]
    dy = x4[1] - x3[1]
    total += abs(u * dy - v * dx) + c * math.sqrt(dx * dx + dy * dy)

    dx = x1[0] - x4[0]
    dy = x1[1] - x4[1]
    total += abs(u * dy - v * dx) + c * math.sqrt(dx * dx + dy * dy)

    adt[0] = (1.0 / CFL) * total


def res_calc(x1: POINT, x2: POINT, q1: STATE, q2: STATE, adt1: VALUE, adt2: VALUE, res1: STATE,
             res2: STATE):
    """Flux through an interior edge, out of cell 1 and into cell 2."""
    dx = x1[0] - x2[0]
    dy = x1[1] - x2[1]

    ri = 1.0 / q1[0]
    p1 = GM1 * (q1[3] - 0.5 * ri * (q1[1] * q1[1] + q1[2] * q1[2]))
    vol1 = ri * (q1[1] * dy - q1[2] * dx)

    ri = 1.0 / q2[0]
    p2 = GM1 * (q2[3] - 0.5 * ri * (q2[1] * q2[1] + q2[2] * q2[2]))
    vol2 = ri * (q2[1] * dy - q2[2] * dx)

    mu = 0.5 * (adt1[0] + adt2[0]) * EPS

    f = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0])
    res1[0] += f
    res2[0] -= f
    f = 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1])
    res1[1] += f
    res2[1] -= f
    f = 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2])
    res1[2] += f
    res2[2] -= f
    f = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3])
    res1[3] += f
    res2[3] -= f


def bres_calc(x1: POINT, x2: POINT, q1: STATE, adt1: VALUE, res1: STATE, bound: op2.array("i4", 1)):
    """Flux through a boundary edge: pressure alone on the wall (bound 1), otherwise as between the
    cell and the free stream."""
    dx = x1[0] - x2[0]
    dy = x1[1] - x2[1]

    ri = 1.0 / q1[0]
    p1 = GM1 * (q1[3] - 0.5 * ri * (q1[1] * q1[1] + q1[2] * q1[2]))

    if bound[0] == 1:
        res1[1] += p1 * dy
        res1[2] -= p1 * dx
    else:
        vol1 = ri * (q1[1] * dy - q1[2] * dx)

        ri = 1.0 / QINF[0]
        p2 = GM1 * (QINF[3] - 0.5 * ri * (QINF[1] * QINF[1] + QINF[2] * QINF[2]))
        vol2 = ri * (QINF[1] * dy - QINF[2] * dx)

        mu = adt1[0] * EPS

        res1[0] += 0.5 * (vol1 * q1[0] + vol2 * QINF[0]) + mu * (q1[0] - QINF[0])
        res1[1] += (0.5 * (vol1 * q1[1] + p1 * dy + vol2 * QINF[1] + p2 * dy) +
                    mu * (q1[1] - QINF[1]))
        res1[2] += (0.5 * (vol1 * q1[2] - p1 * dx + vol2 * QINF[2] - p2 * dx) +
                    mu * (q1[2] - QINF[2]))
        res1[3] += 0.5 * (vol1 * (q1[3] + p1) + vol2 * (QINF[3] + p2)) + mu * (q1[3] - QINF[3])


def update(qold: STATE, q: STATE, res: STATE, adt: VALUE, rms: VALUE):
    """One stage of the time step; the residual is cleared for the next one."""
    per_adt = 1.0 / adt[0]
    for n in range(4):
        change = per_adt * res[n]
        q[n] = qold[n] - change
        res[n] = 0.0
        rms[0] += change * change


class Flow:
    """The mesh and the state."""

    def __init__(self, context, m):
        self.nodes = op2.Set(context, len(m.x), "nodes")
        self.cells = op2.Set(context, len(m.cell), "cells")
        self.edges = op2.Set(context, len(m.edge), "edges")
        self.bedges = op2.Set(context, len(m.bedge), "bedges")
        self.cell_nodes = op2.Map(self.cells, self.nodes, m.cell, "cell_nodes")
        self.edge_nodes = op2.Map(self.edges, self.nodes, m.edge, "edge_nodes")
        self.edge_cells = op2.Map(self.edges, self.cells, m.ecell, "edge_cells")
        self.bedge_nodes = op2.Map(self.bedges, self.nodes, m.bedge, "bedge_nodes")
        self.bedge_cells = op2.Map(self.bedges, self.cells, m.becell, "bedge_cells")
        self.x = op2.Dat(self.nodes, m.x, name="x")
        self.bound = op2.Dat(self.bedges, m.bound, name="bound")
        self.q = op2.Dat(self.cells, np.tile(QINF, (len(m.cell), 1)), name="q")
        self.qold = op2.Dat(self.cells, dim=4, name="qold")
        self.adt = op2.Dat(self.cells, name="adt")
        self.res = op2.Dat(self.cells, dim=4, name="res")
        self.rms = op2.Global(context, 0.0, name="rms")
        for function in (save_soln, adt_calc, res_calc, bres_calc, update):
            setattr(self, function.__name__, op2.Kernel.of_function(context, function))

    def queue_step(self):
        """Queue a time step."""
        op2.par_loop(self.save_soln, self.cells, self.q(op2.READ), self.qold(op2.WRITE))
        for _ in range(2):
            self.queue_stage()

    def queue_stage(self):
        """Queue one of its stages."""
        x, q, adt, res = self.x, self.q, self.adt, self.res
        op2.par_loop(self.adt_calc, self.cells,
                     *[x(op2.READ, self.cell_nodes, i) for i in range(4)], q(op2.READ),
                     adt(op2.WRITE))
        op2.par_loop(self.res_calc, self.edges,
                     x(op2.READ, self.edge_nodes, 0), x(op2.READ, self.edge_nodes, 1),
                     q(op2.READ, self.edge_cells, 0), q(op2.READ, self.edge_cells, 1),
                     adt(op2.READ, self.edge_cells, 0), adt(op2.READ, self.edge_cells, 1),
                     res(op2.INC, self.edge_cells, 0), res(op2.INC, self.edge_cells, 1))
        op2.par_loop(self.bres_calc, self.bedges,
                     x(op2.READ, self.bedge_nodes, 0), x(op2.READ, self.bedge_nodes, 1),
                     q(op2.READ, self.bedge_cells, 0), adt(op2.READ, self.bedge_cells, 0),
                     res(op2.INC, self.bedge_cells, 0), self.bound(op2.READ))
        self.rms.value = 0.0
        op2.par_loop(self.update, self.cells, self.qold(op2.READ), q(op2.WRITE), res(op2.RW),
                     adt(op2.READ), self.rms(op2.INC))

    def change(self):
        """The rms of the change in the last stage; the loops that it depends on run here."""
        return math.sqrt(self.rms.value / self.cells.size)


def main():
    path, steps, result = arguments("MESH STEPS [DUMP]")
    with op2.Context() as context:
        flow = Flow(context, read_grid(path))
        for step in timed(context, steps):
            flow.queue_step()
            if step % 100 == 0:
                print(f"{step} {flow.change():.15e}")
        print(f"rms {flow.change():.15e}")
        dump(result, flow.q.get(), flow.change())


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Sound in a closed box, by finite volumes: a complete program in PyOP2's style until 2018.

It has the loops of a flow solver: values are saved, fluxes through edges and walls are added to
cells, and an update finds the change. Kernels get pointers to the rows of what a map leads to.
"""
import sys

import numpy as np

from op2 import pyop2 as op2

AREA = """
static void area(double *a, double **x) {
  *a = 0.5 * ((x[2][0] - x[0][0]) * (x[3][1] - x[1][1])
              - (x[3][0] - x[1][0]) * (x[2][1] - x[0][1]));
}"""

SAVE = "static void save(double *old, double *q) { for (int i = 0; i < 3; i++) old[i] = q[i]; }"

# Pressure and velocity on both sides of an edge; the scheme takes the side that sound comes from.
FLUX = """
static void flux(double **x, double **q, double **r) {
  double n0 = x[1][1] - x[0][1], n1 = x[0][0] - x[1][0], s = sqrt(n0 * n0 + n1 * n1), f[3];
  double p = 0.5 * (q[0][0] + q[1][0]);
  f[0] = 0.5 * (n0 * (q[0][1] + q[1][1]) + n1 * (q[0][2] + q[1][2]))
         - 0.5 * s * (q[1][0] - q[0][0]);
  f[1] = p * n0 - 0.5 * s * (q[1][1] - q[0][1]);
  f[2] = p * n1 - 0.5 * s * (q[1][2] - q[0][2]);
  for (int i = 0; i < 3; i++) {
    r[0][i] += f[i];
    r[1][i] -= f[i];
  }
}"""

WALL = """
static void wall(double **x, double **q, double **r) {
  r[0][1] += q[0][0] * (x[1][1] - x[0][1]);
  r[0][2] += q[0][0] * (x[0][0] - x[1][0]);
}"""

UPDATE = """
static void update(double *q, double *old, double *r, double *a, double *rms) {
  for (int i = 0; i < 3; i++) {
    double change = -time_step * r[i] / *a;
    q[i] = old[i] + change;
    r[i] = 0;
    *rms += change * change;
  }
}"""


def box(columns, rows):
    """Nodes' coordinates, the nodes of each cell, and the nodes and cells of edges and walls."""
    node = np.arange((columns + 1) * (rows + 1)).reshape(rows + 1, columns + 1)
    cell = np.arange(columns * rows).reshape(rows, columns)
    y, x = np.mgrid[:rows + 1, :columns + 1]
    coordinates = np.stack([x + 0.2 * np.sin(y), y + 0.1 * np.cos(x)], axis=-1).reshape(-1, 2)
    corners = np.stack([node[:-1, :-1], node[:-1, 1:], node[1:, 1:], node[1:, :-1]], -1)

    def pair(a, b):
        return np.stack([a.ravel(), b.ravel()], axis=1)

    edges = np.concatenate([pair(node[:-1, 1:-1], node[1:, 1:-1]),
                            pair(node[1:-1, 1:], node[1:-1, :-1])])
    sides = np.concatenate([pair(cell[:, :-1], cell[:, 1:]), pair(cell[:-1], cell[1:])])
    walls = np.concatenate([pair(node[0, :-1], node[0, 1:]), pair(node[:-1, -1], node[1:, -1]),
                            pair(node[-1, 1:], node[-1, :-1]), pair(node[1:, 0], node[:-1, 0])])
    inner = np.concatenate([cell[0], cell[:, -1], cell[-1], cell[:, 0]])
    return coordinates, corners.reshape(-1, 4), edges, sides, walls, inner


def main(columns, rows, steps):
    """The values of all cells at the end, their areas, and the changes of each step."""
    coordinates, corners, edges, sides, walls, inner = box(columns, rows)
    nodes, cells = op2.Set(len(coordinates), "nodes"), op2.Set(len(corners), "cells")
    between, outside = op2.Set(len(edges), "edges"), op2.Set(len(walls), "walls")
    cell_nodes = op2.Map(cells, nodes, 4, corners, "cell_nodes")
    edge_nodes = op2.Map(between, nodes, 2, edges, "edge_nodes")
    edge_cells = op2.Map(between, cells, 2, sides, "edge_cells")
    wall_nodes = op2.Map(outside, nodes, 2, walls, "wall_nodes")
    wall_cells = op2.Map(outside, cells, 1, inner, "wall_cells")

    start = np.zeros((len(corners), 3))
    start[:, 0] = np.exp(-0.1 * ((coordinates[corners].mean(axis=1) - 3) ** 2).sum(axis=1))
    x = op2.Dat(nodes ** 2, coordinates, np.float64, "x")
    q = op2.Dat(cells ** 3, start, np.float64, "q")
    old = op2.Dat(cells ** 3, None, np.float64, "old")
    r = op2.Dat(cells ** 3, None, np.float64, "r")
    a = op2.Dat(cells, None, np.float64, "a")
    time_step = op2.Const(1, 0.2, "time_step", np.float64)

    area, save = op2.Kernel(AREA, "area"), op2.Kernel(SAVE, "save")
    flux, wall = op2.Kernel(FLUX, "flux"), op2.Kernel(WALL, "wall")
    update = op2.Kernel(UPDATE, "update")
    op2.par_loop(area, cells, a(op2.WRITE), x(op2.READ, cell_nodes))
    changes = []
    for _ in range(steps):
        op2.par_loop(save, cells, old(op2.WRITE), q(op2.READ))
        op2.par_loop(flux, between, x(op2.READ, edge_nodes), q(op2.READ, edge_cells),
                     r(op2.INC, edge_cells))
        op2.par_loop(wall, outside, x(op2.READ, wall_nodes), q(op2.READ, wall_cells),
                     r(op2.INC, wall_cells))
        rms = op2.Global(1, 0.0, np.float64, "rms")
        op2.par_loop(update, cells, q(op2.WRITE), old(op2.READ), r(op2.RW), a(op2.READ),
                     rms(op2.INC))
        changes.append(rms)
    time_step.remove_from_namespace()
    return q.data_ro.copy(), a.data_ro.copy(), [float(rms.data[0]) for rms in changes]


if __name__ == "__main__":
    op2.init(backend=sys.argv[1] if len(sys.argv) > 1 else None)
    for number, change in enumerate(main(40, 30, 20)[2]):
        print(f"step {number:2}: rms {change:.5e}")
    op2.exit()

# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation on the unit square by linear finite elements: a complete program in PyOP2's
style since 2019. The right-hand side is the mass matrix times the values of f. Kernels get one
packed buffer of what a map leads to.
"""
import sys

import numpy as np

from op2 import pyop2 as op2

MASS = """
static void mass(double A[3][3], const double x[3][2]) {
  double det = fabs((x[1][0] - x[0][0]) * (x[2][1] - x[0][1])
                    - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[i][j] += det * (i == j ? 2 : 1) / 24;
}"""

STIFFNESS = """
static void stiffness(double A[3][3], const double x[3][2]) {
  double det = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1])
               - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  double g[3][2];
  for (int i = 0; i < 3; i++) {
    g[i][0] = (x[(i + 1) % 3][1] - x[(i + 2) % 3][1]) / det;
    g[i][1] = (x[(i + 2) % 3][0] - x[(i + 1) % 3][0]) / det;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A[i][j] += 0.5 * fabs(det) * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
}"""

SOURCE = """
static void source(double *f, const double *x) {
  *f = 2 * M_PI * M_PI * sin(M_PI * x[0]) * sin(M_PI * x[1]);
}"""

NORM = """
static void norm(double *sum, const double *u, const double x[3][2]) {
  double det = fabs((x[1][0] - x[0][0]) * (x[2][1] - x[0][1])
                    - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]));
  for (int i = 0; i < 3; i++) *sum += det / 6 * u[i] * u[i];
}"""


def square(n):
    """Nodes' coordinates, the nodes of each triangle, and which nodes are on the boundary."""
    node = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    y, x = np.mgrid[:n + 1, :n + 1] / n
    a, b, c, d = (part.ravel() for part in (node[:-1, :-1], node[:-1, 1:], node[1:, 1:],
                                            node[1:, :-1]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    edge = np.ones((n + 1, n + 1), bool)
    edge[1:-1, 1:-1] = False
    return np.stack([x.ravel(), y.ravel()], 1), triangles, node[edge]


def main(n):
    """The matrices of mass and stiffness, the solution at the nodes, and its norm."""
    coordinates, triangles, edge = square(n)
    nodes, elements = op2.Set(len(coordinates), "nodes"), op2.Set(len(triangles), "elements")
    corners = op2.Map(elements, nodes, 3, triangles, "corners")
    boundary = op2.Subset(nodes, edge)
    x = op2.Dat(nodes ** 2, coordinates, np.float64, "x")
    f, u = op2.Dat(nodes ** 1, name="f"), op2.Dat(nodes ** 1, name="u")

    sparsity = op2.Sparsity((nodes ** 1, nodes ** 1), [(corners, corners)], "p1")
    M, A = op2.Mat(sparsity, np.float64, "M"), op2.Mat(sparsity, np.float64, "A")
    for matrix, kernel in ((M, op2.Kernel(MASS, "mass")), (A, op2.Kernel(STIFFNESS, "stiffness"))):
        op2.par_loop(kernel, elements, matrix(op2.INC, (corners, corners)), x(op2.READ, corners))
    op2.par_loop(op2.Kernel(SOURCE, "source"), nodes, f(op2.WRITE), x(op2.READ))
    b = M * f
    A.zero_rows(boundary)
    b.zero(boundary)
    op2.Solver(ksp_type="gmres", ksp_rtol=1e-10).solve(A, u, b)

    size = op2.Global(1, 0.0, np.float64, "size")
    op2.par_loop(op2.Kernel(NORM, "norm"), elements, size(op2.INC), u(op2.READ, corners),
                 x(op2.READ, corners))
    return M.values, A.values, u.data_ro.copy(), float(np.sqrt(size.data[0]))


if __name__ == "__main__":
    op2.init(backend=sys.argv[1] if len(sys.argv) > 1 else None)
    print(f"norm {main(16)[3]:.6f}, and 0.5 is exact")
    op2.exit()

# SPDX-License-Identifier: BSD-3-Clause
"""A wave that travels round a ring, by the package for Python: advection.py [NODES [STEPS]]

Kernels are text of C here; doc/python.md says how a function of Python can be one.
"""
import math
import sys

import numpy

import op2


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    context = op2.Context()
    nodes, edges = op2.Set(context, count, "nodes"), op2.Set(context, count, "edges")
    left = numpy.arange(count, dtype=numpy.int32)
    ends = op2.Map(edges, nodes, numpy.stack([left, (left + 1) % count], axis=1), "ends")
    start = numpy.sin(2 * math.pi * left / count)
    u = op2.Dat(nodes, start, name="u")
    change = op2.Dat(nodes, name="change")
    energy = op2.Global(context, 0.0, name="energy")

    # The value on the left travels to the right through each edge.
    upwind = op2.Kernel(context, "upwind", """
        void upwind(const double *u, double *left, double *right) {
          *left -= 0.5 * *u;
          *right += 0.5 * *u;
        }""")
    update = op2.Kernel(context, "update", """
        void update(double *change, double *u) {
          *u += *change;
          *change = 0;
        }""")
    square = op2.Kernel(context, "square", """
        void square(const double *u, double *energy) { *energy += *u * *u; }""")

    for _ in range(steps):
        op2.par_loop(upwind, edges, u(op2.READ, ends, 0), change(op2.INC, ends, 0),
                     change(op2.INC, ends, 1))
        op2.par_loop(update, nodes, change(op2.RW), u(op2.RW))
    op2.par_loop(square, nodes, u(op2.READ), energy(op2.INC))

    values = u.get()
    print(f"sum {abs(values.sum()):.6f}, energy {float(energy.value) / float((start**2).sum()):.6f}")


main()

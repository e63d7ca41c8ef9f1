# SPDX-License-Identifier: BSD-3-Clause
"""Heat that spreads over a mesh, as bench/heat computes it, with the same bits:

    python heat.py MESH STEPS [DUMP]

MESH is a file of OP2's form, DUMP gets the temperatures and then the last change."""
import numpy as np
import op2
from mesh import arguments, dump, read_grid, timed

VALUE = op2.array("f8", 1)


def flow(weight: VALUE, ua: VALUE, ub: VALUE, ga: VALUE, gb: VALUE):
    heat = weight[0] * (ub[0] - ua[0])
    ga[0] += heat
    gb[0] -= heat


def advance(rate: VALUE, gain: VALUE, u: VALUE):
    u[0] += rate[0] * gain[0]


def measure(rate: VALUE, gain: VALUE, change: VALUE):
    """The largest change; the gains are set to zero for the next time step."""
    size = abs(rate[0] * gain[0])
    change[0] = size if size > change[0] else change[0]
    gain[0] = 0.0


def problem(m):
    """Areas of the volumes round the nodes, widths of the edges, the length of time steps divided
    by the areas, and the temperatures at the start."""
    corners = m.x[m.cell]
    twice = np.zeros(len(m.cell))
    for a, b in zip(np.moveaxis(corners, 1, 0), np.moveaxis(np.roll(corners, -1, axis=1), 1, 0)):
        twice += a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    area = np.zeros(len(m.x))
    np.add.at(area, m.cell.ravel(), np.repeat(0.125 * abs(twice), 4))

    centre = np.zeros((len(m.cell), 2))
    for k in range(4):
        centre += 0.25 * corners[:, k]
    across = centre[m.ecell[:, 0]] - centre[m.ecell[:, 1]]
    along = m.x[m.edge[:, 0]] - m.x[m.edge[:, 1]]
    weight = np.hypot(across[:, 0], across[:, 1]) / np.hypot(along[:, 0], along[:, 1])

    weights = np.zeros(len(m.x))
    np.add.at(weights, m.edge.ravel(), np.repeat(weight, 2))
    used = weights > 0
    rate = (0.5 * area[used] / weights[used]).min() / area
    x, y = m.x[:, 0] + 0.5, m.x[:, 1]
    return area, weight, rate, 1.0 / (1.0 + 4.0 * (x * x + y * y))


def main():
    path, steps, result = arguments("MESH STEPS [DUMP]")
    m = read_grid(path)
    area, widths, rates, start = problem(m)
    with op2.Context() as context:
        nodes, edges = op2.Set(context, len(m.x), "nodes"), op2.Set(context, len(m.edge), "edges")
        ends = op2.Map(edges, nodes, m.edge, "edge_nodes")
        weight, rate = op2.Dat(edges, widths, name="weight"), op2.Dat(nodes, rates, name="rate")
        u, gain = op2.Dat(nodes, start, name="u"), op2.Dat(nodes, name="gain")
        change = op2.Global(context, 0.0, name="change")
        kernels = [op2.Kernel.of_function(context, each) for each in (flow, advance, measure)]
        for step in timed(context, steps):
            change.value = 0.0
            op2.par_loop(kernels[0], edges, weight(op2.READ), u(op2.READ, ends, 0),
                         u(op2.READ, ends, 1), gain(op2.INC, ends, 0), gain(op2.INC, ends, 1))
            op2.par_loop(kernels[1], nodes, rate(op2.READ), gain(op2.READ), u(op2.RW))
            op2.par_loop(kernels[2], nodes, rate(op2.READ), gain(op2.RW), change(op2.MAX))
            largest = change.value
            if step % 100 == 0:
                print(f"{step} {largest:.15e}")
        print(f"heat {(area * u.data_ro).sum():.15e}")
        dump(result, u.get(), largest)


if __name__ == "__main__":
    main()

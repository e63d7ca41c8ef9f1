# SPDX-License-Identifier: BSD-3-Clause
"""Shallow water in a channel round a pier, on a mesh of Gmsh, as examples/shallow_water computes it,
with checkpoints:

    python shallow_water.py MESH END RESULT STATE [STEPS]

MESH is a file such as examples/channel.msh, END the simulated time, in seconds. Results for ParaView
are in RESULT.pvd. Checkpoints are STATE.000001.h5 and so on: the program goes on from the last one.
STEPS is the most that this run does."""
import math
import sys

import op2

STATE, VALUE, VELOCITY = op2.array("f8", 3), op2.array("f8", 1), op2.array("f8", 2)
POINTS = op2.array("f8", slots=True)
#: The state, which is depth and momentum, of the water that flows in.
INFLOW = (1.0, 1.5, 0.0)
GRAV, NO_STEP = 9.81, 1e30
WALLS, INLET = 0, 1


def start(x: POINTS, area: VALUE, h: VALUE, q: STATE):
    """The size h of a cell is twice the area over the longest side."""
    longest = 0.0
    total = 0.0
    for k in range(3):
        n = k + 1 if k < 2 else 0
        u = x[n][0] - x[k][0]
        v = x[n][1] - x[k][1]
        longest = max(longest, math.sqrt(u * u + v * v))
        total += 0.5 * (x[k][0] * x[n][1] - x[n][0] * x[k][1])
        q[k] = INFLOW[k]
    area[0] = total
    h[0] = 2 * total / longest


def time_step(q: STATE, h: VALUE, dt: VALUE):
    speed = math.sqrt(q[1] * q[1] + q[2] * q[2]) / q[0] + math.sqrt(GRAV * q[0])
    dt[0] = min(dt[0], h[0] / speed)


def rusanov(x, l0, l1, l2, r0, r1, r2, f):
    """Rusanov's flux through an edge, out of the cell on its left."""
    nx = x[1][1] - x[0][1]
    ny = x[0][0] - x[1][0]
    size = math.sqrt(nx * nx + ny * ny)
    ul = (l1 * nx + l2 * ny) / l0
    ur = (r1 * nx + r2 * ny) / r0
    a = max(abs(ul) + size * math.sqrt(GRAV * l0), abs(ur) + size * math.sqrt(GRAV * r0))
    p = 0.5 * GRAV * (l0 * l0 + r0 * r0)
    f[0] = 0.5 * (l0 * ul + r0 * ur - a * (r0 - l0))
    f[1] = 0.5 * (l1 * ul + r1 * ur + p * nx - a * (r1 - l1))
    f[2] = 0.5 * (l2 * ul + r2 * ur + p * ny - a * (r2 - l2))


def edge(x: POINTS, l: STATE, r: STATE, a: STATE, b: STATE):
    f = [0.0] * 3
    rusanov(x, l[0], l[1], l[2], r[0], r[1], r[2], f)
    for k in range(3):
        a[k] -= f[k]
        b[k] += f[k]


def outer(x: POINTS, group: int, q: STATE, r: STATE):
    f = [0.0] * 3
    if group == WALLS:
        p = 0.5 * GRAV * q[0] * q[0]
        f[1] = p * (x[1][1] - x[0][1])
        f[2] = p * (x[0][0] - x[1][0])
    elif group == INLET:
        rusanov(x, q[0], q[1], q[2], INFLOW[0], INFLOW[1], INFLOW[2], f)
    else:
        rusanov(x, q[0], q[1], q[2], q[0], q[1], q[2], f)
    for k in range(3):
        r[k] -= f[k]


def update(area: VALUE, dt: float, r: STATE, q: STATE):
    for k in range(3):
        q[k] += dt / area[0] * r[k]
        r[k] = 0.0


def show(q: STATE, area: VALUE, depth: VALUE, velocity: VELOCITY, sums: VELOCITY):
    depth[0] = q[0]
    for k in range(2):
        velocity[k] = q[1 + k] / q[0]
        sums[k] += area[0] * q[k]


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(f"usage: {sys.argv[0]} MESH END RESULT STATE [STEPS]")
    path, end, result, state = sys.argv[1], float(sys.argv[2]), *sys.argv[3:5]
    most = int(sys.argv[5]) if len(sys.argv) > 5 else None
    with op2.Context() as context:
        mesh = op2.read_mesh(context, path)
        cells, x, faces = mesh.cells, mesh.coordinates, mesh.faces()
        groups = [mesh.group(name, faces.boundary) for name in ("walls", "inlet", "outlet")]
        start_, time_step_, edge_, outer_, update_, show_ = [
            op2.Kernel.of_function(context, each)
            for each in (start, time_step, edge, outer, update, show)]
        q, r = op2.Dat(cells, dim=3, name="q"), op2.Dat(cells, dim=3, name="r")
        area, h = op2.Dat(cells, name="area"), op2.Dat(cells, name="h")
        depth, velocity = op2.Dat(cells, name="depth"), op2.Dat(cells, dim=2, name="velocity")
        least, sums = op2.Global(context, 0.0), op2.Global(context, [0.0, 0.0])
        op2.par_loop(start_, cells, x(op2.READ, mesh.cell_nodes), area(op2.WRITE), h(op2.WRITE),
                     q(op2.WRITE))
        with mesh.series(result) as series, op2.Checkpoint(context, state, calls=25) as checkpoint:
            checkpoint.add(q)
            step, t = checkpoint.add_counter("step", 0), checkpoint.add_counter("time", 0.0)
            if checkpoint.read():
                print(f"from step {step}")
            last, stop = step + most if most else math.inf, False
            while t < end and step < last and not stop:
                least.value = NO_STEP
                op2.par_loop(time_step_, cells, q(op2.READ), h(op2.READ), least(op2.MIN))
                op2.par_loop(edge_, faces.interior, x(op2.READ, faces.nodes),
                             q(op2.READ, faces.cells, 0), q(op2.READ, faces.cells, 1),
                             r(op2.INC, faces.cells, 0), r(op2.INC, faces.cells, 1))
                for number, group in enumerate(groups):
                    op2.par_loop(outer_, group, x(op2.READ, faces.boundary_nodes), number,
                                 q(op2.READ, faces.boundary_cell, 0),
                                 r(op2.INC, faces.boundary_cell, 0))
                dt = min(0.45 * float(least), end - float(t))
                op2.par_loop(update_, cells, area(op2.READ), dt, r(op2.RW), q(op2.RW))
                t += dt
                step += 1
                stop = checkpoint.step()
            op2.par_loop(show_, cells, q(op2.READ), area(op2.READ), depth(op2.WRITE),
                         velocity(op2.WRITE), sums(op2.INC))
            series.write(float(t), [depth, velocity])
        volume, momentum = sums.value
        print(f"volume {volume:.15g}, momentum {momentum:.15g}")


if __name__ == "__main__":
    main()

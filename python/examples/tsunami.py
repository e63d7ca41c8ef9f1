# SPDX-License-Identifier: BSD-3-Clause
"""A tsunami by the shallow-water equations on triangles, as bench/tsunami computes it, with the
same bits:

    python tsunami.py IxJ STEPS [DUMP]

The sea is cut into I * J rectangles of two triangles each. DUMP gets the state of the cells and
then the simulated time.

The state q of a cell is the depth h of its water, the discharges hu and hv, and the level z of its
ground. Fluxes are those of Harten, Lax and van Leer, between depths that are reconstructed so that
water at rest stays at rest over any ground; time steps are Heun's."""
import math

import op2
from mesh import EXTENT, arguments, dump, timed, triangles

#: Acceleration of gravity, the depth up to which a cell counts as dry, the Courant number, and the
#: height of the wave at the start.
GRAV, DRY, CFL, HUMP = 9.81, 1e-3, 0.5, 5.0
#: The search for the least time step begins here.
NO_STEP = 1e30

STATE, SIDE, SUM = op2.array("f8", 4), op2.array("f8", 3), op2.array("f8", 3)
POINT, VALUE, CORNERS = op2.array("f8", 2), op2.array("f8", 1), op2.array("f8", slots=True)


def side_geometry(x1: POINT, x2: POINT, normal: SIDE):
    """Unit normal and length of an edge."""
    dx = x2[0] - x1[0]
    dy = x2[1] - x1[1]
    length = math.sqrt(dx * dx + dy * dy)
    normal[0] = dy / length
    normal[1] = -dx / length
    normal[2] = length


def start(x: CORNERS, area: VALUE, q: STATE):
    """Area of a cell and its state: a deep sea, an island in it, a shelf that ends in a beach, and
    a hump of water in the deep part."""
    sx = (x[0][0] + x[1][0] + x[2][0]) / (3.0 * EXTENT)
    sy = (x[0][1] + x[1][1] + x[2][1]) / (3.0 * EXTENT)
    area[0] = 0.5 * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                     (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]))

    z = -1000.0 + 475.0 * (1.0 + math.tanh((sx - 0.6) / 0.08))
    if sx > 0.85:
        z += 1000.0 * (sx - 0.85)
    ax = (sx - 0.45) / 0.1
    ay = (sy - 0.6) / 0.1
    z += 1300.0 * math.exp(-0.5 * (ax * ax + ay * ay))

    bx = (sx - 0.25) / 0.06
    by = (sy - 0.4) / 0.06
    surface = HUMP * math.exp(-0.5 * (bx * bx + by * by))
    q[0] = surface - z if z < 0.0 else 0.0
    q[1] = 0.0
    q[2] = 0.0
    q[3] = z


def flux(normal: SIDE, q1: STATE, q2: STATE, res1: SUM, res2: SUM, rate1: VALUE, rate2: VALUE):
    """The flux across an edge from cell 1 to cell 2, and for both cells the wave speed there times
    the edge's length. The pressure that the edge would carry with its own cell's depth is left out
    of either cell's balance, because its sum round a cell is zero."""
    ground = max(q1[3], q2[3])
    h1 = q1[0] + q1[3] - ground
    h2 = q2[0] + q2[3] - ground
    if h1 <= DRY:
        h1 = 0.0
    if h2 <= DRY:
        h2 = 0.0

    if h1 > 0.0 or h2 > 0.0:
        u1 = v1 = u2 = v2 = 0.0
        if h1 > 0.0:
            per_depth = 1.0 / q1[0]
            u1 = per_depth * (q1[1] * normal[0] + q1[2] * normal[1])
            v1 = per_depth * (q1[2] * normal[0] - q1[1] * normal[1])
        if h2 > 0.0:
            per_depth = 1.0 / q2[0]
            u2 = per_depth * (q2[1] * normal[0] + q2[2] * normal[1])
            v2 = per_depth * (q2[2] * normal[0] - q2[1] * normal[1])
        c1 = math.sqrt(GRAV * h1)
        c2 = math.sqrt(GRAV * h2)

        # Einfeldt's wave speeds where both sides are wet, and the front's where one is dry.
        if h1 == 0.0:
            s1 = u2 - 2.0 * c2
            s2 = u2 + c2
        elif h2 == 0.0:
            s1 = u1 - c1
            s2 = u1 + 2.0 * c1
        else:
            um = 0.5 * (u1 + u2) + c1 - c2
            cm = 0.5 * (c1 + c2) + 0.25 * (u1 - u2)
            s1 = min(u1 - c1, um - cm)
            s2 = max(u2 + c2, um + cm)

        p1 = 0.5 * GRAV * h1 * h1
        p2 = 0.5 * GRAV * h2 * h2
        if s1 >= 0.0:
            mass = h1 * u1
            push = mass * u1 + p1
        elif s2 <= 0.0:
            mass = h2 * u2
            push = mass * u2 + p2
        else:
            d1 = h1 * u1
            d2 = h2 * u2
            per_fan = 1.0 / (s2 - s1)
            mass = per_fan * (s2 * d1 - s1 * d2 + s1 * s2 * (h2 - h1))
            push = per_fan * (s2 * (d1 * u1 + p1) - s1 * (d2 * u2 + p2) + s1 * s2 * (d2 - d1))
        drag = mass * v1 if mass > 0.0 else mass * v2

        length = normal[2]
        res1[0] -= length * mass
        res1[1] -= length * ((push - p1) * normal[0] - drag * normal[1])
        res1[2] -= length * ((push - p1) * normal[1] + drag * normal[0])
        res2[0] += length * mass
        res2[1] += length * ((push - p2) * normal[0] - drag * normal[1])
        res2[2] += length * ((push - p2) * normal[1] + drag * normal[0])

        speed = length * max(abs(s1), abs(s2))
        rate1[0] += speed
        rate2[0] += speed


def wall(normal: SIDE, q: STATE, res: SUM, rate: VALUE):
    """A reflecting wall: the flux against the cell's own mirror image."""
    if q[0] > DRY:
        u = (q[1] * normal[0] + q[2] * normal[1]) / q[0]
        speed = abs(u) + math.sqrt(GRAV * q[0])
        push = q[0] * u * (u + speed)
        res[1] -= normal[2] * push * normal[0]
        res[2] -= normal[2] * push * normal[1]
        rate[0] += normal[2] * speed


def time_step(area: VALUE, rate: VALUE, dt: VALUE):
    """The least time step that is stable for all cells."""
    if rate[0] > 0.0:
        dt[0] = min(dt[0], CFL * area[0] / rate[0])


def predict(dt: VALUE, area: VALUE, q: STATE, res: SUM, rate: VALUE, ahead: STATE):
    """The first stage: a whole Euler step."""
    factor = dt[0] / area[0]
    for n in range(3):
        ahead[n] = q[n] + factor * res[n]
        res[n] = 0.0
    if ahead[0] <= DRY:
        ahead[1] = 0.0
        ahead[2] = 0.0
    ahead[3] = q[3]
    rate[0] = 0.0


def correct(dt: VALUE, area: VALUE, ahead: STATE, res: SUM, rate: VALUE, q: STATE):
    """The second stage: half way from the old state to an Euler step from the predicted one."""
    factor = dt[0] / area[0]
    for n in range(3):
        q[n] = 0.5 * (q[n] + ahead[n] + factor * res[n])
        res[n] = 0.0
    if q[0] <= DRY:
        q[1] = 0.0
        q[2] = 0.0
    rate[0] = 0.0


def survey(area: VALUE, q: STATE, sums: POINT, depth: VALUE, speed: VALUE):
    """Volume and energy of the water, its least depth and greatest speed."""
    sums[0] += area[0] * q[0]
    depth[0] = min(depth[0], q[0])
    if q[0] > DRY:
        square = (q[1] * q[1] + q[2] * q[2]) / (q[0] * q[0])
        surface = q[0] + q[3]
        sums[1] += 0.5 * area[0] * (q[0] * square + GRAV * surface * surface)
        speed[0] = max(speed[0], math.sqrt(square))


class Sea:
    """The mesh, its geometry and the state of the water."""

    def __init__(self, context, m):
        self.nodes = op2.Set(context, len(m.x), "nodes")
        self.cells = op2.Set(context, len(m.cell), "cells")
        self.edges = op2.Set(context, len(m.edge), "edges")
        self.walls = op2.Set(context, len(m.bedge), "walls")
        self.cell_nodes = op2.Map(self.cells, self.nodes, m.cell, "cell_nodes")
        self.edge_nodes = op2.Map(self.edges, self.nodes, m.edge, "edge_nodes")
        self.edge_cells = op2.Map(self.edges, self.cells, m.ecell, "edge_cells")
        self.wall_nodes = op2.Map(self.walls, self.nodes, m.bedge, "wall_nodes")
        self.wall_cells = op2.Map(self.walls, self.cells, m.becell, "wall_cells")
        self.x = op2.Dat(self.nodes, m.x, name="x")
        self.area = op2.Dat(self.cells, name="area")
        self.edge_normal = op2.Dat(self.edges, dim=3, name="edge_normal")
        self.wall_normal = op2.Dat(self.walls, dim=3, name="wall_normal")
        #: The state, and the state that the first stage predicts.
        self.q, self.ahead = (op2.Dat(self.cells, dim=4, name=name) for name in ("q", "ahead"))
        #: Net inflow of a cell per second, times its area.
        self.res = op2.Dat(self.cells, dim=3, name="res")
        #: Speed of the waves, integrated round a cell.
        self.rate = op2.Dat(self.cells, name="rate")
        self.dt, self.depth, self.speed = (
            op2.Global(context, 0.0, name=name) for name in ("dt", "depth", "speed"))
        self.sums = op2.Global(context, dim=2, name="sums")
        for function in (side_geometry, start, flux, wall, time_step, predict, correct, survey):
            setattr(self, function.__name__, op2.Kernel.of_function(context, function))

    def queue_start(self):
        """Queue the geometry and the state at the start."""
        for sides, nodes, normal in ((self.edges, self.edge_nodes, self.edge_normal),
                                     (self.walls, self.wall_nodes, self.wall_normal)):
            op2.par_loop(self.side_geometry, sides, self.x(op2.READ, nodes, 0),
                         self.x(op2.READ, nodes, 1), normal(op2.WRITE))
        op2.par_loop(self.start, self.cells, self.x(op2.READ, self.cell_nodes),
                     self.area(op2.WRITE), self.q(op2.WRITE))

    def queue_fluxes(self, state):
        """Queue the fluxes that follow from the state of all cells."""
        at, res, rate = self.edge_cells, self.res, self.rate
        op2.par_loop(self.flux, self.edges, self.edge_normal(op2.READ), state(op2.READ, at, 0),
                     state(op2.READ, at, 1), res(op2.INC, at, 0), res(op2.INC, at, 1),
                     rate(op2.INC, at, 0), rate(op2.INC, at, 1))
        at = self.wall_cells
        op2.par_loop(self.wall, self.walls, self.wall_normal(op2.READ), state(op2.READ, at, 0),
                     res(op2.INC, at, 0), rate(op2.INC, at, 0))

    def queue_time_step(self):
        """Queue the first fluxes of a time step, and the largest length that it may have."""
        self.queue_fluxes(self.q)
        self.dt.value = NO_STEP
        op2.par_loop(self.time_step, self.cells, self.area(op2.READ), self.rate(op2.READ),
                     self.dt(op2.MIN))

    def queue_stages(self):
        """Queue both stages; the kernels read the length of the time step from the global."""
        op2.par_loop(self.predict, self.cells, self.dt(op2.READ), self.area(op2.READ),
                     self.q(op2.READ), self.res(op2.RW), self.rate(op2.WRITE),
                     self.ahead(op2.WRITE))
        self.queue_fluxes(self.ahead)
        op2.par_loop(self.correct, self.cells, self.dt(op2.READ), self.area(op2.READ),
                     self.ahead(op2.READ), self.res(op2.RW), self.rate(op2.WRITE),
                     self.q(op2.RW))

    def step(self):
        """A time step; returns its length, for which all that was queued before runs."""
        self.queue_time_step()
        length = self.dt.value
        self.queue_stages()
        return length

    def take_survey(self):
        """Volume, energy, least depth and greatest speed of the water now."""
        self.sums.value, self.depth.value, self.speed.value = 0.0, math.inf, 0.0
        op2.par_loop(self.survey, self.cells, self.area(op2.READ), self.q(op2.READ),
                     self.sums(op2.INC), self.depth(op2.MIN), self.speed(op2.MAX))
        return (*self.sums.value, self.depth.value, self.speed.value)


def main():
    size, steps, result = arguments("IxJ STEPS [DUMP]")
    with op2.Context() as context:
        sea = Sea(context, triangles(*(int(number) for number in size.split("x"))))
        sea.queue_start()
        context.flush()
        time = 0.0
        for step in timed(context, steps):
            time += sea.step()
            if step % 100 == 0:
                print(step, " ".join(f"{each:.15e}" for each in (time, *sea.take_survey())))
        dump(result, sea.q.get(), time)


if __name__ == "__main__":
    main()

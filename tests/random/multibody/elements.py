"""Bodies, forces and one-dimensional elements: what they add to the balance of virtual power, and their energies.

Every element has `kinds` (the powers it integrates, as the energy audit names them), `powers(m)`, `stored(m)`, and
`inertia(m)`: what it takes at its frames because of accelerations, beyond what it pushed in `act`.
"""
from dataclasses import dataclass

import numpy

from multibody.frames import Frame, point, sequence_rates, skew


class Element:
    kinds = ()

    @property
    def name(self):
        """Of the part whose row of the energy audit has it."""
        return self.part.name

    def act(self, m, balance):
        pass

    def inertia(self, m):
        return []

    def powers(self, m):
        return []

    def stored(self, m):
        return 0.0


@dataclass
class Mass(Element):
    """A rigid body on a frame: Newton and Euler about its centre of mass."""
    part: object
    frame: str
    system: object
    m: float
    centre: numpy.ndarray
    J: numpy.ndarray

    def __post_init__(self):
        self.kinds = () if self.system.potential else ("supplied",)  # gravity without potential is a source

    def pieces(self, m):
        f = m.nodes[self.part.frames[self.frame]]
        return f, point(f, f.R.T @ self.centre), f.R.T @ self.J @ f.R

    def act(self, m, balance):
        f, c, J = self.pieces(m)
        balance.mass(c.V, c.a - self.system.field(c.x), self.m)
        balance.M += f.W.T @ J @ f.W
        balance.Q -= f.W.T @ (J @ f.d + skew(f.w) @ (J @ f.w))

    def inertia(self, m):
        f, c, J = self.pieces(m)
        F = self.m * (c.a + c.V @ m.rates - self.system.field(c.x))
        T = J @ (f.d + f.W @ m.rates) + skew(f.w) @ (J @ f.w)
        return [((self.part.name, self.frame), (F, T + skew(c.x - f.x) @ F))]

    def powers(self, m):
        if self.system.potential:
            return []
        _, c, _ = self.pieces(m)
        return [self.m * self.system.field(c.x) @ c.v]

    def stored(self, m):
        f, c, J = self.pieces(m)
        energy = 0.5 * self.m * c.v @ c.v + 0.5 * f.w @ J @ f.w
        return energy + self.m * self.system.potential(c.x) if self.system.potential else energy


@dataclass
class LineMass(Element):
    """A point mass on the line between two frames: at `fraction` of it, or at `distance` from the frame `near`."""
    part: object
    system: object
    m: float
    fraction: float = None
    distance: float = None
    near: str = "frame_a"

    def __post_init__(self):
        self.kinds = () if self.system.potential else ("supplied",)

    def motion(self, m):
        """The mass as a frame, and how much of a force on it each end takes."""
        far = "frame_b" if self.near == "frame_a" else "frame_a"
        a, b = (m.nodes[self.part.frames[name]] for name in (self.near, far))
        r, v, V, acc = b.x - a.x, b.v - a.v, b.V - a.V, b.a - a.a
        if self.fraction is not None:
            share = self.fraction * numpy.eye(3)
            offset, more = self.fraction * r, numpy.zeros(3)
        else:
            s = numpy.sqrt(r @ r)
            e = r / s
            share = (numpy.eye(3) - numpy.outer(e, e)) * self.distance / s
            turning = (v - e * (e @ v)) / s
            # d2e/dt2 s = (1 - e e^T) d2r/dt2 - s (de/dt)^2 e - 2 ds/dt de/dt
            more = -self.distance * ((turning @ turning) * e + 2 * (e @ v) / s * turning)
            offset = self.distance * e
        mass = Frame(a.x + offset, a.R, a.v + share @ v, None, a.V + share @ V, None, a.a + share @ acc + more, None)
        return mass, {self.near: numpy.eye(3) - share, far: share}

    def act(self, m, balance):
        c, _ = self.motion(m)
        balance.mass(c.V, c.a - self.system.field(c.x), self.m)

    def inertia(self, m):
        c, shares = self.motion(m)
        F = self.m * (c.a + c.V @ m.rates - self.system.field(c.x))
        return [((self.part.name, end), (share @ F, numpy.zeros(3))) for end, share in shares.items()]

    def powers(self, m):
        if self.system.potential:
            return []
        c, _ = self.motion(m)
        return [self.m * self.system.field(c.x) @ c.v]

    def stored(self, m):
        c, _ = self.motion(m)
        energy = 0.5 * self.m * c.v @ c.v
        return energy + self.m * self.system.potential(c.x) if self.system.potential else energy


@dataclass
class Push(Element):
    """Force f and torque t at frame_b, with the reaction at frame_a if there is one; resolved in some node's axes."""
    part: object
    f: list = None  # functions of time
    t: list = None
    axes: object = None  # a node, or None for the world
    law: object = None  # instead of f or t: three components, of the motion
    kinds = ("supplied",)

    def values(self, m):
        R = numpy.eye(3) if self.axes is None else m.nodes[self.axes].R
        if self.law:
            F, none = R.T @ self.law(m), numpy.zeros(3)
            return (F, none) if "Force" in self.part.type else (none, F)
        at = [R.T @ numpy.array([c(m.time) for c in three]) if three else numpy.zeros(3) for three in (self.f, self.t)]
        return at[0], at[1]

    def act(self, m, balance):
        F, T = self.values(m)
        balance.push(self.part, "frame_b", F, T)
        if "frame_a" in self.part.frames:
            a, b = (m.nodes[self.part.frames[name]] for name in ("frame_a", "frame_b"))
            balance.push(self.part, "frame_a", -F, -T - skew(b.x - a.x) @ F)

    def powers(self, m):
        F, T = self.values(m)
        b = m.nodes[self.part.frames["frame_b"]]
        power = F @ b.v + T @ b.w
        if "frame_a" in self.part.frames:
            a = m.nodes[self.part.frames["frame_a"]]
            power -= F @ (a.v + skew(a.w) @ (b.x - a.x)) + T @ a.w
        return [power]


@dataclass
class Bushing(Element):
    """Springs and dampers along the axes of frame_a and against successive turns about x, y, z."""
    part: object
    c: numpy.ndarray
    d: numpy.ndarray
    c_phi: numpy.ndarray
    d_phi: numpy.ndarray
    r_0: numpy.ndarray
    kinds = ("dissipated",)

    def state(self, m):
        a, b = (m.nodes[self.part.frames[name]] for name in ("frame_a", "frame_b"))
        r, S = a.R @ (b.x - a.x), b.R @ a.R.T
        speed = a.R @ (b.v - a.v - skew(a.w) @ (b.x - a.x))
        # S = Rz Ry Rx: its last row is (sin y, -cos y sin x, cos y cos x), its first column cos y (cos z, -sin z, …).
        phi = numpy.array([numpy.arctan2(-S[2, 1], S[2, 2]), numpy.arcsin(S[2, 0]), numpy.arctan2(-S[1, 0], S[0, 0])])
        E = sequence_rates((1, 2, 3), phi)
        rates = numpy.linalg.solve(E, b.R @ (b.w - a.w))
        return a, b, r - self.r_0, speed, phi, rates, E

    def act(self, m, balance):
        a, b, r, v, phi, w, E = self.state(m)
        F = -a.R.T @ (self.c @ r + self.d @ v)
        T = -b.R.T @ numpy.linalg.solve(E.T, self.c_phi @ phi + self.d_phi @ w)
        balance.push(self.part, "frame_b", F, T)
        balance.push(self.part, "frame_a", -F, -T - skew(b.x - a.x) @ F)

    def powers(self, m):
        _, _, _, v, _, w, _ = self.state(m)
        return [v @ self.d @ v + w @ self.d_phi @ w]

    def stored(self, m):
        _, _, r, _, phi, _, _ = self.state(m)
        return 0.5 * r @ self.c @ r + 0.5 * phi @ self.c_phi @ phi


@dataclass
class Flow:
    """A rate of one dimension: value = row u, its rate row du/dt + bias."""
    value: float
    row: numpy.ndarray
    bias: float


@dataclass
class Axis:
    """The port of a coordinate."""
    coordinate: object

    def flow(self, m):
        row = numpy.zeros(len(m.u))
        row[self.coordinate.speed] = 1.0
        return Flow(m.u[self.coordinate.speed], row, 0.0)

    def wrenches(self, m, effort):
        return []


@dataclass
class Line:
    """The distance of two frames; an effort that gives power pushes them apart."""
    part: object

    def ends(self, m):
        a, b = (m.nodes[self.part.frames[name]] for name in ("frame_a", "frame_b"))
        r = b.x - a.x
        s = numpy.sqrt(r @ r)
        return a, b, r / s, s

    def flow(self, m):
        a, b, e, s = self.ends(m)
        v = b.v - a.v
        rate = e @ v
        return Flow(rate, e @ (b.V - a.V), e @ (b.a - a.a) + (v @ v - rate * rate) / s)

    def wrenches(self, m, effort):
        _, _, e, _ = self.ends(m)
        return [(self.part, "frame_a", -effort * e), (self.part, "frame_b", effort * e)]


@dataclass
class About:
    """The turning of a frame about n, together with a coordinate's or alone: a housing's flange, a rotor's shaft."""
    part: object
    n: numpy.ndarray
    coordinate: object = None

    def flow(self, m):
        f = m.nodes[self.part.frames["frame_a"]]
        e = f.R.T @ self.n
        flow = Flow(e @ f.w, e @ f.W, e @ f.d)
        if self.coordinate:
            flow.row[self.coordinate.speed] += 1.0
            flow.value += m.u[self.coordinate.speed]
        return flow

    def wrenches(self, m, effort):
        f = m.nodes[self.part.frames["frame_a"]]
        return [(self.part, "frame_a", None, effort * (f.R.T @ self.n))]


@dataclass
class Bevel:
    """The far shaft of a gear: what the near one makes of it, and what the frame with the bearings adds."""
    part: object
    ratio: float
    bearing: About
    shaft: About

    def flow(self, m):
        own, near = self.bearing.flow(m), self.shaft.flow(m)
        return Flow(own.value + self.ratio * near.value, own.row + self.ratio * near.row,
                    own.bias + self.ratio * near.bias)

    def wrenches(self, m, effort):
        return self.bearing.wrenches(m, effort) + self.shaft.wrenches(m, self.ratio * effort)


@dataclass
class OneDimensional(Element):
    """An element whose flow is a sum of ports' flows times factors: I, R, a spring, a source of effort."""
    part: object
    kind: str
    value: object  # a number; of a source, a function of time
    ports: list  # of (port, factor)
    start: float = 0.0  # of a spring: its charge, a state
    state: int = -1

    def __post_init__(self):
        self.kinds = {"Se": ("supplied",), "R": ("dissipated",)}.get(self.kind, ())

    def flow(self, m):
        flows = [(p.flow(m), k) for p, k in self.ports]
        return Flow(sum(k * f.value for f, k in flows), sum(k * f.row for f, k in flows),
                    sum(k * f.bias for f, k in flows))

    def effort(self, m, flow):
        """What it takes out of its port; an inertia's once the accelerations are known."""
        if self.kind == "Se":
            return -self.value(m.time)
        if self.kind == "R":
            return self.value * flow.value
        if self.kind == "C":
            return self.value * m.state[self.state]
        return 0.0 if m.rates is None else self.value * (flow.row @ m.rates + flow.bias)

    def rate(self, m):
        return self.flow(m).value

    def act(self, m, balance):
        flow = self.flow(m)
        if self.kind == "I":
            balance.M += self.value * numpy.outer(flow.row, flow.row)
            balance.Q -= self.value * flow.bias * flow.row
            return
        effort = self.effort(m, flow)
        balance.Q -= effort * flow.row
        self.record(m, balance.wrenches, effort)

    def record(self, m, wrenches, effort):
        for port, factor in self.ports:
            for part, frame, *both in port.wrenches(m, -factor * effort):
                F, T = (list(both) + [None])[:2]
                zero = numpy.zeros(3)
                wrenches.append((part.name, frame, zero if F is None else F, zero if T is None else T))

    def inertia(self, m):
        if self.kind != "I":
            return []
        wrenches = []
        self.record(m, wrenches, self.effort(m, self.flow(m)))
        return [((part, frame), (-F, -T)) for part, frame, F, T in wrenches]

    def powers(self, m):
        flow = self.flow(m)
        if self.kind == "Se":
            return [self.value(m.time) * flow.value]
        return [self.value * flow.value**2] if self.kind == "R" else []

    def stored(self, m):
        if self.kind == "C":
            return 0.5 * self.value * m.state[self.state]**2
        return 0.5 * self.value * self.flow(m).value**2 if self.kind == "I" else 0.0


@dataclass
class LineSpring(Element):
    """Spring and damper along a line: side by side, or (c and d given, `series`) one after the other."""
    part: object
    c: float
    d: float
    length: float = 0.0
    series: bool = False
    start: float = 0.0
    state: int = -1

    def __post_init__(self):
        self.line = Line(self.part)
        self.kinds = ("dissipated",)

    def tension(self, m):
        if self.series:
            return self.c * m.state[self.state]
        _, _, _, s = self.line.ends(m)
        return self.c * (s - self.length) + self.d * self.line.flow(m).value

    def rate(self, m):
        return self.line.flow(m).value - self.tension(m) / self.d

    def act(self, m, balance):
        for part, frame, F in self.line.wrenches(m, -self.tension(m)):
            balance.push(part, frame, F, numpy.zeros(3))

    def powers(self, m):
        return [self.tension(m)**2 / self.d if self.series else self.d * self.line.flow(m).value**2]

    def stored(self, m):
        return 0.5 * self.c * (m.state[self.state] if self.series else self.line.ends(m)[3] - self.length)**2


@dataclass
class Rotor(Element):
    """Spins about n of its frame, and has no inertia but about n; of its spin alone if the body has the rest."""
    part: object
    n: numpy.ndarray
    J: float
    coordinate: object
    spin_only: bool = False

    def turning(self, m):
        f = m.nodes[self.part.frames["frame_a"]]
        whole = About(self.part, self.n, self.coordinate).flow(m)
        own = About(self.part, self.n).flow(m)
        return f, f.R.T @ self.n, whole, own

    def act(self, m, balance):
        f, e, whole, own = self.turning(m)
        angular = self.J * (whole.value - (own.value if self.spin_only else 0.0))
        balance.M += self.J * numpy.outer(whole.row, whole.row)
        balance.Q -= self.J * whole.bias * whole.row + f.W.T @ (skew(f.w) @ e) * angular
        if self.spin_only:
            balance.M -= self.J * numpy.outer(own.row, own.row)
            balance.Q += self.J * own.bias * own.row

    def inertia(self, m):
        f, e, whole, own = self.turning(m)
        rate, speed = whole.row @ m.rates + whole.bias, whole.value
        if self.spin_only:
            rate, speed = rate - own.row @ m.rates - own.bias, speed - own.value
        T = self.J * (e * rate + skew(f.w) @ e * speed)
        return [((self.part.name, "frame_a"), (numpy.zeros(3), T))]

    def stored(self, m):
        _, _, whole, own = self.turning(m)
        return 0.5 * self.J * (whole.value**2 - (own.value**2 if self.spin_only else 0.0))

"""Draws a random system of trees: roots, arms, joints and bodies. `forces.py` adds what acts on them."""
import math

import numpy

from multibody.elements import About, Axis, Bevel, Mass, Rotor
from multibody.frames import (AXES, BallTurn, Place, Shift, Turn, constant, of_quaternion, sequence_rates, turned,
                              turned_in_sequence, two_axes, unit)
from multibody.quantities import Quantities
from multibody.rolling import plane_of
from multibody.system import Ball, Coordinate, Link, Offset, Part, System

NAMES = ["arm", "Boom", "hinge", "x", "link_", "Part", "beam", "q", "crank", "w", "t", "Rx", "node", "element", "p"]


class Model:
    """What is drawn: the system of the oracle, and beside its parts what else the file has to say."""

    def __init__(self, random):
        self.random, self.system, self.texts = random, System(), Quantities(random)
        self.bonds, self.signals, self.types = [], [], {}
        self.ports = []  # (part, name of its port, domain, the port) that nothing drives yet
        self.driven = []  # (name of a port, the port, the elements that drive it with their factors)
        self.flanges = []  # pairs of flanges that are connected
        self.groups = []  # sets of names of parts that bonds and signals join
        self.simple = []  # parts without frames
        self.flat = range(0)  # nodes in the plane
        self.lone = []  # nodes of point masses that turn with nothing
        self.sensors = []  # (part, function of the motion)
        self.used = set()

    def name(self):
        while True:
            name = f"{self.random.choice(NAMES)}{self.random.randrange(100)}"
            if name not in self.used:
                self.used.add(name)
                return name

    def part(self, kind, values=None, initial=None, frames=None):
        part = Part(self.name(), kind, values or {}, initial or {}, frames or {})
        self.system.parts.append(part)
        return part

    def scalar(self, low, high):
        return round(self.random.uniform(low, high), 3)

    def vector(self, size):
        return numpy.array([self.scalar(-size, size) for _ in range(3)])

    def direction(self):
        """Often an axis; otherwise of any length."""
        if self.random.random() < 0.4:
            return self.random.choice([-1, 1]) * AXES[self.random.randrange(3)]
        while True:
            n = self.vector(2)
            if n @ n > 0.3:
                return n

    def coordinate(self, part, names, kind, size=1.0, port=None):
        """A coordinate with start values; its names are those of value, rate and acceleration."""
        start = [self.scalar(-size, size), self.scalar(-2, 2)]
        units = ("rad", "rad/s") if kind == "rotational" else ("m", "m/s")
        for k in range(2):
            if self.random.random() < 0.1:
                start[k] = 0.0  # by default
            else:
                part.initial[names[k]] = self.texts.text(start[k], units[k])
        c = Coordinate(*start)
        self.system.coordinates.append(c)
        c.columns = [n and f"{part.name}.{n}" for n in names]
        if port:
            self.ports.append((part, port, kind, Axis(c)))
        return c

    def ball(self, part, sequence=None):
        """An orientation as a quaternion, given as such or by angles; or by angles of a sequence."""
        angles = [self.scalar(-1, 1) for _ in range(3)]
        w = self.vector(2)
        if sequence:
            if sequence[0] == sequence[2]:
                angles[1] = self.random.choice([-1, 1]) * self.scalar(0.7, 2)
            part.values["orientation"], part.values["sequence"] = "angles", str(list(sequence))
            part.initial["angles"] = self.texts.vector(angles, "rad")
            part.initial["der_angles"] = self.texts.vector(w, "rad/s")
            ball = Ball(turned_in_sequence(sequence, angles), sequence_rates(sequence, angles) @ w, part.name,
                        sequence)
        else:
            part.initial["w"] = self.texts.vector(w, "rad/s")
            if self.random.random() < 0.5:
                part.initial["angles"] = self.texts.vector(angles, "rad")
                ball = Ball(turned_in_sequence((1, 2, 3), angles), w, part.name)
            else:
                q = numpy.array([self.scalar(-1, 1) for _ in range(3)] + [self.scalar(0.2, 1)])
                part.initial["q"] = self.texts.vector(q)
                ball = Ball(of_quaternion(q), w, part.name)
        self.system.balls.append(ball)
        return ball

    # --- masses

    def inertia(self, m):
        """Of some masses in a cloud: what a body may have."""
        points = numpy.array([self.vector(0.4) for _ in range(4)])
        points -= points.mean(axis=0)
        J = sum(m / 4 * ((p @ p) * numpy.eye(3) - numpy.outer(p, p)) for p in points)
        return numpy.round(J + 0.01 * m * numpy.eye(3), 5)

    def mass(self, part, m, centre, J):
        self.system.elements.append(Mass(part, "frame_a", self.system, m, centre, J))

    def given_mass(self, part, whole):
        m, centre = self.scalar(0.3, 3), self.vector(0.3)
        part.values["m"] = self.texts.text(m, "kg")
        J = self.inertia(m)
        if whole or self.random.random() < 0.7:
            part.values["r_CM"] = self.texts.vector(centre, "m")
        else:
            centre = numpy.zeros(3)
        kind = self.random.random()
        if kind < 0.25:
            J = numpy.diag(numpy.diag(J))
        for i, j in ((0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)):
            if J[i, j] != 0:
                part.values[f"I_{i + 1}{j + 1}"] = self.texts.text(float(J[i, j]), "kg.m2")
        self.mass(part, m, centre, J)

    def body(self, node, whole=False):
        if whole or self.random.random() < 0.75:
            part = self.part("Body", frames={"frame_a": node})
            self.given_mass(part, whole)
        else:
            m = self.scalar(0.3, 2)
            part = self.part("PointMass", {"m": self.texts.text(m, "kg")}, frames={"frame_a": node})
            self.mass(part, m, numpy.zeros(3), numpy.zeros((3, 3)))
        return part

    # --- links

    def link(self, part, base, steps):
        """From the base through the part, in either direction; returns the node reached."""
        node = self.system.node()
        if self.random.random() < 0.5:
            part.frames.update(frame_a=base, frame_b=node)
            self.system.links.append(Link(part, "frame_a", [], {"frame_b": steps}))
        else:
            part.frames.update(frame_b=base, frame_a=node)
            self.system.links.append(Link(part, "frame_b", steps, {"frame_a": []}))
        return node

    def arm(self, base):
        kind = self.random.choice(["FixedTranslation", "FixedTranslation", "FixedRotation", "BodyShape", "BodyBox",
                                   "BodyCylinder", "CutForceAndTorque"])
        part = self.part(kind)
        r, P = self.vector(0.6), numpy.eye(3)
        if kind == "CutForceAndTorque":
            r = numpy.zeros(3)
        else:
            part.values["r"] = self.texts.vector(r, "m")
        if kind == "FixedRotation":
            P = self.rotation(part)
        elif kind == "BodyShape":
            self.given_mass(part, False)
        elif kind == "BodyBox":
            self.box(part, r)
        elif kind == "BodyCylinder":
            self.cylinder(part, r)
        return self.link(part, base, [Place(r, P)])

    def rotation(self, part):
        kind = self.random.randrange(3)
        if kind == 0:
            n, angle = self.direction(), self.scalar(-3, 3)
            part.values.update(n=self.texts.vector(n), angle=self.texts.text(angle, "rad"))
            return turned(unit(n), angle)
        if kind == 1:
            while True:
                x, y = self.direction(), self.direction()
                if abs(unit(x) @ unit(y)) < 0.8:
                    break
            part.values.update(n_x=self.texts.vector(x), n_y=self.texts.vector(y))
            return two_axes(x, y)
        sequence, angles = [self.random.randint(1, 3) for _ in range(3)], self.vector(3)
        part.values["angles"] = self.texts.vector(angles, "rad")
        if self.random.random() < 0.5:
            part.values["sequence"] = str(sequence)
        else:
            sequence = [1, 2, 3]
        return turned_in_sequence(sequence, angles)

    def shape(self, part, r):
        """Direction and length of a shape, its density."""
        along, length, density = r, float(numpy.linalg.norm(r)), 7700.0
        if self.random.random() < 0.3:
            along = self.direction()
            part.values["lengthDirection"] = self.texts.vector(along)
        if self.random.random() < 0.4:
            length = self.scalar(0.1, 0.6)
            part.values["length"] = self.texts.text(length, "m")
        if self.random.random() < 0.6:
            density = self.scalar(300, 3000)
            part.values["density"] = self.texts.text(density, "kg/m3")
        return unit(along), length, density

    def box(self, part, r):
        along, l, density = self.shape(part, r)
        across = AXES[0] if abs(along[1]) > 0.999 else AXES[1]
        if self.random.random() < 0.4:
            across = self.direction()
            while abs(unit(across) @ along) > 0.9:
                across = self.direction()
            part.values["widthDirection"] = self.texts.vector(across)
        w, h, wi, hi = self.scalar(0.03, 0.1), None, 0.0, None
        part.values["width"] = self.texts.text(w, "m")
        if self.random.random() < 0.5:
            h = self.scalar(0.03, 0.1)
            part.values["height"] = self.texts.text(h, "m")
        if self.random.random() < 0.5:
            wi = 0.02
            part.values["innerWidth"] = self.texts.text(wi, "m")
            if self.random.random() < 0.5:
                hi = 0.01
                part.values["innerHeight"] = self.texts.text(hi, "m")
        h, hi = w if h is None else h, wi if hi is None else hi
        outer, inner = density * l * w * h, density * l * wi * hi
        moments = [m / 12 * numpy.array([b * b + c * c, l * l + c * c, l * l + b * b])
                   for m, b, c in ((outer, w, h), (inner, wi, hi))]
        E = two_axes(along, across)
        self.mass(part, outer - inner, along * l / 2, E.T @ numpy.diag(moments[0] - moments[1]) @ E)

    def cylinder(self, part, r):
        along, l, density = self.shape(part, r)
        radii = [self.scalar(0.02, 0.06), 0.0]
        part.values["diameter"] = self.texts.text(2 * radii[0], "m")
        if self.random.random() < 0.5:
            radii[1] = 0.01
            part.values["innerDiameter"] = self.texts.text(0.02, "m")
        masses = [density * l * math.pi * q * q for q in radii]
        axial = sum(s * m * q * q / 2 for s, m, q in zip((1, -1), masses, radii))
        side = sum(s * m * (3 * q * q + l * l) / 12 for s, m, q in zip((1, -1), masses, radii))
        J = side * numpy.eye(3) + (axial - side) * numpy.outer(along, along)
        self.mass(part, masses[0] - masses[1], along * l / 2, J)

    # --- joints

    def joint(self, base):
        kind = self.random.choice(["Revolute"] * 4 + ["Prismatic"] * 2 + ["Cylindrical", "Universal", "Planar",
                                  "Spherical", "Spherical", "FreeMotion", "own", "own", "GearConstraint"])
        return getattr(self, "joint_" + kind.lower())(base)

    def axis(self, part, name="n", default=None):
        if default is not None and self.random.random() < 0.2:
            return default
        n = self.direction()
        part.values[name] = self.texts.vector(n)
        return unit(n)

    def single(self, base, kind, names, domain, size, default, step):
        part = self.part(kind)
        n = self.axis(part, "n", default)
        c = self.coordinate(part, names, domain, size, "axis")
        amount = c
        if self.random.random() < 0.4:
            more = self.scalar(-0.6, 0.6)
            part.values["offset"] = self.texts.text(more, "rad" if domain == "rotational" else "m")
            amount = Offset(c, more)
        return self.link(part, base, [step(n, amount)])

    def joint_revolute(self, base):
        return self.single(base, "Revolute", ("phi", "w", "a"), "rotational", 2.0, AXES[2], Turn)

    def joint_prismatic(self, base):
        return self.single(base, "Prismatic", ("s", "v", "a"), "translational", 0.5, AXES[0], Shift)

    def joint_cylindrical(self, base):
        part = self.part("Cylindrical")
        n = self.axis(part, "n", AXES[0])
        s = self.coordinate(part, ("s", "v", "a"), "translational", 0.5, "axis_s")
        phi = self.coordinate(part, ("phi", "w", "wd"), "rotational", 2.0, "axis_phi")
        return self.link(part, base, [Shift(n, s), Turn(n, phi)])

    def joint_universal(self, base):
        part = self.part("Universal")
        a, b = self.axis(part, "n_a", AXES[0]), AXES[1]
        while abs(a @ unit(b)) > 0.7 or self.random.random() < 0.5:
            b = self.direction()
            part.values["n_b"] = self.texts.vector(b)
        b = unit(b)
        first = self.coordinate(part, ("phi_a", "w_a", "a_a"), "rotational", 2.0, "axis_a")
        second = self.coordinate(part, ("phi_b", "w_b", "a_b"), "rotational", 2.0, "axis_b")
        return self.link(part, base, [Turn(a, first), Turn(b, second)])

    def joint_planar(self, base):
        part = self.part("Planar")
        e, f, n = plane_of(self, part, AXES[2])
        s_x = self.coordinate(part, ("s_x", "v_x", "a_x"), "translational", 0.5, "axis_x")
        s_y = self.coordinate(part, ("s_y", "v_y", "a_y"), "translational", 0.5, "axis_y")
        phi = self.coordinate(part, ("phi", "w", "wd"), "rotational", 2.0, "axis_phi")
        return self.link(part, base, [Shift(e, s_x), Shift(f, s_y), Turn(n, phi)])

    def sequence(self):
        """Of angles, or None for a quaternion: no axis twice in a row."""
        if self.random.random() < 0.6:
            return None
        first, second = self.random.sample((1, 2, 3), 2)
        return [first, second, self.random.choice([i for i in (1, 2, 3) if i != second])]

    def joint_spherical(self, base):
        part = self.part("Spherical")
        return self.link(part, base, [BallTurn(self.ball(part, self.sequence()))])

    def joint_freemotion(self, base):
        part = self.part("FreeMotion")
        steps = self.free_steps(part, "r")
        return self.link(part, base, steps + [BallTurn(self.ball(part, self.sequence()))])

    def free_steps(self, part, place, size=3):
        """Distances along the axes, as the vectors `place` and v."""
        cs = [Coordinate(self.scalar(-1, 1), self.scalar(-2, 2)) for _ in range(size)]
        part.initial[place] = self.texts.vector([c.value for c in cs], "m")
        part.initial["v"] = self.texts.vector([c.rate for c in cs], "m/s")
        self.system.coordinates += cs
        for i, c in enumerate(cs):
            c.columns = [f"{part.name}.{place}[{i + 1}]", f"{part.name}.v[{i + 1}]", None]
        return [Shift(AXES[i], c) for i, c in enumerate(cs)]

    def joint_own(self, base):
        """Two coordinates: along a curve, with a turn that depends on both; written with or without parameters."""
        k, c, pitch = self.scalar(-1, 1), self.scalar(-2, 2), self.scalar(-1, 1)
        n, m = self.direction(), self.direction()
        kind = f"Own{len(self.types)}"
        self.types[kind] = [
            "parameters: {k: {unit: 1/m}, c: {value: 3 1/m, unit: 1/m}, pitch: {unit: m}}",
            "joint:", "  coordinates: {s: m, psi: rad}", "  motion:",
            "    - translate: [s, k*s^2, pitch*sin(psi)]",
            f"    - rotate: {{axis: [{', '.join(map(repr, map(float, n)))}], angle: psi + c*s}}",
            "    - translate: [0, pitch/2, -s]",
            f"    - rotate: {{axis: [{', '.join(map(repr, map(float, m)))}], angle: 0.5*psi*psi}}"]
        part = self.part(kind, {"k": self.texts.text(k, "1/m"), "c": self.texts.text(c, "1/m"),
                                "pitch": self.texts.text(pitch, "m")})
        s = self.coordinate(part, ("s", "der_s", "a_s"), "translational", 0.5, "axis_s")
        psi = self.coordinate(part, ("psi", "der_psi", "a_psi"), "rotational", 1.0, "axis_psi")

        def amount(function):
            """function(s, psi): value, its gradient, its second derivatives (ss, s psi, psi psi)."""
            def of(motion):
                (a, da, row_a, _), (b, db, row_b, _) = s(motion), psi(motion)
                value, (fa, fb), (faa, fab, fbb) = function(a, b)
                bias = faa * da * da + 2 * fab * da * db + fbb * db * db
                return value, fa * da + fb * db, fa * row_a + fb * row_b, bias
            return of

        steps = [Shift(AXES[0], s), Shift(AXES[1], amount(lambda a, b: (k * a * a, (2 * k * a, 0), (2 * k, 0, 0)))),
                 Shift(AXES[2], amount(lambda a, b: (pitch * math.sin(b), (0, pitch * math.cos(b)),
                                                     (0, 0, -pitch * math.sin(b))))),
                 Turn(unit(n), amount(lambda a, b: (b + c * a, (c, 1), (0, 0, 0)))),
                 Shift(AXES[1], constant(pitch / 2)), Shift(AXES[2], Offset(s, 0.0, -1.0)),
                 Turn(unit(m), amount(lambda a, b: (b * b / 2, (0, b), (0, 0, 1))))]
        return self.link(part, base, steps)

    def joint_gearconstraint(self, base):
        part = self.part("GearConstraint")
        ratio = self.random.choice([-1, 1]) * self.scalar(0.3, 3)
        part.values["ratio"] = self.texts.text(ratio)
        phi = self.coordinate(part, ("phi_b", "w_b", "a_b"), "rotational", 2.0, "axis")
        sides = {}
        for side, factor in (("a", ratio), ("b", 1.0)):
            n = self.axis(part, "n_" + side, AXES[0])
            r = numpy.zeros(3)
            if self.random.random() < 0.6:
                r = self.vector(0.5)
                part.values["r_" + side] = self.texts.vector(r, "m")
            sides["frame_" + side] = [Place(r, numpy.eye(3)), Turn(n, Offset(phi, 0.0, factor))]
        root = self.random.choice(["bearing", "frame_a", "frame_b"])
        before = sides.pop(root, [])
        ends = {**sides, **({} if root == "bearing" else {"bearing": []})}
        part.frames = {name: self.system.node() for name in ends} | {root: base}
        self.system.links.append(Link(part, root, before, ends))
        for name in ends:
            self.body(part.frames[name], True)
        return part.frames[self.random.choice(list(ends))]

    # --- mounted parts

    def rotor(self, node):
        part = self.part("Rotor1D", frames={"frame_a": node})
        n = self.axis(part, "n", AXES[0])
        J = self.scalar(0.01, 0.3)
        part.values["J"] = self.texts.text(J, "kg.m2")
        spin_only = self.random.random() < 0.3
        if spin_only:
            part.values["locked_inertia"] = "body"
        c = self.coordinate(part, ("phi", "w", "a"), "rotational", 2.0, "axis")
        c.rate *= 5
        part.initial["w"] = self.texts.text(c.rate, "rad/s")
        self.system.elements.append(Rotor(part, n, J, c, spin_only))
        kind = self.random.random()
        shaft = About(part, n, c)
        if kind < 0.4:
            self.ports.append((part, "shaft", "rotational", shaft))
        elif kind < 0.7:
            self.bevel(part, shaft)

    def turning(self):
        """Nodes with an orientation."""
        return [node for node in range(self.system.nodes) if node not in self.lone]

    def bevel(self, rotor, shaft):
        """A gear on the rotor's shaft, on any frame."""
        part = self.part("BevelGear1D", frames={"frame_a": self.random.choice(self.turning())})
        ratio = self.random.choice([-1, 1]) * self.scalar(0.4, 2)
        part.values["ratio"] = self.texts.text(ratio)
        a, b = self.axis(part, "n_a", AXES[0]), self.axis(part, "n_b", AXES[0])
        self.flanges.append((f"{part.name}.flange_b", f"{rotor.name}.shaft"))
        self.groups.append({part.name, rotor.name})
        self.ports.append((part, "flange_a", "rotational", Bevel(part, ratio, About(part, a - ratio * b), shaft)))

    def mounting(self, node):
        part = self.part("Mounting1D", frames={"frame_a": node})
        self.ports.append((part, "flange", "rotational", About(part, self.axis(part, "n", AXES[0]))))

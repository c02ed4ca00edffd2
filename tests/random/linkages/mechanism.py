"""From a sketch to links with frames, joints as they are written, and the oracle's bodies."""
import numpy

from linkages.bodies import Body, Motion, Rows, System
from linkages.joints import Hinge, Place, across, hold, same, tidy
from linkages.sketches import Again, Joint, planar, spatial
from multibody.frames import AXES, turned, two_axes, unit

LEAST = 0.04  # singular value of the conditions, below which links are too near a singular position


class Mechanism:
    def __init__(self, random):
        self.random = random
        self.sketch = s = planar(random) if random.random() < 0.55 else spatial(random)
        self.planar = s.flat and random.random() < 0.35  # of frames of the plane
        self.flat = s.flat
        self.loosen()
        self.welds()
        self.structure()
        self.mount()
        self.frames()
        self.hinges = [self.hinge(j, cut) for j, cut in zip(s.joints, self.cuts)]
        self.masses()
        self.assemble()

    # --- variations of the sketch

    def loosen(self):
        """A pin of a plane loop may leave free what the others hold; a rod may be a mere distance."""
        s = self.sketch
        if not self.flat or self.planar or self.random.random() < 0.65:
            return
        if self.random.random() < 0.6:
            j = self.random.choice([j for j in s.joints if j.kind == "R"])
            j.kind = self.random.choice("SUC")
            return
        for link in range(1, len(s.points)):
            ends = [j for j in s.joints if link in (j.a, j.b)]
            if [j.kind for j in ends] == ["R", "R"]:
                (a, p), (b, q) = [(j.a + j.b - link, j.p) for j in ends]
                s.joints = [j for j in s.joints if j not in ends]
                s.joints.append(Joint("L", a, b, p, q))
                for j in s.joints:
                    j.a, j.b = (i - (i > link) for i in (j.a, j.b))
                del s.points[link]
                return

    def welds(self):
        """Links in two pieces that a closing connection or a constraint holds together."""
        s, random = self.sketch, self.random
        for _ in range(random.choice([0, 1, 1, 2]) if self.planar else random.choice([0, 0, 0, 1])):
            link = random.randrange(1, len(s.points))
            ends = [j for j in s.joints if link in (j.a, j.b)]
            if len(ends) < 2:
                continue
            new = s.link()
            for j in random.sample(ends, random.randint(1, len(ends) - 1)):
                j.a, j.b = (new if i == link else i for i in (j.a, j.b))
            s.join("W", link, new, random.choice(s.points[link]))
            for i in (link, new):
                s.points[i] = [p for j in s.joints for p, end in ((j.p, j.a), (j.q, j.b)) if end == i]

    def structure(self):
        """Which joints are constraints: those beside a forest of ordinary ones, or none."""
        s, random = self.sketch, self.random
        group = list(range(len(s.points)))

        def joined(j):
            a, b = group[j.a], group[j.b]
            group[:] = [a if g == b else g for g in group]
            return a != b
        may = [j.kind != "L" and not (self.planar and j.kind != "W") for j in s.joints]
        order = random.sample(range(len(s.joints)), len(s.joints))
        order.sort(key=lambda k: may[k] and s.joints[k].kind == "W")
        tree = {k for k in order if s.joints[k].kind != "L" and joined(s.joints[k])}
        self.style = random.choice(["plain", "cut", "cut", "free"])
        self.cuts = [j.kind == "L" for j in s.joints]
        for k, j in enumerate(s.joints):
            if may[k] and self.style != "plain" and k not in tree:
                self.cuts[k] = random.random() < 0.85
        if self.style == "free":
            inside = [k for k in tree if may[k]]
            for k in random.sample(inside, min(len(inside), random.choice([1, 1, 2]))):
                self.cuts[k] = True

    # --- places

    def mount(self):
        """Where the mechanism stands in the world: x = x0 + M^T x'."""
        random = self.random
        self.x0, self.M = numpy.zeros(3), numpy.eye(3)
        self.turned = None
        if self.planar or random.random() < 0.4:
            return
        self.x0 = self.sketch.vector(1)
        n = random.choice([[1, 2, 3], [1, 1, 1], [0, 0.6, 0.8], [1, -0.3, 0.2], [1, 0, 0], [0, 1, 0]])
        n = numpy.array(n, float)
        angle = random.choice([0.7, self.sketch.number(-3, 3)])
        self.turned, self.M = (n, angle), turned(unit(n), angle)

    def frames(self):
        """Axes of the links and their origins, in the mechanism's axes."""
        s, random = self.sketch, self.random
        self.way = random.choice(["aligned", "along", "along", "askew", "odd"])
        if self.planar or self.way == "along" and not self.flat:
            self.way = random.choice(["aligned", "along"]) if self.planar else "odd"
        common = turned(unit(s.vector(1) + 0.01), s.number(-2, 2))
        self.R, self.o = [numpy.eye(3)], [numpy.zeros(3)]
        for points in s.points[1:]:
            self.o.append(random.choice(points) if random.random() < 0.8 else points[0] + s.vector(0.3) * (
                [1, 1, 0] if self.flat else 1))
            R = numpy.eye(3)
            if self.way == "along":
                r = points[-1] - points[0]
                R = turned(AXES[2], numpy.arctan2(r[1], r[0])) if r @ r > 0 else R
            elif self.way == "askew":
                R = common
            elif self.way == "odd":
                R = turned(unit(s.vector(1) + 0.01), s.number(-3, 3))
            self.R.append(R)
        if self.planar:
            self.parallel()

    def parallel(self):
        """Planar frames of slides and welds have one direction: there is nothing in the plane that turns a frame."""
        for _ in self.sketch.joints:
            for j in self.sketch.joints:
                if j.kind in "PW":
                    low, high = sorted((j.a, j.b))
                    self.R[high] = self.R[low]
        if any(j.kind in "PW" and not same(self.R[j.a], self.R[j.b]) for j in self.sketch.joints):
            self.R = [numpy.eye(3)] * len(self.R)

    def place(self, link, p, P):
        """A frame on a link from its place and axes in the mechanism's axes; the ground's frame is the world's."""
        if link == 0:
            return Place(0, tidy(self.x0 + p @ self.M), tidy(P @ self.M))
        return Place(link, tidy(self.R[link] @ (p - self.o[link])), tidy(P @ self.R[link].T))

    # --- joints

    def hinge(self, j, cut):
        random = self.random
        if j.kind == "L":
            eye = numpy.eye(3)
            return Hinge("L", "ConnectingRod", self.place(j.a, j.p, self.R[j.a]), self.place(j.b, j.q, self.R[j.b]),
                         [], float(numpy.linalg.norm(j.q - j.p)), normal=eye[2])
        h = Hinge(j.kind, "", None, None, [])
        self.name(h, cut)
        A = self.R[j.a]
        if h.type == "CutJoint":
            A = self.resolved(h, j, A)
        elif not self.planar and random.random() < (0.3 if self.way == "odd" else 0.05):
            A = turned(unit(self.sketch.vector(1) + 0.01), self.sketch.number(-2, 2)) @ A
        h.normal = tidy(A @ AXES[2])
        if h.kind in "RPC":
            h.axes = [tidy(A @ j.e)]
        if h.kind == "U":
            B = self.cross(h, j, A)
        elif h.kind in "RC":
            B = self.turned_about(h.axes[0], A, self.R[j.b])
        else:
            B = A if h.kind in "PW" else self.R[j.b]
        if h.kind in "RP" and not h.cut and random.random() < 0.25:
            h.offset = self.sketch.number(-0.6, 0.6)
        h.A, h.B = self.place(j.a, j.p, A), self.place(j.b, j.q, B)
        return h

    def name(self, h, cut):
        """Its type, and what else of a constraint is chosen."""
        random = self.random
        ordinary = {"R": "Revolute", "P": "Prismatic", "C": "Cylindrical", "U": "Universal", "S": "Spherical",
                    "W": "connection"}
        h.type = ordinary[h.kind]
        if self.planar:
            h.type = "PlanarCutRigid" if cut else h.type if h.kind == "W" else "Planar" + h.type
            return
        if not cut:
            return
        own = {"R": "CutRevolute", "P": "CutPrismatic", "C": "CutJoint", "U": "CutUniversal", "S": "CutSpherical",
               "W": "CutRigid"}[h.kind]
        h.type = random.choice([own, own, "CutJoint"])
        if self.flat and h.kind in "RP" and random.random() < 0.5:
            h.flat, h.type = True, random.choice([own + "2D", own + "2D", "CutJoint"])
        if self.flat and h.kind == "R" and not h.flat and random.random() < 0.3:
            h.kind = random.choice("SU")
            h.type = {"S": "CutSpherical", "U": "CutUniversal"}[h.kind]

    def resolved(self, h, j, A):
        """Axes for a CutJoint: its conditions are along and about them."""
        k = self.random.randrange(3)
        x, y, z = ("xyz"[(k + i) % 3] for i in range(3))
        h.holds = {"R": [x, y] if h.flat else ["x", "y", "z", "r" + x, "r" + y],
                   "P": [x, "r" + y] if h.flat else [x, y, "rx", "ry", "rz"], "C": [x, y, "r" + x, "r" + y],
                   "U": ["x", "y", "z", "r" + z], "S": ["x", "y", "z"],
                   "W": ["x", "y", "z", "rx", "ry", "rz"]}[h.kind]
        self.random.shuffle(h.holds)
        if h.kind == "U":
            h.axes = [AXES[k], AXES[(k + 1) % 3]]
        if j.e is None:
            return A
        if h.kind == "U":
            first, second, third = two_axes(j.e, across(j.e)[0])
            axes = numpy.empty((3, 3))
            axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3] = first, second, third
            return axes
        side = AXES[2] if self.flat and abs(j.e[2]) < 0.5 else across(j.e)[0]
        # free along or about axis z of these, and the normal of the plane is y
        third, first, second = two_axes(j.e, side)
        axes = numpy.empty((3, 3))
        axes[(k + 2) % 3], axes[(k + 1) % 3], axes[k] = third, first, numpy.cross(first, third)
        return axes

    def turned_about(self, n, A, R):
        """Axes that a turn about n leads to; those of the link, if it may be."""
        if same(R @ A.T @ n, n) and (self.planar or self.random.random() < 0.85):
            return R
        return turned(n, self.sketch.number(-2, 2)) @ A

    def cross(self, h, j, A):
        random = self.random
        if not h.axes:
            first, second = random.sample(list(AXES), 2)
            if j.e is not None:
                first = tidy(A @ j.e)
                second = across(first)[0]
            elif random.random() < 0.3:
                first, second = unit(self.sketch.vector(1) + 0.01), unit(self.sketch.vector(1) + 0.01)
                if abs(first @ second) > 0.6:
                    raise Again
                if h.cut:
                    second = unit(second - (first @ second) * first)
            h.axes = [first, second]
        if same(A, self.R[j.b]) and random.random() < 0.6:
            return A
        angles = [self.sketch.number(-1.2, 1.2) * (j.e is None or k == 0) for k in range(2)]
        return turned(h.axes[1], angles[1]) @ turned(h.axes[0], angles[0]) @ A

    # --- the oracle's

    def masses(self):
        """Of links, in their frames: mass, centre, moments; some have none."""
        s, random = self.sketch, self.random
        self.mass = [(0.0, numpy.zeros(3), numpy.zeros((3, 3)))]
        for _ in s.points[1:]:
            if random.random() < 0.06:
                self.mass.append(self.mass[0])
                continue
            m, cloud = s.number(0.3, 3), numpy.array([s.vector(0.3) for _ in range(4)])
            cloud -= cloud.mean(axis=0)
            J = sum(m / 4 * ((p @ p) * numpy.eye(3) - numpy.outer(p, p)) for p in cloud) + 0.005 * m * numpy.eye(3)
            c = s.vector(0.3) * (random.random() < 0.8)
            if self.planar:
                c, J = c * [1, 1, 0], numpy.diag([0.01, 0.01, J[2, 2]])
            self.mass.append((m, c, numpy.round(J, 5)))

    def assemble(self):
        """Bodies and conditions, at a position that is far from singular ones."""
        rows, centres = Rows(), [c for _, c, _ in self.mass]
        for h in self.hinges:
            hold(h, rows, centres)
        bodies = []
        self.pose = [(numpy.zeros(3), numpy.eye(3))]
        for (m, c, J), o, R in list(zip(self.mass, self.o, self.R))[1:]:
            x, R = self.x0 + o @ self.M, R @ self.M
            self.pose.append((x, R))
            bodies.append(Body(m, J, x + c @ R, R))
        self.system = system = System(bodies, rows, [k for h in self.hinges for k in h.conditions], self.gravity())
        system.centres = centres
        system.lay_out()
        m = Motion(system, system.first(numpy.zeros(6 * len(bodies))))
        G = m.G[system.held]
        if abs(m.value[system.held]).max() > 1e-12:
            raise RuntimeError(f"{self.sketch.name} does not close: {abs(m.value[system.held]).max()}")
        _, values, V = numpy.linalg.svd(G)
        self.rank = int((values > 1e-7).sum())
        if values[self.rank - 1] < LEAST or abs(values[self.rank:]).max(initial=0.0) > 1e-10:
            raise Again
        self.ways = V[self.rank:]  # of motion
        freedoms = len(self.ways)
        if freedoms == 0 or self.sketch.freedoms not in (None, freedoms):
            raise Again
        M = self.ways @ system.mass(m)[0] @ self.ways.T
        if numpy.linalg.eigvalsh(M)[0] < 2e-3:
            raise Again
        system.keep(m, self.rank)

    def gravity(self):
        random = self.random
        self.world = {}
        kind = random.choice(["default", "default", "given", "given", "none"])
        if kind == "none":
            self.world["gravity"] = "none"
            return numpy.zeros(3)
        g, n = 9.81, numpy.array([0.0, -1.0, 0.0])
        if kind == "given":
            n, g = self.sketch.vector(1) + [0.0, 0.0, -0.5], self.sketch.number(1, 15)
            self.world.update(n=n, g=g)
        return g * unit(n)

    def speeds(self):
        """A motion to start with; sometimes none."""
        random = self.random
        u = numpy.zeros(6 * len(self.system.bodies))
        if random.random() < 0.12:
            return u
        u = self.ways.T @ numpy.array([random.gauss(0, 1) for _ in self.ways])
        return u * (random.uniform(0.3, 5) / abs(u).max())

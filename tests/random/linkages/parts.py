"""Writes a mechanism as parts: arms and bodies of links, joints, start values."""
import numpy

from linkages.bodies import Motion, quaternion
from linkages.joints import Coordinate, Place, coordinates, same, tidy
from linkages.sketches import Again
from multibody.draw import Model
from multibody.forces import angles


class Parts(Model):
    def __init__(self, random, mechanism):
        super().__init__(random)
        self.mechanism, self.planar = mechanism, mechanism.planar
        self.nodes = [[] for _ in mechanism.pose]  # of each link: (place, node)
        self.carried = []  # parts with mass
        self.ground()
        for h in mechanism.hinges:
            self.joint(h)
        for link in range(1, len(mechanism.pose)):
            self.weigh(link)
        if self.planar:
            self.flat = range(1, self.system.nodes)

    # --- values

    def clean(self, vector, unit_name="m"):
        vector = tidy(vector)
        return self.texts.vector([float(v) + 0.0 for v in (vector[:2] if self.planar else vector)], unit_name)

    # --- links

    def node(self, link, place):
        node = self.system.node()
        self.nodes[link].append((place, node))
        return node

    def ground(self):
        mechanism = self.mechanism
        world = self.part("World", frames={"frame_b": self.system.node()})
        for key, value in mechanism.world.items():
            world.values[key] = value if key == "gravity" else self.texts.vector([float(x) for x in value]) \
                if key == "n" else self.texts.text(value, "m/s2")
        still = Place(0, numpy.zeros(3), numpy.eye(3))
        if self.planar:
            self.part("PlanarFixed", frames={"frame_b": self.node(0, still)})
            return
        self.nodes[0].append((still, world.frames["frame_b"]))
        if mechanism.turned:
            n, angle = mechanism.turned
            part = self.part("FixedRotation", {"r": self.clean(mechanism.x0), "n": self.texts.vector(map(float, n)),
                                               "angle": self.texts.text(angle, "rad")},
                             frames={"frame_a": world.frames["frame_b"]})
            part.frames["frame_b"] = self.node(0, Place(0, mechanism.x0, mechanism.M))

    def at(self, place):
        """The node of a place on a link, with what leads there."""
        known = self.nodes[place.link]
        for other, node in known:
            if same(other.r, place.r) and same(other.P, place.P) and self.random.random() < 0.9:
                return node
        if not known:
            hub = Place(place.link, numpy.zeros(3), numpy.eye(3))
            self.node(place.link, hub)
            return self.at(place)
        base, node = known[min(1, len(known) - 1)] if place.link == 0 and self.random.random() < 0.8 else known[0]
        if self.random.random() < 0.2:
            base, node = self.random.choice(known)
        r, P = tidy(base.P @ (place.r - base.r)), tidy(place.P @ base.P.T)
        if place.link == 0 and same(place.P, numpy.eye(3)) and self.random.random() < 0.4:
            kind = "PlanarFixed" if self.planar else "Fixed"
            part = self.part(kind, {"r": self.clean(place.r)})
            part.frames["frame_b"] = self.node(0, place)
            return part.frames["frame_b"]
        return self.arm(place, node, r, P)

    def arm(self, place, node, r, P):
        """A part that leads on from a node, mounted either way."""
        plain = same(P, numpy.eye(3))
        kind = ("PlanarRod" if self.planar else "FixedTranslation") if plain else "FixedRotation"
        shaped = (plain and not self.planar and place.link and self.random.random() < 0.6
                  and self.mechanism.mass[place.link][0] and place.link not in [link for link, _ in self.carried])
        part = self.part("BodyShape" if shaped else kind)
        near, far = "frame_a", "frame_b"
        start = Place(place.link, place.r - place.P.T @ r, place.P) if plain else None
        if self.random.random() < 0.5:
            near, far, r, P = far, near, -(P @ r), P.T
            start = place if plain else None
        part.values["r"] = self.clean(r)
        if not plain:
            self.rotation_of(part, P)
        if shaped:
            self.inertia_of(part, place.link, start)
        part.frames[near] = node
        part.frames[far] = self.node(place.link, place)
        return part.frames[far]

    def rotation_of(self, part, P):
        """In one of three ways."""
        kind = self.random.randrange(3)
        if kind == 0:
            part.values.update(n_x=self.texts.vector(map(float, P[0])), n_y=self.texts.vector(map(float, P[1])))
        elif kind == 1 and abs(P[2, 0]) < 0.99:
            part.values["angles"] = self.texts.vector([float(a) for a in angles(P)], "rad")
        else:
            q = quaternion(P)
            sine = numpy.linalg.norm(q[:3])
            part.values.update(n=self.texts.vector([float(v) for v in q[:3] / sine]),
                               angle=self.texts.text(float(2 * numpy.arctan2(sine, q[3])), "rad"))

    def inertia_of(self, part, link, place):
        m, c, J = self.mechanism.mass[link]
        self.carried.append((link, part))
        part.values["m"] = self.texts.text(m, "kg")
        centre = tidy(place.P @ (c - place.r))
        if abs(centre).max() > 0:
            part.values["r_CM"] = self.clean(centre)
        if self.planar:
            part.values["J"] = self.texts.text(float(J[2, 2]), "kg.m2")
            return
        J = tidy(place.P @ J @ place.P.T)
        for i, j in ((0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)):
            if J[i, j] != 0:
                part.values[f"I_{i + 1}{j + 1}"] = self.texts.text(float(J[i, j]), "kg.m2")

    def weigh(self, link):
        """The body of a link, unless it is there or there is none."""
        if not self.mechanism.mass[link][0] or link in [other for other, _ in self.carried]:
            return
        place, node = self.random.choice(self.nodes[link])
        self.inertia_of(self.part("PlanarBody" if self.planar else "Body", frames={"frame_a": node}), link, place)

    # --- joints

    def joint(self, h):
        a, b = self.at(h.A), self.at(h.B)
        if h.type == "connection":
            self.melt(a, b)
            return
        h.part = part = self.part(h.type, frames={"frame_a": a, "frame_b": b})
        if h.kind in "RPC" and not self.planar and h.type != "CutJoint" or h.type == "PlanarPrismatic":
            part.values["n"] = self.clean(h.axes[0], "1")
        if h.type == "CutPrismatic2D":
            part.values["n_z"] = self.clean(h.normal, "1")
        if h.type in ("Universal", "CutUniversal"):
            part.values.update(n_a=self.clean(h.axes[0], "1"), n_b=self.clean(h.axes[1], "1"))
        if h.type == "CutJoint":
            part.values["holds"] = "[" + ", ".join(h.holds) + "]"
        if h.kind == "L":
            part.values["length"] = self.texts.text(h.offset, "m")
        elif h.offset:
            part.values["offset"] = self.texts.text(h.offset, "m" if h.kind == "P" else "rad")

    def melt(self, a, b):
        """Both nodes become one."""
        for part in self.system.parts:
            part.frames = {frame: a if node == b else node for frame, node in part.frames.items()}
        for known in self.nodes:
            known[:] = [(place, a if node == b else node) for place, node in known]

    # --- start values

    def loose(self):
        """Links of each tree that nothing carries."""
        group = list(range(len(self.mechanism.pose)))
        for h in self.mechanism.hinges:
            if not h.cut or h.type == "connection":
                group = [group[h.A.link] if g == group[h.B.link] else g for g in group]
        found = {}
        for link, g in enumerate(group):
            if g != group[0]:
                found.setdefault(g, []).append(link)
        return list(found.values())

    def coordinates(self, m):
        """All coordinates with their rates' rows at the motion m."""
        found = [c for h in self.mechanism.hinges for c in coordinates(h, m)]
        for links in self.loose():
            bodies = [(link, part) for link, part in self.carried if link in links]
            if not bodies:
                raise Again
            found += self.free(m, *self.random.choice(bodies))
        return found

    def free(self, m, link, part):
        """Those of a body that nothing carries."""
        place = next(p for p, node in self.nodes[link] if node == part.frames["frame_a"])
        s, n = self.mechanism.system, len(m.x) - 1
        V, W = numpy.zeros((3, n + 1, 6)), numpy.zeros((3, n + 1, 6))
        arm = (place.r - s.centres[link]) @ m.R[link]
        V[:, link, :3] = numpy.eye(3)
        for i in range(3):
            V[:, link, 3 + i] = numpy.cross(numpy.eye(3)[i], arm)
        R = place.P @ m.R[link]
        W[:, link, 3:] = R
        V, W = V[:, 1:].reshape(3, 6 * n), W[:, 1:].reshape(3, 6 * n)
        x = m.point(link, place.r - s.centres[link])
        if self.planar:
            return [Coordinate(part, ("x", "v", None), x[:2], V[:2], "m"),
                    Coordinate(part, ("phi", "w", None), numpy.arctan2(R[0, 1], R[0, 0]), W[2:], "rad")]
        return [Coordinate(part, ("x", "v", None), x, V, "m"),
                Coordinate(part, ("q", "w", None), quaternion(R), W, "rad", True)]

    def start(self, u):
        """Start values that determine the motion u, and guesses near it or, where they have to, on it."""
        mechanism, random = self.mechanism, self.random
        s = mechanism.system
        m = Motion(s, s.first(u))
        all_of = self.coordinates(m)
        chosen = independent(random, all_of, mechanism.ways)
        enough = sum(len(c.rows) for c in chosen) == len(mechanism.ways)
        everything = random.random() < 0.12
        balls = sum(c.orientation for c in all_of) if not any(h.cut for h in mechanism.hinges) else 0
        quiet = not u.any() and random.random() < 0.5  # rates are 0 where nothing else is said
        for c in all_of:
            given = everything or c in chosen
            rate = c.rows @ u
            if c.orientation and enough and not given and balls == 1 and int(1e6 * abs(c.value[0])) % 2:
                continue  # of the ball that closes a loop nothing is asked then: a constraint without coordinates
            self.give(c.part.initial if given else c.part.guess, c, c.value, 0.0 if given or not enough else 0.06)
            if quiet:
                continue
            if given:
                self.give_rate(c.part.initial, c, rate)
            elif not enough or random.random() < 0.2:
                self.give_rate(c.part.guess, c, rate if not enough else rate + random.uniform(-0.3, 0.3))
        self.how = "everything" if everything else "independent" if enough else "guesses on the position"

    def give(self, to, c, value, off):
        """A value, or one beside it."""
        random = self.random
        if c.orientation:
            q = value + numpy.array([random.uniform(-off, off) / 2 for _ in range(4)])
            to[c.names[0]] = self.texts.vector([float(v) for v in q / numpy.linalg.norm(q)])
        elif numpy.ndim(value):
            to[c.names[0]] = self.texts.vector([float(v) + random.uniform(-off, off) / 3 for v in value], c.unit)
        else:
            value = float(tidy(value)) + random.uniform(-off, off) / (3 if c.unit == "m" else 1)
            if off and abs(value) < 0.06 and random.random() < 0.3:
                return  # 0 is what nobody guesses
            to[c.names[0]] = self.texts.text(value, c.unit)

    def give_rate(self, to, c, rate):
        unit_name = c.unit + "/s"
        if len(rate) > 1:
            to[c.names[1]] = self.texts.vector([float(v) for v in rate], unit_name)
        else:
            to[c.names[1]] = self.texts.text(float(rate[0]), unit_name)


def independent(random, all_of, ways):
    """Coordinates whose rates determine a motion, scalar ones, as many as there are; well conditioned."""
    for _ in range(20):
        left, chosen = ways.copy(), []
        scalars = [c for c in all_of if len(c.rows) == 1]
        random.shuffle(scalars)
        for c in scalars:
            seen = left @ c.rows[0]
            if numpy.linalg.norm(seen) > 0.25 * numpy.linalg.norm(c.rows[0]) and len(chosen) < len(ways):
                chosen.append(c)
                # what motions remain if this one stands still
                direction = seen / numpy.linalg.norm(seen)
                left = left - numpy.outer(direction, direction @ left)
        if len(chosen) == len(ways):
            return chosen
    return chosen

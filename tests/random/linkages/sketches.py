"""Draws mechanisms with closed loops in the position they start from: points and axes first, lengths follow.

Link 0 is the ground. A joint is a letter: R(evolute), P(rismatic), C(ylindrical), U(niversal), S(pherical), L (a length
between two points), W(eld).
"""
from dataclasses import dataclass
from math import cos, pi, sin

import numpy

from multibody.frames import AXES, skew, turned, unit


class Again(Exception):
    """What was drawn is of no use."""


@dataclass
class Joint:
    kind: str
    a: int
    b: int
    p: numpy.ndarray  # the point on link a
    q: numpy.ndarray  # and on link b, elsewhere only on the axis of a slide or at the end of a length
    e: numpy.ndarray = None  # axis


class Sketch:
    def __init__(self, random):
        self.random, self.joints, self.points = random, [], [[]]
        self.flat, self.name = False, ""
        self.freedoms = None  # where they are known

    def number(self, low, high):
        return round(self.random.uniform(low, high), 3)

    def vector(self, size):
        return numpy.array([self.number(-size, size) for _ in range(3)])

    def link(self):
        self.points.append([])
        return len(self.points) - 1

    def join(self, kind, a, b, p, q=None, e=None):
        """Either link may be the first."""
        q = p if q is None else q
        for link, point in ((a, p), (b, q)):
            if not any((point == other).all() for other in self.points[link]):
                self.points[link].append(point)
        if self.random.random() < 0.5:
            a, b, p, q = b, a, q, p
        self.joints.append(Joint(kind, a, b, p, q, e))

    # --- in the plane of x and y

    def place(self, others=(), least=0.15, most=1.0):
        """A point at some distance from all others."""
        for _ in range(100):
            p = numpy.array([self.number(-0.6, 0.6), self.number(-0.6, 0.6), 0.0])
            if all(least < numpy.linalg.norm(p - other) < most for other in others):
                return p
        raise Again

    def heading(self):
        angle = self.random.choice([0.0, pi / 2, None])
        angle = self.number(-3, 3) if angle is None else angle
        return numpy.round(numpy.array([cos(angle), sin(angle), 0.0]), 15)

    def pin(self, a, b, p):
        self.join("R", a, b, p, e=AXES[2])

    def slide(self, a, b, q, e):
        """Link b slides on a line of link a through its point q."""
        self.join("P", a, b, q - self.number(-0.4, 0.4) * e, q, e)

    def crank(self):
        link, foot = self.link(), self.place(self.points[0])
        self.pin(0, link, foot)
        return link

    def dyad(self, i, j, kind):
        """Two more links between links i and j; the freedoms remain as many."""
        P = self.place(self.points[i], 0.08, 0.7)
        Q = self.place(self.points[j] + [P], 0.08, 0.9)
        m, n = self.link(), self.link()
        if kind == "RRR":
            B = self.place([P, Q], 0.15, 0.8)
            self.pin(i, m, P), self.pin(m, n, B), self.pin(n, j, Q)
        elif kind == "RRP":
            B = self.place([P], 0.15, 0.8)
            self.pin(i, m, P), self.pin(m, n, B), self.slide(j, n, B, self.heading())
        elif kind == "RPR":
            e = self.heading()
            self.pin(i, m, P), self.slide(m, n, Q, e), self.pin(n, j, Q)
        elif kind == "PRP":
            B = self.place()
            self.slide(i, m, B, self.heading()), self.pin(m, n, B), self.slide(j, n, B, self.heading())
        else:  # RPP, as in a Scotch yoke
            self.pin(i, m, P), self.slide(n, m, P, self.heading()), self.slide(j, n, P, self.heading())
        return m, n

    def parallelogram(self):
        crank = self.crank()
        O, A = self.points[0][0], self.place(self.points[0])
        D = self.place([O, A])
        m, n = self.link(), self.link()
        self.pin(crank, m, A), self.pin(m, n, D + A - O), self.pin(n, 0, D)
        return crank, (m, n)


DYADS = ["RRR"] * 4 + ["RRP"] * 3 + ["RPR"] * 2 + ["PRP", "RPP"]


def planar(random):
    """Four-bars, slider-cranks, five-bars, six-bars of Watt and Stephenson, and longer ones."""
    s = Sketch(random)
    s.flat = True
    kind = random.choice(["four"] * 4 + ["five"] * 2 + ["six"] * 4 + ["eight", "parallelogram"])
    s.name, s.freedoms = "planar " + kind, 2 if kind == "five" else 1
    if kind == "parallelogram":
        s.parallelogram()
        return s
    first = s.crank()
    links = [first]
    if kind == "five":
        links.append(s.crank())
        s.dyad(*links, random.choice(DYADS))
        return s
    links += s.dyad(first, 0, random.choice(DYADS))
    for _ in range({"four": 0, "six": 1, "eight": 2}[kind]):
        # between neighbours (Watt) or opposite links (Stephenson)
        links += s.dyad(*random.sample([0] + links, 2), random.choice(DYADS))
    return s


# --- in space


def anywhere(s, others=(), least=0.15, most=1.2):
    for _ in range(100):
        p = s.vector(0.6)
        if all(least < numpy.linalg.norm(p - other) < most for other in others):
            return p
    raise Again


def axis(s):
    """Often that of a coordinate."""
    if s.random.random() < 0.5:
        return s.random.choice([-1, 1]) * AXES[s.random.randrange(3)]
    e = s.vector(1)
    if e @ e < 0.2:
        raise Again
    return unit(e)


def slide(s, a, b, q, e=None):
    e = axis(s) if e is None else e
    s.join("P", a, b, q - s.number(-0.4, 0.4) * e, q, e)


def four_links(s, chain):
    """Crank, rod and rocker or slider: joints at the ground, between them, and at the ground again."""
    s.name = "spatial " + chain
    points = [anywhere(s)]
    links = [0, s.link(), s.link(), s.link(), 0]
    for k, kind in enumerate(chain):
        if k:
            points.append(anywhere(s, points[-1:], 0.2, 0.9))
        a, b, p = links[k], links[k + 1], points[k]
        if kind in "RC":
            s.join(kind, a, b, p, e=axis(s))
        elif kind == "P":
            slide(s, a, b, p)
        else:
            s.join(kind, a, b, p)


def rod(s, chain):
    """Crank and rocker or slider, whose ends keep their distance."""
    s.name = f"spatial {chain[0]}L{chain[1]}"
    A, B = anywhere(s), None
    B = anywhere(s, [A], 0.25, 1.0)
    first, last = s.link(), s.link()
    for link, tip, kind in ((first, A, chain[0]), (last, B, chain[1])):
        if kind == "P":
            slide(s, 0, link, tip)
        else:
            s.join("R", 0, link, anywhere(s, [tip], 0.15, 0.7), e=axis(s))
    s.join("L", first, last, A, B)


def spherical(s):
    """Four pins whose axes meet in one point: as redundant as in a plane."""
    s.name = "spherical four-bar"
    centre = s.vector(0.5)
    directions = []
    while len(directions) < 4:
        e = axis(s)
        if all(abs(e @ other) < 0.8 for other in directions):
            directions.append(e)
    links = [0, s.link(), s.link(), s.link(), 0]
    for k, e in enumerate(directions):
        s.join("R", links[k], links[k + 1], centre + s.number(-0.4, 0.4) * e, e=e)


def bennett(s):
    """Four skew pins that move all the same: opposite links are alike, a sin(beta) = b sin(alpha)."""
    s.name = "Bennett"
    a, alpha, beta = s.number(0.2, 0.6), s.number(0.4, 1.4), s.number(1.6, 2.7)
    b, turn = a * sin(beta) / sin(alpha), s.number(0.5, 2.5)
    # Denavit's and Hartenberg's angles: tan(t1/2) tan(t2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)
    other = 2 * numpy.arctan(sin((beta + alpha) / 2) / sin((beta - alpha) / 2) / numpy.tan(turn / 2))
    x, R = s.vector(0.3), numpy.eye(3)
    links, pins = [0, s.link(), s.link(), s.link()], []
    for length, twist, angle in ((a, alpha, turn), (b, beta, other), (a, alpha, -turn), (b, beta, -other)):
        R = turned(AXES[2], angle) @ R
        pins.append((x, R[2]))
        x = x + length * R[0]
        R = turned(AXES[0], twist) @ R
    if numpy.linalg.norm(x - pins[0][0]) > 1e-12 or numpy.linalg.norm(skew(R[2]) @ pins[0][1]) > 1e-12:
        raise Again
    for k, (p, e) in enumerate(pins):
        s.join("R", links[k - 1], links[k], p, e=e)


LEGS = ["UPS", "UPS", "RPS", "RPS", "PRS", "SPS", "RUS", "RSS", "RL", "PL"]


def leg(s, kind, platform):
    """From the ground to the platform."""
    B = anywhere(s)
    T = anywhere(s, [B], 0.3, 1.1)
    if kind in ("RL", "PL"):
        crank, elbow = s.link(), anywhere(s, [B, T], 0.15, 0.9)
        s.join("R", 0, crank, B, e=axis(s)) if kind == "RL" else slide(s, 0, crank, elbow)
        s.join("L", crank, platform, elbow, T)
        return
    low, high = s.link(), s.link()
    middle = anywhere(s, [B, T], 0.15, 0.8)
    for kind, a, b, p in zip(kind, (0, low, high), (low, high, platform), (B, middle, T)):
        if kind == "P":
            slide(s, a, b, p, unit(T - B) if b == high and s.random.random() < 0.7 else None)
        else:
            s.join(kind, a, b, p, e=axis(s) if kind == "R" else None)


def tripod(s):
    platform, count = s.link(), s.random.choice([2, 3, 3, 3])
    kinds = [s.random.choice(LEGS)] * count if s.random.random() < 0.6 else s.random.choices(LEGS, k=count)
    s.name = "platform on " + " ".join(kinds)
    for kind in kinds:
        leg(s, kind, platform)


CHAINS = ["RSSR", "RSSR", "RSUR", "RUSR", "RSSP", "RSUP", "RUSP", "RSSC", "RCCC", "RSCR", "RCSR", "PSUP", "PUSR"]


def spatial(random):
    s = Sketch(random)
    kind = random.choice(["four"] * 5 + ["rod", "spherical", "bennett"] + ["tripod"] * 3)
    if kind == "four":
        four_links(s, random.choice(CHAINS))
    elif kind == "rod":
        rod(s, random.choice(["RR", "RP", "PR"]))
    elif kind == "spherical":
        spherical(s)
    elif kind == "bennett":
        bennett(s)
    else:
        tripod(s)
    return s

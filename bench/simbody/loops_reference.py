"""The motion of the mechanisms of closed_loops.py without constraints: each has one freedom, and all of its bodies are
thin uniform rods (and a slider), so the places p of their ends as closed functions of one coordinate s say everything:
the mass felt at s is I(s) = sum of m/3 (p'.p' + p'.q' + q'.q'), and I s'' + I' s'^2/2 + V' = 0."""

import math

from scipy.integrate import solve_ivp

GRAVITY = 9.81


class Jet:
    """A number with its first and second derivative by the coordinate."""

    def __init__(self, value, first=0.0, second=0.0):
        self.v, self.d, self.dd = value, first, second

    @staticmethod
    def of(x):
        return x if isinstance(x, Jet) else Jet(x)

    def through(self, f, df, ddf):
        return Jet(f, df * self.d, ddf * self.d * self.d + df * self.dd)

    def __add__(self, other):
        o = Jet.of(other)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    def __neg__(self):
        return Jet(-self.v, -self.d, -self.dd)

    def __sub__(self, other):
        return self + -Jet.of(other)

    def __rsub__(self, other):
        return Jet.of(other) + -self

    def __mul__(self, other):
        o = Jet.of(other)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d, self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    def __truediv__(self, other):
        o = Jet.of(other)
        return self * o.through(1 / o.v, -1 / o.v**2, 2 / o.v**3)

    __radd__, __rmul__ = __add__, __mul__


def sin(x):
    return x.through(math.sin(x.v), math.cos(x.v), -math.sin(x.v))


def cos(x):
    return x.through(math.cos(x.v), -math.sin(x.v), -math.cos(x.v))


def sqrt(x):
    root = math.sqrt(x.v)
    return x.through(root, 0.5 / root, -0.25 / (root * x.v))


def acos(x):
    rest = 1 - x.v**2
    return x.through(math.acos(x.v), -1 / math.sqrt(rest), -x.v / rest**1.5)


def acceleration(rods, points, rate):
    """Of the coordinate; rods as (mass, end, end), points as (mass, place), places as jets."""
    inertia = slope = force = 0.0
    for mass, p, q in rods:
        for a, b in ((p, p), (p, q), (q, q)):
            inertia += mass / 3 * sum(x.d * y.d for x, y in zip(a, b))
            slope += mass / 3 * sum(x.dd * y.d + x.d * y.dd for x, y in zip(a, b))
        force += mass * GRAVITY * (p[1].d + q[1].d) / 2
    for mass, p in points:
        inertia += mass * sum(x.d * x.d for x in p)
        slope += 2 * mass * sum(x.d * x.dd for x in p)
        force += mass * GRAVITY * p[1].d
    return -(slope * rate**2 / 2 + force) / inertia


class CrankRocker:
    a, b, c, d, rho = 0.1, 0.35, 0.25, 0.3, 2.0
    start = (math.pi / 6, 20.0)

    def bodies(self, s):
        top = (self.a * cos(s), self.a * sin(s))
        across = (self.d - top[0], -top[1])
        distance = sqrt(across[0] * across[0] + across[1] * across[1])
        along = (self.b**2 - self.c**2 + distance * distance) / (2 * distance)
        aside = sqrt(self.b**2 - along * along)
        joint = (top[0] + (along * across[0] - aside * across[1]) / distance,
                 top[1] + (along * across[1] + aside * across[0]) / distance)
        ground, foot = (Jet(0.0), Jet(0.0)), (Jet(self.d), Jet(0.0))
        return [(self.rho * self.a, ground, top), (self.rho * self.b, top, joint), (self.rho * self.c, foot, joint)], []

    def coordinates(self, s):
        joint = self.bodies(Jet(s))[0][2][2]
        return s, math.atan2(joint[1].v, joint[0].v - self.d)  # the rocker swings between 0 and a half turn


class SliderCrank:
    r, l = 0.1, 0.3
    start = (math.pi / 6, 12.0)

    def bodies(self, s):
        crank = (self.r * cos(s), self.r * sin(s))
        slider = (crank[0] + sqrt(self.l**2 - crank[1] * crank[1]), Jet(0.0))
        return [(1.0, (Jet(0.0), Jet(0.0)), crank), (0.8, crank, slider)], [(0.5, slider)]

    def coordinates(self, s):
        return s, self.bodies(Jet(s))[0][1][2][0].v


class FourBars:
    """Loops of equal rods beside each other: upright ones turn alike, the bars between them stay level."""
    start = (0.0, 1.0)

    def __init__(self, loops):
        self.loops = loops

    def bodies(self, s):
        top = (-sin(s), cos(s))
        ground = (Jet(0.0), Jet(0.0))
        return [(self.loops + 1.0, ground, top)], [(float(self.loops), top)]

    def coordinates(self, s):
        return s, s


class Bricard:
    """The ring of six hinges at right angles; every second angle is the same: (1 + cos a)(1 + cos b) = 1. The
    coordinate is the angle that turns faster, since the other one has dead centres."""

    def __init__(self):
        self.angles, self.rates, self.by = [math.pi / 2, math.pi / 2], [0.0, 0.0], 0

    def other(self, s):
        sign = math.copysign(1.0, self.angles[1 - self.by])
        return sign * acos(-cos(s) / (1 + cos(s)))

    def bodies(self, s):
        pair = [s, self.other(s)]
        if self.by == 1:
            pair.reverse()
        place = [Jet(0.0)] * 3
        axes = [[Jet(1.0 if i == j else 0.0) for j in range(3)] for i in range(3)]  # columns in the world
        rods = []
        for k in range(5):
            c, d = cos(pair[k % 2]), sin(pair[k % 2])
            x = [c * axes[0][i] + d * axes[1][i] for i in range(3)]
            y = [c * axes[1][i] - d * axes[0][i] for i in range(3)]
            turn = 1.0 if k % 2 == 0 else -1.0  # a quarter of a turn about x, to and fro
            axes = [x, [turn * e for e in axes[2]], [-turn * e for e in y]]
            end = [p + e for p, e in zip(place, x)]
            rods.append((1.0, place, end))
            place = end
        return rods, []

    def move(self, span):
        self.by = 0 if abs(self.rates[0]) >= abs(self.rates[1]) else 1
        s, rate = motion(self, self.angles[self.by], self.rates[self.by], span)
        other = self.other(Jet(s, 1.0))  # near its dead centre, far from 0, so its sign stays
        self.angles[self.by], self.rates[self.by] = s, rate
        self.angles[1 - self.by], self.rates[1 - self.by] = other.v, other.d * rate


def motion(mechanism, s, rate, span):
    def rates(_, y):
        return [y[1], acceleration(*mechanism.bodies(Jet(y[0], 1.0)), y[1])]

    end = solve_ivp(rates, (0.0, span), [s, rate], method='DOP853', rtol=1e-13, atol=1e-14)
    return end.y[0][-1], end.y[1][-1]


PLANAR = {'crank_rocker': CrankRocker, 'slider_crank': SliderCrank}


def reference(name, stop, interval):
    """Rows of both coordinates at 0, interval, … stop."""
    rows = round(stop / interval)
    if name == 'bricard':
        ring, pieces = Bricard(), 10
        out = [tuple(ring.angles)]
        for _ in range(rows):
            for _ in range(pieces):
                ring.move(interval / pieces)
            out.append(tuple(ring.angles))
        return out
    if name in PLANAR:
        mechanism = PLANAR[name]()
    else:
        mechanism = FourBars(int(name.removeprefix('n_four_bar:')))
    s, rate = mechanism.start
    out = [mechanism.coordinates(s)]
    for _ in range(rows):
        s, rate = motion(mechanism, s, rate, interval)
        out.append(mechanism.coordinates(s))
    return out

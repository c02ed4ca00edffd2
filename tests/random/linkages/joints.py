"""What each joint holds, how it is written, and its coordinates.

A joint joins a frame A on its first link with a frame B on its second one. What stands in the file may hold less than
the joint of the sketch, where the rest of a plane loop holds that already.
"""
from dataclasses import dataclass, field

import numpy

from linkages.bodies import quaternion
from multibody.frames import AXES, skew, turned, two_axes


@dataclass
class Place:
    """A frame on a link: where it is in the link's frame, and its axes (rows) there."""
    link: int
    r: numpy.ndarray
    P: numpy.ndarray


@dataclass
class Hinge:
    """A joint of the mechanism as it is written."""
    kind: str
    type: str
    A: Place
    B: Place
    axes: list  # n, or n_a and n_b, in the frames
    offset: float = 0.0
    holds: list = None  # of a CutJoint
    flat: bool = False  # forbids only what counts in the plane
    normal: object = None  # of the plane, in A
    conditions: list = field(default_factory=list)  # rows that it holds
    shift: int = -1  # rows of its coordinates
    turn: int = -1
    part: object = None

    @property
    def cut(self):
        return "Cut" in self.type or self.type in ("ConnectingRod", "connection")


def same(P, Q):
    return abs(P - Q).max() < 1e-12


def about(n, S):
    """The angle of a turn about n, if it is one."""
    s = -0.5 * n @ numpy.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
    return numpy.arctan2(s, (numpy.trace(S) - 1) / 2)


def across(n):
    """Two unit vectors across it."""
    return two_axes(n, AXES[numpy.argmin(abs(n))])[1:]


def tidy(values):
    """Without what rounding leaves behind short numbers."""
    short = numpy.round(values, 6)
    return numpy.where(abs(short - values) < 4e-15, short, values)


# --- rows


def forbidden(h):
    """Directions in A along which B may not move, and pairs of directions in A and B that keep their product."""
    n = h.axes[0] if h.axes else None
    if h.flat:
        side = skew(h.normal) @ n
        return ([side], [(n, side)]) if h.kind == "P" else (across(n), [])
    directions = across(n) if h.kind in "CP" else AXES
    if h.kind in "RC":
        return directions, [(c, n) for c in across(n)]
    if h.kind in "WP":
        return directions, [(AXES[i], AXES[(i + 1) % 3]) for i in range(3)]
    return directions, [h.axes] if h.kind == "U" else []


def hold(h, rows, centres):
    """Adds the rows of its conditions and coordinates; `centres`: of mass, in the links' frames."""
    a, b = h.A.link, h.B.link
    p, q = h.A.r - centres[a], h.B.r - centres[b]

    def in_a(d):
        return h.A.P.T @ d

    def in_b(d):
        return h.B.P.T @ d

    if h.kind == "L":
        h.conditions.append(rows.line(a, p, b, q, value=h.offset))
        return
    directions, pairs = forbidden(h)
    h.conditions += [rows.line(a, p, b, q, in_a(d)) for d in directions]
    h.conditions += [rows.pair(a, in_a(c), b, in_b(d), c @ d if h.kind == "U" else 0.0) for c, d in pairs]
    n = h.axes[0] if h.axes else None
    if h.kind in "PC":
        h.shift = rows.line(a, p, b, q, in_a(n))
    if h.kind in "RC":
        h.turn = rows.turn(a, in_a(n), b)


# --- coordinates


@dataclass
class Coordinate:
    """Of a joint or of a body that nothing carries: values, and rates as functions of u at the start."""
    part: object
    names: tuple  # value, rate, acceleration
    value: object
    rows: numpy.ndarray  # of the rates, one for each component
    unit: str
    orientation: bool = False  # a quaternion


def frames(h, m):
    return h.A.P @ m.R[h.A.link], h.B.P @ m.R[h.B.link]


def relative(m, h, g):
    """Rows of g . (w_b - w_a) for vectors g in the world."""
    n = len(m.x) - 1
    found = numpy.zeros((len(g), n + 1, 6))
    found[:, h.B.link, 3:], found[:, h.A.link, 3:] = g, -numpy.asarray(g)
    return found[:, 1:].reshape(len(g), 6 * n)


def crossing(h, A, B):
    """Of w_b - w_a, the rates of both angles of a universal joint."""
    e, f = A.T @ h.axes[0], B.T @ h.axes[1]
    return numpy.linalg.inv(numpy.array([e, f, skew(e) @ f]).T)[:2]


def values(h, m):
    """Of the coordinates, in the order of `coordinates`."""
    A, B = frames(h, m)
    S = B @ A.T
    if h.kind == "R":
        return [about(h.axes[0], S) - h.offset]
    if h.kind == "P":
        return [m.value[h.shift] - h.offset]
    if h.kind == "C":
        return [m.value[h.shift], about(h.axes[0], S)]
    if h.kind == "U":
        n, k = h.axes
        # k as the first turn leaves it
        before, after = k - (k @ n) * n, S.T @ k - (k @ n) * n
        first = turned_angle(n, before, after)
        return [first, about(k, S @ turned(n, first).T)]
    return [quaternion(S)]


def turned_angle(n, before, after):
    """By which `before`, fixed in what turns, has come to `after`; both across n."""
    return numpy.arctan2(n @ (skew(before) @ after), before @ after)


NAMES = {"R": [("phi", "w", "a")], "P": [("s", "v", "a")], "C": [("s", "v", "a"), ("phi", "w", "wd")],
         "U": [("phi_a", "w_a", "a_a"), ("phi_b", "w_b", "a_b")], "S": [("q", "w", None)]}


def coordinates(h, m):
    """Those of a joint that is no constraint."""
    if h.cut or h.kind not in NAMES:
        return []
    A, B = frames(h, m)
    if h.kind == "U":
        rows = list(relative(m, h, crossing(h, A, B)))
    elif h.kind == "S":
        rows = [relative(m, h, B)]
    else:
        rows = [m.G[k] for k in (h.shift, h.turn) if k >= 0]
    found = []
    for k, (names, value) in enumerate(zip(NAMES[h.kind], values(h, m))):
        unit_name = "m" if names[0] == "s" else "rad"
        found.append(Coordinate(h.part, names, value, numpy.atleast_2d(rows[k]), unit_name, h.kind == "S"))
    return found


def rates(h, m):
    """Of the coordinates."""
    A, B = frames(h, m)
    w = m.w[h.B.link] - m.w[h.A.link]
    if h.kind == "U":
        return list(crossing(h, A, B) @ w)
    if h.kind == "S":
        return [B @ w]
    return [m.G[k] @ m.u for k in (h.shift, h.turn) if k >= 0]


# --- forces


def load(h, m, system, free):
    """Force (world) and torque (in B) on the part at its frame_b, and for each the directions that are determined.

    `free`: combinations of conditions that hold nothing, by columns.
    """
    b = h.B.link
    held = {k: i for i, k in enumerate(system.held)}
    mu = dict(zip(system.kept, m.mu))
    whole, loose = numpy.zeros(6), numpy.zeros((6, free.shape[1]))
    for k in h.conditions:
        whole += mu.get(k, 0.0) * m.whole[k, b]
        loose += numpy.outer(m.whole[k, b], free[held[k]])
    for k, effort in zip(system.driven, m.effort):
        if k in (h.shift, h.turn):
            whole -= effort * m.whole[k, b]
    _, B = frames(h, m)
    arm = m.R[b].T @ (h.B.r - system.centres[b])
    shift = numpy.eye(6)
    shift[3:, :3] = -skew(arm)
    turn = numpy.eye(6)
    turn[3:, 3:] = B
    whole, loose = turn @ shift @ whole, turn @ shift @ loose
    return whole, [determined(loose[:3]), determined(loose[3:])]


def determined(loose):
    """The projector across what is not."""
    if not loose.shape[1]:
        return numpy.eye(3)
    U, s, _ = numpy.linalg.svd(loose)
    return U[:, int((s > 1e-9).sum()):] @ U[:, int((s > 1e-9).sum()):].T

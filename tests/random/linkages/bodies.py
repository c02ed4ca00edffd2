"""Bodies in maximal coordinates under conditions between them.

Each body has the place x of its centre of mass, a quaternion (vector part first), v and w, all in the world; u holds
v and w of all bodies one after the other. Conditions have rows G u = 0 and accelerations G du/dt = -bias; the forces
that hold them follow from M du/dt + G^T mu = f. Of redundant conditions a largest independent set is kept, chosen by
pivots. Places and velocities are drawn back onto all conditions at every row. Body 0 is the ground.

Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, chapters 9 and 11.
"""
from dataclasses import dataclass

import numpy
import scipy.integrate
import scipy.linalg

from linkages.sketches import Again

NEXT, LAST = [1, 2, 0], [2, 0, 1]
LOOKS = 21  # from row to row, for singular positions that are passed in between


def cross(a, b):
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]


def dots(a, b):
    return numpy.einsum("ij,ij->i", a, b)


@dataclass
class Body:
    m: float
    J: numpy.ndarray  # about the centre, in its axes
    x: numpy.ndarray
    R: numpy.ndarray  # rows: its axes in the world


@dataclass
class Element:
    """At the coordinate of a row: spring, damper, inertia and a force of time, positive where they drive it."""
    row: object
    K: float = 0.0
    start: float = 0.0  # value without force: of a line its length, of an axis counted from the start
    D: float = 0.0
    J: float = 0.0
    wave: object = None


@dataclass
class Push:
    """A force of time on a point of a body, or a torque."""
    body: int
    point: object
    value: object


class Rows:
    """Rows G of three kinds: along a line between two points, of axes across each other, about an axis.

    A line is fixed in the first body (`along`) or leads from point to point.
    """

    def __init__(self):
        self.lines, self.pairs, self.turns = [], [], []
        self.where = {}  # of each row: (kind, index)
        self.count = 0

    def _added(self, kind, entries, entry):
        entries.append(entry)
        self.where[self.count] = (kind, len(entries) - 1)
        self.count += 1
        return self.count - 1

    def line(self, a, p, b, q, along=None, value=0.0):
        """q on b seen from p on a, along a direction in a, is `value`; without direction: the distance."""
        return self._added("line", self.lines, (a, p, b, q, along, value))

    def pair(self, a, c, b, d, value=0.0):
        """c in a and d in b: their product."""
        return self._added("pair", self.pairs, (a, c, b, d, value))

    def turn(self, a, e, b):
        return self._added("turn", self.turns, (a, e, b))

    def packed(self):
        """Arrays in place of lists; `order` tells the place of each row among lines, pairs and turns."""
        first = {"line": 0, "pair": len(self.lines), "turn": len(self.lines) + len(self.pairs)}
        order = numpy.array([first[kind] + i for kind, i in (self.where[k] for k in range(self.count))], int)
        a = numpy.array([row[0] for row in self.lines + self.pairs + self.turns], int)
        b = numpy.array([row[2] for row in self.lines] + [row[2] for row in self.pairs + self.turns], int)
        return order, a, b


def stacked(entries, k, zero=numpy.zeros(3)):
    return numpy.array([zero if entry[k] is None else entry[k] for entry in entries], float).reshape(len(entries), 3)


class Motion:
    """Places, velocities and all rows at one state."""

    def __init__(self, s, state):
        n = s.count
        self.x, self.v, self.w = (numpy.zeros((n + 1, 3)) for _ in range(3))
        self.x[1:] = state[:3 * n].reshape(n, 3)
        q = state[3 * n:7 * n].reshape(n, 4)
        u = state[7 * n:13 * n].reshape(n, 6)
        self.v[1:], self.w[1:] = u[:, :3], u[:, 3:]
        self.u = u.ravel()
        self.R = numpy.empty((n + 1, 3, 3))
        self.R[0] = numpy.eye(3)
        self.R[1:] = orientations(q)
        self._rows(s)

    def local(self, body, vectors):
        """From bodies' axes to the world's."""
        return numpy.einsum("ijk,ij->ik", self.R[body], vectors)

    def _rows(self, s):
        n, G = s.count, numpy.zeros((s.all, s.count + 1, 6))
        value, bias = numpy.zeros(s.all), numpy.zeros(s.all)
        lines, pairs = slice(0, s.nl), slice(s.nl, s.nl + s.np)
        a, b = s.a[lines], s.b[lines]
        rows = numpy.arange(s.all)
        ra, rb, fixed = self.local(a, s.p), self.local(b, s.q), self.local(a, s.along)
        wa, wb = self.w[a], self.w[b]
        h = self.x[b] + rb - self.x[a] - ra
        length = numpy.sqrt(dots(h, h))
        free = s.free
        d = numpy.where(free[:, None], h / numpy.where(free, length, 1.0)[:, None], fixed)
        sa, sb = cross(wa, ra), cross(wb, rb)
        hd = self.v[b] + sb - self.v[a] - sa
        along = dots(d, h)
        value[lines] = along - s.values
        G[rows[lines], b, :3] = d
        G[rows[lines], a, :3] = -d
        G[rows[lines], b, 3:] = cross(rb, d)
        held = cross(ra + numpy.where(free[:, None], 0.0, h), d)
        G[rows[lines], a, 3:] = -held
        turning = cross(wa, fixed)
        rate = dots(d, cross(wb, sb) - cross(wa, sa))
        turned = 2 * dots(turning, hd) + dots(cross(wa, turning), h)
        swept = (dots(hd, hd) - dots(d, hd)**2) / numpy.where(length > 0, length, 1.0)
        bias[lines] = rate + numpy.where(free, swept, turned)
        self.length = along
        a, b = s.a[pairs], s.b[pairs]
        c, d = self.local(a, s.c), self.local(b, s.d)
        wa, wb = self.w[a], self.w[b]
        e = cross(d, c)
        value[pairs] = dots(c, d) - s.products
        G[rows[pairs], b, 3:] = e
        G[rows[pairs], a, 3:] = -e
        bias[pairs] = dots(wb - wa, cross(cross(wb, d), c) + cross(d, cross(wa, c)))
        turns = slice(s.nl + s.np, s.all)
        a, b = s.a[turns], s.b[turns]
        e = self.local(a, s.e)
        G[rows[turns], b, 3:] = e
        G[rows[turns], a, 3:] = -e
        bias[turns] = dots(self.w[b] - self.w[a], cross(self.w[a], e))
        self.whole = G[s.order]  # with the ground, as forces at joints want it
        self.G = self.whole[:, 1:].reshape(s.all, 6 * n)
        self.value, self.bias = value[s.order], bias[s.order]

    def point(self, body, r):
        return self.x[body] + r @ self.R[body]

    def velocity(self, body, r):
        return self.v[body] + cross(self.w[body], r @ self.R[body])


def orientations(q):
    q = q / numpy.sqrt(numpy.einsum("ij,ij->i", q, q))[:, None]
    x, y, z, s = q.T
    R = numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y + s * z), 2 * (x * z - s * y)],
                     [2 * (x * y - s * z), 1 - 2 * (x * x + z * z), 2 * (y * z + s * x)],
                     [2 * (x * z + s * y), 2 * (y * z - s * x), 1 - 2 * (x * x + y * y)]])
    return R.transpose(2, 0, 1)


def quaternion(R):
    """Vector part first, of the rows' orientation."""
    K = numpy.array([[R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0], [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
                     [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
                     [R[1, 2] - R[2, 1], R[2, 0] - R[0, 2], R[0, 1] - R[1, 0], R[0, 0] + R[1, 1] + R[2, 2]]])
    q = numpy.linalg.eigh(K)[1][:, -1]
    return q if q[3] >= 0 else -q


def rates(q, w):
    """Of quaternions, with the angular velocities in the world."""
    v, s = q[:, :3], q[:, 3:]
    return 0.5 * numpy.concatenate([s * w + cross(w, v), -dots(w, v)[:, None]], axis=1)


class System:
    """All bodies with what holds and drives them."""

    def __init__(self, bodies, rows, held, gravity):
        self.bodies, self.count, self.held, self.gravity = bodies, len(bodies), numpy.array(held, int), gravity
        self.elements, self.pushes = [], []
        self.rows = rows

    def lay_out(self):
        r = self.rows
        self.order, self.a, self.b = r.packed()
        self.nl, self.np, self.all = len(r.lines), len(r.pairs), r.count
        self.p, self.q, self.along = stacked(r.lines, 1), stacked(r.lines, 3), stacked(r.lines, 4)
        self.free = numpy.array([row[4] is None for row in r.lines], bool)
        self.values = numpy.array([row[5] for row in r.lines], float)
        self.c, self.d = stacked(r.pairs, 1), stacked(r.pairs, 3)
        self.products = numpy.array([row[4] for row in r.pairs], float)
        self.e = stacked(r.turns, 1)
        self.m, self.J = numpy.array([b.m for b in self.bodies]), numpy.array([b.J for b in self.bodies])
        e = self.elements
        self.driven = numpy.array([x.row for x in e], int)
        self.K, self.D, self.start, self.inertia = (
            numpy.array([getattr(x, name) for x in e], float) for name in ("K", "D", "start", "J"))
        self.places = 6 * numpy.arange(self.count)

    def first(self, u):
        """The state at the start; behind the bodies' what elements have turned or moved, then the powers' integrals."""
        place = numpy.concatenate([b.x for b in self.bodies])
        q = numpy.concatenate([quaternion(b.R) for b in self.bodies])
        return numpy.concatenate([place, q, u, numpy.zeros(len(self.elements) + 2)])

    def mass(self, m):
        M = numpy.zeros((6 * self.count, 6 * self.count))
        J = numpy.einsum("nji,njk,nkl->nil", m.R[1:], self.J, m.R[1:])
        for i in range(3):
            M[self.places + i, self.places + i] = self.m
            for j in range(3):
                M[self.places + 3 + i, self.places + 3 + j] = J[:, i, j]
        return M, J

    def stretched(self, m, moved):
        """Values of the elements' coordinates: lengths of lines between points, otherwise as moved since the start."""
        lines = [self.rows.where[k] for k in self.driven]
        return numpy.array([m.length[i] if kind == "line" and self.free[i] else moved[k]
                            for k, (kind, i) in enumerate(lines)]).reshape(len(lines))

    def accelerations(self, t, state):
        """Motion, du/dt, forces mu of the kept conditions, efforts of the elements, and powers."""
        m, n = Motion(self, state), self.count
        M, J = self.mass(m)
        f = numpy.zeros((n, 6))
        f[:, :3] = self.m[:, None] * self.gravity
        f[:, 3:] = -cross(m.w[1:], numpy.einsum("nij,nj->ni", J, m.w[1:]))
        supplied = 0.0
        for push in self.pushes:
            value, b = push.value(t), push.body
            if push.point is None:
                f[b - 1, 3:] += value
                supplied += value @ m.w[b]
            else:
                f[b - 1, :3] += value
                f[b - 1, 3:] += cross(push.point @ m.R[b], value)
                supplied += value @ m.velocity(b, push.point)
        f = f.ravel()
        G = m.G[self.driven]
        rate = G @ m.u
        waves = numpy.array([x.wave(t) if x.wave else 0.0 for x in self.elements])
        moved = state[13 * n:13 * n + len(self.elements)]
        effort = waves - self.K * (self.stretched(m, moved) - self.start) - self.D * rate
        f += G.T @ (effort - self.inertia * m.bias[self.driven])
        M += (G.T * self.inertia) @ G
        kept = self.kept
        size = 6 * n
        A = numpy.zeros((size + len(kept), size + len(kept)))
        A[:size, :size], A[size:, :size], A[:size, size:] = M, m.G[kept], m.G[kept].T
        x = numpy.linalg.solve(A, numpy.concatenate([f, -m.bias[kept]]))
        m.du, m.mu, m.M = x[:size], x[size:], M
        m.effort = effort - self.inertia * (G @ m.du + m.bias[self.driven])
        return m, rate, (supplied + waves @ rate, self.D @ rate**2)

    def rate(self, t, state):
        m, moved, powers = self.accelerations(t, state)
        n = self.count
        q = state[3 * n:7 * n].reshape(n, 4)
        return numpy.concatenate([m.v[1:].ravel(), rates(q, m.w[1:]).ravel(), m.du, moved, powers])

    def energy(self, t, state):
        """What bodies, springs and inertias store."""
        m, n = Motion(self, state), self.count
        M, _ = self.mass(m)
        moved = state[13 * n:13 * n + len(self.elements)]
        rate = m.G[self.driven] @ m.u
        return (0.5 * m.u @ M @ m.u - self.m @ (m.x[1:] @ self.gravity) + 0.5 * self.inertia @ rate**2
                + 0.5 * self.K @ (self.stretched(m, moved) - self.start)**2)

    # --- conditions

    def singular_values(self, m):
        return numpy.linalg.svd(m.G[self.held], compute_uv=False)

    def keep(self, m, rank):
        """Chooses the conditions that are kept."""
        if rank == 0:
            self.kept = self.held[:0]
            return
        self.kept = self.held[scipy.linalg.qr(m.G[self.held].T, mode="r", pivoting=True)[1][:rank]]

    def drawn_back(self, state):
        """Places, then velocities on the conditions, by the least change; and how far off places were."""
        n, state, off = self.count, state.copy(), 0.0
        for _ in range(4):
            m = Motion(self, state)
            residual = m.value[self.held]
            off = max(off, abs(residual).max(initial=0.0))
            if abs(residual).max(initial=0.0) < 1e-14:
                break
            change = -scipy.linalg.lstsq(m.G[self.held], residual, cond=1e-8)[0].reshape(n, 6)
            q = state[3 * n:7 * n].reshape(n, 4)
            q = q + rates(q, change[:, 3:])
            state[:3 * n] += change[:, :3].ravel()
            state[3 * n:7 * n] = (q / numpy.linalg.norm(q, axis=1)[:, None]).ravel()
        m = Motion(self, state)
        if len(self.held):
            G = m.G[self.held]
            state[7 * n:13 * n] -= scipy.linalg.lstsq(G, G @ m.u, cond=1e-8)[0]
        return state, off

    def run(self, state, times, rank, least):
        """States at the times, as far as conditions stay as many and well apart, and bodies slow."""
        states, count = [state], 0

        def rate(t, y):
            nonlocal count
            count += 1
            if count > 900:
                raise Again
            return self.rate(t, y)
        for a, b in zip(times, times[1:]):
            done = scipy.integrate.solve_ivp(rate, (a, b), states[-1], "DOP853", numpy.linspace(a, b, LOOKS)[1:],
                                             rtol=1e-10, atol=1e-11)
            if not done.success:
                raise Again
            after, off = self.drawn_back(done.y[:, -1])
            if off > 1e-7:
                raise Again  # as many conditions only in special positions: no motion of rigid links
            m = Motion(self, after)
            if abs(self.singular_values(m)[rank:]).max(initial=0.0) > 1e-7:
                raise Again
            if not all(self.tame(Motion(self, y), rank, least) for y in done.y.T):
                break
            self.keep(m, rank)
            states.append(after)
        return states

    def tame(self, m, rank, least):
        """Whether conditions are well apart, bodies slow and ends of springs not in one place."""
        return (self.singular_values(m)[:rank].min(initial=1.0) > least and abs(m.u).max() < 30
                and m.length[self.free].min(initial=1.0) > 0.1)

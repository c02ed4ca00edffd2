"""Motion of frames, by Kane's partial velocities.

Every frame has its place x and orientation R (rows: its axes in the world), and velocity v, angular velocity w and
their rates as linear functions of the speeds u and their rates, all in the axes of the world: v = V u, w = W u,
dv/dt = V du/dt + a, dw/dt = W du/dt + d. Kane and Levinson, Dynamics: Theory and Applications, 1985, chapters 2 and 6.
"""
from dataclasses import dataclass

import numpy

AXES = numpy.eye(3)


def skew(p):
    """skew(p) h = p x h"""
    return numpy.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def unit(p):
    p = numpy.asarray(p, float)
    return p / numpy.sqrt(p @ p)


def turned(n, angle):
    """The orientation of axes that have turned by the angle about the unit vector n, seen from where they were."""
    c, s = numpy.cos(angle), numpy.sin(angle)
    return numpy.outer(n, n) * (1 - c) + c * numpy.eye(3) - s * skew(n)


def turned_in_sequence(axes, angles):
    """Turns about the axes (1, 2, 3) of the frames reached, one after the other."""
    R = numpy.eye(3)
    for axis, angle in zip(axes, angles):
        R = turned(AXES[axis - 1], angle) @ R
    return R


def sequence_rates(axes, angles):
    """The matrix from the rates of such angles to the angular velocity, in the axes reached at last."""
    columns, behind = [], numpy.eye(3)
    for axis, angle in reversed(list(zip(axes, angles))):
        e = AXES[axis - 1]
        columns.insert(0, behind @ e)
        behind = behind @ turned(e, angle)
    return numpy.array(columns).T


def of_quaternion(q):
    """Vector part first. Turning by an angle about n: q = (n sin(angle/2), cos(angle/2))."""
    q = unit(q)
    sine = numpy.sqrt(q[:3] @ q[:3])
    return numpy.eye(3) if sine == 0 else turned(q[:3] / sine, 2 * numpy.arctan2(sine, q[3]))


def two_axes(x, y):
    """Rows: x, the part of y across it, and the third; unit vectors."""
    x = unit(x)
    z = unit(numpy.cross(x, y))
    return numpy.array([x, numpy.cross(z, x), z])


@dataclass
class Frame:
    x: numpy.ndarray
    R: numpy.ndarray
    v: numpy.ndarray
    w: numpy.ndarray
    V: numpy.ndarray
    W: numpy.ndarray
    a: numpy.ndarray
    d: numpy.ndarray


def still(x, size):
    """A frame fixed in the world, where there are so many speeds."""
    zero, partial = numpy.zeros(3), numpy.zeros((3, size))
    return Frame(numpy.array(x, float), numpy.eye(3), zero, zero, partial, partial, zero, zero)


def point(f, r, v=None, V=None, a=None):
    """A point at r (in the world) from the frame, which moves against its axes by v = V u, with a, if that is given."""
    turn = skew(r)
    rotation = skew(f.w)
    sweep = rotation @ r
    velocity, partial, rate = f.v + sweep, f.V - turn @ f.W, f.a - turn @ f.d + rotation @ sweep
    if v is not None:
        velocity, partial, rate = velocity + v, partial + V, rate + a + 2 * rotation @ v
    return Frame(f.x + r, f.R, velocity, f.w, partial, f.W, rate, f.d)


@dataclass
class Turn:
    """A turn about the unit vector n by the amount (a function of coordinates) that it holds; or of a fixed amount."""
    n: numpy.ndarray
    amount: object

    def apply(self, f, motion, back):
        value, rate, row, bias = self.amount(motion)
        if back:
            value, rate, row, bias = -value, -rate, -row, -bias
        e = f.R.T @ self.n
        return Frame(f.x, turned(self.n, value) @ f.R, f.v, f.w + rate * e, f.V, f.W + numpy.outer(e, row), f.a,
                     f.d + bias * e + skew(f.w) @ e * rate)


@dataclass
class Shift:
    """A move along the vector n times the amount."""
    n: numpy.ndarray
    amount: object

    def apply(self, f, motion, back):
        value, rate, row, bias = self.amount(motion)
        e = -(f.R.T @ self.n) if back else f.R.T @ self.n
        return point(f, value * e, rate * e, numpy.outer(e, row), bias * e)


@dataclass
class Place:
    """Fixed: a move by r, then the constant orientation P."""
    r: numpy.ndarray
    P: numpy.ndarray

    def apply(self, f, motion, back):
        if back:
            f = Frame(f.x, self.P.T @ f.R, f.v, f.w, f.V, f.W, f.a, f.d)
            return point(f, -(f.R.T @ self.r))
        moved = point(f, f.R.T @ self.r)
        moved.R = self.P @ f.R
        return moved


@dataclass
class BallTurn:
    """Any orientation S against the frame before, with the relative angular velocity in the axes reached."""
    ball: object

    def apply(self, f, motion, back):
        S, first = motion.orientation(self.ball), self.ball.first
        R = S.T @ f.R if back else S @ f.R
        axes = f.R.T if back else R.T
        relative = axes @ motion.u[first:first + 3]
        sign = -1.0 if back else 1.0
        W = f.W.copy()
        W[:, first:first + 3] += sign * axes
        # The axes in which the relative velocity is given turn with the frame that it belongs to.
        return Frame(f.x, R, f.v, f.w + sign * relative, f.V, W, f.a, f.d + sign * skew(f.w) @ relative)


def constant(value):
    """An amount that doesn't change."""
    return lambda motion: (value, 0.0, numpy.zeros(len(motion.u)), 0.0)


def through(steps, frame, motion, back=False):
    for step in (reversed(steps) if back else steps):
        frame = step.apply(frame, motion, back)
    return frame

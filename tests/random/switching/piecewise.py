"""Piecewise linear networks in time: what the families of switches and of friction calculate with.

A mode of a network is a regular pencil E z' = A z in all efforts, flows and node variables z, and in the outer world
(1, sines). Its solutions follow from the Weierstrass form: z = X exp(K t) W z(0-) on the finite part; what z(0-) has
in the nilpotent part of index 2 disappears in an impulse (Verghese, Levy, Kailath: A generalized state-space for
singular systems, IEEE Trans. AC 26, 1981; Trenn: Regularity of distributional DAEs, 2009).
"""
import numpy
from scipy.linalg import expm, schur, solve_sylvester
from scipy.optimize import brentq


class Redraw(Exception):
    """The answer is not unique, or hangs on rounding: the seed draws another model."""


class NoSolution(Exception):
    """A mode in which something floats, is fixed twice, or would take impulses' derivatives."""


class Pencil:
    """The solutions of E z' = A z."""

    SHIFT = 1.0123  # no eigenvalue of a network of round numbers

    def __init__(self, e, a):
        matrix = self.SHIFT * e - a
        scale = abs(matrix).max(axis=1)
        if not scale.all() or numpy.linalg.cond(matrix / scale[:, None]) > 1e9:
            raise NoSolution("singular")
        p = numpy.linalg.solve(matrix / scale[:, None], e / scale[:, None])
        t, q, finite = schur(p, output="real", sort=lambda re, im=0.0: abs(complex(re, im)) > 1e-6)
        t11, t12, t22 = t[:finite, :finite], t[:finite, finite:], t[finite:, finite:]
        coupling = solve_sylvester(t11, -t22, -t12) if t12.size else t12
        self.x = q[:, :finite]
        self.x2 = q[:, :finite] @ coupling + q[:, finite:]
        inverse = numpy.linalg.inv(numpy.hstack([self.x, self.x2]))
        self.w, self.w2 = inverse[:finite], inverse[finite:]
        self.nilpotent = t22
        if abs(t22 @ t22).max(initial=0.0) > 1e-9:
            raise NoSolution("an index above 2")
        self.exponent = self.SHIFT * numpy.eye(finite) - numpy.linalg.inv(t11)
        self.rate = self.x @ self.exponent @ self.w

    def after(self, z):
        """z just after, and what its efforts and flows add to their time integrals in the jump."""
        return self.x @ (self.w @ z), self.x2 @ (self.nilpotent @ (self.w2 @ z))


def direction(pencil, row, z, size, orders=6):
    """The sign that row·z is about to have: that of its first derivative which is not zero; 0 where all are."""
    scale = size
    rate = max(1.0, float(numpy.linalg.norm(pencil.exponent)))
    for _ in range(orders):
        value = float(row @ z)
        if abs(value) > 1e-6 * scale:
            return 1 if value > 0 else -1
        if abs(value) > 1e-9 * scale:
            raise Redraw("a sign that hangs on rounding")
        z, scale = pencil.rate @ z, scale * rate
    return 0


class Piece:
    """The time from an event to the next, `state` being the finite part's coordinates at its begin."""

    def __init__(self, pencil, begin, z, longest):
        self.pencil, self.begin, self.end = pencil, begin, begin + longest
        self.state = pencil.w @ z
        self.grid, self.states = self._sampled(longest)

    def _sampled(self, longest):
        k = self.pencil.exponent
        fastest = abs(numpy.linalg.eigvals(k).imag).max(initial=0.0)
        count = int(min(2000, max(60, 6 * fastest * longest)))
        grid = numpy.linspace(0.0, longest, count + 1)
        step = expm(k * grid[1])
        states = [self.state]
        for _ in range(count):
            states.append(step @ states[-1])
        decay = abs(numpy.linalg.eigvals(k).real).max(initial=0.0)
        early = []  # halving, as far as the fastest decay
        while grid[1] / 2 ** len(early) * decay > 0.1 and len(early) < 30:
            early.append(grid[1] / 2 ** (len(early) + 1))
        before = [expm(k * tau) @ self.state for tau in reversed(early)]
        return (numpy.concatenate([[0.0], early[::-1], grid[1:]]), numpy.array([states[0], *before, *states[1:]]))

    def at(self, time):
        return self.pencil.x @ (expm(self.pencil.exponent * (time - self.begin)) @ self.state)

    def leaves(self, row, size):
        """When row·z, not negative at first, becomes negative for the first time; None where it does not."""
        x = row @ self.pencil.x
        slope = x @ self.pencil.exponent
        g, d = self.states @ x, self.states @ slope
        tiny = 1e-9 * size

        def value(tau):
            return float(x @ (expm(self.pencil.exponent * tau) @ self.state))

        def change(tau):
            return float(slope @ (expm(self.pencil.exponent * tau) @ self.state))

        for i in range(1, len(g)):
            left, right = self.grid[i - 1], self.grid[i]
            if g[i] < -tiny:
                return self._root(value, change, left, right, g[i - 1], tiny, size)
            if d[i - 1] < 0 < d[i] and change(left) < 0 < change(right):
                lowest = brentq(change, left, right, xtol=1e-14)
                low = value(lowest)
                if low < -1e-5 * size:
                    return self._root(value, change, left, lowest, g[i - 1], tiny, size)
                if low < 1e-5 * size and g[i] > tiny and g[i - 1] > tiny:
                    raise Redraw("a condition is touched")
        return None

    def _root(self, value, change, left, right, before, tiny, size):
        if before <= tiny:
            if left > 0.0:
                raise Redraw("a condition stays near its limit")
            while value(left + (right - left) / 2) <= tiny:
                right = left + (right - left) / 2
                if right - left < 1e-9:
                    raise Redraw("a condition is left at once")
            left += (right - left) / 2
        if value(right) > 0.0 or value(left) <= 0.0:
            raise Redraw("a condition that hangs on rounding")
        root = brentq(value, left, right, xtol=1e-14)
        if abs(change(root)) < 1e-2 * size or right - left < 0:
            raise Redraw("a condition is left too slowly to tell when")
        return self.begin + root

    def moved(self, ports, end):
        """The energy that goes through all ports either way up to `end`, nearly."""
        until = self.grid <= end - self.begin
        z = self.states[until] @ self.pencil.x.T
        power = abs(z[:, :ports] * z[:, ports:2 * ports]).sum(axis=1)
        return float(numpy.sum(0.5 * (power[1:] + power[:-1]) * numpy.diff(self.grid[until])))

    def work(self, pairs, end):
        """The time integrals of products (row1·z)(row2·z) up to `end`, by doubling the Gram matrix of the states."""
        k, length = self.pencil.exponent, end - self.begin
        doublings = max(0, int(numpy.ceil(numpy.log2(max(1e-9, 8 * numpy.linalg.norm(k) * length)))))
        h = length / 2 ** doublings
        nodes, weights = numpy.polynomial.legendre.leggauss(8)
        gram = numpy.zeros_like(k)
        for node, weight in zip(nodes, weights):
            s = expm(k * h * (node + 1) / 2) @ self.state
            gram += 0.5 * h * weight * numpy.outer(s, s)
        step = expm(k * h)
        for _ in range(doublings):
            gram = gram + step @ gram @ step.T
            step = step @ step
        return numpy.array([float((one @ self.pencil.x) @ gram @ (other @ self.pencil.x)) for one, other in pairs])

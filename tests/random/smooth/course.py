"""The course of a machine of plants and discrete values: integrated with all branches held, from one instant to the
next.

After each step of DOP853 (at 1e-11) it looks for the first branch that ends, located by Brent's method, carries out
what happens there in rounds, and starts anew.
"""
import math
from dataclasses import dataclass

import numpy
from scipy.integrate import DOP853
from scipy.optimize import brentq

from smooth.branches import State


class Again(Exception):
    """A machine whose course hangs on rounding (two events at nearly one time, a graze) or chatters: another is
    drawn."""


@dataclass
class Stretch:
    """Between two instants: integrated pieces, and a State with the branches and discrete values that hold."""
    start: float
    stop: float
    pieces: list
    state: State

    def at(self, t):
        """The State at t, which is moved into the stretch."""
        s, s.t = self.state.copy(), min(max(t, self.start), self.stop)
        if not self.pieces:  # an instant at the end
            return s
        piece = next((piece for piece in self.pieces if s.t <= piece.t_max), self.pieces[-1])
        s.x = list(piece(s.t))
        return s


def rates(m, s, t, x):
    s.t, s.x = t, x
    return [rate(s) for rate in m.rates]


def ahead(m, s, span):
    """Where s is heading: a billionth of the span later."""
    later = s.copy()
    slopes = rates(m, later, s.t, s.x)
    later.t, later.x = s.t + 1e-9 * span, [x + 1e-9 * span * v for x, v in zip(s.x, slopes)]
    return later


def settle(m, s, due, span):
    """Branches and discrete values that agree with each other, given those before (s.pre) and what is sampled."""
    for _ in range(30):
        later = ahead(m, s, span)
        ended = [k for k, branch in enumerate(m.branches) if branch.margin(later, s.held[k]) < 0]
        for k in ended:
            s.held[k] = m.branches[k].now(later)
        new = {}
        for block in m.blocks:
            new |= block.update(s, due)
        if not ended and all(s.d[name] == value for name, value in new.items()):
            return
        s.d.update(new)
    raise Again


def carry_out(m, s, due, true, span):
    """What happens at an instant, in rounds; `true` holds which conditions of `when` were so before."""
    for _ in range(30):
        before = s.copy()
        s.pre = dict(s.d)
        settle(m, s, due, span)
        later, actions = ahead(m, s, span), []
        for k, (_, entry) in enumerate(m.whens):
            now = entry.sample in due if entry.sample is not None else bool(entry.condition(s))
            if now and not true[k]:
                actions.append(entry)
            true[k] = now and entry.sample is None
        for entry in actions:
            for k, new in entry.reinit.items():
                s.x[k] = new.value(before)
            for name, new in entry.set.items():
                s.d[name] = new.value(before)
        if not actions and s.d == s.pre and not due:
            return later
        due = frozenset()
    raise Again


def first_end(m, s, piece, span):
    """The first branch that ends within the piece: (time, branches), or None."""
    grid = numpy.linspace(piece.t_min, piece.t_max, 14)
    probe, margins = s.copy(), numpy.empty((len(grid), len(m.branches)))

    def margin(k, t):
        probe.t, probe.x = t, piece(t)
        return m.branches[k].margin(probe, s.held[k])
    for row, t in enumerate(grid):
        probe.t, probe.x = t, piece(t)
        margins[row] = [branch.margin(probe, held) for branch, held in zip(m.branches, s.held)]
    found = []
    for k in range(len(m.branches)):
        column = margins[:, k]
        for j in range(1, len(grid)):
            if column[j] < 0:
                low = grid[j - 1]
                if column[j - 1] <= 0:  # where it began
                    low = next((t for t in numpy.linspace(low, grid[j], 20)[1:] if margin(k, t) > 0), None)
                    if low is None:
                        raise Again
                found.append((brentq(lambda t: margin(k, t), low, grid[j], xtol=1e-15 * span, rtol=1e-15), k))
                break
            if 1 < j and column[j - 1] < min(column[j - 2], column[j]):
                bend = column[j - 2] - 2 * column[j - 1] + column[j]
                if column[j - 1] - (column[j] - column[j - 2])**2 / (8 * bend) < 0.2 * bend + 1e-6:
                    raise Again  # it may end and begin anew between the points, or nearly so
    if not found:
        return None
    t = min(found)[0]
    return t, [k for other, k in found if other - t < 1e-9 * span]


def course(m, stop):
    """The stretches of the run, and for each instant between them whether the program shows it."""
    s = m.start()
    forced = sorted({start + k * period for start, period in m.samples
                     for k in range(max(0, math.ceil(-start / period)), int((stop - start) / period) + 1)}
                    | {t for t in m.stops if 0 < t < stop} | {stop})

    def due(t):
        periods = [(t - start) / period for start, period in m.samples]
        return frozenset(k for k, n in enumerate(periods) if round(n) >= 0 and abs(n - round(n)) < 1e-9)

    if any(abs(branch.margin(s, held)) < 1e-12 for branch, held in zip(m.branches, s.held)):
        raise Again  # neither side of something at the start
    settled = s.copy()
    settle(m, settled, due(0.0), stop)  # what is true from the start is true of values that agree with each other
    true = [entry.sample is None and bool(entry.condition(settled)) for _, entry in m.whens]
    stretches, instants = [], []
    if any(entry.sample in due(0.0) for _, entry in m.whens):  # the start itself is an event then
        carry_out(m, s, frozenset(), list(true), stop)  # the values before what is sampled there
        stretch, _ = instant(m, s, due(0.0), true, stretches, Stretch(0.0, stop, [], s.copy()), stop)
        instants.append((0.0, True))
    else:
        carry_out(m, s, due(0.0), true, stop)
        stretch = Stretch(0.0, stop, [], s.copy())
    for until in [t for t in forced if t > 1e-9 * stop]:
        while s.t < until - 1e-12 * stop:
            found, piece = advance(m, s, until, stop)
            stretch.pieces.append(piece)
            s.t, s.x = (found[0] if found else piece.t_max), list(piece(found[0] if found else piece.t_max))
            if not found:
                continue
            before, shown = s.copy(), any(m.branches[k].event for k in found[1])
            for k in found[1]:
                s.held[k] = m.branches[k].next(s, s.held[k])
            stretch, changed = instant(m, s, frozenset(), true, stretches, stretch, stop)
            instants.append((s.t, changed or shown and shows(m, before, s, stop)))
        if due(until):
            s.t = until
            stretch, changed = instant(m, s, due(until), true, stretches, stretch, stop)
            instants.append((until, changed))
    stretches.append(stretch)
    if any(abs(branch.margin(s, held)) < 1e-9 for branch, held in zip(m.branches, s.held)):
        raise Again  # just at the end
    times = [0.0, *(t for t, _ in instants if 0 < t < stop), stop]
    if any(b - a < 2e-5 * stop for a, b in zip(times, times[1:])) or len(times) > 150:
        raise Again
    return stretches, instants


def instant(m, s, due, true, stretches, stretch, span):
    """Ends the stretch at s, carries out what happens, begins the next; also whether anything discrete changed."""
    stretch.stop = s.t
    stretches.append(stretch)
    before = s.copy()
    carry_out(m, s, due, true, span)
    moved = [abs(s.d[name] - value) for name, value in before.d.items()] + [abs(a - b) for a, b in zip(before.x, s.x)]
    return Stretch(s.t, span, [], s.copy()), max(moved) > 1e-9  # a sample of what is at rest changes its last digit


def shows(m, before, after, span):
    """Whether a rate jumps, or bends in time, from one State to the other: results alone are no events."""
    step, values = 1e-8 * span, []
    for s, side in ((before, -step), (after, step)):
        for t in (s.t, s.t + side):
            probe = s.copy()
            probe.t = t
            values.append(numpy.array([f(probe) for f in m.rates]))
    left, left_earlier, right, right_later = values
    jump, bend = abs(right - left), abs((right_later - right) - (left - left_earlier))
    return bool((jump > 1e-9).any() or (bend > 1e-2 * step / span).any())


def advance(m, s, until, span):
    """One step with the branches as they are: the first that ends in it, and the piece."""
    if max(abs(x) for x in s.x) > 20:
        raise Again
    probe = s.copy()
    solver = DOP853(lambda t, x: rates(m, probe, t, x), s.t, s.x, until, rtol=1e-11, atol=1e-12, max_step=span / 40,
                    first_step=s.step if getattr(s, "step", 0) and s.step < until - s.t else None)
    solver.step()
    if solver.status == "failed":
        raise Again
    piece = solver.dense_output()
    s.step = solver.h_abs
    return first_end(m, s, piece, span), piece

"""Which modes a network takes together just after an instant: a complementarity problem, solved by trying all of them.

A jump is one mode in which impulses act as their elements allow (a diode that conducts takes f dt >= 0, one that blocks
e dt <= 0, friction takes none), followed by a mode without impulses whose elements agree with it for some time: each
inequality holds at once or by its first derivative that is not zero (Lötstedt: Mechanical systems of rigid bodies
subject to unilateral constraints, SIAM J. Appl. Math. 42, 1982; Camlibel, Heemels, Schumacher: On linear passive
complementarity systems, Eur. J. Control 8, 2002).
"""
import itertools
from dataclasses import dataclass

import numpy

from switching.piecewise import NoSolution, Redraw, direction

ONE_WAY = ("D", "CheckValve", "OneWayClutch", "Thyristor", "GTO")


@dataclass
class Choice:
    """What an instant has brought about: the mode of the jump, the mode after it, z after both, after the jump alone,
    and the impulses (zero without a jump)."""
    jump: tuple
    modes: tuple
    z: numpy.ndarray
    jumped: numpy.ndarray
    impulse: numpy.ndarray

    def moves(self):
        return abs(self.impulse).max(initial=0.0) > 0.0


def limits(net, element, mode):
    """Rows that must not be negative for an element to stay in a mode."""
    e, f, one, v = net.e(element), net.f(element), net.one, element.values
    if element.kind in ONE_WAY:
        if mode == "open":
            return [net.row([(e, -1.0), (one, v["e_knee"])])]
        return [net.row([(f, 1.0), (one, -v["Goff"] * v["e_knee"])])]
    if element.kind == "Friction":
        if mode == "stuck":
            return [net.row([(one, v["static"]), (e, -1.0)]), net.row([(one, v["static"]), (e, 1.0)])]
        return [] if mode == "free" else [net.row([(f, 1.0 if mode == "forward" else -1.0)])]
    if element.kind == "EndStop":
        if mode in ("upper", "lower"):
            return [net.row([(e, 1.0 if mode == "upper" else -1.0)])]
        return [net.row([(one, v["upper"]), (element.column, -1.0)]),
                net.row([(one, -v["lower"]), (element.column, 1.0)])]
    return []


def pushed_back(net, jump, z, size):
    """Whether an impact has left a freewheel running the wrong way, which is another impact."""
    return any(element.kind in ONE_WAY and mode == "closed" and z[net.f(element)] < -1e-9 * size
               for element, mode in zip(net.elements, jump))


def impulses_allowed(net, element, mode, impulse, tiny):
    e, f = impulse[net.e(element)], impulse[net.f(element)]
    if element.kind in ONE_WAY:
        return (e <= tiny if mode == "open" else f >= -tiny) if abs(e) + abs(f) > tiny else True
    if element.kind == "Friction" and mode == "stuck":
        return abs(e) <= tiny
    if element.kind == "EndStop" and mode in ("upper", "lower"):
        if (e if mode == "upper" else -e) < -tiny:
            raise Redraw("a stop that an impact elsewhere would pull at")
    return True


def stays(net, pencil, modes, free, z, size):
    """Whether the elements agree with their modes for some time."""
    idle = False
    for i in free:
        element = net.elements[i]
        for row in limits(net, element, modes[i]):
            sign = direction(pencil, row, z, size)
            moving = element.kind == "Friction" and modes[i] in ("forward", "backward")
            if sign < 0:
                return False
            idle = idle or (moving and sign == 0)
            if sign == 0 and element.kind in ONE_WAY:
                require_other(net, modes, i)
            if sign == 0 and element.kind == "EndStop" and modes[i] == "free":
                raise Redraw("something else holds a body at its stop")
    if idle and any(net.elements[i].kind == "Friction" and modes[i] == "stuck" for i in free):
        # How much each of them holds is open, and so is what breaks them loose: rest may be right, and sliding, too.
        raise Redraw("frictions that share what they hold")
    return not idle


def require_other(net, modes, i):
    """An element without effort and flow may be in either mode: refused where the other one has no solution, or where a
    later course hangs on which it is."""
    if net.elements[i].kind == "Thyristor" and modes[i] == "closed":
        raise Redraw("a thyristor without current")
    other = list(modes)
    other[i] = "open" if modes[i] == "closed" else "closed"
    try:
        net.pencil(other)
    except NoSolution:
        raise Redraw("a diode without effort and flow that may take one mode only") from None


def combinations(net, modes, candidates):
    order = sorted(candidates)
    for chosen in itertools.product(*(candidates[i] for i in order)):
        full = list(modes)
        for i, mode in zip(order, chosen):
            full[i] = mode
        try:
            yield tuple(full), net.pencil(full)
        except NoSolution:
            continue


def choose(net, modes, candidates, z, size, alone=True):
    """The unique choice among the candidates (by index of an element: modes), from z just before. `alone`: one element
    has come to the end of its mode; else several may break loose at once, of which each may hold where the others do
    not, so that several answers are right. Raises Redraw."""
    tiny = 1e-9 * size
    free = sorted(candidates)
    tried = list(combinations(net, modes, candidates))
    found = []
    for jump, pencil in tried:
        jumped, impulse = pencil.after(z)
        if not all(impulses_allowed(net, net.elements[i], jump[i], impulse, tiny) for i in free):
            continue
        if abs(impulse).max(initial=0.0) <= tiny:
            if stays(net, pencil, jump, free, jumped, size):
                found.append(Choice(jump, jump, jumped, jumped, numpy.zeros_like(impulse)))
            continue
        for then, later in tried:
            after, more = later.after(jumped)
            if abs(more).max(initial=0.0) <= tiny and stays(net, later, then, free, after, size):
                found.append(Choice(jump, then, after, jumped, impulse))
    kept = resting(net, found)
    if not alone and len(kept) < len(found) and sum(element.kind == "Friction" for element in net.elements) > 1:
        raise Redraw("frictions that may stick or slide")
    return the_only(net, kept, size)


def impact(net, modes, candidates, z, size):
    """What an impact does at once, its stop being in the mode that says so: z after it and the impulses."""
    tiny = 1e-9 * size
    results = []
    for jump, pencil in combinations(net, modes, candidates):
        jumped, impulse = pencil.after(z)
        if all(impulses_allowed(net, element, mode, impulse, tiny) for element, mode in zip(net.elements, jump)):
            results.append(Choice(jump, jump, jumped, jumped, impulse))
            if pushed_back(net, jump, jumped, size):
                raise Redraw("an impact that brings about another one")
    if not results:
        raise Redraw("no modes agree in an impact")
    first = results[0]
    carried = [i for i, element in enumerate(net.elements) if element.kind in ("C", "I")]
    columns = [net.e(net.elements[i]) if net.elements[i].kind == "C" else net.f(net.elements[i]) for i in carried]
    for other in results:
        if max(abs(first.z - other.z)[columns].max(initial=0.0), abs(first.impulse - other.impulse).max()) > tiny:
            raise Redraw("several impacts agree")
    return first


def resting(net, found):
    """Without the choices in which friction begins to slide though it may stick (static above sliding friction)."""
    frictions = [i for i, element in enumerate(net.elements) if element.kind == "Friction"]

    def sticks_more(one, other):
        differ = [i for i in range(len(one.modes)) if one.modes[i] != other.modes[i]]
        return differ and all(i in frictions and one.modes[i] == "stuck" for i in differ)

    return [c for c in found if not any(sticks_more(other, c) for other in found)]


def the_only(net, found, size):
    if not found:
        raise Redraw("no modes agree")
    first = min(found, key=lambda c: (c.jump != c.modes, c.modes))
    rate = net.pencil(first.modes).rate
    for other in found:
        apart = max(abs(first.z - other.z).max(), abs(first.impulse - other.impulse).max(),
                    abs(rate @ first.z - net.pencil(other.modes).rate @ other.z).max() * 1e-3)
        if apart > 1e-7 * size:
            raise Redraw("several modes agree")
    return first

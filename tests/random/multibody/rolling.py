"""Marbles, wheels and wheel sets that roll on a plane: roots of trees whose places follow from their turning.

The point at the contact rests, so the centre moves by v = w x r, with r from the contact to the centre. Neimark and
Fufaev, Dynamics of Nonholonomic Systems, 1972, chapter 1.
"""
from dataclasses import dataclass

import numpy

from multibody.elements import Mass
from multibody.frames import AXES, BallTurn, Frame, Place, Turn, skew, turned, unit
from multibody.system import Link


@dataclass
class Track:
    """Something that only adds up: the place of a contact, the direction of an axle."""
    start: float
    column: str
    rate: object  # of the motion
    state: int = -1


@dataclass
class Rolling:
    """The last step of a root: where the centre is and how it moves, from how it turns."""
    plane: numpy.ndarray  # rows: along n_x, along n x n_x, n
    radius: float
    places: list  # two tracks
    wheel: bool

    def apply(self, f, motion, back):
        del back
        n, spin = self.plane[2], skew(f.w)
        if self.wheel:
            axis = f.R[1]
            length = numpy.sqrt(1 - (n @ axis)**2)
            u = n - (n @ axis) * axis
            du = -(n @ (spin @ axis)) * axis - (n @ axis) * (spin @ axis)
            up, rate = u / length, (du - u * (u @ du) / length**2) / length
        else:
            up, rate = n, numpy.zeros(3)
        arm = self.radius * up
        x = self.plane.T @ [*(motion.state[p.state] for p in self.places), n @ arm]
        turn = skew(arm)
        return Frame(x, f.R, -turn @ f.w, f.w, -turn @ f.W, f.W, -turn @ f.d + spin @ (self.radius * rate), f.d)


@dataclass
class Axle:
    """The middle of two upright wheels on one axle, which turn by the coordinates."""
    plane: numpy.ndarray
    radius: float
    track: float
    places: list
    heading: object
    wheels: list

    def apply(self, f, motion, back):
        del back
        (_, w1, row1, _), (_, w2, row2, _) = (c(motion) for c in self.wheels)
        n = self.plane[2]
        R = turned(AXES[2], motion.state[self.heading.state]) @ self.plane
        speed, spin = self.radius / 2 * (w1 + w2), self.radius / self.track * (w2 - w1)
        row, turn = self.radius / 2 * (row1 + row2), self.radius / self.track * (row2 - row1)
        x = self.plane.T @ [*(motion.state[p.state] for p in self.places), self.radius]
        return Frame(x, R, speed * R[0], spin * n, numpy.outer(R[0], row), numpy.outer(n, turn), speed * spin * R[1],
                     numpy.zeros(3))


def plane_of(model, part, normal):
    """Rows: its axes, the last one upright (`normal` where the file says nothing); as the part's parameters give
    them."""
    n = model.axis(part, "n", normal)
    x = AXES[0]
    while abs(n @ unit(x)) > 0.8 or model.random.random() < 0.3:
        x = model.direction()
        part.values["n_x"] = model.texts.vector(x)
    e = unit(x - (n @ x) * n)
    return numpy.array([e, numpy.cross(n, e), n])


def tracks(model, part, node, plane):
    """x and y along the plane, of the motion of the node."""
    found = []
    for name, axis in zip("xy", plane):
        start = model.scalar(-1, 1)
        part.initial[name] = model.texts.text(start, "m")
        found.append(Track(start, f"{part.name}.{name}", lambda m, e=axis: e @ m.nodes[node].v))
    model.system.memories += found
    return found


def rolling_root(model):
    """A marble or a wheel, with a mass or without."""
    node, wheel = model.system.node(), model.random.random() < 0.5
    part = model.part("RollingWheel" if wheel else "Marble", frames={"frame_a": node})
    radius = model.scalar(0.1, 0.5)
    part.values["radius"] = model.texts.text(radius, "m")
    plane = plane_of(model, part, AXES[1])
    steps = [Place(numpy.zeros(3), plane), BallTurn(model.ball(part, model.sequence())),
             Rolling(plane, radius, tracks(model, part, node, plane), wheel)]
    model.system.roots.append((node, numpy.zeros(3), steps))
    m = model.scalar(0.3, 2)
    part.values["m"] = model.texts.text(m, "kg")
    if wheel:
        disc(model, part, ["frame_a"], m)
    else:
        J = 0.4 * m * radius**2
        if model.random.random() < 0.5:
            J = model.scalar(0.01, 0.2)
            part.values["J"] = model.texts.text(J, "kg.m2")
        model.mass(part, m, numpy.zeros(3), J * numpy.eye(3))
    return node


def disc(model, part, frames, m):
    """Wheels with moments about their axis y and across."""
    along, across = model.scalar(0.05, 0.2), model.scalar(0.05, 0.09)
    part.values["I_axis"], part.values["I_long"] = model.texts.text(along, "kg.m2"), model.texts.text(across, "kg.m2")
    for frame in frames:
        model.system.elements.append(Mass(part, frame, model.system, m, numpy.zeros(3),
                                          numpy.diag([across, along, across])))


def axle_root(model):
    """Two wheels; returns the nodes of the middle and of the wheels."""
    middle, left, right = (model.system.node() for _ in range(3))
    part = model.part("RollingWheelSet", frames={"frame_middle": middle, "frame_1": left, "frame_2": right})
    radius, track = model.scalar(0.1, 0.4), model.scalar(0.3, 1)
    part.values["radius"], part.values["track"] = model.texts.text(radius, "m"), model.texts.text(track, "m")
    plane = plane_of(model, part, AXES[1])
    places = tracks(model, part, middle, plane)
    heading = Track(model.scalar(-2, 2), f"{part.name}.phi", lambda m: plane[2] @ m.nodes[middle].w)
    part.initial["phi"] = model.texts.text(heading.start, "rad")
    model.system.memories.append(heading)
    wheels = [model.coordinate(part, (f"theta_{k}", f"w_{k}", None), "rotational", 2.0, f"axis_{k}") for k in "12"]
    model.system.roots.append((middle, numpy.zeros(3), [Axle(plane, radius, track, places, heading, wheels)]))
    sides = {f"frame_{k}": [Place(numpy.array([0, s * track / 2, 0]), numpy.eye(3)), Turn(AXES[1], c)]
             for k, s, c in zip("12", (1, -1), wheels)}
    model.system.links.append(Link(part, "frame_middle", [], sides))
    m = model.scalar(0.3, 2)
    part.values["m"] = model.texts.text(m, "kg")
    disc(model, part, ["frame_1", "frame_2"], m)
    return [middle, left, right]

"""What acts on a mechanism: springs between links, drive trains at joints, forces of time; a rectifier beside it."""
import math

import numpy

from linkages.bodies import Element, Motion, Push
from multibody.forces import junction
from multibody.quantities import Wave


def act(parts):
    random = parts.random
    beside = random.random() < 0.25
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        spring(parts)
    axes = [h for h in parts.mechanism.hinges if not h.cut and h.kind in "RPC"]
    wanted = 2 if parts.mechanism.sketch.freedoms == 2 else random.choice([0, 0, 1, 1, 2])
    for h in random.sample(axes, min(len(axes), wanted)):
        drive(parts, h)
    for _ in range(random.choice([0, 0, 0, 1])):
        push(parts)
    parts.mechanism.system.lay_out()
    return rectifier(parts) if beside else lambda t: 0.0


def spring(parts):
    """Between points of two links, unless they are close to each other."""
    random, system = parts.random, parts.mechanism.system
    a, b = random.sample(range(len(parts.nodes)), 2)
    (P, node), (Q, far) = random.choice(parts.nodes[a]), random.choice(parts.nodes[b])
    p, q = P.r - system.centres[a], Q.r - system.centres[b]
    m = Motion(system, system.first(numpy.zeros(6 * system.count)))
    length = numpy.linalg.norm(m.point(b, q) - m.point(a, p))
    if length < 0.2:
        return
    c, d, free = parts.scalar(5, 200), parts.scalar(0.1, 5), parts.scalar(0.1, 1)
    parts.part("PlanarSpringDamper" if parts.planar else "SpringDamperParallel",
               {"c": parts.texts.text(c, "N/m"), "d": parts.texts.text(d, "N.s/m"),
                "s_unstretched": parts.texts.text(free, "m")}, frames={"frame_a": node, "frame_b": far})
    system.elements.append(Element(system.rows.line(a, p, b, q), K=c, start=free, D=d))


def drive(parts, h):
    """Elements on the coordinate of a joint, directly or behind a gear."""
    random, system = parts.random, parts.mechanism.system
    row, port = (h.turn, "axis_phi") if h.kind == "C" and random.random() < 0.5 else (h.shift, "axis_s")
    if h.kind != "C":
        row, port = max(h.turn, h.shift), "axis"
    linear = row == h.shift
    group, element = {h.part.name}, Element(row)
    parts.groups.append(group)
    at, factor = f"{h.part.name}.{port}", 1.0
    kinds = random.sample(["Se", "R", "C", "I"], random.randint(1, 3))
    if parts.mechanism.sketch.freedoms == 2 and "Se" not in kinds:
        kinds[0] = "Se"
    if len(kinds) > 1 or random.random() < 0.5:
        j = junction(parts, "1", group)
        if random.random() < 0.6:
            ratio = random.choice([-1, 1]) * parts.scalar(0.4, 2.5)
            factor = 1 / ratio
            gear = junction(parts, "TF", group)
            parts.simple[-1].values["m"] = parts.texts.text(ratio)
            parts.bonds += [(j, f"{gear}.p1"), (f"{gear}.p2", at)]
        else:
            parts.bonds.append((j, at))
    else:
        j = at
    for kind in kinds:
        name = one(parts, kind, element, factor, linear, group)
        parts.bonds.append((name, j) if kind == "Se" else (j, name))
    system.elements.append(element)


def one(parts, kind, element, factor, linear, group):
    """An element of one dimension, turning faster than the coordinate by the factor."""
    name, text = junction(parts, kind, group), parts.texts.text
    values = parts.simple[-1].values
    if kind == "Se":
        wave = Wave(parts.random, 8 if linear else 2)
        values["e"] = f'"{wave.text()}"'
        element.wave = lambda t: factor * wave(t)
    elif kind == "R":
        value = parts.scalar(0.05, 1)
        values["R"] = text(value, "N.s/m" if linear else "N.m.s")
        element.D += value * factor**2
    elif kind == "I":
        value = parts.scalar(0.1, 1) if linear else parts.scalar(0.01, 0.2)
        values["I"] = text(value, "kg" if linear else "kg.m2")
        element.J += value * factor**2
    else:
        value, start = parts.scalar(2, 60) if linear else parts.scalar(0.5, 10), 0.0
        values["K"] = text(value, "N/m" if linear else "N.m")
        if parts.random.random() < 0.5:
            start = parts.scalar(-0.2, 0.2)
            parts.simple[-1].initial["q"] = text(start, "m" if linear else "rad")
        element.K += value * factor**2
        element.start = -start / factor
    return name


def push(parts):
    """A force of time on a point of a link, or a torque."""
    random, system = parts.random, parts.mechanism.system
    link = random.randrange(1, len(parts.nodes))
    place, node = random.choice(parts.nodes[link])
    kind = "PlanarWorldForce" if parts.planar else random.choice(["WorldForce", "WorldForce", "WorldTorque"])
    part = parts.part(kind, frames={"frame_b": node})
    turning = kind == "WorldTorque"
    waves = [Wave(random, 2 if turning else 8) for _ in range(2 if parts.planar else 3)]
    part.values["t" if turning else "f"] = "[" + ", ".join(f'"{w.text()}"' for w in waves) + "]"

    def value(t):
        found = [w(t) for w in waves]
        return numpy.array(found + [0.0] * (3 - len(found)))
    system.pushes.append(Push(link, None if turning else place.r - system.centres[link], value))


def rectifier(parts):
    """A source of alternating voltage behind a diode; what it supplies until a time, and loses."""
    group = set()
    U, w, c, R, on = (parts.scalar(*range_) for range_ in ((1, 10), (20, 90), (-3, 3), (1, 9), (0.1, 1)))
    source, diode, load, j = (junction(parts, kind, group) for kind in ("Se", "D", "R", "1"))
    values = {part.name: part.values for part in parts.simple}
    values[source]["e"] = f'"{U!r}*sin({w!r}*time + ({c!r}))"'
    values[source]["domain"] = "electrical"
    values[diode]["Ron"], values[load]["R"] = f"{on!r} ohm", f"{R!r} ohm"
    parts.groups.append(group)
    parts.bonds += [(source, j), (j, diode), (j, load)]

    def supplied(t):
        """The integral of e^2/(R + Ron) where e > 0, from half wave to half wave."""
        def to(angle):
            whole = math.floor(angle / (2 * math.pi))
            part = min(angle - 2 * math.pi * whole, math.pi)
            return whole * math.pi / 2 + part / 2 - math.sin(2 * part) / 4
        return U * U / (R + on) / w * (to(w * t + c) - to(c))
    return supplied

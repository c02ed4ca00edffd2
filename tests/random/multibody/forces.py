"""What acts in a random system: fields, roots, forces between frames, drives at ports, sensors."""
import math

import numpy

from multibody.elements import Axis, Bushing, Line, LineMass, LineSpring, OneDimensional, Push
from multibody.frames import BallTurn, Place, skew, unit
from multibody.quantities import Wave
from multibody.rolling import axle_root, rolling_root
from multibody.system import Coordinate, Link


def gravity(model):
    """Puts the World; returns where trees may stand."""
    random, texts, system = model.random, model.texts, model.system
    kind = random.choice(["uniform"] * 4 + ["none", "point", "field"])
    system.central = kind == "point"
    if kind == "field":
        system.potential = None
    world = model.part("World", frames={"frame_b": system.node()})
    system.roots.append((world.frames["frame_b"], numpy.zeros(3), []))
    places = [world.frames["frame_b"]]
    if kind == "uniform":
        g, n = 9.81, numpy.array([0.0, -1.0, 0.0])
        if random.random() < 0.7:
            n = model.direction()
            world.values["n"] = texts.vector(n)
        if random.random() < 0.5:
            g = model.scalar(1, 20)
            world.values["g"] = texts.text(g, "m/s2")
        pull = g * unit(n)
        system.field, system.potential = lambda x: pull, lambda x: -pull @ x
    elif kind == "point":
        mue = model.scalar(10, 60)
        world.values.update(gravity="point", mue=repr(mue))
        system.field, system.potential = lambda x: -mue / (x @ x)**1.5 * x, lambda x: -mue / math.sqrt(x @ x)
        places = []
    elif kind == "field":
        a, b = model.vector(3), model.vector(2)
        world.values["field"] = (f'["{a[0]!r} + {b[0]!r}*x[2]", "{a[1]!r}*x[1]*x[3]", "{a[2]!r} + {b[2]!r}*x[3]^2"]')
        system.field = lambda x: numpy.array([a[0] + b[0] * x[1], a[1] * x[0] * x[2], a[2] + b[2] * x[2]**2])
    else:
        world.values["gravity"] = "none"
    for _ in range(random.choice([0, 1, 2]) if places else 2):
        r = model.vector(1) + (numpy.array([3, 3, 3]) if kind == "point" else 0)
        part = model.part("Fixed", {"r": texts.vector(r, "m")}, frames={"frame_b": system.node()})
        system.roots.append((part.frames["frame_b"], r, []))
        places.append(part.frames["frame_b"])
    return places


def free_root(model):
    """A body that nothing carries; returns the nodes on it."""
    kind, node = model.random.choice(["Body", "Body", "BodyShape", "PointMass", "lone PointMass"]), model.system.node()
    part = model.part(kind.split()[-1], frames={"frame_a": node})
    if "Point" in kind:
        m = model.scalar(0.3, 2)
        part.values["m"] = model.texts.text(m, "kg")
        model.mass(part, m, numpy.zeros(3), numpy.zeros((3, 3)))
    else:
        model.given_mass(part, True)
    steps = model.free_steps(part, "x")
    if model.system.central:
        for step in steps:
            step.amount.value += 3
        part.initial["x"] = model.texts.vector([step.amount.value for step in steps], "m")
    if kind != "lone PointMass":
        steps.append(BallTurn(model.ball(part)))
    model.system.roots.append((node, numpy.zeros(3), steps))
    if kind == "BodyShape":
        r = model.vector(0.5)
        part.values["r"], part.frames["frame_b"] = model.texts.vector(r, "m"), model.system.node()
        model.system.links.append(Link(part, "frame_a", [], {"frame_b": [Place(r, numpy.eye(3))]}))
        return list(part.frames.values())
    if kind == "PointMass":
        far = model.arm(node)
        model.body(far, True)
        return [node, far]
    if kind == "lone PointMass":
        model.lone.append(node)
        return []
    return [node]


def grow(model, joints):
    """Trees with so many joints, bodies at every end."""
    random = model.random
    places = gravity(model)
    if random.random() < 0.4 or not places:
        places += free_root(model)
    if random.random() < 0.25 and not model.system.central:
        places += [rolling_root(model)] if random.random() < 0.6 else axle_root(model)
    bare, heavy = set(), set(places)
    for _ in range(joints):
        base = random.choice(places[-4:] if random.random() < 0.7 else places)
        if random.random() < 0.7:
            base = model.arm(base)
            places.append(base)
            bare.add(base)
        tip = model.joint(base)
        places.append(tip)
        if tip not in heavy:
            bare.add(tip)
        if random.random() < 0.8:
            model.body(tip, random.random() < 0.6)
    for node in ends(model):
        model.body(node, True)
    while random.random() < 0.5:
        places.append(model.arm(random.choice(places)))
    return places


def ends(model):
    """Nodes that no part leads on from and that carry no body with inertia."""
    near = {link.part.frames[link.root] for link in model.system.links}
    heavy = {part.frames["frame_a"] for part in model.system.parts if "I_11" in part.values and part.type == "Body"}
    reached = [part.frames[name] for link in model.system.links for part in [link.part] for name in link.ends]
    return [node for node in reached if node not in near and node not in heavy]


# --- forces between frames


def resolve(model, part, choices):
    """Draws whose axes the components have; returns the node, or None for the world."""
    kind = model.random.choice(choices + ["frame_resolve", "world", None])
    if kind is None or kind == "world":
        if kind:
            part.values["resolve"] = kind
        return None
    part.values["resolve"] = kind
    if kind == "frame_resolve":
        part.frames["frame_resolve"] = model.random.choice(model.turning())
    return part.frames[kind]


def waves(model, size, unit_name, count=3):
    """Functions of time, and their text; or numbers with units."""
    if model.random.random() < 0.4:
        values = model.vector(size)[:count]
        return [lambda t, v=v: v for v in values], model.texts.vector(values, unit_name)
    values = [Wave(model.random, size) for _ in range(count)]
    return values, "[" + ", ".join(f'"{w.text()}"' for w in values) + "]"


def feed(model, element):
    """A force or torque made of results of two frames."""
    ends = [p for p in model.system.parts
            if "frame_a" in p.frames and p.type not in SENSORS and p.frames["frame_a"] not in model.lone]
    force = "Force" in element.part.type
    (a, b), k, names = model.random.choices(ends, k=2), model.vector(2), []
    for value, unit_name in zip(k, ("N.s/m", "N/m", "N.s") if force else ("N.s", "N", "N.m.s")):
        names.append(f"given_{len(model.texts.parameters)}")
        model.texts.parameters[names[-1]] = (f"{float(value)!r} {unit_name}", unit_name)
    A, B = f"{a.name}.frame_a", f"{b.name}.frame_a"
    three = [f"{names[0]}*{A}.v[1]*{B}.R[3,2]", f"{names[1]}*{A}.R[1,2]*{B}.x[3]", f"{names[2]}*{B}.w[1]"]
    element.part.values["f" if force else "t"] = "[" + ", ".join(f'"{text}"' for text in three) + "]"
    model.groups.append({element.part.name, a.name, b.name})

    def law(m):
        p, q = m.nodes[a.frames["frame_a"]], m.nodes[b.frames["frame_a"]]
        return numpy.array([k[0] * p.v[0] * q.R[2, 1], k[1] * p.R[0, 1] * q.x[2], k[2] * q.R[0] @ q.w])
    element.law = law


def push(model, nodes):
    kind = model.random.choice(["WorldForce", "WorldForce", "WorldTorque", "Force", "Torque", "ForceAndTorque"])
    part = model.part(kind, frames={"frame_b": model.random.choice(nodes)})
    choices = ["frame_b"]
    if not kind.startswith("World"):
        part.frames["frame_a"] = model.random.choice(nodes)
        choices.append("frame_a")
    element = Push(part)
    element.axes = resolve(model, part, choices)
    model.system.elements.append(element)
    if kind != "ForceAndTorque" and model.random.random() < 0.3:
        feed(model, element)
        return
    if "Force" in kind:
        element.f, part.values["f"] = waves(model, 8, "N")
    if "Torque" in kind:
        element.t, part.values["t"] = waves(model, 3, "N.m")


def two_ends(model, part, nodes):
    part.frames["frame_a"], part.frames["frame_b"] = model.random.sample(nodes, 2)
    return part


def line_force(model, nodes):
    random, texts, system = model.random, model.texts, model.system
    kind = random.choice(["Spring", "Damper", "SpringDamperParallel", "SpringDamperSeries", "LineForce",
                          "LineForceWithMass", "LineForceWithTwoMasses"])
    part = two_ends(model, model.part(kind), nodes)
    if kind.startswith("LineForce"):
        model.ports.append((part, "line", "translational", Line(part)))
        masses = []
        if kind == "LineForceWithMass":
            masses = [("m", "lengthFraction", "frame_a", model.scalar(0, 1))]
        elif kind == "LineForceWithTwoMasses":
            masses = [("m_a", "L_a", "frame_a", model.scalar(0, 0.3)), ("m_b", "L_b", "frame_b", model.scalar(0, 0.3))]
        for name, place, near, value in masses:
            m = model.scalar(0.1, 1)
            part.values[name] = texts.text(m, "kg")
            part.values[place] = texts.text(value, "1" if name == "m" else "m")
            where = {"fraction": value} if name == "m" else {"distance": value, "near": near}
            system.elements.append(LineMass(part, system, m, **where))
        return
    c, d = model.scalar(5, 100) * (kind != "Damper"), model.scalar(0.2, 5) * (kind != "Spring")
    element = LineSpring(part, c, d)
    if kind != "Damper":
        part.values["c"] = texts.text(c, "N/m")
    if kind != "Spring":
        part.values["d"] = texts.text(d, "N.s/m")
    if kind in ("Spring", "SpringDamperParallel") and random.random() < 0.8:
        element.length = model.scalar(0.1, 1)
        part.values["s_unstretched"] = texts.text(element.length, "m")
    if kind == "SpringDamperSeries":
        element.series, element.column = True, f"{part.name}.spring.q"
        if random.random() < 0.5:
            element.start = model.scalar(-0.1, 0.1)
            part.initial["spring.q"] = texts.text(element.start, "m")
        system.memories.append(element)
    system.elements.append(element)


def bushing(model, nodes):
    """Between two frames; with one stiffness for all axes, one for each, or a symmetric matrix."""
    part = two_ends(model, model.part("Bushing"), nodes)
    values = {}
    for name, size, unit_name in (("c", 200, "N/m"), ("d", 4, "N.s/m"), ("c_phi", 10, "N.m"), ("d_phi", 0.5, "N.m.s")):
        values[name] = numpy.zeros((3, 3))
        if model.random.random() < 0.15:
            continue
        kind = model.random.randrange(3)
        if kind == 0:
            k = model.scalar(0.1, 1) * size
            values[name], part.values[name] = k * numpy.eye(3), model.texts.text(k, unit_name)
        elif kind == 1:
            ks = [model.scalar(0.1, 1) * size for _ in range(3)]
            values[name], part.values[name] = numpy.diag(ks), model.texts.vector(ks, unit_name)
        else:
            A = numpy.array([model.vector(1) for _ in range(3)])
            K = numpy.round(size * (A @ A.T / 3 + 0.1 * numpy.eye(3)), 6)
            values[name] = K
            part.values[name] = "[" + ", ".join(model.texts.vector(row, unit_name, False) for row in K) + "]"
    r_0 = numpy.zeros(3)
    if model.random.random() < 0.6:
        r_0 = model.vector(0.5)
        part.values["r_0"] = model.texts.vector(r_0, "m")
    model.system.elements.append(Bushing(part, values["c"], values["d"], values["c_phi"], values["d_phi"], r_0))


# --- what is bonded to ports


def arrow(model, a, b):
    return (a, b) if model.random.random() < 0.5 else (b, a)


def one(model, kind, domain, ports, group):
    """An element of one dimension on the sum of flows times factors."""
    texts = model.texts
    linear = domain == "translational"
    part = model.part(kind)
    model.system.parts.remove(part)  # it has no frames
    group.add(part.name)
    model.simple.append(part)
    start = 0.0
    if kind == "Se":
        value = Wave(model.random, 5 if linear else 2)
        part.values["e"] = f'"{value.text()}"'
    elif kind == "R":
        value = model.scalar(0.05, 2)
        part.values["R"] = texts.text(value, "N.s/m" if linear else "N.m.s")
    elif kind == "I":
        value = model.scalar(0.1, 2) if linear else model.scalar(0.01, 0.5)
        part.values["I"] = texts.text(value, "kg" if linear else "kg.m2")
    else:
        value = model.scalar(2, 60) if linear else model.scalar(0.5, 10)
        part.values["K"] = texts.text(value, "N/m" if linear else "N.m")
        if model.random.random() < 0.5:
            start = model.scalar(-0.3, 0.3)
            part.initial["q"] = texts.text(start, "m" if linear else "rad")
    element = OneDimensional(part, kind, value, ports, start)
    if kind == "C":
        element.column = f"{part.name}.q"
        model.system.memories.append(element)
    model.system.elements.append(element)
    return part.name


def junction(model, kind, group):
    part = model.part(kind)
    model.system.parts.remove(part)
    model.simple.append(part)
    group.add(part.name)
    return part.name


def drive(model):
    """Drives one port: an element, several, some behind a gear, a motor's inertia behind a spring, or a motion."""
    random = model.random
    if not model.ports:
        return
    part, name, domain, port = model.ports.pop(random.randrange(len(model.ports)))
    at, group, before = f"{part.name}.{name}", {part.name}, len(model.system.elements)
    model.groups.append(group)
    kinds = ["Se", "R", "C", "I"]
    how = random.choice(["element", "several", "gear", "motor", "motion" if isinstance(port, Axis) else "element"])
    if how == "motion":
        prescribe(model, part, at, port.coordinate, group)
    elif how == "element":
        model.bonds.append(arrow(model, one(model, random.choice(kinds), domain, [(port, 1.0)], group), at))
    elif how == "motor":
        # 0-junction: the spring turns back as far as joint and motor turn on
        spin = Coordinate(0.0, model.scalar(-3, 3))
        model.system.coordinates.append(spin)
        z = junction(model, "0", group)
        motor = one(model, "I", domain, [(Axis(spin), 1.0)], group)
        model.simple[-1].initial["f"] = model.texts.text(spin.rate, "m/s" if domain == "translational" else "rad/s")
        spin.columns = (None, f"{motor}.f", None)
        ports = [(port, -1.0), (Axis(spin), -1.0)]
        spring = one(model, "C", domain, ports, group)
        model.bonds += [(z, at), (z, motor), (z, spring)]
    else:
        factor, j = 1.0, junction(model, "1", group)
        if how == "gear":
            m = random.choice([-1, 1]) * model.scalar(0.3, 3)
            factor = 1 / m
            gear = junction(model, "TF", group)
            model.simple[-1].values["m"] = model.texts.text(m)
            model.bonds += [(j, f"{gear}.p1"), (f"{gear}.p2", at)]
        else:
            model.bonds.append((j, at))
        for kind in random.sample(kinds, random.randint(1, 3)):
            pair = (one(model, kind, domain, [(port, factor)], group), j)
            model.bonds.append(pair if kind == "Se" else pair[::-1])
    model.driven.append((at, port, [(e, k) for e in model.system.elements[before:] for p, k in e.ports if p is port]))


def tie(model):
    """A gear between the ports of two coordinates: one follows the other."""
    ports = [p for p in model.ports if isinstance(p[3], Axis)]
    if len(ports) < 2:
        return
    pair = model.random.sample(ports, 2)
    model.ports = [p for p in model.ports if p not in pair]
    (first, a, _, one_port), (second, b, _, other) = pair
    ratio = model.random.choice([-1, 1]) * model.scalar(0.3, 2)
    group = {first.name, second.name}
    gear = junction(model, "TF", group)
    units = {"rotational": "rad", "translational": "m"}
    model.simple[-1].values["m"] = model.texts.text(ratio, "/".join(units[p[2]] for p in pair[::-1]))
    model.groups.append(group)
    model.bonds += [arrow(model, f"{first.name}.{a}", f"{gear}.p1"), arrow(model, f"{gear}.p2", f"{second.name}.{b}")]
    leader, follower = one_port.coordinate, other.coordinate
    follower.follows, follower.rate = (leader, ratio), ratio * leader.rate
    second.initial.pop(follower.columns[1].split(".")[1], None)
    model.driven.append((f"{second.name}.{b}", other, []))


def prescribe(model, part, at, c, group):
    """A source of flow at the port of a coordinate."""
    wave = Wave(model.random, 2)
    sf = model.part("Sf", {"f": f'"{wave.text()}"'})
    model.system.parts.remove(sf)
    model.simple.append(sf)
    group.add(sf.name)
    start = c.value
    c.given = lambda t: (start + wave.integral(t), wave(t), wave.rate(t))
    c.source = c.name = sf.name
    part.initial.pop(c.columns[1].split(".")[1], None)
    model.bonds.append(arrow(model, sf.name, at))


def lock(model):
    """Locks a joint from the start on."""
    kinds = ("Revolute", "Prismatic", "Cylindrical", "Universal", "Planar")
    joints = [p for p in model.system.parts if p.type in kinds]
    driven = set().union(*model.groups) if model.groups else set()
    joints = [p for p in joints if p.name not in driven]
    if not joints:
        return
    part = model.random.choice(joints)
    part.values["locked"] = model.random.choice(["true", "time >= 0", "2 > 1"])
    for c in model.system.coordinates:
        if c.columns[1].startswith(part.name + "."):
            c.rate = 0.0
            c.given = lambda t, value=c.value: (value, 0.0, 0.0)
            part.initial[c.columns[1].split(".")[1]] = "0"
    model.ports = [p for p in model.ports if p[0] is not part]


# --- sensors


def sensor(model, nodes):
    random = model.random
    kind = random.choice(list(SENSORS))
    size, law = SENSORS[kind]
    part = model.part(kind)
    if size == 2:
        part.frames["frame_a"], part.frames["frame_b"] = random.sample(nodes, 2)
    else:
        part.frames["frame_a"] = random.choice(nodes)

    def measured(m):
        return law(*[m.nodes[part.frames[name]] for name in ("frame_a", "frame_b")[:size]])
    model.sensors.append((part, measured))


def angles(R):
    """Of R = Rz Ry Rx."""
    return [numpy.arctan2(-R[2, 1], R[2, 2]), numpy.arcsin(R[2, 0]), numpy.arctan2(-R[1, 0], R[0, 0])]


SENSORS = {
    "AbsolutePosition": (1, lambda a: a.x),
    "AbsoluteVelocity": (1, lambda a: a.v),
    "AbsoluteAngularVelocity": (1, lambda a: a.R @ a.w),
    "AbsoluteAngles": (1, lambda a: angles(a.R)),
    "RelativePosition": (2, lambda a, b: a.R @ (b.x - a.x)),
    "RelativeVelocity": (2, lambda a, b: a.R @ (b.v - a.v - skew(a.w) @ (b.x - a.x))),
    "RelativeAngularVelocity": (2, lambda a, b: a.R @ (b.w - a.w)),
    "RelativeAngles": (2, lambda a, b: angles(b.R @ a.R.T)),
    "Distance": (2, lambda a, b: [numpy.linalg.norm(b.x - a.x)]),
}

"""Trees in the plane of x and y, beside those in space: what is drawn are parts of the plane, what moves are frames
that turn about z."""
import numpy

from multibody.elements import LineSpring, Mass, Push
from multibody.forces import waves
from multibody.frames import AXES, Place, Shift, Turn, turned, unit
from multibody.quantities import Wave
from multibody.system import Offset


def flat(model, size):
    return numpy.append(model.vector(size)[:2], 0.0)


def text(model, vector, unit_name):
    return model.texts.vector(vector[:2], unit_name)


def planar_body(model, node, whole):
    part = model.part("PlanarBody" if whole or model.random.random() < 0.6 else "PlanarPointMass",
                      frames={"frame_a": node})
    m, centre, J = model.scalar(0.3, 2), numpy.zeros(3), 0.0
    part.values["m"] = model.texts.text(m, "kg")
    if part.type == "PlanarBody":
        J = model.scalar(0.02, 0.3)
        part.values["J"] = model.texts.text(J, "kg.m2")
        if model.random.random() < 0.6:
            centre = flat(model, 0.4)
            part.values["r_CM"] = text(model, centre, "m")
    model.system.elements.append(Mass(part, "frame_a", model.system, m, centre, numpy.diag([0.0, 0.0, J])))
    return part


def planar_root(model):
    """Fixed, or a body that nothing carries; returns its node."""
    node = model.system.node()
    away = 3.0 if model.system.central else 0.0
    if model.random.random() < 0.6:
        r, angle = flat(model, 1) + [away, away, 0.0], model.scalar(-3, 3)
        model.part("PlanarFixed", {"r": text(model, r, "m"), "angle": model.texts.text(angle, "rad")},
                   frames={"frame_b": node})
        model.system.roots.append((node, r, [Place(numpy.zeros(3), turned(AXES[2], angle))]))
        return node
    part = planar_body(model, node, True)
    place = model.free_steps(part, "x", 2)
    for step in place:
        step.amount.value += away
    part.initial["x"] = model.texts.vector([step.amount.value for step in place], "m")
    phi = model.coordinate(part, ("phi", "w", None), "rotational", 2.0)
    model.system.roots.append((node, numpy.zeros(3), place + [Turn(AXES[2], phi)]))
    return node


def planar_joint(model, base):
    kind = model.random.choice(["PlanarRevolute"] * 3 + ["PlanarPrismatic", "PlanarFree"])
    part = model.part(kind)
    if kind == "PlanarFree":
        x = model.coordinate(part, ("x", "v_x", "a_x"), "translational", 0.5, "axis_x")
        y = model.coordinate(part, ("y", "v_y", "a_y"), "translational", 0.5, "axis_y")
        phi = model.coordinate(part, ("phi", "w", "wd"), "rotational", 2.0, "axis_phi")
        return model.link(part, base, [Shift(AXES[0], x), Shift(AXES[1], y), Turn(AXES[2], phi)])
    turning = kind == "PlanarRevolute"
    names, domain, size = (("phi", "w", "a"), "rotational", 2.0) if turning else (("s", "v", "a"), "translational", 0.5)
    axis, more = AXES[2] if turning else AXES[0], 0.0
    if not turning and model.random.random() < 0.8:
        axis = flat(model, 1)
        while axis @ axis < 0.1:
            axis = flat(model, 1)
        part.values["n"] = text(model, axis, "1")
    c = model.coordinate(part, names, domain, size, "axis")
    if model.random.random() < 0.4:
        more = model.scalar(-0.6, 0.6)
        part.values["offset"] = model.texts.text(more, "rad" if turning else "m")
    return model.link(part, base, [(Turn if turning else Shift)(unit(axis), Offset(c, more))])


def planar_force(model, nodes):
    random, texts = model.random, model.texts
    kind = random.choice(["PlanarWorldForce", "PlanarSpring", "PlanarDamper", "PlanarSpringDamper"])
    part = model.part(kind)
    if kind == "PlanarWorldForce":
        part.frames["frame_b"] = random.choice(nodes)
        f, part.values["f"] = waves(model, 8, "N", 2)
        torque = Wave(random, 2)
        part.values["t"] = f'"{torque.text()}"'
        element = Push(part, f + [lambda t: 0.0], [lambda t: 0.0, lambda t: 0.0, torque])
        resolve = random.choice([None, "world", "frame_b"])
        if resolve:
            part.values["resolve"] = resolve
        if resolve == "frame_b":
            element.axes = part.frames["frame_b"]
        model.system.elements.append(element)
        return
    part.frames["frame_a"], part.frames["frame_b"] = random.sample(nodes, 2)
    element = LineSpring(part, 0.0, 0.0)
    if "Spring" in kind:
        element.c, element.length = model.scalar(5, 100), model.scalar(0.1, 1)
        part.values.update(c=texts.text(element.c, "N/m"), s_unstretched=texts.text(element.length, "m"))
    if "Damper" in kind:
        element.d = model.scalar(0.2, 5)
        part.values["d"] = texts.text(element.d, "N.s/m")
    model.system.elements.append(element)


def planar_tree(model, joints):
    """Bodies behind every joint, arms between."""
    random = model.random
    first = model.system.nodes
    nodes = [planar_root(model)]
    for _ in range(joints):
        base = random.choice(nodes)
        if random.random() < 0.6:
            r = flat(model, 0.6)
            base = model.link(model.part("PlanarRod", {"r": text(model, r, "m")}), base, [Place(r, numpy.eye(3))])
            nodes.append(base)
        tip = planar_joint(model, base)
        nodes.append(tip)
        planar_body(model, tip, True)
        if random.random() < 0.3:
            r = flat(model, 0.6)
            nodes.append(model.link(model.part("PlanarRod", {"r": text(model, r, "m")}), tip, [Place(r, numpy.eye(3))]))
            if random.random() < 0.7:
                planar_body(model, nodes[-1], False)
    for _ in range(random.choice([0, 1, 2])):
        if len(nodes) > 1:
            planar_force(model, nodes)
    model.flat = range(first, model.system.nodes)

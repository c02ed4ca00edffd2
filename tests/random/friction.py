"""Random masses with dry friction: frictions and clutches between masses and against the ground or a belt, springs,
dampers, gears, freewheels, rigid stops with restitution, driven by forces of time.

The laws are those of docs/types.md; the oracle is that of switches.py. Friction that may stick does so, also where its
sliding level is below the static one; an impact reverses the velocity at its stop by the restitution, and friction
transmits no impulse. A model is drawn again where the answer is not unique.
"""
import numpy

import family
from switching.choice import choose, impact, limits
from switching.hybrid import Course, Event, columns_of, compare_run, next_event, size_of
from switching.network import Element, Network, Port, SOURCES, STORAGES, TWO_PORTS
from switching.piecewise import NoSolution, Redraw
from switching.waves import draw_waves, number
from switching.writing import POWERS, draw_scale, draw_writing, model_text, source_text

STOP = 4.0


# ---- drawing --------------------------------------------------------------------------------------------------------

def draw_friction(rng, element):
    """A friction's levels; a clutch says the same by a normal force and a coefficient."""
    v = element.values
    v["R"] = number(rng, 0.05, 0.5) if rng.random() < 0.4 else 0.0
    ratio = number(rng, 1.1, 1.8) if rng.random() < 0.4 else 1.0
    if rng.random() < 0.35:
        v["R"] = 0.0
        v["fn_max"], v["mu"], v["peak"] = number(rng, 1.0, 4.0), number(rng, 0.2, 0.6), ratio
        v["level"], v["static"] = v["fn_max"] * v["mu"], v["fn_max"] * v["mu"] * ratio
        if rng.random() < 0.5:
            element.conditions["engaged"] = sorted([number(rng, -2.0, 2.0), number(rng, 2.1, 6.0)])
    else:
        v["level"] = number(rng, 0.2, 1.5)
        v["static"] = round(v["level"] * ratio, 3)


def draw_network(rng):
    """Nodes are velocities: of masses, or one of a belt that a source moves."""
    nodes = int(rng.integers(1, 5))
    elements = []

    def add(kind, a, b=None, values=None):
        port = Port(0, a, b, b is None and (kind in ("I", *SOURCES) or rng.random() < 0.7), kind in SOURCES)
        elements.append(Element(kind, f"{kind}{len(elements)}", [port], values or {}))
        return elements[-1]

    belt = nodes > 1 and rng.random() < 0.25
    for node in range(nodes):
        if belt and node == 0:
            add("Sf", 0).waves = [(number(rng, 0.2, 1.0) * rng.choice([-1, 1]), [])]
            elements[-1].conditions["step"] = None
        else:
            add("I", node, None, {"I": number(rng, 0.3, 2.0)})
    joined = [(n, None if n == 0 or rng.random() < 0.3 else int(rng.integers(n))) for n in range(nodes)]
    joined += [(int(rng.integers(nodes)), None) for _ in range(int(rng.integers(0, 3)))]
    if nodes > 1:
        joined += [tuple(int(n) for n in rng.choice(nodes, 2, replace=False)) for _ in range(int(rng.integers(0, 3)))]
    for a, b in joined:
        kind = str(rng.choice(["Friction", "C", "R", "EndStop", "OneWayClutch"], p=[0.5, 0.2, 0.08, 0.14, 0.08]))
        element = add(kind, a, b)
        if kind == "Friction":
            draw_friction(rng, element)
        elif kind == "EndStop":
            element.values = {"lower": -number(rng, 0.1, 0.8), "upper": number(rng, 0.1, 0.8),
                              "restitution": number(rng, 0.2, 0.9) if rng.random() < 0.6 else 0.0, "rest": 0.05}
        elif kind == "OneWayClutch":
            element.values = {"Ron": 0.0, "Goff": 0.0, "e_knee": 0.0}
        else:
            element.values = {kind: number(rng, 0.1, 1.0)}
    if nodes > 2 and rng.random() < 0.3:
        a, b = (int(n) for n in rng.choice(nodes, 2, replace=False))
        ports = [Port(0, a, None, True), Port(0, b, None, True, True)]
        elements.append(Element("TF", f"TF{len(elements)}", ports, {"m": number(rng, 0.4, 2.0) * rng.choice([-1, 1])}))
    for node in range(nodes):
        if rng.random() < 0.6:
            element = add("Se", node)
            element.waves, element.conditions["step"] = draw_waves(rng, 0.2, 0.75, 0.5, 4)
    return Network(["1"], [nodes], elements)


# ---- the oracle's run -----------------------------------------------------------------------------------------------

def engaged(element, time):
    span = element.conditions.get("engaged")
    return span is None or span[0] <= time < span[1]


def modes_and_candidates(net, time, resting):
    """`resting`: of each stop the limit it rests at, or "free"."""
    modes, candidates = [], {}
    for i, element in enumerate(net.elements):
        mode = ""
        if element.kind in SOURCES:
            step = element.conditions["step"]
            mode = int(step is not None and time >= step)
        elif element.kind == "Friction":
            candidates[i] = ["stuck", "forward", "backward"] if engaged(element, time) else ["free"]
        elif element.kind == "OneWayClutch":
            candidates[i] = ["open", "closed"]
        elif element.kind == "EndStop":
            mode = resting[i]
            candidates[i] = ["free"] if mode == "free" else [mode, "free"]
        modes.append(mode)
    return modes, candidates


def settle(net, course, time, z, resting, hit, alone):
    """Modes in agreement after an instant. `hit`: the stop that is hit, and where; or None. `alone`: see choose()."""
    size = size_of(net, z)
    struck = False
    if hit is not None:
        i, where = hit
        element = net.elements[i]
        velocity = z[net.f(element)]
        if (velocity if where == "upper" else -velocity) < 1e-3 * size:
            raise Redraw("a stop is touched")
        after = -element.values["restitution"] * velocity
        if abs(abs(after) - element.values["rest"]) < 1e-3:
            raise Redraw("an impact at the limit of rest")
        modes, candidates = modes_and_candidates(net, time, resting)
        modes[i] = ("impact", after)
        del candidates[i]
        for j, other in enumerate(net.elements):
            if other.kind == "EndStop" and j != i:
                candidates[j] = [resting[j]]
        struck = impact(net, modes, candidates, z, size)
        course.jump(z, struck)
        z = struck.z
        resting[i] = where if abs(after) <= element.values["rest"] else "free"
    choice = choose(net, *modes_and_candidates(net, time, resting), z, size, alone and not struck)
    course.jump(z, choice)
    for i, element in enumerate(net.elements):
        if element.kind == "EndStop":
            resting[i] = choice.modes[i]
    return choice, choice.z, bool(struck)


def instants_of(element):
    step = element.conditions.get("step")
    return [*element.conditions.get("engaged", []), *([step] if step is not None else [])]


def run(net, values):
    course = Course(net, STOP)
    resting = {i: "free" for i, e in enumerate(net.elements) if e.kind == "EndStop"}
    z = net.start(values)
    choice = choose(net, *modes_and_candidates(net, 0.0, resting), z, size_of(net, z), alone=False)
    if choice.moves():
        raise Redraw("a start that jumps")
    timed = sorted({t for e in net.elements for t in instants_of(e) if 0 < t < STOP})
    time, z = 0.0, choice.z
    while True:
        net.require_smooth_rates(choice.modes)
        piece = course.begin(choice.modes, time, z)
        watched = [((i, k), row) for i, e in enumerate(net.elements)
                   for k, row in enumerate(limits(net, e, choice.modes[i]))]
        time, keys = next_event(piece, watched, timed, STOP)
        before = course.close(time)
        if time >= STOP:
            return course
        if len(course.pieces) > 40 or abs(before).max() > 1e3:
            raise Redraw("too lively")
        hits = [(i, ("upper", "lower")[k]) for i, k in keys
                if net.elements[i].kind == "EndStop" and choice.modes[i] == "free"]
        if len(hits) > 1 or (hits and len(keys) > 1):
            raise Redraw("several at once")
        earlier = choice.modes
        choice, z, struck = settle(net, course, time, before, resting, hits[0] if hits else None, len(keys) == 1)
        if struck or choice.modes != earlier or choice.moves():
            course.events.append(Event(time, struck or choice.moves()))
        else:
            course.idle.append(time)


# ---- the program's text ---------------------------------------------------------------------------------------------

def law_text(element, scale):
    """Type and parameters."""
    if element.kind in SOURCES:
        return source_text(element, scale)
    clutch = "fn_max" in element.values
    parts = [f"type: {'Clutch' if clutch else element.kind}"]
    for key, value in element.values.items():
        if element.kind == "OneWayClutch" or (clutch and key in ("R", "level", "static")):
            continue
        parts.append(f"{key}: {scale.text(value, POWERS[key])}")
    if "engaged" in element.conditions:
        a, b = (scale.text(t, (0, 0, 1)) for t in element.conditions["engaged"])
        parts.append(f'engagement: "if time >= {a} and time < {b} then 1 else 0"')
    return ", ".join(parts)


def initial_text(element, values, scale):
    value = values.get(element.name, 0.0)
    if element.kind not in (*STORAGES, "EndStop") or (value == 0.0 and element.kind != "EndStop"):
        return ""
    what, power = {"C": ("e", (1, 0, 0)), "I": ("f", (0, 1, 0)), "EndStop": ("q", (0, 1, 1))}[element.kind]
    return f", initial: {{{what}: {scale.text(value, power)}}}"


# ---- the check ------------------------------------------------------------------------------------------------------

def draw_values(rng, net):
    """Start values; what a gear or a belt ties is left at rest."""
    tied = {port.a for e in net.elements if e.kind == "TF" for port in e.ports}
    moving = rng.random() < 0.6
    values = {e.name: number(rng, -1.5, 1.5) for e in net.elements
              if moving and (e.kind == "C" or (e.kind == "I" and e.ports[0].a not in tied))}
    values.update({e.name: number(rng, e.values["lower"], e.values["upper"]) * 0.9 for e in net.elements
                   if e.kind == "EndStop"})
    return values


def draw_model(rng):
    for _ in range(2000):
        net = draw_network(rng)
        if sum(e.kind in ("Friction", "OneWayClutch", "EndStop") for e in net.elements) not in range(1, 5):
            continue
        values = draw_values(rng, net)
        try:
            course = run(net, values)
        except (Redraw, NoSolution):
            continue
        if len(course.events) > 1:
            return net, values, course
    raise Redraw("no model found")


def wrappable(element):
    return element.kind not in (*SOURCES, *TWO_PORTS) and not element.ports[0].direct


def check(seed, simulate):
    rng = numpy.random.default_rng(seed)
    net, values, course = draw_model(rng)
    scale = draw_scale(rng, [str(rng.choice(["translational", "rotational", ""]))])
    writing = draw_writing(rng, net, scale, STOP, wrappable)
    course.idle += writing.beside
    names = writing.paths
    texts = {e.name: law_text(e, scale) + initial_text(e, values, scale) for e in net.elements}
    outputs = [name + more for _, name, d in columns_of(net, names) for more in ("", ".impulse")[:1 if d == "q" else 2]]
    text = model_text(rng, net, texts, writing, STOP, outputs)
    return compare_run(course, simulate, text, names, scale)


if __name__ == "__main__":
    family.main(check)

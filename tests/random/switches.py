"""Random switched networks: switches by time and by state, ideal and lossy diodes, thyristors, storages that they cut
or join, transformers and gyrators, nodes of either kind.

The laws are those of docs/types.md. Between events the oracle solves the linear equations by exponentials of matrices
(oracle/piecewise.py), at events it tries all modes for the one that agrees (oracle/choice.py). A model is drawn again
where the answer is not unique.
"""
from dataclasses import dataclass

import numpy

import family
from switching.choice import ONE_WAY, choose, combinations, limits
from switching.hybrid import Course, Event, columns_of, compare_run, next_event, size_of
from switching.network import Element, Network, Port, SOURCES, STORAGES, TWO_PORTS
from switching.piecewise import NoSolution, Redraw
from switching.waves import draw_waves, number
from switching.writing import POWERS, draw_scale, draw_writing, model_text, source_text

STOP = 4.0
GATED = ("Sw", "Lock", "Thyristor", "GTO")  # have a condition
DOMAINS = ("electrical", "translational", "rotational", "hydraulic", "")


@dataclass
class Condition:
    """True where time is in one of `spans`, or where `column` (of z) is above `level`; `text` is written for it."""
    text: str
    spans: list = None
    storage: int = -1
    level: float = 0.0
    above: bool = True


# ---- drawing --------------------------------------------------------------------------------------------------------

def draw_values(rng, kind):
    """The numbers of an element's law; a lossless switch or diode has zeros for its losses."""
    if kind in ("R", "C", "I"):
        return {kind: number(rng, 0.3, 2.0)}
    if kind in TWO_PORTS:
        return {"m" if kind == "TF" else "r": number(rng, 0.4, 2.0)}
    values = {"Ron": 0.0, "Goff": 0.0, "e_knee": 0.0}
    if kind not in (*SOURCES, "Lock", "OneWayClutch"):
        if rng.random() < 0.3:
            values["Ron"] = number(rng, 0.005, 0.1)
        if rng.random() < 0.3:
            values["Goff"] = number(rng, 0.005, 0.1)
        if kind not in ("Sw",) and rng.random() < 0.3:
            values["e_knee"] = number(rng, 0.1, 0.5)
    return values


def spans_of_sine(w, phase, level):
    """Where sin(w t + phase) > level."""
    first = numpy.arcsin(level)
    turns = range(-2, int(w * STOP / 6) + 3)
    return [((first - phase + 2 * numpy.pi * k) / w, (numpy.pi - first - phase + 2 * numpy.pi * k) / w) for k in turns]


def draw_condition(rng, storages, instants):
    """`instants`: of other conditions; a condition may change together with another one."""
    def instant():
        if instants and rng.random() < 0.3:
            return instants[rng.integers(len(instants))]
        instants.append(number(rng, 0.2, 3.8))
        return instants[-1]

    pick = rng.random()
    if pick < 0.3:
        t = instant()
        return Condition("time > {0}", [(t, 2 * STOP)])
    if pick < 0.5:
        t = instant()
        return Condition("time < {0}", [(-STOP, t)])
    if pick < 0.7:
        a, b = sorted([instant(), number(rng, 0.2, 3.8)])
        return Condition("time > {0} and time < {1}", [(a, b)])
    if pick < 0.85 or not storages:
        w, phase, level = number(rng, 2, 7), number(rng, 0, 3), number(rng, -0.6, 0.6)
        return Condition(f"sin({{w}}*time + {phase}) > {level}", spans_of_sine(w, phase, level), level=w)
    return Condition("", None, int(rng.choice(storages)), number(rng, -1.5, 1.5), bool(rng.random() < 0.5))


def draw_port(rng, nodes, island, kind, tied=None):
    a = int(rng.integers(nodes[island])) if tied is None else tied
    others = [None] + [n for n in range(nodes[island]) if n != a]
    b = others[0 if rng.random() < 0.4 else int(rng.integers(len(others)))]
    if b is not None and rng.random() < 0.5:
        a, b = b, a
    elif b is None and rng.random() < 0.2:
        return Port(island, None, a, False, kind in SOURCES)
    return Port(island, a, b, b is None and rng.random() < 0.6, kind in SOURCES)


def draw_network(rng):
    count = 2 if rng.random() < 0.45 else 1
    kinds = [str(rng.choice(["0", "1"])) for _ in range(count)]
    nodes = [int(rng.integers(1, 4 if count == 2 else 5)) for _ in range(count)]
    domains = [str(rng.choice(DOMAINS)) for _ in range(count)]
    kinds_of = ["R", "C", "I", "Sw", "D", "Se", "Sf", "Thyristor", "GTO", "Lock", "OneWayClutch"]
    weights = numpy.array([5, 3, 3, 2.5, 3, 1, 0.6, 0.7, 0.5, 0.5, 0.5])
    elements = []

    def add(kind, ports):
        if kind == "D" and domains[ports[0].island] == "hydraulic" and rng.random() < 0.5:
            kind = "CheckValve"
        elements.append(Element(kind, f"{kind}{len(elements)}", ports, draw_values(rng, kind)))
        if kind in SOURCES:
            elements[-1].waves, elements[-1].conditions["step"] = draw_waves(rng, 0.3, 0.7, 0.6, 3)

    for island in range(count):
        ties = [*range(nodes[island]), *[None] * int(rng.integers(1, 4))]
        for tied in ties:
            kind = str(rng.choice(kinds_of, p=weights / weights.sum()))
            add(kind, [draw_port(rng, nodes, island, kind, tied)])
    for _ in range(1 if count == 2 else int(rng.random() < 0.2)):
        kind = str(rng.choice(TWO_PORTS))
        ports = [draw_port(rng, nodes, 0, kind), draw_port(rng, nodes, count - 1, kind)]
        ports[1].out = True
        add(kind, ports)
    add(*(lambda k: (k, [draw_port(rng, nodes, 0, k)]))(str(rng.choice(["Se", "Sf", "I"], p=[0.6, 0.2, 0.2]))))
    return Network(kinds, nodes, elements), domains


def draw_conditions(rng, net):
    storages = [i for i, element in enumerate(net.elements) if element.kind in STORAGES]
    instants = []
    for element in net.elements:
        if element.kind in GATED:
            element.conditions["gate"] = draw_condition(rng, storages, instants)


# ---- the oracle's run -----------------------------------------------------------------------------------------------

def truth(net, condition, time, z):
    """Of a condition just after an instant."""
    if condition.spans is not None:
        return any(a <= time < b for a, b in condition.spans)
    return (watched_value(net, condition, z) > condition.level) == condition.above


def watched_column(net, condition):
    storage = net.elements[condition.storage]
    return net.e(storage) if storage.kind == "C" else net.f(storage)


def watched_value(net, condition, z):
    return z[watched_column(net, condition)]


def modes_and_candidates(net, time, truths, latched):
    """The modes that are given, and those among which elements choose."""
    modes, candidates = [], {}
    for i, element in enumerate(net.elements):
        mode = ""
        if element.kind in SOURCES:
            step = element.conditions["step"]
            mode = int(step is not None and time >= step)
        elif element.kind == "Sw":
            mode = "open" if truths[i] else "closed"
        elif element.kind == "Lock":
            mode = "open" if truths[i] else "closed"
        elif element.kind in ("D", "CheckValve", "OneWayClutch"):
            candidates[i] = ["open", "closed"]
        elif element.kind in ("Thyristor", "GTO"):
            fired = truths[i] or (element.kind == "Thyristor" and latched[i])
            candidates[i] = ["open", "closed"] if fired else ["open"]
        modes.append(mode)
    return modes, candidates


def settle(net, course, time, z, truths, latched, flipped):
    """Modes, jumps and conditions in agreement. `flipped`: conditions of states that change here, by index."""
    for i in flipped:
        truths[i] = not truths[i]
    for _ in range(6):
        for i, element in enumerate(net.elements):
            gate = element.conditions.get("gate")
            if gate is not None and gate.spans is not None:
                truths[i] = truth(net, gate, time, z)
        size = size_of(net, z)
        choice = choose(net, *modes_and_candidates(net, time, truths, latched), z, size)
        if choice.moves():
            net.require_smooth_rates(choice.jump)
        course.jump(z, choice)
        for i, element in enumerate(net.elements):
            latched[i] = element.kind == "Thyristor" and choice.modes[i] == "closed"
        z, again = choice.z, False
        for i, element in enumerate(net.elements):
            gate = element.conditions.get("gate")
            if gate is None or gate.spans is not None:
                continue
            apart = watched_value(net, gate, z) - gate.level
            if i in flipped and abs(apart) < 1e-7 * size:
                rate = net.pencil(choice.modes).rate[watched_column(net, gate)] @ z
                if (rate > 0) != (truths[i] == gate.above) or abs(rate) < 1e-3 * size:
                    raise Redraw("a switch takes back what made it switch")
            elif abs(apart) < 1e-4:
                raise Redraw("a condition at its limit")
            elif truths[i] != truth(net, gate, time, z):
                truths[i], again = not truths[i], True
        if not again:
            return choice, z
    raise Redraw("an event without end")


def start(net, values, truths, latched):
    z = net.start(values)
    for i, element in enumerate(net.elements):
        if "gate" in element.conditions:
            truths[i] = truth(net, element.conditions["gate"], 0.0, z)
            gate = element.conditions["gate"]
            if gate.spans is None and abs(watched_value(net, gate, z) - gate.level) < 0.01:
                raise Redraw("a condition at its limit at the start")
    choice = choose(net, *modes_and_candidates(net, 0.0, truths, latched), z, size_of(net, z))
    return z, choice


def run(net, values):
    """The whole course, or Redraw."""
    count = len(net.elements)
    truths, latched = [False] * count, [False] * count
    course = Course(net, STOP)
    _, choice = start(net, values, truths, latched)
    if choice.moves():
        raise Redraw("a start that jumps")
    for i, element in enumerate(net.elements):
        latched[i] = element.kind == "Thyristor" and choice.modes[i] == "closed"
    timed = sorted({t for e in net.elements for t in instants_of(e) if 0 < t < STOP})
    time, z = 0.0, choice.z
    while True:
        net.require_smooth_rates(choice.modes)
        piece = course.begin(choice.modes, time, z)
        watched = [((i, "law"), row) for i, e in enumerate(net.elements) for row in limits(net, e, choice.modes[i])]
        for i, element in enumerate(net.elements):
            gate = element.conditions.get("gate")
            if gate is not None and gate.spans is None:
                sign = 1.0 if truths[i] == gate.above else -1.0
                opens = net.row([(watched_column(net, gate), sign), (net.one, -sign * gate.level)])
                watched.append(((i, "gate"), opens))
        time, keys = next_event(piece, watched, timed, STOP)
        before = course.close(time)
        if time >= STOP:
            return course
        if len(course.pieces) > 40 or abs(before).max() > 1e3:
            raise Redraw("too lively")
        earlier = choice.modes
        choice, z = settle(net, course, time, before, truths, latched, [i for i, what in keys if what == "gate"])
        if choice.modes != earlier or choice.moves():
            course.events.append(Event(time, choice.moves()))
        else:
            course.idle.append(time)


def instants_of(element):
    gate = element.conditions.get("gate")
    spans = gate.spans if gate is not None and gate.spans is not None else []
    step = element.conditions.get("step")
    return [t for span in spans for t in span] + ([step] if step is not None else [])


# ---- the program's text ---------------------------------------------------------------------------------------------

def condition_text(net, gate, names, scale):
    if gate.spans is None:
        storage = net.elements[gate.storage]
        what, power = ("e", (1, 0, 0)) if storage.kind == "C" else ("f", (0, 1, 0))
        op = ">" if gate.above else "<"
        return f"{names[storage.name]}.{what} {op} {scale.text(gate.level, power)}"
    if "{w}" in gate.text:
        return gate.text.format(w=scale.text(gate.level, (0, 0, -1)))
    ends = [t for t in (*gate.spans[0],) if 0 < t < STOP]
    return gate.text.format(*(scale.text(t, (0, 0, 1)) for t in ends))


def law_text(net, element, names, scale):
    """Type and parameters."""
    if element.kind in SOURCES:
        return source_text(element, scale)
    parts = [f"type: {element.kind}"]
    renamed = {"Ron": None, "Goff": "leak", "e_knee": "cracking"} if element.kind == "CheckValve" else {}
    for key, value in element.values.items():
        if value == 0.0:
            continue
        if element.kind == "CheckValve" and key == "Ron":
            parts.append(f"G: {scale.text(1.0 / value, (-1, 1, 0))}")
        else:
            parts.append(f"{renamed.get(key, key)}: {scale.text(value, POWERS[key])}")
    if "gate" in element.conditions:
        key = {"Sw": "open", "Lock": "locked"}.get(element.kind, "fire")
        parts.append(f'{key}: "{condition_text(net, element.conditions["gate"], names, scale)}"')
    return ", ".join(parts)


def given_at_start(net, choice, values):
    """The storages whose values stand in the file: independent ones, of which those at 0 may be left out where there
    are no others, whatever diodes do (what follows a source is not given besides, and what nobody gave is 0 only where
    it follows nothing: with a diode in another mode that may be another start)."""
    storages = [e for e in net.elements if e.kind in STORAGES]
    given = independent(net, net.pencil(choice.modes), storages)
    if len(given) < len(storages):
        if any(element.kind in ONE_WAY for element in net.elements):
            raise Redraw("a storage that follows others as long as a diode conducts")
        return given
    free = {i: ["open", "closed"] for i, element in enumerate(net.elements) if element.kind in ONE_WAY}
    for _, pencil in combinations(net, choice.modes, free):
        if len(independent(net, pencil, storages)) < len(storages):
            return given
    return [n for n in given if values.get(n, 0.0) != 0.0]


def independent(net, pencil, storages):
    """Names of storages that follow neither sources nor those before them."""
    rows = [pencil.x[column] for column in range(net.one, net.size)]
    rank, names = len(rows), []
    for element in storages:
        row = pencil.x[net.e(element) if element.kind == "C" else net.f(element)]
        if numpy.linalg.matrix_rank(numpy.array([*rows, row]), tol=1e-7) > rank:
            rows.append(row)
            rank += 1
            names.append(element.name)
    return names


def initial_text(element, values, given, scale):
    value = values.get(element.name, 0.0)
    if element.name not in given:
        return ""
    what, power = ("e", (1, 0, 0)) if element.kind == "C" else ("f", (0, 1, 0))
    return f", initial: {{{what}: {scale.text(value, power)}}}"


# ---- the check ------------------------------------------------------------------------------------------------------

def require_limits(net, choice):
    """Whatever starts at the end of its mode may be in the other one for an instant: one that the program accepts."""
    for i, element in enumerate(net.elements):
        if element.kind in ONE_WAY and any(abs(row @ choice.z) < 1e-9 for row in limits(net, element, choice.modes[i])):
            other = list(choice.modes)
            other[i] = "open" if choice.modes[i] == "closed" else "closed"
            net.require_smooth_rates(other)


def draw_model(rng):
    """A network whose course is unique and in which something happens."""
    for _ in range(3000):
        net, domains = draw_network(rng)
        reacting = [e for e in net.elements if e.kind not in ("R", *STORAGES, *SOURCES, *TWO_PORTS, "Sw", "Lock")]
        if len(reacting) > 4 or len(reacting) + sum(e.kind in ("Sw", "Lock") for e in net.elements) == 0:
            continue
        draw_conditions(rng, net)
        if rng.random() < 0.6:
            values = {e.name: number(rng, -2, 2) for e in net.elements if e.kind in STORAGES}
        else:
            values = {}
        nothing = [[False] * len(net.elements) for _ in range(2)]
        try:
            choice = start(net, values, *nothing)[1]
            values = {e.name: float(choice.z[net.e(e) if e.kind == "C" else net.f(e)]) for e in net.elements
                      if e.kind in STORAGES}
            values = {name: 0.0 if abs(value) < 1e-12 else value for name, value in values.items()}
            require_limits(net, choice)
            given = given_at_start(net, choice, values)
            course = run(net, values)
        except (Redraw, NoSolution):
            continue
        if course.events or course.idle:
            return net, domains, values, given, course
    raise Redraw("no model found")


def wrappable(element):
    """Conditions of states stand where all names are known."""
    gate = element.conditions.get("gate")
    return (element.kind not in (*SOURCES, *TWO_PORTS) and not element.ports[0].direct
            and (gate is None or gate.spans is not None))


def check(seed, simulate):
    rng = numpy.random.default_rng(seed)
    net, domains, values, given, course = draw_model(rng)
    scale = draw_scale(rng, domains)
    writing = draw_writing(rng, net, scale, STOP, wrappable)
    course.idle += writing.beside
    names = writing.paths
    texts = {e.name: law_text(net, e, names, scale) + initial_text(e, values, given, scale) for e in net.elements}
    outputs = [name + more for _, name, d in columns_of(net, names) for more in ("", ".impulse")]
    text = model_text(rng, net, texts, writing, STOP, outputs)
    return compare_run(course, simulate, text, names, scale)


if __name__ == "__main__":
    family.main(check)

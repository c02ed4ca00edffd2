"""Networks as text for the program, in one of the many ways of writing them: names, scales, order of lines, drawn
arrows, elements inside types of their own, and something beside them that has nothing to do with them."""
from dataclasses import dataclass, field

from switching.network import SOURCES, TWO_PORTS

POWERS = {"R": (1, -1, 0), "C": (-1, 1, 1), "I": (1, -1, 1), "m": (0, 0, 0), "r": (1, -1, 0), "Ron": (1, -1, 0),
          "Goff": (-1, 1, 0), "e_knee": (1, 0, 0), "level": (1, 0, 0), "static": (1, 0, 0), "lower": (0, 1, 1),
          "upper": (0, 1, 1), "restitution": (0, 0, 0), "rest": (0, 1, 0), "fn_max": (1, 0, 0), "mu": (0, 0, 0),
          "peak": (0, 0, 0)}


@dataclass
class Scale:
    """The program's numbers are those of the oracle times these."""
    effort: float
    flow: float
    time: float
    domains: list

    def of(self, dimension):
        return {"e": self.effort, "f": self.flow, "q": self.flow * self.time}[dimension]

    def text(self, value, power):
        """A number of the oracle; `power`: its powers of effort, flow and time."""
        return repr(float(value * self.effort ** power[0] * self.flow ** power[1] * self.time ** power[2]))

    def domain(self, island):
        return f", domain: {self.domains[island]}" if self.domains[island] else ""


def draw_scale(rng, domains):
    return Scale(*(10.0 ** rng.integers(-3, 4, 3) if rng.random() < 0.5 else (1.0, 1.0, 1.0)), domains)


@dataclass
class Writing:
    """`paths`: what each element is called; those in `wrapped` are the part x of a component of their own type, those
    in `against` are drawn with their arrow reversed."""
    scale: Scale
    paths: dict
    wrapped: set = field(default_factory=set)
    against: set = field(default_factory=set)
    shuffled: bool = False
    beside: list = field(default_factory=list)  # instants at which an unrelated switch acts


def draw_writing(rng, net, scale, stop, wrappable):
    names = [e.name for e in net.elements]
    if rng.random() < 0.3:
        numbers = rng.permutation(len(names)) + 1
        names = [f"{'abcz'[n % 4]}{n}" for n in numbers]
    writing = Writing(scale, {e.name: name for e, name in zip(net.elements, names)}, shuffled=rng.random() < 0.5)
    if rng.random() < 0.4:
        writing.wrapped = {e.name for e in net.elements if wrappable(e) and rng.random() < 0.4}
    for name in writing.wrapped:
        writing.paths[name] += ".x"
    if rng.random() < 0.4:
        writing.against = {e.name for e in net.elements
                           if e.kind not in (*SOURCES, *TWO_PORTS) and rng.random() < 0.4}
    if rng.random() < 0.2:
        writing.beside = sorted(round(float(t), 3) for t in rng.uniform(0.1, 0.9, 2) * stop)
    return writing


def wave_text(element, scale):
    """The value of a source: one wave, or one before and one after a step."""
    power = (1, 0, 0) if element.kind == "Se" else (0, 1, 0)

    def one(wave):
        terms = [scale.text(wave[0], power)]
        terms += [f"{scale.text(a, power)}*sin({scale.text(w, (0, 0, -1))}*time + {phase})" for a, w, phase in wave[1]]
        return " + ".join(terms)

    if len(element.waves) == 1:
        return one(element.waves[0])
    step = scale.text(element.conditions["step"], (0, 0, 1))
    return f"if time < {step} then {one(element.waves[0])} else {one(element.waves[1])}"


def source_text(element, scale):
    return f'type: {element.kind}, {"e" if element.kind == "Se" else "f"}: "{wave_text(element, scale)}"'


def unrelated(writing):
    """A capacitor that a switch charges."""
    if not writing.beside:
        return [], []
    a, b = (writing.scale.text(t, (0, 0, 1)) for t in writing.beside)
    return (["  by_u: {type: Se, e: 3}", "  by_j: {type: 1}", "  by_c: {type: C, C: 1}",
             f'  by_s: {{type: Sw, Ron: 1, open: "time > {a} and time < {b}"}}'],
            ["  - by_u -> by_j", "  - by_j -> by_s", "  - by_j -> by_c"])


def hung(net, element, called, writing):
    """The junctions and bonds by which the ports of an element hang in their islands."""
    components, bonds = [], []
    for p, port in enumerate(element.ports):
        end = called + (f".p{p + 1}" if element.kind in TWO_PORTS else "")
        nodes = [None if n is None else f"n{port.island}_{n}" for n in (port.a, port.b)]
        junction = nodes[0]
        if not port.direct:
            junction = f"j_{called}_{p}"
            components.append(f"  {junction}: {{type: {other_kind(net, port)}}}")
            bonds += [f"  - {nodes[0]} -> {junction}"] if nodes[0] else []
            bonds += [f"  - {junction} -> {nodes[1]}"] if nodes[1] else []
        outwards = port.out != (element.name in writing.against)
        bonds.append(f"  - {end} -> {junction}" if outwards else f"  - {junction} -> {end}")
    return components, bonds


def other_kind(net, port):
    return "1" if net.kinds[port.island] == "0" else "0"


def own_type(net, element, called, text, writing):
    """An element between two nodes as a type with ports a and b: type, component, bonds."""
    port = element.ports[0]
    arrow = "x -> j" if element.name in writing.against else "j -> x"
    ends = [(name, n) for name, n in (("a", port.a), ("b", port.b)) if n is not None]
    inside = ["a -> j"] * (port.a is not None) + ["j -> b"] * (port.b is not None) + [arrow]
    kind = [f"  T_{called}:", f"    ports: {{{', '.join(f'{name}: {{}}' for name, _ in ends)}}}", "    components:",
            f"      j: {{type: {other_kind(net, port)}}}", f"      x: {{{text}}}", f"    bonds: [{', '.join(inside)}]"]
    bonds = [f"  - n{port.island}_{n} -> {called}.a" if name == "a" else f"  - {called}.b -> n{port.island}_{n}"
             for name, n in ends]
    return kind, [f"  {called}: {{type: T_{called}}}"], bonds


def model_text(rng, net, texts, writing, stop, outputs):
    """`texts`: type and parameters of each element."""
    types, (components, bonds) = [], unrelated(writing)
    for island, kind in enumerate(net.kinds):
        components += [f"  n{island}_{node}: {{type: {kind}{writing.scale.domain(island)}}}"
                       for node in range(net.nodes[island])]
    for element in net.elements:
        called, text = writing.paths[element.name].split(".")[0], texts[element.name]
        if element.name in writing.wrapped:
            kind, more, hangs = own_type(net, element, called, text, writing)
            types += kind
        else:
            more, hangs = hung(net, element, called, writing)
            more = [f"  {called}: {{{text}}}", *more]
        components += more
        bonds += hangs
    if writing.shuffled:
        rng.shuffle(components)
        rng.shuffle(bonds)
    long = stop * writing.scale.time
    return "\n".join(["model: random", *(["types:", *types] if types else []), "components:", *components,
                      "bonds:", *bonds,
                      f"experiment: {{stop: {long!r}, tolerance: 1e-9, interval: {long / 32!r}}}",
                      f"outputs: [{', '.join(outputs)}]", ""])

#!/usr/bin/env python3
"""Random networks of nonlinear laws against Newton's method on the tableau of all efforts and flows.

A network is a tree of 0- and 1-junctions (with a mesh now and then) in one to three domains, joined by bonds,
transformers and gyrators, with sources, resistors and storages whose laws are sums of increasing functions: cubic,
square, square root, exponential, sinh, tanh, saturating, logarithmic, kinked, by table, solved for the effort, for the
flow or for neither. Moduli, resistances and sources follow time, states, and blocks whose output is the root of an
equation. Increasing laws behind a structure that conserves power have one solution (Duffin: Nonlinear networks IIa,
Bull. Amer. Math. Soc. 53, 1947). The oracle is smooth/tableau.py.
"""
import json
import math
import re
from dataclasses import dataclass

import numpy

import family
from smooth.curves import Law, drawn_law, number, root_of, square, straight
from smooth.tableau import ONE, Again, Drive, Network, Part, Tableau, check_uniqueness, solved

UNITS = {  # effort, flow, displacement, momentum, and magnitudes of the effort
    "electrical": ("V", "A", "C", "V.s", (1e-2, 1e3)), "translational": ("N", "m/s", "m", "N.s", (1e-1, 1e4)),
    "rotational": ("N.m", "rad/s", "rad", "N.m.s", (1e-1, 1e3)), "hydraulic": ("Pa", "m3/s", "m3", "Pa.s", (1e3, 1e7)),
    "magnetic": ("A", "V", "V.s", "A.s", (1e0, 1e3)), "generic": ("1", "1", "1", "1", (1e-1, 1e1))}


# ---- a random network

def drawn_network(rng):
    net = Network(power=10.0**rng.randint(-2, 4), tau=rng.choice([1.0, 1.0, 1e-3, 20.0]))
    generic = rng.random() < 0.3

    def region():
        domain = "generic" if generic else rng.choice([d for d in UNITS if d != "generic"])
        low, high = UNITS[domain][4]
        net.regions.append((domain, float(f"{math.exp(rng.uniform(math.log(low), math.log(high))):.3g}")))
        return len(net.regions) - 1

    def junction(where):
        net.junctions.append((f"j{len(net.junctions)}", rng.choice("01"), where))
        return len(net.junctions) - 1

    def join(one, two):
        sign = rng.choice([1, -1])
        net.new_bond((one, -sign), (two, sign))

    junction(region())
    for _ in range(rng.randint(0, 4)):
        old = rng.randrange(len(net.junctions))
        if rng.random() < 0.35 and len(net.couplers) < 2:
            new = junction(region() if rng.random() < 0.8 else net.junctions[old][2])
            net.couplers.append([f"x{len(net.couplers)}", rng.choice(["TF", "GY"]), net.new_bond((old, -1)),
                                 net.new_bond((new, 1)), number(rng, 0.4, 2.5), ONE])
        else:
            join(old, junction(net.junctions[old][2]))
    pairs = [(a, b) for b in range(len(net.junctions)) for a in range(b - 1)
             if net.junctions[a][2] == net.junctions[b][2]]
    if pairs and rng.random() < 0.3:
        join(*rng.choice(pairs))
    for at, (_, kind, where) in enumerate(net.junctions):
        for _ in range(rng.choice([1, 2, 2, 3])):
            what = rng.choice(["R", "R", "R", "C" if kind == "0" else "I", rng.choice("CI"), "Se", "Sf"])
            net.parts.append(Part(f"{what.lower()}{len(net.parts)}", what,
                                  net.new_bond((at, 1 if what[0] == "S" else -1)), where))
    draw_laws(rng, net)
    return net


def draw_laws(rng, net):
    stores = [part for part in net.parts if part.kind in "CI"]
    for k, part in enumerate(stores):
        part.state, part.start = k, round(rng.uniform(-1, 1), 3)
    if not stores or not any(part.kind == "R" and len(net.parts) for part in net.parts):
        raise Again
    for k in range(rng.choice([0, 0, 1, 2])):
        net.blocks.append((f"b{k}", drawn_law(rng), drawn_drive(rng, net, ())))
    for part in net.parts:
        if part.kind == "R":
            part.form = rng.choice(["linear", "e", "e", "f", "f", "root", "neither"])
            part.law = Law([square(number(rng, 0.3, 3))]) if part.form == "root" else drawn_law(rng, 0.2)
            part.other = drawn_law(rng)
            if rng.random() < 0.25:
                part.drive = positive(drawn_drive(rng, net))
        elif part.kind in "CI":
            part.form = rng.choice(["linear", "given", "given", "inverse"])
            part.law = drawn_law(rng)
        else:
            wave, a = drawn_drive(rng, net), round(rng.uniform(-1, 1), 3)
            b = number(rng, 0.3, 1.5)
            part.drive = Drive(f"{a} + {b}*{wave.text}", lambda t, s, a=a, b=b, w=wave: a + b * w.value(t, s))
        if part.form == "linear" and part.kind in "RCI":
            part.law = Law([straight(number(rng, 0.3, 3))])
    for coupler in net.couplers:
        if rng.random() < 0.5:
            coupler[5] = positive(drawn_drive(rng, net))


def positive(drive):
    return Drive(f"(1 + 0.5*{drive.text})", lambda t, s: 1 + 0.5 * drive.value(t, s))


def drawn_drive(rng, net, blocks=None):
    """Something between -1 and 1 that follows time, a state, or a block."""
    stores, blocks = net.states(), net.blocks if blocks is None else blocks
    what = rng.choice(["time", "time", "state", "block" if blocks else "time"])
    if what == "time":
        w, phase = number(rng, 0.5, 6), round(rng.uniform(-3, 3), 3)
        return Drive(f"sin({w}*time/{net.tau!r} + ({phase}))", lambda t, s: math.sin(w * t + phase))
    if what == "state":
        part = rng.choice(stores)
        letter, k = "qp"[part.kind == "I"], part.state
        return Drive(f"tanh({part.name}.{letter}/{letter}0_{part.region})", lambda t, s: math.tanh(s[k]))
    name, law, drive = rng.choice(blocks)
    return Drive(f"tanh({name}.y)", lambda t, s: math.tanh(root_of(law, 2 * drive.value(t, s))))


# ---- the model file

@dataclass
class Style:
    """How the same network is written."""
    tolerance: float
    interval: float
    shuffled: bool
    reversed: float
    wrapped: float
    renamed: bool
    clutter: bool
    signals: bool


def drawn_style(rng, tolerance, stop):
    return Style(tolerance, stop / rng.choice([7, 20, 33, 60]), rng.random() < 0.7, rng.choice([0, 0, 0.4]),
                 rng.choice([0, 0, 0.5]), rng.random() < 0.3, rng.random() < 0.3, rng.random() < 0.5)


LITERAL = {("electrical", "R"): "ohm", ("electrical", "C"): "F", ("electrical", "I"): "H",
           ("translational", "R"): "N.s/m",
           ("translational", "I"): "kg", ("hydraulic", "R"): "Pa.s/m3", ("rotational", "I"): "kg.m2"}


def law_text(part, factor):
    """The law of a part in SI, in the names e0, f0, q0, p0 of its region."""
    e, f = "e/e0", "f/f0"
    if part.form == "root":
        return f"f = {math.sqrt(1 / part.law.value(1.0))!r}*f0*sqrt(abs(e)/(e0*{factor}))*sign(e)"
    if part.kind == "R":
        return {"e": f"e = {factor}*e0*({part.law.text(f)})", "f": f"f = {factor}*f0*({part.law.text(e)})",
                "neither": f"{part.other.text(e)} = {factor}*({part.law.text(f)})"}[part.form]
    state, given = ("q", "e") if part.kind == "C" else ("p", "f")
    if part.form == "inverse":
        return f"{state} = {state}0*({part.law.text(e if part.kind == 'C' else f)})"
    return f"{given} = {given}0*({part.law.text(f'{state}/{state}0')})"


def linear_text(net, part, factor):
    """R or G, C or K, I of a straight law: as an expression, or as a number with its unit."""
    a, (domain, e0) = part.law.value(1.0), net.regions[part.region]
    f0 = net.power / e0
    if part.kind == "R":
        if factor == "1" and (domain, "R") in LITERAL:
            return f"R: {a * e0 / f0!r} {LITERAL[domain, 'R']}"
        return f"R: {a}*{factor}*e0/f0" if a < 1 else f"G: {1 / a!r}/{factor}*f0/e0"
    if (domain, part.kind) in LITERAL:
        si = (f0 if part.kind == "C" else e0) * net.tau / (a * (e0 if part.kind == "C" else f0))
        return f"{part.kind}: {si!r} {LITERAL[domain, part.kind]}"
    return f"I: p0/({a}*f0)" if part.kind == "I" else f"C: q0/({a}*e0)" if a < 1 else f"K: {a}*e0/q0"


def suffixed(text, region):
    """The names of a region's magnitudes at the top of the file."""
    return re.sub(r"\b([efqp]0)\b", rf"\1_{region}", text)


@dataclass
class Written:
    """A model's text, and where its results and figures are found."""
    text: str
    effort: dict
    flow: dict
    states: dict
    energy: dict  # part: (name in the audit, figure)


def own_type(net, part, inside):
    """The declaration of a type that holds a part, as an element inside or as equations."""
    effort, flow, displacement, momentum, _ = UNITS[net.regions[part.region][0]]
    units = {"e0": effort, "f0": flow, "q0": displacement, "p0": momentum}
    parameters = ", ".join(f"{k}: {{unit: {u!r}}}" if u != "1" else f"{k}: {{}}" for k, u in units.items())
    domain = net.regions[part.region][0]
    state = "q" if part.kind == "C" else "p"
    port = f"ports: {{w: {{domain: {domain}}}}}"
    head = f"  T{part.name}:\n    parameters: {{{parameters}, M: 1}}\n    {port}\n"
    if inside:
        return (head + f"    components: {{k: {{type: {part.kind}, law: '{law_text(part, 'M')}'}}}}\n"
                "    bonds: [w -> k]\n")
    law = re.sub(r"\b([ef])\b", r"w.\1", law_text(part, "M"))
    if part.kind == "R":
        return head + f"    equations: ['{law}']\n"
    unit = units[state + "0"]
    rate = f"der({state}) = w.{'f' if part.kind == 'C' else 'e'}"
    declared = f"    variables: {{{state}: {{start: 0{'' if unit == '1' else ' ' + unit}" + (
        f", unit: {unit}" if unit != "1" else "") + "}}\n"
    energy = energy_text(part)
    return head + declared + f"    equations: ['{law}', '{rate}']\n" + (f"    energy: '{energy}'\n" if energy else "")


def energy_text(part):
    state, unit = ("q", "e0*q0") if part.kind == "C" else ("p", "f0*p0")
    text = part.law.energy(f"{state}/{state}0") if part.kind in "CI" and part.form != "inverse" else None
    return text and f"{unit}*({text})"


def write_part(net, part, style, rng, types, signals, written):
    """The line of a part under components:, its type and its signal where it needs them."""
    name, at, drive = part.name, part.region, part.drive.text
    state = {"C": "q", "I": "p"}.get(part.kind)
    scale = net.regions[at][1]
    figure = {"R": "dissipated", "C": "stored", "I": "stored"}.get(part.kind, "supplied")
    written.energy[name] = (name, figure)
    written.effort[part.bond], written.flow[part.bond] = f"{name}.e", f"{name}.f"
    if part.kind in ("Se", "Sf"):
        letter = part.kind[1]
        value = f"{letter}0_{at}*({drive})"
        if style.signals and rng.random() < 0.5:
            signals.append(f"{value} -> {name}.{letter}")
            return f"{{type: {part.kind}}}"
        return f"{{type: {part.kind}, {letter}: '{value}'}}"
    start = part.start * (scale if part.kind == "I" else net.power / scale) * net.tau
    wrapped = part.form != "linear" and rng.random() < style.wrapped
    inside = wrapped and rng.random() < 0.5
    prefix = f"{name}.k" if inside else name
    if state:
        written.states[part.state] = f"{prefix}.{state}"
    if not wrapped:
        law = linear_text(net, part, drive) if part.form == "linear" else f"law: '{law_text(part, drive)}'"
        energy = energy_text(part) if part.form == "given" and rng.random() < 0.5 else None
        given = f"{{type: {part.kind}, {suffixed(law, at)}" + (f", energy: '{suffixed(energy, at)}'" if energy else "")
        return given + (f", initial: {{{state}: {start!r}}}}}" if state else "}")
    types.append(own_type(net, part, inside))
    port = f"{name}.k" if inside else f"{name}.w"
    written.effort[part.bond], written.flow[part.bond] = f"{port}.e", f"{port}.f"
    stored = part.kind in "CI" and energy_text(part)
    written.energy[name] = (prefix, figure if inside or stored else "own_types")
    values = ", ".join(f"{letter}0: {letter}0_{at}" for letter in "efqp")
    if style.signals and drive != "1":
        signals.append(f"{drive} -> {name}.M")
    else:
        values += f", M: '{drive}'"
    initial = f", initial: {{{'k.' if inside else ''}{state}: {start!r}}}" if state else ""
    return f"{{type: T{name}, {values}{initial}}}"


def bond_lines(net, style, rng, wrapped):
    """The ends of every bond, in arrows; those of ports may be drawn against the ports' direction."""
    ends = {part.bond: part.name + (".w" if part.name in wrapped else "") for part in net.parts}
    for name, _, one, two, _, _ in net.couplers:
        ends[one], ends[two] = f"{name}.p1", f"{name}.p2"
    lines = []
    for k, bond in enumerate(net.bonds):
        if len(bond) == 2:
            (one, sign), (two, _) = bond
            left, right, free = net.junctions[one][0], net.junctions[two][0], False
        else:
            (one, sign), = bond
            left, right, free = net.junctions[one][0], ends[k], ends[k] not in [f"{w}.w" for w in wrapped]
        if sign > 0:  # into the first
            left, right = right, left
        if free and rng.random() < style.reversed:
            left, right = right, left
        lines.append(f"{left} -> {right}")
    return lines


CLUTTER = """  zz_pulse: {{type: Pulse, period: {0} s, width: {1} s}}
  zz_sum: {{type: Integrator, initial: {{y: 0}}}}
  zz_held: {{type: SampleHold, period: {2} s}}
  zz_u: {{type: Se, e: 'if zz_sum.y > {1} then 1 else 2'}}
  zz_j: {{type: 1}}
  zz_s: {{type: Sw, open: 'zz_pulse.y > 0.5', Ron: 1, Goff: 0.1}}
  zz_c: {{type: C, C: {0}, initial: {{e: 0.5}}}}
"""


def write(net, style, stop, rng):
    """The model in the style."""
    written = Written("", {}, {}, {}, {})
    types, signals, lines = [], [], {}
    for part in net.parts:
        lines[part.name] = write_part(net, part, style, rng, types, signals, written)
    wrapped = [part.name for part in net.parts if lines[part.name].startswith("{type: T")]
    for name, kind, _ in net.junctions:
        lines[name] = f"{{type: {kind}}}"
    for name, kind, one, two, modulus, drive in net.couplers:
        r1, r2 = (net.junctions[net.bonds[k][0][0]][2] for k in (one, two))
        value = f"{modulus}*{drive.text}*e0_{r1}/e0_{r2}" if kind == "TF" else f"{modulus}*{drive.text}*e0_{r2}/f0_{r1}"
        lines[name] = f"{{type: {kind}, {'m' if kind == 'TF' else 'r'}: '{value}'}}"
        written.effort[one], written.flow[one] = f"{name}.p1.e", f"{name}.p1.f"
        written.effort[two], written.flow[two] = f"{name}.p2.e", f"{name}.p2.f"
    for name, law, drive in net.blocks:
        inner = "y" if rng.random() < 0.5 else "z"
        own = "" if inner == "y" else "variables: {z: {}}, "
        equations = [f"'{law.text(inner)} = u'"] + (["'y = z'"] if inner == "z" else [])
        types.append(f"  T{name}: {{inputs: [u], outputs: [y], {own}equations: [{', '.join(equations)}]}}\n")
        lines[name] = f"{{type: T{name}}}"
        signals.append(f"2*{drive.text} -> {name}.u")
    bonds = bond_lines(net, style, rng, wrapped)
    outputs = [*written.states.values(), *written.effort.values(), *written.flow.values()]
    outputs += [f"{name}.{'e' if kind == '0' else 'f'}" for name, kind, _ in net.junctions]
    parameters = []
    for k, (domain, e0) in enumerate(net.regions):
        magnitudes = (e0, net.power / e0, net.power / e0 * net.tau, e0 * net.tau)
        for letter, value, unit in zip("efqp", magnitudes, UNITS[domain]):
            parameters.append(f"{letter}0_{k}: {value!r}" + ("" if unit == "1" else f" {unit}"))
    components = [f"  {name}: {line}\n" for name, line in lines.items()]
    if style.shuffled:
        for listed in (components, bonds, signals, parameters, outputs):
            rng.shuffle(listed)
    if style.clutter:
        period = stop * net.tau * rng.uniform(0.05, 0.4)
        components.insert(rng.randrange(len(components)), CLUTTER.format(period, 0.3 * period, 0.7 * period))
        bonds += ["zz_u -> zz_j", "zz_j -> zz_s", "zz_j -> zz_c"]
        signals += ["zz_pulse.y -> zz_sum.u", "zz_sum.y -> zz_held.u"]
    text = "model: laws\nparameters: {" + ", ".join(parameters) + "}\n" + ("types:\n" + "".join(types) if types else "")
    text += "components:\n" + "".join(components) + "bonds:\n" + "".join(f"  - {bond}\n" for bond in bonds)
    text += ("signals:\n" + "".join(f"  - '{line}'\n" for line in signals)) if signals else ""
    text += f"experiment: {{stop: {stop * net.tau!r} s, tolerance: {style.tolerance!r}, "
    text += f"interval: {style.interval * net.tau!r} s}}\noutputs: [{', '.join(outputs)}]\n"
    for k, name in written.states.items():
        text = re.sub(rf"\b{name[:-2].removesuffix('.k')}\.{name[-1]}\b", name, text)
    written.text = text
    return renamed(net, written, rng) if style.renamed else written


def renamed(net, written, rng):
    """The same with other names of parts, junctions, couplers and blocks, in another alphabetical order."""
    old = [item[0] if isinstance(item, (tuple, list)) else item.name
           for item in (*net.parts, *net.junctions, *net.couplers, *net.blocks)]
    numbers = rng.sample(range(100, 100 + 3 * len(old)), len(old))
    names = {name: f"n{k}" for name, k in zip(old, numbers)}
    word = re.compile(r"\b(" + "|".join(old) + r")\b")

    def new(text):
        return word.sub(lambda match: names[match[1]], text)
    return Written(new(written.text), *({k: new(v) for k, v in column.items()}
                                        for column in (written.effort, written.flow, written.states)),
                   {k: (new(name), figure) for k, (name, figure) in written.energy.items()})


# ---- the comparison

def check_run(net, tableau, solution, written, style, stop, simulate):
    """Compares one run; all in numbers without dimension."""
    audit = simulate.folder / f"audit{simulate.runs + 1}.json"
    result = simulate(written.text, "--audit-json", str(audit))
    if result.status:
        raise family.Disagreement(f"status {result.status}: {result.messages[-1500:]}")
    times = result.column("time") / net.tau
    if times[0] or abs(times[-1] - stop) > 1e-12 * stop:
        raise family.Disagreement(f"the run goes from {times[0]} to {times[-1]} instead of {stop}")
    scales = [(e0, net.power / e0) for _, e0 in net.regions]
    exact = numpy.array([solution(t) for t in times])
    states = numpy.empty((len(times), len(net.states())))
    worst = 0.0
    coarse = style.tolerance**0.9 * 1e2
    for part in net.states():
        unit = scales[part.region][part.kind == "C"] * net.tau
        states[:, part.state] = result.column(written.states[part.state]) / unit
        worst = max(worst,
                    family.compare(f"{part.name} in {style}", states[:, part.state], exact[:, part.state], coarse))
    for row, t in enumerate(times):
        x = tableau.solve(t, states[row])
        near = 1e-10 * tableau.condition(t, states[row])
        for k, bond in enumerate(net.bonds):
            where = net.junctions[bond[0][0]][2]
            for offset, names in ((0, written.effort), (1, written.flow)):
                if k in names:
                    family.compare(f"{names[k]} at {t} in {style}",
                                   result.column(names[k])[row] / scales[where][offset],
                                   x[2 * k + offset], near)
    energies = json.loads(audit.read_text())
    elements = {element["name"]: element for element in energies["elements"]}
    # A bend of a law inside a step, whose flow or effort is imposed, is in no rate: nothing but a power sees it, and
    # powers are integrated by a fixed rule over each step, whatever the tolerance (seeds 84, 159, 218).
    laws = [law for part in net.parts for law in (part.law, part.other)] + [law for _, law, _ in net.blocks]
    bends = any(law is not None and law.bends() for law in laws)
    for k, part in enumerate(net.parts):
        name, figure = written.energy[part.name]
        found = elements[name][figure] / (net.power * net.tau)
        expected = exact[-1, len(net.states()) + k]
        worst = max(worst, family.compare(f"{figure} of {name} in {style}", found, expected,
                                          (10 if bends else 1) * coarse * (1 + abs(expected))))
    return worst


def draw(rng):
    net = drawn_network(rng)
    tableau = Tableau(net)
    check_uniqueness(rng, net, tableau)
    stop = round(rng.uniform(2, 6), 1)
    return net, stop, *solved(net, stop)


def check(seed, simulate):
    (net, stop, solution, tableau), rng = family.drawn("laws", seed, draw, (Again, OverflowError))
    worst = 0.0
    for tolerance in (1e-9, 1e-6):
        style = drawn_style(rng, tolerance, stop)
        written = write(net, style, stop, rng)
        worst = max(worst, check_run(net, tableau, solution, written, style, stop, simulate))
    return worst


if __name__ == "__main__":
    family.main(check)

#!/usr/bin/env python3
"""Random machines of tables, pulses, relays, samples, counters and `when` clauses against an event-driven oracle.

A machine has continuous plants (integrators, lags, cubic lags, oscillators of bonds), functions of time and of the
plants with kinks and jumps of all kinds, and discrete blocks that sample, count, switch with hysteresis and reset.
Plants follow time, plants before them, and what is discrete, also of themselves.

The program must have its events at the times of the oracle (smooth/course.py) and the same values before and after
them; its algebraic results must follow from its own states at every row.
"""
import json
import math
from dataclasses import dataclass, field

import family
from smooth.branches import (TIME, Ex, Machine, constant, function_of_time, linear, number, plus, smooth, source_block,
                              times)
from smooth.course import Again, course

# ---- what is discrete

class Block:
    """An own or library type whose discrete values follow from `update`, after the values before and what is
    sampled."""

    def __init__(self, update, sample=None):
        self.update, self.sample = update, sample


def sampling(m, rng, stop):
    """(start, period) of a sampled block, known to the machine."""
    period = number(rng, stop / 25, stop / 4)
    start = round(rng.choice([0.0, rng.uniform(0, 0.5) * stop, -0.37 * period]), 3)
    m.samples.append((start, period))
    return len(m.samples) - 1, start, period


def discrete_block(m, rng, stop, u, kind):
    """A block of the kind that takes u; returns its output."""
    name = m.name("d")
    low = round(rng.uniform(-0.8, 0.6), 3)
    high = round(low + rng.uniform(0.1, 0.6), 3)
    a, b = round(rng.uniform(-1.5, 1.5), 3), round(rng.uniform(-1, 1), 3)
    m.signals.append(f"{u.text} -> {name}.u")
    if kind == "relay":
        m.components.append(f"{name}: {{type: Relay, closes_above: {high}, opens_below: {low}, high: {a}, low: {b}}}")
        column = f"{name}.closed"
        return switch(m, rng, u, name, column, (low, high), (a, b), True)
    if kind == "thermostat":
        m.types.append(f"T{name}: {{inputs: [u], outputs: [y], variables: {{on: {{type: boolean, start: true}}}}, "
                       f"equations: ['on = u < {low} or pre(on) and u < {high}', 'y = if on then {a} else {b}']}}")
        m.components.append(f"{name}: {{type: T{name}}}")
        return switch(m, rng, u, name, f"{name}.on", (low, high), (a, b), False)
    if kind == "hold":
        k, start, period = sampling(m, rng, stop)
        m.components.append(f"{name}: {{type: SampleHold, period: {period} s, start: {start} s}}")
        held = m.add_discrete(f"{name}.held", 0.0)
        m.blocks.append(Block(lambda s, due: {held.text: u.value(s) if k in due else s.pre[held.text]}))
        m.named.append((f"{name}.y", held))
        return Ex(f"{name}.y", held.value, False)
    if kind == "filter":
        k, start, period = sampling(m, rng, stop)
        m.types.append(f"T{name}: {{inputs: [u], outputs: {{y: {{type: real, start: {b}}}}}, equations: "
                       f"['y = if sample({start}, {period}) then {a}*u + 0.4*pre(y) else pre(y)']}}")
        m.components.append(f"{name}: {{type: T{name}}}")
        y = m.add_discrete(f"{name}.y", b)
        m.blocks.append(Block(
            lambda s, due: {y.text: a * u.value(s) + 0.4 * s.pre[y.text] if k in due else s.pre[y.text]}))
        return y
    return counter(m, rng, u, name, (low, high), a)


def switch(m, rng, u, name, column, levels, values, upward):
    """Hysteresis: what is on above (a relay) or below (a thermostat) the levels."""
    on = m.add_discrete(column, 0.0 if upward else 1.0)
    over = m.relation(u, constant(levels[1]), rng)
    under = m.relation(constant(levels[0]), u, rng)

    def update(s, due):
        if upward:
            return {column: float(not under.value(s) if s.pre[column] else over.value(s))}
        return {column: float(under.value(s) or (bool(s.pre[column]) and not over.value(s)))}
    m.blocks.append(Block(update))
    y = Ex(f"{name}.y", lambda s: values[0] if s.d[column] else values[1], False)
    m.named.append((y.text, y))
    return y


def counter(m, rng, u, name, levels, a):
    """Counts rising edges of a relation, or changes of a level."""
    over, between = m.relation(u, constant(levels[1]), rng), m.relation(u, constant(levels[0]), rng)
    s = m.start()
    edges = rng.random() < 0.5
    now = (lambda s: float(over.value(s))) if edges else (
        lambda s: 2.0 if over.value(s) else 1.0 if between.value(s) else 0.0)
    first = now(s)
    texts = [f"on = u > {levels[1]}", "n = if edge(on) then pre(n) + 1 else pre(n)"] if edges else [
        f"on = if u > {levels[1]} then 2 elseif u > {levels[0]} then 1 else 0",
        "n = if change(on) then pre(n) + 1 else pre(n)"]
    rng.shuffle(texts)
    kind = f"boolean, start: {'true' if first else 'false'}" if edges else f"integer, start: {int(first)}"
    m.types.append(f"T{name}: {{inputs: [u], outputs: [y], variables: {{on: {{type: {kind}}}, n: {{type: integer, "
                   f"start: 0}}}}, equations: ['{texts[0]}', '{texts[1]}', 'y = {a}*n']}}")
    m.components.append(f"{name}: {{type: T{name}}}")
    on, n = m.add_discrete(f"{name}.on", first), m.add_discrete(f"{name}.n", 0.0)

    def update(s, due):
        new = now(s)
        counts = new and not s.pre[on.text] if edges else new != s.pre[on.text]
        return {on.text: new, n.text: s.pre[n.text] + (1 if counts else 0)}
    m.blocks.append(Block(update))
    y = Ex(f"{name}.y", lambda s: a * n.value(s), False)
    m.named.append((y.text, y))
    return y


@dataclass
class When:
    """What is done as a condition becomes true: reinit of states, set of discrete values."""
    condition: object  # of a State, or None
    sample: int = None
    reinit: dict = field(default_factory=dict)
    set: dict = field(default_factory=dict)


def draw_when(m, rng, stop, signals):
    """A `when` entry of the file."""
    column, k = rng.choice([(name, k) for k, (name, _) in enumerate(m.states) if name])
    x = Ex(column, lambda s: s.x[k], False)
    a, b = round(rng.uniform(-0.8, 0.8), 3), round(rng.uniform(-0.3, 0.3), 3)
    new = linear(a, x, b)
    what = rng.choice(["threshold", "sample", "set", "window"])
    if what == "sample":
        n, start, period = sampling(m, rng, stop)
        m.whens.append((f"{{if: 'sample({start}, {period})', reinit: {{{column}: '{new.text}'}}}}",
                        When(None, n, {k: new})))
        return
    if what == "threshold":
        level = round(rng.uniform(0.2, 0.9), 3)
        r = m.relation(x, constant(level), rng)
        new = linear(0.1, x, -abs(b))
        m.whens.append((f"{{if: '{r.text}', reinit: {{{column}: '{new.text}'}}}}", When(r.value, None, {k: new})))
        return
    name = m.name("m")
    u = rng.choice(signals)
    r = m.relation(u, constant(round(rng.uniform(-0.6, 0.6), 3)), rng)
    text, value = r.text, r.value
    if what == "window":
        late = m.relation(TIME, constant(round(rng.uniform(0.1, 0.7) * stop, 3)), rng)
        text, value = f"{r.text} and {late.text}", lambda s: r.value(s) and late.value(s)
    m.types.append(f"T{name}: {{variables: {{n: {{type: real, start: 0.25}}}}}}")
    m.components.append(f"{name}: {{type: T{name}}}")
    n = m.add_discrete(f"{name}.n", 0.25)
    step = plus(times(constant(0.7), n), constant(a), times(constant(0.2), x))
    m.whens.append((f"{{if: '{text}', set: {{{n.text}: '{step.text}'}}}}", When(value, None, {}, {n.text: step})))
    return n


# ---- plants

def mixed(m, rng, signals):
    """An expression of signals, with kinks now and then."""
    x, y = rng.choice(signals), rng.choice(signals)
    a, b = round(rng.uniform(-1.2, 1.2), 3), round(rng.uniform(-0.8, 0.8), 3)
    what = rng.choice(["linear", "linear", "sum", "abs", "max", "min", "if", "table", "tanh", "product", "sign"])
    if what == "linear":
        return linear(a, x, b)
    if what == "abs":
        return linear(a, m.absolute(linear(1, x, b), rng), b)
    if what == "max":
        return m.larger(linear(a, x, b), y, rng)
    if what == "min":
        return m.smaller(constant(b), linear(a, x, 0.1), rng)
    if what == "if":
        return m.either(m.relation(x, constant(b), rng), linear(a, y, 0.2), constant(a))
    if what == "table":
        xs = sorted({round(rng.uniform(-1, 1), 3) for _ in range(rng.randint(2, 5))} | {0.017})
        return m.table(x, xs, [round(rng.uniform(-1, 1), 3) for _ in xs])
    if what == "tanh":
        return smooth("tanh", math.tanh, linear(2 * a, x, b))
    if what == "product":
        return times(smooth("sin", math.sin, x), linear(a, y, b))
    if what == "sign":
        return linear(a, m.sign(linear(1, x, b), rng), 0.0)
    return plus(times(constant(a), x), times(constant(b), y))


def plant(m, rng, stop, signals):
    """A plant driven by a mix of signals; its state joins them."""
    name = m.name("p")
    start, rate = round(rng.uniform(-0.8, 0.8), 3), number(rng, 1 / stop, 12 / stop)
    u = mixed(m, rng, signals)
    what = rng.choice(["integrator", "lag", "cubic", "bonds", "implicit"])
    if what == "bonds":
        return oscillator(m, rng, stop, name, start, u)
    column, back = (f"{name}.y" if what == "integrator" else f"{name}.x"), len(m.states)
    kind = rng.choice(["relay", "thermostat", "hold", "filter", "none", "none"])
    m.states.append((column, start))
    m.rates.append(None)
    x = Ex(column, lambda s: s.x[back], False)
    if kind != "none":  # the plant's own state comes back in steps
        d = discrete_block(m, rng, stop, x, kind)
        u = plus(u, times(constant(-0.7), d))
    m.signals.append(f"{u.text} -> {name}.u")
    if what == "integrator":
        m.components.append(f"{name}: {{type: Integrator, k: {rate}, initial: {{y: {start}}}}}")
        m.rates[back] = lambda s: rate * u.value(s)
        return x
    law, value = {"lag": ("x", lambda x: x), "cubic": ("(0.3*x + x^3)", lambda x: 0.3 * x + x**3),
                  "implicit": ("z", implicit)}[what]
    variables = f"x: {{start: {start}}}" + (", z: {}" if what == "implicit" else "")
    more = ", 'z + 2*z^3 = x'" if what == "implicit" else ""
    m.types.append(f"T{name}: {{inputs: [u], variables: {{{variables}}}, "
                   f"equations: ['der(x) = {rate}*(u - {law})'{more}]}}")
    m.components.append(f"{name}: {{type: T{name}}}")
    m.rates[back] = lambda s: rate * (u.value(s) - value(s.x[back]))
    if what == "implicit":
        z = Ex(f"{name}.z", lambda s: implicit(s.x[back]), False)
        m.named.append((z.text, z))
    return x


def implicit(x):
    """z of z + 2 z^3 = x, by Cardano's formula for one real root."""
    return 2 / math.sqrt(6) * math.sinh(math.asinh(x * 1.5 * math.sqrt(6)) / 3)


def oscillator(m, rng, stop, name, start, u):
    """A source, a mass, a spring and a damper at one junction, with the energies of all."""
    w, r = number(rng, 2 / stop, 15 / stop), number(rng, 0.05, 0.8)
    mass, k = 1.0, w * w
    damper = r * w
    for letter, text in {"s": "type: Se", "j": "type: 1", "i": f"type: I, I: {mass}, initial: {{p: {start}}}",
                         "c": f"type: C, K: {k!r}, initial: {{q: 0.1}}", "r": f"type: R, R: {damper!r}"}.items():
        m.components.append(f"{name}{letter}: {{{text}}}")
        if letter != "j":
            m.bonds.append(f"{name}s -> {name}j" if letter == "s" else f"{name}j -> {name}{letter}")
    m.signals.append(f"{u.text} -> {name}s.e")
    at = len(m.states)
    m.states += [(f"{name}i.p", start), (f"{name}c.q", 0.1), (None, 0.0), (None, 0.0)]
    m.rates += [lambda s: u.value(s) - damper * s.x[at] - k * s.x[at + 1], lambda s: s.x[at],
                lambda s: u.value(s) * s.x[at], lambda s: damper * s.x[at]**2]
    m.energies += [(f"{name}s", "supplied", lambda s: s.x[at + 2]), (f"{name}r", "dissipated", lambda s: s.x[at + 3]),
                   (f"{name}i", "stored", lambda s: 0.5 * (s.x[at]**2 - start**2)),
                   (f"{name}c", "stored", lambda s: 0.5 * k * (s.x[at + 1]**2 - 0.01))]
    m.named += [(f"{name}r.e", Ex("", lambda s: damper * s.x[at])), (f"{name}s.e", u),
                (f"{name}i.e", Ex("", lambda s: u.value(s) - damper * s.x[at] - k * s.x[at + 1]))]
    return Ex(f"{name}c.q", lambda s: s.x[at + 1], False)


# ---- the model file and the comparison

CLUTTER = ["zz_p: {{type: Pulse, period: {0} s, width: {1} s}}", "zz_i: {{type: Integrator, initial: {{y: 0}}}}",
           "zz_h: {{type: SampleHold, period: {2} s}}"]


def drawn_machine(rng, stop):
    m = Machine()
    signals = [constant(round(rng.uniform(-1, 1), 3))]
    for _ in range(rng.randint(1, 3)):
        source = source_block if rng.random() < 0.4 else function_of_time
        signals.append(source(m, rng, stop))
    blocks = 0
    for _ in range(rng.randint(1, 3)):
        if len(m.whens) < 1 and m.states and rng.random() < 0.4:
            held = draw_when(m, rng, stop, signals[1:])
            if held:
                signals.append(held)
        signals.append(plant(m, rng, stop, signals))
        if blocks < 2 and rng.random() < 0.6:
            blocks += 1
            kind = rng.choice(["relay", "thermostat", "hold", "filter", "counter", "counter"])
            signals.append(discrete_block(m, rng, stop, linear(1, rng.choice(signals[1:]), 0.0), kind))
    if len(m.whens) < 2 and rng.random() < 0.5:
        draw_when(m, rng, stop, signals[1:])
    return m


@dataclass
class Style:
    tolerance: float
    interval: float
    shuffled: bool
    clutter: float  # a period of something unrelated, or 0


def write(m, style, stop, rng):
    parts, bonds, signals, whens = list(m.components), list(m.bonds), list(m.signals), [text for text, _ in m.whens]
    columns = [c for c, _ in m.states if c] + list(m.discrete) + [c for c, _ in m.named]
    types = list(m.types)
    if style.shuffled:
        for listed in (parts, bonds, signals, whens, columns, types):
            rng.shuffle(listed)
    if style.clutter:
        parts[1:1] = [line.format(style.clutter, style.clutter * 0.25, style.clutter * 0.75) for line in CLUTTER]
        signals += ["zz_p.y -> zz_i.u", "zz_i.y -> zz_h.u"]
    lines = ["model: signals", *(["types:"] + [f"  {t}" for t in types] if types else []), "components:"]
    lines += [f"  {p}" for p in parts]
    for key, entries in (("bonds", bonds), ("signals", [f'"{t}"' for t in signals]), ("when", whens)):
        lines += [f"{key}:"] + [f"  - {entry}" for entry in entries] if entries else []
    lines += [f"experiment: {{stop: {stop} s, interval: {style.interval!r} s, tolerance: {style.tolerance!r}}}",
              f"outputs: [{', '.join(columns)}]"]
    return "\n".join(lines) + "\n"


def matched(times, instants, tolerance, clutter):
    """The instants of the program's double rows: each the index of one of the oracle's, which are all there."""
    places, at = {}, 0
    for k in [k for k in range(len(times) - 1) if times[k] == times[k + 1]]:
        quarters = 4 * times[k] / clutter if clutter else 0.5  # something unrelated, but for what happens just then
        if abs(quarters - round(quarters)) < 1e-9 and all(abs(t - times[k]) > 1e-9 for t, _ in instants):
            continue
        near = min(range(at, len(instants)), key=lambda j: abs(instants[j][0] - times[k]), default=None)
        if near is not None and abs(instants[near][0] - times[k]) <= tolerance:
            missed = [t for t, shown in instants[at:near] if shown]
            if missed:
                raise family.Disagreement(f"no event at {missed}; the next is at {times[k]!r}")
            places[k], at = near, near + 1
        else:
            raise family.Disagreement(f"an event at {times[k]!r} that is none; next are {instants[at:at + 3]}")
    if any(shown for _, shown in instants[at:]):
        raise family.Disagreement(f"no event at {instants[at:]}")
    return places


def check_run(m, stretches, instants, style, stop, simulate, text):
    audit = simulate.folder / f"audit{simulate.runs + 1}.json"
    result = simulate(text, "--audit-json", str(audit))
    if result.status:
        raise family.Disagreement(f"status {result.status}: {result.messages[-1500:]}")
    size = max([1.0] + [abs(result.column(column)).max() for column, _ in m.states if column])
    times, coarse = result.column("time"), 50 * size * style.tolerance**0.9
    places = matched(times, instants, coarse * stop, style.clutter)
    worst, marks = 0.0, sorted(places.items())
    for row, t in enumerate(times):
        here = next((at + 1 for k, at in reversed(marks) if k < row), 0)
        last = next((at for k, at in marks if k >= row), len(instants))
        while here < last and t > stretches[here].stop:
            here += 1
        s = stretches[here].at(t)
        here_ends = row not in places and row - 1 not in places and any(abs(t - at) < 1e-9 * stop for at, _ in instants)
        worst = max(worst, compare_row(m, s, result, row, t, style, coarse, here_ends))
    elements = {e["name"]: e for e in json.loads(audit.read_text())["elements"]}
    last = stretches[-1].at(stop)
    for name, figure, value in m.energies:
        worst = max(worst, family.compare(f"{figure} of {name}", elements[name][figure], value(last),
                                          coarse * (1 + abs(value(last)))))
    return worst


def compare_row(m, s, result, row, t, style, coarse, here_ends):
    """States and discrete values by the oracle's course, algebraic results by the program's own states."""
    worst, where = 0.0, f"at {t} (row {row}) in {style}"
    for k, (column, _) in enumerate(m.states):
        if column:
            worst = max(worst, family.compare(f"{column} {where}", result.column(column)[row], s.x[k], coarse))
    for column in m.discrete:
        worst = max(worst, family.compare(f"{column} {where}", result.column(column)[row], s.d[column], coarse))
    own = s.copy()
    own.t = t
    own.x = [result.column(c)[row] if c else s.x[k] for k, (c, _) in enumerate(m.states)]
    own.d = {column: result.column(column)[row] for column in m.discrete}
    if here_ends:  # nothing but a result changes there: the row is of either side
        return worst
    if all(branch.event or branch.margin(own, held) > coarse for branch, held in zip(m.branches, s.held)):
        for column, expression in m.named:
            family.compare(f"{column} {where}", result.column(column)[row], expression.value(own), 1e-8)
    return worst


def draw(rng):
    stop = rng.choice([1.0, 2.0, 5.0, 10.0])
    m = drawn_machine(rng, stop)
    return m, stop, *course(m, stop)


def check(seed, simulate):
    (m, stop, stretches, instants), rng = family.drawn("signals", seed, draw, (Again, OverflowError))
    worst = 0.0
    for tolerance in (1e-9, 1e-6):
        style = Style(tolerance, stop / rng.choice([9, 25, 60, 100]), rng.random() < 0.7,
                      round(stop * rng.uniform(0.06, 0.3), 5) if rng.random() < 0.3 else 0.0)
        worst = max(worst, check_run(m, stretches, instants, style, stop, simulate, write(m, style, stop, rng)))
    return worst


if __name__ == "__main__":
    family.main(check)

"""Expressions with kinks and jumps: their text for the program, and for an oracle values on branches that are held.

Each comparison, floor, table and the like has a branch; an expression is smooth while all branches are held. A margin
says how far a branch is from ending.
"""
import math
from dataclasses import dataclass

from smooth.curves import number


class State:
    """Where the oracle stands: time, continuous and discrete values, branches."""

    def __init__(self, x, d):
        self.t, self.x, self.d, self.pre, self.held = 0.0, list(x), dict(d), dict(d), []

    def copy(self):
        other = State(self.x, self.d)
        other.t, other.held = self.t, list(self.held)
        return other


@dataclass
class Branch:
    """A choice: which it is now, how far it is from ending (positive while it holds), and what comes next."""
    now: object
    margin: object
    next: object
    timely: bool  # of time alone
    event: bool   # shown as an event by the program


@dataclass
class Ex:
    """An expression: its text, value for a State, whether it is of time alone."""
    text: str
    value: object
    timely: bool = True


def constant(c):
    return Ex(f"({c})", lambda s: c)


TIME = Ex("time", lambda s: s.t)


def plus(*terms):
    return Ex("(" + " + ".join(x.text for x in terms) + ")", lambda s: sum(x.value(s) for x in terms),
              all(x.timely for x in terms))


def times(a, b):
    return Ex(f"{a.text}*{b.text}", lambda s: a.value(s) * b.value(s), a.timely and b.timely)


def linear(a, x, b):
    """a x + b."""
    return Ex(f"({a}*{x.text} + ({b}))", lambda s: a * x.value(s) + b, x.timely)


def smooth(name, function, x):
    return Ex(f"{name}({x.text})", lambda s: function(x.value(s)), x.timely)


class Machine:
    """What the random machine is made of."""

    def __init__(self):
        self.branches, self.states, self.rates, self.discrete = [], [], [], {}
        self.blocks, self.whens, self.stops, self.samples = [], [], [], []
        self.components, self.types, self.signals, self.bonds, self.parameters = [], [], [], [], []
        self.named = []  # (column, expression): algebraic results
        self.energies = []  # (element, figure, index of its integral or function of start and end)

    # -- branches

    def branch(self, now, margin, following, timely, event):
        self.branches.append(Branch(now, margin, following, timely, event))
        return len(self.branches) - 1

    def relation(self, a, b, rng, event=True):
        """a > b or another way to write it."""
        timely = a.timely and b.timely
        k = self.branch(lambda s: a.value(s) > b.value(s),
                        lambda s, held: (a.value(s) - b.value(s)) * (1 if held else -1), lambda s, held: not held,
                        timely, event or timely)
        text = rng.choice([f"{a.text} > {b.text}", f"{b.text} < {a.text}", f"{a.text} >= {b.text}",
                           f"not ({a.text} <= {b.text})"])
        return Ex(text, lambda s: bool(s.held[k]), timely)

    def either(self, condition, a, b):
        return Ex(f"(if {condition.text} then {a.text} else {b.text})",
                  lambda s: a.value(s) if condition.value(s) else b.value(s),
                  condition.timely and a.timely and b.timely)

    def larger(self, a, b, rng):
        r = self.relation(a, b, rng, False)
        return Ex(f"max({a.text}, {b.text})", lambda s: (a if r.value(s) else b).value(s), a.timely and b.timely)

    def smaller(self, a, b, rng):
        r = self.relation(a, b, rng, False)
        return Ex(f"min({a.text}, {b.text})", lambda s: (b if r.value(s) else a).value(s), a.timely and b.timely)

    def absolute(self, a, rng):
        r = self.relation(a, constant(0.0), rng, False)
        return Ex(f"abs({a.text})", lambda s: a.value(s) if r.value(s) else -a.value(s), a.timely)

    def sign(self, a, rng):
        r = self.relation(a, constant(0.0), rng, False)
        return Ex(f"sign({a.text})", lambda s: 1 if r.value(s) else -1, a.timely)

    def whole(self, a, up, event=True):
        """floor, or ceil, which is one more between integers."""
        k = self.branch(lambda s: math.floor(a.value(s)),
                        lambda s, n: min(a.value(s) - n, n + 1 - a.value(s)),
                        lambda s, n: n - 1 if a.value(s) < n + 0.5 else n + 1, a.timely, event)
        return Ex(f"{'ceil' if up else 'floor'}({a.text})", lambda s: s.held[k] + up, a.timely)

    def table(self, a, xs, ys):
        """Straight lines between points, held beyond the ends."""
        ends = [-math.inf, *xs, math.inf]
        k = self.branch(lambda s: sum(x <= a.value(s) for x in xs),
                        lambda s, n: min(a.value(s) - ends[n], ends[n + 1] - a.value(s)),
                        lambda s, n: n - 1 if a.value(s) - ends[n] < ends[n + 1] - a.value(s) else n + 1,
                        a.timely, a.timely)

        def value(s):
            n = s.held[k]
            if n in (0, len(xs)):
                return ys[0] if n == 0 else ys[-1]
            return ys[n - 1] + (ys[n] - ys[n - 1]) * (a.value(s) - xs[n - 1]) / (xs[n] - xs[n - 1])
        return Ex(f"interpolate({a.text}, {xs}, {ys})", value, a.timely)

    # -- parts of the file

    def add_state(self, column, start, rate):
        self.states.append((column, start))
        self.rates.append(rate)
        k = len(self.states) - 1
        return Ex(column, lambda s: s.x[k], False)

    def add_discrete(self, column, start):
        self.discrete[column] = start
        return Ex(column, lambda s: s.d[column], False)

    def name(self, letter):
        self.count = getattr(self, "count", 0) + 1
        return f"{letter}{self.count}"

    def start(self):
        s = State([start for _, start in self.states], self.discrete)
        for branch in self.branches:  # what it reads comes before it
            s.held.append(branch.now(s))
        return s


# ---- functions of time

def wave(rng, stop):
    """A smooth function of time between about -1 and 1."""
    w, phase = number(rng, 1.5 / stop * 2, 40 / stop), round(rng.uniform(-3, 3), 3)
    inner = linear(w, TIME, phase)
    what = rng.choice(["sin", "cos", "sum", "fading", "chirp"])
    if what == "sum":
        return plus(smooth("sin", math.sin, inner), times(constant(number(rng, 0.2, 0.6)), smooth(
            "cos", math.cos, linear(number(rng, 3 / stop, 50 / stop), TIME, 0.3))))
    if what == "fading":
        return times(smooth("exp", math.exp, linear(-number(rng, 0.3 / stop, 2 / stop), TIME, 0.0)),
                     smooth("sin", math.sin, inner))
    if what == "chirp":
        return smooth("sin", math.sin, times(linear(number(rng, 2 / stop, 8 / stop), TIME, 0.7),
                                             linear(number(rng, 1 / stop, 4 / stop), TIME, 0.9)))
    return smooth(what, getattr(math, what), inner)


def function_of_time(m, rng, stop):
    """A function of time with kinks or jumps, by expression."""
    a, b = round(rng.uniform(-1.5, 1.5), 3), round(rng.uniform(-1.5, 1.5), 3)
    ramp = linear(number(rng, 1 / stop, 6 / stop), TIME, round(rng.uniform(-1, 1), 3))
    saw = plus(ramp, times(constant(-1), m.whole(ramp, 0))) if rng.random() < 0.5 else None
    what = rng.choice(["pwm", "saw", "saw", "abs", "clip", "sign", "table", "table of a wave", "window", "bump",
                       "stairs", "both", "duty"])
    level = constant(round(rng.uniform(-0.8, 0.8), 3))
    if what == "pwm":
        return m.either(m.relation(wave(rng, stop), level, rng), constant(a), wave(rng, stop))
    if what == "saw" and saw:
        return linear(a, saw, b)
    if what == "duty" and saw:
        return m.either(m.relation(saw, constant(round(rng.uniform(0.1, 0.9), 3)), rng), constant(a), constant(b))
    if what == "abs":
        return m.absolute(plus(wave(rng, stop), level), rng)
    if what == "clip":
        return m.smaller(constant(0.6), m.larger(constant(-0.4), wave(rng, stop), rng), rng)
    if what == "sign":
        return m.sign(plus(wave(rng, stop), level), rng)
    if what in ("table", "table of a wave"):
        xs = sorted({round(rng.uniform(-1, 1), 3) for _ in range(rng.randint(2, 6))} | {0.017})
        argument = wave(rng, stop) if what != "table" else linear(
            rng.choice([1, -1]) * number(rng, 1 / stop, 4 / stop), TIME, round(rng.uniform(-1, 1), 3))
        return m.table(argument, xs, [round(rng.uniform(-1, 1), 3) for _ in xs])
    if what == "window":
        t1, t2 = sorted(round(rng.uniform(0.05, 0.95) * stop, 4) for _ in range(2))
        r1, r2 = m.relation(TIME, constant(t1), rng), m.relation(TIME, constant(t2), rng)
        inside = Ex(f"{r1.text} and not ({r2.text})", lambda s: r1.value(s) and not r2.value(s))
        return m.either(inside, wave(rng, stop), constant(a))
    if what == "bump":
        centre, width = round(rng.uniform(0.2, 0.8) * stop, 4), number(rng, stop / 300, stop / 20)
        m.stops += [centre + k * width for k in (-5, -2, 0, 2, 5)]
        scaled = f"((time - {centre})/{width})"
        return Ex(f"{2 * abs(a)}*exp(-{scaled}^2)", lambda s: 2 * abs(a) * math.exp(-((s.t - centre) / width)**2))
    if what == "both":
        r1, r2 = m.relation(wave(rng, stop), level, rng), m.relation(wave(rng, stop), constant(0.1), rng)
        word = rng.choice(["and", "or"])
        joint = Ex(f"({r1.text}) {word} ({r2.text})",
                   lambda s: (r1.value(s) and r2.value(s)) if word == "and" else (r1.value(s) or r2.value(s)))
        return m.either(joint, constant(a), constant(b))
    return linear(a, m.whole(ramp, rng.choice([0, 1])), b)


def source_block(m, rng, stop):
    """A signal block of the library; returns what its law says."""
    name = m.name("w")
    a, b, t = round(rng.uniform(-1.5, 1.5), 3), round(rng.uniform(-1, 1), 3), round(rng.uniform(0.05, 0.9) * stop, 3)
    what = rng.choice(["Step", "Ramp", "Sine", "TimeTable", "Pulse", "Pulse"])
    if what == "Step":
        m.components.append(f"{name}: {{type: Step, height: {a}, start: {t} s, offset: {b}}}")
        law = m.either(m.relation(TIME, constant(t), rng), constant(a + b), constant(b))
    elif what == "Ramp":
        d = round(rng.uniform(0.05, 0.5) * stop, 3)
        m.components.append(f"{name}: {{type: Ramp, height: {a}, start: {t} s, duration: {d} s, offset: {b}}}")
        law = m.table(TIME, [t, t + d], [b, a + b])
    elif what == "Sine":
        f, phase = number(rng, 0.5 / stop, 8 / stop), round(rng.uniform(-3, 3), 3)
        m.components.append(f"{name}: {{type: Sine, amplitude: {a}, frequency: {f} Hz, phase: {phase}, offset: {b}, "
                            f"start: {t} s}}")
        begun = m.relation(TIME, constant(t), rng)
        law = Ex("", lambda s: b + a * math.sin((2 * math.pi * f * (s.t - t) if begun.value(s) else 0.0) + phase))
    elif what == "TimeTable":
        xs = sorted({round(rng.uniform(0, 1) * stop, 3) for _ in range(rng.randint(2, 7))} | {round(0.013 * stop, 3)})
        ys = [round(rng.uniform(-1, 1), 3) for _ in xs]
        m.components.append(f"{name}: {{type: TimeTable, table: {[list(p) for p in zip(xs, ys)]}, offset: {b}}}")
        law = m.table(TIME, xs, [y + b for y in ys])
    else:
        law = pulse(m, rng, stop, name, a, b)
    m.named.append((f"{name}.y", law))
    return Ex(f"{name}.y", law.value)


def pulse(m, rng, stop, name, a, b):
    """A train of trapezoids, from a sawtooth by floor."""
    period = round(stop / rng.uniform(1.5, 12), 3)
    start = round(rng.choice([1, -1]) * rng.uniform(0.02, 0.6) * stop, 3)
    shares = [rng.uniform(0.1, 0.3) if rng.random() < 0.5 else 0.0, rng.uniform(0.05, 0.4),
              rng.uniform(0.1, 0.25) if rng.random() < 0.5 else 0.0]
    rise, width, fall = (round(share * period, 4) for share in shares)
    m.components.append(f"{name}: {{type: Pulse, amplitude: {a}, period: {period} s, width: {width} s, "
                        f"rising: {rise} s, "
                        f"falling: {fall} s, start: {start} s, offset: {b}}}")
    begun = m.relation(TIME, constant(start), rng)
    past = linear(1, TIME, -start)
    n = m.whole(times(constant(1 / period), past), 0)
    since = plus(past, times(constant(-period), n))
    steps = [(m.relation(constant(end), since, rng), value) for end, value in [
        (rise, lambda r: r / rise), (rise + width, lambda r: 1.0),
        (rise + width + fall, lambda r: (rise + width + fall - r) / fall)] if end]

    def value(s):
        r = since.value(s)
        if not begun.value(s):
            return b
        for relation, height in steps:
            if relation.value(s):
                return b + a * height(r)
        return b
    return Ex("", value)

"""Increasing functions of one argument: their text for the program, their values and slopes for an oracle."""
import math
from dataclasses import dataclass

import numpy


@dataclass
class Term:
    """An increasing function of x: its text ({x} stands for x), values, slopes, and the text of its integral from 0;
    whether its slope jumps."""
    text: str
    value: object
    slope: object
    integral: str = None
    bends: bool = False


def number(rng, low, high):
    return round(math.exp(rng.uniform(math.log(low), math.log(high))), 3)


def straight(a):
    return Term(f"{a}*({{x}})", lambda x: a * x, lambda x: a, f"{a}/2*({{x}})^2")


def cubic(a):
    return Term(f"{a}*({{x}})^3", lambda x: a * x**3, lambda x: 3 * a * x * x, f"{a}/4*({{x}})^4")


def square(a):
    return Term(f"{a}*({{x}})*abs({{x}})", lambda x: a * x * abs(x), lambda x: 2 * a * abs(x),
                f"{a}/3*abs({{x}})^3")


def hyperbolic_tangent(a, w):
    return Term(f"{a}*tanh(({{x}})/{w})", lambda x: a * math.tanh(x / w), lambda x: a / w / math.cosh(x / w)**2,
                f"{a}*{w}*log(cosh(({{x}})/{w}))")


def hyperbolic_sine(a, w):
    return Term(f"{a}*sinh(({{x}})/{w})", lambda x: a * math.sinh(x / w), lambda x: a / w * math.cosh(x / w),
                f"{a}*{w}*(cosh(({{x}})/{w}) - 1)")


def exponential(a, w):
    return Term(f"{a}*(exp(({{x}})/{w}) - 1)", lambda x: a * math.expm1(x / w), lambda x: a / w * math.exp(x / w),
                f"{a}*({w}*(exp(({{x}})/{w}) - 1) - ({{x}}))")


def saturating(a, w):
    return Term(f"{a}*({{x}})/sqrt(1 + (({{x}})/{w})^2)", lambda x: a * x / math.hypot(1, x / w),
                lambda x: a / math.hypot(1, x / w)**3, f"{a}*{w}^2*(sqrt(1 + (({{x}})/{w})^2) - 1)")


def arctangent(a, w):
    return Term(f"{a}*atan(({{x}})/{w})", lambda x: a * math.atan(x / w), lambda x: a / w / (1 + (x / w)**2))


def logarithm(a, w):
    return Term(f"{a}*log(1 + abs({{x}})/{w})*sign({{x}})", lambda x: a * math.copysign(math.log1p(abs(x) / w), x),
                lambda x: a / (w + abs(x)))


def kinked(a, w, below):
    if below:
        return Term(f"{a}*min(0, ({{x}}) + {w})", lambda x: a * min(0, x + w), lambda x: a if x < -w else 0.0,
                    bends=True)
    return Term(f"{a}*max(0, ({{x}}) - {w})", lambda x: a * max(0, x - w), lambda x: a if x > w else 0.0, bends=True)


def table(xs, ys):
    def slope(x):
        k = int(numpy.searchsorted(xs, x))
        return (ys[k] - ys[k - 1]) / (xs[k] - xs[k - 1]) if 0 < k < len(xs) else 0.0
    return Term(f"interpolate({{x}}, {xs}, {ys})", lambda x: float(numpy.interp(x, xs, ys)), slope, bends=True)


def drawn_table(rng):
    xs, ys = [0.0], [0.0]
    for _ in range(rng.randint(1, 4)):
        xs.append(round(xs[-1] + number(rng, 0.2, 1.5), 3))
        ys.append(round(ys[-1] + number(rng, 0.1, 1.5), 3))
        xs.insert(0, round(xs[0] - number(rng, 0.2, 1.5), 3))
        ys.insert(0, round(ys[0] - number(rng, 0.1, 1.5), 3))
    return table(xs, ys)


CURVES = [lambda r: cubic(number(r, 0.05, 3)), lambda r: square(number(r, 0.1, 3)),
          lambda r: hyperbolic_tangent(number(r, 0.2, 2), number(r, 0.1, 1)),
          lambda r: hyperbolic_sine(number(r, 0.05, 0.5), number(r, 0.5, 1.5)),
          lambda r: exponential(number(r, 1e-3, 0.3), number(r, 0.25, 1)),
          lambda r: saturating(number(r, 0.3, 3), number(r, 0.2, 1)),
          lambda r: arctangent(number(r, 0.3, 2), number(r, 0.1, 1)),
          lambda r: logarithm(number(r, 0.3, 2), number(r, 0.1, 1)),
          lambda r: kinked(number(r, 0.3, 5), number(r, 0.05, 0.8), r.random() < 0.5), drawn_table]


class Law:
    """A sum of terms."""

    def __init__(self, terms):
        self.terms = terms

    def text(self, x):
        return " + ".join(term.text.format(x=x) for term in self.terms)

    def energy(self, x):
        """The text of the integral, or None."""
        if any(term.integral is None for term in self.terms):
            return None
        return " + ".join(term.integral.format(x=x) for term in self.terms)

    def bends(self):
        return any(term.bends for term in self.terms)

    def value(self, x):
        return sum(term.value(x) for term in self.terms)

    def slope(self, x):
        return sum(term.slope(x) for term in self.terms)


def drawn_law(rng, bare=0.0):
    """A straight line and up to two curves; of the share `bare` a cubic or a square alone."""
    if rng.random() < bare:
        return Law([rng.choice([cubic, square])(number(rng, 0.3, 3))])
    return Law([straight(number(rng, 0.2, 3))] + [rng.choice(CURVES)(rng) for _ in range(rng.choice([0, 1, 1, 2]))])


def root_of(law, y):
    """x of law(x) = y: bracketed, then bisected by the secant's side until nothing changes."""
    low, high = -1.0, 1.0
    while law.value(low) > y:
        low *= 2
    while law.value(high) < y:
        high *= 2
    x = 0.5 * (low + high)
    for _ in range(200):
        f = law.value(x) - y
        if not f:
            return x
        low, high = (x, high) if f < 0 else (low, x)
        newton = x - f / law.slope(x)
        middle = newton if low < newton < high else 0.5 * (low + high)
        if abs(middle - x) <= 1e-16 * abs(x):
            return middle
        x = middle
    return x

"""Numbers as a file may have them: in several units, by parameters, as functions of time."""
import math

UNITS = {
    "m": [("m", 1), ("cm", 1e-2), ("mm", 1e-3), ("", 1)],
    "m/s": [("m/s", 1), ("cm/s", 1e-2), ("km/h", 1 / 3.6), ("", 1)],
    "rad": [("rad", 1), ("deg", math.pi / 180), ("rev", 2 * math.pi), ("", 1)],
    "rad/s": [("rad/s", 1), ("deg/s", math.pi / 180), ("rpm", math.pi / 30), ("", 1)],
    "kg": [("kg", 1), ("g", 1e-3), ("", 1)],
    "kg.m2": [("kg.m2", 1), ("g.m2", 1e-3), ("kg.cm2", 1e-4), ("", 1)],
    "kg/m3": [("kg/m3", 1), ("g/cm3", 1e3), ("", 1)],
    "N": [("N", 1), ("mN", 1e-3), ("kN", 1e3), ("", 1)],
    "N.m": [("N.m", 1), ("N.cm", 1e-2), ("", 1)],
    "N/m": [("N/m", 1), ("N/cm", 1e2), ("", 1)],
    "N.s/m": [("N.s/m", 1), ("N.ms/mm", 1), ("", 1)],
    "N.m.s": [("N.m.s", 1), ("N.m.s/rad", 1), ("", 1)],
    "m/s2": [("m/s2", 1), ("cm/s2", 1e-2), ("", 1)],
    "1/m": [("1/m", 1), ("1/cm", 1e2), ("", 1)],
    "rad/rad": [("", 1)],
    "m/m": [("", 1)],
    "m/rad": [("m", 1), ("cm", 1e-2), ("", 1)],
    "rad/m": [("1/m", 1), ("rad/m", 1), ("", 1)],
    "1": [("", 1)],
}


class Quantities:
    """Draws texts of numbers; the parameters that it names along the way are the model's."""

    def __init__(self, random):
        self.random, self.parameters = random, {}

    def number(self, value, unit="1"):
        name, factor = self.random.choice(UNITS[unit])
        return f"{value / factor!r} {name}".strip()

    def text(self, value, unit="1", may_name=True):
        """The value as a number or by a parameter."""
        kind = self.random.random() if may_name else 1.0
        if kind > 0.3:
            return self.number(value, unit)
        name = f"given_{len(self.parameters)}"
        if kind > 0.15:
            self.parameters[name] = (self.number(value, unit), unit)
            return name
        self.parameters[name] = (self.number(value / 4, unit), unit)
        return self.random.choice([f"4*{name}", f"{name}*2^2", f"3*{name} + {name}", f"{name}/0.25"])

    def vector(self, values, unit="1", may_name=True):
        return "[" + ", ".join(self.text(v, unit, may_name) for v in values) + "]"


class Wave:
    """A smooth function of time with its integral and rate."""

    def __init__(self, random, size):
        self.kind = random.choice(["constant", "sine", "ramp", "decay"])
        self.a = round(random.uniform(-size, size), 3)
        self.b, self.c = round(random.uniform(1, 6), 3), round(random.uniform(-2, 2), 3)

    def text(self):
        return {"constant": repr(self.a), "sine": f"{self.a!r}*sin({self.b!r}*time + ({self.c!r}))",
                "ramp": f"{self.a!r}*(1 + {self.b!r}*time)", "decay": f"{self.a!r}*exp(-{self.b!r}*time)"}[self.kind]

    def __call__(self, t):
        a, b, c = self.a, self.b, self.c
        return {"constant": lambda: a, "sine": lambda: a * math.sin(b * t + c), "ramp": lambda: a * (1 + b * t),
                "decay": lambda: a * math.exp(-b * t)}[self.kind]()

    def rate(self, t):
        a, b, c = self.a, self.b, self.c
        return {"constant": lambda: 0.0, "sine": lambda: a * b * math.cos(b * t + c), "ramp": lambda: a * b,
                "decay": lambda: -a * b * math.exp(-b * t)}[self.kind]()

    def integral(self, t):
        """From 0 on."""
        a, b, c = self.a, self.b, self.c
        return {"constant": lambda: a * t, "sine": lambda: a / b * (math.cos(c) - math.cos(b * t + c)),
                "ramp": lambda: a * (t + b * t * t / 2), "decay": lambda: a / b * (1 - math.exp(-b * t))}[self.kind]()

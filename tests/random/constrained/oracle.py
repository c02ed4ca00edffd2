"""A mechanism in minimal coordinates with what is attached to its port and what stands beside it, integrated by
scipy's DOP853 at 1e-11 from event to event. An attachment is known here by the law its type documents.

State: q, dq/dt, then `extra` (current of the motor, speed of the flywheel, states of the circuit beside), then two
integrals: energy supplied by sources, energy dissipated. `mode` says which laws hold; it changes at events only.
"""
from dataclasses import dataclass, field
from math import sin

import numpy as np
from scipy.integrate import solve_ivp

TINY = 1e-12


@dataclass
class System:
    mechanism: object
    push: tuple  # amplitude, rate, time of a jump, its height
    R: float  # viscous loss at the port
    parts: dict  # kind: its figures
    stop: float
    mode: dict = field(default_factory=dict)
    lost: float = 0.0
    events: list = field(default_factory=list)


class Motion:
    """What the laws make of a state in the present mode."""

    def __init__(self, s, t, z):
        m, self.s, self.t, self.z = s.mechanism, s, t, z
        self.n = n = len(m.q)
        self.q, self.qd, self.extra = z[:n], z[n:2 * n], z[2 * n:-2]
        self.Y, self.J = m.place(self.q)
        self.B = m.bias(self.q, self.qd, self.Y, self.J)
        M = (self.J.T * m.D) @ self.J
        generalized = self.J.T @ (m.force(self.Y) - m.D * self.B)
        self.u = self.qd[0]
        self.sources, self.losses = 0.0, 0.0
        self.given = self.efforts()
        self.flywheel = s.parts["clutch"]["J"] if s.mode.get("clutch") else 0.0
        M[0, 0] += self.flywheel
        inverse = np.linalg.inv(M)
        self.mobility = inverse[:, 0]
        free = inverse @ generalized + self.mobility * self.given
        self.needed = -free[0] / self.mobility[0]  # what would hold the port at its speed
        self.held = s.mode.get("friction") == 0 or s.mode.get("lock") or s.mode.get("end") == "rest"
        self.holding = self.needed if self.held else 0.0
        self.qdd = free + self.mobility * self.holding

    def efforts(self):
        """All that acts on the port by known laws, positive forward; books what sources give and what is lost."""
        s, u = self.s, self.u
        amplitude, rate, jump, height = s.push
        source = amplitude * sin(rate * self.t) + (height if s.mode["pushed"] else 0.0)
        source += s.mode.get("sampled", 0.0) + s.mode.get("relay_effort", 0.0)
        self.sources += source * u
        self.losses += s.R * u * u
        e = source - s.R * u
        if "motor" in s.parts:
            e += s.parts["motor"]["k"] * self.extra[s.parts["motor"]["at"]]
        if s.mode.get("friction"):
            e -= s.mode["friction"] * s.parts["friction"]["level"]
            self.losses += s.parts["friction"]["level"] * abs(u)
        return e

    def port_effort(self):
        """On the mechanism itself, without what moves the flywheel."""
        return self.given + self.holding - self.flywheel * self.qdd[0]

    def rates(self):
        s, parts = self.s, self.s.parts
        extra = np.zeros(len(self.extra))
        for kind in ("motor", "contact", "rectifier", "ball"):
            if kind in parts:
                CIRCUITS[kind](self, parts[kind], extra)
        if "clutch" in parts and s.mode["clutch"]:
            extra[parts["clutch"]["at"]] = self.qdd[0]
        return np.concatenate([self.qd, self.qdd, extra, [self.sources, self.losses]])


def voltage(p, t):
    return p["U"] + p["ripple"] * sin(p["rate"] * t)


def motor(x, p, extra):
    """L di/dt = U - R i - k u, while current can flow."""
    i = x.extra[p["at"]]
    if x.s.mode["motor"]:
        U = voltage(p, x.t)
        extra[p["at"]] = (U - p["Rm"] * i - p["k"] * x.u) / p["L"]
        x.sources += U * i
        x.losses += p["Rm"] * i * i


def contact(x, p, extra):
    """A coil on a battery behind a contact that the mechanism works."""
    i = x.extra[p["at"]]
    if x.s.mode["contact"]:
        extra[p["at"]] = (p["U"] - p["Rc"] * i) / p["L"]
        x.sources += p["U"] * i
        x.losses += p["Rc"] * i * i


def rectifier(x, p, extra):
    """A capacitor with a load behind a diode with resistance, on an oscillating source."""
    v, U = x.extra[p["at"]], voltage(p, x.t)
    i = (U - v) / p["Ron"] if x.s.mode["rectifier"] else 0.0
    extra[p["at"]] = (i - v / p["load"]) / p["C"]
    x.sources += U * i
    x.losses += p["Ron"] * i * i + v * v / p["load"]


def ball(x, p, extra):
    h = p["at"]
    extra[h], extra[h + 1] = x.extra[h + 1], -9.81
    x.sources += -9.81 * p["m"] * x.extra[h + 1]


CIRCUITS = {"motor": motor, "contact": contact, "rectifier": rectifier, "ball": ball}


def conditions(s):
    """What to look out for in the present mode: name, function of t and z, direction."""
    n, found = len(s.mechanism.q), []
    for name, watch in WATCHED.items():
        if name in s.parts and (name != "motor" or s.parts[name].get("diode")):
            function, way = watch(s, s.parts[name], n)
            found.append((name, function, way))
    return found


def watch_friction(s, p, n):
    if s.mode["friction"]:
        return lambda t, z: z[n], -s.mode["friction"]
    return lambda t, z: abs(Motion(s, t, z).needed) - p["static"], 1


def watch_end(s, p, n):
    if s.mode["end"] == "rest":
        return lambda t, z: p["side"] * Motion(s, t, z).needed, 1
    return lambda t, z: p["side"] * (z[0] - p["limit"]), 1


def measured(s, z):
    return s.mechanism.measured(s.mechanism.place(z[:len(s.mechanism.q)])[0])


def watch_relay(s, p, n):
    level, way = (p["opens"], -1) if s.mode["relay"] else (p["closes"], 1)
    return lambda t, z: measured(s, z) - level, way


def watch_contact(s, p, n):
    return lambda t, z: measured(s, z) - p["level"], 1 if s.mode["contact"] else -1


def watch_motor(s, p, n):
    if s.mode["motor"]:
        return lambda t, z: z[2 * n + p["at"]], -1
    return lambda t, z: voltage(p, t) - p["k"] * z[n], 1


def watch_rectifier(s, p, n):
    return lambda t, z: voltage(p, t) - z[2 * n + p["at"]], -1 if s.mode["rectifier"] else 1


def watch_ball(s, p, n):
    return lambda t, z: z[2 * n + p["at"]], -1


WATCHED = {"friction": watch_friction, "end": watch_end, "relay": watch_relay, "contact": watch_contact,
           "motor": watch_motor, "rectifier": watch_rectifier, "ball": watch_ball}


def impulse(s, t, z, change):
    """The port's speed changes so by an impulse at the port; gives the impulse."""
    n, x = len(s.mechanism.q), Motion(s, t, z)
    z[n:2 * n] += x.mobility / x.mobility[0] * change
    return change / x.mobility[0]


def happen(s, name, t, z):
    """The event `name`; modes that forces decide are settled afterwards."""
    n, p = len(s.mechanism.q), s.parts.get(name)
    if name == "friction":
        if s.mode["friction"]:
            s.mode["friction"] = 0
            z[n] = 0.0
        else:
            s.mode["friction"] = -int(np.sign(Motion(s, t, z).needed))
    elif name == "end":
        if s.mode["end"] == "rest":
            s.mode["end"] = "free"
        else:
            u = z[n]
            rests = p["restitution"] * abs(u) <= 1e-4
            J = impulse(s, t, z, -u if rests else -(1 + p["restitution"]) * u)
            s.lost -= J * 0.5 * (u + z[n])
            s.mode["end"] = "rest" if rests else "free"
            # A hair off the limit while it flies: the next impact is the only root then, in a step however long.
            z[0] = p["limit"] - (0.0 if rests else 1e-13 * p["side"])
    elif name == "relay":
        s.mode["relay"] = not s.mode["relay"]
        s.mode["relay_effort"] = p["high"] if s.mode["relay"] else p["low"]
    elif name == "contact":
        if s.mode["contact"]:
            s.lost += 0.5 * p["L"] * z[2 * n + p["at"]] ** 2
            z[2 * n + p["at"]] = 0.0
        s.mode["contact"] = not s.mode["contact"]
    elif name == "motor":
        if s.mode["motor"]:
            s.lost += 0.5 * p["L"] * z[2 * n + p["at"]] ** 2  # a diode opens without current, a switch with
            z[2 * n + p["at"]] = 0.0
        s.mode["motor"] = not s.mode["motor"]
    elif name == "rectifier":
        s.mode["rectifier"] = not s.mode["rectifier"]
    elif name == "ball":
        v = z[2 * n + p["at"] + 1]
        s.lost += 0.5 * p["m"] * v * v * (1 - p["restitution"] ** 2)
        z[2 * n + p["at"] + 1] = -p["restitution"] * v
        z[2 * n + p["at"]] = 1e-13
    elif name == "lock":
        if not s.mode["lock"]:
            u = z[n]
            s.lost -= 0.5 * u * impulse(s, t, z, -u)
        s.mode["lock"] = not s.mode["lock"]
    elif name == "clutch":
        if not s.mode["clutch"]:
            V, u = z[2 * n + p["at"]], z[n]
            inertia = 1 / Motion(s, t, z).mobility[0]
            common = (inertia * u + p["J"] * V) / (inertia + p["J"])
            impulse(s, t, z, common - u)
            z[2 * n + p["at"]] = common
            s.lost += 0.5 * inertia * p["J"] / (inertia + p["J"]) * (u - V) ** 2
        s.mode["clutch"] = not s.mode["clutch"]
    elif name == "sampled":
        s.mode["sampled"] = -p["K"] * measured(s, z)
    elif name == "push":
        s.mode["pushed"] = True
    elif name == "share":
        s.lost += 0.5 * p["C1"] * p["C2"] / (p["C1"] + p["C2"]) * p["U"] ** 2


def settle(s, t, z):
    """Modes that the forces of this instant decide."""
    n = len(s.mechanism.q)
    if s.mode.get("friction") == 0:
        needed = Motion(s, t, z).needed
        if abs(needed) > s.parts["friction"]["static"] * (1 + TINY):
            s.mode["friction"] = -int(np.sign(needed))
    if s.mode.get("end") == "rest" and s.parts["end"]["side"] * Motion(s, t, z).needed > TINY:
        s.mode["end"] = "free"
    p = s.parts.get("motor", {})
    if p.get("diode") and not s.mode["motor"] and voltage(p, t) - p["k"] * z[n] > TINY:
        s.mode["motor"] = True


def timetable(s):
    """Instants that are known beforehand, with what happens then."""
    table = [(s.push[2], "push")] if s.push[3] else []
    for name in ("lock", "clutch", "motor", "share"):
        table += [(t, name) for t in s.parts.get(name, {}).get("times", [])]
    if "sampled" in s.parts:
        T = s.parts["sampled"]["T"]
        table += [(k * T, "sampled") for k in range(1, int(s.stop / T + 2))]
    return sorted((t, name) for t, name in table if t < s.stop)


def longest_step(s):
    """Short enough that no diode opens and closes inside one."""
    return min(0.05, 0.2 / max(s.parts.get(kind, {}).get("rate", 0.1) for kind in ("motor", "rectifier")))


def run(s, z, grid):
    """States at the times of the grid as list of Motions with their rates; events that the state decides in
    s.events."""
    rows, t, table = [], 0.0, timetable(s)
    settle(s, t, z)
    while t < s.stop:
        end = table[0][0] if table else s.stop
        watched = conditions(s)
        functions = []
        for name, function, way in watched:
            def event(at, y, function=function):
                return function(at, y)
            event.terminal, event.direction = True, way
            functions.append(event)
        done = solve_ivp(lambda at, y: Motion(s, at, y).rates(), (t, end), z, method="DOP853", rtol=1e-11, atol=1e-12,
                         events=functions, dense_output=True, max_step=longest_step(s))
        if done.status < 0:
            raise RuntimeError(done.message)
        reached = done.t[-1]
        rows += [at_row(s, g, done.sol(g)) for g in grid if t < g < reached or g == t == 0.0 or g == reached == s.stop]
        z, t = done.y[:, -1].copy(), reached
        if done.status == 1:
            name = next(watched[k][0] for k in range(len(watched)) if len(done.t_events[k]))
            s.events.append((t, name))
            happen(s, name, t, z)
        while table and table[0][0] <= t:
            happen(s, table.pop(0)[1], t, z)
        settle(s, t, z)
    return rows, z


def at_row(s, t, z):
    x = Motion(s, t, z)
    x.rates()
    return x

"""Mechanisms with conditions between their coordinates beside and under all that changes at events.

A mechanism (pendulums in x and y, beads on curves, slider-crank, four-bar linkages, ropes, gears, rolling, carriage) is
written as an own type with one unknown force for each condition, so its index is 3. At its port stands a source, and,
as the seed says: a motor behind a switch or a diode, a sampled controller, a relay; dry friction, an end stop, a lock
or a clutch with a flywheel; beside it a contact that the mechanism works, a rectifier, a bouncing ball, capacitors that
share their charge, a counter. Coordinates, rates, the conditions' forces, circuit, instants of events and energies are
compared with the same system in minimal coordinates (constrained/oracle.py). The seed also shuffles lines, turns arrows
round, renames, writes values in other units and puts everything into one own type.
"""
import json
import re

import numpy as np
from constrained import mechanisms, oracle

import family

UNITS = {"kg": ("g", 1e3), "m": ("mm", 1e3), "N": ("mN", 1e3), "N.m": ("kN.m", 1e-3), "kg.m2": ("g.m2", 1e3),
         "ohm": ("kohm", 1e-3), "H": ("mH", 1e3), "V": ("mV", 1e3), "F": ("uF", 1e6), "N/m": ("N/cm", 1e-2)}
PORTS = {"rotational": ("N.m", "rad/s", "rad", "kg.m2"), "translational": ("N", "m/s", "m", "kg")}


class Text:
    """The model as it is collected: lines, and the columns to compare with what the oracle says of a state."""

    def __init__(self, random):
        self.random, self.types, self.components, self.bonds, self.signals = random, {}, {}, [], []
        self.columns = {}

    def value(self, value, unit):
        other = UNITS.get(unit)
        if other and self.random.random() < 0.3:
            return f"{value * other[1]!r} {other[0]}"
        return f"{value!r} {unit}".removesuffix(" 1")

    def add(self, name, *parts):
        self.components[name] = "{" + ", ".join(parts) + "}"

    def written(self, stop, tolerance):
        """The lines in an order of the seed's, names as it likes, arrows of elements either way, flat or nested."""
        r = self.random
        bonds = [" -> ".join(reversed(b.split(" -> "))) if b.split(" -> ")[-1] in ONE_PORTS and r.random() < 0.2 else b
                 for b in self.bonds]
        components = list(self.components.items())
        for part in (bonds, components, self.signals):
            r.shuffle(part)
        nested = r.random() < 0.3
        body = ["components:", *(f"  {n}: {text}" for n, text in components), "bonds:", *(f"  - {b}" for b in bonds)]
        if self.signals:
            body += ["signals:", *(f"  - {s}" for s in self.signals)]
        lines = ["model: combination", "types:"]
        for name, content in self.types.items():
            lines += [f"  {name}:"]
            for key, value in content.items():
                if isinstance(value, list):
                    r.shuffle(value)
                    opening, closing = "{}" if key == "variables" else "[]"
                    quoted = value if key == "variables" else [f'"{v}"' for v in value]
                    value = opening + ", ".join(quoted) + closing
                lines += [f"    {key}: {value}"]
        if nested:
            lines += ["  All:", *("    " + line for line in body), "components: {k_all: {type: All}}"]
        else:
            lines += body
        before = "k_all." if nested else ""
        outputs = ", ".join(f'"{before}{name}"' for name in self.columns)
        lines += [f"outputs: [{outputs}]",
                  f"experiment: {{stop: {stop!r} s, tolerance: {tolerance!r}, interval: {stop / 30!r} s}}"]
        text, letters = "\n".join(lines) + "\n", list("abcdefghijklmnopqrstuvwxyz")
        r.shuffle(letters)
        names = {n: f"{letters[i % 26]}{i}" for i, n in enumerate(sorted(set(re.findall(r"\bk_\w+", text))))}
        rename = (lambda t: re.sub(r"\bk_\w+", lambda found: names[found.group()], t)) if r.random() < 0.5 else str
        return rename(text), {rename(before + name): of for name, of in self.columns.items()}


ONE_PORTS = {"k_push", "k_loss", "k_supply", "k_Rm", "k_La", "k_sw", "k_fr", "k_stop", "k_lock", "k_wheel", "k_cs",
             "k_cr", "k_cl", "k_csw", "k_src", "k_d", "k_cap", "k_load", "k_bi", "k_bs", "k_C1", "k_C2", "k_share"}


def mechanism(text, m):
    """The own type, with all start values or those that determine the others, of which guesses are near."""
    r, n = text.random, len(m.q)
    Y, J = m.place(m.q)
    V = J @ m.qd
    text.types["Mechanism"] = mechanisms.type_text(m)
    exact, near = [], []
    everything = r.random() < 0.5
    for (name, _), y, v in zip(m.coordinates, Y, V):
        if everything or name in m.independent:
            exact += [f"{name}: {y!r}", f"v_{name}: {v!r}"]
        else:
            near += [f"{name}: {y + m.guessed * r.uniform(-1, 1)!r}"]
    parts = [f"type: Mechanism, initial: {{{', '.join(exact)}}}"]
    if near:
        parts.append(f"guess: {{{', '.join(near)}}}")
    text.add("k_m", *parts, *(f"{k}: {text.value(v, u)}" for k, (v, u) in m.parameters.items()))
    text.components["k_drive"] = "{type: 1}"
    text.bonds.append("k_drive -> k_m.p")
    for i, (name, _) in enumerate(m.coordinates):
        text.columns[f"k_m.{name}"] = lambda x, i=i: x.Y[i]
        text.columns[f"k_m.v_{name}"] = lambda x, i=i: (x.J @ x.qd)[i]
    for k in range(len(m.conditions)):
        text.columns[f"k_m.F{k + 1}"] = lambda x, k=k: m.reactions(x.Y, x.J @ x.qdd + x.B, x.port_effort())[k]


def drive(text, s, scale):
    """The source at the port with its jump, and the loss."""
    effort, flow = PORTS[s.mechanism.domain][:2]
    amplitude, rate, jump, height = s.push
    e = f"{amplitude!r}*sin({rate!r}*time)" if not height else (
        f"{amplitude!r}*sin({rate!r}*time) + (if time > {jump!r} then {height!r} else 0)")
    text.add("k_push", "type: Se", f'e: "{e}"')
    text.bonds.append("k_push -> k_drive")
    if s.R:
        text.add("k_loss", "type: R", f"R: {s.R!r} {effort}.s" + ("/m" if effort == "N" else ""))
        text.bonds.append("k_drive -> k_loss")
    s.mode["pushed"] = False


def add_motor(text, s, scale, z):
    """Coil, resistance and emf on a battery behind a switch, or on an oscillating source behind a diode."""
    r = text.random
    diode = r.random() < 0.5
    p = {"k": float(r.uniform(0.3, 1)) * scale ** 0.5, "Rm": float(r.uniform(0.5, 3)), "L": float(r.uniform(0.02, 0.3)),
         "U": float(r.uniform(-4, 8)) if diode else float(r.uniform(3, 12)), "ripple": 0.0, "rate": 0.0, "at": len(z)}
    u = float(s.mechanism.qd[0])
    if diode:
        p |= {"diode": True, "ripple": float(r.uniform(4, 12)), "rate": float(r.uniform(8, 40))}
        s.mode["motor"] = p["U"] - p["k"] * u > 0
        text.add("k_sw", "type: D")
    else:
        p["times"] = sorted(float(t) for t in r.uniform(0.05, 0.95, 2) * s.stop)
        s.mode["motor"] = False
        text.add("k_sw", "type: Sw", f'open: "time < {p["times"][0]!r} or time > {p["times"][1]!r}"')
    z.append(0.0)
    s.parts["motor"] = p
    text.add("k_supply", "type: Se", f'e: "{p["U"]!r} + {p["ripple"]!r}*sin({p["rate"]!r}*time)"')
    text.add("k_Rm", "type: R", f"R: {text.value(p['Rm'], 'ohm')}")
    text.add("k_La", "type: I", f"I: {text.value(p['L'], 'H')}", "initial: {f: 0 A}")
    text.add("k_gy", "type: GY", f"r: {p['k']!r}")
    text.components["k_loop"] = "{type: 1}"
    text.bonds += ["k_supply -> k_loop", "k_loop -> k_Rm", "k_loop -> k_La", "k_loop -> k_sw", "k_loop -> k_gy.p1",
                   "k_gy.p2 -> k_drive"]
    text.columns["k_La.f"] = lambda x: x.extra[p["at"]]


def add_sampled(text, s, scale, z):
    p = {"K": scale * float(text.random.uniform(0.5, 2)), "T": float(text.random.uniform(0.03, 0.2))}
    s.parts["sampled"] = p
    s.mode["sampled"] = -p["K"] * s.mechanism.measured(s.mechanism.place(s.mechanism.q)[0])
    text.types["Controller"] = {"parameters": "{K: 1}", "inputs": "[u]", "outputs": "{y: {type: real}}",
                                "equations": [f"y = if sample(0, {p['T']!r}) then -K*u else pre(y)"]}
    text.add("k_control", "type: Controller", f"K: {p['K']!r}")
    text.components["k_force"] = "{type: Se}"
    text.bonds.append("k_force -> k_drive")
    text.signals += ["k_m.c -> k_control.u", "k_control.y -> k_force.e"]


def add_relay(text, s, scale, z):
    c = s.mechanism.measured(s.mechanism.place(s.mechanism.q)[0])
    gap = sorted(float(c) + text.random.choice([-1, 1]) * text.random.uniform(0.02, 0.2, 2))
    p = {"opens": float(gap[0]), "closes": float(gap[1]), "high": -scale * float(text.random.uniform(0.3, 1)),
         "low": scale * float(text.random.uniform(0, 0.5))}
    s.parts["relay"] = p
    s.mode["relay"] = bool(c > p["closes"])
    s.mode["relay_effort"] = p["high"] if s.mode["relay"] else p["low"]
    text.add("k_relay", "type: Relay", f"closes_above: {p['closes']!r}", f"opens_below: {p['opens']!r}",
             f"high: {p['high']!r}", f"low: {p['low']!r}")
    text.components["k_force"] = "{type: Se}"
    text.bonds.append("k_force -> k_drive")
    text.signals += ["k_m.c -> k_relay.u", "k_relay.y -> k_force.e"]


def add_friction(text, s, scale, z):
    level = scale * float(text.random.uniform(0.1, 0.7))
    s.parts["friction"] = p = {"level": level, "static": level * float(text.random.uniform(1, 1.5))}
    if text.random.random() < 0.5:
        s.mechanism.qd[:] = 0.0
    s.mode["friction"] = int(np.sign(s.mechanism.qd[0]))
    unit = PORTS[s.mechanism.domain][0]
    text.add("k_fr", "type: Friction", f"level: {text.value(p['level'], unit)}",
             f"static: {text.value(p['static'], unit)}")
    text.bonds.append("k_drive -> k_fr")


def add_end(text, s, scale, z):
    side = int(text.random.choice([-1, 1]))
    p = {"side": side, "limit": float(s.mechanism.q[0]) + side * float(text.random.uniform(0.02, 0.4)),
         "restitution": float(text.random.choice([0.0, 0.4, 0.8, 1.0]))}
    s.parts["end"] = p
    s.mode["end"] = "free"
    unit = PORTS[s.mechanism.domain][2]
    text.add("k_stop", "type: EndStop", f"{'upper' if side > 0 else 'lower'}: {text.value(p['limit'], unit)}",
             f"restitution: {p['restitution']!r}", f"initial: {{q: {float(s.mechanism.q[0])!r} {unit}}}")
    text.bonds.append("k_drive -> k_stop")
    text.columns["k_stop.q"] = lambda x: x.q[0]


def add_lock(text, s, scale, z):
    times = sorted(float(t) for t in text.random.uniform(0.05, 0.95, 2) * s.stop)
    s.parts["lock"] = {"times": times}
    s.mode["lock"] = False
    text.add("k_lock", "type: Lock", f'locked: "time > {times[0]!r} and time < {times[1]!r}"')
    text.bonds.append("k_drive -> k_lock")


def add_clutch(text, s, scale, z):
    r = text.random
    p = {"J": float(r.uniform(0.05, 1)), "at": len(z),
         "times": sorted(float(t) for t in r.uniform(0.05, 0.95, 2) * s.stop)}
    s.parts["clutch"] = p
    s.mode["clutch"] = False
    _, flow, _, inertia = PORTS[s.mechanism.domain]
    V = float(r.uniform(-3, 3))
    z.append(V)
    text.add("k_lock", "type: Lock", f'locked: "time > {p["times"][0]!r} and time < {p["times"][1]!r}"')
    text.add("k_wheel", "type: I", f"I: {text.value(p['J'], inertia)}", f"initial: {{f: {V!r} {flow}}}")
    text.components["k_between"] = "{type: 0}"
    text.bonds += ["k_drive -> k_between", "k_between -> k_wheel", "k_between -> k_lock"]
    text.columns["k_wheel.f"] = lambda x: x.extra[p["at"]]


def add_contact(text, s, z):
    r = text.random
    c = s.mechanism.measured(s.mechanism.place(s.mechanism.q)[0])
    p = {"U": float(r.uniform(1, 10)), "Rc": float(r.uniform(0.5, 3)), "L": float(r.uniform(0.05, 0.5)), "at": len(z),
         "level": float(c) + float(r.choice([-1, 1]) * r.uniform(0.02, 0.3))}
    s.parts["contact"] = p
    s.mode["contact"] = bool(c < p["level"])
    z.append(0.0)
    text.add("k_cs", "type: Se", f"e: {text.value(p['U'], 'V')}")
    text.add("k_cr", "type: R", f"R: {text.value(p['Rc'], 'ohm')}")
    text.add("k_cl", "type: I", f"I: {text.value(p['L'], 'H')}", "initial: {f: 0 A}")
    text.add("k_csw", "type: Sw", f'open: "k_m.c > {p["level"]!r}"')
    text.components["k_cj"] = "{type: 1}"
    text.bonds += ["k_cs -> k_cj", "k_cj -> k_cr", "k_cj -> k_cl", "k_cj -> k_csw"]
    text.columns["k_cl.f"] = lambda x: x.extra[p["at"]]


def add_rectifier(text, s, z):
    r = text.random
    p = {"U": 0.0, "ripple": float(r.uniform(5, 20)), "rate": float(r.uniform(10, 60)), "Ron": float(r.uniform(0.5, 2)),
         "C": float(r.uniform(1e-3, 1e-2)), "load": float(r.uniform(10, 100)), "at": len(z)}
    v = float(r.uniform(1, 5))
    s.parts["rectifier"] = p
    s.mode["rectifier"] = False
    z.append(v)
    text.add("k_src", "type: Se", f'e: "{p["ripple"]!r}*sin({p["rate"]!r}*time)"')
    text.add("k_d", "type: D", f"Ron: {text.value(p['Ron'], 'ohm')}")
    text.add("k_cap", "type: C", f"C: {text.value(p['C'], 'F')}", f"initial: {{e: {v!r} V}}")
    text.add("k_load", "type: R", f"R: {text.value(p['load'], 'ohm')}")
    text.components |= {"k_line": "{type: 1}", "k_node": "{type: 0}"}
    text.bonds += ["k_src -> k_line", "k_line -> k_d", "k_line -> k_node", "k_node -> k_cap", "k_node -> k_load"]
    text.columns["k_cap.e"] = lambda x: x.extra[p["at"]]


def add_ball(text, s, z):
    r = text.random
    h = float(r.uniform(0.3, 2))
    p = {"m": float(r.uniform(0.1, 1)), "restitution": float(r.uniform(0.7, 0.95)), "at": len(z)}
    s.parts["ball"] = p
    z += [h, 0.0]
    text.add("k_bw", "type: Se", f"e: {-9.81 * p['m']!r} N")
    text.add("k_bi", "type: I", f"I: {text.value(p['m'], 'kg')}", "initial: {f: 0 m/s}")
    text.add("k_bs", "type: EndStop", "lower: 0 m", f"restitution: {p['restitution']!r}", f"initial: {{q: {h!r} m}}")
    text.components["k_bj"] = "{type: 1}"
    text.bonds += ["k_bw -> k_bj", "k_bj -> k_bi", "k_bj -> k_bs"]
    text.columns |= {"k_bs.q": lambda x: x.extra[p["at"]], "k_bi.f": lambda x: x.extra[p["at"] + 1]}


def add_share(text, s, z):
    r = text.random
    p = {"C1": float(r.uniform(0.5, 2)), "C2": float(r.uniform(0.5, 2)), "U": float(r.uniform(1, 10)),
         "times": [float(r.uniform(0.1, 0.9)) * s.stop]}
    s.parts["share"] = p
    text.add("k_C1", "type: C", f"C: {text.value(p['C1'], 'F')}", f"initial: {{e: {text.value(p['U'], 'V')}}}")
    text.add("k_C2", "type: C", f"C: {text.value(p['C2'], 'F')}", "initial: {e: 0 V}")
    text.add("k_share", "type: Sw", f'open: "time < {p["times"][0]!r}"')
    text.components |= {"k_node": "{type: 0}", "k_line": "{type: 1}"}
    text.bonds += ["k_node -> k_C1", "k_node -> k_line", "k_line -> k_share", "k_line -> k_C2"]
    after = p["U"] * p["C1"] / (p["C1"] + p["C2"])
    text.columns["k_C2.e"] = lambda x: after if x.t > p["times"][0] else 0.0


def add_counter(text, s, z):
    T = float(text.random.uniform(0.02, 0.1))
    text.types["Counter"] = {"outputs": "{n: {type: integer}}",
                             "equations": [f"n = if sample(0, {T!r}) then pre(n) + 1 else pre(n)"]}
    text.components["k_count"] = "{type: Counter}"
    text.columns["k_count.n"] = lambda x: int(x.t / T) + 1


DRIVERS = [add_motor, add_sampled, add_relay, None]
HOLDERS = [add_friction, add_end, add_lock, add_clutch, None]
BESIDE = [add_contact, add_rectifier, add_ball, add_share, add_counter, None]


def draw(seed):
    """System for the oracle, its start, and the text; the parts run through all combinations as seeds follow."""
    random = np.random.default_rng(seed)
    m = mechanisms.KINDS[seed % len(mechanisms.KINDS)](random)
    Y, J = m.place(m.q)
    scale = max(float(np.linalg.norm(J.T @ m.force(Y))), 0.5)
    jumps = random.random() < 0.4
    s = oracle.System(m, (0.5 * scale * float(random.uniform(0, 1)), float(random.uniform(1, 10)),
                          float(random.uniform(0.1, 1)), scale * float(random.uniform(-0.7, 0.7)) if jumps else 0.0),
                      float(random.uniform(0.02, 0.2)) * scale if random.random() < 0.4 else 0.0, {},
                      float(random.uniform(0.8, 1.5)))
    text, extra = Text(random), []
    holder = HOLDERS[seed // len(mechanisms.KINDS) % len(HOLDERS)]
    if holder:
        holder(text, s, scale, extra)
    driver = DRIVERS[random.integers(len(DRIVERS))]
    if driver:
        driver(text, s, scale, extra)
    beside = BESIDE[random.integers(len(BESIDE))]
    if beside:
        beside(text, s, extra)
    mechanism(text, m)
    drive(text, s, scale)
    kind = " + ".join([m.kind, *(part.__name__[4:] for part in (holder, driver, beside) if part)])
    return s, np.concatenate([m.q, m.qd, extra, [0, 0]]), text, kind


def stored(s, z):
    """Energy in the mechanism and in the storages of what is attached."""
    m, n, p = s.mechanism, len(s.mechanism.q), s.parts
    Y, J = m.place(z[:n])
    extra = z[2 * n:]
    energy = m.energy(Y, J @ z[n:2 * n])
    for kind in ("motor", "contact"):
        energy += 0.5 * p[kind]["L"] * extra[p[kind]["at"]] ** 2 if kind in p else 0
    energy += 0.5 * p["clutch"]["J"] * extra[p["clutch"]["at"]] ** 2 if "clutch" in p else 0
    energy += 0.5 * p["rectifier"]["C"] * extra[p["rectifier"]["at"]] ** 2 if "rectifier" in p else 0
    energy += 0.5 * p["ball"]["m"] * extra[p["ball"]["at"] + 1] ** 2 if "ball" in p else 0
    return energy


def check(seed, simulate):
    s, z, text, kind = draw(seed)
    grid = s.stop / 30 * np.arange(31)
    # Three links are chaotic: what the solver leaves grows by a factor of 1000 within a run.
    model, columns = text.written(s.stop, 1e-11 if s.mechanism.kind == "chain3" else 1e-10)
    begin = stored(s, z)
    rows, end = oracle.run(s, z.copy(), grid)
    audit = simulate.folder / "audit.json"
    result = simulate(model, "--audit-json", str(audit))
    if result.status:
        raise family.Disagreement(f"{kind}: {result.messages[:600]}")
    try:
        return agree(s, result, columns, rows, stored(s, end) - begin, end, json.loads(audit.read_text())["balance"])
    except family.Disagreement as found:
        raise family.Disagreement(f"{kind}: {found}") from None


def agree(s, result, columns, rows, gained, end, balance):
    """Compares all columns away from events, instants of events, and energies; the worst in units of what is
    allowed."""
    time, worst = result.column("time"), 0.0
    twice = time[1:][np.diff(time) == 0]
    for t, name in s.events:
        worst = max(worst, family.compare(f"instant of {name}", min(abs(twice - t), default=1.0), 0.0, 1e-5) / 1e-5)
    known = [t for t, _ in s.events] + list(twice)
    rows = [x for x in rows if min((abs(x.t - t) for t in known), default=1.0) > 1e-4]
    places = [int(np.argmin(abs(time - x.t))) for x in rows]
    family.compare("times", time[places], [x.t for x in rows], 1e-9)
    for name, of in columns.items():
        expected = np.array([of(x) for x in rows])
        allowed = 1e-5 * max(1e-2, float(abs(expected).max(initial=0.0)))
        worst = max(worst, family.compare(name, result.column(name)[places], expected, allowed) / allowed)
    allowed = 1e-5 * max(1.0, balance["moved"])
    if "share" in s.parts:
        p = s.parts["share"]
        gained -= 0.5 * p["C1"] * p["C2"] / (p["C1"] + p["C2"]) * p["U"] ** 2
    energies = {"supplied": end[-2], "dissipated": end[-1], "stored": gained, "lost_in_events": s.lost}
    for name, expected in energies.items():
        worst = max(worst, family.compare(name, balance[name], expected, allowed) / allowed)
    return worst


if __name__ == "__main__":
    family.main(check)

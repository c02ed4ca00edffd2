"""Random trees of bodies and joints in space, against their equations of motion by virtual power (multibody/).

At every row, positions, velocities and accelerations of all frames, forces and torques on all parts and what sensors
and ports say are compared with the oracle at the program's own state; the states with an integration by an explicit
Runge-Kutta method of order 8; energies of every part with the integrals of its powers.
"""
import json
import random

import numpy
import scipy.integrate

from family import Disagreement, compare, main
from multibody.forces import SENSORS
from multibody.frames import AXES, of_quaternion, sequence_rates, turned, turned_in_sequence
from multibody.whole import draw
from multibody.write import write

TOLERANCE = 1e-9  # of the program
LINES = ("Spring", "Damper", "SpringDamperParallel", "SpringDamperSeries", "LineForce", "LineForceWithMass",
         "LineForceWithTwoMasses", "Distance", "PlanarSpring", "PlanarDamper", "PlanarSpringDamper")


# --- the oracle's motion


class Wild(Exception):
    """A motion that takes too many steps."""


def counted(system, most):
    """The rate of the state, so many times."""
    count = 0

    def rate(time, state):
        nonlocal count
        count += 1
        if count > most:
            raise Wild
        return system.rate(time, state)
    return rate


@numpy.errstate(all="ignore")  # frames in one place: the line between them has no direction, which is not tame
def moved(system, times):
    """States and integrals of powers at the times, or None where something is nearly singular on the way."""
    state = system.start()
    states, works = [state], [numpy.zeros(len(system.powers))]
    rate = counted(system, 700)
    try:
        for a, b in zip(times, times[1:]):
            if not tame(system, system.evaluate(a, states[-1])):
                return None
            whole = numpy.concatenate([states[-1], works[-1]])
            done = scipy.integrate.solve_ivp(rate, (a, b), whole, "DOP853", rtol=1e-11, atol=1e-12)
            if not done.success:
                return None
            states.append(done.y[:system.states, -1])
            works.append(done.y[system.states:, -1])
        return (states, works) if tame(system, system.evaluate(times[-1], states[-1])) else None
    except (numpy.linalg.LinAlgError, Wild):
        return None


def tame(system, m):
    """Whether mass matrix, accelerations, lengths of lines, distances from the centre and angles are moderate."""
    M = m.matrix
    scale = numpy.sqrt(numpy.abs(numpy.diag(M)))
    if len(M) and (not (scale > 0).all() or numpy.linalg.eigvalsh(M / numpy.outer(scale, scale))[0] < 1e-3):
        return False
    if abs(m.rates).max(initial=0) > 1000 or abs(m.u).max(initial=0) > 50:
        return False
    if system.central and min(numpy.linalg.norm(f.x) for f in m.nodes[1:]) < 1.5:
        return False
    return (all(tame_part(part, [m.nodes[node] for node in part.frames.values()]) for part in system.parts)
            and all(abs(middle(m.orientation(ball), ball.sequence)) < 0.9 for ball in system.balls if ball.sequence))


def tame_part(part, frames):
    if part.type in LINES:
        return numpy.linalg.norm(frames[1].x - frames[0].x) > 0.2
    if part.type in ("Bushing", "RelativeAngles", "AbsoluteAngles"):
        S = frames[0].R if part.type == "AbsoluteAngles" else frames[1].R @ frames[0].R.T
        return abs(S[2, 0]) < 0.85 and S[2, 2] > 0.1 and S[0, 0] > 0.1
    return True


def middle(S, sequence):
    """What turns by the middle angle: 1 or -1 where the axes of the first and last one coincide."""
    return S[sequence[2] - 1, sequence[0] - 1]


# --- the program's motion


class Rows:
    """The columns of a result, by the names that parts have in the model."""

    def __init__(self, result, called):
        self.result, self.called = result, called

    def __call__(self, name):
        return self.result.column(self.called(name))

    def two(self, name):
        return numpy.array([self(f"{name}[{i}]") for i in (1, 2)]).T

    def three(self, name):
        return numpy.array([self(f"{name}[{i}]") for i in (1, 2, 3)]).T

    def matrix(self, name):
        return numpy.array([[self(f"{name}[{i},{j}]") for j in (1, 2, 3)] for i in (1, 2, 3)]).transpose(2, 0, 1)


def states_of(model, rows, count):
    """The program's states, in the order of the oracle's."""
    system = model.system
    states, speeds = numpy.zeros((count, system.states)), numpy.zeros((count, system.speeds))
    for c in system.coordinates:
        value, rate, _ = c.columns
        if value and c.state >= 0:
            states[:, c.state] = rows(value)
        speeds[:, c.speed] = rows(rate)
    for ball in system.balls:
        if ball.sequence:
            angles, rates = rows.three(f"{ball.name}.angles"), rows.three(f"{ball.name}.der_angles")
            S = [turned_in_sequence(ball.sequence, a) for a in angles]
            w = [sequence_rates(ball.sequence, a) @ da for a, da in zip(angles, rates)]
        else:
            S = [of_quaternion(q) for q in numpy.array([rows(f"{ball.name}.q[{i}]") for i in (1, 2, 3, 4)]).T]
            w = rows.three(f"{ball.name}.w")
        states[:, ball.state:ball.state + 9] = numpy.reshape(S, (count, 9))
        speeds[:, ball.first:ball.first + 3] = w
    for memory in system.memories:
        states[:, memory.state] = rows(memory.column)
    states[:, system.first_speed:] = speeds[:, system.free]
    return states


def state_columns(system):
    names = [name for c in system.coordinates for name in c.columns if name]
    for ball in system.balls:
        names += [f"{ball.name}.{x}" for x in (("angles", "der_angles") if ball.sequence else ("q", "w"))]
    return list(dict.fromkeys([n.split("[")[0] for n in names] + [m.column for m in system.memories]))


# --- comparisons

EXACT = 1e-11  # what follows from the state alone
AT_START = 1e-9  # accelerations and forces at the start, where every equation is solved
RATES = 1e-5  # later: rates of states are those of the solver's polynomial, their error is the state's by its step


def near(what, found, expected, tolerance, least=1.0):
    """Relative to the largest of what is expected, but at least to `least`."""
    scale = max(least, float(numpy.max(numpy.abs(expected), initial=0.0)))
    return compare(what, numpy.asarray(found) / scale, numpy.asarray(expected) / scale, tolerance)


def near_rates(what, found, expected, scale=1.0):
    """Of accelerations and forces."""
    near(what + " at the start", found[:1], expected[:1], AT_START, scale)
    return near(what, found, expected, RATES, scale)


def carries(part, frame):
    """Whether a frame has velocities and forces: those that sensors and directions look at have none."""
    return part.type not in SENSORS and frame != "frame_resolve"


def compare_frames(model, rows, motions, shown):
    """Pose, velocities and forces of all frames shown; accelerations where they were asked for."""
    system, worst = model.system, 0.0
    taken = [system.taken(m) for m in motions]
    size = max(1.0, max(numpy.abs(list(t.values())).max() for t in taken))
    for part, frame in shown:
        node, name = part.frames[frame], f"{part.name}.{frame}"
        frames = [m.nodes[node] for m in motions]
        loads = [(t[part.name, frame][:3], f.R @ t[part.name, frame][3:]) for f, t in zip(frames, taken)]
        if planar(part):
            worst = max(worst, compare_planar(name, rows, frames, loads, size))
            continue
        worst = max(worst, near(name + ".x", rows.three(name + ".x"), [f.x for f in frames], EXACT),
                    near(name + ".R", rows.matrix(name + ".R"), [f.R for f in frames], EXACT))
        if carries(part, frame):
            worst = max(worst, near(name + ".v", rows.three(name + ".v"), [f.v for f in frames], EXACT),
                        near(name + ".w", rows.three(name + ".w"), [f.R @ f.w for f in frames], EXACT),
                        near_rates(name + ".f", rows.three(name + ".f"), [f for f, _ in loads], size),
                        near_rates(name + ".t", rows.three(name + ".t"), [t for _, t in loads], size))
    return worst


def planar(part):
    return part.type.startswith("Planar") and part.type != "Planar"


def results_of(part, frame):
    if planar(part):
        return ("x", "phi", "v", "w", "f", "t")
    return "xRvwft" if carries(part, frame) else "xR"


def compare_planar(name, rows, frames, loads, size):
    """A frame of the plane."""
    return max(near(name + ".x", rows.two(name + ".x"), [f.x[:2] for f in frames], EXACT),
               near(name + ".phi", [turned(AXES[2], phi) for phi in rows(name + ".phi")], [f.R for f in frames], EXACT),
               near(name + ".v", rows.two(name + ".v"), [f.v[:2] for f in frames], EXACT),
               near(name + ".w", rows(name + ".w"), [f.w[2] for f in frames], EXACT),
               near_rates(name + ".f", rows.two(name + ".f"), [f[:2] for f, _ in loads], size),
               near_rates(name + ".t", rows(name + ".t"), [t[2] for _, t in loads], size))


def rates_asked(model):
    """Names of velocities, and their rates at a motion, some of the frames'."""
    found = []
    frames = [(part, frame) for part in model.system.parts for frame in part.frames if carries(part, frame)]
    for part, frame in model.random.sample(frames, min(len(frames), model.random.choice([0, 1, 2, 3]))):
        node = part.frames[frame]
        if planar(part):
            found.append((f"{part.name}.{frame}.w", lambda m, n=node: m.acceleration(n)[1][2]))
        for i in range(2 if planar(part) else 3):
            found.append((f"{part.name}.{frame}.v[{i + 1}]", lambda m, n=node, i=i: m.acceleration(n)[0][i]))
            if planar(part):
                continue
            found.append((f"{part.name}.{frame}.w[{i + 1}]",
                          lambda m, n=node, i=i: (m.nodes[n].R @ m.acceleration(n)[1])[i]))
    return found


def compare_rest(model, rows, motions, rates):
    """Accelerations of coordinates and frames, sensors, elements of one dimension."""
    system = model.system
    size = max(1.0, max(abs(m.rates).max(initial=0.0) for m in motions))
    worst = 0.0
    for c in system.coordinates:
        if c.columns[2]:
            worst = max(worst, near_rates(c.columns[2], rows(c.columns[2]), [m.rates[c.speed] for m in motions], size))
        if c.given or c.follows:
            worst = max(worst, near(c.columns[0], rows(c.columns[0]), [m.value(c) for m in motions], 1e-7),
                        near(c.columns[1], rows(c.columns[1]), [m.u[c.speed] for m in motions], 1e-7))
            if c.source:
                worst = max(worst, near_rates(c.source, rows(c.source + ".e"), [m.deficit[c.speed] for m in motions],
                                              size))
    for k, (name, value) in enumerate(rates):
        worst = max(worst, near_rates("rate of " + name, rows(f"rate{k}.y"), [value(m) for m in motions], size))
    for part, measured in model.sensors:
        expected = numpy.array([measured(m) for m in motions])
        found = [rows(f"{part.name}.y[{i + 1}]" if expected.shape[1] > 1 else f"{part.name}.y")
                 for i in range(expected.shape[1])]
        worst = max(worst, near(part.name, numpy.array(found).T, expected, EXACT))
    for element in system.one_dimensional():
        flows = [element.flow(m) for m in motions]
        worst = max(worst, near(element.name + ".f", rows(element.name + ".f"), [f.value for f in flows], 1e-9))
        if element.kind != "Se":
            worst = max(worst, near_rates(element.name + ".e", rows(element.name + ".e"),
                                          [element.effort(m, f) for m, f in zip(motions, flows)], size))
    for at, port, elements in model.driven:
        flows = [port.flow(m).value for m in motions]
        worst = max(worst, near(at + ".f", rows(at + ".f"), flows, 1e-9))
        coordinate = getattr(port, "coordinate", None)
        if elements or coordinate and coordinate.follows:
            efforts = [m.deficit[coordinate.speed] if not elements else
                       -sum(k * e.effort(m, e.flow(m)) for e, k in elements) for m in motions]
            worst = max(worst, near_rates(at + ".e", rows(at + ".e"), efforts, size))
    return worst


def compare_energies(model, audit, called, motions, works):
    """What each element stored, supplied and dissipated over the run."""
    system, expected = model.system, {}
    for element in system.elements:
        row = expected.setdefault(called(element.name), {"stored": 0.0, "supplied": 0.0, "dissipated": 0.0})
        row["stored"] += element.stored(motions[-1]) - element.stored(motions[0])
    for (element, kind), work in zip(system.powers, works[-1]):
        name = called(element.name)
        expected.setdefault(name, {"stored": 0.0, "supplied": 0.0, "dissipated": 0.0})[kind] += work
    scale = max(1.0, max(abs(v) for row in expected.values() for v in row.values()) if expected else 0.0,
                audit["balance"]["moved"])
    found = {row["name"]: row for row in audit["elements"]}
    worst = 0.0
    for name, row in expected.items():
        for kind, value in row.items():
            given = found.get(name, {}).get(kind, 0.0)
            worst = max(worst, compare(f"energy of {name}, {kind}", given / scale, value / scale, 1e-6))
    for name, row in found.items():
        if name not in expected:
            for kind in ("stored", "supplied", "dissipated"):
                compare(f"energy of {name}, {kind}", row[kind] / scale, 0.0, 1e-6)
    return worst


def drawn(seed, times):
    """The first system of the seed whose motion is well conditioned."""
    for attempt in range(400):
        model = draw(random.Random(f"trees {seed} {attempt}"))
        found = moved(model.system, times)
        if found:
            return model, *found
    raise Disagreement("no tame system found")


def check(seed, simulate):
    times = numpy.linspace(0.0, 0.3, 4)
    model, states, works = drawn(seed, times)
    system = model.system
    frames = [(part, frame) for part in system.parts for frame in part.frames]
    shown = frames if model.random.random() < 0.6 else model.random.sample(frames, min(3, len(frames)))
    outputs = state_columns(system)
    outputs += [f"{p.name}.{f}.{x}" for p, f in shown for x in results_of(p, f)]
    outputs += [f"{p.name}.y" for p, _ in model.sensors]
    outputs += [f"{e.name}.{x}" for e in system.one_dimensional() for x in "ef"]
    outputs += [f"{at}.{x}" for at, _, _ in model.driven for x in "ef"]
    outputs += [f"{c.source}.e" for c in system.coordinates if c.given and c.source]
    rates = rates_asked(model)
    options = {"nested": model.random.random() < 0.4, "stop": float(times[-1]), "tolerance": TOLERANCE,
               "interval": float(times[1])}
    text, called = write(model, list(dict.fromkeys(outputs)), [name for name, _ in rates], options)
    energies = simulate.folder / "energies.json"
    result = simulate(text, "--audit-json", str(energies))
    if result.status != 0:
        raise Disagreement(f"status {result.status}: {result.messages}")
    rows = Rows(result, called)
    compare("times", result.column("time"), times, 1e-12)
    found = states_of(model, rows, len(times))
    given = [{id(c): rows(c.columns[0])[k] for c in system.coordinates if c.given} for k in range(len(times))]
    for c in system.coordinates:
        if c.given:
            near(c.columns[0], rows(c.columns[0]), [c.given(t)[0] for t in times], 1e-7)
    motions = [system.evaluate(t, state, values) for t, state, values in zip(times, found, given)]
    seen = [i for i in range(system.states) if i not in system.unseen()]
    return max(compare_frames(model, rows, motions, shown), compare_rest(model, rows, motions, rates),
               near("states", found[:, seen], numpy.array(states)[:, seen], 1e-6),
               compare_energies(model, json.loads(energies.read_text()), called,
                                [system.evaluate(t, s) for t, s in zip(times, states)], works))


if __name__ == "__main__":
    main(check)

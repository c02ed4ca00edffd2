"""Random mechanisms with closed loops, against bodies in maximal coordinates with conditions between them (linkages/).

Planar: four-bars, slider-cranks, five-bars, six-bars of Watt and Stephenson, parallelograms, tilted and mounted
anywhere, or of frames of the plane. In space: RSSR and the like, slider-cranks, spherical four-bars, Bennett's linkage,
platforms on two or three legs. Loops are closed by ordinary connections, by all kinds of constraint joints, and by
bodies that only constraints hold. The position is drawn first and lengths derived; a run ends before links come near a
singular position. Start values are those of as many coordinates as there are freedoms with guesses beside the others,
or all.
"""
import json
import os
from random import Random

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # seeds run side by side

import numpy

from family import Disagreement, compare, main
from linkages.acting import act
from linkages.bodies import Motion
from linkages.joints import NAMES, load, rates, values
from linkages.mechanism import LEAST, Mechanism
from linkages.parts import Parts
from linkages.sketches import Again
from multibody.frames import AXES, of_quaternion, turned
from multibody.write import write

TOLERANCE = 1e-7  # of the program
ROWS = 6


class Drawn:
    """A mechanism with its motion by the oracle and its parts."""

    def __init__(self, random):
        self.random, self.mechanism = random, Mechanism(random)
        self.parts = Parts(random, self.mechanism)
        self.beside = act(self.parts)
        self.system = s = self.mechanism.system
        u = self.mechanism.speeds()
        self.parts.start(u)
        self.times = numpy.linspace(0.0, round(random.uniform(0.1, 0.5), 3), ROWS)
        state = s.first(u)
        if abs(s.accelerations(0.0, state)[0].du).max() > 1500:
            raise Again
        self.states = s.run(state, self.times, self.mechanism.rank, LEAST)
        if len(self.states) < 3:
            raise Again
        self.times = self.times[:len(self.states)]
        self.motions = []
        for t, state in zip(self.times, self.states):
            m = Motion(s, state)
            s.keep(m, self.mechanism.rank)
            self.motions.append(s.accelerations(t, state)[0])
            self.motions[-1].kept = s.kept
            if abs(self.motions[-1].du).max() > 1500:
                raise Again

    def __str__(self):
        m = self.mechanism
        types = sorted({h.type for h in m.hinges})
        return (f"{m.sketch.name}, {'planar frames, ' if m.planar else ''}{m.way}, {m.style}, {self.parts.how}; "
                f"{' '.join(types)}; {len(m.ways)} freedoms")


def drawn(seed):
    for attempt in range(1000):
        try:
            return Drawn(Random(f"loops {seed} {attempt}"))
        except (Again, numpy.linalg.LinAlgError):
            continue
    raise RuntimeError("nothing drawn in a thousand")


# --- comparisons


class Inaccurate(Disagreement):
    """Later results that are off by more than is allowed, as errors of the steps may be."""


class Allowed:
    """How far results may be off: at the start everything is solved for, later errors of the steps have added up.

    Accelerations and forces are those of the solver's polynomial, whose errors are the states' by its step. A run that
    is further off, but within a thirtieth of its size, has to meet a tenth of this at a hundredth of the tolerance: the
    way through a narrow place may magnify errors, but not what is wrong.
    """
    START = 1e-8
    LATER = 3e-5

    def __init__(self, result, called, share=1.0):
        self.result, self.called, self.worst, self.later = result, called, 0.0, share * self.LATER

    def column(self, name):
        return self.result.column(self.called(name))

    def vector(self, name, size=3):
        return numpy.array([self.column(f"{name}[{i + 1}]") for i in range(size)]).T

    def near(self, what, found, expected, scale=1.0, factor=1.0):
        """Allows so many times more, beside the scale."""
        found, expected = numpy.asarray(found, float) / scale, numpy.asarray(expected, float) / scale
        compare(what + " at the start", found[:1], expected[:1], factor * self.START)
        compare(what, found[1:], expected[1:], 1 / 30)
        self.end(what, found[1:], expected[1:], factor)

    def end(self, what, found, expected, factor=1.0):
        try:
            self.worst = max(self.worst, compare(what, found, expected, factor * self.later) / factor)
        except Disagreement as far:
            raise Inaccurate(str(far)) from None


def compare_frames(d, to, shown):
    speed = max(1.0, max(abs(m.u).max() for m in d.motions))
    for part, frame, link, place in shown:
        name, r = f"{part.name}.{frame}", place.r - d.system.centres[link]
        x = [m.point(link, r) for m in d.motions]
        v = [m.velocity(link, r) for m in d.motions]
        R = numpy.array([place.P @ m.R[link] for m in d.motions])
        if d.mechanism.planar:
            to.near(name + ".x", to.vector(name + ".x", 2), [p[:2] for p in x])
            to.near(name + ".phi", [turned(AXES[2], phi) for phi in to.column(name + ".phi")], R)
            to.near(name + ".v", to.vector(name + ".v", 2), [p[:2] for p in v], speed)
            to.near(name + ".w", to.column(name + ".w"), [m.w[link][2] for m in d.motions], speed)
            continue
        found = [[to.column(f"{name}.R[{i},{j}]") for j in (1, 2, 3)] for i in (1, 2, 3)]
        to.near(name + ".x", to.vector(name + ".x"), x)
        to.near(name + ".R", numpy.array(found).transpose(2, 0, 1), R)
        to.near(name + ".v", to.vector(name + ".v"), v, speed)
        to.near(name + ".w", to.vector(name + ".w"), [R @ m.w[link] for R, m in zip(R, d.motions)], speed)


def compare_joints(d, to):
    """Coordinates, their rates and accelerations of ordinary joints."""
    speed = max(1.0, max(abs(m.u).max() for m in d.motions))
    hurry = max(1.0, max(abs(m.du).max() for m in d.motions))
    for h in d.mechanism.hinges:
        if h.cut:
            continue
        expected, moving = [values(h, m) for m in d.motions], [rates(h, m) for m in d.motions]
        for k, (value, rate, acceleration) in enumerate(NAMES.get(h.kind, [])):
            name = f"{h.part.name}.{value}"
            if h.kind == "S":
                found = [of_quaternion(q) for q in to.vector(name, 4)]
                to.near(name, found, [of_quaternion(x[0]) for x in expected])
                to.near(f"{h.part.name}.w", to.vector(f"{h.part.name}.w"), [x[0] for x in moving], speed)
                continue
            found, reference = to.column(name), numpy.array([x[k] for x in expected])
            if value != "s":
                found = numpy.remainder(found - reference + numpy.pi, 2 * numpy.pi) + reference - numpy.pi
            to.near(name, found, reference)
            to.near(f"{h.part.name}.{rate}", to.column(f"{h.part.name}.{rate}"), [x[k] for x in moving], speed)
            if acceleration and h.kind != "U":
                row = h.shift if value == "s" else h.turn
                to.near(f"{h.part.name}.{acceleration}", to.column(f"{h.part.name}.{acceleration}"),
                        [m.G[row] @ m.du + m.bias[row] for m in d.motions], hurry, 100)


def compare_loads(d, to):
    """Forces and torques of joints, as far as the conditions determine them."""
    loads = {}
    for m in d.motions:
        d.system.kept = m.kept
        U, _, _ = numpy.linalg.svd(m.G[d.system.held])
        free = U[:, d.mechanism.rank:]
        for h in d.mechanism.hinges:
            if h.part:
                loads.setdefault(h.part.name, []).append(load(h, m, d.system, free))
    size = max([1.0] + [abs(whole).max() for rows in loads.values() for whole, _ in rows])
    for name, rows in loads.items():
        for k, letter in enumerate("ft"):
            expected = numpy.array([(P[k] @ whole[3 * k:3 * k + 3]) for whole, P in rows])
            if d.mechanism.planar:
                found = to.vector(f"{name}.frame_b.f", 2) if k == 0 else to.column(f"{name}.frame_b.t")
                expected = numpy.array([w[:2] if k == 0 else w[5] for w, _ in rows])
                to.near(f"{name}.frame_b.{letter}", found, expected, size, 100)
                continue
            found = to.vector(f"{name}.frame_b.{letter}")
            found = numpy.array([P[k] @ f for f, (_, P) in zip(found, rows)])
            to.near(f"{name}.frame_b.{letter}", found, expected, size, 100)


def compare_energies(d, to, balance):
    s, end = d.system, d.times[-1]
    first, last = d.states[0], d.states[-1]
    beside = d.beside(end)
    expected = {"supplied": last[-2] + beside, "dissipated": last[-1] + beside,
                "stored": s.energy(end, last) - s.energy(0.0, first), "imbalance": 0.0}
    scale = max(1.0, balance["moved"])
    for name, value in expected.items():
        to.end(name, balance[name] / scale, value / scale)


def columns(d, shown):
    planar = d.mechanism.planar
    names = [f"{part.name}.{frame}.{x}" for part, frame, _, _ in shown for x in
             (("x", "phi", "v", "w") if planar else "xRvw")]
    for h in d.mechanism.hinges:
        if h.part:
            names += [f"{h.part.name}.frame_b.{x}" for x in "ft"]
            names += [f"{h.part.name}.{x}" for three in NAMES.get(h.kind, []) if not h.cut for x in three if x]
    return names


def frames_of(d):
    """Of each link a part's frame, and where it is."""
    shown = []
    for link in range(1, len(d.parts.nodes)):
        places = {node: place for place, node in d.parts.nodes[link]}
        there = [(part, frame, link, places[node]) for part in d.parts.system.parts
                 for frame, node in part.frames.items() if node in places]
        shown.append(d.random.choice(there))
    return shown


def agree(d, shown, simulate, text, called, tolerance, share):
    """One run; the worst deviation."""
    audit = simulate.folder / "energies.json"
    result = simulate(text, "--audit-json", str(audit), "--tolerance", repr(tolerance))
    if result.status != 0:
        # warnings, of the circuit that nothing joins, come first
        raise Disagreement(f"status {result.status}: {result.messages[max(0, result.messages.find('error:')):][:600]}")
    to = Allowed(result, called, share)
    # events in the circuit beside it write rows of their own
    time = result.column("time")
    places = [int(numpy.argmin(abs(time - t))) for t in d.times]
    compare("times", time[places], d.times, 1e-12)
    result.columns = {name: column[places] for name, column in result.columns.items()}
    compare_frames(d, to, shown)
    compare_joints(d, to)
    compare_loads(d, to)
    compare_energies(d, to, json.loads(audit.read_text())["balance"])
    return to.worst


def check(seed, simulate):
    d = drawn(seed)
    shown = frames_of(d)
    options = {"model": "random_loops", "nested": d.random.random() < 0.35, "stop": float(d.times[-1]),
               "tolerance": TOLERANCE, "interval": float(d.times[1])}
    text, called = write(d.parts, columns(d, shown), [], options)
    try:
        try:
            return agree(d, shown, simulate, text, called, TOLERANCE, 1.0)
        except Inaccurate:
            return agree(d, shown, simulate, text, called, TOLERANCE / 100, 0.1)
    except Disagreement as found:
        raise Disagreement(f"[{d}] {found}") from None


# Of the first 600.
KNOWN = {
    39: "5e-6 off at 1e-7: after an event beside it, states that determine the rest badly are kept for long",
}
# A joint that doesn't turn, whose acceleration is rounding near a position in line; a body that is kept from turning,
# beside events; a torque that is nothing but rounding; a cross in a loop in a plane that lies anyhow.
MENDED = (190, 420, 539, 1093)


if __name__ == "__main__":
    main(check, KNOWN, MENDED)

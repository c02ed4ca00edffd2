#!/usr/bin/env python3
"""What circuits cost in bondgraph and in ngspice, whole processes from file to written result, at equal error.

Each circuit is written as a netlist and as a model of library parts: `ladder` (RC, every part by name), `array` (the same
model as arrays of parts), `rectifier` (bridges with a smoothing capacitor, side by side), `ring` (CMOS inverters) and
`amplifier` (stages with an NPN transistor, coupled by capacitors). `ladder:1000` has 1 000 sections.

Both programs run over a range of tolerances and write one waveform. The error of a run is its largest deviation from a
tight run of the same program, as a share of that one's range, at the points that were written. How far both tight runs
are apart is told as well. Of the settings that keep an error the fastest counts on each side; then both run in turns, and
the smallest processor times of whole processes are compared.

Exit status: 0 measured, 1 a circuit failed, 77 there is no ngspice.
"""
import argparse
import bisect
import math
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

ROWS = 1000  # intervals of bondgraph's table; ngspice writes its own points
FINE = 8000  # intervals of tight runs, about
OURS = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7]
SPICE = [[(r, m) for r in (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6)]
         for m in (0, 200, 1000, 4000, 16000)]  # reltol; steps of which none is longer


class Circuit:
    """Texts of both programs, with the waveform that is compared and the stop time in seconds."""

    def __init__(self, lines, parts, nodes, vector, result, stop, at_start=False, imports="electrical"):
        self.lines, self.vector, self.stop, self.at_start = lines, vector, stop, at_start
        steady = "" if at_start else "initial: steady\n"
        self.model = ("model: timed\nimport: [%s]\ncomponents:\n  earth: {type: Ground}\n" % imports
                      + "".join("  %s\n" % p for p in parts) + steady + "connect:\n" + "".join("  - [%s]\n" % n for n in nodes)
                      + "outputs: ['%s']\n" % result)

    def netlist(self, tolerance, most):
        scale = tolerance / 1e-3
        options = ".options reltol=%g vntol=%g abstol=%g chgtol=%g" % (tolerance, 1e-6 * scale, 1e-12 * scale, 1e-14 * scale)
        tran = ".tran %.9g %.9g 0 %s%s" % (self.stop / ROWS, self.stop, "%.9g" % (self.stop / most) if most else "",
                                           " uic" if self.at_start else "")
        return "\n".join(["* timed"] + self.lines + [options, ".save " + self.vector, tran, ".end", ""])

    def model_at(self, tolerance, rows):
        return self.model + "experiment: {stop: %.9g s, tolerance: %g, interval: %.9g s}\n" % (self.stop, tolerance, self.stop / rows)


def ladder(n, array=False):
    """A line of 1.2 kohm and 1 uF in all, switched onto 1 V; half way along it."""
    r, c, half = 1200.0 / n, 1e-6 / n, (n + 1) // 2
    lines = ["v1 n0 0 1"]
    for k in range(1, n + 1):
        lines += ["r%d n%d n%d %.17g" % (k, k - 1, k, r), "c%d n%d 0 %.17g ic=0" % (k, k, c)]
    resistor, capacitor = "{type: Resistor, R: %.17g ohm}" % r, "{type: Capacitor, C: %.17g F, initial: {v0: 0 V}}" % c
    parts, nodes = ["v: {type: ConstantVoltage, V: 1 V}"], ["v.n, earth"]
    if array:
        parts += ["r[%d]: %s" % (n, resistor), "c[%d]: %s" % (n, capacitor)]
        nodes += ["v.p, 'r[1].p'", "'r[i].n', 'c[i].p'", "'r[i].n', 'r[i+1].p'", "'c[i].n', earth"]
        return Circuit(lines, parts, nodes, "v(n%d)" % half, "c[%d].v" % half, 1.2e-3, True)
    for k in range(1, n + 1):
        parts += ["r%d: %s" % (k, resistor), "c%d: %s" % (k, capacitor)]
        nodes += ["%s, r%d.p" % ("v.p" if k == 1 else "r%d.n, c%d.p" % (k - 1, k - 1), k), "c%d.n, earth" % k]
    nodes.append("r%d.n, c%d.p" % (n, n))
    return Circuit(lines, parts, nodes, "v(n%d)" % half, "c%d.v" % half, 1.2e-3, True)


def rectifier(n):
    """Bridges at one source behind a line each; the voltage of the last one's load."""
    lines = ["v1 a 0 sin(0 12 50)", ".model dmod d(is=1e-9 n=1.6 rs=0.05)"]
    parts, nodes = ["source: {type: SineVoltage, V: 12 V, f: 50 Hz}"], ["source.n, earth"]
    for k in range(n):
        lines += ["rl%d a b%d 0.2" % (k, k), "d1%d b%d p%d dmod" % (k, k, k), "d2%d 0 p%d dmod" % (k, k),
                  "d3%d m%d b%d dmod" % (k, k, k), "d4%d m%d 0 dmod" % (k, k), "ro%d p%d m%d 50" % (k, k, k),
                  "co%d p%d m%d 1m ic=0" % (k, k, k)]
        parts += ["rl%d: {type: Resistor, R: 0.2 ohm}" % k, "ro%d: {type: Resistor, R: 50 ohm}" % k,
                  "co%d: {type: Capacitor, C: 1 mF, initial: {v0: 0 V}}" % k]
        parts += ["d%d_%d: {type: Diode, Is: 1 nA, N: 1.6, R_s: 50 mohm}" % (d, k) for d in (1, 2, 3, 4)]
        nodes += [text.replace("#", str(k)) for text in (
            "source.p, rl#.p", "rl#.n, d1_#.p, d3_#.n", "d2_#.p, d4_#.n, earth", "d1_#.n, d2_#.n, ro#.p, co#.p",
            "d3_#.p, d4_#.p, ro#.n, co#.n")]
    return Circuit(lines, parts, nodes, "v(p%d,m%d)" % (n - 1, n - 1), "co%d.v" % (n - 1), 80e-3, True, "electrical, semiconductors")


def ring(n):
    """An odd number of inverters, every output at 0 or 5 V at the start but for the first; the second output."""
    n += 1 - n % 2
    lines = ["vdd vdd 0 5", ".model nmod nmos(level=1 vto=0.8 kp=6e-5 lambda=0.02 gamma=0.4 phi=0.65)",
             ".model pmod pmos(level=1 vto=-0.9 kp=2.4e-5 lambda=0.03 gamma=0.5 phi=0.65)"]
    parts, nodes = ["vdd: {type: ConstantVoltage, V: 5 V}"], ["vdd.n, earth"]
    for k in range(n):
        before, start = (k - 1) % n, 1 if k == 0 else 5 * (k % 2)
        lines += ["mp%d o%d o%d vdd vdd pmod w=40u l=2u" % (k, k, before), "mn%d o%d o%d 0 0 nmod w=16u l=2u" % (k, k, before),
                  "c%d o%d 0 0.2p ic=%g" % (k, k, start)]
        parts += ["p%d: {type: PMOS, W: 40 um, L: 2 um, Vto: -0.9 V, KP: 2.4e-5 A/V2, lambda: 0.03 1/V, gamma: 0.5, phi: 0.65 V}" % k,
                  "n%d: {type: NMOS, W: 16 um, L: 2 um, Vto: 0.8 V, KP: 6e-5 A/V2, lambda: 0.02 1/V, gamma: 0.4, phi: 0.65 V}" % k,
                  "c%d: {type: Capacitor, C: 0.2 pF, initial: {v0: %g V}}" % (k, start)]
        after = (k + 1) % n
        nodes += ["p%d.D, n%d.D, c%d.p, p%d.G, n%d.G" % (k, k, k, after, after), "vdd.p, p%d.S" % k,
                  "n%d.S, c%d.n, earth" % (k, k)]
    return Circuit(lines, parts, nodes, "v(o1)", "c1.v", 8e-9, True, "electrical, semiconductors")


def amplifier(n):
    """Stages in common emitter with a gain near 1, from the operating point on; the last collector."""
    lines = ["vcc vcc 0 12", "vin s0 0 sin(0 20m 10k)",
             ".model qmod npn(is=1e-14 bf=200 vaf=80 ikf=0.1 br=4 rb=20 re=0.3 rc=1 cje=20p vje=0.7 mje=0.35 tf=400p cjc=8p vjc=0.6 mjc=0.4)"]
    q = ("{type: NPNGummelPoon, IS: 10 fA, BF: 200, VAF: 80 V, IKF: 0.1 A, BR: 4, RB: 20 ohm, RE: 0.3 ohm, RC: 1 ohm, "
         "CJE: 20 pF, VJE: 0.7 V, MJE: 0.35, TF: 400 ps, CJC: 8 pF, VJC: 0.6 V, MJC: 0.4}")
    parts = ["vcc: {type: ConstantVoltage, V: 12 V}", "vin: {type: SineVoltage, V: 20 mV, f: 10 kHz}", "end: {type: PotentialSensor}"]
    nodes = ["vcc.n, vin.n, earth"]
    for k in range(n):
        lines += ["c%d s%d b%d 1u" % (k, k, k), "r1%d vcc b%d 47k" % (k, k), "r2%d b%d 0 10k" % (k, k),
                  "rc%d vcc s%d 1.2k" % (k, k + 1), "re%d e%d 0 1k" % (k, k), "q%d s%d b%d e%d qmod" % (k, k + 1, k, k)]
        parts += ["c%d: {type: Capacitor, C: 1 uF}" % k, "r1_%d: {type: Resistor, R: 47 kohm}" % k,
                  "r2_%d: {type: Resistor, R: 10 kohm}" % k, "rc%d: {type: Resistor, R: 1.2 kohm}" % k,
                  "re%d: {type: Resistor, R: 1 kohm}" % k, "q%d: %s" % (k, q)]
        nodes += [text.replace("#", str(k)) for text in (
            "c#.n, r1_#.n, r2_#.p, q#.B", "q#.E, re#.p", "vcc.p, r1_#.p, rc#.p", "r2_#.n, re#.n, earth")]
        nodes.append(("vin.p" if k == 0 else "rc%d.n, q%d.C" % (k - 1, k - 1)) + ", c%d.p" % k)
    nodes.append("rc%d.n, q%d.C, end" % (n - 1, n - 1))
    return Circuit(lines, parts, nodes, "v(s%d)" % n, "end.v", 400e-6, False, "electrical, semiconductors")


CIRCUITS = {"ladder": ladder, "array": lambda n: ladder(n, True), "rectifier": rectifier, "ring": ring, "amplifier": amplifier}


def processor_time(command, folder):
    """Of a process and all it has started."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=1800)
    spent = used() - before
    if done.returncode != 0:
        raise RuntimeError("%s failed: %s" % (command[0], (done.stderr or done.stdout)[-300:]))
    return spent


class Ours:
    def __init__(self, circuit, program, folder):
        self.circuit, self.program, self.folder = circuit, program, folder

    def run(self, setting, rows=ROWS):
        """Processor time, and the waveform as times and values."""
        (self.folder / "model.yaml").write_text(self.circuit.model_at(setting, rows))
        spent = processor_time([self.program, "run", "model.yaml", "--quiet", "-o", "ours.csv"], self.folder)
        with (self.folder / "ours.csv").open() as table:
            next(table)
            columns = list(zip(*(map(float, line.split(",")) for line in table)))
        return spent, (list(columns[0]), list(columns[1]))

    def reference(self):
        for tolerance in (1e-9, 1e-8):
            try:
                return self.run(tolerance, FINE)[1]
            except RuntimeError:
                continue
        return self.run(1e-7, FINE)[1]


class Spice:
    def __init__(self, circuit, folder):
        self.circuit, self.folder = circuit, folder

    def run(self, setting):
        (self.folder / "circuit.cir").write_text(self.circuit.netlist(*setting))
        spent = processor_time(["ngspice", "-b", "-r", "spice.raw", "circuit.cir"], self.folder)
        head, _, data = (self.folder / "spice.raw").read_bytes().partition(b"Binary:\n")
        fields = dict(line.split(":", 1) for line in head.decode().splitlines() if ":" in line)
        width, points = int(fields["No. Variables"]), int(fields["No. Points"])
        numbers = struct.unpack("<%dd" % (width * points), data[:8 * width * points])
        columns = [list(numbers[k::width]) for k in range(width)]
        if width == 3:  # a difference is saved as both of its nodes
            columns[1] = [a - b for a, b in zip(columns[1], columns[2])]
        return spent, (columns[0], columns[1])

    def reference(self):
        steps = int(max(FINE / 2, min(4 * FINE, 3e6 / len(self.circuit.lines))))
        for tolerance in (1e-7, 1e-6):
            try:
                return self.run((tolerance, steps))[1]
            except RuntimeError:
                continue
        return self.run((1e-5, steps))[1]


def at(waveform, time):
    times, values = waveform
    k = min(max(bisect.bisect_right(times, time), 1), len(times) - 1)
    span = times[k] - times[k - 1]
    return values[k] if span <= 0.0 else values[k - 1] + (values[k] - values[k - 1]) * (time - times[k - 1]) / span


def deviation(waveform, reference):
    span = max(reference[1]) - min(reference[1])
    if span <= 0.0:
        raise RuntimeError("the waveform does not move")
    return max(abs(v - at(reference, t)) for t, v in zip(*waveform)) / span


def trials(side, series, reference, worst):
    """Time, error and setting, of each series from loose to tight, as long as it may be the fastest that keeps an error."""
    found = []
    for settings in series:
        for setting in settings:
            try:
                spent, waveform = side.run(setting)
            except RuntimeError:  # gives up at this tolerance
                continue
            found.append((spent, deviation(waveform, reference), setting))
            if spent > 1.5 * min((t[0] for t in found if t[1] <= worst), default=math.inf):
                break
            if found[-1][1] < 0.2 * worst:
                break
    return found


def measure(name, circuit, program, errors, repeat, one_reference):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        ours, spice = Ours(circuit, program, folder), Spice(circuit, folder)
        our_reference = ours.reference()
        spice_reference = our_reference if one_reference else spice.reference()
        apart = deviation(our_reference, spice_reference)
        mine = trials(ours, [OURS], our_reference, min(errors))
        theirs = trials(spice, SPICE, spice_reference, min(errors))
        for error in errors:
            best = [min((t for t in side if t[1] <= error), default=None) for side in (mine, theirs)]
            if None in best:
                print("| %s | %g | %.0e | no setting keeps it: %s |" % (name, error, apart, "bondgraph" if best[0] is None else "ngspice"))
                continue
            times = [[], []]
            for _ in range(repeat):
                times[0].append(ours.run(best[0][2])[0])
                times[1].append(spice.run(best[1][2])[0])
            a, b = min(times[0]), min(times[1])
            print("| %s | %g | %.0e | %.3f | %g, %.1e | %.3f | %g/%d, %.1e | %.2f |" % (
                name, error, apart, a, best[0][2], best[0][1], b, *best[1][2], best[1][1], a / b), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--program", default="bondgraph", help="the program to be measured")
    options.add_argument("--repeat", type=int, default=3, help="runs of each in turns")
    options.add_argument("--errors", default="1e-4,1e-5", help="shares of the waveform's range")
    options.add_argument("--one-reference", action="store_true", help="bondgraph's tight run for both: ngspice's takes minutes where circuits are large")
    options.add_argument("--write", metavar="FOLDER", help="write the files of the circuits there instead, at 1e-4")
    options.add_argument("circuits", nargs="*", help="such as ladder:1000", default=[
        "ladder:10", "ladder:100", "ladder:1000", "ladder:10000", "array:1000", "array:10000", "rectifier:1", "rectifier:10",
        "ring:3", "ring:31", "amplifier:1", "amplifier:10", "amplifier:100"])
    chosen = options.parse_args()
    if shutil.which("ngspice") is None:
        print("ngspice is not installed")
        return 77
    program = shutil.which(chosen.program)
    if program is None and not chosen.write:
        options.error("there is no program '%s'" % chosen.program)
    program = os.path.abspath(program or "")
    os.environ.setdefault("BONDGRAPH_PATH", str(pathlib.Path(__file__).resolve().parents[2] / "models" / "library"))
    failed = 0
    if not chosen.write:
        print("| circuit | error | tight runs apart | bondgraph, s | tolerance, its error | ngspice, s | reltol/steps, its error | ratio |\n"
              "|---|---|---|---|---|---|---|---|")
    for name in chosen.circuits:
        kind, _, size = name.partition(":")
        circuit = CIRCUITS[kind](int(size))
        if chosen.write:
            path = pathlib.Path(chosen.write) / name.replace(":", "_")
            path.with_suffix(".yaml").write_text(circuit.model_at(1e-4, ROWS))
            path.with_suffix(".cir").write_text(circuit.netlist(1e-4, 0))
            continue
        try:
            measure(name, circuit, program, [float(e) for e in chosen.errors.split(",")], chosen.repeat,
                    chosen.one_reference)
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            print("| %s | failed: %s |" % (name, error), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

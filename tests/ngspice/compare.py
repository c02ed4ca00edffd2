#!/usr/bin/env python3
"""Runs each NAME.cir with ngspice and NAME.yaml with bondgraph, and compares their waveforms.

The first line of a netlist says what is compared, as in

    * compare v(out) = load.v, i(v1) = -source.i; from 1m

Left of `=` stands a vector of ngspice, right of it a result of the model, perhaps with a minus. Both are read at equal
distances in time (from `from`, or from the start of the run), and may differ by a thousandth of the range of the waveform of ngspice.

Exit status: 0 all agree, 1 a case fails, 77 there is no ngspice.
"""
import argparse
import bisect
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

POINTS = 2001
LIMIT = 1e-3
PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "": 1.0}


def number(text):
    value, prefix = re.fullmatch(r"([-+0-9.eE]+)([fpnumk]?)", text.strip()).groups()
    return float(value) * PREFIXES[prefix]


def what_is_compared(netlist):
    line = netlist.splitlines()[0]
    found = re.fullmatch(r"\* compare (.*)", line.strip())
    if not found:
        raise ValueError("the first line is no '* compare VECTOR = RESULT, ...'")
    text, *options = found.group(1).split(";")
    pairs = []
    for item in re.split(r",(?![^()]*\))", text):
        vector, result = (part.strip() for part in item.split("="))
        pairs.append((vector, result.lstrip("-").strip(), -1.0 if result.startswith("-") else 1.0))
    start = 0.0
    for option in options:
        key, value = option.split()
        if key != "from":
            raise ValueError("unknown option '%s'" % key)
        start = number(value)
    return pairs, start


def run_ngspice(netlist, vectors, folder):
    """Time and values of each vector."""
    data = folder / "vectors.txt"
    body = re.sub(r"(?im)^\.end\s*$", "", netlist)
    script = "\n.control\nset filetype=ascii\nrun\nset wr_singlescale\nwrdata %s %s\nquit\n.endc\n.end\n" % (data, " ".join(vectors))
    circuit = folder / "circuit.cir"
    circuit.write_text(body + script)
    done = subprocess.run(["ngspice", "-b", str(circuit)], capture_output=True, text=True, cwd=folder, timeout=300)
    if not data.exists():
        raise RuntimeError("ngspice failed: " + (done.stderr or done.stdout)[-400:])
    rows = [[float(cell) for cell in line.split()] for line in data.read_text().splitlines() if line.split()]
    time = [row[0] for row in rows]
    return {vector: (time, [row[k + 1] for row in rows]) for k, vector in enumerate(vectors)}


def run_bondgraph(program, model, folder):
    table = folder / "results.csv"
    done = subprocess.run([program, "run", str(model), "--quiet", "-o", str(table)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError("bondgraph failed: " + done.stderr[-400:])
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    names = rows[0]
    columns = list(zip(*[[float(cell) for cell in row] for row in rows[1:]]))
    return {name: (columns[0], columns[k]) for k, name in enumerate(names)}


def at(series, time):
    """Linear between the points; where two have one time, that before and after."""
    times, values = series
    k = min(max(bisect.bisect_right(times, time), 1), len(times) - 1)
    span = times[k] - times[k - 1]
    if span <= 0.0:
        return values[k]
    return values[k - 1] + (values[k] - values[k - 1]) * (time - times[k - 1]) / span


def compare(circuit, program):
    """Worst deviation over the range, with what and when."""
    model = circuit.with_suffix(".yaml")
    netlist = circuit.read_text()
    pairs, start = what_is_compared(netlist)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        spice = run_ngspice(netlist, [vector for vector, _, _ in pairs], folder)
        ours = run_bondgraph(program, model, folder)
    worst = (0.0, pairs[0][0], start)
    for vector, result, sign in pairs:
        if result not in ours:
            raise RuntimeError("the model has no output '%s'" % result)
        reference = spice[vector]
        stop = min(reference[0][-1], ours[result][0][-1])
        grid = [start + (stop - start) * k / (POINTS - 1) for k in range(POINTS)]
        expected = [at(reference, t) for t in grid]
        span = max(expected) - min(expected)
        if span <= 0.0:
            raise RuntimeError("'%s' does not move" % vector)
        for t, value in zip(grid, expected):
            deviation = abs(sign * at(ours[result], t) - value) / span
            if not deviation <= worst[0]:
                worst = (deviation, vector, t)
    return worst


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--program", default="bondgraph", help="the program to be tested")
    options.add_argument("cases", nargs="*", help="names of cases; all of this folder if there are none")
    chosen = options.parse_args()
    if shutil.which("ngspice") is None:
        print("ngspice is not installed")
        return 77
    folder = pathlib.Path(__file__).resolve().parent
    os.environ.setdefault("BONDGRAPH_PATH", str(folder.parents[1] / "models" / "library"))
    circuits = [folder / (name + ".cir") for name in chosen.cases] or sorted(folder.glob("*.cir"))
    failed = 0
    for circuit in circuits:
        try:
            deviation, vector, time = compare(circuit, chosen.program)
            passed = deviation <= LIMIT
            print("%s %s: %.1e of the range of %s at %.6g s" % ("PASS" if passed else "FAIL", circuit.stem, deviation, vector, time))
        except (RuntimeError, ValueError, KeyError, OSError, subprocess.TimeoutExpired) as error:
            passed = False
            print("FAIL %s: %s" % (circuit.stem, error))
        failed += not passed
    print("%d of %d agree" % (len(circuits) - failed, len(circuits)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

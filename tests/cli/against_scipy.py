"""Compares the transfer functions of `bondgraph linearize --tf -o FILE` with what numpy and scipy make of the matrices
in the same file. Prints one line per difference and ends with status 1 if there are any, else prints the number of
channels compared."""

import json
import sys

import numpy
import scipy.linalg
import scipy.signal

TOLERANCE = 1e-6


def roots(entries):
    return [complex(r["re"], r["im"]) for r in entries for _ in range(r["multiplicity"])]


def unmatched(found, expected, scale):
    """Those of `found` that have no partner of their own in `expected`."""
    left = list(expected)
    missing = []
    for root in found:
        nearest = min(left, key=lambda x: abs(x - root), default=None)
        # A double root is known to half the digits.
        if nearest is None or abs(nearest - root) > 1e-5 * abs(root) + 1e-7 * scale:
            missing.append(root)
        else:
            left.remove(nearest)
    return missing


def pencil_zeros(a, b, c, d):
    """Finite generalized eigenvalues of the Rosenbrock pencil."""
    n = len(a)
    pencil = numpy.block([[a, b], [c, d]])
    mass = numpy.zeros((n + 1, n + 1))
    mass[:n, :n] = numpy.eye(n)
    alpha, beta = scipy.linalg.eigvals(pencil, mass, homogeneous_eigvals=True)
    finite = numpy.abs(beta) > 1e-10 * numpy.abs(alpha)
    return alpha[finite] / beta[finite]


def compare(channel, a, b, c, d, complain):
    n = len(a)
    gain, zeros, poles = channel["gain"], roots(channel["zeros"]), roots(channel["poles"])
    if n == 0:
        if abs(gain - d[0, 0]) > TOLERANCE * abs(d[0, 0]):
            complain(f"gain {gain} instead of {d[0, 0]}")
        return
    eigenvalues = scipy.linalg.eigvals(a)
    scale = max(abs(eigenvalues))
    for root in unmatched(poles, eigenvalues, scale):
        complain(f"the pole {root} is no eigenvalue")
    balance = max(1.0, numpy.linalg.norm(a)) / max(numpy.linalg.norm(b) * numpy.linalg.norm(c), 1e-300)
    invariant = pencil_zeros(a, b, c * balance, d * balance)
    for root in unmatched(zeros, invariant, scale):
        complain(f"the zero {root} is none of {invariant}")
    if gain != 0.0 and len(zeros) + n - len(poles) != len(invariant):
        complain(f"{len(zeros)} zeros and {n - len(poles)} hidden modes, but the pencil has {len(invariant)}")
    # Values off the axes, and the gains.
    numerator, denominator = scipy.signal.ss2tf(a, b, c, d)
    points = [scale * x for x in (0.05 + 0.1j, 0.3 + 0.7j, -0.2 + 1.9j, 5.0 + 3.0j)]
    for s in points:
        expected = (c @ numpy.linalg.solve(s * numpy.eye(n) - a, b) + d)[0, 0]
        ours = gain * numpy.prod([s - z for z in zeros]) / numpy.prod([s - p for p in poles])
        polynomials = numpy.polyval(channel["numerator"], s) / numpy.polyval(channel["denominator"], s)
        theirs = numpy.polyval(numerator[0], s) / numpy.polyval(denominator, s)
        for name, value, margin in (("roots", ours, 1.0), ("polynomials", polynomials, 1.0), ("ss2tf", theirs, 1e3)):
            if abs(value - expected) > margin * TOLERANCE * abs(expected):
                complain(f"H({s}) = {value} by {name}, {expected} by the matrices")
    if abs(channel["high_frequency_gain"] - d[0, 0]) > TOLERANCE * abs(d[0, 0]):
        complain(f"high-frequency gain {channel['high_frequency_gain']}, D = {d[0, 0]}")
    static = channel["static_gain"]
    if static is not None and numpy.linalg.cond(a) < 1e12:
        expected = (d - c @ numpy.linalg.solve(a, b))[0, 0]
        size = (abs(c) @ abs(numpy.linalg.solve(a, b)))[0, 0] + abs(d[0, 0])
        if abs(static - expected) > TOLERANCE * abs(expected) + 1e-12 * size:
            complain(f"static gain {static}, by the matrices {expected}")


def main():
    differences = 0
    channels = 0

    def complain(text):
        nonlocal differences
        differences += 1
        print(f"{name}: {text}")

    for file in sys.argv[1:]:
        with open(file, encoding="utf-8") as stream:
            report = json.load(stream)
        states = len(report["states"])
        a = numpy.array(report["A"]).reshape(states, states)
        b = numpy.array(report["B"]).reshape(states, len(report["inputs"]))
        c = numpy.array(report["C"]).reshape(len(report["outputs"]), states)
        d = numpy.array(report["D"]).reshape(len(report["outputs"]), len(report["inputs"]))
        for channel in report["transfer_functions"]:
            i = report["inputs"].index(channel["input"])
            o = report["outputs"].index(channel["output"])
            name = f"{file}: {channel['output']} / {channel['input']}"
            compare(channel, a, b[:, [i]], c[[o], :], d[[o], :][:, [i]], complain)
            channels += 1
    if differences == 0:
        print(channels)
    return 1 if differences else 0


sys.exit(main())

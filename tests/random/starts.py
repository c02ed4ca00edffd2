"""Start problems, half of them impossible: the program has to tell them apart, whatever they are written like.

Each is possible or impossible by construction. Possible ones are made from their solution, whose guesses are then
disturbed. Impossible ones ask for something that a closed form excludes (the inequality of the triangle or the
polygon, a bound of a function, a sum of squares below 0, Kirchhoff's laws, a range of a matrix), by a relative
millionth and up to ten times. What the program finds is put into conditions written here anew, each judged beside its
largest term. A refusal has to be exit status 2 with BG-I001, BG-I003 or BG-I006 and name what is concerned.

Guesses are near (within 0.3 rad or a tenth of the size) or far (anywhere in the circle, within ten sizes): all have
to be found. STARTS_RECORD names a file to which each run adds a line: seed, kind, how it was written, whether it is
possible, whether the guess is near, whether it started, seconds.
"""
import os
import re
import time

import numpy

import family
from start_problems import equations, mechanisms, networks
from start_problems.problem import other_way, plain

MET = 1e-9  # of the largest term of a condition; what is impossible is so by 1e-6 and more
KINDS = [(kind, weight) for part in (equations, networks, mechanisms) for kind, weight in part.KINDS]


def problem_of(seed):
    rng = numpy.random.default_rng([11, seed])
    weights = numpy.array([w for _, w in KINDS], float)
    return KINDS[rng.choice(len(KINDS), p=weights / weights.sum())][0](rng), rng


def verdict(problem, result, name_in, words, how):
    """Whether the run started; the conditions are looked at then, otherwise the message."""
    if result.status == 0 or result.status == 3 and result.columns:  # what becomes of the run is not the start's matter
        def get(name):
            value = result.column(name_in(name))
            if not numpy.isfinite(value).all():
                raise family.Disagreement(f"{problem.kind}, {how}: {name} is not finite")
            return float(value[0])
        worst = 0.0
        for name, left, right, size in problem.conditions(get) if problem.possible else []:
            missed = abs(left - right) / size if left != right else 0.0
            if not missed <= MET:
                raise family.Disagreement(f"{problem.kind}, {how}: started with {name}: {left!r} and {right!r}, "
                                          f"{missed:.3g} of {size:.3g} apart")
            worst = max(worst, missed)
        return True, worst
    code = re.search(r"error: .*\[(BG-\w+)\]", result.messages)
    if result.status != 2 or code is None or code.group(1) not in ("BG-I001", "BG-I003", "BG-I006"):
        raise family.Disagreement(f"{problem.kind}, {how}: exit status {result.status}: {result.messages}")
    if not any(word in result.messages for word in words):
        raise family.Disagreement(f"{problem.kind}, {how}: the message names none of {words}: {result.messages}")
    look_at_distance(problem, code.group(1), result.messages, how)
    return False, 0.0


def look_at_distance(problem, code, messages, how):
    """A search that found nothing says how far apart the sides stay where it came nearest."""
    apart = re.search(r"([-+.e\d]+) apart", messages)
    if code != "BG-I003":
        return
    if apart is None or not float(apart.group(1)) > 0:
        raise family.Disagreement(f"{problem.kind}, {how}: the message tells no distance: {messages}")


def check(seed, simulate):
    problem, rng = problem_of(seed)
    worst = 0.0
    record = os.environ.get("STARTS_RECORD")
    for how, text, name_in, words in [("plain", *plain(problem, rng)), other_way(problem, rng)]:
        begin = time.perf_counter()
        result = simulate(text)
        seconds = time.perf_counter() - begin
        started, missed = verdict(problem, result, name_in, words, how)
        worst = max(worst, missed)
        if record:
            with open(record, "a") as file:
                file.write(f"{seed},{problem.kind},{how},{problem.possible},{problem.near},{started},{seconds:.4f}\n")
        if started and not problem.possible:
            raise family.Disagreement(f"{problem.kind}, {how}: started, which is impossible")
        if not started and problem.possible:
            raise family.Disagreement(f"{problem.kind}, {how}, {'near' if problem.near else 'far'}: "
                                      f"refused: {result.messages}")
    return worst


if __name__ == "__main__":
    family.main(check)

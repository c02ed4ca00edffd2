"""What the families of random models share: running the program, comparing columns, a pool of seeds.

A family is a module with a function `check(seed, simulate)`. It makes a model from the seed, has the program simulate
it, computes the same results by code of its own, and returns the worst deviation; where they disagree it raises
Disagreement. `main(check)` runs the seeds it is asked for:

    trees.py --program build/release/bin/bondgraph --count 300 --seed 1    # seeds 1 to 300
    trees.py --program … --only 17 --keep folder                           # one seed; its files stay in the folder
"""
import argparse
import csv
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass

import numpy


class Disagreement(Exception):
    """The program and the oracle differ; says how."""


@dataclass
class Result:
    """What one run of the program left: exit status, messages, and the columns of its result, by name."""
    status: int
    messages: str
    columns: dict

    def column(self, name):
        if name not in self.columns:
            raise Disagreement(f"no column {name}; status {self.status}: {self.messages}")
        return self.columns[name]


class Simulator:
    """Runs the program on texts of models; the files go to a folder."""

    def __init__(self, program, folder, longest=120):
        self.program, self.folder, self.longest, self.runs = program, pathlib.Path(folder), longest, 0

    def __call__(self, text, *options, command="run"):
        """Writes the text as model.yaml and runs it; all columns come back as arrays."""
        self.runs += 1
        model = self.folder / f"model{self.runs}.yaml"
        output = self.folder / f"result{self.runs}.csv"
        model.write_text(text)
        where = ["--quiet", "-o", str(output)] if command == "run" else []
        try:
            done = subprocess.run([self.program, command, str(model), *where, *options], capture_output=True, text=True,
                                  timeout=self.longest, check=False)
        except subprocess.TimeoutExpired:
            raise Disagreement(f"no end within {self.longest} s") from None
        return Result(done.returncode, done.stdout + done.stderr, read_columns(output))


def read_columns(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    values = numpy.array([[float(cell) for cell in row] for row in rows[1:]]).reshape(len(rows) - 1, len(rows[0]))
    return {name: values[:, i] for i, name in enumerate(rows[0])}


def compare(what, found, expected, tolerance):
    """The largest difference, which must not pass the tolerance (of the same unit; an array or a number)."""
    found, expected = numpy.asarray(found, float), numpy.asarray(expected, float)
    if found.shape != expected.shape:
        raise Disagreement(f"{what}: {found.shape} values instead of {expected.shape}")
    difference = abs(found - expected)
    bad = ~(difference <= tolerance)
    if bad.any():
        worst = numpy.unravel_index(numpy.argmax(numpy.where(bad, difference, -1)), difference.shape)
        raise Disagreement(f"{what}: {found[worst]!r} instead of {expected[worst]!r} at {worst}")
    return float(difference.max(initial=0.0))


def drawn(name, seed, make, again):
    """The first of `make(rng)` that does not raise `again`, and its rng: the same for each seed."""
    for attempt in range(1000):
        rng = random.Random(f"{name} {seed} {attempt}")
        try:
            return make(rng), rng
        except again:
            continue
    raise RuntimeError("nothing drawn in a thousand")


def one_seed(check, program, seed, keep):
    with tempfile.TemporaryDirectory(prefix="bondgraph_random_") as temporary:
        folder = pathlib.Path(keep) / str(seed) if keep else pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return seed, check(seed, Simulator(program, folder)), ""
        except Disagreement as found:
            return seed, None, str(found)
        except Exception:  # an oracle that fails has proven nothing, but the other seeds are to be heard
            return seed, None, traceback.format_exc()


def main(check, known=None, mended=()):
    """`known`: seeds that show a fault of the program which is not mended yet, and which; they are told apart.
    `mended`: seeds that have shown one which is; they are checked whatever the range."""
    known = known or {}
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", type=int)
    options.add_argument("--keep", help="a folder where models and results stay")
    given = options.parse_args()
    seeds = range(given.seed, given.seed + given.count)
    seeds = [given.only] if given.only is not None else [*seeds, *(seed for seed in mended if seed not in seeds)]
    with multiprocessing.Pool(int(os.environ.get("BONDGRAPH_JOBS", multiprocessing.cpu_count()))) as pool:
        outcomes = pool.starmap(one_seed, [(check, given.program, seed, given.keep) for seed in seeds], chunksize=1)
    for seed, deviation, _ in outcomes:
        if seed in known:
            print(f"seed {seed} {'fails' if deviation is None else 'passes now'}; known: {known[seed]}")
    if given.only is None:
        outcomes = [outcome for outcome in outcomes if outcome[0] not in known]
    failed = [(seed, why) for seed, deviation, why in outcomes if deviation is None]
    for seed, why in failed:
        print(f"seed {seed}: {why}")
    worst = max(((deviation, seed) for seed, deviation, _ in outcomes if deviation is not None), default=None)
    if worst:
        print(f"worst deviation {worst[0]:.3g}, seed {worst[1]}")
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)

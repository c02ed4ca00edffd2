#!/usr/bin/python3
"""Mechanisms with closed loops in bondgraph and in Simbody, from the start of the process to the file of results, at equal
error.

Both programs run over a range of tolerances, Simbody with each of its integrators and each way of closing the loops.
The error of a run is the largest deviation of two coordinates at all rows from loops_reference.py. For each level of
error the fastest run of either side that keeps it counts, the few best ones measured again in turns; of these the
median. Times are of the processor, user and system, of the whole process. For the integration alone, that of what comes
before is subtracted: of `bondgraph check`, or of Simbody's program with nothing to integrate.

Mechanisms: crank_rocker, slider_crank, bricard, n_four_bar:LOOPS, n_four_bar:LOOPS@STOP."""

import argparse
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

import loops_reference
from n_four_bar import n_four_bar

MODELS = pathlib.Path(__file__).resolve().parents[2] / 'models' / 'mechanics3d'
INTERVAL = 0.1
LEVELS = (1e-2, 1e-4, 1e-6, 1e-8)
INTEGRATORS = ('Merson', 'Feldberg', 'RungeKutta3', 'RungeKutta2', 'Verlet', 'SemiExplicitEuler2', 'BDF',
               'BDF_functional', 'Adams')
PLANE = ('tops-line', 'tops-planes', 'tops-ball', 'chain-line', 'chain-planes', 'chain-ball')
MECHANISMS = {
    'crank_rocker': (1.0, ('main.phi', 'j4.phi'), PLANE),
    'slider_crank': (1.0, ('main.phi', 'guide.s'),
                     ('tops-line', 'tops-planes', 'tops-ball', 'chain-planes', 'point-plane')),
    'bricard': (2.0, ('h1.phi', 'h2.phi'), ('ring-ball', 'ring-ball1', 'ring-line', 'weld-weld', 'halves-ball',
                                            'halves-ball1', 'halves-line')),
}
FOUR_BARS = ('1', '2', '5', '10', '20', '40', '5@0.6', '20@0.6')  # at 0.6 s rods have not been in line yet
# With many loops a scan takes long: whole decades, and the methods that are the fastest with up to ten of them.
MANY = 10
AHEAD = ('tops-line Merson', 'tops-line Feldberg', 'tops-line BDF', 'tops-line Adams', 'tops-ball Merson',
         'tops-planes BDF', 'chain-line Merson')
CANDIDATES = 3  # of Simbody's methods that are measured again at a level
HOPELESS = 4    # times as slow as another run with a smaller error: no finer tolerance of this method is tried
LONGEST = 4     # seconds of processor time; of a run that led nowhere, that is


class Run:
    """One run's processor time in seconds, and its table."""

    def __init__(self, command, result, longest):
        result.unlink(missing_ok=True)
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (longest, longest))
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            log.seek(0)
            text = log.read().decode(errors='replace')
        self.process = usage.ru_utime + usage.ru_stime
        steps = re.search(r'steps\s+(\d+)', text)
        self.steps = int(steps.group(1)) if steps else 0
        self.names, self.rows = [], []
        if process.returncode == 0 and result.exists():
            lines = result.read_text().split('\n')
            self.names = lines[0].split(',')
            self.rows = [[float(cell) for cell in line.split(',')] for line in lines[1:] if line]

    def error(self, names, exact):
        if len(self.rows) != len(exact):
            return math.inf
        columns = [self.names.index(name) for name in names]
        worst = max(abs(row[c] - x) for row, point in zip(self.rows, exact) for c, x in zip(columns, point))
        return worst if math.isfinite(worst) else math.inf


class Mechanism:
    def __init__(self, options, name):
        self.options, self.name = options, name
        self.body, _, stop = name.partition('@')
        if self.body in MECHANISMS:
            self.stop, self.coordinates, formulations = MECHANISMS[self.body]
            loops = 1
            self.file = MODELS / (self.body + '.yaml')
        else:
            loops = int(self.body.removeprefix('n_four_bar:'))
            self.stop = float(stop) if stop else 3.0
            self.coordinates, formulations = ('p0.phi', f'p{loops}.phi'), PLANE
            self.file = options.folder / f'n_four_bar_{loops}.yaml'
            self.file.write_text(n_four_bar(loops, self.stop, INTERVAL))
        self.methods = AHEAD if loops >= MANY else [f'{f} {i}' for f in formulations for i in INTEGRATORS]
        self.halves = range(2, 25, 2 if loops >= MANY else 1)
        self.exact = loops_reference.reference(self.body, self.stop, INTERVAL)

    def run(self, method, tolerance, quiet=True, stop=None):
        stop = self.stop if stop is None else stop
        result = self.options.folder / 'result.csv'
        if method == 'bondgraph':
            command = [self.options.bondgraph, 'run', str(self.file), '--tolerance', f'{tolerance:.3g}', '--interval',
                       f'{INTERVAL} s', '--stop', f'{stop} s', '-o', str(result)] + ['--quiet'] * quiet
        else:
            command = [self.options.simbody, self.body, *method.split(' '), f'{tolerance:.3g}', str(stop),
                       str(INTERVAL), str(result)]
        return Run(command, result, LONGEST if method != 'bondgraph' else 5 * LONGEST)

    def before(self, method, tolerance):
        if method != 'bondgraph':
            return self.run(method, tolerance, stop=0.0).process
        return Run([self.options.bondgraph, 'check', str(self.file)], self.options.folder / 'none', LONGEST).process

    def scan(self, method, before=()):
        """(error, process, tolerance, method) from coarse to fine tolerances; before: those of other methods."""
        found = []
        for half in self.halves:
            tolerance = 10 ** (-half / 2)
            run = self.run(method, tolerance)
            error = run.error(self.coordinates, self.exact)
            if math.isfinite(error):
                found.append((error, run.process, tolerance, method))
                if error <= LEVELS[-1]:
                    break
            # One that went astray (where rods lie in line) may be followed by one that does not: it is held against
            # the runs with the smallest errors.
            needed = error if error <= LEVELS[0] else min((f[0] for f in before), default=0.0) * 10
            better = min((f[1] for f in before if f[0] <= needed), default=LONGEST / HOPELESS)
            if run.process > HOPELESS * better:
                break
        return found

    def scan_simbody(self):
        known = [line.split('\t') for line in self.options.scanned if line.split('\t')[0] == self.name]
        if known:
            return [(float(error), float(time), float(tolerance), method) for _, method, tolerance, error, time in known
                    if method != 'bondgraph']
        found = []
        for method in self.methods:
            found += self.scan(method, found)
        if self.options.scan:
            with open(self.options.scan, 'a', encoding='utf-8') as out:
                for error, process, tolerance, method in found:
                    out.write(f'{self.name}\t{method}\t{tolerance:.3g}\t{error:.3g}\t{process:.4f}\n')
        return found

    def measure(self, candidates):
        """Of candidates run in turns: medians of the process and of the integration, steps."""
        runs = [[] for _ in candidates]
        for _ in range(self.options.turns):
            for c, all_of in zip(candidates, runs):
                run = self.run(c[3], c[2])
                run.loop = run.process - self.before(c[3], c[2])
                all_of.append(run)
        result = []
        for c, all_of in zip(candidates, runs):
            telling = self.run(c[3], c[2], quiet=False) if c[3] == 'bondgraph' else all_of[0]
            result.append((statistics.median(r.process for r in all_of), statistics.median(r.loop for r in all_of),
                           telling.steps, *c))
        return result

    def compare(self):
        ours, theirs = self.scan('bondgraph'), self.scan_simbody()
        for level in LEVELS:
            chosen = fastest(ours, level)[:1] + fastest(theirs, level)[:CANDIDATES]
            measured = self.measure(chosen)
            us = [m for m in measured if m[-1] == 'bondgraph']
            them = sorted((m for m in measured if m[-1] != 'bondgraph'), key=lambda m: m[0])
            print(f'| {self.name} | {level:.0e} | {side(us)} | {side(them)} | {ratio(us, them, 0)} '
                  f'| {ratio(us, them, 1)} |', flush=True)


def fastest(found, level):
    """The fastest runs that keep the error, one of each method."""
    chosen = {}
    for run in sorted(found, key=lambda f: f[1]):
        if run[0] <= level:
            chosen.setdefault(run[3], run)
    return list(chosen.values())


def side(measured):
    if not measured:
        return '- | - | - | -'
    process, loop, steps, error, _, tolerance, method = measured[0]
    method = '' if method == 'bondgraph' else method + ' '
    return f'{process * 1e3:.3g} | {loop * 1e3:.3g} | {steps} | {method}{tolerance:.0e}, {error:.0e}'


def ratio(us, them, k):
    return f'{us[0][k] / them[0][k]:.2f}' if us and them else '-'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bondgraph', required=True, metavar='PROGRAM')
    parser.add_argument('--simbody', required=True, metavar='PROGRAM', help='bench_simbody_loops')
    parser.add_argument('--turns', type=int, default=9)
    parser.add_argument('--scan', metavar='FILE', help="Simbody's runs of one turn: read where they are there, else added")
    parser.add_argument('mechanisms', nargs='*', default=[*MECHANISMS, *(f'n_four_bar:{n}' for n in FOUR_BARS)])
    options = parser.parse_args()
    options.scanned = []
    if options.scan and os.path.exists(options.scan):
        options.scanned = pathlib.Path(options.scan).read_text(encoding='utf-8').splitlines()
    print('| mechanism | error | bondgraph: process, ms | integration, ms | steps | tolerance, error '
          '| Simbody: process, ms | integration, ms | steps | method, accuracy, error | ratio, process | integration |')
    print('|' + '---|' * 12)
    with tempfile.TemporaryDirectory() as folder:
        options.folder = pathlib.Path(folder)
        for mechanism in options.mechanisms:
            Mechanism(options, mechanism).compare()
    return 0


if __name__ == '__main__':
    sys.exit(main())

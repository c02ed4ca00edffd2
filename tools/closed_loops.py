#!/usr/bin/python3
"""The table of mechanisms with closed loops in docs/accuracy.md: closed_loops.py [NAME…] writes the lines of these, or
of all, to standard output; with --update all lines into the page, between its two marks.

Each is a run of the program. What holds a loop together is looked at in every row: how far its two frames are apart (of
a rod: by how much from its length), and how fast that changes."""

import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODELS = ROOT / 'models' / 'mechanics3d'
PAGE = ROOT / 'docs' / 'accuracy.md'
MARKS = '<!-- closed loops -->\n', '<!-- end of closed loops -->'
sys.path.append(str(ROOT / 'bench' / 'simbody'))
from n_four_bar import n_four_bar  # noqa: E402

HEAD = ('| mechanism | tolerance | steps | Jacobians | states chosen again | imbalance | apart, m | apart, m/s | place, m | speed, m/s |\n' +
        '|---' * 10 + '|\n')


class Mechanism:
    """A model and what holds its loops together: components or pairs of frames. `length`: of each, where it is one; None
    for whatever it has at the start, 's' for a result of that name."""

    def __init__(self, name, closures, length=0.0, text=None, options=()):
        self.name, self.closures, self.length = name, closures, length
        self.text, self.options = text, list(options)


def four_bars(loops):
    return Mechanism(f'N four-bars, N = {loops}, through positions in line', [f'bar{k}_closure' for k in range(loops)],
                     text=n_four_bar(loops, 3.0, 0.01).replace('tolerance: 1e-6', 'tolerance: 1e-9'))


MECHANISMS = [
    Mechanism('crank_rocker', ['j2']),
    Mechanism('double_crank', ['coupler_closure']),
    Mechanism('double_rocker', ['coupler_closure']),
    Mechanism('triple_rocker', ['coupler_closure']),
    Mechanism('slider_crank', ['rod_closure']),
    Mechanism('slider_crank_assembly', [('rest.frame_a', 'rest.frame_im')], length=0.3),
    Mechanism('slider_crank_spatial', ['ball']),
    *(four_bars(n) for n in (1, 2, 5, 10, 40, 100)),
    Mechanism('bricard', ['t3_closure']),
    Mechanism('parallelogram', ['beam_closure']),
    Mechanism('parallelogram, through its change points', ['beam_closure'], options=['--set', 'phi0=120 deg']),
    Mechanism('andrews_squeezer', ['E23', 'E24', 'E26']),
    Mechanism('flyball_governor', ['link1', 'link2'], length=0.25),
    Mechanism('stewart_platform', [f'ball{k}' for k in range(1, 7)]),
    Mechanism('delta_robot', [f'r{side}{k}' for k in (1, 2, 3) for side in 'lr'], length=None),
    Mechanism('excavator_bucket', ['j3']),
    Mechanism('excavator_arm', ['lift', 'crowd'], length='s'),
    Mechanism('bicycle', ['rear_closure']),
    *(Mechanism(f'bicycle, pushed at {v} m/s', ['rear_closure'],
                options=['--set', f'v={v}', '--set', 'lean=1e-3', '--stop', '3'])
      for v in (4, 5, 6.5)),
    Mechanism('stewart_hydraulic', [f'leg{k}.ball' for k in range(1, 7)]),
]


def norm(v):
    return sum(x * x for x in v) ** 0.5


def violations(rows, closure, length):
    """How far both ends are from where they belong, how fast they leave, and how large their places and speeds are."""
    apart = leaving = size = speed = 0.0
    ends = ends_of(closure)
    for row in rows:
        a, b, va, vb = ([float(row[f'{end}.{what}[{k}]']) for k in (1, 2, 3)] for what in 'xv' for end in ends)
        r = [p - q for p, q in zip(b, a)]
        v = [p - q for p, q in zip(vb, va)]
        size, speed = max(size, norm(a), norm(b)), max(speed, norm(va), norm(vb))
        if length == 0.0:
            apart, leaving = max(apart, norm(r)), max(leaving, norm(v))
            continue
        length = length or norm(r)
        s, rate = (float(row[f'{closure}.s']), float(row[f'{closure}.v'])) if length == 's' else (length, 0.0)
        apart = max(apart, abs(norm(r) - s))
        leaving = max(leaving, abs(sum(p * q for p, q in zip(r, v)) / norm(r) - rate))
    return apart, leaving, size, speed


def ends_of(closure):
    return (f'{closure}.frame_a', f'{closure}.frame_b') if isinstance(closure, str) else closure


def line_of(m, program, folder):
    # The frames are results that the model doesn't list.
    asked = [f'{frame}.{what}' for c in m.closures for frame in ends_of(c) for what in 'xv']
    if m.length == 's':
        asked += [f'{c}.{what}' for c in m.closures for what in 'sv']
    text = m.text or (MODELS / f'{m.name.split(",")[0]}.yaml').read_text()
    text = re.sub(r'(?m)^outputs:.*$', f'outputs: [{", ".join(asked)}]', text)
    text = text[:text.find('\nplots:')] + '\n' if '\nplots:' in text else text
    (folder / 'run.yaml').write_text(text)
    result = folder / 'result.csv'
    done = subprocess.run([program, 'run', folder / 'run.yaml', '-o', result, *m.options], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f'{m.name}: {done.stderr}')
    said = done.stdout + done.stderr
    steps, jacobians = re.search(r'steps +(\d+) \(\d+ evaluations, (\d+) Jacobians', said).groups()
    again = len(re.findall(r'(?m)^  states +at ', said))
    imbalance = abs(float(re.search(r'imbalance \S+ J, (\S+) of', said)[1]))
    with open(result, newline='') as lines:
        rows = list(csv.DictReader(lines))
    worst = [max(values) for values in zip(*(violations(rows, c, m.length) for c in m.closures))]
    tolerance = re.search(r'tolerance: (\S+?)[,}]', text[text.find('experiment:'):])[1]
    return (f'| {m.name} | {tolerance} | {steps} | {jacobians} | {again} | {imbalance:.1e} | '
            f'{worst[0]:.0e} | {worst[1]:.0e} | {worst[2]:.2g} | {worst[3]:.2g} |\n').replace('e-0', 'e-').replace('e+0', 'e')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', help='how their names begin')
    parser.add_argument('--program', default=ROOT / 'build/release/bin/bondgraph')
    parser.add_argument('--update', action='store_true', help='put the lines of all into docs/accuracy.md')
    options = parser.parse_args()
    chosen = [m for m in MECHANISMS if not options.names or any(m.name.startswith(n) for n in options.names)]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for m in chosen:
            lines.append(line_of(m, options.program, pathlib.Path(folder)))
            if not options.update:
                print(lines[-1], end='', flush=True)
    if options.update:
        page = PAGE.read_text()
        begin, end = page.index(MARKS[0]) + len(MARKS[0]), page.index(MARKS[1])
        PAGE.write_text(page[:begin] + HEAD + ''.join(lines) + page[end:])


if __name__ == '__main__':
    main()

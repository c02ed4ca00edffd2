#!/usr/bin/python3
"""models/mechanics3d/n_four_bar.yaml with any number of loops, without its expectations: n_four_bar.py LOOPS > FILE"""

import sys


def n_four_bar(loops, stop=3.0, interval=0.1):
    """The model's text. Rods of 1 m and 1 kg; the top starts at 1 m/s."""
    revolute = '{{type: Revolute, n: [0, 0, 1], {}}}'
    lines = [f'model: n_four_bar_{loops}', '', 'parameters: {g: 9.81 m/s2, l: 1 m, m: 1 kg, v: 1 m/s}', '', 'components:',
             '  world: {type: World, g: g}']
    for k in range(loops + 1):
        start = 'initial: {phi: 0, w: v/l}' if k == 0 else 'guess: {phi: 0, w: 1 rad/s}'
        lines += [f'  p{k}: {revolute.format(start)}',
                  f'  rod{k}: {{type: BodyShape, r: [0, l, 0], r_CM: [0, l/2, 0], m: m, I_11: m*l^2/12, I_33: m*l^2/12}}']
    for k in range(loops):
        lines += [f'  a{k}: {revolute.format("guess: {phi: 0, w: -1 rad/s}")}',
                  f'  bar{k}: {{type: BodyShape, r: [l, 0, 0], r_CM: [l/2, 0, 0], m: m, I_22: m*l^2/12, I_33: m*l^2/12}}',
                  f'  b{k}: {revolute.format("guess: {phi: 0, w: 1 rad/s}")}',
                  f'  foot{k + 1}: {{type: Fixed, r: [{k + 1}*l, 0, 0]}}']
    lines += ['', 'connect:']
    for k in range(loops + 1):
        foot = 'world' if k == 0 else f'foot{k}'
        lines += [f'  - [{foot}.frame_b, p{k}.frame_a]', f'  - [p{k}.frame_b, rod{k}.frame_a]']
        top = [f'rod{k}.frame_b']
        if k < loops:
            top.append(f'a{k}.frame_a')
            lines += [f'  - [a{k}.frame_b, bar{k}.frame_a]', f'  - [bar{k}.frame_b, b{k}.frame_a]']
        if k > 0:
            top.append(f'b{k - 1}.frame_b')
        lines.append(f'  - [{", ".join(top)}]')
    lines += ['', f'experiment: {{stop: {stop} s, tolerance: 1e-6, interval: {interval} s}}',
              f'outputs: [p0.phi, p{loops}.phi]']
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(n_four_bar(int(sys.argv[1])), end='')

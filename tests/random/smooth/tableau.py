"""Networks of sources, resistors, storages, transformers and gyrators, solved by Newton's method on their sparse
tableau.

All in numbers without dimension: e/e0, f/f0, q/(f0 tau), p/(e0 tau), where e0 and f0 belong to a region of the network
and e0 f0 to the whole. Unknowns are efforts and flows of all bonds; of given states they are the root of the sparse
tableau (Hachtel, Brayton, Gustavson: The sparse tableau approach, IEEE Trans. CT-18, 1971). States and the energies of
all elements go through DOP853 at 1e-11.
"""
from dataclasses import dataclass, field

import numpy
from scipy.integrate import solve_ivp
from scipy.linalg import lapack

from smooth.curves import Law


class Again(Exception):
    """A network the oracle can't do (it has no unique solution, or is too stiff): another is drawn."""


@dataclass(frozen=True)
class Drive:
    """What modulates: text (in seconds and SI) and function of (t, states)."""
    text: str
    value: object


ONE = Drive("1", lambda t, s: 1.0)


@dataclass
class Part:
    """A source, resistor or storage behind a bond; `form` says what its law is solved for."""
    name: str
    kind: str
    bond: int
    region: int
    form: str = "linear"
    law: Law = None
    other: Law = None
    drive: Drive = ONE
    state: int = None
    start: float = 0.0


@dataclass
class Network:
    regions: list = field(default_factory=list)  # (domain, e0)
    power: float = 1.0
    tau: float = 1.0
    junctions: list = field(default_factory=list)  # (name, kind, region)
    bonds: list = field(default_factory=list)  # ends: (junction or None, +1 into it, -1 out of it)
    parts: list = field(default_factory=list)
    couplers: list = field(default_factory=list)  # (name, "TF" or "GY", bond 1, bond 2, modulus, drive)
    blocks: list = field(default_factory=list)  # (name, law, drive of the input)

    def states(self):
        return [part for part in self.parts if part.state is not None]

    def new_bond(self, *ends):
        self.bonds.append(ends)
        return len(self.bonds) - 1


class Tableau:
    """All efforts and flows for given time and states; unknown 2 k is the effort of bond k, 2 k + 1 its flow."""

    def __init__(self, net):
        self.net, self.size = net, 2 * len(net.bonds)
        self.fixed = numpy.zeros((self.size, self.size))
        row = self.junction_rows()
        self.coupler_row = row
        self.part_row = row + 2 * len(net.couplers)
        if self.part_row + len(net.parts) != self.size:
            raise Again  # a junction without bonds
        self.last = numpy.zeros(self.size)

    def junction_rows(self):
        row = 0
        for at, (_, kind, _) in enumerate(self.net.junctions):
            around = [(k, sign) for k, ends in enumerate(self.net.bonds) for end, sign in ends if end == at]
            common, summed = (0, 1) if kind == "0" else (1, 0)
            for k, _ in around[1:]:
                self.fixed[row, 2 * around[0][0] + common] += 1
                self.fixed[row, 2 * k + common] -= 1
                row += 1
            for k, sign in around:
                self.fixed[row, 2 * k + summed] += sign
            row += 1
        return row

    def equations(self, t, states, x, rows):
        """Residuals and Jacobian; rows holds what depends on time and states alone."""
        jacobian = rows[0].copy()
        residual = rows[0] @ x - rows[1]
        for row, part, factor in rows[2]:
            e, f = x[2 * part.bond], x[2 * part.bond + 1]
            law, i, j = part.law, 2 * part.bond, 2 * part.bond + 1
            if part.kind == "C":  # q = g(e)
                residual[row], jacobian[row, i] = states[part.state] - law.value(e), -law.slope(e)
            elif part.kind == "I":
                residual[row], jacobian[row, j] = states[part.state] - law.value(f), -law.slope(f)
            elif part.form in ("e", "linear", "root"):
                residual[row] = e - factor * law.value(f)
                jacobian[row, i], jacobian[row, j] = 1, -factor * law.slope(f)
            elif part.form == "f":
                residual[row] = f - factor * law.value(e)
                jacobian[row, i], jacobian[row, j] = -factor * law.slope(e), 1
            else:
                residual[row] = part.other.value(e) - factor * law.value(f)
                jacobian[row, i], jacobian[row, j] = part.other.slope(e), -factor * law.slope(f)
        return residual, jacobian

    def rows(self, t, states):
        """What no effort or flow changes: matrix and right side of linear rows, and a list of the others."""
        matrix, right, others = self.fixed.copy(), numpy.zeros(self.size), []
        for k, (_, kind, one, two, modulus, drive) in enumerate(self.net.couplers):
            row, m = self.coupler_row + 2 * k, modulus * drive.value(t, states)
            first, second = (2 * two, 2 * one + 1) if kind == "TF" else (2 * two + 1, 2 * one + 1)
            matrix[row, 2 * one], matrix[row, first] = 1, -m  # e1 = m e2, or m f2
            matrix[row + 1, 2 * two + (kind == "TF")], matrix[row + 1, second] = 1, -m  # f2 = m f1; or e2
        for k, part in enumerate(self.net.parts):
            row = self.part_row + k
            if part.kind in ("Se", "Sf"):
                matrix[row, 2 * part.bond + (part.kind == "Sf")] = 1
                right[row] = part.drive.value(t, states)
            elif part.kind in "CI" and part.form != "inverse":
                matrix[row, 2 * part.bond + (part.kind == "I")] = 1
                right[row] = part.law.value(states[part.state])
            else:
                others.append((row, part, part.drive.value(t, states)))
        return matrix, right, others

    def solve(self, t, states):
        """Newton's method, a step halved until it brings the residual down."""
        rows, x = self.rows(t, states), self.last
        residual, jacobian = self.equations(t, states, x, rows)
        for _ in range(100):
            step, info = lapack.dgesv(jacobian, residual)[2:]
            if info:
                raise Again
            size = abs(residual).max()
            share = 1.0
            while True:
                new = x - share * step
                try:
                    residual, jacobian = self.equations(t, states, new, rows)
                    better = abs(residual).max() <= max(size, 1e-13)
                except OverflowError:
                    better = False
                if better or share < 1e-6:
                    break
                share /= 2
            done = abs(step).max() <= 1e-14 * (1 + abs(x).max()) or (size < 1e-11 and abs(step).max() < 1e-12)
            x = new
            if done:
                self.last = x
                return x
        raise Again

    def rates(self, t, y):
        """Rates of the states, then the powers of all parts by their own convention."""
        x = self.solve(t, y)
        rates = [x[2 * part.bond + (part.kind == "C")] for part in self.net.states()]
        return rates + [x[2 * part.bond] * x[2 * part.bond + 1] for part in self.net.parts]

    def condition(self, t, states):
        rows = self.rows(t, states)
        x = self.solve(t, states)
        return numpy.linalg.cond(self.equations(t, states, x, rows)[1])


def check_uniqueness(rng, net, tableau):
    """Refuses networks that are singular somewhere: where all bare laws have the slope 0, and at random points."""
    for k in range(8):
        states = [0.0 if k == 0 else rng.uniform(-1.5, 1.5) for _ in net.states()]
        t = rng.uniform(0, 5)
        x = numpy.array([0.0 if k == 0 else rng.uniform(-2, 2) for _ in range(tableau.size)])
        if numpy.linalg.cond(tableau.equations(t, states, x, tableau.rows(t, states))[1]) > 3e3:
            raise Again


def solved(net, stop):
    """States and energies over the run, and the tableau."""
    tableau, calls = Tableau(net), [0]

    def rates(t, y):
        calls[0] += 1
        if calls[0] > 6000:
            raise Again
        return tableau.rates(t, y)
    start = [part.start for part in net.states()] + [0.0] * len(net.parts)
    solution = solve_ivp(rates, (0, stop), start, method="DOP853", rtol=1e-11, atol=1e-11, dense_output=True)
    if not solution.success or abs(solution.y).max() > 30:
        raise Again
    return solution.sol, tableau

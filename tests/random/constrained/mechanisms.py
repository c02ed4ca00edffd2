"""Mechanisms with conditions between coordinates, each known twice: as text of an own type, which states Newton's law
of every coordinate Y with a force for each condition (Lagrange's equations of the first kind), and to the oracle in
minimal coordinates q: Y(q), its Jacobian J and the bias B = dJ/dt dq/dt, so that

    M = sum of D J^T J,   M d2q/dt2 = J^T (G - D B) + force at the port,

and the conditions' forces are what Newton's law leaves over. The flow at the port is the rate of q[0] in all of them.
Source: Goldstein, Poole, Safko: Classical Mechanics, 3rd ed., chapters 1 and 2.
"""
from dataclasses import dataclass
from math import acos, atan2, cos, sin, sqrt

import numpy as np

G = 9.81


@dataclass
class Mechanism:
    """Units are texts; `slopes[k][i]`, `port[i]`, `forces[i]` and `conditions[k]` are expressions of the
    coordinates."""
    kind: str
    parameters: dict  # name: (value, unit)
    coordinates: list  # (name, unit)
    inertias: list  # the parameter's name
    forces: list
    conditions: list
    slopes: list
    multipliers: list  # units
    port: list
    domain: str
    signal: str
    potential: str
    place: object  # q -> Y, J
    bias: object  # q, qd, Y, J -> B
    q: np.ndarray
    qd: np.ndarray
    independent: list  # coordinates whose start determines that of the others, and how far a guess of these may be off
    guessed: float = 0.01

    def __post_init__(self):
        names = {name: value for name, (value, _) in self.parameters.items()}
        code = [compile(self.python(text), text, "eval") for text in
                [*self.forces, *self.port, self.signal, self.potential, *sum(self.slopes, [])]]
        letters = [name for name, _ in self.coordinates]
        scope = {"sin": sin, "cos": cos, **names}
        self.D = np.array([names[i] for i in self.inertias])
        n = len(letters)

        def evaluate(part, Y):
            return [eval(c, scope, dict(zip(letters, Y))) for c in part]  # of texts that stand above

        self.force = lambda Y: np.array(evaluate(code[:n], Y))
        self.port_row = lambda Y: np.array(evaluate(code[n:2 * n], Y))
        self.measured = lambda Y: evaluate(code[2 * n:2 * n + 1], Y)[0]
        self.height = lambda Y: evaluate(code[2 * n + 1:2 * n + 2], Y)[0]
        self.slope_rows = lambda Y: np.array(evaluate(code[2 * n + 2:], Y)).reshape(-1, n)

    @staticmethod
    def python(text):
        return text.replace("^", "**")

    def energy(self, Y, V):
        return 0.5 * float(self.D @ (V * V)) + self.height(Y)

    def reactions(self, Y, acceleration, effort):
        """The conditions' forces: D A = G + port effort + slopes^T F, in the least squares sense (it is consistent)."""
        rest = self.D * acceleration - self.force(Y) - self.port_row(Y) * effort
        return np.linalg.lstsq(self.slope_rows(Y).T, rest, rcond=None)[0]


def derivative_unit(unit, order):
    return f"{unit}/s" + ("2" if order == 2 else "")


def type_text(m):
    """The own type: coordinates, rates, one unknown force for each condition; lines that may stand in any order."""
    parameters = ", ".join(f"{k}: {{unit: {u}}}" for k, (_, u) in m.parameters.items())
    variables, equations = [], []
    for i, (y, unit) in enumerate(m.coordinates):
        variables += [f"{y}: {{unit: {unit}}}", f"v_{y}: {{unit: {derivative_unit(unit, 1)}}}"]
        reaction = "".join(f" + F{k + 1}*({row[i]})" for k, row in enumerate(m.slopes) if row[i] != "0")
        driven = f" + ({m.port[i]})*p.e" if m.port[i] != "0" else ""
        equations += [f"der({y}) = v_{y}", f"{m.inertias[i]}*der(v_{y}) = {m.forces[i]}{reaction}{driven}"]
    variables += [f"F{k + 1}: {{unit: {u}}}" for k, u in enumerate(m.multipliers)]
    flow = " + ".join(f"({b})*v_{y}" for b, (y, _) in zip(m.port, m.coordinates) if b != "0")
    kinetic = " + ".join(f"{d}*v_{y}^2/2" for d, (y, _) in zip(m.inertias, m.coordinates))
    equations += [*m.conditions, f"p.f = {flow}", f"c = {m.signal}"]
    return {"parameters": f"{{{parameters}}}", "ports": f"{{p: {{domain: {m.domain}}}}}",
            "outputs": "[c]", "variables": variables, "equations": equations, "energy": f"{kinetic} + {m.potential}"}


def arms(lengths, angles, rates=None):
    """Ends of arms in a row, angles from the lowest position: Y, J, and B if rates are given."""
    n = len(lengths)
    Y, J, B = np.zeros(2 * n), np.zeros((2 * n, n)), np.zeros(2 * n)
    for k in range(n):
        for i in range(k + 1):
            s, c = lengths[i] * sin(angles[i]), lengths[i] * cos(angles[i])
            Y[2 * k] += s
            Y[2 * k + 1] -= c
            J[2 * k, i], J[2 * k + 1, i] = c, s
            if rates is not None:
                B[2 * k] -= s * rates[i] ** 2
                B[2 * k + 1] += c * rates[i] ** 2
    return Y, J, B


def chain(random, links):
    """Pendulum of one, two or three masses on rods, in x and y of each mass."""
    L = random.uniform(0.4, 1.0, links)
    m = random.uniform(0.5, 1.5, links)
    parameters = {"g": (G, "m/s2")}
    coordinates, inertias, forces, conditions, slopes = [], [], [], [], []
    for k in range(links):
        a, b = f"x{k + 1}", f"y{k + 1}"
        parameters |= {f"m{k + 1}": (m[k], "kg"), f"L{k + 1}": (L[k], "m")}
        coordinates += [(a, "m"), (b, "m")]
        inertias += [f"m{k + 1}"] * 2
        forces += ["0", f"-m{k + 1}*g"]
        dx, dy = (a, b) if k == 0 else (f"({a} - x{k})", f"({b} - y{k})")
        conditions.append(f"{dx}^2 + {dy}^2 = L{k + 1}^2")
        row = ["0"] * (2 * links)
        row[2 * k], row[2 * k + 1] = dx, dy
        if k:
            row[2 * k - 2], row[2 * k - 1] = "-" + dx, "-" + dy
        slopes.append(row)
    return Mechanism(
        f"chain{links}", parameters, coordinates, inertias, forces, conditions, slopes, ["N/m"] * links,
        ["-y1/L1^2", "x1/L1^2"] + ["0"] * (2 * links - 2), "rotational", f"x{links}/L1",
        " + ".join(f"m{k + 1}*g*y{k + 1}" for k in range(links)),
        lambda q: arms(L, q)[:2], lambda q, qd, Y, J: arms(L, q, qd)[2],
        random.choice([-1, 1]) * random.uniform(0.4, 1.2, links), random.uniform(-1, 1, links),
        [f"x{k + 1}" for k in range(links)], 0.02)


def guided(kind, parameters, coordinates, inertias, forces, conditions, slopes, multipliers, port, domain, signal,
           potential, curve, start, rate, independent):
    """One degree of freedom: `curve(s)` gives Y, dY/ds and d2Y/ds2."""
    def place(q):
        Y, T, _ = curve(q[0])
        return np.array(Y), np.array(T, float).reshape(-1, 1)

    return Mechanism(kind, parameters, coordinates, inertias, forces, conditions, slopes, multipliers, port, domain,
                     signal, potential, place, lambda q, qd, Y, J: np.array(curve(q[0])[2]) * qd[0] ** 2,
                     np.array([start]), np.array([rate]), independent)


def parabola(random):
    a, m = random.uniform(0.3, 1.2), random.uniform(0.3, 2)
    return guided("parabola", {"a": (a, "1/m"), "m": (m, "kg"), "g": (G, "m/s2")}, [("x", "m"), ("y", "m")],
                  ["m", "m"], ["0", "-m*g"], ["y = a*x^2"], [["-2*a*x", "1"]], ["N"], ["1", "0"], "translational",
                  "a*x", "m*g*y", lambda s: ([s, a * s * s], [1, 2 * a * s], [0, 2 * a]),
                  random.uniform(-1, 1), random.uniform(-1, 1), ["x"])


def ellipse(random):
    a, b, m = random.uniform(0.4, 1), random.uniform(0.4, 1), random.uniform(0.3, 2)
    return guided("ellipse", {"a": (a, "m"), "b": (b, "m"), "m": (m, "kg"), "g": (G, "m/s2")},
                  [("x", "m"), ("y", "m")], ["m", "m"], ["0", "-m*g"], ["x^2/a^2 + y^2/b^2 = 1"],
                  [["x/a^2", "y/b^2"]], ["N.m"], ["-y/(a*b)", "x/(a*b)"], "rotational", "y/b", "m*g*y",
                  lambda s: ([a * cos(s), b * sin(s)], [-a * sin(s), b * cos(s)], [-a * cos(s), -b * sin(s)]),
                  random.uniform(-1.2, 0.9), random.uniform(-2, 2), ["y"])


def helix(random):
    R, h, m, K = random.uniform(0.3, 1), random.uniform(0.1, 0.4), random.uniform(0.3, 2), random.uniform(5, 50)
    return guided("helix", {"R": (R, "m"), "h": (h, "m"), "m": (m, "kg"), "g": (G, "m/s2"), "K": (K, "N/m")},
                  [("x", "m"), ("y", "m"), ("z", "m")], ["m"] * 3, ["m*g", "0", "-K*z"],
                  ["x = R*cos(z/h)", "y = R*sin(z/h)"],
                  [["1", "0", "R*sin(z/h)/h"], ["0", "1", "-R*cos(z/h)/h"]], ["N", "N"], ["0", "0", "1"],
                  "translational", "z/h", "K*z^2/2 - m*g*x",
                  lambda s: ([R * cos(s / h), R * sin(s / h), s], [-R / h * sin(s / h), R / h * cos(s / h), 1],
                             [-R / h ** 2 * cos(s / h), -R / h ** 2 * sin(s / h), 0]),
                  random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), ["z"])


def slider_crank(random):
    r = random.uniform(0.1, 0.4)
    rod = r * random.uniform(1.5, 4)
    J, m, W, K = random.uniform(0.05, 0.3), random.uniform(0.3, 2), random.uniform(0.5, 5), random.uniform(1, 30)

    def curve(q):
        """x = r cos q + u with u^2 = l^2 - r^2 sin^2 q, so u u' = -r^2 sin q cos q, which is differentiated again."""
        s, c = sin(q), cos(q)
        u = sqrt(rod * rod - (r * s) ** 2)
        first = -r * r * s * c / u
        second = (-r * r * (c * c - s * s) - first * first) / u
        return [q, r * c + u], [1, -r * s + first], [0, -r * c + second]

    return guided("slider_crank", {"r": (r, "m"), "l": (rod, "m"), "J": (J, "kg.m2"), "m": (m, "kg"),
                                   "W": (W, "N.m"), "K": (K, "N/m")}, [("f", "rad"), ("x", "m")], ["J", "m"],
                  ["-W*cos(f)", "-K*(x - l)"], ["(x - r*cos(f))^2 + r^2*sin(f)^2 = l^2"],
                  [["x*r*sin(f)", "x - r*cos(f)"]], ["N/m"], ["1", "0"], "rotational", "(x - l)/r",
                  "W*sin(f) + K*(x - l)^2/2", curve, random.uniform(-2, 2), random.uniform(-5, 5), ["f"])


def gears(random):
    J, Jb = random.uniform(0.1, 1, 2)
    n = random.uniform(0.3, 3)
    W, K = random.uniform(0.5, 5), random.uniform(0.5, 5)
    return guided("gears", {"n": (n, "1"), "Ja": (J, "kg.m2"), "Jb": (Jb, "kg.m2"), "W": (W, "N.m"), "K": (K, "N.m")},
                  [("a", "rad"), ("b", "rad")], ["Ja", "Jb"], ["-W*sin(a)", "-K*b"], ["a = n*b"], [["1", "-n"]],
                  ["N.m"], ["1", "0"], "rotational", "b", "K*b^2/2 - W*cos(a)",
                  lambda s: ([s, s / n], [1, 1 / n], [0, 0]), random.uniform(-2, 2), random.uniform(-3, 3), ["b"])


def rolling(random):
    """A wheel that rolls without slip on an incline, held by a spring."""
    m, r, K = random.uniform(0.5, 2), random.uniform(0.2, 0.6), random.uniform(5, 50)
    J, sn = m * r * r * random.uniform(0.5, 1), random.uniform(-0.7, 0.7)
    return guided("rolling", {"m": (m, "kg"), "J": (J, "kg.m2"), "r": (r, "m"), "K": (K, "N/m"), "g": (G, "m/s2"),
                              "sn": (sn, "1")}, [("x", "m"), ("f", "rad")], ["m", "J"], ["m*g*sn - K*x", "0"],
                  ["x = r*f"], [["1", "-r"]], ["N"], ["1", "0"], "translational", "f", "K*x^2/2 - m*g*sn*x",
                  lambda s: ([s, s / r], [1, 1 / r], [0, 0]), random.uniform(-0.5, 0.5), random.uniform(-1, 1), ["f"])


def rope(random):
    """Two masses on a rope that runs under a movable pulley with the third; two degrees of freedom."""
    m, K = random.uniform(0.5, 2, 3), random.uniform(5, 40, 3)
    length = random.uniform(2, 5)
    parameters = {"len": (length, "m"), "g": (G, "m/s2")}
    for k in range(3):
        parameters |= {f"m{k + 1}": (m[k], "kg"), f"K{k + 1}": (K[k], "N/m")}
    J = np.array([[1, 0], [0, 1], [-0.5, -0.5]])
    return Mechanism("rope", parameters, [("x1", "m"), ("x2", "m"), ("x3", "m")], ["m1", "m2", "m3"],
                     [f"m{k}*g - K{k}*x{k}" for k in (1, 2, 3)], ["x1 + x2 + 2*x3 = len"], [["1", "1", "2"]], ["N"],
                     ["1", "0", "0"], "translational", "x2/len",
                     " + ".join(f"K{k}*x{k}^2/2 - m{k}*g*x{k}" for k in (1, 2, 3)),
                     lambda q: (J @ q + np.array([0, 0, length / 2]), J), lambda q, qd, Y, Jac: np.zeros(3),
                     random.uniform(0.2, 1, 2), random.uniform(-1, 1, 2),
                     ["x1", "x3"] if random.random() < 0.5 else ["x2", "x1"])


def carriage(random):
    """A carriage on a spring with a pendulum on a rod, in x and y of its mass."""
    M, m, L, K = *random.uniform(0.5, 2, 2), random.uniform(0.3, 1), random.uniform(1, 40)

    def place(q):
        s, c = L * sin(q[1]), L * cos(q[1])
        return np.array([q[0], q[0] + s, -c]), np.array([[1, 0], [1, c], [0, s]])

    return Mechanism("carriage", {"M": (M, "kg"), "m": (m, "kg"), "L": (L, "m"), "K": (K, "N/m"), "g": (G, "m/s2")},
                     [("xc", "m"), ("x", "m"), ("y", "m")], ["M", "m", "m"], ["-K*xc", "0", "-m*g"],
                     ["(x - xc)^2 + y^2 = L^2"], [["xc - x", "x - xc", "y"]], ["N/m"], ["1", "0", "0"],
                     "translational", "(x - xc)/L", "m*g*y + K*xc^2/2", place,
                     lambda q, qd, Y, J: np.array([0, -L * sin(q[1]), L * cos(q[1])]) * qd[1] ** 2,
                     np.array([random.uniform(-0.3, 0.3), random.choice([-1, 1]) * random.uniform(0.3, 1.3)]),
                     random.uniform(-1, 1, 2), ["xc", "x"], 0.02)


def four_bar_lengths(random):
    """Crank, coupler, rocker, base of a linkage whose crank turns all round (Grashof), clear of its change points."""
    while True:
        crank, (coupler, rocker, base) = random.uniform(0.15, 0.35), random.uniform(0.4, 1, 3)
        longest = max(coupler, rocker, base)
        if crank + longest < coupler + rocker + base - longest - 0.1:
            return crank, coupler, rocker, base


def four_bar_tips(lengths, f, rate=None):
    """Crank tip A and rocker tip B above it, dA, dB by the crank's angle; with a rate the second derivatives in time.
    |B - D| and |B - A| are constant: (B - D).B' = 0, (B - A).(B' - A') = 0, and these differentiated once more."""
    crank, coupler, rocker, base = lengths
    A, D = crank * np.array([cos(f), sin(f)]), np.array([base, 0.0])
    e = D - A
    r = sqrt(e @ e)
    angle = atan2(e[1], e[0]) + acos((coupler ** 2 + r * r - rocker ** 2) / (2 * coupler * r))
    B = A + coupler * np.array([cos(angle), sin(angle)])
    dA = np.array([-A[1], A[0]])
    rows = np.array([B - D, B - A])
    dB = np.linalg.solve(rows, [0, (B - A) @ dA])
    if rate is None:
        return A, B, dA, dB
    Av, Bv = dA * rate, dB * rate
    bias_A = -A * rate ** 2
    bias_B = np.linalg.solve(rows, [-Bv @ Bv, (B - A) @ bias_A - (Bv - Av) @ (Bv - Av)])
    return A, B, dA, dB, bias_A, bias_B


def four_bar_points(random):
    """Two masses at the tips of crank and rocker, in x and y: three lengths are kept."""
    lengths = four_bar_lengths(random)
    parameters = {k: (v, "m") for k, v in zip(["l1", "l2", "l3", "d"], lengths)}
    parameters |= {"ma": (random.uniform(0.3, 2), "kg"), "mb": (random.uniform(0.3, 2), "kg"), "g": (G, "m/s2")}

    def place(q):
        A, B, dA, dB = four_bar_tips(lengths, q[0])
        return np.concatenate([A, B]), np.concatenate([dA, dB]).reshape(-1, 1)

    return Mechanism("four_bar_points", parameters, [(n, "m") for n in ("xa", "ya", "xb", "yb")],
                     ["ma", "ma", "mb", "mb"], ["0", "-ma*g", "0", "-mb*g"],
                     ["xa^2 + ya^2 = l1^2", "(xb - d)^2 + yb^2 = l3^2", "(xb - xa)^2 + (yb - ya)^2 = l2^2"],
                     [["xa", "ya", "0", "0"], ["0", "0", "xb - d", "yb"], ["xa - xb", "ya - yb", "xb - xa", "yb - ya"]],
                     ["N/m"] * 3, ["-ya/l1^2", "xa/l1^2", "0", "0"], "rotational", "(xb - d)/l3",
                     "ma*g*ya + mb*g*yb", place,
                     lambda q, qd, Y, J: np.concatenate(four_bar_tips(lengths, q[0], qd[0])[4:]),
                     random.choice([-1, 1]) * random.uniform(0.5, 1.2, 1), random.uniform(-5, 5, 1), ["xa"], 0.01)


def four_bar_angles(random):
    """Three links by their angles, each with an inertia and a weight at an arm: a loop of two conditions."""
    lengths = four_bar_lengths(random)
    parameters = {k: (v, "m") for k, v in zip(["l1", "l2", "l3", "d"], lengths)}
    for k in (1, 2, 3):
        parameters |= {f"J{k}": (random.uniform(0.05, 0.3), "kg.m2"), f"W{k}": (random.uniform(0.2, 3), "N.m")}

    def place(q):
        A, B, dA, dB = four_bar_tips(lengths, q[0])
        c, r = B - A, B - np.array([lengths[3], 0])
        turn = [1, (c[0] * (dB - dA)[1] - c[1] * (dB - dA)[0]) / (c @ c), (r[0] * dB[1] - r[1] * dB[0]) / (r @ r)]
        return np.array([q[0], atan2(c[1], c[0]), atan2(r[1], r[0])]), np.array(turn).reshape(-1, 1)

    def bias(q, qd, Y, J):
        A, B, _, _, bias_A, bias_B = four_bar_tips(lengths, q[0], qd[0])
        c, r, b = B - A, B - np.array([lengths[3], 0]), bias_B - bias_A
        return np.array([0, (c[0] * b[1] - c[1] * b[0]) / (c @ c), (r[0] * bias_B[1] - r[1] * bias_B[0]) / (r @ r)])

    angles = ["f1", "f2", "f3"]
    return Mechanism("four_bar_angles", parameters, [(f, "rad") for f in angles], ["J1", "J2", "J3"],
                     [f"-W{k}*cos(f{k})" for k in (1, 2, 3)],
                     ["l1*cos(f1) + l2*cos(f2) = d + l3*cos(f3)", "l1*sin(f1) + l2*sin(f2) = l3*sin(f3)"],
                     [["-l1*sin(f1)", "-l2*sin(f2)", "l3*sin(f3)"], ["l1*cos(f1)", "l2*cos(f2)", "-l3*cos(f3)"]],
                     ["N", "N"], ["1", "0", "0"], "rotational", "f3 - 1.5",
                     " + ".join(f"W{k}*sin(f{k})" for k in (1, 2, 3)), place, bias,
                     random.choice([-1, 1]) * random.uniform(0.5, 1.2, 1), random.uniform(-5, 5, 1), ["f1"], 0.01)


KINDS = [lambda r: chain(r, 1), lambda r: chain(r, 2), lambda r: chain(r, 3), parabola, ellipse, helix, slider_crank,
         gears, rolling, rope, carriage, four_bar_points, four_bar_angles]

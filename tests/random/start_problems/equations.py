"""Start problems made of equations alone: arms, laws of one unknown, systems of several, repeated conditions."""
import math

import numpy

from start_problems.problem import Problem, beyond, close, disturbed, integrators, log_uniform, number

NAMES = ["za", "zb", "zc", "zd", "ze"]


def reach(lengths):
    """The nearest and the furthest point an arm of these links reaches: inequality of the polygon."""
    longest = max(lengths)
    return max(0.0, 2 * longest - sum(lengths)), sum(lengths)


def arm(rng):
    """Two or three links in the plane whose tip shall be at a target; of three, also which way the last one
    points, or its angle."""
    count = int(rng.integers(2, 4))
    pointing = count == 3 and rng.random() < 0.6
    size = log_uniform(rng, -4, 4)
    lengths = size * rng.uniform(0.3, 2, count)
    angles = rng.uniform(-math.pi, math.pi, count)
    possible = rng.random() < 0.5
    near = rng.random() < 0.7
    free = lengths[:2] if pointing else lengths
    if not possible and rng.random() < 0.3:  # a hole in the middle
        free[0] = sum(free[1:]) * rng.uniform(1.1, 3)
        lengths[0] = free[0]
    if possible and rng.random() < 0.2:  # on the border
        angles[1:len(free)] = 0.0
    directions = numpy.cumsum(angles)
    x, y = float(lengths @ numpy.cos(directions)), float(lengths @ numpy.sin(directions))
    apart = 0.0
    if not possible:
        inner, outer = reach(free)
        way = rng.uniform(-math.pi, math.pi)
        hole = inner > 0 and rng.random() < 0.5
        r = inner * (1 - min(beyond(rng), 1)) if hole else outer * (1 + beyond(rng))
        apart = inner - r if hole else r - outer
        x, y = r * math.cos(way), r * math.sin(way)
        if pointing:
            x, y = x + lengths[2] * math.cos(directions[2]), y + lengths[2] * math.sin(directions[2])
    names = NAMES[:count]
    sums = [" + ".join(f"{n}.y" for n in names[:k + 1]) for k in range(count)]
    equations = [" + ".join(f"{number(l)}*{f}({s})" for l, s in zip(lengths, sums)) + f" = {number(v)}"
                 for f, v in (("cos", x), ("sin", y))]
    if pointing:
        equations.append(f"{sums[2]} = {number(directions[2])}")
    elif count == 3:  # left open, it would keep its guess, whatever the others can reach then
        equations.append(f"zc.y = {number(angles[2])}")

    def conditions(get):
        total = numpy.cumsum([get(f"{n}.y") for n in names])
        found = [close("x", lengths @ numpy.cos(total), x, size), close("y", lengths @ numpy.sin(total), y, size)]
        if pointing:
            found.append(close("way", total[2], directions[2]))
        elif count == 3:
            found.append(close("angle", get("zc.y"), angles[2]))
        return found
    guesses = [disturbed(rng, a, near, 0.3) for a in angles]
    return integrators(rng, "arm", possible, names, guesses, equations, conditions, near=near)


def laws_of_one():
    """Laws f(x), their texts, where x may lie, and the values that f never takes: (text, f, low, high, least)."""
    return [
        ("{x}^2", lambda x: x * x, -3, 3, 0.0),
        ("{x}^4 + 2*{x}^2", lambda x: x ** 4 + 2 * x * x, -2, 2, 0.0),
        ("exp({x})", math.exp, -6, 6, 0.0),
        ("sqrt({x})", math.sqrt, 0.01, 9, 0.0),
        ("cosh({x})", math.cosh, -3, 3, 1.0),
        ("{x}*exp({x})", lambda x: x * math.exp(x), -0.9, 2, -1 / math.e),
        ("sin({x}) + 1", lambda x: math.sin(x) + 1, -1.4, 1.4, 0.0),
        ("1 - cos({x})", lambda x: 1 - math.cos(x), 0.1, 3, 0.0),
        ("abs({x})", abs, -3, 3, 0.0),
        ("{x} + 1/{x}", lambda x: x + 1 / x, 0.1, 5, None),
        ("{x} - log({x})", lambda x: x - math.log(x), 0.1, 5, 1.0),
        ("{x}^3 + {x}", lambda x: x ** 3 + x, -3, 3, None),
        ("tanh({x}) + 1", lambda x: math.tanh(x) + 1, -2, 2, 0.0),
        ("{x}^2*exp(-{x})", lambda x: x * x * math.exp(-x), 0.1, 1.9, 0.0),
    ]


def law(rng):
    """One unknown whose law takes a value, or never does; as an initial equation or as a law of an own type."""
    laws = laws_of_one()
    possible = rng.random() < 0.5
    while True:
        text, f, low, high, least = laws[rng.integers(len(laws))]
        if possible or least is not None:
            break
    unit, scale = (log_uniform(rng, -6, 6) if rng.random() < 0.5 else 1.0), log_uniform(rng, -6, 6)
    root = rng.uniform(low, high)
    short = beyond(rng) * max(abs(least or 0.0), 0.1)
    value = f(root) if possible else least - short
    near = rng.random() < 0.7
    guess = disturbed(rng, root, True, 0.1 * max(abs(root), 0.1)) if near else rng.uniform(low, high)
    written = text.replace("{x}", f"({{x}}/{number(unit)})")
    left, right = f"{number(scale)}*({written})", number(scale * value)

    def met(x):
        return [close("law", scale * f(x / unit), scale * value, scale * (root / unit if possible else 1))]
    if rng.random() < 0.5:
        return integrators(rng, "law", possible, ["za"], [guess * unit], [f"{left.replace('{x}', 'za.y')} = {right}"],
                           lambda get: met(get("za.y")), near=near)
    model = {"types": {"Law": {"variables": {"x": {"start": float(guess * unit)}}, "outputs": ["y"],
                               "equations": [f"{left.replace('{x}', 'x')} = {right}", "y = 2*x"]}},
             "components": {"za": {"type": "Law"}, "zi": {"type": "Integrator"}}, "signals": ["za.y -> zi.u"]}
    return Problem("law in a type", possible, model, ["za.x"], lambda get: met(get("za.x")), near=near,
                   words=["za", "zi"])


def system(rng):
    """Up to five equations of sums of smooth functions, made from their solution. Impossible ones hold one more
    condition in place of one of them: a sum of squares below 0, bounded functions that shall add up to more than
    their bounds, or a line that misses a ball."""
    count = int(rng.integers(2, 6))
    units = 10.0 ** rng.uniform(-3, 3, count) if rng.random() < 0.3 else numpy.ones(count)
    solution = rng.uniform(-2, 2, count)
    functions = [("{x}", lambda x: x), ("{x}^2", lambda x: x * x), ("sin({x})", math.sin), ("exp(0.5*{x})",
                 lambda x: math.exp(0.5 * x)), ("{x}^3", lambda x: x ** 3), ("tanh({x})", math.tanh)]
    names = NAMES[:count]
    unknown = [f"({n}.y/{number(u)})" for n, u in zip(names, units)]
    rows = []
    for k in range(count):
        terms = [(j, int(rng.integers(len(functions))), rng.uniform(-1, 1)) for j in range(count) if rng.random() < 0.6]
        terms.append((k, 0, rng.choice([-1, 1]) * rng.uniform(1.0, 3)))
        rows.append((terms, log_uniform(rng, -5, 5) if rng.random() < 0.5 else 1.0))

    def value(row, x):
        return row[1] * sum(c * functions[f][1](x[j]) for j, f, c in row[0])

    def text(row):
        return f"{number(row[1])}*(" + " + ".join(f"{number(c)}*{functions[f][0].replace('{x}', unknown[j])}"
                                                  for j, f, c in row[0]) + ")"
    rights = [value(r, solution) for r in rows]
    equations = [f"{text(r)} = {number(v)}" for r, v in zip(rows, rights)]
    possible = rng.random() < 0.5
    if not possible:
        equations = equations[:count - 1]
        weights = rng.uniform(0.5, 2, count)
        short = beyond(rng)
        which = rng.integers(3)
        if which == 0:
            equations.append(" + ".join(f"{number(w)}*({u} - {number(s)})^2" for w, u, s in
                                        zip(weights, unknown, solution)) + f" = {number(-short)}")
        elif which == 1:
            equations.append(" + ".join(f"{number(w)}*sin({u} + {number(s)})" for w, u, s in
                                        zip(weights, unknown, solution)) + f" = {number(weights.sum() * (1 + short))}")
        else:  # |x| = 1 and n.x = 1 + short with a unit vector n
            normal = weights / numpy.linalg.norm(weights)
            ball = " + ".join(f"{u}^2" for u in unknown) + " = 1"
            plane = " + ".join(f"{number(n)}*{u}" for n, u in zip(normal, unknown)) + f" = {number(1 + short)}"
            equations = equations[:count - 2] + [ball, plane]
    near = rng.random() < 0.7
    guesses = [disturbed(rng, s, near, 0.1 * max(abs(s), 0.3)) * u for s, u in zip(solution, units)]

    def conditions(get):
        x = [get(f"{n}.y") / u for n, u in zip(names, units)]
        return [close(f"row {k}", value(r, x), v, *(r[1] * c * functions[f][1](x[j]) for j, f, c in r[0]))
                for k, (r, v) in enumerate(zip(rows, rights))]
    return integrators(rng, "system", possible, names, guesses, equations, conditions, near=near)


def repeated(rng):
    """More conditions than unknowns: sums and multiples of others, or the same circle in two ways. One of them is
    off by a relative millionth and more, or none."""
    size = log_uniform(rng, -5, 5)
    possible = rng.random() < 0.5
    off = 0.0 if possible else beyond(rng) * rng.choice([-1, 1])
    if rng.random() < 0.5:
        count = int(rng.integers(2, 5))
        matrix = rng.uniform(-1, 1, (count, count)) + 2 * numpy.eye(count)
        solution = size * rng.uniform(-2, 2, count)
        more = rng.uniform(-2, 2, (int(rng.integers(1, 3)), count))
        matrix = numpy.vstack([matrix, more @ matrix])
        scales = 10.0 ** rng.uniform(-4, 4, len(matrix))
        right = matrix @ solution
        right[-1] += off * max(abs(matrix[-1] * solution))
        names = NAMES[:count]
        order = rng.permutation(len(matrix))
        equations = [f"{number(scales[k])}*(" + " + ".join(f"{number(a)}*{n}.y" for a, n in zip(matrix[k], names)) +
                     f") = {number(scales[k] * right[k])}" for k in order]

        def conditions(get):
            x = numpy.array([get(f"{n}.y") for n in names])
            return [close(f"row {k}", matrix[k] @ x, right[k], *(matrix[k] * x)) for k in range(len(matrix))]
        guesses = [disturbed(rng, s, True, abs(s)) for s in solution]
        return integrators(rng, "repeated", possible, names, guesses, equations, conditions)
    radius, way = size, rng.uniform(-math.pi, math.pi)
    x, y = radius * math.cos(way), radius * math.sin(way)
    equations = [f"za.y^2 + zb.y^2 = {number(radius ** 2)}",
                 f"{number(math.sin(way))}*za.y = {number(math.cos(way))}*zb.y",
                 f"sqrt(za.y^2 + zb.y^2) = {number(radius * (1 + (abs(off))))}"]
    guesses = [disturbed(rng, v, True, 0.1 * radius) for v in (x, y)]

    def conditions(get):
        a, b = get("za.y"), get("zb.y")
        return [close("circle", a * a + b * b, radius ** 2),
                close("line", math.sin(way) * a, math.cos(way) * b, radius),
                close("radius", math.hypot(a, b), radius)]
    return integrators(rng, "repeated circle", possible, NAMES[:2], guesses, [equations[k] for k in rng.permutation(3)],
                       conditions)


def discrete(rng):
    """The level of a discrete variable enters the conditions: x² = n − m, m a free choice of two, and y = n x."""
    level = int(rng.integers(-5, 6))
    scale = log_uniform(rng, -3, 3)
    possible = level > 0
    if level == 0:
        level, possible = 1, True
    root = scale * math.sqrt(abs(level))
    model = {"types": {"Counter": {"outputs": {"n": {"type": "integer", "start": level}},
                                   "equations": ["n = if sample(1, 1) then pre(n) + 1 else pre(n)"]}},
             "components": {"count": {"type": "Counter"}, "zero": {"type": "Constant", "k": 0},
                            "za": {"type": "Integrator", "guess": {"y": disturbed(rng, root, True, 0.1 * root)}},
                            "zb": {"type": "Integrator"}},
             "signals": ["zero.y -> za.u", "zero.y -> zb.u"],
             "initial": [f"za.y^2 = {number(scale * scale)}*count.n", "zb.y = count.n*za.y"]}
    return Problem("discrete", possible, model, ["za.y", "zb.y"],
                   lambda get: [close("square", get("za.y") ** 2, level * scale ** 2),
                                close("product", get("zb.y"), level * get("za.y"))], words=["za.y", "zb.y"])


KINDS = [(arm, 4), (law, 4), (system, 4), (repeated, 2), (discrete, 1)]

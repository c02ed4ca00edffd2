"""Start problems of networks: tied storages with given values, steady starts, free parameters."""
import math

import numpy

from start_problems.problem import Problem, beyond, close, disturbed, log_uniform


def tied(rng):
    """Storages that one node, levers or a loop tie together, more of them given than may be chosen: all of one
    solution, or one off by a millionth and more."""
    return [tied_in_node, tied_in_loop][rng.integers(2)](rng)


def off(rng, possible):
    return 0.0 if possible else float(beyond(rng) * rng.choice([-1, 1]))


def tied_in_node(rng):
    """Compliances at a 0-junction (one effort) or inertias at a 1-junction (one flow), some behind transformers: at
    p2 of a transformer of modulus m the flow is m times, the effort the m-th part."""
    kind, common, given, own, stored = [("C", 0, "C", "e", "q"), ("I", 1, "I", "f", "p")][rng.integers(2)]
    count = int(rng.integers(2, 5))
    size = log_uniform(rng, -6, 6)
    possible = rng.random() < 0.5
    wrong = int(rng.integers(count))
    components, bonds = {"node": {"type": common}, "loss": {"type": "R", "R": 1.0}}, ["node -> loss"]
    ratios, values = [], []
    for k in range(count):
        value = log_uniform(rng, -9, 3)
        ratio = 1.0
        if rng.random() < 0.4:
            modulus = log_uniform(rng, -2, 2)
            ratio = 1 / modulus if kind == "C" else modulus
            components[f"lever{k}"] = {"type": "TF", "m": modulus}
            components[f"end{k}"] = {"type": common}
            bonds += [f"node -> lever{k}.p1", f"lever{k}.p2 -> end{k}", f"end{k} -> s{k}"]
        else:
            bonds.append(f"node -> s{k}")
        start = size * ratio * (1 + (off(rng, possible) if k == wrong else 0.0))
        ratios.append(ratio)
        values.append(start)
        which = own if rng.random() < 0.5 else stored
        components[f"s{k}"] = {"type": kind, given: value,
                               "initial": {which: float(start if which == own else start * value)}}
    model = {"components": components, "bonds": bonds}

    def conditions(get):
        return [close(f"s{k}", get(f"s{k}.{own}"), v) for k, v in enumerate(values)] + [
            close("node", get(f"s{k}.{own}"), r * size) for k, r in enumerate(ratios)]
    return Problem("tied in a node", possible, model, [f"s{k}.{own}" for k in range(count)], conditions,
                   words=[f"s{k}" for k in range(count)])


def tied_in_loop(rng):
    """Capacitors around a loop with a source: e = e1 + e2 + … (Kirchhoff). All given, or all but one."""
    count = int(rng.integers(2, 5))
    possible = rng.random() < 0.5
    source = log_uniform(rng, -6, 6)
    shares = rng.uniform(-1, 1, count)
    shares *= source / shares.sum() if abs(shares.sum()) > 0.2 else 1.0
    shares[-1] = source - shares[:-1].sum()
    largest = max(abs(shares))
    values = shares.copy()
    values[rng.integers(count)] += off(rng, possible) * largest
    left_out = int(rng.integers(count)) if possible and rng.random() < 0.4 else -1
    components = {"loop": {"type": 1}, "source": {"type": "Se", "e": float(source)}}
    for k in range(count):
        components[f"s{k}"] = {"type": "C", "C": log_uniform(rng, -9, 1)}
        if k != left_out:
            components[f"s{k}"]["initial"] = {"e": float(values[k])}
    model = {"components": components, "bonds": ["source -> loop"] + [f"loop -> s{k}" for k in range(count)]}

    def conditions(get):
        found = [get(f"s{k}.e") for k in range(count)]
        return [close(f"s{k}", found[k], values[k], largest) for k in range(count) if k != left_out] + [
            close("loop", sum(found), source, largest)]
    return Problem("tied in a loop", possible, model, [f"s{k}.e" for k in range(count)], conditions,
                   words=[f"s{k}" for k in range(count)])


def steady(rng):
    """States of rest, of which there are some or none."""
    return [steady_ladder, steady_saturated, steady_tank, steady_body][rng.integers(4)](rng)


def steady_ladder(rng):
    """A ladder of series R-L and shunt C-G between a source of voltage and the ground: at rest the coils carry the
    current of the resistors behind them. Where a source of current feeds a node without any resistor to leave it:
    none."""
    sections = int(rng.integers(1, 5))
    series, shunt = 10.0 ** rng.uniform(-2, 4, sections), 10.0 ** rng.uniform(-4, 2, sections)
    possible = rng.random() < 0.5
    source = log_uniform(rng, -3, 3)
    components, bonds = {"source": {"type": "Se", "e": source}}, []
    before = "source"
    for k in range(sections):
        components.update({f"j{k}": {"type": 1}, f"r{k}": {"type": "R", "R": series[k]},
                           f"l{k}": {"type": "I", "I": log_uniform(rng, -6, 2)}, f"n{k}": {"type": 0},
                           f"c{k}": {"type": "C", "C": log_uniform(rng, -9, 1)},
                           f"g{k}": {"type": "R", "R": 1 / shunt[k]}})
        bonds += [f"{before} -> j{k}", f"j{k} -> r{k}", f"j{k} -> l{k}", f"j{k} -> n{k}"]
        bonds += [f"n{k} -> c{k}", f"n{k} -> g{k}"]
        before = f"n{k}"
    if not possible:  # a source that drives a current into a capacitor alone
        components.update({"drive": {"type": "Sf", "f": source * log_uniform(rng, -3, 3)}, "alone": {"type": 0},
                           "full": {"type": "C", "C": log_uniform(rng, -6, 1)}})
        bonds += ["drive -> alone", "alone -> full"]
    model = {"components": components, "bonds": bonds, "initial": "steady"}

    def conditions(get):
        # voltages at the nodes: (v[k-1] − v[k])/R[k] = v[k] G[k] + (v[k] − v[k+1])/R[k+1]
        matrix, right = numpy.zeros((sections, sections)), numpy.zeros(sections)
        for k in range(sections):
            matrix[k, k] = 1 / series[k] + shunt[k] + (1 / series[k + 1] if k + 1 < sections else 0)
            if k:
                matrix[k, k - 1] = -1 / series[k]
            else:
                right[k] = source / series[k]
            if k + 1 < sections:
                matrix[k, k + 1] = -1 / series[k + 1]
        v = numpy.linalg.solve(matrix, right)
        return [close(f"n{k}", get(f"c{k}.e"), v[k], source) for k in range(sections)]
    return Problem("steady ladder", possible, model, [f"c{k}.e" for k in range(sections)], conditions,
                   words=["full", "drive", "alone"])


def steady_saturated(rng):
    """A leak whose current has a limit, f = f0 tanh(e/e0), and a source of current that is below it or above."""
    limit, scale = log_uniform(rng, -6, 3), log_uniform(rng, -3, 3)
    possible = rng.random() < 0.5
    root = rng.uniform(-2, 2)
    source = limit * math.tanh(root) if possible else limit * (1 + beyond(rng)) * float(rng.choice([-1, 1]))
    near = rng.random() < 0.7
    capacity = log_uniform(rng, -6, 1)
    model = {"parameters": {"f0": limit, "e0": scale}, "components": {
        "source": {"type": "Sf", "f": source}, "node": {"type": 0},
        "store": {"type": "C", "C": capacity, "guess": {"e": disturbed(rng, root, near, 0.3) * scale}},
        "leak": {"type": "R", "law": "f = f0*tanh(e/e0)"}},
        "bonds": ["source -> node", "node -> store", "node -> leak"], "initial": "steady"}
    return Problem("steady, saturated", possible, model, ["store.e", "leak.f"],
                   lambda get: [close("leak", limit * math.tanh(get("store.e") / scale), source),
                                close("flow", get("leak.f"), source)], near=near, words=["store", "leak"])


def steady_tank(rng):
    """A tank that runs out through an orifice, f = k sqrt(e), and takes an inflow: at rest e = (inflow/k)²; an outflow
    that is pumped out of an empty one has no rest."""
    k, inflow = log_uniform(rng, -6, 0), log_uniform(rng, -6, 0)
    possible = rng.random() < 0.5
    level = (inflow / k) ** 2
    near = rng.random() < 0.7
    guess = level * (rng.uniform(0.9, 1.1) if near else log_uniform(rng, -3, 3))
    model = {"parameters": {"k": k}, "components": {
        "source": {"type": "Sf", "f": inflow if possible else -inflow}, "node": {"type": 0},
        "store": {"type": "C", "C": log_uniform(rng, -9, 0), "guess": {"e": guess}, "initial": "steady"},
        "leak": {"type": "R", "law": "f = k*sqrt(e)"}},
        "bonds": ["source -> node", "node -> store", "node -> leak"]}
    return Problem("steady tank", possible, model, ["store.e"], lambda get: [close("level", get("store.e"), level)],
                   near=near, words=["store", "leak"])


def steady_body(rng):
    """A body on a hardening spring k x + h x³ under its weight; without a spring but with a damper it falls at m
    g/d, so its velocity is at rest and its place is not: all steady has no solution, the velocity alone has one."""
    mass, gravity, size = log_uniform(rng, -3, 3), 9.81, log_uniform(rng, -2, 1)
    which = rng.integers(3)
    possible = which != 1
    components = {"weight": {"type": "Se", "e": mass * gravity}, "motion": {"type": 1},
                  "mass": {"type": "I", "I": mass}, "damper": {"type": "R", "R": mass * log_uniform(rng, -1, 1)}}
    bonds = ["weight -> motion", "motion -> mass", "motion -> damper"]
    damping = components["damper"]["R"]
    model = {"components": components, "bonds": bonds}
    if which == 0:
        linear, cubic = mass * gravity / size * 0.6, mass * gravity / size ** 3 * 0.4
        components["spring"] = {"type": "C", "law": "e = k*q + h*q^3",
                                "guess": {"q": disturbed(rng, size, True, 0.1 * size)}}
        model["parameters"] = {"k": linear, "h": cubic}
        bonds.append("motion -> spring")
        model["initial"] = "steady"
        return Problem("steady body", possible, model, ["spring.q", "mass.f"],
                       lambda get: [close("spring", linear * get("spring.q") + cubic * get("spring.q") ** 3,
                                          mass * gravity), close("rest", get("mass.f"), 0.0, 1e-3)], words=["spring"])
    components["place"] = {"type": "Dq"}
    bonds.append("motion -> place")
    if possible:
        components["mass"]["initial"] = "steady"
    else:
        model["initial"] = "steady"
    return Problem("falling body", possible, model, ["mass.f", "place.y"],
                   lambda get: [close("fall", get("mass.f"), mass * gravity / damping),
                                close("place", get("place.y"), 0)],
                   words=["mass", "place", "weight"])


def free(rng):
    """A free parameter found from rest: the stiffness K that holds a weight at a place x, K = m g/x; the resistance
    R at which a current flows, R = E/i − Ri. Below its bound (K > 0) there is none."""
    possible = rng.random() < 0.5
    size, sign = log_uniform(rng, -3, 3), 1.0 if possible else -1.0
    if rng.random() < 0.5:
        force = log_uniform(rng, -3, 3)
        truth = force / size
        model = {"parameters": {"K": {"value": truth * rng.uniform(0.5, 2), "free": True}}, "components": {
            "weight": {"type": "Se", "e": force}, "motion": {"type": 1},
            "mass": {"type": "I", "I": log_uniform(rng, -3, 3), "initial": {"f": 0.0}},
            "spring": {"type": "C", "K": "K", "initial": {"q": sign * size}}},
            "bonds": ["weight -> motion", "motion -> mass", "motion -> spring"], "initial": ["der(mass.p) = 0"]}
        return Problem("free stiffness", possible, model, ["spring.q", "spring.e"],
                       lambda get: [close("place", get("spring.q"), size), close("force", get("spring.e"), force)],
                       wraps=False, words=["K", "spring"])
    voltage, inner = log_uniform(rng, -3, 3), log_uniform(rng, -3, 3)
    most = voltage / inner
    current = most * (rng.uniform(0.1, 0.9) if possible else 1 + beyond(rng))
    truth = abs(voltage / current - inner)
    model = {"parameters": {"Rx": {"value": truth * rng.uniform(0.5, 2), "free": True}}, "components": {
        "source": {"type": "Se", "e": voltage}, "loop": {"type": 1}, "inner": {"type": "R", "R": inner},
        "outer": {"type": "R", "R": "Rx"},
        "coil": {"type": "I", "I": log_uniform(rng, -6, 0), "initial": {"f": current}}},
        "bonds": ["source -> loop", "loop -> inner", "loop -> outer", "loop -> coil"], "initial": ["der(coil.p) = 0"]}
    return Problem("free resistance", possible, model, ["coil.f", "outer.e", "inner.e"],
                   lambda get: [close("current", get("coil.f"), current),
                                close("loop", get("outer.e") + get("inner.e"), voltage)],
                   wraps=False, words=["Rx", "outer", "coil"])


KINDS = [(tied, 3), (steady, 4), (free, 1)]

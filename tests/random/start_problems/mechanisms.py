"""Start problems of mechanisms: arms with rates, arms in space, closed loops, points on rods."""
import math

import numpy

from start_problems.problem import CUT, Problem, beyond, close, disturbed, log_uniform, number


def rates(rng):
    """Two links by hand (1-junctions, inertias, angles): the tip shall be at a place with a velocity. The rates follow
    from J(a, b) (w1, w2) = (vx, vy). Stretched out, J has no component along the arm: the tip can only move across
    it."""
    size, mass = log_uniform(rng, -3, 3), log_uniform(rng, -3, 3)
    speed = size * log_uniform(rng, -2, 2)
    l1, l2 = size * rng.uniform(0.3, 2, 2)
    possible = rng.random() < 0.5
    stretched = not possible and rng.random() < 0.6
    near = rng.random() < 0.7
    a, b = rng.uniform(-math.pi, math.pi), rng.choice([-1, 1]) * rng.uniform(0.3, 2.8)
    if stretched or possible and rng.random() < 0.2:
        b = 0.0
    w = rng.uniform(-1, 1, 2) * speed / size
    jacobian = numpy.array([[-l1 * math.sin(a) - l2 * math.sin(a + b), -l2 * math.sin(a + b)],
                            [l1 * math.cos(a) + l2 * math.cos(a + b), l2 * math.cos(a + b)]])
    x, y = l1 * math.cos(a) + l2 * math.cos(a + b), l1 * math.sin(a) + l2 * math.sin(a + b)
    v = jacobian @ w
    components, bonds = {}, []
    for k, angle in (("1", a), ("2", b)):
        components.update({f"turn{k}": {"type": 1}, f"body{k}": {"type": "I", "I": mass}, f"angle{k}": {"type": "Dq"},
                           f"loss{k}": {"type": "R", "R": mass}})
        bonds += [f"turn{k} -> {c}{k}" for c in ("body", "angle", "loss")]
        key = "initial" if b == 0.0 else "guess"
        components[f"angle{k}"][key] = {"y": float(angle if b == 0.0 else disturbed(rng, angle, near, 0.3))}
    s1, s2 = "angle1.y", "(angle1.y + angle2.y)"
    w1, w2 = "body1.f", "(body1.f + body2.f)"
    if stretched:
        v = v + numpy.array([math.cos(a), math.sin(a)]) * speed * beyond(rng)
    elif not possible:
        nearest = beyond(rng) * (l1 + l2)
        stretch = (l1 + l2 + nearest) / math.hypot(x, y)
        x, y = x * stretch, y * stretch
    places = [f"{number(l1)}*{f}({s1}) + {number(l2)}*{f}({s2}) = {number(p)}" for f, p in (("cos", x), ("sin", y))]
    moves = [f"{number(-l1)}*sin({s1})*{w1} - {number(l2)}*sin({s2})*{w2} = {number(v[0])}",
             f"{number(l1)}*cos({s1})*{w1} + {number(l2)}*cos({s2})*{w2} = {number(v[1])}"]
    model = {"components": components, "bonds": bonds, "initial": moves if b == 0.0 else places + moves}

    def conditions(get):
        p, q, f, g = get("angle1.y"), get("angle1.y") + get("angle2.y"), get("body1.f"), get("body1.f") + get("body2.f")
        return [close("x", l1 * math.cos(p) + l2 * math.cos(q), x, l1 + l2),
                close("y", l1 * math.sin(p) + l2 * math.sin(q), y, l1 + l2),
                close("vx", -l1 * math.sin(p) * f - l2 * math.sin(q) * g, v[0], l1 * f, l2 * g),
                close("vy", l1 * math.cos(p) * f + l2 * math.cos(q) * g, v[1], l1 * f, l2 * g)]
    return Problem("rates", possible, model, ["angle1.y", "angle2.y", "body1.f", "body2.f"], conditions,
                   near=near, words=["angle1", "angle2", "body1", "body2"])


def chain(links, masses):
    """Joints and rods one behind the other from the world on, a point mass at the end of each: components,
    connections."""
    components, connect, before = {"world": {"type": "World"}}, [], "world.frame_b"
    for k, ((axis, r), mass) in enumerate(zip(links, masses)):
        components.update({f"hinge{k}": {"type": "Revolute", "n": list(axis)},
                           f"rod{k}": {"type": "FixedTranslation", "r": [float(c) for c in r]},
                           f"ball{k}": {"type": "PointMass", "m": float(mass)}})
        connect += [[before, f"hinge{k}.frame_a"], [f"hinge{k}.frame_b", f"rod{k}.frame_a"],
                    [f"rod{k}.frame_b", f"ball{k}.frame_a"]]
        before = f"rod{k}.frame_b"
    return components, connect


def space_arm(rng):
    """An arm that turns about the vertical and twice about a horizontal axis; its tip shall be at a place and move. The
    shoulder is at height h on the axis, so what counts is the distance from there: |l1 − l2| to l1 + l2. The
    velocity of three rates is free where the arm is not stretched and not above its shoulder."""
    size = log_uniform(rng, -2, 2)
    h, l1, l2 = size * rng.uniform(0.3, 2, 3)
    masses = log_uniform(rng, -2, 3) * rng.uniform(0.5, 2, 3)
    possible = rng.random() < 0.5
    near = rng.random() < 0.7
    yaw, lift, elbow = rng.uniform(-3, 3), rng.uniform(-1, 1), rng.choice([-1, 1]) * rng.uniform(0.4, 2.4)
    out, up = l1 * math.cos(lift) + l2 * math.cos(lift + elbow), l1 * math.sin(lift) + l2 * math.sin(lift + elbow)
    place = numpy.array([out * math.cos(yaw), h + up, -out * math.sin(yaw)])
    if not possible:
        way = rng.normal(size=3)
        hole = l1 > 1.05 * l2 and rng.random() < 0.4
        nearest = (l1 - l2) * min(beyond(rng), 1) if hole else (l1 + l2) * beyond(rng)
        r = l1 - l2 - nearest if hole else l1 + l2 + nearest
        place = numpy.array([0, h, 0]) + r * way / numpy.linalg.norm(way)
    moving = rng.random() < 0.6
    velocity = rng.uniform(-1, 1, 3) * size * log_uniform(rng, -1, 1)
    components, connect = chain([((0, 1, 0), (0, h, 0)), ((0, 0, 1), (l1, 0, 0)), ((0, 0, 1), (l2, 0, 0))], masses)
    for k, angle in enumerate((yaw, lift, elbow)):
        components[f"hinge{k}"]["guess"] = {"phi": disturbed(rng, angle, near, 0.3)}
        if not moving:
            components[f"hinge{k}"]["initial"] = {"w": 0}
    initial = [f"rod2.frame_b.x[{i + 1}] = {number(place[i])}" for i in range(3)]
    if moving:
        initial += [f"rod2.frame_b.v[{i + 1}] = {number(velocity[i])}" for i in range(3)]
    model = {"components": components, "connect": connect, "initial": initial}
    outputs = [f"hinge{k}.{c}" for k in range(3) for c in ("phi", "w")]

    def conditions(get):
        p, q, r = (get(f"hinge{k}.phi") for k in range(3))
        wp, wq, wr = (get(f"hinge{k}.w") for k in range(3))
        far, high = l1 * math.cos(q) + l2 * math.cos(q + r), l1 * math.sin(q) + l2 * math.sin(q + r)
        far_rate = -l1 * math.sin(q) * wq - l2 * math.sin(q + r) * (wq + wr)
        x = [far * math.cos(p), h + high, -far * math.sin(p)]
        v = [far_rate * math.cos(p) - far * math.sin(p) * wp, l1 * math.cos(q) * wq + l2 * math.cos(q + r) * (wq + wr),
             -far_rate * math.sin(p) - far * math.cos(p) * wp]
        wanted = velocity if moving else [0, 0, 0]
        fastest = size * max(abs(wp), abs(wq), abs(wr), 1e-3)
        return [close(f"x{i}", x[i], place[i], size) for i in range(3)] + [
            close(f"v{i}", v[i], wanted[i], fastest) for i in range(3)]
    return Problem("arm in space", possible, model, outputs, conditions, near=near, words=list(components))


def four_bar(rng):
    """Three links whose end is held at a point of the ground, d from the first pivot: they close if no one of the
    four is longer than the others together; with the crank's angle given, if crank end and ground pivot are no
    further apart than coupler and rocker reach. A rate of the crank brings those of the others. In a plane turned in
    space or not: three conditions then, of which one repeats the others."""
    size = log_uniform(rng, -3, 3)
    mass = log_uniform(rng, -3, 4)
    given, near = rng.random() < 0.6, rng.random() < 0.7
    possible = rng.random() < 0.5
    lengths = size * rng.uniform(0.4, 1.5, 3)
    angles = rng.uniform(-math.pi, math.pi, 3)
    while True:  # a position in which the coupler and the rocker are not in one line
        end = sum(l * numpy.exp(1j * a) for l, a in zip(lengths, numpy.cumsum(angles)))
        if abs(math.sin(angles[2])) > 0.2 and abs(end) > 0.3 * size:
            break
        angles = rng.uniform(-math.pi, math.pi, 3)
    angles[0] -= numpy.angle(end)
    ground = float(abs(end))
    if not possible:
        over = 1 + beyond(rng)
        if given:  # coupler and rocker too short for the diagonal, or too unlike
            diagonal = abs(ground - lengths[0] * numpy.exp(1j * angles[0]))
            share = rng.uniform(0.3, 0.7)
            if rng.random() < 0.6:
                lengths[1:] = numpy.array([share, 1 - share]) * diagonal / over
            else:
                lengths[2] = lengths[1] + diagonal * over
        else:
            ground = float(sum(lengths) * over)
    rate = rng.uniform(-3, 3)
    turned = rng.random() < 0.4
    components, connect = chain([((0, 0, 1), (l, 0, 0)) for l in lengths], mass * rng.uniform(0.5, 2, 3))
    target = numpy.array([ground, 0, 0])
    if turned:
        axis, angle = rng.normal(size=3), rng.uniform(-3, 3)
        components["base"] = {"type": "FixedRotation", "n": [float(c) for c in axis], "angle": float(angle)}
        connect[0] = ["world.frame_b", "base.frame_a"]
        connect.append(["base.frame_b", "hinge0.frame_a"])
        unit = axis / numpy.linalg.norm(axis)
        target = (target * math.cos(angle) + numpy.cross(unit, target) * math.sin(angle) +
                  unit * (unit @ target) * (1 - math.cos(angle)))  # Rodrigues' formula
    directions = 3 if turned else 2
    components["tip"] = {"type": "WorldForce", "f": [0, 0, 0]}
    connect.append(["rod2.frame_b", "tip.frame_b"])
    signals = []
    for i in range(directions):
        components[f"cut{i}"] = {"type": "Cut", "at": float(target[i])}
        signals += [f"rod2.frame_b.x[{i + 1}] -> cut{i}.x", f"cut{i}.F -> tip.f[{i + 1}]"]
    for k in range(3):
        components[f"hinge{k}"]["guess"] = {"phi": disturbed(rng, angles[k], near, 0.3)}
    if given:
        components["hinge0"].pop("guess")
        components["hinge0"]["initial"] = {"phi": float(angles[0]), "w": rate}
    else:
        components["hinge0"]["initial"] = {"w": rate}
    model = {"types": {"Cut": CUT}, "components": components, "connect": connect, "signals": signals}

    def conditions(get):
        phi = numpy.cumsum([get(f"hinge{k}.phi") for k in range(3)])
        w = numpy.cumsum([get(f"hinge{k}.w") for k in range(3)])
        fastest = size * max(abs(w))
        found = [close("x", lengths @ numpy.cos(phi), ground, size), close("y", lengths @ numpy.sin(phi), 0.0, size),
                 close("vx", -(lengths * w) @ numpy.sin(phi), 0.0, fastest),
                 close("vy", (lengths * w) @ numpy.cos(phi), 0.0, fastest), close("rate", get("hinge0.w"), rate)]
        return found + ([close("crank", phi[0], angles[0])] if given else [])
    outputs = [f"hinge{k}.{c}" for k in range(3) for c in ("phi", "w")]
    return Problem("four-bar", possible, model, outputs, conditions, near=near, words=list(components))


def slider_crank(rng):
    """Crank r, rod l and a slider on the line at height e: r sin(a) + l sin(b) = e needs |e − r sin(a)| ≤ l; with the
    place of the slider given as well, |x + iy| between |r − l| and r + l."""
    size, mass = log_uniform(rng, -3, 3), log_uniform(rng, -3, 4)
    by_place, near = rng.random() < 0.4, rng.random() < 0.7
    possible = rng.random() < 0.5
    r, l = size * rng.uniform(0.3, 2, 2)
    a, b = rng.uniform(-math.pi, math.pi), rng.choice([-1, 1]) * rng.uniform(0.3, 2.8)
    place, height = r * math.cos(a) + l * math.cos(a + b), r * math.sin(a) + l * math.sin(a + b)
    if not by_place and abs(math.cos(a + b)) < 0.1:
        b += 0.5
        place, height = r * math.cos(a) + l * math.cos(a + b), r * math.sin(a) + l * math.sin(a + b)
    if not possible:
        over = 1 + beyond(rng)
        if by_place:
            stretch = (r + l) * over / math.hypot(place, height)
            place, height = place * stretch, height * stretch
        else:
            height = r * math.sin(a) + float(rng.choice([-1, 1])) * l * over
    rate = rng.uniform(-3, 3)
    components, connect = chain([((0, 0, 1), (r, 0, 0)), ((0, 0, 1), (l, 0, 0))], mass * rng.uniform(0.5, 2, 2))
    components.update({"tip": {"type": "WorldForce", "f": [0, 0, 0]}, "cut": {"type": "Cut", "at": float(height)}})
    connect.append(["rod1.frame_b", "tip.frame_b"])
    components["hinge1"]["guess"] = {"phi": disturbed(rng, b, near, 0.3)}
    components["hinge0"]["initial"] = {"w": rate}
    model = {"types": {"Cut": CUT}, "components": components, "connect": connect,
             "signals": ["rod1.frame_b.x[2] -> cut.x", "cut.F -> tip.f[2]"]}
    if by_place:
        components["hinge0"]["guess"] = {"phi": disturbed(rng, a, near, 0.3)}
        model["initial"] = [f"rod1.frame_b.x[1] = {number(place)}"]
    else:
        components["hinge0"]["initial"]["phi"] = float(a)

    def conditions(get):
        p, q = get("hinge0.phi"), get("hinge0.phi") + get("hinge1.phi")
        f, g = get("hinge0.w"), get("hinge0.w") + get("hinge1.w")
        found = [close("line", r * math.sin(p) + l * math.sin(q), height, size), close("rate", f, rate),
                 close("vy", r * math.cos(p) * f + l * math.cos(q) * g, 0.0, r * f, l * g)]
        return found + [close("place", r * math.cos(p) + l * math.cos(q), place, size) if by_place else
                        close("crank", p, a)]
    outputs = [f"hinge{k}.{c}" for k in range(2) for c in ("phi", "w")]
    return Problem("slider-crank", possible, model, outputs, conditions, near=near, words=list(components))


def on_a_rod(rng):
    """A point in the plane on a rod of length l, x² + y² = l²; given are one coordinate, both, or one and its velocity:
    v_y = −x v_x/y, which at y = 0 leaves v_x = 0 only."""
    size, mass = log_uniform(rng, -3, 3), log_uniform(rng, -3, 4)
    possible, near = rng.random() < 0.5, rng.random() < 0.7
    way = rng.choice([-1, 1]) * rng.uniform(0.2, 2.9)
    x, y, vx = size * math.cos(way), size * math.sin(way), 0.0
    which = int(rng.integers(3))  # x; x and y; x and v_x
    if not possible:
        if which == 1:
            y *= 1 + beyond(rng)
        else:
            x = float(rng.choice([-1, 1])) * size * (1 + beyond(rng))
    if which == 2:
        vx = size * rng.uniform(-3, 3)
    guess = disturbed(rng, y, near, 0.1 * size)
    components = {"rod": {"type": "Rod", "l": size}}
    bonds = []
    for c in "xy":
        components.update({f"move_{c}": {"type": 1}, f"mass_{c}": {"type": "I", "I": mass},
                           f"place_{c}": {"type": "Dq"}})
        bonds += [f"move_{c} -> mass_{c}", f"move_{c} -> place_{c}", f"move_{c} -> rod.{c}"]
    components["place_x"]["initial"] = {"y": float(x)}
    components["place_y"]["initial" if which == 1 else "guess"] = {"y": float(y) if which == 1 else guess}
    if which == 2:
        components["mass_x"]["initial"] = {"f": float(vx)}
    rod = {"parameters": {"l": {"unit": "m"}}, "inputs": ["px", "py"], "ports": {"x": {"domain": "translational"},
           "y": {"domain": "translational"}}, "variables": ["pull"],
           "equations": ["px^2 + py^2 = l^2", "x.e = pull*px", "y.e = pull*py"]}
    model = {"types": {"Rod": rod}, "components": components, "bonds": bonds,
             "signals": ["place_x.y -> rod.px", "place_y.y -> rod.py"]}

    def conditions(get):
        p, q, v, w = get("place_x.y"), get("place_y.y"), get("mass_x.f"), get("mass_y.f")
        found = [close("rod", p * p + q * q, size * size), close("x", p, x),
                 close("v", p * v, -q * w, size * max(abs(v), abs(w)))]
        return found + ([close("y", q, y)] if which == 1 else []) + ([close("vx", v, vx)] if which == 2 else [])
    return Problem("point on a rod", possible, model, ["place_x.y", "place_y.y", "mass_x.f", "mass_y.f"], conditions,
                   near=near, words=["rod", "place_x", "place_y", "mass_x", "mass_y"])


KINDS = [(rates, 3), (space_arm, 3), (four_bar, 3), (slider_crank, 3), (on_a_rod, 2)]

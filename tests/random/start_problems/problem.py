"""A start problem: a model, whether it has a start, what has to hold there; ways to write it differently."""
import json
import re
from dataclasses import dataclass, field
from typing import Callable

# What a run makes of its start is the matter of other families.
SHORT = {"stop": 1e-15, "interval": 1e-15}

# An own type that holds a signal at a value by a force of its choice: what closes a loop of links.
CUT = {"parameters": {"at": 0}, "inputs": ["x"], "outputs": ["F"], "equations": ["x = at"]}


@dataclass
class Problem:
    """`conditions(get)` gives (name, left, right, size of the largest term) of all that has to hold, by values of
    results. `near`: the guesses lie within a tenth of the size, or 0.3 rad, of a solution."""
    kind: str
    possible: bool
    model: dict
    outputs: list
    conditions: Callable
    near: bool = True
    wraps: bool = True       # may be put into an own type as a whole
    words: list = field(default_factory=list)  # names of which a refusal has to say one


def number(x):
    """As it stands in an expression."""
    return repr(float(x)) if x >= 0 else f"({float(x)!r})"


def close(name, left, right, *terms):
    """A condition as `conditions` gives it."""
    return name, left, right, max([abs(left), abs(right), *(abs(t) for t in terms)])


def log_uniform(rng, low, high):
    """10 to a power between low and high."""
    return 10.0 ** rng.uniform(low, high)


def beyond(rng):
    """How far beyond what is possible, in relation to it: from a millionth to ten times."""
    return log_uniform(rng, -6, 1)


def disturbed(rng, value, near, size):
    """A guess for a value: within `size` of it, or within 10 sizes of 0."""
    return float(value + rng.uniform(-1, 1) * size if near else rng.uniform(-10, 10) * size)


def integrators(rng, kind, possible, names, guesses, equations, conditions, **more):
    """Unknowns that nothing but guesses and initial equations determines: outputs of integrators of 0."""
    components = {"zero": {"type": "Constant", "k": 0}}
    for name, guess in zip(names, guesses):
        components[name] = {"type": "Integrator"}
        if guess is not None:
            components[name]["guess"] = {"y": float(guess)}
    model = {"components": components, "signals": [f"zero.y -> {name}.u" for name in names], "initial": list(equations)}
    return Problem(kind, possible, model, [f"{name}.y" for name in names], conditions,
                   words=[f"{name}.y" for name in names], **more)


def written(model, outputs):
    return json.dumps({"model": "start", **model, "outputs": list(outputs), "experiment": SHORT}, indent=1)


def shuffled(problem, rng):
    """The lines in another order."""
    def mixed(value):
        if isinstance(value, dict):
            return {k: value[k] for k in rng.permutation(list(value)).tolist()}
        return [value[i] for i in rng.permutation(len(value))]
    model = {key: mixed(part) if key in ("components", "bonds", "signals", "connect", "initial", "types")
             and not isinstance(part, str) else part for key, part in problem.model.items()}
    return written(model, problem.outputs), lambda name: name, problem.words


def renamed(problem, rng):
    """All components called something else, in another alphabetical order."""
    names = list(problem.model["components"])
    new = {name: f"{'abcxyz'[rng.integers(6)]}_{k}_{rng.integers(1000)}" for k, name in enumerate(names)}
    pattern = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w])")

    def name_in(text):
        return pattern.sub(lambda m: new[m.group(1)], text)

    def everywhere(value, keys):
        if isinstance(value, dict):
            return {name_in(k) if keys else k: everywhere(v, False) for k, v in value.items()}
        if isinstance(value, list):
            return [everywhere(v, False) for v in value]
        return name_in(value) if isinstance(value, str) else value
    named = ("components", "bonds", "signals", "connect", "initial")
    model = {key: everywhere(part, key == "components") if key in named else part
             for key, part in problem.model.items()}
    return (written(model, [name_in(o) for o in problem.outputs]), name_in, [name_in(w) for w in problem.words])


def wrapped(problem, rng):
    """All of it inside an own type."""
    inside = {key: part for key, part in problem.model.items() if key in ("components", "bonds", "signals", "connect",
                                                                          "initial", "parameters")}
    types = {**problem.model.get("types", {}), "Whole": inside}
    model = {"types": types, "components": {"whole": {"type": "Whole"}}}
    return written(model, ["whole." + o for o in problem.outputs]), lambda name: "whole." + name, problem.words


def beside(problem, rng):
    """Something unrelated in the same file: a tank that runs empty, or a pair of unknowns with equations of its own."""
    if problem.model.get("initial") == "steady":  # that would be the other part's matter as well
        return plain(problem, rng)
    if rng.random() < 0.5:
        other = {"components": {"u_node": {"type": 0}, "u_tank": {"type": "C", "C": log_uniform(rng, -9, 9),
                                                                  "initial": {"e": log_uniform(rng, -6, 6)}},
                                "u_leak": {"type": "R", "R": log_uniform(rng, -6, 6)}},
                 "bonds": ["u_node -> u_tank", "u_node -> u_leak"]}
    else:
        size = log_uniform(rng, -6, 6)
        other = {"components": {"u_zero": {"type": "Constant", "k": 0},
                                "u_one": {"type": "Integrator", "guess": {"y": size}}},
                 "signals": ["u_zero.y -> u_one.u"], "initial": [f"u_one.y^2 = {number(size * size * 2)}"]}
    model = dict(problem.model)
    for key, part in other.items():
        if isinstance(part, dict):
            model[key] = {**part, **model.get(key, {})}
        else:
            model[key] = part + model.get(key, [])
    return written(model, problem.outputs), lambda name: name, problem.words


def plain(problem, rng):
    return written(problem.model, problem.outputs), lambda name: name, problem.words


def other_way(problem, rng):
    """The problem written in another way, drawn at random: its text, names there of results here, words there."""
    ways = [shuffled, renamed, beside] + ([wrapped] if problem.wraps else [])
    way = ways[rng.integers(len(ways))]
    return (way.__name__, *way(problem, rng))

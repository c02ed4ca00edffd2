"""Writes a drawn model as a file: in any order, some of the parts within a type of its own."""
import re

RATE = ["inputs: [u]", "outputs: [y]", "equations: [y = der(u)]"]


def component(part):
    entries = [f"type: {part.type}"] + [f"{key}: {value}" for key, value in part.values.items()]
    for key, values in (("initial", part.initial), ("guess", part.guess)):
        if values:
            entries.append(f"{key}: {{" + ", ".join(f"{name}: {value}" for name, value in values.items()) + "}")
    return f"{part.name}: {{{', '.join(entries)}}}"


def shuffled(random, lines):
    return random.sample(lines, len(lines))


def clusters(model):
    """Names of parts that have to stay together because of bonds."""
    sets = [set(group) for group in model.groups] + [{p.name} for p in model.system.parts + model.simple]
    merged = []
    for group in sets:
        for other in [m for m in merged if m & group]:
            merged.remove(other)
            group = group | other
        merged.append(group)
    return merged


def joined(model, chosen):
    """For each node with frames of the chosen parts: these, and whether others are there too."""
    at = {}
    for part in model.system.parts:
        for frame, node in part.frames.items():
            inside, outside = at.setdefault(node, ([], []))
            (inside if part.name in chosen else outside).append(f"{part.name}.{frame}")
    return at


def connections(random, ends):
    """Lines that join them all."""
    ends = shuffled(random, ends)
    if len(ends) < 2:
        return []
    if len(ends) > 2 and random.random() < 0.4:
        return [f"[{a}, {b}]" for a, b in zip(ends, ends[1:])]
    return [f"[{', '.join(ends)}]"]


def section(name, lines, indent=""):
    return [f"{indent}{name}:"] + [f"{indent}  {line}" for line in lines] if lines else []


def listed(name, lines, indent=""):
    return section(name, [f"- {line}" for line in lines], indent)


def whole(model, chosen, at):
    """The type that holds the chosen parts, and the component of it; `at` gets its connectors."""
    inner, connectors = [], {}
    for node, (inside, outside) in at.items():
        if inside and outside:
            connectors[f"end{node}"] = "planar_frame" if node in model.flat else "frame"
            inner += connections(model.random, [f"end{node}"] + inside)
            outside.append(f"whole.end{node}")
        else:
            inner += connections(model.random, inside)
    held = [component(p) for p in model.system.parts + model.simple if p.name in chosen]
    needed = sorted(set(re.findall(r"\bgiven_\d+\b", " ".join(held))))
    lines = []
    if needed:
        units = ", ".join(f"{n}: {{unit: {model.texts.parameters[n][1]}}}" for n in needed)
        lines.append(f"parameters: {{{units}}}")
    if connectors:
        lines.append("connectors: {" + ", ".join(f"{k}: {v}" for k, v in connectors.items()) + "}")
    lines += section("components", shuffled(model.random, held))
    bonds = [f"{a} -> {b}" for a, b in shuffled(model.random, model.bonds) if a.split(".")[0] in chosen]
    lines += listed("bonds", bonds)
    inner += [f"[{a}, {b}]" for a, b in model.flanges if a.split(".")[0] in chosen]
    lines += listed("connect", shuffled(model.random, inner))
    hands = "".join(f", {n}: {n}" for n in needed)
    return lines, f"whole: {{type: Whole{hands}}}"


def write(model, outputs, rates, options):
    """The text; outputs and what rates are taken of are functions of how parts are called. Also returns that."""
    random = model.random
    chosen = set()
    if options["nested"]:
        world = next(p.name for p in model.system.parts if p.type == "World")
        for group in clusters(model):
            if world not in group and random.random() < 0.5:
                chosen |= group

    def called(name):
        """A part, or what begins with its name, as results name it."""
        return f"whole.{name}" if name.split(".")[0] in chosen else name

    types = [[f"{name}:"] + [f"  {line}" for line in lines] for name, lines in model.types.items()]
    if rates:
        types.append(["Rate:"] + [f"  {line}" for line in RATE])
    at = joined(model, chosen)
    parts = [component(p) for p in model.system.parts + model.simple if p.name not in chosen]
    outer = []
    if chosen:
        lines, part = whole(model, chosen, at)
        types.append(["Whole:"] + [f"  {line}" for line in lines])
        parts.append(part)
    for _, outside in at.values():
        outer += connections(random, outside)
    outer += [f"[{a}, {b}]" for a, b in model.flanges if a.split(".")[0] not in chosen]
    signals = [f"\"{called(what)} -> rate{k}.u\"" for k, what in enumerate(rates)]
    parts += [f"rate{k}: {{type: Rate}}" for k in range(len(rates))]
    bonds = [f"{a} -> {b}" for a, b in model.bonds if a.split(".")[0] not in chosen]
    lines = [f"model: {options.get('model', 'random_trees')}"]
    parameters = [f"{name}: {text}" for name, (text, _) in model.texts.parameters.items()]
    lines += section("parameters", shuffled(random, parameters))
    lines += section("types", [line for t in shuffled(random, types) for line in t])
    lines += section("components", shuffled(random, parts))
    lines += listed("connect", shuffled(random, outer)) + listed("bonds", shuffled(random, bonds))
    lines += listed("signals", signals)
    lines.append(f"experiment: {{stop: {options['stop']!r} s, tolerance: {options['tolerance']!r}, "
                 f"interval: {options['interval']!r} s}}")
    lines.append("outputs:")
    lines += [f"  - \"{called(name)}\"" for name in outputs] + [f"  - rate{k}.y" for k in range(len(rates))]
    return "\n".join(lines) + "\n", called


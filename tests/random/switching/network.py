"""Networks of one-ports and two-ports in one or two islands, as equations.

An island has nodes and a ground. Its nodes are all 0-junctions ("across" is the effort) or all 1-junctions ("across"
is the flow); an element between two nodes hangs on a junction of the other kind between them, one between a node and
ground there as well or directly on the node. Power counts positive into an element, out of sources and out of `p2`.
"""
from dataclasses import dataclass, field

import numpy

from switching.piecewise import NoSolution, Pencil, Redraw

SOURCES = ("Se", "Sf")
TWO_PORTS = ("TF", "GY")
STORAGES = ("C", "I")


@dataclass
class Port:
    """Where an element is tied to an island: from node `a` to node `b` (None: ground)."""
    island: int
    a: int
    b: int
    direct: bool = False  # hangs on node a itself
    out: bool = False     # power is positive out of the element


@dataclass
class Element:
    """`values` are the numbers of its law; `first` the index of its first port; `mode` how it is held, if it is."""
    kind: str
    name: str
    ports: list
    values: dict
    first: int = 0
    conditions: dict = field(default_factory=dict)
    column: int = -1  # of a displacement of its own
    waves: list = field(default_factory=list)  # of a source: for each mode (constant, [(amplitude, omega, phase)])


class Network:
    """`kinds`: of each island, "0" or "1"; `nodes`: how many each has."""

    def __init__(self, kinds, nodes, elements):
        self.kinds, self.nodes, self.elements = kinds, nodes, elements
        self.ports = []
        for element in elements:
            element.first = len(self.ports)
            self.ports += element.ports
        count = len(self.ports)
        self.node_columns = numpy.cumsum([2 * count, *nodes])
        column = int(self.node_columns[-1])
        for element in elements:
            if element.kind == "EndStop":
                element.column, column = column, column + 1
        self.one = column
        frequencies = {wave[1] for element in elements for _, waves in element.waves for wave in waves}
        self.sines = {w: column + 1 + 2 * i for i, w in enumerate(sorted(frequencies))}
        self.size = column + 1 + 2 * len(self.sines)
        self.fixed = self._fixed_rows()
        self.pencils = {}

    def e(self, element, port=0):
        return element.first + port

    def f(self, element, port=0):
        return len(self.ports) + element.first + port

    def row(self, entries):
        r = numpy.zeros(self.size)
        for column, value in entries:
            r[column] += value
        return r

    def _fixed_rows(self):
        """Kirchhoff's laws and the outer world, as pairs of rows of E and A."""
        rows, count = [], len(self.ports)
        through = {}
        for p, port in enumerate(self.ports):
            zero_nodes = self.kinds[port.island] == "0"
            # The junction it hangs on turns the sign of what is not common there.
            turned = "e" if (zero_nodes != port.direct) else "f"
            across, along = (p, count + p) if zero_nodes else (count + p, p)
            of_across, of_along = 1.0, 1.0
            if port.out:
                across_is_turned = turned == ("e" if zero_nodes else "f")
                of_across, of_along = (-1.0, 1.0) if across_is_turned else (1.0, -1.0)
            entries = [(across, of_across)]
            for node, sign in ((port.a, 1.0), (port.b, -1.0)):
                if node is None:
                    continue
                column = self.node_columns[port.island] + node
                entries.append((column, -sign))
                through.setdefault(column, []).append((along, sign * of_along))
            rows.append((self.row([]), self.row(entries)))
        for column in range(self.node_columns[0], self.node_columns[-1]):
            rows.append((self.row([]), self.row(through.get(column, []))))
        rows.append((self.row([(self.one, 1.0)]), self.row([])))
        for w, s in self.sines.items():
            rows.append((self.row([(s, 1.0)]), self.row([(s + 1, w)])))
            rows.append((self.row([(s + 1, 1.0)]), self.row([(s, -w)])))
        return rows

    def pencil(self, modes):
        """`modes`: of each element, by index. Raises NoSolution."""
        key = tuple(modes)
        if key not in self.pencils:
            rows = list(self.fixed)
            for element, mode in zip(self.elements, modes):
                rows += [(self.row(left), self.row(right)) for left, right in laws(self, element, mode)]
            try:
                self.pencils[key] = Pencil(*(numpy.array(side) for side in zip(*rows)))
            except NoSolution as why:
                self.pencils[key] = why
        found = self.pencils[key]
        if isinstance(found, NoSolution):
            raise found
        return found

    def require_smooth_rates(self, modes):
        """Redraw where a storage follows rigidly what may jump, or would have to be differentiated twice: the program
        refuses both (docs/errors.md)."""
        rows = list(self.fixed[:len(self.fixed) - 1 - 2 * len(self.sines)])
        for element, mode in zip(self.elements, modes):
            rows += [(self.row(left), self.row(right)) for left, right in laws(self, element, mode)]
        rows += [(self.row([]), self.row([(column, 1.0)])) for column in range(self.one, self.size)]
        try:
            Pencil(*(numpy.array(side) for side in zip(*rows)))
        except NoSolution as why:
            raise Redraw(str(why)) from None
        steady = self.pencil(modes)
        for i, element in enumerate(self.elements):
            if len(element.waves) < 2:
                continue
            probe = numpy.zeros(self.size)
            probe[self.one] = 1.0
            for s in self.sines.values():
                probe[s], probe[s + 1] = 0.3, 0.7
            before = steady.after(probe)[0]
            stepped = list(modes)
            stepped[i] = 1 - modes[i]
            if abs(self.pencil(stepped).after(before)[1]).max() > 1e-9:
                raise Redraw("a storage follows a jump rigidly")

    def source(self, element, mode):
        """The entries of a source's value."""
        constant, waves = element.waves[mode]
        entries = [(self.one, constant)]
        for amplitude, w, phase in waves:
            entries += [(self.sines[w], amplitude * numpy.cos(phase)),
                        (self.sines[w] + 1, amplitude * numpy.sin(phase))]
        return entries

    def start(self, values):
        """z before the start: the storages' co-variables as given, the outer world at its beginning."""
        z = numpy.zeros(self.size)
        z[self.one] = 1.0
        for s in self.sines.values():
            z[s + 1] = 1.0
        for element in self.elements:
            if element.kind in STORAGES:
                z[self.e(element) if element.kind == "C" else self.f(element)] = values.get(element.name, 0.0)
            elif element.kind == "EndStop":
                z[element.column] = values.get(element.name, 0.0)
        return z


def laws(net, element, mode):
    """The rows of an element in a mode, each (entries of z', entries of z): they are equal."""
    v = element.values
    e, f, one = net.e(element), net.f(element), net.one
    if element.kind == "R":
        return [([], [(e, 1.0), (f, -v["R"])])]
    if element.kind == "C":
        return [([(e, v["C"])], [(f, 1.0)])]
    if element.kind == "I":
        return [([(f, v["I"])], [(e, 1.0)])]
    if element.kind in SOURCES:
        given = e if element.kind == "Se" else f
        return [([], [(given, 1.0)] + [(column, -x) for column, x in net.source(element, mode)])]
    if element.kind == "TF":
        return [([], [(e, 1.0), (e + 1, -v["m"])]), ([], [(f + 1, 1.0), (f, -v["m"])])]
    if element.kind == "GY":
        return [([], [(e, 1.0), (f + 1, -v["r"])]), ([], [(e + 1, 1.0), (f, -v["r"])])]
    if element.kind == "Friction":
        if mode == "stuck":
            return [([], [(f, 1.0)])]
        sign = {"forward": 1.0, "backward": -1.0, "free": 0.0}[mode]
        return [([], [(e, 1.0), (f, -abs(sign) * v["R"]), (one, -sign * v["level"])])]
    if element.kind == "EndStop":
        q = ([(element.column, 1.0)], [(f, 1.0)])
        if mode == "free":
            return [q, ([], [(e, 1.0)])]
        return [q, ([], [(f, 1.0), (one, -(mode[1] if isinstance(mode, tuple) else 0.0))])]
    # What opens and closes, on its two lines.
    if mode == "open":
        return [([], [(f, 1.0), (e, -v["Goff"])])]
    knee, resistance = v["e_knee"], v["Ron"]
    return [([], [(e, 1.0), (f, -resistance), (one, -knee + resistance * v["Goff"] * knee)])]

"""Trees of bodies: equations of motion by virtual power, forces at the frames by summing up what lies behind them.

The sum of v . (force) + w . (torque) over all frames, inertia included, vanishes for every virtual velocity:
M du/dt = Q. Some of the coordinates may be prescribed; what their drives have to give follows from the rows left over.
"""
from dataclasses import dataclass, field

import numpy

from multibody.elements import OneDimensional
from multibody.frames import skew, still, through


@dataclass
class Coordinate:
    """A distance or an angle; `given` (of time: value, rate, acceleration) where it is prescribed or locked."""
    value: float
    rate: float
    given: object = None
    follows: tuple = None  # another coordinate and how much faster than it this one is
    columns: tuple = (None, None, None)  # of the program's result: value, rate, acceleration
    source: str = ""  # the source of flow that prescribes it
    name: str = ""  # of the part whose row of the energy audit has the work of its drive
    speed: int = -1  # the place of its rate among all speeds
    state: int = -1  # its own place in the state, where it is free

    def __call__(self, motion):
        """As the amount of a turn or shift."""
        row = numpy.zeros(len(motion.u))
        row[self.speed] = 1.0
        return motion.value(self), motion.u[self.speed], row, 0.0


@dataclass
class Offset:
    coordinate: Coordinate
    more: float
    factor: float = 1.0

    def __call__(self, motion):
        value, rate, row, bias = self.coordinate(motion)
        return self.factor * value + self.more, self.factor * rate, self.factor * row, self.factor * bias


@dataclass
class Ball:
    """A free orientation with three speeds."""
    S: numpy.ndarray
    w: numpy.ndarray
    name: str  # of its part
    sequence: list = None  # of the angles that describe it in the program; a quaternion otherwise
    first: int = -1
    state: int = -1


@dataclass
class Link:
    """A part that leads from one node to others: to each by its steps behind those from its own middle to `root`."""
    part: object
    root: str
    before: list
    ends: dict


@dataclass
class Part:
    """A component of the model: what stands in the file, and at which node each of its frames is."""
    name: str
    type: str
    values: dict = field(default_factory=dict)
    initial: dict = field(default_factory=dict)
    frames: dict = field(default_factory=dict)
    guess: dict = field(default_factory=dict)


@dataclass
class Motion:
    """Everything at one state."""
    time: float
    state: numpy.ndarray
    u: numpy.ndarray
    values: dict = field(default_factory=dict)  # of prescribed coordinates, by id, where they are known otherwise
    nodes: list = None
    rates: numpy.ndarray = None  # of the speeds
    deficit: numpy.ndarray = None  # M du/dt - Q: what the drives of prescribed coordinates add
    power: numpy.ndarray = None
    matrix: numpy.ndarray = None  # of masses, of the free speeds
    wrenches: list = None  # (part's name, frame, force, torque) on its node

    def value(self, coordinate):
        if coordinate.given:
            return self.values.get(id(coordinate), coordinate.given(self.time)[0])
        if coordinate.follows:
            first, factor = coordinate.follows
            return coordinate.value + factor * (self.value(first) - first.value)
        return self.state[coordinate.state]

    def orientation(self, ball):
        return self.state[ball.state:ball.state + 9].reshape(3, 3)

    def acceleration(self, node):
        f = self.nodes[node]
        return f.a + f.V @ self.rates, f.d + f.W @ self.rates


# The ground holds them, by their first frame.
GROUNDED = ("World", "Fixed", "Marble", "RollingWheel", "RollingWheelSet", "PlanarFixed")


class System:
    def __init__(self):
        self.parts, self.links, self.roots = [], [], []
        self.coordinates, self.balls, self.elements, self.memories = [], [], [], []
        self.nodes = 0
        self.field = lambda x: numpy.zeros(3)  # of gravity
        self.potential = lambda x: 0.0  # per mass; None if it has none
        self.central = False  # the field is singular at the origin

    def node(self):
        self.nodes += 1
        return self.nodes - 1

    def lay_out(self):
        """Gives speeds and states their places: coordinates, orientations, memories of elements, free speeds."""
        speeds = states = 0
        for c in self.coordinates:
            c.speed, speeds = speeds, speeds + 1
            if not c.given and not c.follows:
                c.state, states = states, states + 1
        for ball in self.balls:
            ball.first, speeds = speeds, speeds + 3
            ball.state, states = states, states + 9
        for memory in self.memories:
            memory.state, states = states, states + 1
        self.speeds, self.first_speed = speeds, states
        fixed = [c.speed for c in self.coordinates if c.given or c.follows]
        self.free = [i for i in range(speeds) if i not in fixed]
        self.T = numpy.eye(speeds)[:, self.free]  # all speeds from the free ones
        for c in self.coordinates:
            if c.follows:
                self.T[c.speed] = c.follows[1] * self.T[c.follows[0].speed]
        self.states = states + len(self.free)
        self.powers = []  # (element, kind)
        for element in self.elements:
            element.first_power = len(self.powers)
            self.powers += [(element, kind) for kind in element.kinds]
        for c in self.coordinates:
            if c.source:
                self.powers.append((c, "supplied"))

    def one_dimensional(self):
        return [e for e in self.elements if isinstance(e, OneDimensional)]

    def unseen(self):
        """Places in the state of what the program has no name for: angles of 1-D inertias behind springs."""
        return [c.state for c in self.coordinates if c.state >= 0 and not c.columns[0]]

    def start(self):
        state = numpy.zeros(self.states)
        speeds = numpy.zeros(self.speeds)
        for c in self.coordinates:
            speeds[c.speed] = c.rate
            if not c.given and not c.follows:
                state[c.state] = c.value
        for ball in self.balls:
            state[ball.state:ball.state + 9] = ball.S.ravel()
            speeds[ball.first:ball.first + 3] = ball.w
        for memory in self.memories:
            state[memory.state] = memory.start
        state[self.first_speed:] = speeds[self.free]
        return state

    def moving(self, time, state, values):
        """The frames at a state."""
        u = self.T @ state[self.first_speed:self.states]
        for c in self.coordinates:
            if c.given:
                u[c.speed] = c.given(time)[1]
        m = Motion(time, state, u, values)
        m.nodes = [None] * self.nodes
        for node, x, steps in self.roots:
            m.nodes[node] = through(steps, still(x, self.speeds), m)
        for link in self.links:
            middle = through(link.before, m.nodes[link.part.frames[link.root]], m, True)
            for frame, steps in link.ends.items():
                m.nodes[link.part.frames[frame]] = through(steps, middle, m)
        return m

    def evaluate(self, time, state, values=None):
        """Frames, accelerations, what each part takes at its frames, and the powers of all elements."""
        m = self.moving(time, state, values or {})
        balance = Balance(self, m)
        for element in self.elements:
            element.act(m, balance)
        given = numpy.zeros(self.speeds)
        for c in self.coordinates:
            if c.given:
                given[c.speed] = c.given(time)[2]
        m.matrix = self.T.T @ balance.M @ self.T
        free = numpy.linalg.solve(m.matrix, self.T.T @ (balance.Q - balance.M @ given))
        m.rates = self.T @ free + given
        m.deficit = balance.M @ m.rates - balance.Q
        m.power = numpy.zeros(len(self.powers))
        m.wrenches = balance.wrenches
        for element in self.elements:
            for k, value in enumerate(element.powers(m)):
                m.power[element.first_power + k] = value
        for k, (what, _) in enumerate(self.powers):
            if isinstance(what, Coordinate):
                m.power[k] = m.deficit[what.speed] * m.u[what.speed]
        return m

    def rate(self, time, state):
        """The rate of the state, followed by the powers."""
        m = self.evaluate(time, state)
        rate = numpy.zeros(self.states + len(self.powers))
        for c in self.coordinates:
            if c.state >= 0:
                rate[c.state] = m.u[c.speed]
        for ball in self.balls:
            rate[ball.state:ball.state + 9] = (-skew(m.u[ball.first:ball.first + 3]) @ m.orientation(ball)).ravel()
        for memory in self.memories:
            rate[memory.state] = memory.rate(m)
        rate[self.first_speed:self.states] = m.rates[self.free]
        rate[self.states:] = m.power
        return rate

    def taken(self, m):
        """Force and torque (world, about the frame's origin) on each part at each of its frames."""
        taken = {}
        for element in self.elements:
            for (part, frame), (F, T) in element.inertia(m):
                add(taken, (part, frame), F, T)
        for part, frame, F, T in m.wrenches:
            add(taken, (part, frame), -F, -T)
        total = [numpy.zeros(6) for _ in range(self.nodes)]
        leading = {id(link.part) for link in self.links}
        for part in self.parts:
            for frame, node in part.frames.items():
                taken.setdefault((part.name, frame), numpy.zeros(6))
                if id(part) not in leading and part.type not in GROUNDED:
                    total[node] += taken[part.name, frame]
        for link in reversed(self.links):
            part = link.part
            near = part.frames[link.root]
            whole = taken[part.name, link.root]
            for frame in link.ends:
                node = part.frames[frame]
                behind = total[node] + taken[part.name, frame]
                arm = m.nodes[node].x - m.nodes[near].x
                whole = whole + numpy.concatenate([behind[:3], behind[3:] + skew(arm) @ behind[:3]])
                taken[part.name, frame] = -total[node]
            taken[part.name, link.root] = whole
            if part.type not in GROUNDED:
                total[near] = total[near] + whole
        for part in self.parts:
            if part.type in GROUNDED:
                frame = next(iter(part.frames))
                taken[part.name, frame] = -total[part.frames[frame]]
        return taken


def add(taken, key, F, T):
    taken[key] = taken.get(key, numpy.zeros(6)) + numpy.concatenate([F, T])


class Balance:
    """Collects the mass matrix, generalized forces and the forces on frames."""

    def __init__(self, system, m):
        self.nodes = m.nodes
        self.M, self.Q = numpy.zeros((system.speeds, system.speeds)), numpy.zeros(system.speeds)
        self.wrenches = []

    def push(self, part, frame, F, T):
        """A force and a torque, in the world, on the node, from the part."""
        node = self.nodes[part.frames[frame]]
        self.Q += node.V.T @ F + node.W.T @ T
        self.wrenches.append((part.name, frame, F, T))

    def mass(self, V, a, m):
        """A mass on what has the velocity V u and the acceleration V du/dt + a."""
        self.M += m * (V.T @ V)
        self.Q -= m * (V.T @ a)

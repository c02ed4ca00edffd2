"""Draws a whole model: trees in space and in the plane, what acts on them, and what is measured."""
from multibody.draw import Model
from multibody.forces import bushing, drive, grow, line_force, lock, push, sensor, tie
from multibody.planar import planar_tree


def draw(random):
    """A whole model."""
    model = Model(random)
    places = grow(model, random.choice([1, 2, 2, 3, 3, 3, 4, 4, 5, 6]))
    for _ in range(random.choice([0, 0, 1])):
        model.rotor(random.choice(places))
    if random.random() < 0.2:
        model.mounting(random.choice(places))
    if random.random() < 0.2:
        lock(model)
    for _ in range(random.choice([0, 1, 2])):
        push(model, places)
    for _ in range(random.choice([0, 0, 1, 2]) if len(places) > 1 else 0):
        line_force(model, places + model.lone)
    if random.random() < 0.2 and len(places) > 1:
        bushing(model, places)
    for _ in range(random.choice([0, 0, 1, 2]) if len(places) > 1 else 0):
        sensor(model, places)
    if random.random() < 0.25:
        planar_tree(model, random.choice([1, 2, 2, 3]))
    if random.random() < 0.3:
        tie(model)
    for _ in range(random.choice([0, 1, 2, 3])):
        drive(model)
    model.system.lay_out()
    return model

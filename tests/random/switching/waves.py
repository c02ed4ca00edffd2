"""What sources of switched networks give: a constant, a sine, or a value that steps to another one."""


def number(rng, low, high):
    return round(float(rng.uniform(low, high)), 3)


def draw_waves(rng, constant_below, sine_below, second_constant, largest):
    """The waves one after the other, each (offset, [(amplitude, frequency, phase)]), and the instant of the step, if
    any.

    A draw below `constant_below` gives a constant, below `sine_below` a sine; what a step leads to is a constant with
    that probability. Sines have amplitudes up to `largest`.
    """
    constant = (number(rng, -2, 2), [])
    sine = (number(rng, -1, 1) if rng.random() < 0.5 else 0.0,
            [(number(rng, 0.5, largest), number(rng, 1, 8), number(rng, 0, 3))])
    pick = rng.random()
    if pick < constant_below:
        return [constant], None
    if pick < sine_below:
        return [sine], None
    return [constant, (number(rng, -2, 2), []) if rng.random() < second_constant else sine], number(rng, 0.3, 3.5)

"""Nevergrad's optimisers by name: the one that chooses for itself, and differential evolution."""

import nevergrad
from line import Start, serve

OPTIMISERS = {"ngopt": "NGOpt", "two-points-de": "TwoPointsDE", "one-plus-one": "OnePlusOne"}


def parameter(p):
    if p.kind == "categorical":
        return nevergrad.p.Choice(list(range(p.choices)))
    scale = nevergrad.p.Log if p.log else nevergrad.p.Scalar
    number = scale(lower=p.low, upper=p.high)
    return number.set_integer_casting() if p.kind == "int" else number


class Nevergrad:
    package = "nevergrad"

    def __init__(self, start: Start):
        space = nevergrad.p.Dict(**{p.name: parameter(p) for p in start.space})
        space.random_state.seed(start.seed32)
        kind = nevergrad.optimizers.registry[OPTIMISERS[start.variant]]
        self.optimiser = kind(parametrization=space, budget=max(1, int(start.budget)), num_workers=1)
        self.asked = []

    def ask(self):
        candidate = self.optimiser.ask()
        self.asked.append(candidate)
        return candidate.value

    def tell(self, number, value, cost):
        self.optimiser.tell(self.asked[number], float("inf") if value is None else value)


serve(Nevergrad)

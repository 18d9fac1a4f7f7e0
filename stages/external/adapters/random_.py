"""Random search, without any package: the smallest adapter, to begin one of your own with."""

import random

from line import Start, serve


class Random:
    package = "random"
    version = "1"

    def __init__(self, start: Start):
        self.space = start.space
        self.generator = random.Random(start.seed)

    def ask(self):
        return {p.name: self.draw(p) for p in self.space}

    def draw(self, p):
        if p.kind == "categorical":
            return self.generator.randrange(p.choices)
        if p.kind == "int" and not p.log:
            return self.generator.randint(int(p.low), int(p.high))
        if p.log:
            # A whole number stands for all that is rounded to it.
            half = 0.5 if p.kind == "int" else 0
            low, high = p.low - half, p.high + half
            drawn = low * (high / low) ** self.generator.random()
            return min(max(round(drawn) if p.kind == "int" else drawn, p.low), p.high)
        return self.generator.uniform(p.low, p.high)

    def tell(self, number, value, cost):
        pass


serve(Random)

"""HEBO, as it comes. What failed is left out by the package itself."""

import numpy
import pandas
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO
from line import Start, serve


def parameter(p):
    if p.kind == "float":
        kind = {"type": "pow", "base": 10} if p.log else {"type": "num"}
        return {"name": p.name, **kind, "lb": p.low, "ub": p.high}
    if p.kind == "int":
        kind = {"type": "pow_int", "base": 10} if p.log else {"type": "int"}
        return {"name": p.name, **kind, "lb": int(p.low), "ub": int(p.high)}
    return {"name": p.name, "type": "cat", "categories": list(range(p.choices))}


class Hebo:
    package = "HEBO"

    def __init__(self, start: Start):
        torch.manual_seed(start.seed)
        torch.set_num_threads(1)
        space = DesignSpace().parse([parameter(p) for p in start.space])
        self.optimiser = HEBO(space, scramble_seed=start.seed32)
        self.asked: list[pandas.DataFrame] = []

    def ask(self):
        rows = self.optimiser.suggest(n_suggestions=1)
        self.asked.append(rows)
        return rows.iloc[0].to_dict()

    def tell(self, number, value, cost):
        loss = float("nan") if value is None else value
        self.optimiser.observe(self.asked[number], numpy.array([[loss]]))


serve(Hebo)

"""Spaces of the package ConfigSpace, which several optimisers search."""

import ConfigSpace
from line import Parameter, Start


def parameter(p: Parameter):
    if p.kind == "float":
        return ConfigSpace.UniformFloatHyperparameter(p.name, p.low, p.high, log=p.log)
    if p.kind == "int":
        return ConfigSpace.UniformIntegerHyperparameter(p.name, int(p.low), int(p.high), log=p.log)
    return ConfigSpace.CategoricalHyperparameter(p.name, list(range(p.choices)))


def space(start: Start) -> ConfigSpace.ConfigurationSpace:
    found = ConfigSpace.ConfigurationSpace(seed=start.seed32)
    # The second is how versions before 1.0 call the first.
    add = getattr(found, "add", None) or found.add_hyperparameters
    add([parameter(p) for p in start.space])
    return found

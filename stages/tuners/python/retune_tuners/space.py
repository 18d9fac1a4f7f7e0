"""Parameters, and dictionaries of them as spaces."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class Float:
    """The numbers from `low` to `high`; with `log`, equal ratios are equally far apart (then `low` > 0)."""

    low: float
    high: float
    log: bool = False

    def domain(self) -> dict[str, Any] | None:
        """What the tuner sees; None if there is one value."""
        if self.low == self.high:
            return None
        return {"kind": "float", "low": float(self.low), "high": float(self.high), "log": self.log}

    def decode(self, number: float) -> float:
        """The value at a tuner's number."""
        return number

    def only(self) -> float:
        """The value, if there is one."""
        return float(self.low)


@dataclass(frozen=True)
class Int:
    """The whole numbers `low`, …, `high`; with `log`, equal ratios are equally far apart (then `low` > 0)."""

    low: int
    high: int
    log: bool = False

    def domain(self) -> dict[str, Any] | None:
        """What the tuner sees; None if there is one value."""
        if self.low == self.high:
            return None
        if self.log and not 1 <= self.low <= self.high:
            raise ValueError(f"{self}: expected 1 <= low <= high on a logarithmic scale")
        return {"kind": "int", "low": self.low, "high": self.high, "log": self.log}

    def decode(self, number: float) -> int:
        """The value at a tuner's number."""
        return int(number)

    def only(self) -> int:
        """The value, if there is one."""
        return self.low


@dataclass(frozen=True)
class Categorical:
    """One of `choices`, unordered."""

    choices: Sequence[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))
        if not self.choices:
            raise ValueError("choices: expected at least one")

    def domain(self) -> dict[str, Any] | None:
        """What the tuner sees; None if there is one value."""
        return {"kind": "categorical", "choices": len(self.choices)} if len(self.choices) > 1 else None

    def decode(self, number: float) -> Any:
        """The value at a tuner's number."""
        return self.choices[int(number)]

    def only(self) -> Any:
        """The value, if there is one."""
        return self.choices[0]


Parameter = Union[Float, Int, Categorical]


@dataclass(frozen=True)
class When:
    """`parameter` is active only where `on` is active and has one of `values`; otherwise a trial does not have it.

    `on` stands before `parameter` in the space, and is a whole number or a choice.
    """

    parameter: str
    on: str
    values: Sequence[Any]

    def rule(self, parameters: Mapping[str, Parameter]) -> dict[str, Any]:
        """The condition as the tuner sees it."""
        for name in (self.parameter, self.on):
            if name not in parameters:
                raise ValueError(f"{self}: {name!r} is not in the space")
            if parameters[name].domain() is None:
                raise ValueError(f"{self}: {name!r} has a single value: leave it out of the space")
        on = parameters[self.on]
        if isinstance(on, Categorical):
            unknown = [value for value in self.values if value not in on.choices]
            numbers = [on.choices.index(value) for value in self.values if value in on.choices]
        elif isinstance(on, Int):
            unknown = [value for value in self.values if value not in range(on.low, on.high + 1)]
            numbers = [int(value) for value in self.values if value in range(on.low, on.high + 1)]
        else:
            raise ValueError(f"{self}: {self.on!r} has to be choices or an Int")
        if unknown:
            raise ValueError(f"{self}: {self.on!r} is never {unknown[0]!r}")
        return {"parameter": self.parameter, "on": self.on, "values": numbers}


def space(given: Mapping[str, Parameter | Sequence[Any]]) -> dict[str, Parameter]:
    """A space from a dictionary, where a list stands for its choices; or a ConfigSpace."""
    if hasattr(given, "conditions"):
        return parameters_of(given)
    if not given:
        raise ValueError("space: expected at least one parameter")
    parameters: dict[str, Parameter] = {}
    for name, value in given.items():
        if isinstance(value, (Float, Int, Categorical)):
            parameters[str(name)] = value
        elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            parameters[str(name)] = Categorical(value)
        else:
            raise TypeError(f"space[{name!r}]: expected Float, Int, Categorical or a list of choices")
    return parameters


def domains(parameters: Mapping[str, Parameter]) -> list[tuple[str, dict[str, Any]]]:
    """The parameters that have more than one value, as the tuner sees them."""
    seen = ((name, parameter.domain()) for name, parameter in parameters.items())
    return [(name, domain) for name, domain in seen if domain is not None]


def note(parameters: Mapping[str, Parameter]) -> str:
    """What a study's file holds of a space beside what the tuner sees."""
    return json.dumps({name: repr(parameter) for name, parameter in parameters.items()})


def from_configspace(configspace: Any) -> dict[str, Parameter]:
    """The parameters of a `ConfigSpace.ConfigurationSpace` without conditions, forbidden clauses and priors.

    Ordinal parameters become their positions' `Int`, constants a single choice. A dictionary has no place for
    conditions: give the ConfigSpace itself to a `Study`, which keeps them.
    """
    if configspace.conditions:
        raise ValueError("a ConfigSpace with conditions: give it to the Study as it is")
    return parameters_of(configspace)


def parameters_of(configspace: Any) -> dict[str, Parameter]:
    """The parameters of a ConfigSpace, whatever its conditions."""
    if configspace.forbidden_clauses:
        raise ValueError("a ConfigSpace with forbidden clauses: let such trials fail")
    parameters: dict[str, Parameter] = {}
    for one in configspace.values():
        kind = type(one).__name__
        if kind == "UniformFloatHyperparameter":
            parameters[one.name] = Float(float(one.lower), float(one.upper), bool(one.log))
        elif kind == "UniformIntegerHyperparameter":
            parameters[one.name] = Int(int(one.lower), int(one.upper), bool(one.log))
        elif kind == "CategoricalHyperparameter":
            parameters[one.name] = Categorical(one.choices)
        elif kind == "OrdinalHyperparameter":
            parameters[one.name] = Ordinal(one.sequence)
        elif kind == "Constant":
            parameters[one.name] = Categorical([one.value])
        else:
            raise ValueError(f"{one.name}: a {kind} has no counterpart; expected uniform numbers or categories")
    return parameters


def conditions_of(given: Any) -> list[When]:
    """The conditions of a ConfigSpace: equalities, lists of values, and conjunctions of these. None of a dictionary."""
    found: list[When] = []
    waiting = list(getattr(given, "conditions", []))
    while waiting:
        one = waiting.pop(0)
        kind = type(one).__name__
        if kind == "AndConjunction":
            waiting.extend(one.components)
        elif kind == "EqualsCondition":
            found.append(When(one.child.name, one.parent.name, [one.value]))
        elif kind == "InCondition":
            found.append(When(one.child.name, one.parent.name, list(one.values)))
        else:
            raise ValueError(f"a ConfigSpace with a condition of another kind, {kind}: {one}")
    return found


@dataclass(frozen=True)
class Ordinal(Categorical):
    """One of `choices`, in their order."""

    def domain(self) -> dict[str, Any] | None:
        """What the tuner sees; None if there is one value."""
        return {"kind": "int", "low": 0, "high": len(self.choices) - 1} if len(self.choices) > 1 else None

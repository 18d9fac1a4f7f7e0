"""What all adapters share: they answer lines of JSON with lines of JSON (docs/book/src/external.md).

An adapter gives `serve` a class. It is made from the `Start` message, and has

- `package`: the name of the package on PyPI, whose version is reported; one that is no package has a `version`, too;
- `ask()`: a configuration by name, or that and a divisor, or `WAIT`, or None if there is nothing more;
- `tell(number, value, cost)`: what suggestion `number` came to, None for a failed evaluation.

Standard output belongs to the protocol, so whatever a package prints goes to standard error.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import logging
import os
import random
import sys
import warnings

PROTOCOL = 1
WAIT = "wait"
# For packages that take seeds of 32 bits.
SEED_MASK = 2**32 - 1


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter: `kind` is float, int or categorical (whose values are the indices below `choices`)."""

    name: str
    kind: str
    low: float = 0
    high: float = 0
    log: bool = False
    choices: int = 0


@dataclasses.dataclass(frozen=True)
class Start:
    """What is to be optimised: `budget` full evaluations, of which parts of at least 1 / `divisor` may be asked."""

    space: list[Parameter]
    seed: int
    budget: float
    divisor: int
    variant: str

    @property
    def seed32(self) -> int:
        return self.seed & SEED_MASK


def parameters(space: list[dict]) -> list[Parameter]:
    return [Parameter(name=one["name"], **one["domain"]) for one in space]


def plain(config: dict, space: list[Parameter]) -> dict:
    """The values as JSON has them: numpy's numbers are none of Python's."""
    return {p.name: float(config[p.name]) if p.kind == "float" else int(config[p.name]) for p in space}


def seed_all(seed: int) -> None:
    """Seeds the generators that packages share."""
    random.seed(seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(seed & SEED_MASK)


def serve(adapter: type) -> None:
    """Answers requests until `stop` or the end of the input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    logging.disable(logging.INFO)
    warnings.simplefilter("ignore")
    variant = sys.argv[1] if len(sys.argv) > 1 else ""

    def answer(**fields: object) -> None:
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    optimiser, space = None, []
    for line in sys.stdin:
        request = json.loads(line)
        kind = request["type"]
        if kind == "stop":
            return
        if kind == "start":
            if request["protocol"] != PROTOCOL:
                answer(type="error", message=f"protocol {request['protocol']} is not {PROTOCOL}")
                return
            space = parameters(request["space"])
            seed_all(request["seed"])
            optimiser = adapter(Start(space, request["seed"], request["budget"], request["divisor"], variant))
            version = getattr(adapter, "version", None) or importlib.metadata.version(adapter.package)
            answer(type="ready", name=adapter.package, version=version, restarts=True)
        elif kind == "ask":
            suggested = optimiser.ask()
            if suggested is None:
                answer(type="exhausted")
            elif suggested == WAIT:
                answer(type="wait")
            else:
                config, divisor = suggested if isinstance(suggested, tuple) else (suggested, 1)
                answer(type="suggest", config=plain(config, space), divisor=divisor)
        else:
            optimiser.tell(request["id"], request["value"], request["cost"])
            answer(type="told")

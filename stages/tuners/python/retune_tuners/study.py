"""Studies: asked for trials, told losses."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from . import native
from . import space as spaces


class TrialPruned(Exception):
    """Raised by a loss to end its trial: what was reported last is the trial's loss."""


@dataclass
class Trial:
    """A trial to evaluate. `trial["name"]` is a parameter's value."""

    id: int
    """Its number, from 0 in the order of asking."""
    params: dict[str, Any]
    """The value of each active parameter."""
    resource: float
    """How much of the resource it gets, at most the study's `max_resource`; 0 for a probe."""
    full: bool
    """Whether that is all of it."""
    continues: int | None
    """The trial of the same parameters with the next smaller resource, whose training it may go on with."""
    last: float | None = None
    """The loss that was reported last."""
    step: float | None = None
    """The step at which it was reported."""

    def __getitem__(self, name: str) -> Any:
        return self.params[name]

    def report(self, value: float, step: float) -> None:
        """The loss after `step` of the resource, as epochs, from 1."""
        self.last, self.step = float(value), float(step)

    def should_prune(self) -> bool:
        """Whether the trial has used up its resource, which is less than the full one."""
        return not self.full and self.step is not None and self.step >= self.resource


@dataclass(frozen=True)
class Finished:
    """A trial as the study knows it."""

    id: int
    """Its number."""
    params: dict[str, Any]
    """The value of each active parameter."""
    resource: float
    """How much of the resource it got."""
    state: str
    """"ready" to be handed out, "running", "complete" or "failed"."""
    value: float | None
    """The loss, if it is complete."""


def methods() -> dict[str, dict[str, Any]]:
    """The tuners by name, with their settings."""
    return {name: json.loads(text) for name, text in native.methods()}


class Study:
    """A search for the parameters with the lowest loss.

    Parameters
    ----------
    space
        `Float`, `Int`, `Categorical` or a list of choices by name; or a `ConfigSpace.ConfigurationSpace`.
    method
        A tuner's name (see `methods()`), or a dictionary with it as "kind" and settings that differ from the
        published ones.
    conditions
        `When(parameter, on, values)`: parameters that a trial has only where others have certain values. Those of a
        ConfigSpace count as well.
    seed
        All randomness comes from it.
    round_size
        Trials are made in rounds of so many, and the tuner learns from a round when all of it was told. The same
        seed and size give the same trials at any number of workers and any order of telling. `None`: the tuner
        learns from each trial at once, and with several workers the trials depend on who is first.
    path
        A file that the study is kept in, and resumed from. Several processes may use it at once.
    min_resource, max_resource, eta
        For tuners with several fidelities: the smallest and the full resource (whole numbers, as epochs) and the
        factor between them.
    """

    def __init__(
        self,
        space: Mapping[str, spaces.Parameter | Sequence[Any]],
        method: str | Mapping[str, Any] = "tpe",
        *,
        conditions: Sequence[spaces.When] = (),
        seed: int = 0,
        round_size: int | None = 1,
        path: str | os.PathLike[str] | None = None,
        min_resource: int = 1,
        max_resource: int = 81,
        eta: int = 3,
    ) -> None:
        self.space = spaces.space(space)
        self.max_resource = max_resource
        settings = {"kind": method} if isinstance(method, str) else dict(method)
        seen = spaces.domains(self.space)
        self._names = [name for name, _ in seen]
        # A space in which nothing is to be chosen still has trials.
        parameters = [{"name": name, "domain": domain} for name, domain in seen] or [
            {"name": "nothing", "domain": {"kind": "categorical", "choices": 1}}
        ]
        every = [*spaces.conditions_of(space), *conditions]
        rules = [one.rule(self.space) for one in every]
        self._conditional = bool(rules)
        self._made = (space, method, conditions, seed, round_size, path, min_resource, max_resource, eta)
        self._path = path
        self._events: list[tuple[Any, ...]] = []
        self._told = threading.Condition()
        self._core = native.Core(
            json.dumps(parameters),
            json.dumps(rules),
            json.dumps(settings),
            (min_resource, max_resource, eta),
            seed,
            round_size,
            path,
            spaces.note(self.space),
        )

    def ask(self, below: int = 2**64 - 1) -> Trial | None:
        """The next trial, with a number below `below`.

        `None` if there is none: the tuner has no more to ask, or trials of the round are still to be told (see
        `pending`).
        """
        return self._ask(below)[0]

    def _ask(self, below: int) -> tuple[Trial | None, bool]:
        with self._told:
            row, waits = self._core.ask(below)
            if row is None:
                return None, waits
            if self._path is None:
                self._events.append(("ask", row[0]))
        id, config, divisor, continues = row
        resource = self.max_resource / divisor if divisor else 0.0
        return Trial(id, self._params(config), resource, divisor == 1, continues), False

    def tell(self, trial: Trial | int, value: float | None, *, cost: float | None = None) -> None:
        """The loss of a trial: `None`, NaN or an infinity if it failed, which counts as the worst.

        `cost` is what it cost, for tuners that use that. Raises `StudyError` for a trial that was never handed out
        or has been told.
        """
        id = trial.id if isinstance(trial, Trial) else int(trial)
        value = None if value is None else float(value)
        with self._told:
            self._core.tell(_number(id), value, cost)
            if self._path is None:
                self._events.append(("tell", id, value, cost))

    def give_back(self, trial: Trial | int) -> None:
        """The trial will not be finished here: it is handed out again."""
        id = trial.id if isinstance(trial, Trial) else int(trial)
        with self._told:
            self._core.give_back(_number(id))
            if self._path is None:
                self._events.append(("back", id))

    def optimize(self, loss: Callable[[Trial], float | None], n_trials: int, *, workers: int = 1) -> None:
        """Evaluates trials until numbers 0, …, `n_trials` − 1 have been handed out and those of this call are told.

        `loss` is given a `Trial` and returns its loss, or raises `TrialPruned` after `trial.report`. With several
        `workers` it is called on as many threads. On any other exception, as a KeyboardInterrupt, trials that are
        not finished are given back, and it is passed on.
        """
        if workers < 1:
            raise ValueError("workers: expected at least 1")
        if workers == 1:
            self._alone(loss, n_trials)
            return
        running: dict[Future[float | None], Trial] = {}
        with ThreadPoolExecutor(workers) as pool:
            try:
                while True:
                    waits = False
                    while len(running) < workers:
                        trial, waits = self._ask(n_trials)
                        if trial is None:
                            break
                        running[pool.submit(_evaluate, loss, trial)] = trial
                    if not running:
                        if not waits or not self._others():
                            return
                        continue
                    for done in wait(running, timeout=1.0, return_when=FIRST_COMPLETED).done:
                        value = done.result()
                        self.tell(running.pop(done), value)
            except BaseException:
                for future, trial in running.items():
                    future.cancel()
                    self.give_back(trial)
                raise

    def _alone(self, loss: Callable[[Trial], float | None], n_trials: int) -> None:
        while True:
            trial, waits = self._ask(n_trials)
            if trial is None:
                if not waits or not self._others():
                    return
                continue
            try:
                value = _evaluate(loss, trial)
            except BaseException:
                self.give_back(trial)
                raise
            self.tell(trial, value)

    def _others(self) -> bool:
        """Waits for other processes; whether there can be any."""
        if self._path is None:
            return False
        time.sleep(0.05)
        self._core.reclaim()
        return True

    def refresh(self) -> None:
        """Takes in what other processes have done with the study's file."""
        self._core.refresh()

    @property
    def trials(self) -> list[Finished]:
        """All trials, by number."""
        return [self._finished(*row) for row in self._core.trials()]

    @property
    def pending(self) -> list[int]:
        """The numbers of trials that are out."""
        return [trial.id for trial in self.trials if trial.state == "running"]

    @property
    def best(self) -> Finished | None:
        """The trial with the full resource and the lowest loss."""
        best = self._core.best()
        return None if best is None else self.trials[best]

    def _finished(self, row: native.Row, state: str, value: float | None) -> Finished:
        id, config, divisor, _ = row
        resource = self.max_resource / divisor if divisor else 0.0
        return Finished(id, self._params(config), resource, state, value)

    def _params(self, config: list[float]) -> dict[str, Any]:
        numbers = dict(zip(self._names, config))
        active = dict(zip(self._names, self._core.active(config))) if self._conditional else {}
        return {
            name: one.decode(numbers[name]) if name in numbers else one.only()
            for name, one in self.space.items()
            if active.get(name, True)
        }

    def __getstate__(self) -> tuple[Any, ...]:
        with self._told:
            return (self._made, list(self._events))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """A study in a file is opened again, one in memory goes through its calls again."""
        (space, method, conditions, seed, size, path, least, most, eta), events = state
        self.__init__(  # type: ignore[misc]
            space,
            method,
            conditions=conditions,
            seed=seed,
            round_size=size,
            path=path,
            min_resource=least,
            max_resource=most,
            eta=eta,
        )
        for kind, id, *rest in events:
            if kind == "ask":
                self._core.ask(2**64 - 1)
            elif kind == "tell":
                self._core.tell(id, *rest)
            else:
                self._core.give_back(id)
        self._events = list(events)


def _number(id: int) -> int:
    if not 0 <= id < 2**64:
        raise native.StudyError(f"trial {id} was never handed out: tell a number that `ask` gave")
    return id


def _evaluate(loss: Callable[[Trial], float | None], trial: Trial) -> float | None:
    try:
        return loss(trial)
    except TrialPruned:
        return trial.last

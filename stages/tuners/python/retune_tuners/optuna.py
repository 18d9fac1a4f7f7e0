"""An Optuna sampler, and a pruner for its tuners with several fidelities.

>>> import optuna
>>> from optuna.distributions import FloatDistribution
>>> from retune_tuners.optuna import TunerSampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> sampler = TunerSampler({"x": FloatDistribution(-1.0, 1.0)}, "gp-ei", seed=1)
>>> study = optuna.create_study(sampler=sampler)
>>> study.optimize(lambda trial: trial.suggest_float("x", -1.0, 1.0) ** 2, n_trials=15)
>>> study.best_value < 0.01
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState

from .space import Categorical, Float, Int, Parameter
from .study import Study, Trial

_KEY = "retune:trial"


def _parameter(name: str, distribution: BaseDistribution) -> Parameter:
    if isinstance(distribution, FloatDistribution) and distribution.step is None:
        return Float(distribution.low, distribution.high, distribution.log)
    if isinstance(distribution, FloatDistribution):
        count = round((distribution.high - distribution.low) / distribution.step)
        return _Steps(0, count, low=distribution.low, step=distribution.step)
    if isinstance(distribution, IntDistribution) and distribution.step == 1:
        return Int(distribution.low, distribution.high, distribution.log)
    if isinstance(distribution, IntDistribution):
        count = (distribution.high - distribution.low) // distribution.step
        return _Steps(0, count, low=distribution.low, step=distribution.step)
    if isinstance(distribution, CategoricalDistribution):
        return Categorical(distribution.choices)
    raise ValueError(f"{name}: {distribution} has no counterpart")


class _Steps(Int):
    """`low` + `step` times a whole number."""

    def __init__(self, first: int, last: int, *, low: float, step: float) -> None:
        super().__init__(first, last)
        object.__setattr__(self, "_at", (low, step))

    def decode(self, number: float) -> Any:
        low, step = self._at
        return low + step * super().decode(number)

    def only(self) -> Any:
        return self._at[0]


class TunerSampler(optuna.samplers.BaseSampler):
    """Samples with a tuner of this package.

    Parameters
    ----------
    search_space
        The distribution of each parameter that the tuner chooses. Others are sampled at random.
    method, seed, round_size, path, min_resource, max_resource, eta
        As of `retune_tuners.Study`. With a `round_size` above 1, run at least as many trials at a time
        (`n_jobs`) or the sampler has to draw at random where the tuner waits for results.
    """

    def __init__(
        self,
        search_space: Mapping[str, BaseDistribution],
        method: str | Mapping[str, Any] = "tpe",
        *,
        seed: int = 0,
        round_size: int | None = None,
        **options: Any,
    ) -> None:
        self._space = dict(search_space)
        parameters = {name: _parameter(name, one) for name, one in self._space.items()}
        self.study = Study(parameters, method, seed=seed, round_size=round_size, **options)
        self._random = optuna.samplers.RandomSampler(seed=seed)
        self._out: dict[int, Trial] = {}

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        if len(study.directions) > 1:
            raise ValueError("a study with several objectives: tuners minimise one loss")
        return self._space

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        asked = self.study.ask()
        if asked is None:
            return {}
        self._out[trial.number] = asked
        study._storage.set_trial_system_attr(trial._trial_id, _KEY, asked.id)
        return dict(asked.params)

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        asked = self._out.pop(trial.number, None)
        if asked is None:
            return
        value = values[0] if state == TrialState.COMPLETE and values else None
        if state == TrialState.PRUNED and trial.last_step is not None:
            value = trial.intermediate_values[trial.last_step]
        if value is not None and study.direction == optuna.study.StudyDirection.MAXIMIZE:
            value = -value
        self.study.tell(asked, value)

    def asked(self, number: int) -> Trial | None:
        """The tuner's trial behind a running trial of Optuna's."""
        return self._out.get(number)


class TunerPruner(optuna.pruners.BasePruner):
    """Ends a trial when it has used up the resource that the sampler's tuner gave it.

    Steps are counted as in `trial.report(value, step)`, where the first has the number `first` (0 in
    Optuna's examples).
    """

    def __init__(self, sampler: TunerSampler, *, first: int = 0) -> None:
        self._sampler = sampler
        self._first = first

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        asked = self._sampler.asked(trial.number)
        if asked is None or asked.full or trial.last_step is None:
            return False
        return trial.last_step - self._first + 1 >= asked.resource

"""An optimizer for CARP-S: tuners of this package in its benchmarks.

Its configuration is `_target_: retune_tuners.carps.TunerOptimizer` with a `method`, a `seed` and `_partial_: true`.
"""

from __future__ import annotations

from typing import Any

from carps.optimizers.optimizer import Optimizer
from carps.utils.trials import StatusType, TrialInfo, TrialValue
from ConfigSpace import Configuration

from .space import Parameter, parameters_of
from .study import Study, Trial


class TunerOptimizer(Optimizer):
    """Asks a `retune_tuners.Study`.

    Parameters
    ----------
    task, loggers, expects_multiple_objectives, expects_fidelities
        As of CARP-S.
    method, seed, options
        As of `retune_tuners.Study`; `eta` and `min_resource` where the task has a fidelity, whose largest value is
        the full resource.
    """

    def __init__(
        self,
        task: Any,
        method: Any = "tpe",
        seed: int = 0,
        loggers: list[Any] | None = None,
        expects_multiple_objectives: bool = False,
        expects_fidelities: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(task, loggers, expects_multiple_objectives, expects_fidelities)
        if task.output_space.n_objectives > 1:
            raise ValueError("a task with several objectives: tuners minimise one loss")
        self._method, self._seed, self._options = method, seed, options
        self.configspace = task.objective_function.configspace
        fidelities = task.input_space.fidelity_space
        self.fidelity_enabled = bool(fidelities.is_multifidelity)
        if self.fidelity_enabled:
            self._options.setdefault("min_resource", max(1, round(fidelities.min_fidelity)))
            self._options["max_resource"] = round(fidelities.max_fidelity)
        self._out: dict[str, tuple[Trial, TrialInfo]] = {}
        self._best: tuple[TrialInfo, TrialValue] | None = None

    def convert_configspace(self, configspace: Any) -> dict[str, Parameter]:
        """The parameters, as a study has them."""
        return parameters_of(configspace)

    def _setup_optimizer(self) -> Study:
        # As it is: a dictionary of parameters would have lost its conditions.
        return Study(self.configspace, self._method, seed=self._seed, **self._options)

    def convert_to_trial(self, trial: Trial) -> TrialInfo:  # type: ignore[override]
        """The trial, as CARP-S has it."""
        config = Configuration(self.configspace, values=trial.params)
        budget = trial.resource if self.fidelity_enabled else None
        return TrialInfo(config=config, name=f"trial {trial.id}", seed=None, budget=budget)

    def ask(self) -> TrialInfo:
        """The next trial."""
        trial = self.solver.ask()
        if trial is None:
            raise RuntimeError("the tuner has no more to ask: give it more brackets, or fewer trials")
        info = self.convert_to_trial(trial)
        self._out[str(info.name)] = (trial, info)
        return info

    def tell(self, trial_info: TrialInfo, trial_value: TrialValue) -> None:
        """What came of a trial: a failure unless it was a success."""
        trial, info = self._out.pop(str(trial_info.name))
        cost = trial_value.cost[0] if isinstance(trial_value.cost, list) else trial_value.cost
        done = trial_value.status == StatusType.SUCCESS
        self.solver.tell(trial, float(cost) if done else None)
        if done and trial.full and (self._best is None or cost < self._best[1].cost):
            self._best = (info, TrialValue(cost=float(cost)))

    def get_current_incumbent(self) -> Any:
        """The trial with the full resource and the lowest loss, and that."""
        return self._best

"""SMAC3's facades: for hyper-parameter optimisation, and with cheaper fidelities (Hyperband)."""

import tempfile

import spaces
from line import WAIT, Start, serve
from smac import HyperparameterOptimizationFacade, MultiFidelityFacade, Scenario
from smac.runhistory.dataclasses import TrialValue
from smac.runhistory.enumerations import StatusType

FACADES = {"hpo": HyperparameterOptimizationFacade, "multi-fidelity": MultiFidelityFacade}


class Smac:
    package = "smac"

    def __init__(self, start: Start):
        self.divisor = start.divisor
        # It keeps files, which nobody reads.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cheap = start.variant == "multi-fidelity"
        # Deterministic: no configuration is evaluated again under another seed. Its seeds have 31 bits.
        scenario = Scenario(
            spaces.space(start),
            deterministic=True,
            n_trials=max(1, int(start.budget * (start.divisor if cheap else 1))),
            output_directory=self.folder.name,
            seed=start.seed32 >> 1,
            **({"min_budget": 1, "max_budget": start.divisor} if cheap else {}),
        )
        self.facade = FACADES[start.variant](scenario, lambda config, seed=0, budget=None: 0.0, overwrite=True)
        self.trials = []
        # The worst loss so far, which a failed evaluation counts as: the package asks for a number.
        self.worst = None

    def ask(self):
        try:
            info = self.facade.ask()
        except StopIteration:
            # It has no more trials while some are pending, or at all.
            return WAIT
        self.trials.append(info)
        config = dict(info.config)
        return (config, round(self.divisor / info.budget)) if info.budget else config

    def tell(self, number, value, cost):
        if value is None:
            loss, status = self.worst or 0.0, StatusType.CRASHED
        else:
            loss, status = value, StatusType.SUCCESS
            self.worst = value if self.worst is None else max(self.worst, value)
        told = TrialValue(cost=loss, time=cost, status=status)
        self.facade.tell(self.trials[number], told, save=False)


serve(Smac)

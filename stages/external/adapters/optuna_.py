"""Optuna: TPE (as it comes), its univariate form, CMA-ES and the Gaussian process. Ask and tell are its own."""

import optuna
from line import Start, serve

SAMPLERS = {
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "tpe-univariate": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=False),
    "tpe-multivariate": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True),
    "cma-es": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
    "gp": lambda seed: optuna.samplers.GPSampler(seed=seed),
}


def distribution(p):
    if p.kind == "float":
        return optuna.distributions.FloatDistribution(p.low, p.high, log=p.log)
    if p.kind == "int":
        return optuna.distributions.IntDistribution(int(p.low), int(p.high), log=p.log)
    return optuna.distributions.CategoricalDistribution(list(range(p.choices)))


class Optuna:
    package = "optuna"

    def __init__(self, start: Start):
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        if start.variant == "gp":
            import torch

            torch.set_num_threads(1)
            torch.manual_seed(start.seed)
        self.space = {p.name: distribution(p) for p in start.space}
        self.study = optuna.create_study(sampler=SAMPLERS[start.variant](start.seed32))
        self.trials = []

    def ask(self):
        trial = self.study.ask(self.space)
        self.trials.append(trial)
        return trial.params

    def tell(self, number, value, cost):
        failed = optuna.trial.TrialState.FAIL
        if value is None:
            self.study.tell(self.trials[number], state=failed)
        else:
            self.study.tell(self.trials[number], value)


serve(Optuna)

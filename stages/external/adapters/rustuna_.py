"""rustuna: Optuna's TPE in Rust."""

import rustuna
from line import Start, serve


class Rustuna:
    package = "rustuna"

    def __init__(self, start: Start):
        self.space = start.space
        self.study = rustuna.create_study(sampler=rustuna.samplers.TPESampler(seed=start.seed32))
        self.trials = []

    def ask(self):
        trial = self.study.ask()
        self.trials.append(trial)
        return {p.name: self.value(trial, p) for p in self.space}

    @staticmethod
    def value(trial, p):
        if p.kind == "float":
            return trial.suggest_float(p.name, p.low, p.high, log=p.log)
        if p.kind == "int":
            return trial.suggest_int(p.name, int(p.low), int(p.high), log=p.log)
        return trial.suggest_categorical(p.name, list(range(p.choices)))

    def tell(self, number, value, cost):
        trial = self.trials[number]
        if value is None:
            self.study.tell(trial.number, state=rustuna.trial.TrialState.FAIL)
        else:
            self.study.tell(trial.number, [value])


serve(Rustuna)

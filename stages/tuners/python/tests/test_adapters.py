"""The adapters, against the packages that they adapt to."""

import doctest

import pytest

import retune_tuners
from retune_tuners import Float, Int, Study, from_configspace


def test_the_documentation_runs():
    assert doctest.testmod(retune_tuners).failed == 0


def test_a_configspace_is_a_space():
    module = pytest.importorskip("ConfigSpace")
    given = module.ConfigurationSpace(seed=1)
    given.add(
        module.Float("rate", (1e-4, 1.0), log=True),
        module.Integer("layers", (1, 8)),
        module.Integer("width", (16, 1024), log=True),
        module.Categorical("kind", ["a", "b"]),
        module.OrdinalHyperparameter("size", ["small", "middle", "large"]),
        module.Constant("fixed", 3),
    )
    study = Study(given, "tpe", seed=1)
    study.optimize(lambda trial: trial["rate"], 30)
    for trial in study.trials:
        # ConfigSpace itself says that the values are legal.
        module.Configuration(given, values=trial.params)
    assert len({t.params["size"] for t in study.trials}) == 3


def test_a_configspaces_conditions_are_kept():
    module = pytest.importorskip("ConfigSpace")
    given = module.ConfigurationSpace(seed=1)
    given.add(
        module.Categorical("kernel", ["linear", "rbf", "poly"]),
        module.Float("gamma", (1e-4, 1.0), log=True),
        module.Integer("degree", (2, 5)),
        module.Float("offset", (0.0, 1.0)),
    )
    given.add(
        module.InCondition(given["gamma"], given["kernel"], ["rbf", "poly"]),
        module.EqualsCondition(given["degree"], given["kernel"], "poly"),
        module.AndConjunction(
            module.EqualsCondition(given["offset"], given["kernel"], "poly"),
            module.InCondition(given["offset"], given["degree"], [3, 5]),
        ),
    )
    study = Study(given, "tpe", seed=1)
    study.optimize(lambda trial: trial.params.get("gamma", 2.0), 60)
    for trial in study.trials:
        # ConfigSpace itself says that what has to be there is there, and nothing else.
        module.Configuration(given, values=trial.params)
    seen = {tuple(trial.params) for trial in study.trials}
    assert len(seen) == 4, seen
    with pytest.raises(ValueError, match="conditions"):
        from_configspace(given)
    float_parent = module.ConfigurationSpace(seed=1)
    float_parent.add(module.Float("x", (0.0, 1.0)), module.Float("y", (0.0, 1.0)))
    float_parent.add(module.LessThanCondition(float_parent["y"], float_parent["x"], 0.5))
    with pytest.raises(ValueError, match="LessThanCondition"):
        Study(float_parent, "tpe")


def test_optuna_samples_with_a_tuner():
    optuna = pytest.importorskip("optuna")
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    import retune_tuners.optuna as adapter

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    assert doctest.testmod(adapter).failed == 0
    space = {
        "rate": FloatDistribution(1e-4, 1.0, log=True),
        "share": FloatDistribution(0.0, 1.0, step=0.25),
        "units": IntDistribution(8, 64, step=8),
        "kind": CategoricalDistribution(["a", None, 3]),
    }

    def loss(trial):
        rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
        share = trial.suggest_float("share", 0.0, 1.0, step=0.25)
        units = trial.suggest_int("units", 8, 64, step=8)
        trial.suggest_categorical("kind", ["a", None, 3])
        other = trial.suggest_float("other", 0.0, 1.0)
        if trial.number == 5:
            raise ValueError("it failed")
        return -(rate + share + units + 0 * other)

    sampler = adapter.TunerSampler(space, "tpe", seed=1)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(loss, n_trials=25, catch=ValueError)
    ours = sampler.study.trials
    assert [t.state for t in ours].count("failed") == 1
    for theirs, own in zip(study.trials, ours, strict=True):
        assert {name: theirs.params[name] for name in space} == own.params
        if own.value is not None:
            assert own.value == -theirs.value


def test_optuna_prunes_where_the_tuner_says():
    optuna = pytest.importorskip("optuna")
    from optuna.distributions import FloatDistribution

    from retune_tuners.optuna import TunerPruner, TunerSampler

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = {"x": FloatDistribution(0.0, 1.0)}
    sampler = TunerSampler(space, "hyperband", min_resource=1, max_resource=9, eta=3)
    study = optuna.create_study(sampler=sampler, pruner=TunerPruner(sampler))
    epochs = []

    def train(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        for epoch in range(9):
            trial.report(x + 1 / (epoch + 1), epoch)
            if trial.should_prune():
                epochs.append(epoch + 1)
                raise optuna.TrialPruned
        epochs.append(9)
        return x + 1 / 9

    study.optimize(train, n_trials=22)
    assert epochs[:13] == [1] * 9 + [3] * 3 + [9]
    # The best third goes on.
    first = sorted(study.trials[:9], key=lambda t: t.params["x"])[:3]
    assert {t.params["x"] for t in study.trials[9:12]} == {t.params["x"] for t in first}


def test_whole_numbers_on_a_logarithmic_scale():
    study = Study({"n": Int(1, 1000, log=True), "x": Float(2.0, 2.0)}, "random", seed=1)
    study.optimize(lambda trial: 0.0, 600)
    values = [t.params["n"] for t in study.trials]
    assert all(isinstance(n, int) and 1 <= n <= 1000 for n in values)
    # Half of the draws lie below the middle of the scale, √(0.5 · 1000.5) = 22.4; binomial, deviation 12.
    assert 250 < sum(n <= 22 for n in values) < 350


def test_carps_runs_a_tuner():
    pytest.importorskip("carps", exc_type=ImportError)
    module = pytest.importorskip("ConfigSpace")
    from carps.objective_functions.objective_function import ObjectiveFunction
    from carps.utils.task import FidelitySpace, InputSpace, OptimizationResources, OutputSpace, Task
    from carps.utils.trials import TrialValue

    from retune_tuners.carps import TunerOptimizer

    class Bowl(ObjectiveFunction):
        seen = []

        @property
        def configspace(self):
            return module.ConfigurationSpace({"x": (-2.0, 3.0), "n": (1, 9)}, seed=1)

        def _evaluate(self, trial_info):
            self.seen.append(trial_info)
            x, n = trial_info.config["x"], trial_info.config["n"]
            return TrialValue(cost=(x - 1) ** 2 + abs(n - 4) + 1 / (trial_info.budget or 81))

    def task(function, trials, fidelities):
        return Task(
            name="bowl",
            objective_function=function,
            input_space=InputSpace(function.configspace, fidelities),
            output_space=OutputSpace(n_objectives=1, objectives=("loss",)),
            optimization_resources=OptimizationResources(n_trials=trials),
            metadata=None,
        )

    one = Bowl()
    optimizer = TunerOptimizer(task(one, 50, FidelitySpace(is_multifidelity=False)), "tpe", seed=1)
    info, value = optimizer.run()
    assert len(one.seen) == 50 and value.cost < 1.0 and info.config["n"] in (3, 4, 5)
    Bowl.seen = []

    class Conditional(Bowl):
        @property
        def configspace(self):
            space = module.ConfigurationSpace({"n": (1, 9), "x": (-2.0, 3.0)}, seed=1)
            space.add(module.InCondition(space["x"], space["n"], [4, 5]))
            return space

        def _evaluate(self, trial_info):
            self.seen.append(dict(trial_info.config))
            return TrialValue(cost=abs(trial_info.config["n"] - 4))

    # A configuration with a value too many or too few would be refused by ConfigSpace.
    TunerOptimizer(task(Conditional(), 30, FidelitySpace(is_multifidelity=False)), "tpe", seed=1).run()
    assert {("x" in one) == (one["n"] in (4, 5)) for one in Bowl.seen} == {True}
    assert {"x" in one for one in Bowl.seen} == {True, False}
    Bowl.seen = []
    epochs = FidelitySpace(is_multifidelity=True, min_fidelity=1, max_fidelity=9, fidelity_type="epochs")
    several = TunerOptimizer(task(Bowl(), 3, epochs), "hyperband", expects_fidelities=True)
    several.run()
    budgets = [info.budget for info in Bowl.seen]
    assert budgets[:9] == [1.0] * 9 and set(budgets) == {1.0, 3.0, 9.0}

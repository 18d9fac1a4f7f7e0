"""What a suggestion of another package costs: `peer_model.py PEER DIMENSIONS TRIALS REPEATS MEMORY`, PEER a name in
`PEERS`, MEMORY its limit in bytes.

It runs in the environment of the package. After TRIALS random trials of a sum of squares in DIMENSIONS numbers it prints
`begin`, asks and tells REPEATS times, and prints the CPU seconds of each time. A package that is not there ends it with 77.
"""

import os
import resource
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def loss(values):
    """A sum of squares."""
    return float(sum((v - 0.3) ** 2 for v in values))


def optuna_study(package, sampler, dimensions, trials):
    """A step of Optuna, or of a package with its interface, whose first trials are random."""
    study = package.create_study(sampler=sampler)

    def step():
        trial = study.ask()
        study.tell(trial.number, loss([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(dimensions)]))

    for _ in range(trials):
        step()
    return step


def optuna_tpe(dimensions, trials):
    """Optuna's TPE."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna_study(optuna, optuna.samplers.TPESampler(seed=1, n_startup_trials=trials), dimensions, trials)


def rustuna_tpe(dimensions, trials):
    """Rustuna's."""
    import rustuna

    return optuna_study(rustuna, rustuna.samplers.TPESampler(seed=1, n_startup_trials=trials), dimensions, trials)


def optuna_gp(dimensions, trials):
    """Optuna's Gaussian process."""
    import optuna
    import torch

    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna_study(optuna, optuna.samplers.GPSampler(seed=1, n_startup_trials=trials), dimensions, trials)


def random_trials(dimensions, trials):
    """Points and their losses."""
    points = np.random.default_rng(1).random((trials, dimensions))
    return points, ((points - 0.3) ** 2).sum(axis=1)


def egobox(dimensions, trials):
    """Egobox's Gaussian process with expected improvement."""
    import egobox as package

    points, losses = random_trials(dimensions, trials)
    told = {"x": points, "y": losses[:, None]}
    optimizer = package.Egor([[0.0, 1.0]] * dimensions, infill_strategy=package.InfillStrategy.EI)

    def step():
        x = optimizer.suggest(told["x"], told["y"], seed=1)
        told["x"] = np.vstack([told["x"], x])
        told["y"] = np.vstack([told["y"], [[loss(x[0])]]])

    return step


def smac(dimensions, trials):
    """SMAC3's facade for hyper-parameter optimisation."""
    import ConfigSpace
    from smac import HyperparameterOptimizationFacade, Scenario
    from smac.runhistory.dataclasses import TrialInfo, TrialValue

    names = [f"x{i}" for i in range(dimensions)]
    space = ConfigSpace.ConfigurationSpace({name: (0.0, 1.0) for name in names}, seed=1)
    folder = tempfile.mkdtemp()
    scenario = Scenario(space, deterministic=True, n_trials=10**6, output_directory=folder, seed=1)
    facade = HyperparameterOptimizationFacade(
        scenario,
        lambda config, seed=0: 0.0,
        overwrite=True,
        # The trials told are the initial design.
        initial_design=HyperparameterOptimizationFacade.get_initial_design(scenario, n_configs=0),
        logging_level=False,
    )
    for point, value in zip(*random_trials(dimensions, trials)):
        config = ConfigSpace.Configuration(space, values=dict(zip(names, map(float, point))))
        facade.tell(TrialInfo(config, seed=0), TrialValue(cost=float(value)), save=False)

    def step():
        info = facade.ask()
        facade.tell(info, TrialValue(cost=loss([info.config[name] for name in names])), save=False)

    return step


def hebo(dimensions, trials):
    """HEBO, as it comes."""
    import pandas
    import torch
    from hebo.design_space.design_space import DesignSpace
    from hebo.optimizers.hebo import HEBO

    torch.manual_seed(1)
    torch.set_num_threads(1)
    names = [f"x{i}" for i in range(dimensions)]
    space = DesignSpace().parse([{"name": name, "type": "num", "lb": 0, "ub": 1} for name in names])
    optimiser = HEBO(space, scramble_seed=1)
    points, losses = random_trials(dimensions, trials)
    optimiser.observe(pandas.DataFrame(points, columns=names), losses[:, None])

    def step():
        rows = optimiser.suggest(n_suggestions=1)
        optimiser.observe(rows, np.array([[loss(rows.to_numpy(float)[0])]]))

    return step


PEERS = {
    "rustuna-tpe": rustuna_tpe,
    "optuna-tpe": optuna_tpe,
    "optuna-gp": optuna_gp,
    "egobox": egobox,
    "smac3": smac,
    "hebo": hebo,
}


def main():
    """The peer that is named."""
    np.random.seed(1)
    # What packages print goes to the error stream.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    dimensions, trials, repeats, memory = map(int, sys.argv[2:6])
    # Of what it holds itself: libraries map more addresses than they use.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    try:
        step = PEERS[sys.argv[1]](dimensions, trials)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(77)
    print("begin", file=out, flush=True)
    for _ in range(repeats):
        start = time.process_time()
        step()
        print(time.process_time() - start, file=out, flush=True)


main()

"""What a suggestion of SMAC3 or HEBO costs: `peer_model.py smac|hebo DIMENSIONS TRIALS REPEATS`.

It runs in the environment of its package (`make optimisers`) and prints CPU seconds per suggestion, the mean of REPEATS
(SMAC3 fits its forest at every eighth), after TRIALS random trials of a sum of squares.
"""

import sys
import tempfile
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def smac(points, losses, repeats):
    """SMAC3's facade for hyper-parameter optimisation."""
    import ConfigSpace
    from smac import HyperparameterOptimizationFacade, Scenario
    from smac.runhistory.dataclasses import TrialInfo, TrialValue

    names = [f"x{i}" for i in range(points.shape[1])]
    space = ConfigSpace.ConfigurationSpace({name: (0.0, 1.0) for name in names}, seed=1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        scenario = Scenario(space, deterministic=True, n_trials=10**6, output_directory=folder, seed=1)
        facade = HyperparameterOptimizationFacade(
            scenario,
            lambda config, seed=0: 0.0,
            overwrite=True,
            # The trials told are the initial design.
            initial_design=HyperparameterOptimizationFacade.get_initial_design(scenario, n_configs=0),
            logging_level=False,
        )
        for point, loss in zip(points, losses):
            config = ConfigSpace.Configuration(space, values=dict(zip(names, map(float, point))))
            facade.tell(TrialInfo(config, seed=0), TrialValue(cost=float(loss)), save=False)

        def step():
            info = facade.ask()
            x = np.array([info.config[name] for name in names])
            facade.tell(info, TrialValue(cost=float(((x - 0.3) ** 2).sum())), save=False)

        return measured(step, repeats)


def hebo(points, losses, repeats):
    """HEBO, as it comes."""
    import pandas
    import torch
    from hebo.design_space.design_space import DesignSpace
    from hebo.optimizers.hebo import HEBO

    torch.manual_seed(1)
    torch.set_num_threads(1)
    names = [f"x{i}" for i in range(points.shape[1])]
    space = DesignSpace().parse([{"name": name, "type": "num", "lb": 0, "ub": 1} for name in names])
    optimiser = HEBO(space, scramble_seed=1)
    optimiser.observe(pandas.DataFrame(points, columns=names), losses[:, None])

    def step():
        rows = optimiser.suggest(n_suggestions=1)
        optimiser.observe(rows, ((rows.to_numpy(float) - 0.3) ** 2).sum(axis=1, keepdims=True))

    return measured(step, repeats)


def measured(step, repeats):
    """The mean CPU time of a step."""
    start = time.process_time()
    for _ in range(repeats):
        step()
    return (time.process_time() - start) / repeats


def main():
    """The package that is named."""
    np.random.seed(1)
    dimensions, trials, repeats = map(int, sys.argv[2:5])
    points = np.random.default_rng(1).random((trials, dimensions))
    losses = ((points - 0.3) ** 2).sum(axis=1)
    print({"smac": smac, "hebo": hebo}[sys.argv[1]](points, losses, repeats))


main()

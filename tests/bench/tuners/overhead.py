"""What a multi-fidelity tuner spends on a suggestion: a Python peer against ours.

Usage: tuner_overhead.py NAME GOAL EVALUATIONS PAIRS OURS, with NAME `dehb` or `bohb` and OURS the
program built from stages/compare/examples/tuner_overhead.rs. Counting ones with 8 categories and 8 reals,
budgets 9 to 243 by 3. Both sides take turns, CPU time of the process in asking and telling. Ends in
a ratio line. Peers: dehb by its ask and tell; hpbandster by its config generator and its successive
halving, one job at a time, without its server.
"""

import json
import logging
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from types import SimpleNamespace

import ConfigSpace
import numpy as np
from ConfigSpace.hyperparameters import CategoricalHyperparameter, UniformFloatHyperparameter

CATEGORIES, REALS = 8, 8
MINIMUM, MAXIMUM, ETA = 9, 243, 3

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


def space(seed):
    """Eight switches and eight numbers."""
    found = ConfigSpace.ConfigurationSpace(seed=seed)
    for i in range(CATEGORIES):
        found.add(CategoricalHyperparameter(f"c{i}", [0, 1]))
    for i in range(REALS):
        found.add(UniformFloatHyperparameter(f"x{i}", 0.0, 1.0))
    return found


def dehb(evaluations, seed):
    """Seconds and lowest loss of DEHB."""
    from dehb import DEHB

    with tempfile.TemporaryDirectory() as folder:
        tuner = DEHB(
            cs=space(seed), f=None, dimensions=CATEGORIES + REALS, min_fidelity=MINIMUM,
            max_fidelity=MAXIMUM, eta=ETA, n_workers=1, seed=seed, output_path=folder,
            save_freq="end", log_level="ERROR",
        )
        best, seconds = float("inf"), 0.0
        for _ in range(evaluations):
            start = time.process_time()
            job = tuner.ask()
            seconds += time.process_time() - start
            loss = -float(sum(dict(job["config"]).values()))
            best = min(best, loss)
            start = time.process_time()
            tuner.tell(job, {"fitness": loss, "cost": 1.0})
            seconds += time.process_time() - start
    return seconds, best


def bohb(evaluations, seed):
    """Seconds and lowest loss of hpbandster's BOHB."""
    from hpbandster.optimizers.config_generators.bohb import BOHB
    from hpbandster.optimizers.iterations.successivehalving import SuccessiveHalving

    np.random.seed(seed)
    generator = BOHB(configspace=space(seed))
    rungs = 1
    while MINIMUM * ETA**rungs <= MAXIMUM:
        rungs += 1
    budgets = [MAXIMUM / ETA**k for k in reversed(range(rungs))]
    best, seconds, done, number, modelled = float("inf"), 0.0, 0, 0, 0
    while done < evaluations:
        s = rungs - 1 - number % rungs
        first = rungs // (s + 1) * ETA**s
        sizes = [max(first // ETA**i, 1) for i in range(s + 1)]
        bracket = SuccessiveHalving(
            HPB_iter=number, num_configs=sizes, budgets=budgets[-s - 1 :],
            config_sampler=generator.get_config,
        )
        number += 1
        while done < evaluations:
            start = time.process_time()
            run = bracket.get_next_run()
            seconds += time.process_time() - start
            if run is None:
                break
            key, config, budget = run
            loss = -float(sum(config.values()))
            best = min(best, loss)
            job = SimpleNamespace(
                id=key, kwargs={"config": config, "budget": budget}, result={"loss": loss},
                exception=None, timestamps={},
            )
            start = time.process_time()
            bracket.register_result(job)
            generator.new_result(job)
            seconds += time.process_time() - start
            done += 1
        modelled += sum(d.config_info.get("model_based_pick", False) for d in bracket.data.values())
    if modelled == 0:
        sys.exit("bohb: the peer never used its model: its ConfigSpace does not fit it")
    return seconds, best


def main():
    name, goal, evaluations, pairs, program = sys.argv[1:]
    evaluations, pairs = int(evaluations), int(pairs)
    peer = {"dehb": dehb, "bohb": bohb}[name]
    ratios, times = [], {"ours": [], "peer": []}
    for seed in range(pairs):
        command = [program, name, str(CATEGORIES), str(REALS), str(evaluations), str(seed)]
        ours = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        seconds, best = peer(evaluations, seed)
        times["ours"].append(ours["seconds"] / ours["suggestions"])
        times["peer"].append(seconds / evaluations)
        ratios.append(times["peer"][-1] / times["ours"][-1])
    print(f"{name}: {evaluations} suggestions, {pairs} pairs; lowest loss {ours['best']:.3f}"
          f" ours, {best:.3f} peer, of -16")
    for side, found in times.items():
        print(f"  {side:5} {1e6 * statistics.median(found):10.2f} us CPU a suggestion")
    print(f"ratio tuner-overhead-{name} {statistics.median(ratios):.1f} goal {goal}")


main()

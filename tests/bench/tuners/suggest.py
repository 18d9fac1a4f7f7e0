"""What a suggestion costs after so many trials: the wheel of the tuners against other packages.

Usage: suggest.py tiny|full. In turn: CPU time of asking and telling per suggestion, the median of a few (with SMAC3 and
HEBO, which have environments of their own: the mean), after TRIALS random trials of a sum of squares in DIMENSIONS
numbers. Each line is `ratio NAME VALUE goal GOAL`, where VALUE is the peer's time over ours. Peers that are not installed
are said and left out.
"""

import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

from retune_tuners import Float, Study

warnings.filterwarnings("ignore")

FULL = sys.argv[1] == "full"
DIMENSIONS = (5, 20, 40) if FULL else (5,)
# A Gaussian process takes the cube of the trials, so it is measured at few.
TRIALS = {
    "tpe": (100, 1000, 10000) if FULL else (30,),
    "gp": (100,) if FULL else (15,),
    # After 10 000, SMAC3 takes more than a quarter of an hour for the sixteen suggestions.
    "smac": (100, 1000) if FULL else (30,),
    "hebo": (100,) if FULL else (15,),
}
REPEATS = {"tpe": 11 if FULL else 2, "gp": 3 if FULL else 1, "smac": 16 if FULL else 1, "hebo": 3 if FULL else 1}
# Our tuners, and their setting of how many trials at first are random; one has none and suggests all trials itself.
SETTINGS = {
    "tpe": ("tpe", "startup"),
    "gp": ("directed", "starts"),
    "smac": ("smac-like", "starts"),
    "hebo": ("hebo-like", None),
}
ENVIRONMENTS = pathlib.Path(__file__).resolve().parents[3] / ".tools/optimisers"


def loss(values):
    """A sum of squares."""
    return float(sum((v - 0.3) ** 2 for v in values))


def seconds(step, repeats):
    """The median CPU time of a step."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        step()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def ours(method, dimensions, trials, repeats):
    """The tuner of this library."""
    kind, startup = SETTINGS[method]
    settings = {"kind": kind} | ({startup: trials} if startup else {})
    space = {f"x{i}": Float(0.0, 1.0) for i in range(dimensions)}
    study = Study(space, settings, seed=1, round_size=None)

    def step():
        trial = study.ask()
        study.tell(trial, loss(trial.params.values()))

    for _ in range(trials):
        step()
    return seconds(step, repeats)


def optuna_study(package, sampler, dimensions, trials, repeats):
    """Optuna, or a package with its interface."""
    study = package.create_study(sampler=sampler)

    def step():
        trial = study.ask()
        study.tell(trial.number, loss([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(dimensions)]))

    for _ in range(trials):
        step()
    return seconds(step, repeats)


def optuna_tpe(dimensions, trials, repeats):
    """Optuna's TPE, whose first trials are random."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=1, n_startup_trials=trials)
    return optuna_study(optuna, sampler, dimensions, trials, repeats)


def rustuna_tpe(dimensions, trials, repeats):
    """Rustuna's."""
    import rustuna

    sampler = rustuna.samplers.TPESampler(seed=1, n_startup_trials=trials)
    return optuna_study(rustuna, sampler, dimensions, trials, repeats)


def optuna_gp(dimensions, trials, repeats):
    """Optuna's Gaussian process."""
    import optuna
    import torch

    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.GPSampler(seed=1, n_startup_trials=trials)
    return optuna_study(optuna, sampler, dimensions, trials, repeats)


def egobox_gp(dimensions, trials, repeats):
    """Egobox's Gaussian process with expected improvement."""
    import egobox

    chance = np.random.default_rng(1)
    x = chance.random((trials, dimensions))
    points = {"x": x, "y": ((x - 0.3) ** 2).sum(axis=1, keepdims=True)}
    optimizer = egobox.Egor([[0.0, 1.0]] * dimensions, infill_strategy=egobox.InfillStrategy.EI)

    def step():
        next_x = optimizer.suggest(points["x"], points["y"], seed=1)
        points["x"] = np.vstack([points["x"], next_x])
        points["y"] = np.vstack([points["y"], ((next_x - 0.3) ** 2).sum(axis=1, keepdims=True)])

    return seconds(step, repeats)


def elsewhere(package):
    """A package in an environment of its own."""

    def measure(dimensions, trials, repeats):
        python = ENVIRONMENTS / package / "bin/python"
        if not python.exists():
            raise ImportError(f"make optimisers OPTIMISERS={package}")
        script = pathlib.Path(__file__).with_name("peer_model.py")
        said = subprocess.run(
            [python, script, package, *map(str, (dimensions, trials, repeats))],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return float(said.stdout.split()[-1])

    return measure


PEERS = {
    "tpe": [("rustuna", rustuna_tpe, 1.0), ("optuna", optuna_tpe, 10)],
    "gp": [("egobox", egobox_gp, 1.5), ("optuna", optuna_gp, 10)],
    "smac": [("smac3", elsewhere("smac"), 1.0)],
    "hebo": [("hebo", elsewhere("hebo"), 1.0)],
}


def main():
    """All methods, sizes and peers."""
    lines = []
    for method, peers in PEERS.items():
        for dimensions in DIMENSIONS:
            for trials in TRIALS[method]:
                own = ours(method, dimensions, trials, REPEATS[method])
                print(f"{method} {dimensions} dimensions {trials} trials: ours {own * 1e3:.3f} ms", flush=True)
                for name, measure, goal in peers:
                    try:
                        theirs = measure(dimensions, trials, REPEATS[method])
                    except ImportError as error:
                        print(f"not measured: {name}'s {method} ({error})")
                        continue
                    print(f"    {name} {theirs * 1e3:.3f} ms", flush=True)
                    label = f"tuners-{method}-{name}-d{dimensions}-n{trials}"
                    lines.append(f"ratio {label} {theirs / max(own, 1e-9):.2f} goal {goal}")
    if not lines:
        sys.exit(77)
    print("\n".join(lines))


main()

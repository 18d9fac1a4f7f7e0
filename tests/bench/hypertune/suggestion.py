"""What a suggestion of Bayesian optimisation costs: the package bayesian-optimization against ours.

Usage: suggestion.py DIMENSIONS OBSERVATIONS GOAL PAIRS OURS, with OURS the program built from
stages/compare/examples/gp_suggestion.rs. Both sides know OBSERVATIONS random points of the same function and
make five suggestions by expected improvement, each evaluated and told. CPU time in asking and
telling. Ends in a ratio line.
"""

import json
import math
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
from bayes_opt import BayesianOptimization
from bayes_opt.acquisition import ExpectedImprovement

SUGGESTIONS = 5
warnings.filterwarnings("ignore")


def loss(x):
    """A bowl with ripples."""
    return sum((v - 0.8) ** 2 + 0.05 * math.cos(9.0 * v) for v in x)


def peer(dimensions, observations, seed):
    """Seconds a suggestion and lowest loss of the package with its own settings."""
    names = [f"x{i}" for i in range(dimensions)]
    tuner = BayesianOptimization(
        f=None, pbounds={name: (0.0, 1.0) for name in names}, random_state=seed, verbose=0,
        acquisition_function=ExpectedImprovement(xi=0.0, random_state=seed),
    )
    rng = np.random.default_rng(seed)
    for point in rng.random((observations, dimensions)):
        tuner.register(params=dict(zip(names, point)), target=-loss(point))
    best, seconds = math.inf, 0.0
    for _ in range(SUGGESTIONS):
        start = time.process_time()
        params = tuner.suggest()
        seconds += time.process_time() - start
        value = loss(params[name] for name in names)
        best = min(best, value)
        start = time.process_time()
        tuner.register(params=params, target=-value)
        seconds += time.process_time() - start
    return seconds / SUGGESTIONS, best


def ours(program, dimensions, observations, signs, seed):
    """The same of ours."""
    arguments = [dimensions, observations, signs, SUGGESTIONS, seed]
    command = [program, *map(str, arguments)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found["seconds"], found["best"]


def main():
    dimensions, observations, goal, pairs = map(int, sys.argv[1:5])
    program = sys.argv[5]
    ratios, times, lows = [], {"ours": [], "peer": [], "signs": []}, {"ours": [], "peer": []}
    # Forty signs, as near as whole points allow.
    points = round(40 / dimensions)
    for seed in range(pairs):
        own, best = ours(program, dimensions, observations, 0, seed)
        other, low = peer(dimensions, observations, seed)
        signs, _ = ours(program, dimensions, observations, points, seed)
        for side, found in (("ours", own), ("peer", other), ("signs", signs)):
            times[side].append(found)
        lows["ours"].append(best)
        lows["peer"].append(low)
        ratios.append(other / own)
    print(f"GP-EI, {dimensions} dimensions, {observations} observations, {pairs} pairs; median lowest"
          f" loss {statistics.median(lows['ours']):.4f} ours,"
          f" {statistics.median(lows['peer']):.4f} peer")
    for side, found in times.items():
        print(f"  {side:5} {1e3 * statistics.median(found):9.2f} ms CPU a suggestion")
    print(f"ratio gp-ei-suggestion-{dimensions}d {statistics.median(ratios):.1f} goal {goal}")


main()

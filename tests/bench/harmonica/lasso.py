"""The Lasso on parities: scikit-learn against ours.

Usage: lasso.py PAIRS VARIABLES MANY OURS, with OURS the program built from stages/models/examples/lasso_fit.rs,
which has VARIABLES in the comparison and MANY in what it does alone at the end. 300 samples
of a function like the one in the authors' code of Harmonica: 5 monomials of weight 100 to 200, 160
weaker ones in their wake, noise. Theirs is timed on columns that lie ready in memory; ours from the
signs on. Each side solves to the duality gap that theirs ends at, computed here from its solution.
Ends in ratio lines.
"""

import itertools
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.linear_model import Lasso, lasso_path

SAMPLES, DEGREE = 300, 3
warnings.filterwarnings("ignore")


def samples(variables, seed):
    """Signs and values of the function."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1.0, 1.0], (SAMPLES, variables))
    y = 4.0 * rng.random(SAMPLES)
    for count, low, high in [(5, 100, 200), (160, 0.8, 1.6), (160, 0.04, 0.1)]:
        for _ in range(count):
            monomial = rng.choice(variables, rng.integers(1, DEGREE + 1), replace=False)
            weight = rng.uniform(low, high) * rng.choice([-1, 1])
            y += weight * x[:, monomial].prod(axis=1)
    return x, y


def columns(x):
    """All products of up to three variables, the constant first, in the order of columns."""
    found = [np.ones(len(x))]
    for degree in range(1, DEGREE + 1):
        found += [x[:, c].prod(axis=1) for c in map(list, itertools.combinations(range(x.shape[1]), degree))]
    return np.asfortranarray(np.column_stack(found))


def gap(a, y, w, b, alpha):
    """Objective and duality gap of a solution, as ours measures them."""
    n = len(y)
    r = y - a @ w - b
    r -= r.mean()
    c = y - y.mean()
    largest = np.abs(a.T @ r - a.mean(axis=0) * r.sum()).max()
    s = min(1.0, n * alpha / largest)
    primal = r @ r / (2 * n) + alpha * np.abs(w).sum()
    return float(primal), float(primal - (s * (r @ c) - 0.5 * s * s * (r @ r)) / n)


def write(x, y, file):
    for row, value in zip(x, y):
        file.write(f"{value!r} " + " ".join(str(int(v)) for v in row) + "\n")
    file.flush()


def ours(program, file, threads, steps, repeats=3):
    arguments = [program, file, str(DEGREE), str(threads), str(repeats)]
    arguments += [f"{a!r}={g!r}" for a, g in steps]
    return json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)


def main():
    (pairs, variables, many), program = map(int, sys.argv[1:4]), sys.argv[4]
    ratios = {}
    for seed in range(pairs):
        x, y = samples(variables, seed)
        y = [float(v) for v in y]
        a, target = columns(x), np.array(y)
        with tempfile.NamedTemporaryFile("w") as file:
            write(x, y, file)
            for tolerance in (1e-4, 1e-8):
                model = Lasso(alpha=3.0, tol=tolerance, max_iter=100_000)
                start = time.perf_counter()
                model.fit(a, target)
                seconds = time.perf_counter() - start
                primal, reached = gap(a, target, model.coef_, model.intercept_, 3.0)
                for threads in (1, 2):
                    found = ours(program, file.name, threads, [(3.0, max(reached, 1e-11 * primal))])
                    fit = found["fits"][0]
                    assert abs(fit["objective"] - primal) <= 1.1 * max(reached, 1e-11 * primal), (fit, primal)
                    name = f"{tolerance:g}, {threads} thread{'s'[: threads - 1]}"
                    ratios.setdefault(name, []).append(seconds / found["seconds"])
                print(f"  seed {seed}, tolerance {tolerance:g}: gap {reached:.2e} of {primal:.1f};"
                      f" theirs {1e3 * seconds:.1f} ms, ours {1e3 * found['seconds']:.2f} ms with 2 threads")
            alphas = [30.0, 20.0, 14.0, 10.0, 7.0, 5.0, 3.0]
            start = time.perf_counter()
            _, coefficients, _ = lasso_path(a - a.mean(axis=0), target - target.mean(), alphas=alphas)
            seconds = time.perf_counter() - start
            reached = [gap(a, target, w, target.mean() - a.mean(axis=0) @ w, alpha)[1]
                       for alpha, w in zip(alphas, coefficients.T)]
            steps = [(alpha, min(reached)) for alpha in alphas]
            ratios.setdefault("path", []).append(seconds / ours(program, file.name, 1, steps)["seconds"])
    goals = {"0.0001, 1 thread": 10, "0.0001, 2 threads": 15}
    for name, found in ratios.items():
        goal = f" goal {goals[name]}" if name in goals else ""
        label = name.replace(", ", "-").replace(" ", "-")
        print(f"ratio lasso-{label} {statistics.median(found):.1f}{goal}")
    x, y = samples(many, 0)
    with tempfile.NamedTemporaryFile("w") as file:
        write(x, [float(v) for v in y], file)
        found = ours(program, file.name, 2, [(3.0, 1e-4 * float(np.var(y)) / 2)], repeats=1)
    columns_of_many = sum(math.comb(many, degree) for degree in range(DEGREE + 1))
    theirs = columns_of_many * SAMPLES * 8 / 2**20
    print(f"{many} variables: {columns_of_many} columns in {found['seconds']:.2f} s,"
          f" peak {found['peak_mib']:.0f} MiB; as numbers the columns alone are {theirs:.0f} MiB")
    print(f"ratio lasso-{many}-memory {4096 / found['peak_mib']:.1f} goal 1")


main()

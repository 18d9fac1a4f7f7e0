"""Inner logistic solve and one hypergradient: scipy against ours, on one matrix.

Usage: hoag.py NAME GOAL FILE LAMBDA TOLERANCE REPEATS PAIRS OURS, with FILE in the format of
stages/models/examples/inner_solve.rs and OURS that program. Both sides take turns, one thread each, CPU
time of the process. Both stop at the same Euclidean norms: of the inner gradient relative to that
at 0, and of the linear system's residual relative to its right side. Ends in a ratio line.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit


def read(path):
    """Design matrix and labels."""
    with open(path, "rb") as file:
        rows, columns, entries = np.fromfile(file, "<u8", 3).astype(int)
        if entries == 0:
            design = np.fromfile(file, "<f8", rows * columns).reshape(rows, columns)
        else:
            starts = np.fromfile(file, "<u8", rows + 1).astype(np.int32)
            indices = np.fromfile(file, "<u4", entries).astype(np.int32)
            values = np.fromfile(file, "<f8", entries)
            design = sparse.csr_matrix((values, indices, starts), shape=(rows, columns))
        return design, np.fromfile(file, "<f8", rows)


class Logistic:
    """h(x) = sum of ln(1 + exp(-b a.x)) + ridge/2 |x|^2, with the labels b multiplied into a."""

    def __init__(self, design, labels, ridge):
        if sparse.issparse(design):
            self.a = sparse.diags(labels).dot(design).tocsr()
            # Both are fast only along compressed rows.
            self.at = self.a.T.tocsr()
        else:
            self.a = design * labels[:, None]
            self.at = self.a.T
        self.ridge = ridge

    def loss(self, x):
        """Loss without penalty, and its gradient; keeps the weights and the gradient's norm."""
        t = self.a @ x
        self.weights = expit(-t)
        # ln(1 + exp(-t)) without overflow; much quicker than numpy.logaddexp.
        value = np.log1p(np.exp(-np.abs(t))).sum() - np.minimum(t, 0.0).sum()
        return value, -(self.at @ self.weights)

    def inner(self, x):
        value, gradient = self.loss(x)
        gradient += self.ridge * x
        self.norm = np.sqrt(gradient @ gradient)
        return value + 0.5 * self.ridge * (x @ x), gradient

    def solve(self, target):
        """L-BFGS from 0 until the gradient's norm is at most `target`."""

        def stop(_):
            # The last evaluation was that of the accepted point.
            if self.norm <= target:
                raise StopIteration

        options = {"maxcor": 10, "maxiter": 10_000, "maxfun": 20_000, "ftol": 0.0, "gtol": 0.0}
        start = np.zeros(self.a.shape[1])
        found = minimize(
            self.inner, start, jac=True, method="L-BFGS-B", callback=stop, options=options
        )
        return found.x, found.nfev

    def product(self, curvatures):
        return lambda v: self.at @ (curvatures * (self.a @ v)) + self.ridge * v


def solve_once(problem, tolerance, norm_at_0):
    """One timed solve with its hypergradient, then what it reached."""
    products = 0

    def count(_):
        nonlocal products
        products += 1

    start = time.process_time()
    x, evaluations = problem.solve(tolerance * norm_at_0)
    inner_seconds = time.process_time() - start
    curvatures = problem.weights * (1.0 - problem.weights)
    _, g = problem.loss(x)
    multiply = problem.product(curvatures)
    operator = LinearOperator((len(x), len(x)), matvec=multiply, dtype=float)
    q, _ = cg(operator, g, rtol=tolerance, atol=0.0, maxiter=10_000, callback=count)
    hypergradient = -problem.ridge * (x @ q)
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "inner_seconds": inner_seconds,
        "evaluations": evaluations,
        "products": products,
        "gradient": np.linalg.norm(problem.inner(x)[1]) / norm_at_0,
        "residual": np.linalg.norm(multiply(q) - g) / np.linalg.norm(g),
        "hypergradient": hypergradient,
    }


def check(name, side, found, tolerance, truth):
    """Refuses a side that did not reach what was asked."""
    slack = 1.0 + 1e-6
    for key in ("gradient", "residual"):
        if not found[key] <= slack * tolerance:
            sys.exit(f"{name}: {side} reached {key} {found[key]:.2e}, asked for {tolerance:.2e}")
    error = abs(found["hypergradient"] / truth - 1.0)
    if not error < 1e3 * tolerance:
        sys.exit(f"{name}: the hypergradients of both sides differ by {error:.1e}")


def main():
    name, goal, path, log_ridge, tolerance, repeats, pairs, ours_program = sys.argv[1:]
    tolerance, repeats, pairs = float(tolerance), int(repeats), int(pairs)
    problem = Logistic(*read(path), ridge=float(np.exp(float(log_ridge))))
    norm_at_0 = np.linalg.norm(problem.inner(np.zeros(problem.a.shape[1]))[1])

    def ours():
        command = [ours_program, path, log_ridge, str(tolerance), str(repeats)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in lines.splitlines()]

    def peer():
        return [solve_once(problem, tolerance, norm_at_0) for _ in range(repeats)]

    ratios, times = [], {"ours": [], "scipy": []}
    for _ in range(pairs):
        sides = {"ours": ours(), "scipy": peer()}
        for side, found in sides.items():
            times[side].append(statistics.median(one["seconds"] for one in found))
            check(name, side, found[0], tolerance, sides["scipy"][0]["hypergradient"])
        ratios.append(times["scipy"][-1] / times["ours"][-1])
    rows, columns = problem.a.shape
    print(f"{name}: {rows} x {columns}, {pairs} pairs of {repeats}, tolerance {tolerance:g}")
    for side, found in sides.items():
        one = found[0]
        print(
            f"  {side:6} {1e3 * statistics.median(times[side]):9.2f} ms CPU"
            f" (inner {1e3 * one['inner_seconds']:.2f}), {one['evaluations']} gradients,"
            f" {one['products']} products; reached {one['gradient']:.1e}, {one['residual']:.1e};"
            f" hypergradient {one['hypergradient']:.10g}"
        )
    print(f"ratio {name} {statistics.median(ratios):.2f} goal {goal}")


main()

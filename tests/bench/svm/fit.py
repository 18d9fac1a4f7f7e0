"""A fit of the kernel machine and a prediction: scikit-learn's SVC against ours, on one matrix.

Usage: fit.py NAME FILE C GAMMA TOLERANCE PAIRS OURS, with FILE in the format of
stages/models/examples/svm_fit.rs and OURS that program. Both sides take turns. CPU time on one thread each,
and wall time of SVC (which has one thread) against ours on two. Both must reach the same dual
objective within 1e-3 of it. Ends in ratio lines.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np
from sklearn.svm import SVC

PREDICTED = 2000


def read(path):
    """Rows and labels."""
    with open(path, "rb") as file:
        rows, columns = np.fromfile(file, "<u8", 2).astype(int)
        x = np.fromfile(file, "<f8", rows * columns).reshape(rows, columns)
        return x, np.fromfile(file, "<f8", rows).astype(int)


def objective(machine, gamma):
    """The dual objective, summed over the pairs of classes."""
    starts = np.concatenate([[0], np.cumsum(machine.n_support_)])
    vectors, coefficients = machine.support_vectors_, machine.dual_coef_
    total = 0.0
    for a in range(len(machine.classes_)):
        for b in range(a + 1, len(machine.classes_)):
            of_a, of_b = np.arange(*starts[a : a + 2]), np.arange(*starts[b : b + 2])
            beta = np.concatenate([coefficients[b - 1, of_a], coefficients[a, of_b]])
            v = vectors[np.concatenate([of_a, of_b])]
            squares = (v**2).sum(1)
            distances = np.maximum(squares[:, None] + squares[None] - 2 * v @ v.T, 0)
            total += 0.5 * beta @ np.exp(-gamma * distances) @ beta - np.abs(beta).sum()
    return total


def main():
    name, path, c, gamma, tolerance, pairs, program = sys.argv[1:]
    x, y = read(path)

    def ours(threads):
        command = [program, path, c, gamma, tolerance, str(threads), "1"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def peer():
        machine = SVC(C=float(c), gamma=float(gamma), tol=float(tolerance))
        wall, cpu = time.perf_counter(), time.process_time()
        machine.fit(x, y)
        fitted = time.perf_counter() - wall, time.process_time() - cpu
        wall, cpu = time.perf_counter(), time.process_time()
        said = machine.predict(x[:PREDICTED])
        predicted = time.perf_counter() - wall, time.process_time() - cpu
        return machine, {
            "wall": fitted[0],
            "cpu": fitted[1],
            "predict_cpu": predicted[1],
            "wrong": int((said != y[:PREDICTED]).sum()),
        }

    ratios = {"one-thread": [], "two-threads": [], "predict": []}
    for _ in range(int(pairs)):
        one, (machine, theirs), two = ours(1), peer(), ours(2)
        ratios["one-thread"].append(theirs["cpu"] / one["cpu"])
        ratios["two-threads"].append(theirs["wall"] / two["wall"])
        ratios["predict"].append(theirs["predict_cpu"] / one["predict_cpu"])
    reached = objective(machine, float(gamma))
    if not one["converged"] or abs(one["objective"] / reached - 1) > 1e-3:
        sys.exit(f"{name}: dual objectives {one['objective']} (ours) and {reached}")
    print(f"{name}: {x.shape[0]} x {x.shape[1]}, C {c}, gamma {gamma}, tolerance {tolerance}")
    print(
        f"  ours {one['cpu']:.3f} s CPU, {two['wall']:.3f} s on two threads; {one['iterations']} steps,"
        f" {one['support']} vectors, objective {one['objective']:.8g}, {one['wrong']} wrong"
    )
    print(
        f"  SVC  {theirs['cpu']:.3f} s CPU, {theirs['wall']:.3f} s; {machine.n_iter_.sum()} steps,"
        f" {machine.n_support_.sum()} vectors, objective {reached:.8g}, {theirs['wrong']} wrong"
    )
    for key, goal in (("one-thread", 1.5), ("two-threads", 2.5), ("predict", 1.5)):
        print(f"ratio {name}-{key} {statistics.median(ratios[key]):.2f} goal {goal}")


main()

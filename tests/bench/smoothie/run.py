"""One SMOOTHIE run with feed-forward networks: PyTorch on the CPU against ours.

Usage: run.py GOAL PAIRS PROBES OURS, with OURS the program of stages/models/examples/smoothie_run.rs.
PROBES random configurations of the paper's space (3 to 20 layers of 2 to 6 units) are trained for one
epoch and their smoothness is computed; the first five are trained for 100 epochs. Rows as many and
as unbalanced as camel's training part. Both sides take turns, PyTorch once with one thread, compared
by CPU time, and once with its default, compared by wall time; the ratio that is less favourable to us
counts. Ends in a ratio line.
"""

import json
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from torch import nn

ROWS, COLUMNS, DEFECTIVE = 1819, 20, 0.21
FULL, EPOCHS, BATCH = 5, 100, 128


def data():
    """Standardised features and labels that a network can learn in part."""
    rng = np.random.default_rng(7)
    x = rng.standard_normal((ROWS, COLUMNS))
    score = x @ rng.standard_normal(COLUMNS) + 2.0 * rng.standard_normal(ROWS)
    return x, (score > np.quantile(score, 1.0 - DEFECTIVE)).astype(float)


def network(layers, units):
    """Keras's start: Glorot uniform weights, offsets 0."""
    sizes = [COLUMNS] + [units] * layers + [1]
    parts = []
    for below, above in zip(sizes, sizes[1:]):
        layer = nn.Linear(below, above)
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
        parts += [layer, nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def train(net, x, y, epochs):
    loss = nn.BCEWithLogitsLoss()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for rows in order.split(BATCH):
            optimiser.zero_grad(set_to_none=True)
            loss(net(x[rows]).squeeze(1), y[rows]).backward()
            optimiser.step()


def smoothness(net, x):
    """The largest norm of a batch's last hidden activations over the last kernel's norm."""
    with torch.inference_mode():
        below = net[:-1]
        most = max(below(batch).norm().item() for batch in x.split(BATCH))
        return most / net[-1].weight.norm().item()


def f1(net, x, y):
    with torch.inference_mode():
        said, true = net(x).squeeze(1) > 0.0, y == 1.0
        hit = (said & true).sum().item()
        return 2.0 * hit / max(said.sum().item() + true.sum().item(), 1)


def torch_run(x, y, configs, threads):
    torch.set_num_threads(threads)
    cpu, wall = time.process_time(), time.perf_counter()
    found = {"smoothness": [], "f1": []}
    for config in configs:
        net = network(*config)
        train(net, x, y, 1)
        found["smoothness"].append(smoothness(net, x))
    found["probes"] = time.perf_counter() - wall
    for config in configs[:FULL]:
        net = network(*config)
        train(net, x, y, EPOCHS)
        found["f1"].append(f1(net, x, y))
    found["wall"], found["cpu"] = time.perf_counter() - wall, time.process_time() - cpu
    return found


def name(threads):
    return f"torch, {threads} thread{'s' if threads > 1 else ''}"


def main():
    goal, program = sys.argv[1], sys.argv[4]
    pairs, probes = map(int, sys.argv[2:4])
    features, labels = data()
    x, y = torch.tensor(features, dtype=torch.float32), torch.tensor(labels, dtype=torch.float32)
    draw = random.Random(5)
    configs = [(draw.randint(3, 20), draw.randint(2, 6)) for _ in range(probes)]
    default = torch.get_num_threads()
    ratios, times = [], {}
    with tempfile.NamedTemporaryFile() as file:
        file.write(struct.pack("<QQ", ROWS, COLUMNS))
        file.write(features.astype("<f8").tobytes() + labels.astype("<f8").tobytes())
        file.flush()
        command = [program, file.name, "1"] + [f"{layers}x{units}" for layers, units in configs]
        train(network(3, 3), x, y, 1)  # what is done once a process is not counted
        for _ in range(pairs):
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            sides = {"ours": json.loads(out)}
            for threads in sorted({1, default}):
                torch.manual_seed(1)
                sides[name(threads)] = torch_run(x, y, configs, threads)
            for side, found in sides.items():
                times.setdefault(side, []).append(found)
            ours = sides["ours"]
            one, usual = sides[name(1)], sides[name(default)]
            ratios.append(min(one["cpu"] / ours["cpu"], usual["wall"] / ours["wall"]))
    print(f"smoothie-run: {ROWS} x {COLUMNS}, {probes} probes and {min(FULL, probes)} trainings, {pairs} pairs")
    for side, found in times.items():
        wall, cpu, probing = (
            statistics.median(one[key] for one in found) for key in ("wall", "cpu", "probes")
        )
        print(
            f"  {side:18} {wall:8.3f} s, CPU {cpu:8.3f} s, probes {probing:7.3f} s;"
            f" mean F1 {statistics.mean(found[0]['f1']):.3f},"
            f" median smoothness {statistics.median(found[0]['smoothness']):.3g}"
        )
    print(f"ratio smoothie-run {statistics.median(ratios):.1f} goal {goal}")


main()

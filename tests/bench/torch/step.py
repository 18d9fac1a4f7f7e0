"""Steps of a residual network's training: PyTorch on the CPU against ours.

Usage: step.py NAME GOAL PAIRS OURS DEPTH WIDTH SIDE BATCH STEPS, with OURS the program of
stages/nets/examples/residual_step.rs. Both sides take turns, with one thread and the same options (SGD with
momentum and weight decay, batch norm, identity shortcuts), for five epochs of STEPS steps, of which
the first is not counted; a step includes the choice of its batch. Ours has two ways: kernels of its own, which
are what stages use on the CPU, and libtorch, which they use on a GPU. Ends in a ratio line for each.
"""

import json
import statistics
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

EPOCHS = 5


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.stride, self.more = stride, outputs - inputs

    def forward(self, x):
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        if self.stride != 1 or self.more:
            x = F.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.more))
        y += x
        return self.relu(y)


def network(depth, width):
    stem = nn.Conv2d(3, width, 3, 1, 1, bias=False)
    layers = [stem, nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    inputs = width
    for group, outputs in enumerate([width, 2 * width, 4 * width]):
        for i in range((depth - 2) // 6):
            layers.append(Block(inputs, outputs, 2 if group and not i else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 10))


def torch_steps(depth, width, side, batch, steps):
    torch.manual_seed(1)
    model = network(depth, width)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    images, labels = torch.randn(steps * batch, 3, side, side), torch.arange(steps * batch) % 10
    found = []
    for epoch in range(EPOCHS):
        for rows in torch.randperm(len(images)).split(batch):
            start = time.process_time()
            optimiser.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(images[rows]), labels[rows])
            loss.backward()
            optimiser.step()
            if epoch > 0:
                found.append(time.process_time() - start)
    return statistics.median(found)


def main():
    name, goal, pairs, program = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    sizes = sys.argv[5:]
    torch.set_num_threads(1)
    ours, library, theirs = [], [], []

    def own(how):
        command = [program, how, *sizes]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return statistics.median(json.loads(out)["cpu"])

    for _ in range(pairs):
        ours.append(own("lanes"))
        library.append(own("libtorch"))
        theirs.append(torch_steps(*map(int, sizes)))
    depth, width, side, batch, _ = sizes
    print(f"{name}: {depth} layers from width {width}, {batch} images of {side} x {side}, {pairs} pairs")
    sides = (("ours", ours), ("ours, libtorch", library), ("torch, 1 thread", theirs))
    for who, times in sides:
        step = statistics.median(times)
        print(f"  {who:18} {1e3 * step:8.2f} ms of CPU a step, {int(batch) / step:8.0f} images a second")
    over = statistics.median(l / o for l, o in zip(library, ours))
    print(f"  libtorch takes {over:.1f} times as long as kernels of our own")
    ratio = statistics.median(t / o for t, o in zip(theirs, ours))
    print(f"ratio {name} {ratio:.2f} goal {goal}")
    ratio = statistics.median(t / l for t, l in zip(theirs, library))
    print(f"ratio {name}-libtorch {ratio:.2f} goal 0.95")


main()
